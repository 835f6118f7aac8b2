// SPDX-License-Identifier: GPL-3.0-or-later
// What is in hand on the canvas: a tool, or a preset that waits for its place; what the left button does with it, and
// what there is to say of it.
#pragma once

#include "core/catalog/catalog.h"

#include <QObject>
#include <QPointF>
#include <QString>

namespace stratoplan::widgets {

class GhostCard;
class LinkTool;
class TopologyScene;

class CanvasTools final : public QObject {
    Q_OBJECT
public:
    enum class Tool { Select, Link, Pan };
    Q_ENUM(Tool)

    CanvasTools(const catalog::Catalog& catalog, TopologyScene& scene, QObject* parent);

    [[nodiscard]] Tool tool() const { return m_tool; }
    /// A link starts at the one element that is selected.
    void setTool(Tool tool);
    [[nodiscard]] Qt::CursorShape cursor() const;
    [[nodiscard]] LinkTool& link() const { return *m_link; }

    /// Key of the preset that waits for its place; empty = none.
    [[nodiscard]] const QString& armed() const { return m_armed; }
    void arm(const QString& key);
    /// Shows where the preset would land; false if the key names none.
    bool showLanding(const QString& key, const QPointF& scenePosition);
    void hideLanding();

    [[nodiscard]] QString hint() const;
    /// False: there was nothing in hand.
    bool giveUp();

    // The left button in the scene; false: it has no meaning to what is in hand.
    bool press(const QPointF& scenePosition);
    bool move(const QPointF& scenePosition);
    bool release(const QPointF& scenePosition);

Q_SIGNALS:
    void toolChanged();
    void cursorChanged(Qt::CursorShape cursor);
    void hintChanged();
    void disarmed();
    /// The armed preset has its place.
    void presetPlaced(const QString& key, const QPointF& scenePosition);

private:
    const catalog::Catalog& m_catalog;
    TopologyScene& m_scene;
    LinkTool* m_link;
    GhostCard* m_ghost;
    Tool m_tool = Tool::Select;
    QString m_armed;
};

} // namespace stratoplan::widgets
