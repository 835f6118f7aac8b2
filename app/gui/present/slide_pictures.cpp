// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/slide_pictures.h"

#include "widgets/panels/panel_style.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

constexpr int kFigureColumns = 4;

void paintFigure(const SlidePainter& slide, const QRectF& place, const SlideFigure& figure)
{
    slide.plate(place);
    const double margin = slide.px(1.8);
    const QRectF inside = place.adjusted(margin, margin * 0.7, -margin, -margin * 0.7);
    const double head = slide.px(3.6);
    const double foot = std::min(inside.height() * 0.36, slide.px(7));
    slide.line({inside.left(), inside.top(), inside.width(), head}, figure.title, slide.muted(kSmallType + 0.2));
    TextStyle value = slide.style(kTitleType, true);
    value.colour = slide.colour(figure.tone);
    slide.line(
        {inside.left(), inside.top() + head, inside.width(), inside.height() - head - foot}, figure.value, value);
    TextStyle note = slide.muted(kSmallType);
    const QRectF below(inside.left(), inside.bottom() - foot, inside.width(), foot);
    while (slide.heightOf(below.width(), figure.note, note) > foot && note.size > kSmallType * 0.7)
        note.size -= 0.1;
    slide.paragraph(below, figure.note, note);
}

/// How a list is set at one size.
struct ItemLayout {
    double factor = 1;
    double mark = 0; ///< width of the marks
    double gap = 0;
};

double heightOfItem(const SlidePainter& slide, double width, const SlideItem& item, const ItemLayout& layout)
{
    return slide.heightOf(width - layout.mark, item.head, slide.style(kBodyType * layout.factor, true))
        + slide.heightOf(width - layout.mark, item.text, slide.muted(kBodyType * layout.factor)) + layout.gap;
}

ItemLayout layoutOf(const SlidePainter& slide, const QRectF& place, const std::vector<SlideItem>& items)
{
    ItemLayout layout;
    constexpr double kLeast = 0.72, kStep = 0.04, kMost = 1.12;
    for (layout.factor = kMost;; layout.factor -= kStep) {
        layout.mark = slide.px(5 * layout.factor);
        layout.gap = slide.px(2.2 * layout.factor);
        double height = 0;
        for (const SlideItem& item : items)
            height += heightOfItem(slide, place.width(), item, layout);
        if (height - layout.gap <= place.height() || layout.factor < kLeast + kStep)
            return layout;
    }
}

double paintItem(const SlidePainter& slide, const QRectF& place, const SlideItem& item, const ItemLayout& layout)
{
    const double size = slide.px(kBodyType * layout.factor);
    widgets::paintSeverity(slide.painter(), {place.left(), place.top() + size * 0.12, size * 1.1, size * 1.1},
        slide.look(), item.severity);
    QRectF text = place.adjusted(layout.mark, 0, 0, 0);
    text.setTop(text.top() + slide.paragraph(text, item.head, slide.style(kBodyType * layout.factor, true)));
    slide.paragraph(text, item.text, slide.muted(kBodyType * layout.factor));
    return heightOfItem(slide, place.width(), item, layout);
}

} // namespace

void paintNotice(const SlidePainter& slide, const QRectF& place, const QString& text)
{
    TextStyle style = slide.muted(kLeadType);
    style.alignment = Qt::AlignCenter;
    slide.line(place, text, style);
}

void paintItems(const SlidePainter& slide, const QRectF& place, const std::vector<SlideItem>& items)
{
    const ItemLayout layout = layoutOf(slide, place, items);
    QRectF rest = place;
    const double line = slide.px(kBodyType * layout.factor * 1.5);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const double height = heightOfItem(slide, rest.width(), items[i], layout) - layout.gap;
        const double needed = i + 1 < items.size() ? height + layout.gap + line : height;
        if (i > 0 && needed > rest.height() + 1 && height > rest.height() - (i + 1 < items.size() ? line : 0)) {
            const QString more = widgets::tr("and %1 more, in the list of problems").arg(items.size() - i);
            slide.line({rest.left() + layout.mark, rest.top(), rest.width(), line}, more,
                slide.muted(kBodyType * layout.factor));
            return;
        }
        rest.setTop(rest.top() + paintItem(slide, rest, items[i], layout));
    }
}

void paintDecision(const SlidePainter& slide, const QRectF& place, const SlideState& state)
{
    const QString sentence = decisionSentence(state);
    const QString hint = budgetHint(state);
    TextStyle lead = slide.style(kLeadType, true);
    while (slide.heightOf(place.width(), sentence, lead) > slide.px(18) && lead.size > kBodyType)
        lead.size -= 0.2;
    double top = place.top() + slide.paragraph(place, sentence, lead) + slide.px(1);
    if (!hint.isEmpty()) {
        TextStyle warning = slide.style(kBodyType);
        warning.colour = slide.colour(SlideTone::Warn);
        top += slide.paragraph({place.left(), top, place.width(), place.height()}, hint, warning) + slide.px(1);
    }
    const std::vector<SlideFigure> figures = decisionFigures(state);
    const double gap = slide.px(1.6);
    const int rows = int(figures.size() + kFigureColumns - 1) / kFigureColumns;
    const QSizeF each((place.width() - (kFigureColumns - 1) * gap) / kFigureColumns,
        std::min((place.bottom() - top - gap - (rows - 1) * gap) / rows, slide.px(26)));
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const int row = int(i) / kFigureColumns, column = int(i) % kFigureColumns;
        paintFigure(slide,
            {place.left() + column * (each.width() + gap), top + gap + row * (each.height() + gap), each.width(),
                each.height()},
            figures[i]);
    }
}

} // namespace stratoplan::gui
