// SPDX-License-Identifier: Apache-2.0
// Strategies that differ in one dimension.
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace stratoplan::space {

enum class ChangeCode {
    Number, ///< of `dimension`: "micro-batch 2 instead of 4"
    TwoNumbers, ///< of `dimension` and of `second`: "TP 8 and DP 2 instead of 4 and 4"
    Choice, ///< the same of what is no number: "offload none instead of optimizer"
    On, ///< a switch
    Off,
    Recompute, ///< all layers alike
    RecomputeFirst, ///< so many layers of each stage
    EvenLayers,
    FewerOnFirst, ///< a layer, of the first stage
    FewerOnLast,
    Schedule,
    ScheduleInOneChunk, ///< a stage
    ScheduleInTwoChunks,
};

/// What tells a strategy from another one; the numbers as number() of dimensions.h has them.
struct StrategyChange {
    ChangeCode code{};
    plan::Dimension dimension{};
    int number = 0, before = 0;
    plan::Dimension second{};
    int secondNumber = 0, secondBefore = 0;
    bool mixedBefore = false; ///< of recomputations: layers were recomputed unlike
    bool operator==(const StrategyChange&) const = default;
};

struct Neighbour {
    StrategyChange change;
    parallel::Strategy strategy;
};

/// Every strategy that differs in one dimension, legal or not, but for Megatron's partitions, of which none is divided
/// in space and time; moving ranks from one degree to another counts as one, and so does a degree that the replicas
/// make room for.
[[nodiscard]] std::vector<Neighbour> neighbours(const plan::Plan& plan, const parallel::Strategy& strategy);

} // namespace stratoplan::space
