// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_overlay.h"

#include "widgets/presentation/text.h"
#include "widgets/presentation/tokens.h"
#include "widgets/presentation/translate.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kGrip = 3; // half the width of an area's edge
constexpr int kMostKin = 20000; // outlined; no picture could tell more apart

void paintLinkedStage(const PipelineFrame& frame, int stage)
{
    const GanttLayout& layout = frame.layout;
    if (stage < 0 || stage >= layout.scene().arrangement().stages)
        return;
    const Interval rows = layout.scene().rows().extent(stage);
    const QRectF plot = layout.plot();
    const double top = layout.view().yOf(rows.low);
    frame.painter.setPen(QPen(frame.tokens.accent, 1.5));
    frame.painter.drawRect(QRectF(plot.left() + 1, top + 1, plot.width() - 2, layout.view().yOf(rows.high) - top - 2));
}

// The same micro-batch everywhere, in both timelines.
void paintKin(const PipelineFrame& frame, int microBatch)
{
    const GanttScene& scene = frame.layout.scene();
    const Interval view = frame.layout.view().time;
    frame.painter.setPen(QPen(frame.tokens.text, 1));
    frame.painter.setBrush(Qt::NoBrush);
    int drawn = 0;
    for (int timeline = 0; timeline < scene.timelines(); ++timeline) {
        for (const std::uint32_t i : scene.index(timeline).kin(microBatch)) {
            const pipeline::Slice& s = scene.index(timeline).slice(i);
            if (s.start > view.high || s.start + s.duration < view.low)
                continue;
            const QRectF r = frame.layout.sliceRect(GanttRef{timeline, i});
            if (r.width() >= 4 && r.height() >= 4)
                frame.painter.drawRect(r.adjusted(0.5, 0.5, -1.5, -0.5));
            else
                frame.painter.fillRect(
                    QRectF(std::round(r.center().x()) - 1, r.top(), 2, std::max(r.height(), 2.0)), frame.tokens.text);
            if (++drawn >= kMostKin)
                return;
        }
    }
}

void paintPlate(const PipelineFrame& frame, QPointF middle, const QString& shown)
{
    QPainter& painter = frame.painter;
    painter.setFont(frame.font);
    const QFontMetricsF metrics(frame.font);
    const QRectF plot = frame.layout.plot();
    QRectF plate(0, 0, metrics.horizontalAdvance(shown) + 10, metrics.height() + 2);
    plate.moveCenter(middle);
    plate.moveLeft(std::clamp(plate.left(), plot.left(), std::max(plot.left(), plot.right() - plate.width())));
    plate.moveTop(std::clamp(plate.top(), plot.top(), std::max(plot.top(), plot.bottom() - plate.height())));
    painter.setPen(QPen(frame.tokens.frame, 1));
    painter.setBrush(frame.tokens.raised);
    painter.drawRect(plate);
    painter.setPen(frame.tokens.text);
    painter.drawText(plate, Qt::AlignCenter, shown);
    painter.setBrush(Qt::NoBrush);
}

void paintArea(const PipelineFrame& frame, const GanttArea& area)
{
    const QRectF rect = frame.layout.areaRect(area);
    const QRectF plot = frame.layout.plot();
    const QRectF shown = rect.intersected(plot);
    QPainter& painter = frame.painter;
    const QColor& accent = frame.tokens.accent;
    painter.fillRect(shown, translucent(accent, 0.16));
    painter.setPen(QPen(accent, 2));
    painter.drawLine(rect.topLeft(), rect.bottomLeft());
    painter.drawLine(rect.topRight(), rect.bottomRight());
    for (const double x : {rect.left(), rect.right()}) // what can be dragged
        painter.fillRect(QRectF(x - kGrip, shown.center().y() - 8, 2 * kGrip, 16), accent);
    paintPlate(frame, {shown.center().x(), std::max(shown.top(), plot.top()) + painter.fontMetrics().height()},
        text(Seconds(area.time.length())));
}

// From what ended the selected wait, or the one before the selected slice.
void paintCause(const PipelineFrame& frame, GanttRef selected)
{
    const auto cause = frame.layout.scene().causeOf(selected);
    if (!cause)
        return;
    const QRectF from = frame.layout.sliceRect(*cause);
    const QRectF to = frame.layout.sliceRect(selected);
    const QPointF a(from.right(), from.center().y());
    const QPointF b(selected.isWait ? to.right() : to.left(), to.center().y());
    QPainter& painter = frame.painter;
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [colour, width] : {std::pair(frame.tokens.surface, 4.0), std::pair(frame.tokens.selection, 1.6)}) {
        painter.setPen(QPen(colour, width));
        painter.drawLine(a, b);
        painter.drawEllipse(a, 2.5, 2.5);
        painter.drawLine(b, b + QPointF(-5, a.y() < b.y() ? -5 : 5));
        painter.drawLine(b, b + QPointF(5, a.y() < b.y() ? -5 : 5));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintSelected(const PipelineFrame& frame, GanttRef selected)
{
    QRectF r = frame.layout.sliceRect(selected).adjusted(0, 0, -1, 0);
    if (r.width() < 5) // found even where it is merged with others
        r = QRectF(r.center().x() - 2.5, r.top() - 2, 5, r.height() + 4);
    frame.painter.setBrush(Qt::NoBrush);
    if (r.width() > 8 && r.height() > 8) {
        frame.painter.setPen(QPen(frame.tokens.surface, 1));
        frame.painter.drawRect(r.adjusted(2.5, 2.5, -2.5, -2.5));
    }
    frame.painter.setPen(QPen(frame.tokens.selection, 2));
    frame.painter.drawRect(r.adjusted(1, 1, -1, -1));
}

void paintMeasure(const PipelineFrame& frame, const GanttMeasure& measure)
{
    const GanttView& view = frame.layout.view();
    const double y = std::round(view.yOf(measure.row));
    const double from = view.xOf(measure.from);
    const double to = view.xOf(measure.to);
    const Interval time = measure.time();
    QPainter& painter = frame.painter;
    painter.setPen(QPen(frame.tokens.text, 1.5));
    painter.drawLine(QPointF(from, y), QPointF(to, y));
    for (const double x : {from, to})
        painter.drawLine(QPointF(x, y - 9), QPointF(x, y + 9));
    const double step = frame.layout.scene().index().timeline().step.value();
    paintPlate(frame, {(from + to) / 2, y - painter.fontMetrics().height()},
        tr("%1 · %2 of the step").arg(text(Seconds(time.length())), shareText(time.length() / step)));
}

// Where the visible rows lie among all, while there are more.
void paintScrollBar(const PipelineFrame& frame)
{
    const Interval shown = frame.layout.view().rows;
    const double height = frame.layout.scene().rows().height();
    if (shown.length() >= height * 0.999)
        return;
    const QRectF plot = frame.layout.plot();
    const double scale = plot.height() / height;
    const QRectF bar(plot.right() - 3, plot.top() + shown.low * scale, 4, shown.length() * scale);
    frame.painter.fillRect(QRectF(bar.left() - 1, plot.top(), bar.width() + 1, plot.height()), frame.tokens.surface);
    frame.painter.fillRect(bar, frame.tokens.mark(Mark::Bubble));
}

} // namespace

void paintPipelineOverlay(const PipelineFrame& frame, const GanttSelection& selection, int linkedStage)
{
    const GanttScene& scene = frame.layout.scene();
    if (scene.isEmpty())
        return;
    frame.painter.setBrush(Qt::NoBrush);
    paintLinkedStage(frame, linkedStage);
    if (const auto focus = selection.hovered ? selection.hovered : selection.selected)
        paintKin(frame, scene.placeOf(*focus).microBatch);
    if (selection.area)
        paintArea(frame, *selection.area);
    if (selection.selected) {
        paintCause(frame, *selection.selected);
        paintSelected(frame, *selection.selected);
    }
    if (selection.measure)
        paintMeasure(frame, *selection.measure);
    paintScrollBar(frame);
}

} // namespace stratoplan::widgets
