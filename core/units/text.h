// SPDX-License-Identifier: Apache-2.0
// Small functions on text that several folders share. None of them looks at the locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stratoplan::inline units {

/// A finite number with that many decimals and a point: "3.10". Never an exponent.
[[nodiscard]] std::string fixedDecimals(double value, int decimals);
/// The double nearest to `value` written with that many significant digits.
[[nodiscard]] double roundedTo(double value, int digits);
/// "1,024": a whole number as people read it.
[[nodiscard]] std::string groupedDigits(long long value);
/// True if `part` stands in `text`, whatever the case of its ASCII letters.
[[nodiscard]] bool containsWords(std::string_view text, std::string_view part);
/// At most `limit` bytes, cut between two characters of UTF-8, with an ellipsis where something is missing.
[[nodiscard]] std::string shortened(std::string text, std::size_t limit = 60);
/// A JSON pointer with one more token, escaped as RFC 6901 says.
[[nodiscard]] std::string childPointer(std::string_view pointer, std::string_view token);
/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

} // namespace stratoplan::inline units
