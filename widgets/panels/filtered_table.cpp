// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/filtered_table.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace stratoplan::widgets {

FilteredTable::FilteredTable(QAbstractItemModel* model, const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_filter(new QLineEdit(this))
    , m_note(new ElidedLabel(this))
    , m_top(new QHBoxLayout)
    , m_error(new ToneLabel(ToneLabel::Tone::Bad, this))
    , m_table(makeRowTable(model, new SortedHeader(this), fontMetrics().height() + 10, name, this))
    , m_empty(new QLabel(this))
    , m_rows(new QStackedLayout)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeTop(name);
    column->addLayout(m_top);
    m_error->setContentsMargins(kPanelMargin, 0, kPanelMargin, 4);
    m_error->setWordWrap(true);
    m_error->hide();
    column->addWidget(m_error);
    m_table->setSortingEnabled(true);
    m_table->installEventFilter(this);
    setTextRole(*m_empty, TextRole::Secondary);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setContentsMargins(24, 12, 24, 12);
    m_rows->addWidget(m_table);
    m_rows->addWidget(m_empty);
    column->addLayout(m_rows, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &FilteredTable::filterChanged);
    connect(m_table, &QTableView::doubleClicked, this, &FilteredTable::rowOpened);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        if (!m_restoring)
            Q_EMIT rowChosen(rows.isEmpty() ? -1 : rows.first().row());
    });
    connect(model, &QAbstractItemModel::modelReset, this, &FilteredTable::showRows);
    showRows();
}

void FilteredTable::makeTop(const QString& name)
{
    m_top->setContentsMargins(kPanelMargin, 6, kPanelMargin, 6);
    m_top->setSpacing(kGrid);
    m_filter->setAccessibleName(tr("Filter: %1").arg(name));
    m_filter->setClearButtonEnabled(true);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_top->addWidget(m_filter, 1);
    m_top->addWidget(m_note, 1);
}

void FilteredTable::showRows()
{
    m_rows->setCurrentWidget(m_table->model()->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_empty);
}

void FilteredTable::setFilterHelp(const QString& placeholder, const QString& terms)
{
    m_filter->setPlaceholderText(placeholder);
    m_filter->setToolTip(terms);
}

void FilteredTable::setFilterError(const QString& error)
{
    m_error->setText(error);
    m_error->setVisible(!error.isEmpty());
}

void FilteredTable::setNote(const QString& note)
{
    m_note->setText(note);
}

QString FilteredTable::note() const
{
    return m_note->text();
}

void FilteredTable::setEmptyText(const QString& text)
{
    m_empty->setText(text);
}

QPushButton* FilteredTable::addButton(const QString& text, const QString& tip)
{
    auto* button = new QPushButton(text, this);
    button->setToolTip(tip);
    m_top->addWidget(button);
    return button;
}

void FilteredTable::selectRow(int row)
{
    const QScopedValueRollback restoring(m_restoring, true);
    if (row >= 0)
        m_table->selectRow(row);
    else
        m_table->clearSelection();
}

bool FilteredTable::eventFilter(QObject* object, QEvent* event)
{
    if (object != m_table || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(object, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        Q_EMIT rowOpened();
        return true;
    }
    if (key == Qt::Key_Escape && m_table->selectionModel()->hasSelection()) {
        m_table->clearSelection();
        return true;
    }
    return QWidget::eventFilter(object, event);
}

} // namespace stratoplan::widgets
