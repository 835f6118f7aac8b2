// SPDX-License-Identifier: GPL-3.0-or-later
// No work is lost in the window: text typed but not entered, what a crash left, messages that come together; and every
// key does one thing.
#include "app/gui/build/build_page.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/central_view.h"
#include "tests/app/gui/window/window_test.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/inputs_panel.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/message_bar.h"
#include "widgets/shell/shortcut_overlay.h"
#include "widgets/style/system_theme.h"
#include "widgets/style/theme.h"
#include "widgets/topology/cluster_inspector.h"
#include "widgets/topology/cluster_table.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QMouseEvent>
#include <QPushButton>
#include <QShortcut>
#include <QTest>

#include <map>

using namespace stratoplan::catalog;
using namespace stratoplan::cluster;
using namespace stratoplan::exchange;
using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestEditing : public WindowTest {
    Q_OBJECT

private:
    static CountField& batch(MainWindow& window)
    {
        return *window.view().inputs().findChild<CountField*>(QStringLiteral("/training/global_batch"));
    }

    static void typeInto(QLineEdit& field, const QString& text)
    {
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, text);
    }

    void leaveCopy(const QString& name, int batchSize)
    {
        QDir().mkpath(recovery());
        Document document = exampleDocument();
        document.project.plan.training.globalBatch = batchSize;
        QFile file(recovery() + u'/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "/data/me/plan.json\n" + QByteArray::fromStdString(writePlan(document.project.plan, shippedCatalog())));
    }

private Q_SLOTS:
    void typedTextIsSaved()
    {
        const QString path = inFolder(QStringLiteral("typed.json"));
        const auto window = openWindow();
        QVERIFY(window->workspace().document().save(path));
        typeInto(batch(*window), QStringLiteral("3072"));
        QTest::keyClick(&batch(*window), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!window->isWindowModified());
        ProjectDocument saved(shippedCatalog());
        QVERIFY(saved.open(path));
        QCOMPARE(saved.plan().training.globalBatch, 3072);
        QVERIFY(window->close());
    }

    void typedTextIsAskedForOnClosing()
    {
        const QString path = inFolder(QStringLiteral("closed.json"));
        const auto window = openWindow();
        QVERIFY(window->workspace().document().save(path));
        typeInto(batch(*window), QStringLiteral("3072"));
        window->close();
        QVERIFY(window->isVisible());
        answer(*window, QMessageBox::Save);
        QTRY_VERIFY(!window->isVisible());
        ProjectDocument saved(shippedCatalog());
        QVERIFY(saved.open(path));
        QCOMPARE(saved.plan().training.globalBatch, 3072);
    }

    void aWrongTextStopsSavingAndCopying()
    {
        const QString path = inFolder(QStringLiteral("wrong.json"));
        const auto window = openWindow();
        QVERIFY(window->workspace().document().save(path));
        const int before = window->workspace().plan().training.globalBatch;
        typeInto(batch(*window), QStringLiteral("many"));
        window->view().inputs().findChild<CountField*>(QStringLiteral("/model/layers"))->setFocus();
        QApplication::clipboard()->setText(QStringLiteral("untouched"));
        for (QAction* action : {window->actionSet().save, window->actionSet().copyPlan, window->actionSet().pin,
                 window->actionSet().findBest}) {
            window->view().messages().clear();
            action->trigger();
            QVERIFY(window->view().messages().text().contains(QStringLiteral("many")));
            QVERIFY(batch(*window).hasFocus());
        }
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("untouched"));
        QVERIFY(window->workspace().document().project().pinned.empty());
        QVERIFY(!window->close());
        QTest::keyClick(&batch(*window), Qt::Key_Escape);
        QCOMPARE(window->workspace().plan().training.globalBatch, before);
        QVERIFY(window->close());
    }

    void theInspectorIsCommittedToo()
    {
        const auto window = openWindow();
        window->setPerspective(Perspective::Build);
        const NodeGroup before = window->workspace().plan().cluster.nodes.front();
        QVERIFY(window->select(QString::fromStdString(before.id)));
        QVERIFY(!window->select(QStringLiteral("no such element")));
        QVERIFY(window->select(QString::fromStdString(before.id)));
        auto* count = window->view().inspector().findChild<CountField*>();
        QVERIFY(count->isVisible());
        typeInto(*count, QString::number(before.count / 2));
        QVERIFY(window->commitPending());
        QCOMPARE(window->workspace().plan().cluster.nodes.front().count, before.count / 2);
        typeInto(*count, QStringLiteral("none"));
        QVERIFY(!window->commitPending());
        QTest::keyClick(count, Qt::Key_Escape);
        window->workspace().document().undo();
        QVERIFY(window->close());
    }

    /// Behind Enter in the inspector L links, on the canvas; and in the table arrows walk.
    void theInspectorHandsTheKeyboardBack()
    {
        const auto window = openWindow({.perspective = Perspective::Build});
        QVERIFY(window->select(QString::fromStdString(window->workspace().plan().cluster.nodes.front().id)));
        auto* count = window->view().inspector().findChild<CountField*>();
        typeInto(*count, QStringLiteral("64"));
        QTest::keyClick(count, Qt::Key_Return);
        QCOMPARE(window->workspace().plan().cluster.nodes.front().count, 64);
        QCOMPARE(QApplication::focusWidget(), &window->view().canvas());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_L);
        QCOMPARE(window->view().canvas().tool(), TopologyView::Tool::Link);
        window->actionSet().clusterTable->trigger();
        typeInto(*count, QStringLiteral("32"));
        QTest::keyClick(count, Qt::Key_Escape);
        QVERIFY(window->view().build().table().isAncestorOf(QApplication::focusWidget()));
        discardAndClose(*window);
    }

    void theNameOfARackIsCommittedToo()
    {
        const auto window = openWindow();
        window->setPerspective(Perspective::Build);
        TopologyView& canvas = window->view().canvas();
        canvas.setFocus(Qt::OtherFocusReason);
        QTest::keyClick(&canvas, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&canvas, Qt::Key_G, Qt::ControlModifier);
        QTest::keyClick(&canvas, Qt::Key_F2);
        auto* name = canvas.viewport()->findChild<QLineEdit*>();
        QVERIFY(name && name->isVisible());
        QTest::keyClicks(name, QStringLiteral("Pod A"));
        QVERIFY(window->commitPending()); // as before saving and closing
        QVERIFY(!name->isVisible());
        QCOMPARE(window->workspace().plan().cluster.nodes.front().rack, std::string("Pod A"));
        window->workspace().document().undo();
        QCOMPARE(window->workspace().plan().cluster.nodes.front().rack, std::string("Rack 1"));
        window->workspace().document().undo();
        QVERIFY(window->close());
    }

    /// A click behind the question gives the window the focus where the window manager says so: its keys are dead.
    void aQuestionKeepsKeysFromTheCanvas()
    {
        auto window = openWindow({.perspective = Perspective::Build});
        auto edited = window->workspace().plan();
        edited.training.globalBatch *= 2;
        window->workspace().editPlan(edited, QStringLiteral("batch"));
        const Cluster before = window->workspace().plan().cluster;
        QTest::keySequence(window.get(), QKeySequence::New);
        auto* const box = window->findChild<QMessageBox*>();
        QVERIFY(box && QTest::qWaitForWindowActive(box));
        window->activateWindow();
        window->findChild<TopologyView*>()->setFocus();
        QVERIFY(QTest::qWaitFor([&] { return QApplication::activeWindow() == window.get(); }));
        QTest::keyClick(window->windowHandle(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(window->windowHandle(), Qt::Key_Delete);
        QCOMPARE(window->workspace().plan().cluster, before);
        QVERIFY(QTest::qWaitForWindowActive(box)); // which the key was for
        box->reject();
    }

    /// A bad file at start hides nothing of what a crash left.
    void recoveryIsOfferedAfterAMessage()
    {
        leaveCopy(QStringLiteral("left.recovery"), 4096);
        const auto window = openWindow({.path = inFolder(QStringLiteral("missing.json")), .remembers = true});
        MessageBar& messages = window->view().messages();
        QVERIFY(messages.kind() == MessageKind::Error);
        QVERIFY(messages.text().contains(QStringLiteral("missing.json")));
        messages.clear();
        QVERIFY(messages.isVisible());
        QVERIFY(messages.kind() == MessageKind::Offer);
        // Other news do not take its place for good.
        window->actionSet().copyPlan->trigger();
        QVERIFY(messages.kind() == MessageKind::Done);
        messages.clear();
        QVERIFY(messages.kind() == MessageKind::Offer);
        QTRY_VERIFY(button(window->view().messages(), QStringLiteral("Restore")));
        press(window->view().messages(), QStringLiteral("Restore"));
        QCOMPARE(window->workspace().plan().training.globalBatch, 4096);
        QVERIFY(window->isWindowModified());
        window->close();
        answer(*window, QMessageBox::Discard);
    }

    void discardedWorkIsKeptAside()
    {
        leaveCopy(QStringLiteral("one.recovery"), 4096);
        leaveCopy(QStringLiteral("two.recovery"), 8192);
        const auto window = openWindow({.remembers = true});
        MessageBar& messages = window->view().messages();
        for (int left = 2; left > 0; --left) {
            messages.clear();
            QVERIFY(messages.kind() == MessageKind::Offer);
            QTRY_VERIFY(button(window->view().messages(), QStringLiteral("Discard")));
            press(window->view().messages(), QStringLiteral("Discard"));
            QVERIFY(messages.kind() == MessageKind::Done);
        }
        messages.clear();
        QVERIFY(!messages.isVisible());
        QVERIFY(!QFile::exists(recovery() + QStringLiteral("/one.recovery")));
        QCOMPARE(QDir(recovery() + QStringLiteral("/set aside")).entryList(QDir::Files),
            QStringList({QStringLiteral("one.recovery"), QStringLiteral("two.recovery")}));
        QVERIFY(RecoveryStore(recovery()).abandoned().empty());
        QVERIFY(window->close());
    }

    void aWindowThatRemembersNothingListsNoRecentFile()
    {
        const QString path = inFolder(QStringLiteral("picture.json"));
        QVERIFY(writeFileAtomically(path.toStdString(), findExample("gpt2-xl-alpa")->text));
        const auto picture = openWindow({.path = path});
        QCOMPARE(Settings::recentFiles(), QStringList());
        QVERIFY(picture->close());
        const auto person = openWindow({.path = path, .remembers = true});
        QCOMPARE(Settings::recentFiles(), QStringList{path});
        QVERIFY(person->close());
    }

    /// Two actions on one key where both are enabled make Qt do neither.
    void everyKeyDoesOneThing()
    {
        const auto window = openWindow();
        window->setPerspective(Perspective::Build);
        QVERIFY(window->select(QString::fromStdString(window->workspace().plan().cluster.nodes.front().id)));
        QVERIFY(window->findChildren<QShortcut*>().isEmpty()); // all keys belong to actions
        std::map<QString, QStringList> ofWindow;
        std::vector<std::pair<const QWidget*, std::map<QString, QStringList>>> ofWidgets;
        QList<QWidget*> widgets = window->findChildren<QWidget*>();
        widgets.prepend(window.get());
        for (const QWidget* widget : widgets) {
            std::map<QString, QStringList> own;
            for (const QAction* action : widget->actions()) {
                const bool everywhere = action->shortcutContext() == Qt::WindowShortcut;
                for (const QKeySequence& key : action->shortcuts()) {
                    QStringList& users = (everywhere ? ofWindow : own)[key.toString()];
                    if (!users.contains(action->text()))
                        users << action->text();
                }
            }
            if (!own.empty())
                ofWidgets.emplace_back(widget, std::move(own));
        }
        QVERIFY(ofWindow.size() > 20);
        QVERIFY(!ofWidgets.empty());
        for (const auto& [key, users] : ofWindow)
            QVERIFY2(users.size() == 1, qPrintable(key + QStringLiteral(": ") + users.join(u',')));
        for (const auto& [widget, own] : ofWidgets) {
            for (const auto& [key, users] : own)
                QVERIFY2(users.size() == 1 && !ofWindow.contains(key),
                    qPrintable(key + QStringLiteral(": ") + users.join(u',')));
        }
        QVERIFY(window->close());
    }

    void theCanvasDuplicatesAndTheWindowPins()
    {
        const auto window = openWindow();
        window->setPerspective(Perspective::Build);
        const std::size_t groups = window->workspace().plan().cluster.nodes.size();
        QVERIFY(window->select(QString::fromStdString(window->workspace().plan().cluster.nodes.front().id)));
        window->view().canvas().setFocus();
        QTest::keyClick(&window->view().canvas(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(window->workspace().plan().cluster.nodes.size(), groups + 1);
        QTest::keyClick(&window->view().canvas(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(window->workspace().document().project().pinned.size(), std::size_t(1));
        window->close();
        answer(*window, QMessageBox::Discard);
    }

    void racksAreStepsAndFound()
    {
        const auto window = openWindow();
        window->setPerspective(Perspective::Build);
        const auto nodes = [&] { return window->workspace().plan().cluster.nodes; };
        const QStringList all{QString::fromStdString(nodes().front().id)};
        QVERIFY(window->select(all.constFirst()));
        window->view().canvas().setFocus();
        QTest::keyClick(&window->view().canvas(), Qt::Key_G, Qt::ControlModifier);
        QCOMPARE(nodes().front().rack, std::string("Rack 1"));
        window->actionSet().undo->trigger();
        QVERIFY(nodes().front().rack.empty());
        window->actionSet().redo->trigger();
        QCOMPARE(nodes().front().rack, std::string("Rack 1"));
        window->view().canvas().setSelection({});
        QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* search = window->findChild<CommandPalette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(search, QStringLiteral("Rack 1"));
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(window->view().canvas().selection(), all);
        window->close();
        answer(*window, QMessageBox::Discard);
    }

    void leavingARackIsToldAndUndoneAtOnce()
    {
        const auto window = openWindow();
        window->setPerspective(Perspective::Build);
        TopologyView& canvas = window->view().canvas();
        const auto cluster = [&] { return window->workspace().plan().cluster; };
        const std::string id = cluster().nodes.front().id;
        canvas.setSelection({QString::fromStdString(id), QString::fromStdString(cluster().switches.front().id)});
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_G, Qt::ControlModifier);
        const CanvasValue before = canvas.value();
        canvas.setSelection({});
        const QPoint from = canvas.mapFromScene(canvas.topologyScene()->element(id)->pos());
        const QPoint to(canvas.viewport()->width() - 60, canvas.viewport()->height() / 2);
        QTest::mousePress(canvas.viewport(), Qt::LeftButton, {}, from);
        for (const QPoint at : {(from + to) / 2, to}) {
            QMouseEvent move(
                QEvent::MouseMove, at, canvas.viewport()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QCoreApplication::sendEvent(canvas.viewport(), &move);
        }
        QTest::mouseRelease(canvas.viewport(), Qt::LeftButton, {}, to);
        QVERIFY(cluster().nodes.front().rack.empty());
        QVERIFY(window->view().messages().kind() == MessageKind::Done);
        QVERIFY2(window->view().messages().text().endsWith(
                     QStringLiteral(" is no longer in Rack 1 (Ctrl+Z brings it back)")),
            qPrintable(window->view().messages().text()));
        window->actionSet().undo->trigger();
        QVERIFY(canvas.value() == before);
        QVERIFY(window->view().messages().isHidden());
        window->close();
        answer(*window, QMessageBox::Discard);
    }

    void theShortcutSheetNamesEveryKey()
    {
        const auto window = openWindow();
        const auto groups = shortcutGroups(*window->menuBar(), window->view().canvas());
        QStringList all;
        for (const ShortcutGroup& group : groups) {
            for (const auto& [keys, what] : group.keys)
                all << group.title + QStringLiteral(": ") + keys + QStringLiteral(" = ") + what;
        }
        for (const char* line :
            {"Plan: Ctrl+Shift+D = Pin this plan", "Cluster: Ctrl+D = Duplicate", "Cluster: V = Select",
                "Cluster: H = Pan", "Cluster: Ctrl+G = Group into a rack", "Cluster: Ctrl+Shift+G = Ungroup",
                "Cluster: Shift+G = Select the rack", "Cluster: F2 = Rename the rack", "Cluster: A = Arrange",
                "Cluster: L = Link", "Cluster: +, = = Zoom in", "Cluster: Del, Backspace = Delete",
                "Help: F1, ? = Keyboard shortcuts", "View: Ctrl+1 = Build", "Cluster: - = Zoom out", "Cluster: F = Fit",
                "Pipeline chart: Shift+F = Show the whole step"})
            QVERIFY2(
                all.contains(QString::fromLatin1(line)), qPrintable(line + QStringLiteral(" in\n") + all.join(u'\n')));
        const ShortcutSheet sheet = layoutShortcuts(groups, window->fontMetrics(), {1440, 900});
        const auto longer = [](const QString& a, const QString& b) { return a.size() < b.size(); };
        QVERIFY2(!sheet.cut,
            qPrintable(QStringLiteral("%1 columns of %2 x %3 pixels, longest: %4")
                           .arg(sheet.starts.size())
                           .arg(sheet.columnWidth)
                           .arg(sheet.size.height())
                           .arg(*std::max_element(all.begin(), all.end(), longer))));
        QVERIFY(sheet.size.width() <= 1440 && sheet.size.height() <= 900);
        // Even columns: what a column holds is never less than half of the sheet.
        const int line = window->fontMetrics().height() + 6;
        for (std::size_t column = 0; column < sheet.starts.size(); ++column) {
            const std::size_t end =
                column + 1 < sheet.starts.size() ? static_cast<std::size_t>(sheet.starts[column + 1]) : groups.size();
            int rows = 0;
            for (auto i = static_cast<std::size_t>(sheet.starts[column]); i < end; ++i)
                rows += static_cast<int>(groups[i].keys.size()) + 1;
            QVERIFY(rows * line * 2 > sheet.size.height() - 96);
        }
        QVERIFY(layoutShortcuts(groups, window->fontMetrics(), {800, 560}).size.width() <= 800);
        QVERIFY(window->close());
    }

    void theMenuTicksTheThemeThatIsShown()
    {
        const auto ticked = [](MainWindow& window) {
            QStringList result;
            for (const QAction* action : window.menuBar()->findChildren<QAction*>()) {
                if (action->isChecked() && action->actionGroup() && action->data().isValid())
                    result << action->text().remove(u'&');
            }
            return result;
        };
        const auto dark = openWindow({.theme = ThemeKind::Dark});
        QCOMPARE(ticked(*dark), QStringList{QStringLiteral("Dark")});
        QVERIFY(dark->close());
        const auto system = openWindow();
        QCOMPARE(ticked(*system), QStringList{QStringLiteral("As the system")});
        // The desktop changes its mind: only a window that follows it does, too.
        const ThemeKind before = systemTheme();
        const bool toDark = before != ThemeKind::Dark;
        SystemTheme::instance().setColourScheme(toDark ? 1 : 2);
        QVERIFY(currentTheme() == (toDark ? ThemeKind::Dark : ThemeKind::Light));
        for (QAction* action : system->menuBar()->findChildren<QAction*>()) {
            if (action->text() == QStringLiteral("&Light"))
                action->trigger();
        }
        SystemTheme::instance().setColourScheme(1);
        QVERIFY(currentTheme() == ThemeKind::Light);
        QVERIFY(system->close());
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    applyTheme(app, ThemeKind::Light);
    TestEditing test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_editing.moc"
