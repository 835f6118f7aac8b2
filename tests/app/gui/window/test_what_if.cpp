// SPDX-License-Identifier: GPL-3.0-or-later
// What if: the inspector of the canvas tells what a failure costs, and a click makes it so.
#include "app/gui/build/what_if_texts.h"
#include "app/gui/window/central_view.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/field_row.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/topology_view.h"
#include "widgets/topology/what_if_list.h"

#include <QAbstractButton>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestWhatIf : public WindowTest {
    Q_OBJECT

    static bool answered(WhatIfList& list)
    {
        return QTest::qWaitFor(
            [&] {
                return !list.lines().empty() && std::ranges::none_of(list.lines(), [](const WhatIfLine& l) {
                    return l.answer.isEmpty() && l.button.isEmpty();
                });
            },
            kPatience);
    }

    /// With a search that is short, and the first nodes selected.
    [[nodiscard]] std::unique_ptr<MainWindow> openLocked(
        PlannerFunctions functions = quickFunctions(), plan::SearchMode mode = plan::SearchMode::Simulated) const
    {
        auto window = openWindow({.functions = std::move(functions), .perspective = Perspective::Build});
        plan::SearchSettings settings = window->workspace().document().project().search;
        settings.mode = mode;
        for (int i = 0; i < plan::kLockableDimensions; ++i)
            settings.locks.insert(static_cast<plan::Dimension>(i));
        settings.locks.erase(plan::Dimension::Dp);
        window->workspace().editSearch(settings, QStringLiteral("Padlocks"));
        window->view().canvas().setSelection(
            {QString::fromStdString(window->workspace().plan().cluster.nodes.front().id)});
        return window;
    }

    /// The button of the second line, which is about the best plan for what is left.
    static bool press(MainWindow& window, const QString& text)
    {
        ClusterInspector& inspector = window.view().inspector();
        QAbstractButton* button = inspector.whatIfs().button(1);
        if (!button || button->text() != text)
            return false;
        inspector.ensureWidgetVisible(button);
        QTest::mouseClick(button, Qt::LeftButton);
        return true;
    }
    static bool offers(WhatIfList& list, const QString& button)
    {
        return QTest::qWaitFor([&] { return list.lines()[1].button == button; }, kPatience);
    }

    /// Of a plan for what a failed node leaves, where the search of all nodes answers so.
    [[nodiscard]] QString replanNote(const std::function<void(search::SearchResult&)>& change) const
    {
        PlannerFunctions functions = quickFunctions();
        functions.searching.search = [search = functions.searching.search, change](const SearchRequest& request,
                                         const std::stop_token& stop, const search::SearchProgressCallback& progress) {
            search::SearchResult result = search(request, stop, progress);
            change(result);
            return result;
        };
        const auto window = openLocked(std::move(functions), plan::SearchMode::ClosedForm);
        WhatIfList& list = window->view().inspector().whatIfs();
        if (!settled(*window) || !answered(list) || !press(*window, QStringLiteral("Find"))
            || !offers(list, QStringLiteral("Try")))
            return {};
        const QString note = list.lines()[1].note;
        window->actionSet().undo->trigger();
        return window->close() ? note : QString();
    }

private Q_SLOTS:
    void onlyTheSameStepIsNoChange_data()
    {
        QTest::addColumn<double>("longer");
        QTest::addColumn<QString>("said");
        QTest::newRow("the same") << 0.0 << "no change";
        QTest::newRow("rounding") << -5e-10 << "no change";
        QTest::newRow("beyond it") << 2e-9 << "72.2 s, under 0.01 % longer";
        QTest::newRow("small") << 0.000247 << "72.2 s, +0.02 %";
        QTest::newRow("small gain") << -0.00003 << "72.2 s, under 0.01 % shorter";
        QTest::newRow("least told") << 0.00006 << "72.2 s, +0.01 %";
        QTest::newRow("three figures") << -0.000866 << "72.2 s, −0.0866 %";
        QTest::newRow("large") << 0.5 << "72.2 s, +50.0 %";
    }
    void onlyTheSameStepIsNoChange()
    {
        QFETCH(double, longer);
        WhatIf answer;
        answer.step = Seconds(72.2232);
        answer.longer = longer;
        QTEST(whatIfLine({}, answer, answer.plan).answer, "said");
    }

    void aFailureIsPricedAndTried()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        const plan::Plan before = window->workspace().plan();
        ClusterInspector& inspector = window->view().inspector();
        const QString key = QString::fromStdString(before.cluster.nodes.front().id);
        window->view().canvas().setSelection({key});
        WhatIfList& list = inspector.whatIfs();
        QVERIFY(list.isVisible());
        QCOMPARE(list.lines().front().what, QStringLiteral("A node fails"));
        QVERIFY(answered(list));
        QVERIFY2(list.lines().front().answer.contains(QStringLiteral("%")), qPrintable(list.lines().front().answer));

        auto* button = list.findChild<QAbstractButton*>();
        QVERIFY(button && button->isVisible());
        inspector.ensureWidgetVisible(button);
        QTest::mouseClick(button, Qt::LeftButton);
        const plan::Plan after = window->workspace().plan();
        QCOMPARE(after.cluster.nodes.front().count, before.cluster.nodes.front().count - 1);
        QVERIFY(!hasErrors(check(after)));
        QVERIFY(settled(*window));
        QVERIFY(*window->workspace().estimate());
        QCOMPARE(window->actionSet().undo->text(), QStringLiteral("&Undo: A node fails"));
        window->actionSet().undo->trigger();
        QCOMPARE(window->workspace().plan(), before);
        QVERIFY(window->close());
    }

    /// The one uplink of a leaf that no rank lies below.
    void whatIsCutOffIsTold()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        plan::Plan plan = window->workspace().plan();
        cluster::NodeGroup spare = plan.cluster.nodes.front();
        spare.id = "spare";
        spare.name = "Spare nodes";
        spare.count = 2;
        plan.cluster.nodes.push_back(spare);
        plan.cluster.switches.push_back({"spare leaf", "Spare leaf", cluster::SwitchTier::Leaf, 64, 1});
        const auto spine =
            std::ranges::find(plan.cluster.switches, cluster::SwitchTier::Spine, &cluster::SwitchGroup::tier);
        QVERIFY(spine != plan.cluster.switches.end());
        plan.cluster.connections.push_back({"spare", "spare leaf", spare.nic, 2 * spare.nicsPerNode});
        plan.cluster.connections.push_back({"spare leaf", spine->id, spare.nic, 1});
        window->workspace().editPlan(plan, QStringLiteral("Spare nodes"));
        QVERIFY(settled(*window));
        window->view().canvas().setSelection({QString::fromStdString("spare leaf -> " + spine->id)});
        ClusterInspector& inspector = window->view().inspector();
        WhatIfList& list = inspector.whatIfs();
        QVERIFY(answered(list));
        QCOMPARE(list.lines().front().what, QStringLiteral("A cable breaks"));
        QCOMPARE(list.lines().front().answer, QStringLiteral("no change"));
        QVERIFY2(list.lines().front().note.startsWith(QStringLiteral("leaves Spare nodes apart")),
            qPrintable(list.lines().front().note));
        const auto rows = inspector.findChildren<InfoRow*>();
        QVERIFY(std::ranges::any_of(
            rows, [](const InfoRow* row) { return row->isVisible() && row->value() == QStringLiteral("no group"); }));
        inspector.ensureWidgetVisible(list.button(0));
        QTest::mouseClick(list.button(0), Qt::LeftButton);
        QCOMPARE(window->workspace().plan().cluster.connections.back().cables, 0);
        window->view().canvas().setSelection({QStringLiteral("spare")});
        QVERIFY(settled(*window) && answered(list));
        for (const WhatIfLine& line : list.lines()) // they were before
            QVERIFY2(!line.note.contains(QStringLiteral("apart")), qPrintable(line.note));
        for (int i = 0; i < 2; ++i)
            window->actionSet().undo->trigger();
        QVERIFY(window->close());
    }

    void aFailureIsPlannedAnew()
    {
        const auto window = openLocked();
        QVERIFY(settled(*window));
        const plan::Plan before = window->workspace().plan();
        WhatIfList& list = window->view().inspector().whatIfs();
        QVERIFY(answered(list));
        QCOMPARE(list.lines()[1].what, QStringLiteral("A node fails, re-planned"));
        const int usual = QApplication::doubleClickInterval();
        const auto restore = qScopeGuard([&] { QApplication::setDoubleClickInterval(usual); });
        QApplication::setDoubleClickInterval(int(kPatience)); // no machine is too slow to be too soon
        for (const char* each : {"Find", "Stop", "Find"})
            QVERIFY(press(*window, QString::fromLatin1(each)));
        list.button(1)->setFocus();
        QVERIFY(offers(list, QStringLiteral("Try")));
        QVERIFY(!list.button(1)->isEnabled() && list.button(0)->isEnabled());
        QVERIFY(list.hasFocus()); // which a key that was to stop the search goes to, and no other button
        QVERIFY(press(*window, QStringLiteral("Try"))); // too soon: it was to stop the search
        QTest::keyClick(&list, Qt::Key_Space);
        QCOMPARE(window->workspace().plan(), before);
        window->view().canvas().setSelection({});
        QApplication::setDoubleClickInterval(1);
        window->view().canvas().setSelection({QString::fromStdString(before.cluster.nodes.front().id)});
        QVERIFY(answered(list));
        QVERIFY(press(*window, QStringLiteral("Find")));
        list.button(1)->setFocus();
        QVERIFY(offers(list, QStringLiteral("Try")));
        QTRY_VERIFY(list.button(1)->isEnabled());
        QVERIFY(list.button(1)->hasFocus());
        QVERIFY2(list.lines()[1].answer.contains(QStringLiteral("%")), qPrintable(list.lines()[1].answer));
        QVERIFY(press(*window, QStringLiteral("Try")));
        const plan::Plan after = window->workspace().plan();
        QCOMPARE(after.cluster.nodes.front().count, before.cluster.nodes.front().count - 1);
        QVERIFY(!hasErrors(check(after)));
        QCOMPARE(window->actionSet().undo->text(), QStringLiteral("&Undo: A node fails, re-planned"));
        window->actionSet().undo->trigger();
        QCOMPARE(window->workspace().plan(), before);
        window->actionSet().undo->trigger(); // the padlocks
        QVERIFY(window->close());
    }

    /// The best plan for what is left fills memories to where its range ends beyond them.
    void whatMayNotFitSaysSo()
    {
        const auto window = openLocked();
        plan::Plan plan = window->workspace().plan();
        const auto noteFor = [&](double share) -> QString {
            plan::Plan tight = plan;
            tight.cluster.nodes.front().accelerator.memory = (*window->workspace().estimate())->memory.peak * share;
            window->workspace().editPlan(tight, QStringLiteral("Memory"));
            WhatIfList& list = window->view().inspector().whatIfs();
            const bool isFound = settled(*window) && answered(list) && press(*window, QStringLiteral("Find"))
                && offers(list, QStringLiteral("Try"));
            const QString note = isFound ? list.lines()[1].note : QStringLiteral("?");
            window->actionSet().undo->trigger();
            return settled(*window) ? note : QString();
        };
        QVERIFY(settled(*window));
        const QString tight = noteFor(1.02), roomy = noteFor(2);
        QVERIFY2(tight.startsWith(QStringLiteral("may not fit")), qPrintable(tight));
        QVERIFY2(roomy != QStringLiteral("?") && !roomy.contains(QStringLiteral("fit,")), qPrintable(roomy));
        window->actionSet().undo->trigger(); // the padlocks
        QVERIFY(window->close());
    }

    void whatIsPlannedAnewIsOfTheSettings()
    {
        const auto window = openLocked();
        QVERIFY(settled(*window));
        WhatIfList& list = window->view().inspector().whatIfs();
        QVERIFY(answered(list));
        QVERIFY(press(*window, QStringLiteral("Find")));
        QVERIFY(offers(list, QStringLiteral("Try")));
        QVERIFY2(list.lines()[1].note.contains(QStringLiteral("beside the best plan of all nodes")),
            qPrintable(list.lines()[1].note));
        plan::SearchSettings settings = window->workspace().document().project().search;
        settings.headroom = 0.05;
        window->workspace().editSearch(settings, QStringLiteral("Headroom"));
        QCOMPARE(list.lines()[1].button, QStringLiteral("Find"));
        for (int i = 0; i < 2; ++i)
            window->actionSet().undo->trigger();
        QVERIFY(window->close());
    }

    void onlyWhatIsProvenIsTheBestOfAllNodes()
    {
        const QString best = QStringLiteral("beside the best plan of all nodes");
        const QString proven = replanNote([](const search::SearchResult&) {});
        QVERIFY2(proven.contains(best), qPrintable(proven));
        // What a closed form makes of the best does not matter: it is priced as what is left of it.
        QCOMPARE(replanNote([](search::SearchResult& result) {
            if (result.best)
                result.best->step *= 0.5;
        }),
            proven);
        const QString stopped = replanNote([](search::SearchResult& result) { result.proven = false; });
        QVERIFY2(!stopped.contains(best), qPrintable(stopped));
    }

    void nothingIsLeftOfAnotherSelection()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(settled(*window));
        const plan::Plan plan = window->workspace().plan();
        WhatIfList& list = window->view().inspector().whatIfs();
        window->view().canvas().setSelection({QString::fromStdString(plan.cluster.nodes.front().id)});
        QVERIFY(answered(list));
        if (!plan.cluster.connections.empty()) {
            const cluster::Connection& c = plan.cluster.connections.front();
            window->view().canvas().setSelection({QString::fromStdString(c.from + " -> " + c.to)});
            QCOMPARE(list.lines().size(), std::size_t{2}); // what is planned anew comes with what it is about
            QCOMPARE(list.lines().front().what, QStringLiteral("A cable breaks"));
            QVERIFY(list.lines().front().answer.isEmpty() && list.lines().front().button.isEmpty());
            QVERIFY(answered(list));
            const auto rows = window->view().inspector().findChildren<InfoRow*>();
            QVERIFY(std::ranges::any_of(
                rows, [](const InfoRow* row) { return row->isVisible() && row->value() == QStringLiteral("PP, DP"); }));
        }
        window->view().canvas().setSelection({});
        QVERIFY(list.lines().empty()); // which links are worth a line is not known yet
        window->setPerspective(Perspective::Explore);
        QVERIFY(window->close());
    }
};

QTEST_MAIN(TestWhatIf)
#include "test_what_if.moc"
