// SPDX-License-Identifier: GPL-3.0-or-later
// What wheel and pointer do to a plot: zoom, pan, point, click, drag. What a place means is the chart's to say.
#pragma once

#include <QObject>
#include <QPoint>
#include <QPointF>
#include <QString>

class QCustomPlot;
class QMouseEvent;
class QWheelEvent;

namespace stratoplan::widgets {

class PlotRange;

/// What a chart makes of the pointer. Pixels of the plot.
class PointerTarget {
public:
    virtual ~PointerTarget() = default;

    [[nodiscard]] virtual bool takesPointer() const = 0;
    /// Rich text for the place in the plot, "" for none.
    [[nodiscard]] virtual QString toolTipAt(QPointF at) const = 0;
    virtual void pointerMoved(QPointF) { }
    virtual void pointerLeft() { }
    virtual void pointerClicked(QPointF) { }
    virtual bool pointerDoubleClicked(QPointF) { return false; } ///< true: handled, do not fit
    /// True: dragging from here is not panning but goes to pointerDragged(), then dragEnded(). The middle button always
    /// pans.
    [[nodiscard]] virtual bool takesDrag(QPointF, Qt::KeyboardModifiers) { return false; }
    virtual void pointerDragged(QPointF) { }
    virtual void dragEnded() { }
};

/// Takes the events of the plot.
class PlotPointer final : public QObject {
    Q_OBJECT
public:
    PlotPointer(QCustomPlot& plot, PlotRange& range, PointerTarget& target, QObject* parent);

    bool eventFilter(QObject* object, QEvent* event) override;

Q_SIGNALS:
    void pressed();
    void left();
    void resized();
    /// Wheel or drag moved what is shown.
    void moved();
    void fitWanted();
    void menuWanted(QPoint at, QPoint global);

private:
    bool press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    void drag(QPointF to);
    void doubleClick(const QMouseEvent& event);
    void wheel(const QWheelEvent& event);
    void showTip(const QMouseEvent& event);

    QCustomPlot& m_plot;
    PlotRange& m_range;
    PointerTarget& m_target;
    bool m_pressed = false;
    bool m_dragging = false;
    bool m_dragOfChart = false; ///< not panning
    QPointF m_pressAt;
    QPointF m_dragFrom;
};

} // namespace stratoplan::widgets
