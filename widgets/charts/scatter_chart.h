// SPDX-License-Identifier: GPL-3.0-or-later
// Estimated over measured, both on logarithmic axes: a point per case, the line of no error, a band of ten per cent
// around it. Pointing at a case names it; left and right walk along the cases by what was measured; a click or Enter
// chooses one.
#pragma once

#include "widgets/charts/point_chart.h"

#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct ScatterPoint {
    QString name;
    double measured = 0; ///< seconds or bytes, above 0
    double estimated = 0;
    bool operator==(const ScatterPoint&) const = default;
};

class ScatterChart : public PointChart {
    Q_OBJECT
public:
    enum class Measure { StepTime, PeakMemory };

    explicit ScatterChart(QWidget* parent = nullptr);

    /// `note` stands beside the title.
    void setPoints(std::vector<ScatterPoint> points, Measure measure, const QString& note);
    /// Rings a point; an unknown name rings none.
    void setChosen(const QString& name);

    [[nodiscard]] const std::vector<ScatterPoint>& points() const { return m_points; } ///< by what was measured
    [[nodiscard]] QPointF pointAt(std::size_t point) const override;
    [[nodiscard]] std::optional<std::size_t> pointNear(QPointF at) const override;

    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;

Q_SIGNALS:
    void chosen(const QString& name);

protected:
    void fitView() override;
    void restyle() override;
    [[nodiscard]] QString toolTipOf(std::size_t point) const override;
    [[nodiscard]] std::vector<std::size_t> path() const override;
    void choose(std::size_t point) override;

private:
    [[nodiscard]] QPointF pixel(double measured, double estimated) const;
    [[nodiscard]] QString amount(double value) const;
    void paintCases(QPainter& painter) const;

    std::vector<ScatterPoint> m_points;
    Measure m_measure = Measure::StepTime;
    Interval m_range; ///< decimal logarithms, of both axes
    QString m_chosen;
};

} // namespace stratoplan::widgets
