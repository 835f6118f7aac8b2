// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter counts to the unit against published checkpoints, and FLOPs against Korthikanti et al. (2205.05198).
#include "core/model/precision.h"
#include "core/model/transformer.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::model;

namespace {

Transformer gpt(int layers, int hidden, int heads, int vocabulary = 50257, int positions = 1024)
{
    Transformer m;
    m.layers = layers;
    m.hidden = hidden;
    m.ffnHidden = 4 * hidden;
    m.heads = m.kvHeads = heads;
    m.headDim = hidden / heads;
    m.vocabulary = vocabulary;
    m.maxPositions = positions;
    m.tiedEmbeddings = m.linearBias = m.dropout = true;
    m.norm = Norm::Layer;
    m.position = Position::Learned;
    return m;
}

Transformer llama(int layers, int hidden, int ffn, int heads, int kvHeads, int vocabulary)
{
    Transformer m;
    m.layers = layers;
    m.hidden = hidden;
    m.ffnHidden = ffn;
    m.heads = heads;
    m.kvHeads = kvHeads;
    m.headDim = 128;
    m.vocabulary = vocabulary;
    m.gatedMlp = true;
    return m;
}

Transformer bloom176b()
{
    Transformer m = gpt(70, 14336, 112, 250880);
    m.position = Position::Alibi;
    m.embeddingNorm = true;
    return m;
}

Transformer qwen3Dense8b()
{
    Transformer m = llama(36, 4096, 12288, 32, 8, 151936);
    m.qkNorm = true;
    return m;
}

Transformer qwen2Dense7b()
{
    Transformer m = llama(28, 3584, 18944, 28, 4, 152064);
    m.qkvBias = true;
    return m;
}

Transformer mixtral8x7b()
{
    Transformer m = llama(32, 4096, 14336, 32, 8, 32000);
    m.moe = MixtureOfExperts{.experts = 8, .topK = 2, .expertFfn = 14336};
    return m;
}

Transformer deepSeekV3()
{
    Transformer m = llama(61, 7168, 18432, 128, 128, 129280);
    m.mla = LatentAttention{.queryRank = 1536};
    m.moe = MixtureOfExperts{
        .experts = 256, .topK = 8, .expertFfn = 2048, .sharedExperts = 1, .leadingDenseLayers = 3, .routerBias = true};
    m.multiTokenPredictionDepth = 1;
    return m;
}

Transformer deepSeekV32()
{
    Transformer m = deepSeekV3();
    m.dsa = SparseAttention{};
    return m;
}

Transformer glm5()
{
    Transformer m = llama(78, 6144, 12288, 64, 64, 154880);
    m.mla = LatentAttention{.queryRank = 2048, .nopeHeadDim = 192, .valueHeadDim = 256};
    m.dsa = SparseAttention{.indexHeads = 32};
    m.moe = MixtureOfExperts{
        .experts = 256, .topK = 8, .expertFfn = 2048, .sharedExperts = 1, .leadingDenseLayers = 3, .routerBias = true};
    m.multiTokenPredictionDepth = 1;
    return m;
}

Transformer deepSeekV2()
{
    Transformer m = llama(60, 5120, 12288, 128, 128, 102400);
    m.mla = LatentAttention{.queryRank = 1536};
    m.moe = MixtureOfExperts{.experts = 160, .topK = 6, .expertFfn = 1536, .sharedExperts = 2, .leadingDenseLayers = 1};
    return m;
}

} // namespace

Q_DECLARE_METATYPE(Transformer)

class TestModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parameterCounts_data()
    {
        QTest::addColumn<Transformer>("model");
        QTest::addColumn<qint64>("count");
        const auto row = [](const char* name, const Transformer& m, qint64 count) {
            QTest::newRow(name) << m << count;
        };
        row("GPT-2", gpt(12, 768, 12), 124'439'808);
        row("GPT-2 XL", gpt(48, 1600, 25), 1'557'611'200);
        row("GPT-3 175B", gpt(96, 12288, 96, 50257, 2048), 174'604'259'328);
        row("OPT-125M", gpt(12, 768, 12, 50272, 2050), 125'239'296);
        row("OPT-6.7B", gpt(32, 4096, 32, 50272, 2050), 6'658'473'984);
        row("BLOOM-176B", bloom176b(), 176'247'271'424);
        row("Llama 2 7B", llama(32, 4096, 11008, 32, 32, 32000), 6'738'415'616);
        row("Llama 2 13B", llama(40, 5120, 13824, 40, 40, 32000), 13'015'864'320);
        row("Llama 2 70B", llama(80, 8192, 28672, 64, 8, 32000), 68'976'648'192);
        row("Llama 3 8B", llama(32, 4096, 14336, 32, 8, 128256), 8'030'261'248);
        row("Llama 3 70B", llama(80, 8192, 28672, 64, 8, 128256), 70'553'706'496);
        row("Llama 3 405B", llama(126, 16384, 53248, 128, 8, 128256), 405'853'388'800);
        row("Qwen2-7B", qwen2Dense7b(), 7'615'616'512);
        row("Qwen3-8B", qwen3Dense8b(), 8'190'735'360);
        row("Mixtral 8x7B", mixtral8x7b(), 46'702'792'704);
        row("DeepSeek-V2", deepSeekV2(), 235'741'434'880);
        row("DeepSeek-V3", deepSeekV3(), 671'026'419'200);
    }
    void parameterCounts()
    {
        QFETCH(const Transformer, model);
        QFETCH(const qint64, count);
        QCOMPARE(qint64(parameters(model).total), count);
    }

    /// The tensors of the published checkpoints, by their files' headers on Hugging Face. DeepSeek's are in FP8 with a
    /// scale in FP32 for every block of 128 x 128.
    void indexersAreThoseOfPublishedCheckpoints()
    {
        const ParameterCount glm = parameters(glm5());
        QCOMPARE(qint64(glm.total + glm.multiTokenPrediction), 753'864'139'008);
        const qint64 v3 = 684'531'386'000, v32 = 685'396'921'376; // both with a prediction module
        const qint64 scales = 64 * 12 + 7168 / 128; // of the projections of queries and keys
        const ParameterCount counted = parameters(deepSeekV32());
        QCOMPARE(62 * (qint64(counted.indexer) + scales), v32 - v3);
        QCOMPARE(counted.total - parameters(deepSeekV3()).total, 61 * counted.indexer);
        QCOMPARE(counted.active - parameters(deepSeekV3()).active, 61 * counted.indexer);
    }

    /// What sparse attention changes, term by term: fewer keys in scores and values, and an indexer that has no
    /// gradient of its inputs and, of its scores, only those of the keys that it picked.
    void indexersAreTrainedApart()
    {
        for (const double s : {1024.0, 4096.0, 131072.0}) {
            const double h = 7168, layers = 62, keys = std::min(s, 2048.0), width = 64 * 128;
            const double projections = 1536 * width + h * (128 + 64);
            const double core = 3 * 2 * s * (keys - s) * 128 * (192 + 128);
            const double indexer = 2 * 2 * s * projections + 2 * s * s * width + 2 * 2 * s * keys * width;
            const double difference =
                modelFlops(deepSeekV32(), int(s), 3).value() - modelFlops(deepSeekV3(), int(s), 3).value();
            const double expected = 3 * layers * (core + indexer);
            QVERIFY(std::abs(difference / expected - 1) < 1e-6);
        }
        QCOMPARE(attentionSpan(deepSeekV32(), 0, 1024), 1024);
        QCOMPARE(attentionSpan(deepSeekV32(), 61, 131072), 2048); // of the prediction module
    }

    void partsAddUpToTheTotal()
    {
        for (const Transformer& m : {gpt(48, 1600, 25), deepSeekV3(), mixtral8x7b(), bloom176b()}) {
            const ParameterCount p = parameters(m);
            const LayerCounts layers = layerCounts(m);
            QCOMPARE(p.embedding + m.layers * p.attention + layers.dense * p.denseFfn + layers.moe * p.moeFfn
                    + p.finalNorm + p.head,
                p.total);
            QVERIFY(p.moeRouted <= p.moeFfn);
        }
    }

    void activeParametersVisitTopKExperts()
    {
        QCOMPARE(parameters(mixtral8x7b()).active, 12'879'925'248);
        // "37B activated"; the prediction module has one more layer and a merging projection, about 11.6B in all.
        QCOMPARE(qRound(double(parameters(deepSeekV3()).active) / 1e9 - 129280 * 7168 / 1e9), 37);
        QCOMPARE(qRound(double(parameters(deepSeekV3()).multiTokenPrediction) / 1e9 * 10), 116);
        // "671B of the main model weights and 14B of the multi-token prediction module weights": the published files
        // repeat embedding and head for the module.
        const ParameterCount v3 = parameters(deepSeekV3());
        QCOMPARE(qRound(double(v3.total) / 1e9), 671);
        QCOMPARE(std::ceil(double(v3.multiTokenPrediction + v3.embedding + v3.head) / 1e9), 14.0);
        QCOMPARE(std::round(double(v3.total + v3.multiTokenPrediction + v3.embedding + v3.head) / 1e8),
            6845.0); // 684.5B, printed as 685B
        const Transformer dense = gpt(12, 768, 12);
        QCOMPARE(parameters(dense).active, parameters(dense).total);
    }

    void layersOfEachKind()
    {
        Transformer maverick = llama(48, 5120, 16384, 40, 8, 202048);
        maverick.moe =
            MixtureOfExperts{.experts = 128, .topK = 1, .expertFfn = 8192, .sharedExperts = 1, .layerInterval = 2};
        for (const Transformer& m : {maverick, deepSeekV3(), mixtral8x7b(), gpt(12, 768, 12)}) {
            int moe = 0;
            for (int i = 0; i < m.layers; ++i)
                moe += isMoeLayer(m, i) ? 1 : 0;
            QCOMPARE(layerCounts(m).moe, moe);
            QCOMPARE(layerCounts(m).dense, m.layers - moe);
        }
        QCOMPARE(layerCounts(maverick).moe, 24);
        QVERIFY(!isMoeLayer(maverick, 0));
        QVERIFY(isMoeLayer(maverick, 1));
        QVERIFY(!isMoeLayer(deepSeekV3(), 2));
        QVERIFY(isMoeLayer(deepSeekV3(), 3));
    }

    void korthikantiFlops_data()
    {
        QTest::addColumn<Transformer>("model");
        QTest::addColumn<int>("batch");
        QTest::addColumn<QString>("petaflop");
        QTest::newRow("22B") << gpt(48, 6144, 64, 51200, 2048) << 4 << "1.1436";
        QTest::newRow("175B") << gpt(96, 12288, 96, 51200, 2048) << 64 << "141.09";
        QTest::newRow("530B") << gpt(105, 20480, 128, 51200, 2048) << 280 << "1852.2";
        QTest::newRow("1T") << gpt(128, 25600, 160, 51200, 2048) << 512 << "6425.9";
    }
    void korthikantiFlops()
    {
        QFETCH(const Transformer, model);
        QFETCH(const int, batch);
        QFETCH(const QString, petaflop);
        const double flops = modelFlops(model, 2048, batch).value();
        const int decimals = int(petaflop.size()) - 1 - int(petaflop.indexOf('.'));
        QCOMPARE(QString::number(flops / 1e15, 'f', decimals), petaflop);
        const double s = 2048, h = model.hidden, l = model.layers, v = model.vocabulary;
        QVERIFY(qFuzzyCompare(flops, 72 * batch * l * s * h * h * (1 + s / (6 * h) + v / (12 * h * l))));
    }

    /// Of scores and values half, of a window of w tokens w / 2s; nothing of products.
    void maskedFlopsAreHalfOfAttention()
    {
        Transformer m = gpt(48, 1600, 25);
        const double attention = 3 * 48 * attentionCoreForwardFlops(m, 0, 1024).value();
        QVERIFY(qFuzzyCompare(maskedFlops(m, 1024, 2).value(), attention)); // half, of two
        m.slidingWindow = 256;
        m.slidingWindowInterval = 0;
        const double windowed = 3 * 48 * attentionCoreForwardFlops(m, 0, 1024).value();
        QVERIFY(qFuzzyCompare(windowed, attention / 4));
        QVERIFY(qFuzzyCompare(maskedFlops(m, 1024, 1).value(), windowed / 8));
    }

    void forwardFlopsOfGpt2Xl()
    {
        // 24 s h^2 + 4 s^2 h (Narayanan et al., arXiv 2104.04473): 69.63 GFLOP per layer and sequence, head 164.7
        // GFLOP.
        const Transformer m = gpt(48, 1600, 25);
        QCOMPARE(QString::number(layerForwardFlops(m, 0, 1024).value() / 1e9, 'f', 2), QString("69.63"));
        QCOMPARE(QString::number(headForwardFlops(m, 1024).value() / 1e9, 'f', 1), QString("164.7"));
        QCOMPARE(attentionCoreForwardFlops(m, 0, 1024).value(), 4.0 * 1024 * 1024 * 1600);
    }

    void flopsFollowActiveParameters()
    {
        // Six FLOPs per token and active parameter of a matrix product, when attention is negligible.
        const Transformer m = mixtral8x7b();
        const double tokens = 8;
        const double matrices =
            double(parameters(m).active) - double(m.vocabulary) * m.hidden - m.hidden * (2.0 * m.layers + 1);
        const double core = 3 * m.layers * attentionCoreForwardFlops(m, 0, 8).value();
        // The active count holds the whole router, as the FLOPs do.
        QCOMPARE(modelFlops(m, 8, 1).value() - core, 6 * tokens * matrices);
    }

    void localLayersAttendToTheirWindow()
    {
        Transformer m = llama(6, 1024, 4096, 8, 8, 1000);
        m.slidingWindow = 512;
        m.slidingWindowInterval = 6;
        QCOMPARE(attentionSpan(m, 0, 4096), 512);
        QCOMPARE(attentionSpan(m, 5, 4096), 4096);
        QCOMPARE(attentionSpan(m, 0, 256), 256);
        const double difference = layerForwardFlops(m, 5, 4096).value() - layerForwardFlops(m, 0, 4096).value();
        QCOMPARE(difference, 4.0 * 4096 * (4096 - 512) * 1024);
        m.slidingWindowInterval = 1;
        QCOMPARE(attentionSpan(m, 5, 4096), 512);
    }

    void aParallelBlockHasOneNorm()
    {
        Transformer m = gpt(12, 768, 12);
        const auto before = parameters(m).total;
        m.parallelBlock = true;
        QCOMPARE(before - parameters(m).total, std::int64_t{12 * 2 * 768});
    }

    void precisionsHaveKeysAndSizes()
    {
        for (const Precision p : kPrecisions) {
            QVERIFY(!key(p).empty());
            QCOMPARE(precisionFromKey(key(p)), std::optional(p));
            QVERIFY(bytesPerElement(p) <= storageBytes(p));
        }
        QCOMPARE(precisionFromKey("int4"), std::nullopt);
        QCOMPARE(bytesPerElement(Precision::Bf16), 2.0);
        QCOMPARE(bytesPerElement(Precision::Mxfp8), 33.0 / 32);
        QCOMPARE(bytesPerElement(Precision::Nvfp4), 9.0 / 16);
        QCOMPARE(storageBytes(Precision::Fp8), 2.0);
        QCOMPARE(storageBytes(Precision::Fp32), 4.0);
    }
};

STRATOPLAN_TEST(TestModel)
#include "test_model.moc"
