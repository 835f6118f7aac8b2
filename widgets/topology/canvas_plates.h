// SPDX-License-Identifier: GPL-3.0-or-later
// The plates over a canvas: where each stands, and which there is room for.
#pragma once

#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/cluster_edit.h"

namespace stratoplan::widgets {

class PlanOverlays;
class RankLegend;

class CanvasPlates {
public:
    /// They belong to the canvas, which shows the scene.
    CanvasPlates(QWidget& canvas, const TopologyScene& scene);

    [[nodiscard]] CanvasToolBar& toolBar() const { return *m_toolBar; }
    [[nodiscard]] CanvasMap& map() const { return *m_map; }
    /// Pixels at the lower edge that legends stand on.
    [[nodiscard]] int roomBelow() const;
    void setZoomMenu(QMenu* menu);
    /// What colours accelerators, and links.
    void setOverlayTools(QMenu* colours, QAction* load);
    /// Tools that keys and the context menu have, too: on a narrow canvas they give way, those added last first.
    void addSpare(std::vector<QToolButton*> tools);

    /// The legend, and what is said where there is nothing.
    void setValue(const CanvasValue& value);
    /// After a change of the size of the canvas, or of the legend.
    void place();
    /// What is in view, of the scene.
    void setView(const TopologyScene& scene, const QRectF& visible, double zoom);

    /// Beneath the tools, before what is dragged into racks or traced; empty = nothing.
    void setToolHint(const QString& text);
    /// Beneath the card it is about, or above it where there is no room; pixels of the canvas.
    void showHintAt(const QRect& card, HintKind kind, const QString& text);
    /// Empty = nothing.
    [[nodiscard]] QString hintText() const;

private:
    [[nodiscard]] bool hasRoom(const QWidget& legend) const;
    [[nodiscard]] bool showsLinks() const;
    [[nodiscard]] bool showsRanks() const;
    void placeTools();
    void showOverlays();
    [[nodiscard]] QString sceneHint() const;
    void showHint();
    void placeHint(HintKind kind, const QString& text, QPoint at);

    QWidget& m_canvas;
    const TopologyScene& m_scene;
    const PlanOverlays& m_overlays;
    QWidget* m_empty;
    CanvasLegend* m_legend;
    RankLegend* m_rankLegend;
    CanvasMap* m_map;
    CanvasHint* m_hint;
    CanvasToolBar* m_toolBar;
    QToolButton* m_zoomButton = nullptr;
    QToolButton* m_colourButton = nullptr;
    std::vector<std::vector<QToolButton*>> m_spares;
    QString m_toolHint;
};

} // namespace stratoplan::widgets
