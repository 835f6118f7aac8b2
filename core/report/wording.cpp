// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording.h"

#include "core/plan/dimensions.h"
#include "core/units/format.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <algorithm>

namespace stratoplan::report {

std::string energyText(double kwh)
{
    constexpr double kMega = 1e3, kGiga = 1e6;
    const bool isGiga = kwh >= kGiga;
    return isGiga      ? formatNumber(kwh / kGiga) + " GWh"
        : kwh >= kMega ? formatNumber(kwh / kMega) + " MWh"
                       : formatNumber(kwh) + " kWh";
}

std::string massText(double kg)
{
    constexpr double kTonne = 1e3;
    if (kg < kTonne)
        return formatNumber(kg) + " kg";
    const double tonnes = roundedTo(kg / kTonne, 3);
    return (tonnes >= kTonne ? groupedDigits(static_cast<long long>(tonnes)) : formatNumber(tonnes)) + " t";
}

std::string moneyText(double amount, const std::string& currency)
{
    return formatNumber(amount) + ' ' + currency;
}

std::string daysText(double days)
{
    return days >= 1 ? formatNumber(days) + " days" : formatNumber(days * 24) + " hours";
}

std::string spreadText(const capacity::Spread& spread, const std::function<std::string(double)>& textOf)
{
    const std::string low = textOf(spread.low), high = textOf(spread.high);
    return low == high ? low : filled("{low} to {high}", {{"low", {low}}, {"high", {high}}});
}

std::string dateText(const Candidate& candidate, double days)
{
    const auto start = capacity::dayOf(candidate.inputs.start);
    return start ? capacity::dayText(capacity::doneOn(*start, days)) : std::string();
}

std::string oddsText(double chance)
{
    constexpr double kHardly = 0.001;
    return chance < kHardly ? "less than 0.1 %" : formatShare(chance);
}

std::string strategyText(const parallel::Strategy& strategy)
{
    using plan::Dimension;
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
    for (const Dimension id : {Dimension::Tp, Dimension::Pp, Dimension::Dp})
        add(phraseOf(id, strategy));
    for (const Dimension id : {Dimension::Cp, Dimension::Ep, Dimension::Etp, Dimension::Vpp})
        if (number(id, strategy) > 1)
            add(phraseOf(id, strategy));
    for (const Dimension id : {Dimension::MicroBatch, Dimension::ZeroStage, Dimension::Recompute, Dimension::Schedule})
        add(phraseOf(id, strategy));
    if (strategy.sequenceParallel)
        add(phraseOf(Dimension::SequenceParallel, strategy));
    for (const Dimension id : plan::dimensionsOfFiles())
        if (const std::string brief = briefOf(dimension(id), strategy); !brief.empty())
            add(brief);
    return text;
}

std::string modelText(const plan::Plan& plan)
{
    const model::ParameterCount count = parameters(plan.model);
    return filled("{model}, {parameters} parameters, {layers layer|layers}",
        {{"model", {plan.model.name}}, {"parameters", {formatCount(double(count.total))}},
            {"layers", numberWord(plan.model.layers)}});
}

std::string trainingText(const plan::Plan& plan)
{
    return filled("{batch sequence|sequences} of {length} tokens a step, {precision}, {software}",
        {{"batch", numberWord(plan.training.globalBatch)}, {"length", numberWord(plan.training.sequenceLength)},
            {"precision", {std::string(key(plan.training.precision))}}, {"software", {plan.training.software.name}}});
}

bool canRun(const Candidate& candidate)
{
    return candidate.estimate.fits
        && std::ranges::none_of(candidate.estimate.problems,
            [](const plan::Problem& problem) { return problem.severity == plan::Severity::Error; });
}

bool hasRun(const Candidate& candidate)
{
    return candidate.run.days.mid > 0 && std::isfinite(candidate.run.days.mid);
}

double shorterBy(const Candidate& other, const Candidate& plan)
{
    const double ofOther = other.estimate.step.value() / tokensPerStep(other.plan);
    return 1 - ofOther / (plan.estimate.step.value() / tokensPerStep(plan.plan));
}

} // namespace stratoplan::report
