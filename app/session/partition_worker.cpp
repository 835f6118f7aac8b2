// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/partition_worker.h"

#include <utility>

namespace stratoplan::session {

PartitionFunctions corePartitionFunctions()
{
    return {
        .partitions =
            [](const plan::Plan& plan, const std::stop_token& stop,
                const estimate::PartitionProgressCallback& progress) {
                return estimate::partitions(plan, {.stop = stop, .progress = progress});
            },
        .planned =
            [](const plan::Plan& plan, const std::stop_token& stop) {
                return estimate::plannedPartition(plan, catalog::shippedCatalog(), stop);
            },
    };
}

PartitionWorker::PartitionWorker(PartitionFunctions functions, QObject* parent)
    : QObject(parent)
    , m_functions(std::move(functions))
{
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

PartitionWorker::~PartitionWorker() = default;

void PartitionWorker::request(std::shared_ptr<const plan::Plan> plan)
{
    plan::Plan question = *plan;
    question.strategy = asMegatron(std::move(question.strategy));
    const bool goesOn = m_working && question == m_question;
    m_working = true;
    ++m_number;
    if (goesOn) {
        m_worker->submit({std::move(plan), std::move(question), m_number, m_questionNumber});
        if (m_progress)
            Q_EMIT progressed(*m_progress);
        return;
    }
    m_question = question;
    m_progress.reset();
    m_worker->overtake({std::move(plan), std::move(question), m_number, ++m_questionNumber});
}

void PartitionWorker::forget()
{
    ++m_number; // what is under way answers an older question
    ++m_questionNumber;
    m_working = false;
    m_worker->cancel();
}

template <class Tell>
void PartitionWorker::post(Tell tell)
{
    QMetaObject::invokeMethod(this, std::move(tell), Qt::QueuedConnection);
}

void PartitionWorker::tellProgress(std::uint64_t questionNumber, const estimate::PartitionProgress& progress)
{
    if (questionNumber != m_questionNumber)
        return;
    m_progress = progress;
    Q_EMIT progressed(progress);
}

bool PartitionWorker::find(const Request& request, const std::stop_token& stop)
{
    if (m_result && request.question == m_asked)
        return true;
    const auto progressed = [this, number = request.questionNumber](const estimate::PartitionProgress& progress) {
        post([this, number, progress] { tellProgress(number, progress); });
    };
    PartitionResult result = m_functions.partitions(request.question, stop, progressed);
    if (!result && result.error().empty())
        return false; // stopped
    // Also where the stop came too late: it may be asked for again.
    m_result = std::make_shared<const PartitionResult>(std::move(result));
    m_asked = request.question;
    return true;
}

void PartitionWorker::work(const Request& request, const std::stop_token& stop)
{
    if (!find(request, stop) || request.number != m_number)
        return;
    PartitionReport report{request.plan, m_result, {}};
    if (*m_result && !request.plan->strategy.operatorPartitions.empty())
        report.planned = m_functions.planned(*request.plan, stop);
    if (stop.stop_requested())
        return;
    const auto answer = std::make_shared<const PartitionReport>(std::move(report));
    post([this, number = request.number, answer] {
        if (number != m_number)
            return; // there is a newer request
        m_working = false;
        Q_EMIT reported(answer);
    });
}

} // namespace stratoplan::session
