// SPDX-License-Identifier: Apache-2.0
// The end of pricing: a pipeline with all its durations, which takes as long as its schedule makes it.
#pragma once

#include "core/pipeline/pipeline.h"

#include <memory>
#include <utility>

namespace stratoplan::pricing {

/// How the passes of a step are placed in time.
enum class PipelineTime {
    ClosedForm, ///< pipelineSeconds(): never above the simulation
    Bound, ///< stepBound(): the same, nearer to it, and dearer
    Simulated, ///< makespan(): what estimate() says
};

[[nodiscard]] Seconds stepSeconds(
    const pipeline::PipelineWork& work, PipelineTime time, pipeline::SharedPrograms* shared = nullptr);

/// Refers to the programs of its context.
class PricedPipeline {
public:
    PricedPipeline(std::shared_ptr<pipeline::PipelineWork> work, pipeline::SharedPrograms& programs)
        : m_work(std::move(work))
        , m_programs(&programs)
    {
    }
    PricedPipeline(PricedPipeline&&) = default;
    PricedPipeline& operator=(PricedPipeline&&) = default;

    /// Not finite where a rate or a constant of the plan is too small or too large.
    [[nodiscard]] Seconds step(PipelineTime time) const { return stepSeconds(*m_work, time, m_programs); }
    [[nodiscard]] const pipeline::PipelineWork& work() const { return *m_work; }
    /// The same passes by another schedule. Both run as a loop in as many chunks, and passes cost the same: activations
    /// are not offloaded. The closed form is then that of the other schedule.
    [[nodiscard]] PricedPipeline runBy(parallel::Schedule schedule) &&
    {
        m_work->schedule = schedule;
        return std::move(*this);
    }

private:
    std::shared_ptr<pipeline::PipelineWork> m_work; ///< nobody else's
    pipeline::SharedPrograms* m_programs;
};

} // namespace stratoplan::pricing
