// SPDX-License-Identifier: GPL-3.0-or-later
// What each input does alone to a figure of a plan: a bar from its 10th percentile to its 90th, around the estimate,
// the longest on top. The end of the 10th percentile is hatched, so that which way an input goes is seen.
#pragma once

#include "widgets/charts/point_chart.h"
#include "widgets/presentation/tornado.h"

namespace stratoplan::widgets {

class TornadoChart : public PointChart {
    Q_OBJECT
public:
    explicit TornadoChart(QWidget* parent = nullptr);

    /// Nothing: the empty text, which says why.
    void setView(std::optional<TornadoView> view, const QString& whyEmpty);
    [[nodiscard]] const std::optional<TornadoView>& view() const { return m_view; }

    /// Pixels of the two parts of a row: at its 10th and at its 90th percentile.
    [[nodiscard]] QRectF partRect(std::size_t row, bool isLow) const;

    [[nodiscard]] QPointF pointAt(std::size_t point) const override;
    [[nodiscard]] std::optional<std::size_t> pointNear(QPointF at) const override;
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;

protected:
    void fitView() override;
    void restyle() override;
    [[nodiscard]] QString toolTipOf(std::size_t point) const override;
    [[nodiscard]] std::vector<std::size_t> path() const override;
    void choose(std::size_t point) override;
    bool keyPressed(QKeyEvent& event) override;

private:
    void relayout();
    [[nodiscard]] QRectF rowRect(std::size_t row) const;
    void paintBars(QPainter& painter) const;
    void paintEnds(QPainter& painter, std::size_t row) const;
    void paintHover(QPainter& painter) const;

    std::optional<TornadoView> m_view;
};

} // namespace stratoplan::widgets
