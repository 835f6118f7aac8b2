// SPDX-License-Identifier: GPL-3.0-or-later
// The fronts of every two measures in the answer of a search, for programs and for people.
#pragma once

#include "app/cli/search_answer.h"

namespace stratoplan::cli {

/// Adds "by_accelerators", and "fronts", which name places in it.
void addFronts(const SearchAnswer& answer, nlohmann::ordered_json& json);
[[nodiscard]] std::string describeFronts(const SearchAnswer& answer);

} // namespace stratoplan::cli
