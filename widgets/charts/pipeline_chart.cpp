// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_chart.h"

#include "widgets/charts/comparison_button.h"
#include "widgets/charts/gantt_plottable.h"
#include "widgets/charts/pipeline_keys.h"
#include "widgets/charts/pipeline_overlay.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/charts/schedule_strip.h"
#include "widgets/style/icons.h"

#include <QToolButton>
#include <algorithm>

namespace stratoplan::widgets {

namespace {
constexpr double kLabelPixels = 60; // about what the names of the stages take of the width
constexpr int kStripMargin = 22; // above the plot, for the phases

QToolButton* headerButton(const char* iconName, const QString& name, const QString& tip)
{
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    button->setIcon(icon(QString::fromLatin1(iconName)));
    button->setAccessibleName(name);
    button->setToolTip(tip);
    return button;
}
} // namespace

PipelineChart::PipelineChart(QWidget* parent)
    : ChartView(tr("Pipeline"), QString(), parent)
{
    makeHeader();
    makeMarks();
    clear();
    plot().yAxis->setRangeReversed(true);
    plot().yAxis->grid()->setVisible(false);
    plot().xAxis->grid()->setVisible(false);
    plot().axisRect()->setMinimumMargins(QMargins(2, kStripMargin, 8, 2));
    setZoomDirections(Qt::Horizontal, Qt::Vertical);
    addPainters();
    restyle();
}

void PipelineChart::makeHeader()
{
    m_compareButton = new ComparisonButton;
    connect(m_compareButton, &ComparisonButton::comparisonWanted, this, &PipelineChart::comparisonWanted);
    connect(m_compareButton, &ComparisonButton::scheduleFileWanted, this, &PipelineChart::scheduleFileWanted);
    m_foldButton = headerButton(
        "layout", tr("Unfold all stages"), tr("Unfold the communication and the memory of all stages (Shift+E)"));
    m_foldButton->setCheckable(true);
    connect(m_foldButton, &QToolButton::clicked, this, &PipelineChart::setAllUnfolded);
    QToolButton* fitButton = headerButton("fit", tr("Show the whole step"), tr("Show the whole step (Shift+F)"));
    connect(fitButton, &QToolButton::clicked, this, &PipelineChart::fitAll);
    for (QToolButton* button : {static_cast<QToolButton*>(m_compareButton), m_foldButton, fitButton})
        addHeaderWidget(button);
    m_strip = new ScheduleStrip;
    connect(m_strip, &ScheduleStrip::reloadWanted, this, &PipelineChart::scheduleFileReloadWanted);
    connect(m_strip, &ScheduleStrip::closeWanted, this, &PipelineChart::scheduleFileCloseWanted);
    addLine(m_strip);
}

void PipelineChart::makeMarks()
{
    m_marks = new PipelineMarks(m_scene, this);
    connect(m_marks, &PipelineMarks::changed, this, [this] { replotOverlay(plot()); });
    connect(m_marks, &PipelineMarks::sliceSelected, this, &PipelineChart::sliceSelected);
    connect(m_marks, &PipelineMarks::waitSelected, this, &PipelineChart::waitSelected);
    connect(m_marks, &PipelineMarks::areaSelected, this, &PipelineChart::areaSelected);
    connect(m_marks, &PipelineMarks::cleared, this, &PipelineChart::selectionCleared);
}

void PipelineChart::addPainters()
{
    const auto paintLanes = [this](QPainter& painter, bool vector) {
        m_lanes.paint(frame(painter), vector, m_criticalShown);
    };
    addGanttPlottable(plot(),
        {paintLanes, [this] { return m_scene.whole(); },
            [this] {
                return Interval{0, m_scene.rows().height()};
            },
            [this](QPointF at) { return ganttLayout().sliceAt(at).has_value(); }});
    addTopStrip(plot(), [this](QPainter& painter) { paintPhases(frame(painter)); });
    addOverlay(plot(), [this](QPainter& painter) { paintPipelineOverlay(frame(painter), selection(), linkedStage()); });
}

void PipelineChart::setScheduleFile(const QString& name, const QString& said, bool wrong)
{
    m_strip->setFile(name, said, wrong);
    m_compareButton->setFile(name);
}

void PipelineChart::clearScheduleFile()
{
    m_strip->hide();
    m_compareButton->setFile({});
}

void PipelineChart::setComparisonChoices(const QStringList& names, int chosen)
{
    m_compareButton->setChoices(names, chosen);
}

void PipelineChart::setStep(const GanttStepPointer& step, Bytes capacity)
{
    const bool wasEmpty = isEmpty();
    const double before = m_scene.whole().high;
    const int stages = m_scene.index().stages();
    const RowView rowsBefore{m_scene.rows().height(), shownY()};
    m_rowsBefore = {};
    m_scene.show(step, capacity);
    m_marks->drop();
    if (m_scene.isEmpty()) {
        setEmpty(true);
        return;
    }
    const double now = m_scene.whole().high;
    const bool keepsPlace = !wasEmpty && isMoved() && stages == m_scene.index().stages() && before > 0
        && before < 4 * now && now < 4 * before;
    if (keepsPlace)
        m_rowsBefore = rowsBefore; // a comparison may follow
    sceneChanged(keepsPlace, rowsBefore.height);
}

void PipelineChart::clear(const QString& why)
{
    setEmptyText(why.isEmpty()
            ? tr("No schedule to show yet.\nComplete the plan on the left, or mend what the problems list names.")
            : why);
    setTimeline({});
}

void PipelineChart::setComparison(
    const QString& ownName, const QString& name, const GanttStepPointer& step, const QString& rowName)
{
    if (isEmpty() || step->index.empty())
        return;
    const bool keeps = m_scene.isComparing() || isMoved();
    const double before = m_scene.rows().height();
    m_marks->drop();
    m_scene.compare(ownName, {name, rowName.isEmpty() ? name : rowName, step});
    sceneChanged(keeps, before);
}

void PipelineChart::clearComparison()
{
    if (!m_scene.isComparing())
        return;
    const double before = m_scene.rows().height();
    m_marks->drop();
    m_rowsBefore = {};
    m_scene.endComparison();
    sceneChanged(isMoved(), before);
}

// The view that a person has moved stays where it is in time; its rows where there are as many as before.
void PipelineChart::sceneChanged(bool keepsView, double heightBefore)
{
    setLegend(legendOf(m_scene));
    setNote(noteOf(m_scene));
    setEmpty(false);
    relayout();
    if (!keepsView) {
        fit();
        return;
    }
    const double height = m_scene.rows().height();
    if (height != heightBefore)
        showRange(shownX(), height == m_rowsBefore.height ? m_rowsBefore.shown : rowsShown());
    replot();
}

void PipelineChart::relayout()
{
    m_foldButton->setChecked(m_scene.unfoldsNewStages());
    if (isEmpty())
        return;
    m_foldButton->setEnabled(m_scene.arrangement().canUnfold());
    std::vector<RowName> names;
    for (const GanttRow& row : m_scene.rows().all())
        names.push_back(
            {row.top + row.height / 2, row.height, rowName(m_scene, row), row.isWork() && row.timeline == 0});
    setRowTicks(*plot().yAxis, std::move(names), QFontMetricsF(plotFont()).height());
    const double end = m_scene.whole().high;
    const double height = m_scene.rows().height();
    setUnitTicks(*plot().xAxis, secondsUnit(end), true);
    setBounds({0, end * 1.005}, {0, height}, end * kShortestView, std::min(2.0, height));
}

GanttLayout PipelineChart::ganttLayout() const
{
    return {m_scene, {plot().axisRect()->rect(), shownX(), shownY()}};
}

int PipelineChart::topStage() const
{
    return ganttLayout().stageAt(plot().axisRect()->top() + 1.0);
}

void PipelineChart::setCriticalPathShown(bool shown)
{
    m_criticalShown = shown;
    replot();
}

Interval PipelineChart::rowsShown(std::optional<int> stage) const
{
    // Of the size to come: the axis rectangle follows with the next layout.
    const QMargins margins = plot().axisRect()->margins();
    return legibleRows(m_scene, plot().height() - margins.top() - margins.bottom(), stage);
}

void PipelineChart::setUnfolded(int stage, bool unfolded)
{
    const GanttArrangement& arrangement = m_scene.arrangement();
    if (isEmpty() || stage < 0 || stage >= arrangement.stages || arrangement.isUnfolded(stage) == unfolded)
        return;
    m_scene.setUnfolded(stage, unfolded);
    relayout();
    const Interval view = shownY();
    const Interval rows = m_scene.rows().extent(stage);
    const Interval all = rowsShown(stage);
    const bool visible = rows.low >= view.low && rows.high <= view.high && all.length() >= view.length();
    showRange(shownX(), visible && all.length() < m_scene.rows().height() ? view : all);
    replot();
}

void PipelineChart::setAllUnfolded(bool unfolded)
{
    const int first = isEmpty() ? 0 : std::max(topStage(), 0);
    m_scene.setAllUnfolded(unfolded);
    relayout();
    if (isEmpty())
        return;
    showRange(shownX(), rowsShown(first));
    replot();
}

void PipelineChart::fitView()
{
    if (isEmpty())
        return;
    Interval time = m_scene.whole();
    for (int timeline = 0; !m_wholeShown && timeline < m_scene.timelines(); ++timeline) {
        const Interval opening = m_scene.index(timeline).opening(plot().width() - kLabelPixels);
        time = timeline == 0 ? opening : Interval{time.low, std::max(time.high, opening.high)};
    }
    showRange(time, rowsShown());
}

void PipelineChart::fit()
{
    m_wholeShown = false;
    ChartView::fit();
}

void PipelineChart::fitAll()
{
    m_wholeShown = true;
    ChartView::fit();
}

void PipelineChart::restyle()
{
    QFont numbers = plotFont();
    numbers.setPointSizeF(numbers.pointSizeF() * 0.9);
    m_lanes.setFont(numbers);
    const int strip = std::max(kStripMargin, QFontMetrics(plotFont()).height() + 6);
    plot().axisRect()->setMinimumMargins(QMargins(2, strip, 8, 2));
    plot().xAxis->setBasePen(Qt::NoPen);
    plot().yAxis->setBasePen(Qt::NoPen);
    relayout();
}

void PipelineChart::pointerMoved(QPointF at)
{
    const GanttLayout layout = ganttLayout();
    m_marks->hover(layout.markAt(at));
    const int stage = layout.stageAt(at.y());
    if (layout.isBesidePlot(at) && m_scene.arrangement().canUnfold() && stage >= 0)
        plot().setCursor(Qt::PointingHandCursor);
    else if (edgeAt(layout, selection(), at) != GanttDrag::Kind::None)
        plot().setCursor(Qt::SizeHorCursor);
    else
        plot().unsetCursor();
    hoverStage(layout.isInPlot(at) ? stage : -1);
}

void PipelineChart::pointerClicked(QPointF at)
{
    const GanttLayout layout = ganttLayout();
    if (!layout.isBesidePlot(at))
        m_marks->select(layout.markAt(at));
    else if (const int stage = layout.stageAt(at.y()); stage >= 0 && m_scene.arrangement().canUnfold())
        setUnfolded(stage, !m_scene.arrangement().isUnfolded(stage));
}

// On a slice or a wait: zoom to it and its neighbours; elsewhere the usual fit.
bool PipelineChart::pointerDoubleClicked(QPointF at)
{
    if (at.x() < plot().axisRect()->left())
        return true; // two clicks on the name of a stage
    const auto ref = ganttLayout().markAt(at);
    if (!ref)
        return false;
    const GanttPlace place = m_scene.placeOf(*ref);
    const double width = std::max(place.time.length() * 8, m_scene.whole().high * kShortestView);
    if (width >= shownX().length())
        return false; // already this close: fit
    showTime({place.middle() - width / 2, place.middle() + width / 2});
    return true;
}

bool PipelineChart::keyPressed(QKeyEvent& event)
{
    return PipelineKeys(*this).press(event);
}

void PipelineChart::showTime(Interval time)
{
    setMoved();
    showRange(confined(time, m_scene.whole(), 0), shownY());
    replot();
}

std::function<void()> PipelineChart::explanationAt(QPointF at)
{
    const auto ref = ganttLayout().markAt(at);
    if (!ref)
        return nullptr;
    return [this, ref] { m_marks->select(ref, true); };
}

std::optional<QPointF> PipelineChart::pointedAt() const
{
    const auto pointed = selection().pointed();
    return pointed ? std::optional(ganttLayout().sliceRect(*pointed).center()) : std::nullopt;
}

// Of a long step: the area that is selected, or what is visible of it.
std::pair<QString, ChartTable> PipelineChart::readableTable() const
{
    const auto part = readablePart(m_scene, selection().area, shownX());
    return part ? *part : std::pair(title(), table());
}

} // namespace stratoplan::widgets
