// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/table_layout.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::widgets {

namespace {

constexpr double kTableLetter = 8.2, kCellX = 5, kCellY = 2.6; ///< points
const QColor kTableRule(0xd5, 0xda, 0xe1), kTableFill(0xf4, 0xf7, 0xfb), kTableInk(0x1f, 0x29, 0x33);

/// A number below zero has a minus as long as its plus.
QString cellText(const report::Cell& cell)
{
    QString text = QString::fromStdString(cell.text);
    if (cell.number && text.startsWith(u'-'))
        text.replace(0, 1, QStringLiteral("−"));
    return text;
}

} // namespace

TableLayout::TableLayout(const report::Table& table, double width)
    : m_table(table)
{
    for (std::size_t i = 0; i < table.headings.size(); ++i)
        m_numeric.push_back(table.isNumeric(i));
    measureColumns(width);
    std::vector<QString> headings;
    for (const std::string& heading : table.headings)
        headings.push_back(QString::fromStdString(heading));
    m_heading = heightOf(headings, {kTableLetter, true, kTableInk, false});
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        m_rows.push_back(heightOf(textsOf(row), styleOf(row)));
}

TextStyle TableLayout::styleOf(std::size_t row) const
{
    return {kTableLetter, m_table.rows[row].isStrong, kTableInk, false};
}

std::vector<QString> TableLayout::textsOf(std::size_t row) const
{
    std::vector<QString> texts;
    for (const report::Cell& cell : m_table.rows[row].cells)
        texts.push_back(cellText(cell));
    texts.resize(m_table.headings.size());
    return texts;
}

/// By shares where the table names them; else what the widest cell takes, the rest for the first column. Where that is
/// too much, columns of texts give way.
void TableLayout::measureColumns(double width)
{
    if (m_table.widths.size() == m_table.headings.size()) {
        const double sum = std::accumulate(m_table.widths.begin(), m_table.widths.end(), 0.0);
        for (const double share : m_table.widths)
            m_widths.push_back(share / sum * width);
        return;
    }
    for (std::size_t i = 0; i < m_table.headings.size(); ++i) {
        double widest = 0;
        for (const QString& word : QString::fromStdString(m_table.headings[i]).split(u' '))
            widest = std::max(widest, reportTextWidth(word, {kTableLetter, true, kTableInk, false}));
        for (std::size_t row = 0; row < m_table.rows.size(); ++row)
            widest = std::max(widest, reportTextWidth(textsOf(row)[i], styleOf(row)));
        m_widths.push_back(std::min(widest + 2 * kCellX, i == 0 ? width * 0.4 : width * 0.3));
    }
    const double sum = std::accumulate(m_widths.begin(), m_widths.end(), 0.0);
    if (sum <= width)
        m_widths.front() += std::min(width - sum, width * 0.25);
    else
        for (double& column : m_widths)
            column *= width / sum;
    // What is left is shared out, so that every table is as wide as the text.
    const double rest = width - std::accumulate(m_widths.begin(), m_widths.end(), 0.0);
    for (double& column : m_widths)
        column += rest / double(m_widths.size());
}

double TableLayout::heightOf(const std::vector<QString>& texts, const TextStyle& style) const
{
    double height = lineHeight(style);
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (!texts[i].isEmpty())
            height = std::max(height, reportTextHeight(texts[i], style, m_widths[i] - 2 * kCellX));
    return height + 2 * kCellY;
}

void TableLayout::drawCells(QPainter& painter, QPointF corner, const std::vector<QString>& texts,
    const TextStyle& style, double height, bool isHeading) const
{
    double x = corner.x();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const double room = m_widths[i] - 2 * kCellX;
        const double tall = isHeading && !texts[i].isEmpty() ? reportTextHeight(texts[i], style, room) : 0;
        const double top = isHeading ? corner.y() + height - kCellY - tall : corner.y() + kCellY;
        drawReportText(painter, QRectF(x + kCellX, top, room, height), texts[i], style,
            m_numeric[i] ? Qt::AlignRight : Qt::AlignLeft);
        x += m_widths[i];
    }
}

void TableLayout::drawHeading(QPainter& painter, QPointF corner) const
{
    std::vector<QString> headings;
    for (const std::string& heading : m_table.headings)
        headings.push_back(QString::fromStdString(heading));
    drawCells(painter, corner, headings, {kTableLetter, true, kTableInk, false}, m_heading, true);
    const double width = std::accumulate(m_widths.begin(), m_widths.end(), 0.0);
    painter.setPen(QPen(kTableInk, 0.9));
    painter.drawLine(QPointF(corner.x(), corner.y() + m_heading), QPointF(corner.x() + width, corner.y() + m_heading));
}

void TableLayout::drawRow(QPainter& painter, QPointF corner, std::size_t row) const
{
    const double width = std::accumulate(m_widths.begin(), m_widths.end(), 0.0);
    if (m_table.rows[row].isStrong)
        painter.fillRect(QRectF(corner.x(), corner.y(), width, m_rows[row]), kTableFill);
    drawCells(painter, corner, textsOf(row), styleOf(row), m_rows[row], false);
    painter.setPen(QPen(kTableRule, 0.5));
    const double bottom = corner.y() + m_rows[row];
    painter.drawLine(QPointF(corner.x(), bottom), QPointF(corner.x() + width, bottom));
}

} // namespace stratoplan::widgets
