// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/improvements.h"

#include "app/session/known_partition.h"
#include "core/cluster/cluster_edits.h"
#include "widgets/presentation/dimension_words.h"

#include <algorithm>
#include <utility>

namespace stratoplan::session {

namespace {

constexpr double kWorthTelling = -0.001;

struct Change {
    QString label;
    plan::Plan plan;
};

/// "PP 4 → 8"
QString changeOf(plan::Dimension field, int before, int after)
{
    return QStringLiteral("%1 %2 → %3").arg(widgets::tr(widgets::wordsOf(field).heading)).arg(before).arg(after);
}

/// The next smaller and the next larger value of every slider, or all its values.
void addSliderValues(std::vector<Change>& changes, const plan::Plan& plan, bool all)
{
    for (const plan::Dimension field : plan::kDraggedDimensions) {
        const std::vector<int> values = offeredValues(plan, field);
        const int current = number(field, plan.strategy);
        const auto place = std::find(values.begin(), values.end(), current);
        const auto add = [&](int next) {
            Change change{changeOf(field, current, next), plan};
            change.plan.strategy = withValue(plan, field, next);
            using plan::Dimension;
            if (const int dp = change.plan.strategy.dp; field != Dimension::Dp && dp != plan.strategy.dp)
                change.label += QStringLiteral(", ") + changeOf(Dimension::Dp, plan.strategy.dp, dp);
            changes.push_back(std::move(change));
        };
        for (auto next = values.begin(); next != values.end(); ++next)
            if (next != place
                && (all || (place != values.end() && (next == std::prev(place) || next == std::next(place)))))
                add(*next);
    }
}

void addSwitches(std::vector<Change>& changes, const plan::Plan& plan)
{
    const auto add = [&](const QString& label, auto&& edit) {
        Change change{label, plan};
        edit(change.plan.strategy);
        if (change.plan != plan)
            changes.push_back(std::move(change));
    };
    add(widgets::tr("No recomputation"), [](parallel::Strategy& s) { recomputeAll(s, parallel::Recompute::None); });
    add(widgets::tr("Selective recomputation"),
        [](parallel::Strategy& s) { recomputeAll(s, parallel::Recompute::Selective); });
    if (plan.strategy.tp > 1 && plan.strategy.tensorPartition == parallel::TensorPartition::Megatron)
        add(widgets::tr("Sequence parallelism on"), [](parallel::Strategy& s) { s.sequenceParallel = true; });
}

void addMachines(std::vector<Change>& changes, const plan::Plan& plan)
{
    const auto add = [&](const QString& label, auto&& edit) {
        Change change{label, plan};
        for (cluster::NodeGroup& group : change.plan.cluster.nodes)
            edit(group);
        changes.push_back(std::move(change));
    };
    if (nodeCount(plan.cluster) > 1) {
        changes.push_back({widgets::tr("Twice the network"), plan});
        speedUpNetwork(changes.back().plan.cluster, 2);
    }
    add(widgets::tr("Twice the links in the node"), [](cluster::NodeGroup& g) { g.scaleUp.bandwidth *= 2; });
    add(widgets::tr("Twice the memory bandwidth"), [](cluster::NodeGroup& g) { g.accelerator.memoryBandwidth *= 2; });
}

} // namespace

std::vector<Improvement> improvements(const plan::Plan& plan, const std::stop_token& stop)
{
    const auto base = estimate::estimate(plan, {.remedies = false, .waits = false, .stop = stop});
    if (!base || !(base->step > Seconds(0)))
        return {};
    std::vector<Change> changes;
    addSliderValues(changes, plan, !base->fits);
    addSwitches(changes, plan);
    addMachines(changes, plan);
    plan::Plan known = plan;
    known.strategy = base->settled;
    std::vector<Improvement> result;
    for (Change& change : changes) {
        if (stop.stop_requested())
            return {};
        if (!takeKnownPartition(change.plan, known))
            continue;
        const auto changed = estimate::estimate(change.plan, {.remedies = false, .waits = false, .stop = stop});
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

} // namespace stratoplan::session
