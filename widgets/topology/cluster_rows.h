// SPDX-License-Identifier: GPL-3.0-or-later
// One section of the table of a cluster: a heading with the way to add rows, above the rows of one kind, or words in
// place of them while there are none.
#pragma once

#include "widgets/topology/cluster_table_model.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QStackedLayout;

namespace stratoplan::widgets {

class CellView;

class ClusterRows final : public QWidget {
    Q_OBJECT
public:
    /// `emptyText`: in place of rows.
    ClusterRows(RowKind kind, const catalog::Catalog& catalog, const QString& emptyText, QWidget* parent);

    void setValue(const std::shared_ptr<const CanvasValue>& value, const std::vector<ClusterIssue>& issues);
    [[nodiscard]] ClusterTableModel& model() const { return *m_model; }
    [[nodiscard]] CellView& view() const { return *m_view; }
    /// Stands in the heading, behind its title.
    void addControl(QWidget* control, int stretch = 0);

    /// Ids of elements, or keys of links, that have a selected cell.
    [[nodiscard]] QStringList selection() const;
    /// Selects their rows whole, the first in view, unless just these have selected cells. Tells nobody.
    void setSelection(const QStringList& keys);
    /// Every column of what is selected.
    [[nodiscard]] bool selectsRows() const;
    /// The least block of cells that holds all that are selected, as spreadsheets take it.
    [[nodiscard]] QString selectedText() const;
    /// Pixels that all rows take, with the headings.
    [[nodiscard]] int wantedHeight() const;

Q_SIGNALS:
    /// By a person; `adds`: to what is selected elsewhere.
    void selectionChanged(bool adds);

private:
    void makeHeading();
    void showRows();
    void restore(const QStringList& keys, const QString& currentKey, int column);

    ClusterTableModel* m_model;
    CellView* m_view;
    QHBoxLayout* m_heading;
    QLabel* m_title;
    QLabel* m_empty;
    QStackedLayout* m_rows;
    bool m_isFitted = false; ///< columns have their widths
    bool m_restoring = false; ///< a selection that nobody made just now
};

} // namespace stratoplan::widgets
