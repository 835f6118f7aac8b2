// SPDX-License-Identifier: Apache-2.0
#include "core/plan/search_settings.h"

#include "core/plan/dimensions.h"
#include "core/units/named.h"

#include <algorithm>
#include <utility>

namespace stratoplan::plan {
namespace {

constexpr NameTable<SearchMode, 2> kModes{
    {{SearchMode::ClosedForm, "closed-form"}, {SearchMode::Simulated, "simulated"}}};

constexpr NameTable<Objective, 6> kObjectives{
    {{Objective::Throughput, "throughput"}, {Objective::TokensPerCost, "tokens-per-dollar"},
        {Objective::TokensPerEnergy, "tokens-per-joule"}, {Objective::Deadline, "deadline"},
        {Objective::SmallestCluster, "smallest-cluster"}, {Objective::Robust, "robust"}}};

/// Layers that the first and the last stage hold fewer than in the even split, below 0 more.
std::pair<int, int> endLayersFewer(const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.stageLayers.size() != std::size_t(s.pp) || s.pp < 2)
        return {0, 0};
    parallel::Strategy even; // of a loop: others are spread evenly
    even.pp = s.pp;
    const std::vector<int> share = stageLayers(even, plan.model.layers);
    return {share.front() - s.stageLayers.front(), share.back() - s.stageLayers.back()};
}

void lockEnds(SearchSpace& space, const Plan& plan)
{
    const auto [first, last] = endLayersFewer(plan);
    space.firstStageFewer = IntChoice::just(first);
    space.lastStageFewer = IntChoice::just(last);
    if (first == 0 && last == 0)
        return;
    space.evenLayers = false; // one stage has no ends to differ
    space.pp.least = std::max(space.pp.least, 2);
    if (space.pp.only.size() > 1)
        std::erase(space.pp.only, 1);
}

void lock(SearchSpace& space, Dimension id, const Plan& plan)
{
    if (id == Dimension::EndLayers)
        return lockEnds(space, plan);
    if (id == Dimension::Precision)
        space.precisions = {plan.training.precision};
    restrictTo(dimension(id), space, plan.strategy);
    if (id == Dimension::TensorPartition) // else such a plan is not in its own space
        space.contextPartitions |=
            plan.strategy.tensorPartition == parallel::TensorPartition::SpatialTemporal && plan.strategy.cp > 1;
    if (id == Dimension::Recompute)
        restrictTo(dimension(Dimension::RecomputedLayers), space, plan.strategy);
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

SearchSpace withLocks(SearchSpace space, const std::set<Dimension>& locks, const Plan& plan)
{
    for (const Dimension dimension : locks)
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

} // namespace stratoplan::plan
