// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/tornado_chart.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stratoplan::widgets {

namespace {

constexpr double kThickness = 0.62; // of a row
constexpr double kSide = 0.22; // of the range, on either side: room for what stands at the ends

Mark markOf(const TornadoRow& row)
{
    return row.isUnexplained ? Mark::Reserve : Mark::Forward;
}

Pattern patternOf(const TornadoRow& row, bool isLow)
{
    if (row.isUnexplained)
        return Pattern::Dots;
    return isLow ? Pattern::HatchForward : Pattern::Solid;
}

} // namespace

TornadoChart::TornadoChart(QWidget* parent)
    : PointChart(tr("What each input does alone"), tr("Nothing to show yet."), parent)
{
    plot().yAxis->setRangeReversed(true);
    plot().yAxis->grid()->setVisible(false);
    setZoomDirections(Qt::Horizontal, Qt::Vertical);
    addMarks(plot(), [this](QPainter& painter) { paintBars(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintHover(painter); });
    restyle();
}

void TornadoChart::setView(std::optional<TornadoView> view, const QString& whyEmpty)
{
    forgetHover();
    m_view = std::move(view);
    setEmptyText(whyEmpty);
    if (!m_view) {
        setEmpty(true);
        return;
    }
    setLegend({{tr("10th percentile of the input"), Mark::Forward, Pattern::HatchForward},
        {tr("90th percentile"), Mark::Forward, Pattern::Solid}});
    setNote(m_view->left > 0 ? tr("%n more move it less", nullptr, m_view->left) : QString());
    setEmpty(false);
    relayout();
    fit();
}

void TornadoChart::relayout()
{
    if (!m_view)
        return;
    std::vector<Category> rows;
    for (std::size_t i = 0; i < m_view->rows.size(); ++i)
        rows.push_back({double(i), m_view->rows[i].name, false});
    setCategoryTicks(*plot().yAxis, std::move(rows), QFontMetricsF(plotFont()).height());
    setUnitTicks(*plot().xAxis, m_view->unit);
    const QString figure = figureName(m_view->measure);
    setAxisTexts(Qt::Horizontal,
        {tr("%1, %2 · the line is the estimate, %3")
                .arg(figure, m_view->unit.name, figureText(m_view->measure, m_view->base, m_view->currency)),
            tr("%1, %2").arg(figure, m_view->unit.name)});
    const Interval all = padded(m_view->range, kSide);
    const Interval y{-0.6, double(m_view->rows.size()) - 0.4};
    setBounds(all, y, all.length() * 1e-3, std::min(3.0, y.length()));
}

void TornadoChart::fitView()
{
    if (m_view)
        showRange(padded(m_view->range, kSide), {-0.6, double(m_view->rows.size()) - 0.4});
}

void TornadoChart::restyle()
{
    plot().xAxis->setBasePen(Qt::NoPen);
    relayout();
}

QRectF TornadoChart::partRect(std::size_t row, bool isLow) const
{
    const TornadoRow& r = m_view->rows[row];
    const double middle = plot().yAxis->coordToPixel(double(row));
    const double pixels = std::abs(plot().yAxis->coordToPixel(1) - plot().yAxis->coordToPixel(0));
    const double height = std::max(std::round(std::min(pixels * kThickness, 26.0)), 2.0);
    const double base = std::round(plot().xAxis->coordToPixel(m_view->base));
    const double end = std::round(plot().xAxis->coordToPixel(isLow ? r.low : r.high));
    return {std::min(base, end), std::round(middle - height / 2), std::abs(end - base), height};
}

QRectF TornadoChart::rowRect(std::size_t row) const
{
    return partRect(row, true).united(partRect(row, false));
}

void TornadoChart::paintBars(QPainter& painter) const
{
    if (!m_view)
        return;
    painter.setFont(plotFont());
    for (std::size_t i = 0; i < m_view->rows.size(); ++i) {
        const TornadoRow& row = m_view->rows[i];
        // Where both ends lie on one side the shorter part stays to be seen.
        const bool lowFirst = partRect(i, true).width() >= partRect(i, false).width();
        for (const bool isLow : {lowFirst, !lowFirst})
            if (const QRectF part = partRect(i, isLow); part.width() >= 0.5)
                paintMark(painter, part, markOf(row), patternOf(row, isLow), look());
        paintEnds(painter, i);
    }
    const double base = std::round(plot().xAxis->coordToPixel(m_view->base)) + 0.5;
    painter.setPen(QPen(look().text, 1));
    const QRect area = plot().axisRect()->rect();
    painter.drawLine(QPointF(base, area.top()), QPointF(base, area.bottom()));
}

/// What the input is at either end, beside the bar.
void TornadoChart::paintEnds(QPainter& painter, std::size_t row) const
{
    const TornadoRow& r = m_view->rows[row];
    const QRectF bar = rowRect(row);
    const QFontMetricsF metrics(plotFont());
    if (r.isUnexplained || bar.height() + 4 < metrics.height())
        return;
    const bool lowIsLeft = r.low <= r.high;
    const QRect area = plot().axisRect()->rect();
    painter.setPen(look().secondaryText);
    constexpr double kGap = 5;
    const QRectF left(area.left(), bar.top(), bar.left() - area.left() - kGap, bar.height());
    const QRectF right(bar.right() + kGap, bar.top(), area.right() - bar.right() - kGap, bar.height());
    const auto write = [&](const QRectF& room, const QString& text, Qt::Alignment side) {
        if (metrics.horizontalAdvance(text) <= room.width())
            painter.drawText(room, side | Qt::AlignVCenter | Qt::TextDontClip, text);
    };
    write(left, lowIsLeft ? r.lowText : r.highText, Qt::AlignRight);
    write(right, lowIsLeft ? r.highText : r.lowText, Qt::AlignLeft);
}

void TornadoChart::paintHover(QPainter& painter) const
{
    if (!m_view || !hovered())
        return;
    painter.setPen(QPen(look().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rowRect(*hovered()).adjusted(0.5, 0.5, -0.5, -0.5));
}

QPointF TornadoChart::pointAt(std::size_t point) const
{
    return rowRect(point).center();
}

std::optional<std::size_t> TornadoChart::pointNear(QPointF at) const
{
    if (!m_view || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    const double row = std::round(plot().yAxis->pixelToCoord(at.y()));
    if (row < 0 || row >= double(m_view->rows.size()))
        return std::nullopt;
    return std::size_t(row);
}

std::vector<std::size_t> TornadoChart::path() const
{
    std::vector<std::size_t> rows(m_view ? m_view->rows.size() : 0);
    std::iota(rows.begin(), rows.end(), std::size_t(0));
    return rows;
}

void TornadoChart::choose(std::size_t point)
{
    pointTo(point);
}

/// Up and down walk from bar to bar, as left and right do.
bool TornadoChart::keyPressed(QKeyEvent& event)
{
    const int key = event.key();
    if (!m_view || (key != Qt::Key_Down && key != Qt::Key_Up) || event.modifiers() != Qt::NoModifier)
        return PointChart::keyPressed(event);
    const std::size_t last = m_view->rows.size() - 1;
    const bool isDown = key == Qt::Key_Down;
    if (const auto now = hovered())
        pointTo(isDown ? std::min(*now + 1, last) : *now - std::min<std::size_t>(*now, 1));
    else
        pointTo(isDown ? 0 : last);
    return true;
}

QString TornadoChart::toolTipOf(std::size_t point) const
{
    return tornadoTip(*m_view, point);
}

ChartTable TornadoChart::table() const
{
    return m_view ? tornadoTable(*m_view) : ChartTable{};
}

QString TornadoChart::description() const
{
    return m_view ? tornadoText(*m_view) : emptyText();
}

} // namespace stratoplan::widgets
