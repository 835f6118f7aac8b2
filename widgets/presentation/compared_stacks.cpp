// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/compared_stacks.h"

#include "core/cost/memory.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::widgets {

namespace {

void addLegend(std::vector<LegendEntry>& legend, const std::vector<LegendEntry>& more)
{
    for (const LegendEntry& entry : more)
        if (std::ranges::find(legend, entry) == legend.end())
            legend.push_back(entry);
    std::ranges::stable_sort(legend, {}, &LegendEntry::mark);
}

/// "9.84 s", and behind it the difference from the baseline, where there is one.
template <class Quantity>
QString remarkOf(Quantity shown, const Quantity* baseline)
{
    if (!baseline || sameInThreeFigures(shown.value(), baseline->value()))
        return text(shown);
    const double difference = shown.value() - baseline->value();
    return text(shown) + QStringLiteral("  ") + arrowedText(difference, text(Quantity(std::abs(difference))));
}

const estimate::Estimate* baselineOf(const std::vector<ComparedEstimate>& plans, int baseline, std::size_t shown)
{
    const bool isOther = baseline >= 0 && std::size_t(baseline) < plans.size() && std::size_t(baseline) != shown;
    return isOther ? plans[std::size_t(baseline)].estimate : nullptr;
}

} // namespace

std::optional<BreakdownView> comparedBreakdown(const std::vector<ComparedEstimate>& plans, int baseline)
{
    BreakdownView all;
    all.compares = true;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::optional<BreakdownView> view = plans[i].estimate ? breakdownView(*plans[i].estimate) : std::nullopt;
        if (!view)
            continue;
        const estimate::Estimate* before = baselineOf(plans, baseline, i);
        Stack& stack = view->stacks.front();
        stack.label = plans[i].name;
        stack.step = view->step.value();
        stack.remark = remarkOf(view->step, before ? &before->step : nullptr);
        all.step = std::max(all.step, view->step);
        all.sum = std::max(all.sum, view->sum);
        all.stacks.push_back(std::move(stack));
        addLegend(all.legend, view->legend);
    }
    return all.stacks.empty() ? std::nullopt : std::optional(std::move(all));
}

std::optional<MemoryView> comparedMemory(const std::vector<ComparedEstimate>& plans, int baseline)
{
    MemoryView all;
    all.compares = true;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::optional<MemoryView> view = plans[i].estimate ? memoryView(*plans[i].estimate) : std::nullopt;
        if (!view)
            continue;
        const estimate::Estimate* before = baselineOf(plans, baseline, i);
        Stack& stack = view->stacks[std::size_t(view->peakStage)];
        stack.label = plans[i].name;
        stack.remark = remarkOf(view->peak, before ? &before->memory.peak : nullptr);
        if (all.stacks.empty() || cost::fillsMore({view->peak, view->capacity}, {all.peak, all.capacity})) {
            all.peak = view->peak;
            all.capacity = view->capacity;
            all.peakStage = int(all.stacks.size());
        }
        all.fits = all.fits && view->fits;
        all.largest = std::max({all.largest, view->peak.value(), view->capacity.value()});
        all.capacities.push_back(view->capacity);
        all.stacks.push_back(std::move(stack));
        addLegend(all.legend, view->legend);
    }
    return all.stacks.empty() ? std::nullopt : std::optional(std::move(all));
}

} // namespace stratoplan::widgets
