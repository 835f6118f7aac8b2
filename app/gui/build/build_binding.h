// SPDX-License-Identifier: GPL-3.0-or-later
// Ties canvas, inspector and palette to one another and to the document: what is built in one of them is an edit of the
// cluster, and all show what came of it.
#pragma once

#include "app/gui/build/overlay_binding.h"
#include "app/gui/build/what_if_binding.h"

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::widgets {
class ClusterInspector;
class NodePalette;
class TopologyView;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class BuildBinding : public QObject {
    Q_OBJECT

public:
    BuildBinding(session::Workspace& workspace, widgets::TopologyView& canvas, widgets::ClusterInspector& inspector,
        widgets::NodePalette& palette, QObject* parent);

private:
    void showCluster();

    session::Workspace& m_workspace;
    widgets::TopologyView& m_canvas;
    widgets::ClusterInspector& m_inspector;
    WhatIfBinding m_whatIfs;
    OverlayBinding m_overlays;
};

} // namespace stratoplan::gui
