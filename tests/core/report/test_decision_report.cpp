// SPDX-License-Identifier: GPL-3.0-or-later
// A report says the numbers of the estimate, in every form the same, and invents none.
#include "core/estimate/step_terms.h"
#include "core/report/csv.h"
#include "core/report/html.h"
#include "core/report/xlsx.h"
#include "core/units/csv.h"
#include "core/units/format.h"
#include "tests/core/report/report_facts.h"
#include "tests/registry.h"

using namespace stratoplan;
using namespace stratoplan::report;
using namespace stratoplan::test;

namespace {

/// Of a plan with a budget, gathered once.
const Facts& budgeted()
{
    static const Facts facts = factsOf(quickDocument("llama-65b-32-ascend"));
    return facts;
}
const Facts& withoutBudget()
{
    static const Facts facts = factsOf(quickDocument("gpt2-xl-alpa"));
    return facts;
}

QByteArray bytes(const std::string& text)
{
    return QByteArray::fromStdString(text);
}

estimate::Memory memoryOf(double low, double peak, double high, double capacity)
{
    estimate::Memory memory;
    memory.peakLow = Bytes(low);
    memory.peak = Bytes(peak);
    memory.peakHigh = Bytes(high);
    memory.capacity = Bytes(capacity);
    return memory;
}

} // namespace

class TestDecisionReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cellsHaveThreeFigures_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("millions") << 1234567.8 << QByteArray("1,230,000");
        QTest::newRow("hundreds") << 123.4 << QByteArray("123");
        QTest::newRow("tens") << 12.34 << QByteArray("12.3");
        QTest::newRow("carried") << 9.999 << QByteArray("10.0");
        QTest::newRow("ones") << 1.234 << QByteArray("1.23");
        QTest::newRow("below") << 0.01234 << QByteArray("0.0123");
        QTest::newRow("far below") << 4e-5 << QByteArray("0.0000400");
        QTest::newRow("carried below") << 0.0099996 << QByteArray("0.0100");
        QTest::newRow("negative") << -1234.5 << QByteArray("-1,230");
        QTest::newRow("none") << std::nan("") << QByteArray("–");
    }
    void cellsHaveThreeFigures()
    {
        QFETCH(const double, value);
        QFETCH(const QByteArray, text);
        QCOMPARE(bytes(numberCell(value).text), text);
        QCOMPARE(numberCell(value).number.has_value(), std::isfinite(value));
    }

    void differencesHaveSigns()
    {
        QCOMPARE(bytes(deltaCell(0.0321).text), QByteArray("+3.2 %"));
        QCOMPARE(bytes(deltaCell(-0.5).text), QByteArray("-50.0 %"));
        QCOMPARE(bytes(deltaCell(0.0001).text), QByteArray("±0.0 %"));
    }

    /// The percentiles of the range are those that the chance goes through.
    void theChanceGoesThroughTheRange()
    {
        const auto chance = [](double capacity) { return chanceOfNoRoom(memoryOf(60, 70, 90, capacity)); };
        QVERIFY(std::abs(chance(90) - 0.1) < 1e-9);
        QVERIFY(std::abs(chance(70) - 0.5) < 1e-9);
        QVERIFY(std::abs(chance(60) - 0.9) < 1e-9);
        QVERIFY(chance(100) < chance(95) && chance(100) > 0);
        QCOMPARE(chanceOfNoRoom(memoryOf(70, 70, 70, 80)), 0.0);
        QCOMPARE(chanceOfNoRoom(memoryOf(70, 70, 70, 60)), 1.0);
    }

    void kindsFollowEndings()
    {
        QCOMPARE(kindOfFile("a/b.PDF"), std::optional(FileKind::Pdf));
        QCOMPARE(kindOfFile("b.html"), std::optional(FileKind::Html));
        QCOMPARE(kindOfFile("b.xlsx"), std::optional(FileKind::Xlsx));
        QCOMPARE(kindOfFile("b.csv"), std::optional(FileKind::Csv));
        QVERIFY(!kindOfFile("b.doc") && !kindOfFile("pdf") && !kindOfFile(""));
    }

    void theNumbersAreThoseOfTheEstimate()
    {
        const Facts& facts = budgeted();
        const auto estimate = estimate::estimate(facts.chosen.plan);
        QVERIFY(estimate.has_value());
        const capacity::Capacity run = capacity::capacity(facts.chosen.plan, *estimate, facts.chosen.inputs);
        const Report report = compose(facts);
        const auto numbers = [&](const char* name) {
            const Row* const row = findRow(report, "Decision", name);
            return row ? std::array{row->cells.at(2).number.value_or(-1), row->cells.at(1).number.value_or(-1),
                       row->cells.at(3).number.value_or(-1)}
                       : std::array{-1.0, -1.0, -1.0};
        };
        QCOMPARE(numbers("Step time, s"),
            (std::array{estimate->stepLow.value(), estimate->step.value(), estimate->stepHigh.value()}));
        QCOMPARE(numbers("Duration, days"), (std::array{run.days.low, run.days.mid, run.days.high}));
        QCOMPARE(numbers("CO2, t"), (std::array{run.co2Kg.low * 1e-3, run.co2Kg.mid * 1e-3, run.co2Kg.high * 1e-3}));
        QCOMPARE(numbers("MFU")[1], estimate->mfu);
        QVERIFY(findRow(report, "Decision", "Cost, USD") == nullptr); // nobody knows its price
        const QByteArray page = bytes(html(report));
        QVERIFY(page.contains(bytes(format(estimate->step))));
        QVERIFY(page.contains("Cost</div><div class=\"value\">not known"));
    }

    void theBreakdownAddsUp()
    {
        const Report report = compose(budgeted());
        double sum = 0;
        for (const auto& [term, seconds] : estimate::stepTerms(budgeted().chosen.estimate.breakdown))
            sum += seconds.value();
        const Row* const whole = findRow(report, "Breakdown", "Step");
        QVERIFY(whole != nullptr);
        QVERIFY(std::abs(*whole->cells.at(1).number - sum) < 1e-9 * sum);
        QVERIFY(std::abs(sum - budgeted().chosen.estimate.step.value()) < 1e-9 * sum);
    }

    void alternativesAreEstimatesOfTheirOwn()
    {
        const Facts& facts = budgeted();
        QCOMPARE(facts.found.size(), std::size_t{2});
        const Report report = compose(facts);
        const Row* const steps = findRow(report, "Alternatives", "Step time, s");
        QVERIFY(steps != nullptr);
        QCOMPARE(steps->cells.size(), std::size_t{6});
        for (std::size_t i = 0; i < facts.found.size(); ++i) {
            const Candidate& other = facts.found[i];
            QVERIFY(other.plan.strategy != facts.chosen.plan.strategy);
            const auto estimate = estimate::estimate(other.plan);
            QVERIFY(estimate && estimate->fits);
            QCOMPARE(*steps->cells.at(2 + 2 * i).number, estimate->step.value());
            const double delta = estimate->step / facts.chosen.estimate.step - 1;
            QVERIFY(std::abs(*steps->cells.at(3 + 2 * i).number - delta) < 1e-9 || std::abs(delta) < 5e-4);
        }
    }

    void withoutABudgetNothingIsInvented()
    {
        const Report report = compose(withoutBudget());
        QVERIFY(findRow(report, "Decision", "Step time, s") != nullptr);
        for (const char* name : {"Duration, days", "Cost, USD", "Energy, MWh", "CO2, t", "Accelerator-hours"})
            QVERIFY2(findRow(report, "Decision", name) == nullptr, name);
        QVERIFY(bytes(html(report)).contains("The plan states no budget"));
    }

    void pinnedPlansAreSetBeside()
    {
        exchange::Document document = quickDocument("gpt2-xl-alpa");
        plan::PinnedPlan pin{"Full recomputation", document.project.plan, {}, {}};
        pin.plan.strategy.recompute = document.project.plan.strategy.recompute == parallel::Recompute::Full
            ? parallel::Recompute::None
            : parallel::Recompute::Full;
        document.project.pinned = {{"The same", document.project.plan, {}, {}}, pin};
        const Facts facts = factsOf(document);
        QCOMPARE(facts.pinned.size(), std::size_t{1});
        QVERIFY(bytes(html(compose(facts))).contains("Full recomputation, pinned"));
    }

    /// Amounts of another currency or budget are not set beside as if they were of the same.
    void pinnedPlansHaveTheirOwnBudgets()
    {
        Facts facts = budgeted();
        facts.chosen.run.isPriced = true;
        facts.chosen.run.cost = {90, 100, 110};
        Candidate pin = facts.chosen;
        pin.name = "Dear";
        pin.inputs.currency = "EUR";
        pin.run.tokens *= 2;
        facts.found.clear();
        facts.pinned = {pin};
        const Report report = compose(facts);
        std::vector<std::string> costs;
        for (const auto& [section, table] : tablesOf(report))
            for (const Row& row : table->rows)
                if (table->title == "Pinned plans" && row.cells.front().text == "Cost, USD")
                    for (const Cell& cell : row.cells)
                        costs.push_back(cell.text);
        QVERIFY((costs == std::vector<std::string>{"Cost, USD", "100", "–", "–"}));
        QVERIFY(bytes(html(report)).contains("token budgets of their own"));
    }

    void sharesDifferByPoints()
    {
        Facts facts = budgeted();
        Candidate pin = facts.chosen;
        pin.estimate.mfu = facts.chosen.estimate.mfu + 0.02;
        facts.found = {pin};
        const Report report = compose(facts);
        const Row* const row = findRow(report, "Alternatives", "MFU");
        QVERIFY(row != nullptr);
        QCOMPARE(bytes(row->cells.at(3).text), QByteArray("+2.0 points"));
    }

    void thePageNeedsNothingBesideIt()
    {
        const QByteArray page = bytes(html(compose(budgeted())));
        for (const char* foreign : {"<script", "src=", "<link", "@import", "url("})
            QVERIFY2(!page.contains(foreign), foreign);
        for (const char* none : {">nan", ">inf", ">-nan", ">-inf"})
            QVERIFY2(!page.contains(none), none);
        QCOMPARE(page.count("<svg"), page.count("</svg>"));
        QVERIFY(page.count("<svg") >= 6);
        QCOMPARE(page, bytes(html(compose(factsOf(quickDocument("llama-65b-32-ascend"))))));
    }

    void theLinesOfTheTableHaveSixColumns()
    {
        const std::string text = csv(compose(budgeted()));
        const std::vector<CsvRow> rows = csvRows(text);
        QVERIFY(rows.size() > 100);
        for (const CsvRow& row : rows)
            QCOMPARE(row.cells.size(), std::size_t{6});
    }

    void nothingIsAFormula()
    {
        Table table{"Table", "Sheet", {"", "=1+1"}, {}};
        table.rows.push_back(Row{{textCell("@row"), textCell("-2+3")}});
        table.rows.push_back(Row{{textCell("plain"), deltaCell(0.035)}});
        Report report;
        report.sections.push_back(Section{"id", "Section", {Block(table)}});
        const QByteArray text = bytes(csv(report));
        QVERIFY2(text.contains("Section,Table,'@row,'=1+1,,'-2+3\r\n"), text.constData());
        QVERIFY2(text.contains("Section,Table,plain,'=1+1,0.035,+3.5 %\r\n"), text.constData());
    }

    void workbooksNeedNoTemporaryFolder()
    {
        const bool wasSet = qEnvironmentVariableIsSet("TMPDIR");
        const QByteArray before = qgetenv("TMPDIR");
        qputenv("TMPDIR", "/nowhere/at/all");
        const auto book = xlsx(compose(withoutBudget()));
        if (wasSet)
            qputenv("TMPDIR", before);
        else
            qunsetenv("TMPDIR");
        QVERIFY(book && book->starts_with("PK"));
    }

    void workbooksAreTheSameTwice()
    {
        const Report report = compose(budgeted());
        const auto once = xlsx(report), again = xlsx(report);
        QVERIFY(once && again);
        QVERIFY(once->starts_with("PK"));
        QVERIFY(*once == *again);
    }

    void aPlanThatCannotBeEstimatedHasNoReport()
    {
        exchange::Document document = quickDocument("gpt2-xl-alpa");
        document.project.plan.strategy.tp = 7;
        const auto facts = gather(document, "test");
        QVERIFY(!facts && !facts.error().empty());
        QVERIFY(plan::hasErrors(facts.error()));
    }

    void whatIsStoppedHasNoProblems()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto facts = gather(quickDocument("gpt2-xl-alpa"), "test", stop.get_token());
        QVERIFY(!facts && facts.error().empty());
    }

    /// The accuracy is worked out of the cases that ship, as the page of the documents has it.
    void theEvidenceIsThatOfTheCases()
    {
        const validation::ValidationReport& report = budgeted().validation;
        const auto cases = validation::readCases(validation::shippedCases(), catalog::shippedCatalog());
        const validation::ValidationReport again = validationReport(*cases, validate(*cases));
        QCOMPARE(report.all.time.withoutSource.meanAbs, again.all.time.withoutSource.meanAbs);
        QVERIFY(report.estimated > 100);
        QVERIFY(bytes(html(compose(budgeted()))).contains(bytes(formatShare(again.time.withoutSource))));
    }
};

STRATOPLAN_TEST(TestDecisionReport)
#include "test_decision_report.moc"
