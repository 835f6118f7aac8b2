// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pareto_chart.h"

#include "widgets/charts/measure_buttons.h"
#include "widgets/charts/pareto_painter.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kLeastBrush = 4;

PixelScale scaleOf(const QCPAxis& axis)
{
    const double origin = axis.coordToPixel(0);
    return {
        origin, (axis.coordToPixel(axis.range().upper) - axis.coordToPixel(axis.range().lower)) / axis.range().size()};
}

Interval between(double a, double b)
{
    return {std::min(a, b), std::max(a, b)};
}

QString joined(const QString& status, const QString& drawn)
{
    return drawn.isEmpty() ? status : status.isEmpty() ? drawn : QStringLiteral("%1 · %2").arg(status, drawn);
}

/// Where it has a place in the picture.
std::optional<ParetoPainter::Current> currentAt(
    const StrategyPoint& plan, ParetoMeasures measures, const StrategyRates& rates)
{
    const double x = measured(plan, measures.x, rates);
    const double y = measured(plan, measures.y, rates);
    if (!(std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0))
        return std::nullopt;
    return ParetoPainter::Current{plan.strategy, x, y};
}

/// Those that have a place in it.
std::vector<ParetoPainter::Pin> pinsAt(
    const std::vector<PinnedPoint>& pinned, ParetoMeasures measures, const StrategyRates& rates)
{
    std::vector<ParetoPainter::Pin> pins;
    for (const PinnedPoint& pin : pinned)
        if (const auto at = currentAt(pin.point, measures, rates))
            pins.push_back({pin.name, at->x, at->y});
    return pins;
}

/// So that a ring there has room.
void widen(ParetoView& view, double x, double y)
{
    view.x = {std::min(view.x.low, x * 0.95), std::max(view.x.high, x * 1.05)};
    view.y = {std::min(view.y.low, y * 0.95), std::max(view.y.high, y * 1.05)};
}

/// Of two corners in pixels; none where it is hardly to be seen.
std::optional<ParetoBrush> brushBetween(const QCustomPlot& plot, ParetoMeasures measures, QPointF from, QPointF to)
{
    if (std::abs(to.x() - from.x()) < kLeastBrush || std::abs(to.y() - from.y()) < kLeastBrush)
        return std::nullopt;
    const auto x = [&](double p) { return plot.xAxis->pixelToCoord(p); };
    const auto y = [&](double p) { return plot.yAxis->pixelToCoord(p); };
    return ParetoBrush{measures.x, measures.y, between(x(from.x()), x(to.x())), between(y(from.y()), y(to.y()))};
}

} // namespace

bool ParetoBrush::contains(const StrategyPoint& point, const StrategyRates& rates) const
{
    const double px = measured(point, xMeasure, rates);
    const double py = measured(point, yMeasure, rates);
    return px >= x.low && px <= x.high && py >= y.low && py <= y.high;
}

ParetoChart::ParetoChart(QWidget* parent)
    : PointChart(tr("Pareto"),
        tr("No strategies compared yet.\nPress “Find the best”: what it finds becomes points here. A click previews "
           "one, a double-click adopts it."),
        parent)
{
    setZoomDirections(Qt::Horizontal | Qt::Vertical, Qt::Horizontal);
    addMarks(plot(), [this](QPainter& painter) { paintCloud(painter); });
    addMarks(plot(), [this](QPainter& painter) {
        if (!m_view.empty())
            this->painter().paintFront(painter);
    });
    addOverlay(plot(), [this](QPainter& painter) { paintOverlay(painter); });
    restyle();
}

void ParetoChart::setStrategies(StrategySetPointer set)
{
    m_set = std::move(set);
    m_selected.reset(); // places are others now
    rebuild();
}

void ParetoChart::setCloud(const StrategyCloudPointer& cloud)
{
    if (cloud == m_cloud)
        return;
    m_cloud = cloud;
    m_layout.cloud().setCloud(m_cloud, m_measures.x, m_measures.y, rates());
    if (!m_cloud) {
        m_selectedOfCloud.reset();
        forgetHover();
    }
    if (m_view.empty())
        return;
    describe();
    relayout();
    replot();
}

StrategyPoint ParetoChart::strategyAt(std::size_t point) const
{
    if (!isOfCloud(point))
        return m_set->points[m_view.points[point].strategy];
    const search::CloudPoint& p = m_layout.cloud().pointAt(point - m_view.points.size());
    const search::SpaceCloud::Drawn drawn = m_cloud->strategyOf(p.number);
    return {drawn.strategy, drawn.precision, Seconds(p.step), Bytes(p.peak),
        p.fits ? StrategyPoint::Kind::Dominated : StrategyPoint::Kind::OutOfMemory};
}

void ParetoChart::setCurrent(const estimate::Estimate& e, model::Precision precision)
{
    m_currentPlan = StrategyPoint{e.strategy, precision, e.step, e.memory.peak, StrategyPoint::Kind::Dominated};
    m_capacity = e.memory.capacity;
    for (const estimate::StageMemory& stage : e.memory.stages)
        m_capacity = std::max(m_capacity, stage.capacity);
    rebuild();
}

void ParetoChart::setPins(std::vector<PinnedPoint> pins)
{
    m_pinned = std::move(pins);
    rebuild();
}

void ParetoChart::clearCurrent()
{
    m_currentPlan.reset();
    rebuild();
}

void ParetoChart::clear()
{
    m_set.reset();
    m_currentPlan.reset();
    m_pinned.clear();
    m_selected.reset();
    setCloud(nullptr);
    clearBrush();
    rebuild();
}

const StrategyRates& ParetoChart::rates() const
{
    static const StrategyRates none;
    return m_set ? m_set->rates : none;
}

void ParetoChart::setMeasures(StrategyMeasure x, StrategyMeasure y)
{
    if (m_measures == ParetoMeasures{x, y})
        return;
    m_measures = {x, y};
    clearBrush();
    rebuild();
    fit();
    Q_EMIT measuresChanged();
}

void ParetoChart::offerMeasures()
{
    if (m_measureButtons)
        return;
    m_measureButtons = new MeasureButtons(*this);
    addHeaderWidget(m_measureButtons->yButton());
    addHeaderWidget(m_measureButtons->xButton());
    connect(m_measureButtons, &MeasureButtons::chosen, this,
        [this](ParetoMeasures measures) { setMeasures(measures.x, measures.y); });
    m_measureButtons->setMeasures(m_measures, rates());
}

void ParetoChart::setSelected(std::optional<std::size_t> strategy)
{
    if (strategy == m_selected && !m_selectedOfCloud)
        return;
    m_selected = strategy;
    m_selectedOfCloud.reset();
    replotOverlay(plot());
}

void ParetoChart::clearBrush()
{
    if (!std::exchange(m_brush, std::nullopt))
        return;
    replotOverlay(plot());
    Q_EMIT brushChanged();
}

void ParetoChart::rebuild()
{
    const bool wasEmpty = isEmpty();
    StrategySet none;
    m_view = m_set ? paretoView(*m_set, m_measures.x, m_measures.y) : paretoView(none, m_measures.x, m_measures.y);
    if (m_capacity.value() > 0 && !(m_view.capacity.value() > 0))
        m_view.capacity = m_capacity;
    m_layout.forget();
    forgetHover();
    m_current = m_currentPlan && m_set ? currentAt(*m_currentPlan, m_measures, rates()) : std::nullopt;
    m_pins = m_set ? pinsAt(m_pinned, m_measures, rates()) : std::vector<ParetoPainter::Pin>();
    if (m_measureButtons)
        m_measureButtons->setMeasures(m_measures, rates());
    if (m_view.empty()) {
        setEmpty(true);
        return;
    }
    m_layout.cloud().setCloud(m_cloud, m_measures.x, m_measures.y, rates());
    describe();
    setEmpty(false);
    relayout();
    if (wasEmpty || !isMoved())
        fit();
    else
        replot();
}

void ParetoChart::describe()
{
    setLegend(paretoLegend(m_view, m_layout.cloud(), isCloudShown(), m_current.has_value()));
    const QString drawn =
        isCloudShown() ? tr("%1 drawn").arg(groupedNumber(static_cast<qint64>(m_layout.cloud().size()))) : QString();
    setNote(joined(m_set->status, drawn));
}

void ParetoChart::relayout()
{
    if (m_view.empty())
        return;
    // The rings belong into the picture even if their plans are not among the strategies.
    if (m_current)
        widen(m_view, m_current->x, m_current->y);
    for (const ParetoPainter::Pin& pin : m_pins)
        widen(m_view, pin.x, pin.y);
    const QPointF most = m_layout.most(m_view);
    const AxisUnit x = measureUnit(m_measures.x, m_view.x.high, rates());
    const AxisUnit y = measureUnit(m_measures.y, m_view.y.high, rates());
    setUnitTicks(*plot().xAxis, x);
    setUnitTicks(*plot().yAxis, y);
    const QString name = inSentence(measureName(m_measures.x, rates()));
    if (m_measures.x == StrategyMeasure::PeakMemory)
        setAxisTexts(Qt::Horizontal,
            {tr("peak memory per accelerator, %1").arg(x.name), tr("peak memory, %1").arg(x.name), x.name});
    else
        setAxisTexts(Qt::Horizontal, {tr("%1, %2").arg(name, x.name), x.name});
    setAxisTexts(Qt::Vertical, {y.name});
    setBounds({0, most.x()}, {0, most.y()}, m_view.x.length() * 0.01, m_view.y.length() * 0.01);
}

void ParetoChart::fitView()
{
    if (!m_view.empty())
        showRange(m_view.x, m_view.y);
}

QPointF ParetoChart::pixel(double x, double y) const
{
    return {plot().xAxis->coordToPixel(x), plot().yAxis->coordToPixel(y)};
}

QPointF ParetoChart::pointAt(std::size_t point) const
{
    if (isOfCloud(point)) {
        const QPointF value = m_layout.cloud().valueAt(point - m_view.points.size());
        return pixel(value.x(), value.y());
    }
    return pixel(m_view.points[point].x, m_view.points[point].y);
}

ParetoLayout& ParetoChart::placed() const
{
    m_layout.place(m_view, plot().axisRect()->rect(), scaleOf(*plot().xAxis), scaleOf(*plot().yAxis));
    return m_layout;
}

std::optional<std::size_t> ParetoChart::pointNear(QPointF at) const
{
    if (isEmpty() || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    return placed().pointNear(m_view, at, [this](std::size_t point) { return pointAt(point); });
}

void ParetoChart::choose(std::size_t point)
{
    if (isOfCloud(point)) {
        setSelected(std::nullopt);
        const StrategyPoint chosen = strategyAt(point);
        m_selectedOfCloud = chosen;
        replotOverlay(plot());
        Q_EMIT pickedOfCloud(chosen);
        return;
    }
    const std::size_t strategy = m_view.points[point].strategy;
    setSelected(strategy);
    Q_EMIT picked(strategy);
}

bool ParetoChart::pointerDoubleClicked(QPointF at)
{
    const auto point = pointNear(at);
    if (point)
        activate(*point);
    return point.has_value();
}

std::function<void()> ParetoChart::explanationAt(QPointF at)
{
    const auto point = pointNear(at);
    if (!point)
        return nullptr;
    return [this, chosen = strategyAt(*point)] { Q_EMIT explained(chosen); };
}

void ParetoChart::extendMenu(QMenu& menu)
{
    QAction* clear = menu.addAction(tr("Clear the brush"));
    clear->setVisible(m_brushable);
    clear->setEnabled(m_brush.has_value());
    connect(clear, &QAction::triggered, this, &ParetoChart::clearBrush);
}

bool ParetoChart::takesDrag(QPointF at, Qt::KeyboardModifiers modifiers)
{
    m_brushFrom = at;
    return m_brushable && modifiers.testFlag(Qt::ShiftModifier) && plot().axisRect()->rect().contains(at.toPoint());
}

void ParetoChart::pointerDragged(QPointF to)
{
    m_brush = brushBetween(plot(), m_measures, m_brushFrom, to);
    replotOverlay(plot());
}

bool ParetoChart::keyPressed(QKeyEvent& event)
{
    if (event.key() == Qt::Key_Escape && m_brush) {
        clearBrush();
        return true;
    }
    return PointChart::keyPressed(event);
}

ChartTable ParetoChart::table() const
{
    return m_set ? paretoTable(m_view, *m_set) : paretoTable(m_view, {});
}

QString ParetoChart::description() const
{
    return m_view.empty() ? emptyText() : widgets::describe(m_view, *m_set, m_measures);
}

QString ParetoChart::toolTipOf(std::size_t point) const
{
    const StrategyPoint strategy = strategyAt(point);
    const StrategyPoint::Kind kind = isOfCloud(point) ? strategy.kind : m_view.points[point].kind;
    return strategyTip(strategy, kind, m_view.capacity, m_measures, rates());
}

ParetoPainter ParetoChart::painter() const
{
    return ParetoPainter(
        {plot(), m_view, m_set && m_set->provisional, m_measures.x == StrategyMeasure::PeakMemory, m_current, m_pins,
            [this](std::size_t point) { return degreesText(strategyAt(point).strategy); }, look(), plotFont()});
}

void ParetoChart::paintCloud(QPainter& painter) const
{
    if (m_view.empty() || plot().axisRect()->rect().isEmpty())
        return;
    if (isCloudShown())
        painter.drawImage(plot().axisRect()->rect().topLeft(),
            placed().cloud().image(look().mark(Mark::Cloud), look().mark(Mark::OutOfMemory)));
    else
        this->painter().paintCloud(painter, placed().grid());
}

void ParetoChart::paintOverlay(QPainter& painter) const
{
    const ParetoPainter marks = this->painter();
    if (m_brush)
        marks.paintBrush(painter, m_brush->x, m_brush->y);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool ofSet = m_selected && m_set && *m_selected < m_set->points.size();
    if (ofSet || m_selectedOfCloud) {
        const StrategyPoint& s = ofSet ? m_set->points[*m_selected] : *m_selectedOfCloud;
        marks.paintSelected(painter, measured(s, m_measures.x, rates()), measured(s, m_measures.y, rates()));
    }
    if (hovered()) {
        marks.paintCross(painter, pointAt(*hovered()));
        paintHoveredPoint(painter);
    }
}

} // namespace stratoplan::widgets
