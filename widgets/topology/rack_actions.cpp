// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_actions.h"

#include "widgets/topology/canvas_actions.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/rack_naming.h"
#include "widgets/topology/topology_text.h"
#include "widgets/topology/topology_view.h"

#include <QAction>

namespace stratoplan::widgets {

namespace {

void offer(QAction& action, bool isPossible, const QString& toolTip, const QString& missing)
{
    action.setEnabled(isPossible);
    action.setToolTip(isPossible
            ? TopologyView::tr("%1 (%2)").arg(toolTip, action.shortcut().toString(QKeySequence::NativeText))
            : missing);
}

} // namespace

RackActions makeRackActions(TopologyView& view)
{
    const auto make = [&view](const QString& text, const QKeySequence& key) {
        return addCanvasAction(view, text, "cluster", {key}, text);
    };
    const RackActions actions{make(TopologyView::tr("Group into a rack"), Qt::CTRL | Qt::Key_G),
        make(TopologyView::tr("Ungroup"), Qt::CTRL | Qt::SHIFT | Qt::Key_G),
        make(TopologyView::tr("Select the rack"), Qt::SHIFT | Qt::Key_G),
        make(TopologyView::tr("Rename the rack"), Qt::Key_F2), new RackNaming(view)};
    QObject::connect(actions.group, &QAction::triggered, &view,
        [&view] { view.propose(groupedIntoRack(view.value(), view.selection())); });
    QObject::connect(actions.ungroup, &QAction::triggered, &view,
        [&view] { view.propose(ungrouped(view.value(), view.selection())); });
    QObject::connect(actions.select, &QAction::triggered, &view,
        [&view] { view.setSelection(rackMates(view.value().cluster, view.selection())); });
    QObject::connect(actions.rename, &QAction::triggered, actions.naming,
        [&view, naming = actions.naming] { naming->begin(commonRack(view.value().cluster, view.selection())); });
    return actions;
}

void updateRackActions(const RackActions& actions, const TopologyView& view)
{
    const cluster::Cluster& cluster = view.value().cluster;
    const QStringList keys = view.selection();
    const QString common = commonRack(cluster, keys);
    const bool isRacked = !rackMates(cluster, keys).isEmpty();
    const bool canGroup = isGroupable(cluster, keys);
    const QString noRack = TopologyView::tr("Select elements of a rack first");
    offer(*actions.group, canGroup,
        TopologyView::tr(
            "Draw a frame with a name around the selected elements, to handle them together; cards dragged "
            "into it join them"),
        isRacked ? TopologyView::tr("These are %1 already").arg(common)
                 : TopologyView::tr("Select the elements to group into a rack first"));
    offer(*actions.ungroup, isRacked,
        TopologyView::tr("Take the selected elements out of their rack, as dragging them out of its frame does"),
        noRack);
    offer(*actions.select, isRacked, TopologyView::tr("Select all elements of the rack"), noRack);
    offer(*actions.rename, !common.isEmpty(), TopologyView::tr("Give the rack of the selected elements another name"),
        isRacked ? TopologyView::tr("Select elements of one rack only") : noRack);
}

QList<QAction*> listed(const RackActions& actions)
{
    return {actions.group, actions.ungroup, actions.select, actions.rename};
}

} // namespace stratoplan::widgets
