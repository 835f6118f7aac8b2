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
    explicit CanvasPage(const cluster::Cluster& cluster = {}, QSize size = {1200, 760})
        : m_palette(new widgets::NodePalette(catalog::shippedCatalog(), &window))
        , m_view(new widgets::TopologyView(catalog::shippedCatalog(), &window))
        , m_inspector(new widgets::ClusterInspector(catalog::shippedCatalog(), &window))
    {
        auto* row = new QHBoxLayout(&window);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(1);
        row->addWidget(m_palette);
        row->addWidget(m_view, 1);
        row->addWidget(m_inspector);
        m_palette->setFixedWidth(m_palette->sizeHint().width());
        m_inspector->setFixedWidth(m_inspector->sizeHint().width());
        const auto take = [this](const cluster::Cluster& c, const plan::CanvasPositions& p, const QString& text) {
            texts << text;
            setCluster(c, p);
        };
        QObject::connect(m_view, &widgets::TopologyView::clusterEdited, &window, take);
        QObject::connect(m_inspector, &widgets::ClusterInspector::clusterEdited, &window, take);
        QObject::connect(
            m_view, &widgets::TopologyView::selectionChanged, m_inspector, &widgets::ClusterInspector::setSelection);
        QObject::connect(m_view, &widgets::TopologyView::editRequested, m_inspector, &widgets::ClusterInspector::edit);
        QObject::connect(
            m_inspector, &widgets::ClusterInspector::elementRequested, m_view, &widgets::TopologyView::showElement);
        QObject::connect(m_inspector, &widgets::ClusterInspector::finished, m_view,
            [this] { m_view->setFocus(Qt::OtherFocusReason); });
        QObject::connect(m_palette, &widgets::NodePalette::presetArmed, m_view, &widgets::TopologyView::armPreset);
        QObject::connect(
            m_palette, &widgets::NodePalette::presetActivated, m_view, &widgets::TopologyView::placePreset);
        QObject::connect(m_view, &widgets::TopologyView::presetDisarmed, m_palette, &widgets::NodePalette::disarm);
        setCluster(cluster, {});
        window.resize(size);
        window.show();
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            qWarning("The window did not become active");
        m_view->setFocus(Qt::OtherFocusReason);
    }

    void setCluster(const cluster::Cluster& c, const plan::CanvasPositions& p)
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

    widgets::TopologyView& view() { return *m_view; }
    widgets::TopologyScene& scene() { return *m_view->topologyScene(); }
    widgets::NodePalette& palette() { return *m_palette; }
    widgets::ClusterInspector& inspector() { return *m_inspector; }
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
    widgets::CanvasValue value;
    QStringList texts; ///< what the edits were called

private:
    widgets::NodePalette* m_palette;
    widgets::TopologyView* m_view;
    widgets::ClusterInspector* m_inspector;
};

} // namespace stratoplan::test
