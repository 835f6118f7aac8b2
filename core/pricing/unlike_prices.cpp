// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/unlike_prices.h"

#include "core/parallel/route.h"
#include "core/pricing/divided_batch.h"
#include "core/pricing/priced_pass.h"
#include "core/pricing/pricing_context.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

namespace stratoplan::pricing {
namespace {

PricedPipeline pipelineIn(PricingContext& context, const parallel::Strategy& strategy)
{
    return PricedPass(context.division(strategy), context.groups(strategy)).pipeline();
}

/// Puts a stage of one pipeline in place of that of another one.
void replaceStage(pipeline::PipelineWork& work, const pipeline::PipelineWork& by, std::size_t stage)
{
    work.stages[stage] = by.stages[stage];
    const std::size_t chunks = work.chunkOf.size() / work.stages.size();
    for (std::size_t place = stage * chunks; place < (stage + 1) * chunks; ++place) {
        work.chunkOf[place] = static_cast<std::uint16_t>(work.chunkWork.size());
        work.chunkWork.push_back(by.chunkWork[by.chunkOf[place]]);
    }
}

/// What layers and micro-batches are spread by: it depends on no pipeline and no sharding.
parallel::Strategy shell(parallel::Strategy s)
{
    makeStagesAlike(s);
    s.schedule = parallel::Schedule::OneFOneB;
    s.vpp = 1;
    s.zeroStage = s.zeroShards = 0;
    s.timingPass = false;
    s.replicaMicroBatches.clear();
    return s;
}

/// What a stage does beside its layers.
std::vector<double> beside(const parallel::Strategy& s, const UnlikePrices::StageSeconds& seconds)
{
    std::vector<double> sums(seconds.layer.size());
    if (vocabularyStages(s) > 1)
        return sums;
    const std::size_t last = shape(s.schedule) == parallel::PipelineShape::V ? 0 : sums.size() - 1;
    sums.front() += seconds.embedding.front();
    sums[last] += seconds.head[last];
    return sums;
}

ReplicaPace paceOf(const parallel::Strategy& s, int layers, const UnlikePrices::StageSeconds& seconds, int replicas)
{
    const std::vector<int> ofStages = stageLayers(s, layers);
    std::vector<double> stages = beside(s, seconds);
    for (std::size_t i = 0; i < stages.size(); ++i)
        stages[i] += seconds.layer[i] * ofStages[i];
    const double slowest = *std::ranges::max_element(stages);
    return {replicas, std::accumulate(stages.begin(), stages.end(), -slowest), slowest};
}

/// What a schedule asks of the micro-batches of a replica.
BatchStep batchStep(const parallel::Strategy& s)
{
    switch (s.schedule) {
    case parallel::Schedule::Interleaved:
        return s.vpp > 1 ? BatchStep{s.pp, s.pp} : BatchStep{};
    case parallel::Schedule::DualPipe:
        return {2 * s.pp, 2};
    case parallel::Schedule::DualPipeV:
        return {2 * s.pp, 1};
    default:
        return {};
    }
}

} // namespace

UnlikePrices::UnlikePrices(PricingContext& whole)
    : m_whole(whole)
{
}

UnlikePrices::~UnlikePrices() = default;

void UnlikePrices::forgetTooMany()
{
    constexpr std::size_t kMost = 64;
    if (m_contexts.size() > kMost)
        m_contexts.clear();
}

PricingContext& UnlikePrices::contextOn(const cost::StageMachine& machine, int domain)
{
    std::unique_ptr<PricingContext>& known = m_contexts[{machine.number, domain}];
    if (!known) {
        cost::StageMachine here = machine;
        here.machine.domain = domain;
        known = std::make_unique<PricingContext>(m_whole.plan(), here);
    }
    return *known;
}

UnlikePrices::StageSeconds UnlikePrices::secondsOf(const parallel::Strategy& s, const parallel::ReplicaKind& replicas)
{
    forgetTooMany();
    const model::LayerCounts counts = layerCounts(m_whole.plan().model);
    const int domain = m_whole.fleet().whole(s).machine.domain;
    StageSeconds seconds;
    for (int stage = 0; stage < s.pp; ++stage) {
        PricingContext& context = contextOn(m_whole.fleet().machineOf(s, stage, replicas), domain);
        const PieceSeconds pieces = PricedPass(context.division(s), context.groups(s)).pieces();
        seconds.layer.push_back((pieces.denseLayer * counts.dense + pieces.moeLayer * counts.moe).value()
            / std::max(1, counts.dense + counts.moe));
        seconds.embedding.push_back(pieces.embedding.value());
        seconds.head.push_back(pieces.head.value());
    }
    return seconds;
}

std::optional<UnlikePrices::StageSeconds> UnlikePrices::stageSeconds(const parallel::Strategy& strategy)
{
    const parallel::Strategy s = shell(strategy);
    bool differ = false;
    for (int stage = 1; stage < s.pp; ++stage)
        differ = differ || m_whole.fleet().machineOf(s, stage).number != m_whole.fleet().machineOf(s, 0).number;
    if (!differ || dividesLayers(s))
        return std::nullopt;
    return secondsOf(s, {});
}

std::vector<UnlikePrices::ReplicaSeconds> UnlikePrices::replicaSeconds(const parallel::Strategy& strategy)
{
    const parallel::Strategy s = shell(strategy);
    std::vector<parallel::ReplicaKind> kinds = m_whole.fleet().replicaKinds(s, m_whole.plan().training.software);
    std::vector<ReplicaSeconds> all;
    if (kinds.size() < 2 || dividesLayers(s) || !s.stageTp.empty())
        return all;
    for (parallel::ReplicaKind& kind : kinds) {
        StageSeconds stages = secondsOf(s, kind);
        all.push_back({std::move(kind), std::move(stages)});
    }
    return all;
}

std::vector<int> UnlikePrices::balancedBatch(
    const parallel::Strategy& s, const std::vector<ReplicaSeconds>& replicas) const
{
    const plan::Plan& plan = m_whole.plan();
    if (replicas.empty() || plan.training.globalBatch % s.microBatch != 0
        || replicasWaitEachMicroBatch(s, plan.training.software))
        return {};
    std::vector<ReplicaPace> paces;
    for (const ReplicaSeconds& kind : replicas)
        paces.push_back(paceOf(s, plan.model.layers, kind.stages, int(kind.kind.replicas.size())));
    const std::vector<ReplicaShare> shares =
        dividedBatch(paces, plan.training.globalBatch / s.microBatch, batchStep(s));
    std::vector<int> batch(std::size_t(s.dp));
    for (std::size_t k = 0; k < shares.size(); ++k)
        for (std::size_t i = 0; i < replicas[k].kind.replicas.size(); ++i)
            batch[std::size_t(replicas[k].kind.replicas[i])] =
                shares[k].microBatches + (int(i) < shares[k].withMore ? batchStep(s).multiple : 0);
    const bool areAlike = std::ranges::adjacent_find(batch, std::not_equal_to()) == batch.end();
    return shares.empty() || areAlike ? std::vector<int>() : batch;
}

std::vector<int> UnlikePrices::balancedLayers(const parallel::Strategy& s, int layers, const StageSeconds& seconds)
{
    const int chunks = effectiveChunks(s.schedule, s.vpp);
    if (!s.stageLayers.empty() || shape(s.schedule) == parallel::PipelineShape::TwoWay || layers < s.pp * chunks)
        return {};
    std::vector<int> shares(std::size_t(s.pp), chunks); // one for each chunk
    const std::vector<double> others = beside(s, seconds);
    const auto with = [&](std::size_t stage, int count) { return others[stage] + seconds.layer[stage] * count; };
    for (int left = layers - s.pp * chunks; left > 0; --left) {
        std::size_t best = shares.size() - 1;
        for (std::size_t stage = best; stage-- > 0;)
            if (with(stage, shares[stage] + 1) < with(best, shares[best] + 1))
                best = stage;
        ++shares[best];
    }
    return shares == stageLayers(s, layers) ? std::vector<int>() : shares;
}

void setStageLayers(parallel::Strategy& s, std::vector<int> perStage, int layers)
{
    s.stageLayers = std::move(perStage);
    if (s.recomputedLayers.empty())
        return;
    const int first = *std::ranges::max_element(s.recomputedLayers);
    const std::vector<int> held = stageLayers(s, layers);
    for (std::size_t stage = 0; stage < held.size(); ++stage)
        s.recomputedLayers[stage] = std::min(first, held[stage]);
}

parallel::Strategy withBalancedLayers(PricingContext& context, parallel::Strategy s)
{
    if (context.unlike() == nullptr || s.pp == 1)
        return s;
    if (const auto seconds = context.unlike()->stageSeconds(s))
        if (std::vector<int> layers = UnlikePrices::balancedLayers(s, context.plan().model.layers, *seconds);
            !layers.empty())
            setStageLayers(s, std::move(layers), context.plan().model.layers);
    return s;
}

parallel::Strategy withBalancedBatch(PricingContext& context, parallel::Strategy s)
{
    if (context.unlike() != nullptr && s.dp > 1 && s.replicaMicroBatches.empty())
        if (std::vector<int> batch = context.unlike()->balancedBatch(s, context.unlike()->replicaSeconds(s));
            !batch.empty())
            s.replicaMicroBatches = std::move(batch);
    return s;
}

parallel::Strategy balanced(PricingContext& context, parallel::Strategy s)
{
    return withBalancedBatch(context, withBalancedLayers(context, std::move(s)));
}

std::vector<PricedPipeline> UnlikePrices::leastPipelines(
    const parallel::Strategy& strategy, const std::vector<parallel::ReplicaKind>& replicas)
{
    forgetTooMany();
    const cost::StageMachine& used = m_whole.fleet().whole(strategy);
    const int domain = used.machine.domain;
    PricingContext& ofAll = &used == &m_whole.fleet().whole() ? m_whole : contextOn(used, domain);
    std::vector<PricedPipeline> all;
    for (const parallel::ReplicaKind& kind : replicas) {
        const parallel::Strategy s = ofReplicas(strategy, kind);
        auto mixed = std::make_shared<pipeline::PipelineWork>(pipelineIn(ofAll, s).work());
        pipeline::PipelineWork& work = *mixed;
        if (s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit == 0)
            work.limit = 0;
        std::map<int, PricedPipeline> pipelines; // by machine
        for (int stage = 0; stage < s.pp; ++stage) {
            const cost::StageMachine& machine = m_whole.fleet().machineOf(s, stage, kind);
            auto known = pipelines.find(machine.number);
            if (known == pipelines.end())
                known = pipelines.emplace(machine.number, pipelineIn(contextOn(machine, domain), s)).first;
            replaceStage(work, known->second.work(), std::size_t(stage));
        }
        all.push_back({std::move(mixed), m_programs});
    }
    return all;
}

} // namespace stratoplan::pricing
