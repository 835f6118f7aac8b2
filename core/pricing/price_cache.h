// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: values remembered by the few numbers that they depend on.
#pragma once

#include "core/cluster/collectives.h"
#include "core/units/hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace stratoplan::pricing {

struct NumbersHash {
    std::size_t operator()(std::span<const int> numbers) const
    {
        NumberHash hash;
        for (const int number : numbers)
            hash.add(static_cast<std::uint32_t>(number));
        return hash.value();
    }
};

/// Numbers that a price depends on, appended one by one.
template <std::size_t Most>
class Key {
public:
    static constexpr std::size_t kMost = Most;
    void add(int number)
    {
        assert(m_count < Most);
        m_numbers[m_count++] = number;
    }
    void add(const cluster::Span& span)
    {
        for (const int number : {span.size, span.inside, span.sharingUplink})
            add(number);
        for (const cluster::InUnit& in : span.outer) { // of one topology as many for all groups
            if (in.ranks == 0)
                break;
            add(in.ranks);
            add(std::bit_cast<int>(in.sharing));
        }
        if (span.box.isPlaced())
            for (const int number : numbersOf(span.box))
                add(number);
    }
    template <std::size_t Fewer>
    void add(const Key<Fewer>& key)
    {
        for (std::size_t i = 0; i < key.size(); ++i)
            add(key[i]);
    }
    [[nodiscard]] std::size_t size() const { return m_count; }
    int operator[](std::size_t i) const { return m_numbers[i]; }
    bool operator==(const Key& other) const
    {
        return m_count == other.m_count
            && std::equal(m_numbers.begin(), m_numbers.begin() + m_count, other.m_numbers.begin());
    }
    struct Hash {
        std::size_t operator()(const Key& key) const { return NumbersHash()({key.m_numbers.data(), key.m_count}); }
    };

private:
    std::array<int, Most> m_numbers{};
    std::size_t m_count = 0;
};

/// Values that are made once per key. The last one asked for is found without a look-up: a search varies its innermost
/// dimensions first.
template <class KeyType, class Value>
class Remembered {
public:
    template <class Make>
    Value& get(const KeyType& key, Make make)
    {
        if (m_last != nullptr && m_last->first == key)
            return m_last->second;
        auto found = m_values.find(key);
        if (found == m_values.end())
            found = m_values.emplace(key, make()).first;
        m_last = &*found;
        return m_last->second;
    }
    /// Null where none was made; stays.
    [[nodiscard]] const Value* find(const KeyType& key) const
    {
        const auto found = m_values.find(key);
        return found == m_values.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    void clear()
    {
        m_last = nullptr;
        m_values.clear();
    }

private:
    std::unordered_map<KeyType, Value, typename KeyType::Hash> m_values; // its elements stay where they are
    typename decltype(m_values)::value_type* m_last = nullptr;
};

} // namespace stratoplan::pricing
