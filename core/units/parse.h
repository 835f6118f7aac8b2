// SPDX-License-Identifier: Apache-2.0
// What a person types, as a quantity: "400 Gb/s", "50 GB/s", "80 GiB", "989 TFLOPS", "15T", "3*8".
#pragma once

#include "core/units/quantity.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace stratoplan::inline units {

/// Why a text is not the quantity asked for; `expected` is an example that would be right.
struct ParseError {
    std::string found;
    std::string expected;
    bool operator==(const ParseError&) const = default;
};

template <class T>
using Parsed = tl::expected<T, ParseError>;

/// A bare number is read in `bareUnit` of the named function. Arithmetic (+ - * / and parentheses) is
/// allowed before the unit; `x` stands for `current`.
[[nodiscard]] Parsed<double> parseNumber(std::string_view text, double current = 0); // 15T, 1.5k, 3*8
[[nodiscard]] Parsed<Bytes> parseBytes(std::string_view text, Bytes current = {}); // bare: GiB
[[nodiscard]] Parsed<BytesPerSecond> parseBandwidth(
    std::string_view text, BytesPerSecond current = {}); // bare: GB/s; Gb/s is a bit rate
[[nodiscard]] Parsed<FlopsPerSecond> parseFlopRate(std::string_view text, FlopsPerSecond current = {}); // bare: TFLOP/s
[[nodiscard]] Parsed<Seconds> parseSeconds(std::string_view text, Seconds current = {}); // bare: s

} // namespace stratoplan::inline units
