// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/limits.h"

namespace stratoplan {
namespace {

Problem reason(std::string where, ProblemCause cause, std::string detail = {}, std::string other = {})
{
    Problem problem;
    problem.code = ProblemCode::NotEstimable;
    problem.where = std::move(where);
    problem.cause = cause;
    problem.detail = std::move(detail);
    problem.other = std::move(other);
    return problem;
}

bool unlike(const NodeGroup& a, const NodeGroup& b)
{
    return a.accelerator != b.accelerator || a.acceleratorsPerNode != b.acceleratorsPerNode
        || a.scaleUpDomain != b.scaleUpDomain || a.scaleUp != b.scaleUp || a.nic != b.nic
        || a.nicsPerNode != b.nicsPerNode || a.hostLink != b.hostLink || a.hostMemory != b.hostMemory
        || a.hostMemoryBandwidth != b.hostMemoryBandwidth;
}

/// What the group leaves open of its host, as far as the offload needs it.
std::string missingOfHost(Offload offload, const NodeGroup& group)
{
    if (offload == Offload::None)
        return {};
    if (group.hostLink.value() <= 0)
        return "host_link_gb_s";
    if (group.hostMemory.value() <= 0)
        return "host_memory_gib";
    return offload == Offload::Optimizer && group.hostMemoryBandwidth.value() <= 0 ? "host_memory_bandwidth_gb_s" : "";
}

} // namespace

std::vector<Problem> notEstimable(const Plan& plan)
{
    std::vector<Problem> problems;
    const Strategy& s = plan.strategy;
    if (s.tensorPartition != TensorPartition::Megatron)
        problems.push_back(reason("/strategy/tensor_partition", ProblemCause::SpatialTemporal));
    const NodeGroup* first = nullptr;
    for (std::size_t i = 0; i < plan.cluster.nodes.size(); ++i) {
        const NodeGroup& group = plan.cluster.nodes[i];
        if (!takesPart(group))
            continue;
        if (const std::string missing = missingOfHost(s.offload, group); !missing.empty())
            problems.push_back(
                reason("/cluster/nodes/" + std::to_string(i), ProblemCause::HostNotStated, group.id, missing));
        if (first && unlike(*first, group))
            problems.push_back(
                reason("/cluster/nodes/" + std::to_string(i), ProblemCause::UnlikeNodes, group.id, first->id));
        if (!first)
            first = &group;
    }
    return problems;
}

} // namespace stratoplan
