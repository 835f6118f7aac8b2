// SPDX-License-Identifier: GPL-3.0-or-later
// How the table of plans paints its cells: the value, under it the difference from the baseline; a small stacked bar
// for where the step goes.
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace stratoplan {

class PlansDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Headings over the values, with the same margins.
class PlansHeader : public QHeaderView {
public:
    explicit PlansHeader(QWidget* parent);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    [[nodiscard]] QSize sectionSizeFromContents(int section) const override;
};

/// With a mark where the rows are sorted.
class SortedHeader : public PlansHeader {
public:
    explicit SortedHeader(QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

} // namespace stratoplan
