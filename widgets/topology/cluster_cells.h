// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the table of a cluster: the edit of one, and blocks of them as spreadsheets take and give them. They work on
// plain values, without a view.
#pragma once

#include "widgets/topology/canvas_edits.h"
#include "widgets/topology/cluster_fields.h"

#include <QList>

#include <tl/expected.hpp>

namespace stratoplan::widgets {

/// What was asked, or why it cannot be; no edit if nothing would change.
using CellEdit = tl::expected<std::optional<CanvasEdit>, QString>;

/// Gives a cell its value, as the control of its field would.
[[nodiscard]] CellEdit editedCell(const catalog::Catalog& catalog, const CanvasValue& value, RowKind kind,
    std::size_t row, std::size_t column, const QVariant& cell);
/// Writes texts over the cells from there on, in one edit; rows and columns beyond the last are refused, cells that are
/// told and not edited keep what they tell.
[[nodiscard]] CellEdit pastedCells(const catalog::Catalog& catalog, const CanvasValue& value, RowKind kind,
    std::size_t row, std::size_t column, const QList<QStringList>& texts);

/// Lines of cells that tabs part, as text on the clipboard holds them.
[[nodiscard]] QList<QStringList> cellsOfText(const QString& text);

} // namespace stratoplan::widgets
