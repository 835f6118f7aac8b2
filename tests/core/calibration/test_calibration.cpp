// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/calibration.h"
#include "core/calibration/cross_validation.h"
#include "core/calibration/evidence_rows.h"
#include "core/calibration/pools.h"
#include "core/calibration/run_table.h"
#include "core/calibration/shipped.h"
#include "core/reporting/run_faults.h"
#include "core/reporting/runs.h"
#include "core/validation/coverage.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QFile>
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
using namespace stratoplan::validation;

namespace {

SoftwareProfile prior()
{
    SoftwareProfile p;
    p.id = "test";
    p.hostForward = p.hostBackward = Seconds(0);
    return p;
}

/// Runs of several shapes "measured" with the truth, each 1 % off in turn.
std::vector<MeasuredRun> runsOf(const SoftwareProfile& truth, std::vector<std::string>* groups = nullptr)
{
    std::vector<MeasuredRun> runs;
    double noise = 1.01;
    for (const int hidden : {1024, 2048, 4096})
        for (const int tp : {1, 2, 4})
            for (const int microBatch : {1, 4}) {
                MeasuredRun run;
                run.plan = fixtures::small();
                run.plan.model = fixtures::gpt(24, hidden, 16);
                run.plan.strategy.tp = tp;
                run.plan.strategy.dp = 8 / tp;
                run.plan.strategy.microBatch = microBatch;
                run.plan.training.software = truth;
                run.id = std::to_string(hidden) + "/" + std::to_string(tp) + "/" + std::to_string(microBatch);
                const auto answer = estimate(run.plan);
                run.stepSeconds = answer->step.value() * noise;
                run.peakGib = answer->memory.peak.value() / kGiB;
                noise = 2 - noise;
                if (groups)
                    groups->push_back(std::to_string(hidden));
                runs.push_back(run);
            }
    return runs;
}

} // namespace

class TestCalibration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void accessorsReachTheirMember()
    {
        for (const CalibrationParameter& p : calibrationParameters()) {
            SoftwareProfile profile;
            const double value = p.share ? 0.123 : 1.75;
            p.set(profile, value);
            QCOMPARE(p.get(profile), value);
            QVERIFY2(profile != SoftwareProfile{}, p.key.data());
        }
    }

    void findsTheConstantsThatMadeTheRuns()
    {
        SoftwareProfile truth = prior();
        truth.matmulFactor = 0.88;
        truth.elementwiseForward = 2.1;
        const Calibration c = calibrate(runsOf(truth), prior(), {});
        QVERIFY(c.converged);
        QCOMPARE(c.after.n, 18);
        QVERIFY2(c.before.meanAbs > 0.05, qPrintable(QString::number(c.before.meanAbs)));
        QVERIFY2(c.after.meanAbs < 0.015, qPrintable(QString::number(c.after.meanAbs)));
        QVERIFY2(
            std::abs(c.profile.matmulFactor / 0.88 - 1) < 0.05, qPrintable(QString::number(c.profile.matmulFactor)));
    }

    void oneWildRowDoesNotBendTheFit()
    {
        std::vector<MeasuredRun> runs = runsOf(prior());
        *runs[3].stepSeconds *= 3;
        const Calibration c = calibrate(runs, prior(), {});
        QVERIFY2(std::abs(c.profile.matmulFactor - 1) < 0.03, qPrintable(QString::number(c.profile.matmulFactor)));
    }

    void withoutRowsThePriorStays()
    {
        const Calibration c = calibrate({}, prior(), {});
        QVERIFY(c.profile == prior());
        QCOMPARE(c.after.n, 0);
    }

    void absentFeaturesStayAbsent()
    {
        const Calibration c = calibrate(runsOf(prior()), prior(), {});
        QCOMPARE(c.profile.hostForward.value(), 0.0);
        QCOMPARE(c.profile.tpOverlap, 0.0);
    }

    void leavingGroupsOutIsNoBetterThanTheFitItself()
    {
        SoftwareProfile truth = prior();
        truth.matmulFactor = 0.9;
        std::vector<std::string> groups;
        const std::vector<MeasuredRun> runs = runsOf(truth, &groups);
        const Calibration c = calibrate(runs, prior(), {}, groups);
        QCOMPARE(c.leftOut.n, 18);
        QVERIFY(c.leftOut.meanAbs >= c.after.meanAbs * 0.9);
        QVERIFY(c.profile.rangeLow <= 1 && c.profile.rangeHigh >= 1);
    }

    void memoryIsItsOwnTarget()
    {
        SoftwareProfile truth = prior();
        truth.reserve = Bytes(4e9);
        CalibrationOptions options;
        options.target = CalibrationTarget::PeakMemory;
        const Calibration c = calibrate(runsOf(truth), prior(), options);
        QVERIFY(c.after.meanAbs < c.before.meanAbs / 3);
        QCOMPARE(c.profile.matmulFactor, prior().matmulFactor);
    }

    void shippedProfilesWithFewRowsKeepTheirPriors()
    {
        SoftwareProfile other = prior();
        other.id = "other";
        SoftwareProfile truth = prior();
        truth.matmulFactor = 0.9;
        const auto profiles = fitProfiles({prior(), other}, runsOf(truth));
        QCOMPARE(profiles.size(), std::size_t(2));
        QCOMPARE(profiles[0].timeRows, 18);
        QVERIFY(profiles[0].profile.matmulFactor < 0.97);
        QCOMPARE(profiles[1].timeRows, 0);
        QVERIFY(profiles[1].profile == other);
    }

    void shippedConstantsHaveFourDigitsInTheirWrittenUnit()
    {
        SoftwareProfile truth = prior();
        truth.reserve = Bytes(2.34567 * kGiB);
        truth.hostForward = Seconds(0.000123456);
        const FittedProfile fitted = fitProfiles({prior()}, runsOf(truth)).front();
        QCOMPARE(fitted.memoryRows, 18);
        for (const CalibrationParameter& p : calibrationParameters()) {
            const double written = QByteArray::number(p.get(fitted.profile) / p.unit, 'g', 4).toDouble();
            QVERIFY2(p.get(fitted.profile) == written / (1 / p.unit), p.key.data());
        }
        QVERIFY(fitted.profile.reserve != prior().reserve);
    }

    void amountsOfMemoryStayPhysical()
    {
        std::vector<MeasuredRun> runs = runsOf(prior());
        for (MeasuredRun& run : runs)
            *run.peakGib += 60;
        CalibrationOptions options;
        options.target = CalibrationTarget::PeakMemory;
        const Calibration c = calibrate(runs, prior(), options);
        QVERIFY2(c.profile.reserve.value() <= 12 * kGiB, qPrintable(QString::number(c.profile.reserve.value() / kGiB)));
        QVERIFY2(c.profile.transientLayers <= 4, qPrintable(QString::number(c.profile.transientLayers)));
    }

    void groupsLeftOutAreEstimatedByTheOthers()
    {
        SoftwareProfile truth = prior();
        truth.matmulFactor = 0.88;
        std::vector<MeasuredRun> runs = runsOf(truth);
        for (std::size_t i = 0; i < runs.size(); ++i)
            runs[i].source = i % 2 ? "odd" : "even";
        int last = 0, all = 0;
        const CrossValidation v =
            crossValidate(runs, {prior()}, CalibrationTarget::StepTime, {}, [&](int done, int total) {
                QVERIFY(done == last + 1 && done <= total);
                last = done;
                all = total;
            });
        QVERIFY(!v.stopped);
        QCOMPARE(last, all);
        QCOMPARE(v.fit.n, 18);
        QVERIFY(v.prior.meanAbs > 3 * v.fit.meanAbs);
        QCOMPARE(v.groupings.size(), std::size_t(6));
        for (const LeftOutErrors& one : v.groupings) {
            if (one.grouping == Grouping::Accelerators || one.grouping == Grouping::Schedule) { // all alike
                QCOMPARE(one.leftOut.n, 0);
                continue;
            }
            QVERIFY2(one.leftOut.n == 18 && one.fit.n == 18, describe(one.grouping).data());
            QVERIFY2(one.leftOut.meanAbs < v.prior.meanAbs, describe(one.grouping).data());
            QVERIFY2(one.leftOut.meanAbs >= one.fit.meanAbs * 0.95, describe(one.grouping).data());
        }
        QVERIFY(v.groupings.back().grouping == Grouping::Source);
        QCOMPARE(v.groupings.back().groups, 2);
    }

    void profilesOfAPoolMoveTogether()
    {
        SoftwareProfile one = prior(), other = prior();
        one.id = "megatron-core-2024";
        other.id = "nemo";
        other.elementwiseBackward = 2 * one.elementwiseBackward; // its own
        SoftwareProfile truth = prior();
        truth.matmulFactor = 0.9;
        std::vector<MeasuredRun> runs = runsOf(truth);
        for (MeasuredRun& run : runs)
            run.plan.training.software = one;
        const auto profiles = fitProfiles({one, other}, runs);
        QVERIFY(profiles[0].profile.matmulFactor < 0.97);
        QCOMPARE(profiles[1].profile.matmulFactor, profiles[0].profile.matmulFactor);
        QVERIFY(std::abs(profiles[1].profile.elementwiseBackward / profiles[0].profile.elementwiseBackward / 2 - 1)
            < 1e-3); // four digits
        QCOMPARE(profiles[1].profile.kernelLaunch, other.kernelLaunch); // no constant that is carried over
        QCOMPARE(profiles[1].timeRows, 0);
    }

    void noSourceCountsForMoreThanAFewRows()
    {
        std::vector<MeasuredRun> runs(40);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].source = i < 36 ? i < 18 ? "many-012abc" : "many-fed987" : "few";
            runs[i].stepSeconds = 1;
        }
        double many = 0;
        runs = weighed(std::move(runs), {prior()}, CalibrationTarget::StepTime);
        for (std::size_t i = 0; i < 36; ++i)
            many += runs[i].weight;
        QVERIFY2(std::abs(many - 6) < 1e-9, qPrintable(QString::number(many)));
        QCOMPARE(runs.back().weight, 1.0);
    }

    void eachRunIsLeftOutOfTheFitThatEstimatesIt()
    {
        SoftwareProfile truth = prior();
        truth.matmulFactor = 0.88;
        const std::vector<MeasuredRun> runs = weighed(runsOf(truth), {prior()}, CalibrationTarget::StepTime);
        const auto left = leaveOutEachRun(runs, {prior()}, CalibrationTarget::StepTime);
        QCOMPARE(left.size(), runs.size());
        const std::vector<SoftwareProfile> priors{prior()};
        for (const LeftOutRun& one : left) {
            QCOMPARE(one.group, shapeLabel(one.run->plan.model));
            // The same by hand: the group's rows away, the rest fitted.
            std::vector<MeasuredRun> others;
            for (const LeftOutRun& other : left)
                if (other.group != one.group)
                    others.push_back(*other.run);
            const Calibration fit = calibrate(others, prior(), poolOptions(CalibrationTarget::StepTime));
            Plan plan = one.run->plan;
            plan.training.software = fit.profile;
            const auto answer = estimate(plan);
            QVERIFY(answer);
            QVERIFY(std::abs(answer->step.value() / *one.run->stepSeconds - 1 - one.byGroup) < 0.01);
            plan.training.software = prior(); // one source: nothing else to fit to
            QVERIFY(std::abs(estimate(plan)->step.value() / *one.run->stepSeconds - 1 - one.bySource) < 1e-9);
        }
    }

    void rangesAreCheckedWithWholeGroupsLeftOut()
    {
        // Two shapes that miss by opposite signs: neither tells of the other.
        std::vector<EvidenceRow> evidence;
        for (int i = 0; i < 40; ++i) {
            EvidenceRow row;
            row.id = "case/" + std::to_string(i);
            row.source = "lab";
            row.group = i % 2 ? "odd" : "even";
            row.software = "stack";
            row.accelerator = "test accelerator";
            row.traits.extents.fill(1);
            row.traits.extents[1] = i % 2 ? 1024 : 8192;
            row.residual = (i % 2 ? 0.5 : -0.5) + 0.005 * (i - 20);
            row.residualBySource = 0.001 * i;
            evidence.push_back(row);
        }
        const RangeCoverage coverage = rangeCoverage(evidence);
        QCOMPARE(coverage.overall.n, 40);
        QCOMPARE(coverage.overall.byGroup, 0.0);
        QCOMPARE(coverage.families.size(), std::size_t(1));
        QCOMPARE(coverage.families.front().family, std::string("lab with stack"));
        for (EvidenceRow& row : evidence)
            row.group = row.id; // each for itself: the twins hold it
        QVERIFY(rangeCoverage(evidence).overall.byGroup > 0.3);
        const auto held = heldByRange(evidence);
        QCOMPARE(held.size(), std::size_t(40));
        QCOMPARE(double(std::count_if(held.begin(), held.end(), [](const auto& one) { return one.second; })) / 40,
            rangeCoverage(evidence).overall.byGroup);
    }

    void manyCasesAreThinnedByStandIns()
    {
        std::vector<EvidenceRow> evidence;
        for (int i = 0; i < 1000; ++i) {
            EvidenceRow row;
            row.id = "case/" + std::to_string(i);
            row.software = i < 990 ? "many" : "few";
            row.traits.extents.fill(1 + i % 7);
            row.residual = 0.001 * (i % 100);
            evidence.push_back(row);
        }
        thin(evidence);
        int many = 0, few = 0, rows = 0;
        for (const EvidenceRow& row : evidence) {
            (row.software == "many" ? many : few) += row.weight;
            rows += row.weight > 0;
        }
        QCOMPARE(few, 10);
        QVERIFY(many >= 980 && many <= 1000 && rows <= 170);
        std::vector<EvidenceRow> reversed(evidence.rbegin(), evidence.rend());
        thin(reversed);
        std::reverse(reversed.begin(), reversed.end());
        QVERIFY(reversed == evidence);
    }

    void fewRowsKeepThePriorWhenLeftOut()
    {
        std::vector<MeasuredRun> runs = runsOf(prior());
        runs.resize(std::size_t(kFewestRows) - 1);
        const CrossValidation v = crossValidate(runs, {prior()}, CalibrationTarget::StepTime);
        QCOMPARE(v.fit.meanAbs, v.prior.meanAbs);
        QCOMPARE(v.groupings[4].leftOut.meanAbs, v.prior.meanAbs); // strategy
    }

    void leavingOutStopsWhenAsked()
    {
        std::stop_source stop;
        const CrossValidation v = crossValidate(
            runsOf(prior()), {prior()}, CalibrationTarget::StepTime, stop.get_token(), [&](int done, int) {
                if (done == 3)
                    stop.request_stop();
            });
        QVERIFY(v.stopped);
        QVERIFY(v.groupings.back().leftOut.n < 18);
    }

    void tablesOfRunsChangeTheBasePlan()
    {
        Plan base = fixtures::small();
        base.strategy.dp = 8;
        const char* csv =
            "\xEF\xBB\xBF# plan: some where.json \r\n# a remark\n\nid;tp;micro_batch;recompute;step_s;peak_gib\r\n"
            "\"a;b\"\"c\";2;1;full;1.5;\n;4;;;2e0;30.25\n";
        const auto table = readRunTable(csv, base);
        QVERIFY2(table.has_value(), table ? "" : table.error().text.c_str());
        QVERIFY2(table->faulty.empty(), table->faulty.empty() ? "" : describe(table->faulty[0]).c_str());
        QCOMPARE(table->runs.size(), std::size_t(2));
        const MeasuredRun& first = table->runs[0];
        QCOMPARE(first.id, std::string("a;b\"c"));
        QCOMPARE(first.plan.strategy.tp, 2);
        QCOMPARE(first.plan.strategy.dp, 4); // what is left of eight accelerators
        QCOMPARE(first.plan.strategy.recompute, Recompute::Full);
        QVERIFY(first.stepSeconds == 1.5 && !first.peakGib);
        QCOMPARE(table->runs[1].id, std::string("line 6"));
        QCOMPARE(table->runs[1].plan.strategy.dp, 2);
        QCOMPARE(table->runs[1].plan.strategy.microBatch, base.strategy.microBatch);
        QVERIFY(table->runs[1].peakGib == 30.25);
        QCOMPARE(namedPlan(csv), std::string("some where.json"));
        QCOMPARE(namedPlan("tp,step_s\n1,2\n"), std::string());
    }

    void faultyLinesSayWhereAndWhat_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("told");
        QTest::newRow("degree") << QByteArray("0,1,1")
                                << "line 2, column tp: found \"0\", expected a whole number from 1 to 1000000";
        QTest::newRow("fraction") << QByteArray("1.5,1,1") << "line 2, column tp: found \"1.5\"";
        QTest::newRow("infinite") << QByteArray("1,1,inf")
                                  << "line 2, column step_s: found \"inf\", expected a number from 1e-9 to 1e9";
        QTest::newRow("comma") << QByteArray("1,1,\"1,500\"") << "column step_s: found \"1,500\"";
        QTest::newRow("cells") << QByteArray("1,1") << "line 2: found 2 cells, expected 3";
        QTest::newRow("unmeasured") << QByteArray("1,1,") << "line 2: found nothing measured";
        QTest::newRow("ranks") << QByteArray("3,1,1") << "found tp x pp x cp = 3, expected a divisor of 8 accelerators";
        QTest::newRow("product") << QByteArray("65536,65536,1") << "found tp x pp x cp = 4294967296";
        QTest::newRow("plan") << QByteArray("1,8,1") << "line 2: ";
    }
    void faultyLinesSayWhereAndWhat()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, told);
        Plan base = fixtures::small();
        base.strategy.dp = 8;
        base.model.layers = 7; // no eight stages
        const auto table = readRunTable("tp,pp,step_s\n" + line.toStdString() + "\n", base);
        QVERIFY(table && table->runs.empty());
        QCOMPARE(table->faulty.size(), std::size_t(1));
        const QString reason = QString::fromStdString(describe(table->faulty[0]));
        QVERIFY2(reason.contains(told), qPrintable(reason));
    }

    void thePriorsAreBuiltIn()
    {
        QVERIFY(shippedPriors().size() > 10);
        for (const SoftwareProfile& one : shippedPriors())
            QVERIFY2(shippedCatalog().softwareProfile(one.id), one.id.c_str());
    }

    void noConstantRestsOnABound()
    {
        for (const SoftwareProfile& one : shippedCatalog().software)
            for (const CalibrationParameter& p : calibrationParameters()) {
                const double value = p.get(one);
                const auto* prior = &*std::ranges::find(shippedPriors(), one.id, &SoftwareProfile::id);
                const bool inside = value > 1.01 * p.minimum && value < 0.99 * p.maximum;
                QVERIFY2(inside || value == p.get(*prior), (one.id + ' ' + std::string(p.key)).c_str());
            }
    }

    void noPriorIsAPastFit()
    {
        QFile file(QStringLiteral(STRATOPLAN_PAST_FITS));
        QVERIFY(file.open(QIODevice::ReadOnly));
        int seen = 0;
        for (const QByteArray& line : file.readAll().split('\n')) {
            const QList<QByteArray> cells = line.split(',');
            if (cells.size() != 3 || cells[0] == "profile")
                continue;
            const auto prior = std::ranges::find(shippedPriors(), cells[0].toStdString(), &SoftwareProfile::id);
            const auto constant = std::ranges::find(
                calibrationParameters(), std::string_view(cells[1].constData()), &CalibrationParameter::key);
            if (prior == shippedPriors().end() || constant == calibrationParameters().end())
                continue;
            const double value = cells[2].toDouble() / (1 / constant->unit);
            QVERIFY2(std::abs(constant->get(*prior) / value - 1) > 1e-6, line.constData());
            ++seen;
        }
        QVERIFY2(seen > 500, qPrintable(QString::number(seen)));
    }

    void stopsWhenAsked()
    {
        std::stop_source stop;
        stop.request_stop();
        const Calibration c = calibrate(runsOf(prior()), prior(), {}, {}, stop.get_token());
        QVERIFY(!c.converged);
    }
};

STRATOPLAN_TEST(TestCalibration)
#include "test_calibration.moc"
