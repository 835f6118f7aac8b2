// SPDX-License-Identifier: Apache-2.0
// How arguments of Megatron-LM, Megatron-DeepSpeed and MindSpeed divide and run a training.
#include "core/exchange/launch_reading.h"

#include "core/catalog/quote.h"

#include <algorithm>
#include <utility>

namespace stratoplan::exchange::launchfile {
namespace {

using parallel::Schedule;

/// The stack whose constants are the usual ones of such arguments.
const char* stackOfArguments(const Reading& reading)
{
    const Statements& file = reading.file;
    if (file.look({"--deepspeed", "--zero-stage", "--ds-sequence-parallel-size"}))
        return "megatron-deepspeed";
    if (reading.isAscend
        || file.look({"--context-parallel-algo", "--swap-attention", "--swap-optimizer", "--reuse-fp32-param",
            "--use-fused-rmsnorm"}))
        return "mindspeed";
    return file.look({"--num-experts"}) ? "megatron-core-2024-moe" : "megatron-core-2024";
}

void readDegrees(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    s.tp = file.number({"--tensor-model-parallel-size", "--model-parallel-size"}).value_or(1);
    s.pp = file.number({"--pipeline-model-parallel-size"}).value_or(1);
    if (file.truth({"--no-pipeline-parallel"}).value_or(false))
        s.pp = 1;
    const auto ulysses = file.number({"--ds-sequence-parallel-size"});
    s.cp = ulysses.value_or(file.number({"--context-parallel-size"}).value_or(1));
    const bool experts = layerCounts(reading.plan.model).moe > 0;
    s.ep = file.number({"--expert-model-parallel-size", "--moe-expert-parallel-size"}).value_or(1);
    const bool isDeepSpeed = std::string_view(stackOfArguments(reading)) == "megatron-deepspeed";
    const bool divides = file.truth({"--enable-expert-tensor-parallelism"}).value_or(!isDeepSpeed);
    s.etp = file.number({"--expert-tensor-parallel-size"}).value_or(experts && divides ? s.tp : 1);
    if (s.ep > 1 && !experts)
        file.warn(file.placeOf({"--expert-model-parallel-size", "--moe-expert-parallel-size"}),
            std::to_string(s.ep) + " without experts", "--num-experts; EP 1 is taken");
    if (!experts)
        s.ep = s.etp = 1;
    if (file.truth({"--use-tp-pp-dp-mapping"}).value_or(false))
        s.rankOrder = {
            parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Pp, parallel::Axis::Dp};
    if (!file.truth({"--sequence-parallel"}).value_or(false))
        return;
    s.sequenceParallel = s.tp > 1;
    if (s.tp == 1)
        file.warn(file.placeOf({"--sequence-parallel"}), "sequence parallelism with TP 1",
            "--tensor-model-parallel-size of at least 2; it is left out, as Megatron-LM does");
}

void readContext(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const std::string words =
        file.word({"--cp-comm-type"}) + file.word({"--context-parallel-algo"}) + (s.cp > 1 ? "" : " ");
    const bool exchanges = words.find("a2a") != std::string::npos || words.find("ulysses") != std::string::npos
        || file.look({"--ds-sequence-parallel-size"});
    const bool gathers = words.find("gather") != std::string::npos;
    s.contextMethod = gathers ? parallel::ContextMethod::AllGather
        : exchanges           ? parallel::ContextMethod::Ulysses
                              : parallel::ContextMethod::Ring;
    if (reading.plan.model.dsa && s.cp == 1)
        s.contextMethod = parallel::ContextMethod::AllGather;
    if (words.find("p2p") != std::string::npos && words.find("a2a") != std::string::npos)
        file.warn(
            file.placeOf({"--cp-comm-type"}), catalog::quoteText(words), "one method; a2a is taken for all of CP");
}

/// Megatron's assertions on heads and layers, by the argument that breaks them.
void checkDegrees(Reading& reading)
{
    Statements& file = reading.file;
    const parallel::Strategy& s = reading.plan.strategy;
    const model::Transformer& m = reading.plan.model;
    const Statement* const tensor = file.look({"--tensor-model-parallel-size", "--model-parallel-size"});
    if (tensor && m.heads % s.tp != 0)
        file.fail(*tensor, "TP " + std::to_string(s.tp), "a divisor of the " + std::to_string(m.heads) + " heads");
    else if (tensor && !m.mla && m.kvHeads > 0 && m.kvHeads % s.tp != 0 && s.tp % m.kvHeads != 0)
        file.fail(*tensor, "TP " + std::to_string(s.tp),
            "a divisor or a multiple of the " + std::to_string(m.kvHeads) + " query groups");
    const Statement* const pipeline = file.look({"--pipeline-model-parallel-size"});
    if (pipeline && s.pp > m.layers)
        file.fail(*pipeline, "PP " + std::to_string(s.pp), "at most the " + std::to_string(m.layers) + " layers");
    const Statement* const expert = file.look({"--expert-model-parallel-size", "--moe-expert-parallel-size"});
    if (expert && m.moe && m.moe->experts % s.ep != 0)
        file.fail(
            *expert, "EP " + std::to_string(s.ep), "a divisor of the " + std::to_string(m.moe->experts) + " experts");
}

void readChunks(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const Statement* const each = file.look({"--num-layers-per-virtual-pipeline-stage"});
    const auto layers = file.number({"--num-layers-per-virtual-pipeline-stage"});
    const auto chunks = file.number({"--num-virtual-stages-per-pipeline-rank"});
    s.vpp = layers ? 1 : chunks.value_or(1);
    if (layers) {
        const int perStage = reading.plan.model.layers / s.pp;
        if (reading.plan.model.layers % s.pp != 0 || perStage % *layers != 0)
            return file.fail(*each, std::to_string(*layers) + " layers in each chunk",
                "a divisor of the " + std::to_string(perStage) + " layers of a stage ("
                    + std::to_string(reading.plan.model.layers) + " layers / PP " + std::to_string(s.pp) + ')');
        s.vpp = perStage / *layers;
    }
    if (s.pp == 1 && s.vpp > 1) {
        file.warn(each ? *each : *file.look({"--num-virtual-stages-per-pipeline-rank"}),
            std::to_string(s.vpp) + " chunks without a pipeline", "--pipeline-model-parallel-size of at least 2");
        s.vpp = 1;
    }
    const int most = (reading.plan.model.layers + 2) / s.pp; // the embedding and the loss may count as layers
    if (s.vpp > most) {
        file.fail(*file.look({"--num-virtual-stages-per-pipeline-rank"}),
            std::to_string(std::exchange(s.vpp, 1)) + " chunks",
            "at most the " + std::to_string(most) + " layers of a stage");
        return;
    }
    s.schedule = s.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
}

/// Fewer layers on the first and the last stage; MindSpeed's DualPipe-V.
void readUnevenStages(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const int layers = reading.plan.model.layers;
    const Statement* const first = file.look({"--decoder-first-pipeline-num-layers"});
    const Statement* const last = file.look({"--decoder-last-pipeline-num-layers"});
    const int ahead = file.number({"--decoder-first-pipeline-num-layers"}, 0).value_or(-1);
    const int behind = file.number({"--decoder-last-pipeline-num-layers"}, 0).value_or(-1);
    const bool embedding = file.truth({"--account-for-embedding-in-pipeline-split"}).value_or(false);
    const bool loss = file.truth({"--account-for-loss-in-pipeline-split"}).value_or(false);
    if (s.pp == 1 || (!first && !last && !embedding && !loss))
        return;
    std::vector<int> stages(std::size_t(s.pp), 0);
    const int ends = (first ? 1 : 0) + (last ? 1 : 0);
    int rest = layers - (first ? ahead : 0) - (last ? behind : 0) + (embedding ? 1 : 0) + (loss ? 1 : 0);
    const int middle = s.pp - ends;
    const Statement& named = first ? *first
        : last                     ? *last
               : *file.look({"--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"});
    if (rest < 0 || (middle > 0 ? rest % middle != 0 : rest != 0))
        return file.fail(named, std::to_string(rest) + " layers for " + std::to_string(middle) + " other stages",
            "so many that each has as many");
    for (int& stage : stages)
        stage = middle > 0 ? rest / middle : 0;
    if (first)
        stages.front() = ahead;
    if (last)
        stages.back() = behind;
    stages.front() -= embedding ? 1 : 0;
    stages.back() -= loss ? 1 : 0;
    if (std::min(stages.front(), stages.back()) < 0)
        return file.fail(named, "a stage of -1 layers", "a layer or more beside the embedding or the loss");
    setStageLayers(reading, stages, named, false);
}

void readPipeline(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    readChunks(reading);
    const Statement* const layout = file.find({"--pipeline-model-parallel-layout"});
    const bool folded = s.pp > 1 && file.word({"--schedules-method"}) == "dualpipev";
    if (folded) {
        s.schedule = Schedule::DualPipeV;
        s.vpp = 1;
    }
    if (!layout)
        return readUnevenStages(reading);
    const auto parts = partsOfLayout(file.word({"--pipeline-model-parallel-layout"}));
    if (!parts)
        return file.fail(*layout, "a layout such as Ett|ttt|ttL, with | between the stages");
    if (parts->size() % std::size_t(s.pp) != 0)
        return file.fail(*layout, std::to_string(parts->size()) + " parts", "a multiple of PP " + std::to_string(s.pp));
    if (!folded) {
        s.vpp = int(parts->size()) / s.pp;
        s.schedule = s.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
    }
    setStageLayers(reading, *parts, *layout, folded);
}

void readSharding(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const std::string sharding = file.word({"--data-parallel-sharding-strategy"});
    const bool fsdp = file.truth({"--use-megatron-fsdp", "--use-custom-fsdp"}).value_or(false);
    const bool torch = file.truth({"--use-torch-fsdp2"}).value_or(false);
    const bool shared = file.truth({"--use-distributed-optimizer", "--reuse-fp32-param"}).value_or(false);
    s.zeroStage = shared ? 1 : 0;
    if (const auto stage = file.number({"--zero-stage"}, 0))
        s.zeroStage = std::min(*stage, 3);
    else if (torch)
        s.zeroStage = 3;
    else if (fsdp)
        s.zeroStage = sharding == "optim_grads_params" ? 3
            : sharding == "optim_grads"                ? 2
            : sharding == "optim"                      ? 1
                                                       : 0;
    if (s.zeroStage >= 2)
        file.find({"--ckpt-format"}); // goes with the sharding
}

void readInstances(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const auto instances = file.number({"--num-distributed-optimizer-instances"});
    if (!instances || *instances == 1 || s.zeroStage == 0)
        return;
    const int replicas = s.dp * s.cp;
    if (replicas % *instances != 0)
        return file.fail(file.placeOf({"--num-distributed-optimizer-instances"}),
            std::to_string(*instances) + " instances", "a divisor of DP x CP = " + std::to_string(replicas));
    s.zeroShards = replicas / *instances;
}

/// The first so many layers of every chunk.
void readBlock(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const auto count = file.number({"--recompute-num-layers", "--checkpoint-num-layers"}, 0);
    if (file.word({"--recompute-method", "--activations-checkpoint-method"}) != "block" || !count)
        return;
    std::vector<int> recomputed;
    bool all = true;
    for (int stage = 0; stage < s.pp; ++stage) {
        recomputed.push_back(0);
        for (const int layers : chunkLayers(s, reading.plan.model.layers, stage)) {
            recomputed.back() += std::min(*count, layers);
            all = all && *count >= layers;
        }
    }
    if (!all)
        s.recomputedLayers = std::move(recomputed);
}

void readRecompute(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const Statement* const stated = file.find({"--recompute-granularity", "--checkpoint-activations-granularity"});
    const std::string granularity = stated && !stated->values.empty() ? stated->values.front() : std::string();
    const bool activations = file.truth({"--recompute-activations"}).value_or(false);
    const bool old = file.truth({"--checkpoint-activations"}).value_or(false);
    if (stated && granularity != "full" && granularity != "selective")
        file.fail(*stated, "full or selective");
    const bool full = granularity == "full" || old;
    const bool selective = !full && (granularity == "selective" || activations);
    s.recompute = full ? parallel::Recompute::Full
        : selective    ? parallel::Recompute::Selective
                       : parallel::Recompute::None;
    if (full)
        return readBlock(reading);
    if (!selective)
        return;
    const std::string modules = file.word({"--recompute-modules"});
    const bool norms = modules.find("layernorm") != std::string::npos || modules.find("moe_act") != std::string::npos
        || modules.find("mla_up_proj") != std::string::npos;
    reading.plan.training.software.selectiveRecompute =
        norms ? plan::SelectiveRecompute::Modules : plan::SelectiveRecompute::AttentionCore;
    for (const char* whole : {"mlp", "moe ", "shared_experts"})
        if ((modules + ' ').find(whole) != std::string::npos)
            file.warn(file.placeOf({"--recompute-modules"}), catalog::quoteText(modules),
                "layernorm, moe_act, mla_up_proj or core_attn; more is recomputed than the estimate has");
}

void readOffload(Reading& reading)
{
    Statements& file = reading.file;
    parallel::Strategy& s = reading.plan.strategy;
    const bool optimizer =
        file.truth({"--optimizer-cpu-offload", "--cpu-optimizer", "--swap-optimizer"}).value_or(false);
    const bool activations = file.truth({"--fine-grained-activation-offloading", "--swap-attention"}).value_or(false);
    const auto layers = file.number({"--cpu-offloading-num-layers"}, 0);
    if (optimizer && (activations || layers.value_or(0) > 0))
        file.warn("--optimizer-cpu-offload", "offload of the optimizer and of activations",
            "one of both; that of the optimizer is taken");
    s.offload = optimizer                       ? parallel::Offload::Optimizer
        : activations || layers.value_or(0) > 0 ? parallel::Offload::Activations
                                                : parallel::Offload::None;
    if (activations)
        file.find({"--offload-modules"});
    if (optimizer)
        if (const auto share = file.real({"--optimizer-offload-fraction"}); share && *share < 1)
            file.warn(file.placeOf({"--optimizer-offload-fraction"}), "a part of the optimizer",
                "1; all of it is taken to be moved");
    if (s.offload == parallel::Offload::Activations && layers.value_or(0) > 0 && *layers < reading.plan.model.layers)
        file.warn(file.placeOf({"--cpu-offloading-num-layers"}), std::to_string(*layers) + " layers",
            "all layers; activations of all are taken to be moved");
}

void readPrecision(Reading& reading)
{
    Statements& file = reading.file;
    plan::Training& t = reading.plan.training;
    const bool bf16 = file.truth({"--bf16"}).value_or(false), fp16 = file.truth({"--fp16"}).value_or(false);
    if (bf16 && fp16)
        file.fail(file.placeOf({"--fp16"}), "both --bf16 and --fp16", "one of them");
    t.precision = bf16 ? model::Precision::Bf16 : fp16 ? model::Precision::Fp16 : model::Precision::Fp32;
    const bool fp8 = file.has({"--fp8-format", "--fp8"}) || file.truth({"--fp8-hybrid"}).value_or(false)
        || file.truth({"--fp8-e4m3"}).value_or(false);
    const std::string recipe = file.word({"--fp8-recipe"});
    if (file.has({"--fp4-format", "--fp4"})) {
        file.find({"--fp4-recipe"});
        t.precision = model::Precision::Nvfp4;
    } else if (fp8) {
        t.precision = recipe == "mxfp8" ? model::Precision::Mxfp8 : model::Precision::Fp8;
        t.software.currentScaling = recipe == "tensorwise" || recipe == "blockwise";
    }
    if (recipe == "blockwise")
        file.warn(file.placeOf({"--fp8-recipe"}), "scales by block", "tensorwise, which is taken");
    t.narrowGather = file.truth({"--fp8-param-gather", "--fp8-param"}).value_or(false);
    const bool narrow = file.truth({"--grad-reduce-in-bf16"}).value_or(false);
    const bool wide = file.truth({"--accumulate-allreduce-grads-in-fp32"}).value_or(false);
    const bool patterns = file.has({"--ddp-param-name-patterns-for-fp32-local-accumulation"});
    t.narrowReduction = narrow;
    t.fp32Gradients = wide || t.precision == model::Precision::Fp32 || (narrow ? patterns : !fp16);
}

void readOptimizer(Reading& reading)
{
    Statements& file = reading.file;
    plan::Training& t = reading.plan.training;
    const std::string word = file.word({"--optimizer"});
    const auto known = plan::optimizerFromKey(word == "dist_muon" ? "muon" : word.empty() ? "adam" : word);
    if (!known)
        file.warn(file.placeOf({"--optimizer"}), catalog::quoteText(word), "adam, sgd or muon; adam is taken");
    t.optimizer = known.value_or(plan::Optimizer::Adam);
    if (!file.truth({"--use-precision-aware-optimizer"}).value_or(false) || t.optimizer != plan::Optimizer::Adam)
        return;
    const std::string first = file.word({"--exp-avg-dtype"}), second = file.word({"--exp-avg-sq-dtype"});
    if (first == "fp8" && second == "fp8")
        t.optimizer = plan::Optimizer::Adam8Bit;
    else if ((first == "bf16" || first == "fp16") && first == second)
        t.software.optimizerStateBytes = plan::kMasterBytes + 4;
}

void readAttentionKernel(Reading& reading)
{
    Statements& file = reading.file;
    const std::string backend = file.word({"--attention-backend"});
    const bool flash = file.truth({"--use-flash-attn", "--use-flash-attn-v2"}).value_or(false);
    const bool isKin = !std::string_view(stackOfArguments(reading)).starts_with("megatron-core"); // unfused by itself
    const bool local = (isKin || file.word({"--transformer-impl"}) == "local") && !flash && backend.empty();
    const bool unfused = backend == "unfused" || backend == "local" || local;
    reading.plan.training.attention = unfused ? plan::AttentionKernel::Unfused : plan::AttentionKernel::Flash;
    if (!unfused && file.truth({"--fp8-dot-product-attention"}).value_or(false))
        reading.plan.training.attention = plan::AttentionKernel::FlashFp8;
    if (backend.empty() && !flash && !local)
        file.note("attention-backend", "flash");
}

/// What does not overlap by a flag does not in the estimate; how well it does is the profile's.
void readOverlap(Reading& reading)
{
    Statements& file = reading.file;
    plan::SoftwareProfile& software = reading.plan.training.software;
    const parallel::Strategy& s = reading.plan.strategy;
    const bool gradients = file.truth({"--overlap-grad-reduce"}).value_or(false);
    file.truth({"--overlap-param-gather"});
    const bool tensor = file.truth({"--tp-comm-overlap"}).value_or(false);
    const bool experts = file.truth({"--overlap-moe-expert-parallel-comm"}).value_or(false);
    const bool shared = file.truth({"--moe-shared-expert-overlap"}).value_or(false);
    const bool once =
        file.word({"--moe-flex-dispatcher-backend"}) == "deepep" || file.truth({"--moe-enable-deepep"}).value_or(false);
    file.find({"--moe-token-dispatcher-type"});
    const bool alone = reading.options.base == nullptr;
    const auto drop = [&](double& share, bool is, bool matters, const char* name) {
        if (is || !matters || share == 0)
            return;
        share = 0;
        file.note(name, "off");
    };
    drop(software.dpOverlap, gradients, s.dp * s.cp > 1 && s.zeroStage < 2, "overlap-grad-reduce");
    drop(software.tpOverlap, tensor, s.tp > 1 && s.sequenceParallel, "tp-comm-overlap");
    drop(software.epOverlap, experts, s.ep > 1, "overlap-moe-expert-parallel-comm");
    drop(software.expertOverlap, shared, s.ep > 1, "moe-shared-expert-overlap");
    if (s.ep > 1 && (once || alone))
        software.dispatchOnce = once;
}

void readBatch(Reading& reading)
{
    Statements& file = reading.file;
    plan::Plan& plan = reading.plan;
    const auto micro = file.number({"--micro-batch-size", "--batch-size"});
    if (!micro)
        file.note("micro-batch-size", std::to_string(plan.strategy.microBatch));
    plan.strategy.microBatch = micro.value_or(plan.strategy.microBatch);
    const auto batch = file.number({"--global-batch-size"});
    reading.statesBatch = batch.has_value();
    plan.training.globalBatch = batch.value_or(plan.training.globalBatch);
}

} // namespace

void readMegatron(Reading& reading)
{
    Statements& file = reading.file;
    file.truth({"--deepspeed"});
    beginPlan(reading, stackOfArguments(reading));
    plan::Plan& plan = reading.plan;
    plan.strategy = {};
    const auto length = file.number({"--seq-length", "--encoder-seq-length"});
    if (!length && !reading.options.base)
        file.note("seq-length", std::to_string(plan.training.sequenceLength));
    plan.training.sequenceLength = length.value_or(plan.training.sequenceLength);
    readShape(reading);
    if (!file.errors().empty())
        return;
    readDegrees(reading);
    checkDegrees(reading);
    if (!file.errors().empty())
        return;
    readContext(reading);
    readPipeline(reading);
    readBatch(reading);
    readSharding(reading);
    readRecompute(reading);
    readOffload(reading);
    readPrecision(reading);
    readOptimizer(reading);
    readAttentionKernel(reading);
    if (!file.errors().empty())
        return;
    settleCluster(reading);
    readInstances(reading);
    readOverlap(reading);
}

} // namespace stratoplan::exchange::launchfile
