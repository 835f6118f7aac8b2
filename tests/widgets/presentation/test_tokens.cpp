// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/tokens.h"

#include <QTest>

using namespace stratoplan::widgets;

class TestTokens : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ratioOfBlackAndWhite();
    void textContrast_data();
    void textContrast();
    void markContrast_data() { textContrast_data(); }
    void markContrast();
    void labelsOnMarks_data() { textContrast_data(); }
    void labelsOnMarks();
    void marksOfOneChartDiffer_data() { textContrast_data(); }
    void marksOfOneChartDiffer();
    void blendIsLinear();
};

void TestTokens::ratioOfBlackAndWhite()
{
    QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastRatio(Qt::white, Qt::black), 21.0);
    QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
    // Published example: #767676 on white is the lightest grey that passes 4.5:1.
    QVERIFY(std::abs(contrastRatio(QColor("#767676"), Qt::white) - 4.54) < 0.01);
}

void TestTokens::textContrast_data()
{
    QTest::addColumn<ThemeKind>("kind");
    QTest::newRow("light") << ThemeKind::Light;
    QTest::newRow("dark") << ThemeKind::Dark;
    QTest::newRow("high contrast") << ThemeKind::HighContrast;
}

void TestTokens::textContrast()
{
    QFETCH(ThemeKind, kind);
    const Tokens& t = tokens(kind);
    QCOMPARE(t.kind, kind);
    for (const QColor& background : {t.window, t.surface, t.raised, t.accentSoft, t.sunken}) {
        for (const QColor& text : {t.text, t.secondaryText, t.good, t.warn, t.bad, t.info}) {
            QVERIFY2(contrastRatio(text, background) >= 4.5,
                qPrintable(text.name() + " on " + background.name() + ": "
                    + QString::number(contrastRatio(text, background))));
        }
    }
    QVERIFY(contrastRatio(t.onAccent, t.accent) >= 4.5);
}

void TestTokens::markContrast()
{
    QFETCH(ThemeKind, kind);
    const Tokens& t = tokens(kind);
    for (std::size_t i = 0; i < kMarkCount; ++i) {
        const auto mark = static_cast<Mark>(i);
        QVERIFY2(t.mark(mark).isValid() && t.edge(mark).isValid(), qPrintable(QString::number(i)));
        const double best = std::max(contrastRatio(t.mark(mark), t.surface), contrastRatio(t.edge(mark), t.surface));
        QVERIFY2(best >= 3.0, qPrintable(QStringLiteral("mark %1 %2: %3").arg(i).arg(t.mark(mark).name()).arg(best)));
    }
    QVERIFY(contrastRatio(t.selection, t.surface) >= 3.0);
    QVERIFY(contrastRatio(t.accent, t.surface) >= 3.0);
    QVERIFY(contrastRatio(t.accent, t.window) >= 3.0);
}

void TestTokens::labelsOnMarks()
{
    QFETCH(ThemeKind, kind);
    const Tokens& t = tokens(kind);
    for (const Mark mark : {Mark::Forward, Mark::Backward, Mark::Recompute, Mark::Optimizer, Mark::Activations,
             Mark::Weights, Mark::Gradients, Mark::Exposed}) {
        const QColor fill = t.mark(mark);
        QVERIFY2(contrastRatio(t.label(fill), fill) >= 4.5, qPrintable(fill.name()));
    }
}

void TestTokens::marksOfOneChartDiffer()
{
    QFETCH(ThemeKind, kind);
    const Tokens& t = tokens(kind);
    const std::vector<std::vector<Mark>> charts{{Mark::Forward, Mark::Backward, Mark::Recompute, Mark::Exposed,
                                                    Mark::Hidden, Mark::Bubble, Mark::Optimizer, Mark::Other},
        {Mark::Weights, Mark::Gradients, Mark::OptimizerState, Mark::Activations, Mark::Buffers, Mark::Reserve},
        {Mark::Cloud, Mark::Front, Mark::OutOfMemory}};
    for (const auto& chart : charts) {
        for (std::size_t i = 0; i < chart.size(); ++i) {
            for (std::size_t j = i + 1; j < chart.size(); ++j) {
                const QColor a = t.mark(chart[i]);
                const QColor b = t.mark(chart[j]);
                const int distance =
                    std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
                QVERIFY2(distance >= 60, qPrintable(a.name() + " and " + b.name()));
            }
        }
    }
}

void TestTokens::blendIsLinear()
{
    QCOMPARE(blend(Qt::white, Qt::black, 0.5), QColor(128, 128, 128));
    QCOMPARE(blend(Qt::white, Qt::black, 2.0), QColor(Qt::white));
    QCOMPARE(blend(Qt::red, Qt::blue, 0.0), QColor(Qt::blue));
}

QTEST_GUILESS_MAIN(TestTokens)
#include "test_tokens.moc"
