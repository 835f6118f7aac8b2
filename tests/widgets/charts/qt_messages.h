// SPDX-License-Identifier: GPL-3.0-or-later
// Collects Qt's warnings, so that a test can fail on any.
#pragma once

#include <QStringList>
#include <QtGlobal>

namespace stratoplan::test {

inline QStringList& qtMessages()
{
    static QStringList messages;
    return messages;
}

inline void collectQtMessages()
{
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
        const bool noise = text.startsWith(
            QStringLiteral("This plugin does not support")); // the offscreen platform says so of every window
        if (!noise && type != QtDebugMsg && type != QtInfoMsg)
            qtMessages() << text;
        fprintf(stderr, "%s\n", qPrintable(text));
    });
}

} // namespace stratoplan::test
