// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_boundary.h"

#include <cstddef>

namespace stratoplan::pricing {

std::vector<StageBoundary> stageBoundaries(const plan::Plan& plan, const std::vector<cost::BoundaryEnd>& ends)
{
    const int p = int(ends.size());
    const bool wraps = shape(plan.strategy.schedule) == parallel::PipelineShape::Loop && plan.strategy.vpp > 1;
    const parallel::ReshardMethod method = plan.training.software.resharding;
    std::vector<StageBoundary> boundaries;
    for (int i = 0; p > 1 && i < (wraps ? p : p - 1); ++i) {
        const int next = (i + 1) % p;
        const cost::BoundaryEnd& upper = ends[std::size_t(i)];
        const cost::BoundaryEnd& lower = ends[std::size_t(next)];
        boundaries.push_back(
            {i, next, boundaryTransfer(upper, lower, i, method), boundaryTransfer(lower, upper, i, method)});
    }
    return boundaries;
}

cost::StageSends sendsOf(const std::vector<StageBoundary>& boundaries, std::size_t stages)
{
    cost::StageSends sends(stages);
    for (const StageBoundary& boundary : boundaries) {
        sends.down[std::size_t(boundary.from)] = boundary.down.transfer;
        sends.reshardDown[std::size_t(boundary.from)] = boundary.down.gather;
        sends.up[std::size_t(boundary.to)] = boundary.up.transfer;
        sends.reshardUp[std::size_t(boundary.to)] = boundary.up.gather;
    }
    return sends;
}

const cost::BoundaryTransfer* transferOf(
    const pipeline::Slice& slice, const parallel::Route& route, const std::vector<StageBoundary>& boundaries)
{
    const bool resharding =
        slice.kind == pipeline::SliceKind::ReshardForward || slice.kind == pipeline::SliceKind::ReshardBackward;
    if (!resharding && slice.kind != pipeline::SliceKind::SendForward
        && slice.kind != pipeline::SliceKind::SendBackward)
        return nullptr;
    const bool forward =
        slice.kind == pipeline::SliceKind::SendForward || slice.kind == pipeline::SliceKind::ReshardForward;
    const auto other =
        forward != resharding ? route.next(slice.stage, slice.chunk) : route.previous(slice.stage, slice.chunk);
    if (!other)
        return nullptr;
    const int from = resharding ? *other : slice.stage;
    const int to = resharding ? slice.stage : *other;
    const bool down = forward == route.runsDown(slice.chunk);
    for (const StageBoundary& boundary : boundaries) {
        if (down && boundary.from == from && boundary.to == to)
            return &boundary.down;
        if (!down && boundary.from == to && boundary.to == from)
            return &boundary.up;
    }
    return nullptr;
}

} // namespace stratoplan::pricing
