// SPDX-License-Identifier: GPL-3.0-or-later
// The program's own two-tone icons (resources/icons/NAME.svg). They take the colours of the current theme when they
// are painted, so an icon set once follows every later theme change.
#pragma once

#include <QIcon>
#include <QStringList>

namespace stratoplan::widgets {

/// Icon by file name without suffix, e.g. "undo". Asserts that it exists; a null icon otherwise.
[[nodiscard]] QIcon icon(const QString& name);

/// Names of all icons, sorted.
[[nodiscard]] QStringList iconNames();

} // namespace stratoplan::widgets
