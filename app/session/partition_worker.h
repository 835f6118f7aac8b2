// SPDX-License-Identifier: GPL-3.0-or-later
// How the tensor-parallel ranks of a plan can divide its layers (core/estimate/partitions.h), found off the GUI thread:
// a newer request stops an older one, whose answer is never told. What does not depend on the partition that the
// plan has is found once for all of them: a request that differs in it alone lets the work go on. The best is told as
// soon as it is known, the front of time and memory, which may take longer by far, after it.
#pragma once

#include "app/session/latest_worker.h"
#include "core/estimate/partitions.h"

#include <QObject>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace stratoplan::session {

using PartitionResult = tl::expected<estimate::PartitionAnswer, std::vector<plan::Problem>>;
using PlannedPartition = tl::expected<estimate::PartitionEstimate, std::vector<plan::Problem>>;

struct PartitionReport {
    std::shared_ptr<const plan::Plan> plan;
    std::shared_ptr<const PartitionResult> result;
    std::optional<PlannedPartition> planned; ///< of a plan that names partitions of its operators, once it is known
};
using PartitionReportPointer = std::shared_ptr<const PartitionReport>;

/// The work itself; tests put slow or counting functions in its place. Called on the worker's thread.
struct PartitionFunctions {
    std::function<PartitionResult(const plan::Plan&, const estimate::PartitionOptions&)> partitions;
    std::function<PlannedPartition(const plan::Plan&, const std::stop_token&)> planned;
};
[[nodiscard]] PartitionFunctions corePartitionFunctions();

class PartitionWorker final : public QObject {
    Q_OBJECT

public:
    explicit PartitionWorker(PartitionFunctions functions = corePartitionFunctions(), QObject* parent = nullptr);
    /// Stops what runs and waits for it; no signal comes after.
    ~PartitionWorker() override;

    void request(std::shared_ptr<const plan::Plan> plan);
    /// Nothing is wanted any more: what runs is stopped. What was found stays known.
    void forget();
    /// The same; and where the best is known already, it is the whole answer to whoever asks for it again, until
    /// resume() or another question.
    void cancel();
    /// As request(), the front included.
    void resume(std::shared_ptr<const plan::Plan> plan);
    [[nodiscard]] bool isWorking() const { return m_working; }

Q_SIGNALS:
    // Of the newest request:
    void progressed(const estimate::PartitionProgress& progress);
    /// The last one comes when isWorking() is false; before it, perhaps, one that lacks the front.
    void reported(const session::PartitionReportPointer& report);

private:
    struct Request {
        std::shared_ptr<const plan::Plan> plan;
        plan::Plan question; ///< without a partition
        std::uint64_t number = 0;
        std::uint64_t questionNumber = 0;
        bool wantsFront = true;
    };
    void work(const Request& request, const std::stop_token& stop);
    /// Whether it is known what can be of the plan, whatever its partition.
    [[nodiscard]] bool find(const Request& request, const std::stop_token& stop);
    void keepBest(const Request& request, const estimate::PartitionAnswer& best, const std::stop_token& stop);
    void postBest(const Request& request, const std::stop_token& stop);
    [[nodiscard]] PartitionReport reportOf(const Request& request, const std::stop_token& stop) const;
    /// On the GUI thread.
    template <class Tell>
    void post(Tell tell);
    void tellProgress(std::uint64_t questionNumber, const estimate::PartitionProgress& progress);
    void tellBest();

    PartitionFunctions m_functions;
    std::atomic<std::uint64_t> m_number = 0; ///< of the newest request; changed on the GUI thread
    // Of the GUI thread:
    bool m_working = false;
    std::shared_ptr<const plan::Plan> m_plan; ///< of the newest request
    plan::Plan m_question;
    bool m_wantsFront = true; ///< of the question
    PartitionReportPointer m_best; ///< of the question, before its front is known
    std::uint64_t m_questionNumber = 0;
    std::optional<estimate::PartitionProgress> m_progress; ///< of the question
    // Of the worker's thread:
    plan::Plan m_asked; ///< the question of the result
    std::shared_ptr<const PartitionResult> m_result;
    std::optional<LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
