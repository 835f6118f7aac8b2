// SPDX-License-Identifier: Apache-2.0
// How sure a plan is, told to people: what its inputs are called, chances, and where one plan becomes as good as
// another.
#pragma once

#include "core/sensitivity/analysis.h"
#include "core/sensitivity/break_even.h"

#include <string>
#include <string_view>

namespace stratoplan::narration {

/// "network bandwidth"; the key of an input that has no words.
[[nodiscard]] std::string_view nameOfInput(std::string_view key);
/// "25.0 GB/s"
[[nodiscard]] std::string amountOf(const sensitivity::Input& input, double value);
[[nodiscard]] std::string_view describe(sensitivity::Measure measure); // "peak memory"
/// "3.21 s", "70.1 GiB", "41.2 days", "1.20 M USD", "0.503 GWh"
[[nodiscard]] std::string amountOf(sensitivity::Measure measure, double value, std::string_view currency);

/// "82 %"; "less than 1 %" and "more than 99 %" where draws cannot tell.
[[nodiscard]] std::string chanceText(double chance);
/// "A has the shorter step than B with a chance of 82 %."
[[nodiscard]] std::string beats(
    std::string_view first, std::string_view other, sensitivity::Measure measure, const sensitivity::Chance& chance);
/// "The chance of running out of memory is 3 %."
[[nodiscard]] std::string outOfMemory(double chance);
/// "The chance that it cannot run at all is 3 %; ranges are of the other draws."
[[nodiscard]] std::string cannotRun(double chance);
/// How the draws of inputs were reconciled with what was measured.
[[nodiscard]] std::string reconciled(const sensitivity::Analysis& analysis);

/// A sentence each; that there is no crossing, with both ends.
[[nodiscard]] std::vector<std::string> describe(const sensitivity::BreakEven& found, const sensitivity::Input& input,
    std::string_view first, std::string_view other, std::string_view currency);

} // namespace stratoplan::narration
