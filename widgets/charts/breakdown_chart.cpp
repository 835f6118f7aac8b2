// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/breakdown_chart.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QAction>
#include <QActionGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kStepGap = 0.3; // rows between the step and its stages
constexpr double kThickness = 0.74; // of a row
constexpr int kMostRows = 16;
constexpr double kRemarkGap = 6; // pixels, before and behind what stands behind a bar
constexpr double kMostRemark = 0.6; // of the width
} // namespace

BreakdownChart::BreakdownChart(QWidget* parent)
    : ChartView(tr("Step by cause"),
        tr("Nothing to break down yet.\nComplete the plan on the left, or mend what the problems list names."), parent)
{
    auto* group = new QActionGroup(this);
    for (const bool share : {false, true}) {
        auto* action = new QAction(share ? tr("%") : tr("s"), group);
        action->setCheckable(true);
        action->setChecked(share == m_share);
        action->setToolTip(share ? tr("Shares of the step") : tr("Seconds"));
        connect(action, &QAction::triggered, this, [this, share] { setShare(share); });
        connect(this, &BreakdownChart::shareChanged, action,
            [action, share](bool now) { action->setChecked(share == now); });
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->toolTip());
        addHeaderWidget(button);
    }
    plot().yAxis->setRangeReversed(true);
    plot().yAxis->grid()->setVisible(false);
    setZoomDirections(Qt::Horizontal, Qt::Vertical);
    addMarks(plot(), [this](QPainter& painter) { paintBars(painter); });
    addOverlay(plot(), [this](QPainter& painter) { paintHover(painter); });
    restyle();
}

void BreakdownChart::setEstimate(const estimate::Estimate& estimate)
{
    setView(breakdownView(estimate, kMostRows));
}

void BreakdownChart::setView(std::optional<BreakdownView> view)
{
    const bool wasEmpty = isEmpty();
    const std::size_t rows = m_view ? m_view->stacks.size() : 0;
    m_view = std::move(view);
    m_hover.reset();
    if (!m_view) {
        setEmpty(true);
        return;
    }
    setLegend(m_view->legend);
    setNote(m_view->note);
    setEmpty(false);
    relayout();
    if (wasEmpty || !isMoved() || rows != m_view->stacks.size())
        fit();
    else
        replot();
}

void BreakdownChart::clear()
{
    m_view.reset();
    m_hover.reset();
    setEmpty(true);
}

void BreakdownChart::setShare(bool share)
{
    if (share == m_share)
        return;
    m_share = share;
    relayout();
    replot();
    Q_EMIT shareChanged(share);
}

void BreakdownChart::relayout()
{
    if (!m_view)
        return;
    const double longest = m_view->longest();
    std::vector<Category> rows;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i)
        rows.push_back({position(i), m_view->stacks[i].label, i == 0 || m_view->compares});
    setCategoryTicks(*plot().yAxis, std::move(rows), QFontMetricsF(plotFont()).height());
    const AxisUnit unit = m_share ? AxisUnit{m_view->step.value() / 100, QStringLiteral("%")} : secondsUnit(longest);
    setUnitTicks(*plot().xAxis, unit);
    const QString shown = !m_share ? unit.name : m_view->compares ? tr("% of the longest step") : tr("% of the step");
    setAxisTexts(Qt::Horizontal,
        m_view->compares ? QStringList{shown} : QStringList{tr("%1 · %2").arg(shown, m_view->check), shown});
    const Interval y{-0.62, position(m_view->stacks.size() - 1) + 0.62};
    setBounds({0, end()}, y, longest * 1e-3, std::min(3.0, y.length()));
}

double BreakdownChart::position(std::size_t stack) const
{
    return static_cast<double>(stack) + (stack > 0 && !m_view->compares ? kStepGap : 0);
}

double BreakdownChart::end() const
{
    const double longest = m_view->longest();
    const QFontMetricsF metrics(plotFont());
    double remark = 0;
    for (const Stack& stack : m_view->stacks)
        remark =
            std::max(remark, stack.remark.isEmpty() ? 0 : metrics.horizontalAdvance(stack.remark) + 2 * kRemarkGap);
    const double share = remark / std::max(plot().axisRect()->width(), 1);
    return longest * 1.04 / (1 - std::min(share, kMostRemark));
}

void BreakdownChart::fitView()
{
    if (!m_view)
        return;
    if (m_view->compares)
        relayout(); // the room for remarks depends on the size
    showRange({0, end()}, {-0.62, position(m_view->stacks.size() - 1) + 0.62});
}

QRectF BreakdownChart::barRect(std::size_t stack) const
{
    const double middle = plot().yAxis->coordToPixel(position(stack));
    const double row = std::abs(plot().yAxis->coordToPixel(1) - plot().yAxis->coordToPixel(0));
    const double height = std::max(std::round(std::min(row * kThickness, 30.0)), 2.0);
    const double left = plot().xAxis->coordToPixel(0);
    const double right = plot().xAxis->coordToPixel(m_view->stacks[stack].total);
    return {left, std::round(middle - height / 2), right - left, height};
}

QRectF BreakdownChart::segmentRect(Hit hit) const
{
    if (!m_view || hit.stack >= m_view->stacks.size() || hit.segment >= m_view->stacks[hit.stack].segments.size())
        return {};
    const Segment& s = m_view->stacks[hit.stack].segments[hit.segment];
    const QRectF bar = barRect(hit.stack);
    const double left = std::round(plot().xAxis->coordToPixel(s.start));
    const double right = std::round(plot().xAxis->coordToPixel(s.start + s.value));
    if (!s.inside)
        return {left, bar.top(), right - left, bar.height()};
    const double strip = std::max(2.0, std::round(bar.height() * 0.3));
    return {left, bar.bottom() - strip, right - left, strip};
}

std::optional<BreakdownChart::Hit> BreakdownChart::segmentAt(QPointF at) const
{
    if (!m_view || !plot().axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    std::optional<Hit> found;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
        for (std::size_t j = 0; j < m_view->stacks[i].segments.size(); ++j) {
            const bool inside = m_view->stacks[i].segments[j].inside;
            if ((inside || !found) && segmentRect({i, j}).contains(at))
                found = Hit{i, j};
        }
    }
    return found;
}

double BreakdownChart::shareOf(const Stack& stack, double seconds) const
{
    return seconds / (stack.step > 0 ? stack.step : m_view->step.value());
}

QString BreakdownChart::valueText(const Stack& stack, double seconds) const
{
    return m_share ? shareText(shareOf(stack, seconds)) : text(Seconds(seconds));
}

void BreakdownChart::paintBars(QPainter& painter) const
{
    if (!m_view)
        return;
    painter.setFont(plotFont());
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
        paintSegments(painter, i);
        paintRemark(painter, i);
    }
}

void BreakdownChart::paintSegments(QPainter& painter, std::size_t i) const
{
    const QFontMetricsF metrics(plotFont());
    const Stack& stack = m_view->stacks[i];
    for (const bool strips : {false, true}) {
        for (std::size_t j = 0; j < stack.segments.size(); ++j) {
            const Segment& s = stack.segments[j];
            if (s.inside != strips)
                continue;
            QRectF r = segmentRect({i, j});
            if (r.width() < 0.5)
                continue;
            if (r.width() > 3)
                r.setRight(r.right() - 1); // a line of background between neighbours
            if (s.inside)
                painter.fillRect(r, look().mark(s.mark)); // within a bar it needs no outline
            else
                paintMark(painter, r, s.mark, s.pattern, look());
            // The number goes in where it fits, above a strip of hidden communication.
            const QString label = valueText(stack, s.value);
            if (!s.inside && s.pattern == Pattern::Solid && r.width() >= metrics.horizontalAdvance(label) + 10
                && r.height() >= metrics.height() + 2) {
                painter.setPen(look().label(look().mark(s.mark)));
                painter.drawText(r.adjusted(5, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, label);
            }
        }
    }
}

void BreakdownChart::paintRemark(QPainter& painter, std::size_t stack) const
{
    const QString& remark = m_view->stacks[stack].remark;
    if (remark.isEmpty())
        return;
    const QRectF bar = barRect(stack);
    const QRectF place(
        bar.right() + kRemarkGap, bar.top(), QFontMetricsF(plotFont()).horizontalAdvance(remark) + 2, bar.height());
    painter.setPen(look().text);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, remark);
}

void BreakdownChart::paintHover(QPainter& painter) const
{
    if (!m_view)
        return;
    for (std::size_t i = 0; linkedStage() >= 0 && i < m_view->stacks.size(); ++i) {
        if (m_view->stacks[i].firstStage > linkedStage() || m_view->stacks[i].lastStage < linkedStage())
            continue;
        painter.setPen(QPen(look().accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(barRect(i).adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    if (!m_hover)
        return;
    painter.setPen(QPen(look().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(segmentRect(*m_hover).adjusted(0.5, 0.5, -0.5, -0.5));
}

void BreakdownChart::pointerMoved(QPointF at)
{
    setHover(segmentAt(at));
}

void BreakdownChart::pointerLeft()
{
    setHover(std::nullopt);
}

void BreakdownChart::setHover(std::optional<Hit> hit)
{
    if (hit == m_hover)
        return;
    m_hover = hit;
    hoverStage(hit ? m_view->stacks[hit->stack].firstStage : -1);
    replotOverlay(plot());
}

void BreakdownChart::pointerClicked(QPointF at)
{
    if (const auto explain = explanationAt(at))
        explain();
}

std::function<void()> BreakdownChart::explanationAt(QPointF at)
{
    const auto hit = segmentAt(at);
    if (!hit)
        return nullptr;
    const Stack& stack = m_view->stacks[hit->stack];
    return
        [this, stage = stack.firstStage, part = stack.segments[hit->segment].name] { Q_EMIT partChosen(stage, part); };
}

std::optional<QPointF> BreakdownChart::pointedAt() const
{
    return m_hover ? std::optional(segmentRect(*m_hover).center()) : std::nullopt;
}

// Left and right walk along a bar, up and down to the next; Enter explains.
bool BreakdownChart::keyPressed(QKeyEvent& event)
{
    const int key = event.key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_hover) {
        const Stack& stack = m_view->stacks[m_hover->stack];
        Q_EMIT partChosen(stack.firstStage, stack.segments[m_hover->segment].name);
        return true;
    }
    const int along = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int across = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (!m_view || event.modifiers() != Qt::NoModifier || (along == 0 && across == 0))
        return false;
    Hit next = m_hover.value_or(Hit{});
    if (m_hover) {
        next.stack = stepped(next.stack, across, m_view->stacks.size());
        next.segment = stepped(next.segment, along, m_view->stacks[next.stack].segments.size());
    }
    setHover(next);
    announce(segmentRect(next).center(), toolTipOf(next));
    return true;
}

void BreakdownChart::restyle()
{
    plot().xAxis->setBasePen(Qt::NoPen);
    relayout();
}

void BreakdownChart::extendMenu(QMenu& menu)
{
    QAction* share = menu.addAction(tr("Show shares of the step"));
    share->setCheckable(true);
    share->setChecked(m_share);
    connect(share, &QAction::toggled, this, &BreakdownChart::setShare);
}

ChartTable BreakdownChart::table() const
{
    ChartTable result;
    result.columns = {tr("Row"), tr("Part"), tr("Seconds"), tr("Share of the step, %"), tr("Adds to the step")};
    if (!m_view)
        return result;
    for (const Stack& stack : m_view->stacks) {
        for (const Segment& s : stack.segments)
            result.rows << QStringList{stack.label, s.name, cell(s.value), cell(100 * shareOf(stack, s.value)),
                s.inside ? tr("no") : tr("yes")};
    }
    return result;
}

QString BreakdownChart::description() const
{
    if (!m_view)
        return emptyText();
    QStringList parts;
    if (m_view->compares) {
        for (const Stack& stack : m_view->stacks)
            parts << tr("%1 %2").arg(stack.label, stack.remark);
        return tr("Steps of plans: %1.").arg(parts.join(QStringLiteral(", ")));
    }
    const Stack& whole = m_view->stacks.front();
    for (const Segment& s : whole.segments)
        parts << tr("%1 %2").arg(s.name, shareText(shareOf(whole, s.value)));
    return tr("Step of %1: %2.").arg(text(m_view->step), parts.join(QStringLiteral(", ")));
}

QString BreakdownChart::toolTipAt(QPointF at) const
{
    const auto hit = segmentAt(at);
    return hit ? toolTipOf(*hit) : QString();
}

QString BreakdownChart::toolTipOf(Hit hit) const
{
    const Stack& stack = m_view->stacks[hit.stack];
    const Segment& s = stack.segments[hit.segment];
    return tr("<div style='max-width:320px'><b>%1</b> · %2<br>%3 · %4 of the step<br><br>%5</div>")
        .arg(s.name, (m_view->compares ? stack.label : stack.label.toLower()).toHtmlEscaped(), text(Seconds(s.value)),
            shareText(shareOf(stack, s.value)), s.explanation);
}

} // namespace stratoplan::widgets
