// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of a layer against the lowering of the whole layer to one rank.
#include "core/partition/block.h"
#include "core/workload/layer.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::partition;

namespace {

plan::Plan planOf(bool gated, bool unfused, int keyValueHeads)
{
    plan::Plan plan;
    plan.model = fixtures::gpt(4, 2048, 16);
    plan.model.gatedMlp = gated;
    plan.model.kvHeads = keyValueHeads;
    plan.training.sequenceLength = 1024;
    plan.training.globalBatch = 8;
    plan.training.attention = unfused ? plan::AttentionKernel::Unfused : plan::AttentionKernel::Flash;
    plan.strategy.microBatch = 2;
    plan.strategy.tp = 8;
    plan.strategy.sequenceParallel = true;
    return plan;
}

workload::LayerWork wholeLayer(plan::Plan plan)
{
    plan.strategy.tp = 1;
    plan.strategy.sequenceParallel = false;
    return workload::lowerLayer(workload::layerShape(plan), false);
}

struct Sum {
    double flops = 0, traffic = 0;
};
Sum sumOf(const std::vector<workload::Operator>& operators)
{
    Sum sum;
    for (const workload::Operator& op : operators) {
        sum.flops += op.flops.value();
        sum.traffic += op.traffic.value();
    }
    return sum;
}

} // namespace

class TestBlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itsOperatorsAreThoseOfTheLayer_data()
    {
        QTest::addColumn<bool>("gated");
        QTest::addColumn<bool>("unfused");
        QTest::addColumn<int>("keyValueHeads");
        QTest::newRow("plain") << false << false << 16;
        QTest::newRow("grouped queries, gated") << true << false << 4;
        QTest::newRow("scores in memory") << false << true << 16;
    }
    /// FLOPs, traffic, parameters and what is kept: nothing is lost, nothing is there twice.
    void itsOperatorsAreThoseOfTheLayer()
    {
        QFETCH(const bool, gated);
        QFETCH(const bool, unfused);
        QFETCH(const int, keyValueHeads);
        const plan::Plan plan = planOf(gated, unfused, keyValueHeads);
        const workload::LayerWork whole = wholeLayer(plan);
        const Block layer = block(plan, false, parallel::Recompute::None);
        QCOMPARE(layer.size(), unfused ? 12 : 10);
        Sum forward, backward;
        double parameters = 0, kept = 0;
        for (const BlockOperator& op : layer.operators) {
            const double products =
                op.kind == partition::OperatorKind::Linear ? 2 * op.size.b * op.size.m * op.size.n * op.size.k : 0;
            forward.flops += products + sumOf(op.forward).flops;
            forward.traffic += sumOf(op.forward).traffic;
            backward.flops += 2 * products + sumOf(op.backward).flops;
            backward.traffic += sumOf(op.backward).traffic;
            parameters += op.parameters;
            kept += op.kept.value();
        }
        for (const BlockEdge& edge : layer.edges)
            kept += edge.kept.value();
        QVERIFY(fixtures::near(forward.flops, sumOf(whole.forward.operators).flops));
        QVERIFY(fixtures::near(forward.traffic, sumOf(whole.forward.operators).traffic));
        QVERIFY(fixtures::near(backward.flops, sumOf(whole.backward.operators).flops));
        QVERIFY(fixtures::near(backward.traffic, sumOf(whole.backward.operators).traffic));
        QVERIFY(fixtures::near(kept, whole.activations.all().value()));
        // Biases are not counted with the operators that they belong to.
        QVERIFY(parameters <= whole.parameters && parameters > 0.999 * whole.parameters);
    }

    /// Full recomputation keeps the input alone and repeats every operator; selective repeats what its stack does.
    void itKeepsWhatRecomputationKeeps()
    {
        const plan::Plan plan = planOf(false, true, 16);
        const workload::LayerWork whole = wholeLayer(plan);
        for (const parallel::Recompute recompute : parallel::kAllRecompute) {
            const Block layer = block(plan, false, recompute);
            double kept = 0, repeated = 0;
            for (const BlockOperator& op : layer.operators) {
                kept += op.kept.value();
                repeated += op.repeated;
            }
            for (const BlockEdge& edge : layer.edges)
                kept += edge.kept.value();
            QVERIFY(fixtures::near(kept, keptActivations(whole.activations, recompute).value()));
            QCOMPARE(repeated == layer.size(), recompute == parallel::Recompute::Full);
            QCOMPARE(repeated == 0, recompute == parallel::Recompute::None);
        }
    }

    /// Every operator but the first is reached, and every stream is of the hidden dimension.
    void itsEdgesLeadForwards()
    {
        const Block layer = block(planOf(true, true, 4), false, parallel::Recompute::None);
        std::vector<int> reached(std::size_t(layer.size()) + 1);
        for (const BlockEdge& edge : layer.edges) {
            QVERIFY(edge.from < edge.to && edge.to <= layer.size());
            QVERIFY(edge.bytes > Bytes{});
            ++reached[std::size_t(edge.to)];
        }
        QCOMPARE(std::count(reached.begin(), reached.end(), 0), 1);
        QCOMPARE(reached[std::size_t(layer.size())], 2); // the FFN and the stream beside it
    }

    /// Keys and values have as many bytes as their heads.
    void keysAndValuesHaveTheirOwnHeads()
    {
        const Block grouped = block(planOf(false, false, 4), false, parallel::Recompute::None);
        std::vector<double> bytes;
        for (const BlockEdge& edge : grouped.edges)
            if (grouped.operators[std::size_t(edge.from)].name == workload::names::kQkv)
                bytes.push_back(edge.bytes.value());
        QCOMPARE(bytes.size(), std::size_t(2));
        QCOMPARE(bytes[0], 2.0 * 1024 * 2048 * 2);
        QCOMPARE(bytes[1], 2 * bytes[0] / 4);
    }

    /// Experts are one operator, which nothing but the stream goes through.
    void expertsAreOneOperator()
    {
        plan::Plan plan = planOf(true, false, 16);
        plan.model.moe = model::MixtureOfExperts{};
        plan.model.moe->experts = 8;
        plan.model.moe->topK = 2;
        plan.model.moe->expertFfn = 2048;
        const Block layer = block(plan, true, parallel::Recompute::None);
        QCOMPARE(layer.operators.back().kind, partition::OperatorKind::Experts);
        QCOMPARE(layer.size(), 8);
    }

    void sharedExpertsAreProductsOfTheirOwn_data()
    {
        QTest::addColumn<bool>("gated");
        QTest::addColumn<parallel::Recompute>("recompute");
        QTest::newRow("gated") << true << parallel::Recompute::None;
        QTest::newRow("plain") << false << parallel::Recompute::None;
        QTest::newRow("recomputed") << true << parallel::Recompute::Selective;
        QTest::newRow("recomputed in full") << true << parallel::Recompute::Full;
    }
    /// Beside routed ones, with the norm's output once more, as each divides it in its way.
    void sharedExpertsAreProductsOfTheirOwn()
    {
        QFETCH(const bool, gated);
        QFETCH(const parallel::Recompute, recompute);
        plan::Plan plan = planOf(gated, true, 16);
        plan.model.moe = model::MixtureOfExperts{
            .experts = 8, .topK = 2, .expertFfn = 2048, .sharedExperts = 2, .sharedExpertFfn = 1536};
        plan.training.software.selectiveRecompute = plan::SelectiveRecompute::Modules;
        const Block layer = block(plan, true, recompute);
        QCOMPARE(layer.size(), 13);
        QCOMPARE(layer.operators.back().kind, partition::OperatorKind::Experts);
        plan.strategy.tp = 1;
        plan.strategy.sequenceParallel = false;
        const workload::LayerWork whole = workload::lowerLayer(workload::layerShape(plan), true);
        double shared = 0, parameters = 0, kept = 0;
        for (const workload::Operator& op : whole.forward.operators)
            shared += op.sharedExpert ? op.flops.value() : 0;
        for (const BlockOperator& op : layer.operators) {
            kept += op.kept.value();
            if (op.name.starts_with("shared") && op.kind == partition::OperatorKind::Linear) {
                shared -= 2 * op.size.b * op.size.m * op.size.n * op.size.k;
                parameters += op.parameters;
            }
        }
        for (const BlockEdge& edge : layer.edges)
            kept += edge.kept.value();
        QCOMPARE(shared, 0.0);
        QCOMPARE(parameters, 2048.0 * 3072 * (gated ? 3 : 2));
        const workload::TensorBytes tensors = keptTensors(whole.activations, recompute);
        const Bytes twice = 0.5 * tensors[std::size_t(workload::KeptTensor::ColumnInputs)];
        QVERIFY(fixtures::near(kept, (workload::sum(tensors) + twice).value()));
        const auto reaches = [&](std::string_view from, std::string_view to) {
            return std::ranges::any_of(layer.edges, [&](const BlockEdge& edge) {
                return layer.operators[std::size_t(edge.from)].name == from && edge.to < layer.size()
                    && layer.operators[std::size_t(edge.to)].name == to;
            });
        };
        QVERIFY(reaches("FFN norm", "experts") && reaches("shared expert down", "experts"));
        QVERIFY(reaches("FFN norm", gated ? "shared expert gate and up" : "shared expert up"));
    }
};

STRATOPLAN_TEST(TestBlock)
#include "test_block.moc"
