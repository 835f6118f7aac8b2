// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing in the tree is larger than it may be, and what is too large is found.
#include "tests/house/measures.h"
#include "tests/registry.h"

#include <QTest>
#include <algorithm>

using namespace stratoplan::house;

namespace {

const std::vector<File>& tree()
{
    static const std::vector<File> files = readTree(STRATOPLAN_SOURCE_DIR);
    return files;
}

std::vector<std::string> lines(int count, const std::string& line)
{
    return std::vector<std::string>(static_cast<std::size_t>(count), line);
}

/// A function of so many lines in all, under what stands above it.
std::vector<std::string> function(const std::string& head, int count, std::vector<std::string> above = {})
{
    above.push_back(head);
    above.push_back("{");
    for (const std::string& line : lines(count - 3, "    work();"))
        above.push_back(line);
    above.push_back("}");
    return above;
}

std::vector<std::string> classOf(const std::string& name, int count)
{
    std::vector<std::string> all{"class " + name + " final : public Base {"};
    for (const std::string& line : lines(count - 2, "    int m_number;"))
        all.push_back(line);
    all.push_back("};");
    return all;
}

std::vector<std::string> together(std::vector<std::string> a, const std::vector<std::string>& b)
{
    a.push_back("");
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

QStringList faultsOf(const std::vector<File>& files)
{
    QStringList all;
    for (const SizeFault& fault : sizeFaults(files))
        all << QString::fromStdString(fault.what);
    return all;
}

} // namespace

class TestMeasures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsTooLarge()
    {
        QString text;
        for (const SizeFault& fault : sizeFaults(tree()))
            text += QString::fromStdString("\n" + fault.text);
        QVERIFY2(text.isEmpty(), qPrintable(text)); // whole: QCOMPARE cuts it
    }

    void noLineIsTooWide()
    {
        QString text;
        for (const File& file : tree()) {
            for (const std::string& fault : columnFaults(file))
                text += "\n" + QString::fromStdString(fault);
        }
        QCOMPARE(text, QString());
    }

    void theTreeIsMeasured()
    {
        const std::vector<ClassSize> classes = classesOf(tree());
        QVERIFY(classes.size() > 300);
        const auto chart = std::find_if(
            classes.begin(), classes.end(), [](const ClassSize& each) { return each.name == "PipelineChart"; });
        QVERIFY(chart != classes.end() && chart->lines > 300); // with its members, not the declaration alone
    }

    void functionsAreFound()
    {
        const File file{"core/plan/a.cpp",
            {"namespace {", "", "/// A comment.", "template <class T>",
                "std::map<int, std::function<void()>> Plan::of(", "    T value, int other = {})", "{", "    {",
                "        block();", "    }", "}", "", "Plan::Plan(int a)", "    : m_a{a}", "    , m_b{a}", "{", "}", "",
                "class Local {", "public:", "    void inside() const", "    {", "        work();", "    }",
                "    int m_x;", "};", "} // namespace"}};
        const std::vector<FunctionSize> found = functionsOf(file);
        QCOMPARE(found.size(), std::size_t{3});
        const auto is = [&](std::size_t i, const char* name, int line, int count) {
            return found[i].name == name && found[i].line == line && found[i].lines == count;
        };
        QVERIFY(is(0, "Plan::of", 4, 8));
        QVERIFY(is(1, "Plan::Plan", 13, 5));
        QVERIFY(is(2, "inside", 21, 4));
    }

    void aLongFunctionNeedsAReason()
    {
        const auto faults = [](int count, const std::vector<std::string>& above) {
            return faultsOf({{"core/plan/a.cpp", function("int Plan::check(int a) const", count, above)}});
        };
        const QStringList fault{QStringLiteral("core/plan/a.cpp Plan::check")};
        QCOMPARE(faults(40, {}), QStringList());
        QCOMPARE(faults(41, {}), fault);
        const std::vector<std::string> reason{"// Of all.", "// In one piece: a table of rules."};
        QCOMPARE(faults(41, reason), QStringList());
        QCOMPARE(faults(70, reason), QStringList());
        QCOMPARE(faults(71, reason), fault);
        QCOMPARE(faults(41, {"// In one piece: "}), fault);
        QCOMPARE(faults(41, {"// In one piece: a table of rules.", ""}), fault); // not above it
        QCOMPARE(faults(40, reason), fault); // it needs none
    }

    void aClassIsMeasuredOverItsFiles()
    {
        const auto faults = [](const char* source, int inHeader, int outside) {
            return faultsOf({{"widgets/charts/a.h", classOf("Chart", inHeader)},
                {source,
                    together(
                        function("void Chart::paint()", 20), function("int stratoplan::Chart::width()", outside))}});
        };
        const QStringList fault{QStringLiteral("widgets/charts/a.h Chart")};
        QCOMPARE(faults("widgets/charts/b.cpp", 350, 30), QStringList());
        QCOMPARE(faults("widgets/charts/b.cpp", 350, 31), fault);
        QCOMPARE(faults("widgets/panels/b.cpp", 350, 31), QStringList()); // another of that name
        // Of two sources, each with a class of one name, none is too large.
        const File one{"core/plan/a.cpp", together(classOf("Reader", 390), function("int Reader::a()", 10))};
        const File other{"core/plan/b.cpp", together(classOf("Reader", 390), function("int Reader::a()", 10))};
        QCOMPARE(faultsOf({one, other}), QStringList());
        QCOMPARE(faultsOf({{"core/plan/a.cpp", classOf("Reader", 401)}}),
            QStringList{QStringLiteral("core/plan/a.cpp Reader")});
    }

    void aTestClassFitsIntoItsFile()
    {
        const File fits{"tests/core/plan/test_plan.cpp", classOf("TestPlan", 800)};
        const File large{"tests/core/plan/test_plan.cpp", classOf("TestPlan", 801)};
        const File helper{"tests/core/plan/plans.h", classOf("Plans", 401)};
        QCOMPARE(faultsOf({fits}), QStringList());
        QCOMPARE(faultsOf({large}), QStringList{QStringLiteral("tests/core/plan/test_plan.cpp")});
        QCOMPARE(faultsOf({helper}), QStringList{QStringLiteral("tests/core/plan/plans.h Plans")});
    }

    void wideLinesAreFound()
    {
        const std::string wide(121, 'x');
        std::string signs; // of two bytes each
        for (int i = 0; i < 120; ++i)
            signs += "\xC3\xA9";
        const auto count = [](const char* path, const std::string& line) {
            return columnFaults({path, {line}}).size();
        };
        for (const char* path :
            {"core/plan/a.cpp", "widgets/a.h", "app/a.cpp", "tests/CMakeLists.txt", "packaging/a.h"})
            QCOMPARE(count(path, wide), std::size_t{1});
        QCOMPARE(count("core/plan/a.cpp", wide.substr(1)), std::size_t{0});
        QCOMPARE(count("core/plan/a.cpp", signs), std::size_t{0});
        QCOMPARE(count("core/plan/a.cpp", signs + "x"), std::size_t{1});
        QCOMPARE(count("resources/docs/MODEL.md", wide), std::size_t{0});
    }
};

STRATOPLAN_TEST(TestMeasures)
#include "test_measures.moc"
