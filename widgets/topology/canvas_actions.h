// SPDX-License-Identifier: GPL-3.0-or-later
// What tool bar, context menu and shortcuts of a canvas offer.
#pragma once

#include "widgets/topology/rack_actions.h"

#include <QKeySequence>

#include <array>

class QAction;
class QMenu;
class QToolButton;

namespace stratoplan::widgets {

class CanvasPlates;
class TopologyView;

struct CanvasActions {
    QAction* select; ///< the tools, of which one is checked
    QAction* link;
    QAction* pan;
    QAction* remove; ///< of what is selected, as is the next
    QAction* duplicate;
    QAction* cut;
    QAction* copy;
    QAction* paste;
    QAction* selectAll;
    QAction* fit;
    QAction* arrange;
    QAction* fatTree;
    QAction* rails;
    QMenu* torus; ///< shapes of arrays of nodes
    std::array<QAction*, 4> align; ///< those that are selected: in a row, a column, evenly across and down
    RackActions racks;
    QToolButton* arrays; ///< opens the menu of the last five
    QAction* zoomIn;
    QAction* zoomOut;
    QAction* copyImage;
    QAction* exportImage;
    QMenu* colours; ///< what accelerators are coloured by
    QAction* colourBy; ///< opens it
    QAction* trace;
    QAction* load;
};

/// One of the view, with an icon of that name and the first of its keys in the tool tip.
[[nodiscard]] QAction* addCanvasAction(TopologyView& view, const QString& text, const char* iconName,
    const QList<QKeySequence>& keys, const QString& toolTip);

/// They belong to the view, which answers their shortcuts.
[[nodiscard]] CanvasActions makeCanvasActions(TopologyView& view);
void fillToolBar(CanvasPlates& plates, CanvasActions& actions, TopologyView& view);
/// Which of them there is something for, after a change of the cluster or of what is selected.
void updateCanvasActions(const CanvasActions& actions, const TopologyView& view);
/// What it does shows on the canvas alone.
[[nodiscard]] bool needsCanvas(const QAction& action);
/// About what is selected, and about all.
void fillCanvasMenu(QMenu& menu, const CanvasActions& actions, TopologyView& view);

} // namespace stratoplan::widgets
