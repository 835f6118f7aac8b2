// SPDX-License-Identifier: Apache-2.0
// The best ways in which a group can divide the operators of a layer: a dynamic programme over segments of the layer's
// graph (PrimePar, ASPLOS 2024, section 5), over labels of time and memory instead of a weighted sum of both, so that a
// limit of memory is met exactly. Bounds from the chain of operators alone leave most states out before. All layers
// are divided alike; what others would take is in layer_doubling.h.
#pragma once

#include "core/partition/known_divisions.h"
#include "core/partition/layer_steps.h"

#include <deque>
#include <functional>
#include <map>
#include <stop_token>
#include <vector>

namespace stratoplan::partition {

struct ProgrammeAnswer {
    std::vector<Division> best; ///< by cost; empty where nothing fits
    int statesLeft = 0; ///< that bounds did not leave out
    bool isStopped = false; ///< asked to stop: what is best is not known
};

using ProgrammeProgress = std::function<void(double share)>;

inline constexpr int kMostGroupBits = 6; ///< of a group that a programme divides: 64 ranks

class Programme {
public:
    /// Refers to block and pricing; of at most kMostGroupBits.
    Programme(const Block& block, const Sequences& sequences, const GroupPricing& pricing);

    /// Goals from now on end soon after they are asked to stop, and leave nothing behind. Of fronts, which take long,
    /// `progress` is called with the share that is known.
    void watch(std::stop_token stop, ProgrammeProgress progress = {});
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    /// What is summed up once a step is shared out among so many micro-batches from now on, in place of the block's.
    void spread(int microBatches);
    /// By operator.
    [[nodiscard]] const std::vector<std::vector<State>>& states() const { return m_states; }
    /// Whether every operator can be divided at all.
    [[nodiscard]] bool isPossible() const;
    /// No more than the seconds of any division, and little less than those of the fastest. Precondition: isPossible().
    [[nodiscard]] double leastSeconds();
    /// Precondition: isPossible().
    [[nodiscard]] ProgrammeAnswer solve(const ProgrammeGoal& goal);
    /// Whether bounds that were found before say that no division fits and is in one of the corners of the goal.
    [[nodiscard]] bool isKnownEmpty(const ProgrammeGoal& goal) const;
    [[nodiscard]] Division price(const ChosenStates& states, std::uint32_t again);

private:
    void keep(const std::vector<WeighedLeast>& sums);
    void keep(const Division& best);

    const Block& m_block;
    LayerSteps m_steps;
    std::stop_token m_stop;
    ProgrammeProgress m_progress;
    std::vector<std::vector<State>> m_states;
    double m_leastWorking = 0; ///< bytes
    /// Of goals so far, the last ones.
    struct LeastSums {
        std::vector<WeighedLeast> all;
        std::size_t oldest = 0;
    };
    int m_microBatches;
    std::map<int, LeastSums> m_leastSums; ///< by micro-batches
    std::deque<Division> m_lastBest; ///< of unlike states, the latest first
};

} // namespace stratoplan::partition
