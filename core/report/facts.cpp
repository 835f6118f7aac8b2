// SPDX-License-Identifier: Apache-2.0
#include "core/report/facts.h"

#include "core/capacity/spread.h"
#include "core/plan/dimensions.h"
#include "core/search/found_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::report {
namespace {

constexpr std::size_t kMostFound = 2, kMostPinned = 3; ///< alternatives that are told
constexpr double kDrawnSlices = 2e5; ///< of a step that is drawn
constexpr double kLeaner = 0.9; ///< a second strategy needs at the most so much of the peak of the first

std::optional<Candidate> candidate(std::string name, std::string kind, const plan::Plan& plan,
    const plan::CapacityInputs& inputs, const std::stop_token& stop)
{
    auto estimate = estimate::estimate(plan, {.remedies = false, .waits = false, .stop = stop});
    if (!estimate)
        return std::nullopt;
    Candidate result{std::move(name), std::move(kind), plan, std::move(*estimate), inputs, {}};
    result.run = capacity::capacity(plan, result.estimate, inputs);
    return result;
}

bool isSamePlan(const plan::Plan& a, const plan::Plan& b)
{
    return plan::canonical(a.strategy, a.model) == plan::canonical(b.strategy, b.model) && a.training == b.training
        && a.cluster == b.cluster && a.model == b.model;
}

/// The front by rising step, without the plan's own strategy.
std::vector<search::FoundStrategy> othersOf(const search::SearchResult& result, const plan::Plan& plan)
{
    std::vector<search::FoundStrategy> front = result.front;
    std::ranges::stable_sort(front, {}, &search::FoundStrategy::step);
    std::erase_if(front, [&](const search::FoundStrategy& found) { return isSamePlan(planWith(plan, found), plan); });
    return front;
}

constexpr const char* kFastest = "the shortest step found";
constexpr const char* kSafe = "the shortest step of those that fit with a probability of 90 %";
constexpr const char* kLean = "less memory, the shortest step of those";
constexpr const char* kNext = "the next best found";

/// The first that fits with a probability of 90 %: the range of its peak is known once it is estimated.
std::optional<Candidate> safest(
    const Facts& facts, const std::vector<search::FoundStrategy>& front, const std::stop_token& stop)
{
    constexpr double kHardlyLess = 0.99;
    Bytes rejected(std::numeric_limits<double>::infinity());
    for (const search::FoundStrategy& found : front) {
        if (stop.stop_requested())
            break;
        if (found.peak >= rejected)
            continue; // what needs as much is as unsure
        auto next = candidate("A", kSafe, planWith(facts.chosen.plan, found), facts.chosen.inputs, stop);
        if (next && chanceOfNoRoom(next->estimate.memory) <= kRiskyChance)
            return next;
        rejected = found.peak * kHardlyLess;
    }
    return std::nullopt;
}

/// The best of another pipeline depth than any of these.
std::optional<search::FoundStrategy> ofOtherDepth(const plan::Plan& plan, plan::SearchSpace space,
    search::SearchOptions options, const std::vector<int>& depths, const std::stop_token& stop)
{
    std::vector<int> others;
    const int most = std::min(plan.model.layers, rankCount(plan.strategy));
    for (int depth = 1; depth <= most; ++depth)
        if (space.pp.allows(depth) && std::ranges::find(depths, depth) == depths.end())
            others.push_back(depth);
    if (others.empty())
        return std::nullopt;
    space.pp = {.only = std::move(others)};
    options.keep = search::FrontKind::Best;
    return search::search(plan, space, options, stop).best;
}

/// Beside the first alternative: the fastest of all where it is another, else the fastest of those that need clearly
/// less memory, else the next one.
std::optional<Candidate> second(
    const Facts& facts, const std::vector<search::FoundStrategy>& front, const std::stop_token& stop)
{
    const Candidate& first = facts.found.front();
    const auto make = [&](const search::FoundStrategy& found, const char* kind) {
        return candidate("B", kind, planWith(facts.chosen.plan, found), facts.chosen.inputs, stop);
    };
    const auto isFirst = [&](const search::FoundStrategy& found) {
        return isSamePlan(planWith(facts.chosen.plan, found), first.plan);
    };
    if (!isFirst(front.front()))
        return make(front.front(), kFastest);
    for (const search::FoundStrategy& found : front)
        if (found.peak <= first.estimate.memory.peak * kLeaner)
            return make(found, kLean);
    return front.size() > 1 ? make(front[1], kNext) : std::nullopt;
}

void addFound(
    Facts& facts, const plan::SearchSpace& space, const search::SearchOptions& options, const std::stop_token& stop)
{
    const plan::Plan& plan = facts.chosen.plan;
    const std::vector<search::FoundStrategy> front = othersOf(facts.search, plan);
    const auto add = [&](std::optional<Candidate> next) {
        if (next && facts.found.size() < kMostFound)
            facts.found.push_back(std::move(*next));
    };
    if (!front.empty()) {
        add(safest(facts, front, stop));
        if (facts.found.empty())
            add(candidate("A", kFastest, planWith(plan, front.front()), facts.chosen.inputs, stop));
    }
    if (!facts.found.empty())
        add(second(facts, front, stop));
    std::vector<int> depths{plan.strategy.pp};
    for (const Candidate& found : facts.found)
        depths.push_back(found.plan.strategy.pp);
    if (facts.found.size() < kMostFound && !stop.stop_requested())
        if (const auto other = ofOtherDepth(plan, space, options, depths, stop))
            add(candidate(facts.found.empty() ? "A" : "B", "the best of another pipeline depth", planWith(plan, *other),
                facts.chosen.inputs, stop));
}

void addPinned(Facts& facts, const plan::Project& project, const std::stop_token& stop)
{
    for (const plan::PinnedPlan& pin : project.pinned) {
        if (isSamePlan(pin.plan, project.plan))
            continue;
        const plan::CapacityInputs inputs = hasBudget(pin.capacity) ? pin.capacity : facts.chosen.inputs;
        auto next =
            facts.pinned.size() < kMostPinned ? candidate(pin.name, "pinned", pin.plan, inputs, stop) : std::nullopt;
        if (next)
            facts.pinned.push_back(std::move(*next));
        else
            ++facts.morePinned;
    }
}

void searchFor(Facts& facts, const plan::Project& project, const std::stop_token& stop, const ProgressCallback& tell)
{
    const plan::SearchSpace space = spaceOf(project.search, project.plan);
    facts.space = space.name;
    search::SearchOptions options;
    options.mode = project.search.mode;
    options.headroom = project.search.headroom;
    facts.search = search::search(project.plan, space, options, stop, [&](const search::SearchProgress& progress) {
        if (tell && progress.space > 0 && !progress.preliminary)
            tell({Stage::Search, std::min(1.0, double(progress.decided) / double(progress.space))});
    });
    addFound(facts, space, options, stop);
}

void drawStep(Facts& facts)
{
    const pipeline::PipelineWork& work = facts.chosen.estimate.pipeline;
    if (runsThrough(work) && !isTooLong(work) && pipeline::timelineSlices(work) <= kDrawnSlices)
        facts.timeline = simulate(work);
}

void validateShipped(Facts& facts, const std::stop_token& stop, const ProgressCallback& tell)
{
    const auto cases = validation::readCases(validation::shippedCases(), catalog::shippedCatalog());
    if (!cases)
        return; // they are part of the program: a test reads them
    const validation::Validation validation = validate(*cases, stop, [&](int done, int total) {
        if (tell)
            tell({Stage::Validation, total > 0 ? double(done) / total : 1});
    });
    facts.validation = validationReport(*cases, validation);
}

} // namespace

tl::expected<Facts, std::vector<plan::Problem>> gather(const exchange::Document& document, const std::string& version,
    const std::stop_token& stop, const ProgressCallback& progress)
{
    const plan::Project& project = document.project;
    if (progress)
        progress({Stage::Estimate, 0});
    auto estimate = estimate::estimate(project.plan, {.stop = stop});
    if (!estimate)
        return tl::unexpected(estimate.error());
    Facts facts;
    facts.version = version;
    facts.assumesTokens = !document.hasCapacity;
    facts.chosen = {"This plan", "as it stands", project.plan, std::move(*estimate), project.capacity, {}};
    if (facts.assumesTokens)
        facts.chosen.inputs = capacity::startingInputs(project.plan, catalog::shippedCatalog());
    facts.assumesTokens = facts.assumesTokens && hasBudget(facts.chosen.inputs);
    facts.chosen.run = capacity::capacity(project.plan, facts.chosen.estimate, facts.chosen.inputs);
    facts.assumptions = capacity::assumptions(project.plan, facts.chosen.inputs);
    facts.json = exchange::writePlan(
        project.plan, catalog::shippedCatalog(), document.original, document.hasCapacity ? &project.capacity : nullptr);
    drawStep(facts);
    searchFor(facts, project, stop, progress);
    addPinned(facts, project, stop);
    if (!stop.stop_requested())
        validateShipped(facts, stop, progress);
    if (stop.stop_requested())
        return tl::unexpected(std::vector<plan::Problem>());
    return facts;
}

double chanceOfNoRoom(const estimate::Memory& memory)
{
    const double peak = memory.peak.value(), capacity = memory.capacity.value();
    const double end = (capacity < peak ? memory.peakLow : memory.peakHigh).value();
    if (!(peak > 0) || !(capacity > 0) || !(end > 0) || end == peak)
        return capacity < peak ? 1 : 0;
    const double deviations = std::log(capacity / peak) / std::abs(std::log(end / peak)) * capacity::kNinetieth;
    return 0.5 * std::erfc(deviations / std::sqrt(2.0));
}

} // namespace stratoplan::report
