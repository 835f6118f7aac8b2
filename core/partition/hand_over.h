// SPDX-License-Identifier: Apache-2.0
// What it takes to hand an activation from one operator to the next, which wants it divided otherwise: nothing, a
// gather, neighbours' parts; and before that to sum up what ranks made in parts.
#pragma once

#include "core/partition/layout.h"
#include "core/partition/link_load.h"
#include "core/partition/shape.h"

#include <cstdint>
#include <map>
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
    int number = 0; ///< of Layouts
    int kind = 0; ///< that sums of the same shapes over as many bits of each level have in common
};

/// The layouts of a group, each once, by number, and what leads from one to another.
class Layouts {
public:
    /// Refers to the topology. `most`: digits that each axis of an activation may be cut by.
    Layouts(const GroupPlace& place, const std::array<int, kAxes>& most);
    [[nodiscard]] int number(const Layout& layout);
    [[nodiscard]] const Layout& operator[](int number) const { return m_layouts[std::size_t(number)]; }
    [[nodiscard]] int cuts(int number) const { return facts(number).cuts; } ///< digits of all axes
    [[nodiscard]] double share(int number) const { return facts(number).share; } ///< of the activation
    [[nodiscard]] bool isSkewed(int number) const { return facts(number).isSkewed; }
    [[nodiscard]] Sums sums(const Layout& layout, unsigned bits);
    /// Shapes are numbered like layouts.
    [[nodiscard]] int shape(int number) const { return facts(number).shape; }
    [[nodiscard]] std::size_t shapes() const { return m_shapes.size(); }
    [[nodiscard]] std::size_t kinds() const { return m_kinds.size(); } ///< of sums
    [[nodiscard]] const Shape& shapeAt(int shape) const { return m_shapes[std::size_t(shape)]; }
    /// Whether levels of links are told apart by bits: domains and leaves of 2^n ranks of the group.
    [[nodiscard]] bool hasLevels() const { return m_hasLevels; }
    [[nodiscard]] const LevelBits& levels() const { return m_levels; }
    /// What it asks of links, of the whole activation, when one layout becomes another one.
    [[nodiscard]] LinkShares change(int now, int next);
    /// As gatheredBits(); none of skewed ones.
    [[nodiscard]] unsigned gathered(int now, int next) const;
    /// Of the whole activation, the most that a rank lacks of what it holds next.
    [[nodiscard]] double lacked(int now, int next) const;
    [[nodiscard]] const GroupPlace& place() const { return m_place; }

private:
    [[nodiscard]] int kindOf(const Sums& sums);
    GroupPlace m_place;
    std::array<int, kAxes> m_most;
    std::vector<Layout> m_layouts;
    std::vector<std::vector<Slices>> m_slices; ///< by rank
    struct Facts {
        PackedDigits digits;
        double share = 1;
        int cuts = 0, shape = 0;
        bool isSkewed = false;
    };
    [[nodiscard]] const Facts& facts(int number) const { return m_facts[std::size_t(number)]; }
    std::vector<Facts> m_facts; ///< by layout
    bool m_hasLevels;
    LevelBits m_levels;
    std::vector<Shape> m_shapes;
    std::map<Shape::Key, int> m_shapeNumbers;
    std::unordered_map<std::uint64_t, Sums> m_sums; ///< by layout and bits
    std::map<std::array<int, 5>, int> m_kinds; ///< by shapes and bits of levels
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
    /// No more than seconds() of any layouts of the same shapes, and sums over as many bits of each level.
    [[nodiscard]] double least(const Sums& now, int next)
    {
        if (m_shapes < m_layouts.shapes() || m_kinds < m_layouts.kinds())
            forgetLeast();
        double& known = m_leastOfSums[std::size_t(now.kind) * m_shapes + std::size_t(m_layouts.shape(next))];
        if (known < 0)
            known = leastOf(now, next);
        return known;
    }
    [[nodiscard]] Bytes whole() const { return m_whole; }

private:
    enum class Pattern { Gather, ReduceScatter, AllReduce };
    /// Of ranks that differ in these bits, of a part of the activation with so many cuts.
    [[nodiscard]] double collective(Pattern pattern, unsigned bits, int cuts);
    /// No more than that over as many bits of each level, which are not alike on a torus.
    [[nodiscard]] double leastCollective(Pattern pattern, unsigned bits, int cuts);
    [[nodiscard]] double secondsOf(Pattern pattern, const cluster::Span& span, int cuts) const;

    [[nodiscard]] double asked(int now, int next);
    void forgetLeast();
    [[nodiscard]] double leastOf(const Sums& now, int next);
    [[nodiscard]] double leastOf(const Shape& now, const Shape& next);
    [[nodiscard]] double leastOverLinks(const Shape& now, const Shape& next) const;
    [[nodiscard]] bool isBypassed(std::size_t level) const;
    [[nodiscard]] double leastPerShareAcross() const;
    [[nodiscard]] double leastInAll(const Shape& now, const Shape& next) const;

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
    std::vector<Known> m_known; ///< the last answers, by a hash of sums and layout
    int m_shift;
    std::array<double, kLinkLevels> m_latency{}; ///< by level
    std::array<double, kLinkLevels>
        m_perShare{}; ///< seconds of the whole over one link of each level; domains' ports all driven
    std::array<std::vector<double>, 3> m_collectives; ///< by pattern: of bits and cuts; negative where not asked yet
    /// By both shapes, and by kind of sums and shape; negative where not asked yet.
    std::vector<double> m_least, m_leastOfSums;
    std::size_t m_shapes = 0, m_kinds = 0; ///< when those were made
};

} // namespace stratoplan::partition
