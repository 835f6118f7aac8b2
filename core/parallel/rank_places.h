// SPDX-License-Identifier: Apache-2.0
// Which rank stands where in the groups of a strategy: what placement.h counts, one rank at a time.
#pragma once

#include "core/parallel/group_runs.h"

#include <vector>

namespace stratoplan::parallel {

/// All groups of one kind.
class GroupPlaces {
public:
    GroupPlaces(const Strategy& strategy, RankGroup group);

    /// Ranks of each group.
    [[nodiscard]] int size() const { return m_size; }
    /// Where the rank stands in its group, from 0 on.
    [[nodiscard]] int placeOf(int rank) const;
    /// All ranks of its group, by their places.
    [[nodiscard]] std::vector<int> groupOf(int rank) const;

private:
    [[nodiscard]] int along(int rank) const;

    Runs m_runs; ///< of one group, or of the pool that groups of experts share out
    int m_size = 1;
    int m_step = 1; ///< along the runs, from one rank of a group to the next
};

} // namespace stratoplan::parallel
