// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison as one table for spreadsheets: numbers in units that the headings name.
#include "app/gui/compare/inputs_model.h"
#include "app/gui/compare/plans_model.h"

#include <QDate>

#include <cmath>

namespace stratoplan::gui {

namespace {

/// Of the heading, and what numbers are divided by.
struct TableUnit {
    QString name;
    double size = 1;
};

TableUnit unitOf(Figure figure)
{
    switch (figure) {
    case Figure::Days:
        return {PlansModel::tr("days")};
    case Figure::Energy:
        return {PlansModel::tr("kWh")};
    case Figure::Step:
        return {PlansModel::tr("s")};
    case Figure::Mfu:
        return {QStringLiteral("%"), 0.01};
    case Figure::Memory:
        return {PlansModel::tr("GiB"), kGiB};
    default:
        return {};
    }
}

QString columnHeading(Figure figure, const QString& what)
{
    const QString name = figure == Figure::Accelerators ? PlansModel::tr("Accelerators paid for") : figureName(figure);
    const QString unit = unitOf(figure).name;
    const QString whole = unit.isEmpty() ? name : PlansModel::tr("%1, %2").arg(name, unit);
    return what.isEmpty() ? whole : PlansModel::tr("%1 (%2)").arg(whole, what);
}

QString numberOf(Figure figure, double amount)
{
    if (figure == Figure::Done)
        return QDate(1970, 1, 1).addDays(qint64(amount)).toString(Qt::ISODate);
    return widgets::cell(amount / unitOf(figure).size);
}

/// Middle, both ends, difference from the baseline.
QStringList cellsOf(Figure figure, const ComparedPlan& plan, const ComparedPlan* baseline)
{
    const auto amount = amountOf(figure, plan);
    if (!amount)
        return {QString(), QString(), QString(), QString()};
    QStringList cells{numberOf(figure, amount->mid), numberOf(figure, amount->low), numberOf(figure, amount->high)};
    const auto before = baseline ? amountOf(figure, *baseline) : std::nullopt;
    const bool isOfOneKind = figure != Figure::Cost || !baseline || plan.inputs.currency == baseline->inputs.currency;
    cells << (before && isOfOneKind ? widgets::cell((amount->mid - before->mid) / unitOf(figure).size) : QString());
    return cells;
}

} // namespace

widgets::ChartTable comparedTable(const std::vector<ComparedPlan>& plans, int baseline)
{
    widgets::ChartTable table;
    table.columns = {PlansModel::tr("Plan"), PlansModel::tr("Note"), PlansModel::tr("Currency"),
        PlansModel::tr("Accelerators used"), PlansModel::tr("Fits")};
    for (const Figure figure : kFigures)
        for (const QString& what : {QString(), QStringLiteral("p10"), QStringLiteral("p90"),
                 figure == Figure::Done ? PlansModel::tr("days against the baseline")
                                        : PlansModel::tr("against the baseline")})
            table.columns << columnHeading(figure, what);
    std::vector<std::vector<session::PlanField>> inputs;
    for (const ComparedPlan& plan : plans)
        inputs.push_back(inputsOf(plan));
    const std::vector<std::size_t> differing = differingInputs(inputs);
    for (const std::size_t input : differing)
        table.columns << inputs.front()[input].label;
    for (std::size_t row = 0; row < plans.size(); ++row) {
        const ComparedPlan& plan = plans[row];
        const bool isOther = baseline >= 0 && std::size_t(baseline) < plans.size() && std::size_t(baseline) != row;
        const estimate::Estimate* e = estimateOf(plan);
        QStringList cells{plan.name, plan.note, QString::fromStdString(plan.inputs.currency),
            plan.capacity ? QString::number(plan.capacity->used) : QString(),
            !e            ? QString()
                : e->fits ? PlansModel::tr("yes")
                          : PlansModel::tr("no")};
        for (const Figure figure : kFigures)
            cells << cellsOf(figure, plan, isOther ? &plans[std::size_t(baseline)] : nullptr);
        for (const std::size_t input : differing)
            cells << inputs[row][input].text;
        table.rows << cells;
    }
    return table;
}

} // namespace stratoplan::gui
