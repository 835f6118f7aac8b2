// SPDX-License-Identifier: Apache-2.0
#include "core/validation/case_plan.h"

#include "core/units/text.h"
#include "core/validation/case_choices.h"
#include "core/validation/case_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace stratoplan::validation {
namespace {

/// Batch of the plan. A global batch that d b does not divide ends in a smaller micro-batch: it is priced whole and
/// scaled.
tl::expected<double, std::string> caseBatch(const CaseRecord& r, plan::Plan& plan, Filled& filled)
{
    parallel::Strategy& s = plan.strategy;
    constexpr std::int64_t kMostSequences = 100000000;
    const bool memoryOnly = !r.stepSeconds && r.peakGib;
    if (!r.globalBatch && !(r.gradAccum && r.microBatch) && !memoryOnly)
        return tl::unexpected(std::string("training.global_batch is not stated"));
    // Memory alone depends on the micro-batch, and on no more of them than fill the pipeline.
    const std::int64_t product =
        std::int64_t{r.gradAccum.value_or(memoryOnly ? s.pp : 1)} * r.microBatch.value_or(1); // at most 1e16
    const std::int64_t derived = product > kMostSequences ? product : product * s.dp;
    const std::int64_t global = r.globalBatch ? *r.globalBatch : derived;
    if (!r.globalBatch)
        filled.add("training.global_batch", std::to_string(global));
    const std::int64_t perRank = std::max<std::int64_t>(1, global / s.dp);
    const std::int64_t accumulated = r.gradAccum ? std::max<std::int64_t>(1, perRank / *r.gradAccum) : 1;
    if (global > kMostSequences)
        return tl::unexpected("training.global_batch is " + std::to_string(global) + ", expected at most "
            + std::to_string(kMostSequences));
    s.microBatch = filled(r.microBatch, "training.micro_batch", static_cast<int>(accumulated));
    // The interleaved schedule takes micro-batches by rounds of the stages.
    const std::int64_t unit =
        std::int64_t{s.dp} * s.microBatch * (s.schedule == parallel::Schedule::Interleaved ? s.pp : 1);
    const std::int64_t priced = (global + unit - 1) / unit * unit;
    if (priced > kMostSequences)
        return tl::unexpected("dp x training.micro_batch, a multiple of pp if interleaved, is " + std::to_string(unit)
            + ", expected at most " + std::to_string(kMostSequences));
    plan.training.globalBatch = static_cast<int>(priced);
    if (priced != global)
        filled.add("training.global_batch priced", plan.training.globalBatch);
    return double(global) / double(priced);
}

/// What a case states was filled in; and the profile of a stack that nobody knows, which is the reader's choice.
std::vector<std::string> joined(std::vector<std::string> stated, const std::vector<std::string>& assumed)
{
    const auto isProfile = [](const std::string& note) { return note.starts_with("software.profile="); };
    if (std::ranges::none_of(stated, isProfile))
        std::ranges::copy_if(assumed, std::back_inserter(stated), isProfile);
    return stated;
}

/// As stated, or as usual for the stack. FP16 runs reduce 16-bit gradients; PyTorch FSDP in PURE mode reduces in BF16.
bool hasFp32Gradients(const CaseRecord& r, const plan::Training& training)
{
    const auto states = [&](std::initializer_list<std::string_view> words) {
        return std::ranges::any_of(words,
            [&](std::string_view part) { return containsWords(r.overlap, part) || containsWords(r.precision, part); });
    };
    if (states({"fp32 grad", "gradients in fp32", "gradients reduced in fp32"}))
        return true;
    if (states({"PURE", "bf16 grad", "gradients in bf16", "gradients reduced in bf16"}))
        return false;
    return training.precision != model::Precision::Fp16 && training.software.gradientsInFp32;
}

/// FP8 recipes of some stacks gather parameters in FP8; remarks say where a run did or did not.
bool gathersNarrow(const CaseRecord& r, const plan::SoftwareProfile& software)
{
    const auto states = [&](std::string_view words) { return containsWords(r.overlap, words); };
    return states("parameters gathered in fp8")
        || (software.narrowParameterGather && !states("parameters gathered in bf16"));
}

/// What the remarks say of the reduction of gradients, in place of what is usual for the stack.
void readReduction(const CaseRecord& r, plan::SoftwareProfile& software)
{
    const auto states = [&](std::string_view words) { return containsWords(r.overlap, words); };
    if (states("neither overlapped") || states("gradient reduction not overlapped"))
        software.dpOverlap = 0;
    if (states("all-reduced whole")) {
        software.reducesWhole = true;
        software.gradientBucket = {};
    }
    if (const std::optional<double> bucket = numberAfter(r.overlap, "all-reduced in"))
        software.gradientBucket = Bytes(*bucket * kMiB);
}

} // namespace

int filledWeight(const std::vector<std::string>& filled)
{
    static constexpr std::array<std::string_view, 10> kWeighty{
        "training.document_length=", "parallel.tp=", "parallel.pp=", "model.layers=", "model.kind=moe",
        "model.top_k=", "model.moe_ffn=", "model.experts=", "software.profile=", "hardware.total_gpus used="};
    int weight = 0;
    for (const std::string& field : filled)
        weight += std::ranges::any_of(kWeighty, [&](std::string_view name) { return field.starts_with(name); }) ? 6 : 1;
    return weight;
}

namespace {

/// Where how fast attention runs in FP8 is not known, that of 16 bits stands in, and is listed.
plan::AttentionKernel flashKernel(const CaseRecord& r, const cluster::Accelerator& accelerator, Filled& filled)
{
    if (containsWords(r.precision, "attention in fp8")) {
        if (accelerator.exponentials > FlopsPerSecond{})
            return plan::AttentionKernel::FlashFp8;
        filled(std::optional<bool>(), "training.fp8_attention", false);
    }
    return plan::attentionKernelFromKey("flash_" + std::to_string(r.flashVersion))
        .value_or(plan::AttentionKernel::Flash);
}

// In one piece: each part of the plan is read with those above it.
tl::expected<CasePlan, std::string> planByRule(
    const CaseRecord& r, const catalog::Catalog& catalog, const std::optional<plan::SoftwareProfile>& software)
{
    Filled filled;
    CasePlan result;
    plan::Plan& plan = result.plan;
    plan.name = r.id;
    plan::Training& training = plan.training;
    auto cluster = caseCluster(r, catalog, filled);
    if (!cluster)
        return tl::unexpected(cluster.error());
    plan.cluster = std::move(*cluster);
    const std::string& vendor = plan.cluster.nodes.front().accelerator.vendor;
    training.software = software ? *software : caseSoftware(r, vendor, catalog, filled);
    readReduction(r, training.software);
    auto model = caseModel(r, training.software, catalog, filled);
    if (!model)
        return tl::unexpected(model.error());
    plan.model = std::move(*model);
    auto strategy = caseStrategy(r, training.software, plan.model, filled);
    if (!strategy)
        return tl::unexpected(strategy.error());
    plan.strategy = std::move(*strategy);
    training.sequenceLength = *r.sequenceLength;
    // Sources that pack examples for supervised fine-tuning do not print how long those are.
    constexpr int kUsualExample = 256;
    const bool tuned = containsWords(r.notes, "SFT") || containsWords(r.notes, "fine-tun");
    const bool packed = tuned && containsWords(r.notes, "packed") && *r.sequenceLength > kUsualExample;
    if (r.documentLength || packed)
        training.documentLength = filled(r.documentLength, "training.document_length", kUsualExample);
    training.precision = casePrecision(r, plan.cluster.nodes.front().accelerator, filled);
    const bool usesFlash = training.software.flashAttention && !containsWords(r.accelerator, "V100"); // from Ampere on
    training.attention = filled(r.flashAttention, "training.flash_attention", usesFlash)
        ? flashKernel(r, plan.cluster.nodes.front().accelerator, filled)
        : plan::AttentionKernel::Unfused;
    training.fp32Gradients = hasFp32Gradients(r, training);
    training.narrowReduction = training.software.narrowReduction;
    training.narrowGather = gathersNarrow(r, training.software);
    const auto scale = caseBatch(r, plan, filled);
    if (!scale)
        return tl::unexpected(scale.error());
    result.batchScale = *scale;
    result.filled = filled.take();
    result.filled.insert(result.filled.end(), r.filled.begin(), r.filled.end());
    if (r.statedFilled)
        result.filled = joined(*r.statedFilled, result.filled);
    return result;
}

} // namespace

tl::expected<CasePlan, std::string> casePlan(
    const CaseRecord& r, const catalog::Catalog& catalog, const std::optional<plan::SoftwareProfile>& software)
{
    return chosenPlan(r, [&](const CaseRecord& record) { return planByRule(record, catalog, software); });
}

} // namespace stratoplan::validation
