// SPDX-License-Identifier: GPL-3.0-or-later
// `export` by the real program: the files of every format, what is told beside them, and what is refused. Where there
// is a Python, its own parsers read what was written.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QStandardPaths>
#include <QTest>

using namespace stratoplan::clitest;

namespace {

const QStringList kFormats{"megatron-lm", "megatron-bridge", "deepspeed", "torchtitan", "fsdp2", "accelerate",
    "mindspeed", "slurm", "kubernetes"};

Run exported(const QByteArray& plan, const QString& format, const QString& file = "-")
{
    return cli({"export", "-", "--format", format, "-o", file}, plan);
}

/// Reads standard input.
bool parses(const QString& program, const QStringList& arguments, const QByteArray& text)
{
    if (QStandardPaths::findExecutable(program).isEmpty())
        return true;
    QProcess process;
    process.start(program, arguments);
    return finish(process, text).exitCode == 0;
}

} // namespace

class TestCliExport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFormatIsWritten()
    {
        const QByteArray plan = example("llama-70b-512-h100");
        for (const QString& format : kFormats) {
            const Run run = exported(plan, format);
            QCOMPARE(run.exitCode, 0);
            QVERIFY2(run.out.size() > 200, qPrintable(format));
            QVERIFY2(run.out.endsWith('\n'), qPrintable(format));
        }
    }

    void unknownFormatsAreAnsweredWithAll()
    {
        const Run run = exported(example("gpt2-xl-alpa"), "pytorch");
        QCOMPARE(run.exitCode, 2);
        for (const QString& format : kFormats)
            QVERIFY2(run.error.contains(format.toUtf8()), qPrintable(format));
        QVERIFY(run.error.contains("json, "));
        QVERIFY(run.out.isEmpty());
    }

    void plansComeWithTheirAnswer()
    {
        const QByteArray plan = exported(example("llama-70b-512-h100"), "json").out;
        QCOMPARE(exported(example("llama-70b-512-h100"), "json").out, plan); // byte by byte
        QCOMPARE(exported(plan, "json").out, plan);
        const Json again = cli({"estimate", "-", "--json"}, plan).json();
        QVERIFY(again["stated"]["agrees"] == true);
        QVERIFY(again["stated"]["step_s"] == again["step_s"]);
        QVERIFY(cli({"estimate", "-"}, plan).out.contains(": the same.\n"));
        const Json other = cli({"estimate", "-", "--json"}, edited(plan, "/training/global_batch", 512)).json();
        QVERIFY(other["stated"]["agrees"] == false);
    }

    void whatCannotBeEstimatedIsWrittenWithoutAnAnswer()
    {
        const Run run = exported(edited(example("gpt3-175b-1024-a100"), "/strategy/tp", 7), "json");
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.error.contains("Without an estimate: "));
        QVERIFY(!Json::parse(run.out.toStdString()).contains("answer"));
    }

    void argumentsOfMegatronAreLiteral()
    {
        const Run run = exported(example("gpt3-175b-1024-a100"), "megatron-lm");
        for (const QByteArray& line : run.out.split('\n'))
            QVERIFY2(line.isEmpty() || line.startsWith("--") || line.startsWith("# "), line.constData());
        QVERIFY(!run.out.contains('$'));
        for (const char* line : {"\n--tensor-model-parallel-size 8\n", "\n--pipeline-model-parallel-size 8\n",
                 "\n--context-parallel-size 1\n", "\n--num-layers-per-virtual-pipeline-stage 4\n", "\n--bf16\n"})
            QVERIFY2(run.out.contains(line), line);
    }

    void whatCannotBeSaidIsTold()
    {
        const Run run = exported(example("deepseek-v3-2048-h800"), "megatron-lm");
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.error.contains("Schedule dualpipe: Megatron-Core 0.20 runs 1F1B and interleaving alone"));
        QVERIFY(run.error.contains("To be filled in: lr: the learning rate"));
        QVERIFY(run.out.contains("#   Schedule dualpipe: "));
    }

    void argumentsStandBesideTheConfiguration()
    {
        const QString file = folder().filePath("ds.json");
        const Run run = cli({"export", "-", "--format", "deepspeed", "-o", file, "--json"}, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 0);
        const Json answer = run.json();
        QVERIFY(hasKeys(answer, {"file", "format", "bytes", "companions", "not_expressed", "to_be_filled_in"}));
        QVERIFY(answer["companions"] == Json::array({(file + ".args").toStdString()}));
        QFile arguments(file + ".args"), configuration(file);
        QVERIFY(arguments.open(QIODevice::ReadOnly) && configuration.open(QIODevice::ReadOnly));
        QVERIFY(arguments.readAll().contains("\n--pipeline-model-parallel-size 2\n"));
        const Json settings = Json::parse(configuration.readAll().toStdString());
        QVERIFY(settings["train_batch_size"] == 1024);
    }

    void brokenPlansAreRefused()
    {
        const Run run = exported(edited(example("gpt3-175b-1024-a100"), "/strategy/tp", 7), "megatron-lm");
        QCOMPARE(run.exitCode, 2);
        QVERIFY(run.out.isEmpty());
    }

    void otherParsersReadThem()
    {
        for (const char* name : {"llama-70b-512-h100", "deepseek-v3-2048-h800", "llama-65b-32-ascend"}) {
            const QByteArray plan = example(name);
            const auto reads = [&](const char* format, const char* program) {
                return parses("python3", {"-c", program}, exported(plan, format).out);
            };
            const char* syntax = "import ast, sys; ast.parse(sys.stdin.read())";
            QVERIFY(reads("megatron-bridge", syntax));
            QVERIFY(reads("fsdp2", syntax));
            QVERIFY(reads("deepspeed", "import json, sys; json.load(sys.stdin)"));
            const char* toml = "import sys\ntry: import tomllib\nexcept ImportError: sys.exit(0)\n"
                               "tomllib.loads(sys.stdin.read())";
            QVERIFY(reads("torchtitan", toml));
            const char* yaml = "import sys\ntry: import yaml\nexcept ImportError: sys.exit(0)\n"
                               "yaml.safe_load(sys.stdin.read())";
            QVERIFY(reads("accelerate", yaml));
            QVERIFY(reads("kubernetes", yaml));
            QVERIFY(parses("bash", {"-n"}, exported(plan, "slurm").out));
        }
    }
};

STRATOPLAN_TEST(TestCliExport)
#include "test_cli_export.moc"
