// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/summary.h"

#include "app/cli/table.h"
#include "core/estimate/step_terms.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/partition/block.h"
#include "core/pipeline/program.h"
#include "core/plan/dimensions.h"
#include "core/pricing/divided_layers.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace stratoplan::cli {

namespace {

std::string describeCluster(const cluster::Cluster& cluster)
{
    std::string text = cluster.name;
    for (const cluster::NodeGroup& group : cluster.nodes) {
        const std::string node = group.name.empty() ? group.id : group.name;
        text += (text.empty() ? "" : ", ") + grouped(group.count) + " × " + node + " ("
            + std::to_string(group.acceleratorsPerNode) + " × " + group.accelerator.name + " each)";
    }
    return text + ", " + countedAccelerators(acceleratorCount(cluster));
}

std::string describeModel(const model::Transformer& model)
{
    const model::ParameterCount count = parameters(model);
    std::string text = (model.name.empty() ? "model" : model.name) + ", "
        + formatCount(static_cast<double>(count.total)) + " parameters";
    if (count.active != count.total)
        text += " (" + formatCount(static_cast<double>(count.active)) + " active)";
    text += ", " + std::to_string(model.layers) + " layers";
    if (model.multiTokenPredictionDepth > 0)
        text += ", " + std::to_string(model.multiTokenPredictionDepth) + " prediction module"
            + (model.multiTokenPredictionDepth > 1 ? "s" : "") + " of "
            + formatCount(static_cast<double>(count.multiTokenPrediction)) + " parameters";
    return text;
}

std::string describeTraining(const plan::Training& training)
{
    std::string text =
        grouped(training.globalBatch) + " sequences of " + grouped(training.sequenceLength) + " tokens a step, ";
    if (training.documentLength)
        text += "in documents of " + grouped(*training.documentLength) + " tokens, ";
    text += std::string(key(training.precision)) + (training.fp32Gradients ? " with FP32 gradients" : "")
        + (training.narrowReduction && training.fp32Gradients ? " reduced in 16 bits" : "")
        + (gatherBytes(training, plan::Updated::Layers) < storageBytes(training.precision) ? ", FP8 gathers, " : ", ");
    if (training.optimizer != plan::Optimizer::Adam)
        text += std::string(title(training.optimizer)) + ", ";
    const int version = flashVersion(training.attention);
    text += version > 0                                         ? "FlashAttention " + std::to_string(version)
        : training.attention == plan::AttentionKernel::FlashFp8 ? "flash attention in FP8"
                                                                : std::string(key(training.attention)) + " attention";
    return text + ", " + training.software.name;
}

/// One line of the breakdown; nothing for a part that does not occur.
void part(Table& table, const std::string& name, Seconds value, Seconds step, bool always = false)
{
    if (always || value.value() != 0)
        table.row({name, format(value), formatShare(step.value() > 0 ? value / step : 0)});
}

std::string breakdownTable(const estimate::Estimate& e)
{
    Table table({Align::Left, Align::Right, Align::Right});
    const pricing::Breakdown& b = e.breakdown;
    table.heading({"Where the step goes", "time", "share"});
    for (const auto& [term, value] : estimate::stepTerms(b)) {
        const bool always = term == estimate::StepTerm::Forward || term == estimate::StepTerm::Backward
            || term == estimate::StepTerm::Bubble || term == estimate::StepTerm::Optimizer;
        part(table, asSentence(std::string(narration::describeInStep(term))), value, e.step, always);
    }
    table.rule();
    part(table, "Sum of the parts", b.total(), e.step, true);
    if (b.hidden.total().value() != 0) {
        table.row({});
        for (const auto& [term, value] : estimate::hiddenTerms(b))
            if (value.value() != 0)
                table.row({asSentence(std::string(narration::describeHidden(term))), format(value), "in parallel"});
    }
    return table.text();
}

std::string gib(Bytes value)
{
    return fixed(value.value() / kGiB, 2);
}

/// Neighbouring stages with the same ledger share a row: 126 of them need not take a page.
std::string memoryTable(const estimate::Memory& memory)
{
    using enum Align;
    const bool differ = std::ranges::any_of(
        memory.stages, [&](const estimate::StageMemory& m) { return m.capacity != memory.stages.front().capacity; });
    std::vector<Align> columns{Left, Right, Right, Right, Right, Right, Right, Right};
    std::vector<std::string> heading{
        "Memory in GiB", "weights", "gradients", "optimizer", "activations", "buffers", "reserve", "total"};
    if (differ) {
        columns.push_back(Right);
        heading.emplace_back("of");
    }
    Table table(columns);
    table.heading(heading);
    for (std::size_t first = 0; first < memory.stages.size();) {
        std::size_t last = first;
        while (last + 1 < memory.stages.size() && memory.stages[last + 1] == memory.stages[first])
            ++last;
        const estimate::StageMemory& m = memory.stages[first];
        const std::string name = first == last ? "Stage " + std::to_string(first)
                                               : "Stages " + std::to_string(first) + "–" + std::to_string(last);
        std::vector<std::string> row{name, gib(m.weights), gib(m.gradients), gib(m.optimizer), gib(m.activations),
            gib(m.buffers), gib(m.reserve), gib(m.total())};
        if (differ)
            row.push_back(gib(m.capacity));
        table.row(row);
        first = last + 1;
    }
    return table.text();
}

/// What the stage with the peak holds, item by item.
std::string ledgerTable(const plan::Plan& plan, const estimate::Estimate& estimate, int stage)
{
    Table table({Align::Left, Align::Right, Align::Left});
    table.heading({"Held by stage " + std::to_string(stage), "GiB", "lives"});
    const std::vector<cost::MemoryLedger> ledgers = memoryLedgers(plan, estimate);
    for (const cost::LedgerItem& item : ledgers[std::size_t(stage)])
        table.row({std::string(item.name), gib(item.bytes), std::string(narration::describe(item.lifetime))});
    return table.text();
}

/// How the products of a layer that is divided in space and time are: "QKV K,K,K · FFN up P2x2,K".
std::string partitionOfProducts(const plan::Plan& plan, const estimate::Estimate& e)
{
    const partition::Block block = partition::block(plan, plan.model.moe.has_value(), plan.strategy.recompute);
    std::string text;
    for (const partition::BlockOperator& op : block.operators) {
        const auto chosen = std::ranges::find(e.settled.operatorPartitions, op.name, &parallel::OperatorPartition::op);
        if (op.kind == partition::OperatorKind::Linear && chosen != e.settled.operatorPartitions.end())
            text += (text.empty() ? "" : " · ") + chosen->op + ' ' + chosen->sequence;
    }
    return text + (plan.strategy.operatorPartitions.empty() ? "  (found)" : "  (as the plan names it)");
}

std::string verdict(const plan::Plan& plan, const estimate::Estimate& e)
{
    Table table({Align::Left, Align::Left});
    table.row({"Step time", format(e.step) + "  (" + format(e.stepLow) + " to " + format(e.stepHigh) + ")"});
    table.row({"Throughput", formatNumber(e.tokensPerSecond) + " tokens/s"});
    table.row({"Per accelerator",
        format(e.perAccelerator) + ", MFU " + formatShare(e.mfu) + ", HFU " + formatShare(e.hfu)
            + " of the dense peak, attention over the full square"});
    table.row({"",
        format(e.perAccelerator * e.causalShare) + ", MFU " + formatShare(e.mfu * e.causalShare)
            + ", over the causal half of it"});
    const std::string peak = format(e.memory.peak) + "  (" + format(e.memory.peakLow) + " to "
        + format(e.memory.peakHigh) + ") of " + format(e.memory.capacity) + " at stage "
        + std::to_string(e.memory.peakStage);
    table.row({"Memory", peak + ", " + std::string(narration::fitWords(e.memory))});
    if (e.memory.hostPeak.value() > 0)
        table.row({"Host memory",
            format(e.memory.hostPeak) + " of " + format(e.memory.hostCapacity) + " per accelerator" + ", "
                + std::string(narration::fitWords(e.memory.fitsHost()))});
    if (pricing::dividesLayers(plan.strategy))
        table.row({"Partition", partitionOfProducts(plan, e)});
    if (const auto instant = memoryPeak(e))
        table.row({"Memory peak", describePeak(*instant, effectiveChunks(e.pipeline.schedule, e.pipeline.chunks))});
    return table.text();
}

/// "4, 4, 2"
template <class Value, class Text>
std::string joined(const std::vector<Value>& values, Text textOf)
{
    std::string text;
    for (const Value& value : values)
        text += (text.empty() ? "" : ", ") + textOf(value);
    return text;
}

/// "4 × 15, 1"
std::string inRuns(const std::vector<int>& layers)
{
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
        while (end < layers.size() && layers[end] == layers[begin])
            ++end;
        text += (begin == 0 ? "" : ", ") + std::to_string(layers[begin]);
        if (end - begin > 1)
            text += " × " + std::to_string(end - begin);
    }
    return text;
}

/// What stages and replicas have of their own.
std::string shares(const parallel::Strategy& s)
{
    std::string text;
    if (!s.stageLayers.empty())
        text += " · layers by stage " + inRuns(s.stageLayers);
    if (!s.replicaMicroBatches.empty())
        text += " · micro-batches by replica " + inRuns(s.replicaMicroBatches);
    if (!s.stageTp.empty())
        text += " · TP by stage " + joined(s.stageTp, [](int tp) { return std::to_string(tp); });
    return text;
}

} // namespace

std::string describeStrategy(const parallel::Strategy& s, const std::string& order)
{
    std::string text = "TP " + std::to_string(s.tp) + " · PP " + std::to_string(s.pp) + " · DP " + std::to_string(s.dp);
    const auto degree = [&](const char* name, int value) {
        if (value > 1)
            text += std::string(" · ") + name + ' ' + std::to_string(value);
    };
    degree("CP", s.cp);
    if (s.cp > 1 && s.contextMethod != parallel::ContextMethod::Ring)
        text += " (" + std::string(key(s.contextMethod)) + ')';
    degree("EP", s.ep);
    degree("ETP", s.etp);
    degree("VPP", s.vpp);
    text += " · micro-batch " + std::to_string(s.microBatch) + " · ZeRO-" + std::to_string(s.zeroStage);
    if (s.zeroShards > 0)
        text += " over " + std::to_string(s.zeroShards);
    if (s.sequenceParallel && s.tensorPartition == parallel::TensorPartition::Megatron) // others cut sequences anyway
        text += " · sequence parallel";
    text += shares(s);
    text += " · recompute "
        + (s.stageRecompute.empty() ? std::string(key(s.recompute))
                                    : "by stage "
                    + joined(s.stageRecompute, [](parallel::Recompute kind) { return std::string(key(kind)); }));
    if (!s.recomputedLayers.empty())
        text +=
            " (in full " + joined(s.recomputedLayers, [](int layers) { return std::to_string(layers); }) + " layers)";
    text += " · " + (order.empty() ? std::string(key(s.schedule)) : "order of " + order);
    if (order.empty() && s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit > 0)
        text += " in " + std::to_string(s.inFlightLimit) + " micro-batches";
    for (const plan::Dimension id : plan::dimensionsOfFiles())
        if (const std::string brief = briefOf(dimension(id), s); !brief.empty())
            text += " · " + brief;
    if (s.rankOrder != parallel::Strategy{}.rankOrder)
        text += " · ranks " + joined(s.rankOrder, [](parallel::Axis axis) { return std::string(key(axis)); });
    return text;
}

std::string describeResharding(const std::vector<pricing::StageBoundary>& boundaries)
{
    if (std::none_of(boundaries.begin(), boundaries.end(),
            [](const pricing::StageBoundary& boundary) { return boundary.down.reshards; }))
        return {};
    using enum Align;
    Table table({Left, Left, Right, Right, Right});
    table.heading({"Boundary", "carries", "bytes per rank", "down", "up"});
    for (const pricing::StageBoundary& boundary : boundaries)
        table.row({"Stage " + std::to_string(boundary.from) + " to " + std::to_string(boundary.to),
            boundary.down.reshards ? "resharding" : "transfer",
            format(std::max(boundary.down.bytes, boundary.up.bytes)), format(boundary.down.total()),
            format(boundary.up.total())});
    return table.text();
}

std::string describePeak(const estimate::MemoryPeak& peak, int chunks)
{
    std::string text = "stage " + std::to_string(peak.stage) + ", " + narration::describeMoment(peak, chunks)
        + ", from " + format(peak.at);
    if (peak.inFlight > 0)
        text += ", " + formatNumber(peak.inFlight) + (peak.inFlight == 1 ? " micro-batch" : " micro-batches")
            + " in flight";
    return text;
}

std::string describePlan(const plan::Plan& plan, const std::string& order)
{
    Table table({Align::Left, Align::Left});
    table.row({"Model", describeModel(plan.model)});
    table.row({"Cluster", describeCluster(plan.cluster)});
    table.row({"Training", describeTraining(plan.training)});
    table.row({"Strategy", describeStrategy(plan.strategy, order)});
    if (const std::string nodes = narration::describeStageNodes(plan); !nodes.empty())
        table.row({"Runs", nodes});
    return (plan.name.empty() ? std::string() : plan.name + "\n\n") + table.text();
}

std::string describeProblems(const std::vector<plan::Problem>& problems)
{
    std::string text = problems.empty() ? "" : "\nProblems\n";
    for (const plan::Problem& problem : problems) {
        text += "  " + std::string(key(problem.severity)) + (problem.where.empty() ? "" : " at " + problem.where) + ": "
            + narration::describe(problem) + '\n';
        for (const plan::Remedy& remedy : problem.remedies)
            text += "    remedy: " + narration::describe(remedy) + '\n';
    }
    return text;
}

std::string describeEstimate(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    const std::string resharding = describeResharding(estimate.boundaries);
    const std::string replicas = narration::describeReplicas(plan, estimate.replicas);
    std::string text = describePlan(plan) + '\n' + verdict(plan, estimate)
        + (replicas.empty() ? "" : "\nReplicas: " + replicas + '\n') + '\n' + breakdownTable(estimate) + '\n'
        + (resharding.empty() ? "" : resharding + '\n') + memoryTable(estimate.memory) + '\n'
        + ledgerTable(plan, estimate, estimate.memory.peakStage);
    text += describeProblems(estimate.problems);
    if (!estimate.extrapolates.empty()) {
        text += "\nBeyond what was calibrated\n";
        for (const std::string& what : narration::describe(estimate.extrapolates))
            text += "  " + what + '\n';
    }
    return text;
}

} // namespace stratoplan::cli
