// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/elided_label.h"

#include <QFontMetrics>
#include <QPainter>

namespace stratoplan {

ChartNote::ChartNote(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ChartNote::setText(const QString& text)
{
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    updateToolTip();
    updateGeometry();
    update();
}

void ChartNote::setAlignment(Qt::Alignment alignment)
{
    m_alignment = alignment;
    update();
}

QSize ChartNote::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_text) + 2, metrics.height()};
}

QSize ChartNote::minimumSizeHint() const
{
    return {0, QFontMetrics(font()).height()};
}

void ChartNote::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(rect(), static_cast<int>(m_alignment), painter.fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

void ChartNote::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateToolTip();
}

void ChartNote::updateToolTip()
{
    const bool clipped = QFontMetrics(font()).horizontalAdvance(m_text) > width();
    setToolTip(clipped ? m_text : QString());
}

} // namespace stratoplan
