// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_lanes.h"

#include "widgets/presentation/memory_curve.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/tokens.h"
#include "widgets/presentation/translate.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kLabelledMemory = 20; // height of a memory row that names its range
constexpr double kSignFrom = 12; // pixels of a difference that hold a sign

/// Of the stage, where it is known, else of all of them.
Bytes capacityOf(const PipelineFrame& frame, const estimate::StageMemoryCurve& curve)
{
    return curve.capacity > Bytes{} ? curve.capacity : frame.layout.scene().capacity();
}

void paintCapacityLine(const PipelineFrame& frame, const QRectF& row, double y)
{
    if (frame.layout.scene().capacity().value() > 0 && y >= row.top() && y <= row.bottom())
        frame.painter.fillRect(
            QRectF(frame.layout.plot().left(), y, frame.layout.plot().width(), 1), frame.tokens.mark(Mark::Capacity));
}

void paintRange(const PipelineFrame& frame, const estimate::StageMemoryCurve& curve, const QRectF& row)
{
    QPainter& painter = frame.painter;
    painter.setFont(frame.font);
    const auto least = std::min_element(curve.points.begin(), curve.points.end(),
        [](const estimate::MemoryPoint& a, const estimate::MemoryPoint& b) { return a.bytes < b.bytes; });
    const QString range = tr("%1 to %2").arg(text(least->bytes), text(curve.peak.bytes));
    QRectF label(0, 0, painter.fontMetrics().horizontalAdvance(range) + 8, painter.fontMetrics().height());
    label.moveBottomRight({frame.layout.plot().right() - 2, row.bottom() - 1});
    painter.fillRect(label, translucent(frame.tokens.surface, 0.8));
    const Bytes capacity = capacityOf(frame, curve);
    painter.setPen(curve.peak.bytes > capacity && capacity.value() > 0 ? frame.tokens.bad : frame.tokens.text);
    painter.drawText(label, Qt::AlignCenter, range);
}

void paintMemory(const PipelineFrame& frame, const GanttRow& row, const QRectF& rect)
{
    const GanttLayout& layout = frame.layout;
    const estimate::MemoryTimeline* memory = layout.scene().step(row.timeline).memory();
    const Interval scale = layout.scene().memoryScale();
    if (!memory || static_cast<std::size_t>(row.stage) >= memory->stages.size() || !(scale.length() > 0))
        return;
    const estimate::StageMemoryCurve& curve = memory->stages[static_cast<std::size_t>(row.stage)];
    const auto yOf = [&](double bytes) { return rect.bottom() - (bytes - scale.low) / scale.length() * rect.height(); };
    const Interval view = layout.view().time;
    QPolygonF line;
    for (const QPointF& corner :
        curveCorners(curve.points, memory->makespan, {std::max(0.0, view.low), view.high}, layout.plot().width()))
        line << QPointF(layout.view().xOf(corner.x()), yOf(corner.y()));
    if (line.isEmpty())
        return;
    QPolygonF area = line;
    area << QPointF(line.back().x(), rect.bottom()) << QPointF(line.front().x(), rect.bottom());
    const Tokens& t = frame.tokens;
    frame.painter.setPen(Qt::NoPen);
    frame.painter.setBrush(blend(t.mark(Mark::Reserve), t.surface, 0.3));
    frame.painter.drawPolygon(area);
    frame.painter.setPen(QPen(t.mark(Mark::Reserve), 1.4));
    frame.painter.drawPolyline(line);
    paintCapacityLine(frame, rect, std::round(yOf(capacityOf(frame, curve).value())));
    if (rect.height() >= kLabelledMemory)
        paintRange(frame, curve, rect);
}

// A time that only one of the two timelines waits: framed where it waits, with the sign of what the second makes of it.
void paintDifference(const PipelineFrame& frame, const GanttRow& row, const QRectF& rect)
{
    const WaitDifference& difference = *frame.layout.scene().difference();
    if (static_cast<std::size_t>(row.stage) >= difference.stages.size())
        return;
    const WaitDifference::Stage& stage = difference.stages[static_cast<std::size_t>(row.stage)];
    const bool first = row.timeline == 0;
    const QColor colour = first ? frame.tokens.good : frame.tokens.bad;
    const QRectF plot = frame.layout.plot();
    QPainter& painter = frame.painter;
    for (const Interval& run :
        pixelRuns(first ? stage.onlyFirst : stage.onlySecond, frame.layout.view().time, plot.width())) {
        const double left = plot.left() + std::round(run.low);
        const QRectF shade(left, rect.top(), std::max(plot.left() + std::round(run.high) - left, 1.0), rect.height());
        painter.fillRect(shade, translucent(colour, 0.3));
        painter.fillRect(QRectF(shade.left(), first ? shade.bottom() - 2 : shade.top(), shade.width(), 2), colour);
        if (shade.width() < kSignFrom || shade.height() < kSignFrom)
            continue;
        const QRectF sign(shade.center().x() - 4, shade.center().y() - 1, 8, 2);
        painter.fillRect(sign, colour);
        if (!first)
            painter.fillRect(QRectF(shade.center().x() - 1, shade.center().y() - 4, 2, 8), colour);
    }
}

void paintPhaseBorders(const PipelineFrame& frame)
{
    const GanttPhases& phases = frame.layout.scene().step().phases;
    const QRectF plot = frame.layout.plot();
    frame.painter.setPen(QPen(frame.tokens.secondaryText, 1, Qt::DashLine));
    for (const double at : {phases.steady, phases.drain, phases.apply}) {
        const double x = std::round(frame.layout.view().xOf(at)) + 0.5;
        if (at > 0 && at < phases.end && x > plot.left() && x < plot.right())
            frame.painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    }
}

/// The lines of a critical path: along the top of its slices and from each to the next. Slices that touch are one
/// line, and no more than one line leads from row to row in a pixel: it spans them all.
class CriticalLines {
public:
    void add(double left, double right, double y)
    {
        if (m_any && m_before != y)
            join(left, y);
        m_any = true;
        m_before = y;
        if (right == left)
            return;
        if (m_column != left && !m_lines.empty() && m_lines.back().y1() == y && m_lines.back().y2() == y
            && m_lines.back().x2() >= left - 1)
            m_lines.back().setP2({right, y});
        else
            m_lines.emplace_back(left, y, right, y);
        m_column = -1;
    }
    [[nodiscard]] const std::vector<QLineF>& all() const { return m_lines; }

private:
    void join(double x, double y)
    {
        if (x == m_column) {
            const QLineF& last = m_lines.back();
            m_lines.back() = QLineF(x, std::min({last.y1(), last.y2(), y}), x, std::max({last.y1(), last.y2(), y}));
        } else {
            m_lines.emplace_back(x, m_before, x, y);
        }
        m_column = x;
    }

    std::vector<QLineF> m_lines;
    double m_before = 0; // y of the slice before
    double m_column = -1; // of the line between rows that was drawn last
    bool m_any = false;
};

std::vector<QLineF> criticalLines(const GanttLayout& layout, int timeline)
{
    const GanttIndex& shown = layout.scene().index(timeline);
    const Interval view = layout.view().time;
    const QRectF plot = layout.plot();
    const double scale = plot.width() / view.length();
    const auto pixelOf = [&](double seconds) {
        return std::clamp(std::round(plot.left() + (seconds - view.low) * scale), plot.left() - 4, plot.right() + 4);
    };
    std::vector<double> tops(
        static_cast<std::size_t>(shown.stages()) * kLaneKinds, -1e9); // of each lane, once it is asked for
    const auto topOf = [&](const pipeline::Slice& s, std::uint32_t i) {
        double& top = tops[static_cast<std::size_t>(s.stage) * kLaneKinds + static_cast<std::size_t>(shown.laneOf(s))];
        if (top < -1e8)
            top = layout.sliceRect(GanttRef{timeline, i}).top() + 1;
        return top;
    };
    const auto slice = [&](std::int32_t i) -> const pipeline::Slice& {
        return shown.slice(static_cast<std::uint32_t>(i));
    };
    const auto endOf = [](const pipeline::Slice& s) { return static_cast<double>(s.start) + s.duration; };
    const auto path = shown.criticalPath();
    CriticalLines lines;
    for (auto i = std::lower_bound(
             path.begin(), path.end(), view.low, [&](std::int32_t index, double t) { return endOf(slice(index)) < t; });
         i != path.end() && slice(*i).start < view.high; ++i)
        lines.add(
            pixelOf(slice(*i).start), pixelOf(endOf(slice(*i))), topOf(slice(*i), static_cast<std::uint32_t>(*i)));
    return lines.all();
}

void paintCriticalPath(const PipelineFrame& frame, int timeline)
{
    const std::vector<QLineF> lines = criticalLines(frame.layout, timeline);
    for (const auto& [colour, width] :
        {std::pair(frame.tokens.surface, 4), std::pair(frame.tokens.mark(Mark::Activations), 2)}) {
        frame.painter.setPen(QPen(colour, width));
        frame.painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
}

} // namespace

void PipelineLanes::paint(const PipelineFrame& frame, bool vector, bool withCriticalPath)
{
    m_painter.beginFrame();
    const GanttLayout& layout = frame.layout;
    if (layout.scene().isEmpty())
        return;
    const QRect plot = layout.view().plot;
    const GanttPainter::Frame lanes{frame.painter, QRectF(plot), layout.view().time, frame.tokens, vector};
    for (const GanttRow& row : layout.scene().rows().all()) {
        const QRectF rect = layout.rowRect(row);
        const bool visible = rect.bottom() >= plot.top() && rect.top() <= plot.bottom();
        if (!visible || row.stage >= layout.scene().index(row.timeline).stages())
            continue;
        if (row.kind == GanttRow::Kind::Memory)
            paintMemory(frame, row, rect);
        else
            paintLanes(frame, lanes, row);
    }
    paintPhaseBorders(frame);
    for (int timeline = 0; withCriticalPath && timeline < layout.scene().timelines(); ++timeline)
        paintCriticalPath(frame, timeline);
}

void PipelineLanes::paintLanes(const PipelineFrame& frame, const GanttPainter::Frame& lanes, const GanttRow& row)
{
    const GanttLayout& layout = frame.layout;
    const GanttScene& scene = layout.scene();
    const QRectF rect = layout.rowRect(row);
    const GanttIndex& shown = scene.index(row.timeline);
    const GanttPainter::Lane band{rect.top(), rect.height()};
    m_painter.ground(lanes, shown, band);
    if (row.isWork())
        m_painter.waits(lanes, shown, row.stage, band);
    m_painter.lane(lanes, shown, shown.lane(row.stage, row.lane), band, true);
    if (!row.isWork())
        return;
    const bool strips = !scene.arrangement().isUnfolded(row.stage) && GanttLayout::holdsStrips(rect);
    for (std::size_t i = 0; strips && i < kLaneKinds; ++i) {
        const auto lane = static_cast<LaneKind>(i);
        const QRectF strip = layout.stripRect(rect, lane);
        if (lane != LaneKind::Work && scene.arrangement().lanes[i])
            m_painter.lane(lanes, shown, shown.lane(row.stage, lane), {strip.top(), strip.height()}, false);
    }
    if (scene.isComparing())
        paintDifference(frame, row, rect);
}

void paintPhases(const PipelineFrame& frame)
{
    const GanttLayout& layout = frame.layout;
    if (layout.scene().isEmpty())
        return;
    const QRectF plot = layout.plot();
    frame.painter.setFont(frame.font);
    const QFontMetricsF metrics(frame.font);
    const double height = metrics.height();
    const QRectF strip(plot.left(), plot.top() - height - 3, plot.width(), height);
    struct Phase {
        double from = 0;
        double to = 0;
        QString name;
        double share = 0; ///< of accent over the surface
    };
    const GanttPhases& p = layout.scene().step().phases;
    for (const Phase& phase : {Phase{0, p.steady, tr("warm-up"), 0.10}, Phase{p.steady, p.drain, tr("steady"), 0.22},
             Phase{p.drain, p.apply, tr("cool-down"), 0.10}, Phase{p.apply, p.end, tr("update"), 0.04}}) {
        const double left = std::max(strip.left(), std::round(layout.view().xOf(phase.from)));
        const double right = std::min(strip.right() + 1, std::round(layout.view().xOf(phase.to)));
        if (right <= left)
            continue;
        const QRectF band(left, strip.top(), std::max(right - left - 1, 1.0), strip.height());
        frame.painter.fillRect(band, blend(frame.tokens.accent, frame.tokens.surface, phase.share));
        if (metrics.horizontalAdvance(phase.name) + 8 > band.width())
            continue;
        frame.painter.setPen(frame.tokens.secondaryText);
        frame.painter.drawText(band, Qt::AlignCenter, phase.name);
    }
}

} // namespace stratoplan::widgets
