// SPDX-License-Identifier: Apache-2.0
// A plan as the configuration of DeepSpeed, and beside it the arguments of Megatron-DeepSpeed, which has the degrees
// and the model.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

using catalog::FrameworkRule;

constexpr std::string_view kZeroStage = "zero_optimization.stage";

int zeroStageOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    return s.pp > 1 ? std::min(s.zeroStage, 1) : s.zeroStage;
}

void addBatch(Draft& draft, const plan::Plan& plan)
{
    const int each = evenMicroBatches(plan);
    draft.number("train_batch_size", std::int64_t{each} * plan.strategy.microBatch * plan.strategy.dp);
    draft.number("train_micro_batch_size_per_gpu", plan.strategy.microBatch);
    draft.number("gradient_accumulation_steps", each);
}

void addZero(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    draft.number(kZeroStage, zeroStageOf(plan));
    draft.set("zero_optimization.overlap_comm", plan.training.software.dpOverlap > 0);
    if (s.offload == parallel::Offload::Optimizer)
        draft.text("zero_optimization.offload_optimizer.device", "cpu");
    const bool refused = breaks(plan, plan::TargetFramework::DeepSpeed, FrameworkRule::ZeroShards);
    if (!refused && s.zeroStage == 3 && shards(s) < replicas(s))
        draft.number("zero_optimization.mics_shard_size", shards(s));
}

void addNumbers(Draft& draft, const plan::Plan& plan)
{
    const std::string_view storage = storageKey(plan.training.precision);
    draft.set("bf16.enabled", storage == "bf16");
    draft.set("fp16.enabled", storage == "fp16");
    draft.text("data_types.grad_accum_dtype", plan.training.fp32Gradients ? "fp32" : storage);
    draft.text("communication_data_type", reductionBytes(plan.training) == 4 ? "fp32" : storage);
}

void addDivision(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool full = (recomputeKinds(s) >> unsigned(parallel::Recompute::Full) & 1U) != 0;
    if (s.pp > 1) {
        draft.number("pipeline.stages", s.pp);
        draft.number("pipeline.activation_checkpoint_interval", full ? 1 : 0);
    } else {
        if (s.tp > 1)
            draft.number("tensor_parallel.autotp_size", s.tp);
        if (s.cp > 1)
            draft.number("sequence_parallel_size", s.cp);
        if (hasExperts(plan) && s.ep > 1) {
            draft.set("expert_parallel.enabled", true);
            draft.number("expert_parallel.autoep_size", s.ep);
            draft.number("expert_parallel.expert_tensor_parallel_size", s.etp);
        }
    }
    draft.set("activation_checkpointing.partition_activations", false);
    draft.set("activation_checkpointing.cpu_checkpointing", full && s.offload == parallel::Offload::Activations);
}

void addRecomputeRemark(Draft& draft, const plan::Plan& plan)
{
    if ((recomputeKinds(plan.strategy) >> unsigned(parallel::Recompute::Selective) & 1U) != 0)
        draft.remark(Gap::Selective, {}, "pipeline.activation_checkpoint_interval 0");
}

constexpr std::array kDeepSpeedRules{
    RuleSetting{FrameworkRule::ZeroStage, kZeroStage},
    RuleSetting{FrameworkRule::ZeroWithPipeline, kZeroStage},
    RuleSetting{FrameworkRule::ZeroShards, kZeroStage},
    RuleSetting{FrameworkRule::Schedule, {}, "1f1b"},
    RuleSetting{FrameworkRule::OrderOfRanks, {}, "tp-cp-ep-dp-pp"},
    RuleSetting{FrameworkRule::VocabularyPlacement, {}, "ends"},
    RuleSetting{FrameworkRule::StageLayers, "pipeline.stages"},
    RuleSetting{FrameworkRule::Precision, "bf16.enabled"},
    RuleSetting{FrameworkRule::RecomputedLayers, "pipeline.activation_checkpoint_interval"},
    RuleSetting{FrameworkRule::StageRecompute, "pipeline.activation_checkpoint_interval"},
    RuleSetting{FrameworkRule::TensorPartition, "tensor_parallel.autotp_size"},
    RuleSetting{FrameworkRule::StageTp, "tensor_parallel.autotp_size"},
    RuleSetting{FrameworkRule::ContextMethod, "sequence_parallel_size"},
};

/// Arguments beside the configuration: what Megatron-DeepSpeed shares with Megatron-LM, and its own names.
Companion arguments(Draft& draft, const plan::Project& project)
{
    const Draft megatronDraft = megatron(project);
    Derived shared = derived(megatronDraft.settings, shippedTable("megatron-deepspeed"));
    for (const Setting& setting : shared.left)
        draft.remark(Gap::NoSetting, argumentText(setting));
    Settings& settings = shared.settings;
    settings.push_back({"--zero-stage", std::int64_t{zeroStageOf(project.plan)}});
    if (project.plan.strategy.pp == 1)
        settings.push_back({"--no-pipeline-parallel", Flag{}});
    settings.push_back({"--deepspeed", Flag{}});
    settings.push_back({"--deepspeed_config", placeholder(Blank::Configuration)});
    draft.blanks = megatronDraft.blanks;
    draft.leave(Blank::Configuration, "deepspeed_config");
    for (const Remark& remark : megatronDraft.remarks)
        if (remark.gap == Gap::Parts || remark.gap == Gap::StandIn || remark.gap == Gap::UnevenReplicas)
            draft.remarks.push_back(remark);
    return {".args", argumentLines(settings), settings, "megatron-deepspeed"};
}

} // namespace

LaunchFile deepSpeed(const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    Draft draft;
    addBatch(draft, plan);
    addZero(draft, plan);
    addNumbers(draft, plan);
    addDivision(draft, plan);
    addObjections(draft, plan, plan::TargetFramework::DeepSpeed, kDeepSpeedRules);
    addRecomputeRemark(draft, plan);
    Companion companion = arguments(draft, project);
    addNodeRemarks(draft, plan);
    return {Format::DeepSpeed, jsonText(draft.settings), {}, draft.settings, "deepspeed", {std::move(companion)},
        draft.remarks, draft.blanks};
}

} // namespace stratoplan::launch
