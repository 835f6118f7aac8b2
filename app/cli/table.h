// SPDX-License-Identifier: GPL-3.0-or-later
// Plain text for people: columns set by the widest cell, headings, underlined titles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::cli {

enum class Align { Left, Right };

class Table {
public:
    /// One alignment per column. `indent` spaces stand before each row.
    explicit Table(std::vector<Align> columns, int indent = 2);

    /// Missing cells at the end stay empty.
    void row(std::vector<std::string> cells);
    /// A row with a rule below it.
    void heading(std::vector<std::string> cells);
    void rule();
    [[nodiscard]] std::string text() const;

private:
    std::vector<Align> m_columns;
    std::size_t m_indent;
    std::vector<std::vector<std::string>> m_rows; ///< an empty row is a rule
};

/// Columns a text takes on a terminal; every character the programs print is one wide.
[[nodiscard]] std::size_t displayWidth(std::string_view text);

/// "1,024": a whole number as people read it.
[[nodiscard]] std::string grouped(long long value);
/// A number with that many decimals, "–" if it is not finite.
[[nodiscard]] std::string fixed(double value, int decimals);
/// A share of one as signed per cent, "+3.2 %".
[[nodiscard]] std::string signedShare(double value);

} // namespace stratoplan::cli
