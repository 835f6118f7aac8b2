// SPDX-License-Identifier: GPL-3.0-or-later
// Ties the calibration page to the document: rows are read against the plan as it stands, a fitted or loaded profile
// becomes one edit of it.
#pragma once

#include "app/session/calibration_worker.h"
#include "app/session/project_change.h"

#include <QObject>
#include <QSet>

#include <functional>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class CalibrationPage;
class FileController;

class CalibrationBinding : public QObject {
    Q_OBJECT

public:
    CalibrationBinding(session::Workspace& workspace, CalibrationPage& page, FileController& files,
        widgets::MessageBar& messages, QObject* parent);

    /// Only a page that is looked at reads the rows anew when the plan changes.
    void setActive(bool active);
    /// Adds what the files hold to the rows.
    void addFiles(const QStringList& paths);
    void addText(const QString& text);
    void chooseFiles();
    void loadProfile(const QString& path);
    void chooseProfile();
    [[nodiscard]] bool isSettled() const { return !m_worker.isReading() && !m_worker.isFitting(); }

private:
    void hearPage();
    void paste();
    void clear();
    void read();
    void showRows(const session::ReadRunsPointer& rows);
    void showStarts();
    void remove(const QStringList& keys);
    void use(const QStringList& keys, bool used);
    [[nodiscard]] std::vector<bool> usedRuns() const;
    void apply();
    void save();
    [[nodiscard]] std::optional<plan::SoftwareProfile> start() const;

    session::Workspace& m_workspace;
    CalibrationPage& m_page;
    FileController& m_files;
    widgets::MessageBar& m_messages;
    std::vector<session::RunSource> m_sources;
    std::vector<plan::SoftwareProfile> m_loaded; ///< profiles of files, to start from
    QString m_start; ///< id of the starting profile; empty: the plan's
    int m_pasted = 0;
    QSet<QString> m_deleted; ///< keys of entries
    QSet<QString> m_switched; ///< of runs whose use is not what it is by itself
    bool m_active = false;
    bool m_stale = false;
    session::ReadRunsPointer m_rows;
    session::OwnFitPointer m_fit;
    session::CalibrationWorker m_worker;
};

} // namespace stratoplan::gui
