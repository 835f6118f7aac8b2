// SPDX-License-Identifier: Apache-2.0
#include "core/narration/launches.h"

#include "core/narration/frameworks.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <array>

namespace stratoplan::narration {
namespace {

using launch::Blank;
using launch::Format;
using launch::Gap;

constexpr NameTable<Gap, 35> kGaps{{
    {Gap::Rule, "{found}: {limit}"},
    {Gap::NoSetting, "{found}: {framework} has no setting for it"},
    {Gap::GlobalBatch, "a global batch of {found}: {framework} leaves it to the script"},
    {Gap::ZeroStage, "ZeRO-{found}: {framework} shards gradients in any case"},
    {Gap::StatesAlone, "ZeRO-{found} of this optimizer: {framework} shares out its states alone"},
    {Gap::Precision, "precision {found}: {framework} has no setting for it"},
    {Gap::Selective, "selective recomputation: {framework} has no setting for it"},
    {Gap::ActivationOffload, "offload of activations: {framework} has no setting for it"},
    {Gap::SpatialTemporal, "the spatial-temporal partition: {framework} has no setting for it"},
    {Gap::ContextMethod, "CP by {found}: {framework} has no setting for it"},
    {Gap::NarrowReduction, "gradients summed in 16 bits: {framework} has no setting for it"},
    {Gap::Parts, "{found}: {framework} has no model with it"},
    {Gap::LayerOrder, "{found} layers: the plan does not know their order"},
    {Gap::StandIn, "{found} layers: the plan has others in their place, and so has this file"},
    {Gap::NoShape, "the shape of {found}: {framework} takes shapes from the models that it ships, and none is like it"},
    {Gap::UnfusedAttention, "attention without a fused kernel: {framework} has fused ones alone"},
    {Gap::AttentionVersion, "FlashAttention {found}: {framework} runs the version that is installed"},
    {Gap::MixedRecompute,
        "selective recomputation beside {found} layers of each chunk in full: {framework} keeps all of the others"},
    {Gap::ChunkRecompute, "{found} layers of a stage recomputed in full: {framework} recomputes as many in each chunk"},
    {Gap::SelectiveRecompute, "what {found} recomputes selectively: {framework} recomputes other parts"},
    {Gap::Fp8Recipe, "{found} scaling of FP8: {framework} cannot recompute norms and activations with it"},
    {Gap::NarrowMoments, "moments in {found}: {framework} has them with a distributed optimizer alone"},
    {Gap::ExpertOverlap,
        "overlap of expert communication: {framework} asks for several chunks to a stage and no full recomputation"},
    {Gap::RankOrder, "rank order {found}: {framework} puts ranks in the usual order"},
    {Gap::StageTp, "TP by stage: {framework} has the same for all"},
    {Gap::UnevenReplicas, "up to {found} micro-batches by replica: {framework} gives all replicas as many"},
    {Gap::UnevenLayers, "{found} layers spread unevenly: {framework} gives every stage as many"},
    {Gap::UnlikeNodes, "unlike nodes ({found}): the file asks for nodes of one kind"},
    {Gap::IdleAccelerators, "{found} accelerators of the cluster have no rank, and the file asks for none of them"},
    {Gap::Stages,
        "the stages and their schedule {found}: they are made by the program, with torch.distributed.pipelining"},
    {Gap::TensorPlan, "TP {found}: how layers are divided is said by the program, with parallelize_module"},
    {Gap::Experts, "EP {found}: where experts are is said by the program"},
    {Gap::Offloaded, "offload of {found}: {framework} moves what it names so"},
    {Gap::NotOfPipelines,
        "ZeRO-{found} with a pipeline: the plan keeps weights whole from the first to the last micro-batch"},
    {Gap::Resource, "accelerators of {found}: no device plug-in of Kubernetes is known for them"},
}};

constexpr NameTable<Blank, 14> kBlanks{{
    {Blank::Data, "the training data"},
    {Blank::Tokenizer, "the tokenizer, a path or a name on Hugging Face"},
    {Blank::LearningRate, "the learning rate, and its schedule"},
    {Blank::Steps, "how many steps the run has"},
    {Blank::RotaryBase, "the base of the rotary embedding"},
    {Blank::LayerPattern, "the order of the layers"},
    {Blank::Model, "the model"},
    {Blank::LayerClass, "the class of a layer"},
    {Blank::Configuration, "the file of the configuration beside these arguments"},
    {Blank::Assets, "the folder of tokenizer and configuration"},
    {Blank::Folder, "the folder of Megatron-LM"},
    {Blank::Image, "the container image"},
    {Blank::Partition, "the partition of the cluster, where it has several"},
    {Blank::Addresses, "the address of the first node"},
}};

constexpr NameTable<Format, 9> kFormatNames{{
    {Format::MegatronLm, "Megatron-LM arguments"},
    {Format::MegatronBridge, "Megatron-Bridge and NeMo recipe"},
    {Format::DeepSpeed, "DeepSpeed configuration"},
    {Format::TorchTitan, "torchtitan configuration"},
    {Format::Fsdp2, "PyTorch FSDP2 program"},
    {Format::Accelerate, "Hugging Face Accelerate configuration"},
    {Format::MindSpeed, "MindSpeed arguments"},
    {Format::Slurm, "Slurm batch script"},
    {Format::Kubernetes, "Kubernetes job"},
}};

/// What runs the file, where a sentence says what it has.
std::string framework(Format format)
{
    const bool job = format == Format::Slurm || format == Format::Kubernetes;
    return std::string(job ? "the training program" : title(format));
}

std::string comment(std::string_view text)
{
    return "# " + std::string(text) + '\n';
}

std::string degrees(const parallel::Strategy& s)
{
    return filled("{ranks} = TP {tp} x CP {cp} x PP {pp} x DP {dp}.",
        {{"ranks", {countedAccelerators(rankCount(s))}}, {"tp", {std::to_string(s.tp)}}, {"cp", {std::to_string(s.cp)}},
            {"pp", {std::to_string(s.pp)}}, {"dp", {std::to_string(s.dp)}}});
}

/// In one line: a name may hold anything.
std::string oneLine(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return text;
}

std::string head(const launch::LaunchFile& file, const plan::Plan& plan, std::string_view what)
{
    std::string text =
        comment(oneLine(filled("{what} of the plan {plan}.", {{"what", {std::string(what)}}, {"plan", {plan.name}}})));
    text += comment(degrees(plan.strategy));
    if (what != describe(file.format) || ending(file.format) == ".args") {
        text += comment("WORLD_SIZE=" + std::to_string(rankCount(plan.strategy))); // by which it is imported again
        text += comment("Lines that begin with # are no arguments of pretrain_gpt.py.");
    }
    if (file.format == Format::MindSpeed)
        text += comment("It imports mindspeed.megatron_adaptor right after torch.");
    if (!file.blanks.empty())
        text += comment("To be filled in:");
    for (const launch::BlankSetting& blank : file.blanks)
        text += comment("  " + describe(blank));
    if (!file.remarks.empty())
        text += comment("What this format does not say as the plan does:");
    for (const launch::Remark& remark : file.remarks)
        text += comment("  " + oneLine(describe(remark, file.format)));
    return text + '\n';
}

} // namespace

std::string describe(const launch::Remark& remark, Format format)
{
    std::string why = filled(nameIn(kGaps, remark.gap), [&](std::string_view name) {
        if (name == "framework")
            return Word{framework(format)};
        if (!remark.objection)
            return Word{remark.found};
        return name == "found" ? Word{foundBy(*remark.objection)}
                               : Word{std::string(catalog::title(remark.objection->framework)) + ' '
                                   + std::string(remark.objection->limit)};
    });
    const bool silent = remark.instead.empty();
    return asSentence(filled(silent ? "{why}; left out." : "{why}; written as {instead}.",
        {{"why", {std::move(why)}}, {"instead", {remark.instead}}}));
}

std::string describe(const launch::BlankSetting& blank)
{
    return filled(
        "{setting}: {what}", {{"setting", {blank.setting}}, {"what", {std::string(nameIn(kBlanks, blank.blank))}}});
}

std::string_view describe(Format format)
{
    return nameIn(kFormatNames, format);
}

std::string launchText(const launch::LaunchFile& file, const plan::Plan& plan)
{
    if (file.format == Format::DeepSpeed)
        return file.body;
    return file.before + head(file, plan, describe(file.format)) + file.body;
}

std::string launchText(const launch::LaunchFile& file, const launch::Companion& companion, const plan::Plan& plan)
{
    return head(file, plan, "Megatron-DeepSpeed arguments beside the configuration") + companion.body;
}

std::string launchFormats()
{
    std::string text;
    for (const Format format : launch::kFormats)
        text += (text.empty() ? "" : ", ") + std::string(key(format));
    return text;
}

} // namespace stratoplan::narration
