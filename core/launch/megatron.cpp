// SPDX-License-Identifier: Apache-2.0
// A plan as arguments of Megatron-LM (resources/launch/megatron-lm.json).
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

using catalog::FrameworkRule;
using plan::TargetFramework;

constexpr std::string_view kTensorParallel = "--tensor-model-parallel-size", kContextMethod = "--cp-comm-type",
                           kShared = "--use-distributed-optimizer",
                           kInstances = "--num-distributed-optimizer-instances",
                           kChunk = "--num-layers-per-virtual-pipeline-stage",
                           kLayout = "--pipeline-model-parallel-layout", kRecipe = "--fp8-recipe",
                           kTensorwise = "tensorwise";

/// Schedules but Megatron's run as 1F1B; breadth-first has chunks that it interleaves, too.
bool interleaves(const parallel::Strategy& s)
{
    const bool chunks = s.schedule == parallel::Schedule::Interleaved || s.schedule == parallel::Schedule::BreadthFirst;
    return s.pp > 1 && s.vpp > 1 && chunks;
}

/// Layers of each chunk in the order in which data passes them: "E" is the embedding, "t" a layer, "m" a prediction
/// module, "L" the loss.
std::string layoutOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const int chunks = interleaves(s) ? s.vpp : 1;
    std::string layout = "E";
    for (int chunk = 0; chunk < chunks; ++chunk)
        for (int stage = 0; stage < s.pp; ++stage) {
            const int layers = chunks > 1 ? chunkLayers(s, plan.model.layers, stage)[std::size_t(chunk)]
                                          : stageLayers(s, plan.model.layers)[std::size_t(stage)];
            layout += (chunk + stage > 0 ? "|" : "") + std::string(std::size_t(layers), 't');
        }
    return layout + std::string(std::size_t(plan.model.multiTokenPredictionDepth), 'm') + 'L';
}

bool isEven(const plan::Plan& plan)
{
    if (interleaves(plan.strategy))
        return evenChunk(plan) > 0;
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    return std::all_of(layers.begin(), layers.end(), [&](int n) { return n == layers.front(); });
}

void addPipeline(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    draft.number("--pipeline-model-parallel-size", s.pp);
    if (s.pp == 1 || plan.model.mamba2) // whose pattern of layers has the stages
        return;
    if (!isEven(plan))
        draft.text(kLayout, layoutOf(plan));
    else if (interleaves(s))
        draft.number(kChunk, evenChunk(plan));
}

/// The pipeline inside the replicas, and not the other way round.
bool putsPipelineInside(const plan::Plan& plan)
{
    return !isUsuallyOrdered(plan.strategy)
        && !breaks(plan, TargetFramework::MegatronCore, FrameworkRule::OrderOfRanks);
}

void addContext(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    draft.number("--context-parallel-size", s.cp);
    if (s.cp == 1)
        return;
    const bool refused = breaks(plan, TargetFramework::MegatronCore, FrameworkRule::ContextMethod)
        || breaks(plan, TargetFramework::MegatronCore, FrameworkRule::KvHeads);
    const bool gathers = refused || s.contextMethod == parallel::ContextMethod::AllGather;
    const bool exchanges = s.contextMethod == parallel::ContextMethod::Ulysses;
    draft.set(kContextMethod, Words{gathers ? "all_gather" : exchanges ? "a2a" : "p2p"});
}

void addDegrees(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    draft.number(kTensorParallel, s.tp);
    addPipeline(draft, plan);
    addContext(draft, plan);
    draft.number("--expert-model-parallel-size", hasExperts(plan) ? s.ep : 1);
    if (hasExperts(plan))
        draft.number("--expert-tensor-parallel-size", s.etp);
    const bool needs = breaks(plan, TargetFramework::MegatronCore, FrameworkRule::SequenceParallel);
    draft.flag("--sequence-parallel", s.tp > 1 && (s.sequenceParallel || needs));
    draft.flag("--use-tp-pp-dp-mapping", putsPipelineInside(plan));
}

/// As the plan has it: with a pipeline ZeRO-2 and 3 keep gradients and weights whole over the step.
void addSharding(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool shardsAll = s.pp == 1 && plan.training.optimizer != plan::Optimizer::Muon;
    const int stage = std::min(s.zeroStage, shardsAll ? 3 : 1);
    if (stage == 0)
        return;
    draft.flag(kShared);
    if (stage < s.zeroStage)
        draft.remark(
            s.pp > 1 ? Gap::NotOfPipelines : Gap::StatesAlone, std::to_string(s.zeroStage), std::string(kShared));
    if (stage > 1) {
        draft.flag("--use-megatron-fsdp");
        draft.text("--data-parallel-sharding-strategy", stage == 2 ? "optim_grads" : "optim_grads_params");
        draft.text("--ckpt-format", "fsdp_dtensor");
    }
    const bool refused = breaks(plan, TargetFramework::MegatronCore, FrameworkRule::ZeroShards);
    if (!refused && shards(s) < replicas(s))
        draft.number(kInstances, replicas(s) / shards(s));
}

/// Two matrices that are 8 bits wide all the same, or blocks; delayed scales do not go with parts that run again.
void addNarrow(Draft& draft, const plan::Plan& plan)
{
    const plan::Training& t = plan.training;
    if (t.precision == model::Precision::Nvfp4) {
        draft.text("--fp4-format", "e2m1");
        draft.text("--fp4-recipe", "nvfp4");
    } else if (t.precision == model::Precision::Mxfp8) {
        draft.text("--fp8-format", "e4m3");
        draft.text(kRecipe, "mxfp8");
    } else if (t.precision == model::Precision::Fp8) {
        const bool again = t.software.selectiveRecompute == plan::SelectiveRecompute::Modules
            && find(draft.settings, "--recompute-modules") != nullptr;
        draft.text("--fp8-format", "hybrid");
        draft.text(kRecipe, t.software.currentScaling || again ? kTensorwise : "delayed");
        if (again && !t.software.currentScaling)
            draft.remark(Gap::Fp8Recipe, "delayed", std::string(kRecipe) + ' ' + std::string(kTensorwise));
        const bool moved = find(draft.settings, "--optimizer-cpu-offload") != nullptr;
        const bool gathers = t.narrowGather && plan.strategy.zeroStage > 0;
        draft.flag("--fp8-param-gather", gathers && !(moved && textOf(draft.settings.back().value) != "delayed"));
        if (gathers && !find(draft.settings, "--fp8-param-gather"))
            draft.remark(Gap::NoSetting, "--fp8-param-gather");
    }
}

void addPrecision(Draft& draft, const plan::Plan& plan)
{
    const plan::Training& t = plan.training;
    const std::string_view storage = storageKey(t.precision);
    draft.flag("--bf16", storage == "bf16");
    addWideRemark(draft, t.precision);
    draft.flag("--fp16", storage == "fp16");
    addNarrow(draft, plan);
    const bool narrow = storage == "bf16" && reductionBytes(t) == 2;
    draft.flag("--grad-reduce-in-bf16", narrow);
    if (narrow && t.fp32Gradients)
        draft.set("--ddp-param-name-patterns-for-fp32-local-accumulation", Words{"all"});
    draft.flag("--accumulate-allreduce-grads-in-fp32", storage != "fp32" && t.fp32Gradients && !narrow);
}

/// Of the bytes that a moment has.
std::string_view momentKey(double bytes)
{
    return bytes >= 4 ? "fp32" : bytes >= 2 ? "bf16" : "fp8";
}

void addOptimizer(Draft& draft, const plan::Plan& plan)
{
    const plan::Training& t = plan.training;
    const bool named = t.optimizer == plan::Optimizer::Muon || t.optimizer == plan::Optimizer::Sgd;
    draft.text("--optimizer", named ? key(t.optimizer) : "adam");
    const plan::OptimizerState state = optimizerState(t, plan::Updated::Layers);
    const std::string_view first = momentKey(state.first), second = momentKey(state.second);
    if (named || t.optimizer == plan::Optimizer::Adafactor || (first == "fp32" && second == "fp32"))
        return;
    if (plan.strategy.zeroStage == 0)
        return draft.remark(Gap::NarrowMoments, std::string(first), "fp32");
    draft.flag("--use-precision-aware-optimizer");
    draft.text("--exp-avg-dtype", first);
    draft.text("--exp-avg-sq-dtype", second);
}

void addAttentionKernel(Draft& draft, const plan::Training& training)
{
    draft.text("--attention-backend", isFlash(training.attention) ? "flash" : "unfused");
    if (flashVersion(training.attention) > 0)
        draft.remark(
            Gap::AttentionVersion, std::to_string(flashVersion(training.attention)), "--attention-backend flash");
    if (training.attention == plan::AttentionKernel::FlashFp8 && hasNarrowAttention(training))
        draft.remark(Gap::Precision, std::string(key(training.attention)), "--attention-backend flash");
}

/// What communication of experts asks for that overlaps with another micro-batch.
bool canOverlapExperts(const Draft& draft, const plan::Plan& plan)
{
    const Setting* recompute = find(draft.settings, "--recompute-granularity");
    const bool full = recompute && textOf(recompute->value) == "full";
    const bool chunks = plan.strategy.pp == 1 || find(draft.settings, kChunk) || interleaves(plan.strategy);
    return chunks && !full && plan.model.multiTokenPredictionDepth <= 1
        && storageKey(plan.training.precision) != "fp32";
}

void addOverlap(Draft& draft, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const plan::SoftwareProfile& software = plan.training.software;
    const bool reduces = software.dpOverlap > 0 && replicas(s) > 1;
    draft.flag("--overlap-grad-reduce", reduces);
    draft.flag("--overlap-param-gather", reduces && s.zeroStage > 0);
    draft.flag("--tp-comm-overlap", software.tpOverlap > 0 && s.tp > 1 && s.sequenceParallel);
    if (!hasExperts(plan) || s.ep == 1)
        return;
    const bool overlaps = software.epOverlap > 0 && canOverlapExperts(draft, plan);
    draft.flag("--overlap-moe-expert-parallel-comm", overlaps);
    if (software.epOverlap > 0 && !overlaps)
        draft.remark(Gap::ExpertOverlap, {});
    draft.flag(
        "--moe-shared-expert-overlap", software.expertOverlap > 0 && plan.model.moe->sharedExperts > 0 && !overlaps);
}

void addTraining(Draft& draft, const plan::Project& project)
{
    const plan::Plan& plan = project.plan;
    draft.number("--micro-batch-size", plan.strategy.microBatch);
    draft.number("--global-batch-size", plan.training.globalBatch);
    if (const std::int64_t count = steps(project); count > 0)
        draft.number("--train-iters", count);
    else
        draft.leave(Blank::Steps, "--train-iters");
    draft.leave(Blank::LearningRate, "--lr");
    draft.flag("--reset-attention-mask", plan.training.documentLength.has_value());
    const std::vector<int>& each = plan.strategy.replicaMicroBatches;
    if (std::any_of(each.begin(), each.end(), [&](int n) { return n != each.front(); }))
        draft.remark(Gap::UnevenReplicas, std::to_string(microBatches(plan)), std::to_string(evenMicroBatches(plan)));
}

constexpr std::array kMegatronRules{
    RuleSetting{FrameworkRule::TensorPartition, kTensorParallel},
    RuleSetting{FrameworkRule::StageTp, kTensorParallel},
    RuleSetting{FrameworkRule::StageRecompute, "--recompute-granularity"},
    RuleSetting{FrameworkRule::RecomputedLayers, "--recompute-num-layers"},
    RuleSetting{FrameworkRule::Precision, "--bf16", "fp32"},
    RuleSetting{FrameworkRule::Optimizer, "--optimizer"},
    RuleSetting{FrameworkRule::ContextMethod, kContextMethod},
    RuleSetting{FrameworkRule::KvHeads, kContextMethod},
    RuleSetting{FrameworkRule::ZeroShards, kShared},
    RuleSetting{FrameworkRule::SequenceParallel, "--sequence-parallel"},
    RuleSetting{FrameworkRule::Schedule, kChunk, "1f1b"},
    RuleSetting{FrameworkRule::OrderOfRanks, {}, "tp-cp-ep-dp-pp"},
    RuleSetting{FrameworkRule::VocabularyPlacement, {}, "ends"},
};

} // namespace

Draft megatron(const plan::Project& project)
{
    Draft draft;
    addDegrees(draft, project.plan);
    addSharding(draft, project.plan);
    addTraining(draft, project);
    addModel(draft, project.plan);
    addAttentionKernel(draft, project.plan.training);
    addMemory(draft, project.plan);
    addPrecision(draft, project.plan);
    addOptimizer(draft, project.plan);
    addOverlap(draft, project.plan);
    draft.text("--tokenizer-type", "HuggingFaceTokenizer");
    draft.fill(Blank::Tokenizer, "--tokenizer-model");
    draft.set("--data-path", Words{placeholder(Blank::Data)});
    draft.leave(Blank::Data, "--data-path");
    addObjections(draft, project.plan, TargetFramework::MegatronCore, kMegatronRules);
    return draft;
}

LaunchFile megatronLm(const plan::Project& project)
{
    const Draft draft = megatron(project);
    return {Format::MegatronLm, argumentLines(draft.settings), {}, draft.settings, "megatron-lm", {}, draft.remarks,
        draft.blanks};
}

} // namespace stratoplan::launch
