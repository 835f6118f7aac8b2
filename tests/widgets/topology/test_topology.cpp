// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster canvas, its palette and inspector, driven by real events. With STRATOPLAN_PICTURES=folder the pictures()
// function also writes what it renders.
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/canvas_page.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/panels/count_field.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/palette_model.h"
#include "widgets/topology/topology_text.h"

#include <QAccessible>
#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <memory>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;

namespace {

/// Sent to the widget itself: where the platform believes the pointer to be does not matter.
void moveMouse(QWidget* on, QPoint to)
{
    QMouseEvent move(QEvent::MouseMove, to, on->mapToGlobal(to), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(on, &move);
}

void dragMouse(QWidget* on, QPoint from, QPoint to)
{
    QTest::mousePress(on, Qt::LeftButton, {}, from);
    for (int i = 1; i <= 8; ++i)
        QTest::mouseMove(on, from + (to - from) * i / 8);
    QTest::mouseRelease(on, Qt::LeftButton, {}, to);
}

bool dropOn(TopologyView& view, QMimeData* data, QPoint at)
{
    QDragEnterEvent enter(at, Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(view.viewport(), &enter);
    if (!enter.isAccepted())
        return false;
    QDragMoveEvent move(at, Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(view.viewport(), &move);
    QDropEvent drop(at, Qt::CopyAction, data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(view.viewport(), &drop);
    return drop.isAccepted();
}

QMimeData* presetData(const NodePalette& palette, const QString& key)
{
    return palette.model().mimeData({palette.model().indexOf(key)});
}

/// Two generations of nodes and a rack, over rail switches.
Cluster mixedCluster()
{
    Cluster mixed = fatTree();
    mixed.name = "Two generations";
    NodeGroup hopper = shippedCatalog().node("dgx-h100")->node;
    hopper.id = "hopper";
    hopper.count = 64;
    mixed.nodes.push_back(hopper);
    NodeGroup rack = shippedCatalog().node("gb200-nvl72")->node;
    rack.id = "rack";
    rack.count = 18;
    mixed.nodes.push_back(rack);
    addSwitches(mixed, {"rail", "Rail leaf", SwitchTier::Leaf, 64});
    setElementCount(mixed, "rail", 16);
    connectElements(mixed, "hopper", "rail", {});
    connectElements(mixed, "rack", "rail", {});
    connectElements(mixed, "rail", "spines", {});
    return mixed;
}

/// Where STRATOPLAN_PICTURES says, if it does.
void render(Host& host, const QString& name)
{
    const QString folder = qEnvironmentVariable("STRATOPLAN_PICTURES");
    QCoreApplication::processEvents();
    const QPixmap picture = host.window.grab();
    QVERIFY(!picture.isNull());
    if (!folder.isEmpty())
        QVERIFY(picture.save(QDir(folder).filePath(name + QStringLiteral(".png"))));
}

void renderTools(const QString& theme)
{
    const Cluster mixed = mixedCluster();
    {
        Host host(fatTree());
        host.select(QStringLiteral("nodes"));
        render(host, QStringLiteral("selene") + theme);
    }
    {
        Host host(mixed, {1440, 900});
        render(host, QStringLiteral("mixed") + theme);
        host.select(QStringLiteral("rail -> spines"));
        host.view().setZoom(1.5);
        render(host, QStringLiteral("mixed-zoomed") + theme);
    }
    {
        Host host(smallCluster(), {1000, 640});
        host.view().setTool(TopologyView::Tool::Link);
        QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.at("nodes"));
        moveMouse(host.canvas(), host.at("spine"));
        QVERIFY(host.view().hintText().startsWith(QStringLiteral("✕")));
        render(host, QStringLiteral("linking") + theme);
    }
    {
        Host host({}, {1000, 640});
        render(host, QStringLiteral("empty") + theme);
    }
}

void renderSizes(ThemeKind kind, const QString& theme)
{
    const Cluster mixed = mixedCluster();
    if (kind == ThemeKind::Dark) {
        Host host(mixed, {1200, 760});
        applyTheme(*qApp, ThemeKind::HighContrast);
        host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("rack")});
        render(host, QStringLiteral("mixed-contrast"));
        applyTheme(*qApp, kind);
    }
    {
        Host host(mixed);
        host.showCanvasOnly();
        host.window.resize(520, 360);
        render(host, QStringLiteral("small") + theme);
    }
    {
        Host host(railFabric(), {1440, 900});
        host.select(QStringLiteral("n9"));
        render(host, QStringLiteral("rails") + theme);
        host.view().setZoom(0.25);
        render(host, QStringLiteral("rails-far") + theme);
    }
}

} // namespace

class TestTopology : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void sceneMirrorsTheValue();
    void itemsOutliveUnrelatedEdits();
    void dropPlacesAPreset();
    void foreignDropsAreRefused();
    void clickPlacesTheArmedPreset();
    void enterPlacesInTheMiddle();
    void presetClusterReplacesAll();
    void linkByDragging();
    void linkIsRefusedWithTheReason();
    void linkByTwoClicks();
    void linkByKeyboard();
    void deleteTakesConnectionsAlong();
    void duplicateStandsAside();
    void dragIsOneEdit();
    void arrowKeysAreOneEdit();
    void unansweredEditsSpringBack();
    void rubberBandSelects();
    void tabWalksAndLeaves();
    void zoomKeepsThePointUnderThePointer();
    void fitShowsAll();
    void arrangeIsOneEdit();
    void networksAreDrawnByAKey();
    void emptyCanvasSaysWhatToDo();
    void smallCanvasesKeepTheirTools();
    void screenReadersSeeTheElements();
    void selectionStandsOut();
    void toolTipsTellAll();
    void thousandsOfGroups();
    void themesRepaint();
    void pictures();
};

void TestTopology::initTestCase()
{
    applyTheme(*qApp, ThemeKind::Light);
    stratoplan::test::collectQtMessages();
}

void TestTopology::cleanup()
{
    QVERIFY2(
        stratoplan::test::qtMessages().isEmpty(), qPrintable(stratoplan::test::qtMessages().join(QLatin1Char('\n'))));
}

void TestTopology::sceneMirrorsTheValue()
{
    const Cluster c = fatTree();
    Host host(c);
    QCOMPARE(host.view().value().cluster, c);
    QCOMPARE(host.view().value().positions, autoLayout(c));
    QCOMPARE(host.scene().currentPositions(), autoLayout(c));
    const ElementItem* nodes = host.scene().element("nodes");
    QVERIFY(nodes);
    QCOMPARE(nodes->content().name, QStringLiteral("DGX A100 80 GB"));
    QCOMPARE(nodes->content().count, 128);
    QCOMPARE(nodes->content().accelerators, 8);
    QCOMPARE(nodes->content().captions.constFirst(), QStringLiteral("8 × A100 SXM 80 GB"));
    QCOMPARE(host.scene().label("nodes -> leaves")->text(), QStringLiteral("1,024 × HDR 200 Gb/s"));
    QVERIFY(host.scene().label("nodes -> leaves")->isVisible());
    // The curve ends at the cards.
    const QPainterPath curve = host.scene().connection("nodes -> leaves")->curve();
    const QPointF start = curve.pointAtPercent(0);
    QCOMPARE(start.y(), nodes->sceneCard().top());
    QCOMPARE(curve.pointAtPercent(1).y(), host.scene().element("leaves")->sceneCard().bottom());
    QVERIFY(host.texts.isEmpty());
    host.setCluster({}, {});
    QVERIFY(!host.scene().element("nodes"));
    QVERIFY(host.scene().contentRect().isEmpty());
}

void TestTopology::itemsOutliveUnrelatedEdits()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    const ElementItem* before = host.scene().element("nodes");
    Cluster c = fatTree();
    setElementCount(c, "spines", 64);
    QSignalSpy selection(&host.view(), &TopologyView::selectionChanged);
    host.setCluster(c, host.view().value().positions);
    QCOMPARE(host.scene().element("nodes"), before);
    QCOMPARE(host.view().selection(), QStringList{QStringLiteral("nodes")});
    QCOMPARE(selection.count(), 0);
}

void TestTopology::dropPlacesAPreset()
{
    Host host;
    const std::unique_ptr<QMimeData> node(presetData(host.palette(), QStringLiteral("node:dgx-a100-80")));
    QVERIFY(node);
    QVERIFY(dropOn(host.view(), node.get(), {300, 420}));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Add DGX A100 80 GB")});
    QCOMPARE(host.value.cluster.nodes.size(), std::size_t{1});
    QCOMPARE(host.value.cluster.nodes[0].count, 1);
    const std::string id = host.value.cluster.nodes[0].id;
    QCOMPARE(host.view().selection(), QStringList{QString::fromStdString(id)});
    QVERIFY(host.value.positions.at(id) == snapped(host.value.positions.at(id)));
    const std::unique_ptr<QMimeData> leaf(presetData(host.palette(), QStringLiteral("switch:leaf")));
    const QPoint at(420, 160);
    QVERIFY(dropOn(host.view(), leaf.get(), at));
    const QPointF scene = host.view().mapToScene(at);
    QVERIFY((host.value.positions.at("leaf") == snapped({scene.x(), scene.y()})));
    // Dropped onto a card, a second one stands beside it.
    QVERIFY(dropOn(host.view(), leaf.get(), host.at("leaf")));
    QVERIFY(!host.scene().element("leaf")->sceneCard().intersects(host.scene().element("leaf-2")->sceneCard()));
    QCOMPARE(host.texts.size(), 3);
}

void TestTopology::foreignDropsAreRefused()
{
    Host host;
    QMimeData text;
    text.setText(QStringLiteral("node:dgx-a100-80"));
    QVERIFY(!dropOn(host.view(), &text, {200, 200}));
    QMimeData unknown;
    unknown.setData(QString::fromLatin1(kPresetMimeType), "node:nothing-of-that-name");
    QVERIFY(!dropOn(host.view(), &unknown, {200, 200}));
    QVERIFY(host.texts.isEmpty());
}

void TestTopology::clickPlacesTheArmedPreset()
{
    Host host;
    QListView& list = *host.palette().findChild<QListView*>();
    const QModelIndex spine = host.palette().model().indexOf(QStringLiteral("switch:spine"));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(spine).center());
    QCOMPARE(host.view().armedPreset(), QStringLiteral("switch:spine"));
    QVERIFY(host.view().hintText().contains(QStringLiteral("Spine switch")));
    moveMouse(host.canvas(), {250, 250});
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, {250, 250});
    QCOMPARE(host.texts, QStringList{QStringLiteral("Add Spine switch")});
    QVERIFY(host.view().armedPreset().isEmpty());
    QVERIFY(list.selectionModel()->selectedIndexes().isEmpty());
    // A double click places it in the middle and leaves nothing in hand.
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(spine).center());
    QTest::mouseDClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(spine).center());
    QCOMPARE(host.texts.size(), 2);
    QVERIFY(host.view().armedPreset().isEmpty());
    // Esc gives it up.
    host.view().armPreset(QStringLiteral("switch:leaf"));
    QTest::keyClick(&host.view(), Qt::Key_Escape);
    QVERIFY(host.view().armedPreset().isEmpty());
    QVERIFY(host.view().hintText().isEmpty());
}

void TestTopology::enterPlacesInTheMiddle()
{
    Host host;
    NodePalette& palette = host.palette();
    palette.findChild<QLineEdit*>()->setFocus();
    QTest::keyClicks(palette.findChild<QLineEdit*>(), QStringLiteral("dgx h100"));
    QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(host.value.cluster.nodes.size(), std::size_t{1});
    QCOMPARE(host.value.cluster.nodes[0].accelerator.id, shippedCatalog().node("dgx-h100")->node.accelerator.id);
    palette.findChild<QLineEdit*>()->clear();
    QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Down);
    QVERIFY(palette.findChild<QListView*>()->hasFocus());
    QTest::keyClick(palette.findChild<QListView*>(), Qt::Key_Return);
    QCOMPARE(host.value.cluster.switches.size(), std::size_t{1});
    QCOMPARE(host.texts.size(), 2);
    QVERIFY(host.view().viewport()->rect().contains(host.at("leaf")));
}

void TestTopology::presetClusterReplacesAll()
{
    Host host(smallCluster());
    host.view().placePreset(QStringLiteral("cluster:selene"));
    QCOMPARE(host.texts.size(), 1);
    QCOMPARE(host.value.cluster, fatTree());
    QCOMPARE(host.value.positions, autoLayout(fatTree()));
}

void TestTopology::linkByDragging()
{
    Host host(smallCluster());
    QTest::keyClick(&host.view(), Qt::Key_L);
    QCOMPARE(host.view().tool(), TopologyView::Tool::Link);
    QVERIFY(!host.view().hintText().isEmpty());
    QTest::mousePress(host.canvas(), Qt::LeftButton, {}, host.at("leaf"));
    moveMouse(host.canvas(), (host.at("leaf") + host.at("nodes")) / 2);
    moveMouse(host.canvas(), host.at("nodes"));
    QCOMPARE(host.view().hintText(), QStringLiteral("✓ Link DGX A100 80 GB to Leaf switch: 8 cables"));
    QCOMPARE(host.scene().element("nodes")->mark(), CardMark::LinkPossible);
    QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, host.at("nodes"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Link DGX A100 80 GB to Leaf switch")});
    QCOMPARE(host.value.cluster.connections.size(), std::size_t{1});
    QCOMPARE(host.value.cluster.connections[0].cables, 8);
    QCOMPARE(host.view().selection(), QStringList{QStringLiteral("nodes -> leaf")});
    QCOMPARE(host.scene().element("nodes")->mark(), CardMark::None);
    QCOMPARE(host.scene().element("leaf")->mark(), CardMark::None);
}

void TestTopology::linkIsRefusedWithTheReason()
{
    Host host(smallCluster());
    host.view().setTool(TopologyView::Tool::Link);
    dragMouse(host.canvas(), host.at("nodes"), host.at("spine"));
    QCOMPARE(host.view().hintText(), QStringLiteral("✕ Nodes link to leaf switches, and Spine switch is not one"));
    QVERIFY(host.texts.isEmpty());
    QVERIFY(host.value.cluster.connections.empty());
    QCOMPARE(host.scene().element("spine")->mark(), CardMark::None);
    // Into the void: nothing happens.
    dragMouse(host.canvas(), host.at("nodes"), QPoint(20, host.canvas()->height() - 90));
    QVERIFY(host.texts.isEmpty());
    QTest::keyClick(&host.view(), Qt::Key_Escape);
    QCOMPARE(host.view().tool(), TopologyView::Tool::Select);
    QVERIFY(host.view().hintText().isEmpty());
}

void TestTopology::linkByTwoClicks()
{
    Host host(smallCluster());
    host.view().setTool(TopologyView::Tool::Link);
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.at("leaf"));
    QVERIFY(host.texts.isEmpty());
    moveMouse(host.canvas(), host.at("spine"));
    QVERIFY(host.view().hintText().startsWith(QStringLiteral("✓")));
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.at("spine"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Link Leaf switch to Spine switch")});
    // Half the ports of a leaf that nothing hangs on yet.
    QCOMPARE(host.value.cluster.connections[0].cables, 32);
}

void TestTopology::linkByKeyboard()
{
    Host host(smallCluster());
    host.view().setFocus(Qt::OtherFocusReason);
    host.select(QStringLiteral("nodes"));
    QTest::keyClick(&host.view(), Qt::Key_L);
    QCOMPARE(host.scene().element("nodes")->mark(), CardMark::LinkSource);
    // The walk goes from the selected element on: it is the last, so back to the leaf above it.
    QTest::keyClick(&host.view(), Qt::Key_Backtab);
    QCOMPARE(host.scene().current(), QStringLiteral("leaf"));
    QVERIFY(host.view().hintText().startsWith(QStringLiteral("✓")));
    QTest::keyClick(&host.view(), Qt::Key_Return);
    QCOMPARE(host.texts.size(), 1);
    QCOMPARE(host.value.cluster.connections.size(), std::size_t{1});
}

void TestTopology::deleteTakesConnectionsAlong()
{
    Host host(fatTree());
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.at("leaves"));
    QCOMPARE(host.view().selection(), QStringList{QStringLiteral("leaves")});
    QTest::keyClick(&host.view(), Qt::Key_Delete);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Delete Leaf")});
    QVERIFY(host.value.cluster.connections.empty());
    QCOMPARE(host.value.cluster.switches.size(), std::size_t{1});
    QVERIFY(!host.value.positions.contains("leaves"));
    QVERIFY(!host.scene().connection("nodes -> leaves"));
    QVERIFY(host.view().selection().isEmpty());
    QTest::keyClick(&host.view(), Qt::Key_Delete);
    QCOMPARE(host.texts.size(), 1);
}

void TestTopology::duplicateStandsAside()
{
    Host host(fatTree());
    host.view().setFocus(Qt::OtherFocusReason);
    host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("leaves")});
    QTest::keyClick(&host.view(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Duplicate 2 elements")});
    QCOMPARE(host.value.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(host.value.cluster.connections.size(), std::size_t{3});
    QCOMPARE(host.view().selection(), (QStringList{QStringLiteral("nodes-2"), QStringLiteral("leaves-2")}));
    QVERIFY(!host.scene().element("nodes-2")->sceneCard().intersects(host.scene().element("nodes")->sceneCard()));
    QCOMPARE(host.value.positions.at("nodes-2").y, host.value.positions.at("nodes").y);
}

void TestTopology::dragIsOneEdit()
{
    Host host(fatTree());
    const CanvasPosition before = host.view().value().positions.at("nodes");
    const QPainterPath curve = host.scene().connection("nodes -> leaves")->curve();
    dragMouse(host.canvas(), host.at("nodes"), host.at("nodes") + QPoint(103, 31));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move DGX A100 80 GB")});
    const CanvasPosition after = host.value.positions.at("nodes");
    QVERIFY(after.x > before.x + 50);
    QVERIFY(after == snapped(after));
    QCOMPARE(host.value.cluster, fatTree());
    QVERIFY(host.scene().connection("nodes -> leaves")->curve() != curve);
    // A click that moves nothing is no edit.
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.at("nodes"));
    QCOMPARE(host.texts.size(), 1);
}

void TestTopology::arrowKeysAreOneEdit()
{
    Host host(fatTree());
    host.view().setFocus(Qt::OtherFocusReason);
    host.select(QStringLiteral("nodes"));
    const double x = host.view().value().positions.at("nodes").x;
    QTest::keyPress(&host.view(), Qt::Key_Right);
    for (int i = 0; i < 4; ++i) {
        QKeyEvent repeat(QEvent::KeyPress, Qt::Key_Right, Qt::NoModifier, {}, true);
        QCoreApplication::sendEvent(&host.view(), &repeat);
    }
    QVERIFY(host.texts.isEmpty());
    QTest::keyRelease(&host.view(), Qt::Key_Right);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Move DGX A100 80 GB")});
    QCOMPARE(host.value.positions.at("nodes").x, x + 5 * kCanvasGrid);
}

void TestTopology::unansweredEditsSpringBack()
{
    TopologyView view(shippedCatalog());
    view.resize(800, 600);
    view.setCluster(fatTree(), {});
    view.show();
    QSignalSpy edits(&view, &TopologyView::clusterEdited);
    const QPoint at = view.mapFromScene(view.topologyScene()->element("nodes")->pos());
    dragMouse(view.viewport(), at, at + QPoint(80, 0));
    QCOMPARE(edits.count(), 1);
    QCOMPARE(view.value().positions, autoLayout(fatTree()));
    QCOMPARE(view.topologyScene()->currentPositions(), autoLayout(fatTree()));
    view.setSelection({QStringLiteral("nodes")});
    view.removeSelection();
    QCOMPARE(edits.count(), 2);
    QVERIFY(view.topologyScene()->element("nodes"));
}

void TestTopology::rubberBandSelects()
{
    Host host(fatTree());
    QSignalSpy selection(&host.view(), &TopologyView::selectionChanged);
    const QRect all = host.view().mapFromScene(host.scene().contentRect()).boundingRect();
    dragMouse(host.canvas(), all.topLeft() - QPoint(10, -60), all.bottomRight() + QPoint(10, 10));
    const QStringList keys = host.view().selection();
    QVERIFY(keys.contains(QStringLiteral("nodes")));
    QVERIFY(keys.contains(QStringLiteral("leaves")));
    QVERIFY(selection.count() > 0);
    QVERIFY(host.texts.isEmpty());
    QTest::keyClick(&host.view(), Qt::Key_Escape);
    QVERIFY(host.view().selection().isEmpty());
}

void TestTopology::tabWalksAndLeaves()
{
    Host host(fatTree());
    host.palette().findChild<QListView*>()->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(host.palette().findChild<QListView*>(), Qt::Key_Tab);
    QVERIFY(host.view().hasFocus());
    QStringList walked;
    for (int i = 0; i < 20 && host.view().hasFocus(); ++i) {
        walked << host.scene().current();
        QCOMPARE(host.view().selection(), QStringList{host.scene().current()});
        QTest::keyClick(&host.view(), Qt::Key_Tab);
    }
    QCOMPARE(walked, host.scene().walkOrder());
    QCOMPARE(walked.constFirst(), QStringLiteral("spines"));
    QVERIFY(!host.view().hasFocus());
    QVERIFY(host.scene().current().isEmpty());
    QVERIFY(host.texts.isEmpty());
}

void TestTopology::zoomKeepsThePointUnderThePointer()
{
    Host host(fatTree());
    const QPointF at(310, 240);
    const QPointF before = host.view().viewportTransform().inverted().map(at);
    const double zoom = host.view().zoom();
    QWheelEvent in(
        at, host.canvas()->mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(host.canvas(), &in);
    QVERIFY(host.view().zoom() > zoom * 1.3);
    const QPointF after = host.view().viewportTransform().inverted().map(at);
    QVERIFY(std::abs(after.x() - before.x()) < 1.5);
    QVERIFY(std::abs(after.y() - before.y()) < 1.5);
    host.view().setZoom(100);
    QCOMPARE(host.view().zoom(), 32.0);
    host.view().setZoom(0);
    QVERIFY(host.view().zoom() > 0.01);
}

void TestTopology::fitShowsAll()
{
    Host host(fatTree());
    host.view().setZoom(4);
    host.view().setFocus(Qt::OtherFocusReason);
    QTest::keyClick(&host.view(), Qt::Key_F);
    const QRect content = host.view().mapFromScene(host.scene().contentRect()).boundingRect();
    QVERIFY(host.canvas()->rect().contains(content));
    QVERIFY(host.view().zoom() <= 1.25);
    // It stays so when the window is resized, until somebody zooms.
    host.window.resize(900, 420);
    QVERIFY(host.canvas()->rect().contains(host.view().mapFromScene(host.scene().contentRect()).boundingRect()));
}

void TestTopology::arrangeIsOneEdit()
{
    Host host(fatTree());
    dragMouse(host.canvas(), host.at("nodes"), host.at("nodes") + QPoint(120, 20));
    host.view().setFocus(Qt::OtherFocusReason);
    QTest::keyClick(&host.view(), Qt::Key_A);
    QCOMPARE(host.texts.size(), 2);
    QCOMPARE(host.value.positions, autoLayout(fatTree()));
    QTest::keyClick(&host.view(), Qt::Key_A);
    QCOMPARE(host.texts.size(), 2);
}

void TestTopology::networksAreDrawnByAKey()
{
    Host host(fatTree());
    QSignalSpy refusals(&host.view(), &TopologyView::refused);
    host.view().setFocus(Qt::OtherFocusReason);
    QTest::keyClick(&host.view(), Qt::Key_R);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Wire rail-optimised")});
    QCOMPARE(host.value.cluster, *wired(fatTree(), NetworkShape::RailOptimised));
    QTest::keyClick(&host.view(), Qt::Key_T);
    QCOMPARE(host.texts.last(), QStringLiteral("Wire as a fat tree"));
    QCOMPARE(host.value.cluster, *wired(fatTree(), NetworkShape::FatTree));
    QTest::keyClick(&host.view(), Qt::Key_T);
    QCOMPARE(host.texts.size(), 2);
    QVERIFY(refusals.isEmpty());

    Host empty;
    QSignalSpy refused(&empty.view(), &TopologyView::refused);
    empty.view().setFocus(Qt::OtherFocusReason);
    QTest::keyClick(&empty.view(), Qt::Key_T);
    QCOMPARE(refused.size(), 1);
    QVERIFY(empty.texts.isEmpty());
}

void TestTopology::emptyCanvasSaysWhatToDo()
{
    Host host;
    const auto labels = host.view().findChildren<QLabel*>();
    const auto says = [&labels](const QString& text) {
        return std::any_of(
            labels.begin(), labels.end(), [&](const QLabel* l) { return l->isVisible() && l->text().contains(text); });
    };
    QVERIFY(says(QStringLiteral("Drag a node from the palette")));
    QVERIFY(says(QStringLiteral("preset cluster")));
    host.view().placePreset(QStringLiteral("switch:leaf"));
    QVERIFY(!says(QStringLiteral("Drag a node from the palette")));
}

void TestTopology::smallCanvasesKeepTheirTools()
{
    Host host(fatTree());
    host.showCanvasOnly();
    QAction table(QStringLiteral("Table")); // as the page of the window adds it
    table.setIcon(icon(QStringLiteral("layout")));
    CanvasToolBar& bar = host.view().toolBar();
    bar.addSeparator();
    bar.addTool(&table);
    const auto shown = [&bar](const QString& text) {
        return std::ranges::any_of(bar.findChildren<QToolButton*>(),
            [&](const QToolButton* b) { return !b->isHidden() && b->text().startsWith(text); });
    };
    const auto separators = [&bar] {
        return std::ranges::count_if(bar.findChildren<QFrame*>(), [](const QFrame* f) { return !f->isHidden(); });
    };
    for (const int width : {300, 240}) {
        host.window.resize(width, 260);
        QCOMPARE(host.view().width(), width);
        // Everything that floats stays inside, and does not cover the cluster more than it must.
        QVERIFY2(host.view().rect().contains(bar.geometry()), qPrintable(QString::number(bar.width())));
        for (const QToolButton* b : bar.findChildren<QToolButton*>())
            QVERIFY(b->isHidden() || bar.rect().contains(b->geometry()));
        QVERIFY(shown(QStringLiteral("Select")) && shown(QStringLiteral("Table")));
    }
    QVERIFY(!shown(QStringLiteral("Load")) && !shown(QStringLiteral("Array")));
    QCOMPARE(separators(), shown(QStringLiteral("Fit")) ? 3 : 2);
    host.window.resize(1200, 260);
    QVERIFY(shown(QStringLiteral("Load")) && shown(QStringLiteral("Array")) && shown(QStringLiteral("Fit")));
    QCOMPARE(separators(), 4);
    host.window.resize(240, 260);
    host.view().setTool(TopologyView::Tool::Link);
    const auto hints = host.view().findChildren<CanvasHint*>();
    QCOMPARE(hints.size(), 1);
    QVERIFY(host.view().rect().contains(hints.constFirst()->geometry()));
}

void TestTopology::screenReadersSeeTheElements()
{
    Host host(fatTree());
    QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&host.view());
    QVERIFY(canvas);
    QCOMPARE(canvas->text(QAccessible::Name), QStringLiteral("Cluster canvas"));
    QStringList names;
    for (int i = 0; i < canvas->childCount(); ++i) {
        QAccessibleInterface* child = canvas->child(i);
        QVERIFY(child && child->isValid());
        QCOMPARE(canvas->indexOfChild(child), i);
        if (child->role() == QAccessible::ListItem) {
            names << child->text(QAccessible::Name);
            QVERIFY(!child->rect().isEmpty());
            QVERIFY(child->state().selectable);
        }
    }
    QCOMPARE(names.size(), 5);
    QVERIFY(names.contains(describeElement(fatTree(), "leaves")));
    QVERIFY(names.contains(describeConnection(fatTree(), fatTree().connections[0])));
    host.select(QStringLiteral("spines"));
    QAccessibleInterface* spines = canvas->child(canvas->childCount() - 5);
    QVERIFY(spines->state().selected);
    // What is gone is no longer valid.
    host.setCluster({}, {});
    QVERIFY(!spines->isValid());
}

void TestTopology::selectionStandsOut()
{
    Host host(railFabric());
    host.select(QStringLiteral("n9"));
    int near = 0;
    for (const std::string& key : connectionKeys(host.view().value().cluster))
        near += host.scene().connection(key)->isNear() ? 1 : 0;
    QCOMPARE(near, 4);
    QVERIFY(host.scene().connection("n9 -> rail4")->isNear());
    host.view().setSelection({});
    QVERIFY(!host.scene().connection("n9 -> rail4")->isNear());
    // A curve stays between the cards it joins, however far sideways it runs.
    const ConnectionItem* far = host.scene().connection("rail0 -> spine1");
    const QRectF room = host.scene().element("rail0")->sceneCard().united(host.scene().element("spine1")->sceneCard());
    QVERIFY(room.contains(far->curve().boundingRect()));
}

void TestTopology::toolTipsTellAll()
{
    Host host(fatTree());
    const QPoint at = host.at("nodes");
    QHelpEvent help(QEvent::ToolTip, at, host.canvas()->mapToGlobal(at));
    QCoreApplication::sendEvent(host.canvas(), &help);
    QCOMPARE(host.scene().element("nodes")->toolTip(), describeElement(fatTree(), "nodes"));
    QToolTip::hideText();
}

void TestTopology::thousandsOfGroups()
{
    Cluster c;
    c.name = "many";
    NodeGroup node = shippedCatalog().node("dgx-h100")->node;
    node.count = 1;
    c.nodes.assign(2000, node);
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
        c.nodes[i].id = "n" + std::to_string(i);
        c.nodes[i].name = "node " + std::to_string(i);
    }
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 500}, {"spine", "Spine", SwitchTier::Spine, 64, 250}};
    for (const NodeGroup& g : c.nodes)
        c.connections.push_back({g.id, "leaf", g.nic, 8});
    c.connections.push_back({"leaf", "spine", node.nic, 16000});
    Host host(c);
    // One item per group and per connection, whatever is inside; and the few of the tools.
    const auto count = host.scene().items().size();
    QVERIFY2(count < 2002 + 2001 + 10, qPrintable(QString::number(count)));
    QVERIFY(!host.window.grab().isNull());
    host.view().setZoom(1);
    QVERIFY(!host.window.grab().isNull());
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, host.canvas()->rect().center());
    host.select(QStringLiteral("n7"));
    type(host.field<CountField>(QStringLiteral("Nodes")), QStringLiteral("2"));
    QCOMPARE(host.texts.size(), 1);
    QCOMPARE(host.value.cluster.nodes[7].count, 2);
}

void TestTopology::themesRepaint()
{
    Host host(fatTree());
    const QPoint corner(host.canvas()->width() - 3, 3);
    const auto background = [&] { return host.view().viewport()->grab().toImage().pixelColor(corner); };
    for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::HighContrast, ThemeKind::Light}) {
        applyTheme(*qApp, kind);
        QCoreApplication::processEvents();
        QCOMPARE(background(), tokens(kind).surface);
    }
}

void TestTopology::pictures()
{
    for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
        applyTheme(*qApp, kind);
        const QString theme = kind == ThemeKind::Dark ? QStringLiteral("-dark") : QStringLiteral("-light");
        renderTools(theme);
        renderSizes(kind, theme);
    }
    applyTheme(*qApp, ThemeKind::Light);
}

QTEST_MAIN(TestTopology)
#include "test_topology.moc"
