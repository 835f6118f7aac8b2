// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/scatter_chart.h"

#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace stratoplan::widgets {

namespace {

constexpr double kScatterHitRadius = 9; // pixels
constexpr double kScatterRadius = 2.5;
constexpr double kChosenRadius = 5;
constexpr double kBand = 0.1;
constexpr double kScatterTickPixels = 64;

QString signedPercent(double share)
{
    const QString size = QString::number(std::abs(100 * share), 'f', std::abs(share) < 0.1 ? 1 : 0);
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + size + QStringLiteral(" %");
}

} // namespace

ScatterChart::ScatterChart(QWidget* parent)
    : PointChart(tr("Estimated over measured"), tr("No measured case to show."), parent)
{
    setZoomDirections(Qt::Horizontal | Qt::Vertical, Qt::Horizontal);
    addMarks(plot(), [this](QPainter& painter) { paintCases(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintHoveredPoint(painter); });
    restyle();
}

void ScatterChart::setPoints(std::vector<ScatterPoint> points, Measure measure, const QString& note)
{
    std::erase_if(points, [](const ScatterPoint& p) {
        return !(p.measured > 0) || !(p.estimated > 0) || !std::isfinite(p.measured + p.estimated);
    });
    std::sort(points.begin(), points.end(), [](const ScatterPoint& a, const ScatterPoint& b) {
        return std::tie(a.measured, a.estimated, a.name) < std::tie(b.measured, b.estimated, b.name);
    });
    m_points = std::move(points);
    m_measure = measure;
    forgetHover();
    m_chosen.clear();
    setNote(note);
    setEmpty(m_points.empty());
    if (m_points.empty())
        return;
    double low = INFINITY, high = 0;
    for (const ScatterPoint& p : m_points) {
        low = std::min({low, p.measured, p.estimated});
        high = std::max({high, p.measured, p.estimated});
    }
    m_range = padded({std::log10(low), std::log10(high)}, 0.05);
    if (m_range.length() < 0.2) // one case, or all alike: still a picture
        m_range = {m_range.low - 0.1, m_range.high + 0.1};
    setLegend({{tr("measured case"), Mark::Front, Pattern::Solid, LegendEntry::Shape::Dot},
        {tr("within 10 %"), Mark::Hidden, Pattern::Solid, LegendEntry::Shape::Box}});
    restyle();
    fit();
}

void ScatterChart::setChosen(const QString& name)
{
    m_chosen = name;
    replot();
}

void ScatterChart::restyle()
{
    if (m_points.empty())
        return;
    // 1, 2 and 5 of every decade of the unit, thinned to the whole ones where they would touch.
    const bool seconds = m_measure == Measure::StepTime;
    const double unit = seconds ? 0 : std::log10(kGiB);
    std::vector<Category> ticks;
    for (int decade = int(std::floor(m_range.low - unit)) - 1; decade <= m_range.high - unit + 1; ++decade)
        for (const double step : {1.0, 2.0, 5.0})
            ticks.push_back({unit + decade + std::log10(step),
                tickText(step * std::pow(10, decade), std::max(0, -decade)) + (seconds ? tr(" s") : tr(" GiB")),
                step == 1.0});
    setCategoryTicks(*plot().xAxis, ticks, kScatterTickPixels);
    setCategoryTicks(*plot().yAxis, ticks, kScatterTickPixels / 2);
    setAxisTexts(Qt::Horizontal, {tr("measured")});
    setAxisTexts(Qt::Vertical, {tr("estimated")});
    setBounds(padded(m_range, 0.1), padded(m_range, 0.1), 0.02, 0.02);
}

void ScatterChart::fitView()
{
    if (!m_points.empty())
        showRange(m_range, m_range);
}

QString ScatterChart::amount(double value) const
{
    return m_measure == Measure::StepTime ? text(Seconds(value)) : text(Bytes(value));
}

QPointF ScatterChart::pixel(double measured, double estimated) const
{
    return {plot().xAxis->coordToPixel(std::log10(measured)), plot().yAxis->coordToPixel(std::log10(estimated))};
}

QPointF ScatterChart::pointAt(std::size_t point) const
{
    return pixel(m_points[point].measured, m_points[point].estimated);
}

std::optional<std::size_t> ScatterChart::pointNear(QPointF at) const
{
    if (!plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    std::optional<std::size_t> nearest;
    double best = kScatterHitRadius;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (const double distance = QLineF(at, pointAt(i)).length(); distance < best) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

void ScatterChart::paintCases(QPainter& painter) const
{
    if (m_points.empty())
        return;
    const Tokens& t = look();
    const double low = std::pow(10, shownX().low), high = std::pow(10, shownX().high);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor band = t.mark(Mark::Hidden);
    band.setAlphaF(0.25f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(band);
    painter.drawPolygon(QPolygonF{pixel(low, low * (1 - kBand)), pixel(low, low * (1 + kBand)),
        pixel(high, high * (1 + kBand)), pixel(high, high * (1 - kBand))});
    painter.setPen(QPen(t.secondaryText, 1));
    painter.drawLine(pixel(low, low), pixel(high, high));
    // Cases that share a pixel are one dot: a thousand discs are dear, and look no different.
    const QRect rect = plot().axisRect()->rect();
    std::vector<QPoint> drawn;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (const QPoint at = pointAt(i).toPoint(); rect.contains(at))
            drawn.push_back(at);
    std::sort(drawn.begin(), drawn.end(),
        [](QPoint a, QPoint b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); });
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    QColor dot = t.mark(Mark::Front);
    dot.setAlphaF(0.75f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(dot);
    for (const QPoint at : drawn)
        painter.drawEllipse(QPointF(at), kScatterRadius, kScatterRadius);
    for (const ScatterPoint& p : m_points) {
        if (m_chosen.isEmpty() || p.name != m_chosen)
            continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.surface, 4));
        painter.drawEllipse(pixel(p.measured, p.estimated), kChosenRadius, kChosenRadius);
        painter.setPen(QPen(t.text, 2));
        painter.drawEllipse(pixel(p.measured, p.estimated), kChosenRadius, kChosenRadius);
    }
}

void ScatterChart::choose(std::size_t point)
{
    Q_EMIT chosen(m_points[point].name);
}

std::vector<std::size_t> ScatterChart::path() const
{
    std::vector<std::size_t> all(m_points.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

ChartTable ScatterChart::table() const
{
    const bool seconds = m_measure == Measure::StepTime;
    const double factor = seconds ? 1 : kGiB;
    ChartTable result;
    result.columns = {tr("Case"), seconds ? tr("Measured, s") : tr("Measured, GiB"),
        seconds ? tr("Estimated, s") : tr("Estimated, GiB"), tr("Error")};
    for (const ScatterPoint& p : m_points)
        result.rows << QStringList{
            p.name, cell(p.measured / factor), cell(p.estimated / factor), cell(p.estimated / p.measured - 1)};
    return result;
}

QString ScatterChart::description() const
{
    if (m_points.empty())
        return emptyText();
    const auto within = std::count_if(m_points.begin(), m_points.end(),
        [](const ScatterPoint& p) { return std::abs(p.estimated / p.measured - 1) <= kBand; });
    const QString cases = m_points.size() == 1 ? tr("1 measured case") : tr("%1 measured cases").arg(m_points.size());
    return tr("%1, %2 of them estimated within ten per cent.").arg(cases).arg(within);
}

QString ScatterChart::toolTipOf(std::size_t point) const
{
    const ScatterPoint& p = m_points[point];
    return tr("<div style='white-space:nowrap'><b>%1</b><br>measured %2 · estimated %3 · %4</div>")
        .arg(p.name.toHtmlEscaped(), amount(p.measured), amount(p.estimated),
            signedPercent(p.estimated / p.measured - 1));
}

} // namespace stratoplan::widgets
