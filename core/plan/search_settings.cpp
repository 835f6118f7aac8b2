// SPDX-License-Identifier: Apache-2.0
#include "core/plan/search_settings.h"

#include "core/plan/search_space.h"
#include "core/units/named.h"

#include <algorithm>
#include <utility>

namespace stratoplan {
namespace {

constexpr NameTable<SearchMode, 2> kModes{
    {{SearchMode::ClosedForm, "closed-form"}, {SearchMode::Simulated, "simulated"}}};

constexpr NameTable<Objective, 6> kObjectives{
    {{Objective::Throughput, "throughput"}, {Objective::TokensPerCost, "tokens-per-dollar"},
        {Objective::TokensPerEnergy, "tokens-per-joule"}, {Objective::Deadline, "deadline"},
        {Objective::SmallestCluster, "smallest-cluster"}, {Objective::Robust, "robust"}}};

constexpr NameTable<SearchDimension, kSearchDimensions> kDimensions{{{SearchDimension::Tp, "tp"},
    {SearchDimension::Pp, "pp"}, {SearchDimension::Dp, "dp"}, {SearchDimension::Cp, "cp"}, {SearchDimension::Ep, "ep"},
    {SearchDimension::Etp, "etp"}, {SearchDimension::Vpp, "vpp"}, {SearchDimension::MicroBatch, "micro_batch"},
    {SearchDimension::ZeroStage, "zero_stage"}, {SearchDimension::SequenceParallel, "sequence_parallel"},
    {SearchDimension::Recompute, "recompute"}, {SearchDimension::Schedule, "schedule"},
    {SearchDimension::ContextMethod, "context_method"}, {SearchDimension::RankOrder, "rank_order"},
    {SearchDimension::Precision, "precision"}, {SearchDimension::ZeroShards, "zero_shards"},
    {SearchDimension::VocabularyPlacement, "vocabulary_placement"}, {SearchDimension::Offload, "offload"},
    {SearchDimension::TimingPass, "timing_pass"}, {SearchDimension::EndLayers, "end_layers"}}};

/// Listed, so that a number of chunks that no one would try by itself is kept as well.
IntChoice only(int number)
{
    return {number, number, {number}};
}

/// Of the stage that recomputes most layers in full by themselves.
int mostRecomputed(const Strategy& s)
{
    return s.recomputedLayers.empty() ? 0 : *std::max_element(s.recomputedLayers.begin(), s.recomputedLayers.end());
}

/// Layers that the first and the last stage hold fewer than in the even split, below 0 more.
std::pair<int, int> endLayersFewer(const Plan& plan)
{
    const Strategy& s = plan.strategy;
    if (s.stageLayers.size() != std::size_t(s.pp) || s.pp < 2)
        return {0, 0};
    Strategy even; // of a loop: others are spread evenly
    even.pp = s.pp;
    const std::vector<int> share = stageLayers(even, plan.model.layers);
    return {share.front() - s.stageLayers.front(), share.back() - s.stageLayers.back()};
}

void lock(SearchSpace& space, SearchDimension dimension, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    switch (dimension) {
    case SearchDimension::Tp:
        space.tp = only(s.tp);
        break;
    case SearchDimension::Pp:
        space.pp = only(s.pp);
        break;
    case SearchDimension::Dp:
        space.dp = only(s.dp);
        break;
    case SearchDimension::Cp:
        space.cp = only(s.cp);
        break;
    case SearchDimension::Ep:
        space.ep = only(s.ep);
        break;
    case SearchDimension::Etp:
        space.etp = only(s.etp);
        break;
    case SearchDimension::Vpp:
        space.vpp = only(s.vpp);
        break;
    case SearchDimension::MicroBatch:
        space.microBatch = only(s.microBatch);
        break;
    case SearchDimension::ZeroStage:
        space.zeroStages = {s.zeroStage};
        break;
    case SearchDimension::SequenceParallel:
        space.sequenceParallel = {s.sequenceParallel};
        break;
    case SearchDimension::Recompute:
        space.recomputes = {s.recompute};
        space.recomputedLayers = only(mostRecomputed(s));
        break;
    case SearchDimension::Schedule:
        space.schedules = {s.schedule};
        break;
    case SearchDimension::ContextMethod:
        space.contextMethods = {s.contextMethod};
        break;
    case SearchDimension::RankOrder:
        space.rankOrders = {s.rankOrder};
        break;
    case SearchDimension::Precision:
        space.precisions = {plan.training.precision};
        break;
    case SearchDimension::ZeroShards:
        space.zeroShards = {s.zeroShards};
        break;
    case SearchDimension::VocabularyPlacement:
        space.vocabularyPlacements = {s.vocabularyPlacement};
        break;
    case SearchDimension::Offload:
        space.offloads = {s.offload};
        break;
    case SearchDimension::TimingPass:
        space.timingPasses = {s.timingPass};
        break;
    case SearchDimension::EndLayers: {
        const auto [first, last] = endLayersFewer(plan);
        space.firstStageFewer = IntChoice::just(first);
        space.lastStageFewer = IntChoice::just(last);
        if (first != 0 || last != 0) { // one stage has no ends to differ
            space.evenLayers = false;
            space.pp.least = std::max(space.pp.least, 2);
            if (space.pp.only.size() > 1)
                std::erase(space.pp.only, 1);
        }
        break;
    }
    }
}

} // namespace

std::string_view key(SearchMode mode)
{
    return nameIn(kModes, mode);
}

std::optional<SearchMode> searchModeFromKey(std::string_view key)
{
    return valueIn(kModes, key);
}

std::string_view key(Objective objective)
{
    return nameIn(kObjectives, objective);
}

std::optional<Objective> objectiveFromKey(std::string_view key)
{
    return valueIn(kObjectives, key);
}

std::string_view describe(Objective objective)
{
    switch (objective) {
    case Objective::Throughput:
        return "the shortest step";
    case Objective::TokensPerCost:
        return "the most tokens for the money";
    case Objective::TokensPerEnergy:
        return "the most tokens for the energy";
    case Objective::Deadline:
        return "the fewest accelerators that meet the deadline";
    case Objective::SmallestCluster:
        return "the fewest accelerators that hold the model";
    case Objective::Robust:
        return "the shortest step at the pessimistic end of its range";
    }
    return {};
}

std::string_view key(SearchDimension dimension)
{
    return nameIn(kDimensions, dimension);
}

std::optional<SearchDimension> searchDimensionFromKey(std::string_view key)
{
    return valueIn(kDimensions, key);
}

SearchSpace withLocks(SearchSpace space, const std::set<SearchDimension>& locks, const Plan& plan)
{
    for (const SearchDimension dimension : locks)
        lock(space, dimension, plan);
    return space;
}

SearchSpace spaceOf(const SearchSettings& settings, const Plan& plan)
{
    return spaceFor(settings, namedSpace(settings.space, plan).value_or(defaultSpace()), plan);
}

SearchSpace spaceFor(const SearchSettings& settings, SearchSpace space, const Plan& plan)
{
    space = withLocks(std::move(space), settings.locks, plan);
    if (settings.objective == Objective::Deadline || settings.objective == Objective::SmallestCluster)
        space.leaveIdle = true;
    if (settings.framework != TargetFramework::Any)
        space.framework = settings.framework;
    return space;
}

} // namespace stratoplan
