// SPDX-License-Identifier: GPL-3.0-or-later
// How sure a plan is (core/sensitivity), found off the GUI thread. The newest question is answered; what an overtaken
// one still finds is dropped.
#pragma once

#include "app/session/latest_worker.h"
#include "app/session/outbox.h"
#include "core/sensitivity/analysis.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace stratoplan::session {

/// The plan of the document first, then the pinned baseline, where there is one.
struct SensitivityRequest {
    std::vector<sensitivity::Case> cases;
    std::vector<std::string> names;
    bool operator==(const SensitivityRequest&) const = default;
};
using SensitivityRequestPointer = std::shared_ptr<const SensitivityRequest>;
[[nodiscard]] SensitivityRequest sensitivityRequest(const plan::Project& project);

/// What is known at some moment.
struct SensitivityPicture {
    SensitivityRequestPointer request;
    int done = 0, total = 0; ///< plans that are priced
    std::shared_ptr<const sensitivity::Analysis> analysis; ///< once it has ended
    std::optional<sensitivity::AnalysisFault> fault;
    [[nodiscard]] bool hasEnded() const { return analysis != nullptr || fault.has_value(); }
};
using SensitivityPicturePointer = std::shared_ptr<const SensitivityPicture>;

class SensitivityWorker final : public QObject {
    Q_OBJECT

public:
    /// The work itself; tests put a slow or small one in its place. Called on the worker's thread.
    using Work = std::function<tl::expected<sensitivity::Analysis, sensitivity::AnalysisFault>(
        const SensitivityRequest&, const std::stop_token&, const sensitivity::Progress&)>;

    explicit SensitivityWorker(Work work = {}, QObject* parent = nullptr);
    /// Stops what runs and waits for it; no signal comes after.
    ~SensitivityWorker() override;

    void start(SensitivityRequestPointer request);
    /// What has been found is still told, as stopped.
    void stop();
    /// What runs is stopped, and nothing of it is told.
    void forget();
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    /// Of the newest request: now and then, and at the end, when isRunning() is false.
    void pictureChanged(const session::SensitivityPicturePointer& picture);

private:
    struct Job {
        SensitivityRequestPointer request;
        std::uint64_t number = 0;
    };
    struct Letter {
        SensitivityPicturePointer picture;
        std::uint64_t number = 0;
    };
    struct Letters {
        std::optional<Letter> picture;
    };
    Q_INVOKABLE void deliver();
    void run(const Job& job, const std::stop_token& stop);
    void post(SensitivityPicture picture, std::uint64_t number);

    Work m_work;
    Outbox<Letters> m_outbox{*this};
    SensitivityRequestPointer m_request; ///< the newest
    std::uint64_t m_number = 0;
    bool m_running = false;
    std::optional<LatestWorker<Job>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
