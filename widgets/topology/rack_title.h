// SPDX-License-Identifier: GPL-3.0-or-later
// The title of a rack, on a small plate in front of the cables that run into its frame. What the mouse does to it, it
// does to the frame.
#pragma once

#include <QGraphicsItem>
#include <QString>

namespace stratoplan::widgets {

class RackFrame;

class RackTitle final : public QGraphicsItem {
public:
    enum { Type = UserType + 6 };

    explicit RackTitle(RackFrame& frame);

    [[nodiscard]] RackFrame& frame() const { return m_frame; }
    /// At this zoom, in the scene; as what the frame shows and where it stands are now.
    void layOut(double zoom);
    /// Where the name stands.
    [[nodiscard]] const QRectF& name() const { return m_name; }
    /// All that is written: the name, and what is in the rack where there is room beside it.
    [[nodiscard]] QRectF written() const { return m_name | m_parts; }

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event) override;
    void hoverEnterEvent(QGraphicsSceneHoverEvent* event) override;
    void hoverLeaveEvent(QGraphicsSceneHoverEvent* event) override;

private:
    void hand(QEvent* event);

    RackFrame& m_frame;
    QRectF m_name;
    QRectF m_parts; ///< empty: not told
    double m_zoom = 1;
};

} // namespace stratoplan::widgets
