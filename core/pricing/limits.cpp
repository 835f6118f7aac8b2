// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/limits.h"

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

bool unlike(const cluster::NodeGroup& a, const cluster::NodeGroup& b)
{
    return a.accelerator != b.accelerator || a.acceleratorsPerNode != b.acceleratorsPerNode
        || a.scaleUpDomain != b.scaleUpDomain || a.scaleUp != b.scaleUp || a.nic != b.nic
        || a.nicsPerNode != b.nicsPerNode || a.hostLink != b.hostLink || a.hostMemory != b.hostMemory
        || a.hostMemoryBandwidth != b.hostMemoryBandwidth;
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

} // namespace

std::vector<plan::Problem> notEstimable(const plan::Plan& plan)
{
    std::vector<plan::Problem> problems;
    const parallel::Strategy& s = plan.strategy;
    if (s.tensorPartition != parallel::TensorPartition::Megatron)
        problems.push_back(reason("/strategy/tensor_partition", plan::ProblemCause::SpatialTemporal));
    const cluster::NodeGroup* first = nullptr;
    for (std::size_t i = 0; i < plan.cluster.nodes.size(); ++i) {
        const cluster::NodeGroup& group = plan.cluster.nodes[i];
        if (!takesPart(group))
            continue;
        if (const std::string missing = missingOfHost(s.offload, group); !missing.empty())
            problems.push_back(
                reason("/cluster/nodes/" + std::to_string(i), plan::ProblemCause::HostNotStated, group.id, missing));
        if (first && unlike(*first, group))
            problems.push_back(
                reason("/cluster/nodes/" + std::to_string(i), plan::ProblemCause::UnlikeNodes, group.id, first->id));
        if (!first)
            first = &group;
    }
    return problems;
}

} // namespace stratoplan::pricing
