// SPDX-License-Identifier: GPL-3.0-or-later
// Step and memory as bars with their numbers beside them.
#include "app/gui/present/slide_pictures.h"

#include "widgets/charts/patterns.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

void paintBar(const SlidePainter& slide, const QRectF& bar, const widgets::Segment& segment)
{
    const QRectF visible(bar.left(), bar.top(), std::max(bar.width(), slide.px(0.25)), bar.height());
    widgets::paintMark(slide.painter(), visible, segment.mark, segment.pattern, slide.look());
}

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// Rows of a step: names, bars, numbers.
struct TimeColumns {
    QRectF names, bars, values;
};

void paintTimeRow(const SlidePainter& slide, const TimeColumns& columns, double top, double height,
    const widgets::Segment& segment, double total)
{
    const QRectF name(columns.names.left(), top, columns.names.width(), height);
    const double thick = std::min(height * 0.62, slide.px(4));
    const double from = columns.bars.left() + columns.bars.width() * segment.start / total;
    const QRectF bar(from, top + (height - thick) / 2, columns.bars.width() * segment.value / total, thick);
    slide.line(name, capitalised(segment.name), segment.inside ? slide.muted(kBodyType) : slide.style(kBodyType));
    slide.painter().fillRect(
        QRectF(columns.bars.left(), bar.center().y() - slide.px(0.06), columns.bars.width(), slide.px(0.12)),
        slide.look().grid);
    paintBar(slide, bar, segment);
    TextStyle value = segment.inside ? slide.muted(kBodyType) : slide.style(kBodyType, true);
    value.alignment = Qt::AlignRight | Qt::AlignVCenter;
    const QRectF amount(columns.values.left(), top, columns.values.width() * 0.55, height);
    slide.line(amount, widgets::text(Seconds(segment.value)), value);
    TextStyle share = slide.muted(kBodyType);
    share.alignment = Qt::AlignRight | Qt::AlignVCenter;
    slide.line({amount.right(), top, columns.values.right() - amount.right(), height},
        segment.inside ? widgets::tr("hidden") : partText(segment.value / total), share);
}

void paintStepBar(const SlidePainter& slide, const QRectF& place, const widgets::Stack& stack)
{
    for (const widgets::Segment& segment : stack.segments)
        if (!segment.inside)
            paintBar(slide,
                {place.left() + place.width() * segment.start / stack.total, place.top(),
                    place.width() * segment.value / stack.total, place.height()},
                segment);
}

/// Where columns of stages stand, and how many bytes a pixel is.
struct MemoryFrame {
    QRectF plot;
    double largest = 1;
    [[nodiscard]] double y(double bytes) const { return plot.bottom() - plot.height() * bytes / largest; }
};

void paintColumns(const SlidePainter& slide, const MemoryFrame& frame, const widgets::MemoryView& view)
{
    const double step = frame.plot.width() / double(view.stacks.size());
    const double width = std::min(step * 0.72, slide.px(11));
    const int every = std::max(1, int(std::ceil(slide.px(9) / step)));
    TextStyle label = slide.muted(kSmallType);
    label.alignment = Qt::AlignHCenter | Qt::AlignTop;
    for (std::size_t i = 0; i < view.stacks.size(); ++i) {
        const double middle = frame.plot.left() + (double(i) + 0.5) * step;
        for (const widgets::Segment& segment : view.stacks[i].segments) {
            const double top = frame.y(segment.start + segment.value);
            paintBar(slide, {middle - width / 2, top, width, frame.y(segment.start) - top}, segment);
        }
        const double limit = frame.y(view.capacities[i].value());
        slide.painter().setPen(QPen(slide.look().bad, slide.px(0.35)));
        slide.painter().drawLine(QPointF(middle - step / 2, limit), QPointF(middle + step / 2, limit));
        const bool isPeak = int(i) == view.peakStage;
        if (isPeak || (int(i) % every == 0 && std::abs(int(i) - view.peakStage) >= every)) {
            label.colour = isPeak ? slide.look().text : slide.look().secondaryText;
            slide.line({middle - std::max(step, slide.px(10)) / 2, frame.plot.bottom() + slide.px(0.6),
                           std::max(step, slide.px(10)), slide.px(3.4)},
                view.stacks.size() == 1 ? widgets::tr("every accelerator") : widgets::tr("stage %1").arg(i), label);
        }
    }
}

/// What there is, above its line; and the peak, where there is room above its column.
void paintLimits(const SlidePainter& slide, const MemoryFrame& frame, const widgets::MemoryView& view)
{
    const double high = slide.px(3.4), wide = slide.px(16);
    TextStyle style = slide.style(kSmallType, true);
    style.colour = slide.look().bad;
    style.alignment = Qt::AlignLeft | Qt::AlignBottom;
    slide.line({frame.plot.left(), frame.y(view.largest) - high, frame.plot.width(), high},
        widgets::tr("Capacity %1").arg(widgets::text(view.capacity)), style);
    const double top = frame.y(view.peak.value());
    if (top - frame.y(view.capacity.value()) < high && view.fits)
        return;
    const double step = frame.plot.width() / double(view.stacks.size());
    style.colour = slide.look().text;
    style.alignment = Qt::AlignHCenter | Qt::AlignBottom;
    const double middle = frame.plot.left() + (view.peakStage + 0.5) * step;
    slide.line(
        {std::max(frame.plot.left(), middle - wide / 2), top - high, wide, high}, widgets::text(view.peak), style);
}

void paintMemoryWords(
    const SlidePainter& slide, const QRectF& place, const widgets::MemoryView& view, const estimate::Memory& memory)
{
    const widgets::Stack& peak = view.stacks[std::size_t(view.peakStage)];
    const double line = std::min(slide.px(6), place.height() / double(peak.segments.size() + 4));
    const double swatch = line * 0.5;
    double top = place.top();
    const QString head = view.stacks.size() == 1 ? widgets::tr("Per accelerator")
                                                 : widgets::tr("On stage %1, per accelerator").arg(view.peakStage);
    slide.line({place.left(), top, place.width(), line}, head, slide.style(kBodyType, true));
    const auto row = [&](const QString& name, const QString& value, const TextStyle& style) {
        top += line;
        TextStyle right = style;
        right.alignment = Qt::AlignRight | Qt::AlignVCenter;
        slide.line({place.left() + swatch * 1.6, top, place.width() * 0.62, line}, name, style);
        slide.line({place.left() + place.width() * 0.6, top, place.width() * 0.4, line}, value, right);
    };
    for (auto segment = peak.segments.rbegin(); segment != peak.segments.rend(); ++segment) {
        row(capitalised(segment->name), widgets::text(Bytes(segment->value)), slide.style(kBodyType));
        paintBar(slide, {place.left(), top + (line - swatch) / 2, swatch, swatch}, *segment);
    }
    TextStyle sum = slide.style(kBodyType, true);
    sum.colour = slide.colour(view.fits ? SlideTone::Good : SlideTone::Bad);
    row(widgets::tr("Peak"), widgets::text(view.peak), sum);
    row(widgets::tr("80 % range"), betweenText(widgets::text(memory.peakLow), widgets::text(memory.peakHigh)),
        slide.muted(kBodyType));
    TextStyle capacity = slide.style(kBodyType);
    capacity.colour = slide.look().bad;
    row(widgets::tr("Capacity"), widgets::text(view.capacity), capacity);
}

} // namespace

void paintTime(const SlidePainter& slide, const QRectF& place, const estimate::Estimate& estimate)
{
    const auto view = widgets::breakdownView(estimate);
    if (!view)
        return paintNotice(slide, place, widgets::tr("The step cannot be divided."));
    const widgets::Stack& stack = view->stacks.front();
    const double head = slide.px(6);
    const QString range = betweenText(widgets::text(estimate.stepLow), widgets::text(estimate.stepHigh));
    const QString lead = range.isEmpty()
        ? widgets::tr("A step takes %1.").arg(widgets::text(estimate.step))
        : widgets::tr("A step takes %1, 80 % range %2.").arg(widgets::text(estimate.step), range);
    slide.line({place.left(), place.top(), place.width(), head}, lead, slide.style(kLeadType, true));
    const double bar = slide.px(5);
    const double top = place.top() + head + slide.px(1.5);
    paintStepBar(slide, {place.left(), top, place.width(), bar}, stack);
    const double names = std::min(place.width() * 0.32, slide.px(48));
    const double values = slide.px(28);
    const TimeColumns columns{{place.left(), 0, names, 0},
        {place.left() + names + slide.px(1), 0, place.width() - names - values - slide.px(2), 0},
        {place.right() - values, 0, values, 0}};
    const double first = top + bar + slide.px(2);
    const double height = std::min((place.bottom() - first) / double(stack.segments.size()), slide.px(6.6));
    for (std::size_t i = 0; i < stack.segments.size(); ++i)
        paintTimeRow(slide, columns, first + double(i) * height, height, stack.segments[i], stack.total);
}

void paintMemory(const SlidePainter& slide, const QRectF& place, const estimate::Estimate& estimate)
{
    const auto view = widgets::memoryView(estimate);
    if (!view || view->stacks.empty())
        return paintNotice(slide, place, widgets::tr("Nothing is known of the memory."));
    const double words = std::min(place.width() * 0.36, slide.px(62));
    const double foot = slide.px(4.5);
    const double above = 1.1; // room for what stands there
    const MemoryFrame frame{
        {place.left(), place.top(), place.width() - words - slide.px(4), place.height() - foot}, view->largest * above};
    slide.painter().setPen(QPen(slide.look().frame, slide.px(0.15)));
    slide.painter().drawLine(frame.plot.bottomLeft(), frame.plot.bottomRight());
    paintColumns(slide, frame, *view);
    paintLimits(slide, frame, *view);
    paintMemoryWords(slide, {place.right() - words, place.top(), words, place.height()}, *view, estimate.memory);
}

} // namespace stratoplan::gui
