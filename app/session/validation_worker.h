// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the measured cases that ship off the GUI thread and reports on them. Knows no widget. What a stopped run
// still finds is dropped.
#pragma once

#include "app/session/latest_worker.h"
#include "core/validation/report.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace stratoplan::session {

using ValidationReportPointer = std::shared_ptr<const validation::ValidationReport>;

class ValidationWorker : public QObject {
    Q_OBJECT

public:
    /// `cases`: as in resources/validation/cases.json.
    explicit ValidationWorker(std::string_view cases = validation::shippedCases(), QObject* parent = nullptr);
    ~ValidationWorker() override;

    void run();
    /// Ends a run at once: nothing of it is delivered any more.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// The case of the last report, or null.
    [[nodiscard]] const validation::MeasuredCase* caseNamed(const std::string& id) const;

Q_SIGNALS:
    void progress(int done, int total);
    void reported(const session::ValidationReportPointer& report);
    /// The cases cannot be read.
    void failed(const QString& why);

private:
    struct Request {
        std::uint64_t number = 0;
    };
    void work(const Request& request, const std::stop_token& stop);
    void deliver(std::uint64_t number, const std::function<void()>& tell);

    std::string_view m_cases;
    std::uint64_t m_number = 0;
    bool m_running = false;
    std::shared_ptr<const validation::CaseSet> m_set;
    std::optional<LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
