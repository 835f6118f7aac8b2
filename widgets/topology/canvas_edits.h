// SPDX-License-Identifier: GPL-3.0-or-later
// What a person may ask of the canvas, each as the edit it comes to. They work on plain values, without a scene.
#pragma once

#include "core/cluster/network_shapes.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_racks.h"

#include <QStringList>

#include <optional>

namespace stratoplan::widgets {

/// What an edit makes of the value, its name for the undo menu, and what is selected after it.
struct CanvasEdit {
    CanvasValue next;
    QString name;
    QStringList selectAfter;
    QString shortfall = {}; ///< what was asked and is not in it
    QString notice = {}; ///< what is in it and may not have been meant
};

/// What an edit is of, for its name: the element, the rack whose elements these are, or how many they are.
[[nodiscard]] QString namesOf(const cluster::Cluster& cluster, const QStringList& keys);
/// Under an id and a name in any case.
[[nodiscard]] cluster::NodeGroup presetNodes(const catalog::NodePreset& preset);
/// The network of nodes that have none.
[[nodiscard]] cluster::Link fallbackLink(const catalog::Catalog& catalog);

/// Cards that were dragged or nudged to `positions`, and into racks or out of them; none if all stand where they stood.
[[nodiscard]] std::optional<CanvasEdit> movedCards(
    const CanvasValue& value, const plan::CanvasPositions& positions, const RackMoves& racks = {});
/// None if nothing of that is there.
[[nodiscard]] std::optional<CanvasEdit> removedKeys(const CanvasValue& value, const QStringList& keys);
/// The elements among the keys with the links among them; of nothing if there is no element.
[[nodiscard]] CanvasValue copiedPart(const CanvasValue& value, const QStringList& keys);
/// None if there is no element among the keys.
[[nodiscard]] std::optional<CanvasEdit> cutElements(const CanvasValue& value, const QStringList& keys);
/// Aside of what is copied; none if there is no element among the keys.
[[nodiscard]] std::optional<CanvasEdit> duplicatedElements(const CanvasValue& value, const QStringList& keys);
/// Where its elements stand, or aside where something stands there; none if it has no element.
[[nodiscard]] std::optional<CanvasEdit> pastedPart(const CanvasValue& value, const CanvasValue& part);
/// So many of each; none if they are so many.
[[nodiscard]] std::optional<CanvasEdit> countedElements(const CanvasValue& value, const QStringList& keys, int count);
/// None if it is arranged already.
[[nodiscard]] std::optional<CanvasEdit> arrangedCards(const CanvasValue& value);
enum class Alignment {
    Row, ///< at the mean height
    Column,
    EvenlyAcross, ///< between the outermost two, centres as far apart
    EvenlyDown
};
/// None of fewer than two elements (three to spread), or if they stand so already.
[[nodiscard]] std::optional<CanvasEdit> alignedCards(
    const CanvasValue& value, const QStringList& keys, Alignment alignment);
/// A network of that shape in place of what is drawn, arranged; none if that is how it is, or if there is none for
/// these nodes.
[[nodiscard]] std::optional<CanvasEdit> wiredNetwork(const CanvasValue& value, cluster::NetworkShape shape);
/// The preset (a key as in preset_key.h) on the free place nearest to `wish`, in the rack whose frame holds that and
/// has room to grow; or the preset cluster in place of all; none if the key names nothing.
[[nodiscard]] std::optional<CanvasEdit> placedPreset(
    const catalog::Catalog& catalog, const CanvasValue& value, const QString& key, plan::CanvasPosition wish);
/// None if they cannot be linked.
[[nodiscard]] std::optional<CanvasEdit> linkedElements(
    const catalog::Catalog& catalog, const CanvasValue& value, const std::string& element, const std::string& other);

} // namespace stratoplan::widgets
