// SPDX-License-Identifier: Apache-2.0
// Inside of the search: what stages do whose layers are not spread evenly, of all splits that a space gives a loop of
// them.
#pragma once

#include "core/model/transformer.h"
#include "core/pricing/stage_shares.h"

#include <stop_token>
#include <vector>

namespace stratoplan {

struct UnevenSplits {
    std::vector<std::vector<StageShare>> busiest; ///< by split: its stages that do most
    std::vector<std::vector<StageShare>> leanest; ///< of these those that do no less than no other one's
    std::vector<StageShare> least; ///< by stage: what it does in whichever split it does least
    std::vector<ChunkShares> leastChunks; ///< the same of each chunk
};

/// `splits`: layers by stage, which come in so many chunks. Stopped: of some of them.
[[nodiscard]] UnevenSplits unevenSplits(
    const Transformer& model, const std::vector<std::vector<int>>& splits, int chunks, const std::stop_token& stop);

} // namespace stratoplan
