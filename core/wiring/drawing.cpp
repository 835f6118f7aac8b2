// SPDX-License-Identifier: Apache-2.0
// A network of single switches as groups: pods that are alike are one of each kind of leaf and one of spines, in as
// many blocks; cores are one. Groups know no single cable, so that cables are spread evenly over both. What no switch
// joins are groups of their own. A group of one switch has the name of that.
#include "core/catalog/quote.h"
#include "core/units/reading.h"
#include "core/wiring/pods.h"

#include <algorithm>
#include <array>
#include <set>

namespace stratoplan::wiring {
namespace {

using Leaf = DescribedNetwork::Leaf;
using cluster::SwitchTier;

/// Cables between two groups, before they are connections.
using Cables = std::map<std::pair<std::string, std::string>, long long>;
/// How many network ports are of each link.
using Ports = std::vector<std::pair<cluster::Link, long long>>;

void addPorts(Ports& ports, const cluster::Link& link, long long count)
{
    const auto known = std::ranges::find(ports, link, &Ports::value_type::first);
    if (known == ports.end())
        ports.emplace_back(link, count);
    else
        known->second += count;
}

class Drawer {
public:
    Drawer(const DescribedNetwork& network, const NetworkParts& parts, ImportedCluster& imported)
        : m_network(network)
        , m_parts(parts)
        , m_pods(podGroups(network, parts))
        , m_imported(imported)
        , m_cluster(imported.cluster)
    {
    }

    [[nodiscard]] std::optional<Fault> draw()
    {
        const std::size_t nodes = nodeGroups(m_pods);
        if (int(leafGroups(m_pods)) > kMostGroups)
            return Fault{0, 0, reading::moreThan(kMostGroups, "unlike leaves"), reading::atMost(kMostGroups)};
        if (int(nodes) > kMostGroups)
            return Fault{0, 0, reading::moreThan(kMostGroups, "groups of nodes below unlike leaves"),
                reading::atMost(kMostGroups)};
        drawNodes(nodes == 1);
        drawUppers();
        if (auto fault = connect())
            return fault;
        giveSwitchesPorts();
        nameSwitches();
        return std::nullopt;
    }

    /// A group with switches of more ports than a plan can have.
    [[nodiscard]] const std::optional<WideSwitch>& wideSwitch() const { return m_wide; }

private:
    [[nodiscard]] long long cablesDown(const Leaf& leaf) const
    {
        long long cables = 0;
        for (const auto& [kind, count] : leaf.nodes)
            cables += (long long)count * m_network.kinds[kind].nicsPerNode;
        return cables;
    }
    [[nodiscard]] long long cablesUp(const Leaf& leaf) const
    {
        return leaf.parents.empty() ? 0 : leaf.uplinks > 0 ? leaf.uplinks : cablesDown(leaf);
    }

    /// Of switches above leaves: "spines", "cores-2" where parts are apart.
    [[nodiscard]] std::string idOf(std::size_t upper) const
    {
        const std::size_t i = m_network.leaves.size() + upper;
        if (m_network.uppers[upper].tier == SwitchTier::Spine)
            return m_pods.groups[m_pods.ofSwitch[i]].spinesId;
        return m_parts.count == 1 ? "cores" : "cores-" + std::to_string(m_parts.ofSwitch[i] + 1);
    }

    /// Those of a pod one after the other, as ranks follow the nodes.
    void drawNodes(bool isOne)
    {
        for (const PodGroup& pods : m_pods.groups)
            for (const LeafGroup& leaves : pods.leaves)
                drawLeaves(leaves, isOne);
    }

    void drawLeaves(const LeafGroup& group, bool isOne)
    {
        for (const auto& [kind, count] : group.leaf->nodes) {
            cluster::NodeGroup nodes = m_network.kinds[kind];
            nodes.id = isOne ? "nodes" : "nodes-" + std::to_string(m_cluster.nodes.size() + 1);
            nodes.count = count * group.count;
            const long long ports = (long long)nodes.count * nodes.nicsPerNode;
            m_cables[{nodes.id, group.id}] += ports;
            for (const std::string& id : {nodes.id, group.id, std::string()})
                addPorts(m_ports[id], nodes.nic, ports);
            m_cluster.nodes.push_back(std::move(nodes));
        }
        m_cluster.switches.push_back({group.id, "Leaf", SwitchTier::Leaf, 0, group.count});
        m_cluster.switches.back().rack = rackOf(*group.leaf);
        if (group.count == 1)
            m_names[group.id] = group.leaf->name;
    }

    /// Of a leaf, that in which all of its nodes stand.
    [[nodiscard]] std::string rackOf(const Leaf& leaf) const
    {
        const std::string& rack = m_network.kinds[leaf.nodes.begin()->first].rack;
        const bool isOne = std::ranges::all_of(
            leaf.nodes, [&](const auto& nodes) { return m_network.kinds[nodes.first].rack == rack; });
        return isOne ? rack : std::string();
    }

    /// Each switch of a tier above sends on as many cables as come to it.
    void drawUppers()
    {
        std::vector<long long> incoming(m_network.uppers.size());
        const auto send = [&](const std::string& from, const std::vector<int>& parents, long long cables) {
            for (std::size_t i = 0; i < parents.size(); ++i) {
                const auto share = cables / std::ssize(parents) + ((long long)i < cables % std::ssize(parents) ? 1 : 0);
                const auto parent = std::size_t(parents[i]);
                incoming[parent] += share;
                m_cables[{from, idOf(parent)}] += share;
            }
        };
        for (std::size_t i = 0; i < m_network.leaves.size(); ++i)
            send(m_pods.leaves(i).id, m_network.leaves[i].parents, cablesUp(m_network.leaves[i]));
        for (const SwitchTier tier : {SwitchTier::Spine, SwitchTier::Core}) {
            std::map<std::string, int> counts; // by group
            for (std::size_t i = 0; i < m_network.uppers.size(); ++i)
                if (m_network.uppers[i].tier == tier) {
                    m_names[idOf(i)] = ++counts[idOf(i)] == 1 ? m_network.uppers[i].name : std::string();
                    send(idOf(i), m_network.uppers[i].parents, incoming[i]);
                }
            for (const auto& [id, count] : counts) {
                const int pods = podsOf(id);
                m_cluster.switches.push_back({id, tier == SwitchTier::Spine ? "Spine" : "Core", tier, 0, count});
                m_cluster.switches.back().blocks = pods > 1 ? pods : 0;
                remarkUnlessAll(id, count / pods, tier);
            }
        }
    }

    /// Of switches above leaves; cores have all below them in one.
    [[nodiscard]] int podsOf(const std::string& id) const
    {
        const auto group = std::ranges::find(m_pods.groups, id, &PodGroup::spinesId);
        return group == m_pods.groups.end() ? 1 : group->pods;
    }

    /// Whether whoever is below leads to all switches of a group, of its own pod, as the drawing has it. Leaves that
    /// lead to none of its tier are drawn without; switches above are one group, so that all of them lead there or
    /// none.
    void remarkUnlessAll(const std::string& id, int count, SwitchTier tier)
    {
        const auto there = [&](const std::vector<int>& parents) {
            return std::ranges::count_if(parents, [&](int parent) { return idOf(std::size_t(parent)) == id; });
        };
        bool even = std::ranges::all_of(m_network.leaves, [&](const Leaf& leaf) {
            const auto cables = there(leaf.parents);
            return cables == 0 || cables == count;
        });
        std::map<std::string, std::set<std::ptrdiff_t>> ofGroups;
        for (std::size_t i = 0; i < m_network.uppers.size(); ++i)
            ofGroups[idOf(i)].insert(there(m_network.uppers[i].parents));
        for (const auto& [from, found] : ofGroups)
            even = even && found.size() == 1 && (*found.begin() == 0 || *found.begin() == count);
        const Remark remark =
            SpreadEvenly{count, std::string(key(tier)), tier == SwitchTier::Spine && m_pods.podsWithSpines > 1};
        if (!even && std::ranges::find(m_imported.remarks, remark) == m_imported.remarks.end())
            m_imported.remarks.push_back(remark);
    }

    [[nodiscard]] std::optional<Fault> connect()
    {
        std::set<std::string> stated; // groups of leaves that say how many cables lead up
        for (const PodGroup& pods : m_pods.groups)
            for (const LeafGroup& group : pods.leaves)
                if (group.leaf->uplinks > 0)
                    stated.insert(group.id);
        for (const auto& [ends, cables] : m_cables) {
            if (cables > kMostCables)
                return Fault{0, 0, reading::moreThan(kMostCables, "cables"), reading::atMost(kMostCables)};
            m_cluster.connections.push_back({ends.first, ends.second, linkFrom(ends.first), int(cables)});
        }
        std::ranges::stable_sort(
            m_cluster.connections, {}, [](const cluster::Connection& c) { return rankOf(c.from); });
        for (const cluster::Connection& c : m_cluster.connections) {
            const std::string ends = c.from + " to " + c.to;
            if (!stated.contains(c.from))
                m_imported.filled.push_back({"cables " + ends, std::to_string(c.cables),
                    rankOf(c.from) == 0 ? Why::EveryPort : Why::NoOversubscription});
            if (portsBelow(c.from).size() > 1)
                m_imported.filled.push_back(
                    {"link " + ends, c.link.id.empty() ? c.link.name : c.link.id, Why::MostPorts});
        }
        return std::nullopt;
    }

    /// Network ports below a group; below spines those of all nodes.
    [[nodiscard]] const Ports& portsBelow(const std::string& id) const
    {
        const auto it = m_ports.find(id);
        return it == m_ports.end() ? m_ports.at({}) : it->second;
    }
    /// Cables are what most of the ports below are.
    [[nodiscard]] const cluster::Link& linkFrom(const std::string& id) const
    {
        return std::ranges::max_element(portsBelow(id), {}, &Ports::value_type::second)->first;
    }

    /// Nodes, leaves, spines: connections stand in the order in which they are climbed.
    [[nodiscard]] static int rankOf(const std::string& id)
    {
        return id.starts_with("nodes") ? 0 : id.starts_with("leaves") ? 1 : 2;
    }

    [[nodiscard]] WideSwitch wideSwitchOf(const cluster::SwitchGroup& group, long long ports) const
    {
        WideSwitch wide{std::string(key(group.tier)), ports};
        for (const PodGroup& pods : m_pods.groups)
            for (const LeafGroup& leaves : pods.leaves)
                if (leaves.id == group.id) {
                    wide.name = leaves.leaf->name;
                    wide.line = leaves.leaf->line;
                }
        return wide;
    }

    void giveSwitchesPorts()
    {
        for (cluster::SwitchGroup& group : m_cluster.switches) {
            long long plugged = 0;
            for (const cluster::Connection& connection : m_cluster.connections)
                plugged += endsAt(connection, group.id) ? connection.cables : 0;
            const long long ports = (plugged + group.count - 1) / group.count;
            if (ports > cluster::kMostPorts && !m_wide)
                m_wide = wideSwitchOf(group, ports);
            group.ports = int(std::clamp<long long>(ports, 1, cluster::kMostPorts));
            m_imported.filled.push_back({"ports of " + group.id, std::to_string(group.ports), Why::AllCables});
        }
    }

    /// Those that stand alone, but not after the id of another element.
    void nameSwitches()
    {
        std::set<std::string> ids;
        for (const cluster::NodeGroup& group : m_cluster.nodes)
            ids.insert(group.id);
        for (const cluster::SwitchGroup& group : m_cluster.switches)
            ids.insert(group.id);
        for (cluster::SwitchGroup& group : m_cluster.switches)
            if (const std::string& name = m_names[group.id]; !name.empty() && (name == group.id || !ids.contains(name)))
                group.name = name;
    }

    const DescribedNetwork& m_network;
    const NetworkParts& m_parts;
    const PodGroups m_pods;
    ImportedCluster& m_imported;
    cluster::Cluster& m_cluster;
    Cables m_cables;
    std::map<std::string, Ports> m_ports; ///< by the group below; without id: of all nodes
    std::map<std::string, std::string> m_names; ///< of single switches, by group
    std::optional<WideSwitch> m_wide;
};

/// Leaves that cannot be in a plan, with the line of the first.
std::optional<Fault> faultOfLeaves(const DescribedNetwork& network)
{
    long long accelerators = 0;
    for (const Leaf& leaf : network.leaves)
        for (const auto& [kind, count] : leaf.nodes) {
            accelerators += (long long)count * network.kinds[kind].acceleratorsPerNode;
            if (accelerators > kMostAccelerators)
                return Fault{leaf.line, 0, reading::moreThan(kMostAccelerators, "accelerators in all"),
                    reading::atMost(kMostAccelerators)};
        }
    return std::nullopt;
}

std::optional<Fault> faultOfPorts(const DescribedNetwork& network)
{
    for (const Leaf& leaf : network.leaves)
        for (const auto& [kind, count] : leaf.nodes)
            if (network.kinds[kind].nicsPerNode == 0)
                return Fault{leaf.line, 0,
                    "the leaf " + catalog::quoteText(leaf.name) + " above nodes without network ports",
                    "network ports of all nodes that a leaf serves"};
    return std::nullopt;
}

} // namespace

std::optional<Fault> draw(const DescribedNetwork& network, ImportedCluster& imported)
{
    if (auto fault = faultOfPorts(network))
        return fault;
    if (auto fault = faultOfLeaves(network))
        return fault;
    const NetworkParts parts = partsOf(network, SwitchTier::Core);
    if (parts.count > 1)
        imported.remarks.emplace_back(NotJoined{parts.count, network.isJoinedAbove});
    if (parts.count > 1 && network.isJoinedAbove)
        return listNodes(network, imported);
    ImportedCluster drawn = imported;
    Drawer drawer(network, parts, drawn);
    if (auto fault = drawer.draw())
        return fault;
    if (drawer.wideSwitch() && parts.count > 1) // joined they cannot be taken to be
        return Fault{drawer.wideSwitch()->line, 0,
            "a switch of " + std::to_string(drawer.wideSwitch()->ports) + " ports in a network of several parts",
            reading::atMost(cluster::kMostPorts)};
    if (drawer.wideSwitch()) {
        imported.remarks.emplace_back(*drawer.wideSwitch());
        return listNodes(network, imported);
    }
    imported = std::move(drawn);
    return std::nullopt;
}

std::optional<Fault> listNodes(const DescribedNetwork& network, ImportedCluster& imported)
{
    if (auto fault = faultOfLeaves(network))
        return fault;
    std::map<std::size_t, int> counts;
    for (const Leaf& leaf : network.leaves)
        for (const auto& [kind, count] : leaf.nodes)
            counts[kind] += count;
    if (int(counts.size()) > kMostGroups)
        return Fault{0, 0, reading::moreThan(kMostGroups, "unlike nodes"), reading::atMost(kMostGroups)};
    for (const auto& [kind, count] : counts) {
        cluster::NodeGroup nodes = network.kinds[kind];
        nodes.id = counts.size() == 1 ? "nodes" : "nodes-" + std::to_string(imported.cluster.nodes.size() + 1);
        nodes.count = count;
        imported.cluster.nodes.push_back(std::move(nodes));
    }
    return std::nullopt;
}

} // namespace stratoplan::wiring
