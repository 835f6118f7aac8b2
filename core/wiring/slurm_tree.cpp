// SPDX-License-Identifier: Apache-2.0
// The topology.conf of Slurm's plugin topology/tree: "SwitchName=leaf1 Nodes=gpu[001-016]", "SwitchName=spine1
// Switches=leaf[1-2] LinkSpeed=400". Keys in any case, remarks after #, a backslash at the end of a line goes on with
// the next one.
#include "core/catalog/quote.h"
#include "core/units/reading.h"
#include "core/units/text.h"
#include "core/wiring/described.h"
#include "core/wiring/hostlist.h"
#include "core/wiring/text_lines.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace stratoplan::wiring {
namespace {

constexpr int kMostSwitches = 20'000;
constexpr int kMostUplinksOfSwitches = 100'000; ///< of all of them
constexpr std::array<std::string_view, 6> kKeys{
    "switchname", "nodes", "switches", "linkspeed", "blockname", "blocksizes"};
constexpr std::string_view kTreeKeys = "SwitchName=, with Nodes= or Switches= and perhaps LinkSpeed=";
constexpr std::string_view kLineOfTree = "a line such as SwitchName=leaf1 Nodes=gpu[001-016]";

/// A line with those that it goes on in, and where they begin.
struct LongLine {
    std::string text;
    std::vector<std::pair<std::size_t, int>> starts; ///< offset, number

    [[nodiscard]] Fault faultAt(std::size_t offset, std::string found, std::string_view expected) const
    {
        const auto after = std::ranges::upper_bound(starts, offset, {}, &std::pair<std::size_t, int>::first);
        const auto& [start, number] = *std::prev(after);
        return {number, int(offset - start) + 1, std::move(found), std::string(expected)};
    }
};

std::vector<LongLine> longLines(std::string_view text)
{
    std::vector<LongLine> lines;
    bool goesOn = false;
    for (TextLine& line : linesOf(text)) {
        if (goesOn && line.number != lines.back().starts.back().second + 1)
            goesOn = false; // in an empty line
        std::size_t remark = line.text.find('#');
        while (remark != std::string::npos && remark > 0 && line.text[remark - 1] == '\\')
            remark = line.text.find('#', remark + 1);
        line.text.erase(std::min(remark, line.text.size()));
        if (!goesOn)
            lines.emplace_back();
        lines.back().starts.emplace_back(lines.back().text.size(), line.number);
        const std::size_t last = line.text.find_last_not_of(" \t\r");
        goesOn = last != std::string::npos && line.text[last] == '\\' && remark == std::string::npos;
        if (goesOn)
            line.text.erase(last);
        lines.back().text += line.text;
    }
    return lines;
}

struct Entry {
    std::string key; ///< in small letters
    std::string value;
    std::size_t keyAt = 0;
    std::size_t valueAt = 0;
};

/// "Key=value", blanks around the sign and quotes around the value allowed.
tl::expected<std::vector<Entry>, Fault> entriesOf(const LongLine& line)
{
    constexpr std::string_view kBlanks = " \t\r";
    const std::string& text = line.text;
    std::vector<Entry> entries;
    const auto skipBlanks = [&](std::size_t at) { return std::min(text.find_first_not_of(kBlanks, at), text.size()); };
    for (std::size_t at = skipBlanks(0); at < text.size(); at = skipBlanks(at)) {
        const std::size_t end = std::min(text.find_first_of(" \t\r=", at), text.size());
        Entry entry{inSmallLetters(std::string_view(text).substr(at, end - at)), {}, at, 0};
        const std::string word = catalog::quoteText(std::string_view(text).substr(at, end - at));
        if (std::ranges::find(kKeys, entry.key) == kKeys.end())
            return tl::unexpected(line.faultAt(at, word,
                entry.key == "include" ? std::string_view("the lines of that file in its place: no other file is read")
                                       : kTreeKeys));
        const std::size_t sign = skipBlanks(end);
        if (sign == text.size() || text[sign] != '=')
            return tl::unexpected(line.faultAt(end, word + " without a value", "\"=\" and a value after it"));
        entry.valueAt = skipBlanks(sign + 1);
        const bool quoted = entry.valueAt < text.size() && text[entry.valueAt] == '"';
        entry.valueAt += quoted;
        at = quoted ? text.find('"', entry.valueAt) : std::min(text.find_first_of(kBlanks, entry.valueAt), text.size());
        if (at == std::string::npos)
            return tl::unexpected(line.faultAt(entry.valueAt - 1, "a quote that does not close", "a quote at its end"));
        entry.value = text.substr(entry.valueAt, at - entry.valueAt);
        at += quoted;
        if (entry.value.empty())
            return tl::unexpected(line.faultAt(entry.valueAt, "nothing", "a value of " + word));
        if (std::ranges::find(entries, entry.key, &Entry::key) != entries.end())
            return tl::unexpected(line.faultAt(entry.keyAt, word + " twice", "every key once in a line"));
        entries.push_back(std::move(entry));
    }
    return entries;
}

struct Switch {
    std::string name;
    Fault place; ///< of its name, for faults that are found later
    int nodes = 0;
    std::vector<std::pair<std::string, Fault>> children = {}; ///< switches, and where they are named
    std::vector<std::size_t> below = {};
    std::vector<std::size_t> above = {};
    int level = 0; ///< 0 = leaf
};

class TreeReader {
public:
    [[nodiscard]] std::optional<Fault> read(std::string_view text)
    {
        for (const LongLine& line : longLines(text)) {
            const auto entries = entriesOf(line);
            if (!entries)
                return entries.error();
            if (entries->empty())
                continue;
            if (auto fault = takeLine(line, *entries))
                return fault;
        }
        if (m_switches.empty())
            return Fault{0, 0, "no switch", std::string(kLineOfTree)};
        if (auto fault = link())
            return fault;
        if (auto fault = level())
            return fault;
        return m_nodes.empty() ? std::optional(Fault{0, 0, "no node", std::string(kLineOfTree)}) : std::nullopt;
    }

    [[nodiscard]] DescribedNetwork network(const cluster::NodeGroup& node, std::vector<Remark>& remarks) const
    {
        for (const std::string& speed : m_speeds)
            remarks.emplace_back(RelativeSpeed{speed});
        constexpr int kTiers = 3;
        const int top = std::ranges::max(m_switches, {}, &Switch::level).level + 1;
        if (top > kTiers)
            remarks.emplace_back(TiersAbove{top - kTiers});
        DescribedNetwork network{.kinds = {node}, .isJoinedAbove = top > kTiers && isJoined()};
        std::map<std::size_t, int> index;
        for (std::size_t i = 0; i < m_switches.size(); ++i)
            if (const int level = m_switches[i].level; level > 0 && level < kTiers) {
                index[i] = int(network.uppers.size());
                network.uppers.push_back(
                    {level == 1 ? cluster::SwitchTier::Spine : cluster::SwitchTier::Core, {}, m_switches[i].name});
            }
        for (std::size_t i = 0; i < m_switches.size(); ++i) {
            std::vector<int> parents;
            for (const std::size_t parent : m_switches[i].above)
                if (index.contains(parent))
                    parents.push_back(index[parent]);
            if (m_switches[i].level == 0)
                network.leaves.push_back({{{std::size_t{0}, m_switches[i].nodes}}, std::move(parents), 0,
                    m_switches[i].name, m_switches[i].place.line});
            else if (index.contains(i))
                network.uppers[std::size_t(index[i])].parents = std::move(parents);
        }
        return network;
    }

private:
    std::optional<Fault> takeLine(const LongLine& line, const std::vector<Entry>& entries)
    {
        const auto entryOf = [&](std::string_view key) -> const Entry* {
            const auto it = std::ranges::find(entries, key, &Entry::key);
            return it == entries.end() ? nullptr : &*it;
        };
        for (const char* key : {"blockname", "blocksizes"})
            if (const Entry* block = entryOf(key))
                return line.faultAt(block->keyAt, "the blocks of topology/block",
                    "the switches of topology/tree (SwitchName=): a table of nodes can say which are near");
        const Entry* name = entryOf("switchname");
        const Entry *nodes = entryOf("nodes"), *switches = entryOf("switches"), *speed = entryOf("linkspeed");
        if (!name)
            return line.faultAt(entries.front().keyAt, "a line without SwitchName", kLineOfTree);
        if ((nodes != nullptr) == (switches != nullptr))
            return line.faultAt(name->keyAt,
                nodes ? "both Nodes and Switches" : "neither Nodes nor Switches of " + catalog::quoteText(name->value),
                "either Nodes= of a leaf or Switches= of a switch above");
        if (name->value.size() > kMostCharacters)
            return line.faultAt(name->valueAt, reading::moreThan(kMostCharacters, "characters"), "a short name");
        Switch added{name->value, line.faultAt(name->valueAt, {}, {})};
        if (!m_names.emplace(name->value, m_switches.size()).second)
            return line.faultAt(
                name->valueAt, "a second switch " + catalog::quoteText(name->value), "every switch once");
        if (int(m_switches.size()) == kMostSwitches)
            return line.faultAt(
                name->valueAt, reading::moreThan(kMostSwitches, "switches"), reading::atMost(kMostSwitches));
        if (speed && std::ranges::find(m_speeds, speed->value) == m_speeds.end() && m_speeds.size() < 8)
            m_speeds.push_back(speed->value);
        return takeBelow(line, nodes ? *nodes : *switches, nodes != nullptr, std::move(added));
    }

    /// The nodes of a leaf, or the switches below another one.
    std::optional<Fault> takeBelow(const LongLine& line, const Entry& list, bool nodes, Switch added)
    {
        const Room room = nodes
            ? Room{kMostNodes - int(m_nodes.size()), kMostNodes, "nodes in all"}
            : Room{kMostUplinksOfSwitches - m_uplinks, kMostUplinksOfSwitches, "switches below others in all"};
        auto names = expandHostlist(list.value, room);
        if (!names) {
            const Fault& fault = names.error();
            return line.faultAt(list.valueAt + std::size_t(fault.column) - 1, fault.found, fault.expected);
        }
        if (nodes)
            if (auto fault = takeNodes(*names, line, list, added))
                return fault;
        for (std::size_t i = 0; !nodes && i < names->size(); ++i)
            added.children.emplace_back(std::move((*names)[i]), line.faultAt(list.valueAt, {}, {}));
        m_uplinks += int(added.children.size());
        m_switches.push_back(std::move(added));
        return std::nullopt;
    }

    std::optional<Fault> takeNodes(
        const std::vector<std::string>& names, const LongLine& line, const Entry& list, Switch& leaf)
    {
        leaf.nodes = int(names.size());
        for (const std::string& name : names) {
            const auto [known, isNew] = m_nodes.emplace(name, m_switches.size());
            if (isNew)
                continue;
            const std::string& other = known->second == m_switches.size() ? leaf.name : m_switches[known->second].name;
            return line.faultAt(list.valueAt,
                "the node " + catalog::quoteText(name) + " a second time, also below " + catalog::quoteText(other),
                "every node below one leaf");
        }
        return std::nullopt;
    }

    [[nodiscard]] static Fault faultOf(const Fault& place, std::string found, std::string_view expected)
    {
        return {place.line, place.column, std::move(found), std::string(expected)};
    }

    std::optional<Fault> link()
    {
        for (std::size_t i = 0; i < m_switches.size(); ++i)
            for (const auto& [name, place] : m_switches[i].children) {
                const auto child = m_names.find(name);
                if (child == m_names.end())
                    return faultOf(place, "the switch " + catalog::quoteText(name) + ", which no line defines",
                        "SwitchName=" + shortened(name) + " on a line of its own");
                if (std::ranges::find(m_switches[i].below, child->second) != m_switches[i].below.end())
                    return faultOf(place, "the switch " + catalog::quoteText(name) + " twice", "every switch once");
                m_switches[i].below.push_back(child->second);
                m_switches[child->second].above.push_back(i);
            }
        return std::nullopt;
    }

    /// Each switch stands above all below it; where that goes on for ever, it stands below itself.
    std::optional<Fault> level()
    {
        std::vector<std::size_t> left(m_switches.size()), ready;
        for (std::size_t i = 0; i < m_switches.size(); ++i) {
            left[i] = m_switches[i].below.size();
            if (left[i] == 0)
                ready.push_back(i);
        }
        for (std::size_t i = 0; i < ready.size(); ++i)
            for (const std::size_t above : m_switches[ready[i]].above) {
                m_switches[above].level = std::max(m_switches[above].level, m_switches[ready[i]].level + 1);
                if (--left[above] == 0)
                    ready.push_back(above);
            }
        if (ready.size() == m_switches.size())
            return std::nullopt;
        std::size_t at = std::size_t(std::ranges::find_if(left, [](std::size_t n) { return n > 0; }) - left.begin());
        std::vector<std::size_t> path;
        while (std::ranges::find(path, at) == path.end()) {
            path.push_back(at);
            at = *std::ranges::find_if(m_switches[at].below, [&](std::size_t below) { return left[below] > 0; });
        }
        std::string circle;
        for (auto it = std::ranges::find(path, at); it != path.end() && circle.size() < 200; ++it)
            circle += shortened(m_switches[*it].name) + " above ";
        return faultOf(m_switches[at].place, "a circle of switches: " + circle + shortened(m_switches[at].name),
            "a tree, in which no switch stands below itself");
    }

    /// Whether all switches are of one network, those of tiers that are left out among them.
    [[nodiscard]] bool isJoined() const
    {
        std::vector<bool> seen(m_switches.size());
        std::vector<std::size_t> reached{0};
        seen[0] = true;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const auto* near : {&m_switches[reached[i]].below, &m_switches[reached[i]].above})
                for (const std::size_t next : *near)
                    if (!seen[next]) {
                        seen[next] = true;
                        reached.push_back(next);
                    }
        return reached.size() == m_switches.size();
    }

    std::vector<Switch> m_switches;
    std::unordered_map<std::string, std::size_t> m_names; ///< of switches
    std::unordered_map<std::string, std::size_t> m_nodes; ///< and the leaf of each
    std::vector<std::string> m_speeds;
    int m_uplinks = 0;
};

} // namespace

bool looksLikeSlurmTree(std::string_view text)
{
    constexpr int kFirstLines = 200;
    for (const TextLine& line : linesOf(text, kFirstLines)) {
        const std::vector<TextWord> words = wordsOf(line.text);
        if (words.empty() || words.front().text.starts_with('#'))
            continue;
        const std::string_view word = words.front().text;
        const std::size_t sign = word.find('=');
        const bool assigns = sign != std::string_view::npos || (words.size() > 1 && words[1].text.starts_with('='));
        return assigns && std::ranges::find(kKeys, inSmallLetters(word.substr(0, sign))) != kKeys.end();
    }
    return false;
}

tl::expected<ImportedCluster, Fault> readSlurmTree(
    std::string_view text, const Options& options, const catalog::Catalog& catalog)
{
    TreeReader reader;
    if (auto fault = reader.read(text))
        return tl::unexpected(std::move(*fault));
    ImportedCluster imported;
    const cluster::NodeGroup node = usualNode(options, catalog, imported.filled);
    if (auto fault = draw(reader.network(node, imported.remarks), imported))
        return tl::unexpected(std::move(*fault));
    return imported;
}

} // namespace stratoplan::wiring
