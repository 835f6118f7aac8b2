// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/workspace.h"

#include "app/gui/plan_fields.h"

#include <algorithm>
#include <utility>

namespace stratoplan {

namespace {

/// How long a drag waits for the timeline of its last step; the estimate itself is always waited for.
constexpr std::chrono::milliseconds kTimelinePatience{40};

} // namespace

Workspace::Workspace(const Catalog& catalog, PlannerFunctions functions, QObject* parent)
    : QObject(parent)
    , m_document(catalog)
    , m_planner(std::move(functions))
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kTimelinePatience);
    connect(&m_patience, &QTimer::timeout, this, &Workspace::settle);
    connect(&m_document, &ProjectDocument::changed, this, &Workspace::documentChanged);
    connect(&m_document, &ProjectDocument::loaded, this, &Workspace::forgetAnswers);
    connect(&m_planner, &BackgroundPlanner::estimateReady, this, [this](quint64, const EstimatePointer& estimate) {
        m_estimate = estimate;
        m_estimatedPlan = m_requestedPlan; // the planner answers nothing but the newest request
        Q_EMIT estimateChanged();
        settle();
        updateBusy();
    });
    connect(&m_planner, &BackgroundPlanner::timelineReady, this, [this](quint64, const TimelinePointer& timeline) {
        m_timeline = timeline;
        Q_EMIT timelineChanged();
        settle();
    });
    connect(&m_planner, &BackgroundPlanner::comparedReady, this, &Workspace::comparedReady);
    connect(&m_planner, &BackgroundPlanner::zonesReady, this, [this](quint64, const ZonesPointer& zones) {
        m_zones = zones;
        Q_EMIT zonesChanged();
    });
    connect(&m_planner, &BackgroundPlanner::improvementsReady, this, [this](quint64 revision, const ImprovementsPointer& improvements) {
        m_improvementsRevision = revision;
        m_improvements = improvements;
        Q_EMIT improvementsChanged();
    });
    connect(&m_planner, &BackgroundPlanner::pinnedReady, this, [this](const std::vector<EstimatePointer>& estimates) {
        m_pinnedEstimates = estimates;
        Q_EMIT pinsChanged();
    });
    connect(&m_planner, &BackgroundPlanner::searchProgress, this, [this](const EnumerationPointer& enumeration, bool finished) {
        m_enumeration = enumeration;
        m_enumerationIsCurrent = true;
        Q_EMIT enumerationChanged(finished);
        if (finished && m_wantsBest) {
            setWantsBest(false);
            Q_EMIT bestFound();
        }
    });
    connect(&m_planner, &BackgroundPlanner::searchingChanged, this, [this](bool searching) {
        if (!searching)
            setWantsBest(false); // stopped before it began
    });
    connect(&m_planner, &BackgroundPlanner::estimatingChanged, this, &Workspace::updateBusy);
}

Workspace::~Workspace()
{
    m_document.disconnect(this);
}

const Estimate* Workspace::baseline() const
{
    return !m_pinnedEstimates.empty() && m_pinnedEstimates.front() && *m_pinnedEstimates.front() ? &**m_pinnedEstimates.front() : nullptr;
}

const Candidate* Workspace::best() const
{
    if (!m_enumeration || !m_enumerationIsCurrent)
        return nullptr;
    const Candidate* best = nullptr;
    for (const std::size_t i : m_enumeration->front) {
        const Candidate& candidate = m_enumeration->candidates[i];
        if (!best || candidate.tokensPerSecond > best->tokensPerSecond)
            best = &candidate;
    }
    return best;
}

/// They are of another document altogether.
void Workspace::forgetAnswers()
{
    m_estimatedPlan.reset();
    m_estimate.reset();
    m_timeline.reset();
    m_improvements.reset();
    m_enumeration.reset();
    m_enumerationIsCurrent = false;
    m_enumeratedPlan.reset();
    setWantsBest(false);
    Q_EMIT searchOutdated();
    Q_EMIT enumerationChanged(false);
}

void Workspace::documentChanged(ProjectParts parts)
{
    if (parts.testFlag(ProjectPart::Plan)) {
        const auto plan = std::make_shared<const Plan>(m_document.plan());
        m_requestedPlan = plan;
        m_planner.request(plan, m_document.planRevision());
        if (!m_enumeratedPlan || !sameSearch(*plan, *m_enumeratedPlan)) {
            m_enumeratedPlan = plan;
            m_enumerationIsCurrent = false;
            m_planner.search(plan);
            Q_EMIT searchOutdated();
        }
        m_patience.start();
    }
    if (parts.testFlag(ProjectPart::Pinned))
        requestPins();
    updateBusy();
}

void Workspace::requestPins()
{
    const auto& pins = m_document.project().pinned;
    const bool samePlans = std::equal(pins.begin(), pins.end(), m_pinsAsked.begin(), m_pinsAsked.end(),
                                      [](const PinnedPlan& a, const PinnedPlan& b) { return a.plan == b.plan; });
    m_pinsAsked = pins;
    if (!samePlans) {
        std::vector<PlanPointer> plans;
        for (const PinnedPlan& pinned : pins)
            plans.push_back(std::make_shared<const Plan>(pinned.plan));
        m_pinnedEstimates.assign(plans.size(), nullptr);
        m_planner.requestPinned(std::move(plans));
    }
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

void Workspace::editPlan(const Plan& plan, const QString& text, int mergeId)
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

void Workspace::editStrategy(const Strategy& strategy, const QString& text)
{
    m_document.release();
    Plan changed = plan();
    changed.strategy = strategy;
    editPlan(changed, text);
}

void Workspace::editCluster(const Cluster& cluster, const CanvasPositions& positions, const QString& text)
{
    m_document.release();
    ProjectChange change;
    change.plan = plan();
    change.plan->cluster = cluster;
    change.canvas = positions;
    m_document.edit(std::move(change), text);
}

void Workspace::editCapacity(const CapacityInputs& inputs, const QString& text)
{
    ProjectChange change;
    change.capacity = inputs;
    m_document.edit(std::move(change), text);
}

void Workspace::editPins(const QString& text, std::vector<PinnedPlan> pins)
{
    ProjectChange change;
    change.pinned = std::move(pins);
    m_document.edit(std::move(change), text);
}

void Workspace::pin(bool asBaseline)
{
    m_document.release();
    std::vector<PinnedPlan> pins = m_document.project().pinned;
    // Letters as people name alternatives; after Z, numbers.
    const auto taken = [&](const QString& name) {
        return std::any_of(pins.begin(), pins.end(), [&](const PinnedPlan& p) { return QString::fromStdString(p.name).startsWith(name + u':'); });
    };
    QString letter;
    for (int i = 0; letter.isEmpty() || taken(letter); ++i)
        letter = i < 26 ? QString(QChar(u'A' + i)) : QString::number(i + 1);
    const QString name = letter + QStringLiteral(": ") + strategyTitle(plan().strategy);
    pins.insert(asBaseline ? pins.begin() : pins.end(), {name.toStdString(), plan()});
    editPins(asBaseline ? tr("Pin %1 as baseline").arg(letter) : tr("Pin %1").arg(letter), std::move(pins));
}

void Workspace::makeBaseline(int pin)
{
    std::vector<PinnedPlan> pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()))
        return;
    std::rotate(pins.begin(), pins.begin() + pin, pins.begin() + pin + 1);
    editPins(tr("Change the baseline"), std::move(pins));
}

void Workspace::renamePin(int pin, const QString& name)
{
    std::vector<PinnedPlan> pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()) || name.isEmpty())
        return;
    pins[static_cast<std::size_t>(pin)].name = name.toStdString();
    editPins(tr("Rename a pinned plan"), std::move(pins));
}

void Workspace::removePin(int pin)
{
    std::vector<PinnedPlan> pins = m_document.project().pinned;
    if (pin < 0 || pin >= static_cast<int>(pins.size()))
        return;
    pins.erase(pins.begin() + pin);
    editPins(tr("Remove a pinned plan"), std::move(pins));
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
    const PinnedPlan pinned = pins[static_cast<std::size_t>(pin)];
    editPlan(pinned.plan, tr("Adopt %1").arg(QString::fromStdString(pinned.name)));
}

void Workspace::findBest()
{
    m_document.release();
    if (m_enumeration && m_enumerationIsCurrent && m_enumeration->complete && !m_planner.isSearching()) {
        Q_EMIT bestFound();
        return;
    }
    setWantsBest(true);
    m_planner.search(m_enumeratedPlan ? m_enumeratedPlan : std::make_shared<const Plan>(plan()));
}

void Workspace::stopSearch()
{
    m_planner.stopSearch();
}

void Workspace::adopt(const Strategy& strategy)
{
    editStrategy(strategy, tr("Adopt %1").arg(strategyTitle(strategy)));
}

void Workspace::adoptBest()
{
    if (const Candidate* candidate = best())
        adopt(candidate->strategy);
}

} // namespace stratoplan
