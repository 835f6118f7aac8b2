// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_rows.h"

#include "widgets/panels/panel_style.h"
#include "widgets/presentation/table.h"
#include "widgets/style/theme.h"
#include "widgets/topology/cell_view.h"
#include "widgets/topology/cluster_cell_delegate.h"
#include "widgets/topology/topology_text.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QStackedLayout>

#include <set>

namespace stratoplan::widgets {

namespace {

constexpr int kEmptyHeight = 64; ///< pixels of the words in place of rows

QString titleOf(RowKind kind)
{
    return kind == RowKind::Nodes   ? ClusterRows::tr("Nodes")
        : kind == RowKind::Switches ? ClusterRows::tr("Switches")
                                    : ClusterRows::tr("Links");
}

/// Those rows whole, as few ranges.
QItemSelection rangesOf(const QAbstractItemModel& model, const std::vector<int>& rows)
{
    QItemSelection selection;
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t end = i + 1;
        while (end < rows.size() && rows[end] == rows[end - 1] + 1)
            ++end;
        selection.append(
            QItemSelectionRange(model.index(rows[i], 0), model.index(rows[end - 1], model.columnCount() - 1)));
        i = end;
    }
    return selection;
}

std::set<int> rowsOf(const QItemSelection& selection)
{
    std::set<int> rows;
    for (const QItemSelectionRange& range : selection)
        for (int row = range.top(); row <= range.bottom(); ++row)
            rows.insert(row);
    return rows;
}

} // namespace

ClusterRows::ClusterRows(RowKind kind, const catalog::Catalog& catalog, const QString& emptyText, QWidget* parent)
    : QWidget(parent)
    , m_model(new ClusterTableModel(kind, catalog, this))
    , m_view(new CellView(m_model, titleOf(kind), this))
    , m_heading(new QHBoxLayout)
    , m_title(new QLabel(titleOf(kind), this))
    , m_empty(new QLabel(emptyText, this))
    , m_rows(new QStackedLayout)
{
    auto* delegate = new ClusterCellDelegate(*m_model, m_view);
    m_view->setItemDelegate(delegate);
    connect(delegate, &ClusterCellDelegate::refused, m_model, &ClusterTableModel::refused);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeHeading();
    column->addLayout(m_heading);
    setTextRole(*m_empty, TextRole::Secondary);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setContentsMargins(24, 4, 24, 4);
    m_rows->addWidget(m_view);
    m_rows->addWidget(m_empty);
    column->addLayout(m_rows, 1);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_restoring)
            Q_EMIT selectionChanged(QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier));
    });
    showRows();
}

void ClusterRows::makeHeading()
{
    m_heading->setContentsMargins(kPanelMargin, 6, kPanelMargin, 6);
    m_heading->setSpacing(kGrid);
    setTextRole(*m_title, TextRole::Section);
    m_heading->addWidget(m_title);
}

void ClusterRows::addControl(QWidget* control, int stretch)
{
    m_heading->addWidget(control, stretch);
}

void ClusterRows::setValue(const std::shared_ptr<const CanvasValue>& value, const std::vector<ClusterIssue>& issues)
{
    const QStringList keys = selection();
    const QModelIndex current = m_view->currentIndex();
    const QString currentKey = current.isValid() ? fromText(m_model->key(current.row())) : QString();
    const QScopedValueRollback restoring(m_restoring, true);
    m_model->setValue(value, issues);
    m_title->setText(m_model->rowCount() > 1
            ? tr("%1 (%2)").arg(titleOf(m_model->kind()), groupedNumber(m_model->rowCount()))
            : titleOf(m_model->kind()));
    showRows();
    if (!m_view->currentIndex().isValid() && current.isValid())
        restore(keys, currentKey, current.column());
}

void ClusterRows::restore(const QStringList& keys, const QString& currentKey, int column)
{
    const std::vector<int> rows = m_model->rowsOf({currentKey});
    if (!rows.empty())
        m_view->selectionModel()->setCurrentIndex(m_model->index(rows.front(), column), QItemSelectionModel::NoUpdate);
    m_view->selectionModel()->select(rangesOf(*m_model, m_model->rowsOf(keys)), QItemSelectionModel::Select);
}

void ClusterRows::showRows()
{
    const bool isEmpty = m_model->rowCount() == 0;
    m_rows->setCurrentWidget(isEmpty ? static_cast<QWidget*>(m_empty) : m_view);
    if (!isEmpty && !std::exchange(m_isFitted, true))
        m_view->resizeColumnsToContents();
}

QStringList ClusterRows::selection() const
{
    QStringList keys;
    for (const int row : rowsOf(m_view->selectionModel()->selection()))
        keys << fromText(m_model->key(row));
    return keys;
}

void ClusterRows::setSelection(const QStringList& keys)
{
    const std::vector<int> rows = m_model->rowsOf(keys);
    const std::set<int> selected = rowsOf(m_view->selectionModel()->selection());
    if (std::set<int>(rows.begin(), rows.end()) == selected)
        return;
    const QScopedValueRollback restoring(m_restoring, true);
    m_view->selectionModel()->select(rangesOf(*m_model, rows), QItemSelectionModel::ClearAndSelect);
    if (rows.empty())
        return;
    const int column = std::max(0, m_view->currentIndex().column());
    m_view->selectionModel()->setCurrentIndex(m_model->index(rows.front(), column), QItemSelectionModel::NoUpdate);
    m_view->scrollTo(m_model->index(rows.front(), column));
}

bool ClusterRows::selectsRows() const
{
    const QItemSelection selection = m_view->selectionModel()->selection();
    return !selection.isEmpty() && std::all_of(selection.begin(), selection.end(), [this](const auto& range) {
        return range.left() == 0 && range.right() == m_model->columnCount() - 1;
    });
}

QString ClusterRows::selectedText() const
{
    const QItemSelection selection = m_view->selectionModel()->selection();
    int left = m_model->columnCount(), right = -1;
    for (const QItemSelectionRange& range : selection) {
        left = std::min(left, range.left());
        right = std::max(right, range.right());
    }
    ChartTable table;
    for (const int row : rowsOf(selection)) {
        QStringList line;
        for (int column = left; column <= right; ++column)
            line << m_model->index(row, column).data().toString();
        table.rows << line;
    }
    if (!table.rows.isEmpty())
        table.columns = table.rows.takeFirst(); // spreadsheets take cells alone
    return toTsv(table);
}

int ClusterRows::wantedHeight() const
{
    const int rows = m_model->rowCount();
    const int body = rows == 0
        ? kEmptyHeight
        : m_view->horizontalHeader()->sizeHint().height() + (rows + 1) * m_view->verticalHeader()->defaultSectionSize();
    return m_heading->sizeHint().height() + body;
}

} // namespace stratoplan::widgets
