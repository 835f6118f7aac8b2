// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/validation_worker.h"

#include "core/catalog/catalog.h"
#include "core/validation/validation.h"

#include <algorithm>

namespace stratoplan::session {

namespace {
constexpr int kProgressStep = 25; ///< cases
}

ValidationWorker::ValidationWorker(std::string_view cases, QObject* parent)
    : QObject(parent)
    , m_cases(cases)
{
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

ValidationWorker::~ValidationWorker() = default;

void ValidationWorker::run()
{
    m_running = true;
    m_worker->overtake({++m_number});
}

void ValidationWorker::stop()
{
    ++m_number; // what is under way answers an older question
    m_running = false;
    m_worker->cancel();
}

const validation::MeasuredCase* ValidationWorker::caseNamed(const std::string& id) const
{
    if (!m_set)
        return nullptr;
    const auto found = std::find_if(
        m_set->cases.begin(), m_set->cases.end(), [&](const validation::MeasuredCase& c) { return c.id == id; });
    return found == m_set->cases.end() ? nullptr : &*found;
}

void ValidationWorker::deliver(std::uint64_t number, const std::function<void()>& tell)
{
    QMetaObject::invokeMethod(
        this,
        [this, number, tell] {
            if (number == m_number)
                tell();
        },
        Qt::QueuedConnection);
}

void ValidationWorker::work(const Request& request, const std::stop_token& stop)
{
    auto cases = validation::readCases(m_cases, catalog::shippedCatalog());
    if (!cases) {
        const QString why =
            QString::fromStdString("found " + cases.error().found + ", expected " + cases.error().expected);
        deliver(request.number, [this, why] {
            m_running = false;
            Q_EMIT failed(why);
        });
        return;
    }
    const validation::Validation validation = validate(*cases, stop, [&](int done, int total) {
        if (done % kProgressStep == 0 || done == total)
            deliver(request.number, [this, done, total] { Q_EMIT progress(done, total); });
    });
    if (stop.stop_requested())
        return;
    const auto report = std::make_shared<const validation::ValidationReport>(validationReport(*cases, validation));
    const auto set = std::make_shared<const validation::CaseSet>(std::move(*cases));
    deliver(request.number, [this, report, set] {
        m_running = false;
        m_set = set;
        Q_EMIT reported(report);
    });
}

} // namespace stratoplan::session
