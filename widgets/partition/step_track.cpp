// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/step_track.h"

#include "widgets/panels/panel_style.h"
#include "widgets/presentation/partition_layout.h"
#include "widgets/presentation/partition_text.h"
#include "widgets/style/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::widgets {

namespace {
constexpr double kPhaseGap = 14;
constexpr double kRingRoom = 5; ///< for the ring of the focus, on the left and on the right
constexpr double kWidestMoment = 96;
constexpr double kPicture = 32; ///< height of a small grid
constexpr double kInsetOfMoment = 3;
constexpr double kLeastBandWidth = 2.5;
} // namespace

StepTrack::StepTrack(QWidget* parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Steps of the three phases"));
}

void StepTrack::setStrip(StepStrip strip)
{
    if (strip == m_strip)
        return;
    m_strip = std::move(strip);
    if (m_moment >= moments())
        m_moment = 0;
    describe();
    update();
}

void StepTrack::setMoment(int moment, double travel)
{
    m_travel = travel;
    m_moment = std::clamp(moment, 0, std::max(0, moments() - 1));
    describe();
    update();
}

void StepTrack::describe()
{
    const QString description = moments() > 0 ? m_strip.moments[std::size_t(m_moment)].tip : QString();
    if (description != accessibleDescription())
        setAccessibleDescription(description);
}

double StepTrack::titleHeight() const
{
    return fontMetrics().height() + 4;
}

QSize StepTrack::sizeHint() const
{
    return {420, int(2 * titleHeight() + kPicture + 2 * kInsetOfMoment)};
}

QSize StepTrack::minimumSizeHint() const
{
    return {220, sizeHint().height()};
}

QRectF StepTrack::cell(int moment) const
{
    const double width =
        std::min(kWidestMoment, (this->width() - 2 * kPhaseGap - 2 * kRingRoom) / std::max(1, moments()));
    const double height = kPicture + 2 * kInsetOfMoment + titleHeight();
    return {
        kRingRoom + moment * width + double(moment / std::max(1, steps())) * kPhaseGap, titleHeight(), width, height};
}

int StepTrack::momentAt(double x) const
{
    for (int moment = moments() - 1; moment > 0; --moment)
        if (x >= cell(moment).left() - (moment % steps() == 0 ? kPhaseGap / 2 : 0))
            return moment;
    return 0;
}

void StepTrack::choose(int moment)
{
    const int next = std::clamp(moment, 0, std::max(0, moments() - 1));
    if (next == m_moment && m_travel == 0)
        return;
    setMoment(next);
    Q_EMIT momentChosen(next);
}

bool StepTrack::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || moments() == 0)
        return QWidget::event(event);
    const auto& help = static_cast<QHelpEvent&>(*event);
    const int moment = momentAt(help.pos().x());
    const QString keys = tr("Left and Right change the step, Space plays");
    QToolTip::showText(help.globalPos(), tr("%1\n%2").arg(m_strip.moments[std::size_t(moment)].tip, keys), this,
        cell(moment).toRect());
    return true;
}

void StepTrack::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (moments() == 0)
        return;
    for (int phase = 0; phase < 3; ++phase)
        paintPhase(painter, phase);
    for (int moment = 0; moment < moments(); ++moment)
        paintMoment(painter, moment);
    paintMark(painter);
    if (showsFocus(*this))
        paintFocusRing(painter, rect(), currentTokens());
}

void StepTrack::paintPhase(QPainter& painter, int phase) const
{
    const Tokens& t = currentTokens();
    const QRectF first = cell(phase * steps()), last = cell((phase + 1) * steps() - 1);
    const QRectF all(first.topLeft(), last.bottomRight());
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(t.sunken);
    painter.drawRoundedRect(all.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const bool current = m_moment / steps() == phase;
    painter.setFont(scaledFont(font(), 1, current));
    painter.setPen(current ? t.text : t.secondaryText);
    const QRectF title(all.left() + 2, 0, all.width() + kPhaseGap - 4, titleHeight());
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(phaseName(partition::Phase(phase)), Qt::ElideRight, int(title.width())));
}

void StepTrack::paintMoment(QPainter& painter, int moment) const
{
    const Tokens& t = currentTokens();
    const StepPicture& picture = m_strip.moments[std::size_t(moment)];
    const QRectF room = cell(moment);
    paintGrid(painter, picture,
        QRectF(room.left() + kInsetOfMoment, room.top() + kInsetOfMoment, room.width() - 2 * kInsetOfMoment, kPicture));
    painter.setFont(scaledFont(font(), 0.85, moment == m_moment));
    painter.setPen(moment == m_moment ? t.text : t.secondaryText);
    QString text = QString::number(moment % steps() + 1);
    const QString marks = (picture.sends ? tr(" ⇄") : QString()) + (picture.sums ? tr(" Σ") : QString());
    if (painter.fontMetrics().horizontalAdvance(text + marks) < room.width() - 4)
        text += marks;
    painter.drawText(QRectF(room.left(), room.top() + kPicture + 2 * kInsetOfMoment - 1, room.width(), titleHeight()),
        Qt::AlignCenter, text);
}

void StepTrack::paintGrid(QPainter& painter, const StepPicture& picture, const QRectF& area) const
{
    const PartitionLayout places(m_strip.bits, m_strip.columnBits, 1 << m_strip.bits, 0, area);
    int columns = 1, rows = 1;
    for (int rank = 0; rank < places.ranks(); ++rank) {
        columns = std::max(columns, places.column(rank) + 1);
        rows = std::max(rows, places.row(rank) + 1);
    }
    const double width = std::min(area.width() / columns, 2.4 * area.height() / rows), height = area.height() / rows;
    const double left = area.center().x() - columns * width / 2;
    const double gapX = width > 3 ? 1 : 0, gapY = height > 3 ? 1 : 0;
    for (int rank = 0; rank < places.ranks(); ++rank) {
        std::vector<BlockTone> bands = picture.tones[std::size_t(rank)];
        if (width < kLeastBandWidth * double(bands.size()))
            bands = {bands[bands.size() / 2]}; // all of them would be noise
        const double share = (width - gapX) / double(bands.size());
        const QPointF at(left + places.column(rank) * width, area.top() + places.row(rank) * height);
        for (std::size_t band = 0; band < bands.size(); ++band)
            painter.fillRect(QRectF(at.x() + double(band) * share, at.y(), share, height - gapY),
                blockColour(bands[band], currentTokens().kind));
    }
}

void StepTrack::paintMark(QPainter& painter) const
{
    const Tokens& t = currentTokens();
    const QRectF room = cell(m_moment);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(showsFocus(*this) ? t.accent : t.selection, 2.5));
    painter.drawRoundedRect(room.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    if (m_travel <= 0)
        return;
    const double x = room.left() + room.width() * m_travel;
    painter.setPen(QPen(t.text, 1.5));
    painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()));
}

void StepTrack::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && moments() > 0)
        choose(momentAt(event->position().x()));
}

void StepTrack::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton) && moments() > 0)
        choose(momentAt(event->position().x()));
}

void StepTrack::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(m_moment - 1);
    case Qt::Key_Right:
        return choose(m_moment + 1);
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(moments() - 1);
    case Qt::Key_Space:
        return Q_EMIT playWanted();
    default:
        QWidget::keyPressEvent(event);
    }
}

void StepTrack::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void StepTrack::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace stratoplan::widgets
