// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_sums.h"

#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stratoplan::widgets {

namespace {

/// What a pass is to the phases of its stage.
enum class Role { Forward, Backward, OtherPass, None };

Role roleOf(pipeline::SliceKind kind)
{
    switch (kind) {
    case pipeline::SliceKind::Forward:
        return Role::Forward;
    case pipeline::SliceKind::Backward:
        return Role::Backward;
    case pipeline::SliceKind::WeightGradient:
    case pipeline::SliceKind::Recompute:
        return Role::OtherPass;
    case pipeline::SliceKind::SendForward:
    case pipeline::SliceKind::SendBackward:
    case pipeline::SliceKind::ReshardForward:
    case pipeline::SliceKind::ReshardBackward:
    case pipeline::SliceKind::GradientSync:
    case pipeline::SliceKind::Optimizer:
    case pipeline::SliceKind::ParameterGather:
        return Role::None;
    }
    return Role::None;
}

template <class Kind>
void addTo(std::map<Kind, AreaSums::Sum<Kind>>& sums, Kind kind, double seconds)
{
    AreaSums::Sum<Kind>& sum = sums[kind];
    sum.kind = kind;
    ++sum.count;
    sum.total += Seconds(seconds);
    sum.longest = std::max(sum.longest, Seconds(seconds));
}

template <class Kind>
std::vector<AreaSums::Sum<Kind>> listed(const std::map<Kind, AreaSums::Sum<Kind>>& sums)
{
    std::vector<AreaSums::Sum<Kind>> list;
    for (const auto& [kind, sum] : sums)
        list.push_back(sum);
    return list;
}

/// The waits of each stage as intervals.
std::vector<std::vector<Interval>> waitsByStage(const pipeline::Timeline& t)
{
    std::vector<std::vector<Interval>> result(static_cast<std::size_t>(std::max(t.stages, 0)));
    for (const pipeline::Wait& w : t.waits) {
        if (w.stage >= 0 && w.stage < t.stages && w.duration > Seconds(0))
            result[static_cast<std::size_t>(w.stage)].push_back({w.start.value(), (w.start + w.duration).value()});
    }
    return result;
}

/// What lies in `a` and not in `b`.
std::vector<Interval> without(const std::vector<Interval>& a, const std::vector<Interval>& b)
{
    std::vector<Interval> result;
    auto next = b.begin();
    for (const Interval& whole : a) {
        double from = whole.low;
        while (next != b.end() && next->high <= from)
            ++next;
        for (auto cut = next; cut != b.end() && cut->low < whole.high; ++cut) {
            if (cut->low > from)
                result.push_back({from, cut->low});
            from = std::max(from, cut->high);
        }
        if (from < whole.high)
            result.push_back({from, whole.high});
    }
    return result;
}

double sumOf(const std::vector<Interval>& intervals)
{
    double sum = 0;
    for (const Interval& each : intervals)
        sum += each.length();
    return sum;
}

Seconds addWaits(const pipeline::Timeline& t, std::map<pipeline::Wait::Cause, WaitDifference::Cause>& causes,
    Seconds WaitDifference::Cause::*side)
{
    Seconds total{};
    for (const pipeline::Wait& w : t.waits) {
        WaitDifference::Cause& sum = causes[w.cause];
        sum.cause = w.cause;
        sum.*side += w.duration;
        total += w.duration;
    }
    return total;
}

} // namespace

std::vector<GanttPhases> phasesByStage(const pipeline::Timeline& t)
{
    constexpr double kNever = -1;
    const double end = t.makespan.value();
    std::vector<GanttPhases> stages(static_cast<std::size_t>(std::max(t.stages, 0)), GanttPhases{kNever, 0, 0, end});
    for (const pipeline::Slice& s : t.slices) {
        const Role role = roleOf(s.kind);
        if (role == Role::None || s.stage < 0 || s.stage >= t.stages)
            continue;
        GanttPhases& stage = stages[static_cast<std::size_t>(s.stage)];
        const double ends = static_cast<double>(s.start) + s.duration;
        stage.apply = std::max(stage.apply, ends);
        if (role == Role::Forward)
            stage.drain = std::max(stage.drain, ends);
        if (role == Role::Backward && (stage.steady < 0 || s.start < stage.steady))
            stage.steady = s.start;
    }
    for (GanttPhases& stage : stages) {
        if (stage.steady < 0)
            stage.steady = stage.apply; // nothing but forward passes: it never gets beyond filling
        stage.drain = std::max(stage.drain, stage.steady);
        stage.apply = std::clamp(stage.apply, std::min(stage.drain, end), end);
    }
    return stages;
}

GanttPhases phases(const pipeline::Timeline& t)
{
    GanttPhases whole{0, t.makespan.value(), 0, t.makespan.value()};
    double firstBackward = t.makespan.value();
    for (const GanttPhases& stage : phasesByStage(t)) {
        whole.steady = std::max(whole.steady, stage.steady);
        whole.drain = std::min(whole.drain, stage.drain);
        whole.apply = std::max(whole.apply, stage.apply);
        firstBackward = std::min(firstBackward, stage.steady);
    }
    if (whole.steady >= whole.drain)
        whole.steady = whole.drain = firstBackward;
    return whole;
}

AreaSums areaSums(const GanttIndex& index, const GanttArea& area)
{
    std::map<pipeline::SliceKind, AreaSums::Sum<pipeline::SliceKind>> kinds;
    std::map<pipeline::Wait::Cause, AreaSums::Sum<pipeline::Wait::Cause>> waits;
    const auto inside = [&](double from, double to) {
        return std::min(to, area.time.high) - std::max(from, area.time.low);
    };
    for (int stage = std::max(area.firstStage, 0); stage <= area.lastStage && stage < index.stages(); ++stage) {
        for (std::size_t kind = 0; kind < kLaneKinds; ++kind) {
            const GanttLane& lane = index.lane(stage, static_cast<LaneKind>(kind));
            const GanttIndex::Range range = GanttIndex::visible(lane, area.time.low, area.time.high);
            for (std::size_t k = range.first; k < range.last; ++k) {
                const pipeline::Slice& s = index.slice(lane.slice[k]);
                if (const double seconds = inside(s.start, static_cast<double>(s.start) + s.duration); seconds > 0)
                    addTo(kinds, s.kind, seconds);
            }
        }
        for (const pipeline::Wait& w : index.waits(stage)) {
            if (const double seconds = inside(w.start.value(), (w.start + w.duration).value()); seconds > 0)
                addTo(waits, w.cause, seconds);
        }
    }
    return {area, listed(kinds), listed(waits)};
}

ChartTable areaTable(const AreaSums& sums)
{
    ChartTable table;
    table.columns = {
        tr("Kind"), tr("Sum, s"), tr("Of the time of its stages, %"), tr("Count"), tr("Mean, s"), tr("Longest, s")};
    const double all = sums.stageTime().value();
    const auto add = [&](const QString& name, const auto& sum) {
        table.rows << QStringList{name, cell(sum.total.value()), cell(all > 0 ? 100 * sum.total.value() / all : 0),
            QString::number(sum.count), cell(sum.total.value() / static_cast<double>(sum.count)),
            cell(sum.longest.value())};
    };
    for (const auto& sum : sums.kinds)
        add(nameOf(sum.kind), sum);
    for (const auto& sum : sums.waits)
        add(nameOf(sum.kind), sum);
    return table;
}

WaitDifference compareWaits(const pipeline::Timeline& first, const pipeline::Timeline& second)
{
    WaitDifference result;
    const auto a = waitsByStage(first);
    const auto b = waitsByStage(second);
    const std::vector<Interval> none;
    for (std::size_t stage = 0; stage < std::max(a.size(), b.size()); ++stage) {
        const auto& mine = stage < a.size() ? a[stage] : none;
        const auto& theirs = stage < b.size() ? b[stage] : none;
        result.stages.push_back(
            {without(mine, theirs), without(theirs, mine), Seconds(sumOf(mine)), Seconds(sumOf(theirs))});
    }
    std::map<pipeline::Wait::Cause, WaitDifference::Cause> causes;
    result.first = addWaits(first, causes, &WaitDifference::Cause::first);
    result.second = addWaits(second, causes, &WaitDifference::Cause::second);
    for (const auto& [cause, sum] : causes)
        result.causes.push_back(sum);
    result.firstStep = first.step;
    result.secondStep = second.step;
    return result;
}

ChartTable differenceTable(const WaitDifference& d, const QString& first, const QString& second)
{
    ChartTable table;
    table.columns = {
        tr("Waits"), tr("%1, s").arg(first), tr("%1, s").arg(second), tr("Difference, s"), tr("Difference, %")};
    const auto add = [&](const QString& name, Seconds a, Seconds b) {
        table.rows << QStringList{name, cell(a.value()), cell(b.value()), cell((b - a).value()),
            a > Seconds(0) ? cell(100 * (b / a - 1)) : QString()};
    };
    for (const WaitDifference::Cause& sum : d.causes)
        add(nameOf(sum.cause), sum.first, sum.second);
    for (std::size_t i = 0; i < d.stages.size(); ++i)
        add(tr("stage %1").arg(i), d.stages[i].first, d.stages[i].second);
    add(tr("all stages"), d.first, d.second);
    add(tr("step time"), d.firstStep, d.secondStep);
    return table;
}

std::vector<Interval> pixelRuns(const std::vector<Interval>& intervals, Interval view, double width)
{
    std::vector<Interval> runs;
    if (!(view.length() > 0) || !(width >= 1))
        return runs;
    const double scale = width / view.length();
    auto next = std::lower_bound(
        intervals.begin(), intervals.end(), view.low, [](const Interval& i, double t) { return i.high <= t; });
    for (; next != intervals.end() && next->low < view.high; ++next) {
        const double left = std::max((next->low - view.low) * scale, 0.0);
        const double right = std::min((next->high - view.low) * scale, width);
        if (!runs.empty() && std::floor(left) <= std::floor(runs.back().high))
            runs.back().high = std::max(right, runs.back().high);
        else
            runs.push_back({left, right});
    }
    return runs;
}

} // namespace stratoplan::widgets
