// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster canvas. It shows a cluster value and reports what the person did with it as a new value; it never changes
// what it shows by itself: whoever owns the cluster takes clusterEdited() and answers with setCluster(). An edit that
// is not answered springs back.
//
// Mouse: drag moves, rubber band selects, wheel zooms at the pointer, middle button pans, drop places a preset, the
// link tool draws from one element to another. Keys: Tab walks, arrows move, Enter edits, L links, F fits, Delete,
// Ctrl+D.
#pragma once

#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/topology_scene.h"

#include <QGraphicsView>
#include <QPointer>

class QAction;
class QGraphicsPathItem;
class QMenu;
class QToolButton;

namespace stratoplan {

class CanvasHint;
class CanvasLegend;
class CanvasMap;
class CanvasToolBar;
class GhostCard;
enum class HintKind;

class TopologyView final : public QGraphicsView {
    Q_OBJECT
public:
    enum class Tool { Select, Link, Pan };
    Q_ENUM(Tool)

    /// The catalogue must outlive the view.
    explicit TopologyView(const Catalog& catalog, QWidget* parent = nullptr);
    ~TopologyView() override;

    /// Shows the cluster, unless it does already. Elements without a position are laid out automatically. A cluster
    /// that shares no element with the one before is brought into view as a whole.
    void setCluster(const Cluster& cluster, const CanvasPositions& positions);
    [[nodiscard]] const CanvasValue& value() const { return m_value; }
    [[nodiscard]] TopologyScene* topologyScene() const { return m_scene; }

    [[nodiscard]] Tool tool() const { return m_tool; }
    void setTool(Tool tool);
    [[nodiscard]] double zoom() const;
    /// About the middle of the view; 1 = card sizes as designed.
    void setZoom(double zoom);
    /// Everything in view, at most at 125 %.
    void fit();

    /// Ids of elements and keys of connections.
    [[nodiscard]] QStringList selection() const;
    void setSelection(const QStringList& keys);
    /// Selects it and brings it into view.
    void showElement(const QString& key);

    /// The next click on the canvas places the preset (a key as in preset_key.h); empty = none.
    void armPreset(const QString& key);
    [[nodiscard]] const QString& armedPreset() const { return m_armed; }
    /// Places the preset on a free place in the middle of the view, or replaces the cluster by a preset cluster.
    void placePreset(const QString& key);
    void placePresetAt(const QString& key, const QPointF& scenePosition);

    void removeSelection();
    void duplicateSelection();
    void setSelectionCount(int count);
    void tidy();

    /// What the tool in hand says at the moment; empty = nothing.
    [[nodiscard]] QString hintText() const;

Q_SIGNALS:
    /// The person edited the cluster; `actionText` names the edit for the undo menu.
    void clusterEdited(
        const stratoplan::Cluster& cluster, const stratoplan::CanvasPositions& positions, const QString& actionText);
    void selectionChanged(const QStringList& keys);
    /// Enter or a double click: the person wants to edit the name and properties of this.
    void editRequested(const QString& key);
    /// The armed preset was placed or given up.
    void presetDisarmed();

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    bool focusNextPrevChild(bool next) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    // topology_view.cpp
    void propose(const CanvasValue& next, const QString& text, const QStringList& selectAfter);
    [[nodiscard]] QString namesOf(const QStringList& keys) const;
    [[nodiscard]] Link fallbackLink() const;
    void commitMoves();
    void zoomAt(double factor, const QPointF& viewportPosition);
    void applyZoom(double zoom);
    void viewChanged();
    // topology_view_setup.cpp
    void createActions();
    void createOverlays();
    QAction* addTool(const QString& text, const QString& iconName, const QKeySequence& key, const QString& toolTip);
    void layoutOverlays();
    void updateEmptyState();
    void updateOverlays();
    [[nodiscard]] bool legendShows() const;
    // topology_view_keys.cpp
    bool stepCurrent(bool next);
    void nudge(int key, Qt::KeyboardModifiers modifiers);
    void activateCurrent();
    bool escape();
    // topology_view_tools.cpp
    void startLink(const std::string& source);
    void aimLink(const std::string& target, const QPointF& scenePosition);
    void finishLink(const std::string& target);
    void clearLink();
    void markLinkTarget(const std::string& target, bool possible);
    void showHint(HintKind kind, const QString& text, const QPoint& at);
    void showToolHint();
    void moveGhost(const QString& presetKey, const QPointF& scenePosition);

    const Catalog* m_catalog;
    TopologyScene* m_scene;
    CanvasValue m_value;
    quint64 m_revision = 0;
    QStringList m_selectAfter;
    Tool m_tool = Tool::Select;
    bool m_autoFit = true; ///< until the person zooms or pans, the whole cluster stays in view
    QString m_armed;
    std::string m_linkSource;
    std::string m_linkTarget;
    bool m_linkDragged = false;
    bool m_panning = false;
    bool m_nudged = false;
    QPoint m_lastPan;
    QGraphicsPathItem* m_linkPreview = nullptr;
    GhostCard* m_ghost = nullptr;
    CanvasToolBar* m_toolBar = nullptr;
    QToolButton* m_zoomButton = nullptr;
    CanvasHint* m_hint = nullptr;
    CanvasLegend* m_legend = nullptr;
    CanvasMap* m_map = nullptr;
    QWidget* m_empty = nullptr;
    QAction* m_selectTool = nullptr;
    QAction* m_linkTool = nullptr;
    QAction* m_panTool = nullptr;
    QAction* m_delete = nullptr;
    QAction* m_duplicate = nullptr;
};

} // namespace stratoplan
