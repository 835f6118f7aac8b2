// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/partition_answer.h"

#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/problems.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::cli {
namespace {

using estimate::PartitionAnswer;
using estimate::PartitionEstimate;
using nlohmann::ordered_json;

ordered_json operatorsJson(const PartitionEstimate& e)
{
    ordered_json operators = ordered_json::array();
    for (const partition::PricedOperator& op : e.layer.operators) {
        const partition::PassPrice all = op.passes.all();
        operators.push_back({{"name", op.chosen.op}, {"sequence", op.chosen.sequence},
            {"forward_s", op.passes.forward.total().value()}, {"backward_s", op.passes.backward.total().value()},
            {"repeated_s", op.passes.repeated.total().value()}, {"compute_s", all.compute.value()},
            {"exposed_s", all.exposed.value()}, {"hidden_s", all.hidden.value()}, {"ring_bytes", all.ring.value()},
            {"collective_bytes", all.collective.value()}, {"parameters", op.parameters},
            {"kept_bytes", op.kept.value()}, {"working_bytes", op.working.value()}});
    }
    return operators;
}

ordered_json estimateJson(const PartitionEstimate& e)
{
    return {{"step_s", e.step.value()}, {"peak_bytes", e.peak.value()}, {"fits", e.fits},
        {"layer_s", e.layer.passes.total().value()}, {"operators", operatorsJson(e)},
        {"strategy", exchange::toJson(e.strategy)}};
}

ordered_json unlikeLayersJson(const estimate::UnlikeLayers& unlike)
{
    const auto secondsOrNull = [](const std::optional<Seconds>& seconds) {
        return seconds ? ordered_json(seconds->value()) : ordered_json();
    };
    return {{"layers", unlike.layers}, {"alike_s", unlike.alike.value()}, {"least_mean_s", unlike.leastMean.value()},
        {"closed_mean_s", unlike.closedMean.value()}, {"open_mean_s", unlike.openMean.value()},
        {"alike_within_memory_s", secondsOrNull(unlike.alikeWithin)},
        {"bound_within_memory_s", secondsOrNull(unlike.boundWithin)}};
}

/// Of the partition that is shown, beside Megatron's.
std::string operatorTable(const PartitionEstimate& shown, const PartitionAnswer& answer)
{
    using enum Align;
    std::vector<Align> columns{Left, Left, Right, Right, Right, Right, Right};
    std::vector<std::string> heading{"Operator", "partition", "forward", "backward", "passes", "ring", "collective"};
    if (answer.megatron) {
        columns.insert(columns.end(), {Left, Right});
        heading.insert(heading.end(), {"Megatron's partition", "Megatron's passes"});
    }
    Table table(columns);
    table.heading(heading);
    const auto& operators = shown.layer.operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const partition::PricedOperator& op = operators[i];
        const partition::PassPrice all = op.passes.all();
        std::vector<std::string> row{op.chosen.op, op.chosen.sequence, format(op.passes.forward.total()),
            format(op.passes.backward.total() + op.passes.repeated.total()), format(op.passes.total()),
            format(all.ring), format(all.collective)};
        if (answer.megatron) {
            const partition::PricedOperator& other = answer.megatron->layer.operators[i];
            row.insert(row.end(), {other.chosen.sequence, format(other.passes.total())});
        }
        table.row(row);
    }
    return table.text();
}

/// What a rank holds of each operator, and of the layer, beside what it holds of Megatron's.
std::string memoryTable(const PartitionEstimate& shown, const PartitionAnswer& answer)
{
    using enum Align;
    std::vector<Align> columns{Left, Right, Right, Right};
    std::vector<std::string> heading{"Memory of a rank", "parameters", "kept", "working"};
    if (answer.megatron) {
        columns.insert(columns.end(), {Right, Right, Right});
        heading.insert(heading.end(), {"Megatron's parameters", "kept", "working"});
    }
    Table table(columns);
    table.heading(heading);
    const auto add = [&](const std::string& name, const auto& cellsOf) {
        std::vector<std::string> row = cellsOf(shown.layer);
        row.insert(row.begin(), name);
        if (answer.megatron) {
            const std::vector<std::string> others = cellsOf(answer.megatron->layer);
            row.insert(row.end(), others.begin(), others.end());
        }
        table.row(row);
    };
    for (std::size_t i = 0; i < shown.layer.operators.size(); ++i)
        add(shown.layer.operators[i].chosen.op, [i](const partition::PricedLayer& layer) {
            const partition::PricedOperator& op = layer.operators[i];
            return std::vector<std::string>{formatNumber(op.parameters), format(op.kept), format(op.working)};
        });
    add("Layer", [](const partition::PricedLayer& layer) {
        return std::vector<std::string>{
            formatNumber(layer.parameters), format(workload::sum(layer.kept)), format(layer.working)};
    });
    return table.text();
}

constexpr std::string_view kLegend =
    "\n  Each letter halves, by one bit of a rank's number, the highest first: B sequences, M tokens, N width of the\n"
    "  input, K width of the output or channels, H heads, J keys; - holds copies. P2x2 takes two bits and cuts M, N "
    "and\n"
    "  K into two slices each, in two steps of time; P4x4 takes four, and cuts into four. Backward has what "
    "recomputation\n"
    "  repeats, too. What an operator hands on, and gets back for it in the backward pass, counts with this "
    "operator.\n\n";

constexpr std::string_view kMemoryLegend =
    "\n  Kept: of each micro-batch in flight, for its backward pass. Working: while the operator runs, of which the "
    "layer\n  has the most and not the sum.\n";

std::string alternativesTable(const PartitionAnswer& answer, const std::optional<PartitionEstimate>& planned)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Right, Left});
    table.heading({"Partition of a layer", "layer", "exposed", "step", "peak", "fits"});
    const auto add = [&](const std::string& name, const PartitionEstimate& e) {
        table.row({name, format(e.layer.passes.total()), format(e.layer.passes.all().exposed), format(e.step),
            format(e.peak), e.fits ? "yes" : "no"});
    };
    if (planned)
        add("This plan", *planned);
    add("Best spatial-temporal", answer.best);
    if (answer.megatron)
        add(answer.sequenceParallel ? "Megatron, sequence parallel" : "Megatron", *answer.megatron);
    if (answer.dataParallel)
        add("Data parallel", *answer.dataParallel);
    return table.text();
}

/// Of usual partitions that the table of alternatives lacks.
std::string missingAlternatives(const plan::Plan& plan, const PartitionAnswer& answer)
{
    const std::initializer_list<NamedWord> words{
        {"ranks", numberWord(answer.ranks)}, {"batch", numberWord(plan.strategy.microBatch)}};
    std::string text;
    if (!answer.megatron) {
        text += filled("  Megatron cannot divide this layer over TP {ranks}.", words);
        for (const plan::Problem& problem : answer.megatronProblems)
            if (problem.severity == plan::Severity::Error)
                text += ' ' + narration::describe(problem);
        text += '\n';
    }
    if (!answer.dataParallel)
        text += filled("  Data parallel cannot divide a micro-batch of {batch sequence|sequences} over {ranks} ranks: "
                       "that takes a multiple of {ranks}.\n",
            words);
    return text;
}

/// Whether layers that are divided unlike each other would take less.
std::string unlikeLayersText(const PartitionAnswer& answer)
{
    if (!answer.unlike)
        return filled("Layers divided unlike each other were not compared: {ranks} ranks divide a layer in too many "
                      "ways.\n\n",
            {{"ranks", numberWord(answer.ranks)}});
    const estimate::UnlikeLayers& unlike = *answer.unlike;
    const auto less = [](Seconds least, Seconds alike) {
        constexpr double kRounding = 1e-9;
        const double gain = 1 - least / alike;
        return gain > kRounding ? formatShare(gain) + " less than" : "no less than";
    };
    const bool hasExperts = std::ranges::any_of(answer.best.layer.operators,
        [](const partition::PricedOperator& op) { return op.kind == partition::OperatorKind::Experts; });
    std::string text =
        filled("If memory did not matter, layers divided unlike each other would take {less} alike ones: {mean} each "
               "on average,\nwith their share of the end of the step{experts}.",
            {{"less", {less(unlike.leastMean, unlike.alike)}}, {"mean", {format(unlike.leastMean)}},
                {"experts", {hasExperts ? " and without their routed experts" : ""}}});
    if (unlike.alikeWithin && *unlike.alikeWithin > unlike.alike)
        text +=
            filled("\nWithin memory alike ones take {alike}; where a stage ends as it begins, unlike ones take at best "
                   "{less} that.",
                {{"alike", {format(*unlike.alikeWithin)}}, {"less", {less(*unlike.boundWithin, *unlike.alikeWithin)}}});
    return text + "\n\n";
}

/// What a person should know before the best is used.
std::string remarks(const plan::Plan& plan, const PartitionAnswer& answer)
{
    std::string text;
    const bool megatronFits = answer.megatron && answer.megatron->fits;
    if (answer.isLeanest && !answer.fastest().fits)
        text += std::string(megatronFits ? "No spatial-temporal one" : "None")
            + " fits into memory: the best is one that needs least of it, to within half a percent.\n\n";
    if (answer.dividesAsMegatron())
        text +=
            "The best divides every operator as Megatron's partition does: their steps differ by launches, repeated "
            "passes\nand buffers, which are counted operator by operator for the best.\n\n";
    else if (answer.prefersMegatron())
        text += std::string("Megatron's partition takes no longer than the best spatial-temporal one above")
            + (answer.megatron->peak <= answer.fastest().peak ? ", nor more memory.\n\n" : ".\n\n");
    if (const PartitionEstimate* const faster = answer.faster())
        text += filled(answer.best.fits
                ? "One of the front takes less than the best, {step} at {peak}: the best is chosen by its layers and\n"
                  "parameters alone, without what the pipeline and overlap make of them. A plan that names its "
                  "partitions\nhas that step.\n\n"
                : "The best needs a little more than was counted when it was chosen, and does not fit. One of the "
                  "front fits,\n{step} at {peak}: a plan that names its partitions has that step.\n\n",
            {{"step", {format(faster->step)}}, {"peak", {format(faster->peak)}}});
    if (const double hidden = plan.training.software.tpOverlap; answer.megatron && hidden > 0)
        text += filled("Of Megatron's collectives {share} hides behind products, as its software does; of what others "
                       "exchange, what their\nown steps hide.\n\n",
            {{"share", {formatShare(hidden)}}});
    return text;
}

std::string frontTable(const PartitionAnswer& answer)
{
    Table table({Align::Right, Align::Right, Align::Left});
    table.heading({"Step", "peak", "fits"});
    for (const PartitionEstimate& point : answer.front)
        table.row({format(point.step), format(point.peak), point.fits ? "yes" : "no"});
    return table.text();
}

} // namespace

std::optional<PartitionEstimate> plannedOf(
    const plan::Plan& plan, const PartitionAnswer& answer, const std::optional<PartitionEstimate>& named)
{
    const PartitionEstimate* const other = answer.otherMegatronOf(plan.strategy);
    return other != nullptr ? *other : named;
}

const PartitionEstimate& toldOf(const PartitionAnswer& answer, const std::optional<PartitionEstimate>& planned)
{
    const bool isNamed = planned && planned->strategy.tensorPartition == parallel::TensorPartition::SpatialTemporal;
    return isNamed ? *planned : answer.best;
}

ordered_json partitionJson(const PartitionAnswer& answer, const std::optional<PartitionEstimate>& planned)
{
    ordered_json json{{"group_size", answer.ranks}, {"seconds", answer.spent.value()},
        {"best", estimateJson(answer.best)}, {"megatron", nullptr}, {"data_parallel", nullptr},
        {"front", ordered_json::array()}};
    if (answer.megatron)
        json["megatron"] = estimateJson(*answer.megatron);
    if (planned)
        json["planned"] = estimateJson(*planned);
    if (answer.dataParallel)
        json["data_parallel"] = estimateJson(*answer.dataParallel);
    for (const PartitionEstimate& point : answer.front)
        json["front"].push_back({{"step_s", point.step.value()}, {"peak_bytes", point.peak.value()},
            {"fits", point.fits}, {"strategy", exchange::toJson(point.strategy)}});
    ordered_json& states = json["states"] = ordered_json::object();
    for (std::size_t i = 0; i < answer.states.size(); ++i)
        states[answer.best.layer.operators[i].chosen.op] = answer.states[i];
    json["states_per_operator"] = *std::ranges::max_element(answer.states);
    json["unlike_layers"] = answer.unlike ? unlikeLayersJson(*answer.unlike) : ordered_json();
    json["front_is_whole"] = answer.isWholeFront && !answer.lacksFront();
    json["optimal"] = answer.best.fits && !answer.lacksFront() && answer.faster() == nullptr;
    return json;
}

std::string partitionText(const plan::Plan& plan, const PartitionAnswer& answer,
    const std::optional<PartitionEstimate>& planned, bool isStopped)
{
    const PartitionEstimate& shown = toldOf(answer, planned);
    std::string text = plan.name + "\n\nA layer over " + std::to_string(answer.ranks) + " tensor-parallel ranks, "
        + std::to_string(answer.rankOfDomain) + " in a scale-up domain; up to "
        + grouped(*std::ranges::max_element(answer.states)) + " ways to divide an operator, the best found in "
        + format(answer.spent) + ":\n\n";
    text += alternativesTable(answer, planned) + missingAlternatives(plan, answer) + '\n' + operatorTable(shown, answer)
        + std::string(kLegend) + memoryTable(shown, answer) + std::string(kMemoryLegend) + '\n';
    text += remarks(plan, answer);
    if (isStopped && answer.lacksFront())
        return text + "Stopped before the front was found: what is best for more memory or less is not told.\n";
    return text
        + (isStopped ? "Stopped before layers divided unlike each other were compared.\n\n" : unlikeLayersText(answer))
        + (answer.isWholeFront ? "More memory or less:\n\n" : "More memory or less, some of what is best:\n\n")
        + frontTable(answer);
}

} // namespace stratoplan::cli
