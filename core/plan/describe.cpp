// SPDX-License-Identifier: Apache-2.0
#include "core/plan/problem.h"
#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stratoplan {

namespace {

constexpr std::array<std::pair<ProblemCode, std::string_view>, 42> kCodes{{
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
}};

/// A whole number with thousands separators; three figures otherwise.
std::string whole(double value)
{
    if (!std::isfinite(value) || value != std::trunc(value) || std::abs(value) > 1e15)
        return formatNumber(value);
    return (value < 0 ? "−" : "") + groupedDigits(static_cast<long long>(std::abs(value)));
}

std::string counted(double value, const std::string& noun)
{
    const char* plural = noun.ends_with("ch") ? "es" : "s";
    return whole(value) + " " + noun + (value == 1 ? "" : plural);
}

std::string orList(const std::vector<long long>& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0)
            text += i + 1 == values.size() ? " or " : ", ";
        text += whole(static_cast<double>(values[i]));
    }
    return text;
}

/// Divisors of `number` around `near`: up to four at or below, two above.
std::string divisorsNear(double number, double near)
{
    const auto n = static_cast<long long>(number);
    std::vector<long long> divisors;
    for (long long d = 1; d * d <= n; ++d) {
        if (n % d != 0)
            continue;
        divisors.push_back(d);
        if (d != n / d)
            divisors.push_back(n / d);
    }
    std::sort(divisors.begin(), divisors.end());
    const auto above = std::upper_bound(divisors.begin(), divisors.end(), static_cast<long long>(near));
    const auto first = above - std::min<std::ptrdiff_t>(4, above - divisors.begin());
    const auto last = above + std::min<std::ptrdiff_t>(2, divisors.end() - above);
    return orList({first, last});
}

/// The multiples of `factor` right below and above `number`.
std::string multiplesNear(double number, double factor)
{
    const double below = std::floor(number / factor) * factor;
    return (below > 0 ? whole(below) + " or " : "") + whole(below + factor);
}

std::string sizes(const Problem& p)
{
    switch (p.code) {
    case ProblemCode::NotPositive:
        return p.where + " is " + whole(p.found) + ": it must be greater than zero.";
    case ProblemCode::OutOfRange:
        return p.where + " is " + whole(p.found) + ": use at most " + whole(p.limit) + ", and no less than zero.";
    case ProblemCode::RankOrderIncomplete:
        return "The rank order names " + whole(p.found) + " different axes: name each of tp, cp, ep, dp and pp once.";
    case ProblemCode::RanksExceedCluster:
        return "TP x CP x PP x DP asks for " + counted(p.found, "accelerator") + ", but the cluster has "
            + whole(p.limit) + ".";
    case ProblemCode::RanksLeaveIdle:
        return "TP x CP x PP x DP uses " + whole(p.found) + " of " + counted(p.limit, "accelerator") + ": "
            + whole(p.limit - p.found) + (p.limit - p.found == 1 ? " is idle." : " are idle.");
    case ProblemCode::EmptyCluster:
        return "The cluster has no accelerators: add at least one node.";
    case ProblemCode::Disconnected:
        return "“" + p.detail + "” is not linked to the rest of the cluster; it is priced as if it were.";
    case ProblemCode::DuplicateElement:
        return "Two elements of the cluster are called “" + p.detail + "”: give each an id of its own.";
    case ProblemCode::UnknownElement:
        return "A connection ends at “" + p.detail
            + "”, which is no element of the cluster: name a node or switch group.";
    case ProblemCode::PortsExceeded:
        return counted(p.found, "cable") + " end at the " + counted(p.limit, "port") + " of “" + p.detail
            + "”: use more switches or fewer cables.";
    case ProblemCode::SequenceTooLong:
        return "A sequence of " + counted(p.found, "token") + " is longer than the model's " + whole(p.limit)
            + " learned positions.";
    case ProblemCode::RecomputeSavesNothing:
        return "Selective recomputation repeats the attention core, of which flash attention keeps nothing: it costs "
               "time and saves no memory.";
    default:
        return {};
    }
}

std::string tensorParallel(const Problem& p)
{
    const std::string degree = "TP " + whole(p.limit);
    switch (p.code) {
    case ProblemCode::HeadsNotDivisible:
        return counted(p.found, "head") + " cannot be divided over " + degree + ": use "
            + divisorsNear(p.found, p.limit) + ".";
    case ProblemCode::KvHeadsNotDivisible:
        return counted(p.found, "KV head") + " can neither be divided nor repeated over " + degree + ": use "
            + divisorsNear(p.found, p.limit) + ", or a multiple of " + whole(p.found) + ".";
    case ProblemCode::FfnNotDivisible:
        return "An FFN width of " + whole(p.found) + " cannot be divided over "
            + (p.where == "/strategy/etp" ? "expert " : "") + degree + ": use " + divisorsNear(p.found, p.limit) + ".";
    case ProblemCode::TensorParallelLeavesNode:
        return "TP " + whole(p.found) + " leaves the scale-up domain of " + counted(p.limit, "accelerator")
            + ": its collectives run over the network.";
    case ProblemCode::SequenceParallelNeedsTp:
        return "Sequence parallelism has no effect with TP 1.";
    case ProblemCode::SequenceNotDivisible:
        return "A sequence of " + counted(p.found, "token") + " cannot be cut into " + whole(p.limit)
            + " equal parts, as " + (p.where == "/strategy/cp" ? "context" : "sequence") + " parallelism needs.";
    default:
        return {};
    }
}

std::string pipeline(const Problem& p)
{
    switch (p.code) {
    case ProblemCode::LayersNotDivisible:
        return counted(p.found, "layer") + " cannot be divided evenly over " + counted(p.limit, "pipeline chunk")
            + ": the fullest stage sets the pace.";
    case ProblemCode::TooManyStages:
        return counted(p.found, "pipeline chunk") + " (PP x virtual stages) for at most " + whole(p.limit)
            + ": use fewer.";
    case ProblemCode::InterleavingNeedsMultiple:
        return counted(p.found, "micro-batch") + " cannot be interleaved over PP " + whole(p.limit)
            + ": their number must be a multiple of " + whole(p.limit) + ".";
    case ProblemCode::InterleavingNeedsPipeline:
        return counted(p.found, "virtual stage") + " need a pipeline: use PP 2 or more, or one virtual stage.";
    case ProblemCode::ScheduleWithoutChunks:
        return p.limit > 1 ? "The schedule " + p.detail + " cuts each stage into " + whole(p.limit)
                + " chunks itself, not " + whole(p.found) + ": use one virtual stage."
                           : "The schedule " + p.detail + " runs one chunk per stage, not " + whole(p.found)
                + ": use the interleaved schedule.";
    case ProblemCode::ScheduleNeedsMicroBatches:
        return "The schedule " + p.detail + " needs at least " + counted(p.limit, "micro-batch")
            + ", twice as many as stages, not " + whole(p.found) + ".";
    case ProblemCode::ScheduleNeedsEven:
        return "The schedule " + p.detail
            + " runs half of its micro-batches each way and needs an even number of them and of stages: "
            + whole(p.found) + " is odd.";
    case ProblemCode::VocabularyNotScheduled: {
        const std::size_t slash = std::min(p.detail.find(" / "), p.detail.size());
        return "The schedule " + p.detail.substr(std::min(slash + 3, p.detail.size()))
            + " cannot run the passes of a vocabulary divided over all stages (" + p.detail.substr(0, slash)
            + "): use 1F1B, or leave the vocabulary at the ends.";
    }
    case ProblemCode::StageLayersMismatch:
        return p.detail == "stages"
            ? "The split of layers is for " + counted(p.found, "stage") + ", but PP is " + whole(p.limit) + "."
            : "The split of layers adds up to " + whole(p.found) + ", but the model has " + whole(p.limit) + ".";
    case ProblemCode::ZeroWithPipeline:
        return "ZeRO-" + whole(p.found)
            + " with a pipeline communicates once per micro-batch: ZeRO-1 does so once per step.";
    default:
        return {};
    }
}

std::string stages(const Problem& p)
{
    const std::string stage = "Stage " + std::to_string(p.stage);
    switch (p.code) {
    case ProblemCode::StageListMismatch:
        return p.where + " is for " + counted(p.found, "stage") + ", but PP is " + whole(p.limit)
            + ": give one value per stage, or none.";
    case ProblemCode::RecomputedLayersMismatch:
        if (p.detail == "none")
            return stage + " has no recomputation, but " + counted(p.found, "layer")
                + " to recompute in full: choose full or selective recomputation.";
        return stage + " recomputes " + counted(p.found, "layer") + " in full, but has " + whole(p.limit)
            + ": use 0 to " + whole(p.limit) + ".";
    case ProblemCode::UnlikeStagesUnsupported:
        break;
    default:
        return {};
    }
    if (p.detail == "devices")
        return stage + " has " + counted(p.found, "accelerator") + " (TP x DP), which TP " + whole(p.limit)
            + " does not divide: use " + divisorsNear(p.found, p.limit) + ".";
    if (p.detail == "micro_batch")
        return stage + " with TP " + whole(p.limit) + " would work on a part of a sequence: its micro-batch, "
            + formatNumber(p.found) + ", must be whole. Raise the micro-batch, or its TP.";
    if (p.detail == "rank_order")
        return "Stages with a TP of their own keep consecutive ranks: PP must stand last in the rank order.";
    if (p.detail == "schedule")
        return "Stages cannot have a TP of their own in a two-way schedule: a stage and its mirror image hold the same "
               "layers.";
    if (p.detail == "vocabulary")
        return "Stages cannot have a TP of their own where all share the vocabulary: leave it at the ends.";
    return "The first stage has TP " + whole(p.found) + ", the last one TP " + whole(p.limit)
        + ": both hold the tied embedding, and need the same.";
}

std::string batchAndExperts(const Problem& p)
{
    switch (p.code) {
    case ProblemCode::BatchNotDivisible:
        return "A global batch of " + counted(p.found, "sequence")
            + " cannot be divided over DP x micro-batch = " + whole(p.limit) + ": use a batch of "
            + multiplesNear(p.found, p.limit) + ", or a DP x micro-batch that divides it.";
    case ProblemCode::ExpertsNotDivisible:
        return counted(p.found, "expert") + " cannot be divided over EP " + whole(p.limit) + ": use "
            + divisorsNear(p.found, p.limit) + ".";
    case ProblemCode::ExpertGroupNotDivisible:
        if (p.where == "/strategy/etp")
            return "Expert TP " + whole(p.limit) + " does not divide TP " + whole(p.found) + ": use "
                + divisorsNear(p.found, p.limit) + ".";
        return "EP " + whole(p.limit) + " does not divide DP x CP x TP / expert TP = " + whole(p.found) + ": use "
            + divisorsNear(p.found, p.limit) + ".";
    case ProblemCode::ShardsNotDivisible:
        return whole(p.found) + " replicas cannot be divided into ZeRO groups of " + whole(p.limit) + ": use "
            + divisorsNear(p.found, p.limit) + ".";
    case ProblemCode::ExpertParallelWithoutExperts:
        return "EP " + whole(p.found) + " needs a mixture-of-experts model: use EP 1.";
    default:
        return {};
    }
}

std::string accelerator(const Problem& p)
{
    const std::string stage = p.stage >= 0 ? "Stage " + std::to_string(p.stage) : std::string("A stage");
    switch (p.code) {
    case ProblemCode::PrecisionUnsupported: {
        const std::size_t slash = p.detail.rfind(" / ");
        const std::string precision = slash == std::string::npos ? "this precision" : p.detail.substr(slash + 3);
        return p.detail.substr(0, slash) + " has no matrix rate for " + precision + ": choose another precision.";
    }
    case ProblemCode::OutOfMemory:
        return stage + " needs " + format(Bytes(p.found)) + " per accelerator of " + format(Bytes(p.limit)) + ": "
            + format(Bytes(p.found - p.limit)) + " too much.";
    case ProblemCode::OutOfHostMemory:
        return "Each accelerator offloads " + format(Bytes(p.found)) + " and has " + format(Bytes(p.limit))
            + " of its host's memory: divide it over more ranks (TP, or PP and ZeRO for the optimizer), recompute "
              "more, or offload less.";
    case ProblemCode::MemoryPressure:
        return stage + " needs " + format(Bytes(p.found)) + " per accelerator of " + format(Bytes(p.limit))
            + ": little is left for " + "fragmentation and peaks.";
    case ProblemCode::PipelineTooLong:
        return "The step takes at least this long: " + whole(p.found) + " micro-batches through " + whole(p.limit)
            + " stages are too many to simulate, and they come to no steady state.";
    case ProblemCode::NotEstimable:
        return "This plan cannot be estimated yet: " + p.detail + ".";
    default:
        return {};
    }
}

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
    for (const auto& [entry, text] : kCodes) {
        if (entry == code)
            return text;
    }
    return {};
}

std::string describe(const Problem& problem)
{
    for (const auto part : {sizes, tensorParallel, pipeline, stages, batchAndExperts, accelerator}) {
        if (std::string text = part(problem); !text.empty())
            return text;
    }
    return {};
}

} // namespace stratoplan
