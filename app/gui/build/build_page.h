// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster as a person builds it: on a canvas, or as a table.
#pragma once

#include "core/catalog/catalog.h"

#include <QWidget>

class QAction;
class QStackedLayout;

namespace stratoplan::widgets {
class ClusterTable;
class TopologyView;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class BuildPage : public QWidget {
    Q_OBJECT

public:
    /// `catalog` must outlive the page. `asTable`: checked, it shows the table; both have a button for it.
    BuildPage(const catalog::Catalog& catalog, QAction& asTable, QWidget* parent);

    [[nodiscard]] widgets::TopologyView& canvas() const { return *m_canvas; }
    [[nodiscard]] widgets::ClusterTable& table() const { return *m_table; }
    [[nodiscard]] bool isTable() const;
    void setTable(bool shows);
    /// Puts the keyboard into the canvas or the table, whichever shows.
    void focusView();

private:
    /// The keyboard goes along.
    void showTable(bool shows);

    QAction& m_asTable;
    QStackedLayout* m_views;
    widgets::TopologyView* m_canvas;
    widgets::ClusterTable* m_table;
};

} // namespace stratoplan::gui
