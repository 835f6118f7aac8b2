// SPDX-License-Identifier: GPL-3.0-or-later
// Mamba-2 mixers (arXiv 2405.21060) against closed forms: what they compute, move and keep, and the mean of layers that
// do not all have the same modules.
#include "core/catalog/catalog.h"
#include "core/cost/compute.h"
#include "core/estimate/estimate.h"
#include "core/workload/layer.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <numeric>

using namespace stratoplan::fixtures;
using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::workload;

namespace {

constexpr double kTokens = 1024, kHidden = 1024, kInner = 32 * 64, kState = 128, kGroups = 8, kChunk = 128;
constexpr double kConvolved = kInner + 2 * kGroups * kState, kProjected = kInner + kConvolved + 32;

/// Half of its layers mix by states, an eighth attend; the rest are FFNs.
Plan hybrid()
{
    Plan plan = fixtures::small();
    plan.model.layers = 8;
    plan.model.linearBias = plan.model.dropout = false;
    plan.model.mamba2 = Mamba2{.layers = 4,
        .ffnLayers = 3,
        .heads = 32,
        .headDim = 64,
        .stateDim = int(kState),
        .groups = int(kGroups),
        .chunk = int(kChunk)};
    return plan;
}

const Operator& find(const Pass& pass, std::string_view name)
{
    const auto it = std::ranges::find(pass.operators, name, &Operator::name);
    if (it == pass.operators.end())
        qFatal("no operator of that name");
    return *it;
}

double flops(const Pass& pass)
{
    return std::accumulate(pass.operators.begin(), pass.operators.end(), 0.0,
        [](double sum, const Operator& op) { return sum + op.flops.value() * op.share; });
}

} // namespace

class TestMamba : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mixersComputeWhatTheirFormulasSay()
    {
        const LayerWork layer = lower(hybrid()).dense;
        const auto forward = [&](std::string_view name) -> const Operator& { return find(layer.forward, name); };
        QCOMPARE(forward("Mamba-2 input projection").flops.value(), 2 * kTokens * kHidden * kProjected);
        QCOMPARE(forward("Mamba-2 output projection").flops.value(), 2 * kTokens * kInner * kHidden);
        const double scores = 2 * kGroups * kChunk * kState, states = 2 * kState * kInner;
        const double products = scores + 2 * kChunk * kInner + 2 * states;
        QCOMPARE(forward("Mamba-2 chunk products").flops.value(), kTokens * products);
        QCOMPARE(forward("Mamba-2 convolution").traffic.value(), kTokens * 4 * kConvolved);
        QCOMPARE(forward("Mamba-2 gated norm").traffic.value(), kTokens * 6 * kInner);
        // By kernel (ssd_combined.py): _chunk_state_fwd, _state_passing_fwd, _bmm_chunk_fwd and _chunk_scan_fwd.
        const double atEnds = kInner * kState / kChunk, read = kGroups * kState, blocks = kGroups * kChunk;
        const double chunkState = 2 * (kInner + read) + 4 * atEnds, passing = 4 * atEnds + 2 * atEnds;
        const double bmm = 2 * (read + read) + 4 * blocks;
        const double scan = 2 * (kInner + read + atEnds) + 4 * blocks + 2 * kInner;
        const double traffic = chunkState + passing + bmm + scan;
        QCOMPARE(forward("Mamba-2 chunk traffic").traffic.value(), kTokens * traffic);
        QCOMPARE(find(layer.backward, "Mamba-2 chunk product gradients").flops.value(),
            kTokens * (2 * products + scores + states + 2 * kChunk * kInner));
        QCOMPARE(find(layer.backward, "Mamba-2 chunk gradient traffic").traffic.value(), kTokens * 3 * traffic);
    }

    void layersAreTheMeanOfTheirModules()
    {
        const Plan plan = hybrid();
        const LayerWork layer = lower(plan).dense;
        QCOMPARE(find(layer.forward, "Mamba-2 chunk products").share, 0.5);
        QCOMPARE(find(layer.forward, names::kQkv).share, 0.125);
        QCOMPARE(find(layer.forward, names::kFfnDown).share, 0.375);
        for (const Operator& op : layer.backward.operators) // of what every layer has
            QVERIFY(op.share < 1 || op.name == names::kNormGradients || op.name == names::kRotaryGradients);
        // FLOPs but those of the convolution, which is a kernel of traffic, and of causal attention, which sees half.
        const double core = 2 * kTokens * kTokens * attentionCoreWidth(plan.model) / 8;
        const double counted =
            layerForwardFlops(plan.model, 0, int(kTokens)).value() - core / 2 - 0.5 * kTokens * 2 * 4 * kConvolved;
        QVERIFY(near(flops(layer.forward), counted));
        const ParameterCount count = parameters(plan.model);
        QVERIFY(near(
            8 * layer.parameters, 4.0 * double(count.mamba) + double(count.attention) + 3.0 * double(count.denseFfn)));
    }

    /// Every second one of as many layers of either kind: the mean of two models of one kind each.
    void meansAreLinear()
    {
        Plan both = hybrid(), states = both, attention = both;
        both.model.mamba2->ffnLayers.reset();
        states.model.mamba2->ffnLayers.reset();
        states.model.mamba2->layers = 8;
        attention.model.mamba2.reset();
        const auto of = [](const Plan& plan) { return lower(plan).dense; };
        const LayerWork mean = of(both), one = of(states), other = of(attention);
        QVERIFY(near(2 * flops(mean.forward), flops(one.forward) + flops(other.forward)));
        QVERIFY(near(2 * flops(mean.backward), flops(one.backward) + flops(other.backward)));
        QVERIFY(near(2 * mean.parameters, one.parameters + other.parameters));
        QVERIFY(
            near(2 * mean.activations.all().value(), one.activations.all().value() + other.activations.all().value()));
        QVERIFY(near(2 * modelFlops(both.model, 1024, 1).value(),
            modelFlops(states.model, 1024, 1).value() + modelFlops(attention.model, 1024, 1).value()));
        QVERIFY(near(2.0 * double(parameters(both.model).total),
            double(parameters(states.model).total + parameters(attention.model).total)));
        const stratoplan::cost::Machine machine =
            stratoplan::cost::machine(both, stratoplan::catalog::shippedCatalog());
        const auto seconds = [&](const LayerWork& work) {
            return stratoplan::cost::seconds(work.backward, machine, both.training.software).total.value();
        };
        QVERIFY(near(2 * seconds(mean), seconds(one) + seconds(other)));
        // Modules are what a host launches and what tensor ranks gather for.
        QCOMPARE(moduleShares(both.model).norms(), 2.0);
        QCOMPARE(moduleShares(hybrid().model).norms(), 1.0);
    }

    void whatIsKept()
    {
        const auto kept = [](const Plan& plan, KeptTensor tensor) {
            return lower(plan).dense.activations.tensors[std::size_t(tensor)].value() / kTokens;
        };
        Plan plan = hybrid();
        QCOMPARE(kept(plan, KeptTensor::StateSpace), 0.5 * 2 * (kProjected + 2 * kInner));
        QCOMPARE(kept(plan, KeptTensor::AttentionOutput), 0.125 * 2 * kHidden);
        QCOMPARE(kept(plan, KeptTensor::FfnIntermediates), 0.375 * 2 * 2 * 4 * kHidden);
        QCOMPARE(kept(plan, KeptTensor::ColumnInputs), 2 * kHidden); // one norm a layer
        QCOMPARE(lower(plan).dense.activations.input.value(), kTokens * 2 * kHidden);
        plan.strategy.tp = 2;
        QCOMPARE(kept(plan, KeptTensor::StateSpace), 0.5 * 2 * (kProjected + 2 * kInner) / 2);
    }

    void ranksDivideHeads()
    {
        Plan plan = hybrid();
        plan.strategy.tp = 4;
        const LayerWork layer = lower(plan).dense;
        QCOMPARE(find(layer.forward, "Mamba-2 input projection").n, kProjected / 4);
        double calls = 0;
        for (const Collective& c : layer.forward.collectives)
            calls += c.axis == Axis::Tp ? c.count : 0;
        QCOMPARE(calls, 1.0); // of a mixer or an FFN
        plan.strategy.tp = 1;
        plan.strategy.cp = 2;
        double exchanged = 0;
        for (const Collective& c : lower(plan).dense.forward.collectives)
            if (c.kind == CollectiveKind::AllToAll)
                exchanged += c.bytes.value() * c.count;
        QCOMPARE(exchanged, 0.5 * kTokens / 2 * 2 * (kProjected + kInner));
    }

    /// A layer of its own is larger than the mean, and where experts are, they are.
    void buffersAreThoseOfTheLargestLayer()
    {
        Plan plan = hybrid();
        const LayerWork layer = lower(plan).dense;
        const ParameterCount count = parameters(plan.model);
        QCOMPARE(layer.largestShared, double(std::max({count.mamba, count.attention, count.denseFfn})));
        QVERIFY(layer.largestShared > layer.parameters);
        const double most = 2 * kTokens * (kHidden + kHidden + kProjected + 2 * kInner); // a mixer with its norm
        QCOMPARE(layer.activations.beyondMean.value(), most - layer.activations.all().value());
        plan.model.moe = MixtureOfExperts{.experts = 16, .topK = 2, .expertFfn = 1024};
        const LayerWork experts = lower(plan).moe;
        QCOMPARE(experts.largestExperts, double(parameters(plan.model).moeRouted));
        QCOMPARE(experts.largestShared, double(parameters(plan.model).moeFfn - parameters(plan.model).moeRouted));
        // What early-stopping recomputation leaves out is the last product of every layer, whatever its module.
        double ends = 0;
        for (const Operator& op : layer.forward.operators)
            ends += op.endsLayer ? op.share : 0;
        QCOMPARE(ends, 1.0);
    }

    /// One group for two context ranks is theirs whole each.
    void groupsAreRepeatedForContextRanks()
    {
        Plan plan = hybrid();
        plan.model.mamba2->groups = 1;
        const auto scores = [&](int cp) {
            plan.strategy.cp = cp;
            return find(lower(plan).dense.forward, "Mamba-2 chunk products").flops.value() * cp;
        };
        QCOMPARE(scores(2) - scores(1), kTokens * 2 * kChunk * kState);
        plan.model.mamba2->groups = 8;
        QCOMPARE(scores(2), scores(1));
    }

    /// Without mixers of its own the model is what it was.
    void layersWithAllModulesAreAsBefore()
    {
        Plan plan = hybrid(), whole = hybrid();
        whole.model.mamba2.reset();
        plan.model.mamba2->layers = 0;
        plan.model.mamba2->ffnLayers.reset();
        QVERIFY(hasErrors(check(plan))); // a mixer that no layer has
        plan.strategy.tp = whole.strategy.tp = 2;
        const LayerWork same = lower(plan).dense, before = lower(whole).dense;
        QCOMPARE(same.forward.operators.size(), before.forward.operators.size());
        QCOMPARE(same.backward.operators.size(), before.backward.operators.size());
        QCOMPARE(flops(same.forward), flops(before.forward));
        QCOMPARE(same.parameters, before.parameters);
        QCOMPARE(same.largestShared, before.largestShared);
        QVERIFY(same.activations.tensors == before.activations.tensors);
        QCOMPARE(same.activations.attentionGradients, before.activations.attentionGradients);
        QCOMPARE(same.activations.beyondMean.value(), 0.0);
        QCOMPARE(same.forward.collectives.size(), before.forward.collectives.size());
        for (std::size_t i = 0; i < same.forward.collectives.size(); ++i)
            QCOMPARE(same.forward.collectives[i].count, before.forward.collectives[i].count);
        QCOMPARE(modelFlops(plan.model, 1024, 1), modelFlops(whole.model, 1024, 1));
        QCOMPARE(parameters(plan.model).total, parameters(whole.model).total);
    }

    void moreStatesTakeLonger()
    {
        const auto step = [](int layers, int state) {
            Plan plan = hybrid();
            plan.model.mamba2->layers = layers;
            plan.model.mamba2->stateDim = state;
            const auto answer = stratoplan::estimate::estimate(plan, {});
            return answer ? answer->step.value() : 0.0;
        };
        QVERIFY(step(4, 128) > 0);
        QVERIFY(step(4, 256) > step(4, 128));
        QVERIFY(step(4, 512) > step(4, 256));
    }
};

STRATOPLAN_TEST(TestMamba)
#include "test_mamba.moc"
