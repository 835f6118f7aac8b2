// SPDX-License-Identifier: GPL-3.0-or-later
// The card of one element on the canvas. It paints everything inside it itself (the accelerators of a node, the ports
// of a switch): one item per group keeps scenes of thousands of groups light. Less is drawn the further one zooms out.
#pragma once

#include "core/plan/problem.h"
#include "widgets/topology/canvas_layout.h"

#include <QColor>
#include <QGraphicsItem>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace stratoplan::widgets {

class NodeMap;
struct Tokens;

/// What a card shows, made from the cluster once per change.
struct CardContent {
    ElementKind kind = ElementKind::Nodes;
    QString name;
    QStringList captions;
    int count = 1;
    int accelerators = 0; ///< squares of a node card
    int domain = 0; ///< accelerators that share one outline; more than `accelerators`: the outline stays open
    int colour = 0; ///< index of the accelerator's family colour
    double portUse = 0; ///< share of a switch's ports in use; above 1 = too few ports
    std::optional<plan::Severity> issue;
    bool operator==(const CardContent&) const = default;
};

/// Colour of an accelerator family, readable on cards of the theme. Any index is valid.
[[nodiscard]] QColor acceleratorColour(const Tokens& tokens, int index);

/// How much of a card is worth drawing at a zoom factor.
enum class DetailLevel { Block, Title, Full };
[[nodiscard]] DetailLevel detailLevel(double zoom);

/// Ring around an element that is not selected: where the keyboard is, or how a link would end here.
enum class CardMark { None, Current, LinkSource, LinkPossible, LinkRefused };

class ElementItem final : public QGraphicsItem {
public:
    enum { Type = UserType + 1 };

    ElementItem(std::string id, std::function<void(const std::string&)> moved);

    [[nodiscard]] const std::string& id() const { return m_id; }
    [[nodiscard]] const CardContent& content() const { return m_content; }
    void setContent(const CardContent& content);
    void setMark(CardMark mark);
    [[nodiscard]] CardMark mark() const { return m_mark; }

    /// Of the accelerators of all its nodes: shown where ranks colour it, and from near by; none of switches.
    void setMap(std::shared_ptr<const NodeMap> map);
    [[nodiscard]] const NodeMap* map() const { return m_map.get(); }
    /// Where the map stands, item coordinates.
    [[nodiscard]] QRectF mapArea() const;

    /// The front card, in item coordinates and in the scene.
    [[nodiscard]] QRectF card() const;
    [[nodiscard]] QRectF sceneCard() const { return card().translated(pos()); }
    /// Where the grid of accelerators of a node card stands, item coordinates.
    [[nodiscard]] QRectF acceleratorArea() const;

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;

private:
    void paintStack(QPainter& painter, const Tokens& tokens, DetailLevel level) const;
    void paintFrame(QPainter& painter, const Tokens& tokens, double zoom) const;
    [[nodiscard]] bool showsMap(DetailLevel level, double zoom) const;
    void paintMap(QPainter& painter, const QRectF& exposed, const Tokens& tokens, DetailLevel level, double zoom) const;
    void paintName(QPainter& painter, const Tokens& tokens) const;
    void paintCard(QPainter& painter, const Tokens& tokens, DetailLevel level, double zoom) const;
    void paintBlock(QPainter& painter, const Tokens& tokens) const;
    void paintTitle(QPainter& painter, const Tokens& tokens, double zoom) const;
    void paintNodes(QPainter& painter, const Tokens& tokens) const;
    void paintSwitch(QPainter& painter, const Tokens& tokens) const;
    void paintCaptions(QPainter& painter, const Tokens& tokens) const;
    void paintBadge(QPainter& painter, const Tokens& tokens, double zoom) const;
    void paintIssue(QPainter& painter, const Tokens& tokens, double zoom) const;

    std::string m_id;
    std::function<void(const std::string&)> m_moved;
    CardContent m_content;
    CardMark m_mark = CardMark::None;
    std::shared_ptr<const NodeMap> m_map;
};

} // namespace stratoplan::widgets
