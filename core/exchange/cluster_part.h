// SPDX-License-Identifier: Apache-2.0
// Elements of a cluster, the cables among them and where they stand, as a document of its own ("stratoplan-cluster"):
// what the canvas copies, and pastes into the same cluster or another one.
#pragma once

#include "core/exchange/document.h"

namespace stratoplan::exchange {

// What a document holds at most.
inline constexpr std::size_t kMostGroups = 1000; ///< of nodes, and of switches
inline constexpr std::size_t kMostConnections = 10000;

struct ClusterPart {
    cluster::Cluster cluster;
    plan::CanvasPositions canvas; ///< of its elements; none of those that no one has placed
};

/// Ids are unique and cables end at elements of the part.
[[nodiscard]] tl::expected<ClusterPart, DocumentErrors> parseClusterPart(
    std::string_view text, const catalog::Catalog& catalog);
/// JSON text, two-space indent, trailing newline; spelled out, so that a program with another catalogue reads it.
[[nodiscard]] std::string writeClusterPart(const ClusterPart& part);

} // namespace stratoplan::exchange
