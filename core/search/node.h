// SPDX-License-Identifier: Apache-2.0
// Inside of the search: a node of its tree. It stands for a set of strategies: those of a division, of one of its
// micro-batches, or of one way to run that.
#pragma once

#include "core/search/front.h"
#include "core/search/prune_rule.h"
#include "core/space/space_tree.h"

#include <cstdint>
#include <vector>

namespace stratoplan::search {

inline constexpr double kSumRounding = 1e-12; ///< relative, of sums in another order

struct Node {
    const space::Division* division = nullptr;
    int microBatch = 0; ///< its size; 0: open
    int experts = -1, pass = -1; ///< places among those of the division; -1: open
    double bound = 0; ///< of the values of its strategies
    double peak = 0; ///< of their peaks
    std::int64_t leaves = 0; ///< strategies
    bool uneven = false; ///< of a pass that spreads layers unevenly
    bool dividesLayers = false; ///< of a pass that divides layers in space and time
    int firstLayers =
        0; ///< of a pass that recomputes first layers: the place of the fewest that may fit, among those of the tree
    [[nodiscard]] bool hasPass() const { return pass >= 0; }
};

/// What opening a node came to.
struct Explored {
    std::vector<Node> below; ///< what is left to open, in the order of the tree
    Front found;
    std::int64_t evaluated = 0;
    PruneCounts pruned{};
    bool whole = true; ///< false: stopped
};

} // namespace stratoplan::search
