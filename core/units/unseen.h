// SPDX-License-Identifier: Apache-2.0
// Characters that no one sees but that change how a line is shown.
#pragma once

#include <string>
#include <string_view>

namespace stratoplan::inline units {

/// Of UTF-8, controls of terminals beyond ASCII (U+0080 to U+009F) and those that turn the direction of writing
/// (U+202A to U+202E, U+2066 to U+2069) as "\u202e", all else as it is.
[[nodiscard]] std::string withUnseenEscaped(std::string_view text);

} // namespace stratoplan::inline units
