// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/shared_programs.h"

#include <utility>

namespace stratoplan::pipeline {
namespace {

constexpr std::size_t kMostSteps = 500'000; // 8 MB

} // namespace

SharedPrograms::Key SharedPrograms::key(const PipelineWork& work)
{
    return {int(work.schedule), int(work.stages.size()), work.chunks, work.microBatches, work.lookahead};
}

const std::vector<StageProgram>& SharedPrograms::programs(const PipelineWork& work)
{
    const Key wanted = key(work);
    if (const auto known = m_programs.find(wanted); known != m_programs.end())
        return known->second;
    std::vector<StageProgram> programs = programsOf(work);
    std::size_t steps = 0;
    for (const StageProgram& program : programs)
        steps += program.size();
    if (m_steps + steps > kMostSteps) {
        m_programs.clear();
        m_steps = 0;
    }
    m_steps += steps;
    return m_programs.emplace(wanted, std::move(programs)).first->second;
}

const FoldedRules& SharedPrograms::rules(const PipelineWork& work)
{
    const auto [known, isNew] = m_rules.try_emplace(key(work));
    if (isNew)
        known->second = foldedRules(work, programs(work));
    return known->second;
}

} // namespace stratoplan::pipeline
