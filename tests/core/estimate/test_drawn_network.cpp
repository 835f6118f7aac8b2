// SPDX-License-Identifier: GPL-3.0-or-later
// A step over a network as it is drawn: what every cable of it is worth, and what it cannot run.
#include "core/catalog/catalog.h"
#include "core/cluster/fabric.h"
#include "core/estimate/estimate.h"
#include "core/narration/problems.h"
#include "core/parallel/placement.h"
#include "tests/core/fixtures.h"
#include "tests/core/random_count.h"
#include "tests/core/random_drawing.h"
#include "tests/registry.h"

#include <QDebug>
#include <QTest>

#include <random>
#include <vector>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::estimate;
using namespace stratoplan::parallel;
using namespace stratoplan::plan;
using namespace stratoplan::units;

namespace {

/// Under `leaves` leaf switches and `spines` spines, without oversubscription.
void draw(Cluster& c, int leaves, int spines)
{
    const NodeGroup& group = c.nodes.front();
    const int cables = group.count * group.nicsPerNode;
    c.switches = {
        {"leaf", "Leaf", SwitchTier::Leaf, 1024, leaves}, {"spine", "Spine", SwitchTier::Spine, 1024, spines}};
    c.connections = {{"nodes", "leaf", group.nic, cables}, {"leaf", "spine", group.nic, cables}};
}

/// 16 nodes of eight.
Plan drawnPlan(int tp, int pp, int leaves = 4)
{
    Plan plan = stratoplan::fixtures::gpt3();
    plan.model = stratoplan::fixtures::gpt(24, 4096, 32);
    plan.cluster = stratoplan::fixtures::cluster(16);
    draw(plan.cluster, leaves, 2);
    plan.strategy = Strategy{};
    plan.strategy.tp = tp;
    plan.strategy.pp = pp;
    plan.strategy.dp = 128 / tp / pp;
    plan.strategy.microBatch = 1;
    plan.training.globalBatch = 4 * plan.strategy.dp;
    return plan;
}

/// A leaf with uplinks of its own for each group of so many nodes; replicas are paired over two stages, or lie side by
/// side where the nodes are no even number.
Plan unevenLeaves(const std::vector<int>& sizes)
{
    Plan plan = drawnPlan(8, 1);
    Cluster& c = plan.cluster;
    const NodeGroup one = c.nodes.front();
    c.nodes.clear();
    c.switches = {{"spine", "Spine", SwitchTier::Spine, 1024, 1}};
    c.connections.clear();
    int all = 0;
    for (const int count : sizes) {
        const std::string place = std::to_string(c.nodes.size());
        c.nodes.push_back(one);
        c.nodes.back().id = "nodes" + place;
        c.nodes.back().count = count;
        c.switches.push_back({"leaf" + place, "Leaf", SwitchTier::Leaf, 1024, 1});
        c.connections.push_back({"nodes" + place, "leaf" + place, one.nic, count * one.nicsPerNode});
        c.connections.push_back({"leaf" + place, "spine", one.nic, count * one.nicsPerNode});
        all += count;
    }
    plan.strategy.pp = all % 2 == 0 ? 2 : 1;
    plan.strategy.dp = all / plan.strategy.pp;
    plan.training.globalBatch = 4 * plan.strategy.dp;
    return plan;
}

/// Nothing where the plan has none.
double stepOf(const Plan& plan)
{
    const auto e = estimate(plan, {.catalog = &shippedCatalog()});
    return e ? e->step.value() : 0;
}

std::string refusalOf(const Plan& plan)
{
    for (const Problem& problem : check(plan))
        if (problem.code == ProblemCode::Disconnected)
            return stratoplan::narration::describe(problem);
    return {};
}

} // namespace

class TestDrawnNetwork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fullBandwidthIsTheFlatForm()
    {
        for (const int tp : {1, 8, 16})
            for (const int pp : {1, 4}) {
                Plan plan = drawnPlan(tp, pp);
                const double drawn = stepOf(plan);
                QVERIFY(drawn > 0);
                plan.cluster.switches.clear();
                plan.cluster.connections.clear();
                QCOMPARE(drawn, stepOf(plan));
            }
    }

    /// Of 16 nodes on one switch with a single cable 15 are not there.
    void nodesWithoutACableAreAnError()
    {
        Plan plan = drawnPlan(8, 1, 1);
        plan.cluster.switches.pop_back();
        plan.cluster.connections.pop_back();
        QVERIFY(stepOf(plan) > 0);
        plan.cluster.connections.front().cables = 1;
        QCOMPARE(stepOf(plan), 0.0);
        QCOMPARE(
            refusalOf(plan), std::string("1 of 16 nodes of “test node” have a cable: draw at least one for each."));
        plan.strategy.dp = 1; // which needs one node alone
        QVERIFY(stepOf(plan) > 0);
        QVERIFY(!refusalOf(plan).empty());
    }

    void leavesWithoutUplinksAreAnError()
    {
        Plan plan = drawnPlan(8, 4);
        const double whole = stepOf(plan);
        plan.cluster.connections.back().cables = 5; // a tree over four leaves and two spines
        QVERIFY(stepOf(plan) > whole);
        plan.cluster.connections.back().cables = 4;
        QCOMPARE(stepOf(plan), 0.0);
        QVERIFY(refusalOf(plan).find("draw at least 5") != std::string::npos);
        plan.cluster.connections.pop_back();
        QVERIFY(refusalOf(plan).find("cannot join the switches of “Leaf”") != std::string::npos);
    }

    /// Half the cables of each node take a step of gradients alone twice as long between nodes.
    void cablesOfNodesCount()
    {
        Plan plan = drawnPlan(1, 1);
        const double whole = stepOf(plan);
        plan.cluster.connections.front().cables /= 2;
        QVERIFY(stepOf(plan) > whole);
    }

    /// It is told of, too.
    void moreCablesThanNicsCarryNothing()
    {
        Plan plan = drawnPlan(8, 1);
        const double whole = stepOf(plan);
        plan.cluster.connections.front().cables *= 2;
        QCOMPARE(stepOf(plan), whole);
        QVERIFY(
            std::ranges::any_of(check(plan), [](const Problem& p) { return p.code == ProblemCode::PortsExceeded; }));
    }

    /// What does not lie side by side is refused; ports that no rank needs are told of alone.
    void whatCannotBeIsRefused()
    {
        const auto errorAt = [](const Plan& plan, const std::string& where) {
            return std::ranges::any_of(
                check(plan), [&](const Problem& p) { return p.where == where && p.severity == Severity::Error; });
        };
        Plan plan = drawnPlan(8, 1, 6);
        plan.cluster.switches[1].count = plan.cluster.switches[1].blocks = 4;
        QVERIFY(errorAt(plan, "/cluster/switches/1/blocks"));
        plan.cluster.switches[1].count = plan.cluster.switches[1].blocks = 3;
        QVERIFY(!errorAt(plan, "/cluster/switches/1/blocks"));
        plan = drawnPlan(8, 1);
        plan.cluster.switches[1].ports = 1;
        QVERIFY(errorAt(plan, "/cluster/switches/1/ports"));
        plan.strategy.dp = 1;
        QVERIFY(!errorAt(plan, "/cluster/switches/1/ports"));
        QVERIFY(!errorAt(plan, "/cluster/nodes/0/scale_up_domain"));
        plan.cluster.nodes[0].scaleUpDomain = 6;
        plan.cluster.nodes[0].inNode = plan.cluster.nodes[0].nic;
        QVERIFY(errorAt(plan, "/cluster/nodes/0/scale_up_domain"));
    }

    /// Over the link that joins the domains of a node, or over the network.
    void tensorParallelismIsToldWhatItLeaves()
    {
        const auto told = [](int tp) {
            Plan plan = drawnPlan(8, 1);
            plan.cluster.nodes[0].scaleUpDomain = 2;
            plan.cluster.nodes[0].inNode = plan.cluster.nodes[0].nic;
            plan.cluster.nodes[0].inNode->name = "PCIe 5.0 x16";
            plan.strategy.tp = tp;
            plan.strategy.dp = 1;
            for (const Problem& problem : check(plan, {.remedies = false}))
                if (problem.code == ProblemCode::TensorParallelLeavesNode)
                    return stratoplan::narration::describe(problem);
            return std::string();
        };
        QCOMPARE(told(2), std::string());
        QCOMPARE(told(4),
            std::string("TP 4 leaves the scale-up domain of 2 accelerators: its collectives run over PCIe 5.0 x16, "
                        "which joins the domains of a node."));
        QVERIFY(told(8).starts_with("TP 8 leaves the scale-up domain of 2 accelerators"));
        QCOMPARE(
            told(16), std::string("TP 16 leaves the node of 8 accelerators: its collectives run over the network."));
    }

    /// Two rails that all nodes reach need no uplinks, and have no use for any.
    void railsNeedNoUplinks()
    {
        Plan plan = drawnPlan(8, 1, 1);
        const double whole = stepOf(plan);
        const Link cable = plan.cluster.nodes.front().nic;
        plan.cluster.switches.push_back({"rail", "Rail", SwitchTier::Leaf, 64, 1});
        plan.cluster.connections = {{"nodes", "leaf", cable, 64}, {"nodes", "rail", cable, 64}};
        QCOMPARE(stepOf(plan), whole);
        plan.cluster.connections.push_back({"leaf", "spine", cable, 1});
        QCOMPARE(stepOf(plan), whole);
    }

    /// Stages under several leaves send over their uplinks.
    void neighboursInAPipelineCrossLeaves()
    {
        Plan plan = drawnPlan(8, 16, 4);
        plan.model = stratoplan::fixtures::gpt(32, 4096, 32);
        const double whole = stepOf(plan);
        plan.cluster.connections.back().cables = 8;
        QVERIFY(stepOf(plan) > whole);
    }

    /// Under leaves and spines of one kind each, whatever the strategy.
    void takingCablesAwayNeverHelps()
    {
        std::mt19937 random(1908);
        const auto pick = [&](std::initializer_list<int> values) {
            return *(values.begin() + random() % values.size());
        };
        int longer = 0;
        for (int i = 0; i < stratoplan::test::fewerSanitized(600); ++i) {
            Plan plan = drawnPlan(pick({1, 2, 8, 16}), pick({1, 2, 4, 8}), pick({1, 2, 3, 4, 8}));
            NodeGroup& group = plan.cluster.nodes.front();
            group.nicsPerNode = pick({1, 3, 4, 8});
            draw(plan.cluster, plan.cluster.switches.front().count, pick({1, 2}));
            plan.strategy.dp = std::max(1, plan.strategy.dp * pick({1, 3, 5, 6, 7, 8}) / 8);
            plan.training.globalBatch = 4 * plan.strategy.dp;
            plan.strategy.zeroStage = pick({0, 1, 2, 3});
            if (const int slow = pick({0, 1, 2, 3}); slow > 0) { // half the cables
                Connection half = plan.cluster.connections.front();
                plan.cluster.connections.front().cables -= half.cables / 2;
                half.cables /= 2;
                half.link.bandwidth *= 1.0 / slow;
                plan.cluster.connections.push_back(half);
            }
            for (Connection& c : plan.cluster.connections)
                c.cables -= int(random() % unsigned(std::max(1, c.cables)));
            const double all = stepOf(plan);
            Connection& fewer = plan.cluster.connections[random() % plan.cluster.connections.size()];
            fewer.cables -= 1 + int(random() % unsigned(std::max(1, fewer.cables / pick({1, 4, 100}))));
            fewer.cables = std::max(0, fewer.cables);
            const double rest = stepOf(plan);
            if (gaps(plan.cluster).empty() && rest > 0) {
                QVERIFY2(
                    all > 0 && rest >= all * (1 - 1e-9), qPrintable(QString("%1: %2 %3").arg(i).arg(all).arg(rest)));
                longer += rest > all * (1 + 1e-9);
            }
        }
        QVERIFY(longer > 20 || stratoplan::test::fewerSanitized(600) < 600);
    }

    /// Leaves of unlike size begin anywhere: pairs of replicas on either side of a larger one's ends cross its uplinks.
    void uplinksOfAnyLeafAreFelt()
    {
        for (const std::vector<int>& sizes : {std::vector{1, 2, 1}, {1, 4, 3}, {2, 4, 2}, {1, 6, 1}, {1, 2}, {2, 6}}) {
            Plan plan = unevenLeaves(sizes);
            const double whole = stepOf(plan);
            QVERIFY(whole > 0);
            for (std::size_t leaf = 0; leaf < sizes.size(); ++leaf) {
                Plan slow = plan;
                slow.cluster.connections[2 * leaf + 1].link.bandwidth *= 0.001;
                QVERIFY2(stepOf(slow) > 2 * whole, qPrintable(QString::number(leaf)));
            }
        }
    }

    /// Replicas cross the uplinks of leaves of any sizes exactly where some of them lie on unlike leaves.
    void whatLiesOnUnlikeLeavesCrosses()
    {
        std::mt19937 random(2911);
        int crossed = 0, inside = 0;
        for (int i = 0; i < stratoplan::test::fewerSanitized(400); ++i) {
            std::vector<int> sizes, leafOf; // of each node
            const int usual = 2 + int(random() % 4); // around one node alone uplinks are those of the node
            for (int leaf = 0, leaves = 2 + int(random() % 4); leaf < leaves; ++leaf) {
                sizes.push_back(random() % 2 == 0 ? usual : 2 + int(random() % 5));
                leafOf.insert(leafOf.end(), std::size_t(sizes.back()), leaf);
            }
            Plan plan = unevenLeaves(sizes);
            for (std::size_t leaf = 0; leaf < sizes.size(); ++leaf)
                plan.cluster.connections[2 * leaf + 1].link.bandwidth *= 0.1;
            const int nodes = int(leafOf.size());
            for (int dp = 2; dp <= nodes; ++dp) {
                if (nodes % dp != 0)
                    continue;
                plan.strategy.dp = dp;
                plan.strategy.pp = nodes / dp;
                bool isCrossed = false;
                for (int stage = 0; stage < plan.strategy.pp; ++stage)
                    isCrossed =
                        isCrossed || leafOf[std::size_t(stage * dp)] != leafOf[std::size_t(stage * dp + dp - 1)];
                const Topology levels = topology(plan.cluster);
                const Span replicas = span(plan.strategy, RankGroup::Data, levels);
                bool isFelt = false; // behind the uplinks of some leaf
                for (std::size_t level = 2; level < levels.levels.size(); ++level)
                    isFelt = isFelt || crosses(levels, replicas, level);
                QVERIFY2(isFelt == isCrossed, qPrintable(QString::number(i)));
                ++(isCrossed ? crossed : inside);
            }
        }
        QVERIFY(!stratoplan::test::drawsRareOnes() || (crossed > 20 && inside > 20));
    }

    /// Of four nodes two hang on each of two leaves, though they are one group: slow uplinks of one leaf are felt, no
    /// less than of nodes drawn in two groups. The same of leaves below two spines.
    void elementsOfAGroupHaveTheirOwnCables()
    {
        Plan plan = unevenLeaves({2, 2});
        Cluster& c = plan.cluster;
        for (std::size_t i = 0; i < c.nodes.size(); ++i) {
            c.nodes[i].nicsPerNode = 1;
            c.connections[2 * i].cables = 2;
        }
        const double whole = stepOf(plan);
        c.connections[1].link.bandwidth *= 0.0001;
        const double apart = stepOf(plan);
        QVERIFY(apart > 2 * whole);
        c.nodes[0].count = 4;
        c.nodes.pop_back();
        c.connections[2].from = c.nodes[0].id;
        QVERIFY(stepOf(plan) >= apart);

        const Link cable = c.connections[0].link;
        c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 1024, 2}, {"a", "A", SwitchTier::Spine, 1024, 1},
            {"b", "B", SwitchTier::Spine, 1024, 1}, {"core", "Core", SwitchTier::Core, 1024, 1}};
        c.connections = {{c.nodes[0].id, "leaf", cable, 4}, {"leaf", "a", cable, 1}, {"leaf", "b", cable, 1},
            {"a", "core", cable, 16}, {"b", "core", cable, 16}};
        const double fast = stepOf(plan);
        c.connections[3].link.bandwidth *= 0.0001;
        QVERIFY(fast > 0 && stepOf(plan) > 2 * fast);
    }

    /// Where there is no other way, what a cable carries is felt: of any drawing, but for the few in which switches
    /// that are one group are joined over others alone.
    void whatMustBeCrossedIsFelt()
    {
        std::mt19937 random(2811);
        int felt = 0, unfelt = 0;
        for (int i = 0; i < stratoplan::test::fewerSanitized(800); ++i) {
            Plan plan = drawnPlan(8, 1);
            plan.cluster = stratoplan::test::randomDrawing(random, plan.cluster.nodes.front(), 6);
            plan.strategy.dp = acceleratorCount(plan.cluster) / 8;
            plan.training.globalBatch = 4 * plan.strategy.dp;
            if (plan.strategy.dp < 2 || hasErrors(check(plan)))
                continue;
            const double whole = stepOf(plan);
            for (Connection& crossed : plan.cluster.connections) {
                const Connection as = crossed;
                crossed.cables = 0;
                const bool isNeeded = !gaps(plan.cluster).empty();
                crossed = as;
                crossed.link.bandwidth *= 0.0001;
                if (isNeeded)
                    ++(stepOf(plan) > 1.01 * whole ? felt : unfelt);
                crossed = as;
            }
        }
        QVERIFY2(felt > 100 * unfelt && (felt > 100 || !stratoplan::test::drawsRareOnes()),
            qPrintable(QString("%1 of %2").arg(unfelt).arg(felt + unfelt)));
    }

    /// Of any drawing: what is no error has a number, and a cable less of any connection never makes it smaller.
    void noCableOfAnyDrawingHoldsUp()
    {
        std::mt19937 random(2711);
        const auto pick = [&](std::initializer_list<int> values) {
            return *(values.begin() + random() % values.size());
        };
        int longer = 0;
        for (int i = 0; i < stratoplan::test::fewerSanitized(600); ++i) {
            Plan plan = drawnPlan(pick({1, 2, 8, 16}), 1);
            plan.cluster = stratoplan::test::randomDrawing(random, plan.cluster.nodes.front(), 8);
            const int accelerators = acceleratorCount(plan.cluster);
            plan.strategy.pp = pick({1, 2, 4});
            plan.strategy.dp = accelerators / plan.strategy.tp / plan.strategy.pp;
            plan.training.globalBatch = 4 * plan.strategy.dp;
            plan.strategy.zeroStage = pick({0, 1, 3});
            if (plan.strategy.dp < 1 || hasErrors(check(plan)))
                continue;
            const double all = stepOf(plan);
            QVERIFY2(all > 0, qPrintable(QString::number(i)));
            for (Connection& fewer : plan.cluster.connections) {
                const int cables = fewer.cables;
                fewer.cables -= std::min(cables, 1 + int(random() % unsigned(pick({1, 4, cables}))));
                if (gaps(plan.cluster).empty()) {
                    const double rest = stepOf(plan);
                    QVERIFY2(rest >= all * (1 - 1e-9), qPrintable(QString("%1: %2 %3").arg(i).arg(all).arg(rest)));
                    longer += rest > all * (1 + 1e-9);
                }
                fewer.cables = cables;
            }
        }
        QVERIFY(longer > 20 || !stratoplan::test::drawsRareOnes());
    }
};

STRATOPLAN_TEST(TestDrawnNetwork)
#include "test_drawn_network.moc"
