// SPDX-License-Identifier: Apache-2.0
#include "core/reporting/topologies.h"

#include "core/catalog/quote.h"
#include "core/units/sentence.h"
#include "core/units/text.h"

#include <map>

namespace stratoplan::reporting {
namespace {

std::string_view patternOf(wiring::Why why)
{
    using enum wiring::Why;
    switch (why) {
    case Links:
        return "{field}={value} (the first of the catalogue with {detail} NVLinks, or the next more: --accelerator "
               "names another)";
    case Compute:
        return "{field}={value} (the first of the catalogue that fits compute capability or architecture {detail}: "
               "--accelerator names another)";
    case Pcie:
        return "{field}={value} (usual on PCIe of {detail} GT/s: --accelerator names another)";
    case UsualNode:
        return "{field}={value} (as in the node {detail})";
    case Asked:
        return "{field}={value} (as asked)";
    case EveryPort:
        return "{field}={value} (every network port has one)";
    case NoOversubscription:
        return "{field}={value} (no oversubscription)";
    case MostPorts:
        return "{field}={value} (as most of the network ports below)";
    case AllCables:
        return "{field}={value} (room for all cables)";
    case Unsaid:
        break;
    }
    return "{field}={value} (nothing tells)";
}

Word grouped(long long value)
{
    return {groupedDigits(value), value == 1};
}

/// The first of them.
std::string fewOf(const std::vector<std::string>& names)
{
    constexpr std::size_t kMost = 10;
    const std::vector<std::string_view> few(
        names.begin(), names.begin() + std::ptrdiff_t(std::min(names.size(), kMost)));
    return catalog::joined(few) + (few.size() < names.size() ? ", …" : "");
}

struct TopologyWords {
    std::string operator()(const wiring::UnevenLinks& links) const
    {
        return filled(links.switched
                ? "pairs of the {domain} accelerators of a domain have unlike numbers of links: of the up to {most} of "
                  "each, {counted is|are} counted, the mean over the pairs of the accelerator that has the "
                  "fewest, rounded down to 1 or more"
                : "pairs of the {domain} accelerators of a domain have unlike numbers of links: of the up to {most} of "
                  "each, the {counted is|are} counted that rings through all of them use",
            {{"domain", grouped(links.domain)}, {"most", grouped(links.most)}, {"counted", grouped(links.counted)}});
    }
    std::string operator()(const wiring::NoRing& domain) const
    {
        return filled(
            "no ring of links goes through all {domain} accelerators of a domain: {counted link|links} of each "
            "are counted, as many as all paths have",
            {{"domain", grouped(domain.domain)}, {"counted", grouped(domain.counted)}});
    }
    std::string operator()(const wiring::SlowLinks& links) const
    {
        return filled("of the links of each accelerator ({link}) only {counted is|are} counted, which carry less than "
                      "{pcie}: the node of {accelerators} accelerators is taken to be joined by {pcie} alone",
            {{"counted", grouped(links.counted)}, {"link", {links.link}}, {"pcie", {links.pcie}},
                {"accelerators", grouped(links.accelerators)}});
    }
    std::string operator()(const wiring::MoreLinks& links) const
    {
        return filled(links.counted > 0
                ? "up to {stated} NVLinks of each accelerator are stated, more than the {counted} that {accelerator} "
                  "has: no more are counted"
                : "up to {stated} NVLinks of each accelerator are stated, but {accelerator} has none: {link} is taken "
                  "in their place",
            {{"stated", grouped(links.stated)}, {"counted", grouped(links.counted)},
                {"accelerator", {links.accelerator}}, {"link", {links.link}}});
    }
    std::string operator()(const wiring::LinksElsewhere& links) const
    {
        return filled(
            "links to what is not in the file are left out: {targets}", {{"targets", {fewOf(links.targets)}}});
    }
    std::string operator()(const wiring::DomainsInNode& domains) const
    {
        std::vector<std::string> sizes;
        for (const int size : domains.sizes)
            sizes.push_back(std::to_string(size));
        return filled(sizes.empty()
                ? "a node of {accelerators} accelerators has scale-up domains of {domain}, joined by {link}"
                : domains.domain == 1
                ? "a node of {accelerators} accelerators has unlike scale-up domains ({sizes}), joined by {link}: no "
                  "size above 1 divides them all, and the node is taken to be joined by {link} alone"
                : "a node of {accelerators} accelerators has unlike scale-up domains ({sizes}), joined by {link}: they "
                  "are counted as domains of {domain}, which divides them all",
            {{"accelerators", grouped(domains.accelerators)}, {"domain", grouped(domains.domain)},
                {"link", {domains.link}}, {"sizes", {fewOf(sizes)}}});
    }
    std::string operator()(const wiring::OtherPorts& ports) const
    {
        return filled(
            "{ports network port is|network ports are} left out, slower than or unlike the {taken} taken: {names}",
            {{"ports", grouped(std::ssize(ports.names))}, {"taken", grouped(ports.taken)},
                {"names", {fewOf(ports.names)}}});
    }
    std::string operator()(const wiring::NearestPorts& ports) const
    {
        return filled("nearest network ports, which a cluster has no place for: {list}", {{"list", {ports.list}}});
    }
    std::string operator()(const wiring::PassedOver& passed) const
    {
        return filled("passed over, as it is not known: {names}", {{"names", {fewOf(passed.names)}}});
    }
    std::string operator()(const wiring::RelativeSpeed& speed) const
    {
        return filled("LinkSpeed={value} is a relative number in Slurm, no bandwidth: it is not taken",
            {{"value", {catalog::quoteText(speed.value)}}});
    }
    std::string operator()(const wiring::SpreadEvenly& spread) const
    {
        return filled(spread.ofPod
                ? "not all leaves of a pod lead to every one of its {switches} switches of the {tier} tier: cables are "
                  "spread evenly over them all the same"
                : spread.switches == 1
                ? "not all below lead to the one switch of the {tier} tier: cables are drawn evenly from "
                  "all of them all the same"
                : "not all below lead to every one of the {switches} switches of the {tier} tier: "
                  "cables are spread evenly over them all the same",
            {{"switches", grouped(spread.switches)}, {"tier", {spread.tier}}});
    }
    std::string operator()(const wiring::NotJoined& parts) const
    {
        return filled(parts.joinedAbove
                ? "the switch that joins the {parts} parts of the network is of a fourth tier, which is left out: no "
                  "network is drawn, and one without bottleneck is assumed"
                : "no switch joins the {parts} parts of the network: they are drawn as they are, and accelerators of "
                  "several cannot train together",
            {{"parts", grouped(parts.parts)}});
    }
    std::string operator()(const wiring::WideSwitch& wide) const
    {
        return filled(wide.name.empty()
                ? "a switch of the {tier} tier would have {ports} ports, more than any: no network is drawn, and one "
                  "without bottleneck is assumed"
                : "the {tier} {name} would have {ports} ports, more than any: no network is drawn, and one without "
                  "bottleneck is assumed",
            {{"tier", {wide.tier}}, {"name", {catalog::quoteText(wide.name)}}, {"ports", grouped(wide.ports)}});
    }
    std::string operator()(const wiring::TiersAbove& above) const
    {
        return filled("{tiers tier of switches is|tiers of switches are} left out: above leaf, spine and core",
            {{"tiers", grouped(above.tiers)}});
    }
    std::string operator()(const wiring::StatedOtherwise& other) const
    {
        return filled("{field}: the text states {stated}, {asked} was asked for",
            {{"field", {other.field}}, {"stated", {other.stated}}, {"asked", {other.asked}}});
    }
};

} // namespace

std::string describe(const wiring::Filled& entry)
{
    return filled(
        patternOf(entry.why), {{"field", {entry.field}}, {"value", {entry.value}}, {"detail", {entry.detail}}});
}

std::string describe(const wiring::Remark& remark)
{
    return std::visit(TopologyWords{}, remark);
}

std::vector<std::string> describe(const std::vector<wiring::Filled>& entries)
{
    std::vector<std::string> lines;
    for (const wiring::Filled& entry : entries)
        lines.push_back(describe(entry));
    return lines;
}

std::vector<std::string> describe(const std::vector<wiring::Remark>& remarks)
{
    std::vector<std::string> lines;
    for (const wiring::Remark& remark : remarks)
        lines.push_back(describe(remark));
    return lines;
}

std::string describe(const cluster::Cluster& cluster)
{
    std::string list;
    for (const cluster::NodeGroup& group : cluster.nodes)
        list += filled(list.empty() ? "{nodes node|nodes} of {name}" : ", {nodes node|nodes} of {name}",
            {{"nodes", grouped(group.count)}, {"name", {group.name}}});
    for (const cluster::SwitchGroup& group : cluster.switches)
        list += filled(", {switches switch|switches} ({tier})",
            {{"switches", grouped(group.count)}, {"tier", {std::string(key(group.tier))}}});
    return list + ", " + countedAccelerators(acceleratorCount(cluster));
}

std::string assumedModel(const plan::Plan& plan)
{
    return "model: " + plan.model.name;
}

exchange::DocumentError documentError(const wiring::Fault& fault, const std::string& file)
{
    const std::string_view where = fault.line == 0 ? ""
        : fault.column == 0                        ? "line {line}"
                                                   : "line {line}, column {column}";
    return {exchange::DocumentError::Code::Syntax, file,
        filled(where, {{"line", {std::to_string(fault.line)}}, {"column", {std::to_string(fault.column)}}}),
        fault.found, fault.expected, {}};
}

} // namespace stratoplan::reporting
