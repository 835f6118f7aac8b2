// SPDX-License-Identifier: Apache-2.0
// A report as a value: sections of sentences, tables and pictures. Every writer (HTML, PDF, spreadsheet, CSV) reads
// this one value, so that all of them say the same numbers.
#pragma once

#include "core/report/picture.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stratoplan::report {

/// What stands in a table. A number is what spreadsheets get, the text what people read: the same number rounded.
struct Cell {
    std::string text;
    std::optional<double> number = {}; ///< a share of one where `isShare`
    int decimals = 0; ///< of the text
    bool isShare = false; ///< told as per cent
    bool isSigned = false; ///< a difference, told with its sign
    bool operator==(const Cell&) const = default;
};
[[nodiscard]] Cell textCell(std::string text);
/// Three significant figures with thousands separated; "–" for what is not finite.
[[nodiscard]] Cell numberCell(double value);
[[nodiscard]] Cell fixedCell(double value, int decimals);
[[nodiscard]] Cell wholeCell(double value);
[[nodiscard]] Cell shareCell(double share);
/// "+3.20 %" of a relative difference.
[[nodiscard]] Cell deltaCell(double share);

struct Row {
    std::vector<Cell> cells;
    bool isStrong = false; ///< a sum, a heading of rows
};

struct Table {
    std::string title; ///< empty: its section's
    std::string sheet; ///< of a spreadsheet; tables of one sheet stand below one another
    std::vector<std::string> headings;
    std::vector<Row> rows;
    std::vector<double> widths = {}; ///< shares of the width that columns take in print; empty: by content
    [[nodiscard]] bool isNumeric(std::size_t column) const;
};

enum class Tone { Plain, Good, Warning, Bad };

/// One large number of the first page.
struct Tile {
    std::string label, value, note;
    Tone tone = Tone::Plain;
    std::optional<double> amount = {}; ///< that the value tells
    std::string other = {}; ///< the same of a plan that would be better, with the difference
};
struct Tiles {
    std::vector<Tile> tiles;
};
/// The decision, in a sentence and the lines below it.
struct Verdict {
    std::string headline, text;
    Tone tone = Tone::Plain;
};
struct Paragraph {
    std::string text;
    bool isNote = false; ///< in small letters
};
struct Bullets {
    std::vector<std::string> items;
};
struct Figure {
    Picture picture;
    std::string caption;
    Table data; ///< what it shows, for spreadsheets and those who do not see it; empty: a table beside it does
};
struct Code {
    std::string text;
};
using Block = std::variant<Verdict, Tiles, Paragraph, Bullets, Table, Figure, Code>;

struct Section {
    std::string id; ///< of a link to it
    std::string title;
    std::vector<Block> blocks;
    bool startsPage = false;
};

struct Report {
    std::string title;
    std::string subtitle;
    std::string origin; ///< the program and its version
    std::vector<Section> sections;
};

/// All tables in their order, with the section that each is in: those beside pictures, too.
struct PlacedTable {
    const Section* section = nullptr;
    const Table* table = nullptr;
};
[[nodiscard]] std::vector<PlacedTable> tablesOf(const Report& report);

} // namespace stratoplan::report
