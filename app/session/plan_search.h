// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the best strategy of the plan in the document: asks anew when what it depends on is edited, and keeps
// the newest answers for the views. Part of Workspace, which says when the document has changed.
#pragma once

#include "app/session/project_document.h"
#include "app/session/search_worker.h"

namespace stratoplan::session {

class PlanSearch final : public QObject {
    Q_OBJECT

public:
    PlanSearch(ProjectDocument& document, SearchFunctions functions);

    [[nodiscard]] const SearchWorker& worker() const { return m_worker; }
    /// The newest picture; of an older question while isCurrent() is false. Null before the first of this document.
    [[nodiscard]] const SearchPicturePointer& picture() const { return m_picture; }
    [[nodiscard]] bool isCurrent() const { return m_picture && m_picture->request == m_request; }
    /// Up to a million strategies of the space that picture() is about; null before they come.
    [[nodiscard]] const widgets::StrategyCloudPointer& cloud() const { return m_cloud; }
    /// Of the answer that picture() shows; null if nobody asked.
    [[nodiscard]] const VerifyPicturePointer& verification() const { return m_verification; }
    /// The search for the fronts of all measures of the answer that picture() shows; null if nobody asked.
    [[nodiscard]] const FrontsPicturePointer& fronts() const { return m_fronts; }
    /// The newest answer to askWhy(); null while it is worked out.
    [[nodiscard]] const WhyPointer& why() const { return m_why; }
    /// The best strategy found so far; nullptr if there is none, or none yet for the plan as it stands.
    [[nodiscard]] const search::FoundStrategy* best() const;

    /// Searches for the best strategy of this plan, or takes the answer there is; ends with bestFound().
    void findBest();
    void stop() { m_worker.stop(); }
    /// Prices everything, to compare with the answer there is.
    void verify();
    void stopVerifying() { m_worker.stopVerifying(); }
    /// Searches for the fronts of all measures of the answer there is, unless it does or has done so.
    void findFronts();
    /// Asks why this strategy loses to the best found; ends with whyChanged().
    void askWhy(const parallel::Strategy& strategy, model::Precision precision);

    /// A search begins anew only if what it depends on is different; what was found before is priced anew first.
    void update();
    /// What is known is of another document altogether. The caller tells of it: outdated(), changed().
    void forget();

Q_SIGNALS:
    /// picture() or fronts() are others.
    void changed();
    void cloudChanged();
    void verificationChanged();
    void whyChanged();
    /// What the search depends on was edited: what it found is of the plan before, and best() is gone.
    void outdated();
    void findingBestChanged(bool finding);
    /// The end of findBest(): best() is what it found.
    void bestFound();

private:
    void takeCloud(const widgets::StrategyCloudPointer& cloud);
    void takePicture(const SearchPicturePointer& picture);
    void setWantsBest(bool wants);

    ProjectDocument& m_document;
    SearchRequestPointer m_request;
    SearchPicturePointer m_picture;
    widgets::StrategyCloudPointer m_cloud;
    VerifyPicturePointer m_verification;
    FrontsPicturePointer m_fronts;
    WhyPointer m_why;
    bool m_wantsBest = false;
    SearchWorker m_worker; ///< last: its threads end before what they answer to
};

} // namespace stratoplan::session
