// SPDX-License-Identifier: GPL-3.0-or-later
// What tool bar, menu and shortcuts of a canvas offer about racks.
#pragma once

#include <QList>

class QAction;

namespace stratoplan::widgets {

class RackNaming;
class TopologyView;

struct RackActions {
    QAction* group;
    QAction* ungroup;
    QAction* select; ///< all of the racks of what is selected
    QAction* rename;
    RackNaming* naming; ///< what that opens
};

/// They belong to the view, which answers their shortcuts.
[[nodiscard]] RackActions makeRackActions(TopologyView& view);
/// Which of them there is something for, and what is missing else.
void updateRackActions(const RackActions& actions, const TopologyView& view);
[[nodiscard]] QList<QAction*> listed(const RackActions& actions);

} // namespace stratoplan::widgets
