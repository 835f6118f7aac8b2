// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/build_binding.h"

#include "app/session/workspace.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_view.h"

namespace stratoplan::gui {

BuildBinding::BuildBinding(session::Workspace& workspace, widgets::TopologyView& canvas,
    widgets::ClusterInspector& inspector, widgets::NodePalette& palette, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_canvas(canvas)
    , m_inspector(inspector)
    , m_whatIfs(workspace, inspector, nullptr)
    , m_overlays(workspace, canvas.topologyScene()->overlays(), inspector, nullptr)
{
    connect(&workspace.document(), &session::ProjectDocument::changed, this, [this](session::ProjectParts parts) {
        if (parts & (session::ProjectPart::Plan | session::ProjectPart::Canvas))
            showCluster();
    });
    connect(&canvas, &widgets::TopologyView::clusterEdited, &workspace, &session::Workspace::editCluster);
    connect(&inspector, &widgets::ClusterInspector::clusterEdited, &workspace, &session::Workspace::editCluster);
    connect(&canvas, &widgets::TopologyView::selectionChanged, &inspector, &widgets::ClusterInspector::setSelection);
    connect(&canvas, &widgets::TopologyView::selectionChanged, &m_whatIfs, &WhatIfBinding::setSelection);
    connect(&canvas, &widgets::TopologyView::selectionChanged, &m_overlays, &OverlayBinding::setSelection);
    connect(&canvas, &widgets::TopologyView::editRequested, &inspector, &widgets::ClusterInspector::edit);
    connect(&inspector, &widgets::ClusterInspector::elementRequested, &canvas, &widgets::TopologyView::showElement);
    connect(&palette, &widgets::NodePalette::presetArmed, &canvas, &widgets::TopologyView::armPreset);
    connect(&palette, &widgets::NodePalette::presetActivated, &canvas, &widgets::TopologyView::placePreset);
    connect(&canvas, &widgets::TopologyView::presetDisarmed, &palette, &widgets::NodePalette::disarm);
}

void BuildBinding::showCluster()
{
    const plan::Project& project = m_workspace.document().project();
    m_canvas.setCluster(project.plan.cluster, project.canvas);
    m_inspector.setCluster(project.plan.cluster, project.canvas);
}

} // namespace stratoplan::gui
