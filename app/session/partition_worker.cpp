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
    m_working = true;
    m_worker->overtake({std::move(plan), ++m_number});
}

void PartitionWorker::forget()
{
    ++m_number; // what is under way answers an older question
    m_working = false;
    m_worker->cancel();
}

template <class Tell>
void PartitionWorker::post(std::uint64_t number, Tell tell)
{
    QMetaObject::invokeMethod(
        this,
        [this, number, tell = std::move(tell)] {
            if (number == m_number)
                tell();
        },
        Qt::QueuedConnection);
}

bool PartitionWorker::find(const Request& request, const std::stop_token& stop)
{
    plan::Plan asked = *request.plan;
    asked.strategy = asMegatron(std::move(asked.strategy));
    if (m_result && asked == m_asked)
        return true;
    PartitionResult result =
        m_functions.partitions(asked, stop, [this, &request](const estimate::PartitionProgress& progress) {
            post(request.number, [this, progress] { Q_EMIT progressed(progress); });
        });
    if (stop.stop_requested())
        return false;
    m_result = std::make_shared<const PartitionResult>(std::move(result));
    m_asked = std::move(asked);
    return true;
}

void PartitionWorker::work(const Request& request, const std::stop_token& stop)
{
    if (!find(request, stop))
        return;
    PartitionReport report{request.plan, m_result, {}};
    if (*m_result && !request.plan->strategy.operatorPartitions.empty())
        report.planned = m_functions.planned(*request.plan, stop);
    if (stop.stop_requested())
        return;
    post(request.number, [this, answer = std::make_shared<const PartitionReport>(std::move(report))] {
        m_working = false;
        Q_EMIT reported(answer);
    });
}

} // namespace stratoplan::session
