// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the table of a cluster: painted as rows of tables are, with a mark where something is wrong, and edited with
// the controls of the inspector. A wrong text stays in its control, marked, and changes nothing.
#pragma once

#include "widgets/panels/row_delegate.h"

namespace stratoplan::widgets {

class ClusterTableModel;

class ClusterCellDelegate final : public RowDelegate {
    Q_OBJECT
public:
    ClusterCellDelegate(ClusterTableModel& model, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QWidget* createEditor(
        QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void updateEditorGeometry(
        QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// A toggle needs no control: the space bar, Enter, F2 and a double click turn it.
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
        const QModelIndex& index) override;

Q_SIGNALS:
    /// What is typed cannot be taken.
    void refused(const QString& why);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    /// Opens the list of the control, if it has one; when it closes, the control goes.
    void openList(QWidget* editor);
    /// Unless the rows are others by now.
    void endEditing(QWidget* editor);

    ClusterTableModel& m_model;
};

} // namespace stratoplan::widgets
