// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/step_lanes.h"

#include "widgets/presentation/axis.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kLaneGap = 6;
constexpr double kLaneMargin = 12;
constexpr double kThinnest = 0.4; ///< of a pixel: thinner spans are left to their neighbours
} // namespace

StepLanes::StepLanes(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Measured and estimated step"));
}

void StepLanes::setLanes(std::vector<StepLane> lanes)
{
    m_lanes = std::move(lanes);
    QString description;
    for (const StepLane& lane : m_lanes)
        description += tr("%1: %2. ").arg(lane.title, text(Seconds(lane.seconds)));
    setAccessibleDescription(description.trimmed());
    updateGeometry();
    update();
}

double StepLanes::longest() const
{
    double most = 0;
    for (const StepLane& lane : m_lanes)
        most = std::max(most, lane.seconds);
    return most;
}

double StepLanes::titleWidth() const
{
    int widest = 0;
    for (const StepLane& lane : m_lanes)
        widest = std::max(widest, fontMetrics().horizontalAdvance(lane.title));
    return std::min<double>(widest + 2 * kLaneMargin, 0.3 * width());
}

double StepLanes::xAt(double seconds) const
{
    const double left = titleWidth(), room = std::max(1.0, width() - left - kLaneMargin);
    const double end = longest();
    return left + (end > 0 ? seconds / end * room : 0);
}

QRectF StepLanes::laneRect(std::size_t lane) const
{
    const double height = fontMetrics().height() + 8;
    const double left = titleWidth();
    return {left, kLaneGap + double(lane) * (height + kLaneGap), std::max(1.0, width() - left - kLaneMargin), height};
}

QSize StepLanes::sizeHint() const
{
    const int line = fontMetrics().height();
    const int lanes = int(m_lanes.size());
    return {480, int(kLaneGap) + lanes * (line + 8 + int(kLaneGap)) + line + 8};
}

QSize StepLanes::minimumSizeHint() const
{
    return {240, sizeHint().height()};
}

QString StepLanes::textAt(QPointF place) const
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        if (!laneRect(i).contains(place))
            continue;
        for (const LaneSpan& span : m_lanes[i].spans)
            if (place.x() >= xAt(span.start) && place.x() < xAt(span.start + span.seconds))
                return tr("%1: %2, from %3 for %4")
                    .arg(m_lanes[i].title, span.name, text(Seconds(span.start)), text(Seconds(span.seconds)));
        return m_lanes[i].title;
    }
    return {};
}

bool StepLanes::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), textAt(help->pos()), this);
    return true;
}

void StepLanes::paintLane(QPainter& painter, std::size_t lane) const
{
    const Tokens& t = currentTokens();
    const QRectF rect = laneRect(lane);
    painter.setPen(t.secondaryText);
    const QRectF title(kLaneMargin, rect.top(), rect.left() - 2 * kLaneMargin, rect.height());
    painter.drawText(title, Qt::AlignVCenter | Qt::AlignLeft,
        fontMetrics().elidedText(m_lanes[lane].title, Qt::ElideRight, int(title.width())));
    painter.fillRect(
        QRectF(rect.left(), rect.top(), xAt(m_lanes[lane].seconds) - rect.left(), rect.height()), t.sunken);
    double painted = rect.left();
    for (const LaneSpan& span : m_lanes[lane].spans) {
        const double left = std::max(painted, xAt(span.start)), right = xAt(span.start + span.seconds);
        if (right - left < kThinnest)
            continue;
        painter.fillRect(QRectF(left, rect.top(), right - left, rect.height()), t.mark(span.mark));
        painted = right;
    }
}

void StepLanes::paintAxis(QPainter& painter) const
{
    const Tokens& t = currentTokens();
    const AxisUnit unit = secondsUnit(longest());
    const double top = laneRect(m_lanes.size()).top();
    constexpr int kPixels = 90; // for a tick
    const int most = std::max(2, int((width() - titleWidth()) / kPixels));
    const Ticks ticks = niceTicks(0, longest() / unit.factor, most);
    for (const double tick : ticks.values) {
        const double x = xAt(tick * unit.factor);
        painter.setPen(t.grid);
        painter.drawLine(QPointF(x, kLaneGap), QPointF(x, top - kLaneGap / 2));
        painter.setPen(t.secondaryText);
        const bool isLast = tick == ticks.values.back();
        const QString number = tickText(tick, ticks.decimals) + (isLast ? u' ' + unit.name : QString());
        const double half = fontMetrics().horizontalAdvance(number) / 2.0;
        const double left = std::min(x - half, width() - 2 * half - 2);
        painter.drawText(QPointF(left, top + fontMetrics().ascent()), number);
    }
}

void StepLanes::paintEvent(QPaintEvent*)
{
    if (m_lanes.empty() || longest() <= 0)
        return;
    QPainter painter(this);
    paintAxis(painter);
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        paintLane(painter, i);
}

} // namespace stratoplan::widgets
