// SPDX-License-Identifier: GPL-3.0-or-later
// Where rows, slices and areas of a pipeline chart stand in pixels, and what stands at a pixel. A layout is made for
// one look at a scene and refers to it.
#pragma once

#include "widgets/presentation/gantt_scene.h"

#include <QPointF>
#include <QRect>
#include <QRectF>

namespace stratoplan::widgets {

/// The plot, and what is visible in it: time from left to right, rows from top to bottom.
struct GanttView {
    QRect plot; ///< pixels
    Interval time; ///< seconds
    Interval rows; ///< in heights of a row of work
    [[nodiscard]] double xOf(double seconds) const;
    [[nodiscard]] double yOf(double row) const;
    [[nodiscard]] double secondsAt(double x) const;
    [[nodiscard]] double rowAt(double y) const;
};

class GanttLayout {
public:
    GanttLayout(const GanttScene& scene, const GanttView& view)
        : m_scene(scene)
        , m_view(view)
    {
    }

    [[nodiscard]] const GanttScene& scene() const { return m_scene; }
    [[nodiscard]] const GanttView& view() const { return m_view; }
    [[nodiscard]] QRectF plot() const { return QRectF(m_view.plot); }

    // Rectangles; may be outside of what is visible.
    [[nodiscard]] QRectF rowRect(const GanttRow& row) const;
    [[nodiscard]] QRectF sliceRect(GanttRef ref) const;
    [[nodiscard]] QRectF areaRect(const GanttArea& area) const;
    /// A folded stage shows its communication at the foot of its work, where that is high enough.
    [[nodiscard]] static bool holdsStrips(const QRectF& work);
    [[nodiscard]] QRectF stripRect(const QRectF& work, LaneKind lane) const;

    // What stands there.
    [[nodiscard]] bool isInPlot(QPointF at) const;
    [[nodiscard]] bool isBesidePlot(QPointF at) const { return !m_scene.isEmpty() && at.x() < m_view.plot.left(); }
    [[nodiscard]] const GanttRow* rowAt(double y) const;
    [[nodiscard]] int stageAt(double y) const; ///< -1: none
    [[nodiscard]] std::optional<GanttRef> sliceAt(QPointF at) const;
    /// The slice there, or the wait.
    [[nodiscard]] std::optional<GanttRef> markAt(QPointF at) const;
    [[nodiscard]] GanttArea areaBetween(QPointF a, QPointF b) const;
    /// Seconds there, within the step.
    [[nodiscard]] double secondsAt(QPointF at) const;
    /// The same, or the edge of a slice near it.
    [[nodiscard]] double snapped(QPointF at) const;

private:
    const GanttScene& m_scene;
    GanttView m_view;
};

/// All rows as long as they are legible on `pixels`; else from the rows of `stage` on, or from the first.
[[nodiscard]] Interval legibleRows(const GanttScene& scene, double pixels, std::optional<int> stage = {});

} // namespace stratoplan::widgets
