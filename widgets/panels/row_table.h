// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of rows that are chosen whole: no grid, headings of their own.
#pragma once

class QAbstractItemModel;
class QHeaderView;
class QString;
class QTableView;
class QWidget;

namespace stratoplan::widgets {

/// `rowHeight` in pixels. The table owns `header`.
[[nodiscard]] QTableView* makeRowTable(
    QAbstractItemModel* model, QHeaderView* header, int rowHeight, const QString& name, QWidget* parent);

} // namespace stratoplan::widgets
