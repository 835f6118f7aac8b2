// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_layout.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kThickness = 0.8; // of a row
constexpr double kSeamless = 6; // pixels of a row that fills its place
constexpr double kTallestLane = 30; // pixels
constexpr double kTallestMemory = 64;
constexpr double kStripsFrom = 16; // height of a lane that shows its communication in strips
constexpr double kStrip = 2;
constexpr double kSnap = 6; // pixels from the edge of a slice that measuring snaps to
constexpr double kLegiblePair = 11; // pixels of a row of work beside another
constexpr double kLegibleLanes = 20; // of one above its lanes
} // namespace

double GanttView::xOf(double seconds) const
{
    return (seconds - time.low) / time.length() * plot.width() + plot.left();
}

double GanttView::yOf(double row) const
{
    return plot.bottom() - (rows.high - row) / rows.length() * plot.height();
}

double GanttView::secondsAt(double x) const
{
    return (x - plot.left()) / plot.width() * time.length() + time.low;
}

double GanttView::rowAt(double y) const
{
    return rows.high - (plot.bottom() - y) / plot.height() * rows.length();
}

QRectF GanttLayout::rowRect(const GanttRow& row) const
{
    const double top = m_view.yOf(row.top);
    const double bottom = m_view.yOf(row.top + row.height);
    const QRectF area = plot();
    if (bottom - top <= kSeamless) // without gaps, which would only come and go with rounding
        return {area.left(), std::round(top), area.width(), std::max(std::round(bottom) - std::round(top), 1.0)};
    const double tallest = row.kind == GanttRow::Kind::Memory ? kTallestMemory : kTallestLane * row.height;
    const double drawn = std::round(std::min((bottom - top) * kThickness, tallest));
    return {area.left(), std::round((top + bottom - drawn) / 2), area.width(), drawn};
}

QRectF GanttLayout::sliceRect(GanttRef ref) const
{
    const GanttPlace place = m_scene.placeOf(ref);
    const LaneKind lane = m_scene.laneOf(ref);
    const GanttRow* row = m_scene.rows().find(place.stage, lane, ref.timeline);
    const GanttRow* work = m_scene.rows().work(place.stage, ref.timeline);
    if (!work)
        return {};
    QRectF rect = row ? rowRect(*row) : stripRect(rowRect(*work), lane);
    rect.setLeft(m_view.xOf(place.time.low));
    rect.setRight(m_view.xOf(place.time.high));
    return rect;
}

QRectF GanttLayout::areaRect(const GanttArea& area) const
{
    return {QPointF(m_view.xOf(area.time.low), m_view.yOf(m_scene.rows().extent(area.firstStage).low)),
        QPointF(m_view.xOf(area.time.high), m_view.yOf(m_scene.rows().extent(area.lastStage).high))};
}

bool GanttLayout::holdsStrips(const QRectF& work)
{
    return work.height() >= kStripsFrom;
}

QRectF GanttLayout::stripRect(const QRectF& work, LaneKind lane) const
{
    int place = 0; // from the foot
    for (std::size_t i = kLaneKinds; i-- > static_cast<std::size_t>(lane) + 1;)
        place += m_scene.arrangement().lanes[i];
    const double strip = holdsStrips(work) ? kStrip : 0;
    return {work.left(), work.bottom() - strip * (place + 1), work.width(), strip};
}

bool GanttLayout::isInPlot(QPointF at) const
{
    return !m_scene.isEmpty() && m_view.plot.contains(at.toPoint());
}

const GanttRow* GanttLayout::rowAt(double y) const
{
    const GanttRow* row = m_scene.rows().at(m_view.rowAt(y));
    if (!row)
        return nullptr;
    const QRectF rect = rowRect(*row);
    return y >= rect.top() && y <= rect.bottom() ? row : nullptr;
}

int GanttLayout::stageAt(double y) const
{
    const GanttRow* row = m_scene.rows().at(m_view.rowAt(y));
    return row ? row->stage : -1;
}

std::optional<GanttRef> GanttLayout::sliceAt(QPointF at) const
{
    const GanttRow* row = isInPlot(at) ? rowAt(at.y()) : nullptr;
    if (!row || row->kind != GanttRow::Kind::Lane)
        return std::nullopt;
    const double seconds = m_view.secondsAt(at.x());
    const GanttIndex& shown = m_scene.index(row->timeline);
    const GanttArrangement& arrangement = m_scene.arrangement();
    if (row->isWork() && !arrangement.isUnfolded(row->stage)) {
        for (std::size_t i = 0; i < kLaneKinds; ++i) {
            const auto lane = static_cast<LaneKind>(i);
            if (lane == LaneKind::Work || !arrangement.lanes[i] || !stripRect(rowRect(*row), lane).contains(at))
                continue;
            if (const auto slice = shown.at(row->stage, lane, seconds))
                return GanttRef{row->timeline, *slice};
        }
    }
    const auto slice = shown.at(row->stage, row->lane, seconds);
    return slice ? std::optional(GanttRef{row->timeline, *slice}) : std::nullopt;
}

std::optional<GanttRef> GanttLayout::markAt(QPointF at) const
{
    if (const auto slice = sliceAt(at))
        return slice;
    const GanttRow* row = isInPlot(at) ? rowAt(at.y()) : nullptr;
    if (!row || !row->isWork())
        return std::nullopt;
    const GanttIndex& shown = m_scene.index(row->timeline);
    const pipeline::Wait* wait = shown.waitAt(row->stage, m_view.secondsAt(at.x()));
    return wait ? std::optional(GanttRef{row->timeline, shown.indexOf(*wait), true}) : std::nullopt;
}

GanttArea GanttLayout::areaBetween(QPointF a, QPointF b) const
{
    const auto [top, bottom] = std::minmax({m_view.rowAt(a.y()), m_view.rowAt(b.y())});
    const auto [from, to] = std::minmax({m_view.secondsAt(a.x()), m_view.secondsAt(b.x())});
    // Between two stages, or beyond the last: the nearest.
    const int last = m_scene.arrangement().stages - 1;
    const auto stages =
        m_scene.rows().stagesIn(top, std::max(bottom, top + 1e-9)).value_or(GanttRows::Stages{last, last});
    return {{from, to}, stages.first, stages.last};
}

double GanttLayout::secondsAt(QPointF at) const
{
    return std::clamp(m_view.secondsAt(at.x()), 0.0, m_scene.whole().high);
}

double GanttLayout::snapped(QPointF at) const
{
    const double seconds = secondsAt(at);
    for (const double beside : {0.0, -kSnap, kSnap}) {
        const auto ref = sliceAt({at.x() + beside, at.y()});
        if (!ref)
            continue;
        const Interval slice = m_scene.placeOf(*ref).time;
        const double edge = std::abs(slice.low - seconds) <= std::abs(slice.high - seconds) ? slice.low : slice.high;
        if (std::abs(m_view.xOf(edge) - at.x()) <= kSnap)
            return edge;
    }
    return seconds;
}

Interval legibleRows(const GanttScene& scene, double pixels, std::optional<int> stage)
{
    const double height = scene.rows().height();
    // 0: all stages are to be seen, however low.
    const double least = scene.isAnyUnfolded() ? kLegibleLanes : scene.isComparing() ? kLegiblePair : 0;
    const double room = least > 0 ? std::max(pixels / least, 2.0) : height;
    if (height <= room)
        return {0, height};
    const double top = stage ? std::min(scene.rows().extent(*stage).low, height - room) : 0;
    return {top, top + room};
}

} // namespace stratoplan::widgets
