// SPDX-License-Identifier: GPL-3.0-or-later
// The headings of tables of rows: plain, over the values, with a mark where the rows are sorted.
#pragma once

#include <QHeaderView>

namespace stratoplan::widgets {

/// With the margins of the cells.
class RowHeader : public QHeaderView {
public:
    explicit RowHeader(QWidget* parent, int margin = 12);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    [[nodiscard]] QSize sectionSizeFromContents(int section) const override;

private:
    int m_margin; ///< pixels, at both sides
};

/// With a mark where the rows are sorted.
class SortedHeader : public RowHeader {
public:
    explicit SortedHeader(QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

} // namespace stratoplan::widgets
