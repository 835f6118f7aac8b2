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

QStringList elementKeys(const cluster::Cluster& cluster)
{
    QStringList keys;
    for (const std::string& id : elementIds(cluster))
        keys << fromText(id);
    return keys;
}

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

std::vector<QRectF> cardsOf(const CanvasValue& value)
{
    std::vector<QRectF> cards;
    for (const auto& [id, at] : value.positions)
        cards.push_back(cardAt(value.cluster, id, at));
    return cards;
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
double freeAside(const CanvasValue& value, const std::vector<QRectF>& part, double dx)
{
    const std::vector<QRectF> taken = cardsOf(value);
    const auto covers = [&](const QRectF& card) {
        const QRectF target = card.translated(dx, 0).adjusted(-8, -8, 8, 8);
        return std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(target); });
    };
    const double step = stepAside(part);
    for (int tries = 0; tries < 64 && std::any_of(part.begin(), part.end(), covers); ++tries)
        dx += step;
    return dx;
}

/// `name`: with a place for what is inserted.
std::optional<CanvasEdit> inserted(const CanvasValue& value, const CanvasValue& part, double aside, const QString& name)
{
    const QStringList keys = elementKeys(part.cluster);
    if (keys.isEmpty())
        return std::nullopt;
    CanvasEdit edit{value, name.arg(namesOf(part.cluster, keys)), {}};
    for (const std::string& id : insertPart(edit.next, part, {freeAside(value, cardsOf(part), aside), 0}))
        edit.selectAfter << fromText(id);
    return edit;
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
    const CanvasValue part = copiedPart(value, keys);
    return inserted(value, part, stepAside(cardsOf(part)), tr("Duplicate %1"));
}

std::optional<CanvasEdit> pastedPart(const CanvasValue& value, const CanvasValue& part)
{
    return inserted(value, {part.cluster, completed(part.cluster, part.positions)}, 0, tr("Paste %1"));
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
