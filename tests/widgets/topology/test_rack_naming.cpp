// SPDX-License-Identifier: GPL-3.0-or-later
// The name of a rack, edited on its frame, driven by real events.
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/racked_page.h"
#include "widgets/panels/text_field.h"
#include "widgets/style/theme.h"

#include <QTest>
#include <QWheelEvent>

using namespace stratoplan::cluster;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;

class TestRackNaming : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void namesAreEditedInPlace();
    void namesAreTakenOnLeaving();
    void namesAreAskedForAnew();
    void keysOfANameStayInIt();
    void namesThatNobodyTypedStay();
    void titlesAnswerTheSelectTool();
    void namesAreTakenBeforeSaving();
};

void TestRackNaming::initTestCase()
{
    applyTheme(*qApp, ThemeKind::Light);
    collectQtMessages();
}

void TestRackNaming::cleanup()
{
    QVERIFY2(qtMessages().isEmpty(), qPrintable(qtMessages().join(QLatin1Char('\n'))));
}

void TestRackNaming::namesAreEditedInPlace()
{
    Host host(racked());
    doubleClick(host, titleOf(host, "Rack 1"));
    QLineEdit* editor = nameEditor(host);
    QVERIFY(editor && editor->hasFocus());
    QCOMPARE(editor->selectedText(), QStringLiteral("Rack 1"));
    QVERIFY(host.canvas()->rect().contains(editor->geometry()));
    QVERIFY(editor->geometry().contains(titleOf(host, "Rack 1")));
    QTest::keyClicks(editor, QStringLiteral("  Pod   A "));
    QVERIFY(host.texts.isEmpty());
    QTest::keyClick(editor, Qt::Key_Return);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename to Pod A")});
    QVERIFY(!nameEditor(host) && host.view().hasFocus());
    QVERIFY(isAround(host, "Pod A"));
    QCOMPARE(host.view().selection(), kFirst);
    // Given up.
    doubleClick(host, titleOf(host, "Pod A"));
    QTest::keyClicks(nameEditor(host), QStringLiteral("other"));
    QTest::keyClick(nameEditor(host), Qt::Key_Escape);
    QVERIFY(!nameEditor(host));
    QCOMPARE(host.texts.size(), 1);
    QCOMPARE(host.view().selection(), kFirst);
    // Without a name there is no rack.
    doubleClick(host, titleOf(host, "Pod A"));
    QTest::keyClick(nameEditor(host), Qt::Key_Delete);
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QCOMPARE(host.texts.last(), QStringLiteral("Ungroup Pod A"));
    QVERIFY(!host.scene().racks().frame("Pod A"));
    // The frame of a single card, too.
    Cluster single = racked();
    for (const char* id : {"nodes", "nodes-2"})
        setRack(single, {id}, {});
    host.setCluster(single, host.value.positions);
    doubleClick(host, titleOf(host, "Rack 1"));
    QVERIFY(nameEditor(host));
}

void TestRackNaming::namesAreTakenOnLeaving()
{
    Host host(racked());
    const auto begin = [&host](const char* rack, const char* typed) {
        host.view().setFocus(Qt::OtherFocusReason);
        doubleClick(host, titleOf(host, rack));
        QTest::keyClicks(nameEditor(host), QString::fromLatin1(typed));
    };
    begin("Rack 1", "A");
    QTest::mouseClick(host.canvas(), Qt::LeftButton, {}, titleOf(host, "Rack 2"));
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename to A")});
    QCOMPARE(host.view().selection(), kSecond);
    // Before the frame goes elsewhere.
    begin("A", "B");
    QWheelEvent wheel(QPointF(20, 20), QPointF(), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(host.canvas(), &wheel);
    QCOMPARE(host.texts.last(), QStringLiteral("Rename to B"));
    QVERIFY(!nameEditor(host));
    // What another has makes them one.
    begin("B", "Rack 2");
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QCOMPARE(host.texts.last(), QStringLiteral("Join B and Rack 2"));
    QCOMPARE(frameOf(host, "Rack 2").elements().size(), std::size_t{6});
    // Nothing typed is no edit, nor is a rack that is gone by then.
    begin("Rack 2", "");
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    begin("Rack 2", "C");
    host.setCluster({}, {});
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QCOMPARE(host.texts.size(), 3);
}

void TestRackNaming::namesAreAskedForAnew()
{
    Host host(racked());
    host.view().setSelection(kFirst);
    QTest::keyClick(&host.view(), Qt::Key_F2);
    QLineEdit* const editor = nameEditor(host);
    QTest::keyClicks(editor, QStringLiteral("B"));
    // Of the same rack: what is typed is selected.
    QTest::keyClick(editor, Qt::Key_F2);
    QCOMPARE(nameEditor(host), editor);
    QCOMPARE(editor->selectedText(), QStringLiteral("B"));
    QVERIFY(host.texts.isEmpty());
    // Of another, from a menu, which leaves the first open.
    QFocusEvent toMenu(QEvent::FocusOut, Qt::PopupFocusReason);
    QCoreApplication::sendEvent(editor, &toMenu);
    QCOMPARE(nameEditor(host), editor);
    host.view().setSelection(kSecond);
    action(host, "Rename the rack")->trigger();
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename to B")});
    QVERIFY(isAround(host, "B"));
    QCOMPARE(nameEditor(host)->text(), QStringLiteral("Rack 2"));
    QTest::keyClicks(nameEditor(host), QStringLiteral("C"));
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QVERIFY(isAround(host, "C"));
}

void TestRackNaming::keysOfANameStayInIt()
{
    Host host(racked());
    doubleClick(host, titleOf(host, "Rack 1"));
    QTest::keyClicks(nameEditor(host), QStringLiteral("Pod"));
    const QPoint before = titleOf(host, "Rack 2");
    for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Down, Qt::Key_PageUp, Qt::Key_PageUp, Qt::Key_PageDown})
        QTest::keyClick(nameEditor(host), key);
    QVERIFY(host.texts.isEmpty());
    QCOMPARE(titleOf(host, "Rack 2"), before);
    QTest::keyClick(nameEditor(host), Qt::Key_Return);
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename to Pod")});
}

/// As documents may have them: not as a person could type them.
void TestRackNaming::namesThatNobodyTypedStay()
{
    const std::string spaced = "Rack  1", large(250, 'x');
    Cluster c = racked();
    for (auto& group : c.nodes)
        group.rack = group.rack == "Rack 1" ? spaced : large;
    for (auto& group : c.switches)
        group.rack = group.rack.empty() ? "Rack 1" : group.rack == "Rack 1" ? spaced : large;
    Host host(c);
    for (const std::string& name : {spaced, large}) {
        doubleClick(host, titleOf(host, name.c_str()));
        QVERIFY(nameEditor(host));
        QTest::keyClick(nameEditor(host), Qt::Key_Return);
        QVERIFY(!nameEditor(host));
        QCOMPARE(host.texts, QStringList());
        host.view().setSelection({QString::fromStdString(host.scene().racks().frame(name)->elements().front())});
        host.field<TextField>(QStringLiteral("Rack"))->setFocus(Qt::OtherFocusReason);
        host.view().setFocus(Qt::OtherFocusReason);
    }
    QCOMPARE(host.texts, QStringList());
    QVERIFY(host.value.cluster == c);
}

void TestRackNaming::titlesAnswerTheSelectTool()
{
    using Tool = TopologyView::Tool;
    Host host(racked());
    for (const Tool tool : {Tool::Link, Tool::Pan}) {
        host.view().setTool(tool);
        doubleClick(host, titleOf(host, "Rack 1"));
        QVERIFY(!nameEditor(host));
        QVERIFY(host.view().selection().isEmpty());
    }
    host.view().setTool(Tool::Select);
    doubleClick(host, titleOf(host, "Rack 1"));
    QVERIFY(nameEditor(host));
}

void TestRackNaming::namesAreTakenBeforeSaving()
{
    Host host(racked());
    host.view().commitPending();
    doubleClick(host, titleOf(host, "Rack 1"));
    QTest::keyClicks(nameEditor(host), QStringLiteral("Pod"));
    host.view().commitPending();
    QCOMPARE(host.texts, QStringList{QStringLiteral("Rename to Pod")});
    QVERIFY(!nameEditor(host));
    host.view().commitPending();
    QCOMPARE(host.texts.size(), 1);
    // A canvas that goes with a name open says nothing any more.
    doubleClick(host, titleOf(host, "Pod"));
    QTest::keyClicks(nameEditor(host), QStringLiteral("late"));
    delete &host.view();
    QCOMPARE(host.texts.size(), 1);
}

QTEST_MAIN(TestRackNaming)
#include "test_rack_naming.moc"
