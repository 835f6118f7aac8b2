// SPDX-License-Identifier: Apache-2.0
// Enumerations and their keys in files: one table serves both ways.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stratoplan::inline units {

template <class Value, std::size_t N>
using NameTable = std::array<std::pair<Value, std::string_view>, N>;

/// Empty for a value that the table lacks.
template <class Value, std::size_t N>
[[nodiscard]] constexpr std::string_view nameIn(const NameTable<Value, N>& table, Value value)
{
    for (const auto& [entry, name] : table) {
        if (entry == value)
            return name;
    }
    return {};
}

template <class Value, std::size_t N>
[[nodiscard]] constexpr std::optional<Value> valueIn(const NameTable<Value, N>& table, std::string_view name)
{
    for (const auto& [entry, text] : table) {
        if (text == name)
            return entry;
    }
    return std::nullopt;
}

/// Every value of an enumeration that has keys.
template <class Value>
[[nodiscard]] std::vector<Value> allValues()
{
    std::vector<Value> values;
    for (int i = 0; !key(static_cast<Value>(i)).empty(); ++i)
        values.push_back(static_cast<Value>(i));
    return values;
}

template <class Value>
[[nodiscard]] std::optional<Value> fromKey(std::string_view text)
{
    for (const Value value : allValues<Value>())
        if (key(value) == text)
            return value;
    return std::nullopt;
}

} // namespace stratoplan::inline units
