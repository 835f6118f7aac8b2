// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_workspace.h"

#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_view.h"

#include <QSplitter>

namespace stratoplan {

namespace {

constexpr int kRoomForPalette = 560;
constexpr int kRoomForInspector = 780;

} // namespace

TopologyWorkspace::TopologyWorkspace(const Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_palette(new NodePalette(catalog, m_splitter))
    , m_view(new TopologyView(catalog, m_splitter))
    , m_inspector(new ClusterInspector(catalog, m_splitter))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_splitter);
    // The canvas alone is the least: the panels beside it make way.
    row->setSizeConstraint(QLayout::SetNoConstraint);
    setMinimumSize(m_view->minimumSize());
    setFocusProxy(m_view);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setStretchFactor(2, 0);
    m_splitter->setHandleWidth(1);

    connect(m_palette, &NodePalette::presetArmed, m_view, &TopologyView::armPreset);
    connect(m_palette, &NodePalette::presetActivated, this, [this](const QString& key) {
        m_view->armPreset({});
        m_view->placePreset(key);
    });
    connect(m_view, &TopologyView::presetDisarmed, m_palette, &NodePalette::disarm);
    connect(m_view, &TopologyView::selectionChanged, m_inspector, &ClusterInspector::setSelection);
    connect(m_view, &TopologyView::editRequested, this, [this](const QString& key) {
        m_inspector->show(); // asked for by name, so it comes even where it is tight
        m_inspector->edit(key);
    });
    connect(m_inspector, &ClusterInspector::elementRequested, m_view, &TopologyView::showElement);
    connect(m_view, &TopologyView::clusterEdited, this, &TopologyWorkspace::clusterEdited);
    connect(m_inspector, &ClusterInspector::clusterEdited, this, &TopologyWorkspace::clusterEdited);
}

void TopologyWorkspace::setCluster(const Cluster& cluster, const CanvasPositions& positions)
{
    // The view lays out what has no position; the inspector passes the same positions on with its edits.
    m_view->setCluster(cluster, positions);
    m_inspector->setCluster(m_view->value().cluster, m_view->value().positions);
}

void TopologyWorkspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_palette->setVisible(width() >= kRoomForPalette);
    m_inspector->setVisible(width() >= kRoomForInspector);
}

} // namespace stratoplan
