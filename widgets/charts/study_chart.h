// SPDX-License-Identifier: GPL-3.0-or-later
// What the pictures of a study share: a click or the arrow keys choose a point of the answers, a double click or Enter
// opens it as a plan.
#pragma once

#include "widgets/charts/point_chart.h"
#include "widgets/presentation/study.h"

namespace stratoplan::widgets {

class StudyChart : public PointChart {
    Q_OBJECT
public:
    using PointChart::PointChart;

    /// Rings a point of the answers, wherever the picture shows it.
    void setChosen(std::optional<std::size_t> answer);
    [[nodiscard]] std::optional<std::size_t> chosenAnswer() const { return m_chosen; }
    /// Whether points are said to open as plans.
    void setOpensPlans(bool opens) { m_opensPlans = opens; }

Q_SIGNALS:
    /// A place in StudyAnswers::points.
    void chosen(std::size_t answer);
    void opened(std::size_t answer);

protected:
    /// The answer that a point of the picture stands for; nothing for a place without one.
    [[nodiscard]] virtual std::optional<std::size_t> answerAt(std::size_t point) const = 0;
    void setAnswers(const StudyPointer& answers, StudyMeasure measure);
    [[nodiscard]] const exchange::StudyAnswers& answers() const { return *m_answers; }
    [[nodiscard]] StudyMeasure measure() const { return m_measure; }
    [[nodiscard]] QString amount(double value) const;

    [[nodiscard]] QString toolTipOf(std::size_t point) const override;
    void choose(std::size_t point) override;
    void activate(std::size_t point) override;
    bool pointerDoubleClicked(QPointF at) override;

private:
    StudyPointer m_answers = std::make_shared<const exchange::StudyAnswers>();
    StudyMeasure m_measure = StudyMeasure::StepTime;
    std::optional<std::size_t> m_chosen;
    bool m_opensPlans = true;
};

} // namespace stratoplan::widgets
