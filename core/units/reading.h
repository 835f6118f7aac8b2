// SPDX-License-Identifier: Apache-2.0
// What readers of files find and expect, where several of them say the same: "found \"many\", expected a whole number
// from 1 to 8". What one reader alone expects stands where it does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::inline units::reading {

inline constexpr char kObject[] = "an object";
inline constexpr char kList[] = "a list";
inline constexpr char kText[] = "a text";
inline constexpr char kBoolean[] = "true or false";
inline constexpr char kWholeNumber[] = "a whole number";
inline constexpr char kListOfTexts[] = "a list of texts";
inline constexpr char kListOfNumbers[] = "a list of numbers";
inline constexpr char kJsonObject[] = "a JSON object";
inline constexpr char kNotJson[] = "text that is not JSON";
inline constexpr char kMeasuredNumber[] = "a number from 1e-9 to 1e9";

[[nodiscard]] std::string wholeNumber(long long least, long long most); // "a whole number from 1 to 8"
[[nodiscard]] std::string atMost(long long most); // "at most 8"
[[nodiscard]] std::string moreThan(long long number, std::string_view what); // "more than 8 levels of nesting"
[[nodiscard]] std::string listOf(long long count); // "a list of 8"
[[nodiscard]] std::string oneOf(const std::vector<std::string_view>& names); // "one of a, b, c"
[[nodiscard]] std::string valueFor(std::string_view key); // "a value for \"tp\""
[[nodiscard]] std::string unknownKey(std::string_view key); // "the unknown key \"tpp\""

} // namespace stratoplan::inline units::reading
