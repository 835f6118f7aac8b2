// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of a study over two of its axes: a cell for each pair of values, stronger where it is better, with the
// figure in it where there is room. What does not fit, could not be planned or has no answer says so.
#pragma once

#include "widgets/charts/study_chart.h"

namespace stratoplan::widgets {

class HeatMap : public StudyChart {
    Q_OBJECT
public:
    explicit HeatMap(QWidget* parent = nullptr);

    /// `points`: of the answers, those to show. `x`: an axis; `y`: another, or kNoAxis.
    void setPoints(
        const StudyPointer& answers, const std::vector<std::size_t>& points, StudyMeasure measure, int x, int y);

    [[nodiscard]] const StudyGrid& grid() const { return m_grid; }
    /// How good the value of a cell is among those that fit: 1 = the best, 0 = the worst.
    [[nodiscard]] double worth(double value) const;

    [[nodiscard]] QPointF pointAt(std::size_t point) const override;
    [[nodiscard]] std::optional<std::size_t> pointNear(QPointF at) const override;
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QString description() const override;

protected:
    void fitView() override;
    void restyle() override;
    [[nodiscard]] std::optional<std::size_t> answerAt(std::size_t point) const override;
    [[nodiscard]] std::vector<std::size_t> path() const override;
    bool keyPressed(QKeyEvent& event) override;

private:
    [[nodiscard]] QRectF cellRect(std::size_t cell) const;
    [[nodiscard]] QString columnName(std::size_t column) const;
    [[nodiscard]] QString rowName(std::size_t row) const;
    [[nodiscard]] QString cellText(const StudyCell& cell) const;
    /// The figure alone, in the unit that the note names.
    [[nodiscard]] QString shortText(const StudyCell& cell) const;
    [[nodiscard]] QString noteText() const;
    [[nodiscard]] bool fits(const StudyCell& cell) const;
    void setLegendOfCells();
    void paintCells(QPainter& painter) const;
    void paintCell(QPainter& painter, const StudyCell& cell, const QRectF& rect) const;
    void paintPointed(QPainter& painter) const;

    StudyGrid m_grid;
    int m_x = kNoAxis;
    int m_y = kNoAxis;
};

} // namespace stratoplan::widgets
