// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::report {
namespace {

constexpr const char* kNothing = "–";

/// Those that leave three significant figures.
int decimalsOf(double value)
{
    const double magnitude = std::abs(value);
    if (magnitude == 0 || magnitude >= 99.95)
        return 0;
    if (magnitude >= 9.995)
        return 1;
    if (magnitude >= 0.09995)
        return magnitude >= 0.9995 ? 2 : 3;
    constexpr int kFewest = 4, kMost = 9;
    return std::clamp(2 - int(std::floor(std::log10(roundedTo(magnitude, 3)))), kFewest, kMost);
}

/// "1,234.5"
std::string groupedText(double value, int decimals)
{
    std::string text = fixedDecimals(std::abs(value), decimals);
    const std::size_t point = std::min(text.find('.'), text.size());
    for (std::size_t i = point; i > 3;)
        text.insert(i -= 3, 1, ',');
    const bool isZero = text.find_first_of("123456789") == std::string::npos;
    return (value < 0 && !isZero ? "-" : "") + text;
}

} // namespace

Cell textCell(std::string text)
{
    return {std::move(text)};
}

Cell fixedCell(double value, int decimals)
{
    if (!std::isfinite(value))
        return {kNothing};
    return {groupedText(value, decimals), value, decimals};
}

Cell numberCell(double value)
{
    if (!std::isfinite(value))
        return {kNothing};
    return {groupedText(roundedTo(value, 3), decimalsOf(value)), value, decimalsOf(value)};
}

Cell wholeCell(double value)
{
    return fixedCell(value, 0);
}

Cell shareCell(double share)
{
    if (!std::isfinite(share))
        return {kNothing};
    const int decimals = std::clamp(decimalsOf(share * 100), 0, 2);
    return {groupedText(share * 100, decimals) + " %", share, decimals, true};
}

Cell deltaCell(double share)
{
    if (!std::isfinite(share))
        return {kNothing};
    constexpr int kDecimals = 1;
    const std::string text = groupedText(share * 100, kDecimals);
    const bool isZero = text.find_first_of("123456789") == std::string::npos;
    return {(isZero ? "±" : share > 0 ? "+" : "") + text + " %", isZero ? 0 : share, kDecimals, true, true};
}

bool Table::isNumeric(std::size_t column) const
{
    return std::ranges::any_of(
        rows, [&](const Row& row) { return column < row.cells.size() && row.cells[column].number.has_value(); });
}

std::vector<PlacedTable> tablesOf(const Report& report)
{
    std::vector<PlacedTable> tables;
    for (const Section& section : report.sections)
        for (const Block& block : section.blocks) {
            if (const auto* const table = std::get_if<Table>(&block))
                tables.push_back({&section, table});
            else if (const auto* const figure = std::get_if<Figure>(&block); figure && !figure->data.rows.empty())
                tables.push_back({&section, &figure->data});
        }
    return tables;
}

} // namespace stratoplan::report
