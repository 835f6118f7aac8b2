// SPDX-License-Identifier: Apache-2.0
#include "core/narration/estimates.h"

#include "core/plan/stage_nodes.h"
#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>

namespace stratoplan::narration {
namespace {

struct ExtrapolationWords {
    estimate::ExtrapolationCode code{};
    std::string_view pattern;
};

constexpr auto kExtrapolations = [] {
    using enum estimate::ExtrapolationCode;
    return std::array{
        ExtrapolationWords{
            OtherAccelerators, "None of the runs that this profile was calibrated to was on these accelerators."},
        ExtrapolationWords{BelowRuns, "Calibrated to runs with at least {bound}, this plan has {own}."},
        ExtrapolationWords{AboveRuns, "Calibrated to runs with at most {bound}, this plan has {own}."},
        ExtrapolationWords{Stack,
            "No shipped measured case with {software}; the range is the one its profile states, and wider for "
            "what else no case has."},
        ExtrapolationWords{Vendor, "No measured case on accelerators of {vendor}."},
        ExtrapolationWords{Accelerator, "No measured case on {accelerator}."},
        ExtrapolationWords{AcceleratorInStack, "No measured case on {accelerator} with {software}."},
        ExtrapolationWords{Experts, "No measured case with a mixture of experts on {accelerator}."},
        ExtrapolationWords{
            LatentAttention, "No measured case with multi-head latent attention (MLA) on {accelerator}."},
        ExtrapolationWords{SlidingWindow, "No measured case with sliding-window attention on {accelerator}."},
        ExtrapolationWords{SparseAttention, "No measured case with sparse attention."},
        ExtrapolationWords{StateSpace, "No measured case with state-space (Mamba-2) layers."},
        ExtrapolationWords{StandIn, "Some layers are priced as others that stand in for them."},
        ExtrapolationWords{NarrowAttention, "No measured case with attention in FP8."},
        ExtrapolationWords{SpatialTemporal, "No measured case with operators divided in space and time."},
        ExtrapolationWords{Offload, "No measured case that offloads to host memory."},
        ExtrapolationWords{UnlikeTp, "No measured case with stages of different TP."},
        ExtrapolationWords{UnlikeNodes, "No measured case on unlike nodes."},
        ExtrapolationWords{UnlikeRecompute, "No measured case that recomputes its stages or layers unlike."},
        ExtrapolationWords{MultiTokenPrediction, "No measured case with multi-token prediction."},
        ExtrapolationWords{Optimizer, "No measured case that updates by {optimizer}."},
        ExtrapolationWords{
            ExpertImbalance, "No measured case states how unevenly its experts are used, here {imbalance} x the mean."},
        ExtrapolationWords{EditedConstants, "Constants of {software} are edited; its measured cases had its own."},
        ExtrapolationWords{Precision, "No measured case with {precision} in {software}."},
        ExtrapolationWords{Recompute, "No measured case with {recompute} recomputation in {software}."},
        ExtrapolationWords{Schedule, "No measured case with schedule {schedule} in {software}."},
        ExtrapolationWords{Sharded, "No measured case with parameters sharded (ZeRO-3) in {software}."},
        ExtrapolationWords{NotSharded, "No measured case with parameters not sharded in {software}."},
        ExtrapolationWords{FlashAttention, "No measured case with flash attention in {software}."},
        ExtrapolationWords{UnfusedAttention, "No measured case with unfused attention in {software}."},
        ExtrapolationWords{FirstOfExtent, "No measured case with {extent} in {software}."},
        ExtrapolationWords{AboveCases, "Measured up to {bound} with this software, this plan has {own}."},
    };
}();

struct ExtentWords {
    estimate::Extent extent{};
    std::string_view pattern; ///< of so much of it
    std::string_view name{}; ///< where it is used at all
};

constexpr std::array kExtentWords{
    ExtentWords{estimate::Extent::Layers, "{bound} layers"},
    ExtentWords{estimate::Extent::Hidden, "a hidden size of {bound}"},
    ExtentWords{estimate::Extent::Experts, "{bound} experts"},
    ExtentWords{estimate::Extent::Sequence, "sequences of {bound} tokens"},
    ExtentWords{estimate::Extent::Accelerators, "{bound} accelerators"},
    ExtentWords{estimate::Extent::MicroBatch, "a micro-batch of {bound}"},
    ExtentWords{estimate::Extent::Tp, "TP {bound}", "tensor parallelism"},
    ExtentWords{estimate::Extent::Pp, "PP {bound}", "pipeline parallelism"},
    ExtentWords{estimate::Extent::Cp, "CP {bound}", "context parallelism"},
    ExtentWords{estimate::Extent::Ep, "EP {bound}", "expert parallelism"},
    ExtentWords{estimate::Extent::Vpp, "VPP {bound}", "virtual pipeline stages"},
};

const ExtentWords& wordsOf(estimate::Extent extent)
{
    return *std::find_if(
        kExtentWords.begin(), kExtentWords.end(), [&](const ExtentWords& words) { return words.extent == extent; });
}

constexpr NameTable<estimate::StepTerm, 11> kTerms{{
    {estimate::StepTerm::Forward, "forward"},
    {estimate::StepTerm::Backward, "backward"},
    {estimate::StepTerm::Recomputation, "recomputation"},
    {estimate::StepTerm::Bubble, "bubble"},
    {estimate::StepTerm::Optimizer, "optimizer"},
    {estimate::StepTerm::Other, "other"},
    {estimate::StepTerm::ExposedTp, "exposed tensor-parallel communication"},
    {estimate::StepTerm::ExposedCp, "exposed context-parallel communication"},
    {estimate::StepTerm::ExposedEp, "exposed expert-parallel communication"},
    {estimate::StepTerm::ExposedPp, "exposed pipeline transfers"},
    {estimate::StepTerm::ExposedDp, "exposed data-parallel communication"},
}};

constexpr NameTable<estimate::StepTerm, estimate::kExposedTerms> kHidden{{
    {estimate::StepTerm::ExposedTp, "hidden tensor-parallel communication"},
    {estimate::StepTerm::ExposedCp, "hidden context-parallel communication"},
    {estimate::StepTerm::ExposedEp, "hidden expert-parallel communication"},
    {estimate::StepTerm::ExposedPp, "hidden pipeline transfers"},
    {estimate::StepTerm::ExposedDp, "hidden data-parallel communication"},
}};

constexpr NameTable<cost::Lifetime, 7> kLifetimes{{
    {cost::Lifetime::Step, "all the time"},
    {cost::Lifetime::MicroBatch, "per micro-batch in flight"},
    {cost::Lifetime::Prediction, "until the backward pass"},
    {cost::Lifetime::Pass, "while a pass runs"},
    {cost::Lifetime::Loss, "while the loss is computed"},
    {cost::Lifetime::Backward, "in a backward pass"},
    {cost::Lifetime::Optimizer, "while the optimizer runs"},
}};

/// "BF16", "NVFP4"
const std::string& titleOf(const cluster::NodeGroup& group)
{
    return group.name.empty() ? group.id : group.name;
}

std::string nameOf(model::Precision precision)
{
    std::string name(key(precision));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return name;
}

std::string wordOf(const estimate::Extrapolation& e, std::string_view name)
{
    if (name == "own")
        return numberWord(e.value).text;
    if (name == "bound")
        return filled(wordsOf(e.extent).pattern, {{"bound", numberWord(e.bound)}});
    if (name == "extent")
        return std::string(wordsOf(e.extent).name);
    if (name == "accelerator")
        return e.accelerator.empty() ? "no accelerator" : e.accelerator;
    if (name == "vendor")
        return e.vendor.empty() ? "a vendor that is not stated" : e.vendor;
    if (name == "optimizer")
        return std::string(title(e.optimizer));
    if (name == "imbalance")
        return fixedDecimals(e.imbalance, 2);
    if (name == "precision")
        return nameOf(e.traits.precision);
    if (name == "recompute")
        return e.traits.recompute == parallel::Recompute::None ? "no" : std::string(key(e.traits.recompute));
    if (name == "schedule")
        return std::string(key(e.traits.schedule));
    return e.software;
}

} // namespace

std::string describe(const estimate::Extrapolation& extrapolation)
{
    const auto row = std::find_if(kExtrapolations.begin(), kExtrapolations.end(),
        [&](const ExtrapolationWords& words) { return words.code == extrapolation.code; });
    return filled(row->pattern, [&](std::string_view name) { return Word{wordOf(extrapolation, name)}; });
}

std::vector<std::string> describe(const std::vector<estimate::Extrapolation>& extrapolations)
{
    std::vector<std::string> sentences;
    sentences.reserve(extrapolations.size());
    for (const estimate::Extrapolation& extrapolation : extrapolations)
        sentences.push_back(describe(extrapolation));
    return sentences;
}

std::string_view describe(estimate::StepTerm term)
{
    return nameIn(kTerms, term);
}

std::string_view describeInStep(estimate::StepTerm term)
{
    return term == estimate::StepTerm::Bubble ? "bubble of the stage that sets the pace" : describe(term);
}

std::string_view describeHidden(estimate::StepTerm term)
{
    return nameIn(kHidden, term);
}

std::string_view describe(cost::Lifetime lifetime)
{
    return nameIn(kLifetimes, lifetime);
}

std::string_view fitWords(bool fits)
{
    return fits ? "fits" : "does not fit";
}

std::string_view fitWords(const estimate::Memory& memory)
{
    const bool may = memory.fitsAccelerator() && memory.peakHigh > memory.capacity;
    return may ? "fits, but its range ends beyond: it may not fit" : fitWords(memory.fitsAccelerator());
}

std::string_view fitWords(bool fits, bool fitsHost)
{
    return fits || fitsHost ? fitWords(fits) : "what is offloaded does not fit into host memory";
}

std::string peakAndRange(Bytes peak, const estimate::Memory& memory)
{
    return filled(memory.peakHigh > memory.capacity ? "{peak} of {capacity}, 80 % range {low} to {high}: it may not fit"
                                                    : "{peak} of {capacity}, 80 % range {low} to {high}",
        {{"peak", {format(peak)}}, {"capacity", {format(memory.capacity)}}, {"low", {format(memory.peakLow)}},
            {"high", {format(memory.peakHigh)}}});
}

std::string describeReplicas(const plan::Plan& plan, const std::vector<estimate::ReplicaStep>& replicas)
{
    std::string text;
    for (const estimate::ReplicaStep& kind : replicas) {
        std::string names;
        for (const cluster::NodeGroup& group : plan.cluster.nodes)
            if (std::ranges::find(kind.nodes, group.id) != kind.nodes.end())
                names += (names.empty() ? "" : " and ") + titleOf(group);
        text += (text.empty() ? "" : "; ")
            + filled(names.empty() ? "{count replica|replicas}: {batches micro-batch|micro-batches} in {step}"
                                   : "{count replica|replicas} on {nodes}: {batches micro-batch|micro-batches} in "
                                     "{step}",
                {{"count", numberWord(kind.replicas)}, {"nodes", {names}}, {"batches", numberWord(kind.microBatches)},
                    {"step", {format(kind.step)}}});
    }
    return text;
}

std::string describeStageNodes(const plan::Plan& plan)
{
    std::string text;
    for (const plan::StageNodes& stages : stageNodes(plan)) {
        std::string names;
        for (const std::size_t place : stages.groups) {
            const cluster::NodeGroup& group = plan.cluster.nodes[place];
            names += (names.empty() ? "" : " and ") + titleOf(group);
        }
        text += (text.empty() ? "" : ", ")
            + filled(stages.first == stages.last ? "stage {first} on {nodes}" : "stages {first}–{last} on {nodes}",
                {{"first", {std::to_string(stages.first)}}, {"last", {std::to_string(stages.last)}},
                    {"nodes", {names}}});
    }
    return text;
}

std::string describeMoment(const estimate::MemoryPeak& peak, int chunks)
{
    if (peak.microBatch < 0)
        return peak.moment == cost::PeakMoment::Optimizer ? "while the optimizer runs" : "all the time";
    const bool forward = peak.moment == cost::PeakMoment::Loss;
    const std::string_view pattern = chunks > 1
        ? (forward ? "in the forward pass of micro-batch {batch}, chunk {chunk}"
                   : "in the backward pass of micro-batch {batch}, chunk {chunk}")
        : (forward ? "in the forward pass of micro-batch {batch}" : "in the backward pass of micro-batch {batch}");
    return filled(pattern, {{"batch", {std::to_string(peak.microBatch)}}, {"chunk", {std::to_string(peak.chunk)}}});
}

} // namespace stratoplan::narration
