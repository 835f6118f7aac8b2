// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of the house that a compiler does not check: licences, floors, and a core without Qt.
#include <QTest>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace {

const QDir kRoot(QStringLiteral(SOURCE_ROOT));

/// Every file of the sources under `folder`, relative to the root.
QStringList filesUnder(const QString& folder, const QStringList& patterns = {})
{
    QStringList files;
    QDirIterator it(kRoot.filePath(folder), patterns, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (it.hasNext())
        files << kRoot.relativeFilePath(it.next());
    files.sort();
    return files;
}

QString read(const QString& file)
{
    QFile f(kRoot.filePath(file));
    return f.open(QIODevice::ReadOnly) ? QString::fromUtf8(f.readAll()) : QString();
}

QStringList includesOf(const QString& file)
{
    static const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]"), QRegularExpression::MultilineOption);
    QStringList found;
    for (auto it = include.globalMatch(read(file)); it.hasNext();)
        found << it.next().captured(1);
    return found;
}

/// Floor of the folder a file stands in; 0 if it has none. A folder includes only what stands below it, and itself.
int floorOf(const QString& file)
{
    static const QMap<QString, int> floors{{"core/units", 1}, {"core/model", 2}, {"core/cluster", 2}, {"core/parallel", 3}, {"core/plan", 4},
        {"core/catalog", 4}, {"core/workload", 5}, {"core/cost", 6}, {"core/pipeline", 6}, {"core/estimate", 7}, {"core/search", 8},
        {"core/capacity", 8}, {"core/exchange", 8}, {"core/validation", 8}, {"widgets", 9}, {"app", 10}};
    const QString two = file.section('/', 0, 1);
    return floors.value(floors.contains(two) ? two : file.section('/', 0, 0), 0);
}

const QStringList kSources{"*.h", "*.cpp"};
const QStringList kTops{"core", "widgets", "app", "tests"};

} // namespace

class TestHouse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFileNamesItsLicence();
    void foldersIncludeOnlyWhatStandsBelow();
    void everyCoreFolderHasAFloor();
    void coreKnowsNoQt();
    void heavyHeadersStayInTheirPlace();
    void namesAndGuards();
};

void TestHouse::everyFileNamesItsLicence()
{
    const QStringList patterns{"*.h", "*.cpp", "*.cmake", "CMakeLists.txt", "*.md", "*.svg", "*.json", "run", "test", "dependencies", "screenshots"};
    int seen = 0;
    for (const QString& top : kTops + QStringList{"resources", "packaging", ".ci"}) {
        for (const QString& file : filesUnder(top, patterns)) {
            const QString text = read(file);
            const bool apache = file.startsWith("core/") || file.startsWith("resources/catalog/");
            const QString licence = apache ? QStringLiteral("Apache-2.0") : QStringLiteral("GPL-3.0-or-later");
            if (file.endsWith(".json")) {
                // JSON has no comments: a key where the format of the document has room for one.
                const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
                if (file.startsWith("resources/catalog/"))
                    QVERIFY2(object.value("license").toString() == licence, qPrintable(file));
                continue;
            }
            const QString head = text.section('\n', 0, 4);
            QVERIFY2(head.contains("SPDX-License-Identifier: " + licence), qPrintable(file));
            ++seen;
        }
    }
    QVERIFY(seen > 50);
    for (const char* file : {"LICENSE", "core/LICENSE", "resources/catalog/LICENSE"})
        QVERIFY2(kRoot.exists(file), file);
}

void TestHouse::foldersIncludeOnlyWhatStandsBelow()
{
    QMap<QString, QSet<QString>> uses; // folder -> folders it includes from
    for (const char* top : {"core", "widgets", "app"}) {
        for (const QString& file : filesUnder(top, kSources)) {
            const QString folder = file.section('/', 0, 1);
            for (const QString& include : includesOf(file)) {
                const int floor = floorOf(include);
                if (floor == 0)
                    continue;
                QVERIFY2(floor <= floorOf(file), qPrintable(file + " includes " + include));
                if (include.section('/', 0, 1) != folder && include.startsWith("core/"))
                    uses[folder] << include.section('/', 0, 1);
            }
        }
    }
    // Neighbours on one floor know each other in one direction at most: taking away what uses nothing left empties the house.
    QVERIFY(uses.size() > 10);
    while (!uses.isEmpty()) {
        QStringList leaves;
        for (auto it = uses.cbegin(); it != uses.cend(); ++it)
            if (std::none_of(it->cbegin(), it->cend(), [&](const QString& folder) { return uses.contains(folder); }))
                leaves << it.key();
        QVERIFY2(!leaves.isEmpty(), qPrintable("a circle among " + QStringList(uses.keys()).join(' ')));
        for (const QString& leaf : leaves)
            uses.remove(leaf);
    }
    // The programs do not know each other.
    for (const QString& file : filesUnder("app/cli", kSources))
        for (const QString& include : includesOf(file))
            QVERIFY2(!include.startsWith("app/gui"), qPrintable(file));
    for (const QString& file : filesUnder("app/gui", kSources))
        for (const QString& include : includesOf(file))
            QVERIFY2(!include.startsWith("app/cli"), qPrintable(file));
}

void TestHouse::everyCoreFolderHasAFloor()
{
    for (const QString& file : filesUnder("core", kSources))
        QVERIFY2(floorOf(file) > 0, qPrintable(file));
}

void TestHouse::coreKnowsNoQt()
{
    for (const QString& file : filesUnder("core", kSources))
        for (const QString& include : includesOf(file))
            QVERIFY2(!include.startsWith('Q') && !include.startsWith("qcustomplot"), qPrintable(file + " includes " + include));

    // The compiler must not even find Qt when it compiles the core.
    QFile commands(QStringLiteral(BUILD_ROOT "/compile_commands.json"));
    QVERIFY(commands.open(QIODevice::ReadOnly));
    int seen = 0;
    for (const QJsonValue& value : QJsonDocument::fromJson(commands.readAll()).array()) {
        const QString file = kRoot.relativeFilePath(value["file"].toString());
        if (!file.startsWith("core/"))
            continue;
        ++seen;
        QVERIFY2(!value["command"].toString().contains("qt6", Qt::CaseInsensitive), qPrintable(file));
    }
    QVERIFY(seen > 10);
}

// Each costs seconds per file that includes it.
void TestHouse::heavyHeadersStayInTheirPlace()
{
    static const QSet<QString> umbrellas{"QtWidgets", "QtCore", "QtGui", "QtConcurrent", "QtTest"};
    for (const QString& top : kTops) {
        for (const QString& file : filesUnder(top, kSources)) {
            for (const QString& include : includesOf(file)) {
                QVERIFY2(!umbrellas.contains(include), qPrintable(file + " includes " + include));
                if (include == "qcustomplot.h")
                    QVERIFY2(file.endsWith(".cpp"), qPrintable(file));
                if (include.startsWith("nlohmann/json.hpp") && file.startsWith("core/")) {
                    QVERIFY2(file.startsWith("core/exchange/") || file.startsWith("core/catalog/") || file.startsWith("core/validation/"),
                        qPrintable(file));
                }
            }
        }
    }
}

void TestHouse::namesAndGuards()
{
    static const QRegularExpression lowerSnake(QStringLiteral("^[a-z0-9_]+\\.(h|cpp)$"));
    for (const QString& top : kTops) {
        for (const QString& file : filesUnder(top, kSources)) {
            QVERIFY2(lowerSnake.match(file.section('/', -1)).hasMatch(), qPrintable(file));
            if (file.endsWith(".h"))
                QVERIFY2(read(file).contains("#pragma once"), qPrintable(file));
        }
    }
}

QTEST_GUILESS_MAIN(TestHouse)
#include "test_house.moc"
