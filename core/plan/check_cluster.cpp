// SPDX-License-Identifier: Apache-2.0
// The rules of check() about the cluster.
#include "core/plan/rules.h"

#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"
#include "core/cluster/torus_nodes.h"
#include "core/cluster/used_part.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace stratoplan::plan {

namespace {

template <class Element>
const std::string& titleOf(const Element& element)
{
    return element.name.empty() ? element.id : element.name;
}

void reportGap(Problems& problems, const Plan& plan, const cluster::Gap& gap, Severity severity)
{
    const cluster::Cluster& cluster = plan.cluster;
    const auto nodes = std::ranges::find(cluster.nodes, gap.element, &cluster::NodeGroup::id);
    const auto switches = std::ranges::find(cluster.switches, gap.element, &cluster::SwitchGroup::id);
    const bool ofNodes = nodes != cluster.nodes.end();
    const auto index = ofNodes ? nodes - cluster.nodes.begin() : switches - cluster.switches.begin();
    constexpr std::array kCauses{ProblemCause::NodesWithoutCable, ProblemCause::NodesApart, ProblemCause::SwitchesApart,
        ProblemCause::PartApart}; // by GapKind
    report(problems, ProblemCode::Disconnected, severity,
        (ofNodes ? "/cluster/nodes/" : "/cluster/switches/") + std::to_string(index), double(gap.found),
        double(gap.limit), ofNodes ? titleOf(*nodes) : titleOf(*switches))
        .cause = kCauses[std::size_t(gap.kind)];
}

/// Switches that no cable ends at.
void reportUnlinked(Problems& problems, const cluster::Cluster& cluster)
{
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const cluster::SwitchGroup& group = cluster.switches[i];
        const bool linked = std::ranges::any_of(cluster.connections,
            [&](const cluster::Connection& c) { return c.cables > 0 && (c.from == group.id || c.to == group.id); });
        if (!linked)
            report(problems, ProblemCode::Disconnected, Severity::Warning, "/cluster/switches/" + std::to_string(i), 0,
                0, titleOf(group));
    }
}

/// Every element has a name of its own, and every cable ends at elements that exist. Whether that holds.
bool checkIds(Problems& problems, const cluster::Cluster& cluster)
{
    const std::size_t before = problems.size();
    std::set<std::string> ids;
    const auto take = [&](const std::string& id, const char* list, std::size_t i) {
        if (!ids.insert(id).second)
            report(problems, ProblemCode::DuplicateElement, Severity::Error,
                std::string("/cluster/") + list + "/" + std::to_string(i) + "/id", 0, 0, id);
    };
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
        take(cluster.nodes[i].id, "nodes", i);
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
        take(cluster.switches[i].id, "switches", i);
    for (std::size_t i = 0; i < cluster.connections.size(); ++i) {
        const cluster::Connection& c = cluster.connections[i];
        for (const auto& [end, field] : {std::pair(&c.from, "/from"), std::pair(&c.to, "/to")})
            if (!ids.contains(*end))
                report(problems, ProblemCode::UnknownElement, Severity::Error,
                    "/cluster/connections/" + std::to_string(i) + field, 0, 0, *end);
    }
    return problems.size() == before;
}

/// Cables lead from nodes to switches, and from switches to a tier above: no others can be priced.
void checkEnds(Problems& problems, const cluster::Cluster& cluster)
{
    for (std::size_t i = 0; i < cluster.connections.size(); ++i) {
        const cluster::Connection& c = cluster.connections[i];
        if (c.cables <= 0 || height(cluster, c.from) != height(cluster, c.to))
            continue;
        Problem& problem = report(problems, ProblemCode::Disconnected, Severity::Error,
            "/cluster/connections/" + std::to_string(i), 0, 0, c.from);
        problem.cause = ProblemCause::CablesWithinTier;
        problem.other = c.to;
    }
}

/// Ends of cables, by element.
std::map<std::string, double> pluggedIn(const cluster::Cluster& cluster)
{
    std::map<std::string, double> plugged;
    for (const cluster::Connection& c : cluster.connections) {
        plugged[c.from] += c.cables;
        plugged[c.to] += c.cables;
    }
    return plugged;
}

/// `used`: the part that ranks lie on. Errors where they run over its network.
void checkPorts(Problems& problems, const Plan& plan, const cluster::Cluster& used)
{
    const cluster::Cluster& cluster = plan.cluster;
    const bool isCrossed = ranksOf(plan.strategy) > smallestIsland(used);
    std::map<std::string, double> plugged = pluggedIn(cluster), pluggedThere = pluggedIn(used);
    // Cables beyond the ports of nodes carry no more than these; switches do not have any for theirs.
    const auto judge = [&](const auto& group, double ports, std::string where, Severity severity, ProblemCause cause) {
        if (plugged[group.id] > ports)
            report(problems, ProblemCode::PortsExceeded, severity, std::move(where), plugged[group.id], ports,
                titleOf(group))
                .cause = cause;
    };
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
        judge(cluster.nodes[i], double(cluster.nodes[i].nicsPerNode) * std::max(0, cluster.nodes[i].count),
            "/cluster/nodes/" + std::to_string(i) + "/nics_per_node", Severity::Warning, ProblemCause::PortsOfNodes);
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const double ports = double(cluster.switches[i].ports) * cluster.switches[i].count;
        const bool isFelt = isCrossed && pluggedThere[cluster.switches[i].id] > ports;
        judge(cluster.switches[i], ports, "/cluster/switches/" + std::to_string(i) + "/ports",
            isFelt ? Severity::Error : Severity::Warning, ProblemCause::None);
    }
}

/// What is apart, an error where ranks lie on it: those of idle groups are told of.
void checkGaps(Problems& problems, const Plan& plan, const cluster::Cluster& used, KnownGaps& known)
{
    const std::vector<cluster::Gap>& ofUsed = known.gapsOf(used);
    for (const cluster::Gap& gap : ofUsed)
        reportGap(problems, plan, gap, ranksOf(plan.strategy) > gap.joined ? Severity::Error : Severity::Warning);
    if (used.nodes.size() == plan.cluster.nodes.size())
        return;
    for (const cluster::Gap& gap : missingCables(plan.cluster))
        if (std::ranges::find(ofUsed, gap.element, &cluster::Gap::element) == ofUsed.end())
            reportGap(problems, plan, gap, Severity::Warning);
}

/// Blocks of switches that cables join lie side by side: those of one tier are parts of those of the other.
void checkJoinedBlocks(Problems& problems, const cluster::Cluster& cluster)
{
    for (const cluster::Connection& c : cluster.connections) {
        const cluster::SwitchGroup *lower = findSwitches(cluster, c.from), *upper = findSwitches(cluster, c.to);
        if (lower == nullptr || upper == nullptr || c.cables <= 0 || lower->tier == upper->tier)
            continue;
        if (lower->tier > upper->tier)
            std::swap(lower, upper);
        const int below = blocksOf(*lower), above = blocksOf(*upper);
        if (lower->count <= 0 || upper->count <= 0 || below % above == 0 || above % below == 0)
            continue;
        Problem& problem = report(problems, ProblemCode::BlocksNotDivisible, Severity::Error,
            "/cluster/switches/" + std::to_string(upper - cluster.switches.data()) + "/blocks", below, above,
            titleOf(*lower));
        problem.cause = ProblemCause::BlocksApart;
        problem.other = titleOf(*upper);
    }
}

void checkBlocks(Problems& problems, const cluster::Cluster& cluster)
{
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const cluster::SwitchGroup& group = cluster.switches[i];
        if (group.blocks > 0 && group.count > 0 && group.count % group.blocks != 0)
            report(problems, ProblemCode::BlocksNotDivisible, Severity::Error,
                "/cluster/switches/" + std::to_string(i) + "/blocks", group.count, group.blocks, titleOf(group));
    }
}

/// Of cables.
void checkRates(Problems& problems, const cluster::Cluster& cluster)
{
    for (std::size_t i = 0; i < cluster.connections.size(); ++i) {
        const cluster::Connection& c = cluster.connections[i];
        if (c.cables > 0 && !(sustained(c.link) > BytesPerSecond{})) {
            const bool rate = c.link.bandwidth > BytesPerSecond{};
            report(problems, ProblemCode::NotPositive, Severity::Error,
                "/cluster/connections/" + std::to_string(i) + (rate ? "/link/sustained" : "/link/bandwidth_gb_s"),
                rate ? c.link.sustained : c.link.bandwidth.value());
        }
    }
}

} // namespace

double ranksOf(const parallel::Strategy& s)
{
    return double(s.tp) * s.cp * s.pp * s.dp;
}

Problem& report(Problems& problems, ProblemCode code, Severity severity, std::string where, double found, double limit,
    std::string detail)
{
    problems.push_back({code, severity, std::move(where), found, limit, -1, std::move(detail), {}, {}, {}});
    return problems.back();
}

void requirePositive(Problems& problems, std::string_view where, double value)
{
    if (!(value > 0))
        report(problems, ProblemCode::NotPositive, Severity::Error, std::string(where), value);
}

/// Domains that links inside a node join are whole parts of it.
void checkDomainsInNode(Problems& problems, const cluster::NodeGroup& group, std::size_t i)
{
    const int domain = std::max(1, group.scaleUpDomain);
    if (domain >= group.acceleratorsPerNode || group.acceleratorsPerNode % domain == 0)
        return;
    report(problems, ProblemCode::BlocksNotDivisible, Severity::Error,
        "/cluster/nodes/" + std::to_string(i) + "/scale_up_domain", group.acceleratorsPerNode, domain, titleOf(group))
        .cause = ProblemCause::DomainsOfNode;
}

std::string placeOfTorus(std::size_t group)
{
    return "/cluster/nodes/" + std::to_string(group) + "/torus";
}

/// As many axes as a torus has, of sizes that it has, of all of the domain; nodes that fill it.
void checkTorus(Problems& problems, const cluster::NodeGroup& group, std::size_t i)
{
    const std::string where = placeOfTorus(i);
    const std::vector<int>& axes = group.torus->axes;
    requirePositive(problems, where + "/axes", double(axes.size()));
    if (axes.size() > cluster::kMostTorusAxes)
        report(problems, ProblemCode::OutOfRange, Severity::Error, where + "/axes", double(axes.size()),
            double(cluster::kMostTorusAxes));
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const std::string itsPlace = where + "/axes/" + std::to_string(axis);
        requirePositive(problems, itsPlace, axes[axis]);
        if (axes[axis] > cluster::kLongestTorusAxis)
            report(
                problems, ProblemCode::OutOfRange, Severity::Error, itsPlace, axes[axis], cluster::kLongestTorusAxis);
    }
    if (isValid(*group.torus) && sizeOf(*group.torus) != group.scaleUpDomain)
        report(problems, ProblemCode::TorusMismatch, Severity::Error, where, double(sizeOf(*group.torus)),
            group.scaleUpDomain, titleOf(group));
    if (const auto unfilled = unfilledTorus(group)) {
        Problem& problem = report(problems, ProblemCode::TorusMismatch, Severity::Warning, where, group.count,
            double(unfilled->nodes), titleOf(group));
        problem.cause = ProblemCause::NodesOfTorus;
        problem.other = unfilled->fewer > 0 ? groupedDigits(unfilled->fewer) : std::string();
    }
}

void checkClusterSizes(Problems& problems, const cluster::Cluster& cluster)
{
    const int accelerators = acceleratorCount(cluster);
    if (accelerators == 0)
        report(problems, ProblemCode::EmptyCluster, Severity::Error, "/cluster/nodes", 0);
    checkRates(problems, cluster);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const cluster::NodeGroup& group = cluster.nodes[i];
        // The path is put together only for a fault: a search checks plans by the million.
        const auto require = [&](const char* field, double value) {
            if (!(value > 0))
                report(problems, ProblemCode::NotPositive, Severity::Error,
                    "/cluster/nodes/" + std::to_string(i) + field, value);
        };
        if (!takesPart(group))
            continue;
        require("/accelerator/memory_gib", group.accelerator.memory.value());
        require("/accelerator/memory_bandwidth_gb_s", group.accelerator.memoryBandwidth.value());
        require("/accelerator/matmul_sustained", group.accelerator.matmulSustained);
        require("/accelerator/memory_sustained", group.accelerator.memorySustained);
        if (group.scaleUpDomain > 1) {
            require("/scale_up/bandwidth_gb_s", group.scaleUp.bandwidth.value());
            require("/scale_up/sustained", group.scaleUp.sustained);
        }
        if (group.torus)
            checkTorus(problems, group, i);
        if (group.inNode) {
            require("/in_node/bandwidth_gb_s", group.inNode->bandwidth.value());
            require("/in_node/sustained", group.inNode->sustained);
            checkDomainsInNode(problems, group, i);
        }
        if (accelerators > smallestIsland(cluster)) {
            require("/nic/bandwidth_gb_s", group.nic.bandwidth.value());
            require("/nic/sustained", group.nic.sustained);
            require("/nics_per_node", group.nicsPerNode);
        }
    }
}

void checkPrecision(Problems& problems, const Plan& plan)
{
    std::set<std::string> reported;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        const cluster::Accelerator& accelerator = group.accelerator;
        if (!takesPart(group) || accelerator.peak[plan.training.precision] > FlopsPerSecond{})
            continue;
        if (reported.insert(accelerator.name).second)
            report(problems, ProblemCode::PrecisionUnsupported, Severity::Error, "/training/precision", 0, 0,
                accelerator.name)
                .other = key(plan.training.precision);
    }
}

void checkSoftware(Problems& problems, const Plan& plan)
{
    const SoftwareProfile& software = plan.training.software;
    if (software.vendors.empty())
        return;
    std::set<std::string> reported;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        const cluster::Accelerator& accelerator = group.accelerator;
        // Of a part of a person's own, whose vendor is not stated, nothing is known.
        if (!takesPart(group) || accelerator.vendor.empty() || runsOn(software, accelerator.vendor))
            continue;
        if (reported.insert(accelerator.name).second)
            report(problems, ProblemCode::SoftwareUnsupported, Severity::Error, "/training/software", 0, 0,
                accelerator.name)
                .other = software.name.empty() ? software.id : software.name;
    }
}

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

const std::vector<cluster::Gap>& KnownGaps::gapsOf(const cluster::Cluster& used)
{
    const auto [found, isNew] = m_byGroups.try_emplace(used.nodes.size());
    if (isNew)
        found->second = gaps(used);
    return found->second;
}

void checkElements(Problems& problems, const Plan& plan, KnownGaps& known)
{
    const cluster::Cluster& cluster = plan.cluster;
    if (!isDrawn(cluster) && cluster.nodes.size() < 2)
        return; // a non-blocking fabric of one group
    if (!checkIds(problems, cluster))
        return; // what is joined is not known
    checkEnds(problems, cluster);
    const int ranks = int(std::min(ranksOf(plan.strategy), double(acceleratorCount(cluster))));
    const cluster::Cluster used = usedPart(cluster, usedGroups(cluster, ranks));
    checkPorts(problems, plan, used);
    checkBlocks(problems, cluster);
    checkJoinedBlocks(problems, cluster);
    reportUnlinked(problems, cluster);
    checkGaps(problems, plan, used, known);
}

} // namespace stratoplan::plan
