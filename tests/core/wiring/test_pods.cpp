// SPDX-License-Identifier: GPL-3.0-or-later
// Pods of texts of topology: what spines join is apart without the cores, whose cables count.
#include "core/cluster/fabric.h"
#include "core/estimate/estimate.h"
#include "tests/core/fixtures.h"
#include "tests/core/wiring/wiring_texts.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::test;

namespace {

using Cluster = cluster::Cluster;

/// "spines 2 in 2; cores 1"
QString uppersOf(const Cluster& cluster)
{
    QStringList parts;
    for (const cluster::SwitchGroup& group : cluster.switches)
        if (group.tier != cluster::SwitchTier::Leaf)
            parts << QString("%1 %2").arg(group.id.c_str()).arg(group.count)
                    + (group.blocks > 0 ? QString(" in %1").arg(group.blocks) : QString());
    return parts.join("; ");
}

/// With so many cables in each connection to the cores.
Cluster withCoreCables(Cluster cluster, int cables)
{
    for (cluster::Connection& c : cluster.connections)
        if (c.to.starts_with("cores"))
            c.cables = cables;
    return cluster;
}

std::vector<int> sizesOf(const Cluster& cluster)
{
    std::vector<int> sizes;
    for (const cluster::TopologyLevel& level : topology(cluster).levels)
        sizes.push_back(level.size);
    return sizes;
}

/// Of a plan with one replica for each node.
Seconds stepOn(const Cluster& cluster)
{
    plan::Plan plan;
    plan.model = fixtures::gpt(24, 2048, 16);
    plan.cluster = cluster;
    plan.strategy.tp = cluster.nodes.front().acceleratorsPerNode;
    plan.strategy.dp = nodeCount(cluster);
    plan.training.globalBatch = 2 * plan.strategy.dp;
    const auto answer = estimate::estimate(plan, {.remedies = false, .range = false});
    return answer ? answer->step : Seconds{};
}

std::string table(const std::string& rows)
{
    return "name,node,leaf,spine,core\n" + rows;
}

} // namespace

class TestPods : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void podsThatAreAlikeAreBlocks_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("uppers");
        QTest::newRow("tree") << QString::fromStdString(topologyFile("slurm-topology.conf"))
                              << "spines 2 in 2; cores 1";
        const std::string rows = "a[1-16],dgx-h100,l1,s1,c\nb[1-16],dgx-h100,l2,s1,c\n"
                                 "c[1-16],dgx-h100,l3,s2,c\nd[1-16],dgx-h100,l4,s2,c\n";
        QTest::newRow("table") << QString::fromStdString(table(rows)) << "spines 2 in 2; cores 1";
        const std::string pairs = "a[1-16],dgx-h100,l1,s1;s2,c\nb[1-16],dgx-h100,l2,s1;s2,c\n"
                                  "c[1-16],dgx-h100,l3,s3;s4,c\nd[1-16],dgx-h100,l4,s3;s4,c\n";
        QTest::newRow("spines in pairs") << QString::fromStdString(table(pairs)) << "spines 4 in 2; cores 1";
    }
    void podsThatAreAlikeAreBlocks()
    {
        QFETCH(const QString, text);
        const wiring::ImportedCluster read = imported(text.toStdString());
        QTEST(uppersOf(read.cluster), "uppers");
        QCOMPARE(read.cluster.nodes.size(), std::size_t(1));
        for (const std::string& remark : reporting::describe(read.remarks))
            QVERIFY2(remark.find("evenly") == std::string::npos, remark.c_str());
        coreCablesCount(read.cluster, {8, 512}, {8, 256, 512});
    }

    /// Three leaves below one spine, one below the other: each pod has groups of its own, its nodes side by side.
    void podsThatAreUnlikeAreGroupsOfTheirOwn_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("tree")
            << "SwitchName=l1 Nodes=n[01-08]\nSwitchName=l2 Nodes=n[09-16]\n"
               "SwitchName=l3 Nodes=n[17-24]\nSwitchName=l4 Nodes=n[25-32]\n"
               "SwitchName=s1 Switches=l[1-3]\nSwitchName=s2 Switches=l4\nSwitchName=c Switches=s1,s2";
        QTest::newRow("table") << QString::fromStdString(
            table("a[1-8],dgx-h100,l1,s1,c\nb[1-8],dgx-h100,l2,s1,c\nc[1-8],dgx-h100,l3,s1,c\n"
                  "d[1-8],dgx-h100,l4,s2,c\n"));
    }
    void podsThatAreUnlikeAreGroupsOfTheirOwn()
    {
        QFETCH(const QString, text);
        const wiring::ImportedCluster read = imported(text.toStdString());
        QCOMPARE(uppersOf(read.cluster), QString("spines-1 1; spines-2 1; cores 1"));
        QCOMPARE(read.cluster.nodes.size(), std::size_t(2));
        QCOMPARE(read.cluster.nodes.front().count, 24);
        QCOMPARE(read.cluster.nodes.back().count, 8);
        QVERIFY(read.remarks.empty());
        QCOMPARE(sizesOf(read.cluster), (std::vector<int>{8, 256}));
        const Cluster few = withCoreCables(read.cluster, 4);
        QVERIFY(sizesOf(few).size() > 2);
        QVERIFY(stepOn(few) > stepOn(read.cluster));
        QVERIFY(gaps(few).empty());
        QVERIFY(!gaps(withCoreCables(read.cluster, 0)).empty());
    }

    /// Ranks follow the nodes as the file states them, whatever the names of switches and however much is below them.
    void groupsStandAsTheFileStatesThem_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("nodes");
        QTest::newRow("leaves of a tree") << "SwitchName=z Nodes=n[1-9]\nSwitchName=a Nodes=m[1-4]\n"
                                             "SwitchName=k Nodes=o[1-6]\nSwitchName=s Switches=a,k,z"
                                          << "9 DGX H100, 4 DGX H100, 6 DGX H100";
        QTest::newRow("pods of a tree") << "SwitchName=c Switches=s1,s2\nSwitchName=s1 Switches=a\n"
                                           "SwitchName=z Nodes=n[1-8]\nSwitchName=y Nodes=m[1-8]\n"
                                           "SwitchName=s2 Switches=y,z\nSwitchName=a Nodes=o[1-5]"
                                        << "16 DGX H100, 5 DGX H100";
        QTest::newRow("a leaf alone comes later")
            << QString::fromStdString("name,node,leaf,spine\nz[1-4],dgx-h100,z,s\na[1-2],dgx-h100,a,\n")
            << "4 DGX H100, 2 DGX H100";
        QTest::newRow("leaves of a table") << QString::fromStdString(
            table("a[1-9],dgx-h100,z,s1,c\nb[1-4],dgx-a100-80,a,s1,c\nc[1-2],dgx-h100,k,s1,c\n"))
                                           << "9 DGX H100, 4 DGX A100 80 GB, 2 DGX H100";
        QTest::newRow("nodes of a leaf") << QString::fromStdString(table(
            "a[1-2],dgx-h100,l1,s1,c\nb[1-3],dgx-a100-80,l2,s1,c\nc[1-4],dgx-h100,l2,s1,c\n"
            "d,dgx-a100-80,l2,s1,c\n")) << "2 DGX H100, 4 DGX A100 80 GB, 4 DGX H100";
        // Those of a pod stand side by side.
        QTest::newRow("pods in turn") << QString::fromStdString(
            table("a[1-2],dgx-h100,l9,s2,c\nb[1-3],dgx-h100,l1,s1,c\nc[1-4],dgx-h100,l5,s2,c\n"))
                                      << "2 DGX H100, 4 DGX H100, 3 DGX H100";
    }
    void groupsStandAsTheFileStatesThem()
    {
        QFETCH(const QString, text);
        QStringList nodes;
        for (const cluster::NodeGroup& group : imported(text.toStdString()).cluster.nodes)
            nodes << QString("%1 %2").arg(group.count).arg(group.name.c_str());
        QTEST(nodes.join(", "), "nodes");
    }

    /// Ranks fill one pod after the other where its nodes are unlike; where that makes too many groups, they do not.
    void unlikeNodesOfAPodStandSideBySide()
    {
        const auto ofPods = [](int count) {
            std::string rows;
            for (int i = 1; i <= count; ++i) {
                const std::string pod = std::to_string(i);
                rows += "a" + pod + "x[1-4],dgx-h100,la" + pod + ",s" + pod + ",c\n";
                rows += "b" + pod + "x[1-4],dgx-a100-80,lb" + pod + ",s" + pod + ",c\n";
            }
            return imported(table(rows)).cluster;
        };
        const Cluster two = ofPods(2);
        QCOMPARE(uppersOf(two), QString("spines-1 1; spines-2 1; cores 1"));
        QCOMPARE(two.nodes.size(), std::size_t(4));
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(two.nodes[i].name, std::string(i % 2 == 0 ? "DGX H100" : "DGX A100 80 GB"));
        const Cluster many = ofPods(40);
        QCOMPARE(uppersOf(many), QString("spines 40 in 40; cores 1"));
        QCOMPARE(many.nodes.size(), std::size_t(2));
        QCOMPARE(sizesOf(withCoreCables(many, 64)), (std::vector<int>{8, 64, 2560}));
    }

    /// Racks tell pods from one another, and nothing is priced by that.
    void podsInRacksArePricedAsOthers()
    {
        std::string alike = table({}), racked = "name,node,rack,leaf,spine,core\n";
        for (int i = 1; i <= 6; ++i) {
            const std::string number = std::to_string(i), pod = std::to_string((i + 1) / 2);
            const std::string name = "n" + number + (i % 2 == 0 ? "x[1-4],dgx-h100," : "x[1-8],dgx-h100,");
            const std::string tail = "l" + number + ",s" + pod + ",c\n";
            alike += name + tail;
            racked += name + "Rack " + pod + "," + tail;
        }
        const Cluster blocks = imported(alike).cluster, apart = imported(racked).cluster;
        QCOMPARE(uppersOf(blocks), QString("spines 3 in 3; cores 1"));
        QCOMPARE(uppersOf(apart), QString("spines-1 1; spines-2 1; spines-3 1; cores 1"));
        for (const int cables : {96, 16, 4, 2})
            QVERIFY(topology(withCoreCables(blocks, 3 * cables)) == topology(withCoreCables(apart, cables)));
    }

    void whatNeitherSaysIsTold()
    {
        // A leaf between two spines: which cables lead where no group says.
        const wiring::ImportedCluster between =
            imported("SwitchName=l1 Nodes=a1\nSwitchName=l2 Nodes=a2\nSwitchName=l3 Nodes=a3\nSwitchName=l4 Nodes=a4\n"
                     "SwitchName=s1 Switches=l1,l2\nSwitchName=s2 Switches=l2\nSwitchName=s3 Switches=l3,l4\n"
                     "SwitchName=s4 Switches=l3,l4\nSwitchName=c Switches=s[1-4]\n");
        QCOMPARE(uppersOf(between.cluster), QString("spines 4 in 2; cores 1"));
        QCOMPARE(lines(reporting::describe(between.remarks)),
            QStringList({"not all leaves of a pod lead to every one of its 2 switches of the spine tier: cables are "
                         "spread evenly over them all the same"}));
        // More unlike pods than there may be groups are one.
        std::string many, top = "SwitchName=c Switches=s[1-40]\n";
        for (int i = 1; i <= 40; ++i) {
            const std::string number = std::to_string(i);
            many += "SwitchName=la" + number + " Nodes=a" + number + "\nSwitchName=lb" + number + " Nodes=b" + number
                + "x[1-" + std::to_string(i + 1) + "]\nSwitchName=s" + number + " Switches=la" + number + ",lb" + number
                + "\n";
        }
        const wiring::ImportedCluster one = imported(many + top);
        QCOMPARE(uppersOf(one.cluster), QString("spines 40; cores 1"));
        QCOMPARE(lines(reporting::describe(one.remarks)),
            QStringList({"not all below lead to every one of the 40 switches of the spine tier: cables are spread "
                         "evenly over them all the same"}));
    }

private:
    /// Each pod has one leaf at least: fewer cables to the cores take longer, and one alone leaves a pod apart.
    static void coreCablesCount(const Cluster& cluster, const std::vector<int>& enough, const std::vector<int>& scarce)
    {
        QCOMPARE(sizesOf(cluster), enough);
        Seconds before = stepOn(cluster);
        QVERIFY(before > Seconds{});
        for (const int cables : {8, 4, 2}) {
            const Cluster fewer = withCoreCables(cluster, cables);
            QCOMPARE(sizesOf(fewer), scarce);
            QVERIFY(gaps(fewer).empty());
            QVERIFY(stepOn(fewer) > before);
            before = stepOn(fewer);
        }
        QVERIFY(!gaps(withCoreCables(cluster, 1)).empty());
    }
};

STRATOPLAN_TEST(TestPods)
#include "test_pods.moc"
