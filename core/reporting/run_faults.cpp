// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/run_faults.h"

#include "core/catalog/quote.h"
#include "core/narration/problems.h"
#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/reading.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::reporting {
namespace {

using calibration::RunFault;
using calibration::RunFaultCode;

struct FaultWords {
    RunFaultCode code{};
    std::string_view found;
    std::string_view expected;
    bool quoted = false; ///< what stands there is quoted as a whole
};

// In one piece: a table of what is said of each code.
constexpr auto kFaults = [] {
    using enum RunFaultCode;
    return std::array{
        FaultWords{LogWithoutPlan, "no plan that the rows change",
            "--plan PLAN for what a log does not say: the cluster, and the model where its arguments are missing"},
        FaultWords{TableWithoutPlan, "no plan that the rows change",
            "--plan PLAN, or a line \"# plan: PLAN\" in the table (PLAN: a file or a shipped example)"},
        FaultWords{MeasuredKernels, "measured kernels", "measured runs: kernels are calibrated by themselves"},
        FaultWords{NoHeading, "no heading", "a table of measured runs"},
        FaultWords{NoIterations, "a log without an iteration line",
            "lines like \"iteration 100/ 500 | … elapsed time per iteration (ms): 1234.5 | …\""},
        FaultWords{UnitOfTime, "{quoted}", "a unit s, ms, us or min"},
        FaultWords{UnitOfMemory, "{quoted}", "a unit GiB, MiB, GB, MB or bytes"},
        FaultWords{ColumnTwice, "the column twice", "it once"},
        FaultWords{
            NoMeasuredColumn, "a heading {quoted}", "one with a column step_s or peak_gib, and others of {wanted}"},
        FaultWords{TwoPeaks, "peak_gib and allocator_gib",
            "one of them: what the device holds, or what the allocator reports"},
        FaultWords{CellCount, "{found} cells", "{limit}"},
        FaultWords{
            CellCountByCommas, "{found} cells", "{limit} (in a table parted by commas numbers take a decimal point)"},
        FaultWords{Cell, "{quoted}", "{value}"},
        FaultWords{NothingMeasured, "nothing measured", "step_s or peak_gib"},
        FaultWords{DegreesNotDividing, "tp x pp x cp = {found}", "a divisor of {limit} accelerators, or a column dp"},
        FaultWords{TooManyRanks, "more than {limit} ranks", "fewer"},
        FaultWords{OtherAccelerators, "tp x pp x cp x dp = {found}", "the {limit} accelerators that the row names"},
        FaultWords{
            StepWithoutTime, "iteration {found} without a time", "elapsed time per iteration (ms): 1234.5", true},
        FaultWords{StepTime, "{name}: {text}", "elapsed time per iteration (ms): 1234.5", true},
        FaultWords{StepTimeWithComma, "{name}: {text}", "a decimal point: {wanted}", true},
        FaultWords{ReportedPeak, "{name}: {text}", "max reserved: 12345.6", true},
        FaultWords{
            ReportWithoutPeak, "a memory report without max reserved or max allocated", "max reserved: 12345.6", true},
        FaultWords{GlobalBatch, "global batch size: {text}", "{value}", true},
        FaultWords{WarmUpOnly, "only iteration 1, the warm-up", "iterations after the warm-up"},
        FaultWords{SkippedOnly, "only iterations that were skipped, or at a change of the batch",
            "iterations after the warm-up"},
        FaultWords{Argument, "{name} {quoted}", "{value}"},
        FaultWords{
            OtherModel, "{name} {text}", "{wanted} as {part} of the plan {plan}, or a plan of the model of this log"},
        FaultWords{NoExperts, "no num_experts", "{limit} as the plan {plan} says, or a plan of the model of this log"},
        FaultWords{OtherVocabulary, "a vocabulary of {found}",
            "{limit} as the plan {plan} says, or a plan of the model of this log"},
        FaultWords{WorldSize, "world_size {found}", "a multiple of tp x pp x cp = {limit}"},
        FaultWords{WorldSizeOfReplicas, "world_size {found}", "a multiple of tp x pp x cp = {limit} x dp = {replicas}"},
        FaultWords{WorldBeyondPlan, "world_size {found}", "at most {limit}, the accelerators of the plan {plan}"},
        FaultWords{OtherLayers, "{name} {quoted}", "a transformer: other layers cannot be represented"},
    };
}();

const FaultWords& wordsOf(RunFaultCode code)
{
    return *std::find_if(kFaults.begin(), kFaults.end(), [&](const FaultWords& words) { return words.code == code; });
}

constexpr NameTable<calibration::ModelPart, 13> kParts{{
    {calibration::ModelPart::Layers, "the layers"},
    {calibration::ModelPart::HiddenSize, "the hidden size"},
    {calibration::ModelPart::Heads, "the heads"},
    {calibration::ModelPart::FfnWidth, "the FFN width"},
    {calibration::ModelPart::HeadDimension, "the head dimension"},
    {calibration::ModelPart::KvHeads, "the KV heads"},
    {calibration::ModelPart::GroupedHeads, "the grouped heads"},
    {calibration::ModelPart::GatedMlp, "the gated MLP"},
    {calibration::ModelPart::UntiedEmbeddings, "the untied embeddings"},
    {calibration::ModelPart::LatentAttention, "the latent attention"},
    {calibration::ModelPart::Experts, "the experts"},
    {calibration::ModelPart::ExpertsPerToken, "the experts per token"},
    {calibration::ModelPart::ExpertWidth, "the FFN width of an expert"},
}};

/// "a whole number from 1 to 8", and how a number with commas is to be written.
std::string valueText(const calibration::ExpectedValue& expected)
{
    using enum calibration::ExpectedValue::Kind;
    switch (expected.kind) {
    case Boolean:
        return reading::kBoolean;
    case Recomputation:
        return "none, selective or full";
    case Schedule:
        return "a schedule such as gpipe, 1f1b or interleaved";
    case PlanWithNodes:
        return "a plan with nodes";
    case WholeNumber:
    case MeasuredNumber:
        break;
    }
    const std::string range = expected.kind == WholeNumber ? reading::wholeNumber(expected.least, expected.most)
                                                           : std::string(reading::kMeasuredNumber);
    const calibration::text::CommaNumber& meant = expected.meant;
    if (!meant.thousands)
        return range;
    return filled(meant.decimals
            ? "{range}: its comma may part thousands or decimals, so write {thousands} or {decimals}"
            : "{range} without commas: {thousands}",
        {{"range", {range}}, {"thousands", {*meant.thousands}}, {"decimals", {meant.decimals.value_or("")}}});
}

std::string wordOf(const RunFault& fault, const std::string& plan, std::string_view name)
{
    if (name == "name")
        return fault.name;
    if (name == "text")
        return fault.text;
    if (name == "quoted")
        return catalog::quoteText(fault.text);
    if (name == "wanted")
        return fault.wanted;
    if (name == "part")
        return std::string(nameIn(kParts, fault.part));
    if (name == "plan")
        return plan;
    if (name == "value")
        return valueText(fault.expected);
    return std::to_string(name == "found" ? fault.found : name == "limit" ? fault.limit : fault.replicas);
}

exchange::DocumentError documentError(const RunFault& fault, const std::string& file, const std::string& plan)
{
    const FaultWords& words = wordsOf(fault.code);
    const auto word = [&](std::string_view name) { return Word{wordOf(fault, plan, name)}; };
    const std::string found = filled(words.found, word);
    return {exchange::DocumentError::Code::Schema, file, fault.place, words.quoted ? catalog::quoteText(found) : found,
        filled(words.expected, word)};
}

constexpr NameTable<calibration::MistakenUnit, 10> kUnits{{
    {calibration::MistakenUnit::None, ""},
    {calibration::MistakenUnit::Milliseconds, " (milliseconds?)"},
    {calibration::MistakenUnit::Microseconds, " (microseconds?)"},
    {calibration::MistakenUnit::Nanoseconds, " (nanoseconds?)"},
    {calibration::MistakenUnit::Minutes, " (minutes?)"},
    {calibration::MistakenUnit::SecondsAsMilliseconds, " (seconds under a heading in ms?)"},
    {calibration::MistakenUnit::Mebibytes, " (MiB?)"},
    {calibration::MistakenUnit::Kibibytes, " (KiB?)"},
    {calibration::MistakenUnit::Octets, " (bytes?)"},
    {calibration::MistakenUnit::Tebibytes, " (TiB?)"},
}};

/// Three figures, without a prefix: "1,090".
std::string plainNumber(double value)
{
    return value < 1000 || value > 1e9 ? formatNumber(value) : groupedDigits(std::llround(roundedTo(value, 3)));
}

/// "1,090 x", "1/20 of"
std::string timesText(double factor)
{
    return factor >= 1 ? filled("{factor} x", {{"factor", {plainNumber(factor)}}})
                       : filled("1/{part} of", {{"part", {plainNumber(1 / factor)}}});
}

/// In seconds where they are many: as it was written.
std::string stepText(double seconds)
{
    return seconds < 1000 ? format(Seconds(seconds)) : filled("{seconds} s", {{"seconds", {plainNumber(seconds)}}});
}

std::string_view patternOf(calibration::Implausible::Kind kind)
{
    switch (kind) {
    case calibration::Implausible::Kind::Step:
        return "found a step of {measured}, {times} the estimate{unit}, expected a time of the order of {expected}";
    case calibration::Implausible::Kind::PeakBeyondCapacity:
        return "found a peak of {measured}{unit}, expected at most the {expected} of an accelerator of the plan";
    case calibration::Implausible::Kind::PeakTooSmall:
        break;
    }
    return "found a peak of {measured}, {times} the estimate{unit}, expected memory of the order of {expected}";
}

struct ReasonWords {
    std::string operator()(const RunFault& fault) const { return describe(documentError(fault, {}, {})); }
    std::string operator()(const calibration::NotEstimable& doubt) const
    {
        return filled(
            "{place}: {problem}", {{"place", {doubt.place}}, {"problem", {narration::describe(doubt.problem)}}});
    }
    std::string operator()(const calibration::Implausible& doubt) const
    {
        const bool step = doubt.kind == calibration::Implausible::Kind::Step;
        const std::string text = filled(patternOf(doubt.kind),
            {{"measured", {step ? stepText(doubt.measured) : format(Bytes(doubt.measured))}},
                {"times", {timesText(doubt.factor)}}, {"unit", {std::string(nameIn(kUnits, doubt.meant))}},
                {"expected", {step ? format(Seconds(doubt.expected)) : format(Bytes(doubt.expected))}}});
        return doubt.place.empty() ? text : filled("{place}: {text}", {{"place", {doubt.place}}, {"text", {text}}});
    }
    std::string operator()(const std::string& text) const { return text; }
};

} // namespace

std::string describe(const calibration::FaultyRun& run)
{
    return std::visit(ReasonWords{}, run.reason);
}

exchange::DocumentErrors documentErrors(const calibration::UnusableText& text)
{
    exchange::DocumentErrors errors = text.document;
    for (const RunFault& fault : text.faults)
        errors.push_back(documentError(fault, text.file, text.planName));
    return errors;
}

exchange::DocumentError documentError(const calibration::KernelTableError& error, const std::string& file)
{
    using enum calibration::KernelTableError::Code;
    const auto quoted = [](const std::string& text) { return '"' + text + '"'; };
    const std::string column = quoted(error.column);
    exchange::DocumentError result{
        exchange::DocumentError::Code::Schema, file, "line " + std::to_string(error.line), {}, {}};
    result.found = error.code == NoValue ? std::string("nothing") : quoted(error.text);
    result.expected = error.code == Heading
        ? "the header of a table of kernels: dtype,m,n,k,microseconds; dtype,batch,seq_len,…; dtype,tokens,…; "
          "op,gpus,elements_fp16,…"
        : filled(error.code == NoValue ? "a value of {column}" : "a number of {column}", {{"column", {column}}});
    return result;
}

} // namespace stratoplan::reporting
