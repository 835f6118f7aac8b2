// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/scaling_chart.h"

#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace stratoplan::widgets {

namespace {

constexpr double kHitRadius = 10; // pixels
constexpr double kPointRadius = 3.5;
constexpr double kRing = 7;
constexpr double kLogTickPixels = 56;
constexpr double kLeastDecades = 0.25; ///< between labels: less than a doubling
constexpr double kNameGap = 8;

/// Colours of curves, told apart by the shape of their points as well; more curves begin again with another shape.
constexpr std::array kColours{
    Mark::Front, Mark::Activations, Mark::Fits, Mark::OptimizerState, Mark::Exposed, Mark::Buffers};

void paintPoint(
    QPainter& painter, QPointF at, std::size_t curve, bool hollow, const QColor& colour, const QColor& surface)
{
    painter.setPen(QPen(hollow ? colour : surface, hollow ? 1.5 : 1));
    painter.setBrush(hollow ? surface : colour);
    const double r = kPointRadius;
    switch (curve % 4) {
    case 0:
        painter.drawEllipse(at, r, r);
        break;
    case 1:
        painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
        break;
    case 2:
        painter.drawPolygon(QPolygonF{at + QPointF(0, -1.3 * r), at + QPointF(1.3 * r, r), at + QPointF(-1.3 * r, r)});
        break;
    default:
        painter.drawPolygon(QPolygonF{
            at + QPointF(0, -1.4 * r), at + QPointF(1.4 * r, 0), at + QPointF(0, 1.4 * r), at + QPointF(-1.4 * r, 0)});
    }
}

} // namespace

ScalingChart::ScalingChart(QWidget* parent)
    : StudyChart(tr("Scaling"), tr("Nothing to draw: none of the listed plans could be priced."), parent)
{
    setZoomDirections(Qt::Horizontal | Qt::Vertical, Qt::Horizontal);
    addMarks(plot(), [this](QPainter& painter) { paintCurves(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintHoveredPoint(painter); });
    restyle();
}

void ScalingChart::setPoints(
    const StudyPointer& answers, const std::vector<std::size_t>& points, StudyMeasure measure, int x, int series)
{
    setAnswers(answers, measure);
    m_curves = studyCurves(*answers, points, measure, x, series);
    m_x = x;
    m_xName = x == kAcceleratorAxis ? tr("Accelerators") : axisName(answers->axes[std::size_t(x)]);
    m_logarithmic = idealPower(measure).value_or(0) != 0;
    m_places.clear();
    for (std::size_t curve = 0; curve < m_curves.size(); ++curve)
        for (std::size_t i = 0; i < m_curves[curve].points.size(); ++i)
            m_places.push_back({curve, i});
    setEmpty(m_places.empty());
    if (m_places.empty())
        return replot();
    const QString over =
        tr("%1 over %2").arg(measureName(measure), x == kAcceleratorAxis ? m_xName : m_xName.toLower());
    setNote(series >= 0
            ? tr("%1, a curve for each %2").arg(over, axisName(answers->axes[std::size_t(series)]).toLower())
            : over);
    measureRanges();
    setLegendOfCurves();
    restyle();
    fit();
}

std::optional<double> ScalingChart::idealAt(const StudyCurve& curve, double x) const
{
    const auto power = idealPower(measure());
    if (!power || m_x != kAcceleratorAxis || curve.points.size() < 2)
        return std::nullopt;
    return curve.points.front().y * std::pow(x / curve.points.front().x, *power);
}

const StudyCurve::Point& ScalingChart::at(std::size_t point) const
{
    return m_curves[m_places[point].curve].points[m_places[point].index];
}

double ScalingChart::toAxis(double y) const
{
    return m_logarithmic ? std::log10(y) : y;
}

QPointF ScalingChart::pixel(double x, double y) const
{
    return {plot().xAxis->coordToPixel(std::log10(x)), plot().yAxis->coordToPixel(toAxis(y))};
}

void ScalingChart::measureRanges()
{
    m_rangeX = {INFINITY, -INFINITY};
    m_rangeY = {INFINITY, -INFINITY};
    const auto include = [](Interval& range, double value) {
        range = {std::min(range.low, value), std::max(range.high, value)};
    };
    for (const StudyCurve& curve : m_curves)
        for (const StudyCurve::Point& p : curve.points) {
            include(m_rangeX, std::log10(p.x));
            include(m_rangeY, toAxis(p.y));
            if (const auto ideal = idealAt(curve, p.x))
                include(m_rangeY, toAxis(*ideal));
        }
    if (!m_logarithmic)
        include(m_rangeY, 0);
    m_rangeX = padded(m_rangeX, 0.05);
    if (m_rangeX.length() < 0.2)
        m_rangeX = {m_rangeX.low - 0.1, m_rangeX.high + 0.1};
    const double room = 0.08 * m_rangeY.length();
    m_rangeY = {m_logarithmic ? m_rangeY.low - room : 0, m_rangeY.high + room};
    if (m_logarithmic && m_rangeY.length() < 0.2)
        m_rangeY = {m_rangeY.low - 0.1, m_rangeY.high + 0.1};
}

void ScalingChart::setTicks()
{
    std::set<double> places;
    double largest = 0;
    for (const StudyCurve& curve : m_curves)
        for (const StudyCurve::Point& p : curve.points) {
            places.insert(p.x);
            largest = std::max(largest, p.y);
        }
    std::vector<Category> ticks;
    for (const double x : places)
        if (ticks.empty() || std::log10(x) - ticks.back().at >= kLeastDecades) // those of unlike plans lie close
            ticks.push_back({std::log10(x), x == std::floor(x) ? groupedNumber(qint64(x)) : QString::number(x), false});
    setCategoryTicks(*plot().xAxis, std::move(ticks), kLogTickPixels);
    const AxisUnit unit = measureUnit(measure(), largest, answers().currency);
    if (m_logarithmic) {
        std::vector<Category> steps;
        const double shift = std::log10(unit.factor);
        for (int decade = int(std::floor(m_rangeY.low - shift)) - 1; decade <= m_rangeY.high - shift + 1; ++decade)
            for (const double step : {1.0, 2.0, 5.0})
                steps.push_back({shift + decade + std::log10(step),
                    tickText(step * std::pow(10, decade), std::max(0, -decade)), false});
        setCategoryTicks(*plot().yAxis, std::move(steps), kLogTickPixels / 2);
    } else {
        setUnitTicks(*plot().yAxis, unit);
    }
    setAxisTexts(Qt::Horizontal, {m_xName});
    setAxisTexts(Qt::Vertical, {tr("%1, %2").arg(measureName(measure()), unit.name), unit.name});
}

void ScalingChart::setLegendOfCurves()
{
    std::vector<LegendEntry> entries;
    if (m_curves.size() > 1)
        for (std::size_t i = 0; i < std::min(m_curves.size(), kColours.size()); ++i)
            entries.push_back({m_curves[i].name, kColours[i], Pattern::Solid, LegendEntry::Shape::Line});
    if (std::any_of(m_curves.begin(), m_curves.end(),
            [&](const StudyCurve& c) { return idealAt(c, c.points.front().x).has_value(); }))
        entries.push_back({tr("ideal, from the fewest accelerators (dashed)"), Mark::Cloud, Pattern::Solid,
            LegendEntry::Shape::Line});
    const bool tooLarge = std::any_of(m_places.begin(), m_places.end(), [&](const Place& p) {
        return answers().points[m_curves[p.curve].points[p.index].point].outcome
            == exchange::StudyPoint::Outcome::TooLarge;
    });
    if (tooLarge)
        entries.push_back(
            {tr("needs more memory (hollow)"), Mark::OutOfMemory, Pattern::Solid, LegendEntry::Shape::Ring});
    setLegend(std::move(entries));
}

void ScalingChart::restyle()
{
    if (m_places.empty())
        return;
    setTicks();
    setBounds(padded(m_rangeX, 0.1), m_logarithmic ? padded(m_rangeY, 0.1) : Interval{0, m_rangeY.high * 1.1}, 0.05,
        0.02 * m_rangeY.length());
}

void ScalingChart::fitView()
{
    if (!m_places.empty())
        showRange(m_rangeX, m_rangeY);
}

QPointF ScalingChart::pointAt(std::size_t point) const
{
    return pixel(at(point).x, at(point).y);
}

std::optional<std::size_t> ScalingChart::pointNear(QPointF where) const
{
    if (!plot().axisRect()->rect().contains(where.toPoint()))
        return std::nullopt;
    std::optional<std::size_t> nearest;
    double best = kHitRadius;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        if (const double distance = QLineF(where, pointAt(i)).length(); distance < best) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

void ScalingChart::paintCurves(QPainter& painter) const
{
    if (m_places.empty())
        return;
    const Tokens& t = look();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (const StudyCurve& curve : m_curves) { // beneath all curves
        const double last = curve.points.back().x;
        if (const auto end = idealAt(curve, last)) {
            painter.setPen(QPen(t.mark(Mark::Cloud), 1.2, Qt::DashLine));
            painter.drawLine(pixel(curve.points.front().x, curve.points.front().y), pixel(last, *end));
        }
    }
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        const QColor& colour = t.mark(kColours[i % kColours.size()]);
        QPolygonF line;
        for (const StudyCurve::Point& p : m_curves[i].points)
            line << pixel(p.x, p.y);
        painter.setPen(QPen(colour, 1.8));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
        for (std::size_t k = 0; k < m_curves[i].points.size(); ++k) {
            const bool hollow =
                answers().points[m_curves[i].points[k].point].outcome == exchange::StudyPoint::Outcome::TooLarge;
            paintPoint(painter, line[qsizetype(k)], i, hollow, colour, t.surface);
            if (chosenAnswer() == m_curves[i].points[k].point) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(t.selection, 2));
                painter.drawEllipse(line[qsizetype(k)], kRing, kRing);
            }
        }
    }
    paintNames(painter);
}

/// At the right end of each curve; none where some would cover others, for the legend names them too.
void ScalingChart::paintNames(QPainter& painter) const
{
    if (m_curves.size() < 2)
        return;
    const QRectF inner(plot().axisRect()->rect());
    painter.setFont(plotFont());
    const QFontMetricsF metrics(plotFont());
    std::vector<QRectF> taken;
    for (const StudyCurve& curve : m_curves) {
        const StudyCurve::Point& last = curve.points.back();
        const QPointF end = pixel(last.x, last.y);
        const QSizeF size(metrics.horizontalAdvance(curve.name), metrics.height());
        QRectF rect(end.x() + kNameGap, end.y() - size.height() / 2, size.width(), size.height());
        if (rect.right() > inner.right())
            rect.moveRight(end.x() - kNameGap);
        rect.moveBottom(std::clamp(rect.bottom() - (rect.left() < end.x() ? size.height() * 0.7 : 0),
            inner.top() + size.height(), inner.bottom()));
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(rect); }))
            return;
        taken.push_back(rect);
    }
    painter.setPen(look().text);
    for (std::size_t i = 0; i < taken.size(); ++i)
        painter.drawText(taken[i], Qt::AlignCenter, m_curves[i].name);
}

std::optional<std::size_t> ScalingChart::answerAt(std::size_t point) const
{
    return at(point).point;
}

QString ScalingChart::toolTipOf(std::size_t point) const
{
    const auto ideal = idealAt(m_curves[m_places[point].curve], at(point).x);
    QString tip = StudyChart::toolTipOf(point);
    if (!ideal || m_places[point].index == 0)
        return tip;
    const double share = largerIsBetter(measure()) ? at(point).y / *ideal : *ideal / at(point).y;
    return tip.replace(QStringLiteral("</div>"), tr("<br>%1 of ideal scaling</div>").arg(shareText(share)));
}

std::vector<std::size_t> ScalingChart::path() const
{
    std::vector<std::size_t> all(m_places.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

ChartTable ScalingChart::table() const
{
    ChartTable result;
    if (m_places.empty())
        return result;
    double largest = 0;
    for (std::size_t i = 0; i < m_places.size(); ++i)
        largest = std::max(largest, at(i).y);
    const AxisUnit unit = measureUnit(measure(), largest, answers().currency);
    result.columns = {tr("Series"), m_xName, tr("%1, %2").arg(measureName(measure()), unit.name),
        tr("Ideal, %1").arg(unit.name), tr("Fits")};
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const StudyCurve& curve = m_curves[m_places[i].curve];
        const auto ideal = idealAt(curve, at(i).x);
        result.rows << QStringList{curve.name, cell(at(i).x), cell(at(i).y / unit.factor),
            ideal ? cell(*ideal / unit.factor) : QString(), outcomeText(answers().points[at(i).point].outcome)};
    }
    return result;
}

QString ScalingChart::description() const
{
    if (m_places.empty())
        return emptyText();
    const QString curves = m_curves.size() == 1 ? tr("one curve") : tr("%1 curves").arg(m_curves.size());
    return tr("%1 over %2, %3 with %4 points.").arg(measureName(measure()), m_xName, curves).arg(m_places.size());
}

} // namespace stratoplan::widgets
