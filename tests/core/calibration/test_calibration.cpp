// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/calibration.h"
#include "core/calibration/shipped.h"
#include "tests/core/fixtures.h"

#include <QTest>

#include <cmath>

using namespace stratoplan;

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
        QVERIFY2(std::abs(c.profile.matmulFactor / 0.88 - 1) < 0.05, qPrintable(QString::number(c.profile.matmulFactor)));
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
            const double written = p.get(fitted.profile) / p.unit;
            QVERIFY2(written == QByteArray::number(written, 'g', 4).toDouble(), p.key.data());
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
        QVERIFY2(c.profile.reserve.value() <= 10 * kGiB, qPrintable(QString::number(c.profile.reserve.value() / kGiB)));
        QVERIFY2(c.profile.transientLayers <= 4, qPrintable(QString::number(c.profile.transientLayers)));
    }

    void stopsWhenAsked()
    {
        std::stop_source stop;
        stop.request_stop();
        const Calibration c = calibrate(runsOf(prior()), prior(), {}, {}, stop.get_token());
        QVERIFY(!c.converged);
    }
};

QTEST_APPLESS_MAIN(TestCalibration)
#include "test_calibration.moc"
