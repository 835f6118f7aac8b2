// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/peak_pricer.h"

#include "core/cost/host_memory.h"
#include "core/pipeline/pipeline.h"
#include "core/pricing/lowered_work.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace stratoplan::pricing {

PeakPricer::Split PeakPricer::split(const SettledPlan& settled, const workload::MicroBatchWork& work)
{
    const plan::Plan& plan = settled.plan;
    const parallel::Strategy& s = plan.strategy;
    SplitKey splitKey;
    for (const int number : {s.pp, s.vpp, int(shape(s.schedule)), settled.split, vocabularyNumber(s)})
        splitKey.add(number);
    PassBytesKey passesKey;
    passesKey.add(workKey(WorkDegrees(settled)));
    passesKey.add(int(s.recompute));
    passesKey.add(int(s.offload));
    const StageKinds& stages = m_stages.get(splitKey, [&] { return stageKinds(plan, nullptr); });
    auto& bySplit = m_held.get(passesKey, [] { return Remembered<SplitKey, HeldKinds>(); });
    return {splitKey, passesKey, stages, bySplit.get(splitKey, [&] { return hold(plan, work, stages); })};
}

int PeakPricer::openLimit(const SettledPlan& settled, const workload::MicroBatchWork& work, Bytes capacity)
{
    const plan::Plan& plan = settled.plan;
    const cost::HeldByCapacity held{{capacity, wholeBytes(plan, work, split(settled, work))}};
    return openInFlightLimit(plan.strategy, settled.microBatches, held);
}

StrategyPeak PeakPricer::peak(const SettledPlan& settled, const workload::MicroBatchWork& work)
{
    const plan::Plan& plan = settled.plan;
    const parallel::Strategy& s = plan.strategy;
    const int batches = settled.microBatches;
    const Split ofSplit = split(settled, work);
    HoldingsKey holdingsKey;
    for (const int number :
        {int(s.schedule), s.pp, s.vpp, s.inFlightLimit, settled.split, vocabularyNumber(s), batches})
        holdingsKey.add(number);
    if (shape(s.schedule)
        != parallel::PipelineShape::Loop) // its chunks share out activations, which depend on what is kept
        holdingsKey.add(ofSplit.passesKey);
    const HoldingsOfKinds& held =
        m_holdings.get(holdingsKey, [&] { return holdings(plan, work, ofSplit.stages, batches); });

    StrategyPeak result;
    const std::vector<cost::LifetimeBytes>& whole = wholeBytes(plan, work, ofSplit);
    const pipeline::LossesInFlight losses = pipeline::lossesInFlight(s.schedule, batches);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const cost::LifetimeBytes& bytes = whole[i];
        for (const Holding& holding : held[i]) {
            const cost::Peak most = cost::peak(bytes, holding.inFlight, losses);
            const Bytes total = bytes.step + most.activations + most.above;
            const cost::HostBytes host = cost::hostBytes(plan, work, ofSplit.held[i].layout);
            result.host = std::max(result.host, host.step + host.microBatch * holding.inFlight);
            if (total > result.bytes || (total == result.bytes && holding.stage < result.stage))
                std::tie(result.bytes, result.stage) = std::pair(total, holding.stage);
        }
    }
    return result;
}

const std::vector<cost::LifetimeBytes>& PeakPricer::wholeBytes(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const Split& split)
{
    const parallel::Strategy& s = plan.strategy;
    const std::array sharding{s.zeroStage, s.zeroShards, s.dp, s.cp, s.tp, s.pp, int(s.offload)};
    std::vector<cost::LifetimeBytes>& ofKinds = m_whole.ofKinds;
    if (m_whole.sharding == sharding && m_whole.split == split.key && m_whole.passes == split.passesKey)
        return ofKinds;
    m_whole.sharding = sharding;
    m_whole.split = split.key;
    m_whole.passes = split.passesKey;
    ofKinds.clear();
    for (const HeldKind& kind : split.held) {
        ofKinds.push_back(kind.passes);
        ofKinds.back() += cost::parameterBytes(plan, work, kind.layout);
    }
    return ofKinds;
}

void PeakPricer::clear()
{
    m_stages.clear();
    m_held.clear();
    m_holdings.clear();
    m_kept = 0;
}

PeakPricer::HeldKinds PeakPricer::hold(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const StageKinds& stages)
{
    HeldKinds held;
    held.reserve(stages.kinds.size());
    for (const StageKind& kind : stages.kinds) {
        workload::StageLayout layout = kind.layout;
        countParameters(plan, work, layout);
        held.push_back({layout, cost::passBytes(plan, work, layout)});
    }
    m_kept += held.size();
    return held;
}

/// By kind, the stages that set a new most in flight among those of their kind, from the first on: a peak rises with
/// what is in flight, so that no other stage can be the first with the highest one.
PeakPricer::HoldingsOfKinds PeakPricer::holdings(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const StageKinds& stages, int batches)
{
    const parallel::Strategy& s = plan.strategy;
    HoldingsOfKinds result(stages.kinds.size());
    std::vector<workload::StageLayout> chunks;
    for (int stage = 0; stage < s.pp; ++stage) {
        const std::size_t kind = stages.kindOf[std::size_t(stage)];
        std::vector<Holding>& ofKind = result[kind];
        chunks.clear();
        if (shape(s.schedule) != parallel::PipelineShape::Loop) // elsewhere chunks have equal shares
            for (const std::uint16_t layout : stages.kinds[kind].chunks)
                chunks.push_back(stages.layouts[layout]);
        const double held = cost::inFlight(s, batches, stage, cost::firstChunkShare(plan, work, chunks));
        if (ofKind.empty() || held > ofKind.back().inFlight)
            ofKind.push_back({stage, held});
    }
    return result;
}

} // namespace stratoplan::pricing
