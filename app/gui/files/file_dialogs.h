// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs that ask for files. They are open when they are returned, without a loop of their own, and go when they are
// closed: connect to what they select. Without a directory they begin where the last of them ended.
#pragma once

#include <QFileDialog>

namespace stratoplan::gui {

/// `filter` or another one, of all files: dialogs that open offer it.
[[nodiscard]] QString orAllFiles(const QString& filter);

QFileDialog* askForFile(
    QWidget* window, const QString& title, const QString& filter, const QString& directory = QString());
QFileDialog* askForFiles(QWidget* window, const QString& title, const QString& filter);
/// To write to: `name` is suggested, and one without a suffix gets that of the filter.
QFileDialog* askForNewFile(QWidget* window, const QString& title, const QString& filter, const QString& name,
    const QString& directory = QString());

} // namespace stratoplan::gui
