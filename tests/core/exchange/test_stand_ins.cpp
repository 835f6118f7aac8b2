// SPDX-License-Identifier: GPL-3.0-or-later
// Layers that are not modelled and what stands in for them on request: their published parameters to the unit, their
// computation by closed forms, what is told, and ranges that are wider.
#include "core/estimate/estimate.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/starting_plan.h"
#include "core/narration/problems.h"
#include "core/reporting/documents.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::plan;

namespace {

/// MiniMax-M1: lightning attention in seven of eight layers.
const char* const kMiniMax = R"({"model_type":"minimax_m1","hidden_size":6144,"intermediate_size":9216,
 "num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"head_dim":128,"num_local_experts":32,
 "num_experts_per_tok":2,"vocab_size":200064,"max_position_embeddings":10240000,"shared_intermediate_size":0,
 "tie_word_embeddings":false,"attn_type_list":[0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,
 0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1]})";

/// Qwen3-Next 80B-A3B: Gated DeltaNet in three of four layers.
const char* const kQwenNext = R"({"model_type":"qwen3_next","hidden_size":2048,"intermediate_size":5120,
 "num_hidden_layers":48,"num_attention_heads":16,"num_key_value_heads":2,"head_dim":256,"num_experts":512,
 "num_experts_per_tok":10,"moe_intermediate_size":512,"shared_expert_intermediate_size":512,"vocab_size":151936,
 "max_position_embeddings":262144,"tie_word_embeddings":false,"full_attention_interval":4,"decoder_sparse_step":1,
 "mlp_only_layers":[],"linear_conv_kernel_dim":4,"linear_key_head_dim":128,"linear_num_key_heads":16,
 "linear_num_value_heads":32,"linear_value_head_dim":128})";

/// Jamba v0.1: attention in one of eight layers, at places that no interval has.
const char* const kJamba = R"({"model_type":"jamba","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,
 "num_attention_heads":32,"num_key_value_heads":8,"num_experts":16,"num_experts_per_tok":2,"vocab_size":65536,
 "attn_layer_period":8,"attn_layer_offset":4,"expert_layer_period":2,"expert_layer_offset":1,"mamba_d_conv":4,
 "mamba_d_state":16,"mamba_dt_rank":256,"mamba_expand":2,"tie_word_embeddings":false})";

/// Kimi Linear 48B-A3B: Kimi Delta Attention beside latent attention.
const char* const kKimi = R"({"model_type":"kimi_linear","hidden_size":2304,"intermediate_size":9216,
 "num_hidden_layers":27,"num_attention_heads":32,"num_key_value_heads":32,"head_dim":72,"kv_lora_rank":512,
 "q_lora_rank":null,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"num_experts":256,
 "num_experts_per_token":8,"moe_intermediate_size":1024,"num_shared_experts":1,"first_k_dense_replace":1,
 "moe_layer_freq":1,"vocab_size":163840,"num_nextn_predict_layers":0,"tie_word_embeddings":false,
 "linear_attn_config":{"full_attn_layers":[4,8,12,16,20,24,27],"head_dim":128,"num_heads":32,
 "short_conv_kernel_size":4}})";

/// LFM2 8B-A1B: gated short convolutions.
const char* const kLfm = R"({"model_type":"lfm2_moe","hidden_size":2048,"intermediate_size":7168,
 "moe_intermediate_size":1792,"num_hidden_layers":24,"num_dense_layers":2,"num_attention_heads":32,
 "num_key_value_heads":8,"num_experts":32,"num_experts_per_tok":4,"vocab_size":65536,"conv_L_cache":3,
 "tie_word_embeddings":true,"layer_types":["conv","conv","full_attention","conv","conv","conv","full_attention","conv",
 "conv","conv","full_attention","conv","conv","conv","full_attention","conv","conv","conv","full_attention","conv",
 "conv","full_attention","conv","conv"]})";

ImportedModel stoodIn(const char* text)
{
    const auto answer = importHuggingFace(text, "model", {}, {.standIn = true});
    if (!answer)
        qWarning("%s", describe(answer.error().front()).c_str());
    return answer.value_or(ImportedModel{});
}

const StandInLayers* standIn(const ImportedModel& m)
{
    for (const Simplification& one : m.simplified)
        if (const auto* const in = std::get_if<StandInLayers>(&one))
            return in;
    return nullptr;
}

/// Parameters counted, with those that are told as left out.
double withAllThatIsTold(const ImportedModel& m)
{
    double count = double(parameters(m.model).total);
    for (const Simplification& one : m.simplified) {
        if (const auto* const in = std::get_if<StandInLayers>(&one))
            count += double(in->parameters);
        if (const auto* const left = std::get_if<LeftoverParameters>(&one))
            count += double(left->parameters);
    }
    return count;
}

} // namespace

class TestStandIns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void publishedParameters_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("layers");
        QTest::addColumn<double>("total");
        QTest::addColumn<double>("within");
        // To the unit: the checkpoints of MiniMax-M1, and of Qwen3-Next less its prediction module of 1,650,471,424.
        QTest::newRow("MiniMax-M1") << QByteArray(kMiniMax) << "lightning attention" << 70 << 456089655296.0 << 0.0;
        QTest::newRow("Qwen3-Next") << QByteArray(kQwenNext) << "Gated DeltaNet" << 36 << 79674391296.0 << 0.0;
        // Of the cards.
        QTest::newRow("Jamba") << QByteArray(kJamba) << "Mamba" << 28 << 51.6e9 << 2e-3;
        QTest::newRow("Kimi Linear") << QByteArray(kKimi) << "Kimi Delta Attention" << 20 << 49.1e9 << 2e-3;
        QTest::newRow("LFM2") << QByteArray(kLfm) << "gated short convolutions" << 18 << 8.34e9 << 2e-3;
    }

    void publishedParameters()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, kind);
        QFETCH(int, layers);
        QFETCH(double, total);
        QFETCH(double, within);
        const auto refused = importHuggingFace(text.toStdString(), "model");
        QVERIFY(!refused && mayStandIn(refused.error()));
        QVERIFY(QString::fromStdString(describe(refused.error().front())).contains("--stand-in"));
        const ImportedModel m = stoodIn(text.constData());
        QVERIFY(m.model.standIn && standIn(m));
        QCOMPARE(QString::fromStdString(m.model.standIn->kind), kind);
        QCOMPARE(m.model.standIn->layers, layers);
        const double count = withAllThatIsTold(m);
        QVERIFY2(std::abs(count - total) <= within * total, QByteArray::number(count, 'f', 0));
    }

    void othersAreRefusedAsBefore()
    {
        for (const char* const text :
            {R"({"model_type":"t5"})", R"({"model_type":"minicpm","sparse_config":{"topk":64}})",
                R"({"model_type":"mamba","ssm_cfg":{"layer":"Mamba1"}})", R"({"model_type":"rwkv"})"})
            for (const bool standIn : {false, true}) {
                const auto answer = importHuggingFace(text, "model", {}, {.standIn = standIn});
                QVERIFY(!answer);
                QVERIFY(!mayStandIn(answer.error()));
                QVERIFY(!QString::fromStdString(describe(answer.error().front())).contains("--stand-in"));
            }
        // Asking for it changes no other model.
        const char* const llama = R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":512,"vocab_size":1000,
            "intermediate_size":1024,"num_attention_heads":8})";
        QCOMPARE(stoodIn(llama).model, importHuggingFace(llama, "model")->model);
    }

    /// By hand: 4 projections of 2,048 x 4,096 in FLOPs, 32 heads of the delta rule and a convolution.
    void computationIsThatOfTheirFormulas()
    {
        const ImportedModel m = stoodIn(kQwenNext);
        const double projections = 2048.0 * (2 * 16 * 128 + 2 * 32 * 128 + 2 * 32) + 32 * 128 * 2048.0;
        const double head = 64.0 * (6 * 128 + 4 * 128) + 6.0 * 128 * 128 + 2.0 / 3 * 64 * 64;
        const double flops = 2 * projections + 2 * 4 * (2 * 16 * 128 + 32 * 128) + 32 * head;
        QVERIFY(std::abs(m.model.standIn->flopsPerToken / flops - 1) < 1e-12);
        QCOMPARE(m.model.slidingWindowInterval, 4);
        // Which even the attention of all 4,096 tokens falls short of: the window is whole and the rest is told.
        const double matrices = 2048.0 * (16 + 2 * 2) * 256 + 16 * 256 * 2048.0, width = 2.0 * 16 * 256;
        QVERIFY(flops > 2 * matrices + 2 * 2048 * width);
        QCOMPARE(m.model.slidingWindow.value_or(0), 4096);
        const double gate = 2.0 * 2048 * 16 * 256; // of the output of each of the 12 other layers
        const double off = 36 * (flops - 2 * matrices - 2 * 2048 * width) + 12 * gate;
        const double total = modelFlops(m.model, 4096, 1).value() / 3 / 4096;
        QVERIFY(std::abs(standInShare(m.model, 4096).off / (off / total) - 1) < 1e-9);
        QVERIFY(std::abs(standIn(m)->share / (off / total) - 1) < 1e-9);
    }

    /// Their class ties embeddings, and reads another name of the field.
    void shortConvolutionsTieTheirEmbeddings()
    {
        const QByteArray tied = "\"tie_word_embeddings\":true,";
        QVERIFY(stoodIn(QByteArray(kLfm).replace(tied, "")).model.tiedEmbeddings);
        QVERIFY(stoodIn(QByteArray(kLfm).replace(tied, "\"tie_embedding\":true,")).model.tiedEmbeddings);
        QVERIFY(!stoodIn(QByteArray(kLfm).replace(tied, "\"tie_embedding\":false,")).model.tiedEmbeddings);
    }

    void windowsComputeAsMuch()
    {
        // One window for all layers, and no place that an interval has not: nothing is left but rounding to tokens.
        ImportedModel m = stoodIn(kMiniMax);
        QCOMPARE(m.model.slidingWindowInterval, 8);
        m.model.standIn->flopsPerToken =
            2.0 * double(attentionMatrices(m.model)) + 2 * seenKeys(300, 4096) * attentionCoreWidth(m.model);
        m.model.slidingWindow = 300;
        QVERIFY(standInShare(m.model, 4096).off < 1e-12);
        QVERIFY(standInShare(m.model, 4096).mixers > 0);
        QVERIFY(standInShare(m.model, 200).off > 0); // where the window is cut short
        m.model.standIn.reset();
        QCOMPARE(standInShare(m.model, 4096).mixers, 0.0);
    }

    void plansWarnAndAreLessSure()
    {
        const ImportedModel m = stoodIn(kMiniMax);
        const auto start = startingPlan(m.model, m.longestSequence, shippedCatalog());
        QVERIFY(start.has_value());
        const auto answer = estimate(*start);
        QVERIFY(answer && answer->fits);
        const auto warning = std::ranges::find(answer->problems, ProblemCode::StandIn, &Problem::code);
        QVERIFY(warning != answer->problems.end());
        QCOMPARE(warning->severity, Severity::Warning);
        QCOMPARE(warning->found, 70.0);
        QCOMPARE(warning->limit, standInShare(m.model, start->training.sequenceLength).off);
        const QString sentence = QString::fromStdString(stratoplan::narration::describe(*warning));
        QVERIFY2(sentence.startsWith("70 layers are of a kind that is not modelled (lightning attention)"),
            qPrintable(sentence));
        Plan known = *start;
        known.model.standIn.reset();
        const auto sure = estimate(known);
        QCOMPARE(sure->step, answer->step);
        QVERIFY(std::ranges::find(sure->problems, ProblemCode::StandIn, &Problem::code) == sure->problems.end());
        const StandInShare share = standInShare(m.model, start->training.sequenceLength);
        QVERIFY(share.mixers > 0.01);
        QVERIFY(answer->stepHigh / sure->stepHigh >= 1 + share.off + share.mixers); // and for being measured nowhere
        QVERIFY(sure->stepLow / answer->stepLow >= 1 + share.off + share.mixers);
        QVERIFY(answer->memory.peakHigh > sure->memory.peakHigh);
        Plan wrong = *start;
        wrong.model.standIn->layers = 81;
        QVERIFY(hasErrors(check(wrong)));
    }

    void whatIsTakenIsTold()
    {
        const auto told = stratoplan::reporting::describe(stoodIn(kMiniMax).simplified);
        QVERIFY(std::ranges::any_of(told, [](const std::string& line) {
            return line.starts_with("70 layers of lightning attention are not modelled: attention over a window of ")
                && line.find("of the model's FLOPs at 4,096 tokens") != std::string::npos;
        }));
        const ImportedModel jamba = stoodIn(kJamba); // at every fifth of eight: counted at every eighth
        QCOMPARE(jamba.model.slidingWindowInterval, 8);
        QCOMPARE(layerCounts(jamba.model).moe, 16);
        const ImportedModel kimi = stoodIn(kKimi);
        QVERIFY(kimi.model.mla.has_value());
    }

    void brokenShapesAreNamed()
    {
        const QByteArray kimi = QByteArray(kKimi).replace("\"num_heads\":32,", "");
        const auto answer = importHuggingFace(kimi.toStdString(), "model", {}, {.standIn = true});
        QVERIFY(!answer);
        QCOMPARE(QString::fromStdString(answer.error().front().pointer), QString("/linear_attn_config"));
        const QByteArray lfm = QByteArray(kLfm).replace("\"conv\",\"conv\"]", "\"conv\"]");
        QVERIFY(!importHuggingFace(lfm.toStdString(), "model", {}, {.standIn = true}));
    }

    /// Layers that are none, or too few of a list, are no layers of another kind.
    void brokenListsOfLayersAreNamed()
    {
        const auto refusal = [](const char* text, const char* from, const char* to) {
            const QByteArray edited = QByteArray(text).replace(from, to);
            const auto answer = importHuggingFace(edited.toStdString(), "model", {}, {.standIn = true});
            return answer ? QByteArray() : QByteArray::fromStdString(describe(answer.error().front()));
        };
        const QByteArray listed = refusal(kKimi, "[4,8,12,16,20,24,27]", "[4,8,\"a\",28]");
        QVERIFY2(listed.contains("\"a\"") && listed.contains("a whole number from 1 to 27"), listed);
        const QByteArray many = refusal(kKimi, "[4,8,12,16,20,24,27]", "[4,8,28]");
        QVERIFY2(many.contains("28"), many);
        const QByteArray offset = refusal(kJamba, "\"attn_layer_offset\":4", "\"attn_layer_offset\":9");
        QVERIFY2(offset.contains("9") && offset.contains("a whole number from 0 to 7"), offset);
        const QByteArray expert = refusal(kJamba, "\"expert_layer_offset\":1", "\"expert_layer_offset\":5");
        QVERIFY2(expert.contains("expert_layer_offset") && expert.contains("a whole number from 0 to 1"), expert);
        const QByteArray quoted = refusal(kJamba, "\"attn_layer_period\":8", "\"attn_layer_indices\":\"[4, 12]\"");
        QVERIFY2(quoted.contains("attn_layer_indices") && quoted.contains("a list"), quoted);
        const QByteArray few = refusal(kMiniMax, "[0,0,0,0,0,0,0,1,0,", "[0,");
        QVERIFY2(few.contains("a list of 72") && few.contains("a list of 80"), few);
        const QByteArray kind = refusal(kMiniMax, "[0,0,0,0,0,0,0,1,", "[0,0,0,0,0,0,0,2,");
        QVERIFY2(kind.contains("found 2") && kind.contains("0 or 1 for each layer"), kind);
    }
};

STRATOPLAN_TEST(TestStandIns)
#include "test_stand_ins.moc"
