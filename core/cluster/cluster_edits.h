// SPDX-License-Identifier: Apache-2.0
// Edits of a cluster in one place that the rest of its drawing follows.
#pragma once

#include "core/cluster/cluster.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace stratoplan::cluster {

/// The group `id` grew or shrank from `before` to `after` ports: the cables that leave it upwards follow. Rounded up,
/// so that each port stays at least as well linked; that never asks for more ports than there are.
void scaleUplinks(Cluster& cluster, std::string_view id, long long before, long long after);

/// As many switches as hold the cables that end at the group `id`, in blocks as before. A single one at the top has
/// more ports instead: two would be apart.
void holdCables(Cluster& cluster, std::string_view id);

/// Of the group of nodes at `group`. Their cables follow, and with more of them the uplinks above, so that the
/// oversubscription stays as drawn, or none comes about; switches become as many as hold them. Fewer nodes leave the
/// switches and their uplinks as they are.
void setNodeCount(Cluster& cluster, std::size_t group, int count);
/// The same of the network ports of each node.
void setNicsPerNode(Cluster& cluster, std::size_t group, int nics);

/// Of the group of nodes at `group`; cables of the kind of its old NIC follow.
void setNic(Cluster& cluster, std::size_t group, const Link& nic);

/// Accelerators of a scale-up domain; of a torus the slice of as many. Where it has none the torus stays, and is at
/// odds with it.
void setScaleUpDomain(NodeGroup& nodes, int accelerators);
/// Accelerators along each axis of a scale-up domain, which becomes one of as many; none: it is switched. Precondition:
/// a valid torus, or none.
void setTorusAxes(NodeGroup& nodes, const std::vector<int>& axes);

/// NICs and cables of the whole network carry so many times as much.
void speedUpNetwork(Cluster& cluster, double times);

} // namespace stratoplan::cluster
