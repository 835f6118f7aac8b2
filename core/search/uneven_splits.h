// SPDX-License-Identifier: Apache-2.0
// Inside of the search: what stages do whose layers are not spread evenly, of all splits that a space gives a loop of
// them.
#pragma once

#include "core/model/transformer.h"
#include "core/pricing/stage_shares.h"

#include <stop_token>
#include <vector>

namespace stratoplan::search {

struct UnevenSplits {
    std::vector<std::vector<pricing::StageShare>> busiest; ///< by split: its stages that do most
    std::vector<std::vector<pricing::StageShare>> leanest; ///< of these those that do no less than no other one's
    std::vector<pricing::StageShare> least; ///< by stage: what it does in whichever split it does least
    std::vector<pricing::ChunkShares> leastChunks; ///< the same of each chunk
};

/// `splits`: layers by stage, which come in so many chunks. Stopped: of some of them.
[[nodiscard]] UnevenSplits unevenSplits(const model::Transformer& model, const std::vector<std::vector<int>>& splits,
    int chunks, const std::stop_token& stop);

} // namespace stratoplan::search
