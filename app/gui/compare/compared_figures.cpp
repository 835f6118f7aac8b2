// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/compared_figures.h"

#include "app/session/plan_fields.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QDate>
#include <QLocale>

#include <cmath>

namespace stratoplan::gui {

using capacity::Spread;

namespace {

constexpr double kSecondsOfDay = 86'400;

Spread certain(double value)
{
    return {value, value, value};
}

QDate dateOf(double daysSince1970)
{
    return QDate(1970, 1, 1).addDays(qint64(daysSince1970));
}

QString dateText(double day, bool isBrief)
{
    return QLocale(QLocale::English)
        .toString(dateOf(day), isBrief ? QStringLiteral("d MMM yy") : QStringLiteral("d MMM yyyy"));
}

QString durationText(double days)
{
    return widgets::text(Seconds(days * kSecondsOfDay));
}

/// The first day after the run, of each end of its days.
std::optional<Spread> doneOf(const ComparedPlan& plan)
{
    const auto start = capacity::dayOf(plan.inputs.start);
    if (!start)
        return std::nullopt;
    return mapped(plan.capacity->days,
        [&](double days) { return double(capacity::doneOn(*start, days).time_since_epoch().count()); });
}

std::optional<Spread> amountOfRun(Figure figure, const ComparedPlan& plan)
{
    const capacity::Capacity& run = *plan.capacity;
    switch (figure) {
    case Figure::Days:
        return run.days;
    case Figure::Done:
        return doneOf(plan);
    case Figure::Cost:
        return run.isPriced ? std::optional(run.cost) : std::nullopt;
    case Figure::Energy:
        return run.energyKwh.mid > 0 ? std::optional(run.energyKwh) : std::nullopt;
    case Figure::Accelerators:
        return certain(run.paid);
    default:
        return std::nullopt;
    }
}

bool isOfRun(Figure figure)
{
    return figure <= Figure::Accelerators;
}

bool isMoreBetter(Figure figure)
{
    return figure == Figure::Tokens || figure == Figure::Mfu;
}

/// As the figure is written, wherever it stands.
QString writtenAmount(Figure figure, double amount, const ComparedPlan& plan)
{
    switch (figure) {
    case Figure::Days:
        return durationText(amount);
    case Figure::Done:
        return dateText(amount, false);
    case Figure::Cost:
        return widgets::moneyText(amount, plan.inputs.currency);
    case Figure::Energy:
        return widgets::energyText(amount);
    case Figure::Accelerators:
        return widgets::tr("%1 / %2").arg(
            widgets::groupedNumber(plan.capacity->used), widgets::groupedNumber(plan.capacity->paid));
    case Figure::Step:
        return widgets::text(Seconds(amount));
    case Figure::Tokens:
        return widgets::countText(amount);
    case Figure::Mfu:
        return widgets::shareText(amount);
    case Figure::Memory:
        return widgets::text(Bytes(amount));
    }
    return {};
}

/// The size of a difference from `before`.
QString magnitudeText(Figure figure, double difference, double before, const ComparedPlan& plan)
{
    const double size = std::abs(difference);
    switch (figure) {
    case Figure::Done:
        return widgets::tr("%1 d").arg(widgets::groupedNumber(qint64(size)));
    case Figure::Accelerators:
        return widgets::tr("%1 paid").arg(widgets::groupedNumber(qint64(size)));
    case Figure::Tokens:
        return widgets::shareText(size / before);
    case Figure::Mfu:
        return widgets::pointsText(size);
    default:
        return writtenAmount(figure, size, plan);
    }
}

/// Those that are paid for as ever, and used otherwise, are neither better nor worse.
QString usedDelta(const ComparedPlan& plan, const ComparedPlan& baseline)
{
    const int difference = plan.capacity->used - baseline.capacity->used;
    return difference == 0
        ? widgets::tr("±0")
        : widgets::arrowedText(difference, widgets::tr("%1 used").arg(widgets::groupedNumber(std::abs(difference))));
}

void addDelta(FigureText& text, Figure figure, const ComparedPlan& plan, const ComparedPlan& baseline)
{
    const std::optional<Spread> now = amountOf(figure, plan);
    const std::optional<Spread> before = amountOf(figure, baseline);
    if (!now || !before || !std::isfinite(now->mid - before->mid))
        return;
    if (figure == Figure::Cost && plan.inputs.currency != baseline.inputs.currency) {
        text.delta = widgets::tr("other currency");
        return;
    }
    const double difference = now->mid - before->mid;
    const bool isWhole = figure == Figure::Done || figure == Figure::Accelerators;
    if (isWhole ? difference == 0 : widgets::sameInThreeFigures(now->mid, before->mid)) {
        text.delta = figure == Figure::Accelerators ? usedDelta(plan, baseline) : widgets::tr("±0");
        return;
    }
    text.delta = widgets::arrowedText(difference, magnitudeText(figure, difference, before->mid, plan));
    text.judgement = (difference > 0) == isMoreBetter(figure) ? 1 : -1;
}

QString whyNone(Figure figure, const ComparedPlan& plan)
{
    if (!plan.estimate)
        return widgets::tr("The plan is being estimated.");
    if (!estimateOf(plan))
        return widgets::tr("The plan cannot be estimated: see its problems when it is adopted.");
    if (!plan::hasBudget(plan.inputs))
        return widgets::tr("The plan has no token budget: give one under Run.");
    if (figure == Figure::Done)
        return widgets::tr("The run has no first day: give one under Run.");
    if (figure == Figure::Cost)
        return widgets::tr("No price is known for all that is paid for: give one under Run.");
    return widgets::tr("Failures come so fast that no checkpoint is reached.");
}

QString rangeOf(Figure figure, const Spread& amount, const ComparedPlan& plan)
{
    if (!(amount.high > amount.low) || !std::isfinite(amount.high))
        return {};
    if (figure == Figure::Done)
        return widgets::rangeText(dateText(amount.low, true), dateText(amount.high, true)).replace(u' ', QChar(0xa0));
    return widgets::rangeText(writtenAmount(figure, amount.low, plan), writtenAmount(figure, amount.high, plan));
}

} // namespace

QString shortName(const ComparedPlan& plan)
{
    return plan.name.section(u':', 0, 0).trimmed();
}

QString restOfName(const ComparedPlan& plan)
{
    const QString rest = plan.name.section(u':', 1).trimmed();
    return rest.isEmpty() ? session::strategyTitle(plan.plan->strategy) : rest;
}

const estimate::Estimate* estimateOf(const ComparedPlan& plan)
{
    return plan.estimate && *plan.estimate ? &**plan.estimate : nullptr;
}

QString figureName(Figure figure)
{
    switch (figure) {
    case Figure::Days:
        return widgets::tr("Duration");
    case Figure::Done:
        return widgets::tr("Done on");
    case Figure::Cost:
        return widgets::tr("Cost");
    case Figure::Energy:
        return widgets::tr("Energy");
    case Figure::Accelerators:
        return widgets::tr("Used / paid");
    case Figure::Step:
        return widgets::tr("Step time");
    case Figure::Tokens:
        return widgets::tr("Tokens/s");
    case Figure::Mfu:
        return widgets::tr("MFU");
    case Figure::Memory:
        return widgets::tr("Peak memory");
    }
    return {};
}

QString figureExplanation(Figure figure)
{
    switch (figure) {
    case Figure::Days:
        return widgets::tr(
            "Wall time of the whole run, with failures, checkpoints and stalls; below it the tenth to the "
            "ninetieth percentile.");
    case Figure::Done:
        return widgets::tr("Day on which the run is done, if it begins on its first day.");
    case Figure::Cost:
        return widgets::tr("Of all accelerators that are paid for, at the prices of each plan.");
    case Figure::Energy:
        return widgets::tr("Of whole nodes and of the building around them.");
    case Figure::Accelerators:
        return widgets::tr("Accelerators that the strategy uses, and those that are paid for.");
    case Figure::Step:
        return widgets::tr("Time of one optimizer step.");
    case Figure::Tokens:
        return widgets::tr("Tokens a second, while nothing fails.");
    case Figure::Mfu:
        return widgets::tr("Model FLOPs utilisation.");
    case Figure::Memory:
        return widgets::tr("Of the stage that fills most of its accelerators' memory.");
    }
    return {};
}

std::optional<Spread> amountOf(Figure figure, const ComparedPlan& plan)
{
    const estimate::Estimate* e = estimateOf(plan);
    if (!e)
        return std::nullopt;
    if (isOfRun(figure)) {
        const bool hasRun = plan.capacity && plan.capacity->days.mid > 0 && std::isfinite(plan.capacity->days.mid);
        return hasRun ? amountOfRun(figure, plan) : std::nullopt;
    }
    const double step = e->step.value(), low = e->stepLow.value(), high = e->stepHigh.value();
    const bool hasRange = low > 0 && high > low;
    switch (figure) {
    case Figure::Step:
        return hasRange ? Spread{low, step, high} : certain(step);
    case Figure::Tokens: {
        const double perStep = e->tokensPerSecond * step;
        return hasRange ? Spread{perStep / high, e->tokensPerSecond, perStep / low} : certain(e->tokensPerSecond);
    }
    case Figure::Mfu:
        return hasRange ? Spread{e->mfu * step / high, e->mfu, e->mfu * step / low} : certain(e->mfu);
    default: {
        const estimate::Memory& m = e->memory;
        const bool known = m.peakLow.value() > 0 && m.peakHigh > m.peakLow;
        return known ? Spread{m.peakLow.value(), m.peak.value(), m.peakHigh.value()} : certain(m.peak.value());
    }
    }
}

FigureText figureText(Figure figure, const ComparedPlan& plan, const ComparedPlan* baseline)
{
    FigureText text;
    const std::optional<Spread> amount = amountOf(figure, plan);
    if (!amount) {
        text.value = !plan.estimate ? QStringLiteral("…") : QStringLiteral("–");
        text.reason = whyNone(figure, plan);
        return text;
    }
    text.value = writtenAmount(figure, amount->mid, plan);
    text.range = rangeOf(figure, *amount, plan);
    if (figure == Figure::Memory && !estimateOf(plan)->fits) {
        text.alarm = true;
        text.range = widgets::tr("too much");
    }
    if (baseline)
        addDelta(text, figure, plan, *baseline);
    return text;
}

} // namespace stratoplan::gui
