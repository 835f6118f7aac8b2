// SPDX-License-Identifier: GPL-3.0-or-later
// Inspector and palette beside the canvas, driven by real events.
#include "tests/finding.h"
#include "tests/patience.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/canvas_page.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/text_field.h"
#include "widgets/panels/torus_field.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/issue_list.h"
#include "widgets/topology/mixed_page.h"
#include "widgets/topology/palette_model.h"
#include "widgets/topology/topology_text.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;

namespace {

void typeInto(QLineEdit* field, const QString& text, Qt::Key last)
{
    field->setFocus(Qt::OtherFocusReason);
    field->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, last);
}

} // namespace

class TestClusterInspector : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void inspectorEditsTheCount();
    void inspectorReadsBandwidths();
    void inspectorStatesTheHost();
    void inspectorJoinsDomains();
    void inspectorShapesTheDomain();
    void inspectorClosesAxesOfATorus();
    void inspectorEditsSwitchesAndLinks();
    void inspectorEditsManyAtOnce();
    void inspectorShowsTotals();
    void issuesCanBeMended();
    void linksOfTooManyCables();
    void enterNamesTheElement();
    void doneWithAFieldTheCanvasHasTheKeyboard();
    void doneWithTheirRackTheCanvasHasTheKeyboard();
    void theClusterIsRenamed();
    void paletteFilters();
    void allFieldsHaveNames();
};

void TestClusterInspector::initTestCase()
{
    applyTheme(*qApp, ThemeKind::Light);
    stratoplan::test::collectQtMessages();
}

void TestClusterInspector::cleanup()
{
    QVERIFY2(
        stratoplan::test::qtMessages().isEmpty(), qPrintable(stratoplan::test::qtMessages().join(QLatin1Char('\n'))));
}

void TestClusterInspector::inspectorEditsTheCount()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    auto* count = host.field<CountField>(QStringLiteral("Nodes"));
    QVERIFY(count);
    QCOMPARE(count->value(), 128);
    type(count, QStringLiteral("16"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Make it 16 nodes")});
    QCOMPARE(host.value.cluster.nodes[0].count, 16);
    QCOMPARE(host.value.cluster.connections[0].cables, 128);
    QCOMPARE(host.scene().element("nodes")->content().count, 16);
    QCOMPARE(host.view().selection(), QStringList{QStringLiteral("nodes")});
    // Leaving the field again says nothing new.
    host.view().setFocus();
    QCOMPARE(host.texts.size(), 1);
    QTest::keyClick(count, Qt::Key_Up);
    QCOMPARE(host.texts.size(), 2);
    QCOMPARE(host.value.cluster.nodes[0].count, 17);
}

void TestClusterInspector::inspectorStatesTheHost()
{
    Host host(fatTree());
    host.value.cluster.nodes[0].hostMemory = {};
    host.select(QStringLiteral("nodes"));
    auto* memory = host.field<UnitField>(QStringLiteral("Host memory"));
    auto* bandwidth = host.field<UnitField>(QStringLiteral("Host bandwidth"));
    auto* link = host.field<UnitField>(QStringLiteral("Host link"));
    QVERIFY(memory && bandwidth && link);
    type(memory, QStringLiteral("1.5 TiB"));
    QCOMPARE(host.texts.last(), QStringLiteral("Make it 1.5 TiB of host memory"));
    QCOMPARE(host.value.cluster.nodes[0].hostMemory.value(), 1536.0 * 1024 * 1024 * 1024);
    type(bandwidth, QStringLiteral("400 GB/s"));
    QCOMPARE(host.value.cluster.nodes[0].hostMemoryBandwidth.value(), 400e9);
    type(link, QStringLiteral("2 * 25"));
    QCOMPARE(host.value.cluster.nodes[0].hostLink.value(), 50e9);
    QCOMPARE(host.texts.size(), 3);
    type(link, QStringLiteral("0"));
    QCOMPARE(host.value.cluster.nodes[0].hostLink.value(), 0.0);
    QCOMPARE(link->text(), QStringLiteral("not stated"));
}

void TestClusterInspector::inspectorJoinsDomains()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    auto* link = host.field<LinkField>(QStringLiteral("In-node link"));
    QVERIFY(link);
    QCOMPARE(link->picker().text(), QStringLiteral("Over the network"));
    QVERIFY(link->rate().isHidden());
    const auto choose = [link](const QString& typed) {
        link->picker().openList();
        auto* filter = link->picker().openedList()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, typed);
        QTest::keyClick(filter, Qt::Key_Return);
        return QTest::qWaitFor([link] { return !link->picker().openedList(); });
    };
    QVERIFY(choose(QStringLiteral("PCIe 4.0 x16")));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Join the domains of a node over PCIe 4.0 x16")});
    const auto& joined = host.value.cluster.nodes[0].inNode;
    QVERIFY(joined && *joined == *shippedCatalog().link(joined->id));
    QVERIFY(!link->rate().isHidden());
    type(&link->rate(), QStringLiteral("20 GB/s"));
    QCOMPARE(joined->bandwidth.value(), 20e9);
    QCOMPARE(link->picker().text(), QStringLiteral("PCIe 4.0 x16 *"));
    QVERIFY(choose(QStringLiteral("over the network")));
    QCOMPARE(host.texts.last(), QStringLiteral("Join the domains of a node over the network"));
    QVERIFY(!joined);
    QVERIFY(link->rate().isHidden());
    QCOMPARE(host.texts.size(), 3);
    // Groups that are joined and groups that are not differ.
    Cluster c = host.value.cluster;
    addNodes(c, c.nodes[0]);
    c.nodes[1].inNode = c.nodes[1].scaleUp;
    host.setCluster(c, {});
    host.view().setSelection({QStringLiteral("nodes"), QString::fromStdString(c.nodes[1].id)});
    const auto labels = host.inspector().currentPage()->findChildren<FieldLabel*>();
    QVERIFY(std::ranges::any_of(
        labels, [](const FieldLabel* each) { return each->text() == QStringLiteral("In-node link (differ)"); }));
    QVERIFY(std::ranges::any_of(
        labels, [](const FieldLabel* each) { return each->text() == QStringLiteral("Scale-up link"); }));
}

void TestClusterInspector::inspectorShapesTheDomain()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    auto* torus = host.field<TorusField>(QStringLiteral("Torus"));
    auto* domain = host.field<CountField>(QStringLiteral("Domain"));
    QVERIFY(torus && domain);
    QCOMPARE(torus->text(), QString());
    type(torus, QStringLiteral("4 x 4X4"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Make it a torus of 4×4×4")});
    QVERIFY((host.value.cluster.nodes[0].torus == Torus{{4, 4, 4}}));
    QCOMPARE(host.value.cluster.nodes[0].scaleUpDomain, 64);
    QCOMPARE(domain->value(), 64);
    QCOMPARE(torus->text(), QStringLiteral("4×4×4"));
    QCOMPARE(host.scene().element("nodes")->content().captions[1], QStringLiteral("NVLink 3 · torus 4×4×4"));
    type(domain, QStringLiteral("32"));
    QCOMPARE(torus->text(), QStringLiteral("2×4×4"));
    QTest::keyClick(torus, Qt::Key_Up);
    QCOMPARE(host.value.cluster.nodes[0].torus->axes, (std::vector{4, 4, 4}));
    QTest::keyClick(torus, Qt::Key_Down);
    QCOMPARE(host.value.cluster.nodes[0].torus->axes, (std::vector{2, 4, 4}));
    for (const auto& [wrong, why] : {std::pair("4x", "Try 4x4x4"), {"many", "Try 4x4x4"}, {"0x4", "from 1 to 1,024"},
             {"4x2048", "from 1 to 1,024"}, {"2x2x2x2x2", "up to 4 axes"}, {"1024x1024", "1,048,576 accelerators"}}) {
        type(torus, QString::fromLatin1(wrong));
        QVERIFY2(torus->error().contains(QLatin1String(why)), qPrintable(torus->error()));
    }
    QCOMPARE(host.texts.size(), 4);
    torus->selectAll();
    QTest::keyClick(torus, Qt::Key_Delete);
    QTest::keyClick(torus, Qt::Key_Return);
    QCOMPARE(host.texts.last(), QStringLiteral("Make it a switched domain"));
    QVERIFY(!host.value.cluster.nodes[0].torus);
    QCOMPARE(host.value.cluster.nodes[0].scaleUpDomain, 32);
}

void TestClusterInspector::inspectorReadsBandwidths()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    auto* rate = host.field<UnitField>(QStringLiteral("Network port: bandwidth"));
    QVERIFY(rate);
    type(rate, QStringLiteral("400 Gb/s"));
    QCOMPARE(host.texts.size(), 1);
    QCOMPARE(host.value.cluster.nodes[0].nic.bandwidth.value(), 50e9);
    QCOMPARE(host.value.cluster.connections[0].link.bandwidth.value(), 50e9);
    type(rate, QStringLiteral("fast"));
    QVERIFY(!rate->error().isEmpty());
    QCOMPARE(host.texts.size(), 1);
    type(rate, QStringLiteral("25 GB/s"));
    QCOMPARE(host.value.cluster.nodes[0].nic.bandwidth.value(), 25e9);
    auto* name = host.field<QLineEdit>(QStringLiteral("Name"));
    QVERIFY(name);
    type(name, QStringLiteral("Pod A"));
    QCOMPARE(host.value.cluster.nodes[0].name, std::string("Pod A"));
    type(name, QString());
    QCOMPARE(host.value.cluster.nodes[0].name, std::string("Pod A"));
    QCOMPARE(name->text(), QStringLiteral("Pod A"));
    name->setFocus();
    QTest::keyClicks(name, QStringLiteral("no"));
    QTest::keyClick(name, Qt::Key_Escape);
    QCOMPARE(name->text(), QStringLiteral("Pod A"));
    QCOMPARE(host.texts.size(), 3);
}

void TestClusterInspector::inspectorClosesAxesOfATorus()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    auto* wrap = host.field<ChoiceField>(QStringLiteral("Wrap-around"));
    QVERIFY(wrap && !wrap->isVisibleTo(&host.inspector())); // switched: nothing to close
    type(host.field<TorusField>(QStringLiteral("Torus")), QStringLiteral("4x4x4"));
    QVERIFY(wrap->isVisibleTo(&host.inspector()));
    QCOMPARE(wrap->currentText(), QStringLiteral("Every axis"));
    wrap->setFocus();
    QTest::keyClick(wrap, Qt::Key_End);
    QCOMPARE(host.value.cluster.nodes[0].torus->wrap, TorusWrap::None);
    QCOMPARE(host.texts.last(), QStringLiteral("Close no axis"));
    type(host.field<TorusField>(QStringLiteral("Torus")), QStringLiteral("8x8"));
    QCOMPARE(host.value.cluster.nodes[0].torus->wrap, TorusWrap::None);
}

void TestClusterInspector::inspectorEditsSwitchesAndLinks()
{
    Host host(fatTree());
    host.select(QStringLiteral("leaves"));
    type(host.field<CountField>(QStringLiteral("Ports each")), QStringLiteral("64"));
    QCOMPARE(host.value.cluster.switches[0].ports, 64);
    type(host.field<CountField>(QStringLiteral("Switches")), QStringLiteral("32"));
    QCOMPARE(host.value.cluster.switches[0].count, 32);
    QCOMPARE(host.value.cluster.connections[1].cables, 512);
    type(host.field<CountField>(QStringLiteral("Blocks")), QStringLiteral("4"));
    QCOMPARE(host.value.cluster.switches[0].blocks, 4);
    host.field<ToggleSwitch>(QStringLiteral("In-network reduction"))->click();
    QVERIFY(host.value.cluster.switches[0].reduces);
    QCOMPARE(host.texts.last(), QStringLiteral("Reduce in the switches"));
    host.select(QStringLiteral("nodes -> leaves"));
    type(host.field<CountField>(QStringLiteral("Cables")), QStringLiteral("512"));
    QCOMPARE(host.value.cluster.connections[0].cables, 512);
    QCOMPARE(host.texts.size(), 5);
    QCOMPARE(host.scene().label("nodes -> leaves")->text(), QStringLiteral("512 × HDR 200 Gb/s"));
}

void TestClusterInspector::inspectorEditsManyAtOnce()
{
    Cluster c = fatTree();
    addNodes(c, shippedCatalog().node("dgx-h100")->node);
    const std::string second = c.nodes[1].id;
    Host host(c);
    host.view().setSelection({QStringLiteral("nodes"), QString::fromStdString(second)});
    type(host.field<CountField>(QStringLiteral("Nodes")), QStringLiteral("12"));
    QCOMPARE(host.texts.size(), 1);
    QCOMPARE(host.value.cluster.nodes[0].count, 12);
    QCOMPARE(host.value.cluster.nodes[1].count, 12);
    // Unlike kinds have no common page.
    host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("leaves")});
    QVERIFY(!host.inspector().currentPage());
}

void TestClusterInspector::inspectorShowsTotals()
{
    Host host(fatTree());
    const auto shown = [&host] {
        QStringList texts;
        for (const QLabel* label : host.inspector().currentPage()->findChildren<QLabel*>())
            texts << label->text();
        for (const InfoRow* row : host.inspector().currentPage()->findChildren<InfoRow*>())
            texts << row->value();
        return texts;
    };
    QVERIFY(shown().contains(QStringLiteral("1,024")));
    QVERIFY(shown().contains(QStringLiteral("319 PFLOP/s")));
    QVERIFY(shown().contains(QStringLiteral("non-blocking")));
    QVERIFY(host.inspector().findChild<IssueList*>()->sentences().isEmpty());
    Cluster spare = smallCluster();
    const auto link = [&](const std::string& from, const std::string& to, int cables) {
        spare.connections.push_back({from, to, spare.nodes.front().nic, cables});
    };
    const int cables = spare.nodes.front().count * spare.nodes.front().nicsPerNode;
    link("nodes", spare.switches[0].id, cables);
    link(spare.switches[0].id, spare.switches[1].id, cables);
    NodeGroup more = spare.nodes.front();
    more.id = "spare";
    more.name = "Spare nodes";
    more.count = 4;
    spare.nodes.push_back(more);
    spare.switches.push_back({"spare leaf", "Spare leaf", SwitchTier::Leaf, 40, 1});
    link("spare", "spare leaf", 4 * more.nicsPerNode);
    link("spare leaf", spare.switches[1].id, 1);
    host.setCluster(spare, {});
    QVERIFY2(shown().contains(QStringLiteral("32:1 for Spare nodes")), qPrintable(shown().join(u'\n')));
    QCOMPARE(host.inspector().findChild<IssueList*>()->sentences().last(),
        QStringLiteral("Leaf uplinks are oversubscribed 32:1 for Spare nodes."));
    host.setCluster({}, {});
    QVERIFY(shown().contains(QStringLiteral("Nothing on the canvas yet")));
}

void TestClusterInspector::issuesCanBeMended()
{
    Cluster c = fatTree();
    c.connections.erase(c.connections.begin());
    Host host(c);
    IssueList& issues = *host.inspector().findChild<IssueList*>();
    QVERIFY(
        issues.sentences().contains(QStringLiteral("DGX A100 80 GB has no link: 1,024 network ports end nowhere.")));
    QCOMPARE(host.scene().element("nodes")->content().issue, std::optional(Severity::Error));
    host.view().setZoom(0.2);
    press(issues, QStringLiteral("Zoom to it"));
    QCOMPARE(host.view().zoom(), 1.0);
    QVERIFY(host.canvas()->rect().contains(host.at("nodes")));
    host.view().setSelection({});
    QTRY_VERIFY(button(issues, QStringLiteral("Link to Leaf")));
    press(issues, QStringLiteral("Link to Leaf"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Link to Leaf")});
    QVERIFY(!host.scene().element("nodes")->content().issue);
    QVERIFY(issues.sentences().isEmpty());

    c = fatTree();
    --c.connections[0].cables;
    host.setCluster(c, {});
    host.select(QString::fromStdString(connectionKeys(c)[0])); // of its ends
    QCOMPARE(
        issues.sentences(), QStringList{QStringLiteral("DGX A100 80 GB has 1,023 of 1,024 network ports linked.")});
    host.select(QString::fromStdString(connectionKeys(c)[1]));
    QVERIFY(issues.sentences().isEmpty());
}

/// More cables than ports at an end are taken, told of at once, and mended in one step: of nodes by fewer cables.
void TestClusterInspector::linksOfTooManyCables()
{
    const Cluster c = fatTree();
    Host host(c);
    IssueList& issues = *host.inspector().findChild<IssueList*>();
    host.select(QString::fromStdString(connectionKeys(c)[0]));
    auto* cables = host.field<CountField>(QStringLiteral("Cables"));
    QVERIFY(cables && cables->value() == 1024);
    type(cables, QStringLiteral("1500"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Make it 1,500 cables")});
    QVERIFY(issues.sentences().contains(QStringLiteral("DGX A100 80 GB has 1,024 ports for 1,500 cables.")));
    QVERIFY(host.scene().element("nodes")->content().issue);
    QTRY_VERIFY(button(issues, QStringLiteral("Use 1,024 cables")));
    press(issues, QStringLiteral("Use 1,024 cables"));
    QCOMPARE(host.value.cluster, c);
    QVERIFY(issues.sentences().isEmpty());
    QCOMPARE(host.texts.size(), 2);
    // Of switches by more of them.
    host.select(QString::fromStdString(connectionKeys(c)[1]));
    type(host.field<CountField>(QStringLiteral("Cables")), QStringLiteral("4000"));
    const auto grows = [](const QAbstractButton* each) {
        return each->text().startsWith(QStringLiteral("Use ")) && each->text().endsWith(QStringLiteral(" switches"));
    };
    QVERIFY(std::ranges::any_of(issues.findChildren<QAbstractButton*>(), grows));
    // What cannot be any count is refused where it is typed.
    cables = host.field<CountField>(QStringLiteral("Cables"));
    cables->setFocus(Qt::OtherFocusReason);
    cables->setText(QStringLiteral("0"));
    QVERIFY(!cables->commit());
    QVERIFY(!cables->error().isEmpty());
    QCOMPARE(host.value.cluster.connections[1].cables, 4000);
}

void TestClusterInspector::enterNamesTheElement()
{
    Host host(fatTree());
    host.view().setFocus(Qt::OtherFocusReason);
    host.select(QStringLiteral("leaves"));
    QTest::keyClick(&host.view(), Qt::Key_Return);
    auto* name = host.field<QLineEdit>(QStringLiteral("Name"));
    QVERIFY(name);
    QVERIFY(name->hasFocus());
    QCOMPARE(name->selectedText(), QStringLiteral("Leaf"));
    QCOMPARE(name->height(), host.field<CountField>(QStringLiteral("Switches"))->height());
    // So does a double click.
    host.view().setFocus(Qt::OtherFocusReason);
    QTest::mouseDClick(host.canvas(), Qt::LeftButton, {}, host.at("leaves"));
    QVERIFY(name->hasFocus());
    QVERIFY(host.texts.isEmpty());
}

/// Enter takes what is typed, Esc does not, and either way the next key is one of the canvas.
void TestClusterInspector::doneWithAFieldTheCanvasHasTheKeyboard()
{
    Host host(fatTree());
    host.select(QStringLiteral("nodes"));
    auto* name = host.field<QLineEdit>(QStringLiteral("Name"));
    auto* count = host.field<CountField>(QStringLiteral("Nodes"));
    auto* rate = host.field<UnitField>(QStringLiteral("Network port: bandwidth"));
    QVERIFY(name && count && rate);
    typeInto(name, QStringLiteral("Pod A"), Qt::Key_Return);
    QVERIFY(host.view().hasFocus());
    typeInto(name, QStringLiteral("Pod B"), Qt::Key_Escape);
    QVERIFY(host.view().hasFocus());
    QCOMPARE(name->text(), QStringLiteral("Pod A"));
    typeInto(rate, QStringLiteral("400 Gb/s"), Qt::Key_Enter);
    QVERIFY(host.view().hasFocus());
    typeInto(count, QStringLiteral("7"), Qt::Key_Escape);
    QVERIFY(host.view().hasFocus());
    count->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(count, Qt::Key_Escape); // with nothing typed
    QVERIFY(host.view().hasFocus());
    QCOMPARE(host.value.cluster.nodes[0].count, 128);
    typeInto(count, QStringLiteral("none"), Qt::Key_Return);
    QVERIFY(count->hasFocus()); // to be mended first
    typeInto(count, QStringLiteral("16"), Qt::Key_Return);
    QVERIFY(host.view().hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_L);
    QCOMPARE(host.view().tool(), TopologyView::Tool::Link);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    count->setFocus(Qt::TabFocusReason);
    QTest::keyClick(count, Qt::Key_Tab);
    QVERIFY(host.inspector().isAncestorOf(QApplication::focusWidget()) && !count->hasFocus());
    QCOMPARE(host.texts.size(), 3);
}

/// Of unlike elements that are selected together.
void TestClusterInspector::doneWithTheirRackTheCanvasHasTheKeyboard()
{
    Host host(fatTree());
    host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("leaves")});
    auto* rack = host.inspector().findChild<MixedPage*>()->findChild<TextField*>();
    typeInto(rack, QStringLiteral("Row 1"), Qt::Key_Return);
    QVERIFY(host.view().hasFocus());
    QCOMPARE(host.texts, QStringList{QStringLiteral("Put into Row 1")});
}

/// With nothing selected, in one step; the canvas stays where it was looked at.
void TestClusterInspector::theClusterIsRenamed()
{
    Host host(fatTree());
    host.view().setZoom(0.3);
    const QPoint seen = host.at("nodes");
    auto* name = host.field<QLineEdit>(QStringLiteral("Name"));
    QVERIFY(name && name->isVisible());
    QCOMPARE(name->text(), QStringLiteral("Selene, 1,024 A100"));
    type(name, QStringLiteral("Lab, 2027"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename the cluster to Lab, 2027")});
    QCOMPARE(host.value.cluster.name, std::string("Lab, 2027"));
    Cluster same = host.value.cluster;
    same.name = fatTree().name;
    QCOMPARE(same, fatTree());
    QCOMPARE(host.view().zoom(), 0.3);
    QCOMPARE(host.at("nodes"), seen);
    host.setCluster({}, {});
    QVERIFY(name->isVisible());
    QCOMPARE(name->text(), QString());
}

void TestClusterInspector::paletteFilters()
{
    NodePalette palette(shippedCatalog());
    const QAbstractItemModelTester tester(&palette.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    const int all = palette.model().rowCount();
    QCOMPARE(all,
        static_cast<int>(
            shippedCatalog().nodes.size() + shippedCatalog().clusters.size() + switchPresets().size() + 1 + 3));
    palette.findChild<QLineEdit*>()->setText(QStringLiteral("a100 dgx"));
    QVERIFY(palette.model().rowCount() < all);
    for (int row = 0; row < palette.model().rowCount(); ++row) {
        const PaletteEntry& e = palette.model().entry(palette.model().index(row, 0));
        if (e.kind != PresetKind::None)
            QVERIFY(e.name.contains(QStringLiteral("A100")) || e.detail.contains(QStringLiteral("A100")));
    }
    palette.findChild<QLineEdit*>()->setText(QStringLiteral("abacus"));
    QCOMPARE(palette.model().rowCount(), 0);
    QSignalSpy activated(&palette, &NodePalette::presetActivated);
    QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(activated.count(), 0);
    palette.findChild<QLineEdit*>()->clear();
    QCOMPARE(palette.model().rowCount(), all);
    // Headings can be neither chosen nor dragged.
    QCOMPARE(palette.model().flags(palette.model().index(0, 0)), Qt::ItemFlags(Qt::NoItemFlags));
    QVERIFY(!palette.model().mimeData({palette.model().index(0, 0)}));
}

void TestClusterInspector::allFieldsHaveNames()
{
    Host host(fatTree());
    for (const QString& key :
        {QString(), QStringLiteral("nodes"), QStringLiteral("leaves"), QStringLiteral("nodes -> leaves")}) {
        host.view().setSelection(key.isEmpty() ? QStringList() : QStringList{key});
        for (const QWidget* w : host.window.findChildren<QWidget*>()) {
            if (!w->isVisible() || !(w->focusPolicy() & Qt::TabFocus) || w->focusProxy())
                continue;
            const auto* button = qobject_cast<const QAbstractButton*>(w);
            const QByteArray what = QByteArray(w->metaObject()->className()) + " for " + key.toUtf8();
            QVERIFY2(!w->accessibleName().isEmpty() || (button && !button->text().isEmpty()), what.constData());
        }
    }
}

QTEST_MAIN(TestClusterInspector)
#include "test_cluster_inspector.moc"
