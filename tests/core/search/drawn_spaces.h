// SPDX-License-Identifier: GPL-3.0-or-later
// Random plans with spaces small enough to price whole, and searches of them.
#pragma once

#include "core/pricing/pricing_context.h"
#include "core/search/search.h"
#include "core/space/space_tree.h"
#include "tests/core/search/random_plans.h"

namespace stratoplan::searchtest {

inline constexpr std::int64_t kMostLeaves = 20'000; // of a random space that is priced whole
inline constexpr double kRounding = 1e-12;

struct Drawn {
    plan::Plan plan;
    plan::SearchSpace space;
};

inline Drawn draw(RandomPlans& random, std::int64_t most = kMostLeaves)
{
    for (;;) {
        Drawn drawn{random.plan(), {}};
        drawn.space = random.space(drawn.plan);
        const pricing::PricingContext pricing(drawn.plan, catalog::shippedCatalog());
        const std::int64_t leaves = space::SpaceTree(drawn.plan, drawn.space, pricing.topology()).leaves();
        if (leaves > 0 && leaves <= most)
            return drawn;
    }
}

inline search::SearchResult searched(
    const plan::Plan& plan, const plan::SearchSpace& space, search::SearchOptions options, bool exhaustive = false)
{
    options.exhaustive = exhaustive;
    if (options.threads == 0)
        options.threads = 1;
    return search::search(plan, space, options);
}

} // namespace stratoplan::searchtest
