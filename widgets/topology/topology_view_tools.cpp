// SPDX-License-Identifier: GPL-3.0-or-later
// The tools in hand: linking two elements, placing a preset, and the hint that says what would happen.
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/ghost_card.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/topology_text.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QGraphicsPathItem>
#include <QPen>

#include <algorithm>

namespace stratoplan {

void TopologyView::setTool(Tool tool)
{
    if (!m_armed.isEmpty())
        armPreset({});
    clearLink();
    m_tool = tool;
    m_selectTool->setChecked(tool == Tool::Select);
    m_linkTool->setChecked(tool == Tool::Link);
    m_panTool->setChecked(tool == Tool::Pan);
    setDragMode(tool == Tool::Select ? QGraphicsView::RubberBandDrag : QGraphicsView::NoDrag);
    viewport()->setCursor(tool == Tool::Select ? Qt::ArrowCursor
            : tool == Tool::Link               ? Qt::CrossCursor
                                               : Qt::OpenHandCursor);
    if (tool == Tool::Link) {
        const QStringList keys = selection();
        if (keys.size() == 1 && m_scene->element(keys.constFirst().toStdString()))
            startLink(keys.constFirst().toStdString());
    }
    showToolHint();
}

void TopologyView::showToolHint()
{
    const QPoint below(12, m_toolBar->geometry().bottom() + 8);
    if (!m_armed.isEmpty())
        showHint(HintKind::Neutral,
            tr("Click to place %1, Esc to stop").arg(presetName(*m_catalog, presetKey(*m_catalog, m_armed))), below);
    else if (m_tool != Tool::Link)
        showHint(HintKind::Neutral, {}, below);
    else if (m_linkSource.empty())
        showHint(HintKind::Neutral, tr("Drag from one element to another, or Tab to one and press Enter"), below);
    else
        showHint(HintKind::Neutral,
            tr("Link %1 to: click the other element, or Tab to it and press Enter")
                .arg(fromText(elementName(m_value.cluster, m_linkSource))),
            below);
}

void TopologyView::showHint(HintKind kind, const QString& text, const QPoint& at)
{
    m_hint->setHint(kind, text);
    const QPoint most(width() - m_hint->width() - 8, height() - m_hint->height() - 8);
    m_hint->move(std::max(8, std::min(at.x(), most.x())), std::max(8, std::min(at.y(), most.y())));
    m_hint->raise();
}

QString TopologyView::hintText() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void TopologyView::startLink(const std::string& source)
{
    clearLink();
    m_linkSource = source;
    if (ElementItem* item = m_scene->element(source))
        item->setMark(CardMark::LinkSource);
    showToolHint();
}

void TopologyView::markLinkTarget(const std::string& target, bool possible)
{
    if (ElementItem* old = m_scene->element(m_linkTarget); old && m_linkTarget != m_linkSource)
        old->setMark(CardMark::None);
    m_linkTarget = target;
    if (ElementItem* item = m_scene->element(target); item && target != m_linkSource)
        item->setMark(possible ? CardMark::LinkPossible : CardMark::LinkRefused);
}

void TopologyView::aimLink(const std::string& target, const QPointF& scenePosition)
{
    const ElementItem* source = m_scene->element(m_linkSource);
    if (!source)
        return;
    const bool aimed = !target.empty() && target != m_linkSource;
    const LinkVerdict verdict = aimed ? connectionPossible(m_value.cluster, m_linkSource, target) : LinkVerdict{};
    markLinkTarget(aimed ? target : std::string(), aimed && verdict.possible());

    const ElementItem* other = aimed ? m_scene->element(target) : nullptr;
    const QPointF end = other ? other->pos() : scenePosition;
    const bool upwards = end.y() < source->pos().y();
    const QRectF card = source->sceneCard();
    const double endY = other ? (upwards ? other->sceneCard().bottom() : other->sceneCard().top()) : end.y();
    const Anchor from{{card.center().x(), upwards ? card.top() : card.bottom()}, {0, upwards ? -1.0 : 1.0}};
    const Anchor to{{end.x(), endY}, {0, upwards ? 1.0 : -1.0}};
    m_linkPreview->setPath(connectionCurve(from, to));
    const Tokens& t = currentTokens();
    QPen pen(!aimed ? t.accent : verdict.possible() ? t.good : t.bad, 2.5, Qt::DashLine);
    pen.setCosmetic(true);
    m_linkPreview->setPen(pen);
    m_linkPreview->show();
    if (aimed) {
        // Beneath the card it is about, or above it where there is no room.
        const QRect shown = mapFromScene(other->sceneCard()).boundingRect();
        showHint(verdict.possible() ? HintKind::Good : HintKind::Bad, describe(m_value.cluster, verdict),
            shown.bottomLeft() + QPoint(-4, 12));
        if (m_hint->geometry().intersects(shown))
            m_hint->move(m_hint->x(), std::max(8, shown.top() - 12 - m_hint->height()));
    } else {
        showToolHint();
    }
}

void TopologyView::finishLink(const std::string& target)
{
    CanvasValue next = m_value;
    const LinkVerdict verdict = connectElements(next.cluster, m_linkSource, target, fallbackLink());
    if (!verdict.possible())
        return; // the hint says why, and the source stays in hand
    const QString from = fromText(elementName(m_value.cluster, verdict.from));
    const QString to = fromText(elementName(m_value.cluster, verdict.to));
    const QString key = fromText(connectionKeys(next.cluster).back());
    clearLink();
    propose(next, tr("Link %1 to %2").arg(from, to), {key});
    showToolHint();
}

void TopologyView::clearLink()
{
    markLinkTarget({}, false);
    if (ElementItem* source = m_scene->element(m_linkSource))
        source->setMark(CardMark::None);
    m_linkSource.clear();
    m_linkDragged = false;
    m_linkPreview->hide();
}

void TopologyView::armPreset(const QString& key)
{
    const bool had = !m_armed.isEmpty();
    m_armed = presetKey(*m_catalog, key).kind == PresetKind::None ? QString() : key;
    if (!m_armed.isEmpty() && m_tool != Tool::Select) {
        const QString keep = std::exchange(m_armed, {});
        setTool(Tool::Select);
        m_armed = keep;
    }
    viewport()->setCursor(m_armed.isEmpty() ? Qt::ArrowCursor : Qt::CrossCursor);
    if (m_armed.isEmpty())
        m_ghost->hide();
    showToolHint();
    if (had && m_armed.isEmpty())
        Q_EMIT presetDisarmed();
}

void TopologyView::moveGhost(const QString& text, const QPointF& scenePosition)
{
    const PresetKey key = presetKey(*m_catalog, text);
    if (key.kind != PresetKind::Node && key.kind != PresetKind::Switch) {
        m_ghost->hide();
        return;
    }
    const ElementKind kind = key.kind == PresetKind::Node ? ElementKind::Nodes : ElementKind::Switches;
    m_ghost->setPreset(kind, presetName(*m_catalog, key));
    const CanvasPosition at =
        freePlace(m_value.cluster, m_value.positions, kind, {scenePosition.x(), scenePosition.y()});
    m_ghost->setPos(at.x, at.y);
    m_ghost->show();
}

} // namespace stratoplan
