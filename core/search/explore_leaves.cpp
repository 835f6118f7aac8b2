// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore_leaves.h"

#include "core/parallel/route.h"
#include "core/pipeline/program.h"
#include "core/search/no_room.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan {
namespace {

/// The schedule whose closed form is the same in as many chunks and that holds no more micro-batches and predictions.
///
/// pipelineSeconds() sees of a schedule its chunks, whether it splits the backward pass and whether it staggers steps:
/// GPipe, 1F1B and eager 1F1B agree in all three, and so do interleaved and breadth-first. A stage of 1F1B holds min(m,
/// p - i) micro-batches, of eager 1F1B min(m, 2 (p - i) - 1), of GPipe m; interleaved ones hold at most m,
/// breadth-first ones m. GPipe and breadth-first keep the predictions of all micro-batches, the others of one. A peak
/// rises with both.
std::optional<Schedule> leaner(Schedule schedule)
{
    switch (schedule) {
    case Schedule::GPipe:
    case Schedule::EagerOneFOneB:
        return Schedule::OneFOneB;
    case Schedule::BreadthFirst:
        return Schedule::Interleaved;
    default:
        return std::nullopt;
    }
}

} // namespace

Explorer::Leaves::Leaves(Explorer& explorer, Subtree& at)
    : m_explorer(explorer)
    , m_at(at)
    , m_degrees(explorer.m_tree.degrees(
          *at.node.division, explorer.m_tree.experts(*at.node.division)[std::size_t(at.node.experts)]))
    , m_strategy(m_degrees.strategy)
    , m_shardGroups(m_degrees.shardGroups())
    , m_shardings(m_degrees.shardings.begin(), m_degrees.shardings.end())
{
    const PassPick& pass = m_degrees.passes[std::size_t(at.node.pass)];
    m_strategy.microBatch = at.node.microBatch;
    pass.applyTo(m_strategy);
    if (pass.firstLayers) {
        const std::vector<int>& all = explorer.m_tree.firstLayers(m_strategy.pp);
        m_firstLayers.assign(all.begin() + at.node.firstLayers, all.end());
    }
    std::stable_sort(m_shardings.begin(), m_shardings.end(),
        [](const ShardingPick& a, const ShardingPick& b) { return a.stage > b.stage; });
    m_picks = explorer.m_tree.pipelines(
        m_strategy.pp, explorer.m_globalBatch / m_strategy.dp / m_strategy.microBatch, pass.kind());
    if (pass.uneven)
        findUneven();
    else
        for (const PipelinePick& pick : m_picks)
            m_pipelines.push_back({pick});
    m_paired = std::any_of(
        m_pipelines.begin(), m_pipelines.end(), [](const Pipeline& one) { return runsPairs(one.pick.schedule); });
}

/// A strategy is told by the first order of its class, whichever order it was priced with.
void Explorer::Leaves::open()
{
    // Without peaks nothing is known to be beaten where low peaks count too.
    if (m_explorer.m_options.keep == FrontKind::Whole)
        fitAll(m_pipelines);
    const std::vector<PlacementPick>& placements = m_explorer.placements(m_at.node, m_degrees);
    const std::vector<PlacementPick> single =
        uses(PruneRule::SamePlacement) ? std::vector<PlacementPick>() : m_explorer.m_tree.placements(m_degrees, false);
    auto each = std::int64_t(m_pipelines.size()) * strategies();
    for (const Uneven& uneven : m_uneven)
        each += std::int64_t(uneven.picks.size()) * strategies();
    for (const PlacementPick& placement : placements) {
        m_strategy.rankOrder = placement.orders.front();
        if (single.empty()) {
            openPlacement(placement);
            m_explorer.drop(m_at, PruneRule::SamePlacement, each * (std::int64_t(placement.orders.size()) - 1));
            continue;
        }
        for (const PlacementPick& one : single)
            if (std::find(placement.orders.begin(), placement.orders.end(), one.orders.front())
                != placement.orders.end())
                openPlacement(one);
    }
    simulateWaiting();
}

bool Explorer::Leaves::stopped()
{
    return stops(m_at);
}

bool Explorer::Leaves::isLeftOut(const PipelinePick& pick) const
{
    return m_at.mode == SearchMode::ClosedForm && !hasClosedForm(pick.schedule);
}

/// Schedules of one split and sharding have all but their activations in common.
void Explorer::Leaves::fitAll(Pipelines& pipelines)
{
    for (std::size_t begin = 0, end = 0; begin < pipelines.size(); begin = end) {
        while (end < pipelines.size() && pipelines[end].pick.vpp == pipelines[begin].pick.vpp)
            ++end;
        fit(std::span(pipelines).subspan(begin, end - begin));
    }
    for (Pipeline& pipeline : pipelines)
        dropSameClosedForm(pipelines, pipeline);
}

double Explorer::Leaves::peakOf(Strategy& s, const Pipeline& pipeline, const ShardingPick& sharding, int firstLayers)
{
    s.zeroStage = sharding.stage;
    s.zeroShards = sharding.shards;
    SplitPick{pipeline.pick, pipeline.layers}.applyTo(s);
    if (firstLayers > 0)
        recomputeFirst(s, m_explorer.m_tree.layers(), firstLayers);
    return m_explorer.fittingPeak(s);
}

/// Peaks depend on no place of a group. Where fewer recomputed layers have room, so do more: of the best strategy alone
/// the fewest are looked for, and the peaks of the others are found where they count.
void Explorer::Leaves::fit(std::span<Pipeline> pipelines)
{
    Strategy s = m_strategy;
    std::vector<NoRoom> full(pipelines.size(), NoRoom(m_explorer.m_flattens));
    for (Pipeline& pipeline : pipelines)
        pipeline.isKnown = true;
    const double room = uses(PruneRule::OutOfMemory) ? m_explorer.m_valuation.mostBytes() : INFINITY;
    const bool all = m_explorer.m_options.keep == FrontKind::Whole || !uses(PruneRule::OutOfMemory);
    for (const ShardingPick& sharding : m_shardings) {
        const auto groups =
            std::size_t(std::find(m_shardGroups.begin(), m_shardGroups.end(), sharding.shards) - m_shardGroups.begin());
        for (std::size_t i = 0; i < pipelines.size(); ++i) {
            Pipeline& pipeline = pipelines[i];
            if (isLeftOut(pipeline.pick))
                continue;
            const auto peak = [&](int firstLayers) { return peakOf(s, pipeline, sharding, firstLayers); };
            const double least =
                uses(PruneRule::OutOfMemory) && full[i].holds(sharding) ? INFINITY : peak(m_firstLayers.back());
            if (!(least <= room)) {
                full[i].add(sharding);
                pipeline.full += std::int64_t(m_firstLayers.size());
                continue;
            }
            const auto fewest = m_firstLayers.size() == 1
                ? m_firstLayers.begin()
                : std::partition_point(
                    m_firstLayers.begin(), m_firstLayers.end() - 1, [&](int count) { return !(peak(count) <= room); });
            pipeline.full += fewest - m_firstLayers.begin();
            for (auto count = fewest; count != m_firstLayers.end(); ++count) {
                const bool last = count + 1 == m_firstLayers.end();
                pipeline.fitting.push_back({sharding, groups, last ? least : all ? peak(*count) : NAN, *count});
                pipeline.leastPeak = std::min(pipeline.leastPeak, all || last ? pipeline.fitting.back().peak : 0);
            }
        }
    }
}

Explorer::Leaves::Pipeline* Explorer::Leaves::leanerTwin(Pipelines& pipelines, const Pipeline& pipeline)
{
    const auto schedule = leaner(pipeline.pick.schedule);
    if (!schedule || m_at.mode != SearchMode::ClosedForm || !uses(PruneRule::SameClosedForm))
        return nullptr;
    const auto twin = std::find_if(pipelines.begin(), pipelines.end(), [&](const Pipeline& other) {
        return other.pick == PipelinePick{*schedule, pipeline.pick.vpp, pipeline.pick.timingPass};
    });
    return twin == pipelines.end() ? nullptr : &*twin;
}

/// Strategies that take as long as another one which fits and has a lower peak belong to no front.
void Explorer::Leaves::dropSameClosedForm(Pipelines& pipelines, Pipeline& pipeline)
{
    const Pipeline* twin = leanerTwin(pipelines, pipeline);
    if (twin == nullptr)
        return;
    pipeline.same = std::int64_t(std::erase_if(pipeline.fitting, [&](const Sharding& sharding) {
        return std::any_of(twin->fitting.begin(), twin->fitting.end(), [&](const Sharding& other) {
            return other.pick == sharding.pick && other.firstLayers == sharding.firstLayers
                && other.peak < sharding.peak;
        });
    }));
}

/// Of first layers as if none were repeated.
double Explorer::Leaves::microBatchStep(const PlacementPick& placement)
{
    if (m_firstLayers.front() > 0)
        recomputeAll(m_strategy, Recompute::None);
    return m_explorer.m_valuation.bound(placed(placement.groups.front()).microBatchStep(m_paired), m_strategy);
}

/// Whether a step is no shorter with more layers recomputed: each adds to the passes of its stage, and what hides
/// behind it of gradients and of parameters is no more than that. Not where the room it makes changes the schedule.
bool Explorer::Leaves::risesWithRepeats(const Pipeline& pipeline) const
{
    return uses(PruneRule::MoreRecomputation) && m_firstLayers.front() > 0
        && pipeline.pick.schedule != Schedule::ZbAuto;
}

void Explorer::Leaves::openPlacement(const PlacementPick& placement)
{
    m_strategy.zeroStage = m_strategy.zeroShards = 0;
    SplitPick{m_picks.front(), nullptr}.applyTo(m_strategy);
    m_strategy.timingPass = false;
    if (!m_uneven.empty())
        return openUneven(placement);
    forgetClosedForms();
    double bound = m_at.node.bound;
    if (uses(PruneRule::MicroBatchBound))
        bound = std::max(bound, microBatchStep(placement));
    for (Pipeline& pipeline : m_pipelines) {
        if (stopped())
            return;
        if (!isLeftOut(pipeline.pick))
            openPipeline(placement, bound, m_pipelines, pipeline);
    }
}

Seconds Explorer::Leaves::closedForm(
    ClosedForms& forms, const PipelinePick& pick, const std::function<PricedPipeline()>& find)
{
    const auto of = [&](const PipelinePick& one) {
        const PipelinePick like{leaner(one.schedule).value_or(one.schedule), one.vpp, one.timingPass};
        return std::pair(
            like, std::find_if(forms.begin(), forms.end(), [&](const auto& form) { return form.first == like; }));
    };
    if (const auto known = of(pick).second; known != forms.end())
        return known->second;
    PricedPipeline pipeline = find();
    const Seconds found = pipeline.step(PipelineTime::ClosedForm);
    forms.emplace_back(of(pick).first, found);
    const auto isLoop = [](const PipelinePick& one) { return shape(one.schedule) == PipelineShape::Loop; };
    if (!isLoop(pick) || m_strategy.offload == Offload::Activations)
        return found;
    for (const PipelinePick& other : m_picks) { // their passes cost the same
        if (other.vpp != pick.vpp || other.timingPass != pick.timingPass || !isLoop(other) || isLeftOut(other)
            || other.schedule == Schedule::ZbAuto)
            continue;
        if (const auto [like, known] = of(other); known == forms.end()) {
            pipeline.setSchedule(other.schedule);
            forms.emplace_back(like, pipeline.step(PipelineTime::ClosedForm));
        }
    }
    return found;
}

/// What is to be compared with this search prices each by itself.
Seconds Explorer::Leaves::closedForm(const PricedPass& pass, const Pipeline& pipeline, const Sharding& sharding)
{
    if (m_explorer.m_options.exhaustive || sharding.firstLayers > 0 || pipeline.pick.schedule == Schedule::ZbAuto)
        return pass.pipeline().step(PipelineTime::ClosedForm);
    return closedForm(
        m_shardedForms[{sharding.pick.stage, sharding.pick.shards}], pipeline.pick, [&] { return pass.pipeline(); });
}

void Explorer::Leaves::forgetClosedForms()
{
    m_closedForms.clear();
    for (auto& [sharding, forms] : m_shardedForms)
        forms.clear();
}

/// The peak is found where the step alone does not drop the strategies.
void Explorer::Leaves::openPipeline(
    const PlacementPick& placement, double bound, Pipelines& pipelines, Pipeline& pipeline)
{
    const double knownPeak = pipeline.isKnown ? pipeline.leastPeak : 0;
    const auto undecided = strategies() - (pipeline.isKnown ? pipeline.full + pipeline.same : 0);
    const auto dropUnfit = [&] {
        m_explorer.drop(m_at, PruneRule::OutOfMemory, pipeline.full);
        m_explorer.drop(m_at, PruneRule::SameClosedForm, pipeline.same);
    };
    if (pipeline.isKnown)
        dropUnfit();
    if (undecided == 0 || m_explorer.loses(m_at, PruneRule::MicroBatchBound, bound, knownPeak, undecided))
        return;
    SplitPick{pipeline.pick, pipeline.layers}.applyTo(m_strategy);
    if (m_firstLayers.front() > 0)
        recomputeFirst(m_strategy, m_explorer.m_tree.layers(), m_firstLayers.front());
    if (uses(PruneRule::PipelineBound)) {
        m_strategy.zeroStage = m_strategy.zeroShards = 0;
        const auto unsharded = [&] { return placed(placement.groups.front()).unsharded(); };
        bound = std::max(
            bound, m_explorer.m_valuation.bound(closedForm(m_closedForms, pipeline.pick, unsharded), m_strategy));
        if (m_explorer.loses(m_at, PruneRule::PipelineBound, bound, knownPeak, undecided))
            return;
        if (m_at.mode == SearchMode::Simulated) { // the dearer bound
            bound = std::max(bound, m_explorer.m_valuation.bound(unsharded().step(PipelineTime::Bound), m_strategy));
            if (m_explorer.loses(m_at, PruneRule::PipelineBound, bound, knownPeak, undecided))
                return;
        }
    }
    if (!pipeline.isKnown) {
        fit({&pipeline, 1});
        if (Pipeline* twin = leanerTwin(pipelines, pipeline); twin != nullptr && !twin->isKnown)
            fit({twin, 1});
        dropSameClosedForm(pipelines, pipeline);
        dropUnfit();
    }
    double least = bound;
    const Sharding* before = nullptr;
    for (Sharding& sharding : pipeline.fitting) {
        if (before == nullptr || !(before->pick == sharding.pick))
            least = bound;
        before = &sharding;
        if (!m_explorer.loses(m_at, PruneRule::PipelineBound, bound, sharding.peak, 1))
            openSharding(placement, pipeline, sharding, least);
    }
}

/// `bound`: of this one, and of those that recompute more.
void Explorer::Leaves::openSharding(
    const PlacementPick& placement, const Pipeline& pipeline, Sharding& sharding, double& bound)
{
    if (risesWithRepeats(pipeline) && m_explorer.loses(m_at, PruneRule::MoreRecomputation, bound, sharding.peak, 1))
        return;
    if (std::isnan(sharding.peak)) {
        Strategy s = m_strategy;
        sharding.peak = peakOf(s, pipeline, sharding.pick, sharding.firstLayers);
    }
    bound = std::max(bound, openLeaf(placement, pipeline, sharding));
}

double Explorer::Leaves::openLeaf(const PlacementPick& placement, const Pipeline& pipeline, const Sharding& sharding)
{
    m_strategy.zeroStage = sharding.pick.stage;
    m_strategy.zeroShards = sharding.pick.shards;
    if (sharding.firstLayers > 0)
        recomputeFirst(m_strategy, m_explorer.m_tree.layers(), sharding.firstLayers);
    const PricedPass pass = placed(placement.groups[sharding.groups]);
    if (m_at.mode == SearchMode::Simulated && uses(PruneRule::ClosedFormBound)) {
        double least = m_explorer.m_valuation.bound(closedForm(pass, pipeline, sharding), m_strategy);
        if (m_explorer.loses(m_at, PruneRule::ClosedFormBound, least, sharding.peak, 1))
            return least;
        least = m_explorer.m_valuation.bound(pass.pipeline().step(PipelineTime::Bound), m_strategy); // the dearer bound
        if (m_explorer.loses(m_at, PruneRule::ClosedFormBound, least, sharding.peak, 1))
            return least;
        m_waiting.push_back({least, sharding.peak, m_strategy});
        return least;
    }
    ++m_at.result.evaluated;
    const bool simulates = m_at.mode == SearchMode::Simulated;
    const Seconds step =
        simulates ? pass.pipeline().step(PipelineTime::Simulated) : closedForm(pass, pipeline, sharding);
    m_explorer.record(m_at, step, sharding.peak, m_strategy);
    return simulates ? 0 : m_explorer.m_valuation.bound(step, m_strategy);
}

/// The most promising first: most of the others then need no simulation.
void Explorer::Leaves::simulateWaiting()
{
    std::stable_sort(
        m_waiting.begin(), m_waiting.end(), [](const Waiting& a, const Waiting& b) { return a.bound < b.bound; });
    for (const Waiting& waiting : m_waiting) {
        if (stopped())
            return;
        if (m_explorer.loses(m_at, PruneRule::ClosedFormBound, waiting.bound, waiting.peak, 1))
            continue;
        ++m_at.result.evaluated;
        if (const auto priced = price(m_explorer.m_pricing, waiting.strategy, PipelineTime::Simulated))
            m_explorer.record(m_at, priced->step, waiting.peak, waiting.strategy);
    }
}

} // namespace stratoplan
