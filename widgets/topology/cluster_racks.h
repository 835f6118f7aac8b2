// SPDX-License-Identifier: GPL-3.0-or-later
// Racks, pods, or whatever else elements of a cluster are grouped by: those that name the same rack are in it. No
// toolkit here.
#pragma once

#include "core/cluster/cluster.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stratoplan::widgets {

struct Rack {
    std::string name;
    std::vector<std::string> elements; ///< ids, in the order of the value, nodes first
};
/// In the order in which elements name them.
[[nodiscard]] std::vector<Rack> racksOf(const cluster::Cluster& cluster);
/// Of every element, by its id; empty: it is in none. Lives as long as the cluster stays as it is.
[[nodiscard]] std::unordered_map<std::string_view, std::string_view> rackOfEach(const cluster::Cluster& cluster);
/// Of the element; empty: it is in none, or there is no such element.
[[nodiscard]] std::string rackOf(const cluster::Cluster& cluster, std::string_view id);
/// The rack whose elements are just these; empty: there is none.
[[nodiscard]] std::string wholeRack(const cluster::Cluster& cluster, std::vector<std::string> ids);
/// Of the elements of these ids. Empty: into none. False if nothing changed.
bool setRack(cluster::Cluster& cluster, const std::vector<std::string>& ids, std::string_view rack);
/// The rack that each of these elements goes into, by its id; empty: into none.
using RackMoves = std::map<std::string, std::string>;
void setRacks(cluster::Cluster& cluster, const RackMoves& moves);
/// "Rack 1", or the next of its series that no element names.
[[nodiscard]] std::string freeRackName(const cluster::Cluster& cluster);

/// What racks of a part are called once it is pasted into the cluster. One that is pasted as a whole is another rack:
/// "Rack 2" of "Rack 1", "Pod A 2" of "Pod A". One element, or some of a rack that is there, go into it, as a person
/// expects who adds a node to a rack by copying one; several of a rack elsewhere are a rack of their own.
[[nodiscard]] std::map<std::string, std::string> pastedRacks(
    const cluster::Cluster& cluster, const cluster::Cluster& part);

} // namespace stratoplan::widgets
