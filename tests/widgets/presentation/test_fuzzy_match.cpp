// SPDX-License-Identifier: GPL-3.0-or-later
// Whose command a few letters mean.
#include "widgets/presentation/fuzzy_match.h"

#include <QTest>

using namespace stratoplan::widgets;

class TestFuzzyMatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fuzzyMatching_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::newRow("word starts win") << "sa"
                                         << "Save as"
                                         << "Reset layout a";
        QTest::newRow("runs win") << "undo"
                                  << "Undo"
                                  << "Run down outer";
        QTest::newRow("case is ignored") << "FTB"
                                         << "Find the best"
                                         << "Left pane table";
        QTest::newRow("no match loses") << "xyz"
                                        << "x y z"
                                        << "Save";
    }

    void fuzzyMatching()
    {
        QFETCH(const QString, pattern);
        QFETCH(const QString, better);
        QFETCH(const QString, worse);
        const auto good = fuzzyMatch(pattern, better);
        const auto bad = fuzzyMatch(pattern, worse);
        QVERIFY(good);
        QVERIFY(!bad || good->score > bad->score);
        QString spelled;
        for (const int i : good->positions)
            spelled += better[i];
        QCOMPARE(spelled.toLower(), pattern.toLower());
        QVERIFY(fuzzyMatch(u"", better));
        QVERIFY(!fuzzyMatch(u"a very long pattern that no text holds", better));
    }
};

QTEST_APPLESS_MAIN(TestFuzzyMatch)
#include "test_fuzzy_match.moc"
