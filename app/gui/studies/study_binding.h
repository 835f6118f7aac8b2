// SPDX-License-Identifier: GPL-3.0-or-later
// Ties studies to the window: opens files of answers, shows them, opens a point as a plan, exports the rows.
#pragma once

#include "app/session/study_worker.h"

#include <QObject>

namespace stratoplan::widgets {
class MessageBar;
}

namespace stratoplan::gui {

class FileController;
class StudyPage;

class StudyBinding : public QObject {
    Q_OBJECT

public:
    StudyBinding(StudyPage& page, FileController& files, widgets::MessageBar& messages, const catalog::Catalog& catalog,
        QObject* parent);

    /// In the place of what is open.
    void open(const QStringList& files);
    void openExample() { open({}); }
    void chooseFiles();
    [[nodiscard]] bool isSettled() const { return !m_worker.isReading(); }

Q_SIGNALS:
    /// Something was opened: the person is to see it.
    void shown();
    /// A point became the plan of the window.
    void planOpened();

private:
    void choose(bool adding);
    void read(const QStringList& files);
    void openPlan(std::size_t point);
    void exportRows();

    StudyPage& m_page;
    FileController& m_files;
    widgets::MessageBar& m_messages;
    const catalog::Catalog& m_catalog;
    QStringList m_open;
    session::StudyWorker m_worker;
};

} // namespace stratoplan::gui
