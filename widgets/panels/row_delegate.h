// SPDX-License-Identifier: GPL-3.0-or-later
// How tables of rows paint a cell: one line or two, elided, muted where the model says so, with a box to
// check where it has a state to check.
#pragma once

#include <QStyledItemDelegate>

namespace stratoplan::widgets {

class RowDelegate : public QStyledItemDelegate {
public:
    enum Role { SecondLineRole = Qt::UserRole, JudgementRole, MutedRole };

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
        const QModelIndex& index) override;
};

} // namespace stratoplan::widgets
