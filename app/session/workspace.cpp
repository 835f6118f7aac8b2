// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/workspace.h"

#include "app/session/plan_fields.h"

#include <algorithm>
#include <utility>

namespace stratoplan::session {

namespace {

/// How long a drag waits for the timeline of its last step; the estimate itself is always waited for.
constexpr std::chrono::milliseconds kTimelinePatience{40};

} // namespace

Workspace::Workspace(const catalog::Catalog& catalog, PlannerFunctions functions, QObject* parent)
    : QObject(parent)
    , m_document(catalog)
    , m_searcher(functions.searching)
    , m_planner(std::move(functions))
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kTimelinePatience);
    connect(&m_patience, &QTimer::timeout, this, &Workspace::settle);
    connect(&m_document, &ProjectDocument::changed, this, &Workspace::documentChanged);
    connect(&m_document, &ProjectDocument::loaded, this, &Workspace::forgetAnswers);
    connectPlanner();
    connectSearcher();
}

void Workspace::connectPlanner()
{
    connect(&m_planner, &BackgroundPlanner::estimateReady, this, [this](quint64, const EstimatePointer& estimate) {
        m_estimate = estimate;
        m_estimatedPlan = m_requestedPlan; // the planner answers nothing but the newest request
        if (!m_preview)
            m_ownEstimate = estimate;
        Q_EMIT estimateChanged();
        if (!m_preview)
            Q_EMIT ownEstimateChanged();
        settle();
        updateBusy();
    });
    connect(&m_planner, &BackgroundPlanner::timelineReady, this, [this](quint64, const TimelinePointer& timeline) {
        m_timeline = timeline;
        Q_EMIT timelineChanged();
        settle();
    });
    connect(&m_planner, &BackgroundPlanner::comparedReady, this, &Workspace::comparedReady);
    connect(&m_planner, &BackgroundPlanner::zonesReady, this, [this](quint64 revision, const ZonesPointer& zones) {
        m_zonesRevision = revision;
        m_zones = zones;
        Q_EMIT zonesChanged();
    });
    connect(&m_planner, &BackgroundPlanner::improvementsReady, this,
        [this](quint64 revision, const ImprovementsPointer& improvements) {
            m_improvementsRevision = revision;
            m_improvements = improvements;
            Q_EMIT improvementsChanged();
        });
    connect(&m_planner, &BackgroundPlanner::pinnedReady, this, [this](const std::vector<EstimatePointer>& estimates) {
        m_pinnedEstimates = estimates;
        Q_EMIT pinsChanged();
    });
    connect(&m_planner, &BackgroundPlanner::estimatingChanged, this, &Workspace::updateBusy);
}

void Workspace::connectSearcher()
{
    connect(&m_searcher, &SearchWorker::pictureChanged, this, &Workspace::takePicture);
    connect(&m_searcher, &SearchWorker::cloudChanged, this, &Workspace::takeCloud);
    connect(&m_searcher, &SearchWorker::searchingChanged, this, [this](bool searching) {
        if (!searching)
            setWantsBest(false); // stopped before it began
    });
    connect(&m_searcher, &SearchWorker::verifyChanged, this, [this](const VerifyPicturePointer& verification) {
        if (verification && (!m_search || verification->answer->request != m_search->request))
            return; // of an answer that is gone
        m_verification = verification;
        Q_EMIT verificationChanged();
    });
    connect(&m_searcher, &SearchWorker::frontsChanged, this, [this](const FrontsPicturePointer& fronts) {
        if (!m_search || fronts->request != m_search->request)
            return; // of an answer that is gone
        m_fronts = fronts;
        Q_EMIT searchChanged();
    });
    connect(&m_searcher, &SearchWorker::whyReady, this, [this](const WhyPointer& why) {
        m_why = why;
        Q_EMIT whyChanged();
    });
}

Workspace::~Workspace()
{
    m_document.disconnect(this);
}

const estimate::Estimate* Workspace::baseline() const
{
    return !m_pinnedEstimates.empty() && m_pinnedEstimates.front() && *m_pinnedEstimates.front()
        ? &**m_pinnedEstimates.front()
        : nullptr;
}

const search::FoundStrategy* Workspace::best() const
{
    // What is found in closed form before all is simulated compares with nothing that is shown.
    if (!searchIsCurrent() || (!m_search->result && m_search->progress.preliminary))
        return nullptr;
    const auto& best = m_search->result ? m_search->result->best : m_search->progress.best;
    return best ? &*best : nullptr;
}

void Workspace::takePicture(const SearchPicturePointer& picture)
{
    if (m_search && m_search->request != picture->request)
        takeCloud(nullptr);
    m_search = picture;
    Q_EMIT searchChanged();
    if (picture->hasEnded() && m_wantsBest) {
        setWantsBest(false);
        Q_EMIT bestFound();
    }
}

void Workspace::takeCloud(const widgets::StrategyCloudPointer& cloud)
{
    if (cloud == m_cloud)
        return;
    m_cloud = cloud;
    Q_EMIT cloudChanged();
}

/// They are of another document altogether.
void Workspace::forgetAnswers()
{
    m_preview.reset();
    m_beforePreview.reset();
    m_ownEstimate.reset();
    m_requestedPlan.reset();
    m_estimatedPlan.reset();
    m_estimate.reset();
    m_timeline.reset();
    m_improvements.reset();
    m_search.reset();
    takeCloud(nullptr);
    m_searchRequest.reset();
    m_verification.reset();
    m_fronts.reset();
    m_why.reset();
    setWantsBest(false);
    Q_EMIT previewChanged();
    Q_EMIT searchOutdated();
    Q_EMIT searchChanged();
}

void Workspace::request(PlanPointer plan)
{
    m_requestedPlan = std::move(plan);
    m_planner.request(m_requestedPlan, ++m_requests);
    m_patience.start();
}

void Workspace::documentChanged(ProjectParts parts)
{
    if (parts.testFlag(ProjectPart::Plan))
        planChanged();
    if (parts & (ProjectPart::Plan | ProjectPart::Search))
        updateSearch();
    if (parts.testFlag(ProjectPart::Pinned))
        requestPins();
    updateBusy();
}

/// A plan that was previewed is answered already, or about to be.
void Workspace::planChanged()
{
    const bool wasPreviewing = std::exchange(m_preview, nullptr) != nullptr;
    m_beforePreview.reset();
    if (!m_requestedPlan || *m_requestedPlan != plan()) {
        request(std::make_shared<const plan::Plan>(plan()));
    } else if (m_estimatedPlan == m_requestedPlan) {
        m_ownEstimate = m_estimate;
        m_tellsOwn = true;
        // After everyone has seen the plan itself.
        QMetaObject::invokeMethod(this, &Workspace::tellOwn, Qt::QueuedConnection);
    }
    if (wasPreviewing)
        Q_EMIT previewChanged();
}

void Workspace::tellOwn()
{
    m_tellsOwn = false;
    if (!m_ownEstimate)
        return; // of a document that is gone
    Q_EMIT ownEstimateChanged();
    if (m_zonesRevision == m_requests)
        Q_EMIT zonesChanged();
}

/// What was known of the plan before something was previewed.
void Workspace::showAgain(const Answers& answers)
{
    m_requestedPlan = m_estimatedPlan = answers.plan;
    m_estimate = answers.estimate;
    m_timeline = answers.timeline;
    m_zones = answers.zones;
    m_improvements = answers.improvements;
    m_zonesRevision = m_improvementsRevision = ++m_requests;
    m_planner.settle(m_requests);
    Q_EMIT estimateChanged();
    Q_EMIT timelineChanged();
    Q_EMIT improvementsChanged();
}

/// A search begins anew only if what it depends on is different; what was found before is priced anew first.
void Workspace::updateSearch()
{
    SearchRequest asked = searchRequest(m_document.project());
    if (m_searchRequest && asked == *m_searchRequest)
        return;
    m_searchRequest = std::make_shared<const SearchRequest>(std::move(asked));
    m_verification.reset();
    m_fronts.reset();
    m_why.reset();
    m_searcher.search(m_searchRequest, m_search);
    Q_EMIT searchOutdated();
}

/// What is known of a plan already is not asked again.
EstimatePointer Workspace::knownEstimate(const plan::Plan& plan) const
{
    if (m_estimatedPlan && *m_estimatedPlan == plan)
        return m_estimate;
    for (std::size_t i = 0; i < m_pinsAsked.size(); ++i)
        if (m_pinnedEstimates[i] && m_pinsAsked[i].plan == plan)
            return m_pinnedEstimates[i];
    return nullptr;
}

void Workspace::requestPins()
{
    const auto& pins = m_document.project().pinned;
    const bool samePlans = std::equal(pins.begin(), pins.end(), m_pinsAsked.begin(), m_pinsAsked.end(),
        [](const plan::PinnedPlan& a, const plan::PinnedPlan& b) { return a.plan == b.plan; });
    if (!samePlans) {
        std::vector<PlanPointer> plans;
        std::vector<EstimatePointer> known;
        for (const plan::PinnedPlan& pinned : pins) {
            plans.push_back(std::make_shared<const plan::Plan>(pinned.plan));
            known.push_back(knownEstimate(pinned.plan));
        }
        m_pinnedEstimates = known;
        m_planner.requestPinned(std::move(plans), std::move(known));
    }
    m_pinsAsked = pins;
    Q_EMIT pinsChanged();
}

bool Workspace::pictureIsBehind() const
{
    return m_planner.isEstimating() || (m_planner.isSimulating() && m_patience.isActive());
}

/// Lets the edit that waits take its turn, once the picture has caught up.
void Workspace::settle()
{
    if (m_document.isHolding() && !pictureIsBehind())
        m_document.release();
}

void Workspace::updateBusy()
{
    if (m_wasUpdating != isUpdating()) {
        m_wasUpdating = !m_wasUpdating;
        Q_EMIT updatingChanged(m_wasUpdating);
    }
}

void Workspace::setWantsBest(bool wants)
{
    if (std::exchange(m_wantsBest, wants) != wants)
        Q_EMIT findingBestChanged(wants);
}

void Workspace::editPlan(const plan::Plan& plan, const QString& text, int mergeId)
{
    ProjectChange change;
    change.plan = plan;
    if (mergeId >= 0 && pictureIsBehind()) {
        m_document.hold(std::move(change), text, mergeId);
        updateBusy();
    } else {
        m_document.edit(std::move(change), text, mergeId);
    }
}

void Workspace::editStrategy(const parallel::Strategy& strategy, const QString& text)
{
    m_document.release();
    plan::Plan changed = plan();
    changed.strategy = strategy;
    editPlan(changed, text);
}

void Workspace::editCluster(const cluster::Cluster& cluster, const CanvasPositions& positions, const QString& text)
{
    m_document.release();
    ProjectChange change;
    change.plan = plan();
    change.plan->cluster = cluster;
    change.canvas = positions;
    m_document.edit(std::move(change), text);
}

void Workspace::editCapacity(const plan::CapacityInputs& inputs, const QString& text)
{
    ProjectChange change;
    change.capacity = inputs;
    m_document.edit(std::move(change), text);
}

void Workspace::editPins(const QString& text, std::vector<plan::PinnedPlan> pins)
{
    ProjectChange change;
    change.pinned = std::move(pins);
    m_document.edit(std::move(change), text);
}

void Workspace::pin(bool asBaseline)
{
    m_document.release();
    std::vector<plan::PinnedPlan> pins = m_document.project().pinned;
    // Letters as people name alternatives; after Z, numbers.
    const auto taken = [&](const QString& name) {
        return std::any_of(pins.begin(), pins.end(),
            [&](const plan::PinnedPlan& p) { return QString::fromStdString(p.name).startsWith(name + u':'); });
    };
    QString letter;
    for (int i = 0; letter.isEmpty() || taken(letter); ++i)
        letter = i < 26 ? QString(QChar(u'A' + i)) : QString::number(i + 1);
    const QString name = letter + QStringLiteral(": ") + strategyTitle(plan().strategy);
    pins.insert(asBaseline ? pins.begin() : pins.end(), {name.toStdString(), plan()});
    editPins(asBaseline ? tr("Pin %1 as baseline").arg(letter) : tr("Pin %1").arg(letter), std::move(pins));
}

void Workspace::changePin(
    int pin, const QString& text, const std::function<void(std::vector<plan::PinnedPlan>&)>& change)
{
    std::vector<plan::PinnedPlan> pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()))
        return;
    change(pins);
    editPins(text, std::move(pins));
}

void Workspace::makeBaseline(int pin)
{
    changePin(pin, tr("Change the baseline"), [pin](std::vector<plan::PinnedPlan>& pins) {
        std::rotate(pins.begin(), pins.begin() + pin, pins.begin() + pin + 1);
    });
}

void Workspace::renamePin(int pin, const QString& name)
{
    if (!name.isEmpty())
        changePin(pin, tr("Rename a pinned plan"), [&](std::vector<plan::PinnedPlan>& pins) {
            pins[static_cast<std::size_t>(pin)].name = name.toStdString();
        });
}

void Workspace::removePin(int pin)
{
    changePin(pin, tr("Remove a pinned plan"),
        [pin](std::vector<plan::PinnedPlan>& pins) { pins.erase(pins.begin() + pin); });
}

void Workspace::clearPins()
{
    editPins(tr("Remove all pins"), {});
}

void Workspace::adoptPin(int pin)
{
    const auto& pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()))
        return;
    const plan::PinnedPlan pinned = pins[static_cast<std::size_t>(pin)];
    editPlan(pinned.plan, tr("Adopt %1").arg(QString::fromStdString(pinned.name)));
}

void Workspace::editSearch(const plan::SearchSettings& settings, const QString& text)
{
    m_document.release();
    ProjectChange change;
    change.search = settings;
    m_document.edit(std::move(change), text);
}

void Workspace::lock(plan::Dimension dimension, bool locked, const QString& text)
{
    m_document.release();
    plan::SearchSettings settings = m_document.project().search;
    if (locked)
        settings.locks.insert(dimension);
    else
        settings.locks.erase(dimension);
    editSearch(settings, text);
}

void Workspace::compareWith(const PlanPointer& plan, const ScheduleFilePointer& file)
{
    m_planner.requestCompared(plan, file, plan == m_estimatedPlan ? m_estimate : nullptr);
}

void Workspace::findBest()
{
    m_document.release();
    if (searchIsCurrent() && m_search->hasEnded() && (!m_search->result || m_search->result->proven)) {
        Q_EMIT bestFound();
        return;
    }
    setWantsBest(true);
    if (!m_searcher.isSearching()) // it was stopped
        m_searcher.search(m_searchRequest, m_search);
}

void Workspace::stopSearch()
{
    m_searcher.stop();
}

void Workspace::verify()
{
    if (searchIsCurrent())
        m_searcher.verify(m_search);
}

void Workspace::findFronts()
{
    if (!searchIsCurrent() || m_fronts || !m_search->result || !m_search->result->proven)
        return;
    auto begun = std::make_shared<FrontsPicture>();
    begun->request = m_search->request;
    m_fronts = std::move(begun);
    m_searcher.findFronts(m_search->request);
    Q_EMIT searchChanged();
}

void Workspace::askWhy(const parallel::Strategy& strategy, model::Precision precision)
{
    const search::FoundStrategy* found = best();
    if (!found)
        return;
    m_why.reset();
    m_searcher.askWhy(
        std::make_shared<const SearchRequest>(searchRequest(m_document.project())), strategy, precision, *found);
    Q_EMIT whyChanged();
}

void Workspace::adopt(const parallel::Strategy& strategy, model::Precision precision)
{
    m_document.release();
    plan::Plan changed = plan();
    changed.strategy = strategy;
    changed.training.precision = precision;
    if (changed == plan())
        endPreview();
    else
        editPlan(changed, tr("Adopt %1").arg(strategyTitle(strategy)));
    Q_EMIT adopted();
}

void Workspace::adoptBest()
{
    if (const search::FoundStrategy* found = best())
        adopt(found->strategy, found->precision);
}

void Workspace::preview(const parallel::Strategy& strategy, model::Precision precision)
{
    m_document.release();
    plan::Plan other = plan();
    other.strategy = strategy;
    other.training.precision = precision;
    if (other == plan()) {
        endPreview();
        return;
    }
    if (!m_preview && m_planner.isAnswered() && m_estimate && *m_estimate)
        m_beforePreview = {m_estimatedPlan, m_estimate, m_timeline, m_zones, m_improvements};
    m_preview = std::make_shared<const plan::Plan>(std::move(other));
    request(m_preview);
    updateBusy();
    Q_EMIT previewChanged();
}

void Workspace::endPreview()
{
    if (!std::exchange(m_preview, nullptr))
        return;
    const auto before = std::exchange(m_beforePreview, std::nullopt);
    if (!before)
        request(std::make_shared<const plan::Plan>(plan()));
    updateBusy();
    Q_EMIT previewChanged();
    if (before)
        showAgain(*before);
}

void Workspace::adoptPreview()
{
    if (const PlanPointer chosen = m_preview)
        adopt(chosen->strategy, chosen->training.precision);
}

} // namespace stratoplan::session
