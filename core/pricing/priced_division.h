// SPDX-License-Identifier: Apache-2.0
// A strategy of a plan while the places of its groups are open: its peak, and bounds of what a sequence, a micro-batch
// and a step take, made of the same prices as the step with what is still open left out.
#pragma once

#include "core/cost/communication.h"
#include "core/plan/plan.h"
#include "core/pricing/held_bytes.h"
#include "core/pricing/settled_plan.h"
#include "core/pricing/stage_cost.h"
#include "core/pricing/stage_shares.h"
#include "core/pricing/strategy_price.h"

#include <memory>

namespace stratoplan::pricing {

/// Refers to its context. Each bound is at most the step, or the peak, of every strategy that agrees with this one in
/// what it names, whatever the rest. They hold to 1e-12 of their value, the rounding of sums in another order.
class PricedDivision {
public:
    PricedDivision(PricingContext& context, std::shared_ptr<const SettledPlan> settled)
        : m_context(&context)
        , m_settled(std::move(settled))
    {
    }

    [[nodiscard]] const plan::Plan& plan() const { return m_settled->plan; }
    [[nodiscard]] const parallel::Strategy& strategy() const { return plan().strategy; }
    [[nodiscard]] int microBatches() const { return m_settled->microBatches; }
    [[nodiscard]] double stretch() const { return m_settled->stretch; }
    [[nodiscard]] int splitNumber() const { return m_settled->split; }
    [[nodiscard]] const SettledPlan& settled() const { return *m_settled; }
    [[nodiscard]] PricingContext& context() const { return *m_context; }

    [[nodiscard]] StrategyPeak peak() const;

    /// TP, CP, its method, micro-batch: one sequence in the whole model on one rank, each matrix product by its own
    /// shape but for the experts', which run at the peak rate whatever EP and expert TP make of them; with the traffic
    /// of TP and CP at their best places, which no division of the experts changes; with or without sequence
    /// parallelism, whichever takes less. `leastRanks`, here and below: no strategy that is asked about uses fewer.
    /// `anyVocabulary`: wherever the vocabulary is placed, and not at the ends alone. Its products then run at the peak
    /// rate and are not padded, as stages that share them may have shapes of any kind.
    [[nodiscard]] Seconds sequenceSeconds(int leastRanks, bool anyVocabulary = false) const;
    /// PP, DP and the ranks in all: the step, where a sequence takes that long.
    [[nodiscard]] Seconds stepOfSequences(Seconds each) const;
    /// Micro-batch, DP and the ranks in all: the step, where some stage takes that long for a micro-batch.
    [[nodiscard]] Seconds stepOfStage(Seconds microBatch) const;

    // What makes up a bound of peaks, beside heldLayers() of the plan (held_bytes.h).
    [[nodiscard]] SequenceBytes sequenceBytes() const;
    [[nodiscard]] LayerStates layerStates() const;

    /// TP, CP, its method, sequence parallelism, EP, expert TP, micro-batch: pieces of a micro-batch with nothing
    /// repeated, every group at its best place, from the work of undivided experts. Their products take what they take
    /// in their shapes, their tokens travel, and the host launches fewer of them; what expert TP adds to the traffic
    /// through memory is left out. Cheaper than lowering.
    [[nodiscard]] PieceSeconds expertPieces(int leastRanks) const;
    /// The same, recomputation, and how the vocabulary is placed: the pieces, every group at its best place. A pass
    /// takes what it computes and its traffic does not hide, or as long as the host launches it; both rise with the
    /// time of every collective.
    [[nodiscard]] PieceSeconds leastPieces(int leastRanks) const;

    // The same for all ways in which the tensor-parallel ranks may divide layers in space and time, whatever fits. Of a
    // strategy that leaves that to Megatron's partition.
    [[nodiscard]] PieceSeconds dividedPieces(int leastRanks) const;
    [[nodiscard]] Seconds dividedSequenceSeconds(int leastRanks, bool anyVocabulary) const;
    [[nodiscard]] SequenceBytes dividedSequenceBytes() const;
    [[nodiscard]] LayerStates dividedLayerStates() const;

    /// As schedules run it that do not run weight gradients apart: those that do wait longer for what is offloaded.
    [[nodiscard]] PricedDivision joined() const;
    /// With nothing repeated or offloaded, and the vocabulary at the ends.
    [[nodiscard]] PricedDivision bare() const;
    /// The same, and the experts not divided.
    [[nodiscard]] PricedDivision undivided() const;
    /// Every group at its best place. Refers to its settled plan.
    [[nodiscard]] cost::Deployment anywhere(int leastRanks) const;

private:
    /// Of a layer without its experts, divided in space and time: what it computes at the least, and then waits for
    /// ranks of context parallelism.
    [[nodiscard]] Seconds dividedLayer(int leastRanks) const;
    /// Embedding, head and merge alone.
    [[nodiscard]] PieceSeconds leastEnds(int leastRanks) const;
    /// With some of its strategy changed.
    template <class Change>
    [[nodiscard]] PricedDivision with(Change change) const;

    PricingContext* m_context;
    std::shared_ptr<const SettledPlan> m_settled;
};

/// What a micro-batch takes for each piece.
[[nodiscard]] PieceSeconds pieces(const MicroBatchCost& cost);

} // namespace stratoplan::pricing
