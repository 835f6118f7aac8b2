// SPDX-License-Identifier: Apache-2.0
// Error and ranking statistics of estimates against measurements.
#pragma once

#include "core/validation/validation.h"

#include <optional>
#include <string>
#include <vector>

namespace stratoplan::validation {

/// error = estimated / measured - 1.
struct ErrorRow {
    std::string id;
    double error = 0;
    std::optional<bool> inRange = {}; ///< nothing: not counted
};
/// Mean, median, bias, 90th percentile (the least error that nine in ten do not pass, at rank ceil(0.9 n)) and the
/// worst row.
[[nodiscard]] ErrorStatistics errorStatistics(std::vector<ErrorRow> rows);

/// One strategy of a group measured side by side; seconds.
struct RankedRow {
    std::string key;
    double predicted = 0;
    double measured = 0;
};
inline constexpr std::size_t kRankedGroupSize = 5; ///< smaller groups are not ranked

/// Spearman's rank correlation with mean ranks for ties; 0 if either side is constant.
[[nodiscard]] double spearman(const std::vector<double>& predicted, const std::vector<double>& measured);
/// Mean rank correlation, mean regret (how much slower our first choice was than the measured best), and the share of
/// groups where our first choice was within 2 % of the measured best.
[[nodiscard]] RankingStatistics rankingStatistics(const std::vector<RankedRow>& rows);

} // namespace stratoplan::validation
