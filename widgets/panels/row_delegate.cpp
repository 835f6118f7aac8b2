// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/row_delegate.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr int kRowMargin = 12; ///< as that of the headings
constexpr int kWidestRow = 210;
constexpr int kBox = 16;
constexpr int kBoxWidth = kBox + 8; ///< with the gap behind it

bool hasBox(const QModelIndex& index)
{
    return index.data(Qt::CheckStateRole).isValid();
}

QRect boxOf(const QRect& cell)
{
    return {cell.left() + kRowMargin, cell.center().y() - kBox / 2, kBox, kBox};
}

QFont cellFont(const QStyleOptionViewItem& option, const QModelIndex& index)
{
    QFont font = option.font;
    if (index.column() == 0 && !index.data(RowDelegate::MutedRole).toBool())
        font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = currentTokens();
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, t.accentSoft);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.border);
    QRect cell = option.rect.adjusted(kRowMargin, 0, -kRowMargin, 0);
    if (hasBox(index)) {
        QStyleOptionViewItem box = option;
        box.rect = boxOf(option.rect);
        box.state = QStyle::State_Enabled
            | (index.data(Qt::CheckStateRole).toInt() == Qt::Checked ? QStyle::State_On : QStyle::State_Off);
        const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
        style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, option.widget);
        cell.setLeft(cell.left() + kBoxWidth);
    }
    const auto alignment =
        static_cast<int>(index.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignHorizontal_Mask)
        | int(Qt::AlignVCenter);
    const QString second = index.data(SecondLineRole).toString();
    const int half = cell.height() / 2 - 6;
    const auto draw = [&](const QRect& line, const QString& text, const QColor& color) {
        painter->setPen(color);
        painter->drawText(line, alignment, painter->fontMetrics().elidedText(text, Qt::ElideRight, line.width()));
    };
    painter->setFont(cellFont(option, index));
    draw(second.isEmpty() ? cell : QRect(cell.left(), cell.top() + 6, cell.width(), half),
        index.data(Qt::DisplayRole).toString(), index.data(MutedRole).toBool() ? t.secondaryText : t.text);
    if (!second.isEmpty()) {
        const int judgement = index.data(JudgementRole).toInt();
        painter->setFont(option.font);
        draw(QRect(cell.left(), cell.center().y() + 1, cell.width(), half), second,
            judgement > 0       ? t.good
                : judgement < 0 ? t.bad
                                : t.secondaryText);
    }
    painter->restore();
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QFontMetrics metrics(cellFont(option, index));
    const int width = std::max(metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()),
        metrics.horizontalAdvance(index.data(SecondLineRole).toString()));
    return {
        std::min(width, kWidestRow) + (hasBox(index) ? kBoxWidth : 0) + 2 * kRowMargin + 4, metrics.height() + kGrid};
}

bool RowDelegate::editorEvent(
    QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index)
{
    const QModelIndex first = index.siblingAtColumn(0); // the space bar checks the row wherever the current cell is
    const bool clicked = event->type() == QEvent::MouseButtonRelease && index == first
        && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton
        && boxOf(option.rect).adjusted(-4, -4, 4, 4).contains(static_cast<QMouseEvent*>(event)->pos());
    const bool pressed = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    if (!hasBox(first) || (!clicked && !pressed))
        return false;
    return model->setData(
        first, first.data(Qt::CheckStateRole).toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace stratoplan::widgets
