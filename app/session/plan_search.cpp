// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plan_search.h"

#include <utility>

namespace stratoplan::session {

PlanSearch::PlanSearch(ProjectDocument& document, SearchFunctions functions)
    : m_document(document)
    , m_worker(std::move(functions))
{
    connect(&m_worker, &SearchWorker::pictureChanged, this, &PlanSearch::takePicture);
    connect(&m_worker, &SearchWorker::cloudChanged, this, &PlanSearch::takeCloud);
    connect(&m_worker, &SearchWorker::searchingChanged, this, [this](bool searching) {
        if (!searching)
            setWantsBest(false); // stopped before it began
    });
    connect(&m_worker, &SearchWorker::verifyChanged, this, [this](const VerifyPicturePointer& verification) {
        if (verification && (!m_picture || verification->answer->request != m_picture->request))
            return; // of an answer that is gone
        m_verification = verification;
        Q_EMIT verificationChanged();
    });
    connect(&m_worker, &SearchWorker::frontsChanged, this, [this](const FrontsPicturePointer& fronts) {
        if (!m_picture || fronts->request != m_picture->request)
            return; // of an answer that is gone
        m_fronts = fronts;
        Q_EMIT changed();
    });
    connect(&m_worker, &SearchWorker::whyReady, this, [this](const WhyPointer& why) {
        m_why = why;
        Q_EMIT whyChanged();
    });
}

const search::FoundStrategy* PlanSearch::best() const
{
    // What is found in closed form before all is simulated compares with nothing that is shown.
    if (!isCurrent() || (!m_picture->result && m_picture->progress.preliminary))
        return nullptr;
    const auto& best = m_picture->result ? m_picture->result->best : m_picture->progress.best;
    return best ? &*best : nullptr;
}

void PlanSearch::takePicture(const SearchPicturePointer& picture)
{
    if (m_picture && m_picture->request != picture->request)
        takeCloud(nullptr);
    m_picture = picture;
    Q_EMIT changed();
    if (picture->hasEnded() && m_wantsBest) {
        setWantsBest(false);
        Q_EMIT bestFound();
    }
}

void PlanSearch::takeCloud(const widgets::StrategyCloudPointer& cloud)
{
    if (cloud == m_cloud)
        return;
    m_cloud = cloud;
    Q_EMIT cloudChanged();
}

void PlanSearch::setWantsBest(bool wants)
{
    if (std::exchange(m_wantsBest, wants) != wants)
        Q_EMIT findingBestChanged(wants);
}

void PlanSearch::forget()
{
    m_picture.reset();
    takeCloud(nullptr);
    m_request.reset();
    m_verification.reset();
    m_fronts.reset();
    m_why.reset();
    setWantsBest(false);
}

void PlanSearch::update()
{
    SearchRequest asked = searchRequest(m_document.project());
    if (m_request && asked == *m_request)
        return;
    m_request = std::make_shared<const SearchRequest>(std::move(asked));
    m_verification.reset();
    m_fronts.reset();
    m_why.reset();
    m_worker.search(m_request, m_picture);
    Q_EMIT outdated();
}

void PlanSearch::findBest()
{
    m_document.release();
    if (isCurrent() && m_picture->hasEnded() && (!m_picture->result || m_picture->result->proven)) {
        Q_EMIT bestFound();
        return;
    }
    setWantsBest(true);
    if (!m_worker.isSearching()) // it was stopped
        m_worker.search(m_request, m_picture);
}

void PlanSearch::verify()
{
    if (isCurrent())
        m_worker.verify(m_picture);
}

void PlanSearch::findFronts()
{
    if (!isCurrent() || m_fronts || !m_picture->result || !m_picture->result->proven)
        return;
    auto begun = std::make_shared<FrontsPicture>();
    begun->request = m_picture->request;
    m_fronts = std::move(begun);
    m_worker.findFronts(m_picture->request);
    Q_EMIT changed();
}

void PlanSearch::askWhy(const parallel::Strategy& strategy, model::Precision precision)
{
    const search::FoundStrategy* found = best();
    if (!found)
        return;
    m_why.reset();
    m_worker.askWhy(
        std::make_shared<const SearchRequest>(searchRequest(m_document.project())), strategy, precision, *found);
    Q_EMIT whyChanged();
}

} // namespace stratoplan::session
