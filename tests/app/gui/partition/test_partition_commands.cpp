// SPDX-License-Identifier: GPL-3.0-or-later
// What the window tells of the partition that a plan itself has, and offers to do with it, on the page and elsewhere.
#include "app/gui/partition/partition_buttons.h"
#include "app/gui/partition/partition_page.h"
#include "app/gui/window/central_view.h"
#include "core/plan/dimensions.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/legal_slider.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/message_bar.h"

#include <QFileDialog>
#include <QLineEdit>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

Plan planOverFour()
{
    Plan plan = exampleDocument("opt-175b-spatial-temporal").project.plan;
    plan.strategy.tp = 4;
    plan.strategy.pp = 8;
    plan.strategy.microBatch = 4;
    plan.strategy = asMegatron(plan.strategy);
    return plan;
}

/// Every operator as one of the front has it.
Plan pinnedPlan()
{
    Plan plan = planOverFour();
    plan.strategy =
        spatialTemporal(plan.strategy, estimate::partitions(plan)->front.back().strategy.operatorPartitions);
    return plan;
}

} // namespace

class TestPartitionCommands : public WindowTest {
    Q_OBJECT

    [[nodiscard]] std::unique_ptr<MainWindow> open(
        const Plan& plan, Perspective perspective = Perspective::Partition) const
    {
        const QString path = saved(QStringLiteral("four.plan.json"),
            QByteArray::fromStdString(exchange::writePlan(plan, catalog::shippedCatalog())));
        return openWindow({.path = path, .perspective = perspective});
    }
    static const Strategy& strategyOf(MainWindow& window) { return window.workspace().plan().strategy; }
    static void step(MainWindow& window, Dimension dimension, Qt::Key key)
    {
        LegalSlider* slider = window.view().inputs().slider(dimension);
        slider->setFocus();
        QTest::keyClick(slider, key);
    }
    static void runCommand(MainWindow& window, const char* typed)
    {
        QTest::keySequence(&window, window.actionSet().palette->shortcut());
        auto* line = window.findChild<CommandPalette*>()->findChild<QLineEdit*>();
        line->clear();
        QTest::keyClicks(line, QString::fromLatin1(typed));
        QTest::keyClick(line, Qt::Key_Return);
    }
    /// As many as can be pressed on the page, and no others.
    static void compareOffers(MainWindow& window, const QStringList& offered)
    {
        const PartitionPage& page = window.view().partition();
        const Actions& actions = window.actionSet();
        const std::initializer_list<std::pair<const QAction*, QStringList>> all{
            {actions.usePartition, {QStringLiteral("Use in the plan"), QStringLiteral("Use the best")}},
            {actions.pinPartition, {QStringLiteral("Pin this partition")}},
            {actions.backToMegatron, {QStringLiteral("Back to Megatron")}},
            {actions.exportProgram, {QStringLiteral("Export PyTorch program…")}}};
        int found = 0;
        for (const auto& [action, texts] : all) {
            bool isPressed = false;
            for (const QString& text : texts)
                isPressed = isPressed || isOffered(page, text);
            QVERIFY2(action->isEnabled() == isPressed, qPrintable(action->text()));
            QVERIFY2(isPressed == offered.contains(texts.front()), qPrintable(action->text()));
            found += int(isPressed);
        }
        QCOMPARE(found, int(offered.size()));
    }

private Q_SLOTS:
    /// That of Megatron which is not the better one.
    void thePlansOwnMegatronIsShown()
    {
        Plan plan = planOverFour();
        const auto answer = estimate::partitions(plan);
        plan.strategy.sequenceParallel = !answer->sequenceParallel;
        const auto window = open(plan);
        QVERIFY(settled(*window));
        PartitionPage& page = window->view().partition();
        QVERIFY2(
            page.choice().itemText(0).startsWith(QStringLiteral("This plan")), qPrintable(page.choice().itemText(0)));
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Best));
        page.choice().setFocus();
        QTest::keyClick(&page.choice(), Qt::Key_Home);
        QCOMPARE(int(page.shown()->kind), int(PartitionChoice::Kind::Planned));
        QCOMPARE(page.shown()->estimate->step, (*window->workspace().estimate())->step);
        QCOMPARE(page.shown()->estimate->peak, (*window->workspace().estimate())->memory.peak);
        QVERIFY(!isOffered(page, QStringLiteral("Pin this partition")));
        const QString tip = button(page, QStringLiteral("Back to Megatron"))->toolTip();
        QVERIFY2(tip.endsWith(
                     answer->sequenceParallel ? QStringLiteral("parallelism on") : QStringLiteral("parallelism off")),
            qPrintable(tip));
        press(page, QStringLiteral("Back to Megatron"));
        QCOMPARE(strategyOf(*window).sequenceParallel, answer->sequenceParallel);
        QVERIFY(settled(*window));
        QVERIFY(page.choice().itemText(0).startsWith(QStringLiteral("Best")));
        QVERIFY(!isOffered(page, QStringLiteral("Back to Megatron")));
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QVERIFY(strategyOf(*window) == plan.strategy);
        QVERIFY(settled(*window));
        QVERIFY(page.choice().itemText(0).startsWith(QStringLiteral("This plan")));
        discardAndClose(*window);
    }

    void whatMegatronCannotDivideHasItsReason()
    {
        Plan plan = planOverFour();
        plan.model.heads = plan.model.kvHeads = 94;
        const QString text = comparisonText(*estimate::partitions(plan));
        QVERIFY2(text.contains(QStringLiteral("; Megatron cannot divide this layer over TP 4: 94 heads cannot be "
                                              "divided over TP 4: use 1, 2, 47 or 94.")),
            qPrintable(text));
    }

    /// In a drag, too; an undo brings the partition back.
    void aPinThatIsLostIsTold()
    {
        const Plan plan = pinnedPlan();
        const auto window = open(plan, Perspective::Explore);
        QVERIFY(settled(*window));
        const MessageBar& bar = window->view().messages();
        QVERIFY(!bar.isVisible());
        step(*window, Dimension::Tp, Qt::Key_Left);
        QCOMPARE(strategyOf(*window).tp, 2);
        QVERIFY(bar.isVisible());
        QCOMPARE(bar.text(), QStringLiteral("The pinned partition was for TP 4; the best is found instead."));
        step(*window, Dimension::Tp, Qt::Key_Left);
        QCOMPARE(bar.text(), QStringLiteral("The pinned partition was for TP 4; the plan is without it now."));
        for (int i = 0; i < 2; ++i)
            QTest::keySequence(window.get(), QKeySequence::Undo);
        QVERIFY(strategyOf(*window) == plan.strategy && !bar.isVisible());
        QTest::keySequence(window.get(), window->actionSet().redo->shortcut());
        QVERIFY(bar.isVisible());
        step(*window, Dimension::MicroBatch, Qt::Key_Left);
        QVERIFY(!bar.isVisible());
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    /// A partition that a person gives up is no news, nor is another document.
    void whatIsGivenUpIsNotTold()
    {
        const Plan plan = pinnedPlan();
        const auto window = open(plan);
        QVERIFY(settled(*window));
        press(window->view().partition(), QStringLiteral("Use the best"));
        QVERIFY(strategyOf(*window).operatorPartitions.empty());
        QVERIFY(!window->view().messages().isVisible());
        QTest::keySequence(window.get(), QKeySequence::Undo);
        QVERIFY(strategyOf(*window) == plan.strategy && !window->view().messages().isVisible());
        exchange::Document other = exampleDocument("opt-175b-spatial-temporal");
        QVERIFY(other.project.plan.strategy.tp != 4 && other.project.plan.strategy.operatorPartitions.empty());
        window->workspace().document().load(other, {});
        QVERIFY(!window->view().messages().isVisible());
        QVERIFY(settled(*window));
        discardAndClose(*window);
    }

    void menusOfferWhatThePageOffers()
    {
        Plan plan = planOverFour();
        plan.strategy.sequenceParallel = estimate::partitions(plan)->sequenceParallel;
        const QString use = QStringLiteral("Use in the plan"), pin = QStringLiteral("Pin this partition"),
                      back = QStringLiteral("Back to Megatron"), save = QStringLiteral("Export PyTorch program…");
        const auto window = open(plan, Perspective::Explore);
        QVERIFY(settled(*window));
        compareOffers(*window, {});
        QTest::keySequence(window.get(), window->actionSet().partition->shortcut());
        QVERIFY(settled(*window));
        compareOffers(*window, {use, pin, save});
        runCommand(*window, "use the best partition");
        QVERIFY(strategyOf(*window) == spatialTemporal(plan.strategy));
        QVERIFY(settled(*window));
        compareOffers(*window, {pin, back, save});
        runCommand(*window, "pin this partition");
        QVERIFY(!strategyOf(*window).operatorPartitions.empty());
        QVERIFY(settled(*window));
        compareOffers(*window, {use, back, save});
        runCommand(*window, "back to megatron");
        QVERIFY(strategyOf(*window) == plan.strategy);
        QVERIFY(settled(*window));
        runCommand(*window, "export pytorch program");
        QTRY_VERIFY(window->findChild<QFileDialog*>());
        window->findChild<QFileDialog*>()->close();
        discardAndClose(*window);
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    TestPartitionCommands test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_partition_commands.moc"
