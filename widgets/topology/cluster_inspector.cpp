// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_inspector.h"

#include "widgets/topology/inspector_page.h"
#include "widgets/topology/issue_list.h"
#include "widgets/topology/mixed_page.h"
#include "widgets/topology/topology_text.h"
#include "widgets/topology/what_if_list.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::widgets {

ClusterInspector::ClusterInspector(const catalog::Catalog& catalog, QWidget* parent)
    : QScrollArea(parent)
    , m_nodes(new NodesPage(catalog))
    , m_switches(new SwitchesPage(catalog))
    , m_connection(new ConnectionPage(catalog))
    , m_totals(new TotalsPage(catalog))
    , m_mixed(new MixedPage)
    , m_whatIfs(new WhatIfList)
    , m_issues(new IssueList)
{
    setAccessibleName(tr("Inspector"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (InspectorPage* page : std::initializer_list<InspectorPage*>{m_nodes, m_switches, m_connection, m_totals})
        addPage(page, *column);
    addPage(m_mixed, *column);
    column->addWidget(m_whatIfs);
    column->addWidget(m_issues);
    column->addStretch();
    setWidget(content);
    setMinimumWidth(232);
    viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    connect(m_issues, &IssueList::elementRequested, this, &ClusterInspector::elementRequested);
    connect(m_issues, &IssueList::mendRequested, this, [this](const cluster::Cluster& cluster, const QString& text) {
        Q_EMIT clusterEdited(cluster, m_value.positions, text);
    });
    refresh();
}

template <class Page>
void ClusterInspector::addPage(Page* page, QLayout& column)
{
    column.addWidget(page);
    connect(page, &Page::edited, this, [this](const cluster::Cluster& cluster, const QString& text) {
        Q_EMIT clusterEdited(cluster, m_value.positions, text);
    });
    connect(page, &Page::finished, this, &ClusterInspector::finished);
}

void ClusterInspector::showEvent(QShowEvent* event)
{
    QScrollArea::showEvent(event);
    Q_EMIT shown();
}

QSize ClusterInspector::sizeHint() const
{
    return {296, 520};
}

void ClusterInspector::setCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions)
{
    const bool shown = cluster == m_value.cluster;
    m_value = {cluster, positions};
    if (!shown)
        refresh();
}

void ClusterInspector::setSelection(const QStringList& keys)
{
    if (keys == m_selection)
        return;
    m_selection = keys;
    refresh();
}

void ClusterInspector::edit(const QString& key)
{
    setSelection({key});
    ensureVisible(0, 0);
    if (InspectorPage* page = currentPage())
        page->focusName();
}

void ClusterInspector::setCrossing(const QString& groups)
{
    m_connection->setCrossing(groups);
}

void ClusterInspector::setBusy(const QString& busy, const QString& explanation)
{
    m_connection->setBusy(busy, explanation);
}

QString ClusterInspector::commitPending()
{
    InspectorPage* page = currentPage();
    if (page)
        return page->commitPending();
    m_mixed->commitPending();
    return {};
}

InspectorPage* ClusterInspector::currentPage() const
{
    for (InspectorPage* page : std::initializer_list<InspectorPage*>{m_nodes, m_switches, m_connection, m_totals}) {
        if (!page->isHidden())
            return page;
    }
    return nullptr;
}

void ClusterInspector::refresh()
{
    std::vector<std::string> keys;
    for (const QString& key : m_selection)
        keys.push_back(key.toStdString());
    const auto nodes = rowsOf(m_value.cluster, RowKind::Nodes, keys);
    const auto switches = rowsOf(m_value.cluster, RowKind::Switches, keys);
    const auto links = rowsOf(m_value.cluster, RowKind::Links, keys);
    const std::size_t all = nodes.size() + switches.size() + links.size();
    const auto show = [&](InspectorPage* page, const std::vector<std::size_t>& rows, bool visible) {
        page->setVisible(visible);
        if (visible)
            page->setRows(m_value.cluster, rows);
    };
    show(m_nodes, nodes, !nodes.empty() && nodes.size() == all);
    show(m_switches, switches, !switches.empty() && switches.size() == all);
    show(m_connection, links, !links.empty() && links.size() == all);
    show(m_totals, {0}, all == 0);
    m_mixed->setVisible(!currentPage());
    if (!m_mixed->isHidden())
        m_mixed->setSelection(m_value.cluster, m_selection);
    std::vector<std::string> elements;
    for (const std::size_t row : nodes)
        elements.push_back(m_value.cluster.nodes[row].id);
    for (const std::size_t row : switches)
        elements.push_back(m_value.cluster.switches[row].id);
    for (const std::size_t row : links) { // what is wrong with a link is said of its ends
        elements.push_back(m_value.cluster.connections[row].from);
        elements.push_back(m_value.cluster.connections[row].to);
    }
    m_issues->setCluster(m_value.cluster, elements);
}

} // namespace stratoplan::widgets
