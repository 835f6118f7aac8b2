// SPDX-License-Identifier: GPL-3.0-or-later
// How the pipeline chart looks: rows below, what is pointed at, selected and measured above.
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/memory_curve.h"
#include "widgets/presentation/text.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kLabelledMemory = 20; // height of a memory row that names its range
constexpr double kSignFrom = 12; // pixels of a difference that hold a sign
constexpr double kGrip = 3; // half the width of an area's edge
constexpr int kMostKin = 20000; // outlined; no picture could tell more apart

QColor translucent(QColor colour, double share)
{
    colour.setAlphaF(static_cast<float>(share));
    return colour;
}
} // namespace

void PipelineChart::paintLanes(QPainter& painter, bool vector)
{
    m_painter.beginFrame();
    if (isEmpty())
        return;
    const QRect inner = plot().axisRect()->rect();
    const GanttPainter::Frame frame{painter, QRectF(inner), shownX(), look(), vector};
    for (const GanttRow& row : m_rows.all()) {
        const QRectF rect = rowRect(row);
        if (rect.bottom() >= inner.top() && rect.top() <= inner.bottom())
            paintRow(frame, row);
    }
    paintPhaseBorders(frame);
    for (int timeline = 0; m_criticalShown && timeline < timelines(); ++timeline)
        paintCriticalPath(frame, timeline);
}

void PipelineChart::paintRow(const GanttPainter::Frame& frame, const GanttRow& row)
{
    const QRectF rect = rowRect(row);
    const GanttIndex& shown = index(row.timeline);
    if (row.stage >= shown.stages())
        return;
    if (row.kind == GanttRow::Kind::Memory) {
        paintMemory(frame, row, rect);
        return;
    }
    const GanttPainter::Lane at{rect.top(), rect.height()};
    m_painter.ground(frame, shown, at);
    if (row.isWork())
        m_painter.waits(frame, shown, row.stage, at);
    m_painter.lane(frame, shown, shown.lane(row.stage, row.lane), at, true);
    if (!row.isWork())
        return;
    if (!isUnfolded(row.stage) && stripHeight(rect) > 0) {
        for (std::size_t i = 0; i < kLaneKinds; ++i) {
            const auto lane = static_cast<LaneKind>(i);
            const QRectF strip = stripRect(rect, lane);
            if (lane != LaneKind::Work && m_arrangement.lanes[i])
                m_painter.lane(frame, shown, shown.lane(row.stage, lane), {strip.top(), strip.height()}, false);
        }
    }
    if (m_difference)
        paintDifference(frame, row, rect);
}

void PipelineChart::paintMemory(const GanttPainter::Frame& frame, const GanttRow& row, const QRectF& rect) const
{
    const MemoryTimeline* memory = m_steps[static_cast<std::size_t>(row.timeline)].step->memory();
    if (!memory || static_cast<std::size_t>(row.stage) >= memory->stages.size() || !(m_memoryScale.length() > 0))
        return;
    const StageMemoryCurve& curve = memory->stages[static_cast<std::size_t>(row.stage)];
    const auto yOf = [&](double bytes) {
        return rect.bottom() - (bytes - m_memoryScale.low) / m_memoryScale.length() * rect.height();
    };
    QPolygonF line;
    for (const QPointF& corner : curveCorners(
             curve.points, memory->makespan, {std::max(0.0, frame.view.low), frame.view.high}, frame.plot.width()))
        line << QPointF(plot().xAxis->coordToPixel(corner.x()), yOf(corner.y()));
    if (line.isEmpty())
        return;
    QPolygonF area = line;
    area << QPointF(line.back().x(), rect.bottom()) << QPointF(line.front().x(), rect.bottom());
    const Tokens& t = frame.tokens;
    QPainter& painter = frame.painter;
    painter.setPen(Qt::NoPen);
    painter.setBrush(blend(t.mark(Mark::Reserve), t.surface, 0.3));
    painter.drawPolygon(area);
    painter.setPen(QPen(t.mark(Mark::Reserve), 1.4));
    painter.drawPolyline(line);
    const double capacity = std::round(yOf(m_capacity.value()));
    if (m_capacity.value() > 0 && capacity >= rect.top())
        painter.fillRect(QRectF(frame.plot.left(), capacity, frame.plot.width(), 1), t.mark(Mark::Capacity));
    if (rect.height() < kLabelledMemory)
        return;
    painter.setFont(plotFont());
    const auto least = std::min_element(curve.points.begin(), curve.points.end(),
        [](const MemoryPoint& a, const MemoryPoint& b) { return a.bytes < b.bytes; });
    const QString peak = tr("%1 to %2").arg(text(least->bytes), text(curve.peak.bytes));
    QRectF label(0, 0, painter.fontMetrics().horizontalAdvance(peak) + 8, painter.fontMetrics().height());
    label.moveBottomRight({frame.plot.right() - 2, rect.bottom() - 1});
    painter.fillRect(label, translucent(t.surface, 0.8));
    painter.setPen(curve.peak.bytes > m_capacity && m_capacity.value() > 0 ? t.bad : t.text);
    painter.drawText(label, Qt::AlignCenter, peak);
}

// A time that only one of the two timelines waits: framed where it waits, with the sign of what the second makes of it.
void PipelineChart::paintDifference(const GanttPainter::Frame& frame, const GanttRow& row, const QRectF& rect) const
{
    if (static_cast<std::size_t>(row.stage) >= m_difference->stages.size())
        return;
    const WaitDifference::Stage& stage = m_difference->stages[static_cast<std::size_t>(row.stage)];
    const bool first = row.timeline == 0;
    const QColor colour = first ? frame.tokens.good : frame.tokens.bad;
    QPainter& painter = frame.painter;
    for (const Interval& run : pixelRuns(first ? stage.onlyFirst : stage.onlySecond, frame.view, frame.plot.width())) {
        const double left = frame.plot.left() + std::round(run.low);
        const QRectF shade(
            left, rect.top(), std::max(frame.plot.left() + std::round(run.high) - left, 1.0), rect.height());
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

void PipelineChart::paintPhaseBorders(const GanttPainter::Frame& frame) const
{
    frame.painter.setPen(QPen(frame.tokens.secondaryText, 1, Qt::DashLine));
    for (const double at : {phasesShown().steady, phasesShown().drain, phasesShown().apply}) {
        const double x = std::round(plot().xAxis->coordToPixel(at)) + 0.5;
        if (at > 0 && at < phasesShown().end && x > frame.plot.left() && x < frame.plot.right())
            frame.painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    }
}

// Along the top of its slices and from each to the next. Slices that touch are one line, and no more than one line
// leads from row to row in a pixel: it spans them all.
void PipelineChart::paintCriticalPath(const GanttPainter::Frame& frame, int timeline) const
{
    const GanttIndex& shown = index(timeline);
    const auto path = shown.criticalPath();
    const double scale = frame.plot.width() / frame.view.length();
    const auto pixelOf = [&](double seconds) {
        return std::clamp(std::round(frame.plot.left() + (seconds - frame.view.low) * scale), frame.plot.left() - 4,
            frame.plot.right() + 4);
    };
    std::vector<double> tops(
        static_cast<std::size_t>(shown.stages()) * kLaneKinds, -1e9); // of each lane, once it is asked for
    const auto topOf = [&](const Slice& s, std::uint32_t i) {
        double& top = tops[static_cast<std::size_t>(s.stage) * kLaneKinds + static_cast<std::size_t>(shown.laneOf(s))];
        if (top < -1e8)
            top = sliceRect(GanttRef{timeline, i}).top() + 1;
        return top;
    };
    const auto ends = [](const Slice& s) { return static_cast<double>(s.start) + s.duration; };
    std::vector<QLineF> lines;
    double before = 0; // y of the slice before
    double column = -1; // of the line between rows that was drawn last
    auto i = std::lower_bound(path.begin(), path.end(), frame.view.low,
        [&](std::int32_t at, double t) { return ends(shown.slice(static_cast<std::uint32_t>(at))) < t; });
    const auto first = i;
    for (; i != path.end() && shown.slice(static_cast<std::uint32_t>(*i)).start < frame.view.high; ++i) {
        const Slice& s = shown.slice(static_cast<std::uint32_t>(*i));
        const double left = pixelOf(s.start);
        const double right = pixelOf(ends(s));
        const double y = topOf(s, static_cast<std::uint32_t>(*i));
        if (i != first && before != y) {
            if (left == column)
                lines.back() = QLineF(left, std::min({lines.back().y1(), lines.back().y2(), y}), left,
                    std::max({lines.back().y1(), lines.back().y2(), y}));
            else
                lines.emplace_back(left, before, left, y);
            column = left;
        }
        before = y;
        if (right == left)
            continue;
        if (column != left && !lines.empty() && lines.back().y1() == y && lines.back().y2() == y
            && lines.back().x2() >= left - 1)
            lines.back().setP2({right, y});
        else
            lines.emplace_back(left, y, right, y);
        column = -1;
    }
    for (const auto& [colour, width] :
        {std::pair(frame.tokens.surface, 4), std::pair(frame.tokens.mark(Mark::Activations), 2)}) {
        frame.painter.setPen(QPen(colour, width));
        frame.painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
}

// The phases of the pipeline, named where there is room.
void PipelineChart::paintStrip(QPainter& painter) const
{
    if (isEmpty())
        return;
    const QRectF inner(plot().axisRect()->rect());
    const Tokens& t = look();
    painter.setFont(plotFont());
    const QFontMetricsF metrics(plotFont());
    const double height = metrics.height();
    const QRectF strip(inner.left(), inner.top() - height - 3, inner.width(), height);
    struct Phase {
        double from = 0;
        double to = 0;
        QString name;
        double share = 0; ///< of accent over the surface
    };
    for (const Phase& phase : {Phase{0, phasesShown().steady, tr("warm-up"), 0.10},
             Phase{phasesShown().steady, phasesShown().drain, tr("steady"), 0.22},
             Phase{phasesShown().drain, phasesShown().apply, tr("cool-down"), 0.10},
             Phase{phasesShown().apply, phasesShown().end, tr("update"), 0.04}}) {
        const double left = std::max(strip.left(), std::round(plot().xAxis->coordToPixel(phase.from)));
        const double right = std::min(strip.right() + 1, std::round(plot().xAxis->coordToPixel(phase.to)));
        if (right <= left)
            continue;
        const QRectF band(left, strip.top(), std::max(right - left - 1, 1.0), strip.height());
        const QColor ground = blend(t.accent, t.surface, phase.share);
        painter.fillRect(band, ground);
        if (metrics.horizontalAdvance(phase.name) + 8 > band.width())
            continue;
        painter.setPen(t.secondaryText);
        painter.drawText(band, Qt::AlignCenter, phase.name);
    }
}

void PipelineChart::paintOverlay(QPainter& painter) const
{
    if (isEmpty())
        return;
    const QRectF inner(plot().axisRect()->rect());
    painter.setBrush(Qt::NoBrush);
    if (linkedStage() >= 0 && linkedStage() < m_arrangement.stages) {
        const Interval rows = m_rows.extent(linkedStage());
        painter.setPen(QPen(look().accent, 1.5));
        const double top = plot().yAxis->coordToPixel(rows.low);
        painter.drawRect(
            QRectF(inner.left() + 1, top + 1, inner.width() - 2, plot().yAxis->coordToPixel(rows.high) - top - 2));
    }
    if (m_hover)
        paintKin(painter, placeOf(*m_hover).microBatch);
    else if (m_selected)
        paintKin(painter, placeOf(*m_selected).microBatch);
    paintArea(painter);
    paintCause(painter);
    if (m_selected) {
        QRectF r = sliceRect(*m_selected).adjusted(0, 0, -1, 0);
        if (r.width() < 5) // found even where it is merged with others
            r = QRectF(r.center().x() - 2.5, r.top() - 2, 5, r.height() + 4);
        painter.setBrush(Qt::NoBrush);
        if (r.width() > 8 && r.height() > 8) {
            painter.setPen(QPen(look().surface, 1));
            painter.drawRect(r.adjusted(2.5, 2.5, -2.5, -2.5));
        }
        painter.setPen(QPen(look().selection, 2));
        painter.drawRect(r.adjusted(1, 1, -1, -1));
    }
    paintMeasure(painter);
    paintScrollBar(painter);
}

// Where the visible rows lie among all, while there are more.
void PipelineChart::paintScrollBar(QPainter& painter) const
{
    const Interval shown = shownY();
    if (shown.length() >= m_rows.height() * 0.999)
        return;
    const QRectF inner(plot().axisRect()->rect());
    const double scale = inner.height() / m_rows.height();
    const QRectF bar(inner.right() - 3, inner.top() + shown.low * scale, 4, shown.length() * scale);
    painter.fillRect(QRectF(bar.left() - 1, inner.top(), bar.width() + 1, inner.height()), look().surface);
    painter.fillRect(bar, look().mark(Mark::Bubble));
}

// The same micro-batch everywhere, in both timelines.
void PipelineChart::paintKin(QPainter& painter, int microBatch) const
{
    const Interval view = shownX();
    painter.setPen(QPen(look().text, 1));
    painter.setBrush(Qt::NoBrush);
    int drawn = 0;
    for (int timeline = 0; timeline < timelines(); ++timeline) {
        for (const std::uint32_t i : index(timeline).kin(microBatch)) {
            const Slice& s = index(timeline).slice(i);
            if (s.start > view.high || s.start + s.duration < view.low)
                continue;
            const QRectF r = sliceRect(GanttRef{timeline, i});
            if (r.width() >= 4 && r.height() >= 4)
                painter.drawRect(r.adjusted(0.5, 0.5, -1.5, -0.5));
            else
                painter.fillRect(
                    QRectF(std::round(r.center().x()) - 1, r.top(), 2, std::max(r.height(), 2.0)), look().text);
            if (++drawn >= kMostKin)
                return;
        }
    }
}

// From what ended the selected wait, or the one before the selected slice.
void PipelineChart::paintCause(QPainter& painter) const
{
    if (!m_selected)
        return;
    const auto ender = enderOf(*m_selected);
    if (!ender)
        return;
    const QRectF from = sliceRect(GanttRef{m_selected->timeline, *ender});
    const QRectF to = sliceRect(*m_selected);
    const QPointF a(from.right(), from.center().y());
    const QPointF b(m_selected->isWait ? to.right() : to.left(), to.center().y());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [colour, width] : {std::pair(look().surface, 4.0), std::pair(look().selection, 1.6)}) {
        painter.setPen(QPen(colour, width));
        painter.drawLine(a, b);
        painter.drawEllipse(a, 2.5, 2.5);
        painter.drawLine(b, b + QPointF(-5, a.y() < b.y() ? -5 : 5));
        painter.drawLine(b, b + QPointF(5, a.y() < b.y() ? -5 : 5));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

std::optional<QRectF> PipelineChart::areaRect() const
{
    if (!m_area || isEmpty())
        return std::nullopt;
    const double top = plot().yAxis->coordToPixel(m_rows.extent(m_area->firstStage).low);
    const double bottom = plot().yAxis->coordToPixel(m_rows.extent(m_area->lastStage).high);
    return QRectF(QPointF(plot().xAxis->coordToPixel(m_area->time.low), top),
        QPointF(plot().xAxis->coordToPixel(m_area->time.high), bottom));
}

void PipelineChart::paintArea(QPainter& painter) const
{
    const auto rect = areaRect();
    if (!rect)
        return;
    const Tokens& t = look();
    const QRectF inner(plot().axisRect()->rect());
    const QRectF shown = rect->intersected(inner);
    painter.fillRect(shown, translucent(t.accent, 0.16));
    painter.setPen(QPen(t.accent, 2));
    painter.drawLine(rect->topLeft(), rect->bottomLeft());
    painter.drawLine(rect->topRight(), rect->bottomRight());
    for (const double x : {rect->left(), rect->right()}) // what can be dragged
        painter.fillRect(QRectF(x - kGrip, shown.center().y() - 8, 2 * kGrip, 16), t.accent);
    paintPlate(painter, {shown.center().x(), std::max(shown.top(), inner.top()) + painter.fontMetrics().height()},
        text(Seconds(m_area->time.length())));
}

void PipelineChart::paintMeasure(QPainter& painter) const
{
    if (!m_measure)
        return;
    const double y = std::round(plot().yAxis->coordToPixel(m_measure->y));
    const double from = plot().xAxis->coordToPixel(m_measure->from);
    const double to = plot().xAxis->coordToPixel(m_measure->to);
    const Interval time = *measured();
    painter.setPen(QPen(look().text, 1.5));
    painter.drawLine(QPointF(from, y), QPointF(to, y));
    for (const double x : {from, to})
        painter.drawLine(QPointF(x, y - 9), QPointF(x, y + 9));
    paintPlate(painter, {(from + to) / 2, y - painter.fontMetrics().height()},
        tr("%1 · %2 of the step")
            .arg(text(Seconds(time.length())), shareText(time.length() / index().timeline().step.value())));
}

void PipelineChart::paintPlate(QPainter& painter, QPointF middle, const QString& shown) const
{
    painter.setFont(plotFont());
    const QFontMetricsF metrics(plotFont());
    const QRectF inner(plot().axisRect()->rect());
    QRectF plate(0, 0, metrics.horizontalAdvance(shown) + 10, metrics.height() + 2);
    plate.moveCenter(middle);
    plate.moveLeft(std::clamp(plate.left(), inner.left(), std::max(inner.left(), inner.right() - plate.width())));
    plate.moveTop(std::clamp(plate.top(), inner.top(), std::max(inner.top(), inner.bottom() - plate.height())));
    painter.setPen(QPen(look().frame, 1));
    painter.setBrush(look().raised);
    painter.drawRect(plate);
    painter.setPen(look().text);
    painter.drawText(plate, Qt::AlignCenter, shown);
    painter.setBrush(Qt::NoBrush);
}

} // namespace stratoplan
