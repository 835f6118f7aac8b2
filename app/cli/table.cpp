// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table.h"

#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::cli {

Table::Table(std::vector<Align> columns, int indent)
    : m_columns(std::move(columns))
    , m_indent(static_cast<std::size_t>(indent))
{
}

void Table::row(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

void Table::heading(std::vector<std::string> cells)
{
    row(std::move(cells));
    rule();
}

void Table::rule()
{
    m_rows.emplace_back();
}

std::string Table::text() const
{
    std::vector<std::size_t> widths(m_columns.size(), 0);
    for (const auto& cells : m_rows) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], displayWidth(cells[i]));
    }
    std::string result;
    for (const auto& cells : m_rows) {
        std::string line(m_indent, ' ');
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (i > 0)
                line += "  ";
            if (cells.empty()) {
                for (std::size_t n = 0; n < widths[i]; ++n)
                    line += "─";
                continue;
            }
            const std::string padding(widths[i] - displayWidth(cells[i]), ' ');
            line += m_columns[i] == Align::Right ? padding + cells[i] : cells[i] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + '\n';
    }
    return result;
}

std::size_t displayWidth(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string grouped(long long value)
{
    return groupedDigits(value);
}

std::string fixed(double value, int decimals)
{
    if (!std::isfinite(value))
        return "–";
    return fixedDecimals(value, decimals);
}

std::string signedShare(double value)
{
    if (!std::isfinite(value))
        return "–";
    const double percent = value * 100;
    return (percent < 0 ? "−" : "+") + fixed(std::abs(percent), 1) + " %";
}

} // namespace stratoplan::cli
