// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: a number for each split of a pipeline's stages that was asked about, to remember prices by.
#pragma once

#include "core/parallel/strategy.h"
#include "core/pricing/price_cache.h"
#include "core/pricing/stage_shares.h"

#include <unordered_map>
#include <vector>

namespace stratoplan::pricing {

class SplitNumbers {
public:
    /// Of what a strategy tells of single stages itself; 0 = nothing.
    [[nodiscard]] int numberOf(const parallel::Strategy& strategy);
    /// Of a loop of stages whose chunks do so much each.
    [[nodiscard]] int numberOf(const std::vector<ChunkShares>& stages);
    /// No number is given twice for that.
    void forgetTooMany();

private:
    [[nodiscard]] int numberOf(std::vector<int> stages);

    std::unordered_map<std::vector<int>, int, NumbersHash> m_numbers;
    int m_last = 0;
};

} // namespace stratoplan::pricing
