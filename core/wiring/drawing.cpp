// SPDX-License-Identifier: Apache-2.0
// A network of single switches as groups: leaves with the same nodes are alike, switches of a tier above are one group.
// Groups know no single cable, so that cables are spread evenly over both. What no switch joins are groups of their
// own. A group of one switch has the name of that.
#include "core/catalog/quote.h"
#include "core/units/reading.h"
#include "core/wiring/described.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace stratoplan::wiring {
namespace {

using Leaf = DescribedNetwork::Leaf;
using cluster::SwitchTier;

/// What leaves that are alike agree in.
struct LeafKind {
    std::map<std::size_t, int> nodes;
    int uplinks = 0;
    bool toSpines = false, toCores = false; ///< which tiers they have cables to
    int part = 0; ///< of the network
    auto operator<=>(const LeafKind&) const = default;
};

struct LeafGroup {
    std::string id;
    const Leaf* leaf = nullptr; ///< the first of them
    int count = 0;
};

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

/// By switch, leaves first, a number for each set that nothing joins to the others; leaves that stand alone have the
/// same one, as a group of leaves without cables upwards says that they are apart.
struct Parts {
    std::vector<int> ofSwitch;
    int count = 0;
};

Parts partsOf(const DescribedNetwork& network)
{
    const std::size_t leaves = network.leaves.size();
    std::vector<std::size_t> above(leaves + network.uppers.size());
    for (std::size_t i = 0; i < above.size(); ++i)
        above[i] = i;
    const auto root = [&](std::size_t i) {
        while (above[i] != i)
            i = above[i] = above[above[i]];
        return i;
    };
    for (std::size_t i = 0; i < above.size(); ++i)
        for (const int parent : i < leaves ? network.leaves[i].parents : network.uppers[i - leaves].parents)
            above[root(i)] = root(leaves + std::size_t(parent));
    Parts parts;
    std::map<std::size_t, int> numbers;
    for (std::size_t i = 0; i < above.size(); ++i) {
        const bool alone = i < leaves && network.leaves[i].parents.empty();
        const int number = int(numbers.size());
        parts.count += numbers.contains(root(i)) ? 0 : 1;
        parts.ofSwitch.push_back(numbers.emplace(root(i), alone ? -1 : number).first->second);
    }
    return parts;
}

class Drawer {
public:
    Drawer(const DescribedNetwork& network, const Parts& parts, ImportedCluster& imported)
        : m_network(network)
        , m_parts(parts)
        , m_imported(imported)
        , m_cluster(imported.cluster)
    {
    }

    [[nodiscard]] std::optional<Fault> draw()
    {
        groupLeaves();
        std::size_t nodes = 0;
        for (const auto& [kind, group] : m_groups)
            nodes += kind.nodes.size();
        if (int(m_groups.size()) > kMostGroups)
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
    [[nodiscard]] LeafKind kindOf(std::size_t i) const
    {
        const Leaf& leaf = m_network.leaves[i];
        const auto leadsTo = [&](SwitchTier tier) {
            return std::ranges::any_of(
                leaf.parents, [&](int parent) { return m_network.uppers[std::size_t(parent)].tier == tier; });
        };
        return {leaf.nodes, leaf.uplinks, leadsTo(SwitchTier::Spine), leadsTo(SwitchTier::Core), m_parts.ofSwitch[i]};
    }

    void groupLeaves()
    {
        for (std::size_t i = 0; i < m_network.leaves.size(); ++i) {
            LeafGroup& group = m_groups[kindOf(i)];
            if (!group.leaf)
                group.leaf = &m_network.leaves[i];
            ++group.count;
        }
        int number = 0;
        for (auto& [kind, group] : m_groups)
            group.id = m_groups.size() == 1 ? "leaves" : "leaves-" + std::to_string(++number);
    }

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

    /// Of switches above leaves: "spines", or "spines-2" where parts are apart.
    [[nodiscard]] std::string idOf(std::size_t upper) const
    {
        const std::string tier = m_network.uppers[upper].tier == SwitchTier::Core ? "cores" : "spines";
        const int part = m_parts.ofSwitch[m_network.leaves.size() + upper];
        return m_parts.count == 1 ? tier : tier + '-' + std::to_string(part + 1);
    }

    void drawNodes(bool isOne)
    {
        for (const auto& [key, group] : m_groups) {
            for (const auto& [kind, count] : key.nodes) {
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
            m_cluster.switches.back().rack = rackOf(key);
            if (group.count == 1)
                m_names[group.id] = group.leaf->name;
        }
    }

    /// Of a leaf, that in which all of its nodes stand.
    [[nodiscard]] std::string rackOf(const LeafKind& leaf) const
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
            send(m_groups.at(kindOf(i)).id, m_network.leaves[i].parents, cablesUp(m_network.leaves[i]));
        for (const SwitchTier tier : {SwitchTier::Spine, SwitchTier::Core}) {
            std::map<std::string, int> counts; // by group
            for (std::size_t i = 0; i < m_network.uppers.size(); ++i)
                if (m_network.uppers[i].tier == tier) {
                    m_names[idOf(i)] = ++counts[idOf(i)] == 1 ? m_network.uppers[i].name : std::string();
                    send(idOf(i), m_network.uppers[i].parents, incoming[i]);
                }
            for (const auto& [id, count] : counts) {
                m_cluster.switches.push_back({id, tier == SwitchTier::Spine ? "Spine" : "Core", tier, 0, count});
                remarkUnlessAll(id, count, tier);
            }
        }
    }

    /// Whether whoever is below leads to all switches of a group, as the drawing has it. Leaves that lead to none of
    /// its tier are drawn without; switches above are one group, so that all of them lead there or none.
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
        if (!even)
            m_imported.remarks.emplace_back(SpreadEvenly{count, std::string(key(tier))});
    }

    [[nodiscard]] std::optional<Fault> connect()
    {
        std::set<std::string> stated; // groups of leaves that say how many cables lead up
        for (const auto& [kind, group] : m_groups)
            if (kind.uplinks > 0)
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
        for (const auto& [kind, leaves] : m_groups)
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
    const Parts& m_parts;
    ImportedCluster& m_imported;
    cluster::Cluster& m_cluster;
    std::map<LeafKind, LeafGroup> m_groups;
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
    const Parts parts = partsOf(network);
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
