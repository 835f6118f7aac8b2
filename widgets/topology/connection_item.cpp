// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/connection_item.h"

#include "widgets/presentation/rank_map.h"
#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPathStroker>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kHitWidth = 12;
constexpr double kHalo = 6;
constexpr double kLabelZoom = 0.55; ///< below it the text cannot be read

} // namespace

QColor linkColour(const Tokens& t, cluster::LinkKind kind)
{
    switch (kind) {
    case cluster::LinkKind::InfiniBand:
        return t.edge(Mark::Hidden);
    case cluster::LinkKind::Ethernet:
        return t.mark(Mark::Dominated);
    case cluster::LinkKind::Slingshot:
    case cluster::LinkKind::Hccs:
        return t.mark(Mark::Optimizer);
    case cluster::LinkKind::NvLink:
    case cluster::LinkKind::InfinityFabric:
    case cluster::LinkKind::Ici:
        return t.mark(Mark::Weights);
    case cluster::LinkKind::Pcie:
    case cluster::LinkKind::Other:
        return t.mark(Mark::Bubble);
    }
    return t.mark(Mark::Bubble);
}

QPainterPath connectionCurve(const Anchor& a, const Anchor& b)
{
    // Half the way between the two edges: the curve never swings out beyond them, however far apart sideways.
    const QPointF way = b.point - a.point;
    const double between = std::abs(QPointF::dotProduct(way, a.outwards));
    const double reach = std::clamp(between * 0.5, 24.0, 240.0);
    QPainterPath path(a.point);
    path.cubicTo(a.point + a.outwards * reach, b.point + b.outwards * reach, b.point);
    return path;
}

ConnectionItem::ConnectionItem(std::string key)
    : m_key(std::move(key))
{
    setFlags(ItemIsSelectable);
    setZValue(0);
    setAcceptHoverEvents(true);
}

void ConnectionItem::setContent(cluster::LinkKind kind, double width, bool faulty)
{
    if (kind == m_kind && width == m_width && faulty == m_faulty)
        return;
    prepareGeometryChange();
    m_kind = kind;
    m_width = width;
    m_faulty = faulty;
    update();
}

void ConnectionItem::setLoad(std::optional<double> load)
{
    if (load == m_load)
        return;
    m_load = load;
    update();
}

void ConnectionItem::setCurve(const QPainterPath& curve)
{
    if (curve == m_curve)
        return;
    prepareGeometryChange();
    m_curve = curve;
}

void ConnectionItem::setEmphasis(bool near, bool faded)
{
    if (near == m_near && faded == m_faded)
        return;
    m_near = near;
    m_faded = faded;
    setZValue(near ? 1 : 0);
    update();
}

void ConnectionItem::setCurrent(bool current)
{
    if (m_current == current)
        return;
    m_current = current;
    update();
}

QRectF ConnectionItem::boundingRect() const
{
    const double margin = m_width / 2 + kHalo;
    return m_curve.controlPointRect().adjusted(-margin, -margin, margin, margin);
}

QPainterPath ConnectionItem::shape() const
{
    QPainterPathStroker stroker;
    stroker.setWidth(std::max(m_width, kHitWidth));
    return stroker.createStroke(m_curve);
}

void ConnectionItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const Tokens& t = currentTokens();
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    const double width = std::max(m_width, 1.0 / zoom);
    if (isSelected() || m_current) {
        painter->setPen(QPen(t.accent, width + 5, isSelected() ? Qt::SolidLine : Qt::DotLine, Qt::FlatCap));
        painter->drawPath(m_curve);
        painter->setPen(QPen(t.surface, width + 2, Qt::SolidLine, Qt::FlatCap));
        painter->drawPath(m_curve);
    }
    const bool hovered = option->state.testFlag(QStyle::State_MouseOver);
    QColor colour = m_load ? loadColour(t, *m_load) : m_faulty ? t.bad : linkColour(t, m_kind);
    if (!hovered && !isSelected() && !m_near)
        colour = blend(colour, t.surface, m_faded ? 0.35 : 0.85);
    painter->setPen(QPen(colour, width, m_faulty ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
    painter->drawPath(m_curve);
}

ConnectionLabel::ConnectionLabel()
{
    setZValue(5);
    setAcceptedMouseButtons(Qt::NoButton);
}

void ConnectionLabel::setText(const QString& text)
{
    const QFontMetricsF metrics(cardFont(CardText::Caption));
    const double width = std::ceil(metrics.horizontalAdvance(text)) + 12;
    const QRectF rect(-width / 2, -10, width, 20);
    if (text == m_text && rect == m_rect)
        return;
    prepareGeometryChange();
    m_text = text;
    m_rect = rect;
}

void ConnectionLabel::setEmphasised(bool emphasised)
{
    m_emphasised = emphasised;
    update();
}

void ConnectionLabel::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    if (QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform()) < kLabelZoom)
        return;
    const Tokens& t = currentTokens();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(m_emphasised ? QPen(t.accent, 1) : QPen(Qt::NoPen));
    painter->setBrush(t.surface);
    painter->drawRoundedRect(m_rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter->setFont(cardFont(CardText::Caption));
    painter->setPen(m_emphasised ? t.text : t.secondaryText);
    painter->drawText(m_rect, Qt::AlignCenter, m_text);
}

} // namespace stratoplan::widgets
