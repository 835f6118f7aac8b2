// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of racks on the canvas, driven by real events, and the field "Rack" beside it. With STRATOPLAN_PICTURES=folder
// the pictures() function also writes what it renders.
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/clusters.h"
#include "tests/widgets/topology/racked_page.h"
#include "widgets/panels/text_field.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_clipboard.h"
#include "widgets/topology/cluster_cells.h"
#include "widgets/topology/palette_model.h"
#include "widgets/topology/plan_overlays.h"

#include <QAccessible>
#include <QDir>
#include <QDragEnterEvent>
#include <QListView>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;
using Chosen = RackFrame::Chosen;

namespace {

/// So many racks of eight nodes one by one, below a leaf switch each.
Cluster manyRacks(int count)
{
    Cluster c;
    c.name = "many";
    for (int i = 0; i < count; ++i) {
        const std::string rack = "Rack " + std::to_string(i + 1), leaf = "leaf" + std::to_string(i);
        c.switches.push_back({.id = leaf, .ports = 128, .rack = rack});
        for (int j = 0; j < 8; ++j) {
            const char* preset = i % 3 == 0 && j < 3 ? "dgx-a100-80" : "dgx-h100";
            c.nodes.push_back(shippedCatalog().node(preset)->node);
            c.nodes.back().id = "n" + std::to_string(i * 8 + j);
            c.nodes.back().rack = rack;
            c.connections.push_back({c.nodes.back().id, leaf, c.nodes.back().nic, 8});
        }
    }
    return c;
}

/// Where STRATOPLAN_PICTURES says, if it does.
void render(Host& host, const QString& name)
{
    const QString folder = qEnvironmentVariable("STRATOPLAN_PICTURES");
    QCoreApplication::processEvents();
    const QPixmap picture = host.window.grab();
    QVERIFY(!picture.isNull());
    if (!folder.isEmpty())
        QVERIFY(picture.save(QDir(folder).filePath(QStringLiteral("racks-%1.png").arg(name))));
}

} // namespace

class TestRackFrames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void framesStandAroundTheirCards();
    void framesFollowTheirCards();
    void labelsLeaveTitlesFree();
    void titlesStandInFrontOfCables();
    void clicksSelectTheRack();
    void theFrameMovesAll();
    void withinAFrameTheCanvasIsFree();
    void keysGroupAndUngroup();
    void keysReachARack();
    void farRacksArePlates();
    void platesGiveWay();
    void thePaletteHasARack();
    void whatIsDroppedJoinsTheRack();
    void framesDoNotGrowOverOthers();
    void theInspectorEditsRacks();
    void theInspectorEmptiesSeveralRacks();
    void theInspectorEditsWholeRacks();
    void theTableEditsRacks();
    void elementsTellTheirRack();
    void copiesAreAnotherRack();
    void thousandsOfRacks();
    void pictures();
};

void TestRackFrames::initTestCase()
{
    applyTheme(*qApp, ThemeKind::Light);
    collectQtMessages();
}

void TestRackFrames::cleanup()
{
    QVERIFY2(qtMessages().isEmpty(), qPrintable(qtMessages().join(QLatin1Char('\n'))));
}

void TestRackFrames::framesStandAroundTheirCards()
{
    Host host(racked());
    for (const char* rack : {"Rack 1", "Rack 2"}) {
        QVERIFY(isAround(host, rack));
        const RackFrame& frame = frameOf(host, rack);
        QCOMPARE(frame.content().name, QString::fromLatin1(rack));
        QCOMPARE(frame.content().parts, (QStringList{QStringLiteral("2 nodes"), QStringLiteral("16 accelerators")}));
        QVERIFY(frame.zValue() < host.scene().connection("leaf -> spine")->zValue());
        QVERIFY(frame.frame().contains(frame.title()));
        QVERIFY(host.scene().contentRect().contains(frame.frame()));
        for (const std::string& id : frame.elements())
            QVERIFY(!frame.title().intersects(host.scene().element(id)->sceneCard()));
    }
    // As many frames as racks, and none of racks that are gone.
    Cluster one = racked();
    for (const QString& id : kSecond)
        setRack(one, {id.toStdString()}, "Rack 1");
    host.setCluster(one, host.value.positions);
    QVERIFY(isAround(host, "Rack 1"));
    QCOMPARE(frameOf(host, "Rack 1").elements().size(), std::size_t{6});
    QVERIFY(!host.scene().racks().frame("Rack 2"));
    host.setCluster({}, {});
    QVERIFY(host.scene().racks().bounds().isNull());
}

void TestRackFrames::framesFollowTheirCards()
{
    Host host(racked());
    const QRectF before = frameOf(host, "Rack 1").frame(), other = frameOf(host, "Rack 2").frame();
    QTest::mousePress(host.canvas(), Qt::LeftButton, {}, host.at("nodes"));
    moveMouse(host, host.at("nodes") + QPoint(-60, 30));
    QVERIFY(frameOf(host, "Rack 1").frame() != before); // in the midst of the drag
    QVERIFY(isAround(host, "Rack 1"));
    QCOMPARE(frameOf(host, "Rack 2").frame(), other);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, host.at("nodes"));
    QVERIFY(isAround(host, "Rack 1"));
    // An edit that nobody takes springs back with its frame.
    const QRectF moved = frameOf(host, "Rack 1").frame();
    host.view().disconnect(&host.window);
    host.view().setSelection(kFirst);
    host.view().setFocus(Qt::OtherFocusReason);
    QTest::keyClick(&host.view(), Qt::Key_Left);
    QCOMPARE(frameOf(host, "Rack 1").frame(), moved);
}

void TestRackFrames::labelsLeaveTitlesFree()
{
    Host host(racked());
    const QRectF strip = titleStrip(frameOf(host, "Rack 1").frame());
    QVERIFY(strip.contains(frameOf(host, "Rack 1").title()));
    const CanvasPosition leaf = host.view().value().positions.at("leaf");
    const double half = cardSize(ElementKind::Switches).height / 2;
    const auto placeAbove = [&](double gap) { // over the leaf, with the middle of the cable near the title
        CanvasPositions places = host.view().value().positions;
        places["spine"] = {leaf.x, strip.center().y() - gap - half};
        host.setCluster(host.value.cluster, places);
    };
    const auto covers = [&] {
        const ConnectionLabel& label = *host.scene().label("leaf -> spine");
        return label.isVisible() && label.sceneBoundingRect().intersects(strip);
    };
    placeAbove(leaf.y - half - strip.center().y() + 20);
    QVERIFY(strip.contains(host.scene().connection("leaf -> spine")->curve().pointAtPercent(0.5)));
    QVERIFY(host.scene().label("leaf -> spine")->isVisible() && !covers()); // along its cable
    placeAbove(leaf.y - half - strip.center().y());
    QVERIFY(!covers()); // there is no room
    // Selected it has the same.
    host.select(QStringLiteral("leaf -> spine"));
    QVERIFY(!covers());
    // A frame that moves takes the room from labels in its way.
    placeAbove(300);
    QVERIFY(host.scene().label("leaf -> spine")->isVisible());
    host.view().setSelection(kFirst);
    QTest::keyClick(&host.view(), Qt::Key_Up, Qt::ShiftModifier);
    const QRectF moved = titleStrip(frameOf(host, "Rack 1").frame());
    const ConnectionLabel& label = *host.scene().label("leaf -> spine");
    QVERIFY(!label.isVisible() || !label.sceneBoundingRect().intersects(moved));
}

void TestRackFrames::titlesStandInFrontOfCables()
{
    Host host(racked());
    const RackTitle& title = frameOf(host, "Rack 1").titleItem();
    QVERIFY(title.written().contains(title.name()) && title.written().width() > title.name().width());
    ConnectionItem& cable = *host.scene().connection("leaf -> spine");
    QPainterPath writing;
    writing.addRect(title.written());
    const QRectF crossing = cable.shape().intersected(writing).boundingRect();
    QVERIFY(!crossing.isEmpty());
    const QRect seen = host.view().mapFromScene(title.written()).boundingRect().adjusted(2, 2, -2, -2); // no edges
    const auto picture = [&] { return host.canvas()->grab(seen).toImage(); };
    const QImage with = picture();
    cable.hide();
    QCOMPARE(with, picture());
    cable.show();
    // All of it is the frame's to the mouse.
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.view().mapFromScene(crossing.center()));
    QCOMPARE(host.view().selection(), kFirst);
    drag(host, host.view().mapFromScene(crossing.center()), {-60, 30});
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move Rack 1")});
    // A plate tells the name itself.
    host.view().setZoom(0.25);
    QVERIFY(!title.isVisible());
    const qsizetype items = host.scene().items().size();
    Cluster without = host.value.cluster;
    setRack(without, {"leaf", "nodes", "nodes-2"}, {});
    host.setCluster(without, host.value.positions);
    QCOMPARE(host.scene().items().size(), items - 2); // frame and title
}

void TestRackFrames::clicksSelectTheRack()
{
    Host host(racked());
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, titleOf(host, "Rack 1"));
    QCOMPARE(host.view().selection(), kFirst);
    QCOMPARE(frameOf(host, "Rack 1").chosen(), Chosen::All);
    QCOMPARE(frameOf(host, "Rack 2").chosen(), Chosen::None);
    QTest::mouseClick(host.canvas(), Qt::LeftButton, Qt::ControlModifier, titleOf(host, "Rack 2"));
    QCOMPARE(host.view().selection().size(), 6);
    QTest::mouseClick(host.canvas(), Qt::LeftButton, Qt::ControlModifier, titleOf(host, "Rack 1"));
    QCOMPARE(host.view().selection(), kSecond);
    host.view().setSelection(kFirst + kSecond);
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, titleOf(host, "Rack 1"));
    QCOMPARE(host.view().selection(), kFirst);
    // So does the line, and the right button.
    const QRectF frame = frameOf(host, "Rack 2").frame();
    const QPoint edge = host.view().mapFromScene(QPointF(frame.left() + 30, frame.bottom()));
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, edge);
    QCOMPARE(host.view().selection(), kSecond);
    QTest::mouseClick(host.canvas(), Qt::RightButton, {}, titleOf(host, "Rack 1"));
    QCOMPARE(host.view().selection(), kFirst);
    host.view().setSelection({QStringLiteral("leaf")});
    QCOMPARE(frameOf(host, "Rack 1").chosen(), Chosen::Some);
    QVERIFY(host.texts.isEmpty());
}

void TestRackFrames::theFrameMovesAll()
{
    Host host(racked());
    const CanvasPositions before = host.view().value().positions;
    drag(host, titleOf(host, "Rack 1"), {-150, 90});
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move Rack 1")});
    const CanvasPosition way{host.value.positions.at("leaf").x - before.at("leaf").x,
        host.value.positions.at("leaf").y - before.at("leaf").y};
    QVERIFY(way.x < -50 && way.y > 30);
    for (const auto& [id, at] : before) {
        const bool isOwn = kFirst.contains(QString::fromStdString(id));
        const CanvasPosition now = host.value.positions.at(id);
        QCOMPARE(now, isOwn ? (CanvasPosition{at.x + way.x, at.y + way.y}) : at);
        QVERIFY(now == snapped(now) || !isOwn);
    }
    QVERIFY(isAround(host, "Rack 1"));
    // By the one that is held goes all that is selected.
    host.view().setSelection(kFirst + kSecond);
    drag(host, titleOf(host, "Rack 2"), {40, -60});
    QCOMPARE(host.texts.last(), QStringLiteral("Move 6 elements"));
    // A click that trembles moves nothing.
    drag(host, titleOf(host, "Rack 2"), {2, 1});
    QCOMPARE(host.texts.size(), 2);
}

void TestRackFrames::withinAFrameTheCanvasIsFree()
{
    Host host(racked());
    const QRectF frame = frameOf(host, "Rack 1").frame();
    const QPointF corner = frame.topLeft() + QPointF(12, kRackTitle + 30);
    QVERIFY(!host.scene().racks().frameAt(corner));
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.view().mapFromScene(corner));
    QVERIFY(host.view().selection().isEmpty());
    // A rubber band from within it takes cards one by one.
    const QPoint from = host.view().mapFromScene(frame.bottomLeft() + QPointF(12, -12));
    drag(host, from, host.at("nodes") - from);
    QCOMPARE(host.view().selection(), QStringList{QStringLiteral("nodes")});
    QVERIFY(host.texts.isEmpty());
}

void TestRackFrames::keysGroupAndUngroup()
{
    Host host(racked());
    QAction* group = action(host, "Group into a rack");
    QAction* ungroup = action(host, "Ungroup");
    QVERIFY(group && ungroup);
    host.view().setSelection({});
    QVERIFY(!group->isEnabled() && !ungroup->isEnabled());
    QCOMPARE(group->toolTip(), QStringLiteral("Select the elements to group into a rack first"));
    QCOMPARE(ungroup->toolTip(), QStringLiteral("Select elements of a rack first"));
    host.view().setSelection(kFirst);
    QVERIFY(!group->isEnabled() && ungroup->isEnabled());
    QCOMPARE(group->toolTip(), QStringLiteral("These are Rack 1 already"));
    host.view().setSelection({QStringLiteral("spine"), QStringLiteral("leaf -> spine")});
    QVERIFY(group->isEnabled() && !ungroup->isEnabled());
    QVERIFY(group->toolTip().endsWith(QStringLiteral("(Ctrl+G)")));
    host.view().setFocus(Qt::OtherFocusReason);
    QTest::keyClick(&host.view(), Qt::Key_G, Qt::ControlModifier);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Group into Rack 3")});
    QVERIFY(isAround(host, "Rack 3"));
    host.view().setSelection(kFirst);
    QTest::keyClick(&host.view(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(host.texts.last(), QStringLiteral("Ungroup Rack 1"));
    QVERIFY(!host.scene().racks().frame("Rack 1"));
    QTest::keyClick(&host.view(), Qt::Key_G, Qt::ControlModifier);
    QCOMPARE(host.texts.last(), QStringLiteral("Group into Rack 1")); // the next free number
    QVERIFY(isAround(host, "Rack 1"));
    QCOMPARE(host.texts.size(), 3);
}

void TestRackFrames::keysReachARack()
{
    Host host(racked());
    host.view().setSelection({QStringLiteral("nodes-3"), QStringLiteral("spine")});
    QTest::keyClick(&host.view(), Qt::Key_G, Qt::ShiftModifier);
    QCOMPARE(host.view().selection(), kSecond);
    const CanvasPosition before = host.view().value().positions.at("leaf-2");
    QTest::keyClick(&host.view(), Qt::Key_Right);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move Rack 2")});
    QCOMPARE(host.value.positions.at("leaf-2").x, before.x + kCanvasGrid);
    QVERIFY(isAround(host, "Rack 2"));
    QTest::keyClick(&host.view(), Qt::Key_F2);
    QVERIFY(nameEditor(host));
    QTest::keyClicks(nameEditor(host), QStringLiteral("Pod"));
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QCOMPARE(host.texts.last(), QStringLiteral("Rename to Pod"));
    // Which of several is not said.
    host.view().setSelection(kFirst + kSecond);
    QVERIFY(!action(host, "Rename the rack")->isEnabled());
    QCOMPARE(action(host, "Rename the rack")->toolTip(), QStringLiteral("Select elements of one rack only"));
    // All are selected with their cards, and the walk goes over them as before.
    QTest::keyClick(&host.view(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(frameOf(host, "Rack 1").chosen(), Chosen::All);
    QTest::keyClick(&host.view(), Qt::Key_Escape);
    QStringList walked;
    for (int i = 0; i < 7; ++i) {
        QTest::keyClick(&host.view(), Qt::Key_Tab);
        walked << host.view().selection();
    }
    QCOMPARE(walked.size(), 7);
    QCOMPARE(walked.first(), QStringLiteral("spine"));
}

void TestRackFrames::farRacksArePlates()
{
    Host host(racked());
    const RackFrame& frame = frameOf(host, "Rack 1");
    QVERIFY(!frame.isPlate());
    host.view().setZoom(0.25);
    QVERIFY(frame.isPlate());
    QVERIFY(frame.zValue() > host.scene().element("leaf")->zValue());
    QCOMPARE(frame.plateLines(),
        (QStringList{QStringLiteral("Rack 1"), QStringLiteral("2 nodes"), QStringLiteral("16 accelerators")}));
    // Anywhere on it all is selected, and goes along.
    const QPoint card = host.at("nodes");
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, card);
    QCOMPARE(host.view().selection(), kFirst);
    drag(host, card, {-40, 20});
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move Rack 1")});
    // What is wrong with a card is told, and less the further away.
    Cluster c = racked();
    c.connections.clear();
    host.setCluster(c, host.value.positions);
    QVERIFY(frameOf(host, "Rack 1").content().issue.has_value());
    host.view().setZoom(0.1);
    QCOMPARE(frameOf(host, "Rack 1").plateLines(), QStringList{QStringLiteral("Rack 1")});
    host.view().setZoom(0.04);
    QCOMPARE(frameOf(host, "Rack 1").plateLines().size(), 0);
    // A large rack says it in two lines.
    Cluster large;
    for (int i = 0; i < 30; ++i)
        setRack(large, {addNodes(large, shippedCatalog().node("dgx-h100")->node)}, "Rack 1");
    host.setCluster(large, {});
    host.view().setZoom(0.2);
    QCOMPARE(frameOf(host, "Rack 1").plateLines(),
        (QStringList{QStringLiteral("Rack 1"), QStringLiteral("30 nodes, 240 accelerators")}));
    const QPixmap picture = host.window.grab();
    const QRectF plate = host.view().mapFromScene(frameOf(host, "Rack 1").frame()).boundingRect();
    const QColor inside =
        picture.toImage().pixelColor(host.canvas()->mapTo(&host.window, (plate.topLeft() + QPointF(12, 12)).toPoint()));
    QCOMPARE(inside, currentTokens().window);
}

void TestRackFrames::platesGiveWay()
{
    Host host(racked());
    host.view().setZoom(0.25);
    QVERIFY(frameOf(host, "Rack 1").isPlate());
    host.view().setTool(TopologyView::Tool::Link); // links end at cards
    QVERIFY(!frameOf(host, "Rack 1").isPlate());
    host.view().setTool(TopologyView::Tool::Select);
    QVERIFY(frameOf(host, "Rack 1").isPlate());
    host.scene().overlays().setPlan(RunningPlan{});
    host.scene().overlays().setAxis(stratoplan::parallel::Axis::Tp); // colours of ranks are seen from afar
    QVERIFY(host.scene().overlays().places() > 0);
    QVERIFY(!frameOf(host, "Rack 1").isPlate());
    host.scene().overlays().setAxis({});
    QVERIFY(frameOf(host, "Rack 1").isPlate());
    host.view().setZoom(0.5);
    QVERIFY(!frameOf(host, "Rack 1").isPlate());
}

void TestRackFrames::thePaletteHasARack()
{
    Host host;
    const QString key = QStringLiteral("rack:");
    const QModelIndex tile = host.palette().model().indexOf(key);
    QVERIFY(tile.isValid());
    QCOMPARE(tile.data(Qt::AccessibleTextRole).toString(), QStringLiteral("Rack, 4 nodes below a leaf switch"));
    auto* list = host.palette().findChild<QListView*>();
    list->scrollTo(tile);
    // Click, and click again where it shall be.
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(tile).center());
    QCOMPARE(host.view().armedPreset(), key);
    moveMouse(host, {300, 300});
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, {300, 300});
    QCOMPARE(host.texts, QStringList{QStringLiteral("Add Rack 1")});
    QVERIFY(isAround(host, "Rack 1"));
    QCOMPARE(frameOf(host, "Rack 1").content().parts.first(), QStringLiteral("4 nodes"));
    QCOMPARE(frameOf(host, "Rack 1").chosen(), Chosen::All);
    // Dragged.
    std::unique_ptr<QMimeData> data(host.palette().model().mimeData({tile}));
    const QPoint at = host.canvas()->rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction, data.get(), Qt::LeftButton, {});
    QCoreApplication::sendEvent(host.canvas(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(at, Qt::CopyAction, data.get(), Qt::LeftButton, {});
    QCoreApplication::sendEvent(host.canvas(), &drop);
    QCOMPARE(host.texts.last(), QStringLiteral("Add Rack 2"));
    // By the keyboard.
    list->setCurrentIndex(tile);
    list->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(host.texts.last(), QStringLiteral("Add Rack 3"));
    for (const char* rack : {"Rack 2", "Rack 3"})
        QVERIFY(!frameOf(host, "Rack 1").frame().intersects(frameOf(host, rack).frame()));
}

void TestRackFrames::whatIsDroppedJoinsTheRack()
{
    Host host(racked());
    const QRectF frame = frameOf(host, "Rack 2").frame();
    const QPoint gap = host.view().mapFromScene(frame.center());
    host.view().armPreset(QStringLiteral("node:dgx-h100"));
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, gap);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Add DGX H100 to Rack 2")});
    QCOMPARE(frameOf(host, "Rack 2").elements().size(), std::size_t{4});
    QVERIFY(isAround(host, "Rack 2"));
    // Nobody points to the middle: what is placed there by a key goes into no rack.
    host.view().centreOn(frameOf(host, "Rack 2").frame().center());
    host.view().placePreset(QStringLiteral("node:dgx-h100"));
    QCOMPARE(host.texts.last(), QStringLiteral("Add DGX H100"));
    const std::string placed = host.view().selection().constFirst().toStdString();
    for (const char* rack : {"Rack 1", "Rack 2"})
        QVERIFY(!frameOf(host, rack).frame().intersects(host.scene().element(placed)->sceneCard()));
}

/// Racks side by side, as the palette places them, leave no room between their frames.
void TestRackFrames::framesDoNotGrowOverOthers()
{
    CanvasValue value;
    for (int i = 0; i < 9; ++i)
        value = placedPreset(shippedCatalog(), value, QStringLiteral("rack:"), {0, 0})->next;
    Host host;
    host.setCluster(value.cluster, value.positions);
    QSignalSpy refused(&host.view(), &TopologyView::refused);
    const QRectF before = frameOf(host, "Rack 1").frame();
    host.view().armPreset(QStringLiteral("node:dgx-h100"));
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.view().mapFromScene(before.center()));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Add DGX H100")});
    QCOMPARE(refused.size(), 1);
    QVERIFY2(refused[0][0].toString().contains(QStringLiteral("Rack 1")), qPrintable(refused[0][0].toString()));
    QCOMPARE(frameOf(host, "Rack 1").frame(), before);
    const std::string placed = host.view().selection().constFirst().toStdString();
    QVERIFY(rackOf(host.value.cluster, placed).empty());
    for (const Rack& rack : racksOf(host.value.cluster))
        QVERIFY(!frameOf(host, rack.name.c_str()).frame().intersects(host.scene().element(placed)->sceneCard()));
    // Alone it grows.
    CanvasValue alone = placedPreset(shippedCatalog(), {}, QStringLiteral("rack:"), {0, 0})->next;
    host.setCluster(alone.cluster, alone.positions);
    host.view().armPreset(QStringLiteral("node:dgx-h100"));
    QTest::mouseClick(
        host.canvas(), Qt::LeftButton, {}, host.view().mapFromScene(frameOf(host, "Rack 1").frame().center()));
    QCOMPARE(host.texts.last(), QStringLiteral("Add DGX H100 to Rack 1"));
    QCOMPARE(refused.size(), 1);
}

void TestRackFrames::theInspectorEditsRacks()
{
    Host host(racked());
    const QString label = QStringLiteral("Rack");
    host.view().setSelection({QStringLiteral("spine")});
    auto* rack = host.field<TextField>(label);
    QVERIFY(rack && rack->text().isEmpty());
    QCOMPARE(rack->placeholderText(), QStringLiteral("none"));
    QVERIFY(rack->toolTip().contains(QStringLiteral("frame")) || rack->parentWidget()->toolTip().contains("frame"));
    type(rack, QStringLiteral(" Rack  1 "));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Put into Rack 1")});
    QCOMPARE(frameOf(host, "Rack 1").elements().size(), std::size_t{4});
    // Escape gives up, leaving takes.
    rack->setFocus(Qt::OtherFocusReason);
    QTest::keyClicks(rack, QStringLiteral("x"));
    QTest::keyClick(rack, Qt::Key_Escape);
    QCOMPARE(rack->text(), QStringLiteral("Rack 1"));
    rack->setFocus(Qt::TabFocusReason);
    QTest::keyClick(rack, Qt::Key_Delete);
    host.view().setFocus(Qt::OtherFocusReason);
    QCOMPARE(host.texts.last(), QStringLiteral("Take out of its rack"));
    // Several: any name is a new one for those that differ.
    host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("nodes-3")});
    rack = host.field<TextField>(label);
    QVERIFY(rack->text().isEmpty());
    QCOMPARE(rack->placeholderText(), QStringLiteral("several"));
    type(rack, QStringLiteral("Rack 1"));
    QCOMPARE(host.texts.last(), QStringLiteral("Put into Rack 1"));
    QCOMPARE(frameOf(host, "Rack 1").elements().size(), std::size_t{4});
    QCOMPARE(host.texts.size(), 3);
}

void TestRackFrames::theInspectorEmptiesSeveralRacks()
{
    Host host(racked());
    const auto select = [&host](const QStringList& keys) {
        host.view().setSelection(keys);
        auto* rack = host.field<TextField>(QStringLiteral("Rack"));
        rack->setFocus(Qt::OtherFocusReason);
        return rack;
    };
    TextField* rack = select({QStringLiteral("nodes"), QStringLiteral("nodes-3")});
    host.view().setFocus(Qt::OtherFocusReason); // passing by is no edit
    rack->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(rack, Qt::Key_Return);
    QTest::keyClick(rack, Qt::Key_Delete);
    QCOMPARE(rack->placeholderText(), QStringLiteral("none"));
    QTest::keyClick(rack, Qt::Key_Escape);
    QCOMPARE(rack->placeholderText(), QStringLiteral("several"));
    QTest::keyClick(rack, Qt::Key_Return);
    QVERIFY(host.texts.isEmpty());
    QTest::keyClick(rack, Qt::Key_Delete);
    QTest::keyClick(rack, Qt::Key_Return);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Take out of its rack")});
    QVERIFY(rackOf(host.value.cluster, "nodes").empty() && rackOf(host.value.cluster, "nodes-3").empty());
    // What is typed and taken back leaves it empty, too.
    rack = select({QStringLiteral("leaf"), QStringLiteral("leaf-2")});
    QTest::keyClicks(rack, QStringLiteral("x"));
    QTest::keyClick(rack, Qt::Key_Backspace);
    QVERIFY(host.inspector().commitPending().isEmpty());
    QCOMPARE(host.texts.size(), 2);
    QVERIFY(rackOf(host.value.cluster, "leaf").empty() && rackOf(host.value.cluster, "leaf-2").empty());
}

void TestRackFrames::theInspectorEditsWholeRacks()
{
    Host host(racked());
    // Of both kinds: a whole rack has its name, and another is a new name of it.
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, titleOf(host, "Rack 1"));
    QVERIFY(!host.inspector().currentPage());
    QList<TextField*> shown = host.inspector().findChildren<TextField*>();
    shown.removeIf([](const TextField* each) { return !each->isVisible(); });
    QCOMPARE(shown.size(), 1);
    QCOMPARE(shown[0]->text(), QStringLiteral("Rack 1"));
    type(shown[0], QStringLiteral("Pod"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename to Pod")});
    host.view().setSelection({QStringLiteral("spine"), QStringLiteral("nodes-4")});
    shown[0]->setFocus(Qt::OtherFocusReason);
    QTest::keyClicks(shown[0], QStringLiteral("Pod"));
    QVERIFY(host.inspector().commitPending().isEmpty());
    QCOMPARE(host.texts.last(), QStringLiteral("Put into Pod"));
    QCOMPARE(frameOf(host, "Pod").elements().size(), std::size_t{5});
}

void TestRackFrames::theTableEditsRacks()
{
    const CanvasValue value{racked(), {}};
    for (const RowKind kind : {RowKind::Nodes, RowKind::Switches}) {
        const auto& fields = clusterFields(kind);
        const auto field = std::ranges::find(fields, FieldKind::Rack, &ClusterField::kind);
        QVERIFY(field != fields.end());
        const auto column = static_cast<std::size_t>(field - fields.begin());
        QVERIFY(!field->explanation.isEmpty());
        QCOMPARE(fieldText(*field, shippedCatalog(), value.cluster, 1), QStringLiteral("Rack 1"));
        const auto edit = editedCell(shippedCatalog(), value, kind, 1, column, QStringLiteral("Pod"));
        QCOMPARE((*edit)->name, QStringLiteral("Put into Pod"));
        QVERIFY(!*editedCell(shippedCatalog(), value, kind, 1, column, QStringLiteral("Rack 1")));
        // Cells of a spreadsheet, an empty one among them.
        const auto pasted = pastedCells(
            shippedCatalog(), value, kind, 0, column, {{QStringLiteral("A")}, {QString()}, {QStringLiteral(" B ")}});
        const Cluster& next = (*pasted)->next.cluster;
        QCOMPARE(field->value(next, 0).toString(), QStringLiteral("A"));
        QCOMPARE(field->value(next, 1).toString(), QString());
        QCOMPARE(field->value(next, 2).toString(), QStringLiteral("B"));
    }
}

void TestRackFrames::elementsTellTheirRack()
{
    Host host(racked());
    QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&host.view());
    QStringList names;
    for (int i = 0; i < canvas->childCount(); ++i)
        names << canvas->child(i)->text(QAccessible::Name);
    QCOMPARE(names.filter(QStringLiteral("; in Rack 1")).size(), 3);
    QCOMPARE(names.filter(QStringLiteral("; in Rack 2")).size(), 3);
    QCOMPARE(frameOf(host, "Rack 1").toolTip(), QStringLiteral("Rack 1: 2 nodes, 16 accelerators"));
    // A name is no markup.
    Cluster c = racked();
    setRack(c, {"spine"}, "<b>A</b> &lt;");
    host.setCluster(c, {});
    QTextDocument shown;
    shown.setHtml(frameOf(host, "<b>A</b> &lt;").toolTip());
    QCOMPARE(shown.toPlainText(), QStringLiteral("<b>A</b> &lt;: 1 switch"));
    QVERIFY(Qt::mightBeRichText(frameOf(host, "<b>A</b> &lt;").toolTip()));
}

void TestRackFrames::copiesAreAnotherRack()
{
    Host host(racked());
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, titleOf(host, "Rack 1"));
    QTest::keyClick(&host.view(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Duplicate Rack 1")});
    QVERIFY(isAround(host, "Rack 3"));
    QCOMPARE(frameOf(host, "Rack 3").chosen(), Chosen::All);
    QTest::keyClick(&host.view(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&host.view(), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(host.texts.last(), QStringLiteral("Paste Rack 3"));
    QVERIFY(isAround(host, "Rack 4"));
    QTest::keyClick(&host.view(), Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(host.texts.last(), QStringLiteral("Cut Rack 4"));
    QVERIFY(!host.scene().racks().frame("Rack 4"));
    QTest::keyClick(&host.view(), Qt::Key_V, Qt::ControlModifier);
    QVERIFY(isAround(host, "Rack 4"));
    // One card goes into the rack that it is of.
    host.select(QStringLiteral("nodes"));
    QTest::keyClick(&host.view(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(frameOf(host, "Rack 1").elements().size(), std::size_t{4});
    QVERIFY(isAround(host, "Rack 1"));
}

void TestRackFrames::thousandsOfRacks()
{
    Cluster c;
    for (int i = 0; i < 1000; ++i) {
        const std::string number = std::to_string(i), rack = "Rack " + number;
        c.nodes.push_back(shippedCatalog().node("dgx-h100")->node);
        c.nodes.back().id = "n" + number;
        c.nodes.back().rack = rack;
        c.switches.push_back({.id = "leaf" + number, .ports = 64, .rack = rack});
    }
    Host host(c);
    QList<QGraphicsItem*> items = host.scene().items();
    QCOMPARE(std::ranges::count(items, int(RackFrame::Type), &QGraphicsItem::type), qptrdiff(1000));
    QVERIFY(frameOf(host, "Rack 0").isPlate());
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.at("leaf0"));
    QCOMPARE(host.view().selection().size(), 2);
    drag(host, host.at("leaf0"), {-30, -30});
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move Rack 0")});
    // All at once.
    QTest::keyClick(&host.view(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(host.view().selection().size(), 2000);
    QTest::keyClick(&host.view(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(host.texts.last(), QStringLiteral("Ungroup 2000 elements"));
    QTest::keyClick(&host.view(), Qt::Key_G, Qt::ControlModifier);
    QCOMPARE(host.texts.last(), QStringLiteral("Group into Rack 1"));
    QCOMPARE(frameOf(host, "Rack 1").elements().size(), std::size_t{2000});
    QTest::keyClick(&host.view(), Qt::Key_F2);
    QTest::keyClicks(nameEditor(host), QStringLiteral("Pod"));
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QCOMPARE(frameOf(host, "Pod").elements().size(), std::size_t{2000});
}

void TestRackFrames::pictures()
{
    for (const auto& [kind, theme] :
        {std::pair(ThemeKind::Light, QStringLiteral("light")), std::pair(ThemeKind::Dark, QStringLiteral("dark")),
            std::pair(ThemeKind::HighContrast, QStringLiteral("contrast"))}) {
        applyTheme(*qApp, kind);
        Host few(racked());
        doubleClick(few, titleOf(few, "Rack 2"));
        render(few, QStringLiteral("named-") + theme);
        Host into(racked());
        dragAndHold(into, into.at("spine"),
            into.view().mapFromScene(frameOf(into, "Rack 2").frame().center()) - into.at("spine"));
        render(into, QStringLiteral("into-") + theme);
        Host many(manyRacks(12), {1440, 900});
        render(many, QStringLiteral("far-") + theme);
        many.view().setSelection({QStringLiteral("n0")});
        many.view().setZoom(0.35);
        render(many, QStringLiteral("near-") + theme);
        many.view().setZoom(0.08);
        render(many, QStringLiteral("farther-") + theme);
        many.showCanvasOnly();
        many.window.resize(520, 360);
        many.view().fit();
        render(many, QStringLiteral("small-") + theme);
    }
    applyTheme(*qApp, ThemeKind::Light);
}

QTEST_MAIN(TestRackFrames)
#include "test_rack_frames.moc"
