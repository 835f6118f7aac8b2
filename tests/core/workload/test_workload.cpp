// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/pipeline.h"
#include "core/plan/problem.h"
#include "core/workload/layer.h"
#include "core/workload/workload.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using namespace stratoplan::workload;

namespace {

double matmulFlops(const Pass& pass)
{
    double sum = 0;
    for (const Operator& op : pass.operators)
        if (op.kind != OperatorKind::Elementwise && op.kind != OperatorKind::Streaming)
            sum += op.flops.value();
    return sum;
}

Plan korthikanti(int layers, int hidden, int heads, int pp, int vpp, int microBatch, bool sequenceParallel)
{
    Plan plan = fixtures::gpt3();
    plan.model = fixtures::gpt(layers, hidden, heads);
    plan.training.attention = AttentionKernel::Unfused;
    plan.strategy.pp = pp;
    plan.strategy.vpp = vpp;
    plan.strategy.schedule = vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
    plan.strategy.dp = 1;
    plan.strategy.microBatch = microBatch;
    plan.strategy.sequenceParallel = sequenceParallel;
    plan.training.globalBatch = 64 * pp * microBatch;
    return plan;
}

/// Layer activations of the first stage in GiB, as Korthikanti et al. count them.
double firstStageGib(const Plan& plan, Recompute recompute)
{
    const Workload w = lower(plan);
    const double flight = inFlight(plan.strategy.schedule, plan.strategy.pp, plan.strategy.vpp, w.microBatches, 0);
    return (keptActivations(w.dense.activations, recompute) * (w.stages.front().layers() * flight)).value() / kGiB;
}

/// The operator of that name; one without a name where there is none.
Operator operatorOf(const Pass& pass, std::string_view name)
{
    const auto found = std::ranges::find(pass.operators, name, &Operator::name);
    return found != pass.operators.end() ? *found : Operator{};
}

/// Elements of a token that a rank of a ring moves beside attention, and its kernels.
struct RingSteps {
    double forward = 0, forwardKernels = 0, backward = 0, backwardKernels = 0;
};

/// Step by step as the Transformer Engine's AttnFuncWithCPAndKVP2P does it, `q` queries and outputs and `k` keys and
/// values wide; a copy reads and writes, a sum reads twice.
RingSteps stepsOfTheLastRank(int cp, double q, double k)
{
    constexpr double kCopy = 2, kSum = 3;
    RingSteps steps;
    const auto forward = [&](double elements) {
        steps.forward += elements;
        ++steps.forwardKernels;
    };
    const auto backward = [&](double elements) {
        steps.backward += elements;
        ++steps.backwardKernels;
    };
    forward(kCopy * k); // torch.cat into the buffer
    for (int step = 1; step < cp; ++step)
        forward(0); // softmax_lse_correction: one number a head
    forward(kCopy * q); // out_correction_init
    for (int step = 1; step < cp; ++step)
        forward(kSum * q); // out_correction
    backward(kCopy * k); // into the buffer
    for (int step = 0; step < cp; ++step) {
        const bool own = step == cp - 1; // the diagonal comes last
        backward((step == 0 ? kCopy : kSum) * q); // dq
        for (int ofKeysOrValues = 0; ofKeysOrValues < 2; ++ofKeysOrValues)
            backward((step == 0 ? kCopy : kSum) * k / 2 / (own ? 1 : 2)); // dk, dv: of a half, or of the own block
    }
    return steps;
}

} // namespace

class TestWorkload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Korthikanti et al. 2205.05198, the GiB of their models on 80 GB parts (section 4).
    void publishedActivationMemory_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("vpp");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<double>("tensorParallel");
        QTest::addColumn<double>("sequenceSelective");
        QTest::newRow("22B") << 48 << 6144 << 64 << 1 << 1 << 4 << 59.25 << 9.5625;
        QTest::newRow("175B") << 96 << 12288 << 96 << 8 << 3 << 1 << 66.84375 << 12.3515625;
        QTest::newRow("530B") << 105 << 20480 << 128 << 35 << 3 << 1 << 114.0234375 << 23.076171875;
        QTest::newRow("1T") << 128 << 25600 << 160 << 64 << 1 << 1 << 131.25 << 26.5625;
    }

    void publishedActivationMemory()
    {
        QFETCH(int, layers);
        QFETCH(int, hidden);
        QFETCH(int, heads);
        QFETCH(int, pp);
        QFETCH(int, vpp);
        QFETCH(int, microBatch);
        QFETCH(double, tensorParallel);
        QFETCH(double, sequenceSelective);
        QCOMPARE(firstStageGib(korthikanti(layers, hidden, heads, pp, vpp, microBatch, false), Recompute::None),
            tensorParallel);
        QCOMPARE(firstStageGib(korthikanti(layers, hidden, heads, pp, vpp, microBatch, true), Recompute::Selective),
            sequenceSelective);
    }

    /// Their figure 7, per cent of the tensor-parallel baseline. The labels of the figure differ from its formulas by
    /// up to 0.14 points (530B with selective recomputation: 62.04 printed, 13/21 = 61.90 by formula).
    void publishedRelativeActivationMemory_data()
    {
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("heads");
        QTest::addColumn<double>("sequence");
        QTest::addColumn<double>("selective");
        QTest::addColumn<double>("both");
        QTest::addColumn<double>("full");
        QTest::newRow("22B") << 6144 << 64 << 66.84 << 49.42 << 16.18 << 7.64;
        QTest::newRow("175B") << 12288 << 96 << 62.04 << 56.53 << 18.49 << 8.71;
        QTest::newRow("530B") << 20480 << 128 << 58.31 << 62.04 << 20.27 << 9.42;
        QTest::newRow("1T") << 25600 << 160 << 58.31 << 62.04 << 20.27 << 9.42;
    }

    void publishedRelativeActivationMemory()
    {
        QFETCH(int, hidden);
        QFETCH(int, heads);
        QFETCH(double, sequence);
        QFETCH(double, selective);
        QFETCH(double, both);
        QFETCH(double, full);
        const auto layer = [&](bool sp, Recompute recompute) {
            return keptActivations(lower(korthikanti(8, hidden, heads, 1, 1, 1, sp)).dense.activations, recompute);
        };
        const Bytes base = layer(false, Recompute::None);
        const auto agrees = [&](Bytes bytes, double percent) {
            return std::abs(100 * (bytes / base) - percent) < 0.15;
        };
        QVERIFY(agrees(layer(true, Recompute::None), sequence));
        QVERIFY(agrees(layer(false, Recompute::Selective), selective));
        QVERIFY(agrees(layer(true, Recompute::Selective), both));
        QVERIFY(agrees(layer(false, Recompute::Full), full));
    }

    /// The products of all layers and ranks together are the model's FLOPs (unfused attention counts the full square).
    void productsAddUpToModelFlops()
    {
        for (const int tp : {1, 2, 8}) {
            Plan plan = fixtures::small();
            plan.training.attention = AttentionKernel::Unfused;
            plan.model.vocabulary = 32768; // a multiple of 128 t: padding adds nothing
            plan.strategy.tp = tp;
            plan.strategy.dp = 8 / tp;
            const Workload w = lower(plan);
            double sum = matmulFlops(w.headForward) + matmulFlops(w.headBackward);
            sum += plan.model.layers * (matmulFlops(w.dense.forward) + matmulFlops(w.dense.backward));
            const Flops model = modelFlops(plan.model, plan.training.sequenceLength, plan.strategy.microBatch);
            QVERIFY2(std::abs(sum * tp / model.value() - 1) < 1e-12,
                qPrintable(QString::number(sum * tp / model.value(), 'g', 17)));
        }
    }

    /// Packed documents are short sequences to attention and nothing else: a sequence of n documents costs what n
    /// sequences of one do.
    void packedDocumentsAttendToThemselves()
    {
        Plan packed = fixtures::small();
        packed.training.sequenceLength = 4096;
        packed.training.documentLength = 512;
        packed.strategy.microBatch = 1;
        Plan apart = packed;
        apart.training.sequenceLength = 512;
        apart.training.documentLength.reset();
        apart.strategy.microBatch = 8;
        apart.training.globalBatch *= 8;
        const auto flops = [](const Plan& plan) {
            const Workload w = lower(plan);
            Flops sum{};
            for (const Pass* pass : {&w.dense.forward, &w.dense.backward, &w.headForward, &w.headBackward})
                for (const Operator& op : pass->operators)
                    sum += op.flops;
            return sum;
        };
        QCOMPARE(flops(packed), flops(apart));
        QCOMPARE(modelFlops(packed), modelFlops(apart));
        // Windows are those of a document; a document as long as the sequence is none.
        packed.model.slidingWindow = apart.model.slidingWindow = 128;
        QCOMPARE(flops(packed), flops(apart));
        Plan whole = packed;
        whole.training.documentLength = packed.training.sequenceLength;
        packed.training.documentLength.reset();
        QCOMPARE(flops(whole), flops(packed));
        // A score matrix that is written to memory is written whole.
        packed.training.attention = whole.training.attention = AttentionKernel::Unfused;
        whole.training.documentLength = 512;
        QCOMPARE(flops(whole), flops(packed));
    }

    /// DeepSeek-V3 (arXiv 2412.19437) sections 3.2.3 and 3.3.3, per token and element: what norms and up-projections
    /// write and activations write is repeated; what products read stays in 8 bits.
    // In one piece: one plan, whose recipe gets narrower from line to line.
    void modulesAreRepeatedAndCachesAreNarrow()
    {
        using enum KeptTensor;
        Plan plan = fixtures::small();
        plan.model.mla =
            LatentAttention{.queryRank = 96, .kvRank = 64, .ropeHeadDim = 16, .nopeHeadDim = 32, .valueHeadDim = 32};
        plan.model.gatedMlp = true;
        plan.model.dropout = false;
        plan.training.attention = AttentionKernel::Flash;
        plan.strategy.tp = 1;
        plan.training.software.fusedElementwise = true;
        const double tokens = double(plan.strategy.microBatch) * plan.training.sequenceLength;
        const double h = plan.model.hidden, f = plan.model.ffnHidden, value = plan.model.heads * 32.0;
        const auto kept = [&](KeptTensor tensor, Recompute recompute) {
            return keptTensors(lower(plan).dense.activations, recompute)[std::size_t(tensor)].value() / tokens;
        };
        QCOMPARE(kept(ColumnInputs, Recompute::None), 4 * h);
        QCOMPARE(kept(FfnIntermediates, Recompute::None), 6 * f);
        plan.training.software.selectiveRecompute = SelectiveRecompute::Modules;
        QCOMPARE(kept(ColumnInputs, Recompute::Selective), 0.0);
        QCOMPARE(kept(Qkv, Recompute::Selective), 0.0);
        QCOMPARE(kept(FfnIntermediates, Recompute::Selective), 4 * f);
        QCOMPARE(kept(LatentVectors, Recompute::Selective), 2.0 * (96 + 64 + 16));
        QCOMPARE(kept(NormInputs, Recompute::Selective), 4 * h);
        plan.training.software.narrowCaches = true;
        QCOMPARE(kept(ColumnInputs, Recompute::None), 4 * h); // the recipe is one of 16 bits
        const Bytes gradients = lower(plan).dense.activations.ffnGradients;
        plan.training.precision = Precision::Fp8;
        QCOMPARE(kept(ColumnInputs, Recompute::None), 2 * h);
        QCOMPARE(kept(FfnIntermediates, Recompute::None), 5 * f);
        QCOMPARE(kept(AttentionOutput, Recompute::None), 3 * value); // the attention kernel's own, and a narrow copy
        plan.training.software.narrowActivationInputs = true;
        QCOMPARE(kept(FfnIntermediates, Recompute::None), 3 * f);
        QCOMPARE(kept(FfnIntermediates, Recompute::Selective), 2 * f);
        QCOMPARE(lower(plan).dense.activations.ffnGradients, gradients); // which nothing narrows
        // Time: the up-projections and activations whole, of the norms what two of them move, nothing else.
        for (const Operator& op : lower(plan).dense.forward.operators) {
            const bool up =
                op.name == "query up-projection" || op.name == "KV up-projection" || op.name == "FFN activation";
            QCOMPARE(op.repeated, up ? 1.0 : op.name == "norms and residuals" ? 8.0 / 22 : 0.0);
        }
        plan.model.mla->queryRank = 0; // and queries that are not compressed stay
        QCOMPARE(kept(Qkv, Recompute::Selective), 2 * plan.model.heads * 48.0);
        // Grouped-query attention has nothing to project up: its queries, keys and values stay.
        plan.model.mla.reset();
        QCOMPARE(kept(Qkv, Recompute::Selective), kept(Qkv, Recompute::None));
    }

    /// Outputs of experts are kept where the router's weights multiply them, and not where those multiply what the last
    /// product reads.
    void outputsOfExpertsStayWhereTheyAreWeighed()
    {
        Plan plan = fixtures::small();
        plan.model.moe = MixtureOfExperts{.experts = 8, .topK = 2, .expertFfn = 512};
        const auto routed = [&] { return lower(plan).moe.activations.tensors[std::size_t(KeptTensor::RoutedTokens)]; };
        const Bytes both = routed();
        plan.training.software.expertOutputsStay = false;
        QCOMPARE(routed(), 0.5 * both);
    }

    /// Per-op recomputation keeps tokens in 16 bits that products read in 8: they are cast again, and nothing is remade
    /// of less than nothing.
    void tokensKeptWiderAreCastAgain()
    {
        Plan plan = fixtures::small();
        plan.model.moe = MixtureOfExperts{.experts = 8, .topK = 2, .expertFfn = 512};
        plan.training.precision = Precision::Fp8;
        plan.training.software.expertOutputsStay = false;
        plan.training.software.narrowCaches = true;
        plan.training.software.selectiveRecompute = SelectiveRecompute::EveryOtherProduct;
        const LayerActivations activations = lower(plan).moe.activations;
        const Bytes read = activations.tensors[std::size_t(KeptTensor::RoutedTokens)];
        QVERIFY(activations.selective[std::size_t(KeptTensor::RoutedTokens)] > read);
        const TensorBytes remade = remadeTensors(activations, Recompute::Selective);
        QCOMPARE(remade[std::size_t(KeptTensor::RoutedTokens)], read);
        QVERIFY(std::ranges::none_of(remade, [](Bytes bytes) { return bytes < Bytes{}; }));
    }

    /// DeepSeek-V3 (arXiv 2412.19437) section 2.2: each module has a projection of 2 h to h, a layer, and the shared
    /// head.
    void predictionModulesAddUpToModelFlops()
    {
        for (const int tp : {1, 2, 8}) {
            Plan plan = fixtures::small();
            plan.training.attention = AttentionKernel::Unfused;
            plan.model.vocabulary = 32768;
            plan.model.multiTokenPredictionDepth = 2;
            plan.strategy.tp = tp;
            plan.strategy.pp = 2;
            plan.strategy.dp = tp == 8 ? 1 : 4 / tp;
            const Workload w = lower(plan);
            QCOMPARE(w.stages[0].predictionModules, 0);
            QCOMPARE(w.stages[1].predictionModules, 2);
            QCOMPARE(w.stages[0].layers() + w.stages[1].layers(), plan.model.layers + 2);
            double sum = 3 * (matmulFlops(w.headForward) + matmulFlops(w.headBackward))
                + 2 * (matmulFlops(w.mergeForward) + matmulFlops(w.mergeBackward));
            sum += (plan.model.layers + 2) * (matmulFlops(w.dense.forward) + matmulFlops(w.dense.backward));
            const Flops model = modelFlops(plan.model, plan.training.sequenceLength, plan.strategy.microBatch);
            QVERIFY2(std::abs(sum * tp / model.value() - 1) < 1e-12,
                qPrintable(QString::number(sum * tp / model.value(), 'g', 17)));
        }
    }

    void predictionModulesHoldTheirParameters()
    {
        Plan plan = fixtures::small();
        plan.model.vocabulary = 32768;
        plan.model.tiedEmbeddings = false;
        plan.model.multiTokenPredictionDepth = 1;
        const ParameterCount count = parameters(plan.model);
        QCOMPARE(lower(plan).stages[0].parameters, double(count.total + count.multiTokenPrediction));
        plan.strategy.pp = 4;
        plan.strategy.dp = 2;
        const Workload w = lower(plan);
        double sum = 0;
        for (const StageLayout& stage : w.stages)
            sum += stage.parameters;
        // The last stage reads the embedding too, and holds a copy of it.
        QCOMPARE(sum, double(count.total + count.multiTokenPrediction) + 32768.0 * plan.model.hidden);
        QCOMPARE(w.stages[3].layers(), 3);
    }

    void parametersOfAllRanksCoverTheModel()
    {
        Plan plan = fixtures::small();
        plan.model.vocabulary = 32768;
        plan.strategy.dp = 8;
        const Workload whole = lower(plan);
        QCOMPARE(whole.stages.size(), std::size_t(1));
        QCOMPARE(whole.stages[0].parameters, double(parameters(plan.model).total));
        plan.strategy.pp = 4;
        plan.strategy.dp = 2;
        double sum = 0;
        for (const StageLayout& stage : lower(plan).stages)
            sum += stage.parameters;
        // The last stage holds a copy of the tied table.
        QCOMPARE(sum, double(parameters(plan.model).total) + 32768.0 * plan.model.hidden);
    }

    void expertsAreDividedByExpertParallelism()
    {
        Plan plan = fixtures::small();
        plan.model.moe = MixtureOfExperts{};
        plan.model.moe->expertFfn = 2048;
        const double all = lower(plan).stages[0].expertParameters;
        QCOMPARE(all, 8.0 * 8 * (2.0 * 1024 * 2048 + 2048 + 1024)); // 8 layers of 8 experts with biases
        plan.strategy.ep = 4;
        QCOMPARE(lower(plan).stages[0].expertParameters, all / 4);
    }

    void everyLayerIsPlacedOnce()
    {
        for (const int vpp : {1, 2, 3}) {
            Plan plan = fixtures::gpt3();
            plan.strategy.pp = 4;
            plan.strategy.vpp = vpp;
            plan.model.moe = MixtureOfExperts{};
            plan.model.moe->expertFfn = 128;
            plan.model.moe->leadingDenseLayers = 5;
            int dense = 0, moe = 0;
            for (const StageLayout& stage : lower(plan).stages) {
                dense += stage.denseLayers;
                moe += stage.moeLayers;
                QCOMPARE(stage.layers(), 24);
            }
            QCOMPARE(dense, 5);
            QCOMPARE(moe, 91);
        }
    }

    void sequenceParallelismMovesTheSameBytes()
    {
        Plan plan = fixtures::gpt3();
        plan.training.software.sequenceParallelRegather = 0;
        const auto volume = [](const Pass& pass) {
            double sum = 0;
            for (const Collective& c : pass.collectives)
                sum += c.bytes.value() * c.count * (c.kind == CollectiveKind::AllReduce ? 2 : 1);
            return sum;
        };
        const Workload with = lower(plan);
        plan.strategy.sequenceParallel = false;
        const Workload without = lower(plan);
        QCOMPARE(volume(with.dense.forward), volume(without.dense.forward));
        QCOMPARE(volume(with.dense.backward), volume(without.dense.backward));
    }

    /// A stack that sends a token once to each rank saves the copies that meet there: of four experts on two ranks,
    /// both of a token's two stand on one rank with probability 1/3, so that it visits 5/3 of 2.
    void tokensAreDispatchedOnceARank()
    {
        Plan plan = fixtures::small();
        plan.model.moe = MixtureOfExperts{.experts = 4, .topK = 2, .expertFfn = 2048};
        const auto dispatched = [&](int ep, bool once) {
            plan.strategy.ep = ep;
            plan.training.software.dispatchOnce = once;
            const Workload w = lower(plan);
            const auto& all = w.moe.forward.collectives;
            const auto found =
                std::find_if(all.begin(), all.end(), [](const Collective& c) { return c.axis == Axis::Ep; });
            return found == all.end() ? 0.0 : found->bytes.value();
        };
        const double copies = 1024.0 * 2 * 1024 * 2; // tokens, experts, width, bytes
        QCOMPARE(dispatched(2, false), copies);
        QCOMPARE(dispatched(2, true), copies * 5 / 6);
        QCOMPARE(dispatched(4, true), copies); // one expert a rank: no two meet
    }

    void expertBiasesMoveTheOutputsOfTheExperts()
    {
        Plan plan = fixtures::small();
        plan.model.moe = MixtureOfExperts{.experts = 4, .topK = 2, .expertFfn = 2048};
        const auto biases = [&](bool backward) {
            const Workload w = lower(plan);
            double bytes = 0;
            for (const Operator& op : (backward ? w.moe.backward : w.moe.forward).operators)
                bytes += op.name.starts_with("expert bias") ? op.traffic.value() : 0;
            return bytes;
        };
        const double outputs = 1024.0 * 2 * (2048 + 1024) * 2;
        QCOMPARE(biases(false), 6 * outputs);
        QCOMPARE(biases(true), 8 * outputs);
        plan.model.linearBias = false;
        QCOMPARE(biases(false), 0.0);
    }

    /// FP8 halves what is gathered for the products, not what is reduced.
    void narrowRecipesGatherEightBits()
    {
        Plan plan = fixtures::gpt3();
        const auto gathered = [&](Precision precision, bool narrow, CollectiveKind kind) {
            plan.training.precision = precision;
            plan.training.software.narrowGathers = narrow;
            double bytes = 0;
            for (const Collective& c : lower(plan).dense.forward.collectives)
                bytes += c.kind == kind ? c.bytes.value() * c.count : 0;
            return bytes;
        };
        const double wide = gathered(Precision::Bf16, true, CollectiveKind::AllGather);
        QCOMPARE(gathered(Precision::Fp8, false, CollectiveKind::AllGather), wide);
        QCOMPARE(gathered(Precision::Fp8, true, CollectiveKind::AllGather), wide / 2);
        QCOMPARE(gathered(Precision::Fp8, true, CollectiveKind::ReduceScatter), wide);
    }

    /// Attention in FP8 keeps queries, keys and values in half as many bytes, and casts them there and their gradients
    /// back: 2 + 1 bytes each, as many of the output's gradient. Recipes in 16 bits do not know it.
    void narrowAttentionKeepsEightBits()
    {
        Plan plan = fixtures::small();
        const auto kept = [&](Precision precision, AttentionKernel kernel) {
            plan.training.precision = precision;
            plan.training.attention = kernel;
            return lower(plan).dense.activations.tensors[std::size_t(KeptTensor::Qkv)].value();
        };
        const double wide = 2.0 * 3 * 1024 * 1024;
        QCOMPARE(kept(Precision::Fp8, AttentionKernel::Flash), wide);
        QCOMPARE(kept(Precision::Bf16, AttentionKernel::FlashFp8), wide);
        QCOMPARE(kept(Precision::Nvfp4, AttentionKernel::FlashFp8), wide / 2);
        const auto casts = [&](std::string_view name) {
            const LayerWork layer = lower(plan).dense;
            double bytes = 0;
            for (const Pass* pass : {&layer.forward, &layer.backward})
                for (const Operator& op : pass->operators)
                    bytes += op.name == name ? op.traffic.value() : 0;
            return bytes;
        };
        const auto selective = [&] { return lower(plan).dense.activations.selective[std::size_t(KeptTensor::Qkv)]; };
        QCOMPARE(selective().value(), wide); // the core's repetition casts them again
        QCOMPARE(
            remadeTensors(lower(plan).dense.activations, Recompute::Selective)[std::size_t(KeptTensor::Qkv)].value(),
            wide / 2);
        plan.training.software.selectiveRecompute = SelectiveRecompute::Modules; // repeats no attention
        QCOMPARE(selective().value(), wide / 2);
        QCOMPARE(casts(names::kAttentionCasts), 3.0 / 2 * wide);
        QCOMPARE(casts(names::kAttentionGradientCasts), 3.0 / 2 * wide * 4 / 3);
        plan.training.precision = Precision::Bf16;
        QCOMPARE(casts(names::kAttentionCasts), 0.0);
    }

    /// Ring and gather halve their keys and values. Gradients stay in 16 bits, as outputs do; those of a ring go home
    /// in 8, all at once, from buffers of all blocks.
    void narrowAttentionExchangesEightBits()
    {
        Plan plan = fixtures::small();
        plan.strategy.cp = 4;
        plan.strategy.dp = 2;
        plan.training.precision = Precision::Fp8;
        const auto bytes = [&](ContextMethod method, AttentionKernel kernel, bool backward) {
            plan.strategy.contextMethod = method;
            plan.training.attention = kernel;
            const LayerWork layer = lower(plan).dense;
            double sum = 0;
            for (const Collective& c : (backward ? layer.backward : layer.forward).collectives)
                sum += c.axis == Axis::Cp ? c.bytes.value() * c.count : 0;
            return sum;
        };
        const auto share = [&](ContextMethod method, bool backward) {
            return bytes(method, AttentionKernel::FlashFp8, backward) / bytes(method, AttentionKernel::Flash, backward);
        };
        QCOMPARE(share(ContextMethod::Ring, false), 1.0 / 2);
        const double block = 1024.0 / 4 * 2 * 1024; // of keys and values, a byte each
        QCOMPARE(bytes(ContextMethod::Ring, AttentionKernel::FlashFp8, true), block + 4 * block);
        const ContextBlocks ring = lower(plan).dense.activations.contextBlocks;
        QCOMPARE(ring.blocks.value(), 2 * block);
        // Of 4 ranks' blocks: sent, received, put together and in FP32; the queries', half as wide, are not sent.
        QCOMPARE(ring.gradients.value(), 4 * (1 + 1 + 1 + 4) * block + 4 * (1 + 1 + 4) * block / 2);
        QCOMPARE(share(ContextMethod::AllGather, false), 1.0 / 2);
        QCOMPARE(share(ContextMethod::AllGather, true), 3.0 / 4);
        QCOMPARE(share(ContextMethod::Ulysses, false), 5.0 / 8);
        QCOMPARE(share(ContextMethod::Ulysses, true), 1.0);
        const ContextBlocks whole = lower(plan).dense.activations.contextBlocks;
        plan.training.attention = AttentionKernel::FlashFp8;
        const ContextBlocks narrow = lower(plan).dense.activations.contextBlocks;
        QVERIFY(narrow.blocks < whole.blocks && narrow.gradients == whole.gradients);
    }

    /// Per layer, c ranks, block b of keys and values: the ring moves b a hop, the gather c b; Ulysses moves what it
    /// holds.
    void contextMethodsMoveTheirBytes()
    {
        Plan plan = fixtures::small();
        plan.strategy.cp = 4;
        plan.strategy.dp = 2;
        plan.training.attention = AttentionKernel::Flash;
        const double tokens = 1024.0 / 4;
        const double keysAndValues = tokens * 2 * 1024 * 2; // MHA: as wide as the model, 2 bytes
        const auto only = [&](ContextMethod method, bool backward) {
            plan.strategy.contextMethod = method;
            const Workload w = lower(plan);
            std::vector<Collective> found;
            for (const Collective& c : (backward ? w.dense.backward : w.dense.forward).collectives)
                if (c.axis == Axis::Cp)
                    found.push_back(c);
            return found;
        };
        QCOMPARE(only(ContextMethod::Ring, false).front().bytes.value(), keysAndValues);
        QCOMPARE(only(ContextMethod::AllGather, false).front().bytes.value(), 4 * keysAndValues);
        QCOMPARE(only(ContextMethod::AllGather, true).size(), 2U);
        QCOMPARE(
            only(ContextMethod::Ulysses, false).front().bytes.value(), 2 * keysAndValues); // queries and output as well
        QVERIFY(only(ContextMethod::Ulysses, true).front().kind == CollectiveKind::AllToAll);
        // With fewer KV heads than ranks each rank still needs one.
        plan.model.kvHeads = 2;
        QCOMPARE(only(ContextMethod::Ulysses, false).front().bytes.value(), keysAndValues + keysAndValues / 8 * 2);
        // Ulysses needs whole heads on every rank.
        plan.model.kvHeads = 16;
        plan.strategy.cp = 32;
        plan.strategy.tp = 1;
        plan.cluster = fixtures::cluster(8, 8);
        plan.strategy.contextMethod = ContextMethod::Ulysses;
        const auto problems = check(plan);
        QVERIFY(std::any_of(problems.begin(), problems.end(),
            [](const Problem& p) { return p.code == ProblemCode::HeadsNotDivisible && p.where == "/strategy/cp"; }));
    }

    void ringsMergeTheirBlocks_data()
    {
        QTest::addColumn<int>("cp");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("tp");
        QTest::newRow("CP 2") << 2 << 16 << 1;
        QTest::newRow("CP 3, grouped queries") << 3 << 4 << 1;
        QTest::newRow("CP 4, TP 2") << 4 << 16 << 2;
        QTest::newRow("CP 2, TP beyond the KV heads") << 2 << 4 << 8;
    }
    void ringsMergeTheirBlocks()
    {
        QFETCH(int, cp);
        QFETCH(int, kvHeads);
        QFETCH(int, tp);
        Plan plan = fixtures::small();
        plan.training.sequenceLength = 1536;
        plan.strategy.tp = tp;
        plan.strategy.cp = cp;
        plan.model.kvHeads = kvHeads;
        plan.training.attention = AttentionKernel::Flash;
        const double q = 1024.0 / tp, k = 2.0 * std::max(1, kvHeads / tp) * 64;
        const RingSteps steps = stepsOfTheLastRank(cp, q, k);
        const double bytes = 1536.0 / cp * 2;
        const LayerWork ring = lower(plan).dense;
        for (const auto& [pass, ofKeys, ofQueries, expected, launches] :
            {std::tuple(&ring.forward, names::kRingKeys, names::kRingOutputs, steps.forward, steps.forwardKernels),
                std::tuple(&ring.backward, names::kRingKeyGradients, names::kRingQueryGradients, steps.backward,
                    steps.backwardKernels)}) {
            const Operator keys = operatorOf(*pass, ofKeys), queries = operatorOf(*pass, ofQueries);
            QCOMPARE(keys.traffic.value() + queries.traffic.value(), bytes * expected);
            QCOMPARE(keys.launches + queries.launches, launches);
        }
        for (const auto& [pass, name] : {std::pair(&ring.forward, names::kFlashAttention),
                 std::pair(&ring.backward, names::kFlashAttentionGradient)}) {
            QCOMPARE(operatorOf(*pass, name).n, 1536.0 / cp);
            QCOMPARE(operatorOf(*pass, name).launches, cp - 1.0);
        }
    }

    void othersRunTheWholeSequence()
    {
        Plan plan = fixtures::small();
        plan.strategy.cp = 2;
        plan.training.attention = AttentionKernel::Flash;
        const Operator ofRing = operatorOf(lower(plan).dense.forward, names::kFlashAttention);
        for (const ContextMethod method : {ContextMethod::AllGather, ContextMethod::Ulysses}) {
            plan.strategy.contextMethod = method;
            const LayerWork whole = lower(plan).dense;
            QVERIFY(operatorOf(whole.forward, names::kRingKeys).name.empty());
            QVERIFY(operatorOf(whole.backward, names::kRingQueryGradients).name.empty());
            const Operator attention = operatorOf(whole.forward, names::kFlashAttention);
            QCOMPARE(attention.n, 1024.0);
            QCOMPARE(attention.launches, 0.0);
            QCOMPARE(attention.flops, ofRing.flops);
        }
    }

    /// What a window or a document leaves of a block is all that a query sees of it.
    void blocksEndWhereQueriesStopToSee()
    {
        Plan plan = fixtures::small();
        plan.strategy.cp = 4;
        plan.training.attention = AttentionKernel::Flash;
        const auto seen = [&] { return operatorOf(lower(plan).dense.forward, names::kFlashAttention).n; };
        QCOMPARE(seen(), 1024.0 / 4);
        plan.training.documentLength = 512;
        QCOMPARE(seen(), 512.0 / 4);
        plan.training.documentLength = {};
        plan.model.slidingWindow = 64;
        QVERIFY(seen() < 2 * 64 && seen() > 64);
    }

    /// Merging is part of the attention, which is repeated alone or not at all.
    void mergesAreRepeatedWithTheirAttention()
    {
        using enum SelectiveRecompute;
        Plan plan = fixtures::small();
        plan.strategy.cp = 2;
        plan.training.attention = AttentionKernel::Flash;
        for (const SelectiveRecompute selective : {AttentionCore, Modules, EveryOtherProduct}) {
            plan.training.software.selectiveRecompute = selective;
            const LayerWork ring = lower(plan).dense;
            for (const std::string_view name : {names::kRingKeys, names::kRingOutputs, names::kFlashAttention})
                QCOMPARE(operatorOf(ring.forward, name).repeated, selective == AttentionCore ? 1.0 : 0.0);
        }
    }

    /// Each rank has the input gradient of its columns: their sum is for all ranks, or with sequence parallelism for
    /// their tokens.
    void gradientsOfAMergeAreSummed()
    {
        Plan plan = fixtures::small();
        plan.strategy.tp = 2;
        plan.model.multiTokenPredictionDepth = 1;
        QVERIFY(lower(plan).mergeBackward.collectives.front().kind == CollectiveKind::AllReduce);
        plan.strategy.sequenceParallel = true;
        QVERIFY(lower(plan).mergeBackward.collectives.front().kind == CollectiveKind::ReduceScatter);
    }

    void vocabularyIsPadded()
    {
        QCOMPARE(paddedVocabulary(50257, 1), 50304);
        QCOMPARE(paddedVocabulary(50257, 8), 51200);
        QCOMPARE(paddedVocabulary(51200, 8), 51200);
    }
};

STRATOPLAN_TEST(TestWorkload)
#include "test_workload.moc"
