// SPDX-License-Identifier: GPL-3.0-or-later
// stratoplan-cli report: files of every kind from the real program.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

namespace {

/// A project whose search is quick.
QByteArray quickPlan(const char* name = "llama-65b-32-ascend")
{
    Json plan = Json::parse(example(name).toStdString());
    const Json project{{"format", "stratoplan-project"}, {"version", 1}, {"plan", plan},
        {"capacity", {{"tokens", 1.4e12}, {"price_per_accelerator_hour", 2}, {"start", "2026-12-01"}}},
        {"search", {{"mode", "closed-form"}, {"locks", {"tp", "rank_order", "tensor_partition"}}}}};
    return QByteArray::fromStdString(project.dump());
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A part of a workbook, by Python.
QByteArray partOf(const QString& workbook, const char* name)
{
    return shell(QString("python3 -c \"import sys, zipfile; "
                         "sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))\" '%1' %2")
                     .arg(workbook, name))
        .out;
}

} // namespace

class TestCliReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePageHasTheNumbersOfTheEstimate()
    {
        const QString plan = saved("plan.json", quickPlan()), page = folder().filePath("report.html");
        const Run run = cli({"report", plan, "-o", page, "--json"});
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.json().at("file").get<std::string>(), page.toStdString());
        const QByteArray html = contentOf(page);
        QCOMPARE(run.json().at("bytes").get<qsizetype>(), html.size());
        const Json estimate = cli({"estimate", plan, "--json"}).json();
        const Json capacity = cli({"capacity", plan, "--json"}).json();
        const double seconds = estimate.at("step_s").get<double>();
        QVERIFY(seconds > 1 && seconds < 100); // told in seconds, with three figures
        const QByteArray step = QByteArray::number(seconds, 'f', seconds < 9.995 ? 2 : 1);
        QVERIFY2(html.contains(">" + step + " s</div>"), step.constData());
        const std::string day = capacity.at("delivery_dates").at("p90").get<std::string>();
        QVERIFY2(html.contains(day.c_str()), day.c_str());
        QCOMPARE(cli({"report", plan, "-o", folder().filePath("again.html")}).exitCode, 0);
        QVERIFY(contentOf(folder().filePath("again.html")) == html); // byte by byte
    }

    void theWorkbookHasNumbers()
    {
        const QString plan = saved("plan.json", quickPlan()), book = folder().filePath("report.xlsx");
        QCOMPARE(cli({"report", plan, "-o", book}).exitCode, 0);
        const QByteArray names = partOf(book, "xl/workbook.xml");
        for (const char* sheet :
            {"Decision", "Alternatives", "Breakdown", "Memory", "Cost", "Assumptions", "Risks", "Validation", "Front"})
            QVERIFY2(names.contains(QByteArray("name=\"") + sheet + '"'), sheet);
        const Json estimate = cli({"estimate", plan, "--json"}).json();
        const QByteArray sheet = partOf(book, "xl/worksheets/sheet1.xml");
        bool isThere = false;
        for (const QByteArray& cell : sheet.split('<')) // "v>12.5"
            isThere = isThere
                || (cell.startsWith("v>") && close(cell.mid(2).toDouble(), estimate.at("step_s").get<double>()));
        QVERIFY2(isThere, "the step time is no number of the sheet");
        QVERIFY(partOf(book, "xl/styles.xml").contains("#,##0.0"));
    }

    void theTableHasEveryFigure()
    {
        const QString plan = saved("plan.json", quickPlan()), table = folder().filePath("report.csv");
        QCOMPARE(cli({"report", plan, "-o", table}).exitCode, 0);
        const QByteArray text = contentOf(table);
        QVERIFY(text.startsWith("section,table,row,column,value,text\r\n"));
        const Json estimate = cli({"estimate", plan, "--json"}).json();
        bool isThere = false;
        for (const QByteArray& line : text.split('\n'))
            if (line.contains("\"Step time, s\",Estimate,")) {
                const double value = line.split(',').at(5).toDouble();
                isThere = isThere || close(value, estimate.at("step_s").get<double>());
            }
        QVERIFY(isThere);
    }

    void badFilesAreRefused_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("ending") << "report.doc"
                                << QByteArray(
                                       "--output: found \"report.doc\", expected a file whose name ends in .pdf");
        QTest::newRow("standard output") << "-"
                                         << QByteArray("expected a file whose name ends in .pdf, .html, .xlsx or .csv");
        QTest::newRow("no folder") << "/nowhere/at/all/report.html" << QByteArray("/nowhere/at/all/report.html");
        QTest::newRow("no folder, PDF") << "/nowhere/at/all/report.pdf" << QByteArray("/nowhere/at/all/report.pdf");
    }
    void badFilesAreRefused()
    {
        QFETCH(const QString, file);
        QFETCH(const QByteArray, message);
        const Run run = cli({"report", "-", "-o", file}, quickPlan());
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(message), run.error.constData());
    }

    void aPlanThatCannotBeEstimatedIsRefused()
    {
        const QByteArray plan = edited(example("gpt2-xl-alpa"), "/strategy/tp", 7);
        for (const char* file : {"none.html", "none.pdf"}) {
            const Run run = cli({"report", "-", "-o", folder().filePath(file), "--json"}, plan);
            QCOMPARE(run.exitCode, 2);
            QVERIFY(run.json().contains("problems"));
            QVERIFY(!QFile::exists(folder().filePath(file)));
        }
    }

    void thePlanIsNotReplaced()
    {
        const QString plan = saved("plan.html", quickPlan());
        const Run run = cli({"report", plan, "-o", plan});
        QCOMPARE(run.exitCode, 2);
        QCOMPARE(contentOf(plan), quickPlan());
    }
};

STRATOPLAN_TEST(TestCliReport)
#include "test_cli_report.moc"
