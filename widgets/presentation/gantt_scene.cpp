// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_scene.h"

#include <algorithm>

namespace stratoplan::widgets {

void GanttScene::show(const GanttStepPointer& step, Bytes capacity)
{
    m_steps[0].step = step;
    m_steps[1] = {};
    m_difference.reset();
    m_capacity = capacity;
    if (isEmpty())
        m_rows = {};
    else
        arrange();
}

void GanttScene::compare(const QString& ownName, Step second)
{
    m_steps[0].name = ownName;
    m_steps[1] = std::move(second);
    m_difference = compareWaits(index().timeline(), index(1).timeline());
    arrange();
}

void GanttScene::endComparison()
{
    m_steps[1] = {};
    m_difference.reset();
    arrange();
}

void GanttScene::setUnfolded(int stage, bool unfolded)
{
    m_arrangement.unfolded[static_cast<std::size_t>(stage)] = unfolded;
    m_unfoldsNew = areAllUnfolded();
    arrange();
}

void GanttScene::setAllUnfolded(bool unfolded)
{
    m_unfoldsNew = unfolded;
    if (isEmpty())
        return;
    std::fill(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), unfolded);
    arrange();
}

bool GanttScene::areAllUnfolded() const
{
    return std::all_of(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), [](bool each) { return each; });
}

bool GanttScene::isAnyUnfolded() const
{
    return m_arrangement.canUnfold()
        && std::any_of(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), [](bool each) { return each; });
}

Interval GanttScene::whole() const
{
    if (isEmpty())
        return {0, 0};
    return {0, std::max(index().whole().high, m_difference ? index(1).whole().high : 0.0)};
}

// Which rows there are: after a change of what is shown or unfolded.
void GanttScene::arrange()
{
    m_arrangement.stages = index().stages();
    m_arrangement.compared = isComparing();
    for (std::size_t i = 0; i < kLaneKinds; ++i)
        m_arrangement.lanes[i] =
            index().uses(static_cast<LaneKind>(i)) || (m_difference && index(1).uses(static_cast<LaneKind>(i)));
    const estimate::MemoryTimeline* memory = step().memory();
    m_arrangement.memory = memory && memory->stages.size() == static_cast<std::size_t>(m_arrangement.stages);
    m_arrangement.unfolded.resize(static_cast<std::size_t>(m_arrangement.stages), m_unfoldsNew);
    m_rows = GanttRows(m_arrangement);
    scaleMemory();
}

// From the least that any stage ever holds to the most, or to the capacity where that is near: what is there all the
// time would leave no room for what is in flight.
void GanttScene::scaleMemory()
{
    m_memoryScale = {0, 0};
    for (const Step& each : m_steps) {
        const Interval& held = each.step->held;
        if (!(held.high > 0))
            continue;
        m_memoryScale.low = m_memoryScale.high > 0 ? std::min(m_memoryScale.low, held.low) : held.low;
        m_memoryScale.high = std::max(m_memoryScale.high, held.high);
    }
    const double range = m_memoryScale.length();
    if (m_capacity.value() > m_memoryScale.high && m_capacity.value() - m_memoryScale.high < range)
        m_memoryScale.high = m_capacity.value();
    m_memoryScale.low =
        std::max(0.0, m_memoryScale.low - 0.15 * std::max(m_memoryScale.length(), 0.01 * m_memoryScale.high));
}

bool GanttScene::holds(GanttRef ref) const
{
    if (ref.timeline >= timelines())
        return false;
    const pipeline::Timeline& timeline = index(ref.timeline).timeline();
    return ref.slice < (ref.isWait ? timeline.waits.size() : timeline.slices.size());
}

GanttPlace GanttScene::placeOf(GanttRef ref) const
{
    if (ref.isWait) {
        const pipeline::Wait& w = waitOf(ref);
        return {w.stage, {w.start.value(), (w.start + w.duration).value()}};
    }
    const pipeline::Slice& s = sliceOf(ref);
    return {s.stage, {s.start, static_cast<double>(s.start) + s.duration}, s.microBatch};
}

LaneKind GanttScene::laneOf(GanttRef ref) const
{
    return ref.isWait ? LaneKind::Work : index(ref.timeline).laneOf(sliceOf(ref));
}

std::optional<GanttRef> GanttScene::causeOf(GanttRef ref) const
{
    const GanttIndex& shown = index(ref.timeline);
    const auto waits = ref.isWait ? std::span(&waitOf(ref), 1) : shown.waitsBefore(sliceOf(ref));
    const auto ender = waits.empty() ? std::nullopt : shown.enderOf(waits.back());
    return ender ? std::optional(GanttRef{ref.timeline, *ender}) : std::nullopt;
}

GanttArea GanttScene::confined(const GanttArea& area) const
{
    const double end = whole().high;
    const double shortest = end * kShortestView;
    const int last = m_arrangement.stages - 1;
    GanttArea kept;
    kept.time.low = std::clamp(std::min(area.time.low, area.time.high), 0.0, end - shortest);
    kept.time.high = std::clamp(std::max(area.time.low, area.time.high), kept.time.low + shortest, end);
    kept.firstStage = std::clamp(std::min(area.firstStage, area.lastStage), 0, last);
    kept.lastStage = std::clamp(std::max(area.firstStage, area.lastStage), kept.firstStage, last);
    return kept;
}

} // namespace stratoplan::widgets
