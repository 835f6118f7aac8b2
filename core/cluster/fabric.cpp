// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/fabric.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace stratoplan::cluster {

namespace {

const std::string& otherEnd(const Connection& connection, std::string_view id)
{
    return connection.from == id ? connection.to : connection.from;
}

const SwitchGroup* findSwitch(const Cluster& cluster, std::string_view id)
{
    const auto it = std::ranges::find(cluster.switches, id, &SwitchGroup::id);
    return it == cluster.switches.end() ? nullptr : &*it;
}

/// The switches at the other end of a group's cables; null where there are none, and cables carry nothing.
const SwitchGroup* switchesAt(const Cluster& cluster, const Connection& connection, std::string_view id)
{
    const SwitchGroup* const group =
        endsAt(connection, id) && connection.cables > 0 ? findSwitch(cluster, otherEnd(connection, id)) : nullptr;
    return group != nullptr && group->count > 0 ? group : nullptr;
}

/// Cables of one group of a rate each.
struct Cables {
    BytesPerSecond rate{};
    long long count = 0;
};

/// What the uplinks of a leaf group carry in all, sustained.
BytesPerSecond uplinksOf(const Cluster& cluster, const SwitchGroup& leaf)
{
    BytesPerSecond up{};
    for (const Connection& c : cluster.connections) {
        const SwitchGroup* const upper = switchesAt(cluster, c, leaf.id);
        if (upper != nullptr && upper->tier > leaf.tier)
            up += sustained(c.link) * double(c.cables);
    }
    return up;
}

bool isNode(const Cluster& cluster, const std::string& id)
{
    return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const NodeGroup& n) { return n.id == id; });
}

struct LeafCapacity {
    double up = 0; ///< bytes per second of the whole group
    double down = 0;
};

LeafCapacity capacityOf(const Cluster& cluster, const SwitchGroup& leaf)
{
    LeafCapacity capacity;
    for (const Connection& connection : cluster.connections) {
        if (connection.from != leaf.id && connection.to != leaf.id)
            continue;
        const std::string& other = connection.from == leaf.id ? connection.to : connection.from;
        const double rate = connection.link.bandwidth.value() * connection.cables;
        const SwitchGroup* upper = findSwitch(cluster, other);
        if (upper != nullptr && upper->tier != SwitchTier::Leaf)
            capacity.up += rate;
        else if (isNode(cluster, other))
            capacity.down += rate;
    }
    return capacity;
}

/// What groups of nodes send with, sustained: over cables to each group of leaves, and past them.
struct Demand {
    double nodes = 0;
    std::vector<BytesPerSecond> toLeaves;
    BytesPerSecond past{};
};

/// All that each of these nodes can send beyond its leaf at the same time: what uplinks, and their cables, carry.
template <class IsMember>
BytesPerSecond shareOf(
    const std::vector<Demand>& demands, const std::vector<BytesPerSecond>& uplinks, IsMember isMember)
{
    double nodes = 0;
    BytesPerSecond carried{};
    std::vector<BytesPerSecond> sent(uplinks.size());
    for (std::size_t i = 0; i < demands.size(); ++i) {
        if (!isMember(i))
            continue;
        nodes += demands[i].nodes;
        carried += demands[i].past;
        for (std::size_t leaf = 0; leaf < uplinks.size(); ++leaf)
            sent[leaf] += demands[i].toLeaves[leaf];
    }
    for (std::size_t leaf = 0; leaf < uplinks.size(); ++leaf)
        carried += std::min(uplinks[leaf], sent[leaf]);
    return carried / nodes;
}

std::vector<const SwitchGroup*> leavesOf(const Cluster& cluster)
{
    std::vector<const SwitchGroup*> leaves;
    for (const SwitchGroup& group : cluster.switches)
        if (group.tier == SwitchTier::Leaf && group.count > 0)
            leaves.push_back(&group);
    return leaves;
}

Demand demandOf(const Cluster& cluster, const NodeGroup& group, const std::vector<const SwitchGroup*>& leaves)
{
    Demand demand{double(group.count), std::vector<BytesPerSecond>(leaves.size()), {}};
    for (const Connection& c : cluster.connections) {
        if (switchesAt(cluster, c, group.id) == nullptr)
            continue;
        const auto leaf = std::ranges::find(leaves, otherEnd(c, group.id), &SwitchGroup::id);
        (leaf == leaves.end() ? demand.past : demand.toLeaves[std::size_t(leaf - leaves.begin())]) +=
            std::min(sustained(group.nic), sustained(c.link)) * double(std::max(0, c.cables));
    }
    return demand;
}

/// The parts of a drawing whose groups cables join as a whole.
class Parts {
public:
    explicit Parts(const Cluster& cluster)
        : m_cluster(cluster)
        , m_part(cluster.switches.size())
        , m_whole(cluster.switches.size())
    {
        std::iota(m_part.begin(), m_part.end(), std::size_t{0});
        for (std::size_t i = 0; i < m_whole.size(); ++i)
            m_whole[i] = cluster.switches[i].count == 1;
        while (joinMore())
            ;
    }

    [[nodiscard]] std::size_t indexOf(std::string_view id) const
    {
        const auto it = std::ranges::find(m_cluster.switches, id, &SwitchGroup::id);
        return static_cast<std::size_t>(it - m_cluster.switches.begin());
    }
    [[nodiscard]] bool isWhole(std::size_t group) const { return m_whole[group]; }
    [[nodiscard]] std::size_t partOf(std::size_t group) const
    {
        while (m_part[group] != group)
            group = m_part[group];
        return group;
    }

private:
    /// Of `a` switches and `b` others, of which each is joined to the rest of its kind or not.
    [[nodiscard]] static bool joins(long long cables, long long a, bool wholeA, long long b, bool wholeB)
    {
        // A tree over all that is not joined yet is the least.
        return cables >= (wholeA ? 1 : a) + (wholeB ? 1 : b) - 1;
    }

    /// Between two groups, over all their connections.
    [[nodiscard]] long long cablesBetween(const SwitchGroup& a, const SwitchGroup& b) const
    {
        long long cables = 0;
        for (const Connection& c : m_cluster.connections)
            cables += endsAt(c, a.id) && endsAt(c, b.id) ? std::max(0, c.cables) : 0;
        return cables;
    }

    bool joinMore()
    {
        bool changed = false;
        for (const Connection& c : m_cluster.connections) {
            const std::size_t a = indexOf(c.from), b = indexOf(c.to);
            if (a >= m_whole.size() || b >= m_whole.size())
                continue;
            const SwitchGroup &from = m_cluster.switches[a], &to = m_cluster.switches[b];
            if (from.tier == to.tier || from.count <= 0 || to.count <= 0 || c.cables <= 0
                || !joins(cablesBetween(from, to), from.count, m_whole[a], to.count, m_whole[b]))
                continue;
            changed = changed || !m_whole[a] || !m_whole[b] || partOf(a) != partOf(b);
            m_whole[a] = m_whole[b] = true;
            m_part[partOf(a)] = partOf(b);
        }
        return changed;
    }

    const Cluster& m_cluster;
    std::vector<std::size_t> m_part;
    std::vector<bool> m_whole;
};

/// Of a group of nodes, to switches.
long long cablesOf(const Cluster& cluster, std::string_view id)
{
    long long cables = 0;
    for (const Connection& c : cluster.connections)
        cables += switchesAt(cluster, c, id) != nullptr ? c.cables : 0;
    return cables;
}

/// Of switches that are not joined to one another, over the group above that lacks the fewest cables for it.
Gap apart(const Cluster& cluster, const SwitchGroup& group, const Parts& parts)
{
    Gap gap{GapKind::Switches, group.id, 0, group.count};
    for (const Connection& c : cluster.connections) {
        if (!endsAt(c, group.id))
            continue;
        const std::size_t at = parts.indexOf(otherEnd(c, group.id));
        if (at >= cluster.switches.size() || cluster.switches[at].tier <= group.tier)
            continue;
        const long long cables = std::max(0, c.cables);
        const long long needed = group.count + (parts.isWhole(at) ? 0 : cluster.switches[at].count - 1);
        if (gap.found == 0 || needed - cables < gap.limit - gap.found) {
            gap.found = cables;
            gap.limit = needed;
        }
    }
    return gap;
}

/// The parts that each node of a group has cables to, in order; where there is none, why is added to `found`: nodes
/// without a cable, or to any one part, or switches that are apart.
std::vector<std::size_t> partsOf(
    const Cluster& cluster, const NodeGroup& group, const Parts& parts, std::vector<Gap>& found)
{
    if (const long long all = cablesOf(cluster, group.id); all < group.count) {
        found.push_back({GapKind::Nodes, group.id, all, group.count});
        return {};
    }
    std::map<std::size_t, long long> cables; // to each part that is whole
    std::vector<const SwitchGroup*> broken;
    for (const Connection& c : cluster.connections) {
        const SwitchGroup* const switches = switchesAt(cluster, c, group.id);
        if (switches == nullptr)
            continue;
        const std::size_t at = parts.indexOf(switches->id);
        if (parts.isWhole(at))
            cables[parts.partOf(at)] += c.cables;
        else
            broken.push_back(switches);
    }
    std::vector<std::size_t> reached;
    long long most = 0;
    for (const auto& [part, count] : cables) {
        most = std::max(most, count);
        if (count >= group.count)
            reached.push_back(part);
    }
    if (!reached.empty())
        return reached;
    for (const SwitchGroup* switches : broken)
        if (std::ranges::find(found, switches->id, &Gap::element) == found.end())
            found.push_back(apart(cluster, *switches, parts));
    if (broken.empty() && most > 0)
        found.push_back({GapKind::Nodes, group.id, most, group.count});
    return reached;
}

/// Whether switches that are told of as apart have cables of the group.
bool endsAtBroken(const Cluster& cluster, const NodeGroup& group, const std::vector<Gap>& found)
{
    return std::ranges::any_of(found, [&](const Gap& gap) {
        return gap.kind == GapKind::Switches && std::ranges::any_of(cluster.connections, [&](const Connection& c) {
            return c.cables > 0 && endsAt(c, gap.element) && endsAt(c, group.id);
        });
    });
}

/// Accelerators of the group that a gap in it leaves joined.
int joinedOf(const Cluster& cluster, const NodeGroup& group, const Gap& gap)
{
    switch (gap.kind) {
    case GapKind::Nodes:
        return static_cast<int>(gap.found) * group.acceleratorsPerNode;
    case GapKind::Switches: // those under one of them
        return group.acceleratorsPerNode * group.count / std::max(1, findSwitch(cluster, gap.element)->count);
    case GapKind::Part:
        break;
    }
    return 0;
}

} // namespace

bool isDrawn(const Cluster& cluster)
{
    return !cluster.switches.empty() || !cluster.connections.empty();
}

NodePorts nodePorts(const Cluster& cluster, const NodeGroup& group)
{
    const BytesPerSecond ofNic = sustained(group.nic);
    if (!isDrawn(cluster))
        return {double(group.nicsPerNode), ofNic * double(group.nicsPerNode), ofNic};
    std::vector<Cables> bundles;
    long long all = 0;
    for (const Connection& c : cluster.connections)
        if (switchesAt(cluster, c, group.id) != nullptr) {
            bundles.push_back({std::min(ofNic, sustained(c.link)), c.cables});
            all += c.cables;
        }
    if (bundles.empty())
        return {};
    std::ranges::sort(bundles, std::ranges::greater{}, &Cables::rate);
    if (all < group.count || group.count <= 0) // of the nodes that have one
        return {1, bundles.back().rate, bundles.back().rate};
    // Of the node with the fewest cables: those that carry at least a rate each, by every rate there is.
    NodePorts ports;
    long long cables = 0, carry = 0;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
        cables += bundles[i].count;
        carry = std::min<long long>(group.nicsPerNode, cables / group.count);
        const BytesPerSecond next = i + 1 < bundles.size() ? bundles[i + 1].rate : BytesPerSecond{};
        ports.bandwidth += (bundles[i].rate - next) * double(carry);
        ports.fastest = carry > 0 ? std::max(ports.fastest, bundles[i].rate) : ports.fastest;
    }
    const bool alike = bundles.front().rate == bundles.back().rate;
    ports.count = alike ? double(carry) : ports.bandwidth / ports.fastest;
    return ports;
}

BytesPerSecond uplinksOfNode(const Cluster& cluster)
{
    const std::vector<const SwitchGroup*> leaves = leavesOf(cluster);
    std::vector<BytesPerSecond> uplinks;
    for (const SwitchGroup* leaf : leaves)
        uplinks.push_back(uplinksOf(cluster, *leaf));
    constexpr BytesPerSecond kUnlimited(std::numeric_limits<double>::infinity());
    if (std::ranges::all_of(uplinks, [](BytesPerSecond up) { return up <= BytesPerSecond{}; }))
        return kUnlimited;
    std::vector<Demand> demands;
    for (const NodeGroup& group : cluster.nodes) {
        if (!takesPart(group))
            continue;
        Demand demand = demandOf(cluster, group, leaves);
        BytesPerSecond onward = demand.past;
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
            onward += std::min(demand.toLeaves[leaf], uplinks[leaf]);
        if (onward > BytesPerSecond{}) // else it is apart, or under one leaf with all others
            demands.push_back(std::move(demand));
    }
    if (demands.empty())
        return kUnlimited;
    // What all get alike is what the worst of all sets of groups gets: the minimum cut of the flow. Of more groups than
    // are looked through in every combination, each alone and all together.
    constexpr std::size_t kMost = 10;
    BytesPerSecond least = shareOf(demands, uplinks, [](std::size_t) { return true; });
    if (demands.size() <= kMost) {
        for (unsigned members = 1; members < (1U << demands.size()) - 1; ++members)
            least = std::min(least, shareOf(demands, uplinks, [&](std::size_t i) { return (members >> i & 1) != 0; }));
        return least;
    }
    for (std::size_t alone = 0; alone < demands.size(); ++alone)
        least = std::min(least, shareOf(demands, uplinks, [&](std::size_t i) { return i == alone; }));
    return least;
}

int leafUnits(const Cluster& cluster)
{
    struct Leaves {
        std::vector<bool> touched, reached; ///< groups of nodes with a cable there, and with one of each node
        int count = 0;
    };
    std::vector<Leaves> all;
    for (const SwitchGroup* leaf : leavesOf(cluster)) {
        Leaves leaves{{}, {}, leaf->count};
        for (const NodeGroup& group : cluster.nodes) {
            long long cables = 0;
            for (const Connection& c : cluster.connections)
                cables += endsAt(c, leaf->id) && endsAt(c, group.id) ? std::max(0, c.cables) : 0;
            leaves.touched.push_back(cables > 0);
            leaves.reached.push_back(cables > 0 && cables >= group.count);
        }
        if (std::ranges::find(leaves.touched, true) != leaves.touched.end())
            all.push_back(std::move(leaves));
    }
    const auto covers = [](const Leaves& wide, const Leaves& narrow) {
        for (std::size_t i = 0; i < narrow.touched.size(); ++i)
            if (narrow.touched[i] && !wide.reached[i])
                return false;
        return true;
    };
    // Of two that cover one another the one of fewer switches stands for both, or the first.
    int units = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool covered = false;
        for (std::size_t k = 0; k < all.size(); ++k)
            covered = covered
                || (k != i && covers(all[k], all[i])
                    && (!covers(all[i], all[k]) || all[k].count < all[i].count
                        || (all[k].count == all[i].count && k < i)));
        units += covered ? 0 : all[i].count;
    }
    return units;
}

double leafUplinkShare(const Cluster& cluster)
{
    double share = 1;
    for (const SwitchGroup& group : cluster.switches) {
        if (group.tier != SwitchTier::Leaf)
            continue;
        const LeafCapacity capacity = capacityOf(cluster, group);
        if (capacity.up > 0 && capacity.down > 0)
            share = std::min(share, capacity.up / capacity.down);
    }
    return share;
}

std::vector<Gap> gaps(const Cluster& cluster)
{
    std::vector<Gap> found;
    const int domain = smallestDomain(cluster);
    if (!isDrawn(cluster) || acceleratorCount(cluster) <= domain)
        return found;
    const Parts parts(cluster);
    std::optional<std::vector<std::size_t>> common; // parts that all groups so far have cables to
    int before = 0; // accelerators of the groups so far
    for (const NodeGroup& group : cluster.nodes) {
        if (!takesPart(group))
            continue;
        const std::size_t known = found.size();
        const std::vector<std::size_t> reached = partsOf(cluster, group, parts, found);
        std::vector<std::size_t> shared = reached;
        if (common) {
            shared.clear();
            std::ranges::set_intersection(*common, reached, std::back_inserter(shared));
        }
        const bool isBroken = found.size() > known || endsAtBroken(cluster, group, found);
        if (!isBroken && shared.empty())
            found.push_back({GapKind::Part, group.id});
        for (std::size_t i = known; i < found.size(); ++i)
            found[i].joined = std::max(domain, before + joinedOf(cluster, group, found[i]));
        if (!isBroken && !shared.empty())
            common = std::move(shared);
        before += group.acceleratorsPerNode * group.count;
    }
    return found;
}

int joinedAccelerators(const Cluster& cluster)
{
    int joined = acceleratorCount(cluster);
    for (const Gap& gap : gaps(cluster))
        joined = std::min(joined, gap.joined);
    return joined;
}

} // namespace stratoplan::cluster
