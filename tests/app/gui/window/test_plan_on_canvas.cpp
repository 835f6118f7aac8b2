// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas shows the plan that runs on its cluster, as it is edited: ranks, and how long links are in use.
#include "app/gui/window/central_view.h"
#include "core/estimate/link_loads.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/field_row.h"
#include "widgets/topology/busy_text.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/node_map.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/topology_view.h"

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestPlanOnCanvas : public WindowTest {
    Q_OBJECT

    static bool shows(ClusterInspector& inspector, const QString& text)
    {
        return std::ranges::any_of(inspector.findChildren<InfoRow*>(),
            [&](const InfoRow* row) { return row->isVisible() && row->value() == text; });
    }

private Q_SLOTS:
    void ranksFollowThePlan()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        TopologyView& canvas = window->view().canvas();
        PlanOverlays& overlays = canvas.topologyScene()->overlays();
        const plan::Plan before = window->workspace().plan();
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_C);
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_P);
        QCOMPARE(overlays.places(), before.strategy.pp);
        const NodeMap* map = canvas.topologyScene()->element(before.cluster.nodes.front().id)->map();
        QVERIFY(map && map->isColoured());
        QCOMPARE(window->workspace().plan(), before); // nothing of it is an edit

        parallel::Strategy other = before.strategy;
        other.pp /= 2;
        other.dp *= 2;
        window->workspace().editStrategy(other, QStringLiteral("Other stages"));
        QVERIFY(settled(*window));
        QCOMPARE(overlays.places(), other.pp);
        other.dp *= 64; // more ranks than accelerators: such a plan does not run
        window->workspace().editStrategy(other, QStringLiteral("Too many ranks"));
        QVERIFY(settled(*window));
        QCOMPARE(overlays.places(), 0);
        window->actionSet().undo->trigger();
        window->actionSet().undo->trigger();
        QVERIFY(settled(*window));
        QCOMPARE(overlays.places(), before.strategy.pp);
        QVERIFY(window->close());
    }

    void theInspectorTellsHowLongALinkIsInUse()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        const plan::Plan plan = window->workspace().plan();
        QVERIFY(!plan.cluster.connections.empty());
        const cluster::Connection& c = plan.cluster.connections.front();
        TopologyView& canvas = window->view().canvas();
        canvas.setSelection({QString::fromStdString(c.from + " -> " + c.to)});
        const estimate::Estimate& estimate = **window->workspace().estimate();
        const estimate::LinkLoad load = linkLoad(estimate, plan, 0);
        QVERIFY(load.busy > Seconds{});
        const QString busy = busyText(load, estimate.step);
        QVERIFY2(shows(window->view().inspector(), busy), qPrintable(busy));
        canvas.setSelection({QString::fromStdString(plan.cluster.nodes.front().id)});
        QVERIFY(!shows(window->view().inspector(), busy));
        QVERIFY(window->close());
    }

    void loadsAreThereWhileTheyAreShown()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        TopologyView& canvas = window->view().canvas();
        const PlanOverlays& overlays = canvas.topologyScene()->overlays();
        QVERIFY(overlays.plan() && overlays.plan()->loads.empty());
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_B);
        const plan::Plan plan = window->workspace().plan();
        const std::string key = connectionKeys(plan.cluster).front();
        QCOMPARE(overlays.plan()->loads.at(key).share, linkLoad(**window->workspace().estimate(), plan, 0).share);
        QVERIFY(canvas.topologyScene()->connection(key)->load());
        QTest::keyClick(&canvas, Qt::Key_B);
        QVERIFY(overlays.plan()->loads.empty());
        QVERIFY(!canvas.topologyScene()->connection(key)->load());
        QVERIFY(window->close());
    }
};

QTEST_MAIN(TestPlanOnCanvas)
#include "test_plan_on_canvas.moc"
