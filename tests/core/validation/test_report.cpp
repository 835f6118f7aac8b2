// SPDX-License-Identifier: GPL-3.0-or-later
// The report on measured cases, its page, and that the page which ships is the one the program makes.
#include "core/catalog/embedded.h"
#include "core/reporting/scatter_chart.h"
#include "core/reporting/validation_page.h"
#include "core/reporting/worst_cases.h"
#include "core/units/csv.h"
#include "core/validation/coverage.h"
#include "core/validation/reasons.h"
#include "tests/core/fixtures.h"
#include "tests/registry.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::reporting;
using namespace stratoplan::units;
using namespace stratoplan::validation;

namespace {

MeasuredCase measuredCase(const std::string& id, const std::string& group, double seconds)
{
    MeasuredCase c;
    c.id = id;
    c.group = group;
    c.rankingKey = group;
    c.plan = fixtures::gpt3();
    c.stepSeconds = seconds;
    return c;
}

CaseResult result(const MeasuredCase& c, double estimated)
{
    CaseResult row;
    row.id = c.id;
    row.group = c.group;
    row.measuredSeconds = c.stepSeconds;
    row.estimatedSeconds = estimated;
    row.lowSeconds = 0.9 * estimated;
    row.highSeconds = 1.1 * estimated;
    row.error = estimated / *c.stepSeconds - 1;
    return row;
}

EvidenceRow evidenceOf(const MeasuredCase& c, double leftOutError)
{
    EvidenceRow row;
    row.id = c.id;
    row.source = "lab";
    row.group = c.id;
    row.software = "stack";
    row.traits.extents.fill(1);
    row.residual = -std::log1p(leftOutError);
    row.residualBySource = -std::log1p(leftOutError + 0.02);
    return row;
}

/// Six cases of two revisions of one table and two of another lab; the last has no evidence.
struct Sample {
    Sample()
    {
        for (int i = 0; i < 6; ++i)
            add("lab/" + std::to_string(i), i % 2 ? "lab-0123ab" : "lab-ffee00", 1 + i, 1.02);
        add("other/0", "other-table", 1, 1.3);
        add("other/1", "other-table", 2, 0.99);
        for (std::size_t i = 0; i + 1 < cases.cases.size(); ++i)
            evidence.push_back(evidenceOf(cases.cases[i], 0.04));
        validation.total = 9;
    }
    void add(const std::string& id, const std::string& group, double seconds, double factor)
    {
        cases.cases.push_back(measuredCase(id, group, seconds));
        cases.cases.back().plan.model.layers += static_cast<int>(cases.cases.size()); // a configuration of its own
        validation.rows.push_back(result(cases.cases.back(), factor * seconds));
    }
    CaseSet cases;
    Validation validation;
    std::vector<EvidenceRow> evidence;
};

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void revisionsOfATableAreOneSource()
    {
        QCOMPARE(sourceOf("nemo-24.07-35029a"), std::string("nemo-24.07"));
        QCOMPARE(sourceOf("nemo-launcher"), std::string("nemo-launcher"));
        QCOMPARE(sourceOf("vtrain-single"), std::string("vtrain-single")); // six letters, not a revision
        QCOMPARE(sourceOf("plain"), std::string("plain"));
    }

    /// Two tables may hold the same runs: one must not stay in the fit when the other is left out.
    void tablesOfOnePublisherAreLeftOutTogether()
    {
        QCOMPARE(publisherOf("nemo-24.07-35029a"), publisherOf("nemo-launcher"));
        QCOMPARE(publisherOf("megatron-sc21"), publisherOf("megatron-readme-2021"));
        QCOMPARE(publisherOf("vtrain-single"), publisherOf("vtrain-multi"));
        QVERIFY(publisherOf("vtrain-single") != publisherOf("torchtitan"));
        QCOMPARE(publisherOf("somebody-else"), std::string("somebody-else"));
    }

    void patternsFitWholeIds()
    {
        QVERIFY(matches("a/b-c", "a/b-c") && matches("a/b-c", "a/*") && matches("a/b-c", "*-c")
            && matches("a/b-c", "a*b*c") && matches("", "*"));
        QVERIFY(!matches("a/b-c", "a/b") && !matches("a/b-c", "b*") && !matches("a/b-c", "*b") && !matches("", "a"));
    }

    void reasonsAreThoseOfTheCaseAndTheSign()
    {
        const auto reasons =
            readReasons("# remark\na/1,-,\"Slow, and known.\"\na/*,+,Fast.\nnonsense\nb/*,*,Either.\n");
        QCOMPARE(reasons.size(), std::size_t(3));
        QCOMPARE(knownReason("a/1", -0.2, reasons), std::string("Slow, and known."));
        QCOMPARE(knownReason("a/1", 0.2, reasons), std::string("Fast."));
        QCOMPARE(knownReason("a/2", -0.2, reasons), std::string());
        QCOMPARE(knownReason("b/2", -0.2, reasons), std::string("Either."));
        QVERIFY(shippedReasons().size() > 10);
        for (const EmbeddedFile& file : embedded::validation())
            if (file.name == "reasons.csv")
                QCOMPARE(shippedReasons().size(), csvRows(file.content).size());
        for (const KnownReason& reason : shippedReasons())
            QVERIFY2(reason.text.size() > 10 && reason.text.ends_with('.')
                    && std::string("-+*").find(reason.sign) != std::string::npos,
                reason.pattern.c_str());
    }

    void everyShippedReasonExplainsAShippedCase()
    {
        const auto cases = readCases(shippedCases(), shippedCatalog());
        QVERIFY(cases);
        for (const KnownReason& reason : shippedReasons()) {
            const bool used = std::any_of(cases->cases.begin(), cases->cases.end(),
                [&](const MeasuredCase& c) { return matches(c.id, reason.pattern); });
            QVERIFY2(used, reason.pattern.c_str());
        }
    }

    void configurationsMeasuredTwiceContradictEachOther()
    {
        CaseSet set;
        set.cases = {measuredCase("a/1", "a", 10), measuredCase("b/1", "b", 12), measuredCase("c/1", "c", 10.5),
            measuredCase("d/1", "d", 30)};
        set.cases.back().plan.strategy.tp = 1; // another configuration
        const auto found = contradictions(set);
        QCOMPARE(found.size(), std::size_t(3));
        QCOMPARE(describe(found.at("a/1")), std::string("Measured twice: 10.0 s here, 12.0 s in b/1."));
        QCOMPARE(describe(found.at("b/1")), std::string("Measured twice: 12.0 s here, 10.0 s in a/1."));
        set.cases.erase(set.cases.begin() + 1);
        QVERIFY(contradictions(set).empty()); // 5 % is no contradiction
    }

    void fittedAndLeftOutAreToldApart()
    {
        const Sample sample;
        const ValidationReport report = validationReport(sample.cases, sample.validation, sample.evidence);
        QCOMPARE(report.total, 9);
        QCOMPARE(report.estimated, 8);
        QCOMPARE(report.sources.size(), std::size_t(2));
        const SourceReport& lab = report.sources.front();
        QCOMPARE(lab.source, std::string("lab"));
        QCOMPARE(lab.time.fit.n, 6);
        QVERIFY(std::abs(lab.time.fit.meanAbs - 0.02) < 1e-9);
        QCOMPARE(lab.time.leftOut.n, 6);
        QVERIFY(std::abs(lab.time.leftOut.meanAbs - 0.04) < 1e-9);
        QVERIFY(std::abs(lab.time.withoutSource.meanAbs - 0.06) < 1e-9);
        QCOMPARE(report.time.sources, 2);
        QVERIFY(std::abs(report.time.withoutSource - 0.06) < 1e-9);
        QVERIFY(std::abs(report.time.fit - (0.02 + 0.155) / 2) < 1e-9);
        QCOMPARE(report.memory.sources, 0);
        QVERIFY(lab.worst.empty()); // none is 5 % off
        const SourceReport& other = report.sources.back();
        QCOMPARE(other.time.leftOut.n, 1);
        QCOMPARE(other.worst.size(), std::size_t(1));
        QCOMPARE(other.worst.front().point.id, std::string("other/0"));
        QVERIFY(other.worst.front().leftOut && std::abs(*other.worst.front().leftOut - 0.04) < 1e-9);
        QCOMPARE(report.all.time.fit.n, 8);
        QCOMPARE(report.all.time.points.size(), std::size_t(8));
        QCOMPARE(report.all.ranking.groups, 0); // groups of three
    }

    void thePageShowsTheReport()
    {
        const Sample sample;
        const ValidationReport report = validationReport(sample.cases, sample.validation, sample.evidence);
        const ReportPage page = reportPage(report, "pictures");
        const QString text = QString::fromStdString(page.markdown);
        QVERIFY(text.startsWith("<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n# Validation\n"));
        QVERIFY(text.contains("8 of 9 measured cases"));
        QVERIFY(text.contains(
            "| lab | 6 | 6.00 % | +6.00 % | 6.00 % | 4.00 % | 2.00 % | 2.00 % | +2.00 % | 2.00 % | +2.00 % |"));
        QVERIFY(text.contains("| **mean of 2 sources** |  | **6.00 %** |  |  | 4.00 % | 8.75 % |")); // 2 and 15.5
        QVERIFY(text.contains("![lab, step time, 6 cases](pictures/lab.svg)"));
        QVERIFY(text.contains("| `other/0` | 1.00 s | 1.30 s | +30.0 % | +4.00 % | not known |"));
        QVERIFY(!text.contains("Peak memory") && !text.contains("Ranking"));
        QCOMPARE(page.pictures.size(), std::size_t(2));
        QCOMPARE(page.pictures.front().name, std::string("lab.svg"));
        const ReportPage again = reportPage(report, "pictures");
        QCOMPARE(again.markdown, page.markdown);
        QCOMPARE(again.pictures.front().text, page.pictures.front().text);
        // Where nothing was left out there is no mean to tell.
        const ReportPage unseen = reportPage(validationReport(sample.cases, sample.validation, {}), "pictures");
        QVERIFY(unseen.markdown.find("**all cases**") != std::string::npos);
        QVERIFY(unseen.markdown.find("mean of") == std::string::npos);
    }

    void theScatterHasEveryPointInside()
    {
        const QString svg =
            QString::fromStdString(scatterSvg("a < b", {{"x", 1, 1.1}, {"y", 100, 90}, {"z", 100, 90}}, "s"));
        QCOMPARE(svg.count("<circle"), 2); // points that fall on one another are one
        QVERIFY(svg.contains("a &lt; b") && svg.contains("Measured (s)"));
        static const QRegularExpression dot("cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
        for (auto it = dot.globalMatch(svg); it.hasNext();) {
            const auto match = it.next();
            QVERIFY(match.captured(1).toDouble() > 56 && match.captured(1).toDouble() < 376);
            QVERIFY(match.captured(2).toDouble() > 28 && match.captured(2).toDouble() < 348);
        }
        QVERIFY(scatterSvg("one", {{"x", 3, 3}}, "s").find("nan") == std::string::npos);
    }

    void everyErrorBehindARangeIsOfAShippedCase()
    {
        const auto cases = readCases(shippedCases(), shippedCatalog());
        QVERIFY(cases);
        std::set<std::string> ids;
        for (const MeasuredCase& c : cases->cases)
            ids.insert(c.id);
        QVERIFY(shippedEvidenceRows().size() > 1500);
        for (const EvidenceRow& row : shippedEvidenceRows())
            QVERIFY2(ids.contains(row.id) && shippedCatalog().softwareProfile(row.software), row.id.c_str());
    }

    void thePageThatShipsIsTheOneTheProgramMakes()
    {
        const auto cases = readCases(shippedCases(), shippedCatalog());
        QVERIFY(cases);
        const ReportPage page = reportPage(validationReport(*cases, validate(*cases)), "validation");
        const auto read = [](const QString& name) {
            QFile file(QStringLiteral(STRATOPLAN_DOCS "/") + name);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const char* stale =
            "resources/docs/VALIDATION.md is stale: stratoplan-cli validate --page resources/docs/VALIDATION.md";
        QVERIFY2(read("VALIDATION.md") == QByteArray::fromStdString(page.markdown), stale);
        for (const ReportFile& picture : page.pictures)
            QVERIFY2(
                read("validation/" + QString::fromStdString(picture.name)) == QByteArray::fromStdString(picture.text),
                stale);
    }

    void theShippedRangesHoldWhatTheyPromise()
    {
        const auto cases = readCases(shippedCases(), shippedCatalog());
        const Validation validation = validate(*cases);
        const ValidationReport report = validationReport(*cases, validation);
        // "In range" is one thing wherever it stands: on the page, in the window and in the table of the command.
        QVERIFY(std::abs(validation.overall.withinRange.value() - report.all.time.leftOut.withinRange.value()) < 1e-12);
        for (const GroupStatistics& group : validation.groups)
            for (const SourceReport& source : report.sources)
                if (source.source == group.group && source.time.leftOut.n > 0 && source.time.fit.n == group.time.n)
                    QVERIFY2(
                        std::abs(group.time.withinRange.value_or(-1) - source.time.leftOut.withinRange.value_or(-1))
                            < 1e-12,
                        group.group.c_str());
        QVERIFY2(*report.all.time.leftOut.withinRange > 0.75 && *report.all.time.leftOut.withinRange < 0.85,
            qPrintable(QString::number(*report.all.time.leftOut.withinRange)));
        const double ofPeaks = rangeCoverage(shippedEvidenceRows(), Measure::PeakMemory).overall.byGroup;
        QVERIFY2(ofPeaks > 0.75 && ofPeaks < 0.85, qPrintable(QString::number(ofPeaks)));
    }
};

STRATOPLAN_TEST(TestReport)
#include "test_report.moc"
