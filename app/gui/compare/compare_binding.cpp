// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/compare/compare_binding.h"

#include "app/gui/compare/compare_page.h"
#include "app/session/workspace.h"

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
    connect(&page, &ComparePage::removeRequested, &workspace.pins(), &session::PinnedPlans::remove);
    connect(&workspace, &session::Workspace::estimateChanged, this, &CompareBinding::show);
    connect(&workspace.pins(), &session::PinnedPlans::changed, this, &CompareBinding::show);
    connect(&workspace, &session::Workspace::previewChanged, this, &CompareBinding::show);
}

void CompareBinding::setActive(bool active)
{
    m_active = active;
    show();
}

void CompareBinding::show()
{
    if (!m_active)
        return;
    const plan::Project& project = m_workspace.document().project();
    const auto& estimates = m_workspace.pins().estimates();
    std::vector<ComparedPlan> pinned;
    for (std::size_t i = 0; i < project.pinned.size(); ++i)
        pinned.push_back({QString::fromStdString(project.pinned[i].name),
            std::make_shared<const plan::Plan>(project.pinned[i].plan), i < estimates.size() ? estimates[i] : nullptr});
    const session::PlanPointer& estimated = m_workspace.estimatedPlan();
    m_page.setPlans(
        {m_workspace.previewed() ? tr("Preview") : tr("This plan"),
            estimated ? estimated : std::make_shared<const plan::Plan>(project.plan), m_workspace.estimate()},
        pinned);
}

} // namespace stratoplan::gui
