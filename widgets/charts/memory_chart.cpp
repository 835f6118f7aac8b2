// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/memory_chart.h"

#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::widgets {

namespace {
constexpr double kAxisPixels = 48; // about what the axis and its label take of the height
constexpr int kManyStages = 16;
constexpr double kShortestTime = 1e-6; // of the step
/// "Peak memory of plans: A 61.2 GiB, B 70.3 GiB."
QString comparedPeaks(const MemoryView& view)
{
    QStringList parts;
    for (const Stack& stack : view.stacks)
        parts << MemoryChart::tr("%1 %2").arg(stack.label, stack.remark);
    return MemoryChart::tr("Peak memory of plans: %1.").arg(parts.join(QStringLiteral(", ")));
}

} // namespace

MemoryChart::MemoryChart(QWidget* parent)
    : ChartView(tr("Memory"),
        tr("No memory to show yet.\nComplete the plan on the left, or mend what the problems list names."), parent)
    , m_curves(plot())
{
    addToggle();
    plot().xAxis->grid()->setVisible(false);
    addMarks(plot(), [this](QPainter& painter) { paintColumns(painter); });
    addMarks(plot(), [this](QPainter& painter) {
        if (m_view && !m_overTime)
            columns().paintCapacity(painter);
    });
    addOverlay(plot(), [this](QPainter& painter) { paintHover(painter); });
    restyle();
}

void MemoryChart::setEstimate(const estimate::Estimate& estimate)
{
    setView(memoryView(estimate));
}

void MemoryChart::setView(std::optional<MemoryView> view)
{
    const std::size_t stages = m_view ? m_view->stacks.size() : 0;
    m_view = std::move(view);
    if (m_view)
        m_toggle->setVisible(!m_view->compares); // there are curves of one plan only
    m_hover.reset();
    if (!m_view)
        m_curves.set(nullptr);
    if (m_overTime && m_view && m_curves.view())
        return; // the curves of this estimate follow; until then those before stay
    present(!m_view || stages != m_view->stacks.size());
}

void MemoryChart::setTimeline(std::optional<estimate::MemoryTimeline> timeline, int chunks)
{
    auto curves = timeline && m_view ? memoryCurveView(std::move(*timeline), m_view->capacity, chunks) : std::nullopt;
    setCurves(curves ? std::make_shared<const MemoryCurveView>(std::move(*curves)) : nullptr);
}

void MemoryChart::setCurves(const std::shared_ptr<const MemoryCurveView>& curves)
{
    const double before = m_curves.view() ? m_curves.view()->timeline.makespan.value() : 0;
    m_curves.set(m_view ? curves : nullptr);
    m_curveHover.reset();
    if (!m_overTime)
        return;
    const double now = m_curves.view() ? m_curves.view()->timeline.makespan.value() : 0;
    present(!(before > 0) || now > 4 * before || before > 4 * now);
}

void MemoryChart::clear()
{
    m_view.reset();
    m_hover.reset();
    m_curves.set(nullptr);
    m_curveHover.reset();
    present(true);
}

void MemoryChart::addToggle()
{
    auto* action = new QAction(tr("Over time"), this);
    action->setCheckable(true);
    action->setToolTip(tr("Show the memory of the stages over the step, with the instant of the peak"));
    connect(action, &QAction::toggled, this, &MemoryChart::setOverTime);
    connect(this, &MemoryChart::overTimeChanged, action, &QAction::setChecked);
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("overTime"));
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setAccessibleName(tr("Memory over time"));
    addHeaderWidget(button);
    m_toggle = button;
}

void MemoryChart::setOverTime(bool overTime)
{
    if (overTime == m_overTime)
        return;
    m_overTime = overTime;
    m_hover.reset();
    m_curveHover.reset();
    hoverStage(-1);
    present(true);
    Q_EMIT overTimeChanged(overTime);
}

/// Shows what there is in the present mode, whole if `refit` or nobody has moved the view.
void MemoryChart::present(bool refit)
{
    const bool wasEmpty = isEmpty();
    setEmptyText(m_overTime && m_view
            ? tr("No curves to show yet.\nThe step has too many passes to be placed in time, or its schedule is not "
                 "simulated.")
            : tr("No memory to show yet.\nComplete the plan on the left, or mend what the problems list names."));
    if (!hasPicture()) {
        setEmpty(true);
        return;
    }
    setLegend(m_overTime ? m_curves.view()->legend : m_view->legend);
    setNote(bytesUnit(m_overTime ? m_curves.view()->largest : m_view->largest).name); // of one accelerator
    setEmpty(false);
    relayout();
    if (wasEmpty || refit || !isMoved())
        fit();
    else
        replot();
}

void MemoryChart::relayoutCurves()
{
    setUnitTicks(*plot().xAxis, secondsUnit(m_curves.view()->timeline.makespan.value()));
    setUnitTicks(*plot().yAxis, bytesUnit(m_curves.view()->largest));
    setAxisTexts(Qt::Horizontal, {secondsUnit(m_curves.view()->timeline.makespan.value()).name});
    updateBounds();
    setZoomDirections(Qt::Horizontal, Qt::Vertical);
}

void MemoryChart::relayout()
{
    if (!hasPicture())
        return;
    if (m_overTime)
        return relayoutCurves();
    std::vector<Category> columns;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i)
        columns.push_back({static_cast<double>(i), m_view->stacks[i].label, false});
    const QFontMetricsF metrics(plotFont());
    double widest = metrics.horizontalAdvance(QString::number(m_view->stacks.size()));
    for (const Category& column : columns)
        widest = std::max(widest, m_view->compares ? metrics.horizontalAdvance(column.name) : 0);
    setCategoryTicks(*plot().xAxis, std::move(columns), widest + 8);
    setUnitTicks(*plot().yAxis, bytesUnit(m_view->largest));
    setAxisTexts(Qt::Horizontal,
        m_view->compares ? QStringList{tr("fullest stage of each plan"), tr("plan")} : QStringList{tr("stage")});
    updateBounds();
    // With many stages a closer look is wanted along them, else along the bytes.
    const bool many = m_view->stacks.size() > kManyStages;
    setZoomDirections(many ? Qt::Horizontal : Qt::Vertical, many ? Qt::Vertical : Qt::Horizontal);
}

// Enough above the highest thing shown for the labels that stand on it.
double MemoryChart::top() const
{
    const QFontMetricsF metrics(plotFont());
    if (m_overTime) // two rows: the label of the peak above that of the capacity
        return m_curves.view()->largest
            / (1 - std::min(2 * (metrics.height() + 6) / std::max(plot().height() - kAxisPixels, 60.0), 0.6));
    const double labels =
        metrics.horizontalAdvance(columns().capacityText()) + metrics.horizontalAdvance(columns().peakText()) + 40;
    const double rows = m_view->compares ? 3 : labels < plot().width() - kAxisPixels ? 1 : 2;
    const double pixels = std::max(plot().height() - kAxisPixels, 60.0);
    return m_view->largest / (1 - std::min(rows * (metrics.height() + 5) / pixels, 0.6));
}

void MemoryChart::updateBounds()
{
    if (m_overTime) {
        const double end = m_curves.view()->timeline.makespan.value();
        setBounds({0, end}, {0, top()}, end * kShortestTime, m_curves.view()->largest * 0.02);
        return;
    }
    const auto stages = static_cast<double>(m_view->stacks.size());
    setBounds({-0.6, stages - 0.4}, {0, top()}, std::min(4.0, stages + 0.2), m_view->largest * 0.02);
}

void MemoryChart::fitView()
{
    if (!hasPicture())
        return;
    updateBounds(); // the room for the labels depends on the size
    if (m_overTime)
        return showRange({0, m_curves.view()->timeline.makespan.value()}, {0, top()});
    showRange({-0.6, static_cast<double>(m_view->stacks.size()) - 0.4}, {0, top()});
}

void MemoryChart::pointerMoved(QPointF at)
{
    if (m_overTime)
        setCurveHover(m_curves.hitAt(at));
    else
        setHover(segmentAt(at));
}

void MemoryChart::pointerLeft()
{
    setCurveHover(std::nullopt);
    setHover(std::nullopt);
}

void MemoryChart::setHover(std::optional<Hit> hit)
{
    if (hit == m_hover)
        return;
    m_hover = hit;
    hoverStage(hit ? static_cast<int>(hit->stage) : -1);
    replotOverlay(plot());
}

void MemoryChart::setCurveHover(std::optional<MemoryCurves::Hit> hit)
{
    if (hit == m_curveHover)
        return;
    m_curveHover = hit;
    hoverStage(hit ? hit->stage : -1);
    replotOverlay(plot());
}

void MemoryChart::pointerClicked(QPointF at)
{
    if (const auto explain = explanationAt(at))
        explain();
}

std::function<void()> MemoryChart::explanationAt(QPointF at)
{
    if (m_overTime) {
        const auto place = m_curves.hitAt(at);
        if (!place)
            return nullptr;
        return [this, stage = place->stage] { Q_EMIT stageClicked(stage); };
    }
    const auto hit = segmentAt(at);
    if (!hit)
        return nullptr;
    return [this, stage = static_cast<int>(hit->stage)] { Q_EMIT stageClicked(stage); };
}

std::optional<QPointF> MemoryChart::pointedAt() const
{
    if (m_overTime)
        return m_curveHover ? std::optional(m_curves.pixelOf(*m_curveHover)) : std::nullopt;
    return m_hover ? std::optional(segmentRect(*m_hover).center()) : std::nullopt;
}

void MemoryChart::extendMenu(QMenu& menu)
{
    if (m_view && m_view->compares)
        return;
    QAction* overTime = menu.addAction(tr("Show memory over time"));
    overTime->setCheckable(true);
    overTime->setChecked(m_overTime);
    connect(overTime, &QAction::toggled, this, &MemoryChart::setOverTime);
}

// Left and right walk along the steps of a curve, up and down to the next stage drawn; the first key goes to the peak.
bool MemoryChart::curveKeyPressed(int key)
{
    const int along = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int across = key == Qt::Key_Up ? -1 : key == Qt::Key_Down ? 1 : 0;
    if (!m_curves.view() || (along == 0 && across == 0))
        return false;
    MemoryCurves::Hit next = m_curveHover.value_or(m_curves.peak());
    if (m_curveHover && along != 0)
        next = m_curves.stepped(next, along);
    if (m_curveHover && across != 0) {
        const std::vector<int>& drawn = m_curves.view()->drawn;
        const auto column = std::lower_bound(drawn.begin(), drawn.end(), next.stage) - drawn.begin();
        next.stage = drawn[stepped(static_cast<std::size_t>(column), across, drawn.size())];
    }
    setCurveHover(next);
    announce(m_curves.pixelOf(next), m_curves.toolTipOf(next));
    return true;
}

// Left and right walk along the stages, up and down within one; Enter explains.
bool MemoryChart::keyPressed(QKeyEvent& event)
{
    const int key = event.key();
    if (m_overTime && (key == Qt::Key_Return || key == Qt::Key_Enter) && m_curveHover) {
        Q_EMIT stageClicked(m_curveHover->stage);
        return true;
    }
    if (m_overTime)
        return event.modifiers() == Qt::NoModifier && curveKeyPressed(key);
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_hover) {
        Q_EMIT stageClicked(static_cast<int>(m_hover->stage));
        return true;
    }
    const int along = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int upward = key == Qt::Key_Up ? 1 : key == Qt::Key_Down ? -1 : 0;
    if (!m_view || event.modifiers() != Qt::NoModifier || (along == 0 && upward == 0))
        return false;
    Hit next = m_hover.value_or(Hit{});
    if (m_hover) {
        next.stage = stepped(next.stage, along, m_view->stacks.size());
        next.segment = stepped(next.segment, upward, m_view->stacks[next.stage].segments.size());
    }
    setHover(next);
    announce(segmentRect(next).center(), columns().toolTipOf(next));
    return true;
}

void MemoryChart::restyle()
{
    plot().yAxis->setBasePen(Qt::NoPen);
    relayout();
}

QString MemoryChart::description() const
{
    if (!hasPicture())
        return emptyText();
    if (m_overTime)
        return m_curves.description();
    if (m_view->compares)
        return comparedPeaks(*m_view);
    return tr("Peak memory %1 of %2 at stage %3 of %4; %5.")
        .arg(text(m_view->peak), text(m_view->capacity))
        .arg(m_view->peakStage)
        .arg(m_view->stacks.size())
        .arg(m_view->fits ? tr("it fits") : tr("it does not fit"));
}

QString MemoryChart::toolTipAt(QPointF at) const
{
    if (m_overTime) {
        const auto place = m_curves.hitAt(at);
        return place ? m_curves.toolTipOf(*place) : QString();
    }
    const auto hit = segmentAt(at);
    return hit ? columns().toolTipOf(*hit) : QString();
}

MemoryColumns MemoryChart::columns() const
{
    return {plot(), *m_view, look(), plotFont()};
}

QRectF MemoryChart::segmentRect(Hit segment) const
{
    return m_view ? columns().segmentRect(segment) : QRectF();
}

std::optional<MemoryColumns::Hit> MemoryChart::segmentAt(QPointF at) const
{
    return m_view ? columns().segmentAt(at) : std::nullopt;
}

MemoryColumns::Labels MemoryChart::labels() const
{
    return m_view ? columns().labels() : MemoryColumns::Labels();
}

ChartTable MemoryChart::table() const
{
    if (m_overTime)
        return m_curves.table();
    return m_view ? columns().table() : ChartTable{{tr("Stage")}, {}};
}

void MemoryChart::paintColumns(QPainter& painter) const
{
    if (m_overTime)
        m_curves.paint(painter, look(), plotFont());
    else if (m_view)
        columns().paint(painter);
}

void MemoryChart::paintHover(QPainter& painter) const
{
    if (m_overTime)
        m_curves.paintHover(painter, look(), m_curveHover ? m_curveHover->stage : linkedStage(), m_curveHover);
    else if (m_view)
        columns().paintHover(painter, linkedStage(), m_hover);
}

} // namespace stratoplan::widgets
