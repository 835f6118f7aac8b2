// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster canvas. It shows a cluster value and reports what the person did with it as a new value; it never changes
// what it shows by itself: whoever owns the cluster takes clusterEdited() and answers with setCluster(). An edit that
// is not answered springs back.
//
// Mouse: drag moves (onto the grid or into line with others, freely with Alt or Ctrl; into racks and out of them, but
// with Shift), rubber band selects, wheel zooms at the pointer, middle button pans, drop places a preset, the link tool
// draws from one element to another. The frame of a rack selects and moves all that stands in it, a double click on it
// renames it. Keys: Tab walks, arrows move, Enter edits, L links, F fits, Delete, Ctrl+D, Ctrl+X, Ctrl+C, Ctrl+V,
// Ctrl+G groups into a rack, Shift+G selects one, F2 renames it, Ctrl+Shift+G takes it apart.
//
// The view hands events on. What an edit makes of the value is in canvas_edits.h, what is in view in CanvasView, the
// tool in hand in CanvasTools, what keys do in CanvasKeys, copies in CanvasClipboard, what floats over the canvas in
// CanvasPlates, frames of racks in RackFrames, and what may be chosen in CanvasActions.
#pragma once

#include "widgets/topology/canvas_actions.h"
#include "widgets/topology/canvas_edits.h"
#include "widgets/topology/canvas_tools.h"
#include "widgets/topology/canvas_view.h"
#include "widgets/topology/topology_scene.h"

#include <QPointer>

#include <memory>
#include <optional>

namespace stratoplan::widgets {

class CanvasClipboard;
class CanvasKeys;
class CanvasPlates;
class CanvasToolBar;

class TopologyView final : public CanvasView {
    Q_OBJECT
public:
    using Tool = CanvasTools::Tool;

    /// The catalogue must outlive the view.
    explicit TopologyView(const catalog::Catalog& catalog, QWidget* parent = nullptr);
    ~TopologyView() override;

    /// Shows the cluster, unless it does already. Elements without a position are laid out automatically. A cluster
    /// that shares no element with the one before is brought into view as a whole.
    void setCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions);
    [[nodiscard]] const CanvasValue& value() const { return m_value; }
    [[nodiscard]] TopologyScene* topologyScene() const { return m_scene; }

    [[nodiscard]] Tool tool() const { return m_tools->tool(); }
    void setTool(Tool tool) { m_tools->setTool(tool); }
    /// Everything in view, at most at 125 %.
    void fit();

    /// Ids of elements and keys of connections.
    [[nodiscard]] QStringList selection() const { return m_scene->selectedKeys(); }
    void setSelection(const QStringList& keys);
    /// Selects it and brings it into view.
    void showElement(const QString& key);

    /// The next click on the canvas places the preset (a key as in preset_key.h); empty = none.
    void armPreset(const QString& key) { m_tools->arm(key); }
    [[nodiscard]] const QString& armedPreset() const { return m_tools->armed(); }
    /// On a free place in the middle of the view, in no rack; a preset cluster in place of all.
    void placePreset(const QString& key);
    void placePresetAt(const QString& key, const QPointF& scenePosition);

    /// Takes the name of a rack that is typed but not entered yet.
    void commitPending();
    void removeSelection();
    [[nodiscard]] CanvasClipboard& clipboard() const { return *m_clipboard; }
    [[nodiscard]] CanvasToolBar& toolBar() const;
    /// Edits, where there is something to edit.
    void propose(const std::optional<CanvasEdit>& edit);
    /// The same of an edit of all, which is in view after it.
    void rearrange(const std::optional<CanvasEdit>& edit);

    /// What the tool in hand says at the moment; empty = nothing.
    [[nodiscard]] QString hintText() const;

Q_SIGNALS:
    /// The person edited the cluster; `actionText` names the edit for the undo menu.
    void clusterEdited(
        const cluster::Cluster& cluster, const plan::CanvasPositions& positions, const QString& actionText);
    void selectionChanged(const QStringList& keys);
    /// Enter or a double click: the person wants to edit the name and properties of this.
    void editRequested(const QString& key);
    /// What was asked cannot be.
    void refused(const QString& why);
    /// What came of an edit and may not have been meant.
    void noticed(const QString& what);
    /// The armed preset was placed or given up.
    void presetDisarmed();

protected:
    void viewChanged() override;
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

private:
    void connectTools();
    void propose(const CanvasEdit& edit);
    void commitMoves();

    const catalog::Catalog* m_catalog;
    TopologyScene* m_scene;
    CanvasTools* m_tools;
    CanvasKeys* m_keys;
    CanvasClipboard* m_clipboard;
    CanvasActions m_actions{};
    std::unique_ptr<CanvasPlates> m_plates; ///< none while the view is made
    CanvasValue m_value;
    quint64 m_revision = 0;
    QStringList m_selectAfter;
};

} // namespace stratoplan::widgets
