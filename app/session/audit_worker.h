// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a log and a profile and audits the run off the GUI thread. Knows no widget. What a newer question overtakes is
// dropped.
#pragma once

#include "app/session/latest_worker.h"
#include "core/audit/audit.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace stratoplan::session {

using AuditPointer = std::shared_ptr<const audit::Audit>;

struct AuditQuestion {
    std::shared_ptr<const plan::Plan> plan;
    QString log; ///< path; empty: none
    QString profile; ///< the same
    std::optional<double> seconds; ///< of a step, as stated
    std::optional<audit::QuotedMfu> mfu;
};

class AuditWorker : public QObject {
    Q_OBJECT

public:
    explicit AuditWorker(QObject* parent = nullptr);
    ~AuditWorker() override;

    void ask(AuditQuestion question);
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    void answered(const session::AuditPointer& audit);
    /// A file cannot be read, or the plan cannot be estimated: a sentence.
    void failed(const QString& why);

private:
    struct Request {
        std::uint64_t number = 0;
        AuditQuestion question;
    };
    void work(const Request& request, const std::stop_token& stop);
    void deliver(std::uint64_t number, const std::function<void()>& tell);

    std::uint64_t m_number = 0;
    bool m_running = false;
    std::optional<LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
