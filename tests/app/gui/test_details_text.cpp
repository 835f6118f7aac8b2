// SPDX-License-Identifier: GPL-3.0-or-later
// What the details say: units, figures and sentences.
#include "app/gui/details_text.h"
#include "tests/app/gui/gui_test.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::test;

namespace {

QString all(const DetailSections& sections)
{
    QStringList lines;
    for (const DetailSection& section : sections) {
        lines << section.title << section.text << section.remark;
        for (const DetailRow& row : section.rows)
            lines << row.name + u'\t' + row.value;
    }
    return lines.join(u'\n');
}

} // namespace

class TestDetailsText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plan = exampleDocument().project.plan;
        const auto result = estimate(m_plan);
        QVERIFY(result);
        m_estimate = *result;
    }

    void parametersAreCountedInBillions()
    {
        const QString text = all(planDetails(m_plan, m_estimate));
        QVERIFY2(text.contains(QStringLiteral("Parameters\t175 B")), qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral(" G\n")));
    }

    void aReasonEndsWithOneStop()
    {
        m_estimate.extrapolates = {"More than 64 accelerators.", "another kind of link"};
        const QString text = all(planDetails(m_plan, m_estimate));
        QVERIFY2(text.contains(QStringLiteral("Outside what was measured: more than 64 accelerators; another kind of link.")), qPrintable(text));
        m_estimate.extrapolates = {"more than 64 accelerators."};
        QVERIFY(!all(planDetails(m_plan, m_estimate)).contains(QStringLiteral("..")));
    }

    void theRunHasTheUnitsOfTheVerdict()
    {
        CapacityInputs inputs;
        inputs.tokens = 300e9;
        inputs.pricePerAcceleratorHour = 2;
        inputs.currency = "USD";
        const Capacity run = capacity(m_plan, m_estimate, inputs);
        QVERIFY(run.energyKwh > 1e4);
        const QString text = all(figureDetails(VerdictFigure::Cost, m_plan, m_estimate, inputs));
        QVERIFY2(text.contains(QStringLiteral(" MWh")) && !text.contains(QStringLiteral("kWh")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("Cost\t$")));
        for (const VerdictFigure figure : {VerdictFigure::Run, VerdictFigure::Cost}) {
            const VerdictText cell = verdictText(figure, {m_estimate, run}, inputs, {}, {});
            const QString value = cell.unit.isEmpty() ? cell.value : cell.value + u' ' + cell.unit;
            QVERIFY2(text.contains(value), qPrintable(value + u'\n' + text));
        }
    }

    void zeroNamesAllItDivides()
    {
        const std::vector<std::pair<int, QString>> parts{{1, QStringLiteral("divides optimizer states over")},
                                                         {2, QStringLiteral("divides optimizer states and gradients over")},
                                                         {3, QStringLiteral("divides optimizer states, gradients and weights over")}};
        for (const auto& [stage, words] : parts) {
            Plan plan = m_plan;
            plan.strategy.zeroStage = stage;
            const QString text = all(memoryDetails(0, plan, m_estimate));
            QVERIFY2(text.contains(words), qPrintable(text));
            QVERIFY2(text.contains(QStringLiteral("micro-batches of one sequence,")), qPrintable(text)); // as the example has it
        }
    }

private:
    Plan m_plan;
    Estimate m_estimate;
};

QTEST_GUILESS_MAIN(TestDetailsText)
#include "test_details_text.moc"
