// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_edits.h"

#include "widgets/presentation/translate.h"
#include "widgets/topology/cluster_racks.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/topology_text.h"

#include <QKeySequence>

#include <algorithm>
#include <set>

namespace stratoplan::widgets {

namespace {

std::set<std::string> racksAmong(const cluster::Cluster& cluster, const QStringList& keys)
{
    std::set<std::string> chosen;
    for (const QString& key : keys)
        chosen.insert(key.toStdString());
    std::set<std::string> racks;
    for (const Rack& rack : racksOf(cluster)) {
        if (std::ranges::any_of(rack.elements, [&chosen](const auto& id) { return chosen.contains(id); }))
            racks.insert(rack.name);
    }
    return racks;
}

QStringList keysOf(const RackMoves& moves)
{
    QStringList keys;
    for (const auto& [id, rack] : moves)
        keys << fromText(id);
    return keys;
}

/// Where all of them go; none: not into the same.
std::optional<std::string> commonTarget(const RackMoves& moves)
{
    const std::string& rack = moves.begin()->second;
    const bool isCommon = std::ranges::all_of(moves, [&rack](const auto& move) { return move.second == rack; });
    return isCommon ? std::optional(rack) : std::nullopt;
}

cluster::NodeGroup nodesOfRack(const catalog::Catalog& catalog, const cluster::Cluster& cluster)
{
    if (!cluster.nodes.empty())
        return cluster.nodes.back();
    const catalog::NodePreset* preset = catalog.node("dgx-h100");
    return presetNodes(preset ? *preset : catalog.nodes.front());
}

} // namespace

std::vector<std::string> elementsAmong(const cluster::Cluster& cluster, const QStringList& keys)
{
    const auto racks = rackOfEach(cluster);
    std::vector<std::string> elements;
    for (const QString& key : keys) {
        if (std::string id = key.toStdString(); racks.contains(id))
            elements.push_back(std::move(id));
    }
    return elements;
}

QStringList rackMates(const cluster::Cluster& cluster, const QStringList& keys)
{
    const std::set<std::string> chosen = racksAmong(cluster, keys);
    QStringList mates;
    for (const Rack& rack : racksOf(cluster)) {
        for (const std::string& id : chosen.contains(rack.name) ? rack.elements : std::vector<std::string>())
            mates << fromText(id);
    }
    return mates;
}

QString commonRack(const cluster::Cluster& cluster, const QStringList& keys)
{
    const std::set<std::string> racks = racksAmong(cluster, keys);
    return racks.size() == 1 ? fromText(*racks.begin()) : QString();
}

bool isGroupable(const cluster::Cluster& cluster, const QStringList& keys)
{
    const std::vector<std::string> ids = elementsAmong(cluster, keys);
    return !ids.empty() && wholeRack(cluster, ids).empty();
}

std::optional<CanvasEdit> groupedIntoRack(const CanvasValue& value, const QStringList& keys)
{
    if (!isGroupable(value.cluster, keys))
        return std::nullopt;
    const std::vector<std::string> elements = elementsAmong(value.cluster, keys);
    CanvasEdit edit{value, {}, {}};
    setRack(edit.next.cluster, elements, {}); // a rack that is taken up whole gives its name
    const std::string rack = freeRackName(edit.next.cluster);
    setRack(edit.next.cluster, elements, rack);
    edit.name = tr("Group into %1").arg(fromText(rack));
    return edit;
}

std::optional<CanvasEdit> ungrouped(const CanvasValue& value, const QStringList& keys)
{
    const auto racks = rackOfEach(value.cluster);
    std::vector<std::string> racked = elementsAmong(value.cluster, keys);
    std::erase_if(racked, [&racks](const std::string& id) { return racks.at(id).empty(); });
    QStringList names;
    for (const std::string& id : racked)
        names << fromText(id);
    CanvasEdit edit{value, tr("Ungroup %1").arg(namesOf(value.cluster, names)), {}};
    return setRack(edit.next.cluster, racked, {}) ? std::optional(edit) : std::nullopt;
}

std::optional<CanvasEdit> renamedRack(const CanvasValue& value, const QString& rack, const QString& name)
{
    const std::vector<Rack> racks = racksOf(value.cluster);
    const auto find = [&racks](const QString& wanted) {
        return std::ranges::find(racks, wanted.toStdString(), &Rack::name);
    };
    if (rack == name || find(rack) == racks.end())
        return std::nullopt;
    CanvasEdit edit{value, tr("Rename to %1").arg(name), {}};
    if (name.isEmpty())
        edit.name = tr("Ungroup %1").arg(rack);
    else if (find(name) != racks.end())
        edit.name = tr("Join %1 and %2").arg(rack, name);
    setRack(edit.next.cluster, find(rack)->elements, name.toStdString());
    return edit;
}

QString moveText(const cluster::Cluster& cluster, const QStringList& moved, const RackMoves& racks)
{
    const QString names = namesOf(cluster, moved);
    if (racks.empty())
        return tr("Move %1").arg(names);
    const auto to = commonTarget(racks);
    const QString from = commonRack(cluster, keysOf(racks));
    if (!to || moved.size() != static_cast<qsizetype>(racks.size()) || (to->empty() && from.isEmpty()))
        return tr("Move %1 between racks").arg(names);
    return to->empty() ? tr("Move %1 out of %2").arg(names, from) : tr("Move %1 into %2").arg(names, fromText(*to));
}

QString moveText(const cluster::Cluster& cluster, const RackMoves& racks)
{
    return moveText(cluster, keysOf(racks), racks);
}

QString leaveNotice(const cluster::Cluster& cluster, const RackMoves& racks)
{
    RackMoves leave = racks;
    std::erase_if(leave, [](const auto& move) { return !move.second.empty(); });
    if (leave.empty())
        return {};
    const QStringList keys = keysOf(leave);
    const QString from = commonRack(cluster, keys);
    const QString undo = QKeySequence(QKeySequence::Undo).toString(QKeySequence::NativeText);
    const QString names = namesOf(cluster, keys);
    if (keys.size() == 1)
        return tr("%1 is no longer in %2 (%3 brings it back)").arg(names, from, undo);
    return from.isEmpty() ? tr("%1 are no longer in a rack (%2 brings them back)").arg(names, undo)
                          : tr("%1 are no longer in %2 (%3 brings them back)").arg(names, from, undo);
}

CanvasValue newRack(const catalog::Catalog& catalog, const cluster::Cluster& cluster)
{
    CanvasValue rack;
    cluster::NodeGroup nodes = nodesOfRack(catalog, cluster);
    nodes.count = kNodesOfRack;
    nodes.rack = freeRackName(cluster);
    rack.cluster.nodes = {nodes};
    if (nodes.nicsPerNode > 0) {
        const SwitchPreset& leaf = switchPresets().front();
        const std::string id = addSwitches(rack.cluster, leaf);
        cluster::SwitchGroup& leaves = rack.cluster.switches.front();
        leaves.rack = nodes.rack;
        leaves.count = std::max(1, (2 * nodes.nicsPerNode * nodes.count + leaf.ports - 1) / leaf.ports);
        connectElements(rack.cluster, nodes.id, id, fallbackLink(catalog));
    }
    rack.positions = autoLayout(rack.cluster);
    return rack;
}

RackLanding rackLanding(const catalog::Catalog& catalog, const CanvasValue& value, plan::CanvasPosition wish)
{
    CanvasValue rack = newRack(catalog, value.cluster);
    const QRectF frame = placedRacks(rack).front().frame;
    const CanvasSize size{frame.width(), frame.height()};
    return {std::move(rack), size, freePlace(value, size, wish)};
}

std::optional<CanvasEdit> placedRack(
    const catalog::Catalog& catalog, const CanvasValue& value, plan::CanvasPosition wish)
{
    const auto [rack, size, place] = rackLanding(catalog, value, wish);
    const QPointF centre = placedRacks(rack).front().frame.center();
    CanvasEdit edit{value, tr("Add %1").arg(fromText(rack.cluster.nodes.front().rack)), {}};
    for (const std::string& id : insertPart(edit.next, rack, snapped({place.x - centre.x(), place.y - centre.y()})))
        edit.selectAfter << fromText(id);
    return edit;
}

} // namespace stratoplan::widgets
