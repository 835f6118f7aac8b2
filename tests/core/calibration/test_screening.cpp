// SPDX-License-Identifier: GPL-3.0-or-later
// What a person's rows must not do unnoticed: units gone wrong, commas read as something else, fits that explain
// nothing, profiles that no plan can use, memory that is not what the device holds.
#include "core/calibration/own_runs.h"
#include "core/catalog/catalog.h"
#include "core/estimate/range.h"
#include "core/exchange/profile.h"
#include "core/reporting/run_faults.h"
#include "core/reporting/runs.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stratoplan::calibration;
using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::reporting;
using namespace stratoplan::units;

namespace {

/// 24 s a step, 40 GiB or so.
Plan plan()
{
    Plan plan = fixtures::gpt3();
    plan.training.software = *shippedCatalog().softwareProfile("megatron-lm-2021");
    plan.training.attention = AttentionKernel::Unfused;
    return plan;
}

tl::expected<RunTable, UnusableText> read(const QByteArray& text)
{
    static const Plan base = plan();
    return readRuns(text.toStdString(), {.file = "rows.csv", .plan = &base, .planName = "mine.json"});
}

QByteArray told(const tl::expected<RunTable, UnusableText>& table)
{
    QByteArray text;
    if (!table)
        return QByteArray::fromStdString(describe(documentErrors(table.error()).front()));
    for (const FaultyRun& one : table->faulty)
        text += QByteArray::fromStdString(describe(one)) + '\n';
    for (const std::string& column : table->unknownColumns)
        text += "note: " + QByteArray::fromStdString(unknownColumn(column)) + '\n';
    return text;
}

template <class Value>
QByteArray joined(const std::vector<Value>& values)
{
    QByteArray text;
    for (const std::string& line : describeAll(values))
        text += QByteArray::fromStdString(line) + '\n';
    return text;
}

/// Runs of several strategies, each `factor` times its estimate.
std::vector<MeasuredRun> runsOff(const std::vector<double>& factors, double memory = 0)
{
    std::vector<MeasuredRun> runs;
    int pp = 1;
    for (const double factor : factors) {
        MeasuredRun run;
        run.plan = plan();
        run.plan.strategy.vpp = 1;
        run.plan.strategy.schedule = Schedule::OneFOneB;
        run.plan.strategy.pp = pp *= 2;
        run.plan.strategy.dp = 128 / pp;
        run.id = "run " + std::to_string(runs.size() + 1);
        const auto answer = estimate(run.plan, {.remedies = false});
        if (!answer)
            qFatal("the test's own plan cannot be estimated");
        if (factor > 0)
            run.stepSeconds = answer->step.value() * factor;
        if (memory > 0)
            run.peakGib = answer->memory.peak.value() / kGiB * memory;
        runs.push_back(run);
    }
    return runs;
}

} // namespace

class TestScreening : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anotherUnitIsRefusedWithWhatWasMeant_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("ms") << QByteArray("24100,") << QByteArray("found a step of 24,100 s, 1,");
        QTest::newRow("minutes") << QByteArray("0.4,") << QByteArray("minutes?");
        QTest::newRow("nothing") << QByteArray("1e-9,") << QByteArray("found a step of");
        QTest::newRow("aeons") << QByteArray("1e9,") << QByteArray("expected a time of the order of");
        QTest::newRow("memory")
            << QByteArray(",900")
            << QByteArray("found a peak of 900 GiB, expected at most the 80.0 GiB of an accelerator of the plan");
        QTest::newRow("MiB") << QByteArray(",62000") << QByteArray("(MiB?)");
        QTest::newRow("no memory") << QByteArray(",0.06") << QByteArray("TiB?");
    }
    void anotherUnitIsRefusedWithWhatWasMeant()
    {
        QFETCH(QByteArray, row);
        QFETCH(QByteArray, said);
        const auto table = read("step_s,peak_gib\n22," + QByteArray("\n") + row + "\n");
        QVERIFY2(table.has_value(), told(table).constData());
        QCOMPARE(table->runs.size(), std::size_t(1));
        QVERIFY2(told(table).contains(said) && told(table).startsWith("line 3: "), told(table).constData());
        QCOMPARE(table->faulty.front().order, 3);
    }

    void aFitThatNoPlanCanUseIsNotOne()
    {
        const OwnFit fit = fitOwnRuns(plan().training.software, runsOff({1e-9, 1e9, 1, 1e-9, 1e9}), "wild rows");
        QVERIFY2(fit.refusal.has_value(), joined(fit.warnings).constData());
        QVERIFY(!fitOwnRuns(plan().training.software, runsOff({1.2, 1.3, 1.25}), "sound rows").refusal);
    }

    void whatTheFitDoesNotExplainIsTold()
    {
        const OwnFit wild = fitOwnRuns(plan().training.software, runsOff({0.3, 3, 1}), "rows");
        QVERIFY2(joined(wild.faults).startsWith("the fit does not explain the rows: estimates are off by"),
            joined(wild.faults).constData());
        // The range comes from these rows, few as they are.
        QVERIFY(wild.fitted.profile.rangeLow < 0.7 && wild.fitted.profile.rangeHigh > 1.4);
        const OwnFit sound = fitOwnRuns(plan().training.software, runsOff({1.2, 1.22, 1.21}), "rows");
        QVERIFY2(sound.faults.empty(), joined(sound.faults).constData());
        QVERIFY(sound.fitted.profile.rangeHigh < 1.2);
    }

    void memoryThatStaysOffIsTold()
    {
        const OwnFit fit = fitOwnRuns(plan().training.software, runsOff({0, 0, 0}, 0.5), "rows");
        QVERIFY2(joined(fit.faults).startsWith("memory could not be fitted: it is still off by"),
            joined(fit.faults).constData());
        QVERIFY(joined(fit.faults).contains("follow from the plan and are not fitted"));
    }

    void memoryOfTheAllocatorLeavesTheReserveAlone()
    {
        const QByteArray steps =
            " iteration 10/ 20 | elapsed time per iteration (ms): 24000 | global batch size: 1536 |\n"
            " iteration 20/ 20 | elapsed time per iteration (ms): 24000 | global batch size: 1536 |\n";
        const auto both = read(steps
            + "[Rank 0] (after 10 iterations) memory (MB) | allocated: 1 | max allocated: 30720.0 | reserved: 1 | max "
              "reserved: 40960.0\n");
        QVERIFY2(both && both->runs.size() == 1, told(both).constData());
        QCOMPARE(*both->runs[0].peakGib, 40.0);
        QVERIFY(both->runs[0].allocatorPeak);
        QVERIFY2(joined(both->runs[0].remarks).contains("CUDA context and NCCL buffers are not in it"),
            joined(both->runs[0].remarks).constData());
        const auto old =
            read(steps + "[Rank 0] (after 10 iterations) memory (MB) | allocated: 1 | max allocated: 30720.0\n");
        QVERIFY2(old && old->runs.size() == 1 && joined(old->runs[0].remarks).contains("without what it holds back"),
            told(old).constData());

        std::vector<MeasuredRun> runs = runsOff({0, 0, 0, 0}, 0.8);
        const double before = plan().training.software.reserve.value();
        QVERIFY(fitOwnRuns(plan().training.software, runs, "device").fitted.profile.reserve.value() < 0.9 * before);
        for (MeasuredRun& run : runs)
            run.allocatorPeak = true;
        QVERIFY(std::abs(
                    fitOwnRuns(plan().training.software, runs, "allocator").fitted.profile.reserve.value() / before - 1)
            < 1e-3); // rounded
    }

    void commasAreReadWhereTheyCanBeOneThingOnly_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("step");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("semicolons") << QByteArray("tp;step_s\n8;24,9\n") << 24.9 << QByteArray();
        QTest::newRow("quoted") << QByteArray("tp,step_s\n8,\"24,95\"\n") << 24.95 << QByteArray();
        QTest::newRow("below one") << QByteArray("tp;step (min)\n8;0,415\n") << 24.9 << QByteArray();
        QTest::newRow("four decimals") << QByteArray("tp;step_s\n8;24,9001\n") << 24.9001 << QByteArray();
        QTest::newRow("both") << QByteArray("tp;step_s\n8;22,000\n") << 0.0
                              << QByteArray("its comma may part thousands or decimals, so write 22000 or 22.000");
        QTest::newRow("thousands") << QByteArray("tp;step (us)\n8;24,900,000\n") << 0.0
                                   << QByteArray("without commas: 24900000");
        QTest::newRow("grouped") << QByteArray("tp;step (ms)\n8;24,900.5\n") << 0.0
                                 << QByteArray("without commas: 24900.5");
        QTest::newRow("neither") << QByteArray("tp;step_s\n8;2,4,9\n") << 0.0
                                 << QByteArray("found \"2,4,9\", expected a number from 1e-9 to 1e9");
        QTest::newRow("degree") << QByteArray("tp;step_s\n1,5;24\n") << 0.0
                                << QByteArray("column tp: found \"1,5\", expected a whole number");
    }
    void commasAreReadWhereTheyCanBeOneThingOnly()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, step);
        QFETCH(QByteArray, said);
        const auto table = read(text);
        QVERIFY2(table.has_value(), told(table).constData());
        QVERIFY2(told(table).contains(said), told(table).constData());
        QCOMPARE(table->runs.size(), std::size_t(step > 0));
        if (step > 0)
            QVERIFY(std::abs(*table->runs[0].stepSeconds - step) < 1e-9);
    }

    void unknownColumnsArePassedOver()
    {
        const auto table = read("tp,bananas,step_s\n8,three,22\n");
        QVERIFY2(table && table->runs.size() == 1 && table->faulty.empty(), told(table).constData());
        QVERIFY2(told(table).contains("note: the column \"bananas\" is not known and is passed over"),
            told(table).constData());
        QVERIFY(told(read("bananas,apples\n1,2\n")).contains("expected one with a column step_s or peak_gib"));
        QVERIFY(told(read("tp;step (furlongs)\n1;1\n"))
                    .contains("found \"step (furlongs)\", expected a unit s, ms, us or min"));
        QVERIFY(told(read("max_reserved,peak_gib\n1,1\n")).contains("expected one of them"));
    }

    void aLogOfAnotherModelIsInDoubt()
    {
        const auto table = read(" iteration 10/ 20 | elapsed time per iteration (ms): 24000 | throughput per GPU "
                                "(TFLOP/s/GPU): 12.5 | global batch size: 1536 |\n"
                                " iteration 20/ 20 | elapsed time per iteration (ms): 24000 | throughput per GPU "
                                "(TFLOP/s/GPU): 12.5 | global batch size: 1536 |\n");
        QVERIFY2(table && table->runs.size() == 1, told(table).constData());
        QVERIFY2(joined(table->runs[0].doubts).contains("the log counts 12.5 TFLOP/s per accelerator"),
            joined(table->runs[0].doubts).constData());
    }

    void aCalibratedProfileKeepsTheEvidenceOfItsBase()
    {
        const SoftwareProfile start = plan().training.software;
        const OwnFit fit = fitOwnRuns(start, runsOff({1.3, 1.31, 1.3, 1.29}), "rows");
        const SoftwareProfile& profile = fit.fitted.profile;
        QCOMPARE(profile.base, start.id);
        QVERIFY(profile.calibratedOn);
        QCOMPARE(profile.calibratedOn->rows, 4);
        QCOMPARE(profile.calibratedOn->least.pp, 2);
        QCOMPARE(profile.calibratedOn->most.pp, 16);
        QCOMPARE(profile.calibratedOn->accelerators, std::vector<std::string>{"test accelerator"});
        QVERIFY(profile.calibratedOn->shift > 1.2 && profile.calibratedOn->shift < 1.35);
        const auto back = parseProfile(writeProfile(profile), shippedCatalog());
        QVERIFY2(back.has_value(), back ? "" : describe(back.error().front()).c_str());
        QVERIFY(back->calibratedOn == profile.calibratedOn && back->base == profile.base);
        const OwnFit again = fitOwnRuns(profile, runsOff({1.3, 1.31, 1.3, 1.29}), "rows");
        QCOMPARE(again.fitted.profile.base, start.id); // not of itself
        QVERIFY(std::abs(again.fitted.profile.calibratedOn->shift / profile.calibratedOn->shift - 1) < 0.05);
    }
};

STRATOPLAN_TEST(TestScreening)
#include "test_screening.moc"
