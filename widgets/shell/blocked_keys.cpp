// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/blocked_keys.h"

#include <QAction>
#include <QApplication>
#include <QEvent>
#include <QWidget>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

bool hasParent(const QWidget& window, const QWidget& parent)
{
    for (const QWidget* above = window.parentWidget(); above != nullptr; above = above->parentWidget())
        if (above->window() == &parent)
            return true;
    return false;
}

/// Not itself, nor what it has opened.
bool blocks(const QWidget& dialog, const QWidget& window)
{
    if (&window == &dialog || hasParent(window, dialog))
        return false;
    return dialog.windowModality() == Qt::ApplicationModal || hasParent(dialog, window);
}

/// Whose keys an action or a widget takes.
QObjectList ownersOf(QObject& taker)
{
    const auto* const action = qobject_cast<QAction*>(&taker);
    return action != nullptr ? action->associatedObjects() : QObjectList{&taker};
}

} // namespace

BlockedKeys::BlockedKeys(QObject* parent)
    : QObject(parent)
{
    qApp->installEventFilter(this);
}

bool BlockedKeys::eventFilter(QObject* watched, QEvent* event)
{
    QWidget* const dialog = event->type() == QEvent::Shortcut ? QApplication::activeModalWidget() : nullptr;
    if (dialog == nullptr)
        return false;
    const bool isBlocked = std::ranges::all_of(ownersOf(*watched), [dialog](QObject* owner) {
        const auto* const widget = qobject_cast<QWidget*>(owner);
        return widget == nullptr || blocks(*dialog, *widget->window());
    });
    if (isBlocked)
        dialog->activateWindow();
    return isBlocked;
}

} // namespace stratoplan::widgets
