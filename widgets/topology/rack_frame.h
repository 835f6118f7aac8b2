// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around the cards of a rack, with its name. From far away it is a plate in front of them that tells what is
// in the rack, legible where single cards are not.
#pragma once

#include "core/plan/problem.h"
#include "widgets/topology/rack_title.h"

#include <QGraphicsItem>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct Tokens;

/// What a frame shows, made from the cluster once per change.
struct RackContent {
    /// Accelerators of one colour.
    struct Share {
        int colour = 0;
        double accelerators = 0;
        bool operator==(const Share&) const = default;
    };
    QString name;
    QStringList parts; ///< "8 nodes", "64 accelerators"
    std::vector<Share> shares;
    std::optional<plan::Severity> issue; ///< the worst of its elements
    bool operator==(const RackContent&) const = default;
};

class RackFrames;

class RackFrame final : public QGraphicsItem {
public:
    enum { Type = UserType + 5 };
    enum class Chosen { None, Some, All };

    explicit RackFrame(RackFrames& racks);
    /// That the item is, or is the title of; else nullptr.
    [[nodiscard]] static RackFrame* shownBy(QGraphicsItem& item);

    [[nodiscard]] const RackContent& content() const { return m_content; }
    void setContent(const RackContent& content);
    /// Ids of its elements.
    [[nodiscard]] const std::vector<std::string>& elements() const { return m_elements; }
    void setElements(std::vector<std::string> elements) { m_elements = std::move(elements); }
    /// In the scene, as all that follows.
    void setFrame(const QRectF& frame);
    [[nodiscard]] const QRectF& frame() const { return m_frame; }
    /// Where the name stands, at this zoom.
    [[nodiscard]] const QRectF& title() const { return m_title->name(); }
    /// An item of the scene beside this one, which has to be added and removed with it.
    [[nodiscard]] RackTitle& titleItem() const { return *m_title; }
    /// Its colour over the canvas, opaque.
    [[nodiscard]] QColor ground(const Tokens& tokens) const;
    void setView(double zoom, bool isPlate);
    [[nodiscard]] bool isPlate() const { return m_isPlate; }
    /// How many of its elements are selected.
    void setChosen(Chosen chosen);
    [[nodiscard]] Chosen chosen() const { return m_chosen; }
    /// What is dragged goes into it when it is dropped.
    void setTarget(bool isTarget);
    [[nodiscard]] bool isTarget() const { return m_isTarget; }
    /// Lines of the plate that there is room for.
    [[nodiscard]] QStringList plateLines() const;

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseDoubleClickEvent(QGraphicsSceneMouseEvent* event) override;
    void hoverEnterEvent(QGraphicsSceneHoverEvent* event) override;
    void hoverLeaveEvent(QGraphicsSceneHoverEvent* event) override;

private:
    void layOut();
    void redraw();
    void paintFrame(QPainter& painter, const Tokens& tokens) const;
    void paintPlate(QPainter& painter, const Tokens& tokens) const;
    void paintShares(QPainter& painter, const QRectF& bar, const Tokens& tokens) const;
    [[nodiscard]] QColor lineColour(const Tokens& tokens) const;
    [[nodiscard]] double lineWidth() const;

    RackFrames& m_racks;
    RackTitle* m_title; ///< the scene's
    RackContent m_content;
    std::vector<std::string> m_elements;
    QRectF m_frame;
    double m_zoom = 1;
    bool m_isPlate = false;
    bool m_isHovered = false;
    bool m_isTarget = false;
    bool m_wasChosen = false; ///< all of it, before the button went down
    Chosen m_chosen = Chosen::None;
};

} // namespace stratoplan::widgets
