// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/audit_worker.h"

#include "core/exchange/document.h"
#include "core/narration/problems.h"
#include "core/reporting/audits.h"
#include "core/reporting/run_faults.h"

namespace stratoplan::session {

namespace {

using Read = tl::expected<audit::AuditInputs, std::string>;

Read inputsOf(const AuditQuestion& question)
{
    audit::AuditInputs inputs;
    inputs.plan = *question.plan;
    inputs.mfu = question.mfu;
    if (question.seconds)
        inputs.stated = Seconds(*question.seconds);
    if (!question.log.isEmpty()) {
        const auto text = exchange::readFile(std::filesystem::path(question.log.toStdString()));
        if (!text)
            return tl::unexpected(describe(text.error()));
        auto log = audit::loggedRun(*text, question.log.toStdString(), inputs.plan, inputs.plan.name);
        if (!log)
            return tl::unexpected(describe(reporting::documentErrors(log.error()).front()));
        inputs.log = std::move(*log);
    }
    if (!question.profile.isEmpty()) {
        auto profile = audit::readProfile(std::filesystem::path(question.profile.toStdString()));
        if (!profile)
            return tl::unexpected(describe(reporting::documentError(profile.error())));
        inputs.profile = std::move(*profile);
    }
    return inputs;
}

} // namespace

AuditWorker::AuditWorker(QObject* parent)
    : QObject(parent)
{
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

AuditWorker::~AuditWorker() = default;

void AuditWorker::ask(AuditQuestion question)
{
    m_running = true;
    m_worker->overtake({++m_number, std::move(question)});
}

void AuditWorker::deliver(std::uint64_t number, const std::function<void()>& tell)
{
    QMetaObject::invokeMethod(
        this,
        [this, number, tell] {
            if (number != m_number)
                return;
            m_running = false;
            tell();
        },
        Qt::QueuedConnection);
}

void AuditWorker::work(const Request& request, const std::stop_token& stop)
{
    const auto fail = [&](const std::string& why) {
        deliver(request.number, [this, text = QString::fromStdString(why)] { Q_EMIT failed(text); });
    };
    const Read inputs = inputsOf(request.question);
    if (!inputs)
        return fail(inputs.error());
    auto answer = audit::audit(*inputs, {.stop = stop});
    if (stop.stop_requested())
        return;
    if (!answer)
        return fail(answer.error().empty() ? std::string() : narration::describe(answer.error().front()));
    const auto audit = std::make_shared<const audit::Audit>(std::move(*answer));
    deliver(request.number, [this, audit] { Q_EMIT answered(audit); });
}

} // namespace stratoplan::session
