// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/limits.h"

#include "core/partition/programme.h"
#include "core/pricing/divided_layers.h"

#include <bit>

namespace stratoplan::pricing {
namespace {

plan::Problem reason(std::string where, plan::ProblemCause cause, std::string detail = {}, std::string other = {})
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    problem.where = std::move(where);
    problem.cause = cause;
    problem.detail = std::move(detail);
    problem.other = std::move(other);
    return problem;
}

/// What the group leaves open of its host, as far as the offload needs it.
std::string missingOfHost(parallel::Offload offload, const cluster::NodeGroup& group)
{
    if (offload == parallel::Offload::None)
        return {};
    if (group.hostLink.value() <= 0)
        return "host_link_gb_s";
    if (group.hostMemory.value() <= 0)
        return "host_memory_gib";
    return offload == parallel::Offload::Optimizer && group.hostMemoryBandwidth.value() <= 0
        ? "host_memory_bandwidth_gb_s"
        : "";
}

/// With context parallelism each rank has one early and one late piece, and tensor ranks divide both.
std::int64_t partsOfSequence(int tp, int cp)
{
    return std::int64_t{tp} * (cp > 1 ? 2 * cp : 1);
}

/// Why the plan's layers cannot be divided in space and time; None where they can.
plan::ProblemCause againstDivisionOf(const plan::Plan& plan)
{
    using enum plan::ProblemCause;
    const parallel::Strategy& s = plan.strategy;
    const model::Transformer& model = plan.model;
    if (model.mla) // what no other group helps against comes first
        return PartitionLatentAttention;
    const model::LayerCounts counts = layerCounts(model);
    if (model.multiTokenPredictionDepth > 0 || (counts.dense > 0 && counts.moe > 0) || model.mamba2)
        return PartitionUnlikeLayers;
    if (const plan::ProblemCause ofGroup = againstDivision(s.tp, s.cp, plan.training.sequenceLength); ofGroup != None)
        return ofGroup;
    if (mixesRecompute(s))
        return PartitionUnlikeRecompute;
    return s.stageTp.empty() ? None : PartitionUnlikeStages;
}

} // namespace

plan::ProblemCause againstDivision(int tp, int cp, int sequenceLength)
{
    using enum plan::ProblemCause;
    if (!std::has_single_bit(unsigned(tp)) || tp > 1 << partition::kMostGroupBits)
        return PartitionGroup;
    // Every operator can be divided along its tokens.
    return sequenceLength % partsOfSequence(tp, cp) == 0 ? None : PartitionNone;
}

std::optional<plan::Problem> unusedPartitions(const parallel::Strategy& s)
{
    if (dividesLayers(s) || s.operatorPartitions.empty())
        return std::nullopt;
    return reason("/strategy/operator_partitions",
        s.tp == 1 ? plan::ProblemCause::PartitionOneRank : plan::ProblemCause::PartitionUnused);
}

std::vector<plan::Problem> notEstimable(const plan::Plan& plan)
{
    std::vector<plan::Problem> problems;
    const parallel::Strategy& s = plan.strategy;
    if (auto unused = unusedPartitions(s))
        problems.push_back(std::move(*unused));
    if (dividesLayers(s))
        if (const plan::ProblemCause cause = againstDivisionOf(plan); cause != plan::ProblemCause::None) {
            problems.push_back(reason("/strategy/tensor_partition", cause));
            if (cause == plan::ProblemCause::PartitionGroup) {
                problems.back().found = s.tp;
                problems.back().limit = 1 << partition::kMostGroupBits;
            } else if (cause == plan::ProblemCause::PartitionNone) {
                problems.back().found = plan.training.sequenceLength;
                problems.back().limit = double(partsOfSequence(s.tp, s.cp));
            }
        }
    for (std::size_t i = 0; i < plan.cluster.nodes.size(); ++i) {
        const cluster::NodeGroup& group = plan.cluster.nodes[i];
        if (!takesPart(group))
            continue;
        if (const std::string missing = missingOfHost(s.offload, group); !missing.empty())
            problems.push_back(
                reason("/cluster/nodes/" + std::to_string(i), plan::ProblemCause::HostNotStated, group.id, missing));
    }
    return problems;
}

} // namespace stratoplan::pricing
