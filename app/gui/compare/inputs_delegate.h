// SPDX-License-Identifier: GPL-3.0-or-later
// How the table of inputs paints its cells: what differs from the baseline stands out, and is marked before its text.
#pragma once

#include <QStyledItemDelegate>

namespace stratoplan::gui {

class InputsDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace stratoplan::gui
