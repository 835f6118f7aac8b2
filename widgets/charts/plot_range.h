// SPDX-License-Identifier: GPL-3.0-or-later
// What of its values a plot shows: between which bounds, how close at most, and whether a person has moved it.
#pragma once

#include "widgets/presentation/axis.h"

#include <QObject>
#include <QPointF>

class QCustomPlot;

namespace stratoplan::widgets {

class PlotRange final : public QObject {
    Q_OBJECT
public:
    PlotRange(QCustomPlot& plot, QObject* parent);

    [[nodiscard]] Interval x() const;
    [[nodiscard]] Interval y() const;
    void show(Interval x, Interval y);
    /// Where panning and zooming end; `shortest` is the closest zoom. Base units.
    void setBounds(Interval x, Interval y, double shortestX, double shortestY);
    void setZoomDirections(Qt::Orientations wheel, Qt::Orientations controlWheel);

    /// Has a person moved the view since the last fit?
    [[nodiscard]] bool isMoved() const { return m_moved; }
    void setMoved(bool moved) { m_moved = moved; }

    void zoom(Qt::Orientation orientation, double factor, double anchorPixels);
    /// In the directions of the wheel, or of the wheel with Ctrl.
    void zoomAll(double factor, QPointF anchor, bool control = false);
    /// By a share of what is shown.
    void pan(Qt::Orientation orientation, double share);
    /// By the way from one pixel to another.
    void drag(QPointF from, QPointF to);

private:
    void confine();

    QCustomPlot& m_plot;
    Interval m_boundsX, m_boundsY;
    double m_shortestX = 0;
    double m_shortestY = 0;
    Qt::Orientations m_wheel = Qt::Horizontal;
    Qt::Orientations m_controlWheel = Qt::Vertical;
    bool m_moved = false;
};

} // namespace stratoplan::widgets
