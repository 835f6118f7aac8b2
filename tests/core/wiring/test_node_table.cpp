// SPDX-License-Identifier: GPL-3.0-or-later
// A table of nodes as a cluster: rows that are alike, columns, switches, and every fault.
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "tests/core/wiring/wiring_texts.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::test;
using namespace stratoplan::wiring;

namespace {

QString shapeOf(const cluster::Cluster& cluster)
{
    QStringList parts;
    for (const cluster::NodeGroup& group : cluster.nodes)
        parts << QString("%1 %2 %3").arg(group.id.c_str()).arg(group.count).arg(group.name.c_str());
    for (const cluster::SwitchGroup& group : cluster.switches)
        parts << QString("%1 %2x%3").arg(group.id.c_str()).arg(group.count).arg(group.ports);
    for (const cluster::Connection& cables : cluster.connections)
        parts << QString("%1-%2 %3").arg(cables.from.c_str(), cables.to.c_str()).arg(cables.cables);
    return parts.join("; ");
}

/// "nodes-1 in A; …; leaf1 in A; …": names of switches, ids of nodes.
QString racksOf(const cluster::Cluster& cluster)
{
    QStringList parts;
    for (const cluster::NodeGroup& group : cluster.nodes)
        parts << QString("%1 in %2").arg(group.id.c_str(), group.rack.c_str());
    for (const cluster::SwitchGroup& group : cluster.switches)
        parts << QString("%1 in %2").arg(group.name.c_str(), group.rack.c_str());
    return parts.join("; ");
}

} // namespace

class TestNodeTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyColumnIsTaken()
    {
        const ImportedCluster cluster =
            imported("name,accelerator,accelerators,scale_up,domain,nic,nics,leaf,spine,core,uplinks\n"
                     "n1,a100-pcie-80,4,pcie4-x16,2,roce-100,2,l1,s1;s2,c1,3\n"
                     "n2,a100-pcie-80,4,pcie4-x16,2,roce-100,2,l1,s1;s2,c1,3\n"
                     "\"n[3-4]\",a100-pcie-80,4,pcie4-x16,2,roce-100,2,l2,s1;s2,c1,3\n");
        QCOMPARE(shapeOf(cluster.cluster),
            QString("nodes 4 4x A100 PCIe 80 GB; leaves 2x7; spines 2x6; cores 1x6; nodes-leaves 8; leaves-spines 6; "
                    "spines-cores 6"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.accelerator.id, std::string("a100-pcie-80"));
        QCOMPARE(node.acceleratorsPerNode, 4);
        QCOMPARE(node.scaleUp.id, std::string("pcie4-x16"));
        QCOMPARE(node.scaleUpDomain, 2);
        QCOMPARE(node.nic.id, std::string("roce-100"));
        QCOMPARE(node.nicsPerNode, 2);
        QCOMPARE(filledOf(cluster),
            QStringList({"cables nodes to leaves=8", "cables spines to cores=6", "ports of leaves=7",
                "ports of spines=6", "ports of cores=6"}));
        QCOMPARE(uplinkShare(cluster.cluster, cluster::SwitchTier::Leaf), 0.75);
    }

    void whatIsLeftEmptyIsFilled()
    {
        const ImportedCluster cluster = imported("name,accelerators\na,8\nb,8\nc,4\n");
        QCOMPARE(shapeOf(cluster.cluster), QString("nodes-1 2 8x H100 SXM 80 GB; nodes-2 1 4x H100 SXM 80 GB"));
        QCOMPARE(cluster.cluster.nodes.back().scaleUpDomain, 4);
        QCOMPARE(filledOf(cluster),
            QStringList({"accelerator=h100-sxm-80", "scale_up=nvlink4", "scale_up_domain=8", "nic=ib-ndr",
                "nics_per_node=8", "scale_up_domain=4"}));
        const Options options{.accelerator = catalog::shippedCatalog().accelerator("mi300x-192")};
        QCOMPARE(imported("name,accelerators\na,8\n", options).cluster.nodes.front().scaleUp.id,
            std::string("infinity-fabric-mi300x"));
    }

    void aNodeOfTheCatalogueStatesAllOfItself()
    {
        const ImportedCluster cluster = imported("Name,Node,Count\na,dgx-a100-80,16\nb,dgx-h100,8\n");
        QCOMPARE(shapeOf(cluster.cluster), QString("nodes-1 16 DGX A100 80 GB; nodes-2 8 DGX H100"));
        QVERIFY(cluster.filled.empty());
        QCOMPARE(acceleratorCount(cluster.cluster), 192);
        // Other cells of the row are said of that node.
        const ImportedCluster fewer = imported("name,node,accelerators\na,dgx-a100-80,4\n");
        QCOMPARE(shapeOf(fewer.cluster), QString("nodes 1 4x A100 SXM 80 GB"));
        QCOMPARE(fewer.cluster.nodes.front().scaleUpDomain, 4);
    }

    void unlikeNodesShareALeaf()
    {
        const ImportedCluster cluster =
            imported("name,node,leaf,spine\na,dgx-a100-80,l1,s\nb,dgx-h100,l1,s\nc,dgx-h100,l2,s\n");
        QCOMPARE(shapeOf(cluster.cluster),
            QString("nodes-1 1 DGX A100 80 GB; nodes-2 1 DGX H100; nodes-3 1 DGX H100; leaves-1 1x32; leaves-2 1x16; "
                    "spines 1x24; nodes-1-leaves-1 8; nodes-2-leaves-1 8; nodes-3-leaves-2 8; leaves-1-spines 16; "
                    "leaves-2-spines 8"));
        QVERIFY(gaps(cluster.cluster).empty());
    }

    void nodesOfARackAreAGroup()
    {
        const ImportedCluster cluster = imported("name,node,rack,leaf,spine\n"
                                                 "a[1-4],dgx-h100,Row 1,tor1,s1;s2\n"
                                                 "b[1-4],dgx-h100,Row 2,tor2,s1;s2\n"
                                                 "c[1-4],dgx-h100,Row 1,tor1,s1;s2\n");
        QCOMPARE(shapeOf(cluster.cluster),
            QString("nodes-1 8 DGX H100; nodes-2 4 DGX H100; leaves-1 1x128; leaves-2 1x64; spines 2x48; "
                    "nodes-1-leaves-1 64; nodes-2-leaves-2 32; leaves-1-spines 64; leaves-2-spines 32"));
        QCOMPARE(racksOf(cluster.cluster),
            QString("nodes-1 in Row 1; nodes-2 in Row 2; tor1 in Row 1; tor2 in Row 2; Spine in "));
        QVERIFY(gaps(cluster.cluster).empty());
        // Nodes of no network, and some without a rack; a leaf of nodes of two stands in none.
        QCOMPARE(racksOf(imported("name,node,rack\na,dgx-h100,A\nb,dgx-h100,\nc,dgx-h100,A\n").cluster),
            QString("nodes-1 in A; nodes-2 in "));
        QCOMPARE(racksOf(imported("name,node,rack,leaf\na,dgx-h100,A,l\nb,dgx-h100,B,l\n").cluster),
            QString("nodes-1 in A; nodes-2 in B; l in "));
    }

    /// Nothing is priced by a rack.
    void racksLeaveTheNetworkAsItIs()
    {
        std::string alike = "name,node,leaf,spine,uplinks\n", racked = "name,node,rack,leaf,spine,uplinks\n";
        for (const char* leaf : {"1", "2", "3", "4"}) {
            const std::string name = std::string("n") + leaf + "[1-4],dgx-h100,", tail = "s1;s2,16\n";
            alike += name + 'l' + leaf + ',' + tail;
            racked += name + "R" + leaf + ",l" + leaf + ',' + tail;
        }
        const cluster::Cluster one = imported(alike).cluster, four = imported(racked).cluster;
        QCOMPARE(one.nodes.size(), std::size_t(1));
        QCOMPARE(one.switches.front().name, std::string("Leaf"));
        QCOMPARE(four.nodes.size(), std::size_t(4));
        QVERIFY(topology(one) == topology(four));
    }

    void aGroupOfOneSwitchHasItsName()
    {
        const auto namesOf = [](const std::string& text) {
            QStringList names;
            for (const cluster::SwitchGroup& group : imported(text).cluster.switches)
                names << QString::fromStdString(group.name);
            return names.join(' ');
        };
        QCOMPARE(namesOf("name,leaf,spine,core\na,l1,s1,c1\nb,l2,s2,c1\n"), QString("Leaf Spine c1"));
        QCOMPARE(namesOf("name,nics,leaf,spine\na,8,l1,s1\nb,4,l2,s1\n"), QString("l1 l2 s1"));
        // The id of another element would be taken for that.
        QCOMPARE(namesOf("name,leaf,spine\na,spines,leaves\n"), QString("Leaf Spine"));
        QCOMPARE(namesOf("name,leaf,spine\na,leaves,nodes\n"), QString("leaves Spine"));
    }

    void semicolonsSeparateCellsToo()
    {
        QCOMPARE(shapeOf(imported("name;node;leaf;spine\n\"n[1,3]\";dgx-h100;l1;\"s1;s2\"\n").cluster),
            shapeOf(imported("name,node,leaf,spine\n\"n[1,3]\",dgx-h100,l1,s1;s2\n").cluster));
        QCOMPARE(faultOf("name;nics\na;many\n"),
            QString("line 2, column 3: found nics \"many\", expected a whole number from 0 to 4096"));
        QCOMPARE(faultOf("name;node\na;b;c\n"),
            QString("line 2: found 3 cells, expected 2, one for each column (names with semicolons in quotes)"));
    }

    void theOrderOfSwitchesDoesNotMatter()
    {
        QCOMPARE(shapeOf(imported("name,leaf,spine\na,l1,s1;s2\nb,l1,s2;s1\nc,l2,s2;s1\n").cluster),
            shapeOf(imported("name,leaf,spine\na,l1,s1;s2\nb,l1,s1;s2\nc,l2,s1;s2\n").cluster));
    }

    void rowsHaveTheLastWord()
    {
        const catalog::Catalog& parts = catalog::shippedCatalog();
        const Options options{.accelerator = parts.accelerator("a100-sxm-80"), .nic = parts.link("roce-100")};
        const ImportedCluster node = imported("name,node\na,dgx-h100\nb,dgx-h100\n", options);
        QVERIFY(node.cluster.nodes.front().nic == parts.node("dgx-h100")->node.nic);
        QCOMPARE(lines(reporting::describe(node.remarks)),
            QStringList({"accelerator: the text states h100-sxm-80, a100-sxm-80 was asked for",
                "nic: the text states ib-ndr, roce-100 was asked for"}));
        const ImportedCluster cells = imported("name,accelerator,nic\na,h100-sxm-80,ib-ndr\n", options);
        QCOMPARE(cells.remarks, node.remarks);
        QVERIFY(imported("name,nics\na,4\n", options).remarks.empty());
    }

    /// Leaves that do not state their uplinks are listed beside those that do.
    void cablesAreListedWhereNoRowStatesThem()
    {
        const QStringList filled =
            filledOf(imported("name,node,leaf,spine,uplinks\na,dgx-h100,l1,s,4\nb,dgx-h100,l2,s,\n"));
        QVERIFY(filled.contains("cables leaves-2 to spines=8") && !filled.join(' ').contains("leaves-1 to spines"));
    }

    void linksAboveUnlikePortsAreListed()
    {
        const ImportedCluster cluster =
            imported("name,nic,nics,leaf,spine\na,ib-hdr,2,l,s\nb,ib-ndr,8,l,s\nc,ib-ndr,8,m,s\n");
        for (const cluster::Connection& cables : cluster.cluster.connections)
            if (cables.to == "spines")
                QCOMPARE(cables.link.id, std::string("ib-ndr"));
        const QStringList filled = filledOf(cluster);
        QVERIFY2(
            filled.contains("link leaves-1 to spines=ib-ndr") && !filled.join(' ').contains("link leaves-2 to spines"),
            qPrintable(filled.join('\n')));
    }

    void blankRowsAndRemarksArePassedOver()
    {
        QCOMPARE(
            shapeOf(imported("# the site\r\nname,node\r\n\r\na,dgx-h100\r\n,\r\n# more\r\nb,dgx-h100\r\n").cluster),
            QString("nodes 2 DGX H100"));
    }

    // In one piece: a table of faults, and what is said of each.
    void faultsAreToldWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        const QString columns =
            "one of name, count, node, accelerator, accelerators, scale_up, domain, nic, nics, rack, leaf, "
            "spine, core, uplinks";
        QTest::newRow("unknown column") << "name,node,colour\na,dgx-h100,red\n"
                                        << "line 1, column 11: found column \"colour\", expected " + columns;
        QTest::newRow("column twice") << "name,node,node\na,b,c\n"
                                      << "line 1, column 11: found column \"node\" twice, expected every column once";
        QTest::newRow("no row") << "name,node\n"
                                << "line 1: found no node, expected a row for each node";
        QTest::newRow("cells") << "name,node\na\n"
                               << "line 2: found 1 cells, expected 2, one for each column (names with "
                                  "commas in quotes)";
        QTest::newRow("name twice") << "name,node\na,dgx-h100\na,dgx-h100\n"
                                    << "line 3, column 1: found name \"a\" a second time, expected every node once";
        QTest::newRow("no name") << "name,node\n,dgx-h100\n"
                                 << "line 2, column 1: found name no name, expected names, with commas between them";
        QTest::newRow("node")
            << "name,node\na,dgx-h10\n"
            << "line 2, column 3: found node \"dgx-h10\", expected the id of a node, such as \"dgx-h100\", \"hgx-h20\" "
               "or \"dgx-h200\"";
        QTest::newRow("nic")
            << "name,nic\na,ib-400\n"
            << "line 2, column 3: found nic \"ib-400\", expected the id of a link, such as \"ib-edr\", \"ib-hdr\" or "
               "\"ib-ndr\"";
        QTest::newRow("accelerators")
            << "name,accelerators\na,many\n"
            << "line 2, column 3: found accelerators \"many\", expected a whole number from 1 to 4096";
        QTest::newRow("no accelerators")
            << "name,accelerators\na,0\n"
            << "line 2, column 3: found accelerators \"0\", expected a whole number from 1 to 4096";
        QTest::newRow("nics") << "name,nics\na,-1\n"
                              << "line 2, column 3: found nics \"-1\", expected a whole number from 0 to 4096";
        QTest::newRow("count") << "name,node,count\na,dgx-h100,0\n"
                               << "line 2, column 12: found count \"0\", expected a whole number from 1 to 100000";
        QTest::newRow("count of a list")
            << "name,node,count\nn[1-4],dgx-h100,3\n"
            << "line 2, column 17: found count 3, expected 4, as many as there are names, or none";
        QTest::newRow("too many")
            << "name,node\nn[1-200000],dgx-h100\n"
            << "line 2, column 1: found name more than 100000 nodes in all, expected at most 100000";
    }
    void faultsAreToldWithTheirPlace()
    {
        QFETCH(const QString, text);
        QTEST(faultOf(text.toStdString()), "fault");
    }

    // In one piece: a table of faults, and what is said of each.
    void faultsOfSwitchesAndSizesAreTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        QTest::newRow("some leaves")
            << "name,leaf\na,l1\nb,\n"
            << "line 3, column 3: found leaf nothing, expected a leaf in every row, or in none";
        QTest::newRow("two spines") << "name,leaf,spine\na,l1,s1\nb,l1,s2\n"
                                    << "line 3, column 6: found spine \"s2\", expected that of line 2";
        QTest::newRow("two cores") << "name,leaf,spine,core\na,l1,s1,c1\nb,l2,s1,c2\n"
                                   << "line 3, column 9: found core \"c2\", expected that of line 2";
        QTest::newRow("uplinks") << "name,leaf,spine,uplinks\na,l1,s,4\nb,l1,s,8\n"
                                 << "line 3, column 8: found uplinks \"8\", expected that of line 2";
        QTest::newRow("spine alone") << "name,nics,spine\na,8,s1\n"
                                     << "line 2, column 5: found spine \"s1\", expected none without a leaf";
        QTest::newRow("uplinks alone") << "name,leaf,uplinks\na,l1,4\n"
                                       << "line 2, column 6: found uplinks \"4\", expected none without a spine";
        QTest::newRow("spine twice") << "name,leaf,spine\na,l1,s1;s1\n"
                                     << "line 2, column 6: found spine \"s1\" twice, expected every switch once";
        QTest::newRow("leaf as spine")
            << "name,leaf,spine\na,l1,s1\nb,s1,s2\n"
            << "line 3, column 3: found leaf \"s1\", expected another name: line 2 has it as a spine";
        QTest::newRow("domain")
            << "name,accelerators,domain\na,8,3\n"
            << "line 2, column 5: found domain 3, expected a divisor of the 8 accelerators of the node, or a multiple "
               "where domains span nodes";
        QTest::newRow("quote") << "name,node\n\"n[1-2],dgx-h100\n"
                               << "line 2, column 1: found a quote that does not close, expected a quote at the end of "
                                  "the cell, on the same line";
        QTest::newRow("no ports")
            << "name,nics,leaf\na,8,l1\nb,0,l2\n"
            << "line 3: found the leaf \"l2\" above nodes without network ports, expected network ports of all nodes "
               "that a leaf serves";
        QTest::newRow("no ports of several")
            << "name,nics\na,0\nb,0\n"
            << "line 2: found nodes without network ports, expected nics of 1 or more, as no other link joins all "
               "accelerators";
        QTest::newRow("too many accelerators")
            << "name,accelerators,count\na,8,8\nb,4096,90000\n"
            << "line 3: found more than 1000000 accelerators in all, expected at most 1000000";
        QTest::newRow("too many in later rows")
            << "name,node,count\na,dgx-h100,60000\nb,dgx-h100,50000\n"
            << "line 3, column 12: found count more than 100000 nodes in all, expected at most 100000";
        std::string racks = "name,rack,node\n";
        for (int i = 1; i <= 65; ++i)
            racks += 'n' + std::to_string(i) + ",R" + std::to_string(i) + ",dgx-h100\n";
        QTest::newRow("many racks") << QString::fromStdString(racks)
                                    << "line 66: found more than 64 unlike nodes or racks of them, expected at most 64";
        QTest::newRow("long rack") << "name,node,rack\na,dgx-h100," + QString(256, 'R')
                                   << "line 2, column 12: found rack more than 255 characters, expected a short name";
        QTest::newRow("core alone") << "name,leaf,core\na,l1,c1\n"
                                    << "line 2, column 6: found core \"c1\", expected none without a spine";
    }
    void faultsOfSwitchesAndSizesAreTold()
    {
        QFETCH(const QString, text);
        QTEST(faultOf(text.toStdString()), "fault");
    }
};

STRATOPLAN_TEST(TestNodeTable)
#include "test_node_table.moc"
