// SPDX-License-Identifier: GPL-3.0-or-later
// What the program remembers between sessions, in one place with its keys.
#pragma once

#include "app/session/perspective.h"
#include "widgets/presentation/tokens.h"

#include <QByteArray>
#include <QStringList>

#include <optional>

namespace stratoplan::session {

/// Sizes of the movable parts and what is shown, as opaque states of Qt's own.
struct WindowState {
    QByteArray geometry;
    QByteArray columns;
    QByteArray charts;
    QByteArray chartRow;
    bool inputs = true;
    bool details = true;
    bool problems = true;
    bool clusterTable = false; ///< in place of the canvas
    std::optional<Perspective> perspective;
};

class Settings {
public:
    static constexpr qsizetype kRecentFiles = 10;

    [[nodiscard]] static QStringList recentFiles();
    /// Puts `path` first.
    static void addRecentFile(const QString& path);
    static void removeRecentFile(const QString& path);
    static void clearRecentFiles();

    /// Empty: follow the desktop.
    [[nodiscard]] static std::optional<widgets::ThemeKind> theme();
    static void setTheme(std::optional<widgets::ThemeKind> theme);

    [[nodiscard]] static WindowState window();
    static void setWindow(const WindowState& state);

    /// The document open when the last session ended; empty if it had no file.
    [[nodiscard]] static QString lastFile();
    static void setLastFile(const QString& path);
};

} // namespace stratoplan::session
