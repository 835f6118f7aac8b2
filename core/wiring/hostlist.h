// SPDX-License-Identifier: Apache-2.0
// Names as Slurm lists them: "gpu[001-016,20],a[1-2]b[3-4],login".
#pragma once

#include "core/wiring/wiring.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::wiring {

inline constexpr int kMostCharacters = 255; ///< of a name

/// How many names there may be.
struct Room {
    int left = 0;
    int limit = 0; ///< of the whole text
    std::string_view what; ///< "nodes in all"
};

/// In their order. The column of an error counts from the start of the text. Errors: brackets that do not close or hold
/// no ranges, ranges that run backwards, a name that is empty or too long, more names than there is room for; as many
/// are never made.
[[nodiscard]] tl::expected<std::vector<std::string>, Fault> expandHostlist(std::string_view text, const Room& room);

} // namespace stratoplan::wiring
