// SPDX-License-Identifier: Apache-2.0
// A plan as the configuration of DeepSpeed, and beside it the arguments of Megatron-DeepSpeed, which has the degrees
// and the model.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

using catalog::FrameworkRule;

constexpr std::string_view kZeroStage = "zero_optimization.stage";

/// An optimizer is moved to the host with its shares alone.
int zeroStageOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.zeroStage == 0 && s.offload == parallel::Offload::Optimizer)
        return 1;
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

/// What the arguments beside it have is Adam, SGD or Muon.
void addOptimizerRemark(Draft& draft, const plan::Training& training)
{
    if (training.optimizer == plan::Optimizer::Adam8Bit || training.optimizer == plan::Optimizer::Adafactor)
        draft.remark(Gap::NoSetting, "--optimizer " + std::string(key(training.optimizer)),
            "--optimizer " + std::string(key(plan::Optimizer::Adam)));
}

void addDivision(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool full = (recomputeKinds(s) >> unsigned(parallel::Recompute::Full) & 1U) != 0;
    if (s.pp > 1) {
        draft.number("pipeline.stages", s.pp);
        draft.number("pipeline.activation_checkpoint_interval", full ? 1 : 0);
    }
    draft.set("activation_checkpointing.partition_activations", false);
    draft.set("activation_checkpointing.cpu_checkpointing", full && s.offload == parallel::Offload::Activations);
}

void addOffloadRemark(Draft& draft, const plan::Plan& plan)
{
    if (zeroStageOf(plan) > plan.strategy.zeroStage)
        draft.remark(Gap::Offloaded, "optimizer", std::string(kZeroStage) + " 1");
    const Setting* const moves = find(draft.settings, "activation_checkpointing.cpu_checkpointing");
    if (plan.strategy.offload == parallel::Offload::Activations && moves && moves->value == Value(false))
        draft.remark(Gap::ActivationOffload, {});
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
    RuleSetting{FrameworkRule::TensorPartition, "--tensor-model-parallel-size"},
    RuleSetting{FrameworkRule::StageTp, "--tensor-model-parallel-size"},
    RuleSetting{FrameworkRule::ContextMethod, "--ds-sequence-parallel-size"},
};

/// Arguments beside the configuration: what Megatron-DeepSpeed shares with Megatron-LM, and its own names.
Companion argumentsBeside(const plan::Plan& plan, Derived& shared)
{
    Settings& settings = shared.settings;
    settings.push_back({"--zero-stage", std::int64_t{zeroStageOf(plan)}});
    if (hasExperts(plan) && plan.strategy.tp > 1 && plan.strategy.etp == plan.strategy.tp)
        settings.push_back({"--enable-expert-tensor-parallelism", Flag{}});
    if (plan.strategy.pp == 1)
        settings.push_back({"--no-pipeline-parallel", Flag{}});
    settings.push_back({"--deepspeed", Flag{}});
    settings.push_back({"--deepspeed_config", placeholder(Blank::Configuration)});
    return {".args", argumentLines(settings), settings, "megatron-deepspeed"};
}

void addRemarks(Draft& draft, const plan::Plan& plan, const Draft& megatronDraft, const Derived& shared)
{
    Draft both{draft.settings, {}, {}};
    both.settings.insert(both.settings.end(), shared.settings.begin(), shared.settings.end());
    addObjections(both, plan, plan::TargetFramework::DeepSpeed, kDeepSpeedRules);
    draft.remarks = std::move(both.remarks);
    addRecomputeRemark(draft, plan);
    addOffloadRemark(draft, plan);
    addWideRemark(draft, plan.training.precision);
    addOptimizerRemark(draft, plan.training);
    for (const Setting& setting : shared.left)
        draft.remark(Gap::NoSetting, argumentText(setting));
    for (const Remark& remark : megatronDraft.remarks)
        if (remark.gap == Gap::Parts || remark.gap == Gap::StandIn || remark.gap == Gap::UnevenReplicas)
            draft.remarks.push_back(remark);
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
    const Draft megatronDraft = megatron(project);
    Derived shared = derived(megatronDraft.settings, shippedTable("megatron-deepspeed"));
    addRemarks(draft, plan, megatronDraft, shared);
    draft.blanks = megatronDraft.blanks;
    draft.leave(Blank::Configuration, "deepspeed_config");
    return {Format::DeepSpeed, jsonText(draft.settings), {}, draft.settings, "deepspeed",
        {argumentsBeside(plan, shared)}, draft.remarks, draft.blanks};
}

} // namespace stratoplan::launch
