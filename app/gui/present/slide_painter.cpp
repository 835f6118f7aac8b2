// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/slide_painter.h"

#include "widgets/style/theme.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

constexpr double kSmallest = 0.62; ///< of the size that is asked for
constexpr int kWrapped = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

} // namespace

SlidePainter::SlidePainter(QPainter& painter, double unit, const QFont& font)
    : m_painter(painter)
    , m_unit(unit)
    , m_font(font)
    , m_tokens(widgets::currentTokens())
{
    m_painter.setRenderHint(QPainter::Antialiasing);
}

QFont SlidePainter::font(double size, bool strong) const
{
    QFont result = m_font;
    result.setPixelSize(std::max(1, int(std::lround(px(size)))));
    result.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    return result;
}

QColor SlidePainter::colour(SlideTone tone) const
{
    switch (tone) {
    case SlideTone::Good:
        return m_tokens.good;
    case SlideTone::Warn:
        return m_tokens.warn;
    case SlideTone::Bad:
        return m_tokens.bad;
    case SlideTone::Neutral:
        break;
    }
    return m_tokens.text;
}

void SlidePainter::line(const QRectF& place, const QString& text, const TextStyle& style) const
{
    QFont fitting = font(style.size, style.strong);
    const double wanted = QFontMetricsF(fitting).horizontalAdvance(text);
    if (wanted > place.width() && wanted > 0) {
        const double factor = std::max(kSmallest, 0.99 * place.width() / wanted);
        fitting.setPixelSize(std::max(1, int(std::floor(fitting.pixelSize() * factor))));
    }
    m_painter.setFont(fitting);
    m_painter.setPen(style.colour);
    m_painter.drawText(place, int(style.alignment) | Qt::TextSingleLine,
        QFontMetricsF(fitting).elidedText(text, Qt::ElideRight, place.width()));
}

double SlidePainter::heightOf(double width, const QString& text, const TextStyle& style) const
{
    return QFontMetricsF(font(style.size, style.strong))
        .boundingRect(QRectF(0, 0, width, 1e6), kWrapped, text)
        .height();
}

double SlidePainter::widthOf(const QString& text, const TextStyle& style) const
{
    return QFontMetricsF(font(style.size, style.strong)).horizontalAdvance(text);
}

double SlidePainter::paragraph(const QRectF& place, const QString& text, const TextStyle& style) const
{
    m_painter.setFont(font(style.size, style.strong));
    m_painter.setPen(style.colour);
    m_painter.drawText(place, kWrapped, text);
    return heightOf(place.width(), text, style);
}

void SlidePainter::plate(const QRectF& place) const
{
    m_painter.setPen(QPen(m_tokens.border, std::max(1.0, px(0.12))));
    m_painter.setBrush(m_tokens.surface);
    m_painter.drawRoundedRect(place, px(0.9), px(0.9));
}

} // namespace stratoplan::gui
