// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/split_numbers.h"

#include "core/pricing/stage_kinds.h"

#include <climits>
#include <cstddef>
#include <utility>

namespace stratoplan::pricing {

int SplitNumbers::numberOf(const parallel::Strategy& s)
{
    return s.stageLayers.empty() && !mixesRecompute(s) ? 0 : numberOf(stageNumbers(s));
}

int SplitNumbers::numberOf(const std::vector<ChunkShares>& stages)
{
    std::vector<int> numbers{INT_MIN, int(stages.size())}; // like nothing that a strategy says
    for (const ChunkShares& chunks : stages)
        for (const StageShare& share : chunks)
            numbers.insert(numbers.end(), {share.denseLayers, share.moeLayers, share.predictionModules});
    return numberOf(std::move(numbers));
}

int SplitNumbers::numberOf(std::vector<int> stages)
{
    const auto [known, isNew] = m_numbers.try_emplace(std::move(stages), m_last + 1);
    m_last += int(isNew);
    return known->second;
}

void SplitNumbers::forgetTooMany()
{
    constexpr std::size_t kMost = 65536;
    if (m_numbers.size() > kMost)
        m_numbers.clear();
}

} // namespace stratoplan::pricing
