// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/build/build_binding.h"

#include "app/gui/build/build_page.h"
#include "app/session/workspace.h"
#include "widgets/topology/canvas_clipboard.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/cluster_table.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_view.h"

namespace stratoplan::gui {

BuildBinding::BuildBinding(session::Workspace& workspace, BuildPage& page, widgets::ClusterInspector& inspector,
    widgets::NodePalette& palette, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_canvas(page.canvas())
    , m_table(page.table())
    , m_inspector(inspector)
    , m_whatIfs(workspace, inspector, nullptr)
    , m_overlays(workspace, page.canvas().topologyScene()->overlays(), inspector, nullptr)
{
    connect(&workspace.document(), &session::ProjectDocument::changed, this, [this](session::ProjectParts parts) {
        if (parts & (session::ProjectPart::Plan | session::ProjectPart::Canvas))
            showCluster();
    });
    connect(&inspector, &widgets::ClusterInspector::clusterEdited, &workspace, &session::Workspace::editCluster);
    connect(&inspector, &widgets::ClusterInspector::finished, &page, &BuildPage::focusView);
    connectCanvas(palette);
    connectTable();
}

void BuildBinding::connectCanvas(widgets::NodePalette& palette)
{
    connect(&m_canvas, &widgets::TopologyView::clusterEdited, &m_workspace, &session::Workspace::editCluster);
    connect(
        &m_canvas, &widgets::TopologyView::selectionChanged, &m_inspector, &widgets::ClusterInspector::setSelection);
    connect(&m_canvas, &widgets::TopologyView::selectionChanged, &m_whatIfs, &WhatIfBinding::setSelection);
    connect(&m_canvas, &widgets::TopologyView::selectionChanged, &m_overlays, &OverlayBinding::setSelection);
    connect(&m_canvas, &widgets::TopologyView::editRequested, &m_inspector, &widgets::ClusterInspector::edit);
    connect(&m_inspector, &widgets::ClusterInspector::elementRequested, &m_canvas, &widgets::TopologyView::showElement);
    connect(&palette, &widgets::NodePalette::presetArmed, &m_canvas, &widgets::TopologyView::armPreset);
    connect(&palette, &widgets::NodePalette::presetActivated, &m_canvas, &widgets::TopologyView::placePreset);
    connect(&m_canvas, &widgets::TopologyView::presetDisarmed, &palette, &widgets::NodePalette::disarm);
}

void BuildBinding::connectTable()
{
    connect(&m_canvas, &widgets::TopologyView::selectionChanged, &m_table, &widgets::ClusterTable::setSelection);
    connect(&m_table, &widgets::ClusterTable::selectionChanged, &m_canvas, &widgets::TopologyView::setSelection);
    connect(&m_table, &widgets::ClusterTable::edited, &m_canvas,
        [this](const widgets::CanvasEdit& edit) { m_canvas.propose(std::optional(edit)); });
    connect(&m_table, &widgets::ClusterTable::refused, &m_canvas, &widgets::TopologyView::refused);
    connect(&m_table, &widgets::ClusterTable::presetWanted, &m_canvas, &widgets::TopologyView::placePreset);
    connect(&m_table, &widgets::ClusterTable::removeWanted, &m_canvas, &widgets::TopologyView::removeSelection);
    widgets::CanvasClipboard& clipboard = m_canvas.clipboard();
    connect(&m_table, &widgets::ClusterTable::duplicateWanted, &clipboard, &widgets::CanvasClipboard::duplicate);
    connect(&m_table, &widgets::ClusterTable::cutWanted, &clipboard, &widgets::CanvasClipboard::cut);
    connect(&m_table, &widgets::ClusterTable::copyWanted, &clipboard, &widgets::CanvasClipboard::copy);
    connect(&m_table, &widgets::ClusterTable::pasteWanted, &clipboard, &widgets::CanvasClipboard::paste);
}

void BuildBinding::showCluster()
{
    const plan::Project& project = m_workspace.document().project();
    m_table.setCluster(project.plan.cluster, project.canvas); // the canvas selects what is new in it
    m_canvas.setCluster(project.plan.cluster, project.canvas);
    m_inspector.setCluster(project.plan.cluster, project.canvas);
}

} // namespace stratoplan::gui
