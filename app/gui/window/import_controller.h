// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are no plans: the configuration of a model and the topology of a cluster become a plan of their own or an
// edit of this one, what starts a training a plan of its own, and a file that is dropped goes to whoever reads its
// kind.
#pragma once

#include "core/exchange/huggingface.h"
#include "core/plan/problem.h"
#include "core/wiring/wiring.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <vector>

namespace stratoplan::session {
class Workspace;
}

namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class CalibrationBinding;
class FileController;

class ImportController : public QObject {
    Q_OBJECT

public:
    ImportController(session::Workspace& workspace, FileController& files, CalibrationBinding& calibration,
        widgets::MessageBar& messages, QObject* parent);

    void chooseAndImport();
    /// The config.json of a model or a topology: asks what to do with it; a launch file opens as a plan. Other kinds
    /// are refused with their reason.
    void import(const QString& path);
    /// Whatever the file is: opened, imported, loaded or read as runs.
    void take(const QString& path);

Q_SIGNALS:
    /// Rows were taken: the person is to see them.
    void calibrationWanted();
    /// The file is a study or answers of one.
    void studyFound(const QStringList& paths);
    /// The file is a schedule.
    void scheduleFound(const QString& path);

private:
    void offer(const QString& path, const std::string& text, bool standIn = false);
    void offerTopology(const QString& path, const std::string& text);
    void openLaunch(const QString& path, const std::string& text);
    void offerToOpen(const QString& path);
    void offerProfile(const QString& path);
    /// With the plan that the model or cluster of that name starts with, or why it has none.
    void startNew(const QString& name, const tl::expected<plan::Plan, std::vector<plan::Problem>>& start);
    void useHere(const exchange::ImportedModel& imported);
    void useHere(const cluster::Cluster& cluster);
    void refuse(const QString& path, const QString& reason);
    /// Of no kind that is known: because it is empty or no text, else for that reason.
    void refuseUnknown(const QString& path, const std::string& content, const QString& reason);

    session::Workspace& m_workspace;
    FileController& m_files;
    CalibrationBinding& m_calibration;
    widgets::MessageBar& m_messages;
};

} // namespace stratoplan::gui
