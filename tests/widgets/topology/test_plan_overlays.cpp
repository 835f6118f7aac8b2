// SPDX-License-Identifier: GPL-3.0-or-later
// What the canvas shows of the plan that runs on it: ranks coloured along an axis, a group that is traced, the load of
// links. With STRATOPLAN_PICTURES=folder pictures() also writes what it renders.
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/canvas_page.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/style/theme.h"
#include "widgets/topology/node_map.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/rank_legend.h"

#include <QAccessible>
#include <QDir>
#include <QHelpEvent>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

using namespace stratoplan;
using namespace stratoplan::cluster;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using parallel::Axis;
using Host = CanvasPage;

namespace {

/// TP 8, PP 4, the rest replicas but for one: 32 accelerators are idle.
RunningPlan running(const Cluster& cluster)
{
    RunningPlan plan;
    plan.strategy.tp = 8;
    plan.strategy.pp = 4;
    plan.strategy.dp = acceleratorCount(cluster) / 32 - 1;
    plan.step = Seconds(2);
    const std::vector<std::string> keys = connectionKeys(cluster);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        estimate::LinkLoad load;
        load.share = 0.6 / double(i + 1);
        load.busy = plan.step * load.share;
        load.groups = {{parallel::RankGroup::DataContext, load.busy, true}};
        load.isBound = true;
        plan.loads[keys[i]] = load;
    }
    plan.busiest = keys.front();
    return plan;
}

/// The canvas with that plan.
struct Running : Host {
    explicit Running(const Cluster& cluster = fatTree(), QSize size = {1200, 760})
        : Host(cluster, size)
    {
        overlays().setPlan(running(cluster));
    }
    PlanOverlays& overlays() { return scene().overlays(); }
    const NodeMap& map() { return *scene().element("nodes")->map(); }
    /// Of the viewport, where an accelerator of the card stands.
    QPoint at(int accelerator)
    {
        const ElementItem& item = *scene().element("nodes");
        return view().mapFromScene(item.pos() + item.mapArea().topLeft() + map().grid().cellRect(accelerator).center());
    }
    void click(int accelerator) { QTest::mouseClick(canvas(), Qt::LeftButton, {}, at(accelerator)); }
    void press(Qt::Key key) { QTest::keyClick(&view(), key); }
    QColor pixel(int accelerator) { return canvas()->grab().toImage().pixelColor(at(accelerator)); }
    QToolButton* button(const QString& name)
    {
        for (QToolButton* each : view().findChildren<QToolButton*>())
            if (each->accessibleName().startsWith(name))
                return each;
        return nullptr;
    }
    /// Near enough for squares.
    void zoomIn()
    {
        view().setZoom(8);
        const ElementItem& item = *scene().element("nodes");
        view().centreOn(item.pos() + item.mapArea().topLeft() + map().grid().cellRect(8).topLeft());
    }
};

void savePicture(Host& host, const QString& name)
{
    const QString folder = qEnvironmentVariable("STRATOPLAN_PICTURES");
    QCoreApplication::processEvents();
    const QPixmap picture = host.window.grab();
    QVERIFY(!picture.isNull());
    if (!folder.isEmpty())
        QVERIFY(picture.save(QDir(folder).filePath(name + QStringLiteral(".png"))));
}

} // namespace

class TestPlanOverlays : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, ThemeKind::Light);
        collectQtMessages();
    }
    void cleanup() { QVERIFY(qtMessages().isEmpty()); }

    void ranksAreColouredByTheirPlace()
    {
        Running host;
        QVERIFY(!host.map().isColoured());
        host.overlays().setAxis(Axis::Pp);
        QVERIFY(host.map().isColoured());
        QCOMPARE(host.overlays().places(), 4);
        QVERIFY(host.overlays().hasIdle());
        const int ranks = host.map().grid().accelerators() - 32;
        QCOMPARE(host.map().content().places.front(), 0);
        QCOMPARE(host.map().content().places[std::size_t(ranks - 1)], 3);
        QCOMPARE(host.map().content().places[std::size_t(ranks)], -1);
        host.zoomIn();
        QCOMPARE(host.pixel(0), placeColour(currentTokens(), 0, 4));
        // A plan with other stages colours anew, none takes the colours away.
        RunningPlan next = *host.overlays().plan();
        next.strategy.pp = 2;
        host.overlays().setPlan(next);
        QCOMPARE(host.overlays().places(), 2);
        host.overlays().setPlan({});
        QVERIFY(!host.map().isColoured());
        QVERIFY(host.overlays().axis() == Axis::Pp); // kept for the next one
    }

    void anAxisIsChosenByKeyAndMenu()
    {
        Running host;
        QSignalSpy changed(&host.overlays(), &PlanOverlays::changed);
        host.press(Qt::Key_C);
        QMenu* menu = host.button(QStringLiteral("Colour by"))->menu();
        QVERIFY(menu->isVisible());
        QTest::keyClick(menu, Qt::Key_D);
        QVERIFY(!menu->isVisible());
        QVERIFY(host.overlays().axis() == Axis::Dp);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(host.button(QStringLiteral("Colour by"))->text(), QStringLiteral("Colour: DP"));
        for (const QAction* each : menu->actions())
            QCOMPARE(each->isChecked(), each->text() == QStringLiteral("&DP"));
        const auto legends = host.view().findChildren<RankLegend*>();
        QCOMPARE(legends.size(), 1);
        QVERIFY(legends.front()->isVisible());
        QVERIFY(legends.front()->accessibleName().contains(QStringLiteral("DP, 0")));
        QVERIFY(legends.front()->accessibleName().endsWith(QStringLiteral("idle")));
        host.overlays().setAxis({});
        QVERIFY(!legends.front()->isVisible());
    }

    /// T wires a fat tree, A arranges: but for the menu they are TP and the accelerators.
    void lettersOfAMenuAreItsOwn()
    {
        for (const auto& [key, axis] : {std::pair(Qt::Key_T, std::optional(Axis::Tp)), {Qt::Key_A, std::nullopt}}) {
            Running host;
            host.overlays().setAxis(Axis::Pp);
            host.press(Qt::Key_C);
            const QMenu* menu = host.button(QStringLiteral("Colour by"))->menu();
            QVERIFY(menu->isVisible());
            QTest::keyClick(menu->windowHandle(), key);
            QVERIFY(!menu->isVisible());
            QCOMPARE(host.overlays().axis(), axis);
            QVERIFY(host.texts.isEmpty());
        }
    }

    void aClickTracesAGroup()
    {
        Running host;
        host.click(3);
        QVERIFY(!host.overlays().isTracing()); // nothing is coloured yet
        host.overlays().setAxis(Axis::Tp);
        host.zoomIn();
        host.click(3);
        QVERIFY(host.overlays().isTracing());
        QCOMPARE(host.map().content().traced, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
        QCOMPARE(host.map().content().at, 3);
        const Tokens& t = currentTokens();
        QCOMPARE(host.pixel(1), placeColour(t, 1, 8));
        QVERIFY(host.pixel(8) != placeColour(t, 0, 8)); // of another group
        QVERIFY(host.view().hintText().startsWith(QStringLiteral("TP group of 8 · Rank 3")));
        host.click(8);
        QCOMPARE(host.map().content().traced.front(), 8);
        host.click(9); // of the same
        QVERIFY(!host.overlays().isTracing());
        QVERIFY(host.view().hintText().isEmpty());
        QCOMPARE(host.pixel(8), placeColour(t, 0, 8));
    }

    void aDragTracesNothing()
    {
        Running host;
        host.overlays().setAxis(Axis::Tp);
        const QPoint from = host.at(0);
        QTest::mousePress(host.canvas(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 8; ++i)
            QTest::mouseMove(host.canvas(), from + QPoint(10, 0) * i);
        QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, from + QPoint(80, 0));
        QVERIFY(!host.overlays().isTracing());
        QCOMPARE(host.texts.size(), 1); // the card moved
    }

    void keysTraceAndWalk()
    {
        Running host;
        host.select(QStringLiteral("nodes"));
        host.press(Qt::Key_G);
        QVERIFY(!host.overlays().isTracing());
        host.overlays().setAxis(Axis::Pp);
        host.press(Qt::Key_G);
        QCOMPARE(host.map().content().at, 0);
        QCOMPARE(host.map().content().traced.size(), std::size_t(4));
        const auto before = host.scene().currentPositions();
        host.press(Qt::Key_Right);
        QCOMPARE(host.map().content().at, 1);
        host.press(Qt::Key_Down);
        QCOMPARE(host.map().content().at, 5);
        host.press(Qt::Key_Left);
        host.press(Qt::Key_Left);
        QCOMPARE(host.map().content().at, 4);
        QVERIFY(host.scene().currentPositions() == before && host.texts.isEmpty()); // no card moved
        host.press(Qt::Key_Escape);
        QVERIFY(!host.overlays().isTracing());
        QCOMPARE(host.view().selection(), QStringList{QStringLiteral("nodes")});
        host.press(Qt::Key_Escape);
        QVERIFY(host.view().selection().isEmpty());
    }

    void whatIsTracedMayGo()
    {
        Running host;
        host.overlays().setAxis(Axis::Dp);
        host.overlays().trace("nodes", 900);
        QVERIFY(host.overlays().isTracing());
        Cluster fewer = fatTree();
        fewer.nodes.front().count = 100;
        host.setCluster(fewer, host.value.positions);
        QVERIFY(!host.overlays().isTracing());
        host.overlays().trace("nodes", 10);
        host.setCluster({}, {});
        QVERIFY(!host.overlays().isTracing());
        host.overlays().trace("nodes", 10);
        QVERIFY(!host.overlays().isTracing());
    }

    void platesFollowTheCluster()
    {
        Running host;
        host.overlays().setAxis(Axis::Dp);
        const auto* legend = host.view().findChild<RankLegend*>();
        QVERIFY(legend->accessibleName().endsWith(QStringLiteral("idle")));
        host.overlays().trace("nodes", 900);
        QVERIFY(host.view().hintText().startsWith(QStringLiteral("DP group")));
        Cluster fewer = fatTree();
        fewer.nodes.front().count -= 32 / fewer.nodes.front().acceleratorsPerNode;
        host.setCluster(fewer, host.value.positions);
        QVERIFY(!legend->accessibleName().endsWith(QStringLiteral("idle")));
        QVERIFY(host.overlays().isTracing());
        fewer.nodes.front().count = 100;
        host.setCluster(fewer, host.value.positions);
        QVERIFY(!host.overlays().isTracing());
        QVERIFY(host.view().hintText().isEmpty());
    }

    void hintsOfToolsComeFirst()
    {
        Running host;
        host.overlays().setAxis(Axis::Tp);
        host.view().setTool(TopologyView::Tool::Link);
        const QString hint = host.view().hintText();
        QVERIFY(!hint.isEmpty());
        host.overlays().setShowsLoad(true);
        QCOMPARE(host.view().hintText(), hint);
        host.overlays().trace("nodes", 3);
        QCOMPARE(host.view().hintText(), hint);
        host.view().setTool(TopologyView::Tool::Select);
        QVERIFY(host.view().hintText().startsWith(QStringLiteral("TP group")));
    }

    void aDoubleClickTracesOnce()
    {
        Running host;
        host.overlays().setAxis(Axis::Tp);
        host.zoomIn();
        const QPoint at = host.at(3);
        host.click(3);
        QMouseEvent second(QEvent::MouseButtonDblClick, at, host.canvas()->mapToGlobal(at), Qt::LeftButton,
            Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(host.canvas(), &second);
        QTest::mouseRelease(host.canvas(), Qt::LeftButton, {}, at);
        QVERIFY(host.overlays().isTracing());
        host.click(3);
        QVERIFY(!host.overlays().isTracing());
    }

    void arrowsMoveAnotherCardThatIsSelected()
    {
        Running host;
        host.overlays().setAxis(Axis::Tp);
        host.press(Qt::Key_G); // of the first card
        host.press(Qt::Key_Right);
        QCOMPARE(host.map().content().at, 1);
        host.select(QStringLiteral("leaves"));
        const auto before = host.scene().currentPositions();
        host.press(Qt::Key_Right);
        QCOMPARE(host.map().content().at, 1);
        QVERIFY(host.scene().currentPositions().at("leaves").x > before.at("leaves").x);
        host.select(QStringLiteral("nodes"));
        host.press(Qt::Key_Right);
        QCOMPARE(host.map().content().at, 2);
    }

    void linksAreColouredByLoad()
    {
        Running host;
        const std::string first = connectionKeys(fatTree())[0], second = connectionKeys(fatTree())[1];
        QVERIFY(!host.scene().connection(first)->load());
        host.press(Qt::Key_B);
        QVERIFY(host.overlays().showsLoad());
        QCOMPARE(host.scene().connection(first)->load(), std::optional(0.6));
        QCOMPARE(host.scene().connection(second)->load(), std::optional(0.3));
        QVERIFY(host.scene().label(first)->text().endsWith(QStringLiteral("· busiest: up to 60 % of the step, DP")));
        QVERIFY(host.scene().label(second)->text().endsWith(QStringLiteral("· up to 30 %")));
        QVERIFY(host.button(QStringLiteral("Colour links"))->isChecked());
        host.overlays().setPlan({});
        QVERIFY(!host.scene().connection(first)->load());
        host.overlays().setPlan(running(fatTree()));
        host.press(Qt::Key_B);
        QVERIFY(!host.scene().connection(first)->load());
        QVERIFY(!host.scene().label(first)->text().contains(QStringLiteral("busiest")));
    }

    void screenReadersHearTheOverlays()
    {
        Running host;
        host.overlays().setAxis(Axis::Pp);
        host.overlays().setShowsLoad(true);
        QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&host.view());
        QStringList names;
        for (int i = 0; i < canvas->childCount(); ++i)
            names << canvas->child(i)->text(QAccessible::Name);
        const QString all = names.join(u'\n');
        QVERIFY(all.contains(QStringLiteral("Coloured by PP: 4 of 4 places, 0 to 3, 32 accelerators idle")));
        QVERIFY(!all.contains(QStringLiteral("Traced")));
        host.overlays().trace("nodes", 9);
        const QString traced = host.overlays().describe(std::string("nodes"));
        QVERIFY2(traced.endsWith(QStringLiteral(
                     "Traced: PP group of 4 · Rank 9 · node 1, accelerator 1 · TP 1 · PP 0 · DP 1, 4 of it here")),
            qPrintable(traced));
        QVERIFY(all.contains(QStringLiteral("Busy up to 1.20 s of 2.00 s (60 %). DP 1.20 s")));
    }

    void toolTipsNameTheRank()
    {
        Running host;
        host.overlays().setAxis(Axis::Pp);
        host.zoomIn();
        const QPoint at = host.at(9);
        QHelpEvent help(QEvent::ToolTip, at, host.canvas()->mapToGlobal(at));
        QCoreApplication::sendEvent(host.canvas(), &help);
        QCOMPARE(host.scene().element("nodes")->toolTip(),
            QStringLiteral("Rank 9 · node 1, accelerator 1 · TP 1 · PP 0 · DP 1"));
        QToolTip::hideText();
    }

    /// Far away a card stays as it is; near by all its nodes are there, whatever colours them.
    void mapsOpenFromNearBy()
    {
        Running host;
        const QRectF card = host.scene().element("nodes")->sceneCard();
        const QColor family = acceleratorColour(currentTokens(), host.scene().element("nodes")->content().colour);
        host.view().setZoom(1);
        QVERIFY(host.pixel(0) != family); // there the card has a margin
        host.zoomIn();
        QVERIFY(card.contains(host.view().mapToScene(host.at(0))));
        QCOMPARE(host.pixel(0), family);
        QCOMPARE(host.pixel(20), family);
    }

    void pictures()
    {
        for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
            applyTheme(*qApp, kind);
            const QString theme = kind == ThemeKind::Dark ? QStringLiteral("-dark") : QStringLiteral("-light");
            Running host;
            host.overlays().setShowsLoad(true);
            host.overlays().setAxis(Axis::Pp);
            savePicture(host, QStringLiteral("overlay-pp") + theme);
            host.overlays().setAxis(Axis::Dp);
            host.overlays().trace("nodes", 100);
            savePicture(host, QStringLiteral("overlay-dp-traced") + theme);
            host.zoomIn();
            host.overlays().endTrace();
            savePicture(host, QStringLiteral("overlay-dp-near") + theme);
            host.view().setZoom(32);
            savePicture(host, QStringLiteral("overlay-dp-nearest") + theme);
            host.view().setZoom(0.4);
            savePicture(host, QStringLiteral("overlay-dp-far") + theme);
            host.view().setZoom(0.2);
            savePicture(host, QStringLiteral("overlay-dp-farthest") + theme);
            host.overlays().setAxis({});
            host.zoomIn();
            savePicture(host, QStringLiteral("overlay-none-near") + theme);
        }
    }
};

QTEST_MAIN(TestPlanOverlays)
#include "test_plan_overlays.moc"
