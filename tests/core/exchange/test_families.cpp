// SPDX-License-Identifier: GPL-3.0-or-later
// The families of Hugging Face models that can be imported, against published parameter counts, and those that are
// refused by name.
#include "core/catalog/catalog.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/huggingface_families.h"
#include "core/exchange/starting_plan.h"
#include "core/reporting/documents.h"
#include "tests/core/exchange/published_models.h"
#include "tests/registry.h"

#include <QRegularExpression>
#include <QTest>

#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::plan;

namespace {

using Edits = std::vector<std::pair<QByteArray, QByteArray>>;

QByteArray configOf(const char* name, const Edits& edits = {})
{
    QByteArray text;
    for (const PublishedModel& published : kPublishedModels)
        if (QByteArray(published.name) == name)
            text = published.config;
    for (const auto& [before, after] : edits)
        text = text.contains(before) ? text.replace(before, after) : QByteArray();
    return text;
}

tl::expected<ImportedModel, DocumentErrors> import(const QByteArray& text)
{
    return importHuggingFace(text.toStdString(), "model", "config.json");
}

double count(const ImportedModel& model)
{
    return static_cast<double>(parameters(model.model).total);
}

bool tells(const std::vector<Simplification>& simplified, const char* part)
{
    const std::vector<std::string> sentences = stratoplan::reporting::describe(simplified);
    return std::ranges::any_of(
        sentences, [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

/// The beginning of a configuration.
QByteArray typed(const char* type)
{
    return QByteArray("{\"model_type\":\"") + type + "\",";
}

/// A dense model of 12 layers with what a row adds.
QByteArray small(const char* type, const QByteArray& more)
{
    return typed(type) + R"("num_hidden_layers":12,"hidden_size":512,"intermediate_size":2048,"num_attention_heads":8,
        "num_key_value_heads":8,"head_dim":64,"vocab_size":1000,"tie_word_embeddings":false,)"
        + more + "}";
}

} // namespace

class TestFamilies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void publishedCounts_data()
    {
        QTest::addColumn<const PublishedModel*>("published");
        for (const PublishedModel& published : kPublishedModels)
            QTest::newRow(published.name) << &published;
    }

    void publishedCounts()
    {
        QFETCH(const PublishedModel*, published);
        const auto model = import(published->config);
        QVERIFY2(model.has_value(), model ? "" : describe(model.error().front()).c_str());
        const double share = count(*model) / published->parameters - 1;
        QVERIFY2(std::abs(share) <= 0.001,
            (QByteArray::number(count(*model), 'f', 0) + " against " + published->source).constData());
        const auto plan = startingPlan(model->model, model->longestSequence, shippedCatalog());
        QVERIFY(plan.has_value());
        QVERIFY(!hasErrors(check(*plan)));
    }

    void everyFamilyHasAPublishedModel()
    {
        std::set<const huggingface::Family*> seen{huggingface::familyOf("llama")};
        for (const PublishedModel& published : kPublishedModels) {
            const std::string source = import(published.config).value_or(ImportedModel{}).model.source;
            seen.insert(huggingface::familyOf(source.substr(source.rfind(' ') + 1)));
        }
        for (const huggingface::Family& family : huggingface::shippedFamilies().families)
            QVERIFY2(seen.contains(&family), family.types.front().c_str());
    }

    void whatIsLeftOutIsTold_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("exact");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, double exact, const char* sentence) {
            QTest::newRow(name) << configOf(name) << exact
                                << sentence + QStringLiteral(", less than 0.01 % of the model");
        };
        // What is told makes up the difference to the unit.
        row("GPT-NeoX 20B", 20554567680, "left out: the second norm of a parallel block, 540,672 parameters");
        row("MPT 7B", 6649286656, "counted, though the model has none: biases of the norms, 266,240 parameters");
        row("OLMo 7B", 6888095744,
            "counted, though the model has none: weights and biases of the norms, 532,480 parameters");
        row("Gemma 3 4B, text", 3880263168, "left out: norms after attention and FFN, 174,080 parameters");
        row("OLMo 2 7B", 7298617344,
            "left out: norms of queries and keys with weights of their own for every head, 253,952 parameters");
        row("Phi-2", 2779683840, "left out: biases of the output projection, 51,200 parameters");
        row("Qwen1.5 MoE A2.7B", 14315784192, "left out: the gate of the shared expert, 49,152 parameters");
    }

    void whatIsLeftOutIsTold()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, exact);
        QFETCH(QString, sentence);
        const auto model = import(text);
        QVERIFY(model.has_value());
        const std::vector<std::string> told = stratoplan::reporting::describe(model->simplified);
        QVERIFY2(
            std::ranges::find(told, sentence.toStdString()) != told.end(), told.empty() ? "" : told.back().c_str());
        QString number = QRegularExpression(QStringLiteral("([0-9,]+) parameters")).match(sentence).captured(1);
        const double missing = number.remove(u',').toDouble() * (sentence.startsWith(QStringLiteral("left")) ? 1 : -1);
        QCOMPARE(static_cast<qint64>(count(*model) + missing), static_cast<qint64>(exact));
    }

    void defaultsOfAPartAreListed()
    {
        const auto gemma = import(configOf("Gemma 3 4B, text"));
        QVERIFY(gemma.has_value());
        for (const char* const field :
            {"vocab_size=262208", "num_attention_heads=8", "num_key_value_heads=4", "head_dim=256",
                "sliding_window_pattern=6", "max_position_embeddings=131072", "tie_word_embeddings=true"})
            QVERIFY2(std::ranges::find(gemma->filled, field) != gemma->filled.end(), field);
        QCOMPARE(gemma->model.slidingWindow.value_or(0), 1024);
        QCOMPARE(gemma->model.slidingWindowInterval, 6);
        // A whole file is written with its sizes: there a missing one is an error.
        const auto whole = import(configOf("Gemma 3 1B", {{R"("vocab_size":262144)", R"("use_cache":true)"}}));
        QVERIFY(!whole);
        QCOMPARE(whole.error().front().pointer, std::string("/vocab_size"));
    }

    void partsAreFoundAndTieAsTheWhole()
    {
        const QByteArray inner =
            R"({"model_type":"qwen2","hidden_size":896,"num_hidden_layers":24,"num_attention_heads":14,
            "num_key_value_heads":2,"intermediate_size":4864,"vocab_size":151936})";
        for (const char* const name : {"text_config", "llm_config", "language_config"}) {
            const QByteArray part = "\"" + QByteArray(name) + "\":" + inner;
            const auto model = import(typed("some_vision_model") + "\"tie_word_embeddings\":true," + part + "}");
            QVERIFY(model.has_value());
            QCOMPARE(count(*model), 494032768.0); // Qwen2 0.5B
            QVERIFY(tells(model->simplified, name));
        }
        QVERIFY(
            import(R"({"model_type":"qwen2_5_omni","thinker_config":{"model_type":"x","text_config":)" + inner + "}}")
                .has_value());
    }

    void windowsLieWhereTheyAreStated_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("interval");
        QTest::addColumn<bool>("exact");
        const auto late = [](int first) {
            return small("qwen2",
                R"("use_sliding_window":true,"sliding_window":1024,"max_window_layers":)" + QByteArray::number(first));
        };
        QTest::newRow("every layer") << small("mistral", R"("sliding_window":1024)") << 1024 << 1 << true;
        QTest::newRow("null") << small("mistral", R"("sliding_window":null)") << 0 << 1 << true;
        QTest::newRow("default") << small("mistral", R"("x":0)") << 4096 << 1 << true;
        QTest::newRow("switched off") << small("qwen2", R"("sliding_window":1024)") << 0 << 1 << true;
        QTest::newRow("late layers, none") << late(12) << 0 << 1 << true;
        QTest::newRow("late layers, all") << late(0) << 1024 << 1 << true;
        QTest::newRow("late layers, few") << late(9) << 0 << 1 << false;
        QTest::newRow("late layers, many") << late(4) << 1024 << 3 << false;
        QTest::newRow("letters") << small("exaone4", R"("sliding_window":1024,"sliding_window_pattern":"LLLG")") << 1024
                                 << 4 << true;
        QTest::newRow("kinds of layers") << small("gemma3_text", R"("sliding_window":1024,"layer_types":[
            "sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention",
            "full_attention",
            "sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention",
            "full_attention"])") << 1024 << 3
                                         << true;
    }

    void windowsLieWhereTheyAreStated()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, window);
        QFETCH(int, interval);
        QFETCH(bool, exact);
        const auto model = import(text);
        QVERIFY2(model.has_value(), model ? "" : describe(model.error().front()).c_str());
        QCOMPARE(model->model.slidingWindow.value_or(0), window);
        QCOMPARE(model->model.slidingWindowInterval, interval);
        QCOMPARE(!tells(model->simplified, "no regular distance"), exact);
    }

    void expertsLieWhereTheyAreStated_data()
    {
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<int>("leading");
        QTest::addColumn<int>("interval");
        QTest::addColumn<int>("moe");
        QTest::addColumn<bool>("exact");
        QTest::newRow("everywhere") << QByteArray(R"("x":0)") << 0 << 1 << 12 << true;
        QTest::newRow("step") << QByteArray(R"("decoder_sparse_step":3)") << 0 << 3 << 4 << true;
        QTest::newRow("offset") << QByteArray(R"("decoder_sparse_step":3,"expert_layer_offset":2)") << 0 << 3 << 4
                                << true;
        QTest::newRow("shifted") << QByteArray(R"("decoder_sparse_step":3,"expert_layer_offset":0)") << 0 << 3 << 4
                                 << false;
        QTest::newRow("first dense") << QByteArray(R"("mlp_only_layers":[0,1,2])") << 3 << 1 << 9 << true;
        QTest::newRow("one dense between") << QByteArray(R"("mlp_only_layers":[5])") << 1 << 1 << 11 << false;
        QTest::newRow("frequency") << QByteArray(R"("first_k_dense_replace":1,"moe_layer_freq":2)") << 1 << 2 << 5
                                   << true;
        QTest::newRow("frequencies") << QByteArray(R"("moe_layer_freq":[0,1,1,1,1,1,1,1,1,1,1,1])") << 1 << 1 << 11
                                     << true;
        QTest::newRow("up to a layer") << QByteArray(R"("moe_layer_start_index":2,"moe_layer_end_index":9)") << 4 << 1
                                       << 8 << false;
        QTest::newRow("named") << QByteArray(R"("moe_layers":[3,7,11])") << 0 << 4 << 3 << true;
    }

    void expertsLieWhereTheyAreStated()
    {
        QFETCH(QByteArray, more);
        QFETCH(int, leading);
        QFETCH(int, interval);
        QFETCH(int, moe);
        QFETCH(bool, exact);
        const auto model = import(
            small("qwen3_moe", R"("num_experts":8,"num_experts_per_tok":2,"moe_intermediate_size":256,)" + more));
        QVERIFY2(model.has_value(), model ? "" : describe(model.error().front()).c_str());
        QVERIFY(model->model.moe.has_value());
        QCOMPARE(model->model.moe->leadingDenseLayers, leading);
        QCOMPARE(model->model.moe->layerInterval, interval);
        QCOMPARE(layerCounts(model->model).moe, moe);
        QCOMPARE(!tells(model->simplified, "counted in"), exact);
    }

    void latentAttentionCanBeOff()
    {
        // DeepSeek-VL2 Tiny: the class of DeepSeek-V2 with plain attention.
        const auto model = import(
            small("deepseek_v2", R"("use_mla":false,"q_lora_rank":null,"kv_lora_rank":null,"qk_nope_head_dim":0)"));
        QVERIFY2(model.has_value(), model ? "" : describe(model.error().front()).c_str());
        QVERIFY(!model->model.mla);
        QCOMPARE(model->model.headDim, 64);
    }

    void biasesAreReadAsStated()
    {
        const auto of = [](const char* type, const char* more) {
            return import(small(type, more)).value_or(ImportedModel{});
        };
        const Transformer all = of("llama", R"("attention_bias":true,"mlp_bias":true)").model;
        QVERIFY(all.linearBias && !all.qkvBias);
        const ImportedModel attention = of("llama", R"("attention_bias":true)");
        QVERIFY(attention.model.qkvBias && !attention.model.linearBias);
        QVERIFY(tells(attention.simplified, "biases of the attention's output, 6,144 parameters"));
        const ImportedModel glm = of("glm4_moe", R"("attention_bias":true)"); // of queries, keys and values alone there
        QVERIFY(glm.model.qkvBias && glm.simplified.empty());
        QVERIFY(!of("starcoder2", R"("use_bias":false)").model.linearBias);
        QVERIFY(of("ernie4_5", R"("use_bias":true)").model.linearBias);
    }

    void wrongSizesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("pointer");
        QTest::newRow("KV heads") << configOf(
            "Llama 3.2 1B", {{R"("num_key_value_heads":8)", R"("num_key_value_heads":5)"}})
                                  << "/num_key_value_heads";
        QTest::newRow("first layers") << configOf(
            "Moonlight 16B", {{R"("first_k_dense_replace":1)", R"("first_k_dense_replace":28)"}})
                                      << "/first_k_dense_replace";
        QTest::newRow("width of experts")
            << configOf("Moonlight 16B", {{R"("moe_intermediate_size":1408,)", ""}}) << "/moe_intermediate_size";
        QTest::newRow("latent attention") << configOf("Kimi K2", {{R"("kv_lora_rank":512,)", ""}}) << "/kv_lora_rank";
        QTest::newRow("top-k") << configOf(
            "Moonlight 16B", {{R"("num_experts_per_tok":6)", R"("num_experts_per_tok":65)"}})
                               << "/num_experts_per_tok";
        QTest::newRow("kinds of few layers")
            << small("gemma3_text", R"("layer_types":["full_attention"])") << "/layer_types";
        QTest::newRow("letters") << small("exaone4", R"("sliding_window_pattern":"LXG")") << "/sliding_window_pattern";
        QTest::newRow("windows of no layer")
            << small("smollm3", R"("use_sliding_window":true,"sliding_window":64)") << "/max_window_layers";
        QTest::newRow("numbers of layers") << small(
            "qwen3_moe", R"("num_experts":8,"num_experts_per_tok":2,"moe_intermediate_size":256,
            "mlp_only_layers":[12])") << "/mlp_only_layers";
        QTest::newRow("heads") << configOf("Llama 2 7B",
            {{R"("num_attention_heads":32)", R"("num_attention_heads":48)"},
                {R"("num_key_value_heads":32)", R"("num_key_value_heads":48)"}})
                               << "/num_attention_heads";
        QTest::newRow("sizes by layer") << configOf("Hunyuan A13B", {{R"("moe_topk":8)", R"("moe_topk":[8,8,4])"}})
                                        << "/moe_topk";
        QTest::newRow("inner place") << configOf("DBRX", {{R"("kv_n_heads":8)", R"("kv_n_heads":7)"}})
                                     << "/attn_config/kv_n_heads";
    }

    void wrongSizesAreRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, pointer);
        QVERIFY(!text.isEmpty());
        const auto answer = import(text);
        QVERIFY(!answer);
        QCOMPARE(QString::fromStdString(answer.error().front().pointer), pointer);
        QVERIFY(!answer.error().front().expected.empty());
    }

    void whatIsNoSuchTransformerIsNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        const auto type = [](const char* name, const char* what) {
            QTest::newRow(name) << typed(name) + "\"hidden_size\":4096}" << QString(what);
        };
        for (const char* const name : {"mamba", "jamba", "zamba", "zamba2", "falcon_h1"})
            type(name, "state-space (Mamba) layers");
        for (const char* const name : {"kimi_linear", "minimax", "minimax_text_01", "qwen3_next", "rwkv"})
            type(name, "linear attention layers");
        type("lfm2", "short convolutions");
        type("recurrent_gemma", "recurrent layers");
        type("t5", "is an encoder-decoder (t5)");
        type("whisper", "is an encoder-decoder");
        type("bert", "is an encoder (bert)");
        type("vit", "is a vision model");
        type("clip", "is a pair of encoders");
        type("llada", "is a diffusion language model");
        type("gemma3n", "embeddings for every layer");
        type("mllama", "cross-attention");
        const auto field = [](const char* more, const char* what) {
            QTest::newRow(more) << small("llama", more) << QString(what);
        };
        field(R"("layer_types":["full_attention","linear_attention"])", "linear attention layers (layer_types)");
        field(R"("layers_block_type":["mamba","attention"])", "state-space (Mamba) layers (layers_block_type)");
        field(R"("block_types":["recurrent","attention"])", "recurrent layers (block_types)");
        field(R"("attn_type_list":[0,0,1])", "linear attention layers (attn_type_list)");
        field(R"("linear_attn_config":{"kda_layers":[1]})", "linear attention layers (linear_attn_config)");
        field(R"("hybrid_override_pattern":"M-M*")", "state-space (Mamba) layers (hybrid_override_pattern)");
        field(R"("ssm_cfg":{"d_state":16})", "state-space (Mamba) layers (ssm_cfg)");
        field(R"("mamba_expand":2)", "state-space (Mamba) layers (mamba_expand)");
        field(R"("is_encoder_decoder":true)", "is an encoder-decoder (is_encoder_decoder)");
        field(R"("layer_types":["full_attention","nothing known"])", "a kind that is not known (layer_types)");
        QTest::newRow("diffusion") << QByteArray(
            R"({"_class_name":"FluxTransformer2DModel","_diffusers_version":"0.30.0"})")
                                   << "part of a diffusion pipeline";
    }

    void whatIsNoSuchTransformerIsNamed()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        const auto answer = import(text);
        QVERIFY(!answer);
        const QString told = QString::fromStdString(describe(answer.error().front()));
        QVERIFY2(told.contains(sentence), qPrintable(told));
    }

    void whatIsOffDoesNotRefuse()
    {
        QVERIFY(
            import(small("llama",
                       R"("linear_attn_config":null,"is_encoder_decoder":false,"use_cla":false,"attn_type_list":[1,1],
            "hidden_size_per_layer_input":0,"sparse_config":{})"))
                .has_value());
    }

    void noTypeIsBothTakenAndRefused()
    {
        for (const huggingface::Family& family : huggingface::shippedFamilies().families)
            for (const std::string& type : family.types)
                QVERIFY2(!huggingface::refusedType(type) && huggingface::familyOf(type) == &family, type.c_str());
    }

    void faultsOfTheCatalogueAreNamed_data()
    {
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<QByteArray>("refused");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("no types") << QByteArray("{}") << QByteArray()
                                  << QByteArray(
                                         "families#/entries/0/types: found nothing, expected a value for \"types\"");
        QTest::newRow("key") << QByteArray(R"({"types": ["a"], "widow": 1})") << QByteArray()
                             << QByteArray(
                                    "families#/entries/0/widow: found the unknown key \"widow\", expected one of");
        QTest::newRow("norm") << QByteArray(R"({"types": ["a"], "norm": "batch"})") << QByteArray()
                              << QByteArray("families#/entries/0/norm: found \"batch\", expected one of \"layer\"");
        QTest::newRow("default") << QByteArray(R"({"types": ["a"], "defaults": {"head_dim": 1.5}})") << QByteArray()
                                 << QByteArray("families#/entries/0/defaults/head_dim: found 1.5, expected a whole");
        QTest::newRow("bias") << QByteArray(R"({"types": ["a"], "bias": ["q"]})") << QByteArray()
                              << QByteArray("families#/entries/0/bias/0: found \"q\", expected one of \"qkv\"");
        QTest::newRow("twice") << QByteArray(R"({"types": ["a", "a"]})") << QByteArray()
                               << QByteArray("families#/entries/0/types: found \"a\", expected a model_type that no");
        QTest::newRow("refused") << QByteArray(R"({"types": ["a"]})") << QByteArray(R"({"types": ["a"], "what": "b"})")
                                 << QByteArray("families#/refused_types/0/types: found \"a\", expected a model_type");
    }

    void faultsOfTheCatalogueAreNamed()
    {
        QFETCH(const QByteArray, entry);
        QFETCH(const QByteArray, refused);
        QFETCH(const QByteArray, message);
        const QByteArray text = R"({"license": "", "source": "", "refused_fields": [], "refused_layers": [],
            "attention_layers": [], "field_names": [], "refused_types": [)"
            + refused + R"(], "entries": [)" + entry + "]}";
        const auto parsed = huggingface::parseFamilies({"families", {text.data(), std::size_t(text.size())}});
        QVERIFY(!parsed);
        const QByteArray told(describe(parsed.error()).c_str());
        QVERIFY2(told.startsWith(message), told.data());
    }
};

STRATOPLAN_TEST(TestFamilies)
#include "test_families.moc"
