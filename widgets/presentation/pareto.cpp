// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/pareto.h"

#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan {

namespace {

// Candidates that need many times the memory there is would squeeze those that matter into a corner.
constexpr double kBeyondCapacity = 1.3;

QString statusOf(const Enumeration& e)
{
    if (!e.complete)
        return QStringLiteral("searching: %1 of %2").arg(groupedNumber(e.evaluated), groupedNumber(e.space));
    return e.evaluated == 1 ? QStringLiteral("1 strategy") : QStringLiteral("%1 strategies").arg(groupedNumber(e.evaluated));
}

void fitRanges(ParetoView& view)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    Interval memory{inf, -inf};
    Interval rate{inf, -inf};
    const double limit = view.capacity.value() > 0 ? kBeyondCapacity * view.capacity.value() : inf;
    bool anyFits = false;
    for (const ParetoPoint& p : view.points)
        anyFits = anyFits || p.kind != ParetoPoint::Kind::OutOfMemory;
    for (const ParetoPoint& p : view.points) {
        if (anyFits && p.memory > limit)
            continue;
        memory = {std::min(memory.low, p.memory), std::max(memory.high, p.memory)};
        rate = {std::min(rate.low, p.rate), std::max(rate.high, p.rate)};
    }
    if (view.capacity.value() > 0)
        memory.high = std::max(memory.high, view.capacity.value());
    view.memory = padded(memory, 0.06);
    view.memory.low = std::max(view.memory.low, 0.0);
    view.rate = padded(rate, 0.1);
    view.rate.low = std::max(view.rate.low, 0.0);
}

} // namespace

ParetoView paretoView(const Enumeration& enumeration, Bytes capacity)
{
    ParetoView view;
    view.capacity = std::isfinite(capacity.value()) && capacity.value() > 0 ? capacity : Bytes{};
    view.status = statusOf(enumeration);
    view.points.reserve(enumeration.candidates.size());
    std::vector<std::size_t> position(enumeration.candidates.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t i = 0; i < enumeration.candidates.size(); ++i) {
        const Candidate& c = enumeration.candidates[i];
        const double memory = c.peakMemory.value();
        if (!std::isfinite(memory) || !std::isfinite(c.tokensPerSecond) || !(memory > 0) || !(c.tokensPerSecond > 0))
            continue;
        position[i] = view.points.size();
        view.points.push_back({memory, c.tokensPerSecond, i, c.fits ? ParetoPoint::Kind::Dominated : ParetoPoint::Kind::OutOfMemory});
    }
    for (const std::size_t i : enumeration.front) {
        if (i >= position.size() || position[i] == std::numeric_limits<std::size_t>::max())
            continue;
        view.points[position[i]].kind = ParetoPoint::Kind::Front;
        view.front.push_back(position[i]);
    }
    if (!view.points.empty())
        fitRanges(view);
    return view;
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
    constexpr double kGap = 4;
    for (double y = bounds.top(); y + size.height() <= bounds.bottom(); y += size.height() / 2) {
        for (const double left : {x + kGap, x - kGap - size.width()}) {
            const QRectF r(QPointF(left, y), size);
            const bool free = std::none_of(obstacles.begin(), obstacles.end(), [&](const QRectF& o) { return o.intersects(r); });
            if (free && r.left() >= bounds.left() && r.right() <= bounds.right())
                return r;
        }
    }
    return {};
}

QString candidateText(const Strategy& s)
{
    return QStringLiteral("TP %1 · PP %2 · DP %3 · micro-batch %4 · %5").arg(s.tp).arg(s.pp).arg(s.dp).arg(s.microBatch).arg(recomputeText(s.recompute));
}

} // namespace stratoplan
