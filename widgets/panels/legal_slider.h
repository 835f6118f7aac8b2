// SPDX-License-Identifier: GPL-3.0-or-later
// A slider that stands only on given values and says, along its track, what each of them would mean.
#pragma once

#include "widgets/presentation/slider_stop.h"

#include <QWidget>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

/// Stops stand at equal distances in the order given. The track is painted by zone (colour and thickness, so that it
/// reads without colour); pointing at a stop tells its value and reason. A click anywhere jumps there, dragging, the
/// wheel (with focus), arrows, Page Up/Down, Home and End step, Esc while dragging goes back. A small tick marks the
/// previous value. The value may lie beside the stops when a plan brings one; the person's steps never do.
class LegalSlider : public QWidget {
    Q_OBJECT
    Q_PROPERTY(int value READ value WRITE setValue NOTIFY valueChanged USER true)

public:
    explicit LegalSlider(QWidget* parent = nullptr);

    /// Ascending by value. While the handle is held, stops with other values wait until it is let go, so that
    /// nothing moves under the pointer; new zones of the same values show at once.
    void setStops(std::vector<SliderStop> stops);
    [[nodiscard]] const std::vector<SliderStop>& stops() const { return m_stops; }
    /// The zones judge an older plan: the track pales and nothing is claimed of a value until they are set anew.
    void setOutdated(bool outdated);
    [[nodiscard]] bool isOutdated() const { return m_outdated; }

    [[nodiscard]] int value() const { return m_value; }
    /// Shows `value` without a signal. Ignored while the handle is held.
    void setValue(int value);

    /// The value before the last change; none until a first value is changed.
    [[nodiscard]] std::optional<int> ghost() const { return m_ghost; }

    /// What the person is told about a value: "8 · fits", and the reason on the next line.
    [[nodiscard]] QString explain(int value) const;
    /// Moves to the stop nearest to `value` as a person would.
    void choose(int value);

    /// Centre of stop `index` in widget coordinates.
    [[nodiscard]] QPointF stopPosition(int index) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void valueChanged(int value, bool dragging);
    void dragStarted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] int indexOf(int value) const; ///< -1 if it is not a stop
    [[nodiscard]] int nearestStop(double x) const;
    [[nodiscard]] int nearestByValue(int value) const;
    [[nodiscard]] double xOf(int value) const; ///< interpolated beside the stops
    [[nodiscard]] int steppedIndex(int steps) const;
    [[nodiscard]] QRectF groove() const;
    [[nodiscard]] QRectF handle() const;
    void goTo(int index);
    void finishDrag();
    void hover(int index, QPoint globalPosition);
    void renewTip();
    void paintTrack(QPainter& painter) const;
    void paintHandle(QPainter& painter) const;
    void announce();

    std::vector<SliderStop> m_stops;
    std::optional<std::vector<SliderStop>> m_waitingStops;
    int m_value = 1;
    std::optional<int> m_ghost;
    int m_dragOrigin = 1;
    double m_grabOffset = 0;
    int m_hovered = -1;
    int m_wheelRest = 0;
    bool m_dragging = false;
    bool m_shownOnce = false;
    bool m_outdated = false;
};

/// Makes assistive technology see LegalSlider as a slider with value and range. Called by its constructor.
void installLegalSliderAccessibility();

} // namespace stratoplan::widgets
