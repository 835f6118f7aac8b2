// SPDX-License-Identifier: GPL-3.0-or-later
// `sensitivity` by the real program: its keys, chances, sweeps and break-even, and what it refuses.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

class TestCliSensitivity : public QObject {
    Q_OBJECT

    static QByteArray plan() { return example("gpt2-xl-alpa"); }
    static Run ask(const QStringList& arguments) { return cli(QStringList{"sensitivity", "-"} + arguments, plan()); }

private Q_SLOTS:
    void analysisKeepsItsShape()
    {
        const QStringList asked{"--tokens", "10G", "--draws", "64", "--json", "--range", "tokens=8G:12G"};
        const Run run = ask(asked);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json s = run.json();
        QVERIFY(hasKeys(s, {"measure", "currency", "draws", "stopped", "kept_of_ranges", "plans"}));
        const Json& p = s.at("plans").front();
        QVERIFY(hasKeys(p,
            {"name", "strategy", "step_s", "peak_bytes", "days", "cost", "energy_kwh", "fits", "out_of_memory",
                "tornado", "unexplained", "likeness", "best"}));
        QVERIFY(
            p.at("step_s").at("p10") < p.at("step_s").at("p50") && p.at("step_s").at("p50") < p.at("step_s").at("p90"));
        QVERIFY(p.at("out_of_memory") >= 0 && p.at("out_of_memory") <= 1);
        const Json estimate = cli({"estimate", "-", "--json"}, plan()).json();
        QVERIFY(close(p.at("step_s").at("p50"), estimate.at("step_s")));
        double before = 1e300;
        for (const Json& bar : p.at("tornado")) {
            QVERIFY(hasKeys(bar, {"key", "name", "unit", "value", "of", "p10", "p90", "source", "at_p10", "at_p90"}));
            const double low = bar.at("at_p10").at("step_s"), high = bar.at("at_p90").at("step_s");
            QVERIFY(
                std::abs(high - low) > 0 && std::abs(high - low) <= before * 3); // by falling reach from the estimate
            before = std::abs(high - low);
        }
        QVERIFY(ask(asked).out == run.out);
        QVERIFY(ask(asked + QStringList{"--threads", "3"}).out == run.out);
        const QByteArray text = ask({"--draws", "64"}).out;
        QVERIFY(text.contains("chance of running out of memory") && text.contains("what no input explains"));
    }

    void allDrawsRun()
    {
        const Json plan = ask({"--draws", "64", "--json"}).json().at("plans").front();
        QVERIFY(plan.at("cannot_run") == 0.0);
    }

    void plansAreCompared()
    {
        const Json same = ask({"--against", R"({"micro_batch": 1})", "--draws", "64", "--json"}).json();
        const Json& other = same.at("plans").back();
        const Json& step = other.at("first_against_it").at("step");
        QVERIFY(close(
            step.at("wins").get<double>() + step.at("ties").get<double>() + step.at("losses").get<double>(), 1.0));
        QVERIFY(ask({"--against", R"({"micro_batch": 1})", "--draws", "64"}).out.contains("with a chance of")
            || step.at("ties") > 0.99);
        QVERIFY(close(
            same.at("plans").front().at("best").at("step").get<double>() + other.at("best").at("step").get<double>(),
            1.0));
    }

    void inputsAreSwept()
    {
        const Json line = ask({"--sweep", "accelerator_rate=20:80:4", "--json"}).json();
        QCOMPARE(line.at("points").size(), 4UL);
        QVERIFY(close(line.at("points").front().at("x"), 20.0) && line.at("x").at("unit") == "TFLOP/s");
        QVERIFY(line.at("points").front().at("outcome").at("step_s")
            >= line.at("points").back().at("outcome").at("step_s"));
        const Json map =
            ask({"--sweep", "memory_bandwidth=600,900", "--sweep", "sequence_length=512,1024", "--json"}).json();
        QCOMPARE(map.at("points").size(), 4UL);
        QVERIFY(ask({"--sweep", "memory_bandwidth", "--sweep", "sequence_length=512,1024"}).out.contains("across"));
        const Run replanned = ask({"--sweep", "sequence_length=512,1024", "--replan", "--json"});
        QVERIFY2(replanned.exitCode == 0, replanned.error.constData());
        for (const Json& point : replanned.json().at("points"))
            QVERIFY(point.at("outcome").at("fits").get<bool>() && point.contains("strategy"));
    }

    void breakEvenIsFound()
    {
        const QStringList against{"--against", R"({"recompute": "full"})"};
        const Run none = ask(against + QStringList{"--break-even", "accelerator_rate=10:40"});
        QVERIFY2(none.exitCode == 0, none.error.constData());
        const Json json = ask(against + QStringList{"--break-even", "accelerator_rate=10:40", "--json"}).json();
        QVERIFY(hasKeys(json, {"measure", "first", "other", "input", "at_low", "at_high", "break_even"}));
        QVERIFY(close(json.at("at_low").at("value"), 10.0));
        if (json.at("break_even").empty())
            QVERIFY(none.out.contains("no break-even"));
    }

    void breakEvenNeedsFiguresAndARange()
    {
        const QStringList against{"--tokens", "10G", "--against", R"({"recompute": "full"})", "--break-even"};
        const Run point = ask(against + QStringList{"evaluation_share", "--measure", "days"});
        QVERIFY2(point.exitCode == 2 && point.error.contains("FROM:TO"), point.error.constData());
    }

    void whatIsWrongIsSaid()
    {
        for (const QStringList& wrong : {QStringList{"--measure", "speed"}, {"--range", "bandwidth=1:2"},
                 {"--range", "memory_bandwidth=1"}, {"--range", "memory_bandwidth=1:2"},
                 {"--range", "global_batch=900:1100"}, {"--sweep", "nothing"}, {"--sweep", "memory_bandwidth=9:1"},
                 {"--sweep", "memory_bandwidth=1:9:1"}, {"--sweep", "nodes=many"}, {"--break-even", "memory_bandwidth"},
                 {"--draws", "3"}, {"--tokens", "none"}, {"--against", R"({"tp": "many"})"}}) {
            const Run refused = ask(wrong);
            QVERIFY2(refused.exitCode == 2, qPrintable(wrong.join(u' ')));
            QVERIFY2(refused.error.contains(wrong.front().toUtf8()), refused.error.constData());
        }
        const Run noBudget = cli({"sensitivity", "-", "--measure", "days"}, [] {
            Json plan = Json::parse(example("gpt2-xl-alpa").toStdString());
            plan["capacity"] = {{"tokens", 0}};
            return QByteArray::fromStdString(plan.dump());
        }());
        QVERIFY(noBudget.exitCode == 2 && noBudget.error.contains("--tokens"));
    }
};

STRATOPLAN_TEST(TestCliSensitivity)
#include "test_cli_sensitivity.moc"
