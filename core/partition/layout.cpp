// SPDX-License-Identifier: Apache-2.0
#include "core/partition/layout.h"

#include <algorithm>
#include <set>

namespace stratoplan::partition {
namespace {

using Slices = std::array<std::uint16_t, kAxes>;

/// Of the whole activation, what two parts have in common: cuts are powers of two, so that a slice lies in another one
/// or beside it.
double common(const Slices& a, const Layout& cutsA, const Slices& b, const Layout& cutsB)
{
    double share = 1;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const int fine = std::max(cutsA.slices[axis], cutsB.slices[axis]);
        const int coarse = std::min(cutsA.slices[axis], cutsB.slices[axis]);
        const int inner = cutsA.slices[axis] >= cutsB.slices[axis] ? a[axis] : b[axis];
        const int outer = cutsA.slices[axis] >= cutsB.slices[axis] ? b[axis] : a[axis];
        if (inner / (fine / coarse) != outer)
            return 0;
        share /= fine;
    }
    return share;
}

} // namespace

double Layout::share() const
{
    double part = 1;
    for (const std::uint16_t count : slices)
        part /= count;
    return part;
}

Layout layoutOf(const LinearPartition& partition, Tensor tensor, Phase phase, int step)
{
    const Dimension channels = tensor == Tensor::Input ? Dimension::N : Dimension::K;
    Layout layout;
    layout.slices = {std::uint16_t(partition.slices(Dimension::B)), std::uint16_t(partition.slices(Dimension::M)),
        std::uint16_t(partition.slices(channels)), 1};
    layout.held.reserve(std::size_t(partition.ranks()));
    for (int rank = 0; rank < partition.ranks(); ++rank)
        layout.held.push_back({std::uint16_t(partition.slice(Dimension::B, rank, phase, step)),
            std::uint16_t(partition.slice(Dimension::M, rank, phase, step)),
            std::uint16_t(partition.slice(channels, rank, phase, step)), 0});
    return layout;
}

Layout wholeLayout(int ranks)
{
    Layout layout;
    layout.held.assign(std::size_t(ranks), {});
    return layout;
}

Lack lack(const Layout& now, const Layout& next, int domain)
{
    Lack most;
    const int ranks = int(next.held.size());
    const double share = next.share();
    for (int first = 0; first < ranks; first += domain) {
        const int end = std::min(ranks, first + domain);
        const std::set<Slices> near(now.held.begin() + first, now.held.begin() + end);
        double across = 0;
        for (int rank = first; rank < end; ++rank) {
            const Slices& wanted = next.held[std::size_t(rank)];
            double nearby = 0; // parts of one layout are the same or have nothing in common
            for (const Slices& part : near)
                nearby += common(part, now, wanted, next);
            const double kept = common(now.held[std::size_t(rank)], now, wanted, next);
            most.inside = std::max(most.inside, nearby - kept);
            most.all += share - kept;
            across += share - nearby;
        }
        most.across = std::max(most.across, across);
    }
    return most;
}

Seconds handOverSeconds(const GroupPlace& place, const Layout& now, const Layout& next, Bytes whole)
{
    const Lack lacking = lack(now, next, place.span.inside);
    Seconds longest{};
    if (lacking.inside > 0)
        longest = pointToPoint(place.topology, {2, 2}, whole * lacking.inside);
    if (lacking.across > 0) {
        // All ranks of the domain drive its ports; the slowest boundary that the group crosses counts.
        const Seconds latency = pointToPoint(place.topology, place.span, Bytes{});
        longest = std::max(longest, latency + whole * lacking.across / uplinkBandwidth(place.topology, place.span));
    }
    return longest;
}

} // namespace stratoplan::partition
