// SPDX-License-Identifier: GPL-3.0-or-later
// How plans scale: each with fewer and more replicas that share its batch, as answers of a study whose series are the
// plans. Worked out off the GUI thread; a newer question overtakes an older one.
#pragma once

#include "app/session/background_planner.h"
#include "core/capacity/capacity.h"
#include "core/exchange/study_answers.h"

#include <QString>

#include <memory>
#include <vector>

namespace stratoplan::session {

struct ScaledPlan {
    QString name; ///< short: "A"
    PlanPointer plan;
    plan::CapacityInputs inputs;
    bool operator==(const ScaledPlan&) const = default;
};
using ScalingPointer = std::shared_ptr<const exchange::StudyAnswers>;

/// One axis, the plans by name; points by plan, by rising accelerators. Stopped, it has what it has.
[[nodiscard]] exchange::StudyAnswers scalingOf(const std::vector<ScaledPlan>& plans, const std::stop_token& stop = {});

class PlanScaling : public QObject {
    Q_OBJECT

public:
    explicit PlanScaling(QObject* parent = nullptr);
    ~PlanScaling() override;

    /// What was asked last is not asked again.
    void request(std::vector<ScaledPlan> plans);
    [[nodiscard]] bool isWorking() const { return m_delivered != m_number; }

Q_SIGNALS:
    void scaled(const session::ScalingPointer& answers);

private:
    struct Request {
        std::vector<ScaledPlan> plans;
        std::uint64_t number = 0;
    };
    struct Letters {
        std::optional<OfRevision<ScalingPointer>> answer;
    };
    Q_INVOKABLE void deliver();

    Outbox<Letters> m_outbox{*this};
    std::vector<ScaledPlan> m_asked;
    std::uint64_t m_number = 0;
    std::uint64_t m_delivered = 0;
    std::optional<LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
