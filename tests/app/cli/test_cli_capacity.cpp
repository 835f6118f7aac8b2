// SPDX-License-Identifier: GPL-3.0-or-later
// `capacity` by the real program: its keys, what it does not know, what is wrong with the plan, what a file keeps.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

class TestCliCapacity : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void capacityKeepsItsShape()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Run run = cli({"capacity", "-", "--tokens", "300G", "--price", "2", "--json"}, plan);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json c = run.json();
        QVERIFY(hasKeys(
            c, {"steps", "days", "gpu_hours", "cost", "currency", "energy_kwh", "co2_kg", "goodput", "delivery"}));
        QVERIFY(hasKeys(c.at("delivery"), {"p10", "p50", "p90"}));
        QVERIFY(close(c.at("gpu_hours"), c.at("days").get<double>() * 24 * 1024));
        QVERIFY(close(c.at("cost"), 2 * c.at("gpu_hours").get<double>()));
        QVERIFY(close(c.at("days"),
            c.at("steps").get<double>() * c.at("step_s").get<double>() / 86400 / c.at("goodput").get<double>()));
        QVERIFY(c.at("goodput") > 0.8 && c.at("goodput") < 1);
        QVERIFY(c.at("delivery").at("p10") < c.at("days") && c.at("days") < c.at("delivery").at("p90"));
        QVERIFY(c.at("delivery").at("p50") == c.at("days"));
        QVERIFY(c.at("co2_kg") > 0 && c.at("unknown").empty());
        for (const Json& assumed : c.at("assumed"))
            QVERIFY(assumed.at("source").get<std::string>().size() > 20
                && assumed.at("date").get<std::string>().size() > 3);
        QVERIFY(cli({"capacity", "-", "--tokens", "300G"}, plan).out.contains("days"));
        const Json free = cli({"capacity", "-", "--tokens", "300G", "--price", "0", "--json"}, plan).json();
        QVERIFY(free.at("cost") == 0 && !free.at("unknown").contains("cost"));
        const Json stated = cli({"capacity", "-", "--goodput", "0.9", "--start", "2026-12-01", "--json"}, plan).json();
        QVERIFY(stated.at("goodput") == 0.9 && stated.at("tokens") == 300e9); // those of the model
        QVERIFY(stated.at("delivery_dates").at("p50").get<std::string>().starts_with("202"));
        for (const QStringList& wrong :
            {QStringList{"--tokens", "many"}, {"--tokens=-1"}, {"--goodput", "1.1"}, {"--start", "2026-02-30"}}) {
            const Run refused = cli(QStringList{"capacity", "-"} + wrong, plan);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.error.contains(wrong.front().left(8).toUtf8()), refused.error.constData());
        }
    }

    /// An accelerator of one's own has no list price, and a model of one's own no tokens.
    void whatNobodyKnowsIsAskedFor()
    {
        const QByteArray ascend = example("llama-65b-32-ascend");
        const Json c = cli({"capacity", "-", "--tokens", "1T", "--json"}, ascend).json();
        QVERIFY(c.at("cost").is_null() && c.at("unknown").contains("cost"));
        Json plan = Json::parse(example("gpt2-xl-alpa").toStdString());
        plan["capacity"] = {{"tokens", 0}};
        const Run refused = cli({"capacity", "-"}, QByteArray::fromStdString(plan.dump()));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("--tokens"), refused.error.constData());
    }

    /// The whole question in one file: it survives what is written of it.
    void thePlanKeepsItsBudget()
    {
        Json plan = Json::parse(example("gpt3-175b-1024-a100").toStdString());
        plan["capacity"] = {{"tokens", 450e9}, {"price_per_accelerator_hour", 1.25}, {"start", "2027-01-01"},
            {"failures", {{"restart_s", 600}}}};
        const QByteArray text = QByteArray::fromStdString(plan.dump());
        const QByteArray written = cli({"export", "-", "--format", "json", "-o", "-"}, text).out;
        QVERIFY(Json::parse(written.toStdString()).at("capacity") == plan.at("capacity"));
        QCOMPARE(cli({"capacity", "-", "--json"}, written).out, cli({"capacity", "-", "--json"}, text).out);
        plan["capacity"]["start"] = "2027-02-30";
        const Run refused = cli({"capacity", "-"}, QByteArray::fromStdString(plan.dump()));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("/capacity/start"), refused.error.constData());
    }

    /// Days of a plan that cannot run are told with the reason.
    void capacityTellsWhatIsWrongWithThePlan()
    {
        Json plan = Json::parse(example("gpt3-175b-1024-a100").toStdString());
        for (const auto& [degree, value] : {std::pair("pp", 1), std::pair("vpp", 1), std::pair("dp", 128)})
            plan["strategy"][degree] = value;
        plan["strategy"]["schedule"] = "1f1b";
        const QByteArray text = QByteArray::fromStdString(plan.dump());
        const Run run = cli({"capacity", "-", "--tokens", "300G"}, text);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QVERIFY(run.out.contains("Problems"));
        QVERIFY(run.out.indexOf("Problems") < run.out.indexOf(" days, of which training"));
        const Json c = cli({"capacity", "-", "--tokens", "300G", "--json"}, text).json();
        QVERIFY(!c.at("fits").get<bool>());
        QVERIFY(c.at("problems") == cli({"estimate", "-", "--json"}, text).json().at("problems"));
        QVERIFY(std::ranges::any_of(
            c.at("problems"), [](const Json& problem) { return problem.at("code") == "out_of_memory"; }));
    }
};

STRATOPLAN_TEST(TestCliCapacity)
#include "test_cli_capacity.moc"
