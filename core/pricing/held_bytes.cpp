// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/held_bytes.h"

#include "core/cost/memory.h"
#include "core/pipeline/program.h"
#include "core/pricing/lowered_work.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::pricing {
namespace {

bool needsNoLess(const SequenceBytes::Layer& a, const SequenceBytes::Layer& b)
{
    return a.kept >= b.kept && a.away >= b.away && a.beside >= b.beside;
}

bool needsNoLess(const SequenceBytes& a, const SequenceBytes& b)
{
    return needsNoLess(a.dense, b.dense) && needsNoLess(a.moe, b.moe) && a.logits >= b.logits
        && a.transfers >= b.transfers;
}

bool holdsNoMore(const HeldLayers& a, const HeldLayers& b)
{
    return a.denseLayers <= b.denseLayers && a.moeLayers <= b.moeLayers && a.inFlight <= b.inFlight
        && a.predicts <= b.predicts && a.sends <= b.sends;
}

/// While a layer is differentiated it needs what it repeats and the gradients of its FFN at the least; those of its
/// attention may be alive instead.
SequenceBytes::Layer layerBytes(
    const workload::LayerActivations& layer, parallel::Recompute recompute, bool away, double transientLayers)
{
    const Bytes kept = keptActivations(layer, recompute);
    const Bytes beside = (workload::sum(remadeTensors(layer, recompute)) + layer.ffnGradients) * transientLayers
        + layer.gatheredColumns + layer.contextBlocks.all();
    return away ? SequenceBytes::Layer{{}, kept, kept + beside} : SequenceBytes::Layer{kept, {}, beside};
}

/// Bytes of every parameter all the time, and what is beside a layer of so many while its weights are gathered
/// (core/cost/memory.cpp).
class ParameterBytes {
public:
    ParameterBytes(const plan::Plan& plan, bool experts)
    {
        const parallel::Strategy& s = plan.strategy;
        const plan::SoftwareProfile& software = plan.training.software;
        const double element = storageBytes(plan.training.precision);
        const bool wide = plan.training.fp32Gradients;
        const int zeroStage = effectiveZeroStage(plan), shards = cost::shardRanks(s, experts);
        const cost::StateBytes states = cost::stateBytes(
            zeroStage, shards, wide, element == 4, optimizerState(plan.training, plan::Updated::Layers).total());
        const bool streamed = streamsGradients(plan);
        m_step = states.weights + (streamed ? 0 : states.gradients)
            + (s.offload == parallel::Offload::Optimizer ? 0 : states.optimizer);
        if (!streamed && software.narrowGradientsStay && wide && element != 4)
            m_step += zeroStage >= 2 ? 2.0 / std::max(shards, 1) : 2.0;
        if (zeroStage == 3 && shards > 1)
            m_beside = 2 * element + (wide ? 4 : element);
    }
    void addTo(LayerStates::Layer& layer, double parameters) const
    {
        layer.step += Bytes(parameters * m_step);
        layer.beside += Bytes(parameters * m_beside);
    }

private:
    double m_step = 0, m_beside = 0;
};

/// Of stages in order those that hold more of something than every other one, with what is in flight there.
std::vector<HeldLayers> heldMost(const plan::Plan& plan, std::span<const HeldLayers> all)
{
    const parallel::Strategy& s = plan.strategy;
    const bool known = shape(s.schedule) == parallel::PipelineShape::Loop && s.schedule != parallel::Schedule::ZbAuto;
    std::vector<HeldLayers> stages;
    for (int i = 0; i < s.pp; ++i) {
        HeldLayers stage = all[std::size_t(i)];
        stage.inFlight =
            known ? pipeline::inFlight(s.schedule, s.pp, s.vpp, microBatches(plan), i, vocabularyLookahead(s)) : 0;
        stage.sends = s.pp > 1;
        if (std::any_of(
                stages.begin(), stages.end(), [&](const HeldLayers& other) { return holdsNoMore(stage, other); }))
            continue;
        std::erase_if(stages, [&](const HeldLayers& other) { return holdsNoMore(other, stage); });
        stages.push_back(stage);
    }
    return stages;
}

/// The work of one sequence with undivided experts, sequence parallelism as it is chosen.
const workload::MicroBatchWork& undivided(const plan::Plan& plan, Works& works)
{
    WorkDegrees degrees = WorkDegrees(plan.strategy).undivided();
    degrees.microBatch = 1;
    return works.lowered(degrees);
}

/// That of one sequence of a replica without tensor parallelism.
WorkDegrees ofOneRank(parallel::Strategy s)
{
    s.tp = s.ep = s.etp = s.microBatch = 1;
    s.sequenceParallel = false;
    return WorkDegrees(s).withEnds();
}

/// `share`: of the parameters beside routed experts.
LayerStates statesOf(const plan::Plan& plan, const workload::MicroBatchWork& work, double share)
{
    const ParameterBytes shared(plan, false);
    LayerStates states;
    shared.addTo(states.dense, work.dense.parameters * share);
    shared.addTo(states.moe, work.moe.parameters * share);
    ParameterBytes(plan, true)
        .addTo(states.moe, work.moe.expertParameters / (double(plan.strategy.ep) * plan.strategy.etp));
    return states;
}

} // namespace

SequenceBytes sequenceBytes(const plan::Plan& plan, Works& works)
{
    const parallel::Strategy& s = plan.strategy;
    const plan::SoftwareProfile& software = plan.training.software;
    const workload::MicroBatchWork& work = undivided(plan, works);
    const bool away = s.offload == parallel::Offload::Activations;
    const double logits = work.tokens * plan.model.vocabulary / s.tp;
    return {layerBytes(work.dense.activations, s.recompute, away, software.transientLayers),
        layerBytes(work.moe.activations, s.recompute, away, software.transientLayers),
        Bytes(logits * software.logitBytes), 2 * work.boundary * (s.sequenceParallel ? 1.0 / s.tp : 1.0)};
}

SequenceBytes dividedSequenceBytes(const plan::Plan& plan, Works& works)
{
    const parallel::Strategy& s = plan.strategy;
    const plan::SoftwareProfile& software = plan.training.software;
    const workload::MicroBatchWork& whole = works.lowered(ofOneRank(s));
    const bool away = s.offload == parallel::Offload::Activations;
    const auto share = [&](const workload::LayerActivations& activations) {
        const Bytes kept = keptActivations(activations, s.recompute) / double(s.tp);
        const Bytes beside =
            workload::sum(remadeTensors(activations, s.recompute)) / double(s.tp) * software.transientLayers;
        return away ? SequenceBytes::Layer{{}, kept, kept + beside} : SequenceBytes::Layer{kept, {}, beside};
    };
    return {share(whole.dense.activations), share(whole.moe.activations),
        Bytes(whole.tokens * plan.model.vocabulary / s.tp * software.logitBytes), 2 * whole.boundary * (1.0 / s.tp)};
}

LayerStates dividedLayerStates(const plan::Plan& plan, Works& works)
{
    const workload::MicroBatchWork& whole = works.lowered(ofOneRank(plan.strategy));
    return statesOf(plan, whole, 1.0 / plan.strategy.tp);
}

std::vector<SequenceBytes> leanest(const std::vector<SequenceBytes>& ways)
{
    std::vector<SequenceBytes> lean;
    for (const SequenceBytes& way : ways) {
        if (std::any_of(lean.begin(), lean.end(), [&](const SequenceBytes& other) { return needsNoLess(way, other); }))
            continue;
        std::erase_if(lean, [&](const SequenceBytes& other) { return needsNoLess(other, way); });
        lean.push_back(way);
    }
    return lean;
}

LayerStates layerStates(const plan::Plan& plan, Works& works)
{
    return statesOf(plan, undivided(plan, works), 1);
}

std::vector<HeldLayers> heldLayers(const plan::Plan& plan)
{
    const bool divides = vocabularyStages(plan.strategy) > 1;
    std::vector<HeldLayers> all;
    for (const workload::StageLayout& layout : workload::placeStages(plan))
        all.push_back({layout.denseLayers, layout.moeLayers, 0,
            predictions(plan, layout) == 0 ? 0
                : divides                  ? 1.0 / plan.strategy.pp
                                           : 1});
    return heldMost(plan, all);
}

std::vector<HeldLayers> heldLayers(const plan::Plan& plan, std::span<const StageShare> stages)
{
    std::vector<HeldLayers> all;
    for (const StageShare& stage : stages)
        all.push_back({stage.denseLayers, stage.moeLayers, 0, stage.predictions == 0 ? 0.0 : 1.0});
    return heldMost(plan, all);
}

Bytes leastPeak(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
    std::span<const HeldLayers> stages, int sequences, Bytes reserve, Bytes hostCapacity)
{
    Bytes least(INFINITY);
    for (const SequenceBytes& way : ways) {
        for (const LayerStates& parameters : states) {
            Bytes most{};
            Bytes away{};
            for (const HeldLayers& stage : stages) {
                Bytes beside = way.logits * (sequences * stage.predicts);
                if (stage.denseLayers > 0)
                    beside = std::max(beside, way.dense.beside * sequences + parameters.dense.beside);
                if (stage.moeLayers > 0)
                    beside = std::max(beside, way.moe.beside * sequences + parameters.moe.beside);
                const double held = stage.inFlight * sequences;
                const Bytes layers = (way.dense.kept * held + parameters.dense.step) * stage.denseLayers
                    + (way.moe.kept * held + parameters.moe.step) * stage.moeLayers;
                most = std::max(most, layers + beside + (stage.sends ? way.transfers * sequences : Bytes{}));
                away = std::max(away, (way.dense.away * stage.denseLayers + way.moe.away * stage.moeLayers) * held);
            }
            if (away <= hostCapacity)
                least = std::min(least, reserve + most);
        }
    }
    return least;
}

} // namespace stratoplan::pricing
