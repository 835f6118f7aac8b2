// SPDX-License-Identifier: GPL-3.0-or-later
// How well a few typed letters fit a text: the rule behind the command palette.
#pragma once

#include <QString>

#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct FuzzyMatch {
    int score = 0; ///< higher is better
    std::vector<int> positions; ///< of the matched characters, ascending
};

/// Every character of `pattern` (spaces aside, case ignored) must occur in `text` in order. Among all ways to place
/// them the best is taken: letters at the start of words and runs of letters count most, gaps cost. Empty pattern:
/// score 0. O(pattern x text).
[[nodiscard]] std::optional<FuzzyMatch> fuzzyMatch(QStringView pattern, QStringView text);

} // namespace stratoplan::widgets
