// SPDX-License-Identifier: Apache-2.0
#include "core/plan/framework_rules.h"

#include "core/parallel/rank_order.h"
#include "core/units/named.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stratoplan {
namespace {

using enum TargetFramework;

constexpr NameTable<TargetFramework, 4> kFrameworks{
    {{Any, "any"}, {MegatronCore, "megatron-core"}, {DeepSpeed, "deepspeed"}, {TorchTitan, "torchtitan"}}};

struct RuleWords {
    std::string_view key;
    std::string_view became;
    RuleScope scope;
};

/// By FrameworkRule.
constexpr std::array<RuleWords, kFrameworkRules> kRules{{
    {"tensor_partition", "divide tensors in a way it does not have", RuleScope::Stages},
    {"stage_tp", "give stages a TP of their own", RuleScope::Stages},
    {"stage_recompute", "recompute stages unlike", RuleScope::Stages},
    {"precision", "train in a precision it does not have", RuleScope::Precision},
    {"context_method", "divide sequences by a method it does not have", RuleScope::Division},
    {"context_with_pipeline", "divide sequences in a pipeline", RuleScope::Division},
    {"kv_heads", "divide KV heads over more ranks than it can", RuleScope::Division},
    {"sequence_length", "divide the sequence into parts that are not whole", RuleScope::Division},
    {"expert_tp", "have a TP of the experts that it does not run", RuleScope::Experts},
    {"zero_stage", "have a ZeRO stage that it does not run with these degrees", RuleScope::Sharding},
    {"zero_with_pipeline", "shard gradients or parameters in a pipeline", RuleScope::Sharding},
    {"zero_shards", "share states out in groups that it cannot form", RuleScope::Sharding},
    {"rank_order", "order ranks as it cannot", RuleScope::Order},
    {"sequence_parallel", "have TP with or without sequence parallelism as it cannot", RuleScope::Pass},
    {"recomputed_layers", "recompute some layers of a stage as it cannot", RuleScope::Pass},
    {"offload", "offload what it cannot", RuleScope::Pass},
    {"vocabulary_placement", "divide the vocabulary over the stages", RuleScope::Pass},
    {"schedule", "have a schedule that it does not run", RuleScope::Pipeline},
    {"timing_pass", "have been through the timing pass", RuleScope::Pipeline},
    {"stage_layers", "spread layers over stages as it cannot", RuleScope::Pipeline},
}};

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

bool spreadsEvenly(const Plan& plan)
{
    Strategy even = plan.strategy;
    even.stageLayers.clear();
    return stageLayers(plan.strategy, plan.model.layers) == stageLayers(even, plan.model.layers);
}

bool isOrdered(const Strategy& s, const RankOrder& like)
{
    const unsigned axes = axesInUse(s);
    return orderSeen(s.rankOrder, axes) == orderSeen(like, axes);
}

bool isOneOf(Schedule schedule, std::initializer_list<Schedule> list)
{
    return std::find(list.begin(), list.end(), schedule) != list.end();
}

const RankOrder kUsualOrder{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp};
const RankOrder kPipelineInside{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};

// Rules that several share

bool dividesOtherwise(const Plan& p)
{
    return p.strategy.tensorPartition != TensorPartition::Megatron;
}

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

bool dividesVocabulary(const Plan& p)
{
    return p.strategy.pp > 1 && p.strategy.vocabularyPlacement != VocabularyPlacement::Ends;
}
bool isTimed(const Plan& p)
{
    return p.strategy.pp > 1 && p.strategy.timingPass;
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

bool megatronSchedule(const Plan& p)
{
    return p.strategy.pp > 1 && !isOneOf(p.strategy.schedule, {Schedule::OneFOneB, Schedule::Interleaved});
}

// DeepSpeed

bool isNarrow(const Plan& p)
{
    return p.training.precision == Precision::Fp8 || p.training.precision == Precision::Mxfp8
        || p.training.precision == Precision::Nvfp4;
}
bool deepSpeedContext(const Plan& p)
{
    return p.strategy.cp > 1 && p.strategy.contextMethod != ContextMethod::Ulysses;
}
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
bool deepSpeedSequenceParallel(const Plan& p)
{
    return p.strategy.tp > 1 && p.strategy.sequenceParallel;
}
bool deepSpeedOffload(const Plan& p)
{
    return p.strategy.offload == Offload::Activations && p.strategy.recompute != Recompute::Full;
}
bool deepSpeedSchedule(const Plan& p)
{
    return p.strategy.pp > 1
        && (p.strategy.schedule != Schedule::OneFOneB
            && !(p.strategy.schedule == Schedule::Interleaved && p.strategy.vpp == 1));
}
bool deepSpeedLayers(const Plan& p)
{
    return p.strategy.pp > 1 && (p.model.layers % p.strategy.pp != 0 || !spreadsEvenly(p));
}

// torchtitan

bool titanPrecision(const Plan& p)
{
    return p.training.precision == Precision::Fp16 || p.training.precision == Precision::Nvfp4;
}
bool titanContext(const Plan& p)
{
    return p.strategy.cp > 1 && p.strategy.contextMethod == ContextMethod::Ulysses;
}
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
bool titanSequenceParallel(const Plan& p)
{
    return p.strategy.tp > 1 && !p.strategy.sequenceParallel;
}
bool titanOffload(const Plan& p)
{
    return p.strategy.offload != Offload::None;
}

bool titanSchedule(const Plan& p)
{
    return p.strategy.pp > 1
        && !isOneOf(p.strategy.schedule,
            {Schedule::GPipe, Schedule::OneFOneB, Schedule::Interleaved, Schedule::BreadthFirst, Schedule::ZbV,
                Schedule::DualPipeV});
}

struct Entry {
    TargetFramework framework;
    FrameworkRule rule;
    bool (*breaks)(const Plan&);
    std::string_view limit;
    std::string_view remedy;
    std::string_view source;
};

constexpr std::string_view kNoPartition = "divides tensors as Megatron does";
constexpr std::string_view kUseMegatronPartition = "use the megatron partition";
constexpr std::string_view kOneTp = "has one TP for all stages";
constexpr std::string_view kUseOneTp = "leave stage_tp out";
constexpr std::string_view kOneRecompute = "recomputes all stages in one way";
constexpr std::string_view kUseOneRecompute = "leave stage_recompute out";
constexpr std::string_view kVocabularyAtEnds = "keeps embedding and output projection on the first and the last stage";
constexpr std::string_view kUseEnds = "use the placement ends";
constexpr std::string_view kNoTimingPass = "runs schedules in their own order";
constexpr std::string_view kUseNoTimingPass = "leave the timing pass out";

/// In the order of the rules for each framework. Megatron-LM at commit d98e8a6 (megatron-core 0.20.0) with
/// TransformerEngine 2.20; DeepSpeed at edaa722 (0.19.6); torchtitan at v0.2.2 (73a0e69) with
/// torch.distributed.pipelining at 00722e6.
constexpr std::array kEntries{
    Entry{MegatronCore, FrameworkRule::TensorPartition, dividesOtherwise, kNoPartition, kUseMegatronPartition,
        "megatron/core/tensor_parallel/layers.py"},
    Entry{MegatronCore, FrameworkRule::StageTp, hasStageTp, kOneTp, kUseOneTp,
        "megatron/core/parallel_state.py, initialize_model_parallel"},
    Entry{MegatronCore, FrameworkRule::StageRecompute, hasStageRecompute, kOneRecompute, kUseOneRecompute,
        "megatron/core/transformer/transformer_config.py, recompute_granularity"},
    Entry{MegatronCore, FrameworkRule::KvHeads, megatronKvHeads, "gives every rank of Ulysses as many whole KV heads",
        "choose CP to divide the KV heads that a tensor rank has, or another method",
        "transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py, cp_comm_type='a2a'"},
    Entry{MegatronCore, FrameworkRule::ZeroShards, sharesExpertsUnlike,
        "copies the shards of experts as often as those of other layers", "share out over all replicas",
        "megatron/core/parallel_state.py, num_distributed_optimizer_instances"},
    Entry{MegatronCore, FrameworkRule::OrderOfRanks, megatronOrder,
        "orders ranks tp-cp-ep-dp-pp or, where expert TP x EP = TP x CP, tp-cp-ep-pp-dp",
        "use the order tp, cp, ep, dp, pp",
        "megatron/training/initialize.py, use_tp_pp_dp_mapping; megatron/core/parallel_state.py, "
        "order.endswith(\"pp\")"},
    Entry{MegatronCore, FrameworkRule::SequenceParallel, megatronSequenceParallel,
        "runs experts with TP in sequence parallelism alone", "turn sequence parallelism on",
        "megatron/core/transformer/moe/moe_layer.py, forward"},
    Entry{MegatronCore, FrameworkRule::RecomputedLayers, megatronRecomputedLayers,
        "recomputes as many layers of every stage",
        "give every stage the same number, or all its layers where it has fewer",
        "megatron/core/recompute.py, recompute_num_layers"},
    Entry{MegatronCore, FrameworkRule::VocabularyPlacement, dividesVocabulary, kVocabularyAtEnds, kUseEnds,
        "megatron/core/transformer/pipeline_parallel_layer_layout.py, validate_layer_layout"},
    Entry{MegatronCore, FrameworkRule::Schedule, megatronSchedule, "runs 1F1B and interleaving alone",
        "use 1f1b or interleaved", "megatron/core/pipeline_parallel/schedules.py, get_forward_backward_func"},
    Entry{MegatronCore, FrameworkRule::TimingPass, isTimed, kNoTimingPass, kUseNoTimingPass,
        "megatron/core/pipeline_parallel/schedules.py"},

    Entry{DeepSpeed, FrameworkRule::TensorPartition, dividesOtherwise, kNoPartition, kUseMegatronPartition,
        "deepspeed/module_inject/layers.py"},
    Entry{DeepSpeed, FrameworkRule::StageTp, hasStageTp, kOneTp, kUseOneTp,
        "deepspeed/runtime/pipe/topology.py, PipeModelDataParallelTopology"},
    Entry{DeepSpeed, FrameworkRule::StageRecompute, hasStageRecompute, kOneRecompute, kUseOneRecompute,
        "deepspeed/runtime/pipe/module.py, activation_checkpoint_interval"},
    Entry{DeepSpeed, FrameworkRule::Precision, isNarrow, "trains in FP32, FP16 or BF16", "use bf16",
        "deepspeed/runtime/precision_config.py"},
    Entry{DeepSpeed, FrameworkRule::ContextMethod, deepSpeedContext, "divides sequences by Ulysses alone",
        "use ulysses, or CP 1", "deepspeed/runtime/sequence_parallel/ulysses_sp.py"},
    Entry{DeepSpeed, FrameworkRule::ContextWithPipeline, deepSpeedContextInPipeline,
        "makes no groups for sequences in a pipeline", "use CP 1 or PP 1",
        "deepspeed/__init__.py, \"mpu must be None with pipeline parallelism\""},
    Entry{DeepSpeed, FrameworkRule::KvHeads, deepSpeedKvHeads,
        "gives every rank of Ulysses whole KV heads or a copy of one",
        "choose CP to divide the KV heads, or to be a multiple of them",
        "deepspeed/runtime/sequence_parallel/ulysses_sp.py, global_kv_head_count"},
    Entry{DeepSpeed, FrameworkRule::ExpertTp, hasOtherExpertTp, "gives experts the TP of other layers, or none",
        "use expert TP 1 or that of the strategy", "deepspeed/moe/layer.py, enable_expert_tensor_parallelism"},
    Entry{DeepSpeed, FrameworkRule::ZeroStage, deepSpeedZeroStage, "runs experts in ZeRO-3 without TP alone",
        "use ZeRO-1 or 2, or TP 1",
        "deepspeed/runtime/engine.py, \"AutoEP with ZeRO Stage 3 does not support AutoTP yet\""},
    Entry{DeepSpeed, FrameworkRule::ZeroWithPipeline, deepSpeedZeroInPipeline, "runs pipelines with ZeRO-0 and 1 alone",
        "use ZeRO-1, or PP 1",
        "deepspeed/runtime/pipe/engine.py, \"ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism\""},
    Entry{DeepSpeed, FrameworkRule::ZeroShards, deepSpeedShards,
        "shares out in groups in ZeRO-3 without experts alone (MiCS)", "share out over all replicas",
        "deepspeed/runtime/zero/config.py, mics_shard_size; deepspeed/runtime/engine.py, \"does not support MiCS "
        "yet\""},
    Entry{DeepSpeed, FrameworkRule::OrderOfRanks, isOrderedUnusually, "orders ranks tp-cp-ep-dp-pp",
        "use the order tp, cp, ep, dp, pp", "deepspeed/runtime/pipe/topology.py, PipeModelDataParallelTopology"},
    Entry{DeepSpeed, FrameworkRule::SequenceParallel, deepSpeedSequenceParallel,
        "keeps whole sequences on every tensor rank", "turn sequence parallelism off",
        "deepspeed/module_inject/layers.py, LinearAllreduce"},
    Entry{DeepSpeed, FrameworkRule::RecomputedLayers, recomputesSome, "recomputes all layers of a stage or none",
        "recompute all layers, or none", "deepspeed/runtime/pipe/module.py, activation_checkpoint_interval"},
    Entry{DeepSpeed, FrameworkRule::Offload, deepSpeedOffload, "moves to the host only what full recomputation keeps",
        "recompute in full, or keep activations on the accelerator",
        "deepspeed/runtime/activation_checkpointing/config.py, cpu_checkpointing"},
    Entry{DeepSpeed, FrameworkRule::VocabularyPlacement, dividesVocabulary, kVocabularyAtEnds, kUseEnds,
        "deepspeed/runtime/pipe/module.py"},
    Entry{DeepSpeed, FrameworkRule::Schedule, deepSpeedSchedule, "runs 1F1B alone", "use 1f1b",
        "deepspeed/runtime/pipe/schedule.py, TrainSchedule"},
    Entry{DeepSpeed, FrameworkRule::TimingPass, isTimed, kNoTimingPass, kUseNoTimingPass,
        "deepspeed/runtime/pipe/schedule.py"},
    Entry{DeepSpeed, FrameworkRule::StageLayers, deepSpeedLayers, "balances layers by itself",
        "choose PP to divide the layers, spread evenly", "deepspeed/runtime/pipe/module.py, _partition_layers"},

    Entry{TorchTitan, FrameworkRule::TensorPartition, dividesOtherwise, kNoPartition, kUseMegatronPartition,
        "torchtitan/models/llama3/infra/parallelize.py"},
    Entry{TorchTitan, FrameworkRule::StageTp, hasStageTp, kOneTp, kUseOneTp, "torchtitan/distributed/parallel_dims.py"},
    Entry{TorchTitan, FrameworkRule::StageRecompute, hasStageRecompute, kOneRecompute, kUseOneRecompute,
        "torchtitan/distributed/activation_checkpoint.py"},
    Entry{TorchTitan, FrameworkRule::Precision, titanPrecision, "trains in FP32, BF16, FP8 or MXFP8", "use bf16",
        "torchtitan/config/job_config.py, mixed_precision_param"},
    Entry{TorchTitan, FrameworkRule::ContextMethod, titanContext, "divides sequences by all-gather or in a ring",
        "use all-gather or ring", "torchtitan/config/job_config.py, context_parallel_rotate_method"},
    Entry{TorchTitan, FrameworkRule::KvHeads, titanKvHeads, "gives every tensor rank whole KV heads of its own",
        "choose TP to divide the KV heads",
        "torchtitan/models/llama3/model/model.py, xk.view(bs, seqlen, -1, self.head_dim)"},
    Entry{TorchTitan, FrameworkRule::SequenceLength, titanSequence, "divides a sequence into 2 TP x CP parts",
        "choose a sequence length that 2 TP x CP divides, or other degrees",
        "torchtitan/distributed/parallel_dims.py, seq_len_divisor"},
    Entry{TorchTitan, FrameworkRule::ExpertTp, titanExpertTp, "gives experts the TP of other layers or, with EP, none",
        "use the TP of the strategy, or with EP expert TP 1",
        "torchtitan/distributed/parallel_dims.py, \"Currently we only support ETP=TP or ETP=1\""},
    Entry{TorchTitan, FrameworkRule::ZeroStage, titanZeroStage,
        "replicates states only where there is nothing but DP, and else shards at least gradients", "use ZeRO-2 or 3",
        "torchtitan/models/llama3/infra/parallelize.py, \"DDP has not supported > 1D parallelism\"; "
        "torchtitan/distributed/parallel_dims.py, fsdp"},
    Entry{TorchTitan, FrameworkRule::ZeroShards, titanShards,
        "shards over all ranks of CP, and copies the shards of experts as often as those of other layers",
        "share out over all replicas, or over a multiple of CP", "torchtitan/distributed/parallel_dims.py, efsdp"},
    Entry{TorchTitan, FrameworkRule::OrderOfRanks, isOrderedUnusually, "orders ranks tp-cp-ep-dp-pp",
        "use the order tp, cp, ep, dp, pp", "torchtitan/distributed/parallel_dims.py, build_mesh"},
    Entry{TorchTitan, FrameworkRule::SequenceParallel, titanSequenceParallel, "runs TP in sequence parallelism alone",
        "turn sequence parallelism on", "torchtitan/models/llama3/infra/parallelize.py, SequenceParallel()"},
    Entry{TorchTitan, FrameworkRule::RecomputedLayers, recomputesSome,
        "recomputes all layers of a stage in full or none", "recompute all layers, or selectively",
        "torchtitan/distributed/activation_checkpoint.py"},
    Entry{TorchTitan, FrameworkRule::Offload, titanOffload,
        "offloads parameters, gradients and optimizer together, and no activations", "use no offload",
        "torchtitan/config/job_config.py, enable_cpu_offload"},
    Entry{TorchTitan, FrameworkRule::VocabularyPlacement, dividesVocabulary, kVocabularyAtEnds, kUseEnds,
        "torchtitan/distributed/pipeline_parallel.py"},
    Entry{TorchTitan, FrameworkRule::Schedule, titanSchedule,
        "runs GPipe, 1F1B, interleaving, breadth-first, ZB-V and DualPipe-V alone", "use one of these",
        "torch/distributed/pipelining/schedules.py, get_schedule_class"},
    Entry{TorchTitan, FrameworkRule::TimingPass, isTimed, kNoTimingPass, kUseNoTimingPass,
        "torch/distributed/pipelining/schedules.py"},
};

std::string orderText(const RankOrder& order)
{
    std::string text;
    for (const Axis axis : order)
        text += (text.empty() ? "" : ", ") + std::string(key(axis));
    return text;
}

/// What of the plan breaks the rule.
std::string foundOf(FrameworkRule rule, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const auto number = [](int value) { return std::to_string(value); };
    switch (rule) {
    case FrameworkRule::TensorPartition:
        return "the " + std::string(key(s.tensorPartition)) + " partition";
    case FrameworkRule::StageTp:
        return "TP by stage";
    case FrameworkRule::StageRecompute:
        return "recomputation by stage";
    case FrameworkRule::Precision:
        return "precision " + std::string(key(plan.training.precision));
    case FrameworkRule::ContextMethod:
        return "CP " + number(s.cp) + " by " + std::string(key(s.contextMethod));
    case FrameworkRule::ContextWithPipeline:
        return "CP " + number(s.cp) + " with PP " + number(s.pp);
    case FrameworkRule::KvHeads:
        return number(plan.model.kvHeads) + " KV heads over TP " + number(s.tp) + " and CP " + number(s.cp);
    case FrameworkRule::SequenceLength:
        return "a sequence of " + number(plan.training.sequenceLength) + " over TP " + number(s.tp) + " and CP "
            + number(s.cp);
    case FrameworkRule::ExpertTp:
        return "expert TP " + number(s.etp) + " with EP " + number(s.ep) + " beside TP " + number(s.tp);
    case FrameworkRule::ZeroStage:
    case FrameworkRule::ZeroWithPipeline:
        return "ZeRO-" + number(s.zeroStage) + " with TP " + number(s.tp) + ", CP " + number(s.cp) + " and PP "
            + number(s.pp);
    case FrameworkRule::ZeroShards:
        return "ZeRO-" + number(s.zeroStage) + " in groups of " + number(s.zeroShards) + " replicas";
    case FrameworkRule::OrderOfRanks:
        return "rank order " + orderText(s.rankOrder);
    case FrameworkRule::SequenceParallel:
        return "TP " + number(s.tp) + (s.sequenceParallel ? " with" : " without") + " sequence parallelism";
    case FrameworkRule::RecomputedLayers:
        return "some layers of a stage recomputed in full";
    case FrameworkRule::Offload:
        return "offload " + std::string(key(s.offload));
    case FrameworkRule::VocabularyPlacement:
        return "vocabulary placement " + std::string(key(s.vocabularyPlacement));
    case FrameworkRule::Schedule:
        return "schedule " + std::string(key(s.schedule));
    case FrameworkRule::TimingPass:
        return "the timing pass";
    case FrameworkRule::StageLayers:
        return number(plan.model.layers) + " layers over PP " + number(s.pp)
            + (spreadsEvenly(plan) ? "" : ", spread unevenly");
    }
    return {};
}

} // namespace

std::string_view key(TargetFramework framework)
{
    return nameIn(kFrameworks, framework);
}

std::optional<TargetFramework> targetFrameworkFromKey(std::string_view key)
{
    return valueIn(kFrameworks, key);
}

std::string_view title(TargetFramework framework)
{
    switch (framework) {
    case Any:
        return "any framework";
    case MegatronCore:
        return "Megatron-Core 0.20";
    case DeepSpeed:
        return "DeepSpeed 0.19";
    case TorchTitan:
        return "torchtitan 0.2";
    }
    return {};
}

std::string_view key(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].key;
}

std::string_view describe(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].became;
}

RuleScope scope(FrameworkRule rule)
{
    return kRules[std::size_t(rule)].scope;
}

std::vector<FrameworkObjection> objections(const Plan& plan, TargetFramework framework)
{
    std::vector<FrameworkObjection> broken;
    for (const Entry& entry : kEntries)
        if (entry.framework == framework && entry.breaks(plan))
            broken.push_back(
                {framework, entry.rule, foundOf(entry.rule, plan), entry.limit, entry.remedy, entry.source});
    return broken;
}

std::size_t firstObjection(const Plan& plan, TargetFramework framework, RuleScope asked)
{
    for (const Entry& entry : kEntries)
        if (entry.framework == framework && scope(entry.rule) == asked && entry.breaks(plan))
            return std::size_t(entry.rule);
    return kFrameworkRules;
}

std::string describe(const FrameworkObjection& objection)
{
    std::string text = objection.found + ": " + std::string(title(objection.framework)) + ' '
        + std::string(objection.limit) + "; " + std::string(objection.remedy) + '.';
    text.front() = char(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

FrameworkLimit limit(TargetFramework framework, FrameworkRule rule)
{
    for (const Entry& entry : kEntries)
        if (entry.framework == framework && entry.rule == rule)
            return {entry.limit, entry.source};
    return {};
}

bool expertsLieLikeAttention(const Strategy& s, bool hasExperts)
{
    const std::int64_t ofExperts = hasExperts ? std::int64_t{s.etp} * s.ep : s.tp;
    return ofExperts == std::int64_t{s.tp} * s.cp;
}

} // namespace stratoplan
