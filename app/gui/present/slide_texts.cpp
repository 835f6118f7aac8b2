// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/slide_texts.h"

#include "app/session/plan_fields.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"
#include "widgets/topology/topology_text.h"

#include <QDate>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

/// "2,510 t of CO₂"
QString carbonText(double kilograms)
{
    constexpr double kTonne = 1000, kWhole = 100;
    const double tonnes = kilograms / kTonne;
    return tonnes < kWhole ? widgets::tr("%1 t of CO₂").arg(widgets::countText(tonnes))
                           : widgets::tr("%1 t of CO₂").arg(widgets::groupedNumber(qint64(std::llround(tonnes))));
}

/// "80 % range 88.0–97.0 days"; empty where the amount has none.
QString rangeNote(const capacity::Spread& spread, const std::function<QString(double)>& write)
{
    const QString range = betweenText(write(spread.low), write(spread.high));
    return range.isEmpty() ? QString() : widgets::tr("80 % range %1").arg(range);
}

SlideFigure without(const QString& title, const SlideState& state)
{
    const bool isAsked = plan::hasBudget(state.inputs);
    return {title, QStringLiteral("–"), isAsked ? widgets::tr("not known") : widgets::tr("no budget given"),
        SlideTone::Neutral};
}

SlideFigure daysFigure(const SlideState& state)
{
    if (!state.hasRun())
        return without(widgets::tr("Duration"), state);
    return {widgets::tr("Duration"), dayCountText(state.run.days.mid), rangeNote(state.run.days, dayCountText), {}};
}

SlideFigure dateFigure(const SlideState& state)
{
    const QString title = widgets::tr("Delivered");
    if (!state.hasRun())
        return without(title, state);
    const QString mid = doneDayText(state.inputs, state.run.days.mid);
    if (mid.isEmpty())
        return {title, QStringLiteral("–"), widgets::tr("give the first day under Start"), {}};
    return {title, mid, rangeNote(state.run.days, [&](double days) { return doneDayText(state.inputs, days); }),
        SlideTone::Neutral};
}

SlideFigure costFigure(const SlideState& state)
{
    const QString title = widgets::tr("Cost");
    if (!state.hasRun())
        return without(title, state);
    if (!state.run.isPriced)
        return {title, QStringLiteral("–"), widgets::tr("no price given, and none in the catalogue"), {}};
    const auto money = [&](double amount) { return widgets::moneyText(amount, state.inputs.currency); };
    return {title, money(state.run.cost.mid), rangeNote(state.run.cost, money), SlideTone::Neutral};
}

SlideFigure energyFigure(const SlideState& state)
{
    if (!state.hasRun())
        return without(widgets::tr("Energy"), state);
    const QString range = rangeNote(state.run.energyKwh, widgets::energyText);
    const QString carbon = carbonText(state.run.co2Kg.mid);
    return {widgets::tr("Energy"), widgets::energyText(state.run.energyKwh.mid),
        range.isEmpty() ? carbon : range + QStringLiteral(" · ") + carbon, SlideTone::Neutral};
}

SlideFigure acceleratorFigure(const SlideState& state)
{
    const int used = std::min(rankCount(state.plan->strategy), acceleratorCount(state.plan->cluster));
    const int idle = acceleratorCount(state.plan->cluster) - used;
    QStringList notes;
    if (state.hasRun())
        notes << widgets::tr("%1 paid for").arg(widgets::groupedNumber(state.run.paid));
    if (idle > 0)
        notes << widgets::tr("%1 idle").arg(widgets::groupedNumber(idle));
    if (notes.isEmpty())
        notes << widgets::tr("all that there are");
    return {widgets::tr("Accelerators"), widgets::tr("%1 used").arg(widgets::groupedNumber(used)),
        notes.join(QStringLiteral(" · ")), idle > 0 ? SlideTone::Warn : SlideTone::Neutral};
}

/// That the peak of memory would be measured above what there is.
double chanceOfNoRoom(const estimate::Memory& memory)
{
    return capacity::chanceAbove(
        {memory.peakLow.value(), memory.peak.value(), memory.peakHigh.value()}, memory.capacity.value());
}

QString chanceText(double chance)
{
    constexpr double kLeast = 0.001;
    return chance < kLeast    ? widgets::tr("less than 0.1 %")
        : chance > 1 - kLeast ? widgets::tr("more than 99.9 %")
                              : widgets::shareText(chance);
}

SlideFigure memoryFigure(const SlideState& state)
{
    const estimate::Estimate& e = *state.priced();
    const QString amounts = widgets::tr("%1 of %2").arg(widgets::text(e.memory.peak), widgets::text(e.memory.capacity));
    if (!e.fits)
        return {widgets::tr("Memory"), widgets::tr("does not fit"), amounts, SlideTone::Bad};
    const double chance = chanceOfNoRoom(e.memory);
    constexpr double kWorth = 0.05;
    return {widgets::tr("Memory"), widgets::tr("fits"),
        widgets::tr("%1 · %2 chance of not fitting").arg(amounts, chanceText(chance)),
        chance > kWorth ? SlideTone::Warn : SlideTone::Good};
}

SlideItem problemItem(const plan::Problem& problem)
{
    const QString head = problem.severity == plan::Severity::Error ? widgets::tr("Error")
        : problem.severity == plan::Severity::Warning              ? widgets::tr("Warning")
                                                                   : widgets::tr("Note");
    return {problem.severity, head, widgets::text(narration::describe(problem))};
}

SlideItem memoryRisk(const estimate::Estimate& e)
{
    const double chance = chanceOfNoRoom(e.memory);
    const QString amounts = widgets::tr("The peak is %1 of %2, on stage %3; 80 % range %4.")
                                .arg(widgets::text(e.memory.peak), widgets::text(e.memory.capacity))
                                .arg(e.memory.peakStage)
                                .arg(betweenText(widgets::text(e.memory.peakLow), widgets::text(e.memory.peakHigh)));
    constexpr double kWorth = 0.05;
    const auto severity = !e.fits ? std::optional(plan::Severity::Error)
        : chance > kWorth         ? std::optional(plan::Severity::Warning)
                                  : std::nullopt;
    return {severity, widgets::tr("Memory: %1 chance of not fitting").arg(chanceText(chance)), amounts};
}

SlideItem failureRisk(const SlideState& state)
{
    const capacity::Goodput& g = state.run.goodput;
    const QString head = widgets::tr("Failures: goodput %1").arg(widgets::shareText(g.share));
    if (g.isStated)
        return {plan::Severity::Note, head, widgets::tr("The goodput is stated, not worked out from failures.")};
    if (!(g.failures > 0))
        return {std::nullopt, head, widgets::tr("Nothing is said to fail.")};
    constexpr double kFew = 10;
    const QString count =
        g.failures < kFew ? widgets::countText(g.failures) : widgets::groupedNumber(qint64(std::llround(g.failures)));
    const QString text =
        widgets::tr("About %1 interruptions are to be expected, one every %2; a checkpoint of %3 every %4. Checkpoints "
                    "take %5 of the time, work lost %6, restarts %7.")
            .arg(count, widgets::text(Seconds(g.interruptions.mtbf)), widgets::text(g.checkpoint),
                widgets::text(Seconds(g.interruptions.interval)), partText(g.losses.checkpoints),
                partText(g.losses.lost), partText(g.losses.restarts));
    constexpr double kPoor = 0.9;
    return {g.share < kPoor ? plan::Severity::Warning : plan::Severity::Note, head, text};
}

SlideItem delayRisk(const SlideState& state)
{
    const QString late = doneDayText(state.inputs, state.run.days.high);
    QString text = widgets::tr("One chance in ten that it takes longer than %1").arg(dayCountText(state.run.days.high));
    text += late.isEmpty() ? QStringLiteral(".") : widgets::tr(", until after %1.").arg(late);
    if (state.run.isPriced)
        text += u' '
            + widgets::tr("It then costs %1 in place of %2.")
                  .arg(widgets::moneyText(state.run.cost.high, state.inputs.currency),
                      widgets::moneyText(state.run.cost.mid, state.inputs.currency));
    return {plan::Severity::Note, widgets::tr("Delay"), text};
}

} // namespace

QString dayCountText(double days)
{
    constexpr double kSecondsOfDay = 86400;
    return std::abs(days) < 1 ? widgets::text(Seconds(days * kSecondsOfDay))
                              : widgets::tr("%1 days").arg(widgets::countText(days));
}

QString partText(double share)
{
    constexpr double kLeast = 0.001;
    return share < kLeast ? widgets::tr("< 0.1 %") : QString::number(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString betweenText(const QString& low, const QString& high)
{
    if (low == high)
        return {};
    const qsizetype a = low.lastIndexOf(u' ');
    const qsizetype b = high.lastIndexOf(u' ');
    const bool alike = a > 0 && b > 0 && low.mid(a) == high.mid(b);
    return alike && !low.left(a).contains(u' ') ? low.left(a) + u'–' + high
        : alike || a > 0                        ? low + QStringLiteral(" – ") + high
                                                : low + u'–' + high;
}

QString dateText(std::chrono::sys_days day)
{
    const QDate date = QDate(1970, 1, 1).addDays(day.time_since_epoch().count());
    return QLocale(QLocale::English).toString(date, QStringLiteral("d MMM yyyy"));
}

QString doneDayText(const plan::CapacityInputs& inputs, double days)
{
    const auto start = capacity::dayOf(inputs.start);
    return start ? dateText(capacity::doneOn(*start, days)) : QString();
}

QString titleOf(plan::SlideView view)
{
    switch (view) {
    case plan::SlideView::Decision:
        return widgets::tr("The decision");
    case plan::SlideView::Cluster:
        return widgets::tr("The cluster");
    case plan::SlideView::Alternatives:
        return widgets::tr("Against the alternatives");
    case plan::SlideView::Time:
        return widgets::tr("Where the step goes");
    case plan::SlideView::Memory:
        return widgets::tr("Memory against capacity");
    case plan::SlideView::Pipeline:
        return widgets::tr("The pipeline");
    case plan::SlideView::Risks:
        return widgets::tr("Risks");
    case plan::SlideView::Evidence:
        return widgets::tr("Evidence for the numbers");
    case plan::SlideView::Overview:
        break;
    }
    return widgets::tr("At a glance");
}

QString decisionSentence(const SlideState& state)
{
    const estimate::Estimate& e = *state.priced();
    QString strategy = session::strategyTitle(state.plan->strategy);
    static const QRegularExpression kWithin(QStringLiteral("(?<=[A-Z]) (?=\\d)"));
    strategy.replace(kWithin, QString(QChar::Nbsp)); // "TP 8" stays on one line
    const QString what = widgets::tr("Train %1, divided by %2").arg(session::planTitle(*state.plan), strategy);
    if (!state.hasRun())
        return widgets::tr("%1: a step takes %2.").arg(what, widgets::text(e.step));
    QString text = widgets::tr("%1: %2 tokens in %3")
                       .arg(what, widgets::countText(state.run.tokens), dayCountText(state.run.days.mid));
    if (const QString done = doneDayText(state.inputs, state.run.days.mid); !done.isEmpty())
        text += widgets::tr(", done on %1").arg(done);
    if (state.run.isPriced)
        text += widgets::tr(", for %1").arg(widgets::moneyText(state.run.cost.mid, state.inputs.currency));
    return text + (e.fits ? QStringLiteral(".") : widgets::tr(". It does not fit the memory as it stands."));
}

QString budgetHint(const SlideState& state)
{
    return plan::hasBudget(state.inputs)
        ? QString()
        : widgets::tr("No budget is given: type the tokens of the run under Tokens below, and see days, date, cost and "
                      "energy here.");
}

std::vector<SlideFigure> decisionFigures(const SlideState& state)
{
    const estimate::Estimate& e = *state.priced();
    const QString range = betweenText(widgets::text(e.stepLow), widgets::text(e.stepHigh));
    const SlideFigure step{widgets::tr("Step time"), widgets::text(e.step),
        range.isEmpty() ? QString() : widgets::tr("80 % range %1").arg(range), SlideTone::Neutral};
    const SlideFigure throughput{widgets::tr("Throughput"), widgets::tokenRateText(e.tokensPerSecond),
        widgets::tr("MFU %1").arg(widgets::shareText(e.mfu)), SlideTone::Neutral};
    return {daysFigure(state), dateFigure(state), costFigure(state), energyFigure(state), step, throughput,
        acceleratorFigure(state), memoryFigure(state)};
}

QString clusterSentence(const cluster::Cluster& cluster)
{
    QStringList lines;
    for (const cluster::NodeGroup& group : cluster.nodes) {
        QString line = widgets::tr("%1 × %2: %3 × %4, %5")
                           .arg(widgets::groupedNumber(group.count), widgets::text(group.name),
                               widgets::groupedNumber(group.acceleratorsPerNode), widgets::text(group.accelerator.name),
                               widgets::scaleUpText(group));
        if (group.nicsPerNode > 0)
            line +=
                widgets::tr("; %1 × %2").arg(widgets::groupedNumber(group.nicsPerNode), widgets::linkText(group.nic));
        lines << line;
    }
    return lines.join(u'\n');
}

std::vector<SlideItem> riskItems(const SlideState& state)
{
    const estimate::Estimate& e = *state.priced();
    std::vector<SlideItem> items;
    for (const plan::Problem& problem : e.problems)
        items.push_back(problemItem(problem));
    items.push_back(memoryRisk(e));
    if (state.hasRun()) {
        items.push_back(failureRisk(state));
        items.push_back(delayRisk(state));
    } else {
        items.push_back({plan::Severity::Note, widgets::tr("Failures and delay"),
            widgets::tr("Not known without a budget: give the tokens of the run.")});
    }
    QStringList outside;
    for (const std::string& text : narration::describe(e.extrapolates))
        outside << widgets::text(text);
    if (!outside.isEmpty())
        items.push_back({plan::Severity::Warning, widgets::tr("Outside what was measured"), outside.join(u' ')});
    std::ranges::stable_sort(items, {}, [](const SlideItem& item) { return item.severity ? int(*item.severity) : 9; });
    return items;
}

namespace {

QString spokenItems(const std::vector<SlideItem>& items)
{
    QStringList texts;
    for (const SlideItem& item : items)
        texts << item.head + QStringLiteral(": ") + item.text;
    return texts.join(u' ');
}

QString spokenTime(const estimate::Estimate& e)
{
    QStringList texts;
    if (const auto view = widgets::breakdownView(e))
        for (const widgets::Segment& segment : view->stacks.front().segments)
            texts << segment.name + u' ' + widgets::text(Seconds(segment.value));
    return texts.join(QStringLiteral(", ")) + u'.';
}

QString spokenMemory(const estimate::Estimate& e)
{
    QStringList texts;
    for (std::size_t i = 0; i < e.memory.stages.size(); ++i)
        texts << widgets::tr("stage %1 %2").arg(i).arg(widgets::text(e.memory.stages[i].total()));
    return texts.join(QStringLiteral(", ")) + widgets::tr(" of %1.").arg(widgets::text(e.memory.capacity));
}

QString spokenAlternatives(const SlideState& state)
{
    QStringList texts{decisionSentence(state)};
    for (const Alternative& other : state.others)
        texts << other.name + u' ' + other.detail + u' '
                + (other.step ? widgets::text(*other.step) : widgets::tr("no estimate"));
    return texts.join(u' ');
}

QString spokenDecision(const SlideState& state)
{
    QStringList texts{decisionSentence(state)};
    for (const SlideFigure& figure : decisionFigures(state))
        texts << figure.title + QStringLiteral(": ") + figure.value + u' ' + figure.note + u'.';
    return texts.join(u' ');
}

} // namespace

QString spokenText(plan::SlideView view, const SlideState& state)
{
    const estimate::Estimate* const e = state.priced();
    if (!state.plan || (!e && !state.estimate))
        return widgets::tr("Estimating…");
    if (view == plan::SlideView::Cluster)
        return clusterSentence(state.plan->cluster);
    if (!e)
        return spokenItems(faultItems(state));
    switch (view) {
    case plan::SlideView::Decision:
        return spokenDecision(state);
    case plan::SlideView::Alternatives:
        return spokenAlternatives(state);
    case plan::SlideView::Memory:
        return spokenMemory(*e);
    case plan::SlideView::Risks:
        return spokenItems(riskItems(state));
    case plan::SlideView::Evidence:
        return spokenItems(evidenceItems(state));
    case plan::SlideView::Time:
    case plan::SlideView::Pipeline:
    case plan::SlideView::Overview:
    case plan::SlideView::Cluster:
        break;
    }
    return spokenTime(*e);
}

std::vector<SlideItem> faultItems(const SlideState& state)
{
    std::vector<SlideItem> items;
    for (const plan::Problem& problem : state.estimate->error())
        items.push_back(problemItem(problem));
    return items;
}

} // namespace stratoplan::gui
