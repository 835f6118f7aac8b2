// SPDX-License-Identifier: Apache-2.0
// What the layers that a group divides have in common, whatever they hold: the layouts of activations over its ranks,
// and what each sequence does to a product.
#pragma once

#include "core/partition/states.h"

#include <map>
#include <memory>
#include <optional>

namespace stratoplan::partition {

class GroupWays {
public:
    /// Of a group of 2^bits ranks; refers to the topology. `most`: digits that each axis may be cut by.
    GroupWays(const GroupPlace& place, int bits, const std::array<int, kAxes>& most)
        : m_bits(bits)
        , m_layouts(place, most)
    {
    }
    [[nodiscard]] int bits() const { return m_bits; }
    [[nodiscard]] Layouts& layouts() { return m_layouts; }
    [[nodiscard]] const Layouts& layouts() const { return m_layouts; }
    /// Found when they are first asked for; some of them, if that is asked to stop.
    [[nodiscard]] const Sequences& sequences(const std::stop_token& stop = {})
    {
        if (!m_sequences)
            m_sequences.emplace(m_bits, m_layouts, stop);
        return *m_sequences;
    }

private:
    int m_bits;
    Layouts m_layouts;
    std::optional<Sequences> m_sequences;
};

/// Of many groups on one topology, each once.
class KnownGroups {
public:
    /// As GroupWays.
    [[nodiscard]] std::shared_ptr<GroupWays> at(const GroupPlace& place, int bits, const std::array<int, kAxes>& most);
    [[nodiscard]] std::size_t size() const { return m_known.size(); }
    void clear() { m_known.clear(); }

private:
    using Key = std::array<int, 1 + kAxes + cluster::kNumbersOfSpan>; ///< bits, digits and span
    std::map<Key, std::shared_ptr<GroupWays>> m_known;
};

} // namespace stratoplan::partition
