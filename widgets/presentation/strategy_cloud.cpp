// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/strategy_cloud.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace stratoplan::widgets {

namespace {

constexpr std::uint16_t kMostCounted = std::numeric_limits<std::uint16_t>::max();

/// Of a pixel that holds so many, by the binary digits of their number: faint where one is among a million, full where
/// they crowd.
std::array<QRgb, 17> shades(QColor colour, double least)
{
    std::array<QRgb, 17> result{};
    for (std::size_t digits = 1; digits < result.size(); ++digits) {
        const double opacity = std::min(1.0, least + (1 - least) * static_cast<double>(digits - 1) / 7);
        colour.setAlphaF(static_cast<float>(opacity));
        result[digits] = qPremultiply(colour.rgba());
    }
    return result;
}

void countUp(std::uint16_t& count)
{
    count = static_cast<std::uint16_t>(count + (count < kMostCounted));
}

} // namespace

double measured(const search::CloudPoint& point, StrategyMeasure measure, const StrategyRates& rates)
{
    return measured(Measurable{static_cast<double>(point.step), static_cast<double>(point.peak),
                        static_cast<double>(point.ranks), static_cast<model::Precision>(point.precision)},
        measure, rates);
}

bool CloudGrid::continues(const StrategyCloud& cloud) const
{
    if (!m_cloud || m_cloud->parts.size() > cloud.parts.size())
        return false;
    return std::equal(m_cloud->parts.begin(), m_cloud->parts.end(), cloud.parts.begin());
}

void CloudGrid::forget()
{
    m_values.clear();
    m_dominated = 0;
    m_mostX = m_mostY = 0;
    m_placed = 0;
    m_area = {};
    m_painted = false;
}

void CloudGrid::setCloud(
    const StrategyCloudPointer& cloud, StrategyMeasure x, StrategyMeasure y, const StrategyRates& rates)
{
    if (!cloud || !continues(*cloud) || x != m_xMeasure || y != m_yMeasure || !(rates == m_rates))
        forget();
    m_xMeasure = x;
    m_yMeasure = y;
    m_rates = rates;
    m_cloud = cloud;
    if (!cloud)
        return;
    m_values.reserve(cloud->size);
    std::size_t end = 0;
    for (const auto& part : cloud->parts) {
        end += part->size();
        if (end <= m_values.size())
            continue; // known
        for (const search::CloudPoint& point : *part) {
            const Value value{static_cast<float>(measured(point, x, rates)),
                static_cast<float>(measured(point, y, rates)), point.fits == 1};
            m_dominated += value.fits;
            if (std::isfinite(value.x) && std::isfinite(value.y)) {
                m_mostX = std::max(m_mostX, static_cast<double>(value.x));
                m_mostY = std::max(m_mostY, static_cast<double>(value.y));
            }
            m_values.push_back(value);
        }
    }
}

const search::CloudPoint& CloudGrid::pointAt(std::size_t point) const
{
    auto part = m_cloud->parts.begin();
    for (; point >= (*part)->size(); ++part)
        point -= (*part)->size();
    return (**part)[point];
}

void CloudGrid::place(const QRect& area, PixelScale x, PixelScale y)
{
    const int cell = size() >= kFinest ? 1 : 2;
    if (area != m_area || cell != m_cell || x.origin != m_x.origin || x.slope != m_x.slope || y.origin != m_y.origin
        || y.slope != m_y.slope) {
        m_area = area;
        m_x = x;
        m_y = y;
        m_cell = cell;
        m_columns = area.width() / cell + 1;
        m_rows = area.height() / cell + 1;
        const std::size_t cells = static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows);
        m_counts.assign(cells, 0);
        m_top.assign(cells, kNone);
        m_crosses.assign((static_cast<std::size_t>(area.width()) / kCrossCell + 1)
                * (static_cast<std::size_t>(area.height()) / kCrossCell + 1),
            0);
        m_placed = 0;
    }
    if (m_placed < m_values.size())
        add(m_placed);
}

void CloudGrid::add(std::size_t first)
{
    const float scale = 1.0f / static_cast<float>(m_cell);
    const auto left = static_cast<float>(m_x.origin - m_area.left());
    const auto top = static_cast<float>(m_y.origin - m_area.top());
    const auto slopeX = static_cast<float>(m_x.slope);
    const auto slopeY = static_cast<float>(m_y.slope);
    const auto width = static_cast<float>(m_area.width());
    const auto height = static_cast<float>(m_area.height());
    const std::size_t crossColumns = static_cast<std::size_t>(m_area.width()) / kCrossCell + 1;
    for (std::size_t i = first; i < m_values.size(); ++i) {
        const Value& value = m_values[i];
        const float x = left + slopeX * value.x;
        const float y = top + slopeY * value.y;
        if (!(x >= 0 && x < width && y >= 0 && y < height)) // nor what is no number
            continue;
        const std::size_t cell = cellOf(static_cast<int>(x * scale), static_cast<int>(y * scale));
        m_top[cell] = static_cast<std::uint32_t>(i);
        countUp(value.fits ? m_counts[cell]
                           : m_crosses[static_cast<std::size_t>(y) / kCrossCell * crossColumns
                               + static_cast<std::size_t>(x) / kCrossCell]);
    }
    m_placed = m_values.size();
    m_painted = false;
}

const QImage& CloudGrid::image(const QColor& dominated, const QColor& outOfMemory)
{
    if (m_painted && dominated == m_dominatedColour && outOfMemory == m_crossColour)
        return m_image;
    if (m_image.size() != m_area.size())
        m_image = QImage(m_area.size(), QImage::Format_ARGB32_Premultiplied);
    m_image.fill(Qt::transparent);
    paintCrosses(outOfMemory);
    paintDominated(dominated);
    m_dominatedColour = dominated;
    m_crossColour = outOfMemory;
    m_painted = true;
    return m_image;
}

void CloudGrid::paintDominated(const QColor& colour)
{
    const auto shade = shades(colour, m_cell == 1 ? 0.35 : 0.8);
    for (int y = 0; y < m_image.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
        const std::uint16_t* counts = m_counts.data() + cellOf(0, y / m_cell);
        for (int x = 0; x < m_image.width(); ++x) {
            if (const std::uint16_t count = counts[x / m_cell])
                line[x] = shade[static_cast<std::size_t>(std::bit_width(count))];
        }
    }
}

void CloudGrid::paintCrosses(const QColor& colour)
{
    const auto shade = shades(colour, m_cell == 1 ? 0.35 : 0.8);
    const int columns = m_area.width() / kCrossCell + 1;
    for (std::size_t cell = 0; cell < m_crosses.size(); ++cell) {
        if (m_crosses[cell] == 0)
            continue;
        const QRgb pixel = shade[static_cast<std::size_t>(std::bit_width(m_crosses[cell]))];
        const int left = static_cast<int>(cell) % columns * kCrossCell;
        const int top = static_cast<int>(cell) / columns * kCrossCell;
        for (const auto& [dx, dy] :
            {std::pair(0, 0), std::pair(2, 0), std::pair(1, 1), std::pair(0, 2), std::pair(2, 2)}) {
            if (left + dx < m_image.width() && top + dy < m_image.height())
                reinterpret_cast<QRgb*>(m_image.scanLine(top + dy))[left + dx] = pixel;
        }
    }
}

std::optional<std::size_t> CloudGrid::nearest(QPointF at, double radius) const
{
    std::optional<std::size_t> best;
    double least = radius * radius;
    const int reach = static_cast<int>(radius) / m_cell + 1;
    const int column = static_cast<int>(at.x() - m_area.left()) / m_cell;
    const int row = static_cast<int>(at.y() - m_area.top()) / m_cell;
    for (int r = std::max(0, row - reach); r <= std::min(m_rows - 1, row + reach); ++r) {
        for (int c = std::max(0, column - reach); c <= std::min(m_columns - 1, column + reach); ++c) {
            const std::uint32_t point = m_top[cellOf(c, r)];
            if (point == kNone)
                continue;
            const QPointF d = QPointF(m_x(m_values[point].x), m_y(m_values[point].y)) - at;
            const double distance = QPointF::dotProduct(d, d);
            if (distance <= least) {
                least = distance;
                best = point;
            }
        }
    }
    return best;
}

int CloudGrid::countAt(QPoint pixel) const
{
    const QPoint inside = pixel - m_area.topLeft();
    return m_counts[cellOf(inside.x() / m_cell, inside.y() / m_cell)];
}

} // namespace stratoplan::widgets
