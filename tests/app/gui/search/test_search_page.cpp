// SPDX-License-Identifier: GPL-3.0-or-later
// Searching in the window: streaming and proof, verification, the picture and the table as one, preview and adoption,
// padlocks.
#include "app/gui/explore/explore_page.h"
#include "app/gui/search/preview_bar.h"
#include "app/gui/search/search_page.h"
#include "app/gui/search/search_texts.h"
#include "app/gui/search/strategy_model.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "core/plan/dimensions.h"
#include "core/search/pair_fronts.h"
#include "tests/app/gui/window/window_test.h"
#include "tests/widgets/charts/fixtures.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/lock_button.h"
#include "widgets/panels/unit_field.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/shell/message_bar.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <atomic>
#include <cmath>
#include <optional>
#include <thread>

using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::gui;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using namespace std::chrono_literals;

namespace {

/// Searches that tell how far they are, a quarter, until they are stopped or no longer slow.
PlannerFunctions slowFunctions(const std::atomic<bool>& slow)
{
    PlannerFunctions functions = quickFunctions();
    const auto quick = functions.searching.search;
    functions.searching.search = [&slow, quick](const SearchRequest& r, const std::stop_token& stop,
                                     const SearchProgressCallback& progress) {
        SearchResult result = quick(r, stop, progress);
        SearchProgress p;
        p.space = result.space;
        p.front = result.front;
        p.best = result.best;
        p.gap = 0.03;
        p.seconds = 2;
        p.decided = result.space / 4;
        while (slow && !stop.stop_requested()) {
            progress(p);
            std::this_thread::sleep_for(2ms);
        }
        if (stop.stop_requested()) {
            result.proven = false;
            result.gap = p.gap;
            result.unvisited = result.space - p.decided;
        }
        return result;
    };
    return functions;
}

} // namespace

class TestSearchPage : public WindowTest {
    Q_OBJECT

    std::unique_ptr<MainWindow> openPage(PlannerFunctions functions = quickFunctions(), const QString& path = {}) const
    {
        return openWindow({.path = path, .functions = std::move(functions), .perspective = Perspective::Search});
    }
    static void clickRow(SearchPage& page, int row, Qt::KeyboardModifiers modifiers = {})
    {
        const QRect cell = page.table().visualRect(page.model().index(row, StrategyModel::PeakMemory));
        QTest::mouseClick(page.table().viewport(), Qt::LeftButton, modifiers, cell.center());
    }

private Q_SLOTS:
    void theAnswerIsProvenAndVerified()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        QVERIFY(page.isVisible());
        QVERIFY2(page.statusText().startsWith(QStringLiteral("Proven: nothing among"))
                && page.statusText().contains(QStringLiteral("simulated")),
            qPrintable(page.statusText()));
        QVERIFY(page.model().rowCount() > 100);
        // The first rows are of the front; those that came later have longer names.
        const int width = page.table().columnWidth(StrategyModel::Standing);
        page.table().resizeColumnToContents(StrategyModel::Standing);
        QVERIFY(width >= page.table().columnWidth(StrategyModel::Standing));
        QVERIFY(!page.chart().isEmpty());
        // Nothing is selected: the details tell what became of all strategies.
        const QString told = window->view().details().plainText();
        QVERIFY2(told.contains(QStringLiteral("What became of"))
                && told.contains(QStringLiteral("Need more memory than there is\t")),
            qPrintable(told));
        QVERIFY(told.contains(QStringLiteral("simulated, exact")) && told.contains(QStringLiteral("Not varied")));
        QVERIFY(isOffered(page, QStringLiteral("Verify")));
        press(page, QStringLiteral("Verify"));
        QVERIFY(page.verificationText().startsWith(QStringLiteral("Verifying")));
        press(page, QStringLiteral("Stop verifying"));
        QVERIFY(settled(*window));
        QVERIFY2(page.verificationText().contains(QStringLiteral("nothing among them contradicts")),
            qPrintable(page.verificationText()));
        window->close();
    }

    void whatDiffersIsTold()
    {
        PlannerFunctions functions = quickFunctions();
        const auto honest = functions.searching.search;
        functions.searching.search = [honest](const SearchRequest& r, const std::stop_token& stop,
                                         const SearchProgressCallback& progress) {
            SearchRequest small = narrowed(r);
            small.space.tp = IntChoice::just(8);
            small.space.microBatch = IntChoice::just(1);
            SearchResult result = honest(small, stop, progress);
            if (!r.options.exhaustive && !result.front.empty()) { // a search that forgets its best
                result.front.pop_back();
                result.best = result.front.back();
            }
            return result;
        };
        const auto window = openPage(functions);
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        press(page, QStringLiteral("Verify"));
        QVERIFY(settled(*window));
        QVERIFY2(page.verificationText().startsWith(QStringLiteral("Pricing everything differs: the best value")),
            qPrintable(page.verificationText()));
        QVERIFY(page.verificationText().contains(QStringLiteral("missing on the front")));
        window->close();
    }

    void whatDoesNotFitComesLast()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        const StrategyModel& model = window->view().search().model();
        const auto misfit = [&](int row) {
            return model.strategies()->points[model.strategyOf(row)].kind == StrategyPoint::Kind::OutOfMemory;
        };
        for (int row = 1; row < model.rowCount(); ++row)
            QVERIFY(!misfit(row - 1) || misfit(row));
    }

    void pickingPreviewsEverywhere()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Workspace& workspace = window->workspace();
        const Strategy own = workspace.plan().strategy;
        const QString ownStep = window->view().verdict().cell(VerdictFigure::StepTime)->content().value;
        clickRow(page, 0);
        QVERIFY(workspace.previewed());
        QVERIFY(window->view().preview().isVisible());
        const StrategyPoint& best = page.model().strategies()->points[page.model().strategyOf(0)];
        QCOMPARE(page.chart().selected(), std::optional(page.model().strategyOf(0))); // one selection in both
        QVERIFY(settled(*window));
        QVERIFY(workspace.plan().strategy == own);
        QCOMPARE((*workspace.estimate())->step, best.step);
        QVERIFY(window->view().verdict().cell(VerdictFigure::StepTime)->content().value != ownStep);
        QVERIFY2(window->view().details().plainText().contains(QStringLiteral("Nothing beats it")),
            qPrintable(window->view().details().plainText()));
        // Another row by the keyboard: why it lost, in numbers.
        page.table().setFocus();
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(&page.table(), Qt::Key_Down);
        QVERIFY(settled(*window));
        const QString why = window->view().details().plainText();
        QVERIFY2(why.contains(QStringLiteral("Why it lost to the best"))
                && why.contains(QStringLiteral("against the best; its bubble is")),
            qPrintable(why));
        for (const char* worth : {"With more, the best takes", "10.0 % more memory", "2 times the nodes"})
            QVERIFY2(why.contains(QString::fromUtf8(worth)), qPrintable(why));
        QTest::keyClick(&page.table(), Qt::Key_Escape);
        QVERIFY(!workspace.previewed() && !window->view().preview().isVisible());
        QVERIFY(settled(*window));
        QCOMPARE(window->view().verdict().cell(VerdictFigure::StepTime)->content().value, ownStep);
        discardAndClose(*window);
    }

    void aRowThatWasLetGoCanBeChosenAgain()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Workspace& workspace = window->workspace();
        clickRow(page, 5);
        QTest::keyClick(&page.table(), Qt::Key_Escape);
        QVERIFY(!workspace.previewed());
        clickRow(page, 5);
        QVERIFY(workspace.previewed());
        clickRow(page, 5, Qt::ControlModifier); // lets go as well
        QVERIFY(!workspace.previewed());
        discardAndClose(*window);
    }

    void enterAdoptsAndUndoTakesItBack()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Workspace& workspace = window->workspace();
        const Strategy own = workspace.plan().strategy;
        const StrategyPoint& best = page.model().strategies()->points[page.model().strategyOf(0)];
        clickRow(page, 0);
        QVERIFY(workspace.previewed());
        page.table().setFocus();
        QTest::keyClick(&page.table(), Qt::Key_Return);
        QVERIFY(!workspace.previewed());
        QVERIFY(workspace.plan().strategy == best.strategy);
        QVERIFY(settled(*window));
        QCOMPARE((*workspace.estimate())->step, best.step);
        workspace.document().undo();
        QVERIFY(workspace.plan().strategy == own);
        discardAndClose(*window);
    }

    /// What the table does not list can be pointed at in the picture: it is the strategy that costs as much.
    // In one piece: one point of a cloud is found, previewed and priced.
    void aPointOfTheCloudIsPreviewed()
    {
        PlannerFunctions functions = quickFunctions();
        functions.searching.cloud = [](const SearchRequest& r, const std::stop_token& stop,
                                        const CloudCallback& priced) {
            const SearchRequest small = narrowed(r);
            const auto cloud =
                std::make_shared<const SpaceCloud>(small.plan, small.space, small.options, 1'000'000, stop);
            cloud->price(stop, [&](std::span<const CloudPoint> points) { priced(cloud, points); });
        };
        const auto window = openWindow({.functions = functions, .perspective = Perspective::Search});
        QVERIFY(settled(*window));
        QTRY_VERIFY(window->isStill());
        Workspace& workspace = window->workspace();
        ParetoChart& chart = window->view().search().chart();
        QVERIFY(workspace.search().cloud() && !workspace.search().cloud()->growing
            && workspace.search().cloud()->size > 500);
        QCOMPARE(chart.cloud(), workspace.search().cloud());
        QCOMPARE(window->view().explore().pareto().cloud(), workspace.search().cloud());
        QCOMPARE(static_cast<std::int64_t>(workspace.search().cloud()->size),
            workspace.search().cloud()->space); // as many as there are
        // Some place in the picture where a point of the cloud is meant.
        const QRect area = plotOf(chart)->rect();
        std::optional<QPoint> at;
        for (int y = area.top() + 10; y < area.bottom() && !at; y += 3)
            for (int x = area.left() + 10; x < area.right() && !at; x += 3)
                if (const auto point = chart.pointNear({double(x), double(y)});
                    point && chart.isOfCloud(*point) && chart.strategyAt(*point).kind == StrategyPoint::Kind::Dominated)
                    at = QPoint(x, y);
        QVERIFY(at);
        const StrategyPoint meant = chart.strategyAt(*chart.pointNear(*at));
        QTest::mouseClick(plotOf(chart), Qt::LeftButton, {}, *at);
        QVERIFY(workspace.previewed() && workspace.previewed()->strategy == meant.strategy);
        QVERIFY(settled(*window));
        const Estimate& priced = **workspace.estimate();
        QVERIFY(std::abs(priced.step.value() / meant.step.value() - 1) < 1e-6
            && std::abs(priced.memory.peak.value() / meant.peak.value() - 1) < 1e-6);
        QVERIFY2(window->view().details().plainText().contains(QStringLiteral("A strategy tried")),
            qPrintable(window->view().details().plainText()));
        // Another question, another picture: the cloud of the old one goes.
        Plan plan = workspace.plan();
        plan.training.globalBatch *= 2;
        const StrategyCloudPointer old = workspace.search().cloud();
        bool went = false;
        connect(&workspace.search(), &PlanSearch::cloudChanged, this,
            [&] { went = went || workspace.search().cloud() == nullptr; });
        workspace.editPlan(plan, QStringLiteral("batch"));
        QVERIFY(settled(*window));
        QTRY_VERIFY(window->isStill() && workspace.search().cloud() && !workspace.search().cloud()->growing);
        QVERIFY(went && workspace.search().cloud() != old);
        QCOMPARE(chart.cloud(), workspace.search().cloud());
        disconnect(&workspace.search(), &PlanSearch::cloudChanged, this, nullptr);
        discardAndClose(*window);
    }

    /// Where strategies of the space may have either, or it is not the usual one.
    void detailsTellTheTensorPartition()
    {
        const auto rowOf = [](const Strategy& strategy, const std::vector<TensorPartition>& partitions,
                               const char* name) {
            SearchSpace space;
            space.tensorPartitions = partitions;
            const auto details = strategyDetails({.strategy = strategy}, {}, space, {});
            for (const DetailRow& row : details.front().rows)
                if (row.name == QString::fromLatin1(name))
                    return row.value;
            return QString();
        };
        Strategy megatron;
        megatron.tp = 4;
        megatron.sequenceParallel = true;
        const Strategy divided = spatialTemporal(megatron);
        using enum TensorPartition;
        const char* const name = "Tensor partition";
        QCOMPARE(rowOf(megatron, {}, name), QStringLiteral("Megatron"));
        QCOMPARE(rowOf(megatron, {Megatron, SpatialTemporal}, name), QStringLiteral("Megatron"));
        QCOMPARE(rowOf(megatron, {Megatron}, name), QString());
        for (const std::vector<TensorPartition>& partitions : {std::vector{SpatialTemporal}, std::vector{Megatron}, {}})
            QCOMPARE(rowOf(divided, partitions, name), QStringLiteral("spatial-temporal"));
        QCOMPARE(rowOf(megatron, {}, "Sequence parallel"), QStringLiteral("on"));
        QCOMPARE(rowOf(divided, {}, "Sequence parallel"), QString()); // it cuts sequences itself
        megatron.tp = 1;
        QCOMPARE(rowOf(megatron, {}, name), QString());
    }

    void thePreviewBarAdoptsAndGoesBack()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        const Strategy own = window->workspace().plan().strategy;
        const std::size_t point = page.chart().view().front.front();
        const std::size_t place = page.chart().view().points[point].strategy;
        QTest::mouseClick(plotOf(page.chart()), Qt::LeftButton, {}, page.chart().pointAt(point).toPoint());
        QVERIFY(window->workspace().previewed());
        QCOMPARE(page.model().strategyOf(page.table().currentIndex().row()), place);
        press(window->view().preview(), QStringLiteral("Back to the plan"));
        QVERIFY(!window->workspace().previewed());
        QTest::mouseClick(plotOf(page.chart()), Qt::LeftButton, {}, page.chart().pointAt(point).toPoint());
        press(window->view().preview(), QStringLiteral("Adopt"));
        QVERIFY(window->workspace().plan().strategy == page.model().strategies()->points[place].strategy);
        window->workspace().document().undo();
        QVERIFY(window->workspace().plan().strategy == own);
        discardAndClose(*window);
    }

    void theTableSortsAndFilters()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto peak = [&](int row) { return page.model().strategies()->points[page.model().strategyOf(row)].peak; };
        QHeaderView* header = page.table().horizontalHeader();
        const auto clickHeader = [&](int column) {
            page.table().scrollTo(page.model().index(0, column));
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                QPoint(
                    header->sectionViewportPosition(column) + header->sectionSize(column) / 2, header->height() / 2));
        };
        clickHeader(StrategyModel::PeakMemory);
        for (int row = 1; row < page.model().rowCount(); ++row)
            QVERIFY(peak(row) >= peak(row - 1));
        clickHeader(StrategyModel::PeakMemory);
        for (int row = 1; row < page.model().rowCount(); ++row)
            QVERIFY(peak(row) <= peak(row - 1));
        const int all = page.model().rowCount();
        page.filterLine().setFocus();
        QTest::keyClicks(&page.filterLine(), QStringLiteral("front tp>=4"));
        QVERIFY(page.model().rowCount() > 0 && page.model().rowCount() < all);
        for (int row = 0; row < page.model().rowCount(); ++row) {
            const StrategyPoint& s = page.model().strategies()->points[page.model().strategyOf(row)];
            QVERIFY(s.kind == StrategyPoint::Kind::Front && s.strategy.tp >= 4);
        }
        QVERIFY2(page.countText().contains(QStringLiteral(" of ")), qPrintable(page.countText()));
        QTest::keyClicks(&page.filterLine(), QStringLiteral(" nowhere"));
        QCOMPARE(page.model().rowCount(), 0);
        QVERIFY(!page.table().isVisible()); // it says what to do instead
        page.filterLine().clear();
        QCOMPARE(page.model().rowCount(), all);
        window->close();
    }

    void whatIsBrushedInThePictureIsListed()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const int all = page.model().rowCount();
        QWidget* plot = plotOf(page.chart());
        const QPoint from = page.chart().pointAt(page.chart().view().front.back()).toPoint() + QPoint(6, -6);
        const QPoint to = from + QPoint(-60, 40);
        QTest::mousePress(plot, Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(plot, (from + to) / 2);
        QTest::mouseMove(plot, to);
        QTest::mouseRelease(plot, Qt::LeftButton, Qt::ShiftModifier, to);
        QVERIFY(page.chart().brush());
        QVERIFY(page.model().rowCount() > 0 && page.model().rowCount() < all);
        for (int row = 0; row < page.model().rowCount(); ++row)
            QVERIFY(page.chart().brush()->contains(
                page.model().strategies()->points[page.model().strategyOf(row)], page.model().strategies()->rates));
        page.chart().clearBrush();
        QCOMPARE(page.model().rowCount(), all);
        window->close();
    }

    void lockedDimensionsStayAsThePlanHasThem()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Workspace& workspace = window->workspace();
        const int tp = workspace.plan().strategy.tp;
        const auto everyTp = [&](bool same) {
            int others = 0;
            for (const StrategyPoint& s : page.model().strategies()->points)
                others += s.strategy.tp != tp;
            return same ? others == 0 : others > 0;
        };
        QVERIFY(everyTp(false));
        auto* lock = window->view().inputs().findChild<LockButton*>(QStringLiteral("lock/tp"));
        QVERIFY(lock);
        lock->setFocus();
        QTest::keyClick(lock, Qt::Key_Space);
        QVERIFY(lock->isLocked());
        QVERIFY(workspace.document().project().search.locks.contains(Dimension::Tp));
        QVERIFY(settled(*window));
        QVERIFY(everyTp(true));
        // It is saved, and undone.
        const QString path = inFolder(QStringLiteral("locked.json"));
        QVERIFY(workspace.document().save(path));
        {
            const auto again = openPage(quickFunctions(), path);
            QVERIFY(again->view().inputs().findChild<LockButton*>(QStringLiteral("lock/tp"))->isLocked());
            again->close();
        }
        workspace.document().undo();
        QVERIFY(!lock->isLocked());
        QVERIFY(settled(*window));
        QVERIFY(everyTp(false));
        discardAndClose(*window);
    }

    void whatIsAskedIsPartOfTheDocument()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Workspace& workspace = window->workspace();
        const QList<ChoiceField*> choices = page.findChildren<ChoiceField*>();
        QCOMPARE(choices.size(), 4);
        const auto chooseNext = [](ChoiceField* choice) {
            choice->setFocus();
            QTest::keyClick(choice, Qt::Key_Down);
        };
        chooseNext(choices[0]);
        QCOMPARE(workspace.document().project().search.objective, Objective::TokensPerCost);
        QVERIFY(settled(*window));
        QCOMPARE(page.chart().yMeasure(), StrategyMeasure::TokensPerMoney); // the picture shows what is searched for
        QVERIFY(page.chart().view().exactFront);
        chooseNext(choices[1]);
        QCOMPARE(workspace.document().project().search.mode, SearchMode::ClosedForm);
        QVERIFY(settled(*window));
        QVERIFY2(page.statusText().contains(QStringLiteral("closed form")), qPrintable(page.statusText()));
        UnitField& headroom = named<UnitField>(page, QStringLiteral("Memory kept free"));
        headroom.setFocus();
        headroom.selectAll();
        QTest::keyClicks(&headroom, QStringLiteral("20 %"));
        QTest::keyClick(&headroom, Qt::Key_Return);
        QCOMPARE(workspace.document().project().search.headroom, 0.2);
        QVERIFY(settled(*window));
        for (const StrategyPoint& s : page.model().strategies()->points)
            QVERIFY(s.kind != StrategyPoint::Kind::Front
                || s.peak.value() <= 0.8 * smallestMemory(workspace.plan().cluster).value());
        for (int i = 0; i < 3; ++i)
            workspace.document().undo();
        QVERIFY(workspace.document().project().search == SearchSettings());
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    void aFrameworkLimitsWhatIsSearched()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Workspace& workspace = window->workspace();
        ChoiceField* const framework = page.findChildren<ChoiceField*>().constLast();
        framework->setFocus();
        QTest::keyClick(framework, Qt::Key_End);
        QCOMPARE(workspace.document().project().search.framework, TargetFramework::TorchTitan);
        QVERIFY(settled(*window));
        for (const StrategyPoint& s : page.model().strategies()->points)
            QVERIFY((s.strategy.zeroStage != 1 || s.strategy.dp * s.strategy.cp == 1)
                && s.strategy.sequenceParallel == (s.strategy.tp > 1));
        QString told;
        for (const DetailSection& section : searchDetails(*workspace.search().picture(), workspace.plan()))
            for (const auto& row : section.rows)
                told += section.title + u'|' + row.name + u'|' + row.value + u'\n';
        QVERIFY2(told.contains(QStringLiteral("Run by|torchtitan 0.2")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral(
                     "What torchtitan 0.2 does not run|Have a ZeRO stage that it does not run with these degrees|")),
            qPrintable(told));
        workspace.document().undo();
        QVERIFY(workspace.document().project().search == SearchSettings());
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    /// Fronts of other measures are exact at once where all strategies use as many GPUs, else after a search of their
    /// own.
    // In one piece: one page, on which it is counted how often fronts were searched for.
    void frontsOfOtherMeasuresAreExact()
    {
        PlannerFunctions functions = quickFunctions();
        std::atomic<int> ofFronts{0};
        const auto quick = functions.searching.search;
        functions.searching.search = [&ofFronts, quick](const SearchRequest& r, const std::stop_token& stop,
                                         const SearchProgressCallback& progress) {
            SearchRequest small = r; // of the whole space little more than fewer nodes
            small.space.recomputedLayers = small.space.firstStageFewer = small.space.lastStageFewer =
                IntChoice::just(0);
            small.space.vocabularyPlacements.clear();
            small.space.offloads.clear();
            small.space.precisions.clear();
            small.space.timingPasses.clear();
            ofFronts += r.options.byAccelerators;
            return quick(small, stop, progress);
        };
        const auto window = openPage(functions);
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        page.chart().setMeasures(StrategyMeasure::Accelerators, StrategyMeasure::TokensPerMoney);
        QVERIFY(page.chart().view().exactFront);
        ChoiceField* space = page.findChildren<ChoiceField*>()[2];
        space->setFocus();
        QTest::keyClick(space, Qt::Key_End);
        QVERIFY(window->workspace().document().project().search.space == "whole");
        QVERIFY(settled(*window));
        QCOMPARE(ofFronts.load(), 1);
        const FrontsPicturePointer& fronts = window->workspace().search().fronts();
        QVERIFY(fronts && fronts->result && fronts->result->proven);
        const auto& found = fronts->result->byAccelerators;
        page.chart().setMeasures(StrategyMeasure::Accelerators, StrategyMeasure::Throughput);
        QVERIFY(settled(*window));
        QVERIFY(page.chart().view().exactFront);
        QCOMPARE(ofFronts.load(), 1); // all measures follow from one
        std::set<std::pair<double, double>> expected, shown;
        const StrategyRates& rates = page.chart().strategies()->rates;
        for (const std::size_t place : pairFront(found, FrontMeasure::Step, FrontMeasure::Accelerators))
            expected.emplace(rankCount(found[place].strategy), rates.tokensPerStep / found[place].step.value());
        for (const std::size_t place : page.chart().view().front)
            shown.emplace(page.chart().view().points[place].x, page.chart().view().points[place].y);
        QVERIFY(expected.size() > 1);
        QCOMPARE(shown, expected);
        QTest::keyClick(space, Qt::Key_Home); // a new search forgets them
        QVERIFY(!window->workspace().search().fronts());
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    /// While a search runs the last picture stays, is priced anew and marked; its progress is told; a stop is felt at
    /// once.
    void aSearchStreams()
    {
        std::atomic<bool> slow{false};
        const auto window = openPage(slowFunctions(slow));
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        const int rows = page.model().rowCount();
        slow = true;
        Plan plan = window->workspace().plan();
        plan.training.globalBatch *= 2;
        window->workspace().editPlan(plan, QStringLiteral("batch"));
        QCOMPARE(page.model().rowCount(), rows); // the last good picture
        QTRY_VERIFY(page.chart().strategies()->provisional);
        QTRY_VERIFY(page.statusText().contains(QStringLiteral("25.0 %")));
        QVERIFY2(page.statusText().contains(QStringLiteral("at most 3.00 % from the optimum"))
                && page.statusText().contains(QStringLiteral("6.00 s left")),
            qPrintable(page.statusText()));
        window->actionSet().findBest->trigger();
        QVERIFY(window->actionSet().stopSearch->isEnabled());
        window->actionSet().stopSearch->trigger();
        QVERIFY(settled(*window));
        slow = false;
        QVERIFY2(page.statusText().startsWith(QStringLiteral("Stopped with 25.0 %"))
                && page.statusText().contains(QStringLiteral("up to 3.00 % faster")),
            qPrintable(page.statusText()));
        QVERIFY(!isOffered(page, QStringLiteral("Verify"))); // there is no proof to check
        QVERIFY(page.chart().strategies()->provisional); // with the front before, priced anew
        window->actionSet().findBest->trigger(); // goes on
        QVERIFY(settled(*window));
        QVERIFY(page.statusText().startsWith(QStringLiteral("Proven")));
        QVERIFY(!page.chart().strategies()->provisional);
        discardAndClose(*window);
    }

    void aPlanThatCannotBeSearchedSaysWhy()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Plan plan = window->workspace().plan();
        plan.cluster.nodes.front().count = 0;
        window->workspace().editPlan(plan, QStringLiteral("no nodes"));
        QTRY_VERIFY(page.statusText().startsWith(QStringLiteral("This plan cannot be searched")));
        QCOMPARE(page.model().rowCount(), 0);
        QVERIFY(page.chart().isEmpty());
        QVERIFY(!isOffered(page, QStringLiteral("Verify")));
        window->actionSet().findBest->trigger();
        QTRY_VERIFY(window->view().messages().isVisible());
        QVERIFY(window->view().messages().kind() == MessageKind::Error);
        window->workspace().document().undo();
        QVERIFY(settled(*window));
        QVERIFY(page.model().rowCount() > 100);
        discardAndClose(*window);
    }

    /// Nothing that a machine could mend.
    void aFrameworkThatRunsNothingSaysWhy()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        SearchPage& page = window->view().search();
        Plan plan = window->workspace().plan();
        plan.training.optimizer = Optimizer::Sgd;
        window->workspace().editPlan(plan, QStringLiteral("SGD"));
        ChoiceField* const framework = page.findChildren<ChoiceField*>().constLast();
        framework->setFocus();
        QTest::keyClick(framework, Qt::Key_End);
        QVERIFY(settled(*window));
        window->actionSet().findBest->trigger();
        QTRY_VERIFY(window->view().messages().isVisible());
        QVERIFY2(page.statusText().startsWith(QStringLiteral("torchtitan 0.2 runs none of "))
                && page.statusText().endsWith(QStringLiteral(": all train with an optimizer it does not have.")),
            qPrintable(page.statusText()));
        QCOMPARE(window->view().messages().text(), page.statusText());
        discardAndClose(*window);
    }

    /// A space that takes all accelerators has nothing where cables leave some apart.
    void acceleratorsThatNothingJoinsAreToldOf()
    {
        const auto window = openPage();
        QVERIFY(settled(*window));
        Plan plan = window->workspace().plan();
        Cluster& c = plan.cluster;
        const NodeGroup& first = c.nodes.front();
        const int perNode = first.acceleratorsPerNode;
        c.switches = {{"leaf", "leaf", SwitchTier::Leaf, 100'000, 1}};
        c.connections = {{first.id, "leaf", first.nic, first.count * first.nicsPerNode}};
        c.nodes.push_back(first);
        c.nodes.back().id = "apart";
        c.nodes.back().count = 1;
        const int joined = acceleratorCount(c) - perNode;
        window->workspace().editPlan(plan, QStringLiteral("apart"));
        QVERIFY(settled(*window));
        window->actionSet().findBest->trigger();
        QTRY_VERIFY(window->view().messages().isVisible());
        const QString told = QStringLiteral("cables join %L1 of %L2 accelerators").arg(joined).arg(joined + perNode);
        QVERIFY2(window->view().messages().text().contains(told), qPrintable(window->view().messages().text()));
        discardAndClose(*window);
    }

    void aMillionRowsAreSorted()
    {
        StrategySet set = sampleStrategies(5000);
        while (set.points.size() < 1'000'000)
            set.points.push_back(set.points[set.points.size() % 5000]);
        StrategyModel model;
        model.setStrategies(std::make_shared<const StrategySet>(std::move(set)));
        QCOMPARE(model.rowCount(), 1'000'000);
        model.sort(StrategyModel::PeakMemory, Qt::AscendingOrder);
        model.setFilter(StrategyFilter(QStringLiteral("tp=2 fits")), std::nullopt);
        QVERIFY(model.rowCount() > 1000 && model.rowCount() < 1'000'000);
        for (int row = 1; row < model.rowCount(); row += 997)
            QVERIFY(model.strategies()->points[model.strategyOf(row - 1)].peak
                <= model.strategies()->points[model.strategyOf(row)].peak);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    applyTheme(app, ThemeKind::Light);
    TestSearchPage test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_search_page.moc"
