// SPDX-License-Identifier: GPL-3.0-or-later
// A chart of points with one hand: the point near the pointer is marked and told about, left and right walk from point
// to point, a click or Enter chooses one.
#pragma once

#include "widgets/charts/chart_view.h"

#include <optional>
#include <vector>

namespace stratoplan::widgets {

class PointChart : public ChartView {
    Q_OBJECT
public:
    using ChartView::ChartView;

    /// Pixel of a point, in the plot.
    [[nodiscard]] virtual QPointF pointAt(std::size_t point) const = 0;
    [[nodiscard]] virtual std::optional<std::size_t> pointNear(QPointF at) const = 0;
    [[nodiscard]] QString toolTipAt(QPointF at) const override;

protected:
    [[nodiscard]] virtual QString toolTipOf(std::size_t point) const = 0;
    /// The points that the keys walk along, in their order.
    [[nodiscard]] virtual std::vector<std::size_t> path() const = 0;
    virtual void choose(std::size_t point) = 0;
    virtual void activate(std::size_t point) { choose(point); } ///< Enter

    [[nodiscard]] std::optional<std::size_t> hovered() const { return m_hover; }
    /// The points are others now.
    void forgetHover() { m_hover.reset(); }
    /// As if the keys had come here: marks the point and tells about it.
    void pointTo(std::size_t point);
    void paintHoveredPoint(QPainter& painter) const;

    void pointerMoved(QPointF at) override;
    void pointerLeft() override;
    void pointerClicked(QPointF at) override;
    bool keyPressed(QKeyEvent& event) override;
    std::optional<QPointF> pointedAt() const override;

private:
    void setHover(std::optional<std::size_t> point);

    std::optional<std::size_t> m_hover;
};

} // namespace stratoplan::widgets
