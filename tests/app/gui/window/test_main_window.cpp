// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a person meets it: real events on the offscreen platform, and the real program as a process.
#include "app/gui/compare/compare_page.h"
#include "app/gui/explore/explore_page.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/present/present_page.h"
#include "app/gui/search/search_texts.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "app/gui/window/top_bar.h"
#include "tests/app/gui/window/window_test.h"
#include "tests/widgets/charts/pictures.h"
#include "widgets/charts/breakdown_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/pipeline_chart.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/verdict_bar.h"
#include "widgets/shell/command_model.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/message_bar.h"
#include "widgets/shell/shortcut_overlay.h"
#include "widgets/style/theme.h"
#include "widgets/topology/topology_view.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <array>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::gui;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::search;
using namespace stratoplan::session;
using namespace stratoplan::units;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

/// The part of a chart one clicks into; its class is no business of the window.
} // namespace

class TestMainWindow : public WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void opensOnARealExample()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        CentralView& view = window->view();
        for (const VerdictFigure figure :
            {VerdictFigure::StepTime, VerdictFigure::Throughput, VerdictFigure::Mfu, VerdictFigure::Memory})
            QVERIFY(view.verdict().cell(figure)->content().value != QStringLiteral("–"));
        QVERIFY(!view.explore().breakdown().isEmpty());
        QVERIFY(!view.explore().memory().isEmpty());
        QVERIFY(!view.explore().pareto().isEmpty());
        QVERIFY(!view.explore().pipeline().isEmpty());
        QVERIFY(!view.details().sections().empty());
        bool judged = false;
        for (const SliderStop& stop : view.inputs().slider(Dimension::Tp)->stops())
            judged = judged || stop.zone != Zone::Unknown;
        QVERIFY(judged);
        QVERIFY(window->windowTitle().startsWith(QStringLiteral("gpt3-175b-1024-a100")));
        QVERIFY(!window->isWindowModified());
        QVERIFY(window->close());
    }

    void aSliderIsDraggedAndUndone()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        LegalSlider* slider = window->view().inputs().slider(Dimension::MicroBatch);
        const int before = slider->value();
        const auto& stops = slider->stops();
        QVERIFY(stops.size() > 2);
        const auto own =
            std::find_if(stops.begin(), stops.end(), [&](const SliderStop& s) { return s.value == before; });
        const int from = static_cast<int>(own - stops.begin());
        const int to = from == 0 ? 2 : 0;
        const Seconds stepBefore = (*window->workspace().estimate())->step;
        QTest::mousePress(slider, Qt::LeftButton, {}, slider->stopPosition(from).toPoint());
        const QPointF a = slider->stopPosition(from);
        const QPointF b = slider->stopPosition(to);
        for (int i = 1; i <= 20; ++i)
            QTest::mouseMove(slider, (a + (b - a) * i / 20.0).toPoint(), 2);
        QTest::mouseRelease(slider, Qt::LeftButton, {}, b.toPoint());
        QVERIFY(settled(*window));
        Workspace& workspace = window->workspace();
        QCOMPARE(workspace.plan().strategy.microBatch, stops[static_cast<std::size_t>(to)].value);
        QCOMPARE(workspace.document().undoStack().count(), 1);
        QVERIFY(window->isWindowModified());
        QVERIFY(!*workspace.estimate() || (*workspace.estimate())->step != stepBefore);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(settled(*window));
        QCOMPARE(workspace.plan().strategy.microBatch, before);
        QCOMPARE(slider->value(), before);
        QCOMPARE((*workspace.estimate())->step, stepBefore);
        QVERIFY(!window->isWindowModified());
        QVERIFY(window->close());
    }

    void savesReopensAndRemembers()
    {
        const QString path = inFolder(QStringLiteral("my plan.json"));
        const auto window = openWindow({.remembers = true});
        Workspace& workspace = window->workspace();
        QVERIFY(workspace.document().save(path));
        Plan plan = workspace.plan();
        plan.training.globalBatch *= 2;
        workspace.editPlan(plan, QStringLiteral("batch"));
        workspace.pins().add(true);
        QVERIFY(window->isWindowModified());
        QTest::keyClick(window.get(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!window->isWindowModified());
        QCOMPARE(Settings::recentFiles(), QStringList{path});
        const Project saved = workspace.document().project();
        QVERIFY(window->close());
        const auto again = openWindow({.path = path});
        QVERIFY(again->workspace().document().project() == saved);
        QVERIFY(again->windowTitle().startsWith(QStringLiteral("my plan.json")));
        QVERIFY(again->close());
    }

    void aDroppedFileOpensAndLosesNothing()
    {
        const QString file = inFolder(QStringLiteral("dropped.json"));
        QVERIFY(writeFileAtomically(file.toStdString(), findExample("gpt2-xl-alpa")->text));
        const auto window = openWindow();
        Workspace& workspace = window->workspace();
        const QString own = inFolder(QStringLiteral("own.json"));
        QVERIFY(workspace.document().save(own));
        Plan plan = workspace.plan();
        plan.strategy.tp = 4;
        workspace.editPlan(plan, QStringLiteral("tp"));
        drop(*window, {file});
        QCOMPARE(workspace.plan().strategy.tp, 4); // not before the person has answered
        answer(*window, QMessageBox::Cancel);
        QCOMPARE(workspace.document().path(), own);
        drop(*window, {file});
        answer(*window, QMessageBox::Save);
        QCOMPARE(workspace.document().path(), file);
        ProjectDocument reread(shippedCatalog());
        QVERIFY(reread.open(own));
        QCOMPARE(reread.plan().strategy.tp, 4);
        QVERIFY(settled(*window));
        QVERIFY(window->close());
    }

    void aBadFileIsToldWithoutADialog()
    {
        const QString file = inFolder(QStringLiteral("bad.json"));
        QVERIFY(writeFileAtomically(file.toStdString(),
            "{\"format\": \"stratoplan-plan\", \"version\": 1, \"strategy\": {\"tp\": \"eight\"}}"));
        const auto window = openWindow({.path = file});
        QVERIFY(window->view().messages().isVisible());
        QVERIFY(window->view().messages().kind() == MessageKind::Error);
        QCOMPARE(window->view().messages().text().count(QStringLiteral("bad.json")), 1);
        window->files().open(inFolder(QStringLiteral("missing.json")));
        QVERIFY2(window->view().messages().text().endsWith(QStringLiteral("missing.json.\nNo such file")),
            qPrintable(window->view().messages().text()));
        QVERIFY(window->workspace().plan().model.layers > 0); // the example
        QVERIFY(!window->findChild<QMessageBox*>());
        QVERIFY(settled(*window));
        QVERIFY(window->close());
    }

    void anUnpriceablePlanSaysWhy()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        ExplorePage& charts = window->view().explore();
        const auto pictures = [&] {
            QTest::qWait(200); // replots are queued
            return std::array{charts.breakdown().grab().toImage(), charts.memory().grab().toImage(),
                charts.pipeline().grab().toImage()};
        };
        const auto priced = pictures();
        Plan plan = window->workspace().plan();
        plan.strategy.tp = 5;
        window->workspace().editPlan(plan, QStringLiteral("tp"));
        QVERIFY(settled(*window));
        QVERIFY(!*window->workspace().estimate());
        const auto unpriced = pictures();
        for (std::size_t i = 0; i < priced.size(); ++i) {
            QCOMPARE(unpriced[i].width(), priced[i].width());
            if (unpriced[i].height() != priced[i].height())
                continue; // the list of problems takes more room
            const Paling paling = comparePaled(priced[i], unpriced[i], currentTokens().surface);
            QVERIFY2(paling.paled > 5000 && paling.other < priced[i].width() * priced[i].height() / 12,
                qPrintable(QString::number(paling.other)));
        }
        QVERIFY(!window->view().verdict().reason().isEmpty());
        QVERIFY(!window->view().problems().problems().empty());
        QCOMPARE(window->view().verdict().cell(VerdictFigure::StepTime)->content().value, QStringLiteral("–"));
        window->workspace().document().undo();
        QVERIFY(settled(*window));
        QVERIFY(window->view().verdict().reason().isEmpty());
        QVERIFY(window->close());
    }

    void aPlanThatCannotBePricedShowsNoOthersCharts()
    {
        const QString file = inFolder(QStringLiteral("unpriced.json"));
        Document document = exampleDocument();
        document.project.plan.strategy.tp = 5;
        QVERIFY(writeFileAtomically(file.toStdString(), writePlan(document.project.plan, shippedCatalog())));
        for (const bool first : {true, false}) {
            const auto window = openWindow({.path = first ? file : QString()});
            QVERIFY(settled(*window));
            if (!first) {
                QVERIFY(!window->view().explore().memory().isEmpty());
                window->files().open(file);
                QVERIFY(window->view().explore().memory().isEmpty()); // at once
                QCOMPARE(window->view().verdict().cell(VerdictFigure::StepTime)->content().value, QStringLiteral("–"));
            }
            QVERIFY(settled(*window));
            ExplorePage& charts = window->view().explore();
            for (ChartView* chart :
                std::initializer_list<ChartView*>{&charts.breakdown(), &charts.memory(), &charts.pipeline()}) {
                QVERIFY(chart->isEmpty());
                QCOMPARE(chart->staleNotice(), QString());
            }
            QVERIFY(!window->view().verdict().reason().isEmpty());
            QVERIFY(window->close());
        }
    }

    void detailsSpeakOfThePlanOfTheirEstimate()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        MemoryChart& memory = window->view().explore().memory();
        Plan plan = window->workspace().plan();
        const int last = plan.strategy.pp - 1;
        const int layers = stageLayers(plan.strategy, plan.model.layers).back();
        QVERIFY(last >= 4);
        plan.strategy.dp *= plan.strategy.pp / 2;
        plan.strategy.pp = 2;
        window->workspace().editPlan(plan, QStringLiteral("pp"));
        QTest::mouseClick(plotOf(memory), Qt::LeftButton, {},
            memory.segmentRect({static_cast<std::size_t>(last), 0}).center().toPoint());
        const auto shown = [&] { return window->view().details().plainText(); };
        QVERIFY2(shown().contains(QStringLiteral("Memory of stage %1").arg(last)), qPrintable(shown()));
        QVERIFY2(shown().contains(QStringLiteral("holds %1 layers").arg(layers)), qPrintable(shown()));
        QVERIFY(settled(*window));
        QVERIFY2(
            shown().startsWith(QStringLiteral("This plan")), qPrintable(shown())); // there is no such stage any more
        discardAndClose(*window);
    }

    void chartsExplainInTheDetailsAndPointTogether()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        ExplorePage& charts = window->view().explore();
        const auto shown = [&] { return window->view().details().plainText(); };
        QTest::mouseClick(
            plotOf(charts.breakdown()), Qt::LeftButton, {}, charts.breakdown().segmentRect({1, 0}).center().toPoint());
        QVERIFY2(shown().startsWith(QStringLiteral("Forward on stage 0"))
                && shown().contains(QStringLiteral("micro-batches")),
            qPrintable(shown()));
        window->actionSet().showDetails->setChecked(false);
        QMenu* menu = charts.pareto().makeMenu(charts.pareto().pointAt(charts.pareto().view().front.back()));
        menu->actions().front()->trigger();
        delete menu;
        QVERIFY(window->view().details().isVisible());
        QVERIFY2(shown().startsWith(QStringLiteral("On the Pareto front"))
                && shown().contains(QStringLiteral("Step against this plan\t")),
            qPrintable(shown()));
        // The stage under the pointer is marked in the other charts.
        QTest::qWait(100);
        const QImage memory = charts.memory().grab().toImage();
        const QImage pipeline = charts.pipeline().grab().toImage();
        QTest::mouseMove(plotOf(charts.breakdown()), charts.breakdown().segmentRect({3, 0}).center().toPoint());
        QVERIFY(differingPixels(memory, charts.memory().grab().toImage()) > 40);
        QVERIFY(differingPixels(pipeline, charts.pipeline().grab().toImage()) > 40);
        QVERIFY(window->close());
    }

    void anOfferIsWithdrawnWhenItsSearchIsOutdated()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        window->actionSet().findBest->trigger();
        MessageBar& messages = window->view().messages();
        QTRY_VERIFY(messages.isVisible());
        QVERIFY(messages.kind() == MessageKind::Offer);
        QVERIFY(window->actionSet().adoptBest->isEnabled());
        const Strategy offered = window->workspace().search().best()->strategy;
        // What the search itself varies leaves the offer as it is.
        Plan plan = window->workspace().plan();
        plan.strategy.microBatch *= 2;
        window->workspace().editPlan(plan, QStringLiteral("micro-batch"));
        QVERIFY(settled(*window));
        QVERIFY(messages.isVisible());
        press(messages, QStringLiteral("Adopt the best"));
        QVERIFY(window->workspace().plan().strategy == offered);
        // What is adopted is told with the range of its peak.
        QTRY_VERIFY(messages.isVisible() && messages.kind() == MessageKind::Done);
        const Estimate& adopted = **window->workspace().estimate();
        QVERIFY2(
            messages.text().contains(QStringLiteral("proven best")) && messages.text().contains(peakRangeText(adopted)),
            qPrintable(messages.text()));
        QCOMPARE(
            messages.text().contains(QStringLiteral("may not fit")), adopted.memory.peakHigh > adopted.memory.capacity);
        window->workspace().document().undo();
        QVERIFY(settled(*window));
        window->actionSet().findBest->trigger();
        QTRY_VERIFY(messages.isVisible());
        plan.training.globalBatch *= 2;
        window->workspace().editPlan(plan, QStringLiteral("batch"));
        QVERIFY(!messages.isVisible());
        QVERIFY(!window->actionSet().adoptBest->isEnabled());
        QVERIFY(settled(*window));
        QVERIFY(window->actionSet().adoptBest->isEnabled());
        discardAndClose(*window);
    }

    void aNewPlanSaysWhatItStartsWith()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        window->actionSet().newPlan->trigger();
        QVERIFY(settled(*window));
        QCOMPARE(window->workspace().document().name(), QStringLiteral("untitled.plan.json"));
        QVERIFY(window->workspace().plan().name.empty() && window->workspace().document().path().isEmpty());
        const QString said = window->view().messages().text();
        QVERIFY2(said.contains(QStringLiteral("GPT-3 175B on 1,024 A100"))
                && said.contains(QStringLiteral("on the left of Explore")), // wherever it is read
            qPrintable(said));
    }

    void anExampleOpensAsANewDocument()
    {
        const auto window = openWindow();
        window->start({}, QStringLiteral("gpt2-xl-alpa"));
        QVERIFY(window->workspace().document().path().isEmpty());
        QVERIFY(QString::fromStdString(window->workspace().plan().name).contains(QStringLiteral("GPT-2 XL")));
    }

    void theBestIsFoundAndAdopted()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        window->actionSet().findBest->trigger();
        QTRY_VERIFY(window->view().messages().isVisible());
        const QString text = window->view().messages().text();
        QVERIFY2(text.contains(QStringLiteral("Proven best of")) && text.contains(QStringLiteral("simulated")),
            qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("strategies on all 1,024 accelerators")), qPrintable(text));
        const FoundStrategy best = *window->workspace().search().best();
        const auto buttons = window->view().messages().findChildren<QPushButton*>();
        if (!buttons.isEmpty())
            QTest::mouseClick(buttons.front(), Qt::LeftButton);
        QVERIFY(window->workspace().plan().strategy == best.strategy);
        QVERIFY(settled(*window));
        QCOMPARE((*window->workspace().estimate())->step, best.step);
        discardAndClose(*window);
    }

    void tabsAreNumberedAsTheyStand()
    {
        const auto window = openWindow();
        QList<QToolButton*> tabs;
        for (QToolButton* one : window->view().topBar().findChildren<QToolButton*>())
            if (one->defaultAction() && one->defaultAction()->isCheckable()
                && one->toolTip().contains(QStringLiteral("Ctrl+")))
                tabs << one;
        std::sort(tabs.begin(), tabs.end(), [](const QToolButton* a, const QToolButton* b) { return a->x() < b->x(); });
        QVERIFY(tabs.size() == 7);
        for (int i = 0; i < tabs.size(); ++i)
            QVERIFY2(
                tabs[i]->toolTip().endsWith(QStringLiteral("(Ctrl+%1)").arg(i + 1)), qPrintable(tabs[i]->toolTip()));
    }

    void formAndCanvasEditOneCluster()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
        QVERIFY(window->view().canvas().isVisible());
        const Cluster before = window->workspace().plan().cluster;
        window->view().canvas().setSelection({QString::fromStdString(before.nodes.front().id)});
        auto& canvas = window->view().canvas();
        canvas.propose(countedElements(canvas.value(), canvas.selection(), before.nodes.front().count / 2));
        QCOMPARE(window->workspace().plan().cluster.nodes.front().count, before.nodes.front().count / 2);
        Plan plan = window->workspace().plan();
        plan.cluster.nodes.front().count = 3;
        window->workspace().editPlan(plan, QStringLiteral("nodes"));
        QVERIFY(window->view().canvas().value().cluster == plan.cluster);
        window->workspace().document().undo();
        window->workspace().document().undo();
        QVERIFY(window->workspace().plan().cluster == before);
        QVERIFY(window->view().canvas().value().cluster == before);
        QVERIFY(window->close());
    }

    void pinnedPlansAreCompared()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        ComparePage& page = window->view().compare();
        const QAbstractItemModelTester tester(&page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QTest::keyClick(window.get(), Qt::Key_B, Qt::ControlModifier);
        Plan plan = window->workspace().plan();
        plan.strategy.microBatch *= 2;
        window->workspace().editPlan(plan, QStringLiteral("micro-batch"));
        QTest::keyClick(window.get(), Qt::Key_5, Qt::ControlModifier);
        QVERIFY(settled(*window));
        QCOMPARE(page.model().rowCount(), 2);
        QCOMPARE(page.model().baseline(), 1);
        QCOMPARE(page.inputsModel().rowCount(), 1); // the micro-batch is all that differs
        const QString delta =
            page.model().index(0, PlansModel::columnOf(Figure::Step)).data(PlansModel::DeltaRole).toString();
        QVERIFY2(delta.startsWith(u'▲') || delta.startsWith(u'▼') || delta.startsWith(u'±'), qPrintable(delta));
        QVERIFY(!window->view().verdict().cell(VerdictFigure::StepTime)->content().delta.isEmpty());
        // Headings stand over their values.
        QAbstractItemModel& model = page.model();
        for (int column = 0; column < model.columnCount(); ++column)
            QCOMPARE(model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole),
                model.index(0, column).data(Qt::TextAlignmentRole));
        page.inputsModel().setShowsAll(true);
        QVERIFY(page.inputsModel().rowCount() > 60);
        page.table().selectRow(1);
        Q_EMIT page.adoptRequested(0);
        QCOMPARE(window->workspace().plan().strategy.microBatch * 2, plan.strategy.microBatch);
        discardAndClose(*window);
    }

    void everyCommandIsFoundByTyping()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        CommandPalette& palette = *window->findChild<CommandPalette*>();
        QVERIFY(palette.isVisible());
        const QAbstractItemModelTester tester(
            palette.findChild<QListView*>()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::set<QString> found;
        for (int i = 0; i < palette.findChild<QListView*>()->model()->rowCount(); ++i)
            found.insert(
                palette.findChild<QListView*>()->model()->index(i, 0).data(CommandModel::ContextRole).toString());
        for (const char* menu : {"File", "Edit", "View", "Plan", "Search", "Export", "Help", "Show in the cluster",
                 "Use model", "Pareto", "Pipeline"})
            QVERIFY2(found.contains(QString::fromLatin1(menu)), menu);
        QTest::keyClicks(palette.findChild<QLineEdit*>(), QStringLiteral("qqzzxx"));
        QVERIFY(palette.nothing().isVisible() && !palette.findChild<QListView*>()->isVisible());
        QVERIFY(palette.nothing().text().contains(QStringLiteral("qqzzxx")));
        palette.findChild<QLineEdit*>()->clear();
        QVERIFY(!palette.nothing().isVisible() && palette.findChild<QListView*>()->isVisible());
        QTest::keyClicks(palette.findChild<QLineEdit*>(), QStringLiteral("theme dark"));
        QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(!palette.isVisible());
        QVERIFY(currentTheme() == ThemeKind::Dark);
        applyTheme(*qApp, ThemeKind::Light);
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Escape);
        QVERIFY(!palette.isVisible());
        QVERIFY(window->close());
    }

    void presentsAndReturns()
    {
        const auto window = openWindow();
        QTest::keyClick(window.get(), Qt::Key_F11);
        QVERIFY(window->view().perspective() == Perspective::Present);
        QVERIFY(!window->menuBar()->isVisible());
        QVERIFY(!window->view().inputs().isVisible());
        QVERIFY(!window->view().explore().isVisible());
        QVERIFY(window->view().present().isVisible());
        QTest::keyClick(window.get(), Qt::Key_Escape);
        QVERIFY(window->view().perspective() == Perspective::Explore);
        QVERIFY(window->menuBar()->isVisible());
        QTest::keyClick(window.get(), Qt::Key_F1);
        auto* sheet = window->findChild<ShortcutOverlay*>();
        QVERIFY(sheet->isVisible());
        QTest::keyClick(sheet, Qt::Key_Escape);
        QVERIFY(!sheet->isVisible());
        QVERIFY(window->close());
    }

    void closesInTheMidstOfWork()
    {
        for (int round = 0; round < 6; ++round) {
            const auto window = openWindow();
            window->actionSet().findBest->trigger();
            QTest::qWait(round * 15);
            QVERIFY(window->close());
        }
    }

    // In one piece: one window, made smaller step by step.
    void aSmallWindowStaysUsable()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        CentralView& view = window->view();
        ExplorePage& charts = view.explore();
        QTabBar& tabs = *charts.findChild<QTabBar*>();
        QAction* details = window->actionSet().showDetails;
        QVERIFY(view.details().isVisible() && !tabs.isVisible());
        for (const QSize size : {QSize(1280, 720), QSize(1024, 700), QSize(800, 560)}) {
            window->resize(size);
            QTest::qWait(50);
            QCOMPARE(window->size(), size);
            QCOMPARE(details->isChecked(), view.details().isVisible());
            QCOMPARE(view.details().isVisible(), size.width() >= 1180);
            int shown = 0;
            for (ChartView* chart : charts.charts()) {
                if (!chart->isVisible())
                    continue;
                ++shown;
                QVERIFY2(plotOf(*chart)->height() >= 90,
                    qPrintable(QStringLiteral("%1: %2").arg(chart->title()).arg(plotOf(*chart)->height())));
                QVERIFY(QRect(QPoint(), window->size())
                            .contains(QRect(chart->mapTo(window.get(), QPoint()), chart->size())));
            }
            QCOMPARE(shown, tabs.isVisible() ? 1 : 4);
        }
        QVERIFY(tabs.isVisible());
        for (int i = 0; i < 4; ++i) {
            tabs.setCurrentIndex(i);
            QVERIFY(charts.charts()[static_cast<std::size_t>(i)]->isVisible());
        }
        details->trigger(); // the column is one command away, and all of it is on the window
        QTest::qWait(50);
        QVERIFY(view.details().isVisible());
        QVERIFY(QRect(QPoint(), window->size())
                    .contains(QRect(view.details().mapTo(window.get(), QPoint()), view.details().size())));
        QVERIFY(view.details().widget()->width() <= view.details().viewport()->width());
        window->resize(1440, 900);
        QTest::qWait(50);
        QVERIFY(!tabs.isVisible() && view.details().isVisible());
        for (ChartView* chart : charts.charts())
            QVERIFY(chart->isVisible() && plotOf(*chart)->height() > 150);
        QVERIFY(window->close());
    }

    void theSessionComesBack()
    {
        const QString path = inFolder(QStringLiteral("session.json"));
        {
            const auto window = openWindow({.remembers = true});
            QVERIFY(window->workspace().document().save(path));
            window->actionSet().showDetails->setChecked(false);
            window->setPerspective(Perspective::Build);
            window->resize(1200, 800);
            QVERIFY(window->close());
        }
        MainWindow window({.remembers = true,
            .theme = {},
            .recoveryDirectory = inFolder(QStringLiteral("recovery")),
            .functions = quickFunctions()});
        window.start({});
        window.show();
        QCOMPARE(window.workspace().document().path(), path);
        QVERIFY(window.view().perspective() == Perspective::Build);
        QVERIFY(!window.actionSet().showDetails->isChecked());
        QCOMPARE(window.size(), QSize(1200, 800));
        QVERIFY(window.close());
    }

    /// Whatever takes the focus has a name that assistive technology can say.
    void everythingFocusableHasAName()
    {
        const auto window = openWindow();
        QVERIFY(settled(*window));
        for (const Perspective perspective : {Perspective::Explore, Perspective::Build, Perspective::Compare}) {
            window->setPerspective(perspective);
            QStringList nameless;
            for (QWidget* widget : window->findChildren<QWidget*>()) {
                if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || widget->focusProxy())
                    continue;
                QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
                if (accessible && accessible->text(QAccessible::Name).isEmpty())
                    nameless << QStringLiteral("%1 in %2")
                                    .arg(QString::fromLatin1(widget->metaObject()->className()),
                                        QString::fromLatin1(widget->parentWidget()->metaObject()->className()));
            }
            QCOMPARE(nameless, QStringList());
        }
        QVERIFY(window->close());
    }

    void itStartsWithAnExample()
    {
        const auto window = newWindow();
        window->start({}, QStringLiteral("odd-192-v100"));
        QCOMPARE(window->workspace().plan(), exampleDocument("odd-192-v100").project.plan);
        QVERIFY(window->workspace().document().isClean());
    }

    void theProgramTakesAPicture_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QSize>("size");
        QTest::newRow("light") << QStringList{QStringLiteral("--theme"), QStringLiteral("light"),
            QStringLiteral("--size"), QStringLiteral("1440x900")}
                               << QSize(1440, 900);
        QTest::newRow("build, dark") << QStringList{QStringLiteral("--theme"), QStringLiteral("dark"),
            QStringLiteral("--perspective"), QStringLiteral("build"), QStringLiteral("--size"),
            QStringLiteral("1024x700")}
                                     << QSize(1024, 700);
    }

    void theProgramTakesAPicture()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QSize, size);
        const QString picture = inFolder(QStringLiteral("picture.png"));
        auto locked = exampleDocument("llama-65b-32-ascend"); // its search, which has to end, is short
        for (int i = 0; i < kLockableDimensions; ++i)
            locked.project.search.locks.insert(static_cast<Dimension>(i));
        const QString file =
            saved(QStringLiteral("locked.json"), QByteArray::fromStdString(writeProject(locked, shippedCatalog())));
        QProcess program;
        program.setProcessEnvironment(environment());
        program.start(QStringLiteral(STRATOPLAN_EXECUTABLE),
            arguments + QStringList{file, QStringLiteral("--screenshot"), picture});
        QVERIFY(program.waitForFinished(kPatience));
        QCOMPARE(QString::fromLocal8Bit(program.readAllStandardError()), QString());
        QCOMPARE(program.exitCode(), 0);
        QCOMPARE(program.readAllStandardOutput(), QByteArray());
        const QImage image(picture);
        QCOMPARE(image.size(), size);
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3) {
            for (int x = 0; x < image.width(); x += 3)
                colours.insert(image.pixel(x, y));
        }
        QVERIFY2(colours.size() > 100, qPrintable(QString::number(colours.size())));
    }

    void badArgumentsAndNoDisplay()
    {
        const auto run = [](const QStringList& arguments, const QProcessEnvironment& env) {
            QProcess program;
            program.setProcessEnvironment(env);
            program.start(QStringLiteral(STRATOPLAN_EXECUTABLE), arguments);
            program.waitForFinished(kPatience);
            return std::make_pair(program.exitCode(), program.readAllStandardError());
        };
        const auto [badCode, badText] = run({QStringLiteral("--theme"), QStringLiteral("pink")}, environment());
        QCOMPARE(badCode, 2);
        QVERIFY(badText.contains("--theme"));
        QProcessEnvironment bare = environment();
        for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
            bare.remove(QString::fromLatin1(name));
        const auto [bareCode, bareText] = run({}, bare);
        QCOMPARE(bareCode, 2);
        QVERIFY(bareText.contains("display"));
        bare.insert(QStringLiteral("DISPLAY"), QStringLiteral(":4242"));
        bare.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
        const auto [deadCode, deadText] = run({}, bare);
        QCOMPARE(deadCode, 2);
        QVERIFY(deadText.contains("display"));
        QCOMPARE(run({QStringLiteral("--version")}, bare).first, 0);
    }

private:
    QProcessEnvironment environment() const
    {
        QProcessEnvironment result = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
            result.insert(QString::fromLatin1(name), inFolder({}));
        result.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        return result;
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    applyTheme(app, ThemeKind::Light);
    TestMainWindow test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_main_window.moc"
