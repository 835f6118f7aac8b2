// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/unlike_prices.h"

#include "core/parallel/route.h"
#include "core/pricing/priced_pass.h"
#include "core/pricing/pricing_context.h"

#include <algorithm>
#include <cstdint>
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

} // namespace

UnlikePrices::UnlikePrices(PricingContext& whole)
    : m_whole(whole)
{
}

UnlikePrices::~UnlikePrices() = default;

PricingContext& UnlikePrices::contextOn(const cost::StageMachine& machine)
{
    std::unique_ptr<PricingContext>& known = m_contexts[machine.number];
    if (!known) {
        cost::StageMachine here = machine;
        here.machine.domain = m_whole.fleet().whole().machine.domain; // by which all stages are stretched alike
        known = std::make_unique<PricingContext>(m_whole.plan(), here);
    }
    return *known;
}

std::optional<UnlikePrices::StageSeconds> UnlikePrices::stageSeconds(const parallel::Strategy& strategy)
{
    parallel::Strategy s = strategy; // what layers are spread by depends on no pipeline and no sharding
    makeStagesAlike(s);
    s.schedule = parallel::Schedule::OneFOneB;
    s.vpp = 1;
    s.zeroStage = s.zeroShards = 0;
    s.timingPass = false;
    bool differ = false;
    for (int stage = 1; stage < s.pp; ++stage)
        differ = differ || m_whole.fleet().machineOf(s, stage).number != m_whole.fleet().machineOf(s, 0).number;
    if (!differ || dividesLayers(s))
        return std::nullopt;
    const model::LayerCounts counts = layerCounts(m_whole.plan().model);
    StageSeconds seconds;
    for (int stage = 0; stage < s.pp; ++stage) {
        PricingContext& context = contextOn(m_whole.fleet().machineOf(s, stage));
        const PieceSeconds pieces = PricedPass(context.division(s), context.groups(s)).pieces();
        seconds.layer.push_back((pieces.denseLayer * counts.dense + pieces.moeLayer * counts.moe).value()
            / std::max(1, counts.dense + counts.moe));
        seconds.embedding.push_back(pieces.embedding.value());
        seconds.head.push_back(pieces.head.value());
    }
    return seconds;
}

std::vector<int> UnlikePrices::balancedLayers(const parallel::Strategy& s, int layers, const StageSeconds& seconds)
{
    const int chunks = effectiveChunks(s.schedule, s.vpp);
    if (!s.stageLayers.empty() || shape(s.schedule) == parallel::PipelineShape::TwoWay || layers < s.pp * chunks)
        return {};
    std::vector<int> balanced(std::size_t(s.pp), chunks); // one for each chunk
    std::vector<double> beside(balanced.size()); // their layers
    if (vocabularyStages(s) == 1) {
        const std::size_t last = shape(s.schedule) == parallel::PipelineShape::V ? 0 : beside.size() - 1;
        beside.front() += seconds.embedding.front();
        beside[last] += seconds.head[last];
    }
    const auto with = [&](std::size_t stage, int count) { return beside[stage] + seconds.layer[stage] * count; };
    for (int left = layers - s.pp * chunks; left > 0; --left) {
        std::size_t best = balanced.size() - 1;
        for (std::size_t stage = best; stage-- > 0;)
            if (with(stage, balanced[stage] + 1) < with(best, balanced[best] + 1))
                best = stage;
        ++balanced[best];
    }
    return balanced == stageLayers(s, layers) ? std::vector<int>() : balanced;
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
        if (std::vector<int> balanced = UnlikePrices::balancedLayers(s, context.plan().model.layers, *seconds);
            !balanced.empty())
            setStageLayers(s, std::move(balanced), context.plan().model.layers);
    return s;
}

PricedPipeline UnlikePrices::leastPipeline(const parallel::Strategy& s)
{
    auto mixed = std::make_shared<pipeline::PipelineWork>(pipelineIn(m_whole, s).work());
    pipeline::PipelineWork& work = *mixed;
    if (s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit == 0)
        work.limit = 0;
    std::map<int, PricedPipeline> pipelines; // by machine
    for (int stage = 0; stage < s.pp; ++stage) {
        const cost::StageMachine& machine = m_whole.fleet().machineOf(s, stage);
        auto known = pipelines.find(machine.number);
        if (known == pipelines.end())
            known = pipelines.emplace(machine.number, pipelineIn(contextOn(machine), s)).first;
        replaceStage(work, known->second.work(), std::size_t(stage));
    }
    return {std::move(mixed), m_programs};
}

} // namespace stratoplan::pricing
