// SPDX-License-Identifier: GPL-3.0-or-later
// The report of the plan on screen: asks for a file, works off the GUI thread with progress that can be cancelled, and
// says what became of it.
#pragma once

#include "app/gui/report/report_file.h"
#include "app/session/latest_worker.h"

#include <QObject>
#include <QPointer>

class QAction;
class QProgressDialog;

namespace stratoplan::session {
class ProjectDocument;
}
namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class FileController;

class ReportBinding final : public QObject {
    Q_OBJECT

public:
    /// `action` asks for it; what is typed but not entered yet is taken by `files` first.
    ReportBinding(QAction& action, session::ProjectDocument& document, FileController& files,
        widgets::MessageBar& messages, QObject* parent);
    ~ReportBinding() override;

    void chooseAndWrite();
    void write(const QString& path);
    [[nodiscard]] bool isSettled() const { return !m_running; }

private:
    struct Request {
        exchange::Document document;
        QString path;
        int number = 0; ///< of requests, from 1 on
    };
    void work(const Request& request, const std::stop_token& stop);
    void showProgress(int number, const report::Progress& progress);
    void finish(int number, const QString& path, const ReportOutcome& outcome);

    session::ProjectDocument& m_document;
    FileController& m_files;
    widgets::MessageBar& m_messages;
    QPointer<QProgressDialog> m_progress;
    int m_number = 0; ///< of the newest request
    bool m_running = false;
    std::optional<session::LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::gui
