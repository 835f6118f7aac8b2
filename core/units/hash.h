// SPDX-License-Identifier: Apache-2.0
// Hashes of numbers, for tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stratoplan::inline units {

/// Of numbers that are added one by one: FNV-1a, a number at a time.
class NumberHash {
public:
    void add(std::uint32_t number) { m_hash = (m_hash ^ number) * 1099511628211ULL; }
    /// Its high bits are mixed into the low ones, which tables use.
    [[nodiscard]] std::size_t value() const { return m_hash ^ m_hash >> 29; }

private:
    std::uint64_t m_hash = 14695981039346656037ULL;
};

/// Fibonacci hashing (Knuth): keys that differ little differ in the high bits.
[[nodiscard]] constexpr std::uint64_t scattered(std::uint64_t key)
{
    return key * 0x9E3779B97F4A7C15ULL;
}

} // namespace stratoplan::inline units
