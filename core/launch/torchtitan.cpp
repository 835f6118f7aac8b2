// SPDX-License-Identifier: Apache-2.0
// A plan as the configuration of torchtitan.
#include "core/catalog/catalog.h"
#include "core/launch/draft.h"
#include "core/units/named.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

using catalog::FrameworkRule;
using parallel::Schedule;

constexpr std::string_view kSchedule = "parallelism.pipeline_parallel_schedule", kMode = "activation_checkpoint.mode",
                           kShardDegree = "parallelism.data_parallel_shard_degree",
                           kRotate = "parallelism.context_parallel_rotate_method",
                           kTitanReshard = "parallelism.fsdp_reshard_after_forward";

constexpr NameTable<Schedule, 6> kSchedules{
    {{Schedule::GPipe, "GPipe"}, {Schedule::OneFOneB, "1F1B"}, {Schedule::Interleaved, "Interleaved1F1B"},
        {Schedule::BreadthFirst, "LoopedBFS"}, {Schedule::ZbV, "ZBVZeroBubble"}, {Schedule::DualPipeV, "DualPipeV"}}};

/// What torchtitan runs of it: "1F1B" in place of what it has no name for.
std::string_view scheduleName(const parallel::Strategy& s)
{
    const std::string_view name = nameIn(kSchedules, s.schedule);
    return name.empty() || (s.schedule == Schedule::Interleaved && s.vpp == 1) ? "1F1B" : name;
}

/// Of the same shape as one that torchtitan ships; what the catalogue knows of a flavor is more than its table says.
bool isShipped(const model::Transformer& m, const Flavor& flavor)
{
    if (flavor.layers != m.layers || flavor.hidden != m.hidden || flavor.heads != m.heads)
        return false;
    const catalog::ModelPreset* const preset = catalog::shippedCatalog().model(flavor.preset);
    return !preset || parameters(preset->model).total == parameters(m).total;
}

void addModelSection(Draft& draft, const plan::Plan& plan)
{
    const model::Transformer& m = plan.model;
    const std::vector<Flavor>& flavors = shippedTable("torchtitan").flavors;
    const auto it =
        std::find_if(flavors.begin(), flavors.end(), [&](const Flavor& flavor) { return isShipped(m, flavor); });
    if (it != flavors.end()) {
        draft.text("model.name", it->model);
        draft.text("model.flavor", it->name);
    } else {
        draft.fill(Blank::Model, "model.name");
        draft.fill(Blank::Model, "model.flavor");
        draft.remark(Gap::NoShape, m.name, "model.flavor " + placeholder(Blank::Model));
    }
    draft.fill(Blank::Assets, "model.hf_assets_path");
}

void addConverters(Draft& draft, const plan::Training& training)
{
    const bool fp8 = training.precision == model::Precision::Fp8, mx = training.precision == model::Precision::Mxfp8;
    draft.set("model.converters", fp8 ? Words{"quantize.linear.float8"} : mx ? Words{"quantize.linear.mx"} : Words{});
    if (fp8) {
        draft.set("quantize.linear.float8.enable_fsdp_float8_all_gather", training.narrowGather);
        draft.set("quantize.linear.float8.filter_fqns", Words{"output"});
    }
    if (mx)
        draft.text("quantize.linear.mx.recipe_name", "mxfp8_cublas");
}

/// A pipeline has all micro-batches of a step at once; without one they follow one another.
void addTrainingSection(Draft& draft, const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    const parallel::Strategy& s = plan.strategy;
    const int each = evenMicroBatches(plan);
    draft.number("training.local_batch_size", std::int64_t{s.microBatch} * (s.pp > 1 ? each : 1));
    draft.number("training.global_batch_size", std::int64_t{s.microBatch} * each * s.dp);
    draft.number("training.seq_len", plan.training.sequenceLength);
    if (const std::int64_t count = steps(project); count > 0)
        draft.number("training.steps", count);
    else
        draft.leave(Blank::Steps, "training.steps");
    draft.fill(Blank::Data, "training.dataset");
    draft.leave(Blank::LearningRate, "optimizer.lr");
    const bool wide = storageKey(plan.training.precision) == "fp32";
    addWideRemark(draft, plan.training.precision);
    draft.text("training.dtype", "float32");
    draft.text("training.mixed_precision_param", wide ? "float32" : "bfloat16");
    draft.text("training.mixed_precision_reduce", "float32");
    if (!wide && reductionBytes(plan.training) < 4)
        draft.remark(Gap::NarrowReduction, {}, "training.mixed_precision_reduce float32");
    draft.set("training.enable_cpu_offload", false);
    draft.text("optimizer.name", "AdamW");
}

struct DataDegrees {
    int replicate = 1, shard = 1;
};

DataDegrees dataDegrees(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool replicates = s.zeroStage == 0 && s.tp * s.pp * s.cp == 1 && !hasExperts(plan);
    if (replicates)
        return {s.dp, 1};
    const bool refused = breaks(plan, plan::TargetFramework::TorchTitan, FrameworkRule::ZeroShards);
    const int shard = refused || s.zeroStage == 0 ? s.dp : std::max(1, shards(s) / s.cp);
    return s.dp % shard == 0 ? DataDegrees{s.dp / shard, shard} : DataDegrees{1, s.dp};
}

void addPipelineSection(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    draft.number("parallelism.pipeline_parallel_degree", s.pp);
    if (s.pp == 1)
        return;
    draft.text(kSchedule, scheduleName(s));
    draft.number("parallelism.pipeline_parallel_microbatch_size", s.microBatch);
    std::vector<Words> parts;
    const bool chunked = scheduleName(s) != "1F1B" && scheduleName(s) != "GPipe";
    const bool folded = s.schedule == Schedule::ZbV || s.schedule == Schedule::DualPipeV;
    int layer = 0;
    const int chunks = chunked ? std::max(s.vpp, folded ? 2 : 1) : 1;
    for (int chunk = 0; chunk < chunks; ++chunk)
        for (int place = 0; place < s.pp; ++place) {
            const int stage = folded && chunk == 1 ? s.pp - 1 - place : place;
            const int count = chunked ? chunkLayers(s, plan.model.layers, stage)[std::size_t(chunk)]
                                      : stageLayers(s, plan.model.layers)[std::size_t(stage)];
            Words part(parts.empty() ? 1 : 0, "tok_embeddings");
            for (int i = 0; i < count; ++i)
                part.push_back("layers." + std::to_string(layer++));
            parts.push_back(std::move(part));
        }
    parts.back().insert(parts.back().end(), {"norm", "output"});
    draft.set("parallelism.module_fqns_per_model_part", parts);
}

void addContextSection(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    draft.number("parallelism.context_parallel_degree", s.cp);
    if (s.cp > 1)
        draft.text(kRotate, s.contextMethod == parallel::ContextMethod::Ring ? "alltoall" : "allgather");
}

void addParallelism(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const DataDegrees data = dataDegrees(plan);
    draft.number("parallelism.data_parallel_replicate_degree", data.replicate);
    draft.number(kShardDegree, data.shard);
    draft.text(kTitanReshard, s.zeroStage == 3 && effectiveZeroStage(plan) == 3 ? "always" : "never");
    if (s.zeroStage == 3 && effectiveZeroStage(plan) < 3)
        draft.remark(Gap::NotOfPipelines, "3", std::string(kTitanReshard) + " never");
    draft.number("parallelism.tensor_parallel_degree", s.tp);
    draft.set("parallelism.enable_async_tensor_parallel", plan.training.software.tpOverlap > 0 && s.tp > 1);
    if (plan.training.software.tpOverlap > 0 && s.tp > 1)
        draft.set("compile.enable", true); // without which it does not run
    addPipelineSection(draft, plan);
    addContextSection(draft, plan);
    draft.number("parallelism.expert_parallel_degree", hasExperts(plan) ? s.ep : 1);
    const bool refused = breaks(plan, plan::TargetFramework::TorchTitan, FrameworkRule::ExpertTp);
    draft.number("parallelism.expert_tensor_parallel_degree", !hasExperts(plan) || refused ? 1 : s.etp);
    if (hasExperts(plan) && s.ep > 1)
        draft.text(
            "parallelism.expert_parallel_comm_backend", plan.training.software.dispatchOnce ? "deepep" : "standard");
}

void addCheckpointing(Draft& draft, const plan::Plan& plan)
{
    const unsigned kinds = recomputeKinds(plan.strategy);
    const auto holds = [&](parallel::Recompute kind) { return (kinds >> unsigned(kind) & 1U) != 0; };
    const bool full = holds(parallel::Recompute::Full);
    const bool selective = !full && holds(parallel::Recompute::Selective);
    draft.text(kMode, full ? "full" : selective ? "selective" : "none");
    if (plan.strategy.schedule == Schedule::DualPipeV && plan.strategy.pp > 1 && hasExperts(plan))
        draft.set("parallelism.pipeline_parallel_expert_parallel_overlap", !full && !selective);
    if (!selective)
        return;
    draft.text("activation_checkpoint.selective_ac_option", "op");
    if (plan.training.software.selectiveRecompute != plan::SelectiveRecompute::EveryOtherProduct)
        draft.remark(
            Gap::SelectiveRecompute, plan.training.software.name, "activation_checkpoint.selective_ac_option op");
}

constexpr std::array kTitanRules{
    RuleSetting{FrameworkRule::TensorPartition, "parallelism.tensor_parallel_degree"},
    RuleSetting{FrameworkRule::StageTp, "parallelism.tensor_parallel_degree"},
    RuleSetting{FrameworkRule::StageRecompute, kMode},
    RuleSetting{FrameworkRule::RecomputedLayers, kMode},
    RuleSetting{FrameworkRule::Precision, "training.mixed_precision_param"},
    RuleSetting{FrameworkRule::Optimizer, "optimizer.name"},
    RuleSetting{FrameworkRule::ContextMethod, kRotate},
    RuleSetting{FrameworkRule::ExpertTp, "parallelism.expert_tensor_parallel_degree"},
    RuleSetting{FrameworkRule::ZeroStage, kTitanReshard},
    RuleSetting{FrameworkRule::ZeroShards, kShardDegree},
    RuleSetting{FrameworkRule::SequenceParallel, "parallelism.tensor_parallel_degree"},
    RuleSetting{FrameworkRule::Offload, "training.enable_cpu_offload"},
    RuleSetting{FrameworkRule::Schedule, kSchedule},
    RuleSetting{FrameworkRule::OrderOfRanks, {}, "tp-cp-ep-dp-pp"},
    RuleSetting{FrameworkRule::VocabularyPlacement, {}, "ends"},
};

} // namespace

LaunchFile torchTitan(const plan::Project& project)
{
    Draft draft;
    addModelSection(draft, project.plan);
    addConverters(draft, project.plan.training);
    addTrainingSection(draft, project);
    addParallelism(draft, project.plan);
    addCheckpointing(draft, project.plan);
    if (!isFlash(project.plan.training.attention))
        draft.remark(Gap::UnfusedAttention, {});
    addObjections(draft, project.plan, plan::TargetFramework::TorchTitan, kTitanRules);
    return {Format::TorchTitan, tomlText(draft.settings), {}, draft.settings, "torchtitan", {}, draft.remarks,
        draft.blanks};
}

} // namespace stratoplan::launch
