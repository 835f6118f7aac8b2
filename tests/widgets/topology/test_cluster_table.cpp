// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster as a table, driven by real events, with an owner of the cluster that takes every edit.
#include "tests/finding.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/picker.h"
#include "widgets/style/theme.h"
#include "widgets/topology/cell_view.h"
#include "widgets/topology/cluster_rows.h"
#include "widgets/topology/cluster_table.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::plan;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

/// The table of a cluster whose owner answers every edit.
class Host {
public:
    explicit Host(const Cluster& cluster)
        : table(shippedCatalog())
    {
        QObject::connect(&table, &ClusterTable::edited, &table, [this](const CanvasEdit& edit) {
            texts << edit.name;
            value = edit.next;
            table.setCluster(value.cluster, value.positions);
            if (!edit.selectAfter.isEmpty())
                table.setSelection(edit.selectAfter);
        });
        QObject::connect(&table, &ClusterTable::refused, &table, [this](const QString& why) { refusals << why; });
        value = {cluster, {}};
        table.setCluster(cluster, {});
        table.resize(1400, 800);
        table.show();
        table.activateWindow();
        if (!QTest::qWaitForWindowActive(&table))
            qWarning("The window did not become active");
    }

    CellView& view(RowKind kind) { return table.sections()[static_cast<std::size_t>(kind)]->view(); }
    QModelIndex cell(RowKind kind, int row, const QString& column)
    {
        const QAbstractItemModel& model = *view(kind).model();
        for (int i = 0; i < model.columnCount(); ++i) {
            if (model.headerData(i, Qt::Horizontal).toString() == column)
                return model.index(row, i);
        }
        return {};
    }
    QString text(RowKind kind, int row, const QString& column) { return cell(kind, row, column).data().toString(); }
    /// By a click.
    void goTo(RowKind kind, int row, const QString& column, Qt::KeyboardModifiers modifiers = {})
    {
        CellView& cells = view(kind);
        cells.scrollTo(cell(kind, row, column));
        QTest::mouseClick(
            cells.viewport(), Qt::LeftButton, modifiers, cells.visualRect(cell(kind, row, column)).center());
    }
    QWidget* editor(RowKind kind) { return view(kind).indexWidget(view(kind).currentIndex()); }
    /// Types over the cell.
    void write(RowKind kind, int row, const QString& column, const QString& typed)
    {
        goTo(kind, row, column);
        QTest::keyClick(&view(kind), Qt::Key_F2);
        QWidget* field = editor(kind);
        QVERIFY(field);
        QTest::keyClicks(field, typed);
        QTest::keyClick(field, Qt::Key_Return);
        QCoreApplication::processEvents(); // the editor goes
    }
    /// From the list that Enter opens.
    void choose(RowKind kind, int row, const QString& column, const QString& typed)
    {
        goTo(kind, row, column);
        QTest::keyClick(&view(kind), Qt::Key_Return);
        auto* picker = qobject_cast<Picker*>(editor(kind));
        QVERIFY(picker);
        QTRY_VERIFY(picker->openedList());
        auto* filter = picker->openedList()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, typed);
        QTest::keyClick(filter, Qt::Key_Return);
        QTRY_VERIFY(!editor(kind));
    }

    ClusterTable table;
    CanvasValue value;
    QStringList texts; ///< what the edits were called
    QStringList refusals;
};

QString clipboardText()
{
    return QGuiApplication::clipboard()->text();
}

} // namespace

class TestClusterTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void showsEveryProperty();
    void cellsAreEdited();
    void racksAreTyped();
    void wrongTextsStay();
    void choicesAreMade();
    void toggles();
    void endsOfLinks();
    void newLinks();
    void rowsAreSelected();
    void asksForWhatTheCanvasDoes();
    void cutsRowsAlone();
    void copiesCells();
    void copiedCellsCanBePasted();
    void pastesCells();
    void pastesNothingWhereNothingIs();
    void problemsAreMarked();
    void walksByKeyboard();
    void saysWhatToDoFirst();
    void holdsManyRows();
};

void TestClusterTable::initTestCase()
{
    applyTheme(*qApp, ThemeKind::Light);
    collectQtMessages();
}

void TestClusterTable::cleanup()
{
    QVERIFY2(qtMessages().isEmpty(), qPrintable(qtMessages().join(QLatin1Char('\n'))));
}

void TestClusterTable::showsEveryProperty()
{
    Host host(fatTree());
    for (const RowKind kind : kRowKinds) {
        const QAbstractItemModelTester tester(
            host.view(kind).model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(std::size_t(host.view(kind).model()->rowCount()), rowCount(host.value.cluster, kind));
        QVERIFY(!host.view(kind).accessibleName().isEmpty());
    }
    QCOMPARE(host.text(RowKind::Nodes, 0, QStringLiteral("Name")), QStringLiteral("DGX A100 80 GB"));
    QCOMPARE(host.text(RowKind::Nodes, 0, QStringLiteral("Scale-up link: bandwidth")), QStringLiteral("300 GB/s"));
    QCOMPARE(host.text(RowKind::Nodes, 0, QStringLiteral("In-node link")), QStringLiteral("Over the network"));
    QCOMPARE(host.text(RowKind::Nodes, 0, QStringLiteral("In-node link: bandwidth")), QString());
    QCOMPARE(host.text(RowKind::Nodes, 0, QStringLiteral("Network port: bandwidth")), QStringLiteral("200 Gb/s"));
    QCOMPARE(host.text(RowKind::Switches, 1, QStringLiteral("Tier")), QStringLiteral("Spine"));
    QCOMPARE(host.text(RowKind::Links, 0, QStringLiteral("From")), QStringLiteral("DGX A100 80 GB"));
    QCOMPARE(host.text(RowKind::Links, 0, QStringLiteral("Cables")), QStringLiteral("1,024"));
    QCOMPARE(host.text(RowKind::Links, 0, QStringLiteral("In all")), QStringLiteral("25.6 TB/s"));
    const QModelIndex cables = host.cell(RowKind::Links, 0, QStringLiteral("Cables"));
    QCOMPARE(cables.data(Qt::AccessibleTextRole).toString(), QStringLiteral("Cables: 1,024"));
    QVERIFY(cables.flags() & Qt::ItemIsEditable);
    QVERIFY(!(host.cell(RowKind::Links, 0, QStringLiteral("In all")).flags() & Qt::ItemIsEditable));
    QVERIFY(!(host.cell(RowKind::Nodes, 0, QStringLiteral("In-node link: bandwidth")).flags() & Qt::ItemIsEditable));
}

void TestClusterTable::cellsAreEdited()
{
    Host host(fatTree());
    host.write(RowKind::Nodes, 0, QStringLiteral("Nodes"), QStringLiteral("16"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Make it 16 nodes")});
    QCOMPARE(host.value.cluster.nodes[0].count, 16);
    QCOMPARE(host.value.cluster.connections[0].cables, 128); // they follow, as in the inspector
    QCOMPARE(host.text(RowKind::Links, 0, QStringLiteral("Cables")), QStringLiteral("128"));
    QVERIFY(!host.editor(RowKind::Nodes));
    host.write(RowKind::Links, 0, QStringLiteral("Link: bandwidth"), QStringLiteral("2*200 Gb/s"));
    QCOMPARE(host.value.cluster.connections[0].link.bandwidth.value(), 50e9);
    QCOMPARE(host.text(RowKind::Links, 0, QStringLiteral("Link")), QStringLiteral("HDR *"));
    host.write(RowKind::Switches, 0, QStringLiteral("Name"), QStringLiteral("  Leaf  A "));
    QCOMPARE(host.value.cluster.switches[0].name, std::string("Leaf A"));
    QCOMPARE(host.texts.size(), 3);
    // What is given up, and what is the same, is no edit.
    host.goTo(RowKind::Switches, 0, QStringLiteral("Ports each"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_F2);
    QTest::keyClicks(host.editor(RowKind::Switches), QStringLiteral("64"));
    QTest::keyClick(host.editor(RowKind::Switches), Qt::Key_Escape);
    host.write(RowKind::Switches, 0, QStringLiteral("Ports each"), QStringLiteral("40"));
    QCOMPARE(host.texts.size(), 3);
    // Typing begins an edit, Tab ends it and goes on.
    host.goTo(RowKind::Switches, 1, QStringLiteral("Switches"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_8);
    QTest::keyClick(host.editor(RowKind::Switches), Qt::Key_Tab);
    QCOMPARE(host.value.cluster.switches[1].count, 8);
    QCOMPARE(
        host.view(RowKind::Switches).currentIndex(), host.cell(RowKind::Switches, 1, QStringLiteral("Ports each")));
}

void TestClusterTable::racksAreTyped()
{
    Host host(fatTree());
    const QString column = QStringLiteral("Rack");
    host.write(RowKind::Nodes, 0, column, QStringLiteral("Pod A"));
    host.write(RowKind::Switches, 1, column, QStringLiteral(" Pod  A "));
    QCOMPARE(host.texts, (QStringList{QStringLiteral("Put into Pod A"), QStringLiteral("Put into Pod A")}));
    QCOMPARE(host.value.cluster.switches[1].rack, host.value.cluster.nodes[0].rack);
    QCOMPARE(host.text(RowKind::Switches, 1, column), QStringLiteral("Pod A"));
    // Given up, and emptied.
    host.goTo(RowKind::Nodes, 0, column);
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_F2);
    QTest::keyClicks(host.editor(RowKind::Nodes), QStringLiteral("B"));
    QTest::keyClick(host.editor(RowKind::Nodes), Qt::Key_Escape);
    QTRY_VERIFY(!host.editor(RowKind::Nodes));
    QCOMPARE(host.texts.size(), 2);
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_F2);
    QTest::keyClick(host.editor(RowKind::Nodes), Qt::Key_Delete);
    QTest::keyClick(host.editor(RowKind::Nodes), Qt::Key_Return);
    QCOMPARE(host.texts.last(), QStringLiteral("Take out of its rack"));
    QVERIFY(host.value.cluster.nodes[0].rack.empty());
}

void TestClusterTable::wrongTextsStay()
{
    Host host(fatTree());
    host.write(RowKind::Nodes, 0, QStringLiteral("Nodes"), QStringLiteral("many"));
    auto* count = qobject_cast<CountField*>(host.editor(RowKind::Nodes));
    QVERIFY(count);
    QVERIFY(!count->error().isEmpty());
    QCOMPARE(host.refusals, QStringList{count->error()});
    QVERIFY(host.texts.isEmpty());
    // Whoever saves asks first.
    QCOMPARE(host.table.commitPending(), count->error());
    QVERIFY(count->hasFocus());
    QTest::keyClick(count, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(count, QStringLiteral("12"));
    QVERIFY(host.table.commitPending().isEmpty());
    QCOMPARE(host.value.cluster.nodes[0].count, 12);
}

void TestClusterTable::choicesAreMade()
{
    Host host(fatTree());
    host.choose(RowKind::Nodes, 0, QStringLiteral("Accelerator"), QStringLiteral("H100 SXM"));
    QVERIFY(host.value.cluster.nodes[0].accelerator.name.starts_with("H100 SXM"));
    host.choose(RowKind::Nodes, 0, QStringLiteral("Network port"), QStringLiteral("NDR"));
    QCOMPARE(host.value.cluster.nodes[0].nic.bandwidth.value(), 50e9);
    QCOMPARE(host.value.cluster.connections[0].link, host.value.cluster.nodes[0].nic); // cables follow
    host.choose(RowKind::Nodes, 0, QStringLiteral("In-node link"), QStringLiteral("PCIe 5.0"));
    QVERIFY(host.value.cluster.nodes[0].inNode);
    QVERIFY(!host.text(RowKind::Nodes, 0, QStringLiteral("In-node link: bandwidth")).isEmpty());
    QCOMPARE(host.texts.size(), 3);
    host.goTo(RowKind::Switches, 1, QStringLiteral("Tier"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_Return);
    auto* tier = qobject_cast<ChoiceField*>(host.editor(RowKind::Switches));
    QVERIFY(tier);
    QTRY_VERIFY(tier->view()->isVisible());
    QTest::keyClick(tier->view(), Qt::Key_Down);
    QTest::keyClick(tier->view(), Qt::Key_Return);
    QCOMPARE(host.value.cluster.switches[1].tier, SwitchTier::Core);
    QCOMPARE(host.texts.last(), QStringLiteral("Move to the core tier"));
    QTRY_VERIFY(!host.editor(RowKind::Switches));
    // A list that is closed again changes nothing.
    host.goTo(RowKind::Nodes, 0, QStringLiteral("Accelerator"));
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_Return);
    auto* picker = qobject_cast<Picker*>(host.editor(RowKind::Nodes));
    QTRY_VERIFY(picker->openedList());
    QTest::keyClick(picker->openedList()->findChild<QLineEdit*>(), Qt::Key_Escape);
    QTRY_VERIFY(!host.editor(RowKind::Nodes));
    QCOMPARE(host.texts.size(), 4);
}

void TestClusterTable::toggles()
{
    Host host(fatTree());
    const QString column = QStringLiteral("In-network reduction");
    host.goTo(RowKind::Switches, 0, column);
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_Space);
    QVERIFY(host.value.cluster.switches[0].reduces);
    QCOMPARE(host.text(RowKind::Switches, 0, column), QStringLiteral("on"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_Return);
    QVERIFY(!host.value.cluster.switches[0].reduces);
    QTest::mouseDClick(host.view(RowKind::Switches).viewport(), Qt::LeftButton, {},
        host.view(RowKind::Switches).visualRect(host.cell(RowKind::Switches, 0, column)).center());
    QVERIFY(host.value.cluster.switches[0].reduces);
    QCOMPARE(host.texts,
        (QStringList{QStringLiteral("Reduce in the switches"), QStringLiteral("Do not reduce in the switches"),
            QStringLiteral("Reduce in the switches")}));
    QVERIFY(!host.editor(RowKind::Switches));
}

void TestClusterTable::endsOfLinks()
{
    Cluster c = fatTree();
    const std::string leaf = addSwitches(c, switchPresets().front());
    findSwitches(c, leaf)->name = "Other leaf";
    Host host(c);
    host.choose(RowKind::Links, 0, QStringLiteral("To"), QStringLiteral("Spine"));
    QCOMPARE(host.refusals, QStringList{QStringLiteral("Nodes link to leaf switches, and Spine is not one")});
    QVERIFY(host.texts.isEmpty());
    host.choose(RowKind::Links, 0, QStringLiteral("To"), QStringLiteral("Other leaf"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Link to Other leaf")});
    QCOMPARE(host.value.cluster.connections[0].to, leaf);
    QCOMPARE(host.value.cluster.connections[0].cables, 64);
    QCOMPARE(host.table.selection(), QStringList{QStringLiteral("nodes -> ") + QString::fromStdString(leaf)});
}

void TestClusterTable::newLinks()
{
    Host host(smallCluster());
    ClusterRows& links = *host.table.sections()[2];
    QList<Picker*> ends = links.findChildren<Picker*>();
    QCOMPARE(ends.size(), 2);
    auto* add = button(links, QStringLiteral("Add link"));
    QVERIFY(add && !add->isEnabled());
    const auto choose = [](Picker* end, const QString& name) {
        auto* filter = end->openedList()->findChild<QLineEdit*>();
        QTest::keyClicks(filter, name);
        QTest::keyClick(filter, Qt::Key_Return);
        return QTest::qWaitFor([end] { return !end->openedList(); });
    };
    // Insert where the links are begins one.
    ends[1]->setFocus();
    QTest::keyClick(ends[1], Qt::Key_Insert);
    QVERIFY(ends[0]->openedList());
    QVERIFY(choose(ends[0], QStringLiteral("DGX")));
    ends[1]->openList();
    QVERIFY(choose(ends[1], QStringLiteral("Spine")));
    QVERIFY(!add->isEnabled());
    QCOMPARE(add->toolTip(), QStringLiteral("Nodes link to leaf switches, and Spine switch is not one"));
    ends[1]->openList();
    QVERIFY(choose(ends[1], QStringLiteral("Leaf")));
    QVERIFY(add->isEnabled());
    QTest::mouseClick(add, Qt::LeftButton);
    QCOMPARE(host.value.cluster.connections.size(), std::size_t{1});
    QCOMPARE(host.value.cluster.connections[0].cables, 8);
    QCOMPARE(host.table.selection(), QStringList{QStringLiteral("nodes -> leaf")});
    QVERIFY(!add->isEnabled()); // they are linked
}

void TestClusterTable::rowsAreSelected()
{
    Host host(fatTree());
    QSignalSpy moved(&host.table, &ClusterTable::selectionChanged);
    host.goTo(RowKind::Switches, 1, QStringLiteral("Ports each"));
    QCOMPARE(moved.last().first().toStringList(), QStringList{QStringLiteral("spines")});
    host.goTo(RowKind::Nodes, 0, QStringLiteral("Name"));
    QCOMPARE(moved.last().first().toStringList(), QStringList{QStringLiteral("nodes")});
    QVERIFY(!host.view(RowKind::Switches).selectionModel()->hasSelection());
    host.goTo(RowKind::Links, 0, QStringLiteral("Cables"), Qt::ControlModifier);
    QCOMPARE(
        moved.last().first().toStringList(), (QStringList{QStringLiteral("nodes"), QStringLiteral("nodes -> leaves")}));
    // From elsewhere: whole rows, and nothing is told.
    const auto told = moved.count();
    host.table.setSelection({QStringLiteral("leaves")});
    QCOMPARE(moved.count(), told);
    QCOMPARE(host.table.selection(), QStringList{QStringLiteral("leaves")});
    QVERIFY(host.table.sections()[1]->selectsRows());
    // An edit keeps what is selected.
    host.write(RowKind::Switches, 0, QStringLiteral("Ports each"), QStringLiteral("64"));
    QCOMPARE(host.table.selection(), QStringList{QStringLiteral("leaves")});
    // While it is hidden, too.
    host.table.hide();
    host.table.setSelection({QStringLiteral("nodes")});
    host.table.show();
    QCOMPARE(host.table.selection(), QStringList{QStringLiteral("nodes")});
}

void TestClusterTable::asksForWhatTheCanvasDoes()
{
    Host host(fatTree());
    QSignalSpy removed(&host.table, &ClusterTable::removeWanted), doubled(&host.table, &ClusterTable::duplicateWanted);
    QSignalSpy pasted(&host.table, &ClusterTable::pasteWanted), preset(&host.table, &ClusterTable::presetWanted);
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_Delete);
    QCOMPARE(removed.count(), 0); // nothing is selected
    host.goTo(RowKind::Nodes, 0, QStringLiteral("Name"));
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_Delete);
    QCOMPARE(removed.count(), 1);
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(doubled.count(), 1);
    QGuiApplication::clipboard()->setText(QStringLiteral("{}"));
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(pasted.count(), 1);
    host.goTo(RowKind::Links, 0, QStringLiteral("Cables")); // links are not duplicated
    QTest::keyClick(&host.view(RowKind::Links), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(doubled.count(), 1);
    host.goTo(RowKind::Switches, 0, QStringLiteral("Name"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_Insert);
    auto* add = host.table.sections()[1]->findChild<Picker*>();
    QVERIFY(add->openedList());
    QTest::keyClicks(add->openedList()->findChild<QLineEdit*>(), QStringLiteral("core"));
    QTest::keyClick(add->openedList()->findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(preset.count(), 1);
    QCOMPARE(preset.last().first().toString(), QStringLiteral("switch:core"));
}

void TestClusterTable::cutsRowsAlone()
{
    Host host(fatTree());
    QSignalSpy cut(&host.table, &ClusterTable::cutWanted);
    host.goTo(RowKind::Switches, 0, QStringLiteral("Ports each"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(cut.count(), 0);
    QVERIFY(host.refusals.value(0).startsWith(QStringLiteral("Only whole rows are cut")));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_Space, Qt::ShiftModifier);
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(cut.count(), 1);
    QCOMPARE(host.refusals.size(), 1);
}

void TestClusterTable::copiesCells()
{
    Host host(fatTree());
    QSignalSpy elements(&host.table, &ClusterTable::copyWanted);
    host.goTo(RowKind::Switches, 0, QStringLiteral("Name"));
    host.goTo(RowKind::Switches, 1, QStringLiteral("Ports each"), Qt::ShiftModifier);
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(clipboardText().trimmed(), QStringLiteral("Leaf\t64\t40\nSpine\t32\t40"));
    QCOMPARE(elements.count(), 0);
    // Rows whole are elements; Shift+Space takes them.
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_Space, Qt::ShiftModifier);
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(elements.count(), 1);
    // Links are none.
    host.goTo(RowKind::Links, 0, QStringLiteral("Cables"));
    QTest::keyClick(&host.view(RowKind::Links), Qt::Key_Space, Qt::ShiftModifier);
    QTest::keyClick(&host.view(RowKind::Links), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(elements.count(), 1);
    QCOMPARE(clipboardText().trimmed(), QStringLiteral("DGX A100 80 GB\tLeaf\tHDR\t200 Gb/s\t1,024\t25.6 TB/s"));
}

void TestClusterTable::copiedCellsCanBePasted()
{
    Cluster c = fatTree();
    c.nodes.push_back(c.nodes[0]);
    c.nodes[1].id = "others";
    c.nodes[0].nic.bandwidth *= 1.5;
    c.nodes[0].hostMemory = {};
    c.nodes[0].hostMemoryBandwidth = {};
    c.nodes[1].hostMemory = stratoplan::units::Bytes(1e12);
    c.nodes[1].hostMemoryBandwidth = stratoplan::units::BytesPerSecond(4e11);
    Host host(c);
    QVERIFY(host.text(RowKind::Nodes, 0, QStringLiteral("Network port")).endsWith(u'*'));
    host.goTo(RowKind::Nodes, 0, QStringLiteral("Network port"));
    host.goTo(RowKind::Nodes, 0, QStringLiteral("Host bandwidth"), Qt::ShiftModifier);
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_C, Qt::ControlModifier);
    host.goTo(RowKind::Nodes, 1, QStringLiteral("Network port"));
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_V, Qt::ControlModifier);
    QVERIFY2(host.refusals.isEmpty(), qPrintable(host.refusals.value(0)));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Paste cells")});
    const NodeGroup& pasted = host.value.cluster.nodes[1];
    QVERIFY(pasted.nic == c.nodes[0].nic);
    QVERIFY(pasted.hostMemory == c.nodes[0].hostMemory);
    QVERIFY(pasted.hostMemoryBandwidth == c.nodes[0].hostMemoryBandwidth);
}

void TestClusterTable::pastesNothingWhereNothingIs()
{
    Host host(fatTree()); // switched domains, one in a node
    const auto paste = [&host](const char* column, const char* text) {
        host.goTo(RowKind::Nodes, 0, QString::fromLatin1(column));
        QGuiApplication::clipboard()->setText(QString::fromLatin1(text));
        QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_V, Qt::ControlModifier);
        return host.refusals.isEmpty() ? QString() : host.refusals.takeLast();
    };
    QVERIFY(
        paste("Wrap-around", "No axis").startsWith(QStringLiteral("Row 1, Wrap-around: These nodes have no torus")));
    QVERIFY(paste("In-node link: bandwidth", "20 GB/s").contains(QStringLiteral("There is no link")));
    QVERIFY(host.texts.isEmpty());
    // With what it is of it is taken, and nothing is nothing.
    QCOMPARE(paste("Torus", "4x2\tNo axis"), QString());
    QCOMPARE(host.value.cluster.nodes[0].torus->wrap, TorusWrap::None);
    QCOMPARE(paste("Torus", "\t"), QString());
    QVERIFY(!host.value.cluster.nodes[0].torus);
}

void TestClusterTable::pastesCells()
{
    Host host(fatTree());
    host.goTo(RowKind::Switches, 0, QStringLiteral("Name"));
    QGuiApplication::clipboard()->setText(
        QStringLiteral("Rail\t64\t48\tPod A\tleaf\t2\ton\r\nTop\t32\t40\t\tSpine\t0\toff\r\n"));
    QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Paste cells")});
    QVERIFY(host.refusals.isEmpty());
    const SwitchGroup& rail = host.value.cluster.switches[0];
    QCOMPARE(rail.name, std::string("Rail"));
    QCOMPARE(rail.ports, 48);
    QCOMPARE(rail.rack, std::string("Pod A"));
    QCOMPARE(rail.blocks, 2);
    QVERIFY(rail.reduces);
    QCOMPARE(host.value.cluster.switches[1].name, std::string("Top"));
    // One wrong cell, and none is written.
    const Cluster before = host.value.cluster;
    for (const auto& [text, words] : {std::pair("A\tmany", "Row 1, Switches: “many” is not a number"),
             {"A\t1\t40\tPod\tattic", "Row 1, Tier: “attic” is none of the choices"},
             {"A\nB\nC", "more rows or columns than there are"}}) {
        QGuiApplication::clipboard()->setText(QString::fromUtf8(text));
        QTest::keyClick(&host.view(RowKind::Switches), Qt::Key_V, Qt::ControlModifier);
        QVERIFY2(host.refusals.last().contains(QString::fromUtf8(words)), qPrintable(host.refusals.last()));
    }
    QCOMPARE(host.refusals.size(), 3);
    QVERIFY(host.value.cluster == before);
    // Choices by name, amounts with units, over what a copy told.
    host.goTo(RowKind::Nodes, 0, QStringLiteral("Network port"));
    QGuiApplication::clipboard()->setText(QStringLiteral("NDR\t300 Gb/s"));
    QTest::keyClick(&host.view(RowKind::Nodes), Qt::Key_V, Qt::ControlModifier);
    QVERIFY2(host.refusals.size() == 3, qPrintable(host.refusals.last()));
    QCOMPARE(host.value.cluster.nodes[0].nic.bandwidth.value(), 37.5e9);
    QCOMPARE(host.text(RowKind::Nodes, 0, QStringLiteral("Network port")), QStringLiteral("NDR *"));
}

void TestClusterTable::problemsAreMarked()
{
    Cluster c = fatTree();
    c.connections.erase(c.connections.begin());
    Host host(c);
    const QString sentence = QStringLiteral("DGX A100 80 GB has no link: 1,024 network ports end nowhere.");
    for (const QString& column : {QStringLiteral("Name"), QStringLiteral("Ports per node")}) {
        const QModelIndex cell = host.cell(RowKind::Nodes, 0, column);
        QCOMPARE(cell.data(ClusterTableModel::SeverityRole).toInt(), static_cast<int>(Severity::Error));
        QVERIFY(cell.data(Qt::ToolTipRole).toString().startsWith(sentence));
        QVERIFY(cell.data(Qt::AccessibleTextRole).toString().contains(sentence));
    }
    QVERIFY(!host.cell(RowKind::Nodes, 0, QStringLiteral("Nodes")).data(ClusterTableModel::SeverityRole).isValid());
    host.table.setCluster(fatTree(), {});
    QVERIFY(!host.cell(RowKind::Nodes, 0, QStringLiteral("Name")).data(ClusterTableModel::SeverityRole).isValid());
}

void TestClusterTable::walksByKeyboard()
{
    Host host(fatTree());
    CellView& cells = host.view(RowKind::Switches);
    host.goTo(RowKind::Switches, 0, QStringLiteral("Name"));
    QTest::keyClick(&cells, Qt::Key_Tab);
    QTest::keyClick(&cells, Qt::Key_Down);
    QCOMPARE(cells.currentIndex(), host.cell(RowKind::Switches, 1, QStringLiteral("Switches")));
    QTest::keyClick(&cells, Qt::Key_Tab, Qt::ShiftModifier);
    QCOMPARE(cells.currentIndex(), host.cell(RowKind::Switches, 1, QStringLiteral("Name")));
    // Behind the last cell Tab leaves, as Ctrl+Tab does anywhere.
    QTest::keyClick(&cells, Qt::Key_End);
    QVERIFY(cells.hasFocus());
    QTest::keyClick(&cells, Qt::Key_Tab);
    QVERIFY(!cells.hasFocus());
    host.goTo(RowKind::Switches, 0, QStringLiteral("Name"));
    QVERIFY(cells.hasFocus());
    QTest::keyClick(&cells, Qt::Key_Tab, Qt::ControlModifier);
    QVERIFY(!cells.hasFocus());
    for (const QWidget* each : host.table.findChildren<QWidget*>()) {
        if (each->isVisible() && (each->focusPolicy() & Qt::TabFocus))
            QVERIFY2(
                !each->accessibleName().isEmpty() || each->inherits("QToolButton"), each->metaObject()->className());
    }
}

void TestClusterTable::saysWhatToDoFirst()
{
    Host host({});
    for (ClusterRows* section : host.table.sections()) {
        QVERIFY(!section->view().isVisible());
        const auto labels = section->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* each) { return each->isVisible() && each->wordWrap(); }));
    }
    host.table.setCluster(smallCluster(), {});
    QVERIFY(host.view(RowKind::Nodes).isVisible() && host.view(RowKind::Switches).isVisible());
    QVERIFY(!host.view(RowKind::Links).isVisible());
}

/// As many as documents hold: what is done to all rows is not done row by row over all others.
void TestClusterTable::holdsManyRows()
{
    Cluster c;
    const NodeGroup node = shippedCatalog().node("dgx-h100")->node;
    for (int i = 0; i < 1000; ++i) {
        c.nodes.push_back(node);
        c.nodes.back().id = "n" + std::to_string(i);
        c.nodes.back().name = "Node " + std::to_string(i);
    }
    for (int s = 0; s < 10; ++s)
        c.switches.push_back({"s" + std::to_string(s), "Leaf " + std::to_string(s), SwitchTier::Leaf, 1000, 1});
    for (int i = 0; i < 1000; ++i)
        for (int s = 0; s < 10; ++s)
            c.connections.push_back({"n" + std::to_string(i), "s" + std::to_string(s), node.nic, 1});
    Host host(c);
    host.write(RowKind::Links, 9999, QStringLiteral("Cables"), QStringLiteral("2"));
    QCOMPARE(host.value.cluster.connections.back().cables, 2);
    QSignalSpy moved(&host.table, &ClusterTable::selectionChanged);
    QTest::keyClick(&host.view(RowKind::Links), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(moved.last().first().toStringList().size(), 10000);
    host.table.setSelection(moved.last().first().toStringList());
    QVERIFY(host.table.sections()[2]->selectsRows());
}

QTEST_MAIN(TestClusterTable)
#include "test_cluster_table.moc"
