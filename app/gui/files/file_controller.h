// SPDX-License-Identifier: GPL-3.0-or-later
// Files of the document: open, save, recent files, examples, export, and that no work is ever lost on the way.
// Dialogs are opened, never run in a loop of their own: what comes after a question is a callback.
#pragma once

#include "app/session/project_document.h"
#include "app/session/recovery_store.h"
#include "core/launch/launch.h"

#include <QImage>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class FileController : public QObject {
    Q_OBJECT

public:
    /// Asks and tells through `messages` and dialogs over its window.
    FileController(session::ProjectDocument& document, widgets::MessageBar& messages, const QString& recoveryDirectory,
        QObject* parent);
    ~FileController() override;

    /// `commit` is called before the document is saved, exported or left: it takes what is typed but not entered yet,
    /// and returns false where that is wrong; then nothing else happens.
    void setCommit(std::function<bool()> commit) { m_commit = std::move(commit); }
    [[nodiscard]] bool commit() { return m_commit(); }
    /// Files opened and saved are listed as recent; not of a window that only takes a picture.
    void setRemembers(bool remembers) { m_remembers = remembers; }

    /// Loads without asking: the first document of the window. False (and a message) if it cannot be read.
    bool openFirst(const QString& path);
    void loadExample(std::string_view name);

    void open(const QString& path);
    void chooseAndOpen();
    void openExample(const QString& name);
    /// A plan that is nobody's yet, with the values of an example, and says so.
    void newPlan(const QString& example);
    /// A plan that came from elsewhere, as a document that was never saved.
    void openNew(const plan::Plan& plan, const QString& untitledName);
    /// The same of a whole document; `opened` is called when it is there.
    void openNew(exchange::Document document, const QString& untitledName, std::function<void()> opened);
    void save();
    void saveAs();
    /// The current plan alone, without the rest of the project.
    void exportPlan();
    /// The file that starts the training of the plan, and those that stand beside it.
    void exportLaunch(launch::Format format);
    /// Writes `text` where the person chooses; `what` names it in messages ("estimate").
    void exportText(
        const QString& what, const QString& suggestedName, const QString& filter, std::function<std::string()> text);

    /// PNG; `picture` is asked for when the dialog is gone.
    void exportPicture(std::function<QImage()> picture);

    /// Calls `proceed` when nothing unsaved would be lost: at once, after saving, or after the person gave it up.
    /// Never calls it if the person cancels.
    void whenSafe(std::function<void()> proceed);

    /// Offers what crashes left behind, if anything.
    void offerRecovery();
    /// The window closes for good: nothing is left to recover.
    void forgetRecovery() { m_recovery.clear(); }

Q_SIGNALS:
    void recentFilesChanged();

private:
    void chooseExportThen(const QString& what, const QString& suggestedName, const QString& filter,
        std::function<void(const QString&)> write);
    void writeLaunch(const launch::LaunchFile& file, const QString& path);
    void openNow(const QString& path);
    bool saveTo(const QString& path);
    void saveThen(std::function<void()> proceed);
    void chooseSaveThen(std::function<void()> proceed);
    void restore(const session::RecoveredFile& file);
    void setAside(const session::RecoveredFile& file);
    void remember(const QString& path);
    [[nodiscard]] QWidget* window() const;
    [[nodiscard]] QString suggestedDirectory() const;

    session::ProjectDocument& m_document;
    widgets::MessageBar& m_messages;
    session::RecoveryStore m_recovery;
    std::function<bool()> m_commit = [] { return true; };
    bool m_remembers = true;
    QTimer m_autosave;
};

} // namespace stratoplan::gui
