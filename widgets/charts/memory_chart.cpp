// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/memory_chart.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QPainter>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kThickness = 0.74;
constexpr double kAxisPixels = 48;    // about what the axis and its label take of the height
constexpr double kWidestColumn = 56;  // pixels
constexpr int kManyStages = 16;
} // namespace

MemoryChart::MemoryChart(QWidget* parent)
    : ChartView(tr("Memory by stage"), tr("No memory to show yet.\nComplete the plan on the left, or mend what the problems list names."), parent)
{
    plot().xAxis->grid()->setVisible(false);
    addMarks(plot(), [this](QPainter& painter) { paintColumns(painter); });
    addMarks(plot(), [this](QPainter& painter) { paintCapacity(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintHover(painter); });
    restyle();
}

void MemoryChart::setEstimate(const Estimate& estimate)
{
    const bool wasEmpty = isEmpty();
    const std::size_t stages = m_view ? m_view->stacks.size() : 0;
    m_view = memoryView(estimate);
    m_hover.reset();
    if (!m_view) {
        setEmpty(true);
        return;
    }
    setLegend(m_view->legend);
    setNote(tr("%1 per accelerator").arg(bytesUnit(m_view->largest).name));
    setEmpty(false);
    relayout();
    if (wasEmpty || !isMoved() || stages != m_view->stacks.size())
        fit();
    else
        replot();
}

void MemoryChart::clear()
{
    m_view.reset();
    m_hover.reset();
    setEmpty(true);
}

void MemoryChart::relayout()
{
    if (!m_view)
        return;
    const auto stages = static_cast<double>(m_view->stacks.size());
    std::vector<Category> columns;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i)
        columns.push_back({static_cast<double>(i), m_view->stacks[i].label, false});
    const QFontMetricsF metrics(plotFont());
    setCategoryTicks(*plot().xAxis, std::move(columns), metrics.horizontalAdvance(QString::number(m_view->stacks.size())) + 8);
    setUnitTicks(*plot().yAxis, bytesUnit(m_view->largest));
    plot().xAxis->setLabel(tr("stage"));
    setBounds({-0.6, stages - 0.4}, {0, top()}, std::min(4.0, stages + 0.2), m_view->largest * 0.02);
    // With many stages a closer look is wanted along them, else along the bytes.
    const bool many = m_view->stacks.size() > kManyStages;
    setZoomDirections(many ? Qt::Horizontal : Qt::Vertical, many ? Qt::Vertical : Qt::Horizontal);
}

// Enough above the highest thing shown for the labels that stand on it.
double MemoryChart::top() const
{
    const QFontMetricsF metrics(plotFont());
    const double labels = metrics.horizontalAdvance(capacityLabel()) + metrics.horizontalAdvance(peakLabel()) + 40;
    const double rows = labels < plot().width() - kAxisPixels ? 1 : 2;
    const double pixels = std::max(plot().height() - kAxisPixels, 60.0);
    return m_view->largest / (1 - std::min(rows * (metrics.height() + 5) / pixels, 0.6));
}

void MemoryChart::fitView()
{
    if (m_view)
        showRange({-0.6, static_cast<double>(m_view->stacks.size()) - 0.4}, {0, top()});
}

QRectF MemoryChart::columnRect(std::size_t stage) const
{
    const double middle = plot().xAxis->coordToPixel(static_cast<double>(stage));
    const double column = plot().xAxis->coordToPixel(1) - plot().xAxis->coordToPixel(0);
    const double width = std::max(std::round(std::min(column * (column > 6 ? kThickness : 1.0), kWidestColumn)), 1.0);
    const double top = plot().yAxis->coordToPixel(m_view->stacks[stage].total);
    return {std::round(middle - width / 2), top, width, plot().yAxis->coordToPixel(0) - top};
}

QRectF MemoryChart::segmentRect(Hit hit) const
{
    if (!m_view || hit.stage >= m_view->stacks.size() || hit.segment >= m_view->stacks[hit.stage].segments.size())
        return {};
    const Segment& s = m_view->stacks[hit.stage].segments[hit.segment];
    const QRectF column = columnRect(hit.stage);
    const double bottom = std::round(plot().yAxis->coordToPixel(s.start));
    const double top = std::round(plot().yAxis->coordToPixel(s.start + s.value));
    return {column.left(), top, column.width(), bottom - top};
}

std::optional<MemoryChart::Hit> MemoryChart::segmentAt(QPointF at) const
{
    if (!m_view || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
        for (std::size_t j = 0; j < m_view->stacks[i].segments.size(); ++j) {
            if (segmentRect({i, j}).contains(at))
                return Hit{i, j};
        }
    }
    return std::nullopt;
}

QString MemoryChart::capacityLabel() const
{
    return tr("%1 capacity").arg(text(m_view->capacity));
}

QString MemoryChart::peakLabel() const
{
    return tr("peak %1").arg(text(m_view->peak));
}

QRectF MemoryChart::capacityLabelRect() const
{
    if (!m_view)
        return {};
    const QFontMetricsF metrics(plotFont());
    const QRectF plotRect(plot().axisRect()->rect());
    const double width = metrics.horizontalAdvance(capacityLabel()) + 4;
    const double y = plot().yAxis->coordToPixel(m_view->capacity.value());
    // On the side away from the peak, whose own label may come near.
    const bool right = m_view->peakStage * 2 < static_cast<int>(m_view->stacks.size());
    return {right ? plotRect.right() - width : plotRect.left() + 4, y - metrics.height() - 2, width, metrics.height()};
}

QRectF MemoryChart::peakLabelRect() const
{
    if (!m_view)
        return {};
    const QFontMetricsF metrics(plotFont());
    const QRectF plotRect(plot().axisRect()->rect());
    const QRectF column = columnRect(static_cast<std::size_t>(m_view->peakStage));
    const double width = metrics.horizontalAdvance(peakLabel()) + 6;
    const double left = std::clamp(column.center().x() - width / 2, plotRect.left() + 2, std::max(plotRect.left() + 2, plotRect.right() - width));
    QRectF r(left, column.top() - metrics.height() - 3, width, metrics.height() + 1);
    const QRectF capacity = capacityLabelRect();
    if (r.intersects(capacity.adjusted(-4, 0, 4, 0)))
        r.moveTop(std::min(capacity.top() - r.height() - 2, r.top()));
    return r;
}

void MemoryChart::paintColumns(QPainter& painter) const
{
    if (!m_view)
        return;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
        const Stack& stack = m_view->stacks[i];
        for (std::size_t j = 0; j < stack.segments.size(); ++j) {
            QRectF r = segmentRect({i, j});
            if (r.height() < 0.5)
                continue;
            if (r.height() > 3)
                r.setTop(r.top() + 1); // a line of background between neighbours
            paintMark(painter, r, stack.segments[j].mark, stack.segments[j].pattern, look());
        }
    }
}

void MemoryChart::paintCapacity(QPainter& painter) const
{
    if (!m_view)
        return;
    const Tokens& t = look();
    painter.setFont(plotFont());
    const QRectF plotRect(plot().axisRect()->rect());
    if (m_view->capacity.value() > 0) {
        const double y = std::round(plot().yAxis->coordToPixel(m_view->capacity.value()));
        // What lies above the line does not fit: hatched in the colour of things that are wrong.
        for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
            if (!(m_view->stacks[i].total > m_view->capacity.value()))
                continue;
            const QRectF column = columnRect(i);
            painter.setPen(QPen(t.bad, 1.5));
            painter.setBrush(QBrush(t.bad, Qt::BDiagPattern));
            painter.drawRect(QRectF(column.left(), column.top(), column.width() - 1, std::max(0.0, y - column.top())));
        }
        painter.fillRect(QRectF(plotRect.left(), y, plotRect.width() + 1, 1.5), t.mark(Mark::Capacity));
        painter.setPen(t.mark(Mark::Capacity));
        painter.drawText(capacityLabelRect(), Qt::AlignCenter, capacityLabel());
    }
    const QRectF label = peakLabelRect();
    painter.fillRect(label, t.surface);
    painter.setPen(m_view->fits ? t.text : t.bad);
    painter.drawText(label, Qt::AlignCenter, peakLabel());
}

void MemoryChart::paintHover(QPainter& painter) const
{
    if (!m_hover || !m_view)
        return;
    painter.setPen(QPen(look().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(segmentRect(*m_hover).adjusted(0.5, 0.5, -0.5, -0.5));
}

void MemoryChart::pointerMoved(QPointF at)
{
    const auto hit = segmentAt(at);
    if (hit == m_hover)
        return;
    m_hover = hit;
    replotOverlay(plot());
}

void MemoryChart::pointerLeft()
{
    if (!m_hover)
        return;
    m_hover.reset();
    replotOverlay(plot());
}

void MemoryChart::pointerClicked(QPointF at)
{
    if (const auto hit = segmentAt(at))
        Q_EMIT stageClicked(static_cast<int>(hit->stage));
}

void MemoryChart::restyle()
{
    plot().yAxis->setBasePen(Qt::NoPen);
    relayout();
}

ChartTable MemoryChart::table() const
{
    ChartTable result;
    result.columns = {tr("Stage")};
    if (!m_view)
        return result;
    for (const LegendEntry& kind : m_view->legend)
        result.columns << tr("%1, GiB").arg(kind.name);
    result.columns << tr("total, GiB") << tr("of capacity, %");
    for (const Stack& stack : m_view->stacks) {
        QStringList row{stack.label};
        for (const LegendEntry& kind : m_view->legend) {
            double value = 0;
            for (const Segment& s : stack.segments)
                value += s.mark == kind.mark ? s.value : 0;
            row << cell(value / kGiB);
        }
        row << cell(stack.total / kGiB) << (m_view->capacity.value() > 0 ? cell(100 * stack.total / m_view->capacity.value()) : QString());
        result.rows << row;
    }
    return result;
}

QString MemoryChart::description() const
{
    if (!m_view)
        return emptyText();
    return tr("Peak memory %1 of %2 at stage %3 of %4; %5.")
        .arg(text(m_view->peak), text(m_view->capacity))
        .arg(m_view->peakStage)
        .arg(m_view->stacks.size())
        .arg(m_view->fits ? tr("it fits") : tr("it does not fit"));
}

QString MemoryChart::toolTipAt(QPointF at) const
{
    const auto hit = segmentAt(at);
    if (!hit)
        return {};
    const Stack& stack = m_view->stacks[hit->stage];
    const Segment& s = stack.segments[hit->segment];
    return tr("<div style='max-width:320px'><b>%1</b> · stage %2<br>%3 of %4 on this stage<br><br>%5</div>")
        .arg(s.name, stack.label, text(Bytes(s.value)), text(Bytes(stack.total)), s.explanation);
}

} // namespace stratoplan
