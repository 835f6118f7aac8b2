// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_review.h"

#include "core/cluster/cluster_edits.h"
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "core/cluster/joined_parts.h"
#include "core/cluster/torus_nodes.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

/// Cables of one element, by direction; counted once for all elements so that large clusters stay cheap.
struct Cables {
    long long up = 0;
    long long down = 0;
    [[nodiscard]] long long all() const { return up + down; }
};
using CableCounts = std::unordered_map<std::string, Cables>;

CableCounts countCables(const cluster::Cluster& cluster)
{
    CableCounts counts;
    for (const cluster::Connection& c : cluster.connections) {
        counts[c.from].up += c.cables;
        counts[c.to].down += c.cables;
    }
    return counts;
}

cluster::SwitchTier topTier(const cluster::Cluster& cluster)
{
    cluster::SwitchTier top = cluster::SwitchTier::Leaf;
    for (const cluster::SwitchGroup& s : cluster.switches)
        top = std::max(top, s.tier);
    return top;
}

void reviewNodes(const cluster::Cluster& cluster, const CableCounts& counts, std::vector<ClusterIssue>& issues)
{
    if (cluster.switches.empty())
        return;
    for (const cluster::NodeGroup& g : cluster.nodes) {
        const auto ports = static_cast<double>(g.count) * g.nicsPerNode;
        const auto it = counts.find(g.id);
        const double used = it == counts.end() ? 0 : static_cast<double>(it->second.all());
        if (used == 0)
            issues.push_back({IssueCode::NodesUnlinked, plan::Severity::Error, g.id, ports, 0});
        else if (used > ports)
            issues.push_back({IssueCode::PortsExceeded, plan::Severity::Error, g.id, used, ports});
        else if (used < ports)
            issues.push_back({IssueCode::NodesPartly, plan::Severity::Warning, g.id, used, ports});
    }
}

void reviewTori(const cluster::Cluster& cluster, std::vector<ClusterIssue>& issues)
{
    for (const cluster::NodeGroup& g : cluster.nodes)
        if (const auto unfilled = unfilledTorus(g))
            issues.push_back({IssueCode::TorusUnfilled, plan::Severity::Warning, g.id, static_cast<double>(g.count),
                static_cast<double>(unfilled->nodes)});
}

/// A torus of all nodes that there are, else as many nodes as fill it, rather fewer.
bool fillTorus(cluster::Cluster& cluster, const std::string& id)
{
    cluster::NodeGroup* nodes = findNodes(cluster, id);
    const auto unfilled = nodes ? unfilledTorus(*nodes) : std::nullopt;
    if (!unfilled)
        return false;
    if (!unfilled->axes.empty())
        setTorusAxes(*nodes, unfilled->axes);
    else
        setNodeCount(cluster, std::size_t(nodes - cluster.nodes.data()),
            int(unfilled->fewer > 0 ? unfilled->fewer : unfilled->nodes));
    return true;
}

/// What cables leave apart; nodes without any are told of already.
void reviewGaps(const cluster::Cluster& cluster, std::vector<ClusterIssue>& issues)
{
    for (const cluster::Gap& gap : gaps(cluster)) {
        const auto found = static_cast<double>(gap.found), limit = static_cast<double>(gap.limit);
        switch (gap.kind) {
        case cluster::GapKind::Nodes:
            if (gap.found > 0)
                issues.push_back({IssueCode::NodesCutOff, plan::Severity::Error, gap.element, found, limit});
            break;
        case cluster::GapKind::Scattered:
            issues.push_back({IssueCode::NodesApart, plan::Severity::Error, gap.element, found, limit});
            break;
        case cluster::GapKind::Switches:
            issues.push_back({IssueCode::NoUplink, plan::Severity::Error, gap.element, found, limit});
            break;
        case cluster::GapKind::Part:
            issues.push_back({IssueCode::FabricSplit, plan::Severity::Error, gap.element, 0, 0});
            break;
        }
    }
}

void reviewSwitches(const cluster::Cluster& cluster, const CableCounts& counts, std::vector<ClusterIssue>& issues)
{
    for (const cluster::SwitchGroup& s : cluster.switches) {
        const auto it = counts.find(s.id);
        const Cables used = it == counts.end() ? Cables{} : it->second;
        const auto ports = static_cast<double>(s.count) * s.ports;
        if (used.all() == 0)
            issues.push_back({IssueCode::SwitchUnlinked, plan::Severity::Warning, s.id, 0, 0});
        else if (static_cast<double>(used.all()) > ports)
            issues.push_back(
                {IssueCode::PortsExceeded, plan::Severity::Error, s.id, static_cast<double>(used.all()), ports});
    }
}

/// Enough switches for the cables they hold.
void growToFit(cluster::Cluster& cluster, const std::string& id)
{
    cluster::SwitchGroup* s = findSwitches(cluster, id);
    const long long missing = -freePorts(cluster, id);
    if (s && s->ports > 0 && missing > 0)
        s->count += static_cast<int>((missing + s->ports - 1) / s->ports);
}

/// No more cables than it has ports: those of the last links go, of each but one.
bool unplugRest(cluster::Cluster& cluster, const std::string& id)
{
    long long excess = -freePorts(cluster, id);
    for (auto c = cluster.connections.rbegin(); excess > 0 && c != cluster.connections.rend(); ++c) {
        if (!endsAt(*c, id))
            continue;
        const long long gone = std::clamp<long long>(c->cables - 1, 0, excess);
        c->cables -= static_cast<int>(gone);
        excess -= gone;
    }
    return excess == 0;
}

/// The leaf group with the most free ports; nullptr if there is none.
const cluster::SwitchGroup* roomiestLeaf(const cluster::Cluster& cluster)
{
    const cluster::SwitchGroup* best = nullptr;
    for (const cluster::SwitchGroup& s : cluster.switches) {
        if (s.tier == cluster::SwitchTier::Leaf && (!best || freePorts(cluster, s.id) > freePorts(cluster, best->id)))
            best = &s;
    }
    return best;
}

/// Cables for every network port still free: over the connection there is, or to the roomiest leaf.
bool cableRest(cluster::Cluster& cluster, const std::string& id)
{
    const cluster::NodeGroup* nodes = findNodes(cluster, id);
    const long long missing = freePorts(cluster, id);
    if (!nodes || missing <= 0)
        return false;
    auto it = std::find_if(
        cluster.connections.begin(), cluster.connections.end(), [&id](const auto& c) { return c.from == id; });
    if (it == cluster.connections.end()) {
        const cluster::SwitchGroup* leaf = roomiestLeaf(cluster);
        if (!leaf)
            return false;
        cluster.connections.push_back({id, leaf->id, nodes->nic, 0});
        it = std::prev(cluster.connections.end());
    }
    it->cables += static_cast<int>(missing);
    const std::string upper = it->to;
    growToFit(cluster, upper);
    return true;
}

/// As many cables upwards as `needed`, over the connection there is, or to the first tier above.
bool addUplinks(cluster::Cluster& cluster, const std::string& id, long long needed)
{
    const cluster::SwitchGroup* lower = findSwitches(cluster, id);
    for (cluster::Connection& c : cluster.connections) {
        const cluster::SwitchGroup* upper =
            endsAt(c, id) ? findSwitches(cluster, c.from == id ? c.to : c.from) : nullptr;
        if (!lower || !upper || upper->tier <= lower->tier || c.cables >= needed)
            continue;
        c.cables = static_cast<int>(needed);
        const std::string above = upper->id;
        growToFit(cluster, id);
        growToFit(cluster, above);
        return true;
    }
    for (const cluster::SwitchGroup& s : cluster.switches) {
        if (lower && s.tier > lower->tier && connectionPossible(cluster, id, s.id).possible()) {
            const std::string upper = s.id;
            return connectElements(cluster, id, upper, {}).possible();
        }
    }
    return false;
}

} // namespace

FlopsPerSecond peakRate16(const cluster::Accelerator& accelerator)
{
    for (const model::Precision p : {model::Precision::Bf16, model::Precision::Fp16, model::Precision::Fp32}) {
        if (accelerator.peak[p].value() > 0)
            return accelerator.peak[p];
    }
    return {};
}

ClusterTotals clusterTotals(const cluster::Cluster& cluster)
{
    ClusterTotals t;
    for (const cluster::NodeGroup& g : cluster.nodes) {
        const double n = static_cast<double>(g.count) * g.acceleratorsPerNode;
        t.nodes += g.count;
        t.accelerators += g.count * g.acceleratorsPerNode;
        t.peak += peakRate16(g.accelerator) * n;
        t.memory += g.accelerator.memory * n;
        t.memoryBandwidth += g.accelerator.memoryBandwidth * n;
        t.injection += g.nic.bandwidth * (static_cast<double>(g.count) * g.nicsPerNode);
        t.watts += g.accelerator.watts * n;
    }
    for (const cluster::SwitchGroup& s : cluster.switches)
        t.switches += s.count;
    return t;
}

std::vector<ClusterIssue> reviewCluster(const cluster::Cluster& cluster)
{
    std::vector<ClusterIssue> issues;
    if (cluster.nodes.empty()) {
        issues.push_back({IssueCode::NoNodes, plan::Severity::Error, {}, 0, 0});
        return issues;
    }
    const CableCounts counts = countCables(cluster);
    reviewNodes(cluster, counts, issues);
    reviewSwitches(cluster, counts, issues);
    reviewTori(cluster, issues);
    if (cluster.switches.empty()) {
        issues.push_back({IssueCode::FabricAssumed, plan::Severity::Note, {}, 0, 0});
    } else {
        reviewGaps(cluster, issues);
        const double share = uplinkShare(cluster, cluster::SwitchTier::Leaf);
        if (share > 0 && share < 0.995 && topTier(cluster) > cluster::SwitchTier::Leaf)
            issues.push_back({IssueCode::Oversubscribed, plan::Severity::Note, {}, share, 1});
    }
    std::stable_sort(
        issues.begin(), issues.end(), [](const auto& a, const auto& b) { return a.severity < b.severity; });
    return issues;
}

std::optional<cluster::Cluster> mended(const cluster::Cluster& cluster, const ClusterIssue& issue)
{
    cluster::Cluster edited = cluster;
    bool done = false;
    switch (issue.code) {
    case IssueCode::NodesUnlinked:
    case IssueCode::NodesPartly:
    case IssueCode::NodesCutOff:
        done = cableRest(edited, issue.element);
        break;
    case IssueCode::NoUplink:
        done = addUplinks(edited, issue.element, static_cast<long long>(issue.limit));
        break;
    case IssueCode::PortsExceeded:
        if (findNodes(edited, issue.element)) {
            done = unplugRest(edited, issue.element);
        } else {
            growToFit(edited, issue.element);
            done = edited != cluster;
        }
        break;
    case IssueCode::TorusUnfilled:
        done = fillTorus(edited, issue.element);
        break;
    case IssueCode::FabricSplit:
        if (auto joined = cluster::joinedParts(cluster, issue.element))
            return std::move(joined->cluster);
        break;
    default:
        break;
    }
    return done ? std::optional(std::move(edited)) : std::nullopt;
}

} // namespace stratoplan::widgets
