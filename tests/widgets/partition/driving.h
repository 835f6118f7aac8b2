// SPDX-License-Identifier: GPL-3.0-or-later
// Shows widgets and uses them as a person does.
#pragma once

#include <QApplication>
#include <QHelpEvent>
#include <QTest>
#include <QToolTip>

namespace stratoplan::test {

inline void present(QWidget& widget, QSize size)
{
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QCoreApplication::processEvents();
}

inline void click(QWidget& widget, QPointF at)
{
    QTest::mouseClick(&widget, Qt::LeftButton, {}, at.toPoint());
}

inline QString toolTipAt(QWidget& widget, QPointF at)
{
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, at.toPoint(), widget.mapToGlobal(at.toPoint()));
    QApplication::sendEvent(&widget, &help);
    return QToolTip::text();
}

} // namespace stratoplan::test
