// SPDX-License-Identifier: GPL-3.0-or-later
// Ties canvas, table, inspector and palette to one another and to the document: what is built in one of them is an edit
// of the cluster, and all show what came of it.
#pragma once

#include "app/gui/build/overlay_binding.h"
#include "app/gui/build/what_if_binding.h"

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::widgets {
class ClusterInspector;
class ClusterTable;
class NodePalette;
class TopologyView;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class BuildPage;

class BuildBinding : public QObject {
    Q_OBJECT

public:
    BuildBinding(session::Workspace& workspace, BuildPage& page, widgets::ClusterInspector& inspector,
        widgets::NodePalette& palette, QObject* parent);

private:
    void connectCanvas(widgets::NodePalette& palette);
    /// The canvas does what the table asks for: both have one selection.
    void connectTable();
    void showCluster();

    session::Workspace& m_workspace;
    widgets::TopologyView& m_canvas;
    widgets::ClusterTable& m_table;
    widgets::ClusterInspector& m_inspector;
    WhatIfBinding m_whatIfs;
    OverlayBinding m_overlays;
};

} // namespace stratoplan::gui
