// SPDX-License-Identifier: GPL-3.0-or-later
// The document and the workers, joined: every edit becomes an undo command and a question to the planner and the
// search, every answer is kept here for the views. Knows no widget. A strategy can be previewed: the pictures then
// answer the plan with that strategy, and the document stays as it is.
//
// While a slider is dragged faster than estimates come, the edit waits in the document (ProjectDocument::hold) until
// the picture of the last one is complete. So what is on screen always answers the plan in the document, and a drag
// of any speed shows pictures as fast as they can be made.
#pragma once

#include "app/session/background_planner.h"
#include "app/session/project_document.h"

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
    [[nodiscard]] const SearchWorker& searcher() const { return m_searcher; }
    /// Everything asked for is answered, and told.
    [[nodiscard]] bool isIdle() const { return m_planner.isIdle() && m_searcher.isIdle() && !m_tellsOwn; }

    /// The newest answers; of an older plan while isUpdating(). Null before the first of this document.
    [[nodiscard]] const EstimatePointer& estimate() const { return m_estimate; }
    /// What estimate() answers, which may be older than plan(): whoever reads both together reads this one. Null before
    /// the first.
    [[nodiscard]] const PlanPointer& estimatedPlan() const { return m_estimatedPlan; }
    [[nodiscard]] const TimelinePointer& timeline() const { return m_timeline; }
    [[nodiscard]] const ZonesPointer& zones() const { return m_zones; }
    [[nodiscard]] const ImprovementsPointer& improvements() const { return m_improvements; }
    [[nodiscard]] bool improvementsAreCurrent() const { return m_improvementsRevision == m_requests; }
    /// The newest picture of a search; of an older question while searchIsCurrent() is false. Null before the first of
    /// this document.
    [[nodiscard]] const SearchPicturePointer& search() const { return m_search; }
    [[nodiscard]] bool searchIsCurrent() const { return m_search && m_search->request == m_searchRequest; }
    /// Up to a million strategies of the space that search() is about; null before they come.
    [[nodiscard]] const widgets::StrategyCloudPointer& cloud() const { return m_cloud; }
    /// Of the answer that search() shows; null if nobody asked.
    [[nodiscard]] const VerifyPicturePointer& verification() const { return m_verification; }
    /// The search for the fronts of all measures of the answer that search() shows; null if nobody asked.
    [[nodiscard]] const FrontsPicturePointer& fronts() const { return m_fronts; }
    /// The newest answer to askWhy(); null while it is worked out.
    [[nodiscard]] const WhyPointer& why() const { return m_why; }
    /// One per pinned plan, in order; null where not known yet.
    [[nodiscard]] const std::vector<EstimatePointer>& pinnedEstimates() const { return m_pinnedEstimates; }
    /// Estimate of the first pinned plan; nullptr if there is none (yet).
    [[nodiscard]] const estimate::Estimate* baseline() const;
    [[nodiscard]] bool isUpdating() const { return m_planner.isEstimating() || m_document.isHolding(); }
    /// The best strategy found so far; nullptr if there is none, or none yet for the plan as it stands.
    [[nodiscard]] const search::FoundStrategy* best() const;
    /// What is previewed: the plan with another strategy. Null: nothing.
    [[nodiscard]] const PlanPointer& previewed() const { return m_preview; }
    /// The last estimate of the plan itself, also while something is previewed.
    [[nodiscard]] const EstimatePointer& ownEstimate() const { return m_ownEstimate; }

    // Edits. mergeId as in ProjectDocument::edit.
    void editPlan(const plan::Plan& plan, const QString& text, int mergeId = -1);
    void editStrategy(const parallel::Strategy& strategy, const QString& text);
    void editCluster(const cluster::Cluster& cluster, const CanvasPositions& positions, const QString& text);
    void editCapacity(const plan::CapacityInputs& inputs, const QString& text);
    void editSearch(const plan::SearchSettings& settings, const QString& text);
    void lock(plan::Dimension dimension, bool locked, const QString& text);
    void pin(bool asBaseline);
    void makeBaseline(int pin);
    void renamePin(int pin, const QString& name);
    void removePin(int pin);
    void clearPins();
    void adoptPin(int pin);

    /// Places another plan in time beside this one, in the order of a file where there is one; ends with
    /// comparedReady(). Null: none any more.
    void compareWith(const PlanPointer& plan, const ScheduleFilePointer& file = nullptr);

    /// Searches for the best strategy of this plan, or takes the answer there is; ends with bestFound().
    void findBest();
    void stopSearch();
    /// Prices everything, to compare with the answer there is.
    void verify();
    void stopVerifying() { m_searcher.stopVerifying(); }
    /// Searches for the fronts of all measures of the answer there is, unless it does or has done so.
    void findFronts();
    /// Asks why this strategy loses to the best found; ends with whyChanged().
    void askWhy(const parallel::Strategy& strategy, model::Precision precision);
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
    void pinsChanged();
    void searchChanged();
    void cloudChanged();
    void verificationChanged();
    void whyChanged();
    void previewChanged();
    /// A strategy became the plan's; its estimate follows.
    void adopted();
    /// What the search depends on was edited: what it found is of the plan before, and best() is gone.
    void searchOutdated();
    void findingBestChanged(bool finding);
    /// The end of findBest(): best() is what it found.
    void bestFound();

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
    void connectSearcher();
    void documentChanged(ProjectParts parts);
    void planChanged();
    void showAgain(const Answers& answers);
    void tellOwn();
    void forgetAnswers();
    void request(PlanPointer plan);
    void updateSearch();
    void takeCloud(const widgets::StrategyCloudPointer& cloud);
    void takePicture(const SearchPicturePointer& picture);
    [[nodiscard]] EstimatePointer knownEstimate(const plan::Plan& plan) const;
    void requestPins();
    void editPins(const QString& text, std::vector<plan::PinnedPlan> pins);
    void changePin(int pin, const QString& text, const std::function<void(std::vector<plan::PinnedPlan>&)>& change);
    void settle();
    [[nodiscard]] bool pictureIsBehind() const;
    void updateBusy();
    void setWantsBest(bool wants);

    ProjectDocument m_document;
    QTimer m_patience;
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
    SearchRequestPointer m_searchRequest;
    SearchPicturePointer m_search;
    widgets::StrategyCloudPointer m_cloud;
    VerifyPicturePointer m_verification;
    FrontsPicturePointer m_fronts;
    WhyPointer m_why;
    std::vector<EstimatePointer> m_pinnedEstimates;
    std::vector<plan::PinnedPlan> m_pinsAsked;
    bool m_wantsBest = false;
    bool m_wasUpdating = false;
    // Last: their threads end before what they answer to.
    SearchWorker m_searcher;
    BackgroundPlanner m_planner;
};

} // namespace stratoplan::session
