// SPDX-License-Identifier: Apache-2.0
// The configuration of torchtitan, with the defaults of its parser.
#include "core/exchange/launch_reading.h"

#include "core/catalog/quote.h"
#include "core/launch/flag_table.h"
#include "core/units/named.h"

#include <algorithm>
#include <limits>

namespace stratoplan::exchange::launchfile {
namespace {

using parallel::Schedule;

constexpr NameTable<Schedule, 7> kTitanSchedules{{{Schedule::GPipe, "GPipe"}, {Schedule::OneFOneB, "1F1B"},
    {Schedule::Interleaved, "Interleaved1F1B"}, {Schedule::BreadthFirst, "LoopedBFS"}, {Schedule::ZbV, "ZBVZeroBubble"},
    {Schedule::DualPipeV, "DualPipeV"}, {Schedule::Interleaved, "InterleavedZeroBubble"}}};

bool isFolded(Schedule schedule)
{
    return schedule == Schedule::ZbV || schedule == Schedule::DualPipeV;
}

/// The model that torchtitan ships by name and flavor.
void readFlavor(Reading& reading)
{
    Statements& file = reading.file;
    const Statement* const flavor = file.find({"model.flavor"});
    const std::string name = file.word({"model.name"}), size = file.word({"model.flavor"});
    std::string known;
    for (const launch::Flavor& candidate : launch::shippedTable("torchtitan").flavors) {
        known += (known.empty() ? "" : ", ") + candidate.model + ' ' + candidate.name;
        const catalog::ModelPreset* const preset = reading.catalog.model(candidate.preset);
        if (candidate.model != name || candidate.name != size || !preset)
            continue;
        reading.plan.model = preset->model;
        if (!file.look({"training.seq_len"}))
            file.note("seq_len", "2048");
        return;
    }
    if (reading.options.base)
        return file.note("model", reading.plan.model.name);
    file.fail(flavor ? placeOf(*flavor) : "model.flavor", catalog::quoteText(name + ' ' + size),
        "one of " + known + "; or --plan with a plan that has the model");
}

bool holds(Statements& file, std::string_view name, std::string_view part)
{
    const Statement* const list = file.find({name});
    return list && std::any_of(list->values.begin(), list->values.end(), [&](const std::string& value) {
        return value.find(part) != std::string::npos;
    });
}

void readNumbers(Reading& reading)
{
    Statements& file = reading.file;
    plan::Training& t = reading.plan.training;
    const bool wide = file.word({"training.mixed_precision_param"}) == "float32";
    const bool fp8 = holds(file, "model.converters", "float8"), mx = holds(file, "model.converters", "linear.mx");
    t.precision = fp8 ? model::Precision::Fp8
        : mx          ? model::Precision::Mxfp8
        : wide        ? model::Precision::Fp32
                      : model::Precision::Bf16;
    file.find({"quantize.linear.mx.recipe_name"});
    t.narrowGather = fp8
        && file.truth({"quantize.linear.float8.enable_fsdp_float8_all_gather", "float8.enable_fsdp_float8_all_gather"})
               .value_or(false);
    t.narrowReduction = file.word({"training.mixed_precision_reduce"}) == "bfloat16";
    if (const Statement* type = file.find({"training.dtype"});
        type && type->values == std::vector<std::string>{"bfloat16"})
        file.warn(*type, "weights and moments in 16 bits",
            "float32; the estimate has them in 32 bits, which takes more memory");
    const std::string optimizer = file.word({"optimizer.name"});
    if (!optimizer.empty() && optimizer != "Adam" && optimizer != "AdamW")
        file.warn(file.placeOf({"optimizer.name"}), catalog::quoteText(optimizer), "Adam or AdamW; AdamW is taken");
    t.optimizer = plan::Optimizer::Adam;
    t.attention = plan::AttentionKernel::Flash;
}

/// A degree; -1 is all that is left, 0 here.
int degree(Statements& file, std::string_view name, int rule)
{
    const Statement* const statement = file.look({name});
    if (!statement)
        return rule;
    const int value = file.number({name}, -1).value_or(1);
    if (value == 0)
        file.fail(*statement, "at least 1, or -1 for all that is left");
    return std::max(value, 0);
}

void readDegreesOf(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    s.tp = file.number({"parallelism.tensor_parallel_degree"}).value_or(1);
    s.pp = file.number({"parallelism.pipeline_parallel_degree"}).value_or(1);
    s.cp = file.number({"parallelism.context_parallel_degree"}).value_or(1);
    s.ep = file.number({"parallelism.expert_parallel_degree"}).value_or(1);
    s.etp = file.number({"parallelism.expert_tensor_parallel_degree"}).value_or(1);
    const bool experts = layerCounts(reading.plan.model).moe > 0;
    if (s.ep > 1 && !experts)
        file.warn(file.placeOf({"parallelism.expert_parallel_degree"}), std::to_string(s.ep) + " without experts",
            "a model with experts; EP 1 is taken");
    if (!experts)
        s.ep = s.etp = 1;
    s.sequenceParallel = s.tp > 1;
    const bool ring = file.word({"parallelism.context_parallel_rotate_method"}) == "alltoall";
    s.contextMethod = ring && s.cp > 1 ? parallel::ContextMethod::Ring : parallel::ContextMethod::AllGather;
    if (s.cp == 1 && !reading.plan.model.dsa)
        s.contextMethod = parallel::ContextMethod::Ring;
    const model::Transformer& m = reading.plan.model;
    if (m.heads % s.tp != 0)
        file.fail(file.placeOf({"parallelism.tensor_parallel_degree"}), "TP " + std::to_string(s.tp),
            "a divisor of the " + std::to_string(m.heads) + " heads");
    if (s.pp > m.layers)
        file.fail(file.placeOf({"parallelism.pipeline_parallel_degree"}), "PP " + std::to_string(s.pp),
            "at most the " + std::to_string(m.layers) + " layers");
}

/// FSDP over the inner replicas, copies over the outer ones.
void readDataDegrees(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const int replicate = degree(file, "parallelism.data_parallel_replicate_degree", 1);
    int shard = degree(file, "parallelism.data_parallel_shard_degree", 0);
    const double inner = double(s.tp) * s.pp * s.cp * std::max(1, replicate);
    if (!hasRoom(file, inner))
        return;
    const auto others = std::int64_t(inner);
    const bool isOpen = shard == 0 || replicate == 0;
    if (isOpen) {
        const auto& options = reading.options;
        const int each = options.node ? options.node->node.acceleratorsPerNode : 8;
        const std::int64_t ranks = std::int64_t{each} * std::max(1, options.nodes);
        const std::int64_t all =
            options.base && options.nodes == 0 ? acceleratorCount(options.base->cluster) : std::max(ranks, others);
        shard = int(std::clamp<std::int64_t>(all / others, 1, std::numeric_limits<int>::max()));
    }
    if (std::int64_t{shard} * std::max(1, replicate) > 1'000'000)
        return file.fail(
            file.placeOf({"parallelism.data_parallel_shard_degree", "parallelism.data_parallel_replicate_degree"}),
            std::to_string(shard), "at most a million replicas");
    if (!hasRoom(file, inner * shard))
        return;
    s.dp = shard * std::max(1, replicate);
    const bool isFree = isOpen && !reading.options.base && reading.options.nodes == 0;
    reading.statesDp = !isFree || replicate != 1; // else as many as hold what a step needs
    if (isOpen && reading.statesDp)
        file.note("data_parallel_shard_degree", std::to_string(shard));
    const std::string word = file.word({"parallelism.fsdp_reshard_after_forward"});
    const bool always = word == "always" || (word != "never" && s.pp == 1);
    s.zeroStage = shard * s.cp == 1 && reading.statesDp ? 0 : always ? 3 : 2;
    s.zeroShards = s.zeroStage > 0 && replicate > 1 ? shard * s.cp : 0;
}

void readParts(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const Statement* const list = file.find({"parallelism.module_fqns_per_model_part"});
    if (!list || list->values.empty()) {
        if (const auto each = file.number({"parallelism.pipeline_parallel_layers_per_stage"})) {
            const std::int64_t round = std::int64_t{*each} * s.pp;
            s.vpp = int((reading.plan.model.layers + round - 1) / round);
        } else if (s.schedule == Schedule::Interleaved || s.schedule == Schedule::BreadthFirst)
            s.vpp = 2;
        return;
    }
    std::vector<int> parts{0};
    for (const std::string& value : list->values) {
        if (value == kListEnd)
            parts.push_back(0);
        else
            parts.back() += value.starts_with("layers.") ? 1 : 0;
    }
    parts.pop_back();
    if (parts.empty() || parts.size() % std::size_t(s.pp) != 0)
        return file.fail(*list, std::to_string(parts.size()) + " parts", "a multiple of PP " + std::to_string(s.pp));
    const bool folded = isFolded(s.schedule);
    s.vpp = folded ? 1 : int(parts.size()) / s.pp;
    setStageLayers(reading, parts, *list, folded);
}

void readPipelineOf(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    if (s.pp == 1)
        return;
    const Statement* const stated = file.find({"parallelism.pipeline_parallel_schedule"});
    const std::string word = stated ? file.word({stated->name}) : "1F1B";
    const auto schedule = valueIn(kTitanSchedules, word);
    if (!schedule)
        return file.fail(*stated, "1F1B, Interleaved1F1B, GPipe, LoopedBFS, ZBVZeroBubble or DualPipeV");
    if (word == "InterleavedZeroBubble")
        file.warn(*stated, word, "Interleaved1F1B, which is taken");
    s.schedule = *schedule;
    readParts(reading);
}

void readCheckpointingOf(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const Statement* const stated = file.find({"activation_checkpoint.mode"});
    const std::string mode = stated ? file.word({"activation_checkpoint.mode"}) : "selective";
    if (!stated)
        file.note("activation_checkpoint.mode", mode);
    const auto full = parallel::Recompute::Full;
    s.recompute = mode == "full" ? full : mode == "none" ? parallel::Recompute::None : parallel::Recompute::Selective;
    if (stated && mode != "full" && mode != "none" && mode != "selective")
        file.warn(*stated, catalog::quoteText(mode), "full, selective or none; selective is taken");
    if (mode != "selective")
        return;
    const std::string option = file.word({"activation_checkpoint.selective_ac_option"});
    if (option.empty() || option == "op") {
        reading.plan.training.software.selectiveRecompute = plan::SelectiveRecompute::EveryOtherProduct;
        return;
    }
    const int every = file.number({"activation_checkpoint.selective_ac_option"}).value_or(1);
    s.recompute = full; // of every so manieth layer
    if (every > 1)
        for (const int layers : stageLayers(s, reading.plan.model.layers))
            s.recomputedLayers.push_back((layers + every - 1) / every);
}

void readBatchOfTitan(Reading& reading)
{
    Statements& file = reading.file;
    plan::Plan& plan = reading.plan;
    parallel::Strategy& s = plan.strategy;
    const int local = file.number({"training.local_batch_size", "training.batch_size"}).value_or(8);
    if (!file.look({"training.local_batch_size", "training.batch_size"}))
        file.note("local_batch_size", "8");
    const int micro = file.number({"parallelism.pipeline_parallel_microbatch_size"}).value_or(1);
    s.microBatch = s.pp > 1 ? micro : local;
    if (s.pp > 1 && local % micro != 0)
        file.fail(file.placeOf({"parallelism.pipeline_parallel_microbatch_size"}), std::to_string(micro),
            "a divisor of local_batch_size " + std::to_string(local));
    const Statement* const global = file.look({"training.global_batch_size"});
    const int stated = global ? file.number({"training.global_batch_size"}, -1).value_or(-1) : -1;
    plan.training.sequenceLength = file.number({"training.seq_len"}).value_or(2048);
    if (!reading.statesDp) {
        reading.statesBatch = stated > 0;
        reading.sequencesEach = local;
        plan.training.globalBatch = std::max(stated, 1);
        return;
    }
    const std::int64_t all = std::int64_t{local} * s.dp;
    if (stated > 0 && stated % all != 0)
        return file.fail(*global, "a global batch of " + std::to_string(stated),
            "a multiple of local_batch_size " + std::to_string(local) + " x DP " + std::to_string(s.dp) + " = "
                + std::to_string(all));
    plan.training.globalBatch = stated > 0 ? stated : int(std::min<std::int64_t>(all, 1'000'000'000));
    if (s.pp > 1 && stated > all)
        file.warn(*global, std::to_string(stated / all) + " pipelines of micro-batches a step",
            "local_batch_size of " + std::to_string(stated / s.dp) + "; one after another is taken as one");
}

} // namespace

void readTorchTitan(Reading& reading)
{
    Statements& file = reading.file;
    beginPlan(reading,
        file.look({"parallelism.enable_async_tensor_parallel"})
                && file.truth({"parallelism.enable_async_tensor_parallel"}).value_or(false)
            ? "torchtitan-async-tp"
            : "torchtitan");
    reading.plan.strategy = {};
    readFlavor(reading);
    if (!file.errors().empty())
        return;
    readNumbers(reading);
    readDegreesOf(reading);
    if (!file.errors().empty())
        return;
    readDataDegrees(reading);
    readPipelineOf(reading);
    if (!file.errors().empty())
        return;
    readCheckpointingOf(reading);
    readBatchOfTitan(reading);
    if (file.truth({"training.enable_cpu_offload"}).value_or(false)) {
        reading.plan.strategy.offload = parallel::Offload::Optimizer;
        file.warn(file.placeOf({"training.enable_cpu_offload"}), "parameters, gradients and optimizer on the host",
            "false; the optimizer alone is taken to be there");
    }
    if (file.errors().empty())
        settleCluster(reading);
    parallel::Strategy& s = reading.plan.strategy;
    if (std::int64_t{s.dp} * s.cp == 1)
        s.zeroStage = s.zeroShards = 0;
}

} // namespace stratoplan::exchange::launchfile
