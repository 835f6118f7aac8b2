// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_edits.h"

#include "widgets/presentation/translate.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

QStringList elementKeys(const cluster::Cluster& cluster)
{
    QStringList keys;
    for (const std::string& id : elementIds(cluster))
        keys << fromText(id);
    return keys;
}

QString elementsText(const QStringList& keys)
{
    return tr("%1 elements").arg(keys.size());
}

/// The width of all of it, and some room.
double stepAside(const std::vector<QRectF>& part)
{
    QRectF bounds;
    for (const QRectF& card : part)
        bounds |= card;
    return snapped({bounds.width() + 6 * kCanvasGrid, 0}).x;
}

/// From `dx` on by its width, until nothing is covered.
double freeAside(const std::vector<QRectF>& taken, const std::vector<QRectF>& part, double dx)
{
    const auto covers = [&](const QRectF& card) {
        const QRectF target = card.translated(dx, 0).adjusted(-8, -8, 8, 8);
        return std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(target); });
    };
    const double step = stepAside(part);
    for (int tries = 0; tries < 64 && std::any_of(part.begin(), part.end(), covers); ++tries)
        dx += step;
    return dx;
}

/// Racks that some of the part goes into: beside their cards, within their frames.
std::set<std::string> joinedRacks(const cluster::Cluster& cluster, const cluster::Cluster& part)
{
    std::set<std::string> joined;
    const std::map<std::string, std::string> names = pastedRacks(cluster, part);
    for (const Rack& rack : racksOf(cluster)) {
        if (const auto name = names.find(rack.name); name != names.end() && name->second == rack.name)
            joined.insert(rack.name);
    }
    return joined;
}

/// `isAside`: not where the part stands; `name`: with a place for what is inserted.
std::optional<CanvasEdit> inserted(const CanvasValue& value, const CanvasValue& part, bool isAside, const QString& name)
{
    const QStringList keys = elementKeys(part.cluster);
    if (keys.isEmpty())
        return std::nullopt;
    const std::set<std::string> open = joinedRacks(value.cluster, part.cluster);
    const std::vector<QRectF> rects = standing(part, open);
    const double aside = freeAside(standing(value, open), rects, isAside ? stepAside(rects) : 0);
    const bool isOfRacks = !open.empty() && keys.size() > 1;
    CanvasEdit edit{value, name.arg(isOfRacks ? elementsText(keys) : namesOf(part.cluster, keys)), {}};
    for (const std::string& id : insertPart(edit.next, part, {aside, 0}))
        edit.selectAfter << fromText(id);
    return edit;
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
    return addNodes(cluster, presetNodes(*catalog.node(key.id)));
}

} // namespace

QString namesOf(const cluster::Cluster& cluster, const QStringList& keys)
{
    std::vector<std::string> ids;
    for (const QString& key : keys)
        ids.push_back(key.toStdString());
    if (keys.size() == 1)
        return elementKind(cluster, ids.front()) != ElementKind::None ? fromText(elementName(cluster, ids.front()))
                                                                      : tr("link");
    const std::string rack = wholeRack(cluster, ids);
    return rack.empty() ? elementsText(keys) : fromText(rack);
}

cluster::NodeGroup presetNodes(const catalog::NodePreset& preset)
{
    cluster::NodeGroup group = preset.node;
    if (group.id.empty())
        group.id = preset.id;
    if (group.name.empty())
        group.name = preset.name;
    return group;
}

cluster::Link fallbackLink(const catalog::Catalog& catalog)
{
    const auto& links = catalog.links;
    const auto it = std::find_if(
        links.rbegin(), links.rend(), [](const cluster::Link& l) { return l.kind == cluster::LinkKind::InfiniBand; });
    return it == links.rend() ? cluster::Link{} : *it;
}

std::optional<CanvasEdit> movedCards(
    const CanvasValue& value, const plan::CanvasPositions& positions, const RackMoves& racks)
{
    QStringList moved;
    for (const auto& [id, position] : positions) {
        const auto old = value.positions.find(id);
        if (old == value.positions.end() || !(old->second == position))
            moved << fromText(id);
    }
    if (moved.isEmpty())
        return std::nullopt;
    CanvasEdit edit{{value.cluster, positions}, moveText(value.cluster, moved, racks), {}};
    setRacks(edit.next.cluster, racks);
    edit.notice = leaveNotice(value.cluster, racks);
    return edit;
}

std::optional<CanvasEdit> removedKeys(const CanvasValue& value, const QStringList& keys)
{
    CanvasEdit edit{value, tr("Delete %1").arg(namesOf(value.cluster, keys)), {}};
    std::vector<std::string> gone;
    for (const QString& key : keys)
        gone.push_back(key.toStdString());
    return removeElements(edit.next, gone) ? std::optional(edit) : std::nullopt;
}

CanvasValue copiedPart(const CanvasValue& value, const QStringList& keys)
{
    std::vector<std::string> ids;
    for (const QString& key : keys)
        ids.push_back(key.toStdString());
    return partOf(value, ids);
}

std::optional<CanvasEdit> cutElements(const CanvasValue& value, const QStringList& keys)
{
    const cluster::Cluster part = copiedPart(value, keys).cluster;
    const QStringList elements = elementKeys(part);
    std::optional<CanvasEdit> edit = removedKeys(value, elements);
    if (edit)
        edit->name = tr("Cut %1").arg(namesOf(part, elements));
    return edit;
}

std::optional<CanvasEdit> duplicatedElements(const CanvasValue& value, const QStringList& keys)
{
    return inserted(value, copiedPart(value, keys), true, tr("Duplicate %1"));
}

std::optional<CanvasEdit> pastedPart(const CanvasValue& value, const CanvasValue& part)
{
    return inserted(value, {part.cluster, completed(part.cluster, part.positions)}, false, tr("Paste %1"));
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

std::optional<CanvasEdit> alignedCards(const CanvasValue& value, const QStringList& keys, Alignment alignment)
{
    const bool spreads = alignment == Alignment::EvenlyAcross || alignment == Alignment::EvenlyDown;
    const auto along = alignment == Alignment::Column || alignment == Alignment::EvenlyAcross
        ? &plan::CanvasPosition::x
        : &plan::CanvasPosition::y;
    std::vector<std::pair<std::string, plan::CanvasPosition>> cards;
    double sum = 0;
    for (const QString& key : keys)
        if (const auto place = value.positions.find(key.toStdString()); place != value.positions.end()) {
            cards.emplace_back(*place);
            sum += place->second.*along;
        }
    if (cards.size() < (spreads ? 3 : 2))
        return std::nullopt;
    std::ranges::stable_sort(cards, {}, [along](const auto& card) { return card.second.*along; });
    const double first = cards.front().second.*along, last = cards.back().second.*along;
    plan::CanvasPositions places = value.positions;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const double share = double(i) / double(cards.size() - 1);
        places[cards[i].first].*along = spreads ? first + (last - first) * share : sum / double(cards.size());
        if (!spreads || (i > 0 && i + 1 < cards.size()))
            places[cards[i].first] = snapped(places[cards[i].first]);
    }
    return places == value.positions
        ? std::nullopt
        : std::optional(CanvasEdit{{value.cluster, places}, tr("Align %1 elements").arg(cards.size()), keys});
}

std::optional<CanvasEdit> wiredNetwork(const CanvasValue& value, cluster::NetworkShape shape)
{
    const auto cluster = wired(value.cluster, shape);
    if (!cluster || *cluster == value.cluster)
        return std::nullopt;
    return CanvasEdit{{*cluster, autoLayout(*cluster)},
        shape == cluster::NetworkShape::FatTree ? tr("Wire as a fat tree") : tr("Wire rail-optimised"), {}};
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
    if (preset.kind == PresetKind::Rack)
        return placedRack(catalog, value, wish);
    CanvasEdit edit{value, {}, {}};
    const std::string id = addPreset(catalog, edit.next.cluster, preset);
    const auto [place, rack, full] = landing(value, elementKind(edit.next.cluster, id), wish);
    if (!full.empty())
        edit.shortfall =
            tr("%1 stands beside %2, in no rack: the frame of %2 would run into what stands around it. Drag "
               "the rack where there is room for more.")
                .arg(name, fromText(full));
    edit.name = rack.empty() ? tr("Add %1").arg(name) : tr("Add %1 to %2").arg(name, fromText(rack));
    edit.next.positions[id] = place;
    setRack(edit.next.cluster, {id}, rack);
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
