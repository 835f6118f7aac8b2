// SPDX-License-Identifier: GPL-3.0-or-later
// What every test of the panels begins and ends with.
#pragma once

#include "tests/widgets/charts/qt_messages.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QLocale>
#include <utility>

namespace stratoplan::test {

inline void startPanelTest()
{
    collectQtMessages();
    widgets::applyTheme(*qApp, widgets::ThemeKind::Light);
    QLocale::setDefault(QLocale(qEnvironmentVariable("STRATOPLAN_TEST_LOCALE", "en_US"))); // must change nothing
}

/// What Qt has warned of since this was asked last; empty where all is well.
inline QString takeQtWarnings()
{
    return std::exchange(qtMessages(), {}).join(u'\n');
}

} // namespace stratoplan::test
