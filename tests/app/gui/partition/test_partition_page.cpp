// SPDX-License-Identifier: GPL-3.0-or-later
// Partitions in space and time in the window: the switch of the form, and the perspective that shows what is found.
#include "app/gui/partition/finding_row.h"
#include "app/gui/partition/partition_page.h"
#include "app/gui/partition/partition_texts.h"
#include "app/gui/window/central_view.h"
#include "app/session/known_partition.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/partition/block_diagram.h"
#include "widgets/partition/partition_explorer.h"
#include "widgets/partition/partition_grid.h"
#include "widgets/partition/partition_panes.h"
#include "widgets/partition/partition_table.h"
#include "widgets/partition/rank_panel.h"
#include "widgets/partition/step_bar.h"
#include "widgets/shell/message_bar.h"

#include <QFileDialog>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>

#include <atomic>
#include <thread>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using namespace std::chrono_literals;

namespace {

/// Four ranks, whose best partition has a primitive.
Plan smallPlan(int microBatch = 4)
{
    Plan plan = exampleDocument("opt-175b-spatial-temporal").project.plan;
    plan.strategy.tp = 4;
    plan.strategy.pp = 8;
    plan.strategy.microBatch = microBatch;
    plan.strategy.tensorPartition = TensorPartition::Megatron;
    return plan;
}

PlanPointer shared(const Plan& plan)
{
    return std::make_shared<const Plan>(plan);
}

/// The core's answers, which wait while they are held and are not asked to stop.
PlannerFunctions heldFunctions(const std::atomic<bool>& held, std::atomic<int>& asked)
{
    PlannerFunctions functions = quickFunctions();
    functions.partitioning.partitions = [core = functions.partitioning.partitions, &held, &asked](
                                            const Plan& plan, const estimate::PartitionOptions& options) {
        ++asked;
        if (held)
            options.progress({estimate::PartitionPhase::Front, 0.625});
        while (held && !options.stop.stop_requested())
            std::this_thread::sleep_for(2ms);
        return core(plan, options);
    };
    return functions;
}

/// The same, which wait when the best is told and its front is looked for.
PlannerFunctions heldAtTheFront(const std::atomic<bool>& held, std::atomic<int>& asked)
{
    PlannerFunctions functions = quickFunctions();
    functions.partitioning.partitions = [core = functions.partitioning.partitions, &held, &asked](
                                            const Plan& plan, const estimate::PartitionOptions& options) {
        ++asked;
        estimate::PartitionOptions holding = options;
        holding.bestKnown = [&held, &options](const estimate::PartitionAnswer& best) {
            options.bestKnown(best);
            if (held)
                options.progress({estimate::PartitionPhase::Front, 0.625});
            while (held && !options.stop.stop_requested())
                std::this_thread::sleep_for(2ms);
        };
        return core(plan, holding);
    };
    return functions;
}

/// Seconds, and GiB.
estimate::PartitionEstimate point(double step, double peak, bool fits = true)
{
    estimate::PartitionEstimate found;
    found.step = Seconds(step);
    found.peak = Bytes(peak * kGiB);
    found.fits = fits;
    return found;
}

} // namespace

class TestPartitionPage : public WindowTest {
    Q_OBJECT

    [[nodiscard]] std::unique_ptr<MainWindow> openPage(const Plan& plan = smallPlan(),
        PlannerFunctions functions = quickFunctions(), Perspective perspective = Perspective::Partition) const
    {
        const QString path = saved(QStringLiteral("small.plan.json"),
            QByteArray::fromStdString(exchange::writePlan(plan, catalog::shippedCatalog())));
        return openWindow({.path = path, .functions = std::move(functions), .perspective = perspective});
    }
    static ChoiceField& switchOf(MainWindow& window)
    {
        return *window.view().inputs().findChild<ChoiceField*>(QStringLiteral("/strategy/tensor_partition"));
    }
    static void chooseByKey(ChoiceField& field, int key)
    {
        field.setFocus();
        QTest::keyClick(&field, Qt::Key_Home);
        for (int steps = field.findData(key); steps > 0; --steps)
            QTest::keyClick(&field, Qt::Key_Down);
        QCOMPARE(field.key(), key);
    }
    static const Strategy& strategyOf(MainWindow& window) { return window.workspace().plan().strategy; }

private Q_SLOTS:
    void theFormChoosesThePartition()
    {
        const auto window = openPage(smallPlan(), quickFunctions(), Perspective::Explore);
        QVERIFY(settled(*window));
        const Seconds before = (*window->workspace().estimate())->step;
        ChoiceField& field = switchOf(*window);
        QVERIFY(field.isEnabled() && field.isVisible());
        QCOMPARE(field.key(), int(TensorPartition::Megatron));
        field.setFocus();
        QTest::keyClick(&field, Qt::Key_Down);
        QVERIFY(strategyOf(*window).tensorPartition == TensorPartition::SpatialTemporal);
        QVERIFY(strategyOf(*window).operatorPartitions.empty());
        QVERIFY(settled(*window));
        const EstimatePointer found = window->workspace().estimate();
        QVERIFY((*found)->step != before && !(*found)->settled.operatorPartitions.empty());
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QVERIFY(strategyOf(*window).tensorPartition == TensorPartition::Megatron);
        QCOMPARE(field.key(), int(TensorPartition::Megatron));
        QVERIFY(settled(*window));
        QCOMPARE((*window->workspace().estimate())->step, before);
        discardAndClose(*window);
    }

    void whatThePlanNamesCanBeFoundAgain()
    {
        Plan plan = smallPlan();
        plan.strategy = spatialTemporal(plan.strategy);
        plan.strategy.operatorPartitions = estimate::partitions(plan)->front.back().strategy.operatorPartitions;
        const auto window = openPage(plan, quickFunctions(), Perspective::Explore);
        QVERIFY(settled(*window));
        ChoiceField& field = switchOf(*window);
        QCOMPARE(field.currentText(), QStringLiteral("pinned"));
        QVERIFY(field.toolTip().contains(QStringLiteral("found again")));
        field.setFocus();
        QTest::keyClick(&field, Qt::Key_Up);
        QCOMPARE(field.key(), int(TensorPartition::SpatialTemporal));
        QCOMPARE(field.count(), 2);
        QVERIFY(strategyOf(*window) == spatialTemporal(plan.strategy));
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QCOMPARE(field.currentText(), QStringLiteral("pinned"));
        QVERIFY(strategyOf(*window) == plan.strategy);
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    void whereNothingCanBeDividedTheFormSaysWhy()
    {
        const auto window = openPage(smallPlan(), quickFunctions(), Perspective::Explore);
        QVERIFY(settled(*window));
        Workspace& workspace = window->workspace();
        ChoiceField& field = switchOf(*window);
        Strategy strategy = strategyOf(*window);
        strategy.tp = 1;
        workspace.editStrategy(strategy, QStringLiteral("TP 1"));
        QVERIFY(!field.isEnabled());
        QVERIFY2(field.toolTip().startsWith(QStringLiteral("TP 1 has nothing to divide")), qPrintable(field.toolTip()));
        strategy.tp = 2;
        strategy.cp = 2;
        workspace.editStrategy(strategy, QStringLiteral("CP 2"));
        QVERIFY(field.isEnabled());
        strategy.tp = 3;
        strategy.cp = 1;
        workspace.editStrategy(strategy, QStringLiteral("TP 3"));
        QVERIFY(!field.isEnabled());
        QVERIFY2(field.toolTip().contains(QStringLiteral("power of two")), qPrintable(field.toolTip()));
        strategy.tensorPartition = TensorPartition::SpatialTemporal; // there is a way back
        workspace.editStrategy(strategy, QStringLiteral("divide"));
        QVERIFY(field.isEnabled());
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    // In one piece: what is shown, used, pinned and taken back, one after the other.
    void thePageShowsTheAnswerAndChangesThePlan()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        const Strategy megatron = strategyOf(*window);
        PartitionPage& page = window->view().partition();
        QVERIFY(page.isVisible() && page.shown());
        const PartitionPicture& picture = page.explorer().picture();
        QCOMPARE(picture.bits, 2);
        QVERIFY(picture.message.isEmpty());
        QCOMPARE(picture.alternatives.front().name, QStringLiteral("Best spatial-temporal"));
        QCOMPARE(picture.alternatives.back().name, QStringLiteral("SUMMA"));
        QCOMPARE(picture.operators.size(), picture.alternatives.front().operators.size());
        QVERIFY2(page.comparison().startsWith(QStringLiteral("None fits")) && page.comparison().contains(u';'),
            qPrintable(page.comparison()));
        press(page, QStringLiteral("Use in the plan"));
        QVERIFY(strategyOf(*window) == spatialTemporal(megatron));
        QVERIFY(settled(*window));
        QVERIFY(!isOffered(page, QStringLiteral("Use in the plan")));
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QVERIFY(strategyOf(*window) == megatron);
        QVERIFY(settled(*window));

        chooseByKey(page.choice(), page.choice().count() - 1); // of the front
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Front));
        const std::vector<OperatorPartition> operators = page.shown()->estimate->strategy.operatorPartitions;
        press(page, QStringLiteral("Pin this partition"));
        QVERIFY(strategyOf(*window) == spatialTemporal(megatron, operators));
        QCOMPARE(switchOf(*window).currentText(), QStringLiteral("pinned"));
        QVERIFY(settled(*window));
        QCOMPARE(page.explorer().picture().alternatives.front().name, QStringLiteral("This plan"));
        QVERIFY(!isOffered(page, QStringLiteral("Pin this partition")));
        QCOMPARE(page.shown()->estimate->step, (*window->workspace().estimate())->step);
        QCOMPARE(page.shown()->estimate->peak, (*window->workspace().estimate())->memory.peak);
        press(page, QStringLiteral("Use the best")); // which is found again, and shown
        QVERIFY(strategyOf(*window) == spatialTemporal(megatron));
        QVERIFY(settled(*window));
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Best));

        press(page, QStringLiteral("Back to Megatron"));
        QVERIFY(strategyOf(*window).tensorPartition == TensorPartition::Megatron);
        QVERIFY(settled(*window));
        for (int i = 0; i < page.choice().count(); ++i)
            if (page.choice().itemText(i).startsWith(QStringLiteral("Megatron")))
                chooseByKey(page.choice(), i);
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Megatron));
        QVERIFY(!isOffered(page, QStringLiteral("Pin this partition")));
        QCOMPARE(page.shown()->estimate->step, (*window->workspace().estimate())->step);
        discardAndClose(*window);
    }

    /// Of time and memory, only what a point is better in than the best.
    void pointsOfTheFrontAreNamedForWhatTheyAre()
    {
        using Case = std::tuple<double, double, QString>;
        const std::vector<Case> cases{{1, 1, QStringLiteral("Faster, less memory")}, {1, 2, QStringLiteral("Faster")},
            {1, 3, QStringLiteral("Faster, more memory")}, {2, 1, QStringLiteral("Less memory")},
            {3, 1, QStringLiteral("Less memory")}};
        const auto named = [](double step, double peak, const char* sequence) {
            estimate::PartitionEstimate found = point(step, peak);
            found.strategy.operatorPartitions = {{"QKV", sequence}};
            return found;
        };
        estimate::PartitionAnswer answer;
        answer.best = named(2, 2, "K");
        for (const auto& [step, peak, name] : cases)
            answer.front.push_back(named(step, peak, "N"));
        PartitionReport report{shared(smallPlan()), std::make_shared<const PartitionResult>(answer), {}};
        const std::vector<PartitionChoice> choices = partitionChoices(report);
        QCOMPARE(choices.size(), cases.size() + 1);
        for (std::size_t i = 0; i < cases.size(); ++i)
            QCOMPARE(choices[i + 1].name, std::get<QString>(cases[i]));
    }

    /// Before a person presses a button.
    void whatBeatsTheBestIsSaid()
    {
        estimate::PartitionAnswer answer;
        answer.ranks = 4;
        answer.best = point(20, 50);
        answer.megatron = point(30, 40);
        answer.front = {answer.best};
        QVERIFY(!answer.faster() && !answer.prefersMegatron());
        QCOMPARE(comparisonText(answer), QStringLiteral("Best 20.0 s, 50.0 GiB; Megatron 30.0 s, 40.0 GiB"));
        answer.front = {point(10, 90, false), point(18, 45), answer.best};
        QCOMPARE(answer.faster(), &answer.front[1]);
        answer.megatron = point(19, 40);
        const auto best = QStringLiteral("Best 20.0 s, 50.0 GiB, of the front 18.0 s, 45.0 GiB; Megatron ");
        QCOMPARE(comparisonText(answer), best + QStringLiteral("19.0 s, 40.0 GiB"));
        answer.megatron = point(18, 40);
        QCOMPARE(comparisonText(answer),
            best + QStringLiteral("18.0 s, 40.0 GiB: the fastest of these that fits, in no more memory"));
        answer.megatron = point(17, 60);
        QCOMPARE(comparisonText(answer), best + QStringLiteral("17.0 s, 60.0 GiB: the fastest of these that fits"));
        answer.best = point(16, 90, false);
        QCOMPARE(answer.faster(), &answer.front[1]); // fits
        QVERIFY(answer.prefersMegatron());
        QCOMPARE(comparisonText(answer),
            QStringLiteral(
                "Best 16.0 s, 90.0 GiB, does not fit, of the front 18.0 s, 45.0 GiB; Megatron 17.0 s, 60.0 GiB: "
                "the fastest of these that fits"));
        answer.front = {answer.best};
        QVERIFY(!answer.prefersMegatron()); // the only one that fits, and slower
        QCOMPARE(
            comparisonText(answer), QStringLiteral("Best 16.0 s, 90.0 GiB, does not fit; Megatron 17.0 s, 60.0 GiB"));
        answer.front = {answer.best = point(20, 90, false)};
        answer.megatron = point(19, 95, false);
        QCOMPARE(comparisonText(answer),
            QStringLiteral("Best 20.0 s, 90.0 GiB, does not fit; Megatron 19.0 s, 95.0 GiB, does not fit"));
        answer.isLeanest = true;
        QCOMPARE(comparisonText(answer),
            QStringLiteral("None fits into memory; with least, 20.0 s, 90.0 GiB; Megatron 19.0 s, 95.0 GiB"));
    }

    void whatAPlanNamesIsShownAgainWhenItCanBe()
    {
        PartitionPage page;
        Plan pinned = smallPlan();
        pinned.strategy.operatorPartitions = estimate::partitions(pinned)->front.back().strategy.operatorPartitions;
        pinned.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
        page.setPlan(pinned);
        PartitionReport report;
        report.plan = std::make_shared<const Plan>(pinned);
        report.result = std::make_shared<const PartitionResult>(estimate::partitions(pinned));
        report.planned = estimate::plannedPartition(pinned);
        const auto possible = std::make_shared<const PartitionReport>(report);
        report.planned = tl::unexpected(std::vector<plan::Problem>{{}});
        page.setReport(possible);
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Planned));
        page.setReport(std::make_shared<const PartitionReport>(report)); // after an edit
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Best));
        page.setReport(possible); // undone
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Planned));
    }

    void theOperatorStaysWhenThePlanChanges()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        PartitionExplorer& explorer = window->view().partition().explorer();
        BlockDiagram& diagram = explorer.diagram();
        QTest::mouseClick(&diagram, Qt::LeftButton, {}, diagram.box(diagram.current() + 1).center().toPoint());
        const QString chosen = explorer.currentOperator();
        QVERIFY(chosen != QStringLiteral("QKV"));
        Strategy strategy = strategyOf(*window);
        strategy.microBatch = 2;
        window->workspace().editStrategy(strategy, QStringLiteral("micro-batch"));
        QVERIFY(settled(*window));
        QCOMPARE(explorer.currentOperator(), chosen);
        discardAndClose(*window);
    }

    void whatCannotBeDividedSaysWhy()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        PartitionPage& page = window->view().partition();
        Strategy strategy = strategyOf(*window);
        strategy.tp = 1;
        window->workspace().editStrategy(strategy, QStringLiteral("TP 1"));
        QVERIFY(settled(*window));
        QVERIFY(!page.shown() && page.explorer().message().isVisible());
        QVERIFY2(page.explorer().message().text().startsWith(QStringLiteral("TP 1 has nothing to divide: choose TP 2")),
            qPrintable(page.explorer().message().text()));
        QVERIFY(!button(page, QStringLiteral("Use in the plan")));
        QVERIFY(!button(page, QStringLiteral("Back to Megatron")));
        window->workspace().editStrategy(spatialTemporal(strategy), QStringLiteral("divide"));
        QVERIFY(settled(*window));
        press(page, QStringLiteral("Back to Megatron"));
        QVERIFY(strategyOf(*window) == strategy);
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QVERIFY(settled(*window));
        QVERIFY(page.shown());
        discardAndClose(*window);
    }

    /// The window lives while an answer is awaited, says so, and shows the newest one alone.
    void onlyTheNewestAnswerIsShown()
    {
        std::atomic<bool> held{true};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldFunctions(held, asked));
        PartitionPage& page = window->view().partition();
        QTRY_VERIFY(asked == 1);
        QCOMPARE(page.explorer().message().text(), QStringLiteral("Finding the best partition…"));
        QVERIFY(!window->isSettled());
        held = false;
        QVERIFY(settled(*window));
        const QString first = page.comparison();
        held = true;
        LegalSlider* slider = window->view().inputs().slider(Dimension::MicroBatch);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left);
        QTRY_COMPARE(page.notice(), QStringLiteral("Finding the best partition…"));
        QTRY_VERIFY(asked == 2);
        QVERIFY(!isOffered(page, QStringLiteral("Pin this partition")));
        QTest::keyClick(slider, Qt::Key_Left); // the answer that is under way is of an older plan now
        QCOMPARE(strategyOf(*window).microBatch, 1);
        QCOMPARE(page.comparison(), first);
        held = false;
        QVERIFY(settled(*window));
        QCOMPARE(asked.load(), 3);
        QVERIFY(page.notice().isEmpty());
        QCOMPARE(page.comparison(), comparisonText(*estimate::partitions(smallPlan(1))));
        discardAndClose(*window);
    }

    void thePartitionOfThePlanChangesNothingOfTheWork()
    {
        std::atomic<bool> held{true};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldFunctions(held, asked));
        QTRY_COMPARE(asked.load(), 1);
        chooseByKey(switchOf(*window), int(TensorPartition::SpatialTemporal));
        held = false;
        QVERIFY(settled(*window));
        QCOMPARE(asked.load(), 1);
        QVERIFY(window->view().partition().shown());
        discardAndClose(*window);
    }

    void longWorkIsShownAndCancelled()
    {
        std::atomic<bool> held{true};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldFunctions(held, asked));
        PartitionPage& page = window->view().partition();
        const FindingRow& row = page.findingRow();
        QTRY_VERIFY(row.isVisible());
        QTRY_COMPARE(row.text(), QStringLiteral("Finding the best for more memory or less · 62 %"));
        QCOMPARE(row.bar().value(), 625);
        QVERIFY(!window->isSettled() && !button(page, QStringLiteral("Find it again")));
        press(page, QStringLiteral("Cancel"));
        QVERIFY(row.isVisible() && !row.bar().isVisible() && !page.shown());
        QCOMPARE(row.text(), QStringLiteral("Cancelled"));
        QCOMPARE(page.explorer().message().text(), QStringLiteral("The best partition of this plan is not known"));
        QVERIFY(!button(page, QStringLiteral("Cancel")));
        QVERIFY(settled(*window));
        QCOMPARE(asked.load(), 1);
        held = false;
        press(page, QStringLiteral("Find it again"));
        QVERIFY(settled(*window));
        QCOMPARE(asked.load(), 2);
        QVERIFY(page.shown() && !row.isVisible());
        discardAndClose(*window);
    }

    /// What was found before stays on show, and is not taken for that of the plan.
    void escapeCancelsAndKeepsWhatWasFound()
    {
        std::atomic<bool> held{false};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldFunctions(held, asked));
        QVERIFY(settled(*window));
        PartitionPage& page = window->view().partition();
        const FindingRow& row = page.findingRow();
        const QString first = page.comparison();
        held = true;
        LegalSlider* slider = window->view().inputs().slider(Dimension::MicroBatch);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left);
        QTRY_VERIFY(row.isVisible());
        QVERIFY(!page.notice().isEmpty());
        page.choice().setFocus();
        QTest::keyClick(&page.choice(), Qt::Key_Escape);
        QCOMPARE(row.text(), QStringLiteral("Cancelled: what is shown is of the plan as it was before"));
        QVERIFY(page.notice().isEmpty() && page.comparison() == first);
        QVERIFY(page.shown() && !isOffered(page, QStringLiteral("Pin this partition")));
        QVERIFY(settled(*window));
        held = false;
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left); // the next edit is answered as ever
        QVERIFY(settled(*window));
        QVERIFY(!row.isVisible());
        QCOMPARE(page.comparison(), comparisonText(*estimate::partitions(smallPlan(1))));
        discardAndClose(*window);
    }

    /// All of it but the front, which is offered when it was cancelled, and not looked for before.
    void theBestIsShownBeforeItsFront()
    {
        std::atomic<bool> held{true};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldAtTheFront(held, asked));
        PartitionPage& page = window->view().partition();
        const FindingRow& row = page.findingRow();
        QTRY_VERIFY(row.isVisible() && page.shown());
        QCOMPARE(row.text(), QStringLiteral("Finding the best for more memory or less · 62 %"));
        QVERIFY(!window->isSettled() && row.bar().isVisible() && page.notice().isEmpty());
        const PartitionPicture& picture = page.explorer().picture();
        QVERIFY(picture.message.isEmpty() && page.explorer().table().isVisible());
        QCOMPARE(picture.alternatives.front().name, QStringLiteral("Best spatial-temporal"));
        QVERIFY(page.explorer().diagram().operators()[2].division.contains(u'P'));
        const QString best = page.comparison();
        QVERIFY(best.startsWith(QStringLiteral("None fits")) && best.contains(QStringLiteral("; Megatron")));
        const int known = page.choice().count();
        for (const char* text : {"Use in the plan", "Pin this partition", "Export PyTorch program…"})
            QVERIFY2(isOffered(page, QString::fromUtf8(text)), text);

        page.choice().setFocus();
        QTest::keyClick(&page.choice(), Qt::Key_Escape);
        QCOMPARE(row.text(), QStringLiteral("Cancelled before the front was finished"));
        QVERIFY(settled(*window) && !row.bar().isVisible());
        QVERIFY(page.shown() && page.comparison() == best);
        press(page, QStringLiteral("Use in the plan"));
        QVERIFY(settled(*window));
        QVERIFY(isOffered(page, QStringLiteral("Go on")) && page.comparison() == best);
        QCOMPARE(asked.load(), 1);

        held = false;
        press(page, QStringLiteral("Go on"));
        QVERIFY(settled(*window));
        QCOMPARE(asked.load(), 2);
        QVERIFY(!row.isVisible() && page.choice().count() > known);
        QCOMPARE(page.comparison(), best);
        discardAndClose(*window);
    }

    void aNewerPlanOvertakesAFront()
    {
        std::atomic<bool> held{true};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldAtTheFront(held, asked));
        PartitionPage& page = window->view().partition();
        QTRY_VERIFY(page.shown());
        const QString first = page.comparison();
        QVERIFY(isOffered(page, QStringLiteral("Export PyTorch program…")));
        LegalSlider* slider = window->view().inputs().slider(Dimension::MicroBatch);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left);
        QVERIFY(!isOffered(page, QStringLiteral("Export PyTorch program…"))); // it is of the older plan
        QTRY_VERIFY(isOffered(page, QStringLiteral("Export PyTorch program…")));
        QVERIFY(page.comparison() != first && !window->isSettled());
        held = false;
        QVERIFY(settled(*window));
        QCOMPARE(page.comparison(), comparisonText(*estimate::partitions(smallPlan(2))));
        discardAndClose(*window);
    }

    void aPointOfTheFrontIsLookedAtAgainWhenItIsKnown()
    {
        std::atomic<bool> held{false};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldAtTheFront(held, asked));
        QVERIFY(settled(*window));
        PartitionPage& page = window->view().partition();
        chooseByKey(page.choice(), page.choice().count() - 1);
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Front));
        const std::vector<OperatorPartition> operators = page.shown()->estimate->strategy.operatorPartitions;
        held = true;
        Plan renamed = window->workspace().plan();
        renamed.name = "another";
        window->workspace().editPlan(renamed, QStringLiteral("rename"));
        QTRY_COMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Best));
        QVERIFY(!window->isSettled());
        held = false;
        QVERIFY(settled(*window));
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Front));
        QVERIFY(page.shown()->estimate->strategy.operatorPartitions == operators);
        discardAndClose(*window);
    }

    /// Of large groups: in sight, and where its points are chosen, over which the keys pass.
    void someOfAFrontSaysSo()
    {
        Plan plan = smallPlan(1);
        plan.strategy.tp = 32;
        plan.strategy.pp = 1;
        const auto window = openPage(plan);
        QVERIFY(settled(*window));
        PartitionPage& page = window->view().partition();
        const QString note = frontText(*estimate::partitions(plan));
        QVERIFY2(note.contains(QStringLiteral("some of what is best")), qPrintable(note));
        QVERIFY(page.frontNote().isVisible() && page.frontNote().toolTip() == note);
        QCOMPARE(page.frontNote().text(), QStringLiteral("Some of the front"));
        QVERIFY(page.frontNote().width() >= page.frontNote().sizeHint().width());
        ChoiceField& choice = page.choice();
        const int heading = choice.findText(note);
        QVERIFY(choice.itemText(heading - 1).startsWith(QStringLiteral("Megatron"))); // which is none of them
        QVERIFY(!choice.model()->index(heading, 0).flags().testFlag(Qt::ItemIsEnabled));
        choice.setFocus();
        QTest::keyClick(&choice, Qt::Key_Home);
        for (int i = 0; i < heading; ++i)
            QTest::keyClick(&choice, Qt::Key_Down);
        QCOMPARE(choice.currentIndex(), heading + 1);
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Front));
        window->workspace().editPlan(smallPlan(1), QStringLiteral("fewer ranks"));
        QVERIFY(settled(*window));
        QVERIFY(!page.frontNote().isVisible());
        QCOMPARE(choice.findText(note), -1);
        discardAndClose(*window);
    }

    void anEditStopsTheWorkOnAnOlderPlan()
    {
        std::atomic<bool> held{true};
        std::atomic<int> asked{0};
        const auto window = openPage(smallPlan(), heldFunctions(held, asked));
        const FindingRow& row = window->view().partition().findingRow();
        QTRY_VERIFY(row.isVisible());
        LegalSlider* slider = window->view().inputs().slider(Dimension::MicroBatch);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left);
        QVERIFY(row.isVisible()); // no blinking
        QTRY_COMPARE(asked.load(), 2); // the older one has ended
        QVERIFY(!window->isSettled());
        discardAndClose(*window); // and so does this one
    }

    void theWorkerTellsTheNewestAnswerAlone()
    {
        int found = 0;
        PartitionFunctions functions = corePartitionFunctions();
        functions.partitions = [core = functions.partitions, &found](
                                   const Plan& plan, const estimate::PartitionOptions& options) {
            ++found;
            return core(plan, options);
        };
        PartitionWorker worker(functions);
        QSignalSpy reports(&worker, &PartitionWorker::reported);
        PlanPointer last;
        for (const int microBatch : {1, 2, 4})
            worker.request(last = shared(smallPlan(microBatch)));
        QVERIFY(worker.isWorking());
        QTRY_VERIFY(!worker.isWorking());
        QCOMPARE(reports.size(), 2); // without its front, and with it
        QCOMPARE(reports.front().front().value<PartitionReportPointer>()->plan, last);
        reports.removeFirst();
        QCOMPARE(reports.front().front().value<PartitionReportPointer>()->plan, last);
        // Of a plan that differs in its partition alone the answer is known.
        const int before = found;
        Plan named = *last;
        const auto report = reports.front().front().value<PartitionReportPointer>();
        named.strategy = spatialTemporal(named.strategy, (*report->result)->best.strategy.operatorPartitions);
        worker.request(shared(named));
        QTRY_COMPARE(reports.size(), 2);
        QCOMPARE(found, before);
        const auto again = reports.back().front().value<PartitionReportPointer>();
        QVERIFY(again->planned && *again->planned);
        QCOMPARE((*again->planned)->step, (*report->result)->best.step);
        worker.request(shared(smallPlan(8)));
        worker.forget();
        QVERIFY(!worker.isWorking());
        QTest::qWait(100);
        QCOMPARE(reports.size(), 2);
    }

    /// What takes long to find is left open, and what is known of the plan's group stands for it.
    void largeGroupsArePricedAheadAsTheyAreKnown()
    {
        Plan plan = exampleDocument().project.plan;
        plan.strategy = spatialTemporal(plan.strategy);
        const StrategyZones small = strategyZones(plan);
        for (const SliderStop& stop : small.at(Dimension::Tp))
            QCOMPARE(stop.zone == Zone::Unknown, stop.value == 32 || stop.value == 64);
        plan.strategy = withValue(plan, Dimension::Tp, 32);
        const StrategyZones large = strategyZones(plan);
        const auto isOpen = [](const SliderStop& stop) { return stop.zone == Zone::Unknown; };
        QVERIFY(std::ranges::none_of(large.at(Dimension::Pp), isOpen));
        QVERIFY(std::ranges::any_of(large.at(Dimension::MicroBatch), isOpen));
        for (const SliderStop& stop : large.at(Dimension::MicroBatch))
            QVERIFY(!isOpen(stop) || stop.reason.contains(QStringLiteral("choose it")));
    }

    /// Of fused and unfused attention the operators differ, and of other models and sequences their sizes.
    void whatIsKnownDividesTheSameOperators()
    {
        Plan known = exampleDocument().project.plan;
        known.strategy = spatialTemporal(known.strategy);
        known.strategy = withValue(known, Dimension::Tp, 32);
        Plan plan = known;
        known.strategy.operatorPartitions = {{"QKV", "K,K,K,K,K"}};
        const auto isTaken = [&](auto change) {
            Plan changed = plan;
            change(changed);
            return takeKnownPartition(changed, known)
                && changed.strategy.operatorPartitions == known.strategy.operatorPartitions;
        };
        QVERIFY(isTaken([](Plan&) {}));
        QVERIFY(isTaken([](Plan& p) { p.strategy.recompute = Recompute::Full; }));
        QVERIFY(isTaken([](Plan& p) { p.cluster.nodes.front().nic.bandwidth *= 2; }));
        QVERIFY(!isTaken([](Plan& p) {
            const bool isFused = isFlash(p.training.attention);
            p.training.attention = isFused ? plan::AttentionKernel::Unfused : plan::AttentionKernel::Flash;
        }));
        QVERIFY(!isTaken([](Plan& p) { p.training.sequenceLength /= 2; }));
        QVERIFY(!isTaken([](Plan& p) { p.model.ffnHidden *= 2; }));
        QVERIFY(!isTaken([](Plan& p) { p.strategy = withValue(p, Dimension::Tp, 64); }));
    }

    /// Where attention is exchanged in another way, other partitions are possible.
    void whatIsKnownExchangesTheSame()
    {
        Plan ring = exampleDocument("opt-175b-spatial-temporal").project.plan;
        ring.cluster.nodes.front().count = 16;
        ring.strategy.operatorPartitions.clear();
        ring.strategy.tp = 32;
        ring.strategy.cp = 2;
        ring.strategy.pp = ring.strategy.dp = 1;
        Plan known = ring, ulysses = ring, whole = ring;
        known.strategy.operatorPartitions = {{"QKV", "K,K,K,K,K"}};
        ulysses.strategy.contextMethod = ContextMethod::Ulysses;
        whole.strategy.cp = 1;
        whole.strategy.dp = 2;
        QVERIFY(!takeKnownPartition(ulysses, known) && !takeKnownPartition(whole, known));
        QVERIFY(takeKnownPartition(ring, known) && !ring.strategy.operatorPartitions.empty());
    }

    void theProgramIsWritten()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        const QString path = inFolder(QStringLiteral("partition.py"));
        press(window->view().partition(), QStringLiteral("Export PyTorch program…"));
        QTRY_VERIFY(window->findChild<QFileDialog*>());
        auto* dialog = window->findChild<QFileDialog*>();
        dialog->selectFile(path);
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QVERIFY(QFile::exists(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray program = file.readAll();
        QCOMPARE(window->view().messages().text(), QStringLiteral("Wrote %1.").arg(path));
        QVERIFY(window->view().messages().isVisible());
        QVERIFY(program.contains("BITS = 2") && program.contains("Linear(\"QKV\", \"P2x2\", batch=4, tokens=2048"));
        window->close();
    }

    void aSmallWindowHasRoomForAll()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        PartitionPage& page = window->view().partition();
        window->resize(800, 560);
        QTRY_VERIFY(button(page, QStringLiteral("Export…")));
        const auto isWhole = [&](const QString& text) {
            const QAbstractButton* shown = button(page, text);
            const QRect place(shown->mapTo(&page, QPoint()), shown->size());
            return page.rect().contains(place) && shown->width() >= shown->minimumSizeHint().width();
        };
        for (const char* text : {"Use in the plan", "Pin", "Back to Megatron", "Export…"})
            QTRY_VERIFY2(isWhole(QString::fromUtf8(text)), text);
        discardAndClose(*window);
    }

    /// The diagram, the blocks and the steps at once, and the costs behind a tab.
    void aWindowOf1024PixelsShowsBlocksAndCosts()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        window->resize(1024, 700);
        PartitionPage& page = window->view().partition();
        PartitionExplorer& explorer = page.explorer();
        const auto isWhole = [&](const QWidget& part) {
            return part.isVisible() && page.rect().contains(QRect(part.mapTo(&page, QPoint()), part.size()));
        };
        for (const QWidget* part :
            std::initializer_list<const QWidget*>{&explorer.diagram(), &explorer.grid(), &explorer.steps()})
            QTRY_VERIFY2(isWhole(*part), qPrintable(part->accessibleName()));
        for (int i = 0; i < int(explorer.diagram().operators().size()); ++i)
            QCOMPARE(explorer.diagram().texts(i).division, explorer.diagram().operators()[std::size_t(i)].division);
        QTabBar& tabs = explorer.panes().tabs();
        QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(int(PartitionPanes::Pane::Rank)).center());
        ChoiceField& rank = explorer.rankPanel().chooser();
        QVERIFY(isWhole(rank) && rank.key() == -1);
        chooseByKey(rank, 2);
        QCOMPARE(explorer.grid().selectedRank(), 2);
        QVERIFY(explorer.rankPanel().table().isVisible());
        const QRect tab = tabs.tabRect(int(PartitionPanes::Pane::Costs));
        QTest::mouseClick(&tabs, Qt::LeftButton, {}, tab.center());
        const QTableView& view = explorer.table().view();
        QTRY_VERIFY(isWhole(explorer.table()) && view.viewport()->height() >= 5 * view.rowHeight(0));
        discardAndClose(*window);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    TestPartitionPage test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_partition_page.moc"
