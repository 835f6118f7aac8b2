// SPDX-License-Identifier: Apache-2.0
#include "core/report/csv.h"

#include <array>
#include <charconv>

namespace stratoplan::report {
namespace {

std::string quoted(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string result = "\"";
    for (const char letter : text)
        result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return result + '"';
}

/// What a spreadsheet would take for a formula has an apostrophe before it.
std::string inert(const std::string& text)
{
    constexpr std::string_view kBegins = "=+-@\t\r";
    return !text.empty() && kBegins.find(text.front()) != std::string_view::npos ? '\'' + text : text;
}

std::string inertText(const Cell& cell)
{
    return cell.number ? cell.text : inert(cell.text);
}

/// The shortest text that is read back as the same number.
std::string plainNumber(double value)
{
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

void addLine(std::string& text, std::initializer_list<std::string_view> cells)
{
    bool isFirst = true;
    for (const std::string_view cell : cells) {
        text += (isFirst ? "" : ",") + quoted(cell);
        isFirst = false;
    }
    text += "\r\n";
}

void addTable(std::string& text, const Section& section, const Table& table)
{
    const std::string& title = table.title.empty() ? section.title : table.title;
    for (const Row& row : table.rows)
        for (std::size_t i = 1; i < row.cells.size(); ++i) {
            const Cell& cell = row.cells[i];
            if (cell.text.empty())
                continue;
            // A difference belongs to the column before it.
            const bool isDelta = i < table.headings.size() && table.headings[i] == "±";
            const std::string heading = isDelta ? table.headings[i - 1] + " ±" : table.headings[i];
            addLine(text,
                {section.title, title, inertText(row.cells.front()), inert(heading),
                    cell.number ? plainNumber(*cell.number) : "", inertText(cell)});
        }
}

} // namespace

std::string csv(const Report& report)
{
    std::string text;
    addLine(text, {"section", "table", "row", "column", "value", "text"});
    for (const auto& [section, table] : tablesOf(report))
        addTable(text, *section, *table);
    return text;
}

} // namespace stratoplan::report
