// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validation/case_file.h"
#include "core/validation/case_plan.h"
#include "core/validation/failures.h"
#include "core/validation/statistics.h"
#include "core/validation/validation.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::validation;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

const char* kRow = R"({"id":"a/1","group":"a","software":{"framework":"Megatron-LM","version":"2021"},
 "model":{"name":"GPT","kind":"dense","layers":24,"hidden":2048,"heads":16,"vocab":51200,"seq_len":2048,
 "gated_mlp":false},
 "hardware":{"accelerator":"A100 SXM","memory_gib":80,"gpus_per_node":8,"total_gpus":8},
 "parallel":{"tp":2,"pp":1,"dp":4,"cp":1,"ep":1,"vpp":1,"sequence_parallel":false,"zero_stage":0},
 "training":{"precision":"fp16","micro_batch":2,"global_batch":64,"recompute":"full","flash_attention":false},
 "measured":{"step_s":2.5,"peak_mem_gib":null}})";

std::string edited(const char* from, const char* to)
{
    return "[" + QString::fromUtf8(kRow).replace(from, to).toStdString() + "]";
}

} // namespace

class TestValidation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errorStatisticsByHand()
    {
        const ErrorStatistics s =
            errorStatistics({{"a", 0.1, true}, {"b", -0.2, true}, {"c", 0.4, false}, {"d", -0.05, true}});
        QCOMPARE(s.n, 4);
        QVERIFY(near(s.meanAbs, 0.1875));
        QVERIFY(near(s.medianAbs, 0.15));
        QVERIFY(near(s.bias, 0.0625));
        QVERIFY(near(s.p90Abs, 0.4)); // rank ceil(0.9 x 4) of 0.05 0.1 0.2 0.4
        std::vector<ErrorRow> ten;
        for (int i = 1; i <= 10; ++i)
            ten.push_back({"", i / 100.0, {}});
        QVERIFY(near(errorStatistics(ten).p90Abs, 0.09));
        ten.push_back({"", 0.2, {}});
        QVERIFY(near(errorStatistics(ten).p90Abs, 0.1));
        QVERIFY(near(s.meanAccuracy, 0.8125));
        QVERIFY(near(s.worst, 0.4));
        QCOMPARE(s.worstId, std::string("c"));
        QVERIFY(near(s.withinRange.value(), 0.75));
        QCOMPARE(errorStatistics({}).n, 0);
    }

    void spearmanByHand()
    {
        QVERIFY(near(spearman({1, 2, 3, 4}, {10, 20, 30, 40}), 1));
        QVERIFY(near(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1));
        QVERIFY(near(spearman({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8));
        QVERIFY(near(spearman({1, 1, 1}, {1, 2, 3}), 0));
    }

    void regretIsWhatTheChosenStrategyLoses()
    {
        std::vector<RankedRow> rows;
        for (const auto& [predicted, measured] :
            {std::pair(5, 10), std::pair(1, 12), std::pair(3, 11), std::pair(4, 30), std::pair(2, 13)})
            rows.push_back({"g", double(predicted), double(measured)});
        const RankingStatistics s = rankingStatistics(rows);
        QCOMPARE(s.groups, 1);
        QVERIFY(near(s.regretMean, 0.2)); // chose 12, best 10
        QVERIFY(near(s.within2Percent, 0));
        rows.pop_back();
        QCOMPARE(rankingStatistics(rows).groups, 0); // four strategies are too few to rank
    }

    void aNamedModelFillsItsShape()
    {
        const Catalog& catalog = shippedCatalog();
        const auto plan = [&](const std::string& json) { return readCases(json, catalog); };
        // The Nemotron of this shape has its own vocabulary; another shape of that name does not borrow it.
        QString row = QString::fromUtf8(kRow)
                          .replace(R"("name":"GPT")", R"("name":"nemotron-8B")")
                          .replace(R"("vocab":51200,)", "");
        auto set = plan("["
            + QString(row)
                  .replace(R"("layers":24,"hidden":2048,"heads":16)", R"("layers":32,"hidden":4096)")
                  .toStdString()
            + "]");
        QVERIFY(set && set->cases.size() == 1);
        QCOMPARE(set->cases[0].plan.model.vocabulary, 256000);
        QCOMPARE(set->cases[0].plan.model.heads, 32);
        QVERIFY(std::find(set->cases[0].filled.begin(), set->cases[0].filled.end(), "model.vocab=256000")
            != set->cases[0].filled.end());
        set = plan("[" + row.toStdString() + "]");
        QVERIFY(set && set->cases.size() == 1);
        QCOMPARE(set->cases[0].plan.model.vocabulary, 50257);
        // Without a shape the name gives it; an unknown name gives none.
        row.replace(R"("layers":24,"hidden":2048,"heads":16,)", "");
        set = plan("[" + row.toStdString() + "]");
        QVERIFY(set && set->cases.size() == 1);
        QCOMPARE(set->cases[0].plan.model.layers, 32);
        set = plan("[" + row.replace("nemotron", "nobody").toStdString() + "]");
        QVERIFY(set && set->cases.empty());
        QCOMPARE(set->skipped.at(0).reason, std::string("model.hidden is not stated"));
    }

    void memoryAloneNeedsNoBatch()
    {
        const QString row = QString::fromUtf8(kRow).replace(R"("micro_batch":2,"global_batch":64,)", "");
        auto set = readCases("[" + row.toStdString() + "]", shippedCatalog());
        QVERIFY(set && set->cases.empty());
        set = readCases("["
                + QString(row)
                      .replace(R"("step_s":2.5,"peak_mem_gib":null)", R"("step_s":null,"peak_mem_gib":40)")
                      .toStdString()
                + "]",
            shippedCatalog());
        QVERIFY(set && set->cases.size() == 1);
        QCOMPARE(set->cases[0].plan.training.globalBatch, 4); // one sequence on each of the four replicas
    }

    void vocabularyPlacementsAreRead()
    {
        const auto strategy = [](const char* schedule) {
            const auto set =
                readCases(edited(R"("tp":2,"pp":1,"dp":4)",
                              (std::string(R"("tp":1,"pp":8,"dp":1,"schedule":")") + schedule + "\"").c_str()),
                    shippedCatalog());
            return set && set->cases.size() == 1 ? set->cases[0].plan.strategy : Strategy{};
        };
        const Strategy plain = strategy("1F1B");
        QCOMPARE(strategy("1F1B + vocabulary parallelism (alg. 1)").vocabularyPlacement, VocabularyPlacement::Vocab1);
        QCOMPARE(strategy("1F1B + vocabulary parallelism (alg. 2)").vocabularyPlacement, VocabularyPlacement::Vocab2);
        QCOMPARE(strategy("1F1B interlaced pipeline").vocabularyPlacement, VocabularyPlacement::Interlaced);
        QCOMPARE(strategy("1F1B interlaced pipeline").schedule, Schedule::OneFOneB);
        QVERIFY(plain.pp > 1 && plain.stageLayers.empty() && plain.vocabularyPlacement == VocabularyPlacement::Ends);
        const Strategy redistributed = strategy("1F1B + layer redistribution");
        QCOMPARE(int(redistributed.stageLayers.size()), redistributed.pp);
        QCOMPARE(std::accumulate(redistributed.stageLayers.begin(), redistributed.stageLayers.end(), 0), 24);
        QVERIFY(redistributed.stageLayers.back() < redistributed.stageLayers.front());
    }

    void shardGroupsAreRead()
    {
        const auto set = readCases(
            edited(R"("vpp":1,)", R"("vpp":1,"overlap":"ZeRO-1 shard group 2; overlapped",)"), shippedCatalog());
        QVERIFY(set && set->cases.size() == 1);
        QCOMPARE(set->cases[0].plan.strategy.zeroShards, 2);
    }

    void aRowBecomesItsPlan()
    {
        const auto set = readCases(edited("", ""), shippedCatalog());
        QVERIFY2(set.has_value(), set ? "" : describe(set.error()).c_str());
        QCOMPARE(set->cases.size(), std::size_t(1));
        const Plan& plan = set->cases[0].plan;
        QCOMPARE(plan.cluster.nodes[0].accelerator.id, std::string("a100-sxm-80"));
        QCOMPARE(plan.strategy.tp, 2);
        QCOMPARE(plan.strategy.microBatch, 2);
        QCOMPARE(plan.strategy.recompute, Recompute::Full);
        QCOMPARE(plan.training.attention, AttentionKernel::Unfused);
        QCOMPARE(plan.training.globalBatch, 64);
        QVERIFY(!plan.training.fp32Gradients);
        QCOMPARE(set->cases[0].stepSeconds.value(), 2.5);
        QVERIFY(!set->cases[0].peakGib);
        // kv_heads, head_dim, ffn_hidden and tied_embeddings are not stated.
        const std::set<std::string> filled(set->cases[0].filled.begin(), set->cases[0].filled.end());
        QVERIFY(filled.count("model.kv_heads=16") && filled.count("model.ffn_hidden=8192")
            && filled.count("model.head_dim=128"));
    }

    void anUnknownStackIsEagerPyTorchAndSaysSo()
    {
        const auto set = readCases(edited("Megatron-LM", "HomeGrown"), shippedCatalog());
        const auto& filled = set->cases.at(0).filled;
        QVERIFY(std::find(filled.begin(), filled.end(), "software.profile=pytorch-eager") != filled.end());
    }

    void aRaggedBatchIsScaled()
    {
        const auto set = readCases(edited("\"global_batch\":64", "\"global_batch\":60"), shippedCatalog());
        QCOMPARE(set->cases.at(0).plan.training.globalBatch, 64);
        QVERIFY(near(set->cases[0].batchScale, 60.0 / 64));
    }

    // In one piece: a table of edits that spoil a row, and what is said of each.
    void rowsThatCannotBecomeAPlanSayWhy_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("reason");
        QTest::newRow("accelerator") << QByteArray("A100 SXM") << QByteArray("Abacus 3") << "Abacus 3";
        QTest::newRow("layers") << QByteArray("\"layers\":24") << QByteArray("\"layers\":null") << "model.layers";
        QTest::newRow("batch") << QByteArray("\"global_batch\":64") << QByteArray("\"global_batch\":null")
                               << "training.global_batch";
        QTest::newRow("experts") << QByteArray("\"kind\":\"dense\"") << QByteArray("\"kind\":\"moe\"")
                                 << "model.experts";
        QTest::newRow("kind") << QByteArray("\"kind\":\"dense\"") << QByteArray("\"kind\":\"mamba\"")
                              << "model.kind: found \"mamba\", and cases with layers of state spaces";
        QTest::newRow("attention")
            << QByteArray("\"kind\"") << QByteArray("\"attention\":\"Gated DeltaNet\",\"kind\"")
            << "model.attention: found \"Gated DeltaNet\", and cases with layers of state spaces, linear or "
               "sparse attention are not read";
        QTest::newRow("section") << QByteArray("\"measured\":{\"step_s\":2.5,\"peak_mem_gib\":null}")
                                 << QByteArray("\"measured\":3") << "/0/measured: found 3, expected an object or null";
        QTest::newRow("no id") << QByteArray("\"id\":\"a/1\",") << QByteArray("")
                               << "/0/id: found nothing, expected a text";
        const auto value = [](const char* field, const char* from, const char* to, const char* told) {
            const auto member = [&](const char* v) { return QByteArray("\"") + field + "\":" + v; };
            QTest::newRow(qPrintable(QString(field) + " " + to)) << member(from) << member(to) << told;
        };
        value("layers", "24", "\"many\"", "/0/model/layers: found \"many\", expected a whole number");
        value("layers", "24", "1e9", "/0/model/layers: found 1000000000");
        value("layers", "24", "0", "/0/model/layers: found 0, expected a whole number from 1");
        value("hidden", "2048", "1e9", "/0/model/hidden: found 1000000000");
        value("heads", "16", "0", "/0/model/heads: found 0, expected a whole number from 1");
        value("heads", "16", "4096", "model.head_dim");
        value("tp", "2", "2.5", "/0/parallel/tp: found 2.5");
        value("tp", "2", "-2", "/0/parallel/tp: found -2");
        value("dp", "4", "0", "/0/parallel/dp: found 0");
        value("ep", "1", "0", "/0/parallel/ep: found 0");
        value("zero_stage", "0", "7", "/0/parallel/zero_stage: found 7, expected a whole number from 0 to 3");
        value("gpus_per_node", "8", "0", "/0/hardware/gpus_per_node: found 0");
        value("total_gpus", "8", "100000000", "hardware has 100000000 accelerators");
        value("micro_batch", "2", "100000000", "a multiple of pp if interleaved, is 400000000");
        value("global_batch", "64", "1e300", "/0/training/global_batch: found 1e+300");
        value("sequence_parallel", "false", "\"yes\"",
            "/0/parallel/sequence_parallel: found \"yes\", expected true, false or null");
        value("flash_attention", "false", "\"perhaps\"", "/0/training/flash_attention: found \"perhaps\"");
        value("step_s", "2.5", "0", "/0/measured/step_s: found 0");
        value("step_s", "2.5", "1e-320", "/0/measured/step_s: found");
    }

    void rowsThatCannotBecomeAPlanSayWhy()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, reason);
        const auto set = readCases(edited(from, to), shippedCatalog());
        QVERIFY(set.has_value());
        QCOMPARE(set->total, 1);
        QCOMPARE(set->skipped.size(), std::size_t(1));
        QVERIFY2(QString::fromStdString(set->skipped[0].reason).contains(reason), set->skipped[0].reason.c_str());
    }

    void productsThatLeaveTheRangeAreRefused()
    {
        const QString row =
            QString(kRow).replace("\"tp\":2", "\"tp\":65536").replace("\"pp\":1", "\"pp\":65536"); // 2^32
        const auto set = readCases("[" + row.toStdString() + "]", shippedCatalog());
        QVERIFY(set && set->cases.empty());
        QVERIFY2(set->skipped[0].reason.find("4294967296 accelerators") != std::string::npos,
            set->skipped[0].reason.c_str());
        const QString experts = QString(kRow)
                                    .replace("\"kind\":\"dense\"", "\"kind\":\"moe\",\"experts\":8,\"top_k\":2")
                                    .replace("\"ep\":1", "\"ep\":0");
        QCOMPARE(readCases("[" + experts.toStdString() + "]", shippedCatalog())->skipped.size(), std::size_t(1));
    }

    void oneFaultyRowLeavesTheOthers()
    {
        const auto set = readCases(
            std::string("{\"cases\": [") + kRow + ", 7, {\"id\":\"b\",\"group\":\"g\",\"model\":{\"layers\":true}}]}",
            shippedCatalog());
        QVERIFY(set.has_value());
        QCOMPARE(set->total, 3);
        QCOMPARE(set->cases.size(), std::size_t(1));
        QCOMPARE(set->skipped.size(), std::size_t(2));
        QCOMPARE(set->skipped[0].id, std::string("/cases/1"));
        QCOMPARE(set->skipped[0].reason, std::string("/cases/1: found 7, expected an object: a measured case"));
        QCOMPARE(set->skipped[1].id, std::string("b"));
    }

    // In one piece: a table of edits that leave something out of a row, and what it is filled in with.
    void everyFillInIsListed_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("filled");
        QTest::newRow("schedule") << ""
                                  << ""
                                  << "parallel.schedule=1f1b";
        QTest::newRow("schedule of chunks") << "\"vpp\":1"
                                            << "\"vpp\":2"
                                            << "parallel.schedule=interleaved";
        QTest::newRow("no pipeline") << "\"tp\":2"
                                     << "\"schedule\":\"none\",\"tp\":2"
                                     << "parallel.schedule=1f1b";
        QTest::newRow("precision") << "\"fp16\""
                                   << "null"
                                   << "training.precision=bf16";
        QTest::newRow("kind") << "\"kind\":\"dense\","
                              << ""
                              << "model.kind=dense";
        QTest::newRow("batch") << "\"global_batch\":64"
                               << "\"grad_accum\":8"
                               << "training.global_batch=64";
        QTest::newRow("unknown schedule") << "\"tp\":2"
                                          << "\"schedule\":\"spiral\",\"tp\":2"
                                          << "parallel.schedule=1f1b, as \"spiral\" is not known";
        QTest::newRow("unknown precision") << "\"fp16\""
                                           << "\"posit16\""
                                           << "training.precision=bf16, as \"posit16\" is not known";
        QTest::newRow("unknown recomputation") << "\"full\""
                                               << "\"now and then\""
                                               << "training.recompute=none, as \"now and then\" is not known";
        QTest::newRow("unknown sharding") << "\"zero_stage\":0"
                                          << "\"fsdp\":\"SHARDS\""
                                          << "parallel.zero_stage=0, as \"SHARDS\" is not known";
        QTest::newRow("unknown kind") << "\"dense\""
                                      << "\"odd\""
                                      << "model.kind=dense, as \"odd\" is not known";
        QTest::newRow("unknown attention") << "\"kind\""
                                           << "\"attention\":\"spiral\",\"kind\""
                                           << "model.attention=full, as \"spiral\" is not known";
    }

    void everyFillInIsListed()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, filled);
        const auto set =
            readCases("[" + (from.isEmpty() ? QString(kRow) : QString(kRow).replace(from, to)).toStdString() + "]",
                shippedCatalog());
        QVERIFY2(set && set->cases.size() == 1, set && !set->skipped.empty() ? set->skipped[0].reason.c_str() : "");
        const auto& notes = set->cases[0].filled;
        QVERIFY(std::find(notes.begin(), notes.end(), filled.toStdString()) != notes.end());
    }

    void aBatchIsTakenFromRowsAlike()
    {
        CaseRecord stated;
        stated.group = "source";
        stated.layers = 32;
        stated.microBatch = 2;
        stated.globalBatch = 64;
        CaseRecord open = stated;
        open.id = "open";
        open.microBatch = open.globalBatch = std::nullopt;
        CaseRecord other = open; // of another shape
        other.layers = 40;
        std::vector<CaseRecord> rows{open, stated, other};
        fillFromAlike(rows);
        QCOMPARE(rows[0].microBatch, std::optional(2));
        QCOMPARE(rows[0].globalBatch, std::optional(64));
        QCOMPARE(rows[0].filled, (std::vector<std::string>{"training.micro_batch=2", "training.global_batch=64"}));
        QVERIFY(rows[1].filled.empty() && rows[2].filled.empty() && !rows[2].microBatch);
        // Two that differ say nothing of a third.
        CaseRecord larger = stated;
        larger.globalBatch = 128;
        rows = {open, stated, larger};
        fillFromAlike(rows);
        QVERIFY(!rows[0].microBatch && rows[0].filled.empty());
    }

    /// What a case states of itself is the whole list.
    void aCaseMayStateWhatWasFilledIn()
    {
        const auto read = [](const char* batch, const char* filled) {
            std::string row = edited(R"("micro_batch":2,"global_batch":64,)", batch);
            row.insert(2, std::string(R"("filled":)") + filled + ',');
            return readCases(row, shippedCatalog());
        };
        const auto stated = read(R"("micro_batch":2,"global_batch":64,)", R"(["training.micro_batch=2"])");
        QVERIFY(stated && stated->cases.size() == 1);
        QCOMPARE(stated->cases[0].filled, std::vector<std::string>{"training.micro_batch=2"});
        const auto left = read(R"("micro_batch":2,"global_batch":64,)", "null");
        QVERIFY(left && left->cases.size() == 1 && left->cases[0].filled.size() > 1);
        const auto open = read("", "null");
        QVERIFY(open && open->skipped.size() == 1);
        QCOMPARE(open->skipped[0].reason, std::string("training.global_batch is not stated"));
        const auto faulty = read("", "3");
        QVERIFY(faulty && faulty->skipped.size() == 1);
        QCOMPARE(faulty->skipped[0].reason, std::string("/0/filled: found 3, expected an array of texts, or null"));
    }

    /// Facts that no rule knows: a batch that other rows of the source print, the year of a stack, the cluster of a
    /// source, how long packed examples are, which part of the states is sharded.
    void shippedCasesStateWhatIsKnownOfTheirSources()
    {
        const auto set = readCases(shippedCases(), shippedCatalog());
        QVERIFY(set);
        const auto one = [&](std::string_view id) -> const MeasuredCase& {
            return *std::ranges::find(set->cases, id, &MeasuredCase::id);
        };
        const MeasuredCase& alike = one("paddlenlp/llama-7b");
        QCOMPARE(alike.plan.strategy.microBatch, 2);
        QCOMPARE(alike.plan.training.globalBatch, 64);
        QCOMPARE(alike.filled,
            (std::vector<std::string>{"parallel.schedule=1f1b", "training.micro_batch=2", "training.global_batch=64",
                "training.grad_accum=8"}));
        QCOMPARE(one("torchtitan/h200-8B-n4").plan.training.software.id, std::string("torchtitan-2025"));
        QCOMPARE(one("nemo-24.07-35029a/LLAMA2-7B-fp8-g8-gbs32-sft").plan.training.documentLength, std::optional(256));
        QCOMPARE(one("alpa/gpt2.6b-p3.16-dp2op2pp2").plan.strategy.zeroStage, 2);
        int named = 0;
        for (const char* words : {R"("node":"jean-zay-a100")", R"("node":"mosaicml-a100-80")",
                 R"("node":"a100-80-4xhdr")", R"("node":"aws-p3-16xlarge")", R"("document_length":256)"})
            named += shippedCases().find(words) != std::string_view::npos;
        QCOMPARE(named, 5);
    }

    void oneProfileServesEveryCaseIfAsked()
    {
        const SoftwareProfile* profile = shippedCatalog().softwareProfile("alpa");
        QVERIFY(profile);
        const auto set = readCases(edited("HomeGrown", ""), shippedCatalog(), {.file = {}, .software = *profile});
        QCOMPARE(set->cases.at(0).plan.training.software.id, std::string("alpa"));
        for (const std::string& note : set->cases[0].filled)
            QVERIFY2(!note.starts_with("software"), note.c_str());
    }

    void brokenFilesSayWhereAndWhat_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("told");
        QTest::newRow("syntax") << QByteArray("[{}\n  7]")
                                << "f.json: found 7 at line 2, column 3, expected ',' or ']'";
        QTest::newRow("shape") << QByteArray("3") << "f.json: found 3, expected an array of measured cases";
        QTest::newRow("no cases") << QByteArray("{}")
                                  << "f.json: /cases: found nothing, expected an array of measured cases";
        QTest::newRow("cases of another shape")
            << QByteArray("{\"cases\": 3}") << "f.json: /cases: found 3, expected an array of measured cases";
        QTest::newRow("nothing") << QByteArray(" ") << "f.json: found no text";
        QTest::newRow("nesting") << QByteArray(200000, '[') << "levels of nesting, expected at most 64";
        QTest::newRow("nesting inside") << "[{\"id\":" + QByteArray(200000, '[')
                                        << "levels of nesting, expected at most 64";
        QTest::newRow("encoding") << QByteArray("[\"\xff\"]") << "expected UTF-8 text";
    }

    void brokenFilesSayWhereAndWhat()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, told);
        const auto set = readCases(text.toStdString(), shippedCatalog(), {.file = "f.json", .software = {}});
        QVERIFY(!set.has_value());
        QVERIFY2(QString::fromStdString(describe(set.error())).contains(told), describe(set.error()).c_str());
    }

    /// Of runs that failed those are caught that are told not to fit; of those that ran, these are refused.
    void failuresAgainstRuns()
    {
        const auto row = [](const char* id, int microBatch, const char* status) {
            QString text = kRow;
            text.replace("a/1", id).replace(R"("micro_batch":2,"global_batch":64,"recompute":"full")",
                QString(R"("micro_batch":%1,"global_batch":1024,"recompute":"none")").arg(microBatch));
            if (*status != 0) {
                text.replace(R"("step_s":2.5)", R"("step_s":null)");
                text.insert(1, QString(R"("status":"%1",)").arg(status));
            }
            return text.toStdString();
        };
        const auto read = [](const std::string& rows) { return *readCases("[" + rows + "]", shippedCatalog()); };
        const Validation ran = validate(read(row("small", 1, "") + "," + row("large", 256, "")));
        QVERIFY(ran.rows[0].fits && !ran.rows[1].fits);
        const FitMatrix matrix = fitMatrix(ran,
            read(row("certain", 256, "oom-certain") + "," + row("likely", 256, "oom-likely") + ","
                + row("missed", 1, "oom-likely") + "," + row("slow", 1, "timeout") + "," + row("other", 1, "")));
        QCOMPARE(matrix.certain.toldNotToFit, std::vector<std::string>{"certain"});
        QCOMPARE(matrix.likely.toldNotToFit, std::vector<std::string>{"likely"});
        QCOMPARE(matrix.likely.toldToFit, std::vector<std::string>{"missed"});
        QCOMPARE(matrix.failures(), 3);
        QVERIFY(near(matrix.caughtShare(), 2.0 / 3));
        QCOMPARE(matrix.measured.toldNotToFit, std::vector<std::string>{"large"});
        QVERIFY(near(matrix.measured.refusedShare(), 0.5));
        QCOMPARE(matrix.skipped.size(), std::size_t(2));
        QCOMPARE(
            matrix.skipped[0].reason, std::string("status is \"timeout\", expected \"oom-certain\" or \"oom-likely\""));
        QCOMPARE(
            matrix.skipped[1].reason, std::string("status is not stated, expected \"oom-certain\" or \"oom-likely\""));
        QCOMPARE(fitMatrix(ran, {}).caughtShare(), 0.0);
    }

    /// Rank 0 is of the first stage, and its peak says nothing of the others.
    void peaksOfRankZeroAreOfTheFirstStage()
    {
        const auto peak = [](const char* definition) {
            QString text = kRow;
            text.replace(R"("pp":1,"dp":4)", R"("pp":2,"dp":2)")
                .replace(R"("vocab":51200)", R"("vocab":512000)")
                .replace(R"("peak_mem_gib":null)",
                    QString(R"("peak_mem_gib":10,"peak_mem_definition":"%1")").arg(definition));
            const auto set = readCases("[" + text.toStdString() + "]", shippedCatalog());
            const auto answer = stratoplan::estimate::estimate(set->cases.front().plan, {.remedies = false});
            const CaseResult row = validate(*set).rows.front();
            return std::pair(*row.estimatedGib * stratoplan::units::kGiB, answer->memory);
        };
        const auto [most, memory] = peak("maximum over devices");
        QVERIFY(std::abs(most / memory.peak.value() - 1) < 1e-12);
        const auto first = peak("allocator peak of rank 0").first;
        QVERIFY(std::abs(first / memory.stages.front().total().value() - 1) < 1e-12);
        QVERIFY(first < most); // the last one has the logits
    }

    void theShippedCasesAreEstimated()
    {
        const auto set = readCases(shippedCases(), shippedCatalog());
        QVERIFY2(set.has_value(), set ? "" : describe(set.error()).c_str());
        QCOMPARE(set->total, 2088);
        const Validation v = validate(*set);
        QCOMPARE(v.rows.size() + v.skipped.size(), std::size_t(2088));
        QVERIFY2(v.rows.size() > 1700, qPrintable(QString::number(v.rows.size())));
        for (const CaseResult& row : v.rows) {
            QVERIFY(std::isfinite(*row.estimatedSeconds) && *row.estimatedSeconds > 0);
            QVERIFY(*row.lowSeconds <= *row.estimatedSeconds && *row.estimatedSeconds <= *row.highSeconds);
            if (row.measuredSeconds)
                QVERIFY(near(*row.error, *row.estimatedSeconds / *row.measuredSeconds - 1));
        }
        for (const SkippedCase& skipped : v.skipped)
            QVERIFY(!skipped.reason.empty());
        int inGroups = 0;
        for (const GroupStatistics& group : v.groups)
            inGroups += group.time.n;
        QCOMPARE(inGroups, v.overall.n);
    }

    void stoppingKeepsWhatIsDone()
    {
        const auto set = readCases(shippedCases(), shippedCatalog());
        std::stop_source stop;
        const Validation v = validate(*set, stop.get_token(), [&](int done, int) {
            if (done == 10)
                stop.request_stop();
        });
        QVERIFY(v.stopped);
        QCOMPARE(v.rows.size() + v.skipped.size() - set->skipped.size(), std::size_t(10));
        QVERIFY(!v.rows.empty());
        QCOMPARE(v.overall.n, int(std::count_if(v.rows.begin(), v.rows.end(), [](const CaseResult& row) {
            return row.error.has_value();
        })));
    }
};

STRATOPLAN_TEST(TestValidation)
#include "test_validation.moc"
