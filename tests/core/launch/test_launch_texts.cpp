// SPDX-License-Identifier: GPL-3.0-or-later
// Whole launch files, compared with those in golden/. Run with STRATOPLAN_WRITE_GOLDEN=1 to write them anew.
#include "core/narration/launches.h"
#include "tests/core/launch/launch_plans.h"
#include "tests/registry.h"

#include <QFile>
#include <QTest>

using namespace stratoplan;
using namespace stratoplan::launch;

namespace {

QString goldenFile(const char* example, std::string_view ending)
{
    return QFINDTESTDATA("golden") + '/' + example + QString::fromUtf8(ending.data()) + ".golden";
}

void compare(const QString& name, const std::string& text)
{
    QFile file(name);
    if (qEnvironmentVariableIsSet("STRATOPLAN_WRITE_GOLDEN")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.c_str(), qint64(text.size()));
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
    QCOMPARE(QString::fromStdString(text), QString::fromUtf8(file.readAll()));
}

} // namespace

class TestLaunchTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreAsTheyWere_data()
    {
        QTest::addColumn<QByteArray>("example");
        QTest::addColumn<int>("format");
        const auto row = [](const char* example, Format format) {
            QTest::newRow((std::string(example) + '.' + std::string(key(format))).c_str())
                << QByteArray(example) << int(format);
        };
        for (const Format format : kFormats)
            row("llama-70b-512-h100", format);
        row("llama3-405b-16384-h100", Format::MegatronLm);
        row("deepseek-v3-2048-h800", Format::MegatronLm);
        row("deepseek-v3-2048-h800", Format::MegatronBridge);
        row("deepseek-v3-2048-h800", Format::TorchTitan);
        row("gpt2-xl-alpa", Format::DeepSpeed);
        row("opt-175b-spatial-temporal", Format::MegatronLm);
        row("llama-65b-32-ascend", Format::MindSpeed);
        row("llama-65b-32-ascend", Format::Slurm);
    }
    void filesAreAsTheyWere()
    {
        QFETCH(const QByteArray, example);
        QFETCH(const int, format);
        const plan::Project project = launchtest::example(example.toStdString());
        const LaunchFile file = write(project, Format(format));
        const std::string ending = '.' + std::string(key(file.format)) + std::string(launch::ending(file.format));
        compare(goldenFile(example, ending), narration::launchText(file, project.plan));
        for (const Companion& companion : file.companions)
            compare(
                goldenFile(example, ending + companion.ending), narration::launchText(file, companion, project.plan));
    }
};

STRATOPLAN_TEST(TestLaunchTexts)
#include "test_launch_texts.moc"
