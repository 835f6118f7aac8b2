// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/torus_array.h"

#include "core/cluster/cluster_edits.h"
#include "widgets/panels/torus_field.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"
#include "widgets/topology/cluster_fields.h"
#include "widgets/topology/topology_view.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

/// Nodes of the group that hold all of it; 0 where they do not make it up.
int nodesOf(const cluster::NodeGroup& group, const cluster::Torus& torus)
{
    const long long size = sizeOf(torus);
    const bool divides = group.acceleratorsPerNode > 0 && size % group.acceleratorsPerNode == 0;
    return divides ? static_cast<int>(size / group.acceleratorsPerNode) : 0;
}

const std::vector<std::vector<int>>& shapes()
{
    static const std::vector<std::vector<int>> all{{4, 4}, {8, 8}, {16, 16}, {2, 2, 4}, {4, 4, 4}, {4, 4, 8}, {4, 8, 8},
        {8, 8, 8}, {8, 8, 16}, {8, 16, 16}, {16, 16, 16}};
    return all;
}

/// The groups of nodes that an array is made of, as places in the value: those among the keys, or the only one there
/// is.
std::vector<std::size_t> arrayGroups(const cluster::Cluster& cluster, const QStringList& keys)
{
    std::vector<std::string> ids;
    for (const QString& key : keys)
        ids.push_back(key.toStdString());
    std::vector<std::size_t> groups = rowsOf(cluster, RowKind::Nodes, ids);
    if (groups.empty() && cluster.nodes.size() == 1)
        groups.push_back(0);
    return groups;
}

QString whyNot(const cluster::Cluster& cluster, const std::vector<std::size_t>& groups, const std::vector<int>& axes)
{
    if (groups.empty())
        return tr("Select the nodes that form it.");
    for (const std::size_t place : groups)
        if (const cluster::NodeGroup& group = cluster.nodes[place]; nodesOf(group, {axes}) == 0)
            return tr("Nodes of %1 accelerators do not make it up.").arg(groupedNumber(group.acceleratorsPerNode));
    return {};
}

/// "4×4×4, 16 nodes"
QString labelOf(const cluster::Cluster& cluster, const std::vector<std::size_t>& groups, const std::vector<int>& axes)
{
    const int nodes = groups.empty() ? 0 : nodesOf(cluster.nodes[groups.front()], {axes});
    return nodes == 0 ? axesText(axes) : tr("%1, %2 nodes").arg(axesText(axes), groupedNumber(nodes));
}

/// An entry of each shape, as the nodes that are selected make it up.
void offerShapes(const QMenu& menu, const TopologyView& view)
{
    const cluster::Cluster& cluster = view.value().cluster;
    const std::vector<std::size_t> groups = arrayGroups(cluster, view.selection());
    const QList<QAction*> entries = menu.actions();
    for (std::size_t i = 0; i < shapes().size(); ++i) {
        QAction& entry = *entries[static_cast<qsizetype>(i)];
        const QString reason = whyNot(cluster, groups, shapes()[i]);
        entry.setEnabled(reason.isEmpty());
        entry.setText(labelOf(cluster, groups, shapes()[i]));
        entry.setToolTip(reason.isEmpty() ? tr("Nodes enough for one torus of these axes; other shapes in the field "
                                               "“Torus” of the nodes")
                                          : reason);
    }
}

} // namespace

std::optional<CanvasEdit> torusArray(const CanvasValue& value, const QStringList& keys, const std::vector<int>& axes)
{
    const cluster::Torus torus{axes};
    CanvasEdit edit{value, tr("Make it a torus of %1").arg(axesText(axes)), keys};
    if (!isValid(torus))
        return std::nullopt;
    for (const std::size_t place : arrayGroups(value.cluster, keys)) {
        cluster::NodeGroup& group = edit.next.cluster.nodes[place];
        const int nodes = nodesOf(group, torus);
        if (nodes == 0)
            return std::nullopt;
        setElementCount(edit.next.cluster, group.id, nodes);
        setTorusAxes(group, std::vector(axes));
    }
    return edit.next == value ? std::nullopt : std::optional(edit);
}

QMenu* makeTorusMenu(TopologyView& view)
{
    auto* menu = new QMenu(tr("As a torus"), &view);
    menu->setToolTipsVisible(true);
    for (const std::vector<int>& axes : shapes())
        menu->addAction(
            axesText(axes), &view, [&view, axes] { view.propose(torusArray(view.value(), view.selection(), axes)); });
    QObject::connect(menu, &QMenu::aboutToShow, &view, [menu, &view] { offerShapes(*menu, view); });
    return menu;
}

} // namespace stratoplan::widgets
