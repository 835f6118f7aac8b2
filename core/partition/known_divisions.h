// SPDX-License-Identifier: Apache-2.0
// What a programme has found so far, and what bounds say that it need not look for.
#pragma once

#include "core/partition/division.h"

#include <array>
#include <limits>
#include <vector>

namespace stratoplan::partition {

struct ProgrammeGoal {
    std::vector<MemoryForm> memory{}; ///< empty: time alone counts
    double capacity = std::numeric_limits<double>::infinity(); ///< bytes
    bool front = false; ///< all that are best in time or in peak; else the fastest that fits
};

/// Seconds and bytes of layers weighed against each other.
struct Weight {
    double ofSeconds = 1, ofMemory = 0;
};
inline constexpr std::size_t kMostWeights = 10;
/// The least of each weighed sum. Sums of bounds are bounds of sums.
struct Bound {
    std::array<double, kMostWeights> least{};
};

class KnownDivisions {
public:
    explicit KnownDivisions(ProgrammeGoal goal);

    [[nodiscard]] const ProgrammeGoal& goal() const { return m_goal; }
    [[nodiscard]] const std::vector<Weight>& weights() const { return m_weights; }
    /// By time alone, by memory alone and in between, where memory counts.
    void weighBetween(double seconds, double bytes);
    [[nodiscard]] double weighed(
        std::size_t weight, double seconds, double parameters, double kept, double remade) const
    {
        const Weight& by = m_weights[weight];
        return by.ofSeconds * seconds + by.ofMemory * m_form.layers(parameters, kept, remade);
    }

    void add(const Division& division);
    /// Whether nothing within these bounds, with an operator that takes so much to work, is asked for any more.
    [[nodiscard]] bool isBeaten(const Bound& bound, double working) const;
    /// By time.
    [[nodiscard]] std::vector<Division> best() const;

private:
    struct Found {
        Division division;
        double peak = 0;
    };
    /// What is better than all that is known takes less than one of these in both.
    struct Corner {
        double seconds = 0, peak = 0;
    };
    void updateCorners();

    ProgrammeGoal m_goal;
    MemoryForm m_form; ///< the first; the peak is that of this stage at least
    std::vector<Weight> m_weights{{1, 0}};
    std::vector<Found> m_found; ///< by time
    std::vector<Corner> m_corners;
};

} // namespace stratoplan::partition
