// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore_leaves.h"

#include "core/pipeline/program.h"
#include "core/search/no_room.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {
namespace {

const GroupSpans kNowhere; // where groups lie plays no part in bytes

/// The schedule whose closed form is the same in as many chunks and that holds no more micro-batches and predictions.
///
/// pipelineSeconds() sees of a schedule its chunks, whether it splits the backward pass and whether it staggers steps: GPipe, 1F1B
/// and eager 1F1B agree in all three, and so do interleaved and breadth-first. A stage of 1F1B holds min(m, p - i) micro-batches,
/// of eager 1F1B min(m, 2 (p - i) - 1), of GPipe m; interleaved ones hold at most m, breadth-first ones m. GPipe and breadth-first
/// keep the predictions of all micro-batches, the others of one. A peak rises with both.
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
    , m_degrees(explorer.m_tree.degrees(*at.node.division, explorer.m_tree.experts(*at.node.division)[std::size_t(at.node.experts)]))
    , m_strategy(m_degrees.strategy)
    , m_shardGroups(m_degrees.shardGroups())
    , m_shardings(m_degrees.shardings.begin(), m_degrees.shardings.end())
{
    const PassPick& pass = m_degrees.passes[std::size_t(at.node.pass)];
    m_strategy.microBatch = at.node.microBatch;
    pass.applyTo(m_strategy);
    std::stable_sort(m_shardings.begin(), m_shardings.end(), [](const ShardingPick& a, const ShardingPick& b) { return a.stage > b.stage; });
    for (const PipelinePick& pick : explorer.m_tree.pipelines(m_strategy.pp, explorer.m_globalBatch / m_strategy.dp / m_strategy.microBatch, vocabulary(pass.vocabulary)))
        m_pipelines.push_back({pick});
    m_paired = std::any_of(m_pipelines.begin(), m_pipelines.end(), [](const Pipeline& one) { return runsPairs(one.pick.schedule); });
}

/// A strategy is told by the first order of its class, whichever order it was priced with.
void Explorer::Leaves::open()
{
    // Without peaks nothing is known to be beaten where low peaks count too.
    if (m_explorer.m_options.keep == FrontKind::Whole)
        openAllPipelines();
    const std::vector<PlacementPick>& placements = m_explorer.placements(m_at.node, m_degrees);
    const std::vector<PlacementPick> single = uses(PruneRule::SamePlacement) ? std::vector<PlacementPick>() : m_explorer.m_tree.placements(m_degrees, false);
    const auto strategies = std::int64_t(m_pipelines.size() * m_shardings.size());
    for (const PlacementPick& placement : placements) {
        m_strategy.rankOrder = placement.orders.front();
        if (single.empty()) {
            openPlacement(placement);
            m_explorer.drop(m_at, PruneRule::SamePlacement, strategies * (std::int64_t(placement.orders.size()) - 1));
            continue;
        }
        for (const PlacementPick& one : single)
            if (std::find(placement.orders.begin(), placement.orders.end(), one.orders.front()) != placement.orders.end())
                openPlacement(one);
    }
    simulateWaiting();
}

bool Explorer::Leaves::stopped()
{
    if (m_at.stop.stop_requested())
        m_at.result.whole = false;
    return !m_at.result.whole;
}

bool Explorer::Leaves::isLeftOut(const Pipeline& pipeline) const
{
    return m_at.mode == SearchMode::ClosedForm && !hasClosedForm(pipeline.pick.schedule);
}

/// Schedules of one split and sharding have all but their activations in common.
void Explorer::Leaves::openAllPipelines()
{
    for (std::size_t begin = 0, end = 0; begin < m_pipelines.size(); begin = end) {
        while (end < m_pipelines.size() && m_pipelines[end].pick.vpp == m_pipelines[begin].pick.vpp)
            ++end;
        fit(begin, end);
    }
    for (Pipeline& pipeline : m_pipelines)
        dropSameClosedForm(pipeline);
}

/// Peaks depend on no place of a group.
void Explorer::Leaves::fit(std::size_t begin, std::size_t end)
{
    Strategy s = m_strategy;
    std::vector<NoRoom> full(end - begin);
    for (std::size_t i = begin; i < end; ++i)
        m_pipelines[i].isKnown = true;
    for (const ShardingPick& sharding : m_shardings) {
        s.zeroStage = sharding.stage;
        s.zeroShards = sharding.shards;
        const auto groups = std::size_t(std::find(m_shardGroups.begin(), m_shardGroups.end(), sharding.shards) - m_shardGroups.begin());
        for (std::size_t i = begin; i < end; ++i) {
            Pipeline& pipeline = m_pipelines[i];
            if (isLeftOut(pipeline))
                continue;
            s.schedule = pipeline.pick.schedule;
            s.vpp = pipeline.pick.vpp;
            double peak = INFINITY;
            if (!uses(PruneRule::OutOfMemory) || !full[i - begin].holds(sharding)) {
                m_explorer.m_pricer.choose(s, kNowhere);
                peak = m_explorer.fittingPeak();
            }
            if (uses(PruneRule::OutOfMemory) && peak > m_explorer.m_valuation.mostBytes()) {
                full[i - begin].add(sharding);
                ++pipeline.full;
                continue;
            }
            pipeline.fitting.push_back({sharding, groups, peak});
            pipeline.leastPeak = std::min(pipeline.leastPeak, peak);
        }
    }
}

Explorer::Leaves::Pipeline* Explorer::Leaves::leanerTwin(const Pipeline& pipeline)
{
    const auto schedule = leaner(pipeline.pick.schedule);
    if (!schedule || m_at.mode != SearchMode::ClosedForm || !uses(PruneRule::SameClosedForm))
        return nullptr;
    const auto twin = std::find_if(m_pipelines.begin(), m_pipelines.end(),
        [&](const Pipeline& other) { return other.pick == PipelinePick{*schedule, pipeline.pick.vpp, pipeline.pick.timingPass}; });
    return twin == m_pipelines.end() ? nullptr : &*twin;
}

/// Strategies that take as long as another one which fits and has a lower peak belong to no front.
void Explorer::Leaves::dropSameClosedForm(Pipeline& pipeline)
{
    const Pipeline* twin = leanerTwin(pipeline);
    if (twin == nullptr)
        return;
    pipeline.same = std::int64_t(std::erase_if(pipeline.fitting, [&](const Sharding& sharding) {
        return std::any_of(twin->fitting.begin(), twin->fitting.end(),
            [&](const Sharding& other) { return other.pick == sharding.pick && other.peak < sharding.peak; });
    }));
}

void Explorer::Leaves::openPlacement(const PlacementPick& placement)
{
    m_strategy.zeroStage = m_strategy.zeroShards = 0;
    m_strategy.schedule = m_pipelines.front().pick.schedule;
    m_strategy.vpp = m_pipelines.front().pick.vpp;
    m_strategy.timingPass = false;
    double bound = m_at.node.bound;
    if (uses(PruneRule::MicroBatchBound)) {
        m_explorer.m_pricer.choose(m_strategy, placement.groups.front());
        bound = std::max(bound, m_explorer.m_valuation.bound(m_explorer.m_pricer.microBatchStep(m_paired), m_strategy));
    }
    for (std::size_t i = 0; i < m_pipelines.size() && !stopped(); ++i)
        if (!isLeftOut(m_pipelines[i]))
            openPipeline(placement, bound, i);
}

/// The peak is found where the step alone does not drop the strategies.
void Explorer::Leaves::openPipeline(const PlacementPick& placement, double bound, std::size_t place)
{
    Pipeline& pipeline = m_pipelines[place];
    const auto strategies = std::int64_t(m_shardings.size());
    const double knownPeak = pipeline.isKnown ? pipeline.leastPeak : 0;
    const auto undecided = strategies - (pipeline.isKnown ? pipeline.full + pipeline.same : 0);
    const auto dropUnfit = [&] {
        m_explorer.drop(m_at, PruneRule::OutOfMemory, pipeline.full);
        m_explorer.drop(m_at, PruneRule::SameClosedForm, pipeline.same);
    };
    if (pipeline.isKnown)
        dropUnfit();
    if (undecided == 0 || m_explorer.loses(m_at, PruneRule::MicroBatchBound, bound, knownPeak, undecided))
        return;
    m_strategy.schedule = pipeline.pick.schedule;
    m_strategy.vpp = pipeline.pick.vpp;
    m_strategy.timingPass = pipeline.pick.timingPass;
    if (uses(PruneRule::PipelineBound)) {
        m_strategy.zeroStage = m_strategy.zeroShards = 0;
        m_explorer.m_pricer.choose(m_strategy, placement.groups.front());
        bound = std::max(bound, m_explorer.m_valuation.bound(m_explorer.m_pricer.pipelineStep(PipelineTime::ClosedForm), m_strategy));
        if (m_explorer.loses(m_at, PruneRule::PipelineBound, bound, knownPeak, undecided))
            return;
        if (m_at.mode == SearchMode::Simulated) { // the dearer bound
            bound = std::max(bound, m_explorer.m_valuation.bound(m_explorer.m_pricer.pipelineStep(PipelineTime::Bound), m_strategy));
            if (m_explorer.loses(m_at, PruneRule::PipelineBound, bound, knownPeak, undecided))
                return;
        }
    }
    if (!pipeline.isKnown) {
        fit(place, place + 1);
        if (Pipeline* twin = leanerTwin(pipeline); twin != nullptr && !twin->isKnown)
            fit(std::size_t(twin - m_pipelines.data()), std::size_t(twin - m_pipelines.data()) + 1);
        dropSameClosedForm(pipeline);
        dropUnfit();
    }
    for (const Sharding& sharding : pipeline.fitting)
        if (!m_explorer.loses(m_at, PruneRule::PipelineBound, bound, sharding.peak, 1))
            openLeaf(placement, sharding);
}

void Explorer::Leaves::openLeaf(const PlacementPick& placement, const Sharding& sharding)
{
    m_strategy.zeroStage = sharding.pick.stage;
    m_strategy.zeroShards = sharding.pick.shards;
    StrategyPricer& pricer = m_explorer.m_pricer;
    pricer.choose(m_strategy, placement.groups[sharding.groups]);
    if (m_at.mode == SearchMode::Simulated && uses(PruneRule::ClosedFormBound)) {
        for (const PipelineTime time : {PipelineTime::ClosedForm, PipelineTime::Bound}) { // the cheaper one first
            const double least = m_explorer.m_valuation.bound(pricer.step(time), m_strategy);
            if (m_explorer.loses(m_at, PruneRule::ClosedFormBound, least, sharding.peak, 1))
                return;
            if (time == PipelineTime::Bound)
                m_waiting.push_back({least, sharding.peak, m_strategy});
        }
        return;
    }
    ++m_at.result.evaluated;
    const auto time = m_at.mode == SearchMode::Simulated ? PipelineTime::Simulated : PipelineTime::ClosedForm;
    m_explorer.record(m_at, pricer.step(time), sharding.peak, m_strategy);
}

/// The most promising first: most of the others then need no simulation.
void Explorer::Leaves::simulateWaiting()
{
    std::stable_sort(m_waiting.begin(), m_waiting.end(), [](const Waiting& a, const Waiting& b) { return a.bound < b.bound; });
    for (const Waiting& waiting : m_waiting) {
        if (stopped())
            return;
        if (m_explorer.loses(m_at, PruneRule::ClosedFormBound, waiting.bound, waiting.peak, 1))
            continue;
        ++m_at.result.evaluated;
        if (const auto price = m_explorer.m_pricer.price(waiting.strategy, PipelineTime::Simulated))
            m_explorer.record(m_at, price->step, waiting.peak, waiting.strategy);
    }
}

} // namespace stratoplan
