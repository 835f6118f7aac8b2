// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/files/file_dialogs.h"

namespace stratoplan::gui {

namespace {

QFileDialog* opened(QFileDialog* dialog)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
    return dialog;
}

} // namespace

QString orAllFiles(const QString& filter)
{
    return filter + QStringLiteral(";;") + QObject::tr("All files (*)");
}

QFileDialog* askForFile(QWidget* window, const QString& title, const QString& filter, const QString& directory)
{
    auto* dialog = new QFileDialog(window, title, directory, orAllFiles(filter));
    dialog->setFileMode(QFileDialog::ExistingFile);
    return opened(dialog);
}

QFileDialog* askForFiles(QWidget* window, const QString& title, const QString& filter)
{
    auto* dialog = new QFileDialog(window, title, {}, orAllFiles(filter));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    return opened(dialog);
}

QFileDialog* askForNewFile(
    QWidget* window, const QString& title, const QString& filter, const QString& name, const QString& directory)
{
    auto* dialog = new QFileDialog(window, title, directory, filter);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1, 1).section(u')', 0, 0));
    dialog->selectFile(name);
    return opened(dialog);
}

} // namespace stratoplan::gui
