// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_rows.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr double kCommunicationHeight = 0.8;
constexpr double kMemoryHeight = 1.4;
constexpr double kStageGap = 0.3; // under a stage that has more than one row

bool under(LaneKind lane)
{
    return lane != LaneKind::Work;
}

} // namespace

bool GanttArrangement::canUnfold() const
{
    for (std::size_t i = 0; i < kLaneKinds; ++i) {
        if (lanes[i] && under(static_cast<LaneKind>(i)))
            return true;
    }
    return memory;
}

GanttRows::GanttRows(const GanttArrangement& arrangement)
{
    double y = 0;
    const auto add = [&](GanttRow row, double height) {
        row.top = y;
        row.height = height;
        y += height;
        m_rows.push_back(row);
    };
    for (int stage = 0; stage < arrangement.stages; ++stage) {
        const bool unfolded = arrangement.isUnfolded(stage) && arrangement.canUnfold();
        for (int timeline = 0; timeline < (arrangement.compared ? 2 : 1); ++timeline) {
            add({GanttRow::Kind::Lane, LaneKind::Work, stage, timeline}, 1);
            if (!unfolded)
                continue;
            for (std::size_t i = 0; i < kLaneKinds; ++i) {
                const auto lane = static_cast<LaneKind>(i);
                if (arrangement.lanes[i] && under(lane))
                    add({GanttRow::Kind::Lane, lane, stage, timeline}, kCommunicationHeight);
            }
            if (arrangement.memory)
                add({GanttRow::Kind::Memory, LaneKind::Work, stage, timeline}, kMemoryHeight);
        }
        if ((unfolded || arrangement.compared) && stage + 1 < arrangement.stages)
            y += kStageGap;
    }
}

const GanttRow* GanttRows::at(double y) const
{
    const auto after =
        std::upper_bound(m_rows.begin(), m_rows.end(), y, [](double at, const GanttRow& row) { return at < row.top; });
    if (after == m_rows.begin())
        return nullptr;
    const GanttRow& row = *std::prev(after);
    return y <= row.top + row.height ? &row : nullptr;
}

const GanttRow* GanttRows::find(int stage, LaneKind lane, int timeline) const
{
    const auto from =
        std::lower_bound(m_rows.begin(), m_rows.end(), stage, [](const GanttRow& row, int s) { return row.stage < s; });
    for (auto row = from; row != m_rows.end() && row->stage == stage; ++row) {
        if (row->kind == GanttRow::Kind::Lane && row->lane == lane && row->timeline == timeline)
            return &*row;
    }
    return nullptr;
}

std::optional<GanttRows::Stages> GanttRows::stagesIn(double low, double high) const
{
    std::optional<Stages> found;
    for (const GanttRow& row : m_rows) {
        if (row.top >= high || row.top + row.height <= low)
            continue;
        if (!found)
            found = Stages{row.stage, row.stage};
        found->last = row.stage;
    }
    return found;
}

Interval GanttRows::extent(int stage) const
{
    Interval result{0, 0};
    bool any = false;
    for (const GanttRow& row : m_rows) {
        if (row.stage != stage)
            continue;
        if (!any)
            result.low = row.top;
        result.high = row.top + row.height;
        any = true;
    }
    return result;
}

} // namespace stratoplan::widgets
