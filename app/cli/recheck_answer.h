// SPDX-License-Identifier: GPL-3.0-or-later
// What a search in closed form comes to when simulated, for programs and for people.
#pragma once

#include "core/search/recheck.h"

#include <string>
#include <vector>

namespace stratoplan::cli {

/// What should be known of an answer in closed form before it is used, a sentence each; none where the simulation
/// agrees.
[[nodiscard]] std::vector<std::string> notes(
    const search::SearchResult& result, const search::SearchOptions& options, const search::Recheck& recheck);
/// Whether the best when simulated is another strategy than the best in closed form, and better.
[[nodiscard]] bool isAnother(const search::SearchResult& result, const search::Recheck& recheck);

} // namespace stratoplan::cli
