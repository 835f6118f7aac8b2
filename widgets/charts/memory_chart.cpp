// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/memory_chart.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QKeyEvent>
#include <QPainter>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kThickness = 0.74;
constexpr double kAxisPixels = 48;    // about what the axis and its label take of the height
constexpr double kWidestColumn = 56;  // pixels
constexpr int kManyStages = 16;

/// The first of both texts that is at most `width` pixels wide; empty when neither is.
QString fitting(const QFontMetricsF& metrics, const QString& whole, const QString& brief, double width)
{
    for (const QString& each : {whole, brief}) {
        if (metrics.horizontalAdvance(each) <= width)
            return each;
    }
    return {};
}

/// `r` moved so that it lies in `area`; empty where it is too high for that.
QRectF inside(QRectF r, const QRectF& area)
{
    if (r.height() > area.height() || r.width() > area.width())
        return {};
    r.moveLeft(std::clamp(r.left(), area.left(), area.right() - r.width()));
    r.moveTop(std::clamp(r.top(), area.top(), area.bottom() - r.height()));
    return r;
}
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
    setNote(tr("%1/GPU").arg(bytesUnit(m_view->largest).name));
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
    std::vector<Category> columns;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i)
        columns.push_back({static_cast<double>(i), m_view->stacks[i].label, false});
    const QFontMetricsF metrics(plotFont());
    setCategoryTicks(*plot().xAxis, std::move(columns), metrics.horizontalAdvance(QString::number(m_view->stacks.size())) + 8);
    setUnitTicks(*plot().yAxis, bytesUnit(m_view->largest));
    setAxisTexts(Qt::Horizontal, {tr("stage")});
    updateBounds();
    // With many stages a closer look is wanted along them, else along the bytes.
    const bool many = m_view->stacks.size() > kManyStages;
    setZoomDirections(many ? Qt::Horizontal : Qt::Vertical, many ? Qt::Vertical : Qt::Horizontal);
}

// Enough above the highest thing shown for the labels that stand on it.
double MemoryChart::top() const
{
    const QFontMetricsF metrics(plotFont());
    const double labels = metrics.horizontalAdvance(capacityText()) + metrics.horizontalAdvance(peakText()) + 40;
    const double rows = labels < plot().width() - kAxisPixels ? 1 : 2;
    const double pixels = std::max(plot().height() - kAxisPixels, 60.0);
    return m_view->largest / (1 - std::min(rows * (metrics.height() + 5) / pixels, 0.6));
}

void MemoryChart::updateBounds()
{
    const auto stages = static_cast<double>(m_view->stacks.size());
    setBounds({-0.6, stages - 0.4}, {0, top()}, std::min(4.0, stages + 0.2), m_view->largest * 0.02);
}

void MemoryChart::fitView()
{
    if (!m_view)
        return;
    updateBounds(); // the room for the labels depends on the size
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

QRectF MemoryChart::labelArea() const
{
    return QRectF(plot().axisRect()->rect()).adjusted(2, 0, -2, 0);
}

QString MemoryChart::capacityText() const
{
    return tr("%1 capacity").arg(text(m_view->capacity));
}

QString MemoryChart::peakText() const
{
    return tr("peak %1").arg(text(m_view->peak));
}

MemoryChart::Label MemoryChart::capacityLabel() const
{
    if (!(m_view->capacity.value() > 0))
        return {};
    const QRectF area = labelArea();
    const QFontMetricsF metrics(plotFont());
    const QString shown = fitting(metrics, capacityText(), text(m_view->capacity), area.width() - 4);
    if (shown.isEmpty())
        return {};
    const double width = metrics.horizontalAdvance(shown) + 4;
    const double y = plot().yAxis->coordToPixel(m_view->capacity.value());
    // On the side away from the peak, whose own label may come near.
    const bool right = m_view->peakStage * 2 < static_cast<int>(m_view->stacks.size());
    const QRectF r(right ? area.right() - width : area.left(), y - metrics.height() - 2, width, metrics.height());
    // Under its line where nothing fits above.
    return {shown, inside(r.top() < area.top() ? r.translated(0, metrics.height() + 5) : r, area)};
}

MemoryChart::Label MemoryChart::peakLabel(const QRectF& capacity) const
{
    const QRectF area = labelArea();
    const QFontMetricsF metrics(plotFont());
    const QString shown = fitting(metrics, peakText(), text(m_view->peak), area.width() - 6);
    if (shown.isEmpty())
        return {};
    const QRectF column = columnRect(static_cast<std::size_t>(m_view->peakStage));
    const double width = metrics.horizontalAdvance(shown) + 6;
    const QRectF wanted(column.center().x() - width / 2, column.top() - metrics.height() - 3, width, metrics.height() + 1);
    const QRectF taken = capacity.adjusted(-4, 0, 4, 0);
    const double line = plot().yAxis->coordToPixel(m_view->capacity.value());
    const QRectF lineBand(area.left(), line - 1, area.width(), 3);
    const double overLabel = capacity.top() - wanted.height() - 2;
    const double underLine = line + 3;
    const bool beyond = m_view->peak > m_view->capacity; // then what is under the line is all columns
    // Over its column; else as near as the line of the capacity and its label let it. Rather across the line than nowhere.
    for (const bool acrossLine : {false, true}) {
        for (const double top : {wanted.top(), beyond ? overLabel : underLine, line - wanted.height() - 2, beyond ? underLine : overLabel, capacity.bottom() + 2}) {
            QRectF r = wanted;
            r.moveTop(top);
            r = inside(r, area);
            if (!r.isEmpty() && !r.intersects(taken) && (acrossLine || !r.intersects(lineBand)))
                return {shown, r};
        }
    }
    return {};
}

MemoryChart::Labels MemoryChart::labels() const
{
    if (!m_view)
        return {};
    const Label capacity = capacityLabel();
    return {capacity, peakLabel(capacity.rect)};
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
    const Labels on = labels();
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
        QColor veil = t.surface;
        veil.setAlphaF(0.85f);
        painter.fillRect(on.capacity.rect, veil); // columns that reach beyond must not fray the letters
        painter.setPen(t.mark(Mark::Capacity));
        painter.drawText(on.capacity.rect, Qt::AlignCenter, on.capacity.text);
    }
    painter.fillRect(on.peak.rect, t.surface);
    painter.setPen(m_view->fits ? t.text : t.bad);
    painter.drawText(on.peak.rect, Qt::AlignCenter, on.peak.text);
}

void MemoryChart::paintHover(QPainter& painter) const
{
    if (!m_view)
        return;
    if (linkedStage() >= 0 && static_cast<std::size_t>(linkedStage()) < m_view->stacks.size()) {
        painter.setPen(QPen(look().accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(columnRect(static_cast<std::size_t>(linkedStage())).adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    if (!m_hover)
        return;
    painter.setPen(QPen(look().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(segmentRect(*m_hover).adjusted(0.5, 0.5, -0.5, -0.5));
}

void MemoryChart::pointerMoved(QPointF at)
{
    setHover(segmentAt(at));
}

void MemoryChart::pointerLeft()
{
    setHover(std::nullopt);
}

void MemoryChart::setHover(std::optional<Hit> hit)
{
    if (hit == m_hover)
        return;
    m_hover = hit;
    hoverStage(hit ? static_cast<int>(hit->stage) : -1);
    replotOverlay(plot());
}

void MemoryChart::pointerClicked(QPointF at)
{
    if (const auto explain = explanationAt(at))
        explain();
}

std::function<void()> MemoryChart::explanationAt(QPointF at)
{
    const auto hit = segmentAt(at);
    if (!hit)
        return nullptr;
    return [this, stage = static_cast<int>(hit->stage)] { Q_EMIT stageClicked(stage); };
}

std::optional<QPointF> MemoryChart::pointedAt() const
{
    return m_hover ? std::optional(segmentRect(*m_hover).center()) : std::nullopt;
}

// Left and right walk along the stages, up and down within one; Enter explains.
bool MemoryChart::keyPressed(QKeyEvent& event)
{
    const int key = event.key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_hover) {
        Q_EMIT stageClicked(static_cast<int>(m_hover->stage));
        return true;
    }
    const int along = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int upward = key == Qt::Key_Up ? 1 : key == Qt::Key_Down ? -1 : 0;
    if (!m_view || event.modifiers() != Qt::NoModifier || (along == 0 && upward == 0))
        return false;
    Hit next = m_hover.value_or(Hit{});
    if (m_hover) {
        next.stage = stepped(next.stage, along, m_view->stacks.size());
        next.segment = stepped(next.segment, upward, m_view->stacks[next.stage].segments.size());
    }
    setHover(next);
    announce(segmentRect(next).center(), toolTipOf(next));
    return true;
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
    return hit ? toolTipOf(*hit) : QString();
}

QString MemoryChart::toolTipOf(Hit hit) const
{
    const Stack& stack = m_view->stacks[hit.stage];
    const Segment& s = stack.segments[hit.segment];
    return tr("<div style='max-width:320px'><b>%1</b> · stage %2<br>%3 of %4 on this stage<br><br>%5</div>")
        .arg(s.name, stack.label, text(Bytes(s.value)), text(Bytes(stack.total)), s.explanation);
}

} // namespace stratoplan
