// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of linking: what may be linked to what, which way up, with how many cables.
#include "widgets/topology/cluster_edit.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stratoplan::widgets {

namespace {

int clampedInt(long long value)
{
    return static_cast<int>(std::clamp<long long>(value, 0, std::numeric_limits<int>::max()));
}

/// Height of an element in the fabric: nodes 0, leaf 1, spine 2, core 3; -1 if unknown.
int tierOf(const cluster::Cluster& cluster, std::string_view id)
{
    if (findNodes(cluster, id))
        return 0;
    const cluster::SwitchGroup* s = findSwitches(cluster, id);
    return s ? 1 + static_cast<int>(s->tier) : -1;
}

LinkRefusal refusalOfTiers(int lower, int upper)
{
    if (upper == 0)
        return LinkRefusal::BothNodes;
    if (lower == upper)
        return LinkRefusal::SameTier;
    if (lower == 0 && upper != 1)
        return LinkRefusal::NotLeaf;
    return upper - lower > 1 ? LinkRefusal::TierSkipped : LinkRefusal::None;
}

/// Cables that make a switch group non-blocking: as many up as down, or half its ports while nothing hangs below it.
long long wantedUplinks(const cluster::Cluster& cluster, const cluster::SwitchGroup& lower)
{
    long long down = 0;
    long long up = 0;
    for (const cluster::Connection& c : cluster.connections) {
        if (c.to == lower.id)
            down += c.cables;
        else if (c.from == lower.id)
            up += c.cables;
    }
    const long long wanted = (down > 0 ? down : portCount(cluster, lower.id) / 2) - up;
    return std::max<long long>(wanted, lower.count);
}

cluster::Link linkFor(const cluster::Cluster& cluster, const std::string& lower, const cluster::Link& fallback)
{
    if (const cluster::NodeGroup* nodes = findNodes(cluster, lower))
        return nodes->nic;
    for (const cluster::Connection& c : cluster.connections) {
        if (c.to == lower)
            return c.link;
    }
    if (!cluster.connections.empty())
        return cluster.connections.front().link;
    return cluster.nodes.empty() ? fallback : cluster.nodes.front().nic;
}

} // namespace

LinkVerdict connectionPossible(const cluster::Cluster& cluster, std::string_view a, std::string_view b)
{
    LinkVerdict verdict;
    int lower = tierOf(cluster, a);
    int upper = tierOf(cluster, b);
    if (lower > upper) {
        std::swap(lower, upper);
        std::swap(a, b);
    }
    verdict.from = a;
    verdict.to = b;
    if (lower < 0) {
        verdict.refusal = LinkRefusal::UnknownElement;
        return verdict;
    }
    verdict.refusal = a == b ? LinkRefusal::SameElement : refusalOfTiers(lower, upper);
    if (!verdict.possible())
        return verdict;
    const bool linked = std::any_of(cluster.connections.begin(), cluster.connections.end(),
        [&](const cluster::Connection& c) { return touches(c, a) && touches(c, b); });
    if (linked) {
        verdict.refusal = LinkRefusal::AlreadyLinked;
        return verdict;
    }
    const long long below = freePorts(cluster, a);
    const long long above = freePorts(cluster, b);
    if (below <= 0 || above <= 0) {
        verdict.refusal = LinkRefusal::NoFreePort;
        verdict.element = below <= 0 ? a : b;
        return verdict;
    }
    const cluster::SwitchGroup* lowerSwitch = findSwitches(cluster, a);
    verdict.wanted = clampedInt(lowerSwitch ? wantedUplinks(cluster, *lowerSwitch) : below);
    verdict.cables = clampedInt(std::min({static_cast<long long>(verdict.wanted), below, above}));
    return verdict;
}

LinkVerdict connectElements(
    cluster::Cluster& cluster, std::string_view a, std::string_view b, const cluster::Link& fallback)
{
    LinkVerdict verdict = connectionPossible(cluster, a, b);
    if (verdict.possible())
        cluster.connections.push_back(
            {verdict.from, verdict.to, linkFor(cluster, verdict.from, fallback), verdict.cables});
    return verdict;
}

LinkVerdict moveEnd(cluster::Cluster& cluster, std::size_t link, bool isLower, std::string_view id)
{
    const cluster::Connection old = cluster.connections.at(link);
    cluster::Cluster others = cluster;
    others.connections.erase(others.connections.begin() + static_cast<std::ptrdiff_t>(link));
    LinkVerdict verdict = connectionPossible(others, id, isLower ? old.to : old.from);
    if (!verdict.possible())
        return verdict;
    const long long room = std::min(freePorts(others, verdict.from), freePorts(others, verdict.to));
    verdict.cables = clampedInt(std::min<long long>(old.cables, room));
    cluster.connections.at(link) = {verdict.from, verdict.to, old.link, verdict.cables};
    return verdict;
}

bool setTier(cluster::Cluster& cluster, std::string_view id, cluster::SwitchTier tier)
{
    cluster::SwitchGroup* switches = findSwitches(cluster, id);
    if (!switches || switches->tier == tier)
        return false;
    switches->tier = tier;
    for (cluster::Connection& c : cluster.connections) {
        if (touches(c, id) && tierOf(cluster, c.from) > tierOf(cluster, c.to))
            std::swap(c.from, c.to);
    }
    return true;
}

} // namespace stratoplan::widgets
