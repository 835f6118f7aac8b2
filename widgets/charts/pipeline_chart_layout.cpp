// SPDX-License-Identifier: GPL-3.0-or-later
// Where rows and slices of the pipeline chart stand, and what stands at a place.
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kThickness = 0.8; // of a row
constexpr double kSeamless = 6; // pixels of a row that fills its place
constexpr double kTallestLane = 30; // pixels
constexpr double kTallestMemory = 64;
constexpr double kStripsFrom = 16; // height of a lane that shows its communication in strips
constexpr double kStrip = 2;
} // namespace

QRectF PipelineChart::rowRect(const GanttRow& row) const
{
    const QCPAxis* axis = plot().yAxis;
    const double top = axis->coordToPixel(row.top);
    const double bottom = axis->coordToPixel(row.top + row.height);
    const QRectF area(plot().axisRect()->rect());
    if (bottom - top <= kSeamless) // without gaps, which would only come and go with rounding
        return {area.left(), std::round(top), area.width(), std::max(std::round(bottom) - std::round(top), 1.0)};
    const double tallest = row.kind == GanttRow::Kind::Memory ? kTallestMemory : kTallestLane * row.height;
    const double drawn = std::round(std::min((bottom - top) * kThickness, tallest));
    return {area.left(), std::round((top + bottom - drawn) / 2), area.width(), drawn};
}

// A folded stage shows its communication at the foot of its work.
double PipelineChart::stripHeight(const QRectF& lane) const
{
    return lane.height() >= kStripsFrom ? kStrip : 0;
}

QRectF PipelineChart::stripRect(const QRectF& work, LaneKind lane) const
{
    int place = 0; // from the foot
    for (std::size_t i = kLaneKinds; i-- > static_cast<std::size_t>(lane) + 1;)
        place += m_arrangement.lanes[i];
    const double strip = stripHeight(work);
    return {work.left(), work.bottom() - strip * (place + 1), work.width(), strip};
}

const GanttRow* PipelineChart::rowAt(double y) const
{
    const GanttRow* row = m_rows.at(plot().yAxis->pixelToCoord(y));
    if (!row)
        return nullptr;
    const QRectF rect = rowRect(*row);
    return y >= rect.top() && y <= rect.bottom() ? row : nullptr;
}

int PipelineChart::stageAt(double y) const
{
    const GanttRow* row = m_rows.at(plot().yAxis->pixelToCoord(y));
    return row ? row->stage : -1;
}

bool PipelineChart::inPlot(QPointF at) const
{
    return !isEmpty() && plot().axisRect()->rect().contains(at.toPoint());
}

PipelineChart::Place PipelineChart::placeOf(GanttRef ref) const
{
    if (ref.isWait) {
        const Wait& w = waitOf(ref);
        return {w.stage, {w.start.value(), (w.start + w.duration).value()}};
    }
    const Slice& s = sliceOf(ref);
    return {s.stage, {s.start, static_cast<double>(s.start) + s.duration}, s.microBatch};
}

std::optional<std::uint32_t> PipelineChart::enderOf(GanttRef ref) const
{
    const GanttIndex& shown = index(ref.timeline);
    if (ref.isWait)
        return shown.enderOf(waitOf(ref));
    const auto waits = shown.waitsBefore(sliceOf(ref));
    return waits.empty() ? std::nullopt : shown.enderOf(waits.back());
}

QRectF PipelineChart::sliceRect(GanttRef ref) const
{
    const Place place = placeOf(ref);
    const LaneKind lane = ref.isWait ? LaneKind::Work : index(ref.timeline).laneOf(sliceOf(ref));
    const GanttRow* row = m_rows.find(place.stage, lane, ref.timeline);
    const GanttRow* work = m_rows.work(place.stage, ref.timeline);
    if (!work)
        return {};
    QRectF rect = row ? rowRect(*row) : stripRect(rowRect(*work), lane);
    rect.setLeft(plot().xAxis->coordToPixel(place.time.low));
    rect.setRight(plot().xAxis->coordToPixel(place.time.high));
    return rect;
}

std::optional<GanttRef> PipelineChart::markAt(QPointF at) const
{
    if (const auto slice = refAt(at))
        return slice;
    const GanttRow* row = inPlot(at) ? rowAt(at.y()) : nullptr;
    const Wait* wait =
        row && row->isWork() ? index(row->timeline).waitAt(row->stage, plot().xAxis->pixelToCoord(at.x())) : nullptr;
    return wait ? std::optional(GanttRef{row->timeline, index(row->timeline).indexOf(*wait), true}) : std::nullopt;
}

std::optional<GanttRef> PipelineChart::refAt(QPointF at) const
{
    const GanttRow* row = inPlot(at) ? rowAt(at.y()) : nullptr;
    if (!row || row->kind != GanttRow::Kind::Lane)
        return std::nullopt;
    const double seconds = plot().xAxis->pixelToCoord(at.x());
    const GanttIndex& shown = index(row->timeline);
    if (row->isWork() && !isUnfolded(row->stage)) {
        for (std::size_t i = 0; i < kLaneKinds; ++i) {
            const auto lane = static_cast<LaneKind>(i);
            if (lane == LaneKind::Work || !m_arrangement.lanes[i] || !stripRect(rowRect(*row), lane).contains(at))
                continue;
            if (const auto slice = shown.at(row->stage, lane, seconds))
                return GanttRef{row->timeline, *slice};
        }
    }
    const auto slice = shown.at(row->stage, row->lane, seconds);
    return slice ? std::optional(GanttRef{row->timeline, *slice}) : std::nullopt;
}

std::optional<std::uint32_t> PipelineChart::sliceAt(QPointF at) const
{
    const auto ref = refAt(at);
    return ref && ref->timeline == 0 ? std::optional(ref->slice) : std::nullopt;
}

} // namespace stratoplan
