// SPDX-License-Identifier: GPL-3.0-or-later
// Where words for people stand: core/narration is their home, and the rest of the core returns values.
#pragma once

#include "tests/house/rules.h"

#include <map>
#include <string>

namespace stratoplan::house {

/// Literals of a line that read like words for people: two words with a space between them. Includes and comments have
/// none.
[[nodiscard]] int sentencesIn(const std::string& line);
[[nodiscard]] int sentencesIn(const File& file);

/// A home of words beside core/narration, or a place that still has some.
struct HomeOfWords {
    int sentences = 0; ///< at most
    const char* reason = "";
};
/// By folder or file; the longest that a path begins with counts.
[[nodiscard]] const std::map<std::string, HomeOfWords>& homesOfWords();
/// Folders of the core and how many sentences each has beyond what its homes may have: "core/space: 2 of at most 0".
[[nodiscard]] Faults wordFaults(const std::vector<File>& files);

} // namespace stratoplan::house
