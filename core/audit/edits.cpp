// SPDX-License-Identifier: Apache-2.0
#include "core/audit/edits.h"

#include "core/plan/search_space.h"
#include "core/pricing/divided_layers.h"

#include <algorithm>
#include <map>

namespace stratoplan::audit {
namespace {

/// Edits of one kind, of which the best is offered.
int kindOf(const PlanEdit& edit)
{
    if (!edit.change)
        return -1;
    using enum space::ChangeCode;
    switch (edit.change->code) {
    case Recompute:
    case RecomputeFirst:
        return int(plan::Dimension::Recompute);
    case EvenLayers:
    case FewerOnFirst:
    case FewerOnLast:
        return int(plan::Dimension::EndLayers);
    case Schedule:
    case ScheduleInOneChunk:
    case ScheduleInTwoChunks:
        return int(plan::Dimension::Schedule);
    default:
        return int(edit.change->dimension);
    }
}

std::vector<PlanEdit> proposals(const plan::Plan& plan)
{
    std::vector<PlanEdit> edits;
    for (space::Neighbour& neighbour : space::neighbours(plan, plan.strategy)) {
        // Seconds each: the best division of a layer.
        if (pricing::dividesLayers(neighbour.strategy) && !pricing::dividesLayers(plan.strategy))
            continue;
        PlanEdit& edit = edits.emplace_back(PlanEdit{neighbour.change, plan, {}, {}});
        edit.plan.strategy = std::move(neighbour.strategy);
    }
    if (!isFlash(plan.training.attention)) {
        PlanEdit& edit = edits.emplace_back(PlanEdit{std::nullopt, plan, {}, {}});
        edit.plan.training.attention = plan::AttentionKernel::Flash;
    }
    return edits;
}

} // namespace

std::vector<PlanEdit> bestEdits(const plan::Plan& plan, const estimate::Estimate& estimate, std::size_t count,
    const catalog::Catalog& catalog, const std::stop_token& stop)
{
    constexpr double kLeastGain = 0.001; // of the step
    const estimate::EstimateOptions options{
        .remedies = false, .waits = false, .range = false, .catalog = &catalog, .stop = stop};
    std::map<int, PlanEdit> best;
    for (PlanEdit& edit : proposals(plan)) {
        if (stop.stop_requested())
            break;
        const auto then = estimate::estimate(edit.plan, options);
        if (!then || !then->fits)
            continue;
        edit.step = then->step;
        edit.gain = estimate.step - then->step;
        if (estimate.fits && edit.gain < estimate.step * kLeastGain)
            continue;
        const auto [known, isNew] = best.try_emplace(kindOf(edit), edit);
        if (!isNew && edit.gain > known->second.gain)
            known->second = std::move(edit);
    }
    std::vector<PlanEdit> edits;
    for (auto& [kind, edit] : best)
        edits.push_back(std::move(edit));
    std::ranges::stable_sort(edits, std::ranges::greater(), &PlanEdit::gain);
    edits.resize(std::min(edits.size(), count));
    return edits;
}

} // namespace stratoplan::audit
