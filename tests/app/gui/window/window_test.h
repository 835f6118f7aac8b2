// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the whole window share: a window that touches nothing of the person's, and what a person does to
// it.
#pragma once

#include "app/gui/window/actions.h"
#include "app/gui/window/main_window.h"
#include "tests/app/gui_test.h"
#include "tests/finding.h"

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>

namespace stratoplan::test {

/// How a window is opened.
struct Opening {
    QString path = {}; ///< empty: the example it starts with
    bool remembers = false;
    std::optional<widgets::ThemeKind> theme = {};
    session::PlannerFunctions functions = quickFunctions();
    std::optional<session::Perspective> perspective = {}; ///< chosen by its key
};

class WindowTest : public GuiTest {
    Q_OBJECT

protected:
    [[nodiscard]] QString recovery() const { return inFolder(QStringLiteral("recovery")); }

    /// Not started and not shown yet.
    [[nodiscard]] std::unique_ptr<gui::MainWindow> newWindow(bool remembers = false,
        std::optional<widgets::ThemeKind> theme = {}, session::PlannerFunctions functions = quickFunctions()) const
    {
        return std::make_unique<gui::MainWindow>(gui::MainWindow::Options{.remembers = remembers,
            .theme = theme,
            .recoveryDirectory = recovery(),
            .functions = std::move(functions)});
    }

    /// Active, as shortcuts belong to the active window.
    static void show(gui::MainWindow& window)
    {
        window.resize(1440, 900);
        window.show();
        static_cast<void>(QTest::qWaitForWindowActive(&window));
    }

    /// Started and in sight.
    [[nodiscard]] std::unique_ptr<gui::MainWindow> openWindow(Opening how = {}) const
    {
        auto window = newWindow(how.remembers, how.theme, std::move(how.functions));
        window->start(how.path);
        show(*window);
        if (how.perspective)
            QTest::keySequence(window.get(), window->actionSet().perspective(*how.perspective)->shortcut());
        return window;
    }

    static bool settled(gui::MainWindow& window)
    {
        return QTest::qWaitFor([&] { return window.isSettled(); }, kPatience);
    }

    static void drop(gui::MainWindow& window, const QStringList& files)
    {
        QList<QUrl> urls;
        for (const QString& file : files)
            urls << QUrl::fromLocalFile(file);
        QMimeData data;
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
    }

    static void answer(gui::MainWindow& window, QMessageBox::StandardButton button)
    {
        QTRY_VERIFY(window.findChild<QMessageBox*>());
        auto* box = window.findChild<QMessageBox*>();
        QTest::mouseClick(box->button(button), Qt::LeftButton);
        QCoreApplication::sendPostedEvents(box, QEvent::DeferredDelete);
    }

    static void discardAndClose(gui::MainWindow& window)
    {
        window.close();
        if (window.isVisible())
            answer(window, QMessageBox::Discard);
        QVERIFY(!window.isVisible());
    }
};

} // namespace stratoplan::test
