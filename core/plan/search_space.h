// SPDX-License-Identifier: Apache-2.0
// Which strategies a search considers: for every dimension of a strategy the values it may take. A dimension of one
// value is locked. Plain data, so that it can be saved with a project; core/search walks through it. Only legal
// strategies belong to a space (check()), and of those that differ in nothing that is priced only one: with one stage
// there is no schedule, no timing and no place of the vocabulary to choose, with one replica nothing to shard, with one
// tensor rank no sequence parallelism.
#pragma once

#include "core/model/precision.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::plan {

/// What of a strategy is chosen. Those up to EndLayers can be locked for a search.
enum class Dimension {
    Tp,
    Pp,
    Dp,
    Cp,
    Ep,
    Etp,
    Vpp,
    MicroBatch,
    ZeroStage,
    SequenceParallel,
    Recompute,
    Schedule,
    ContextMethod,
    OrderOfRanks,
    Precision, ///< of the training, which a search may choose with the strategy
    ZeroShards,
    VocabularyPlacement,
    Offload,
    TimingPass,
    TensorPartition,
    EndLayers, ///< of the first and the last stage, against the even split
    RecomputedLayers,
    InFlightLimit,
    OperatorPartitions,
    StageLayers,
    StageRecompute,
    StageTp,
    ReplicaMicroBatches,
};
inline constexpr int kLockableDimensions = int(Dimension::EndLayers) + 1;
inline constexpr std::size_t kDimensions = std::size_t(Dimension::ReplicaMicroBatches) + 1;

/// Whole numbers from `least` to `most`, or just those listed.
struct IntChoice {
    int least = 1;
    int most = std::numeric_limits<int>::max();
    std::vector<int> only;
    [[nodiscard]] bool allows(int number) const;
    [[nodiscard]] bool isOne() const; ///< number alone
    [[nodiscard]] static IntChoice just(int number) { return {number, number, {}}; }
    bool operator==(const IntChoice&) const = default;
};

/// Replicas that share out what ZeRO shards, beside all of them.
enum class ShardGroups {
    All, ///< all of them only
    Domain, ///< also as many as a scale-up domain has accelerators
    Every, ///< also every divisor
};
[[nodiscard]] std::string_view key(ShardGroups groups); // "all", "domain", "every"
[[nodiscard]] std::optional<ShardGroups> shardGroupsFromKey(std::string_view key);

/// An empty list of values frees the dimension, or where it says so keeps the plan's own.
struct SearchSpace {
    std::string name; ///< "default", "calculon", "whole", or what a file calls it
    bool leaveIdle = false; ///< strategies may use fewer accelerators, in whole nodes
    bool evenLayers = false; ///< only splits that give every chunk as many layers
    TargetFramework framework = TargetFramework::Any; ///< only strategies that it runs (framework_rules.h)
    IntChoice accelerators; ///< ranks used
    IntChoice tp, cp, pp, dp, ep, etp;
    IntChoice vpp; ///< where no list is given, those whose chunks hold as many layers but for the first and the last
    IntChoice microBatch;
    /// Layers that the first and the last stage of a loop of stages hold fewer than in the even split, below 0 more;
    /// the stages between them share out the others evenly, chunks of a stage are alike. Others than 0 with the
    /// vocabulary at the ends and without recomputed first layers alone.
    IntChoice firstStageFewer = IntChoice::just(0), lastStageFewer = IntChoice::just(0);
    std::vector<int> zeroStages;
    ShardGroups shardGroups = ShardGroups::Domain;
    std::vector<int> zeroShards; ///< in place of shardGroups: just these groups, 0 = all replicas
    std::vector<bool> sequenceParallel;
    std::vector<parallel::Recompute> recomputes;
    /// With full recomputation the layers of every stage that are recomputed, from its first one on; 0: all of them.
    /// Others than 0 without offload and with the vocabulary at the ends alone.
    IntChoice recomputedLayers = IntChoice::just(0);
    std::vector<parallel::Schedule> schedules; ///< empty: all that are simulated
    std::vector<parallel::ContextMethod> contextMethods; ///< empty: the plan's own
    std::vector<std::vector<parallel::Axis>> rankOrders; ///< empty: all
    std::vector<model::Precision> precisions; ///< empty: the plan's own
    std::vector<parallel::VocabularyPlacement> vocabularyPlacements; ///< empty: at the ends
    /// Of strategies whose layers can be divided so (pricing::notEstimable()).
    std::vector<parallel::TensorPartition> tensorPartitions;
    bool contextPartitions =
        false; ///< those that are no Megatron's beside context parallelism, too: many times as long
    std::vector<parallel::Offload> offloads; ///< of those whose host memory the cluster states; empty: none
    std::vector<bool> timingPasses; ///< empty: without. Where only the simulation tells them apart, in simulated mode
    bool operator==(const SearchSpace&) const = default;
};

/// The symmetric space over all accelerators of the cluster: all degrees, micro-batches, virtual stages, ZeRO stages,
/// recomputations, schedules and rank orders.
[[nodiscard]] SearchSpace defaultSpace();
/// What Calculon enumerates (Isaev et al., SC 2023) as far as it is priced here: TP, PP, DP that divide the model,
/// interleaving, micro-batch, sharded optimizer, sequence parallelism, recomputation; one rank order.
[[nodiscard]] SearchSpace calculonSpace();
/// The default space, and full recomputation of the first 1, 2, 4, 8, … layers of a stage, one layer fewer to two more
/// on the first stage and up to three fewer on the last, fewer nodes, every shard group, every way of context
/// parallelism, every place of the vocabulary, every offload, the timing pass, and every training precision of the
/// accelerator that is as wide as the plan's or narrower.
[[nodiscard]] SearchSpace wholeSpace(const Plan& plan);
/// By its name; nothing for others. The default one of a plan that offloads has its offload, too.
[[nodiscard]] std::optional<SearchSpace> namedSpace(std::string_view name, const Plan& plan);

/// Calculon's own count of its configurations for a plan, offload tier included: each choice that is not priced here
/// counts as often as Calculon varies it (optimal_execution.py, commit caa4b11).
[[nodiscard]] std::int64_t calculonConfigurations(const Plan& plan);

/// What of a space a reason is about.
enum class SpacePart {
    Dimension,
    StageLayers,
    MiddleStageLayers, ///< of the stages between the first and the last
    FirstStageLayers,
    LastStageLayers,
    EndLayers, ///< of the first and the last stage
    EvenLayers, ///< that there is no other split
    ReplicaBatches, ///< micro-batches of each replica
    Nodes, ///< how many
    Accelerators, ///< how many
    AcceleratorsInUse, ///< which numbers of them
    Framework,
    OpenSchedules, ///< those without a closed form
    ContextPartitions, ///< spatial-temporal, beside context parallelism
    Partitions, ///< spatial-temporal
};

/// Why a search leaves a part of a strategy as it is.
enum class FixedReason {
    Otherwise, ///< what the dimension says of itself
    Locked, ///< by the space
    EvenLayers, ///< spare ones in the middle
    WholeCluster,
    NoClosedForm, ///< only a simulated search tries it
    Unasked, ///< spaces of files may have it
    UnlikeNodes, ///< of the cluster
    LayersBySpeed, ///< of stages on unlike nodes
    BatchBySpeed, ///< of replicas on unlike nodes
};

/// What a search of the space leaves as the plan has it: "offload", as the dimension says: "none".
struct FixedDimension {
    SpacePart part{};
    Dimension dimension{}; ///< of SpacePart::Dimension
    FixedReason reason{};
    bool operator==(const FixedDimension&) const = default;
};
[[nodiscard]] std::vector<FixedDimension> fixedDimensions(const SearchSpace& space, const Plan& plan);
/// The same and what has no closed form, where the search has no other.
[[nodiscard]] std::vector<FixedDimension> fixedDimensions(const SearchSpace& space, const Plan& plan, SearchMode mode);

} // namespace stratoplan::plan
