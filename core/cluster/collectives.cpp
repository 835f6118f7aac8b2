// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/collectives.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::cluster {

namespace {

bool crossesDomain(const Topology& topology, const Span& span)
{
    return span.size > span.inside && topology.levels.size() > 1;
}

/// What `active` ranks get out of the ports of one unit: a rank alone cannot drive every port of its node.
BytesPerSecond reachable(const TopologyLevel& level, int unitSize, double active)
{
    const double portsPerRank = std::max(1.0, level.ports / std::max(1, unitSize));
    const double driven = active * portsPerRank;
    return driven >= level.ports ? level.bandwidth : level.bandwidth * (driven / level.ports);
}

Seconds networkLatency(const Topology& topology, const Span& span)
{
    std::size_t level = topology.levels.size() - 1;
    while (level > 1 && !crosses(topology, span, level))
        --level;
    return topology.levels[level].latency;
}

/// A ring of `n` ranks that reduces or gathers once.
Seconds ringPass(int n, Seconds latency, Bytes full, BytesPerSecond bandwidth)
{
    if (n <= 1)
        return {};
    return latency * (n - 1) + full * (double(n - 1) / n) / bandwidth;
}

/// Of so many ranks of the group, those in one domain or all.
LinkUse useInside(const Topology& topology, const Span& span, int ranks)
{
    const std::optional<Torus>& torus = topology.levels[0].torus;
    return torus ? torusUse(torus->axes.size(), span.box, ranks) : switchedUse(ranks);
}

/// Rings over so many ranks inside a domain, along all axes of a torus at once, that reduce or gather once.
Seconds insidePass(const Topology& topology, const Span& span, int ranks, Bytes full)
{
    if (ranks <= 1)
        return {};
    const LinkUse use = useInside(topology, span, ranks);
    const TopologyLevel& domain = topology.levels[0];
    return domain.latency * use.hops + full * (double(ranks - 1) / ranks) / (domain.bandwidth * use.rings);
}

int domainsOf(const Span& span)
{
    return (span.size + span.inside - 1) / span.inside;
}

/// What a ring that leaves the domains gets of the links, out of them and inside.
BytesPerSecond ringThroughDomains(const Topology& topology, const Span& span)
{
    const BytesPerSecond uplink = uplinkBandwidth(topology, span);
    if (span.inside <= 1)
        return uplink;
    return std::min(uplink, topology.levels[0].bandwidth * useInside(topology, span, span.inside).ring);
}

/// Each domain is left over one link: of the hops that a block makes, all others stay inside.
Seconds flatRing(const Topology& topology, const Span& span, Bytes full)
{
    const Seconds hop = topology.levels[0].latency;
    if (!crossesDomain(topology, span))
        return ringPass(span.size, hop, full, topology.levels[0].bandwidth * useInside(topology, span, span.size).ring);
    const double crossings = double(domainsOf(span)) / span.size;
    const Seconds mean = networkLatency(topology, span) * crossings + hop * (1 - crossings);
    return ringPass(span.size, mean, full, ringThroughDomains(topology, span));
}

/// One pass inside the domain; each of its ranks then runs a ring with its peers in the other domains.
Seconds hierarchicalPass(const Topology& topology, const Span& span, Bytes full)
{
    const Seconds inner = insidePass(topology, span, span.inside, full);
    const Seconds outer =
        ringPass(domainsOf(span), networkLatency(topology, span), full, uplinkBandwidth(topology, span));
    return inner + outer;
}

/// Of domains that send to one another at distances of 1, 2, 4, …: of NCCL's tuner the share of the bandwidth, and the
/// latency that is left for each of them beside that of a round (2.8 us beside 14).
Seconds recursivePass(const Topology& topology, const Span& span, Bytes full)
{
    constexpr double kShare = 0.75, kLatencyOfEach = 0.2;
    const int n = domainsOf(span);
    if (n <= 1)
        return insidePass(topology, span, span.size, full);
    const Seconds inner = insidePass(topology, span, span.inside, full);
    const Seconds rounds = networkLatency(topology, span) * (std::ceil(std::log2(double(n))) + kLatencyOfEach * n);
    return inner + rounds + full * (double(n - 1) / n) / (uplinkBandwidth(topology, span) * kShare);
}

/// Whether the group stays in a domain whose collectives were measured.
bool measured(const Topology& topology, const Span& span, CollectiveAlgorithm algorithm)
{
    return algorithm == CollectiveAlgorithm::Fastest && !crossesDomain(topology, span)
        && topology.levels[0].curves != nullptr && !topology.levels[0].torus;
}

Seconds measuredSeconds(const Topology& topology, const Span& span, CollectiveOp op, Bytes bytes)
{
    return collectiveSeconds(*topology.levels[0].curves, op, span.size, bytes, topology.levels[0].bandwidth);
}

/// Groups that NCCL has the recursive form for.
bool hasOneRankInNodes(const Topology& topology, const Span& span)
{
    return span.inside == 1 && (!topology.levels[1].isBypassed || ranksIn(span, 1) == 1);
}

Seconds onePass(const Topology& topology, const Span& span, Bytes full, CollectiveAlgorithm algorithm,
    CollectiveOp op = CollectiveOp::AllGather)
{
    if (span.size <= 1 || topology.levels.empty())
        return {};
    if (measured(topology, span, algorithm))
        return measuredSeconds(topology, span, op, full);
    if (algorithm == CollectiveAlgorithm::Recursive)
        return recursivePass(topology, span, full);
    if (!crossesDomain(topology, span) && algorithm != CollectiveAlgorithm::Ring)
        return insidePass(topology, span, span.size, full);
    const Seconds ring = flatRing(topology, span, full);
    if (algorithm == CollectiveAlgorithm::Ring)
        return ring;
    if (algorithm == CollectiveAlgorithm::Fastest && hasOneRankInNodes(topology, span))
        return std::min(ring, recursivePass(topology, span, full));
    if (span.inside == 1)
        return ring;
    const Seconds hierarchical = hierarchicalPass(topology, span, full);
    return algorithm == CollectiveAlgorithm::Hierarchical ? hierarchical : std::min(ring, hierarchical);
}

/// Double binary tree between domains, a chain inside each (as NCCL builds it); both directions pipelined.
Seconds doubleTree(const Topology& topology, const Span& span, Bytes full)
{
    if (!crossesDomain(topology, span))
        return topology.levels[0].latency * (2 * std::log2(double(span.size)))
            + full * 2.0 / topology.levels[0].bandwidth;
    const Seconds latency = networkLatency(topology, span) * std::log2(double(domainsOf(span)))
        + topology.levels[0].latency * (span.inside - 1);
    return latency * 2.0 + full * 2.0 / ringThroughDomains(topology, span);
}

Seconds inSwitch(const Topology& topology, const Span& span, Bytes full)
{
    if (!crossesDomain(topology, span))
        return topology.levels[0].latency * 2.0 + full / topology.levels[0].bandwidth;
    const Seconds inner = insidePass(topology, span, span.inside, full);
    return inner * 2.0 + networkLatency(topology, span) * 2.0 + full / uplinkBandwidth(topology, span);
}

/// Of all that the group leaves a domain over, every switch.
bool reducesInSwitches(const Topology& topology, const Span& span)
{
    bool all = crossesDomain(topology, span);
    for (std::size_t level = 1; level < topology.levels.size(); ++level)
        all = all && (!crosses(topology, span, level) || topology.levels[level].reduces);
    return all;
}

} // namespace

bool crosses(const Topology& topology, const Span& span, std::size_t level)
{
    if (level >= topology.levels.size())
        return false;
    const int below = ranksIn(span, level - 1);
    return topology.levels[level].isBypassed ? ranksIn(span, level) > below : span.size > below;
}

BytesPerSecond exitBandwidth(const Topology& topology, const Span& span, std::size_t level, int active)
{
    const double groups = sharing(span, level - 1);
    return reachable(topology.levels[level], topology.levels[level - 1].size, active * groups) / groups;
}

BytesPerSecond uplinkBandwidth(const Topology& topology, const Span& span)
{
    if (!crossesDomain(topology, span))
        return topology.levels.empty() ? BytesPerSecond{} : topology.levels[0].bandwidth;
    BytesPerSecond bandwidth(std::numeric_limits<double>::infinity());
    for (std::size_t level = 1; level < topology.levels.size(); ++level)
        if (crosses(topology, span, level))
            bandwidth = std::min(bandwidth, exitBandwidth(topology, span, level, ranksIn(span, level - 1)));
    return bandwidth;
}

BytesPerSecond bandwidthInside(const Topology& topology, const Span& span)
{
    return topology.levels.at(0).bandwidth * useInside(topology, span, span.inside).rings;
}

Seconds allGather(const Topology& topology, const Span& span, Bytes gathered, CollectiveAlgorithm algorithm)
{
    return onePass(topology, span, gathered, algorithm);
}

Seconds reduceScatter(const Topology& topology, const Span& span, Bytes full, CollectiveAlgorithm algorithm)
{
    return onePass(topology, span, full, algorithm, CollectiveOp::ReduceScatter);
}

Seconds allReduce(const Topology& topology, const Span& span, Bytes full, CollectiveAlgorithm algorithm)
{
    if (span.size <= 1 || topology.levels.empty())
        return {};
    if (topology.levels[0].torus && !crossesDomain(topology, span))
        return onePass(topology, span, full, algorithm) * 2.0;
    if (algorithm == CollectiveAlgorithm::DoubleTree)
        return doubleTree(topology, span, full);
    if (algorithm == CollectiveAlgorithm::InSwitch)
        return inSwitch(topology, span, full);
    if (measured(topology, span, algorithm))
        return measuredSeconds(topology, span, CollectiveOp::AllReduce, full);
    const Seconds twoPasses = onePass(topology, span, full, algorithm) * 2.0;
    if (algorithm != CollectiveAlgorithm::Fastest)
        return twoPasses;
    const Seconds fastest = std::min(twoPasses, doubleTree(topology, span, full));
    return reducesInSwitches(topology, span) ? std::min(fastest, inSwitch(topology, span, full)) : fastest;
}

Seconds allToAll(const Topology& topology, const Span& span, Bytes local, CollectiveAlgorithm algorithm)
{
    if (span.size <= 1 || topology.levels.empty())
        return {};
    if (measured(topology, span, algorithm))
        return measuredSeconds(topology, span, CollectiveOp::AllToAll, local);
    const double n = span.size;
    const TopologyLevel& domain = topology.levels[0];
    const bool leaves = crossesDomain(topology, span);
    const LinkUse use = useInside(topology, span, leaves ? span.inside : span.size);
    if (!leaves)
        return domain.latency * use.hops + local * (use.exchange / n) / domain.bandwidth;
    // All ranks of the group in a unit send beyond it over the group's share of its ports at once.
    Seconds outside{};
    for (std::size_t level = 1; level < topology.levels.size(); ++level) {
        if (!crosses(topology, span, level))
            continue;
        const int ranks = ranksIn(span, level - 1);
        const double beyond = (topology.levels[level].isBypassed ? ranksIn(span, level) : n) - ranks;
        outside = std::max(outside, local * (ranks * beyond / n) / exitBandwidth(topology, span, level, ranks));
    }
    const Seconds hop = networkLatency(topology, span);
    const Seconds inner = local * (use.exchange / n) / domain.bandwidth;
    const Seconds direct = hop * (n - 1) + std::max(outside, inner);
    if (span.inside == 1 || algorithm == CollectiveAlgorithm::Ring)
        return direct;
    // All that a rank sends passes the ranks inside once.
    const Seconds hierarchical = domain.latency * use.hops + local * (use.exchange / span.inside) / domain.bandwidth
        + hop * (domainsOf(span) - 1) + outside;
    return algorithm == CollectiveAlgorithm::Hierarchical ? hierarchical : std::min(direct, hierarchical);
}

Seconds broadcast(const Topology& topology, const Span& span, Bytes full)
{
    if (span.size <= 1 || topology.levels.empty())
        return {};
    const double n = span.size;
    const Bytes passed = full * (n / (n - 1));
    return crossesDomain(topology, span) ? flatRing(topology, span, passed)
                                         : insidePass(topology, span, span.size, passed);
}

Seconds pointToPoint(const Topology& topology, const Span& span, Bytes bytes)
{
    if (span.size <= 1 || topology.levels.empty())
        return {};
    if (!crossesDomain(topology, span))
        return topology.levels[0].latency
            + bytes / (topology.levels[0].bandwidth * useInside(topology, span, span.size).send);
    // One rank of the group sends over the boundary, alone but for the other groups.
    Span sender = span;
    sender.inside = 1;
    return networkLatency(topology, span) + bytes / uplinkBandwidth(topology, sender);
}

} // namespace stratoplan::cluster
