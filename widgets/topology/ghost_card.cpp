// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/ghost_card.h"

#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/rack_layout.h"

#include <QPainter>

namespace stratoplan::widgets {

GhostCard::GhostCard()
{
    setZValue(20);
    setAcceptedMouseButtons(Qt::NoButton);
}

void GhostCard::aim(
    const catalog::Catalog& catalog, const CanvasValue& value, const PresetKey& preset, plan::CanvasPosition wish)
{
    plan::CanvasPosition place;
    prepareGeometryChange();
    if (preset.kind == PresetKind::Node || preset.kind == PresetKind::Switch) {
        const ElementKind kind = preset.kind == PresetKind::Node ? ElementKind::Nodes : ElementKind::Switches;
        m_size = cardSize(kind);
        place = landing(value, kind, wish).place;
    } else if (preset.kind == PresetKind::Rack) {
        const RackLanding rack = rackLanding(catalog, value, wish);
        m_size = rack.size;
        place = rack.place;
    } else {
        hide();
        return;
    }
    m_name = presetName(catalog, preset);
    update();
    setPos(place.x, place.y);
    show();
}

QRectF GhostCard::boundingRect() const
{
    return QRectF(-m_size.width / 2, -m_size.height / 2, m_size.width, m_size.height).adjusted(-2, -2, 2, 2);
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
