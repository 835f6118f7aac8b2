// SPDX-License-Identifier: GPL-3.0-or-later
// The cables between two groups as one curve: width = bandwidth, colour = kind of network. Labels are items of their
// own, so that they lie above every curve.
#pragma once

#include "core/cluster/cluster.h"

#include <QGraphicsItem>
#include <QPainterPath>
#include <QString>

#include <optional>
#include <string>

namespace stratoplan::widgets {

struct Tokens;

/// Colour of a kind of network on the canvas, as the legend names it.
[[nodiscard]] QColor linkColour(const Tokens& tokens, cluster::LinkKind kind);

/// Where a curve leaves a card: a point on its edge and the direction away from the card.
struct Anchor {
    QPointF point;
    QPointF outwards;
};

/// Smooth curve between two anchors, leaving both at a right angle to the card's edge.
[[nodiscard]] QPainterPath connectionCurve(const Anchor& a, const Anchor& b);

class ConnectionItem final : public QGraphicsItem {
public:
    enum { Type = UserType + 2 };

    explicit ConnectionItem(std::string key);

    [[nodiscard]] const std::string& key() const { return m_key; }
    void setContent(cluster::LinkKind kind, double width, bool faulty);
    /// Share of the step that colours it in place of its kind of network; none: its kind does.
    void setLoad(std::optional<double> load);
    [[nodiscard]] std::optional<double> load() const { return m_load; }
    void setCurve(const QPainterPath& curve);
    [[nodiscard]] const QPainterPath& curve() const { return m_curve; }
    void setCurrent(bool current);
    /// `near`: ends at a selected element; `faded`: others do, so this one steps back.
    void setEmphasis(bool near, bool faded);
    [[nodiscard]] bool isNear() const { return m_near; }

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    std::string m_key;
    QPainterPath m_curve;
    cluster::LinkKind m_kind = cluster::LinkKind::Other;
    double m_width = 1;
    std::optional<double> m_load;
    bool m_faulty = false; ///< an end has fewer ports than cables
    bool m_current = false; ///< the keyboard is here
    bool m_near = false;
    bool m_faded = false;
};

/// Text beside a curve, on a plate of the canvas colour.
class ConnectionLabel final : public QGraphicsItem {
public:
    enum { Type = UserType + 3 };

    ConnectionLabel();

    void setText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    void setEmphasised(bool emphasised);

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override { return m_rect; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    QString m_text;
    QRectF m_rect;
    bool m_emphasised = false;
};

} // namespace stratoplan::widgets
