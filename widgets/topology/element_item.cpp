// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/element_item.h"

#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"
#include "widgets/topology/node_map.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kRadius = 8;
constexpr double kStackStep = 5; ///< how far each card behind peeks out
constexpr double kRing = 5; ///< room for marks around the card
constexpr double kBadgeHeight = 20;

int cardsBehind(int count)
{
    return count > 2 ? 2 : count - 1;
}

/// Badges and marks keep a size one can read when the cards get small.
double markScale(double zoom)
{
    return std::clamp(0.75 / zoom, 1.0, 1.8);
}

/// Lines stay thin from near by.
double lineScale(double zoom)
{
    constexpr double kMostPixels = 3; // of a line of width 1
    return std::min(1.0, kMostPixels / zoom);
}

QString countText(int count)
{
    return QStringLiteral("× %1").arg(QLocale(QLocale::English).toString(count));
}

} // namespace

QColor acceleratorColour(const Tokens& tokens, int index)
{
    static constexpr std::array kinds{Mark::Weights, Mark::Buffers, Mark::Optimizer, Mark::Activations, Mark::Recompute,
        Mark::Fits, Mark::Other, Mark::Dominated, Mark::Gradients};
    return tokens.mark(kinds[static_cast<std::size_t>(std::abs(index)) % kinds.size()]);
}

DetailLevel detailLevel(double zoom)
{
    if (zoom < 0.28)
        return DetailLevel::Block;
    return zoom < 0.6 ? DetailLevel::Title : DetailLevel::Full;
}

ElementItem::ElementItem(std::string id, std::function<void(const std::string&)> moved)
    : m_id(std::move(id))
    , m_moved(std::move(moved))
{
    setFlags(ItemIsMovable | ItemIsSelectable | ItemSendsGeometryChanges | ItemUsesExtendedStyleOption);
    setZValue(10);
}

void ElementItem::setContent(const CardContent& content)
{
    if (content == m_content)
        return;
    if (content.kind != m_content.kind || content.count != m_content.count)
        prepareGeometryChange();
    m_content = content;
    update();
}

void ElementItem::setMark(CardMark mark)
{
    if (mark == m_mark)
        return;
    m_mark = mark;
    update();
}

void ElementItem::setMap(std::shared_ptr<const NodeMap> map)
{
    m_map = std::move(map);
    update();
}

QRectF ElementItem::mapArea() const
{
    return card().adjusted(8, 34, -8, -6);
}

QRectF ElementItem::card() const
{
    const CanvasSize size = cardSize(m_content.kind);
    return {-size.width / 2, -size.height / 2, size.width, size.height};
}

QRectF ElementItem::acceleratorArea() const
{
    return {card().left() + 16, card().top() + 36, card().width() - 32, 40};
}

QRectF ElementItem::boundingRect() const
{
    // Room for the cards behind, the badge over the corner and the rings.
    return card().adjusted(
        -kRing - kBadgeHeight, -kRing - kBadgeHeight - 2 * kStackStep, kRing + 3 * kBadgeHeight, kRing + 2);
}

QPainterPath ElementItem::shape() const
{
    QPainterPath path;
    path.addRoundedRect(card(), kRadius, kRadius);
    return path;
}

void ElementItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const DetailLevel level = detailLevel(zoom);
    const Tokens& t = currentTokens();
    painter->setRenderHint(QPainter::Antialiasing);
    paintStack(*painter, t, level);
    paintFrame(*painter, t, zoom);
    if (showsMap(level, zoom))
        paintMap(*painter, option->exposedRect, t, level, zoom);
    else
        paintCard(*painter, t, level, zoom);
    if (level == DetailLevel::Block)
        return;
    paintBadge(*painter, t, zoom);
    paintIssue(*painter, t, zoom);
}

void ElementItem::paintCard(QPainter& painter, const Tokens& t, DetailLevel level, double zoom) const
{
    switch (level) {
    case DetailLevel::Block:
        paintBlock(painter, t);
        break;
    case DetailLevel::Title:
        paintTitle(painter, t, zoom);
        break;
    case DetailLevel::Full:
        paintName(painter, t);
        if (m_content.kind == ElementKind::Nodes)
            paintNodes(painter, t);
        else
            paintSwitch(painter, t);
        paintCaptions(painter, t);
        break;
    }
}

bool ElementItem::showsMap(DetailLevel level, double zoom) const
{
    // Of one node, or from afar, what the card shows anyway says as much.
    constexpr double kNear = 1.75;
    if (!m_map)
        return false;
    return m_map->isColoured()
        || (level == DetailLevel::Full && m_content.count > 1 && zoom >= kNear && m_map->isReadable(zoom));
}

void ElementItem::paintMap(
    QPainter& painter, const QRectF& exposed, const Tokens& t, DetailLevel level, double zoom) const
{
    if (level == DetailLevel::Full) {
        paintName(painter, t);
    } else if (level == DetailLevel::Title) {
        QFont font = cardFont(CardText::Name);
        font.setPointSizeF(std::min(font.pointSizeF() * 0.85 / zoom, 15.0));
        drawElided(painter, card().adjusted(6, 4, -6, mapArea().top() - card().bottom()), m_content.name, font, t.text);
    }
    const QPointF corner = mapArea().topLeft();
    painter.translate(corner);
    m_map->paint(painter, exposed.translated(-corner), acceleratorColour(t, m_content.colour), t);
    painter.translate(-corner);
}

void ElementItem::paintName(QPainter& painter, const Tokens& t) const
{
    const double top = card().top() + (m_content.kind == ElementKind::Nodes ? 9 : 7);
    drawElided(painter, QRectF(card().left() + 10, top, card().width() - 20, 20), m_content.name,
        cardFont(CardText::Name), t.text);
}

void ElementItem::paintStack(QPainter& painter, const Tokens& t, DetailLevel level) const
{
    if (level == DetailLevel::Block)
        return;
    painter.setPen(QPen(t.frame, lineScale(painter.worldTransform().m11())));
    for (int i = cardsBehind(m_content.count); i > 0; --i) {
        painter.setBrush(blend(t.window, t.surface, 1.0 - 0.3 * i));
        painter.drawRoundedRect(card().translated(i * kStackStep, -i * kStackStep), kRadius, kRadius);
    }
}

void ElementItem::paintFrame(QPainter& painter, const Tokens& t, double zoom) const
{
    QPen pen(t.frame, 1);
    if (m_content.issue == plan::Severity::Error)
        pen = QPen(t.bad, 2);
    else if (m_content.issue == plan::Severity::Warning)
        pen = QPen(t.warn, 1.5);
    if (isSelected())
        pen = QPen(t.accent, std::max(2.5, 1.5 / zoom));
    pen.setWidthF(pen.widthF() * lineScale(zoom));
    painter.setPen(pen);
    painter.setBrush(t.window);
    painter.drawRoundedRect(card(), kRadius, kRadius);
    if (m_mark == CardMark::None)
        return;
    QPen ring(t.accent, std::max(1.5, 1.0 / zoom));
    if (m_mark == CardMark::Current)
        ring.setStyle(Qt::DotLine);
    else if (m_mark == CardMark::LinkPossible)
        ring = QPen(t.good, 3);
    else if (m_mark == CardMark::LinkRefused)
        ring = QPen(t.bad, 2, Qt::DashLine);
    painter.setPen(ring);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(card().adjusted(-4, -4, 4, 4), kRadius + 4, kRadius + 4);
}

void ElementItem::paintBlock(QPainter& painter, const Tokens& t) const
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_content.kind == ElementKind::Nodes ? acceleratorColour(t, m_content.colour) : t.secondaryText);
    painter.drawRoundedRect(card().adjusted(16, 16, -16, -16), 4, 4);
}

void ElementItem::paintTitle(QPainter& painter, const Tokens& t, double zoom) const
{
    // The name is drawn larger the further away it is, as far as the card has room.
    QFont font = cardFont(CardText::Name);
    font.setPointSizeF(std::min(font.pointSizeF() * 0.85 / zoom, 18.0));
    const QRectF all = card().adjusted(10, 8, -10, -8);
    if (m_content.kind == ElementKind::Switches) {
        drawElided(painter, all, m_content.name, font, t.text);
        return;
    }
    const double line = QFontMetricsF(font).height();
    drawElided(painter, QRectF(all.left(), all.top(), all.width(), line), m_content.name, font, t.text);
    const QRectF rest = all.adjusted(6, line + 8, -6, -6);
    painter.setPen(Qt::NoPen);
    painter.setBrush(acceleratorColour(t, m_content.colour));
    const AcceleratorGrid grid = acceleratorGrid(m_content.accelerators, rest.width(), rest.height());
    if (grid.side * zoom < 3)
        painter.drawRoundedRect(rest, 4, 4);
    else
        paintAccelerators(painter, rest, m_content.accelerators, 0, acceleratorColour(t, m_content.colour), t);
}

void ElementItem::paintNodes(QPainter& painter, const Tokens& t) const
{
    paintAccelerators(painter, acceleratorArea(), m_content.accelerators, m_content.domain,
        acceleratorColour(t, m_content.colour), t);
}

void ElementItem::paintSwitch(QPainter& painter, const Tokens& t) const
{
    paintPorts(painter, QRectF(card().left() + 16, card().top() + 30, card().width() - 32, 8), m_content.portUse, t);
}

void ElementItem::paintCaptions(QPainter& painter, const Tokens& t) const
{
    const QFont font = cardFont(CardText::Caption);
    constexpr double kLine = 17;
    double y = card().bottom() - 7 - kLine * static_cast<double>(m_content.captions.size());
    for (const QString& caption : m_content.captions) {
        drawElided(painter, QRectF(card().left() + 8, y, card().width() - 16, kLine), caption, font, t.secondaryText);
        y += kLine;
    }
}

void ElementItem::paintBadge(QPainter& painter, const Tokens& t, double zoom) const
{
    if (m_content.count < 2)
        return;
    const double scale = markScale(zoom);
    QFont font = cardFont(CardText::Badge);
    font.setPointSizeF(font.pointSizeF() * scale);
    const QString text = countText(m_content.count);
    const double height = kBadgeHeight * scale;
    const double width = QFontMetricsF(font).horizontalAdvance(text) + 14 * scale;
    const QRectF badge(
        card().right() + 2 * kStackStep - width + 8, card().top() - kStackStep - height / 2, width, height);
    painter.setPen(QPen(t.surface, 2));
    painter.setBrush(t.accent);
    painter.drawRoundedRect(badge, height / 2, height / 2);
    painter.setFont(font);
    painter.setPen(t.onAccent);
    painter.drawText(badge, Qt::AlignCenter, text);
}

void ElementItem::paintIssue(QPainter& painter, const Tokens& t, double zoom) const
{
    if (!m_content.issue || *m_content.issue == plan::Severity::Note)
        return;
    const QColor fill = *m_content.issue == plan::Severity::Error ? t.bad : t.warn;
    const double side = 18 * markScale(zoom);
    const QRectF dot(card().left() - side / 2, card().top() - side / 2, side, side);
    painter.setPen(QPen(t.surface, 2));
    painter.setBrush(fill);
    painter.drawEllipse(dot);
    QFont font = cardFont(CardText::Badge);
    font.setPointSizeF(font.pointSizeF() * markScale(zoom));
    painter.setFont(font);
    painter.setPen(t.label(fill));
    painter.drawText(dot, Qt::AlignCenter, QStringLiteral("!"));
}

QVariant ElementItem::itemChange(GraphicsItemChange change, const QVariant& value)
{
    if (change == ItemPositionHasChanged && m_moved)
        m_moved(m_id);
    return QGraphicsItem::itemChange(change, value);
}

} // namespace stratoplan::widgets
