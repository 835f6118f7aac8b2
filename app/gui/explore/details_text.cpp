// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/explore/details_text.h"

#include "app/session/plan_fields.h"
#include "core/catalog/catalog.h"
#include "core/cost/communication.h"
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

namespace stratoplan {

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
        return tr("optimizer states, gradients and weights");
    return stage == 2 ? tr("optimizer states and gradients") : tr("optimizer states");
}

double tokensPerStep(const Plan& plan)
{
    return static_cast<double>(plan.training.globalBatch) * plan.training.sequenceLength;
}

/// "a + b + c = total", without the parts that are zero.
DetailSection stepParts(const Estimate& estimate)
{
    const Breakdown& b = estimate.breakdown;
    DetailSection section{tr("The step, by cause"), {}, {}, {}};
    for (const auto& [term, value] : stepTerms(b))
        if (value > Seconds(0))
            section.rows.push_back({text(asSentence(std::string(describeInStep(term)))), text(value)});
    section.rows.push_back({tr("Sum"), text(b.total())});
    if (b.hidden.total() > Seconds(0))
        section.remark = tr("Another %1 of communication is hidden behind computation.").arg(text(b.hidden.total()));
    return section;
}

QString rangeRemark(const Plan& plan, const Estimate& estimate)
{
    if (!(estimate.stepLow > Seconds(0)) || !(estimate.stepHigh > estimate.stepLow))
        return {};
    const SoftwareProfile& software = plan.training.software;
    const QString name = QString::fromStdString(software.name);
    if (const SoftwareProfile* const base =
            software.calibratedOn ? shippedCatalog().softwareProfile(software.base) : nullptr)
        return tr("80 % range %1 to %2, from the errors of “%3” on your runs and of “%4” on measured runs.")
            .arg(text(estimate.stepLow), text(estimate.stepHigh), name, QString::fromStdString(base->name));
    return tr("80 % range %1 to %2, from the errors of “%3” on measured runs.")
        .arg(text(estimate.stepLow), text(estimate.stepHigh), name);
}

QString extrapolationRemark(const Estimate& estimate)
{
    if (estimate.extrapolates.empty())
        return {};
    QStringList reasons;
    for (const std::string& reason : describe(estimate.extrapolates))
        reasons << fragment(QString::fromStdString(reason));
    return tr("Outside what was measured: %1.").arg(reasons.join(QStringLiteral("; ")));
}

} // namespace

DetailSections planDetails(const Plan& plan, const Estimate& estimate)
{
    const ParameterCount p = parameters(plan.model);
    DetailSection about{tr("This plan"), {}, {}, {}};
    about.rows.push_back({tr("Parameters"), countText(static_cast<double>(p.total))});
    if (p.active != p.total)
        about.rows.push_back({tr("of them active"), countText(static_cast<double>(p.active))});
    about.rows.push_back({tr("Ranks"),
        tr("%1 of %2").arg(groupedNumber(rankCount(plan.strategy)), groupedNumber(acceleratorCount(plan.cluster)))});
    about.rows.push_back({tr("Tokens per step"), countText(tokensPerStep(plan))});
    about.rows.push_back({tr("Micro-batches"), tr("%1 per replica").arg(groupedNumber(microBatches(plan)))});
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    if (!layers.empty()) {
        const auto [least, most] = std::minmax_element(layers.begin(), layers.end());
        about.rows.push_back({tr("Layers per stage"),
            *least == *most ? groupedNumber(*least) : QStringLiteral("%1–%2").arg(*least).arg(*most)});
    }
    about.rows.push_back({tr("Schedule"), scheduleText(estimate.pipeline.schedule)});
    DetailSection parts = stepParts(estimate);
    QStringList remarks{parts.remark, rangeRemark(plan, estimate), extrapolationRemark(estimate)};
    remarks.removeAll(QString());
    parts.remark = remarks.join(u' ');
    return {about, parts};
}

DetailSections partDetails(int stage, const QString& part, const Estimate& estimate)
{
    // Every stage a row of its own.
    const auto view = breakdownView(estimate, static_cast<int>(estimate.stages.size()));
    if (!view)
        return {};
    for (const Stack& stack : view->stacks) {
        if (stack.firstStage != stage)
            continue;
        for (const Segment& segment : stack.segments) {
            if (segment.name != part)
                continue;
            const QString where = stage < 0 ? tr("of the step") : tr("on stage %1").arg(stage);
            DetailSection section{tr("%1 %2").arg(part, where), {}, {}, {}};
            section.title[0] = section.title[0].toUpper();
            section.rows = {{tr("Time"), text(Seconds(segment.value))},
                {tr("Of the step"), shareText(segment.value / view->step.value())}, {tr("Step"), text(view->step)}};
            return {section, {tr("How was this computed?"), {}, segment.explanation, {}}};
        }
    }
    return {stepParts(estimate)};
}

namespace {

/// When an item of the ledger lives, as a remark after its name; nothing for what is always there.
QString lifetimeMark(Lifetime lifetime)
{
    return lifetime == Lifetime::Step ? QString() : QStringLiteral(" · ") + text(describe(lifetime));
}

} // namespace

DetailSections memoryDetails(int stage, const Plan& plan, const Estimate& estimate)
{
    const Memory& memory = estimate.memory;
    if (stage < 0 || static_cast<std::size_t>(stage) >= memory.stages.size())
        return {};
    const StageMemory& m = memory.stages[static_cast<std::size_t>(stage)];
    DetailSection section{tr("Memory of stage %1, per accelerator").arg(stage), {}, {}, {}};
    section.rows = {{tr("Weights"), text(m.weights)}, {tr("Gradients"), text(m.gradients)},
        {tr("Optimizer states"), text(m.optimizer)}, {tr("Activations"), text(m.activations)},
        {tr("Buffers"), text(m.buffers)}, {tr("Framework reserve"), text(m.reserve)}, {tr("Sum"), text(m.total())},
        {tr("Capacity"), text(memory.capacity)}};
    if (stage == memory.peakStage && memory.peakHigh > memory.peakLow)
        section.remark = tr("80 % range %1 to %2, from the errors on measured peaks.")
                             .arg(text(memory.peakLow), text(memory.peakHigh));
    const Bytes free = memory.capacity - m.total();
    section.rows.push_back(free < Bytes(0) ? DetailRow{tr("Over by"), text(-free)} : DetailRow{tr("Free"), text(free)});
    DetailSection ledger{tr("What it holds"), {}, {}, {}};
    ledger.text =
        tr("Items of a micro-batch are there once for each one in flight; those of a pass come and go with it.");
    const Plan own = stagePlan(plan, stage);
    for (const LedgerItem& item : memoryLedger(own, lower(own), stage))
        ledger.rows.push_back(
            {QString::fromUtf8(item.name.data(), qsizetype(item.name.size())) + lifetimeMark(item.lifetime),
                text(item.bytes)});
    DetailSection how{tr("How was this computed?"), {}, {}, {}};
    const std::vector<int> layers = stageLayers(plan.strategy, plan.model.layers);
    how.text =
        tr("The stage holds %1 layers, divided by TP %2. At the peak it keeps the activations of %3 micro-batches of "
           "%4, with %5.")
            .arg(layers[static_cast<std::size_t>(stage)])
            .arg(plan.strategy.tp)
            .arg(countText(m.inFlight))
            .arg(plan.strategy.microBatch == 1 ? tr("one sequence") : tr("%1 sequences").arg(plan.strategy.microBatch))
            .arg(recomputeText(plan.strategy.recompute));
    if (plan.strategy.zeroStage > 0)
        how.text += u' '
            + tr("ZeRO-%1 divides %2 over %3 ranks.")
                  .arg(plan.strategy.zeroStage)
                  .arg(zeroParts(plan.strategy.zeroStage))
                  .arg(shardRanks(plan.strategy, false));
    return {section, ledger, how};
}

DetailSections figureDetails(
    VerdictFigure figure, const Plan& plan, const Estimate& estimate, const CapacityInputs& inputs)
{
    const double ranks = rankCount(plan.strategy);
    const Capacity run = capacity(plan, estimate, inputs);
    const Flops flops = modelFlops(plan);
    DetailSection how{tr("How was this computed?"), {}, {}, {}};
    switch (figure) {
    case VerdictFigure::StepTime: {
        DetailSection parts = stepParts(estimate);
        how.text = tr("Every operator of a stage is priced on a roofline of the accelerator, every collective on its "
                      "link; the stages are placed in the "
                      "%1 pipeline. The parts of the slowest stage add up to the step.")
                       .arg(scheduleText(estimate.pipeline.schedule));
        how.remark = rangeRemark(plan, estimate);
        return {parts, how};
    }
    case VerdictFigure::Throughput:
        how.text = tr("%1 sequences × %2 tokens / %3 = %4.")
                       .arg(groupedNumber(plan.training.globalBatch), groupedNumber(plan.training.sequenceLength),
                           text(estimate.step), tokenRateText(estimate.tokensPerSecond));
        return {{tr("Throughput"),
                    {{tr("Tokens per step"), countText(tokensPerStep(plan))}, {tr("Step"), text(estimate.step)},
                        {tr("Throughput"), tokenRateText(estimate.tokensPerSecond)}},
                    {}, {}},
            how};
    case VerdictFigure::Mfu:
    case VerdictFigure::PerAccelerator: {
        const FlopsPerSecond peak = plan.cluster.nodes.empty()
            ? FlopsPerSecond()
            : plan.cluster.nodes.front().accelerator.peak[plan.training.precision];
        how.text = tr("%1 of the model per step (forward and backward, nothing recomputed) / %2 / %3 ranks = %4 per "
                      "accelerator, of a dense peak of %5.")
                       .arg(text(flops), text(estimate.step), groupedNumber(static_cast<qint64>(ranks)),
                           text(estimate.perAccelerator), text(peak));
        how.remark = tr("HFU counts recomputed FLOPs as well.");
        return {{tr("Utilisation"),
                    {{tr("Model FLOPs"), text(flops)}, {tr("Per accelerator"), text(estimate.perAccelerator)},
                        {tr("Dense peak"), text(peak)}, {QStringLiteral("MFU"), shareText(estimate.mfu)},
                        {QStringLiteral("HFU"), shareText(estimate.hfu)}},
                    {}, {}},
            how};
    }
    case VerdictFigure::Memory:
        return memoryDetails(estimate.memory.peakStage, plan, estimate);
    case VerdictFigure::Run:
    case VerdictFigure::Cost:
        break;
    }
    if (!(run.steps > 0)) {
        how.text = tr("Give a token budget under “Run” in the form to see days, money and energy.");
        return {{tr("The whole run"), {}, {}, {}}, how};
    }
    how.text = tr("%1 tokens / %2 per step = %3 steps × %4 / goodput %5.")
                   .arg(countText(inputs.tokens), countText(tokensPerStep(plan)),
                       groupedNumber(static_cast<qint64>(run.steps)), text(estimate.step), shareText(inputs.goodput));
    how.remark = tr(
        "Accelerators that the strategy leaves idle are neither paid for nor powered; energy is board power × PUE %1.")
                     .arg(countText(inputs.pue));
    DetailSection section{tr("The whole run"), {}, {}, {}};
    section.rows = {{tr("Steps"), groupedNumber(static_cast<qint64>(run.steps))},
        {tr("Time"), text(Seconds(run.days * kDay))}, {tr("Accelerator time"), gpuHoursText(run.acceleratorHours)},
        {tr("Energy of the boards"), energyText(run.energyKwh)}};
    if (run.cost > 0)
        section.rows.push_back({tr("Cost"), moneyText(run.cost, inputs.currency)});
    return {section, how};
}

DetailSection improvementDetails(const std::vector<Improvement>& improvements, bool current)
{
    DetailSection section{tr("What would help"), {}, {}, {}};
    for (std::size_t i = 0; i < std::min(improvements.size(), kImprovementsShown); ++i)
        section.rows.push_back({improvements[i].label,
            signedText(improvements[i].stepChange, shareText(std::abs(improvements[i].stepChange)))});
    if (!current)
        section.remark = tr("For the plan before; being updated.");
    else if (improvements.empty())
        section.text = tr("No single change that was tried makes the step shorter.");
    else
        section.remark = tr("Change of the step time by that change alone.");
    return section;
}

} // namespace stratoplan
