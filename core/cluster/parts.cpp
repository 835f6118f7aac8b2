// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace stratoplan::cluster {

Parts::Parts(const Cluster& cluster, SwitchTier highest)
    : m_cluster(cluster)
    , m_highest(highest)
    , m_linksOf(cluster.switches.size())
    , m_part(cluster.switches.size())
{
    std::iota(m_part.begin(), m_part.end(), std::size_t{0});
    for (const SwitchGroup& group : cluster.switches)
        m_pieces.push_back(nodesReachAllOfABlock(group) ? blocksOf(group) : std::max(0, group.count));
    m_links = linksOf(cluster);
    for (std::size_t i = 0; i < m_links.size(); ++i)
        for (const std::size_t end : {m_links[i].a, m_links[i].b})
            m_linksOf[end].push_back(i);
    while (joinMore())
        ;
}

std::vector<Parts::Link> Parts::linksOf(const Cluster& cluster) const
{
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
        index.try_emplace(cluster.switches[i].id, i);
    std::map<std::pair<std::size_t, std::size_t>, long long> cables;
    for (const Connection& c : cluster.connections) {
        const auto a = index.find(c.from), b = index.find(c.to);
        if (c.cables <= 0 || a == index.end() || b == index.end() || !has(a->second) || !has(b->second))
            continue;
        if (cluster.switches[a->second].tier != cluster.switches[b->second].tier)
            cables[std::minmax(a->second, b->second)] += c.cables;
    }
    std::vector<Link> links;
    for (const auto& [ends, all] : cables)
        links.push_back({ends.first, ends.second, all});
    return links;
}

std::size_t Parts::indexOf(std::string_view id) const
{
    const auto it = std::ranges::find(m_cluster.switches, id, &SwitchGroup::id);
    return static_cast<std::size_t>(it - m_cluster.switches.begin());
}

bool Parts::has(std::size_t group) const
{
    return group < m_part.size() && m_cluster.switches[group].count > 0 && m_cluster.switches[group].tier <= m_highest;
}

std::size_t Parts::partOf(std::size_t group) const
{
    while (m_part[group] != group)
        group = m_part[group];
    return group;
}

/// Rails: what one switch of a block does not reach, nodes with cables to all of them pass on over their own links. One
/// such node is left in each block where fewer cables are missing than a block has nodes.
bool Parts::nodesReachAllOfABlock(const SwitchGroup& leaves) const
{
    const long long blocks = blocksOf(leaves);
    if (leaves.tier != SwitchTier::Leaf || leaves.count <= blocks)
        return false;
    const long long rails = (leaves.count + blocks - 1) / blocks;
    return std::ranges::any_of(m_cluster.nodes, [&](const NodeGroup& nodes) {
        const long long cables = cablesBetween(m_cluster, leaves.id, nodes.id);
        return takesPart(nodes) && nodes.count >= blocks && cables > rails * nodes.count - nodes.count / blocks;
    });
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
    for (const Link& link : m_links) {
        if (partOf(link.a) == partOf(link.b) || link.cables < cablesToJoin(link.a, link.b))
            continue;
        const long long pieces = joinedPieces(link.a, link.b);
        m_part[partOf(link.a)] = partOf(link.b);
        m_pieces[partOf(link.b)] = pieces;
        changed = true;
    }
    for (std::size_t group = 0; group < m_part.size(); ++group)
        changed = joinOverAll(group) || changed;
    return changed;
}

/// Over several groups together, all in one piece then: a tree over the pieces of the group and of the others, each of
/// which has a cable. (Between two sides there is a tree of any degrees that add up to its cables on both.)
bool Parts::joinOverAll(std::size_t group)
{
    if (!has(group) || piecesOf(group) == 1)
        return false;
    std::map<std::size_t, long long> cables; // by part
    for (const std::size_t i : m_linksOf[group]) {
        const std::size_t other = m_links[i].a == group ? m_links[i].b : m_links[i].a;
        if (partOf(other) != partOf(group) && joinedPieces(group, other) == 1)
            cables[partOf(other)] += m_links[i].cables;
    }
    std::erase_if(cables, [&](const auto& part) { return part.second < m_pieces[part.first]; });
    long long all = 0, pieces = piecesOf(group);
    for (const auto& [part, ofPart] : cables) {
        all += ofPart;
        pieces += m_pieces[part];
    }
    if (cables.empty() || all < pieces - 1)
        return false;
    for (const auto& [part, ofPart] : cables)
        m_part[part] = partOf(group);
    m_pieces[partOf(group)] = 1;
    return true;
}

std::vector<long long> blocksApart(const Cluster& cluster)
{
    const std::array tiers{
        Parts(cluster, SwitchTier::Leaf), Parts(cluster, SwitchTier::Spine), Parts(cluster, SwitchTier::Core)};
    std::vector<long long> blocks;
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const SwitchGroup& group = cluster.switches[i];
        blocks.push_back(std::max<long long>(blocksOf(group), tiers[std::size_t(group.tier)].piecesOf(i)));
    }
    return blocks;
}

} // namespace stratoplan::cluster
