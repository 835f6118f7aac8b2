// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/partition_costs.h"

#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

namespace stratoplan::widgets {

namespace {

constexpr std::array kParts{CostMeasure::Division, CostMeasure::Forward, CostMeasure::Backward, CostMeasure::Ring,
    CostMeasure::Collective, CostMeasure::Hidden, CostMeasure::Memory};

template <class Quantity>
std::optional<double> valueOf(const std::optional<Quantity>& quantity)
{
    return quantity ? std::optional(quantity->value()) : std::nullopt;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b)
{
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

QString headingWithUnit(CostMeasure measure)
{
    switch (measure) {
    case CostMeasure::Forward:
    case CostMeasure::Backward:
        return tr("%1, s").arg(measureName(measure));
    case CostMeasure::Ring:
    case CostMeasure::Collective:
    case CostMeasure::Memory:
        return tr("%1, bytes").arg(measureName(measure));
    default:
        return measureName(measure);
    }
}

} // namespace

QString measureName(CostMeasure measure)
{
    switch (measure) {
    case CostMeasure::Division:
        return tr("Partition");
    case CostMeasure::Time:
        return tr("Time");
    case CostMeasure::Forward:
        return tr("Forward");
    case CostMeasure::Backward:
        return tr("Backward");
    case CostMeasure::Traffic:
        return tr("Traffic");
    case CostMeasure::Ring:
        return tr("Ring");
    case CostMeasure::Collective:
        return tr("Collectives");
    case CostMeasure::Hidden:
        return tr("Hidden");
    case CostMeasure::Memory:
        break;
    }
    return tr("Memory");
}

QString measureTip(CostMeasure measure)
{
    switch (measure) {
    case CostMeasure::Division:
        return tr("each letter halves a dimension by a bit of a rank's number, the highest first");
    case CostMeasure::Time:
        return tr("the forward and the backward pass of a micro-batch");
    case CostMeasure::Forward:
        return tr("the forward pass of a micro-batch");
    case CostMeasure::Backward:
        return tr("the backward pass of a micro-batch, with what is computed again");
    case CostMeasure::Traffic:
        return tr("bytes that a rank gets from neighbours and by collectives; a hand-over counts with its sender, both "
                  "ways");
    case CostMeasure::Ring:
        return tr("bytes that a rank gets from neighbours from step to step");
    case CostMeasure::Collective:
        return tr("bytes that a rank gets by collectives; a hand-over counts with its sender, both ways");
    case CostMeasure::Hidden:
        return tr("the share of the seconds of sending that passes behind products");
    case CostMeasure::Memory:
        break;
    }
    return tr("weights, what is kept for the backward pass, and what is worked with");
}

std::optional<double> costValue(const PartitionCost& cost, CostMeasure measure)
{
    switch (measure) {
    case CostMeasure::Division:
        return std::nullopt;
    case CostMeasure::Time:
        return sum(valueOf(cost.forward), valueOf(cost.backward));
    case CostMeasure::Forward:
        return valueOf(cost.forward);
    case CostMeasure::Backward:
        return valueOf(cost.backward);
    case CostMeasure::Traffic:
        return sum(valueOf(cost.ring), valueOf(cost.collective));
    case CostMeasure::Ring:
        return valueOf(cost.ring);
    case CostMeasure::Collective:
        return valueOf(cost.collective);
    case CostMeasure::Hidden:
        return cost.hidden;
    case CostMeasure::Memory:
        break;
    }
    return valueOf(cost.memory);
}

QString costText(const PartitionCost& cost, CostMeasure measure)
{
    const QString unknown = QStringLiteral("–");
    if (measure == CostMeasure::Division)
        return cost.division.isEmpty() ? unknown : cost.division;
    const std::optional<double> value = costValue(cost, measure);
    if (!value)
        return unknown;
    switch (measure) {
    case CostMeasure::Time:
    case CostMeasure::Forward:
    case CostMeasure::Backward:
        return text(Seconds(*value));
    case CostMeasure::Hidden:
        return shareText(*value);
    default:
        return text(Bytes(*value));
    }
}

ChartTable costTable(const QStringList& operators, const std::vector<PartitionAlternative>& alternatives)
{
    ChartTable table;
    table.columns << tr("Operator");
    for (const PartitionAlternative& alternative : alternatives)
        for (const CostMeasure measure : kParts)
            table.columns << tr("%1: %2").arg(alternative.name, headingWithUnit(measure).toLower());
    for (qsizetype row = 0; row <= operators.size(); ++row) {
        QStringList cells{row < operators.size() ? operators[row] : tr("Layer")};
        for (const PartitionAlternative& alternative : alternatives) {
            const bool known = std::size_t(row) < alternative.operators.size();
            const PartitionCost cost = row == operators.size() ? alternative.total
                : known                                        ? alternative.operators[std::size_t(row)]
                                                               : PartitionCost();
            for (const CostMeasure measure : kParts) {
                const std::optional<double> value = costValue(cost, measure);
                cells << (measure == CostMeasure::Division ? cost.division : value ? cell(*value) : QString());
            }
        }
        table.rows << cells;
    }
    return table;
}

} // namespace stratoplan::widgets
