// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/framework_refusals.h"

#include "core/catalog/framework_rules.h"
#include "core/parallel/rank_order.h"
#include "core/units/named.h"

#include <algorithm>
#include <array>

namespace stratoplan {
namespace {

// What a strategy has, as rules ask for it

bool hasExperts(const Plan& plan)
{
    return layerCounts(plan.model).moe > 0;
}

int replicas(const Strategy& s)
{
    return s.dp * s.cp;
}

int expertReplicas(const Plan& plan)
{
    const Strategy& s = plan.strategy;
    return hasExperts(plan) ? s.tp / s.etp * replicas(s) / s.ep : replicas(s);
}

bool sharesStates(const Plan& plan)
{
    return std::max(replicas(plan.strategy), expertReplicas(plan)) > 1;
}

bool sharesInGroups(const Plan& plan)
{
    const Strategy& s = plan.strategy;
    return s.zeroStage > 0 && s.zeroShards > 0 && s.zeroShards < std::max(replicas(s), expertReplicas(plan));
}

/// Layers of each stage that are recomputed in full by themselves, where some are and others not; else none.
std::vector<int> layersApart(const Plan& plan)
{
    const Strategy& s = plan.strategy;
    if (s.recomputedLayers.empty())
        return {};
    std::vector<int> own;
    for (int stage = 0; stage < s.pp; ++stage)
        own.push_back(stageRecompute(s, stage).full);
    const bool none = std::all_of(own.begin(), own.end(), [](int count) { return count == 0; });
    return none || own == stageLayers(s, plan.model.layers) ? std::vector<int>() : own;
}

bool isOrdered(const Strategy& s, const RankOrder& like)
{
    const unsigned axes = axesInUse(s);
    return orderSeen(s.rankOrder, axes) == orderSeen(like, axes);
}

const RankOrder kUsualOrder{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp};
const RankOrder kPipelineInside{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};

// Rules that several share

bool hasStageTp(const Plan& p)
{
    return std::any_of(
        p.strategy.stageTp.begin(), p.strategy.stageTp.end(), [&](int tp) { return tp != p.strategy.tp; });
}

bool hasStageRecompute(const Plan& p)
{
    const std::vector<Recompute>& kinds = p.strategy.stageRecompute;
    return std::any_of(kinds.begin(), kinds.end(), [&](Recompute kind) { return kind != kinds.front(); });
}

bool recomputesSome(const Plan& p)
{
    return !layersApart(p).empty();
}

bool isOrderedUnusually(const Plan& p)
{
    return !isOrdered(p.strategy, kUsualOrder);
}

/// Dense and routed layers have as many copies of each shard.
bool sharesExpertsUnlike(const Plan& p)
{
    return sharesInGroups(p) && expertReplicas(p) != replicas(p.strategy);
}

bool hasOtherExpertTp(const Plan& p)
{
    return hasExperts(p) && p.strategy.etp != 1 && p.strategy.etp != p.strategy.tp;
}

// Megatron-Core

bool megatronKvHeads(const Plan& p)
{
    const Strategy& s = p.strategy;
    return s.cp > 1 && s.contextMethod == ContextMethod::Ulysses && !p.model.mla
        && std::max(1, p.model.kvHeads / s.tp) % s.cp != 0;
}

bool megatronOrder(const Plan& p)
{
    const bool inside = isOrdered(p.strategy, kPipelineInside) && expertsLieLikeAttention(p.strategy, hasExperts(p));
    return !isOrdered(p.strategy, kUsualOrder) && !inside;
}

bool megatronSequenceParallel(const Plan& p)
{
    return hasExperts(p) && p.strategy.tp > 1 && !p.strategy.sequenceParallel;
}

/// One number for all stages.
bool megatronRecomputedLayers(const Plan& p)
{
    const std::vector<int> own = layersApart(p);
    if (own.empty())
        return false;
    const int most = *std::max_element(own.begin(), own.end());
    const std::vector<int> layers = stageLayers(p.strategy, p.model.layers);
    for (std::size_t i = 0; i < own.size(); ++i)
        if (own[i] != std::min(most, layers[i]))
            return true;
    return false;
}

// DeepSpeed

bool deepSpeedContextInPipeline(const Plan& p)
{
    return p.strategy.cp > 1 && p.strategy.pp > 1;
}

bool deepSpeedKvHeads(const Plan& p)
{
    const int cp = p.strategy.cp;
    return cp > 1 && !p.model.mla && p.model.kvHeads % cp != 0 && cp % p.model.kvHeads != 0;
}

bool deepSpeedZeroStage(const Plan& p)
{
    return sharesStates(p) && hasExperts(p) && p.strategy.zeroStage == 3 && p.strategy.tp > 1;
}

bool deepSpeedZeroInPipeline(const Plan& p)
{
    return sharesStates(p) && p.strategy.pp > 1 && p.strategy.zeroStage >= 2;
}

bool deepSpeedShards(const Plan& p)
{
    return sharesInGroups(p) && (p.strategy.zeroStage < 3 || hasExperts(p));
}

bool deepSpeedOffload(const Plan& p)
{
    return p.strategy.offload == Offload::Activations && p.strategy.recompute != Recompute::Full;
}

bool deepSpeedLayers(const Plan& p)
{
    return p.strategy.pp > 1 && (p.model.layers % p.strategy.pp != 0 || !spreadsEvenly(p));
}

// torchtitan

bool titanKvHeads(const Plan& p)
{
    return p.strategy.tp > 1 && !p.model.mla && p.model.kvHeads % p.strategy.tp != 0;
}

bool titanSequence(const Plan& p)
{
    const std::int64_t parts = std::int64_t{p.strategy.tp} * p.strategy.cp;
    return parts > 1 && p.training.sequenceLength % (2 * parts) != 0;
}

bool titanExpertTp(const Plan& p)
{
    const Strategy& s = p.strategy;
    return hasExperts(p) && s.etp != s.tp && (s.ep == 1 || s.etp != 1);
}

bool titanZeroStage(const Plan& p)
{
    const Strategy& s = p.strategy;
    return sharesStates(p) && (s.zeroStage == 1 || (s.zeroStage == 0 && (s.cp > 1 || s.tp > 1 || s.pp > 1)));
}

bool titanShards(const Plan& p)
{
    return sharesExpertsUnlike(p) || (sharesInGroups(p) && p.strategy.zeroShards % p.strategy.cp != 0);
}

constexpr std::array kRefusals{
    Refusal{"stage_tp", hasStageTp},
    Refusal{"stage_recompute", hasStageRecompute},
    Refusal{"ulysses_without_whole_kv_heads", megatronKvHeads},
    Refusal{"groups_unlike_for_experts", sharesExpertsUnlike},
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
int scheduleRun(const Strategy& s)
{
    const bool plain = s.schedule == Schedule::Interleaved && s.vpp == 1;
    return static_cast<int>(plain ? Schedule::OneFOneB : s.schedule);
}

constexpr std::array kValues{
    RuleValue{FrameworkRule::TensorPartition, numberOf<TensorPartition>,
        [](const Plan& p) { return int(p.strategy.tensorPartition); }},
    RuleValue{FrameworkRule::Precision, numberOf<Precision, precisionFromKey>,
        [](const Plan& p) { return int(p.training.precision); }},
    RuleValue{FrameworkRule::ContextMethod, numberOf<ContextMethod>,
        [](const Plan& p) { return p.strategy.cp > 1 ? int(p.strategy.contextMethod) : kMoot; }},
    RuleValue{FrameworkRule::SequenceParallel, switchOf,
        [](const Plan& p) { return p.strategy.tp > 1 ? int(p.strategy.sequenceParallel) : kMoot; }},
    RuleValue{FrameworkRule::Offload, numberOf<Offload>, [](const Plan& p) { return int(p.strategy.offload); }},
    RuleValue{FrameworkRule::VocabularyPlacement, numberOf<VocabularyPlacement>,
        [](const Plan& p) { return p.strategy.pp > 1 ? int(p.strategy.vocabularyPlacement) : kMoot; }},
    RuleValue{FrameworkRule::Schedule, numberOf<Schedule>,
        [](const Plan& p) { return p.strategy.pp > 1 ? scheduleRun(p.strategy) : kMoot; }},
    RuleValue{FrameworkRule::TimingPass, switchOf,
        [](const Plan& p) { return p.strategy.pp > 1 ? int(p.strategy.timingPass) : kMoot; }},
};

} // namespace

bool spreadsEvenly(const Plan& plan)
{
    Strategy even = plan.strategy;
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

bool expertsLieLikeAttention(const Strategy& s, bool hasExperts)
{
    const std::int64_t ofExperts = hasExperts ? std::int64_t{s.etp} * s.ep : s.tp;
    return ofExperts == std::int64_t{s.tp} * s.cp;
}

} // namespace stratoplan
