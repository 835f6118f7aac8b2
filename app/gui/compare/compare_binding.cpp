// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/compare_binding.h"

#include "app/gui/compare/compare_page.h"
#include "app/gui/compare/compared_charts.h"
#include "app/session/workspace.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/scaling_chart.h"

#include <algorithm>

namespace stratoplan::gui {

CompareBinding::CompareBinding(session::Workspace& workspace, ComparePage& page, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_page(page)
{
    connect(&page, &ComparePage::pinRequested, &workspace, [&workspace] { workspace.pins().add(false); });
    connect(&page, &ComparePage::adoptRequested, &workspace.pins(), &session::PinnedPlans::adopt);
    connect(&page, &ComparePage::baselineRequested, &workspace.pins(), &session::PinnedPlans::makeBaseline);
    connect(&page, &ComparePage::renameRequested, &workspace.pins(), &session::PinnedPlans::rename);
    connect(&page, &ComparePage::noteRequested, &workspace.pins(), &session::PinnedPlans::setNote);
    connect(&page, &ComparePage::removeRequested, &workspace.pins(), &session::PinnedPlans::remove);
    connect(&workspace, &session::Workspace::estimateChanged, this, &CompareBinding::show);
    connect(&workspace.pins(), &session::PinnedPlans::changed, this, &CompareBinding::show);
    connect(&workspace, &session::Workspace::previewChanged, this, &CompareBinding::show);
    connect(&workspace.document(), &session::ProjectDocument::changed, this, [this](session::ProjectParts parts) {
        if (parts.testFlag(session::ProjectPart::Capacity))
            show();
    });
    connect(&page, &ComparePage::chartsChanged, this, &CompareBinding::askScaling);
    connect(&m_scaling, &session::PlanScaling::scaled, this, [this](const session::ScalingPointer& answers) {
        m_page.charts().setScalingUpdating(false);
        m_page.charts().setScaling(answers);
    });
    connect(&page, &ComparePage::reported, this, &CompareBinding::reported);
    for (widgets::ChartView* chart : page.charts().charts())
        connect(chart, &widgets::ChartView::reported, this, &CompareBinding::reported);
}

void CompareBinding::setActive(bool active)
{
    m_active = active;
    show();
}

/// Capacities take thousands of draws each, and plans are compared as pointers.
ComparedPlan CompareBinding::known(ComparedPlan plan) const
{
    for (const ComparedPlan& before : m_known)
        if (plan.plan == before.plan || *plan.plan == *before.plan) {
            plan.plan = before.plan;
            if (plan.estimate == before.estimate && plan.inputs == before.inputs) {
                plan.capacity = before.capacity;
                break;
            }
        }
    const estimate::Estimate* estimate = estimateOf(plan);
    if (estimate && !plan.capacity)
        plan.capacity = capacity::capacity(*plan.plan, *estimate, plan.inputs);
    return plan;
}

void CompareBinding::show()
{
    if (!m_active)
        return;
    const plan::Project& project = m_workspace.document().project();
    const auto& estimates = m_workspace.pins().estimates();
    std::vector<ComparedPlan> pinned;
    for (std::size_t i = 0; i < project.pinned.size(); ++i) {
        const plan::PinnedPlan& pin = project.pinned[i];
        pinned.push_back(known({QString::fromStdString(pin.name), QString::fromStdString(pin.note),
            std::make_shared<const plan::Plan>(pin.plan), i < estimates.size() ? estimates[i] : nullptr, pin.capacity,
            std::nullopt}));
    }
    const session::PlanPointer& estimated = m_workspace.estimatedPlan();
    const ComparedPlan current = known({m_workspace.previewed() ? tr("Preview") : tr("This plan"), QString(),
        estimated ? estimated : std::make_shared<const plan::Plan>(project.plan), m_workspace.estimate(),
        project.capacity, std::nullopt});
    m_known = pinned;
    m_known.push_back(current);
    m_page.setPlans(current, pinned);
}

void CompareBinding::askScaling()
{
    if (!m_active)
        return;
    std::vector<session::ScaledPlan> plans;
    for (const ComparedPlan& plan : m_page.plansOfCharts())
        if (estimateOf(plan))
            plans.push_back({shortName(plan), plan.plan, plan.inputs});
    m_scaling.request(std::move(plans));
    m_page.charts().setScalingUpdating(m_scaling.isWorking());
}

} // namespace stratoplan::gui
