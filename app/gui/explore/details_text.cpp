// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/details_text.h"

#include "app/session/plan_fields.h"
#include "core/catalog/catalog.h"
#include "core/cost/communication.h"
#include "core/estimate/memory_timeline.h"
#include "core/estimate/step_terms.h"
#include "core/narration/estimates.h"
#include "core/pricing/priced_stages.h"
#include "core/units/sentence.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

constexpr std::size_t kImprovementsShown = 6;
constexpr double kDay = 86400;

/// A part of a sentence, though it was written as one of its own.
QString fragment(QString text)
{
    while (text.endsWith(u'.'))
        text.chop(1);
    if (text.size() > 1 && text[1].isLower()) // not an abbreviation
        text[0] = text[0].toLower();
    return text;
}

/// What ZeRO of this stage divides over the data-parallel ranks.
QString zeroParts(int stage)
{
    if (stage >= 3)
        return widgets::tr("optimizer states, gradients and weights");
    return stage == 2 ? widgets::tr("optimizer states and gradients") : widgets::tr("optimizer states");
}

/// "a + b + c = total", without the parts that are zero.
widgets::DetailSection stepParts(const estimate::Estimate& estimate)
{
    const pricing::Breakdown& b = estimate.breakdown;
    widgets::DetailSection section{widgets::tr("The step, by cause"), {}, {}, {}};
    for (const auto& [term, value] : estimate::stepTerms(b))
        if (value > Seconds(0))
            section.rows.push_back(
                {widgets::text(asSentence(std::string(narration::describeInStep(term)))), widgets::text(value)});
    section.rows.push_back({widgets::tr("Sum"), widgets::text(b.total())});
    if (b.hidden.total() > Seconds(0))
        section.remark = widgets::tr("Another %1 of communication is hidden behind computation.")
                             .arg(widgets::text(b.hidden.total()));
    return section;
}

QString rangeRemark(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    if (!(estimate.stepLow > Seconds(0)) || !(estimate.stepHigh > estimate.stepLow))
        return {};
    const plan::SoftwareProfile& software = plan.training.software;
    const QString name = QString::fromStdString(software.name);
    if (const plan::SoftwareProfile* const base =
            software.calibratedOn ? catalog::shippedCatalog().softwareProfile(software.base) : nullptr)
        return widgets::tr("80 % range %1 to %2, from the errors of “%3” on your runs and of “%4” on measured runs.")
            .arg(widgets::text(estimate.stepLow), widgets::text(estimate.stepHigh), name,
                QString::fromStdString(base->name));
    return widgets::tr("80 % range %1 to %2, from the errors of “%3” on measured runs.")
        .arg(widgets::text(estimate.stepLow), widgets::text(estimate.stepHigh), name);
}

QString extrapolationRemark(const estimate::Estimate& estimate)
{
    if (estimate.extrapolates.empty())
        return {};
    QStringList reasons;
    for (const std::string& reason : narration::describe(estimate.extrapolates))
        reasons << fragment(QString::fromStdString(reason));
    return widgets::tr("Outside what was measured: %1.").arg(reasons.join(QStringLiteral("; ")));
}

} // namespace

widgets::DetailSections planDetails(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    const model::ParameterCount p = parameters(plan.model);
    widgets::DetailSection about{widgets::tr("This plan"), {}, {}, {}};
    about.rows.push_back({widgets::tr("Parameters"), widgets::countText(static_cast<double>(p.total))});
    if (p.active != p.total)
        about.rows.push_back({widgets::tr("of them active"), widgets::countText(static_cast<double>(p.active))});
    about.rows.push_back({widgets::tr("Ranks"),
        widgets::tr("%1 of %2")
            .arg(widgets::groupedNumber(rankCount(plan.strategy)),
                widgets::groupedNumber(acceleratorCount(plan.cluster)))});
    about.rows.push_back({widgets::tr("Tokens per step"), widgets::countText(tokensPerStep(plan))});
    about.rows.push_back(
        {widgets::tr("Micro-batches"), widgets::tr("%1 per replica").arg(widgets::groupedNumber(microBatches(plan)))});
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    if (!layers.empty()) {
        const auto [least, most] = std::minmax_element(layers.begin(), layers.end());
        about.rows.push_back({widgets::tr("Layers per stage"),
            *least == *most ? widgets::groupedNumber(*least) : QStringLiteral("%1–%2").arg(*least).arg(*most)});
    }
    about.rows.push_back({widgets::tr("Schedule"), widgets::scheduleText(estimate.pipeline.schedule)});
    for (const std::string& what :
        {narration::describeStageNodes(plan), narration::describeReplicas(plan, estimate.replicas)})
        if (!what.empty())
            about.remark += (about.remark.isEmpty() ? QString() : QStringLiteral(" "))
                + QString::fromStdString(asSentence(what)) + u'.';
    widgets::DetailSection parts = stepParts(estimate);
    QStringList remarks{parts.remark, rangeRemark(plan, estimate), extrapolationRemark(estimate)};
    remarks.removeAll(QString());
    parts.remark = remarks.join(u' ');
    return {about, parts};
}

widgets::DetailSections partDetails(int stage, const QString& part, const estimate::Estimate& estimate)
{
    // Every stage a row of its own.
    const auto view = widgets::breakdownView(estimate, static_cast<int>(estimate.stages.size()));
    if (!view)
        return {};
    for (const widgets::Stack& stack : view->stacks) {
        if (stack.firstStage != stage)
            continue;
        for (const widgets::Segment& segment : stack.segments) {
            if (segment.name != part)
                continue;
            const QString where = stage < 0 ? widgets::tr("of the step") : widgets::tr("on stage %1").arg(stage);
            widgets::DetailSection section{widgets::tr("%1 %2").arg(part, where), {}, {}, {}};
            section.title[0] = section.title[0].toUpper();
            section.rows = {{widgets::tr("Time"), widgets::text(Seconds(segment.value))},
                {widgets::tr("Of the step"), widgets::shareText(segment.value / view->step.value())},
                {widgets::tr("Step"), widgets::text(view->step)}};
            return {section, {widgets::tr("How was this computed?"), {}, segment.explanation, {}}};
        }
    }
    return {stepParts(estimate)};
}

namespace {

/// When an item of the ledger lives, as a remark after its name; nothing for what is always there.
QString lifetimeMark(cost::Lifetime lifetime)
{
    return lifetime == cost::Lifetime::Step ? QString()
                                            : QStringLiteral(" · ") + widgets::text(narration::describe(lifetime));
}

/// The ledger of a stage.
widgets::DetailSection ledgerSection(int stage, const plan::Plan& plan, const estimate::Estimate& estimate)
{
    widgets::DetailSection ledger{widgets::tr("What it holds"), {}, {}, {}};
    ledger.text = widgets::tr(
        "Items of a micro-batch are there once for each one in flight; those of a pass come and go with it.");
    const std::vector<cost::MemoryLedger> ledgers = memoryLedgers(plan, estimate);
    for (const cost::LedgerItem& item : ledgers[std::size_t(stage)])
        ledger.rows.push_back(
            {QString::fromUtf8(item.name.data(), qsizetype(item.name.size())) + lifetimeMark(item.lifetime),
                widgets::text(item.bytes)});
    return ledger;
}

widgets::DetailSection howSection()
{
    return {widgets::tr("How was this computed?"), {}, {}, {}};
}

widgets::DetailSection howHeld(int stage, const plan::Plan& plan, const estimate::StageMemory& memory)
{
    widgets::DetailSection how = howSection();
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    how.text = widgets::tr(
        "The stage holds %1 layers, divided by TP %2. At the peak it keeps the activations of %3 micro-batches of "
        "%4, with %5.")
                   .arg(layers[static_cast<std::size_t>(stage)])
                   .arg(plan.strategy.tp)
                   .arg(widgets::countText(memory.inFlight))
                   .arg(plan.strategy.microBatch == 1 ? widgets::tr("one sequence")
                                                      : widgets::tr("%1 sequences").arg(plan.strategy.microBatch))
                   .arg(widgets::recomputeText(plan.strategy.recompute));
    if (const int chosen = plan.strategy.zeroStage, effective = effectiveZeroStage(plan); chosen > 0) {
        const QString zero = chosen == effective
            ? widgets::tr("ZeRO-%1").arg(chosen)
            : widgets::tr("ZeRO-%1, which beside a pipeline is like ZeRO-%2,").arg(chosen).arg(effective);
        how.text += u' '
            + widgets::tr("%1 divides %2 over %3 ranks.")
                  .arg(zero)
                  .arg(zeroParts(effective))
                  .arg(cost::shardRanks(plan.strategy, false));
    }
    return how;
}

widgets::DetailSections stepDetails(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    widgets::DetailSection how = howSection();
    how.text = widgets::tr("Every operator of a stage is priced on a roofline of the accelerator, every collective on "
                           "its link; the stages are placed in the "
                           "%1 pipeline. The parts of the slowest stage add up to the step.")
                   .arg(widgets::scheduleText(estimate.pipeline.schedule));
    how.remark = rangeRemark(plan, estimate);
    return {stepParts(estimate), how};
}

widgets::DetailSections throughputDetails(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    widgets::DetailSection how = howSection();
    how.text = widgets::tr("%1 sequences × %2 tokens / %3 = %4.")
                   .arg(widgets::groupedNumber(plan.training.globalBatch),
                       widgets::groupedNumber(plan.training.sequenceLength), widgets::text(estimate.step),
                       widgets::tokenRateText(estimate.tokensPerSecond));
    return {{widgets::tr("Throughput"),
                {{widgets::tr("Tokens per step"), widgets::countText(tokensPerStep(plan))},
                    {widgets::tr("Step"), widgets::text(estimate.step)},
                    {widgets::tr("Throughput"), widgets::tokenRateText(estimate.tokensPerSecond)}},
                {}, {}},
        how};
}

widgets::DetailSections utilisationDetails(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    const Flops flops = modelFlops(plan);
    const FlopsPerSecond peak = estimate.mfu > 0 ? estimate.perAccelerator / estimate.mfu : FlopsPerSecond();
    widgets::DetailSection how = howSection();
    how.text =
        widgets::tr("%1 of the model per step (forward and backward, nothing recomputed) / %2 / %3 ranks = %4 per "
                    "accelerator, of a dense peak of %5.")
            .arg(widgets::text(flops), widgets::text(estimate.step), widgets::groupedNumber(rankCount(plan.strategy)),
                widgets::text(estimate.perAccelerator), widgets::text(peak));
    how.remark = widgets::tr("Attention counts over the full square, as Megatron-LM has it; over the causal half of it "
                             "alone where the row says so. HFU counts recomputed FLOPs as well.");
    return {{widgets::tr("Utilisation"),
                {{widgets::tr("Model FLOPs"), widgets::text(flops)},
                    {widgets::tr("Per accelerator"), widgets::text(estimate.perAccelerator)},
                    {widgets::tr("Dense peak"), widgets::text(peak)},
                    {QStringLiteral("MFU"), widgets::shareText(estimate.mfu)},
                    {QStringLiteral("HFU"), widgets::shareText(estimate.hfu)},
                    {widgets::tr("Per accelerator, causal half"),
                        widgets::text(estimate.perAccelerator * estimate.causalShare)},
                    {widgets::tr("MFU, causal half"), widgets::shareText(estimate.mfu * estimate.causalShare)}},
                {}, {}},
        how};
}

widgets::DetailSections runDetails(
    const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs)
{
    const capacity::Capacity run = capacity::capacity(plan, estimate, inputs);
    widgets::DetailSection section{widgets::tr("The whole run"), {}, {}, {}};
    widgets::DetailSection how = howSection();
    if (!(run.steps > 0)) {
        how.text = widgets::tr("Give a token budget under “Run” in the form to see days, money and energy.");
        return {section, how};
    }
    how.text = widgets::tr("%1 tokens / %2 per step = %3 steps × %4 / goodput %5.")
                   .arg(widgets::countText(run.tokens), widgets::countText(tokensPerStep(plan)),
                       widgets::groupedNumber(static_cast<qint64>(run.steps)), widgets::text(estimate.step),
                       widgets::shareText(run.goodput.share));
    how.remark =
        widgets::tr("%1 accelerators are paid for; the nodes in use draw %2W, times PUE %3.")
            .arg(widgets::groupedNumber(run.paid), widgets::countText(run.watts), widgets::countText(inputs.pue));
    section.rows = {{widgets::tr("Steps"), widgets::groupedNumber(static_cast<qint64>(run.steps))},
        {widgets::tr("Time"), widgets::text(Seconds(run.days.mid * kDay))},
        {widgets::tr("Accelerator time"), widgets::gpuHoursText(run.acceleratorHours.mid)},
        {widgets::tr("Energy"), widgets::energyText(run.energyKwh.mid)}};
    if (run.isPriced)
        section.rows.push_back({widgets::tr("Cost"), widgets::moneyText(run.cost.mid, inputs.currency)});
    return {section, how};
}

} // namespace

widgets::DetailSections memoryDetails(int stage, const plan::Plan& plan, const estimate::Estimate& estimate)
{
    const estimate::Memory& memory = estimate.memory;
    if (stage < 0 || static_cast<std::size_t>(stage) >= memory.stages.size())
        return {};
    const estimate::StageMemory& m = memory.stages[static_cast<std::size_t>(stage)];
    const Bytes capacity = m.capacity > Bytes{} ? m.capacity : memory.capacity;
    widgets::DetailSection section{widgets::tr("Memory of stage %1, per accelerator").arg(stage), {}, {}, {}};
    section.rows = {{widgets::tr("Weights"), widgets::text(m.weights)},
        {widgets::tr("Gradients"), widgets::text(m.gradients)},
        {widgets::tr("Optimizer states"), widgets::text(m.optimizer)},
        {widgets::tr("Activations"), widgets::text(m.activations)}, {widgets::tr("Buffers"), widgets::text(m.buffers)},
        {widgets::tr("Framework reserve"), widgets::text(m.reserve)}, {widgets::tr("Sum"), widgets::text(m.total())},
        {widgets::tr("Capacity"), widgets::text(capacity)}};
    if (stage == memory.peakStage && memory.peakHigh > memory.peakLow)
        section.remark = widgets::tr("80 % range %1 to %2, from the errors on measured peaks.")
                             .arg(widgets::text(memory.peakLow), widgets::text(memory.peakHigh));
    const Bytes free = capacity - m.total();
    section.rows.push_back(free < Bytes(0) ? widgets::DetailRow{widgets::tr("Over by"), widgets::text(-free)}
                                           : widgets::DetailRow{widgets::tr("Free"), widgets::text(free)});
    return {section, ledgerSection(stage, plan, estimate), howHeld(stage, plan, m)};
}

widgets::DetailSections figureDetails(widgets::VerdictFigure figure, const plan::Plan& plan,
    const estimate::Estimate& estimate, const plan::CapacityInputs& inputs)
{
    switch (figure) {
    case widgets::VerdictFigure::StepTime:
        return stepDetails(plan, estimate);
    case widgets::VerdictFigure::Throughput:
        return throughputDetails(plan, estimate);
    case widgets::VerdictFigure::Mfu:
    case widgets::VerdictFigure::PerAccelerator:
        return utilisationDetails(plan, estimate);
    case widgets::VerdictFigure::Memory:
        return memoryDetails(estimate.memory.peakStage, plan, estimate);
    case widgets::VerdictFigure::Run:
    case widgets::VerdictFigure::Cost:
        break;
    }
    return runDetails(plan, estimate, inputs);
}

widgets::DetailSection improvementDetails(const std::vector<session::Improvement>& improvements, bool current)
{
    widgets::DetailSection section{widgets::tr("What would help"), {}, {}, {}};
    for (std::size_t i = 0; i < std::min(improvements.size(), kImprovementsShown); ++i)
        section.rows.push_back({improvements[i].label,
            widgets::signedText(improvements[i].stepChange, widgets::shareText(std::abs(improvements[i].stepChange)))});
    if (!current)
        section.remark = widgets::tr("For the plan before; being updated.");
    else if (improvements.empty())
        section.text = widgets::tr("No single change that was tried makes the step shorter.");
    else
        section.remark = widgets::tr("Change of the step time by that change alone.");
    return section;
}

} // namespace stratoplan::gui
