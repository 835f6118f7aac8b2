// SPDX-License-Identifier: Apache-2.0
// Characters that no one sees but that change how a line is shown.
#pragma once

#include <string>
#include <string_view>

namespace stratoplan::inline units {

/// Of UTF-8, as "\u202e": controls of terminals beyond ASCII (U+0080 to U+009F), those that turn the direction of
/// writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), that break lines (U+2028, U+2029) or have no
/// width (U+200B, U+2060 to U+2064, U+FEFF); all else as it is, joiners (U+200C, U+200D), which some scripts need, too.
[[nodiscard]] std::string withUnseenEscaped(std::string_view text);

} // namespace stratoplan::inline units
