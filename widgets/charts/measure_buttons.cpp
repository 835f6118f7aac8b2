// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/measure_buttons.h"

#include "widgets/presentation/text.h"

#include <QMenu>
#include <QToolButton>

namespace stratoplan::widgets {

MeasureButtons::MeasureButtons(QWidget& chart)
    : QObject(&chart)
    , m_y(makeButton(chart, &ParetoMeasures::y, tr("Measure of the vertical axis")))
    , m_x(makeButton(chart, &ParetoMeasures::x, tr("Measure of the horizontal axis")))
{
}

QToolButton* MeasureButtons::makeButton(QWidget& chart, StrategyMeasure ParetoMeasures::*measure, const QString& name)
{
    auto* button = new QToolButton(&chart);
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(name);
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, measure] {
        menu->clear();
        for (const StrategyMeasure choice : kMeasures) {
            QAction* action = menu->addAction(measureName(choice, m_rates));
            action->setCheckable(true);
            action->setChecked(m_measures.*measure == choice);
            connect(action, &QAction::triggered, this, [this, measure, choice] { choose(measure, choice); });
        }
    });
    button->setMenu(menu);
    return button;
}

void MeasureButtons::choose(StrategyMeasure ParetoMeasures::*measure, StrategyMeasure choice)
{
    ParetoMeasures measures = m_measures;
    StrategyMeasure& axisMeasure = measures.*measure;
    StrategyMeasure& other = measure == &ParetoMeasures::x ? measures.y : measures.x;
    if (other == choice)
        other = axisMeasure; // the same on both axes is a line: they change places
    axisMeasure = choice;
    Q_EMIT chosen(measures);
}

void MeasureButtons::setMeasures(ParetoMeasures measures, const StrategyRates& rates)
{
    m_measures = measures;
    m_rates = rates;
    m_y->setText(measureName(measures.y, rates));
    m_x->setText(tr("against %1").arg(inSentence(measureName(measures.x, rates))));
}

} // namespace stratoplan::widgets
