// SPDX-License-Identifier: GPL-3.0-or-later
// Racks on plain values: their names, what edits make of them, where their cards stand, and their documents.
#include "core/catalog/catalog_json.h"
#include "core/exchange/cluster_part.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/topology/cluster_racks.h"
#include "widgets/topology/rack_edits.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/topology_text.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
namespace exchange = stratoplan::exchange;

namespace {

/// The pods of railFabric() as racks: eight nodes and four rail switches each; the spines are in none.
Cluster rackedFabric()
{
    Cluster c = railFabric();
    for (std::size_t i = 0; i < c.nodes.size(); ++i)
        c.nodes[i].rack = i < 8 ? "Rack 1" : "Rack 2";
    for (std::size_t i = 0; i < 8; ++i)
        c.switches[i].rack = i < 4 ? "Rack 1" : "Rack 2";
    return c;
}

CanvasValue arranged(const Cluster& cluster)
{
    return {cluster, autoLayout(cluster)};
}

QStringList keysOf(const std::vector<std::string>& ids)
{
    QStringList keys;
    for (const std::string& id : ids)
        keys << fromText(id);
    return keys;
}

std::vector<std::string> rackNames(const Cluster& cluster)
{
    std::vector<std::string> names;
    for (const Rack& rack : racksOf(cluster))
        names.push_back(rack.name);
    return names;
}

using Names = std::vector<std::string>;

} // namespace

class TestRacks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void elementsOfOneNameAreOneRack();
    void namesContinueTheirSeries_data();
    void namesContinueTheirSeries();
    void groupsAndUngroups();
    void renamesJoinsAndDissolves();
    void copiesOfAWholeRackAreAnother();
    void copiesOfSomeOfARackJoinIt();
    void cutElementsComeBack();
    void partsOfOtherClustersKeepToThemselves();
    void framesHoldNoStrangers_data();
    void framesHoldNoStrangers();
    void whatIsDroppedIntoAFrameJoinsTheRack();
    void newRacks();
    void documentsKeepRacks();
};

void TestRacks::elementsOfOneNameAreOneRack()
{
    const Cluster c = rackedFabric();
    const std::vector<Rack> racks = racksOf(c);
    QCOMPARE(racks.size(), std::size_t{2});
    QCOMPARE(racks[1].name, std::string("Rack 2"));
    QCOMPARE(racks[1].elements.size(), std::size_t{12});
    QCOMPARE(racks[1].elements.front(), std::string("n8"));
    QCOMPARE(racks[1].elements.back(), std::string("rail7"));
    QCOMPARE(rackOf(c, "rail0"), std::string("Rack 1"));
    QVERIFY(rackOf(c, "spine0").empty() && rackOf(c, "nobody").empty());
    std::vector<std::string> all = racks[0].elements;
    std::ranges::reverse(all);
    QCOMPARE(wholeRack(c, all), std::string("Rack 1"));
    all.pop_back();
    QVERIFY(wholeRack(c, all).empty());
    QVERIFY(wholeRack(c, {"spine0", "spine1"}).empty()); // no rack is not one
    QVERIFY(describeElement(c, "n3").endsWith(QStringLiteral("; in Rack 1")));
    QVERIFY(!describeElement(c, "spine0").contains(QStringLiteral("; in")));
}

void TestRacks::namesContinueTheirSeries_data()
{
    QTest::addColumn<QStringList>("there");
    QTest::addColumn<QString>("pasted");
    QTest::newRow("number") << QStringList{QStringLiteral("Rack 1")} << QStringLiteral("Rack 2");
    QTest::newRow("next") << QStringList{QStringLiteral("Rack 5")} << QStringLiteral("Rack 6");
    QTest::newRow("gap") << QStringList{QStringLiteral("Rack 1"), QStringLiteral("Rack 2"), QStringLiteral("Rack 4")}
                         << QStringLiteral("Rack 3");
    QTest::newRow("none") << QStringList{QStringLiteral("Pod A")} << QStringLiteral("Pod A 2");
    QTest::newRow("zeros") << QStringList{QStringLiteral("R09")} << QStringLiteral("R10");
    QTest::newRow("all digits") << QStringList{QStringLiteral("7")} << QStringLiteral("8");
    QTest::newRow("serial number") << QStringList{QStringLiteral("20260731")} << QStringLiteral("20260731 2");
}

void TestRacks::namesContinueTheirSeries()
{
    QFETCH(QStringList, there);
    QFETCH(QString, pasted);
    Cluster c = railFabric();
    for (int i = 0; i < there.size(); ++i)
        c.nodes[static_cast<std::size_t>(i)].rack = there[i].toStdString();
    const auto names = pastedRacks(c, partOf({c, {}}, {"n0"}).cluster);
    QCOMPARE(fromText(names.at(there[0].toStdString())), pasted);
}

void TestRacks::groupsAndUngroups()
{
    const CanvasValue v = arranged(railFabric());
    const QStringList some{QStringLiteral("n0"), QStringLiteral("rail0"), QStringLiteral("n0 -> rail0")};
    const auto grouped = groupedIntoRack(v, some);
    QVERIFY(grouped.has_value());
    QCOMPARE(grouped->name, QStringLiteral("Group into Rack 1"));
    QCOMPARE(racksOf(grouped->next.cluster).front().elements, (Names{"n0", "rail0"}));
    QCOMPARE(grouped->next.positions, v.positions);
    QVERIFY(!groupedIntoRack(grouped->next, some)); // they are one
    QVERIFY(!groupedIntoRack(v, {QStringLiteral("n0 -> rail0")}) && !groupedIntoRack(v, {}));
    // Others are the next, and what takes up the whole of a rack has its name.
    QCOMPARE(groupedIntoRack(grouped->next, {QStringLiteral("n1")})->name, QStringLiteral("Group into Rack 2"));
    const auto larger = groupedIntoRack(grouped->next, some + QStringList{QStringLiteral("n1")});
    QCOMPARE(rackNames(larger->next.cluster), Names{"Rack 1"});
    // Some of one go into another.
    const auto divided = groupedIntoRack(larger->next, {QStringLiteral("n1"), QStringLiteral("n2")});
    QCOMPARE(rackNames(divided->next.cluster), (Names{"Rack 1", "Rack 2"}));

    const auto without = ungrouped(larger->next, {QStringLiteral("n1")});
    QCOMPARE(without->name, QStringLiteral("Ungroup Node 1"));
    QCOMPARE(racksOf(without->next.cluster).front().elements, (Names{"n0", "rail0"}));
    const auto dissolved = ungrouped(without->next, some);
    QCOMPARE(dissolved->name, QStringLiteral("Ungroup Rack 1"));
    QCOMPARE(dissolved->next, v);
    QVERIFY(!ungrouped(v, some));
}

void TestRacks::renamesJoinsAndDissolves()
{
    const CanvasValue v = arranged(rackedFabric());
    const auto rename = [&v](const char* to) {
        return renamedRack(v, QStringLiteral("Rack 1"), QString::fromLatin1(to));
    };
    QCOMPARE(rename("Pod A")->name, QStringLiteral("Rename to Pod A"));
    QCOMPARE(rackNames(rename("Pod A")->next.cluster), (Names{"Pod A", "Rack 2"}));
    QCOMPARE(rename("Rack 2")->name, QStringLiteral("Join Rack 1 and Rack 2"));
    QCOMPARE(racksOf(rename("Rack 2")->next.cluster).front().elements.size(), std::size_t{24});
    QCOMPARE(rename("")->name, QStringLiteral("Ungroup Rack 1"));
    QCOMPARE(rackNames(rename("")->next.cluster), Names{"Rack 2"});
    QVERIFY(!rename("Rack 1"));
    QVERIFY(!renamedRack(v, QStringLiteral("Rack 3"), QStringLiteral("Pod A")));
}

void TestRacks::copiesOfAWholeRackAreAnother()
{
    const CanvasValue v = arranged(rackedFabric());
    const QStringList keys = keysOf(racksOf(v.cluster)[0].elements);
    const auto copied = duplicatedElements(v, keys);
    QCOMPARE(copied->name, QStringLiteral("Duplicate Rack 1"));
    QCOMPARE(rackNames(copied->next.cluster), (Names{"Rack 1", "Rack 2", "Rack 3"}));
    QCOMPARE(keysOf(racksOf(copied->next.cluster)[2].elements), copied->selectAfter);
    // Beside all that stands there, with its frame.
    const std::vector<PlacedRack> placed = placedRacks(copied->next);
    for (std::size_t i = 0; i < placed.size(); ++i)
        for (std::size_t j = i + 1; j < placed.size(); ++j)
            QVERIFY(!placed[i].frame.intersects(placed[j].frame));
    // Both at once keep apart.
    const CanvasValue both = copiedPart(v, keysOf(elementIds(v.cluster)));
    QCOMPARE(rackNames(pastedPart(v, both)->next.cluster), (Names{"Rack 1", "Rack 2", "Rack 3", "Rack 4"}));
    QCOMPARE(rackNames(pastedPart({}, both)->next.cluster), (Names{"Rack 1", "Rack 2"}));
}

void TestRacks::copiesOfSomeOfARackJoinIt()
{
    const CanvasValue v = arranged(rackedFabric());
    const auto one = duplicatedElements(v, {QStringLiteral("n0")});
    QCOMPARE(rackOf(one->next.cluster, one->selectAfter[0].toStdString()), std::string("Rack 1"));
    const auto two = duplicatedElements(v, {QStringLiteral("n0"), QStringLiteral("rail0")});
    QCOMPARE(two->name, QStringLiteral("Duplicate 2 elements"));
    QCOMPARE(racksOf(two->next.cluster)[0].elements.size(), std::size_t{14});
    QCOMPARE(racksOf(two->next.cluster).size(), std::size_t{2});
    // The only element of a rack is all of it.
    Cluster c = railFabric();
    c.nodes[0].rack = "Rack 1";
    QCOMPARE(
        rackNames(duplicatedElements(arranged(c), {QStringLiteral("n0")})->next.cluster), (Names{"Rack 1", "Rack 2"}));
}

void TestRacks::cutElementsComeBack()
{
    const CanvasValue v = arranged(rackedFabric());
    const CanvasValue part = copiedPart(v, {QStringLiteral("n3")});
    const CanvasValue without = cutElements(v, {QStringLiteral("n3")})->next;
    const CanvasValue back = pastedPart(without, part)->next;
    QCOMPARE(rackOf(back.cluster, "n3"), std::string("Rack 1"));
    QCOMPARE(back.positions, v.positions);
}

void TestRacks::partsOfOtherClustersKeepToThemselves()
{
    const CanvasValue v = arranged(rackedFabric());
    Cluster other = smallCluster();
    for (auto& nodes : other.nodes)
        nodes.rack = "Rack 1";
    for (auto& switches : other.switches)
        switches.rack = "Rack 1";
    const CanvasValue next = pastedPart(v, arranged(other))->next;
    QCOMPARE(rackNames(next.cluster), (Names{"Rack 1", "Rack 2", "Rack 3"}));
    QCOMPARE(racksOf(next.cluster)[0].elements.size(), std::size_t{12});
}

void TestRacks::framesHoldNoStrangers_data()
{
    QTest::addColumn<int>("racks");
    QTest::addColumn<int>("nodes"); // of each
    QTest::addColumn<int>("loose"); // nodes in none
    QTest::addColumn<bool>("hasLeaves"); // in the racks
    for (const bool hasLeaves : {true, false}) {
        for (const int racks : {1, 2, 5, 60})
            QTest::addRow("%d racks %s leaves", racks, hasLeaves ? "with" : "without") << racks << 6 << 3 << hasLeaves;
        QTest::addRow("large racks %s leaves", hasLeaves ? "with" : "without") << 3 << 40 << 0 << hasLeaves;
    }
}

void TestRacks::framesHoldNoStrangers()
{
    QFETCH(int, racks);
    QFETCH(int, nodes);
    QFETCH(int, loose);
    QFETCH(bool, hasLeaves);
    Cluster c;
    const std::string spine = addSwitches(c, switchPresets()[1]);
    for (int i = 0; i < racks * nodes + loose; ++i) { // racks interleaved, as no order of the value should matter
        const std::string id = addNodes(c, shippedCatalog().node("dgx-h100")->node);
        if (i >= loose)
            setRack(c, {id}, "Rack " + std::to_string(i % racks));
    }
    for (int i = 0; i < racks + 2; ++i) {
        const std::string id = addSwitches(c, switchPresets()[0]);
        if (i < racks && hasLeaves)
            setRack(c, {id}, "Rack " + std::to_string(i));
        connectElements(c, id, spine, {});
    }
    const CanvasValue v = arranged(c);
    QCOMPARE(v.positions.size(), elementIds(c).size());
    const std::vector<PlacedRack> placed = placedRacks(v);
    QCOMPARE(placed.size(), static_cast<std::size_t>(racks));
    for (const PlacedRack& rack : placed) {
        for (const PlacedRack& other : placed)
            QVERIFY(rack.name == other.name || !rack.frame.intersects(other.frame));
        for (const auto& [id, at] : v.positions) {
            const QRectF card = cardRect(elementKind(c, id), at);
            const bool isOwn = rackOf(c, id) == rack.name;
            QVERIFY2(isOwn ? rack.frame.contains(card) : !rack.frame.intersects(card), id.c_str());
        }
    }
    QVERIFY(v.positions.at(spine).y < placed[0].frame.top());
}

void TestRacks::whatIsDroppedIntoAFrameJoinsTheRack()
{
    const CanvasValue v = arranged(rackedFabric());
    const QPointF middle = placedRacks(v)[1].frame.center();
    const auto into = placedPreset(shippedCatalog(), v, QStringLiteral("node:dgx-h100"), {middle.x(), middle.y()});
    QCOMPARE(into->name, QStringLiteral("Add DGX H100 to Rack 2"));
    QCOMPARE(rackOf(into->next.cluster, into->selectAfter[0].toStdString()), std::string("Rack 2"));
    const QPointF beside = placedRacks(v)[1].frame.topRight() + QPointF(20, 40);
    const auto out = placedPreset(shippedCatalog(), v, QStringLiteral("switch:leaf"), {beside.x(), beside.y()});
    QCOMPARE(out->name, QStringLiteral("Add Leaf switch"));
    QVERIFY(rackOf(out->next.cluster, "leaf").empty());
    const QRectF card = cardRect(ElementKind::Switches, out->next.positions.at("leaf"));
    for (const PlacedRack& rack : placedRacks(out->next))
        QVERIFY(!rack.frame.intersects(card));
}

void TestRacks::newRacks()
{
    const QString key = QStringLiteral("rack:");
    const auto first = placedPreset(shippedCatalog(), {}, key, {100, 60});
    QCOMPARE(first->name, QStringLiteral("Add Rack 1"));
    const Cluster& c = first->next.cluster;
    QCOMPARE(c.nodes.size(), std::size_t{1});
    QCOMPARE(c.nodes[0].accelerator.id, shippedCatalog().node("dgx-h100")->node.accelerator.id);
    QCOMPARE(c.nodes[0].count, 4);
    QCOMPARE(c.connections.size(), std::size_t{1});
    QCOMPARE(c.connections[0].cables, 32);
    QCOMPARE(freePorts(c, "leaf"), 32LL); // as many up as down
    QCOMPARE(racksOf(c).front().elements, (Names{"nodes", "leaf"}));
    QVERIFY(std::abs(placedRacks(first->next)[0].frame.center().x() - 100) <= kCanvasGrid);
    // The next is of the nodes that are there, beside the first, wherever it is dropped.
    CanvasValue edited = first->next;
    edited.cluster.nodes[0].acceleratorsPerNode = 4;
    const auto second = placedPreset(shippedCatalog(), edited, key, {100, 60});
    QCOMPARE(second->name, QStringLiteral("Add Rack 2"));
    QCOMPARE(second->next.cluster.nodes[1].acceleratorsPerNode, 4);
    QCOMPARE(racksOf(second->next.cluster)[1].elements, (Names{"nodes-2", "leaf-2"}));
    const std::vector<PlacedRack> placed = placedRacks(second->next);
    QVERIFY(!placed[0].frame.intersects(placed[1].frame));
    // Nodes without NICs have nothing to link.
    edited.cluster.nodes[0].nicsPerNode = 0;
    QCOMPARE(newRack(shippedCatalog(), edited.cluster).cluster.switches.size(), std::size_t{0});
}

void TestRacks::documentsKeepRacks()
{
    Cluster c = smallCluster(); // as the catalogue has them
    c.nodes[0].rack = "Rack 1";
    c.nodes.push_back(c.nodes[0]); // spelled out
    c.nodes[1].id = "edited";
    c.nodes[1].nicsPerNode = 3;
    c.nodes[1].rack = "Ründe 2";
    c.switches[0].rack = "Rack 1";
    const nlohmann::ordered_json written = toJson(c, shippedCatalog());
    QVERIFY(written.at("nodes").at(0).contains("preset") && !written.at("nodes").at(1).contains("preset"));
    const auto read = parseCluster(nlohmann::json(written), "", shippedCatalog());
    QVERIFY(read.has_value());
    QCOMPARE(*read, c);
    const auto part = exchange::parseClusterPart(exchange::writeClusterPart({c, autoLayout(c)}), shippedCatalog());
    QVERIFY(part.has_value());
    QCOMPARE(part->cluster.nodes, c.nodes);
    QCOMPARE(part->cluster.switches, c.switches);
}

QTEST_APPLESS_MAIN(TestRacks)
#include "test_racks.moc"
