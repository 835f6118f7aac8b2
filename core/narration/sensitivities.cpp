// SPDX-License-Identifier: Apache-2.0
#include "core/narration/sensitivities.h"

#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::narration {
namespace {

using sensitivity::BreakEven;
using sensitivity::Measure;

constexpr std::pair<std::string_view, std::string_view> kInputNames[]{
    {"accelerator_rate", "rate of matrix products"},
    {"memory_bandwidth", "memory bandwidth"},
    {"accelerator_memory", "memory of an accelerator"},
    {"scale_up_bandwidth", "scale-up bandwidth"},
    {"scale_up_latency", "scale-up latency"},
    {"network_bandwidth", "network bandwidth"},
    {"network_latency", "network latency"},
    {"nodes", "nodes"},
    {"global_batch", "global batch"},
    {"sequence_length", "sequence length"},
    {"micro_batch", "micro-batch"},
    {"tokens", "token budget"},
    {"price", "price of an accelerator"},
    {"failure_rate", "failures of the run"},
    {"accelerator_mtbf", "MTBF of an accelerator"},
    {"node_mtbf", "MTBF of a node"},
    {"nic_mtbf", "MTBF of a NIC"},
    {"restart", "time to start again"},
    {"storage_bandwidth", "storage bandwidth"},
    {"evaluation_share", "share of evaluation"},
    {"data_stall_share", "share of data stalls"},
    {"power_share", "share of rated power"},
    {"pue", "PUE"},
    {"matmul_factor", "factor on matrix products"},
    {"memory_factor", "factor on memory bandwidth"},
    {"flash_forward", "flash attention, forward"},
    {"flash_backward", "flash attention, backward"},
    {"unfused_attention", "unfused attention"},
    {"score_traffic", "traffic of attention scores"},
    {"fp8_factor", "speed-up of FP8"},
    {"nvfp4_factor", "speed-up of NVFP4"},
    {"elementwise_forward", "element-wise traffic, forward"},
    {"elementwise_backward", "element-wise traffic, backward"},
    {"grouped_matmul_factor", "factor on expert products"},
    {"loss_bytes_forward", "traffic of the loss, forward"},
    {"loss_bytes_backward", "traffic of the loss, backward"},
    {"gradient_accumulation_bytes", "traffic of gradient sums"},
    {"optimizer_bytes", "traffic of the optimizer"},
    {"optimizer_fixed_ms", "fixed time of the optimizer"},
    {"shard_broadcast_ms", "broadcasts of shards"},
    {"shard_slice_us", "slices of shards"},
    {"kernel_launch_us", "kernel launches"},
    {"host_forward_ms", "host time of a layer, forward"},
    {"host_backward_ms", "host time of a layer, backward"},
    {"host_per_tp_doubling_ms", "host time per doubling of TP"},
    {"host_per_collective_us", "host time per collective"},
    {"host_per_expert_ms", "host time per expert"},
    {"tp_overlap", "overlap of TP traffic"},
    {"ep_overlap", "overlap of expert traffic"},
    {"dp_overlap", "overlap of gradient sums"},
    {"dp_exposed_floor", "exposed share of gradient sums"},
    {"fsdp_hidden", "hidden share of FSDP traffic"},
    {"overlap_contention", "contention of overlap"},
    {"p2p_exposed", "exposed share of stage transfers"},
    {"p2p_latency_ms", "latency of stage transfers"},
    {"scale_jitter", "spread of node speeds"},
    {"reserve_gib", "memory reserve"},
    {"logit_bytes", "memory of a logit"},
    {"transient_layers", "transient layers"},
};

constexpr NameTable<Measure, sensitivity::kMeasures.size()> kMeasureWords{{{Measure::Step, "step"},
    {Measure::Peak, "peak memory"}, {Measure::Days, "days"}, {Measure::Cost, "cost"}, {Measure::Energy, "energy"}}};

constexpr NameTable<Measure, sensitivity::kMeasures.size()> kBeats{
    {{Measure::Step, "{first} has the shorter step than {other} with a chance of {chance}."},
        {Measure::Peak, "{first} takes less memory than {other} with a chance of {chance}."},
        {Measure::Days, "{first} takes fewer days than {other} with a chance of {chance}."},
        {Measure::Cost, "{first} is cheaper than {other} with a chance of {chance}."},
        {Measure::Energy, "{first} takes less energy than {other} with a chance of {chance}."}}};

std::string sideText(Measure measure, double value, std::string_view currency)
{
    return std::isfinite(value) ? amountOf(measure, value, currency) : "not running";
}

std::string sentenceOfEnd(const BreakEven& found, const sensitivity::Input& input, double value,
    const BreakEven::Sides& sides, std::string_view first, std::string_view other, std::string_view currency)
{
    return filled("At {value} {first} has {ofFirst}, {other} {ofOther}.",
        {{"value", {amountOf(input, value)}}, {"first", {std::string(first)}}, {"other", {std::string(other)}},
            {"ofFirst", {sideText(found.measure, sides.first, currency)}},
            {"ofOther", {sideText(found.measure, sides.other, currency)}}});
}

} // namespace

std::string_view nameOfInput(std::string_view key)
{
    const auto* const known = std::ranges::find(kInputNames, key, [](const auto& entry) { return entry.first; });
    return known == std::end(kInputNames) ? key : known->second;
}

std::string amountOf(const sensitivity::Input& input, double value)
{
    const double inUnits = value / input.perUnit;
    const std::string number =
        input.isWhole ? groupedDigits(static_cast<long long>(std::llround(inUnits))) : formatNumber(inUnits);
    return input.unit.empty() ? number : number + (input.unit.starts_with('/') ? "" : " ") + input.unit;
}

std::string_view describe(Measure measure)
{
    return nameIn(kMeasureWords, measure);
}

std::string amountOf(Measure measure, double value, std::string_view currency)
{
    switch (measure) {
    case Measure::Step:
        return format(Seconds(value));
    case Measure::Peak:
        return format(Bytes(value));
    case Measure::Days:
        return formatNumber(value) + " days";
    case Measure::Cost:
        return formatNumber(value) + ' ' + std::string(currency);
    case Measure::Energy:
        return formatNumber(value * 1000) + "Wh"; // with its prefix: "5.30 GWh"
    }
    return formatNumber(value);
}

std::string chanceText(double chance)
{
    constexpr double kLeast = 0.01;
    if (chance < kLeast)
        return "less than 1 %";
    if (chance > 1 - kLeast)
        return "more than 99 %";
    return fixedDecimals(100 * chance, 0) + " %";
}

std::string beats(std::string_view first, std::string_view other, Measure measure, const sensitivity::Chance& chance)
{
    if (chance.ties > 1 - 1e-9)
        return filled("{first} and {other} come to the same {measure}, whatever the inputs are.",
            {{"first", {std::string(first)}}, {"other", {std::string(other)}},
                {"measure", {std::string(describe(measure))}}});
    return filled(nameIn(kBeats, measure),
        {{"first", {std::string(first)}}, {"other", {std::string(other)}},
            {"chance", {chanceText(chance.isBetter())}}});
}

std::string outOfMemory(double chance)
{
    return filled("The chance of running out of memory is {chance}.", {{"chance", {chanceText(chance)}}});
}

std::string cannotRun(double chance)
{
    return filled("The chance that it cannot run at all is {chance}; ranges are of the other draws.",
        {{"chance", {chanceText(chance)}}});
}

std::string reconciled(const sensitivity::Analysis& analysis)
{
    return filled(
        "{draws draw|draws}. Inputs of the step keep {step} of their ranges, those of the memory {peak}: more "
        "would contradict what runs like this one were measured at. What no input explains is in the figures, too.",
        {{"draws", numberWord(double(analysis.draws))}, {"step", {formatShare(analysis.ofStep)}},
            {"peak", {formatShare(analysis.ofPeak)}}});
}

std::vector<std::string> describe(const BreakEven& found, const sensitivity::Input& input, std::string_view first,
    std::string_view other, std::string_view currency)
{
    std::vector<std::string> sentences;
    for (const BreakEven::Place& place : found.places)
        sentences.push_back(filled(place.otherIsBetterAbove
                ? "From a {input} of {value} on {other} is better by {measure}: {ofOther} against {ofFirst}."
                : "Up to a {input} of {value} {other} is better by {measure}: there {ofOther} against {ofFirst}.",
            {{"input", {std::string(nameOfInput(input.key))}}, {"value", {amountOf(input, place.value)}},
                {"other", {std::string(other)}}, {"measure", {std::string(describe(found.measure))}},
                {"ofOther", {sideText(found.measure, place.at.other, currency)}},
                {"ofFirst", {sideText(found.measure, place.at.first, currency)}}}));
    if (found.places.empty() && !found.isStopped)
        sentences.push_back(filled("There is no break-even: between {low} and {high} of {input} neither becomes the "
                                   "better one.",
            {{"low", {amountOf(input, found.low)}}, {"high", {amountOf(input, found.high)}},
                {"input", {std::string(nameOfInput(input.key))}}}));
    sentences.push_back(sentenceOfEnd(found, input, found.low, found.atLow, first, other, currency));
    sentences.push_back(sentenceOfEnd(found, input, found.high, found.atHigh, first, other, currency));
    return sentences;
}

} // namespace stratoplan::narration
