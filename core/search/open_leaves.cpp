// SPDX-License-Identifier: Apache-2.0
#include "core/search/open_leaves.h"

#include "core/pipeline/program.h"
#include "core/pricing/priced_pass.h"
#include "core/search/closed_forms.h"
#include "core/search/divided_leaves.h"
#include "core/search/leaf_room.h"
#include "core/search/uneven_leaves.h"
#include "core/search/unlike_leaves.h"
#include "core/search/waiting_leaves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stratoplan::search {
namespace {

/// What is settled above the leaves.
struct SettledPass {
    SettledPass(const ExploredPlan& plan, const Node& node)
        : degrees(plan.tree.degrees(*node.division, plan.tree.experts(*node.division)[std::size_t(node.experts)]))
        , pick(degrees.passes[std::size_t(node.pass)])
        , strategy(degrees.strategy)
    {
        strategy.microBatch = node.microBatch;
        pick.applyTo(strategy);
        if (pick.firstLayers) {
            const std::vector<int>& all = plan.tree.firstLayers(strategy.pp);
            firstLayers.assign(all.begin() + node.firstLayers, all.end());
        }
    }
    space::Degrees degrees;
    space::PassPick pick;
    parallel::Strategy strategy;
    std::vector<int> firstLayers{0}; ///< of every stage that may be recomputed, by rising number; 0: as the pass says
};

class LeafOpener {
public:
    LeafOpener(ExploredPlan& plan, Opening& opening)
        : LeafOpener(plan, opening, SettledPass(plan, opening.node()))
    {
    }
    void open();

private:
    LeafOpener(ExploredPlan& plan, Opening& opening, SettledPass settled);

    [[nodiscard]] bool uses(PruneRule rule) const { return m_opening.uses(rule); }
    [[nodiscard]] bool recomputesFirst() const { return m_firstLayers.front() > 0; }
    [[nodiscard]] bool risesWithRepeats(const LeafPipeline& pipeline) const;
    [[nodiscard]] double valueBound(Seconds step) const { return m_plan.valuation.bound(step, m_strategy); }

    [[nodiscard]] std::int64_t strategiesOfPlacement() const;
    void openPlacement(const space::PlacementPick& placement);
    void openEven(const space::PlacementPick& placement);
    void openUneven(const space::PlacementPick& placement);
    void openSplit(const space::PlacementPick& placement, UnevenLeaves& split, double bound, ClosedForms& least);
    void openPipeline(
        const space::PlacementPick& placement, double bound, LeafPipelines& pipelines, LeafPipeline& pipeline);
    void dropUnfit(const LeafPipeline& pipeline);
    void openShardings(const space::PlacementPick& placement, double bound, LeafPipeline& pipeline);
    /// Gives a bound of the strategy, and of those that only repeat more; 0: not known.
    double openLeaf(const space::PlacementPick& placement, const LeafPipeline& pipeline, const LeafSharding& sharding);
    double putOff(const pricing::PricedPass& pass, const LeafPipeline& pipeline, const LeafSharding& sharding);

    [[nodiscard]] JudgedBound judgedPipeline(
        const space::PlacementPick& placement, double bound, double peak, const LeafPipeline& pipeline);
    [[nodiscard]] JudgedBound judgedLeaf(
        const pricing::PricedPass& pass, const LeafPipeline& pipeline, const LeafSharding& sharding);
    [[nodiscard]] double microBatchBound(const space::PlacementPick& placement);
    [[nodiscard]] pricing::PricedPipeline leastPipeline(
        const space::PlacementPick& placement, const space::PipelinePick& pick);
    /// Those of other loops are found with it.
    template <class Find>
    [[nodiscard]] Seconds closedForm(ClosedForms& forms, const space::PipelinePick& pick, Find find) const;
    /// Of the strategy, which has this pipeline and sharding.
    [[nodiscard]] Seconds closedForm(
        const pricing::PricedPass& pass, const LeafPipeline& pipeline, const LeafSharding& sharding);
    void forgetClosedForms();
    /// The strategy as it is settled by now.
    [[nodiscard]] pricing::PricedPass placed(const parallel::GroupSpans& groups) const
    {
        return {m_plan.pricing.division(m_strategy), groups};
    }

    ExploredPlan& m_plan;
    Opening& m_opening;
    const space::Degrees m_degrees;
    parallel::Strategy m_strategy; ///< as far as it is settled
    const std::vector<int> m_firstLayers;
    const LeafRoom m_room;
    std::span<const space::PipelinePick> m_picks;
    LeafPipelines m_pipelines; ///< of the even split; none where other ones are asked for:
    std::vector<UnevenLeaves> m_uneven;
    bool m_paired = false; ///< one of the even ones runs passes together
    // In the place, and of the split, that are open
    ClosedForms m_closedForms; ///< before states are sharded
    std::map<std::pair<int, int>, ClosedForms> m_shardedForms; ///< by ZeRO stage and shards
    WaitingLeaves m_waiting;
};

LeafOpener::LeafOpener(ExploredPlan& plan, Opening& opening, SettledPass settled)
    : m_plan(plan)
    , m_opening(opening)
    , m_degrees(std::move(settled.degrees))
    , m_strategy(std::move(settled.strategy))
    , m_firstLayers(std::move(settled.firstLayers))
    , m_room(plan, opening, m_degrees, m_strategy, m_firstLayers)
    , m_picks(plan.tree.pipelines(m_strategy.pp, plan.microBatches(m_strategy), settled.pick.kind()))
{
    if (settled.pick.uneven)
        m_uneven = unevenLeaves(plan.tree, plan.pipelines, m_strategy.pp, m_picks, opening.stop());
    else
        m_pipelines = leafPipelines(m_picks, nullptr);
    m_paired = std::any_of(m_pipelines.begin(), m_pipelines.end(),
        [](const LeafPipeline& pipeline) { return pipeline::runsPairs(pipeline.pick.schedule); });
}

/// A strategy is told by the first order of its class, whichever order it was priced with.
void LeafOpener::open()
{
    // Without peaks nothing is known to be beaten where low peaks count too.
    if (m_plan.options.keep == FrontKind::Whole)
        m_room.fitAll(m_pipelines);
    const std::vector<space::PlacementPick>& placements = m_plan.placements.find(m_opening.node(), m_degrees);
    const std::vector<space::PlacementPick> single = uses(PruneRule::SamePlacement)
        ? std::vector<space::PlacementPick>()
        : m_degrees.placements(m_plan.pricing.topology(), false);
    for (const space::PlacementPick& placement : placements) {
        m_strategy.rankOrder = placement.orders.front();
        if (single.empty()) {
            openPlacement(placement);
            m_opening.drop(
                PruneRule::SamePlacement, strategiesOfPlacement() * (std::int64_t(placement.orders.size()) - 1));
            continue;
        }
        for (const space::PlacementPick& ofOneOrder : single)
            if (std::ranges::find(placement.orders, ofOneOrder.orders.front()) != placement.orders.end())
                openPlacement(ofOneOrder);
    }
    m_waiting.simulate(m_plan, m_opening);
}

std::int64_t LeafOpener::strategiesOfPlacement() const
{
    std::size_t pipelines = m_pipelines.size();
    for (const UnevenLeaves& split : m_uneven)
        pipelines += split.picks.size();
    return std::int64_t(pipelines) * m_room.strategies();
}

void LeafOpener::openPlacement(const space::PlacementPick& placement)
{
    m_strategy.zeroStage = m_strategy.zeroShards = 0;
    space::SplitPick{m_picks.front(), nullptr}.applyTo(m_strategy);
    m_strategy.timingPass = false;
    if (m_uneven.empty())
        openEven(placement);
    else
        openUneven(placement);
}

void LeafOpener::openEven(const space::PlacementPick& placement)
{
    forgetClosedForms();
    double bound = m_opening.node().bound;
    if (uses(PruneRule::MicroBatchBound))
        bound = std::max(bound, microBatchBound(placement));
    for (LeafPipeline& pipeline : m_pipelines) {
        if (m_opening.isStopped())
            return;
        if (!m_room.isLeftOut(pipeline.pick))
            openPipeline(placement, bound, m_pipelines, pipeline);
    }
}

void LeafOpener::openUneven(const space::PlacementPick& placement)
{
    const pricing::PricedPass pass = placed(placement.groups.front());
    const bool bounds = uses(PruneRule::MicroBatchBound);
    const pricing::PieceSeconds pieces = bounds ? pass.pieces() : pricing::PieceSeconds();
    ClosedForms least; // whichever the split
    for (UnevenLeaves& split : m_uneven) {
        if (m_opening.isStopped())
            return;
        double bound = m_opening.node().bound;
        if (bounds)
            bound = std::max(bound, valueBound(leastStep(split, pieces, pass.division())));
        if (const auto rule = m_opening.against(PruneRule::MicroBatchBound, bound, m_opening.node().peak))
            m_opening.drop(*rule, std::int64_t(split.picks.size()) * m_room.strategies());
        else
            openSplit(placement, split, bound, least);
    }
}

/// `least`: closed forms that no split undercuts.
void LeafOpener::openSplit(const space::PlacementPick& placement, UnevenLeaves& split, double bound, ClosedForms& least)
{
    if (split.pipelines.empty()) {
        split.pipelines = leafPipelines(split.picks, split.layers);
        if (m_plan.options.keep == FrontKind::Whole)
            m_room.fitAll(split.pipelines);
    }
    forgetClosedForms();
    for (LeafPipeline& pipeline : split.pipelines) {
        if (m_room.isLeftOut(pipeline.pick))
            continue;
        std::optional<PruneRule> rule;
        if (uses(PruneRule::PipelineBound)) {
            const Seconds step =
                closedForm(least, pipeline.pick, [&] { return leastPipeline(placement, pipeline.pick); });
            rule = m_opening.against(PruneRule::PipelineBound, valueBound(step), m_opening.node().peak);
        }
        if (rule)
            m_opening.drop(*rule, m_room.strategies());
        else
            openPipeline(placement, bound, split.pipelines, pipeline);
    }
}

/// The peak is found where the step alone does not drop the strategies.
void LeafOpener::openPipeline(
    const space::PlacementPick& placement, double bound, LeafPipelines& pipelines, LeafPipeline& pipeline)
{
    const bool wasKnown = pipeline.isKnown;
    if (wasKnown)
        dropUnfit(pipeline);
    const auto undecided = m_room.strategies() - (wasKnown ? pipeline.full + pipeline.same : 0);
    if (undecided == 0)
        return;
    const JudgedBound judged = judgedPipeline(placement, bound, wasKnown ? pipeline.leastPeak : 0, pipeline);
    if (judged.droppedBy)
        return m_opening.drop(*judged.droppedBy, undecided);
    if (!wasKnown) {
        m_room.fit(pipelines, pipeline);
        dropUnfit(pipeline);
    }
    openShardings(placement, judged.bound, pipeline);
}

void LeafOpener::dropUnfit(const LeafPipeline& pipeline)
{
    m_opening.drop(PruneRule::OutOfMemory, pipeline.full);
    m_opening.drop(PruneRule::SameClosedForm, pipeline.same);
}

/// Settles the pipeline. `peak`: that all its strategies reach.
JudgedBound LeafOpener::judgedPipeline(
    const space::PlacementPick& placement, double bound, double peak, const LeafPipeline& pipeline)
{
    if (const auto rule = m_opening.against(PruneRule::MicroBatchBound, bound, peak))
        return {bound, rule};
    space::SplitPick{pipeline.pick, pipeline.layers}.applyTo(m_strategy);
    if (recomputesFirst())
        space::recomputeFirst(m_strategy, m_plan.tree.layers(), m_firstLayers.front());
    if (!uses(PruneRule::PipelineBound))
        return {bound};
    m_strategy.zeroStage = m_strategy.zeroShards = 0;
    const auto unsharded = [&] { return placed(placement.groups.front()).unsharded(); };
    bound = std::max(bound, valueBound(closedForm(m_closedForms, pipeline.pick, unsharded)));
    if (const auto rule = m_opening.against(PruneRule::PipelineBound, bound, peak))
        return {bound, rule};
    if (m_opening.mode() == plan::SearchMode::ClosedForm)
        return {bound};
    bound = std::max(bound, valueBound(unsharded().step(pricing::PipelineTime::Bound))); // the dearer bound
    return {bound, m_opening.against(PruneRule::PipelineBound, bound, peak)};
}

void LeafOpener::openShardings(const space::PlacementPick& placement, double bound, LeafPipeline& pipeline)
{
    double rising = bound; // of a sharding, and of what recomputes more
    const LeafSharding* before = nullptr;
    for (LeafSharding& sharding : pipeline.fitting) {
        if (before == nullptr || !(before->pick == sharding.pick))
            rising = bound;
        before = &sharding;
        auto rule = m_opening.against(PruneRule::PipelineBound, bound, sharding.peak);
        if (!rule && risesWithRepeats(pipeline))
            rule = m_opening.against(PruneRule::MoreRecomputation, rising, sharding.peak);
        if (rule) {
            m_opening.drop(*rule, 1);
            continue;
        }
        if (std::isnan(sharding.peak))
            sharding.peak = m_room.peak(pipeline, sharding);
        rising = std::max(rising, openLeaf(placement, pipeline, sharding));
    }
}

/// Whether a step is no shorter with more layers recomputed: each adds to the passes of its stage, and what hides
/// behind it of gradients and of parameters is no more than that. Not where the room it makes changes the schedule.
bool LeafOpener::risesWithRepeats(const LeafPipeline& pipeline) const
{
    return uses(PruneRule::MoreRecomputation) && recomputesFirst()
        && pipeline.pick.schedule != parallel::Schedule::ZbAuto;
}

double LeafOpener::openLeaf(
    const space::PlacementPick& placement, const LeafPipeline& pipeline, const LeafSharding& sharding)
{
    m_strategy.zeroStage = sharding.pick.stage;
    m_strategy.zeroShards = sharding.pick.shards;
    if (sharding.firstLayers > 0)
        space::recomputeFirst(m_strategy, m_plan.tree.layers(), sharding.firstLayers);
    const pricing::PricedPass pass = placed(placement.groups[sharding.groups]);
    const bool simulates = m_opening.mode() == plan::SearchMode::Simulated;
    if (simulates && uses(PruneRule::ClosedFormBound))
        return putOff(pass, pipeline, sharding);
    m_opening.countEvaluated();
    const Seconds step =
        simulates ? pass.pipeline().step(pricing::PipelineTime::Simulated) : closedForm(pass, pipeline, sharding);
    record(m_plan, m_opening, step, sharding.peak, m_strategy);
    return simulates ? 0 : valueBound(step);
}

double LeafOpener::putOff(const pricing::PricedPass& pass, const LeafPipeline& pipeline, const LeafSharding& sharding)
{
    const JudgedBound judged = judgedLeaf(pass, pipeline, sharding);
    if (judged.droppedBy)
        m_opening.drop(*judged.droppedBy, 1);
    else
        m_waiting.add(judged.bound, sharding.peak, m_strategy);
    return judged.bound;
}

JudgedBound LeafOpener::judgedLeaf(
    const pricing::PricedPass& pass, const LeafPipeline& pipeline, const LeafSharding& sharding)
{
    double bound = valueBound(closedForm(pass, pipeline, sharding));
    if (const auto rule = m_opening.against(PruneRule::ClosedFormBound, bound, sharding.peak))
        return {bound, rule};
    bound = valueBound(pass.pipeline().step(pricing::PipelineTime::Bound)); // the dearer bound
    return {bound, m_opening.against(PruneRule::ClosedFormBound, bound, sharding.peak)};
}

/// Of first layers as if none were repeated.
double LeafOpener::microBatchBound(const space::PlacementPick& placement)
{
    if (recomputesFirst())
        recomputeAll(m_strategy, parallel::Recompute::None);
    return valueBound(placed(placement.groups.front()).microBatchStep(m_paired));
}

/// The closed form of a pipeline whose chunks each have as few layers as in any split. It is built of sums and maxima
/// of a stage's forward pass, its backward pass but for the weight gradients, and these, none of them taken less than
/// zero times; where steps are staggered a fill is taken from times that contain it. All of these rise with the layers
/// of the chunks.
pricing::PricedPipeline LeafOpener::leastPipeline(
    const space::PlacementPick& placement, const space::PipelinePick& pick)
{
    m_strategy.zeroStage = m_strategy.zeroShards = 0;
    space::SplitPick{pick, nullptr}.applyTo(m_strategy);
    const UnevenSplits& splits = m_plan.pipelines.splits(m_strategy.pp, pick.vpp, m_opening.stop());
    return placed(placement.groups.front()).unsharded(splits.leastChunks);
}

template <class Find>
Seconds LeafOpener::closedForm(ClosedForms& forms, const space::PipelinePick& pick, Find find) const
{
    if (const std::optional<Seconds> known = forms.find(pick))
        return *known;
    pricing::PricedPipeline pipeline = find(); // first, as it settles the strategy
    const bool costAlike = m_strategy.offload != parallel::Offload::Activations;
    forms.add(pick, std::move(pipeline), costAlike ? m_picks : std::span<const space::PipelinePick>());
    return *forms.find(pick);
}

/// What is to be compared with this search prices each by itself.
Seconds LeafOpener::closedForm(
    const pricing::PricedPass& pass, const LeafPipeline& pipeline, const LeafSharding& sharding)
{
    if (m_plan.options.exhaustive || sharding.firstLayers > 0 || pipeline.pick.schedule == parallel::Schedule::ZbAuto)
        return pass.pipeline().step(pricing::PipelineTime::ClosedForm);
    return closedForm(
        m_shardedForms[{sharding.pick.stage, sharding.pick.shards}], pipeline.pick, [&] { return pass.pipeline(); });
}

void LeafOpener::forgetClosedForms()
{
    m_closedForms.clear();
    for (auto& [sharding, forms] : m_shardedForms)
        forms.clear();
}

} // namespace

void openLeaves(ExploredPlan& plan, Opening& opening)
{
    const SettledPass settled(plan, opening.node());
    if (plan.pricing.unlike() != nullptr)
        openUnlikeLeaves(plan, opening, settled.degrees, settled.pick, settled.strategy, settled.firstLayers);
    else if (settled.pick.partition == parallel::TensorPartition::SpatialTemporal)
        openDividedLeaves(plan, opening, settled.degrees, settled.pick, settled.strategy);
    else
        LeafOpener(plan, opening).open();
}

} // namespace stratoplan::search
