// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/schedule_file.h"
#include "core/reporting/documents.h"
#include "tests/registry.h"

#include <QTest>

#include <fstream>
#include <sstream>

using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::reporting;
using namespace stratoplan::units;

namespace {

PipelineWork pipeline(int stages, int microBatches, int chunks = 1)
{
    PipelineWork work{chunks > 1 ? Schedule::Interleaved : Schedule::OneFOneB, microBatches, chunks, {}};
    StageWork stage;
    stage.forward = Seconds(1);
    stage.backward = Seconds(2);
    stage.weightGradient = Seconds(1);
    work.stages.assign(static_cast<std::size_t>(stages), stage);
    return work;
}

} // namespace

class TestScheduleFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theShippedExampleIsOneFOneB()
    {
        std::ifstream file(STRATOPLAN_EXAMPLES "/schedule-1f1b.txt");
        std::stringstream text;
        text << file.rdbuf();
        PipelineWork work = pipeline(4, 8);
        const auto order = parseSchedule(text.str(), work);
        QVERIFY(order.has_value());
        QVERIFY(*order == stagePrograms(Schedule::OneFOneB, 4, 1, 8));
        work.order = *order;
        QCOMPARE(makespan(work).seconds.value(), (8 + 3) * 3.0);
    }

    void splitBackwardPassesAndChunks()
    {
        // Input gradients first: the second stage's weight gradient fills the drain of the first.
        PipelineWork work = pipeline(2, 1);
        work.order = parseSchedule("F0 I0 W0\nF0 I0 W0 # the last\n\n", work).value();
        QCOMPARE(makespan(work).seconds.value(), 1.0 + 1 + 1 + 1 + 1);
        const auto chunks = parseSchedule("F0.0 F0.1 B0.1 B0.0\nF0.0 F0.1 B0.1 B0.0", pipeline(2, 1, 2));
        QVERIFY(chunks.has_value());
        QCOMPARE(chunks->front()[1].chunk, 1);
    }

    void faultsSayWhereAndWhat_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("token") << "F0 B0\nF0 Q0"
                               << "line 2: found \"Q0\"";
        QTest::newRow("number") << "Fx B0\nF0 B0"
                                << "line 1: found \"Fx\"";
        QTest::newRow("micro-batch") << "F0 B0 F7\nF0 B0"
                                     << "micro-batches 0 to 0";
        QTest::newRow("chunk") << "F0.1 B0\nF0 B0"
                               << "chunks 0 to 0";
        QTest::newRow("twice") << "F0 F0 B0\nF0 B0"
                               << "every pass once";
        QTest::newRow("order") << "B0 F0\nF0 B0"
                               << "its forward pass before it";
        QTest::newRow("weights") << "F0 W0\nF0 B0"
                                 << "its input gradient before it";
        QTest::newRow("missing") << "F0 I0\nF0 B0"
                                 << "no W0";
        QTest::newRow("stages") << "F0 B0"
                                << "1 lines of passes";
        QTest::newRow("more stages") << "F0 B0\nF0 B0\nF0 B0"
                                     << "line 3: found a line for stage 2";
    }

    void faultsSayWhereAndWhat()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto order = parseSchedule(text.toStdString(), pipeline(2, 1));
        QVERIFY(!order.has_value());
        const QString said = QString::fromStdString(describe(documentError(order.error(), "own.txt")));
        QVERIFY2(said.contains(message) && said.contains("own.txt"), qPrintable(said));
    }

    void stagesThatWaitForEverAreRefused()
    {
        // The first stage wants the gradient of micro-batch 0 before it sends micro-batch 1, which the second runs
        // first.
        for (const TransferPath path : {TransferPath::Links, TransferPath::Queue, TransferPath::Stream}) {
            PipelineWork two = pipeline(2, 2);
            two.timing.path = path;
            const auto order = parseSchedule("F0 B0 F1 B1\nF1 B1 F0 B0", two);
            QVERIFY(!order.has_value());
            QVERIFY(describe(documentError(order.error()))
                        .find("for ever: stage 0 in B0 for stage 1, stage 1 in F1 for stage 0")
                != std::string::npos);
        }
        // The first stage only waits for the two that wait for each other.
        const auto circle = parseSchedule("F0 F1 B0 B1\nF0 B0 F1 B1\nF1 B1 F0 B0", pipeline(3, 2));
        QVERIFY(!circle.has_value());
        QVERIFY(describe(documentError(circle.error()))
                    .find("for ever: stage 1 in B0 for stage 2, stage 2 in F1 for stage 1")
            != std::string::npos);
        // A chunk before the one that feeds it, on one stage.
        PipelineWork alone = pipeline(1, 1);
        alone.schedule = Schedule::ZbV;
        const auto itself = parseSchedule("F0.1 F0.0 B0.1 B0.0", alone);
        QVERIFY(!itself.has_value());
        QVERIFY2(describe(documentError(itself.error())).find("itself for ever: stage 0 in F0.1") != std::string::npos,
            describe(documentError(itself.error())).c_str());
    }

    /// Some editors put a mark before the first letter.
    void byteOrderMarksAreSkipped()
    {
        QVERIFY(parseSchedule("\xef\xbb\xbf"
                              "F0 B0\nF0 B0",
            pipeline(2, 1))
                    .has_value());
    }
};

STRATOPLAN_TEST(TestScheduleFile)
#include "test_schedule_file.moc"
