// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/parts.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace stratoplan::cluster {

Parts::Parts(const Cluster& cluster)
    : m_cluster(cluster)
    , m_part(cluster.switches.size())
{
    std::iota(m_part.begin(), m_part.end(), std::size_t{0});
    for (const SwitchGroup& group : cluster.switches)
        m_pieces.push_back(nodesReachAllOfABlock(group) ? blocksOf(group) : std::max(0, group.count));
    while (joinMore())
        ;
}

std::size_t Parts::indexOf(std::string_view id) const
{
    const auto it = std::ranges::find(m_cluster.switches, id, &SwitchGroup::id);
    return static_cast<std::size_t>(it - m_cluster.switches.begin());
}

bool Parts::has(std::size_t group) const
{
    return group < m_part.size() && m_cluster.switches[group].count > 0;
}

std::size_t Parts::partOf(std::size_t group) const
{
    while (m_part[group] != group)
        group = m_part[group];
    return group;
}

/// Rails: what one switch of a block does not reach, the nodes pass on to another one over their own links.
bool Parts::nodesReachAllOfABlock(const SwitchGroup& leaves) const
{
    if (leaves.tier != SwitchTier::Leaf || leaves.count <= 0 || leaves.count == blocksOf(leaves))
        return false;
    const long long rails = (leaves.count + blocksOf(leaves) - 1) / blocksOf(leaves);
    bool reaches = false;
    for (const NodeGroup& nodes : m_cluster.nodes) {
        if (!takesPart(nodes))
            continue;
        long long cables = 0;
        for (const Connection& c : m_cluster.connections)
            cables += endsAt(c, leaves.id) && endsAt(c, nodes.id) ? std::max(0, c.cables) : 0;
        if (cables > 0 && cables < rails * nodes.count)
            return false;
        reaches = reaches || cables > 0;
    }
    return reaches;
}

/// Over all their connections.
long long Parts::cablesBetween(const SwitchGroup& a, const SwitchGroup& b) const
{
    long long cables = 0;
    for (const Connection& c : m_cluster.connections)
        cables += endsAt(c, a.id) && endsAt(c, b.id) ? std::max(0, c.cables) : 0;
    return cables;
}

/// Their blocks lie side by side: the fewer blocks of the two are what is joined at the most.
long long Parts::joinedPieces(std::size_t a, std::size_t b) const
{
    const auto blocks = [&](std::size_t group) { return (long long)(blocksOf(m_cluster.switches[group])); };
    return std::min({blocks(a), blocks(b), piecesOf(a), piecesOf(b)});
}

long long Parts::cablesToJoin(std::size_t a, std::size_t b) const
{
    const long long joined = std::max(1LL, joinedPieces(a, b));
    const auto each = [&](std::size_t group) { return (piecesOf(group) + joined - 1) / joined; };
    return joined * (each(a) + each(b) - 1);
}

bool Parts::joinMore()
{
    bool changed = false;
    for (const Connection& c : m_cluster.connections) {
        const std::size_t a = indexOf(c.from), b = indexOf(c.to);
        if (!has(a) || !has(b) || c.cables <= 0 || partOf(a) == partOf(b))
            continue;
        const SwitchGroup &from = m_cluster.switches[a], &to = m_cluster.switches[b];
        if (from.tier == to.tier || cablesBetween(from, to) < cablesToJoin(a, b))
            continue;
        const long long pieces = joinedPieces(a, b);
        m_part[partOf(a)] = partOf(b);
        m_pieces[partOf(b)] = pieces;
        changed = true;
    }
    for (std::size_t group = 0; group < m_part.size(); ++group)
        changed = joinOverAll(group) || changed;
    return changed;
}

/// Over several groups together, each of which is in one piece: a tree over these and the pieces of the group.
bool Parts::joinOverAll(std::size_t group)
{
    if (!has(group) || piecesOf(group) == 1)
        return false;
    std::set<std::size_t> whole; // parts
    long long cables = 0;
    for (std::size_t other = 0; other < m_part.size(); ++other) {
        const SwitchGroup &a = m_cluster.switches[group], &b = m_cluster.switches[other];
        if (!has(other) || a.tier == b.tier || piecesOf(other) != 1 || partOf(other) == partOf(group))
            continue;
        if (const long long between = cablesBetween(a, b); between > 0) {
            cables += between;
            whole.insert(partOf(other));
        }
    }
    const bool joined = !whole.empty() && cables >= piecesOf(group) + static_cast<long long>(whole.size()) - 1;
    for (const std::size_t part : whole)
        if (joined)
            m_part[part] = partOf(group);
    if (joined)
        m_pieces[partOf(group)] = 1;
    return joined;
}

} // namespace stratoplan::cluster
