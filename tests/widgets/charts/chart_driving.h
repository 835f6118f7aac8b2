// SPDX-License-Identifier: GPL-3.0-or-later
// Real events for charts. For files that include widgets/charts/qcp.h.
#pragma once

#include "widgets/charts/chart_view.h"

#include <QApplication>
#include <QTest>
#include <QWheelEvent>

namespace stratoplan::test {

inline void settle()
{
    for (int i = 0; i < 3; ++i)
        QCoreApplication::processEvents();
}

template <class Chart>
void present(Chart& chart, QSize size = QSize(640, 360))
{
    chart.resize(size);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    settle();
}

template <class Chart>
void turnWheel(Chart& chart, QPointF at, int steps, Qt::KeyboardModifiers modifiers = {})
{
    QWidget& plot = chart.plot();
    QWheelEvent event(
        at, plot.mapToGlobal(at), QPoint(), QPoint(0, 120 * steps), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&plot, &event);
    settle();
}

/// Modifiers are read when the button goes down.
template <class Chart>
void dragMouse(
    Chart& chart, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}, Qt::MouseButton button = Qt::LeftButton)
{
    QWidget* plot = &chart.plot();
    QTest::mousePress(plot, button, modifiers, from);
    for (int i = 1; i <= 5; ++i)
        QTest::mouseMove(plot, from + (to - from) * i / 5);
    QTest::mouseRelease(plot, button, modifiers, to);
    settle();
}

} // namespace stratoplan::test
