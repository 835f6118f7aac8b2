// SPDX-License-Identifier: Apache-2.0
// Of the search tree: the pipelines that run micro-batches, and how layers are split over their stages.
#include "core/parallel/route.h"
#include "core/space/space_rules.h"
#include "core/space/space_tree.h"

#include <algorithm>
#include <optional>

namespace stratoplan::space {
namespace {

/// Of the places of the vocabulary one that goes with these pipelines.
std::optional<parallel::VocabularyPlacement> placementOf(
    PipelineKind kind, const std::vector<parallel::VocabularyPlacement>& placements)
{
    for (const parallel::VocabularyPlacement placement : placements) {
        PassPick pass;
        pass.vocabulary = placement;
        pass.firstLayers = kind == PipelineKind::FirstLayers;
        pass.uneven = kind == PipelineKind::Uneven;
        if (pass.kind() == kind)
            return placement;
    }
    return std::nullopt;
}

} // namespace

void SplitPick::applyTo(parallel::Strategy& strategy) const
{
    strategy.schedule = pipeline.schedule;
    strategy.vpp = pipeline.vpp;
    strategy.timingPass = pipeline.timingPass;
    if (layers == nullptr)
        strategy.stageLayers.clear();
    else
        strategy.stageLayers = *layers;
}

/// Chunks per stage that leave the layers even, but that the first and the last chunk may hold one fewer (Llama 3: 126
/// layers in 128 chunks), or those that the space lists.
std::vector<int> SpaceTree::chunkCounts(int pp) const
{
    std::vector<int> counts;
    for (int v = 1; v * pp <= m_layers + (v > 1 ? 2 : 0); ++v) {
        const int chunks = v * pp;
        const bool even = m_layers % chunks == 0;
        const bool natural = v == 1 || even || (m_layers + 1) % chunks == 0 || (m_layers + 2) % chunks == 0;
        if (m_space.vpp.allows(v) && (natural || !m_space.vpp.only.empty()) && (even || !m_space.evenLayers))
            counts.push_back(v);
    }
    return counts;
}

std::vector<PipelinePick> SpaceTree::findPipelines(int pp, int microBatches, PipelineKind kind, Rules& rules) const
{
    const std::vector<int> chunks = chunkCounts(pp);
    if (chunks.empty() || m_schedules.empty())
        return {};
    if (pp == 1) // nothing to schedule
        return kind == PipelineKind::Ends || kind == PipelineKind::FirstLayers
            ? std::vector<PipelinePick>{{m_schedules.front(), 1}}
            : std::vector<PipelinePick>();
    const auto placement = placementOf(kind, m_placements);
    if (!placement || !(kind == PipelineKind::Uneven ? m_hasUneven : m_hasEven))
        return {};
    std::vector<PipelinePick> picks;
    for (const int v : chunks) {
        for (const parallel::Schedule schedule : m_schedules) {
            // Of one chunk interleaving is 1F1B, and breadth-first GPipe.
            const bool twin =
                v == 1 && (schedule == parallel::Schedule::Interleaved || schedule == parallel::Schedule::BreadthFirst);
            if (twin || !canSchedule(schedule, pp, v, microBatches)
                || !rules.allowPipeline(pp, {schedule, v}, *placement)
                || (kind == PipelineKind::Uneven && shape(schedule) != parallel::PipelineShape::Loop))
                continue;
            for (const bool timingPass : m_timingPasses)
                picks.push_back({schedule, v, timingPass});
        }
    }
    return picks;
}

std::int64_t SpaceTree::splitPipelines(int pp, int microBatches, PipelineKind kind) const
{
    const std::vector<PipelinePick>& picks = pipelines(pp, microBatches, kind);
    if (kind != PipelineKind::Uneven)
        return std::int64_t(picks.size());
    std::int64_t sum = 0;
    for (const PipelinePick& pick : picks)
        sum += std::int64_t(unevenSplits(pp, pick.vpp).size());
    return sum;
}

SplitPick SpaceTree::splitPipeline(int pp, int microBatches, PipelineKind kind, std::int64_t place) const
{
    const std::vector<PipelinePick>& picks = pipelines(pp, microBatches, kind);
    if (kind != PipelineKind::Uneven)
        return {picks[std::size_t(place)], nullptr};
    auto pick = picks.begin();
    for (; place >= std::int64_t(unevenSplits(pp, pick->vpp).size()); ++pick)
        place -= std::int64_t(unevenSplits(pp, pick->vpp).size());
    return {*pick, &unevenSplits(pp, pick->vpp)[std::size_t(place)]};
}

/// Where the first or the last stage holds other than its even share, which may be none. Every stage between has some,
/// and several chunks of a stage have as many layers each, as Megatron-Core asks of such splits; with one chunk spare
/// layers are in the middle, as in the even split.
std::vector<std::vector<int>> SpaceTree::findSplits(int pp, int chunks, const std::stop_token& stop) const
{
    std::vector<std::vector<int>> splits;
    if (pp == 1 || !m_hasUneven)
        return splits;
    parallel::Strategy s;
    s.pp = pp;
    const std::vector<int> even = stageLayers(s, m_layers);
    const int between = pp - 2;
    for (int first = 0; first <= m_layers; first += chunks) {
        if (stop.stop_requested())
            return {};
        if (!m_space.firstStageFewer.allows(even.front() - first))
            continue;
        for (int last = 0; first + last <= m_layers; last += chunks) {
            const int left = m_layers - first - last;
            const bool isEven = first == even.front() && last == even.back();
            if (isEven || !m_space.lastStageFewer.allows(even.back() - last)
                || (between == 0 ? left > 0 : left < between * chunks)
                || (chunks > 1 && between > 0 && left % (between * chunks) != 0))
                continue;
            std::vector<int>& split = splits.emplace_back(std::size_t(pp), first);
            split.back() = last;
            s.pp = between;
            if (between > 0)
                std::ranges::copy(stageLayers(s, left), split.begin() + 1);
        }
    }
    return splits;
}

} // namespace stratoplan::space
