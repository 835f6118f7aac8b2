// SPDX-License-Identifier: GPL-3.0-or-later
// The plans that are pinned to compare with, and their estimates. Every change is an undo command of the document. Part
// of Workspace, which says when the document has changed.
#pragma once

#include "app/session/background_planner.h"
#include "app/session/project_document.h"

namespace stratoplan::session {

class PinnedPlans final : public QObject {
    Q_OBJECT

public:
    explicit PinnedPlans(ProjectDocument& document)
        : m_document(document)
    {
    }

    /// One per pinned plan, in order; null where not known yet.
    [[nodiscard]] const std::vector<EstimatePointer>& estimates() const { return m_estimates; }
    /// Estimate of the first pinned plan; nullptr if there is none (yet).
    [[nodiscard]] const estimate::Estimate* baseline() const;

    /// Pins the plan of the document.
    void add(bool asBaseline);
    void makeBaseline(int pin);
    void rename(int pin, const QString& name);
    void setNote(int pin, const QString& note);
    void remove(int pin);
    void clear();
    void adopt(int pin);

    /// Asks for the estimates of plans that were not pinned before, but for `plan`, whose estimate is known.
    void update(BackgroundPlanner& planner, const PlanPointer& plan, const EstimatePointer& estimate);
    void take(const std::vector<EstimatePointer>& estimates);

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] EstimatePointer knownEstimate(const plan::Plan& plan) const;
    void edit(const QString& text, std::vector<plan::PinnedPlan> pins);
    void changePin(int pin, const QString& text, const std::function<void(std::vector<plan::PinnedPlan>&)>& change);

    ProjectDocument& m_document;
    std::vector<EstimatePointer> m_estimates;
    std::vector<plan::PinnedPlan> m_asked;
};

} // namespace stratoplan::session
