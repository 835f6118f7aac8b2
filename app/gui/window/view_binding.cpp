// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/view_binding.h"

#include "app/gui/explore/details_text.h"
#include "app/gui/explore/explore_page.h"
#include "app/gui/search/search_page.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/top_bar.h"
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
#include "widgets/shell/message_bar.h"
#include "widgets/topology/canvas_clipboard.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_review.h"
#include "widgets/topology/topology_view.h"

#include <algorithm>
#include <utility>

namespace stratoplan::gui {

namespace {

/// What cards of the canvas are marked for, and the inspector tells of; "" = nothing.
QString toCheck(const cluster::Cluster& cluster)
{
    const auto count = std::ranges::count_if(widgets::reviewCluster(cluster),
        [](const widgets::ClusterIssue& issue) { return issue.severity != plan::Severity::Note; });
    return count == 0 ? QString()
        : count == 1  ? ViewBinding::tr("1 thing to check on the canvas")
                      : ViewBinding::tr("%1 things to check on the canvas").arg(widgets::groupedNumber(count));
}

constexpr std::chrono::milliseconds kOutdatedAfter{300};

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>; // clang before 17 makes none for aggregates

} // namespace

ViewBinding::ViewBinding(
    session::Workspace& workspace, CentralView& view, session::PlannerFunctions functions, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_view(view)
    , m_build(workspace, view.build(), view.inspector(), view.palettePanel(), nullptr)
    , m_compare(workspace, view.compare(), nullptr)
    , m_pipeline(workspace, view.explore().pipeline(), view.messages(), nullptr)
    , m_search(workspace,
          {.page = view.search(),
              .chart = view.explore().pareto(),
              .inputs = view.inputs(),
              .preview = view.preview(),
              .messages = view.messages()},
          nullptr)
    , m_present(workspace, view.present(), std::move(functions), nullptr)
    , m_mixes(workspace, view)
    , m_sensitivity(workspace, view)
    , m_sizing(workspace, view)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(kOutdatedAfter);
    connect(&m_patience, &QTimer::timeout, this, [this] { setOutdated(true); });
    connectWorkspace();
    connectViews();
}

bool ViewBinding::isSettled() const
{
    return m_workspace.estimate() && m_workspace.isIdle() && !m_workspace.isUpdating() && m_mixes.isSettled()
        && m_sensitivity.isSettled() && m_compare.isSettled() && m_present.isSettled() && m_sizing.isSettled();
}

void ViewBinding::connectWorkspace()
{
    connect(&m_workspace.document(), &session::ProjectDocument::loaded, this, &ViewBinding::clearAnswers);
    connect(&m_workspace.document(), &session::ProjectDocument::changed, this, &ViewBinding::showDocument);
    connect(&m_workspace, &session::Workspace::estimateChanged, this, &ViewBinding::showEstimate);
    connect(&m_workspace, &session::Workspace::timelineChanged, this, &ViewBinding::showTimeline);
    connect(&m_workspace, &session::Workspace::zonesChanged, this, &ViewBinding::showZones);
    connect(&m_workspace, &session::Workspace::improvementsChanged, this, &ViewBinding::showDetails);
    connect(&m_workspace.pins(), &session::PinnedPlans::changed, this, &ViewBinding::showBaseline);
    connect(&m_workspace, &session::Workspace::previewChanged, this, &ViewBinding::showBaseline);
    connect(&m_search, &SearchBinding::detailsChanged, this, [this](bool picked) {
        if (picked)
            select(m_search.hasPicked() ? Selection(StrategySelection{}) : Selection(NoSelection{}));
        else
            showDetails();
    });
    connect(&m_search, &SearchBinding::detailsWanted, this, &ViewBinding::detailsWanted);
    connect(&m_search, &SearchBinding::perspectiveWanted, this, &ViewBinding::perspectiveWanted);
    connect(&m_search, &SearchBinding::progressed, &m_view.topBar(), &TopBar::setSearchProgress);
    connect(&m_workspace.search(), &session::PlanSearch::findingBestChanged, &m_view.topBar(), &TopBar::setSearching);
    connect(&m_workspace, &session::Workspace::updatingChanged, this, &ViewBinding::setUpdating);
}

void ViewBinding::setUpdating(bool updating)
{
    m_view.verdict().setUpdating(updating);
    m_view.explore().setUpdating(updating);
    if (updating) {
        m_patience.start();
    } else {
        m_patience.stop();
        setOutdated(false);
    }
}

/// What is shown is of an older plan, and has been for long.
void ViewBinding::setOutdated(bool outdated)
{
    m_isOutdated = outdated;
    const QString notice = outdated ? tr("Estimating…") : QString();
    m_view.verdict().setStale(notice);
    m_view.explore().setOutdated(notice);
    m_view.details().setStale(notice);
    m_view.problems().setStale(notice);
}

void ViewBinding::connectViews()
{
    connect(&m_view.inputs(), &widgets::InputsPanel::planEdited, &m_workspace, &session::Workspace::editPlan);
    connect(&m_view.inputs(), &widgets::InputsPanel::capacityEdited, &m_workspace, &session::Workspace::editCapacity);
    connect(&m_view.problems(), &widgets::ProblemsPanel::remedyChosen, &m_workspace, &session::Workspace::mend);
    connect(&m_view.problems(), &widgets::ProblemsPanel::problemActivated, this, &ViewBinding::showProblem);
    connect(&m_view.verdict(), &widgets::VerdictBar::figureChosen, this,
        [this](widgets::VerdictFigure figure) { select(figure); });

    ExplorePage& charts = m_view.explore();
    connect(&charts.memory(), &widgets::MemoryChart::stageClicked, this,
        [this](int stage) { select(StageSelection{stage}); });
    connect(&m_pipeline, &PipelineBinding::marked, this, [this](bool anything) {
        if (anything)
            select(PipelineSelection{});
        else if (std::holds_alternative<PipelineSelection>(m_selection))
            select(NoSelection{});
    });
    connect(&charts.breakdown(), &widgets::BreakdownChart::partChosen, this, [this](int stage, const QString& part) {
        select(PartSelection{stage, part});
    });
    const auto tell = [this](bool good, const QString& text) {
        m_view.messages().show(good ? widgets::MessageKind::Done : widgets::MessageKind::Error, text);
    };
    std::vector<widgets::ChartView*> all{static_cast<widgets::ChartView*>(&m_view.search().chart())};
    for (widgets::ChartView* chart : charts.charts())
        all.push_back(chart);
    for (widgets::ChartView* chart : all) {
        connect(chart, &widgets::ChartView::explanationWanted, this, &ViewBinding::detailsWanted);
        connect(chart, &widgets::ChartView::reported, this, tell);
    }

    connect(&m_compare, &CompareBinding::reported, this, tell);
    connectCanvas();
    connect(&m_view, &CentralView::perspectiveChanged, this, [this] {
        m_compare.setActive(m_view.perspective() == session::Perspective::Compare);
        m_present.setPerspective(m_view.perspective());
        showDetails();
    });
}

void ViewBinding::connectCanvas()
{
    const auto tellRefusal = [this](const QString& why) {
        m_view.messages().showOfPlan(widgets::MessageKind::Error, why);
    };
    connect(&m_view.canvas().clipboard(), &widgets::CanvasClipboard::refused, this, tellRefusal);
    connect(&m_view.canvas(), &widgets::TopologyView::refused, this, tellRefusal);
    connect(&m_view.canvas(), &widgets::TopologyView::noticed, this,
        [this](const QString& what) { m_view.messages().showOfPlan(widgets::MessageKind::Done, what); });
}

/// Another document: nothing of the one before stays on the screen.
void ViewBinding::clearAnswers()
{
    m_selection = NoSelection{};
    m_view.explore().clear();
    m_search.clear();
    m_view.verdict().clear();
    m_view.problems().setProblems({});
    m_view.details().clear();
}

void ViewBinding::showDocument(session::ProjectParts parts)
{
    const plan::Project& project = m_workspace.document().project();
    if (parts.testFlag(session::ProjectPart::Plan)) {
        m_view.messages().planChanged();
        m_view.inputs().setPlan(project.plan);
        m_view.problems().setAside(toCheck(project.plan.cluster));
    }
    if (parts.testFlag(session::ProjectPart::Search))
        m_search.showSettings();
    if (parts.testFlag(session::ProjectPart::Capacity)) {
        m_view.inputs().setCapacity(project.capacity);
        m_view.verdict().setCapacityInputs(project.capacity);
        showVerdict();
        showBaseline();
        showDetails();
    }
}

void ViewBinding::showEstimate()
{
    const session::EstimatePointer& result = m_workspace.estimate();
    if (m_patience.isActive())
        m_patience.start(); // pictures that follow a drag grow old from now on
    showVerdict();
    if (*result) {
        m_view.problems().setProblems((*result)->problems);
        m_view.explore().setEstimate(**result);
    } else {
        m_view.problems().setProblems(result->error());
        m_view.explore().setUnpriced();
    }
    showBaseline();
    showDetails();
}

void ViewBinding::showVerdict()
{
    const session::EstimatePointer& result = m_workspace.estimate();
    if (!result)
        return;
    if (*result)
        m_view.verdict().setEstimate(**result,
            capacity::capacity(*m_workspace.estimatedPlan(), **result, m_workspace.document().project().capacity));
    else
        m_view.verdict().setProblems(result->error());
}

void ViewBinding::showTimeline()
{
    const session::EstimatePointer& estimate = m_workspace.estimate();
    if (m_workspace.timeline() && estimate && *estimate)
        m_view.explore().memory().setCurves(m_workspace.timeline()->curves);
    else
        m_view.explore().memory().setCurves(nullptr);
    if (m_isOutdated)
        setOutdated(true); // these pictures, too
}

void ViewBinding::showZones()
{
    if (m_workspace.previewed())
        return; // the sliders stand where the plan is
    for (const auto& [field, stops] : *m_workspace.zones())
        m_view.inputs().setZones(field, stops);
}

/// What the verdict is told against: while something is previewed, the plan.
void ViewBinding::showBaseline()
{
    const plan::Project& project = m_workspace.document().project();
    const session::EstimatePointer& ownEstimate = m_workspace.ownEstimate();
    if (m_workspace.previewed() && ownEstimate && *ownEstimate) {
        m_view.verdict().setBaseline(
            tr("this plan"), **ownEstimate, capacity::capacity(project.plan, **ownEstimate, project.capacity));
    } else if (const estimate::Estimate* baseline = m_workspace.pins().baseline();
               baseline && !project.pinned.empty()) {
        const plan::PinnedPlan& pinned = project.pinned.front();
        const QString name = QString::fromStdString(pinned.name).section(u':', 0, 0);
        m_view.verdict().setBaseline(name, *baseline, capacity::capacity(pinned.plan, *baseline, pinned.capacity));
    } else {
        m_view.verdict().clearBaseline();
    }
}

void ViewBinding::select(Selection selection)
{
    if (!std::holds_alternative<StrategySelection>(selection))
        m_search.forgetPicked();
    m_selection = std::move(selection);
    showDetails();
}

void ViewBinding::showDetails()
{
    const bool ofSearch = std::holds_alternative<StrategySelection>(m_selection)
        || (std::holds_alternative<NoSelection>(m_selection) && m_view.perspective() == session::Perspective::Search);
    if (widgets::DetailSections sections = ofSearch ? m_search.details() : widgets::DetailSections();
        !sections.empty()) {
        m_view.details().setSections(std::move(sections));
        return;
    }
    const session::EstimatePointer& result = m_workspace.estimate();
    if (!result || !*result) {
        m_view.details().clear();
        return;
    }
    const estimate::Estimate& estimate = **result;
    const plan::Plan& plan = *m_workspace.estimatedPlan();
    widgets::DetailSections sections =
        std::visit(Overloaded{[&](NoSelection) { return planDetails(plan, estimate); },
                       [&](StrategySelection) { return planDetails(plan, estimate); },
                       [&](PipelineSelection) {
                           widgets::DetailSections details = m_pipeline.details();
                           return details.empty() ? planDetails(plan, estimate) : details;
                       },
                       [&](StageSelection s) {
                           const bool exists = static_cast<std::size_t>(s.stage) < estimate.memory.stages.size();
                           return exists ? memoryDetails(s.stage, plan, estimate) : planDetails(plan, estimate);
                       },
                       [&](const PartSelection& s) { return partDetails(s.stage, s.part, estimate); },
                       [&](widgets::VerdictFigure figure) {
                           return figureDetails(figure, plan, estimate, m_workspace.document().project().capacity);
                       }},
            m_selection);
    if (m_workspace.improvements())
        sections.push_back(improvementDetails(*m_workspace.improvements(), m_workspace.improvementsAreCurrent()));
    m_view.details().setSections(std::move(sections));
}

void ViewBinding::showProblem(const plan::Problem& problem)
{
    const std::string key = widgets::keyAt(m_workspace.plan().cluster, problem.where);
    if (m_view.perspective() == session::Perspective::Build && !key.empty()) {
        m_view.canvas().showElement(widgets::text(key));
        return;
    }
    Q_EMIT perspectiveWanted(session::Perspective::Explore);
    m_view.inputs().showField(QString::fromStdString(problem.where));
}

} // namespace stratoplan::gui
