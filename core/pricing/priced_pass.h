// SPDX-License-Identifier: Apache-2.0
// A micro-batch with the groups of its strategy in their places: what its pieces take, and the pipelines it runs
// through.
#pragma once

#include "core/cost/communication.h"
#include "core/pricing/priced_division.h"
#include "core/pricing/priced_pipeline.h"

#include <vector>

namespace stratoplan::pricing {

/// Its bounds hold as those of a division do.
class PricedPass {
public:
    /// `groups`: of the strategy of the division, on the topology of its context.
    PricedPass(PricedDivision division, const parallel::GroupSpans& groups);

    [[nodiscard]] const PricedDivision& division() const { return m_division; }

    /// What a division bounds as leastPieces(), with the groups where they are.
    [[nodiscard]] PieceSeconds pieces() const;
    /// Degrees, micro-batch, sequence parallelism, recomputation, groups: the mean over the stages, with the groups
    /// where they are. Of all schedules together; `paired`: DualPipe among them, which hides expert traffic.
    [[nodiscard]] Seconds microBatchStep(bool paired) const;

    /// Of the strategy.
    [[nodiscard]] PricedPipeline pipeline() const;
    /// Of a division of PricingContext::lightest(). Behind its passes hides what any division may hide behind either of
    /// its own.
    [[nodiscard]] PricedPipeline lightest() const;
    /// All but ZeRO, which is off: without gradient synchronisation or shard traffic, the optimizer shared by all
    /// replicas. Its closed form is a bound, and so is what bounds its simulation.
    [[nodiscard]] PricedPipeline unsharded() const;
    /// The same of a loop of stages whose chunks each do so much or more, in order.
    [[nodiscard]] PricedPipeline unsharded(const std::vector<ChunkShares>& stages) const;

private:
    [[nodiscard]] const MicroBatchCost& cost() const;
    template <class End>
    [[nodiscard]] std::shared_ptr<pipeline::PipelineWork> work(const std::vector<ChunkShares>* stages, End end) const;
    [[nodiscard]] PricedPipeline unsharded(const std::vector<ChunkShares>* stages) const;

    PricedDivision m_division;
    cost::Deployment m_deployment; ///< refers to the plan of the division
};

} // namespace stratoplan::pricing
