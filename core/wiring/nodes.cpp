// SPDX-License-Identifier: Apache-2.0
// Nodes of what a text shows of one: the accelerator by what the text says of it, the rest of the node as the catalogue
// has it.
#include "core/catalog/recognised_parts.h"
#include "core/cluster/cluster_edits.h"
#include "core/units/reading.h"
#include "core/units/text.h"
#include "core/wiring/described.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace stratoplan::wiring {
namespace {

using catalog::Catalog;
using catalog::RecognisedPart;

bool isLinked(const DescribedNode& node)
{
    return std::ranges::any_of(node.domains, [](const Domain& domain) { return domain.size > 1; });
}

/// The links that leave the best linked accelerator.
int mostLinks(const DescribedNode& node)
{
    int most = 0;
    for (const Domain& domain : node.domains)
        most = std::max(most, domain.most);
    return most;
}

/// Cards on PCIe are linked not at all, or in pairs by a bridge.
bool looksLikeCards(const DescribedNode& node)
{
    return node.accelerators > 1 && !node.domains.empty()
        && std::ranges::all_of(node.domains,
            [&](const Domain& domain) { return domain.size == 1 || (domain.size == 2 && node.accelerators > 2); });
}

struct Choice {
    const RecognisedPart* part = nullptr;
    Why why = Why::Unsaid;
    std::string detail = {};
    bool isStated = false;
};

template <class Fits>
const RecognisedPart* firstPart(Fits fits)
{
    const std::vector<RecognisedPart>& parts = catalog::shippedRecognisedParts();
    const auto it = std::ranges::find_if(parts, fits);
    return it == parts.end() ? nullptr : &*it;
}

/// The first of these that fits.
template <class... Fits>
const RecognisedPart* bestPart(Fits... fits)
{
    const RecognisedPart* part = nullptr;
    ((part = part ? part : firstPart(fits)), ...);
    return part;
}

Choice choiceByCompute(const DescribedNode& node)
{
    const int links = mostLinks(node);
    const bool cards = looksLikeCards(node);
    const auto fits = [&](const RecognisedPart& part) {
        return std::ranges::find(part.compute, node.compute) != part.compute.end();
    };
    return {bestPart([&](const RecognisedPart& p) { return fits(p) && p.isCard == cards && p.nvlinks == links; },
                [&](const RecognisedPart& p) { return fits(p) && p.isCard == cards; }, fits),
        Why::Compute, node.compute};
}

Choice choiceByLinks(const DescribedNode& node)
{
    const int links = mostLinks(node);
    const bool cards = looksLikeCards(node);
    const RecognisedPart* part =
        bestPart([&](const RecognisedPart& p) { return p.isCard == cards && p.nvlinks == links; },
            [&](const RecognisedPart& p) { return p.nvlinks == links; });
    if (!part) // some of its links lead elsewhere, or are down
        for (const RecognisedPart& candidate : catalog::shippedRecognisedParts())
            if (candidate.nvlinks > links && (!part || candidate.nvlinks < part->nvlinks))
                part = &candidate;
    return {part, Why::Links, std::to_string(links)};
}

Choice choiceByPcie(const DescribedNode& node)
{
    const bool cards = looksLikeCards(node);
    const RecognisedPart* part = node.gigatransfers > 0
        ? firstPart([&](const RecognisedPart& p) { return p.isCard == cards && p.gigatransfers == node.gigatransfers; })
        : nullptr;
    if (part)
        return {part, Why::Pcie, fixedDecimals(node.gigatransfers, 0)};
    return {firstPart([&](const RecognisedPart& p) { return p.isCard == cards; })};
}

Choice chosenPart(const DescribedNode& node)
{
    const auto device = [&](const RecognisedPart& part) {
        return std::ranges::find(part.devices, node.device) != part.devices.end();
    };
    if (const RecognisedPart* part = node.device.empty() ? nullptr : firstPart(device))
        return {part, Why::Unsaid, node.device, true};
    Choice choice;
    if (!node.compute.empty())
        choice = choiceByCompute(node);
    if (!choice.part && isLinked(node) && !node.isXgmi)
        choice = choiceByLinks(node);
    return choice.part ? choice : choiceByPcie(node);
}

/// A link of the catalogue at another rate; what was measured on it does not hold for that.
cluster::Link atRate(cluster::Link link, std::string name, BytesPerSecond bandwidth)
{
    link.id.clear();
    link.name = std::move(name);
    link.bandwidth = bandwidth;
    link.kernels.clear();
    link.source.clear();
    return link;
}

/// What joins the accelerators of a node that no other link joins.
cluster::Link pcieOf(const DescribedNode& node, const RecognisedPart* part, const Catalog& catalog)
{
    constexpr int kUsualLanes = 16;
    const double rate = node.gigatransfers > 0 ? node.gigatransfers : part ? part->gigatransfers : 32;
    const int lanes = node.lanes > 0 ? node.lanes : kUsualLanes;
    const double encoded = rate < 8 ? 0.8 : 128.0 / 130.0; // PCI Express Base Specification, 8b/10b and 128b/130b
    const BytesPerSecond bandwidth(rate * 1e9 * lanes / 8 * encoded);
    const cluster::Link* nearest = nullptr;
    for (const cluster::Link& link : catalog.links) {
        if (link.kind != cluster::LinkKind::Pcie)
            continue;
        const auto distance = [&](const cluster::Link& l) { return std::abs(std::log(l.bandwidth / bandwidth)); };
        if (!nearest || distance(link) < distance(*nearest))
            nearest = &link;
    }
    if (!nearest)
        return atRate({}, "PCIe", bandwidth);
    if (std::abs(nearest->bandwidth / bandwidth - 1) < 0.01)
        return *nearest;
    const std::string speed = fixedDecimals(rate, std::fmod(rate, 1) > 0 ? 1 : 0);
    return atRate(*nearest, "PCIe " + speed + " GT/s x" + std::to_string(lanes), bandwidth);
}

/// The port of the catalogue with that rate, else the nearest of its kind at the rate.
cluster::Link networkLink(const Port& port, const Catalog& catalog)
{
    const BytesPerSecond bandwidth(port.gigabits * 1e9 / 8);
    const std::string rate = fixedDecimals(port.gigabits, std::fmod(port.gigabits, 1) > 0 ? 1 : 0);
    if (const cluster::Link* named = port.link.empty() ? nullptr : catalog.link(port.link + rate))
        return *named;
    const cluster::Link* nearest = nullptr;
    for (const cluster::Link& link : catalog.links) {
        if (link.kind != port.kind)
            continue;
        const auto distance = [&](const cluster::Link& l) { return std::abs(std::log(l.bandwidth / bandwidth)); };
        if (!nearest || distance(link) < distance(*nearest))
            nearest = &link;
    }
    if (!nearest)
        return atRate({}, rate + " Gbit/s", bandwidth);
    if (nearest->bandwidth == bandwidth)
        return *nearest;
    const std::string_view kind = port.kind == cluster::LinkKind::InfiniBand ? "InfiniBand "
        : port.kind == cluster::LinkKind::Slingshot                          ? "Slingshot "
                                                                             : "Ethernet ";
    return atRate(*nearest, std::string(kind) + rate + " Gbit/s", bandwidth);
}

/// Makes a group of nodes of a description and keeps account of what it fills in.
class NodeMaker {
public:
    /// `isAlone`: there are no nodes but those of the description. `isJoined`: its domain is one with those of others.
    NodeMaker(const DescribedNode& node, bool isAlone, bool isJoined, const Options& options, const Catalog& catalog,
        ImportedCluster& imported)
        : m_node(node)
        , m_isAlone(isAlone)
        , m_isJoined(isJoined)
        , m_options(options)
        , m_catalog(catalog)
        , m_imported(imported)
    {
    }

    [[nodiscard]] cluster::NodeGroup make()
    {
        choose();
        takeScaleUp();
        takePorts();
        if (m_group.hostMemory > Bytes{})
            fillUsual("host_memory_gib", fixedDecimals(m_group.hostMemory.value() / kGiB, 0));
        m_group.name = std::to_string(m_node.accelerators) + "x " + m_group.accelerator.name;
        m_group.count = m_node.count;
        return m_group;
    }

private:
    void fill(std::string field, std::string value, Why why, std::string detail = {})
    {
        m_imported.filled.push_back({std::move(field), std::move(value), why, std::move(detail)});
    }
    void fillUsual(std::string field, std::string value)
    {
        fill(std::move(field), std::move(value), Why::UsualNode, m_preset->id);
    }
    static const std::string& titleOf(const cluster::Link& link) { return link.id.empty() ? link.name : link.id; }

    /// The accelerator, the node of the catalogue around it, and what is known of its links.
    void choose()
    {
        const Choice choice = chosenPart(m_node);
        const catalog::NodePreset* recognised = choice.part ? m_catalog.node(choice.part->node) : nullptr;
        m_part = choice.part;
        m_preset = m_options.node   ? m_options.node
            : m_options.accelerator ? nodeWith(*m_options.accelerator, m_catalog)
                                    : recognised;
        if (m_options.accelerator && recognised && recognised->node.accelerator == *m_options.accelerator)
            m_preset = recognised;
        if (!m_preset)
            m_preset = &m_catalog.nodes.front();
        m_group = m_preset->node;
        m_group.id = "nodes";
        m_group.acceleratorsPerNode = m_node.accelerators;
        if (m_options.accelerator)
            m_group.accelerator = *m_options.accelerator;
        if (m_options.accelerator || m_options.node) {
            m_part = firstPart([&](const RecognisedPart& part) {
                const catalog::NodePreset* node = m_catalog.node(part.node);
                return node && node->node.accelerator.id == m_group.accelerator.id;
            });
            fill("accelerator", m_group.accelerator.id, Why::Asked);
            if (choice.isStated && recognised && recognised->node.accelerator.id != m_group.accelerator.id)
                m_imported.remarks.emplace_back(
                    StatedOtherwise{"accelerator", recognised->node.accelerator.id, m_group.accelerator.id});
        } else if (!choice.isStated) {
            fill("accelerator", m_group.accelerator.id, choice.why, choice.detail);
        }
    }

    void takeScaleUp()
    {
        const bool spans = m_preset->node.scaleUpDomain > m_preset->node.acceleratorsPerNode;
        if (m_node.domains.empty()) {
            fillUsual("scale_up", titleOf(m_group.scaleUp));
            if (!spans)
                setScaleUpDomain(m_group, m_node.accelerators);
            fillUsual("scale_up_domain", std::to_string(m_group.scaleUpDomain));
            return;
        }
        const cluster::Link between = pcieOf(m_node, m_part, m_catalog); // also what joins domains inside a node
        int links = std::numeric_limits<int>::max(), common = 0;
        for (const Domain& domain : m_node.domains) {
            common = std::gcd(common, domain.size); // so that no domain lies across two that are there
            if (domain.size > 1)
                links = std::min(links, domain.links);
        }
        const cluster::Link* const slower = common > 1 ? slowerThan(between, links) : nullptr;
        if (common == 1)
            remarkOfSizes(1, between);
        if (slower != nullptr)
            m_imported.remarks.emplace_back(SlowLinks{links, slower->name, m_node.accelerators, between.name});
        if (common == 1 || slower != nullptr)
            return joinBy(between);
        m_group.scaleUp = linkOf(links);
        if (m_node.isXgmi)
            fillUsual("scale_up", titleOf(m_group.scaleUp));
        m_group.scaleUpDomain = common;
        remarkOfLinks();
        if (m_node.domains.size() > 1) {
            m_group.inNode = between;
            remarkOfSizes(common, between);
        }
        if (spans && m_node.domains.size() == 1 && !m_isJoined) {
            m_group.scaleUpDomain = m_preset->node.scaleUpDomain;
            fillUsual("scale_up_domain", std::to_string(m_group.scaleUpDomain));
        }
    }

    /// PCIe joins all of the node.
    void joinBy(const cluster::Link& pcie)
    {
        m_group.scaleUp = pcie;
        m_group.scaleUpDomain = m_node.accelerators;
        if (m_node.accelerators > 1 && m_node.gigatransfers == 0)
            fill("scale_up", titleOf(pcie), Why::Unsaid);
    }

    /// The NVLinks of the part, where so few of them carry less than PCIe does; else null.
    [[nodiscard]] const cluster::Link* slowerThan(const cluster::Link& pcie, int links) const
    {
        const cluster::Link* const whole = m_part && !m_node.isXgmi ? m_catalog.link(m_part->nvlink) : nullptr;
        const bool isSlower =
            whole && sustained(*whole) * (double(links) / std::max(1, m_part->nvlinks)) < sustained(pcie);
        return isSlower ? whole : nullptr;
    }

    [[nodiscard]] cluster::Link linkOf(int links)
    {
        const cluster::Link* whole = m_part ? m_catalog.link(m_part->nvlink) : nullptr;
        if (m_node.isXgmi)
            return m_preset->node.scaleUp;
        const int most = whole ? m_part->nvlinks : 0;
        if (const int stated = mostLinks(m_node); stated > most)
            m_imported.remarks.emplace_back(MoreLinks{
                stated, m_group.accelerator.name, most, whole ? std::string() : titleOf(m_preset->node.scaleUp)});
        if (!whole) {
            fillUsual("scale_up", titleOf(m_preset->node.scaleUp));
            return m_preset->node.scaleUp;
        }
        links = std::min(links, most);
        if (links == most)
            return *whole;
        return atRate(*whole, whole->name + ", " + std::to_string(links) + " of " + std::to_string(most),
            whole->bandwidth * (double(links) / most));
    }

    void remarkOfLinks()
    {
        for (const Domain& domain : m_node.domains) {
            if (domain.even || m_node.isXgmi) // whose link is that of the catalogue
                continue;
            if (domain.ring)
                m_imported.remarks.emplace_back(UnevenLinks{domain.size, domain.most, domain.links, domain.switched});
            else
                m_imported.remarks.emplace_back(NoRing{domain.size, domain.links});
        }
    }

    /// Of a node that has linked domains, of which each counts as some of `size`; `between`: what joins them.
    void remarkOfSizes(int size, const cluster::Link& between)
    {
        if (!isLinked(m_node))
            return;
        std::vector<int> sizes;
        if (std::ranges::adjacent_find(m_node.domains, std::not_equal_to(), &Domain::size) != m_node.domains.end())
            for (const Domain& domain : m_node.domains)
                sizes.push_back(domain.size);
        m_imported.remarks.emplace_back(DomainsInNode{size, m_node.accelerators, std::move(sizes), between.name});
    }

    /// The ports that carry the most; a text without any leaves as many as the node of the catalogue has, where they
    /// are needed.
    void takePorts()
    {
        if (m_options.nic)
            m_group.nic = *m_options.nic;
        if (m_node.ports.empty()) {
            fill("nic", m_group.nic.id, m_options.nic ? Why::Asked : Why::UsualNode, m_preset->id);
            const bool needed =
                !m_isAlone || m_node.count > 1 || m_options.nodes > 1 || m_group.scaleUpDomain < m_node.accelerators;
            if (needed)
                fillUsual("nics_per_node", std::to_string(m_group.nicsPerNode));
            else
                fill("nics_per_node", std::to_string(m_group.nicsPerNode = 0), Why::Unsaid);
            return;
        }
        const Port taken = takenPort();
        std::vector<std::string> others;
        for (const Port& port : m_node.ports)
            if (!isLike(port, taken))
                others.push_back(port.name);
        m_group.nicsPerNode = int(m_node.ports.size() - others.size());
        if (!others.empty())
            m_imported.remarks.emplace_back(OtherPorts{std::move(others), m_group.nicsPerNode});
        if (taken.gigabits == 0) {
            if (!m_options.nic)
                m_group.nic = usualPort(taken);
            fill("nic", titleOf(m_group.nic), m_options.nic ? Why::Asked : Why::UsualNode, m_preset->id);
            return;
        }
        const cluster::Link stated = networkLink(taken, m_catalog);
        if (!m_options.nic)
            m_group.nic = stated;
        else if (m_options.nic->bandwidth != stated.bandwidth)
            m_imported.remarks.emplace_back(StatedOtherwise{"nic", titleOf(stated), m_options.nic->id});
    }

    [[nodiscard]] static bool isLike(const Port& a, const Port& b)
    {
        return a.gigabits == b.gigabits && a.kind == b.kind && a.link == b.link;
    }

    /// One of those that carry the most together; where that is alike or not stated, of a kind that clusters are built
    /// of, and then of the most.
    [[nodiscard]] const Port& takenPort() const
    {
        const auto rank = [&](const Port& port) {
            const auto ports = std::ranges::count_if(m_node.ports, [&](const Port& p) { return isLike(p, port); });
            const bool isFabric =
                port.kind == cluster::LinkKind::InfiniBand || port.kind == cluster::LinkKind::Slingshot;
            return std::tuple(port.gigabits * double(ports), isFabric, ports);
        };
        return *std::ranges::max_element(m_node.ports, {}, rank);
    }

    /// Of the kind that is stated, as fast as those of the node of the catalogue.
    [[nodiscard]] cluster::Link usualPort(Port port) const
    {
        const cluster::Link& usual = m_preset->node.nic;
        if (port.kind == cluster::LinkKind::Other || port.kind == usual.kind)
            return usual;
        port.gigabits = usual.bandwidth.value() * 8 / 1e9;
        return networkLink(port, m_catalog);
    }

    const DescribedNode& m_node;
    bool m_isAlone, m_isJoined;
    const Options& m_options;
    const Catalog& m_catalog;
    ImportedCluster& m_imported;
    const RecognisedPart* m_part = nullptr;
    const catalog::NodePreset* m_preset = nullptr;
    cluster::NodeGroup m_group;
};

/// Alike but for how many there are.
bool isAlike(cluster::NodeGroup a, const cluster::NodeGroup& b)
{
    a.count = b.count;
    a.id = b.id;
    return a == b;
}

template <class Value>
void dropRepeated(std::vector<Value>& values)
{
    std::vector<Value> kept;
    for (Value& value : values)
        if (std::ranges::find(kept, value) == kept.end())
            kept.push_back(std::move(value));
    values = std::move(kept);
}

/// Nodes by links between accelerators; what joins the parts of a broken one does not leave it.
bool joinOneAnother(const DescribedNodes& described)
{
    return std::ranges::all_of(
        described.kinds, [](const DescribedNode& kind) { return kind.spansNodes && kind.domains.size() == 1; });
}

} // namespace

const catalog::NodePreset* nodeWith(const cluster::Accelerator& accelerator, const Catalog& catalog)
{
    const auto known = firstPart([&](const RecognisedPart& part) {
        const catalog::NodePreset* node = catalog.node(part.node);
        return node && node->node.accelerator.id == accelerator.id;
    });
    if (known)
        return catalog.node(known->node);
    const auto it = std::ranges::find_if(
        catalog.nodes, [&](const catalog::NodePreset& preset) { return preset.node.accelerator.id == accelerator.id; });
    return it == catalog.nodes.end() ? nullptr : &*it;
}

std::optional<Fault> faultOfSize(const cluster::Cluster& cluster)
{
    long long accelerators = 0;
    for (const cluster::NodeGroup& group : cluster.nodes)
        accelerators += (long long)group.count * group.acceleratorsPerNode;
    return accelerators > kMostAccelerators ? std::optional(
               Fault{0, 0, std::to_string(accelerators) + " accelerators in all", reading::atMost(kMostAccelerators)})
                                            : std::nullopt;
}

tl::expected<ImportedCluster, Fault> lowered(
    const DescribedNodes& described, const Options& options, const Catalog& catalog)
{
    ImportedCluster imported;
    imported.remarks = described.remarks;
    std::vector<cluster::NodeGroup>& groups = imported.cluster.nodes;
    const bool isAlone = described.kinds.size() == 1, areJoined = !isAlone && joinOneAnother(described);
    for (const DescribedNode& kind : described.kinds) {
        cluster::NodeGroup group = NodeMaker(kind, isAlone, areJoined, options, catalog, imported).make();
        const auto known =
            std::ranges::find_if(groups, [&](const cluster::NodeGroup& other) { return isAlike(other, group); });
        if (known != groups.end())
            known->count += group.count;
        else if (int(groups.size()) == kMostGroups)
            return tl::unexpected(
                Fault{0, 0, reading::moreThan(kMostGroups, "unlike nodes"), reading::atMost(kMostGroups)});
        else
            groups.push_back(std::move(group));
    }
    dropRepeated(imported.filled);
    dropRepeated(imported.remarks);
    for (std::size_t i = 0; groups.size() > 1 && i < groups.size(); ++i)
        groups[i].id += '-' + std::to_string(i + 1);
    if (!isAlone) {
        for (cluster::NodeGroup& group : groups)
            group.scaleUpDomain = areJoined ? acceleratorCount(imported.cluster) : group.scaleUpDomain;
        if (options.nodes > 0)
            imported.remarks.emplace_back(
                StatedOtherwise{"nodes", std::to_string(nodeCount(imported.cluster)), std::to_string(options.nodes)});
    } else if (options.nodes > 0) {
        groups.front().count = options.nodes;
    } else {
        imported.filled.insert(imported.filled.begin(), Filled{"nodes", "1", Why::Unsaid});
    }
    if (auto fault = faultOfSize(imported.cluster))
        return tl::unexpected(std::move(*fault));
    return imported;
}

cluster::NodeGroup usualNode(const Options& options, const Catalog& catalog, std::vector<Filled>& filled)
{
    const catalog::NodePreset* preset = options.node;
    if (!preset && options.accelerator)
        preset = nodeWith(*options.accelerator, catalog);
    const bool asked = options.node || options.accelerator;
    if (!preset)
        preset = catalog.node("dgx-h100");
    if (!preset)
        preset = &catalog.nodes.front();
    cluster::NodeGroup group = preset->node;
    group.id = "nodes";
    group.name = preset->name;
    if (options.accelerator)
        group.accelerator = *options.accelerator;
    if (options.nic)
        group.nic = *options.nic;
    const auto fill = [&](const char* field, std::string value, Why why) {
        filled.push_back({field, std::move(value), why, why == Why::UsualNode ? preset->id : std::string()});
    };
    fill("accelerator", group.accelerator.id, asked ? Why::Asked : Why::UsualNode);
    fill("accelerators_per_node", std::to_string(group.acceleratorsPerNode), Why::UsualNode);
    fill("scale_up", group.scaleUp.id, Why::UsualNode);
    fill("scale_up_domain", std::to_string(group.scaleUpDomain), Why::UsualNode);
    fill("nic", group.nic.id, options.nic ? Why::Asked : Why::UsualNode);
    fill("nics_per_node", std::to_string(group.nicsPerNode), Why::UsualNode);
    return group;
}

} // namespace stratoplan::wiring
