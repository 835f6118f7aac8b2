// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of studies and their answers off the GUI thread. Knows no widget. The newest question is answered; what
// an overtaken one still finds is dropped.
#pragma once

#include "app/session/latest_worker.h"
#include "app/session/outbox.h"
#include "core/exchange/study_answers.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>

namespace stratoplan::session {

/// What the files say, together.
struct OpenedStudy {
    QStringList files; ///< as asked for; empty: the shipped one
    std::shared_ptr<const exchange::StudyAnswers> answers;
    std::vector<exchange::StudyFault> faults;
    std::int64_t faulty = 0;
};
using OpenedStudyPointer = std::shared_ptr<const OpenedStudy>;

class StudyWorker : public QObject {
    Q_OBJECT

public:
    explicit StudyWorker(QObject* parent = nullptr);
    ~StudyWorker() override;

    /// No files: the answers that are shipped.
    void read(const QStringList& files);
    [[nodiscard]] bool isReading() const { return m_delivered != m_number; }

Q_SIGNALS:
    void studyRead(const session::OpenedStudyPointer& study);

private:
    struct Request {
        QStringList files;
        std::uint64_t number = 0;
    };
    struct Answer {
        OpenedStudyPointer study;
        std::uint64_t number = 0;
    };
    struct Letters {
        std::optional<Answer> answer;
    };
    void run(const Request& request, const std::stop_token& stop);
    Q_INVOKABLE void deliver();

    Outbox<Letters> m_outbox{*this};
    std::uint64_t m_number = 0;
    std::uint64_t m_delivered = 0;
    std::optional<LatestWorker<Request>> m_reader; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
