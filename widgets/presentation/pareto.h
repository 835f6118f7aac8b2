// SPDX-License-Identifier: GPL-3.0-or-later
// Strategies as points of one measure against another: what is drawn where, and which one the pointer means.
#pragma once

#include "widgets/presentation/axis.h"
#include "widgets/presentation/strategy_set.h"

#include <QPointF>
#include <QRect>
#include <QRectF>
#include <cstdint>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct ParetoPoint {
    double x = 0;
    double y = 0;
    std::size_t strategy = 0; ///< place in the set
    StrategyPoint::Kind kind = StrategyPoint::Kind::Dominated;
};

struct ParetoView {
    std::vector<ParetoPoint> points; ///< only finite, positive ones
    std::vector<std::size_t> front; ///< positions in `points`, by rising x
    Interval x; ///< padded ranges to show; what lies far beyond the capacity is left outside
    Interval y;
    Bytes capacity{};
    bool exactFront = true; ///< false: of the strategies shown, others of the space may be better in these measures
    [[nodiscard]] bool empty() const { return points.empty(); }
};

/// The front of the search where the measures are those it searched by, else that of the strategies shown: which is
/// exact where they hold it.
[[nodiscard]] ParetoView paretoView(const StrategySet& set, StrategyMeasure x, StrategyMeasure y);

/// Linear, from a measure to pixels.
struct PixelScale {
    double origin = 0; ///< pixel of zero
    double slope = 1;
    [[nodiscard]] double operator()(double value) const { return origin + slope * value; }
};

/// The points that are not on the front, gathered into cells of a few pixels: however many there are, as many are drawn
/// as the picture has room for, and the one under the pointer is found at once.
class PointGrid {
public:
    static constexpr int kCloudCell = 2; ///< pixels
    static constexpr int kCrossCell = 4;

    void build(const ParetoView& view, const QRect& area, PixelScale x, PixelScale y);
    /// Left top corners of the cells taken.
    [[nodiscard]] const std::vector<QPoint>& cloud() const { return m_cloud; }
    [[nodiscard]] const std::vector<QPoint>& crosses() const { return m_crosses; }
    /// Position in view.points of the point nearest to `at` within `radius` pixels, of those that are drawn; what fits
    /// first.
    [[nodiscard]] std::optional<std::size_t> nearest(const ParetoView& view, QPointF at, double radius) const;

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t(0);
    QRect m_area;
    PixelScale m_x, m_y;
    int m_columns = 0;
    int m_rows = 0;
    std::vector<std::uint32_t> m_cells;
    std::vector<QPoint> m_cloud;
    std::vector<QPoint> m_crosses;
};

/// Where to put a label of `size` beside `anchor`: inside `bounds`, off every obstacle if that is possible, else
/// where it hides least. `gap` pixels from the anchor.
[[nodiscard]] QRectF placeLabel(
    QPointF anchor, QSizeF size, const QRectF& bounds, const std::vector<QRectF>& obstacles, double gap = 10);

/// Where to put a label of `size` beside the upright line at `x`: as far up as it hides no obstacle, on the right where
/// there is room. Empty where it would hide one everywhere.
[[nodiscard]] QRectF placeBesideLine(double x, QSizeF size, const QRectF& bounds, const std::vector<QRectF>& obstacles);

} // namespace stratoplan::widgets
