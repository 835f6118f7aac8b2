// SPDX-License-Identifier: GPL-3.0-or-later
// The topology XML of NCCL and RCCL, dumped and written by hand, as a cluster; and what is no such file.
#include "tests/core/wiring/wiring_texts.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::test;
using namespace stratoplan::wiring;

namespace {

std::string gpu(int bus, const std::string& device, const std::string& sm, const std::string& links)
{
    return "<pci busid=\"0000:" + std::to_string(10 + bus) + ":00.0\" class=\"0x030200\" " + device
        + " link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + std::to_string(bus) + "\" " + sm + " rank=\""
        + std::to_string(bus) + "\" gdr=\"1\">" + links + "</gpu></pci>\n";
}

std::string port(int bus, int megabits, const std::string& pciClass = "0x020700")
{
    const std::string number = std::to_string(bus);
    return "<pci busid=\"0000:" + std::to_string(60 + bus) + ":00.0\" class=\"" + pciClass
        + "\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><nic><net name=\"mlx5_" + number + "\" dev=\"" + number
        + "\" speed=\"" + std::to_string(megabits)
        + "\" port=\"1\" guid=\"0x1\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>\n";
}

std::string inSystem(const std::string& devices, const std::string& version = "1")
{
    return "<system version=\"" + version
        + "\">\n<cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" "
          "vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\">\n"
        + devices + "</cpu>\n</system>\n";
}

/// Eight alike behind switches, with as many ports.
std::string eight(const std::string& device, const std::string& sm, const std::string& links, int megabits)
{
    std::string devices;
    for (int i = 0; i < 8; ++i)
        devices += gpu(i, device, sm, links) + port(i, megabits);
    return inSystem(devices);
}

const std::string kToSwitches = R"(<nvlink target="0000:a1:00.0" count="9" tclass="0x068000"/>)"
                                R"(<nvlink target="0000:a2:00.0" count="9" tclass="0x068000"/>)";

} // namespace

class TestNcclTopology : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dumpsNameTheirAccelerator_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("sm");
        QTest::addColumn<QString>("accelerator");
        QTest::addColumn<bool>("stated");
        QTest::newRow("H100 by its id") << R"(vendor="0x10de" device="0x2330")"
                                        << R"(sm="90")"
                                        << "h100-sxm-80" << true;
        QTest::newRow("H200 by its id") << R"(vendor="0x10de" device="0x2335")"
                                        << R"(sm="90")"
                                        << "h200-sxm-141" << true;
        QTest::newRow("sm 90") << ""
                               << R"(sm="90")"
                               << "h100-sxm-80" << false;
        QTest::newRow("sm 100") << ""
                                << R"(sm="100")"
                                << "b200-sxm-180" << false;
        QTest::newRow("sm 103") << ""
                                << R"(sm="103")"
                                << "b300-sxm-270" << false;
        QTest::newRow("sm 80") << ""
                               << R"(sm="80")"
                               << "a100-sxm-80" << false;
        QTest::newRow("sm 70") << ""
                               << R"(sm="70")"
                               << "v100-sxm-32" << false;
        QTest::newRow("an id of nothing known") << R"(vendor="0x10de" device="0xffff")"
                                                << R"(sm="90")"
                                                << "h100-sxm-80" << false;
    }
    void dumpsNameTheirAccelerator()
    {
        QFETCH(const QString, device);
        QFETCH(const QString, sm);
        QFETCH(const QString, accelerator);
        QFETCH(const bool, stated);
        const ImportedCluster cluster = imported(eight(device.toStdString(), sm.toStdString(), kToSwitches, 400000));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(QString::fromStdString(node.accelerator.id), accelerator);
        QCOMPARE(node.acceleratorsPerNode, 8);
        QCOMPARE(node.scaleUpDomain, 8);
        QCOMPARE(node.nic.id, std::string("ib-ndr"));
        QCOMPARE(node.nicsPerNode, 8);
        QCOMPARE(!filledOf(cluster).contains("accelerator=" + accelerator), stated);
    }

    void linksToSwitchesMakeOneDomain()
    {
        const cluster::NodeGroup node = imported(eight("", R"(sm="90")", kToSwitches, 200000)).cluster.nodes.front();
        QCOMPARE(node.scaleUp.id, std::string("nvlink4"));
        QCOMPARE(node.nic.id, std::string("ib-hdr"));
        // Half of the links are down.
        const cluster::NodeGroup half =
            imported(eight("", R"(sm="90")", R"(<nvlink target="0000:a1:00.0" count="9" tclass="0x068000"/>)", 400000))
                .cluster.nodes.front();
        QCOMPARE(half.scaleUp.name, std::string("NVLink 4, 9 of 18"));
        QCOMPARE(half.scaleUp.bandwidth.value(), 225e9);
        QVERIFY(half.scaleUp.kernels.empty());
    }

    void unlikeDomainsOfANodeAreCutAlike()
    {
        const auto domainOf = [](int first, int second) {
            std::string devices;
            for (int i = 0; i < first + second; ++i) {
                std::string links;
                for (int k = 0; k < first + second; ++k)
                    if (k != i && (k < first) == (i < first))
                        links += "<nvlink target=\"0000:" + std::to_string(10 + k)
                            + ":00.0\" count=\"3\" tclass=\"0x0302\"/>";
                devices += gpu(i, "", R"(sm="90")", links);
            }
            const cluster::NodeGroup node = imported(inSystem(devices)).cluster.nodes.front();
            return std::pair(node.scaleUp.kind, node.scaleUpDomain);
        };
        QVERIFY(domainOf(3, 5) == std::pair(cluster::LinkKind::Pcie, 8)); // which joins what has no common size
        QVERIFY(domainOf(3, 4) == std::pair(cluster::LinkKind::Pcie, 7));
        QVERIFY(domainOf(6, 2) == std::pair(cluster::LinkKind::NvLink, 2));
    }

    void theFileOfACloudNodeLeavesMuchOpen()
    {
        const ImportedCluster cluster = imported(topologyFile("ndv4-a100-nccl-topo.xml"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("a100-sxm-80"));
        QCOMPARE(node.acceleratorsPerNode, 8);
        QCOMPARE(node.scaleUp.id, std::string("nvlink3"));
        QCOMPARE(node.scaleUpDomain, 8);
        QCOMPARE(node.nic.id, std::string("ib-hdr"));
        QCOMPARE(node.nicsPerNode, 8);
        QCOMPARE(lines(reporting::describe(cluster.filled)),
            QStringList({"nodes=1 (nothing tells)",
                "accelerator=a100-sxm-80 (usual on PCIe of 16 GT/s: --accelerator names another)",
                "scale_up=nvlink3 (as in the node dgx-a100-80)", "scale_up_domain=8 (as in the node dgx-a100-80)",
                "nic=ib-hdr (as in the node dgx-a100-80)", "host_memory_gib=2048 (as in the node dgx-a100-80)"}));
        QVERIFY(cluster.remarks.empty());
    }

    void gpusThatNothingLinksUsePcie()
    {
        std::string devices;
        for (int i = 0; i < 4; ++i)
            devices += gpu(i, "", R"(sm="90")", "");
        const cluster::NodeGroup node = imported(inSystem(devices)).cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("h100-pcie-80"));
        QCOMPARE(node.scaleUp.id, std::string("pcie5-x16"));
        QCOMPARE(node.scaleUpDomain, 4);
        QCOMPARE(node.nicsPerNode, 0);
    }

    void narrowPcieIsSlower()
    {
        std::string devices = gpu(0, "", R"(sm="89")", "") + gpu(1, "", R"(sm="89")", "");
        for (std::size_t at; (at = devices.find("link_width=\"16\"")) != std::string::npos;)
            devices.replace(at, 15, "link_width=\"4\"");
        const cluster::NodeGroup node = imported(inSystem(devices)).cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("l40s-48"));
        QCOMPARE(QString::number(node.scaleUp.bandwidth.value() / 1e9, 'f', 2), QString("15.75")); // as x16 of PCIe 3
        QCOMPARE(node.scaleUp.id, std::string("pcie3-x16"));
    }

    void rcclHasXgmiAndArchitectures()
    {
        std::string devices;
        for (int i = 0; i < 8; ++i) {
            std::string links;
            for (int k = 0; k < 8; ++k)
                if (k != i)
                    links +=
                        "<xgmi target=\"0000:" + std::to_string(10 + k) + ":00.0\" count=\"1\" tclass=\"0x038000\"/>";
            devices +=
                gpu(i, "", R"(sm="94" gcn="gfx942:sramecc+:xnack-" arch="38911")", links) + port(i, 400000, "0x020000");
        }
        const ImportedCluster cluster = imported(inSystem(devices, "2"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("mi300x-192"));
        QCOMPARE(node.scaleUp.id, std::string("infinity-fabric-mi300x"));
        QCOMPARE(node.scaleUpDomain, 8);
        QCOMPARE(node.nic.id, std::string("roce-400"));
        QCOMPARE(
            filledOf(cluster), QStringList({"nodes=1", "accelerator=mi300x-192", "scale_up=infinity-fabric-mi300x"}));
        QVERIFY(cluster.remarks.empty());
    }

    void portsAreCountedByWhatTheyAre()
    {
        const std::string devices =
            gpu(0, "", R"(sm="80")", "") + port(0, 200000) + port(1, 200000) + port(2, 25000, "0x020000");
        const ImportedCluster mixed = imported(inSystem(devices));
        QCOMPARE(mixed.cluster.nodes.front().nicsPerNode, 2);
        QCOMPARE(mixed.cluster.nodes.front().nic.id, std::string("ib-hdr"));
        QCOMPARE(lines(reporting::describe(mixed.remarks)),
            QStringList({"1 network port is left out, slower than or unlike the 2 taken: mlx5_2:1"}));
        // A port without a device, under each processor, is one.
        const std::string socket = "<nic><net name=\"eth0\" dev=\"0\" speed=\"10000\" port=\"0\" guid=\"0x0\"/></nic>";
        const std::string twice = "<system version=\"1\"><cpu numaid=\"0\">" + gpu(0, "", R"(sm="80")", "") + socket
            + "</cpu><cpu numaid=\"1\">" + socket + "</cpu></system>";
        const cluster::NodeGroup node = imported(twice).cluster.nodes.front();
        QCOMPARE(node.nicsPerNode, 1);
        QCOMPARE(node.nic.name, std::string("Ethernet 10 Gbit/s"));
        QCOMPARE(node.nic.bandwidth.value(), 1.25e9);
    }

    /// Whichever stands first in the file.
    void thePortsThatCarryTheMostAreTaken()
    {
        std::string ports = port(9, 400000, "0x020000"), slow = port(9, 400000);
        for (int i = 0; i < 8; ++i) {
            ports += port(i, 400000);
            slow += port(i, 25000, "0x020000");
        }
        const ImportedCluster many = imported(inSystem(gpu(0, "", R"(sm="90")", "") + ports));
        QCOMPARE(many.cluster.nodes.front().nic.id, std::string("ib-ndr"));
        QCOMPARE(many.cluster.nodes.front().nicsPerNode, 8);
        const ImportedCluster fast = imported(inSystem(gpu(0, "", R"(sm="90")", "") + slow));
        QCOMPARE(fast.cluster.nodes.front().nic.id, std::string("ib-ndr"));
        QCOMPARE(fast.cluster.nodes.front().nicsPerNode, 1);
        // Without rates fabrics come first, and then the most.
        const std::string bare = "<pci busid=\"0000:a0:00.0\" class=\"0x020000\"/><pci busid=\"0000:a1:00.0\" "
                                 "class=\"0x020000\"/><pci busid=\"0000:a2:00.0\" class=\"0x020700\"/>";
        const ImportedCluster unrated = imported(inSystem(gpu(0, "", R"(sm="90")", "") + bare));
        QCOMPARE(unrated.cluster.nodes.front().nic.kind, cluster::LinkKind::InfiniBand);
        QCOMPARE(unrated.cluster.nodes.front().nicsPerNode, 1);
        QVERIFY(lines(reporting::describe(unrated.remarks))
                    .contains("2 network ports are left out, slower than or unlike the 1 taken: 0000:a0:00.0, "
                              "0000:a1:00.0"));
    }

    void portsWithoutANameAreNotOne()
    {
        std::string devices = gpu(0, "", R"(sm="90")", "");
        for (int i = 0; i < 4; ++i)
            devices += "<pci busid=\"0000:a" + std::to_string(i)
                + ":00.0\" class=\"0x020700\"><nic><net speed=\"400000\" "
                  "port=\"1\"/></nic></pci>";
        QCOMPARE(imported(inSystem(devices)).cluster.nodes.front().nicsPerNode, 4);
    }

    void displaysOfServersAreNoAccelerators()
    {
        const std::string card = "\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/>";
        const std::string aspeed = R"(<pci busid="0" class="0x030000" vendor="0x1a03" device="0x2000"/>)";
        const std::string other = R"(<pci busid="1" class="0x030000" vendor="0x102b"/>)";
        const std::string two = "<pci busid=\"2" + card + "<pci busid=\"3" + card;
        QCOMPARE(imported(inSystem(aspeed + other + two)).cluster.nodes.front().acceleratorsPerNode, 2);
        QCOMPARE(imported(inSystem(aspeed + other)).cluster.nodes.front().acceleratorsPerNode, 1);
        QVERIFY(faultOf(inSystem(aspeed)).startsWith("found no accelerator"));
    }

    /// Bus ids in letters of either case; classes that are missing; devices that are not there.
    void linksFindTheirTargets()
    {
        const auto pair = [](const std::string& target) {
            return inSystem("<pci busid=\"0000:1A:00.0\" class=\"0x030200\"><gpu sm=\"90\"><nvlink target=\"" + target
                + "\" count=\"18\"/></gpu></pci><pci busid=\"0000:1b:00.0\" class=\"0x030200\"><gpu sm=\"90\"><nvlink "
                  "target=\"0000:1a:00.0\" count=\"18\"/></gpu></pci>");
        };
        const ImportedCluster cased = imported(pair("0000:1B:00.0"));
        QCOMPARE(cased.cluster.nodes.front().scaleUp.id, std::string("nvlink4"));
        QVERIFY(cased.remarks.empty());
        QCOMPARE(lines(reporting::describe(imported(pair("0000:c1:00.0")).remarks)),
            QStringList({"links to what is not in the file are left out: 0000:c1:00.0"}));
        const ImportedCluster shared =
            imported(eight("", R"(sm="90")", R"(<nvlink target="0000:c1:00.0" count="18"/>)", 400000));
        QCOMPARE(shared.cluster.nodes.front().scaleUp.id, std::string("nvlink4"));
        QCOMPARE(shared.cluster.nodes.front().scaleUpDomain, 8);
        QVERIFY(shared.remarks.empty());
        const ImportedCluster known = imported(inSystem(gpu(0, "", R"(sm="90")", R"(<nvlink target="S" count="18"/>)")
            + gpu(1, "", R"(sm="90")", R"(<nvlink target="s" count="9"/>)")
            + gpu(2, "", R"(sm="90")", R"(<nvlink target="s" count="18" tclass="0x068000"/>)")
            + "<pci busid=\"s\" class=\"0x068000\"/>"));
        QCOMPARE(known.cluster.nodes.front().scaleUp.name, std::string("NVLink 4, 9 of 18"));
    }

    void hostsThatNvlinkJoinsAreOneDomain()
    {
        std::string text = "<system version=\"1\">";
        for (int host = 0; host < 3; ++host) {
            text += "<cpu host_hash=\"0x" + std::to_string(host) + "\" numaid=\"0\" arch=\"arm64\">";
            for (int i = 0; i < 4; ++i)
                text += gpu(i, R"(vendor="0x10de" device="0x2941")", R"(sm="100")",
                    R"(<nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/><c2c bw="44712" count="5"/>)");
            text += "</cpu>";
        }
        const ImportedCluster cluster = imported(text + "</system>");
        QCOMPARE(cluster.cluster.nodes.size(), std::size_t(1));
        QCOMPARE(cluster.cluster.nodes.front().count, 3);
        QCOMPARE(cluster.cluster.nodes.front().acceleratorsPerNode, 4);
        QCOMPARE(cluster.cluster.nodes.front().scaleUpDomain, 12);
        QCOMPARE(cluster.cluster.nodes.front().accelerator.id, std::string("gb200-186"));
        QVERIFY(cluster.cluster.nodes.front().nicsPerNode > 0); // several nodes, and no port is named
    }

    /// A GPU without links in each tray: what joins the trays does not join what is left of them by PCIe.
    void brokenTraysAreNotOneDomain()
    {
        const auto trays = [](int broken) {
            std::string text = "<system version=\"1\">";
            for (int host = 0; host < 2; ++host) {
                text += "<cpu host_hash=\"0x" + std::to_string(host) + "\" numaid=\"0\" arch=\"arm64\">";
                for (int i = 0; i < 4; ++i)
                    text += gpu(i, R"(vendor="0x10de" device="0x2941")", R"(sm="100")",
                        i == 3 && host < broken ? ""
                                                : R"(<nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>)");
                text += "</cpu>";
            }
            return imported(text + "</system>");
        };
        QCOMPARE(trays(0).cluster.nodes.front().scaleUpDomain, 8);
        const ImportedCluster both = trays(2);
        QCOMPARE(both.cluster.nodes.size(), std::size_t(1));
        QCOMPARE(both.cluster.nodes.front().count, 2);
        QCOMPARE(both.cluster.nodes.front().scaleUp.kind, cluster::LinkKind::Pcie);
        QCOMPARE(both.cluster.nodes.front().scaleUpDomain, 4);
        const ImportedCluster one = trays(1);
        QCOMPARE(one.cluster.nodes.size(), std::size_t(2));
        for (const cluster::NodeGroup& group : one.cluster.nodes)
            if (group.scaleUp.kind == cluster::LinkKind::Pcie)
                QCOMPARE(group.scaleUpDomain, 4);
    }

    void elementsThatNobodyKnowsAreTold()
    {
        const ImportedCluster cluster = imported(inSystem(gpu(0, "", R"(sm="80")", "") + "<quantum/>"));
        QCOMPARE(lines(reporting::describe(cluster.remarks)),
            QStringList({"passed over, as it is not known: <\"quantum\">"}));
    }

    // In one piece: a table of faults, and what is said of each.
    void faultsAreToldWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        const QString root = "<system version=\"1\"> of NCCL, or version 2 of RCCL";
        QTest::newRow("another file") << "<html>\n</html>"
                                      << "line 1, column 1: found the element \"html\", expected " + root;
        QTest::newRow("no version") << "<system>\n</system>"
                                    << "line 1, column 1: found no version, expected " + root;
        QTest::newRow("version") << "<system version=\"7\"/>"
                                 << "line 1, column 1: found version \"7\", expected " + root;
        QTest::newRow("empty")
            << "<system version=\"1\"/>"
            << "found no accelerator, expected a <gpu>, or a <pci> of class 0x030200 (GPU), in the tree "
               "of a <cpu>";
        QTest::newRow("cut short")
            << "<system version=\"1\">\n<cpu numaid=\"0\">\n"
            << "line 3, column 1: found XML that is not well-formed: no element found, expected a "
               "whole file, which ends with </system>";
        QTest::newRow("entities") << "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]>\n<system version=\"1\"/>"
                                  << "line 1: found a document type (<!DOCTYPE …>), expected elements and "
                                     "attributes alone";
        QTest::newRow("GPU nowhere")
            << "<system version=\"1\"><cpu><gpu sm=\"80\"/></cpu></system>"
            << "line 1, column 26: found a <gpu> outside any <pci>, expected a <gpu> inside the "
               "<pci> that it is";
        QTest::newRow("no bus")
            << "<system version=\"1\"><cpu><pci class=\"0x030200\"/></cpu></system>"
            << "line 1, column 26: found a <pci> without busid, expected its place on the bus, such as "
               "busid=\"0000:07:00.0\"";
        QTest::newRow("bus twice") << "<system version=\"1\"><cpu><pci busid=\"1\"/>\n<pci busid=\"1\"/></cpu></system>"
                                   << "line 2, column 1: found busid \"1\" twice, expected every device once";
        QTest::newRow("capability")
            << "<system version=\"1\"><cpu><pci busid=\"1\">\n<gpu sm=\"new\"/></pci></cpu></system>"
            << "line 2, column 1: found sm \"new\", expected a compute capability such as sm=\"90\"";
        QTest::newRow("speed") << "<system version=\"1\"><cpu><nic>\n<net speed=\"fast\"/></nic></cpu></system>"
                               << "line 2, column 1: found speed \"fast\", expected Mb/s as a whole number, such as "
                                  "speed=\"200000\"";
        QTest::newRow("count")
            << "<system version=\"1\"><cpu><pci busid=\"1\"><gpu sm=\"90\">\n<nvlink target=\"2\" "
               "count=\"-1\"/></gpu></pci></cpu></system>"
            << "line 2, column 1: found count \"-1\", expected the number of links, a whole number from 1 "
               "to 1000";
        QTest::newRow("link nowhere")
            << "<system version=\"1\"><cpu>\n<nvlink target=\"2\" count=\"1\"/></cpu></system>"
            << "line 2, column 1: found <nvlink> outside any <gpu>, expected links inside the "
               "<gpu> that has them";
        QTest::newRow("no target") << "<system version=\"1\"><cpu><pci busid=\"1\"><gpu sm=\"90\">\n<nvlink "
                                      "count=\"1\"/></gpu></pci></cpu></system>"
                                   << "line 2, column 1: found no target, expected the busid of what it links to";
        QTest::newRow("not UTF-8") << QString()
                                   << "line 1, column 20: found a byte that is no UTF-8, expected a text in UTF-8";
    }
    void faultsAreToldWithTheirPlace()
    {
        QFETCH(const QString, text);
        const bool broken = text.isNull();
        QTEST(faultOf(broken ? std::string("<system version=\"1\"\xFF>") : text.toStdString()), "fault");
    }

    void faultsOfDevicesAreTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        const QString ofKind = "\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x%1\"><gpu sm=\"90\"/></pci>";
        QTest::newRow("unlike GPUs")
            << "<system version=\"1\"><cpu><pci busid=\"1" + ofKind.arg("2330") + "\n<pci busid=\"2"
                + ofKind.arg("20b2") + "</cpu></system>"
            << "line 2, column 1: found GPUs of unlike kinds in a node: 10de:2330 and 10de:20b2, expected one kind of "
               "GPU in each node";
        QTest::newRow("unlike capabilities")
            << "<system version=\"1\"><cpu><pci busid=\"1\"><gpu sm=\"90\"/></pci>\n<pci busid=\"2\"><gpu sm=\"80\"/>"
               "</pci></cpu></system>"
            << "line 2, column 1: found GPUs of unlike kinds in a node: 90 and 80, expected one kind of GPU in each "
               "node";
        for (const char* rate : {"inf GT/s", "1e308 GT/s", "1e-300 GT/s", "nan GT/s", "-16 GT/s", "-5"})
            QTest::newRow(rate)
                << QString("<system version=\"1\"><cpu>\n<pci busid=\"1\" link_speed=\"%1\"/></cpu>"
                           "</system>")
                       .arg(rate)
                << QString("line 2, column 1: found link_speed \"%1\", expected from 1 to 256 GT/s, such as "
                           "\"16.0 GT/s PCIe\"")
                       .arg(rate);
    }
    void faultsOfDevicesAreTold()
    {
        QFETCH(const QString, text);
        QTEST(faultOf(text.toStdString()), "fault");
    }

    void depthAndNumberAreBounded()
    {
        std::string deep = "<system version=\"1\">", many = deep;
        for (int i = 0; i < 100'000; ++i)
            deep += "<pci busid=\"" + std::to_string(i) + "\">";
        QCOMPARE(faultOf(deep).section(": ", 1), QString("found more than 64 levels of nesting, expected at most 64"));
        std::string hosts = many, unlike = many;
        for (int i = 0; i < 60'000; ++i)
            hosts += "\n<cpu host_hash=\"" + std::to_string(i) + "\"/>";
        QCOMPARE(faultOf(hosts), QString("line 1026, column 1: found more than 1024 hosts, expected at most 1024"));
        for (int i = 0; i < 65; ++i) {
            unlike += "<cpu host_hash=\"" + std::to_string(i) + "\">";
            unlike += gpu(0, "", R"(sm="90")", "");
            for (int k = 0; k <= i; ++k)
                unlike += port(k, 400000);
            unlike += "</cpu>";
        }
        QCOMPARE(faultOf(unlike + "</system>"), QString("found more than 64 unlike nodes, expected at most 64"));
        for (int i = 0; i < 200'001; ++i)
            many += "<cpu/>";
        QCOMPARE(faultOf(many).section(": ", 1), QString("found more than 200000 elements, expected at most 200000"));
        QCOMPARE(faultOf("<" + std::string(std::size_t(17) << 20, 'a')),
            QString("found 17 MiB of text, expected at most 16 MiB"));
    }

    void nothingCutShortPasses()
    {
        const std::string whole = topologyFile("ndv4-a100-nccl-topo.xml");
        const std::size_t end = whole.rfind('>');
        for (std::size_t length = 1; length <= end; length += 7)
            QVERIFY(!importCluster(whole.substr(0, length), Format::NcclXml, "site", {}, catalog::shippedCatalog()));
    }
};

STRATOPLAN_TEST(TestNcclTopology)
#include "test_nccl_topology.moc"
