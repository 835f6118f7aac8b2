// SPDX-License-Identifier: Apache-2.0
// The first page: what to do, in which figures, and why.
#include "core/estimate/step_terms.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/narration/searches.h"
#include "core/report/figures.h"
#include "core/report/sections.h"
#include "core/report/wording.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <algorithm>

namespace stratoplan::report {
namespace {

bool isRisky(const Candidate& candidate)
{
    return chanceOfNoRoom(candidate.estimate.memory) > kRiskyChance;
}

/// The found one that is worth having instead, if there is one: sure to fit, and faster, or no slower to speak of than
/// a plan that is not.
const Candidate* better(const Facts& facts)
{
    const auto runs = std::ranges::find_if(
        facts.found, [](const Candidate& candidate) { return canRun(candidate) && !isRisky(candidate); });
    if (runs == facts.found.end())
        return nullptr;
    const double needed = isRisky(facts.chosen) ? -kWorthSwitching : kWorthSwitching;
    return !canRun(facts.chosen) || shorterBy(*runs, facts.chosen) > needed ? &*runs : nullptr;
}

std::string whyNot(const Candidate& plan)
{
    for (const plan::Problem& problem : plan.estimate.problems)
        if (problem.severity == plan::Severity::Error)
            return narration::describe(problem);
    return filled("It needs {peak} of the {capacity} that an accelerator has.",
        {{"peak", {format(plan.estimate.memory.peak)}}, {"capacity", {format(plan.estimate.memory.capacity)}}});
}

/// "Alternative A (TP 8 · …) takes 16.2 s a step, 8.50 % less."
std::string besides(const Candidate& other, const Candidate& plan)
{
    const double shorter = shorterBy(other, plan);
    return filled(shorter > 0 ? "Alternative {name} ({strategy}) takes {step} a step, {share} less."
                              : "Alternative {name} ({strategy}) takes {step} a step, {share} more.",
        {{"name", {other.name}}, {"strategy", {strategyText(other.plan.strategy)}},
            {"step", {format(other.estimate.step)}}, {"share", {formatShare(std::abs(shorter))}}});
}

/// Of a plan whose memory is not sure to suffice, and has nothing better beside it.
Verdict riskyVerdict(const Facts& facts, const std::string& works)
{
    const auto safe = std::ranges::find_if(
        facts.found, [](const Candidate& candidate) { return canRun(candidate) && !isRisky(candidate); });
    const std::string text = works + ' '
        + filled(
            "With a chance of {chance} it does not fit after all: run a few steps with its memory on record first.",
            {{"chance", {formatShare(chanceOfNoRoom(facts.chosen.estimate.memory))}}});
    return {"Measure the memory of this plan before the run",
        safe == facts.found.end() ? text : text + ' ' + besides(*safe, facts.chosen), Tone::Warning};
}

Verdict verdictOf(const Facts& facts)
{
    const Candidate& plan = facts.chosen;
    const Candidate* const other = better(facts);
    if (!canRun(plan))
        return {"Do not run this plan as it stands",
            whyNot(plan)
                + (other ? ' '
                            + filled("Alternative {name} ({strategy}) fits, at {step} a step.",
                                {{"name", {other->name}}, {"strategy", {strategyText(other->plan.strategy)}},
                                    {"step", {format(other->estimate.step)}}})
                         : std::string()),
            Tone::Bad};
    const std::string works = filled("The plan fits and takes {step} a step at {mfu} of the peak (MFU).",
        {{"step", {format(plan.estimate.step)}}, {"mfu", {formatShare(plan.estimate.mfu)}}});
    if (other)
        return {filled("Change the strategy to alternative {name} before the run", {{"name", {other->name}}}),
            works + ' ' + besides(*other, plan), Tone::Warning};
    if (isRisky(plan))
        return riskyVerdict(facts, works);
    return {"Run this plan",
        works + ' '
            + filled("No strategy that was found and is sure to fit is more than {share} faster.",
                {{"share", {formatShare(kWorthSwitching)}}}),
        Tone::Good};
}

std::string between(const std::string& low, const std::string& high)
{
    return filled("{low} to {high}", {{"low", {low}}, {"high", {high}}});
}

Tile memoryTile(const estimate::Memory& memory)
{
    const double chance = chanceOfNoRoom(memory);
    return {"Peak memory", format(memory.peak),
        filled("of {capacity}; chance of not fitting {chance}",
            {{"capacity", {format(memory.capacity)}}, {"chance", {oddsText(chance)}}}),
        chance > 0.5                ? Tone::Bad
            : chance > kRiskyChance ? Tone::Warning
                                    : Tone::Good,
        memory.peak.value()};
}

Tile stepTile(const estimate::Estimate& e)
{
    return {"Step time", format(e.step), between(format(e.stepLow), format(e.stepHigh)), Tone::Plain, e.step.value()};
}

Tile acceleratorsTile(const Candidate& plan)
{
    const int all = acceleratorCount(plan.plan.cluster);
    const int used = std::min(rankCount(plan.plan.strategy), all);
    return {"Accelerators in use", numberWord(used).text,
        used == all ? "all of the cluster"
                    : filled("of {all}, {idle} idle", {{"all", numberWord(all)}, {"idle", numberWord(all - used)}}),
        Tone::Plain, double(used)};
}

/// Of a run whose length is known.
std::vector<Tile> runTiles(const Candidate& plan)
{
    const capacity::Capacity& run = plan.run;
    const auto note = [](const capacity::Spread& spread, const std::function<std::string(double)>& textOf) {
        return spreadText(spread, textOf);
    };
    std::vector<Tile> tiles{{"Duration", daysText(run.days.mid),
        between(formatNumber(run.days.low), daysText(run.days.high)), Tone::Plain, run.days.mid}};
    if (plan.inputs.start.empty())
        tiles.push_back({"Delivery", "not known", "the plan states no day of start", Tone::Plain});
    else
        tiles.push_back({"Delivery", dateText(plan, run.days.mid),
            note(run.days, [&](double days) { return dateText(plan, days); }), Tone::Plain});
    const auto money = [&](double amount) { return moneyText(amount, plan.inputs.currency); };
    if (run.isPriced)
        tiles.push_back({"Cost", money(run.cost.mid), note(run.cost, money), Tone::Plain, run.cost.mid});
    else
        tiles.push_back({"Cost", "not known", "no price is stated or listed", Tone::Warning});
    tiles.push_back(
        {"Energy", energyText(run.energyKwh.mid), note(run.energyKwh, energyText), Tone::Plain, run.energyKwh.mid});
    tiles.push_back({"CO2", massText(run.co2Kg.mid), note(run.co2Kg, massText), Tone::Plain, run.co2Kg.mid});
    return tiles;
}

std::vector<Tile> rateTiles(const estimate::Estimate& e)
{
    return {{"Throughput", formatNumber(e.tokensPerSecond) + " tokens/s", "of all accelerators", Tone::Plain,
                e.tokensPerSecond},
        {"Per accelerator", format(e.perAccelerator), "model FLOPs as MFU counts them", Tone::Plain,
            e.perAccelerator.value()},
        {"MFU", formatShare(e.mfu), filled("HFU {hfu}", {{"hfu", {formatShare(e.hfu)}}}), Tone::Plain, e.mfu},
        {"Duration", "not known", "the plan states no budget", Tone::Warning},
        {"Cost, energy, CO2", "not known", "they follow from the duration", Tone::Warning}};
}

Tiles tilesOf(const Candidate& plan)
{
    Tiles result{{stepTile(plan.estimate)}};
    const std::vector<Tile> more = hasRun(plan) ? runTiles(plan) : rateTiles(plan.estimate);
    result.tiles.insert(result.tiles.end(), more.begin(), more.end());
    result.tiles.push_back(acceleratorsTile(plan));
    result.tiles.push_back(memoryTile(plan.estimate.memory));
    return result;
}

/// Below each number that of the plan that would be better.
void addOther(Tiles& tiles, const Candidate& other)
{
    const Tiles others = tilesOf(other);
    for (std::size_t i = 0; i < std::min(tiles.tiles.size(), others.tiles.size()); ++i) {
        Tile& tile = tiles.tiles[i];
        const Tile& otherTile = others.tiles[i];
        if (otherTile.label != tile.label || !tile.amount || !otherTile.amount || *tile.amount == 0)
            continue;
        tile.other = filled("{name}: {value} ({difference})",
            {{"name", {other.name}}, {"value", {otherTile.value}},
                {"difference", {deltaCell(*otherTile.amount / *tile.amount - 1).text}}});
    }
}

/// The three largest parts of a step.
std::string whereItGoes(const estimate::Estimate& e)
{
    auto terms = estimate::stepTerms(e.breakdown);
    std::ranges::stable_sort(terms, [](const auto& a, const auto& b) { return a.second > b.second; });
    const auto part = [&](std::size_t i) {
        return filled("{name} {share}",
            {{"name", {std::string(narration::describe(terms[i].first))}},
                {"share", {formatShare(terms[i].second / e.step)}}});
    };
    return filled("Where a step goes: {first}, {second}, {third}.",
        {{"first", {part(0)}}, {"second", {part(1)}}, {"third", {part(2)}}});
}

std::string searchedSentence(const Facts& facts)
{
    const search::SearchResult& result = facts.search;
    if (result.space == 0)
        return "The search space holds no strategy for this plan: there is no alternative to set beside it.";
    return asSentence(filled(
        "{outcome} (the {space} space).", {{"space", {facts.space}}, {"outcome", {narration::outcome(result, {})}}}));
}

std::string runSentence(const Candidate& plan)
{
    if (!hasRun(plan))
        return "The plan states no budget (tokens, steps or FLOPs): days, delivery, cost, energy and CO2 are left out.";
    if (plan.run.goodput.isStated)
        return filled("Goodput is {share}, as the plan states it.", {{"share", {formatShare(plan.run.goodput.share)}}});
    return filled("Goodput is {share}: {failures failure|failures} are to be expected, one every {mtbf}.",
        {{"share", {formatShare(plan.run.goodput.share)}},
            {"failures", numberWord(std::round(plan.run.goodput.failures))},
            {"mtbf", {format(Seconds(plan.run.goodput.interruptions.mtbf))}}});
}

} // namespace

Section decisionSection(const Facts& facts)
{
    const Candidate& plan = facts.chosen;
    Section section{"decision", "Recommendation", {}, false};
    section.blocks.emplace_back(verdictOf(facts));
    Tiles tiles = tilesOf(plan);
    if (const Candidate* const other = better(facts))
        addOther(tiles, *other);
    section.blocks.emplace_back(std::move(tiles));
    Bullets why;
    why.items.push_back(whereItGoes(plan.estimate));
    why.items.push_back(searchedSentence(facts));
    why.items.push_back(runSentence(plan));
    if (const std::string evidence = evidenceSentence(facts.validation); !evidence.empty())
        why.items.push_back(evidence);
    section.blocks.emplace_back(std::move(why));
    section.blocks.emplace_back(Figure{clusterPicture(plan.plan),
        filled(
            "How the strategy lies on the cluster: {strategy}. Ranges above run from the 10th to the 90th percentile.",
            {{"strategy", {strategyText(plan.plan.strategy)}}}),
        {}});
    return section;
}

} // namespace stratoplan::report
