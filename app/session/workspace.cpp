// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/workspace.h"

#include "app/session/plan_fields.h"

#include <algorithm>
#include <utility>

namespace stratoplan::session {

namespace {

/// How long a drag waits for the timeline of its last step.
constexpr std::chrono::milliseconds kTimelinePatience{40};
/// And for the estimate, which the next step then stops; twice as long after each that was stopped so, until one comes
/// or there is no more patience: estimates that take longer come when the drag rests.
constexpr std::chrono::milliseconds kEstimatePatience{500}, kMostPatience{4000};

} // namespace

Workspace::Workspace(const catalog::Catalog& catalog, PlannerFunctions functions, QObject* parent)
    : QObject(parent)
    , m_document(catalog)
    , m_pins(m_document)
    , m_search(m_document, functions.searching)
    , m_partitions(functions.partitioning)
    , m_planner(std::move(functions))
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kTimelinePatience);
    connect(&m_patience, &QTimer::timeout, this, &Workspace::settle);
    m_longPatience.setSingleShot(true);
    m_longPatience.setInterval(kEstimatePatience);
    connect(&m_longPatience, &QTimer::timeout, this, &Workspace::settle);
    connect(&m_document, &ProjectDocument::changed, this, &Workspace::documentChanged);
    connect(&m_document, &ProjectDocument::loaded, this, &Workspace::forgetAnswers);
    connectPlanner();
}

void Workspace::connectPlanner()
{
    connect(&m_planner, &BackgroundPlanner::estimateReady, this, [this](quint64, const EstimatePointer& estimate) {
        m_estimate = estimate;
        m_longPatience.stop();
        m_longPatience.setInterval(kEstimatePatience);
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
    connect(&m_planner, &BackgroundPlanner::pinnedReady, &m_pins, &PinnedPlans::take);
    connect(&m_planner, &BackgroundPlanner::estimatingChanged, this, &Workspace::updateBusy);
}

Workspace::~Workspace()
{
    m_document.disconnect(this);
}

/// They are of another document altogether.
void Workspace::forgetAnswers()
{
    m_longPatience.setInterval(kEstimatePatience);
    m_preview.reset();
    m_beforePreview.reset();
    m_ownEstimate.reset();
    m_requestedPlan.reset();
    m_estimatedPlan.reset();
    m_estimate.reset();
    m_timeline.reset();
    m_improvements.reset();
    m_search.forget();
    Q_EMIT previewChanged();
    Q_EMIT m_search.outdated();
    Q_EMIT m_search.changed();
}

void Workspace::request(PlanPointer plan)
{
    if (m_planner.isEstimating()
        && !m_longPatience.isActive()) // else a drag would show none that takes a little longer
        m_longPatience.setInterval(std::min(2 * m_longPatience.intervalAsDuration(), kMostPatience));
    m_requestedPlan = std::move(plan);
    m_planner.request(m_requestedPlan, ++m_requests);
    m_patience.start();
    m_longPatience.start();
}

void Workspace::documentChanged(ProjectParts parts)
{
    if (parts.testFlag(ProjectPart::Plan))
        planChanged();
    if (parts & (ProjectPart::Plan | ProjectPart::Search))
        m_search.update();
    if (parts.testFlag(ProjectPart::Pinned))
        m_pins.update(m_planner, m_estimatedPlan, m_estimate);
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

bool Workspace::pictureIsBehind() const
{
    return (m_planner.isEstimating() && m_longPatience.isActive())
        || (m_planner.isSimulating() && m_patience.isActive());
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

void Workspace::mend(const plan::Remedy& remedy, const QString& text)
{
    m_document.release();
    editPlan(mended(plan(), remedy), text);
}

void Workspace::editStrategy(const parallel::Strategy& strategy, const QString& text)
{
    m_document.release();
    plan::Plan changed = plan();
    changed.strategy = strategy;
    editPlan(changed, text);
}

void Workspace::editCluster(
    const cluster::Cluster& cluster, const plan::CanvasPositions& positions, const QString& text)
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
    if (const search::FoundStrategy* found = m_search.best())
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
    if (const auto before = std::exchange(m_beforePreview, std::nullopt))
        showAgain(*before);
    else
        request(std::make_shared<const plan::Plan>(plan()));
    Q_EMIT previewChanged();
    settle(); // an edit may have waited for the preview
    updateBusy();
}

void Workspace::adoptPreview()
{
    if (const PlanPointer chosen = m_preview)
        adopt(chosen->strategy, chosen->training.precision);
}

} // namespace stratoplan::session
