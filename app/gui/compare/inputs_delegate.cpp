// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/inputs_delegate.h"

#include "app/gui/compare/inputs_model.h"
#include "widgets/style/theme.h"

#include <QPainter>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kInputMargin = 12; ///< as that of the headings
constexpr int kPartWidth = 76;
constexpr int kWidestInput = 260;

QFont inputFont(QFont font, const QModelIndex& index)
{
    if (index.data(InputsModel::DiffersRole).toBool())
        font.setWeight(QFont::DemiBold);
    return font;
}

/// A mark beside the weight of the letters, which small ones do not show well.
QString shownText(const QModelIndex& index)
{
    const QString text = index.data(Qt::DisplayRole).toString();
    return index.data(InputsModel::DiffersRole).toBool() ? QStringLiteral("≠ ") + text : text;
}

} // namespace

void InputsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const widgets::Tokens& t = widgets::currentTokens();
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, t.accentSoft);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.border);
    QRect cell = option.rect.adjusted(kInputMargin, 0, -kInputMargin, 0);
    if (index.column() == InputsModel::LabelColumn) {
        painter->setPen(t.secondaryText);
        painter->drawText(cell, Qt::AlignVCenter, index.data(InputsModel::PartRole).toString());
        cell.setLeft(cell.left() + kPartWidth);
    }
    painter->setFont(inputFont(option.font, index));
    painter->setPen(t.text);
    painter->drawText(
        cell, Qt::AlignVCenter, painter->fontMetrics().elidedText(shownText(index), Qt::ElideRight, cell.width()));
    painter->restore();
}

QSize InputsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int width = QFontMetrics(inputFont(option.font, index)).horizontalAdvance(shownText(index));
    const int part = index.column() == InputsModel::LabelColumn ? kPartWidth : 0;
    return {std::min(width, kWidestInput) + part + 2 * kInputMargin + 4, option.fontMetrics.height() + 10};
}

} // namespace stratoplan::gui
