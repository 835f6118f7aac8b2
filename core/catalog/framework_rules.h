// SPDX-License-Identifier: Apache-2.0
// What training frameworks cannot run of what the model prices: sizes that do not divide, and what they do not have at
// all. Each rule is read from the source of a version (title()) and names the place: resources/catalog/frameworks.json
// says what each framework runs. Not told here is what no version
// refuses but carries out otherwise: Megatron-Core pads a vocabulary to a multiple of TP by itself, and with several
// chunks to a stage recomputes as many layers in each.
#pragma once

#include "core/plan/framework.h"
#include "core/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::catalog {

/// In the order in which they are asked: of a strategy that breaks several, the first counts.
enum class FrameworkRule {
    TensorPartition,
    StageTp,
    StageRecompute,
    Precision,
    Optimizer,
    Attention,
    LayerTypes,
    ContextMethod,
    ContextWithPipeline,
    KvHeads,
    SequenceLength,
    ExpertTp,
    ZeroStage,
    ZeroWithPipeline,
    ZeroShards,
    OrderOfRanks,
    SequenceParallel,
    RecomputedLayers,
    Offload,
    VocabularyPlacement,
    Schedule,
    TimingPass,
    StageLayers,
};
inline constexpr std::size_t kFrameworkRules = 23;
[[nodiscard]] std::string_view key(FrameworkRule rule); // "tensor_partition", …, "stage_layers"

/// With the version that its rules were read from: "Megatron-Core 0.20"; "any framework".
[[nodiscard]] std::string_view title(plan::TargetFramework framework);

/// What of a plan a rule reads, beside its model and training. A search asks a rule once for all strategies that agree
/// in it.
enum class RuleScope {
    Stages, ///< lists that tell stages apart: no space varies them
    Recipe, ///< nothing: precision, optimizer, attention and kinds of layers are the same for all strategies in a
            ///< precision
    Division, ///< TP, CP and its method, PP, DP
    Experts, ///< TP, EP, expert TP
    Sharding, ///< ZeRO stage and shards, the replicas that there are of layers and of experts, CP, and whether there
              ///< are TP and PP
    Order, ///< the rank order and the axes in use, and whether experts have as many ranks as attention
    Pass, ///< TP, CP, whether there is PP, and how a micro-batch runs
    Pipeline, ///< PP, schedule, virtual stages, timing pass, and whether layers are spread evenly
};
[[nodiscard]] RuleScope scope(FrameworkRule rule);

/// What of a plan its objections speak about.
struct FrameworkSubject {
    parallel::Strategy strategy;
    model::Precision precision{};
    plan::Optimizer optimizer{};
    plan::AttentionKernel attention{};
    bool hasMamba2 = false, hasSparseAttention = false; ///< in some layers
    int kvHeads = 0;
    int sequenceLength = 0;
    int layers = 0;
    bool evenLayers = true;
    bool operator==(const FrameworkSubject&) const = default;
};

/// A rule that a plan breaks.
struct FrameworkObjection {
    plan::TargetFramework framework = plan::TargetFramework::Any;
    FrameworkRule rule{};
    FrameworkSubject found;
    std::string_view limit; ///< "runs 1F1B and interleaving alone"
    std::string_view remedy; ///< "use 1f1b or interleaved"
    std::string_view source; ///< file of the framework, and where in it
    bool operator==(const FrameworkObjection&) const = default;
};

/// All rules that the plan breaks, in their order. Precondition: check() finds no error in the plan.
[[nodiscard]] std::vector<FrameworkObjection> objections(const plan::Plan& plan, plan::TargetFramework framework);
/// The first of a scope, and nothing beside that scope is read; kFrameworkRules: none.
[[nodiscard]] std::size_t firstObjection(const plan::Plan& plan, plan::TargetFramework framework, RuleScope scope);

/// What the framework says of a rule; empty where it has none: "runs 1F1B and interleaving alone", its source.
struct FrameworkLimit {
    std::string_view limit;
    std::string_view source;
};
[[nodiscard]] FrameworkLimit limit(plan::TargetFramework framework, FrameworkRule rule);

/// Whether the ranks of the experts are those of attention: expert TP x EP = TP x CP; of models without experts CP
/// alone counts.
[[nodiscard]] bool expertsLieLikeAttention(const parallel::Strategy& strategy, bool hasExperts);

} // namespace stratoplan::catalog
