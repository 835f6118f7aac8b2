// SPDX-License-Identifier: GPL-3.0-or-later
// The link tool in hand: from which element, to which, and the line between. Two clicks, a drag or the keyboard; what
// comes of it is an edit that somebody else makes.
#pragma once

#include "widgets/topology/canvas_edits.h"

#include <QObject>
#include <QPointF>
#include <QRectF>

class QGraphicsPathItem;

namespace stratoplan::widgets {

class TopologyScene;

class LinkTool final : public QObject {
    Q_OBJECT
public:
    LinkTool(const catalog::Catalog& catalog, TopologyScene& scene, QObject* parent);

    /// The element that the link starts at; empty = none yet.
    [[nodiscard]] const std::string& source() const { return m_source; }
    [[nodiscard]] bool hasSource() const { return !m_source.empty(); }

    void start(const std::string& source);
    /// Draws the line to the target, or to the place in the scene where there is none.
    void aim(const std::string& target, const QPointF& scenePosition);
    /// Asks for the link; where it is not possible the source stays in hand.
    void finish(const std::string& target);
    /// The source, then the target.
    void take(const std::string& element);
    void clear();

    // Of the left button, in the scene.
    void press(const QPointF& scenePosition);
    void move(const QPointF& scenePosition);
    void release(const QPointF& scenePosition);

Q_SIGNALS:
    /// There is something else to say than what was aimed at.
    void aimless();
    /// At an element, whose card it is.
    void aimed(const widgets::LinkVerdict& verdict, const QRectF& card);
    void linked(const widgets::CanvasEdit& edit);

private:
    void markTarget(const std::string& target, bool possible);
    void drawLine(const std::string& target, const QPointF& scenePosition, const QColor& colour);

    const catalog::Catalog& m_catalog;
    TopologyScene& m_scene;
    QGraphicsPathItem* m_line;
    std::string m_source;
    std::string m_target;
    bool m_dragged = false;
};

} // namespace stratoplan::widgets
