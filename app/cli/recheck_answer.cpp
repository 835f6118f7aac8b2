// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/recheck_answer.h"

#include "app/cli/table.h"
#include "core/units/format.h"

#include <algorithm>

namespace stratoplan::cli {
namespace {

/// Of the best in closed form.
std::optional<Seconds> simulatedBest(const search::SearchResult& result, const search::Recheck& recheck)
{
    if (!result.best)
        return std::nullopt;
    const auto place = std::find(result.front.begin(), result.front.end(), *result.best);
    return place == result.front.end() ? std::nullopt : recheck.front[std::size_t(place - result.front.begin())];
}

} // namespace

bool isAnother(const search::SearchResult& result, const search::Recheck& recheck)
{
    if (!recheck.best || !result.best)
        return recheck.best.has_value();
    const search::FoundStrategy& found = recheck.best->found;
    return !(found.strategy == result.best->strategy && found.precision == result.best->precision);
}

std::vector<std::string> notes(
    const search::SearchResult& result, const search::SearchOptions& options, const search::Recheck& recheck)
{
    std::vector<std::string> notes;
    const auto best = simulatedBest(result, recheck);
    if (best && recheck.isDoubtful())
        notes.push_back("The closed form is short of what this runtime does: its best takes " + format(*best)
            + " simulated, " + formatShare(recheck.apart) + " more than " + format(result.best->step)
            + ". It does not see how transfers wait for one another, nor what starts late because of it. The proof is "
              "of the closed "
              "form alone; --simulate finds and proves the best simulated step.");
    if (best && options.objective == plan::Objective::Deadline && *best > options.longestStep)
        notes.push_back(
            "Simulated, the best in closed form misses the deadline of " + format(options.longestStep) + '.');
    if (!isAnother(result, recheck))
        return notes;
    const search::SimulatedStrategy& better = *recheck.best;
    if (better.ofPlan)
        notes.push_back("Simulated, the plan's own strategy is better than what the closed form finds"
            + (better.closedForm ? "."
                                 : "; its schedule " + std::string(key(better.found.strategy.schedule))
                        + " has no closed form. --simulate tries its like."));
    else
        notes.emplace_back("Simulated, another strategy is better than the best in closed form; that nothing else is "
                           "better still is not proven.");
    return notes;
}

} // namespace stratoplan::cli
