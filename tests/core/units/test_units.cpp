// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities in and out of text: three significant figures out, units and arithmetic in.
#include <QTest>
#include <cmath>
#include <limits>
#include <rapidcheck.h>

// After QTest: moc 6.4 cannot read a file whose first header leads straight to <compare>.
#include "core/units/csv.h"
#include "core/units/format.h"
#include "core/units/parse.h"
#include "core/units/run_headings.h"
#include "core/units/text.h"
#include "core/units/unseen.h"
#include "tests/registry.h"

using namespace stratoplan::units;

namespace {

/// Relative difference small enough for three significant figures.
bool aboutEqual(double a, double b)
{
    return std::abs(a - b) <= 0.0051 * std::abs(b);
}

/// Significant digits of a formatted number, leading zeros and exponent left out.
int significantFigures(const std::string& text)
{
    int count = 0;
    for (const char c : text) {
        if (c == 'e' || c == ' ')
            break;
        if (c >= '0' && c <= '9' && (count > 0 || c != '0'))
            ++count;
    }
    return count;
}

} // namespace

class TestUnits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textHelpers()
    {
        QCOMPARE(fixedDecimals(3.14159, 2), std::string("3.14"));
        QCOMPARE(fixedDecimals(-0.5, 0), std::string("-0"));
        QCOMPARE(fixedDecimals(1e308, 1).size(), std::size_t(311));
        QCOMPARE(roundedTo(123456, 4), 123500.0);
        QCOMPARE(roundedTo(0.000123456, 4), 0.0001235);
        QCOMPARE(groupedDigits(-1234567), std::string("-1,234,567"));
        QVERIFY(containsWords("Megatron-LM", "megatron") && !containsWords("NeMo", "nemos"));
        QCOMPARE(shortened(std::string(59, 'x') + "ää"), std::string(59, 'x') + "…");
        QCOMPARE(childPointer("/a", "b/c~d"), std::string("/a/b~1c~0d"));
        QCOMPARE(editDistance("micro_bacth", "micro_batch"), std::size_t(1)); // neighbours swapped
        QCOMPARE(editDistance("tp", "vpp"), std::size_t(2));
        QCOMPARE(editDistance("", "abc"), std::size_t(3));
    }

    void unseenCharactersAreEscaped()
    {
        QCOMPARE(withUnseenEscaped("a\xC2\x9B\xC2\x80z"), std::string("a\\u009b\\u0080z"));
        QCOMPARE(withUnseenEscaped("\xE2\x80\xAA\xE2\x80\xAE\xE2\x81\xA6\xE2\x81\xA9"),
            std::string("\\u202a\\u202e\\u2066\\u2069"));
        QCOMPARE(withUnseenEscaped(
                     "\xE2\x80\x8B\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\xA8\xE2\x80\xA9\xE2\x81\xA0\xD8\x9C\xEF\xBB\xBF"),
            std::string("\\u200b\\u200e\\u200f\\u2028\\u2029\\u2060\\u061c\\ufeff"));
        // Their neighbours, and what is cut short, are left alone.
        for (const std::string text :
            {"\xC2\xA0", "\xE2\x80\x8A", "\xE2\x80\x8C", "\xE2\x80\x8D", "\xE2\x80\x90", "\xE2\x80\xA7", "\xE2\x80\xAF",
                "\xE2\x81\x9F", "\xE2\x81\xA5", "\xD8\x9B", "\xEF\xBB\xBE", "é€…", "\xE2\x80", "\xC2", ""})
            QCOMPARE(withUnseenEscaped(text), text);
    }

    void headingsOfRuns()
    {
        QCOMPARE(runHeadingOf("Step  time (ms)").words, std::string("step_time"));
        QCOMPARE(runHeadingOf("Step time (ms)").unit, std::string("ms"));
        QCOMPARE(runColumnOf("tensor_parallel"), std::string_view("tp"));
        QCOMPARE(runColumnOf("colour"), std::string_view("colour"));
        QVERIFY(isRunHeading("TP") && isRunHeading("micro-batch") && isRunHeading("step_ms") && !isRunHeading("leaf"));
        QVERIFY(isMeasuredHeading("Peak memory [GB]") && isMeasuredHeading("step_ms") && !isMeasuredHeading("tp"));
    }

    void cellsOfTables()
    {
        using Cells = std::vector<std::string>;
        QCOMPARE(csvCells("a,b c , \"d, \"\"e\"\"\",,"), (Cells{"a", "b c", "d, \"e\"", "", ""}));
        QCOMPARE(csvCells("a\t b;c\t", '\t'), (Cells{"a", "b;c", ""}));
        QCOMPARE(csvCells(""), Cells{""});
        const auto rows = csvRows("# remark\r\na,b\r\n\nc");
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(rows[0].line, 2);
        QCOMPARE(rows[0].cells, (Cells{"a", "b"}));
        QCOMPARE(rows[1].line, 4);
        QVERIFY(rows[0].text == "a,b" && rows[1].text == "c");
    }

    void dimensionsFollowFromTypes()
    {
        static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
        static_assert(std::is_same_v<decltype(Flops(1) / Seconds(1)), FlopsPerSecond>);
        static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(1)), double>);
        QCOMPARE((Bytes(100e9) / BytesPerSecond(50e9)).value(), 2.0);
    }

    void formatsSeconds_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0 s";
        QTest::newRow("seconds") << 9.84 << "9.84 s";
        QTest::newRow("two digits") << 18.13 << "18.1 s";
        QTest::newRow("up to two minutes") << 120.0 << "120 s";
        QTest::newRow("minutes") << 204.0 << "3.40 min";
        QTest::newRow("hours") << 18720.0 << "5.20 h";
        QTest::newRow("days") << 11.4 * 86400 << "11.4 d";
        QTest::newRow("years") << 2000.0 * 86400 << "5.48 years";
        QTest::newRow("milliseconds") << 0.0316 << "31.6 ms";
        QTest::newRow("microseconds") << 12.3e-6 << "12.3 µs";
        QTest::newRow("nanoseconds") << 12.3e-9 << "12.3 ns";
        QTest::newRow("picoseconds") << 12.3e-12 << "0.0123 ns";
        QTest::newRow("carry") << 0.9996 << "1.00 s";
        QTest::newRow("carry of digits") << 9.996 << "10.0 s";
        QTest::newRow("negative") << -0.0142 << "−14.2 ms";
        QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << "–";
        QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << "–";
    }
    void formatsSeconds()
    {
        QFETCH(const double, seconds);
        QFETCH(const QString, text);
        QCOMPARE(QString::fromStdString(format(Seconds(seconds))), text);
    }

    void formatsBytes_data()
    {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0 B";
        QTest::newRow("bytes") << 512.0 << "512 B";
        QTest::newRow("mebibytes") << 50.3 * 1024 * 1024 << "50.3 MiB";
        QTest::newRow("gibibytes") << 68.4 * kGiB << "68.4 GiB";
        QTest::newRow("decimal eighty gigabytes") << 80e9 << "74.5 GiB";
        QTest::newRow("four digits take the next unit") << 1010 * kGiB << "0.986 TiB";
        QTest::newRow("tebibytes") << 1024 * kGiB << "1.00 TiB";
        QTest::newRow("negative") << -14.2 * kGiB << "−14.2 GiB";
        QTest::newRow("not a number") << std::nan("") << "–";
    }
    void formatsBytes()
    {
        QFETCH(const double, bytes);
        QFETCH(const QString, text);
        QCOMPARE(QString::fromStdString(format(Bytes(bytes))), text);
    }

    void formatsRatesAndNumbers()
    {
        QCOMPARE(format(BytesPerSecond(300e9)), "300 GB/s");
        QCOMPARE(format(BytesPerSecond(3.35e12)), "3.35 TB/s");
        QCOMPARE(format(Flops(3.12e15)), "3.12 PFLOP");
        QCOMPARE(format(FlopsPerSecond(156.9e12)), "157 TFLOP/s");
        QCOMPARE(formatNumber(320000), "320 k");
        QCOMPARE(formatCount(174604259328.0), "175 B");
        QCOMPARE(formatCount(18e12), "18.0 T");
        QCOMPARE(formatNumber(1557611200), "1.56 G");
        QCOMPARE(formatNumber(0.503), "0.503");
        QCOMPARE(formatNumber(96), "96");
        QCOMPARE(formatNumber(-3), "−3");
        QCOMPARE(formatNumber(0), "0");
        QCOMPARE(formatNumber(1.2e-7), "1.20e-07");
        QCOMPARE(formatNumber(std::nan("")), "–");
        QCOMPARE(formatShare(0.503), "50.3 %");
        QCOMPARE(formatShare(1), "100 %");
        QCOMPARE(formatShare(0), "0 %");
        QCOMPARE(formatShare(-0.0312), "−3.12 %");
    }

    void everyTimeHasThreeFiguresAndReadsBack()
    {
        QVERIFY(rc::check("format(Seconds) keeps three figures and parses to the same value", [] {
            const double mantissa = *rc::gen::inRange(100, 1000) + *rc::gen::inRange(0, 1000) / 1000.0;
            const double seconds = mantissa * std::pow(10.0, *rc::gen::inRange(-10, 4));
            const std::string text = format(Seconds(seconds));
            RC_ASSERT(significantFigures(text) == 3);
            if (text.find("years") == std::string::npos) {
                const Parsed<Seconds> back = parseSeconds(text);
                RC_ASSERT(back.has_value());
                RC_ASSERT(aboutEqual(back->value(), seconds));
            }
        }));
    }

    void parsesBandwidth_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("bytesPerSecond");
        QTest::newRow("bit rate") << "400 Gb/s" << 50e9;
        QTest::newRow("bit rate, no space") << "400Gb/s" << 50e9;
        QTest::newRow("Gbps") << "400 Gbps" << 50e9;
        QTest::newRow("Gbit/s") << "200 Gbit/s" << 25e9;
        QTest::newRow("byte rate") << "50 GB/s" << 50e9;
        QTest::newRow("TB/s") << "3.35 TB/s" << 3.35e12;
        QTest::newRow("binary") << "1 GiB/s" << kGiB;
        QTest::newRow("bare is GB/s") << "300" << 300e9;
        QTest::newRow("arithmetic") << "8*400 Gb/s" << 400e9;
        QTest::newRow("parentheses") << "(2+6)*(100/2) GB/s" << 400e9;
        QTest::newRow("times the present value") << "x*2" << 100e9;
        QTest::newRow("present value in bits") << "x/2 Gb/s" << 25e9;
        QTest::newRow("digit groups") << "1,800 GB/s" << 1800e9;
        QTest::newRow("typographic") << "2 × 25 GB/s" << 50e9;
    }
    void parsesBandwidth()
    {
        QFETCH(const QString, text);
        QFETCH(const double, bytesPerSecond);
        const auto parsed = parseBandwidth(text.toStdString(), BytesPerSecond(50e9));
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->value(), bytesPerSecond);
    }

    void parsesOtherQuantities()
    {
        QCOMPARE(parseBytes("80 GiB")->value(), 80 * kGiB);
        QCOMPARE(parseBytes("80 GB")->value(), 80e9);
        QCOMPARE(parseBytes("80")->value(), 80 * kGiB);
        QCOMPARE(parseBytes("80g")->value(), 80e9);
        QCOMPARE(parseBytes("80 gb")->value(), 80e9);
        QCOMPARE(parseBytes("512 MiB")->value(), 512.0 * 1024 * 1024);
        QCOMPARE(parseBytes("1.5 TiB")->value(), 1536 * kGiB);
        QCOMPARE(parseFlopRate("989 TFLOPS")->value(), 989e12);
        QCOMPARE(parseFlopRate("989 TFLOP/s")->value(), 989e12);
        QCOMPARE(parseFlopRate("1.979 PFLOPS")->value(), 1.979e15);
        QCOMPARE(parseFlopRate("312")->value(), 312e12);
        QCOMPARE(parseSeconds("31.6 ms")->value(), 0.0316);
        QCOMPARE(parseSeconds("3 µs")->value(), 3e-6);
        QCOMPARE(parseSeconds("2 h")->value(), 7200.0);
        QCOMPARE(*parseNumber("15T"), 15e12);
        QCOMPARE(*parseNumber("15 T"), 15e12);
        QCOMPARE(*parseNumber("300B"), 300e9);
        QCOMPARE(*parseNumber("1.5k"), 1500.0);
        QCOMPARE(*parseNumber("3*8"), 24.0);
        QVERIFY(!std::signbit(*parseNumber("-0")));
        QCOMPARE(*parseNumber("2k*8"), 16000.0);
        QCOMPARE(*parseNumber("1e12"), 1e12);
        QCOMPARE(*parseNumber("-(2 - 5)"), 3.0);
        QCOMPARE(*parseNumber("x+1", 7), 8.0);
        QCOMPARE(*parseNumber("40 %"), 0.4);
        QCOMPARE(*parseNumber("1,024"), 1024.0);
        QCOMPARE(*parseNumber("12/4/3"), 1.0);
        QCOMPARE(*parseNumber("8-4-2"), 2.0);
    }

    void refusesWhatIsNotTheQuantity_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", " ", "fast", "400 gb/s", "50 GB", "50 G", "50 GF/s", "1/0", "(3", "3)", "3**4",
                 "nan", "inf", "-50 GB/s", "50 GB/s GB/s", "0x10", "1,5 GB/s", "50 iB/s", "8 x 400 Gb/s"})
            QTest::newRow(text) << QString(text);
    }
    void refusesWhatIsNotTheQuantity()
    {
        QFETCH(const QString, text);
        const auto parsed = parseBandwidth(text.toStdString());
        QVERIFY(!parsed.has_value());
        QCOMPARE(parsed.error().found, text.trimmed().toStdString());
        QCOMPARE(parsed.error().expected, "400 Gb/s or 50 GB/s");
    }

    void refusesUnitsOfOtherQuantities()
    {
        QVERIFY(!parseBytes("80 GB/s"));
        QVERIFY(!parseBytes("80 Gb"));
        QVERIFY(!parseBytes("80 s"));
        QVERIFY(!parseFlopRate("989 GB/s"));
        QVERIFY(!parseFlopRate("989 TiFLOPS"));
        QVERIFY(!parseSeconds("3 m"));
        QVERIFY(!parseNumber("3 GB"));
        QVERIFY(!parseNumber("15Tx"));
    }

    void neverEndsBadlyOnArbitraryText()
    {
        QVERIFY(rc::check("parsing arbitrary text gives a finite value or an error", [](const std::string& text) {
            const Parsed<double> number = parseNumber(text, 3);
            RC_ASSERT(!number || std::isfinite(*number));
            const Parsed<Bytes> bytes = parseBytes(text, Bytes(3));
            RC_ASSERT(!bytes || std::isfinite(bytes->value()));
        }));
        QVERIFY(!parseNumber(std::string(100000, '(')));
        QVERIFY(!parseNumber(std::string(100000, '-')));
    }

    void arithmeticAgreesWithTheCompiler()
    {
        QVERIFY(rc::check("a + b * c - d", [] {
            const auto number = [] { return *rc::gen::inRange(0, 1000); };
            const int a = number(), b = number(), c = number(), d = number();
            const std::string text =
                std::to_string(a) + "+" + std::to_string(b) + " * " + std::to_string(c) + "-" + std::to_string(d);
            RC_ASSERT(parseNumber(text).value() == a + b * c - d);
        }));
    }
};

STRATOPLAN_TEST(TestUnits)
#include "test_units.moc"
