// SPDX-License-Identifier: GPL-3.0-or-later
// What validate and calibrate do with measured cases, by the real program.
#include "tests/app/cli/cli_run.h"
#include "tests/patience.h"
#include "tests/registry.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace stratoplan::clitest;

namespace {

/// Runs that were measured, with a micro-batch that is too large for any accelerator.
Json failedRuns()
{
    const Json cases = Json::parse(someCases("torchtitan").toStdString());
    Json failures = Json::array();
    for (Json failure : cases.is_array() ? cases : cases.at("cases")) {
        failure["status"] = "oom-likely";
        failure["measured"] = Json::object();
        failure["training"]["micro_batch"] = 512;
        failure["training"]["global_batch"] = 512 * failure.at("parallel").value("dp", 1);
        failures.push_back(std::move(failure));
    }
    return failures;
}

} // namespace

class TestCliCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// How good constants are on what they were fitted to is not how good they are.
    void whatAStrangerGetsComesFirst()
    {
        const QByteArray text = cli({"validate"}).out;
        const auto place = [&](const char* words) { return text.indexOf(words); };
        QVERIFY(place("source left out") > 0 && place("source left out") < place("Mean of 20 sources"));
        QVERIFY(place("Mean of 20 sources") < place("accuracy"));
        const Json overall = cli({"validate", "--json"}).json().at("overall");
        QVERIFY(overall.at("left_out").at("mean_abs_error") > overall.at("mean_abs_error"));
        QVERIFY(overall.at("source_left_out").at("n") == overall.at("left_out").at("n"));
        const Json& means = overall.at("means_of_sources");
        QVERIFY(means.at("source_left_out") > means.at("model_shape_left_out"));
        QVERIFY(means.at("model_shape_left_out") > means.at("fit"));
    }

    void validationKeepsItsShape()
    {
        const Run run = cli({"validate", "--json"});
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json v = run.json();
        QVERIFY(hasKeys(v, {"n_cases", "n_estimated", "skipped", "rows", "overall", "groups", "memory", "ranking"}));
        QVERIFY(hasKeys(v.at("overall"), kStatisticsKeys));
        QVERIFY(hasKeys(v.at("memory"), kStatisticsKeys));
        QVERIFY(hasKeys(v.at("ranking"), {"n_groups", "spearman_mean", "regret_mean", "within_2_percent"}));
        for (const Json& group : v.at("groups"))
            QVERIFY(hasKeys(group, kStatisticsKeys));
        QCOMPARE(v.at("rows").size(), v.at("n_estimated").get<std::size_t>());
        QCOMPARE(v.at("rows").size() + v.at("skipped").size(), v.at("n_cases").get<std::size_t>());
        QVERIFY(v.at("rows").size() > 100);
        for (const Json& row : v.at("rows")) {
            QVERIFY(hasKeys(row,
                {"id", "group", "measured_s", "estimated_s", "error", "low_s", "high_s", "measured_gib",
                    "estimated_gib", "memory_error", "filled"}));
            if (row.at("error").is_number())
                QVERIFY(close(
                    row.at("estimated_s"), (1 + row.at("error").get<double>()) * row.at("measured_s").get<double>()));
        }
        for (const Json& skipped : v.at("skipped"))
            QVERIFY(hasKeys(skipped, {"id", "reason"}));
        const Run text = cli({"validate"});
        QCOMPARE(text.exitCode, 0);
        QVERIFY(text.out.contains("Step time") && text.out.contains("Rank correlation"));
        QVERIFY(!cli({"validate", "--profile", "nemo"}).out.contains("source left out"));
        for (const char* input : {"", "[", "{\"cases\": 3}"}) {
            const Run refused = cli({"validate", "-"}, input);
            QVERIFY2(refused.exitCode == 2, input);
            QVERIFY(refused.error.contains("standard input"));
        }
    }

    void validationTakesOneProfileForAll()
    {
        const Run own = cli({"validate", "-", "--json"}, someCases("torchtitan"));
        const Run other = cli({"validate", "-", "--profile", "alpa", "--json"}, someCases("torchtitan"));
        QVERIFY2(other.exitCode == 0, other.error.constData());
        QVERIFY(own.json().at("overall") != other.json().at("overall"));
        const QString file = saved(
            "profile.json", R"({"format": "stratoplan-profile", "version": 1, "id": "mine", "matmul_factor": 0.5})");
        const Run mine = cli({"validate", "-", "--profile", file, "--json"}, someCases("torchtitan"));
        QVERIFY2(mine.exitCode == 0, mine.error.constData());
        QVERIFY(mine.json().at("overall") != other.json().at("overall"));
        const QString broken = saved("broken-profile.json",
            R"({"format": "stratoplan-profile", "version": 1, "id": "mine", "matmul_factor": -1})");
        const Run refused = cli({"validate", "-", "--profile", broken}, someCases("torchtitan"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("broken-profile.json: /matmul_factor: found -1, expected a number from 0"),
            refused.error.constData());
    }

    void validationCountsFailures()
    {
        const Json failures = failedRuns();
        const QString file = saved("failures.json", QByteArray::fromStdString(failures.dump()));
        const Run run = cli({"validate", "-", "--failures", file, "--json"}, someCases("torchtitan"));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json f = run.json().at("failures");
        QCOMPARE(f.at("likely").at("n").get<std::size_t>(), failures.size());
        QCOMPARE(f.at("likely").at("caught").get<std::size_t>(), failures.size());
        QCOMPARE(f.at("caught").get<double>(), 1.0);
        QCOMPARE(f.at("refused").get<double>(), 0.0);
        const Run text = cli({"validate", "-", "--failures", file}, someCases("torchtitan"));
        QVERIFY2(text.out.contains("Caught: 100 % of the failures; refused: 0 %"), text.out.right(400).constData());
    }

    void validationNeedsFailures()
    {
        const auto refusalOf = [](const QString& file) {
            const Run run = cli({"validate", "-", "--failures", file}, someCases("torchtitan"));
            return run.exitCode == 2 ? run.error : QByteArray("not refused");
        };
        const auto refusalOfRows = [&](const Json& rows) {
            return refusalOf(saved("none.json", QByteArray::fromStdString(rows.dump())));
        };
        const QByteArray missing = refusalOf("no-such.json");
        QVERIFY2(missing.contains("no-such.json"), missing.constData());
        Json others = failedRuns(), unknown = others;
        for (Json& failure : others)
            failure["status"] = "oom";
        for (const Json& rows : {Json(Json::array()), others}) {
            const QByteArray refusal = refusalOfRows(rows);
            QVERIFY2(refusal.contains("none.json: found no run that ran out of memory, expected"), refusal.constData());
        }
        for (Json& failure : unknown)
            failure["model"] = failure["hardware"] = Json::object();
        const QByteArray refusal = refusalOfRows(unknown);
        const std::string first = unknown[0]["id"].get<std::string>();
        const std::string rows = std::to_string(unknown.size());
        const std::string found =
            "found no run that ran out of memory; rows that cannot be read: " + rows + ", the first ";
        QVERIFY2(refusal.contains(QByteArray::fromStdString(found + first + ": ")), refusal.constData());
        unknown.insert(unknown.end(), others.begin(), others.end()); // nor did these run out of memory
        const QByteArray both = refusalOfRows(unknown);
        QVERIFY2(both.contains(QByteArray::fromStdString(found + first + ": ")), both.constData());
    }

    void validationLeavesGroupsOut()
    {
        const Run run = cli({"validate", "-", "--k-fold", "--json"}, someCases("torchtitan"));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json k = run.json().at("k_fold");
        QVERIFY(hasKeys(k, {"time", "memory", "range"}));
        for (const char* name : {"time", "memory"}) {
            const Json& part = k.at(name);
            QVERIFY(hasKeys(part.at("fit"), kFitKeys) && hasKeys(part.at("prior"), kFitKeys));
            QVERIFY(hasKeys(part.at("left_out_by"),
                {"model shape", "model size", "accelerators", "schedule", "strategy", "source"}));
            for (const Json& one : part.at("left_out_by"))
                QVERIFY(hasKeys(one.at("fit"), kFitKeys) && hasKeys(one.at("left_out"), kFitKeys));
        }
        const Json& range = k.at("range").at("overall");
        QVERIFY(hasKeys(range, {"n", "model_shape_left_out", "source_left_out", "mean_width"}));
        QVERIFY(range.at("n") == k.at("time").at("fit").at("n") && range.at("mean_width") > 0.01);
        QVERIFY(k.at("range").at("families").contains("torchtitan with torchtitan"));
        const Json& time = k.at("time");
        QVERIFY(time.at("fit").at("mean_abs_error") <= time.at("prior").at("mean_abs_error"));
        const Json& strategies = time.at("left_out_by").at("strategy");
        QVERIFY(strategies.at("left_out").at("n") > 5);
        QVERIFY(strategies.at("left_out").at("mean_abs_error") != strategies.at("fit").at("mean_abs_error"));
        QVERIFY(cli({"validate", "-", "--k-fold"}, someCases("torchtitan")).out.contains("By strategy"));
    }

    void thePageIsWrittenWithItsCharts()
    {
        const QString file = folder().filePath("Page.md");
        const Run run = cli({"validate", "-", "--page", file}, someCases("torchtitan"));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QFile page(file);
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QByteArray text = page.readAll();
        QVERIFY(text.contains("| torchtitan | ") && text.contains("](page/torchtitan.svg)"));
        QFile chart(folder().filePath("page/torchtitan.svg"));
        QVERIFY(chart.open(QIODevice::ReadOnly) && chart.readAll().contains("<circle"));
        const Run refused = cli({"validate", "-", "--page", "/no/such/folder/page.md"}, someCases("torchtitan"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("/no/such/folder/page.md"), refused.error.constData());
    }

    void faultyCasesLeaveTheOthers()
    {
        Json cases = Json::parse(someCases("torchtitan").toStdString());
        const std::size_t good = cases.size();
        cases.push_back({{"id", "bad"}, {"group", "g"}, {"model", {{"heads", 0}}}});
        cases.push_back(7);
        const Run run = cli({"validate", "-", "--json"}, QByteArray::fromStdString(cases.dump()));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json skipped = run.json().at("skipped");
        QCOMPARE(run.json().at("n_cases").get<std::size_t>(), good + 2);
        QVERIFY(
            skipped.at(0).at("reason").get<std::string>().find("/model/heads: found 0, expected a whole number from 1")
            != std::string::npos);
        const Run deep = cli({"validate", "-"}, QByteArray(200000, '['));
        QCOMPARE(deep.exitCode, 2);
        QVERIFY2(deep.error.contains("levels of nesting") && deep.error.size() < 800, deep.error.left(300).constData());
        const Run broken = cli({"validate", "-"}, "[{},\n x]");
        QCOMPARE(broken.exitCode, 2);
        QVERIFY2(broken.error.contains(" at line 2, column 2, expected"), broken.error.constData());
    }

    void plansAreEstimatedWithAnotherProfile()
    {
        const Run own = cli({"examples", "gpt3-175b-1024-a100"});
        const double before = cli({"estimate", "-", "--json"}, own.out).json().at("step_s");
        const QString profile = QStringLiteral(STRATOPLAN_EXAMPLES "/profile.json");
        const Run other = cli({"estimate", "-", "--json", "--profile", profile}, own.out);
        QVERIFY2(other.exitCode == 0, other.error.constData());
        QVERIFY(other.json().at("step_s") != before);
        QVERIFY(cli({"estimate", "-", "--json", "--profile", "nemo"}, own.out).json().at("step_s") != before);
        const Run none = cli({"estimate", "-", "--profile", "nowhere"}, own.out);
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.error.contains("nowhere"), none.error.constData());
    }

    // In one piece: one table of runs is made, fitted, told and used.
    void calibrationFitsOwnRuns()
    {
        // Measured with the half of the matrix rate: the fit must find its way there and say what it gained.
        QByteArray table = "# plan: gpt2-xl-alpa\nid,tp,pp,micro_batch,step_s,peak_gib\n";
        const QString slow = saved("slow.json",
            edited(example("gpt2-xl-alpa"), "/training/software", {{"base", "alpa"}, {"matmul_factor", 0.6}}));
        const Json plan = Json::parse(cli({"export", slow, "--format", "json", "-o", "-"}).out.toStdString());
        for (const auto& [pp, microBatch] :
            {std::pair(1, 1), std::pair(2, 1), std::pair(4, 1), std::pair(4, 2), std::pair(2, 2), std::pair(8, 1)}) {
            Json one = plan;
            one["strategy"].update({{"tp", 1}, {"pp", pp}, {"dp", 16 / pp}, {"micro_batch", microBatch}, {"vpp", 1},
                {"schedule", "1f1b"}});
            const Json answer = cli({"estimate", "-", "--json"}, QByteArray::fromStdString(one.dump())).json();
            if (answer.contains("step_s"))
                table += "run,1," + QByteArray::number(pp) + ',' + QByteArray::number(microBatch) + ','
                    + QByteArray::number(answer.at("step_s").get<double>(), 'g', 12) + ",\n";
        }
        QVERIFY(table.count('\n') >= 6);
        table += "bad,1,three,1,2,\nlazy,1,2,1,,\n";
        const QString file = folder().filePath("mine.json");
        const Run run = cli({"calibrate", "-", "-o", file, "--json"}, table);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json c = run.json();
        QVERIFY(hasKeys(c, {"file", "n_rows", "skipped", "time", "memory", "constants", "profile"}));
        QCOMPARE(c.at("skipped").size(), std::size_t{2});
        QVERIFY2(
            run.error.contains("column pp: found \"three\", expected a whole number from 1"), run.error.constData());
        QVERIFY2(run.error.contains("expected step_s or peak_gib"), run.error.constData());
        for (const char* part : {"before", "after", "left_out"})
            QVERIFY(hasKeys(c.at("time").at(part), kFitKeys));
        QVERIFY(c.at("memory").is_null());
        const auto error = [&](const char* part) { return c.at("time").at(part).at("mean_abs_error").get<double>(); };
        QVERIFY2(error("after") < error("before") / 2,
            qPrintable(QString("%1 %2").arg(error("before")).arg(error("after"))));
        QVERIFY(error("left_out") < error("before"));
        const Run used = cli({"validate", "-", "--profile", file}, someCases("torchtitan"));
        QVERIFY2(used.exitCode == 0, used.error.constData());

        const Run text = cli({"calibrate", "-", "-o", file}, table);
        QVERIFY(text.out.contains("left out") && text.out.contains("matmul_factor"));
        const Run cases =
            cli({"calibrate", "-", "-o", file, "--profile", "torchtitan", "--json"}, someCases("torchtitan"));
        QVERIFY2(cases.exitCode == 0, cases.error.constData());
        QCOMPARE(cases.json().at("profile").at("id").get<std::string>(), std::string("torchtitan-calibrated"));
        QVERIFY(cases.json().at("memory").is_object());
    }

    // In one piece: one log is fitted with a table, beside a log of another model, and without a plan.
    void logsAndTablesCalibrateTogether()
    {
        QByteArray log;
        for (int i = 1; i <= 20; ++i)
            log += "0:  iteration " + QByteArray::number(i)
                + "/  500 | consumed samples: 8 | elapsed time per iteration (ms): " + (i < 4 ? "9e5" : "14000.5")
                + " | global batch size:  1536 | lm loss: 3.1 |\n";
        const QString first = saved("first.log", log);
        const QString rows = STRATOPLAN_EXAMPLES "/calibration-rows.csv";
        const QString file = folder().filePath("both.json");
        const Run run = cli({"calibrate", first, rows, "--plan", "gpt3-175b-1024-a100", "-o", file, "--json"});
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json c = run.json();
        QCOMPARE(c.at("n_rows").get<int>(), 3);
        QCOMPARE(c.at("rows").at(0).at("step_s").get<double>(), 14.0005);
        QVERIFY2(
            run.error.contains("first.log: 15 iterations used (15 lines of 20), median 14.0 s"), run.error.constData());
        QCOMPARE(c.at("time").at("rows").size(), std::size_t{3});
        QCOMPARE(c.at("time").at("left_out").at("n").get<int>(), 3);
        QVERIFY(c.at("time").at("rows").at(0).at("left_out").is_number());
        QVERIFY(hasKeys(c.at("constants").at(0), {"key", "before", "after", "prior_spread", "spread"}));
        const Run text = cli({"calibrate", first, rows, "--plan", "gpt3-175b-1024-a100", "-o", file});
        for (const char* said : {"left out", "first.log", "full recomputation", "worst", "bias", "prior"})
            QVERIFY2(text.out.contains(said), text.out.constData());

        const QString other = saved(
            "other.log", "------ arguments ------\n  hidden_size .... 8192\n------ end of arguments ------\n" + log);
        const Run told = cli({"calibrate", first, other, "--plan", "gpt3-175b-1024-a100", "-o", file});
        QCOMPARE(told.exitCode, 2);
        QVERIFY2(told.error.contains(other.toUtf8()
                     + ": line 2: found hidden_size 8192, expected 12288 as the hidden size of the plan "
                       "gpt3-175b-1024-a100"),
            told.error.constData());
        const Run planless = cli({"calibrate", first, "-o", file, "--json"});
        QCOMPARE(planless.exitCode, 2);
        QVERIFY2(planless.error.contains(
                     "found no plan that the rows change, expected --plan PLAN for what a log does not say"),
            planless.error.constData());
        QVERIFY(planless.json().contains("problems"));
        QCOMPARE(cli({"calibrate", "-", "-", "-o", file}).exitCode, 2);
    }

    void calibrationRefusesWhatIsNoTable_data()
    {
        QTest::addColumn<QByteArray>("rows");
        QTest::addColumn<QByteArray>("told");
        QTest::newRow("nothing") << QByteArray()
                                 << QByteArray(
                                        "standard input: found no plan that the rows change, expected --plan PLAN");
        QTest::newRow("no heading") << QByteArray("# plan: gpt2-xl-alpa\n") << QByteArray("found no heading");
        QTest::newRow("unknown column") << QByteArray("# plan: gpt2-xl-alpa\ntp,speed\n1,2\n")
                                        << QByteArray("standard input: line 2: found a heading \"tp,speed\"");
        QTest::newRow("twice") << QByteArray("# plan: gpt2-xl-alpa\ntp;tp;step_s\n")
                               << QByteArray("line 2, column tp: found the column twice");
        QTest::newRow("nothing measured") << QByteArray("# plan: gpt2-xl-alpa\ntp\n1\n")
                                          << QByteArray("expected one with a column step_s or peak_gib");
        QTest::newRow("no run") << QByteArray("# plan: gpt2-xl-alpa\nstep_s\n-1\n")
                                << QByteArray("found no measured run");
        QTest::newRow("no such plan") << QByteArray("# plan: nowhere.json\nstep_s\n1\n")
                                      << QByteArray("No such file: nowhere.json");
        QTest::newRow("no cases") << QByteArray("{}") << QByteArray("standard input: /cases: found nothing");
    }

    void calibrationRefusesWhatIsNoTable()
    {
        QFETCH(QByteArray, rows);
        QFETCH(QByteArray, told);
        const QString file = folder().filePath("never.json");
        const Run run = cli({"calibrate", "-", "-o", file}, rows);
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(told), run.error.constData());
        QVERIFY(!QFile::exists(file));
    }

    void unlikeStacksAreNotFittedTogether()
    {
        Json cases = Json::parse(someCases("torchtitan").toStdString());
        for (const Json& one : Json::parse(someCases("korthikanti").toStdString()))
            cases.push_back(one);
        const QByteArray rows = QByteArray::fromStdString(cases.dump());
        const QString file = folder().filePath("mixed.json");
        const Run run = cli({"calibrate", "-", "-o", file}, rows);
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("software profiles (") && run.error.contains("megatron-lm-2022")
                && run.error.contains("torchtitan"),
            run.error.constData());
        QVERIFY2(run.error.contains("expected rows of one, or --profile P"), run.error.constData());
        QVERIFY(!QFile::exists(file));
        const Run planned = cli({"calibrate", "-", "-o", file, "--plan", "nonexistent"}, rows);
        QCOMPARE(planned.exitCode, 2);
        QVERIFY2(
            planned.error.contains("--plan: found \"nonexistent\" with measured cases"), planned.error.constData());
    }

    void badPlacesAreToldBeforeTheFit()
    {
        const QString rows = STRATOPLAN_EXAMPLES "/calibration-rows.csv";
        for (const QString& place : {QString("/no/such/folder/p.json"), folder().path()}) {
            const Run run = cli({"calibrate", rows, "-o", place, "--json"});
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains(place.toUtf8()) && run.json().contains("problems")
                    && !run.json().contains("constants"),
                run.out.constData());
        }
        const Run full = cli({"calibrate", rows, "-o", "/dev/full", "--json"}); // told by the write alone
        QCOMPARE(full.exitCode, 2);
        QVERIFY2(full.error.contains("Cannot write /dev/full: "), full.error.constData());
        QVERIFY(full.json().at("file").is_null() && !full.json().at("constants").empty()
            && full.json().at("problems").size() == 1);
        QVERIFY(cli({"calibrate", rows, "-o", "/dev/full"}).out.contains("Constant"));
    }

    void brokenPriorsAreTold()
    {
        const QString broken = saved("broken.json", "{");
        const Run run = cli({"calibrate", "--shipped", "--priors", broken, "-o", folder().filePath("never.json")});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(broken.toUtf8() + ": found text that is not JSON, expected a JSON object"),
            run.error.constData());
        const QString odd = saved("odd.json", R"({"license": "x", "entries": [{"id": 3}]})");
        const Run told = cli({"calibrate", "--shipped", "--priors", odd, "-o", folder().filePath("never.json")});
        QVERIFY2(told.error.contains(odd.toUtf8() + ": /entries/0"), told.error.constData());
    }

    void theErrorsBehindTheRangesAreMadeWithTheProfiles()
    {
        QFile shipped(STRATOPLAN_PRIORS);
        QVERIFY(shipped.open(QIODevice::ReadOnly));
        Json priors = Json::parse(shipped.readAll().toStdString());
        Json& entries = priors["entries"];
        entries.erase(std::remove_if(entries.begin(), entries.end(),
                          [](const Json& one) { return one.at("id") != "torchtitan-eager"; }),
            entries.end());
        QCOMPARE(entries.size(), std::size_t{1});
        const QString from = saved("few-priors.json", priors.dump().c_str());
        QByteArray first;
        for (const char* name : {"first.csv", "second.csv"}) {
            const QString file = folder().filePath(name);
            const Run run = cli(
                {"calibrate", "--shipped", "--priors", from, "-o", folder().filePath("few.json"), "--evidence", file});
            QVERIFY2(run.exitCode == 0, run.error.constData());
            QFile evidence(file);
            QVERIFY(evidence.open(QIODevice::ReadOnly));
            const QByteArray text = evidence.readAll();
            QVERIFY(text.startsWith("# SPDX") && text.contains("\ntime,torchtitan/") && text.count('\n') > 5);
            QVERIFY(first.isEmpty() || first == text);
            first = text;
        }
        const Run refused = cli({"calibrate", "--shipped", "--priors", from, "-o", folder().filePath("few.json"),
            "--evidence", "/no/such/e.csv"});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("/no/such/e.csv"), refused.error.constData());
    }

    void rowsDoNotReachTheTerminal()
    {
        const QString file = folder().filePath("never.json");
        for (const char* rows : {"# plan: gpt2-xl-alpa\ntp,step_s\n\x1b[31m,1\n",
                 "# plan: gpt2-xl-alpa\n\x1b]0;x\x07,step_s\n", "# plan: \x1b[2J\nstep_s\n1\n"}) {
            const Run run = cli({"calibrate", "-", "-o", file}, rows);
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains("1b") && !run.error.contains('\x1b') && !run.error.contains('\x07'),
                run.error.constData());
        }
    }

    void unknownStacksStayOutOfTheFolds()
    {
        Json cases = Json::parse(someCases("torchtitan").toStdString());
        const auto rows = [&] {
            const Json k = cli({"validate", "-", "--k-fold", "--json"}, QByteArray::fromStdString(cases.dump())).json();
            return k.at("k_fold").at("time").at("fit").at("n").get<int>();
        };
        const int known = rows();
        Json stranger = cases.at(0);
        stranger["id"] = "stranger";
        stranger["software"]["framework"] = "a stack of one's own";
        cases.push_back(stranger);
        QCOMPARE(rows(), known);
    }

    void theShippedRowsCalibrate()
    {
        const Run run = cli({"calibrate", STRATOPLAN_EXAMPLES "/calibration-rows.csv", "-o",
            folder().filePath("shipped.json"), "--json"});
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QVERIFY2(run.error.contains("2 rows measure step time, fewer than 3: only matmul_factor is fitted"),
            run.error.constData());
        const Run used =
            cli({"validate", "-", "--profile", STRATOPLAN_EXAMPLES "/profile.json"}, someCases("korthikanti"));
        QVERIFY2(used.exitCode == 0, used.error.constData());
        QVERIFY(run.json().at("time").at("after").at("mean_abs_error")
            <= run.json().at("time").at("before").at("mean_abs_error"));
    }

    void interruptedWorkGivesWhatItHas_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("validate") << QStringList{"validate", "-", "--json"};
        QTest::newRow("leaving out") << QStringList{"validate", "-", "--k-fold", "--json"};
        QTest::newRow("calibrate") << QStringList{
            "calibrate", "-", "-o", "/dev/null", "--profile", "megatron-core-2024", "--json"};
    }

    void interruptedWorkGivesWhatItHas()
    {
        QFETCH(QStringList, arguments);
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(STRATOPLAN_CLI, arguments);
        QVERIFY(process.waitForStarted());
        // It waits for its input and listens to the signal; once it has heard it, it no longer does.
        QTRY_VERIFY(catches(process.processId(), SIGINT));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QTRY_VERIFY(!catches(process.processId(), SIGINT));
        QFile cases(STRATOPLAN_CASES);
        QVERIFY(cases.open(QIODevice::ReadOnly));
        const Run run = finish(process, cases.readAll());
        QVERIFY2(run.exitCode == 3, run.error.constData());
        QVERIFY(run.json().at("stopped").get<bool>());
        if (arguments.front() == "validate")
            QVERIFY(run.json().at("n_estimated") < run.json().at("n_cases"));
        else
            QVERIFY(run.json().at("file").is_null());
    }
};

STRATOPLAN_TEST(TestCliCases)
#include "test_cli_cases.moc"
