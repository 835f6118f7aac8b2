// SPDX-License-Identifier: Apache-2.0
#include "core/search/closed_forms.h"

#include "core/parallel/route.h"

#include <algorithm>

namespace stratoplan {
namespace {

/// Which stands for all that have the same closed form.
PipelinePick leanest(const PipelinePick& pick)
{
    return {leaner(pick.schedule).value_or(pick.schedule), pick.vpp, pick.timingPass};
}

} // namespace

std::optional<Schedule> leaner(Schedule schedule)
{
    switch (schedule) {
    case Schedule::GPipe:
    case Schedule::EagerOneFOneB:
        return Schedule::OneFOneB;
    case Schedule::BreadthFirst:
        return Schedule::Interleaved;
    default:
        return std::nullopt;
    }
}

std::optional<Seconds> ClosedForms::find(const PipelinePick& pick) const
{
    const PipelinePick like = leanest(pick);
    const auto known =
        std::find_if(m_forms.begin(), m_forms.end(), [&](const auto& form) { return form.first == like; });
    return known == m_forms.end() ? std::nullopt : std::optional(known->second);
}

void ClosedForms::add(const PipelinePick& pick, PricedPipeline pipeline, std::span<const PipelinePick> alike)
{
    m_forms.emplace_back(leanest(pick), pipeline.step(PipelineTime::ClosedForm));
    if (shape(pick.schedule) != PipelineShape::Loop)
        return;
    for (const PipelinePick& other : alike) {
        if (other.vpp != pick.vpp || other.timingPass != pick.timingPass || !hasClosedForm(other.schedule)
            || find(other))
            continue;
        pipeline = std::move(pipeline).runBy(other.schedule);
        m_forms.emplace_back(leanest(other), pipeline.step(PipelineTime::ClosedForm));
    }
}

} // namespace stratoplan
