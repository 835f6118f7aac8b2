// SPDX-License-Identifier: GPL-3.0-or-later
// What `nvidia-smi topo -m` prints, as a cluster: domains, bandwidths, accelerators, network ports, and every fault.
#include "core/wiring/meshes.h"
#include "tests/core/wiring/wiring_texts.h"
#include "tests/registry.h"

#include <QTest>

#include <random>

using namespace stratoplan;
using namespace stratoplan::test;
using namespace stratoplan::wiring;

namespace {

/// A matrix of GPUs that all have the same word between them, with affinities as newer drivers print them.
std::string uniform(int gpus, const std::string& word, int ports = 0)
{
    std::string text;
    const auto name = [&](int i) { return i < gpus ? "GPU" + std::to_string(i) : "NIC" + std::to_string(i - gpus); };
    for (int i = 0; i < gpus + ports; ++i)
        text += '\t' + name(i);
    text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    for (int i = 0; i < gpus + ports; ++i) {
        text += name(i);
        for (int k = 0; k < gpus + ports; ++k)
            text += '\t' + (i == k ? std::string(" X ") : std::max(i, k) >= gpus ? std::string("PXB") : word);
        text += i < gpus ? "\t0-47,96-143\t0\t\tN/A\n" : "\t\t\t\n";
    }
    return text;
}

/// NV18 within domains of these sizes, PCIe between them.
std::string domains(const std::vector<int>& sizes)
{
    std::vector<std::size_t> domainOf;
    for (std::size_t domain = 0; domain < sizes.size(); ++domain)
        domainOf.insert(domainOf.end(), std::size_t(sizes[domain]), domain);
    std::string text;
    for (std::size_t i = 0; i < domainOf.size(); ++i)
        text += "\tGPU" + std::to_string(i);
    for (std::size_t i = 0; i < domainOf.size(); ++i) {
        text += "\nGPU" + std::to_string(i);
        for (std::size_t k = 0; k < domainOf.size(); ++k)
            text += i == k ? "\tX" : domainOf[i] == domainOf[k] ? "\tNV18" : "\tSYS";
    }
    return text + '\n';
}

const catalog::Catalog& parts()
{
    return catalog::shippedCatalog();
}

} // namespace

class TestSmiMatrix : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void uniformDomainsAreKnownByTheirLinks_data()
    {
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("accelerator");
        QTest::addColumn<QString>("link");
        QTest::addColumn<QString>("nic");
        const auto row = [](const char* name, int gpus, const char* word, const char* accelerator, const char* link,
                             const char* nic) {
            QTest::newRow(name) << gpus << QString(word) << QString(accelerator) << QString(link) << QString(nic);
        };
        row("HGX H100", 8, "NV18", "h100-sxm-80", "nvlink4", "ib-ndr");
        row("HGX A100", 8, "NV12", "a100-sxm-80", "nvlink3", "ib-hdr");
        row("HGX H800", 8, "NV8", "h800-sxm-80", "nvlink4-h800", "ib-ndr");
        row("DGX-2", 16, "NV6", "v100-sxm-32", "nvlink2", "ib-edr");
        row("16 A100", 16, "NV12", "a100-sxm-80", "nvlink3", "ib-hdr");
        row("four H100 wired directly", 4, "NV6", "h100-sxm-80", "nvlink4", "ib-ndr");
        row("four A100 wired directly", 4, "NV4", "a100-sxm-80", "nvlink3", "ib-hdr");
        row("four of a switch", 4, "NV18", "h100-sxm-80", "nvlink4", "ib-ndr");
        row("two of a switch", 2, "NV18", "h100-sxm-80", "nvlink4", "ib-ndr");
    }
    void uniformDomainsAreKnownByTheirLinks()
    {
        QFETCH(const int, gpus);
        QFETCH(const QString, word);
        const ImportedCluster cluster = imported(uniform(gpus, word.toStdString(), 4));
        QCOMPARE(cluster.cluster.nodes.size(), std::size_t(1));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.acceleratorsPerNode, gpus);
        QCOMPARE(node.scaleUpDomain, gpus);
        QCOMPARE(node.nicsPerNode, 4);
        QCOMPARE(node.count, 1);
        QTEST(QString::fromStdString(node.accelerator.id), "accelerator");
        QTEST(QString::fromStdString(node.scaleUp.id), "link");
        QTEST(QString::fromStdString(node.nic.id), "nic");
        QVERIFY(cluster.cluster.switches.empty());
    }

    void whatTheDriverLeavesOpenIsTheOtherWay()
    {
        const ImportedCluster open =
            imported("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tN/A\tPIX\nGPU1\tNV12\t X \tN/A\nNIC0\tPIX\tN/A\t X \n");
        const ImportedCluster stated =
            imported("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV12\tPIX\nGPU1\tNV12\t X \tSYS\nNIC0\tPIX\tSYS\t X \n");
        QVERIFY(open.cluster == stated.cluster);
        QCOMPARE(lines(reporting::describe(open.remarks)).last(),
            QString("passed over, as it is not known: N/A of GPU1 and NIC0"));
        QCOMPARE(open.remarks.size(), stated.remarks.size() + 1);
        QCOMPARE(faultOf("\tGPU0\tGPU1\nGPU0\tN/A\tPIX\nGPU1\tPIX\t X \n"),
            QString("line 2, column 6: found N/A, expected X: row and column are the same device"));
    }

    void pairsAreDomainsOfTwo()
    {
        const ImportedCluster cluster = imported(topologyFile("nvlink-pairs-4gpu-4nic.topo.txt"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.name, std::string("4x V100 SXM2 32 GB"));
        QCOMPARE(node.acceleratorsPerNode, 4);
        QCOMPARE(node.scaleUpDomain, 2);
        QCOMPARE(node.scaleUp.name, std::string("NVLink 2, 3 of 6"));
        QCOMPARE(node.scaleUp.bandwidth.value(), 75e9);
        QCOMPARE(node.nicsPerNode, 4);
        QCOMPARE(filledOf(cluster),
            QStringList({"nodes=1", "accelerator=v100-sxm-32", "nic=ib-edr", "host_memory_gib=512"}));
        QCOMPARE(lines(reporting::describe(cluster.remarks)),
            QStringList({"nearest network ports, which a cluster has no place for: GPU0: mlx5_0, mlx5_1 (NODE); GPU1: "
                         "mlx5_0, mlx5_1 (NODE); GPU2: mlx5_2, mlx5_3 (NODE); GPU3: mlx5_2, mlx5_3 (NODE)",
                "a node of 4 accelerators has scale-up domains of 2, joined by PCIe 3.0 x16"}));
        QVERIFY(node.inNode.has_value());
        QCOMPARE(node.inNode->name, std::string("PCIe 3.0 x16"));
    }

    void unevenMeshesCountWhatRingsUse()
    {
        const ImportedCluster cluster = imported(topologyFile("v100-4gpu.topo.txt"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("v100-sxm-32"));
        QCOMPARE(node.scaleUpDomain, 4);
        QCOMPARE(node.scaleUp.bandwidth.value(), 100e9); // two rings through all four, each over two links of a GPU
        QCOMPARE(node.nicsPerNode, 1);
        QVERIFY(lines(reporting::describe(cluster.remarks))
                    .contains("pairs of the 4 accelerators of a domain have unlike numbers of links: of the up to 5 of "
                              "each, the 4 are counted that rings through all of them use"));
    }

    /// DGX-1 with V100 (NVIDIA, DGX-1 with Tesla V100 system architecture, WP-08437, figure 4): six links each, three
    /// rings, 150 GB/s.
    void theHybridCubeMeshHasThreeRings()
    {
        const LinkMatrix mesh{{0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
            {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1}, {0, 0, 1, 0, 1, 2, 0, 2},
            {0, 0, 0, 1, 2, 1, 2, 0}};
        for (std::size_t i = 0; i < mesh.size(); ++i)
            for (std::size_t k = 0; k < mesh.size(); ++k)
                QCOMPARE(mesh[i][k], mesh[k][i]);
        QCOMPARE(linksOfRings(mesh, {0, 1, 2, 3, 4, 5, 6, 7}), 6);
        QCOMPARE(joinedSets(mesh).size(), std::size_t(1));
    }

    /// Behind switches the others of a node wait for the one that has a link less.
    void aDegradedDomainIsAsFastAsItsSlowest_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("bandwidth");
        const auto degraded = [](const std::string& word, const std::string& lesser, int pairs) {
            std::string text = uniform(8, word);
            std::vector<std::vector<std::string>> cells(8, std::vector<std::string>(8, word));
            for (int k = 1; k <= pairs; ++k)
                cells[0][std::size_t(k)] = cells[std::size_t(k)][0] = lesser;
            text = "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\n";
            for (std::size_t i = 0; i < 8; ++i) {
                text += "GPU" + std::to_string(i);
                for (std::size_t k = 0; k < 8; ++k)
                    text += '\t' + (i == k ? std::string("X") : cells[i][k]);
                text += '\n';
            }
            return QString::fromStdString(text);
        };
        QTest::newRow("one GPU of H100") << degraded("NV18", "NV17", 7) << 425e9;
        QTest::newRow("one pair of H100") << degraded("NV18", "NV17", 1) << 425e9;
        QTest::newRow("one GPU of A100") << degraded("NV12", "NV10", 7) << 250e9;
        QTest::newRow("one pair over PCIe") << degraded("NV18", "SYS", 1) << 375e9; // 6 * 18 / 7 = 15.4
        QTest::newRow("one pair of 4") << degraded("NV18", "NV4", 1) << 400e9; // (6 * 18 + 4) / 7 = 16
        QTest::newRow("one pair of 1") << degraded("NV18", "NV1", 1) << 375e9; // (6 * 18 + 1) / 7 = 15.6
        QTest::newRow("three pairs over PCIe") << degraded("NV18", "SYS", 3) << 250e9;
    }
    void aDegradedDomainIsAsFastAsItsSlowest()
    {
        QFETCH(const QString, text);
        const ImportedCluster cluster = imported(text.toStdString());
        QCOMPARE(cluster.cluster.nodes.front().scaleUpDomain, 8);
        QTEST(cluster.cluster.nodes.front().scaleUp.bandwidth.value(), "bandwidth");
        QVERIFY(lines(reporting::describe(cluster.remarks))
                    .join('\n')
                    .contains("pairs of the 8 accelerators of a domain have unlike numbers of links"));
    }

    /// What a node of eight imports as, where one GPU has fewer links to all others, down to none: PCIe carries more
    /// than one or two links, and joins the node alone then.
    void aNodeWithALinkLessIsNeverFaster()
    {
        double before = INFINITY;
        bool byPcie = false;
        for (int links = 18; links >= 0; --links) {
            std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\n";
            for (int i = 0; i < 8; ++i) {
                text += "GPU" + std::to_string(i);
                for (int k = 0; k < 8; ++k)
                    text += i == k       ? "\tX"
                        : i > 0 && k > 0 ? "\tNV18"
                        : links > 0      ? "\tNV" + std::to_string(links)
                                         : "\tSYS";
                text += '\n';
            }
            const ImportedCluster cluster = imported(text);
            const cluster::NodeGroup& node = cluster.cluster.nodes.front();
            QCOMPARE(node.scaleUpDomain, 8);
            QVERIFY2(sustained(node.scaleUp).value() <= before, qPrintable(QString::number(links)));
            before = sustained(node.scaleUp).value();
            const bool slow = node.scaleUp.kind == cluster::LinkKind::Pcie && links > 0;
            QVERIFY(!byPcie || node.scaleUp.kind == cluster::LinkKind::Pcie);
            byPcie = byPcie || slow;
            QCOMPARE(lines(reporting::describe(cluster.remarks))
                         .join('\n')
                         .contains("carry less than PCIe 5.0 x16: the node of 8 accelerators is taken to be joined by"),
                slow);
        }
        QVERIFY(byPcie);
    }

    /// Of eight behind a switch, pair by pair: fewer links of any never make the domain faster, as long as it is one.
    void aLinkLessIsNeverFaster()
    {
        std::mt19937 random(18);
        LinkMatrix links(8, std::vector<int>(8, 18));
        const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
        for (std::size_t i = 0; i < 8; ++i)
            links[i][i] = 0;
        int before = domainOf(links, all, true).links, steps = 0;
        QCOMPARE(before, 18);
        while (joinedSets(links).size() == 1) {
            const std::size_t a = random() % 8, b = random() % 8;
            if (a == b || links[a][b] == 0)
                continue;
            links[a][b] = links[b][a] = int(random() % unsigned(links[a][b]));
            const int now = domainOf(links, all, true).links;
            QVERIFY2(now <= before, qPrintable(QString::number(now)));
            before = now;
            ++steps;
        }
        QVERIFY(steps > 20 && before < 5);
    }

    /// No domain lies across two of those that are there, and a plan takes what is imported.
    void unlikeDomainsAreCutAlike_data()
    {
        QTest::addColumn<QList<int>>("sizes");
        QTest::addColumn<int>("domain");
        QTest::addColumn<QString>("remark");
        // Without a common size PCIe joins the node, as one domain.
        QTest::newRow("3 + 5") << QList<int>{3, 5} << 8
                               << "no size above 1 divides them all, and the node is taken to be joined by PCIe";
        QTest::newRow("3 + 4") << QList<int>{3, 4} << 7 << "no size above 1 divides them all";
        QTest::newRow("7 + 1") << QList<int>{7, 1} << 8 << "has unlike scale-up domains (7, 1), joined by PCIe";
        QTest::newRow("2 + 6") << QList<int>{2, 6} << 2 << "counted as domains of 2, which divides them all";
        QTest::newRow("4 + 6") << QList<int>{4, 6} << 2 << "counted as domains of 2, which divides them all";
        QTest::newRow("4 + 4") << QList<int>{4, 4} << 4 << "a node of 8 accelerators has scale-up domains of 4, joined";
    }
    void unlikeDomainsAreCutAlike()
    {
        QFETCH(const QList<int>, sizes);
        QFETCH(const QString, remark);
        const ImportedCluster cluster = imported(domains({sizes.begin(), sizes.end()}));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QTEST(node.scaleUpDomain, "domain");
        const bool isPcieAlone = node.scaleUpDomain == node.acceleratorsPerNode;
        QCOMPARE(node.scaleUp.kind, isPcieAlone ? cluster::LinkKind::Pcie : cluster::LinkKind::NvLink);
        QCOMPARE(node.inNode.has_value(), !isPcieAlone);
        for (const int size : sizes)
            QVERIFY(isPcieAlone || size % node.scaleUpDomain == 0);
        QVERIFY2(lines(reporting::describe(cluster.remarks)).join('\n').contains(remark),
            qPrintable(lines(reporting::describe(cluster.remarks)).join('\n')));
    }

    void manyRingsAreCountedInBoundedTime()
    {
        const auto meshOf = [](int members, int links) {
            LinkMatrix mesh(std::size_t(members), std::vector<int>(std::size_t(members), links));
            for (std::size_t i = 0; i < mesh.size(); ++i)
                mesh[i][i] = 0;
            mesh[0][1] = mesh[1][0] = links - 1;
            return mesh;
        };
        std::vector<int> all;
        for (int i = 0; i < 512; ++i)
            all.push_back(i);
        const int rings = linksOfRings(meshOf(64, 99), {all.begin(), all.begin() + 64}) / 2;
        QVERIFY2(rings > 100 && rings <= (99 * 63 - 1) / 2, qPrintable(QString::number(rings)));
        QVERIFY(linksOfRings(meshOf(512, 1000), all) > 0);
        const auto chain = [&] {
            LinkMatrix links(512, std::vector<int>(512));
            for (std::size_t i = 1; i < 512; ++i)
                links[i][i - 1] = links[i - 1][i] = 2;
            return links;
        }();
        const Domain domain = domainOf(chain, all, false);
        QVERIFY(!domain.ring);
        QCOMPARE(domain.links, 2);
        std::string text = uniform(64, "NV99");
        const std::size_t at = text.find("NV99");
        text.replace(at, 4, "NV98");
        const std::size_t back = text.find("GPU1\t", text.find('\n')); // the same pair from the other end
        text.replace(text.find("NV99", back), 4, "NV98");
        QVERIFY2(faultOf(text).startsWith("read: "), qPrintable(faultOf(text)));
    }

    void aChainHasNoRing()
    {
        const std::string text = "\tGPU0\tGPU1\tGPU2\nGPU0\tX\tNV2\tPHB\nGPU1\tNV2\tX\tNV1\nGPU2\tPHB\tNV1\tX\n";
        const ImportedCluster cluster = imported(text);
        QCOMPARE(cluster.cluster.nodes.front().scaleUp.bandwidth.value(), 25e9);
        QCOMPARE(lines(reporting::describe(cluster.remarks)),
            QStringList({"no ring of links goes through all 3 accelerators of a domain: 1 link of each are counted, as "
                         "many as all paths have"}));
    }

    void cardsReachEachOtherOverPcie()
    {
        const ImportedCluster cluster = imported(topologyFile("pcie-8gpu.topo.txt"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("a100-pcie-80"));
        QCOMPARE(node.acceleratorsPerNode, 8);
        QCOMPARE(node.scaleUp.id, std::string("pcie4-x16"));
        QCOMPARE(node.scaleUpDomain, 8);
        QCOMPARE(node.nicsPerNode, 0);
        QCOMPARE(filledOf(cluster),
            QStringList(
                {"nodes=1", "accelerator=a100-pcie-80", "scale_up=pcie4-x16", "nic=ib-hdr", "nics_per_node=0"}));
        // Several of them need a network.
        const ImportedCluster several = imported(topologyFile("pcie-8gpu.topo.txt"), {.nodes = 4});
        QCOMPARE(several.cluster.nodes.front().count, 4);
        QCOMPARE(several.cluster.nodes.front().nicsPerNode, 2);
        QVERIFY(filledOf(several).contains("nics_per_node=2") && !filledOf(several).contains("nodes=1"));
    }

    void bridgesJoinCardsInPairs()
    {
        const ImportedCluster cluster =
            imported("\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tNV12\tSYS\tSYS\nGPU1\tNV12\tX\tSYS\tSYS\n"
                     "GPU2\tSYS\tSYS\tX\tNV12\nGPU3\tSYS\tSYS\tNV12\tX\n");
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("a100-pcie-80"));
        QCOMPARE(node.scaleUpDomain, 2);
        QCOMPARE(node.scaleUp.id, std::string("nvlink3"));
        QCOMPARE(node.nicsPerNode, 2); // none is named, and the pairs need them
        QVERIFY(filledOf(cluster).contains("nics_per_node=2"));
    }

    void aPersonChoosesWhatIsOpen()
    {
        const Options options{
            .accelerator = parts().accelerator("h200-sxm-141"), .nic = parts().link("roce-400"), .nodes = 32};
        const ImportedCluster cluster = imported(uniform(8, "NV18", 8), options);
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("h200-sxm-141"));
        QCOMPARE(node.scaleUp.id, std::string("nvlink4"));
        QCOMPARE(node.nic.id, std::string("roce-400"));
        QCOMPARE(node.count, 32);
        QCOMPARE(filledOf(cluster), QStringList({"accelerator=h200-sxm-141", "nic=roce-400", "host_memory_gib=2048"}));
        // NVLink 5 has as many links, twice as fast.
        QCOMPARE(imported(uniform(8, "NV18"), {.accelerator = parts().accelerator("b200-sxm-180")})
                     .cluster.nodes.front()
                     .scaleUp.id,
            std::string("nvlink5"));
    }

    /// As terminals, editors and forums leave it: colours, carriage returns, a byte order mark, spaces, a prompt, a
    /// legend.
    void whatIsAroundTheMatrixDoesNotMatter()
    {
        const std::string plain = uniform(2, "NV12", 1);
        const ImportedCluster expected = imported(plain);
        std::string coloured = plain, carriage, spaced;
        coloured.replace(0, 5, "\t\x1b[4mGPU0\x1b[0m");
        for (const char c : plain) {
            carriage += c == '\n' ? std::string("\r\n") : std::string(1, c);
            spaced += c == '\t' ? std::string("   ") : std::string(1, c);
        }
        const std::string legend =
            "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"
            "\nNIC Legend:\n\n  NIC0: mlx5_7\n\n";
        for (const std::string& text : {coloured, carriage, spaced, "\xEF\xBB\xBF" + plain, plain + legend})
            QVERIFY(imported(text).cluster == expected.cluster);
        QCOMPARE(lines(reporting::describe(imported(plain + legend).remarks)).front(),
            QString("nearest network ports, which a cluster has no place for: GPU0: mlx5_7 (PXB); GPU1: mlx5_7 (PXB)"));
        const ImportedCluster prompt = imported("$ nvidia-smi topo -m\n" + plain + "$\n");
        QVERIFY(prompt.cluster == expected.cluster);
        QVERIFY(lines(reporting::describe(prompt.remarks)).contains("passed over, as it is not known: line 1"));
    }

    void linksThatTheAcceleratorDoesNotHaveAreNotCounted()
    {
        const ImportedCluster fewer = imported(uniform(8, "NV18"), {.accelerator = parts().accelerator("a100-sxm-80")});
        QCOMPARE(fewer.cluster.nodes.front().scaleUp.id, std::string("nvlink3"));
        QVERIFY(lines(reporting::describe(fewer.remarks))
                    .contains("up to 18 NVLinks of each accelerator are stated, more than the 12 that A100 SXM 80 GB "
                              "has: no more are counted"));
        const ImportedCluster none = imported(uniform(8, "NV18"), {.accelerator = parts().accelerator("mi300x-192")});
        QCOMPARE(none.cluster.nodes.front().scaleUp.id, std::string("infinity-fabric-mi300x"));
        QVERIFY(filledOf(none).contains("scale_up=infinity-fabric-mi300x"));
        QVERIFY(lines(reporting::describe(none.remarks))
                    .contains("up to 18 NVLinks of each accelerator are stated, but MI300X 192 GB has none: "
                              "infinity-fabric-mi300x is taken in their place"));
    }

    void longNamesDoNotMultiply()
    {
        const std::string longName(100'000, 'm');
        QCOMPARE(faultOf("\tGPU0\tmlx" + longName + "\nGPU0\tX\tSYS\n"),
            QString("line 1, column 7: found more than 255 characters, expected a short name"));
        std::string heading, text;
        for (int i = 0; i < 64; ++i)
            heading += "\tGPU" + std::to_string(i);
        for (int i = 0; i < 200; ++i)
            heading += "\tmlx" + std::string(240, 'm') + std::to_string(i);
        for (int i = 0; i < 64; ++i) {
            text += "\nGPU" + std::to_string(i);
            for (int k = 0; k < 264; ++k)
                text += i == k ? "\tX" : "\tSYS";
        }
        const ImportedCluster cluster = imported(heading + text + '\n');
        QVERIFY(lines(reporting::describe(cluster.remarks)).join('\n').size() < 100'000);
    }

    void oneGpuIsANode()
    {
        const ImportedCluster cluster =
            imported("\tGPU0\tNIC0\tCPU Affinity\nGPU0\t X \tPHB\t0-251\nNIC0\tPHB\t X \t\n");
        QCOMPARE(cluster.cluster.nodes.front().acceleratorsPerNode, 1);
        QCOMPARE(cluster.cluster.nodes.front().scaleUpDomain, 1);
        QCOMPARE(cluster.cluster.nodes.front().nicsPerNode, 1);
    }

    // In one piece: a table of faults, and what is said of each.
    void faultsAreToldWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        const QString cells = "what joins the two: X for the device itself, NV1, NV2, … for NVLinks, or PIX, PXB, PHB, "
                              "NODE or SYS";
        QTest::newRow("unknown word") << "\tGPU0\tGPU1\nGPU0\tX\tNV1\nGPU1\tNVX\tX\n"
                                      << "line 3, column 6: found \"NVX\", expected " + cells;
        QTest::newRow("no links") << "\tGPU0\tGPU1\nGPU0\tX\tNV0\nGPU1\tNV0\tX\n"
                                  << "line 2, column 8: found \"NV0\", expected " + cells;
        QTest::newRow("peer-to-peer") << "\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n"
                                      << "line 2, column 8: found \"OK\", expected " + cells;
        QTest::newRow("escape in a word") << "\tGPU0\tGPU1\nGPU0\tX\t\u0001NV1\nGPU1\tNV1\tX\n"
                                          << "line 2, column 8: found \"\\u0001NV1\", expected " + cells;
        QTest::newRow("row cut")
            << "\tGPU0\tGPU1\tGPU2\nGPU0\tX\tNV1\tNV1\nGPU1\tNV1\tX\n"
            << "line 3, column 11: found 2 cells, expected 3, one for each column: GPU0, GPU1, GPU2";
        QTest::newRow("cell too many")
            << "\tGPU0\tGPU1\nGPU0\tX\tNV1\tNV1\nGPU1\tNV1\tX\n"
            << "line 2, column 12: found 3 cells, expected 2, one for each column: GPU0, GPU1";
        QTest::newRow("rows cut") << "\tGPU0\tGPU1\nGPU0\tX\tNV1\n"
                                  << "line 1: found no row of GPU1, expected a row for each column of the first line";
        QTest::newRow("row of nobody") << "\tGPU0\tGPU1\nGPU0\tX\tNV1\nGPU7\tNV1\tX\nGPU1\tNV1\tX\n"
                                       << "line 3, column 1: found \"GPU7\", expected a row of GPU0, GPU1";
        QTest::newRow("row twice") << "\tGPU0\tGPU1\nGPU0\tX\tNV1\nGPU0\tX\tNV1\n"
                                   << "line 3, column 1: found a second row of GPU0, expected every row once";
        QTest::newRow("column twice") << "\tGPU0\tGPU0\nGPU0\tX\tNV1\n"
                                      << "line 1, column 7: found \"GPU0\" twice, expected every column once";
        QTest::newRow("unlike ways") << "\tGPU0\tGPU1\nGPU0\tX\tNV1\nGPU1\tNV2\tX\n"
                                     << "line 3, column 6: found NV2 from GPU1 to GPU0, expected NV1, as on line 2 the "
                                        "other way";
        QTest::newRow("X elsewhere")
            << "\tGPU0\tGPU1\nGPU0\tX\tX\nGPU1\tNV2\tX\n"
            << "line 2, column 8: found X, expected X where row and column are the same device";
        QTest::newRow("no X") << "\tGPU0\tGPU1\nGPU0\tSYS\tNV1\nGPU1\tNV1\tX\n"
                              << "line 2, column 6: found SYS, expected X: row and column are the same device";
        QTest::newRow("heading cut")
            << "GPU0\tX\tNV1\nGPU1\tNV1\tX\n"
            << "line 1: found no line that names the columns, expected GPU0, GPU1, … above the "
               "matrix";
        QTest::newRow("NVLink of a port") << "\tGPU0\tNIC0\nGPU0\tX\tNV1\nNIC0\tNV1\tX\n"
                                          << "line 2, column 8: found NV1, expected NVLinks between GPUs alone";
        QTest::newRow("port first") << "\tGPU0\tNIC0\tGPU1\nGPU0\tX\tSYS\tSYS\n"
                                    << "line 1, column 12: found \"GPU1\", expected the GPUs before the network ports";
    }
    void faultsAreToldWithTheirPlace()
    {
        QFETCH(const QString, text);
        QTEST(faultOf(text.toStdString()), "fault");
    }

    void nothingCutShortPasses()
    {
        const std::string whole = uniform(4, "NV12", 2);
        const ImportedCluster expected = imported(whole);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const std::string text = whole.substr(0, length);
            if (!recognise(text))
                continue;
            const auto cut = importCluster(text, Format::SmiMatrix, "site", {}, parts());
            QVERIFY2(!cut || cut->cluster == expected.cluster, text.c_str());
        }
    }
};

STRATOPLAN_TEST(TestSmiMatrix)
#include "test_smi_matrix.moc"
