// SPDX-License-Identifier: Apache-2.0
// Inside of the strategy pricer: bounds of what a sequence or a micro-batch takes while most of a strategy is open.
#pragma once

#include "core/estimate/lowered_work.h"
#include "core/estimate/stage_shares.h"

#include <map>

namespace stratoplan {

class SequenceBounds {
public:
    /// Refers to all three. The strategy of `plan` is the chosen one; it is changed and put back.
    SequenceBounds(Plan& plan, const Machine& machine, Works& works);

    /// Matrix products of one sequence in the whole model, at the peak rate of one accelerator. TP, CP, EP and expert TP share the
    /// products out between their ranks: each has its share of the rows or columns, or, where they do not divide, more.
    [[nodiscard]] Seconds ofProducts();

    /// TP, CP, its method, micro-batch: one sequence in the whole model on one rank, each matrix product by its own shape but for the
    /// experts', which run at the peak rate whatever EP and expert TP make of them; with the traffic of TP and CP at their best
    /// places, which no division of the experts changes; with or without sequence parallelism, whichever takes less.
    [[nodiscard]] Seconds ofSequence(int leastRanks);

    /// TP, CP: bytes that a layer keeps of a sequence, of whatever kind, in whichever way that keeps least. EP divides experts and
    /// passes on as many tokens; expert TP makes every rank see more of them.
    [[nodiscard]] Bytes leastActivation();

    /// TP, CP, its method, EP, expert TP, micro-batch, sequence parallelism, recomputation: the pieces of a micro-batch with every
    /// group at its best place. A pass takes what it computes and its traffic does not hide, or as long as the host launches it; both
    /// rise with the time of every collective.
    [[nodiscard]] const PieceSeconds& ofPieces(int leastRanks);

    /// Seconds of the chosen strategy's micro-batches, of those pieces, on the stage that has most to do; every stage runs all of them.
    [[nodiscard]] Seconds ofLongestStage(const PieceSeconds& pieces);
    /// The same on average over the stages: for schedules whose stages run different chunks for different micro-batches.
    [[nodiscard]] Seconds ofMeanStage(const PieceSeconds& pieces) const;

private:
    void forgetTooMany();

    Plan& m_plan;
    const Machine& m_machine;
    Works& m_works;
    StageShare m_whole; ///< every piece of the model, once
    Remembered<Key<10>, PieceSeconds> m_pieces;
    std::map<std::array<int, 3>, std::vector<StageShare>> m_shares; ///< by stages, chunks, and how the vocabulary is placed
};

} // namespace stratoplan
