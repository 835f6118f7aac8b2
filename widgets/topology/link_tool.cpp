// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/link_tool.h"

#include "widgets/style/theme.h"
#include "widgets/topology/topology_scene.h"

#include <QGraphicsPathItem>
#include <QPen>

namespace stratoplan::widgets {

LinkTool::LinkTool(const catalog::Catalog& catalog, TopologyScene& scene, QObject* parent)
    : QObject(parent)
    , m_catalog(catalog)
    , m_scene(scene)
    , m_line(new QGraphicsPathItem)
{
    m_line->setZValue(8); // behind the cards
    m_line->hide();
    m_scene.addItem(m_line);
}

void LinkTool::start(const std::string& source)
{
    clear();
    m_source = source;
    if (ElementItem* item = m_scene.element(source))
        item->setMark(CardMark::LinkSource);
    Q_EMIT aimless();
}

void LinkTool::markTarget(const std::string& target, bool possible)
{
    if (ElementItem* old = m_scene.element(m_target); old && m_target != m_source)
        old->setMark(CardMark::None);
    m_target = target;
    if (ElementItem* item = m_scene.element(target); item && target != m_source)
        item->setMark(possible ? CardMark::LinkPossible : CardMark::LinkRefused);
}

void LinkTool::aim(const std::string& target, const QPointF& scenePosition)
{
    if (!m_scene.element(m_source))
        return;
    const bool aimedAtOther = !target.empty() && target != m_source;
    const LinkVerdict verdict =
        aimedAtOther ? connectionPossible(m_scene.value().cluster, m_source, target) : LinkVerdict{};
    markTarget(aimedAtOther ? target : std::string(), aimedAtOther && verdict.possible());
    const Tokens& t = currentTokens();
    drawLine(m_target, scenePosition, !aimedAtOther ? t.accent : verdict.possible() ? t.good : t.bad);
    if (aimedAtOther)
        Q_EMIT aimed(verdict, m_scene.element(target)->sceneCard());
    else
        Q_EMIT aimless();
}

void LinkTool::drawLine(const std::string& target, const QPointF& scenePosition, const QColor& colour)
{
    const ElementItem* source = m_scene.element(m_source);
    const ElementItem* other = target.empty() ? nullptr : m_scene.element(target);
    const QPointF end = other ? other->pos() : scenePosition;
    const bool upwards = end.y() < source->pos().y();
    const QRectF card = source->sceneCard();
    const double endY = other ? (upwards ? other->sceneCard().bottom() : other->sceneCard().top()) : end.y();
    const Anchor from{{card.center().x(), upwards ? card.top() : card.bottom()}, {0, upwards ? -1.0 : 1.0}};
    const Anchor to{{end.x(), endY}, {0, upwards ? 1.0 : -1.0}};
    m_line->setPath(connectionCurve(from, to));
    QPen pen(colour, 2.5, Qt::DashLine);
    pen.setCosmetic(true);
    m_line->setPen(pen);
    m_line->show();
}

void LinkTool::finish(const std::string& target)
{
    const auto edit = linkedElements(m_catalog, m_scene.value(), m_source, target);
    if (!edit)
        return; // what was aimed at says why
    clear();
    Q_EMIT linked(*edit);
    Q_EMIT aimless();
}

void LinkTool::take(const std::string& element)
{
    if (hasSource())
        finish(element);
    else
        start(element);
}

void LinkTool::clear()
{
    markTarget({}, false);
    if (ElementItem* source = m_scene.element(m_source))
        source->setMark(CardMark::None);
    m_source.clear();
    m_dragged = false;
    m_line->hide();
}

void LinkTool::press(const QPointF& scenePosition)
{
    const ElementItem* pressed = m_scene.elementAt(scenePosition);
    if (!pressed) {
        clear();
        Q_EMIT aimless();
    } else if (!hasSource()) {
        start(pressed->id());
        m_dragged = true;
    } else if (pressed->id() != m_source) {
        finish(pressed->id());
    }
}

void LinkTool::move(const QPointF& scenePosition)
{
    const ElementItem* under = m_scene.elementAt(scenePosition);
    aim(under ? under->id() : std::string(), scenePosition);
}

void LinkTool::release(const QPointF& scenePosition)
{
    const ElementItem* under = m_scene.elementAt(scenePosition);
    const bool onSource = under && under->id() == m_source;
    if (m_dragged && !onSource) {
        const std::string source = m_source;
        if (under)
            finish(under->id());
        clear();
        if (!under || m_scene.element(source) == nullptr)
            Q_EMIT aimless();
    }
    m_dragged = false; // released on the source: the next click names the other end
}

} // namespace stratoplan::widgets
