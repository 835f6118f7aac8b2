// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pareto_chart.h"

#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <QActionGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {

/// But for abbreviations.
QString inSentence(QString name)
{
    if (name.size() > 1 && name[1].isLower())
        name[0] = name[0].toLower();
    return name;
}

constexpr double kHitRadius = 9; // pixels
constexpr double kOnPoint = 3; // pixels: of a point of the front, what is under it is not meant
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
    addMarks(plot(), [this](QPainter& painter) { paintFront(painter); });
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
    m_cloudGrid.setCloud(m_cloud, m_xMeasure, m_yMeasure, rates());
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

// As soon as it says more than the thousands that the set has.
bool ParetoChart::isCloudShown() const
{
    return m_cloudGrid.size() > 0 && m_cloudGrid.size() + m_view.front.size() >= m_view.points.size();
}

StrategyPoint ParetoChart::strategyAt(std::size_t point) const
{
    if (!isOfCloud(point))
        return m_set->points[m_view.points[point].strategy];
    const CloudPoint& p = m_cloudGrid.pointAt(point - m_view.points.size());
    const SpaceCloud::Drawn drawn = m_cloud->strategyOf(p.number);
    return {drawn.strategy, drawn.precision, Seconds(p.step), Bytes(p.peak),
        p.fits ? StrategyPoint::Kind::Dominated : StrategyPoint::Kind::OutOfMemory};
}

void ParetoChart::setCurrent(const Estimate& e, Precision precision)
{
    m_currentPlan = StrategyPoint{e.strategy, precision, e.step, e.memory.peak, StrategyPoint::Kind::Dominated};
    m_capacity = e.memory.capacity;
    rebuild();
}

void ParetoChart::clearCurrent()
{
    m_currentPlan.reset();
    rebuild();
}

void ParetoChart::setCapacity(Bytes capacity)
{
    m_capacity = capacity;
    rebuild();
}

void ParetoChart::clear()
{
    m_set.reset();
    m_currentPlan.reset();
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
    if (x == m_xMeasure && y == m_yMeasure)
        return;
    m_xMeasure = x;
    m_yMeasure = y;
    showMeasures();
    clearBrush();
    rebuild();
    fit();
    Q_EMIT measuresChanged();
}

void ParetoChart::offerMeasures()
{
    if (m_xButton)
        return;
    m_yButton = addMeasureButton(&ParetoChart::m_yMeasure, tr("StrategyMeasure of the vertical axis"));
    m_xButton = addMeasureButton(&ParetoChart::m_xMeasure, tr("StrategyMeasure of the horizontal axis"));
    showMeasures();
}

QToolButton* ParetoChart::addMeasureButton(StrategyMeasure ParetoChart::*measure, const QString& name)
{
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(name);
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, measure] {
        menu->clear();
        for (const StrategyMeasure choice : kMeasures) {
            QAction* action = menu->addAction(measureName(choice, rates()));
            action->setCheckable(true);
            action->setChecked(this->*measure == choice);
            connect(action, &QAction::triggered, this, [this, measure, choice] {
                const bool isX = measure == &ParetoChart::m_xMeasure;
                const StrategyMeasure other = isX ? m_yMeasure : m_xMeasure;
                // The same on both axes is a line: they change places.
                const StrategyMeasure swapped = other == choice ? this->*measure : other;
                isX ? setMeasures(choice, swapped) : setMeasures(swapped, choice);
            });
        }
    });
    button->setMenu(menu);
    addHeaderWidget(button);
    return button;
}

void ParetoChart::showMeasures()
{
    if (!m_xButton)
        return;
    m_yButton->setText(measureName(m_yMeasure, rates()));
    m_xButton->setText(tr("against %1").arg(inSentence(measureName(m_xMeasure, rates()))));
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
    m_view = m_set ? paretoView(*m_set, m_xMeasure, m_yMeasure) : paretoView(none, m_xMeasure, m_yMeasure);
    if (m_capacity.value() > 0 && !(m_view.capacity.value() > 0))
        m_view.capacity = m_capacity;
    m_gridKey.reset();
    forgetHover();
    placeCurrent();
    showMeasures();
    if (m_view.empty()) {
        setEmpty(true);
        return;
    }
    m_cloudGrid.setCloud(m_cloud, m_xMeasure, m_yMeasure, rates());
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
    std::vector<LegendEntry> legend;
    const auto occurs = [&](StrategyPoint::Kind kind) {
        return std::any_of(
            m_view.points.begin(), m_view.points.end(), [kind](const ParetoPoint& p) { return p.kind == kind; });
    };
    if (!m_view.front.empty())
        legend.push_back({m_view.exactFront ? tr("Pareto front")
                : isCloudShown()            ? tr("front of those listed")
                                            : tr("front of those shown"),
            Mark::Front, Pattern::Solid, LegendEntry::Shape::Dot});
    if (occurs(StrategyPoint::Kind::Dominated) || m_cloudGrid.anyDominated())
        legend.push_back({tr("dominated"), Mark::Cloud, Pattern::Solid, LegendEntry::Shape::Dot});
    if (occurs(StrategyPoint::Kind::OutOfMemory) || m_cloudGrid.anyOutOfMemory())
        legend.push_back({tr("out of memory"), Mark::OutOfMemory, Pattern::Solid, LegendEntry::Shape::Cross});
    if (m_current)
        legend.push_back({tr("this plan"), Mark::Front, Pattern::Solid, LegendEntry::Shape::Ring});
    setLegend(std::move(legend));
    const QString drawn =
        isCloudShown() ? tr("%1 drawn").arg(groupedNumber(static_cast<qint64>(m_cloudGrid.size()))) : QString();
    setNote(drawn.isEmpty()           ? m_set->status
            : m_set->status.isEmpty() ? drawn
                                      : QStringLiteral("%1 · %2").arg(m_set->status, drawn));
}

void ParetoChart::placeCurrent()
{
    m_current.reset();
    if (!m_currentPlan || !m_set)
        return;
    const double x = measured(*m_currentPlan, m_xMeasure, rates());
    const double y = measured(*m_currentPlan, m_yMeasure, rates());
    if (std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0)
        m_current = Current{*m_currentPlan, x, y};
}

void ParetoChart::relayout()
{
    if (m_view.empty())
        return;
    // The ring belongs into the picture even if its plan is not among the strategies.
    if (m_current) {
        m_view.y = {std::min(m_view.y.low, m_current->y * 0.95), std::max(m_view.y.high, m_current->y * 1.05)};
        m_view.x = {std::min(m_view.x.low, m_current->x * 0.95), std::max(m_view.x.high, m_current->x * 1.05)};
    }
    double mostX = m_view.x.high;
    double mostY = m_view.y.high;
    for (const ParetoPoint& p : m_view.points) {
        mostX = std::max(mostX, p.x * 1.05);
        mostY = std::max(mostY, p.y * 1.02);
    }
    if (isCloudShown()) {
        mostX = std::max(mostX, m_cloudGrid.mostX() * 1.05);
        mostY = std::max(mostY, m_cloudGrid.mostY() * 1.02);
    }
    const AxisUnit x = measureUnit(m_xMeasure, m_view.x.high, rates());
    const AxisUnit y = measureUnit(m_yMeasure, m_view.y.high, rates());
    setUnitTicks(*plot().xAxis, x);
    setUnitTicks(*plot().yAxis, y);
    const QString name = inSentence(measureName(m_xMeasure, rates()));
    if (m_xMeasure == StrategyMeasure::PeakMemory)
        setAxisTexts(Qt::Horizontal,
            {tr("peak memory per accelerator, %1").arg(x.name), tr("peak memory, %1").arg(x.name), x.name});
    else
        setAxisTexts(Qt::Horizontal, {tr("%1, %2").arg(name, x.name), x.name});
    setAxisTexts(Qt::Vertical, {y.name});
    setBounds({0, mostX}, {0, mostY}, m_view.x.length() * 0.01, m_view.y.length() * 0.01);
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
        const QPointF value = m_cloudGrid.valueAt(point - m_view.points.size());
        return pixel(value.x(), value.y());
    }
    return pixel(m_view.points[point].x, m_view.points[point].y);
}

const PointGrid& ParetoChart::grid() const
{
    const PixelScale x = scaleOf(*plot().xAxis);
    const PixelScale y = scaleOf(*plot().yAxis);
    const GridKey key{plot().axisRect()->rect(), x.origin, x.slope, y.origin, y.slope};
    if (m_gridKey != key) {
        m_grid.build(m_view, key.area, x, y);
        m_gridKey = key;
    }
    return m_grid;
}

CloudGrid& ParetoChart::cloudGrid() const
{
    m_cloudGrid.place(plot().axisRect()->rect(), scaleOf(*plot().xAxis), scaleOf(*plot().yAxis));
    return m_cloudGrid;
}

std::optional<std::size_t> ParetoChart::pointNear(QPointF at) const
{
    if (isEmpty() || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    // The front is drawn on top of the cloud: of it the nearest, unless one of the cloud is half as far.
    std::optional<std::size_t> best;
    double least = kHitRadius * kHitRadius;
    for (const std::size_t i : m_view.front) {
        const QPointF d = pointAt(i) - at;
        if (QPointF::dotProduct(d, d) <= least) {
            least = QPointF::dotProduct(d, d);
            best = i;
        }
    }
    if (best && least <= kOnPoint * kOnPoint)
        return best;
    const double radius = best ? std::sqrt(least) / 2 : kHitRadius;
    if (!isCloudShown()) {
        const auto cloud = grid().nearest(m_view, at, radius);
        return cloud ? cloud : best;
    }
    const auto cloud = cloudGrid().nearest(at, radius);
    return cloud ? std::optional(m_view.points.size() + *cloud) : best;
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

void ParetoChart::activate(std::size_t point)
{
    const StrategyPoint strategy = strategyAt(point);
    Q_EMIT adopted(strategy);
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
    const auto x = [&](double p) { return plot().xAxis->pixelToCoord(p); };
    const auto y = [&](double p) { return plot().yAxis->pixelToCoord(p); };
    m_brush = ParetoBrush{
        m_xMeasure, m_yMeasure, between(x(m_brushFrom.x()), x(to.x())), between(y(m_brushFrom.y()), y(to.y()))};
    if (std::abs(to.x() - m_brushFrom.x()) < kLeastBrush || std::abs(to.y() - m_brushFrom.y()) < kLeastBrush)
        m_brush.reset();
    replotOverlay(plot());
}

void ParetoChart::dragEnded()
{
    Q_EMIT brushChanged();
}

bool ParetoChart::keyPressed(QKeyEvent& event)
{
    if (event.key() == Qt::Key_Escape && m_brush) {
        clearBrush();
        return true;
    }
    return PointChart::keyPressed(event);
}

void ParetoChart::restyle()
{
    relayout();
}

ChartTable ParetoChart::table() const
{
    ChartTable result;
    result.columns = {tr("TP"), tr("PP"), tr("DP"), tr("CP"), tr("EP"), tr("Virtual stages"), tr("Micro-batch"),
        tr("ZeRO"), tr("Recomputation"), tr("Schedule"), tr("Tokens/s"), tr("Peak memory, GiB"), tr("Step, s"),
        tr("Fits"), tr("On the front")};
    for (const ParetoPoint& p : m_view.points) {
        const StrategyPoint& c = m_set->points[p.strategy];
        const Strategy& s = c.strategy;
        result.rows << QStringList{QString::number(s.tp), QString::number(s.pp), QString::number(s.dp),
            QString::number(s.cp), QString::number(s.ep), QString::number(s.vpp), QString::number(s.microBatch),
            QString::number(s.zeroStage), recomputeText(s.recompute), scheduleText(s.schedule),
            cell(measured(c, StrategyMeasure::Throughput, rates())), cell(c.peak.value() / kGiB), cell(c.step.value()),
            p.kind != StrategyPoint::Kind::OutOfMemory ? tr("yes") : tr("no"),
            p.kind == StrategyPoint::Kind::Front ? tr("yes") : tr("no")};
    }
    return result;
}

QString ParetoChart::description() const
{
    if (m_view.empty())
        return emptyText();
    if (m_view.front.empty())
        return tr("%1 strategies; none fits into %2.")
            .arg(groupedNumber(qint64(m_view.points.size())), text(m_view.capacity));
    const bool fallsOnTheRight = largerIsBetter(m_yMeasure) == !largerIsBetter(m_xMeasure);
    const std::size_t best = fallsOnTheRight ? m_view.front.back() : m_view.front.front();
    const ParetoPoint& p = m_view.points[best];
    return tr("%1 strategies, %2 on the front; best %3 with %4: %5.")
        .arg(groupedNumber(qint64(m_view.points.size())), groupedNumber(qint64(m_view.front.size())),
            measureText(m_yMeasure, p.y, rates()), measureText(m_xMeasure, p.x, rates()),
            strategyText(strategyAt(best).strategy));
}

} // namespace stratoplan
