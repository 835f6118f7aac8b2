// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/mix_worker.h"

#include <set>
#include <string_view>
#include <utility>

namespace stratoplan::session {

namespace {

MixPicture emptyPicture(MixRequestPointer request)
{
    MixPicture picture;
    picture.request = std::move(request);
    picture.front = std::make_shared<const std::vector<search::FoundMix>>();
    return picture;
}

} // namespace

MixRequest mixRequest(const plan::Project& project, search::MixOptions mixes)
{
    plan::Project fastest;
    fastest.plan = project.plan;
    fastest.search = project.search;
    fastest.search.objective = plan::Objective::Throughput;
    return {searchRequest(fastest), std::move(mixes)};
}

ProjectChange mixAdoption(const plan::Project& project, const search::FoundMix& found)
{
    ProjectChange change;
    change.plan = planWith(project.plan, found);
    std::set<std::string_view> ids;
    for (const cluster::NodeGroup& nodes : change.plan->cluster.nodes)
        ids.insert(nodes.id);
    for (const cluster::SwitchGroup& switches : change.plan->cluster.switches)
        ids.insert(switches.id);
    change.canvas = project.canvas;
    std::erase_if(*change.canvas, [&](const auto& place) { return !ids.contains(place.first); });
    return change;
}

MixFunctions coreMixFunctions()
{
    return {
        .faults = coreSearchFunctions().faults,
        .search =
            [](const MixRequest& request, const std::stop_token& stop,
                const std::function<void(const search::MixProgress&)>& progress) {
                const SearchRequest& each = request.each;
                return searchMixes(each.plan, each.space, request.mixes, each.options, stop, progress);
            },
    };
}

MixWorker::MixWorker(MixFunctions functions, QObject* parent)
    : QObject(parent)
    , m_functions(std::move(functions))
{
    m_worker.emplace([this](const Job& job, const std::stop_token& stop) { run(job, stop); });
}

MixWorker::~MixWorker() = default;

void MixWorker::start(MixRequestPointer request)
{
    m_request = std::move(request);
    m_running = true;
    m_worker->overtake({m_request, ++m_number});
}

void MixWorker::stop()
{
    if (!m_worker->cancel())
        return;
    m_running = false; // it never began
    auto picture = std::make_shared<MixPicture>(emptyPicture(m_request));
    picture->result.emplace();
    Q_EMIT pictureChanged(picture);
}

void MixWorker::forget()
{
    ++m_number; // what is under way answers an older question
    m_running = false;
    m_worker->cancel();
}

void MixWorker::post(MixPicture picture, std::uint64_t number)
{
    const bool last = picture.hasEnded();
    m_outbox.post(&Letters::picture, {std::make_shared<const MixPicture>(std::move(picture)), number, last});
}

void MixWorker::run(const Job& job, const std::stop_token& stop)
{
    MixPicture picture = emptyPicture(job.value);
    picture.faults = m_functions.faults(job.value->each);
    if (picture.faults.empty()) {
        search::MixResult result = m_functions.search(*job.value, stop, [&](const search::MixProgress& progress) {
            picture.mixes = progress.mixes;
            picture.decided = progress.decided;
            picture.next = progress.next;
            if (progress.front != *picture.front)
                picture.front = std::make_shared<const std::vector<search::FoundMix>>(progress.front);
            post(picture, job.number);
        });
        if (result.front != *picture.front)
            picture.front = std::make_shared<const std::vector<search::FoundMix>>(result.front);
        picture.mixes = result.mixes;
        picture.decided = result.searched + result.leftOut;
        picture.result = std::move(result);
    }
    post(std::move(picture), job.number);
}

void MixWorker::deliver()
{
    const auto [picture] = m_outbox.take();
    if (!picture || picture->number != m_number)
        return;
    m_running = !picture->last;
    Q_EMIT pictureChanged(picture->value);
}

} // namespace stratoplan::session
