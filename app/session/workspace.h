// SPDX-License-Identifier: GPL-3.0-or-later
// The document and the workers, joined: every edit becomes an undo command and a question to the planner, the search
// (PlanSearch) and of what is compared (PinnedPlans); the answers are kept for the views. Knows no widget. A strategy
// can be previewed: the pictures then answer the plan with that strategy, and the document stays as it is.
//
// While a slider is dragged faster than estimates come, the edit waits in the document (ProjectDocument::hold) until
// the picture of the last one is complete, or has taken long. So what is on screen answers the plan in the document, or
// one before it where an estimate takes long, and a drag of any speed shows pictures about as fast as they can be made.
#pragma once

#include "app/session/pinned_plans.h"
#include "app/session/plan_search.h"

#include <QTimer>

namespace stratoplan::session {

class Workspace : public QObject {
    Q_OBJECT

public:
    explicit Workspace(const catalog::Catalog& catalog, PlannerFunctions functions = corePlannerFunctions(),
        QObject* parent = nullptr);
    ~Workspace() override;

    [[nodiscard]] ProjectDocument& document() { return m_document; }
    [[nodiscard]] const plan::Plan& plan() const { return m_document.plan(); }
    [[nodiscard]] const BackgroundPlanner& planner() const { return m_planner; }
    [[nodiscard]] PinnedPlans& pins() { return m_pins; }
    [[nodiscard]] PlanSearch& search() { return m_search; }
    [[nodiscard]] PartitionWorker& partitions() { return m_partitions; }
    /// Everything asked for is answered, and told.
    [[nodiscard]] bool isIdle() const { return m_planner.isIdle() && m_search.worker().isIdle() && !m_tellsOwn; }

    /// The newest answers; of an older plan while isUpdating(). Null before the first of this document.
    [[nodiscard]] const EstimatePointer& estimate() const { return m_estimate; }
    /// What estimate() answers, which may be older than plan(): whoever reads both together reads this one. Null before
    /// the first.
    [[nodiscard]] const PlanPointer& estimatedPlan() const { return m_estimatedPlan; }
    [[nodiscard]] const TimelinePointer& timeline() const { return m_timeline; }
    [[nodiscard]] const ZonesPointer& zones() const { return m_zones; }
    [[nodiscard]] const ImprovementsPointer& improvements() const { return m_improvements; }
    [[nodiscard]] bool improvementsAreCurrent() const { return m_improvementsRevision == m_requests; }
    [[nodiscard]] bool isUpdating() const { return m_planner.isEstimating() || m_document.isHolding(); }
    /// What is previewed: the plan with another strategy. Null: nothing.
    [[nodiscard]] const PlanPointer& previewed() const { return m_preview; }
    /// The last estimate of the plan itself, also while something is previewed.
    [[nodiscard]] const EstimatePointer& ownEstimate() const { return m_ownEstimate; }

    // Edits. mergeId as in ProjectDocument::edit.
    void editPlan(const plan::Plan& plan, const QString& text, int mergeId = -1);
    void mend(const plan::Remedy& remedy, const QString& text);
    void editStrategy(const parallel::Strategy& strategy, const QString& text);
    void editCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions, const QString& text);
    void editCapacity(const plan::CapacityInputs& inputs, const QString& text);
    void editSearch(const plan::SearchSettings& settings, const QString& text);
    void lock(plan::Dimension dimension, bool locked, const QString& text);

    /// Places another plan in time beside this one, in the order of a file where there is one; ends with
    /// comparedReady(). Null: none any more.
    void compareWith(const PlanPointer& plan, const ScheduleFilePointer& file = nullptr);

    void adopt(const parallel::Strategy& strategy, model::Precision precision);
    void adoptBest();

    /// Shows what the plan would be with another strategy, until it is adopted, the plan is edited, or endPreview().
    void preview(const parallel::Strategy& strategy, model::Precision precision);
    void endPreview();
    void adoptPreview();

Q_SIGNALS:
    void updatingChanged(bool updating);
    void estimateChanged();
    /// ownEstimate() is another.
    void ownEstimateChanged();
    void timelineChanged();
    void comparedReady(const session::ComparedStepPointer& step);
    void zonesChanged();
    void improvementsChanged();
    void previewChanged();
    /// A strategy became the plan's; its estimate follows.
    void adopted();

private:
    /// All that is known of a plan.
    struct Answers {
        PlanPointer plan;
        EstimatePointer estimate;
        TimelinePointer timeline;
        ZonesPointer zones;
        ImprovementsPointer improvements;
    };

    void connectPlanner();
    void documentChanged(ProjectParts parts);
    void planChanged();
    void showAgain(const Answers& answers);
    void tellOwn();
    void forgetAnswers();
    void request(PlanPointer plan);
    void settle();
    [[nodiscard]] bool pictureIsBehind() const;
    void updateBusy();

    ProjectDocument m_document;
    PinnedPlans m_pins;
    QTimer m_patience; ///< with a timeline
    QTimer m_longPatience; ///< with an estimate: what takes longer is overtaken
    PlanPointer m_requestedPlan;
    PlanPointer m_estimatedPlan;
    EstimatePointer m_estimate;
    TimelinePointer m_timeline;
    ZonesPointer m_zones;
    ImprovementsPointer m_improvements;
    std::uint64_t m_zonesRevision = 0;
    std::uint64_t m_improvementsRevision = 0;
    EstimatePointer m_ownEstimate;
    PlanPointer m_preview;
    std::optional<Answers> m_beforePreview; ///< of the plan, where all of them were known
    bool m_tellsOwn = false; ///< ownEstimateChanged() is to come
    std::uint64_t m_requests = 0;
    bool m_wasUpdating = false;
    // Last: their threads end before what they answer to.
    PlanSearch m_search;
    PartitionWorker m_partitions;
    BackgroundPlanner m_planner;
};

} // namespace stratoplan::session
