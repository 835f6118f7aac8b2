// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cuts.h"

#include "core/cluster/bundles.h"
#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"
#include "core/cluster/parts.h"
#include "core/cluster/shared_flow.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace stratoplan::cluster {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double accelerators(const NodeGroup& nodes)
{
    return double(nodes.count) * nodes.acceleratorsPerNode;
}

int nodesThatTakePart(const Cluster& cluster)
{
    int count = 0;
    for (const NodeGroup& nodes : cluster.nodes)
        count += takesPart(nodes) ? nodes.count : 0;
    return count;
}

/// What the groups of a drawing reach, and the network between them.
class Drawing {
public:
    explicit Drawing(const Cluster& cluster)
        : m_cluster(cluster)
        , m_cables(cluster.switches.size(), std::vector<long long>(cluster.nodes.size()))
    {
        readConnections();
        const std::array tiers{
            Parts(cluster, SwitchTier::Leaf), Parts(cluster, SwitchTier::Spine), Parts(cluster, SwitchTier::Core)};
        for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
            const SwitchGroup& group = cluster.switches[i];
            m_blocks.push_back(std::max<long long>(blocksOf(group), tiers[std::size_t(group.tier)].piecesOf(i)));
        }
        for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
            const std::vector<long long> parts = downwards(i);
            m_reach.push_back(reachOf(i, parts));
            m_upwards.push_back(upwards(i));
        }
    }

    /// Accelerators that one block of a group of switches reaches without those above it.
    [[nodiscard]] double reach(std::size_t group) const { return m_reach[group]; }

    /// The most that each accelerator of some groups sends out of any run of so many, of those that can.
    [[nodiscard]] SharedFlow::Most outOf(double run, const std::vector<std::size_t>& groups) const
    {
        SharedFlow flow;
        std::vector<std::size_t> entry, exit; // of switches: what goes up passes from one to the other
        for (std::size_t i = 0; i < m_reach.size(); ++i) {
            entry.push_back(flow.addVertex());
            exit.push_back(flow.addVertex());
            flow.addEdge(entry[i], exit[i], m_upwards[i]);
            if (m_cluster.switches[i].tier != SwitchTier::Leaf && m_reach[i] > run)
                flow.addEdge(entry[i], SharedFlow::sink(), kUnlimited);
        }
        for (const Cables& c : m_uplinks)
            flow.addEdge(exit[c.lower], entry[c.upper], (c.rate * double(c.count)).value());
        std::vector<std::size_t> ports; // of nodes: cables beyond their NICs add nothing
        std::vector<std::size_t> asked; // sources
        std::size_t sources = 0;
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n) {
            const NodeGroup& nodes = m_cluster.nodes[n];
            ports.push_back(flow.addVertex());
            if (!takesPart(nodes))
                continue;
            if (std::ranges::find(groups, n) != groups.end())
                asked.push_back(sources);
            ++sources;
            flow.addEdge(flow.addSource(accelerators(nodes)), ports.back(),
                (sustained(nodes.nic) * (double(nodes.count) * nodes.nicsPerNode)).value());
        }
        for (const Cables& c : m_ofNodes) {
            const bool arrives = m_reach[c.upper] > run && reachesAll(c.upper, c.lower, m_cables[c.upper][c.lower]);
            flow.addEdge(
                ports[c.lower], arrives ? SharedFlow::sink() : entry[c.upper], (c.rate * double(c.count)).value());
        }
        return flow.mostOf(asked);
    }

private:
    /// Between a group of nodes or switches and one of switches above, by index.
    struct Cables {
        std::size_t lower = 0, upper = 0;
        BytesPerSecond rate{};
        long long count = 0;
    };

    void readConnections()
    {
        std::map<std::string_view, std::size_t> switches, nodes;
        for (std::size_t i = 0; i < m_cluster.switches.size(); ++i)
            switches.try_emplace(m_cluster.switches[i].id, i);
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n)
            nodes.try_emplace(m_cluster.nodes[n].id, n);
        for (const Connection& c : m_cluster.connections) {
            if (c.cables <= 0)
                continue;
            const std::size_t none = m_cluster.switches.size();
            const auto at = [&](std::string_view id) {
                const auto it = switches.find(id);
                return it != switches.end() && m_cluster.switches[it->second].count > 0 ? it->second : none;
            };
            std::size_t a = at(c.from), b = at(c.to);
            if (a != none && b != none) {
                if (m_cluster.switches[a].tier > m_cluster.switches[b].tier)
                    std::swap(a, b);
                if (m_cluster.switches[a].tier != m_cluster.switches[b].tier)
                    m_uplinks.push_back({a, b, sustained(c.link), c.cables});
            } else if (a != none || b != none) {
                const std::size_t group = std::min(a, b);
                if (const auto n = nodes.find(a == none ? c.from : c.to);
                    n != nodes.end() && takesPart(m_cluster.nodes[n->second])) {
                    m_cables[group][n->second] += c.cables;
                    m_ofNodes.push_back({n->second, group,
                        std::min(sustained(m_cluster.nodes[n->second].nic), sustained(c.link)), c.cables});
                }
            }
        }
    }

    /// Of each group of switches that another one reaches downwards, itself among them: of its blocks, and of those on
    /// the way, the fewest. Of so many parts of what is below, a block reaches one. 0 where it is not reached.
    [[nodiscard]] std::vector<long long> downwards(std::size_t group) const
    {
        std::vector<long long> parts(m_blocks.size());
        parts[group] = m_blocks[group];
        for (bool more = true; more;) {
            more = false;
            for (const Cables& c : m_uplinks) {
                if (parts[c.upper] == 0)
                    continue;
                const long long fewest = std::min(parts[c.upper], m_blocks[c.lower]);
                if (parts[c.lower] == 0 || fewest < parts[c.lower]) {
                    parts[c.lower] = fewest;
                    more = true;
                }
            }
        }
        return parts;
    }

    [[nodiscard]] double reachOf(std::size_t group, const std::vector<long long>& parts) const
    {
        double all = 0;
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n) {
            long long cables = 0;
            long long fewest = std::numeric_limits<long long>::max();
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (parts[i] > 0 && m_cables[i][n] > 0) {
                    cables += m_cables[i][n];
                    fewest = std::min(fewest, parts[i]);
                }
            if (cables > 0 && reachesAll(group, n, cables))
                all += accelerators(m_cluster.nodes[n]) / double(fewest);
        }
        return all;
    }

    /// Each node has one of these cables; with a block of leaves, one node at least has one to each: what one rail does
    /// not reach, it passes on.
    [[nodiscard]] bool reachesAll(std::size_t group, std::size_t n, long long cables) const
    {
        const SwitchGroup& switches = m_cluster.switches[group];
        const long long blocks = m_blocks[group];
        const long long rails = switches.tier == SwitchTier::Leaf ? (switches.count + blocks - 1) / blocks : 1;
        const long long nodes = m_cluster.nodes[n].count;
        return rails == 1 ? cables >= nodes : cables > rails * nodes - std::max(1LL, nodes / blocks);
    }

    /// What a group of switches sends up: with as many uplinks for each block as the one with the fewest has, or, where
    /// cables of nodes are spread over blocks as uplinks are, with as many for each node.
    [[nodiscard]] double upwards(std::size_t group) const
    {
        std::vector<Bundle> bundles;
        for (const Cables& c : m_uplinks)
            if (c.lower == group)
                bundles.push_back({c.rate, c.count});
        // Of the nodes of all groups: cables taken away must not leave fewer to share the uplinks.
        const long long blocks = m_blocks[group], nodes = std::max(1, nodesThatTakePart(m_cluster));
        return std::max(sumOfFewest(bundles, blocks) * double(blocks), sumOfFewest(bundles, nodes) * double(nodes))
            .value();
    }

    const Cluster& m_cluster;
    std::vector<Cables> m_uplinks, m_ofNodes;
    std::vector<std::vector<long long>> m_cables; ///< between switches and nodes
    std::vector<long long> m_blocks; ///< as they are drawn, or as many as cables of tiers up to theirs leave apart
    std::vector<double> m_reach, m_upwards;
};

} // namespace

std::vector<Cut> cuts(const Cluster& cluster)
{
    std::vector<std::size_t> all(cluster.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    return cuts(cluster, all);
}

std::vector<Cut> cuts(const Cluster& cluster, const std::vector<std::size_t>& groups)
{
    const Drawing drawing(cluster);
    std::map<double, std::optional<SwitchTier>> runs{{0, std::nullopt}};
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const double run = drawing.reach(i);
        if (run <= 0 || run >= acceleratorCount(cluster))
            continue;
        std::optional<SwitchTier>& tier = runs[run];
        tier = std::min(tier.value_or(SwitchTier::Core), cluster.switches[i].tier);
    }
    std::vector<Cut> all;
    for (const auto& [run, tier] : runs) {
        const SharedFlow::Most most = drawing.outOf(run, groups);
        all.push_back({run, tier, BytesPerSecond(most.ofUnit), most.heldBack});
    }
    return all;
}

double uplinkShare(const Cluster& cluster, SwitchTier tier)
{
    double least = 1;
    BytesPerSecond ofAccelerator(kUnlimited); // over its NICs
    for (const NodeGroup& nodes : cluster.nodes)
        if (takesPart(nodes))
            ofAccelerator =
                std::min(ofAccelerator, nodePorts(cluster, nodes).bandwidth / double(nodes.acceleratorsPerNode));
    if (!isDrawn(cluster) || ofAccelerator <= BytesPerSecond{})
        return least;
    for (const Cut& cut : cuts(cluster))
        if (cut.tier == tier)
            least = std::min(least, cut.ofAccelerator.value() == kUnlimited ? 0 : cut.ofAccelerator / ofAccelerator);
    return least;
}

} // namespace stratoplan::cluster
