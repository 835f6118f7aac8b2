// SPDX-License-Identifier: GPL-3.0-or-later
// Palette, canvas and inspector side by side and wired as a window wires them, with an owner of the cluster that takes
// every edit and answers with the new value, as a document does.
#pragma once

#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/inspector_page.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_view.h"

#include <QBoxLayout>
#include <QTest>
#include <QWidget>

namespace stratoplan::test {

class CanvasPage {
public:
    explicit CanvasPage(const Cluster& cluster = {}, QSize size = {1200, 760})
        : m_palette(new NodePalette(shippedCatalog(), &window))
        , m_view(new TopologyView(shippedCatalog(), &window))
        , m_inspector(new ClusterInspector(shippedCatalog(), &window))
    {
        auto* row = new QHBoxLayout(&window);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(1);
        row->addWidget(m_palette);
        row->addWidget(m_view, 1);
        row->addWidget(m_inspector);
        m_palette->setFixedWidth(m_palette->sizeHint().width());
        m_inspector->setFixedWidth(m_inspector->sizeHint().width());
        const auto take = [this](const Cluster& c, const CanvasPositions& p, const QString& text) {
            texts << text;
            setCluster(c, p);
        };
        QObject::connect(m_view, &TopologyView::clusterEdited, &window, take);
        QObject::connect(m_inspector, &ClusterInspector::clusterEdited, &window, take);
        QObject::connect(m_view, &TopologyView::selectionChanged, m_inspector, &ClusterInspector::setSelection);
        QObject::connect(m_view, &TopologyView::editRequested, m_inspector, &ClusterInspector::edit);
        QObject::connect(m_inspector, &ClusterInspector::elementRequested, m_view, &TopologyView::showElement);
        QObject::connect(m_palette, &NodePalette::presetArmed, m_view, &TopologyView::armPreset);
        QObject::connect(m_palette, &NodePalette::presetActivated, m_view, &TopologyView::placePreset);
        QObject::connect(m_view, &TopologyView::presetDisarmed, m_palette, &NodePalette::disarm);
        setCluster(cluster, {});
        window.resize(size);
        window.show();
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            qWarning("The window did not become active");
        m_view->setFocus(Qt::OtherFocusReason);
    }

    void setCluster(const Cluster& c, const CanvasPositions& p)
    {
        value = {c, p};
        m_view->setCluster(c, p);
        m_inspector->setCluster(c, p);
    }
    /// The canvas alone, as in a small window.
    void showCanvasOnly()
    {
        m_palette->hide();
        m_inspector->hide();
        window.layout()->activate(); // the least size of the window follows at once
    }

    TopologyView& view() { return *m_view; }
    TopologyScene& scene() { return *m_view->topologyScene(); }
    NodePalette& palette() { return *m_palette; }
    ClusterInspector& inspector() { return *m_inspector; }
    QWidget* canvas() { return m_view->viewport(); }
    QPoint at(const std::string& id) { return m_view->mapFromScene(scene().element(id)->pos()); }
    void select(const QString& key) { m_view->setSelection({key}); }
    /// The field of the inspector's page with this accessible name.
    template <class T>
    T* field(const QString& name)
    {
        for (T* each : m_inspector->currentPage()->findChildren<T*>()) {
            if (each->accessibleName() == name)
                return each;
        }
        return nullptr;
    }

    QWidget window;
    CanvasValue value;
    QStringList texts; ///< what the edits were called

private:
    NodePalette* m_palette;
    TopologyView* m_view;
    ClusterInspector* m_inspector;
};

} // namespace stratoplan::test
