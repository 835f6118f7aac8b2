// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/partition_worker.h"

#include <utility>

namespace stratoplan::session {

PartitionFunctions corePartitionFunctions()
{
    return {
        .partitions = [](const plan::Plan& plan,
                          const estimate::PartitionOptions& options) { return estimate::partitions(plan, options); },
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
    const bool isSame = question == m_question;
    const bool goesOn = m_working && isSame;
    m_plan = std::move(plan);
    m_working = true;
    ++m_number;
    if (goesOn) {
        m_worker->submit({m_plan, std::move(question), m_number, m_questionNumber, m_wantsFront});
        if (m_progress)
            Q_EMIT progressed(*m_progress);
        return tellBest();
    }
    m_wantsFront = m_wantsFront || !isSame;
    m_question = question;
    m_progress.reset();
    if (!isSame)
        m_best.reset();
    m_worker->overtake({m_plan, std::move(question), m_number, ++m_questionNumber, m_wantsFront});
}

void PartitionWorker::cancel()
{
    m_wantsFront = m_wantsFront && !m_best;
    forget();
}

void PartitionWorker::resume(std::shared_ptr<const plan::Plan> plan)
{
    m_wantsFront = true;
    request(std::move(plan));
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

/// Of the newest request: one that came since then differs in its partition alone.
void PartitionWorker::tellBest()
{
    if (!m_best)
        return;
    if (m_best->plan != m_plan)
        m_best = std::make_shared<const PartitionReport>(PartitionReport{m_plan, m_best->result, {}});
    Q_EMIT reported(m_best);
}

PartitionReport PartitionWorker::reportOf(const Request& request, const std::stop_token& stop) const
{
    PartitionReport report{request.plan, m_result, {}};
    if (*m_result && !request.plan->strategy.operatorPartitions.empty())
        report.planned = m_functions.planned(*request.plan, stop);
    return report;
}

void PartitionWorker::postBest(const Request& request, const std::stop_token& stop)
{
    const auto best = std::make_shared<const PartitionReport>(reportOf(request, stop));
    if (stop.stop_requested())
        return;
    post([this, number = request.questionNumber, best] {
        if (number != m_questionNumber)
            return;
        m_best = best;
        tellBest();
    });
}

void PartitionWorker::keepBest(
    const Request& request, const estimate::PartitionAnswer& best, const std::stop_token& stop)
{
    m_result = std::make_shared<const PartitionResult>(best);
    m_asked = request.question;
    postBest(request, stop);
}

bool PartitionWorker::find(const Request& request, const std::stop_token& stop)
{
    const std::shared_ptr<const PartitionResult> known = request.question == m_asked ? m_result : nullptr;
    if (known && !(*known && (*known)->lacksFront() && request.wantsFront))
        return true;
    if (known)
        postBest(request, stop);
    const auto progressed = [this, number = request.questionNumber](const estimate::PartitionProgress& progress) {
        post([this, number, progress] { tellProgress(number, progress); });
    };
    const auto bestKnown = [&](const estimate::PartitionAnswer& best) { keepBest(request, best, stop); };
    PartitionResult result = m_functions.partitions(request.question,
        {.stop = stop, .progress = progressed, .bestKnown = bestKnown, .known = known ? &**known : nullptr});
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
    const auto answer = std::make_shared<const PartitionReport>(reportOf(request, stop));
    if (stop.stop_requested())
        return;
    post([this, number = request.number, answer] {
        if (number != m_number)
            return; // there is a newer request
        m_working = false;
        if (*answer->result && !(*answer->result)->lacksFront())
            m_best.reset(); // nothing less is told of this question from now on
        Q_EMIT reported(answer);
    });
}

} // namespace stratoplan::session
