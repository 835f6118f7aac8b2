// SPDX-License-Identifier: GPL-3.0-or-later
// The exact search off the GUI thread: what an earlier front is worth now, the search itself streaming, then a sample
// of all the other strategies, and up to a million of them as points; pricing everything to verify an answer; why a
// strategy loses. The newest request wins; answers are handed over on the GUI thread as pictures that never change.
#pragma once

#include "app/session/latest_worker.h"
#include "app/session/outbox.h"
#include "core/search/cloud.h"
#include "core/search/rescore.h"
#include "core/search/sample.h"
#include "core/search/search.h"
#include "core/search/verify.h"
#include "core/search/why.h"
#include "widgets/presentation/strategy_cloud.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stratoplan::session {

/// All that the answer of a search depends on.
struct SearchRequest {
    plan::Plan plan; ///< nothing in it but what a search of the space looks at
    plan::SearchSpace space;
    search::SearchOptions options;
    bool operator==(const SearchRequest&) const = default;
};
using SearchRequestPointer = std::shared_ptr<const SearchRequest>;

/// Two projects that differ only in what the search varies have equal requests.
[[nodiscard]] SearchRequest searchRequest(const plan::Project& project);

/// What is known of a search at some moment.
struct SearchPicture {
    SearchRequestPointer request;
    std::vector<plan::Problem> faults; ///< why the plan cannot be searched, whatever its strategy
    search::SearchProgress progress; ///< the newest
    std::optional<search::SearchResult> result; ///< once it has ended: proven, or stopped
    std::vector<search::FoundStrategy> front; ///< to show
    std::shared_ptr<const estimate::Estimate> bestEstimate; ///< of result->best; null where there is none
    std::vector<search::SampledStrategy> lost; ///< of an earlier front and no longer on it
    bool rescored = false; ///< the front holds strategies of an earlier search, priced anew
    bool provisional = false; ///< the front is not of this search yet, or in closed form before all is simulated
    std::shared_ptr<const std::vector<search::SampledStrategy>> sampled; ///< grows; null before it begins
    [[nodiscard]] bool hasEnded() const { return result.has_value() || !faults.empty(); }
};
using SearchPicturePointer = std::shared_ptr<const SearchPicture>;

/// Pricing everything, to compare with an answer.
struct VerifyPicture {
    SearchPicturePointer answer;
    search::SearchProgress progress;
    std::optional<search::Verification> verdict; ///< once it has ended
};
using VerifyPicturePointer = std::shared_ptr<const VerifyPicture>;

/// The search for what nothing beats in step, peak memory and GPUs used, of which the fronts of all measures are made.
struct FrontsPicture {
    SearchRequestPointer request; ///< that of the answer it belongs to
    search::SearchProgress progress;
    std::optional<search::SearchResult> result; ///< once it has ended
};
using FrontsPicturePointer = std::shared_ptr<const FrontsPicture>;

struct WhyAnswer {
    parallel::Strategy strategy;
    model::Precision precision = model::Precision::Bf16;
    search::FoundStrategy best;
    search::SearchOptions options; ///< of the search
    search::Why why;
    std::optional<std::vector<search::MarginalValue>> worth; ///< of more of each resource; comes after the rest
};
using WhyPointer = std::shared_ptr<const WhyAnswer>;

/// What was drawn of a space, and what its points stand for.
using CloudCallback =
    std::function<void(const std::shared_ptr<const search::SpaceCloud>&, std::span<const search::CloudPoint>)>;

/// The work itself; tests put slow or counting functions in its place. Called on the worker's threads.
struct SearchFunctions {
    /// What no strategy can mend.
    std::function<std::vector<plan::Problem>(const SearchRequest&)> faults;
    std::function<search::SearchResult(
        const SearchRequest&, const std::stop_token&, const search::SearchProgressCallback&)>
        search;
    std::function<search::RescoreResult(
        const SearchRequest&, const std::vector<search::FoundStrategy>&, const std::stop_token&)>
        rescore;
    std::function<void(const SearchRequest&, const std::stop_token&, const search::SampleCallback&)> sample;
    std::function<void(const SearchRequest&, const std::stop_token&, const CloudCallback&)> cloud =
        {}; ///< none: no cloud comes
    std::function<search::Why(const SearchRequest&, const search::FoundStrategy& asked,
        const search::FoundStrategy& best, const std::stop_token&)>
        why;
    std::function<std::vector<search::MarginalValue>(
        const SearchRequest&, const search::FoundStrategy& asked, const std::stop_token&)>
        worth = {}; ///< none: not told
};
[[nodiscard]] SearchFunctions coreSearchFunctions();

/// A job of the worker, or what came of it.
template <class Value>
struct Numbered {
    Value value;
    std::uint64_t number = 0;
    bool last = false;
};

class SearchWorker final : public QObject {
    Q_OBJECT

public:
    explicit SearchWorker(SearchFunctions functions, QObject* parent = nullptr);
    /// Stops what runs and joins; no signal comes after.
    ~SearchWorker() override;

    /// A newer request overtakes. `before`: an answer to an older one, whose front is priced anew first; may be null.
    void search(SearchRequestPointer request, SearchPicturePointer before);
    /// What has been found is still delivered, as stopped.
    void stop();
    /// Prices every strategy of the space of an answer, and compares.
    void verify(SearchPicturePointer answer);
    void stopVerifying();
    /// Searches for the fronts of all measures; ends with frontsChanged(). A new search stops it.
    void findFronts(SearchRequestPointer request);
    /// Asks why `strategy` loses to `best`, which the request found, then what more of each resource is worth; a newer
    /// question or search overtakes.
    void askWhy(SearchRequestPointer request, const parallel::Strategy& strategy, model::Precision precision,
        const search::FoundStrategy& best);

    [[nodiscard]] bool isSearching() const { return m_searching; }
    [[nodiscard]] bool isExplaining() const { return m_whyKnown != m_whyNumber; }
    /// The cloud is still to come or growing: it may take seconds, and nothing waits for it.
    [[nodiscard]] bool isDrawing() const { return m_drawing; }
    /// Everything asked for is delivered, the sample included.
    [[nodiscard]] bool isIdle() const
    {
        return !m_searching && !m_sampling && !m_verifying && !m_findingFronts && m_whyKnown == m_whyNumber;
    }

Q_SIGNALS:
    /// Now and then while a search runs, once at its end, and while the sample grows.
    void pictureChanged(const session::SearchPicturePointer& picture);
    void searchingChanged(bool searching);
    /// Now and then while it grows; after the search and its sample have ended.
    void cloudChanged(const widgets::StrategyCloudPointer& cloud);
    void verifyChanged(const session::VerifyPicturePointer& picture);
    void frontsChanged(const session::FrontsPicturePointer& picture);
    /// Twice: when it is known why, and with what more resources are worth.
    void whyReady(const session::WhyPointer& why);

private:
    struct SearchJob {
        SearchRequestPointer request;
        SearchPicturePointer before;
    };
    struct WhyJob {
        SearchRequestPointer request;
        WhyAnswer answer;
    };
    struct Letters {
        std::optional<Numbered<SearchPicturePointer>> picture;
        std::optional<Numbered<VerifyPicturePointer>> verification;
        std::optional<Numbered<FrontsPicturePointer>> fronts;
        std::optional<Numbered<WhyPointer>> why;
        std::optional<Numbered<widgets::StrategyCloudPointer>> cloud;
    };
    Q_INVOKABLE void deliver();
    void deliverPicture(const Numbered<SearchPicturePointer>& answer);
    void run(const Numbered<SearchJob>& job, const std::stop_token& stop);
    void runRescore(SearchPicture& picture, const SearchJob& job, const std::stop_token& stop) const;
    static void takeResult(SearchPicture& picture, const std::vector<search::FoundStrategy>& earlier);
    void runSample(SearchPicture& picture, std::uint64_t number, const std::stop_token& stop);
    void runVerify(const Numbered<SearchPicturePointer>& job, const std::stop_token& stop);
    void runCloud(const Numbered<SearchRequestPointer>& job, const std::stop_token& stop);
    void stopDrawing();
    void runFronts(const Numbered<SearchRequestPointer>& job, const std::stop_token& stop);
    void stopFronts();
    void runWhy(const Numbered<WhyJob>& job, const std::stop_token& stop);

    SearchFunctions m_functions;
    Outbox<Letters> m_outbox{*this};
    std::uint64_t m_searchNumber = 0;
    std::uint64_t m_verifyNumber = 0;
    std::uint64_t m_frontsNumber = 0;
    std::uint64_t m_whyNumber = 0;
    std::uint64_t m_whyKnown = 0;
    bool m_searching = false;
    bool m_sampling = false;
    bool m_verifying = false;
    bool m_drawing = false;
    bool m_findingFronts = false;

    // Last, so that they are joined before anything they use goes away.
    std::optional<LatestWorker<Numbered<SearchJob>>> m_searcher;
    std::optional<LatestWorker<Numbered<SearchPicturePointer>>> m_verifier;
    std::optional<LatestWorker<Numbered<SearchRequestPointer>>> m_frontFinder;
    std::optional<LatestWorker<Numbered<WhyJob>>> m_explainer;
    std::optional<LatestWorker<Numbered<SearchRequestPointer>>> m_drawer;
};

} // namespace stratoplan::session
