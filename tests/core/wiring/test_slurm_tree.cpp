// SPDX-License-Identifier: GPL-3.0-or-later
// The topology.conf of Slurm as a cluster: tiers, cables, what its grammar allows, and every fault.
#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "core/cluster/used_part.h"
#include "core/wiring/hostlist.h"
#include "tests/core/wiring/wiring_texts.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::test;
using namespace stratoplan::wiring;

namespace {

/// "nodes 64; leaves 4 x256; …; nodes-leaves 512; …"
QString shapeOf(const cluster::Cluster& cluster)
{
    QStringList parts;
    for (const cluster::NodeGroup& group : cluster.nodes)
        parts << QString("%1 %2").arg(group.id.c_str()).arg(group.count);
    for (const cluster::SwitchGroup& group : cluster.switches)
        parts << QString("%1 %2x%3").arg(group.id.c_str()).arg(group.count).arg(group.ports);
    for (const cluster::Connection& cables : cluster.connections)
        parts << QString("%1-%2 %3").arg(cables.from.c_str(), cables.to.c_str()).arg(cables.cables);
    return parts.join("; ");
}

QStringList remarksOf(const ImportedCluster& cluster)
{
    return lines(reporting::describe(cluster.remarks));
}

} // namespace

class TestSlurmTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTreeIsThreeTiers()
    {
        const ImportedCluster cluster = imported(topologyFile("slurm-topology.conf"));
        QCOMPARE(shapeOf(cluster.cluster),
            QString("nodes 64; leaves 4x256; spines 2x512; cores 1x512; nodes-leaves 512; leaves-spines 512; "
                    "spines-cores 512"));
        const cluster::NodeGroup& node = cluster.cluster.nodes.front();
        QCOMPARE(node.name, std::string("DGX H100"));
        QCOMPARE(node.acceleratorsPerNode, 8);
        for (const cluster::Connection& cables : cluster.cluster.connections)
            QCOMPARE(cables.link.id, std::string("ib-ndr"));
        QStringList names; // of several switches there is none
        for (const cluster::SwitchGroup& group : cluster.cluster.switches)
            names << QString::fromStdString(group.name);
        QCOMPARE(names, QStringList({"Leaf", "Spine", "core"}));
        QCOMPARE(filledOf(cluster),
            QStringList({"accelerator=h100-sxm-80", "accelerators_per_node=8", "scale_up=nvlink4", "scale_up_domain=8",
                "nic=ib-ndr", "nics_per_node=8", "cables nodes to leaves=512", "cables leaves to spines=512",
                "cables spines to cores=512", "ports of leaves=256", "ports of spines=512", "ports of cores=512"}));
        QCOMPARE(remarksOf(cluster),
            QStringList({"LinkSpeed=\"400\" is a relative number in Slurm, no bandwidth: it is not taken"}));
        QVERIFY(gaps(cluster.cluster).empty());
        QCOMPARE(uplinkShare(cluster.cluster, cluster::SwitchTier::Leaf), 1.0);
    }

    void thePersonSaysWhatNodesAre()
    {
        const catalog::Catalog& parts = catalog::shippedCatalog();
        const ImportedCluster cluster =
            imported(topologyFile("slurm-topology.conf"), {.accelerator = parts.accelerator("a100-sxm-40")});
        QCOMPARE(cluster.cluster.nodes.front().name, std::string("DGX A100 40 GB"));
        QCOMPARE(cluster.cluster.connections.front().link.id, std::string("ib-hdr"));
        const ImportedCluster four = imported("SwitchName=a Nodes=n[1-4]", {.node = parts.node("frontier-mi250x")});
        QCOMPARE(shapeOf(four.cluster), QString("nodes 4; leaves 1x16; nodes-leaves 16"));
        QCOMPARE(four.cluster.nodes.front().nic.id, std::string("slingshot-11"));
    }

    void unlikeLeavesAreGroupsOfTheirOwn()
    {
        const ImportedCluster cluster = imported("SwitchName=a Nodes=n[01-16]\nSwitchName=b Nodes=n[17-32]\n"
                                                 "SwitchName=c Nodes=n[33-40]\nSwitchName=top Switches=a,b,c\n");
        QCOMPARE(shapeOf(cluster.cluster),
            QString("nodes-1 32; nodes-2 8; leaves-1 2x256; leaves-2 1x128; spines 1x320; nodes-1-leaves-1 256; "
                    "nodes-2-leaves-2 64; leaves-1-spines 256; leaves-2-spines 64"));
        QVERIFY(gaps(cluster.cluster).empty());
        QCOMPARE(cluster.remarks.size(), std::size_t(0));
    }

    void leavesBelowSeveralSpinesAreAFatTree()
    {
        const ImportedCluster cluster = imported("SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]\nSwitchName=s1 "
                                                 "Switches=a,b\nSwitchName=s2 Switches=a,b\n");
        QCOMPARE(
            shapeOf(cluster.cluster), QString("nodes 6; leaves 2x48; spines 2x24; nodes-leaves 48; leaves-spines 48"));
        QVERIFY(cluster.remarks.empty());
    }

    void theGrammarIsThatOfSlurm()
    {
        const QString expected = shapeOf(imported("SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n"
                                                  "SwitchName=c Switches=a,b\n")
                                             .cluster);
        for (const char* text :
            {"# remark\r\n\r\nSWITCHNAME=a nodes=n[1-4] # to the right\r\nswitchname=b NODES=n[5-8]\r\n"
             "SwitchName=c Switches=a,b LinkSpeed=50\r\n",
                "\xEF\xBB\xBFSwitchName=a \\\n  Nodes=n1,n[2-3],n4\nNodes=n[5,6-8] SwitchName=b\n"
                "SwitchName = c Switches = \"a,b\"\n",
                "SwitchName=s1 Nodes=n[1-2]x[1-2]\nSwitchName=s2 Nodes=m[01-04]\nSwitchName=c Switches=s[1-2]"})
            QCOMPARE(shapeOf(imported(text).cluster), expected);
    }

    void partsThatNoSwitchJoinsStayApart()
    {
        const ImportedCluster leaves = imported("SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n");
        QCOMPARE(shapeOf(leaves.cluster), QString("nodes 8; leaves 2x32; nodes-leaves 64"));
        const QString apart =
            "no switch joins the 2 parts of the network: they are drawn as they are, and accelerators "
            "of several cannot train together";
        QCOMPARE(remarksOf(leaves), QStringList({apart}));
        QVERIFY(!gaps(leaves.cluster).empty());
        QCOMPARE(joinedAccelerators(leaves.cluster), 32);
        const ImportedCluster trees = imported("SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=s1 "
                                               "Switches=a\nSwitchName=s2 Switches=b\n");
        QCOMPARE(shapeOf(trees.cluster),
            QString("nodes-1 4; nodes-2 4; leaves-1 1x64; leaves-2 1x64; spines-1 1x32; spines-2 1x32; "
                    "nodes-1-leaves-1 32; nodes-2-leaves-2 32; leaves-1-spines-1 32; leaves-2-spines-2 32"));
        QCOMPARE(remarksOf(trees), QStringList({apart}));
        QVERIFY(!gaps(trees.cluster).empty());
    }

    /// A tier that some leaves do not reach is drawn for the others alone.
    void leavesReachTheTiersThatTheyLeadTo()
    {
        const ImportedCluster cluster =
            imported("SwitchName=l1 Nodes=a[1-4]\nSwitchName=l2 Nodes=b[1-4]\nSwitchName=s1 Switches=l1\n"
                     "SwitchName=s2 Switches=l1\nSwitchName=c Switches=s1,s2,l2\n");
        QCOMPARE(shapeOf(cluster.cluster),
            QString("nodes-1 4; nodes-2 4; leaves-1 1x64; leaves-2 1x64; spines 2x32; cores 1x64; nodes-1-leaves-1 32; "
                    "nodes-2-leaves-2 32; leaves-1-spines 32; leaves-2-cores 32; spines-cores 32"));
        QVERIFY(remarksOf(cluster).isEmpty());
        QVERIFY(gaps(cluster.cluster).empty());
        // Of two spines that are one group only one has cables to the core.
        const ImportedCluster spines =
            imported("SwitchName=l1 Nodes=a[1-4]\nSwitchName=l2 Nodes=b[1-4]\nSwitchName=s1 Switches=l1,l2\n"
                     "SwitchName=s2 Switches=l1,l2\nSwitchName=c Switches=s1\n");
        QCOMPARE(remarksOf(spines),
            QStringList({"not all below lead to the one switch of the core tier: cables are drawn evenly from all of "
                         "them all the same"}));
    }

    void switchesOfMorePortsThanAnyAreNotDrawn()
    {
        const ImportedCluster cluster = imported("SwitchName=all Nodes=n[1-20000]\n");
        QCOMPARE(shapeOf(cluster.cluster), QString("nodes 20000"));
        QCOMPARE(remarksOf(cluster),
            QStringList({"the leaf \"all\" would have 160,000 ports, more than any: no network is drawn, and one "
                         "without bottleneck is assumed"}));
        QCOMPARE(faultOf("SwitchName=a Nodes=n1\nSwitchName=b Nodes=m[1-20000]\n"),
            QString("line 2: found a switch of 160000 ports in a network of several parts, expected at most 100000"));
    }

    void theSwitchThatJoinsMayBeOfATierThatIsLeftOut()
    {
        std::string text;
        for (const char* side : {"a", "b"})
            text += std::string("SwitchName=l") + side + " Nodes=" + side + "[1-4]\nSwitchName=s" + side + " Switches=l"
                + side + "\nSwitchName=c" + side + " Switches=s" + side + '\n';
        const ImportedCluster cluster = imported(text + "SwitchName=top Switches=ca,cb\n");
        QCOMPARE(shapeOf(cluster.cluster), QString("nodes 8"));
        QCOMPARE(remarksOf(cluster),
            QStringList({"1 tier of switches is left out: above leaf, spine and core",
                "the switch that joins the 2 parts of the network is of a fourth tier, which is left out: no network "
                "is "
                "drawn, and one without bottleneck is assumed"}));
    }

    void tiersAboveThreeAreLeftOut()
    {
        const ImportedCluster cluster = imported("SwitchName=a Nodes=n[1-4]\nSwitchName=b Switches=a\nSwitchName=c "
                                                 "Switches=b\nSwitchName=d Switches=c\nSwitchName=e Switches=d\n");
        QCOMPARE(shapeOf(cluster.cluster),
            QString(
                "nodes 4; leaves 1x64; spines 1x64; cores 1x32; nodes-leaves 32; leaves-spines 32; spines-cores 32"));
        QCOMPARE(remarksOf(cluster), QStringList({"2 tiers of switches are left out: above leaf, spine and core"}));
    }

    void hostlistsExpand_data()
    {
        QTest::addColumn<QString>("list");
        QTest::addColumn<QString>("names");
        QTest::newRow("plain") << "a,b"
                               << "a b";
        QTest::newRow("zeros") << "gpu[008-011]"
                               << "gpu008 gpu009 gpu010 gpu011";
        QTest::newRow("no zeros") << "gpu[8-11]"
                                  << "gpu8 gpu9 gpu10 gpu11";
        QTest::newRow("ranges") << "n[1-2,5,07-08]"
                                << "n1 n2 n5 n07 n08";
        QTest::newRow("two dimensions") << "a[1-2]b[3-4]"
                                        << "a1b3 a1b4 a2b3 a2b4";
        QTest::newRow("both") << "gpu[1-2],login,x[1]y"
                              << "gpu1 gpu2 login x1y";
    }
    void hostlistsExpand()
    {
        QFETCH(const QString, list);
        const auto names = expandHostlist(list.toStdString(), {100, 100, "names"});
        QVERIFY(names.has_value());
        QTEST(lines(*names).join(' '), "names");
    }

    // In one piece: a table of faults, and what is said of each.
    void faultsAreToldWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        QTest::newRow("unknown key")
            << "SwitchName=a Nods=n1"
            << "line 1, column 14: found \"Nods\", expected SwitchName=, with Nodes= or Switches= and "
               "perhaps LinkSpeed=";
        QTest::newRow("include")
            << "SwitchName=a Nodes=n1\ninclude more.conf"
            << "line 2, column 1: found \"include\", expected the lines of that file in its place: no "
               "other file is read";
        QTest::newRow("blocks") << "BlockName=b1 Nodes=n[1-18]\nBlockSizes=18"
                                << "line 1, column 1: found the blocks of topology/block, expected the switches of "
                                   "topology/tree (SwitchName=): a table of nodes can say which are near";
        QTest::newRow("neither")
            << "SwitchName=a LinkSpeed=1"
            << "line 1, column 1: found neither Nodes nor Switches of \"a\", expected either Nodes= of a "
               "leaf or Switches= of a switch above";
        QTest::newRow("both") << "SwitchName=a Nodes=n1 Switches=b"
                              << "line 1, column 1: found both Nodes and Switches, expected either Nodes= of a leaf or "
                                 "Switches= of a switch above";
        QTest::newRow("switch twice") << "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2"
                                      << "line 2, column 12: found a second switch \"a\", expected every switch once";
        QTest::newRow("node twice")
            << "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n3"
            << "line 2, column 20: found the node \"n3\" a second time, also below \"a\", expected "
               "every node below one leaf";
        QTest::newRow("undefined switch")
            << "SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c"
            << "line 2, column 23: found the switch \"c\", which no line defines, expected "
               "SwitchName=c on a line of its own";
        QTest::newRow("child twice") << "SwitchName=a Nodes=n1\nSwitchName=b Switches=a,a"
                                     << "line 2, column 23: found the switch \"a\" twice, expected every switch once";
        QTest::newRow("circle")
            << "SwitchName=a Nodes=n1\nSwitchName=b Switches=a,d\nSwitchName=c Switches=b\nSwitchName=d "
               "Switches=c"
            << "line 2, column 12: found a circle of switches: b above d above c above b, expected a "
               "tree, in which no switch stands below itself";
        QTest::newRow("itself")
            << "SwitchName=a Switches=a"
            << "line 1, column 12: found a circle of switches: a above a, expected a tree, in which no "
               "switch stands below itself";
        QTest::newRow("key twice") << "SwitchName=a Nodes=n1 nodes=n2"
                                   << "line 1, column 23: found \"nodes\" twice, expected every key once in a line";
        QTest::newRow("no value") << "SwitchName=a Nodes="
                                  << "line 1, column 20: found nothing, expected a value of \"Nodes\"";
        QTest::newRow("no sign")
            << "SwitchName=a Nodes"
            << "line 1, column 19: found \"Nodes\" without a value, expected \"=\" and a value after it";
        QTest::newRow("no name") << "Nodes=n1"
                                 << "line 1, column 1: found a line without SwitchName, expected a line such as "
                                    "SwitchName=leaf1 Nodes=gpu[001-016]";
    }
    void faultsAreToldWithTheirPlace()
    {
        QFETCH(const QString, text);
        QTEST(faultOf(text.toStdString()), "fault");
    }

    void faultsOfListsAreTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        QTest::newRow("quote") << "SwitchName=a Nodes=\"n1"
                               << "line 1, column 20: found a quote that does not close, expected a quote at its end";
        QTest::newRow("bracket")
            << "SwitchName=a Nodes=n[1-3"
            << "line 1, column 21: found \"[\" without its \"]\", expected ranges such as [001-016,20]";
        QTest::newRow("stray bracket") << "SwitchName=a Nodes=n1]"
                                       << "line 1, column 22: found \"]\" without its \"[\", expected ranges such as "
                                          "[001-016,20]";
        QTest::newRow("backwards")
            << "SwitchName=a Nodes=n[7-3]"
            << "line 1, column 22: found \"7-3\", expected a range from the lower to the higher number";
        QTest::newRow("no range") << "SwitchName=a Nodes=n[]"
                                  << "line 1, column 22: found \"\", expected ranges such as [001-016,20]";
        QTest::newRow("no name in the list")
            << "SwitchName=a Nodes=n1,,n2"
            << "line 1, column 23: found no name, expected names, with commas between them";
        QTest::newRow("a million nodes")
            << "SwitchName=a Nodes=n[1-1000000]"
            << "line 1, column 22: found more than 100000 nodes in all, expected at most 100000";
        QTest::newRow("a million by two dimensions")
            << "SwitchName=a Nodes=a[1-1000]b[1-1000]"
            << "line 1, column 20: found more than 100000 nodes in all, expected at most "
               "100000";
        QTest::newRow("beyond all numbers")
            << "SwitchName=a Nodes=a[1-99999999999999999999]"
            << "line 1, column 22: found \"1-99999999999999999999\", expected ranges such as "
               "[001-016,20]";
        QTest::newRow("later line")
            << "SwitchName=a \\\n  Nodes=n[1-3\nSwitchName=b"
            << "line 2, column 10: found \"[\" without its \"]\", expected ranges such as [001-016,20]";
    }
    void faultsOfListsAreTold()
    {
        QFETCH(const QString, text);
        QTEST(faultOf(text.toStdString()), "fault");
    }

    void sizesAreBounded()
    {
        std::string many, deep = "SwitchName=s0 Nodes=n1\n";
        for (int i = 0; i < 20'001; ++i)
            many += "SwitchName=s" + std::to_string(i) + " Nodes=n" + std::to_string(i) + '\n';
        QCOMPARE(
            faultOf(many), QString("line 20001, column 12: found more than 20000 switches, expected at most 20000"));
        for (int i = 1; i < 20'000; ++i)
            deep += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + '\n';
        QCOMPARE(faultOf(deep),
            QString("read: 1 node of DGX H100, 1 switch (leaf), 1 switch (spine), 1 switch (core), 8 "
                    "accelerators"));
        const std::string brackets = "SwitchName=a Nodes=n" + std::string(100'000, '[');
        QCOMPARE(faultOf(brackets),
            QString("line 1, column 21: found \"[\" without its \"]\", expected ranges such as "
                    "[001-016,20]"));
        std::string parts = "SwitchName=a Nodes=";
        for (int i = 0; i < 100'000; ++i)
            parts += "a[1]";
        QCOMPARE(faultOf(parts),
            QString("line 1, column 20: found more than 16 parts, expected names as computers have "
                    "them"));
        const std::string longName = "SwitchName=a Nodes=" + std::string(1'000'000, 'a') + "[1-100000]";
        QCOMPARE(faultOf(longName),
            QString("line 1, column 20: found more than 255 characters, expected names as computers "
                    "have them"));
        std::string inPieces = "SwitchName=a Nodes=";
        for (int i = 0; i < 8; ++i)
            inPieces += std::string(32, 'a') + "[1]";
        QCOMPARE(faultOf(inPieces),
            QString("line 1, column 20: found more than 255 characters, expected names as computers have them"));
        QCOMPARE(faultOf("SwitchName=" + std::string(256, 'a') + " Nodes=n1"),
            QString("line 1, column 12: found more than 255 characters, expected a short name"));
        QCOMPARE(faultOf("SwitchName=a Nodes=n[1-60000]\nSwitchName=b Nodes=m[1-50000]"),
            QString("line 2, column 22: found more than 100000 nodes in all, expected at most 100000"));
        QCOMPARE(faultOf("SwitchName=a Nodes=n[1-100000]", {.node = catalog::shippedCatalog().node("dgx2")}),
            QString("line 1: found more than 1000000 accelerators in all, expected at most 1000000"));
    }

    void linesAreBounded()
    {
        const std::string empty(std::size_t(15) << 20, '\n');
        QCOMPARE(faultOf(empty + "SwitchName=a Nodes=n1"),
            QString("read: 1 node of DGX H100, 1 switch (leaf), 8 accelerators"));
        std::string many;
        for (int i = 0; i < 200'001; ++i)
            many += "#\n";
        QCOMPARE(importCluster(many, Format::SlurmTree, "site", {}, catalog::shippedCatalog()).error(),
            (Fault{200'001, 0, "more than 200000 lines", "at most 200000"}));
        const std::string wide = "SwitchName=a Nodes=n1\n" + std::string(std::size_t(3) << 20, ',');
        QCOMPARE(faultOf(wide), QString("line 2: found a line of more than 2 MiB, expected shorter lines"));
        // An empty line ends what went on.
        QCOMPARE(faultOf("SwitchName=a Nodes=n1 \\\n\nSwitchName=b Nodes=n2"),
            faultOf("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2"));
        std::string unlike = "SwitchName=top Switches=l[1-65]\n";
        for (int i = 1; i <= 65; ++i)
            unlike += "SwitchName=l" + std::to_string(i) + " Nodes=n" + std::to_string(i) + "x[1-" + std::to_string(i)
                + "]\n";
        QCOMPARE(faultOf(unlike), QString("found more than 64 unlike leaves, expected at most 64"));
    }
};

STRATOPLAN_TEST(TestSlurmTree)
#include "test_slurm_tree.moc"
