// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/strategy_pricer.h"

#include "core/cost/memory.h"
#include "core/estimate/stage_cost.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stratoplan {
namespace {

/// Numbers that a price depends on, appended one by one.
template <std::size_t Most>
class Key {
public:
    void add(int number)
    {
        assert(m_count < Most);
        m_numbers[m_count++] = number;
    }
    void add(const Span& span)
    {
        for (const int number : {span.size, span.inside, span.sharingUplink, span.insideLeaf, span.sharingLeaf})
            add(number);
    }
    template <std::size_t Fewer>
    void add(const Key<Fewer>& key)
    {
        for (std::size_t i = 0; i < key.size(); ++i)
            add(key[i]);
    }
    [[nodiscard]] std::size_t size() const { return m_count; }
    int operator[](std::size_t i) const { return m_numbers[i]; }
    bool operator==(const Key& other) const
    {
        return m_count == other.m_count && std::equal(m_numbers.begin(), m_numbers.begin() + m_count, other.m_numbers.begin());
    }
    struct Hash {
        std::size_t operator()(const Key& key) const
        {
            std::uint64_t hash = 14695981039346656037ULL; // FNV-1a, a number at a time
            for (std::size_t i = 0; i < key.m_count; ++i)
                hash = (hash ^ static_cast<std::uint32_t>(key.m_numbers[i])) * 1099511628211ULL;
            return hash ^ hash >> 29;
        }
    };

private:
    std::array<int, Most> m_numbers{};
    std::size_t m_count = 0;
};

/// Values that are made once per key. The last one asked for is found without a look-up: a search varies its innermost
/// dimensions first.
template <class KeyType, class Value>
class Remembered {
public:
    template <class Make>
    Value& get(const KeyType& key, Make make)
    {
        if (m_last != nullptr && m_last->first == key)
            return m_last->second;
        auto found = m_values.find(key);
        if (found == m_values.end())
            found = m_values.emplace(key, make()).first;
        m_last = &*found;
        return m_last->second;
    }

private:
    std::unordered_map<KeyType, Value, typename KeyType::Hash> m_values; // its elements stay where they are
    typename decltype(m_values)::value_type* m_last = nullptr;
};

/// Stages that cost the same, whatever a micro-batch costs: as many layers, the same ends, the same links.
struct StageKind {
    StageLayout layout; ///< its parameters are not counted
    bool crossesForward = false, crossesBackward = false;
    int stage = 0; ///< the first of the kind
};

struct Split {
    std::vector<StageKind> kinds;
    std::vector<std::uint16_t> kindOf; ///< by stage
};

/// One kind of stage as it is priced.
struct PricedKind {
    StageLayout layout;
    StagePasses passes;
    LifetimeBytes bytes; ///< beside the parameters'
};

using MicroBatchKey = Key<23>;
using SplitKey = Key<8>;
using StagesKey = Key<28>;

/// A micro-batch as it is priced, and the pipelines it runs through.
struct MicroBatch {
    MicroBatchWork work; ///< without its operators
    MicroBatchCost cost; ///< without ZeRO-3
    Remembered<StagesKey, std::vector<PricedKind>> stages;
};

/// They are most of the bytes of a work, and of no use once they are priced.
void forgetOperators(MicroBatchWork& work)
{
    for (Pass* pass : {&work.dense.forward, &work.dense.backward, &work.moe.forward, &work.moe.backward, &work.embeddingForward,
             &work.embeddingBackward, &work.headForward, &work.headBackward, &work.mergeForward, &work.mergeBackward})
        *pass = {};
}

} // namespace

class StrategyPricer::Pricing {
public:
    explicit Pricing(const Plan& plan)
        : m_plan(plan)
        , m_machine(machine(plan))
        , m_capacity(smallestMemory(plan.cluster))
        , m_groups(plan.strategy, m_machine.topology)
    {
    }

    std::optional<StrategyPrice> price(const Strategy& strategy, PipelineTime time)
    {
        place(strategy);
        const Deployment deployment(m_plan, m_machine, m_groups);
        MicroBatch& micro = m_microBatches.get(microBatchKey(), [&] { return priceMicroBatch(deployment); });
        const SplitKey splitOf = splitKey();
        const Split& split = m_splits.get(splitOf, [&] { return makeSplit(deployment); });
        const auto& kinds = micro.stages.get(stagesKey(splitOf), [&] { return priceKinds(deployment, micro, split); });

        m_work.schedule = strategy.schedule;
        m_work.microBatches = microBatches(m_plan);
        m_work.chunks = strategy.vpp;
        const double stretched = stretch(m_plan, m_machine);
        m_ofKind.clear();
        m_bytes.clear();
        for (const PricedKind& kind : kinds) {
            m_ofKind.push_back(stageWork(kind.passes, endOfStep(deployment, kind.layout, kind.passes, m_work.microBatches), stretched));
            m_bytes.push_back(kind.bytes);
            m_bytes.back() += parameterBytes(m_plan, micro.work, kind.layout);
        }
        m_work.stages.clear();
        for (const std::uint16_t kind : split.kindOf)
            m_work.stages.push_back(m_ofKind[kind]);

        StrategyPrice price = fullestStage(split);
        price.step = time == PipelineTime::Simulated ? makespan(m_work) : pipelineSeconds(m_work);
        if (!std::isfinite(price.step.value()) || price.step.value() <= 0)
            return std::nullopt;
        return price;
    }

private:
    void place(const Strategy& s)
    {
        Strategy& own = m_plan.strategy;
        const bool moved = s.tp != own.tp || s.cp != own.cp || s.pp != own.pp || s.dp != own.dp || s.ep != own.ep || s.etp != own.etp
            || s.zeroShards != own.zeroShards || s.rankOrder != own.rankOrder;
        own = s;
        if (moved)
            m_groups = GroupSpans(s, m_machine.topology);
    }

    [[nodiscard]] MicroBatchKey microBatchKey() const
    {
        const Strategy& s = m_plan.strategy;
        MicroBatchKey key;
        for (const int number : {s.tp, s.cp, s.ep, s.etp, s.microBatch, int(s.contextMethod), int(s.sequenceParallel), int(s.recompute)})
            key.add(number);
        for (const RankGroup group : {RankGroup::Tensor, RankGroup::Context, RankGroup::Expert})
            key.add(m_groups[group]);
        return key;
    }

    [[nodiscard]] SplitKey splitKey()
    {
        const Strategy& s = m_plan.strategy;
        SplitKey key;
        key.add(s.pp);
        key.add(s.vpp);
        key.add(s.stageLayers.empty() ? 0 : m_numbers.try_emplace(s.stageLayers, int(m_numbers.size()) + 1).first->second);
        key.add(m_groups[RankGroup::Pipeline]);
        return key;
    }

    /// ZeRO-3 moves parameters within every pass.
    [[nodiscard]] StagesKey stagesKey(const SplitKey& split) const
    {
        StagesKey key;
        key.add(split);
        if (m_plan.strategy.zeroStage == 3)
            for (const RankGroup group : {RankGroup::Shards, RankGroup::ShardCopies, RankGroup::ExpertShards, RankGroup::ExpertShardCopies})
                key.add(m_groups[group]);
        return key;
    }

    [[nodiscard]] MicroBatch priceMicroBatch(const Deployment& deployment) const
    {
        MicroBatch micro;
        micro.work = lowerMicroBatch(m_plan);
        micro.cost = microBatchCost(deployment, micro.work);
        forgetOperators(micro.work);
        return micro;
    }

    [[nodiscard]] Split makeSplit(const Deployment& deployment) const
    {
        Split split;
        const std::vector<StageLayout> layouts = placeStages(m_plan);
        const int stages = int(layouts.size());
        for (int i = 0; i < stages; ++i) {
            const StageKind kind{layouts[std::size_t(i)], boundaryCrosses(deployment, i), boundaryCrosses(deployment, i == 0 ? stages - 1 : i - 1), i};
            const auto known = std::find_if(split.kinds.begin(), split.kinds.end(), [&](const StageKind& other) {
                return kind.layout == other.layout && kind.crossesForward == other.crossesForward && kind.crossesBackward == other.crossesBackward;
            });
            split.kindOf.push_back(static_cast<std::uint16_t>(known - split.kinds.begin()));
            if (known == split.kinds.end())
                split.kinds.push_back(kind);
        }
        return split;
    }

    [[nodiscard]] std::vector<PricedKind> priceKinds(const Deployment& deployment, const MicroBatch& micro, const Split& split) const
    {
        MicroBatchCost cost = micro.cost;
        addShardTraffic(deployment, micro.work, cost);
        std::vector<PricedKind> priced;
        priced.reserve(split.kinds.size());
        for (const StageKind& kind : split.kinds) {
            StageLayout layout = kind.layout;
            countParameters(m_plan, micro.work, layout);
            const StagePasses passes = stagePasses(deployment, cost, layout, micro.work.boundary, kind.stage);
            priced.push_back({layout, passes, passBytes(m_plan, micro.work, layout)});
        }
        return priced;
    }

    /// The fullest stage of m_work, whose stages hold m_bytes by kind. The first of a kind is its fullest: no schedule keeps more
    /// micro-batches in flight further down.
    [[nodiscard]] StrategyPrice fullestStage(const Split& split) const
    {
        StrategyPrice price;
        const Strategy& s = m_plan.strategy;
        const int losses = lossesInFlight(s.schedule, m_work.microBatches);
        for (std::size_t i = 0; i < split.kinds.size(); ++i) {
            const int stage = split.kinds[i].stage;
            const Peak most = peak(m_bytes[i], inFlight(s.schedule, s.pp, s.vpp, m_work.microBatches, stage), losses);
            const Bytes total = m_bytes[i].step + most.activations + most.above;
            if (total > price.peak) {
                price.peak = total;
                price.peakStage = stage;
            }
        }
        price.fits = price.peak <= m_capacity;
        return price;
    }

    Plan m_plan; ///< with the strategy that is being priced
    Machine m_machine;
    Bytes m_capacity;
    GroupSpans m_groups;
    Remembered<MicroBatchKey, MicroBatch> m_microBatches;
    Remembered<SplitKey, Split> m_splits;
    std::map<std::vector<int>, int> m_numbers; ///< of the splits that strategies give
    // Of the strategy that is being priced; kept for their storage.
    PipelineWork m_work;
    std::vector<StageWork> m_ofKind;
    std::vector<LifetimeBytes> m_bytes;
};

StrategyPricer::StrategyPricer(const Plan& plan)
    : m_pricing(std::make_unique<Pricing>(plan))
{
}

StrategyPricer::~StrategyPricer() = default;

std::optional<StrategyPrice> StrategyPricer::price(const Strategy& strategy, PipelineTime time)
{
    return m_pricing->price(strategy, time);
}

} // namespace stratoplan
