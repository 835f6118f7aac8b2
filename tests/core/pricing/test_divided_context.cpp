// SPDX-License-Identifier: GPL-3.0-or-later
// Layers that are divided in space and time beside context parallelism: what ranks exchange follows from what their
// attention holds.
#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/narration/problems.h"
#include "core/partition/usual_ways.h"
#include "core/pricing/divided_layers.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>
#include <string>

using namespace stratoplan;
using namespace stratoplan::pricing;
using fixtures::near;

namespace {

constexpr double kTokens = 4096, kHeadWidth = 128;

/// TP 4 on nodes of 8.
plan::Plan contextPlan(int cp, parallel::ContextMethod method, int kvHeads = 4)
{
    plan::Plan plan;
    plan.model = fixtures::gpt(4, 16 * int(kHeadWidth), 16, 51200, 8192);
    plan.model.kvHeads = kvHeads;
    plan.training.attention = plan::AttentionKernel::Flash;
    plan.training.sequenceLength = int(kTokens);
    plan.training.globalBatch = 32;
    plan.strategy.tensorPartition = parallel::TensorPartition::SpatialTemporal;
    plan.strategy.tp = 4;
    plan.strategy.cp = cp;
    plan.strategy.contextMethod = method;
    plan.strategy.microBatch = 4;
    plan.strategy.dp = 8 / cp;
    plan.cluster = fixtures::cluster(4, 8);
    return plan;
}

/// The attention of a layer in this way; its neighbours take and give what it has, so that nothing is handed over.
partition::PricedOperator attention(const plan::Plan& plan, const std::string& way, const std::string& projection)
{
    const cost::Machine machine = cost::machine(plan, catalog::shippedCatalog());
    const LayerDivision division(plan, machine);
    std::vector<parallel::OperatorPartition> ways = partition::sequenceWays(division.block(), 2);
    for (parallel::OperatorPartition& op : ways)
        if (op.op == "attention")
            op.sequence = way;
        else if (op.op == "attention output")
            op.sequence = projection;
    const auto layer = pricedLayer(division.block(), ways, division.pricing());
    if (!layer)
        qFatal("%s cannot be divided by %s", layer.error().op.c_str(), layer.error().way.c_str());
    for (const partition::PricedOperator& op : layer->operators)
        if (op.chosen.op == "attention")
            return op;
    qFatal("no attention");
}

/// Keys and values of a micro-batch that a rank of context parallelism has, in BF16.
double blockBytes(const plan::Plan& plan)
{
    return plan.strategy.microBatch * kTokens / plan.strategy.cp * plan.model.kvHeads * kHeadWidth * 2 * 2;
}

} // namespace

class TestDividedContext : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// With the core of attention its exchange is repeated, as with all of the layer, however it is divided.
    void recomputedCoresExchangeAgain()
    {
        using enum parallel::TensorPartition;
        for (const parallel::TensorPartition partition : {Megatron, SpatialTemporal}) {
            plan::Plan plan = contextPlan(2, parallel::ContextMethod::AllGather, 4);
            plan.strategy.tensorPartition = partition;
            plan.training.software.selectiveRecompute = plan::SelectiveRecompute::AttentionCore;
            const auto exposed = [&](parallel::Recompute recompute) {
                plan.strategy.recompute = recompute;
                return estimate::estimate(plan, {.remedies = false, .range = false})->breakdown.exposed.cp.value();
            };
            const double none = exposed(parallel::Recompute::None), full = exposed(parallel::Recompute::Full);
            QVERIFY(none > 0 && full > 1.2 * none);
            QVERIFY(near(exposed(parallel::Recompute::Selective), full));
            plan.training.software.selectiveRecompute = plan::SelectiveRecompute::EveryOtherProduct;
            if (partition == Megatron) // whose attention is kept
                QVERIFY(near(exposed(parallel::Recompute::Selective), none));
        }
    }

    void ranksExchangeWhatTheirAttentionHolds_data()
    {
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<QString>("way");
        QTest::addColumn<QString>("projection");
        QTest::addColumn<double>("share");
        QTest::newRow("heads") << 4 << "H,H"
                               << "N,N" << 1.0 / 4;
        QTest::newRow("more ranks than KV heads") << 2 << "H,H"
                                                  << "N,N" << 1.0 / 2;
        QTest::newRow("sequences") << 4 << "B,B"
                                   << "B,B" << 1.0 / 4;
        QTest::newRow("queries") << 4 << "M,M"
                                 << "M,M" << 1.0;
        QTest::newRow("sequences and queries") << 4 << "B,M"
                                               << "B,M" << 1.0 / 2;
    }
    void ranksExchangeWhatTheirAttentionHolds()
    {
        QFETCH(int, kvHeads);
        QFETCH(QString, way);
        QFETCH(QString, projection);
        QFETCH(double, share);
        using enum parallel::ContextMethod;
        for (const int cp : {2, 8}) {
            const auto passes = [&](parallel::ContextMethod method) {
                return attention(contextPlan(cp, method, kvHeads), way.toStdString(), projection.toStdString()).passes;
            };
            const double held = blockBytes(contextPlan(cp, Ring, kvHeads)) * share;
            const partition::PassPrices ring = passes(Ring), gathered = passes(AllGather);
            QVERIFY(near(ring.forward.ring.value(), held * (cp - 1)));
            QVERIFY(near(ring.backward.ring.value(), 2 * held * (cp - 1)));
            QCOMPARE(ring.forward.collective, Bytes{});
            QVERIFY(near(gathered.forward.collective.value(), held * (cp - 1)));
            QVERIFY(near(gathered.backward.collective.value(), 2 * held * (cp - 1)));
            QCOMPARE(gathered.forward.hidden, Seconds{});
            const Seconds alone = gathered.forward.exposed;
            QVERIFY(near((ring.forward.exposed + ring.forward.hidden).value(), alone.value()));
            const Seconds room = ring.forward.compute * ((cp - 1.0) / cp);
            QVERIFY(ring.forward.hidden > Seconds{} && ring.forward.hidden <= std::min(alone, room));
            QCOMPARE(ring.forward.context.exposed, ring.forward.exposed);
        }
    }

    void ringsAddUpWhatTheirAttentionHolds_data() { ranksExchangeWhatTheirAttentionHolds_data(); }

    /// Bytes through memory, by how much longer half of the bandwidth takes, beyond those of all-gather: of the keys
    /// and values that a rank has, and of its share of queries and outputs.
    void ringsAddUpWhatTheirAttentionHolds()
    {
        QFETCH(int, kvHeads);
        QFETCH(QString, way);
        QFETCH(QString, projection);
        QFETCH(double, share);
        using enum parallel::ContextMethod;
        const int cp = 4;
        const auto moved = [&](parallel::ContextMethod method) {
            plan::Plan plan = contextPlan(cp, method, kvHeads);
            plan.training.software.memoryFactor = 1;
            const BytesPerSecond rate = cost::machine(plan, catalog::shippedCatalog()).memory;
            const auto compute = [&](double factor) {
                plan.training.software.memoryFactor = factor;
                const partition::PassPrices passes =
                    attention(plan, way.toStdString(), projection.toStdString()).passes;
                return std::pair(passes.forward.compute, passes.backward.compute);
            };
            const auto [forward, backward] = compute(1);
            const auto [slowForward, slowBackward] = compute(0.5);
            return std::pair((slowForward - forward) * rate, (slowBackward - backward) * rate);
        };
        const auto [ringForward, ringBackward] = moved(Ring);
        const auto [forward, backward] = moved(AllGather);
        const double keys = blockBytes(contextPlan(cp, Ring, kvHeads)) * share;
        const double queries =
            blockBytes(contextPlan(cp, Ring, kvHeads)) / (2.0 * kvHeads) * contextPlan(cp, Ring).model.heads / 4;
        QVERIFY(near((ringForward - forward).value(), 2 * keys + (2 + 3 * (cp - 1)) * queries));
        QVERIFY(near((ringBackward - backward).value(), (4.5 + 1.5 * (cp - 1)) * keys + (2 + 3 * (cp - 1)) * queries));
    }

    /// Ulysses: a rank's queries and output, and its keys and values, once more for each rank beyond its KV heads.
    void tokensAreExchangedForHeads()
    {
        const plan::Plan plan = contextPlan(2, parallel::ContextMethod::Ulysses);
        const double keys = blockBytes(plan), queries = keys * plan.model.heads / plan.model.kvHeads;
        const auto bytes = [&](const char* way, const char* projection) {
            return attention(plan, way, projection).passes.forward.collective.value();
        };
        QVERIFY(near(bytes("M,M", "M,M"), (queries / 4 + keys) / 2));
        QVERIFY(near(bytes("B,B", "B,B"), (queries + keys) / 4 / 2));
        QVERIFY(near(bytes("H,H", "N,N"), (queries / 4 + keys / 4 * 2) / 2)); // one KV head for two ranks
    }

    /// The last queries of a causal sequence see the most keys; with context parallelism a rank has an early piece,
    /// too.
    void slicesOfQueriesAreOfBothPieces()
    {
        const auto beyondEven = [](int cp) {
            const plan::Plan plan = contextPlan(cp, parallel::ContextMethod::AllGather);
            return (attention(plan, "M,M", "M,M").passes.forward.compute
                - attention(plan, "B,B", "B,B").passes.forward.compute)
                .value();
        };
        // Of a quarter of the queries, 3/4 of its work more; of one in 2 cp pieces 3/4 of a 2 cp-th.
        for (const int cp : {2, 4})
            QVERIFY2(near(beyondEven(1), beyondEven(cp) * cp * 2 * cp), qPrintable(QString::number(beyondEven(cp))));
    }

    void headsAreSharedWithTheRanksThatGetThem()
    {
        plan::Plan plan = contextPlan(8, parallel::ContextMethod::Ulysses, 16);
        plan.strategy.microBatch = 1;
        const auto e = estimate::estimate(plan, {.remedies = false, .range = false});
        QVERIFY(e.has_value());
        QVERIFY(e->breakdown.exposed.cp > Seconds{});
        plan.strategy = e->settled;
        for (parallel::OperatorPartition& op : plan.strategy.operatorPartitions)
            if (op.op == "attention")
                op.sequence = "H,H";
        const auto refused = estimate::estimate(plan, {.remedies = false, .range = false});
        QVERIFY(!refused);
        QCOMPARE(refused.error().front().cause, plan::ProblemCause::PartitionUneven);
        QCOMPARE(refused.error().front().found, 16.0);
        QCOMPARE(refused.error().front().limit, 32.0);
        plan.strategy = asMegatron(std::move(plan.strategy)); // its columns leave four heads to eight ranks
        const std::vector<plan::Problem> problems = check(plan, {.remedies = false});
        QVERIFY(hasErrors(problems));
        QCOMPARE(problems.front().code, plan::ProblemCode::HeadsNotDivisible);
        QCOMPARE(problems.front().limit, 32.0);
    }

    void bothPiecesAreCutEvenly()
    {
        plan::Plan plan = contextPlan(2, parallel::ContextMethod::Ring);
        plan.training.sequenceLength = 4096 + 8;
        const auto refused = estimate::estimate(plan, {.remedies = false, .range = false});
        QVERIFY(!refused);
        QCOMPARE(refused.error().front().cause, plan::ProblemCause::PartitionNone);
        QCOMPARE(refused.error().front().found, 4104.0);
        QCOMPARE(refused.error().front().limit, 16.0);
        QVERIFY(narration::describe(refused.error().front()).find("use 4,096 or 4,112 tokens") != std::string::npos);
        plan.training.sequenceLength = 4096 + 16;
        QVERIFY(estimate::estimate(plan, {.remedies = false, .range = false}).has_value());
    }
};

STRATOPLAN_TEST(TestDividedContext)
#include "test_divided_context.moc"
