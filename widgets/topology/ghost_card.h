// SPDX-License-Identifier: GPL-3.0-or-later
// Where a dragged or armed preset would land: an empty card with a dashed outline and its name.
#pragma once

#include "widgets/topology/preset_key.h"

#include <QGraphicsItem>
#include <QString>

namespace stratoplan::widgets {

class GhostCard final : public QGraphicsItem {
public:
    GhostCard();

    /// Shows where the preset would land from `wish`; hides where it takes no place.
    void aim(const CanvasValue& value, const PresetKey& preset, const QString& name, plan::CanvasPosition wish);
    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    ElementKind m_kind = ElementKind::Nodes;
    QString m_name;
};

} // namespace stratoplan::widgets
