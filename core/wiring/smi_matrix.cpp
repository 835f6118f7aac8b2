// SPDX-License-Identifier: Apache-2.0
// The matrix that `nvidia-smi topo -m` prints: a row and a column for each GPU and network port, and in each cell what
// joins the two. After the cells stand affinities, after the rows a legend, with the names of the ports.
#include "core/catalog/quote.h"
#include "core/units/reading.h"
#include "core/units/text.h"
#include "core/wiring/hostlist.h"
#include "core/wiring/meshes.h"
#include "core/wiring/text_lines.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

namespace stratoplan::wiring {
namespace {

constexpr int kMostGpusOfMatrix = 64;
constexpr int kMostLabels = 320;
constexpr int kMostLinksOfPair = 99;
constexpr std::string_view kCellWords =
    "what joins the two: X for the device itself, NV1, NV2, … for NVLinks, or PIX, PXB, PHB, NODE or SYS";
constexpr std::string_view kEveryRow = "a row for each column of the first line";

bool isGpu(std::string_view label)
{
    return label.starts_with("GPU") && wholeNumber(label.substr(3), std::numeric_limits<int>::max()).has_value();
}

/// Headings of the columns after the matrix: "CPU Affinity", "NUMA Affinity", "GPU NUMA ID".
bool isAffinity(std::string_view word)
{
    return word == "CPU" || word == "NUMA" || word == "GPU";
}

/// Of PCIe, nearest first; the last is what older drivers call it.
constexpr std::array<std::string_view, 6> kPaths{"PIX", "PXB", "PHB", "NODE", "SYS", "SOC"};

struct Cell {
    bool self = false;
    int links = 0; ///< 0 = over PCIe
    std::size_t path = 0;
    bool known = true; ///< not where the driver says N/A
    bool operator==(const Cell&) const = default;
};

constexpr Cell kUnknown{.path = 4, .known = false}; ///< over SYS, unless the cell of the other way says more

std::optional<Cell> cellOf(std::string_view word)
{
    if (word == "X")
        return Cell{.self = true};
    const auto path = std::ranges::find(kPaths, word);
    if (path != kPaths.end())
        return Cell{.path = std::min<std::size_t>(std::size_t(path - kPaths.begin()), 4)};
    const auto links = word.starts_with("NV") ? wholeNumber(word.substr(2), kMostLinksOfPair) : std::nullopt;
    return links && *links > 0 ? std::optional(Cell{.links = *links}) : std::nullopt;
}

/// Whether a line names the columns: no row, which has its own X.
bool isHeading(const std::vector<TextWord>& words)
{
    return !words.empty() && isGpu(words.front().text) && (words.size() == 1 || !cellOf(words[1].text));
}

struct Row {
    int line = 0; ///< 0 = not there
    std::vector<Cell> cells;
    std::vector<int> columns; ///< of the text
};

class MatrixReader {
public:
    explicit MatrixReader(std::string_view text)
        : m_lines(linesOf(text))
    {
    }

    [[nodiscard]] tl::expected<DescribedNodes, Fault> read()
    {
        if (auto fault = readHeading())
            return tl::unexpected(std::move(*fault));
        for (; m_next < m_lines.size(); ++m_next) {
            const std::vector<TextWord> words = wordsOf(m_lines[m_next].text);
            if (words.empty())
                continue;
            const auto label = std::ranges::find(m_labels, words.front().text);
            if (label == m_labels.end() && (hasAllRows() || !looksLikeRow(words)))
                break;
            if (auto fault = takeRow(words, label))
                return tl::unexpected(std::move(*fault));
        }
        if (auto fault = missingRow())
            return tl::unexpected(std::move(*fault));
        takeOtherWay();
        if (auto fault = faultOfPairs())
            return tl::unexpected(std::move(*fault));
        readLegend();
        return described();
    }

private:
    [[nodiscard]] Fault faultAt(int column, std::string found, std::string_view expected) const
    {
        return {m_lines[m_next].number, column, std::move(found), std::string(expected)};
    }

    std::optional<Fault> readHeading()
    {
        while (m_next < m_lines.size() && !isHeading(wordsOf(m_lines[m_next].text))) {
            const std::vector<TextWord> words = wordsOf(m_lines[m_next].text);
            if (words.size() > 1 && isGpu(words[0].text) && cellOf(words[1].text))
                break;
            if (!words.empty())
                m_passed.push_back("line " + std::to_string(m_lines[m_next].number));
            ++m_next;
        }
        if (m_next == m_lines.size() || !isHeading(wordsOf(m_lines[m_next].text)))
            return Fault{m_next < m_lines.size() ? m_lines[m_next].number : 0, 0, "no line that names the columns",
                "GPU0, GPU1, … above the matrix"};
        for (const TextWord& word : wordsOf(m_lines[m_next].text)) {
            if (isAffinity(word.text))
                break;
            if (word.text.size() > kMostCharacters)
                return faultAt(word.column, reading::moreThan(kMostCharacters, "characters"), "a short name");
            if (std::ranges::find(m_labels, word.text) != m_labels.end())
                return faultAt(word.column, catalog::quoteText(word.text) + " twice", "every column once");
            if (std::ssize(m_labels) == kMostLabels)
                return faultAt(word.column, reading::moreThan(kMostLabels, "columns"), reading::atMost(kMostLabels));
            m_labels.emplace_back(word.text);
            m_gpus += isGpu(word.text);
            if (isGpu(word.text) && m_gpus < int(m_labels.size()))
                return faultAt(word.column, catalog::quoteText(word.text), "the GPUs before the network ports");
            if (m_gpus > kMostGpusOfMatrix)
                return faultAt(
                    word.column, reading::moreThan(kMostGpusOfMatrix, "GPUs"), reading::atMost(kMostGpusOfMatrix));
        }
        m_rows.resize(m_labels.size());
        m_headingLine = m_lines[m_next++].number;
        return std::nullopt;
    }

    [[nodiscard]] bool hasAllRows() const
    {
        return std::ranges::all_of(m_rows, [](const Row& row) { return row.line > 0; });
    }

    /// Of a device that no column has.
    [[nodiscard]] static bool looksLikeRow(const std::vector<TextWord>& words)
    {
        return words.size() > 1 && (cellOf(words[1].text).has_value() || isGpu(words[0].text));
    }

    std::optional<Fault> takeRow(const std::vector<TextWord>& words, std::vector<std::string>::const_iterator label)
    {
        const TextWord& name = words.front();
        if (label == m_labels.end())
            return faultAt(name.column, catalog::quoteText(name.text), "a row of " + joinedLabels());
        const auto index = std::size_t(label - m_labels.begin());
        Row& row = m_rows[index];
        if (row.line > 0)
            return faultAt(name.column, "a second row of " + shortened(*label), "every row once");
        row.line = m_lines[m_next].number;
        for (std::size_t i = 0; i < m_labels.size(); ++i) {
            if (i + 1 >= words.size())
                return faultAt(int(m_lines[m_next].text.size()) + 1, std::to_string(i) + " cells",
                    std::to_string(m_labels.size()) + ", one for each column: " + joinedLabels());
            const TextWord& word = words[i + 1];
            const std::optional<Cell> cell = word.text == "N/A" ? kUnknown : cellOf(word.text);
            if (!cell)
                return faultAt(word.column, catalog::quoteText(word.text), kCellWords);
            if (cell->self != (i == index))
                return faultAt(word.column, shortened(std::string(word.text)),
                    cell->self ? "X where row and column are the same device"
                               : "X: row and column are the same device");
            if (cell->links > 0 && std::max(i, index) >= std::size_t(m_gpus))
                return faultAt(word.column, shortened(std::string(word.text)), "NVLinks between GPUs alone");
            row.cells.push_back(*cell);
            row.columns.push_back(word.column);
        }
        const bool affinity = words.size() == m_labels.size() + 1 || !cellOf(words[m_labels.size() + 1].text);
        return affinity
            ? std::nullopt
            : std::optional(faultAt(words[m_labels.size() + 1].column, std::to_string(words.size() - 1) + " cells",
                std::to_string(m_labels.size()) + ", one for each column: " + joinedLabels()));
    }

    /// Rows of network ports may all be missing: those of the GPUs say the same.
    [[nodiscard]] std::optional<Fault> missingRow() const
    {
        const bool noPorts =
            std::all_of(m_rows.begin() + m_gpus, m_rows.end(), [](const Row& row) { return row.line == 0; });
        const std::size_t rows = noPorts ? std::size_t(m_gpus) : m_rows.size();
        for (std::size_t i = 0; i < rows; ++i)
            if (m_rows[i].line == 0)
                return Fault{m_headingLine, 0, "no row of " + shortened(m_labels[i]), std::string(kEveryRow)};
        return std::nullopt;
    }

    /// What a cell leaves open, as the one of the other way has it.
    void takeOtherWay()
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            for (std::size_t k = 0; k < m_rows[i].cells.size(); ++k) {
                Cell& cell = m_rows[i].cells[k];
                if (cell.known)
                    continue;
                if (m_rows[k].line > 0)
                    cell = m_rows[k].cells[i];
                if (!cell.known && (k > i || m_rows[k].line == 0))
                    m_passed.push_back("N/A of " + shortened(m_labels[i]) + " and " + shortened(m_labels[k]));
            }
    }

    /// Both ways between two devices the same.
    [[nodiscard]] std::optional<Fault> faultOfPairs() const
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            for (std::size_t k = 0; k < i; ++k) {
                const Row &row = m_rows[i], &other = m_rows[k];
                if (row.line == 0 || other.line == 0 || row.cells[k] == other.cells[i])
                    continue;
                return Fault{row.line, row.columns[k],
                    nameOf(row.cells[k]) + " from " + shortened(m_labels[i]) + " to " + shortened(m_labels[k]),
                    nameOf(other.cells[i]) + ", as on line " + std::to_string(other.line) + " the other way"};
            }
        return std::nullopt;
    }

    [[nodiscard]] static std::string nameOf(const Cell& cell)
    {
        return cell.links > 0 ? "NV" + std::to_string(cell.links) : std::string(kPaths[cell.path]);
    }

    [[nodiscard]] std::string joinedLabels() const
    {
        constexpr std::size_t kFew = 24;
        std::string few;
        for (std::size_t i = 0; i < std::min(m_labels.size(), kFew); ++i)
            few += (few.empty() ? "" : ", ") + shortened(m_labels[i]);
        return few + (m_labels.size() > kFew ? ", …" : "");
    }

    /// "NIC0: mlx5_0".
    void readLegend()
    {
        for (; m_next < m_lines.size(); ++m_next) {
            const std::vector<TextWord> words = wordsOf(m_lines[m_next].text);
            if (words.size() < 2 || !words[0].text.ends_with(':'))
                continue;
            const auto label = std::ranges::find(m_labels, words[0].text.substr(0, words[0].text.size() - 1));
            if (label - m_labels.begin() >= m_gpus && label != m_labels.end())
                m_names[*label] = shortened(std::string(words[1].text));
        }
    }

    [[nodiscard]] std::string portName(std::size_t index) const
    {
        const auto name = m_names.find(m_labels[index]);
        return name == m_names.end() ? shortened(m_labels[index]) : name->second;
    }

    [[nodiscard]] std::string nearestPorts() const
    {
        constexpr int kFew = 16;
        std::string list;
        for (int gpu = 0; gpu < m_gpus; ++gpu) {
            const std::vector<Cell>& cells = m_rows[std::size_t(gpu)].cells;
            std::size_t nearest = kPaths.size();
            for (std::size_t i = std::size_t(m_gpus); i < cells.size(); ++i)
                nearest = std::min(nearest, cells[i].path);
            std::string names;
            int count = 0;
            for (std::size_t i = std::size_t(m_gpus); i < cells.size(); ++i)
                if (cells[i].path == nearest && ++count <= kFew)
                    names += (names.empty() ? "" : ", ") + portName(i);
            names += count > kFew ? ", …" : "";
            list += (list.empty() ? "" : "; ") + shortened(m_labels[std::size_t(gpu)]) + ": " + names + " ("
                + std::string(kPaths[nearest]) + ')';
        }
        return list;
    }

    [[nodiscard]] DescribedNodes described() const
    {
        const auto gpus = std::size_t(m_gpus);
        LinkMatrix links(gpus, std::vector<int>(gpus));
        for (std::size_t i = 0; i < links.size(); ++i)
            for (std::size_t k = 0; k < links.size(); ++k)
                links[i][k] = m_rows[i].cells[k].links;
        DescribedNodes described;
        DescribedNode node{.accelerators = m_gpus};
        for (const std::vector<int>& members : joinedSets(links))
            node.domains.push_back(domainOf(links, members, isSwitched(links, members)));
        for (std::size_t i = std::size_t(m_gpus); i < m_labels.size(); ++i)
            node.ports.push_back({portName(i)});
        if (!node.ports.empty())
            described.remarks.emplace_back(NearestPorts{nearestPorts()});
        if (!m_passed.empty())
            described.remarks.emplace_back(PassedOver{m_passed});
        described.kinds.push_back(std::move(node));
        return described;
    }

    /// The matrix does not say whether NV6 of each of several pairs are links of their own or the same six to a switch.
    /// They are taken as links of their own where an accelerator has so many.
    [[nodiscard]] static bool isSwitched(const LinkMatrix& links, const std::vector<int>& members)
    {
        constexpr int kMostOfAccelerator = 18;
        return members.size() > 2 && std::ranges::any_of(members, [&](int member) {
            const std::vector<int>& row = links[std::size_t(member)];
            return std::accumulate(row.begin(), row.end(), 0) > kMostOfAccelerator;
        });
    }

    std::vector<TextLine> m_lines;
    std::size_t m_next = 0;
    int m_headingLine = 0;
    std::vector<std::string> m_labels; ///< GPUs before the others
    int m_gpus = 0;
    std::vector<Row> m_rows; ///< by label
    std::map<std::string, std::string> m_names; ///< of ports, by label
    std::vector<std::string> m_passed;
};

} // namespace

bool looksLikeSmiMatrix(std::string_view text)
{
    constexpr int kFirstLines = 200;
    return std::ranges::any_of(linesOf(text, kFirstLines), [](const TextLine& line) {
        const std::vector<TextWord> words = wordsOf(line.text);
        if (words.size() < 2 || !isGpu(words[0].text))
            return false;
        return isGpu(words[1].text) || isAffinity(words[1].text) || words[1].text.starts_with("NIC")
            || words[1].text.starts_with("mlx") || cellOf(words[1].text).has_value();
    });
}

tl::expected<DescribedNodes, Fault> readSmiMatrix(std::string_view text)
{
    return MatrixReader(text).read();
}

} // namespace stratoplan::wiring
