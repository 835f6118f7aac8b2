// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of free functions in the language of the program; widgets have a tr() of their own.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace stratoplan::widgets {

[[nodiscard]] inline QString tr(const char* source)
{
    return QCoreApplication::translate("stratoplan", source);
}

} // namespace stratoplan::widgets
