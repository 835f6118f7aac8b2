// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_racks.h"

#include "widgets/topology/cluster_edit.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace stratoplan::widgets {

namespace {

constexpr std::size_t kMostDigits = 6; ///< of the number of a rack; more are part of its name

/// Calls it with each group of nodes, then of switches.
template <class Cluster>
void forEachGroup(Cluster& cluster, const auto& act)
{
    std::ranges::for_each(cluster.nodes, act);
    std::ranges::for_each(cluster.switches, act);
}

/// The name itself, else the next free one of its series; a number keeps its zeros: "R10" of "R09".
std::string freeName(const std::set<std::string>& taken, const std::string& name)
{
    if (!taken.contains(name))
        return name;
    std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    std::string number = name.substr(stem.size());
    if (number.empty() || number.size() > kMostDigits) {
        stem = name + ' ';
        number = "1";
    }
    for (int n = std::stoi(number) + 1;; ++n) {
        const std::string digits = std::to_string(n);
        const std::size_t zeros = number.size() - std::min(number.size(), digits.size());
        const std::string candidate = stem + std::string(zeros, '0') + digits;
        if (!taken.contains(candidate))
            return candidate;
    }
}

std::set<std::string> rackNames(const cluster::Cluster& cluster)
{
    std::set<std::string> names;
    forEachGroup(cluster, [&names](const auto& group) { names.insert(group.rack); });
    return names;
}

/// Whether what is pasted of it goes into the rack of that name that is there.
bool joins(const Rack& pasted, const Rack& there)
{
    const std::set<std::string_view> ids(there.elements.begin(), there.elements.end());
    const auto same = static_cast<std::size_t>(
        std::ranges::count_if(pasted.elements, [&ids](const std::string& id) { return ids.contains(id); }));
    return same < ids.size() && (pasted.elements.size() == 1 || same == pasted.elements.size());
}

} // namespace

std::vector<Rack> racksOf(const cluster::Cluster& cluster)
{
    std::vector<Rack> racks;
    std::unordered_map<std::string_view, std::size_t> places;
    forEachGroup(cluster, [&](const auto& group) {
        if (group.rack.empty())
            return;
        const auto [place, isNew] = places.emplace(group.rack, racks.size());
        if (isNew)
            racks.push_back({group.rack, {}});
        racks[place->second].elements.push_back(group.id);
    });
    return racks;
}

std::unordered_map<std::string_view, std::string_view> rackOfEach(const cluster::Cluster& cluster)
{
    std::unordered_map<std::string_view, std::string_view> racks;
    forEachGroup(cluster, [&racks](const auto& group) { racks.emplace(group.id, group.rack); });
    return racks;
}

std::string rackOf(const cluster::Cluster& cluster, std::string_view id)
{
    if (const cluster::NodeGroup* nodes = findNodes(cluster, id))
        return nodes->rack;
    const cluster::SwitchGroup* switches = findSwitches(cluster, id);
    return switches ? switches->rack : std::string();
}

std::string wholeRack(const cluster::Cluster& cluster, std::vector<std::string> ids)
{
    const std::string name = ids.empty() ? std::string() : rackOf(cluster, ids.front());
    if (name.empty())
        return {};
    const std::vector<Rack> racks = racksOf(cluster);
    std::vector<std::string> all = std::ranges::find(racks, name, &Rack::name)->elements;
    std::ranges::sort(all);
    std::ranges::sort(ids);
    return ids == all ? name : std::string();
}

bool setRack(cluster::Cluster& cluster, const std::vector<std::string>& ids, std::string_view rack)
{
    const std::unordered_set<std::string_view> chosen(ids.begin(), ids.end());
    bool isChanged = false;
    forEachGroup(cluster, [&](auto& group) {
        if (group.rack == rack || !chosen.contains(group.id))
            return;
        group.rack = rack;
        isChanged = true;
    });
    return isChanged;
}

void setRacks(cluster::Cluster& cluster, const RackMoves& moves)
{
    forEachGroup(cluster, [&moves](auto& group) {
        if (const auto move = moves.find(group.id); move != moves.end())
            group.rack = move->second;
    });
}

std::string freeRackName(const cluster::Cluster& cluster)
{
    return freeName(rackNames(cluster), "Rack 1");
}

std::map<std::string, std::string> pastedRacks(const cluster::Cluster& cluster, const cluster::Cluster& part)
{
    std::map<std::string, std::string> names;
    std::set<std::string> taken = rackNames(cluster);
    const std::vector<Rack> racks = racksOf(cluster);
    for (const Rack& pasted : racksOf(part)) {
        const auto there = std::ranges::find(racks, pasted.name, &Rack::name);
        const bool isPart = there != racks.end() && joins(pasted, *there);
        names[pasted.name] = isPart ? pasted.name : freeName(taken, pasted.name);
        taken.insert(names[pasted.name]);
    }
    return names;
}

} // namespace stratoplan::widgets
