// SPDX-License-Identifier: Apache-2.0
// Lines and words of a text, each with its place.
#pragma once

#include "core/wiring/wiring.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::wiring {

/// More lines, or longer ones, than readers of lines take.
[[nodiscard]] std::optional<Fault> faultOfLines(std::string_view text);
/// Without byte order mark.
[[nodiscard]] std::string_view bodyOf(std::string_view text);

struct TextLine {
    int number = 0; ///< from 1
    std::string text; ///< without line end and escape sequences of a terminal
};
/// All lines but empty ones, or the first `most` of these.
[[nodiscard]] std::vector<TextLine> linesOf(std::string_view text, int most = 0);

struct TextWord {
    std::string_view text;
    int column = 0; ///< from 1
};
/// What blanks separate. They refer to `line`.
[[nodiscard]] std::vector<TextWord> wordsOf(std::string_view line);

[[nodiscard]] std::string inSmallLetters(std::string_view text);
/// The whole of a text as a number from 0 to `most`.
[[nodiscard]] std::optional<int> wholeNumber(std::string_view text, int most);

} // namespace stratoplan::wiring
