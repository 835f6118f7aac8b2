// SPDX-License-Identifier: Apache-2.0
// A plan as the configuration of Hugging Face Accelerate: FSDP2 with its own degrees, its plugin for Megatron-LM where
// there are pipelines or experts, plain replicas where nothing is divided.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

enum class Engine { Replicas, Fsdp, Megatron };

Engine engineOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.pp > 1 || (hasExperts(plan) && s.ep > 1) || (s.tp > 1 && s.zeroStage < 2))
        return Engine::Megatron;
    return s.zeroStage == 0 && s.tp * s.cp == 1 ? Engine::Replicas : Engine::Fsdp;
}

void addMachines(Draft& draft, const plan::Plan& plan, Engine engine)
{
    const std::string maker = vendor(plan.cluster);
    const std::string_view plain = maker == "Huawei" ? "MULTI_NPU" : maker == "Intel" ? "MULTI_HPU" : "MULTI_GPU";
    draft.text("compute_environment", "LOCAL_MACHINE");
    draft.text("distributed_type",
        engine == Engine::Fsdp           ? "FSDP"
            : engine == Engine::Megatron ? "MEGATRON_LM"
                                         : plain);
    const std::string_view storage = storageKey(plan.training.precision);
    const bool narrow = bytesPerElement(plan.training.precision) < 2;
    draft.text("mixed_precision", narrow ? "fp8" : storage == "fp32" ? "no" : storage);
    draft.number("num_machines", nodesUsed(plan));
    draft.number("num_processes", rankCount(plan.strategy));
    draft.number("machine_rank", 0);
    draft.fill(Blank::Addresses, "main_process_ip");
    draft.number("main_process_port", 29500);
    draft.text("rdzv_backend", "static");
    draft.set("same_network", true);
    draft.text("main_training_function", "main");
}

void addFsdp(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool full = (recomputeKinds(s) >> unsigned(parallel::Recompute::Full) & 1U) != 0;
    draft.number("fsdp_config.fsdp_version", 2);
    draft.set("fsdp_config.fsdp_reshard_after_forward", s.zeroStage == 3);
    draft.set("fsdp_config.fsdp_offload_params", s.offload == parallel::Offload::Optimizer);
    draft.set("fsdp_config.fsdp_activation_checkpointing", full);
    draft.text("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
    draft.fill(Blank::LayerClass, "fsdp_config.fsdp_transformer_layer_cls_to_wrap");
    draft.text("fsdp_config.fsdp_state_dict_type", "SHARDED_STATE_DICT");
    const int shard = std::max(1, (s.zeroStage == 0 ? replicas(s) : shards(s)) / s.cp);
    const bool whole = s.dp % shard == 0;
    draft.number("parallelism_config.parallelism_config_dp_replicate_size", whole ? s.dp / shard : 1);
    draft.number("parallelism_config.parallelism_config_dp_shard_size", whole ? shard : s.dp);
    draft.number("parallelism_config.parallelism_config_tp_size", s.tp);
    draft.number("parallelism_config.parallelism_config_cp_size", s.cp);
    if (s.cp > 1) {
        const bool ring = s.contextMethod == parallel::ContextMethod::Ring;
        draft.text("parallelism_config.parallelism_config_cp_comm_strategy", ring ? "alltoall" : "allgather");
        if (s.contextMethod == parallel::ContextMethod::Ulysses)
            draft.remark(Gap::ContextMethod, "ulysses", "parallelism_config_cp_comm_strategy allgather");
    }
    if (s.zeroStage < 2)
        draft.remark(Gap::ZeroStage, std::to_string(s.zeroStage), "fsdp_reshard_after_forward false");
    if (s.offload == parallel::Offload::Optimizer)
        draft.remark(Gap::Offloaded, "optimizer", "fsdp_offload_params true");
}

void addMegatron(Draft& draft, const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    const Draft arguments = megatron(project);
    Derived settings = derived(arguments.settings, shippedTable("accelerate"));
    draft.settings.insert(draft.settings.end(), settings.settings.begin(), settings.settings.end());
    draft.number("megatron_lm_config.megatron_lm_num_micro_batches", evenMicroBatches(plan));
    draft.remarks = arguments.remarks;
    if (find(arguments.settings, "--pipeline-model-parallel-layout"))
        draft.remark(Gap::UnevenLayers, std::to_string(plan.model.layers));
    // The shape and the data are those of the script.
    constexpr std::array kOfTheScript{"--num-layers-per-virtual-pipeline-stage", "--use-megatron-fsdp",
        "--cp-comm-type", "--fp8-format", "--fp8-recipe", "--num-distributed-optimizer-instances",
        "--fine-grained-activation-offloading", "--use-tp-pp-dp-mapping", "--recompute-modules"};
    for (const Setting& left : settings.left)
        if (std::find(kOfTheScript.begin(), kOfTheScript.end(), left.name) != kOfTheScript.end())
            draft.remark(Gap::NoSetting, argumentText(left));
}

/// The plugin of Megatron-LM has the number of micro-batches; else they are gradients that are accumulated.
void addScriptRemarks(Draft& draft, const plan::Plan& plan, Engine engine)
{
    draft.leave(Blank::Model, "script");
    draft.leave(Blank::LearningRate, "script");
    draft.leave(Blank::Data, "script");
    const std::string batch = "per_device_train_batch_size " + std::to_string(plan.strategy.microBatch);
    const std::string steps = ", gradient_accumulation_steps " + std::to_string(evenMicroBatches(plan));
    draft.remark(Gap::GlobalBatch, std::to_string(plan.training.globalBatch),
        engine == Engine::Megatron ? batch : batch + steps);
    if (bytesPerElement(plan.training.precision) < 2)
        draft.remark(Gap::Precision, std::string(key(plan.training.precision)), "mixed_precision fp8");
}

void addOwnRemarks(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.offload == parallel::Offload::Activations)
        draft.remark(Gap::ActivationOffload, {});
    if ((recomputeKinds(s) >> unsigned(parallel::Recompute::Selective) & 1U) != 0)
        draft.remark(Gap::Selective, {}, "fsdp_activation_checkpointing false");
    if (!isUsuallyOrdered(s))
        draft.remark(Gap::RankOrder, orderText(s));
    if (s.tensorPartition == parallel::TensorPartition::SpatialTemporal && s.tp > 1)
        draft.remark(Gap::SpatialTemporal, {});
}

} // namespace

LaunchFile accelerate(const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    const Engine engine = engineOf(plan);
    Draft draft;
    addMachines(draft, plan, engine);
    if (engine == Engine::Fsdp)
        addFsdp(draft, plan);
    if (engine == Engine::Megatron)
        addMegatron(draft, project);
    else
        addOwnRemarks(draft, plan);
    addScriptRemarks(draft, plan, engine);
    addNodeRemarks(draft, plan);
    return {Format::Accelerate, yamlText(draft.settings), {}, draft.settings, "accelerate", {}, draft.remarks,
        draft.blanks};
}

} // namespace stratoplan::launch
