// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/search_worker.h"

#include "core/plan/dimensions.h"
#include "core/pricing/limits.h"
#include "core/search/found_plan.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

namespace stratoplan::session {

namespace {

/// How often running work shows what it has: often enough to look alive, seldom enough to cost nothing.
constexpr std::chrono::milliseconds kProgressInterval{60};
constexpr std::int64_t kSampled = 6000;
/// Long pipelines take long to simulate; a sample is fair however early it ends.
constexpr std::chrono::seconds kSampling{5};
constexpr std::int64_t kDrawn = 1'000'000;
constexpr std::chrono::seconds kDrawing{60}; ///< a part of it is fair as well

class Pace {
public:
    [[nodiscard]] bool isDue()
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_last < kProgressInterval)
            return false;
        m_last = now;
        return true;
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now() - kProgressInterval;
};

std::vector<plan::Problem> faultsOf(const SearchRequest& request)
{
    plan::Plan neutral = request.plan;
    neutral.strategy = {};
    std::vector<plan::Problem> problems = check(neutral, {.remedies = false});
    std::erase_if(problems, [](const plan::Problem& problem) { return problem.severity != plan::Severity::Error; });
    return problems.empty() ? pricing::notEstimable(neutral) : problems;
}

/// The best of two fronts.
std::vector<search::FoundStrategy> merged(
    const std::vector<search::FoundStrategy>& a, const std::vector<search::FoundStrategy>& b)
{
    search::Front front;
    for (const auto* list : {&a, &b})
        for (const search::FoundStrategy& found : *list)
            front.add(found);
    return front.strategies();
}

std::shared_ptr<const estimate::Estimate> estimateOf(
    const SearchRequest& request, const std::optional<search::FoundStrategy>& found)
{
    if (!found)
        return nullptr;
    auto answer = estimate::estimate(planWith(request.plan, *found), {.remedies = false});
    return answer ? std::make_shared<const estimate::Estimate>(std::move(*answer)) : nullptr;
}

} // namespace

SearchRequest searchRequest(const plan::Project& project)
{
    SearchRequest request{project.plan, spaceOf(project.search, project.plan), {}};
    request.plan.name.clear();
    for (cluster::NodeGroup& nodes : request.plan.cluster.nodes)
        nodes.rack.clear();
    for (cluster::SwitchGroup& switches : request.plan.cluster.switches)
        switches.rack.clear();
    // What every space varies or locks; the rest a search may take from the plan.
    for (const plan::DimensionRow& row : plan::dimensions())
        if (row.whereOpen != plan::WhereOpen::Plans || isRestricted(row, request.space))
            makeUsual(row, request.plan.strategy);
    request.options.mode = project.search.mode;
    request.options.objective = project.search.objective;
    request.options.headroom = project.search.headroom;
    if (project.search.objective == plan::Objective::Deadline)
        request.options.longestStep = project.search.longestStep;
    request.options.threads =
        std::max(1, search::machineThreads() - 1); // one stays for the estimates of the plan being edited
    return request;
}

SearchFunctions coreSearchFunctions()
{
    return {
        .faults = faultsOf,
        .search =
            [](const SearchRequest& r, const std::stop_token& stop, const search::SearchProgressCallback& progress) {
                return search::search(r.plan, r.space, r.options, stop, progress);
            },
        .rescore = [](const SearchRequest& r, const std::vector<search::FoundStrategy>& strategies,
                       const std::stop_token& stop) { return rescore(r.plan, strategies, r.options, stop); },
        .sample =
            [](const SearchRequest& r, const std::stop_token& stop, const search::SampleCallback& priced) {
                sample(r.plan, r.space, r.options, kSampled, stop, priced);
            },
        .cloud =
            [](const SearchRequest& r, const std::stop_token& stop, const CloudCallback& priced) {
                const auto cloud = std::make_shared<const search::SpaceCloud>(r.plan, r.space, r.options, kDrawn, stop);
                if (!stop.stop_requested())
                    cloud->price(stop, [&](std::span<const search::CloudPoint> points) { priced(cloud, points); });
            },
        .why =
            [](const SearchRequest& r, const search::FoundStrategy& asked, const search::FoundStrategy& best,
                const std::stop_token& stop) {
                return why(r.plan, r.space, r.options, asked.strategy, asked.precision, best, stop);
            },
        .worth =
            [](const SearchRequest& r, const search::FoundStrategy& asked, const std::stop_token& stop) {
                return marginalValues(r.plan, r.space, r.options, asked.strategy, asked.precision, stop);
            },
    };
}

SearchWorker::SearchWorker(SearchFunctions functions, QObject* parent)
    : QObject(parent)
    , m_functions(std::move(functions))
{
    m_searcher.emplace([this](const Numbered<SearchJob>& job, const std::stop_token& stop) { run(job, stop); });
    m_verifier.emplace(
        [this](const Numbered<SearchPicturePointer>& job, const std::stop_token& stop) { runVerify(job, stop); });
    m_frontFinder.emplace(
        [this](const Numbered<SearchRequestPointer>& job, const std::stop_token& stop) { runFronts(job, stop); });
    m_explainer.emplace([this](const Numbered<WhyJob>& job, const std::stop_token& stop) { runWhy(job, stop); });
    m_drawer.emplace(
        [this](const Numbered<SearchRequestPointer>& job, const std::stop_token& stop) { runCloud(job, stop); });
}

SearchWorker::~SearchWorker()
{
    // All are told to stop before the first is joined.
    m_searcher->cancel();
    m_verifier->cancel();
    m_frontFinder->cancel();
    m_explainer->cancel();
    m_drawer->cancel();
    m_drawer.reset();
    m_explainer.reset();
    m_frontFinder.reset();
    m_verifier.reset();
    m_searcher.reset();
}

void SearchWorker::search(SearchRequestPointer request, SearchPicturePointer before)
{
    stopVerifying();
    stopDrawing();
    if (m_explainer->cancel()) // it never began
        m_whyKnown = m_whyNumber;
    stopFronts();
    m_sampling = true;
    m_searcher->overtake({{std::move(request), std::move(before)}, ++m_searchNumber});
    if (!std::exchange(m_searching, true))
        Q_EMIT searchingChanged(true);
}

void SearchWorker::stop()
{
    stopDrawing();
    stopFronts();
    const bool neverBegan = m_searcher->cancel();
    if (!m_searching || !neverBegan)
        return; // what runs reports its own end
    m_searching = m_sampling = false;
    Q_EMIT searchingChanged(false);
}

void SearchWorker::stopDrawing()
{
    m_drawer->cancel();
    m_drawing = false;
}

void SearchWorker::verify(SearchPicturePointer answer)
{
    if (!answer || !answer->result)
        return;
    m_verifying = true;
    auto picture = std::make_shared<VerifyPicture>();
    picture->answer = answer;
    picture->progress.space = answer->result->space;
    m_verifier->overtake({std::move(answer), ++m_verifyNumber});
    Q_EMIT verifyChanged(picture);
}

void SearchWorker::stopVerifying()
{
    if (!m_verifying || !m_verifier->cancel())
        return;
    m_verifying = false;
    Q_EMIT verifyChanged(nullptr);
}

void SearchWorker::findFronts(SearchRequestPointer request)
{
    m_findingFronts = true;
    m_frontFinder->overtake({std::move(request), ++m_frontsNumber});
}

/// What it would tell is of an answer that is gone.
void SearchWorker::stopFronts()
{
    m_findingFronts = false;
    ++m_frontsNumber;
    static_cast<void>(m_frontFinder->cancel());
}

void SearchWorker::askWhy(SearchRequestPointer request, const parallel::Strategy& strategy, model::Precision precision,
    const search::FoundStrategy& best)
{
    const search::SearchOptions options = request->options;
    m_explainer->overtake({{std::move(request), {strategy, precision, best, options, {}, {}}}, ++m_whyNumber});
}

void SearchWorker::run(const Numbered<SearchJob>& job, const std::stop_token& stop)
{
    SearchPicture picture;
    picture.request = job.value.request;
    picture.faults = m_functions.faults(*picture.request);
    const auto tell = [&](bool last = false) {
        m_outbox.post(&Letters::picture, {std::make_shared<const SearchPicture>(picture), job.number, last});
    };
    if (!picture.faults.empty())
        return tell(true);
    runRescore(picture, job.value, stop);
    const std::vector<search::FoundStrategy> earlier = picture.front;
    if (picture.rescored)
        tell();
    Pace pace;
    picture.result = m_functions.search(*picture.request, stop, [&](const search::SearchProgress& progress) {
        if (!pace.isDue())
            return;
        picture.progress = progress;
        // In closed form nothing compares with what is simulated.
        if (!progress.preliminary)
            picture.front = merged(earlier, progress.front);
        else if (!picture.rescored)
            picture.front = progress.front;
        picture.provisional = picture.rescored || progress.preliminary;
        tell();
    });
    takeResult(picture, earlier);
    picture.bestEstimate = estimateOf(*picture.request, picture.result->best);
    tell();
    runSample(picture, job.number, stop);
    tell(true);
}

void SearchWorker::runRescore(SearchPicture& picture, const SearchJob& job, const std::stop_token& stop) const
{
    if (!job.before || job.before->front.empty())
        return;
    const search::RescoreResult anew = m_functions.rescore(*picture.request, job.before->front, stop);
    picture.front = anew.front;
    for (const search::Rescored& rescored : anew.strategies)
        if (!rescored.onFront && rescored.found.peak > Bytes(0))
            picture.lost.push_back({rescored.found.strategy, rescored.found.precision, rescored.found.step,
                rescored.found.peak, rescored.standing != search::Standing::OutOfMemory});
    picture.rescored = picture.provisional = true;
}

/// A search that was stopped has not come to all that the front before held: that stays, priced anew, for the next move
/// to start from.
void SearchWorker::takeResult(SearchPicture& picture, const std::vector<search::FoundStrategy>& earlier)
{
    const bool whole = picture.result->proven || earlier.empty();
    if (whole)
        picture.front = picture.result->front;
    else // in closed form nothing compares with what is simulated
        picture.front = picture.progress.preliminary ? earlier : merged(earlier, picture.result->front);
    if (whole)
        picture.lost.clear();
    picture.rescored = picture.provisional = !whole;
}

void SearchWorker::runSample(SearchPicture& picture, std::uint64_t number, const std::stop_token& stop)
{
    std::vector<search::SampledStrategy> all;
    std::stop_source enough;
    const std::stop_callback overtaken(stop, [&enough] { enough.request_stop(); });
    const auto began = std::chrono::steady_clock::now();
    m_functions.sample(*picture.request, enough.get_token(), [&](std::span<const search::SampledStrategy> priced) {
        if (std::chrono::steady_clock::now() - began > kSampling)
            enough.request_stop();
        all.insert(all.end(), priced.begin(), priced.end());
        picture.sampled = std::make_shared<const std::vector<search::SampledStrategy>>(all);
        m_outbox.post(&Letters::picture, {std::make_shared<const SearchPicture>(picture), number, false});
    });
}

void SearchWorker::runCloud(const Numbered<SearchRequestPointer>& job, const std::stop_token& stop)
{
    widgets::StrategyCloud cloud;
    cloud.growing = true;
    const auto tell = [&] {
        m_outbox.post(
            &Letters::cloud, {std::make_shared<const widgets::StrategyCloud>(cloud), job.number, !cloud.growing});
    };
    std::stop_source enough;
    const std::stop_callback overtaken(stop, [&enough] { enough.request_stop(); });
    const auto began = std::chrono::steady_clock::now();
    Pace pace;
    std::vector<search::CloudPoint> fresh;
    const auto take = [&] {
        if (fresh.empty())
            return;
        cloud.size += fresh.size();
        cloud.parts.push_back(std::make_shared<const std::vector<search::CloudPoint>>(std::exchange(fresh, {})));
    };
    m_functions.cloud(*job.value, enough.get_token(),
        [&](const std::shared_ptr<const search::SpaceCloud>& space, std::span<const search::CloudPoint> points) {
            if (std::chrono::steady_clock::now() - began > kDrawing)
                enough.request_stop();
            if (!cloud.strategyOf) {
                cloud.space = space->leaves();
                cloud.strategyOf = [space](std::uint32_t number) { return space->strategy(number); };
            }
            fresh.insert(fresh.end(), points.begin(), points.end());
            if (!pace.isDue())
                return;
            take();
            tell();
        });
    take();
    cloud.growing = false;
    if (!stop.stop_requested())
        tell();
}

void SearchWorker::runVerify(const Numbered<SearchPicturePointer>& job, const std::stop_token& stop)
{
    SearchRequest everything = *job.value->request;
    everything.options.exhaustive = true;
    VerifyPicture picture;
    picture.answer = job.value;
    Pace pace;
    const search::SearchResult result =
        m_functions.search(everything, stop, [&](const search::SearchProgress& progress) {
            if (!pace.isDue())
                return;
            picture.progress = progress;
            m_outbox.post(&Letters::verification, {std::make_shared<const VerifyPicture>(picture), job.number, false});
        });
    picture.progress.decided = picture.progress.evaluated = result.evaluated;
    picture.progress.space = result.space;
    picture.progress.seconds = result.seconds;
    picture.verdict = search::verify(*job.value->result, result);
    m_outbox.post(
        &Letters::verification, {std::make_shared<const VerifyPicture>(std::move(picture)), job.number, true});
}

void SearchWorker::runFronts(const Numbered<SearchRequestPointer>& job, const std::stop_token& stop)
{
    SearchRequest request = *job.value;
    request.options.byAccelerators = true;
    FrontsPicture picture;
    picture.request = job.value;
    Pace pace;
    picture.result = m_functions.search(request, stop, [&](const search::SearchProgress& progress) {
        if (!pace.isDue())
            return;
        picture.progress = progress;
        picture.progress.front.clear();
        m_outbox.post(&Letters::fronts, {std::make_shared<const FrontsPicture>(picture), job.number, false});
    });
    m_outbox.post(&Letters::fronts, {std::make_shared<const FrontsPicture>(std::move(picture)), job.number, true});
}

void SearchWorker::runWhy(const Numbered<WhyJob>& job, const std::stop_token& stop)
{
    WhyAnswer answer = job.value.answer;
    const search::FoundStrategy asked{answer.strategy, answer.precision, 0, {}, {}};
    answer.why = m_functions.why(*job.value.request, asked, answer.best, stop);
    if (m_functions.worth && !stop.stop_requested()) {
        m_outbox.post(&Letters::why, {std::make_shared<const WhyAnswer>(answer), job.number, false});
        auto worth = m_functions.worth(*job.value.request, asked, stop);
        if (!stop.stop_requested()) // else some were not asked for
            answer.worth = std::move(worth);
    }
    m_outbox.post(&Letters::why, {std::make_shared<const WhyAnswer>(std::move(answer)), job.number, true});
}

void SearchWorker::deliver()
{
    const auto [picture, verification, fronts, why, cloud] = m_outbox.take();
    if (picture && picture->number == m_searchNumber)
        deliverPicture(*picture);
    if (verification && verification->number == m_verifyNumber) {
        m_verifying = !verification->last;
        Q_EMIT verifyChanged(verification->value);
    }
    if (m_drawing && cloud && cloud->number == m_searchNumber) {
        m_drawing = !cloud->last;
        Q_EMIT cloudChanged(cloud->value);
    }
    if (fronts && fronts->number == m_frontsNumber) {
        m_findingFronts = !fronts->last;
        Q_EMIT frontsChanged(fronts->value);
    }
    if (why && why->number == m_whyNumber) {
        if (why->last)
            m_whyKnown = why->number;
        Q_EMIT whyReady(why->value);
    }
}

void SearchWorker::deliverPicture(const Numbered<SearchPicturePointer>& answer)
{
    const bool ends = m_searching && answer.value->hasEnded();
    if (ends)
        m_searching = false;
    if (answer.last)
        m_sampling = false;
    if (m_functions.cloud && answer.last && answer.value->result && answer.value->result->proven
        && answer.value->result->space > 0) {
        m_drawing = true; // no thread searches now that it could hold up
        m_drawer->overtake({answer.value->request, answer.number});
    }
    Q_EMIT pictureChanged(answer.value);
    if (ends && !m_searching) // a receiver may have asked for the next one
        Q_EMIT searchingChanged(false);
}

} // namespace stratoplan::session
