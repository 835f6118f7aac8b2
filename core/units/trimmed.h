// SPDX-License-Identifier: Apache-2.0
// A text without the blanks around it.
#pragma once

#include <string_view>

namespace stratoplan::inline units {

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

} // namespace stratoplan::inline units
