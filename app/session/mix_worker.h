// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes of the cluster to use (core/search/node_mixes.h), found off the GUI thread, in the space and by the
// settings of the project's own search. The newest request wins; what is known is handed over on the GUI thread as
// pictures that never change.
#pragma once

#include "app/session/project_change.h"
#include "app/session/search_worker.h"
#include "core/search/node_mixes.h"

namespace stratoplan::session {

/// All that the answer depends on.
struct MixRequest {
    SearchRequest each; ///< how a mix is searched: for the shortest step, whatever the project searches for
    search::MixOptions mixes;
    bool operator==(const MixRequest&) const = default;
};
using MixRequestPointer = std::shared_ptr<const MixRequest>;

/// Projects that differ only in what the search of a mix varies have equal requests.
[[nodiscard]] MixRequest mixRequest(const plan::Project& project, search::MixOptions mixes);

/// The plan with the nodes and the strategy of a mix, and where the elements of its cluster stand.
[[nodiscard]] ProjectChange mixAdoption(const plan::Project& project, const search::FoundMix& found);

/// What is known at some moment.
struct MixPicture {
    MixRequestPointer request;
    std::vector<plan::Problem> faults; ///< why the plan cannot be searched, whatever its strategy
    std::int64_t mixes = 0, decided = 0;
    double next = 0; ///< share of the next that is decided
    std::shared_ptr<const std::vector<search::FoundMix>> front; ///< so far, never null; another one where it is another
    std::optional<search::MixResult> result; ///< once it has ended: proven, or stopped
    [[nodiscard]] bool hasEnded() const { return result.has_value() || !faults.empty(); }
};
using MixPicturePointer = std::shared_ptr<const MixPicture>;

/// The work itself; tests put slow or small functions in its place. Called on the worker's thread.
struct MixFunctions {
    std::function<std::vector<plan::Problem>(const SearchRequest&)> faults;
    std::function<search::MixResult(
        const MixRequest&, const std::stop_token&, const std::function<void(const search::MixProgress&)>&)>
        search;
};
[[nodiscard]] MixFunctions coreMixFunctions();

class MixWorker final : public QObject {
    Q_OBJECT

public:
    explicit MixWorker(MixFunctions functions = coreMixFunctions(), QObject* parent = nullptr);
    /// Stops what runs and waits for it; no signal comes after.
    ~MixWorker() override;

    void start(MixRequestPointer request);
    /// What has been found is still told, as stopped.
    void stop();
    /// What runs is stopped, and nothing of it is told.
    void forget();
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    /// Of the newest request: now and then, and at the end, when isRunning() is false.
    void pictureChanged(const session::MixPicturePointer& picture);

private:
    using Job = Numbered<MixRequestPointer>;
    struct Letters {
        std::optional<Numbered<MixPicturePointer>> picture;
    };
    Q_INVOKABLE void deliver();
    void run(const Job& job, const std::stop_token& stop);
    void post(MixPicture picture, std::uint64_t number);

    MixFunctions m_functions;
    Outbox<Letters> m_outbox{*this};
    MixRequestPointer m_request; ///< the newest
    std::uint64_t m_number = 0;
    bool m_running = false;
    std::optional<LatestWorker<Job>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
