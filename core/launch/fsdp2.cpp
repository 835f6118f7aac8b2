// SPDX-License-Identifier: Apache-2.0
// A plan as a program of PyTorch that makes the meshes of ranks and shards a model over them (FSDP2, fully_shard).
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

using parallel::Recompute;

constexpr std::string_view kReshard = "fully_shard.reshard_after_forward";

/// As torch.device has them.
std::string deviceOf(const std::string& vendor)
{
    return vendor == "Huawei" ? "npu" : vendor == "Intel" ? "hpu" : "cuda";
}

std::string dtypeOf(std::string_view storage)
{
    return storage == "fp16" ? "torch.float16" : storage == "bf16" ? "torch.bfloat16" : "torch.float32";
}

void addMeshDegrees(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const int shard = s.zeroStage == 0 ? s.cp : shards(s);
    const bool whole = replicas(s) % shard == 0;
    draft.number("init_device_mesh.pp", s.pp);
    draft.number("init_device_mesh.replicate", whole ? replicas(s) / shard : 1);
    draft.number("init_device_mesh.shard", whole ? shard : replicas(s));
    draft.number("init_device_mesh.tp", s.tp);
    draft.text("init_device_mesh.device_type", deviceOf(vendor(plan.cluster)));
}

void addPolicies(Draft& draft, const plan::Plan& plan)
{
    const plan::Training& t = plan.training;
    const std::string_view storage = storageKey(t.precision);
    draft.set(kReshard, plan.strategy.zeroStage == 3 && effectiveZeroStage(plan) == 3);
    draft.set("MixedPrecisionPolicy.param_dtype", Code{dtypeOf(storage)});
    draft.set("MixedPrecisionPolicy.reduce_dtype",
        Code{dtypeOf(reductionBytes(t) == 4 ? std::string_view("fp32") : storage)});
    draft.set("CPUOffloadPolicy.pin_memory", plan.strategy.offload == parallel::Offload::Optimizer);
}

void addShardRemarks(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const plan::Training& t = plan.training;
    if (s.zeroStage < 2 && numberOf(draft.settings, "init_device_mesh.shard", 1) > s.cp)
        draft.remark(Gap::ZeroStage, std::to_string(s.zeroStage), std::string(kReshard) + " False");
    if (s.zeroStage == 3 && effectiveZeroStage(plan) < 3)
        draft.remark(Gap::NotOfPipelines, "3", std::string(kReshard) + " False");
    if (s.pp > 1)
        draft.remark(Gap::Stages, std::string(key(s.schedule)), "init_device_mesh.pp " + std::to_string(s.pp));
    if (s.tp > 1)
        draft.remark(Gap::TensorPlan, std::to_string(s.tp), "init_device_mesh.tp " + std::to_string(s.tp));
    if (s.cp > 1)
        draft.remark(Gap::ContextMethod, std::string(key(s.contextMethod)),
            "init_device_mesh.shard " + std::to_string(numberOf(draft.settings, "init_device_mesh.shard", 1)));
    if (hasExperts(plan) && s.ep > 1)
        draft.remark(Gap::Experts, std::to_string(s.ep));
    if (bytesPerElement(t.precision) < 2)
        draft.remark(Gap::Precision, std::string(key(t.precision)), "param_dtype torch.bfloat16");
    if (s.offload == parallel::Offload::Activations)
        draft.remark(Gap::ActivationOffload, {});
    if (s.offload == parallel::Offload::Optimizer)
        draft.remark(Gap::Offloaded, "optimizer", "CPUOffloadPolicy");
    const unsigned kinds = recomputeKinds(s);
    if ((kinds >> unsigned(Recompute::Selective) & 1U) != 0)
        draft.remark(Gap::Selective, {});
    if (!isUsuallyOrdered(s))
        draft.remark(Gap::RankOrder, orderText(s));
    if (std::any_of(s.stageTp.begin(), s.stageTp.end(), [&](int tp) { return tp != s.tp; }))
        draft.remark(Gap::StageTp, {}, "init_device_mesh.tp " + std::to_string(s.tp));
    if (s.tensorPartition == parallel::TensorPartition::SpatialTemporal && s.tp > 1)
        draft.remark(Gap::SpatialTemporal, {});
}

/// Layers of each stage that are recomputed in full, from its first one on.
std::string recomputedLayers(const plan::Plan& plan)
{
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    std::string text;
    for (std::size_t stage = 0; stage < layers.size(); ++stage) {
        const parallel::StageRecompute kept = stageRecompute(plan.strategy, int(stage));
        text += std::to_string(kept.others == Recompute::Full ? layers[stage] : kept.full) + ", ";
    }
    return '(' + text.substr(0, text.size() - (layers.size() > 1 ? 2 : 1)) + ')';
}

} // namespace

LaunchFile fsdp2(const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    Draft draft;
    addMeshDegrees(draft, plan);
    addPolicies(draft, plan);
    addShardRemarks(draft, plan);
    draft.leave(Blank::Model, "build_stage");
    draft.leave(Blank::LearningRate, "main");
    draft.leave(Blank::Data, "main");
    const Settings& settings = draft.settings;
    const auto number = [&](const char* name) { return std::to_string(numberOf(settings, name, 1)); };
    const auto text = [&](std::string_view name) { return pythonText(find(settings, name)->value); };
    const std::string body = filledTemplate("fsdp2.py",
        {{"@PP@", number("init_device_mesh.pp")}, {"@REPLICATE@", number("init_device_mesh.replicate")},
            {"@SHARD@", number("init_device_mesh.shard")}, {"@TP@", number("init_device_mesh.tp")},
            {"@CP@", std::to_string(plan.strategy.cp)}, {"@DEVICE@", text("init_device_mesh.device_type")},
            {"@RESHARD@", text(kReshard)}, {"@PARAM@", text("MixedPrecisionPolicy.param_dtype")},
            {"@REDUCE@", text("MixedPrecisionPolicy.reduce_dtype")}, {"@OFFLOAD@", text("CPUOffloadPolicy.pin_memory")},
            {"@RECOMPUTE@", recomputedLayers(plan)}, {"@OPTIMIZER@", std::string(key(plan.training.optimizer))},
            {"@ATTENTION@", std::string(key(plan.training.attention))}, {"@LAYERS@", std::to_string(plan.model.layers)},
            {"@MICRO_BATCH@", std::to_string(plan.strategy.microBatch)},
            {"@MICRO_BATCHES@", std::to_string(evenMicroBatches(plan))},
            {"@SEQUENCE@", std::to_string(plan.training.sequenceLength)}});
    return {Format::Fsdp2, body, {}, settings, "fsdp2", {}, draft.remarks, draft.blanks};
}

} // namespace stratoplan::launch
