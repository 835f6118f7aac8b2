// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/estimate_json.h"

#include "core/catalog/catalog_json.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/plan/dimensions.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {

using nlohmann::ordered_json;

namespace {

ordered_json communicationToJson(const pricing::CommunicationSeconds& c)
{
    return {
        {"tp", c.tp.value()}, {"cp", c.cp.value()}, {"ep", c.ep.value()}, {"pp", c.pp.value()}, {"dp", c.dp.value()}};
}

ordered_json breakdownToJson(const pricing::Breakdown& b)
{
    ordered_json result = {{"forward", b.forward.value()}, {"backward", b.backward.value()},
        {"recompute", b.recompute.value()}, {"optimizer", b.optimizer.value()}, {"bubble", b.bubble.value()},
        {"other", b.other.value()}};
    result["communication_exposed"] = communicationToJson(b.exposed);
    result["communication_hidden"] = communicationToJson(b.hidden);
    return result;
}

ordered_json memoryToJson(const estimate::Memory& memory)
{
    ordered_json stages = ordered_json::array();
    for (const estimate::StageMemory& m : memory.stages) {
        stages.push_back({{"weights", m.weights.value()}, {"gradients", m.gradients.value()},
            {"optimizer", m.optimizer.value()}, {"activations", m.activations.value()}, {"buffers", m.buffers.value()},
            {"reserve", m.reserve.value()}, {"total", m.total().value()}});
    }
    ordered_json json{{"capacity_bytes", memory.capacity.value()}, {"peak_bytes", memory.peak.value()},
        {"peak_range_bytes", {memory.peakLow.value(), memory.peakHigh.value()}}, {"peak_stage", memory.peakStage},
        {"stages", std::move(stages)}};
    const auto differs = [&](const estimate::StageMemory& stage) { return stage.capacity != memory.capacity; };
    if (std::ranges::any_of(memory.stages, differs))
        for (const estimate::StageMemory& stage : memory.stages)
            json["stage_capacity_bytes"].push_back(stage.capacity.value());
    if (memory.hostPeak.value() > 0) {
        json["host_capacity_bytes"] = memory.hostCapacity.value();
        json["host_peak_bytes"] = memory.hostPeak.value();
    }
    return json;
}

ordered_json transferToJson(const cost::BoundaryTransfer& transfer)
{
    return {{"bytes", transfer.bytes.value()}, {"messages", transfer.messages}, {"seconds", transfer.total().value()},
        {"gather_s", transfer.gather.value()}};
}

ordered_json memberToJson(const parallel::OperatorPartition& op)
{
    ordered_json json{{"operator", op.op}, {"sequence", op.sequence}};
    for (const auto& [again, name] : {std::pair{op.againFromBefore, "before"}, std::pair{op.againFromSkip, "skip"}})
        if (again)
            json["hand_over_again"].push_back(name);
    return json;
}

template <class Value>
ordered_json memberToJson(const Value& value)
{
    if constexpr (std::is_enum_v<Value>)
        return std::string(key(value));
    else
        return value;
}

template <class Value>
ordered_json memberToJson(const std::vector<Value>& values)
{
    ordered_json list = ordered_json::array();
    for (const Value& value : values)
        list.push_back(memberToJson(value));
    return list;
}

ordered_json replicasToJson(const std::vector<estimate::ReplicaStep>& replicas)
{
    ordered_json result = ordered_json::array();
    for (const estimate::ReplicaStep& kind : replicas)
        result.push_back({{"replicas", kind.replicas}, {"micro_batches", kind.microBatches}, {"nodes", kind.nodes},
            {"step_s", kind.step.value()}});
    return result;
}

} // namespace

ordered_json toJson(const std::vector<pricing::StageBoundary>& boundaries)
{
    ordered_json result = ordered_json::array();
    for (const pricing::StageBoundary& boundary : boundaries)
        result.push_back(
            {{"from", boundary.from}, {"to", boundary.to}, {"name", boundary.down.reshards ? "resharding" : "transfer"},
                {"down", transferToJson(boundary.down)}, {"up", transferToJson(boundary.up)}});
    return result;
}

ordered_json toJson(const parallel::Strategy& s)
{
    ordered_json json = ordered_json::object();
    for (const plan::Dimension id : plan::dimensionsOfFiles()) {
        const plan::DimensionRow& row = dimension(id);
        if (!row.isSparse || !isUsual(row, s))
            json[std::string(row.key)] =
                std::visit([&](const auto& place) { return memberToJson(s.*place.field); }, row.place);
    }
    return json;
}

ordered_json toJson(const plan::Problem& problem)
{
    ordered_json remedies = ordered_json::array();
    for (const plan::Remedy& remedy : problem.remedies) {
        ordered_json edit = {{"label", narration::describe(remedy)}, {"strategy", toJson(remedy.strategy)}};
        if (remedy.software)
            edit["software"] = remedy.software->id;
        if (remedy.cluster)
            edit["cluster"] = catalog::toJson(*remedy.cluster);
        if (remedy.globalBatch)
            edit["global_batch"] = *remedy.globalBatch;
        if (remedy.lacksMemory)
            edit["fits"] = false;
        if (remedy.gain)
            edit["step_change"] = remedy.gain->slower;
        if (remedy.gain && remedy.gain->perToken)
            edit["time_per_token_change"] = *remedy.gain->perToken;
        remedies.push_back(std::move(edit));
    }
    return {{"code", std::string(key(problem.code))}, {"severity", std::string(key(problem.severity))},
        {"where", problem.where}, {"message", narration::describe(problem)}, {"found", problem.found},
        {"limit", problem.limit}, {"stage", problem.stage}, {"remedies", std::move(remedies)}};
}

ordered_json toJson(const estimate::Estimate& e)
{
    ordered_json problems = ordered_json::array();
    for (const plan::Problem& problem : e.problems)
        problems.push_back(toJson(problem));
    ordered_json stages = ordered_json::array();
    for (const pricing::Breakdown& stage : e.stages)
        stages.push_back(breakdownToJson(stage));
    ordered_json result = {{"step_s", e.step.value()}, {"tokens_per_s", e.tokensPerSecond},
        {"tflops_per_gpu", e.perAccelerator.value() / 1e12}, {"mfu", e.mfu}, {"hfu", e.hfu},
        {"tflops_per_gpu_causal", e.perAccelerator.value() * e.causalShare / 1e12},
        {"mfu_causal", e.mfu * e.causalShare}, {"fits", e.fits}};
    if (e.pipeline.schedule == parallel::Schedule::ZbAuto)
        result["in_flight_limit"] = pipeline::zeroBubbleLimit(parallel::Schedule::ZbAuto, int(e.pipeline.stages.size()),
            e.pipeline.microBatches, e.pipeline.lookahead, e.pipeline.limit);
    result["step_range_s"] = {e.stepLow.value(), e.stepHigh.value()};
    result["breakdown_s"] = breakdownToJson(e.breakdown);
    result["breakdown_by_stage_s"] = std::move(stages);
    if (!e.stageNodes.empty())
        result["stage_nodes"] = e.stageNodes;
    if (!e.replicas.empty())
        result["replicas"] = replicasToJson(e.replicas);
    result["boundaries"] = toJson(e.boundaries);
    result["memory"] = memoryToJson(e.memory);
    result["strategy"] = toJson(e.strategy);
    if (!e.settled.operatorPartitions.empty())
        result["operator_partitions"] = memberToJson(e.settled.operatorPartitions);
    result["problems"] = std::move(problems);
    result["extrapolates"] = narration::describe(e.extrapolates);
    return result;
}

ordered_json toJson(const cost::MemoryLedger& ledger)
{
    ordered_json items = ordered_json::array();
    for (const cost::LedgerItem& item : ledger)
        items.push_back({{"name", std::string(item.name)}, {"category", std::string(key(item.category))},
            {"lifetime", std::string(key(item.lifetime))}, {"bytes", item.bytes.value()}});
    return items;
}

ordered_json toJson(const estimate::MemoryPeak& peak)
{
    ordered_json json = {{"stage", peak.stage}, {"start_s", peak.at.value()}, {"seconds", peak.lasts.value()},
        {"bytes", peak.bytes.value()}, {"moment", std::string(key(peak.moment))}, {"in_flight", peak.inFlight}};
    if (peak.microBatch >= 0) {
        json["micro_batch"] = peak.microBatch;
        json["chunk"] = peak.chunk;
    }
    return json;
}

std::string estimateText(const estimate::Estimate& estimate)
{
    return toJson(estimate).dump(2) + "\n";
}

} // namespace stratoplan::exchange
