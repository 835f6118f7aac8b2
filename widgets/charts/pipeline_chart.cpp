// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_chart.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"
#include "widgets/style/icons.h"

#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kThickness = 0.78;   // of a row
constexpr double kTallestLane = 26;   // pixels
constexpr double kSmallestText = 13;  // lane height from which numbers are drawn
constexpr double kTextMargin = 3;
constexpr double kGapFrom = 6;        // slices this wide are set apart by a line of background
constexpr double kLabelPixels = 60;   // about what the names of the stages take of the width
constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.12;
constexpr double kShortestView = 1e-6; // of the makespan
} // namespace

PipelineChart::PipelineChart(QWidget* parent)
    : ChartView(tr("Pipeline"), tr("No schedule to show yet.\nComplete the plan on the left, or mend what the problems list names. More than five million slices are not drawn."), parent)
{
    m_fitButton = new QToolButton;
    m_fitButton->setAutoRaise(true);
    m_fitButton->setIcon(icon(QStringLiteral("fit")));
    m_fitButton->setText(tr("Fit all"));
    m_fitButton->setToolTip(tr("Show the whole step (Shift+F)"));
    m_fitButton->setAccessibleName(tr("Show the whole step"));
    connect(m_fitButton, &QToolButton::clicked, this, &PipelineChart::fitAll);
    addHeaderWidget(m_fitButton);
    plot().yAxis->setRangeReversed(true);
    plot().yAxis->grid()->setVisible(false);
    plot().xAxis->grid()->setVisible(false);
    setZoomDirections(Qt::Horizontal, Qt::Vertical);
    addMarks(plot(), [this](QPainter& painter) { paintLanes(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintOverlay(painter); });
    restyle();
}

void PipelineChart::setTimeline(Timeline timeline)
{
    const bool wasEmpty = isEmpty();
    const Interval before = m_index.empty() ? Interval{} : m_index.whole();
    const int stages = m_index.stages();
    m_index = GanttIndex(std::move(timeline));
    m_hover.reset();
    if (m_selected) {
        m_selected.reset();
        Q_EMIT selectionCleared();
    }
    if (m_index.empty()) {
        setEmpty(true);
        return;
    }
    setLegend(ganttLegend(m_index.timeline()));
    setNote(QStringLiteral("%1 · %2").arg(extentText(), summary(m_index.timeline())));
    setEmpty(false);
    relayout();
    const bool keepsPlace = !wasEmpty && isMoved() && stages == m_index.stages() && before.high > 0 && before.high < 4 * m_index.whole().high
        && m_index.whole().high < 4 * before.high;
    if (keepsPlace)
        replot();
    else
        fit();
}

void PipelineChart::clear()
{
    setTimeline({});
}

void PipelineChart::relayout()
{
    if (m_index.empty())
        return;
    std::vector<Category> rows;
    for (int i = 0; i < m_index.stages(); ++i)
        rows.push_back({static_cast<double>(i), tr("stage %1").arg(i), false});
    setCategoryTicks(*plot().yAxis, std::move(rows), QFontMetricsF(plotFont()).height());
    const Interval whole = m_index.whole();
    setUnitTicks(*plot().xAxis, secondsUnit(whole.high), true);
    setBounds({0, whole.high * 1.005}, {-0.5, m_index.stages() - 0.5}, whole.high * kShortestView, std::min(2.0, static_cast<double>(m_index.stages())));
}

void PipelineChart::fitView()
{
    if (m_index.empty())
        return;
    showRange(m_wholeShown ? m_index.whole() : m_index.opening(plot().width() - kLabelPixels), {-0.5, m_index.stages() - 0.5});
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

void PipelineChart::showTime(Interval time)
{
    showRange(time, shownY());
    replot();
}

PipelineChart::Lane PipelineChart::lane(int stage) const
{
    const QCPAxis* axis = plot().yAxis;
    const double row = std::abs(axis->coordToPixel(1) - axis->coordToPixel(0));
    const double height = std::max(row > 6 ? std::round(std::min(row * kThickness, kTallestLane)) : std::round(row), 1.0);
    return {std::round(axis->coordToPixel(stage) - height / 2), height};
}

double PipelineChart::stripHeight(const Lane& lane) const
{
    return lane.height >= kSmallestText ? 3 : 0;
}

int PipelineChart::stageAt(double y) const
{
    const int stage = static_cast<int>(std::lround(plot().yAxis->pixelToCoord(y)));
    if (stage < 0 || stage >= m_index.stages())
        return -1;
    const Lane l = lane(stage);
    return y >= l.top && y <= l.top + l.height ? stage : -1;
}

QRectF PipelineChart::sliceRect(std::uint32_t slice) const
{
    const Slice& s = m_index.slice(slice);
    const double left = plot().xAxis->coordToPixel(s.start);
    const double right = plot().xAxis->coordToPixel(static_cast<double>(s.start) + s.duration);
    const Lane l = lane(s.stage);
    const double strip = stripHeight(l);
    if (isTransfer(s.kind))
        return {left, l.top + l.height - strip, right - left, strip};
    return {left, l.top, right - left, l.height};
}

std::optional<std::uint32_t> PipelineChart::sliceAt(QPointF at) const
{
    if (m_index.empty() || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    const int stage = stageAt(at.y());
    if (stage < 0)
        return std::nullopt;
    const double seconds = plot().xAxis->pixelToCoord(at.x());
    const Lane l = lane(stage);
    if (at.y() > l.top + l.height - stripHeight(l)) {
        if (const auto transfer = m_index.at(stage, seconds, true))
            return transfer;
    }
    return m_index.at(stage, seconds);
}

QFont PipelineChart::numberFont() const
{
    QFont f = plotFont();
    f.setPointSizeF(f.pointSizeF() * 0.9);
    return f;
}

const QStaticText& PipelineChart::number(int microBatch)
{
    const auto wanted = static_cast<std::size_t>(microBatch);
    while (m_numbers.size() <= wanted) {
        QStaticText label(QString::number(m_numbers.size()));
        label.setTextFormat(Qt::PlainText);
        label.setPerformanceHint(QStaticText::AggressiveCaching);
        label.prepare({}, numberFont());
        m_numbers.push_back(std::move(label));
    }
    return m_numbers[wanted];
}

void PipelineChart::paintLanes(QPainter& painter)
{
    m_drawnMarks = m_drawnLabels = 0;
    if (m_index.empty())
        return;
    const QRectF plotRect(plot().axisRect()->rect());
    for (int stage = 0; stage < m_index.stages(); ++stage) {
        const Lane l = lane(stage);
        if (l.top + l.height >= plotRect.top() && l.top <= plotRect.bottom())
            paintStage(painter, stage, plotRect);
    }
}

void PipelineChart::paintStage(QPainter& painter, int stage, const QRectF& plotRect)
{
    const Tokens& t = look();
    const Interval view = shownX();
    const Lane l = lane(stage);
    const double strip = stripHeight(l);
    const double digit = QFontMetricsF(numberFont()).horizontalAdvance(u'0');
    painter.setFont(numberFont());
    // The empty lane is the wait; it ends with the step.
    const double end = std::min(plotRect.right() + 1, plot().xAxis->coordToPixel(m_index.whole().high));
    painter.fillRect(QRectF(plotRect.left(), l.top, std::max(0.0, end - plotRect.left()), l.height), t.sunken);
    for (const GanttMark& mark : m_index.marks(m_index.work(stage), view, plotRect.width())) {
        const Slice& s = m_index.slice(mark.slice);
        const double left = plotRect.left() + (mark.merged ? mark.left : std::round(mark.left));
        double right = plotRect.left() + (mark.merged ? mark.right : std::round(mark.right));
        const double width = static_cast<double>(mark.right) - mark.left; // not rounded: equal slices are treated alike
        if (width >= kGapFrom)
            right -= 1;
        const QRectF r(left, l.top, std::max(right - left, 0.35), l.height);
        paintMark(painter, r, markOf(s.kind), patternOf(s.kind), t);
        ++m_drawnMarks;
        if (s.microBatch < 0 || l.height < kSmallestText || s.kind == SliceKind::Recompute || s.kind == SliceKind::WeightGradient || width < digit + kTextMargin)
            continue;
        const QStaticText& label = number(s.microBatch);
        const QRectF visible = r.intersected(plotRect);
        const int digits = s.microBatch < 10 ? 1 : s.microBatch < 100 ? 2 : s.microBatch < 1000 ? 3 : 5;
        if (digits * digit + kTextMargin > std::min(width, visible.width() + 1))
            continue;
        painter.setPen(t.label(t.mark(markOf(s.kind))));
        const QPointF at(visible.center().x() - label.size().width() / 2, l.top + (l.height - label.size().height()) / 2);
        painter.drawStaticText(QPointF(std::round(at.x()), std::round(at.y())), label);
        ++m_drawnLabels;
    }
    if (strip <= 0)
        return;
    for (const GanttMark& mark : m_index.marks(m_index.transfers(stage), view, plotRect.width())) {
        const double width = std::max(static_cast<double>(mark.right - mark.left), 1.0);
        painter.fillRect(QRectF(plotRect.left() + mark.left, l.top + l.height - strip, width, strip), t.mark(Mark::Hidden));
        ++m_drawnMarks;
    }
}

void PipelineChart::paintKin(QPainter& painter, const Slice& of) const
{
    if (of.microBatch < 0)
        return;
    const Interval view = shownX();
    const double pixelsPerSecond = plot().axisRect()->width() / view.length();
    painter.setPen(QPen(look().text, 1));
    painter.setBrush(Qt::NoBrush);
    for (int stage = 0; stage < m_index.stages(); ++stage) {
        const GanttLane& lane = m_index.work(stage);
        const GanttIndex::Range range = m_index.visible(lane, view.low, view.high);
        for (std::size_t k = range.first; k < range.last; ++k) {
            const Slice& s = m_index.slice(lane.slices[k]);
            if (s.microBatch == of.microBatch && s.duration * pixelsPerSecond >= 1.5)
                painter.drawRect(sliceRect(lane.slices[k]).adjusted(0.5, 0.5, -1.5, -0.5));
        }
    }
}

void PipelineChart::paintOverlay(QPainter& painter) const
{
    if (m_index.empty())
        return;
    if (linkedStage() >= 0 && linkedStage() < m_index.stages()) {
        const QRectF plotRect(plot().axisRect()->rect());
        const Lane l = lane(linkedStage());
        painter.setPen(QPen(look().accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(plotRect.left() + 1, l.top - 1.5, plotRect.width() - 2, l.height + 3));
    }
    if (m_hover)
        paintKin(painter, m_index.slice(*m_hover));
    if (m_selected) {
        const QRectF r = sliceRect(*m_selected).adjusted(0, 0, -1, 0);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(look().surface, 1));
        painter.drawRect(r.adjusted(2.5, 2.5, -2.5, -2.5));
        painter.setPen(QPen(look().selection, 2));
        painter.drawRect(r.adjusted(1, 1, -1, -1));
    }
}

void PipelineChart::setHover(std::optional<std::uint32_t> slice)
{
    if (slice == m_hover)
        return;
    m_hover = slice;
    replotOverlay(plot());
}

void PipelineChart::select(std::optional<std::uint32_t> slice)
{
    if (slice == m_selected || (slice && *slice >= m_index.timeline().slices.size()))
        return;
    m_selected = slice;
    replotOverlay(plot());
    if (slice)
        Q_EMIT sliceSelected(m_index.slice(*slice));
    else
        Q_EMIT selectionCleared();
}

void PipelineChart::pointerMoved(QPointF at)
{
    setHover(sliceAt(at));
    const bool inside = !m_index.empty() && plot().axisRect()->rect().contains(at.toPoint());
    hoverStage(inside ? stageAt(at.y()) : -1);
}

std::function<void()> PipelineChart::explanationAt(QPointF at)
{
    const auto slice = sliceAt(at);
    if (!slice)
        return nullptr;
    return [this, slice] {
        if (m_selected == slice)
            Q_EMIT sliceSelected(m_index.slice(*slice));
        else
            select(slice);
    };
}

std::optional<QPointF> PipelineChart::pointedAt() const
{
    const auto pointed = m_selected ? m_selected : m_hover;
    return pointed ? std::optional(sliceRect(*pointed).center()) : std::nullopt;
}

void PipelineChart::pointerLeft()
{
    setHover(std::nullopt);
}

void PipelineChart::pointerClicked(QPointF at)
{
    select(sliceAt(at));
}

// On a slice: zoom to it and its neighbours; elsewhere the usual fit.
bool PipelineChart::pointerDoubleClicked(QPointF at)
{
    const auto slice = sliceAt(at);
    if (!slice)
        return false;
    const Slice& s = m_index.slice(*slice);
    const double width = std::max(static_cast<double>(s.duration) * 8, m_index.whole().high * kShortestView);
    const double middle = static_cast<double>(s.start) + s.duration / 2.0;
    const double current = shownX().length();
    if (width >= current)
        return false; // already this close: fit
    zoom(Qt::Horizontal, current / width, at.x());
    showTime(confined({middle - width / 2, middle + width / 2}, m_index.whole(), 0));
    return true;
}

void PipelineChart::step(int direction)
{
    if (!m_selected) {
        if (!m_index.work(0).slices.empty())
            select(m_index.work(0).slices.front());
        return;
    }
    const Slice& s = m_index.slice(*m_selected);
    const auto& slices = isTransfer(s.kind) ? m_index.transfers(s.stage).slices : m_index.work(s.stage).slices;
    const auto at = std::find(slices.begin(), slices.end(), *m_selected) - slices.begin() + direction;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(slices.size()))
        return;
    select(slices[static_cast<std::size_t>(at)]);
    const Slice& now = m_index.slice(*m_selected);
    const Interval view = shownX();
    if (now.start < view.low || now.start + now.duration > view.high)
        pan(Qt::Horizontal, (now.start + now.duration / 2.0 - (view.low + view.high) / 2) / view.length());
}

bool PipelineChart::keyPressed(QKeyEvent& event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        return false; // a command of the window
    const QRect rect = plot().axisRect()->rect();
    const double pointer = plot().mapFromGlobal(QCursor::pos()).x();
    const double anchor = pointer > rect.left() && pointer < rect.right() ? pointer : rect.center().x();
    switch (event.key()) {
    case Qt::Key_W:
        zoom(Qt::Horizontal, kKeyZoom, anchor);
        return true;
    case Qt::Key_S:
        zoom(Qt::Horizontal, 1 / kKeyZoom, anchor);
        return true;
    case Qt::Key_A:
        pan(Qt::Horizontal, -kKeyPan);
        return true;
    case Qt::Key_D:
        pan(Qt::Horizontal, kKeyPan);
        return true;
    case Qt::Key_Period:
        step(1);
        return true;
    case Qt::Key_Comma:
        step(-1);
        return true;
    case Qt::Key_Escape:
        if (!m_selected)
            return false;
        select(std::nullopt);
        return true;
    case Qt::Key_F:
        if (event.modifiers().testFlag(Qt::ShiftModifier)) {
            fitAll();
            return true;
        }
        return false;
    default:
        return false;
    }
}

void PipelineChart::extendMenu(QMenu& menu)
{
    QAction* action = menu.addAction(icon(QStringLiteral("fit")), tr("Show the whole step"));
    action->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F));
    action->setEnabled(!isEmpty());
    connect(action, &QAction::triggered, this, &PipelineChart::fitAll);
}

void PipelineChart::restyle()
{
    m_numbers.clear(); // laid out in the old font
    plot().xAxis->setBasePen(Qt::NoPen);
    plot().yAxis->setBasePen(Qt::NoPen);
    relayout();
}

ChartTable PipelineChart::table() const
{
    ChartTable result;
    result.columns = {tr("Stage"), tr("Kind"), tr("Micro-batch"), tr("Chunk"), tr("Start, s"), tr("Duration, s")};
    result.rows.reserve(static_cast<qsizetype>(m_index.timeline().slices.size()));
    for (const Slice& s : m_index.timeline().slices)
        result.rows << QStringList{QString::number(s.stage), nameOf(s.kind), s.microBatch >= 0 ? QString::number(s.microBatch) : QString(),
                                   QString::number(s.chunk + 1), cell(s.start), cell(s.duration)};
    return result;
}

QString PipelineChart::description() const
{
    if (m_index.empty())
        return emptyText();
    return tr("%1; %2.").arg(summary(m_index.timeline()), extentText());
}

QString PipelineChart::extentText() const
{
    return tr("step %1").arg(text(m_index.timeline().step));
}

QString PipelineChart::toolTipAt(QPointF at) const
{
    if (const auto found = sliceAt(at)) {
        const Slice& s = m_index.slice(*found);
        QString name = tr("<b>stage %1 · %2</b>").arg(s.stage).arg(nameOf(s.kind));
        if (s.microBatch >= 0)
            name += tr(" · micro-batch %1").arg(s.microBatch);
        if (s.microBatch >= 0 && m_index.timeline().chunks > 1)
            name += QStringLiteral(" · ") + chunkText(s, m_index.timeline());
        return tr("<div style='white-space:nowrap'>%1<br>%2 long, from %3</div>").arg(name, text(Seconds(s.duration)), text(Seconds(s.start)));
    }
    const int stage = m_index.empty() || !plot().axisRect()->rect().contains(at.toPoint()) ? -1 : stageAt(at.y());
    if (stage < 0)
        return {};
    const auto wait = m_index.waitAt(stage, plot().xAxis->pixelToCoord(at.x()));
    if (!wait)
        return {};
    return tr("<div style='white-space:nowrap'><b>stage %1 idle for %2</b><br>%3</div>").arg(stage).arg(text(wait->duration), causeText(wait->cause));
}

} // namespace stratoplan
