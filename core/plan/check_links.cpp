// SPDX-License-Identifier: Apache-2.0
// The rules of check() about links between what they cannot join.
#include "core/plan/rules.h"
#include "core/units/text.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace stratoplan::plan {
namespace {

using cluster::LinkKind;

/// Whether links of the kind join accelerators of one vendor, and this is not it. Unknown ones may be.
bool isOfAnother(LinkKind kind, std::string_view vendor)
{
    const auto isNone = [&](auto... names) { return !vendor.empty() && !(containsWords(vendor, names) || ...); };
    switch (kind) {
    case LinkKind::NvLink:
        return isNone("NVIDIA");
    case LinkKind::InfinityFabric:
        return isNone("AMD", "Advanced"); // Micro Devices, as lspci says
    case LinkKind::Hccs:
        return isNone("Huawei");
    case LinkKind::Ici:
        return isNone("Google");
    case LinkKind::Pcie:
    case LinkKind::InfiniBand:
    case LinkKind::Ethernet:
    case LinkKind::Slingshot:
    case LinkKind::Other:
        break;
    }
    return false;
}

/// Whether accelerators of a node have no ports for links of the kind. Several have ports of Ethernet.
bool joinsNodesAlone(LinkKind kind, std::string_view vendor)
{
    const auto hasNoEthernet = [&] { return containsWords(vendor, "NVIDIA") || containsWords(vendor, "Google"); };
    return kind == LinkKind::InfiniBand || kind == LinkKind::Slingshot
        || (kind == LinkKind::Ethernet && hasNoEthernet());
}

/// Whether ports of the one take cables of the other. Of no listed kind nothing is known.
bool areOfOneKind(LinkKind port, LinkKind cable)
{
    const auto isEthernet = [](LinkKind kind) { return kind == LinkKind::Ethernet || kind == LinkKind::Slingshot; };
    return port == cable || port == LinkKind::Other || cable == LinkKind::Other
        || (isEthernet(port) && isEthernet(cable));
}

std::string nameOf(const cluster::Link& link)
{
    return !link.name.empty() ? link.name : !link.id.empty() ? link.id : std::string(key(link.kind));
}

/// Once of all that are alike: groups of nodes may be hundreds.
void reportLink(Problems& problems, ProblemCause cause, std::string where, const cluster::Link& link, std::string other)
{
    if (std::ranges::any_of(problems, [&](const Problem& p) {
            return p.code == ProblemCode::ImpossibleLink && p.cause == cause && p.detail == nameOf(link)
                && p.other == other;
        }))
        return;
    Problem& problem =
        report(problems, ProblemCode::ImpossibleLink, Severity::Warning, std::move(where), 0, 0, nameOf(link));
    problem.cause = cause;
    problem.other = std::move(other);
}

/// Those that join accelerators without a network.
void checkWithinNodes(Problems& problems, const cluster::NodeGroup& group, const std::string& place)
{
    const cluster::Accelerator& a = group.accelerator;
    const auto judge = [&](const cluster::Link& link, const char* field) {
        if (joinsNodesAlone(link.kind, a.vendor))
            reportLink(problems, ProblemCause::LinkBetweenNodes, place + field, link, a.name);
        else if (isOfAnother(link.kind, a.vendor))
            reportLink(problems, ProblemCause::LinkOfVendor, place + field, link, a.name);
    };
    if (group.scaleUpDomain > 1)
        judge(group.scaleUp, "/scale_up");
    if (group.torus && (group.scaleUp.kind == LinkKind::NvLink || group.scaleUp.kind == LinkKind::InfinityFabric))
        reportLink(problems, ProblemCause::LinkWithoutTorus, place + "/scale_up", group.scaleUp, a.name);
    if (group.inNode)
        judge(*group.inNode, "/in_node");
}

/// Cables where other ones of the same switches end. Leaves alone: higher ones may be gateways between sites.
void checkLeaves(Problems& problems, const cluster::Cluster& cluster)
{
    std::map<std::string_view, const cluster::Link*> first; // by leaves
    for (const cluster::SwitchGroup& group : cluster.switches)
        if (group.tier == cluster::SwitchTier::Leaf)
            first.emplace(group.id, nullptr);
    for (std::size_t i = 0; i < cluster.connections.size(); ++i) {
        const cluster::Connection& c = cluster.connections[i];
        for (const std::string* end : {&c.from, &c.to}) {
            const auto leaf = first.find(*end);
            const bool isKnown = isNetwork(c.link.kind) && c.link.kind != LinkKind::Other;
            if (leaf == first.end() || c.cables <= 0 || !isKnown)
                continue;
            if (leaf->second == nullptr)
                leaf->second = &c.link;
            else if (!areOfOneKind(leaf->second->kind, c.link.kind))
                reportLink(problems, ProblemCause::CablesUnlikeOthers,
                    "/cluster/connections/" + std::to_string(i) + "/link", c.link, nameOf(*leaf->second));
        }
    }
}

void checkCables(Problems& problems, const cluster::Cluster& cluster)
{
    std::map<std::string_view, const cluster::Link*> nics; // by nodes
    for (const cluster::NodeGroup& group : cluster.nodes)
        nics.emplace(group.id, &group.nic);
    for (std::size_t i = 0; i < cluster.connections.size(); ++i) {
        const cluster::Connection& c = cluster.connections[i];
        const auto where = [i] { return "/cluster/connections/" + std::to_string(i) + "/link"; };
        if (c.cables <= 0)
            continue;
        if (!isNetwork(c.link.kind)) {
            reportLink(problems, ProblemCause::LinkWithinNodes, where(), c.link, {});
            continue;
        }
        for (const std::string* end : {&c.from, &c.to})
            if (const auto nic = nics.find(*end);
                nic != nics.end() && isNetwork(nic->second->kind) && !areOfOneKind(nic->second->kind, c.link.kind))
                reportLink(problems, ProblemCause::CablesUnlikePorts, where(), c.link, nameOf(*nic->second));
    }
}

} // namespace

void checkLinks(Problems& problems, const cluster::Cluster& cluster)
{
    const bool needsNetwork = acceleratorCount(cluster) > smallestIsland(cluster);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const cluster::NodeGroup& group = cluster.nodes[i];
        if (!takesPart(group))
            continue;
        const std::string place = "/cluster/nodes/" + std::to_string(i);
        checkWithinNodes(problems, group, place);
        if (needsNetwork && group.nicsPerNode > 0 && !isNetwork(group.nic.kind))
            reportLink(problems, ProblemCause::LinkWithinNodes, place + "/nic", group.nic, {});
    }
    checkCables(problems, cluster);
    checkLeaves(problems, cluster);
}

} // namespace stratoplan::plan
