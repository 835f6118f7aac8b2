// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit costs the window: every view is filled once, and only where what it shows is different.
#include "app/gui/window/central_view.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/topology/topology_view.h"

#include <QAbstractItemModel>
#include <QSignalSpy>

#include <atomic>

using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestUpdates : public WindowTest {
    Q_OBJECT

private Q_SLOTS:
    /// The list of node groups is filled whenever the form shows a plan.
    void aSliderMoveFillsTheFormOnce()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        InputsPanel& inputs = window->view().inputs();
        const ChoiceField& groups = named<ChoiceField>(inputs, QStringLiteral("Group of nodes"));
        QSignalSpy filled(groups.model(), &QAbstractItemModel::rowsInserted);
        LegalSlider* slider = inputs.slider(Dimension::MicroBatch);
        const int before = slider->value();
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Right);
        QVERIFY(settled(*window));
        QVERIFY(slider->value() != before);
        QCOMPARE(window->workspace().plan().strategy.microBatch, slider->value());
        QCOMPARE(filled.count(), 1);
        window->workspace().document().undo(); // an edit from elsewhere is shown
        QVERIFY(settled(*window));
        QCOMPARE(slider->value(), before);
        QCOMPARE(filled.count(), 2);
        discardAndClose(*window);
    }

    void anEditOfTheStrategyLeavesTheCanvas()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        TopologyView& canvas = window->view().canvas();
        Workspace& workspace = window->workspace();
        canvas.setTool(TopologyView::Tool::Link);
        const std::string first = elementIds(workspace.plan().cluster).front();
        canvas.showElement(QString::fromStdString(first));
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_Return);
        const QString hint = canvas.hintText();
        QTest::qWait(50); // what was drawn for it
        QSignalSpy drawn(canvas.topologyScene(), &QGraphicsScene::changed);
        Strategy strategy = workspace.plan().strategy;
        strategy.recompute = strategy.recompute == Recompute::Full ? Recompute::None : Recompute::Full;
        workspace.editStrategy(strategy, QStringLiteral("recompute"));
        QVERIFY(settled(*window));
        QTest::qWait(50);
        QCOMPARE(drawn.count(), 0);
        QCOMPARE(canvas.hintText(), hint); // a link that was begun is still in hand
        Cluster cluster = workspace.plan().cluster;
        cluster.nodes.front().count += 1;
        workspace.editCluster(cluster, canvas.value().positions, QStringLiteral("nodes"));
        QTRY_VERIFY(drawn.count() > 0);
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    /// A strategy that was looked at is adopted as it was answered, and the plan comes back as it was.
    void aPreviewIsSimulatedOnce()
    {
        PlannerFunctions functions = quickFunctions();
        std::atomic<int> simulated{0};
        functions.timeline = [core = functions.timeline, &simulated](const Estimate& estimate) {
            ++simulated;
            return core(estimate);
        };
        const auto window = openWindow({.functions = functions});
        QVERIFY(settled(*window));
        Workspace& workspace = window->workspace();
        const int before = simulated;
        Strategy other = workspace.plan().strategy;
        other.recompute = other.recompute == Recompute::Full ? Recompute::None : Recompute::Full;
        workspace.preview(other, workspace.plan().training.precision);
        QVERIFY(settled(*window));
        QCOMPARE(simulated.load(), before + 1);
        workspace.endPreview();
        QVERIFY(settled(*window));
        QCOMPARE(simulated.load(), before + 1);
        workspace.preview(other, workspace.plan().training.precision);
        QVERIFY(settled(*window));
        workspace.adoptPreview();
        QVERIFY(settled(*window));
        QCOMPARE(simulated.load(), before + 2);
        QVERIFY(!window->view().inputs().slider(Dimension::Tp)->isOutdated());
        discardAndClose(*window);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    TestUpdates test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_updates.moc"
