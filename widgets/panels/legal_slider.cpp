// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/legal_slider.h"

#include "widgets/panels/panel_style.h"
#include "widgets/presentation/numbers.h"

#include <QAccessible>
#include <QCursor>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr double kHandleRadius = 7;
constexpr double kOutdated = 0.4; ///< what is left of a colour that answers an older plan
constexpr double kInset = kHandleRadius + 1; ///< the handle and its focus ring stay inside at both ends

double thickness(Zone zone)
{
    switch (zone) {
    case Zone::Green:
        return 6;
    case Zone::Amber:
        return 4;
    case Zone::Red:
        return 2;
    case Zone::Unknown:
        return 4;
    }
    return 4;
}

QColor zoneColor(const Tokens& t, Zone zone)
{
    switch (zone) {
    case Zone::Green:
        return t.mark(Mark::Fits);
    case Zone::Amber:
        return t.mark(Mark::Dominated);
    case Zone::Red:
        return t.mark(Mark::Broken);
    case Zone::Unknown:
        return t.frame;
    }
    return t.frame;
}

bool sameValues(const std::vector<SliderStop>& a, const std::vector<SliderStop>& b)
{
    return std::ranges::equal(a, b, {}, &SliderStop::value, &SliderStop::value);
}

QString verdictOf(Zone zone, const QString& number)
{
    switch (zone) {
    case Zone::Green:
        return LegalSlider::tr("%1 · fits").arg(number);
    case Zone::Amber:
        return LegalSlider::tr("%1 · fits, with a reservation").arg(number);
    case Zone::Red:
        return LegalSlider::tr("%1 · breaks a rule or the memory").arg(number);
    case Zone::Unknown:
        return number;
    }
    return number;
}

} // namespace

LegalSlider::LegalSlider(QWidget* parent)
    : QWidget(parent)
{
    installLegalSliderAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LegalSlider::setStops(std::vector<SliderStop> stops)
{
    if (m_dragging && !sameValues(stops, m_stops)) {
        m_waitingStops = std::move(stops);
        return;
    }
    m_waitingStops.reset();
    if (stops == m_stops)
        return;
    m_stops = std::move(stops);
    m_hovered = std::min(m_hovered, static_cast<int>(m_stops.size()) - 1);
    renewTip();
    update();
}

void LegalSlider::setOutdated(bool outdated)
{
    if (outdated == m_outdated)
        return;
    m_outdated = outdated;
    renewTip();
    update();
}

void LegalSlider::setValue(int value)
{
    if (m_dragging || (value == m_value && m_shownOnce))
        return;
    if (std::exchange(m_shownOnce, true))
        m_ghost = m_value;
    m_value = value;
    announce();
    update();
}

QString LegalSlider::explain(int value) const
{
    const QString number = groupedNumber(value);
    const int index = indexOf(value);
    if (index < 0)
        return tr("%1 · not among the usual values").arg(number);
    if (m_outdated)
        return tr("%1 · being worked out").arg(number);
    const SliderStop& stop = m_stops[static_cast<std::size_t>(index)];
    const QString verdict = verdictOf(stop.zone, number);
    return stop.reason.isEmpty() ? verdict : verdict + QLatin1Char('\n') + stop.reason;
}

void LegalSlider::choose(int value)
{
    if (!m_stops.empty())
        goTo(nearestByValue(value));
}

QSize LegalSlider::sizeHint() const
{
    return {96, rowHeight(*this)};
}

QSize LegalSlider::minimumSizeHint() const
{
    return {64, rowHeight(*this)};
}

QRectF LegalSlider::groove() const
{
    return {kInset, 0, std::max(1.0, width() - 2 * kInset), static_cast<double>(height())};
}

QPointF LegalSlider::stopPosition(int index) const
{
    const QRectF g = groove();
    const int last = static_cast<int>(m_stops.size()) - 1;
    const double share = last > 0 ? static_cast<double>(index) / last : 0.5;
    return {g.left() + share * g.width(), height() / 2.0};
}

double LegalSlider::xOf(int value) const
{
    if (m_stops.empty())
        return groove().center().x();
    const auto next = std::ranges::lower_bound(m_stops, value, {}, &SliderStop::value);
    const int i = static_cast<int>(next - m_stops.begin());
    if (next == m_stops.end())
        return stopPosition(i - 1).x();
    if (next->value == value || i == 0)
        return stopPosition(i).x();
    const int below = m_stops[static_cast<std::size_t>(i) - 1].value;
    const double share = static_cast<double>(value - below) / (next->value - below);
    return stopPosition(i - 1).x() + share * (stopPosition(i).x() - stopPosition(i - 1).x());
}

QRectF LegalSlider::handle() const
{
    return {xOf(m_value) - kHandleRadius, height() / 2.0 - kHandleRadius, 2 * kHandleRadius, 2 * kHandleRadius};
}

int LegalSlider::indexOf(int value) const
{
    const auto it = std::ranges::find(m_stops, value, &SliderStop::value);
    return it == m_stops.end() ? -1 : static_cast<int>(it - m_stops.begin());
}

int LegalSlider::nearestStop(double x) const
{
    const int last = static_cast<int>(m_stops.size()) - 1;
    const QRectF g = groove();
    return std::clamp(static_cast<int>(std::lround((x - g.left()) / g.width() * last)), 0, std::max(0, last));
}

int LegalSlider::nearestByValue(int value) const
{
    const auto distance = [value](
                              const SliderStop& stop) { return std::abs(static_cast<long long>(stop.value) - value); };
    return static_cast<int>(std::ranges::min_element(m_stops, {}, distance) - m_stops.begin());
}

int LegalSlider::steppedIndex(int steps) const
{
    const int last = static_cast<int>(m_stops.size()) - 1;
    const int here = indexOf(m_value);
    if (here >= 0)
        return std::clamp(here + steps, 0, last);
    // Beside the stops the first step goes to the neighbour on that side.
    const int above =
        static_cast<int>(std::ranges::lower_bound(m_stops, m_value, {}, &SliderStop::value) - m_stops.begin());
    return std::clamp(steps > 0 ? above + steps - 1 : above + steps, 0, last);
}

void LegalSlider::goTo(int index)
{
    if (index < 0 || index >= static_cast<int>(m_stops.size()))
        return;
    const int value = m_stops[static_cast<std::size_t>(index)].value;
    if (value == m_value)
        return;
    m_ghost = m_dragging ? m_dragOrigin : m_value;
    m_value = value;
    announce();
    update();
    Q_EMIT valueChanged(value, m_dragging);
}

void LegalSlider::announce()
{
    QAccessibleValueChangeEvent event(this, m_value);
    QAccessible::updateAccessibility(&event);
}

void LegalSlider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_stops.empty()) {
        event->ignore();
        return;
    }
    const double x = event->position().x();
    const bool onHandle = handle().contains(event->position());
    m_grabOffset = onHandle ? x - xOf(m_value) : 0;
    m_dragging = true;
    m_dragOrigin = m_value;
    Q_EMIT dragStarted();
    if (!onHandle)
        goTo(nearestStop(x));
    update();
}

void LegalSlider::mouseMoveEvent(QMouseEvent* event)
{
    if (m_stops.empty())
        return;
    const int index = nearestStop(event->position().x() - (m_dragging ? m_grabOffset : 0));
    // A value beside the stops stays until the pointer really leaves it.
    const bool moved = std::abs(event->position().x() - m_grabOffset - xOf(m_value)) > 1;
    if (m_dragging && (indexOf(m_value) >= 0 || moved))
        goTo(index);
    hover(index, event->globalPosition().toPoint());
}

void LegalSlider::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_dragging)
        finishDrag();
}

void LegalSlider::finishDrag()
{
    m_dragging = false;
    if (auto waiting = std::exchange(m_waitingStops, std::nullopt))
        setStops(std::move(*waiting));
    update();
}

void LegalSlider::hover(int index, QPoint globalPosition)
{
    if (index == m_hovered)
        return;
    m_hovered = index;
    if (isEnabled())
        QToolTip::showText(globalPosition, explain(m_stops[static_cast<std::size_t>(index)].value), this);
    update();
}

void LegalSlider::renewTip()
{
    // While the tip is read, the verdict it tells may come or go.
    if (m_hovered >= 0 && QToolTip::isVisible())
        QToolTip::showText(QCursor::pos(), explain(m_stops[static_cast<std::size_t>(m_hovered)].value), this);
}

void LegalSlider::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void LegalSlider::focusInEvent(QFocusEvent*)
{
    m_wheelRest = 0;
    update();
}

void LegalSlider::focusOutEvent(QFocusEvent*)
{
    if (m_dragging)
        finishDrag();
    update();
}

void LegalSlider::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::EnabledChange && !isEnabled() && m_dragging)
        finishDrag();
    QWidget::changeEvent(event);
}

void LegalSlider::wheelEvent(QWheelEvent* event)
{
    // Without the focus the wheel scrolls the panel: passing over a slider must not change a plan.
    if (!hasFocus() || m_stops.empty() || m_dragging) {
        event->ignore();
        return;
    }
    const QPoint delta = event->angleDelta();
    m_wheelRest += delta.y() != 0 ? delta.y() : delta.x();
    const int steps = m_wheelRest / QWheelEvent::DefaultDeltasPerStep;
    m_wheelRest -= steps * QWheelEvent::DefaultDeltasPerStep;
    if (steps != 0)
        goTo(steppedIndex(steps));
    event->accept();
}

void LegalSlider::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_stops.size()) - 1;
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    switch (event->key()) {
    case Qt::Key_Left:
        goTo(steppedIndex(mirrored ? 1 : -1));
        return;
    case Qt::Key_Right:
        goTo(steppedIndex(mirrored ? -1 : 1));
        return;
    case Qt::Key_Down:
    case Qt::Key_PageDown:
        goTo(steppedIndex(-1));
        return;
    case Qt::Key_Up:
    case Qt::Key_PageUp:
        goTo(steppedIndex(1));
        return;
    case Qt::Key_Home:
        goTo(0);
        return;
    case Qt::Key_End:
        goTo(last);
        return;
    case Qt::Key_Escape:
        if (m_dragging) {
            goTo(indexOf(m_dragOrigin));
            finishDrag();
            return;
        }
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void LegalSlider::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintTrack(painter);
    paintHandle(painter);
}

void LegalSlider::paintTrack(QPainter& painter) const
{
    const Tokens& t = tokensOf(*this);
    const QRectF g = groove();
    const double y = height() / 2.0;
    painter.setPen(Qt::NoPen);
    const auto segment = [&](double from, double to, Zone zone) {
        const double h = thickness(zone);
        const QColor colour = isEnabled() ? zoneColor(t, zone) : t.border;
        painter.setBrush(m_outdated ? blend(colour, t.window, kOutdated) : colour);
        painter.drawRect(QRectF(from, y - h / 2, to - from, h));
    };
    const std::size_t n = m_stops.size();
    if (n < 2)
        segment(g.left(), g.right(), n == 1 ? m_stops.front().zone : Zone::Unknown);
    for (std::size_t first = 0, i = 0; n >= 2 && i < n; ++i) {
        if (i + 1 < n && m_stops[i + 1].zone == m_stops[first].zone)
            continue;
        const double from =
            first == 0 ? g.left() : (stopPosition(int(first) - 1).x() + stopPosition(int(first)).x()) / 2;
        const double to = i + 1 == n ? g.right() : (stopPosition(int(i)).x() + stopPosition(int(i) + 1).x()) / 2;
        segment(from, to, m_stops[first].zone);
        first = i + 1;
    }
    if (m_ghost && *m_ghost != m_value && isEnabled()) {
        painter.setBrush(t.secondaryText);
        painter.drawRect(QRectF(std::round(xOf(*m_ghost)) - 1, y - 6, 2, 12));
    }
    if (m_hovered >= 0 && m_hovered < static_cast<int>(n) && isEnabled() && n > 1) {
        painter.setPen(QPen(t.text, 1));
        painter.setBrush(t.surface);
        painter.drawEllipse(stopPosition(m_hovered), 3.5, 3.5);
    }
}

void LegalSlider::paintHandle(QPainter& painter) const
{
    const Tokens& t = tokensOf(*this);
    const QPointF centre = handle().center();
    if (hasFocus()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(blend(t.accent, t.window, 0.35));
        painter.drawEllipse(centre, kHandleRadius + 1, kHandleRadius + 1);
    }
    painter.setPen(QPen(isEnabled() ? t.accent : t.frame, 2));
    painter.setBrush(m_dragging ? t.accent : t.surface);
    painter.drawEllipse(centre, kHandleRadius - 1, kHandleRadius - 1);
}

} // namespace stratoplan::widgets
