// SPDX-License-Identifier: GPL-3.0-or-later
// Shows on the canvas what of the plan runs where, and in the inspector how long the link that is selected is in use.
#pragma once

#include <QObject>
#include <QStringList>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::widgets {
class ClusterInspector;
class PlanOverlays;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class OverlayBinding final : public QObject {
    Q_OBJECT

public:
    OverlayBinding(session::Workspace& workspace, widgets::PlanOverlays& overlays, widgets::ClusterInspector& inspector,
        QObject* parent);

    void setSelection(const QStringList& keys);

private:
    void showPlan();
    void showBusy();

    session::Workspace& m_workspace;
    widgets::PlanOverlays& m_overlays;
    widgets::ClusterInspector& m_inspector;
    QStringList m_selection;
    bool m_hasLoads = false; ///< the overlays do, of all links
};

} // namespace stratoplan::gui
