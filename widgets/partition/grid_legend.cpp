// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/grid_legend.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextDocumentFragment>
#include <cmath>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr double kLegendLine = 22, kGapBehindLine = 6, kGapBetween = 18;
constexpr double kLegendFont = 0.9;

void paintLegendMark(QPainter& painter, GridMark mark, QPointF at)
{
    const Tokens& t = currentTokens();
    const QColor ink = mark == GridMark::ArrowInside ? t.accent : mark == GridMark::ArrowAcross ? t.warn : t.bad;
    QPen pen(ink, 1.6);
    if (mark != GridMark::ArrowInside)
        pen.setDashPattern({3, 2});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    if (mark == GridMark::SumFrame)
        return painter.drawRect(QRectF(at.x() + 3, at.y() - 5, kLegendLine - 6, 10));
    const QPointF tip = at + QPointF(kLegendLine, 0);
    painter.drawLine(at, tip - QPointF(4, 0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawPolygon(QPolygonF{{tip, tip + QPointF(-7, -3.5), tip + QPointF(-7, 3.5)}});
}

} // namespace

GridLegend::GridLegend(QWidget* parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Legend"));
}

void GridLegend::setLegend(PartitionLegend legend)
{
    if (legend == m_legend)
        return;
    m_legend = std::move(legend);
    setToolTip(m_legend.explanation);
    setAccessibleDescription(QTextDocumentFragment::fromHtml(m_legend.explanation).toPlainText());
    update();
}

void GridLegend::setLines(int lines)
{
    m_lines = lines;
    updateGeometry();
    update();
}

double GridLegend::lineHeight() const
{
    return std::ceil(QFontMetricsF(scaledFont(font(), kLegendFont)).height()) + 2;
}

QSize GridLegend::sizeHint() const
{
    return {380, int(m_lines * lineHeight()) + 2};
}

std::vector<GridLegend::Placed> GridLegend::places() const
{
    std::vector<Placed> places;
    const QFontMetricsF metrics(scaledFont(font(), kLegendFont));
    const double right = this->width() - kGrid;
    double x = kPanelMargin;
    int line = 0;
    for (const GridLegendEntry& entry : m_legend.entries) {
        const double mark = entry.mark == GridMark::None ? 0 : kLegendLine + kGapBehindLine;
        const double width = std::ceil(metrics.horizontalAdvance(entry.text));
        if (x + mark + width > right && x > kPanelMargin && line + 1 < m_lines) {
            ++line;
            x = kPanelMargin;
        }
        if (x + mark + width > right)
            break;
        places.push_back({&entry, QRectF(x + mark, 1 + line * lineHeight(), width + 2, lineHeight())});
        x += mark + width + kGapBetween;
    }
    return places;
}

QStringList GridLegend::shownTexts() const
{
    QStringList texts;
    for (const Placed& placed : places())
        texts << placed.entry->text;
    return texts;
}

void GridLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paint(painter);
}

void GridLegend::paint(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(scaledFont(font(), kLegendFont));
    for (const auto& [entry, text] : places()) {
        if (entry->mark != GridMark::None)
            paintLegendMark(painter, entry->mark, {text.left() - kLegendLine - kGapBehindLine, text.center().y()});
        painter.setPen(currentTokens().secondaryText);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, entry->text);
    }
}

} // namespace stratoplan::widgets
