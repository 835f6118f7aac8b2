// SPDX-License-Identifier: GPL-3.0-or-later
// Everything slow that the window asks of the core, off the GUI thread: the estimate of the plan, its timeline, the
// zones of the strategy sliders and what would help, the estimates of pinned plans, the timeline of a plan to compare
// with. (Searches have a worker of their own: search_worker.h.) Each kind of work has one thread that takes the newest
// request (LatestWorker). Answers carry the revision they answer and are handed over on the GUI thread; an answer to
// anything but the newest request is dropped, never signalled.
#pragma once

#include "app/session/improvements.h"
#include "app/session/latest_worker.h"
#include "app/session/outbox.h"
#include "app/session/partition_worker.h"
#include "app/session/schedule_order.h"
#include "app/session/search_worker.h"
#include "app/session/strategy_zones.h"
#include "core/estimate/estimate.h"
#include "core/estimate/memory_timeline.h"
#include "widgets/presentation/gantt_step.h"

#include <QObject>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stratoplan::session {

using EstimateResult = tl::expected<estimate::Estimate, std::vector<plan::Problem>>;
using PlanPointer = std::shared_ptr<const plan::Plan>;
using EstimatePointer = std::shared_ptr<const EstimateResult>;
/// A step placed in time, ready to draw. Null: the schedule cannot be simulated, or its timeline is too long to draw.
using TimelinePointer = widgets::GanttStepPointer;
/// Another plan, or the same in the order of a file, placed in time to compare with.
struct ComparedStep {
    PlanPointer plan;
    ScheduleFilePointer file; ///< null: in the order of the plan's own schedule
    EstimatePointer estimate; ///< of what is placed in time: with the order of the file
    TimelinePointer
        step; ///< null: the plan has no estimate, the file does not fit it, or its timeline is too long to draw
    std::optional<exchange::DocumentError> misfit; ///< of the file
};
using ComparedStepPointer = std::shared_ptr<const ComparedStep>;
using ZonesPointer = std::shared_ptr<const StrategyZones>;
using ImprovementsPointer = std::shared_ptr<const std::vector<Improvement>>;

/// The work itself; tests put slow or counting functions in its place. Called on the planner's threads.
struct PlannerFunctions {
    std::function<EstimateResult(const plan::Plan&, const std::stop_token&)> estimate;
    std::function<TimelinePointer(const estimate::Estimate&)> timeline;
    std::function<StrategyZones(const plan::Plan&, std::stop_token)> zones;
    std::function<std::vector<Improvement>(const plan::Plan&, std::stop_token)> improvements;
    SearchFunctions searching; ///< for the SearchWorker
    PartitionFunctions partitioning = {}; ///< for the PartitionWorker
};
[[nodiscard]] PlannerFunctions corePlannerFunctions();

/// What is known of the plan as it was at `revision`.
template <class Value>
struct OfRevision {
    Value value;
    std::uint64_t revision = 0;
};

class BackgroundPlanner final : public QObject {
    Q_OBJECT

public:
    explicit BackgroundPlanner(PlannerFunctions functions = corePlannerFunctions(), QObject* parent = nullptr);
    /// Stops what runs and joins; no signal comes after.
    ~BackgroundPlanner() override;

    /// Asks for estimate, timeline, zones and improvements of `plan`. Revisions rise from call to call.
    void request(PlanPointer plan, std::uint64_t revision);
    /// Asks for nothing more: the answers to this revision are known. What is under way is dropped.
    void settle(std::uint64_t revision);
    /// Asks for the estimates of other plans (the pinned ones) where `known`, of the same length, has none; a newer
    /// call overtakes.
    void requestPinned(std::vector<PlanPointer> plans, std::vector<EstimatePointer> known);
    /// Asks for estimate and timeline of another plan, in the order of a file where there is one; a newer call
    /// overtakes. Null: of none any more. `known`: its estimate, where there is one already.
    void requestCompared(PlanPointer plan, ScheduleFilePointer file = nullptr, EstimatePointer known = nullptr);

    [[nodiscard]] bool isEstimating() const { return m_estimated != m_requested; }
    [[nodiscard]] bool isSimulating() const { return m_simulated != m_requested; }
    /// Everything asked of the plan is delivered.
    [[nodiscard]] bool isAnswered() const { return !isEstimating() && !isSimulating() && m_advised == m_requested; }
    /// Everything asked for is delivered.
    [[nodiscard]] bool isIdle() const;

Q_SIGNALS:
    void estimateReady(quint64 revision, const session::EstimatePointer& estimate);
    void timelineReady(quint64 revision, const session::TimelinePointer& timeline);
    void zonesReady(quint64 revision, const session::ZonesPointer& zones);
    void improvementsReady(quint64 revision, const session::ImprovementsPointer& improvements);
    /// One per plan of requestPinned(), in its order.
    void pinnedReady(const std::vector<session::EstimatePointer>& estimates);
    /// Of the plan of requestCompared().
    void comparedReady(const session::ComparedStepPointer& step);
    /// An estimate is under way or no longer so.
    void estimatingChanged(bool estimating);

private:
    struct PlanRequest {
        PlanPointer plan;
        std::uint64_t revision = 0;
    };
    struct PinnedRequest {
        std::vector<PlanPointer> plans;
        std::vector<EstimatePointer> estimates; ///< null: to be made
        std::uint64_t revision = 0;
    };
    struct ComparedRequest {
        PlanPointer plan;
        ScheduleFilePointer file;
        EstimatePointer known;
        std::uint64_t revision = 0;
    };
    struct TimelineRequest {
        EstimatePointer estimate;
        std::uint64_t revision = 0;
    };
    struct Letters {
        std::optional<OfRevision<EstimatePointer>> estimate;
        std::optional<OfRevision<TimelinePointer>> timeline;
        std::optional<OfRevision<ZonesPointer>> zones;
        std::optional<OfRevision<ImprovementsPointer>> improvements;
        std::optional<OfRevision<std::vector<EstimatePointer>>> pinned;
        std::optional<OfRevision<ComparedStepPointer>> compared;
    };

    Q_INVOKABLE void deliver();
    void deliverEstimate(const OfRevision<EstimatePointer>& answer);
    void deliverAdvice(const std::optional<OfRevision<ZonesPointer>>& zones,
        const std::optional<OfRevision<ImprovementsPointer>>& improvements);
    void runAdvice(const PlanRequest& request, const std::stop_token& stop);
    void runPinned(const PinnedRequest& request, const std::stop_token& stop);
    void runCompared(const ComparedRequest& request, const std::stop_token& stop);

    PlannerFunctions m_functions;
    Outbox<Letters> m_outbox{*this};
    PlanPointer m_plan;
    std::uint64_t m_requested = 0;
    std::uint64_t m_estimated = 0;
    std::uint64_t m_simulated = 0;
    std::uint64_t m_advised = 0;
    std::uint64_t m_pinnedNumber = 0;
    std::uint64_t m_pinnedKnown = 0;
    std::uint64_t m_comparedNumber = 0;
    std::uint64_t m_comparedKnown = 0;

    // Last, so that they are joined before anything they use goes away.
    std::optional<LatestWorker<PlanRequest>> m_estimator;
    std::optional<LatestWorker<TimelineRequest>> m_simulator;
    std::optional<LatestWorker<PlanRequest>> m_adviser;
    std::optional<LatestWorker<PinnedRequest>> m_pinner;
    std::optional<LatestWorker<ComparedRequest>> m_comparer;
};

} // namespace stratoplan::session
