// SPDX-License-Identifier: GPL-3.0-or-later
// How the table of plans paints its cells: the value, under it the range, under that the difference from the baseline.
#pragma once

#include <QStyledItemDelegate>

namespace stratoplan::gui {

class PlansDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Of the three lines.
    [[nodiscard]] static int rowHeight(const QFontMetrics& metrics);
};

} // namespace stratoplan::gui
