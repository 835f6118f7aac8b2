// SPDX-License-Identifier: GPL-3.0-or-later
// Which text is which, the parts that are recognised, and plans on imported clusters.
#include "core/catalog/recognised_parts.h"
#include "core/exchange/recognise.h"
#include "core/exchange/starting_plan.h"
#include "core/units/run_headings.h"
#include "core/wiring/described.h"
#include "tests/core/wiring/wiring_texts.h"
#include "tests/registry.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace stratoplan;
using namespace stratoplan::test;
using namespace stratoplan::wiring;

namespace {

const catalog::Catalog& parts()
{
    return catalog::shippedCatalog();
}

/// As a topology, and as any file that can be opened; empty where it is none.
QString formatOf(const QString& text)
{
    const auto format = recognise(text.toStdString());
    if ((exchange::recogniseFile(text.toStdString()) == exchange::FileKind::Topology) != format.has_value())
        return QStringLiteral("recognised as a topology by one alone");
    return format ? QString::fromUtf8(key(*format).data(), qsizetype(key(*format).size())) : QString();
}

} // namespace

class TestWiring : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsAreRecognisedByTheirContent_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("format");
        QTest::newRow("matrix") << "\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tSYS\t0\n"
                                << "nvidia-smi";
        QTest::newRow("matrix after a prompt") << "$ nvidia-smi topo -m\n\x1b[4mGPU0\tGPU1\x1b[0m\n"
                                               << "nvidia-smi";
        QTest::newRow("matrix without its heading") << "GPU0\tX\tNV1\n"
                                                    << "nvidia-smi";
        QTest::newRow("XML") << "\n  <?xml version=\"1.0\"?><system version=\"1\"/>"
                             << "nccl";
        QTest::newRow("tree") << "# remark\n\nswitchname = a nodes=b\n"
                              << "slurm";
        QTest::newRow("blocks") << "BlockName=a Nodes=b\n"
                                << "slurm";
        QTest::newRow("table") << "# remark\nNODE,Name\n"
                               << "nodes";
        QTest::newRow("settings") << "SlurmctldHost=a\n"
                                  << "";
        QTest::newRow("prose") << "GPU0 is hot\n"
                               << "";
        QTest::newRow("nothing") << ""
                                 << "";
        QTest::newRow("JSON") << "{\"a\": 1}"
                              << "";
    }
    void textsAreRecognisedByTheirContent()
    {
        QFETCH(const QString, text);
        QTEST(formatOf(text), "format");
    }

    void tablesOfNodesAreNoTablesOfRuns_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("format");
        QTest::newRow("table of runs") << "name,accelerators,step_s\na,8,1\n"
                                       << "";
        QTest::newRow("table of runs, in milliseconds") << "name,tp,pp,dp,accelerators,step_ms\na,8,1,1,8,1\n"
                                                        << "";
        for (const std::string_view alias : runColumnAliases())
            if (alias != "name")
                QTest::addRow("run: %s", std::string(alias).c_str())
                    << QString("name,accelerators,%1\na,8,1\n").arg(std::string(alias).c_str()) << "";
        for (const char* column : {"memory_gb", "memory", "time", "time_limit"})
            QTest::addRow("table with %s", column)
                << QString("name,accelerator,nic,%1\na,h100-sxm-80,ib-ndr,1\n").arg(column) << "nodes";
        QTest::newRow("table with a column that is not known") << "name,node,leaf,gpus\n"
                                                               << "nodes";
        QTest::newRow("table with more that are not known") << "name,node,owner,shelf,serial\n"
                                                            << "";
    }
    void tablesOfNodesAreNoTablesOfRuns()
    {
        QFETCH(const QString, text);
        QTEST(formatOf(text), "format");
    }

    void everySampleIsRecognised()
    {
        for (const char* name : {"ndv4-a100-nccl-topo.xml", "nvlink-pairs-4gpu-4nic.topo.txt", "pcie-8gpu.topo.txt",
                 "slurm-topology.conf", "v100-4gpu.topo.txt"})
            QVERIFY(exchange::recogniseFile(topologyFile(name)) == exchange::FileKind::Topology);
    }

    /// What a topology may have at most is what a plan may have.
    void boundsAreThoseOfPlans()
    {
        QFile file(QStringLiteral(STRATOPLAN_DOCS "/../schema/plan.schema.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto definitions = nlohmann::json::parse(file.readAll().toStdString())["definitions"];
        QCOMPARE(definitions["switch_group"]["properties"]["ports"]["maximum"].get<int>(), cluster::kMostPorts);
        QCOMPARE(definitions["connection"]["properties"]["cables"]["maximum"].get<int>(), kMostCables);
    }

    void wideCharactersAreTold()
    {
        QCOMPARE(faultOfText(" \r\n"), (Fault{0, 0, "an empty file", "a text in UTF-8"}));
        const auto wide = importCluster(std::string_view("<\0s\0", 4), Format::NcclXml, "site", {}, parts());
        QVERIFY(!wide);
        QCOMPARE(wide.error(), (Fault{1, 2, "UTF-16 or binary data", "a text in UTF-8"}));
        // Overlong, a surrogate, beyond Unicode, cut short.
        for (const char* bytes : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
            const auto broken =
                importCluster(std::string("SwitchName=a") + bytes, Format::SlurmTree, "site", {}, parts());
            QVERIFY(!broken && broken.error() == (Fault{1, 13, "a byte that is no UTF-8", "a text in UTF-8"}));
        }
    }

    void tablesAreDocumented()
    {
        QFile document(QStringLiteral(STRATOPLAN_DOCS "/../schema/topology.md"));
        QVERIFY(document.open(QIODevice::ReadOnly));
        QString rows;
        for (const TableColumn& column : tableColumns())
            rows +=
                QString("| `%1` | %2 |\n").arg(std::string(column.name).c_str(), std::string(column.meaning).c_str());
        QVERIFY(QString::fromUtf8(document.readAll()).contains("| --- | --- |\n" + rows + '\n'));
        QFile example(QStringLiteral(STRATOPLAN_EXAMPLES "/nodes.csv"));
        QVERIFY(example.open(QIODevice::ReadOnly));
        const ImportedCluster cluster = imported(example.readAll().toStdString());
        QCOMPARE(reporting::describe(cluster.cluster),
            std::string("32 nodes of DGX H100, 16 nodes of DGX A100 80 GB, 4 switches (leaf), 2 switches (leaf), "
                        "2 switches (spine), 384 accelerators"));
    }

    void partsNameTheCatalogue()
    {
        QVERIFY(catalog::shippedRecognisedParts().size() > 15);
        const auto faultOfParts = [](const char* content) {
            const auto read = catalog::parseRecognisedParts({"parts.json", content}, parts());
            return read ? std::string("read") : describe(read.error());
        };
        QCOMPARE(faultOfParts("no"), std::string("parts.json#: found text that is not JSON, expected a JSON object"));
        QCOMPARE(
            faultOfParts(
                R"({"license":"","entries":[{"node":"x","nvlinks":0,"gigatransfers":1,"compute":[],"devices":[]}]})"),
            std::string("parts.json#/entries/0/node: found \"x\", expected the id of a node"));
        QCOMPARE(faultOfParts(
                     R"({"license":"","entries":[{"node":"dgx2","nvlinks":6,"gigatransfers":1,"compute":[],
"devices":[]}]})"),
            std::string(
                "parts.json#/entries/0/nvlink: found \"\", expected the id of a link, where there are NVLinks"));
    }

    /// No two entries claim a device, so that an id states an accelerator.
    void devicesAreNamedOnce()
    {
        QStringList devices;
        for (const catalog::RecognisedPart& part : catalog::shippedRecognisedParts())
            for (const std::string& device : part.devices)
                devices << QString::fromStdString(device);
        QCOMPARE(devices.removeDuplicates(), 0);
    }

    void plansOfClustersFit_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("model");
        QTest::newRow("512 H100") << "slurm-topology.conf"
                                  << "Llama 3.1 405B";
        QTest::newRow("8 A100") << "ndv4-a100-nccl-topo.xml"
                                << "Llama 3.1 8B";
        QTest::newRow("4 V100") << "v100-4gpu.topo.txt"
                                << "Llama 3.2 3B";
        QTest::newRow("pairs") << "nvlink-pairs-4gpu-4nic.topo.txt"
                               << "Llama 3.2 3B";
        QTest::newRow("cards") << "pcie-8gpu.topo.txt"
                               << "Llama 3.1 8B";
    }
    void plansOfClustersFit()
    {
        QFETCH(const QString, file);
        const cluster::Cluster site = imported(topologyFile(qPrintable(file))).cluster;
        const auto plan = exchange::startingPlan(site, parts());
        QVERIFY(plan.has_value());
        QTEST(QString::fromStdString(plan->model.name), "model");
        QVERIFY(plan->cluster == site);
        const auto answer = estimate::estimate(*plan, {.remedies = false, .catalog = &parts()});
        QVERIFY(answer && answer->fits && !hasErrors(answer->problems));
        // What is written is read back as it was.
        const auto back = exchange::parseDocument(exchange::writePlan(*plan, parts()), parts());
        QVERIFY(back && back->project.plan == *plan && back->warnings.empty());
    }

    void otherVendorsTakeSoftwareThatRuns()
    {
        const auto plan = exchange::startingPlan(imported("name,node,count\na,atlas-900-a2,4\n").cluster, parts());
        QVERIFY(plan.has_value());
        QVERIFY(runsOn(plan->training.software, "Huawei"));
        const auto mixed = exchange::startingPlan(
            imported("name,node,count\na,atlas-900-a2,4\nb,dgx-h100,4\nc,tpu-v4,4\n").cluster, parts());
        QVERIFY(!mixed && mixed.error().front().code == plan::ProblemCode::SoftwareUnsupported);
    }

    void plansMoveToOtherClusters()
    {
        const auto read = exchange::parseDocument(exchange::findExample("llama-70b-512-h100")->text, parts());
        const plan::Plan& before = read->project.plan;
        const cluster::Cluster half = imported("name,node,count\na,dgx-h100,32\n").cluster;
        const plan::Plan moved = exchange::onCluster(before, half);
        QVERIFY(moved.cluster == half);
        QCOMPARE(moved.strategy.dp, before.strategy.dp / 2);
        plan::Plan same = moved;
        same.strategy.dp = before.strategy.dp;
        QVERIFY(same.strategy == before.strategy && moved.model == before.model && moved.training == before.training);
        // Where not even a replica has room, nothing is changed.
        const cluster::Cluster single = imported("name,accelerators\na,1\n").cluster;
        QVERIFY(exchange::onCluster(before, single).strategy == before.strategy);
    }
};

STRATOPLAN_TEST(TestWiring)
#include "test_wiring.moc"
