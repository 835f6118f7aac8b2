// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fronts_answer.h"

#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/searches.h"
#include "core/search/pair_fronts.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 10; // of a front, for people

/// The first of those that are equal in all three.
std::vector<search::FoundStrategy> firsts(
    const std::vector<search::FoundStrategy>& found, std::vector<std::int64_t>& equals)
{
    std::vector<search::FoundStrategy> result;
    for (const search::FoundStrategy& candidate : found) {
        const bool same = !result.empty() && result.back().step == candidate.step
            && result.back().peak == candidate.peak
            && rankCount(result.back().strategy) == rankCount(candidate.strategy);
        if (same) {
            ++equals.back();
            continue;
        }
        result.push_back(candidate);
        equals.push_back(1);
    }
    return result;
}

std::string frontText(const SearchAnswer& answer, const std::vector<search::FoundStrategy>& points,
    search::FrontMeasure first, search::FrontMeasure second)
{
    const std::vector<std::size_t> front = pairFront(points, first, second);
    Table table({Align::Right, Align::Right, Align::Right, Align::Right, Align::Left});
    table.heading({"step", "peak", "accelerators", "tokens per accelerator-hour", "strategy"});
    const std::size_t rows = std::min(front.size(), kMostRows);
    for (std::size_t row = 0; row < rows; ++row) { // evenly, both ends among them
        const search::FoundStrategy& found = points[front[rows == 1 ? 0 : row * (front.size() - 1) / (rows - 1)]];
        table.row({format(found.step), format(found.peak), grouped(rankCount(found.strategy)),
            formatCount(tokensPerStep(answer.plan) * 3600 / measure(found, search::FrontMeasure::AcceleratorTime)),
            describeFound(answer, found)});
    }
    std::string title(narration::describe(first));
    title += " against " + std::string(narration::describe(second)) + ": " + grouped(std::int64_t(front.size()))
        + (front.size() == 1 ? " point" : " points")
        + (front.size() > rows ? ", of which " + grouped(std::int64_t(rows)) + " (--json has all)" : std::string());
    title.front() = char(std::toupper(static_cast<unsigned char>(title.front())));
    return title + '\n' + table.text() + '\n';
}

} // namespace

void addFronts(const SearchAnswer& answer, Json& json)
{
    std::vector<std::int64_t> equals;
    const std::vector<search::FoundStrategy> points = firsts(answer.result.byAccelerators, equals);
    json["by_accelerators"] = Json::array();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const search::FoundStrategy& found = points[i];
        Json strategy = exchange::toJson(found.strategy);
        if (found.precision != answer.plan.training.precision)
            strategy["precision"] = std::string(key(found.precision));
        json["by_accelerators"].push_back({{"strategy", std::move(strategy)}, {"step_s", found.step.value()},
            {"tokens_per_s", tokensPerStep(answer.plan) / found.step.value()}, {"peak_bytes", found.peak.value()},
            {"accelerators", rankCount(found.strategy)},
            {"tokens_per_accelerator_s",
                tokensPerStep(answer.plan) / measure(found, search::FrontMeasure::AcceleratorTime)},
            {"equals", equals[i]}});
    }
    json["fronts"] = Json::array();
    for (const auto& [first, second] : search::kFrontPairs)
        json["fronts"].push_back({{"measures", {std::string(key(first)), std::string(key(second))}},
            {"points", pairFront(points, first, second)}});
}

std::string describeFronts(const SearchAnswer& answer)
{
    std::vector<std::int64_t> equals;
    const std::vector<search::FoundStrategy> points = firsts(answer.result.byAccelerators, equals);
    std::string text;
    if (!answer.space.leaveIdle)
        text += "All strategies of this space use as many accelerators: the fronts follow from throughput against peak "
                "memory. A space with leave_idle, such as whole, varies them.\n\n";
    if (!points.empty())
        for (const auto& [first, second] : search::kFrontPairs)
            text += frontText(answer, points, first, second);
    return text + "Tokens per dollar and per joule are those per accelerator-hour over its price and its energy.\n\n";
}

} // namespace stratoplan::cli
