// SPDX-License-Identifier: GPL-3.0-or-later
// Every code of what stands above core/narration has its words.
#include "core/reporting/documents.h"
#include "core/reporting/run_faults.h"
#include "core/reporting/runs.h"
#include "tests/registry.h"

#include <QTest>

#include <set>

using namespace stratoplan::calibration;
using namespace stratoplan::exchange;
using namespace stratoplan::reporting;

class TestReporting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFaultOfRunsHasItsWords()
    {
        std::set<std::string> told;
        for (int code = 0; code <= int(RunFaultCode::OtherLayers); ++code) {
            const DocumentErrors errors = documentErrors(
                {.file = "runs.csv", .planName = "mine", .faults = {{.code = RunFaultCode(code), .place = "line 7"}}});
            QCOMPARE(errors.size(), std::size_t{1});
            QVERIFY(!errors.front().found.empty() && !errors.front().expected.empty());
            QVERIFY(describe(errors.front()).starts_with("runs.csv: line 7: found "));
            told.insert(describe(errors.front()));
        }
        QCOMPARE(told.size(), std::size_t(RunFaultCode::OtherLayers) + 1);
    }

    void everyFaultOfSchedulesHasItsWords()
    {
        std::set<std::string> told;
        for (int code = 0; code <= int(ScheduleFaultCode::Deadlock); ++code)
            told.insert(describe(documentError({.code = ScheduleFaultCode(code), .stuck = {{1, {}}}}, "own.txt")));
        QCOMPARE(told.size(), std::size_t(ScheduleFaultCode::Deadlock) + 1);
    }

    void everyLeftoverHasItsName()
    {
        std::set<std::string> told;
        for (int what = 0; what <= int(Leftover::HeadBias); ++what)
            told.insert(describe(Simplification(LeftoverParameters{Leftover(what), 6144, 0.5})));
        QCOMPARE(told.size(), std::size_t(Leftover::HeadBias) + 1);
        QVERIFY(told.contains("left out: biases of the FFN, 6,144 parameters, 50.0 % of the model"));
        QVERIFY(describe(Simplification(LeftoverParameters{Leftover::Sinks, -2, 1e-6}))
                    .starts_with("counted, though the model has none: attention sinks, 2 parameters, less than"));
    }

    void groupingsAndKernelsHaveNames()
    {
        for (int grouping = 0; grouping <= int(Grouping::Source); ++grouping)
            QVERIFY(!describe(Grouping(grouping)).empty());
        for (int kind = 0; kind <= int(KernelKind::Collective); ++kind)
            QVERIFY(!describe(KernelKind(kind)).empty());
    }
};

STRATOPLAN_TEST(TestReporting)
#include "test_reporting.moc"
