// SPDX-License-Identifier: Apache-2.0
// Of the last kind of node: splits whose first and last stages have other layers than their even share.
#include "core/search/explore_leaves.h"

#include <algorithm>

namespace stratoplan {

void Explorer::Leaves::findUneven()
{
    for (std::size_t begin = 0, end = 0; begin < m_picks.size();
         begin = end) { // picks of as many chunks follow each other
        const int chunks = m_picks[begin].vpp;
        while (end < m_picks.size() && m_picks[end].vpp == chunks)
            ++end;
        const Splits& splits = m_explorer.splits(m_strategy.pp, chunks);
        for (std::size_t i = 0; i < splits.shares.size(); ++i)
            m_uneven.push_back({m_picks.subspan(begin, end - begin),
                &m_explorer.m_tree.unevenSplits(m_strategy.pp, chunks)[i], &splits.shares[i]});
    }
}

/// Whatever its schedule, a split takes what its busiest stage has to do.
void Explorer::Leaves::boundUneven(const PlacementPick& placement)
{
    const PricedPass pass = placed(placement.groups.front());
    const bool bounds = uses(PruneRule::MicroBatchBound);
    const PieceSeconds pieces = bounds ? pass.pieces() : PieceSeconds();
    for (Uneven& uneven : m_uneven) {
        uneven.bound = m_at.node.bound;
        if (!bounds || m_explorer.m_stop.stop_requested())
            continue;
        Seconds most{};
        for (const StageShare& share : *uneven.shares)
            most = std::max(most, share * pieces);
        uneven.bound =
            std::max(uneven.bound, m_explorer.m_valuation.bound(pass.division().stepOfStage(most), m_strategy));
    }
}

void Explorer::Leaves::openUneven(const PlacementPick& placement)
{
    boundUneven(placement);
    ClosedForms least; // whichever the split
    for (Uneven& uneven : m_uneven) {
        if (stopped())
            return;
        if (m_explorer.loses(m_at, PruneRule::MicroBatchBound, uneven.bound, m_at.node.peak,
                std::int64_t(uneven.picks.size()) * strategies()))
            continue;
        if (uneven.pipelines.empty()) {
            for (const PipelinePick& pick : uneven.picks)
                uneven.pipelines.push_back({pick, uneven.layers});
            if (m_explorer.m_options.keep == FrontKind::Whole)
                fitAll(uneven.pipelines);
        }
        forgetClosedForms();
        for (Pipeline& pipeline : uneven.pipelines) {
            if (isLeftOut(pipeline.pick))
                continue;
            if (uses(PruneRule::PipelineBound)) {
                const Seconds step =
                    closedForm(least, pipeline.pick, [&] { return leastPipeline(placement, pipeline.pick); });
                if (m_explorer.loses(m_at, PruneRule::PipelineBound, m_explorer.m_valuation.bound(step, m_strategy),
                        m_at.node.peak, strategies()))
                    continue;
            }
            openPipeline(placement, uneven.bound, uneven.pipelines, pipeline);
        }
    }
}

/// The closed form of a pipeline whose chunks each have as few layers as in any split. It is built of sums and maxima
/// of a stage's forward pass, its backward pass but for the weight gradients, and these, none of them taken less than
/// zero times; where steps are staggered a fill is taken from times that contain it. All of these rise with the layers
/// of the chunks.
PricedPipeline Explorer::Leaves::leastPipeline(const PlacementPick& placement, const PipelinePick& pick)
{
    m_strategy.zeroStage = m_strategy.zeroShards = 0;
    SplitPick{pick, nullptr}.applyTo(m_strategy);
    return placed(placement.groups.front()).unsharded(m_explorer.splits(m_strategy.pp, pick.vpp).leastChunks);
}

} // namespace stratoplan
