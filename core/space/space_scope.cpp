// SPDX-License-Identifier: Apache-2.0
#include "core/space/space_scope.h"

#include "core/cluster/node_kinds.h"
#include "core/cluster/used_part.h"
#include "core/parallel/route.h"
#include "core/pricing/limits.h"

#include <numeric>

namespace stratoplan::space {
namespace {

/// What can be estimated; 1F1B first, so that of schedules that come to the same it is the one that is named.
std::vector<parallel::Schedule> estimableSchedules(plan::Plan plan)
{
    plan.strategy = {};
    std::vector<parallel::Schedule> all{parallel::Schedule::OneFOneB};
    for (int i = 0; !key(static_cast<parallel::Schedule>(i)).empty(); ++i) {
        plan.strategy.schedule = static_cast<parallel::Schedule>(i);
        if (plan.strategy.schedule != parallel::Schedule::OneFOneB && pricing::notEstimable(plan).empty())
            all.push_back(plan.strategy.schedule);
    }
    return all;
}

/// Of those that can be estimated.
std::vector<parallel::Schedule> schedulesOf(const plan::Plan& plan, const plan::SearchSpace& space, Schedules asked)
{
    std::vector<parallel::Schedule> all = estimableSchedules(plan);
    std::erase_if(all, [&](parallel::Schedule schedule) {
        return !allowed(space.schedules, schedule) || (asked == Schedules::WithClosedForm && !hasClosedForm(schedule))
            || (asked == Schedules::WithOwnLimits && schedule == parallel::Schedule::ZbAuto);
    });
    return all;
}

/// Those that the space allows and the cluster states enough for.
std::vector<parallel::Offload> offloadsOf(plan::Plan plan, const plan::SearchSpace& space)
{
    plan.strategy = {};
    std::vector<parallel::Offload> offloads;
    for (const parallel::Offload offload :
        space.offloads.empty() ? std::vector{parallel::Offload::None} : space.offloads) {
        plan.strategy.offload = offload;
        if (pricing::notEstimable(plan).empty())
            offloads.push_back(offload);
    }
    return offloads;
}

/// Those that the space allows and the model's layers can be divided by. On unlike nodes no search divides them in
/// space and time: what is best on one kind is not on another.
std::vector<parallel::TensorPartition> partitionsOf(plan::Plan plan, const plan::SearchSpace& space)
{
    plan.strategy = {};
    plan.strategy.tp = 2;
    const bool areUnlike = cluster::NodeKinds(plan.cluster).areUnlike();
    std::vector<parallel::TensorPartition> partitions;
    using enum parallel::TensorPartition;
    for (const parallel::TensorPartition partition :
        space.tensorPartitions.empty() ? std::vector{Megatron, SpatialTemporal} : space.tensorPartitions) {
        plan.strategy.tensorPartition = partition;
        if (pricing::notEstimable(plan).empty() && (partition == Megatron || !areUnlike))
            partitions.push_back(partition);
    }
    return partitions;
}

/// Only the simulation tells several of them apart.
std::vector<bool> timingPassesOf(const plan::SearchSpace& space, Schedules asked)
{
    const bool isOne =
        space.timingPasses.empty() || (asked == Schedules::WithClosedForm && space.timingPasses.size() > 1);
    return isOne ? std::vector{false} : space.timingPasses;
}

std::vector<int> microBatchesOf(int globalBatch, const plan::SearchSpace& space)
{
    std::vector<int> sizes = divisors(globalBatch);
    std::erase_if(sizes, [&](int size) { return !space.microBatch.allows(size); });
    return sizes;
}

/// Whole nodes stay idle, of each group as many as there are.
int ranksPerNodeOf(const cluster::Cluster& cluster)
{
    int ranks = acceleratorCount(cluster);
    for (const cluster::NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            ranks = std::gcd(ranks, group.acceleratorsPerNode);
    return ranks;
}

} // namespace

std::vector<int> divisors(int number)
{
    std::vector<int> low;
    std::vector<int> high;
    for (int i = 1; i <= number / i; ++i) {
        if (number % i != 0)
            continue;
        low.push_back(i);
        if (i != number / i)
            high.push_back(number / i);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

bool hasClosedForm(parallel::Schedule schedule)
{
    return shape(schedule) == parallel::PipelineShape::Loop && schedule != parallel::Schedule::ZbAuto;
}

bool searchesDivision(int tp, int cp, int sequenceLength)
{
    return tp > 1 && tp <= pricing::kQuicklyDivided
        && pricing::againstDivision(tp, cp, sequenceLength) == plan::ProblemCause::None;
}

bool SpaceScope::dividesLayers(int tp, int cp) const
{
    return (cp == 1 || space.contextPartitions) && has(parallel::TensorPartition::SpatialTemporal)
        && searchesDivision(tp, cp, length);
}

SpaceScope::SpaceScope(
    const plan::Plan& plan, const plan::SearchSpace& itsSpace, const cluster::Topology& topology, Schedules asked)
    : space(itsSpace)
    , layers(plan.model.layers)
    , globalBatch(plan.training.globalBatch)
    , length(plan.training.sequenceLength)
    , experts(plan.model.moe ? plan.model.moe->experts : 1)
    , hasExpertLayers(layerCounts(plan.model).moe > 0)
    , domain(topology.levels.empty() ? 1 : topology.levels.front().size)
    , allRanks(acceleratorCount(plan.cluster))
    , joinedRanks(joinedAccelerators(plan.cluster))
    , ranksPerNode(ranksPerNodeOf(plan.cluster))
    , leastRanks(1)
    , schedules(schedulesOf(plan, space, asked))
    , contextMethods(space.contextMethods.empty() ? std::vector{plan.strategy.contextMethod} : space.contextMethods)
    , orders(space.rankOrders.empty() ? allRankOrders() : space.rankOrders)
    , placements(space.vocabularyPlacements.empty() ? std::vector{parallel::VocabularyPlacement::Ends}
                                                    : space.vocabularyPlacements)
    , offloads(offloadsOf(plan, space))
    , partitions(partitionsOf(plan, space))
    , timingPasses(timingPassesOf(space, asked))
    , microBatches(microBatchesOf(globalBatch, space))
    , dividesVocabulary(std::any_of(placements.begin(), placements.end(),
          [](parallel::VocabularyPlacement p) { return p != parallel::VocabularyPlacement::Ends; }))
    , hasEven(space.firstStageFewer.allows(0) && space.lastStageFewer.allows(0))
    , hasUneven(!space.evenLayers
          && !(space.firstStageFewer == plan::IntChoice::just(0) && space.lastStageFewer == plan::IntChoice::just(0)))
{
    for (int ranks = allRanks; ranks > 0; ranks -= ranksPerNode)
        if (mayUse(ranks))
            leastRanks = ranks;
}

} // namespace stratoplan::space
