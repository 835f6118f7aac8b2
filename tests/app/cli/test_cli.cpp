// SPDX-License-Identifier: GPL-3.0-or-later
// The command line contract, kept by the real program: keys, exit codes, what goes to which stream.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

class TestCli : public QObject {
    Q_OBJECT

    static void checkBreakdown(const Json& e)
    {
        const Json& b = e.at("breakdown_s");
        QVERIFY(hasKeys(b,
            {"forward", "backward", "recompute", "optimizer", "bubble", "other", "communication_exposed",
                "communication_hidden"}));
        for (const char* side : {"communication_exposed", "communication_hidden"})
            QVERIFY(hasKeys(b.at(side), {"tp", "cp", "ep", "pp", "dp"}));
        double parts = sum(b.at("communication_exposed"));
        for (const char* part : {"forward", "backward", "recompute", "optimizer", "bubble", "other"})
            parts += b.at(part).get<double>();
        QVERIFY(close(parts, e.at("step_s")));
    }

    static void checkMemory(const Json& e)
    {
        const Json& m = e.at("memory");
        QVERIFY(hasKeys(m, {"capacity_bytes", "peak_bytes", "peak_stage", "stages"}));
        QCOMPARE(m.at("stages").size(), e.at("strategy").at("pp").get<std::size_t>());
        double peak = 0;
        for (const Json& stage : m.at("stages")) {
            QVERIFY(
                hasKeys(stage, {"weights", "gradients", "optimizer", "activations", "buffers", "reserve", "total"}));
            QVERIFY(close(sum(stage), 2 * stage.at("total").get<double>()));
            peak = std::max(peak, stage.at("total").get<double>());
        }
        QVERIFY(close(m.at("peak_bytes"), peak));
        QCOMPARE(e.at("fits").get<bool>(), peak <= m.at("capacity_bytes").get<double>());
    }

private Q_SLOTS:
    void helpIsEverywhere()
    {
        const Run top = cli({"--help"});
        QCOMPARE(top.exitCode, 0);
        QVERIFY(top.error.isEmpty());
        for (const char* command : kCommands) {
            QVERIFY2(top.out.contains(command), command);
            const Run help = cli({command, "--help"});
            QCOMPARE(help.exitCode, 0);
            QVERIFY2(help.out.contains("--json") && help.error.isEmpty(), command);
            QVERIFY2(help.out.trimmed().split('\n').back().contains(QByteArray("stratoplan-cli ") + command), command);
        }
        const Run version = cli({"--version"});
        QCOMPARE(version.exitCode, 0);
        QCOMPARE(version.out, QByteArray("stratoplan-cli " STRATOPLAN_VERSION "\n"));
    }

    // In one piece: a table of calls that cannot be run, and what is told of each.
    void badArguments_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const QStringList& arguments, const char* told) {
            QTest::newRow(name) << arguments << QByteArray(told);
        };
        row("nothing", {}, "COMMAND: found nothing, expected one of examples, estimate");
        row("unknown command", {"estimat", "-"}, "COMMAND: found \"estimat\", expected one of examples, estimate");
        row("no report file", {"report", "-"}, "--output: found nothing, expected file to write");
        row("unknown flag", {"estimate", "-", "--fast"},
            "estimate: found \"--fast\", expected only --help, --json, PLAN");
        row("one plan too many", {"estimate", "-", "other.json"}, "estimate: found \"other.json\", expected only");
        row("no plan", {"estimate"}, "PLAN: found nothing, expected plan or project file");
        row("no level", {"examples", "--log-level"}, "--log-level: found nothing, expected");
        row("log level", {"--log-level", "loud", "examples"}, "found \"loud\", expected one of trace");
        row("schedule", {"simulate", "-", "--schedule", "2f2b"}, "found \"2f2b\"");
        row("pass", {"simulate", "-", "--pass", "maybe"}, "--pass: found \"maybe\", expected on or off");
        for (const char* price : {"-3", "inf", "nan", "1e999", "much"})
            row(qPrintable(QString("price ") + price), {"capacity", "-", "--tokens", "1G", QString("--price=") + price},
                "--price: found \"");
        row("no rows", {"calibrate", "-o", "-"}, "ROWS: found nothing, expected a file of measured runs");
        row("profile on standard output", {"calibrate", "-", "-o", "-"}, "--output: found \"-\", expected a file");
        row("no profile to write", {"calibrate", "-"}, "--output: found nothing, expected profile to write");
        row("no priors", {"calibrate", "--shipped", "-o", "-"},
            "--priors: found nothing, expected the profiles to start from");
        row("unknown profile", {"validate", "--profile", "megatron-cor-2024"},
            "or the id of a software profile, such as \"megatron-core-2024\"");
        row("no output", {"trace", "-"}, "--output: found nothing, expected file to write");
        row("no format", {"export", "-", "-o", "-"}, "--format: found nothing, expected");
        row("unknown format", {"export", "-", "--format", "nemo", "-o", "-"}, "\"nemo\"");
        row("empty plan", {"estimate", ""}, "PLAN: found nothing, expected plan or project file");
        row("empty output", {"export", "-", "--format", "json", "-o", ""},
            "--output: found nothing, expected file to write");
        row("empty profile", {"calibrate", "-", "-o", ""}, "--output: found nothing, expected profile to write");
        row("value of a flag", {"validate", "--k-fold=x"}, "--k-fold: found \"x\", expected no value: it is a flag");
        row("rows beside the shipped ones",
            {"calibrate", "mine.csv", "--shipped", "--priors", "p.json", "-o", "x.json"},
            "ROWS: found \"mine.csv\" with --shipped, expected nothing");
        row("plan beside the shipped ones",
            {"calibrate", "--plan", "p", "--shipped", "--priors", "p.json", "-o", "x.json"}, "--plan: found \"p\"");
        row("evidence of one's own", {"calibrate", "mine.csv", "--evidence", "e.csv", "-o", "x.json"},
            "--evidence: found \"e.csv\" without --shipped, expected nothing");
        row("priors of one's own", {"calibrate", "-", "--priors", "p.json", "-o", "x.json"},
            "--priors: found \"p.json\" without --shipped, expected");
        row("unknown example", {"examples", "gpt5"}, "gpt3-175b-1024-a100");
    }

    void badArguments()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, told);
        const Run run = cli(arguments, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(told), run.error.constData());
        QCOMPARE(run.error.count('\n'), 1);
        QVERIFY(run.error.size() < 400);
        QVERIFY(run.out.isEmpty());
        const Run machine = cli(arguments + QStringList{"--json"}, example("gpt2-xl-alpa"));
        QCOMPARE(machine.exitCode, 2);
        QVERIFY2(machine.json().is_object(), machine.out.constData());
        QVERIFY(hasKeys(
            machine.json().at("problems").at(0), {"code", "severity", "where", "message", "found", "expected"}));
    }

    /// Every id is one that a plan may name.
    void catalogueIsListed()
    {
        const Json all = cli({"catalog", "--json"}).json();
        QVERIFY(hasKeys(all, {"accelerators", "links", "nodes", "clusters", "models", "software"}));
        for (const auto& [kind, entries] : all.items()) {
            QVERIFY(entries.size() > 2);
            const Json one = cli({"catalog", QString::fromStdString(kind), "--json"}).json();
            QVERIFY(one.size() == 1 && one[kind] == entries);
            for (const Json& entry : entries)
                QVERIFY(!entry["id"].get<std::string>().empty() && !entry["name"].get<std::string>().empty());
        }
        const std::string software = all["software"][0]["id"];
        QCOMPARE(
            cli({"estimate", "-", "--profile", QString::fromStdString(software)}, example("gpt2-xl-alpa")).exitCode, 0);
        const Run text = cli({"catalog", "accelerators"});
        QVERIFY2(text.out.contains("accelerators, for the accelerator of a node group\n"), text.out.constData());
        const Run wrong = cli({"catalog", "gpus"});
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.error.contains(
                     "KIND: found \"gpus\", expected one of accelerators, links, nodes, clusters, models, software"),
            wrong.error.constData());
    }

    void examplesAreListedAndPrinted()
    {
        const Run list = cli({"examples"});
        QCOMPARE(list.exitCode, 0);
        QVERIFY(list.error.isEmpty());
        const Json json = cli({"examples", "--json"}).json();
        QVERIFY(json.at("examples").size() >= 9);
        for (const Json& one : json.at("examples")) {
            const auto name = one.at("name").get<std::string>();
            QVERIFY(list.out.contains(name.c_str()));
            const Json plan = Json::parse(example(name.c_str()).toStdString(), nullptr, false);
            QVERIFY2(plan.is_object() && plan.at("format") == "stratoplan-plan", name.c_str());
        }
    }

    void estimateKeepsItsShape_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
            {"gpt3-175b-1024-a100", "llama3-405b-16384-h100", "llama-70b-512-h100", "gpt2-xl-alpa", "odd-192-v100"})
            QTest::newRow(name) << QString(name);
    }

    void estimateKeepsItsShape()
    {
        QFETCH(QString, name);
        const QByteArray plan = example(name.toLatin1().constData());
        const Run run = cli({"estimate", "-", "--json"}, plan);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QVERIFY(run.error.isEmpty());
        const Json e = run.json();
        QVERIFY(hasKeys(e,
            {"step_s", "step_range_s", "tokens_per_s", "tflops_per_gpu", "mfu", "hfu", "fits", "breakdown_s", "memory",
                "strategy", "problems", "extrapolates"}));
        QVERIFY(allFinite(e));
        const double step = e.at("step_s");
        QVERIFY(e.at("step_range_s").at(0) <= step && step <= e.at("step_range_s").at(1));

        checkBreakdown(e);
        checkMemory(e);
        QVERIFY(hasKeys(e.at("strategy"), kStrategyKeys));
        const Json given = Json::parse(plan.toStdString());
        QVERIFY(e.at("strategy") == given.at("strategy"));
        const Json& t = given.at("training");
        QVERIFY(close(
            e.at("tokens_per_s"), t.at("global_batch").get<double>() * t.at("sequence_length").get<double>() / step));
        for (const Json& problem : e.at("problems"))
            QVERIFY(hasKeys(problem, {"code", "severity", "where", "message", "remedies"}));

        const Run text = cli({"estimate", saved("plan.json", plan)});
        QCOMPARE(text.exitCode, 0);
        QVERIFY(text.error.isEmpty());
        for (const char* word :
            {"Step time", " s", "tokens/s", "TFLOP/s", "MFU", "GiB", "Bubble", "Sum of the parts", "Stage"})
            QVERIFY2(text.out.contains(word), word);
        QVERIFY(!text.out.contains("nan") && !text.out.contains("inf "));
    }

    void theFirstExampleFits()
    {
        const Json e = cli({"estimate", "-", "--json"}, example("gpt3-175b-1024-a100")).json();
        QVERIFY(e.at("fits").get<bool>());
        QVERIFY(e.at("mfu") > 0.4 && e.at("mfu") < 0.6); // its source measured 51.4 % on 64 accelerators
    }

    void projectsAreEstimatedByTheirPlan()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json project{{"format", "stratoplan-project"}, {"version", 1}, {"plan", Json::parse(plan.toStdString())}};
        const Run run = cli({"estimate", "-", "--json"}, QByteArray::fromStdString(project.dump()));
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.out, cli({"estimate", "-", "--json"}, plan).out);
    }

    void notEstimablePlansSayWhy()
    {
        Json plan = Json::parse(example("opt-175b-spatial-temporal").toStdString());
        plan["training"]["sequence_length"] = 2044; // which 16 ranks do not divide
        const QByteArray input = QByteArray::fromStdString(plan.dump());
        const Run run = cli({"estimate", "-", "--json"}, input);
        QCOMPARE(run.exitCode, 2);
        QVERIFY(run.error.contains("not_estimable"));
        const Json problem = run.json().at("problems").at(0);
        QVERIFY(hasKeys(problem, {"code", "severity", "where", "message", "remedies"}));
        QCOMPARE(problem.at("code").get<std::string>(), std::string("not_estimable"));
        QVERIFY(problem.at("message").get<std::string>().size() > 20);
        const Run text = cli({"estimate", "-"}, input);
        QCOMPARE(text.exitCode, 2);
        QVERIFY(text.out.isEmpty());
    }

    /// The best partition beside Megatron's; written into the plan it gives the same estimate.
    void partitionsAreFoundAndWritten()
    {
        const QByteArray input = example("opt-175b-spatial-temporal");
        const Json answer = cli({"partition", "-", "--json"}, input).json();
        QVERIFY(
            hasKeys(answer, {"group_size", "seconds", "best", "megatron", "front", "states_per_operator", "optimal"}));
        QCOMPARE(answer.at("group_size").get<int>(), 16);
        QCOMPARE(answer.at("states_per_operator").get<int>(), 110); // those of 306 that leave its one sequence whole
        for (const char* which : {"best", "megatron"}) {
            QVERIFY(hasKeys(answer.at(which), {"step_s", "peak_bytes", "operators"}));
            QCOMPARE(answer.at(which).at("operators").size(), std::size_t(12));
            for (const Json& op : answer.at(which).at("operators"))
                QVERIFY(hasKeys(op, {"name", "sequence", "forward_s", "backward_s", "ring_bytes", "collective_bytes"}));
        }
        double last = 0;
        for (const Json& point : answer.at("front")) {
            QVERIFY(point.at("step_s").get<double>() > last);
            last = point.at("step_s").get<double>();
        }
        const Json found = cli({"estimate", "-", "--json"}, input).json();
        QCOMPARE(found.at("step_s").get<double>(), answer.at("best").at("step_s").get<double>());
        Json plan = Json::parse(input.toStdString());
        plan["strategy"]["operator_partitions"] = found.at("operator_partitions");
        const Json written = cli({"estimate", "-", "--json"}, QByteArray::fromStdString(plan.dump())).json();
        QCOMPARE(written.at("step_s").get<double>(), found.at("step_s").get<double>());
        QVERIFY(written.at("strategy").contains("operator_partitions"));
        plan["strategy"]["operator_partitions"][0]["sequence"] = "M,M,M,M";
        const QByteArray named = QByteArray::fromStdString(plan.dump());
        const Json planned = cli({"partition", "-", "--json"}, named).json().at("planned");
        QCOMPARE(planned.at("operators").at(0).at("sequence").get<std::string>(), std::string("M,M,M,M"));
        const Json estimated = cli({"estimate", "-", "--json"}, named).json();
        QCOMPARE(planned.at("step_s").get<double>(), estimated.at("step_s").get<double>());
        plan["strategy"]["operator_partitions"][2]["sequence"] = "P4x4,K";
        for (const char* command : {"estimate", "partition"}) {
            const Run wrong = cli({command, "-"}, QByteArray::fromStdString(plan.dump()));
            QCOMPARE(wrong.exitCode, 2);
            QVERIFY(wrong.error.contains("QKV") && wrong.error.contains("P4x4,K"));
        }
    }

    /// The cheapest that fits, or where none does one that needs least, to within half a percent.
    void noOtherPartitionIsBetter()
    {
        const Json roomy = cli({"partition", "-", "--json"}, example("gpt3-175b-1024-a100")).json();
        const auto layer = [&](const char* which) { return roomy.at(which).at("layer_s").get<double>(); };
        QVERIFY(roomy.at("best").at("fits").get<bool>() && roomy.at("optimal").get<bool>());
        QVERIFY(layer("best") < layer("megatron"));
        const Json tight = cli({"partition", "-", "--json"}, example("opt-175b-spatial-temporal")).json();
        QVERIFY(!tight.at("best").at("fits").get<bool>());
        const double least = tight.at("best").at("peak_bytes").get<double>();
        QVERIFY(least < tight.at("megatron").at("peak_bytes").get<double>());
        for (const Json& point : tight.at("front"))
            QVERIFY(point.at("peak_bytes").get<double>() >= least * (1 - 1.0 / 256));
    }

    /// Each operator with what it hands on, the experts with what they compute and exchange.
    void operatorsOfALayerAddUp()
    {
        Json plan = Json::parse(example("gpt3-175b-1024-a100").toStdString());
        plan["model"] = {{"base", "gpt3-175b"}, {"moe", {{"experts", 8}, {"top_k", 2}, {"expert_ffn", 12288}}}};
        plan["strategy"]["ep"] = 4;
        const Run run = cli({"partition", "-", "--json"}, QByteArray::fromStdString(plan.dump()));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        for (const char* which : {"best", "megatron"}) {
            const Json found = run.json().at(which);
            double sum = 0;
            for (const Json& op : found.at("operators"))
                for (const char* pass : {"forward_s", "backward_s", "repeated_s"})
                    sum += op.at(pass).get<double>();
            const double layer = found.at("layer_s").get<double>();
            QVERIFY(std::abs(sum / layer - 1) < 1e-9);
            const Json& experts = found.at("operators").back();
            QCOMPARE(experts.at("name").get<std::string>(), std::string("experts"));
            QVERIFY(experts.at("compute_s").get<double>() > 0.3 * layer);
            QVERIFY(experts.at("collective_bytes").get<double>() > 0);
        }
    }

    void partitionsAreWrittenAsPrograms()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath("layer.py");
        const QByteArray input = example("opt-175b-spatial-temporal");
        const Run run = cli({"partition", "-", "-o", file}, input);
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.out.contains("FFN down"));
        QFile program(file);
        QVERIFY(program.open(QIODevice::ReadOnly));
        const QByteArray text = program.readAll();
        for (const char* op : {"QKV", "attention output", "FFN up", "FFN down"})
            QVERIFY(text.contains(op));
        Json plan = Json::parse(input.toStdString());
        plan["strategy"]["tp"] = 1;
        plan["strategy"]["dp"] = 8;
        const Run single = cli({"partition", "-"}, QByteArray::fromStdString(plan.dump()));
        QCOMPARE(single.exitCode, 2);
        QVERIFY(single.error.contains("TP 1"));
    }

    void brokenPlansSayWhereAndWhat()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        Run run = cli({"estimate", "-", "--json"}, edited(plan, "/strategy/tp", 5));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("standard input: /strategy/tp") && run.error.contains("96 heads"),
            run.error.constData());
        const Json answer = run.json();
        QVERIFY(std::any_of(answer.at("problems").begin(), answer.at("problems").end(),
            [](const Json& p) { return p.at("code") == "heads_not_divisible"; }));

        const QString file = saved("broken.json", edited(plan, "/strategy/tp", "eight"));
        run = cli({"estimate", file, "--json"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(file.toUtf8() + ": /strategy/tp: found \"eight\", expected an integer"),
            run.error.constData());
        const Json problem = run.json().at("problems").at(0);
        QCOMPARE(problem.at("where").get<std::string>(), std::string("/strategy/tp"));
        QCOMPARE(problem.at("code").get<std::string>(), std::string("schema"));

        run = cli({"estimate", "-"}, plan.left(plan.size() / 2));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("standard input: found") && run.out.isEmpty(), run.error.constData());

        run = cli({"estimate", "-"}, edited(plan, "/strategy/micro_bacth", 2)); // read, with a warning
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.error.contains("/strategy/micro_bacth") && run.error.contains("\"micro_batch\""));
    }

    void unreadableInputIsRefused()
    {
        for (const char* input : {"/no/such/file.json", "/", "gpt2-xl-alpa"}) {
            const Run run = cli({"estimate", input});
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains(input) && run.out.isEmpty(), run.error.constData());
        }
        QCOMPARE(cli({"estimate", "-"}).exitCode, 2); // nothing on standard input
        QCOMPARE(shell("CLI estimate - <&-").exitCode, 2); // not even open
        const Run huge = shell("head -c 70000000 /dev/zero | CLI estimate -");
        QCOMPARE(huge.exitCode, 2);
        QVERIFY(huge.error.contains("standard input"));
    }

    void absurdAmountsNeverGiveNonsense()
    {
        const QByteArray plan = edited(example("gpt2-xl-alpa"), "/model", {{"base", "gpt2-xl"}, {"hidden", 10000000}});
        for (const auto& [pointer, value] :
            std::initializer_list<std::pair<const char*, Json>>{{"/training/sequence_length", 100000000},
                {"/training/global_batch", 100000000}, {"/strategy/micro_batch", 100000000}, {"/model/hidden", 0},
                {"/model/layers", 100000}, {"/training/software", {{"base", "alpa"}, {"matmul_factor", 0}}},
                {"/training/software", {{"base", "alpa"}, {"memory_factor", 0}}},
                {"/training/software", {{"base", "alpa"}, {"unfused_attention", 0}}},
                {"/training/software", {{"base", "alpa"}, {"range_low", 0}}}}) {
            const Run run = cli({"estimate", "-", "--json"}, edited(plan, pointer, value));
            QVERIFY2(run.exitCode == 0 || run.exitCode == 2, run.error.constData());
            QVERIFY(!run.json().is_discarded());
            QVERIFY(run.exitCode == 2 || allFinite(run.json()));
        }
    }

    // In one piece: one answer, held against the estimate of its plan and the other schedules.
    void simulationKeepsItsShape()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Run run = cli({"simulate", "-", "--json"}, plan);
        QVERIFY2(run.exitCode == 0 && run.error.isEmpty(), run.error.constData());
        const Json s = run.json();
        QVERIFY(hasKeys(s, {"step_s", "bubble_fraction", "peak_in_flight", "waits", "waits_by_cause_s", "stages"}));
        QVERIFY(allFinite(s));
        QCOMPARE(s.at("stages").size(), std::size_t{8});
        double waits = 0;
        for (const Json& wait : s.at("waits")) {
            QVERIFY(hasKeys(wait, {"stage", "start_s", "seconds", "cause"}));
            QCOMPARE(wait.contains("ended_by"), wait.at("cause") != "cool_down"); // which ends with the step
            waits += wait.at("seconds").get<double>();
        }
        QVERIFY(close(waits, sum(s.at("waits_by_cause_s"))));
        for (const Json& stage : s.at("stages"))
            QVERIFY(close(sum(stage), s.at("step_s"), 1e-6));
        // The curve of every stage starts with the step, and the highest reaches the peak of the estimate.
        const Json& memory = s.at("memory");
        QCOMPARE(memory.at("stages").size(), std::size_t{8});
        double most = 0;
        for (const Json& stage : memory.at("stages")) {
            QCOMPARE(stage.at("points").front().at(0).get<double>(), 0.0);
            for (const Json& point : stage.at("points"))
                most = std::max(most, point.at(1).get<double>());
        }
        const Json estimated = cli({"estimate", "-", "--json"}, plan).json().at("memory");
        QVERIFY(close(most, estimated.at("peak_bytes")));
        QVERIFY(close(memory.at("peak_at").at("bytes"), most));
        QVERIFY(estimated.at("peak_at") == memory.at("peak_at"));
        QVERIFY(hasKeys(estimated.at("peak_at"),
            {"stage", "start_s", "seconds", "bytes", "moment", "micro_batch", "chunk", "in_flight"}));
        QVERIFY(estimated.at("peak_at").at("stage") == estimated.at("peak_stage"));
        QCOMPARE(estimated.at("ledger").size(), std::size_t{8});
        for (const Json& item : estimated.at("ledger").at(0))
            QVERIFY(hasKeys(item, {"name", "category", "lifetime", "bytes"}));
        QVERIFY(cli({"estimate", "-"}, plan).out.contains("Memory peak"));
        QVERIFY(cli({"estimate", "-"}, plan).out.contains("norm inputs and residuals"));
        const QByteArray chunkless = edited(plan, "/strategy/vpp", 1); // without interleaving the bubble is wider
        QVERIFY(cli({"simulate", "-", "--schedule", "gpipe", "--json"}, chunkless).json().at("bubble_fraction")
            > s.at("bubble_fraction"));
        QVERIFY(cli({"simulate", "-"}, plan).out.contains("Stage"));
        const Json zeroBubble = cli({"simulate", "-", "--schedule", "zb-h1", "--json"}, chunkless).json();
        QVERIFY(zeroBubble.at("bubble_fraction")
            < cli({"simulate", "-", "--schedule", "1f1b", "--json"}, chunkless).json().at("bubble_fraction"));
        for (const char* schedule : {"zb-v", "v-half", "v-min", "dualpipe", "dualpipe-v"})
            QCOMPARE(cli({"simulate", "-", "--schedule", schedule, "--json"}, chunkless).exitCode, 0);
        const Json table = cli({"simulate", "-", "--schedule", "all", "--json"}, plan).json().at("schedules");
        QCOMPARE(table.size(), std::size_t{13});
        for (const Json& row : table)
            QVERIFY(hasKeys(row, {"schedule", "vpp", "step_s", "bubble_fraction", "peak_bytes", "fits"}));
        // What needs virtual stages says so.
        const Json all = cli({"simulate", "-", "--schedule", "all", "--json"}, chunkless).json().at("schedules");
        QCOMPARE(all.size(), std::size_t{13});
        for (const Json& row : all)
            QCOMPARE(
                row.contains("reason"), row.at("schedule") == "interleaved" || row.at("schedule") == "breadth-first");
    }

    // In one piece: one answer, whose seconds must add up by step, by stage and by cause.
    void thePassIsToldByStepStageAndCause()
    {
        const QByteArray alpa = example("gpt2-xl-alpa");
        const Json pass = cli({"simulate", "-", "--pass", "on", "--json"}, alpa).json().at("pass");
        QVERIFY(hasKeys(pass,
            {"on", "without_s", "with_s", "gain", "steps", "removed_by_cause_s", "removed_by_stage_s",
                "profile_without", "profile_with"}));
        for (const char* profile : {"profile_without", "profile_with"})
            QVERIFY(hasKeys(pass.at(profile).at(0),
                {"forward_s", "backward_s", "recompute_s", "weight_gradient_s", "optimizer_s", "gradient_sync_s",
                    "gradient_sync_exposed_s", "transfers_s", "idle_s", "waits_s"}));
        QVERIFY(pass.at("profile_with").at(0).at("idle_s") < pass.at("profile_without").at(0).at("idle_s"));
        // What its notes say.
        const auto gain = [&](const QByteArray& plan) {
            return cli({"simulate", "-", "--pass", "on", "--json"}, plan).json().at("pass").at("gain").get<double>();
        };
        const QByteArray inside = edited(alpa, "/strategy/rank_order", {"tp", "cp", "ep", "dp", "pp"});
        QVERIFY(std::abs(gain(alpa) - 0.115) < 0.001);
        QVERIFY(std::abs(gain(edited(alpa, "/training/global_batch", 64)) - 0.62) < 0.005);
        QVERIFY(std::abs(gain(inside) - 0.10) < 0.005);
        QVERIFY(std::abs(gain(edited(edited(inside, "/strategy/pp", 4), "/strategy/dp", 4)) - 0.007) < 0.0005);
        QCOMPARE(cli({"simulate", "-", "--pass", "off", "--json"}, alpa).json().at("step_s").get<double>(),
            pass.at("without_s").get<double>());
        // Seconds and shares of the step; the waits and the work of every stage are what the step loses, in each step
        // and in all.
        const auto addsUp = [&](const Json& removed, double difference) {
            QVERIFY(hasKeys(removed,
                {"removed_by_cause_s", "removed_by_cause_share", "removed_by_stage_s", "removed_by_stage_share",
                    "removed_work_by_stage_s", "removed_total_by_stage_s"}));
            const double stages = double(removed.at("removed_by_stage_s").size());
            const double without = pass.at("without_s");
            const auto same = [&](double a, double b) { return std::abs(a - b) <= 1e-9 * without; };
            for (std::size_t i = 0; i < removed.at("removed_by_stage_s").size(); ++i) {
                QVERIFY(same(sum(removed.at("removed_by_stage_s").at(i))
                        + removed.at("removed_work_by_stage_s").at(i).get<double>(),
                    difference));
                QVERIFY(same(removed.at("removed_total_by_stage_s").at(i), difference));
                QVERIFY(same(sum(removed.at("removed_by_stage_share").at(i)) * without,
                    sum(removed.at("removed_by_stage_s").at(i))));
            }
            QVERIFY(same(
                sum(removed.at("removed_by_cause_share")) * without * stages, sum(removed.at("removed_by_cause_s"))));
        };
        addsUp(pass, pass.at("difference_s"));
        QCOMPARE(pass.at("difference_s").get<double>(),
            pass.at("without_s").get<double>() - pass.at("with_s").get<double>());
        for (std::size_t k = 1; k < pass.at("steps").size(); ++k)
            addsUp(pass.at("steps").at(k),
                pass.at("steps").at(k - 1).at("step_s").get<double>()
                    - pass.at("steps").at(k).at("step_s").get<double>());
        const QByteArray told = cli({"simulate", "-", "--pass", "on"}, alpa).out;
        for (const char* text : {"Waits removed, all stages", "Waits removed of stage", "own work",
                 "Gradients reduced beside the passes", "add up to"})
            QVERIFY2(told.contains(text), text);
    }

    void ordersOfPassesAreNamedAndHaveTheirOwnMemory()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json usual = cli({"simulate", "-", "--json"}, plan).json();
        QVERIFY(usual.at("schedule") == "1f1b");
        QVERIFY(!usual.contains("order") && usual.at("memory").at("fits") == true);
        // GPipe, for as many stages and micro-batches.
        const std::size_t stages = usual.at("stages").size();
        const int microBatches = 64;
        QByteArray line;
        for (const char* kind : {"F", "B"})
            for (int m = 0; m < microBatches; ++m)
                line += kind + QByteArray::number(m) + ' ';
        const QString file = saved("all-forward-first.txt", (line + '\n').repeated(qsizetype(stages)));
        const Run run = cli({"simulate", "-", "--schedule", file, "--json"}, plan);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json own = run.json();
        QVERIFY(own.at("order") == file.toStdString());
        const Json gpipe = cli({"simulate", "-", "--schedule", "gpipe", "--json"}, plan).json();
        QVERIFY(close(own.at("memory").at("peak_at").at("bytes"), gpipe.at("memory").at("peak_at").at("bytes")));
        QVERIFY(own.at("memory").at("fits") == gpipe.at("memory").at("fits") && own.at("memory").at("fits") == false);
        const QByteArray text = cli({"simulate", "-", "--schedule", file}, plan).out;
        QVERIFY(text.contains("order of " + file.toUtf8()) && text.contains("does not fit") && !text.contains("1f1b"));
        // A trace takes it, too, and the timing pass.
        const auto last = [&](const QStringList& more) {
            double end = 0;
            const Json trace = cli(QStringList{"trace", "-", "-o", "-"} + more, plan).json();
            for (const Json& event : trace.at("traceEvents"))
                if (event.at("ph") == "X")
                    end = std::max(end, event.at("ts").get<double>() + event.at("dur").get<double>());
            return end / 1e6;
        };
        QVERIFY(close(last({"--schedule", file}), own.at("step_s"), 1e-5));
        QVERIFY(close(last({"--schedule", "gpipe"}), gpipe.at("step_s"), 1e-5));
        const Json passed = cli({"simulate", "-", "--pass", "on", "--json"}, plan).json();
        QVERIFY(passed.at("step_s") < usual.at("step_s"));
        QVERIFY(close(last({"--pass", "on"}), passed.at("step_s"), 1e-5));
        const Run refused = cli({"trace", "-", "-o", "-", "--schedule", "all"}, plan);
        QCOMPARE(refused.exitCode, 2);
    }

    void schedulesThatAreNotThereAreNamed()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const QByteArray chunkless = edited(plan, "/strategy/vpp", 1);
        const Run file = cli({"simulate", "-", "--schedule", "no-such-schedule.txt"}, plan);
        QCOMPARE(file.exitCode, 2);
        QVERIFY(file.error.contains("no-such-schedule.txt"));
        const Run bare = cli({"simulate", "-", "--schedule", "passes"}, plan);
        QCOMPARE(bare.exitCode, 2);
        QVERIFY(bare.error.contains("found \"passes\"") && bare.error.contains("a file that is there"));
        const Run refused = cli(
            {"simulate", "-", "--schedule", "dualpipe", "--json"}, edited(chunkless, "/training/global_batch", 400));
        QCOMPARE(refused.exitCode, 2);
        QCOMPARE(refused.json().at("problems").at(0).at("code").get<std::string>(), std::string("schedule_needs_even"));
    }

    void timelinesThatNoMachineHoldsAreRefused()
    {
        const QByteArray plan = edited(example("gpt3-175b-1024-a100"), "/training/global_batch", 1600000);
        for (const QStringList& command :
            {QStringList{"simulate", "-"}, QStringList{"trace", "-", "-o", folder().filePath("huge.json")}}) {
            const Run run = cli(command + QStringList{"--json"}, plan);
            QCOMPARE(run.exitCode, 2);
            const Json problem = run.json().at("problems").at(0);
            QCOMPARE(problem.at("code").get<std::string>(), std::string("not_estimable"));
            QCOMPARE(problem.at("where").get<std::string>(), std::string("/strategy/micro_batch"));
            QVERIFY2(
                run.error.contains("5,000,000") && run.error.contains("fewer micro-batches"), run.error.constData());
        }
        QVERIFY(!QFile::exists(folder().filePath("huge.json")));
    }

    void hybridShardingIsShown()
    {
        QByteArray plan = edited(example("gpt3-175b-1024-a100"), "/strategy/zero_stage", 1);
        QVERIFY(cli({"estimate", "-"}, plan).out.contains(" · ZeRO-1 · "));
        plan = edited(plan, "/strategy/zero_shards", 8);
        QVERIFY(cli({"estimate", "-"}, plan).out.contains(" · ZeRO-1 over 8 · "));
    }

    void aSavedProfileIsTheSoftwareOfAPlan()
    {
        QFile file(STRATOPLAN_EXAMPLES "/profile.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json profile = Json::parse(file.readAll().toStdString());
        const QByteArray plan = edited(example("gpt3-175b-1024-a100"), "/training/software", profile);
        const Run run = cli({"estimate", "-"}, plan);
        QVERIFY2(run.exitCode == 0 && run.error.isEmpty(), run.error.constData());
        const Json kept = Json::parse(cli({"export", "-", "--format", "json", "-o", "-"}, plan).out.toStdString());
        QVERIFY(kept.at("training").at("software") == profile); // head and all, so the example lacks no member
    }

    void tracesAreReadByViewers()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const QString file = folder().filePath("trace.json");
        const Run run = cli({"trace", "-", "-o", file}, plan);
        QVERIFY2(run.exitCode == 0 && run.out.isEmpty(), run.error.constData());
        QFile trace(file);
        QVERIFY(trace.open(QIODevice::ReadOnly));
        const Json json = Json::parse(trace.readAll().toStdString());
        int slices = 0;
        int counters = 0;
        for (const Json& event : json.at("traceEvents")) {
            QVERIFY(hasKeys(event, {"name", "ph", "pid", "tid"}));
            if (event.at("ph") == "X") {
                ++slices;
                QVERIFY(event.at("dur") >= 0 && event.at("ts") >= 0);
            }
            if (event.at("ph") == "C") {
                counters += event.at("name") == "Memory";
                QVERIFY(event.at("args").at("GiB") > 0);
            }
        }
        QVERIFY(slices >= 4 * 8 * 2); // stages x micro-batches x directions
        QVERIFY(counters >= slices / 3); // most passes change what a stage holds
        QVERIFY(cli({"trace", "-", "-o", "-"}, plan).out.startsWith('{'));
        QCOMPARE(cli({"trace", "-", "-o", "/no/such/folder/t.json"}, plan).exitCode, 2);
    }

    void exportedPlansGiveTheSameEstimate()
    {
        const QByteArray plan = example("llama-70b-512-h100");
        const QString file = folder().filePath("exported.json");
        QCOMPARE(cli({"export", "-", "--format", "json", "-o", file}, plan).exitCode, 0);
        Json again = cli({"estimate", file, "--json"}).json();
        QVERIFY(again["stated"]["agrees"] == true);
        again.erase("stated");
        QVERIFY(again == cli({"estimate", "-", "--json"}, plan).json());
        Json written = Json::parse(cli({"export", "-", "--format", "json", "-o", "-"}, plan).out.toStdString());
        QVERIFY(written["capacity"] == Json({{"tokens", 15e12}})); // what others trained the model on
        written.erase("capacity");
        written.erase("answer");
        QVERIFY(written == Json::parse(plan.toStdString()));
        QCOMPARE(cli({"export", "-", "--format", "json", "-o", "/proc/x.json"}, plan).exitCode, 2);
    }

    void importsMakePlans()
    {
        const QByteArray config =
            R"({"model_type":"llama","num_hidden_layers":32,"hidden_size":4096,"intermediate_size":14336,
            "num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":8192})";
        const QString file = folder().filePath("imported.json");
        const auto written = cli({"import", "-", "-o", file}, config);
        QCOMPARE(written.exitCode, 0);
        QVERIFY(written.out.isEmpty() && written.error.contains("8.03 B")
            && written.error.contains("tie_word_embeddings=false"));
        const auto answer = cli({"import", "-", "--json"}, config);
        const Json json = Json::parse(answer.out.toStdString());
        QCOMPARE(json.at("parameters").get<double>(), 8030261248.0);
        QCOMPARE(json.at("filled").size(), std::size_t(2));
        QCOMPARE(cli({"estimate", file, "--json"}).out,
            cli({"estimate", "-", "--json"}, QByteArray::fromStdString(json.at("plan").dump())).out);
        QCOMPARE(cli({"estimate", file}).exitCode, 0);
        // Wrong kinds of files, and places that cannot be written, are told apart.
        const auto text = cli({"import", "-"}, "hello");
        QVERIFY(text.exitCode == 2 && text.error.contains("config.json"));
        const auto mamba = cli({"import", "-", "--json"}, R"({"model_type":"falcon_h1","ssm_state_size":128})");
        QVERIFY(mamba.exitCode == 2 && mamba.out.contains("/ssm_state_size") && mamba.out.contains("state-space"));
        QCOMPARE(cli({"import", "-", "-o", "/proc/x.json"}, config).exitCode, 2);
        // A plan that estimate would refuse to read is not written.
        const QString never = folder().filePath("never.json");
        const auto wide = cli({"import", "-", "-o", never},
            R"({"model_type":"gpt2","n_layer":1,"n_embd":1000000,"n_head":1,"n_positions":64,"vocab_size":64})");
        QVERIFY(wide.exitCode == 2 && wide.error.contains("/model/") && !QFile::exists(never));
        QCOMPARE(cli({"import", "nowhere.json"}).exitCode, 2);
    }

    void zeroFactorsOfTheMachineNeverGiveNonsense()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        for (const char* factor :
            {"matmul_sustained", "memory_sustained", "memory_bandwidth_gb_s", "memory_gib", "peak_tflops", "watts"}) {
            Json accelerator{{"id", "a"}, {"name", "A"}, {"memory_gib", 16}, {"memory_bandwidth_gb_s", 900},
                {"watts", 300}, {"matmul_sustained", 0.7}, {"memory_sustained", 0.8},
                {"peak_tflops", {{"fp16", 125}, {"fp32", 15}}}};
            accelerator[factor] = factor == std::string("peak_tflops") ? Json{{"fp16", 0}} : Json(0);
            const Json node{{"id", "n"}, {"preset", "aws-p3-16xlarge"}, {"count", 2}, {"accelerator", accelerator}};
            const Run run =
                cli({"estimate", "-", "--json"}, edited(plan, "/cluster", {{"nodes", Json::array({node})}}));
            QVERIFY2(run.exitCode == 0 || run.exitCode == 2, run.error.constData());
            QVERIFY(run.exitCode == 2 || allFinite(run.json()));
        }
    }

    void whatWasWrongIsInTheLogFile()
    {
        QProcessEnvironment variables = environment();
        variables.insert("XDG_STATE_HOME", folder().filePath("wrong"));
        QCOMPARE(cli({"estimate", "/no/such/file.json"}, {}, variables).error.count('\n'), 1);
        QCOMPARE(cli({"capacity", "-", "--price", "inf", "--tokens", "1G"}, example("gpt2-xl-alpa"), variables)
                     .error.count('\n'),
            1);
        QCOMPARE(cli({"estimate"}, {}, variables).exitCode, 2);
        QCOMPARE(cli({"estimat"}, {}, variables).exitCode, 2);
        QFile file(folder().filePath("wrong/stratoplan/stratoplan-cli.log"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray log = file.readAll();
        for (const char* told : {" error No such file: /no/such/file.json", " error --price: found \"inf\"",
                 " error PLAN: found nothing", " error COMMAND: found \"estimat\""})
            QVERIFY2(log.contains(told), log.constData());
    }

    void theLogStaysOffStandardOutput()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Run quiet = cli({"estimate", "-", "--json"}, plan);
        const Run loud = cli({"--log-level", "debug", "estimate", "-", "--json"}, plan);
        QCOMPARE(loud.exitCode, 0);
        QCOMPARE(loud.out, quiet.out);
        QVERIFY(loud.error.contains("info"));
        QCOMPARE(cli({"estimate", "-", "--json", "--log-level", "info"}, plan).out, quiet.out);
        QFile file(folder().filePath("state/stratoplan/stratoplan-cli.log"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("standard input"));
    }

    void anUnwritableLogFolderIsToldOnce()
    {
        QProcessEnvironment variables = environment();
        variables.insert("XDG_STATE_HOME", "/proc/nowhere");
        const QByteArray plan = example("gpt2-xl-alpa");
        const Run run = cli({"estimate", "-", "--json"}, plan, variables);
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.error.count("no log file"), 1);
        QCOMPARE(run.error.count('\n'), 1);
        QCOMPARE(run.out, cli({"estimate", "-", "--json"}, plan).out);
        variables.remove("XDG_STATE_HOME");
        variables.remove("HOME");
        QCOMPARE(cli({"examples"}, {}, variables).exitCode, 0);
    }

    void lostReadersAndFullDisksEndCleanly()
    {
        const Run full = shell("CLI examples > /dev/full");
        QCOMPARE(full.exitCode, 3);
        QVERIFY(full.error.contains("standard output"));
        QCOMPARE(shell("CLI examples >&-").exitCode, 3);
        const Run gone = shell("(sleep 0.2; CLI examples --json; echo exit $? >&2) | true");
        QVERIFY2(gone.error.trimmed() == "exit 3", gone.error.constData());
    }
};

STRATOPLAN_TEST(TestCli)
#include "test_cli.moc"
