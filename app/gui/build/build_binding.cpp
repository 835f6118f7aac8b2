// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/build_binding.h"

#include "app/session/workspace.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_view.h"

namespace stratoplan {

BuildBinding::BuildBinding(
    Workspace& workspace, TopologyView& canvas, ClusterInspector& inspector, NodePalette& palette, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_canvas(canvas)
    , m_inspector(inspector)
{
    connect(&workspace.document(), &ProjectDocument::changed, this, [this](ProjectParts parts) {
        if (parts & (ProjectPart::Plan | ProjectPart::Canvas))
            showCluster();
    });
    connect(&canvas, &TopologyView::clusterEdited, &workspace, &Workspace::editCluster);
    connect(&inspector, &ClusterInspector::clusterEdited, &workspace, &Workspace::editCluster);
    connect(&canvas, &TopologyView::selectionChanged, &inspector, &ClusterInspector::setSelection);
    connect(&canvas, &TopologyView::editRequested, &inspector, &ClusterInspector::edit);
    connect(&inspector, &ClusterInspector::elementRequested, &canvas, &TopologyView::showElement);
    connect(&palette, &NodePalette::presetArmed, &canvas, &TopologyView::armPreset);
    connect(&palette, &NodePalette::presetActivated, &canvas, &TopologyView::placePreset);
    connect(&canvas, &TopologyView::presetDisarmed, &palette, &NodePalette::disarm);
}

void BuildBinding::showCluster()
{
    const Project& project = m_workspace.document().project();
    m_canvas.setCluster(project.plan.cluster, project.canvas);
    m_inspector.setCluster(project.plan.cluster, project.canvas);
}

} // namespace stratoplan
