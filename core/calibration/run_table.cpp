// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/run_table.h"

#include "core/catalog/quote.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stratoplan {

namespace {

constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24; ///< keeps products of degrees exact

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Whole cell as a number; nothing for anything else.
std::optional<double> number(std::string_view cell)
{
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// What a run changes. Each setter returns what would be right, or nothing if the cell is right.
struct Draft {
    MeasuredRun run;
    bool dataParallelGiven = false;
};
using Expectation = std::optional<std::string>;

template <int Strategy::*Degree, int Low = 1, int High = 1000000>
Expectation setDegree(Draft& draft, std::string_view cell)
{
    const auto value = number(cell);
    if (!value || *value != std::floor(*value) || *value < Low || *value > High)
        return "a whole number from " + std::to_string(Low) + " to " + std::to_string(High);
    draft.run.plan.strategy.*Degree = static_cast<int>(*value);
    return std::nullopt;
}

Expectation setDataParallel(Draft& draft, std::string_view cell)
{
    draft.dataParallelGiven = true;
    return setDegree<&Strategy::dp>(draft, cell);
}

template <int Training::*Count>
Expectation setCount(Draft& draft, std::string_view cell)
{
    const auto value = number(cell);
    if (!value || *value != std::floor(*value) || *value < 1 || *value > 1e8)
        return "a whole number from 1 to 100000000";
    draft.run.plan.training.*Count = static_cast<int>(*value);
    return std::nullopt;
}

template <std::optional<double> MeasuredRun::*Amount>
Expectation setAmount(Draft& draft, std::string_view cell)
{
    const auto value = number(cell);
    if (!value || *value < 1e-9 || *value > 1e9)
        return "a number from 1e-9 to 1e9";
    draft.run.*Amount = *value;
    return std::nullopt;
}

Expectation setNodes(Draft& draft, std::string_view cell)
{
    const auto value = number(cell);
    if (!value || *value != std::floor(*value) || *value < 1 || *value > 1e6 || draft.run.plan.cluster.nodes.empty())
        return "a whole number from 1 to 1000000";
    draft.run.plan.cluster.nodes.front().count = static_cast<int>(*value);
    return std::nullopt;
}

Expectation setSequenceParallel(Draft& draft, std::string_view cell)
{
    for (const auto& [word, value] : {std::pair("true", true), std::pair("1", true), std::pair("false", false), std::pair("0", false)})
        if (cell == word) {
            draft.run.plan.strategy.sequenceParallel = value;
            return std::nullopt;
        }
    return "true or false";
}

Expectation setRecompute(Draft& draft, std::string_view cell)
{
    const auto value = recomputeFromKey(cell);
    if (!value)
        return "none, selective or full";
    draft.run.plan.strategy.recompute = *value;
    return std::nullopt;
}

Expectation setSchedule(Draft& draft, std::string_view cell)
{
    const auto value = scheduleFromKey(cell);
    if (!value)
        return "a schedule such as gpipe, 1f1b or interleaved";
    draft.run.plan.strategy.schedule = *value;
    return std::nullopt;
}

Expectation setId(Draft& draft, std::string_view cell)
{
    draft.run.id = cell;
    return std::nullopt;
}

struct Column {
    std::string_view name;
    Expectation (*set)(Draft&, std::string_view);
};

constexpr Column kColumns[] = {
    {"id", setId},
    {"tp", setDegree<&Strategy::tp>},
    {"pp", setDegree<&Strategy::pp>},
    {"dp", setDataParallel},
    {"cp", setDegree<&Strategy::cp>},
    {"ep", setDegree<&Strategy::ep>},
    {"etp", setDegree<&Strategy::etp>},
    {"vpp", setDegree<&Strategy::vpp>},
    {"micro_batch", setDegree<&Strategy::microBatch, 1, 100000000>},
    {"zero_stage", setDegree<&Strategy::zeroStage, 0, 3>},
    {"sequence_parallel", setSequenceParallel},
    {"recompute", setRecompute},
    {"schedule", setSchedule},
    {"global_batch", setCount<&Training::globalBatch>},
    {"sequence_length", setCount<&Training::sequenceLength>},
    {"nodes", setNodes},
    {"step_s", setAmount<&MeasuredRun::stepSeconds>},
    {"peak_gib", setAmount<&MeasuredRun::peakGib>},
};

const Column* findColumn(std::string_view name)
{
    const auto found = std::find_if(std::begin(kColumns), std::end(kColumns), [&](const Column& column) { return column.name == name; });
    return found == std::end(kColumns) ? nullptr : found;
}

/// The cells of a line; quotes may enclose a cell, a doubled quote inside stands for one.
std::vector<std::string> cellsOf(std::string_view line, char separator)
{
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[i++];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == separator && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    for (std::string& cell : cells)
        cell = std::string(trimmed(cell));
    return cells;
}

struct Line {
    int number = 0;
    std::string_view text;
};

std::vector<Line> linesOf(std::string_view csv)
{
    if (csv.starts_with("\xEF\xBB\xBF"))
        csv.remove_prefix(3);
    std::vector<Line> lines;
    for (int number = 1; !csv.empty(); ++number) {
        const std::size_t end = std::min(csv.find('\n'), csv.size());
        if (const std::string_view text = trimmed(csv.substr(0, end)); !text.empty())
            lines.push_back({number, text});
        csv.remove_prefix(std::min(end + 1, csv.size()));
    }
    return lines;
}

std::string place(int line, std::string_view column)
{
    return "line " + std::to_string(line) + (column.empty() ? "" : ", column " + std::string(column));
}

/// The columns a heading names, or what is wrong with it.
tl::expected<std::vector<const Column*>, DocumentError> headingOf(const Line& line, const std::vector<std::string>& names)
{
    std::vector<const Column*> columns;
    std::string known;
    for (const Column& column : kColumns)
        known += (known.empty() ? "" : ", ") + std::string(column.name);
    const auto fail = [&](std::string_view name, std::string found, std::string expected) {
        return tl::unexpected(
            DocumentError{DocumentError::Code::Schema, {}, place(line.number, name), std::move(found), std::move(expected)});
    };
    for (const std::string& name : names) {
        const Column* const column = findColumn(name);
        if (!column)
            return fail({}, quoteText(name), "a heading with columns of these: " + known);
        if (std::find(columns.begin(), columns.end(), column) != columns.end())
            return fail(name, "the column twice", "it once");
        columns.push_back(column);
    }
    const auto measures = [](const Column* column) { return column->name == "step_s" || column->name == "peak_gib"; };
    if (std::none_of(columns.begin(), columns.end(), measures))
        return fail({}, "no measured column", "a column step_s or peak_gib");
    return columns;
}

/// Without a column for it, data parallelism takes what the other degrees leave of the accelerators of the base plan.
std::string settleDataParallel(Draft& draft, const Plan& base)
{
    Strategy& s = draft.run.plan.strategy;
    const auto group = [](const Strategy& one) { return std::int64_t{one.tp} * one.pp * one.cp; };
    if (!draft.dataParallelGiven) {
        const bool resized = draft.run.plan.cluster != base.cluster;
        const std::int64_t ranks = resized ? acceleratorCount(draft.run.plan.cluster) : group(base.strategy) * base.strategy.dp;
        if (group(s) > ranks || ranks % group(s) != 0)
            return "found tp x pp x cp = " + std::to_string(group(s)) + ", expected a divisor of " + std::to_string(ranks)
                + " accelerators, or a column dp";
        s.dp = static_cast<int>(ranks / group(s));
    }
    if (group(s) > kMaxRanks || group(s) * s.dp > kMaxRanks)
        return "found more than " + std::to_string(kMaxRanks) + " ranks, expected fewer";
    return {};
}

/// A line as a run; or why not.
tl::expected<MeasuredRun, std::string> readRun(
    const Line& line, const std::vector<std::string>& cells, const std::vector<const Column*>& columns, const Plan& base)
{
    if (cells.size() != columns.size())
        return tl::unexpected(
            place(line.number, {}) + ": found " + std::to_string(cells.size()) + " cells, expected " + std::to_string(columns.size()));
    Draft draft;
    draft.run.plan = base;
    draft.run.id = "line " + std::to_string(line.number);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].empty())
            continue;
        if (const Expectation expected = columns[i]->set(draft, cells[i]))
            return tl::unexpected(place(line.number, columns[i]->name) + ": found " + quoteText(cells[i]) + ", expected " + *expected);
    }
    const auto fail = [&](const std::string& reason) { return tl::unexpected(place(line.number, {}) + ": " + reason); };
    if (!draft.run.stepSeconds && !draft.run.peakGib)
        return fail("found nothing measured, expected step_s or peak_gib");
    if (const std::string fault = settleDataParallel(draft, base); !fault.empty())
        return fail(fault);
    if (const auto answer = estimate(draft.run.plan, {.remedies = false}); !answer)
        return fail(answer.error().empty() ? std::string("cannot be estimated") : describe(answer.error().front()));
    return std::move(draft.run);
}

} // namespace

std::string namedPlan(std::string_view csv)
{
    constexpr std::string_view kKey = "plan:";
    for (const Line& line : linesOf(csv)) {
        if (!line.text.starts_with('#'))
            continue;
        const std::string_view remark = trimmed(line.text.substr(1));
        if (remark.starts_with(kKey))
            return std::string(trimmed(remark.substr(kKey.size())));
    }
    return {};
}

tl::expected<RunTable, DocumentError> readRunTable(std::string_view csv, const Plan& base, std::string_view file)
{
    std::vector<Line> lines = linesOf(csv);
    std::erase_if(lines, [](const Line& line) { return line.text.starts_with('#'); });
    if (lines.empty())
        return tl::unexpected(DocumentError{DocumentError::Code::Schema, std::string(file), {}, "no heading", "a table of measured runs"});
    const std::string_view first = lines.front().text;
    const char separator = first.find('\t') != std::string_view::npos ? '\t' : first.find(';') != std::string_view::npos ? ';' : ',';
    auto columns = headingOf(lines.front(), cellsOf(first, separator));
    if (!columns) {
        columns.error().file = file;
        return tl::unexpected(columns.error());
    }
    RunTable table;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        auto run = readRun(lines[i], cellsOf(lines[i].text, separator), *columns, base);
        if (run)
            table.runs.push_back(std::move(*run));
        else
            table.faulty.push_back({"line " + std::to_string(lines[i].number), run.error()});
    }
    return table;
}

} // namespace stratoplan
