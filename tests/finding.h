// SPDX-License-Identifier: GPL-3.0-or-later
// How tests find what a person sees: buttons by what they say, fields by the name that screen readers tell.
#pragma once

#include <QAbstractButton>
#include <QMenu>
#include <QTest>
#include <QToolButton>

namespace stratoplan::test {

/// The button in sight that says `text`; null if there is none.
inline QAbstractButton* button(const QWidget& parent, const QString& text)
{
    for (QAbstractButton* one : parent.findChildren<QAbstractButton*>())
        if (one->isVisible() && one->text() == text)
            return one;
    return nullptr;
}

/// It is in sight and can be pressed.
inline bool isOffered(const QWidget& parent, const QString& text)
{
    const QAbstractButton* one = button(parent, text);
    return one && one->isEnabled();
}

inline void press(const QWidget& parent, const QString& text)
{
    QVERIFY2(button(parent, text), qPrintable(text));
    QTest::mouseClick(button(parent, text), Qt::LeftButton);
}

/// The first that opens a menu, in sight or not; null if there is none.
inline QToolButton* menuButton(const QWidget& parent)
{
    for (QToolButton* one : parent.findChildren<QToolButton*>())
        if (one->menu())
            return one;
    return nullptr;
}

/// Of a chart; null if it has none.
inline QWidget* plotOf(const QWidget& chart)
{
    for (QWidget* child : chart.findChildren<QWidget*>())
        if (child->inherits("QCustomPlot"))
            return child;
    return nullptr;
}

template <typename Field>
Field& named(const QWidget& parent, const QString& name)
{
    for (Field* one : parent.findChildren<Field*>())
        if (one->accessibleName() == name)
            return *one;
    qFatal("there is no %s", qPrintable(name));
}

} // namespace stratoplan::test
