// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas on unlike nodes: each kind goes at a pace of its own, and the batch is divided by their speed.
#include "core/estimate/estimate.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/parallel/placement.h"
#include "core/parallel/replica_kinds.h"
#include "core/plan/dimensions.h"
#include "core/pricing/divided_batch.h"
#include "core/pricing/pricing_context.h"
#include "core/pricing/strategy_price.h"
#include "core/split/stage_split.h"
#include "tests/core/fixtures.h"
#include "tests/core/random_count.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::narration;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::test;
using namespace stratoplan::units;

namespace {

/// `rate` times as fast as those of the fixtures, with so many times their memory.
NodeGroup nodes(const char* id, int count, double rate, double memory = 1)
{
    NodeGroup group = fixtures::cluster(count, 4).nodes.front();
    group.id = group.name = id;
    for (const auto precision : stratoplan::model::kPrecisions)
        group.accelerator.peak[precision] *= rate;
    group.accelerator.memoryBandwidth *= rate;
    group.accelerator.memory *= memory;
    return group;
}

/// Replicas of TP 2 and PP 2, each on a node of four: PP inside DP.
Plan replicated(const std::vector<NodeGroup>& groups, int dp, int globalBatch)
{
    Plan plan = fixtures::small();
    plan.model = fixtures::gpt(16, 2048, 16, 51200, 1024);
    plan.model.tiedEmbeddings = false;
    plan.cluster.nodes = groups;
    plan.cluster.switches.clear();
    plan.cluster.connections.clear();
    plan.training.globalBatch = globalBatch;
    plan.strategy = {};
    plan.strategy.tp = plan.strategy.pp = 2;
    plan.strategy.dp = dp;
    plan.strategy.rankOrder = {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Pp, Axis::Dp};
    return plan;
}

Estimate estimated(const Plan& plan)
{
    const auto answer = stratoplan::estimate::estimate(plan);
    return answer ? *answer : Estimate{};
}

int drawn(std::mt19937& random, int least, int most)
{
    return std::uniform_int_distribution(least, most)(random);
}

double timeOf(const std::vector<ReplicaPace>& kinds, const std::vector<ReplicaShare>& shares, int multiple)
{
    double longest = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const int most = shares[k].microBatches + (shares[k].withMore > 0 ? multiple : 0);
        longest = std::max(longest, kinds[k].fill + kinds[k].pace * most);
    }
    return longest;
}

/// The least longest time of all ways to give each replica a number; infinite where there is none.
double leastOf(const std::vector<ReplicaPace>& kinds, std::size_t kind, int replica, int left, BatchStep step)
{
    if (kind == kinds.size())
        return left == 0 ? 0 : std::numeric_limits<double>::infinity();
    if (replica == kinds[kind].replicas)
        return leastOf(kinds, kind + 1, 0, left, step);
    double least = std::numeric_limits<double>::infinity();
    const int first = (step.least + step.multiple - 1) / step.multiple * step.multiple;
    for (int count = first; count <= left; count += step.multiple)
        least = std::min(least,
            std::max(
                kinds[kind].fill + kinds[kind].pace * count, leastOf(kinds, kind, replica + 1, left - count, step)));
    return least;
}

int kindAt(const NodeKinds& kinds, int rank)
{
    for (const KindRun& run : kinds.runs())
        if (rank >= run.first && rank < run.first + run.count)
            return run.kind;
    return -1;
}

/// Its stage and its replica.
std::pair<int, int> placeOf(const Strategy& s, int rank)
{
    std::pair<int, int> place;
    for (const Axis axis : s.rankOrder) {
        const int size = axis == Axis::Tp ? s.tp
            : axis == Axis::Cp            ? s.cp
            : axis == Axis::Pp            ? s.pp
            : axis == Axis::Dp            ? s.dp
                                          : 1;
        if (axis == Axis::Pp)
            place.first = rank % size;
        if (axis == Axis::Dp)
            place.second = rank % size;
        rank /= size;
    }
    return place;
}

std::vector<std::string> codesOf(const std::vector<Problem>& problems)
{
    std::vector<std::string> codes;
    for (const Problem& problem : problems)
        codes.emplace_back(key(problem.code));
    return codes;
}

} // namespace

class TestUnevenReplicas : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Against every rank's coordinates, in any order of axes.
    void kindsOfAReplicaAreThoseOfItsRanks()
    {
        std::mt19937 random(5);
        for (int round = 0; round < fewerSanitized(300); ++round) {
            Strategy s;
            s.tp = 1 << drawn(random, 0, 2);
            s.cp = 1 << drawn(random, 0, 1);
            s.pp = drawn(random, 1, 3);
            s.dp = drawn(random, 1, 4);
            std::ranges::shuffle(s.rankOrder, random);
            Cluster cluster;
            for (int left = rankCount(s), kind = 0; left > 0; ++kind) {
                const int count = drawn(random, 1, left);
                NodeGroup group = nodes("n", count, 1 + kind % 3);
                group.acceleratorsPerNode = 1;
                cluster.nodes.push_back(group);
                left -= count;
            }
            const NodeKinds kinds(cluster);
            std::map<std::pair<int, int>, std::set<int>> expected;
            for (int rank = 0; rank < rankCount(s); ++rank)
                expected[placeOf(s, rank)].insert(kindAt(kinds, rank));
            for (const auto& [place, found] : expected)
                QCOMPARE(kindsOfStage(s, place.first, place.second, kinds), KindSet(found.begin(), found.end()));
            int replicas = 0;
            for (const ReplicaKind& kind : replicaKinds(s, kinds))
                replicas += int(kind.replicas.size());
            QCOMPARE(replicas, s.dp);
        }
    }

    void batchesAreDividedAsBruteForceDividesThem()
    {
        std::mt19937 random(11);
        int none = 0, uneven = 0;
        for (int round = 0; round < fewerSanitized(400); ++round) {
            std::vector<ReplicaPace> kinds(std::size_t(drawn(random, 1, 3)));
            for (ReplicaPace& kind : kinds)
                kind = {drawn(random, 1, 2), drawn(random, 0, 30) / 10.0, drawn(random, 1, 40) / 10.0};
            const BatchStep step{drawn(random, 1, 3), drawn(random, 1, 2)};
            const int all = drawn(random, 1, 16);
            const std::vector<ReplicaShare> shares = dividedBatch(kinds, all, step);
            const double least = leastOf(kinds, 0, 0, all, step);
            QCOMPARE(shares.empty(), std::isinf(least));
            if (shares.empty()) {
                ++none;
                continue;
            }
            int sum = 0;
            for (std::size_t k = 0; k < kinds.size(); ++k)
                sum += kinds[k].replicas * shares[k].microBatches + shares[k].withMore * step.multiple;
            QCOMPARE(sum, all);
            QCOMPARE(timeOf(kinds, shares, step.multiple), least);
            uneven += shares.size() > 1 && shares[0].microBatches != shares[1].microBatches;
        }
        QVERIFY2(!drawsRareOnes() || (none > 10 && uneven > 20),
            qPrintable(QStringLiteral("%1 none, %2 uneven").arg(none).arg(uneven)));
    }

    /// Replicas of one kind take what they take where all are of that kind.
    void eachKindTakesWhatItTakesAlone()
    {
        const NodeGroup fast = nodes("fast", 2, 2), slow = nodes("slow", 2, 1);
        Plan plan = replicated({fast, slow}, 4, 48);
        plan.strategy.replicaMicroBatches = {16, 16, 8, 8};
        const auto alone = [&](const NodeGroup& group, int microBatches) {
            NodeGroup all = group;
            all.count = 4;
            return estimated(replicated({all}, 4, 4 * microBatches)).step;
        };
        const Estimate mixed = estimated(plan);
        QCOMPARE(mixed.replicas.size(), std::size_t(2));
        QCOMPARE(mixed.replicas[0].step, alone(fast, 16));
        QCOMPARE(mixed.replicas[1].step, alone(slow, 8));
        QCOMPARE(mixed.step, std::max(alone(fast, 16), alone(slow, 8)));
        QCOMPARE(mixed.replicas[0].nodes, std::vector<std::string>{"fast"});
        QCOMPARE(mixed.replicas[1].microBatches, 8);
        plan.strategy.replicaMicroBatches.clear();
        QCOMPARE(estimated(plan).step, alone(slow, 12));
        QVERIFY(describeReplicas(plan, mixed.replicas).starts_with("2 replicas on fast: 16 micro-batches in "));
    }

    /// The remedy of the warning: twice as fast nodes run about twice as many, and the step is nearly that of a third
    /// less work on the slow ones.
    void theRemedyDividesByTheSpeed()
    {
        Plan plan = replicated({nodes("fast", 1, 2), nodes("slow", 1, 1)}, 2, 96);
        const Estimate even = estimated(plan);
        const auto told = std::ranges::find(even.problems, ProblemCode::UnlikeNodes, &Problem::code);
        QVERIFY(told != even.problems.end() && told->cause == ProblemCause::AsManyMicroBatches);
        QCOMPARE(told->remedies.size(), std::size_t(1));
        const std::vector<int> batch = told->remedies[0].strategy.replicaMicroBatches;
        QCOMPARE(batch.size(), std::size_t(2));
        QCOMPARE(batch[0] + batch[1], 96);
        QVERIFY(batch[0] > 1.5 * batch[1] && batch[0] < 2.1 * batch[1]);
        plan.strategy = told->remedies[0].strategy;
        const Estimate divided = estimated(plan);
        QVERIFY(divided.step < even.step * 0.8);
        QVERIFY(
            std::ranges::find(divided.problems, ProblemCode::UnlikeNodes, &Problem::code) == divided.problems.end());
        // No replica waits for longer than a micro-batch of the other takes.
        const Seconds gap = divided.replicas[0].step > divided.replicas[1].step
            ? divided.replicas[0].step - divided.replicas[1].step
            : divided.replicas[1].step - divided.replicas[0].step;
        QVERIFY(gap < even.step * (1.5 / 48));
        for (int moved : {-2, -1, 1, 2}) {
            plan.strategy.replicaMicroBatches = {batch[0] + moved, batch[1] - moved};
            QVERIFY(estimated(plan).step >= divided.step);
        }
    }

    void eachKindHasItsMemory()
    {
        Plan plan = replicated({nodes("large", 1, 1), nodes("small", 1, 1, 0.5)}, 2, 16);
        const Estimate e = estimated(plan);
        QCOMPARE(e.memory.capacity, plan.cluster.nodes[1].accelerator.memory);
        // Few micro-batches hold less in flight, on the nodes that have less.
        plan.strategy.replicaMicroBatches = {15, 1};
        const Estimate few = estimated(plan);
        const double fill = few.memory.peak / few.memory.capacity;
        QVERIFY(fill < e.memory.peak / e.memory.capacity);
    }

    /// Where a stage's TP is larger, its ranks are those of several replicas, which wait for one another.
    void stagesWithTheirTpAreOfAllReplicas()
    {
        Plan plan = replicated({nodes("fast", 1, 2), nodes("slow", 1, 1)}, 2, 32);
        plan.strategy.rankOrder = Strategy{}.rankOrder;
        plan.cluster.nodes.push_back(plan.cluster.nodes[0]);
        plan.cluster.nodes[2].id = plan.cluster.nodes[2].name = "fast-2";
        plan.cluster.nodes[0].acceleratorsPerNode = plan.cluster.nodes[2].acceleratorsPerNode = 2;
        plan.strategy.stageTp = {4, 4};
        plan.strategy.microBatch = 2;
        const Estimate e = estimated(plan);
        QVERIFY(e.step.value() > 0 && e.replicas.empty());
        const auto told = std::ranges::find(e.problems, ProblemCode::UnlikeNodes, &Problem::code);
        QVERIFY(told != e.problems.end() && told->cause != ProblemCause::AsManyMicroBatches);
    }

    void thePriceIsThatOfTheEstimate()
    {
        Plan plan = replicated({nodes("fast", 2, 2.5), nodes("slow", 2, 1, 0.5)}, 4, 64);
        PricingContext context(plan, shippedCatalog());
        plan.strategy = balanced(context, plan.strategy);
        QVERIFY(!plan.strategy.replicaMicroBatches.empty());
        const auto priced = price(context, plan.strategy, PipelineTime::Simulated);
        const Estimate e = estimated(plan);
        QVERIFY(priced.has_value());
        QCOMPARE(priced->step, e.step);
        QCOMPARE(priced->peak, e.memory.peak);
        QCOMPARE(priced->capacity, e.memory.capacity);
    }

    void whatCannotRunIsRefused()
    {
        Plan plan = replicated({nodes("fast", 1, 2), nodes("slow", 1, 1)}, 2, 32);
        const auto codes = [&] { return codesOf(check(plan)); };
        plan.strategy.replicaMicroBatches = {20, 11};
        QCOMPARE(codes().front(), std::string("replica_batches_mismatch"));
        QVERIFY(describe(check(plan).front()).find("31 sequences, but the global batch has 32") != std::string::npos);
        QCOMPARE(check(plan).front().remedies.size(), std::size_t(1));
        plan.strategy.replicaMicroBatches = {32};
        QVERIFY(describe(check(plan).front()).find("1 replica has") != std::string::npos);
        plan.strategy.replicaMicroBatches = {32, 0};
        QCOMPARE(codes().front(), std::string("not_positive"));
        plan.strategy.replicaMicroBatches = {20, 12};
        QVERIFY(!hasErrors(check(plan)));
        plan.strategy.zeroStage = 3;
        plan.strategy.pp = 1;
        plan.strategy.tp = 4;
        QVERIFY(describe(check(plan).front()).find("use ZeRO-1") != std::string::npos);
        QCOMPARE(check(plan).front().remedies.front().strategy.replicaMicroBatches, std::vector<int>());
        plan.strategy.replicaMicroBatches.clear();
        const std::vector<Problem> waiting = estimated(plan).problems;
        QVERIFY(waiting.front().code == ProblemCode::UnlikeNodes && waiting.front().cause == ProblemCause::OneStage);
        plan.strategy = replicated({}, 2, 32).strategy;
        plan.strategy.vpp = 2;
        plan.strategy.schedule = Schedule::Interleaved;
        plan.strategy.replicaMicroBatches = {21, 11};
        QCOMPARE(codes().front(), std::string("interleaving_needs_multiple"));
        plan.strategy.replicaMicroBatches = {20, 12};
        QVERIFY(!hasErrors(check(plan)));
    }

    /// A degree that is changed by hand takes the micro-batches of the replicas there were with it.
    void otherDegreesForgetIt()
    {
        Plan plan = replicated({nodes("fast", 1, 2), nodes("slow", 1, 1)}, 2, 32);
        plan.strategy.replicaMicroBatches = {20, 12};
        QVERIFY(withValue(plan, Dimension::MicroBatch, 2).replicaMicroBatches.empty());
        QVERIFY(!withValue(plan, Dimension::Recompute, int(Recompute::Full)).replicaMicroBatches.empty());
        plan.strategy.replicaMicroBatches = {16, 16};
        QVERIFY(canonical(plan.strategy, plan.model).replicaMicroBatches.empty());
    }

    /// The bound of a split is that of the replicas which need longest, alone.
    void splitsAreBoundByTheSlowestReplicas()
    {
        Plan plan = replicated({nodes("fast", 1, 2), nodes("slow", 1, 1)}, 2, 24);
        plan.strategy.replicaMicroBatches = {16, 8};
        stratoplan::split::StageSplitOptions options;
        options.recomputation = false;
        const auto answer = stratoplan::split::splitStages(plan, options);
        QVERIFY(answer && answer->strategy && answer->proven);
        QCOMPARE(answer->strategy->replicaMicroBatches, plan.strategy.replicaMicroBatches);
        Seconds least(std::numeric_limits<double>::infinity());
        for (int first = 1; first < 16; ++first) {
            plan.strategy.stageLayers = {first, 16 - first};
            least = std::min(least, estimated(plan).step);
        }
        QVERIFY(answer->bound <= least);
        QCOMPARE(answer->step, least);
        QVERIFY(answer->bound > least * 0.9);
    }
};

STRATOPLAN_TEST(TestUnevenReplicas)
#include "test_uneven_replicas.moc"
