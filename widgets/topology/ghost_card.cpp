// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/ghost_card.h"

#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/card_paint.h"

#include <QPainter>

namespace stratoplan::widgets {

GhostCard::GhostCard()
{
    setZValue(20);
    setAcceptedMouseButtons(Qt::NoButton);
}

void GhostCard::aim(const CanvasValue& value, const PresetKey& preset, const QString& name, plan::CanvasPosition wish)
{
    if (preset.kind != PresetKind::Node && preset.kind != PresetKind::Switch) {
        hide();
        return;
    }
    prepareGeometryChange();
    m_kind = preset.kind == PresetKind::Node ? ElementKind::Nodes : ElementKind::Switches;
    m_name = name;
    update();
    const plan::CanvasPosition place = freePlace(value.cluster, value.positions, m_kind, wish);
    setPos(place.x, place.y);
    show();
}

QRectF GhostCard::boundingRect() const
{
    const CanvasSize size = cardSize(m_kind);
    return QRectF(-size.width / 2, -size.height / 2, size.width, size.height).adjusted(-2, -2, 2, 2);
}

void GhostCard::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Tokens& t = currentTokens();
    painter->setRenderHint(QPainter::Antialiasing);
    QColor fill = t.accentSoft;
    fill.setAlphaF(0.8F);
    painter->setPen(QPen(t.accent, 1.5, Qt::DashLine));
    painter->setBrush(fill);
    const QRectF card = boundingRect().adjusted(2, 2, -2, -2);
    painter->drawRoundedRect(card, 8, 8);
    drawElided(*painter, card.adjusted(8, 0, -8, 0), m_name, cardFont(CardText::Name), t.text);
}

} // namespace stratoplan::widgets
