// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/evidence.h"

#include "core/catalog/embedded.h"
#include "core/estimate/range.h"
#include "core/units/csv.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

namespace stratoplan::estimate {
namespace {

constexpr std::string_view kHead =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Residuals of measured cases under constants fitted without them; made by stratoplan-cli, see CONTRIBUTING.md.\n";
constexpr std::string_view kColumns =
    "of,id,source,group,software,accelerator,layers,hidden,heads,experts,sequence,accelerators,micro_batch,"
    "micro_batches,tp,pp,dp,cp,ep,vpp,precision,recompute,schedule,zero_stage,sequence_parallel,flash,"
    "latent_attention,sliding_window,filled,weight,residual,residual_by_source";
constexpr double kResolution = 1e4;

void append(std::string& text, double value)
{
    char digits[32];
    const double rounded = std::round(value * kResolution) / kResolution;
    text.append(digits, std::to_chars(digits, digits + sizeof digits, rounded == 0 ? 0.0 : rounded).ptr);
}

/// The cells of one row, taken from the left.
class Cells {
public:
    explicit Cells(std::span<const std::string> cells)
        : m_rest(cells)
    {
    }
    [[nodiscard]] std::string_view next()
    {
        if (m_rest.empty()) {
            m_failed = true;
            return {};
        }
        const std::string_view cell = m_rest.front();
        m_rest = m_rest.subspan(1);
        return cell;
    }
    template <class Number>
    Number number()
    {
        Number value{};
        const std::string_view cell = next();
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        m_failed = m_failed || error != std::errc() || end != cell.data() + cell.size();
        return value;
    }
    template <class Value>
    Value named(std::optional<Value> (*fromKey)(std::string_view))
    {
        const std::optional<Value> value = fromKey(next());
        m_failed = m_failed || !value;
        return value.value_or(Value{});
    }
    [[nodiscard]] bool isRead() const { return m_rest.empty() && !m_failed; }

private:
    std::span<const std::string> m_rest;
    bool m_failed = false;
};

tl::expected<EvidenceRow, std::string> readRow(const CsvRow& line)
{
    Cells cells(line.cells);
    EvidenceRow row;
    const std::string_view measure = cells.next();
    row.memory = measure == "memory";
    for (std::string* text : {&row.id, &row.source, &row.group, &row.software, &row.accelerator})
        *text = cells.next();
    RunTraits& t = row.traits;
    for (int& extent : t.extents)
        extent = cells.number<int>();
    t.precision = cells.named(model::precisionFromKey);
    t.recompute = cells.named(parallel::recomputeFromKey);
    t.schedule = cells.named(parallel::scheduleFromKey);
    t.zeroStage = cells.number<int>();
    for (bool* flag : {&t.sequenceParallel, &t.flash, &t.latentAttention, &t.slidingWindow})
        *flag = cells.number<int>() != 0;
    row.filled = cells.number<int>();
    row.weight = cells.number<int>();
    row.residual = cells.number<double>();
    row.residualBySource = cells.number<double>();
    const bool sound = cells.isRead() && (row.memory || measure == "time") && row.weight >= 0 && row.filled >= 0
        && std::isfinite(row.residual) && std::isfinite(row.residualBySource)
        && std::all_of(t.extents.begin(), t.extents.end(), [](int extent) { return extent > 0; });
    if (!sound)
        return tl::unexpected(
            "found \"" + std::string(line.text.substr(0, 60)) + "\", expected " + std::string(kColumns));
    return row;
}

} // namespace

RunTraits traitsOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const model::Transformer& m = plan.model;
    RunTraits t;
    const bool pipelined = s.pp > 1;
    t.extents = {m.layers, m.hidden, m.heads, m.moe ? m.moe->experts : 1, plan.training.sequenceLength, rankCount(s),
        s.microBatch, std::max(1, microBatches(plan)), s.tp, s.pp, s.dp, s.cp, s.ep, s.vpp};
    t.precision = plan.training.precision;
    t.recompute = s.recompute;
    t.schedule = pipelined ? s.schedule : parallel::Schedule::OneFOneB; // one stage runs the same whatever the schedule
    t.zeroStage = s.dp * s.cp > 1 ? effectiveZeroStage(plan) : 0;
    t.sequenceParallel = s.sequenceParallel;
    t.flash = isFlash(plan.training.attention);
    t.latentAttention = m.mla.has_value();
    t.slidingWindow = m.slidingWindow.has_value();
    return t;
}

std::string_view acceleratorOf(const plan::Plan& plan)
{
    return firstAccelerator(plan).id;
}

std::string writeEvidence(std::span<const EvidenceRow> rows)
{
    std::string text(kHead);
    text += std::string(kColumns) + '\n';
    for (const EvidenceRow& row : rows) {
        text += row.memory ? "memory," : "time,";
        for (const std::string* cell : {&row.id, &row.source, &row.group, &row.software, &row.accelerator})
            text += *cell + ',';
        const RunTraits& t = row.traits;
        for (const int extent : t.extents)
            text += std::to_string(extent) + ',';
        for (const std::string_view name : {key(t.precision), key(t.recompute), key(t.schedule)})
            text += std::string(name) + ',';
        for (const int value : {t.zeroStage, int(t.sequenceParallel), int(t.flash), int(t.latentAttention),
                 int(t.slidingWindow), row.filled, row.weight})
            text += std::to_string(value) + ',';
        append(text, row.residual);
        text += ',';
        append(text, row.residualBySource);
        text += '\n';
    }
    return text;
}

tl::expected<std::vector<EvidenceRow>, std::string> readEvidence(std::string_view text)
{
    std::vector<EvidenceRow> rows;
    bool headed = false;
    for (const CsvRow& line : csvRows(text)) {
        const std::string place = "line " + std::to_string(line.line) + ": ";
        if (!headed && line.text != kColumns)
            return tl::unexpected(place + "found \"" + std::string(line.text.substr(0, 60))
                + "\", expected the heading " + std::string(kColumns));
        if (headed) {
            auto row = readRow(line);
            if (!row)
                return tl::unexpected(place + row.error());
            rows.push_back(std::move(*row));
        }
        headed = true;
    }
    return rows;
}

std::span<const EvidenceRow> shippedEvidenceRows()
{
    static const std::vector<EvidenceRow> rows = [] {
        auto read = readEvidence(catalog::embedded::evidence().front().content);
        assert(read && "resources/validation/evidence.csv");
        return read ? std::move(*read) : std::vector<EvidenceRow>();
    }();
    return rows;
}

} // namespace stratoplan::estimate
