// SPDX-License-Identifier: Apache-2.0
// Clusters of unlike nodes: which nodes are of one kind, and which accelerators a run of ranks lies on. Ranks take the
// accelerators of the groups in their order.
#pragma once

#include "core/cluster/cluster.h"

#include <vector>

namespace stratoplan::cluster {

/// Whether a step that runs on nodes of the one takes as long, and has as much room, on nodes of the other, but for the
/// cables that they have.
[[nodiscard]] bool areAlike(const NodeGroup& a, const NodeGroup& b);

/// The groups that so many ranks lie on, without those behind them, and without a network.
[[nodiscard]] Cluster nodesOfRanks(const Cluster& cluster, double ranks);

/// Of the boards that so many ranks run on, in watts.
[[nodiscard]] double boardWatts(const Cluster& cluster, int ranks);

/// Numbers of kinds, each once, by rising number.
using KindSet = std::vector<int>;

/// Accelerators of one kind, those of neighbouring groups together.
struct KindRun {
    int kind = 0; ///< from 0 on, by the first group of each
    int first = 0; ///< accelerator
    int count = 0;
    bool operator==(const KindRun&) const = default;
};

class NodeKinds {
public:
    explicit NodeKinds(const Cluster& cluster);

    /// Whether there are several.
    [[nodiscard]] bool areUnlike() const { return m_count > 1; }
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] const std::vector<KindRun>& runs() const { return m_runs; }
    /// Of the groups of a cluster with these kinds those that are of one of them, by place.
    [[nodiscard]] std::vector<std::size_t> groupsOf(const KindSet& kinds) const;

private:
    int m_count = 0;
    std::vector<int> m_ofGroup; ///< -1: it takes no part
    std::vector<KindRun> m_runs;
};

} // namespace stratoplan::cluster
