// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can do to a cluster on the canvas, as functions on plain values: add, link, count, rename, duplicate,
// remove. No toolkit here; the scene only mirrors the result. Ids stay unique, connections never outlive their ends,
// and a connection always runs upwards: from nodes to leaf switches, from leaf to spine, from spine to core.
#pragma once

#include "core/catalog/catalog.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::widgets {

/// What the canvas edits: the cluster, and where its elements stand (centre of the card, scene units).
struct CanvasValue {
    cluster::Cluster cluster;
    plan::CanvasPositions positions;
    bool operator==(const CanvasValue&) const = default;
};

enum class ElementKind { None, Nodes, Switches };

/// One of its ends is the element.
[[nodiscard]] inline bool touches(const cluster::Connection& connection, std::string_view id)
{
    return connection.from == id || connection.to == id;
}
[[nodiscard]] ElementKind elementKind(const cluster::Cluster& cluster, std::string_view id);
/// nullptr if there is no such group.
[[nodiscard]] const cluster::NodeGroup* findNodes(const cluster::Cluster& cluster, std::string_view id);
[[nodiscard]] cluster::NodeGroup* findNodes(cluster::Cluster& cluster, std::string_view id);
[[nodiscard]] const cluster::SwitchGroup* findSwitches(const cluster::Cluster& cluster, std::string_view id);
[[nodiscard]] cluster::SwitchGroup* findSwitches(cluster::Cluster& cluster, std::string_view id);
/// Ids of the node groups, then of the switch groups, in the order of the value.
[[nodiscard]] std::vector<std::string> elementIds(const cluster::Cluster& cluster);
/// Name of the element; its id when the name is empty.
[[nodiscard]] std::string elementName(const cluster::Cluster& cluster, std::string_view id);
/// How many identical nodes or switches the element stands for; 0 if there is no such element.
[[nodiscard]] int elementCount(const cluster::Cluster& cluster, std::string_view id);
/// Key that names each connection in a selection: "nodes -> leaf", then "nodes -> leaf #2" for a parallel one.
[[nodiscard]] std::vector<std::string> connectionKeys(const cluster::Cluster& cluster);
[[nodiscard]] std::optional<std::size_t> connectionIndex(const cluster::Cluster& cluster, std::string_view key);
/// Id of the element, or key of the connection, that a JSON pointer into a plan leads to or into
/// ("/cluster/connections/2/link"); "" if none.
[[nodiscard]] std::string keyAt(const cluster::Cluster& cluster, std::string_view pointer);
/// The stem itself if it is free, otherwise "stem-2", "stem-3", …
[[nodiscard]] std::string uniqueId(const cluster::Cluster& cluster, std::string_view stem);
/// Network ports (node groups) or switch ports of the element, and those that no cable uses; may be negative.
[[nodiscard]] long long portCount(const cluster::Cluster& cluster, std::string_view id);
[[nodiscard]] long long freePorts(const cluster::Cluster& cluster, std::string_view id);

/// A switch one can place; the amounts are starting points to edit.
struct SwitchPreset {
    std::string id;
    std::string name;
    cluster::SwitchTier tier = cluster::SwitchTier::Leaf;
    int ports = 64;
};
[[nodiscard]] const std::vector<SwitchPreset>& switchPresets();

/// Adds one of these and returns its new id.
std::string addNodes(cluster::Cluster& cluster, const cluster::NodeGroup& preset);
std::string addSwitches(cluster::Cluster& cluster, const SwitchPreset& preset);

enum class LinkRefusal {
    None,
    UnknownElement,
    SameElement,
    BothNodes, ///< nodes reach one another through a switch
    NotLeaf, ///< nodes link to leaf switches
    SameTier,
    TierSkipped, ///< leaf to core: a spine belongs between
    AlreadyLinked,
    NoFreePort, ///< element names the side without a free port
};

/// Whether two elements can be linked, which way up, and with how many cables.
struct LinkVerdict {
    LinkRefusal refusal = LinkRefusal::None;
    std::string element; ///< the side a NoFreePort is about
    std::string from; ///< the lower end
    std::string to; ///< the upper end
    int cables = 0; ///< as many as fit
    int wanted = 0; ///< all free network ports, or uplinks enough for a non-blocking switch
    [[nodiscard]] bool possible() const { return refusal == LinkRefusal::None; }
};
[[nodiscard]] LinkVerdict connectionPossible(const cluster::Cluster& cluster, std::string_view a, std::string_view b);
/// Links them if it is possible, with the network port of the nodes below, or `fallback` if there are none.
LinkVerdict connectElements(
    cluster::Cluster& cluster, std::string_view a, std::string_view b, const cluster::Link& fallback);

/// The lower (upper) end of the link at that place becomes the element, if the two can be linked without it; as many of
/// its cables stay as fit.
LinkVerdict moveEnd(cluster::Cluster& cluster, std::size_t link, bool isLower, std::string_view id);

/// "16 of these": the cables that leave the element upwards grow or shrink with it. False if nothing changed.
bool setElementCount(cluster::Cluster& cluster, std::string_view id, int count);
/// Network ports per node; cables grow or shrink with them. False if nothing changed.
bool setNicsPerNode(cluster::Cluster& cluster, std::string_view id, int nics);
/// The network port of the nodes; cables that used the old one follow. False if nothing changed.
bool setNic(cluster::Cluster& cluster, std::string_view id, const cluster::Link& nic);
/// Connections of the switches turn to run upwards still. False if nothing changed.
bool setTier(cluster::Cluster& cluster, std::string_view id, cluster::SwitchTier tier);
/// False if the name is empty or the same.
bool renameElement(cluster::Cluster& cluster, std::string_view id, std::string_view name);

/// The elements with the connections among them, and where they stand.
[[nodiscard]] CanvasValue partOf(const CanvasValue& value, const std::vector<std::string>& ids);
/// Adds all of the part, `offset` aside; ids and names that are taken continue their series, racks as in
/// cluster_racks.h. Returns the new ids.
std::vector<std::string> insertPart(CanvasValue& value, const CanvasValue& part, plan::CanvasPosition offset);
/// Removes elements (with their connections and positions) and connections named by key. False if nothing changed.
bool removeElements(CanvasValue& value, const std::vector<std::string>& idsAndKeys);

} // namespace stratoplan::widgets
