// SPDX-License-Identifier: GPL-3.0-or-later
// The keyboard on the canvas: Tab walks over elements and links, arrows move what is selected, or go on in a
// map of ranks while a group is traced, Enter edits or links, Esc gives up.
#pragma once

#include <QObject>
#include <QPointF>

class QKeyEvent;

namespace stratoplan::widgets {

class CanvasTools;
class CanvasView;
class TopologyScene;

class CanvasKeys final : public QObject {
    Q_OBJECT
public:
    CanvasKeys(TopologyScene& scene, CanvasTools& tools, CanvasView& view);

    /// To the next or the one before; false: past the end.
    bool step(bool next);
    /// The keyboard comes: to what is selected, else to the first (last) of the walk.
    void enter(bool next);
    /// False: the key has no meaning of its own to the canvas. The event is accepted if something came of it.
    bool press(QKeyEvent& event);
    /// However long the keys were held, it is one move.
    void endNudge();
    /// What was nudged is not there any more.
    void forgetNudge() { m_nudged = false; }

Q_SIGNALS:
    void reached(const QString& key);
    void editWanted(const QString& key);
    void nudged();

private:
    void nudge(const QPointF& delta);
    void activate();
    bool giveUp();
    [[nodiscard]] bool walksTrace() const;

    TopologyScene& m_scene;
    CanvasTools& m_tools;
    CanvasView& m_view;
    bool m_nudged = false;
};

} // namespace stratoplan::widgets
