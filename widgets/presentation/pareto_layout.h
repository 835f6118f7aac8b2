// SPDX-License-Identifier: GPL-3.0-or-later
// Where the strategies of a Pareto chart stand in its picture, and which one the pointer means: those of the view, and
// a cloud in place of those of them that are on no front.
#pragma once

#include "widgets/presentation/pareto.h"
#include "widgets/presentation/strategy_cloud.h"

#include <functional>
#include <optional>

namespace stratoplan::widgets {

class ParetoLayout {
public:
    [[nodiscard]] CloudGrid& cloud() { return m_cloud; }
    [[nodiscard]] const CloudGrid& cloud() const { return m_cloud; }
    /// As soon as it says more than the thousands that the set has.
    [[nodiscard]] bool showsCloud(const ParetoView& view) const;
    /// The greatest values there are, with a little room.
    [[nodiscard]] QPointF most(const ParetoView& view) const;

    /// The points are others now.
    void forget() { m_placed.reset(); }
    void place(const ParetoView& view, const QRect& area, PixelScale x, PixelScale y);
    /// Of the view, where no cloud is shown; as it was placed.
    [[nodiscard]] const PointGrid& grid() const { return m_grid; }
    /// Points of the cloud stand behind those of the view. `pixelOf`: of a point of the view.
    [[nodiscard]] std::optional<std::size_t> pointNear(
        const ParetoView& view, QPointF at, const std::function<QPointF(std::size_t)>& pixelOf) const;

private:
    struct Placed {
        QRect area;
        double xOrigin = 0, xSlope = 0, yOrigin = 0, ySlope = 0;
        bool operator==(const Placed&) const = default;
    };
    CloudGrid m_cloud;
    PointGrid m_grid;
    std::optional<Placed> m_placed; ///< what m_grid was built for
};

} // namespace stratoplan::widgets
