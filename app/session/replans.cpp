// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/replans.h"

#include "app/session/search_worker.h"
#include "core/search/found_plan.h"

#include <utility>

namespace stratoplan::session {

namespace {

constexpr double kRounding = 1 + 1e-9; ///< one as short is found

/// The plan of the project with what its search finds, of a step that takes no longer than `known` if that is above 0;
/// none where nothing can be found, or when stopped.
std::optional<plan::Plan> bestPlan(const plan::Project& project, Seconds known, const std::stop_token& stop,
    const std::function<void(double)>& progress)
{
    SearchRequest request = searchRequest(project);
    request.space.leaveIdle = true; // what a failure leaves seldom divides
    request.options.keep = search::FrontKind::Best;
    request.options.longestOfUse = known * kRounding;
    const SearchFunctions core = coreSearchFunctions();
    if (!core.faults(request).empty())
        return std::nullopt;
    const bool isSimulated = request.options.mode == plan::SearchMode::Simulated; // after a search in closed form
    const auto show = [&](const search::SearchProgress& now) {
        if (!progress || now.space <= 0)
            return;
        const double share = double(now.decided) / double(now.space);
        progress(now.preliminary ? share / 2 : isSimulated ? (1 + share) / 2 : share);
    };
    const search::SearchResult found = core.search(request, stop, show);
    if (stop.stop_requested() || !found.best)
        return std::nullopt;
    return planWith(project.plan, *found.best);
}

} // namespace

WhatIf replanned(const plan::Project& project, const WhatIf& near, const std::stop_token& stop,
    const std::function<void(double)>& progress)
{
    WhatIf best = near;
    const auto before =
        estimate::estimate(project.plan, {.remedies = false, .waits = false, .range = false, .stop = stop});
    if (!before || !(before->step > Seconds{}))
        return best;
    std::vector<int> batches{project.plan.training.globalBatch};
    if (near.plan.training.globalBatch != batches.front())
        batches.push_back(near.plan.training.globalBatch);
    for (std::size_t i = 0; i < batches.size(); ++i) {
        plan::Project there = project;
        there.search.objective = plan::Objective::Throughput; // as answers are judged
        there.plan.cluster = near.plan.cluster;
        there.plan.training.globalBatch = batches[i];
        const Seconds known = best.fits ? ofSequence(best.step, best.plan) * double(batches[i]) : Seconds{};
        auto plan = bestPlan(there, known, stop, [&](double share) {
            if (progress)
                progress((double(i) + share) / double(batches.size()));
        });
        if (!plan)
            continue;
        auto found = priced(near.change, std::move(*plan), ofSequence(before->step, project.plan), stop);
        if (found && isBetter(*found, best))
            best = std::move(*found);
    }
    best.apart = near.apart;
    return best;
}

ReplanWorker::ReplanWorker(QObject* parent)
    : QObject(parent)
{
    m_worker.emplace([this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

ReplanWorker::~ReplanWorker() = default;

void ReplanWorker::ask(plan::Project project, WhatIf near)
{
    m_worker->overtake({std::move(project), std::move(near), ++m_number});
}

void ReplanWorker::forget()
{
    ++m_number;
    m_worker->cancel();
}

void ReplanWorker::work(const Request& request, const std::stop_token& stop)
{
    const WhatIf answer = replanned(request.project, request.near, stop, [&](double share) {
        m_outbox.post(&Letters::share, {share, request.number});
    });
    if (!stop.stop_requested())
        m_outbox.post(&Letters::answer, {std::make_shared<const WhatIf>(answer), request.number});
}

void ReplanWorker::deliver()
{
    const Letters letters = m_outbox.take();
    if (letters.answer && letters.answer->number == m_number)
        Q_EMIT answered(letters.answer->value);
    else if (letters.share && letters.share->number == m_number)
        Q_EMIT progressed(letters.share->value);
}

} // namespace stratoplan::session
