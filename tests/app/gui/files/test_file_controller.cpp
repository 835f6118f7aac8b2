// SPDX-License-Identifier: GPL-3.0-or-later
// What stands between a document and its loss: recovery after a crash, the question before it is given up.
#include "app/gui/files/file_controller.h"
#include "tests/app/gui_test.h"
#include "widgets/shell/message_bar.h"

#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTest>

using namespace stratoplan::catalog;
using namespace stratoplan::gui;
using namespace stratoplan::plan;
using namespace stratoplan::session;
using namespace stratoplan::widgets;
using namespace stratoplan::test;

namespace {

ProjectChange tpChange(const ProjectDocument& document, int tp)
{
    ProjectChange change;
    change.plan = document.plan();
    change.plan->strategy.tp = tp;
    return change;
}

} // namespace

class TestFileController : public GuiTest {
    Q_OBJECT

private Q_SLOTS:
    /// What autosave keeps is what a restore brings back, unsaved.
    void crashedWorkComesBack()
    {
        const QString folder = inFolder(QStringLiteral("recovery"));
        Project edited;
        {
            QWidget window;
            MessageBar messages(&window);
            ProjectDocument document(shippedCatalog());
            FileController files(document, messages, folder, nullptr);
            files.loadExample("gpt3-175b-1024-a100");
            document.edit(tpChange(document, 4), QStringLiteral("edit"));
            edited = document.project();
            QTRY_COMPARE(QDir(folder).entryList({QStringLiteral("*.recovery")}).size(), 1);
            // A crash: the copy stays, its lock dies with the program.
            const QString copy = folder + u'/' + QDir(folder).entryList({QStringLiteral("*.recovery")}).front();
            QVERIFY(QFile::copy(copy, folder + QStringLiteral("/crashed.recovery")));
            files.forgetRecovery();
        }
        QWidget window;
        MessageBar messages(&window);
        window.show();
        ProjectDocument document(shippedCatalog());
        FileController files(document, messages, folder, nullptr);
        files.loadExample("gpt2-xl-alpa");
        files.offerRecovery();
        QVERIFY(messages.isVisible());
        const auto buttons = messages.findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 2);
        QTest::mouseClick(buttons.front(), Qt::LeftButton);
        QVERIFY(document.project() == edited);
        QVERIFY(!document.isClean());
        QVERIFY(!QFile::exists(folder + QStringLiteral("/crashed.recovery")));
        files.forgetRecovery();
    }

    void unsavedWorkIsAskedFor()
    {
        QWidget window;
        MessageBar messages(&window);
        window.show();
        ProjectDocument document(shippedCatalog());
        FileController files(document, messages, inFolder(QStringLiteral("recovery")), nullptr);
        files.loadExample("gpt3-175b-1024-a100");
        int proceeded = 0;
        files.whenSafe([&] { ++proceeded; });
        QCOMPARE(proceeded, 1);
        const QString path = inFolder(QStringLiteral("asked.json"));
        QVERIFY(document.save(path));
        document.edit(tpChange(document, 4), QStringLiteral("edit"));
        const auto answer = [&](QMessageBox::StandardButton button) {
            auto* box = window.findChild<QMessageBox*>();
            QVERIFY(box);
            QTest::mouseClick(box->button(button), Qt::LeftButton);
            QCoreApplication::sendPostedEvents(box, QEvent::DeferredDelete);
        };
        files.whenSafe([&] { ++proceeded; });
        QCOMPARE(proceeded, 1);
        answer(QMessageBox::Cancel);
        QCOMPARE(proceeded, 1);
        QVERIFY(!document.isClean());
        files.whenSafe([&] { ++proceeded; });
        answer(QMessageBox::Save);
        QCOMPARE(proceeded, 2);
        QVERIFY(document.isClean());
        document.edit(tpChange(document, 2), QStringLiteral("edit"));
        files.whenSafe([&] { ++proceeded; });
        answer(QMessageBox::Discard);
        QCOMPARE(proceeded, 3);
        files.forgetRecovery();
    }

    void plansAreExportedAsOnTheCommandLine()
    {
        QWidget window;
        MessageBar messages(&window);
        window.show();
        ProjectDocument document(shippedCatalog());
        FileController files(document, messages, inFolder(QStringLiteral("recovery")), nullptr);
        files.loadExample("llama-70b-512-h100");
        files.exportPlan();
        auto* chooser = window.findChild<QFileDialog*>();
        QVERIFY(chooser);
        const QString path = inFolder(QStringLiteral("chosen.json"));
        Q_EMIT chooser->fileSelected(path);
        chooser->close();
        QFile written(path);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QProcess cli;
        cli.start(QStringLiteral(STRATOPLAN_CLI), {"export", "-", "--format", "json", "-o", "-"});
        QVERIFY(cli.waitForStarted());
        const std::string& text = stratoplan::exchange::findExample("llama-70b-512-h100")->text;
        cli.write(text.data(), qint64(text.size()));
        cli.closeWriteChannel();
        QVERIFY(cli.waitForFinished());
        const QByteArray answered = cli.readAllStandardOutput();
        QVERIFY(answered.contains("\"rank_map\""));
        QVERIFY(written.readAll() == answered);
        files.forgetRecovery();
    }

    void launchFilesAreWrittenWithWhatStandsBesideThem()
    {
        QWidget window;
        MessageBar messages(&window);
        window.show();
        ProjectDocument document(shippedCatalog());
        FileController files(document, messages, inFolder(QStringLiteral("recovery")), nullptr);
        files.loadExample("gpt3-175b-1024-a100");
        files.exportLaunch(stratoplan::launch::Format::DeepSpeed);
        auto* chooser = window.findChild<QFileDialog*>();
        QVERIFY(chooser);
        const QString path = inFolder(QStringLiteral("launch.json"));
        Q_EMIT chooser->fileSelected(path);
        chooser->close();
        QFile configuration(path), arguments(path + QStringLiteral(".args"));
        QVERIFY(configuration.open(QIODevice::ReadOnly) && arguments.open(QIODevice::ReadOnly));
        QVERIFY(configuration.readAll().contains("\"train_batch_size\": 1536"));
        QVERIFY(arguments.readAll().contains("\n--pipeline-model-parallel-size 8\n"));
        document.edit(tpChange(document, 7), QStringLiteral("edit"));
        QCoreApplication::sendPostedEvents(chooser, QEvent::DeferredDelete);
        files.exportLaunch(stratoplan::launch::Format::DeepSpeed);
        QVERIFY(!window.findChild<QFileDialog*>()); // a plan with errors starts nothing
        files.forgetRecovery();
    }
};

int main(int argc, char** argv)
{
    failOnWarnings();
    QApplication app(argc, argv);
    TestFileController test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_file_controller.moc"
