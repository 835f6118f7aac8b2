// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek sparse attention (arXiv 2512.02556) against closed forms: what its indexer computes, moves and keeps, and
// over how many keys the attention core runs.
#include "core/workload/layer.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace stratoplan::model;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using namespace stratoplan::workload;

namespace {

constexpr double kHidden = 1024, kHeads = 16, kQueryRank = 96, kIndexWidth = 4 * 32, kIndexDim = 32;
constexpr double kLatentKey = 64 + 16, kLatentValue = 64; // of the core on latent vectors

/// Sequences of 1,024 tokens, of which a query attends to 128.
Plan sparse()
{
    Plan plan = fixtures::small();
    plan.model.mla = LatentAttention{
        .queryRank = int(kQueryRank), .kvRank = 64, .ropeHeadDim = 16, .nopeHeadDim = 32, .valueHeadDim = 32};
    plan.model.dsa = SparseAttention{.indexHeads = 4, .indexHeadDim = int(kIndexDim), .topK = 128};
    plan.model.linearBias = plan.model.dropout = false;
    plan.strategy.contextMethod = ContextMethod::AllGather;
    return plan;
}

/// Of a causal query on average, where it attends to so many of 1,024 keys at most.
double seen(double keys)
{
    return keys * (1 - keys / (2 * 1024));
}

double flops(const Pass& pass, std::string_view name)
{
    return std::accumulate(pass.operators.begin(), pass.operators.end(), 0.0,
        [&](double sum, const Operator& op) { return op.name == name ? sum + op.flops.value() : sum; });
}

double traffic(const Pass& pass, std::string_view name)
{
    return std::accumulate(pass.operators.begin(), pass.operators.end(), 0.0,
        [&](double sum, const Operator& op) { return op.name == name ? sum + op.traffic.value() : sum; });
}

double collected(const Pass& pass, std::string_view name)
{
    return std::accumulate(pass.collectives.begin(), pass.collectives.end(), 0.0,
        [&](double sum, const Collective& c) { return c.name == name ? sum + c.bytes.value() * c.count : sum; });
}

} // namespace

class TestSparseAttention : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void indexerComputesWhatItsFormulasSay()
    {
        const LayerWork layer = lower(sparse()).dense;
        const double tokens = 1024;
        QCOMPARE(flops(layer.forward, "indexer queries"), 2 * tokens * kQueryRank * kIndexWidth);
        QCOMPARE(flops(layer.forward, "indexer keys"), 2 * tokens * kHidden * kIndexDim);
        QCOMPARE(flops(layer.forward, "indexer head weights"), 2 * tokens * kHidden * 4);
        QCOMPARE(flops(layer.forward, "indexer scores"), 2 * tokens * (tokens / 2) * kIndexWidth);
        QCOMPARE(flops(layer.forward, "indexer target"), 2 * tokens * seen(128) * kHeads * kLatentKey);
        // FP32 scores once written and twice read, 32-bit numbers of the picked keys written.
        QCOMPARE(traffic(layer.forward, "key selection"), tokens * (12 * tokens / 2 + 4 * 128));
    }

    void indexerTellsNothingToWhatItReads()
    {
        const LayerWork layer = lower(sparse()).dense;
        for (const char* const name : {"indexer queries", "indexer keys", "indexer head weights"}) {
            int gradients = 0;
            for (const Operator& op : layer.backward.operators) {
                if (op.name != name)
                    continue;
                QVERIFY2(op.weightGradient, name);
                ++gradients;
            }
            QCOMPARE(gradients, 1);
            QCOMPARE(flops(layer.backward, name), flops(layer.forward, name));
        }
        // Of the scores of picked keys alone, for queries and for keys.
        QCOMPARE(flops(layer.backward, "indexer score gradients"), 2 * 2 * 1024 * seen(128) * kIndexWidth);
    }

    void coreRunsOverPickedKeysOnLatentVectors()
    {
        const LayerWork layer = lower(sparse()).dense;
        const double core = 2 * 1024 * seen(128) * kHeads * (kLatentKey + kLatentValue);
        QCOMPARE(flops(layer.forward, "flash attention"), core);
        QCOMPARE(flops(layer.backward, "flash attention gradient"), 2.5 * core);
    }

    void shortSequencesAreMasked()
    {
        Plan plan = sparse();
        plan.model.dsa->topK = 1000; // of 1,024: fewer keys are not worth latent vectors, which are wider
        Plan whole = plan;
        whole.model.dsa.reset();
        QCOMPARE(
            flops(lower(plan).dense.forward, "flash attention"), flops(lower(whole).dense.forward, "flash attention"));
        // The same at the turn: half the sequence at 80 a head against picked keys at 144.
        const auto isAbsorbed = [&](int topK) {
            plan.model.dsa->topK = topK;
            return layerShape(plan).absorbed;
        };
        for (int topK = 64; topK <= 1024; topK += 64)
            QCOMPARE(isAbsorbed(topK), seen(topK) * (kLatentKey + kLatentValue) < 512 * (48 + 32));
        QVERIFY(isAbsorbed(64) && !isAbsorbed(1024));
    }

    void tensorRanksRepeatTheIndexer()
    {
        Plan plan = sparse();
        const LayerWork alone = lower(plan).dense;
        plan.strategy.tp = 2;
        plan.strategy.dp = 4;
        plan.strategy.sequenceParallel = true;
        const LayerWork shared = lower(plan).dense;
        for (const char* const name : {"indexer queries", "indexer keys", "indexer head weights", "indexer scores"})
            QCOMPARE(flops(shared.forward, name), flops(alone.forward, name));
        QCOMPARE(flops(shared.forward, "indexer target"), flops(alone.forward, "indexer target") / 2); // of its heads
        QCOMPARE(collected(shared.forward, "indexer target of all heads"), 4.0 * 1024 * 128);
        QCOMPARE(collected(shared.forward, "all-gather of indexer inputs"), 2.0 * 1024 * (kHidden + kQueryRank));
        plan.model.dsa.reset();
        const double indexer = kQueryRank * kIndexWidth + kHidden * (kIndexDim + 4) + 2 * kIndexDim;
        QCOMPARE(shared.parameters, lower(plan).dense.parameters + indexer);
    }

    void contextRanksGatherLatentVectorsAndIndexKeys()
    {
        Plan plan = sparse();
        plan.model.dsa->topK = 1000;
        plan.strategy.cp = 2;
        plan.strategy.dp = 4;
        QVERIFY(layerShape(plan).absorbed); // however short
        const double gathered = 1024 * 2 * (kLatentKey + kIndexDim);
        const LayerWork layer = lower(plan).dense;
        QCOMPARE(collected(layer.forward, "all-gather of keys and values"), gathered);
        QCOMPARE(layer.activations.contextBlocks.blocks.value(), gathered);
    }

    void whatIsKept()
    {
        Plan plan = sparse();
        const auto kept = [&](KeptTensor tensor, Recompute recompute) {
            return keptTensors(lower(plan).dense.activations, recompute)[std::size_t(tensor)].value() / 1024;
        };
        const double indexer = 2 * (kIndexWidth + 2 * kIndexDim) + 4 * 4 + 12 * 128;
        QCOMPARE(kept(KeptTensor::Indexer, Recompute::None), indexer);
        QCOMPARE(kept(KeptTensor::Indexer, Recompute::Full), 0.0);
        // Queries before and on the latent vectors, and those themselves.
        QCOMPARE(kept(KeptTensor::Qkv, Recompute::None), 2 * (kHeads * (48 + 64) + kLatentKey));
        QCOMPARE(kept(KeptTensor::AttentionOutput, Recompute::None), 2 * kHeads * (64 + 32));
        // Selective recomputation repeats the core with the indexer.
        plan.training.software.selectiveRecompute = SelectiveRecompute::AttentionCore;
        QCOMPARE(kept(KeptTensor::Indexer, Recompute::Selective), 0.0);
        for (const Operator& op : lower(plan).dense.forward.operators)
            if (op.name.starts_with("indexer") || op.name == "key selection")
                QCOMPARE(op.repeated, 1.0);
        plan.training.software.selectiveRecompute = SelectiveRecompute::Modules; // which leaves the core alone
        QCOMPARE(kept(KeptTensor::Indexer, Recompute::Selective), indexer);
        for (const Operator& op : lower(plan).dense.forward.operators)
            if (op.name.starts_with("indexer") || op.name == "key selection")
                QCOMPARE(op.repeated, 0.0);
        // Sequence parallelism keeps what it gathered.
        plan.strategy.tp = 2;
        plan.strategy.dp = 4;
        plan.strategy.sequenceParallel = true;
        QCOMPARE(kept(KeptTensor::Indexer, Recompute::None), indexer + 2 * (kHidden + kQueryRank));
    }

    void longSequencesAreFasterAndShortOnesSlower()
    {
        const auto products = [](int length, bool sparseAttention) {
            Plan plan = sparse();
            plan.model.maxPositions = plan.training.sequenceLength = length;
            if (!sparseAttention)
                plan.model.dsa.reset();
            double sum = 0;
            for (const Operator& op : lower(plan).dense.forward.operators)
                sum += op.flops.value();
            return sum;
        };
        QVERIFY(products(256, true) > products(256, false));
        QVERIFY(products(65536, true) < products(65536, false));
    }
};

STRATOPLAN_TEST(TestSparseAttention)
#include "test_sparse_attention.moc"
