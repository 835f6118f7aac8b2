// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of a sweep, read again: parts that make a whole, lines that are none, the plan of a point.
#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"
#include "core/exchange/recognise.h"
#include "core/exchange/study_answers.h"
#include "core/reporting/documents.h"
#include "tests/registry.h"

#include <QTest>

#include <cmath>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::plan;

namespace {

std::string best(double step, bool fits = true)
{
    return R"({"strategy":{"tp":4,"pp":2,"dp":1,"vpp":1,"micro_batch":2},"step_s":)" + std::to_string(step)
        + R"(,"step_range_s":[1,9],"tokens_per_s":1000,"mfu":0.5,"fits":)" + (fits ? "true" : "false")
        + R"(,"peak_bytes":1e10,"accelerators":8,"precision":"bf16"})";
}

std::string line(
    int number, int batch, const std::string& kind, const std::string& what, const std::string& plan = "gpt2-xl-alpa")
{
    return R"({"number":)" + std::to_string(number) + R"(,"plan":")" + plan + R"(","values":{"/training/global_batch":)"
        + std::to_string(batch) + R"(,"/strategy/schedule":")" + kind + R"("},)" + what + "}\n";
}

std::string answered(int number, int batch, const std::string& kind, double step = 2)
{
    return line(number, batch, kind, "\"best\":" + best(step));
}

const char kStudy[] = R"({"format":"stratoplan-study","version":1,"name":"mine","plan":"gpt2-xl-alpa",
    "grid":{"/training/global_batch":[64,128],"/strategy/schedule":["1f1b","gpipe"]}})";

QString told(const StudyReading& reading)
{
    QStringList lines;
    for (const StudyFault& fault : reading.faults)
        lines << QString::fromStdString(stratoplan::reporting::describe(fault));
    return lines.join(u'\n');
}

} // namespace

class TestStudyAnswers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filesAreRecognised()
    {
        QCOMPARE(recogniseFile(answered(0, 64, "1f1b") + "{ broken"), FileKind::Answers);
        QCOMPARE(recogniseFile(kStudy), FileKind::Study);
        QCOMPARE(recogniseFile(R"({"number": 1})"), FileKind::Plan);
        QCOMPARE(recogniseFile(shippedStudyAnswers().text), FileKind::Answers);
    }

    void partsMakeTheWhole()
    {
        const std::string second = answered(3, 128, "gpipe") + answered(1, 64, "gpipe");
        const std::string first = answered(2, 128, "1f1b") + answered(0, 64, "1f1b");
        const StudyReading whole = readStudyAnswers({{"all.jsonl", first + second}});
        const StudyReading parts = readStudyAnswers({{"b.jsonl", second}, {"a.jsonl", first}, {"again.jsonl", second}});
        QVERIFY2(whole.faults.empty() && parts.faults.empty(), qPrintable(told(parts)));
        for (const StudyReading* one : {&whole, &parts}) {
            const StudyAnswers& answers = one->answers;
            QCOMPARE(answers.points.size(), 4u);
            QCOMPARE(answers.axes.size(), 2u);
            QVERIFY((answers.axes[0].numbers == std::vector<double>{64, 128}));
            QVERIFY(answers.axes[1].numbers.empty() && answers.axes[1].values.size() == 2);
            for (std::size_t i = 0; i < 4; ++i) {
                QCOMPARE(answers.points[i].number, std::int64_t(i));
                QCOMPARE(answers.axes[0].numbers[answers.points[i].values[0]], i < 2 ? 64.0 : 128.0);
                QVERIFY((answers.axes[1].values[answers.points[i].values[1]] == "\"gpipe\"") == (i % 2 == 1));
            }
        }
        QCOMPARE(whole.answers.points[0].found.tp, 4);
        QCOMPARE(whole.answers.points[0].stepHigh.value(), 9.0);
    }

    void outcomesAreToldApart()
    {
        const std::string text = answered(0, 64, "1f1b") + line(1, 64, "gpipe", "\"best\":" + best(3, false))
            + line(2, 128, "1f1b", "\"best\":null")
            + line(3, 128, "gpipe", R"("problems":[{"message":"The batch does not divide."}])");
        const StudyReading reading = readStudyAnswers({{"a", text}});
        QVERIFY2(reading.faults.empty(), qPrintable(told(reading)));
        const auto& points = reading.answers.points;
        QVERIFY(points[0].outcome == StudyPoint::Outcome::Fits && points[1].outcome == StudyPoint::Outcome::TooLarge);
        QVERIFY(
            points[2].outcome == StudyPoint::Outcome::NothingFits && points[3].outcome == StudyPoint::Outcome::Refused);
        QVERIFY(points[1].isPriced() && !points[2].isPriced());
        QCOMPARE(QString::fromStdString(points[3].reason), QStringLiteral("The batch does not divide."));
    }

    void faultsNameTheirLine_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<QByteArray>("expected");
        QTest::addColumn<int>("points");
        const QByteArray good = QByteArray::fromStdString(answered(0, 64, "1f1b"));
        const auto row = [&](const char* name, const std::string& more, const char* expected, int points = 1) {
            QTest::newRow(name) << good + QByteArray::fromStdString(more) << QByteArray(expected) << points;
        };
        row("no JSON", "\n{ oops\n", "part.jsonl, line 3: no JSON: ");
        row("where in the line", "{\"number\": 5, \"val\n", "line 2: no JSON: the end of the text at column");
        row("no object", "7\n", "line 2: no answer of a sweep: 7");
        row("no number",
            R"({"values":{}, "best":null})"
            "\n",
            "line 2: no answer of a sweep: no \"number\"");
        row("negative",
            R"({"number":-1,"values":{}, "best":null})"
            "\n",
            "\"number\" is -1, expected a count");
        row("neither best nor problems",
            R"({"number":1,"values":{"/training/global_batch":64,"/strategy/schedule":"gpipe"}})"
            "\n",
            "no \"problems\"");
        row("a figure of words", line(1, 64, "gpipe", R"("best":{"step_s":"fast"})"),
            "\"step_s\" is \"fast\", expected a number");
        row("cut short", answered(1, 64, "gpipe").substr(0, 60),
            "line 2: cut short; sweep --resume answers that plan again");
        row("another grid",
            R"({"number":1,"plan":"gpt2-xl-alpa","values":{"/nodes":2},"best":null})"
            "\n",
            "line 2: of another study");
        row("another plan", line(1, 64, "gpipe", "\"best\":null", "other"), "line 2: of another study");
        row("a contradiction", answered(0, 64, "1f1b", 3), "line 2: plan 0 is answered otherwise further up");
        row("nothing wrong", answered(1, 64, "gpipe"), "", 2);
    }

    void faultsNameTheirLine()
    {
        QFETCH(QByteArray, lines);
        QFETCH(QByteArray, expected);
        QFETCH(int, points);
        const StudyReading reading = readStudyAnswers({{"part.jsonl", lines.toStdString()}});
        QCOMPARE(int(reading.answers.points.size()), points);
        QCOMPARE(reading.faulty, expected.isEmpty() ? 0 : 1);
        QVERIFY2(told(reading).contains(QString::fromUtf8(expected)), qPrintable(told(reading)));
    }

    void manyFaultsAreCounted()
    {
        std::string text = answered(0, 64, "1f1b");
        for (int i = 0; i < 250; ++i)
            text += "no\n";
        const StudyReading reading = readStudyAnswers({{"a", text}});
        QCOMPARE(reading.faulty, 250);
        QCOMPARE(reading.faults.size(), 100u);
    }

    void aPointIsAPlan()
    {
        const StudyReading reading = readStudyAnswers({{"a.jsonl", answered(0, 128, "gpipe")}});
        const auto document = planOf(reading.answers, reading.answers.points.front(), shippedCatalog());
        QVERIFY2(document.has_value(), document ? "" : describe(document.error().front()).c_str());
        QCOMPARE(document->project.plan.training.globalBatch, 128);
        QCOMPARE(document->project.plan.strategy.tp, 4);
        QCOMPARE(document->project.plan.strategy.microBatch, 2);
    }

    void theStudySaysWhichPlan()
    {
        const std::string answers = line(0, 64, "1f1b", "\"best\":" + best(2), "my-plan.json");
        const StudyReading alone = readStudyAnswers({{"a.jsonl", answers}});
        QCOMPARE(alone.answers.points.size(), 1u);
        const auto none = planOf(alone.answers, alone.answers.points.front(), shippedCatalog());
        QVERIFY(!none && describe(none.error().front()).find("open the study itself") != std::string::npos);
        const StudyReading both = readStudyAnswers({{"a.jsonl", answers}, {"study.json", kStudy}});
        QVERIFY2(both.faults.empty(), qPrintable(told(both)));
        QCOMPARE(both.answers.size, 4);
        QCOMPARE(QString::fromStdString(both.answers.name), QStringLiteral("mine"));
        QVERIFY(planOf(both.answers, both.answers.points.front(), shippedCatalog()));
    }

    void shippedAnswersAreWhole()
    {
        const StudyReading reading = readStudyAnswers({shippedStudyAnswers()});
        QVERIFY2(reading.faults.empty(), qPrintable(told(reading)));
        const auto study = parseStudy(readFile(STRATOPLAN_EXAMPLES "/study.json").value(), "study.json");
        QVERIFY(study);
        QCOMPARE(std::int64_t(reading.answers.points.size()), study->size());
        for (const StudyPoint& point : reading.answers.points)
            QVERIFY2(
                planOf(reading.answers, point, shippedCatalog()).has_value(), std::to_string(point.number).c_str());
    }

    /// Where this fails, the model has changed since. Anew: stratoplan-cli sweep resources/examples/study.json -o
    /// resources/examples/study-answers.jsonl
    void shippedAnswersAreOfThisModel()
    {
        const StudyReading reading = readStudyAnswers({shippedStudyAnswers()});
        int priced = 0;
        for (const StudyPoint& point : reading.answers.points) {
            if (!point.isPriced())
                continue;
            const Plan plan = planOf(reading.answers, point, shippedCatalog())->project.plan;
            const auto now = estimate(plan);
            QVERIFY(now.has_value());
            const auto told = [&] {
                return qPrintable(QStringLiteral("answer %1: %2 s per step, now %3 s")
                                      .arg(point.number)
                                      .arg(point.step.value())
                                      .arg(now->step.value()));
            };
            QVERIFY2(std::abs(now->step / point.step - 1) < 1e-9, told());
            QVERIFY2(std::abs(now->memory.peak / point.peak - 1) < 1e-9, told());
            ++priced;
        }
        QVERIFY(priced > 20);
    }
};

STRATOPLAN_TEST(TestStudyAnswers)
#include "test_study_answers.moc"
