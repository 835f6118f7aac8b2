// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of a study over its GPUs, or over another axis: a curve for each value of a third, and what a perfect
// machine would make of the first point of each. Both axes are logarithmic where that makes the ideal a straight line.
#pragma once

#include "widgets/charts/study_chart.h"

namespace stratoplan::widgets {

class ScalingChart : public StudyChart {
    Q_OBJECT
public:
    explicit ScalingChart(QWidget* parent = nullptr);

    /// `points`: of the answers, those to show. `x`: kAcceleratorAxis or an axis of numbers; `series`: an axis or
    /// kNoAxis.
    void setPoints(
        const StudyPointer& answers, const std::vector<std::size_t>& points, StudyMeasure measure, int x, int series);

    [[nodiscard]] const std::vector<StudyCurve>& curves() const { return m_curves; }
    /// What the ideal says of a curve at some x: nothing where there is none.
    [[nodiscard]] std::optional<double> idealAt(const StudyCurve& curve, double x) const;

    [[nodiscard]] QPointF pointAt(std::size_t point) const override;
    [[nodiscard]] std::optional<std::size_t> pointNear(QPointF at) const override;
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;

protected:
    void fitView() override;
    void restyle() override;
    [[nodiscard]] std::optional<std::size_t> answerAt(std::size_t point) const override;
    [[nodiscard]] QString toolTipOf(std::size_t point) const override;
    [[nodiscard]] std::vector<std::size_t> path() const override;

private:
    struct Place {
        std::size_t curve = 0;
        std::size_t index = 0;
    };
    [[nodiscard]] const StudyCurve::Point& at(std::size_t point) const;
    [[nodiscard]] double toAxis(double y) const;
    [[nodiscard]] QPointF pixel(double x, double y) const;
    void measureRanges();
    void setTicks();
    void setLegendOfCurves();
    void paintCurves(QPainter& painter) const;
    void paintNames(QPainter& painter) const;

    std::vector<StudyCurve> m_curves;
    std::vector<Place> m_places;
    int m_x = kAcceleratorAxis;
    QString m_xName;
    bool m_logarithmic = true; ///< also upwards
    Interval m_rangeX, m_rangeY; ///< on the axes
};

} // namespace stratoplan::widgets
