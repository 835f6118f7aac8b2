// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_title.h"

#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"
#include "widgets/topology/rack_frame.h"
#include "widgets/topology/rack_layout.h"

#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QGraphicsSceneEvent>
#include <QPainter>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr double kTitleLayer = 6; ///< z, in front of cables and their labels
constexpr double kTitleInset = 16;
constexpr double kTitleDrop = 3; ///< of a title within the frame, from the middle of its room
constexpr double kMostTitle = 40; ///< points; larger ones would reach into the row above
constexpr double kTitlePad = 6; ///< of the plate, left and right of the writing

/// Of the same size on the screen, or a little less, until there is no room in the scene for it.
QFont titleFont(double zoom)
{
    QFont font = cardFont(CardText::Name);
    const double base = font.pointSizeF();
    font.setPointSizeF(std::clamp(base * 0.9 / zoom, base, std::max(base, kMostTitle)));
    return font;
}

QFont partsFont(double zoom)
{
    QFont font = titleFont(zoom);
    font.setWeight(QFont::Normal);
    font.setPointSizeF(font.pointSizeF() * 0.85);
    return font;
}

QString partsText(const RackFrame& frame)
{
    return frame.content().parts.join(QStringLiteral(", "));
}

} // namespace

RackTitle::RackTitle(RackFrame& frame)
    : m_frame(frame)
{
    setAcceptedMouseButtons(Qt::LeftButton);
    setAcceptHoverEvents(true);
    setZValue(kTitleLayer);
}

/// Above the frame where the title is too large to stand in it.
void RackTitle::layOut(double zoom)
{
    prepareGeometryChange();
    m_zoom = zoom;
    const QRectF& frame = m_frame.frame();
    const QFontMetricsF metrics(titleFont(zoom));
    const double room = std::max(0.0, frame.width() - 2 * kTitleInset), height = metrics.height();
    const double width = std::min(room, metrics.horizontalAdvance(m_frame.content().name) + 2);
    const double line = 1 / zoom; // of the frame, its upper half
    const double top =
        height <= kRackTitle ? frame.top() + (kRackTitle - height) / 2 + kTitleDrop : frame.top() - line - height;
    m_name = QRectF(frame.left() + kTitleInset, top, width, height);
    m_parts = QRectF(m_name.right() + height / 2, top,
        QFontMetricsF(partsFont(zoom)).horizontalAdvance(partsText(m_frame)) + 2, height);
    if (m_parts.right() > frame.right() - kTitleInset)
        m_parts = {};
    update();
}

QRectF RackTitle::boundingRect() const
{
    return written().adjusted(-kTitlePad, 0, kTitlePad, 0);
}

void RackTitle::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Tokens& t = currentTokens();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_frame.frame().contains(m_name) ? m_frame.ground(t) : t.surface);
    painter->drawRoundedRect(boundingRect(), kTitlePad, kTitlePad);
    const QFont font = titleFont(m_zoom);
    painter->setFont(font);
    painter->setPen(m_frame.chosen() == RackFrame::Chosen::All ? t.accent : t.text);
    painter->drawText(m_name, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(font).elidedText(m_frame.content().name, Qt::ElideRight, m_name.width()));
    if (m_parts.isEmpty())
        return;
    painter->setFont(partsFont(m_zoom));
    painter->setPen(t.secondaryText);
    painter->drawText(m_parts, Qt::AlignLeft | Qt::AlignVCenter, partsText(m_frame));
}

void RackTitle::hand(QEvent* event)
{
    scene()->sendEvent(&m_frame, event);
}

void RackTitle::mousePressEvent(QGraphicsSceneMouseEvent* event)
{
    hand(event);
}

void RackTitle::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
    hand(event);
}

void RackTitle::mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event)
{
    hand(event);
}

void RackTitle::hoverEnterEvent(QGraphicsSceneHoverEvent* event)
{
    hand(event);
}

void RackTitle::hoverLeaveEvent(QGraphicsSceneHoverEvent* event)
{
    hand(event);
}

} // namespace stratoplan::widgets
