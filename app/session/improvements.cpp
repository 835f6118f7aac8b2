// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/improvements.h"

#include "widgets/presentation/dimension_words.h"

#include <algorithm>
#include <utility>

namespace stratoplan {

namespace {

constexpr double kWorthTelling = -0.001;

struct Change {
    QString label;
    Plan plan;
};

/// The next smaller and the next larger value of every slider, or all its values.
void addSliderValues(std::vector<Change>& changes, const Plan& plan, bool all)
{
    for (const Dimension field : kDraggedDimensions) {
        const std::vector<int> values = offeredValues(plan, field);
        const int own = number(field, plan.strategy);
        const auto at = std::find(values.begin(), values.end(), own);
        const auto add = [&](int next) {
            Change change{QStringLiteral("%1 %2 → %3").arg(tr(wordsOf(field).heading)).arg(own).arg(next), plan};
            change.plan.strategy = withValue(plan, field, next);
            changes.push_back(std::move(change));
        };
        for (auto next = values.begin(); next != values.end(); ++next)
            if (next != at && (all || (at != values.end() && (next == std::prev(at) || next == std::next(at)))))
                add(*next);
    }
}

void addSwitches(std::vector<Change>& changes, const Plan& plan)
{
    const auto add = [&](const QString& label, auto&& edit) {
        Change change{label, plan};
        edit(change.plan.strategy);
        if (change.plan != plan)
            changes.push_back(std::move(change));
    };
    add(tr("No recomputation"), [](Strategy& s) { recomputeAll(s, Recompute::None); });
    add(tr("Selective recomputation"), [](Strategy& s) { recomputeAll(s, Recompute::Selective); });
    if (plan.strategy.tp > 1)
        add(tr("Sequence parallelism on"), [](Strategy& s) { s.sequenceParallel = true; });
}

void addMachines(std::vector<Change>& changes, const Plan& plan)
{
    const auto add = [&](const QString& label, auto&& edit) {
        Change change{label, plan};
        for (NodeGroup& group : change.plan.cluster.nodes)
            edit(group);
        changes.push_back(std::move(change));
    };
    if (nodeCount(plan.cluster) > 1) {
        add(tr("Twice the network"), [](NodeGroup& g) { g.nic.bandwidth *= 2; });
        for (Connection& connection : changes.back().plan.cluster.connections)
            connection.link.bandwidth *= 2;
    }
    add(tr("Twice the links in the node"), [](NodeGroup& g) { g.scaleUp.bandwidth *= 2; });
    add(tr("Twice the memory bandwidth"), [](NodeGroup& g) { g.accelerator.memoryBandwidth *= 2; });
}

} // namespace

std::vector<Improvement> improvements(const Plan& plan, const std::stop_token& stop)
{
    const auto base = estimate(plan, {.remedies = false});
    if (!base || !(base->step > Seconds(0)))
        return {};
    std::vector<Change> changes;
    addSliderValues(changes, plan, !base->fits);
    addSwitches(changes, plan);
    addMachines(changes, plan);
    std::vector<Improvement> result;
    for (const Change& change : changes) {
        if (stop.stop_requested())
            return {};
        const auto changed = estimate(change.plan, {.remedies = false});
        if (!changed || !changed->fits)
            continue;
        const double stepChange = changed->step / base->step - 1;
        // Where the plan itself does not fit, any change that fits helps.
        if (stepChange <= kWorthTelling || !base->fits)
            result.push_back({change.label, stepChange, changed->memory.peak});
    }
    std::stable_sort(result.begin(), result.end(),
        [](const Improvement& a, const Improvement& b) { return a.stepChange < b.stepChange; });
    return result;
}

} // namespace stratoplan
