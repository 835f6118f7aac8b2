// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/pricing_context.h"

#include <bit>
#include <numeric>
#include <utility>

namespace stratoplan::pricing {
namespace {

// Entries that are kept before all are forgotten: some 10 MB of each kind.
constexpr std::size_t kMostWorks = 4096;
constexpr std::size_t kMostMicroBatches = 4096;
constexpr std::size_t kMostSplits = 2048;
constexpr std::size_t kMostStages = 8192;
constexpr std::size_t kMostHeld = 16384;
constexpr std::size_t kMostDivided = 4096;

/// What a price asks of a plan, without the drawing of its cluster.
plan::Plan withoutDrawing(const plan::Plan& plan)
{
    plan::Plan bare{{}, plan.model, {}, plan.training, {}};
    bare.cluster.nodes = plan.cluster.nodes;
    return bare;
}

model::LayerCounts withModules(const model::Transformer& model)
{
    model::LayerCounts counts = layerCounts(model);
    (model.moe ? counts.moe : counts.dense) += model.multiTokenPredictionDepth;
    return counts;
}

/// What the best partition of a strategy depends on that leaves it open.
BestPartitionKey bestKey(const SettledPlan& settled, const cluster::Topology& topology, double ofParameter)
{
    const parallel::Strategy& s = settled.plan.strategy;
    BestPartitionKey key;
    for (const int number : {s.tp, s.cp, int(s.contextMethod), s.pp, s.dp, s.ep, s.etp, s.vpp, s.microBatch,
             s.zeroStage, s.zeroShards, int(s.recompute), int(s.schedule), s.inFlightLimit, int(s.offload),
             vocabularyNumber(s), settled.split, settled.microBatches})
        key.add(number);
    for (const parallel::RankGroup group : {parallel::RankGroup::Tensor, parallel::RankGroup::Context})
        key.add(parallel::span(s, group, topology));
    for (const int half : std::bit_cast<std::array<int, 2>>(ofParameter))
        key.add(half);
    return key;
}

/// What the layers of a strategy that says how they are divided depend on.
std::string keyOfDivision(const SettledPlan& settled, const cluster::Topology& topology)
{
    const parallel::Strategy& s = settled.plan.strategy;
    std::string key;
    for (const int number : {s.tp, s.cp, int(s.contextMethod), int(s.pp > 1), s.ep, s.etp, s.microBatch,
             int(s.recompute), settled.microBatches})
        key += std::to_string(number) + ' ';
    for (const parallel::RankGroup group : {parallel::RankGroup::Tensor, parallel::RankGroup::Context}) {
        const cluster::Span span = parallel::span(s, group, topology);
        for (const int number : numbersOf(span))
            key += std::to_string(number) + ' ';
    }
    for (const parallel::OperatorPartition& op : s.operatorPartitions)
        key += op.op + ':' + op.sequence + char('0' + op.againFromBefore + 2 * op.againFromSkip);
    return key;
}

/// Of a layer with this block.
Seconds withExperts(Seconds block, const SettledPlan& settled, const cost::Machine& machine)
{
    return settled.plan.model.moe ? block + secondsOfExperts(settled.plan, machine) : block;
}

} // namespace

PricingContext::PricingContext(const plan::Plan& plan, const catalog::Catalog& catalog)
    : PricingContext(plan, std::make_unique<cost::Fleet>(plan, catalog))
{
    if (m_fleet->isUnlike())
        m_unlike = std::make_unique<UnlikePrices>(*this);
}

PricingContext::PricingContext(const plan::Plan& plan, const cost::StageMachine& machine)
    : PricingContext(plan, std::make_unique<cost::Fleet>(machine))
{
}

PricingContext::~PricingContext() = default;

PricingContext::PricingContext(const plan::Plan& plan, std::unique_ptr<cost::Fleet> fleet)
    : m_plan(withoutDrawing(plan))
    , m_fleet(std::move(fleet))
    , m_machine(m_fleet->whole().machine)
    , m_hostCapacity(m_fleet->mostHostCapacity())
    , m_leastTimes(m_machine.topology)
    , m_capacity(m_fleet->whole().memory)
    , m_layers(withModules(plan.model))
    , m_works(m_plan, m_machine)
    , m_programmes(m_machine)
{
}

PricingContext& PricingContext::onUsedNodes(const parallel::Strategy& strategy)
{
    return m_parts.find(*m_fleet, strategy, *this,
        [this](const cost::StageMachine& used) { return std::make_unique<PricingContext>(m_plan, used); });
}

PricedDivision PricingContext::division(const parallel::Strategy& strategy)
{
    forgetTooMany();
    return {*this, settle(strategy, [](parallel::Strategy&) {})};
}

const parallel::GroupSpans& PricingContext::groups(const parallel::Strategy& s)
{
    Key<16> key;
    for (const int number : {s.tp, s.cp, s.pp, s.dp, s.ep, s.etp, s.zeroShards})
        key.add(number);
    for (const parallel::Axis axis : s.rankOrder)
        key.add(int(axis));
    if (!(key == m_placed)) {
        m_groups = parallel::GroupSpans(s, topology());
        m_placed = key;
    }
    return m_groups;
}

Seconds PricingContext::productSeconds()
{
    const LoweredWork& work = m_works.computed({});
    // Padded for one rank, which may be more than for all stages together.
    const double vocabulary = double(m_plan.model.vocabulary) / workload::paddedVocabulary(m_plan.model.vocabulary, 1);
    return wholeModel(m_plan)
        * PieceSeconds{work.denseAtPeak, work.moeAtPeak, {}, work.headAtPeak * vocabulary, work.mergeAtPeak};
}

void PricingContext::derive(SettledPlan& settled)
{
    parallel::Strategy& s = settled.plan.strategy;
    settled.microBatches = microBatches(settled.plan);
    settled.split = m_splitNumbers.numberOf(s);
    settled.stretch = stretchOf(s);
    settled.divided.reset();
    settled.division = 0;
    settled.isPossible = true;
    if (dividesLayers(s))
        divide(settled);
    if (s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit == 0)
        s.inFlightLimit = m_peaks.openLimit(settled, m_works.lowered(WorkDegrees(settled).withEnds()), m_capacity);
}

void PricingContext::divide(SettledPlan& settled)
{
    parallel::Strategy& s = settled.plan.strategy;
    if (s.operatorPartitions.empty())
        s.operatorPartitions = bestPartition(settled, {})->partitions;
    const auto [known, isNew] = m_divided.try_emplace(keyOfDivision(settled, topology()));
    if (isNew)
        if (auto layers = dividedLayers(settled.plan, m_machine))
            known->second = {std::make_shared<const DividedLayers>(std::move(*layers)), ++m_lastDivision};
    settled.divided = known->second.layers;
    settled.division = known->second.number;
    settled.isPossible = settled.divided != nullptr;
    s.sequenceParallel = settled.isPossible && settled.divided->sharesStream();
}

const PricingContext::Best* PricingContext::bestPartition(
    const SettledPlan& open, const std::vector<partition::Corner>& within)
{
    const Seconds fastest = m_programmes.fastest(open);
    const cost::Deployment deployment(open.plan, m_machine, parallel::GroupSpans(open.plan.strategy, topology()));
    const double ofParameter = secondsOfParameter(deployment, fastest.value(), open.microBatches);
    const BestPartitionKey key = bestKey(open, topology(), ofParameter);
    if (const Best* const known = m_bestPartitions.find(key))
        return known;
    PlanProgramme& layer = m_programmes.programme(open);
    std::vector<parallel::OperatorPartition> cheapest = layer.inWords(layer.cheapest(ofParameter));
    if (fits(open, cheapest))
        return &m_bestPartitions.get(key, [&] { return Best{std::move(cheapest), true}; });
    const Terms terms = termsOf(memoryForms(open.plan), m_capacity.value(), ofParameter);
    std::vector<partition::Corner> corners = within;
    for (partition::Corner& corner : corners)
        corner.seconds += fastest.value();
    const partition::Division* const best = within.empty() ? &layer.best(terms) : layer.fitting(terms, corners);
    if (best == nullptr)
        return nullptr;
    return &m_bestPartitions.get(key, [&] { return Best{layer.inWords(*best), peak(terms, *best) <= terms.capacity}; });
}

bool PricingContext::fits(const SettledPlan& open, const std::vector<parallel::OperatorPartition>& partitions)
{
    parallel::Strategy s = open.plan.strategy;
    s.operatorPartitions = partitions;
    return PricedDivision(*this, settle(s, [](parallel::Strategy&) {})).peak().bytes <= m_capacity;
}

std::shared_ptr<SettledPlan> PricingContext::open(const parallel::Strategy& strategy)
{
    std::shared_ptr<SettledPlan> settled = m_settled.take([this] { return SettledPlan{m_plan}; });
    settled->plan.strategy = strategy;
    settled->microBatches = microBatches(settled->plan);
    settled->split = m_splitNumbers.numberOf(strategy);
    return settled;
}

PricedDivision PricingContext::lightest(const parallel::Strategy& s, Seconds layer)
{
    forgetTooMany();
    const std::shared_ptr<SettledPlan> settled = open(s);
    settled->stretch = stretchOf(s);
    Key<8> key;
    for (const int number : {s.tp, s.cp, s.ep, s.etp, s.microBatch, int(s.recompute)})
        key.add(number);
    for (const int half : std::bit_cast<std::array<int, 2>>(layer.value()))
        key.add(half);
    const Divided& known = m_lightest.get(key, [&] {
        return Divided{
            std::make_shared<const DividedLayers>(lightestLayers(settled->plan, m_machine, layer)), ++m_lastDivision};
    });
    settled->divided = known.layers;
    settled->division = known.number;
    settled->isPossible = true;
    return {*this, settled};
}

double PricingContext::stretchOf(const parallel::Strategy& strategy)
{
    Key<1> ranks;
    ranks.add(rankCount(strategy));
    return m_stretches.get(ranks, [&] {
        plan::Plan plan = m_plan;
        plan.strategy = strategy;
        return stretch(plan, m_machine);
    });
}

Seconds PricingContext::leastLayer(const parallel::Strategy& strategy)
{
    const std::shared_ptr<SettledPlan> settled = open(strategy);
    return withExperts(m_programmes.leastFastest(*settled), *settled, m_machine);
}

Seconds PricingContext::fastestLayer(const parallel::Strategy& strategy)
{
    const std::shared_ptr<SettledPlan> settled = open(strategy);
    return withExperts(m_programmes.fastest(*settled), *settled, m_machine);
}

const std::vector<parallel::OperatorPartition>* PricingContext::fittingPartition(
    const parallel::Strategy& strategy, const std::vector<partition::Corner>& within)
{
    forgetTooMany();
    const std::shared_ptr<SettledPlan> settled = open(strategy);
    const Best* const best = bestPartition(*settled, within);
    return best != nullptr && best->fits ? &best->partitions : nullptr;
}

/// What is held of one strategy refers to none of these.
void PricingContext::forgetTooMany()
{
    const bool works = m_works.size() > kMostWorks;
    if (works) {
        m_undivided.clear();
        m_products.clear();
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
    if (m_divided.size() > kMostDivided || m_bestPartitions.size() > kMostDivided) {
        m_divided.clear(); // no number is given twice
        m_bestPartitions.clear();
    }
    if (m_lightest.size() > kMostDivided)
        m_lightest.clear(); // the same
    m_programmes.forgetTooMany();
    m_splitNumbers.forgetTooMany();
}

PricingContext::MicroBatch& PricingContext::microBatch(const cost::Deployment& deployment, const SettledPlan& settled)
{
    const parallel::Strategy& s = deployment.plan.strategy;
    MicroBatchKey key;
    const WorkDegrees degrees(settled);
    key.add(workKey(degrees));
    key.add(int(s.recompute) + int(parallel::kRecomputeKinds) * int(mixesRecompute(s)));
    key.add(
        2 * int(s.offload) + int(pipeline::splitsBackward(s.schedule) && s.offload == parallel::Offload::Activations));
    for (const parallel::RankGroup group :
        {parallel::RankGroup::Tensor, parallel::RankGroup::Context, parallel::RankGroup::Expert})
        key.add(deployment.groups[group]);
    if (vocabularyStages(s) > 1)
        key.add(deployment.groups[parallel::RankGroup::Pipeline]);
    return m_microBatches.get(key, [&] {
        const LoweredWork& work = m_works.computed(degrees);
        return MicroBatch{&work, microBatchCost(deployment, work.work, work.compute), {}};
    });
}

PricingContext::Stages PricingContext::stages(
    const cost::Deployment& deployment, const SettledPlan& settled, const std::vector<ChunkShares>* least)
{
    const parallel::Strategy& s = deployment.plan.strategy;
    SplitKey splitKey;
    for (const int number :
        {s.pp, s.vpp, int(shape(s.schedule)), least != nullptr ? m_splitNumbers.numberOf(*least) : settled.split,
            vocabularyNumber(s), int(s.timingPass)})
        splitKey.add(number);
    splitKey.add(deployment.groups[parallel::RankGroup::Pipeline]);
    StagesKey stagesKey;
    stagesKey.add(splitKey);
    if (effectiveZeroStage(deployment.plan) == 3) // moves parameters within every pass
        for (const parallel::RankGroup group : {parallel::RankGroup::Shards, parallel::RankGroup::ShardCopies,
                 parallel::RankGroup::ExpertShards, parallel::RankGroup::ExpertShardCopies})
            stagesKey.add(deployment.groups[group]);
    const StageKinds& kinds = m_splits.get(splitKey,
        [&] { return least != nullptr ? stageKinds(*least, deployment) : stageKinds(deployment.plan, &deployment); });
    MicroBatch& micro = microBatch(deployment, settled);
    const PricedKinds& priced = micro.stages.get(stagesKey, [&] {
        m_stagesKept += kinds.kinds.size();
        return priceKinds(deployment.plan, deployment, micro.lowered->work, micro.cost, kinds);
    });
    return {micro.cost, kinds, priced};
}

const PricingContext::Undivided& PricingContext::undivided(const PricedDivision& division, int leastRanks)
{
    const WorkDegrees degrees = WorkDegrees(division.strategy()).undivided();
    UndividedKey key;
    key.add(workKey(degrees));
    key.add(leastRanks);
    return m_undivided.get(key, [&] {
        const PricedDivision whole = division.undivided();
        const LoweredWork& lowered = m_works.computed(degrees);
        Undivided result{&lowered, lowered.work.moe,
            pieces(microBatchCost(whole.anywhere(leastRanks), lowered.work, lowered.compute))};
        for (workload::Pass* pass : {&result.moe.forward, &result.moe.backward})
            pass->collectives.push_back({"exchange with the experts", workload::CollectiveKind::AllToAll,
                parallel::Axis::Ep, {}, 2 * moduleShares(m_plan.model).ffn});
        return result;
    });
}

const ExpertSeconds& PricingContext::products(const LoweredWork& work, const parallel::Strategy& s)
{
    const int common = std::gcd(s.microBatch, s.cp);
    Key<5> key;
    for (const int number : {s.tp, s.microBatch / common, s.cp / common, s.ep, s.etp})
        key.add(number);
    return m_products.get(key, [&] { return expertSeconds(work, s.ep, s.etp, m_machine, m_plan.training.software); });
}

} // namespace stratoplan::pricing
