// SPDX-License-Identifier: GPL-3.0-or-later
// Hugging Face configurations, cut to the fields that shape the model, against published parameter counts.
#include "core/estimate/estimate.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/recognise.h"
#include "core/exchange/starting_plan.h"
#include "core/plan/problem.h"
#include "core/search/recheck.h"
#include "tests/registry.h"

#include <QTest>

#include <limits>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::plan;
using stratoplan::search::SearchOptions;

namespace {

const char* const kLlama =
    R"({"model_type":"llama","num_hidden_layers":126,"hidden_size":16384,"intermediate_size":53248,
 "num_attention_heads":128,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":131072,
 "tie_word_embeddings":false})";

ImportedModel imported(const char* text)
{
    const auto answer = importHuggingFace(text, "model");
    if (!answer)
        qWarning("%s", describe(answer.error().front()).c_str());
    return answer.value_or(ImportedModel{});
}

const char* const kQwenMoe = R"({"model_type":"qwen3_moe","num_hidden_layers":94,"hidden_size":4096,
 "moe_intermediate_size":1536,"intermediate_size":12288,"num_experts":128,"num_experts_per_tok":8,
 "num_attention_heads":64,"num_key_value_heads":4,"head_dim":128,"vocab_size":151936,
 "max_position_embeddings":40960})";

double stepOf(const Plan& plan)
{
    const auto answer = estimate(plan);
    return answer && answer->fits ? answer->step.value() : std::numeric_limits<double>::infinity();
}

} // namespace

class TestImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreKnownByTheirContent()
    {
        QCOMPARE(recogniseFile(kLlama), FileKind::HuggingFace);
        QCOMPARE(recogniseFile("\xEF\xBB\xBF {\"text_config\": {}}"), FileKind::HuggingFace);
        QCOMPARE(recogniseFile(R"({"format": "stratoplan-plan", "model_type": "x"})"), FileKind::Plan);
        QCOMPARE(recogniseFile("{ broken"), FileKind::Plan);
        QCOMPARE(recogniseFile(R"({"format": "stratoplan-profile"})"), FileKind::Profile);
        QCOMPARE(recogniseFile(R"({"format": "stratoplan-kernels"})"), FileKind::Kernels);
        QCOMPARE(recogniseFile("[{}]"), FileKind::Cases);
        QCOMPARE(recogniseFile(R"({"cases": []})"), FileKind::Cases);
        QCOMPARE(recogniseFile("[2025-05-27 15:23:07] iteration 1/ 2 |"), FileKind::Other);
        QCOMPARE(recogniseFile("tp,step_s"), FileKind::Other);
        QCOMPARE(recogniseFile(""), FileKind::Other);
        QCOMPARE(recogniseFile("\xEF\xBB\xBF# 1F1B\n\n  F0 F1 B0 B1\n"), FileKind::Schedule);
        QCOMPARE(recogniseFile("I3.1#x"), FileKind::Schedule);
        QCOMPARE(recogniseFile("# only a remark"), FileKind::Other);
        QCOMPARE(recogniseFile("F0,B0"), FileKind::Other);
        QCOMPARE(recogniseFile("Fs 1 2"), FileKind::Other);
    }

    void modelsAreNamedAfterTheirFile()
    {
        QCOMPARE(modelNameOf("/x/Qwen--Qwen3-8B_config.json"), std::string("Qwen3-8B"));
        QCOMPARE(modelNameOf("/models/Llama-3.1/config.json"), std::string("Llama-3.1"));
        QCOMPARE(modelNameOf("-"), std::string("imported model"));
    }

    // In one piece: a table of published shapes and their numbers of parameters.
    void publishedCounts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("total");
        QTest::addColumn<double>("within");
        // To the unit, from the published shapes.
        QTest::newRow("Llama 3.1 405B") << QByteArray(kLlama) << 405853388800.0 << 0.0;
        QTest::newRow("GPT-2") << QByteArray(
            R"({"model_type":"gpt2","n_layer":12,"n_embd":768,"n_head":12,"n_positions":1024,"vocab_size":50257,
            "resid_pdrop":0.1})")
                               << 124439808.0 << 0.0;
        QTest::newRow("OPT 125M") << QByteArray(
            R"({"model_type":"opt","num_hidden_layers":12,"hidden_size":768,"ffn_dim":3072,
            "num_attention_heads":12,"max_position_embeddings":2048,"vocab_size":50272,"word_embed_proj_dim":768})")
                                  << 125239296.0 << 0.0;
        QTest::newRow("Qwen3 8B") << QByteArray(
            R"({"model_type":"qwen3","num_hidden_layers":36,"hidden_size":4096,"intermediate_size":12288,
            "num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,"vocab_size":151936,"attention_bias":false,
            "tie_word_embeddings":false,"use_sliding_window":false,"sliding_window":null})")
                                  << 8190735360.0 << 0.0;
        QTest::newRow("Qwen2.5 7B") << QByteArray(
            R"({"model_type":"qwen2","num_hidden_layers":28,"hidden_size":3584,"intermediate_size":18944,
            "num_attention_heads":28,"num_key_value_heads":4,"vocab_size":152064,"tie_word_embeddings":false})")
                                    << 7615616512.0 << 0.0;
        QTest::newRow("Qwen3 235B-A22B") << QByteArray(
            R"({"model_type":"qwen3_moe","num_hidden_layers":94,"hidden_size":4096,
            "intermediate_size":12288,"moe_intermediate_size":1536,"num_experts":128,"num_experts_per_tok":8,
            "decoder_sparse_step":1,
            "num_attention_heads":64,"num_key_value_heads":4,"head_dim":128,"vocab_size":151936,
            "tie_word_embeddings":false})")
                                         << 235093634560.0 << 0.0;
        QTest::newRow("Mixtral 8x7B") << QByteArray(
            R"({"model_type":"mixtral","num_hidden_layers":32,"hidden_size":4096,
            "intermediate_size":14336,"num_local_experts":8,"num_experts_per_tok":2,"num_attention_heads":32,
            "num_key_value_heads":8,
            "vocab_size":32000,"sliding_window":null,"tie_word_embeddings":false})")
                                      << 46702792704.0 << 0.0;
        QTest::newRow("DeepSeek-V3") << QByteArray(
            R"({"model_type":"deepseek_v3","num_hidden_layers":61,"hidden_size":7168,
            "intermediate_size":18432,"moe_intermediate_size":2048,"n_routed_experts":256,"n_shared_experts":1,
            "num_experts_per_tok":8,
            "first_k_dense_replace":3,"moe_layer_freq":1,"num_attention_heads":128,"num_key_value_heads":128,
            "q_lora_rank":1536,
            "kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"v_head_dim":128,"vocab_size":129280,
            "num_nextn_predict_layers":1,"tie_word_embeddings":false})")
                                     << 671026419200.0 << 0.0;
        QTest::newRow("Llama 4 Maverick")
            << QByteArray(R"({"model_type":"llama4","text_config":{"model_type":"llama4_text",
            "num_hidden_layers":48,"hidden_size":5120,"intermediate_size":8192,"intermediate_size_mlp":16384,
            "num_local_experts":128,
            "num_experts_per_tok":1,"interleave_moe_layer_step":2,"num_attention_heads":40,"num_key_value_heads":8,
            "head_dim":128,
            "vocab_size":202048,"attention_chunk_size":8192,"use_qk_norm":false}})")
            << 4.007e11 << 0.01;
        QTest::newRow("gpt-oss 20B") << QByteArray(R"({"model_type":"gpt_oss","num_hidden_layers":24,"hidden_size":2880,
            "intermediate_size":2880,"num_local_experts":32,"num_experts_per_tok":4,"num_attention_heads":64,
            "num_key_value_heads":8,
            "head_dim":64,"vocab_size":201088,"sliding_window":128,"attention_bias":true,"tie_word_embeddings":false})")
                                     << 20914757184.0 << 1e-7; // sinks: 1,536
    }

    void publishedCounts()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, total);
        QFETCH(double, within);
        const double count = double(parameters(imported(text.constData()).model).total);
        QVERIFY2(std::abs(count - total) <= within * total, QByteArray::number(count, 'f', 0));
    }

    void windowsAreRead()
    {
        const Transformer m =
            imported(R"({"model_type":"gpt_oss","num_hidden_layers":24,"hidden_size":2880,"intermediate_size":2880,
            "num_local_experts":32,"num_experts_per_tok":4,"num_attention_heads":64,"num_key_value_heads":8,
            "head_dim":64,
            "vocab_size":201088,"sliding_window":128})")
                .model;
        QCOMPARE(m.slidingWindow.value_or(0), 128);
        QCOMPARE(attentionSpan(m, 0, 4096), 128);
        QCOMPARE(attentionSpan(m, 1, 4096), 4096);
    }

    void whatIsNotStatedIsListed()
    {
        const ImportedModel m =
            imported(R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":512,"intermediate_size":1024,
            "num_attention_heads":8,"vocab_size":1000})");
        QCOMPARE(
            m.filled, (std::vector<std::string>{"num_key_value_heads=8", "head_dim=64", "tie_word_embeddings=false"}));
        QCOMPARE(imported(kLlama).filled, std::vector<std::string>{"head_dim=128"});
    }

    void whatCannotBeHeldIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("found");
        QTest::newRow("Mamba") << QByteArray(R"({"model_type":"falcon_h1","ssm_state_size":128})") << "/ssm_state_size"
                               << "state-space";
        QTest::newRow("linear attention")
            << QByteArray(R"({"model_type":"qwen3_5_moe","text_config":{"linear_num_key_heads":16}})")
            << "/text_config/linear_num_key_heads"
            << "linear attention";
        QTest::newRow("Python's numbers")
            << QByteArray(R"({"model_type":"zamba2","eps":[0.0,Infinity,-Infinity,NaN],"mamba_num_heads":8})")
            << "/mamba_num_heads"
            << "state-space";
        QTest::newRow("unknown") << QByteArray(R"({"model_type":"t55"})") << "/model_type"
                                 << "t55";
        QTest::newRow("no decoder") << QByteArray(R"({"model_type":"t5"})") << "/model_type"
                                    << "encoder-decoder";
        QTest::newRow("no type") << QByteArray(R"({"hidden_size":12})") << "/model_type"
                                 << "nothing";
        QTest::newRow("missing") << QByteArray(kLlama).replace("\"vocab_size\":128256,", "") << "/vocab_size"
                                 << "nothing";
        QTest::newRow("text") << QByteArray(kLlama).replace("126", "\"many\"") << "/num_hidden_layers"
                              << "many";
        QTest::newRow("zero") << QByteArray(kLlama).replace("126", "0") << "/num_hidden_layers"
                              << "0";
        QTest::newRow("fraction") << QByteArray(kLlama).replace("126", "1.5") << "/num_hidden_layers"
                                  << "1.5";
        QTest::newRow("huge") << QByteArray(kLlama).replace("126", "1e300") << "/num_hidden_layers"
                              << "1e+300";
        QTest::newRow("flag") << QByteArray(kLlama).replace("false", "7") << "/tie_word_embeddings"
                              << "7";
        QTest::newRow("syntax") << QByteArray("{\"model_type\":") << ""
                                << "";
    }

    void whatCannotBeHeldIsRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, pointer);
        QFETCH(QString, found);
        const auto answer = importHuggingFace(text.toStdString(), "model", "config.json");
        QVERIFY(!answer);
        const DocumentError& error = answer.error().front();
        QCOMPARE(QString::fromStdString(error.pointer), pointer);
        QVERIFY2(QString::fromStdString(error.found).contains(found), error.found.c_str());
        QVERIFY(!error.expected.empty());
        QCOMPARE(error.file, std::string("config.json"));
    }

    void keysOfOtherLayersAreRefused()
    {
        const auto of = [](const char* sharing) {
            return importHuggingFace(
                std::string(R"({"model_type":"glm_moe_dsa","num_hidden_layers":78,"hidden_size":6144,
            "intermediate_size":12288,"moe_intermediate_size":2048,"n_routed_experts":256,"n_shared_experts":1,
            "num_experts_per_tok":8,"first_k_dense_replace":3,"num_attention_heads":64,"q_lora_rank":2048,
            "kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":192,"v_head_dim":256,"vocab_size":154880,
            "index_n_heads":32,"index_head_dim":128,"index_topk":2048)")
                    + sharing + "}",
                "model");
        };
        for (const char* none :
            {"", R"(,"index_topk_freq":1)", R"(,"indexer_types":["full","full"])", R"(,"index_topk_pattern":"FFFF")"})
            QCOMPARE(of(none)->model.dsa.value_or(SparseAttention{}).indexHeads, 32);
        const auto refused = [&](const char* sharing) {
            return of(sharing) ? std::string() : of(sharing).error().front().pointer;
        };
        QCOMPARE(refused(R"(,"index_topk_freq":4)"), std::string("/index_topk_freq"));
        QCOMPARE(refused(R"(,"indexer_types":["full","shared"])"), std::string("/indexer_types"));
        QCOMPARE(refused(R"(,"index_topk_pattern":"FFSS")"), std::string("/index_topk_pattern"));
    }

    void byteOrderMarksArePassedOver()
    {
        QCOMPARE(imported((QByteArray("\xEF\xBB\xBF") + kLlama).constData()).model.layers, 126);
    }

    void wordsInsideStringsStay()
    {
        // A quoted quotation mark does not end the string it stands in.
        const QByteArray note = QByteArray("{'note':'NaN ~' Infinity',").replace('\'', '"').replace('~', '\\');
        const auto answer = importHuggingFace((note + QByteArray(kLlama).mid(1)).toStdString(), "model");
        QVERIFY(answer.has_value());
        QCOMPARE(answer->model.layers, 126);
    }

    void modelsThatBreakRulesHaveNoPlan()
    {
        Transformer m = imported(kLlama).model;
        m.layers = m.hidden = m.ffnHidden = 10'000'000; // more parameters than can be counted
        const auto huge = startingPlan(m, 0, shippedCatalog());
        QVERIFY(!huge);
        QCOMPARE(huge.error().front().where, std::string("/model"));
        m = imported(kLlama).model;
        m.moe = MixtureOfExperts{.experts = 8, .topK = 16, .expertFfn = 512};
        const auto greedy = startingPlan(m, 0, shippedCatalog());
        QVERIFY(!greedy);
        QCOMPARE(greedy.error().front().where, std::string("/model/moe/top_k"));
    }

    void everyImportHasAPlanThatFits()
    {
        for (const char* text : {kLlama,
                 R"({"model_type":"gpt2","n_layer":12,"n_embd":768,"n_head":12,"n_positions":1024,"vocab_size":50257})",
                 kQwenMoe}) {
            const ImportedModel m = imported(text);
            const auto start = startingPlan(m.model, m.longestSequence, shippedCatalog());
            QVERIFY(start.has_value());
            const Plan& plan = *start;
            QVERIFY(!hasErrors(check(plan)));
            QVERIFY(plan.training.sequenceLength <= m.longestSequence);
            const auto answer = estimate(plan);
            QVERIFY(answer.has_value());
            QVERIFY(answer->fits);
        }
    }

    void plansStartFromTheBestOfTheirFramework_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("software");
        QTest::addColumn<int>("framework");
        QTest::newRow("dense") << QByteArray(kLlama) << "torchtitan" << int(TargetFramework::TorchTitan);
        QTest::newRow("experts") << QByteArray(kQwenMoe) << "megatron-core-2024-moe"
                                 << int(TargetFramework::MegatronCore);
    }

    void plansStartFromTheBestOfTheirFramework()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, software);
        QFETCH(int, framework);
        const ImportedModel m = imported(text.constData());
        const auto start = startingPlan(m.model, m.longestSequence, shippedCatalog());
        QVERIFY(start.has_value());
        QCOMPARE(QString::fromStdString(start->training.software.id), software);
        SearchSpace space = defaultSpace();
        space.framework = TargetFramework(framework);
        QVERIFY(objections(*start, space.framework).empty());
        // As a person would search, from a plan that knows nothing of the answer, and with its proof.
        Plan plan = *start;
        plan.strategy = {};
        plan.strategy.dp = plan.training.globalBatch;
        const SearchOptions options{.keep = stratoplan::search::FrontKind::Best};
        const auto found = stratoplan::search::search(plan, space, options);
        QVERIFY(found.proven && found.best);
        plan.strategy = found.best->strategy;
        const double best = stepOf(plan);
        QVERIFY(stepOf(*start) <= best);
        const auto simulated = recheck(plan, space, options, found);
        QCOMPARE(stepOf(*start), simulated.best->found.step.value());
        // The plan that every model can have: FSDP, all recomputed, a sequence a rank.
        plan.strategy = {};
        plan.strategy.dp = plan.training.globalBatch;
        plan.strategy.zeroStage = 3;
        plan.strategy.recompute = stratoplan::parallel::Recompute::Full;
        QVERIFY(stepOf(*start) < stepOf(plan));
    }

    void plansStartAlikeEveryTime()
    {
        const ImportedModel m = imported(kQwenMoe);
        QCOMPARE(*startingPlan(m.model, 0, shippedCatalog()), *startingPlan(m.model, 0, shippedCatalog()));
    }
};

STRATOPLAN_TEST(TestImport)
#include "test_import.moc"
