// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the Compare page to the workspace: the plan and the pinned ones as rows, and what is done with a row.
#pragma once

#include "app/gui/compare/compared_figures.h"
#include "app/session/plan_scaling.h"

#include <QObject>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::gui {

class ComparePage;

class CompareBinding : public QObject {
    Q_OBJECT

public:
    CompareBinding(session::Workspace& workspace, ComparePage& page, QObject* parent);

    /// Only a page that is looked at is filled.
    void setActive(bool active);
    [[nodiscard]] bool isSettled() const { return !m_scaling.isWorking(); }

Q_SIGNALS:
    /// What came of an export, or a copy.
    void reported(bool good, const QString& text);

private:
    void show();
    void askScaling();
    /// The same with what is known of it from the last time.
    [[nodiscard]] ComparedPlan known(ComparedPlan plan) const;

    session::Workspace& m_workspace;
    ComparePage& m_page;
    std::vector<ComparedPlan> m_known; ///< as they were shown last
    session::PlanScaling m_scaling;
    bool m_active = false;
};

} // namespace stratoplan::gui
