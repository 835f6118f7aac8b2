// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/pareto_layout.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kHitRadius = 9; // pixels
constexpr double kOnPoint = 3; // pixels: of a point of the front, what is under it is not meant

} // namespace

bool ParetoLayout::showsCloud(const ParetoView& view) const
{
    return m_cloud.size() > 0 && m_cloud.size() + view.front.size() >= view.points.size();
}

QPointF ParetoLayout::most(const ParetoView& view) const
{
    QPointF most(view.x.high, view.y.high);
    for (const ParetoPoint& p : view.points)
        most = {std::max(most.x(), p.x * 1.05), std::max(most.y(), p.y * 1.02)};
    if (showsCloud(view))
        most = {std::max(most.x(), m_cloud.mostX() * 1.05), std::max(most.y(), m_cloud.mostY() * 1.02)};
    return most;
}

void ParetoLayout::place(const ParetoView& view, const QRect& area, PixelScale x, PixelScale y)
{
    if (showsCloud(view)) {
        m_cloud.place(area, x, y);
        return;
    }
    const Placed placed{area, x.origin, x.slope, y.origin, y.slope};
    if (m_placed != placed) {
        m_grid.build(view, area, x, y);
        m_placed = placed;
    }
}

std::optional<std::size_t> ParetoLayout::pointNear(
    const ParetoView& view, QPointF at, const std::function<QPointF(std::size_t)>& pixelOf) const
{
    // The front is drawn on top of the cloud: of it the nearest, unless one of the cloud is half as far.
    std::optional<std::size_t> best;
    double least = kHitRadius * kHitRadius;
    for (const std::size_t i : view.front) {
        const QPointF d = pixelOf(i) - at;
        if (QPointF::dotProduct(d, d) <= least) {
            least = QPointF::dotProduct(d, d);
            best = i;
        }
    }
    if (best && least <= kOnPoint * kOnPoint)
        return best;
    const double radius = best ? std::sqrt(least) / 2 : kHitRadius;
    if (!showsCloud(view)) {
        const auto near = m_grid.nearest(view, at, radius);
        return near ? near : best;
    }
    const auto near = m_cloud.nearest(at, radius);
    return near ? std::optional(view.points.size() + *near) : best;
}

} // namespace stratoplan::widgets
