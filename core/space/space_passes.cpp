// SPDX-License-Identifier: Apache-2.0
// Of the search tree: the ways to run a micro-batch.
#include "core/space/space_rules.h"
#include "core/space/space_tree.h"

#include <algorithm>

namespace stratoplan::space {

void PassPick::applyTo(parallel::Strategy& strategy) const
{
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

std::vector<PassPick> SpaceTree::findPasses(const Division& division, Rules& rules) const
{
    const std::vector<parallel::VocabularyPlacement> ends{parallel::VocabularyPlacement::Ends}; // of one stage
    std::vector<PassPick> picks;
    for (const bool sequenceParallel : {false, true}) {
        // One tensor rank has nothing to share, whatever the space says.
        if (division.tp == 1 ? sequenceParallel : !allowed(m_space.sequenceParallel, sequenceParallel))
            continue;
        parallel::Strategy s;
        s.tp = division.tp;
        s.cp = division.cp;
        s.contextMethod = division.contextMethod;
        s.sequenceParallel = sequenceParallel;
        if (!rules.allow(s))
            continue;
        for (const parallel::VocabularyPlacement placement : division.pp > 1 ? m_placements : ends)
            for (const parallel::Offload offload : m_offloads)
                for (const parallel::Recompute recompute : parallel::kAllRecompute)
                    if (allowed(m_space.recomputes, recompute))
                        addPasses({sequenceParallel, recompute, false, placement, offload}, picks);
    }
    return picks;
}

void SpaceTree::addPasses(PassPick pass, std::vector<PassPick>& picks) const
{
    const bool ends = pass.vocabulary == parallel::VocabularyPlacement::Ends;
    const plan::IntChoice& layers = m_space.recomputedLayers;
    if (pass.recompute != parallel::Recompute::Full || layers.allows(0)) {
        picks.push_back(pass);
        if (ends && m_hasUneven) {
            picks.push_back(pass);
            picks.back().uneven = true;
        }
    }
    // Of ways to need less memory it is tried by itself.
    if (pass.recompute != parallel::Recompute::Full || pass.offload != parallel::Offload::None || !ends)
        return;
    const bool any = layers.only.empty()
        ? layers.most > 0
        : std::any_of(layers.only.begin(), layers.only.end(), [](int count) { return count > 0; });
    pass.firstLayers = true;
    if (any)
        picks.push_back(pass);
}

} // namespace stratoplan::space
