// SPDX-License-Identifier: Apache-2.0
// What layers take at the least that need not be divided alike: the costs of a layer by the states in which it and the
// next one begin, and those of more layers by doubling (PrimePar, ASPLOS 2024, section 5).
#pragma once

#include "core/partition/layer_steps.h"
#include "core/partition/min_plus_matrix.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace stratoplan::partition {

/// How many steps there are between these states.
[[nodiscard]] std::size_t stepCount(const std::vector<std::vector<State>>& states, const LayerSteps& steps);

/// The cost of a layer: a weighed sum of what it takes and holds.
struct LayerWeights {
    double ofSeconds = 1; ///< of a micro-batch
    double ofParameter = 0;
    double ofKept = 0, ofRemade = 0; ///< for each byte of a micro-batch
};

class LayerDoubling {
public:
    /// Prices every step once. Refers to the states. Precondition: each operator has some.
    /// Asked to stop, now or later: of no use, and neither is what it answers, after one product at the most.
    LayerDoubling(const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps,
        const std::stop_token& stop = {});

    /// The least cost of a layer by the state that its first operator has (rows), which counts, and by the one that the
    /// first operator of the next layer has (columns), which counts there. Its power is the least cost of more layers.
    [[nodiscard]] MinPlusMatrix layer(const LayerWeights& weights) const;
    /// Bytes that any division needs to work.
    [[nodiscard]] double leastWorking() const { return m_leastWorking; }
    [[nodiscard]] const std::stop_token& stop() const { return m_stop; }

private:
    /// From each state of an operator to each one of another.
    struct Way {
        int from = 0, to = 0;
        std::vector<Step> steps;
    };

    [[nodiscard]] const std::vector<State>& statesAt(int place) const { return m_states[std::size_t(place % m_end)]; }
    [[nodiscard]] Way priced(int from, int to, LayerSteps& steps) const;
    [[nodiscard]] int endOfPart(int place, int first, int last) const;
    [[nodiscard]] MinPlusMatrix segment(const LayerWeights& weights, int first, int last) const;
    [[nodiscard]] MinPlusMatrix next(const LayerWeights& weights, const Way& way) const;

    const std::vector<std::vector<State>>& m_states;
    std::stop_token m_stop;
    int m_end; ///< the place behind the last operator
    double m_leastWorking = 0;
    std::vector<Way> m_next; ///< by place, to the next one
    std::vector<Way> m_skips;
};

/// No more than what the layers of a stage take on average that fits, divided unlike each other, where the stage ends
/// in the state it begins in: seconds of passes, and `ofParameter` for each parameter; infinite where none fits. Asked
/// to stop: of no use.
[[nodiscard]] double leastMeanWithin(const LayerDoubling& layers, double ofParameter, const MemoryForm& form,
    double capacity, const std::function<void(double share)>& progress = {});

} // namespace stratoplan::partition
