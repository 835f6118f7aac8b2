// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/stale_veil.h"

#include "widgets/style/theme.h"

#include <QPainter>

namespace stratoplan::widgets {

namespace {
constexpr float kVeil = 0.65f; ///< how much of the picture is covered
constexpr QMargins kVeilMargins(12, 8, 12, 8);
} // namespace

StaleVeil::StaleVeil(QWidget* parent)
    : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setBackgroundRole(QPalette::Base);
    hide();
}

void StaleVeil::setNotice(const QString& notice)
{
    m_notice = notice;
    setAccessibleName(notice);
    setVisible(!notice.isEmpty());
    raise();
    update();
}

void StaleVeil::paintEvent(QPaintEvent*)
{
    const Tokens& t = currentTokens();
    QPainter painter(this);
    QColor veil = palette().color(backgroundRole());
    veil.setAlphaF(kVeil);
    painter.fillRect(rect(), veil);
    const int flags = int(m_alignment) | Qt::TextWordWrap;
    const QRect room = rect().marginsRemoved(kVeilMargins);
    const QRect box = fontMetrics().boundingRect(room, flags, m_notice).adjusted(-8, -4, 8, 4).intersected(rect());
    painter.setPen(t.border);
    painter.setBrush(t.raised);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    painter.setPen(t.text);
    painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, m_notice);
}

} // namespace stratoplan::widgets
