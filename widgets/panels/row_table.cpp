// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/row_table.h"

#include "widgets/panels/row_delegate.h"

#include <QHeaderView>
#include <QTableView>

namespace stratoplan::widgets {

QTableView* makeRowTable(
    QAbstractItemModel* model, QHeaderView* header, int rowHeight, const QString& name, QWidget* parent)
{
    auto* table = new QTableView(parent);
    table->setHorizontalHeader(header);
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setAccessibleName(name);
    table->setItemDelegate(new RowDelegate(table));
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(rowHeight);
    return table;
}

} // namespace stratoplan::widgets
