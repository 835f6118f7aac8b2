// SPDX-License-Identifier: Apache-2.0
// How a sentence is made: a whole pattern, and the words for its places. No sentence is put together of pieces whose
// order a language settles, so that a translation replaces patterns and nothing else: all of them pass through
// filled().
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::inline units {

/// What stands in a place of a pattern.
struct Word {
    std::string text;
    bool singular = false; ///< it is the number 1
};

/// A whole number with thousands separators; three figures otherwise.
[[nodiscard]] Word numberWord(double value);

/// Replaces "{name}" by the word of that name, and "{name head|heads}" by the word and the noun that its number asks
/// for: "1 head", "96 heads".
[[nodiscard]] std::string filled(std::string_view pattern, const std::function<Word(std::string_view name)>& wordOf);

struct NamedWord {
    std::string_view name;
    Word word;
};
[[nodiscard]] std::string filled(std::string_view pattern, std::initializer_list<NamedWord> words);

/// "1 accelerator", "1,024 accelerators"
[[nodiscard]] std::string countedAccelerators(long long count);
[[nodiscard]] std::string countedStrategies(long long count);
/// "4, 6 or 8"
[[nodiscard]] std::string alternatives(const std::vector<std::string>& words);
/// With a capital letter.
[[nodiscard]] std::string asSentence(std::string text);

} // namespace stratoplan::inline units
