// SPDX-License-Identifier: Apache-2.0
// The rules of check() about nodes that are unlike.
#include "core/cluster/node_kinds.h"
#include "core/parallel/placement.h"
#include "core/plan/rules.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stratoplan::plan {
namespace {

/// The first group of each kind.
std::vector<const cluster::NodeGroup*> groupsOf(
    const cluster::Cluster& cluster, const cluster::NodeKinds& kinds, const std::set<int>& which)
{
    std::vector<const cluster::NodeGroup*> groups;
    for (const int kind : which)
        groups.push_back(&cluster.nodes[kinds.groupsOf({kind}).front()]);
    return groups;
}

/// "DGX H100, DGX A100 80 GB"; by their ids where two have one name.
std::string namesOf(const std::vector<const cluster::NodeGroup*>& groups)
{
    std::set<std::string> different;
    for (const cluster::NodeGroup* group : groups)
        different.insert(group->name);
    const bool byName = different.size() == groups.size() && !different.contains("");
    std::string names;
    for (const cluster::NodeGroup* group : groups)
        names += (names.empty() ? "" : ", ") + (byName ? group->name : group->id);
    return names;
}

bool areAsFast(const cluster::Accelerator& a, const cluster::Accelerator& b, const Training& training)
{
    using enum model::Precision;
    if (hasNarrowAttention(training) && (a.exponentials != b.exponentials || a.peak[Fp8] != b.peak[Fp8]))
        return false;
    return a.peak[training.precision] == b.peak[training.precision] && a.peak[Bf16] == b.peak[Bf16]
        && a.memoryBandwidth == b.memoryBandwidth && a.kernels == b.kernels && a.computeUnits == b.computeUnits
        && a.matmulSustained == b.matmulSustained && a.memorySustained == b.memorySustained;
}

/// NCCL, RCCL, HCCL and their like each join the accelerators of one vendor.
void checkVendors(Problems& problems, const cluster::Cluster& cluster)
{
    const cluster::Accelerator* first = nullptr;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const cluster::Accelerator& a = cluster.nodes[i].accelerator;
        if (!takesPart(cluster.nodes[i]) || a.vendor.empty())
            continue;
        if (first == nullptr)
            first = &a;
        if (a.vendor == first->vendor)
            continue;
        Problem& problem = report(problems, ProblemCode::SoftwareUnsupported, Severity::Error,
            "/cluster/nodes/" + std::to_string(i), 0, 0, a.name);
        problem.other = first->name;
        problem.cause = ProblemCause::Vendors;
    }
}

/// What the ranks of a plan lie on.
struct KindsInUse {
    KindsInUse(const Plan& plan, const cluster::NodeKinds& kinds)
        : shareReplicas(
            replicasWaitEachMicroBatch(plan.strategy, plan.training.software) || !plan.strategy.stageTp.empty())
    {
        const parallel::Strategy& s = plan.strategy;
        for (int stage = 0; stage < s.pp; ++stage) {
            const cluster::KindSet ofStage = kindsOfStage(s, stage, kinds);
            all.insert(ofStage.begin(), ofStage.end());
            if (ofStage.size() < 2)
                continue;
            mixed.insert(ofStage.begin(), ofStage.end());
            ++stages;
            for (int replica = 0; replica < s.dp && !shareReplicas; ++replica)
                shareReplicas = kindsOfStage(s, stage, replica, kinds).size() > 1;
        }
    }

    std::set<int> mixed{}, all{}; ///< kinds that share a stage; of all stages
    int stages = 0; ///< that have several
    bool shareReplicas; ///< several kinds share a replica's stage, or all replicas, which then wait for one another
};

/// What a replica waits for.
struct Slowest {
    std::pair<double, double> time{}; ///< of a layer's arithmetic, and of its memory, by all layers of the stage
    std::set<int> kinds{}; ///< of the nodes that take as long
    bool operator==(const Slowest&) const = default;
};

Slowest slowestOf(const Plan& plan, const std::vector<int>& layers, int replica, const cluster::NodeKinds& kinds)
{
    const parallel::Strategy& s = plan.strategy;
    Slowest slowest;
    for (int stage = 0; stage < s.pp; ++stage) {
        const std::vector<int> chunks = chunkLayers(s, layers, stage);
        const double held = std::accumulate(chunks.begin(), chunks.end(), 0.0);
        if (held <= 0)
            continue;
        for (const int kind : kindsOfStage(s, stage, replica, kinds)) {
            const cluster::Accelerator& a = plan.cluster.nodes[kinds.groupsOf({kind}).front()].accelerator;
            const double rate = a.peak[plan.training.precision].value() * a.matmulSustained;
            const std::pair time{held / rate, held / a.memoryBandwidth.value()};
            if (time > slowest.time)
                slowest = {time, {kind}};
            else if (time == slowest.time)
                slowest.kinds.insert(kind);
        }
    }
    return slowest;
}

/// Whether all replicas wait for as many layers on nodes of the same kind: then none waits for another one.
bool areAlikePaced(const Plan& plan, const cluster::NodeKinds& kinds)
{
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    const Slowest first = slowestOf(plan, layers, 0, kinds);
    for (int replica = 1; replica < plan.strategy.dp; ++replica)
        if (slowestOf(plan, layers, replica, kinds) != first)
            return false;
    return true;
}

} // namespace

void checkNodeKinds(Problems& problems, const Plan& plan)
{
    if (plan.cluster.nodes.size() < 2)
        return;
    checkVendors(problems, plan.cluster);
    const cluster::NodeKinds kinds(plan.cluster);
    if (!kinds.areUnlike())
        return;
    const parallel::Strategy& s = plan.strategy;
    if (double(s.tp) * s.cp * s.pp * s.dp > acceleratorCount(plan.cluster)) // which is told of by itself
        return;
    const KindsInUse used(plan, kinds);
    const auto warn = [&](const char* where, double found, double limit, const std::set<int>& which) -> Problem& {
        return report(problems, ProblemCode::UnlikeNodes, Severity::Warning, where, found, limit,
            namesOf(groupsOf(plan.cluster, kinds, which)));
    };
    if (used.stages > 0 && !used.shareReplicas && !areAlikePaced(plan, kinds)) {
        if (s.replicaMicroBatches.empty())
            warn("/strategy/replica_micro_batches", used.stages, s.pp, used.mixed).cause =
                ProblemCause::AsManyMicroBatches;
        return;
    }
    if (used.stages > 0 && used.shareReplicas) {
        warn(s.pp > 1 ? "/strategy/rank_order" : "/strategy/pp", used.stages, s.pp, used.mixed).cause =
            s.pp > 1 ? ProblemCause::None : ProblemCause::OneStage;
        return;
    }
    const std::vector<const cluster::NodeGroup*> groups = groupsOf(plan.cluster, kinds, used.all);
    const bool differ = std::ranges::any_of(groups, [&](const cluster::NodeGroup* group) {
        return !areAsFast(group->accelerator, groups.front()->accelerator, plan.training);
    });
    if (differ && s.stageLayers.empty())
        warn("/strategy/stage_layers", s.pp, 0, used.all).cause = ProblemCause::AsManyLayers;
}

} // namespace stratoplan::plan
