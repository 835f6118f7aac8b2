// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cell_view.h"

#include "widgets/panels/entry_field.h"
#include "widgets/panels/row_header.h"

#include <QKeyEvent>

namespace stratoplan::widgets {

namespace {
constexpr int kMeasuredRows = 50; ///< columns are as wide as those wish
}

CellView::CellView(QAbstractItemModel* cells, const QString& name, QWidget* parent)
    : QTableView(parent)
{
    setHorizontalHeader(new RowHeader(this));
    setModel(cells);
    setSelectionBehavior(QAbstractItemView::SelectItems);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(DoubleClicked | EditKeyPressed | AnyKeyPressed);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    setTabKeyNavigation(true);
    setCornerButtonEnabled(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setAccessibleName(name);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    verticalHeader()->setHighlightSections(false);
}

QString CellView::commitPending()
{
    for (QLineEdit* line : viewport()->findChildren<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly)) {
        auto* entry = qobject_cast<EntryField*>(line);
        if (!entry) {
            commitData(line); // a name, of which none is wrong
        } else if (entry->isVisible() && !entry->commit()) {
            entry->setFocus(Qt::OtherFocusReason);
            return entry->error();
        }
    }
    return {};
}

void CellView::keyPressEvent(QKeyEvent* event)
{
    const QModelIndex at = currentIndex();
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && event->modifiers() == Qt::NoModifier && at.isValid()) {
        edit(at, EditKeyPressed, event);
        event->accept();
    } else if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ShiftModifier && at.isValid()) {
        selectRow(at.row());
        selectionModel()->setCurrentIndex(at, QItemSelectionModel::NoUpdate);
        event->accept();
    } else if ((event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab)
        && event->modifiers() & Qt::ControlModifier) {
        event->accept();
        leave(event->key() == Qt::Key_Tab);
    } else {
        QTableView::keyPressEvent(event);
    }
}

bool CellView::focusNextPrevChild(bool next)
{
    const QModelIndex last = model()->index(model()->rowCount() - 1, model()->columnCount() - 1);
    const bool isAtEnd = !currentIndex().isValid() || currentIndex() == (next ? last : model()->index(0, 0));
    return isAtEnd ? leave(next) : QTableView::focusNextPrevChild(next);
}

bool CellView::leave(bool next)
{
    setTabKeyNavigation(false);
    const bool hasLeft = QTableView::focusNextPrevChild(next);
    setTabKeyNavigation(true);
    return hasLeft;
}

} // namespace stratoplan::widgets
