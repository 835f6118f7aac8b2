// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_boundary.h"

namespace stratoplan::pricing {

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
