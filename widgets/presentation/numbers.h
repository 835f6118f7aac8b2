// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers are written in English whatever the system's language, as is every text of the program: what a field shows
// can be typed back, and a picture says the same to everybody.
#pragma once

#include <QLocale>
#include <QString>

namespace stratoplan::widgets {

/// "12,288"
[[nodiscard]] inline QString groupedNumber(qint64 value)
{
    return QLocale(QLocale::English).toString(value);
}

} // namespace stratoplan::widgets
