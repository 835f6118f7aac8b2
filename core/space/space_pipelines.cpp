// SPDX-License-Identifier: Apache-2.0
#include "core/space/space_pipelines.h"

#include "core/parallel/route.h"
#include "core/pipeline/program.h"

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

void SpacePipelines::add(int pp, int sequences, const std::stop_token& stop)
{
    const auto [firstLayers, newStages] = m_firstLayers.try_emplace(pp);
    for (int count = 1; newStages && count * pp < m_scope.layers; ++count) // the stages with most layers have more
        if (m_scope.space.recomputedLayers.allows(count))
            firstLayers->second.push_back(count);
    const auto [sizes, newSizes] = m_sizes.try_emplace({pp, sequences});
    if (newSizes)
        sizes->second = findSizes(pp, sequences, stop);
}

SpacePipelines::Sizes SpacePipelines::findSizes(int pp, int sequences, const std::stop_token& stop)
{
    Sizes result;
    for (const int chunks : chunkCounts(pp))
        if (const auto [splits, isNew] = m_splits.try_emplace({pp, chunks}); isNew)
            splits->second = findSplits(pp, chunks, stop);
    for (const int b : m_scope.microBatches) {
        if (sequences % b != 0)
            continue;
        bool any = false;
        for (std::size_t kind = 0; kind < kPipelineKinds; ++kind) {
            const auto [open, isNew] = m_pipelines.try_emplace({pp, sequences / b, int(kind)});
            if (isNew) {
                open->second.picks = findPipelines(pp, sequences / b, PipelineKind(kind));
                askFramework(pp, PipelineKind(kind), open->second);
            }
            result.pipelines[kind] += splitPipelines(pp, sequences / b, PipelineKind(kind));
            result.left[kind].add(open->second.left);
            any = any || !open->second.picks.empty();
        }
        if (any)
            result.sizes.push_back(b);
    }
    return result;
}

/// Chunks per stage that leave the layers even, but that the first and the last chunk may hold one fewer (Llama 3: 126
/// layers in 128 chunks), or those that the space lists.
std::vector<int> SpacePipelines::chunkCounts(int pp) const
{
    std::vector<int> counts;
    for (int v = 1; v * pp <= m_scope.layers + (v > 1 ? 2 : 0); ++v) {
        const int chunks = v * pp;
        const bool even = m_scope.layers % chunks == 0;
        const bool natural = v == 1 || even || (m_scope.layers + 1) % chunks == 0 || (m_scope.layers + 2) % chunks == 0;
        if (m_scope.space.vpp.allows(v) && (natural || !m_scope.space.vpp.only.empty())
            && (even || !m_scope.space.evenLayers))
            counts.push_back(v);
    }
    return counts;
}

std::vector<PipelinePick> SpacePipelines::findPipelines(int pp, int microBatches, PipelineKind kind)
{
    const std::vector<int> chunks = chunkCounts(pp);
    if (chunks.empty() || m_scope.schedules.empty())
        return {};
    if (pp == 1) // nothing to schedule
        return kind == PipelineKind::Ends || kind == PipelineKind::FirstLayers
            ? std::vector<PipelinePick>{{m_scope.schedules.front(), 1}}
            : std::vector<PipelinePick>();
    const auto placement = placementOf(kind, m_scope.placements);
    if (!placement || !(kind == PipelineKind::Uneven ? m_scope.hasUneven : m_scope.hasEven))
        return {};
    std::vector<PipelinePick> picks;
    for (const int v : chunks) {
        for (const parallel::Schedule schedule : m_scope.schedules) {
            // Of one chunk interleaving is 1F1B, and breadth-first GPipe.
            const bool twin =
                v == 1 && (schedule == parallel::Schedule::Interleaved || schedule == parallel::Schedule::BreadthFirst);
            if (twin || !canSchedule(schedule, pp, v, microBatches)
                || !m_rules.allowPipeline(pp, {schedule, v}, *placement)
                || (kind == PipelineKind::Uneven && shape(schedule) != parallel::PipelineShape::Loop))
                continue;
            for (const bool timingPass : m_scope.timingPasses)
                picks.push_back({schedule, v, timingPass});
        }
    }
    return picks;
}

/// Of uneven splits the first stands for the others.
void SpacePipelines::askFramework(int pp, PipelineKind kind, Choices<PipelinePick>& pipelines)
{
    if (!m_scope.asksFramework())
        return;
    parallel::Strategy s;
    s.pp = pp;
    const bool uneven = kind == PipelineKind::Uneven;
    const auto splitsOf = [&](const PipelinePick& pick) {
        return uneven ? std::int64_t(unevenSplits(pp, pick.vpp).size()) : 1;
    };
    const auto objectionOf = [&](const PipelinePick& pick) {
        SplitPick{pick, uneven && splitsOf(pick) > 0 ? &unevenSplits(pp, pick.vpp).front() : nullptr}.applyTo(s);
        return m_rules.objection(s, m_scope.space.framework, catalog::RuleScope::Pipeline);
    };
    keepRunnable(pipelines.picks, objectionOf,
        [&](const PipelinePick& pick, std::size_t objection) { pipelines.left.add(objection, splitsOf(pick)); });
}

std::int64_t SpacePipelines::splitPipelines(int pp, int microBatches, PipelineKind kind) const
{
    const std::vector<PipelinePick>& picks = pipelines(pp, microBatches, kind);
    if (kind != PipelineKind::Uneven)
        return std::int64_t(picks.size());
    std::int64_t sum = 0;
    for (const PipelinePick& pick : picks)
        sum += std::int64_t(unevenSplits(pp, pick.vpp).size());
    return sum;
}

SplitPick SpacePipelines::splitPipeline(int pp, int microBatches, PipelineKind kind, std::int64_t place) const
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
std::vector<std::vector<int>> SpacePipelines::findSplits(int pp, int chunks, const std::stop_token& stop) const
{
    std::vector<std::vector<int>> splits;
    if (pp == 1 || !m_scope.hasUneven)
        return splits;
    parallel::Strategy s;
    s.pp = pp;
    const std::vector<int> even = stageLayers(s, m_scope.layers);
    const int between = pp - 2;
    for (int first = 0; first <= m_scope.layers; first += chunks) {
        if (stop.stop_requested())
            return {};
        if (!m_scope.space.firstStageFewer.allows(even.front() - first))
            continue;
        for (int last = 0; first + last <= m_scope.layers; last += chunks) {
            const int left = m_scope.layers - first - last;
            const bool isEven = first == even.front() && last == even.back();
            if (isEven || !m_scope.space.lastStageFewer.allows(even.back() - last)
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
