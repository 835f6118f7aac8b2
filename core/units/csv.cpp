// SPDX-License-Identifier: Apache-2.0
#include "core/units/csv.h"

#include <algorithm>
#include <csv.h>

namespace stratoplan::inline units {

std::vector<std::string> csvCells(std::string_view line, char separator)
{
    csv_parser parser;
    csv_init(&parser, 0);
    csv_set_delim(&parser, static_cast<unsigned char>(separator));
    csv_set_term_func(&parser, [](unsigned char) { return 0; });
    std::vector<std::string> cells;
    const auto add = [](void* cell, std::size_t size, void* into) {
        static_cast<std::vector<std::string>*>(into)->emplace_back(static_cast<const char*>(cell), size);
    };
    csv_parse(&parser, line.data(), line.size(), add, nullptr, &cells);
    csv_fini(&parser, add, nullptr, &cells);
    csv_free(&parser);
    if (cells.empty())
        cells.emplace_back();
    return cells;
}

std::vector<CsvRow> csvRows(std::string_view text, char separator)
{
    std::vector<CsvRow> rows;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!line.empty() && line.front() != '#')
            rows.push_back({number, line, csvCells(line, separator)});
    }
    return rows;
}

} // namespace stratoplan::inline units
