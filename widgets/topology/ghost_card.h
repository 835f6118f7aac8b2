// SPDX-License-Identifier: GPL-3.0-or-later
// Where a dragged or armed preset would land: an empty card with a dashed outline and its name.
#pragma once

#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/preset_key.h"

#include <QGraphicsItem>
#include <QString>

namespace stratoplan::widgets {

class GhostCard final : public QGraphicsItem {
public:
    GhostCard();

    /// Shows where the preset would land from `wish`; hides where it takes no place.
    void aim(
        const catalog::Catalog& catalog, const CanvasValue& value, const PresetKey& preset, plan::CanvasPosition wish);
    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    CanvasSize m_size;
    QString m_name;
};

} // namespace stratoplan::widgets
