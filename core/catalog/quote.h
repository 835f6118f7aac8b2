// SPDX-License-Identifier: Apache-2.0
// A JSON value as an error message quotes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::catalog {

/// JSON, shortened to about 60 bytes; "an object", "an empty array", "an array of 3" for containers.
[[nodiscard]] std::string quoteJson(const nlohmann::json& value);
[[nodiscard]] std::string quoteJson(const nlohmann::ordered_json& value);
/// A text of any bytes as if it were a JSON string: control characters are escaped.
[[nodiscard]] std::string quoteText(std::string_view text);
/// "a, b, c"
[[nodiscard]] std::string joined(const std::vector<std::string_view>& names);

} // namespace stratoplan::catalog
