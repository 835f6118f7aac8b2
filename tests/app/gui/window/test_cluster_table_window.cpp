// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster as a table in the whole window: one selection, one undo stack, one clipboard with the canvas.
#include "app/gui/build/build_page.h"
#include "app/gui/window/central_view.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/shell/command_palette.h"
#include "widgets/topology/cell_view.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/cluster_rows.h"
#include "widgets/topology/cluster_table.h"
#include "widgets/topology/topology_view.h"

#include <QClipboard>
#include <QLineEdit>

using namespace stratoplan;
using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::test;
using namespace stratoplan::widgets;

class TestClusterTableWindow : public WindowTest {
    Q_OBJECT

    static ClusterTable& table(MainWindow& window) { return window.view().build().table(); }
    static CellView& cells(MainWindow& window, RowKind kind)
    {
        return table(window).sections()[static_cast<std::size_t>(kind)]->view();
    }
    static const cluster::Cluster& cluster(MainWindow& window) { return window.workspace().plan().cluster; }
    /// In the build perspective, as a table.
    [[nodiscard]] std::unique_ptr<MainWindow> openTable() const
    {
        auto window = openWindow();
        QTest::keyClick(window.get(), Qt::Key_T, Qt::ControlModifier);
        return window;
    }

private Q_SLOTS:
    void theKeySwitches()
    {
        const auto window = openWindow();
        QVERIFY(window->view().perspective() != Perspective::Build);
        QTest::keyClick(window.get(), Qt::Key_T, Qt::ControlModifier);
        QVERIFY(window->view().perspective() == Perspective::Build);
        QVERIFY(table(*window).isVisible() && !window->view().canvas().isVisible());
        press(table(*window), QStringLiteral("Table"));
        QVERIFY(!table(*window).isVisible() && window->view().canvas().isVisible());
        press(window->view().canvas(), QStringLiteral("Table"));
        QVERIFY(table(*window).isVisible());
        QVERIFY(window->close());
    }

    void editsAreUndone()
    {
        const auto window = openTable();
        const cluster::Cluster before = cluster(*window);
        CellView& nodes = cells(*window, RowKind::Nodes);
        nodes.setCurrentIndex(nodes.model()->index(0, 1));
        QTest::keyClicks(&nodes, QStringLiteral("2"));
        QTest::keyClick(nodes.indexWidget(nodes.currentIndex()), Qt::Key_Return);
        QCOMPARE(cluster(*window).nodes.front().count, 2);
        QCOMPARE(window->view().canvas().value().cluster, cluster(*window));
        QCOMPARE(window->actionSet().undo->text(), QStringLiteral("&Undo: Make it 2 nodes"));
        window->actionSet().undo->trigger();
        QVERIFY(cluster(*window) == before);
        QCOMPARE(nodes.model()->index(0, 1).data().toString(), QString::number(before.nodes.front().count));
        // What is typed and wrong is not saved over.
        QTest::keyClick(&nodes, Qt::Key_F2);
        QTest::keyClicks(nodes.indexWidget(nodes.currentIndex()), QStringLiteral("none"));
        QVERIFY(!window->commitPending());
        QTest::keyClick(nodes.indexWidget(nodes.currentIndex()), Qt::Key_Escape);
        QVERIFY(window->commitPending());
        QVERIFY(window->close());
    }

    void aTypedNameIsTaken()
    {
        const auto window = openTable();
        CellView& nodes = cells(*window, RowKind::Nodes);
        nodes.setCurrentIndex(nodes.model()->index(0, 0));
        QTest::keyClick(&nodes, Qt::Key_F2);
        QTest::keyClicks(nodes.indexWidget(nodes.currentIndex()), QStringLiteral("Pod"));
        QVERIFY(!window->actionSet().undo->isEnabled());
        QVERIFY(window->commitPending()); // as before saving and closing
        QCOMPARE(cluster(*window).nodes.front().name, std::string("Pod"));
        QVERIFY(window->commitPending());
        window->actionSet().undo->trigger();
        QVERIFY(!window->actionSet().undo->isEnabled()); // once
        QVERIFY(window->close());
    }

    void selectionIsOne()
    {
        const auto window = openTable();
        TopologyView& canvas = window->view().canvas();
        CellView& switches = cells(*window, RowKind::Switches);
        switches.setCurrentIndex(switches.model()->index(1, 2));
        const QString spine = QString::fromStdString(cluster(*window).switches[1].id);
        QCOMPARE(canvas.selection(), QStringList{spine});
        QVERIFY(!table(*window).sections()[1]->selectsRows()); // the cell alone, though the canvas answers
        const QString link = QStringLiteral("%1 -> %2")
                                 .arg(QString::fromStdString(cluster(*window).nodes[0].id),
                                     QString::fromStdString(cluster(*window).switches[0].id));
        canvas.setSelection({link});
        QCOMPARE(table(*window).selection(), QStringList{link});
        // "Zoom to it" of a problem finds the row.
        Q_EMIT window->view().inspector().elementRequested(spine);
        QCOMPARE(table(*window).selection(), QStringList{spine});
        QVERIFY(switches.currentIndex().row() == 1);
        QVERIFY(window->close());
    }

    void rowsAreAddedCopiedAndDeleted()
    {
        const auto window = openTable();
        const cluster::Cluster before = cluster(*window);
        CellView& switches = cells(*window, RowKind::Switches);
        Q_EMIT table(*window).presetWanted(QStringLiteral("switch:core"));
        QCOMPARE(cluster(*window).switches.size(), before.switches.size() + 1);
        QCOMPARE(switches.currentIndex().row(), int(before.switches.size())); // what is new is selected
        switches.setFocus();
        QTest::keyClick(&switches, Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(cluster(*window).switches.size(), before.switches.size() + 2);
        // Rows are copied as JSON that the canvas takes, too.
        QTest::keyClick(&switches, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().trimmed().startsWith(u'{'));
        QTest::keyClick(&switches, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(cluster(*window).switches.size(), before.switches.size() + 3);
        for (int i = 0; i < 3; ++i) {
            switches.selectRow(int(before.switches.size()));
            QTest::keyClick(&switches, Qt::Key_Delete);
        }
        QVERIFY(cluster(*window) == before);
        for (int i = 0; i < 6; ++i)
            window->actionSet().undo->trigger();
        QVERIFY(!window->actionSet().undo->isEnabled()); // a step each
        QVERIFY(cluster(*window) == before);
        QVERIFY(window->close());
    }

    void thePaletteFindsWhatTheCanvasDoes()
    {
        const auto window = openWindow();
        const auto run = [&](const QString& words) {
            QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            auto* line = window->findChild<CommandPalette*>()->findChild<QLineEdit*>();
            QTest::keyClicks(line, words);
            QTest::keyClick(line, Qt::Key_Return);
        };
        run(QStringLiteral("wire rail-optimised"));
        QVERIFY(window->view().perspective() == Perspective::Build);
        QCOMPARE(window->actionSet().undo->text(), QStringLiteral("&Undo: Wire rail-optimised"));
        TopologyView& canvas = window->view().canvas();
        QStringList keys;
        for (const auto& [id, place] : canvas.value().positions)
            keys << QString::fromStdString(id);
        canvas.setSelection(keys);
        run(QStringLiteral("align in a row"));
        QVERIFY(window->actionSet().undo->text().startsWith(QStringLiteral("&Undo: Align")));
        run(QStringLiteral("cluster as a table"));
        QVERIFY(table(*window).isVisible());
        run(QStringLiteral("wire rail-optimised")); // shows in the table, too
        QVERIFY(table(*window).isVisible());
        run(QStringLiteral("zoom in"));
        QVERIFY(canvas.isVisible());
        while (window->actionSet().undo->isEnabled())
            window->actionSet().undo->trigger();
        QVERIFY(window->close());
    }

    void itIsRemembered()
    {
        {
            const auto window = openWindow({.remembers = true});
            QTest::keyClick(window.get(), Qt::Key_T, Qt::ControlModifier);
            QVERIFY(window->close());
        }
        const auto window = openWindow({.remembers = true});
        QVERIFY(table(*window).isVisible());
        QTest::keyClick(window.get(), Qt::Key_T, Qt::ControlModifier);
        QVERIFY(window->close());
    }
};

QTEST_MAIN(TestClusterTableWindow)
#include "test_cluster_table_window.moc"
