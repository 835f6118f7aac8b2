// SPDX-License-Identifier: GPL-3.0-or-later
// Two racks to put on a canvas, and a hand on their frames.
#pragma once

#include "tests/widgets/topology/canvas_page.h"
#include "widgets/topology/cluster_racks.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/rack_layout.h"

#include <QAction>
#include <QLineEdit>
#include <QMouseEvent>

#include <algorithm>

namespace stratoplan::test {

/// Two racks of two nodes and a leaf switch, a spine above them.
inline cluster::Cluster racked()
{
    cluster::Cluster c;
    c.name = "racked";
    const std::string spine = widgets::addSwitches(c, widgets::switchPresets()[1]);
    for (const std::string rack : {"Rack 1", "Rack 2"}) {
        const std::string leaf = widgets::addSwitches(c, widgets::switchPresets()[0]);
        widgets::setRack(c, {leaf}, rack);
        widgets::connectElements(c, leaf, spine, {});
        for (int i = 0; i < 2; ++i) {
            const std::string nodes = widgets::addNodes(c, catalog::shippedCatalog().node("dgx-h100")->node);
            widgets::setRack(c, {nodes}, rack);
            widgets::connectElements(c, nodes, leaf, {});
        }
    }
    return c;
}

inline const widgets::RackFrame& frameOf(CanvasPage& host, const char* rack)
{
    return *host.scene().racks().frame(rack);
}

inline QPoint titleOf(CanvasPage& host, const char* rack)
{
    return host.view().mapFromScene(frameOf(host, rack).title().center());
}

inline void moveMouse(CanvasPage& host, QPoint at, Qt::KeyboardModifiers modifiers = {})
{
    QMouseEvent move(QEvent::MouseMove, at, host.canvas()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
    QCoreApplication::sendEvent(host.canvas(), &move);
}

/// The button stays down.
inline void dragAndHold(CanvasPage& host, QPoint from, QPoint by, Qt::KeyboardModifiers modifiers = {})
{
    QTest::mousePress(host.canvas(), Qt::LeftButton, modifiers, from);
    for (int i = 1; i <= 4; ++i)
        moveMouse(host, from + by * i / 4, modifiers);
}

inline void drag(CanvasPage& host, QPoint from, QPoint by, Qt::KeyboardModifiers modifiers = {})
{
    dragAndHold(host, from, by, modifiers);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, modifiers, from + by);
}

inline void doubleClick(CanvasPage& host, QPoint at)
{
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(host.canvas(), Qt::LeftButton, {}, at);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, at);
}

inline bool isAround(CanvasPage& host, const char* rack)
{
    const widgets::RackFrame& frame = frameOf(host, rack);
    QRectF cards;
    for (const std::string& id : frame.elements())
        cards |= host.scene().element(id)->sceneCard();
    return frame.frame() == widgets::rackFrame(cards);
}

/// What edits the name on the canvas; nullptr: nothing does.
inline QLineEdit* nameEditor(CanvasPage& host)
{
    for (QLineEdit* each : host.canvas()->findChildren<QLineEdit*>())
        if (!each->isHidden())
            return each;
    return nullptr;
}

inline QAction* action(CanvasPage& host, const char* text)
{
    const QList<QAction*> all = host.view().actions();
    const auto found = std::ranges::find(all, QString::fromLatin1(text), &QAction::text);
    return found == all.end() ? nullptr : *found;
}

inline const QStringList kFirst{QStringLiteral("nodes"), QStringLiteral("nodes-2"), QStringLiteral("leaf")};
inline const QStringList kSecond{QStringLiteral("nodes-3"), QStringLiteral("nodes-4"), QStringLiteral("leaf-2")};

} // namespace stratoplan::test
