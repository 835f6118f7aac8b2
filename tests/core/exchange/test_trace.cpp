// SPDX-License-Identifier: GPL-3.0-or-later
// Traces against the Trace Event Format: the fields each kind of event must have, and what viewers need to show slices
// as they are (times that rise along a track, and nothing that overlaps on one).
#include "core/estimate/memory_timeline.h"
#include "core/exchange/trace.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <limits>
#include <map>
#include <set>

using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using Json = nlohmann::json;

namespace {

using TrackId = std::pair<int, int>; ///< process, thread

std::vector<Json> eventsOf(const Json& trace, const char* phase)
{
    std::vector<Json> found;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") == phase)
            found.push_back(event);
    }
    return found;
}

std::map<TrackId, std::string> trackNames(const Json& trace)
{
    std::map<TrackId, std::string> names;
    for (const Json& event : eventsOf(trace, "M")) {
        if (event.at("name") == "thread_name")
            names[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
    }
    return names;
}

/// Two transfers of a stage at a time, in one direction and in both, beside a gradient sync that overlaps the last
/// pass.
Timeline crowded()
{
    Timeline t;
    t.stages = 2;
    t.microBatches = 2;
    t.makespan = t.step = Seconds(8);
    t.slices = {{0, 1, 0, 0, 0, SliceKind::Forward}, {1, 1, 1, 0, 0, SliceKind::Forward},
        {1, 3, 0, 0, 0, SliceKind::SendForward}, {2, 1, 1, 0, 1, SliceKind::SendForward},
        {2, 2, 1, 0, 0, SliceKind::SendBackward}, {3, 2, 0, 0, 0, SliceKind::Backward},
        {4, 2, -1, 0, 0, SliceKind::GradientSync}, {7, 1, -1, 0, 0, SliceKind::Optimizer},
        {4, 1, 0, 1, 0, SliceKind::Forward}};
    return t;
}

} // namespace

class TestTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // In one piece: one trace, whose events are looked at by phase and summed up against its timeline.
    void everyEventHasWhatItsPhaseRequires()
    {
        const auto answer = estimate(fixtures::gpt3());
        QVERIFY(answer.has_value());
        const Timeline timeline = simulate(answer->pipeline);
        const MemoryTimeline memory = memoryTimeline(answer->memory, timeline);
        const Json trace = Json::parse(traceText("GPT-3 \"175B\"", timeline, memory));
        QVERIFY(trace.at("displayTimeUnit") == "ms" || trace.at("displayTimeUnit") == "ns");
        QVERIFY(trace.at("otherData").at("plan") == "GPT-3 \"175B\"");
        for (const Json& event : trace.at("traceEvents")) {
            QVERIFY(event.at("name").is_string() && !event.at("name").get<std::string>().empty());
            QVERIFY(event.at("pid").is_number_integer() && event.at("tid").is_number_integer());
            const std::string phase = event.at("ph");
            if (phase == "X") {
                QVERIFY(event.at("ts").is_number() && event.at("dur").is_number() && event.at("cat").is_string()
                    && event.at("args").is_object());
                QVERIFY(event.at("ts") >= 0 && event.at("dur") >= 0);
            } else if (phase == "C") {
                QVERIFY(event.at("ts").is_number() && event.at("args").at("GiB").is_number());
            } else {
                QVERIFY(phase == "M");
                QVERIFY(event.at("args").contains("name") || event.at("args").contains("sort_index"));
            }
        }
        QCOMPARE(eventsOf(trace, "X").size(), timeline.slices.size() + timeline.waits.size());
        std::map<int, double> waited; // of each stage
        for (const Json& event : eventsOf(trace, "X")) {
            if (event.at("cat") != "wait")
                continue;
            waited[event.at("pid")] += event.at("dur").get<double>() / 1e6;
            QVERIFY(event.at("name").get<std::string>() == "Wait: " + event.at("args").at("cause").get<std::string>());
        }
        for (int stage = 0; stage < timeline.stages; ++stage)
            QVERIFY(std::abs(waited[stage] - timeline.idle[std::size_t(stage)].value()) < 1e-9 * timeline.step.value());
        std::size_t points = 0;
        for (const StageMemoryCurve& curve : memory.stages)
            points += curve.points.size();
        QCOMPARE(eventsOf(trace, "C").size(), points);
        std::set<int> named;
        for (const Json& event : eventsOf(trace, "M")) {
            if (event.at("name") == "process_name")
                named.insert(event.at("pid").get<int>());
        }
        QCOMPARE(int(named.size()), timeline.stages);
    }

    void timesRiseAlongATrackAndNothingOverlaps_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::newRow("1F1B") << Schedule::OneFOneB;
        QTest::newRow("interleaved") << Schedule::Interleaved;
        QTest::newRow("zero bubble") << Schedule::ZbH2;
        QTest::newRow("GPipe") << Schedule::GPipe;
    }
    void timesRiseAlongATrackAndNothingOverlaps()
    {
        QFETCH(Schedule, schedule);
        Plan plan = fixtures::gpt3();
        plan.strategy.schedule = schedule;
        if (schedule != Schedule::Interleaved)
            plan.strategy.vpp = 1;
        const auto answer = estimate(plan);
        QVERIFY(answer.has_value());
        const Timeline timeline = simulate(answer->pipeline);
        const Json trace = Json::parse(traceText("plan", timeline, {}));
        const auto names = trackNames(trace);
        std::map<TrackId, double> reached;
        double worked = 0;
        for (const Json& event : eventsOf(trace, "X")) {
            const TrackId track{event.at("pid"), event.at("tid")};
            QVERIFY(names.contains(track));
            const double start = event.at("ts");
            constexpr double kPicosecond = 1e-6;
            QVERIFY2(start >= reached[track] - kPicosecond,
                qPrintable(QStringLiteral("%1 µs before the end of the event before").arg(reached[track] - start)));
            reached[track] = start + event.at("dur").get<double>();
            worked += event.at("cat") == "wait" ? 0 : event.at("dur").get<double>();
        }
        double simulated = 0;
        for (const Slice& slice : timeline.slices)
            simulated += slice.duration;
        // Nothing is cut off but what floats round, once a slice.
        const double rounding = 4.0 * std::numeric_limits<float>::epsilon() * timeline.makespan.value();
        QVERIFY(worked / 1e6 <= simulated * (1 + 1e-12));
        QVERIFY(simulated - worked / 1e6 <= rounding * static_cast<double>(timeline.slices.size()));
    }

    void whatRunsAtTheSameTimeHasATrackOfItsOwn()
    {
        const Json trace = Json::parse(traceText("crowded", crowded(), {}));
        std::map<std::string, std::vector<std::string>> byTrack; // of stage 0
        const auto names = trackNames(trace);
        for (const Json& event : eventsOf(trace, "X")) {
            if (event.at("pid") == 0)
                byTrack[names.at({0, event.at("tid")})].push_back(event.at("name"));
        }
        using Names = std::vector<std::string>;
        QCOMPARE(byTrack["Compute"], (Names{"Forward 0", "Forward 1", "Backward 0", "Optimizer"}));
        QCOMPARE(byTrack["Send activation"], (Names{"Send activation 0"}));
        QCOMPARE(byTrack["Send activation 2"], (Names{"Send activation 1"}));
        QCOMPARE(byTrack["Send gradient"], (Names{"Send gradient 1"}));
        QCOMPARE(byTrack["Gradient sync"], (Names{"Gradient sync"}));
        QCOMPARE(int(byTrack.size()), 5);
    }

    void nothingIsAnEmptyTraceStill()
    {
        const Json trace = Json::parse(traceText("\xff broken text", {}, {}));
        QVERIFY(trace.at("traceEvents").is_array() && trace.at("traceEvents").empty());
    }
};

STRATOPLAN_TEST(TestTrace)
#include "test_trace.moc"
