// SPDX-License-Identifier: GPL-3.0-or-later
// Ties canvas, inspector and palette to one another and to the document: what is built in one of them is an edit of the
// cluster, and all show what came of it.
#pragma once

#include <QObject>

namespace stratoplan {

class ClusterInspector;
class NodePalette;
class TopologyView;
class Workspace;

class BuildBinding : public QObject {
    Q_OBJECT

public:
    BuildBinding(
        Workspace& workspace, TopologyView& canvas, ClusterInspector& inspector, NodePalette& palette, QObject* parent);

private:
    void showCluster();

    Workspace& m_workspace;
    TopologyView& m_canvas;
    ClusterInspector& m_inspector;
};

} // namespace stratoplan
