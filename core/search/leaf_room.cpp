// SPDX-License-Identifier: Apache-2.0
#include "core/search/leaf_room.h"

#include "core/search/closed_forms.h"
#include "core/search/no_room.h"

#include <algorithm>

namespace stratoplan::search {

LeafRoom::LeafRoom(ExploredPlan& plan, const Opening& opening, const space::Degrees& degrees,
    const parallel::Strategy& strategy, std::span<const int> firstLayers)
    : m_plan(plan)
    , m_opening(opening)
    , m_strategy(strategy)
    , m_shardGroups(degrees.shardGroups())
    , m_shardings(degrees.shardings.begin(), degrees.shardings.end())
    , m_firstLayers(firstLayers.begin(), firstLayers.end())
{
    std::stable_sort(m_shardings.begin(), m_shardings.end(),
        [](const space::ShardingPick& a, const space::ShardingPick& b) { return a.stage > b.stage; });
}

/// Schedules of one split and sharding have all but their activations in common.
void LeafRoom::fitAll(LeafPipelines& pipelines) const
{
    for (std::size_t begin = 0, end = 0; begin < pipelines.size(); begin = end) {
        while (end < pipelines.size() && pipelines[end].pick.vpp == pipelines[begin].pick.vpp)
            ++end;
        fit(std::span(pipelines).subspan(begin, end - begin));
    }
    for (LeafPipeline& pipeline : pipelines)
        dropSameClosedForm(pipelines, pipeline);
}

void LeafRoom::fit(LeafPipelines& pipelines, LeafPipeline& pipeline) const
{
    fit({&pipeline, 1});
    if (LeafPipeline* twin = leanerTwin(pipelines, pipeline); twin != nullptr && !twin->isKnown)
        fit({twin, 1});
    dropSameClosedForm(pipelines, pipeline);
}

double LeafRoom::peak(const LeafPipeline& pipeline, const LeafSharding& sharding) const
{
    parallel::Strategy s = m_strategy;
    apply(s, pipeline, sharding.pick, sharding.firstLayers);
    return m_plan.peaks.exact(s);
}

void LeafRoom::apply(
    parallel::Strategy& s, const LeafPipeline& pipeline, const space::ShardingPick& sharding, int firstLayers) const
{
    s.zeroStage = sharding.stage;
    s.zeroShards = sharding.shards;
    space::SplitPick{pipeline.pick, pipeline.layers}.applyTo(s);
    if (firstLayers > 0)
        space::recomputeFirst(s, m_plan.tree.layers(), firstLayers);
}

void LeafRoom::fit(std::span<LeafPipeline> pipelines) const
{
    parallel::Strategy s = m_strategy;
    std::vector<NoRoom> full(pipelines.size(), NoRoom(m_plan.peaks.flattens()));
    for (LeafPipeline& pipeline : pipelines)
        pipeline.isKnown = true;
    for (const space::ShardingPick& sharding : m_shardings) {
        for (std::size_t i = 0; i < pipelines.size(); ++i) {
            LeafPipeline& pipeline = pipelines[i];
            if (isLeftOut(pipeline.pick))
                continue;
            double least = INFINITY;
            if (!hasLimit() || !full[i].holds(sharding)) {
                apply(s, pipeline, sharding, m_firstLayers.back());
                least = m_plan.peaks.exact(s);
            }
            if (least <= room()) {
                addFitting(s, pipeline, sharding, least);
            } else {
                full[i].add(sharding);
                pipeline.full += std::int64_t(m_firstLayers.size());
            }
        }
    }
}

/// `least`: the peak with the most first layers. Where fewer recomputed layers have room, so do more: of the best
/// strategy alone the fewest are looked for, and the peaks of the others are found where they count.
void LeafRoom::addFitting(
    parallel::Strategy& s, LeafPipeline& pipeline, const space::ShardingPick& sharding, double least) const
{
    const auto peakWith = [&](int firstLayers) {
        apply(s, pipeline, sharding, firstLayers);
        return m_plan.peaks.exact(s);
    };
    const auto groups =
        std::size_t(std::find(m_shardGroups.begin(), m_shardGroups.end(), sharding.shards) - m_shardGroups.begin());
    const auto fewest = m_firstLayers.size() == 1 ? m_firstLayers.begin()
                                                  : std::partition_point(m_firstLayers.begin(), m_firstLayers.end() - 1,
                                                      [&](int count) { return !(peakWith(count) <= room()); });
    pipeline.full += fewest - m_firstLayers.begin();
    for (auto count = fewest; count != m_firstLayers.end(); ++count) {
        const bool last = count + 1 == m_firstLayers.end();
        const bool isKnown = last || needsAllPeaks();
        const double peak = last ? least : isKnown ? peakWith(*count) : NAN;
        pipeline.fitting.push_back({sharding, groups, peak, *count});
        pipeline.leastPeak = std::min(pipeline.leastPeak, isKnown ? peak : 0);
    }
}

LeafPipeline* LeafRoom::leanerTwin(LeafPipelines& pipelines, const LeafPipeline& pipeline) const
{
    const auto schedule = leaner(pipeline.pick.schedule);
    if (!schedule || m_opening.mode() != plan::SearchMode::ClosedForm || !m_opening.uses(PruneRule::SameClosedForm))
        return nullptr;
    const auto twin = std::find_if(pipelines.begin(), pipelines.end(), [&](const LeafPipeline& other) {
        return other.pick == space::PipelinePick{*schedule, pipeline.pick.vpp, pipeline.pick.timingPass};
    });
    return twin == pipelines.end() ? nullptr : &*twin;
}

/// Strategies that take as long as another one which fits and has a lower peak belong to no front.
void LeafRoom::dropSameClosedForm(LeafPipelines& pipelines, LeafPipeline& pipeline) const
{
    const LeafPipeline* twin = leanerTwin(pipelines, pipeline);
    if (twin == nullptr)
        return;
    pipeline.same = std::int64_t(std::erase_if(pipeline.fitting, [&](const LeafSharding& sharding) {
        return std::any_of(twin->fitting.begin(), twin->fitting.end(), [&](const LeafSharding& other) {
            return other.pick == sharding.pick && other.firstLayers == sharding.firstLayers
                && other.peak < sharding.peak;
        });
    }));
}

} // namespace stratoplan::search
