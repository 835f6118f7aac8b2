// SPDX-License-Identifier: Apache-2.0
#include "core/plan/problem.h"

#include "core/units/named.h"

namespace stratoplan::plan {

namespace {

constexpr NameTable<ProblemCode, 54> kCodes{{
    {ProblemCode::NotPositive, "not_positive"},
    {ProblemCode::RanksExceedCluster, "ranks_exceed_cluster"},
    {ProblemCode::RanksLeaveIdle, "ranks_leave_idle"},
    {ProblemCode::HeadsNotDivisible, "heads_not_divisible"},
    {ProblemCode::KvHeadsNotDivisible, "kv_heads_not_divisible"},
    {ProblemCode::FfnNotDivisible, "ffn_not_divisible"},
    {ProblemCode::LayersNotDivisible, "layers_not_divisible"},
    {ProblemCode::TooManyStages, "too_many_stages"},
    {ProblemCode::BatchNotDivisible, "batch_not_divisible"},
    {ProblemCode::SequenceNotDivisible, "sequence_not_divisible"},
    {ProblemCode::ExpertsNotDivisible, "experts_not_divisible"},
    {ProblemCode::ExpertGroupNotDivisible, "expert_group_not_divisible"},
    {ProblemCode::ExpertParallelWithoutExperts, "expert_parallel_without_experts"},
    {ProblemCode::InterleavingNeedsMultiple, "interleaving_needs_multiple"},
    {ProblemCode::InterleavingNeedsPipeline, "interleaving_needs_pipeline"},
    {ProblemCode::SequenceParallelNeedsTp, "sequence_parallel_needs_tp"},
    {ProblemCode::TensorParallelLeavesNode, "tensor_parallel_leaves_node"},
    {ProblemCode::PrecisionUnsupported, "precision_unsupported"},
    {ProblemCode::SoftwareUnsupported, "software_unsupported"},
    {ProblemCode::StageLayersMismatch, "stage_layers_mismatch"},
    {ProblemCode::OutOfMemory, "out_of_memory"},
    {ProblemCode::OutOfHostMemory, "out_of_host_memory"},
    {ProblemCode::MemoryPressure, "memory_pressure"},
    {ProblemCode::ZeroWithPipeline, "zero_with_pipeline"},
    {ProblemCode::PipelineTooLong, "pipeline_too_long"},
    {ProblemCode::NotEstimable, "not_estimable"},
    {ProblemCode::EmptyCluster, "empty_cluster"},
    {ProblemCode::Disconnected, "disconnected"},
    {ProblemCode::OutOfRange, "out_of_range"},
    {ProblemCode::RankOrderIncomplete, "rank_order_incomplete"},
    {ProblemCode::DuplicateElement, "duplicate_element"},
    {ProblemCode::UnknownElement, "unknown_element"},
    {ProblemCode::PortsExceeded, "ports_exceeded"},
    {ProblemCode::BlocksNotDivisible, "blocks_not_divisible"},
    {ProblemCode::TorusMismatch, "torus_mismatch"},
    {ProblemCode::SequenceTooLong, "sequence_too_long"},
    {ProblemCode::ShardsNotDivisible, "shards_not_divisible"},
    {ProblemCode::RecomputeSavesNothing, "recompute_saves_nothing"},
    {ProblemCode::ScheduleWithoutChunks, "schedule_without_chunks"},
    {ProblemCode::ScheduleNeedsMicroBatches, "schedule_needs_micro_batches"},
    {ProblemCode::ScheduleNeedsEven, "schedule_needs_even"},
    {ProblemCode::StageListMismatch, "stage_list_mismatch"},
    {ProblemCode::RecomputedLayersMismatch, "recomputed_layers_mismatch"},
    {ProblemCode::UnlikeStagesUnsupported, "unlike_stages_unsupported"},
    {ProblemCode::VocabularyNotScheduled, "vocabulary_not_scheduled"},
    {ProblemCode::MambaNotDivisible, "mamba_not_divisible"},
    {ProblemCode::SparseAttentionUnsupported, "sparse_attention_unsupported"},
    {ProblemCode::NarrowAttention, "narrow_attention"},
    {ProblemCode::StandIn, "stand_in"},
    {ProblemCode::MeanLayers, "mean_layers"},
    {ProblemCode::ReplicaBatchesMismatch, "replica_batches_mismatch"},
    {ProblemCode::UnevenReplicasUnsupported, "uneven_replicas_unsupported"},
    {ProblemCode::ImpossibleLink, "impossible_link"},
    {ProblemCode::UnlikeNodes, "unlike_nodes"},
}};

} // namespace

std::string_view key(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return "error";
    case Severity::Warning:
        return "warning";
    case Severity::Note:
        return "note";
    }
    return {};
}

std::string_view key(ProblemCode code)
{
    return nameIn(kCodes, code);
}

Plan mended(Plan plan, const Remedy& remedy)
{
    plan.strategy = remedy.strategy;
    if (remedy.software)
        plan.training.software = *remedy.software;
    if (remedy.cluster)
        plan.cluster = *remedy.cluster;
    if (remedy.globalBatch)
        plan.training.globalBatch = *remedy.globalBatch;
    return plan;
}

} // namespace stratoplan::plan
