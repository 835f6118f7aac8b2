// SPDX-License-Identifier: GPL-3.0-or-later
// `partition` by the real program: what it writes and where, what it says of a plan's partitions and refuses.
#include "tests/app/cli/cli_run.h"
#include "tests/patience.h"
#include "tests/registry.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <functional>

using namespace stratoplan::clitest;

namespace {

/// Of a plan with TP 4 over one node: quick to divide.
QByteArray small()
{
    Json plan = Json::parse(example("gpt3-175b-1024-a100").toStdString());
    plan["strategy"]["tp"] = 4;
    plan["strategy"]["dp"] = 32;
    plan["strategy"]["vpp"] = 1;
    plan["strategy"]["schedule"] = "1f1b";
    return QByteArray::fromStdString(plan.dump());
}

QByteArray over32Ranks(int microBatch)
{
    const QByteArray plan = edited(edited(small(), "/strategy/tp", 32), "/strategy/dp", 4);
    return edited(edited(plan, "/strategy/micro_batch", microBatch), "/strategy/tensor_partition", "spatial-temporal");
}

const QByteArray kBeforeBest = "stratoplan-cli: stopped before the best partition was found\n";
const QByteArray kBeforeFront = "stratoplan-cli: stopped before the front was found: the best partition alone\n";

/// By Ctrl+C, so that it ends with the error that is wanted; `order`: of errors, by how late it is stopped, the last
/// where it was not. Nothing but its last error where no moment gives what is wanted.
Run interrupted(
    const QStringList& arguments, const QList<QByteArray>& order, const QByteArray& wanted,
    const std::function<void()>& prepare = [] {})
{
    Run run;
    int early = 0, late = 0; // ms; 0: not known
    for (int i = 0; i < 16; ++i) {
        if (late > 0 && late - early < 10)
            early = late = 0; // another process was in the way
        const int wait = late > 0 ? (early + late) / 2 : std::clamp(2 * early, 300, 20000);
        QProcess process;
        process.setProcessEnvironment(environment());
        prepare();
        process.start(STRATOPLAN_CLI, arguments);
        if (!process.waitForStarted())
            return {-1, {}, "not started"};
        QTest::qWait(wait);
        if (process.state() == QProcess::NotRunning) {
            late = wait;
            continue;
        }
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        run = finish(process, {});
        if (run.error == wanted)
            return run;
        const bool isEarly =
            run.exitCode < 0 || order.indexOf(run.error) < order.indexOf(wanted); // < 0: no handler yet
        (isEarly ? early : late) = wait;
    }
    return {-1, {}, run.error};
}

QByteArray contentOf(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliPartition : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// By its name, another spelling of it, and links.
    void thePlanThatIsReadIsNotOverwritten()
    {
        const QByteArray plan = small();
        const QString file = saved("read.json", plan);
        const QString symbolic = folder().filePath("symbolic.json");
        const QString spelt = folder().filePath("./read.json");
        QVERIFY(QFile::link(file, symbolic));
        for (const char* command : {"partition", "trace"}) {
            for (const QString& name : {file, symbolic, spelt}) {
                const Run run = cli({command, file, "-o", name});
                QCOMPARE(run.exitCode, 2);
                QVERIFY2(run.error.contains("--output") && run.error.contains("overwrite"), run.error.constData());
                QCOMPARE(contentOf(file), plan);
            }
            QCOMPARE(cli({command, symbolic, "-o", file}).exitCode, 2);
        }
        QCOMPARE(contentOf(file), plan);
    }

    /// Of 64 ranks, which take long; nothing is written, and no progress where nobody looks.
    void interruptedItSaysSo()
    {
        QByteArray plan = edited(small(), "/strategy/tp", 64);
        plan = edited(edited(plan, "/strategy/dp", 2), "/strategy/tensor_partition", "spatial-temporal");
        const QString file = saved("interrupted.json", plan), program = folder().filePath("interrupted.py");
        for (const bool json : {true, false}) {
            QProcess process;
            process.setProcessEnvironment(environment());
            process.start(STRATOPLAN_CLI, QStringList{"partition", file, "-o", program} + QStringList(json, "--json"));
            QVERIFY(process.waitForStarted());
            QTRY_VERIFY(catches(process.processId(), SIGINT));
            ::kill(static_cast<pid_t>(process.processId()), SIGINT);
            const Run run = finish(process, {});
            QVERIFY2(run.exitCode == 3, run.error.constData());
            QCOMPARE(run.error, kBeforeBest);
            if (json)
                QVERIFY(run.json().at("stopped").get<bool>());
            else
                QVERIFY(run.out.isEmpty());
            QVERIFY(!QFile::exists(program));
        }
    }

    /// The best is known long before the front of 32 ranks.
    void interruptedItGivesTheBest()
    {
        const QString file = saved("interrupted.json", over32Ranks(4));
        const QList<QByteArray> order{kBeforeBest, kBeforeFront, QByteArray()};
        const Run structured = interrupted({"partition", file, "--json"}, order, kBeforeFront);
        QVERIFY2(structured.exitCode == 3, structured.error.constData());
        const Json answer = structured.json();
        QVERIFY(answer.at("stopped").get<bool>() && !answer.at("front_is_whole").get<bool>());
        QVERIFY(answer.at("front").empty() && answer.at("best").at("operators").size() > 5);
        const Run run = interrupted({"partition", file}, order, kBeforeFront);
        QVERIFY2(run.exitCode == 3, run.error.constData());
        QVERIFY(run.out.contains("Best spatial-temporal") && run.out.contains("Stopped before the front"));
        QVERIFY(!run.out.contains("More memory or less"));
    }

    /// Nor is an answer for people written where a program was asked for.
    void interruptedItWritesNoProgram()
    {
        const QString file = saved("interrupted.json", over32Ranks(4));
        const QByteArray none = "stratoplan-cli: stopped: no program is written\n";
        const Run run = interrupted({"partition", file, "-o", "-"}, {kBeforeBest, none, QByteArray()}, none);
        QVERIFY2(run.exitCode == 3, run.error.constData());
        QVERIFY2(run.out.isEmpty(), run.out.constData());

        const QString program = folder().filePath("older.py");
        const QByteArray front = QByteArray(kBeforeFront).replace("alone\n", "alone; no program is written\n");
        const Run beside = interrupted({"partition", file, "-o", program}, {kBeforeBest, front, QByteArray()}, front,
            [] { saved("older.py", "older"); });
        QVERIFY2(beside.exitCode == 3, beside.error.constData());
        QVERIFY(beside.out.contains("Best spatial-temporal"));
        QCOMPARE(contentOf(program), QByteArray("older"));
    }

    /// Within the last comparison.
    void interruptedItKeepsAFrontThatIsKnown()
    {
        const QString file = saved("interrupted.json", over32Ranks(1));
        const QByteArray last = "stratoplan-cli: stopped before unlike layers were compared\n";
        const QList<QByteArray> order{kBeforeBest, kBeforeFront, last, QByteArray()};
        const Run structured = interrupted({"partition", file, "--json"}, order, last);
        QVERIFY2(structured.exitCode == 3, structured.error.constData());
        const Json answer = structured.json();
        QVERIFY(answer.at("stopped").get<bool>() && answer.at("unlike_layers").is_null());
        const Run whole = cli({"partition", file, "--json"});
        QCOMPARE(answer.at("front").size(), whole.json().at("front").size());
        const Run run = interrupted({"partition", file}, order, last);
        QVERIFY2(run.exitCode == 3, run.error.constData());
        QVERIFY(run.out.contains("More memory or less") && run.out.contains("Stopped before layers divided unlike"));
    }

    void whatIsWrittenIsSaid()
    {
        const QByteArray plan = small();
        const QString file = folder().filePath("written.py");
        const Run text = cli({"partition", "-", "-o", file}, plan);
        QCOMPARE(text.exitCode, 0);
        QVERIFY2(text.out.contains("written to " + file.toUtf8()), text.out.constData());
        const QByteArray program = contentOf(file);
        const Json answer = cli({"partition", "-", "-o", file, "--json"}, plan).json();
        QCOMPARE(answer.at("written").at("file").get<std::string>(), file.toStdString());
        QCOMPARE(answer.at("written").at("bytes").get<qsizetype>(), program.size());
        QVERIFY(!cli({"partition", "-", "--json"}, plan).json().contains("written"));
        const Run standard = cli({"partition", "-", "-o", "-"}, plan);
        QCOMPARE(standard.exitCode, 0);
        QCOMPARE(standard.out, program);
        QVERIFY(!QFile::exists("-"));
    }

    /// What a plan names and its own partition does not use is refused alike, whoever is asked. With TP 1, naming
    /// nothing helps an estimate alone.
    void unusedPartitionsAreRefusedAsByEstimate()
    {
        const QByteArray named =
            edited(small(), "/strategy/operator_partitions", Json::array({{{"operator", "QKV"}, {"sequence", "K,K"}}}));
        const QByteArray single = edited(edited(named, "/strategy/tp", 1), "/strategy/dp", 128);
        for (const QByteArray& plan : {named, edited(single, "/strategy/sequence_parallel", false)}) {
            const Run estimate = cli({"estimate", "-"}, plan), partition = cli({"partition", "-"}, plan);
            QCOMPARE(partition.exitCode, 2);
            QVERIFY(partition.error.contains("/strategy/operator_partitions"));
            const QByteArray reason = estimate.error.left(estimate.error.indexOf('\n') + 1);
            QVERIFY(estimate.error.endsWith("remedy: Name no partitions\n"));
            QCOMPARE(partition.error, plan == named ? estimate.error : reason);
        }
    }

    void estimatesTellThePartition()
    {
        const QByteArray divided = edited(small(), "/strategy/tensor_partition", "spatial-temporal");
        const Json answer = cli({"estimate", "-", "--json"}, divided).json();
        QByteArray products;
        for (const Json& op : answer.at("operator_partitions"))
            for (const char* name : {"QKV", "attention output", "FFN up", "FFN down"})
                if (op.at("operator") == name)
                    products += (products.isEmpty() ? "" : " · ") + QByteArray(name) + ' '
                        + QByteArray::fromStdString(op.at("sequence").get<std::string>());
        QCOMPARE(products.count(" · "), 3);
        const QByteArray found = cli({"estimate", "-"}, divided).out;
        QVERIFY2(found.contains(products + "  (found)"), found.constData());
        const QByteArray named = edited(divided, "/strategy/operator_partitions", answer.at("operator_partitions"));
        QVERIFY(cli({"estimate", "-"}, named).out.contains(products + "  (as the plan names it)"));
        QVERIFY(!cli({"estimate", "-"}, small()).out.contains("Partition "));
    }

    void textNamesAlternativesAndLetters()
    {
        const QByteArray alone = cli({"partition", "-"}, small()).out;
        QVERIFY2(alone.contains("a micro-batch of 1 sequence over 4 ranks"), alone.constData());
        for (const char* words : {"Best spatial-temporal", "Megatron, sequence parallel", "Megatron's passes",
                 "B sequences, M tokens", "P2x2", "Backward has what"})
            QVERIFY2(alone.contains(words), words);
        QVERIFY(!alone.contains("\n  Data parallel  "));
        const Json answer = cli({"partition", "-", "--json"}, small()).json();
        QVERIFY(answer.at("data_parallel").is_null());
        const QByteArray batch = edited(small(), "/strategy/micro_batch", 4);
        const QByteArray several = cli({"partition", "-"}, batch).out;
        QVERIFY2(several.contains("\n  Data parallel  ") && !several.contains("micro-batch of"), several.constData());
        // 24 heads do not divide over 16 ranks, 2,048 tokens do.
        Json plan = Json::parse(edited(small(), "/model", {{"base", "gpt3-175b"}, {"heads", 24}, {"kv_heads", 24}}));
        plan["strategy"]["tp"] = 16;
        plan["strategy"]["dp"] = 8;
        const QByteArray wide = cli({"partition", "-"}, QByteArray::fromStdString(plan.dump())).out;
        const QByteArray reason = "24 heads cannot be divided over TP 16: use 4, 6, 8, 12 or 24.";
        QVERIFY2(wide.contains("Megatron cannot divide this layer over TP 16. " + reason), wide.constData());
        QVERIFY(!wide.contains("Megatron's passes"));
    }

    /// Megatron's with the other sequence parallelism than the one which is shown, and nothing that is shown anyway.
    void thePlansOwnMegatronIsTold()
    {
        const auto with = [](bool on) { return edited(small(), "/strategy/sequence_parallel", on); };
        const Json first = cli({"partition", "-", "--json"}, with(true)).json();
        const bool shown = first.at("megatron").at("strategy").at("sequence_parallel").get<bool>();
        QVERIFY(!cli({"partition", "-", "--json"}, with(shown)).json().contains("planned"));
        QVERIFY(!cli({"partition", "-"}, with(shown)).out.contains("\n  This plan "));
        const Json planned = cli({"partition", "-", "--json"}, with(!shown)).json().at("planned");
        const Json own = cli({"estimate", "-", "--json"}, with(!shown)).json();
        QCOMPARE(planned.at("step_s").get<double>(), own.at("step_s").get<double>());
        QCOMPARE(planned.at("strategy").at("tensor_partition").get<std::string>(), std::string("megatron"));
        QCOMPARE(planned.at("strategy").at("sequence_parallel").get<bool>(), !shown);
        const Run text = cli({"partition", "-"}, with(!shown));
        QVERIFY2(text.out.contains("\n  This plan "), text.out.constData());
        // What is divided in space and time is told of as ever.
        const Run program = cli({"partition", "-", "-o", "-"}, with(!shown));
        QCOMPARE(program.out, cli({"partition", "-", "-o", "-"}, with(shown)).out);
    }

    /// As everywhere, numbers of ways among them.
    void largeNumbersAreGrouped()
    {
        const Run run = cli({"partition", "-"}, over32Ranks(4));
        static const QRegularExpression grouped(QStringLiteral("up to [1-9],[0-9]{3} ways to divide an operator"));
        QVERIFY2(grouped.match(QString::fromUtf8(run.out)).hasMatch(), run.out.left(400).constData());
    }

    void itsHelpEndsWithAnExampleOfIt()
    {
        const QByteArray help = cli({"partition", "--help"}).out.trimmed();
        QVERIFY2(help.endsWith("| stratoplan-cli partition -") && help.contains("Exit status"), help.constData());
        QVERIFY(cli({"--help"}).out.trimmed().endsWith("| stratoplan-cli estimate -"));
    }

    /// Which divides sequences itself.
    void sequenceParallelismIsMegatrons()
    {
        const QByteArray on = edited(small(), "/strategy/sequence_parallel", true);
        QVERIFY(cli({"estimate", "-"}, on).out.contains("sequence parallel"));
        const QByteArray divided = edited(on, "/strategy/tensor_partition", "spatial-temporal");
        QVERIFY(!cli({"estimate", "-"}, divided).out.contains("sequence parallel"));
    }

    void unlikeLayersAreToldBesideAlikeLayers()
    {
        const Json unlike = cli({"partition", "-", "--json"}, small()).json().at("unlike_layers");
        QCOMPARE(unlike.at("layers").get<int>(), 96);
        const double alike = unlike.at("alike_s").get<double>();
        for (const char* mean : {"least_mean_s", "closed_mean_s", "open_mean_s"})
            QVERIFY2(std::abs(unlike.at(mean).get<double>() / alike - 1) < 1e-9, mean);
        QVERIFY(unlike.at("bound_within_memory_s").is_null()); // none fits
        const QByteArray text = cli({"partition", "-"}, small()).out;
        QVERIFY2(text.contains(
                     "If memory did not matter, layers divided unlike each other would take no less than alike ones: "),
            text.constData());
    }

    void searchesWithoutTheOtherPartitionCompareNothing_data()
    {
        QTest::addColumn<QByteArray>("plan");
        QTest::addColumn<QByteArray>("space");
        const QByteArray llama = "llama-70b-512-h100";
        QTest::newRow("one rank") << llama << QByteArray(R"({"tp": 1, "cp": 1})");
        QTest::newRow("one rank in a list") << llama << QByteArray(R"({"tp": [1], "cp": 1})");
        QTest::newRow("no power of two") << llama << QByteArray(R"({"tp": [1, 3], "cp": 1})");
        QTest::newRow("more ranks than searches divide over") << llama << QByteArray(R"({"tp": [1, 32], "cp": 1})");
        QTest::newRow("context parallelism") << llama << QByteArray(R"({"tp": [4], "cp": [2]})");
        QTest::newRow("latent attention")
            << QByteArray("deepseek-v3-2048-h800") << QByteArray(R"({"tp": [1, 2], "pp": [16], "vpp": [1]})");
    }
    /// Where no strategy has it nothing is said of it.
    void searchesWithoutTheOtherPartitionCompareNothing()
    {
        QFETCH(const QByteArray, plan);
        QFETCH(const QByteArray, space);
        Json all = Json::parse(space);
        all.update({{"format", "stratoplan-search-space"}, {"version", 1}});
        const QString file = saved("space.json", QByteArray::fromStdString(all.dump()));
        const Json answer = cli({"search", "-", "--space", file, "--json"}, example(plan)).json();
        QCOMPARE(answer.at("best").at("strategy").at("tensor_partition").get<std::string>(), std::string("megatron"));
        QVERIFY(!answer.contains("other_partition"));
    }

    /// Layers that cannot be divided so leave nothing of a space that asks for it, and not the other partition.
    void searchesForAPartitionThatCannotBeFindNothing()
    {
        const Json space{{"format", "stratoplan-search-space"}, {"version", 1}, {"tp", {2, 4}},
            {"tensor_partition", {"spatial-temporal"}}};
        const QString file = saved("space.json", QByteArray::fromStdString(space.dump()));
        const Run run = cli({"search", "-", "--space", file}, example("deepseek-v3-2048-h800"));
        QVERIFY2(run.out.contains("no strategy is left to try"), run.out.constData());
        QVERIFY2(run.out.contains("partitions of latent attention are not modelled yet"), run.out.constData());
    }

    /// Of a space with both every row says its partition, and the best is set beside the best of the other.
    void searchesTellBothPartitions()
    {
        const QByteArray plan = small();
        Json space{{"format", "stratoplan-search-space"}, {"version", 1}, {"pp", {8}}, {"tp", {4}}, {"cp", {1}}};
        const auto search = [&](const Json& partitions, const QStringList& more) {
            space["tensor_partition"] = partitions;
            const QString file = saved("space.json", QByteArray::fromStdString(space.dump()));
            return cli(QStringList{"search", "-", "--space", file} + more, plan);
        };
        const Json both = search({"megatron", "spatial-temporal"}, {"--json"}).json();
        const Json other = both.at("other_partition");
        QCOMPARE(both.at("best").at("strategy").at("tensor_partition").get<std::string>(), "spatial-temporal");
        QCOMPARE(other.at("tensor_partition").get<std::string>(), std::string("megatron"));
        const Json alone = search({"megatron"}, {"--json"}).json();
        QCOMPARE(other.at("best").at("step_s").get<double>(), alone.at("best").at("step_s").get<double>());
        QVERIFY(!alone.contains("other_partition"));
        const QByteArray text = search({"megatron", "spatial-temporal"}, {"--pareto"}).out;
        QVERIFY2(text.contains("Best with the megatron partition  TP 4"), text.constData());
        int rows = 0;
        for (const QByteArray& line : text.split('\n'))
            if (line.contains("TP 4 · ")) {
                ++rows;
                QVERIFY2(line.contains("megatron partition") || line.contains("spatial-temporal partition"), line);
            }
        QVERIFY(rows > 3);
        QVERIFY(!search({"megatron"}, {}).out.contains("megatron partition"));
    }

    void impossiblePartitionsHaveTheirReason_data()
    {
        QTest::addColumn<QByteArray>("op");
        QTest::addColumn<QByteArray>("sequence");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* op, const char* sequence, const char* reason) {
            QTest::addRow("%s of %s", sequence, op) << QByteArray(op) << QByteArray(sequence) << QByteArray(reason);
        };
        row("QKV", "B,K", "2 equal parts along B: the micro-batch has 1 sequence;");
        row("QKV", "K", "divides \"QKV\" over 2 ranks, and TP is 4;");
        row("QKV", "P2x2,K", "divides \"QKV\" over 8 ranks, and TP is 4;");
        row("QKV", "H,K", "by \"H\": products are divided along B, M, N and K");
        row("QKV", "-", "by \"-\": products are divided along");
        row("residual", "P2x2", "by \"P2x2\": norms, activations and residuals are divided along B, M and K");
        row("softmax", "H,J", "by \"J\": attention is divided along B (sequences), M (queries) and H (heads)");
        row("scores", "N,J", "by \"N\": scores and context are divided along");
        row("residual", "-,M", "cannot be divided by \"-,M\" over TP 4");
        row("QKV", "m,m", "letters are capitals");
        row("QKV", "P3x3", "the side of P a power of two");
    }
    void impossiblePartitionsHaveTheirReason()
    {
        QFETCH(QByteArray, op);
        QFETCH(QByteArray, sequence);
        QFETCH(QByteArray, reason);
        const QByteArray divided =
            edited(edited(small(), "/strategy/tensor_partition", "spatial-temporal"), "/training/attention", "unfused");
        Json partitions = cli({"estimate", "-", "--json"}, divided).json().at("operator_partitions");
        std::size_t index = 0;
        while (partitions.at(index).at("operator") != op.toStdString())
            ++index;
        partitions[index]["sequence"] = sequence.toStdString();
        const QByteArray plan = edited(divided, "/strategy/operator_partitions", partitions);
        const QByteArray where = "/strategy/operator_partitions/" + QByteArray::number(int(index)) + "/sequence";
        for (const char* command : {"estimate", "partition"}) {
            const Run run = cli({command, "-"}, plan);
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains(reason) && run.error.contains(where), run.error);
        }
    }

    /// Heads are fewer than ranks may ask for.
    void unevenAxesAreNamed()
    {
        Json plan = Json::parse(
            edited(small(), "/model", {{"base", "gpt3-175b"}, {"heads", 24}, {"kv_heads", 24}}).toStdString());
        plan["strategy"].update({{"tp", 16}, {"dp", 8}, {"tensor_partition", "spatial-temporal"}});
        Json partitions =
            cli({"estimate", "-", "--json"}, QByteArray::fromStdString(plan.dump())).json().at("operator_partitions");
        for (Json& op : partitions)
            if (op.at("operator") == "scores" || op.at("operator") == "attention")
                op["sequence"] = "H,H,H,H";
        plan["strategy"]["operator_partitions"] = partitions;
        const Run run = cli({"estimate", "-"}, QByteArray::fromStdString(plan.dump()));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("into 16 equal parts along H, where it has 24;"), run.error);
    }

    /// Whatever is asked, and whatever Megatron's sequence parallelism, which is not used, would need.
    void groupsArePowersOfTwo()
    {
        Json plan = Json::parse(edited(small(), "/strategy/tp", 6).toStdString());
        plan["strategy"]["dp"] = 16;
        plan["strategy"]["tensor_partition"] = "spatial-temporal";
        const QByteArray six = QByteArray::fromStdString(plan.dump());
        for (const char* command : {"estimate", "partition"}) {
            const Run run = cli({command, "-"}, six);
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains("must be a power of two") && run.error.contains("TP is 6"), run.error);
            QVERIFY(!run.error.contains("sequence parallelism"));
        }
        plan["strategy"]["sequence_parallel"] = false; // Megatron's partition is a remedy, unless others are asked for
        for (const char* partition : {"spatial-temporal", "megatron"}) {
            plan["strategy"]["tensor_partition"] = partition;
            const Run run = cli({"partition", "-"}, QByteArray::fromStdString(plan.dump()));
            QVERIFY2(run.error.contains("TP is 6") && run.error.contains("remedy: Use TP "), run.error);
            QCOMPARE(run.error.contains("Use the megatron partition"), partition == QByteArray("spatial-temporal"));
        }
        const Json space{{"format", "stratoplan-search-space"}, {"version", 1}, {"tp", {6}},
            {"tensor_partition", {"spatial-temporal"}}};
        const QString file = saved("six.json", QByteArray::fromStdString(space.dump()));
        const QByteArray text = cli({"search", "-", "--space", file}, small()).out;
        QVERIFY2(text.contains("must be a power of two"), text.constData());
    }
};

STRATOPLAN_TEST(TestCliPartition)
#include "test_cli_partition.moc"
