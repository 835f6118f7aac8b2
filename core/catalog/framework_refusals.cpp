// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/framework_refusals.h"

#include "core/catalog/framework_rules.h"
#include "core/parallel/rank_order.h"
#include "core/units/named.h"

#include <algorithm>
#include <array>

namespace stratoplan::catalog {
namespace {

// What a strategy has, as rules ask for it

bool hasExperts(const plan::Plan& plan)
{
    return layerCounts(plan.model).moe > 0;
}

int replicas(const parallel::Strategy& s)
{
    return s.dp * s.cp;
}

int expertReplicas(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    return hasExperts(plan) ? s.tp / s.etp * replicas(s) / s.ep : replicas(s);
}

bool sharesStates(const plan::Plan& plan)
{
    return std::max(replicas(plan.strategy), expertReplicas(plan)) > 1;
}

bool sharesInGroups(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    return s.zeroStage > 0 && s.zeroShards > 0 && s.zeroShards < std::max(replicas(s), expertReplicas(plan));
}

/// Layers of each stage that are recomputed in full by themselves, where some are and others not; else none.
std::vector<int> layersApart(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.recomputedLayers.empty())
        return {};
    std::vector<int> recomputed;
    for (int stage = 0; stage < s.pp; ++stage)
        recomputed.push_back(stageRecompute(s, stage).full);
    const bool none = std::all_of(recomputed.begin(), recomputed.end(), [](int count) { return count == 0; });
    return none || recomputed == stageLayers(s, plan.model.layers) ? std::vector<int>() : recomputed;
}

bool isOrdered(const parallel::Strategy& s, const parallel::RankOrder& like)
{
    const unsigned axes = axesInUse(s);
    return orderSeen(s.rankOrder, axes) == orderSeen(like, axes);
}

const parallel::RankOrder kUsualOrder{
    parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Dp, parallel::Axis::Pp};
const parallel::RankOrder kPipelineInside{
    parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Pp, parallel::Axis::Dp};

// Rules that several share

bool hasStageTp(const plan::Plan& p)
{
    return std::any_of(
        p.strategy.stageTp.begin(), p.strategy.stageTp.end(), [&](int tp) { return tp != p.strategy.tp; });
}

bool hasStageRecompute(const plan::Plan& p)
{
    const std::vector<parallel::Recompute>& kinds = p.strategy.stageRecompute;
    return std::any_of(kinds.begin(), kinds.end(), [&](parallel::Recompute kind) { return kind != kinds.front(); });
}

bool recomputesSome(const plan::Plan& p)
{
    return !layersApart(p).empty();
}

bool isOrderedUnusually(const plan::Plan& p)
{
    return !isOrdered(p.strategy, kUsualOrder);
}

/// Dense and routed layers have as many copies of each shard.
bool sharesExpertsUnlike(const plan::Plan& p)
{
    return sharesInGroups(p) && expertReplicas(p) != replicas(p.strategy);
}

bool hasOtherExpertTp(const plan::Plan& p)
{
    return hasExperts(p) && p.strategy.etp != 1 && p.strategy.etp != p.strategy.tp;
}

// Megatron-Core

bool megatronKvHeads(const plan::Plan& p)
{
    const parallel::Strategy& s = p.strategy;
    return s.cp > 1 && s.contextMethod == parallel::ContextMethod::Ulysses && !p.model.mla
        && std::max(1, p.model.kvHeads / s.tp) % s.cp != 0;
}

/// A window that stands in for other layers is none that the framework runs.
bool megatronContext(const plan::Plan& p)
{
    return p.strategy.cp > 1 && p.strategy.contextMethod == parallel::ContextMethod::Ring && p.model.slidingWindow
        && !p.model.standIn;
}

bool megatronOrder(const plan::Plan& p)
{
    const bool inside = isOrdered(p.strategy, kPipelineInside) && expertsLieLikeAttention(p.strategy, hasExperts(p));
    return !isOrdered(p.strategy, kUsualOrder) && !inside;
}

bool megatronSequenceParallel(const plan::Plan& p)
{
    return hasExperts(p) && p.strategy.tp > 1 && !p.strategy.sequenceParallel;
}

/// One number for all stages.
bool megatronRecomputedLayers(const plan::Plan& p)
{
    const std::vector<int> apart = layersApart(p);
    if (apart.empty())
        return false;
    const int most = *std::max_element(apart.begin(), apart.end());
    const std::vector<int> layers = stageLayers(p.strategy, p.model.layers);
    for (std::size_t i = 0; i < apart.size(); ++i)
        if (apart[i] != std::min(most, layers[i]))
            return true;
    return false;
}

// DeepSpeed

bool deepSpeedContextInPipeline(const plan::Plan& p)
{
    return p.strategy.cp > 1 && p.strategy.pp > 1;
}

bool deepSpeedKvHeads(const plan::Plan& p)
{
    const int cp = p.strategy.cp;
    return cp > 1 && !p.model.mla && p.model.kvHeads % cp != 0 && cp % p.model.kvHeads != 0;
}

bool deepSpeedZeroStage(const plan::Plan& p)
{
    return sharesStates(p) && hasExperts(p) && p.strategy.zeroStage == 3 && p.strategy.tp > 1;
}

bool deepSpeedZeroInPipeline(const plan::Plan& p)
{
    return sharesStates(p) && p.strategy.pp > 1 && p.strategy.zeroStage >= 2;
}

bool deepSpeedShards(const plan::Plan& p)
{
    return sharesInGroups(p) && (p.strategy.zeroStage < 3 || hasExperts(p));
}

bool deepSpeedOffload(const plan::Plan& p)
{
    return p.strategy.offload == parallel::Offload::Activations && p.strategy.recompute != parallel::Recompute::Full;
}

bool deepSpeedLayers(const plan::Plan& p)
{
    return p.strategy.pp > 1 && (p.model.layers % p.strategy.pp != 0 || !spreadsEvenly(p));
}

// torchtitan

bool titanKvHeads(const plan::Plan& p)
{
    return p.strategy.tp > 1 && !p.model.mla && p.model.kvHeads % p.strategy.tp != 0;
}

bool titanSequence(const plan::Plan& p)
{
    const std::int64_t parts = std::int64_t{p.strategy.tp} * p.strategy.cp;
    return parts > 1 && p.training.sequenceLength % (2 * parts) != 0;
}

bool titanLayerTypes(const plan::Plan& p)
{
    return p.model.mamba2.has_value() || p.model.dsa.has_value();
}

bool titanExpertTp(const plan::Plan& p)
{
    const parallel::Strategy& s = p.strategy;
    return hasExperts(p) && s.etp != s.tp && (s.ep == 1 || s.etp != 1);
}

bool titanZeroStage(const plan::Plan& p)
{
    const parallel::Strategy& s = p.strategy;
    return sharesStates(p) && (s.zeroStage == 1 || (s.zeroStage == 0 && (s.cp > 1 || s.tp > 1 || s.pp > 1)));
}

bool titanShards(const plan::Plan& p)
{
    return sharesExpertsUnlike(p) || (sharesInGroups(p) && p.strategy.zeroShards % p.strategy.cp != 0);
}

constexpr std::array kRefusals{
    Refusal{"stage_tp", hasStageTp},
    Refusal{"stage_recompute", hasStageRecompute},
    Refusal{"ulysses_without_whole_kv_heads", megatronKvHeads},
    Refusal{"groups_unlike_for_experts", sharesExpertsUnlike},
    Refusal{"ring_with_a_window", megatronContext},
    Refusal{"other_order_but_pipeline_inside", megatronOrder},
    Refusal{"experts_without_sequence_parallel", megatronSequenceParallel},
    Refusal{"unlike_recomputed_layers", megatronRecomputedLayers},
    Refusal{"context_in_pipeline", deepSpeedContextInPipeline},
    Refusal{"ulysses_without_kv_heads_or_copies", deepSpeedKvHeads},
    Refusal{"other_expert_tp", hasOtherExpertTp},
    Refusal{"zero_3_of_experts_with_tp", deepSpeedZeroStage},
    Refusal{"zero_2_in_pipeline", deepSpeedZeroInPipeline},
    Refusal{"groups_but_zero_3_without_experts", deepSpeedShards},
    Refusal{"other_order", isOrderedUnusually},
    Refusal{"some_recomputed_layers", recomputesSome},
    Refusal{"activations_offloaded_without_recomputation", deepSpeedOffload},
    Refusal{"layers_not_balanced", deepSpeedLayers},
    Refusal{"tp_without_whole_kv_heads", titanKvHeads},
    Refusal{"sequence_not_in_whole_parts", titanSequence},
    Refusal{"state_spaces_or_sparse_attention", titanLayerTypes},
    Refusal{"other_expert_tp_or_none_without_ep", titanExpertTp},
    Refusal{"replicas_beside_other_degrees", titanZeroStage},
    Refusal{"groups_unlike_for_experts_or_cut_by_cp", titanShards},
};

template <typename T, std::optional<T> (*FromKey)(std::string_view) = fromKey<T>>
std::optional<int> numberOf(std::string_view key)
{
    const std::optional<T> value = FromKey(key);
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int> switchOf(std::string_view key)
{
    return key == "on" ? std::optional(1) : key == "off" ? std::optional(0) : std::nullopt;
}

constexpr int kMoot = -1;

/// One chunk a stage interleaves nothing.
int scheduleRun(const parallel::Strategy& s)
{
    const bool plain = s.schedule == parallel::Schedule::Interleaved && s.vpp == 1;
    return static_cast<int>(plain ? parallel::Schedule::OneFOneB : s.schedule);
}

constexpr std::array kValues{
    RuleValue{FrameworkRule::TensorPartition, numberOf<parallel::TensorPartition>,
        [](const plan::Plan& p) { return p.strategy.tp > 1 ? int(p.strategy.tensorPartition) : kMoot; }},
    RuleValue{FrameworkRule::Precision, numberOf<model::Precision, model::precisionFromKey>,
        [](const plan::Plan& p) { return int(p.training.precision); }},
    RuleValue{FrameworkRule::Optimizer, numberOf<plan::Optimizer, plan::optimizerFromKey>,
        [](const plan::Plan& p) { return int(p.training.optimizer); }},
    RuleValue{FrameworkRule::Attention, numberOf<plan::AttentionKernel, plan::attentionKernelFromKey>,
        [](const plan::Plan& p) { return hasNarrowAttention(p.training) ? int(p.training.attention) : kMoot; }},
    RuleValue{FrameworkRule::ContextMethod, numberOf<parallel::ContextMethod>,
        [](const plan::Plan& p) { return p.strategy.cp > 1 ? int(p.strategy.contextMethod) : kMoot; }},
    RuleValue{FrameworkRule::SequenceParallel, switchOf,
        [](const plan::Plan& p) { return p.strategy.tp > 1 ? int(p.strategy.sequenceParallel) : kMoot; }},
    RuleValue{FrameworkRule::Offload, numberOf<parallel::Offload>,
        [](const plan::Plan& p) { return int(p.strategy.offload); }},
    RuleValue{FrameworkRule::VocabularyPlacement, numberOf<parallel::VocabularyPlacement>,
        [](const plan::Plan& p) { return p.strategy.pp > 1 ? int(p.strategy.vocabularyPlacement) : kMoot; }},
    RuleValue{FrameworkRule::Schedule, numberOf<parallel::Schedule>,
        [](const plan::Plan& p) { return p.strategy.pp > 1 ? scheduleRun(p.strategy) : kMoot; }},
    RuleValue{FrameworkRule::TimingPass, switchOf,
        [](const plan::Plan& p) { return p.strategy.pp > 1 ? int(p.strategy.timingPass) : kMoot; }},
};

} // namespace

bool spreadsEvenly(const plan::Plan& plan)
{
    parallel::Strategy even = plan.strategy;
    even.stageLayers.clear();
    return stageLayers(plan.strategy, plan.model.layers) == stageLayers(even, plan.model.layers);
}

std::span<const Refusal> refusals()
{
    return kRefusals;
}

const RuleValue* valueOf(FrameworkRule rule)
{
    const auto* const it = std::ranges::find(kValues, rule, &RuleValue::rule);
    return it == kValues.end() ? nullptr : &*it;
}

bool expertsLieLikeAttention(const parallel::Strategy& s, bool hasExperts)
{
    const std::int64_t ofExperts = hasExperts ? std::int64_t{s.etp} * s.ep : s.tp;
    return ofExperts == std::int64_t{s.tp} * s.cp;
}

} // namespace stratoplan::catalog
