// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/sensitivity_worker.h"

#include <utility>

namespace stratoplan::session {

SensitivityRequest sensitivityRequest(const plan::Project& project)
{
    SensitivityRequest request{{{project.plan, project.capacity}}, {project.plan.name}};
    if (!project.pinned.empty()) {
        const plan::PinnedPlan& baseline = project.pinned.front();
        request.cases.push_back({baseline.plan, baseline.capacity});
        request.names.push_back(baseline.name);
    }
    return request;
}

SensitivityWorker::SensitivityWorker(Work work, QObject* parent)
    : QObject(parent)
    , m_work(std::move(work))
{
    if (!m_work)
        m_work = [](const SensitivityRequest& request, const std::stop_token& stop,
                     const sensitivity::Progress& progress) {
            sensitivity::AnalysisOptions options;
            options.progress = progress;
            return sensitivity::analyse(request.cases, options, stop);
        };
    m_worker.emplace([this](const Job& job, const std::stop_token& stop) { run(job, stop); });
}

SensitivityWorker::~SensitivityWorker() = default;

void SensitivityWorker::start(SensitivityRequestPointer request)
{
    m_request = std::move(request);
    m_running = true;
    m_worker->overtake({m_request, ++m_number});
}

void SensitivityWorker::stop()
{
    if (!m_worker->cancel())
        return;
    m_running = false; // it never began
    auto picture = std::make_shared<SensitivityPicture>();
    picture->request = m_request;
    auto nothing = std::make_shared<sensitivity::Analysis>();
    nothing->isStopped = true;
    picture->analysis = std::move(nothing);
    Q_EMIT pictureChanged(picture);
}

void SensitivityWorker::forget()
{
    ++m_number; // what is under way answers an older question
    m_running = false;
    m_worker->cancel();
}

void SensitivityWorker::post(SensitivityPicture picture, std::uint64_t number)
{
    m_outbox.post(&Letters::picture, {std::make_shared<const SensitivityPicture>(std::move(picture)), number});
}

void SensitivityWorker::run(const Job& job, const std::stop_token& stop)
{
    SensitivityPicture picture;
    picture.request = job.request;
    auto analysis = m_work(*job.request, stop, [&](int done, int total) {
        constexpr int kEvery = 16;
        if (done % kEvery != 0)
            return;
        picture.done = done;
        picture.total = total;
        post(picture, job.number);
    });
    if (analysis)
        picture.analysis = std::make_shared<const sensitivity::Analysis>(std::move(*analysis));
    else
        picture.fault = std::move(analysis.error());
    post(std::move(picture), job.number);
}

void SensitivityWorker::deliver()
{
    const auto [letter] = m_outbox.take();
    if (!letter || letter->number != m_number)
        return;
    m_running = !letter->picture->hasEnded();
    Q_EMIT pictureChanged(letter->picture);
}

} // namespace stratoplan::session
