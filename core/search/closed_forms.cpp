// SPDX-License-Identifier: Apache-2.0
#include "core/search/closed_forms.h"

#include "core/parallel/route.h"

#include <algorithm>

namespace stratoplan::search {
namespace {

/// Which stands for all that have the same closed form.
space::PipelinePick leanest(const space::PipelinePick& pick)
{
    return {leaner(pick.schedule).value_or(pick.schedule), pick.vpp, pick.timingPass};
}

} // namespace

std::optional<parallel::Schedule> leaner(parallel::Schedule schedule)
{
    switch (schedule) {
    case parallel::Schedule::GPipe:
    case parallel::Schedule::EagerOneFOneB:
        return parallel::Schedule::OneFOneB;
    case parallel::Schedule::BreadthFirst:
        return parallel::Schedule::Interleaved;
    default:
        return std::nullopt;
    }
}

std::optional<Seconds> ClosedForms::find(const space::PipelinePick& pick) const
{
    const space::PipelinePick like = leanest(pick);
    const auto known =
        std::find_if(m_forms.begin(), m_forms.end(), [&](const auto& form) { return form.first == like; });
    return known == m_forms.end() ? std::nullopt : std::optional(known->second);
}

void ClosedForms::add(
    const space::PipelinePick& pick, pricing::PricedPipeline pipeline, std::span<const space::PipelinePick> alike)
{
    m_forms.emplace_back(leanest(pick), pipeline.step(pricing::PipelineTime::ClosedForm));
    if (shape(pick.schedule) != parallel::PipelineShape::Loop)
        return;
    for (const space::PipelinePick& other : alike) {
        if (other.vpp != pick.vpp || other.timingPass != pick.timingPass || !space::hasClosedForm(other.schedule)
            || find(other))
            continue;
        pipeline = std::move(pipeline).runBy(other.schedule);
        m_forms.emplace_back(leanest(other), pipeline.step(pricing::PipelineTime::ClosedForm));
    }
}

} // namespace stratoplan::search
