// SPDX-License-Identifier: Apache-2.0
// Whether a space holds a strategy, or one that differs from it in nothing that is priced.
#pragma once

#include "core/catalog/framework_rules.h"
#include "core/model/precision.h"
#include "core/plan/plan.h"
#include "core/plan/search_space.h"
#include "core/space/schedules.h"

#include <optional>

namespace stratoplan::space {

/// What of a strategy a space does not have.
enum class OutsideCode {
    Objection, ///< the target framework does not run it: `objection`
    Combination, ///< of layers, chunks and replicas that share, each of which it has
    NotAllAccelerators, ///< `amount`
    Accelerators, ///< `amount`
    Value, ///< of `dimension`
    Precision,
    OrderOfRanks,
    StageTp,
    OperatorPartitions, ///< named
    ContextPartitions, ///< spatial-temporal, beside context parallelism
    NoClosedForm, ///< of the value of `dimension`
    Limit, ///< of micro-batches in flight, beside the schedule
    TimingPass, ///< which has no closed form
    StageLayers,
    ReplicaBatches, ///< micro-batches that its replicas have of their own
    StageRecompute,
    AllRecomputed, ///< layers
    SomeRecomputed, ///< `amount` layers of a stage
};

struct OutsideReason {
    OutsideCode code{};
    plan::Dimension dimension{};
    int amount = 0;
    parallel::Strategy strategy{}; ///< as the space would have it
    model::Precision precision{};
    std::optional<catalog::FrameworkObjection> objection{};
};

/// What keeps a strategy out of the space, the first such dimension. Nothing: the space holds it. Precondition: check()
/// and notEstimable() find no error in the plan, but for its strategy, and the strategy is legal.
[[nodiscard]] std::optional<OutsideReason> outside(const plan::Plan& plan, const plan::SearchSpace& space,
    Schedules schedules, const parallel::Strategy& strategy, model::Precision precision);

} // namespace stratoplan::space
