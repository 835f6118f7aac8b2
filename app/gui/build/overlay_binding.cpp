// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/overlay_binding.h"

#include "app/session/workspace.h"
#include "widgets/topology/busy_text.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/plan_overlays.h"

namespace stratoplan::gui {

namespace {

widgets::RunningPlan runningPlan(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    widgets::RunningPlan running{estimate.strategy, estimate.step, {}, {}};
    const std::vector<std::string> keys = widgets::connectionKeys(plan.cluster);
    std::vector<estimate::LinkLoad> loads = linkLoads(estimate, plan);
    if (const auto busiest = busiestLink(loads, plan.cluster))
        running.busiest = keys[*busiest];
    for (std::size_t i = 0; i < keys.size(); ++i)
        running.loads.emplace(keys[i], std::move(loads[i]));
    return running;
}

} // namespace

OverlayBinding::OverlayBinding(session::Workspace& workspace, widgets::PlanOverlays& overlays,
    widgets::ClusterInspector& inspector, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_overlays(overlays)
    , m_inspector(inspector)
{
    connect(&workspace, &session::Workspace::estimateChanged, this, &OverlayBinding::showPlan);
    showPlan();
}

void OverlayBinding::setSelection(const QStringList& keys)
{
    m_selection = keys;
    showBusy();
}

void OverlayBinding::showPlan()
{
    const session::EstimatePointer& estimate = m_workspace.estimate();
    const session::PlanPointer& plan = m_workspace.estimatedPlan();
    m_overlays.setPlan(plan && estimate && *estimate ? std::optional(runningPlan(*plan, **estimate)) : std::nullopt);
    showBusy();
}

void OverlayBinding::showBusy()
{
    const auto& running = m_overlays.plan();
    if (running && m_selection.size() == 1)
        if (const auto load = running->loads.find(m_selection.front().toStdString()); load != running->loads.end()) {
            m_inspector.setBusy(widgets::busyText(load->second, running->step), widgets::busyExplanation(load->second));
            return;
        }
    m_inspector.setBusy({}, {});
}

} // namespace stratoplan::gui
