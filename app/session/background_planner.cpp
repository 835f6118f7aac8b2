// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/background_planner.h"

#include <utility>

namespace stratoplan::session {

PlannerFunctions corePlannerFunctions()
{
    return {
        .estimate = [](const plan::Plan& plan,
                        const std::stop_token& stop) { return estimate::estimate(plan, {.stop = stop}); },
        .timeline = [](const estimate::Estimate& e) -> TimelinePointer {
            const bool drawable = timelineSlices(e.pipeline) <= pipeline::kMostSlices;
            if (!drawable)
                return nullptr;
            pipeline::Timeline timeline = simulate(e.pipeline);
            estimate::MemoryTimeline memory = memoryTimeline(e.memory, timeline);
            return widgets::ganttStep(std::move(timeline), std::move(memory), e.memory.capacity);
        },
        .zones = [](const plan::Plan& plan, std::stop_token stop) { return strategyZones(plan, stop); },
        .improvements = [](const plan::Plan& plan, std::stop_token stop) { return improvements(plan, stop); },
        .searching = coreSearchFunctions(),
        .partitioning = corePartitionFunctions(),
    };
}

BackgroundPlanner::BackgroundPlanner(PlannerFunctions functions, QObject* parent)
    : QObject(parent)
    , m_functions(std::move(functions))
{
    m_estimator.emplace([this](const PlanRequest& request, const std::stop_token& stop) {
        auto answer = std::make_shared<const EstimateResult>(m_functions.estimate(*request.plan, stop));
        if (!stop.stop_requested())
            m_outbox.post(&Letters::estimate, {std::move(answer), request.revision});
    });
    m_simulator.emplace([this](const TimelineRequest& request, const std::stop_token&) {
        m_outbox.post(&Letters::timeline, {m_functions.timeline(**request.estimate), request.revision});
    });
    m_adviser.emplace([this](const PlanRequest& request, const std::stop_token& stop) { runAdvice(request, stop); });
    m_pinner.emplace([this](const PinnedRequest& request, const std::stop_token& stop) { runPinned(request, stop); });
    m_comparer.emplace(
        [this](const ComparedRequest& request, const std::stop_token& stop) { runCompared(request, stop); });
}

BackgroundPlanner::~BackgroundPlanner()
{
    // All are told to stop before the first is joined.
    m_estimator->cancel();
    m_simulator->cancel();
    m_adviser->cancel();
    m_pinner->cancel();
    m_comparer->cancel();
    m_comparer.reset();
    m_pinner.reset();
    m_adviser.reset();
    m_simulator.reset();
    m_estimator.reset();
}

bool BackgroundPlanner::isIdle() const
{
    return isAnswered() && m_pinnedKnown == m_pinnedNumber && m_comparedKnown == m_comparedNumber;
}

void BackgroundPlanner::request(PlanPointer plan, std::uint64_t revision)
{
    const bool wasEstimating = isEstimating();
    m_plan = std::move(plan);
    m_requested = revision;
    m_adviser->cancel();
    m_estimator->overtake({m_plan, revision});
    if (!wasEstimating)
        Q_EMIT estimatingChanged(true);
}

void BackgroundPlanner::settle(std::uint64_t revision)
{
    const bool wasEstimating = isEstimating();
    m_estimator->cancel();
    m_simulator->cancel();
    m_adviser->cancel();
    m_requested = m_estimated = m_simulated = m_advised = revision;
    if (wasEstimating)
        Q_EMIT estimatingChanged(false);
}

void BackgroundPlanner::requestPinned(std::vector<PlanPointer> plans, std::vector<EstimatePointer> known)
{
    m_pinner->overtake({std::move(plans), std::move(known), ++m_pinnedNumber});
}

void BackgroundPlanner::requestCompared(PlanPointer plan, ScheduleFilePointer file, EstimatePointer known)
{
    ++m_comparedNumber;
    if (plan) {
        m_comparer->overtake({std::move(plan), std::move(file), std::move(known), m_comparedNumber});
    } else {
        m_comparer->cancel();
        m_comparedKnown = m_comparedNumber; // what still comes answers an older request
    }
}

void BackgroundPlanner::runAdvice(const PlanRequest& request, const std::stop_token& stop)
{
    auto zones = std::make_shared<const StrategyZones>(m_functions.zones(*request.plan, stop));
    if (stop.stop_requested())
        return; // overtaken
    m_outbox.post(&Letters::zones, {std::move(zones), request.revision});
    auto improvements = std::make_shared<const std::vector<Improvement>>(m_functions.improvements(*request.plan, stop));
    if (!stop.stop_requested())
        m_outbox.post(&Letters::improvements, {std::move(improvements), request.revision});
}

void BackgroundPlanner::runPinned(const PinnedRequest& request, const std::stop_token& stop)
{
    std::vector<EstimatePointer> estimates = request.estimates;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        if (stop.stop_requested())
            return; // overtaken
        if (!estimates[i])
            estimates[i] = std::make_shared<const EstimateResult>(m_functions.estimate(*request.plans[i], stop));
    }
    if (stop.stop_requested())
        return;
    m_outbox.post(&Letters::pinned, {std::move(estimates), request.revision});
}

void BackgroundPlanner::runCompared(const ComparedRequest& request, const std::stop_token& stop)
{
    ComparedStep answer{request.plan, request.file,
        request.known ? request.known
                      : std::make_shared<const EstimateResult>(m_functions.estimate(*request.plan, stop)),
        nullptr, {}};
    if (stop.stop_requested())
        return; // overtaken
    if (*answer.estimate && request.file) {
        auto ordered = inOrderOf(**answer.estimate, *request.file);
        if (ordered)
            answer.estimate = std::make_shared<const EstimateResult>(std::move(*ordered));
        else
            answer.misfit = ordered.error();
        if (stop.stop_requested())
            return;
    }
    if (*answer.estimate && !answer.misfit)
        answer.step = m_functions.timeline(**answer.estimate);
    m_outbox.post(&Letters::compared, {std::make_shared<const ComparedStep>(std::move(answer)), request.revision});
}

void BackgroundPlanner::deliver()
{
    const Letters letters = m_outbox.take();
    if (letters.estimate && letters.estimate->revision == m_requested)
        deliverEstimate(*letters.estimate);
    if (letters.timeline && letters.timeline->revision == m_requested) {
        m_simulated = letters.timeline->revision;
        Q_EMIT timelineReady(letters.timeline->revision, letters.timeline->value);
    }
    deliverAdvice(letters.zones, letters.improvements);
    if (letters.pinned && letters.pinned->revision == m_pinnedNumber) {
        m_pinnedKnown = letters.pinned->revision;
        Q_EMIT pinnedReady(letters.pinned->value);
    }
    if (letters.compared && letters.compared->revision == m_comparedNumber) {
        m_comparedKnown = letters.compared->revision;
        Q_EMIT comparedReady(letters.compared->value);
    }
}

void BackgroundPlanner::deliverEstimate(const OfRevision<EstimatePointer>& answer)
{
    m_estimated = answer.revision;
    if (answer.value->has_value())
        m_simulator->submit({answer.value, answer.revision});
    else
        m_simulated = answer.revision; // nothing to place in time
    m_adviser->overtake({m_plan, answer.revision});
    Q_EMIT estimateReady(answer.revision, answer.value);
    if (!isEstimating()) // a receiver may have asked for the next one
        Q_EMIT estimatingChanged(false);
}

void BackgroundPlanner::deliverAdvice(const std::optional<OfRevision<ZonesPointer>>& zones,
    const std::optional<OfRevision<ImprovementsPointer>>& improvements)
{
    if (zones && zones->revision == m_requested)
        Q_EMIT zonesReady(zones->revision, zones->value);
    if (improvements && improvements->revision == m_requested) {
        m_advised = improvements->revision;
        Q_EMIT improvementsReady(improvements->revision, improvements->value);
    }
}

} // namespace stratoplan::session
