// SPDX-License-Identifier: GPL-3.0-or-later
// Programmes over partitions that are asked to stop: nothing comes of them, and nothing stays behind.
#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/estimate/partitions.h"
#include "core/pricing/best_partition.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>
#include <chrono>
#include <thread>

using namespace stratoplan;
using namespace stratoplan::pricing;
using estimate::PartitionAnswer;
using estimate::PartitionEstimate;
using estimate::PartitionPhase;
using estimate::PartitionProgress;

namespace {

/// OPT-175B on one group, of which no division fits.
plan::Plan planOver(int ranks)
{
    plan::Plan plan;
    plan.model = catalog::shippedCatalog().model("opt-175b")->model;
    plan.training.attention = plan::AttentionKernel::Unfused;
    plan.training.globalBatch = 8;
    plan.cluster = fixtures::cluster(ranks / 4, 4);
    parallel::Strategy& s = plan.strategy;
    s.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    s.tp = ranks;
    s.pp = s.dp = s.microBatch = 1;
    return plan;
}

partition::ProgrammeGoal front(const plan::Plan& plan)
{
    partition::ProgrammeGoal goal{memoryForms(plan).front()};
    goal.front = true;
    return goal;
}

bool areSame(const std::vector<partition::Division>& a, const std::vector<partition::Division>& b)
{
    return std::ranges::equal(a, b, [](const partition::Division& x, const partition::Division& y) {
        return isSame(x, y) && x.seconds == y.seconds;
    });
}

bool areSame(const PartitionEstimate& a, const PartitionEstimate& b)
{
    return a.step == b.step && a.peak == b.peak && a.fits == b.fits && a.strategy == b.strategy;
}

std::stop_token stopped()
{
    std::stop_source source;
    source.request_stop();
    return source.get_token();
}

} // namespace

class TestStoppedProgramme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aProgrammeThatWasStoppedSolvesAsANewOne()
    {
        const plan::Plan plan = planOver(64);
        const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
        PlanProgramme layer(plan, machine), fresh(plan, machine);
        partition::Programme& programme = layer.programme();
        programme.watch(stopped());
        QVERIFY(programme.solve({}).isStopped && programme.solve({}).best.empty());
        std::stop_source source;
        int rows = 0;
        programme.watch(source.get_token(), [&](double) {
            ++rows;
            source.request_stop();
        });
        const partition::ProgrammeAnswer during = programme.solve(front(plan));
        QVERIFY(during.isStopped && during.best.empty());
        QCOMPARE(rows, 1);
        programme.watch({});
        const partition::ProgrammeAnswer again = programme.solve({});
        QVERIFY(!again.isStopped && again.best.size() == 1);
        QVERIFY(areSame(again.best, fresh.programme().solve({}).best));
    }

    /// Wherever it is by then: at times spread over a whole solve, however long it takes here.
    void itMayBeStoppedAnywhere()
    {
        const plan::Plan plan = planOver(16);
        const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
        PlanProgramme layer(plan, machine), fresh(plan, machine);
        const auto begin = std::chrono::steady_clock::now();
        const auto all = fresh.programme().solve(front(plan)).best;
        const auto whole = std::chrono::steady_clock::now() - begin;
        QVERIFY(all.size() > 1);
        constexpr int kStops = 32;
        int stopped = 0;
        for (int i = 0; i < kStops; ++i) {
            std::stop_source source;
            layer.programme().watch(source.get_token());
            const std::jthread later([&source, wait = whole * i / kStops] {
                std::this_thread::sleep_for(wait);
                source.request_stop();
            });
            const partition::ProgrammeAnswer answer = layer.programme().solve(front(plan));
            QVERIFY(answer.isStopped == answer.best.empty());
            stopped += int(answer.isStopped);
        }
        QVERIFY(stopped > 0);
        layer.programme().watch({});
        QVERIFY(areSame(layer.programme().solve(front(plan)).best, all));
    }

    /// Of each row of labels, which come last: these are the same places at any speed.
    void itMayBeStoppedAtAnyRow()
    {
        const plan::Plan plan = planOver(8);
        const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
        PlanProgramme layer(plan, machine), fresh(plan, machine);
        int rows = 0;
        fresh.programme().watch({}, [&](double) { ++rows; });
        const auto all = fresh.programme().solve(front(plan)).best;
        QVERIFY(rows > 1 && all.size() > 1);
        const int apart = std::max(1, rows / 16);
        for (int last = 1; last < rows; last += apart) {
            std::stop_source source;
            int row = 0;
            layer.programme().watch(source.get_token(), [&](double) {
                if (++row == last)
                    source.request_stop();
            });
            const partition::ProgrammeAnswer answer = layer.programme().solve(front(plan));
            QVERIFY(answer.isStopped && answer.best.empty());
            QCOMPARE(row, last);
        }
        layer.programme().watch({});
        QVERIFY(areSame(layer.programme().solve(front(plan)).best, all));
    }

    /// Of the best for some memory, and of what is kept of it.
    void nothingIsKeptOfWhatWasStopped()
    {
        const plan::Plan plan = planOver(8);
        const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
        PlanProgramme layer(plan, machine), fresh(plan, machine);
        Terms asked = terms(plan, machine, fresh.fastest().seconds);
        const auto points = fresh.programme().solve(front(plan)).best;
        for (const double capacity : {asked.capacity, partition::peak(asked.memory, points[points.size() / 2])}) {
            asked.capacity = capacity;
            layer.programme().watch(stopped());
            (void)layer.fastest();
            (void)layer.best(asked);
            QVERIFY(layer.fitting(asked) == nullptr);
            QVERIFY(layer.fitting(asked, {{1e9, 1e300}}) == nullptr);
            layer.programme().watch({});
            QVERIFY(isSame(layer.fastest(), fresh.fastest()));
            QVERIFY(isSame(layer.best(asked), fresh.best(asked)));
            QCOMPARE(layer.fitting(asked) != nullptr, fresh.fitting(asked) != nullptr);
        }
    }

    void estimatesThatAreStoppedHaveNoAnswer()
    {
        const plan::Plan plan = planOver(64);
        const auto priced = estimate::estimate(plan, {.stop = stopped()});
        QVERIFY(!priced && priced.error().empty());
        const auto planned = estimate::plannedPartition(plan, catalog::shippedCatalog(), stopped());
        QVERIFY(!planned && planned.error().empty());
        const auto found = estimate::partitions(plan, {.stop = stopped()});
        QVERIFY(!found && found.error().empty());
        plan::Plan wrong = plan;
        wrong.strategy.tp = 1;
        QVERIFY(!estimate::partitions(wrong, {.stop = stopped()}).error().empty());
    }

    void theAnswerIsStoppedInAnyPhase()
    {
        const plan::Plan plan = planOver(8);
        for (const PartitionPhase phase : {PartitionPhase::States, PartitionPhase::Best, PartitionPhase::Comparison,
                 PartitionPhase::Front, PartitionPhase::UnlikeLayers}) {
            std::stop_source source;
            PartitionProgress last;
            const auto stopAtPhase = [&](const PartitionProgress& progress) {
                last = progress;
                if (progress.phase == phase)
                    source.request_stop();
            };
            const auto answer = estimate::partitions(
                plan, {.compareUnlikeLayers = true, .stop = source.get_token(), .progress = stopAtPhase});
            QVERIFY(!answer && answer.error().empty());
            QVERIFY(last.share < 1);
        }
    }

    /// Of some of a front, and of a whole one: what is stopped then goes on from what was told.
    void theBestIsKnownBeforeItsFront_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("whole") << 8;
        QTest::newRow("some") << 32;
    }
    void theBestIsKnownBeforeItsFront()
    {
        QFETCH(const int, ranks);
        const plan::Plan plan = planOver(ranks);
        std::vector<PartitionAnswer> told;
        PartitionPhase last = PartitionPhase::States;
        std::stop_source source;
        estimate::PartitionOptions options;
        options.bestKnown = [&](const PartitionAnswer& best) { told.push_back(best); };
        options.progress = [&](const PartitionProgress& progress) {
            last = progress.phase;
            if (last == PartitionPhase::Front)
                source.request_stop();
        };
        options.stop = source.get_token();
        QVERIFY(!estimate::partitions(plan, options));
        QCOMPARE(last, PartitionPhase::Front);
        QVERIFY(told.size() == 1 && told.front().front.empty());
        const auto whole = estimate::partitions(plan);
        options.stop = {};
        options.known = &told.front();
        const auto gone = estimate::partitions(plan, options);
        QCOMPARE(told.size(), std::size_t(1)); // it is known
        QVERIFY(whole && gone);
        for (const PartitionAnswer& answer : {told.front(), *gone}) {
            QVERIFY(areSame(answer.best, whole->best) && areSame(*answer.megatron, *whole->megatron));
            QVERIFY(answer.states == whole->states && answer.sequenceParallel == whole->sequenceParallel);
            QCOMPARE(answer.spent, told.front().spent);
        }
        QCOMPARE(gone->isWholeFront, ranks <= 16);
        QVERIFY(whole->front.size() > 1);
        QVERIFY(std::ranges::equal(gone->front, whole->front,
            [](const PartitionEstimate& a, const PartitionEstimate& b) { return areSame(a, b); }));
    }

    /// A front is found in rows: for the best where nothing fits, and after it where something does.
    void progressRisesToOne_data()
    {
        QTest::addColumn<bool>("fits");
        QTest::newRow("nothing fits") << false;
        QTest::newRow("something fits") << true;
    }
    void progressRisesToOne()
    {
        QFETCH(const bool, fits);
        plan::Plan plan = planOver(8);
        if (fits)
            plan.cluster.nodes.front().accelerator.memory = Bytes(1e15);
        std::vector<PartitionProgress> all;
        const auto keep = [&](const PartitionProgress& progress) { all.push_back(progress); };
        const auto answer = estimate::partitions(plan, {.compareUnlikeLayers = true, .progress = keep});
        QVERIFY(answer && !all.empty());
        QVERIFY(std::ranges::is_sorted(all, {}, &PartitionProgress::share));
        QVERIFY(std::ranges::is_sorted(all, {}, &PartitionProgress::phase));
        QCOMPARE(all.front().share, 0.0);
        QCOMPARE(all.back().share, 1.0);
        const auto count = [&](PartitionPhase phase) {
            return std::ranges::count(all, phase, &PartitionProgress::phase);
        };
        for (const PartitionPhase phase : {PartitionPhase::States, PartitionPhase::Best, PartitionPhase::Comparison,
                 PartitionPhase::Front, PartitionPhase::UnlikeLayers})
            QVERIFY(count(phase) >= 1);
        QVERIFY(fits || count(PartitionPhase::Best) > 2); // less and less room
        QVERIFY(count(PartitionPhase::Front) > 2);
        QVERIFY(count(PartitionPhase::UnlikeLayers) > 2);
    }
};

STRATOPLAN_TEST(TestStoppedProgramme)
#include "test_stopped_programme.moc"
