// SPDX-License-Identifier: Apache-2.0
#include "core/narration/searches.h"

#include "core/narration/frameworks.h"
#include "core/narration/problems.h"
#include "core/narration/spaces.h"
#include "core/units/format.h"
#include "core/units/named.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <array>
#include <cmath>

namespace stratoplan::narration {
namespace {

constexpr NameTable<plan::Objective, 6> kObjectives{{
    {plan::Objective::Throughput, "the shortest step"},
    {plan::Objective::TokensPerCost, "the most tokens for the money"},
    {plan::Objective::TokensPerEnergy, "the most tokens for the energy"},
    {plan::Objective::Deadline, "the fewest accelerators that meet the deadline"},
    {plan::Objective::SmallestCluster, "the fewest accelerators that hold the model"},
    {plan::Objective::Robust, "the shortest step at the pessimistic end of its range"},
}};

constexpr NameTable<search::FrontMeasure, 4> kMeasures{{
    {search::FrontMeasure::Step, "throughput"},
    {search::FrontMeasure::Peak, "peak memory"},
    {search::FrontMeasure::Accelerators, "accelerators in use"},
    {search::FrontMeasure::AcceleratorTime, "tokens per accelerator-hour"},
}};

constexpr NameTable<search::Resource, 4> kResources{{
    {search::Resource::Memory, "memory"},
    {search::Resource::NetworkBandwidth, "network bandwidth"},
    {search::Resource::ScaleUpBandwidth, "scale-up bandwidth"},
    {search::Resource::Nodes, "nodes"},
}};

constexpr NameTable<search::PruneRule, search::kPruneRules> kPruned{{
    {search::PruneRule::OutOfMemory, "need more memory than there is"},
    {search::PruneRule::DivisionBound, "compute too long, even without communication and bubbles"},
    {search::PruneRule::MicroBatchBound, "compute and communicate within their layers too long, even without bubbles"},
    {search::PruneRule::PipelineBound, "have too long a pipeline, even without gradient synchronisation"},
    {search::PruneRule::SameClosedForm, "take as long as another schedule that needs less memory"},
    {search::PruneRule::SamePlacement, "place all groups of ranks as another rank order does"},
    {search::PruneRule::MoreRecomputation, "recompute more layers than one that takes too long"},
    {search::PruneRule::ClosedFormBound, "cannot be fast enough however their pipeline runs"},
    {search::PruneRule::Objective, "miss the deadline or use more accelerators than needed"},
}};

constexpr NameTable<Asked, 3> kAsked{
    {{Asked::PlansOwn, "The plan's own strategy"}, {Asked::Other, "The strategy asked about"}, {Asked::It, "It"}}};

/// By how much something is better, after a share.
std::string_view better(plan::Objective objective)
{
    switch (objective) {
    case plan::Objective::TokensPerCost:
        return "cheaper";
    case plan::Objective::TokensPerEnergy:
        return "lower in energy";
    default:
        return "faster";
    }
}

std::string signedShare(double share)
{
    return std::isfinite(share) ? (share < 0 ? "−" : "+") + fixedDecimals(std::abs(share) * 100, 1) + " %" : "–";
}

/// Of a strategy that is told of: what its sentence says.
class WhyWords {
public:
    WhyWords(
        const search::Why& why, const search::SearchOptions& options, const std::optional<search::FoundStrategy>& best)
        : m_why(why)
        , m_options(options)
        , m_best(best)
    {
    }

    [[nodiscard]] std::string_view pattern() const
    {
        switch (m_why.binding) {
        case search::Binding::Nothing:
            return m_best ? "{who} takes {steps}: nothing in the space is better." : "{who} takes {steps}.";
        case search::Binding::Illegal:
            return "{who} cannot be run: {problem}";
        case search::Binding::Framework:
            return "{who} is not one that {framework} runs.{objections}";
        case search::Binding::OutOfMemory:
            return m_options.headroom > 0
                ? "{who} needs {over} more than is left with {headroom} free, on stage {stage}."
                : "{who} needs {over} more than there is, on stage {stage}.";
        case search::Binding::MissesDeadline:
            return "{who} takes {steps}, longer than the deadline of {deadline}.";
        case search::Binding::MoreAccelerators:
            return "{who} uses {used accelerator|accelerators}, where {enough is|are} enough.";
        case search::Binding::Slower:
            return "{who} takes {steps}: {slower}; its bubble is {bubble} of it.{beside}";
        case search::Binding::Outside:
            return m_best ? "{who} takes {steps}, no worse than the best ({slower}). The search does not try it: "
                            "outside the space is {outside}."
                          : "{who} takes {steps}. The search does not try it: outside the space is {outside}.";
        }
        return {};
    }

    [[nodiscard]] Word word(std::string_view name) const
    {
        if (name == "steps")
            return {steps()};
        if (name == "slower")
            return {slower()};
        if (name == "beside")
            return {m_why.outside
                    ? " The search does not try it: outside the space is " + describe(*m_why.outside) + '.'
                    : std::string()};
        if (name == "problem")
            return {m_why.problems.empty() ? std::string("it breaks a rule.") : describe(m_why.problems.front())};
        if (name == "framework")
            return {std::string(catalog::title(m_why.objections.front().framework))};
        if (name == "objections")
            return {objections()};
        if (name == "over")
            return {format(m_why.over)};
        if (name == "headroom")
            return {formatShare(m_options.headroom)};
        if (name == "stage")
            return {std::to_string(m_why.stage)};
        if (name == "deadline")
            return {format(m_options.longestStep)};
        if (name == "used")
            return numberWord(m_why.accelerators);
        if (name == "enough")
            return numberWord(rankCount(m_best->strategy));
        return {name == "bubble" ? formatShare(m_why.bubble) : describe(*m_why.outside)};
    }

private:
    /// The step in the mode of the search, and the simulated one where that is another.
    [[nodiscard]] std::string steps() const
    {
        const bool both = m_options.mode != plan::SearchMode::Simulated && m_why.step != m_why.simulated;
        const std::string_view text = both                  ? "{step} in closed form and {simulated} simulated"
            : m_options.mode == plan::SearchMode::Simulated ? "{simulated}"
                                                            : "{simulated} simulated";
        return filled(text, {{"step", {format(m_why.step)}}, {"simulated", {format(m_why.simulated)}}});
    }

    [[nodiscard]] std::string slower() const
    {
        const bool both = m_options.mode == plan::SearchMode::ClosedForm && m_why.step != m_why.simulated;
        return filled(both ? "{measure} {worse} against the best, simulated step {simulated}"
                           : "{measure} {worse} against the best",
            {{"measure", {std::string(measuredBy(m_options.objective))}}, {"worse", {signedShare(m_why.worse)}},
                {"simulated", {signedShare(m_why.simulatedSlower)}}});
    }

    [[nodiscard]] std::string objections() const
    {
        std::string lines;
        for (const catalog::FrameworkObjection& objection : m_why.objections)
            lines += "\n  " + describe(objection);
        return lines;
    }

    const search::Why& m_why;
    const search::SearchOptions& m_options;
    const std::optional<search::FoundStrategy>& m_best;
};

std::string_view outcomePattern(const search::SearchResult& result, const search::SearchOptions& options)
{
    if (result.space == 0)
        return result.proven ? "no strategy is left to try" : "stopped while the space was laid out";
    if (result.proven && result.best)
        return "proven: nothing among {space strategy|strategies} beats {step}";
    if (result.proven)
        return options.objective == plan::Objective::Deadline
            ? "proven: none of {space strategy|strategies} fits and takes no longer than {deadline}"
            : "proven: none of {space strategy|strategies} fits";
    return result.best
        ? "stopped with {decided} of {space strategy|strategies} decided: {step} is the best found, what "
          "was not reached may be up to {gap} {better}"
        : "stopped with {decided} of {space strategy|strategies} decided, before any was found that fits";
}

} // namespace

std::string_view describe(plan::Objective objective)
{
    return nameIn(kObjectives, objective);
}

std::string_view measuredBy(plan::Objective objective)
{
    switch (objective) {
    case plan::Objective::TokensPerCost:
        return "accelerator-hours";
    case plan::Objective::TokensPerEnergy:
        return "energy";
    case plan::Objective::Robust:
        return "step at the pessimistic end of its range";
    default:
        return "step";
    }
}

std::string_view describe(search::FrontMeasure measure)
{
    return nameIn(kMeasures, measure);
}

std::string_view describe(search::Resource resource)
{
    return nameIn(kResources, resource);
}

std::string_view describe(search::PruneRule rule)
{
    return nameIn(kPruned, rule);
}

std::string_view priced(plan::SearchMode mode)
{
    return mode == plan::SearchMode::Simulated ? "simulated" : "priced whole";
}

std::string outcome(const search::SearchResult& result, const search::SearchOptions& options)
{
    const double decided = result.space > 0 ? double(result.space - result.unvisited) / double(result.space) : 0;
    return filled(outcomePattern(result, options),
        {{"space", numberWord(double(result.space))}, {"decided", {formatShare(decided)}},
            {"step", {result.best ? format(result.best->step) : std::string()}}, {"gap", {formatShare(result.gap)}},
            {"better", {std::string(better(options.objective))}}, {"deadline", {format(options.longestStep)}}});
}

std::string describe(const search::Why& why, Asked asked, const search::SearchOptions& options,
    const std::optional<search::FoundStrategy>& best)
{
    const WhyWords words(why, options, best);
    return filled(words.pattern(), [&](std::string_view name) {
        return name == "who" ? Word{std::string(nameIn(kAsked, asked))} : words.word(name);
    });
}

std::string away(const search::NearStrategy& nearest)
{
    const std::size_t changes = nearest.changes.size();
    return changes == 1 ? "one change away" : filled("{count} changes away", {{"count", numberWord(double(changes))}});
}

std::string describe(const search::MarginalValue& value)
{
    return filled(value.factor >= 2 ? "{times} times the {resource}" : "{share} more {resource}",
        {{"times", {fixedDecimals(value.factor, 0)}}, {"share", {formatShare(value.factor - 1)}},
            {"resource", {std::string(describe(value.resource))}}});
}

std::string describe(const search::Rescored& rescored)
{
    switch (rescored.standing) {
    case search::Standing::Fits:
        return format(rescored.found.step);
    case search::Standing::OutOfMemory:
        return "does not fit";
    case search::Standing::MissesDeadline:
        return filled("{step}, too long", {{"step", {format(rescored.found.step)}}});
    case search::Standing::NoClosedForm:
        return "no closed form";
    case search::Standing::Illegal:
        return "cannot be run";
    case search::Standing::NotPriced:
        break;
    }
    return "–";
}

} // namespace stratoplan::narration
