// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/pods.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace stratoplan::wiring {
namespace {

using cluster::SwitchTier;

/// What pods that are alike agree in.
struct PodKind {
    std::map<LeafKind, int> leaves;
    std::multiset<std::vector<int>> spines; ///< the cores of each
    int pod = -1; ///< where it is a group of its own all the same
    auto operator<=>(const PodKind&) const = default;
};

/// Of unlike nodes in pods that are alike.
enum class Order {
    PodByPod, ///< as ranks follow the nodes
    Any,
};

LeafKind kindOf(const DescribedNetwork& network, const DescribedNetwork::Leaf& leaf, int part)
{
    const auto leadsTo = [&](SwitchTier tier) {
        return std::ranges::any_of(
            leaf.parents, [&](int parent) { return network.uppers[std::size_t(parent)].tier == tier; });
    };
    return {{leaf.nodes.begin(), leaf.nodes.end()}, leaf.uplinks, leadsTo(SwitchTier::Spine), leadsTo(SwitchTier::Core),
        part};
}

bool hasUnlikeNodes(const PodKind& pod)
{
    std::set<std::size_t> kinds;
    for (const auto& [leaf, count] : pod.leaves)
        for (const auto& [kind, nodes] : leaf.nodes)
            kinds.insert(kind);
    return kinds.size() > 1;
}

/// By pod, in the order in which they are named.
std::map<int, PodKind> kindsOf(
    const DescribedNetwork& network, const NetworkParts& pods, const std::vector<LeafKind>& leafKinds, Order order)
{
    const std::size_t leaves = network.leaves.size();
    std::map<int, PodKind> kinds;
    for (std::size_t i = 0; i < leaves; ++i)
        ++kinds[pods.ofSwitch[i]].leaves[leafKinds[i]];
    for (std::size_t i = 0; i < network.uppers.size(); ++i)
        if (network.uppers[i].tier == SwitchTier::Spine) {
            std::vector<int> cores = network.uppers[i].parents;
            std::ranges::sort(cores);
            kinds[pods.ofSwitch[leaves + i]].spines.insert(std::move(cores));
        }
    for (auto& [pod, kind] : kinds)
        if (order == Order::PodByPod && !kind.spines.empty() && hasUnlikeNodes(kind))
            kind.pod = pod;
    return kinds;
}

/// Alike are pods of the same kinds of leaves, as many of each, and of spines below the same cores.
PodGroups groupsOf(
    const DescribedNetwork& network, const NetworkParts& parts, const NetworkParts& pods, Order order = Order::Any)
{
    const std::size_t leaves = network.leaves.size();
    std::vector<LeafKind> leafKinds;
    for (std::size_t i = 0; i < leaves; ++i)
        leafKinds.push_back(kindOf(network, network.leaves[i], parts.ofSwitch[i]));
    const std::map<int, PodKind> podKinds = kindsOf(network, pods, leafKinds, order);
    PodGroups found;
    std::map<PodKind, std::size_t> places;
    std::map<int, std::size_t> ofPod;
    for (const int pod : pods.ofSwitch) { // leaves first: in the order of these
        const auto kind = podKinds.find(pod);
        if (kind != podKinds.end() && !ofPod.contains(pod)) {
            ofPod[pod] = places.emplace(kind->second, places.size()).first->second;
            found.groups.resize(places.size());
            PodGroup& group = found.groups[ofPod[pod]];
            ++group.pods;
            group.spines += int(kind->second.spines.size());
            found.podsWithSpines += kind->second.spines.empty() ? 0 : 1;
        }
        found.ofSwitch.push_back(ofPod[pod]);
    }
    std::map<std::pair<std::size_t, LeafKind>, std::size_t> leafPlaces;
    for (std::size_t i = 0; i < leaves; ++i) {
        std::vector<LeafGroup>& groups = found.groups[found.ofSwitch[i]].leaves;
        const auto [known, isNew] = leafPlaces.emplace(std::pair(found.ofSwitch[i], leafKinds[i]), groups.size());
        if (isNew)
            groups.push_back({&network.leaves[i]});
        ++groups[known->second].count;
        found.ofLeaf.push_back(known->second);
    }
    return found;
}

void giveIds(PodGroups& pods)
{
    const auto spines = std::ranges::count_if(pods.groups, [](const PodGroup& group) { return group.spines > 0; });
    const std::size_t leaves = leafGroups(pods);
    int leafNumber = 0, spineNumber = 0;
    for (PodGroup& group : pods.groups) {
        for (LeafGroup& ofKind : group.leaves)
            ofKind.id = leaves == 1 ? "leaves" : "leaves-" + std::to_string(++leafNumber);
        if (group.spines > 0)
            group.spinesId = spines == 1 ? "spines" : "spines-" + std::to_string(++spineNumber);
    }
}

} // namespace

NetworkParts partsOf(const DescribedNetwork& network, SwitchTier highest)
{
    const std::size_t leaves = network.leaves.size();
    std::vector<std::size_t> above(leaves + network.uppers.size());
    std::iota(above.begin(), above.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (above[i] != i)
            i = above[i] = above[above[i]];
        return i;
    };
    for (std::size_t i = 0; i < above.size(); ++i)
        for (const int parent : i < leaves ? network.leaves[i].parents : network.uppers[i - leaves].parents)
            if (network.uppers[std::size_t(parent)].tier <= highest)
                above[root(i)] = root(leaves + std::size_t(parent));
    NetworkParts parts;
    std::map<std::size_t, int> numbers;
    for (std::size_t i = 0; i < above.size(); ++i) {
        const bool alone = i < leaves && network.leaves[i].parents.empty();
        const int number = int(numbers.size());
        parts.count += numbers.contains(root(i)) ? 0 : 1;
        parts.ofSwitch.push_back(numbers.emplace(root(i), alone ? -1 : number).first->second);
    }
    return parts;
}

std::size_t leafGroups(const PodGroups& pods)
{
    return std::accumulate(pods.groups.begin(), pods.groups.end(), std::size_t{0},
        [](std::size_t sum, const PodGroup& group) { return sum + group.leaves.size(); });
}

std::size_t nodeGroups(const PodGroups& pods)
{
    std::size_t sum = 0;
    for (const PodGroup& group : pods.groups)
        for (const LeafGroup& leaves : group.leaves)
            sum += leaves.leaf->nodes.size();
    return sum;
}

PodGroups podGroups(const DescribedNetwork& network, const NetworkParts& parts)
{
    const auto isTooMany = [](const PodGroups& pods) {
        return std::max(leafGroups(pods), nodeGroups(pods)) > std::size_t(kMostGroups);
    };
    const NetworkParts belowCores = partsOf(network, SwitchTier::Spine);
    PodGroups pods = groupsOf(network, parts, belowCores, Order::PodByPod);
    if (isTooMany(pods))
        pods = groupsOf(network, parts, belowCores);
    if (isTooMany(pods))
        pods = groupsOf(network, parts, parts);
    giveIds(pods);
    return pods;
}

} // namespace stratoplan::wiring
