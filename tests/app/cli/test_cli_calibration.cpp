// SPDX-License-Identifier: GPL-3.0-or-later
// What calibrate and import say when what they are given is not what it seems to be. Runs the real program.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

using namespace stratoplan::clitest;

namespace {

constexpr auto kPlan = "gpt3-175b-1024-a100";

Run calibrated(const QByteArray& rows, const QString& output = folder().filePath("fitted.json"))
{
    QFile::remove(output);
    return cli({"calibrate", "-", "--plan", kPlan, "-o", output, "--json"}, rows);
}

double stepOf(const QByteArray& plan)
{
    return cli({"estimate", "-", "--json"}, plan).json().at("step_s").get<double>();
}

} // namespace

class TestCliCalibration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsOfAnotherUnitAreLeftOut()
    {
        const double step = stepOf(example(kPlan));
        const QByteArray rows = "step_s,peak_gib\n" + QByteArray::number(step * 1000) + ",\n,900\n"
            + QByteArray::number(step * 1.2) + ",\n";
        const Run run = calibrated(rows);
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.json().at("n_rows").get<int>(), 1);
        QVERIFY2(run.error.contains("line 2: found a step of") && run.error.contains("(milliseconds?)"),
            run.error.constData());
        QVERIFY2(run.error.contains("line 3: found a peak of 900 GiB, expected at most the 80.0 GiB"),
            run.error.constData());
        const Run none = calibrated("step_s\n1e-9\n1e9\n");
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.error.contains("found no measured run"), none.error.constData());
        QVERIFY(!QFile::exists(folder().filePath("fitted.json")));
    }

    void whatIsWrittenCanBeUsed()
    {
        const QByteArray plan = example(kPlan);
        const double step = stepOf(plan);
        const QByteArray rows = "pp,dp,vpp,schedule,step_s\n8,16,1,1f1b," + QByteArray::number(step * 1.4)
            + "\n4,32,1,1f1b," + QByteArray::number(step * 1.35) + "\n16,8,1,1f1b," + QByteArray::number(step * 1.5)
            + '\n';
        const QString file = folder().filePath("fitted.json");
        const Run run = calibrated(rows, file);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const Json profile = Json::parse(written.readAll().toStdString());
        QVERIFY(hasKeys(profile, {"based_on", "calibrated_on", "range_low", "range_high"}));
        const Json answer = cli({"estimate", "-", "--json"}, edited(plan, "/training/software", profile)).json();
        QVERIFY(answer.at("step_s").get<double>() > 1.2 * step);
        // As wide as that of the stack it is based on at least.
        const Json before = cli({"estimate", "-", "--json"}, plan).json();
        const auto width = [](const Json& one) {
            return one.at("step_range_s").at(1).get<double>() / one.at("step_range_s").at(0).get<double>();
        };
        QVERIFY2(width(answer) > 0.98 * width(before), qPrintable(QString::number(width(answer))));
        // Another model is another matter, and said to be.
        Json other = Json::parse(example("llama-70b-512-h100").toStdString());
        other["training"]["software"] = profile;
        const Json away = cli({"estimate", "-", "--json"}, QByteArray::fromStdString(other.dump())).json();
        QVERIFY(width(away) > 1.3 * width(answer));
        const QByteArray said = QByteArray::fromStdString(away.at("extrapolates").dump());
        QVERIFY2(said.contains("None of the runs that this profile was calibrated to was on these accelerators")
                && said.contains("Calibrated to runs with at"),
            said.constData());
    }

    void aFitThatExplainsNothingSaysSo()
    {
        const double step = stepOf(example(kPlan));
        const Run run = calibrated("tp,dp,step_s\n8,16," + QByteArray::number(step * 0.4) + "\n4,32,"
            + QByteArray::number(step * 4) + "\n2,64," + QByteArray::number(step) + '\n');
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QVERIFY2(run.error.contains("warning: the fit does not explain the rows: estimates are off by"),
            run.error.constData());
        QVERIFY(!run.json().at("unexplained").empty());
        QVERIFY(run.json().at("profile").at("range_high").get<double>() > 1.5);
    }

    void aLogInDoubtIsTold()
    {
        const double step = stepOf(example(kPlan));
        QByteArray log;
        for (int i = 10; i <= 40; i += 10)
            log += " iteration " + QByteArray::number(i)
                + "/ 50 | elapsed time per iteration (ms): " + QByteArray::number(step * 1000)
                + " | throughput per GPU (TFLOP/s/GPU): 12.0 | global batch size: 1536 |\n";
        const Run run = calibrated(log);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QVERIFY2(run.error.contains("warning: standard input: the log counts 12 TFLOP/s per accelerator"),
            run.error.constData());
        QCOMPARE(run.json().at("rows").at(0).at("doubts").size(), std::size_t{1});
    }

    void whatIsMissingComesFirst()
    {
        for (const QStringList& arguments : {QStringList{"calibrate", "nope.csv"},
                 QStringList{"calibrate", "nope.csv", "-o", folder().filePath("x.json")},
                 QStringList{"estimate", "nope.csv"}, QStringList{"import", "nope.csv"}}) {
            const Run run = cli(arguments);
            QCOMPARE(run.exitCode, 2);
            QCOMPARE(run.error, QByteArray("stratoplan-cli: No such file: nope.csv\n"));
        }
    }

    void unknownColumnsAreNoted()
    {
        const Run run = calibrated("bananas,step_s\n3," + QByteArray::number(stepOf(example(kPlan)) * 1.1) + '\n');
        QVERIFY2(run.exitCode == 0 && run.error.contains("note: standard input: the column \"bananas\" is not known"),
            run.error.constData());
        QCOMPARE(run.json().at("notes").size(), std::size_t{1});
    }

    void slicesOfAGpuAreRefused()
    {
        const Run run = calibrated(R"({"format": "stratoplan-kernels", "version": 1,
            "provenance": {"gpu": "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "memory_bytes": 10500000000,
            "compute_units": 16},
            "gemm": [{"precision": "bf16", "pass": "forward", "m": 1024, "n": 1024, "k": 4096, "seconds": 0.001}]})");
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("a slice of a GPU with 9.78 GiB, 16 units")
                && run.error.contains("expected those of a whole accelerator"),
            run.error.constData());
    }

    void importsListWhatTheyAssume()
    {
        const QByteArray config =
            R"({"model_type":"llama","hidden_size":4096,"intermediate_size":11008,"num_attention_heads":32,
            "num_hidden_layers":32,
            "num_key_value_heads":32,"vocab_size":32000,"max_position_embeddings":2048,"tie_word_embeddings":false})";
        const Run run = cli({"import", "-"}, config);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        for (const char* what : {"import: assumed cluster: 1 ",
                 "import: assumed global batch: ", "import: assumed sequence length: 2,048 tokens",
                 "import: assumed strategy: TP 1, PP 1, DP 8, ZeRO stage 2", "import: assumed recomputation: none",
                 "import: assumed software: "})
            QVERIFY2(run.error.contains(what), run.error.constData());
        QCOMPARE(cli({"import", "-", "--json"}, config).json().at("assumed").size(), std::size_t{7});
        const Run sparse = cli({"import", "-"}, R"({"model_type":"minicpm","sparse_config":{"topk":64}})");
        QCOMPARE(sparse.exitCode, 2);
        QCOMPARE(sparse.error,
            QByteArray("stratoplan-cli: standard input: The model uses sparse attention (sparse_config), "
                       "which Stratoplan does not model.\n"));
    }

    void importsLetOthersStandIn()
    {
        const QByteArray config =
            R"({"model_type":"jamba","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,
 "num_attention_heads":32,"num_key_value_heads":8,"num_experts":16,"num_experts_per_tok":2,"vocab_size":65536,
 "attn_layer_period":8,"attn_layer_offset":4,"expert_layer_period":2,"expert_layer_offset":1,"mamba_d_conv":4,
 "mamba_d_state":16,"mamba_dt_rank":256,"mamba_expand":2,"tie_word_embeddings":false})";
        const Run refused = cli({"import", "-"}, config);
        QVERIFY2(refused.exitCode == 2 && refused.error.contains("state-space (Mamba) layers")
                && refused.error.contains("With --stand-in it takes attention over a window"),
            refused.error.constData());
        const Run run = cli({"import", "-", "--stand-in"}, config);
        QVERIFY2(run.exitCode == 0 && run.error.contains("28 layers of Mamba are not modelled"), run.error.constData());
        const Run estimate = cli({"estimate", "-", "--json"}, run.out);
        QVERIFY2(estimate.exitCode == 0 && estimate.out.contains("\"stand_in\""), estimate.error.constData());
    }
};

STRATOPLAN_TEST(TestCliCalibration)
#include "test_cli_calibration.moc"
