// SPDX-License-Identifier: GPL-3.0-or-later
// The tree keeps the rules of the house; and the rules catch what breaks them.
#include "tests/house/rules.h"
#include "tests/registry.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <functional>
#include <map>
#include <regex>
#include <set>

using namespace stratoplan::house;

namespace {

const std::vector<File>& tree()
{
    static const std::vector<File> files = readTree(STRATOPLAN_SOURCE_DIR);
    return files;
}

QString faultsOfTree(const std::function<Faults(const File&)>& rule)
{
    QString text;
    for (const File& file : tree()) {
        for (const std::string& fault : rule(file))
            text += "\n" + QString::fromStdString(fault);
    }
    return text;
}

} // namespace

class TestHouse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTreeIsRead()
    {
        QVERIFY(tree().size() > 50);
        const auto knows = [](const char* path) {
            return std::any_of(
                tree().begin(), tree().end(), [&](const File& f) { return f.path == path && !f.lines.empty(); });
        };
        QVERIFY(knows("core/plan/plan.h"));
        QVERIFY(knows("CMakeLists.txt"));
    }

    /// The table of ARCHITECTURE.md has every folder of the core, on the floor that the rules hold it to.
    void theFloorsAreThoseOfTheDocument()
    {
        const auto document = std::find_if(
            tree().begin(), tree().end(), [](const File& f) { return f.path == "resources/docs/ARCHITECTURE.md"; });
        QVERIFY(document != tree().end());
        static const std::regex row(R"(^\| (\d+) \|)"), folder("`(core/[a-z]+)`");
        std::map<std::string, int> rows;
        for (const std::string& line : document->lines) {
            std::smatch number;
            if (!std::regex_search(line, number, row))
                continue;
            for (std::sregex_iterator it(line.begin(), line.end(), folder), end; it != end; ++it)
                rows[(*it)[1]] = std::stoi(number[1]);
        }
        for (const auto& [name, floor] : floors()) {
            if (!name.starts_with("core/"))
                continue;
            QVERIFY2(rows.contains(name), name.c_str());
            for (const auto& [other, otherFloor] : floors())
                if (rows.contains(other))
                    QVERIFY2((rows[name] <=> rows[other]) == (floor <=> otherFloor), (name + ", " + other).c_str());
        }
    }

    void nothingStrayStandsOnTop()
    {
        const std::set<std::string> allowed{"CMakeLists.txt", "README.md", "app", "core", "widgets", "resources",
            "tests", "packaging", "LICENSE", "CMakePresets.json", "CHANGELOG.md", "CONTRIBUTING.md", "build"};
        for (const auto& entry : std::filesystem::directory_iterator(STRATOPLAN_SOURCE_DIR)) {
            const std::string name = entry.path().filename().string();
            QVERIFY2(name.starts_with(".") || name.starts_with("build") || allowed.contains(name), name.c_str());
        }
    }

    void licencesLieWhereTheyApply()
    {
        const auto text = [](const char* path) {
            const auto it = std::find_if(tree().begin(), tree().end(), [&](const File& f) { return f.path == path; });
            std::string all;
            for (const std::string& line : it == tree().end() ? std::vector<std::string>{} : it->lines)
                all += line;
            return all;
        };
        QVERIFY(text("LICENSE").find("GNU GENERAL PUBLIC LICENSE") != std::string::npos);
        QVERIFY(text("core/LICENSE").find("Apache License") != std::string::npos);
        QVERIFY(text("resources/catalog/LICENSE").find("Apache License") != std::string::npos);
    }

    void theCompilerOfTheCoreCannotFindQt()
    {
        QFile commands(QStringLiteral(STRATOPLAN_BUILD_DIR "/compile_commands.json"));
        QVERIFY(commands.open(QIODevice::ReadOnly));
        int seen = 0;
        for (const QJsonValue& value : QJsonDocument::fromJson(commands.readAll()).array()) {
            const QString file = value["file"].toString(); // or one of the build that includes several
            if (!file.startsWith(QStringLiteral(STRATOPLAN_SOURCE_DIR "/core/"))
                && !file.startsWith(QStringLiteral(STRATOPLAN_BUILD_DIR "/core/")))
                continue;
            ++seen;
            QVERIFY2(!value["command"].toString().contains("qt6", Qt::CaseInsensitive), qPrintable(file));
        }
        QVERIFY(seen > 10);
    }

    void foldersIncludeWhatStandsBelow() { QCOMPARE(faultsOfTree(floorFaults), QString()); }
    void foreignHeadersStandWhereTheyMay() { QCOMPARE(faultsOfTree(foreignFaults), QString()); }
    void everyFileNamesItsLicence() { QCOMPARE(faultsOfTree(licenceFaults), QString()); }
    void headersAreGuardedAndNamedFromTheRoot() { QCOMPARE(faultsOfTree(headerFaults), QString()); }
    void namespacesFollowFolders() { QCOMPARE(faultsOfTree(namespaceFaults), QString()); }
    void numbersIgnoreTheLocale() { QCOMPARE(faultsOfTree(localeFaults), QString()); }
    void namesSayWhatTheyAre() { QCOMPARE(faultsOfTree(nameFaults), QString()); }
    void nothingIsLeftOver() { QCOMPARE(faultsOfTree(leftoverFaults), QString()); }

    // In one piece: a table of files that break one rule each, and what is said.
    void rulesCatchWhatBreaksThem_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("rule");
        const auto row = [](const char* name, const char* path, const char* line, int rule) {
            QTest::newRow(name) << path << line << rule;
        };
        row("upwards", "core/plan/a.cpp", "#include \"core/estimate/estimate.h\"", 0);
        row("sideways", "widgets/charts/a.cpp", "#include \"widgets/panels/panel.h\"", 0);
        row("core to widgets", "core/search/a.cpp", "#include \"widgets/style/style.h\"", 0);
        row("one program to the other", "app/gui/a.cpp", "#include \"app/cli/a.h\"", 0);
        row("window to the command line", "app/gui/window/a.cpp", "#include \"app/cli/a.h\"", 0);
        row("command line to the session", "app/cli/a.cpp", "#include \"app/session/a.h\"", 0);
        row("session to the window", "app/session/a.cpp", "#include \"app/gui/files/a.h\"", 0);
        row("room to room", "app/gui/search/a.cpp", "#include \"app/gui/explore/a.h\"", 0);
        row("room to the window", "app/gui/explore/a.cpp", "#include \"app/gui/window/a.h\"", 0);
        row("files to a room", "app/gui/files/a.cpp", "#include \"app/gui/calibrate/a.h\"", 0);
        row("unknown room", "app/gui/attic/a.cpp", "", 0);
        row("unknown floor", "core/attic/a.cpp", "", 0);
        row("Qt in core", "core/plan/a.h", "#include <QString>", 1);
        row("Qt file in core", "core/plan/a.h", "#include <qglobal.h>", 1);
        row("Qt module in core", "core/plan/a.h", "#include <QtCore/QString>", 1);
        row("Qt in the command line", "app/cli/a.cpp", "#include <QFile>", 1);
        row("umbrella", "widgets/charts/a.cpp", "#include <QtWidgets>", 1);
        row("widget in presentation", "widgets/presentation/a.cpp", "#include <QWidget>", 1);
        row("widget in the session", "app/session/a.h", "#include <QWidget>", 1);
        row("plot in a header", "widgets/charts/a.h", "#include <qcustomplot.h>", 1);
        row("plot in the app", "app/gui/a.cpp", "#include <qcustomplot.h>", 1);
        row("JSON in the plan", "core/plan/a.cpp", "#include <nlohmann/json.hpp>", 1);
        row("no licence", "app/gui/a.cpp", "int x;", 2);
        row("GPL in core", "core/plan/a.cpp", "// SPDX-License-Identifier: GPL-3.0-or-later", 2);
        row("Apache in widgets", "widgets/charts/a.cpp", "// SPDX-License-Identifier: Apache-2.0", 2);
        row("script without licence", "packaging/run", "#!/bin/sh", 2);
        row("catalogue without licence", "resources/catalog/a.json", "{}", 2);
        row("schema without licence", "resources/schema/a.json", "{", 2);
        row("schema under another licence", "resources/schema/a.json",
            "\"$comment\": \"SPDX-License-Identifier: GPL-3.0-or-later\",", 2);
        row("example under another licence", "resources/examples/a.json", "\"license\": \"GPL-3.0-or-later\",", 2);
        row("cases without licence", "resources/validation/a.json", "{", 2);
        row("table without licence", "resources/examples/a.csv", "tp,step_s", 2);
        row("document without licence", "resources/docs/a.md", "# Title", 2);
        row("name in capitals", "core/plan/Plan.cpp", "int x;", 3);
        row("no guard", "core/plan/a.h", "int x;", 3);
        row("bare include", "core/plan/a.cpp", "#include \"plan.h\"", 3);
        row("note to self", "core/plan/a.cpp", QByteArray("// TO").append("DO later").constData(), 4);
        row("namespace of nobody", "core/plan/a.cpp", "namespace stratoplan {", 6);
        row("namespace of another folder", "core/plan/a.cpp", "namespace stratoplan::cost {", 6);
        row("namespace of a room", "app/gui/search/a.h", "namespace stratoplan::search {", 6);
        row("printed by the locale", "core/units/a.cpp", "std::snprintf(text, sizeof text, \"%+.*f %%\", 1, x);", 5);
        row("read by the locale", "app/cli/a.cpp", "const double x = std::strtod(text, nullptr);", 5);
        row("read by the locale, with an exception", "widgets/panels/a.cpp", "const double x = std::stod(text);", 5);
        row("loop over nobody knows what", "core/plan/a.cpp", "for (const Stage& one : stages)", 7);
        row("parameter that is a preposition", "app/cli/a.h", "double share(double part, double of);", 7);
        row("variable of nobody", "widgets/charts/a.cpp", "const auto own = text(\"its own\"); // of the plan", 7);
        row("function in the past tense", "app/gui/a.h", "QString told() const;", 7);
        row("somebody's machine", "README.md", QByteArray("see /ho").append("me/x").constData(), 4);
    }
    void rulesCatchWhatBreaksThem()
    {
        static constexpr std::array rules{floorFaults, foreignFaults, licenceFaults, headerFaults, leftoverFaults,
            localeFaults, namespaceFaults, nameFaults};
        QFETCH(const QString, path);
        QFETCH(const QString, line);
        QFETCH(const int, rule);
        const File file{path.toStdString(), {line.toStdString()}};
        QCOMPARE(rules[static_cast<std::size_t>(rule)](file).size(), std::size_t{1});
    }

    void rulesLetGoodFilesPass()
    {
        const File good{"core/estimate/a.h",
            {"// SPDX-License-Identifier: Apache-2.0", "#pragma once", "#include \"core/plan/plan.h\"",
                "#include \"core/estimate/b.h\"", "#include <vector>", "namespace stratoplan::plan {", "struct Plan;",
                "}", "namespace stratoplan::estimate {", "std::fprintf(stderr, \"%s: %d of 5 %%\", name, n);",
                "int oneStage = 0; ///< its own, told of one",
                "const char quote = '\"', word[] = \"one of \\\"own\\\"\";"}};
        const File plot{"widgets/charts/a.cpp",
            {"// SPDX-License-Identifier: GPL-3.0-or-later", "#include \"widgets/charts/a.h\"",
                "#include \"core/estimate/a.h\"", "#include <QWidget>", "#include <qcustomplot.h>"}};
        const File page{"app/gui/window/a.cpp",
            {"// SPDX-License-Identifier: GPL-3.0-or-later", "#include \"app/gui/search/a.h\"",
                "#include \"app/gui/files/a.h\"", "#include \"app/session/a.h\"", "#include \"app/logging.h\""}};
        for (const auto rule : {floorFaults, foreignFaults, licenceFaults, headerFaults, leftoverFaults, localeFaults,
                 namespaceFaults, nameFaults}) {
            QCOMPARE(rule(good), Faults{});
            QCOMPARE(rule(plot), Faults{});
            QCOMPARE(rule(page), Faults{});
        }
    }
};

STRATOPLAN_TEST(TestHouse)
#include "test_house.moc"
