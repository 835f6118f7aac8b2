// SPDX-License-Identifier: Apache-2.0
#include "core/search/nearest.h"

#include "core/catalog/framework_rules.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"
#include "core/search/rescore.h"
#include "core/space/membership.h"
#include "core/space/neighbours.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace stratoplan::search {
namespace {

constexpr int kMostChanges = 6;
constexpr std::size_t kSteppingStones = 12; ///< that are gone on from
constexpr std::size_t kMostTried = 64; ///< of those that can be run

/// A strategy on the way.
struct Step {
    parallel::Strategy strategy;
    std::vector<space::StrategyChange> changes;
    std::int64_t problems = 0;
    double peak = 0; ///< 0: illegal
    double seconds = 0; ///< in closed form or a bound of it
    bool fits = false;
    [[nodiscard]] auto wayLeft() const { return std::tuple(problems, peak); }
};

class Way {
public:
    Way(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
        model::Precision precision, const std::stop_token& stop)
        : m_plan(plan)
        , m_space(space)
        , m_options(options)
        , m_stop(stop)
        , m_scratch(withPrecision(plan, precision))
        , m_pricing(m_scratch, *options.catalog)
    {
    }

    std::optional<NearStrategy> from(const parallel::Strategy& strategy, bool deep)
    {
        std::vector<Step> stones{{strategy, {}, 0, 0, 0, false}};
        seen(strategy);
        for (int changes = 1; changes <= (deep ? kMostChanges : 1) && !stones.empty(); ++changes) {
            std::vector<Step> next;
            for (const Step& stone : stones)
                for (space::Neighbour& neighbour : space::neighbours(m_plan, stone.strategy))
                    if (!seen(neighbour.strategy) && !m_stop.stop_requested()) {
                        next.push_back(judged({std::move(neighbour.strategy), stone.changes, 0, 0, 0, false}));
                        next.back().changes.push_back(neighbour.change);
                    }
            if (auto found = bestOf(next); found || m_stop.stop_requested())
                return found;
            std::stable_sort(
                next.begin(), next.end(), [](const Step& a, const Step& b) { return a.wayLeft() < b.wayLeft(); });
            next.resize(std::min(next.size(), kSteppingStones));
            stones = std::move(next);
        }
        return std::nullopt;
    }

private:
    static plan::Plan withPrecision(plan::Plan plan, model::Precision precision)
    {
        plan.training.precision = precision;
        plan.cluster.switches.clear(); // the drawing plays no part, and takes time to check
        plan.cluster.connections.clear();
        return plan;
    }

    bool seen(const parallel::Strategy& strategy)
    {
        return !m_seen.insert({strategy, model::Precision::Bf16, 0, {}, {}}).second;
    }

    Step judged(Step step)
    {
        m_scratch.strategy = step.strategy;
        std::vector<plan::Problem> problems = check(m_scratch, {.remedies = false});
        std::erase_if(problems, [](const plan::Problem& problem) { return problem.severity != plan::Severity::Error; });
        if (problems.empty())
            problems = pricing::notEstimable(m_scratch);
        step.problems = std::int64_t(problems.size());
        if (step.problems > 0)
            return step;
        step.problems = std::int64_t(catalog::objections(m_scratch, m_space.framework).size());
        if (step.problems > 0)
            return step;
        const auto priced = price(m_pricing, step.strategy, pricing::PipelineTime::ClosedForm);
        step.problems = priced ? 0 : 1;
        if (priced) {
            step.peak = priced->peak.value();
            step.seconds = priced->step.value();
            step.fits = priced->fitsWith(m_options.headroom);
        }
        return step;
    }

    /// In the mode of the search.
    std::optional<NearStrategy> bestOf(const std::vector<Step>& steps)
    {
        std::vector<const Step*> fitting;
        for (const Step& step : steps)
            if (step.fits)
                fitting.push_back(&step);
        std::stable_sort(
            fitting.begin(), fitting.end(), [](const Step* a, const Step* b) { return a->seconds < b->seconds; });
        fitting.resize(std::min(fitting.size(), kMostTried));
        std::vector<FoundStrategy> candidates;
        for (const Step* step : fitting)
            candidates.push_back({step->strategy, m_scratch.training.precision, 0, {}, {}});
        std::vector<std::pair<Rescored, const Step*>> rescored;
        const RescoreResult result = rescore(m_plan, candidates, m_options, m_stop);
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (result.strategies[i].standing == Standing::Fits)
                rescored.emplace_back(result.strategies[i], fitting[i]);
        std::stable_sort(rescored.begin(), rescored.end(),
            [](const auto& a, const auto& b) { return a.first.found.value < b.first.found.value; });
        for (const auto& [candidate, step] : rescored)
            if (!m_stop.stop_requested()
                && !outside(
                    m_plan, m_space, schedulesOf(m_options), candidate.found.strategy, candidate.found.precision))
                return NearStrategy{step->changes, candidate.found};
        return std::nullopt;
    }

    const plan::Plan& m_plan;
    const plan::SearchSpace& m_space;
    const SearchOptions& m_options;
    const std::stop_token& m_stop;
    plan::Plan m_scratch;
    pricing::PricingContext m_pricing;
    struct Before {
        bool operator()(const FoundStrategy& a, const FoundStrategy& b) const { return comesBefore(a, b); }
    };
    std::set<FoundStrategy, Before> m_seen;
};

} // namespace

std::optional<NearStrategy> nearestThatFits(const plan::Plan& plan, const plan::SearchSpace& space,
    const SearchOptions& options, const parallel::Strategy& strategy, model::Precision precision, bool deep,
    const std::stop_token& stop)
{
    return Way(plan, space, options, precision, stop).from(strategy, deep);
}

} // namespace stratoplan::search
