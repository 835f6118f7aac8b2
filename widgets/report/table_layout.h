// SPDX-License-Identifier: GPL-3.0-or-later
// A table of a report on a page: how wide its columns are and how high its rows.
#pragma once

#include "core/report/report.h"
#include "widgets/report/report_fonts.h"

#include <vector>

namespace stratoplan::widgets {

class TableLayout {
public:
    /// `table` stays where it is.
    TableLayout(const report::Table& table, double width);

    [[nodiscard]] double headingHeight() const { return m_heading; }
    [[nodiscard]] std::size_t rows() const { return m_rows.size(); }
    [[nodiscard]] double rowHeight(std::size_t row) const { return m_rows[row]; }
    void drawHeading(QPainter& painter, QPointF corner) const;
    void drawRow(QPainter& painter, QPointF corner, std::size_t row) const;

private:
    void measureColumns(double width);
    [[nodiscard]] double heightOf(const std::vector<QString>& texts, const TextStyle& style) const;
    void drawCells(QPainter& painter, QPointF corner, const std::vector<QString>& texts, const TextStyle& style,
        double height, bool isHeading) const;
    [[nodiscard]] std::vector<QString> textsOf(std::size_t row) const;
    [[nodiscard]] TextStyle styleOf(std::size_t row) const;

    const report::Table& m_table;
    std::vector<double> m_widths;
    std::vector<bool> m_numeric;
    double m_heading = 0;
    std::vector<double> m_rows;
};

} // namespace stratoplan::widgets
