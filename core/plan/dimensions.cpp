// SPDX-License-Identifier: Apache-2.0
#include "core/plan/dimensions.h"
#include "core/parallel/route.h"
#include "core/plan/dimension_values.h"

#include <algorithm>
#include <array>
#include <set>

namespace stratoplan::plan {
namespace {

// What follows from a new value

void fillCluster(parallel::Strategy& s, const Plan& before)
{
    const long long perReplica = static_cast<long long>(s.tp) * s.cp * s.pp;
    if (perReplica > 0)
        s.dp = static_cast<int>(std::max<long long>(1, acceleratorCount(before.cluster) / perReplica));
}

void followTp(parallel::Strategy& s, const Plan& before)
{
    s.stageTp.clear();
    s.operatorPartitions.clear();
    fillCluster(s, before);
}

void followPp(parallel::Strategy& s, const Plan& before)
{
    if (s.pp != before.strategy.pp)
        makeStagesAlike(s);
    fillCluster(s, before);
}

void followVpp(parallel::Strategy& s, const Plan& /*before*/)
{
    if (s.vpp > 1 && s.schedule == parallel::Schedule::OneFOneB)
        s.schedule = parallel::Schedule::Interleaved;
    else if (s.vpp == 1 && s.schedule == parallel::Schedule::Interleaved)
        s.schedule = parallel::Schedule::OneFOneB;
}

void followZeroStage(parallel::Strategy& s, const Plan& /*before*/)
{
    s.zeroStage = std::clamp(s.zeroStage, 0, 3);
}

void followRecompute(parallel::Strategy& s, const Plan& /*before*/)
{
    recomputeAll(s, s.recompute);
}

/// Chosen by hand, it is the best one.
void followTensorPartition(parallel::Strategy& s, const Plan& /*before*/)
{
    s.operatorPartitions.clear();
}

/// Interleaving without virtual stages takes the fewest that divide the layers; the others keep them or settle the
/// chunks of a stage themselves.
void followSchedule(parallel::Strategy& s, const Plan& before)
{
    if (s.schedule != parallel::Schedule::Interleaved) {
        if (effectiveChunks(s.schedule, 1) == effectiveChunks(s.schedule, 2)) // it settles them itself
            s.vpp = 1;
    } else if (s.vpp <= 1) {
        const std::vector<int> chunks = offeredValues(before, Dimension::Vpp);
        const auto first = std::upper_bound(chunks.begin(), chunks.end(), 1);
        s.vpp = first == chunks.end() ? 1 : *first;
    }
}

// Where a value matters

/// Of some layer.
int mostReplicas(const parallel::Strategy& s, const model::Transformer& model)
{
    const int replicas = s.dp * s.cp;
    return layerCounts(model).moe > 0 ? std::max(replicas, s.tp / s.etp * replicas / s.ep) : replicas;
}

bool hasTensorRanks(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.tp > 1;
}
/// Spatial-temporal partitions divide sequences themselves.
bool choosesSequences(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.tp > 1 && s.tensorPartition == parallel::TensorPartition::Megatron;
}
bool dividesOperators(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.tp > 1 && s.tensorPartition == parallel::TensorPartition::SpatialTemporal;
}
bool hasContextRanks(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.cp > 1;
}
bool hasStages(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.pp > 1;
}
bool hasReplicas(const parallel::Strategy& s, const model::Transformer& model)
{
    return mostReplicas(s, model) > 1;
}
bool sharesStates(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.zeroStage > 0;
}
bool isMadeUnderLimit(const parallel::Strategy& s, const model::Transformer& /*model*/)
{
    return s.schedule == parallel::Schedule::ZbAuto;
}

// What a value needs to be legal

void byItself(parallel::Strategy& /*strategy*/) { }
void withExpertRanks(parallel::Strategy& s)
{
    s.dp = s.ep;
}
void withTensorRanks(parallel::Strategy& s)
{
    s.tp = s.etp;
}
void withTwoStages(parallel::Strategy& s)
{
    s.pp = 2;
}
void withChunks(parallel::Strategy& s)
{
    s.pp = 2;
    s.schedule = s.vpp > 1 ? parallel::Schedule::Interleaved : s.schedule;
}

using Degree = Place<int, IntChoice>;
using Row = DimensionRow;

constexpr std::array kRows{
    Row{.id = Dimension::Tp,
        .key = "tp",
        .place = Degree{&parallel::Strategy::tp, &SearchSpace::tp},
        .noun = "tensor parallelism",
        .phrase = "TP {}",
        .support = byItself,
        .values = tensorValues,
        .follow = followTp},
    Row{.id = Dimension::Cp,
        .key = "cp",
        .place = Degree{&parallel::Strategy::cp, &SearchSpace::cp},
        .noun = "context parallelism",
        .phrase = "CP {}",
        .support = byItself,
        .values = contextValues,
        .follow = fillCluster},
    Row{.id = Dimension::Pp,
        .key = "pp",
        .place = Degree{&parallel::Strategy::pp, &SearchSpace::pp},
        .noun = "pipeline parallelism",
        .phrase = "PP {}",
        .support = byItself,
        .values = pipelineValues,
        .follow = followPp},
    Row{.id = Dimension::Dp,
        .key = "dp",
        .place = Degree{&parallel::Strategy::dp, &SearchSpace::dp},
        .noun = "data parallelism",
        .phrase = "DP {}",
        .support = byItself,
        .values = dataValues},
    Row{.id = Dimension::Ep,
        .key = "ep",
        .place = Degree{&parallel::Strategy::ep, &SearchSpace::ep},
        .noun = "expert parallelism",
        .phrase = "EP {}",
        .support = withExpertRanks,
        .values = expertValues},
    Row{.id = Dimension::Etp,
        .key = "etp",
        .place = Degree{&parallel::Strategy::etp, &SearchSpace::etp},
        .noun = "tensor parallelism of the experts",
        .phrase = "TP of the experts {}",
        .support = withTensorRanks,
        .values = expertTensorValues},
    Row{.id = Dimension::Vpp,
        .key = "vpp",
        .place = Degree{&parallel::Strategy::vpp, &SearchSpace::vpp},
        .noun = "virtual stages",
        .phrase = "virtual stages {}",
        .matters = hasStages,
        .support = withChunks,
        .values = virtualValues,
        .follow = followVpp},
    Row{.id = Dimension::MicroBatch,
        .key = "micro_batch",
        .place = Degree{&parallel::Strategy::microBatch, &SearchSpace::microBatch},
        .noun = "micro-batch",
        .phrase = "micro-batch {}",
        .support = byItself,
        .values = microBatchValues},
    Row{.id = Dimension::ZeroStage,
        .key = "zero_stage",
        .place = Place<int>{&parallel::Strategy::zeroStage, &SearchSpace::zeroStages},
        .noun = "ZeRO stage",
        .phrase = "ZeRO-{}",
        .matters = hasReplicas,
        .values = zeroStages,
        .follow = followZeroStage},
    Row{.id = Dimension::ZeroShards,
        .key = "zero_shards",
        .place = Place<int>{&parallel::Strategy::zeroShards, &SearchSpace::zeroShards},
        .noun = "replicas that share states",
        .isSparse = true,
        .matters = sharesStates},
    Row{.id = Dimension::SequenceParallel,
        .key = "sequence_parallel",
        .place = Place<bool>{&parallel::Strategy::sequenceParallel, &SearchSpace::sequenceParallel},
        .noun = "sequence parallelism",
        .phrase = "sequence parallelism",
        .matters = choosesSequences},
    Row{.id = Dimension::Recompute,
        .key = "recompute",
        .place = Place<parallel::Recompute>{&parallel::Strategy::recompute, &SearchSpace::recomputes},
        .noun = "recomputation",
        .phrase = "recomputation {}",
        .follow = followRecompute},
    Row{.id = Dimension::RecomputedLayers,
        .key = "recomputed_layers",
        .place =
            Place<std::vector<int>, IntChoice>{&parallel::Strategy::recomputedLayers, &SearchSpace::recomputedLayers},
        .noun = "recomputed layers of a stage",
        .otherwise = "all or none",
        .isSparse = true},
    Row{.id = Dimension::Schedule,
        .key = "schedule",
        .place = Place<parallel::Schedule>{&parallel::Strategy::schedule, &SearchSpace::schedules},
        .noun = "schedule",
        .phrase = "schedule {}",
        .matters = hasStages,
        .follow = followSchedule},
    Row{.id = Dimension::ContextMethod,
        .key = "context_method",
        .place = Place<parallel::ContextMethod>{&parallel::Strategy::contextMethod, &SearchSpace::contextMethods},
        .noun = "method of context parallelism",
        .phrase = "context parallelism by {}",
        .whereOpen = WhereOpen::Plans,
        .otherwise = "left as the plan has it",
        .isSparse = true,
        .matters = hasContextRanks,
        .support = byItself},
    Row{.id = Dimension::OrderOfRanks,
        .key = "rank_order",
        .place = Place<std::vector<parallel::Axis>>{&parallel::Strategy::rankOrder, &SearchSpace::rankOrders},
        .noun = "rank order",
        .canEmpty = false},
    Row{.id = Dimension::VocabularyPlacement,
        .key = "vocabulary_placement",
        .place = Place<parallel::VocabularyPlacement>{&parallel::Strategy::vocabularyPlacement,
            &SearchSpace::vocabularyPlacements},
        .noun = "vocabulary placement",
        .phrase = "vocabulary placement {}",
        .brief = "vocabulary {}",
        .whereOpen = WhereOpen::Usual,
        .otherwise = "at the ends of the pipeline",
        .isSparse = true,
        .matters = hasStages,
        .support = withTwoStages},
    Row{.id = Dimension::Offload,
        .key = "offload",
        .place = Place<parallel::Offload>{&parallel::Strategy::offload, &SearchSpace::offloads},
        .noun = "offload",
        .phrase = "offload {}",
        .brief = "offload {}",
        .whereOpen = WhereOpen::Usual,
        .otherwise = "none",
        .support = byItself},
    Row{.id = Dimension::TimingPass,
        .key = "timing_pass",
        .place = Place<bool>{&parallel::Strategy::timingPass, &SearchSpace::timingPasses},
        .noun = "timing pass",
        .phrase = "the timing pass",
        .brief = "timing pass",
        .whereOpen = WhereOpen::Usual,
        .otherwise = "off",
        .canEmpty = false,
        .matters = hasStages},
    Row{.id = Dimension::InFlightLimit,
        .key = "in_flight_limit",
        .place = Place<int>{&parallel::Strategy::inFlightLimit},
        .isSparse = true,
        .matters = isMadeUnderLimit},
    Row{.id = Dimension::TensorPartition,
        .key = "tensor_partition",
        .place = Place<parallel::TensorPartition>{&parallel::Strategy::tensorPartition, &SearchSpace::tensorPartitions},
        .noun = "tensor partition",
        .phrase = "the {} partition",
        .brief = "{} partition",
        .otherwise = "Megatron's",
        .matters = hasTensorRanks,
        .follow = followTensorPartition},
    Row{.id = Dimension::OperatorPartitions,
        .key = "operator_partitions",
        .place = Place<std::vector<parallel::OperatorPartition>>{&parallel::Strategy::operatorPartitions},
        .isSparse = true,
        .matters = dividesOperators},
    Row{.id = Dimension::StageLayers,
        .key = "stage_layers",
        .place = Place<std::vector<int>, IntChoice>{&parallel::Strategy::stageLayers}},
    Row{.id = Dimension::StageRecompute,
        .key = "stage_recompute",
        .place = Place<std::vector<parallel::Recompute>>{&parallel::Strategy::stageRecompute},
        .isSparse = true},
    Row{.id = Dimension::StageTp,
        .key = "stage_tp",
        .place = Place<std::vector<int>, IntChoice>{&parallel::Strategy::stageTp},
        .isSparse = true},
    Row{.id = Dimension::ReplicaMicroBatches,
        .key = "replica_micro_batches",
        .place = Place<std::vector<int>, IntChoice>{&parallel::Strategy::replicaMicroBatches},
        .isSparse = true},
    Row{.id = Dimension::Precision,
        .key = "precision",
        .place = Place<model::Precision>{nullptr, &SearchSpace::precisions},
        .noun = "training precision",
        .whereOpen = WhereOpen::Plans,
        .otherwise = "left as the plan has it",
        .canEmpty = false},
    Row{.id = Dimension::EndLayers, .key = "end_layers", .place = Place<int>{}, .canEmpty = false},
};

constexpr auto kPlaceOf = [] {
    std::array<std::size_t, kDimensions> places{};
    places.fill(kRows.size());
    for (std::size_t i = 0; i < kRows.size(); ++i)
        places[std::size_t(kRows[i].id)] = i;
    return places;
}();
static_assert(kRows.size() == kDimensions && std::ranges::find(kPlaceOf, kRows.size()) == kPlaceOf.end()); // one each

constexpr std::array kOrderOfFiles{Dimension::Tp, Dimension::Pp, Dimension::Dp, Dimension::Cp, Dimension::Ep,
    Dimension::Etp, Dimension::Vpp, Dimension::MicroBatch, Dimension::ZeroStage, Dimension::SequenceParallel,
    Dimension::Recompute, Dimension::Schedule, Dimension::TimingPass, Dimension::TensorPartition, Dimension::Offload,
    Dimension::StageLayers, Dimension::OrderOfRanks, Dimension::StageRecompute, Dimension::RecomputedLayers,
    Dimension::StageTp, Dimension::ContextMethod, Dimension::VocabularyPlacement, Dimension::InFlightLimit,
    Dimension::ZeroShards, Dimension::OperatorPartitions, Dimension::ReplicaMicroBatches};
static_assert(kOrderOfFiles.size() + 2 == kRows.size()); // precision and the layers of the ends are no members

} // namespace

std::span<const DimensionRow> dimensions()
{
    return kRows;
}

const DimensionRow& dimension(Dimension id)
{
    return kRows[kPlaceOf[std::size_t(id)]];
}

std::span<const Dimension> dimensionsOfFiles()
{
    return kOrderOfFiles;
}

std::string_view key(Dimension id)
{
    return dimension(id).key;
}

std::optional<Dimension> lockableFromKey(std::string_view key)
{
    for (const DimensionRow& row : kRows)
        if (row.key == key && int(row.id) < kLockableDimensions)
            return row.id;
    return std::nullopt;
}

namespace {

bool areAllEqual(const std::vector<int>& numbers)
{
    return std::ranges::adjacent_find(numbers, std::not_equal_to()) == numbers.end();
}

} // namespace

parallel::Strategy canonical(parallel::Strategy s, const model::Transformer& model)
{
    for (const DimensionRow& row : kRows)
        if (!matters(row, s, model))
            makeUsual(row, s);
    parallel::Strategy even = s;
    even.stageLayers.clear();
    if (s.stageLayers == stageLayers(even, model.layers))
        s.stageLayers.clear();
    if (areAllEqual(s.replicaMicroBatches))
        s.replicaMicroBatches.clear();
    if (s.recompute == parallel::Recompute::Full && s.recomputedLayers == stageLayers(s, model.layers))
        s.recomputedLayers.clear();
    if (s.vpp == 1 && s.schedule == parallel::Schedule::Interleaved)
        s.schedule = parallel::Schedule::OneFOneB;
    if (s.vpp == 1 && s.schedule == parallel::Schedule::BreadthFirst)
        s.schedule = parallel::Schedule::GPipe;
    if (s.zeroShards == mostReplicas(s, model))
        s.zeroShards = 0;
    return s;
}

std::vector<int> offeredValues(const Plan& plan, Dimension id)
{
    const DimensionRow& row = dimension(id);
    const std::vector<int> worth = row.values ? row.values(plan) : choicesOf(row);
    std::set<int> values(worth.begin(), worth.end());
    values.insert(number(id, plan.strategy));
    return {values.begin(), values.end()};
}

parallel::Strategy withValue(const Plan& plan, Dimension id, int value)
{
    parallel::Strategy s = plan.strategy;
    setNumber(id, s, value);
    if (const auto follow = dimension(id).follow)
        follow(s, plan);
    if (std::ranges::find(kDraggedDimensions, id) != kDraggedDimensions.end() || id == Dimension::Schedule)
        s.replicaMicroBatches.clear(); // they were for other replicas
    return s;
}

} // namespace stratoplan::plan
