// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/overlay_binding.h"

#include "app/session/workspace.h"
#include "widgets/topology/busy_text.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/plan_overlays.h"

namespace stratoplan::gui {

namespace {

void addLoads(widgets::RunningPlan& running, const plan::Plan& plan, const estimate::Estimate& estimate)
{
    const std::vector<std::string> keys = widgets::connectionKeys(plan.cluster);
    std::vector<estimate::LinkLoad> loads = linkLoads(estimate, plan);
    if (const auto busiest = busiestLink(loads, plan.cluster))
        running.busiest = keys[*busiest];
    for (std::size_t i = 0; i < keys.size(); ++i)
        running.loads.emplace(keys[i], std::move(loads[i]));
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
    connect(&overlays, &widgets::PlanOverlays::changed, this, [this] {
        if (m_overlays.showsLoad() != m_hasLoads)
            showPlan();
    });
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
    m_hasLoads = m_overlays.showsLoad(); // of a large network they take too long to have them for nobody
    std::optional<widgets::RunningPlan> running;
    if (plan && estimate && *estimate) {
        running = widgets::RunningPlan{(*estimate)->strategy, (*estimate)->step, {}, {}};
        if (m_hasLoads)
            addLoads(*running, *plan, **estimate);
    }
    m_overlays.setPlan(std::move(running));
    showBusy();
}

void OverlayBinding::showBusy()
{
    const session::EstimatePointer& estimate = m_workspace.estimate();
    const session::PlanPointer& plan = m_workspace.estimatedPlan();
    if (plan && estimate && *estimate && m_selection.size() == 1)
        if (const auto index = widgets::connectionIndex(plan->cluster, m_selection.front().toStdString())) {
            const estimate::LinkLoad load = linkLoad(**estimate, *plan, *index);
            m_inspector.setBusy(widgets::busyText(load, (*estimate)->step), widgets::busyExplanation(load));
            return;
        }
    m_inspector.setBusy({}, {});
}

} // namespace stratoplan::gui
