// SPDX-License-Identifier: Apache-2.0
#include "core/search/rescore.h"

#include "core/cluster/used_part.h"
#include "core/pricing/limits.h"
#include "core/pricing/pricing_context.h"
#include "core/search/valuation.h"
#include "core/space/space_tree.h"
#include "core/units/named.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <memory>

namespace stratoplan::search {
namespace {

constexpr NameTable<Standing, 6> kStandings{{{Standing::Fits, "fits"}, {Standing::OutOfMemory, "out_of_memory"},
    {Standing::MissesDeadline, "misses_deadline"}, {Standing::NoClosedForm, "no_closed_form"},
    {Standing::Illegal, "illegal"}, {Standing::NotPriced, "not_priced"}}};

/// Strategies of one training precision.
class Scorer {
public:
    Scorer(const plan::Plan& plan, const SearchOptions& options)
        : m_plan(plan)
        , m_mode(options.mode)
        , m_headroom(options.headroom)
        , m_pricing(plan, *options.catalog)
        , m_valuation(plan, options)
        , m_joined(joinedAccelerators(plan.cluster))
    {
        m_plan.cluster.switches.clear(); // the drawing plays no other part, and takes time to check
        m_plan.cluster.connections.clear();
    }

    void score(Rescored& strategy)
    {
        FoundStrategy& found = strategy.found;
        found.value = 0;
        found.step = {};
        found.peak = {};
        strategy.standing = Standing::Illegal;
        m_plan.strategy = found.strategy;
        if (rankCount(found.strategy) > m_joined || hasErrors(check(m_plan, {.remedies = false}))
            || !pricing::notEstimable(m_plan).empty())
            return;
        strategy.standing = Standing::NoClosedForm;
        const bool simulated = m_mode == plan::SearchMode::Simulated;
        if (!simulated && !space::hasClosedForm(found.strategy.schedule))
            return;
        const auto priced = price(m_pricing, found.strategy,
            simulated ? pricing::PipelineTime::Simulated : pricing::PipelineTime::ClosedForm);
        strategy.standing = Standing::Illegal;
        if (!priced)
            return;
        found.step = priced->step;
        found.peak = priced->peak;
        found.value = m_valuation.value(priced->step, found.strategy);
        const bool fits = priced->fitsWith(m_headroom);
        const bool wanted = m_valuation.wants(priced->step, priced->peak.value());
        strategy.standing = !fits ? Standing::OutOfMemory : wanted ? Standing::Fits : Standing::MissesDeadline;
    }

private:
    plan::Plan m_plan;
    plan::SearchMode m_mode;
    double m_headroom;
    pricing::PricingContext m_pricing;
    Valuation m_valuation;
    int m_joined; ///< ranks, by the cables of the drawing
};

/// Of one thread.
class Scorers {
public:
    Scorers(const plan::Plan& plan, const SearchOptions& options)
        : m_plan(plan)
        , m_options(options)
    {
    }

    void score(Rescored& strategy)
    {
        std::unique_ptr<Scorer>& scorer = m_byPrecision[strategy.found.precision];
        if (!scorer) {
            plan::Plan plan = m_plan;
            plan.training.precision = strategy.found.precision;
            scorer = std::make_unique<Scorer>(plan, m_options);
        }
        scorer->score(strategy);
    }

private:
    const plan::Plan& m_plan;
    const SearchOptions& m_options;
    std::map<model::Precision, std::unique_ptr<Scorer>> m_byPrecision;
};

bool equal(const FoundStrategy& a, const FoundStrategy& b)
{
    return a.value == b.value && a.peak == b.peak;
}

void findFront(RescoreResult& result, FrontKind keep)
{
    Front front(keep);
    for (const Rescored& strategy : result.strategies)
        if (strategy.standing == Standing::Fits)
            front.add(strategy.found);
    for (const Front::Point& point : front.points()) {
        result.front.insert(result.front.end(), point.strategies.begin(), point.strategies.end());
        for (Rescored& strategy : result.strategies)
            strategy.onFront = strategy.onFront
                || (strategy.standing == Standing::Fits && equal(strategy.found, point.strategies.front()));
    }
    if (!front.empty())
        result.best = front.best().strategies.front();
}

} // namespace

std::string_view key(Standing standing)
{
    return nameIn(kStandings, standing);
}

RescoreResult rescore(const plan::Plan& plan, const std::vector<FoundStrategy>& strategies,
    const SearchOptions& options, const std::stop_token& stop)
{
    RescoreResult result;
    result.strategies.resize(strategies.size());
    const int threads = options.threads > 0 ? options.threads : machineThreads();
    const tbb::global_control allowed(
        tbb::global_control::max_allowed_parallelism, std::size_t(std::max(threads, machineThreads())));
    tbb::task_arena arena(threads);
    tbb::enumerable_thread_specific<Scorers> scorers([&] { return Scorers(plan, options); });
    arena.execute([&] {
        tbb::parallel_for(std::size_t(0), strategies.size(), [&](std::size_t i) {
            Rescored& strategy = result.strategies[i];
            strategy.found = strategies[i];
            if (!stop.stop_requested())
                scorers.local().score(strategy);
        });
    });
    result.complete = true;
    for (Rescored& strategy : result.strategies) {
        if (strategy.standing != Standing::NotPriced)
            continue;
        result.complete = false;
        strategy.found.value = 0;
        strategy.found.step = {};
        strategy.found.peak = {};
    }
    findFront(result, options.keep);
    return result;
}

} // namespace stratoplan::search
