// SPDX-License-Identifier: Apache-2.0
// The strategies of a space one after the other, as the tree of search() has them: each has a place, and is found again
// by it.
#pragma once

#include "core/space/space_tree.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace stratoplan::space {

class LeafOrder {
public:
    /// Precondition: check() and notEstimable() find no error in the plan, but for its strategy. `space` must stay.
    /// Stopped: incomplete, and of no use.
    LeafOrder(const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules, const std::stop_token& stop);

    [[nodiscard]] std::int64_t leaves() const { return m_leaves; }
    /// The plan in each of the precisions that the space has; its strategy plays no part.
    [[nodiscard]] std::size_t variants() const { return m_variants.size(); }
    [[nodiscard]] const plan::Plan& plan(std::size_t variant) const { return m_variants[variant]->plan; }

    struct Leaf {
        parallel::Strategy strategy;
        std::size_t variant = 0;
    };
    /// Precondition: 0 <= place < leaves(). Any number of threads may ask.
    [[nodiscard]] Leaf leafAt(std::int64_t place) const;
    /// `take` is given those at `first`, `first` + `stride` and so on.
    void visit(std::int64_t first, std::int64_t stride, const std::stop_token& stop,
        const std::function<void(std::int64_t place, const Leaf&)>& take) const;

private:
    /// A plan in one training precision.
    struct Variant {
        plan::Plan plan;
        SpaceTree tree;
        std::vector<std::int64_t> begins; ///< of each division: its first leaf in the order

        Variant(plan::Plan itsPlan, const plan::SearchSpace& space, Schedules schedules, const std::stop_token& stop);
    };
    /// Leaves that differ in nothing but sharding, place of the groups, pipeline and the first layers recomputed.
    struct Block {
        const Degrees& degrees;
        int microBatch;
        const PassPick& pass;
        int microBatches;
        std::int64_t begin;
        std::int64_t leaves;
    };
    template <class Take>
    static void eachBlock(const Variant& variant, const Division& division, std::int64_t begin, Take take);
    static parallel::Strategy strategyIn(const SpaceTree& tree, const Block& block, std::int64_t place);

    std::vector<std::unique_ptr<Variant>> m_variants;
    std::int64_t m_leaves = 0;
};

} // namespace stratoplan::space
