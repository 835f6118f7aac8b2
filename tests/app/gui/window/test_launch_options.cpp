// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line of the window program may say.
#include "app/gui/window/launch_options.h"

#include <QTest>

using namespace stratoplan::gui;
using namespace stratoplan::session;
using namespace stratoplan::widgets;

class TestLaunchOptions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void argumentsAreRead()
    {
        const auto options = parseArguments(
            {"--theme", "dark", "-platform", "offscreen", "--size", "1280x800", "--perspective", "build", "plan.json"});
        QVERIFY(options);
        QVERIFY(options->theme == ThemeKind::Dark);
        QVERIFY(options->size == QSize(1280, 800));
        QVERIFY(options->perspective == Perspective::Build);
        QVERIFY(parseArguments({"--colour-by", "pp"})->colourBy == stratoplan::parallel::Axis::Pp);
        QVERIFY(!parseArguments({})->colourBy && !parseArguments({})->linkLoad);
        QVERIFY(parseArguments({"--link-load"})->linkLoad);
        QCOMPARE(parseArguments({"--colour-by", "rank"}).error().code, 2);
        QCOMPARE(parseArguments({"--select", "leaf"})->select, QStringLiteral("leaf"));
        QCOMPARE(parseArguments({"--schedule", "order.txt"})->schedule, QStringLiteral("order.txt"));
        QCOMPARE(parseArguments({"--example", "gpt2-xl-alpa"})->example, QStringLiteral("gpt2-xl-alpa"));
        const auto study = parseArguments({"--study", "b.jsonl", "a.jsonl", "--perspective", "studies"});
        QVERIFY(study && study->perspective == Perspective::Studies && !study->exampleStudy);
        const auto table = parseArguments({"--table"});
        QVERIFY(table && table->clusterTable && table->perspective == Perspective::Build);
        QVERIFY(!options->clusterTable);
        QVERIFY(parseArguments({"--perspective", "partition"})->perspective == Perspective::Partition);
        QCOMPARE(study->study, QStringList({QStringLiteral("b.jsonl"), QStringLiteral("a.jsonl")}));
        QVERIFY(parseArguments({"--study", "example"})->exampleStudy
            && parseArguments({"--study", "example"})->study.isEmpty());
        const auto unknown = parseArguments({"--example", "gpt5"});
        QVERIFY(
            !unknown && unknown.error().code == 2 && unknown.error().text.find("gpt2-xl-alpa") != std::string::npos);
        QCOMPARE(options->planFile, QStringLiteral("plan.json"));
        for (const auto& bad : std::vector<std::vector<std::string>>{
                 {"--size", "big"}, {"--size", "1x1"}, {"--theme", "pink"}, {"--no-such"}, {"a", "b"}}) {
            const auto result = parseArguments(bad);
            QVERIFY(!result);
            QCOMPARE(result.error().code, 2);
            QVERIFY(!result.error().text.empty());
        }
        const auto version = parseArguments({"--version"});
        QVERIFY(!version);
        QCOMPARE(version.error().code, 0);
        QVERIFY(version.error().text.starts_with("stratoplan "));
    }
};

QTEST_APPLESS_MAIN(TestLaunchOptions)
#include "test_launch_options.moc"
