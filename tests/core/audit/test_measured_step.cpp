// SPDX-License-Identifier: GPL-3.0-or-later
// What the seconds of a profiled step go to: every moment once, parts that add up, steps in their places.
#include "core/audit/measured_step.h"
#include "tests/core/audit/traces.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <random>

using namespace stratoplan;
using namespace stratoplan::audit;
using namespace stratoplan::traces;

namespace {

parallel::Strategy strategyOf(int tp, int dp, int pp = 1)
{
    parallel::Strategy strategy;
    strategy.tp = tp;
    strategy.dp = dp;
    strategy.pp = pp;
    return strategy;
}

double micro(Seconds seconds)
{
    return seconds.value() * 1e6;
}

const std::string kOfReplicas = R"(,"Process Group Description":"DATA_PARALLEL_GROUP_WITH_CP")";

} // namespace

class TestMeasuredStep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// By hand: 0-100 product, 100-150 attention with a hidden reduction from 90 to 170, 170-180 idle, a copy beside
    /// nothing to 190, a copy beside a norm, optimizer to the end.
    void momentsCountOnce()
    {
        const Profile profile = profileOf({mark(1, 0, 300), kernel(kGemm, 0, 100), kernel(kFlashForward, 100, 50),
            kernel(kReduceScatter, 90, 80, 20, kOfReplicas), {"gpu_memcpy", "Memcpy DtoH", 180, 10, 9},
            kernel(kNorm, 200, 60), {"gpu_memcpy", "Memcpy DtoH", 210, 10, 9}, kernel(kAdam, 250, 50)});
        const MeasuredStep step = measuredStep(profile, strategyOf(1, 8));
        QVERIFY(fixtures::near(micro(step.step), 300));
        const auto part = [&](Cause cause) { return micro(step.causes[cause]); };
        QVERIFY(fixtures::near(part(Cause::Matmul), 100));
        QVERIFY(fixtures::near(part(Cause::Attention), 50));
        QVERIFY(fixtures::near(part(Cause::OtherComputation), 60));
        QVERIFY(fixtures::near(part(Cause::Optimizer), 40));
        QVERIFY(fixtures::near(part(Cause::DataParallel), 20));
        QVERIFY(fixtures::near(micro(step.causes.hiddenOf(Cause::DataParallel)), 60));
        QVERIFY(fixtures::near(part(Cause::Copies), 10));
        QVERIFY(fixtures::near(part(Cause::Idle), 20));
        QVERIFY(fixtures::near(step.causes.total().value(), step.step.value()));
        QCOMPARE(step.attentionForward, std::int64_t{1});
        QCOMPARE(step.kernels.front().name, kGemm);
        QCOMPARE(int(step.collectives.front().collective), int(Collective::ReduceScatter));
    }

    /// Of events at random on four streams, nanosecond by nanosecond.
    void partsAreThoseOfEveryMoment()
    {
        std::mt19937 random(7);
        const std::vector<std::string> names{kGemm, kFlashForward, kNorm, kAdam, kReduceScatter, kAllReduce};
        const std::vector<Cause> causes{Cause::Matmul, Cause::Attention, Cause::OtherComputation, Cause::Optimizer,
            Cause::DataParallel, Cause::DataParallel};
        for (int round = 0; round < 50; ++round) {
            std::vector<Event> events{mark(0, 0, 1)}; // a thousand nanoseconds
            std::vector<std::array<bool, kCauses>> moments(1000);
            for (int i = 0; i < 30; ++i) {
                const std::size_t kind = random() % names.size();
                const int start = int(random() % 1100) - 50, length = int(random() % 120);
                events.push_back(kernel(names[kind], start / 1000.0, length / 1000.0, int(random() % 4), kOfReplicas));
                for (int t = std::max(start, 0); t < std::min(start + length, 1000); ++t)
                    moments[std::size_t(t)][std::size_t(causes[kind])] = true;
            }
            std::array<int, kCauses> expected{};
            int hidden = 0;
            for (const auto& moment : moments) {
                const auto first = std::find(moment.begin(), moment.end(), true);
                ++expected[first == moment.end() ? std::size_t(Cause::Idle) : std::size_t(first - moment.begin())];
                hidden +=
                    std::find(moment.begin(), moment.begin() + kComputations, true) != moment.begin() + kComputations
                    && moment[std::size_t(Cause::DataParallel)];
            }
            const MeasuredStep step = measuredStep(profileOf(events), strategyOf(1, 8));
            for (std::size_t i = 0; i < kCauses; ++i)
                QCOMPARE(int(std::lround(step.causes.parts[i].value() * 1e9)), expected[i]);
            QCOMPARE(int(std::lround(step.causes.hiddenOf(Cause::DataParallel).value() * 1e9)), hidden);
            double lane = 0;
            for (const LaneSlice& slice : step.lane) {
                QVERIFY(std::abs(slice.start - lane) < 1e-12);
                lane = slice.start + slice.seconds;
            }
            QVERIFY(std::abs(lane - step.step.value()) < 1e-12);
        }
    }

    void stepsReachFromMarkToMark()
    {
        const Profile profile =
            profileOf({mark(5, 0, 90), mark(6, 100, 90), mark(7, 220, 90), mark(8, 320, 90), kernel(kGemm, 0, 400)});
        const ProfiledSteps steps = profiledSteps(profile, 0);
        QCOMPARE(int(steps.source), int(StepSource::DeviceMarks));
        const std::vector<StepWindow> expected{{0, 100'000, 5}, {100'000, 220'000, 6}, {220'000, 320'000, 7}};
        QVERIFY(steps.steps == expected);
        QCOMPARE(steps.median, std::size_t{2}); // 100, 120, 100: of equal ones the later
    }

    /// Each stream that a step ran on has a mark of it.
    void marksOfAStepAreOne()
    {
        const Profile profile = profileOf({mark(5, 0, 990), mark(5, 500, 480), mark(6, 1000, 990), mark(6, 1500, 480),
            mark(7, 2000, 990), kernel(kGemm, 0, 3000)});
        const std::vector<StepWindow> expected{{0, 1'000'000, 5}, {1'000'000, 2'000'000, 6}};
        QVERIFY(profiledSteps(profile, 0).steps == expected);
    }

    /// A mark that lacks its successor ends by itself: no step is as long as two.
    void missingStepsAreNone()
    {
        const Profile profile = profileOf({mark(5, 0, 90), mark(7, 200, 90), mark(8, 300, 90), kernel(kGemm, 0, 400)});
        const std::vector<StepWindow> expected{{0, 90'000, 5}, {200'000, 300'000, 7}};
        QVERIFY(profiledSteps(profile, 0).steps == expected);
    }

    /// What the host launched in its only step the device runs later.
    void oneStepOfTheHostEndsWithItsKernels()
    {
        const Profile profile = profileOf({mark(2, 0, 100, false), kernel(kGemm, 20, 130)});
        const ProfiledSteps steps = profiledSteps(profile, 0);
        QCOMPARE(int(steps.source), int(StepSource::HostMarks));
        QCOMPARE(steps.steps.front().length(), std::int64_t{150'000});
    }

    void optimizersTellStepsWithoutMarks()
    {
        std::vector<Event> events;
        for (int i = 0; i < 4; ++i) {
            events.push_back(kernel(kGemm, i * 100, 60));
            events.push_back(kernel(kAdam, i * 100 + 70, 10));
            events.push_back(kernel(kAdam, i * 100 + 82, 8 + (i == 2 ? 1 : 0)));
        }
        const ProfiledSteps steps = profiledSteps(profileOf(events), 0);
        QCOMPARE(int(steps.source), int(StepSource::OptimizerKernels));
        QCOMPARE(steps.steps.size(), std::size_t{3});
        QCOMPARE(steps.steps[0].length(), std::int64_t{100'000});
        QCOMPARE(steps.steps[1].length(), std::int64_t{101'000});
        events.resize(3);
        const ProfiledSteps one = profiledSteps(profileOf(events), 0);
        QCOMPARE(int(one.source), int(StepSource::WholeRange));
        QCOMPARE(one.steps.front().length(), std::int64_t{90'000});
    }

    void theBusiestDeviceCounts()
    {
        std::vector<Event> events{kernel(kGemm, 0, 10), kernel(kNorm, 0, 30), kernel(kNorm, 40, 10)};
        events[1].device = events[2].device = 3;
        const MeasuredStep step = measuredStep(profileOf(events), strategyOf(1, 1));
        QCOMPARE(step.device, std::string("3"));
        QVERIFY(fixtures::near(micro(step.step), 50));
        QCOMPARE(step.causes[Cause::Matmul].value(), 0.0);
    }

    void communicationIsOfItsAxis_data()
    {
        QTest::addColumn<QString>("description");
        QTest::addColumn<QString>("collective");
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("axis");
        const auto row = [](const char* name, const char* description, const char* collective, int size, Cause axis) {
            QTest::newRow(name) << description << collective << size << int(axis);
        };
        row("Megatron TP", "TENSOR_MODEL_PARALLEL_GROUP", "all_gather", 0, Cause::TensorParallel);
        row("Megatron DP with CP", "DATA_PARALLEL_GROUP_WITH_CP", "reduce_scatter", 0, Cause::DataParallel);
        row("Megatron EP", "EXPERT_MODEL_PARALLEL_GROUP", "all_to_allv", 0, Cause::ExpertParallel);
        row("Megatron expert DP", "EXPERT_DATA_PARALLEL_GROUP", "reduce_scatter", 0, Cause::DataParallel);
        row("Megatron PP", "PIPELINE_MODEL_PARALLEL_GROUP", "send", 0, Cause::Pipeline);
        row("torchtitan", "mesh_dp_shard_cp", "_allgather_base", 0, Cause::DataParallel);
        row("by size", "", "all_gather", 4, Cause::TensorParallel);
        row("by another", "", "all_gather", 16, Cause::DataParallel);
        row("no such size", "", "all_gather", 5, Cause::OtherCommunication);
        row("no size", "", "allreduce", 0, Cause::OtherCommunication);
        row("transfer", "", "send", 0, Cause::Pipeline);
    }
    void communicationIsOfItsAxis()
    {
        QFETCH(const QString, description);
        QFETCH(const QString, collective);
        QFETCH(const int, size);
        QFETCH(const int, axis);
        const CollectiveGroup group{collective.toStdString(), description.toStdString(), size};
        QCOMPARE(int(communicationOf(group, kAllReduce, strategyOf(4, 16, 2))), axis);
    }

    /// Thousands of slices are joined, and what they add up to stays.
    void longLanesAreCoarsened()
    {
        std::vector<Event> events{mark(0, 0, 100'000)};
        for (int i = 0; i < 10'000; ++i)
            events.push_back(kernel(kGemm, i * 10, 6));
        const MeasuredStep step = measuredStep(profileOf(events), strategyOf(1, 1));
        QVERIFY(step.lane.size() <= kMostLaneSlices && !step.lane.empty());
        QVERIFY(fixtures::near(micro(step.causes[Cause::Matmul]), 60'000));
        QVERIFY(fixtures::near(micro(step.causes[Cause::Idle]), 40'000));
    }
};

STRATOPLAN_TEST(TestMeasuredStep)
#include "test_measured_step.moc"
