// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit costs the window: every view is filled once, and only where what it shows is different.
#include "app/gui/explore/explore_page.h"
#include "app/gui/window/central_view.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/topology/topology_view.h"

#include <QAbstractItemModel>
#include <QAccessible>
#include <QElapsedTimer>
#include <QSignalSpy>

#include <atomic>
#include <thread>

using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::gui;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using namespace std::chrono_literals;

namespace {

/// Over each view that shows an estimate.
QStringList staleNotices(CentralView& view)
{
    ExplorePage& charts = view.explore();
    return {view.verdict().staleNotice(), charts.breakdown().staleNotice(), charts.memory().staleNotice(),
        charts.pipeline().staleNotice(), view.details().staleNotice(), view.problems().staleNotice()};
}

/// The core's answers; estimates wait while they are held and are not asked to stop.
PlannerFunctions heldEstimates(const std::atomic<bool>& held)
{
    PlannerFunctions functions = quickFunctions();
    functions.estimate = [core = functions.estimate, &held](const Plan& plan, const std::stop_token& stop) {
        while (held && !stop.stop_requested())
            std::this_thread::sleep_for(1ms);
        return core(plan, stop);
    };
    return functions;
}

/// As screen readers tell it.
QString descriptionOf(QWidget& widget)
{
    return QAccessible::queryAccessibleInterface(&widget)->text(QAccessible::Description);
}

} // namespace

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

    void figuresOfAnOlderPlanArePaled()
    {
        std::atomic<bool> held{false};
        const auto window = openWindow({.functions = heldEstimates(held)});
        QVERIFY(settled(*window));
        CentralView& view = window->view();
        const QStringList none(6, QString());
        QCOMPARE(staleNotices(view), none);
        VerdictCell& step = *view.verdict().cell(VerdictFigure::StepTime);
        const QString before = descriptionOf(step), breakdown = descriptionOf(view.explore().breakdown());
        const QImage picture = view.verdict().grab().toImage();
        held = true;
        LegalSlider* slider = view.inputs().slider(Dimension::MicroBatch);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Right);
        QCOMPARE(staleNotices(view), none);
        const QString notice = QStringLiteral("Estimating…");
        QTRY_COMPARE(staleNotices(view), QStringList(none.size(), notice));
        QVERIFY(descriptionOf(step).startsWith(notice) && descriptionOf(step).endsWith(before));
        QCOMPARE(descriptionOf(view.explore().breakdown()), notice + QStringLiteral(": ") + breakdown);
        QVERIFY(descriptionOf(view.verdict()).startsWith(notice));
        QVERIFY(descriptionOf(view.details()).startsWith(notice));
        QVERIFY(descriptionOf(view.problems()).startsWith(notice));
        QVERIFY(view.verdict().grab().toImage() != picture);
        held = false;
        QVERIFY(settled(*window));
        QCOMPARE(staleNotices(view), none);
        QVERIFY(!descriptionOf(step).startsWith(notice) && descriptionOf(step) != before);
        QVERIFY(!descriptionOf(view.explore().breakdown()).startsWith(notice));
        QVERIFY(descriptionOf(view.explore().breakdown()) != breakdown);
        discardAndClose(*window);
    }

    /// There is nothing to mend in a plan whose first answer takes long.
    void whatIsAwaitedForTheFirstTimeIsSaid()
    {
        std::atomic<bool> held{true};
        const auto window = openWindow({.functions = heldEstimates(held)});
        CentralView& view = window->view();
        const QString notice = QStringLiteral("Estimating…");
        QTRY_COMPARE(view.verdict().staleNotice(), notice);
        ExplorePage& charts = view.explore();
        const std::initializer_list<ChartView*> all{&charts.breakdown(), &charts.memory(), &charts.pipeline()};
        for (ChartView* chart : all) {
            QVERIFY(chart->isEmpty());
            QCOMPARE(chart->emptyText(), notice);
            QCOMPARE(descriptionOf(*chart), notice);
        }
        QVERIFY(view.details().staleNotice().isEmpty()); // it shows no figure
        for (const QWidget* veil : view.verdict().findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            QVERIFY(view.verdict().rect().contains(veil->geometry()));
        held = false;
        QVERIFY(settled(*window));
        for (const ChartView* chart : all)
            QVERIFY(!chart->isEmpty() && chart->staleNotice().isEmpty());
        QVERIFY(view.verdict().staleNotice().isEmpty());
        charts.clear();
        QVERIFY(charts.breakdown().emptyText().startsWith(QStringLiteral("Nothing to break down")));
        discardAndClose(*window);
    }

    /// Pictures that follow a drag are never as old as that.
    void quickEstimatesArePaledNowhere()
    {
        PlannerFunctions functions = quickFunctions();
        functions.estimate = [core = functions.estimate](const Plan& plan, const std::stop_token& stop) {
            std::this_thread::sleep_for(20ms);
            return core(plan, stop);
        };
        const auto window = openWindow({.functions = functions});
        QVERIFY(settled(*window));
        Workspace& workspace = window->workspace();
        QElapsedTimer age;
        int tooEarly = 0, answers = 0;
        bool wasPaled = false;
        const auto look = [&] {
            const bool isPaled = !window->view().verdict().staleNotice().isEmpty();
            tooEarly += isPaled && !wasPaled && age.elapsed() < 290;
            wasPaled = isPaled;
        };
        const auto restart = [&] {
            look();
            age.start();
            ++answers;
        };
        connect(&workspace, &Workspace::updatingChanged, this, restart);
        connect(&workspace, &Workspace::estimateChanged, this, restart);
        Plan plan = workspace.plan();
        age.start();
        for (int i = 0; i < 150; ++i) {
            look();
            plan.strategy.microBatch = 1 + i % 2;
            workspace.editPlan(plan, QStringLiteral("drag"), 1);
            QTest::qWait(8);
        }
        QVERIFY(settled(*window));
        QVERIFY(answers > 2);
        QCOMPARE(tooEarly, 0);
        workspace.disconnect(this);
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
