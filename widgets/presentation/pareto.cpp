// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace stratoplan::widgets {

namespace {

// Strategies that need many times the memory there is would squeeze those that matter into a corner.
constexpr double kBeyondCapacity = 1.3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isPositive(double value)
{
    return std::isfinite(value) && value > 0;
}

/// What of the view lies on the front by its own measures: equal points stay together.
void findFront(ParetoView& view, StrategyMeasure x, StrategyMeasure y)
{
    const double signX = largerIsBetter(x) ? -1 : 1; // less is better
    const double signY = largerIsBetter(y) ? -1 : 1;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < view.points.size(); ++i) {
        if (view.points[i].kind == StrategyPoint::Kind::OutOfMemory)
            continue;
        view.points[i].kind = StrategyPoint::Kind::Dominated;
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const ParetoPoint& p = view.points[a];
        const ParetoPoint& q = view.points[b];
        return std::tuple(signX * p.x, signY * p.y, a) < std::tuple(signX * q.x, signY * q.y, b);
    });
    const ParetoPoint* last = nullptr;
    for (const std::size_t i : order) {
        ParetoPoint& p = view.points[i];
        if (last && !(signY * p.y < signY * last->y) && !(p.x == last->x && p.y == last->y))
            continue;
        p.kind = StrategyPoint::Kind::Front;
        view.front.push_back(i);
        last = &p;
    }
}

void fitRanges(ParetoView& view, StrategyMeasure x, StrategyMeasure y)
{
    const bool anyFits = std::any_of(view.points.begin(), view.points.end(),
        [](const ParetoPoint& p) { return p.kind != StrategyPoint::Kind::OutOfMemory; });
    const double capacity = view.capacity.value();
    const double limit = anyFits && capacity > 0 ? kBeyondCapacity * capacity : kInfinity;
    view.x = view.y = {kInfinity, -kInfinity};
    for (const ParetoPoint& p : view.points) {
        // What is left outside plays no part in the other range either.
        if ((x == StrategyMeasure::PeakMemory && p.x > limit) || (y == StrategyMeasure::PeakMemory && p.y > limit))
            continue;
        view.x = {std::min(view.x.low, p.x), std::max(view.x.high, p.x)};
        view.y = {std::min(view.y.low, p.y), std::max(view.y.high, p.y)};
    }
    const auto pad = [&](Interval& range, StrategyMeasure measure) {
        const bool isMemory = measure == StrategyMeasure::PeakMemory;
        if (isMemory && capacity > 0)
            range.high = std::max(range.high, capacity);
        range = padded(range, isMemory ? 0.06 : 0.1);
        range.low = std::max(range.low, 0.0);
    };
    pad(view.x, x);
    pad(view.y, y);
}

} // namespace

ParetoView paretoView(const StrategySet& set, StrategyMeasure x, StrategyMeasure y)
{
    ParetoView view;
    view.capacity = isPositive(set.capacity.value()) ? set.capacity : Bytes{};
    view.points.reserve(set.points.size());
    const bool searched =
        (x == StrategyMeasure::PeakMemory && y == set.best) || (y == StrategyMeasure::PeakMemory && x == set.best);
    view.exactFront =
        searched || (set.allFronts && (set.onePrecision || (x != StrategyMeasure::Mfu && y != StrategyMeasure::Mfu)));
    for (std::size_t i = 0; i < set.points.size(); ++i) {
        const StrategyPoint& s = set.points[i];
        const ParetoPoint p{measured(s, x, set.rates), measured(s, y, set.rates), i, s.kind};
        if (!isPositive(p.x) || !isPositive(p.y))
            continue;
        if (searched && p.kind == StrategyPoint::Kind::Front)
            view.front.push_back(view.points.size());
        view.points.push_back(p);
    }
    if (!searched)
        findFront(view, x, y);
    std::stable_sort(view.front.begin(), view.front.end(),
        [&](std::size_t a, std::size_t b) { return view.points[a].x < view.points[b].x; });
    if (!view.points.empty())
        fitRanges(view, x, y);
    return view;
}

void PointGrid::build(const ParetoView& view, const QRect& area, PixelScale x, PixelScale y)
{
    m_area = area;
    m_x = x;
    m_y = y;
    m_columns = area.width() / kCloudCell + 1;
    m_rows = area.height() / kCloudCell + 1;
    m_cells.assign(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows), kNone);
    m_cloud.clear();
    m_crosses.clear();
    const auto take = [&](StrategyPoint::Kind kind, int size, std::vector<QPoint>& taken) {
        for (std::size_t i = 0; i < view.points.size(); ++i) {
            const ParetoPoint& p = view.points[i];
            if (p.kind != kind)
                continue;
            const QPointF at(m_x(p.x), m_y(p.y));
            if (!QRectF(area).contains(at))
                continue;
            const int column = static_cast<int>(at.x() - area.left()) / size * size / kCloudCell;
            const int row = static_cast<int>(at.y() - area.top()) / size * size / kCloudCell;
            std::uint32_t& place = m_cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns)
                + static_cast<std::size_t>(column)];
            if (place != kNone)
                continue;
            place = static_cast<std::uint32_t>(i);
            taken.emplace_back(area.left() + column * kCloudCell, area.top() + row * kCloudCell);
        }
    };
    take(StrategyPoint::Kind::Dominated, kCloudCell, m_cloud);
    take(StrategyPoint::Kind::OutOfMemory, kCrossCell, m_crosses);
}

std::optional<std::size_t> PointGrid::nearest(const ParetoView& view, QPointF at, double radius) const
{
    std::optional<std::size_t> best;
    double least = radius * radius;
    const int reach = static_cast<int>(radius) / kCloudCell + 1;
    const int column = static_cast<int>(at.x() - m_area.left()) / kCloudCell;
    const int row = static_cast<int>(at.y() - m_area.top()) / kCloudCell;
    for (int r = std::max(0, row - reach); r <= std::min(m_rows - 1, row + reach); ++r) {
        for (int c = std::max(0, column - reach); c <= std::min(m_columns - 1, column + reach); ++c) {
            const std::uint32_t point = m_cells[static_cast<std::size_t>(r) * static_cast<std::size_t>(m_columns)
                + static_cast<std::size_t>(c)];
            if (point == kNone)
                continue;
            const ParetoPoint& p = view.points[point];
            const QPointF d = QPointF(m_x(p.x), m_y(p.y)) - at;
            const double distance = QPointF::dotProduct(d, d);
            if (distance <= least) {
                least = distance;
                best = point;
            }
        }
    }
    return best;
}

QRectF placeLabel(QPointF anchor, QSizeF size, const QRectF& bounds, const std::vector<QRectF>& obstacles, double gap)
{
    const double w = size.width();
    const double h = size.height();
    const auto confine = [&](QRectF r) {
        r.moveLeft(std::clamp(r.left(), bounds.left(), std::max(bounds.left(), bounds.right() - w)));
        r.moveTop(std::clamp(r.top(), bounds.top(), std::max(bounds.top(), bounds.bottom() - h)));
        return r;
    };
    QRectF best;
    double bestCost = std::numeric_limits<double>::infinity();
    const auto offer = [&](double x, double y, double penalty) {
        const QRectF r = confine(QRectF(x, y, w, h));
        double cost = penalty;
        for (const QRectF& o : obstacles) {
            const QRectF both = r.intersected(o);
            if (!both.isEmpty())
                cost += 100 + both.width() * both.height();
        }
        if (r.contains(anchor))
            cost += w * h;
        if (cost < bestCost) {
            bestCost = cost;
            best = r;
        }
    };
    // Right, left, above, below, then further away: the nearer the label, the clearer what it names.
    for (const double d : {gap, 2 * gap, 4 * gap}) {
        const double far = d - gap;
        offer(anchor.x() + d, anchor.y() - h / 2, far);
        offer(anchor.x() - d - w, anchor.y() - h / 2, far + 1);
        offer(anchor.x() - w / 2, anchor.y() - d - h, far + 2);
        offer(anchor.x() - w / 2, anchor.y() + d, far + 3);
        offer(anchor.x() + d, anchor.y() - d - h, far + 4);
        offer(anchor.x() - d - w, anchor.y() - d - h, far + 5);
        offer(anchor.x() + d, anchor.y() + d, far + 6);
        offer(anchor.x() - d - w, anchor.y() + d, far + 7);
    }
    return best;
}

QRectF placeBesideLine(double x, QSizeF size, const QRectF& bounds, const std::vector<QRectF>& obstacles)
{
    constexpr double kLineGap = 4;
    for (double y = bounds.top(); y + size.height() <= bounds.bottom(); y += size.height() / 2) {
        for (const double left : {x + kLineGap, x - kLineGap - size.width()}) {
            const QRectF r(QPointF(left, y), size);
            const bool free =
                std::none_of(obstacles.begin(), obstacles.end(), [&](const QRectF& o) { return o.intersects(r); });
            if (free && r.left() >= bounds.left() && r.right() <= bounds.right())
                return r;
        }
    }
    return {};
}

} // namespace stratoplan::widgets
