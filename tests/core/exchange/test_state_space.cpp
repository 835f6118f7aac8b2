// SPDX-License-Identifier: GPL-3.0-or-later
// Hybrids of Mamba-2 as their configurations state them: which layers have which module, exact counts, plans that can
// be estimated, and what is wrong with those that cannot be held.
#include "core/estimate/estimate.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/starting_plan.h"
#include "tests/core/exchange/published_models.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using namespace stratoplan::model;
using namespace stratoplan::plan;

namespace {

QByteArray configOf(std::string_view name)
{
    for (const PublishedModel& published : kPublishedModels)
        if (published.name == name)
            return published.config;
    qFatal("no such model");
    return {};
}

tl::expected<ImportedModel, DocumentErrors> read(const QByteArray& text)
{
    return importHuggingFace(text.toStdString(), "model");
}

/// A granitemoehybrid of four layers, of which the second attends.
const char* const kGranite = R"({"model_type":"granitemoehybrid","hidden_size":1536,"num_hidden_layers":4,
 "num_attention_heads":12,"num_key_value_heads":4,"intermediate_size":512,"shared_intermediate_size":1024,
 "num_local_experts":62,"num_experts_per_tok":6,"mamba_n_heads":48,"mamba_d_head":"auto","mamba_d_state":128,
 "mamba_n_groups":1,"mamba_expand":2,"mamba_d_conv":4,"mamba_chunk_size":256,
 "layer_types":["mamba","attention","mamba","mamba"],"vocab_size":100352,"tie_word_embeddings":true})";

} // namespace

class TestStateSpace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Of the published shape by hand: 23 mixers, 6 layers of attention, 23 of experts, each with one norm.
    void nemotronIsCountedToTheUnit()
    {
        const auto nano = read(configOf("Nemotron 3 Nano 30B A3B"));
        QVERIFY(nano.has_value());
        const LayerModules modules = layerModules(nano->model);
        QCOMPARE(modules.mamba, 23);
        QCOMPARE(modules.attention, 6);
        QCOMPARE(modules.ffn.moe, 23);
        QCOMPARE(modules.ffn.dense, 0);
        const std::int64_t h = 2688, inner = 64 * 64, convolved = inner + 2 * 8 * 128;
        const std::int64_t mixer = h * (inner + convolved + 64) + inner * h + 5 * convolved + 3 * 64 + inner + h;
        const std::int64_t attention = h * (32 + 2 * 2) * 128 + 32 * 128 * h + h;
        const std::int64_t experts = h * 128 + 128 + 128 * 2 * h * 1856 + 2 * h * 3712 + h;
        QCOMPARE(parameters(nano->model).total, 23 * mixer + 6 * attention + 23 * experts + 2 * 131072 * h + h);
        QCOMPARE(parameters(nano->model).total, std::int64_t{31577940288});
    }

    void mixersMayHaveAnFfnEach()
    {
        const auto granite = read(kGranite);
        QVERIFY(granite.has_value());
        QCOMPARE(granite->model.mamba2->layers, 3);
        QVERIFY(!granite->model.mamba2->ffnLayers); // one in every layer, however many there are
        Transformer longer = granite->model;
        longer.layers *= 2;
        QCOMPARE(layerModules(longer).ffn.moe, 8);
        QCOMPARE(layerModules(longer).attention, 5);
        QCOMPARE(granite->model.mamba2->headDim, 64); // 2 x 1,536 over 48 heads
        QVERIFY(!granite->model.slidingWindow && !granite->model.standIn);
        const auto attention = read(QByteArray(kGranite).replace(
            R"("mamba","attention","mamba","mamba")", R"("attention","attention","attention","attention")"));
        QVERIFY(attention && !attention->model.mamba2);
    }

    /// As later versions of transformers write them.
    void kindsMayBeWords()
    {
        const char* const pattern =
            "\"hybrid_override_pattern\":\"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME\"";
        QByteArray words = "\"layers_block_type\":[\"mamba\",\"moe\",\"attention\",\"mamba\"]";
        const QByteArray nano = configOf("Nemotron 3 Nano 30B A3B");
        const auto model = read(QByteArray(nano).replace(pattern, words).replace("52,", "4,"));
        QVERIFY(model.has_value());
        QCOMPARE(layerModules(model->model).mamba, 2);
        QCOMPARE(layerModules(model->model).attention, 1);
        QCOMPARE(layerModules(model->model).ffn.moe, 1);
    }

    /// Of the layers that have them.
    void leftoversAreCountedWhereTheyAre()
    {
        const QByteArray bamba = configOf("Bamba 9B");
        const auto model =
            read(QByteArray(bamba).replace("\"mamba_n_groups\"", "\"attention_bias\":true,\"mamba_n_groups\""));
        QVERIFY(model.has_value());
        bool told = false;
        for (const Simplification& one : model->simplified)
            if (const auto* const left = std::get_if<LeftoverParameters>(&one))
                told = told || (left->what == Leftover::OutBias && left->parameters == 3 * 4096);
        QVERIFY(told);
    }

    void sizesBeyondAllMeasureAreRefused()
    {
        for (const char* const field :
            {"mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv"}) {
            const QByteArray named = QByteArray("\"") + field + "\":";
            QByteArray text = configOf("Bamba 9B");
            const auto at = text.indexOf(named) + named.size();
            text.replace(at, text.indexOf(',', at) - at, "100000000");
            const auto model = read(text);
            if (!model)
                continue;
            const auto start = startingPlan(model->model, 4096, shippedCatalog());
            QVERIFY2(!start || stratoplan::estimate::estimate(*start), field);
        }
    }

    void plansOfThemAreEstimated()
    {
        for (const char* const name : {"Nemotron 3 Nano 30B A3B", "Nemotron-H 56B", "Bamba 9B"}) {
            const auto model = read(configOf(name));
            QVERIFY2(model.has_value(), name);
            const auto start = startingPlan(model->model, 4096, shippedCatalog());
            QVERIFY2(start.has_value(), name);
            QVERIFY(QByteArray::fromStdString(start->training.software.id).startsWith("megatron-core"));
            QCOMPARE(model->model.mamba2->groups % start->strategy.tp, 0);
            const auto answer = stratoplan::estimate::estimate(*start);
            QVERIFY2(answer && answer->fits && answer->mfu > 0.1 && answer->mfu < 0.7, name);
        }
    }

    // In one piece: a table of what is wrong, and where.
    void whatCannotBeHeldIsNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("expected");
        const QByteArray nano = configOf("Nemotron 3 Nano 30B A3B");
        QTest::newRow("no mixers") << QByteArray(nano)
                                          .replace("52,", "5,")
                                          .replace("MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "*E*E*")
                                   << "/hybrid_override_pattern"
                                   << "at least one mixer";
        QTest::newRow("width") << QByteArray(kGranite).replace("\"mamba_expand\":2", "\"mamba_expand\":100000000")
                               << "/mamba_d_head"
                               << "a head's width";
        QTest::newRow("convolution") << QByteArray(nano).replace(
            "\"use_bias\":false", "\"use_bias\":false,\"use_conv_bias\":false")
                                     << "/use_conv_bias"
                                     << "cannot be represented yet";
        QTest::newRow("length") << QByteArray(nano).replace("52,", "51,") << "/hybrid_override_pattern"
                                << "num_hidden_layers of them, 51";
        QTest::newRow("letters") << QByteArray(nano).replace("MEMEM*E", "MEMEM*X") << "/hybrid_override_pattern"
                                 << "the letters M, *, - and E";
        QTest::newRow("both") << QByteArray(nano).replace("\"MEMEM*E", "\"M-MEM*E") << "/hybrid_override_pattern"
                              << "cannot be represented yet";
        QTest::newRow("experts") << QByteArray(nano).replace("\"n_routed_experts\":128,", "") << "/num_experts"
                                 << "the experts of the layers E";
        QTest::newRow("biases") << QByteArray(nano).replace("\"mamba_proj_bias\":false", "\"mamba_proj_bias\":true")
                                << "/mamba_proj_bias"
                                << "cannot be represented yet";
        QTest::newRow("mixers' biases") << QByteArray(nano).replace("\"use_bias\":false", "\"use_bias\":true")
                                        << "/use_bias"
                                        << "cannot be represented yet";
        QTest::newRow("no list") << QByteArray(kGranite).replace("\"layer_types\"", "\"kinds\"") << "/layers_block_type"
                                 << "the kind of each layer";
        QTest::newRow("predictions") << QByteArray(nano).replace(
            "\"use_bias\":false", "\"use_bias\":false,\"num_nextn_predict_layers\":1")
                                     << "/num_nextn_predict_layers"
                                     << "cannot be represented yet";
        QTest::newRow("latent experts") << QByteArray(nano).replace(
            "\"use_bias\":false", "\"use_bias\":false,\"moe_latent_size\":1024")
                                        << "/moe_latent_size"
                                        << "cannot be represented yet";
        QTest::newRow("layers") << QByteArray(kGranite).replace("\"mamba\",\"mamba\"]", "\"mamba\"]") << "/layer_types"
                                << "num_hidden_layers of them, 4";
        QTest::newRow("heads") << QByteArray(kGranite).replace("\"mamba_n_heads\":48", "\"mamba_n_heads\":0")
                               << "/mamba_n_heads"
                               << "1";
    }

    void whatCannotBeHeldIsNamed()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, pointer);
        QFETCH(const QString, expected);
        const auto answer = read(text);
        QVERIFY(!answer);
        QCOMPARE(QString::fromStdString(answer.error().front().pointer), pointer);
        const QString right = QString::fromStdString(answer.error().front().expected);
        QVERIFY2(right.contains(expected), qPrintable(right));
    }
};

STRATOPLAN_TEST(TestStateSpace)
#include "test_state_space.moc"
