// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/chosen_plan.h"

#include "core/cluster/accelerator_runs.h"
#include "core/exchange/capacity_answer_json.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/json_text.h"
#include "core/parallel/rank_places.h"

#include <nlohmann/json.hpp>

#include <array>
#include <set>

namespace stratoplan::exchange {

using nlohmann::ordered_json;

namespace {

using parallel::Axis;
using parallel::RankGroup;

constexpr std::array<std::pair<Axis, RankGroup>, 5> kMappedAxes{
    {{Axis::Tp, RankGroup::Tensor}, {Axis::Cp, RankGroup::Context}, {Axis::Ep, RankGroup::Expert},
        {Axis::Dp, RankGroup::Data}, {Axis::Pp, RankGroup::Pipeline}}};

/// Where each rank stands along each axis.
class RankCoordinates {
public:
    explicit RankCoordinates(const parallel::Strategy& strategy)
    {
        for (int stage = 0; stage < (strategy.stageTp.empty() ? 1 : strategy.pp); ++stage) {
            std::vector<parallel::GroupPlaces>& places = m_stages.emplace_back();
            for (const auto& [axis, group] : kMappedAxes)
                places.emplace_back(parallel::stageStrategy(strategy, stage), group);
        }
    }

    void append(ordered_json& row, int rank) const
    {
        const std::size_t stage = m_stages.size() == 1 ? 0 : std::size_t(m_stages.front().back().placeOf(rank));
        for (const parallel::GroupPlaces& places : m_stages[stage])
            row.push_back(places.placeOf(rank));
    }

private:
    std::vector<std::vector<parallel::GroupPlaces>> m_stages; ///< one where they are alike
};

/// A line for each rank: which accelerator of which node it is, and its place along each axis, all from 0 on.
ordered_json rankMap(const plan::Plan& plan)
{
    ordered_json columns{"rank", "nodes", "node", "accelerator"};
    for (const auto& [axis, group] : kMappedAxes)
        columns.push_back(std::string(key(axis)));
    const RankCoordinates coordinates(plan.strategy);
    const std::vector<cluster::AcceleratorRun> runs = cluster::acceleratorRuns(plan.cluster);
    ordered_json rows = ordered_json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const cluster::NodeGroup& group = plan.cluster.nodes[i];
        const int perNode = std::max(1, group.acceleratorsPerNode);
        const int ranks = std::min(runs[i].count, rankCount(plan.strategy) - runs[i].first);
        for (int k = 0; k < ranks; ++k) {
            const int rank = runs[i].first + k;
            ordered_json row{rank, group.id, k / perNode, k % perNode};
            coordinates.append(row, rank);
            rows.push_back(std::move(row));
        }
    }
    return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

/// Where what the plan is made of is from, each once.
ordered_json sourcesOf(const plan::Plan& plan)
{
    ordered_json sources = ordered_json::array();
    std::set<std::string> seen;
    const auto add = [&](const char* kind, const std::string& id, const std::string& source) {
        if (!source.empty() && seen.insert(kind + id).second)
            sources.push_back({{"of", kind}, {"id", id}, {"source", source}});
    };
    add("model", plan.model.name, plan.model.source);
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        add("accelerator", group.accelerator.id, group.accelerator.source);
        add("link", group.scaleUp.id, group.scaleUp.source);
        add("link", group.nic.id, group.nic.source);
    }
    for (const cluster::Connection& connection : plan.cluster.connections)
        add("link", connection.link.id, connection.link.source);
    add("software", plan.training.software.id, plan.training.software.source);
    return sources;
}

ordered_json answerOf(const plan::Project& project, const estimate::Estimate& estimate, const Program& program)
{
    const plan::Plan& plan = project.plan;
    ordered_json answer{{"program", {{"name", program.name}, {"version", program.version}}},
        {"stage_layers", parallel::stageLayers(estimate.settled, plan.model.layers)}, {"estimate", toJson(estimate)}};
    if (hasBudget(project.capacity))
        answer["capacity"] =
            toJson(plan, capacity::capacity(plan, estimate, project.capacity), project.capacity, estimate);
    answer["rank_map"] = rankMap(plan);
    answer["sources"] = sourcesOf(plan);
    return answer;
}

} // namespace

std::string writeChosenPlan(const plan::Project& project, const estimate::Estimate& estimate, const Program& program,
    const catalog::Catalog& catalog, std::string_view original)
{
    auto document = parseJson(writePlan(project.plan, catalog, original, &project.capacity));
    ordered_json& chosen = *document; // our own text
    chosen["answer"] = answerOf(project, estimate, program);
    return prettyJson(chosen);
}

std::optional<StatedAnswer> statedAnswer(const Document& document)
{
    const auto parsed = document.isProject ? parseJson("{}") : parseJson(document.original);
    if (!parsed || !parsed->contains("answer"))
        return std::nullopt;
    const ordered_json& answer = parsed->at("answer"); // as the schema has it
    const ordered_json& step = answer.at("estimate").at("step_s");
    if (!step.is_number())
        return std::nullopt;
    return StatedAnswer{step.get<double>(), answer.at("program").at("version").get<std::string>()};
}

} // namespace stratoplan::exchange
