// SPDX-License-Identifier: GPL-3.0-or-later
// What one gesture in the form means for the plan: the field itself and what follows from it, so that a small edit
// leaves a sensible plan. Pure functions of values.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/plan.h"

#include <cstddef>

namespace stratoplan {

/// The preset's shape and the sequence length of its pre-training.
[[nodiscard]] Plan withModel(Plan plan, const ModelPreset& preset);

/// The head dimension follows while heads x head dimension = hidden and the division stays even.
[[nodiscard]] Transformer withHidden(Transformer model, int hidden);
/// As above; multi-head attention stays multi-head (KV heads follow), KV heads never exceed the heads.
[[nodiscard]] Transformer withHeads(Transformer model, int heads);
[[nodiscard]] Transformer withKvHeads(Transformer model, int kvHeads);

// Cluster edits name a node group by index. Cables drawn from the group grow and shrink with its ports.
[[nodiscard]] Cluster withNodeCount(Cluster cluster, std::size_t group, int count);
[[nodiscard]] Cluster withNicsPerNode(Cluster cluster, std::size_t group, int nics);
/// A scale-up domain that was the node stays the node.
[[nodiscard]] Cluster withAcceleratorsPerNode(Cluster cluster, std::size_t group, int accelerators);
[[nodiscard]] Cluster withAccelerator(Cluster cluster, std::size_t group, const Accelerator& accelerator);
[[nodiscard]] Cluster withScaleUp(Cluster cluster, std::size_t group, const Link& link);
[[nodiscard]] Cluster withScaleUpDomain(Cluster cluster, std::size_t group, int accelerators);
/// Cables of the old kind become cables of the new kind.
[[nodiscard]] Cluster withNic(Cluster cluster, std::size_t group, const Link& link);
/// The preset's node; count and identity of the group stay. Adds a first group to an empty cluster.
[[nodiscard]] Cluster withNode(Cluster cluster, std::size_t group, const NodePreset& preset);

/// The profile with the attention kernel and gradient precision that stack runs by default.
[[nodiscard]] Training withSoftware(Training training, const SoftwareProfile& profile);

} // namespace stratoplan
