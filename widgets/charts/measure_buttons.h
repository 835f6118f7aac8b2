// SPDX-License-Identifier: GPL-3.0-or-later
// Two buttons that choose which measures the axes of a Pareto chart show.
#pragma once

#include "widgets/presentation/pareto_text.h"

#include <QObject>

class QToolButton;
class QWidget;

namespace stratoplan::widgets {

class MeasureButtons final : public QObject {
    Q_OBJECT
public:
    /// They belong to the chart.
    explicit MeasureButtons(QWidget& chart);

    [[nodiscard]] QToolButton* xButton() const { return m_x; }
    [[nodiscard]] QToolButton* yButton() const { return m_y; }
    void setMeasures(ParetoMeasures measures, const StrategyRates& rates);

Q_SIGNALS:
    void chosen(widgets::ParetoMeasures measures);

private:
    QToolButton* makeButton(QWidget& chart, StrategyMeasure ParetoMeasures::*measure, const QString& name);
    void choose(StrategyMeasure ParetoMeasures::*measure, StrategyMeasure choice);

    ParetoMeasures m_measures;
    StrategyRates m_rates;
    QToolButton* m_y;
    QToolButton* m_x;
};

} // namespace stratoplan::widgets
