// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/slide_state.h"

#include "app/session/plan_fields.h"
#include "core/search/found_plan.h"

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr std::size_t kMostAlternatives = 4;

Alternative ofPin(const plan::PinnedPlan& pinned, const session::EstimatePointer& estimate)
{
    const QString name = QString::fromStdString(pinned.name);
    Alternative result;
    result.name = name.section(u':', 0, 0).trimmed();
    result.detail = session::strategyTitle(pinned.plan.strategy);
    result.isPending = !estimate;
    result.inputs = pinned.capacity;
    result.accelerators = rankCount(pinned.plan.strategy);
    if (estimate && *estimate) {
        result.step = (*estimate)->step;
        result.fits = (*estimate)->fits;
        result.run = capacity::capacity(pinned.plan, **estimate, pinned.capacity);
    }
    return result;
}

/// A search knows the step and the peak, no range.
Alternative ofFound(const plan::Plan& plan, const search::FoundStrategy& found, const plan::CapacityInputs& inputs)
{
    estimate::Estimate estimate;
    estimate.step = found.step;
    estimate.strategy = found.strategy;
    Alternative result;
    result.name = session::strategyTitle(found.strategy);
    result.step = found.step;
    result.inputs = inputs;
    result.accelerators = rankCount(found.strategy);
    result.run = capacity::capacity(search::planWith(plan, found), estimate, inputs);
    return result;
}

void addPins(SlideState& state, session::Workspace& workspace)
{
    const auto& pins = workspace.document().project().pinned;
    const auto& estimates = workspace.pins().estimates();
    for (std::size_t i = 0; i < pins.size() && state.others.size() < kMostAlternatives; ++i) {
        Alternative pinned = ofPin(pins[i], i < estimates.size() ? estimates[i] : nullptr);
        if (pins[i].plan == *state.plan && pins[i].capacity == state.inputs)
            state.pinnedAs = pinned.name;
        else
            state.others.push_back(std::move(pinned));
    }
}

void addFound(SlideState& state, session::Workspace& workspace)
{
    const session::PlanSearch& search = workspace.search();
    if (!search.isCurrent() || search.picture()->provisional)
        return;
    std::vector<search::FoundStrategy> front = search.picture()->front;
    std::ranges::stable_sort(front, {}, &search::FoundStrategy::step);
    for (const search::FoundStrategy& found : front)
        if (state.others.size() < kMostAlternatives && found.strategy != state.plan->strategy)
            state.others.push_back(ofFound(*state.plan, found, state.inputs));
    state.othersAreFound = !state.others.empty();
}

} // namespace

SlideState slideState(session::Workspace& workspace)
{
    const plan::Project& project = workspace.document().project();
    SlideState state;
    state.plan = workspace.estimatedPlan();
    state.estimate = workspace.estimate();
    state.inputs = project.capacity;
    state.canvas = project.canvas;
    if (!state.plan)
        return state;
    if (const estimate::Estimate* estimate = state.priced()) {
        state.run = capacity::capacity(*state.plan, *estimate, state.inputs);
        state.timeline = workspace.timeline();
    }
    state.hasPins = !project.pinned.empty();
    if (state.hasPins)
        addPins(state, workspace);
    else
        addFound(state, workspace);
    return state;
}

} // namespace stratoplan::gui
