// SPDX-License-Identifier: GPL-3.0-or-later
// Every sentence of the canvas about values: what an element is, why a link is refused, what is wrong. Translatable.
#pragma once

#include "widgets/presentation/numbers.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_review.h"

#include <QString>

namespace stratoplan::widgets {

[[nodiscard]] QString fromText(const std::string& text);

/// "400 Gb/s": bit rates for network ports, as data sheets print them.
[[nodiscard]] QString bitRate(BytesPerSecond bandwidth);
/// "NVLink 3, 300 GB/s each way".
[[nodiscard]] QString scaleUpText(const cluster::NodeGroup& nodes);
/// "InfiniBand HDR 200 Gb/s"; the rate is not said twice if the name carries it.
[[nodiscard]] QString linkText(const cluster::Link& link);
/// "1,024 × HDR 200 Gb/s".
[[nodiscard]] QString connectionLabel(const cluster::Connection& connection);
/// All cables together, each direction: "25.6 TB/s".
[[nodiscard]] QString totalBandwidthText(const cluster::Connection& connection);
[[nodiscard]] QString tierName(cluster::SwitchTier tier);

/// One line that tells all about an element or connection, for tooltips and screen readers.
[[nodiscard]] QString describeElement(const cluster::Cluster& cluster, const std::string& id);
[[nodiscard]] QString describeConnection(const cluster::Cluster& cluster, const cluster::Connection& connection);

/// "Link DGX A100 to Leaf switch: 8 × HDR 200 Gb/s", or why not and what to do instead.
[[nodiscard]] QString describe(const cluster::Cluster& cluster, const LinkVerdict& verdict);

/// "4:1"; "32:1 for Spare nodes", "32:1 for 2 of 5 groups of nodes" where others have more. `share`: uplinkShare() of
/// the leaves, above 0.
[[nodiscard]] QString leafOversubscription(const cluster::Cluster& cluster, double share);

[[nodiscard]] QString describe(const cluster::Cluster& cluster, const ClusterIssue& issue);
/// Verb phrase of the edit that mends the issue, e.g. "Link all ports"; empty if mended() has none.
[[nodiscard]] QString mendLabel(const cluster::Cluster& cluster, const ClusterIssue& issue);

} // namespace stratoplan::widgets
