// SPDX-License-Identifier: GPL-3.0-or-later
// What one gesture in the form means for the plan: the field itself and what follows from it, so that a small edit
// leaves a sensible plan. Pure functions of values.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/plan.h"

#include <cstddef>

namespace stratoplan::widgets {

/// The preset's shape and the sequence length of its pre-training.
[[nodiscard]] plan::Plan withModel(plan::Plan plan, const catalog::ModelPreset& preset);

/// The kinds of layers of a hybrid keep their shares, as near as whole layers come; so do those that a window stands in
/// for.
[[nodiscard]] model::Transformer withLayers(model::Transformer model, int layers);
/// The head dimension follows while heads x head dimension = hidden and the division stays even.
[[nodiscard]] model::Transformer withHidden(model::Transformer model, int hidden);
/// As above; multi-head attention stays multi-head (KV heads follow), KV heads never exceed the heads.
[[nodiscard]] model::Transformer withHeads(model::Transformer model, int heads);
[[nodiscard]] model::Transformer withKvHeads(model::Transformer model, int kvHeads);

// Cluster edits name a node group by index. Cables drawn from the group grow and shrink with its ports.
[[nodiscard]] cluster::Cluster withNodeCount(cluster::Cluster cluster, std::size_t group, int count);
[[nodiscard]] cluster::Cluster withNicsPerNode(cluster::Cluster cluster, std::size_t group, int nics);
/// A scale-up domain that was the node stays the node.
[[nodiscard]] cluster::Cluster withAcceleratorsPerNode(cluster::Cluster cluster, std::size_t group, int accelerators);
/// With the scale-up link that goes with it (setAccelerator()).
[[nodiscard]] cluster::Cluster withAccelerator(cluster::Cluster cluster, std::size_t group,
    const cluster::Accelerator& accelerator, const catalog::Catalog& catalog);
[[nodiscard]] cluster::Cluster withScaleUp(cluster::Cluster cluster, std::size_t group, const cluster::Link& link);
[[nodiscard]] cluster::Cluster withScaleUpDomain(cluster::Cluster cluster, std::size_t group, int accelerators);
/// Cables of the old kind become cables of the new kind.
[[nodiscard]] cluster::Cluster withNic(cluster::Cluster cluster, std::size_t group, const cluster::Link& link);
/// The preset's node; count and identity of the group stay. Adds a first group to an empty cluster.
[[nodiscard]] cluster::Cluster withNode(cluster::Cluster cluster, std::size_t group, const catalog::NodePreset& preset);

/// The profile with the attention kernel and gradient precision that stack runs by default.
[[nodiscard]] plan::Training withSoftware(plan::Training training, const plan::SoftwareProfile& profile);

} // namespace stratoplan::widgets
