// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/legend_row.h"

#include "widgets/charts/patterns.h"
#include "widgets/presentation/legend_layout.h"
#include "widgets/style/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kSwatch = 12;
constexpr double kSwatchGap = 5;
constexpr double kGap = 12;
} // namespace

LegendRow::LegendRow(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void LegendRow::setEntries(std::vector<LegendEntry> entries)
{
    if (entries == m_entries)
        return;
    m_entries = std::move(entries);
    QStringList names;
    for (const LegendEntry& e : m_entries)
        names << e.name;
    setAccessibleName(tr("Legend: %1").arg(names.join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

std::vector<double> LegendRow::widths() const
{
    const QFontMetricsF metrics(font());
    std::vector<double> result;
    for (const LegendEntry& e : m_entries)
        result.push_back(kSwatch + kSwatchGap + std::ceil(metrics.horizontalAdvance(e.name)));
    return result;
}

double LegendRow::rowHeight() const
{
    return std::ceil(QFontMetricsF(font()).height()) + 3;
}

std::vector<QRectF> LegendRow::cells(double width) const
{
    return layoutLegend(widths(), width, rowHeight(), kGap).cells;
}

double LegendRow::paint(QPainter& painter, double width, const Tokens& t) const
{
    const LegendLayout layout = layoutLegend(widths(), width, rowHeight(), kGap);
    painter.setFont(font());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const QRectF& cell = layout.cells[i];
        paintSwatch(painter, QRectF(cell.left(), cell.top(), kSwatch, cell.height()), m_entries[i], t);
        painter.setPen(t.secondaryText);
        painter.drawText(
            cell.adjusted(kSwatch + kSwatchGap, 0, 2, 0), Qt::AlignVCenter | Qt::AlignLeft, m_entries[i].name);
    }
    return layout.height;
}

int LegendRow::heightForWidth(int width) const
{
    return static_cast<int>(layoutLegend(widths(), width, rowHeight(), kGap).height);
}

QSize LegendRow::sizeHint() const
{
    const int width = 240;
    return {width, heightForWidth(width)};
}

QSize LegendRow::minimumSizeHint() const
{
    return {0, m_entries.empty() ? 0 : static_cast<int>(rowHeight())};
}

void LegendRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paint(painter, width(), currentTokens());
}

} // namespace stratoplan::widgets
