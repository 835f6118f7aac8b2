// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster page as a whole: palette, canvas and inspector side by side, wired to one another. Where there is no room
// for all three, the canvas stays and the others make way.
#pragma once

#include "widgets/topology/cluster_edit.h"

#include <QWidget>

class QSplitter;

namespace stratoplan {

class ClusterInspector;
class NodePalette;
class TopologyView;

class TopologyWorkspace final : public QWidget {
    Q_OBJECT
public:
    /// The catalogue must outlive the widget.
    explicit TopologyWorkspace(const Catalog& catalog, QWidget* parent = nullptr);

    void setCluster(const Cluster& cluster, const CanvasPositions& positions);
    [[nodiscard]] TopologyView& view() const { return *m_view; }
    [[nodiscard]] NodePalette& palettePanel() const { return *m_palette; }
    [[nodiscard]] ClusterInspector& inspector() const { return *m_inspector; }

Q_SIGNALS:
    /// One edit of the person, from the canvas or the inspector; answer with setCluster().
    void clusterEdited(const stratoplan::Cluster& cluster, const stratoplan::CanvasPositions& positions, const QString& actionText);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QSplitter* m_splitter;
    NodePalette* m_palette;
    TopologyView* m_view;
    ClusterInspector* m_inspector;
};

} // namespace stratoplan
