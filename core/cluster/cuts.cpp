// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cuts.h"

#include "core/cluster/bundles.h"
#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"
#include "core/cluster/shared_flow.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

namespace stratoplan::cluster {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

double accelerators(const NodeGroup& nodes)
{
    return double(nodes.count) * nodes.acceleratorsPerNode;
}

/// What the groups of a drawing reach, and the network between them.
class Drawing {
public:
    explicit Drawing(const Cluster& cluster)
        : m_cluster(cluster)
        , m_cables(cluster.switches.size(), std::vector<long long>(cluster.nodes.size()))
    {
        for (std::size_t i = 0; i < cluster.switches.size(); ++i)
            m_index.try_emplace(cluster.switches[i].id, i);
        for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
            for (const Connection& c : cluster.connections)
                if (takesPart(cluster.nodes[n]) && switchesAt(cluster, c, cluster.nodes[n].id) != nullptr)
                    m_cables[at(c, cluster.nodes[n].id)][n] += c.cables;
        for (std::size_t i = 0; i < cluster.switches.size(); ++i)
            m_reach.push_back(reachOf(i));
    }

    /// Accelerators that one block of a group of switches reaches without those above it.
    [[nodiscard]] double reach(std::size_t group) const { return m_reach[group]; }

    /// The most that each accelerator sends out of any run of so many, of those that can.
    [[nodiscard]] SharedFlow::Most outOf(double run) const
    {
        SharedFlow flow;
        std::vector<std::size_t> entry, exit; // of switches: what goes up passes from one to the other
        for (std::size_t i = 0; i < m_reach.size(); ++i) {
            entry.push_back(flow.addVertex());
            exit.push_back(flow.addVertex());
            flow.addEdge(entry[i], exit[i], upwards(i));
            if (m_cluster.switches[i].tier != SwitchTier::Leaf && m_reach[i] > run)
                flow.addEdge(entry[i], SharedFlow::sink(), kUnlimited);
        }
        for (const Connection& c : m_cluster.connections)
            if (const auto [lower, upper] = ends(c); lower != nullptr)
                flow.addEdge(exit[m_index.at(lower->id)], entry[m_index.at(upper->id)],
                    (sustained(c.link) * double(c.cables)).value());
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n) {
            const NodeGroup& nodes = m_cluster.nodes[n];
            if (!takesPart(nodes))
                continue;
            const std::size_t source = flow.addSource(accelerators(nodes));
            for (const Connection& c : m_cluster.connections)
                if (switchesAt(m_cluster, c, nodes.id) != nullptr) {
                    const std::size_t group = at(c, nodes.id);
                    const bool arrives = m_reach[group] > run && reachesAll(group, n, m_cables[group][n]);
                    flow.addEdge(source, arrives ? SharedFlow::sink() : entry[group],
                        (std::min(sustained(nodes.nic), sustained(c.link)) * double(c.cables)).value());
                }
        }
        return flow.most();
    }

private:
    [[nodiscard]] std::size_t at(const Connection& connection, std::string_view id) const
    {
        return m_index.at(otherEnd(connection, id));
    }

    /// Switches at both ends of cables between tiers, the lower first; else none.
    struct Ends {
        const SwitchGroup* lower = nullptr;
        const SwitchGroup* upper = nullptr;
    };
    [[nodiscard]] Ends ends(const Connection& c) const
    {
        const SwitchGroup* const a = findSwitches(m_cluster, c.from);
        const SwitchGroup* const b = findSwitches(m_cluster, c.to);
        if (a == nullptr || b == nullptr || a->count <= 0 || b->count <= 0 || c.cables <= 0 || a->tier == b->tier)
            return {};
        return a->tier < b->tier ? Ends{a, b} : Ends{b, a};
    }

    /// Of each group of switches that another one reaches downwards, itself among them: of its blocks, and of those on
    /// the way, the fewest. Of so many parts of what is below, a block reaches one. 0 where it is not reached.
    [[nodiscard]] std::vector<int> downwards(std::size_t group) const
    {
        std::vector<int> parts(m_cluster.switches.size());
        parts[group] = blocksOf(m_cluster.switches[group]);
        for (bool more = true; more;) {
            more = false;
            for (const Connection& c : m_cluster.connections) {
                const auto [lower, upper] = ends(c);
                if (lower == nullptr || parts[m_index.at(upper->id)] == 0)
                    continue;
                int& below = parts[m_index.at(lower->id)];
                const int fewest = std::min(parts[m_index.at(upper->id)], blocksOf(*lower));
                if (below == 0 || fewest < below) {
                    below = fewest;
                    more = true;
                }
            }
        }
        return parts;
    }

    [[nodiscard]] double reachOf(std::size_t group) const
    {
        const std::vector<int> parts = downwards(group);
        double all = 0;
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n) {
            long long cables = 0;
            int fewest = std::numeric_limits<int>::max();
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (parts[i] > 0 && m_cables[i][n] > 0) {
                    cables += m_cables[i][n];
                    fewest = std::min(fewest, parts[i]);
                }
            if (cables > 0 && reachesAll(group, n, cables))
                all += accelerators(m_cluster.nodes[n]) / fewest;
        }
        return all;
    }

    /// Each node has one of these cables; with a block of leaves, one to each: what one rail does not reach, nodes pass
    /// on.
    [[nodiscard]] bool reachesAll(std::size_t group, std::size_t n, long long cables) const
    {
        const SwitchGroup& switches = m_cluster.switches[group];
        const long long blocks = blocksOf(switches);
        const long long rails = switches.tier == SwitchTier::Leaf ? (switches.count + blocks - 1) / blocks : 1;
        return cables >= rails * m_cluster.nodes[n].count;
    }

    /// What a group of switches sends up: with as many uplinks for each block as the one with the fewest has, or, where
    /// cables of nodes are spread over blocks as uplinks are, with as many for each node of a group below as there are
    /// for all.
    [[nodiscard]] double upwards(std::size_t group) const
    {
        const SwitchGroup& switches = m_cluster.switches[group];
        const long long blocks = blocksOf(switches);
        std::vector<Bundle> bundles;
        for (const Connection& c : m_cluster.connections)
            if (const auto [lower, upper] = ends(c); lower == &switches)
                bundles.push_back({sustained(c.link), c.cables});
        BytesPerSecond most = sumOfFewest(bundles, blocks) * double(blocks);
        const std::vector<int> parts = downwards(group);
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n)
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (const int nodes = m_cluster.nodes[n].count; parts[i] > 0 && m_cables[i][n] > 0)
                    most = std::max(most, sumOfFewest(bundles, nodes) * double(nodes));
        return most.value();
    }

    const Cluster& m_cluster;
    std::map<std::string, std::size_t, std::less<>> m_index; ///< of groups of switches, by id
    std::vector<std::vector<long long>> m_cables; ///< between switches and nodes
    std::vector<double> m_reach;
};

} // namespace

std::vector<Cut> cuts(const Cluster& cluster)
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
        const SharedFlow::Most most = drawing.outOf(run);
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
