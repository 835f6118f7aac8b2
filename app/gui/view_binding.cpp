// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/view_binding.h"

#include "app/gui/central_view.h"
#include "app/gui/compare_page.h"
#include "app/gui/explore_page.h"
#include "app/gui/message_bar.h"
#include "app/gui/plan_fields.h"
#include "app/gui/top_bar.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_view.h"

#include <cmath>
#include <utility>

namespace stratoplan {

namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};

} // namespace

ViewBinding::ViewBinding(Workspace& workspace, CentralView& view, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_view(view)
    , m_pipeline(workspace, view.explore().pipeline(), view.messages(), nullptr)
{
    connectWorkspace();
    connectViews();
}

bool ViewBinding::isSettled() const
{
    return m_workspace.estimate() && m_workspace.planner().isIdle() && !m_workspace.isUpdating();
}

void ViewBinding::connectWorkspace()
{
    connect(&m_workspace.document(), &ProjectDocument::loaded, this, &ViewBinding::clearAnswers);
    connect(&m_workspace.document(), &ProjectDocument::changed, this, &ViewBinding::showDocument);
    connect(&m_workspace, &Workspace::estimateChanged, this, &ViewBinding::showEstimate);
    connect(&m_workspace, &Workspace::timelineChanged, this, &ViewBinding::showTimeline);
    connect(&m_workspace, &Workspace::zonesChanged, this, &ViewBinding::showZones);
    connect(&m_workspace, &Workspace::improvementsChanged, this, &ViewBinding::showDetails);
    connect(&m_workspace, &Workspace::enumerationChanged, this, &ViewBinding::showEnumeration);
    connect(&m_workspace, &Workspace::pinsChanged, this, &ViewBinding::showPins);
    connect(&m_workspace, &Workspace::bestFound, this, &ViewBinding::showBest);
    connect(&m_workspace, &Workspace::searchOutdated, this, [this] {
        if (isOfferShown())
            m_view.messages().clear();
    });
    connect(&m_workspace, &Workspace::updatingChanged, this, [this](bool updating) {
        m_view.verdict().setUpdating(updating);
        m_view.explore().setUpdating(updating);
    });
    connect(&m_workspace, &Workspace::findingBestChanged, &m_view.topBar(), &TopBar::setSearching);
}

void ViewBinding::connectViews()
{
    const auto editCluster = [this](const Cluster& cluster, const CanvasPositions& positions, const QString& text) {
        m_workspace.editCluster(cluster, positions, text);
    };
    connect(&m_view.inputs(), &InputsPanel::planEdited, &m_workspace, &Workspace::editPlan);
    connect(&m_view.inputs(), &InputsPanel::capacityEdited, &m_workspace, &Workspace::editCapacity);
    connect(&m_view.problems(), &ProblemsPanel::remedyChosen, &m_workspace, &Workspace::editStrategy);
    connect(&m_view.problems(), &ProblemsPanel::problemActivated, this, &ViewBinding::showProblem);
    connect(&m_view.verdict(), &VerdictBar::figureChosen, this, [this](VerdictFigure figure) { select(figure); });

    ExplorePage& charts = m_view.explore();
    connect(&charts.memory(), &MemoryChart::stageClicked, this, [this](int stage) { select(StageSelection{stage}); });
    connect(&m_pipeline, &PipelineBinding::marked, this, [this](bool anything) {
        if (anything)
            select(PipelineSelection{});
        else if (std::holds_alternative<PipelineSelection>(m_selection))
            select(NoSelection{});
    });
    connect(&charts.pareto(), &ParetoChart::adopted, &m_workspace, &Workspace::adopt);

    connect(&charts.breakdown(), &BreakdownChart::partChosen, this, [this](int stage, const QString& part) { select(PartSelection{stage, part}); });
    connect(&charts.pareto(), &ParetoChart::candidateChosen, this, [this](const Candidate& candidate) { select(candidate); });
    for (ChartView* chart : charts.charts()) {
        connect(chart, &ChartView::explanationWanted, this, &ViewBinding::detailsWanted);
        connect(chart, &ChartView::reported, this,
                [this](bool good, const QString& text) { m_view.messages().show(good ? MessageKind::Done : MessageKind::Error, text); });
    }

    TopologyView& canvas = m_view.canvas();
    connect(&canvas, &TopologyView::clusterEdited, &m_workspace, editCluster);
    connect(&m_view.inspector(), &ClusterInspector::clusterEdited, &m_workspace, editCluster);
    connect(&canvas, &TopologyView::selectionChanged, &m_view.inspector(), &ClusterInspector::setSelection);
    connect(&canvas, &TopologyView::editRequested, &m_view.inspector(), &ClusterInspector::edit);
    connect(&m_view.inspector(), &ClusterInspector::elementRequested, &canvas, &TopologyView::showElement);
    connect(&m_view.palettePanel(), &NodePalette::presetArmed, &canvas, &TopologyView::armPreset);
    connect(&m_view.palettePanel(), &NodePalette::presetActivated, &canvas, &TopologyView::placePreset);
    connect(&canvas, &TopologyView::presetDisarmed, &m_view.palettePanel(), &NodePalette::disarm);

    connect(&m_view, &CentralView::perspectiveChanged, this, &ViewBinding::showPins);
    ComparePage& compare = m_view.compare();
    connect(&compare, &ComparePage::pinRequested, &m_workspace, [this] { m_workspace.pin(false); });
    connect(&compare, &ComparePage::adoptRequested, &m_workspace, &Workspace::adoptPin);
    connect(&compare, &ComparePage::baselineRequested, &m_workspace, &Workspace::makeBaseline);
    connect(&compare, &ComparePage::renameRequested, &m_workspace, &Workspace::renamePin);
    connect(&compare, &ComparePage::removeRequested, &m_workspace, &Workspace::removePin);
}

/// Another document: nothing of the one before stays on the screen.
void ViewBinding::clearAnswers()
{
    m_selection = NoSelection{};
    m_view.explore().clear();
    m_view.verdict().clear();
    m_view.problems().setProblems({});
    m_view.details().clear();
}

void ViewBinding::showDocument(ProjectParts parts)
{
    const Project& project = m_workspace.document().project();
    if (parts.testFlag(ProjectPart::Plan)) {
        m_view.messages().planChanged();
        m_view.inputs().setPlan(project.plan);
        m_view.explore().setTitle(planTitle(project.plan), strategyTitle(project.plan.strategy));
    }
    if (parts & (ProjectPart::Plan | ProjectPart::Canvas)) {
        m_view.canvas().setCluster(project.plan.cluster, project.canvas);
        m_view.inspector().setCluster(project.plan.cluster, project.canvas);
    }
    if (parts.testFlag(ProjectPart::Capacity)) {
        m_view.inputs().setCapacity(project.capacity);
        m_view.verdict().setCapacityInputs(project.capacity);
        showEstimate();
        showPins();
    }
}

void ViewBinding::showEstimate()
{
    const EstimatePointer& result = m_workspace.estimate();
    if (!result)
        return;
    if (!*result) {
        showUnpriced(result->error());
        return;
    }
    const Estimate& estimate = **result;
    m_view.verdict().setEstimate(estimate, capacity(*m_workspace.estimatedPlan(), estimate, m_workspace.document().project().capacity));
    m_view.problems().setProblems(estimate.problems);
    m_view.explore().setEstimate(estimate);
    showPins();
    showDetails();
    if (isOfferShown())
        showBest(); // it compares with the plan
}

void ViewBinding::showUnpriced(const std::vector<Problem>& problems)
{
    m_view.verdict().setProblems(problems);
    m_view.problems().setProblems(problems);
    m_view.explore().setUnpriced();
    showPins();
    showDetails();
}

void ViewBinding::showTimeline()
{
    const EstimatePointer& estimate = m_workspace.estimate();
    if (m_workspace.timeline() && estimate && *estimate)
        m_view.explore().memory().setTimeline(m_workspace.timeline()->memory, m_workspace.timeline()->timeline.chunks);
    else
        m_view.explore().memory().setTimeline(std::nullopt);
}

void ViewBinding::showZones()
{
    for (const auto& [field, stops] : *m_workspace.zones())
        m_view.inputs().setZones(field, stops);
}

void ViewBinding::showEnumeration()
{
    ParetoChart& chart = m_view.explore().pareto();
    const EnumerationPointer& enumeration = m_workspace.enumeration();
    if (!enumeration) {
        chart.clear();
        return;
    }
    chart.setEnumeration(*enumeration);
    m_view.topBar().setSearchProgress(enumeration->evaluated, enumeration->space);
}

void ViewBinding::showPins()
{
    const Project& project = m_workspace.document().project();
    const auto& estimates = m_workspace.pinnedEstimates();
    if (const Estimate* baseline = m_workspace.baseline(); baseline && !project.pinned.empty()) {
        const PinnedPlan& pinned = project.pinned.front();
        const QString name = QString::fromStdString(pinned.name).section(u':', 0, 0);
        m_view.verdict().setBaseline(name, *baseline, capacity(pinned.plan, *baseline, project.capacity));
    } else {
        m_view.verdict().clearBaseline();
    }
    if (m_view.perspective() != Perspective::Compare)
        return; // filled when it is looked at
    std::vector<ComparedPlan> pinned;
    for (std::size_t i = 0; i < project.pinned.size(); ++i)
        pinned.push_back({QString::fromStdString(project.pinned[i].name), std::make_shared<const Plan>(project.pinned[i].plan),
                          i < estimates.size() ? estimates[i] : nullptr});
    const PlanPointer& estimated = m_workspace.estimatedPlan();
    m_view.compare().setPlans({tr("This plan"), estimated ? estimated : std::make_shared<const Plan>(project.plan), m_workspace.estimate()}, pinned);
}

void ViewBinding::select(Selection selection)
{
    m_selection = std::move(selection);
    showDetails();
}

void ViewBinding::showDetails()
{
    const EstimatePointer& result = m_workspace.estimate();
    if (!result || !*result) {
        m_view.details().clear();
        return;
    }
    const Estimate& estimate = **result;
    const Plan& plan = *m_workspace.estimatedPlan();
    DetailSections sections = std::visit(
        Overloaded{[&](NoSelection) { return planDetails(plan, estimate); },
                   [&](PipelineSelection) {
                       DetailSections details = m_pipeline.details();
                       return details.empty() ? planDetails(plan, estimate) : details;
                   },
                   [&](StageSelection s) {
                       const bool exists = static_cast<std::size_t>(s.stage) < estimate.memory.stages.size();
                       return exists ? memoryDetails(s.stage, plan, estimate) : planDetails(plan, estimate);
                   },
                   [&](const PartSelection& s) { return partDetails(s.stage, s.part, estimate); },
                   [&](const Candidate& candidate) { return candidateDetails(candidate, estimate); },
                   [&](VerdictFigure figure) { return figureDetails(figure, plan, estimate, m_workspace.document().project().capacity); }},
        m_selection);
    if (m_workspace.improvements())
        sections.push_back(improvementDetails(*m_workspace.improvements(), m_workspace.improvementsAreCurrent()));
    m_view.details().setSections(std::move(sections));
}

void ViewBinding::showBest()
{
    MessageBar& messages = m_view.messages();
    const EnumerationPointer& enumeration = m_workspace.enumeration();
    const Candidate* best = m_workspace.best();
    const QString among = enumeration && !enumeration->complete
        ? tr("the first %1 of %2 strategies").arg(groupedNumber(enumeration->evaluated), groupedNumber(enumeration->space))
        : tr("%1 strategies (%2)").arg(groupedNumber(enumeration ? enumeration->evaluated : 0),
              m_workspace.plan().model.moe ? tr("DP, TP, PP, EP, micro-batch, recomputation") : tr("DP, TP, PP, micro-batch, recomputation"));
    if (enumeration && enumeration->complete && enumeration->evaluated == 0) {
        messages.showOfPlan(MessageKind::Error, tr("No strategy could be priced: change what the problems list names, then search again."));
        return;
    }
    if (!best) {
        messages.showOfPlan(MessageKind::Error, tr("None of %1 fits this cluster with the plan's ZeRO stage and context parallelism. More memory, more GPUs or a smaller model would help.").arg(among));
        return;
    }
    if (best->strategy == m_workspace.plan().strategy) {
        messages.showOfPlan(MessageKind::Done, tr("This plan is the best of %1.").arg(among));
        m_offer.clear();
        return;
    }
    QString text = tr("Best of %1: %2, micro-batch %3, %4: %5 per step").arg(among, strategyTitle(best->strategy)).arg(best->strategy.microBatch)
                       .arg(recomputeText(best->strategy.recompute), stratoplan::text(best->step));
    const EstimatePointer& current = m_workspace.estimate();
    if (current && *current && (*current)->step > Seconds(0)) {
        const double change = best->step / (*current)->step - 1;
        text += QStringLiteral(" (%1)").arg(signedText(change, shareText(std::abs(change))));
    }
    m_offer = text + u'.';
    messages.show(MessageKind::Offer, m_offer, {{tr("Adopt the best"), [this, strategy = best->strategy] { m_workspace.adopt(strategy); }}});
}

bool ViewBinding::isOfferShown() const
{
    return !m_offer.isEmpty() && m_view.messages().text() == m_offer;
}

void ViewBinding::showProblem(const Problem& problem)
{
    Q_EMIT perspectiveWanted(Perspective::Explore);
    m_view.inputs().showField(QString::fromStdString(problem.where));
}

} // namespace stratoplan
