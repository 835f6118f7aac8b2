// SPDX-License-Identifier: Apache-2.0
// The configuration of DeepSpeed: batch, sharding, numbers, offload. The model and how it is divided stand elsewhere.
#include "core/exchange/launch_reading.h"

#include "core/catalog/quote.h"
#include "core/estimate/estimate.h"

#include <algorithm>
#include <array>

namespace stratoplan::exchange::launchfile {
namespace {

/// What the Trainer of Hugging Face fills in.
bool isAuto(const Statements& file, std::string_view name)
{
    const Statement* const statement = file.look({name});
    return statement && statement->values == std::vector<std::string>{"auto"};
}

std::optional<int> batchPart(Statements& file, std::string_view name)
{
    if (!isAuto(file, name))
        return file.number({name});
    file.find({name});
    return std::nullopt;
}

void readPrecisionOf(Reading& reading)
{
    Statements& file = reading.file;
    plan::Training& t = reading.plan.training;
    const auto isOn = [&](std::string_view name) {
        if (isAuto(file, name)) {
            file.find({name});
            return false;
        }
        return file.truth({name}).value_or(false);
    };
    const bool bf16 = isOn("bf16.enabled") || isOn("bfloat16.enabled"), fp16 = isOn("fp16.enabled");
    if (bf16 && fp16)
        file.fail(file.placeOf({"fp16.enabled"}), "both bf16 and fp16", "one of them");
    const bool open = isAuto(file, "bf16.enabled") || isAuto(file, "fp16.enabled");
    if (open)
        file.note("precision", std::string(key(t.precision)));
    else
        t.precision = bf16 ? model::Precision::Bf16 : fp16 ? model::Precision::Fp16 : model::Precision::Fp32;
    const std::string gradients = file.word({"data_types.grad_accum_dtype"});
    if (!gradients.empty())
        t.fp32Gradients = gradients == "fp32";
    const std::string reduced = file.word({"communication_data_type"});
    if (!reduced.empty())
        t.narrowReduction = reduced != "fp32";
}

void readZero(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const int stage = file.number({"zero_optimization.stage"}, 0).value_or(0);
    if (stage > 3)
        return file.fail(*file.look({"zero_optimization.stage"}), "0, 1, 2 or 3");
    s.zeroStage = stage;
    s.zeroShards = file.number({"zero_optimization.mics_shard_size"}, -1).value_or(0);
    s.zeroShards = std::max(0, s.zeroShards);
    const auto offload = [&](const char* name, int least) {
        const std::string place = std::string("zero_optimization.") + name;
        const Statement* const device = file.find({place + ".device"});
        const std::string word = device && !device->values.empty() ? device->values.front() : "none";
        if (!device || word == "none")
            return false;
        if (word != "cpu" && word != "nvme") {
            file.fail(*device, "none, cpu or nvme");
            return false;
        }
        if (word == "nvme")
            file.warn(*device, "nvme", "cpu; disks are not modelled, host memory is taken");
        if (stage < least)
            file.warn(*device, "offload with ZeRO-" + std::to_string(stage),
                "zero_optimization.stage of at least " + std::to_string(least));
        return stage >= least;
    };
    s.offload = offload("offload_optimizer", 1) ? parallel::Offload::Optimizer : parallel::Offload::None;
    if (offload("offload_param", 3))
        file.warn(file.placeOf({"zero_optimization.offload_param.device"}), "offload of parameters",
            "offload of the optimizer alone; parameters are taken to stay on the accelerators");
    const Statement* const overlap = file.look({"zero_optimization.overlap_comm"});
    if (overlap && !file.truth({"zero_optimization.overlap_comm"}).value_or(true))
        reading.plan.training.software.dpOverlap = 0;
}

void readCheckpointing(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    if (const auto stages = file.number({"pipeline.stages"})) {
        if (*stages > reading.plan.model.layers)
            return file.fail(file.placeOf({"pipeline.stages"}), std::to_string(*stages),
                "at most the " + std::to_string(reading.plan.model.layers) + " layers");
        if (*stages != s.pp)
            makeStagesAlike(s);
        s.pp = *stages;
        if (s.pp == 1)
            s.vpp = 1;
    }
    if (const auto interval = file.number({"pipeline.activation_checkpoint_interval"}, 0)) {
        const auto otherwise =
            s.recompute == parallel::Recompute::Full ? parallel::Recompute::None : s.recompute; // not DeepSpeed's
        recomputeAll(s, *interval > 0 ? parallel::Recompute::Full : otherwise);
    }
    const bool moved = file.truth({"activation_checkpointing.cpu_checkpointing"}).value_or(false);
    if (moved && s.offload == parallel::Offload::None)
        s.offload = parallel::Offload::Activations;
    if (const auto tp = file.number({"tensor_parallel.autotp_size"}, 0); tp && *tp > 0)
        s.tp = *tp;
    if (const auto cp = file.number({"sequence_parallel_size"})) {
        s.cp = *cp;
        s.contextMethod = parallel::ContextMethod::Ulysses;
    }
}

/// train_batch_size = micro-batch x accumulation x DP: what one of them is follows from the others.
void readBatchOf(Reading& reading)
{
    Statements& file = reading.file;
    plan::Plan& plan = reading.plan;
    const auto batch = batchPart(file, "train_batch_size");
    const auto micro = batchPart(file, "train_micro_batch_size_per_gpu");
    const auto accumulated = batchPart(file, "gradient_accumulation_steps");
    plan.strategy.microBatch = micro.value_or(plan.strategy.microBatch);
    if (!micro)
        file.note("train_micro_batch_size_per_gpu", std::to_string(plan.strategy.microBatch));
    const std::int64_t each = std::int64_t{plan.strategy.microBatch} * accumulated.value_or(1);
    if (batch && micro && accumulated) {
        if (*batch % each != 0)
            return file.fail(file.placeOf({"train_batch_size"}), std::to_string(*batch),
                "a multiple of train_micro_batch_size_per_gpu " + std::to_string(*micro)
                    + " x gradient_accumulation_steps " + std::to_string(*accumulated) + " = " + std::to_string(each));
        plan.strategy.dp = int(*batch / each);
        reading.statesDp = true;
    }
    reading.statesBatch = batch.has_value() || !micro;
    if (batch)
        plan.training.globalBatch = *batch;
    else if (accumulated && micro) {
        constexpr std::int64_t kMost = 1'000'000'000;
        const std::int64_t all = std::min(each, kMost) * std::max(1, plan.strategy.dp);
        plan.training.globalBatch = int(std::min(all, kMost));
        reading.statesBatch = true;
        reading.statesDp = reading.options.base && reading.options.nodes == 0;
        file.note("train_batch_size", std::to_string(plan.training.globalBatch));
    }
}

void readOptimizerOf(Reading& reading)
{
    Statements& file = reading.file;
    std::string word = file.word({"optimizer.type"});
    std::transform(
        word.begin(), word.end(), word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    if (word.empty())
        return;
    const bool adam = word == "adam" || word == "adamw" || word == "fusedadam";
    const auto known = plan::optimizerFromKey(adam ? "adam" : word);
    if (!known)
        file.warn(
            file.placeOf({"optimizer.type"}), catalog::quoteText(word), "Adam, AdamW, SGD or Muon; Adam is taken");
    reading.plan.training.optimizer = known.value_or(plan::Optimizer::Adam);
}

/// Without a plan behind it: the largest of a few models that the strategy has room for.
void assumeModel(Reading& reading)
{
    constexpr std::array models{"llama3-70b", "llama3-8b", "llama3-3b", "llama3-1b", "gpt2-small"};
    plan::Plan& plan = reading.plan;
    for (const char* id : models) {
        const catalog::ModelPreset* const preset = reading.catalog.model(id);
        if (!preset)
            continue;
        plan.model = preset->model;
        plan.training.sequenceLength = std::min(preset->sequenceLength, 4096);
        const auto answer = estimate::estimate(plan, {.remedies = false, .catalog = &reading.catalog});
        if (answer && answer->fits)
            break;
    }
    reading.file.note("model", plan.model.name);
    reading.file.note("recompute", std::string(key(plan.strategy.recompute)));
    reading.file.note("sequence length", std::to_string(plan.training.sequenceLength));
}

} // namespace

void readDeepSpeed(Reading& reading)
{
    Statements& file = reading.file;
    beginPlan(reading, "deepspeed");
    parallel::Strategy& s = reading.plan.strategy;
    if (reading.options.base && reading.options.companion.empty())
        for (const auto& [name, value] : {std::pair("model", reading.plan.model.name), {"tp", std::to_string(s.tp)},
                 {"pp", std::to_string(s.pp)}, {"cp", std::to_string(s.cp)}})
            file.note(name, value);
    if (!reading.options.base) {
        s.recompute = parallel::Recompute::Full;
        reading.plan.model = reading.catalog.models.front().model;
        if (const catalog::ModelPreset* small = reading.catalog.model("llama3-8b"))
            reading.plan.model = small->model;
    }
    readZero(reading);
    readCheckpointing(reading);
    readPrecisionOf(reading);
    readOptimizerOf(reading);
    readBatchOf(reading);
    if (!file.errors().empty())
        return;
    settleCluster(reading);
    if (!reading.options.base && file.errors().empty())
        assumeModel(reading);
}

} // namespace stratoplan::exchange::launchfile
