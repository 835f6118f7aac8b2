// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/blocked_keys.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace stratoplan::widgets {

namespace {

bool hasParent(const QWidget& window, const QWidget& parent)
{
    for (const QWidget* above = window.parentWidget(); above != nullptr; above = above->parentWidget())
        if (above == &parent || above->window() == &parent)
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

} // namespace

BlockedKeys::BlockedKeys(QObject* parent)
    : QObject(parent)
{
    qApp->installEventFilter(this);
}

bool BlockedKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return false;
    const auto* const widget = qobject_cast<QWidget*>(watched);
    QWidget* const dialog = QApplication::activeModalWidget();
    if (widget == nullptr || dialog == nullptr || QApplication::activePopupWidget() != nullptr
        || !blocks(*dialog, *widget->window()))
        return false;
    event->accept(); // of a key that may be a shortcut: it is none
    if (event->type() == QEvent::KeyPress)
        dialog->activateWindow();
    return true;
}

} // namespace stratoplan::widgets
