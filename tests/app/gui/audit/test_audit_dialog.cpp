// SPDX-License-Identifier: GPL-3.0-or-later
// The audit window as a person uses it: a plan alone, a log and a profile, what is typed, an edit made. Real events,
// offscreen.
#include "app/gui/audit/audit_dialog.h"
#include "app/gui/audit/audit_models.h"
#include "core/exchange/document.h"
#include "tests/app/gui_test.h"
#include "widgets/charts/step_lanes.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::test;

namespace {

std::shared_ptr<const plan::Plan> examplePlan()
{
    const exchange::Example* const example = exchange::findExample("llama-70b-512-h100");
    return std::make_shared<const plan::Plan>(
        exchange::parseDocument(example->text, catalog::shippedCatalog())->project.plan);
}

bool settled(AuditDialog& dialog)
{
    return QTest::qWaitFor([&] { return !dialog.isRunning(); }, kPatience);
}

std::unique_ptr<AuditDialog> openDialog(bool withRun)
{
    auto dialog = std::make_unique<AuditDialog>(examplePlan(), nullptr);
    dialog->show();
    static_cast<void>(QTest::qWaitForWindowActive(dialog.get()));
    if (withRun) {
        dialog->openLog(QStringLiteral(STRATOPLAN_AUDITS "/example.log"));
        dialog->openProfile(QStringLiteral(STRATOPLAN_AUDITS "/example-profile.json"));
    }
    return dialog;
}

} // namespace

class TestAuditDialog : public GuiTest {
    Q_OBJECT

private Q_SLOTS:
    void aPlanAloneIsEstimated()
    {
        const auto dialog = openDialog(false);
        QVERIFY(settled(*dialog));
        QVERIFY2(dialog->summary().startsWith(QStringLiteral("Estimated")), qPrintable(dialog->summary()));
        QCOMPARE(dialog->lanes().lanes().size(), std::size_t{1});
        QVERIFY(dialog->causesTable().model()->rowCount() > 4);
    }

    void aRunStandsBesideItsEstimate()
    {
        const auto dialog = openDialog(true);
        QVERIFY(settled(*dialog));
        QVERIFY2(dialog->summary().contains(QStringLiteral("from the log")), qPrintable(dialog->summary()));
        const widgets::StepLanes& lanes = dialog->lanes();
        QCOMPARE(lanes.lanes().size(), std::size_t{3});
        QCOMPARE(lanes.longest(), lanes.lanes().front().seconds); // the measured step is the longer one
        QVERIFY(lanes.xAt(lanes.longest()) <= lanes.width());
        const QString text = lanes.textAt({lanes.xAt(1.0), 14});
        QVERIFY2(text.startsWith(QStringLiteral("Measured")), qPrintable(text));
        QAbstractItemModel* const causes = dialog->causesTable().model();
        const QAbstractItemModelTester tester(causes, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(causes->index(0, CausesModel::CauseColumn).data().toString(), QStringLiteral("Matrix products"));
        QVERIFY(causes->index(0, CausesModel::DifferenceColumn).data().toString().startsWith(QLatin1Char('+')));
        QCOMPARE(causes->index(0, CausesModel::BarsColumn).data(CausesModel::MeasuredShareRole).toDouble(), 1.0);
    }

    void aQuotedMfuIsTicked()
    {
        const auto dialog = openDialog(true);
        dialog->mfuField().setText(QStringLiteral("36.4 %"));
        QTest::keyClick(&dialog->mfuField(), Qt::Key_Return);
        QVERIFY(settled(*dialog));
        const QAbstractItemModel* const model = dialog->mfuTable().model();
        int ticks = 0;
        for (int row = 0; row < model->rowCount(); ++row)
            for (int column = 0; column < model->columnCount(); ++column)
                ticks += model->index(row, column).data().toString().endsWith(QStringLiteral("✓"));
        QVERIFY(ticks > 0);
    }

    void whatCannotBeReadIsTold()
    {
        const auto dialog = openDialog(false);
        dialog->stepField().setText(QStringLiteral("soon"));
        QTest::keyClick(&dialog->stepField(), Qt::Key_Return);
        QVERIFY(settled(*dialog));
        const auto labels = dialog->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels,
            [](const QLabel* label) { return label->text().startsWith(QStringLiteral("The step time is not read")); }));
        dialog->stepField().setText(QStringLiteral("21.5 s"));
        QTest::keyClick(&dialog->stepField(), Qt::Key_Return);
        QVERIFY(settled(*dialog));
        QVERIFY2(dialog->summary().contains(QStringLiteral("as stated")), qPrintable(dialog->summary()));
    }

    void brokenFilesAreTold()
    {
        const auto dialog = openDialog(false);
        dialog->openProfile(saved(QStringLiteral("broken.json"), "{\"traceEvents\": [\n{\"ph\""));
        QVERIFY(settled(*dialog));
        QVERIFY2(dialog->summary().contains(QStringLiteral("line 2")), qPrintable(dialog->summary()));
        QCOMPARE(dialog->causesTable().model()->rowCount(), 0);
        QVERIFY(dialog->lanes().lanes().empty());
    }

    void anEditIsMade()
    {
        const auto dialog = openDialog(false);
        QSignalSpy wanted(dialog.get(), &AuditDialog::planWanted);
        QVERIFY(settled(*dialog));
        QPushButton* edit = nullptr;
        for (auto* button : dialog->findChildren<QPushButton*>())
            if (button->accessibleName().startsWith(QStringLiteral("Make the edit")) && !edit)
                edit = button;
        QVERIFY(edit);
        edit->click();
        QCOMPARE(wanted.count(), 1);
        QVERIFY(qvariant_cast<plan::Plan>(wanted.front().front()).strategy != examplePlan()->strategy);
    }
};

QTEST_MAIN(TestAuditDialog)
#include "test_audit_dialog.moc"
