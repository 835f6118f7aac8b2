// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cuts.h"

#include "core/cluster/bundles.h"
#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"
#include "core/cluster/parts.h"
#include "core/cluster/shared_flow.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace stratoplan::cluster {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

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
        , m_blocks(blocksApart(cluster))
    {
        readConnections();
        for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
            m_reach.push_back(reachOf(i, downwards(i)));
            m_upwards.push_back(upwards(i));
            m_ofSwitches.push_back(neighboursOf(i, m_blocks[i], m_uplinks));
        }
        for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
            m_ofGroups.push_back(neighboursOf(n, std::max(1, cluster.nodes[n].count), m_ofNodes));
        for (const std::vector<Neighbours>* all : {&m_ofSwitches, &m_ofGroups})
            for (const Neighbours& neighbours : *all)
                m_someLackCables = m_someLackCables || std::ranges::any_of(neighbours, &Neighbour::someLackIt);
    }

    /// Accelerators that one block of a group of switches reaches without those above it.
    [[nodiscard]] double reach(std::size_t group) const { return m_reach[group].accelerators; }
    /// In the order of ranks each of these blocks begins at a multiple of so many accelerators.
    [[nodiscard]] int alignment(std::size_t group) const
    {
        return alignmentOf(m_cluster, m_reach[group].groups, m_reach[group].accelerators);
    }

    /// The most that each accelerator of some groups sends out of any run of so many, of those that can.
    [[nodiscard]] SharedFlow::Most outOf(double run, const std::vector<std::size_t>& groups) const
    {
        SharedFlow::Most least = most(run, groups, all());
        if (!m_someLackCables) // no group is bound but as a whole
            return least;
        for (std::size_t i = 0; i < m_reach.size(); ++i)
            if (const Shares bound = boundTo(i, run); bound.arePartial()) {
                SharedFlow::Most only = most(run, groups, bound);
                if (only.ofUnit < least.ofUnit) {
                    least.ofUnit = only.ofUnit;
                    least.tight = std::move(only.tight);
                }
                if (least.heldBack.empty())
                    least.heldBack = std::move(only.heldBack);
            }
        return least;
    }

private:
    /// Between a group of nodes or switches and one of switches above, by index.
    struct Cables {
        std::size_t lower = 0, upper = 0;
        BytesPerSecond rate{};
        long long count = 0;
        long long ofBoth = 0; ///< over all connections of the two
    };
    /// What one block of a group of switches reaches without those above it.
    struct Reach {
        double accelerators = 0;
        std::vector<std::size_t> groups; ///< of nodes, that all blocks reach
    };

    /// A group of switches above another group, whose elements have cables to it.
    struct Neighbour {
        std::size_t upper = 0;
        double share = 0; ///< of the elements, as many as there are cables

        [[nodiscard]] bool someLackIt() const { return share < 1; }
    };
    using Neighbours = std::vector<Neighbour>;

    static Neighbours neighboursOf(std::size_t group, long long elements, const std::vector<Cables>& cables)
    {
        Neighbours neighbours;
        for (const Cables& c : cables) {
            if (c.lower != group)
                continue;
            const auto known = std::ranges::find(neighbours, c.upper, &Neighbour::upper);
            Neighbour& upper = known != neighbours.end() ? *known : neighbours.emplace_back(Neighbour{c.upper, 0});
            upper.share = std::min(1.0, upper.share + double(c.count) / double(elements));
        }
        return neighbours;
    }

    /// Of the nodes of each group, and of the blocks of each group of switches, as many as there are at least.
    struct Shares {
        std::vector<double> nodes, switches;
        std::vector<bool> isBeyond; ///< switches that have all ways open that there are

        /// Whether they are some nodes of a group, and not all: what all can do tells nothing of these.
        [[nodiscard]] bool arePartial() const
        {
            return std::ranges::any_of(nodes, [](double share) { return share > 0 && share < 1; });
        }
    };
    [[nodiscard]] Shares all() const
    {
        return {std::vector<double>(m_cluster.nodes.size(), 1.0), std::vector<double>(m_reach.size(), 1.0),
            std::vector<bool>(m_reach.size(), true)};
    }

    /// Those that leave a run over one group of switches alone: of four nodes with two cables to it and two to another
    /// group, two hang on it.
    [[nodiscard]] Shares boundTo(std::size_t only, double run) const
    {
        Shares shares = all();
        shares.isBeyond = above(only);
        for (int tier = int(SwitchTier::Core); tier >= int(SwitchTier::Leaf); --tier)
            for (std::size_t i = 0; i < m_reach.size(); ++i) {
                const SwitchGroup& group = m_cluster.switches[i];
                if (int(group.tier) != tier || i == only)
                    continue;
                const bool arrives = group.tier != SwitchTier::Leaf && reach(i) > run;
                shares.switches[i] = arrives ? 0 : 1 - freeOf(m_ofSwitches[i], shares);
            }
        for (std::size_t n = 0; n < shares.nodes.size(); ++n)
            shares.nodes[n] = 1 - freeOf(m_ofGroups[n], shares);
        return shares;
    }

    /// The group of switches, and all that it has ways up to.
    [[nodiscard]] std::vector<bool> above(std::size_t group) const
    {
        std::vector<bool> found(m_reach.size());
        found[group] = true;
        for (bool more = true; more;) {
            more = false;
            for (const Cables& c : m_uplinks)
                if (found[c.lower] && !found[c.upper])
                    more = found[c.upper] = true;
        }
        return found;
    }

    /// The share of the elements of a group that has a cable to switches which are not bound: in unlike groups of these
    /// as many as there are cables, in groups with bound blocks, which lie side by side, the same ones.
    [[nodiscard]] static double freeOf(const Neighbours& neighbours, const Shares& shares)
    {
        double apart = 0, sideBySide = 0;
        for (const auto& [upper, reached] : neighbours)
            if (const double isFree = reached * (1 - shares.switches[upper]); shares.switches[upper] > 0)
                sideBySide = std::max(sideBySide, isFree);
            else
                apart += isFree;
        const double all = apart + sideBySide;
        return all > 1 - kRounding ? 1 : all;
    }

    /// The most that each accelerator of some groups sends out of a run, those in these shares alone.
    [[nodiscard]] SharedFlow::Most most(double run, const std::vector<std::size_t>& groups, const Shares& shares) const
    {
        SharedFlow flow;
        std::vector<std::size_t> entry, exit; // of switches: what goes up passes from one to the other
        for (std::size_t i = 0; i < m_reach.size(); ++i) {
            entry.push_back(flow.addVertex());
            exit.push_back(flow.addVertex());
            flow.addEdge(entry[i], exit[i], m_upwards[i]);
            if (m_cluster.switches[i].tier != SwitchTier::Leaf && reach(i) > run)
                flow.addEdge(entry[i], SharedFlow::sink(), kUnlimited);
        }
        for (const Cables& c : m_uplinks)
            if (shares.switches[c.upper] > 0 || shares.isBeyond[c.lower])
                flow.addEdge(exit[c.lower], entry[c.upper], (c.rate * double(c.count)).value());
        const Sources sources = addSources(flow, groups, shares);
        for (const Cables& c : m_ofNodes) {
            if (!(shares.switches[c.upper] > 0))
                continue;
            const bool arrives = reach(c.upper) > run && reachesAll(c.upper, c.lower, m_cables[c.upper][c.lower]);
            flow.addEdge(sources.ports[c.lower], arrives ? SharedFlow::sink() : entry[c.upper],
                (c.rate * double(c.count)).value());
        }
        SharedFlow::Most found = flow.mostOf(sources.asked);
        for (std::vector<std::size_t>* const all : {&found.heldBack, &found.tight})
            for (std::size_t& source : *all)
                source = sources.orders[source];
        return found;
    }

    struct Sources {
        std::vector<std::size_t> ports; ///< vertices of all groups of nodes: cables beyond their NICs add nothing
        std::vector<std::size_t> asked; ///< sources in question
        std::vector<std::size_t> orders; ///< of sources, among the groups that take part
    };
    [[nodiscard]] Sources addSources(
        SharedFlow& flow, const std::vector<std::size_t>& groups, const Shares& shares) const
    {
        Sources sources;
        std::size_t order = 0;
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n) {
            const NodeGroup& nodes = m_cluster.nodes[n];
            sources.ports.push_back(flow.addVertex());
            if (!takesPart(nodes))
                continue;
            if (shares.nodes[n] > 0) {
                if (std::ranges::find(groups, n) != groups.end())
                    sources.asked.push_back(sources.orders.size());
                sources.orders.push_back(order);
                flow.addEdge(flow.addSource(accelerators(nodes) * shares.nodes[n]), sources.ports.back(),
                    (sustained(nodes.nic) * (double(nodes.count) * shares.nodes[n] * nodes.nicsPerNode)).value());
            }
            ++order;
        }
        return sources;
    }

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
        std::map<std::pair<std::size_t, std::size_t>, long long> ofBoth;
        for (const Cables& c : m_uplinks)
            ofBoth[{c.lower, c.upper}] += c.count;
        for (Cables& c : m_uplinks)
            c.ofBoth = ofBoth[{c.lower, c.upper}];
    }

    /// Of each group of switches that another one reaches downwards, itself among them: of its blocks, and of those on
    /// the way, the fewest. Of so many parts of what is below, a block reaches one. 0 where it is not reached, or some
    /// block is not.
    [[nodiscard]] std::vector<long long> downwards(std::size_t group) const
    {
        std::vector<long long> parts(m_blocks.size());
        parts[group] = m_blocks[group];
        for (bool more = true; more;) {
            more = false;
            std::vector<long long> cables(m_blocks.size()), fewest = m_blocks; // of each, from those that are reached
            for (const Cables& c : m_uplinks)
                if (parts[c.upper] > 0 && c.ofBoth >= m_blocks[c.upper]) { // each block above has a cable to it
                    cables[c.lower] += c.count;
                    fewest[c.lower] = std::min(fewest[c.lower], parts[c.upper]);
                }
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (cables[i] > 0 && cables[i] >= m_blocks[i] && (parts[i] == 0 || fewest[i] < parts[i])) {
                    parts[i] = fewest[i];
                    more = true;
                }
        }
        return parts;
    }

    [[nodiscard]] Reach reachOf(std::size_t group, const std::vector<long long>& parts) const
    {
        Reach all;
        for (std::size_t n = 0; n < m_cluster.nodes.size(); ++n) {
            long long cables = 0;
            long long fewest = std::numeric_limits<long long>::max();
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (parts[i] > 0 && m_cables[i][n] > 0) {
                    cables += m_cables[i][n];
                    fewest = std::min(fewest, parts[i]);
                }
            if (cables > 0 && reachesAll(group, n, cables)) {
                all.accelerators += accelerators(m_cluster.nodes[n]) / double(fewest);
                all.groups.push_back(n);
            }
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
    std::vector<long long> m_blocks; ///< blocksApart
    std::vector<Reach> m_reach;
    std::vector<double> m_upwards;
    std::vector<Neighbours> m_ofSwitches, m_ofGroups; ///< those above
    bool m_someLackCables = false; ///< some group has a neighbour that not all of its elements have a cable to
};

/// Of nodes with NICs of one rate what their uplinks carry over that, where it is least.
struct LeastShare {
    double share = 1;
    std::set<std::size_t> groups; ///< Cut::narrowest

    void take(double other, const std::vector<std::size_t>& ofGroups)
    {
        if (other < share * (1 - kRounding))
            groups.clear();
        if (other <= share * (1 + kRounding))
            groups.insert(ofGroups.begin(), ofGroups.end());
        share = std::min(share, other);
    }
};

LeastShare leastShare(const Cluster& cluster, SwitchTier tier)
{
    std::map<BytesPerSecond, std::vector<std::size_t>> groups; // by what an accelerator sends over its NICs
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
        if (const NodeGroup& nodes = cluster.nodes[n]; takesPart(nodes))
            groups[nodePorts(cluster, nodes).bandwidth / double(nodes.acceleratorsPerNode)].push_back(n);
    LeastShare least;
    if (!isDrawn(cluster))
        return least;
    for (const auto& [ofAccelerator, places] : groups)
        for (const Cut& cut : ofAccelerator > BytesPerSecond{} ? cuts(cluster, places) : std::vector<Cut>{})
            if (cut.tier == tier)
                least.take(
                    cut.ofAccelerator.value() == kUnlimited ? 0 : cut.ofAccelerator / ofAccelerator, cut.narrowest);
    return least;
}

} // namespace

int alignmentOf(const Cluster& cluster, const std::vector<std::size_t>& groups, double run)
{
    const int whole = int(run * (1 + kRounding));
    int alignment = whole, first = 0;
    bool isInside = false;
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
        if (!takesPart(cluster.nodes[n]))
            continue;
        if ((std::ranges::find(groups, n) != groups.end()) != isInside) { // a run begins or ends here
            isInside = !isInside;
            alignment = std::gcd(alignment, first);
        }
        first += int(accelerators(cluster.nodes[n]));
    }
    return run > whole * (1 + kRounding) ? 1 : alignment;
}

std::vector<Cut> cuts(const Cluster& cluster)
{
    std::vector<std::size_t> all(cluster.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    return cuts(cluster, all);
}

std::vector<Cut> cuts(const Cluster& cluster, const std::vector<std::size_t>& groups)
{
    const Drawing drawing(cluster);
    struct Run {
        std::optional<SwitchTier> tier;
        int alignment = 0;
    };
    std::map<double, Run> runs{{0, {}}};
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const double run = drawing.reach(i);
        if (run <= 0 || run >= acceleratorCount(cluster))
            continue;
        Run& same = runs[run];
        same.tier = std::min(same.tier.value_or(SwitchTier::Core), cluster.switches[i].tier);
        same.alignment = std::gcd(same.alignment, drawing.alignment(i));
    }
    std::vector<Cut> all;
    for (const auto& [run, same] : runs) {
        const SharedFlow::Most most = drawing.outOf(run, groups);
        all.push_back(
            {run, same.tier, std::max(1, same.alignment), BytesPerSecond(most.ofUnit), most.heldBack, most.tight});
    }
    return all;
}

double uplinkShare(const Cluster& cluster, SwitchTier tier)
{
    return leastShare(cluster, tier).share;
}

std::vector<std::size_t> leastUplinked(const Cluster& cluster, SwitchTier tier)
{
    std::vector<std::size_t> places; // of those that take part
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
        if (takesPart(cluster.nodes[n]))
            places.push_back(n);
    const std::set<std::size_t> groups = leastShare(cluster, tier).groups;
    std::vector<std::size_t> found;
    if (groups.size() < places.size())
        for (const std::size_t group : groups)
            found.push_back(places[group]);
    return found;
}

} // namespace stratoplan::cluster
