// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/table_dialog.h"

#include "widgets/style/picture_file.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace stratoplan::widgets {

namespace {

// The first column names the row; the others are numbers if they read as one.
QTableWidget* tableWidget(const QString& title, const ChartTable& table)
{
    auto* view = new QTableWidget(static_cast<int>(table.rows.size()), static_cast<int>(table.columns.size()));
    view->setHorizontalHeaderLabels(table.columns);
    view->setAccessibleName(title);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setAlternatingRowColors(true);
    view->verticalHeader()->hide();
    for (int r = 0; r < view->rowCount(); ++r) {
        const QStringList& row = table.rows[r];
        for (int c = 0; c < std::min<int>(view->columnCount(), static_cast<int>(row.size())); ++c) {
            auto* item = new QTableWidgetItem(row[c]);
            bool number = false;
            static_cast<void>(row[c].toDouble(&number));
            item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
            view->setItem(r, c, item);
        }
    }
    view->resizeColumnsToContents();
    return view;
}

} // namespace

QDialog* showTableDialog(const QString& title, const ChartTable& table, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(tableWidget(title, table));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(QDialog::tr("Copy"), QDialogButtonBox::ActionRole);
    QObject::connect(copy, &QPushButton::clicked, dialog, [table] { copyTable(table); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    layout->addWidget(buttons);
    dialog->resize(640, 420);
    dialog->show();
    return dialog;
}

} // namespace stratoplan::widgets
