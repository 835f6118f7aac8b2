// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/sizing_texts.h"

#include "core/catalog/run_defaults.h"
#include "core/narration/problems.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/table.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

using session::SizedKind;
using widgets::tr;

constexpr double kSecondsADay = 86'400;

/// "60 days"
QString askedText(double days)
{
    return days == 1 ? tr("1 day") : tr("%1 days").arg(widgets::cell(days));
}

/// "$4.21 M ($3.90 M–$4.60 M)"
QString withSpread(const QString& middle, const QString& spread)
{
    return spread.isEmpty() ? middle : tr("%1 (%2)").arg(middle, spread);
}

QString costText(const capacity::Capacity& run, const std::string& currency)
{
    const auto money = [&](double amount) { return widgets::moneyText(amount, currency); };
    return withSpread(money(run.cost.mid), widgets::rangeText(money(run.cost.low), money(run.cost.high)));
}

/// Of those that are done in time: "64 accelerators of DGX B200".
QString fewestText(const session::SizingPicture& picture)
{
    std::size_t fewest = picture.kinds.size();
    for (std::size_t i = 0; i < picture.kinds.size(); ++i) {
        const auto& answer = picture.kinds[i].answer;
        if (answer && answer->isMet
            && (fewest == picture.kinds.size() || answer->capacity.used < picture.kinds[fewest].answer->capacity.used))
            fewest = i;
    }
    if (fewest == picture.kinds.size())
        return tr("None of them is done in %1").arg(askedText(picture.request->question.days));
    return tr("Done in %1: at the fewest %2 (%3)")
        .arg(askedText(picture.request->question.days),
            widgets::acceleratorsText(picture.kinds[fewest].answer->capacity.used),
            widgets::text(picture.request->kinds[fewest].name));
}

} // namespace

UsualPrice usualPrice(const plan::Project& project, const catalog::Catalog& catalog, const std::string& nodes)
{
    const auto kind = session::sizingKind(project, catalog, {nodes, 0});
    if (!kind)
        return {tr("no price"), {}};
    const cluster::NodeGroup& group = kind->each.plan.cluster.nodes.front();
    const auto priceOfNodes = kind->inputs.prices.find(group.id);
    const double stated =
        priceOfNodes != kind->inputs.prices.end() ? priceOfNodes->second : kind->inputs.pricePerAcceleratorHour;
    if (stated > 0 || priceOfNodes != kind->inputs.prices.end())
        return {tr("%1, of the plan").arg(widgets::cell(stated)),
            tr("The price that the plan states for these accelerators.")};
    const catalog::ListPrice* const listed = catalog::shippedRunDefaults().price(group.accelerator.id);
    if (!listed)
        return {tr("no price"), tr("The catalogue knows no list price of these accelerators.")};
    const QString source = tr("%1 (%2).").arg(widgets::text(listed->source), widgets::text(listed->date));
    if (listed->currency != kind->inputs.currency)
        return {tr("no price"), tr("The list price is in %1: %2").arg(widgets::text(listed->currency), source)};
    return {tr("%1, list price").arg(widgets::cell(listed->perHour)), tr("List price: %1").arg(source)};
}

QString daysText(double days)
{
    return widgets::text(Seconds(days * kSecondsADay));
}

QString doneText(const plan::CapacityInputs& inputs, double days)
{
    const auto start = capacity::dayOf(inputs.start);
    return start && std::isfinite(days) ? widgets::text(capacity::dayText(capacity::doneOn(*start, days))) : QString();
}

QString planRunText(const plan::Plan& plan, const estimate::Estimate* estimate, const plan::CapacityInputs& inputs)
{
    if (!plan::hasBudget(inputs))
        return tr("Without a token budget nobody knows how long the plan takes.");
    if (!estimate)
        return tr("The plan as it is has no estimate.");
    const capacity::Capacity run = capacity::capacity(plan, *estimate, inputs);
    QString text = estimate->fits ? tr("The plan as it is: %1") : tr("The plan as it is, which does not fit: %1");
    text = text.arg(
        withSpread(daysText(run.days.mid), widgets::rangeText(daysText(run.days.low), daysText(run.days.high))));
    if (const QString done = doneText(inputs, run.days.mid); !done.isEmpty())
        text += tr(", done on %1").arg(done);
    text += run.isPriced ? tr(", %1").arg(costText(run, inputs.currency)) : tr(", no price");
    return tr("%1, with %2.").arg(text, widgets::acceleratorsText(run.used));
}

PaidTokens paidTokens(
    double money, const plan::Plan& plan, const estimate::Estimate* estimate, const plan::CapacityInputs& inputs)
{
    if (!(money > 0))
        return {};
    if (!estimate)
        return {tr("The plan as it is has no estimate."), 0};
    const double tokens = sizing::tokensFor(money, plan, *estimate, inputs);
    if (std::isinf(tokens))
        return {tr("The plan's accelerators cost nothing: there is no limit to the tokens."), 0};
    plan::CapacityInputs paid = inputs;
    paid.steps = paid.computeFlops = 0;
    paid.tokens = tokens > 0 ? tokens : plan::tokensPerStep(plan);
    const capacity::Capacity run = capacity::capacity(plan, *estimate, paid);
    if (!run.isPriced)
        return {tr("No price of the plan's accelerators is known: state one in the plan."), 0};
    const QString amount = widgets::moneyText(money, inputs.currency);
    if (!(tokens > 0))
        return {tr("%1 does not pay for one step of the plan as it is.").arg(amount), 0};
    QString text = tr("On the plan as it is %1 pays for %2 tokens in %3")
                       .arg(amount, widgets::countText(tokens),
                           withSpread(daysText(run.days.mid),
                               widgets::rangeText(daysText(run.days.low), daysText(run.days.high))));
    if (const QString done = doneText(paid, run.days.mid); !done.isEmpty())
        text += tr(", done on %1").arg(done);
    return {text + u'.', tokens};
}

QString sizingStatus(const session::SizingPicture& picture)
{
    using State = SizedKind::State;
    const auto ended = std::ranges::count(picture.kinds, State::Ended, &SizedKind::state);
    if (picture.hasEnded && picture.isStopped)
        return tr("Stopped: %1 of %2 kinds of nodes looked at").arg(ended).arg(picture.kinds.size());
    if (picture.hasEnded)
        return fewestText(picture);
    const auto now = std::ranges::find(picture.kinds, State::Searching, &SizedKind::state);
    if (now == picture.kinds.end())
        return tr("Beginning");
    const QString name = widgets::text(picture.request->kinds[std::size_t(now - picture.kinds.begin())].name);
    return tr("%1 of %2 kinds looked at, now up to %3 of %4")
        .arg(ended)
        .arg(picture.kinds.size())
        .arg(now->nodes == 1 ? tr("1 node") : tr("%1 nodes").arg(widgets::groupedNumber(now->nodes)), name);
}

QString whyNoAnswer(const SizedKind& kind)
{
    if (!kind.faults.empty())
        return widgets::text(narration::describe(kind.faults.front()));
    switch (kind.state) {
    case SizedKind::State::Waiting:
        return tr("waits for its turn");
    case SizedKind::State::Searching:
        return tr("nothing fits so far");
    case SizedKind::State::Stopped:
        return tr("stopped; nothing found yet");
    case SizedKind::State::Skipped:
        return tr("not looked at");
    case SizedKind::State::Ended:
        return tr("no strategy fits");
    }
    return {};
}

} // namespace stratoplan::gui
