// SPDX-License-Identifier: GPL-3.0-or-later
// "Size the run" as a person uses it: the budget is the plan's, money says how many tokens, days say how many
// accelerators of each kind that is checked; one of them is adopted and undone; what is of an earlier plan says so.
#include "app/gui/sizing/kinds_list.h"
#include "app/gui/sizing/sizing_binding.h"
#include "app/gui/sizing/sizing_dialog.h"
#include "app/gui/sizing/sizing_form.h"
#include "app/gui/sizing/sizing_model.h"
#include "tests/app/gui/window/window_test.h"
#include "tests/app/sizing_plans.h"
#include "widgets/panels/day_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/row_delegate.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::test;

namespace {

/// A dialog over a document of its own, without the rest of the window.
struct SizingRoom {
    explicit SizingRoom(plan::Project project = sizingProject(), session::SizingFunctions functions = quickSizes())
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
        return QTest::qWaitFor(
            [&] { return binding.isSettled() && workspace.isIdle() && workspace.ownEstimate(); }, kPatience);
    }
    [[nodiscard]] SizingForm& form() const { return dialog->form(); }
    void size() const
    {
        press(*dialog, QStringLiteral("Size the run"));
        QVERIFY(settled());
    }
    [[nodiscard]] widgets::UnitField& field(const QString& name) const
    {
        return named<widgets::UnitField>(*dialog, name);
    }
    void type(const QString& name, const QString& text) const
    {
        widgets::EntryField& entry = named<widgets::EntryField>(*dialog, name);
        entry.setFocus();
        entry.selectAll();
        QTest::keyClicks(&entry, text);
        QTest::keyClick(&entry, Qt::Key_Return);
    }
    /// By the keys: finds it, goes down to it, checks it.
    void check(const QString& words) const
    {
        KindsList& kinds = form().kinds();
        kinds.filterLine().setFocus();
        kinds.filterLine().clear();
        QTest::keyClicks(&kinds.filterLine(), words);
        QTest::keyClick(&kinds.filterLine(), Qt::Key_Down);
        QVERIFY(kinds.table().hasFocus());
        QTest::keyClick(&kinds.table(), Qt::Key_Space);
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
        const QModelIndex index = dialog->table().model()->index(row, SizingModel::Days);
        QTest::mouseClick(dialog->table().viewport(), Qt::LeftButton, {}, dialog->table().visualRect(index).center());
    }
    [[nodiscard]] int rows() const { return dialog->table().model()->rowCount(); }
    [[nodiscard]] const plan::Project& project() const { return workspace.document().project(); }
    [[nodiscard]] QUndoStack& undo() { return workspace.document().undoStack(); }

    mutable session::Workspace workspace{catalog::shippedCatalog(), quickFunctions()};
    QWidget window;
    SizingBinding binding; ///< ends before its window
    SizingDialog* dialog = nullptr;
};

bool startsWith(const QString& text, const char* start)
{
    return text.startsWith(QString::fromUtf8(start));
}

} // namespace

class TestSizingDialog : public WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        failOnWarnings();
        applyTheme(*qApp, widgets::ThemeKind::Light);
    }

    void theMenuOpensOneDialog()
    {
        const auto window = openWindow();
        QAction& action = *window->actionSet().sizeRun;
        QVERIFY(action.isEnabled());
        action.trigger();
        action.trigger();
        const auto dialogs = window->findChildren<SizingDialog*>();
        QCOMPARE(dialogs.size(), 1);
        SizingDialog& dialog = *dialogs.front();
        QVERIFY(dialog.isVisible() && !dialog.isModal());
        QVERIFY(startsWith(dialog.message(), "How many accelerators"));
        QTest::keyClick(&dialog, Qt::Key_Escape);
        QVERIFY(!dialog.isVisible());
        discardAndClose(*window);
    }

    /// What is typed here is typed there, and undone as there.
    void theBudgetIsThatOfThePlan()
    {
        SizingRoom room;
        QVERIFY(room.settled());
        QCOMPARE(room.field(QStringLiteral("Token budget")).text(), QStringLiteral("50 B"));
        const QString before = room.form().planRun();
        QVERIFY2(startsWith(before, "The plan as it is: "), qPrintable(before));
        QVERIFY2(
            before.contains(QStringLiteral("done on 2026-12-")) && before.endsWith(QStringLiteral("8 accelerators.")),
            qPrintable(before));
        room.type(QStringLiteral("Token budget"), QStringLiteral("500B"));
        QCOMPARE(room.project().capacity.tokens, 500e9);
        QCOMPARE(room.undo().undoText(), QStringLiteral("Set the token budget"));
        QVERIFY(room.form().planRun() != before);
        room.type(QStringLiteral("First day of the run"), QStringLiteral("2027-01-01"));
        QCOMPARE(room.project().capacity.start, std::string("2027-01-01"));
        room.undo().undo();
        room.undo().undo();
        QCOMPARE(room.form().planRun(), before);
        QCOMPARE(room.field(QStringLiteral("Token budget")).text(), QStringLiteral("50 B"));
    }

    void withoutABudgetThereIsNothingToSize()
    {
        plan::Project project = sizingProject();
        project.capacity.tokens = 0;
        SizingRoom room(project);
        QCOMPARE(room.form().note(), QStringLiteral("Give a token budget, e.g. 15T."));
        QVERIFY(startsWith(room.form().planRun(), "Without a token budget"));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Size the run")));
        room.type(QStringLiteral("Token budget"), QStringLiteral("1B"));
        QVERIFY(isOffered(*room.dialog, QStringLiteral("Size the run")));
        // A budget in steps is one, too.
        project.capacity.steps = 1000;
        room.load(project);
        QCOMPARE(room.field(QStringLiteral("Token budget")).value(), 1000 * tokensPerStep(project.plan));
    }

    void moneySaysHowManyTokens()
    {
        SizingRoom room;
        QVERIFY(room.settled());
        QVERIFY(room.form().moneyAnswer().isEmpty() && !button(*room.dialog, QStringLiteral("Use as the budget")));
        room.type(QStringLiteral("Money"), QStringLiteral("1k"));
        QVERIFY2(startsWith(room.form().moneyAnswer(), "On the plan as it is $1.00 k pays for "),
            qPrintable(room.form().moneyAnswer()));
        press(*room.dialog, QStringLiteral("Use as the budget"));
        const plan::Project& now = room.project();
        const auto estimate = estimate::estimate(now.plan);
        QVERIFY(estimate);
        QCOMPARE(now.capacity.tokens, sizing::tokensFor(1000, now.plan, *estimate, now.capacity));
        QVERIFY(capacity::capacity(now.plan, *estimate, now.capacity).cost.mid <= 1000);
        QCOMPARE(room.undo().count(), 1);
        room.type(QStringLiteral("Money"), QStringLiteral("1e-9"));
        QVERIFY2(room.form().moneyAnswer().contains(QStringLiteral("does not pay for one step")),
            qPrintable(room.form().moneyAnswer()));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Use as the budget")));
        plan::CapacityInputs unpriced = now.capacity;
        unpriced.pricePerAcceleratorHour = 0;
        room.workspace.editCapacity(unpriced, QStringLiteral("No price"));
        QVERIFY(startsWith(room.form().moneyAnswer(), "No price of the plan's accelerators"));
    }

    void kindsAreFoundAndChecked()
    {
        SizingRoom room;
        const KindsList& kinds = room.form().kinds();
        QAbstractItemModelTester tester(&kinds.kinds(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(kinds.kinds().checked().size(), std::size_t(1)); // the plan's own, which is the first
        QCOMPARE(kinds.table().model()->index(0, 0).data().toString(), QStringLiteral("test node"));
        room.check(QStringLiteral("dgx h200"));
        QCOMPARE(kinds.table().model()->rowCount(), 1);
        QCOMPARE(room.form().question()->kinds.back().nodes, std::string("dgx-h200"));
        QCOMPARE(room.field(QStringLiteral("Price of an accelerator-hour, DGX H200")).text(),
            QStringLiteral("7.912, list price"));
        QVERIFY(room.field(QStringLiteral("Price of an accelerator-hour, DGX H200"))
                    .toolTip()
                    .contains(QStringLiteral("AWS, p5en.48xlarge, on demand, us-east-1 (2026-07)")));
        QCOMPARE(room.field(QStringLiteral("Price of an accelerator-hour, test node")).text(),
            QStringLiteral("2, of the plan"));
        QTest::keyClick(&kinds.table(), Qt::Key_Space);
        QCOMPARE(room.form().question()->kinds.size(), std::size_t(1));
        kinds.filterLine().setFocus();
        QTest::keyClick(&kinds.filterLine(), Qt::Key_Escape);
        QVERIFY(room.dialog->isVisible() && kinds.filterLine().text().isEmpty());
        room.check(QStringLiteral("test node"));
        QCOMPARE(room.form().note(), QStringLiteral("Check at least one kind of nodes."));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Size the run")));
    }

    /// As the plan's own they are offered, not twice.
    void theNodesOfThePlanAreOfferedOnce()
    {
        plan::Project project = sizingProject();
        const catalog::NodePreset& preset = *catalog::shippedCatalog().node("dgx-h100");
        project.plan = sizing::planOn(project.plan, preset);
        project.canvas.clear();
        const SizingRoom room(project);
        const QAbstractItemModel& kinds = room.form().kinds().kinds();
        int count = 0;
        for (int row = 0; row < kinds.rowCount(); ++row)
            count += kinds.index(row, 0).data().toString() == QStringLiteral("DGX H100") ? 1 : 0;
        QCOMPARE(count, 1);
        QCOMPARE(kinds.rowCount(), int(catalog::shippedCatalog().nodes.size()));
    }

    void whatIsWrongIsMarked()
    {
        const SizingRoom room;
        room.type(QStringLiteral("Days"), QStringLiteral("soon"));
        QVERIFY(!room.field(QStringLiteral("Days")).error().isEmpty());
        QVERIFY(startsWith(room.form().note(), "Mend the field"));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Size the run")));
        QTest::keyClick(&room.field(QStringLiteral("Days")), Qt::Key_Escape);
        QVERIFY(room.dialog->isVisible() && isOffered(*room.dialog, QStringLiteral("Size the run")));
    }

    void kindsAreComparedInARow()
    {
        SizingRoom room;
        room.type(QStringLiteral("Days"), QStringLiteral("1"));
        room.check(QStringLiteral("dgx-h100"));
        room.size();
        QCOMPARE(room.rows(), 2);
        QVERIFY(room.dialog->message().isEmpty() && room.dialog->notice().isEmpty());
        QVERIFY2(startsWith(room.dialog->status(), "Done in 1 day: at the fewest "), qPrintable(room.dialog->status()));
        QAbstractItemModelTester tester(
            room.dialog->table().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        int fewest = 0;
        for (int row = 0; row < 2; ++row) {
            QCOMPARE(room.cell(row, SizingModel::Verdict), QStringLiteral("in time"));
            QCOMPARE(room.below(row, SizingModel::Verdict), QStringLiteral("proven"));
            QVERIFY(room.cell(row, SizingModel::Cost).startsWith(u'$'));
            QVERIFY(startsWith(room.cell(row, SizingModel::Done), "2026-12-0"));
            fewest += startsWith(room.below(row, SizingModel::Accelerators), "best · ") ? 1 : 0;
        }
        QVERIFY(fewest >= 1); // in words, not by colour
        QVERIFY(startsWith(room.below(0, SizingModel::Accelerators), "best · ")); // the rows begin by that
        QVERIFY(room.cell(0, SizingModel::Accelerators).toInt() <= room.cell(1, SizingModel::Accelerators).toInt());
        QVERIFY(!room.dialog->table().isColumnHidden(SizingModel::Done));
    }

    void headingsSortAndRowsAreCopied()
    {
        SizingRoom room;
        room.type(QStringLiteral("Days"), QStringLiteral("1"));
        room.check(QStringLiteral("dgx-h100"));
        room.size();
        QTableView& table = room.dialog->table();
        QHeaderView& header = *table.horizontalHeader();
        const QPoint at(header.sectionViewportPosition(SizingModel::Cost) + 10, header.height() / 2);
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
        const auto cost = [&](int row) {
            return table.model()->index(row, SizingModel::Cost).data(SizingModel::SortRole).toDouble();
        };
        QVERIFY(header.sortIndicatorOrder() == Qt::AscendingOrder ? cost(0) <= cost(1) : cost(0) >= cost(1));
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines.front().split(u'\t').at(7), QStringLiteral("Cost (USD)"));
        const QStringList cells = lines.at(1).split(u'\t');
        QCOMPARE(cells.size(), lines.front().split(u'\t').size());
        QCOMPARE(cells.at(0), room.cell(0, SizingModel::Kind));
        QVERIFY(std::abs(cells.at(7).toDouble() / cost(0) - 1) < 1e-5);
        QVERIFY(cells.at(8).toDouble() <= cells.at(7).toDouble() && cells.at(7).toDouble() <= cells.at(9).toDouble());
    }

    void oneIsAdoptedByOneStepAndUndone()
    {
        SizingRoom room;
        room.type(QStringLiteral("Days"), QStringLiteral("1"));
        room.check(QStringLiteral("dgx-h100"));
        room.type(QStringLiteral("Price of an accelerator-hour, DGX H100"), QStringLiteral("5"));
        room.size();
        const plan::Project before = room.project();
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Adopt")));
        const int row = room.cell(0, SizingModel::Kind) == QStringLiteral("DGX H100") ? 0 : 1;
        const QString cost = room.cell(row, SizingModel::Cost), days = room.cell(row, SizingModel::Days);
        room.click(row);
        QVERIFY(isOffered(*room.dialog, QStringLiteral("Adopt")));
        QTest::keyClick(&room.dialog->table(), Qt::Key_Return);
        QCOMPARE(room.undo().count(), 1);
        QVERIFY(room.undo().undoText().endsWith(QStringLiteral("× DGX H100")));
        const plan::Plan adopted = room.workspace.plan();
        QVERIFY(!hasErrors(check(adopted)) && adopted.cluster != before.plan.cluster);
        QCOMPARE(room.project().canvas, (plan::CanvasPositions{{"nodes", {10, 20}}}));
        QVERIFY(room.settled());
        // The plan is what its row said.
        QVERIFY2(room.form().planRun().contains(days) && room.form().planRun().contains(cost),
            qPrintable(room.form().planRun() + u' ' + days + u' ' + cost));
        QVERIFY2(startsWith(room.dialog->notice(), "Adopted"), qPrintable(room.dialog->notice()));
        QTest::keyClick(&room.dialog->table(), Qt::Key_Return);
        QCOMPARE(room.undo().count(), 1);
        room.workspace.document().undo();
        QCOMPARE(room.project(), before);
        QVERIFY(room.dialog->notice().isEmpty() && isOffered(*room.dialog, QStringLiteral("Adopt")));
        QTableView& table = room.dialog->table();
        QTest::mouseDClick(table.viewport(), Qt::LeftButton, {},
            table.visualRect(table.model()->index(row, SizingModel::Days)).center());
        QCOMPARE(room.workspace.plan().cluster, adopted.cluster);
    }

    void whatIsOfAnotherPlanSaysSo()
    {
        SizingRoom room;
        room.size();
        room.click(0);
        plan::Plan other = room.workspace.plan();
        other.strategy.dp = 4;
        room.workspace.editPlan(other, QStringLiteral("Other strategy")); // which a search varies
        QVERIFY(room.dialog->notice().isEmpty());
        room.type(QStringLiteral("Token budget"), QStringLiteral("6B"));
        QVERIFY2(startsWith(room.dialog->notice(), "These are of an earlier plan"), qPrintable(room.dialog->notice()));
        QTest::keyClick(&room.dialog->table(), Qt::Key_Return);
        QCOMPARE(room.workspace.plan(), other);
        room.workspace.document().undo();
        QVERIFY(room.dialog->notice().isEmpty());
        room.type(QStringLiteral("Days"), QStringLiteral("61"));
        QVERIFY2(startsWith(room.dialog->notice(), "These are of other days"), qPrintable(room.dialog->notice()));
        QVERIFY(!isOffered(*room.dialog, QStringLiteral("Adopt")));
        room.load(sizingProject());
        QVERIFY(room.rows() == 0 && startsWith(room.dialog->message(), "How many accelerators"));
        QCOMPARE(room.field(QStringLiteral("Days")).text(), QStringLiteral("60"));
    }

    void theLookIsStopped()
    {
        SizingRoom room(sizingProject(), endlessSizes());
        room.check(QStringLiteral("dgx-h100"));
        press(*room.dialog, QStringLiteral("Size the run"));
        QTRY_VERIFY_WITH_TIMEOUT(
            room.rows() == 2 && room.below(0, SizingModel::Verdict) == QStringLiteral("so far"), kPatience);
        QVERIFY2(
            startsWith(room.dialog->status(), "0 of 2 kinds looked at, now up to "), qPrintable(room.dialog->status()));
        QCOMPARE(room.cell(1, SizingModel::Verdict), QStringLiteral("waits for its turn"));
        press(*room.dialog, QStringLiteral("Stop"));
        QVERIFY(room.settled());
        QVERIFY2(startsWith(room.dialog->status(), "Stopped: 1 of 2 kinds"), qPrintable(room.dialog->status()));
        QCOMPARE(room.cell(1, SizingModel::Verdict), QStringLiteral("not looked at"));
        press(*room.dialog, QStringLiteral("Size again"));
        QTest::keyClick(room.dialog, Qt::Key_Escape); // nothing runs unseen
        QVERIFY(room.settled());
    }

    void thatItCannotBeIsTold()
    {
        plan::Project project = sizingProject();
        project.capacity.tokens = 1e18;
        project.capacity.start.clear();
        const SizingRoom slow(project);
        slow.size();
        QCOMPARE(slow.cell(0, SizingModel::Verdict), QStringLiteral("too long"));
        QCOMPARE(slow.dialog->status(), QStringLiteral("None of them is done in 60 days"));
        QVERIFY(slow.dialog->table().isColumnHidden(SizingModel::Done));
        project.plan.cluster.nodes.front().accelerator.memory = Bytes(1e6);
        const SizingRoom tight(project);
        tight.size();
        QCOMPARE(tight.cell(0, SizingModel::Verdict), QStringLiteral("no strategy fits"));
        tight.click(0);
        QVERIFY(!isOffered(*tight.dialog, QStringLiteral("Adopt")));
        project.plan.training.globalBatch = 0;
        const SizingRoom faulty(project);
        press(*faulty.dialog, QStringLiteral("Size the run"));
        QTRY_VERIFY_WITH_TIMEOUT(faulty.cell(0, SizingModel::Verdict).contains(QStringLiteral("batch")), kPatience);
    }
};

QTEST_MAIN(TestSizingDialog)
#include "test_sizing_dialog.moc"
