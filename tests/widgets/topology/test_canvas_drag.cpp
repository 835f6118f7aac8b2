// SPDX-License-Identifier: GPL-3.0-or-later
// Where cards of the canvas go: by dragging, and all at once by the menu of its tool bar.
#include "tests/widgets/topology/canvas_page.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/card_drag.h"

#include <QAction>
#include <QMenu>
#include <QMouseEvent>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;

namespace {

const CardDrag& dragOf(const TopologyScene& scene)
{
    const QList<QGraphicsItem*> items = scene.items();
    const auto drag = std::ranges::find(items, int(CardDrag::Type), &QGraphicsItem::type);
    return *static_cast<const CardDrag*>(*drag);
}

void moveMouse(Host& host, QPoint at, Qt::KeyboardModifiers modifiers = {})
{
    QMouseEvent move(QEvent::MouseMove, at, host.canvas()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
    QCoreApplication::sendEvent(host.canvas(), &move);
}

/// The entry of the menu that is opened; nullptr: there is none.
QAction* shapeOf(Host& host, const char* axes)
{
    for (QMenu* menu : host.view().findChildren<QMenu*>()) {
        if (menu->title() != QStringLiteral("As a torus"))
            continue;
        Q_EMIT menu->aboutToShow();
        for (QAction* entry : menu->actions())
            if (entry->text().split(QLatin1Char(',')).constFirst() == QString::fromUtf8(axes))
                return entry;
    }
    return nullptr;
}

} // namespace

class TestCanvasDrag : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeKind::Light); }
    void dragGoesIntoLine();
    void cardsMayGoInTheMidstOfADrag();
    void ctrlDragsWhatIsNotSelected();
    void networksAndAlignmentsHaveAButton();
    void nodesBecomeATorus();
    void selectedNodesBecomeATorus();
};

void TestCanvasDrag::dragGoesIntoLine()
{
    Cluster c = fatTree();
    addNodes(c, c.nodes[0]);
    Host host;
    host.setCluster(c, {{"nodes", {0, 400}}, {"nodes-2", {403, 400}}, {"leaves", {0, 200}}, {"spines", {403, 0}}});
    host.view().setZoom(1);
    const auto dragged = [&host](QPoint by, Qt::KeyboardModifiers modifiers) {
        const QPoint from = host.at("leaves"), to = from + by;
        QTest::mousePress(host.canvas(), Qt::LeftButton, {}, from);
        for (const QPoint at : {from + by / 2, to})
            moveMouse(host, at, modifiers);
        const std::size_t guides = dragOf(host.scene()).guides().size();
        QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, to);
        return guides;
    };
    // Off the grid, where the others stand.
    QCOMPARE(dragged({400, 0}, {}), std::size_t{1});
    QCOMPARE(host.value.positions.at("leaves"), (CanvasPosition{403, 200}));
    QVERIFY(dragOf(host.scene()).guides().empty());
    // In line with none: on the grid.
    QCOMPARE(dragged({-200, 20}, {}), std::size_t{0});
    QCOMPARE(host.value.positions.at("leaves"), snapped(CanvasPosition{203, 220}));
    const CanvasPosition before = host.value.positions.at("leaves");
    QCOMPARE(dragged({-197, 3}, Qt::AltModifier), std::size_t{0});
    QCOMPARE(host.value.positions.at("leaves"), (CanvasPosition{before.x - 197, before.y + 3}));
    QCOMPARE(dragged({10, 3}, Qt::ControlModifier), std::size_t{0});
    QCOMPARE(host.value.positions.at("leaves"), (CanvasPosition{before.x - 187, before.y + 6}));
    QCOMPARE(host.texts.size(), 4);
    // What is dragged along keeps its distance.
    host.view().setSelection({QStringLiteral("leaves"), QStringLiteral("nodes-2")});
    static_cast<void>(dragged({60, -60}, {}));
    const CanvasPosition lead = host.value.positions.at("leaves"), other = host.value.positions.at("nodes-2");
    QCOMPARE(other.x - lead.x, 403 - (before.x - 187));
    QCOMPARE(other.y - lead.y, 400 - (before.y + 6));
}

void TestCanvasDrag::cardsMayGoInTheMidstOfADrag()
{
    Cluster before = fatTree();
    Cluster c = before;
    addNodes(c, c.nodes[0]);
    Host host;
    const CanvasPositions positions{
        {"nodes", {0, 400}}, {"nodes-2", {403, 400}}, {"leaves", {0, 200}}, {"spines", {403, 0}}};
    host.setCluster(c, positions);
    host.view().setZoom(1);
    host.view().setSelection({QStringLiteral("leaves"), QStringLiteral("nodes-2")});
    const QPoint from = host.at("leaves");
    QTest::mousePress(host.canvas(), Qt::LeftButton, {}, from);
    moveMouse(host, from + QPoint(400, 0));
    QVERIFY(!dragOf(host.scene()).guides().empty());
    host.setCluster(before, positions); // undone
    QVERIFY(dragOf(host.scene()).guides().empty());
    moveMouse(host, from + QPoint(-100, 50), Qt::AltModifier);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, from + QPoint(-100, 50));
    QCOMPARE(host.value.positions.at("leaves"), (CanvasPosition{-100, 250}));
    QCOMPARE(host.value.positions.at("spines"), (CanvasPosition{403, 0}));
    // That under the mouse goes.
    const QPoint again = host.at("leaves");
    QTest::mousePress(host.canvas(), Qt::LeftButton, {}, again);
    moveMouse(host, again + QPoint(60, 0));
    host.setCluster({}, {});
    moveMouse(host, again + QPoint(90, 0));
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, again + QPoint(90, 0));
    QVERIFY(host.value.positions.empty());
}

void TestCanvasDrag::ctrlDragsWhatIsNotSelected()
{
    Host host;
    host.setCluster(fatTree(), {{"nodes", {0, 400}}, {"leaves", {0, 200}}, {"spines", {403, 0}}});
    host.view().setZoom(1);
    const QPoint from = host.at("leaves"), to = from + QPoint(37, -23);
    QTest::mousePress(host.canvas(), Qt::LeftButton, Qt::ControlModifier, from);
    moveMouse(host, to, Qt::ControlModifier);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, Qt::ControlModifier, to);
    QCOMPARE(host.value.positions.at("leaves"), (CanvasPosition{37, 177}));
    QCOMPARE(host.value.positions.at("nodes"), (CanvasPosition{0, 400}));
    QCOMPARE(host.texts.size(), 1);
}

void TestCanvasDrag::networksAndAlignmentsHaveAButton()
{
    Host host;
    QToolButton* arrays = nullptr;
    for (QToolButton* each : host.view().toolBar().findChildren<QToolButton*>())
        if (each->text() == QStringLiteral("Array"))
            arrays = each;
    QVERIFY(arrays && !arrays->isEnabled());
    QCOMPARE(arrays->toolTip(), QStringLiteral("Nothing to wire, align or group yet: place nodes first"));
    Cluster c = fatTree();
    c.nodes[0].nicsPerNode = 0;
    host.setCluster(c, {});
    QVERIFY(arrays->isEnabled());
    const QList<QAction*> entries = arrays->menu()->actions();
    const auto entry = [&entries](const QString& text) {
        const auto found = std::ranges::find(entries, text, &QAction::text);
        return found == entries.end() ? nullptr : *found;
    };
    const auto offered = [&](const QString& text) {
        Q_EMIT arrays->menu()->aboutToShow();
        return entry(text)->isEnabled();
    };
    QVERIFY(!offered(QStringLiteral("Wire as a fat tree")));
    QVERIFY(entry(QStringLiteral("Wire as a fat tree"))->toolTip().startsWith(QStringLiteral("There is no such")));
    Q_EMIT arrays->menu()->aboutToHide();
    QVERIFY(entry(QStringLiteral("Wire as a fat tree"))->isEnabled()); // its key is answered in words
    host.setCluster(fatTree(), {});
    QVERIFY(offered(QStringLiteral("Wire as a fat tree")) && offered(QStringLiteral("Wire rail-optimised")));
    entry(QStringLiteral("Wire rail-optimised"))->trigger();
    QCOMPARE(host.texts.last(), QStringLiteral("Wire rail-optimised"));
    host.view().setSelection({QStringLiteral("nodes")});
    QVERIFY(!entry(QStringLiteral("Align in a row"))->isEnabled());
    QCOMPARE(entry(QStringLiteral("Align in a row"))->toolTip(),
        QStringLiteral("Select two elements or more to align them"));
    host.view().setSelection({QStringLiteral("nodes"), QString::fromStdString(host.value.cluster.switches[0].id)});
    QVERIFY(entry(QStringLiteral("Align in a row"))->isEnabled());
    QVERIFY(!entry(QStringLiteral("Spread evenly across"))->isEnabled());
    entry(QStringLiteral("Align in a row"))->trigger();
    QCOMPARE(host.texts.last(), QStringLiteral("Align 2 elements"));
}

void TestCanvasDrag::nodesBecomeATorus()
{
    Host host;
    QVERIFY(!shapeOf(host, "4×4×4")->isEnabled());
    QCOMPARE(shapeOf(host, "4×4×4")->toolTip(), QStringLiteral("Select the nodes that form it."));
    host.setCluster(fatTree(), {});
    const int perNode = host.value.cluster.nodes[0].acceleratorsPerNode;
    QAction* const cube = shapeOf(host, "4×4×4");
    QVERIFY(cube->isEnabled());
    QCOMPARE(cube->text(), QStringLiteral("4×4×4, %1 nodes").arg(64 / perNode));
    cube->trigger();
    QCOMPARE(host.texts, QStringList{QStringLiteral("Make it a torus of 4×4×4")});
    const NodeGroup& nodes = host.value.cluster.nodes[0];
    QCOMPARE(nodes.count * perNode, 64);
    QVERIFY((nodes.torus == Torus{{4, 4, 4}}));
    QCOMPARE(nodes.scaleUpDomain, 64);
    QCOMPARE(host.value.cluster.connections[0].cables, nodes.count * nodes.nicsPerNode);
    cube->trigger(); // it is so already
    QCOMPARE(host.texts.size(), 1);
}

void TestCanvasDrag::selectedNodesBecomeATorus()
{
    Cluster two = fatTree();
    two.nodes[0].torus = Torus{{4, 4, 4}, TorusWrap::CubesOf4};
    two.nodes[0].acceleratorsPerNode = 3;
    addNodes(two, two.nodes[0]);
    const QString second = QString::fromStdString(two.nodes[1].id);
    Host host(two);
    QCOMPARE(shapeOf(host, "4×4×4")->toolTip(), QStringLiteral("Select the nodes that form it."));
    host.select(second);
    QCOMPARE(shapeOf(host, "4×4×4")->toolTip(), QStringLiteral("Nodes of 3 accelerators do not make it up."));
    two.nodes[1].acceleratorsPerNode = 4;
    host.setCluster(two, {});
    host.select(second);
    shapeOf(host, "8×8×8")->trigger();
    QCOMPARE(host.value.cluster.nodes[1].count, 128);
    QCOMPARE(host.value.cluster.nodes[1].torus->wrap, TorusWrap::CubesOf4);
    QCOMPARE(host.value.cluster.nodes[0], two.nodes[0]);
    // Of several each is asked, and all become it.
    host.view().setSelection({QString::fromStdString(two.nodes[0].id), second});
    QVERIFY(!shapeOf(host, "4×4×4")->isEnabled());
    two.nodes[0].acceleratorsPerNode = 8;
    host.setCluster(two, {});
    host.view().setSelection({QString::fromStdString(two.nodes[0].id), second});
    shapeOf(host, "4×4×4")->trigger();
    QCOMPARE(host.value.cluster.nodes[0].count, 8);
    QCOMPARE(host.value.cluster.nodes[1].count, 16);
}

QTEST_MAIN(TestCanvasDrag)
#include "test_canvas_drag.moc"
