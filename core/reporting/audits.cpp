// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/audits.h"

#include "core/narration/spaces.h"
#include "core/reporting/signed_share.h"
#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <cctype>

namespace stratoplan::reporting {
namespace {

constexpr NameTable<audit::Cause, audit::kCauses> kCauseWords{{
    {audit::Cause::Matmul, "matrix products"},
    {audit::Cause::Attention, "attention"},
    {audit::Cause::OtherComputation, "other computation"},
    {audit::Cause::Optimizer, "optimizer"},
    {audit::Cause::TensorParallel, "exposed TP communication"},
    {audit::Cause::ContextParallel, "exposed CP communication"},
    {audit::Cause::ExpertParallel, "exposed EP communication"},
    {audit::Cause::DataParallel, "exposed DP communication"},
    {audit::Cause::OtherCommunication, "other exposed communication"},
    {audit::Cause::Pipeline, "pipeline transfers and waits"},
    {audit::Cause::Copies, "copies"},
    {audit::Cause::Idle, "idle"},
}};

constexpr NameTable<audit::StepOrigin, 5> kOriginWords{{
    {audit::StepOrigin::None, "not measured"},
    {audit::StepOrigin::Stated, "as stated"},
    {audit::StepOrigin::Log, "from the log"},
    {audit::StepOrigin::Profile, "from the profile"},
    {audit::StepOrigin::Mfu, "from the quoted MFU"},
}};

constexpr NameTable<audit::FlopConvention, audit::kFlopConventions> kConventionWords{{
    {audit::FlopConvention::Full, "every product, attention over the full square"},
    {audit::FlopConvention::Causal, "every product, attention over the causal half"},
    {audit::FlopConvention::FullRecomputed, "HFU: with recomputation, attention over the full square"},
    {audit::FlopConvention::CausalRecomputed, "HFU: with recomputation, attention over the causal half"},
    {audit::FlopConvention::SixN, "6 N a token"},
    {audit::FlopConvention::SixNAttention, "6 N + 12 L h s a token"},
    {audit::FlopConvention::SixNWithoutEmbedding, "6 N + 12 L h s a token, N without the embedding"},
}};

constexpr NameTable<audit::FindingCode, 17> kFindingWords{{
    {audit::FindingCode::Recomputes,
        "Recomputation is on, which the plan is without: fused attention runs forward {amount} times for each "
        "backward pass. By estimate it costs {seconds}."},
    {audit::FindingCode::SlowMatmul,
        "Matrix products run at {share} of the rate that the catalogue and the software profile have: {seconds}. "
        "Clocks held down by power or heat, small or odd shapes and unfused products are usual causes."},
    {audit::FindingCode::SlowAttention,
        "Attention runs at {share} of its estimated rate: {seconds}. Look for an older or unfused kernel, and for "
        "attention masks that keep the fused one out."},
    {audit::FindingCode::SlowComputation,
        "Norms, activations and other memory-bound kernels run at {share} of their estimated rate: {seconds}. "
        "Fused kernels or a compiler would shorten them."},
    {audit::FindingCode::SlowOptimizer,
        "The optimizer runs at {share} of its estimated rate: {seconds}. A fused or distributed one is faster."},
    {audit::FindingCode::NotOverlapped,
        "Of {cause} {share} is hidden behind computation, by estimate {expected}: {seconds}."},
    {audit::FindingCode::SlowCommunication,
        "Of {cause}, hidden parts included, the kernels take {amount} times as long as estimated, waits for the "
        "slowest rank among them: {seconds}."},
    {audit::FindingCode::UnknownCommunication,
        "Communication of no axis that the profile tells takes {seconds} beside all computation. Process groups with "
        "a description would name it."},
    {audit::FindingCode::PipelineWaits,
        "Transfers between stages and waits for other stages take {seconds} longer than estimated: stages are less "
        "balanced, or transfers slower, than the plan has them."},
    {audit::FindingCode::HostBound,
        "The device idles {share} of the step, {seconds} more than estimated: it waits for the host to launch kernels, "
        "for data or for synchronisation. CUDA graphs, fewer and larger kernels and faster loading help."},
    {audit::FindingCode::ExposedCopies,
        "Copies of memory that nothing hides take {seconds}: look for data, losses or offloaded states that cross to "
        "the host."},
    {audit::FindingCode::StepsVary,
        "Steps vary by {share}: stragglers, shared links or storage, or collection of garbage. A run as fast as its "
        "fast steps would be that much faster."},
    {audit::FindingCode::ProfilerSlows,
        "The step of the profile takes {amount} times as long as the measured one: profiling slows the host, so that "
        "idle time is overstated."},
    {audit::FindingCode::WithinRange,
        "The measured step lies within the estimate's range: the run is about as fast as such runs are, at {amount} "
        "times the estimate."},
    {audit::FindingCode::Faster,
        "The run is faster than the range of its estimate, at {amount} times it: compare the plan's model, batch and "
        "accelerators with those of the run."},
    {audit::FindingCode::OtherWorld,
        "The profile is of {ranks rank|ranks}, the plan has {planned}: the plan is that of another run."},
    {audit::FindingCode::PlanOfLog, "The log's arguments differ from the plan, and count in its place."},
}};

constexpr NameTable<audit::Setting, 12> kSettingWords{{
    {audit::Setting::SequenceParallel, "Tensor parallelism without sequence parallelism: {name} is {found}."},
    {audit::Setting::DistributedOptimizer, "Every replica keeps all optimizer states: {name} is {found}."},
    {audit::Setting::OverlapGradientReduction, "Gradients are reduced after the backward pass: {name} is {found}."},
    {audit::Setting::OverlapParameterGather, "Parameters are gathered before the forward pass: {name} is {found}."},
    {audit::Setting::OverlapTensorParallel,
        "Tensor-parallel communication is not overlapped with products: {name} is {found}."},
    {audit::Setting::FusedAttention, "Attention is not fused: {name} is {found}."},
    {audit::Setting::LessRecomputation,
        "Everything is recomputed, and memory has room for recomputation {recommended}: {amount} less a step by "
        "estimate."},
    {audit::Setting::TensorParallelInDomain,
        "TP {found} leaves the scale-up domain of {recommended} accelerators: its traffic crosses the network."},
    {audit::Setting::MaxConnections, "{name} is {found}, {recommended} orders communication before computation."},
    {audit::Setting::GradientFusion, "Weight gradients are added up by kernels of their own: {name} is {found}."},
    {audit::Setting::CheckForNan, "Every step checks for NaN, which waits for the device: {name} is {found}."},
    {audit::Setting::Timers, "Timers of level {found} synchronise the device: {name}."},
}};

bool isWordOfRate(audit::FindingCode code)
{
    using enum audit::FindingCode;
    return code != Recomputes && code != SlowCommunication && code != ProfilerSlows && code != WithinRange
        && code != Faster;
}

/// "TP communication"
std::string communicationOf(audit::Cause cause)
{
    constexpr std::string_view kExposed = "exposed ";
    const std::string_view words = describe(cause);
    return std::string(words.starts_with(kExposed) ? words.substr(kExposed.size()) : words);
}

/// How a convention is called by a person who names it: "full/bf16".
std::string nameOf(const audit::MfuTable& table, std::size_t value)
{
    const audit::MfuValue& found = table.values[value];
    return std::string(key(found.flops)) + '/' + table.peaks[found.peak].key();
}

} // namespace

std::string_view describe(audit::Cause cause)
{
    return nameIn(kCauseWords, cause);
}

std::string_view describe(audit::StepOrigin origin)
{
    return nameIn(kOriginWords, origin);
}

std::string_view describe(audit::FlopConvention convention)
{
    return nameIn(kConventionWords, convention);
}

std::string describe(const audit::PeakConvention& peak)
{
    std::string precision(key(peak.precision));
    std::ranges::transform(precision, precision.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return filled(peak.isSparse ? "{precision} sparse, {rate}" : "{precision} dense, {rate}",
        {{"precision", {precision}}, {"rate", {format(peak.rate)}}});
}

std::string verdict(const audit::Audit& audit)
{
    const estimate::Estimate& e = audit.estimate;
    const bool isMeasured = audit.measured.value() > 0;
    const Seconds gap = audit.measured - e.step;
    const bool isSlower = gap.value() >= 0;
    const std::string_view pattern = !isMeasured ? "Estimated {estimate} ({low} to {high}); nothing is measured."
        : isSlower ? "Measured {measured} {origin}, estimated {estimate} ({low} to {high}): {gap} or {share} slower."
                   : "Measured {measured} {origin}, estimated {estimate} ({low} to {high}): {gap} or {share} faster.";
    return filled(pattern,
        {{"measured", {format(audit.measured)}}, {"origin", {std::string(describe(audit.origin))}},
            {"estimate", {format(e.step)}}, {"low", {format(e.stepLow)}}, {"high", {format(e.stepHigh)}},
            {"gap", {format(isSlower ? gap : -gap)}},
            {"share", {formatShare(isSlower ? gap / e.step : -gap / e.step)}}});
}

std::string describeStep(const audit::MeasuredStep& step, int stage)
{
    const std::string_view pattern = step.source == audit::StepSource::WholeRange
        ? "The profile, {seconds} from its first kernel to its last, is taken as one step: it has neither annotations "
          "of steps nor two runs of an optimizer. It is compared with stage {stage}."
        : step.source == audit::StepSource::OptimizerKernels
        ? "Step of {seconds}, the median of {count} whole ones, told by the runs of optimizer kernels, compared with "
          "stage {stage}."
        : "Step {number} of {seconds}, the median of {count} whole ones by ProfilerStep, compared with stage {stage}.";
    return filled(pattern,
        {{"seconds", {format(step.step)}}, {"count", {std::to_string(step.steps.size())}},
            {"number", {std::to_string(step.number)}}, {"stage", {std::to_string(stage)}}});
}

std::string describe(const audit::Finding& finding)
{
    return filled(nameIn(kFindingWords, finding.code),
        {{"seconds", {format(finding.seconds)}},
            {"share", {isWordOfRate(finding.code) ? formatShare(finding.amount) : std::string()}},
            {"amount", {fixedDecimals(finding.amount, 2)}}, {"cause", {communicationOf(finding.cause)}},
            {"ranks", numberWord(finding.amount)}, {"planned", {formatNumber(finding.expected)}},
            {"expected", {formatShare(finding.expected)}}});
}

std::string describe(const audit::SettingFinding& setting)
{
    return filled(nameIn(kSettingWords, setting.setting),
        {{"name", {setting.name}}, {"found", {setting.found}}, {"recommended", {setting.recommended}},
            {"amount", {format(Seconds(setting.amount))}}});
}

std::string describe(const audit::PlanEdit& edit, Seconds now)
{
    const std::string what = edit.change ? narration::describe(*edit.change) : "fused attention in place of unfused";
    return asSentence(filled(edit.gain.value() >= 0 ? "{what}: {gain} less a step by estimate ({share})."
                                                    : "{what}: it fits, and takes {step} a step by estimate ({share}).",
        {{"what", {what}}, {"gain", {format(edit.gain)}}, {"step", {format(edit.step)}},
            {"share", {signedShare(edit.step / now - 1)}}}));
}

std::string describe(const audit::NameMismatch& mismatch)
{
    return filled("The name says {claimed}, the shape has {parameters} parameters: check layers, widths and vocabulary "
                  "before you compare it with what is published of that model.",
        {{"claimed", {mismatch.claimed.text}}, {"parameters", {formatCount(mismatch.parameters)}}});
}

std::string describeQuoted(const audit::Audit& audit)
{
    if (!audit.quoted)
        return {};
    const audit::MfuTable& table = audit.mfu;
    std::string names;
    for (const std::size_t i : audit.quotedMatches.matching)
        names += (names.empty() ? "" : ", ") + nameOf(table, i);
    const bool matches = !names.empty();
    const std::size_t nearest = matches ? audit.quotedMatches.matching.front() : audit.quotedMatches.nearest;
    const audit::MfuValue& found = table.values[nearest];
    return filled(matches ? "An MFU of {quoted} at a step of {step} is that of {names}. First of them: {words}, over "
                            "{peak}."
                          : "No convention gives an MFU of {quoted} at a step of {step}; the nearest, {name} ({words}, "
                            "over {peak}), gives {value}, and would be {quoted} at {other}.",
        {{"quoted", {formatShare(audit.quoted->mfu)}}, {"step", {format(table.step)}}, {"names", {names}},
            {"name", {nameOf(table, nearest)}}, {"words", {std::string(describe(found.flops))}},
            {"peak", {describe(table.peaks[found.peak])}}, {"value", {formatShare(found.mfu)}},
            {"other", {format(stepOf(table, nearest, audit.quoted->mfu))}}});
}

} // namespace stratoplan::reporting
