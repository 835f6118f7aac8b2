// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/strategy_pricer.h"

#include "core/cost/host_memory.h"
#include "core/pipeline/shared_programs.h"
#include "core/pricing/peak_pricer.h"
#include "core/pricing/priced_stages.h"
#include "core/pricing/sequence_bounds.h"
#include "core/pricing/stage_kinds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace stratoplan {

Seconds stepSeconds(const PipelineWork& work, PipelineTime time, SharedPrograms* shared)
{
    switch (time) {
    case PipelineTime::ClosedForm:
        return pipelineSeconds(work);
    case PipelineTime::Bound:
        return stepBound(work, shared);
    case PipelineTime::Simulated:
        break;
    }
    return makespan(work, shared).seconds;
}

namespace {

using MicroBatchKey = Key<30>;
using SplitKey = Key<11>;
using StagesKey = Key<31>;

/// A micro-batch as it is priced, and the pipelines it runs through.
struct MicroBatch {
    const LoweredWork* lowered = nullptr;
    MicroBatchCost cost; ///< without ZeRO-3
    Remembered<StagesKey, PricedKinds> stages;
};

/// Entries that are kept before all are forgotten: some 10 MB of each kind.
constexpr std::size_t kMostWorks = 4096;
constexpr std::size_t kMostMicroBatches = 4096;
constexpr std::size_t kMostSplits = 2048;
constexpr std::size_t kMostStages = 8192;
constexpr std::size_t kMostHeld = 16384;

} // namespace

class StrategyPricer::Pricing {
public:
    explicit Pricing(const Plan& plan)
        : m_plan(plan)
        , m_machine(machine(plan))
        , m_capacity(smallestMemory(plan.cluster))
        , m_ownGroups(plan.strategy, m_machine.topology)
        , m_works(m_machine)
        , m_bounds(m_plan, m_machine, m_works)
    {
        const int all = plan.model.layers + plan.model.multiTokenPredictionDepth;
        for (int layer = 0; layer < all; ++layer)
            ++(isMoeLayer(plan.model, layer) ? m_moeLayers : m_denseLayers);
    }

    std::optional<StrategyPrice> price(const Strategy& strategy, PipelineTime time)
    {
        if (!strategy.stageTp.empty())
            return priceUnlike(m_plan, strategy, m_machine, time);
        if (m_groups != &m_ownGroups || moves(strategy))
            m_ownGroups = GroupSpans(strategy, m_machine.topology);
        choose(strategy, m_ownGroups);
        const Seconds whole = step(time);
        if (!std::isfinite(whole.value()) || whole.value() <= 0)
            return std::nullopt;
        const StrategyPeak most = peak();
        return StrategyPrice{
            whole, most.bytes, most.stage, most.bytes <= m_capacity && most.host <= m_machine.hostCapacity};
    }

    void choose(const Strategy& strategy, const GroupSpans& groups)
    {
        m_plan.strategy = strategy;
        m_groups = &groups;
        m_splitNumber = -1;
        forgetTooMany();
        if (strategy.schedule == Schedule::ZbAuto && strategy.inFlightLimit == 0)
            m_plan.strategy.inFlightLimit =
                m_peaks.openLimit(m_plan, m_works.lowered(m_plan).work, splitNumber(), m_capacity);
    }

    Seconds step(PipelineTime time)
    {
        const Deployment deployment(m_plan, m_machine, *m_groups);
        const StageKinds& split = splitOf(deployment);
        const PricedKinds& priced = kindsOf(deployment, split);
        beginWork(microBatch(deployment).cost);
        for (const PricedKinds::Kind& kind : priced.kinds)
            m_ofKind.push_back(stageWork(
                kind.passes, endOfStep(deployment, kind.layout, kind.passes, m_work.microBatches), m_stretch));
        placeWork(split, priced);
        return seconds(time);
    }

    /// Of a work only the logits depend on how the vocabulary is placed, as far as bytes go: it is not lowered for
    /// every number of stages that share it.
    StrategyPeak peak()
    {
        Strategy& s = m_plan.strategy;
        const VocabularyPlacement own = std::exchange(s.vocabularyPlacement, VocabularyPlacement::Ends);
        MicroBatchWork& work = m_works.lowered(m_plan).work;
        s.vocabularyPlacement = own;
        const int stages = vocabularyStages(s);
        const double vocabulary =
            double(paddedVocabulary(m_plan.model.vocabulary, s.tp, stages)) / (double(s.tp) * stages);
        const double logits = std::exchange(work.logits, work.tokens * vocabulary);
        const StrategyPeak result = m_peaks.peak(m_plan, work, splitNumber());
        work.logits = logits;
        return result;
    }

    Seconds productSeconds() { return m_bounds.ofProducts(); }
    Seconds sequenceSeconds(int leastRanks, bool anyVocabulary)
    {
        return m_bounds.ofSequence(leastRanks, anyVocabulary);
    }

    SequenceBytes sequenceBytes() { return stratoplan::sequenceBytes(m_plan, m_works); }
    LayerStates layerStates() { return stratoplan::layerStates(m_plan, m_works); }
    [[nodiscard]] std::vector<HeldLayers> heldLayers() const { return stratoplan::heldLayers(m_plan); }
    [[nodiscard]] std::vector<HeldLayers> heldLayers(std::span<const StageShare> stages) const
    {
        return stratoplan::heldLayers(m_plan, stages);
    }
    [[nodiscard]] Bytes leastPeak(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
        std::span<const HeldLayers> stages, int sequences) const
    {
        return stratoplan::leastPeak(
            ways, states, stages, sequences, m_plan.training.software.reserve, m_machine.hostCapacity);
    }

    PieceSeconds expertPieces(int leastRanks) { return m_bounds.ofExperts(leastRanks); }
    PieceSeconds leastPieces(int leastRanks) { return m_bounds.ofPieces(leastRanks); }

    [[nodiscard]] Seconds stepOfStage(Seconds microBatch) const
    {
        return (microBatch * microBatches(m_plan) + m_plan.training.software.optimizerFixed)
            * stretch(m_plan, m_machine);
    }

    std::vector<StageShare> stageShares() { return stratoplan::stageShares(m_plan); }

    [[nodiscard]] Seconds stepOfSequences(Seconds each) const
    {
        const Strategy& s = m_plan.strategy;
        const double ofReplica = double(m_plan.training.globalBatch) / s.dp;
        return (each * (ofReplica / s.pp) + m_plan.training.software.optimizerFixed) * stretch(m_plan, m_machine);
    }

    PieceSeconds placedPieces() { return pieces(placedCost()); }

    Seconds microBatchStep(bool paired)
    {
        const MicroBatchCost& cost = placedCost();
        const LayerCost& moe = cost.moe;
        const Seconds hidden =
            paired ? (moe.forward.pairable + moe.backward.pairable + moe.recompute.pairable) * m_moeLayers : Seconds{};
        return stepOfSequences((wholeModel(cost) - hidden) / m_plan.strategy.microBatch);
    }

    Seconds pipelineStep(PipelineTime time)
    {
        const int zeroStage = std::exchange(m_plan.strategy.zeroStage, 0);
        const Deployment deployment(m_plan, m_machine, *m_groups);
        const StageKinds& split = splitOf(deployment);
        const PricedKinds& priced = kindsOf(deployment, split);
        m_plan.strategy.zeroStage = zeroStage;
        beginWork(microBatch(deployment).cost);
        m_work.limit = 0; // how the states are sharded decides it, and is open
        for (const PricedKinds::Kind& kind : priced.kinds) {
            const double local = kind.layout.parameters / deployment.groups[RankGroup::DataContext].size
                + kind.layout.expertParameters / deployment.groups[RankGroup::ExpertData].size;
            EndOfStep least;
            least.optimizer = optimizerSeconds(m_plan, m_machine, local);
            m_ofKind.push_back(stageWork(kind.passes, least, m_stretch));
        }
        placeWork(split, priced);
        return seconds(time);
    }

    Seconds leastPipelineStep(const std::vector<ChunkShares>& stages)
    {
        m_least = &stages;
        const Seconds result = pipelineStep(PipelineTime::ClosedForm);
        m_least = nullptr;
        return result;
    }

    Seconds pipelineStepAs(Schedule schedule)
    {
        m_plan.strategy.schedule = m_work.schedule = schedule;
        return seconds(PipelineTime::ClosedForm);
    }

    [[nodiscard]] const Topology& topology() const { return m_machine.topology; }
    [[nodiscard]] Bytes capacity() const { return m_capacity; }
    [[nodiscard]] Bytes hostCapacity() const { return m_machine.hostCapacity; }

private:
    /// Schedules that run weight gradients apart wait longer for what is offloaded.
    const MicroBatchCost& placedCost()
    {
        const Schedule own = std::exchange(m_plan.strategy.schedule, Schedule::OneFOneB);
        const Deployment deployment(m_plan, m_machine, *m_groups);
        const MicroBatchCost& cost = microBatch(deployment).cost;
        m_plan.strategy.schedule = own;
        return cost;
    }

    [[nodiscard]] bool moves(const Strategy& s) const
    {
        const Strategy& own = m_plan.strategy;
        return s.tp != own.tp || s.cp != own.cp || s.pp != own.pp || s.dp != own.dp || s.ep != own.ep
            || s.etp != own.etp || s.zeroShards != own.zeroShards || s.rankOrder != own.rankOrder;
    }

    /// Every pass of one micro-batch through every layer and both ends.
    [[nodiscard]] Seconds wholeModel(const MicroBatchCost& cost) const
    {
        const auto layer = [](const LayerCost& one) {
            return one.forward.total() + one.backward.total() + one.recompute.total();
        };
        const double modules = m_plan.model.multiTokenPredictionDepth;
        return layer(cost.dense) * m_denseLayers + layer(cost.moe) * m_moeLayers
            + (cost.embeddingForward.total() + cost.embeddingBackward.total() + cost.headForward.total()
                  + cost.headBackward.total())
            * ((1 + modules) * vocabularyStages(m_plan.strategy))
            + (cost.mergeForward.total() + cost.mergeBackward.total()) * modules;
    }

    void forgetTooMany()
    {
        const bool works = m_works.size() > kMostWorks;
        if (works) {
            m_bounds.clear();
            m_works.clear();
        }
        if (works || m_microBatches.size() > kMostMicroBatches || m_stagesKept > kMostStages) { // they refer to works
            m_microBatches.clear();
            m_stagesKept = 0;
        }
        if (m_splits.size() > kMostSplits)
            m_splits.clear();
        if (works || m_peaks.size() > kMostHeld)
            m_peaks.clear();
    }

    [[nodiscard]] MicroBatchKey microBatchKey() const
    {
        MicroBatchKey key;
        key.add(workKey(m_plan.strategy));
        key.add(int(m_plan.strategy.recompute) + int(kRecomputeKinds) * int(mixesRecompute(m_plan.strategy)));
        key.add(2 * int(m_plan.strategy.offload)
            + int(splitsBackward(m_plan.strategy.schedule) && m_plan.strategy.offload == Offload::Activations));
        for (const RankGroup group : {RankGroup::Tensor, RankGroup::Context, RankGroup::Expert})
            key.add((*m_groups)[group]);
        if (vocabularyStages(m_plan.strategy) > 1)
            key.add((*m_groups)[RankGroup::Pipeline]);
        return key;
    }

    /// Of what the strategy tells of single stages itself; 0 = nothing.
    [[nodiscard]] int splitNumber()
    {
        if (m_least != nullptr)
            return m_leastNumbers.try_emplace(m_least, -1 - int(m_leastNumbers.size())).first->second;
        if (m_splitNumber < 0)
            m_splitNumber = findSplitNumber();
        return m_splitNumber;
    }

    [[nodiscard]] int findSplitNumber()
    {
        const Strategy& s = m_plan.strategy;
        if (s.stageLayers.empty() && !mixesRecompute(s))
            return 0;
        return m_numbers.try_emplace(toldOfStages(s), int(m_numbers.size()) + 1).first->second;
    }

    [[nodiscard]] SplitKey splitKey()
    {
        SplitKey key;
        const Strategy& s = m_plan.strategy;
        for (const int number :
            {s.pp, s.vpp, int(shape(s.schedule)), splitNumber(), vocabularyNumber(s), int(s.timingPass)})
            key.add(number);
        key.add((*m_groups)[RankGroup::Pipeline]);
        return key;
    }

    /// ZeRO-3 moves parameters within every pass.
    [[nodiscard]] StagesKey stagesKey()
    {
        StagesKey key;
        key.add(splitKey());
        if (m_plan.strategy.zeroStage == 3)
            for (const RankGroup group :
                {RankGroup::Shards, RankGroup::ShardCopies, RankGroup::ExpertShards, RankGroup::ExpertShardCopies})
                key.add((*m_groups)[group]);
        return key;
    }

    MicroBatch& microBatch(const Deployment& deployment)
    {
        return m_microBatches.get(microBatchKey(), [&] {
            const LoweredWork& work = m_works.computed(m_plan);
            return MicroBatch{&work, microBatchCost(deployment, work.work, work.compute), {}};
        });
    }

    const StageKinds& splitOf(const Deployment& deployment)
    {
        return m_splits.get(splitKey(),
            [&] { return m_least != nullptr ? stageKinds(*m_least, deployment) : stageKinds(m_plan, &deployment); });
    }

    const PricedKinds& kindsOf(const Deployment& deployment, const StageKinds& split)
    {
        MicroBatch& micro = microBatch(deployment);
        return micro.stages.get(stagesKey(), [&] {
            m_stagesKept += split.kinds.size();
            return priceKinds(m_plan, deployment, micro.lowered->work, micro.cost, split);
        });
    }

    /// Of the work in hand.
    Seconds seconds(PipelineTime time) { return stepSeconds(m_work, time, &m_programs); }

    void beginWork(const MicroBatchCost& cost)
    {
        const Strategy& s = m_plan.strategy;
        m_work.schedule = s.schedule;
        m_work.microBatches = microBatches(m_plan);
        m_work.chunks = s.vpp;
        m_work.limit = s.inFlightLimit;
        m_work.timing = communicationTiming(m_plan, (*m_groups)[RankGroup::Pipeline]);
        m_stretch = stretch(m_plan, m_machine);
        placeVocabulary(s, cost, m_stretch, m_work);
        m_ofKind.clear();
    }

    void placeWork(const StageKinds& split, const PricedKinds& priced)
    {
        m_work.stages.clear();
        for (const std::uint16_t kind : split.kindOf)
            m_work.stages.push_back(m_ofKind[kind]);
        m_work.chunkWork.clear();
        for (const ChunkWork& chunk : priced.chunks)
            m_work.chunkWork.push_back(chunk * m_stretch);
        m_work.chunkOf = split.chunkOf;
    }

    Plan m_plan; ///< with the strategy that is being priced
    Machine m_machine;
    Bytes m_capacity;
    int m_denseLayers = 0, m_moeLayers = 0; ///< of the whole model, prediction modules included
    GroupSpans m_ownGroups;
    const GroupSpans* m_groups = &m_ownGroups;
    Works m_works;
    SequenceBounds m_bounds;
    Remembered<MicroBatchKey, MicroBatch> m_microBatches;
    Remembered<SplitKey, StageKinds> m_splits;
    PeakPricer m_peaks;
    SharedPrograms m_programs;
    std::size_t m_stagesKept = 0;
    std::map<std::vector<int>, int> m_numbers; ///< of the splits that strategies give
    int m_splitNumber = -1; ///< of the chosen strategy; below 0: not asked for yet
    const std::vector<ChunkShares>* m_least = nullptr; ///< of the stages, in place of the split of the strategy
    std::map<const std::vector<ChunkShares>*, int> m_leastNumbers; ///< below 0
    // Of the strategy that is being priced; kept for their storage.
    PipelineWork m_work;
    std::vector<StageWork> m_ofKind;
    double m_stretch = 1;
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
const Topology& StrategyPricer::topology() const
{
    return m_pricing->topology();
}
Bytes StrategyPricer::capacity() const
{
    return m_pricing->capacity();
}
Bytes StrategyPricer::hostCapacity() const
{
    return m_pricing->hostCapacity();
}
void StrategyPricer::choose(const Strategy& strategy, const GroupSpans& groups)
{
    m_pricing->choose(strategy, groups);
}
Seconds StrategyPricer::step(PipelineTime time)
{
    return m_pricing->step(time);
}
StrategyPeak StrategyPricer::peak()
{
    return m_pricing->peak();
}
Seconds StrategyPricer::productSeconds()
{
    return m_pricing->productSeconds();
}
Seconds StrategyPricer::sequenceSeconds(int leastRanks, bool anyVocabulary)
{
    return m_pricing->sequenceSeconds(leastRanks, anyVocabulary);
}
SequenceBytes StrategyPricer::sequenceBytes()
{
    return m_pricing->sequenceBytes();
}
LayerStates StrategyPricer::layerStates()
{
    return m_pricing->layerStates();
}
std::vector<HeldLayers> StrategyPricer::heldLayers()
{
    return m_pricing->heldLayers();
}
std::vector<HeldLayers> StrategyPricer::heldLayers(std::span<const StageShare> stages)
{
    return m_pricing->heldLayers(stages);
}
PieceSeconds StrategyPricer::placedPieces()
{
    return m_pricing->placedPieces();
}
Bytes StrategyPricer::leastPeak(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
    std::span<const HeldLayers> stages, int sequences) const
{
    return m_pricing->leastPeak(ways, states, stages, sequences);
}
Seconds StrategyPricer::stepOfSequences(Seconds each) const
{
    return m_pricing->stepOfSequences(each);
}
PieceSeconds StrategyPricer::expertPieces(int leastRanks)
{
    return m_pricing->expertPieces(leastRanks);
}
PieceSeconds StrategyPricer::leastPieces(int leastRanks)
{
    return m_pricing->leastPieces(leastRanks);
}
Seconds StrategyPricer::stepOfStage(Seconds microBatch) const
{
    return m_pricing->stepOfStage(microBatch);
}
std::vector<StageShare> StrategyPricer::stageShares()
{
    return m_pricing->stageShares();
}
Seconds StrategyPricer::microBatchStep(bool paired)
{
    return m_pricing->microBatchStep(paired);
}
Seconds StrategyPricer::leastPipelineStep(const std::vector<ChunkShares>& stages)
{
    return m_pricing->leastPipelineStep(stages);
}
Seconds StrategyPricer::pipelineStepAs(Schedule schedule)
{
    return m_pricing->pipelineStepAs(schedule);
}
Seconds StrategyPricer::pipelineStep(PipelineTime time)
{
    return m_pricing->pipelineStep(time);
}

} // namespace stratoplan
