// SPDX-License-Identifier: Apache-2.0
// Inside of the strategy pricer: bounds of what a sequence or a micro-batch takes while most of a strategy is open.
#pragma once

#include "core/pricing/lowered_work.h"
#include "core/pricing/stage_shares.h"

namespace stratoplan {

/// What a micro-batch takes for each piece.
[[nodiscard]] PieceSeconds pieces(const MicroBatchCost& cost);

class SequenceBounds {
public:
    /// Refers to all three. The strategy of `plan` is the chosen one; it is changed and put back.
    SequenceBounds(Plan& plan, const Machine& machine, Works& works);

    /// Matrix products of one sequence in the whole model, at the peak rate of one accelerator. TP, CP, EP and expert
    /// TP share the products out between their ranks: each has its share of the rows or columns, or, where they do not
    /// divide, more.
    [[nodiscard]] Seconds ofProducts();

    /// TP, CP, its method, micro-batch: one sequence in the whole model on one rank, each matrix product by its own
    /// shape but for the experts', which run at the peak rate whatever EP and expert TP make of them; with the traffic
    /// of TP and CP at their best places, which no division of the experts changes; with or without sequence
    /// parallelism, whichever takes less. `anyVocabulary`: wherever the vocabulary is placed. Its products then run at
    /// the peak rate and are not padded, as stages that share them may have shapes of any kind.
    [[nodiscard]] Seconds ofSequence(int leastRanks, bool anyVocabulary);

    /// TP, CP, its method, micro-batch, sequence parallelism, EP, expert TP: pieces of a micro-batch with nothing
    /// repeated, from the work of undivided experts. Their products take what they take in their shapes, their tokens
    /// travel, and the host launches fewer of them; what expert TP adds to the traffic through memory is left out.
    /// Cheaper than lowering.
    [[nodiscard]] PieceSeconds ofExperts(int leastRanks);

    /// All these and recomputation: the pieces of a micro-batch with every group at its best place. A pass takes what
    /// it computes and its traffic does not hide, or as long as the host launches it; both rise with the time of every
    /// collective.
    [[nodiscard]] PieceSeconds ofPieces(int leastRanks);

    void clear()
    {
        m_undivided.clear();
        m_products.clear();
    }
    [[nodiscard]] std::size_t size() const { return m_undivided.size(); }

private:
    /// A micro-batch with undivided experts; room is left in it for how they are divided.
    struct Undivided {
        const LoweredWork* lowered = nullptr;
        LayerWork moe;
        ComputeSeconds moeForward, moeBackward;
        PieceSeconds pieces; ///< but for layers with experts
    };
    [[nodiscard]] Undivided undivided(int leastRanks);
    /// Experts see tokens, whether few sequences are divided by CP or more of them: each number is priced once.
    [[nodiscard]] const ExpertSeconds& products(const LoweredWork& work);
    [[nodiscard]] Deployment anywhere(int leastRanks) const;

    Plan& m_plan;
    const Machine& m_machine;
    Works& m_works;
    Remembered<WorkKey, Undivided> m_undivided;
    Remembered<Key<5>, ExpertSeconds> m_products; ///< by TP, sequences and ranks that share them, EP and expert TP
};

} // namespace stratoplan
