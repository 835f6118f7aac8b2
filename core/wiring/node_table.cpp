// SPDX-License-Identifier: Apache-2.0
// A table of nodes (CSV): the first line names the columns, each other line is a node, or several that are alike. What
// a row leaves empty is as the catalogue has it. Nodes of several racks are unlike.
#include "core/catalog/catalog_suggest.h"
#include "core/catalog/quote.h"
#include "core/cluster/cluster_edits.h"
#include "core/units/csv.h"
#include "core/units/reading.h"
#include "core/units/run_headings.h"
#include "core/wiring/described.h"
#include "core/wiring/hostlist.h"
#include "core/wiring/text_lines.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace stratoplan::wiring {
namespace {

constexpr int kMostCount = 4096; ///< of accelerators and ports of a node, as resources/schema/plan.schema.json has it
constexpr int kMostDomain = 1'000'000;

/// Names in a cell, "spine1;spine2", in order.
std::vector<std::string> namesIn(std::string_view cell)
{
    std::vector<std::string> names;
    for (const std::string& name : csvCells(cell, ';'))
        if (!name.empty())
            names.push_back(name);
    std::ranges::sort(names);
    return names;
}

/// A quote that no other one closes.
std::optional<Fault> faultOfQuotes(const CsvRow& row)
{
    if (std::ranges::count(row.text, '"') % 2 == 0)
        return std::nullopt;
    return Fault{row.line, int(row.text.rfind('"')) + 1, "a quote that does not close",
        "a quote at the end of the cell, on the same line"};
}

/// Of a line that names columns: a semicolon, as spreadsheets with decimal commas write it, or a comma.
char separatorOf(std::string_view heading)
{
    constexpr auto kNone = std::string_view::npos;
    return heading.find(';') != kNone && heading.find(',') == kNone ? ';' : ',';
}

/// Where a cell begins, from 1.
int columnOf(std::string_view line, std::size_t cell, char separator)
{
    bool quoted = false;
    std::size_t at = 0;
    for (; cell > 0 && at < line.size(); ++at) {
        quoted = quoted != (line[at] == '"');
        cell -= line[at] == separator && !quoted ? 1 : 0;
    }
    return int(at) + 1;
}

/// A switch as rows name it, which must agree.
struct NamedSwitch {
    int line = 0; ///< of the first row
    std::vector<std::string> parents;
    int uplinks = 0;
    NodesOfKinds nodes; ///< of a leaf
};

void addNodes(NodesOfKinds& nodes, std::size_t kind, int count)
{
    const auto known = std::ranges::find(nodes, kind, &NodesOfKinds::value_type::first);
    if (known == nodes.end())
        nodes.emplace_back(kind, count);
    else
        known->second += count;
}

class TableReader {
public:
    TableReader(const Options& options, const catalog::Catalog& catalog)
        : m_options(options)
        , m_catalog(catalog)
    {
    }

    [[nodiscard]] tl::expected<ImportedCluster, Fault> read(std::string_view text)
    {
        std::vector<CsvRow> rows = csvRows(text);
        if (rows.empty())
            return tl::unexpected(Fault{0, 0, "no line", "a first line that names the columns"});
        m_separator = separatorOf(rows.front().text);
        if (m_separator != ',')
            rows = csvRows(text, m_separator);
        if (auto fault = readHeading(rows.front()))
            return tl::unexpected(std::move(*fault));
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const bool blank = std::ranges::all_of(rows[i].cells, [](const std::string& cell) { return cell.empty(); });
            if (auto fault = blank ? std::nullopt : takeRow(rows[i]))
                return tl::unexpected(std::move(*fault));
        }
        if (m_names.empty())
            return tl::unexpected(Fault{rows.front().line, 0, "no node", "a row for each node"});
        return finish();
    }

private:
    [[nodiscard]] Fault faultAt(std::string_view column, std::string found, std::string_view expected) const
    {
        const auto it = std::ranges::find(m_columns, column);
        return {m_row->line,
            it == m_columns.end() ? 0 : columnOf(m_row->text, std::size_t(it - m_columns.begin()), m_separator),
            std::string(column) + ' ' + std::move(found), std::string(expected)};
    }

    std::optional<Fault> readHeading(const CsvRow& row)
    {
        m_row = &row;
        if (auto fault = faultOfQuotes(row))
            return fault;
        for (const std::string& cell : row.cells) {
            const std::string name = inSmallLetters(cell);
            const auto fault = [&](std::string_view tail, std::string expected) {
                return Fault{row.line, columnOf(row.text, m_columns.size(), m_separator),
                    "column " + catalog::quoteText(cell) + std::string(tail), std::move(expected)};
            };
            if (std::ranges::find(tableColumns(), name, &TableColumn::name) == tableColumns().end())
                return fault({}, expectedColumns());
            if (std::ranges::find(m_columns, name) != m_columns.end())
                return fault(" twice", "every column once");
            m_columns.push_back(name);
        }
        return std::ranges::find(m_columns, "name") == m_columns.end()
            ? std::optional(faultAt("no column", "\"name\"", expectedColumns()))
            : std::nullopt;
    }

    [[nodiscard]] static std::string expectedColumns()
    {
        std::vector<std::string_view> names;
        for (const TableColumn& column : tableColumns())
            names.push_back(column.name);
        return reading::oneOf(names);
    }

    /// Empty where there is no such column.
    [[nodiscard]] const std::string& cell(std::string_view column) const
    {
        static const std::string none;
        const auto it = std::ranges::find(m_columns, column);
        return it == m_columns.end() ? none : m_row->cells[std::size_t(it - m_columns.begin())];
    }

    std::optional<Fault> takeRow(const CsvRow& row)
    {
        m_row = &row;
        if (auto fault = faultOfQuotes(row))
            return fault;
        if (row.cells.size() != m_columns.size())
            return Fault{row.line, 0, std::to_string(row.cells.size()) + " cells",
                std::to_string(m_columns.size()) + ", one for each column (names with "
                    + (m_separator == ';' ? "semicolons" : "commas") + " in quotes)"};
        if (auto fault = faultOfLengths())
            return fault;
        auto count = takeNames();
        if (!count)
            return count.error();
        auto kind = takeKind();
        if (!kind)
            return kind.error();
        m_accelerators += (long long)*count * m_kinds[*kind].acceleratorsPerNode;
        if (m_accelerators > kMostAccelerators)
            return Fault{row.line, 0, reading::moreThan(kMostAccelerators, "accelerators in all"),
                reading::atMost(kMostAccelerators)};
        return takeSwitches(*kind, *count);
    }

    /// Names that elements have on a canvas.
    [[nodiscard]] std::optional<Fault> faultOfLengths() const
    {
        for (const char* column : {"rack", "leaf", "spine", "core"})
            for (const std::string& name : namesIn(cell(column)))
                if (name.size() > std::size_t(kMostCharacters))
                    return faultAt(column, reading::moreThan(kMostCharacters, "characters"), "a short name");
        return std::nullopt;
    }

    /// How many nodes the row is.
    tl::expected<int, Fault> takeNames()
    {
        const Room room{kMostNodes - m_nodes, kMostNodes, "nodes in all"};
        auto names = expandHostlist(cell("name"), room);
        if (!names)
            return tl::unexpected(faultAt("name", names.error().found, names.error().expected));
        for (const std::string& name : *names)
            if (!m_names.insert(name).second)
                return tl::unexpected(faultAt("name", catalog::quoteText(name) + " a second time", "every node once"));
        int count = int(names->size());
        if (!cell("count").empty()) {
            const auto stated = wholeNumber(cell("count"), kMostNodes);
            if (!stated || *stated == 0)
                return tl::unexpected(
                    faultAt("count", catalog::quoteText(cell("count")), reading::wholeNumber(1, kMostNodes)));
            if (*stated > room.left)
                return tl::unexpected(
                    faultAt("count", reading::moreThan(room.limit, room.what), reading::atMost(room.limit)));
            if (count > 1 && *stated != count)
                return tl::unexpected(faultAt(
                    "count", std::to_string(*stated), std::to_string(count) + ", as many as there are names, or none"));
            count = *stated;
        }
        m_nodes += count;
        return count;
    }

    template <class Entry>
    tl::expected<const Entry*, Fault> entryOf(
        std::string_view column, std::string_view what, const std::vector<Entry>& entries) const
    {
        const std::string& id = cell(column);
        if (id.empty())
            return nullptr;
        const auto it = std::ranges::find(entries, id, &Entry::id);
        if (it != entries.end())
            return &*it;
        std::vector<std::string_view> ids;
        for (const Entry& entry : entries)
            ids.push_back(entry.id);
        return tl::unexpected(faultAt(column, catalog::quoteText(id), catalog::detail::expectedId(what, id, ids)));
    }

    std::optional<Fault> takeNumber(std::string_view column, int least, int most, int& value) const
    {
        if (cell(column).empty())
            return std::nullopt;
        const auto number = wholeNumber(cell(column), most);
        if (!number || *number < least)
            return faultAt(column, catalog::quoteText(cell(column)), reading::wholeNumber(least, most));
        value = *number;
        return std::nullopt;
    }

    /// The index among those that are unlike.
    tl::expected<std::size_t, Fault> takeKind()
    {
        Options options = m_options;
        const auto preset = entryOf("node", "a node", m_catalog.nodes);
        const auto accelerator = entryOf("accelerator", "an accelerator", m_catalog.accelerators);
        const auto nic = entryOf("nic", "a link", m_catalog.links);
        const auto scaleUp = entryOf("scale_up", "a link", m_catalog.links);
        for (const auto* fault : {preset ? nullptr : &preset.error(), accelerator ? nullptr : &accelerator.error(),
                 nic ? nullptr : &nic.error(), scaleUp ? nullptr : &scaleUp.error()})
            if (fault)
                return tl::unexpected(*fault);
        if (*preset)
            options = {.node = *preset};
        if (*accelerator)
            options.accelerator = *accelerator;
        if (*nic)
            options.nic = *nic;
        std::vector<Filled> filled;
        cluster::NodeGroup group = usualNode(options, m_catalog, filled);
        const bool wholeNode = group.scaleUpDomain == group.acceleratorsPerNode;
        if (*scaleUp)
            group.scaleUp = **scaleUp;
        for (auto fault : {takeNumber("accelerators", 1, kMostCount, group.acceleratorsPerNode),
                 takeNumber("nics", 0, kMostCount, group.nicsPerNode)})
            if (fault)
                return tl::unexpected(std::move(*fault));
        if (wholeNode)
            group.scaleUpDomain = group.acceleratorsPerNode;
        if (auto fault = takeDomain(group))
            return tl::unexpected(std::move(*fault));
        setScaleUpDomain(group, group.scaleUpDomain);
        remarkOfOptions(group);
        nameAfterContent(group);
        group.rack = cell("rack");
        return indexOf(group, filled);
    }

    std::optional<Fault> takeDomain(cluster::NodeGroup& group) const
    {
        if (auto fault = takeNumber("domain", 1, kMostDomain, group.scaleUpDomain))
            return fault;
        const auto [less, more] = std::minmax(group.scaleUpDomain, group.acceleratorsPerNode);
        if (cell("domain").empty() || more % less == 0)
            return std::nullopt;
        return faultAt("domain", std::to_string(group.scaleUpDomain),
            "a divisor of the " + std::to_string(group.acceleratorsPerNode)
                + " accelerators of the node, or a multiple where domains span nodes");
    }

    /// A row has the last word.
    void remarkOfOptions(const cluster::NodeGroup& group)
    {
        const auto remark = [&](const char* field, const std::string& stated, const std::string& asked) {
            const Remark otherwise = StatedOtherwise{field, stated, asked};
            if (stated != asked && std::ranges::find(m_remarks, otherwise) == m_remarks.end())
                m_remarks.push_back(otherwise);
        };
        if (m_options.node && !cell("node").empty())
            remark("node", cell("node"), m_options.node->id);
        if (m_options.accelerator)
            remark("accelerator", group.accelerator.id, m_options.accelerator->id);
        if (m_options.nic)
            remark("nic", group.nic.id, m_options.nic->id);
    }

    tl::expected<std::size_t, Fault> indexOf(const cluster::NodeGroup& group, const std::vector<Filled>& filled)
    {
        const auto known = std::ranges::find(m_kinds, group);
        if (known != m_kinds.end())
            return std::size_t(known - m_kinds.begin());
        if (m_kinds.size() == std::size_t(kMostGroups))
            return tl::unexpected(Fault{m_row->line, 0,
                reading::moreThan(kMostGroups, group.rack.empty() ? "unlike nodes" : "unlike nodes or racks of them"),
                reading::atMost(kMostGroups)});
        m_kinds.push_back(group);
        m_kindLines.push_back(m_row->line);
        keepFilled(filled, group);
        return m_kinds.size() - 1;
    }

    /// A row that is no node of the catalogue as a whole.
    void nameAfterContent(cluster::NodeGroup& group) const
    {
        const auto stated = [&](const char* column) { return !cell(column).empty(); };
        constexpr std::array kOfNode{"accelerator", "accelerators", "scale_up", "domain", "nic", "nics"};
        if (std::ranges::any_of(kOfNode, stated))
            group.name = std::to_string(group.acceleratorsPerNode) + "x " + group.accelerator.name;
    }

    /// What no cell of the row states; a node of the catalogue states all of itself.
    void keepFilled(const std::vector<Filled>& filled, const cluster::NodeGroup& group)
    {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kCells{
            {{"accelerator", "accelerator"}, {"accelerators_per_node", "accelerators"}, {"scale_up", "scale_up"},
                {"scale_up_domain", "domain"}, {"nic", "nic"}, {"nics_per_node", "nics"}}};
        for (Filled entry : filled) {
            const auto column = std::ranges::find(kCells, entry.field, &decltype(kCells)::value_type::first);
            if (!cell("node").empty() || !cell(column->second).empty())
                continue;
            if (entry.field == "scale_up_domain")
                entry.value = std::to_string(group.scaleUpDomain);
            if (std::ranges::find(m_filled, entry) == m_filled.end())
                m_filled.push_back(std::move(entry));
        }
    }

    /// What a row without the switch that its other cells need says, and switches that stand twice in a cell.
    [[nodiscard]] std::optional<Fault> faultOfSwitches() const
    {
        const std::string& leaf = cell("leaf");
        if (m_leafStated && *m_leafStated == leaf.empty())
            return faultAt(
                "leaf", leaf.empty() ? "nothing" : catalog::quoteText(leaf), "a leaf in every row, or in none");
        for (const char* column : {"spine", "core", "uplinks"})
            if (leaf.empty() && !cell(column).empty())
                return faultAt(column, catalog::quoteText(cell(column)), "none without a leaf");
        for (const char* column : {"core", "uplinks"})
            if (namesIn(cell("spine")).empty() && !cell(column).empty())
                return faultAt(column, catalog::quoteText(cell(column)), "none without a spine");
        for (const char* column : {"spine", "core"}) {
            const std::vector<std::string> names = namesIn(cell(column));
            if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
                return faultAt(column, catalog::quoteText(*twice) + " twice", "every switch once");
        }
        return std::nullopt;
    }

    std::optional<Fault> takeSwitches(std::size_t kind, int count)
    {
        if (auto fault = faultOfSwitches())
            return fault;
        const std::string& leaf = cell("leaf");
        m_leafStated = !leaf.empty();
        const std::vector<std::string> spines = namesIn(cell("spine")), cores = namesIn(cell("core"));
        int uplinks = 0;
        if (auto fault = takeNumber("uplinks", 1, cluster::kMostPorts, uplinks))
            return fault;
        if (auto fault = takeTiers(leaf, spines, cores))
            return fault;
        NamedSwitch& named = m_leaves.emplace(leaf, NamedSwitch{m_row->line, spines, uplinks, {}}).first->second;
        if (named.parents != spines)
            return faultAt("spine", catalog::quoteText(cell("spine")), "that of line " + std::to_string(named.line));
        if (named.uplinks != uplinks)
            return faultAt(
                "uplinks", catalog::quoteText(cell("uplinks")), "that of line " + std::to_string(named.line));
        addNodes(named.nodes, kind, count);
        for (const std::string& spine : spines) {
            const NamedSwitch& upper = m_spines.emplace(spine, NamedSwitch{m_row->line, cores, 0, {}}).first->second;
            if (upper.parents != cores)
                return faultAt("core", catalog::quoteText(cell("core")), "that of line " + std::to_string(upper.line));
        }
        return std::nullopt;
    }

    /// A name is of one tier alone.
    std::optional<Fault> takeTiers(
        const std::string& leaf, const std::vector<std::string>& spines, const std::vector<std::string>& cores)
    {
        const auto take = [&](const std::string& column, const std::string& name) -> std::optional<Fault> {
            const auto known =
                name.empty() ? m_tiers.end() : m_tiers.emplace(name, std::pair(column, m_row->line)).first;
            if (known == m_tiers.end() || known->second.first == column)
                return std::nullopt;
            return faultAt(column, catalog::quoteText(name),
                "another name: line " + std::to_string(known->second.second) + " has it as a " + known->second.first);
        };
        if (auto fault = take("leaf", leaf))
            return fault;
        for (const auto& [column, names] : {std::pair("spine", &spines), std::pair("core", &cores)})
            for (const std::string& name : *names)
                if (auto fault = take(column, name))
                    return fault;
        return std::nullopt;
    }

    [[nodiscard]] tl::expected<ImportedCluster, Fault> finish()
    {
        ImportedCluster imported;
        imported.filled = m_filled;
        imported.remarks = m_remarks;
        DescribedNetwork network{.kinds = m_kinds};
        std::map<std::string, int> spines, cores;
        for (const auto& [name, upper] : m_spines) {
            for (const std::string& core : upper.parents)
                cores.emplace(core, 0);
            spines[name] = int(spines.size());
        }
        for (auto& [name, index] : cores)
            index = int(m_spines.size()) + int(std::distance(cores.begin(), cores.find(name)));
        const auto indicesOf = [](const std::vector<std::string>& names, const std::map<std::string, int>& indices) {
            std::vector<int> found;
            for (const std::string& name : names)
                found.push_back(indices.at(name));
            return found;
        };
        for (const auto& [name, upper] : m_spines)
            network.uppers.push_back({cluster::SwitchTier::Spine, indicesOf(upper.parents, cores), name});
        for (const auto& [name, index] : cores)
            network.uppers.push_back({cluster::SwitchTier::Core, {}, name});
        for (const auto& [name, leaf] : m_leaves)
            network.leaves.push_back({leaf.nodes, indicesOf(leaf.parents, spines), leaf.uplinks, name, leaf.line});
        std::ranges::sort(network.leaves, {}, &DescribedNetwork::Leaf::line);
        if (auto fault = m_leafStated == true ? draw(network, imported) : listNodes(network, imported))
            return tl::unexpected(std::move(*fault));
        if (auto fault = faultOfPorts(imported.cluster))
            return tl::unexpected(std::move(*fault));
        return imported;
    }

    /// Nodes that only a network joins to others have ports of it.
    [[nodiscard]] std::optional<Fault> faultOfPorts(const cluster::Cluster& cluster) const
    {
        const auto without = std::ranges::find(m_kinds, 0, &cluster::NodeGroup::nicsPerNode);
        if (without == m_kinds.end() || acceleratorCount(cluster) <= smallestIsland(cluster))
            return std::nullopt;
        return Fault{m_kindLines[std::size_t(without - m_kinds.begin())], 0, "nodes without network ports",
            "nics of 1 or more, as no other link joins all accelerators"};
    }

    const Options& m_options;
    const catalog::Catalog& m_catalog;
    char m_separator = ',';
    const CsvRow* m_row = nullptr; ///< that is read
    std::vector<std::string> m_columns;
    std::unordered_set<std::string> m_names;
    int m_nodes = 0;
    std::vector<cluster::NodeGroup> m_kinds;
    std::vector<int> m_kindLines; ///< of the first row of each
    std::vector<Filled> m_filled;
    std::vector<Remark> m_remarks;
    long long m_accelerators = 0;
    std::unordered_map<std::string, std::pair<std::string, int>> m_tiers; ///< and first lines, by name of a switch
    std::optional<bool> m_leafStated;
    std::map<std::string, NamedSwitch> m_leaves, m_spines;
};

/// Whether headings are rather those of a table of runs: as many or more are known there, or one is measured and none
/// is of nodes alone, which may have a "memory_gb" too.
bool isOfRuns(const std::vector<std::string>& headings)
{
    std::ptrdiff_t nodes = 0, runs = 0, both = 0;
    for (const std::string& heading : headings) {
        const bool ofNodes = std::ranges::find(tableColumns(), heading, &TableColumn::name) != tableColumns().end();
        const bool ofRuns = isRunHeading(heading);
        nodes += ofNodes;
        runs += ofRuns;
        both += ofNodes && ofRuns;
    }
    return (nodes == both && std::ranges::any_of(headings, isMeasuredHeading)) || (runs > both && runs >= nodes);
}

} // namespace

const std::vector<TableColumn>& tableColumns()
{
    static const std::vector<TableColumn> columns{
        {"name", "node, or several that are alike as Slurm lists them: gpu[001-016]"},
        {"count", "nodes that the row stands for, where one name does"},
        {"node", "id of a node of the catalogue (stratoplan-cli catalog nodes), which has all that is left empty"},
        {"accelerator", "id of an accelerator (stratoplan-cli catalog accelerators)"},
        {"accelerators", "accelerators of each node"},
        {"scale_up", "id of the link between them (stratoplan-cli catalog links)"},
        {"domain", "accelerators that reach one another over it"},
        {"nic", "id of the link of a network port"},
        {"nics", "network ports of each node"},
        {"rack", "name of the rack that it stands in, which the canvas draws"},
        {"leaf", "switch that all ports of the node lead to"},
        {"spine", "switch above it, or several: spine1;spine2"},
        {"core", "switch above those"},
        {"uplinks", "cables from the leaf to what is above it; empty: as many as lead down"},
    };
    return columns;
}

bool looksLikeNodeTable(std::string_view text)
{
    constexpr int kFirstLines = 50;
    constexpr std::array<std::string_view, 6> kTelling{"node", "accelerator", "accelerators", "nics", "leaf", "nic"};
    for (const TextLine& line : linesOf(text, kFirstLines)) {
        if (line.text.front() == '#')
            continue;
        std::vector<std::string> cells = csvCells(line.text, separatorOf(line.text));
        for (std::string& cell : cells)
            cell = inSmallLetters(cell);
        const auto has = [&](std::string_view column) { return std::ranges::find(cells, column) != cells.end(); };
        const auto known = std::ranges::count_if(cells, [](const std::string& cell) {
            return std::ranges::find(tableColumns(), cell, &TableColumn::name) != tableColumns().end();
        });
        return has("name") && std::ranges::any_of(kTelling, has) && 2 * known > std::ssize(cells) && !isOfRuns(cells);
    }
    return false;
}

tl::expected<ImportedCluster, Fault> readNodeTable(
    std::string_view text, const Options& options, const catalog::Catalog& catalog)
{
    return TableReader(options, catalog).read(text);
}

} // namespace stratoplan::wiring
