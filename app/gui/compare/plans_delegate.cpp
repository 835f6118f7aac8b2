// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/plans_delegate.h"

#include "app/gui/compare/plans_model.h"
#include "widgets/style/theme.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <utility>

namespace stratoplan::gui {

namespace {

constexpr int kMargin = 12;
constexpr int kBarWidth = 220;

void paintBreakdown(QPainter& painter, const QRect& cell, const pricing::Breakdown& breakdown, double longest)
{
    if (longest <= 0)
        return;
    const widgets::Tokens& t = widgets::currentTokens();
    const std::array<std::pair<Seconds, widgets::Mark>, 7> segments{{{breakdown.forward, widgets::Mark::Forward},
        {breakdown.backward, widgets::Mark::Backward}, {breakdown.recompute, widgets::Mark::Recompute},
        {breakdown.exposed.total(), widgets::Mark::Exposed}, {breakdown.bubble, widgets::Mark::Bubble},
        {breakdown.optimizer, widgets::Mark::Optimizer}, {breakdown.other, widgets::Mark::Other}}};
    const double width = std::min(kBarWidth, cell.width() - 2 * kMargin);
    double x = cell.left() + kMargin;
    for (const auto& [seconds, mark] : segments) {
        const double length = seconds.value() / longest * width;
        const QRectF bar(x, cell.center().y() - 7, std::max(0.0, length - 1), 14);
        painter.fillRect(bar, t.mark(mark));
        if (mark == widgets::Mark::Exposed) // hatched as in the charts: never by colour alone
            painter.fillRect(bar, QBrush(t.surface, Qt::BDiagPattern));
        x += length;
    }
}

} // namespace

void PlansDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const widgets::Tokens& t = widgets::currentTokens();
    painter->save();
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, t.accentSoft);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.border);
    const QVariant parts = index.data(PlansModel::BreakdownRole);
    if (parts.canConvert<pricing::Breakdown>()) {
        paintBreakdown(
            *painter, option.rect, parts.value<pricing::Breakdown>(), index.data(PlansModel::LongestRole).toDouble());
        painter->restore();
        return;
    }
    const QRect cell = option.rect.adjusted(kMargin, 0, -kMargin, 0);
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignHorizontal_Mask;
    const QString delta = index.data(PlansModel::DeltaRole).toString();
    const QRect upper =
        delta.isEmpty() ? cell : QRect(cell.left(), cell.top() + 6, cell.width(), cell.height() / 2 - 6);
    QFont font = option.font;
    if (index.column() == PlansModel::NameColumn)
        font.setWeight(QFont::DemiBold);
    painter->setFont(font);
    painter->setPen(t.text);
    painter->drawText(upper, static_cast<int>(alignment) | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight, upper.width()));
    if (!delta.isEmpty()) {
        const int judgement = index.data(PlansModel::JudgementRole).toInt();
        painter->setFont(option.font);
        painter->setPen(judgement > 0 ? t.good : judgement < 0 ? t.bad : t.secondaryText);
        painter->drawText(QRect(cell.left(), cell.center().y() + 1, cell.width(), cell.height() / 2 - 6),
            static_cast<int>(alignment) | Qt::AlignVCenter, delta);
    }
    painter->restore();
}

QSize PlansDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (index.column() == PlansModel::BreakdownColumn)
        return {kBarWidth + 2 * kMargin, option.fontMetrics.height()};
    QFont font = option.font;
    font.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(font);
    const int width = std::max(metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()),
        metrics.horizontalAdvance(index.data(PlansModel::DeltaRole).toString()));
    return {std::min(width, 320) + 2 * kMargin + 4, 2 * metrics.height()};
}

} // namespace stratoplan::gui
