// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/strategy_zones.h"

#include "app/session/known_partition.h"
#include "core/narration/problems.h"
#include "core/units/format.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <optional>

namespace stratoplan::session {

namespace {

/// One value of a slider: its estimate, or why there is none.
struct Probe {
    std::optional<Seconds> step; ///< empty: cannot be priced
    Bytes peak{};
    bool fits = false;
    std::string fault; ///< the worst problem as a sentence; empty if there is none
    bool isOpen = false; ///< nobody has priced it
};

/// The first problem of a severity that speaks about the choice: links are no choice of a strategy's, and memory
/// pressure does not make one worse.
const plan::Problem* worst(const std::vector<plan::Problem>& problems, plan::Severity severity)
{
    const auto found = std::find_if(problems.begin(), problems.end(), [&](const plan::Problem& p) {
        return p.severity == severity && p.code != plan::ProblemCode::MemoryPressure
            && p.code != plan::ProblemCode::ImpossibleLink;
    });
    return found == problems.end() ? nullptr : &*found;
}

Probe probe(const plan::Plan& plan)
{
    const auto result = estimate::estimate(plan, {.remedies = false});
    if (!result)
        return {.step = {},
            .peak = {},
            .fits = false,
            .fault = result.error().empty() ? std::string() : narration::describe(result.error().front())};
    Probe answer{.step = result->step, .peak = result->memory.peak, .fits = result->fits, .fault = {}};
    const plan::Problem* problem = worst(result->problems, plan::Severity::Error);
    if (!problem && result->fits)
        problem = worst(result->problems, plan::Severity::Warning);
    if (problem)
        answer.fault = narration::describe(*problem);
    return answer;
}

QString amounts(const Probe& p)
{
    return widgets::tr("%1 per step, %2 at the peak")
        .arg(QString::fromStdString(format(*p.step)), QString::fromStdString(format(p.peak)));
}

/// The fastest fitting value that is at least as good in both and better in one.
std::optional<std::size_t> dominating(const std::vector<Probe>& probes, std::size_t index)
{
    const Probe& current = probes[index];
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const Probe& other = probes[i];
        if (!other.fits || !other.step || *other.step > *current.step || other.peak > current.peak
            || (*other.step == *current.step && other.peak == current.peak))
            continue;
        if (!best || *other.step < *probes[*best].step)
            best = i;
    }
    return best;
}

widgets::SliderStop judge(const std::vector<int>& values, const std::vector<Probe>& probes, std::size_t index)
{
    const Probe& current = probes[index];
    widgets::SliderStop stop{values[index], widgets::Zone::Green, {}};
    if (current.isOpen) {
        stop.zone = widgets::Zone::Unknown;
        stop.reason = widgets::tr("Its best partition takes a while to find: choose it to see");
        return stop;
    }
    if (!current.step || !current.fits) {
        stop.zone = widgets::Zone::Red;
        stop.reason = QString::fromStdString(current.fault);
        return stop;
    }
    stop.reason = amounts(current);
    if (const auto better = dominating(probes, index)) {
        stop.zone = widgets::Zone::Amber;
        stop.reason +=
            u'\n' + widgets::tr("%1 is better in both: %2").arg(values[*better]).arg(amounts(probes[*better]));
    } else if (!current.fault.empty()) {
        stop.zone = widgets::Zone::Amber;
        stop.reason += u'\n' + QString::fromStdString(current.fault);
    }
    return stop;
}

} // namespace

StrategyZones strategyZones(const plan::Plan& plan, const std::stop_token& stop)
{
    StrategyZones zones;
    std::optional<Probe> ofPlan; // every slider stands on the plan itself once
    plan::Plan scratch = plan;
    const plan::Plan known = withKnownPartition(plan, stop);
    for (const plan::Dimension field : plan::kDraggedDimensions) {
        const std::vector<int> values = offeredValues(plan, field);
        std::vector<Probe> probes;
        probes.reserve(values.size());
        for (const int value : values) {
            if (stop.stop_requested())
                return zones;
            scratch.strategy = withValue(plan, field, value);
            const bool isPlan = scratch.strategy == plan.strategy;
            Probe open;
            open.isOpen = !takeKnownPartition(scratch, known);
            if (open.isOpen || !isPlan) {
                probes.push_back(open.isOpen ? open : probe(scratch));
                continue;
            }
            if (!ofPlan)
                ofPlan = probe(scratch);
            probes.push_back(*ofPlan);
        }
        std::vector<widgets::SliderStop> stops;
        stops.reserve(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            stops.push_back(judge(values, probes, i));
        zones.emplace(field, std::move(stops));
    }
    return zones;
}

} // namespace stratoplan::session
