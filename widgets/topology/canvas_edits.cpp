// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_edits.h"

#include "widgets/presentation/translate.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/topology_text.h"

#include <QRectF>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

QString namesOf(const cluster::Cluster& cluster, const QStringList& keys)
{
    if (keys.size() != 1)
        return tr("%1 elements").arg(keys.size());
    const std::string key = keys.constFirst().toStdString();
    return elementKind(cluster, key) != ElementKind::None ? fromText(elementName(cluster, key)) : tr("link");
}

QRectF cardAt(const cluster::Cluster& cluster, const std::string& id, plan::CanvasPosition at)
{
    const CanvasSize size = cardSize(elementKind(cluster, id));
    return {at.x - size.width / 2, at.y - size.height / 2, size.width, size.height};
}

// Aside, by the width of what is copied, so that nothing is covered; further if something stands there.
double offsetOfCopies(
    const cluster::Cluster& cluster, const plan::CanvasPositions& positions, const std::vector<std::string>& ids)
{
    QRectF bounds;
    for (const std::string& id : ids)
        bounds |= cardAt(cluster, id, positions.at(id));
    const auto blocked = [&](double dx) {
        return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
            const QRectF target = cardAt(cluster, id, positions.at(id)).translated(dx, 0).adjusted(-8, -8, 8, 8);
            return std::any_of(positions.begin(), positions.end(),
                [&](const auto& entry) { return cardAt(cluster, entry.first, entry.second).intersects(target); });
        });
    };
    const double step = snapped({bounds.width() + 6 * kCanvasGrid, 0}).x;
    double dx = step;
    for (int tries = 0; tries < 64 && blocked(dx); ++tries)
        dx += step;
    return dx;
}

/// The network of a cluster whose nodes have none.
cluster::Link fallbackLink(const catalog::Catalog& catalog)
{
    const auto& links = catalog.links;
    const auto it = std::find_if(
        links.rbegin(), links.rend(), [](const cluster::Link& l) { return l.kind == cluster::LinkKind::InfiniBand; });
    return it == links.rend() ? cluster::Link{} : *it;
}

std::string addPreset(const catalog::Catalog& catalog, cluster::Cluster& cluster, const PresetKey& key)
{
    if (key.kind == PresetKind::Switch) {
        for (const SwitchPreset& preset : switchPresets()) {
            if (preset.id == key.id)
                return addSwitches(cluster, preset);
        }
        return {};
    }
    cluster::NodeGroup group = catalog.node(key.id)->node;
    if (group.id.empty())
        group.id = key.id;
    if (group.name.empty())
        group.name = presetName(catalog, key).toStdString();
    return addNodes(cluster, group);
}

} // namespace

std::optional<CanvasEdit> movedCards(const CanvasValue& value, const plan::CanvasPositions& positions)
{
    QStringList moved;
    for (const auto& [id, position] : positions) {
        const auto old = value.positions.find(id);
        if (old == value.positions.end() || !(old->second == position))
            moved << fromText(id);
    }
    if (moved.isEmpty())
        return std::nullopt;
    return CanvasEdit{{value.cluster, positions}, tr("Move %1").arg(namesOf(value.cluster, moved)), {}};
}

std::optional<CanvasEdit> removedKeys(const CanvasValue& value, const QStringList& keys)
{
    CanvasEdit edit{value, tr("Delete %1").arg(namesOf(value.cluster, keys)), {}};
    std::vector<std::string> gone;
    for (const QString& key : keys)
        gone.push_back(key.toStdString());
    return removeElements(edit.next, gone) ? std::optional(edit) : std::nullopt;
}

std::optional<CanvasEdit> duplicatedElements(
    const CanvasValue& value, const plan::CanvasPositions& positions, const QStringList& keys)
{
    QStringList sources;
    std::vector<std::string> ids;
    for (const QString& key : keys) {
        if (elementKind(value.cluster, key.toStdString()) != ElementKind::None) {
            sources << key;
            ids.push_back(key.toStdString());
        }
    }
    if (ids.empty())
        return std::nullopt;
    CanvasEdit edit{value, tr("Duplicate %1").arg(namesOf(value.cluster, sources)), {}};
    const double aside = offsetOfCopies(value.cluster, positions, ids);
    for (const std::string& id : duplicateElements(edit.next, ids, {aside, 0}))
        edit.selectAfter << fromText(id);
    return edit;
}

std::optional<CanvasEdit> countedElements(const CanvasValue& value, const QStringList& keys, int count)
{
    CanvasValue next = value;
    QStringList changed;
    for (const QString& key : keys) {
        if (setElementCount(next.cluster, key.toStdString(), count))
            changed << key;
    }
    if (changed.isEmpty())
        return std::nullopt;
    return CanvasEdit{next, tr("Make %1 of %2").arg(groupedNumber(count), namesOf(value.cluster, changed)), {}};
}

std::optional<CanvasEdit> arrangedCards(const CanvasValue& value)
{
    CanvasEdit edit{{value.cluster, autoLayout(value.cluster)}, tr("Arrange the cluster"), {}};
    return edit.next != value ? std::optional(edit) : std::nullopt;
}

std::optional<CanvasEdit> placedPreset(
    const catalog::Catalog& catalog, const CanvasValue& value, const QString& key, plan::CanvasPosition wish)
{
    const PresetKey preset = presetKey(catalog, key);
    const QString name = presetName(catalog, preset);
    if (preset.kind == PresetKind::None)
        return std::nullopt;
    if (preset.kind == PresetKind::Cluster) {
        const cluster::Cluster& cluster = catalog.cluster(preset.id)->cluster;
        return CanvasEdit{{cluster, autoLayout(cluster)}, tr("Use cluster %1").arg(name), {}};
    }
    CanvasEdit edit{value, tr("Add %1").arg(name), {}};
    const std::string id = addPreset(catalog, edit.next.cluster, preset);
    edit.next.positions[id] = freePlace(value.cluster, value.positions, elementKind(edit.next.cluster, id), wish);
    edit.selectAfter << fromText(id);
    return edit;
}

std::optional<CanvasEdit> linkedElements(
    const catalog::Catalog& catalog, const CanvasValue& value, const std::string& element, const std::string& other)
{
    CanvasEdit edit{value, {}, {}};
    const LinkVerdict verdict = connectElements(edit.next.cluster, element, other, fallbackLink(catalog));
    if (!verdict.possible())
        return std::nullopt;
    edit.name =
        tr("Link %1 to %2")
            .arg(fromText(elementName(value.cluster, verdict.from)), fromText(elementName(value.cluster, verdict.to)));
    edit.selectAfter << fromText(connectionKeys(edit.next.cluster).back());
    return edit;
}

} // namespace stratoplan::widgets
