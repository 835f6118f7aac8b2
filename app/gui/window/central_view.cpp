// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/central_view.h"

#include "app/gui/build/build_page.h"
#include "app/gui/calibrate/calibration_page.h"
#include "app/gui/compare/compare_page.h"
#include "app/gui/explore/explore_page.h"
#include "app/gui/partition/partition_page.h"
#include "app/gui/present/present_page.h"
#include "app/gui/search/preview_bar.h"
#include "app/gui/search/search_page.h"
#include "app/gui/studies/study_page.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/top_bar.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/shell/message_bar.h"
#include "widgets/shell/thin_splitter.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/cluster_table.h"
#include "widgets/topology/node_palette.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace stratoplan::gui {

namespace {

constexpr int kLeftWidth = 320;
constexpr int kRightWidth = 300;
constexpr int kMiddleWidth = 820;
constexpr int kNarrowExplore = 1180; ///< no room for three columns
constexpr int kNarrowBuild = 900;

/// A stack is as small as its current page lets it be, not as its largest.
class PageStack : public QStackedWidget {
public:
    using QStackedWidget::QStackedWidget;
    [[nodiscard]] QSize sizeHint() const override { return currentWidget() ? currentWidget()->sizeHint() : QSize(); }
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        return currentWidget() ? currentWidget()->minimumSizeHint() : QSize();
    }
};

} // namespace

// In one piece: a list of the parts of the window, and one of the places where they stand.
CentralView::CentralView(const catalog::Catalog& catalog, Actions& actions, QWidget* parent)
    : QWidget(parent)
    , m_topBar(new TopBar(actions, this))
    , m_messages(new widgets::MessageBar(this))
    , m_preview(new PreviewBar(this))
    , m_verdict(new widgets::VerdictBar(this))
    , m_columns(new widgets::ThinSplitter(Qt::Horizontal, this))
    , m_left(new PageStack(m_columns))
    , m_middle(new PageStack(m_columns))
    , m_right(new PageStack(m_columns))
    , m_inputs(new widgets::InputsPanel(catalog, m_left))
    , m_palette(new widgets::NodePalette(catalog, m_left))
    , m_explore(new ExplorePage(m_middle))
    , m_build(new BuildPage(catalog, *actions.clusterTable, m_middle))
    , m_search(new SearchPage(m_middle))
    , m_studies(new StudyPage(m_middle))
    , m_compare(new ComparePage(m_middle))
    , m_calibration(new CalibrationPage(m_middle))
    , m_partition(new PartitionPage(m_middle))
    , m_present(new PresentPage(catalog, this))
    , m_details(new widgets::DetailsPanel(m_right))
    , m_inspector(new widgets::ClusterInspector(catalog, m_right))
    , m_problems(new widgets::ProblemsPanel(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_topBar);
    column->addWidget(m_messages);
    column->addWidget(m_preview);
    column->addWidget(m_verdict);
    column->addWidget(m_columns, 1);
    column->addWidget(m_present, 1);
    column->addWidget(m_problems);
    m_left->addWidget(m_inputs);
    m_left->addWidget(m_palette);
    m_middle->addWidget(m_explore);
    m_middle->addWidget(m_build);
    m_middle->addWidget(m_search);
    m_middle->addWidget(m_studies);
    m_middle->addWidget(m_compare);
    m_middle->addWidget(m_calibration);
    m_middle->addWidget(m_partition);
    m_right->addWidget(m_details);
    m_right->addWidget(m_inspector);
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setStretchFactor(2, 0);
    resetSizes();
    applyVisibility();
    connect(m_present, &PresentPage::closeWanted, actions.present, &QAction::trigger);
    connect(this, &CentralView::perspectiveChanged, actions.saveSlide, [save = actions.saveSlide](auto perspective) {
        save->setEnabled(perspective != session::Perspective::Studies); // those are of other plans
    });
}

widgets::TopologyView& CentralView::canvas()
{
    return m_build->canvas();
}

void CentralView::setPerspective(session::Perspective perspective)
{
    m_perspective = perspective;
    const bool build = perspective == session::Perspective::Build;
    m_left->setCurrentWidget(build ? static_cast<QWidget*>(m_palette) : m_inputs);
    m_right->setCurrentWidget(build ? static_cast<QWidget*>(m_inspector) : m_details);
    switch (perspective) {
    case session::Perspective::Build:
        m_middle->setCurrentWidget(m_build);
        break;
    case session::Perspective::Search:
        m_middle->setCurrentWidget(m_search);
        break;
    case session::Perspective::Studies:
        m_middle->setCurrentWidget(m_studies);
        break;
    case session::Perspective::Compare:
        m_middle->setCurrentWidget(m_compare);
        break;
    case session::Perspective::Calibrate:
        m_middle->setCurrentWidget(m_calibration);
        break;
    case session::Perspective::Partition:
        m_middle->setCurrentWidget(m_partition);
        break;
    case session::Perspective::Explore:
        m_middle->setCurrentWidget(m_explore);
        break;
    case session::Perspective::Present:
        break;
    }
    updateNarrow();
    applyVisibility();
    Q_EMIT perspectiveChanged(perspective);
}

void CentralView::applyVisibility()
{
    const bool present = m_perspective == session::Perspective::Present;
    m_topBar->setVisible(!present);
    m_verdict->setVisible(!present);
    m_columns->setVisible(!present);
    m_present->setVisible(present);
    const bool studies =
        m_perspective == session::Perspective::Studies; // of other plans than the one whose inputs stand there
    m_left->setVisible(m_inputsWanted && !studies);
    const bool wide = studies || m_perspective == session::Perspective::Compare
        || m_perspective == session::Perspective::Calibrate || m_perspective == session::Perspective::Partition;
    m_right->setVisible(detailsWanted() && !wide);
    m_problems->setVisible(m_problemsWanted && !present);
}

void CentralView::setInputsVisible(bool visible)
{
    m_inputsWanted = visible;
    applyVisibility();
}

void CentralView::setDetailsVisible(bool visible)
{
    detailsWanted() = visible;
    applyVisibility();
}

void CentralView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_knownWidth = event->size().width();
    updateNarrow();
}

void CentralView::updateNarrow()
{
    // The inspector of the canvas is worked with; the details of the charts are read now and then.
    const bool narrow = m_knownWidth > 0
        && m_knownWidth < (m_perspective == session::Perspective::Build ? kNarrowBuild : kNarrowExplore);
    if (narrow == m_narrow)
        return;
    m_narrow = narrow;
    applyVisibility();
    Q_EMIT detailsVisibleChanged(detailsWanted());
}

void CentralView::setProblemsVisible(bool visible)
{
    m_problemsWanted = visible;
    applyVisibility();
}

QString CentralView::commitPending()
{
    canvas().commitPending();
    QString wrong;
    if (m_inputs->isVisible())
        wrong = m_inputs->commitPending();
    if (wrong.isEmpty() && m_inspector->isVisible())
        wrong = m_inspector->commitPending();
    if (wrong.isEmpty() && m_build->table().isVisible())
        wrong = m_build->table().commitPending();
    return wrong;
}

void CentralView::saveState(session::WindowState& state) const
{
    state.columns = m_columns->saveState();
    state.charts = m_explore->rowsState();
    state.chartRow = m_explore->rowState();
    state.inputs = m_inputsWanted;
    state.details = m_detailsWanted;
    state.problems = m_problemsWanted;
    state.clusterTable = m_build->isTable();
    state.perspective = m_perspective;
}

void CentralView::restoreState(const session::WindowState& state)
{
    if (!state.columns.isEmpty())
        m_columns->restoreState(state.columns);
    if (!state.charts.isEmpty() && !state.chartRow.isEmpty())
        m_explore->restoreSizes(state.charts, state.chartRow);
    m_inputsWanted = state.inputs;
    m_detailsWanted = state.details;
    m_problemsWanted = state.problems;
    m_build->setTable(state.clusterTable);
    applyVisibility();
}

void CentralView::resetSizes()
{
    m_columns->setSizes({kLeftWidth, kMiddleWidth, kRightWidth});
    m_explore->resetSizes();
}

} // namespace stratoplan::gui
