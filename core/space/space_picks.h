// SPDX-License-Identifier: Apache-2.0
// What a strategy of a search space is put together of: a pick in each group of dimensions that go together.
#pragma once

#include "core/parallel/strategy.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stratoplan::space {

/// A schedule, its chunks per stage, and whether the timing pass has gone over it.
struct PipelinePick {
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    int vpp = 1;
    bool timingPass = false;
    bool operator==(const PipelinePick&) const = default;
};

/// A pipeline, and the layers of its stages.
struct SplitPick {
    PipelinePick pipeline;
    const std::vector<int>* layers = nullptr; ///< of the tree; none: even
    void applyTo(parallel::Strategy& strategy) const;
};

/// A ZeRO stage and the replicas that share out; 0 = all.
struct ShardingPick {
    int stage = 0;
    int shards = 0;
    bool operator==(const ShardingPick&) const = default;
};

/// Ways to run a micro-batch that go with the same pipelines: by the place of the vocabulary; and, where it is at the
/// ends, with first layers recomputed, or with the layers spread unevenly.
enum class PipelineKind { Ends, FirstLayers, Uneven, Divided, Interlaced };
inline constexpr std::size_t kPipelineKinds = 5;

/// A way to run a micro-batch.
struct PassPick {
    parallel::TensorPartition partition = parallel::TensorPartition::Megatron; ///< spatial-temporal: as it is best
    bool sequenceParallel = false;
    parallel::Recompute recompute = parallel::Recompute::None;
    bool firstLayers =
        false; ///< of full recomputation: of so many layers of a stage only, as many as the tree lists for its stages
    parallel::VocabularyPlacement vocabulary = parallel::VocabularyPlacement::Ends;
    parallel::Offload offload = parallel::Offload::None;
    bool uneven = false; ///< the stages have other layers than their even share: all splits of the tree
    void applyTo(parallel::Strategy& strategy) const;
    [[nodiscard]] PipelineKind kind() const;
};

/// Recomputes the first `count` layers of every stage in full, or all where it has fewer, and no others. Of layers that
/// do not change.
void recomputeFirst(parallel::Strategy& strategy, int layers, int count);

/// EP, and TP of the experts.
struct ExpertPick {
    int ep = 1;
    int etp = 1;
    int number = 0; ///< one for each of the tree, whatever the division
};

/// The root of a subtree: what divides the layers and the batch, but for the micro-batch.
struct Division {
    int tp = 1, cp = 1, pp = 1, dp = 1;
    parallel::ContextMethod contextMethod = parallel::ContextMethod::Ring;
    std::int64_t leaves = 0;
    std::array<std::int64_t, kPipelineKinds> leavesOfPipeline{}; ///< with one micro-batch and pipeline, by PipelineKind
    [[nodiscard]] parallel::Strategy strategy() const;
    [[nodiscard]] int ranks() const { return tp * cp * pp * dp; }
};

} // namespace stratoplan::space
