// SPDX-License-Identifier: GPL-3.0-or-later
// The editing functions, the review and the layout of the cluster canvas, on plain values.
#include "widgets/topology/canvas_edits.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/card_drag.h"
#include "widgets/topology/cluster_edit.h"
#include "widgets/topology/cluster_review.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/topology_text.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace stratoplan::cluster;
using namespace stratoplan::model;
using namespace stratoplan::plan;
using namespace stratoplan::units;
using namespace stratoplan::widgets;

namespace {

Link hdr()
{
    Link link;
    link.id = "ib-hdr";
    link.name = "InfiniBand HDR";
    link.kind = LinkKind::InfiniBand;
    link.bandwidth = BytesPerSecond(25e9);
    return link;
}

NodeGroup dgx(int count = 1)
{
    NodeGroup g;
    g.id = "nodes";
    g.name = "DGX A100";
    g.accelerator.id = "a100-sxm-80";
    g.accelerator.name = "A100 SXM 80 GB";
    g.accelerator.memory = Bytes(80 * kGiB);
    g.accelerator.memoryBandwidth = BytesPerSecond(2e12);
    g.accelerator.peak[Precision::Bf16] = FlopsPerSecond(312e12);
    g.accelerator.watts = 400;
    g.scaleUp.name = "NVLink 3";
    g.scaleUp.bandwidth = BytesPerSecond(300e9);
    g.nic = hdr();
    g.count = count;
    return g;
}

/// 128 nodes below 26 leaf switches of 40 ports below 26 spines of 40: 1,024 cables up to the leaves.
Cluster fatTree()
{
    Cluster c;
    c.name = "fat tree";
    c.nodes = {dgx(128)};
    c.switches = {
        {"leaf", "Leaf switch", SwitchTier::Leaf, 40, 52}, {"spine", "Spine switch", SwitchTier::Spine, 40, 26}};
    c.connections = {{"nodes", "leaf", hdr(), 1024}, {"leaf", "spine", hdr(), 1024}};
    return c;
}

std::set<IssueCode> codes(const Cluster& cluster)
{
    std::set<IssueCode> result;
    for (const ClusterIssue& i : reviewCluster(cluster))
        result.insert(i.code);
    return result;
}

} // namespace

class TestTopologyValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void idsAndNamesStayUnique();
    void linksRunUpwards();
    void refusals_data();
    void refusals();
    void whatHelpsWithoutAFreePort();
    void linksMoveTheirEnds();
    void countsCarryTheirCables();
    void changingTheNicFollowsItsCables();
    void removingTakesConnectionsAlong();
    void duplicatesKeepInnerConnections();
    void alignsWhatIsSelected();
    void cardsGoIntoLine();
    void totals();
    void reviewFindsWhatIsWrong();
    void mendingMends();
    void partsAreJoined();
    void aTorusIsShapedByItsNodes();
    void layoutStacksTheTiers();
    void layoutHasNoOverlaps_data();
    void layoutHasNoOverlaps();
    void missingPositionsAreFilledIn();
    void freePlacesAreFree();
    void acceleratorGridsFit_data();
    void acceleratorGridsFit();
    void widthGrowsWithBandwidth();
    void texts();
};

void TestTopologyValues::idsAndNamesStayUnique()
{
    Cluster c;
    const NodeGroup preset = dgx();
    QCOMPARE(addNodes(c, preset), std::string("nodes"));
    QCOMPARE(addNodes(c, preset), std::string("nodes-2"));
    QCOMPARE(addNodes(c, preset), std::string("nodes-3"));
    QCOMPARE(c.nodes[1].name, std::string("DGX A100 2"));
    QCOMPARE(c.nodes[2].name, std::string("DGX A100 3"));
    QCOMPARE(uniqueId(c, "nodes-2"), std::string("nodes-4"));
    QCOMPARE(uniqueId(c, "mi300x-8"), std::string("mi300x-8"));
    QCOMPARE(uniqueId(c, ""), std::string("element"));
    const std::string leaf = addSwitches(c, switchPresets().front());
    QCOMPARE(elementKind(c, leaf), ElementKind::Switches);
    const auto ids = elementIds(c);
    QCOMPARE(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

void TestTopologyValues::linksRunUpwards()
{
    Cluster c;
    c.nodes = {dgx(4)};
    const std::string leaf = addSwitches(c, switchPresets()[0]);
    const std::string spine = addSwitches(c, switchPresets()[1]);
    // Drawn downwards on purpose.
    const LinkVerdict first = connectElements(c, leaf, "nodes", {});
    QVERIFY(first.possible());
    QCOMPARE(c.connections[0].from, std::string("nodes"));
    QCOMPARE(c.connections[0].to, leaf);
    QCOMPARE(c.connections[0].cables, 4 * 8);
    QCOMPARE(c.connections[0].link, hdr());
    // As many up as down: non-blocking.
    QVERIFY(connectElements(c, leaf, spine, {}).possible());
    QCOMPARE(c.connections[1].from, leaf);
    QCOMPARE(c.connections[1].cables, 32);
    QCOMPARE(c.connections[1].link, hdr());
    QCOMPARE(freePorts(c, leaf), 0LL);
    QCOMPARE(freePorts(c, spine), 32LL);
    QCOMPARE(connectionKeys(c)[1], leaf + " -> " + spine);
    QCOMPARE(connectionIndex(c, leaf + " -> " + spine).value(), std::size_t{1});
    c.connections.push_back(c.connections[1]);
    QCOMPARE(connectionKeys(c)[2], leaf + " -> " + spine + " #2");
}

void TestTopologyValues::refusals_data()
{
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<LinkRefusal>("refusal");
    QTest::newRow("itself") << "nodes"
                            << "nodes" << LinkRefusal::SameElement;
    QTest::newRow("two nodes") << "nodes"
                               << "nodes-2" << LinkRefusal::BothNodes;
    QTest::newRow("nodes to spine") << "spine"
                                    << "nodes" << LinkRefusal::NotLeaf;
    QTest::newRow("same tier") << "leaf"
                               << "leaf-2" << LinkRefusal::SameTier;
    QTest::newRow("tier skipped") << "core"
                                  << "leaf" << LinkRefusal::TierSkipped;
    QTest::newRow("unknown") << "nodes"
                             << "nothing" << LinkRefusal::UnknownElement;
    QTest::newRow("already") << "leaf"
                             << "nodes" << LinkRefusal::AlreadyLinked;
    QTest::newRow("no port below") << "nodes"
                                   << "leaf-2" << LinkRefusal::NoFreePort;
    QTest::newRow("no port above") << "nodes-2"
                                   << "leaf" << LinkRefusal::NoFreePort;
    QTest::newRow("fine") << "nodes-2"
                          << "leaf-2" << LinkRefusal::None;
}

void TestTopologyValues::refusals()
{
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(LinkRefusal, refusal);
    Cluster c;
    c.nodes = {dgx(8), dgx(1)};
    c.nodes[1].id = "nodes-2";
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 1}, {"leaf-2", "Leaf 2", SwitchTier::Leaf, 64, 1},
        {"spine", "Spine", SwitchTier::Spine, 64, 1}, {"core", "Core", SwitchTier::Core, 64, 1}};
    c.connections = {{"nodes", "leaf", hdr(), 64}};
    const Cluster before = c;
    const LinkVerdict verdict = connectElements(c, a.toStdString(), b.toStdString(), {});
    QCOMPARE(verdict.refusal, refusal);
    QCOMPARE(c == before, refusal != LinkRefusal::None);
    const QString text = describe(before, verdict);
    QVERIFY(!text.isEmpty());
    QVERIFY2(!text.contains(QLatin1Char('%')), qPrintable(text));
}

/// 8 nodes of 8 ports fill the leaf: no uplink fits.
void TestTopologyValues::whatHelpsWithoutAFreePort()
{
    Cluster c;
    c.nodes = {dgx(8)};
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 1}, {"leaf-2", "Leaf 2", SwitchTier::Leaf, 64, 1},
        {"spine", "Spine", SwitchTier::Spine, 64, 1}};
    c.connections = {{"nodes", "leaf", hdr(), 64}};
    QCOMPARE(describe(c, connectionPossible(c, "leaf", "spine")),
        QStringLiteral("Leaf has no free port: all 64 are in use; give it more ports, or more switches"));
    QVERIFY(describe(c, connectionPossible(c, "nodes", "leaf-2"))
                .endsWith(QStringLiteral("give its nodes more ports, or another link fewer cables")));
    c.switches[0].ports = 128;
    QCOMPARE(connectionPossible(c, "leaf", "spine").cables, 64);
}

void TestTopologyValues::linksMoveTheirEnds()
{
    Cluster c;
    c.nodes = {dgx(8), dgx(1)};
    c.nodes[1].id = "nodes-2";
    c.switches = {{"leaf", "Leaf", SwitchTier::Leaf, 64, 1}, {"leaf-2", "Leaf 2", SwitchTier::Leaf, 40, 1},
        {"spine", "Spine", SwitchTier::Spine, 64, 1}};
    c.connections = {{"nodes", "leaf", hdr(), 60}, {"leaf", "spine", hdr(), 4}};
    const Cluster before = c;
    QCOMPARE(moveEnd(c, 0, false, "spine").refusal, LinkRefusal::NotLeaf);
    QCOMPARE(moveEnd(c, 0, true, "leaf-2").refusal, LinkRefusal::SameTier);
    QCOMPARE(moveEnd(c, 1, true, "spine").refusal, LinkRefusal::SameElement);
    QVERIFY(c == before);
    // Its own cables are no hindrance; as many stay as the new end has ports for, not as many as there could be.
    QVERIFY(moveEnd(c, 0, false, "leaf").possible());
    QVERIFY(c == before);
    QVERIFY(moveEnd(c, 0, false, "leaf-2").possible());
    QVERIFY((c.connections[0] == Connection{"nodes", "leaf-2", hdr(), 40}));
    // What was the upper end may be the lower one.
    QVERIFY(moveEnd(c, 1, false, "nodes-2").possible());
    QVERIFY((c.connections[1] == Connection{"nodes-2", "leaf", hdr(), 4}));
}

void TestTopologyValues::countsCarryTheirCables()
{
    Cluster c = fatTree();
    QVERIFY(setElementCount(c, "nodes", 64));
    QCOMPARE(c.nodes[0].count, 64);
    QCOMPARE(c.connections[0].cables, 512);
    QCOMPARE(c.connections[1].cables, 1024);
    // Leaf switches keep their uplinks each; what hangs below stays.
    QVERIFY(setElementCount(c, "leaf", 26));
    QCOMPARE(c.connections[0].cables, 512);
    QCOMPARE(c.connections[1].cables, 512);
    QVERIFY(setElementCount(c, "spine", 13));
    QCOMPARE(c.connections[1].cables, 512);
    QVERIFY(setNicsPerNode(c, "nodes", 4));
    QCOMPARE(c.connections[0].cables, 256);
    QVERIFY(!setElementCount(c, "nodes", 64));
    QVERIFY(!setElementCount(c, "nodes", 0));
    QVERIFY(!setElementCount(c, "nobody", 3));
    QVERIFY(setElementCount(c, "nodes", 1));
    QCOMPARE(c.connections[0].cables, 4);
}

void TestTopologyValues::changingTheNicFollowsItsCables()
{
    Cluster c = fatTree();
    Link ndr = hdr();
    ndr.id = "ib-ndr";
    ndr.bandwidth = BytesPerSecond(50e9);
    QVERIFY(setNic(c, "nodes", ndr));
    QCOMPARE(c.connections[0].link, ndr);
    QCOMPARE(c.connections[1].link, hdr());
    QVERIFY(!setNic(c, "nodes", ndr));
    QVERIFY(renameElement(c, "leaf", "Rail"));
    QCOMPARE(elementName(c, "leaf"), std::string("Rail"));
    QVERIFY(!renameElement(c, "leaf", ""));
    QVERIFY(!renameElement(c, "leaf", "Rail"));
}

void TestTopologyValues::removingTakesConnectionsAlong()
{
    CanvasValue v{fatTree(), {{"nodes", {0, 0}}, {"leaf", {0, -200}}, {"spine", {0, -400}}}};
    QVERIFY(removeElements(v, {"leaf"}));
    QCOMPARE(v.cluster.switches.size(), std::size_t{1});
    QVERIFY(v.cluster.connections.empty());
    QVERIFY(!v.positions.contains("leaf"));
    CanvasValue w{fatTree(), {}};
    QVERIFY(removeElements(w, {"nodes -> leaf"}));
    QCOMPARE(w.cluster.connections.size(), std::size_t{1});
    QCOMPARE(w.cluster.nodes.size(), std::size_t{1});
    QVERIFY(!removeElements(w, {"nodes -> leaf", "nothing"}));
}

void TestTopologyValues::duplicatesKeepInnerConnections()
{
    CanvasValue v{fatTree(), {{"nodes", {0, 0}}, {"leaf", {0, -200}}}};
    const CanvasValue part = partOf(v, {"leaf", "nodes"});
    QCOMPARE(part.cluster.switches.size(), std::size_t{1});
    QCOMPARE(part.cluster.connections, std::vector{v.cluster.connections[0]});
    const auto created = insertPart(v, part, {320, 0});
    QCOMPARE(created, (std::vector<std::string>{"nodes-2", "leaf-2"}));
    QCOMPARE(v.cluster.connections.size(), std::size_t{3});
    QCOMPARE(v.cluster.connections[2].from, std::string("nodes-2"));
    QCOMPARE(v.cluster.connections[2].to, std::string("leaf-2"));
    QVERIFY((v.positions.at("nodes-2") == CanvasPosition{320, 0}));
    QCOMPARE(elementName(v.cluster, "nodes-2"), std::string("DGX A100 2"));
    v.cluster.switches[0].name.clear();
    insertPart(v, partOf(v, {"leaf"}), {});
    QCOMPARE(v.cluster.switches.back().name, std::string());
    const CanvasValue before = v;
    QVERIFY(insertPart(v, partOf(v, {"nobody"}), {}).empty());
    QVERIFY(v == before);
}

void TestTopologyValues::alignsWhatIsSelected()
{
    const CanvasValue value{fatTree(), {{"nodes", {0, 480}}, {"leaves", {240, 240}}, {"spines", {960, 0}}}};
    const QStringList all{QStringLiteral("nodes"), QStringLiteral("leaves"), QStringLiteral("spines")};
    const auto row = alignedCards(value, all, Alignment::Row);
    QVERIFY(row);
    QCOMPARE(row->name, QStringLiteral("Align 3 elements"));
    QCOMPARE(row->selectAfter, all);
    for (const auto& [id, at] : row->next.positions) {
        QCOMPARE(at.y, 240.0);
        QCOMPARE(at.x, value.positions.at(id).x);
    }
    QVERIFY(!alignedCards(row->next, all, Alignment::Row));
    QCOMPARE(alignedCards(value, all, Alignment::Column)->next.positions.at("nodes").x, snapped({400, 0}).x);
    const auto spread = alignedCards(value, all, Alignment::EvenlyAcross);
    QVERIFY(spread);
    QCOMPARE(spread->next.positions.at("leaves").x, 480.0);
    QCOMPARE(spread->next.positions.at("leaves").y, 240.0);
    QCOMPARE(spread->next.positions.at("spines").x, 960.0);
    QVERIFY(!alignedCards(value, all, Alignment::EvenlyDown)); // they stand so
    QVERIFY(!alignedCards(value, {all[0]}, Alignment::Row));
    QVERIFY(!alignedCards(value, {all[0], all[1]}, Alignment::EvenlyAcross));
}

void TestTopologyValues::cardsGoIntoLine()
{
    const std::vector<QRectF> others{{0, 0, 160, 128}, {301, 300, 144, 64}};
    // The nearest of its lines: an edge, a centre; each axis by itself.
    const CardSnap edge = snappedCard({4, 500, 100, 100}, others);
    QCOMPARE(edge.centre, QPointF(50, 552));
    QCOMPARE(edge.guides, std::vector<QLineF>{QLineF(0, 0, 0, 602)});
    const CardSnap both = snappedCard({320, 16, 100, 100}, others);
    QCOMPARE(both.centre, QPointF(373, 64));
    QCOMPARE(both.guides, (std::vector<QLineF>{QLineF(373, 14, 373, 364), QLineF(0, 64, 423, 64)}));
    // Out of reach of all lines: the centre on the grid.
    const CardSnap none = snappedCard({190, 200, 20, 20}, others);
    QVERIFY(none.guides.empty());
    QCOMPARE(none.centre, QPointF(200, 208));
}

void TestTopologyValues::totals()
{
    Cluster c = fatTree();
    const ClusterTotals t = clusterTotals(c);
    QCOMPARE(t.nodes, 128);
    QCOMPARE(t.accelerators, 1024);
    QCOMPARE(t.switches, 78);
    QCOMPARE(t.peak.value(), 1024 * 312e12);
    QCOMPARE(t.memory.value(), 1024 * 80 * kGiB);
    QCOMPARE(t.injection.value(), 1024 * 25e9);
    QCOMPARE(t.watts, 1024 * 400.0);
    // An accelerator without BF16 counts with FP16.
    Accelerator v100;
    v100.peak[Precision::Fp16] = FlopsPerSecond(125e12);
    v100.peak[Precision::Fp32] = FlopsPerSecond(15.7e12);
    QCOMPARE(peakRate16(v100).value(), 125e12);
}

// In one piece: a list of clusters with something wrong, and what is found in each.
void TestTopologyValues::reviewFindsWhatIsWrong()
{
    QVERIFY(reviewCluster(fatTree()).empty());
    QCOMPARE(codes({}), (std::set{IssueCode::NoNodes}));
    Cluster bare;
    bare.nodes = {dgx(2)};
    QCOMPARE(codes(bare), (std::set{IssueCode::FabricAssumed}));

    Cluster c = fatTree();
    c.connections.clear();
    QCOMPARE(codes(c), (std::set{IssueCode::NodesUnlinked, IssueCode::SwitchUnlinked}));

    c = fatTree();
    c.connections[0].cables = 512;
    QVERIFY(codes(c).contains(IssueCode::NodesPartly));
    c = fatTree();
    c.connections[0].cables = 100;
    QVERIFY(codes(c).contains(IssueCode::NodesCutOff));
    c = fatTree();
    c.connections[1].cables = 70;
    QVERIFY(codes(c).contains(IssueCode::NoUplink));
    c.connections.pop_back();
    QCOMPARE(codes(c), (std::set{IssueCode::NoUplink, IssueCode::SwitchUnlinked}));
    c = fatTree();
    c.switches[0].count = 26;
    QVERIFY(codes(c).contains(IssueCode::PortsExceeded));
    c = fatTree();
    c.connections[1].cables = 512;
    QVERIFY(codes(c).contains(IssueCode::Oversubscribed));

    c = fatTree();
    c.nodes.push_back(dgx(1));
    c.nodes.back().id = "other";
    c.switches.push_back({"alone", "Alone", SwitchTier::Leaf, 40, 1});
    QVERIFY(connectElements(c, "other", "alone", {}).possible());
    QVERIFY(codes(c).contains(IssueCode::FabricSplit));
    for (const ClusterIssue& issue : reviewCluster(c)) {
        const QString text = describe(c, issue);
        QVERIFY(text.endsWith(QLatin1Char('.')));
        QVERIFY2(!text.contains(QLatin1String("%1")), qPrintable(text));
    }
    // Errors come first.
    const auto issues = reviewCluster(c);
    QVERIFY(std::is_sorted(
        issues.begin(), issues.end(), [](const auto& a, const auto& b) { return a.severity < b.severity; }));
}

void TestTopologyValues::mendingMends()
{
    const auto mendAll = [](Cluster c) {
        for (int round = 0; round < 10; ++round) {
            bool any = false;
            for (const ClusterIssue& issue : reviewCluster(c)) {
                if (const auto next = mended(c, issue)) {
                    if (mendLabel(c, issue).isEmpty())
                        return Cluster{};
                    c = *next;
                    any = true;
                    break;
                }
            }
            if (!any)
                break;
        }
        return c;
    };
    Cluster c = fatTree();
    c.connections.clear();
    QVERIFY(reviewCluster(mendAll(c)).empty());
    c = fatTree();
    c.connections[0].cables = 1000;
    QVERIFY(reviewCluster(mendAll(c)).empty());
    // A connection without a cable has none that could go.
    c.connections[0].cables = 1100;
    c.connections.push_back({c.connections[0].from, c.connections[0].to, c.connections[0].link, 0});
    QVERIFY(reviewCluster(mendAll(c)).empty());
    QCOMPARE(mendAll(c).connections.back().cables, 0);
    c = fatTree();
    c.switches[0].count = 3;
    const Cluster grown = mendAll(c);
    QVERIFY(reviewCluster(grown).empty());
    QCOMPARE(grown.switches[0].count, 52); // 2,048 cables in switches of 40 ports
}

void TestTopologyValues::partsAreJoined()
{
    Cluster c = fatTree();
    c.nodes.push_back(dgx(1));
    c.nodes.back().id = "other";
    c.switches.push_back({"alone", "Alone", SwitchTier::Leaf, 40, 1});
    QVERIFY(connectElements(c, "other", "alone", {}).possible());
    const std::vector<ClusterIssue> issues = reviewCluster(c);
    const auto split = std::ranges::find(issues, IssueCode::FabricSplit, &ClusterIssue::code);
    QVERIFY(split != issues.end());
    QCOMPARE(mendLabel(c, *split), "Link Alone to " + QString::fromStdString(elementName(c, c.switches[1].id)));
    QVERIFY(!codes(mended(c, *split).value()).contains(IssueCode::FabricSplit));
}

void TestTopologyValues::aTorusIsShapedByItsNodes()
{
    Cluster c = fatTree();
    c.nodes[0].torus = Torus{{5, 5, 5}};
    c.nodes[0].scaleUpDomain = 125;
    QCOMPARE(codes(c), (std::set{IssueCode::TorusUnfilled}));
    const ClusterIssue unfilled = reviewCluster(c).front();
    QCOMPARE(describe(c, unfilled), QStringLiteral("128 nodes of DGX A100 do not fill their torus."));
    QCOMPARE(mendLabel(c, unfilled), QStringLiteral("Use a torus of 8×8×16"));
    QVERIFY(reviewCluster(mended(c, unfilled).value()).empty());
    // Of a pod there may be no shape that takes all.
    c.nodes[0].count = 37;
    c.nodes[0].torus = Torus{{16, 20, 28}, TorusWrap::CubesOf4};
    c.nodes[0].scaleUpDomain = 16 * 20 * 28;
    const std::vector<ClusterIssue> issues = reviewCluster(c);
    const ClusterIssue none = *std::ranges::find(issues, IssueCode::TorusUnfilled, &ClusterIssue::code);
    QCOMPARE(describe(c, none), QStringLiteral("37 nodes of DGX A100 do not fill their torus, as 36 would."));
    QCOMPARE(mendLabel(c, none), QStringLiteral("Use 36 nodes"));
    QVERIFY(!codes(mended(c, none).value()).contains(IssueCode::TorusUnfilled));
    c.nodes[0].count = 1;
    c.nodes[0].torus = Torus{{4, 4}};
    c.nodes[0].scaleUpDomain = 16;
    const std::vector<ClusterIssue> left = reviewCluster(c);
    const ClusterIssue half = *std::ranges::find(left, IssueCode::TorusUnfilled, &ClusterIssue::code);
    QCOMPARE(describe(c, half), QStringLiteral("1 node of DGX A100 does not fill its torus."));
    QCOMPARE(mendLabel(c, half), QStringLiteral("Use a torus of 2×4"));
}

void TestTopologyValues::layoutStacksTheTiers()
{
    Cluster c = fatTree();
    c.switches.push_back({"core", "Core", SwitchTier::Core, 40, 2});
    const CanvasPositions p = autoLayout(c);
    QCOMPARE(p.size(), std::size_t{4});
    QVERIFY(p.at("nodes").y > p.at("leaf").y);
    QVERIFY(p.at("leaf").y > p.at("spine").y);
    QVERIFY(p.at("spine").y > p.at("core").y);
    QCOMPARE(p.at("nodes").x, p.at("core").x);
    // A leaf stands over its own nodes, whatever the order of the value.
    Cluster rails;
    for (int i = 0; i < 4; ++i) {
        rails.nodes.push_back(dgx());
        rails.nodes.back().id = "n" + std::to_string(i);
        rails.switches.push_back({"s" + std::to_string(i), "", SwitchTier::Leaf, 40, 1});
    }
    for (int i = 0; i < 4; ++i)
        connectElements(rails, "n" + std::to_string(i), "s" + std::to_string(3 - i), {});
    const CanvasPositions q = autoLayout(rails);
    for (int i = 0; i < 4; ++i)
        QCOMPARE(q.at("n" + std::to_string(i)).x, q.at("s" + std::to_string(3 - i)).x);
}

void TestTopologyValues::layoutHasNoOverlaps_data()
{
    QTest::addColumn<int>("groups");
    for (const int n : {1, 2, 3, 7, 8, 9, 40, 500})
        QTest::addRow("%d", n) << n;
}

void TestTopologyValues::layoutHasNoOverlaps()
{
    QFETCH(int, groups);
    Cluster c;
    for (int i = 0; i < groups; ++i) {
        addNodes(c, dgx());
        addSwitches(c, switchPresets()[static_cast<std::size_t>(i % 3)]);
    }
    const CanvasPositions p = autoLayout(c);
    QCOMPARE(p.size(), static_cast<std::size_t>(2 * groups));
    std::vector<std::pair<CanvasPosition, CanvasSize>> cards;
    for (const auto& [id, at] : p) {
        QVERIFY(at == snapped(at));
        cards.push_back({at, cardSize(elementKind(c, id))});
    }
    for (std::size_t i = 0; i < cards.size(); ++i) {
        for (std::size_t j = i + 1; j < cards.size(); ++j) {
            const bool apart =
                std::abs(cards[i].first.x - cards[j].first.x) >= (cards[i].second.width + cards[j].second.width) / 2
                || std::abs(cards[i].first.y - cards[j].first.y)
                    >= (cards[i].second.height + cards[j].second.height) / 2;
            QVERIFY(apart);
        }
    }
}

void TestTopologyValues::missingPositionsAreFilledIn()
{
    const Cluster c = fatTree();
    QCOMPARE(completed(c, {}), autoLayout(c));
    CanvasPositions some{{"nodes", {800, 640}}, {"gone", {1, 2}}};
    const CanvasPositions all = completed(c, some);
    QCOMPARE(all.size(), std::size_t{3});
    QVERIFY((all.at("nodes") == CanvasPosition{800, 640}));
    QVERIFY(!all.contains("gone"));
    QCOMPARE(completed(c, all), all);
}

void TestTopologyValues::freePlacesAreFree()
{
    Cluster c;
    CanvasPositions p;
    for (int i = 0; i < 30; ++i) {
        const CanvasPosition at = landing({c, p}, ElementKind::Nodes, {3, 5}).place;
        for (const auto& [id, other] : p)
            QVERIFY(std::abs(other.x - at.x) >= kNodeCardWidth || std::abs(other.y - at.y) >= kNodeCardHeight);
        p[addNodes(c, dgx())] = at;
    }
    QVERIFY((p.at("nodes") == CanvasPosition{0, 8}));
}

void TestTopologyValues::acceleratorGridsFit_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("rows");
    QTest::newRow("1") << 1 << 1 << 1;
    QTest::newRow("4") << 4 << 4 << 1;
    QTest::newRow("8") << 8 << 4 << 2;
    QTest::newRow("16") << 16 << 8 << 2;
    QTest::newRow("72") << 72 << 18 << 4;
}

void TestTopologyValues::acceleratorGridsFit()
{
    QFETCH(int, count);
    QFETCH(int, columns);
    QFETCH(int, rows);
    const AcceleratorGrid g = acceleratorGrid(count, 128, 40);
    QCOMPARE(g.columns, columns);
    QCOMPARE(g.rows, rows);
    QVERIFY(g.columns * g.side + (g.columns - 1) * g.gap <= 128 + 1e-9);
    QVERIFY(g.rows * g.side + (g.rows - 1) * g.gap <= 40 + 1e-9);
    for (int n = 1; n < 600; ++n) {
        const AcceleratorGrid each = acceleratorGrid(n, 128, 40);
        QVERIFY(each.columns * each.rows >= n);
        QVERIFY(each.side > 0);
    }
}

void TestTopologyValues::widthGrowsWithBandwidth()
{
    double last = 0;
    for (const double rate : {0.0, 25e9, 200e9, 3.2e12, 25.6e12, 100e12, 1e15}) {
        const double width = connectionWidth(BytesPerSecond(rate));
        QVERIFY(width >= last);
        last = width;
    }
    QVERIFY(connectionWidth(BytesPerSecond(25.6e12)) > 2 * connectionWidth(BytesPerSecond(200e9)));
    QCOMPARE(last, 6.0);
}

void TestTopologyValues::texts()
{
    QCOMPARE(bitRate(BytesPerSecond(25e9)), QStringLiteral("200 Gb/s"));
    QCOMPARE(bitRate(BytesPerSecond(200e9)), QStringLiteral("1.6 Tb/s"));
    const Cluster c = fatTree();
    QCOMPARE(connectionLabel(c.connections[0]), QStringLiteral("1,024 × HDR 200 Gb/s"));
    Link ethernet = hdr();
    ethernet.name = "Ethernet 200";
    QCOMPARE(linkText(ethernet), QStringLiteral("Ethernet 200 Gb/s"));
    ethernet.name = "RoCE 200 Gb/s";
    QCOMPARE(linkText(ethernet), QStringLiteral("RoCE 200 Gb/s"));
    ethernet.name = "RoCE 400 Gbit/s"; // a name of the catalogue, with another bandwidth typed in
    QCOMPARE(linkText(ethernet), QStringLiteral("RoCE 200 Gb/s"));
    QCOMPARE(describeElement(c, "nodes"),
        QStringLiteral(
            "DGX A100, 128 nodes: 8 × A100 SXM 80 GB; NVLink 3, 300 GB/s each way; 8 × InfiniBand HDR 200 Gb/s"));
    QCOMPARE(describeElement(c, "spine"),
        QStringLiteral("Spine switch, 26 switches: Spine tier; 40 ports each, 16 ports free"));
    QCOMPARE(describeConnection(c, c.connections[0]),
        QStringLiteral("DGX A100 – Leaf switch: 1,024 × HDR 200 Gb/s, 25.6 TB/s in all each way"));
    Cluster partly = c;
    partly.connections.clear();
    partly.switches[0].count = 1;
    QCOMPARE(describe(partly, connectionPossible(partly, "nodes", "leaf")),
        QStringLiteral("Link DGX A100 to Leaf switch: 40 of 1,024 cables fit"));
}

QTEST_GUILESS_MAIN(TestTopologyValues)
#include "test_topology_values.moc"
