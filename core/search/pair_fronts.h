// SPDX-License-Identifier: Apache-2.0
// Fronts of two measures. All that strategies are compared by follows from three: step, peak memory and accelerators in
// use. Throughput is the inverse of the step; tokens per dollar and per joule are that of step times accelerators, at
// one price and one power for each. What no strategy beats in all three holds a point of the front of any two for every
// one there is: whatever lies on such a front is no better in either measure than something that is no worse in all
// three.
#pragma once

#include "core/search/front.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace stratoplan::search {

/// Better when less.
enum class FrontMeasure { Step, Peak, Accelerators, AcceleratorTime };
/// Of the figure that answers tell, which for the step and the accelerators' time is the more the better:
/// "tokens_per_s", "peak_bytes", "accelerators", "tokens_per_accelerator_s".
[[nodiscard]] std::string_view key(FrontMeasure measure);
/// Seconds, bytes, a number, accelerator-seconds.
[[nodiscard]] double measure(const FoundStrategy& found, FrontMeasure by);

inline constexpr std::array<std::pair<FrontMeasure, FrontMeasure>, 6> kFrontPairs{
    {{FrontMeasure::Step, FrontMeasure::Peak}, {FrontMeasure::Step, FrontMeasure::Accelerators},
        {FrontMeasure::Step, FrontMeasure::AcceleratorTime}, {FrontMeasure::AcceleratorTime, FrontMeasure::Peak},
        {FrontMeasure::AcceleratorTime, FrontMeasure::Accelerators}, {FrontMeasure::Peak, FrontMeasure::Accelerators}}};

/// Places of those that no other one is no worse than in both measures and better in one; of equals all. From the best
/// in the first measure.
[[nodiscard]] std::vector<std::size_t> pairFront(
    const std::vector<FoundStrategy>& strategies, FrontMeasure first, FrontMeasure second);

} // namespace stratoplan::search
