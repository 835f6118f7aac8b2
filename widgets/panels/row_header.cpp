// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/row_header.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"

#include <QPainter>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr int kHeadingMargin = 12; ///< as that of the cells
constexpr int kMarkGap = 7;

} // namespace

RowHeader::RowHeader(QWidget* parent, int margin)
    : QHeaderView(Qt::Horizontal, parent)
    , m_margin(margin)
{
    setHighlightSections(false);
}

void RowHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Tokens& t = currentTokens();
    painter->save();
    painter->fillRect(rect, t.surface);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.border);
    const QRect line = rect.adjusted(m_margin, 0, -m_margin, 0);
    const auto alignment = model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
    painter->setPen(t.secondaryText);
    painter->drawText(line, static_cast<int>(alignment),
        painter->fontMetrics().elidedText(
            model()->headerData(section, Qt::Horizontal).toString(), Qt::ElideRight, line.width()));
    painter->restore();
}

QSize RowHeader::sectionSizeFromContents(int section) const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(model()->headerData(section, Qt::Horizontal).toString()) + 2 * m_margin + 2,
        metrics.height() + kHeadingMargin};
}

SortedHeader::SortedHeader(QWidget* parent)
    : RowHeader(parent)
{
    setSectionsClickable(true);
}

void SortedHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    RowHeader::paintSection(painter, rect, section);
    if (!isSortIndicatorShown() || sortIndicatorSection() != section)
        return;
    const bool left = model()
                          ->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole)
                          .value<Qt::Alignment>()
                          .testFlag(Qt::AlignLeft);
    const int text = fontMetrics().horizontalAdvance(model()->headerData(section, Qt::Horizontal).toString())
        + kHeadingMargin + kMarkGap;
    painter->save(); // beside its own words, not beside those of the neighbour
    painter->translate(left ? std::min(rect.left() + text, rect.right() - kMarkGap)
                            : std::max(rect.right() - text, rect.left() + kMarkGap),
        rect.center().y());
    painter->rotate(sortIndicatorOrder() == Qt::DescendingOrder ? 0 : 180);
    paintChevron(*painter, {}, currentTokens().secondaryText);
    painter->restore();
}

} // namespace stratoplan::widgets
