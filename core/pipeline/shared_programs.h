// SPDX-License-Identifier: Apache-2.0
// What pipelines of one schedule, as many stages and micro-batches have in common, found once: what each stage runs,
// and what a bound asks of it. For whoever looks at many pipelines; one object serves one thread.
#pragma once

#include "core/pipeline/folded_chain.h"
#include "core/pipeline/pipeline.h"

#include <array>
#include <map>
#include <vector>

namespace stratoplan::pipeline {

class SharedPrograms {
public:
    /// Whether the programs of the work follow from its schedule alone, and not from its durations or an order of its
    /// own.
    [[nodiscard]] static bool shares(const PipelineWork& work)
    {
        return work.order.empty() && work.schedule != parallel::Schedule::ZbAuto;
    }
    /// programsOf(). They stay until others are asked for. Precondition: shares().
    [[nodiscard]] const std::vector<StageProgram>& programs(const PipelineWork& work);
    /// foldedRules(). Precondition: the schedule is V-shaped or two-way.
    [[nodiscard]] const FoldedRules& rules(const PipelineWork& work);

private:
    using Key = std::array<int, 5>;
    [[nodiscard]] static Key key(const PipelineWork& work);

    std::map<Key, std::vector<StageProgram>> m_programs;
    std::size_t m_steps = 0; ///< of all of them
    std::map<Key, FoldedRules> m_rules;
};

} // namespace stratoplan::pipeline
