// SPDX-License-Identifier: Apache-2.0
// What crosses from a pipeline stage to its neighbour.
#pragma once

#include "core/cost/resharding.h"
#include "core/pipeline/pipeline.h"

#include <cstddef>
#include <vector>

namespace stratoplan::pricing {

/// What one micro-batch sends between two neighbouring stages.
struct StageBoundary {
    int from = 0, to = 0; ///< stages; from the last one to the first where stages have several chunks
    cost::BoundaryTransfer down, up; ///< from -> to (activations, but of the way back in a V), and to -> from
    bool operator==(const StageBoundary&) const = default;
};
/// Between stages with these ends; the last one hands on to the first where stages have several chunks.
[[nodiscard]] std::vector<StageBoundary> stageBoundaries(
    const plan::Plan& plan, const std::vector<cost::BoundaryEnd>& ends);
/// What each of so many stages sends over them.
[[nodiscard]] cost::StageSends sendsOf(const std::vector<StageBoundary>& boundaries, std::size_t stages);

/// The transfer that a slice is in a pipeline with such a route; nothing if it is none.
[[nodiscard]] const cost::BoundaryTransfer* transferOf(
    const pipeline::Slice& slice, const parallel::Route& route, const std::vector<StageBoundary>& boundaries);

} // namespace stratoplan::pricing
