// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_cells.h"

#include "widgets/presentation/translate.h"
#include "widgets/topology/field_editor.h"
#include "widgets/topology/topology_text.h"

namespace stratoplan::widgets {

namespace {

/// Why the field cannot have the value; empty: it has it now.
QString writeCell(const catalog::Catalog& catalog, cluster::Cluster& cluster, const ClusterField& field,
    std::size_t row, const QVariant& cell)
{
    if (!field.value(cluster, row).isValid())
        return field.missing;
    if (field.kind != FieldKind::End) {
        field.write(catalog, cluster, row, cell);
        return {};
    }
    const bool isLower = field.value(cluster, row) == fromText(cluster.connections.at(row).from);
    const cluster::Cluster before = cluster;
    const LinkVerdict verdict = moveEnd(cluster, row, isLower, cell.toString().toStdString());
    return verdict.possible() ? QString() : describe(before, verdict);
}

/// The link is called by its ends: what was selected still is.
QStringList keyOfLink(const cluster::Cluster& cluster, RowKind kind, std::size_t row)
{
    return kind == RowKind::Links ? QStringList{fromText(connectionKeys(cluster).at(row))} : QStringList();
}

} // namespace

CellEdit editedCell(const catalog::Catalog& catalog, const CanvasValue& value, RowKind kind, std::size_t row,
    std::size_t column, const QVariant& cell)
{
    const ClusterField& field = clusterFields(kind).at(column);
    if (field.kind == FieldKind::End && field.value(value.cluster, row) == cell)
        return std::nullopt;
    CanvasEdit edit{value, editText(field, catalog, cell), {}};
    if (const QString fault = writeCell(catalog, edit.next.cluster, field, row, cell); !fault.isEmpty())
        return tl::unexpected(fault);
    if (edit.next == value)
        return std::nullopt;
    if (field.kind == FieldKind::End) {
        edit.name = tr("Link to %1").arg(fromText(elementName(value.cluster, cell.toString().toStdString())));
        edit.selectAfter = keyOfLink(edit.next.cluster, kind, row);
    }
    return edit;
}

CellEdit pastedCells(const catalog::Catalog& catalog, const CanvasValue& value, RowKind kind, std::size_t row,
    std::size_t column, const QList<QStringList>& texts)
{
    const std::vector<ClusterField>& fields = clusterFields(kind);
    CanvasEdit edit{value, tr("Paste cells"), {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(texts.size()); ++i) {
        const QStringList& line = texts[static_cast<qsizetype>(i)];
        if (row + i >= rowCount(value.cluster, kind) || column + static_cast<std::size_t>(line.size()) > fields.size())
            return tl::unexpected(
                tr("The clipboard holds more rows or columns than there are from this cell on: add rows first, or "
                   "paste further up or left."));
        for (std::size_t j = 0; j < static_cast<std::size_t>(line.size()); ++j) {
            const ClusterField& field = fields.at(column + j);
            const QString text = line[static_cast<qsizetype>(j)].trimmed();
            if (!field.write || text == fieldText(field, catalog, edit.next.cluster, row + i))
                continue;
            const auto cell = readCell(field, catalog, edit.next.cluster, row + i, text);
            const QString fault = cell ? writeCell(catalog, edit.next.cluster, field, row + i, *cell) : cell.error();
            if (!fault.isEmpty())
                return tl::unexpected(tr("Row %1, %2: %3").arg(groupedNumber(qint64(row + i + 1)), field.label, fault));
        }
    }
    return edit.next == value ? std::optional<CanvasEdit>() : std::optional(std::move(edit));
}

QList<QStringList> cellsOfText(const QString& text)
{
    QStringList lines = QString(text).replace(QStringLiteral("\r\n"), QStringLiteral("\n")).split(u'\n');
    if (!lines.isEmpty() && lines.constLast().isEmpty())
        lines.removeLast();
    QList<QStringList> cells;
    for (const QString& line : lines)
        cells << line.split(u'\t');
    return cells;
}

} // namespace stratoplan::widgets
