// SPDX-License-Identifier: Apache-2.0
// The rules of check() about nodes that are unlike.
#include "core/cluster/node_kinds.h"
#include "core/parallel/placement.h"
#include "core/parallel/route.h"
#include "core/plan/rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stratoplan::plan {
namespace {

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

/// Whatever they are called.
bool areAsQuick(const cluster::Link& a, const cluster::Link& b)
{
    return a.kind == b.kind && sustained(a) == sustained(b) && a.latency == b.latency && a.kernels == b.kernels;
}

bool areAsQuick(const std::optional<cluster::Link>& a, const std::optional<cluster::Link>& b)
{
    return a && b ? areAsQuick(*a, *b) : a.has_value() == b.has_value();
}

/// Whether a step that runs on nodes of the one takes as long on nodes of the other, whatever room they have.
bool areAsQuick(const cluster::NodeGroup& a, const cluster::NodeGroup& b, const Plan& plan)
{
    const bool useHosts = plan.strategy.offload != parallel::Offload::None;
    return areAsFast(a.accelerator, b.accelerator, plan.training) && a.acceleratorsPerNode == b.acceleratorsPerNode
        && a.scaleUpDomain == b.scaleUpDomain && a.torus == b.torus && areAsQuick(a.scaleUp, b.scaleUp)
        && areAsQuick(a.inNode, b.inNode) && areAsQuick(a.nic, b.nic) && a.nicsPerNode == b.nicsPerNode
        && (!useHosts || (a.hostLink == b.hostLink && a.hostMemoryBandwidth == b.hostMemoryBandwidth));
}

/// The kinds of a cluster by how quick they are: of those that are as quick the first stands for all.
class Paces {
public:
    Paces(const Plan& plan, const cluster::NodeKinds& kinds)
        : m_plan(plan)
        , m_kinds(kinds)
    {
        for (int kind = 0; kind < kinds.count(); ++kind) {
            m_groups.push_back(&plan.cluster.nodes[kinds.groupsOf({kind}).front()]);
            int first = 0;
            while (!areAsQuick(groupOf(first), groupOf(kind), plan))
                ++first;
            m_first.push_back(first);
        }
    }

    /// The first one.
    [[nodiscard]] const cluster::NodeGroup& groupOf(int kind) const
    {
        return *m_groups[static_cast<std::size_t>(kind)];
    }

    [[nodiscard]] std::set<int> pacesOf(const cluster::KindSet& kinds) const
    {
        std::set<int> paces;
        for (const int kind : kinds)
            paces.insert(m_first[static_cast<std::size_t>(kind)]);
        return paces;
    }

    [[nodiscard]] std::set<int> ofStage(int stage) const
    {
        return pacesOf(kindsOfStage(m_plan.strategy, stage, m_kinds));
    }
    [[nodiscard]] std::set<int> ofStage(int stage, int replica) const
    {
        return pacesOf(kindsOfStage(m_plan.strategy, stage, replica, m_kinds));
    }

private:
    const Plan& m_plan;
    const cluster::NodeKinds& m_kinds;
    std::vector<const cluster::NodeGroup*> m_groups; ///< by kind
    std::vector<int> m_first; ///< of as quick ones, by kind
};

std::vector<const cluster::NodeGroup*> groupsOf(const Paces& paces, const std::set<int>& which)
{
    std::vector<const cluster::NodeGroup*> groups;
    for (const int pace : which)
        groups.push_back(&paces.groupOf(pace));
    return groups;
}

/// What the ranks of a plan lie on.
struct PacesInUse {
    PacesInUse(const Plan& plan, const Paces& paces)
        : shareReplicas(
            replicasWaitEachMicroBatch(plan.strategy, plan.training.software) || !plan.strategy.stageTp.empty())
    {
        const parallel::Strategy& s = plan.strategy;
        for (int stage = 0; stage < s.pp; ++stage) {
            const std::set<int> ofStage = paces.ofStage(stage);
            all.insert(ofStage.begin(), ofStage.end());
            if (ofStage.size() < 2)
                continue;
            mixed.insert(ofStage.begin(), ofStage.end());
            ++stages;
            for (int replica = 0; replica < s.dp && !shareReplicas; ++replica)
                shareReplicas = paces.ofStage(stage, replica).size() > 1;
        }
    }

    std::set<int> mixed{}, all{}; ///< that share a stage; of all stages
    int stages = 0; ///< that have several
    bool shareReplicas; ///< several share a replica's stage, or all replicas, which then wait for one another
};

/// What a replica waits for.
struct Slowest {
    std::array<double, 4> time{}; ///< as timeOf() has it
    std::set<int> paces{}; ///< of the nodes that take as long
    bool operator==(const Slowest&) const = default;
};

/// What orders stages, not their times: layers by FLOP/s, layers by byte/s of memory; of equal ones seconds of a byte
/// within domains, then between.
std::array<double, 4> timeOf(const cluster::NodeGroup& nodes, int layers, const Training& training)
{
    const cluster::Accelerator& a = nodes.accelerator;
    const double nics = double(nodes.nicsPerNode) / nodes.acceleratorsPerNode;
    return {layers / (a.peak[training.precision].value() * a.matmulSustained), layers / a.memoryBandwidth.value(),
        1 / sustained(nodes.scaleUp).value(), 1 / (sustained(nodes.nic).value() * nics)};
}

Slowest slowestOf(const Plan& plan, const std::vector<int>& held, int replica, const Paces& paces)
{
    Slowest slowest;
    for (int stage = 0; stage < plan.strategy.pp; ++stage) {
        const int layers = held[static_cast<std::size_t>(stage)];
        if (layers <= 0)
            continue;
        for (const int pace : paces.ofStage(stage, replica)) {
            const auto time = timeOf(paces.groupOf(pace), layers, plan.training);
            if (time > slowest.time)
                slowest = {time, {pace}};
            else if (time == slowest.time)
                slowest.paces.insert(pace);
        }
    }
    return slowest;
}

/// Layers whose passes the ranks of each stage run.
std::vector<int> heldLayers(const Plan& plan)
{
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    std::vector<int> held = layers;
    if (shape(plan.strategy.schedule) == parallel::PipelineShape::TwoWay)
        for (std::size_t i = 0; i < held.size(); ++i)
            held[i] += layers[layers.size() - 1 - i];
    return held;
}

/// Whether all replicas wait for as many layers on nodes as quick: then none waits for another one.
bool areAlikePaced(const Plan& plan, const Paces& paces)
{
    const std::vector<int> held = heldLayers(plan);
    const Slowest first = slowestOf(plan, held, 0, paces);
    for (int replica = 1; replica < plan.strategy.dp; ++replica)
        if (slowestOf(plan, held, replica, paces) != first)
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
    const Paces paces(plan, kinds);
    const PacesInUse used(plan, paces);
    const auto warn = [&](const char* where, double found, double limit, const std::set<int>& which) -> Problem& {
        return report(problems, ProblemCode::UnlikeNodes, Severity::Warning, where, found, limit,
            namesOf(groupsOf(paces, which)));
    };
    if (used.stages > 0 && !used.shareReplicas && !areAlikePaced(plan, paces)) {
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
    const std::vector<const cluster::NodeGroup*> groups = groupsOf(paces, used.all);
    const bool differ = std::ranges::any_of(groups, [&](const cluster::NodeGroup* group) {
        return !areAsFast(group->accelerator, groups.front()->accelerator, plan.training);
    });
    if (differ && s.stageLayers.empty())
        warn("/strategy/stage_layers", s.pp, 0, used.all).cause = ProblemCause::AsManyLayers;
}

} // namespace stratoplan::plan
