// SPDX-License-Identifier: Apache-2.0
// JSON text in and out, stricter than the library's default: a fault names its line and column, a repeated key is
// an error instead of a silent loss, and nesting, size and encoding are bounded so that no input can exhaust the stack.
#pragma once

#include "core/catalog/quote.h"
#include "core/exchange/document.h"
#include "core/units/text.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>

namespace stratoplan::exchange {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20; ///< larger texts are refused
inline constexpr int kMaxJsonDepth = 64; ///< arrays and objects inside one another

/// Parses UTF-8 JSON text. Key order is kept. Error codes: Syntax.
[[nodiscard]] tl::expected<nlohmann::ordered_json, DocumentError> parseJson(
    std::string_view text, std::string_view file = {});

/// The text after a UTF-8 byte order mark, which some editors write.
[[nodiscard]] std::string_view withoutByteOrderMark(std::string_view text);

/// Two-space indent, arrays of plain values on one line, trailing newline.
[[nodiscard]] std::string prettyJson(const nlohmann::ordered_json& value);

} // namespace stratoplan::exchange
