// SPDX-License-Identifier: GPL-3.0-or-later
// The report from the window, and from the program started without one.
#include "app/gui/report/report_binding.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/main_window.h"
#include "tests/app/gui_test.h"
#include "widgets/shell/message_bar.h"

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QProcess>
#include <QProgressDialog>
#include <QTest>

using namespace stratoplan;
using namespace stratoplan::test;

namespace {

/// A plan whose search is quick, as a project.
QByteArray quickProject()
{
    exchange::Document document = exampleDocument("gpt2-xl-alpa");
    document.project.search.mode = plan::SearchMode::ClosedForm;
    document.project.search.locks = {
        plan::Dimension::Tp, plan::Dimension::OrderOfRanks, plan::Dimension::TensorPartition};
    document.original.clear();
    return QByteArray::fromStdString(exchange::writeProject(document, catalog::shippedCatalog()));
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestReportWindow : public GuiTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { failOnWarnings(); }

    void theProgramWritesAPdfWithoutADisplay()
    {
        const QString plan = saved(QStringLiteral("plan.json"), quickProject());
        const QString file = inFolder(QStringLiteral("report.pdf"));
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(display));
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(STRATOPLAN_EXECUTABLE), {QStringLiteral("--report"), file, plan});
        QVERIFY(program.waitForFinished(120000));
        QCOMPARE(program.exitCode(), 0);
        const QByteArray pdf = contentOf(file);
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(pdf.count("/Type /Page\n") >= 5);
        QVERIFY(pdf.contains("/FontFile")); // embedded
        QVERIFY(!pdf.contains("/Subtype /Image")); // vectors alone
    }

    void theProgramSaysWhatIsWrong()
    {
        QProcess program;
        program.start(QStringLiteral(STRATOPLAN_EXECUTABLE),
            {QStringLiteral("--report"), inFolder(QStringLiteral("r.pdf")), inFolder(QStringLiteral("none.json"))});
        QVERIFY(program.waitForFinished(60000));
        QCOMPARE(program.exitCode(), 2);
        QVERIFY(program.readAllStandardError().contains("none.json"));
    }

    void theWindowWritesOne()
    {
        gui::MainWindow window({.remembers = false, .theme = {}, .recoveryDirectory = inFolder(QStringLiteral("r"))});
        window.start(saved(QStringLiteral("plan.json"), quickProject()));
        window.show();
        window.actionSet().exportReport->trigger();
        auto* const dialog = window.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        dialog->close();
        const QString file = inFolder(QStringLiteral("report.html"));
        window.findChild<gui::ReportBinding*>()->write(file);
        QVERIFY(window.findChild<QProgressDialog*>() != nullptr);
        QTRY_VERIFY(window.findChild<gui::ReportBinding*>()->isSettled());
        QVERIFY(contentOf(file).contains("</html>"));
    }

    void aReportCanBeCancelled()
    {
        gui::MainWindow window({.remembers = false, .theme = {}, .recoveryDirectory = inFolder(QStringLiteral("r"))});
        window.start({}, QStringLiteral("gpt3-175b-1024-a100"));
        window.show();
        const QString file = inFolder(QStringLiteral("report.pdf"));
        window.findChild<gui::ReportBinding*>()->write(file);
        Q_EMIT window.findChild<QProgressDialog*>()->canceled();
        QTRY_VERIFY(window.findChild<gui::ReportBinding*>()->isSettled());
        QVERIFY(!QFile::exists(file));
    }
};

QTEST_MAIN(TestReportWindow)
#include "test_report_window.moc"
