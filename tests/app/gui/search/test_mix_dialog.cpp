// SPDX-License-Identifier: GPL-3.0-or-later
// "Which nodes to use" as a person uses it: prices are typed, mixes searched for, compared with the plan, adopted and
// undone; what is of an earlier plan says so.
#include "app/gui/search/mix_binding.h"
#include "app/gui/search/mix_dialog.h"
#include "app/gui/search/mix_form.h"
#include "app/gui/search/mix_model.h"
#include "tests/app/gui/window/window_test.h"
#include "tests/app/mix_plans.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QHeaderView>
#include <QProxyStyle>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

#include <algorithm>
#include <atomic>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::test;

namespace {

plan::Project oneNode()
{
    plan::Project project = unlikeProject();
    plan::Plan& plan = project.plan;
    plan.cluster.nodes.pop_back();
    plan.cluster.nodes.front().count = 1;
    plan.cluster.switches.clear();
    plan.cluster.connections.clear();
    plan.strategy.dp = 2;
    return project;
}

/// A dialog over a document of its own, without the rest of the window.
struct Room {
    explicit Room(plan::Project project = unlikeProject(), session::MixFunctions functions = quickMixes())
        : binding(workspace, window, std::move(functions))
    {
        load(std::move(project));
        dialog = &binding.open();
        static_cast<void>(QTest::qWaitForWindowActive(dialog));
    }
    void load(plan::Project project)
    {
        exchange::Document document;
        document.project = std::move(project);
        document.hasCapacity = true;
        workspace.document().load(std::move(document), {});
    }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([&] { return binding.isSettled() && workspace.isIdle(); }, kPatience);
    }
    void search() const
    {
        press(*dialog, QStringLiteral("Search"));
        QVERIFY(settled());
    }
    [[nodiscard]] widgets::UnitField& price(const QString& group) const
    {
        return named<widgets::UnitField>(*dialog, QStringLiteral("Price of an accelerator-hour, %1").arg(group));
    }
    void type(const QString& group, const QString& text) const
    {
        widgets::UnitField& field = price(group);
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, text);
        QTest::keyClick(&field, Qt::Key_Return);
    }
    [[nodiscard]] QString cell(int row, int column) const
    {
        return dialog->table().model()->index(row, column).data().toString();
    }
    /// In the second line of the cell.
    [[nodiscard]] QString below(int row, int column) const
    {
        return dialog->table().model()->index(row, column).data(widgets::RowDelegate::SecondLineRole).toString();
    }
    void click(int row) const
    {
        const QModelIndex index = dialog->table().model()->index(row, MixModel::Step);
        QTest::mouseClick(dialog->table().viewport(), Qt::LeftButton, {}, dialog->table().visualRect(index).center());
    }
    [[nodiscard]] int rows() const { return dialog->table().model()->rowCount(); }

    session::Workspace workspace{catalog::shippedCatalog(), quickFunctions()};
    QWidget window;
    MixBinding binding; ///< ends before its window
    MixDialog* dialog = nullptr;
};

} // namespace

class TestMixDialog : public WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        failOnWarnings();
        applyTheme(*qApp, widgets::ThemeKind::Light);
    }

    void itIsOfferedWhereThereIsAChoice()
    {
        const auto window = openWindow();
        QAction& action = *window->actionSet().whichNodes;
        exchange::Document one;
        one.project = oneNode();
        window->workspace().document().load(std::move(one), {});
        QVERIFY(!action.isEnabled());
        QVERIFY2(action.toolTip().contains(QStringLiteral("one node")), qPrintable(action.toolTip()));
        exchange::Document unlike;
        unlike.project = unlikeProject();
        window->workspace().document().load(std::move(unlike), {});
        QVERIFY(action.isEnabled());
        QVERIFY2(action.toolTip().contains(QStringLiteral("How many nodes")), qPrintable(action.toolTip()));
        action.trigger();
        action.trigger();
        const auto dialogs = window->findChildren<MixDialog*>();
        QCOMPARE(dialogs.size(), 1);
        MixDialog& dialog = *dialogs.front();
        QVERIFY(dialog.isVisible() && !dialog.isModal());
        // 2 + 3 of one group, 2 by 3 of both in two orders
        QCOMPARE(dialog.form().note(), QStringLiteral("17 mixes, by step and accelerator-hours"));
        plan::Plan same = window->workspace().plan();
        same.cluster.nodes.pop_back();
        same.cluster.connections.pop_back();
        window->workspace().editPlan(same, QStringLiteral("Remove a group"));
        QVERIFY(action.isEnabled() && isOffered(dialog, QStringLiteral("Search"))); // 1 or 2 nodes
        QCOMPARE(dialog.form().note(), QStringLiteral("2 mixes, by step and accelerator-hours"));
        same.cluster.nodes.front().count = 1;
        window->workspace().editPlan(same, QStringLiteral("Remove a node"));
        QVERIFY(!action.isEnabled() && !isOffered(dialog, QStringLiteral("Search")));
        QVERIFY2(dialog.form().note().contains(QStringLiteral("one node")), qPrintable(dialog.form().note()));
        QTest::keyClick(&dialog, Qt::Key_Escape);
        QVERIFY(!dialog.isVisible());
        discardAndClose(*window);
    }

    void pricesAreForAllGroupsOrForNone()
    {
        const Room room;
        const MixForm& form = room.dialog->form();
        QVERIFY(form.options() && form.options()->prices.empty());
        room.type(QStringLiteral("Old node"), QStringLiteral("1.25"));
        QVERIFY(!form.options() && !isOffered(*room.dialog, QStringLiteral("Search")));
        QCOMPARE(form.note(), QStringLiteral("No price of New node: give every group of nodes one, or none of them."));
        room.type(QStringLiteral("New node"), QStringLiteral("2 * 1.5"));
        QVERIFY(form.options());
        QCOMPARE(form.options()->prices, (std::vector<double>{1.25, 3}));
        QCOMPARE(form.note(), QStringLiteral("17 mixes, by step and price of a step"));
        for (const char* group : {"Old node", "New node"})
            room.type(QString::fromLatin1(group), QStringLiteral("0"));
        QVERIFY(form.options() && form.options()->prices.empty());
        QCOMPARE(room.price(QStringLiteral("Old node")).text(), QStringLiteral("none"));
    }

    void whatIsNoPriceIsMarked_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("said");
        QTest::newRow("letters") << "abc"
                                 << "“abc” cannot be read here. Try 2.5.";
        QTest::newRow("negative") << "-1"
                                  << "Give a value from 0 to 1 G.";
        QTest::newRow("too high") << "1e12"
                                  << "Give a value from 0 to 1 G.";
    }
    void whatIsNoPriceIsMarked()
    {
        QFETCH(QString, typed);
        QFETCH(QString, said);
        const Room room;
        room.type(QStringLiteral("Old node"), typed);
        QCOMPARE(room.price(QStringLiteral("Old node")).error(), said);
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Search")));
        QVERIFY2(room.dialog->form().note().startsWith(QStringLiteral("Mend the price")),
            qPrintable(room.dialog->form().note()));
        QTest::keyClick(&room.price(QStringLiteral("Old node")), Qt::Key_Escape);
        QVERIFY(room.dialog->isVisible() && isOffered(*room.dialog, QStringLiteral("Search")));
    }

    void pricesAreThoseOfThePlanUntilTheyAreTyped()
    {
        plan::Project project = unlikeProject();
        project.capacity.pricePerAcceleratorHour = 2;
        Room room(project);
        QCOMPARE(room.price(QStringLiteral("New node")).text(), QStringLiteral("2"));
        room.type(QStringLiteral("New node"), QStringLiteral("5"));
        project.capacity.pricePerAcceleratorHour = 3;
        room.workspace.editCapacity(project.capacity, QStringLiteral("Set the price"));
        QCOMPARE(room.dialog->form().options()->prices, (std::vector<double>{3, 5}));
        room.load(project);
        QCOMPARE(room.dialog->form().options()->prices, (std::vector<double>{3, 3}));
    }

    void everyNumberOfNodesIsMore()
    {
        const Room room;
        auto& every = named<widgets::ToggleSwitch>(*room.dialog, QStringLiteral("Every number of nodes"));
        every.setFocus();
        QTest::keyClick(&every, Qt::Key_Space);
        // 2 + 4 of one group, 2 by 4 of both in two orders
        QCOMPARE(room.dialog->form().note(), QStringLiteral("22 mixes, by step and accelerator-hours"));
        QVERIFY(room.dialog->form().options()->everyCount);
    }

    void mixesAreComparedWithThePlan()
    {
        const Room room;
        QVERIFY(room.dialog->message().contains(QStringLiteral("How many nodes")));
        room.type(QStringLiteral("Old node"), QStringLiteral("1"));
        room.type(QStringLiteral("New node"), QStringLiteral("1.5"));
        room.search();
        QVERIFY2(room.dialog->status().startsWith(QStringLiteral("Proven: 17 mixes of nodes")),
            qPrintable(room.dialog->status()));
        QVERIFY(room.dialog->message().isEmpty() && room.dialog->notice().isEmpty() && room.rows() > 0);
        QAbstractItemModelTester tester(
            room.dialog->table().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY2(room.cell(0, MixModel::Nodes).contains(QStringLiteral(" × New node")),
            qPrintable(room.cell(0, MixModel::Nodes)));
        QVERIFY(room.cell(0, MixModel::Price).startsWith(u'$'));
        QVERIFY2(room.below(0, MixModel::Strategy).startsWith(QStringLiteral("micro-batch ")),
            qPrintable(room.below(0, MixModel::Strategy)));
        QVERIFY(room.below(0, MixModel::Step).endsWith(u'%') && room.below(0, MixModel::Price).endsWith(u'%'));
        const Seconds step = (*room.workspace.ownEstimate())->step;
        const double perHour = 2 * 2 * 1.0 + 4 * 2 * 1.5;
        const QString own = QStringLiteral("The plan as it is: %1 and %2 a step; percentages are against it")
                                .arg(widgets::text(step), widgets::moneyText(perHour * step.value() / 3600, "USD"));
        QCOMPARE(room.dialog->planLine(), own);
    }

    /// As its mixes, which leave nothing idle.
    void thePlanPaysForWhatItUses()
    {
        plan::Project project = unlikeProject();
        project.plan.strategy.dp = 6; // of 4 and 8
        const Room room(project);
        room.search();
        const Seconds step = (*room.workspace.ownEstimate())->step;
        const auto line = [&](const QString& price) {
            return QStringLiteral("The plan as it is: %1 and %2 a step; percentages are against it")
                .arg(widgets::text(step), price);
        };
        const double hours = step.value() / 3600;
        QCOMPARE(room.dialog->planLine(), line(widgets::gpuHoursText(6 * hours)));
        room.type(QStringLiteral("Old node"), QStringLiteral("1"));
        room.type(QStringLiteral("New node"), QStringLiteral("1.5"));
        press(*room.dialog, QStringLiteral("Search again"));
        QVERIFY(room.settled());
        QCOMPARE(room.dialog->planLine(), line(widgets::moneyText((4 * 1 + 2 * 1.5) * hours, "USD")));
    }

    void headingsSortAndRowsAreCopied()
    {
        const Room room;
        room.search();
        QTableView& table = room.dialog->table();
        QHeaderView& header = *table.horizontalHeader();
        const QPoint at(header.sectionViewportPosition(MixModel::PeakMemory) + 10, header.height() / 2);
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
        double last = 0;
        for (int row = 0; row < room.rows(); ++row) {
            const double peak = table.model()->index(row, MixModel::PeakMemory).data(MixModel::SortRole).toDouble();
            QVERIFY(row == 0 || (header.sortIndicatorOrder() == Qt::AscendingOrder ? peak >= last : peak <= last));
            last = peak;
        }
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), room.rows() + 1);
        QCOMPARE(lines.front().split(u'\t').at(3), QStringLiteral("Accelerator-hours a step"));
        QCOMPARE(lines.at(1).split(u'\t').size(), lines.front().split(u'\t').size());
        QCOMPARE(lines.at(1).split(u'\t').front(), room.cell(0, MixModel::Nodes));
        QVERIFY(lines.at(1).split(u'\t').at(MixModel::Step).toDouble() > 0);
    }

    void aMixIsAdoptedByOneStepAndUndone()
    {
        Room room;
        room.search();
        const plan::Project before = room.workspace.document().project();
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Adopt")));
        const int cheapest = room.rows() - 1;
        room.click(cheapest);
        QVERIFY(isOffered(*room.dialog, QStringLiteral("Adopt")));
        const QString nodes = room.cell(cheapest, MixModel::Nodes);
        QTest::keyClick(&room.dialog->table(), Qt::Key_Return);
        QUndoStack& undo = room.workspace.document().undoStack();
        QCOMPARE(undo.count(), 1);
        QCOMPARE(undo.undoText(), QStringLiteral("Use %1").arg(nodes));
        const plan::Plan adopted = room.workspace.plan();
        QVERIFY(!hasErrors(check(adopted)) && adopted.cluster != before.plan.cluster);
        QCOMPARE(acceleratorCount(adopted.cluster), rankCount(adopted.strategy));
        for (const auto& [id, position] : room.workspace.document().project().canvas)
            QCOMPARE(position, before.canvas.at(id));
        QVERIFY(room.settled());
        QCOMPARE(widgets::text((*room.workspace.ownEstimate())->step), room.cell(cheapest, MixModel::Step));
        // What is left on the screen is of the plan before.
        QVERIFY2(room.dialog->notice().startsWith(QStringLiteral("Adopted")), qPrintable(room.dialog->notice()));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Adopt")));
        QTest::keyClick(&room.dialog->table(), Qt::Key_Return);
        QCOMPARE(undo.count(), 1);
        room.workspace.document().undo();
        QCOMPARE(room.workspace.document().project(), before);
        QVERIFY(room.dialog->notice().isEmpty() && isOffered(*room.dialog, QStringLiteral("Adopt")));
        press(*room.dialog, QStringLiteral("Adopt"));
        QCOMPARE(undo.undoText(), QStringLiteral("Use %1").arg(nodes));
        room.workspace.document().undo();
        QTableView& table = room.dialog->table();
        QTest::mouseDClick(table.viewport(), Qt::LeftButton, {},
            table.visualRect(table.model()->index(cheapest, MixModel::Step)).center());
        QCOMPARE(room.workspace.plan().cluster, adopted.cluster);
    }

    /// Where the style says so, a click activates.
    void aClickAdoptsNothing()
    {
        class SingleClicks : public QProxyStyle {
            int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override
            {
                return hint == SH_ItemView_ActivateItemOnSingleClick
                    ? 1
                    : QProxyStyle::styleHint(hint, option, widget, data);
            }
        } style;
        Room room;
        room.search();
        room.dialog->table().setStyle(&style);
        room.click(0);
        QVERIFY(isOffered(*room.dialog, QStringLiteral("Adopt")));
        QCOMPARE(room.workspace.document().undoStack().count(), 0);
        QTest::keyClick(&room.dialog->table(), Qt::Key_Enter, Qt::KeypadModifier);
        QCOMPARE(room.workspace.document().undoStack().count(), 1);
    }

    void whatAPersonSetStaysWhileMixesAreFound()
    {
        std::atomic<bool> released = false;
        Room room(unlikeProject(), mixesInTwoParts(released));
        press(*room.dialog, QStringLiteral("Search"));
        QTRY_VERIFY_WITH_TIMEOUT(room.rows() > 0, kPatience);
        const int rows = room.rows();
        QTableView& table = room.dialog->table();
        room.click(rows - 1);
        const QString chosen = room.cell(rows - 1, MixModel::Nodes);
        const int width = table.columnWidth(MixModel::Nodes) + 30;
        table.setColumnWidth(MixModel::Nodes, width);
        QSignalSpy resets(table.model(), &QAbstractItemModel::modelReset);
        released = true;
        QVERIFY(room.settled());
        QCOMPARE(room.rows(), rows + 1);
        QCOMPARE(table.columnWidth(MixModel::Nodes), width);
        QVERIFY(resets.isEmpty()); // which scroll
        QCOMPARE(table.currentIndex().siblingAtColumn(MixModel::Nodes).data().toString(), chosen);
        QVERIFY(table.selectionModel()->isRowSelected(rows));
        QVERIFY(isOffered(*room.dialog, QStringLiteral("Adopt")));
        press(*room.dialog, QStringLiteral("Search again"));
        QVERIFY(room.settled());
        QVERIFY(table.columnWidth(MixModel::Nodes) != width);
    }

    void pricesInAnotherCurrencyAreOthers()
    {
        Room room;
        room.search();
        plan::CapacityInputs run = room.workspace.document().project().capacity;
        run.currency = "EUR";
        room.workspace.editCapacity(run, QStringLiteral("Set the currency"));
        QVERIFY(room.dialog->notice().isEmpty()); // they have no prices
        room.type(QStringLiteral("Old node"), QStringLiteral("1"));
        room.type(QStringLiteral("New node"), QStringLiteral("1.5"));
        press(*room.dialog, QStringLiteral("Search again"));
        QVERIFY(room.settled());
        room.click(0);
        QVERIFY(room.dialog->notice().isEmpty() && !room.dialog->planLine().contains(u'$'));
        room.workspace.document().undo();
        QVERIFY2(room.dialog->notice().startsWith(QStringLiteral("These are of other prices")),
            qPrintable(room.dialog->notice()));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Adopt")));
        room.workspace.document().redo();
        QVERIFY(room.dialog->notice().isEmpty() && isOffered(*room.dialog, QStringLiteral("Adopt")));
    }

    void keysAreTold()
    {
        QWidget window;
        MixDialog dialog(&window);
        QAction undo, redo;
        undo.setShortcut(Qt::ALT | Qt::Key_Backspace);
        dialog.setUndo(undo, redo);
        auto picture = std::make_shared<session::MixPicture>();
        picture->request = std::make_shared<const session::MixRequest>(session::mixRequest(unlikeProject(), {}));
        picture->front = std::make_shared<const std::vector<search::FoundMix>>();
        dialog.setPicture(picture, "USD", false);
        dialog.setStanding(MixStanding::Adopted);
        const auto key = [](const QKeySequence& sequence) { return sequence.toString(QKeySequence::NativeText); };
        QVERIFY2(dialog.notice().contains(key(undo.shortcut())), qPrintable(dialog.notice()));
        for (const auto& [text, keys] : {std::pair("Copy", key(QKeySequence::Copy)), {"Adopt", key(Qt::Key_Return)}}) {
            const auto buttons = dialog.findChildren<QPushButton*>();
            const auto its = std::ranges::find(buttons, QString::fromLatin1(text), &QPushButton::text);
            QVERIFY(its != buttons.end());
            QVERIFY2((*its)->toolTip().contains(keys), qPrintable((*its)->toolTip()));
        }
    }

    void mixesOfAnotherPlanSaySo()
    {
        Room room;
        room.search();
        room.click(0);
        plan::Plan other = room.workspace.plan();
        other.strategy.dp = 6;
        room.workspace.editPlan(other, QStringLiteral("Other strategy")); // which a search varies
        QVERIFY(room.dialog->notice().isEmpty());
        room.workspace.lock(plan::Dimension::Dp, true, QStringLiteral("Lock"));
        QVERIFY2(room.dialog->notice().startsWith(QStringLiteral("These are of an earlier plan")),
            qPrintable(room.dialog->notice()));
        QCOMPARE(room.below(0, MixModel::Step), QStringLiteral("–"));
        QVERIFY(room.dialog->planLine().isEmpty());
        QTest::keyClick(&room.dialog->table(), Qt::Key_Return);
        QCOMPARE(room.workspace.plan(), other);
        room.workspace.document().undo();
        QVERIFY(room.dialog->notice().isEmpty());
        room.type(QStringLiteral("Old node"), QStringLiteral("1"));
        QVERIFY2(room.dialog->notice().startsWith(QStringLiteral("These are of other prices")),
            qPrintable(room.dialog->notice()));
        room.load(unlikeProject());
        QVERIFY(room.rows() == 0 && room.dialog->message().contains(QStringLiteral("How many nodes")));
    }

    void aSearchIsStopped()
    {
        const Room room(unlikeProject(), endlessMixes());
        press(*room.dialog, QStringLiteral("Search"));
        QTRY_VERIFY_WITH_TIMEOUT(room.dialog->status().contains(QStringLiteral("17 of 17 mixes decided")), kPatience);
        QVERIFY(room.rows() > 0); // before the end
        press(*room.dialog, QStringLiteral("Stop"));
        QVERIFY(room.settled());
        QVERIFY2(
            room.dialog->status().startsWith(QStringLiteral("Stopped: 17 mixes")), qPrintable(room.dialog->status()));
        QVERIFY(isOffered(*room.dialog, QStringLiteral("Search again")));
        press(*room.dialog, QStringLiteral("Search again"));
        QTest::keyClick(room.dialog, Qt::Key_Escape); // nothing runs unseen
        QVERIFY(room.settled());
    }

    void thatNothingFitsIsTold()
    {
        plan::Project project = unlikeProject();
        for (cluster::NodeGroup& nodes : project.plan.cluster.nodes)
            nodes.accelerator.memory = Bytes(1e6);
        const Room room(project);
        room.search();
        QVERIFY2(room.dialog->message().startsWith(QStringLiteral("No mix has a strategy that fits.")),
            qPrintable(room.dialog->message()));
        project.plan.training.globalBatch = 0;
        const Room faulty(project);
        faulty.search();
        QVERIFY2(faulty.dialog->message().contains(QStringLiteral("batch")), qPrintable(faulty.dialog->message()));
    }
};

QTEST_MAIN(TestMixDialog)
#include "test_mix_dialog.moc"
