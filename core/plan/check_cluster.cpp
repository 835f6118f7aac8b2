// SPDX-License-Identifier: Apache-2.0
// The rules of check() about the cluster.
#include "core/plan/rules.h"

#include <algorithm>
#include <map>
#include <set>

namespace stratoplan::plan {

namespace {

/// Ids of the elements that cables reach from the first node group.
std::set<std::string> reachedElements(const cluster::Cluster& cluster)
{
    std::set<std::string> reached;
    if (!cluster.nodes.empty())
        reached.insert(cluster.nodes.front().id);
    for (std::size_t before = 0; before != reached.size();) {
        before = reached.size();
        for (const cluster::Connection& c : cluster.connections) {
            if (reached.contains(c.from) || reached.contains(c.to)) {
                reached.insert(c.from);
                reached.insert(c.to);
            }
        }
    }
    return reached;
}

template <class Elements>
void reportUnlinked(Problems& problems, const Elements& elements, const std::set<std::string>& reached,
    const cluster::Cluster& cluster, const char* list)
{
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto& element = elements[i];
        const bool linked = std::any_of(cluster.connections.begin(), cluster.connections.end(),
            [&](const cluster::Connection& c) { return c.from == element.id || c.to == element.id; });
        if (!linked || !reached.contains(element.id))
            report(problems, ProblemCode::Disconnected, Severity::Warning,
                std::string("/cluster/") + list + "/" + std::to_string(i), 0, 0,
                element.name.empty() ? element.id : element.name);
    }
}

/// Every element has a name of its own, and every cable ends at elements that exist.
void checkIds(Problems& problems, const cluster::Cluster& cluster)
{
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
}

void checkPorts(Problems& problems, const cluster::Cluster& cluster)
{
    std::map<std::string, double> plugged;
    for (const cluster::Connection& c : cluster.connections) {
        plugged[c.from] += c.cables;
        plugged[c.to] += c.cables;
    }
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const cluster::SwitchGroup& group = cluster.switches[i];
        const double ports = double(group.ports) * group.count;
        if (plugged[group.id] > ports)
            report(problems, ProblemCode::PortsExceeded, Severity::Warning,
                "/cluster/switches/" + std::to_string(i) + "/ports", plugged[group.id], ports,
                group.name.empty() ? group.id : group.name);
    }
}

} // namespace

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

void checkClusterSizes(Problems& problems, const cluster::Cluster& cluster)
{
    const int accelerators = acceleratorCount(cluster);
    if (accelerators == 0)
        report(problems, ProblemCode::EmptyCluster, Severity::Error, "/cluster/nodes", 0);
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
        if (accelerators > group.scaleUpDomain) {
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

void checkElements(Problems& problems, const cluster::Cluster& cluster)
{
    checkIds(problems, cluster);
    checkPorts(problems, cluster);
    if (cluster.switches.empty() && cluster.connections.empty())
        return; // nothing drawn: a non-blocking fabric
    const std::set<std::string> reached = reachedElements(cluster);
    reportUnlinked(problems, cluster.nodes, reached, cluster, "nodes");
    reportUnlinked(problems, cluster.switches, reached, cluster, "switches");
}

} // namespace stratoplan::plan
