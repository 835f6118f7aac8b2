// SPDX-License-Identifier: Apache-2.0
// Of the choices of a division: the ways to run a micro-batch.
#include "core/space/space_choices.h"

namespace stratoplan::space {

void PassPick::applyTo(parallel::Strategy& strategy) const
{
    strategy.tensorPartition = partition;
    strategy.operatorPartitions.clear();
    strategy.sequenceParallel = sequenceParallel;
    recomputeAll(strategy, recompute);
    strategy.vocabularyPlacement = vocabulary;
    strategy.offload = offload;
}

void recomputeFirst(parallel::Strategy& strategy, int layers, int count)
{
    recomputeAll(strategy, parallel::Recompute::Full);
    strategy.recomputedLayers = stageLayers(strategy, layers);
    for (int& layersOfStage : strategy.recomputedLayers)
        layersOfStage = std::min(layersOfStage, count);
}

PipelineKind PassPick::kind() const
{
    switch (vocabulary) {
    case parallel::VocabularyPlacement::Ends:
        return firstLayers ? PipelineKind::FirstLayers : uneven ? PipelineKind::Uneven : PipelineKind::Ends;
    case parallel::VocabularyPlacement::Interlaced:
        return PipelineKind::Interlaced;
    default:
        return PipelineKind::Divided;
    }
}

const SpaceChoices::Passes& SpaceChoices::addPasses(const Division& division)
{
    const auto [known, isNew] = m_passes.try_emplace(passKey(division));
    Passes& result = known->second;
    if (isNew) {
        result.picks = findPasses(division);
        askFramework(division, result);
        for (const PassPick& pass : result.picks)
            ++result.ofKind[std::size_t(pass.kind())];
    }
    return result;
}

/// Of all numbers of first layers the least stands for the others, in a pipeline of few stages: a rule tells no more
/// than that some layers are recomputed and others not.
void SpaceChoices::askFramework(const Division& division, Passes& passes)
{
    if (!m_scope.asksFramework())
        return;
    parallel::Strategy s = division.strategy();
    s.pp = std::min(division.pp, 2);
    const auto objectionOf = [&](const PassPick& pick) {
        pick.applyTo(s);
        if (pick.firstLayers)
            recomputeFirst(s, m_scope.layers, 1);
        return m_rules.objection(s, m_scope.space.framework, catalog::RuleScope::Pass);
    };
    keepRunnable(passes.picks, objectionOf,
        [&](const PassPick& pick, std::size_t objection) { passes.left[std::size_t(pick.kind())].add(objection, 1); });
}

std::vector<PassPick> SpaceChoices::findPasses(const Division& division)
{
    using enum parallel::TensorPartition;
    std::vector<PassPick> picks;
    // One tensor rank has nothing to divide, whatever the space says.
    if (division.tp == 1 || m_scope.has(Megatron))
        for (const bool sequenceParallel : {false, true})
            if (division.tp == 1 ? !sequenceParallel : allowed(m_scope.space.sequenceParallel, sequenceParallel))
                addPartition(division, {Megatron, sequenceParallel}, picks);
    if (m_scope.dividesLayers(division.tp, division.cp))
        addPartition(division, {SpatialTemporal}, picks);
    return picks;
}

void SpaceChoices::addPartition(const Division& division, PassPick pass, std::vector<PassPick>& picks)
{
    const std::vector<parallel::VocabularyPlacement> ends{parallel::VocabularyPlacement::Ends}; // of one stage
    parallel::Strategy s;
    s.tp = division.tp;
    s.cp = division.cp;
    s.contextMethod = division.contextMethod;
    s.sequenceParallel = pass.sequenceParallel;
    s.tensorPartition = pass.partition;
    if (!m_rules.allow(s))
        return;
    for (const parallel::VocabularyPlacement placement : division.pp > 1 ? m_scope.placements : ends)
        for (const parallel::Offload offload : m_scope.offloads)
            for (const parallel::Recompute recompute : parallel::kAllRecompute)
                if (allowed(m_scope.space.recomputes, recompute)) {
                    pass.vocabulary = placement;
                    pass.offload = offload;
                    pass.recompute = recompute;
                    addWays(pass, picks);
                }
}

void SpaceChoices::addWays(PassPick pass, std::vector<PassPick>& picks) const
{
    const bool ends = pass.vocabulary == parallel::VocabularyPlacement::Ends;
    const plan::IntChoice& layers = m_scope.space.recomputedLayers;
    if (pass.recompute != parallel::Recompute::Full || layers.allows(0)) {
        picks.push_back(pass);
        if (ends && m_scope.hasUneven) {
            picks.push_back(pass);
            picks.back().uneven = true;
        }
    }
    // Of ways to need less memory it is tried by itself.
    if (pass.recompute != parallel::Recompute::Full || pass.offload != parallel::Offload::None || !ends
        || pass.partition != parallel::TensorPartition::Megatron) // which divides all layers alike
        return;
    const bool any = layers.only.empty()
        ? layers.most > 0
        : std::any_of(layers.only.begin(), layers.only.end(), [](int count) { return count > 0; });
    pass.firstLayers = true;
    if (any)
        picks.push_back(pass);
}

} // namespace stratoplan::space
