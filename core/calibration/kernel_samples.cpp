// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/kernel_fit.h"
#include "core/units/csv.h"
#include "core/units/text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace stratoplan::calibration {
namespace {

/// One row of a table with a header. Keeps the first fault.
class Row {
public:
    Row(const std::map<std::string_view, std::size_t>& columns, const std::vector<std::string>& cells)
        : m_columns(columns)
        , m_cells(cells)
    {
    }

    [[nodiscard]] std::string_view text(std::string_view column)
    {
        const auto found = m_columns.find(column);
        if (found != m_columns.end() && found->second < m_cells.size())
            return m_cells[found->second];
        fail(KernelTableError::Code::NoValue, {}, column);
        return {};
    }

    [[nodiscard]] double number(std::string_view column)
    {
        const std::string_view cell = text(column);
        double value = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc{} || end != cell.data() + cell.size() || value < 0)
            fail(KernelTableError::Code::NotANumber, cell, column);
        return value;
    }

    [[nodiscard]] double seconds() { return number("microseconds") * 1e-6; }
    [[nodiscard]] const std::optional<KernelTableError>& fault() const { return m_fault; }

private:
    void fail(KernelTableError::Code code, std::string_view cell, std::string_view column)
    {
        if (!m_fault)
            m_fault = KernelTableError{code, 0, std::string(cell), std::string(column)};
    }

    const std::map<std::string_view, std::size_t>& m_columns;
    const std::vector<std::string>& m_cells;
    std::optional<KernelTableError> m_fault;
};

std::optional<model::Precision> precisionOf(std::string_view dtype)
{
    if (dtype == "bfloat16")
        return model::Precision::Bf16;
    if (dtype == "fp8")
        return model::Precision::Fp8;
    if (dtype == "nvfp4")
        return model::Precision::Nvfp4;
    return std::nullopt;
}

void addMatmul(Row& row, KernelSamples& samples)
{
    if (const auto precision = precisionOf(row.text("dtype")))
        samples.matmul.push_back({*precision, row.number("m"), row.number("n"), row.number("k"), row.seconds()});
}

/// Of FlashAttention; the TensorRT-LLM kernels of Blackwell overlap softmax and products as version 3 does.
int versionOf(std::string_view kernel)
{
    return containsWords(kernel, "fa3") || containsWords(kernel, "trtllm") ? 3 : 2;
}

void addAttention(Row& row, KernelSamples& samples)
{
    if (row.text("dtype") == "bfloat16" && row.number("window") == 0)
        samples.attention.push_back({row.number("batch"), row.number("seq_len"), row.number("heads"),
            row.number("head_dim"), row.seconds(), versionOf(row.text("kernel"))});
}

/// With several devices the kernel still moves every token, so only whole layers say what the products cost.
void addExperts(Row& row, KernelSamples& samples)
{
    if (row.text("dtype") == "bfloat16" && row.number("tp") == 1 && row.number("ep") == 1
        && row.text("distribution") == "balanced")
        samples.experts.push_back({row.number("tokens"), row.number("hidden"), row.number("expert_ffn"),
            row.number("top_k"), row.number("experts"), row.seconds()});
}

void addCollective(Row& row, KernelSamples& samples)
{
    std::string_view op = row.text("op");
    if (op == "alltoall")
        op = key(cluster::CollectiveOp::AllToAll);
    const auto known =
        std::ranges::find(cluster::kCollectiveOps, op, [](cluster::CollectiveOp candidate) { return key(candidate); });
    if (known != cluster::kCollectiveOps.end())
        samples.collectives.push_back(
            {*known, int(row.number("gpus")), 2 * row.number("elements_fp16"), row.seconds()});
}

using AddRow = void (*)(Row&, KernelSamples&);

/// Reader of the table that has these columns.
AddRow readerOf(const std::map<std::string_view, std::size_t>& columns)
{
    if (columns.contains("m") && columns.contains("n") && columns.contains("k"))
        return addMatmul;
    if (columns.contains("seq_len"))
        return addAttention;
    if (columns.contains("expert_ffn"))
        return addExperts;
    if (columns.contains("elements_fp16"))
        return addCollective;
    return nullptr;
}

} // namespace

tl::expected<void, KernelTableError> addSamples(std::string_view text, KernelSamples& samples)
{
    const std::vector<CsvRow> rows = csvRows(text);
    if (rows.empty())
        return {};
    const CsvRow& heading = rows.front();
    std::map<std::string_view, std::size_t> columns;
    for (std::size_t i = 0; i < heading.cells.size(); ++i)
        columns.emplace(heading.cells[i], i);
    const AddRow add = readerOf(columns);
    if (add == nullptr || !columns.contains("microseconds"))
        return tl::unexpected(
            KernelTableError{KernelTableError::Code::Heading, heading.line, std::string(heading.text.substr(0, 60))});
    for (std::size_t i = 1; i < rows.size(); ++i) {
        Row row(columns, rows[i].cells);
        add(row, samples);
        if (auto fault = row.fault()) {
            fault->line = rows[i].line;
            return tl::unexpected(std::move(*fault));
        }
    }
    return {};
}

} // namespace stratoplan::calibration
