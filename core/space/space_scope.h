// SPDX-License-Identifier: Apache-2.0
// Inside of a search space: what it leaves open of a plan, whatever the division.
#pragma once

#include "core/plan/search_space.h"
#include "core/space/rank_orders.h"
#include "core/space/schedules.h"

#include <algorithm>
#include <vector>

namespace stratoplan::space {

/// An empty list allows all.
template <class Value>
bool allowed(const std::vector<Value>& list, Value value)
{
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

[[nodiscard]] std::vector<int> divisors(int number); ///< by rising number
/// Whether searches divide sequences of that length in space and time over so many tensor-parallel ranks.
[[nodiscard]] bool searchesDivision(int tp, int cp, int sequenceLength);

/// Values of each dimension in their order, and the numbers that they divide.
struct SpaceScope {
    SpaceScope(
        const plan::Plan& plan, const plan::SearchSpace& itsSpace, const cluster::Topology& topology, Schedules asked);
    [[nodiscard]] bool asksFramework() const { return space.framework != plan::TargetFramework::Any; }
    /// Whether divisions may have so many.
    [[nodiscard]] bool mayUse(int ranks) const
    {
        return (ranks == allRanks || space.leaveIdle) && ranks <= joinedRanks && space.accelerators.allows(ranks);
    }

    /// Of several tensor-parallel ranks; the space may have neither that the model's layers can be divided by.
    [[nodiscard]] bool has(parallel::TensorPartition partition) const
    {
        return std::find(partitions.begin(), partitions.end(), partition) != partitions.end();
    }
    /// Whether tensor-parallel ranks of that number may divide layers in space and time.
    [[nodiscard]] bool dividesLayers(int tp, int cp) const;

    const plan::SearchSpace& space;
    int layers, globalBatch, length, experts;
    bool hasExpertLayers;
    int domain; ///< accelerators of a scale-up domain
    int allRanks, joinedRanks, ranksPerNode; ///< of the cluster, by its cables; what the ranks in use may differ by
    int leastRanks; ///< no division has fewer
    std::vector<parallel::Schedule> schedules;
    std::vector<parallel::ContextMethod> contextMethods;
    std::vector<parallel::RankOrder> orders;
    std::vector<parallel::VocabularyPlacement> placements; ///< of the vocabulary
    std::vector<parallel::Offload> offloads;
    std::vector<parallel::TensorPartition> partitions;
    std::vector<bool> timingPasses;
    std::vector<int> microBatches; ///< sizes
    bool dividesVocabulary; ///< in some strategy
    bool hasEven, hasUneven; ///< splits
};

} // namespace stratoplan::space
