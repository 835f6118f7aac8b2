// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/partition_worker.h"

#include <utility>

namespace stratoplan::session {

PartitionFunctions corePartitionFunctions()
{
    return {.partitions = [](const plan::Plan& plan) { return estimate::partitions(plan); },
        .planned = [](const plan::Plan& plan) { return estimate::plannedPartition(plan); }};
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
    m_working = true;
    m_worker->overtake({std::move(plan), ++m_number});
}

void PartitionWorker::forget()
{
    ++m_number; // what is under way answers an older question
    m_working = false;
    m_worker->cancel();
}

void PartitionWorker::work(const Request& request, const std::stop_token& stop)
{
    plan::Plan asked = *request.plan;
    asked.strategy = asMegatron(std::move(asked.strategy));
    if (!m_result || asked != m_asked) {
        m_result = std::make_shared<const PartitionResult>(m_functions.partitions(asked));
        m_asked = std::move(asked);
    }
    if (stop.stop_requested())
        return; // overtaken
    PartitionReport report{request.plan, m_result, {}};
    if (*m_result && !request.plan->strategy.operatorPartitions.empty())
        report.planned = m_functions.planned(*request.plan);
    QMetaObject::invokeMethod(
        this,
        [this, number = request.number, answer = std::make_shared<const PartitionReport>(std::move(report))] {
            if (number != m_number)
                return;
            m_working = false;
            Q_EMIT reported(answer);
        },
        Qt::QueuedConnection);
}

} // namespace stratoplan::session
