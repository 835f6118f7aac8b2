// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/run_columns.h"

#include "core/calibration/run_text.h"
#include "core/cluster/cluster_edits.h"
#include "core/units/run_headings.h"
#include "core/units/trimmed.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace stratoplan::calibration::detail {

namespace {

using namespace text;

struct Unit {
    std::string_view name; ///< lower case
    ColumnUnit kind;
    double scale; ///< to seconds or GiB
};

constexpr std::array kUnits{
    Unit{"s", ColumnUnit::Seconds, 1},
    Unit{"sec", ColumnUnit::Seconds, 1},
    Unit{"second", ColumnUnit::Seconds, 1},
    Unit{"seconds", ColumnUnit::Seconds, 1},
    Unit{"ms", ColumnUnit::Seconds, 1e-3},
    Unit{"milliseconds", ColumnUnit::Seconds, 1e-3},
    Unit{"us", ColumnUnit::Seconds, 1e-6},
    Unit{"min", ColumnUnit::Seconds, 60},
    Unit{"minutes", ColumnUnit::Seconds, 60},
    Unit{"gib", ColumnUnit::Gib, 1},
    Unit{"gb", ColumnUnit::Gib, 1e9 / kGiB},
    Unit{"mib", ColumnUnit::Gib, 1.0 / 1024},
    Unit{"mb", ColumnUnit::Gib, 1e6 / kGiB},
    Unit{"bytes", ColumnUnit::Gib, 1.0 / kGiB},
};

const Unit* unitNamed(std::string_view name, ColumnUnit kind)
{
    const auto found = std::find_if(
        kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.name == name && unit.kind == kind; });
    return found == kUnits.end() ? nullptr : &*found;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

/// A number, with a decimal point, or a decimal comma that can be nothing else; else what would be right.
struct CellNumber {
    std::optional<double> value;
    ExpectedValue expected;
};
CellNumber numberIn(std::string_view cell, ExpectedValue range)
{
    if (const auto value = wholeNumber(cell))
        return {value, range};
    const CommaNumber meant = commaNumber(cell);
    if (meant.decimals && !meant.thousands)
        return {wholeNumber(*meant.decimals), range};
    range.meant = meant;
    return {std::nullopt, range};
}

Expectation wholeFrom(std::string_view cell, double low, double high, int& target)
{
    const CellNumber number = numberIn(cell, {ExpectedValue::Kind::WholeNumber, std::int64_t(low), std::int64_t(high)});
    if (!number.value || *number.value != std::floor(*number.value) || *number.value < low || *number.value > high)
        return number.expected;
    target = static_cast<int>(*number.value);
    return std::nullopt;
}

template <int parallel::Strategy::*Degree, int Low = 1, int High = 1000000>
Expectation setDegree(RunDraft& draft, std::string_view cell, double)
{
    return wholeFrom(cell, Low, High, draft.run.plan.strategy.*Degree);
}

Expectation setDataParallel(RunDraft& draft, std::string_view cell, double scale)
{
    draft.dataParallelGiven = true;
    return setDegree<&parallel::Strategy::dp>(draft, cell, scale);
}

template <int plan::Training::*Count>
Expectation setCount(RunDraft& draft, std::string_view cell, double)
{
    draft.globalBatchGiven |= Count == &plan::Training::globalBatch;
    return wholeFrom(cell, 1, 1e8, draft.run.plan.training.*Count);
}

Expectation setNodes(RunDraft& draft, std::string_view cell, double)
{
    int count = 0;
    if (draft.run.plan.cluster.nodes.empty())
        return ExpectedValue{ExpectedValue::Kind::PlanWithNodes};
    const Expectation expected = wholeFrom(cell, 1, 1e6, count);
    if (!expected)
        setNodeCount(draft.run.plan.cluster, 0, count);
    return expected;
}

Expectation setAccelerators(RunDraft& draft, std::string_view cell, double)
{
    int count = 0;
    const Expectation expected = wholeFrom(cell, 1, 1e7, count);
    if (!expected)
        draft.accelerators = count;
    return expected;
}

/// "18.13", "18.13 s", "512 MiB": a unit in the cell is that of the cell.
template <std::optional<double> MeasuredRun::*Amount, ColumnUnit Kind>
Expectation setAmount(RunDraft& draft, std::string_view cell, double scale)
{
    std::size_t end = cell.size();
    while (end > 0 && std::isalpha(static_cast<unsigned char>(cell[end - 1])))
        --end;
    const std::string unitName = lower(cell.substr(end));
    const Unit* const unit = end < cell.size() && end > 0 ? unitNamed(unitName, Kind) : nullptr;
    const CellNumber number =
        numberIn(unit ? trimmed(cell.substr(0, end)) : cell, {ExpectedValue::Kind::MeasuredNumber});
    const double value = number.value.value_or(0) * (unit ? unit->scale : scale);
    if (!number.value || value < 1e-9 || value > 1e9)
        return number.expected;
    draft.run.*Amount = value;
    return std::nullopt;
}

/// What PyTorch reports: the stack's reserve lies outside it.
Expectation setAllocatorPeak(RunDraft& draft, std::string_view cell, double scale)
{
    draft.run.allocatorPeak = true;
    return setAmount<&MeasuredRun::peakGib, ColumnUnit::Gib>(draft, cell, scale);
}

Expectation setSequenceParallel(RunDraft& draft, std::string_view cell, double)
{
    const std::string word = lower(cell);
    for (const std::string_view yes : {"true", "1", "yes", "on"})
        if (word == yes) {
            draft.run.plan.strategy.sequenceParallel = true;
            return std::nullopt;
        }
    for (const std::string_view no : {"false", "0", "no", "off"})
        if (word == no) {
            draft.run.plan.strategy.sequenceParallel = false;
            return std::nullopt;
        }
    return ExpectedValue{ExpectedValue::Kind::Boolean};
}

Expectation setRecompute(RunDraft& draft, std::string_view cell, double)
{
    const auto value = parallel::recomputeFromKey(lower(cell));
    if (!value)
        return ExpectedValue{ExpectedValue::Kind::Recomputation};
    draft.run.plan.strategy.recompute = *value;
    return std::nullopt;
}

Expectation setSchedule(RunDraft& draft, std::string_view cell, double)
{
    const auto value = parallel::scheduleFromKey(lower(cell));
    if (!value)
        return ExpectedValue{ExpectedValue::Kind::Schedule};
    draft.run.plan.strategy.schedule = *value;
    return std::nullopt;
}

Expectation setId(RunDraft& draft, std::string_view cell, double)
{
    draft.run.id = cell;
    return std::nullopt;
}

template <int parallel::Strategy::*Degree>
std::string degree(const plan::Plan& plan)
{
    return std::to_string(plan.strategy.*Degree);
}

template <int plan::Training::*Count>
std::string count(const plan::Plan& plan)
{
    return std::to_string(plan.training.*Count);
}

constexpr std::array kColumns{
    RunColumn{"id", setId, nullptr},
    RunColumn{"tp", setDegree<&parallel::Strategy::tp>, degree<&parallel::Strategy::tp>},
    RunColumn{"pp", setDegree<&parallel::Strategy::pp>, degree<&parallel::Strategy::pp>},
    RunColumn{"dp", setDataParallel, nullptr},
    RunColumn{"cp", setDegree<&parallel::Strategy::cp>, degree<&parallel::Strategy::cp>},
    RunColumn{"ep", setDegree<&parallel::Strategy::ep>, degree<&parallel::Strategy::ep>},
    RunColumn{"etp", setDegree<&parallel::Strategy::etp>, degree<&parallel::Strategy::etp>},
    RunColumn{"vpp", setDegree<&parallel::Strategy::vpp>, degree<&parallel::Strategy::vpp>},
    RunColumn{"micro_batch", setDegree<&parallel::Strategy::microBatch, 1, 100000000>,
        degree<&parallel::Strategy::microBatch>},
    RunColumn{"zero_stage", setDegree<&parallel::Strategy::zeroStage, 0, 3>, degree<&parallel::Strategy::zeroStage>},
    RunColumn{"sequence_parallel", setSequenceParallel,
        [](const plan::Plan& plan) { return std::string(plan.strategy.sequenceParallel ? "true" : "false"); }},
    RunColumn{
        "recompute", setRecompute, [](const plan::Plan& plan) { return std::string(key(plan.strategy.recompute)); }},
    RunColumn{"schedule", setSchedule, [](const plan::Plan& plan) { return std::string(key(plan.strategy.schedule)); }},
    RunColumn{"global_batch", setCount<&plan::Training::globalBatch>, count<&plan::Training::globalBatch>},
    RunColumn{"sequence_length", setCount<&plan::Training::sequenceLength>, count<&plan::Training::sequenceLength>},
    RunColumn{"nodes", setNodes, nullptr},
    RunColumn{"accelerators", setAccelerators, nullptr},
    RunColumn{"step_s", setAmount<&MeasuredRun::stepSeconds, ColumnUnit::Seconds>, nullptr, ColumnUnit::Seconds},
    RunColumn{"peak_gib", setAmount<&MeasuredRun::peakGib, ColumnUnit::Gib>, nullptr, ColumnUnit::Gib},
    RunColumn{"allocator_gib", setAllocatorPeak, nullptr, ColumnUnit::Gib},
};

const RunColumn* columnNamed(std::string_view words)
{
    const std::string_view name = runColumnOf(words);
    const auto found =
        std::find_if(kColumns.begin(), kColumns.end(), [&](const RunColumn& column) { return column.name == name; });
    return found == kColumns.end() ? nullptr : &*found;
}

} // namespace

std::span<const RunColumn> runColumns()
{
    return kColumns;
}

std::string runColumnNames()
{
    std::string names;
    for (const RunColumn& column : kColumns)
        names += (names.empty() ? "" : ", ") + std::string(column.name);
    return names;
}

std::optional<HeadedColumn> columnOf(std::string_view text)
{
    RunHeading heading = runHeadingOf(text);
    const RunColumn* column = columnNamed(heading.words);
    if (!column && heading.unit.empty()) { // "step_ms", "peak memory GB"
        const std::size_t last = heading.words.rfind('_');
        if (last != std::string::npos) {
            heading.unit = heading.words.substr(last + 1);
            column = columnNamed(heading.words.substr(0, last));
        }
    }
    if (!column || (!heading.unit.empty() && column->unit == ColumnUnit::None))
        return std::nullopt;
    if (heading.unit.empty())
        return HeadedColumn{column, 1};
    const Unit* const unit = unitNamed(heading.unit, column->unit);
    return HeadedColumn{column, unit ? unit->scale : 0};
}

} // namespace stratoplan::calibration::detail
