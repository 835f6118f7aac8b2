// SPDX-License-Identifier: GPL-3.0-or-later
// What the pipeline chart shows, and how much of it.
#include "widgets/charts/pipeline_chart.h"

#include "widgets/charts/gantt_plottable.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/charts/schedule_strip.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/text.h"
#include "widgets/style/icons.h"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kLabelPixels = 60; // about what the names of the stages take of the width
constexpr double kLegiblePair = 11; // pixels of a row of work beside another
constexpr double kLegibleLanes = 20; // of one above its lanes
constexpr int kStripMargin = 22; // above the plot, for the phases
} // namespace

PipelineChart::PipelineChart(QWidget* parent)
    : ChartView(tr("Pipeline"), QString(), parent)
{
    clear();
    makeHeader();
    plot().yAxis->setRangeReversed(true);
    plot().yAxis->grid()->setVisible(false);
    plot().xAxis->grid()->setVisible(false);
    plot().axisRect()->setMinimumMargins(QMargins(2, kStripMargin, 8, 2));
    setZoomDirections(Qt::Horizontal, Qt::Vertical);
    addGanttPlottable(plot(),
        {[this](QPainter& painter, bool vector) { paintLanes(painter, vector); }, [this] { return whole(); },
            [this] {
                return Interval{0, m_rows.height()};
            },
            [this](QPointF at) { return refAt(at).has_value(); }});
    addTopStrip(plot(), [this](QPainter& painter) { paintStrip(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintOverlay(painter); });
    restyle();
}

void PipelineChart::makeHeader()
{
    m_compareButton = new QToolButton;
    m_compareButton->setAutoRaise(true);
    m_compareButton->setIcon(icon(QStringLiteral("compare")));
    m_compareButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_compareButton->setPopupMode(QToolButton::InstantPopup);
    m_compareButton->setMenu(new QMenu(m_compareButton));
    m_compareButton->setToolTip(tr("Show another schedule on the same axis"));
    setComparisonChoices({}, -1);
    m_foldButton = new QToolButton;
    m_foldButton->setAutoRaise(true);
    m_foldButton->setCheckable(true);
    m_foldButton->setIcon(icon(QStringLiteral("layout")));
    m_foldButton->setToolTip(tr("Unfold the communication and the memory of all stages (Shift+E)"));
    m_foldButton->setAccessibleName(tr("Unfold all stages"));
    connect(m_foldButton, &QToolButton::clicked, this, &PipelineChart::setAllUnfolded);
    m_fitButton = new QToolButton;
    m_fitButton->setAutoRaise(true);
    m_fitButton->setIcon(icon(QStringLiteral("fit")));
    m_fitButton->setToolTip(tr("Show the whole step (Shift+F)"));
    m_fitButton->setAccessibleName(tr("Show the whole step"));
    connect(m_fitButton, &QToolButton::clicked, this, &PipelineChart::fitAll);
    for (QToolButton* button : {m_compareButton, m_foldButton, m_fitButton})
        addHeaderWidget(button);
    m_strip = new ScheduleStrip;
    connect(m_strip, &ScheduleStrip::reloadWanted, this, &PipelineChart::scheduleFileReloadWanted);
    connect(m_strip, &ScheduleStrip::closeWanted, this, &PipelineChart::scheduleFileCloseWanted);
    addLine(m_strip);
}

void PipelineChart::setScheduleFile(const QString& name, const QString& said, bool wrong)
{
    m_strip->setFile(name, said, wrong);
    if (name == m_scheduleFile)
        return;
    m_scheduleFile = name;
    fillCompareMenu();
}

void PipelineChart::clearScheduleFile()
{
    m_strip->hide();
    if (m_scheduleFile.isEmpty())
        return;
    m_scheduleFile.clear();
    fillCompareMenu();
}

void PipelineChart::setComparisonChoices(const QStringList& names, int chosen)
{
    if (names == m_choices && chosen == m_choice && !m_compareButton->text().isEmpty())
        return; // its menu may be open
    m_choices = names;
    m_choice = chosen;
    fillCompareMenu();
}

void PipelineChart::fillCompareMenu()
{
    const bool ofFile = !m_scheduleFile.isEmpty();
    const bool any = !ofFile && m_choice >= 0 && m_choice < m_choices.size();
    m_compareButton->setVisible(!m_choices.isEmpty() || ofFile);
    m_compareButton->setText(ofFile ? tr("Compared: file")
            : any                   ? tr("Compared: %1").arg(m_choices[m_choice])
                                    : tr("Compare with"));
    m_compareButton->setAccessibleName(m_compareButton->text());
    QMenu& menu = *m_compareButton->menu();
    menu.clear();
    delete menu.findChild<QActionGroup*>();
    auto* group = new QActionGroup(&menu);
    const auto add = [&](const QString& text, int choice) {
        QAction* action = menu.addAction(text);
        action->setCheckable(true);
        group->addAction(action);
        action->setChecked(!ofFile && choice == m_choice);
        connect(action, &QAction::triggered, this, [this, choice] { Q_EMIT comparisonWanted(choice); });
    };
    add(tr("Nothing"), -1);
    menu.addSeparator();
    for (int i = 0; i < m_choices.size(); ++i)
        add(m_choices[i], i);
    menu.addSeparator();
    if (ofFile) {
        QAction* file = menu.addAction(tr("File %1").arg(QString(m_scheduleFile).replace(u'&', QStringLiteral("&&"))));
        file->setCheckable(true);
        group->addAction(file);
        file->setChecked(true);
    }
    connect(menu.addAction(ofFile ? tr("Another schedule file…") : tr("Schedule from a file…")), &QAction::triggered,
        this, &PipelineChart::scheduleFileWanted);
}

void PipelineChart::setTimeline(Timeline timeline, std::optional<MemoryTimeline> memory, Bytes capacity)
{
    setStep(ganttStep(std::move(timeline), std::move(memory), capacity), capacity);
}

void PipelineChart::setStep(const GanttStepPointer& step, Bytes capacity)
{
    const bool wasEmpty = isEmpty();
    const Interval before = whole();
    const int stages = index().stages();
    const RowView rowsBefore{m_rows.height(), shownY()};
    m_rowsBefore = {};
    m_steps[1] = {};
    m_difference.reset();
    m_steps[0].step = step;
    m_capacity = capacity;
    dropMarks();
    if (index().empty()) {
        m_rows = {};
        setEmpty(true);
        return;
    }
    describe();
    setEmpty(false);
    arrange();
    const double now = whole().high;
    const bool keepsPlace = !wasEmpty && isMoved() && stages == index().stages() && before.high > 0
        && before.high < 4 * now && now < 4 * before.high;
    if (!keepsPlace) {
        fit();
        return;
    }
    m_rowsBefore = rowsBefore; // a comparison may follow
    keepRows(rowsBefore.height);
}

// The view that a person has moved stays where it is in time; its rows where there are as many as before.
void PipelineChart::keepRows(double heightBefore)
{
    if (m_rows.height() != heightBefore)
        showRange(shownX(), m_rows.height() == m_rowsBefore.height ? m_rowsBefore.shown : rowsShown(std::nullopt));
    replot();
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
    const bool wasComparing = isComparing();
    const double before = m_rows.height();
    dropMarks();
    m_steps[0].name = ownName;
    m_steps[1] = {name, rowName.isEmpty() ? name : rowName, step};
    m_difference = compareWaits(index().timeline(), index(1).timeline());
    describe();
    setEmpty(false);
    arrange();
    if (wasComparing || isMoved())
        keepRows(before);
    else
        fit();
}

void PipelineChart::clearComparison()
{
    if (!isComparing())
        return;
    const double before = m_rows.height();
    dropMarks();
    m_rowsBefore = {};
    m_steps[1] = {};
    m_difference.reset();
    describe();
    setEmpty(false);
    arrange();
    if (isMoved())
        keepRows(before);
    else
        fit();
}

void PipelineChart::describe()
{
    setLegend(legendEntries());
    if (!m_difference) {
        setNote(QStringLiteral("%1 · %2").arg(extentText(), m_steps[0].step->summary));
        return;
    }
    const WaitDifference& d = *m_difference;
    setNote(tr("%1 %2 · %3 %4 (%5) · waits of all stages %6")
                .arg(m_steps[0].name, text(d.firstStep), m_steps[1].name, text(d.secondStep),
                    shareChangeText(d.firstStep, d.secondStep), changeText(d.first, d.second)));
}

std::vector<LegendEntry> PipelineChart::legendEntries() const
{
    std::vector<LegendEntry> entries = m_steps[0].step->legend;
    for (const LegendEntry& entry : m_steps[1].step->legend) {
        if (std::find(entries.begin(), entries.end(), entry) == entries.end())
            entries.push_back(entry);
    }
    if (!index().criticalPath().empty())
        entries.push_back({tr("critical path"), Mark::Activations, Pattern::Solid, LegendEntry::Shape::Line});
    return entries;
}

Interval PipelineChart::whole() const
{
    if (index().empty())
        return {0, 0};
    return {0, std::max(index().whole().high, m_difference ? index(1).whole().high : 0.0)};
}

// Which rows there are: after a change of what is shown or unfolded.
void PipelineChart::arrange()
{
    m_arrangement.stages = index().stages();
    m_arrangement.compared = isComparing();
    for (std::size_t i = 0; i < kLaneKinds; ++i)
        m_arrangement.lanes[i] =
            index().uses(static_cast<LaneKind>(i)) || (m_difference && index(1).uses(static_cast<LaneKind>(i)));
    const MemoryTimeline* memory = m_steps[0].step->memory();
    m_arrangement.memory = memory && memory->stages.size() == static_cast<std::size_t>(m_arrangement.stages);
    m_arrangement.unfolded.resize(static_cast<std::size_t>(m_arrangement.stages), m_foldButton->isChecked());
    m_rows = GanttRows(m_arrangement);
    scaleMemory();
    m_foldButton->setEnabled(m_arrangement.canUnfold());
    relayout();
}

// From the least that any stage ever holds to the most, or to the capacity where that is near: what is there all the
// time would leave no room for what is in flight.
void PipelineChart::scaleMemory()
{
    m_memoryScale = {0, 0};
    for (const Step& each : m_steps) {
        const Interval& held = each.step->held;
        if (!(held.high > 0))
            continue;
        m_memoryScale.low = m_memoryScale.high > 0 ? std::min(m_memoryScale.low, held.low) : held.low;
        m_memoryScale.high = std::max(m_memoryScale.high, held.high);
    }
    const double range = m_memoryScale.length();
    if (m_capacity.value() > m_memoryScale.high && m_capacity.value() - m_memoryScale.high < range)
        m_memoryScale.high = m_capacity.value();
    m_memoryScale.low =
        std::max(0.0, m_memoryScale.low - 0.15 * std::max(m_memoryScale.length(), 0.01 * m_memoryScale.high));
}

void PipelineChart::relayout()
{
    if (isEmpty())
        return;
    std::vector<RowName> names;
    for (const GanttRow& row : m_rows.all()) {
        const bool main = row.isWork() && row.timeline == 0;
        QString name = main                      ? tr("stage %1").arg(row.stage)
            : row.isWork()                       ? m_steps[1].rowName
            : row.kind == GanttRow::Kind::Memory ? tr("memory")
                                                 : nameOf(row.lane);
        if (main && m_arrangement.canUnfold()) // behind the name, where all of them are one below the other
            name += isUnfolded(row.stage) ? QStringLiteral(" ▾") : QStringLiteral(" ▸");
        names.push_back({row.top + row.height / 2, row.height, std::move(name), main});
    }
    setRowTicks(*plot().yAxis, std::move(names), QFontMetricsF(plotFont()).height());
    setUnitTicks(*plot().xAxis, secondsUnit(whole().high), true);
    setBounds(
        {0, whole().high * 1.005}, {0, m_rows.height()}, whole().high * kShortestView, std::min(2.0, m_rows.height()));
}

void PipelineChart::setCriticalPathShown(bool shown)
{
    m_criticalShown = shown;
    replot();
}

// Pixels that a row of work needs; 0: all stages are to be seen, however low.
double PipelineChart::legibleRow() const
{
    const bool unfolded =
        std::find(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), true) != m_arrangement.unfolded.end();
    return unfolded && m_arrangement.canUnfold() ? kLegibleLanes : isComparing() ? kLegiblePair : 0;
}

// All rows as long as they are legible; else from the rows of `stage` on, or from the first.
Interval PipelineChart::rowsShown(std::optional<int> stage) const
{
    const double least = legibleRow();
    // Of the size to come: the axis rectangle follows with the next layout.
    const QMargins margins = plot().axisRect()->margins();
    const double room =
        least > 0 ? std::max((plot().height() - margins.top() - margins.bottom()) / least, 2.0) : m_rows.height();
    if (m_rows.height() <= room)
        return {0, m_rows.height()};
    const double top = stage ? std::min(m_rows.extent(*stage).low, m_rows.height() - room) : 0;
    return {top, top + room};
}

void PipelineChart::setUnfolded(int stage, bool unfolded)
{
    if (isEmpty() || stage < 0 || stage >= m_arrangement.stages || isUnfolded(stage) == unfolded)
        return;
    m_arrangement.unfolded[static_cast<std::size_t>(stage)] = unfolded;
    m_foldButton->setChecked(
        std::find(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), false) == m_arrangement.unfolded.end());
    arrange();
    const Interval view = shownY();
    const Interval rows = m_rows.extent(stage);
    const Interval all = rowsShown(stage);
    const bool visible = rows.low >= view.low && rows.high <= view.high && all.length() >= view.length();
    showRange(shownX(), visible && all.length() < m_rows.height() ? view : all);
    replot();
}

void PipelineChart::setAllUnfolded(bool unfolded)
{
    m_foldButton->setChecked(unfolded);
    if (isEmpty())
        return;
    std::fill(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), unfolded);
    const int first = std::max(stageAt(plot().axisRect()->top() + 1.0), 0);
    arrange();
    showRange(shownX(), rowsShown(first));
    replot();
}

void PipelineChart::fitView()
{
    if (isEmpty())
        return;
    Interval time = whole();
    if (!m_wholeShown) {
        time = index().opening(plot().width() - kLabelPixels);
        if (m_difference)
            time.high = std::max(time.high, index(1).opening(plot().width() - kLabelPixels).high);
    }
    showRange(time, rowsShown(std::nullopt));
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

std::optional<std::uint32_t> PipelineChart::selected() const
{
    return m_selected && m_selected->timeline == 0 && !m_selected->isWait ? std::optional(m_selected->slice)
                                                                          : std::nullopt;
}

void PipelineChart::restyle()
{
    QFont numbers = plotFont();
    numbers.setPointSizeF(numbers.pointSizeF() * 0.9);
    m_painter.setFont(numbers);
    plot().xAxis->setBasePen(Qt::NoPen);
    plot().yAxis->setBasePen(Qt::NoPen);
    relayout();
}

} // namespace stratoplan
