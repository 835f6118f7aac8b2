// SPDX-License-Identifier: Apache-2.0
// Inside of the search: of the last kind of node, splits whose first and last stages have other layers than their even
// share.
#pragma once

#include "core/pricing/priced_pass.h"
#include "core/search/leaf_room.h"

#include <span>
#include <vector>

namespace stratoplan::search {

/// Loops of stages in as many chunks, split alike.
struct UnevenLeaves {
    std::span<const space::PipelinePick> picks;
    const std::vector<int>* layers = nullptr; ///< of their stages
    const std::vector<pricing::StageShare>* busiest = nullptr; ///< of these
    LeafPipelines pipelines{}; ///< none until one of them may be worth pricing
};

/// All of the tree for such pipelines, of which those of as many chunks follow each other.
[[nodiscard]] std::vector<UnevenLeaves> unevenLeaves(const space::SpaceTree& tree, KnownPipelines& known, int pp,
    std::span<const space::PipelinePick> picks, const std::stop_token& stop);

/// Of the pipelines of a split.
[[nodiscard]] LeafPipelines leafPipelines(std::span<const space::PipelinePick> picks, const std::vector<int>* layers);

/// Whatever its schedule, a split takes what its busiest stage has to do for a micro-batch of such pieces.
[[nodiscard]] Seconds leastStep(
    const UnevenLeaves& split, const pricing::PieceSeconds& pieces, const pricing::PricedDivision& division);

} // namespace stratoplan::search
