// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as a table: for people who read rather than look, and for other programs.
#pragma once

#include <QList>
#include <QStringList>

namespace stratoplan::widgets {

struct ChartTable {
    QStringList columns;
    QList<QStringList> rows;
    bool operator==(const ChartTable&) const = default;
};

/// Tab-separated, as spreadsheets paste it. Tabs and line breaks inside cells become spaces.
[[nodiscard]] QString toTsv(const ChartTable& table);
/// RFC 4180: comma-separated, quoted where needed, CRLF.
[[nodiscard]] QString toCsv(const ChartTable& table);
/// Of an HTML page: heading and rows, the cells escaped.
[[nodiscard]] QString toHtml(const ChartTable& table);
/// A plain number for a cell: six significant figures, "" if not finite.
[[nodiscard]] QString cell(double value);

} // namespace stratoplan::widgets
