// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop asks for, now and when it changes its mind.
#pragma once

#include "widgets/presentation/tokens.h"

#include <QObject>

namespace stratoplan::widgets {

/// The colour scheme of the desktop portal, else the lightness of the platform's palette.
class SystemTheme : public QObject {
    Q_OBJECT

public:
    /// The first call asks the desktop; make it before applyTheme(), which replaces the platform's palette.
    static SystemTheme& instance();
    [[nodiscard]] ThemeKind kind() const { return m_kind; }

    /// The portal's colour scheme: 0 no preference, 1 dark, 2 light.
    void setColourScheme(int scheme);

Q_SIGNALS:
    void changed(widgets::ThemeKind kind);

private:
    explicit SystemTheme(QObject* parent);
    ThemeKind m_ofPlatform; ///< where the portal has no preference
    ThemeKind m_kind;
    bool m_fixed = false; ///< GTK_THEME was set: the person means this program
};

[[nodiscard]] inline ThemeKind systemTheme()
{
    return SystemTheme::instance().kind();
}

} // namespace stratoplan::widgets
