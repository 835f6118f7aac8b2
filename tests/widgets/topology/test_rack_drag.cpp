// SPDX-License-Identifier: GPL-3.0-or-later
// Cards that are dragged into racks and out of them.
#include "tests/widgets/topology/racked_page.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_edits.h"

#include <QSignalSpy>
#include <QTest>

#include <utility>

using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;

namespace {

/// From the card to where its centre is in the scene.
QPoint wayTo(Host& host, const char* id, QPointF centre)
{
    return host.view().mapFromScene(centre) - host.at(id);
}

QString nameOf(Host& host, const char* id)
{
    return QString::fromStdString(elementName(host.value.cluster, id));
}

/// Wholly outside of its frame, to the left or to the right.
QPointF beside(Host& host, const char* rack, bool isLeft)
{
    const QRectF frame = frameOf(host, rack).frame();
    const double aside = cardSize(ElementKind::Nodes).width;
    return {isLeft ? frame.left() - aside : frame.right() + aside, frame.center().y()};
}

} // namespace

class TestRackDrag : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeKind::Light); }
    void cardsGoIntoARack();
    void cardsGoFromRackToRack();
    void cardsLeaveTheirRack();
    void smallMovesChangeNoRack();
    void shiftMovesOnly();
    void shiftCountsWithoutAMove();
    void keysMoveOnly();
    void theOnlyCardLeavesItsRack();
    void wholeRacksStayApart();
    void severalCardsAreOneEdit();
    void springsBackWithItsFrames();
};

void TestRackDrag::cardsGoIntoARack()
{
    Host host(racked());
    QSignalSpy told(&host.view(), &TopologyView::noticed);
    const QPoint way = wayTo(host, "spine", frameOf(host, "Rack 2").frame().center());
    const QString name = nameOf(host, "spine");
    const CanvasPosition before = host.view().value().positions.at("spine");
    dragAndHold(host, host.at("spine"), way);
    QVERIFY(frameOf(host, "Rack 2").isTarget() && !frameOf(host, "Rack 1").isTarget());
    QCOMPARE(host.view().hintText(), QStringLiteral("Move %1 into Rack 2 · hold Shift to move only").arg(name));
    QVERIFY(rackOf(host.view().value().cluster, "spine").empty() && host.texts.isEmpty());
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, host.at("spine"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move %1 into Rack 2").arg(name)});
    QCOMPARE(rackOf(host.value.cluster, "spine"), std::string("Rack 2"));
    QVERIFY(!(host.value.positions.at("spine") == before));
    QVERIFY(isAround(host, "Rack 2"));
    QCOMPARE(frameOf(host, "Rack 2").elements().size(), std::size_t{4});
    QVERIFY(!frameOf(host, "Rack 2").isTarget());
    QVERIFY(host.view().hintText().isEmpty() && told.isEmpty());
}

void TestRackDrag::cardsGoFromRackToRack()
{
    Host host(racked());
    const QPointF gap = frameOf(host, "Rack 2").frame().center();
    dragAndHold(host, host.at("nodes"), wayTo(host, "nodes", gap));
    // Frames are as they will be.
    QVERIFY(isAround(host, "Rack 1") && isAround(host, "Rack 2"));
    QCOMPARE(frameOf(host, "Rack 1").content().parts.first(), QStringLiteral("1 node"));
    QCOMPARE(frameOf(host, "Rack 2").content().parts.first(), QStringLiteral("3 nodes"));
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, host.at("nodes"));
    QCOMPARE(rackOf(host.value.cluster, "nodes"), std::string("Rack 2"));
    QVERIFY(host.texts.last().endsWith(QStringLiteral(" into Rack 2")));
    QCOMPARE(host.texts.size(), 1);
}

void TestRackDrag::cardsLeaveTheirRack()
{
    Host host(racked());
    QSignalSpy told(&host.view(), &TopologyView::noticed);
    const QString name = nameOf(host, "leaf");
    const QPoint from = host.at("leaf"), way = wayTo(host, "leaf", beside(host, "Rack 1", true));
    const QRectF before = frameOf(host, "Rack 1").frame();
    dragAndHold(host, from, way);
    QVERIFY(!frameOf(host, "Rack 1").frame().intersects(host.scene().element("leaf")->sceneCard()));
    QVERIFY(host.view().hintText().startsWith(QStringLiteral("Move %1 out of Rack 1").arg(name)));
    // It may come back: nothing has become of it yet.
    moveMouse(host, from);
    QCOMPARE(frameOf(host, "Rack 1").frame(), before);
    QVERIFY(host.view().hintText().isEmpty());
    moveMouse(host, from + way);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, from + way);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move %1 out of Rack 1").arg(name)});
    QVERIFY(rackOf(host.value.cluster, "leaf").empty());
    QCOMPARE(told.size(), 1);
    QCOMPARE(told[0][0].toString(), QStringLiteral("%1 is no longer in Rack 1 (Ctrl+Z brings it back)").arg(name));
    QVERIFY(isAround(host, "Rack 1"));
}

/// A card stays while it touches the frame, and one that stands in a frame that is not its own does not slip into it.
void TestRackDrag::smallMovesChangeNoRack()
{
    Host host(racked());
    const QRectF frame = frameOf(host, "Rack 1").frame();
    const double half = cardSize(ElementKind::Switches).width / 2;
    drag(host, host.at("leaf"), wayTo(host, "leaf", {frame.left() - half + 12, frame.center().y()}), Qt::AltModifier);
    QCOMPARE(rackOf(host.value.cluster, "leaf"), std::string("Rack 1"));
    QVERIFY(isAround(host, "Rack 1"));
    CanvasPositions within = host.view().value().positions;
    const QPointF centre = frameOf(host, "Rack 2").frame().center();
    within["spine"] = {centre.x(), centre.y()};
    host.setCluster(host.value.cluster, within);
    drag(host, host.at("spine"), {12, 12});
    QVERIFY(rackOf(host.value.cluster, "spine").empty());
    for (const QString& text : host.texts)
        QVERIFY2(!text.contains(QStringLiteral("Rack")), qPrintable(text));
    QCOMPARE(host.texts.size(), 2);
}

void TestRackDrag::shiftMovesOnly()
{
    Host host(racked());
    QSignalSpy told(&host.view(), &TopologyView::noticed);
    const QPoint from = host.at("spine");
    const QPoint way = wayTo(host, "spine", frameOf(host, "Rack 2").frame().center());
    dragAndHold(host, from, way);
    QVERIFY(frameOf(host, "Rack 2").isTarget());
    moveMouse(host, from + way + QPoint(1, 0), Qt::ShiftModifier);
    QVERIFY(!frameOf(host, "Rack 2").isTarget());
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, Qt::ShiftModifier, from + way);
    QVERIFY(rackOf(host.value.cluster, "spine").empty());
    drag(host, host.at("leaf"), wayTo(host, "leaf", beside(host, "Rack 1", true)), Qt::ShiftModifier);
    QCOMPARE(rackOf(host.value.cluster, "leaf"), std::string("Rack 1"));
    QVERIFY(isAround(host, "Rack 1"));
    QCOMPARE(host.texts.size(), 2);
    QVERIFY(told.isEmpty());
}

/// The hint names the key to a mouse that stands still.
void TestRackDrag::shiftCountsWithoutAMove()
{
    Host host(racked());
    const QPoint from = host.at("spine");
    const QPoint way = wayTo(host, "spine", frameOf(host, "Rack 2").frame().center());
    const auto send = [&host](QEvent::Type type, Qt::KeyboardModifiers before) {
        QKeyEvent key(type, Qt::Key_Shift, before);
        QCoreApplication::sendEvent(&host.view(), &key);
    };
    dragAndHold(host, from, way);
    send(QEvent::KeyPress, Qt::NoModifier);
    QVERIFY(!frameOf(host, "Rack 2").isTarget() && host.view().hintText().isEmpty());
    send(QEvent::KeyRelease, Qt::ShiftModifier);
    QVERIFY(frameOf(host, "Rack 2").isTarget() && !host.view().hintText().isEmpty());
    // The release has the last word: the canvas may not have heard of the key.
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, Qt::ShiftModifier, from + way);
    QVERIFY(rackOf(host.value.cluster, "spine").empty());
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move %1").arg(nameOf(host, "spine"))});
}

void TestRackDrag::keysMoveOnly()
{
    Host host(racked());
    host.select(QStringLiteral("leaf"));
    const QRectF frame = frameOf(host, "Rack 1").frame();
    for (int i = 0; i < 8; ++i)
        QTest::keyClick(&host.view(), Qt::Key_Up, Qt::ShiftModifier);
    QVERIFY(!host.scene().element("leaf")->sceneCard().intersects(frame));
    QCOMPARE(rackOf(host.value.cluster, "leaf"), std::string("Rack 1"));
    QCOMPARE(host.value.cluster, racked());
}

/// By its card a rack of one is left, and gone; by its title it is dragged whole.
void TestRackDrag::theOnlyCardLeavesItsRack()
{
    Cluster one = racked();
    for (auto& group : one.switches)
        if (group.rack == "Rack 1")
            group.rack.clear();
    bool isFirst = true;
    for (auto& group : one.nodes)
        if (group.rack == "Rack 1" && !std::exchange(isFirst, false))
            group.rack = "Rack 2";
    Host host(one);
    drag(host, titleOf(host, "Rack 1"), {-300, 0});
    QCOMPARE(rackOf(host.value.cluster, "nodes"), std::string("Rack 1"));
    drag(host, host.at("nodes"), wayTo(host, "nodes", beside(host, "Rack 1", true)));
    QVERIFY(rackOf(host.value.cluster, "nodes").empty());
    QVERIFY(host.texts.last().endsWith(QStringLiteral(" out of Rack 1")));
}

void TestRackDrag::wholeRacksStayApart()
{
    Host host(racked());
    const QPoint way = host.view().mapFromScene(frameOf(host, "Rack 2").frame().center())
        - host.view().mapFromScene(frameOf(host, "Rack 1").frame().center());
    drag(host, titleOf(host, "Rack 1"), way);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move Rack 1")});
    QCOMPARE(host.value.cluster, racked());
    // What goes along with a rack does not fall into the place where that was.
    host.setCluster(racked(), {});
    host.view().setSelection(kSecond + QStringList{QStringLiteral("spine")});
    drag(host, titleOf(host, "Rack 2"), wayTo(host, "spine", frameOf(host, "Rack 2").frame().center()));
    QCOMPARE(host.value.cluster, racked());
    QCOMPARE(host.texts.last(), QStringLiteral("Move 4 elements"));
}

void TestRackDrag::severalCardsAreOneEdit()
{
    Host host(racked());
    QSignalSpy told(&host.view(), &TopologyView::noticed);
    const QPoint out = wayTo(host, "nodes", beside(host, "Rack 1", true)) - QPoint(600, 0);
    host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("nodes-2")});
    drag(host, host.at("nodes"), out);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move 2 elements out of Rack 1")});
    QCOMPARE(told.last()[0].toString(), QStringLiteral("2 elements are no longer in Rack 1 (Ctrl+Z brings them back)"));
    // Some of what moves: one goes in, the other was in no rack and is in none.
    const CanvasValue value = host.view().value();
    const auto mixed = movedCards(value, value.positions, {});
    QVERIFY(!mixed);
    CanvasPositions places = value.positions;
    places["nodes"].x += 40;
    places["nodes-2"].x += 40;
    QCOMPARE(movedCards(value, places, {{"nodes", "Rack 2"}})->name, QStringLiteral("Move 2 elements between racks"));
    QCOMPARE(movedCards(value, places, {{"nodes", "Rack 2"}, {"nodes-2", "Rack 1"}})->name,
        QStringLiteral("Move 2 elements between racks"));
    QVERIFY(movedCards(value, places, {{"nodes", "Rack 2"}})->notice.isEmpty());
}

void TestRackDrag::springsBackWithItsFrames()
{
    Host host(racked());
    QSignalSpy told(&host.view(), &TopologyView::noticed);
    host.view().disconnect(&host.window); // nobody takes the edit
    const QRectF before = frameOf(host, "Rack 2").frame();
    drag(host, host.at("spine"), wayTo(host, "spine", before.center()));
    QCOMPARE(frameOf(host, "Rack 2").frame(), before);
    QVERIFY(!frameOf(host, "Rack 2").isTarget());
    QCOMPARE(frameOf(host, "Rack 2").elements().size(), std::size_t{3});
    drag(host, host.at("leaf"), wayTo(host, "leaf", beside(host, "Rack 1", true)));
    QVERIFY(isAround(host, "Rack 1") && host.view().hintText().isEmpty() && told.isEmpty());
}

QTEST_MAIN(TestRackDrag)
#include "test_rack_drag.moc"
