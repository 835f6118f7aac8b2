// SPDX-License-Identifier: GPL-3.0-or-later
// `capacity` by the real program: its keys, what it does not know, what is wrong with the plan.
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
        for (const char* unknown : {"co2_kg", "delivery"}) { // null, and why
            QVERIFY(c.at(unknown).is_null() || c.at(unknown).at("p50").is_null());
            QVERIFY(c.at("unknown").at(unknown).get<std::string>().size() > 20);
        }
        QVERIFY(close(c.at("gpu_hours"), c.at("days").get<double>() * 24 * 1024));
        QVERIFY(close(c.at("cost"), 2 * c.at("gpu_hours").get<double>()));
        QVERIFY(cli({"capacity", "-", "--tokens", "300G"}, plan).out.contains("days"));
        const Json unpriced = cli({"capacity", "-", "--tokens", "300G", "--json"}, plan).json();
        QVERIFY(unpriced.at("cost").is_null());
        QVERIFY(unpriced.at("unknown").contains("cost"));
        const Json free = cli({"capacity", "-", "--tokens", "300G", "--price", "0", "--json"}, plan).json();
        QVERIFY(free.at("cost") == 0 && !free.at("unknown").contains("cost"));
        QVERIFY(unpriced.at("fits").get<bool>());
        for (const QStringList& tokens : {QStringList{}, QStringList{"--tokens", "many"}, QStringList{"--tokens=-1"}}) {
            const Run refused = cli(QStringList{"capacity", "-"} + tokens, plan);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.error.contains("--tokens"), refused.error.constData());
        }
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
        QVERIFY(run.out.indexOf("Problems") < run.out.indexOf(" days at "));
        const Json c = cli({"capacity", "-", "--tokens", "300G", "--json"}, text).json();
        QVERIFY(!c.at("fits").get<bool>());
        QVERIFY(c.at("problems") == cli({"estimate", "-", "--json"}, text).json().at("problems"));
        QVERIFY(std::ranges::any_of(
            c.at("problems"), [](const Json& problem) { return problem.at("code") == "out_of_memory"; }));
    }
};

STRATOPLAN_TEST(TestCliCapacity)
#include "test_cli_capacity.moc"
