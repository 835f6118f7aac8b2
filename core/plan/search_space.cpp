// SPDX-License-Identifier: Apache-2.0
#include "core/plan/search_space.h"

#include "core/cluster/node_kinds.h"
#include "core/plan/dimensions.h"
#include "core/units/named.h"

#include <algorithm>
#include <array>

namespace stratoplan::plan {
namespace {

constexpr NameTable<ShardGroups, 3> kShardGroups{
    {{ShardGroups::All, "all"}, {ShardGroups::Domain, "domain"}, {ShardGroups::Every, "every"}}};

template <class Visit>
void eachDivisor(std::int64_t number, Visit visit)
{
    for (std::int64_t i = 1; i <= number; ++i)
        if (number % i == 0)
            visit(i);
}

std::int64_t divisorCount(std::int64_t number)
{
    std::int64_t count = 0;
    eachDivisor(number, [&](std::int64_t) { ++count; });
    return count;
}

/// Choices that Calculon varies beside tensor, pipeline and data parallelism, interleaving and the micro-batch.
std::int64_t calculonChoices(bool tp, bool pp, bool dp)
{
    const std::int64_t overlapOfTp = tp ? 3 : 1, networks = (tp ? 2 : 1) * (pp ? 2 : 1) * (dp ? 2 : 1);
    const std::int64_t sharding = dp ? 2 : 1, overlapOfDp = dp ? 2 : 1;
    std::int64_t count = 0;
    for (const bool full : {true, false, false}) { // recomputation: all, attention, none
        const std::int64_t offloads = 2 * (full ? 1 : 2) * 2; // weights, activations, optimizer
        const std::int64_t kinds =
            2 + (full ? 1 : 2); // of TP communication; the last may gather again in the backward pass
        count += sharding * kinds * overlapOfDp * overlapOfTp * offloads * networks;
    }
    return count;
}

/// Why a search of the space leaves the dimension as it is; nothing: it varies.
std::optional<FixedReason> whyFixed(const DimensionRow& row, const SearchSpace& space)
{
    const auto unlessSilent = [&]() -> std::optional<FixedReason> {
        return row.otherwise.empty() ? std::nullopt : std::optional(FixedReason::Otherwise);
    };
    if (row.whereOpen != WhereOpen::All && !isRestricted(row, space))
        return unlessSilent();
    if (!isLocked(row, space))
        return std::nullopt;
    const bool isLeftAsUsual = !row.otherwise.empty() && row.whereOpen == WhereOpen::All && allows(row, space, {}, {});
    return isLeftAsUsual ? FixedReason::Otherwise : FixedReason::Locked;
}

} // namespace

std::string_view key(ShardGroups groups)
{
    return nameIn(kShardGroups, groups);
}

std::optional<ShardGroups> shardGroupsFromKey(std::string_view key)
{
    return valueIn(kShardGroups, key);
}

bool IntChoice::isOne() const
{
    return only.size() == 1 || (only.empty() && least == most);
}

bool IntChoice::allows(int number) const
{
    if (!only.empty())
        return std::find(only.begin(), only.end(), number) != only.end();
    return number >= least && number <= most;
}

SearchSpace defaultSpace()
{
    SearchSpace space;
    space.name = "default";
    return space;
}

SearchSpace calculonSpace()
{
    SearchSpace space;
    space.name = "calculon";
    space.evenLayers = true;
    space.cp = space.ep = space.etp = IntChoice::just(1);
    space.zeroStages = {0, 1};
    space.shardGroups = ShardGroups::All;
    space.schedules = {parallel::Schedule::OneFOneB, parallel::Schedule::Interleaved};
    space.rankOrders = {parallel::Strategy{}.rankOrder};
    space.tensorPartitions = {parallel::TensorPartition::Megatron};
    return space;
}

SearchSpace wholeSpace(const Plan& plan)
{
    SearchSpace space;
    space.name = "whole";
    space.leaveIdle = true;
    space.recomputedLayers.only = {0, 1, 2, 4, 8, 16, 32, 64};
    space.firstStageFewer = {-2, 1, {}};
    space.lastStageFewer = {0, 3, {}};
    space.shardGroups = ShardGroups::Every;
    for (const DimensionRow& row : dimensions())
        if (row.whereOpen != WhereOpen::All && isSearched(row))
            listAll(row, space);
    space.precisions = {plan.training.precision};
    for (const model::Precision precision : model::kPrecisions) {
        const bool everywhere =
            std::all_of(plan.cluster.nodes.begin(), plan.cluster.nodes.end(), [&](const cluster::NodeGroup& group) {
                return !takesPart(group) || group.accelerator.peak[precision] > FlopsPerSecond{};
            });
        if (everywhere && precision != plan.training.precision
            && bytesPerElement(precision) < bytesPerElement(plan.training.precision))
            space.precisions.push_back(precision);
    }
    return space;
}

std::optional<SearchSpace> namedSpace(std::string_view name, const Plan& plan)
{
    if (name == "default") {
        SearchSpace space = defaultSpace();
        if (plan.strategy.offload != parallel::Offload::None) // or a plan that fits would not be in its space
            space.offloads = {parallel::Offload::None, plan.strategy.offload};
        return space;
    }
    if (name == "calculon")
        return calculonSpace();
    if (name == "whole")
        return wholeSpace(plan);
    return std::nullopt;
}

std::int64_t calculonConfigurations(const Plan& plan)
{
    const std::int64_t ranks = acceleratorCount(plan.cluster), layers = plan.model.layers,
                       sequence = plan.training.sequenceLength;
    std::int64_t count = 0;
    eachDivisor(ranks, [&](std::int64_t tp) {
        if (plan.model.hidden % tp != 0 || plan.model.heads % tp != 0)
            return;
        eachDivisor(std::min(ranks / tp, layers), [&](std::int64_t pp) {
            if (ranks / tp % pp != 0 || layers % pp != 0)
                return;
            const std::int64_t dp = ranks / tp / pp;
            const std::int64_t ofReplica = std::max<std::int64_t>(1, plan.training.globalBatch / dp);
            std::int64_t microBatches = 0;
            eachDivisor(ofReplica, [&](std::int64_t b) { microBatches += b * sequence % tp == 0; });
            count += (pp > 1 ? divisorCount(layers / pp) : 1) * microBatches * calculonChoices(tp > 1, pp > 1, dp > 1);
        });
    });
    return count;
}

std::vector<FixedDimension> fixedDimensions(const SearchSpace& space, const Plan& plan)
{
    const IntChoice even = IntChoice::just(0);
    const bool uneven = !(space.firstStageFewer == even && space.lastStageFewer == even);
    const bool isUnlike = cluster::NodeKinds(plan.cluster).areUnlike();
    std::vector<FixedDimension> fixed{{uneven ? SpacePart::MiddleStageLayers : SpacePart::StageLayers, {},
        isUnlike ? FixedReason::LayersBySpeed : FixedReason::EvenLayers}};
    if (isUnlike)
        fixed.push_back({SpacePart::ReplicaBatches, {}, FixedReason::BatchBySpeed});
    const auto lockEnd = [&](const IntChoice& fewer, SpacePart part) {
        if (uneven && fewer.isOne())
            fixed.push_back({part, {}, FixedReason::Locked});
    };
    for (const WhereOpen open : {WhereOpen::All, WhereOpen::Usual, WhereOpen::Plans})
        for (const DimensionRow& row : dimensions()) {
            const bool isOfExperts = row.id == Dimension::Ep || row.id == Dimension::Etp;
            const auto reason = whyFixed(row, space);
            if (reason && row.whereOpen == open && (!isOfExperts || plan.model.moe))
                fixed.push_back({SpacePart::Dimension, row.id, *reason});
            if (row.id == Dimension::Vpp && open == WhereOpen::All) {
                lockEnd(space.firstStageFewer, SpacePart::FirstStageLayers);
                lockEnd(space.lastStageFewer, SpacePart::LastStageLayers);
            }
        }
    if (!space.leaveIdle)
        fixed.push_back({SpacePart::Nodes, {}, FixedReason::WholeCluster});
    else if (space.accelerators.isOne())
        fixed.push_back({SpacePart::Accelerators, {}, FixedReason::Locked});
    return fixed;
}

std::vector<FixedDimension> fixedDimensions(const SearchSpace& space, const Plan& plan, SearchMode mode)
{
    std::vector<FixedDimension> fixed = fixedDimensions(space, plan);
    if (mode == SearchMode::Simulated)
        return fixed;
    fixed.push_back({SpacePart::OpenSchedules, {}, FixedReason::NoClosedForm});
    if (space.timingPasses.size() > 1)
        fixed.push_back({SpacePart::Dimension, Dimension::TimingPass, FixedReason::NoClosedForm});
    return fixed;
}

} // namespace stratoplan::plan
