// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/run_table.h"

#include "core/calibration/own_runs.h"
#include "core/calibration/run_columns.h"
#include "core/calibration/run_text.h"
#include "core/catalog/quote.h"
#include "core/units/csv.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration {

using namespace detail;
using namespace text;

namespace {

constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24; ///< keeps products of degrees exact

/// How the cells of a table are told apart.
enum class Separator { Tab, Semicolon, Bar, Comma, Blanks };

std::vector<std::string> words(std::string_view line)
{
    std::vector<std::string> cells;
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        cells.emplace_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return cells;
}

std::vector<std::string> cellsOf(std::string_view line, Separator separator)
{
    switch (separator) {
    case Separator::Tab:
        return csvCells(line, '\t');
    case Separator::Semicolon:
        return csvCells(line, ';');
    case Separator::Comma:
        return csvCells(line, ',');
    case Separator::Blanks:
        return words(line);
    case Separator::Bar:
        break;
    }
    line = trimmed(line); // as in Markdown, bars may stand at both ends
    if (line.starts_with('|'))
        line.remove_prefix(1);
    if (line.ends_with('|'))
        line.remove_suffix(1);
    return csvCells(line, '|');
}

/// A tab, else ";", else "|", else ",", else blanks, where each word is a column.
Separator separatorOf(std::string_view heading)
{
    for (const auto& [sign, separator] : {std::pair('\t', Separator::Tab), std::pair(';', Separator::Semicolon),
             std::pair('|', Separator::Bar), std::pair(',', Separator::Comma)})
        if (heading.find(sign) != std::string_view::npos)
            return separator;
    const std::vector<std::string> each = words(heading);
    const bool known =
        std::all_of(each.begin(), each.end(), [](const std::string& word) { return columnOf(word).has_value(); });
    return known ? Separator::Blanks : Separator::Comma;
}

/// The line under the heading of a Markdown table.
bool isRule(std::string_view line)
{
    return line.find('-') != std::string_view::npos && line.find_first_not_of("|-: \t") == std::string_view::npos;
}

std::string place(int line, std::string_view column = {})
{
    return "line " + std::to_string(line) + (column.empty() ? "" : ", column " + std::string(column));
}

/// The columns a heading names, those nobody knows without one; or what is wrong with it.
tl::expected<std::vector<HeadedColumn>, exchange::DocumentError> headingOf(
    const Line& line, const std::vector<std::string>& names)
{
    std::vector<HeadedColumn> columns;
    const auto fail = [&](std::string_view name, std::string found, std::string expected) {
        return tl::unexpected(exchange::DocumentError{exchange::DocumentError::Code::Schema, {},
            place(line.number, name), std::move(found), std::move(expected)});
    };
    for (const std::string& name : names) {
        const HeadedColumn headed = columnOf(name).value_or(HeadedColumn());
        if (headed.scale == 0)
            return fail(headed.column->name, catalog::quoteText(name),
                headed.column->unit == ColumnUnit::Seconds ? "a unit s, ms, us or min"
                                                           : "a unit GiB, MiB, GB, MB or bytes");
        if (headed.column && std::any_of(columns.begin(), columns.end(), [&](const HeadedColumn& one) {
                return one.column == headed.column;
            }))
            return fail(headed.column->name, "the column twice", "it once");
        columns.push_back(headed);
    }
    const auto isMeasured = [](const HeadedColumn& one) { return one.column && one.column->unit != ColumnUnit::None; };
    if (std::none_of(columns.begin(), columns.end(), isMeasured))
        return fail({}, "a heading " + catalog::quoteText(trimmed(line.text)),
            "one with a column step_s or peak_gib, and others of " + runColumnNames());
    const auto memories = std::count_if(columns.begin(), columns.end(),
        [](const HeadedColumn& one) { return one.column && one.column->unit == ColumnUnit::Gib; });
    if (memories > 1)
        return fail(
            {}, "peak_gib and allocator_gib", "one of them: what the device holds, or what the allocator reports");
    return columns;
}

/// What is told of columns that nobody knows.
void remarkUnknown(const std::vector<std::string>& names, const std::vector<HeadedColumn>& columns, RunTable& table)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!columns[i].column)
            table.remarks.push_back("the column " + catalog::quoteText(names[i]) + " is not known and is passed over");
}

/// Without a column for it, data parallelism takes what the other degrees leave of the accelerators.
std::string settleDataParallel(RunDraft& draft, const plan::Plan& base)
{
    parallel::Strategy& s = draft.run.plan.strategy;
    const std::int64_t group = std::int64_t{s.tp} * s.pp * s.cp;
    if (draft.accelerators > 0) {
        cluster::NodeGroup& nodes = draft.run.plan.cluster.nodes.front();
        nodes.count = static_cast<int>(std::ceil(draft.accelerators / std::max(1, nodes.acceleratorsPerNode)));
    }
    if (!draft.dataParallelGiven) {
        const parallel::Strategy& b = base.strategy;
        const bool resized = draft.run.plan.cluster != base.cluster;
        const std::int64_t ranks = draft.accelerators > 0 ? std::int64_t(draft.accelerators)
            : resized                                     ? acceleratorCount(draft.run.plan.cluster)
                                                          : std::int64_t{b.tp} * b.pp * b.cp * b.dp;
        if (group > ranks || ranks % group != 0)
            return "found tp x pp x cp = " + std::to_string(group) + ", expected a divisor of " + std::to_string(ranks)
                + " accelerators, or a column dp";
        s.dp = static_cast<int>(ranks / group);
        draft.run.filled.push_back("dp=" + std::to_string(s.dp));
    }
    if (group > kMaxRanks || group * s.dp > kMaxRanks)
        return "found more than " + std::to_string(kMaxRanks) + " ranks, expected fewer";
    if (draft.accelerators > 0 && double(group * s.dp) != draft.accelerators)
        return "found tp x pp x cp x dp = " + std::to_string(group * s.dp) + ", expected the "
            + std::to_string(std::int64_t(draft.accelerators)) + " accelerators that the row names";
    return {};
}

/// What the row left to the base plan.
void listFilled(const std::vector<HeadedColumn>& columns, const std::vector<std::string>& cells, const plan::Plan& base,
    MeasuredRun& run)
{
    for (const RunColumn& column : runColumns()) {
        const auto headed = std::find_if(
            columns.begin(), columns.end(), [&](const HeadedColumn& one) { return one.column == &column; });
        const bool given = headed != columns.end() && !cells[std::size_t(headed - columns.begin())].empty();
        if (!given && column.get)
            run.filled.push_back(std::string(column.name) + "=" + column.get(base));
    }
    run.filled.push_back("model=" + base.model.name);
    run.filled.push_back("precision=" + std::string(key(base.training.precision)));
}

/// A line as a run; or why not.
tl::expected<MeasuredRun, std::string> readRun(const Line& line, const std::vector<std::string>& cells,
    const std::vector<HeadedColumn>& columns, const plan::Plan& base)
{
    if (cells.size() != columns.size()) {
        const bool comma = cells.size() > columns.size() && line.text.find(',') != std::string_view::npos;
        return tl::unexpected(place(line.number) + ": found " + std::to_string(cells.size()) + " cells, expected "
            + std::to_string(columns.size())
            + (comma ? " (in a table parted by commas numbers take a decimal point)" : ""));
    }
    RunDraft draft;
    draft.run.plan = base;
    draft.run.id = draft.run.place = place(line.number);
    draft.run.order = line.number;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].empty() || !columns[i].column)
            continue;
        const RunColumn& column = *columns[i].column;
        if (const Expectation expected = column.set(draft, cells[i], columns[i].scale))
            return tl::unexpected(place(line.number, column.name) + ": found " + catalog::quoteText(cells[i])
                + ", expected " + *expected);
        if (column.unit == ColumnUnit::None && column.name != "id")
            draft.run.stated.push_back(std::string(column.name) + "=" + cells[i]);
    }
    const auto fail = [&](const std::string& reason) { return tl::unexpected(place(line.number) + ": " + reason); };
    if (!draft.run.stepSeconds && !draft.run.peakGib)
        return fail("found nothing measured, expected step_s or peak_gib");
    if (const std::string fault = settleDataParallel(draft, base); !fault.empty())
        return fail(fault);
    listFilled(columns, cells, base, draft.run);
    if (const std::string fault = whyNotEstimable(draft.run.plan); !fault.empty())
        return fail(fault);
    return std::move(draft.run);
}

} // namespace

std::string namedPlan(std::string_view csv)
{
    constexpr std::string_view kKey = "plan:";
    for (const Line& line : linesOf(csv)) {
        const std::string_view text = trimmed(line.text);
        if (!text.starts_with('#'))
            continue;
        const std::string_view remark = trimmed(text.substr(1));
        if (remark.starts_with(kKey))
            return std::string(trimmed(remark.substr(kKey.size())));
    }
    return {};
}

tl::expected<RunTable, exchange::DocumentError> readRunTable(
    std::string_view csv, const plan::Plan& base, std::string_view file)
{
    std::vector<Line> lines = linesOf(csv);
    std::erase_if(
        lines, [](const Line& line) { return trimmed(line.text).empty() || trimmed(line.text).starts_with('#'); });
    if (lines.empty())
        return tl::unexpected(exchange::DocumentError{
            exchange::DocumentError::Code::Schema, std::string(file), {}, "no heading", "a table of measured runs"});
    const Separator separator = separatorOf(lines.front().text);
    const std::vector<std::string> names = cellsOf(lines.front().text, separator);
    auto columns = headingOf(lines.front(), names);
    if (!columns) {
        columns.error().file = file;
        return tl::unexpected(columns.error());
    }
    RunTable table;
    remarkUnknown(names, *columns, table);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (i == 1 && isRule(lines[i].text))
            continue;
        auto run = readRun(lines[i], cellsOf(lines[i].text, separator), *columns, base);
        if (run)
            table.runs.push_back(std::move(*run));
        else
            table.faulty.push_back({"line " + std::to_string(lines[i].number), run.error(), lines[i].number});
    }
    return table;
}

} // namespace stratoplan::calibration
