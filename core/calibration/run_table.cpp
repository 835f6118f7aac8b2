// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/run_table.h"

#include "core/calibration/own_runs.h"
#include "core/calibration/run_columns.h"
#include "core/calibration/run_text.h"
#include "core/cluster/cluster_edits.h"
#include "core/units/csv.h"
#include "core/units/trimmed.h"

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
tl::expected<std::vector<HeadedColumn>, RunFault> headingOf(const Line& line, const std::vector<std::string>& names)
{
    std::vector<HeadedColumn> columns;
    const auto fail = [&](RunFaultCode code, std::string_view column, std::string_view text = {}) {
        return tl::unexpected(RunFault{
            .code = code, .place = place(line.number, column), .text = std::string(text), .wanted = runColumnNames()});
    };
    for (const std::string& name : names) {
        const HeadedColumn headed = columnOf(name).value_or(HeadedColumn());
        if (headed.scale == 0)
            return fail(
                headed.column->unit == ColumnUnit::Seconds ? RunFaultCode::UnitOfTime : RunFaultCode::UnitOfMemory,
                headed.column->name, name);
        if (headed.column && std::any_of(columns.begin(), columns.end(), [&](const HeadedColumn& other) {
                return other.column == headed.column;
            }))
            return fail(RunFaultCode::ColumnTwice, headed.column->name);
        columns.push_back(headed);
    }
    const auto isMeasured = [](const HeadedColumn& heading) {
        return heading.column && heading.column->unit != ColumnUnit::None;
    };
    if (std::none_of(columns.begin(), columns.end(), isMeasured))
        return fail(RunFaultCode::NoMeasuredColumn, {}, trimmed(line.text));
    const auto memories = std::count_if(columns.begin(), columns.end(),
        [](const HeadedColumn& heading) { return heading.column && heading.column->unit == ColumnUnit::Gib; });
    if (memories > 1)
        return fail(RunFaultCode::TwoPeaks, {});
    return columns;
}

std::vector<std::string> unknownColumns(const std::vector<std::string>& names, const std::vector<HeadedColumn>& columns)
{
    std::vector<std::string> unknown;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!columns[i].column)
            unknown.push_back(names[i]);
    return unknown;
}

/// Without a column for it, data parallelism takes what the other degrees leave of the accelerators. What is wrong with
/// them, or nothing.
std::optional<RunFault> settleDataParallel(RunDraft& draft, const plan::Plan& base)
{
    parallel::Strategy& s = draft.run.plan.strategy;
    const std::int64_t group = std::int64_t{s.tp} * s.pp * s.cp;
    if (draft.accelerators > 0) {
        const int perNode = std::max(1, draft.run.plan.cluster.nodes.front().acceleratorsPerNode);
        setNodeCount(draft.run.plan.cluster, 0, static_cast<int>(std::ceil(draft.accelerators / perNode)));
    }
    if (!draft.dataParallelGiven) {
        const parallel::Strategy& b = base.strategy;
        const bool resized = draft.run.plan.cluster != base.cluster;
        const std::int64_t ranks = draft.accelerators > 0 ? std::int64_t(draft.accelerators)
            : resized                                     ? acceleratorCount(draft.run.plan.cluster)
                                                          : std::int64_t{b.tp} * b.pp * b.cp * b.dp;
        if (group > ranks || ranks % group != 0)
            return RunFault{.code = RunFaultCode::DegreesNotDividing, .found = group, .limit = ranks};
        s.dp = static_cast<int>(ranks / group);
        draft.run.filled.push_back("dp=" + std::to_string(s.dp));
    }
    if (group > kMaxRanks || group * s.dp > kMaxRanks)
        return RunFault{.code = RunFaultCode::TooManyRanks, .limit = kMaxRanks};
    if (draft.accelerators > 0 && double(group * s.dp) != draft.accelerators)
        return RunFault{
            .code = RunFaultCode::OtherAccelerators, .found = group * s.dp, .limit = std::int64_t(draft.accelerators)};
    return std::nullopt;
}

/// What the row left to the base plan.
void listFilled(const std::vector<HeadedColumn>& columns, const std::vector<std::string>& cells, const plan::Plan& base,
    MeasuredRun& run)
{
    for (const RunColumn& column : runColumns()) {
        const auto headed = std::find_if(
            columns.begin(), columns.end(), [&](const HeadedColumn& heading) { return heading.column == &column; });
        const bool given = headed != columns.end() && !cells[std::size_t(headed - columns.begin())].empty();
        if (!given && column.get)
            run.filled.push_back(std::string(column.name) + "=" + column.get(base));
    }
    run.filled.push_back("model=" + base.model.name);
    run.filled.push_back("precision=" + std::string(key(base.training.precision)));
}

/// A line as a run; or why not.
tl::expected<MeasuredRun, WhyFaulty> readRun(const Line& line, const std::vector<std::string>& cells,
    const std::vector<HeadedColumn>& columns, const plan::Plan& base)
{
    if (cells.size() != columns.size()) {
        const bool comma = cells.size() > columns.size() && line.text.find(',') != std::string_view::npos;
        return tl::unexpected(RunFault{.code = comma ? RunFaultCode::CellCountByCommas : RunFaultCode::CellCount,
            .place = place(line.number),
            .found = std::ssize(cells),
            .limit = std::ssize(columns)});
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
            return tl::unexpected(RunFault{.code = RunFaultCode::Cell,
                .place = place(line.number, column.name),
                .text = cells[i],
                .expected = *expected});
        if (column.unit == ColumnUnit::None && column.name != "id")
            draft.run.stated.push_back(std::string(column.name) + "=" + cells[i]);
    }
    if (!draft.run.stepSeconds && !draft.run.peakGib)
        return tl::unexpected(RunFault{.code = RunFaultCode::NothingMeasured, .place = place(line.number)});
    if (auto fault = settleDataParallel(draft, base)) {
        fault->place = place(line.number);
        return tl::unexpected(std::move(*fault));
    }
    listFilled(columns, cells, base, draft.run);
    if (auto problem = whyNotEstimable(draft.run.plan))
        return tl::unexpected(NotEstimable{place(line.number), std::move(*problem)});
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

tl::expected<RunTable, RunFault> readRunTable(std::string_view csv, const plan::Plan& base)
{
    std::vector<Line> lines = linesOf(csv);
    std::erase_if(
        lines, [](const Line& line) { return trimmed(line.text).empty() || trimmed(line.text).starts_with('#'); });
    if (lines.empty())
        return tl::unexpected(RunFault{.code = RunFaultCode::NoHeading});
    const Separator separator = separatorOf(lines.front().text);
    const std::vector<std::string> names = cellsOf(lines.front().text, separator);
    const auto columns = headingOf(lines.front(), names);
    if (!columns)
        return tl::unexpected(columns.error());
    RunTable table;
    table.unknownColumns = unknownColumns(names, *columns);
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
