// SPDX-License-Identifier: Apache-2.0
// Layers that the tensor-parallel ranks of a plan divide in space and time (core/partition), in place of what lowering
// makes of them for Megatron's partition.
#pragma once

#include "core/cost/compute.h"
#include "core/partition/group_ways.h"
#include "core/partition/priced_layer.h"
#include "core/plan/plan.h"
#include "core/workload/workload.h"

#include <memory>
#include <optional>

namespace stratoplan::pricing {

/// Layers of one kind.
struct DividedLayer {
    partition::PricedLayer priced;
    cost::ComputeSeconds forward, backward; ///< of all operators, those of experts included
    Seconds repeated{}; ///< of the forward pass, by the plan's recomputation
    bool isBound =
        false; ///< lightestLayers(): its passes do not wait for the host, and traffic hides behind all of them
};

struct DividedLayers {
    parallel::Recompute recompute = parallel::Recompute::None; ///< of all of them
    std::optional<DividedLayer> dense, moe;
    workload::ContextBlocks
        contextBlocks{}; ///< of other ranks of context parallelism that attention holds in any division
    [[nodiscard]] const partition::PricedLayer& any() const { return (dense ? dense : moe)->priced; }
    /// Whether no part of the hidden state is held twice between layers.
    [[nodiscard]] bool sharesStream() const;
};

/// Whether the tensor-parallel ranks of the strategy divide layers in space and time.
[[nodiscard]] inline bool dividesLayers(const parallel::Strategy& s)
{
    return s.tensorPartition == parallel::TensorPartition::SpatialTemporal && s.tp > 1;
}

/// The tensor-parallel group as the bits of its ranks' numbers see it: of every domain, and of every leaf, as many
/// ranks as a power of two can be.
[[nodiscard]] cluster::Span tensorSpan(const parallel::Strategy& strategy, const cluster::Topology& topology);

/// What the programme and prices of a plan's layers are made of: the layer, and its group on the topology.
class LayerDivision {
public:
    /// Refers to the machine. Precondition: dividesLayers(), and notEstimable() has no objection.
    LayerDivision(const plan::Plan& plan, const cost::Machine& machine)
        : LayerDivision(plan, machine, tensorSpan(plan.strategy, machine.topology), plan::microBatches(plan))
    {
    }
    /// With the group in another place, and its weight gradients summed once for so many micro-batches. What the group
    /// has in common with those that are known is shared with them.
    LayerDivision(const plan::Plan& plan, const cost::Machine& machine, const cluster::Span& group, int microBatches,
        partition::KnownGroups* known = nullptr);
    LayerDivision(const LayerDivision&) = delete;
    LayerDivision& operator=(const LayerDivision&) = delete;

    [[nodiscard]] bool hasExperts() const { return m_experts; }
    [[nodiscard]] const partition::Block& block() const { return m_block; }
    [[nodiscard]] const partition::GroupPricing& pricing() const { return m_pricing; }
    [[nodiscard]] const partition::Layouts& layouts() const { return m_ways->layouts(); }
    [[nodiscard]] const partition::Sequences& sequences(const std::stop_token& stop = {}) const
    {
        return m_ways->sequences(stop);
    }

private:
    plan::SoftwareProfile m_software;
    bool m_experts;
    partition::Block m_block;
    std::shared_ptr<partition::GroupWays> m_ways;
    partition::GroupPricing m_pricing;
};

/// Of a strategy that says how its operators are divided.
[[nodiscard]] tl::expected<DividedLayers, partition::WayFault> dividedLayers(
    const plan::Plan& plan, const cost::Machine& machine);

/// What bounds the steps of all divisions whose layers take at least so long for a micro-batch: both passes and what is
/// repeated, with what experts compute. All but theirs is work for weights in the backward pass: no split of it between
/// the passes lets a pipeline end earlier. Ranks hold an even share of the products' weights, and keep nothing.
[[nodiscard]] DividedLayers lightestLayers(const plan::Plan& plan, const cost::Machine& machine, Seconds all);

/// What the experts of a layer compute beside its block, all passes. Precondition: the model has such layers.
[[nodiscard]] Seconds secondsOfExperts(const plan::Plan& plan, const cost::Machine& machine);

/// A plan's micro-batch, in place of what lowering makes of it: its layers keep and hold what their division does, and
/// send one another nothing as Megatron's do.
void divideWork(const DividedLayers& divided, workload::MicroBatchWork& work);

/// A plan as it is lowered, its layers divided as it says. Precondition: withPartition(), where it divides them.
struct LoweredPlan {
    workload::Workload workload;
    std::shared_ptr<const DividedLayers> divided; ///< null: as Megatron partitions them
};
[[nodiscard]] LoweredPlan lowered(const plan::Plan& plan, const cost::Machine& machine);

} // namespace stratoplan::pricing
