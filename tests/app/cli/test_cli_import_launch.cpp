// SPDX-License-Identifier: GPL-3.0-or-later
// `import` of launch files by the real program: what comes back of exports, what it tells, what it refuses, and that no
// damaged file ends it.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

#include <random>

using namespace stratoplan::clitest;

namespace {

const QByteArray kGpt = "--num-layers 24\n--hidden-size 2048\n--num-attention-heads 16\n--seq-length 2048\n"
                        "--max-position-embeddings 2048\n--micro-batch-size 2\n--global-batch-size 64\n"
                        "--vocab-size 50257\n--bf16\n--lr 3e-4\n";

const QByteArray kTitan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 2\n"
                          "seq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = 8\n"
                          "[activation_checkpoint]\nmode = \"full\"\n";

const QByteArray kDeepSpeed = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2,
  "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})";

/// The plan that a file makes, or what was told instead.
Json planOf(const QStringList& arguments, const QByteArray& text = {})
{
    const Run run = cli(QStringList{"import"} + arguments, text);
    return run.exitCode == 0 ? run.json() : Json(run.error.toStdString());
}

} // namespace

class TestCliImportLaunch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exportsComeBack_data()
    {
        QTest::addColumn<QString>("format");
        for (const char* format : {"megatron-lm", "deepspeed", "torchtitan", "slurm"})
            QTest::newRow(format) << QString(format);
    }
    void exportsComeBack()
    {
        QFETCH(const QString, format);
        for (const Json& listed : cli({"examples", "--json"}).json()["examples"]) {
            const std::string name = listed["name"].get<std::string>();
            const Json plan = Json::parse(example(name.c_str()).toStdString());
            const QString file = folder().filePath("back-" + format + '-' + QString::fromStdString(name));
            const Run written = cli({"export", "-", "--format", format, "-o", file, "--json"}, example(name.c_str()));
            QCOMPARE(written.exitCode, 0);
            QStringList arguments{file};
            if (written.json()["not_expressed"].dump().find("model.flavor FILL_IN_MODEL") != std::string::npos)
                arguments << "--plan" << saved("base.json", example(name.c_str())) << "--node"
                          << "dgx-h100";
            const Json back = planOf(arguments);
            QVERIFY2(back.is_object(), (name + ": " + back.dump()).c_str());
            for (const char* degree : {"tp", "pp", "dp", "cp", "micro_batch"})
                QVERIFY2(back["strategy"][degree] == plan["strategy"][degree], (name + ' ' + degree).c_str());
            for (const char* amount : {"global_batch", "sequence_length", "precision"})
                QVERIFY2(back["training"][amount] == plan["training"][amount], (name + ' ' + amount).c_str());
            for (const char* size : {"layers", "hidden", "heads"})
                QVERIFY2(back["model"][size] == plan["model"][size], (name + ' ' + size).c_str());
        }
    }

    void whatIsTaken()
    {
        const Run run = cli({"import", "-", "--node", "dgx-h100", "--nodes", "2"}, kGpt + "--seed 1\n");
        QCOMPARE(run.exitCode, 0);
        for (const char* line : {"import: megatron-lm, GPT-3 1.3B, ", "TP 1, CP 1, PP 1, DP 16\n",
                 "import: not stated, taken as software=", "import: not used: --lr 3e-4\n",
                 "import: not used: --seed 1\n"})
            QVERIFY2(run.error.contains(line), run.error.constData());
        const Json answer = cli({"import", "-", "--json"}, kGpt).json();
        QVERIFY(hasKeys(
            answer, {"kind", "model", "parameters", "accelerators", "filled", "contradictions", "not_used", "plan"}));
        QVERIFY(answer["kind"] == "megatron-lm" && answer["not_used"] == Json{"--lr 3e-4"});
        const QString file = folder().filePath("of-launch.json");
        const Run written = cli({"import", "-", "-o", file, "--json"}, kGpt);
        QVERIFY(written.json()["file"] == file.toStdString());
        const Run estimate = cli({"estimate", file, "--json"});
        QVERIFY2(estimate.exitCode == 0 && estimate.json()["fits"] == true, estimate.error.constData());
    }

    void sizesThatAreNotThoseOfTheModelAreTold()
    {
        const QString arguments = saved("llama-7b.args", QByteArray(kGpt).replace("2048", "768"));
        const Run run = cli({"import", arguments});
        QCOMPARE(run.exitCode, 0);
        QVERIFY2(
            run.error.contains("the name of the file: found \"7b\", expected a size like the "), run.error.constData());
        const QByteArray config = R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"],
            "hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 12,
            "vocab_size": 32000, "max_position_embeddings": 2048, "_name_or_path": "my/llama-7b"})";
        const Json answer = cli({"import", "-", "--json"}, config).json();
        QVERIFY2(answer["contradictions"].dump().find("/_name_or_path: found \\\"7b\\\", expected a size like the ")
                != std::string::npos,
            answer.dump().c_str());
        // One that is so is not.
        QVERIFY(!cli({"import", saved("gpt-1.3b.args", kGpt)}).error.contains("expected a size like"));
    }

    void scriptsAreReadWithTheirVariables()
    {
        const QByteArray script = "#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=8\nSIZE=${1:-small}\n"
                                  "if [ $SIZE = small ]; then\n  TP=2\nelse\n  TP=8\nfi\n"
                                  "ARGS=(\n  "
            + QByteArray(kGpt).replace('\n', ' ')
            + "  # of GPT-3\n)\n"
              "srun python -u pretrain_gpt.py \"${ARGS[@]}\" --tensor-model-parallel-size $TP\n";
        const Json plan = planOf({"-"}, script);
        QVERIFY2(plan.is_object(), plan.dump().c_str());
        QCOMPARE(plan["strategy"]["tp"].get<int>(), 2);
        QCOMPARE(plan["strategy"]["dp"].get<int>(), 8);
        QCOMPARE(plan["cluster"]["nodes"][0]["count"].get<int>(), 2);
    }

    void aPlanHasWhatTheFileDoesNotSay()
    {
        const QString base = saved("base-of-launch.json", example("llama-70b-512-h100"));
        const Json plan = planOf({"-", "--plan", base}, kDeepSpeed);
        const Json before = Json::parse(example("llama-70b-512-h100").toStdString());
        QVERIFY2(plan.is_object(), plan.dump().c_str());
        QVERIFY(plan["model"] == before["model"] && plan["strategy"]["tp"] == before["strategy"]["tp"]);
        QCOMPARE(plan["training"]["global_batch"].get<int>(), 64);
        QCOMPARE(plan["strategy"]["zero_stage"].get<int>(), 3);
        const Run alone = cli({"import", "-"}, kDeepSpeed);
        QVERIFY2(alone.exitCode == 0 && alone.error.contains("not stated, taken as model="), alone.error.constData());
    }

    void faultsNameTheirPlace_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("error");
        const auto row = [](const char* name, const QByteArray& text, const char* error, QStringList arguments = {}) {
            QTest::newRow(name) << arguments << text << QByteArray(error);
        };
        row("no number", kGpt + "--tensor-model-parallel-size two\n",
            "line 11, --tensor-model-parallel-size: found \"two\", expected a whole number of at least 1");
        row("batch", "# WORLD_SIZE=24\n" + kGpt,
            "found a global batch of 64, expected a multiple of micro-batch 2 x DP 24");
        row("quote", kGpt + "--data-path \"x\n",
            "line 11: found a \" that is not closed, expected a second one behind it");
        row("TOML", kTitan + "x = = 1\n", "line 11: found ");
        row("JSON", QByteArray(kDeepSpeed).replace("\"train_batch_size\": 64", "\"train_batch_size\": 65"),
            "train_batch_size: found 65, expected a multiple of train_micro_batch_size_per_gpu 2");
        row("flavor", QByteArray(kTitan).replace("8B", "9B"),
            "line 3, model.flavor: found \"llama3 9B\", expected one of");
        row("node", kGpt, "--node: found \"dgx\", expected the id of a node", {"--node", "dgx"});
        row("accelerator", kGpt,
            "--accelerator: found \"h100\", expected nothing: of a launch file --node says the nodes",
            {"--accelerator", "h100"});
        row("stand-in", kGpt, "--stand-in: found a launch file, expected the config.json", {"--stand-in"});
        row("two inputs", kGpt, "--plan: found \"-\", expected a file", {"--plan", "-"});
    }
    void faultsNameTheirPlace()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, error);
        const Run run = cli(QStringList{"import", "-"} + arguments, text);
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(error), run.error.constData());
        QVERIFY(run.out.isEmpty());
        const Run json = cli(QStringList{"import", "-", "--json"} + arguments, text);
        QVERIFY2(json.exitCode == 2 && !json.json()["problems"].empty(), json.out.constData());
    }

    void damagedFilesAreToldNeverFatal()
    {
        std::mt19937 random(5);
        for (const QByteArray& whole : {kGpt, kTitan, kDeepSpeed})
            for (int i = 0; i < 12; ++i) {
                QByteArray text = whole.left(qsizetype(random() % unsigned(whole.size())));
                for (int n = 0; n < i % 4 && !text.isEmpty(); ++n)
                    text[qsizetype(random() % unsigned(text.size()))] = char(random() % 256);
                const Run run = cli({"import", "-"}, text);
                QVERIFY2(run.exitCode == 0 || run.exitCode == 2, text.constData());
                QVERIFY2(run.exitCode == 0 || run.error.contains("found "), run.error.constData());
            }
    }
};

STRATOPLAN_TEST(TestCliImportLaunch)
#include "test_cli_import_launch.moc"
