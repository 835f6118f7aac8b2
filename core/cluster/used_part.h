// SPDX-License-Identifier: Apache-2.0
// What of a cluster a strategy uses: its ranks take the nodes of the groups in their order, and those behind stay idle.
#pragma once

#include "core/cluster/cluster.h"

#include <cstddef>
#include <vector>

namespace stratoplan::cluster {

/// The first so many groups of nodes are those that ranks lie on; of a group that they end in all nodes count, as which
/// of its nodes hang where is not drawn.
[[nodiscard]] std::size_t usedGroups(const Cluster& cluster, int ranks);

/// Accelerators that so many ranks lie on, by group of nodes.
[[nodiscard]] std::vector<int> usedAccelerators(const Cluster& cluster, int ranks);

/// The cluster without the nodes behind the first so many groups, the switches that lead down to no others, and the
/// cables of either. Nodes keep their places.
[[nodiscard]] Cluster usedPart(Cluster cluster, std::size_t groups);

/// Whether cables join the nodes that ranks lie on: those of idle groups are not in the way.
class JoinedRanks {
public:
    explicit JoinedRanks(const Cluster& cluster);
    [[nodiscard]] bool joins(int ranks) const;

private:
    struct Part {
        int accelerators = 0, joined = 0;
    };
    std::vector<Part> m_parts; ///< of the first groups, one more each; none where all are joined
};

} // namespace stratoplan::cluster
