// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/partition/partition_texts.h"

#include "core/narration/problems.h"
#include "widgets/presentation/partition_scene.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QStringList>

#include <bit>
#include <utility>

namespace stratoplan::gui {

using estimate::PartitionAnswer;
using estimate::PartitionEstimate;
using widgets::PartitionAlternative;
using widgets::PartitionCost;

namespace {

bool isLinear(const partition::PricedOperator& op)
{
    return op.kind == partition::OperatorKind::Linear;
}

PartitionCost costOf(const partition::PassPrices& passes)
{
    const partition::PassPrice all = passes.all();
    PartitionCost cost;
    cost.forward = passes.forward.total();
    cost.backward = passes.backward.total() + passes.repeated.total();
    cost.ring = all.ring;
    cost.collective = all.collective;
    if (const Seconds sending = all.hidden + all.exposed; sending.value() > 0)
        cost.hidden = all.hidden / sending;
    return cost;
}

/// Memory is that of weights, of what is kept for the backward pass, and of the most that is worked with.
PartitionAlternative alternativeOf(const PartitionChoice& choice, double element)
{
    const partition::PricedLayer& layer = choice.estimate->layer;
    PartitionAlternative alternative{choice.name, {}, costOf(layer.passes)};
    Bytes kept{};
    for (const partition::PricedOperator& op : layer.operators) {
        PartitionCost cost = costOf(op.passes);
        cost.division = widgets::text(op.chosen.sequence);
        cost.memory = Bytes(op.parameters * element) + op.kept + op.working;
        kept += op.kept;
        alternative.operators.push_back(std::move(cost));
    }
    alternative.total.memory = Bytes(layer.parameters * element) + kept + layer.working;
    return alternative;
}

/// Of linear operators on an n x n grid; its seconds are nobody's estimate.
PartitionAlternative summa(const partition::PricedLayer& layer, int side, double element)
{
    PartitionAlternative alternative{widgets::tr("SUMMA"), {}, {}};
    for (const partition::PricedOperator& op : layer.operators) {
        PartitionCost cost;
        if (isLinear(op)) {
            const auto bytes = [&](partition::Tensor t) { return Bytes(elements(t, op.size) * element); };
            const Bytes input = bytes(partition::Tensor::Input), weight = bytes(partition::Tensor::Weight),
                        output = bytes(partition::Tensor::Output);
            cost.division = widgets::tr("%1 × %1").arg(side);
            cost.ring = Bytes(0);
            cost.collective = widgets::summaBytes(side, input, weight) + widgets::summaBytes(side, output, weight)
                + widgets::summaBytes(side, input, output);
        }
        alternative.operators.push_back(std::move(cost));
    }
    return alternative;
}

widgets::PartitionOperator operatorOf(const partition::PricedOperator& op, int bits)
{
    using Kind = widgets::DiagramOperator::Kind;
    widgets::PartitionOperator shown;
    shown.name = widgets::text(op.chosen.op);
    shown.alsoFrom = op.alsoFrom;
    const auto sequence = partition::parseSequence(op.chosen.sequence);
    if (isLinear(op) && sequence && partition::bits(*sequence) == bits) {
        shown.kind = Kind::Linear;
        shown.size = op.size;
        shown.sequence = *sequence;
    } else {
        shown.kind = op.kind == partition::OperatorKind::Residual ? Kind::Residual : Kind::Other;
        shown.axes = widgets::text(op.chosen.sequence);
    }
    return shown;
}

QString timeAndMemory(const PartitionEstimate& partition)
{
    return widgets::tr("%1, %2").arg(widgets::text(partition.step), widgets::text(partition.peak));
}

/// The best is the fastest layer that fits: the step may be shorter with less memory, too, as data parallelism and the
/// optimizer take less for fewer copies.
QString nameOnFront(const PartitionEstimate& point, const PartitionEstimate& best)
{
    if (point.peak < best.peak)
        return point.step < best.step ? widgets::tr("Faster, less memory") : widgets::tr("Less memory");
    return point.peak > best.peak ? widgets::tr("Faster, more memory") : widgets::tr("Faster");
}

QString megatronName(const PartitionAnswer& answer)
{
    return answer.sequenceParallel ? widgets::tr("Megatron, sequence parallel") : widgets::tr("Megatron");
}

/// "…; Megatron cannot divide this layer over TP 64: 96 heads cannot be divided over TP 64: use 1, 2, 3, 4, 6 or 8."
QString withoutMegatron(const PartitionAnswer& answer, const QString& text)
{
    const QString all = widgets::tr("%1; Megatron cannot divide this layer over TP %2").arg(text).arg(answer.ranks);
    const QString why = reasonsText(answer.megatronProblems).replace(QStringLiteral("\n\n"), QStringLiteral(" "));
    return why.isEmpty() ? all : widgets::tr("%1: %2").arg(all, why);
}

} // namespace

std::vector<PartitionChoice> partitionChoices(const session::PartitionReport& report)
{
    using enum PartitionChoice::Kind;
    const PartitionAnswer& answer = **report.result;
    std::vector<PartitionChoice> choices;
    const PartitionEstimate* const other = answer.otherMegatronOf(report.plan->strategy);
    if (other || (report.planned && *report.planned))
        choices.push_back({Planned, widgets::tr("This plan"), other ? other : &**report.planned});
    choices.push_back({Best, widgets::tr("Best spatial-temporal"), &answer.best});
    if (answer.megatron)
        choices.push_back({Megatron, megatronName(answer), &*answer.megatron});
    if (answer.dataParallel)
        choices.push_back({DataParallel, widgets::tr("Data parallel"), &*answer.dataParallel});
    for (const PartitionEstimate& point : answer.front)
        if (point.strategy.operatorPartitions != answer.best.strategy.operatorPartitions)
            choices.push_back({Front, nameOnFront(point, answer.best), &point});
    return choices;
}

QString figuresText(const PartitionEstimate& partition)
{
    const QString figures = timeAndMemory(partition);
    return partition.fits ? figures : widgets::tr("%1, does not fit").arg(figures);
}

QString frontText(const PartitionAnswer& answer)
{
    return answer.isWholeFront || answer.lacksFront()
        ? QString()
        : widgets::tr("More memory or less, some of what is best: the fastest for each 3 % less memory or more");
}

QString comparisonText(const PartitionAnswer& answer)
{
    const bool noneFits = !answer.fastest().fits && !(answer.megatron && answer.megatron->fits);
    const auto figures = noneFits && answer.isLeanest ? timeAndMemory : figuresText;
    const QString best =
        noneFits && answer.isLeanest ? widgets::tr("None fits into memory; with least, %1") : widgets::tr("Best %1");
    QString text = best.arg(figures(answer.best));
    if (const PartitionEstimate* const faster = answer.faster())
        text = widgets::tr("%1, of the front %2").arg(text, figures(*faster));
    if (!answer.megatron)
        return withoutMegatron(answer, text);
    text = widgets::tr("%1; Megatron%2 %3")
               .arg(text, answer.sequenceParallel ? widgets::tr(", sequence parallel") : QString(),
                   figures(*answer.megatron));
    if (answer.dividesAsMegatron())
        return widgets::tr("%1: divided alike").arg(text);
    if (!answer.prefersMegatron())
        return text;
    return answer.megatron->peak <= answer.fastest().peak
        ? widgets::tr("%1: the fastest of these that fits, in no more memory").arg(text)
        : widgets::tr("%1: the fastest of these that fits").arg(text);
}

QString reasonsText(const std::vector<plan::Problem>& problems)
{
    QStringList reasons;
    for (const plan::Problem& problem : problems)
        if (problem.severity == plan::Severity::Error)
            reasons << widgets::text(narration::describe(problem));
    return reasons.join(QStringLiteral("\n\n"));
}

widgets::PartitionPicture partitionPicture(
    const session::PartitionReport& report, const std::vector<PartitionChoice>& choices, int shown)
{
    const PartitionAnswer& answer = **report.result;
    const PartitionChoice& chosen = choices[std::size_t(shown)];
    widgets::PartitionPicture picture;
    picture.bits = std::countr_zero(unsigned(answer.ranks));
    picture.ranksPerDomain = answer.rankOfDomain;
    picture.bytesPerElement = model::bytesPerElement(report.plan->training.precision);
    for (const partition::PricedOperator& op : chosen.estimate->layer.operators)
        picture.operators.push_back(operatorOf(op, picture.bits));
    picture.alternatives.push_back(alternativeOf(chosen, picture.bytesPerElement));
    for (const PartitionChoice& other : choices)
        if (&other != &chosen && other.kind != PartitionChoice::Kind::Front)
            picture.alternatives.push_back(alternativeOf(other, picture.bytesPerElement));
    if (picture.bits % 2 == 0)
        picture.alternatives.push_back(summa(chosen.estimate->layer, 1 << picture.bits / 2, picture.bytesPerElement));
    if (report.planned && !*report.planned)
        picture.message = reasonsText(report.planned->error());
    return picture;
}

} // namespace stratoplan::gui
