// SPDX-License-Identifier: GPL-3.0-or-later
// The form of the whole run, by keyboard as a person would fill it in.
#include "tests/finding.h"
#include "tests/widgets/panels/panel_driving.h"
#include "tests/widgets/panels/panel_test.h"
#include "tests/widgets/panels/sample_plan.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/panels/section.h"
#include "widgets/panels/unit_field.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

namespace stratoplan::widgets {

using namespace test;

namespace {

/// By arrow keys, from the first choice on.
void choose(ChoiceField& field, const QString& text)
{
    field.setFocus();
    QTest::keyClick(&field, Qt::Key_Home);
    for (int i = 0; i < field.count() && field.currentText() != text; ++i)
        QTest::keyClick(&field, Qt::Key_Down);
    QCOMPARE(field.currentText(), text);
}

/// A form with all of its sections open, and the inputs that were told last.
struct OpenForm {
    OpenForm()
        : told(&panel, &InputsPanel::capacityEdited)
    {
        panel.setPlan(samplePlan());
        panel.resize(304, 2400);
        panel.show();
        for (Section* section : panel.sections())
            section->setCollapsed(false);
    }

    [[nodiscard]] plan::CapacityInputs last() const { return told.last().at(0).value<plan::CapacityInputs>(); }
    [[nodiscard]] UnitField& field(const char* name) { return named<UnitField>(panel, name); }
    [[nodiscard]] ChoiceField& choice(const char* name) { return named<ChoiceField>(panel, name); }

    InputsPanel panel;
    QSignalSpy told;
};

} // namespace

class TestRunSection : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { startPanelTest(); }
    void cleanup() { QCOMPARE(takeQtWarnings(), QString()); }
    void budgetsAreStatedInThreeWays();
    void ownersSeeWhatTheyPay();
    void spareNodesMayBeNone();
    void nodesHavePricesOfTheirOwn();
    void gridsAreChosenByName();
    void whatIsNotStatedIsTheCatalogues();
};

void TestRunSection::budgetsAreStatedInThreeWays()
{
    OpenForm form;
    UnitField& tokens = form.field("Token budget");
    UnitField& steps = form.field("Step budget");
    ChoiceField& kind = form.choice("How the budget is stated");
    type(tokens, "2T");
    QVERIFY(tokens.isVisible() && !steps.isVisible());
    choose(kind, "steps");
    QVERIFY(!tokens.isVisible() && steps.isVisible());
    QCOMPARE(form.told.count(), 1); // looking loses nothing
    type(steps, "1000");
    QCOMPARE(form.told.count(), 2);
    QCOMPARE(form.last().steps, 1000.0);
    QCOMPARE(form.last().tokens, 0.0);
    plan::CapacityInputs flops;
    flops.computeFlops = 1e24;
    form.panel.setCapacity(flops);
    QVERIFY(form.field("Compute budget").isVisible());
    QCOMPARE(kind.currentText(), QStringLiteral("FLOPs"));
}

void TestRunSection::ownersSeeWhatTheyPay()
{
    OpenForm form;
    const auto isShown = [&](const char* name) { return form.field(name).isVisible(); };
    QVERIFY(!isShown("Term") && !isShown("Years to write off") && !isShown("Price of electricity"));
    ChoiceField& had = form.choice("How accelerators are had");
    choose(had, "reserved");
    QVERIFY(isShown("Term") && !isShown("Years to write off"));
    type(form.field("Term"), "90");
    QCOMPARE(form.last().termDays, 90.0);
    choose(had, "owned");
    QVERIFY(!isShown("Term") && isShown("Years to write off") && isShown("Price of electricity"));
    type(form.field("Price per accelerator-hour"), "30000");
    type(form.field("Price of electricity"), "0.12");
    QCOMPARE(form.last().owned.pricePerAccelerator, 30000.0);
    QCOMPARE(form.last().owned.electricityPerKwh, 0.12);
    QCOMPARE(form.last().pricePerAcceleratorHour, 0.0);
}

void TestRunSection::spareNodesMayBeNone()
{
    OpenForm form;
    QVERIFY(!form.field("Spare nodes").isVisible());
    choose(form.choice("Whether spare nodes are stated"), "as many as");
    QCOMPARE(form.last().failures.spareNodes, std::optional(0));
    type(form.field("Spare nodes"), "3");
    QCOMPARE(form.last().failures.spareNodes, std::optional(3));
    choose(form.choice("Whether spare nodes are stated"), "always one");
    QVERIFY(!form.last().failures.spareNodes.has_value());
}

void TestRunSection::nodesHavePricesOfTheirOwn()
{
    OpenForm form;
    plan::Plan plan = samplePlan();
    const qsizetype rows = form.panel.findChildren<FieldRow*>().size();
    cluster::NodeGroup other = plan.cluster.nodes.front();
    other.id = "old";
    plan.cluster.nodes.push_back(other);
    form.panel.setPlan(plan);
    QCOMPARE(form.panel.findChildren<FieldRow*>().size(), rows + 2);
    UnitField& price = form.field("Price per accelerator-hour of old");
    QCOMPARE(price.text(), QStringLiteral("as all"));
    type(price, "2");
    QCOMPARE(form.last().prices.at("old"), 2.0);
    type(price, "0");
    QVERIFY(form.last().prices.empty());
    form.panel.setPlan(samplePlan());
    QCOMPARE(form.panel.findChildren<FieldRow*>().size(), rows);
}

void TestRunSection::gridsAreChosenByName()
{
    OpenForm form;
    ChoiceField& grid = form.choice("Grid");
    QCOMPARE(grid.currentText(), QStringLiteral("World"));
    choose(grid, "France");
    QVERIFY(form.last().gridIntensity.has_value() && *form.last().gridIntensity < 100);
    type(form.field("Carbon intensity"), "123");
    QCOMPARE(grid.currentText(), QStringLiteral("other"));
    choose(grid, "World");
    QVERIFY(!form.last().gridIntensity.has_value());
}

void TestRunSection::whatIsNotStatedIsTheCatalogues()
{
    OpenForm form;
    for (const char* name : {"MTBF of a GPU", "MTBF of a node", "MTBF of a NIC", "Repair", "Blocking share"})
        QVERIFY2(form.field(name).text().contains(QStringLiteral("by the catalogue")), name);
    type(form.field("Blocking share"), "10");
    QCOMPARE(form.last().checkpoints.blockingShare, std::optional(0.1));
    type(form.field("Blocking share"), "0");
    QVERIFY(!form.last().checkpoints.blockingShare.has_value());
}

} // namespace stratoplan::widgets

QTEST_MAIN(stratoplan::widgets::TestRunSection)
#include "test_run_section.moc"
