// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validation/case_file.h"
#include "core/validation/case_plan.h"
#include "core/validation/statistics.h"
#include "core/validation/validation.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace stratoplan;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

const char* kRow = R"({"id":"a/1","group":"a","software":{"framework":"Megatron-LM","version":"2021"},
 "model":{"name":"GPT","kind":"dense","layers":24,"hidden":2048,"heads":16,"vocab":51200,"seq_len":2048,"gated_mlp":false},
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
        const ErrorStatistics s = errorStatistics({{"a", 0.1, true}, {"b", -0.2, true}, {"c", 0.4, false}, {"d", -0.05, true}});
        QCOMPARE(s.n, 4);
        QVERIFY(near(s.meanAbs, 0.1875));
        QVERIFY(near(s.medianAbs, 0.15));
        QVERIFY(near(s.bias, 0.0625));
        QVERIFY(near(s.p90Abs, 0.2)); // rank floor(0.9 x 3) of 0.05 0.1 0.2 0.4
        QVERIFY(near(s.meanAccuracy, 0.8125));
        QVERIFY(near(s.worst, 0.4));
        QCOMPARE(s.worstId, std::string("c"));
        QVERIFY(near(s.withinRange, 0.75));
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
        for (const auto& [predicted, measured] : {std::pair(5, 10), std::pair(1, 12), std::pair(3, 11), std::pair(4, 30), std::pair(2, 13)})
            rows.push_back({"g", double(predicted), double(measured)});
        const RankingStatistics s = rankingStatistics(rows);
        QCOMPARE(s.groups, 1);
        QVERIFY(near(s.regretMean, 0.2)); // chose 12, best 10
        QVERIFY(near(s.within2Percent, 0));
        rows.pop_back();
        QCOMPARE(rankingStatistics(rows).groups, 0); // four strategies are too few to rank
    }

    void aRowBecomesItsPlan()
    {
        const auto set = readCases(edited("", ""), shippedCatalog());
        QVERIFY2(set.has_value(), set ? "" : set.error().c_str());
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
        QVERIFY(filled.count("model.kv_heads=16") && filled.count("model.ffn_hidden=8192") && filled.count("model.head_dim=128"));
    }

    void anUnknownStackTakesTheNearestProfileAndSaysSo()
    {
        const auto set = readCases(edited("Megatron-LM", "HomeGrown"), shippedCatalog());
        const auto& filled = set->cases.at(0).filled;
        QVERIFY(std::find(filled.begin(), filled.end(), "software.profile=megatron-core-2024") != filled.end());
    }

    void aRaggedBatchIsScaled()
    {
        const auto set = readCases(edited("\"global_batch\":64", "\"global_batch\":60"), shippedCatalog());
        QCOMPARE(set->cases.at(0).plan.training.globalBatch, 64);
        QVERIFY(near(set->cases[0].batchScale, 60.0 / 64));
    }

    void rowsThatCannotBecomeAPlanSayWhy_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("reason");
        QTest::newRow("accelerator") << QByteArray("A100 SXM") << QByteArray("Abacus 3") << "Abacus 3";
        QTest::newRow("layers") << QByteArray("\"layers\":24") << QByteArray("\"layers\":null") << "model.layers";
        QTest::newRow("batch") << QByteArray("\"global_batch\":64") << QByteArray("\"global_batch\":null") << "training.global_batch";
        QTest::newRow("moe") << QByteArray("\"kind\":\"dense\"") << QByteArray("\"kind\":\"moe\"") << "model.experts";
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

    void brokenFilesNameRowAndField_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("syntax") << QByteArray("[{") << "not JSON";
        QTest::newRow("shape") << QByteArray("3") << "array";
        QTest::newRow("no cases") << QByteArray("{}") << "/cases";
        QTest::newRow("no id") << QByteArray("[{}]") << "cases[0].id";
        QTest::newRow("wrong type") << QByteArray(edited("\"layers\":24", "\"layers\":\"many\"").c_str()) << "model.layers: found \"many\"";
        QTest::newRow("fraction") << QByteArray(edited("\"tp\":2", "\"tp\":2.5").c_str()) << "parallel.tp: found 2.5";
        QTest::newRow("section") << QByteArray("[{\"id\":\"x\",\"group\":\"g\",\"model\":3}]") << "model: found 3, expected an object";
    }

    void brokenFilesNameRowAndField()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, part);
        const auto set = readCases(text.toStdString(), shippedCatalog());
        QVERIFY(!set.has_value());
        QVERIFY2(QString::fromStdString(set.error()).contains(part), set.error().c_str());
    }

    void theShippedCasesAreEstimated()
    {
        const auto set = readCases(shippedCases(), shippedCatalog());
        QVERIFY2(set.has_value(), set ? "" : set.error().c_str());
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
        QVERIFY(v.rows.size() <= 10);
    }
};

QTEST_APPLESS_MAIN(TestValidation)
#include "test_validation.moc"
