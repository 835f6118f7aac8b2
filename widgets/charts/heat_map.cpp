// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/heat_map.h"

#include "core/units/format.h"
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

constexpr double kTickPixels = 56;
constexpr double kPalest = 0.10; // of the accent, at the worst value
constexpr double kDeepest = 0.90;
constexpr double kWideRange = 8; // of the values: beyond it shades follow the logarithm

} // namespace

HeatMap::HeatMap(QWidget* parent)
    : StudyChart(tr("Heat map"), tr("Nothing to draw: no plan is listed."), parent)
{
    setZoomDirections(Qt::Horizontal | Qt::Vertical, Qt::Horizontal);
    plot().yAxis->setRangeReversed(true); // the first row on top
    addMarks(plot(), [this](QPainter& painter) { paintCells(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintPointed(painter); });
    restyle();
}

void HeatMap::setPoints(
    const StudyPointer& answers, const std::vector<std::size_t>& points, StudyMeasure measure, int x, int y)
{
    setAnswers(answers, measure);
    m_grid = studyGrid(*answers, points, measure, x, y);
    m_x = x;
    m_y = y;
    setEmpty(m_grid.cells.empty());
    if (m_grid.cells.empty())
        return replot();
    setNote(noteText());
    setLegendOfCells();
    restyle();
    fit();
}

double HeatMap::worth(double value) const
{
    if (!(m_grid.high > m_grid.low))
        return 1;
    const bool wide = m_grid.low > 0 && m_grid.high / m_grid.low > kWideRange;
    const double share = wide ? std::log(value / m_grid.low) / std::log(m_grid.high / m_grid.low)
                              : (value - m_grid.low) / (m_grid.high - m_grid.low);
    return std::clamp(largerIsBetter(measure()) ? share : 1 - share, 0.0, 1.0);
}

bool HeatMap::fits(const StudyCell& cell) const
{
    return cell.point && answers().points[*cell.point].outcome == exchange::StudyPoint::Outcome::Fits;
}

QString HeatMap::columnName(std::size_t column) const
{
    return m_x >= 0 ? valueText(answers().axes[std::size_t(m_x)], m_grid.columns[column]) : QString();
}

QString HeatMap::rowName(std::size_t row) const
{
    return m_y >= 0 ? valueText(answers().axes[std::size_t(m_y)], m_grid.rows[row]) : QString();
}

QString HeatMap::cellText(const StudyCell& cell) const
{
    if (!cell.point)
        return tr("no answer");
    return cell.value ? amount(*cell.value) : outcomeText(answers().points[*cell.point].outcome);
}

QString HeatMap::shortText(const StudyCell& cell) const
{
    if (!cell.value)
        return cellText(cell);
    return QString::fromStdString(
        formatNumber(*cell.value / measureUnit(measure(), m_grid.high, answers().currency).factor));
}

QString HeatMap::noteText() const
{
    if (!(m_grid.low > 0))
        return measureName(measure());
    const AxisUnit unit = measureUnit(measure(), m_grid.high, answers().currency);
    return tr("%1 in %2, %3 to %4: stronger is better")
        .arg(measureName(measure()), unit.name, QString::fromStdString(formatNumber(m_grid.low / unit.factor)),
            QString::fromStdString(formatNumber(m_grid.high / unit.factor)));
}

void HeatMap::setLegendOfCells()
{
    std::vector<LegendEntry> entries;
    const auto has = [&](auto&& what) { return std::any_of(m_grid.cells.begin(), m_grid.cells.end(), what); };
    if (has([&](const StudyCell& c) { return fits(c); }))
        entries.push_back({tr("best value"), Mark::Front, Pattern::Solid, LegendEntry::Shape::Box});
    if (has([&](const StudyCell& c) {
            return c.point && !fits(c) && answers().points[*c.point].outcome != exchange::StudyPoint::Outcome::Refused;
        }))
        entries.push_back({tr("does not fit"), Mark::OutOfMemory, Pattern::HatchForward, LegendEntry::Shape::Ground});
    if (has([&](const StudyCell& c) {
            return !c.point || answers().points[*c.point].outcome == exchange::StudyPoint::Outcome::Refused;
        }))
        entries.push_back({tr("no answer"), Mark::Cloud, Pattern::Dots, LegendEntry::Shape::Ground});
    setLegend(std::move(entries));
}

void HeatMap::restyle()
{
    if (m_grid.cells.empty())
        return;
    std::vector<Category> columns, rows;
    for (std::size_t i = 0; i < m_grid.columns.size(); ++i)
        columns.push_back({double(i), columnName(i), false});
    for (std::size_t i = 0; i < m_grid.rows.size(); ++i)
        rows.push_back({double(i), rowName(i), false});
    const auto lengths = [&](const std::vector<Category>& all) {
        const QFontMetricsF metrics(plotFont());
        double most = kTickPixels / 2;
        for (const Category& c : all)
            most = std::max(most, metrics.horizontalAdvance(c.name) + metrics.height());
        return most;
    };
    const double columnPixels = lengths(columns);
    setCategoryTicks(*plot().xAxis, std::move(columns), columnPixels);
    setCategoryTicks(*plot().yAxis, std::move(rows), QFontMetricsF(plotFont()).height() * 1.4);
    setAxisTexts(Qt::Horizontal, {m_x >= 0 ? axisName(answers().axes[std::size_t(m_x)]) : QString()});
    setAxisTexts(Qt::Vertical, {m_y >= 0 ? axisName(answers().axes[std::size_t(m_y)]) : QString()});
    setBounds({-0.5, double(m_grid.columns.size()) - 0.5}, {-0.5, double(m_grid.rows.size()) - 0.5}, 1, 1);
}

void HeatMap::fitView()
{
    if (!m_grid.cells.empty())
        showRange({-0.5, double(m_grid.columns.size()) - 0.5}, {-0.5, double(m_grid.rows.size()) - 0.5});
}

QRectF HeatMap::cellRect(std::size_t cell) const
{
    const double column = double(cell % m_grid.columns.size());
    const double row = double(cell / m_grid.columns.size());
    const auto x = [&](double at) { return std::round(plot().xAxis->coordToPixel(at)); };
    const auto y = [&](double at) { return std::round(plot().yAxis->coordToPixel(at)); };
    return QRectF(QPointF(x(column - 0.5), y(row - 0.5)), QPointF(x(column + 0.5), y(row + 0.5)));
}

QPointF HeatMap::pointAt(std::size_t point) const
{
    return cellRect(point).center();
}

std::optional<std::size_t> HeatMap::pointNear(QPointF at) const
{
    if (m_grid.cells.empty() || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    const double column = std::round(plot().xAxis->pixelToCoord(at.x()));
    const double row = std::round(plot().yAxis->pixelToCoord(at.y()));
    if (column < 0 || row < 0 || column >= double(m_grid.columns.size()) || row >= double(m_grid.rows.size()))
        return std::nullopt;
    return std::size_t(row) * m_grid.columns.size() + std::size_t(column);
}

void HeatMap::paintCells(QPainter& painter) const
{
    if (m_grid.cells.empty())
        return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRectF inner(plot().axisRect()->rect());
    for (std::size_t i = 0; i < m_grid.cells.size(); ++i)
        if (const QRectF rect = cellRect(i); rect.intersects(inner))
            paintCell(painter, m_grid.cells[i], rect);
}

void HeatMap::paintCell(QPainter& painter, const StudyCell& cell, const QRectF& rect) const
{
    const Tokens& t = look();
    const QRectF box = rect.adjusted(0, 0, -1, -1); // a line of surface between neighbours
    QColor ground = t.sunken;
    const bool good = fits(cell) && cell.value;
    if (good) {
        ground = blend(t.accent, t.surface, kPalest + (kDeepest - kPalest) * worth(*cell.value));
        painter.fillRect(box, ground);
    } else {
        const bool tooLarge =
            cell.point && answers().points[*cell.point].outcome != exchange::StudyPoint::Outcome::Refused;
        const QColor& ink = tooLarge ? t.mark(Mark::OutOfMemory) : t.mark(Mark::Cloud);
        painter.fillRect(box,
            patternBrush(ground, blend(ink, ground, 0.6), tooLarge ? Pattern::HatchForward : Pattern::Dots,
                painter.device()->devicePixelRatioF()));
    }
    if (cell.point && chosenAnswer() == cell.point) {
        painter.setPen(QPen(t.selection, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(1, 1, -1, -1));
    }
    QFont font = plotFont();
    const bool best = good && worth(*cell.value) == 1 && m_grid.high > m_grid.low;
    font.setWeight(best ? QFont::DemiBold : QFont::Normal);
    const QFontMetricsF metrics(font);
    const bool roomy = metrics.horizontalAdvance(cellText(cell)) + 8 <= box.width();
    const QString words = roomy ? cellText(cell) : shortText(cell);
    const double width = metrics.horizontalAdvance(words) + 8;
    if (width > box.width() || metrics.height() > box.height())
        return;
    painter.setFont(font);
    if (!good) { // a plain ground under the words
        QRectF plain(0, 0, width, metrics.height());
        plain.moveCenter(box.center());
        painter.fillRect(plain, ground);
    }
    painter.setPen(good ? t.label(ground) : t.secondaryText);
    painter.drawText(box, Qt::AlignCenter, words);
}

void HeatMap::paintPointed(QPainter& painter) const
{
    if (!hovered())
        return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(look().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cellRect(*hovered()).adjusted(1, 1, -2, -2));
}

std::optional<std::size_t> HeatMap::answerAt(std::size_t point) const
{
    return m_grid.cells[point].point;
}

std::vector<std::size_t> HeatMap::path() const
{
    std::vector<std::size_t> all(m_grid.cells.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

/// Up and down stay in the column.
bool HeatMap::keyPressed(QKeyEvent& event)
{
    const bool vertical =
        (event.key() == Qt::Key_Up || event.key() == Qt::Key_Down) && event.modifiers() == Qt::NoModifier;
    if (!vertical || !hovered())
        return StudyChart::keyPressed(event);
    const std::size_t columns = m_grid.columns.size();
    const std::size_t now = *hovered();
    if (event.key() == Qt::Key_Up && now >= columns)
        pointTo(now - columns);
    else if (event.key() == Qt::Key_Down && now + columns < m_grid.cells.size())
        pointTo(now + columns);
    return true;
}

ChartTable HeatMap::table() const
{
    ChartTable result;
    if (m_grid.cells.empty())
        return result;
    const AxisUnit unit = measureUnit(measure(), m_grid.high, answers().currency);
    const QString corner = tr("%1, %2").arg(measureName(measure()), unit.name);
    result.columns << (m_y >= 0 ? tr("%1 by %2").arg(corner, axisName(answers().axes[std::size_t(m_y)])) : corner);
    for (std::size_t column = 0; column < m_grid.columns.size(); ++column)
        result.columns << (m_x >= 0 ? tr("%1 %2").arg(axisName(answers().axes[std::size_t(m_x)]), columnName(column))
                                    : QString());
    for (std::size_t row = 0; row < m_grid.rows.size(); ++row) {
        QStringList cells{rowName(row)};
        for (std::size_t column = 0; column < m_grid.columns.size(); ++column) {
            const StudyCell& studyCell = m_grid.at(column, row);
            cells << (studyCell.value && fits(studyCell) ? cell(*studyCell.value / unit.factor) : cellText(studyCell));
        }
        result.rows << cells;
    }
    return result;
}

QString HeatMap::description() const
{
    if (m_grid.cells.empty())
        return emptyText();
    const auto fitting =
        std::count_if(m_grid.cells.begin(), m_grid.cells.end(), [&](const StudyCell& c) { return fits(c); });
    return tr("%1 of %2 by %3 cells, %4 of them fit.")
        .arg(measureName(measure()))
        .arg(m_grid.columns.size())
        .arg(m_grid.rows.size())
        .arg(fitting);
}

} // namespace stratoplan::widgets
