// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/sizing_worker.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace stratoplan::session {

namespace {

constexpr double kToldShare = 0.005; ///< of a kind, between two pictures

SizingPicture startOf(SizingRequestPointer request)
{
    SizingPicture picture;
    picture.kinds.resize(request->kinds.size());
    picture.request = std::move(request);
    return picture;
}

/// On one of its first nodes, without a network: neither their number nor their cables play a part.
plan::Plan onOneNode(plan::Plan plan)
{
    const auto first = std::ranges::find_if(plan.cluster.nodes, cluster::takesPart);
    cluster::Cluster alone;
    alone.name = plan.cluster.name;
    alone.nodes = {first != plan.cluster.nodes.end() ? *first : cluster::NodeGroup{}};
    alone.nodes.front().count = 1;
    plan.cluster = std::move(alone);
    return plan;
}

bool isSameAnswer(const sizing::SizingAnswer& a, const sizing::SizingAnswer& b)
{
    return a.plan == b.plan && a.isMet == b.isMet && a.isProven == b.isProven;
}

} // namespace

std::optional<SizingKind> sizingKind(
    const plan::Project& project, const catalog::Catalog& catalog, const SizingQuestion::Choice& choice)
{
    const plan::Plan& planAsIs = project.plan;
    const catalog::NodePreset* const nodes = choice.nodes.empty() ? nullptr : catalog.node(choice.nodes);
    if (!nodes && (!choice.nodes.empty() || std::ranges::none_of(planAsIs.cluster.nodes, cluster::takesPart)))
        return std::nullopt;
    plan::Project on;
    on.plan = onOneNode(nodes ? sizing::planOn(planAsIs, *nodes) : planAsIs);
    on.search = project.search;
    on.search.objective = plan::Objective::Throughput;
    const cluster::NodeGroup& group = on.plan.cluster.nodes.front();
    SizingKind kind{group.name.empty() ? group.id : group.name, searchRequest(on),
        sizing::inputsOn(project.capacity, on.plan, planAsIs)};
    if (nodes)
        kind.name = nodes->name;
    if (choice.price > 0)
        kind.inputs.prices[group.id] = choice.price;
    return kind;
}

SizingRequest sizingRequest(const plan::Project& project, const catalog::Catalog& catalog, SizingQuestion question)
{
    SizingRequest request{std::move(question), {}};
    std::erase_if(request.question.kinds, [&](const SizingQuestion::Choice& choice) {
        auto kind = sizingKind(project, catalog, choice);
        if (kind)
            request.kinds.push_back(std::move(*kind));
        return !kind;
    });
    return request;
}

ProjectChange sizingAdoption(const plan::Project& project, const SizingKind& kind, const sizing::SizingAnswer& found)
{
    ProjectChange change;
    change.plan = project.plan;
    change.plan->cluster = found.plan.cluster;
    change.plan->strategy = found.plan.strategy;
    change.plan->training.precision = found.plan.training.precision;
    change.capacity = kind.inputs;
    change.canvas = project.canvas;
    std::set<std::string_view> ids;
    for (const cluster::NodeGroup& nodes : change.plan->cluster.nodes)
        ids.insert(nodes.id);
    std::erase_if(*change.canvas, [&](const auto& place) { return !ids.contains(place.first); });
    return change;
}

SizingFunctions coreSizingFunctions()
{
    return {
        .faults =
            [](SearchRequest each) { // one node alone needs no NIC
                each.plan.cluster.nodes.front().count = sizing::SizingOptions{}.mostNodes;
                return coreSearchFunctions().faults(each);
            },
        .size =
            [](const SizingKind& kind, double days, const std::stop_token& stop,
                const sizing::SizingProgressCallback& progress) {
                sizing::SizingOptions options{.days = days};
                options.search = kind.each.options;
                return fewestFor(kind.each.plan, kind.each.space, kind.inputs, options, stop, progress);
            },
    };
}

SizingWorker::SizingWorker(SizingFunctions functions, QObject* parent)
    : QObject(parent)
    , m_functions(std::move(functions))
{
    m_worker.emplace([this](const Job& job, const std::stop_token& stop) { run(job, stop); });
}

SizingWorker::~SizingWorker() = default;

void SizingWorker::start(SizingRequestPointer request)
{
    m_request = std::move(request);
    m_running = true;
    m_worker->overtake({m_request, ++m_number});
}

void SizingWorker::stop()
{
    if (!m_worker->cancel())
        return;
    m_running = false; // it never began
    auto picture = std::make_shared<SizingPicture>(startOf(m_request));
    for (SizedKind& kind : picture->kinds)
        kind.state = SizedKind::State::Skipped;
    picture->hasEnded = picture->isStopped = true;
    Q_EMIT pictureChanged(picture);
}

void SizingWorker::forget()
{
    ++m_number; // what is under way answers an older question
    m_running = false;
    m_worker->cancel();
}

void SizingWorker::post(const SizingPicture& picture, std::uint64_t number)
{
    m_outbox.post(&Letters::picture, {std::make_shared<const SizingPicture>(picture), number, picture.hasEnded});
}

void SizingWorker::size(SizingPicture& picture, std::size_t which, std::uint64_t number, const std::stop_token& stop)
{
    const SizingKind& kind = picture.request->kinds[which];
    SizedKind& sized = picture.kinds[which];
    sized.state = SizedKind::State::Searching;
    post(picture, number);
    sized.faults = m_functions.faults(kind.each);
    if (sized.faults.empty()) {
        const auto answer =
            m_functions.size(kind, picture.request->question.days, stop, [&](const sizing::SizingProgress& progress) {
                const bool isOther = progress.best && !(sized.answer && isSameAnswer(*progress.best, *sized.answer));
                if (!isOther && sized.nodes == progress.nodes && progress.share < sized.share + kToldShare)
                    return;
                if (isOther)
                    sized.answer = std::make_shared<const sizing::SizingAnswer>(*progress.best);
                sized.nodes = progress.nodes;
                sized.share = progress.share;
                post(picture, number);
            });
        sized.answer = answer ? std::make_shared<const sizing::SizingAnswer>(*answer) : nullptr;
    }
    sized.share = 1;
    const bool isKnown = sized.answer || !sized.faults.empty() || !stop.stop_requested();
    sized.state = isKnown ? SizedKind::State::Ended : SizedKind::State::Stopped;
}

void SizingWorker::run(const Job& job, const std::stop_token& stop)
{
    SizingPicture picture = startOf(job.value);
    for (std::size_t kind = 0; kind < picture.kinds.size(); ++kind) {
        if (stop.stop_requested())
            picture.kinds[kind].state = SizedKind::State::Skipped;
        else
            size(picture, kind, job.number, stop);
    }
    picture.hasEnded = true;
    picture.isStopped = stop.stop_requested();
    post(picture, job.number);
}

void SizingWorker::deliver()
{
    const auto [picture] = m_outbox.take();
    if (!picture || picture->number != m_number)
        return;
    m_running = !picture->last;
    Q_EMIT pictureChanged(picture->value);
}

} // namespace stratoplan::session
