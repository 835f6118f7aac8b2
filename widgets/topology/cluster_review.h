// SPDX-License-Identifier: GPL-3.0-or-later
// What a cluster adds up to, and what is wrong with the way it is drawn. Plain values; the sentences are made where
// they are shown (topology_text.h).
#pragma once

#include "core/plan/problem.h"
#include "widgets/topology/cluster_edit.h"

namespace stratoplan::widgets {

struct ClusterTotals {
    int nodes = 0;
    int accelerators = 0;
    int switches = 0;
    FlopsPerSecond peak{}; ///< dense, in 16-bit precision (BF16, else FP16, else FP32)
    Bytes memory{};
    BytesPerSecond memoryBandwidth{};
    BytesPerSecond injection{}; ///< all network ports of all nodes, each direction
    double watts = 0; ///< accelerator boards only
    bool operator==(const ClusterTotals&) const = default;
};
[[nodiscard]] ClusterTotals clusterTotals(const cluster::Cluster& cluster);
/// Dense peak of one accelerator in the 16-bit format it supports (BF16, else FP16), else FP32.
[[nodiscard]] FlopsPerSecond peakRate16(const cluster::Accelerator& accelerator);

enum class IssueCode {
    NoNodes,
    NodesUnlinked, ///< switches are drawn, but no cable leaves these nodes; found: their network ports
    NodesCutOff, ///< found: nodes with a cable, limit: nodes
    NodesApart, ///< cables join some to one another alone; found: the most that they do, limit: nodes
    NodesPartly, ///< found: cables, limit: network ports
    SwitchUnlinked, ///< no cable at all
    NoUplink, ///< switches that nothing joins to one another; found: cables upwards, limit: the fewest that do
    PortsExceeded, ///< found: cables, limit: ports
    FabricSplit, ///< nodes that no path leads to from those before them
    Oversubscribed, ///< found: uplink share of the leaf tier, below 1
    TorusUnfilled, ///< found: nodes, limit: the next number that fills tori of their shape
    FabricAssumed, ///< no switches drawn: a non-blocking fabric is assumed
};

struct ClusterIssue {
    IssueCode code{};
    plan::Severity severity = plan::Severity::Warning;
    std::string element; ///< id; empty = the cluster as a whole
    double found = 0;
    double limit = 0;
    bool operator==(const ClusterIssue&) const = default;
};

/// Everything doubtful, errors first, then in the order of the value.
[[nodiscard]] std::vector<ClusterIssue> reviewCluster(const cluster::Cluster& cluster);
/// The edit that mends an issue; nullopt if there is no obvious one.
[[nodiscard]] std::optional<cluster::Cluster> mended(const cluster::Cluster& cluster, const ClusterIssue& issue);

} // namespace stratoplan::widgets
