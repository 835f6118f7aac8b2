// SPDX-License-Identifier: GPL-3.0-or-later
// `import` of topologies by the real program: what it answers, the plan that it writes, what it refuses.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

namespace {

const QByteArray kTree =
    "SwitchName=a Nodes=n[1-8]\nSwitchName=b Nodes=n[9-16]\nSwitchName=c Switches=a,b LinkSpeed=400\n";

const QByteArray kThreeAndTwo = // linked, of five
    "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\nGPU0\tX\tNV18\tNV18\tSYS\tSYS\nGPU1\tNV18\tX\tNV18\tSYS\tSYS\n"
    "GPU2\tNV18\tNV18\tX\tSYS\tSYS\nGPU3\tSYS\tSYS\tSYS\tX\tNV18\nGPU4\tSYS\tSYS\tSYS\tNV18\tX\n";

QString topology(const char* name)
{
    return QStringLiteral(STRATOPLAN_TOPOLOGIES "/") + name;
}

} // namespace

class TestCliImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTopologyMakesAPlanThatIsEstimated_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("accelerators");
        QTest::newRow("matrix, mesh") << topology("v100-4gpu.topo.txt") << "nvidia-smi" << 4;
        QTest::newRow("matrix, pairs") << topology("nvlink-pairs-4gpu-4nic.topo.txt") << "nvidia-smi" << 4;
        QTest::newRow("matrix, cards") << topology("pcie-8gpu.topo.txt") << "nvidia-smi" << 8;
        QTest::newRow("XML") << topology("ndv4-a100-nccl-topo.xml") << "nccl" << 8;
        QTest::newRow("matrix, unlike domains") << saved("degraded.txt", kThreeAndTwo) << "nvidia-smi" << 5;
        QTest::newRow("tree") << topology("slurm-topology.conf") << "slurm" << 512;
        QTest::newRow("table") << saved("nodes.csv", "name,node,count,leaf\na,dgx-a100-80,4,l1\n") << "nodes" << 32;
    }
    void everyTopologyMakesAPlanThatIsEstimated()
    {
        QFETCH(const QString, file);
        QFETCH(const QString, kind);
        QFETCH(const int, accelerators);
        const QString plan = folder().filePath("imported-topology.json");
        const Run written = cli({"import", file, "-o", plan, "--json"});
        QCOMPARE(written.exitCode, 0);
        QVERIFY(written.error.isEmpty());
        const Json answer = written.json();
        QVERIFY(
            hasKeys(answer, {"kind", "cluster", "nodes", "accelerators", "filled", "simplified", "assumed", "file"}));
        QCOMPARE(QString::fromStdString(answer["kind"].get<std::string>()), kind);
        QCOMPARE(answer["accelerators"].get<int>(), accelerators);
        QCOMPARE(answer["assumed"][0].get<std::string>().substr(0, 7), std::string("model: "));
        QFile read(plan);
        QVERIFY(read.open(QIODevice::ReadOnly));
        const QByteArray text = read.readAll();
        // The same on standard output, for people and for programs.
        QCOMPARE(cli({"import", file}).out, text);
        QVERIFY(cli({"import", file, "--json"}).json()["plan"] == Json::parse(text.toStdString()));
        const Run estimate = cli({"estimate", plan, "--json"});
        QCOMPARE(estimate.exitCode, 0);
        QVERIFY(estimate.json()["fits"] == true);
    }

    void whatIsAssumedIsToldToPeople()
    {
        const Run run = cli({"import", "-"}, kTree);
        QCOMPARE(run.exitCode, 0);
        for (const char* line :
            {"import: 16 nodes of DGX H100, 2 switches (leaf), 1 switch (spine), 128 accelerators\n",
                "import: not stated, taken as accelerator=h100-sxm-80 (as in the node dgx-h100)\n",
                "import: not stated, taken as cables nodes to leaves=128 (every network port has one)\n",
                "import: LinkSpeed=\"400\" is a relative number in Slurm, no bandwidth: it is not taken\n",
                "import: assumed model: Llama 3.1 70B\n", "import: assumed cluster: slurm, 128 accelerators\n"})
            QVERIFY2(run.error.contains(line), run.error.constData());
    }

    void thePersonSaysWhatIsOpen()
    {
        const auto clusterOf = [](const QStringList& options, const QByteArray& text) {
            const Run run = cli(QStringList{"import", "-"} + options, text);
            return run.exitCode == 0 ? run.json()["cluster"] : Json(run.error.toStdString());
        };
        QCOMPARE(clusterOf({"--accelerator", "a100-sxm-40"}, kTree)["nodes"][0]["preset"].get<std::string>(),
            std::string("dgx-a100-40"));
        QCOMPARE(clusterOf({"--node", "mi300x-8"}, kTree)["connections"][0]["link"].get<std::string>(),
            std::string("roce-400"));
        const QByteArray matrix = "\tGPU0\tGPU1\nGPU0\tX\tNV18\nGPU1\tNV18\tX\n";
        const Json cluster = clusterOf({"--nodes", "16", "--nic", "roce-800", "--accelerator", "h200-sxm-141"}, matrix);
        QCOMPARE(cluster["nodes"][0]["count"].get<int>(), 16);
        QCOMPARE(cluster["nodes"][0]["nic"].get<std::string>(), std::string("roce-800"));
        QCOMPARE(cluster["nodes"][0]["accelerator"].get<std::string>(), std::string("h200-sxm-141"));
    }

    void theClusterOfAPlanIsReplaced()
    {
        const QByteArray before = example("llama-70b-512-h100");
        const QString plan = saved("to-move.json", edited(before, "/remark_of_mine", "kept"));
        const Run run = cli({"import", "-", "--plan", plan}, kTree);
        QCOMPARE(run.exitCode, 0);
        const Json old = Json::parse(before.toStdString()), moved = run.json();
        QCOMPARE(moved["cluster"]["nodes"][0]["count"].get<int>(), 16);
        QCOMPARE(moved["strategy"]["dp"].get<int>() * 4, old["strategy"]["dp"].get<int>());
        const std::string change =
            "DP " + old["strategy"]["dp"].dump() + " → " + moved["strategy"]["dp"].dump(); // and nothing else
        QCOMPARE(run.error.count("import: changed "), 1);
        QVERIFY2(run.error.contains(("import: changed " + change + '\n').c_str()), run.error.constData());
        QVERIFY((cli({"import", "-", "--plan", plan, "--json"}, kTree).json()["changed"] == Json{change}));
        QVERIFY(moved["model"] == old["model"] && moved["training"] == old["training"]);
        QVERIFY(moved["remark_of_mine"] == "kept");
        QCOMPARE(cli({"estimate", "-"}, run.out).exitCode, 0);
        // A plan that has no room there is written all the same, and told.
        const Run narrow = cli({"import", "-", "--plan", plan}, "name,accelerators\na,1\n");
        QCOMPARE(narrow.exitCode, 0);
        QVERIFY2(narrow.error.contains("warning: the plan on this cluster: "), narrow.error.constData());
    }

    void plansThatCannotBeEstimatedAreTold()
    {
        const Run run = cli({"import", "-"}, "name,node\na,dgx-h100\nb,mi300x-8\n");
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("unlike vendors"), run.error.constData());
        // Unlike nodes are no such thing.
        const Run unlike = cli({"import", "-"}, "name,node\na,dgx-h100\nb,dgx-a100-80\n");
        QVERIFY2(unlike.exitCode == 0 && !unlike.error.contains("warning"), unlike.error.constData());
        QCOMPARE(unlike.json()["cluster"]["nodes"].size(), std::size_t(2));
        QCOMPARE(cli({"estimate", "-"}, unlike.out).exitCode, 0);
        // Leaves of unlike numbers of the same nodes are no such thing.
        const Run leaves =
            cli({"import", "-"}, "SwitchName=a Nodes=n[1-8]\nSwitchName=b Nodes=m[1-4]\nSwitchName=c Switches=a,b\n");
        QVERIFY2(leaves.exitCode == 0 && !leaves.error.contains("warning"), leaves.error.constData());
        QCOMPARE(cli({"estimate", "-"}, leaves.out).exitCode, 0);
    }

    void partsThatNothingJoinsAreToldAndDrawn()
    {
        for (const QByteArray& text : {QByteArray("SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n"),
                 QByteArray("name,node,count,leaf\na,dgx-h100,4,l1\nb,dgx-h100,4,l2\n")}) {
            const Run run = cli({"import", "-"}, text);
            QCOMPARE(run.exitCode, 0);
            QVERIFY2(
                run.error.contains("import: no switch joins the 2 parts of the network: they are drawn as they are"),
                run.error.constData());
            QCOMPARE(run.json()["cluster"]["switches"][0]["count"].get<int>(), 2);
        }
    }

    void placesAreLinesNeverPointers()
    {
        for (const QByteArray& text : {QByteArray("SwitchName=all Nodes=n[1-20000]\n"),
                 QByteArray("name,accelerators,count\na,4096,100000\n"), QByteArray("name,nics,leaf\na,0,l1\n"),
                 QByteArray("<system version=\"1\"><cpu><pci busid=\"1\" class=\"0x030200\" link_speed=\"1e308 GT/s\" "
                            "link_width=\"16\"/></cpu></system>")}) {
            const Run run = cli({"import", "-"}, text);
            QVERIFY2(!run.error.contains("/cluster/") && !run.error.contains(": /"), run.error.constData());
        }
    }

    void faultsNameTheirPlace()
    {
        const QString file = saved("broken.conf", "SwitchName=a Nodes=n1\nSwitchName=b Switches=x\n");
        const QString never = folder().filePath("never-topology.json");
        const Run run = cli({"import", file, "-o", never, "--json"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY(!QFile::exists(never));
        const Json problem = run.json()["problems"][0];
        QCOMPARE(problem["where"].get<std::string>(), std::string("line 2, column 23"));
        QCOMPARE(problem["code"].get<std::string>(), std::string("syntax"));
        QCOMPARE(run.error,
            QByteArray("stratoplan-cli: " + file.toUtf8()
                + ": line 2, column 23: found the switch \"x\", which no line defines, expected SwitchName=x on a line "
                  "of "
                  "its own\n"));
        // What a file holds does not reach the terminal as it is.
        const Run escape = cli({"import", "-"}, "\tGPU0\tGPU1\nGPU0\tX\tNV1\x07\nGPU1\tNV1\tX\n");
        QVERIFY(escape.exitCode == 2 && !escape.error.contains('\x07') && escape.error.contains("NV1\\u0007"));
        const Run bell = cli({"import", "-"}, "\tGPU0\tmlx\x07\nGPU0\tX\tSYS\n");
        QVERIFY(bell.exitCode == 0 && !bell.error.contains('\x07') && bell.error.contains("mlx\\x07"));
        for (const auto& [unseen, shown] : {std::pair("\xC2\x9B", "\\u009b"), {"\xE2\x80\xAE", "\\u202e"}}) {
            const Run label = cli({"import", "-"}, QByteArray("\tGPU0\tmlx") + unseen + "\nGPU0\tX\tSYS\n");
            QVERIFY2(!label.error.contains(unseen) && label.error.contains(shown), label.error.constData());
            const Run quoted = cli({"import", "-"}, QByteArray("SwitchName=a Nods") + unseen + "=b\n");
            QVERIFY2(!quoted.error.contains(unseen) && quoted.error.contains(shown), quoted.error.constData());
        }
    }

    void callsThatMakeNoSenseAreRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("error");
        const QByteArray model = R"({"model_type":"llama"})";
        QTest::newRow("no kind") << QStringList{} << QByteArray("hello")
                                 << "standard input: found a text of no kind that is known, expected the config.json";
        QTest::newRow("empty") << QStringList{} << QByteArray()
                               << "standard input: found an empty file, expected a text in UTF-8";
        QTest::newRow("blank") << QStringList{} << QByteArray("\xEF\xBB\xBF \r\n")
                               << "standard input: found an empty file, expected a text in UTF-8";
        QTest::newRow("UTF-16")
            << QStringList{} << QByteArray("\xFF\xFES\0w\0i\0t\0", 10)
            << "standard input: line 1, column 1: found UTF-16 or binary data, expected a text in UTF-8";
        QTest::newRow("UTF-16 without mark")
            << QStringList{} << QByteArray("S\0w\0i\0t\0", 8)
            << "standard input: line 1, column 2: found UTF-16 or binary data, expected a text in UTF-8";
        QTest::newRow("id")
            << QStringList{"--accelerator", "h100"} << kTree
            << "--accelerator: found \"h100\", expected the id of an accelerator, such as \"h100-sxm-80\"";
        QTest::newRow("node") << QStringList{"--node", "x"} << kTree
                              << "--node: found \"x\", expected the id of a node";
        QTest::newRow("link") << QStringList{"--nic", "x"} << kTree << "--nic: found \"x\", expected the id of a link";
        QTest::newRow("nodes of a list") << QStringList{"--nodes", "4"} << kTree
                                         << "--nodes: found 4, expected nothing: the file lists all nodes itself";
        QTest::newRow("no number of nodes")
            << QStringList{"--nodes", "0"} << kTree << "--nodes: found \"0\", expected a whole number from 1 to 100000";
        QTest::newRow("layers of a cluster") << QStringList{"--stand-in"} << kTree
                                             << "--stand-in: found a topology, expected the config.json of a model";
        QTest::newRow("nodes of a model") << QStringList{"--node", "dgx-h100"} << model
                                          << "--node: found \"dgx-h100\", expected nothing: the file is of a model";
        QTest::newRow("both from standard input")
            << QStringList{"--plan", "-"} << kTree << "--plan: found \"-\", expected a file";
        QTest::newRow("no plan") << QStringList{"--plan", "nowhere.json"} << kTree << "No such file: nowhere.json";
    }
    void callsThatMakeNoSenseAreRefused()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, text);
        QFETCH(const QString, error);
        const Run run = cli(QStringList{"import", "-"} + arguments, text);
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(error.toUtf8()), run.error.constData());
        QVERIFY(run.out.isEmpty());
    }

    void theFileThatIsReadIsNotOverwritten()
    {
        const QString file = saved("site.conf", kTree);
        const Run run = cli({"import", file, "-o", file});
        QVERIFY(run.exitCode == 2 && run.error.contains("another file than the one that is read"));
    }

    void helpHasTheColumnsOfTables()
    {
        const Run run = cli({"import", "--help"});
        QCOMPARE(run.exitCode, 0);
        for (const char* column : {"  name  ", "  accelerators  ", "  scale_up  ", "  uplinks  ", "nvidia-smi topo -m"})
            QVERIFY2(run.out.contains(column), column);
    }
};

STRATOPLAN_TEST(TestCliImport)
#include "test_cli_import.moc"
