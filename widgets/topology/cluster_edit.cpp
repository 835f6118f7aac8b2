// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_edit.h"

#include "core/cluster/cluster_edits.h"
#include "widgets/topology/cluster_racks.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace stratoplan::widgets {

namespace {

template <class Groups>
auto* findIn(Groups& groups, std::string_view id)
{
    const auto it = std::find_if(groups.begin(), groups.end(), [id](const auto& g) { return g.id == id; });
    return it == groups.end() ? nullptr : &*it;
}

std::string copyName(const cluster::Cluster& cluster, const std::string& name)
{
    const auto taken = [&cluster](const std::string& candidate) {
        return std::any_of(
                   cluster.nodes.begin(), cluster.nodes.end(), [&](const auto& g) { return g.name == candidate; })
            || std::any_of(
                cluster.switches.begin(), cluster.switches.end(), [&](const auto& g) { return g.name == candidate; });
    };
    if (name.empty() || !taken(name))
        return name;
    // "DGX A100 2" is copied as "DGX A100 3", not "DGX A100 2 2"; a bare model number is part of the name.
    std::string stem = name;
    const auto space = stem.rfind(' ');
    if (space != std::string::npos && space + 1 < stem.size() && stem.size() - space <= 4
        && std::all_of(stem.begin() + static_cast<std::ptrdiff_t>(space) + 1, stem.end(),
            [](char c) { return c >= '0' && c <= '9'; })
        && taken(stem.substr(0, space)))
        stem.erase(space);
    int n = 2;
    while (taken(stem + " " + std::to_string(n)))
        ++n;
    return stem + " " + std::to_string(n);
}

/// Under an id and a name of its own.
template <class Group>
std::string addCopy(cluster::Cluster& cluster, std::vector<Group>& groups, Group group)
{
    group.id = uniqueId(cluster, group.id);
    group.name = copyName(cluster, group.name);
    groups.push_back(std::move(group));
    return groups.back().id;
}

} // namespace

ElementKind elementKind(const cluster::Cluster& cluster, std::string_view id)
{
    if (findNodes(cluster, id))
        return ElementKind::Nodes;
    return findSwitches(cluster, id) ? ElementKind::Switches : ElementKind::None;
}

const cluster::NodeGroup* findNodes(const cluster::Cluster& cluster, std::string_view id)
{
    return findIn(cluster.nodes, id);
}
cluster::NodeGroup* findNodes(cluster::Cluster& cluster, std::string_view id)
{
    return findIn(cluster.nodes, id);
}
const cluster::SwitchGroup* findSwitches(const cluster::Cluster& cluster, std::string_view id)
{
    return findIn(cluster.switches, id);
}
cluster::SwitchGroup* findSwitches(cluster::Cluster& cluster, std::string_view id)
{
    return findIn(cluster.switches, id);
}

std::vector<std::string> elementIds(const cluster::Cluster& cluster)
{
    std::vector<std::string> ids;
    ids.reserve(cluster.nodes.size() + cluster.switches.size());
    for (const cluster::NodeGroup& g : cluster.nodes)
        ids.push_back(g.id);
    for (const cluster::SwitchGroup& g : cluster.switches)
        ids.push_back(g.id);
    return ids;
}

std::string elementName(const cluster::Cluster& cluster, std::string_view id)
{
    std::string name;
    if (const cluster::NodeGroup* nodes = findNodes(cluster, id))
        name = nodes->name;
    else if (const cluster::SwitchGroup* switches = findSwitches(cluster, id))
        name = switches->name;
    return name.empty() ? std::string(id) : name;
}

int elementCount(const cluster::Cluster& cluster, std::string_view id)
{
    if (const cluster::NodeGroup* nodes = findNodes(cluster, id))
        return nodes->count;
    const cluster::SwitchGroup* switches = findSwitches(cluster, id);
    return switches ? switches->count : 0;
}

std::vector<std::string> connectionKeys(const cluster::Cluster& cluster)
{
    std::map<std::string, int> seen;
    std::vector<std::string> keys;
    keys.reserve(cluster.connections.size());
    for (const cluster::Connection& c : cluster.connections) {
        std::string key = c.from + " -> " + c.to;
        const int n = ++seen[key];
        if (n > 1)
            key += " #" + std::to_string(n);
        keys.push_back(std::move(key));
    }
    return keys;
}

std::optional<std::size_t> connectionIndex(const cluster::Cluster& cluster, std::string_view key)
{
    const auto keys = connectionKeys(cluster);
    const auto it = std::find(keys.begin(), keys.end(), key);
    if (it == keys.end())
        return std::nullopt;
    return static_cast<std::size_t>(it - keys.begin());
}

std::string keyAt(const cluster::Cluster& cluster, std::string_view pointer)
{
    const auto named = [&](std::string_view list, const std::vector<std::string>& keys) {
        std::size_t place = keys.size();
        if (pointer.starts_with(list))
            std::from_chars(pointer.data() + list.size(), pointer.data() + pointer.size(), place);
        return place < keys.size() ? keys[place] : std::string();
    };
    const auto ids = [](const auto& groups) {
        std::vector<std::string> names;
        for (const auto& group : groups)
            names.push_back(group.id);
        return names;
    };
    return named("/cluster/nodes/", ids(cluster.nodes)) + named("/cluster/switches/", ids(cluster.switches))
        + named("/cluster/connections/", connectionKeys(cluster));
}

std::string uniqueId(const cluster::Cluster& cluster, std::string_view stem)
{
    const std::string base = stem.empty() ? "element" : std::string(stem);
    const auto ids = elementIds(cluster);
    const std::set<std::string_view> taken(ids.begin(), ids.end());
    if (!taken.contains(base))
        return base;
    // A copy of "leaf-2" continues the series of "leaf".
    std::string root = base;
    const auto dash = root.rfind('-');
    if (dash != std::string::npos && dash > 0 && dash + 1 < root.size() && root.size() - dash <= 7
        && std::all_of(root.begin() + static_cast<std::ptrdiff_t>(dash) + 1, root.end(),
            [](char c) { return c >= '0' && c <= '9'; })
        && taken.contains(std::string_view(root).substr(0, dash)))
        root.erase(dash);
    int n = 2;
    while (taken.contains(root + "-" + std::to_string(n)))
        ++n;
    return root + "-" + std::to_string(n);
}

long long portCount(const cluster::Cluster& cluster, std::string_view id)
{
    if (const cluster::NodeGroup* nodes = findNodes(cluster, id))
        return static_cast<long long>(nodes->count) * nodes->nicsPerNode;
    const cluster::SwitchGroup* switches = findSwitches(cluster, id);
    return switches ? static_cast<long long>(switches->count) * switches->ports : 0;
}

long long freePorts(const cluster::Cluster& cluster, std::string_view id)
{
    long long used = 0;
    for (const cluster::Connection& c : cluster.connections) {
        if (touches(c, id))
            used += c.cables;
    }
    return portCount(cluster, id) - used;
}

const std::vector<SwitchPreset>& switchPresets()
{
    // 64 ports is what one current InfiniBand or Ethernet switch box offers at full rate.
    static const std::vector<SwitchPreset> presets{
        {"leaf", "Leaf switch", cluster::SwitchTier::Leaf, 64},
        {"spine", "Spine switch", cluster::SwitchTier::Spine, 64},
        {"core", "Core switch", cluster::SwitchTier::Core, 64},
    };
    return presets;
}

std::string addNodes(cluster::Cluster& cluster, const cluster::NodeGroup& preset)
{
    return addCopy(cluster, cluster.nodes, preset);
}

std::string addSwitches(cluster::Cluster& cluster, const SwitchPreset& preset)
{
    return addCopy(cluster, cluster.switches,
        cluster::SwitchGroup{.id = preset.id, .name = preset.name, .tier = preset.tier, .ports = preset.ports});
}

bool setElementCount(cluster::Cluster& cluster, std::string_view id, int count)
{
    const int old = elementCount(cluster, id);
    if (old == 0 || count < 1 || count == old)
        return false;
    if (const cluster::NodeGroup* nodes = findNodes(cluster, id)) {
        setNodeCount(cluster, static_cast<std::size_t>(nodes - cluster.nodes.data()), count);
        return true;
    }
    if (cluster::SwitchGroup* switches = findSwitches(cluster, id))
        switches->count = count;
    scaleUplinks(cluster, id, old, count);
    return true;
}

bool setNicsPerNode(cluster::Cluster& cluster, std::string_view id, int nics)
{
    cluster::NodeGroup* nodes = findNodes(cluster, id);
    if (!nodes || nics < 1 || nics == nodes->nicsPerNode)
        return false;
    cluster::setNicsPerNode(cluster, static_cast<std::size_t>(nodes - cluster.nodes.data()), nics);
    return true;
}

bool setNic(cluster::Cluster& cluster, std::string_view id, const cluster::Link& nic)
{
    const cluster::NodeGroup* nodes = findNodes(cluster, id);
    if (!nodes || nodes->nic == nic)
        return false;
    setNic(cluster, static_cast<std::size_t>(nodes - cluster.nodes.data()), nic);
    return true;
}

bool renameElement(cluster::Cluster& cluster, std::string_view id, std::string_view name)
{
    if (name.empty())
        return false;
    std::string* target = nullptr;
    if (cluster::NodeGroup* nodes = findNodes(cluster, id))
        target = &nodes->name;
    else if (cluster::SwitchGroup* switches = findSwitches(cluster, id))
        target = &switches->name;
    if (!target || *target == name)
        return false;
    *target = name;
    return true;
}

CanvasValue partOf(const CanvasValue& value, const std::vector<std::string>& ids)
{
    const std::set<std::string_view> chosen(ids.begin(), ids.end());
    const auto isElsewhere = [&chosen](const auto& group) { return !chosen.contains(group.id); };
    CanvasValue part = value;
    std::erase_if(part.cluster.nodes, isElsewhere);
    std::erase_if(part.cluster.switches, isElsewhere);
    std::erase_if(part.cluster.connections,
        [&chosen](const cluster::Connection& c) { return !chosen.contains(c.from) || !chosen.contains(c.to); });
    std::erase_if(part.positions, [&chosen](const auto& place) { return !chosen.contains(place.first); });
    return part;
}

std::vector<std::string> insertPart(CanvasValue& value, const CanvasValue& part, plan::CanvasPosition offset)
{
    const std::map<std::string, std::string> racks = pastedRacks(value.cluster, part.cluster);
    std::map<std::string, std::string> copies;
    std::vector<std::string> created;
    const auto add = [&](auto& groups, auto group) {
        if (!group.rack.empty())
            group.rack = racks.at(group.rack);
        const std::string copy = addCopy(value.cluster, groups, group);
        copies[group.id] = copy;
        created.push_back(copy);
        if (const auto found = part.positions.find(group.id); found != part.positions.end())
            value.positions[copy] = {found->second.x + offset.x, found->second.y + offset.y};
    };
    for (const cluster::NodeGroup& nodes : part.cluster.nodes)
        add(value.cluster.nodes, nodes);
    for (const cluster::SwitchGroup& switches : part.cluster.switches)
        add(value.cluster.switches, switches);
    for (cluster::Connection c : part.cluster.connections) {
        c.from = copies.at(c.from);
        c.to = copies.at(c.to);
        value.cluster.connections.push_back(std::move(c));
    }
    return created;
}

bool removeElements(CanvasValue& value, const std::vector<std::string>& idsAndKeys)
{
    const std::set<std::string> gone(idsAndKeys.begin(), idsAndKeys.end());
    const auto keys = connectionKeys(value.cluster);
    std::vector<cluster::Connection> kept;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const cluster::Connection& c = value.cluster.connections[i];
        if (!gone.contains(keys[i]) && !gone.contains(c.from) && !gone.contains(c.to))
            kept.push_back(c);
    }
    bool changed = kept.size() != value.cluster.connections.size();
    value.cluster.connections = std::move(kept);
    const auto isGone = [&gone](const auto& group) { return gone.contains(group.id); };
    changed = std::erase_if(value.cluster.nodes, isGone) > 0 || changed;
    changed = std::erase_if(value.cluster.switches, isGone) > 0 || changed;
    for (const std::string& id : idsAndKeys)
        value.positions.erase(id);
    return changed;
}

} // namespace stratoplan::widgets
