// SPDX-License-Identifier: Apache-2.0
// What it takes to hand an activation from one operator to the next, which wants it divided otherwise: nothing, a
// gather, neighbours' parts; and before that to sum up what ranks made in parts.
#pragma once

#include "core/partition/layout.h"
#include "core/partition/link_load.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace stratoplan::partition {

/// Parts of sums: the ranks that differ in `bits` alone hold parts of the same block (PrimePar, ASPLOS 2024). Layouts
/// are numbers of Layouts.
struct Sums {
    int layout = 0;
    unsigned bits = 0;
    std::array<int, 3> scattered{}; ///< layouts that a reduce-scatter over these bits can leave, along one axis each
    int ways = 0; ///< of them
};

/// The layouts of a group, each once, by number, and what leads from one to another.
class Layouts {
public:
    /// Refers to the topology. `most`: digits that each axis of an activation may be cut by.
    Layouts(const GroupPlace& place, const std::array<int, kAxes>& most)
        : m_place(place)
        , m_most(most)
    {
    }
    [[nodiscard]] int number(const Layout& layout);
    [[nodiscard]] const Layout& operator[](int number) const { return m_layouts[std::size_t(number)]; }
    [[nodiscard]] int cuts(int number) const { return m_cuts[std::size_t(number)]; } ///< digits of all axes
    [[nodiscard]] double share(int number) const { return m_shares[std::size_t(number)]; } ///< of the activation
    [[nodiscard]] Sums sums(const Layout& layout, unsigned bits);
    /// What it asks of links, of the whole activation, when one layout becomes another one.
    [[nodiscard]] LinkShares change(int now, int next);
    /// Of the whole activation, the most that a rank lacks of what it holds next.
    [[nodiscard]] double lacked(int now, int next) const;
    [[nodiscard]] const GroupPlace& place() const { return m_place; }

private:
    GroupPlace m_place;
    std::array<int, kAxes> m_most;
    std::vector<Layout> m_layouts;
    std::vector<std::vector<Slices>> m_slices; ///< by rank
    std::vector<int> m_cuts;
    std::vector<double> m_shares;
    struct Hash {
        std::size_t operator()(const Layout& layout) const;
    };
    std::unordered_map<Layout, int, Hash> m_numbers;
    std::unordered_map<std::uint64_t, LinkShares> m_skewed; ///< by both layouts: what takes long to find
};

/// Seconds of one activation of `whole` bytes.
class HandOver {
public:
    /// Refers to the layouts.
    HandOver(Layouts& layouts, Bytes whole);
    [[nodiscard]] double seconds(int now, int next);
    /// The shortest way to sum up and to hand over: all-reduce, or a reduce-scatter along the axis that suits what
    /// comes next, and then what is left to change.
    [[nodiscard]] double seconds(const Sums& now, int next);
    /// That a rank gets, at the most, in the same way.
    [[nodiscard]] Bytes bytes(int now, int next) const { return m_whole * m_layouts.lacked(now, next); }
    [[nodiscard]] Bytes bytes(const Sums& now, int next);
    /// At the least, whatever comes next.
    [[nodiscard]] double leastSeconds(const Sums& now);
    [[nodiscard]] Bytes whole() const { return m_whole; }

private:
    enum class Pattern { Gather, ReduceScatter, AllReduce };
    /// Of ranks that differ in these bits, of a part of the activation.
    [[nodiscard]] double collective(Pattern pattern, unsigned bits, int part);

    [[nodiscard]] double asked(int now, int next);

    /// Scattered along one of the axes, or, with none, summed up everywhere.
    struct Way {
        double seconds = 0;
        std::optional<int> scattered{};
    };
    [[nodiscard]] Way shortest(const Sums& now, int next);

    struct Known {
        std::uint64_t key = 0;
        double seconds = 0;
    };
    Layouts& m_layouts;
    Bytes m_whole;
    std::vector<Known> m_known; ///< the last answers, by a hash of both layouts
    int m_shift;
    std::array<double, 3> m_latency{}; ///< by level
    std::array<double, 3> m_perShare{}; ///< seconds of the whole over one link of each level; domains' ports all driven
    std::array<std::vector<double>, 3> m_collectives; ///< by pattern: of bits and cuts; negative where not asked yet
};

} // namespace stratoplan::partition
