// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/table.h"

#include <cmath>

namespace stratoplan::widgets {

namespace {

QString csvCell(const QString& text)
{
    if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n') && !text.contains(u'\r'))
        return text;
    QString escaped = text;
    escaped.replace(u'"', QStringLiteral("\"\""));
    return u'"' + escaped + u'"';
}

QString tsvCell(QString text)
{
    return text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
}

template <class Cell>
QString joined(const ChartTable& table, QChar separator, const QString& lineEnd, Cell cellText)
{
    QString out;
    const auto line = [&](const QStringList& cells) {
        for (qsizetype i = 0; i < cells.size(); ++i) {
            if (i > 0)
                out += separator;
            out += cellText(cells[i]);
        }
        out += lineEnd;
    };
    line(table.columns);
    for (const QStringList& row : table.rows)
        line(row);
    return out;
}

} // namespace

QString toTsv(const ChartTable& table)
{
    return joined(table, u'\t', QStringLiteral("\n"), tsvCell);
}

QString toCsv(const ChartTable& table)
{
    return joined(table, u',', QStringLiteral("\r\n"), csvCell);
}

QString toHtml(const ChartTable& table)
{
    QString out = QStringLiteral("<table>");
    const auto line = [&](const QStringList& cells, const QString& tag) {
        out += QStringLiteral("<tr>");
        for (const QString& text : cells)
            out += QStringLiteral("<%1>%2</%1>").arg(tag, text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
        out += QStringLiteral("</tr>");
    };
    line(table.columns, QStringLiteral("th"));
    for (const QStringList& row : table.rows)
        line(row, QStringLiteral("td"));
    return out + QStringLiteral("</table>");
}

QString cell(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 6) : QString();
}

} // namespace stratoplan::widgets
