// SPDX-License-Identifier: GPL-3.0-or-later
// The plates over a canvas: where each stands, and which there is room for.
#pragma once

#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/cluster_edit.h"

namespace stratoplan::widgets {

class CanvasPlates {
public:
    /// They belong to the canvas.
    explicit CanvasPlates(QWidget& canvas);

    [[nodiscard]] CanvasToolBar& toolBar() const { return *m_toolBar; }
    [[nodiscard]] CanvasMap& map() const { return *m_map; }
    [[nodiscard]] bool showsLegend() const;
    void setZoomMenu(QMenu* menu);

    /// The legend, and what is said where there is nothing.
    void setValue(const CanvasValue& value);
    /// After a change of the size of the canvas, or of the legend.
    void place();
    /// What is in view, of the scene.
    void setView(const TopologyScene& scene, const QRectF& visible, double zoom);

    /// Beneath the tools.
    void showHint(HintKind kind, const QString& text);
    /// Beneath the card it is about, or above it where there is no room; pixels of the canvas.
    void showHintAt(const QRect& card, HintKind kind, const QString& text);
    /// Empty = nothing.
    [[nodiscard]] QString hintText() const;

private:
    void placeHint(HintKind kind, const QString& text, QPoint at);

    QWidget& m_canvas;
    QWidget* m_empty;
    CanvasLegend* m_legend;
    CanvasMap* m_map;
    CanvasHint* m_hint;
    CanvasToolBar* m_toolBar;
    QToolButton* m_zoomButton = nullptr;
};

} // namespace stratoplan::widgets
