// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/lock_button.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/icons.h"

#include <QPainter>
#include <QSignalBlocker>

namespace stratoplan::widgets {

namespace {

constexpr int kIcon = 14;
constexpr int kWidth = 20;
constexpr double kFaint = 0.4; // an open padlock is no news

} // namespace

LockButton::LockButton(const QString& name, QWidget* parent)
    : QAbstractButton(parent)
    , m_name(name)
{
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::toggled, this, [this](bool locked) {
        describe();
        Q_EMIT lockToggled(locked);
    });
    describe();
}

void LockButton::describe()
{
    setAccessibleName(tr("Lock %1").arg(m_name));
    setToolTip(isChecked() ? tr("Locked: a search keeps what the plan has here. Click to free it.")
                           : tr("Free: a search may choose. Click to keep what the plan has."));
}

void LockButton::setLocked(bool locked)
{
    const QSignalBlocker quiet(this);
    setChecked(locked);
    describe();
    update();
}

QSize LockButton::sizeHint() const
{
    return {kWidth, rowHeight(*this)};
}

void LockButton::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void LockButton::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

void LockButton::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (isChecked()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.accentSoft);
        painter.drawRoundedRect(frame, kFrameRadius, kFrameRadius);
    }
    const bool strong = isChecked() || underMouse() || showsFocus(*this);
    painter.setOpacity(strong ? 1 : kFaint);
    const QRect place((width() - kIcon) / 2, (height() - kIcon) / 2, kIcon, kIcon);
    widgets::icon(isChecked() ? QStringLiteral("lock") : QStringLiteral("unlock")).paint(&painter, place);
    painter.setOpacity(1);
    if (showsFocus(*this))
        paintFocusRing(painter, frame, t);
}

} // namespace stratoplan::widgets
