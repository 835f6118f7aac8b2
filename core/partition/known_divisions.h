// SPDX-License-Identifier: Apache-2.0
// What a programme has found so far, what bounds say that it need not look for, and whether it is asked to stop.
#pragma once

#include "core/partition/division.h"

#include <array>
#include <limits>
#include <stop_token>
#include <utility>
#include <vector>

namespace stratoplan::partition {

/// What takes less time than this and has a lower peak, both.
struct Corner {
    double seconds = std::numeric_limits<double>::infinity(), peak = std::numeric_limits<double>::infinity();
};

struct ProgrammeGoal {
    std::vector<MemoryForm> memory{}; ///< empty: time alone counts
    double capacity = std::numeric_limits<double>::infinity(); ///< bytes
    bool front = false; ///< all that are best in cost or in peak; else the cheapest that fits, of equals the leanest
    std::vector<Corner> within{}; ///< by rising seconds: of what is in none of them any may be left out
    double ofParameter = 0; ///< seconds that a micro-batch loses in the end for each of a layer's parameters
    double most = std::numeric_limits<double>::infinity(); ///< seconds: what costs as much may be left out

    /// Seconds: of its passes, and of what its parameters take in the end.
    [[nodiscard]] double cost(const Division& division) const
    {
        return division.seconds + ofParameter * division.parameters;
    }
};

/// Seconds and bytes of layers weighed against each other.
struct Weight {
    double ofSeconds = 1, ofMemory = 0;
    bool isCost = true; ///< its seconds are those of the cost; else of passes alone
};
inline constexpr std::size_t kMostWeights = 10;
/// The least of each weighed sum. Sums of bounds are bounds of sums.
struct Bound {
    std::array<double, kMostWeights> least{};
};

/// No division has less of a sum of its seconds, its parameters and its bytes, each weighed.
struct WeighedLeast {
    double ofSeconds = 0, ofParameter = 0, ofKept = 0, ofRemade = 0;
    double least = 0;
};
/// Whether none is in the corner, either; `working`: bytes that any division needs to work.
[[nodiscard]] bool isEmpty(const Corner& corner, const WeighedLeast& known, const MemoryForm& form, double working);

class KnownDivisions {
public:
    explicit KnownDivisions(ProgrammeGoal goal, std::stop_token stop = {});

    [[nodiscard]] const ProgrammeGoal& goal() const { return m_goal; }
    [[nodiscard]] const std::vector<Weight>& weights() const { return m_weights; }
    /// Then bounds and labels are left as they are, unfinished, and nothing is to be made of them.
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    /// By time alone, by memory alone and in between, where memory counts.
    void weighBetween(double seconds, double bytes);
    /// Bytes that any division needs to work.
    void expectWorking(double least) { m_leastWorking = least; }
    /// Where a capacity asks for a trade between both: weighs around the rate at which what was added so far has it.
    /// Whether weights are others now.
    bool weighAroundCapacity();
    [[nodiscard]] double weighed(
        std::size_t weight, double seconds, double parameters, double kept, double remade) const
    {
        const Weight& by = m_weights[weight];
        const double more = by.isCost ? m_goal.ofParameter * parameters : 0;
        return by.ofSeconds * (seconds + more) + by.ofMemory * m_form.layers(parameters, kept, remade);
    }

    [[nodiscard]] WeighedLeast leastSum(std::size_t weight, double least) const;

    void add(const Division& division);
    /// Whether nothing within these bounds, with an operator that takes so much to work, is asked for any more.
    [[nodiscard]] bool isBeaten(const Bound& bound, double working) const;
    /// Of what is within these bounds and fits.
    [[nodiscard]] double leastCost(const Bound& bound) const;
    /// Of the cheapest that fits: nothing that costs more than this is asked for any more, until the next call.
    void askWithin(double cost);
    /// Whether no answer is left to be found when all that was asked for is known.
    [[nodiscard]] bool isSettled() const;
    /// What nothing costs that is asked for.
    [[nodiscard]] double mostCost() const;
    /// By cost.
    [[nodiscard]] std::vector<Division> best() const;

private:
    /// What was added, whether it fits or not.
    struct Tried {
        double seconds = 0, bytes = 0; ///< as weights count them; of the first form
        bool fits = false;
    };
    /// Of the best of them, bytes beyond the capacity at so many seconds each.
    [[nodiscard]] double leastTried(double rate) const;
    struct Found {
        Division division;
        double cost = 0, peak = 0;
    };
    /// Whether the second is not asked for beside the first; of equals that which comes first stays.
    [[nodiscard]] bool replaces(const Found& a, const Found& b) const;
    /// What is less than all of them.
    struct Asked {
        double seconds = 0, cost = 0, peak = 0;
    };
    [[nodiscard]] bool weighsCost() const { return m_goal.within.empty(); }
    void updateAsked();

    ProgrammeGoal m_goal;
    std::stop_token m_stop;
    MemoryForm m_form; ///< the first; the peak is that of this stage at least
    std::vector<Weight> m_weights{{1, 0}};
    std::vector<Tried> m_tried;
    std::vector<Found> m_found; ///< by cost
    std::vector<Asked> m_asked; ///< what is asked for is in one of them
    double m_within; ///< the cost that is asked for
    double m_leastWorking = 0;
};

} // namespace stratoplan::partition
