// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/divided_layers.h"

#include "core/parallel/placement.h"
#include "core/partition/context_exchange.h"
#include "core/workload/layer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace stratoplan::pricing {
namespace {

/// Whether a block has it, rather than the experts.
bool isDivided(const workload::Operator& op)
{
    using namespace workload::names;
    constexpr std::array kDivided{kQkv, kFlashAttention, kFlashAttentionGradient, kAttentionCasts,
        kAttentionGradientCasts, kRingKeys, kRingKeyGradients, kRingOutputs, kRingQueryGradients, kAttentionProducts,
        kAttentionProductGradients, kSoftmax, kSoftmaxGradient, kScoreDropout, kScoreDropoutGradient, kAttentionOutput,
        kNorms, kNormGradients, kRotary, kRotaryGradients};
    return std::ranges::find(kDivided, op.name) != kDivided.end();
}

/// Of a pass of a layer with experts, what these compute beside its block; and what shared ones take that Megatron's
/// partition divides. As long do other divisions let the traffic of experts hide behind them, so that it takes as long
/// in all: a rank has as many of their FLOPs in each.
cost::ComputeSeconds ofExperts(workload::Pass pass, const cost::Machine& machine, const plan::SoftwareProfile& software)
{
    std::erase_if(pass.operators, isDivided);
    const Seconds shared = seconds(pass, machine, software).sharedExperts;
    std::erase_if(pass.operators, [](const workload::Operator& op) { return op.sharedExpert; });
    cost::ComputeSeconds routed = seconds(pass, machine, software);
    routed.sharedExperts = shared;
    return routed;
}

/// Of a layer with experts, what these take beside its block.
void addExperts(const plan::Plan& plan, const cost::Machine& machine, DividedLayer& layer)
{
    workload::LayerShape shape = workload::layerShape(plan);
    shape.replicatedBy = shape.t; // each rank routes tokens of its own
    const workload::LayerWork work = lowerLayer(shape, true);
    const plan::SoftwareProfile& software = plan.training.software;
    const cost::ComputeSeconds forward = ofExperts(work.forward, machine, software);
    const cost::ComputeSeconds backward = ofExperts(work.backward, machine, software);
    layer.forward.total += forward.total;
    layer.forward.sharedExperts = forward.sharedExperts;
    layer.backward.total += backward.total;
    layer.backward.weightGradient += backward.weightGradient;
    layer.backward.sharedExperts = backward.sharedExperts;
    if (plan.strategy.recompute == parallel::Recompute::Full) {
        const bool stopsEarly = software.recomputeEarlyStop && plan.model.moe->sharedExperts == 0; // else in the block
        layer.repeated += forward.total - (stopsEarly ? forward.lastProduct : Seconds{});
    } else if (plan.strategy.recompute == parallel::Recompute::Selective) {
        layer.repeated += forward.repeated;
    }
}

/// Of a layer's block on a rank: each has its share of the products' weights, and all of the others.
double leastParameters(const plan::Plan& plan)
{
    double all = 0;
    for (const partition::BlockOperator& op :
        partition::block(plan, plan.model.moe.has_value(), plan.strategy.recompute).operators)
        all += op.kind == partition::OperatorKind::Linear ? op.parameters / plan.strategy.tp : op.parameters;
    return all;
}

/// Activations of a rank as its memory counts them: what its recomputation makes again is kept without one.
void setActivations(
    const partition::PricedLayer& priced, parallel::Recompute recompute, workload::LayerActivations& activations)
{
    activations = {};
    activations.tensors = activations.selective = priced.kept;
    if (recompute == parallel::Recompute::Full)
        activations.input = workload::sum(priced.kept);
    activations.tensors[std::size_t(workload::KeptTensor::NormInputs)] += priced.remade;
    activations.ffnGradients = priced.working;
}

void divideLayer(const std::optional<DividedLayer>& layer, const DividedLayers& all, workload::LayerWork& work)
{
    if (!layer)
        return;
    setActivations(layer->priced, all.recompute, work.activations);
    work.activations.contextBlocks = all.contextBlocks;
    work.parameters = work.largestShared = layer->priced.parameters;
    for (workload::Pass* const pass : {&work.forward, &work.backward})
        std::erase_if(pass->collectives,
            [](const workload::Collective& c) { return c.axis == parallel::Axis::Tp || c.axis == parallel::Axis::Cp; });
}

std::shared_ptr<partition::GroupWays> waysOf(
    const partition::GroupPlace& place, int bits, const partition::Block& block, partition::KnownGroups* known)
{
    partition::KnownGroups none;
    return (known != nullptr ? *known : none).at(place, bits, mostDigits(block));
}

} // namespace

bool DividedLayers::sharesStream() const
{
    const partition::PricedLayer& layer = any();
    return layer.operators.front().chosen.sequence.find('-') == std::string::npos;
}

cluster::Span tensorSpan(const parallel::Strategy& strategy, const cluster::Topology& topology)
{
    cluster::Span span = parallel::span(strategy, parallel::RankGroup::Tensor, topology);
    const auto powerOfTwo = [](int ranks) { return int(std::bit_floor(unsigned(std::max(ranks, 0)))); };
    if (const int inside = powerOfTwo(span.inside); inside != span.inside) {
        span.inside = inside;
        span.box = span.box.isPlaced() ? cluster::lineOf(inside) : span.box;
    }
    for (cluster::InUnit& in : span.outer)
        in.ranks = powerOfTwo(in.ranks);
    if (span.inside >= span.size)
        return {.size = span.size, .inside = span.size, .box = span.box}; // it uses no port of its domain
    return span;
}

LayerDivision::LayerDivision(const plan::Plan& plan, const cost::Machine& machine, const cluster::Span& group,
    int microBatches, partition::KnownGroups* known)
    : m_software(plan.training.software)
    , m_experts(plan.model.moe.has_value())
    , m_block(partition::block(plan, m_experts, plan.strategy.recompute))
    , m_ways(waysOf({machine.topology, group}, std::countr_zero(unsigned(plan.strategy.tp)), m_block, known))
    , m_pricing{machine, m_software, m_ways->layouts(), m_ways->bits(),
          parallel::span(plan.strategy, parallel::RankGroup::Context, machine.topology)}
{
    m_block.microBatches = microBatches;
}

tl::expected<DividedLayers, partition::WayFault> dividedLayers(const plan::Plan& plan, const cost::Machine& machine)
{
    const LayerDivision division(plan, machine);
    auto priced = pricedLayer(division.block(), plan.strategy.operatorPartitions, division.pricing());
    if (!priced)
        return tl::unexpected(priced.error());
    DividedLayers layers{
        plan.strategy.recompute, {}, {}, leastContextBlocks(division.block().context, plan.strategy.tp)};
    std::optional<DividedLayer>& layer = division.hasExperts() ? layers.moe : layers.dense;
    layer.emplace(DividedLayer{std::move(*priced), {}, {}});
    const partition::PassPrices& passes = layer->priced.passes;
    layer->forward.total = passes.forward.compute;
    layer->backward.total = passes.backward.compute;
    layer->backward.weightGradient = passes.backward.weightGradient;
    layer->repeated = passes.repeated.compute;
    if (division.hasExperts())
        addExperts(plan, machine, *layer);
    return layers;
}

DividedLayers lightestLayers(const plan::Plan& plan, const cost::Machine& machine, Seconds all)
{
    DividedLayers layers{plan.strategy.recompute, {}, {}};
    DividedLayer layer;
    layer.isBound = true;
    layer.priced.parameters = leastParameters(plan);
    if (plan.model.moe)
        addExperts(plan, machine, layer);
    layer.backward.total = all - layer.forward.total - layer.repeated;
    layer.backward.weightGradient = layer.backward.total;
    (plan.model.moe ? layers.moe : layers.dense) = std::move(layer);
    return layers;
}

Seconds secondsOfExperts(const plan::Plan& plan, const cost::Machine& machine)
{
    DividedLayer layer;
    addExperts(plan, machine, layer);
    return layer.forward.total + layer.backward.total + layer.repeated;
}

void divideWork(const DividedLayers& divided, workload::MicroBatchWork& work)
{
    divideLayer(divided.dense, divided, work.dense);
    divideLayer(divided.moe, divided, work.moe);
}

LoweredPlan lowered(const plan::Plan& plan, const cost::Machine& machine)
{
    LoweredPlan result{workload::lower(plan), nullptr};
    if (!dividesLayers(plan.strategy))
        return result;
    auto divided = dividedLayers(plan, machine);
    assert(divided);
    result.divided = std::make_shared<const DividedLayers>(std::move(*divided));
    divideWork(*result.divided, result.workload);
    for (workload::StageLayout& stage : result.workload.stages)
        countParameters(plan, result.workload, stage);
    return result;
}

} // namespace stratoplan::pricing
