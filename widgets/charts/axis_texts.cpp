// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/axis_texts.h"

#include "widgets/charts/qcp.h"

#include <QFontMetricsF>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

void fitText(QCPAxis& axis, const QStringList& texts, double room)
{
    if (texts.isEmpty())
        return;
    const QFontMetricsF metrics(axis.labelFont());
    const auto fitting = std::find_if(
        texts.begin(), texts.end(), [&](const QString& each) { return metrics.horizontalAdvance(each) <= room; });
    axis.setLabel(fitting != texts.end() ? *fitting : metrics.elidedText(texts.last(), Qt::ElideRight, room));
}

} // namespace

AxisTexts::AxisTexts(QCustomPlot& plot, QObject* parent)
    : QObject(parent)
    , m_plot(plot)
{
    connect(&m_plot, &QCustomPlot::afterLayout, this, &AxisTexts::layOutAnew);
}

void AxisTexts::setTexts(Qt::Orientation axis, QStringList texts)
{
    (axis == Qt::Horizontal ? m_plot.xAxis : m_plot.yAxis)->setLabel(texts.first());
    (axis == Qt::Horizontal ? m_textsX : m_textsY) = std::move(texts);
}

// QCustomPlot makes the ticks before it lays out, so after a change of size they are those of the size before.
void AxisTexts::layOutAnew()
{
    constexpr int kMostRounds = 3; // the labels of the new ticks may in turn change the margins, by a little
    for (int round = 0; round < kMostRounds && m_plot.axisRect()->size() != m_ticksFor; ++round) {
        m_ticksFor = m_plot.axisRect()->size();
        for (const auto phase :
            {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
            m_plot.plotLayout()->update(phase);
    }
    fit();
}

void AxisTexts::fit()
{
    const QRectF inner(m_plot.axisRect()->rect());
    // Centred on the axis, a label may reach as far over its ends as the plot does.
    fitText(*m_plot.xAxis, m_textsX, 2 * std::min(inner.center().x(), m_plot.width() - inner.center().x()));
    fitText(*m_plot.yAxis, m_textsY, 2 * std::min(inner.center().y(), m_plot.height() - inner.center().y()));
}

} // namespace stratoplan::widgets
