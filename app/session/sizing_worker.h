// SPDX-License-Identifier: GPL-3.0-or-later
// How many accelerators of which kind get the run done in so many days (core/sizing), found off the GUI thread, one
// kind of nodes after the other, in the space and by the settings of the project's own search. The newest request wins;
// what is known is handed over on the GUI thread as pictures that never change.
#pragma once

#include "app/session/project_change.h"
#include "app/session/search_worker.h"
#include "core/sizing/sizing.h"

namespace stratoplan::session {

/// What a person asks.
struct SizingQuestion {
    struct Choice {
        std::string nodes; ///< id of the catalogue; empty: the plan's own
        double price = 0; ///< of an accelerator-hour; 0: none but that of the plan or of the list
        bool operator==(const Choice&) const = default;
    };
    double days = 0; ///< wall time
    std::vector<Choice> kinds;
    bool operator==(const SizingQuestion&) const = default;
};

/// A kind of nodes, and the run on it.
struct SizingKind {
    std::string name;
    SearchRequest each; ///< the plan on one node of it, and how it is searched
    plan::CapacityInputs inputs;
    bool operator==(const SizingKind&) const = default;
};

/// All that the answer depends on.
struct SizingRequest {
    SizingQuestion question;
    std::vector<SizingKind> kinds; ///< as in the question
    bool operator==(const SizingRequest&) const = default;
};
using SizingRequestPointer = std::shared_ptr<const SizingRequest>;

/// Nothing where the nodes are not of the catalogue, or the plan has none of its own.
[[nodiscard]] std::optional<SizingKind> sizingKind(
    const plan::Project& project, const catalog::Catalog& catalog, const SizingQuestion::Choice& choice);
/// Projects that differ only in what the searches vary have equal requests.
[[nodiscard]] SizingRequest sizingRequest(
    const plan::Project& project, const catalog::Catalog& catalog, SizingQuestion question);

/// The plan on the nodes that were found with their strategy, at the price that they were found at, and where the
/// elements of its cluster stand.
[[nodiscard]] ProjectChange sizingAdoption(
    const plan::Project& project, const SizingKind& kind, const sizing::SizingAnswer& found);

/// What is known of one kind.
struct SizedKind {
    enum class State {
        Waiting,
        Searching,
        Ended,
        Stopped, ///< before anything was found
        Skipped, ///< stopped before its turn
    };
    State state = State::Waiting;
    int nodes = 0; ///< at the most, that are searched now
    double share = 0; ///< of it that is looked at, roughly
    std::vector<plan::Problem> faults; ///< why it cannot be searched, whatever the strategy
    std::shared_ptr<const sizing::SizingAnswer> answer; ///< so far; null before any fits
    bool operator==(const SizedKind&) const = default;
};

/// What is known at some moment.
struct SizingPicture {
    SizingRequestPointer request;
    std::vector<SizedKind> kinds; ///< as in the request
    bool hasEnded = false;
    bool isStopped = false; ///< before all was looked at
};
using SizingPicturePointer = std::shared_ptr<const SizingPicture>;

/// The work itself; tests put slow or small functions in its place. Called on the worker's thread.
struct SizingFunctions {
    std::function<std::vector<plan::Problem>(const SearchRequest&)> faults;
    std::function<std::optional<sizing::SizingAnswer>(
        const SizingKind&, double days, const std::stop_token&, const sizing::SizingProgressCallback&)>
        size;
};
[[nodiscard]] SizingFunctions coreSizingFunctions();

class SizingWorker final : public QObject {
    Q_OBJECT

public:
    explicit SizingWorker(SizingFunctions functions = coreSizingFunctions(), QObject* parent = nullptr);
    /// Stops what runs and waits for it; no signal comes after.
    ~SizingWorker() override;

    void start(SizingRequestPointer request);
    /// What has been found is still told, as stopped.
    void stop();
    /// What runs is stopped, and nothing of it is told.
    void forget();
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    /// Of the newest request: now and then, and at the end, when isRunning() is false.
    void pictureChanged(const session::SizingPicturePointer& picture);

private:
    using Job = Numbered<SizingRequestPointer>;
    struct Letters {
        std::optional<Numbered<SizingPicturePointer>> picture;
    };
    Q_INVOKABLE void deliver();
    void run(const Job& job, const std::stop_token& stop);
    void size(SizingPicture& picture, std::size_t kind, std::uint64_t number, const std::stop_token& stop);
    void post(const SizingPicture& picture, std::uint64_t number);

    SizingFunctions m_functions;
    Outbox<Letters> m_outbox{*this};
    SizingRequestPointer m_request; ///< the newest
    std::uint64_t m_number = 0;
    bool m_running = false;
    std::optional<LatestWorker<Job>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
