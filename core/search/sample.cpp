// SPDX-License-Identifier: Apache-2.0
#include "core/search/sample.h"

#include "core/cost/machine.h"
#include "core/estimate/strategy_pricer.h"
#include "core/plan/problem.h"
#include "core/search/space_tree.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace stratoplan {
namespace {

constexpr std::array kPasses{0, 4, 2, 6, 1, 5, 3, 7}; // each halves the gaps that those before it left
constexpr std::chrono::milliseconds kInterval{50};

/// The places to draw, from the first: one after the other, each `stride` further.
class Places {
public:
    Places(std::int64_t first, std::int64_t stride)
        : m_next(first)
        , m_stride(stride)
    {
    }
    /// Whether there is one below `end`.
    [[nodiscard]] bool below(std::int64_t end) const { return m_next < end; }
    std::int64_t take() { return std::exchange(m_next, m_next + m_stride); }

private:
    std::int64_t m_next;
    std::int64_t m_stride;
};

/// One training precision of the plan.
struct Variant {
    Plan plan;
    SpaceTree tree;
    StrategyPricer pricer;

    Variant(Plan itsPlan, const SearchSpace& space, SearchMode mode, const std::stop_token& stop)
        : plan(std::move(itsPlan))
        , tree(plan, space, machine(plan).topology, mode == SearchMode::Simulated ? Schedules::All : Schedules::WithClosedForm, stop)
        , pricer(plan)
    {
    }
};

/// Whatever its strategy.
bool isLegal(Plan plan)
{
    plan.strategy = {};
    return !hasErrors(check(plan, {.remedies = false}));
}

class Sampler {
public:
    Sampler(const SearchOptions& options, const std::stop_token& stop, const SampleCallback& priced)
        : m_options(options)
        , m_stop(stop)
        , m_priced(priced)
    {
    }

    void run(const Plan& plan, const SearchSpace& space, std::int64_t most)
    {
        std::int64_t leaves = 0;
        for (const Precision precision : space.precisions.empty() ? std::vector{plan.training.precision} : space.precisions) {
            Plan variant = plan;
            variant.training.precision = precision;
            if ((precision != plan.training.precision && !isLegal(variant))
                || firstObjection(variant, space.framework, RuleScope::Precision) < kFrameworkRules)
                continue;
            m_variants.push_back(std::make_unique<Variant>(std::move(variant), space, m_options.mode, m_stop));
            leaves += m_variants.back()->tree.leaves();
        }
        const std::int64_t stride = std::max<std::int64_t>(1, (leaves + most - 1) / std::max<std::int64_t>(1, most));
        for (const int pass : kPasses)
            drawPass(Places(pass * stride, stride * std::int64_t(kPasses.size())));
        tell();
    }

private:
    void drawPass(Places places)
    {
        std::int64_t begin = 0;
        for (const auto& variant : m_variants) {
            for (const Division& division : variant->tree.divisions()) {
                if (m_stop.stop_requested())
                    return;
                if (places.below(begin + division.leaves))
                    drawDivision(*variant, division, begin, places);
                begin += division.leaves;
            }
        }
    }

    void drawDivision(Variant& variant, const Division& division, std::int64_t begin, Places& places)
    {
        const SpaceTree& tree = variant.tree;
        for (const ExpertPick experts : tree.experts(division)) {
            const Degrees degrees = tree.degrees(division, experts);
            for (const int size : tree.microBatches(division)) {
                for (const PassPick& pass : degrees.passes) {
                    const int microBatches = variant.plan.training.globalBatch / division.dp / size;
                    const std::int64_t leaves = tree.splitPipelines(division.pp, microBatches, pass.kind()) * std::int64_t(degrees.leaves())
                        * tree.ways(pass, division.pp);
                    while (places.below(begin + leaves) && !m_stop.stop_requested())
                        price(variant, leaf(tree, degrees, size, pass, microBatches, places.take() - begin));
                    begin += leaves;
                }
            }
        }
    }

    static Strategy leaf(const SpaceTree& tree, const Degrees& degrees, int microBatch, const PassPick& pass, int microBatches, std::int64_t place)
    {
        const auto take = [&](std::int64_t choices) { return std::exchange(place, place / choices) % choices; };
        const auto pick = [&](const auto& choices) -> const auto& { return choices[std::size_t(take(std::int64_t(choices.size())))]; };
        Strategy s = degrees.strategy;
        s.microBatch = microBatch;
        s.rankOrder = pick(degrees.orders);
        const ShardingPick& sharding = pick(degrees.shardings);
        s.zeroStage = sharding.stage;
        s.zeroShards = sharding.shards;
        tree.splitPipeline(s.pp, microBatches, pass.kind(), take(tree.splitPipelines(s.pp, microBatches, pass.kind()))).applyTo(s);
        pass.applyTo(s);
        if (pass.firstLayers)
            recomputeFirst(s, tree.layers(), pick(tree.firstLayers(s.pp)));
        return s;
    }

    void price(Variant& variant, const Strategy& strategy)
    {
        const auto time = m_options.mode == SearchMode::Simulated ? PipelineTime::Simulated : PipelineTime::ClosedForm;
        if (const auto price = variant.pricer.price(strategy, time)) {
            const bool fits = price->fits && price->peak.value() <= variant.pricer.capacity().value() * (1 - m_options.headroom);
            m_fresh.push_back({strategy, variant.plan.training.precision, price->step, price->peak, fits});
        }
        if (Clock::now() - m_told >= kInterval)
            tell();
    }

    void tell()
    {
        if (!m_fresh.empty())
            m_priced(m_fresh);
        m_fresh.clear();
        m_told = Clock::now();
    }

    using Clock = std::chrono::steady_clock;
    const SearchOptions& m_options;
    const std::stop_token& m_stop;
    const SampleCallback& m_priced;
    std::vector<std::unique_ptr<Variant>> m_variants;
    std::vector<SampledStrategy> m_fresh;
    Clock::time_point m_told = Clock::now();
};

} // namespace

void sample(const Plan& plan, const SearchSpace& space, const SearchOptions& options, std::int64_t most, const std::stop_token& stop,
    const SampleCallback& priced)
{
    Sampler(options, stop, priced).run(plan, space, most);
}

} // namespace stratoplan
