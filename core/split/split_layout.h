// SPDX-License-Identifier: Apache-2.0
// What the split of a plan's layers is priced with: all kinds of recomputation at once, layers placed one by one.
#pragma once

#include "core/cost/memory.h"
#include "core/pricing/stage_cost.h"
#include "core/split/stage_split.h"

#include <cstdint>
#include <vector>

namespace stratoplan::split {

/// All stages with one TP and on one machine, and every kind of recomputation priced.
struct SplitLayout {
    SplitLayout(const plan::Plan& itsPlan, int tp, const cost::Machine& machine);
    SplitLayout(const SplitLayout&) = delete;

    /// Layers [first, first + count) of the model, the first of them recomputed in full; parameters counted.
    [[nodiscard]] workload::StageLayout place(int first, int count, const parallel::StageRecompute& recompute,
        bool embedding, bool head, bool tableHere = false) const;
    /// At its peak, with so many micro-batches in flight; infinite where the host has no room for what is offloaded.
    [[nodiscard]] double bytes(const workload::StageLayout& layout, double inFlight, int microBatches) const;

    /// Of that, what lives all the step or with a micro-batch.
    [[nodiscard]] double keptBytes(const workload::StageLayout& layout, double inFlight) const;

    plan::Plan plan;
    workload::MicroBatchWork work;
    cost::Deployment deployment; ///< refers to the plan
    pricing::MicroBatchCost cost; ///< shard traffic included
};

/// What stages with these layouts send to their neighbours.
[[nodiscard]] cost::StageSends sendsBetween(const plan::Plan& plan, const std::vector<const SplitLayout*>& stages);

/// Times as many micro-batches make a pipeline in which nothing counts but its slowest stage.
inline constexpr double kLonger = 1000;

/// A number for what a stage recomputes.
[[nodiscard]] inline std::int64_t idOf(const parallel::StageRecompute& recompute)
{
    return std::int64_t{recompute.full} * 4 + int(recompute.others);
}
[[nodiscard]] inline parallel::StageRecompute recomputeOf(std::int64_t id)
{
    return {static_cast<parallel::Recompute>(id % 4), int(id / 4)};
}

/// What a stage of so many layers may recompute: as its plan has it, or anything that makes a difference.
[[nodiscard]] std::vector<parallel::StageRecompute> recomputeChoices(
    const plan::Plan& plan, bool chosen, int stage, int layers);

/// As few words as say it: one kind for all where that does.
void tellRecompute(const plan::Plan& plan, const std::vector<SplitStage>& stages, parallel::Strategy& strategy);

} // namespace stratoplan::split
