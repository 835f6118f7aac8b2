// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/build_page.h"

#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/cell_view.h"
#include "widgets/topology/cluster_rows.h"
#include "widgets/topology/cluster_table.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QStackedLayout>

namespace stratoplan::gui {

BuildPage::BuildPage(const catalog::Catalog& catalog, QAction& asTable, QWidget* parent)
    : QWidget(parent)
    , m_asTable(asTable)
    , m_views(new QStackedLayout(this))
    , m_canvas(new widgets::TopologyView(catalog, this))
    , m_table(new widgets::ClusterTable(catalog, this))
{
    m_views->addWidget(m_canvas);
    m_views->addWidget(m_table);
    m_canvas->toolBar().addSeparator();
    m_canvas->toolBar().addTool(&asTable);
    m_table->addTool(&asTable);
    connect(&asTable, &QAction::toggled, this, &BuildPage::showTable);
}

bool BuildPage::isTable() const
{
    return m_asTable.isChecked();
}

void BuildPage::setTable(bool shows)
{
    m_asTable.setChecked(shows);
}

void BuildPage::showTable(bool shows)
{
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    m_views->setCurrentWidget(shows ? static_cast<QWidget*>(m_table) : m_canvas);
    if (hadFocus)
        focusView();
}

void BuildPage::focusView()
{
    if (isTable())
        m_table->sections().front()->view().setFocus(Qt::OtherFocusReason);
    else
        m_canvas->setFocus(Qt::OtherFocusReason);
}

} // namespace stratoplan::gui
