// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/documents.h"

#include "core/plan/dimensions.h"
#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace stratoplan::reporting {
namespace {

constexpr NameTable<exchange::Leftover, 13> kLeftovers{{
    {exchange::Leftover::PostNorms, "norms after attention and FFN"},
    {exchange::Leftover::WideQkNorm, "norms of queries and keys with weights of their own for every head"},
    {exchange::Leftover::BareQkNorm, "weights of the norms of queries and keys"},
    {exchange::Leftover::BareNorm, "biases of the norms"},
    {exchange::Leftover::NoNormWeights, "weights and biases of the norms"},
    {exchange::Leftover::PairedNorms, "the second norm of a parallel block"},
    {exchange::Leftover::Sinks, "attention sinks"},
    {exchange::Leftover::SharedGate, "the gate of the shared expert"},
    {exchange::Leftover::QkvBias, "biases of queries, keys and values, in latent attention of their compressed forms"},
    {exchange::Leftover::OutBias, "biases of the attention's output"},
    {exchange::Leftover::MlpBias, "biases of the FFN"},
    {exchange::Leftover::HeadBias, "biases of the output projection"},
    {exchange::Leftover::OutputGate, "gates of the attention's output"},
}};

struct SimplificationWords {
    std::string operator()(const exchange::LanguagePartOnly& only) const
    {
        return filled("only the language model ({part}) is taken", {{"part", {only.part}}});
    }
    std::string operator()(const exchange::ChunksAsFullAttention& chunks) const
    {
        return chunks.sized ? "attention_chunk_size: attention inside chunks is counted as full attention, which it is "
                              "up to that length"
                            : "layer_types: attention inside chunks is counted as full attention";
    }
    std::string operator()(const exchange::IrregularWindow& window) const
    {
        return filled(window.interval == 1
                ? "full attention in {full} of {layers} layers, at no regular distance: counted in all"
                : "full attention in {full} of {layers} layers, at no regular distance: counted in every layer whose "
                  "number {interval} divides",
            {{"full", {std::to_string(window.full)}}, {"layers", {std::to_string(window.layers)}},
                {"interval", {std::to_string(window.interval)}}});
    }
    std::string operator()(const exchange::IrregularExperts& experts) const
    {
        return filled(experts.interval > 1
                ? "experts in {count} of {layers} layers: counted in every layer whose number {interval} divides"
                : "experts in {count} of {layers} layers, at no regular distance: counted in the last ones, with the "
                  "same parameters",
            {{"count", {std::to_string(experts.count)}}, {"layers", {std::to_string(experts.layers)}},
                {"interval", {std::to_string(experts.interval)}}});
    }
    std::string operator()(const exchange::StandInLayers& in) const
    {
        return filled(
            "{layers} layers of {kind} are not modelled: attention over a window of {window} tokens stands in for "
            "them, off by {share} of the model's FLOPs at {length} tokens and by {count} parameters",
            {{"layers", {std::to_string(in.layers)}}, {"kind", {in.kind}}, {"window", {groupedDigits(in.window)}},
                {"share", {formatShare(in.share)}}, {"length", {groupedDigits(in.length)}},
                {"count", {groupedDigits(std::abs(in.parameters))}}});
    }
    std::string operator()(const exchange::LeftoverParameters& left) const
    {
        return filled(left.parameters > 0
                ? "left out: {what}, {count} parameters, {share} of the model"
                : "counted, though the model has none: {what}, {count} parameters, {share} of the model",
            {{"what", {std::string(nameIn(kLeftovers, left.what))}},
                {"count", {groupedDigits(std::abs(left.parameters))}},
                {"share", {left.share < 1e-4 ? "less than 0.01 %" : formatShare(left.share)}}});
    }
};

std::string_view patternOf(exchange::StudyFault::Code code)
{
    using enum exchange::StudyFault::Code;
    switch (code) {
    case Unreadable:
        return "{where}: {detail}";
    case NoJson:
        return "{where}: no JSON: {detail}";
    case NoAnswer:
        return "{where}: no answer of a sweep: {detail}";
    case CutShort:
        return "{where}: cut short; sweep --resume answers that plan again";
    case OtherStudy:
        return "{where}: of another study: it varies other fields, or another plan";
    case Contradiction:
        break;
    }
    return "{where}: plan {detail} is answered otherwise further up";
}

struct ScheduleWords {
    exchange::ScheduleFaultCode code{};
    std::string_view found;
    std::string_view expected;
};

constexpr auto kSchedules = [] {
    using enum exchange::ScheduleFaultCode;
    return std::array{
        ScheduleWords{UnknownPass, "\"{text}\"", "a pass such as F0, B0, I0 or W0, with its chunk as in F0.1"},
        ScheduleWords{MicroBatch, "{text}", "micro-batches 0 to {limit}"},
        ScheduleWords{Chunk, "{text}", "chunks 0 to {limit}"},
        ScheduleWords{WrongWay, "{text}",
            "micro-batches 0 to {limit} in chunk 0, which go down the pipeline, and the others in chunk 1"},
        ScheduleWords{PassTwice, "{text}", "every pass once"},
        ScheduleWords{NoInputGradient, "{text}", "its input gradient before it"},
        ScheduleWords{NoForwardPass, "{text}", "its forward pass before it"},
        ScheduleWords{PassMissing, "no {text}", "every pass of every micro-batch"},
        ScheduleWords{MoreStages, "a line for stage {found}", "{limit} lines, one per stage"},
        ScheduleWords{FewerStages, "{found} lines of passes", "{limit}, one per stage"},
        ScheduleWords{Deadlock, "{stuck}", "an order in which every input is made before it is waited for"},
    };
}();

std::string stuckText(const exchange::ScheduleFault& fault)
{
    const std::vector<pipeline::StuckPass>& stuck = fault.stuck;
    const auto passText = [&](std::string_view pattern, std::size_t k) {
        return filled(pattern,
            {{"stage", {std::to_string(stuck[k].stage)}}, {"pass", {exchange::passName(stuck[k].pass, fault.chunks)}},
                {"next", {std::to_string(stuck[(k + 1) % stuck.size()].stage)}}});
    };
    if (stuck.size() == 1)
        return passText("a stage that waits for itself for ever: stage {stage} in {pass}", 0);
    std::string list;
    for (std::size_t k = 0; k < stuck.size(); ++k)
        list += (k > 0 ? ", " : "") + passText("stage {stage} in {pass} for stage {next}", k);
    return filled("stages that wait for each other for ever: {list}", {{"list", {list}}});
}

} // namespace

std::string describe(const exchange::Simplification& simplification)
{
    return std::visit(SimplificationWords{}, simplification);
}

std::vector<std::string> describe(const std::vector<exchange::Simplification>& simplifications)
{
    std::vector<std::string> sentences;
    for (const exchange::Simplification& simplification : simplifications)
        sentences.push_back(describe(simplification));
    return sentences;
}

std::vector<std::string> assumptions(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const plan::Training& t = plan.training;
    const auto word = [&](std::string_view name) -> Word {
        const std::array<std::pair<std::string_view, int>, 11> numbers{
            {{"accelerators", acceleratorCount(plan.cluster)}, {"batch", t.globalBatch}, {"micro", s.microBatch},
                {"tokens", t.sequenceLength}, {"tp", s.tp}, {"pp", s.pp}, {"dp", s.dp}, {"ep", s.ep}, {"cp", s.cp},
                {"vpp", s.vpp}, {"zero", s.zeroStage}}};
        for (const auto& [known, number] : numbers)
            if (known == name)
                return {groupedDigits(number)};
        return {name == "schedule"  ? std::string(key(s.schedule))
                : name == "cluster" ? plan.cluster.name
                                    : t.software.name};
    };
    std::string strategy = "strategy: TP {tp}, PP {pp}, DP {dp}";
    for (const auto& [is, part] : {std::pair(s.cp > 1, ", CP {cp}"), std::pair(s.ep > 1, ", EP {ep}"),
             std::pair(s.vpp > 1, ", VPP {vpp}"), std::pair(s.pp > 1, ", schedule {schedule}")})
        if (is)
            strategy += part;
    strategy += ", ZeRO stage {zero}";
    std::vector<std::string> lines;
    for (const std::string_view pattern : {std::string_view("cluster: {cluster}, {accelerators} accelerators"),
             std::string_view("global batch: {batch} sequences, micro-batch {micro}"),
             std::string_view("sequence length: {tokens} tokens"), std::string_view(strategy)})
        lines.push_back(filled(pattern, word));
    lines.push_back("recomputation: " + std::string(key(s.recompute)));
    lines.push_back("precision: " + std::string(key(t.precision)));
    lines.push_back("software: " + t.software.name);
    return lines;
}

std::vector<std::string> changes(const parallel::Strategy& before, const parallel::Strategy& after)
{
    std::vector<std::string> lines;
    for (const plan::Dimension id : plan::dimensionsOfFiles()) {
        const std::string now = valueText(plan::dimension(id), after);
        if (now != valueText(plan::dimension(id), before))
            lines.push_back(filled("{before} → {now}", {{"before", {phraseOf(id, before)}}, {"now", {now}}}));
    }
    return lines;
}

std::string describe(const exchange::StudyFault& fault)
{
    const std::string where = filled(fault.line > 0 ? "{file}, line {line}" : "{file}",
        {{"file", {fault.file}}, {"line", {std::to_string(fault.line)}}});
    return filled(patternOf(fault.code), {{"where", {where}}, {"detail", {fault.detail}}});
}

exchange::DocumentError documentError(const exchange::ScheduleFault& fault, const std::string& file)
{
    const ScheduleWords& words = *std::find_if(kSchedules.begin(), kSchedules.end(),
        [&](const ScheduleWords& candidate) { return candidate.code == fault.code; });
    const auto word = [&](std::string_view name) -> Word {
        return {name == "text"    ? fault.text
                : name == "stuck" ? stuckText(fault)
                                  : std::to_string(name == "found" ? fault.found : fault.limit)};
    };
    return {exchange::DocumentError::Code::Syntax, file,
        fault.line > 0 ? "line " + std::to_string(fault.line) : std::string(), filled(words.found, word),
        filled(words.expected, word), {}};
}

} // namespace stratoplan::reporting
