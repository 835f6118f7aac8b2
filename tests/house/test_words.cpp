// SPDX-License-Identifier: GPL-3.0-or-later
// Words for people stand in core/narration: the rest of the core returns typed values.
#include "tests/house/words.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::house;

class TestWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theCoreTellsNothingBesideItsNarrator()
    {
        QString text;
        for (const std::string& fault : wordFaults(readTree(STRATOPLAN_SOURCE_DIR)))
            text += "\n" + QString::fromStdString(fault);
        QCOMPARE(text, QString());
    }

    void everyOtherHomeHasAReason()
    {
        for (const auto& [home, words] : homesOfWords())
            QVERIFY2(words.sentences > 0 && *words.reason != 0, home.c_str());
    }

    void sentencesAreCounted_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("sentences");
        const auto row = [](const char* name, const char* line, int sentences) {
            QTest::newRow(name) << line << sentences;
        };
        row("sentence", "return \"It does not fit.\";", 1);
        row("two", "f(\"no room\", \"no time\");", 2);
        row("key", "return \"out_of_memory\";", 0);
        row("one word", "return \"memory\";", 0);
        row("quotation mark inside", "return \"use \\\"ends\\\" or leave it\";", 1);
        row("comment", "// return \"It does not fit.\";", 0);
        row("after the code", "return 1; // \"It does not fit.\"", 0);
        row("include", "#include \"core/plan/plan.h\"", 0);
    }
    void sentencesAreCounted()
    {
        QFETCH(const QString, line);
        QFETCH(const int, sentences);
        QCOMPARE(sentencesIn(line.toStdString()), sentences);
    }

    void aNewSentenceIsAFault()
    {
        const auto faults = [](const char* path) {
            const std::vector<File> tree{{path, {"return \"It does not fit.\";"}}};
            std::size_t found = 0;
            for (const std::string& fault : wordFaults(tree))
                found += fault.find("1 sentences, not 0") != std::string::npos;
            return found;
        };
        QCOMPARE(faults("core/search/a.cpp"), std::size_t{1});
        QCOMPARE(faults("core/plan/a.cpp"), std::size_t{1});
        QCOMPARE(faults("core/narration/a.cpp"), std::size_t{0});
        QCOMPARE(faults("core/reporting/a.cpp"), std::size_t{0});
        QCOMPARE(faults("core/report/a.cpp"), std::size_t{0});
        QCOMPARE(faults("app/cli/a.cpp"), std::size_t{0});
    }
};

STRATOPLAN_TEST(TestWords)
#include "test_words.moc"
