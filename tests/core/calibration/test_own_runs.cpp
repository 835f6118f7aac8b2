// SPDX-License-Identifier: GPL-3.0-or-later
// A person's own runs: training logs of several eras, tables as they are pasted, and what is fitted to few of them.
#include "core/calibration/megatron_log.h"
#include "core/calibration/own_runs.h"
#include "core/calibration/run_columns.h"
#include "core/reporting/run_faults.h"
#include "core/reporting/runs.h"
#include "core/units/run_headings.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace stratoplan::calibration;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::reporting;

namespace {

Plan plan()
{
    Plan plan = fixtures::small(); // 8 layers, 1,024 wide, on two nodes of four
    plan.strategy.dp = 8;
    return plan;
}

QByteArray argument(const char* name, const char* value)
{
    return "  " + QByteArray(name) + ' ' + QByteArray(std::max(0, 48 - int(qstrlen(name))), '.') + ' ' + value + '\n';
}

/// As Megatron prints its arguments; `changed` come after the others and win.
QByteArray arguments(const QList<std::pair<const char*, const char*>>& changed = {})
{
    QMap<QByteArray, QByteArray> all{{"world_size", "8"}, {"data_parallel_size", "4"},
        {"tensor_model_parallel_size", "2"}, {"pipeline_model_parallel_size", "1"}, {"context_parallel_size", "1"},
        {"num_layers", "8"}, {"hidden_size", "1024"}, {"num_attention_heads", "16"}, {"ffn_hidden_size", "4096"},
        {"kv_channels", "64"}, {"group_query_attention", "False"}, {"num_query_groups", "4"}, {"seq_length", "1024"},
        {"micro_batch_size", "2"}, {"global_batch_size", "64"}, {"sequence_parallel", "True"},
        {"recompute_granularity", "full"}, {"virtual_pipeline_model_parallel_size", "None"}, {"swiglu", "False"},
        {"num_experts", "None"}, {"untie_embeddings_and_output_weights", "False"}, {"hidden_dropout", "0.1"},
        {"use_distributed_optimizer", "True"}, {"bf16", "True"}};
    for (const auto& [name, value] : changed)
        all[name] = value;
    QByteArray text = "------------------------ arguments ------------------------\n";
    for (auto it = all.cbegin(); it != all.cend(); ++it)
        text += argument(it.key(), it.value());
    return text + argument("a_name_so_long_that_not_even_one_dot_fits_behind_it_", "7")
        + "-------------------- end of arguments ---------------------\n";
}

QByteArray iteration(int number, double milliseconds, int batch = 64,
    const QByteArray& tail = "number of skipped iterations:   0 | number of nan iterations:   0 |")
{
    return " [2025-05-27 15:23:07] iteration " + QByteArray::number(number).rightJustified(8)
        + "/   24000 | consumed samples: " + QByteArray::number(number * 64) + " | elapsed time per iteration (ms): "
        + QByteArray::number(milliseconds, 'f', 1) + " | throughput per GPU (TFLOP/s/GPU): 40.4 | global batch size: "
        + QByteArray::number(batch).rightJustified(5) + " | lm loss: 1.192634E+01 | " + tail + '\n';
}

QByteArray iterations(int first, int last, double milliseconds, int batch = 64)
{
    QByteArray text;
    for (int i = first; i <= last; ++i)
        text += iteration(i, i < first + 3 ? 9 * milliseconds : milliseconds + (i % 3 - 1), batch);
    return text;
}

tl::expected<RunTable, UnusableText> read(const QByteArray& text, const Plan& base = plan())
{
    return readRuns(text.toStdString(), {.file = "logs/train.log", .plan = &base, .planName = "mine.json"});
}

QByteArray told(const tl::expected<RunTable, UnusableText>& table)
{
    QByteArray text;
    if (!table)
        for (const DocumentError& error : documentErrors(table.error()))
            text += QByteArray::fromStdString(describe(error)) + '\n';
    else
        for (const FaultyRun& one : table->faulty)
            text += QByteArray::fromStdString(describe(one)) + '\n';
    return text;
}

bool contains(const std::vector<std::string>& list, const std::string& text)
{
    return std::any_of(
        list.begin(), list.end(), [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

bool contains(const std::vector<RunRemark>& remarks, const std::string& text)
{
    return contains(describeAll(remarks), text);
}

QByteArray prefixed(const QByteArray& text, const QByteArray& prefix, const QByteArray& end)
{
    QByteArray result;
    for (const QByteArray& line : text.split('\n'))
        result += prefix + line + end;
    return result;
}

} // namespace

class TestOwnRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Those who tell tables apart know the columns that the reader has.
    void headingsNameTheColumns()
    {
        std::vector<std::string_view> names;
        for (const stratoplan::calibration::detail::RunColumn& column : stratoplan::calibration::detail::runColumns())
            names.push_back(column.name);
        QVERIFY(names == stratoplan::runColumnTitles());
        for (const std::string_view alias : stratoplan::runColumnAliases())
            QVERIFY(stratoplan::calibration::detail::columnOf(alias).has_value());
    }

    void aTableNamesItsPlan()
    {
        const auto none = planNamedBy("tp,step_s\n8,1\n", {});
        QVERIFY(none && !*none);
        const auto example = planNamedBy("# plan: gpt2-xl-alpa\ntp,step_s\n8,1\n", "/anywhere");
        QVERIFY(example && *example);
        QCOMPARE((*example)->name, std::string("gpt2-xl-alpa"));
        QCOMPARE((*example)->plan.model.layers, 48);
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("own.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(findExample("gpt3-175b-1024-a100")->text));
        file.close();
        const auto own = planNamedBy("# plan: own.json\ntp,step_s\n8,1\n", folder.path().toStdString());
        QVERIFY(own && *own);
        QCOMPARE((*own)->plan.model.layers, 96);
        const auto missing = planNamedBy("# plan: nowhere.json\ntp,step_s\n8,1\n", folder.path().toStdString());
        QVERIFY(!missing);
        QVERIFY(describe(missing.error().front()).find("nowhere.json") != std::string::npos);
    }

    void textsAreKnownByTheirContent()
    {
        QCOMPARE(recogniseRunText("tp,step_s\n1,2\n"), RunText::Table);
        QCOMPARE(recogniseRunText(" [2025-05-27 15:23:07] iteration        1/   24000 | consumed samples: 1 |"),
            RunText::MegatronLog);
        QCOMPARE(recogniseRunText("[default0]:iteration 1/ 2 | x: 1 |"), RunText::MegatronLog);
        QCOMPARE(recogniseRunText(arguments().toStdString()), RunText::MegatronLog);
        QCOMPARE(recogniseRunText("\xEF\xBB\xBF [{\"id\": 1}]"), RunText::Cases);
        QCOMPARE(recogniseRunText("{\"format\": \"stratoplan-kernels\"}"), RunText::KernelProfile);
        QCOMPARE(recogniseRunText("{'lr': 1e-4}\n iteration 1/ 2 | x: 1 |\n"), RunText::MegatronLog);
        QCOMPARE(recogniseRunText(""), RunText::Table);
    }

    void logsAreReadWhateverStandsAroundThem_data()
    {
        QTest::addColumn<QByteArray>("prefix");
        QTest::addColumn<QByteArray>("end");
        QTest::newRow("plain") << QByteArray() << QByteArray("\n");
        QTest::newRow("rank") << QByteArray("0: ") << QByteArray("\n");
        QTest::newRow("torchrun") << QByteArray("[default7]:") << QByteArray("\r\n");
        QTest::newRow("colour") << QByteArray("\x1b[32m[rank0]: \x1b[0m") << QByteArray("\x1b[0m\r\n");
        QTest::newRow("progress") << QByteArray("10%|#   |\r") << QByteArray("\n");
    }
    void logsAreReadWhateverStandsAroundThem()
    {
        QFETCH(QByteArray, prefix);
        QFETCH(QByteArray, end);
        const QByteArray memory =
            "[Rank 0] (after 1 iterations) memory (MB) | allocated: 100.0 | max allocated: 20480.0 | reserved: 3\n"
            "[Rank 4] (after 1 iterations) memory (MB) | allocated: 100.0 | max allocated: 30720.0 | reserved: 3\n";
        const auto table = read(prefixed(arguments()
                + " > padded vocab (size: 32000) with 256 dummy tokens (new size: 32256)\n" + iterations(1, 20, 500)
                + memory + " validation loss at iteration 20 | lm loss value: 3.1 | lm loss PPL: 22 |\n",
            prefix, end));
        QVERIFY2(table && table->faulty.empty(), told(table).constData());
        QCOMPARE(table->runs.size(), std::size_t(1));
        const MeasuredRun& run = table->runs.front();
        QCOMPARE(run.id, std::string("train.log"));
        QCOMPARE(*run.stepSeconds, 0.5);
        QCOMPARE(*run.peakGib, 30.0);
        QCOMPARE(run.plan.strategy.tp, 2);
        QCOMPARE(run.plan.strategy.dp, 4);
        QCOMPARE(run.plan.strategy.microBatch, 2);
        QCOMPARE(run.plan.strategy.recompute, Recompute::Full);
        QCOMPARE(run.plan.strategy.zeroStage, 1);
        QVERIFY(run.plan.strategy.sequenceParallel);
        QVERIFY(contains(run.stated, "tp=2") && contains(run.stated, "global_batch=64")
            && contains(run.filled, "cluster=test cluster"));
        QVERIFY2(contains(run.remarks, "15 iterations used (15 lines of 20), median 500 ms"),
            describe(run.remarks.front()).c_str());
    }

    void threeErasAreRead()
    {
        Plan base = plan();
        base.strategy.dp = 1;
        const QByteArray log =
            " [2025-05-27 15:23:07] iteration        1/   24000 | consumed samples:          1024 | elapsed time per "
            "iteration (ms): 271607.0 | throughput per GPU (TFLOP/s/GPU): 40.4 | global batch size:  1024 | lm loss: "
            "1.192634E+01 |\n"
            " iteration       11/   50000 | consumed samples:         5632 | elapsed time per iteration (ms): 52728.1 "
            "| learning rate: 1.499E-05 | global batch size:   512 | samples per second: 9.710 | TFLOPs: 167.52 |\n"
            " [2026-04-27 00:00:02] iteration        2/       3 | consumed samples:            4 | elapsed time per "
            "iteration (ms): 1000.0 | global batch size:     2 | mtp_1 loss: 4.000000E+00 |\n"
            " iteration 60/ 9000 | consumed samples: 960 | consumed tokens: 1966080 | elapsed time per iteration (s): "
            "6.29 | global batch size: 16 | lm loss: 8.1E+00 |\n"
            "Training epoch 0, iteration 1/99 | lr: 1e-05 | global_batch_size: 8 | global_step: 1 | train_step_timing "
            "in s: 3.25 | consumed_samples: 16\n";
        const MegatronLog parsed = parseMegatronLog(log.toStdString());
        QCOMPARE(parsed.faulty.size(), std::size_t(0));
        QCOMPARE(parsed.sections.front().steps.size(), std::size_t(5));
        QCOMPARE(parsed.sections.front().steps[1].teraflops.value(), 167.52);
        QCOMPARE(parsed.sections.front().steps[3].seconds, 6.29);
        QCOMPARE(parsed.sections.front().steps[4].seconds, 3.25);
        QCOMPARE(parsed.sections.front().steps[4].globalBatch.value(), 8);
        const auto table = read(log, base);
        QVERIFY2(table.has_value(), told(table).constData());
        QVERIFY2(told(table).contains("line 1: found only iteration 1, the warm-up, expected iterations after"),
            told(table).constData());
    }

    void eachGlobalBatchOfARampIsARun()
    {
        const auto table =
            read(arguments() + iterations(1, 12, 100, 16) + iterations(13, 30, 200, 32) + iterations(31, 60, 400, 64));
        QVERIFY2(table && table->faulty.empty(), told(table).constData());
        QCOMPARE(table->runs.size(), std::size_t(3));
        QCOMPARE(table->runs[0].plan.training.globalBatch, 16);
        QCOMPARE(*table->runs[1].stepSeconds, 0.2);
        QCOMPARE(table->runs[2].id, std::string("train.log, global batch 64"));
        QCOMPARE(*table->runs[2].stepSeconds, 0.4);
    }

    void iterationsThatMeanNothingAreLeftOut()
    {
        // Logged every ten iterations: the line after the change of the batch is a mean of both; skipped ones took no
        // optimizer step.
        QByteArray log = arguments() + iteration(10, 9000) + iteration(20, 500) + iteration(30, 502);
        log += iteration(40, 77, 64, "number of skipped iterations:   3 | number of nan iterations:   0 |");
        log += iteration(50, 77, 64, "number of skipped iterations:   0 | number of nan iterations:   1 |");
        log += iteration(60, 504) + iteration(70, 700, 128) + iteration(80, 1000, 128) + iteration(90, 1000, 128);
        const auto table = read(log);
        QVERIFY2(table && table->runs.size() == 2, told(table).constData());
        QCOMPARE(*table->runs[0].stepSeconds, 0.502);
        QVERIFY(contains(table->runs[0].remarks, "30 iterations used (3 lines of 6)"));
        QCOMPARE(*table->runs[1].stepSeconds, 1.0);
    }

    void restartsWarmUpAgain()
    {
        const auto table = read(arguments() + iterations(1, 10, 500) + arguments() + iterations(8, 20, 500));
        QVERIFY2(table && table->runs.size() == 1, told(table).constData());
        QCOMPARE(*table->runs[0].stepSeconds, 0.5);
        QVERIFY2(contains(table->runs[0].remarks, "13 iterations used (13 lines of 23)"),
            describe(table->runs[0].remarks.front()).c_str());
        const auto two = read(arguments() + iterations(1, 10, 500)
            + arguments({{"tensor_model_parallel_size", "4"}, {"data_parallel_size", "2"}}) + iterations(1, 10, 600));
        QVERIFY2(two && two->runs.size() == 2, told(two).constData());
        QCOMPARE(two->runs[1].plan.strategy.tp, 4);
        QVERIFY(two->runs[0].id != two->runs[1].id);
    }

    void withoutArgumentsThePlanSaysTheRest()
    {
        const auto table = read(iterations(1, 20, 500, 32));
        QVERIFY2(table && table->runs.size() == 1, told(table).constData());
        Plan expected = plan();
        expected.training.globalBatch = 32;
        QVERIFY(table->runs[0].plan == expected);
        QVERIFY(contains(table->runs[0].filled, "model=GPT") && contains(table->runs[0].filled, "dp=8"));
        const auto world = read("using world size: 8, data-parallel size: 2, context-parallel size: 1, hierarchical "
                                "context-parallel sizes: Nonetensor-model-parallel size: 2, "
                                "pipeline-model-parallel size: 2\n"
            + iterations(1, 20, 500)); // printed so, without a comma
        QVERIFY2(world && world->runs.size() == 1, told(world).constData());
        QVERIFY(world->runs[0].plan.strategy.tp == 2 && world->runs[0].plan.strategy.pp == 2
            && world->runs[0].plan.strategy.dp == 2);
        const auto old = read("using world size: 8, data-parallel-size: 2, tensor-model-parallel size: 4, "
                              "pipeline-model-parallel size: 1 \n"
            + iterations(1, 20, 500));
        QVERIFY2(old && old->runs.size() == 1, told(old).constData());
        QCOMPARE(old->runs[0].plan.strategy.tp, 4);
        QCOMPARE(old->runs[0].plan.strategy.dp, 2);
        // No batch in the line: what was consumed since the line before.
        QByteArray silent = iterations(1, 20, 500);
        silent.replace("global batch size:    64", "x: 1");
        const auto derived = read(silent);
        QVERIFY2(derived && !derived->runs.empty(), told(derived).constData());
        QCOMPARE(derived->runs.back().plan.training.globalBatch, 64);
    }

    void contradictionsNameBoth_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("hidden")
            << QByteArray("hidden_size") << QByteArray("2048")
            << QByteArray("found hidden_size 2048, expected 1024 as the hidden size of the plan mine.json");
        QTest::newRow("layers") << QByteArray("num_layers") << QByteArray("12")
                                << QByteArray("found num_layers 12, expected 8 as");
        QTest::newRow("experts") << QByteArray("num_experts") << QByteArray("8")
                                 << QByteArray("found num_experts 8, expected 1 as");
        QTest::newRow("gated") << QByteArray("swiglu") << QByteArray("True")
                               << QByteArray("found swiglu True, expected False as");
        QTest::newRow("tied") << QByteArray("untie_embeddings_and_output_weights") << QByteArray("True")
                              << QByteArray("expected False as the untied embeddings");
        QTest::newRow("grouped") << QByteArray("group_query_attention") << QByteArray("True")
                                 << QByteArray("found num_query_groups 4, expected 16 as the KV heads");
        QTest::newRow("vocabulary") << QByteArray("padded_vocab_size") << QByteArray("51200")
                                    << QByteArray("found a vocabulary of 51200, expected 32000");
        QTest::newRow("too many") << QByteArray("world_size") << QByteArray("64")
                                  << QByteArray("world_size 64, expected a multiple of tp x pp x cp = 2 x dp = 4");
        QTest::newRow("no number") << QByteArray("micro_batch_size") << QByteArray("two")
                                   << QByteArray("found micro_batch_size \"two\", expected a whole number");
        QTest::newRow("mamba") << QByteArray("hybrid_override_pattern") << QByteArray("M-M*")
                               << QByteArray("expected a transformer");
    }
    void contradictionsNameBoth()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, said);
        const auto table = read(arguments({{name.constData(), value.constData()}}) + iterations(1, 20, 500));
        QVERIFY(!table);
        QVERIFY2(told(table).contains(said) && told(table).contains("logs/train.log: line "), told(table).constData());
    }

    void attentionInFp8IsRead()
    {
        const auto kernel = [](const char* asked) {
            const auto table =
                read(arguments({{"attention_backend", "AttnBackend.fused"}, {"fp8_dot_product_attention", asked}})
                    + iterations(1, 20, 500));
            if (!table)
                qFatal("%s", told(table).constData());
            return table->runs.at(0).plan.training.attention;
        };
        QCOMPARE(kernel("True"), AttentionKernel::FlashFp8);
        QCOMPARE(kernel("False"), AttentionKernel::Flash);
    }

    /// What a log says of its optimizer and of the format in which parameters are gathered.
    void optimizerAndGatherAreRead()
    {
        const auto runOf = [](const char* optimizer, const char* gather) {
            const auto table =
                read(arguments({{"optimizer", optimizer}, {"fp8_param_gather", gather}}) + iterations(1, 20, 500));
            return table->runs.at(0);
        };
        QVERIFY(runOf("sgd", "True").plan.training.narrowGather);
        QVERIFY(!runOf("sgd", "False").plan.training.narrowGather);
        QCOMPARE(runOf("sgd", "True").plan.training.optimizer, Optimizer::Sgd);
        QCOMPARE(runOf("dist_muon", "True").plan.training.optimizer, Optimizer::Muon);
        QVERIFY(!contains(runOf("adam", "True").remarks, "optimizer"));
        const MeasuredRun other = runOf("lion", "True");
        QCOMPARE(other.plan.training.optimizer, Optimizer::Adam);
        QVERIFY(contains(other.remarks, "optimizer lion is not modelled; that of the plan is priced"));
    }

    /// --recompute-method block: the first so many layers of every chunk.
    void blockRecomputationIsCountedByChunk()
    {
        const auto strategy = [](const QList<std::pair<const char*, const char*>>& changed) {
            const auto table = read(arguments(changed) + iterations(1, 20, 500));
            return table && !table->runs.empty() ? table->runs.front().plan.strategy : Strategy{};
        };
        const Strategy block = strategy({{"recompute_method", "block"}, {"recompute_num_layers", "3"},
            {"pipeline_model_parallel_size", "2"}, {"data_parallel_size", "2"}});
        QVERIFY(block.recompute == Recompute::Full);
        QCOMPARE(block.recomputedLayers, (std::vector{3, 3}));
        const Strategy chunks = strategy(
            {{"recompute_method", "block"}, {"recompute_num_layers", "1"}, {"pipeline_model_parallel_size", "2"},
                {"data_parallel_size", "2"}, {"virtual_pipeline_model_parallel_size", "2"}});
        QCOMPARE(chunks.recomputedLayers, (std::vector{2, 2}));
        const Strategy more = strategy({{"recompute_method", "block"}, {"recompute_num_layers", "30"}});
        QCOMPARE(more.recomputedLayers, std::vector{8});
        QVERIFY(strategy({{"recompute_method", "uniform"}, {"recompute_num_layers", "1"}}).recomputedLayers.empty());
    }

    void aRunOnPartOfTheClusterIsSized()
    {
        const auto part = read(arguments({{"world_size", "4"}, {"data_parallel_size", "2"}}) + iterations(1, 20, 500));
        QVERIFY2(part && part->runs.size() == 1, told(part).constData());
        QCOMPARE(acceleratorCount(part->runs[0].plan.cluster), 4);
        QVERIFY(contains(part->runs[0].filled, "nodes=1 of 2"));
        const auto more = read(arguments({{"world_size", "16"}, {"data_parallel_size", "8"}}) + iterations(1, 20, 500));
        QVERIFY2(told(more).contains("found world_size 16, expected at most 8, the accelerators of the plan mine.json"),
            told(more).constData());
    }

    void linesThatAreNotUnderstoodAreNamed()
    {
        const auto table = read(arguments() + iterations(1, 10, 500)
            + " iteration 11/ 24000 | elapsed time per iteration (ms): 500,5 | global batch size: 64 |\n"
            + " iteration 12/ 24000 | lm loss: 3 |\n iteration 13/ 24000 | elapsed time per iteration (ms): nan |\n"
            + " iteration 14/ 24000 | elapsed time per iteration (ms): 500.0 | global batch size: many |\n[Rank 0] "
              "(after 1 iterations) memory (MB) | allocated: 3\n");
        QVERIFY2(table && table->runs.size() == 1, told(table).constData());
        for (const char* said :
            {"found \"elapsed time per iteration (ms): 500,5\", expected a decimal point: 500.5",
                "found \"iteration 12 without a time\"", "ms): nan\", expected elapsed time per iteration (ms): 1234.5",
                "found \"global batch size: many\", expected a whole number from 1",
                "without max reserved or max allocated"})
            QVERIFY2(told(table).contains(said), told(table).constData());
        QVERIFY2(told(table).contains("line 38: found"), told(table).constData());
        const auto none = read(arguments());
        QVERIFY2(told(none).contains("found a log without an iteration line"), told(none).constData());
        const auto planless = readRuns(iterations(1, 9, 5).toStdString(), {.file = "a", .planName = {}});
        QVERIFY2(told(planless).contains(
                     "a: found no plan that the rows change, expected --plan PLAN for what a log does not say"),
            told(planless).constData());
    }

    void tablesAreReadAsTheyArePasted_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("units") << QByteArray(
            "Name,Tensor parallel,Micro-batch,Step time (ms),Peak memory [MB]\na,2,4,1200,8589.934592\n");
        QTest::newRow("spreadsheet") << QByteArray("run\ttp\tmbs\tstep_ms\tpeak_gb\r\na\t2\t4\t1200\t8.589934592\r\n");
        QTest::newRow("semicolons") << QByteArray("id;TP;micro_batch_size;step;memory\na;2;4;1.2;8\n");
        QTest::newRow("markdown") << QByteArray(
            "| id | tp | mbs | step (s) | peak |\n|---|---:|---|---|---|\n| a | 2 | 4 | 1.2 | 8 |\n");
        QTest::newRow("blanks") << QByteArray("id tp mbs   step_s peak_gib\na   2   4   1.2    8\n");
        QTest::newRow("units in cells") << QByteArray("id,tp,mbs,step,peak\na,2,4,1200 ms,8192 MiB\n");
    }
    void tablesAreReadAsTheyArePasted()
    {
        QFETCH(QByteArray, text);
        const auto table = read(text);
        QVERIFY2(table && table->runs.size() == 1 && table->faulty.empty(), told(table).constData());
        const MeasuredRun& run = table->runs.front();
        QCOMPARE(run.id, std::string("a"));
        QCOMPARE(run.plan.strategy.tp, 2);
        QCOMPARE(run.plan.strategy.dp, 4);
        QCOMPARE(run.plan.strategy.microBatch, 4);
        QVERIFY(std::abs(*run.stepSeconds - 1.2) < 1e-12 && std::abs(*run.peakGib - 8) < 1e-9);
        QVERIFY(
            contains(run.stated, "tp=2") && contains(run.filled, "dp=4") && contains(run.filled, "global_batch=64"));
    }

    void decimalCommasAreNamed()
    {
        QVERIFY(told(read("tp,step_s\n1,1,5\n"))
                    .contains("found 3 cells, expected 2 (in a table parted by commas numbers take a decimal point)"));
    }

    void acceleratorsSizeTheCluster()
    {
        const auto table = read("gpus,tp,step_s\n4,2,1\n");
        QVERIFY2(table && table->runs.size() == 1, told(table).constData());
        QCOMPARE(table->runs[0].plan.strategy.dp, 2);
        QCOMPARE(acceleratorCount(table->runs[0].plan.cluster), 4);
        QVERIFY(told(read("gpus,tp,dp,step_s\n4,2,4,1\n"))
                    .contains("found tp x pp x cp x dp = 8, expected the 4 accelerators"));
    }

    // In one piece: the same four rows are fitted, fitted again, and cut to two.
    void fewRowsFitOneRateAndUnknownConstantsStay()
    {
        std::vector<MeasuredRun> runs;
        for (const int tp : {1, 2, 4, 8}) {
            MeasuredRun run;
            run.plan = plan();
            run.plan.strategy.tp = tp;
            run.plan.strategy.dp = 8 / tp;
            run.id = std::to_string(tp);
            run.stepSeconds = estimate(run.plan)->step.value() * 1.3;
            runs.push_back(run);
        }
        const SoftwareProfile start = plan().training.software;
        std::vector<int> seen;
        const OwnFit all = fitOwnRuns(start, runs, "four", {}, [&](int done, int total) {
            QVERIFY(done <= total);
            seen.push_back(done);
        });
        QCOMPARE(seen.size(), std::size_t(5)); // the fit, and each strategy left out
        QCOMPARE(all.fitted.time.leftOut.n, 4);
        QCOMPARE(all.fitted.time.rows.size(), std::size_t(4));
        QVERIFY(all.fitted.time.rows[2].leftOut && all.fitted.time.rows[2].measured == *runs[2].stepSeconds);
        QVERIFY(all.fitted.time.after.meanAbs < all.fitted.time.before.meanAbs / 2);
        QVERIFY(all.warnings.size() == 1);
        QVERIFY(contains(describeAll(all.warnings), "which stay at their priors:"));
        QCOMPARE(all.fitted.profile.groupedMatmulFactor, start.groupedMatmulFactor); // no experts
        QVERIFY(all.fitted.profile.matmulFactor < start.matmulFactor);

        QCOMPARE(all.fitted.profile.id, start.id + "-calibrated");
        QCOMPARE(fitOwnRuns(all.fitted.profile, runs, "again").fitted.profile.id, all.fitted.profile.id);

        runs.resize(2);
        const OwnFit two = fitOwnRuns(start, runs, "two");
        QCOMPARE(two.fitted.time.parameters.size(), std::size_t(1));
        QVERIFY(describe(two.warnings.front())
                    .starts_with("2 rows measure step time, fewer than 3: only matmul_factor is fitted"));
        QVERIFY(two.fitted.profile.matmulFactor < start.matmulFactor);
        for (const CalibrationParameter& p : calibrationParameters())
            QVERIFY2(
                p.key == "matmul_factor" || std::abs(p.get(two.fitted.profile) - p.get(start)) <= 1e-3 * p.get(start),
                p.key.data()); // rounded
    }

    void rowsOfOneStrategyAreLeftOutTogether()
    {
        std::vector<MeasuredRun> runs(4);
        for (std::size_t i = 0; i < runs.size(); ++i)
            runs[i].plan.strategy.tp = i < 2 ? 2 : 4;
        std::vector<std::string> labels = leftOutLabels(runs);
        QVERIFY(labels[0] == labels[1] && labels[2] == labels[3] && labels[0] != labels[2]);
        for (MeasuredRun& run : runs)
            run.plan.strategy.tp = 2;
        labels = leftOutLabels(runs);
        QCOMPARE(std::set<std::string>(labels.begin(), labels.end()).size(), std::size_t(4));
        runs.resize(80);
        for (std::size_t i = 0; i < runs.size(); ++i)
            runs[i].plan.strategy.tp = int(i) + 1;
        labels = leftOutLabels(runs);
        QCOMPARE(std::set<std::string>(labels.begin(), labels.end()).size(), std::size_t(10));
    }
};

STRATOPLAN_TEST(TestOwnRuns)
#include "test_own_runs.moc"
