// SPDX-License-Identifier: Apache-2.0
// A network of single switches as groups: leaves with the same nodes are alike, switches of a tier above are one group.
// Groups know no single cable, so that cables are spread evenly over both.
#include "core/units/reading.h"
#include "core/wiring/described.h"

#include <algorithm>
#include <array>
#include <set>

namespace stratoplan::wiring {
namespace {

constexpr int kMostGroups = 256;
constexpr long long kMostCables = 100'000'000; ///< of resources/schema/plan.schema.json
constexpr long long kMostPorts = 1'000'000;

using Leaf = DescribedNetwork::Leaf;
using Kind = std::pair<std::map<std::size_t, int>, int>; ///< what leaves that are alike agree in: nodes, uplinks

struct LeafGroup {
    std::string id;
    const Leaf* leaf = nullptr; ///< any of them
    int count = 0;
};

/// Cables between two groups, before they are connections.
using Cables = std::map<std::pair<std::string, std::string>, long long>;

class Drawer {
public:
    Drawer(const DescribedNetwork& network, ImportedCluster& imported)
        : m_network(network)
        , m_imported(imported)
        , m_cluster(imported.cluster)
    {
    }

    [[nodiscard]] std::optional<Fault> draw()
    {
        groupLeaves();
        if (int(m_groups.size()) > kMostGroups)
            return Fault{0, 0, reading::moreThan(kMostGroups, "unlike leaves"), reading::atMost(kMostGroups)};
        drawNodes();
        drawUppers();
        if (auto fault = connect())
            return fault;
        giveSwitchesPorts();
        return std::nullopt;
    }

private:
    void groupLeaves()
    {
        for (const Leaf& leaf : m_network.leaves) {
            LeafGroup& group = m_groups[{leaf.nodes, leaf.uplinks}];
            group.leaf = &leaf;
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
    [[nodiscard]] static std::string idOf(cluster::SwitchTier tier)
    {
        return tier == cluster::SwitchTier::Core ? "cores" : "spines";
    }

    void drawNodes()
    {
        std::size_t groups = 0;
        for (const auto& [kind, group] : m_groups)
            groups += kind.first.size();
        for (const auto& [key, group] : m_groups) {
            for (const auto& [kind, count] : key.first) {
                cluster::NodeGroup nodes = m_network.kinds[kind];
                nodes.id = groups == 1 ? "nodes" : "nodes-" + std::to_string(m_cluster.nodes.size() + 1);
                nodes.count = count * group.count;
                m_cables[{nodes.id, group.id}] += (long long)nodes.count * nodes.nicsPerNode;
                m_links[nodes.id] = m_links[group.id] = nodes.nic;
                m_cluster.nodes.push_back(std::move(nodes));
            }
            m_cluster.switches.push_back({group.id, "Leaf", cluster::SwitchTier::Leaf, 0, group.count});
        }
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
                m_cables[{from, idOf(m_network.uppers[parent].tier)}] += share;
            }
        };
        for (const Leaf& leaf : m_network.leaves)
            send(m_groups.at({leaf.nodes, leaf.uplinks}).id, leaf.parents, cablesUp(leaf));
        for (const cluster::SwitchTier tier : {cluster::SwitchTier::Spine, cluster::SwitchTier::Core}) {
            int count = 0;
            for (std::size_t i = 0; i < m_network.uppers.size(); ++i) {
                const DescribedNetwork::Upper& upper = m_network.uppers[i];
                if (upper.tier != tier)
                    continue;
                ++count;
                send(idOf(tier), upper.parents, incoming[i]);
            }
            if (count > 0)
                m_cluster.switches.push_back(
                    {idOf(tier), tier == cluster::SwitchTier::Spine ? "Spine" : "Core", tier, 0, count});
            m_links[idOf(tier)] = m_network.kinds.front().nic;
            remarkUnlessAll(tier, count);
        }
    }

    /// Whether whoever is below reaches all of the tier, as the drawing has it.
    void remarkUnlessAll(cluster::SwitchTier tier, int count)
    {
        const auto reachesAll = [&](const std::vector<int>& parents) {
            const auto there = std::ranges::count_if(
                parents, [&](int parent) { return m_network.uppers[std::size_t(parent)].tier == tier; });
            return there == 0 || there == count;
        };
        const bool even = std::ranges::all_of(m_network.leaves, reachesAll, &Leaf::parents)
            && std::ranges::all_of(m_network.uppers, reachesAll, &DescribedNetwork::Upper::parents);
        if (!even)
            m_imported.remarks.emplace_back(SpreadEvenly{count, std::string(key(tier))});
    }

    [[nodiscard]] std::optional<Fault> connect()
    {
        for (const auto& [ends, cables] : m_cables) {
            if (cables > kMostCables)
                return Fault{0, 0, reading::moreThan(kMostCables, "cables"), reading::atMost(kMostCables)};
            m_cluster.connections.push_back({ends.first, ends.second, m_links.at(ends.first), int(cables)});
        }
        std::ranges::stable_sort(
            m_cluster.connections, {}, [](const cluster::Connection& c) { return rankOf(c.from); });
        const bool stated = std::ranges::any_of(m_network.leaves, [](const Leaf& leaf) { return leaf.uplinks > 0; });
        for (const cluster::Connection& c : m_cluster.connections)
            if (rankOf(c.from) == 0 || !stated)
                m_imported.filled.push_back({"cables " + c.from + " to " + c.to, std::to_string(c.cables),
                    rankOf(c.from) == 0 ? Why::EveryPort : Why::NoOversubscription});
        return std::nullopt;
    }

    /// Nodes, leaves, spines: connections stand in the order in which they are climbed.
    [[nodiscard]] static int rankOf(const std::string& id)
    {
        return id.starts_with("nodes") ? 0 : id.starts_with("leaves") ? 1 : 2;
    }

    void giveSwitchesPorts()
    {
        for (cluster::SwitchGroup& group : m_cluster.switches) {
            long long plugged = 0;
            for (const cluster::Connection& connection : m_cluster.connections)
                plugged += endsAt(connection, group.id) ? connection.cables : 0;
            const long long ports = (plugged + group.count - 1) / group.count;
            group.ports = int(std::clamp<long long>(ports, 1, kMostPorts));
            m_imported.filled.push_back({"ports of " + group.id, std::to_string(group.ports), Why::AllCables});
        }
    }

    const DescribedNetwork& m_network;
    ImportedCluster& m_imported;
    cluster::Cluster& m_cluster;
    std::map<Kind, LeafGroup> m_groups;
    Cables m_cables;
    std::map<std::string, cluster::Link> m_links; ///< by the group below
};

/// Switches that nothing joins to each other.
int partsOf(const DescribedNetwork& network)
{
    const std::size_t leaves = network.leaves.size();
    std::vector<std::size_t> part(leaves + network.uppers.size());
    for (std::size_t i = 0; i < part.size(); ++i)
        part[i] = i;
    const auto root = [&](std::size_t i) {
        while (part[i] != i)
            i = part[i] = part[part[i]];
        return i;
    };
    for (std::size_t i = 0; i < part.size(); ++i)
        for (const int parent : i < leaves ? network.leaves[i].parents : network.uppers[i - leaves].parents)
            part[root(i)] = root(leaves + std::size_t(parent));
    std::set<std::size_t> roots;
    for (std::size_t i = 0; i < part.size(); ++i)
        roots.insert(root(i));
    return int(roots.size());
}

} // namespace

std::optional<Fault> draw(const DescribedNetwork& network, ImportedCluster& imported)
{
    const int parts = partsOf(network);
    if (parts <= 1)
        return Drawer(network, imported).draw();
    imported.remarks.emplace_back(NotJoined{parts});
    return listNodes(network, imported);
}

std::optional<Fault> listNodes(const DescribedNetwork& network, ImportedCluster& imported)
{
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
