// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster_edits.h"
#include "core/units/text.h"
#include "core/validation/case_rules.h"
#include "core/validation/case_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>

namespace stratoplan::validation {
namespace {

struct Family {
    std::string_view words; ///< in the printed name
    std::string_view idPrefix; ///< of the catalogue's entries
    double memoryGib; ///< of the variant meant when no memory is printed
};

// Longer names first: "GB200" contains "B200", "H200" contains "H20".
constexpr std::array kFamilies{
    Family{"GB300", "gb300", 279},
    Family{"GB200", "gb200", 186},
    Family{"B300", "b300", 270},
    Family{"B200", "b200", 180},
    Family{"H200", "h200", 141},
    Family{"H800", "h800", 80},
    Family{"H100", "h100", 80},
    Family{"H20", "h20", 96},
    Family{"A800", "a800", 80},
    Family{"A100", "a100", 80},
    Family{"V100", "v100", 32},
    Family{"L40S", "l40s", 48},
    Family{"MI355", "mi355", 288},
    Family{"MI350", "mi350", 288},
    Family{"MI325", "mi325", 256},
    Family{"MI300", "mi300", 192},
    Family{"MI250", "mi250", 64},
    Family{"Atlas 900 A2", "ascend", 64},
    Family{"Ascend", "ascend", 64},
    Family{"TPU v5p", "tpu-v5p", 95},
    Family{"TPU v5e", "tpu-v5e", 16},
    Family{"TPU v4", "tpu-v4", 32},
    Family{"TPU v6e", "tpu-v6e", 32},
    Family{"Trillium", "tpu-v6e", 32},
    Family{"TPU7x", "tpu7x", 192},
    Family{"Gaudi3", "gaudi3", 128},
    Family{"Gaudi 3", "gaudi3", 128},
    Family{"Gaudi2", "gaudi2", 96},
    Family{"Gaudi 2", "gaudi2", 96},
    Family{"Trainium2", "trainium2", 96},
    Family{"Trainium 2", "trainium2", 96},
    Family{"Trainium", "trainium1", 32},
};

/// The number that ends where `text` has `stop`, but for spaces before it.
std::optional<double> numberBefore(std::string_view text, std::size_t stop)
{
    while (stop > 0 && text[stop - 1] == ' ')
        --stop;
    std::size_t first = stop;
    while (first > 0 && (std::isdigit(static_cast<unsigned char>(text[first - 1])) || text[first - 1] == '.'))
        --first;
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data() + first, text.data() + stop, number);
    return fault == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

/// The number before the first of `units` that has one before it.
std::optional<double> numberOf(std::string_view text, std::initializer_list<std::string_view> units)
{
    for (const std::string_view unit : units)
        for (std::size_t found = text.find(unit); found != std::string_view::npos; found = text.find(unit, found + 1))
            if (const auto number = numberBefore(text, found))
                return number;
    return std::nullopt;
}

const cluster::Accelerator* findAccelerator(const CaseRecord& record, const catalog::Catalog& catalog, Filled& filled)
{
    const auto family = std::find_if(kFamilies.begin(), kFamilies.end(),
        [&](const Family& f) { return containsWords(record.accelerator, f.words); });
    if (family == kFamilies.end())
        return nullptr;
    const double memory =
        record.memoryGib.value_or(numberOf(record.accelerator, {"GB", "GiB"}).value_or(family->memoryGib));
    const bool pcie = containsWords(record.accelerator, "PCIe");
    const cluster::Accelerator* best = nullptr;
    double bestDistance = INFINITY;
    for (const cluster::Accelerator& a : catalog.accelerators) {
        if (a.id.rfind(family->idPrefix, 0) != 0)
            continue;
        const double distance =
            std::abs(a.memory.value() / kGiB - memory) + (containsWords(a.id, "pcie") != pcie ? 1000 : 0);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = &a;
        }
    }
    if (best && !record.memoryGib)
        filled.add("hardware.memory_gib", int(std::lround(best->memory.value() / kGiB)));
    return best;
}

/// Bits per second and direction that a node's network has in words such as "8x HDR InfiniBand (200 Gb/s) per node",
/// "400 Gb/s RDMA per GPU" or "4x100 Gb/s RoCE"; nothing where no rate stands. A rate alone is that of each port, of
/// Ethernet that of the node.
std::optional<double> printedNetwork(std::string_view text, int perNode, int portsPerNode)
{
    struct Rate {
        std::string_view words;
        double gigabits;
    };
    static constexpr std::array kRates{
        Rate{"XDR", 800}, Rate{"NDR", 400}, Rate{"HDR", 200}, Rate{"EDR", 100}, Rate{"FDR", 56}};
    std::optional<double> gigabits = numberOf(text, {"Gb/s", "Gbps", "Gbit/s"});
    for (const Rate& rate : kRates)
        if (!gigabits && containsWords(text, rate.words))
            gigabits = rate.gigabits;
    if (!gigabits)
        return std::nullopt;
    const std::optional<double> ports = numberOf(text, {"x"});
    const bool each =
        containsWords(text, "per GPU") || containsWords(text, "per NPU") || containsWords(text, "per accelerator");
    const bool node =
        containsWords(text, "per node") || containsWords(text, "node-node") || containsWords(text, "Ethernet");
    return *gigabits * 1e9 * ports.value_or(each || node ? 1 : portsPerNode) * (each ? perNode : 1);
}

/// Ports as the source prints them, where that is not what the preset has; words that say no rate leave it and are
/// listed.
void fitNetwork(const CaseRecord& record, const catalog::NodePreset& preset, std::int64_t total,
    cluster::NodeGroup& group, Filled& filled)
{
    if (record.inter.empty() || total <= group.acceleratorsPerNode)
        return;
    const std::optional<double> bits = printedNetwork(record.inter, group.acceleratorsPerNode, group.nicsPerNode);
    if (!bits) {
        filled.add("hardware.inter", preset.id + ", as no rate is stated");
        return;
    }
    const double has = group.nic.bandwidth.value() * 8 * group.nicsPerNode;
    if (std::abs(*bits / has - 1) < 0.05)
        return;
    group.nic.bandwidth = BytesPerSecond(*bits / 8 / group.nicsPerNode);
    group.nic.kernels.clear(); // measured on another link
}

/// The node that the case names, or that its words mean: its network is the one that the source prints.
const catalog::NodePreset* namedNode(
    const CaseRecord& record, const cluster::Accelerator& accelerator, const catalog::Catalog& catalog)
{
    if (!record.node.empty())
        return catalog.node(record.node);
    const std::vector<NodeWords>& all = shippedCaseWords().nodes;
    const auto found = std::ranges::find_if(all, [&](const NodeWords& node) {
        return accelerator.id.starts_with(node.accelerator)
            && (containsWords(record.inter, node.words) || containsWords(record.accelerator, node.words)
                || containsWords(record.framework, node.words));
    });
    return found == all.end() ? nullptr : catalog.node(found->node);
}

/// The first preset of an accelerator is its maker's reference node.
const catalog::NodePreset* usualNode(const CaseRecord& record, const cluster::Accelerator& accelerator, int perNode,
    const catalog::Catalog& catalog, Filled& filled)
{
    const catalog::NodePreset* best = nullptr;
    for (const catalog::NodePreset& node : catalog.nodes) {
        if (node.node.accelerator.id != accelerator.id)
            continue;
        if (!best || (best->node.acceleratorsPerNode != perNode && node.node.acceleratorsPerNode == perNode))
            best = &node;
    }
    if (best && record.inter.empty() && record.totalGpus.value_or(0) > perNode)
        filled.add("hardware.inter", best->id);
    return best;
}

} // namespace

tl::expected<cluster::Cluster, std::string> caseCluster(
    const CaseRecord& record, const catalog::Catalog& catalog, Filled& filled)
{
    if (record.accelerator.empty())
        return tl::unexpected(std::string("hardware.accelerator is not stated"));
    const cluster::Accelerator* accelerator = findAccelerator(record, catalog, filled);
    if (!accelerator)
        return tl::unexpected("accelerator \"" + shortened(record.accelerator) + "\" is not in the catalogue");
    const int perNode = filled(record.gpusPerNode, "hardware.gpus_per_node", 8);
    const catalog::NodePreset* named = namedNode(record, *accelerator, catalog);
    if (!named && !record.node.empty())
        return tl::unexpected("hardware.node \"" + shortened(record.node) + "\" is not in the catalogue");
    const catalog::NodePreset* preset = named ? named : usualNode(record, *accelerator, perNode, catalog, filled);
    if (!preset)
        return tl::unexpected("no node preset carries " + accelerator->name);
    const std::int64_t total =
        record.totalGpus.value_or(0) > 0 ? *record.totalGpus : std::int64_t{record.nodes.value_or(0)} * perNode;
    if (total <= 0)
        return tl::unexpected(std::string("hardware.total_gpus is not stated"));
    if (total > kMaxCaseRanks)
        return tl::unexpected("hardware has " + std::to_string(total) + " accelerators, expected at most "
            + std::to_string(kMaxCaseRanks));
    cluster::NodeGroup group = preset->node;
    if (group.scaleUpDomain == group.acceleratorsPerNode)
        setScaleUpDomain(group, perNode);
    else if (!group.torus && group.scaleUpDomain > 0
        && total % group.scaleUpDomain != 0) // a job gets whole power-of-two blocks of a rack: 64 of 72
        group.scaleUpDomain = int(std::bit_floor(unsigned(group.scaleUpDomain)));
    if (group.acceleratorsPerNode > 0 && group.acceleratorsPerNode != perNode)
        group.nicsPerNode = std::max(1, group.nicsPerNode * perNode / group.acceleratorsPerNode);
    group.acceleratorsPerNode = perNode;
    if (!named)
        fitNetwork(record, *preset, total, group, filled);
    group.count = static_cast<int>((total + perNode - 1) / perNode);
    group.id = "nodes";
    return cluster::Cluster{record.accelerator + " x " + std::to_string(total), {group}, {}, {}};
}

} // namespace stratoplan::validation
