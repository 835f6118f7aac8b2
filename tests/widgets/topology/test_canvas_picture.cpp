// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas as a file and on the clipboard, by its keys.
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/canvas_page.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_picture.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace stratoplan::widgets;
using namespace stratoplan::test;

class TestCanvasPicture : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, ThemeKind::Dark);
        collectQtMessages();
    }

    void cleanup()
    {
        const QStringList messages = std::exchange(qtMessages(), {});
        QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
    }

    /// In the light theme, at the scale asked for, and nothing is selected in it.
    void isWrittenInEveryFormat()
    {
        CanvasPage host(fatTree());
        TopologyScene& scene = *host.view().topologyScene();
        const Picture picture = canvasPicture(scene);
        const QImage plain = imageOf(picture, 1);
        QCOMPARE(plain.size(), picture.size);
        QCOMPARE(QColor(plain.pixel(2, 2)), tokens(ThemeKind::Light).surface);
        host.view().setSelection({QStringLiteral("nodes")});
        QSignalSpy selected(&host.view(), &TopologyView::selectionChanged);
        QCOMPARE(imageOf(picture, 1), plain);
        QCOMPARE(host.view().selection(), QStringList{QStringLiteral("nodes")});
        QCOMPARE(selected.size(), 0);
        QVERIFY(currentTheme() == ThemeKind::Dark);

        const QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(QString::fromLatin1(name)); };
        for (const char* name : {"c.png", "c.svg", "c.pdf"})
            QCOMPARE(writePicture(picture, path(name), 4), QString());
        QCOMPARE(QImage(path("c.png")).size(), picture.size * 4);
        const auto content = [&](const char* name) {
            QFile file(path(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(content("c.svg").contains("<text") && !content("c.svg").contains("<image"));
        QVERIFY(content("c.pdf").startsWith("%PDF"));
        QVERIFY(writePicture(picture, path("c.bmp")).contains(QStringLiteral("c.bmp")));
    }

    void keysCopyAndExport()
    {
        CanvasPage host(fatTree());
        QSignalSpy noticed(&host.view(), &TopologyView::noticed);
        QSignalSpy refused(&host.view(), &TopologyView::refused);
        QTest::keyClick(&host.view(), Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
        QCOMPARE(QGuiApplication::clipboard()->image().size(), canvasPicture(*host.view().topologyScene()).size * 2);
        QCOMPARE(noticed.size(), 1);
        const QTemporaryDir folder;
        for (const QString& path :
            {folder.filePath(QStringLiteral("c.svg")), QStringLiteral("/nowhere/at/all/c.svg")}) {
            QTest::keyClick(&host.view(), Qt::Key_E, Qt::ControlModifier | Qt::AltModifier);
            auto* dialog = host.view().findChild<QFileDialog*>();
            QVERIFY(dialog && dialog->isVisible());
            Q_EMIT dialog->fileSelected(path);
            dialog->close();
            QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
        }
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("c.svg"))));
        QCOMPARE(noticed.size(), 2);
        QCOMPARE(refused.size(), 1);
        QVERIFY(refused.first().first().toString().contains(QStringLiteral("/nowhere/at/all/c.svg")));
    }
};

QTEST_MAIN(TestCanvasPicture)
#include "test_canvas_picture.moc"
