// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/plans_delegate.h"

#include "app/gui/compare/plans_model.h"
#include "widgets/style/theme.h"

#include <QPainter>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kCellMargin = 5;
constexpr int kLineGap = 6; ///< above the first line and below the last
constexpr int kWidestName = 300;

QFont firstFont(QFont font, const QModelIndex& index)
{
    if (index.column() == PlansModel::NameColumn)
        font.setWeight(QFont::DemiBold);
    return font;
}

struct CellLine {
    QString text;
    QColor colour;
    QFont font;
};

std::vector<CellLine> linesOf(const QStyleOptionViewItem& option, const QModelIndex& index, const widgets::Tokens& t)
{
    const int judgement = index.data(PlansModel::JudgementRole).toInt();
    const bool isName = index.column() == PlansModel::NameColumn;
    QFont noteFont = option.font;
    noteFont.setItalic(isName);
    const QColor judged = judgement > 0 ? t.good : judgement < 0 ? t.bad : t.secondaryText;
    const bool alarm = index.data(PlansModel::AlarmRole).toBool();
    std::vector<CellLine> lines;
    for (const CellLine& line :
        {CellLine{index.data(Qt::DisplayRole).toString(), alarm ? t.bad : t.text, firstFont(option.font, index)},
            CellLine{index.data(PlansModel::RangeRole).toString(), alarm ? t.bad : t.secondaryText, option.font},
            CellLine{index.data(PlansModel::DeltaRole).toString(), isName ? t.text : judged, noteFont}})
        if (!line.text.isEmpty())
            lines.push_back(line);
    return lines;
}

} // namespace

void PlansDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const widgets::Tokens& t = widgets::currentTokens();
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, t.accentSoft);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.border);
    const QRect cell = option.rect.adjusted(kCellMargin, kLineGap, -kCellMargin, -kLineGap);
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignHorizontal_Mask;
    int top = cell.top();
    for (const CellLine& line : linesOf(option, index, t)) {
        painter->setFont(line.font);
        painter->setPen(line.colour);
        const QRect place(cell.left(), top, cell.width(), option.fontMetrics.height());
        painter->drawText(place, static_cast<int>(alignment) | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(line.text, Qt::ElideRight, place.width()));
        top = place.bottom() + 1;
    }
    painter->restore();
}

QSize PlansDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    int width = 0;
    for (const CellLine& line : linesOf(option, index, widgets::currentTokens()))
        width = std::max(width, QFontMetrics(line.font).horizontalAdvance(line.text));
    if (index.column() == PlansModel::NameColumn)
        width = std::min(width, kWidestName);
    return {width + 2 * kCellMargin + 2, rowHeight(option.fontMetrics)};
}

int PlansDelegate::rowHeight(const QFontMetrics& metrics)
{
    return 3 * metrics.height() + 2 * kLineGap + 1;
}

} // namespace stratoplan::gui
