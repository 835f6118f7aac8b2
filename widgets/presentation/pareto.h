// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates as points of throughput against peak memory: what is drawn where, and which one the pointer means.
#pragma once

#include "core/search/enumerate.h"
#include "widgets/presentation/axis.h"

#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

namespace stratoplan {

struct ParetoPoint {
    double memory = 0;        ///< bytes
    double rate = 0;          ///< tokens per second
    std::size_t candidate = 0;
    enum class Kind : unsigned char { Dominated, Front, OutOfMemory } kind = Kind::Dominated;
};

struct ParetoView {
    std::vector<ParetoPoint> points; ///< only finite, positive ones
    std::vector<std::size_t> front;  ///< positions in `points`, by rising memory
    Interval memory;                 ///< padded ranges to show; what lies far beyond the capacity is left outside
    Interval rate;
    Bytes capacity{};
    QString status;                  ///< "1,024 strategies", "searching: 300 of 1,024"
    [[nodiscard]] bool empty() const { return points.empty(); }
};

[[nodiscard]] ParetoView paretoView(const Enumeration& enumeration, Bytes capacity);

/// Position of the point nearest to `at` within `radius` pixels, front points first where two are about as near
/// (they are drawn on top). `toPixels` maps (bytes, tokens/s) to pixels.
template <class ToPixels>
[[nodiscard]] std::optional<std::size_t> nearestPoint(const ParetoView& view, QPointF at, double radius, ToPixels toPixels)
{
    std::optional<std::size_t> best;
    double bestDistance = radius * radius;
    for (std::size_t i = 0; i < view.points.size(); ++i) {
        const ParetoPoint& p = view.points[i];
        const QPointF d = toPixels(p.memory, p.rate) - at;
        const double bonus = p.kind == ParetoPoint::Kind::Front ? 0.25 : 1.0;
        const double distance = QPointF::dotProduct(d, d);
        if (distance <= radius * radius && distance * bonus <= bestDistance) {
            best = i;
            bestDistance = distance * bonus;
        }
    }
    return best;
}

/// Where to put a label of `size` beside `anchor`: inside `bounds`, off every obstacle if that is possible, else
/// where it hides least. `gap` pixels from the anchor.
[[nodiscard]] QRectF placeLabel(QPointF anchor, QSizeF size, const QRectF& bounds, const std::vector<QRectF>& obstacles, double gap = 10);

/// Where to put a label of `size` beside the upright line at `x`: as far up as it hides no obstacle, on the right where
/// there is room. Empty where it would hide one everywhere.
[[nodiscard]] QRectF placeBesideLine(double x, QSizeF size, const QRectF& bounds, const std::vector<QRectF>& obstacles);

/// "TP 8 · PP 8 · DP 16 · micro-batch 1 · selective recomputation"
[[nodiscard]] QString candidateText(const Strategy& strategy);

} // namespace stratoplan
