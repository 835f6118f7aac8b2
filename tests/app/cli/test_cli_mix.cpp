// SPDX-License-Identifier: GPL-3.0-or-later
// `mix` by the real program, and a batch divided over replicas on unlike nodes.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <vector>

using namespace stratoplan::clitest;

namespace {

/// GPT-2 XL on two nodes of V100 and two of A100.
QByteArray unlike()
{
    const Json old = {{"id", "v"}, {"preset", "dgx1-v100-32"}, {"count", 2}};
    const Json fresh = {{"id", "a"}, {"preset", "dgx-a100-40"}, {"count", 2}};
    QByteArray plan = edited(example("gpt2-xl-alpa"), "/cluster", Json{{"name", "mixed"}, {"nodes", {old, fresh}}});
    plan = edited(plan, "/training/precision", "fp16");
    plan = edited(plan, "/training/global_batch", 64);
    return edited(plan, "/strategy",
        {{"tp", 1}, {"pp", 2}, {"dp", 16}, {"micro_batch", 1}, {"rank_order", {"tp", "cp", "ep", "pp", "dp"}}});
}

} // namespace

class TestCliMix : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersAndWritesThePlan()
    {
        const QString file = folder().filePath("mixed.json");
        const Run run = cli({"mix", "-", "--json", "--prices", "v=1,a=2", "-o", file}, unlike());
        QCOMPARE(run.exitCode, 0);
        const Json json = run.json();
        QVERIFY(allFinite(json));
        QVERIFY(hasKeys(json, {"proven", "mixes", "searched", "left_out", "strategies", "seconds", "priced", "front"}));
        QVERIFY(json["proven"] == true && json["priced"] == true);
        QCOMPARE(json["mixes"].get<int>(), 12); // 1 or 2 of either, and of both in two orders
        QCOMPARE(json["searched"].get<int>() + json["left_out"].get<int>(), 12);
        QVERIFY(!json["front"].empty());
        double last = 0, price = 1e300;
        for (const Json& found : json["front"]) {
            QVERIFY(hasKeys(found, {"nodes", "step_s", "peak_bytes", "price_per_hour", "price_per_step", "strategy"}));
            QVERIFY(found["step_s"].get<double>() > last && found["price_per_step"].get<double>() < price);
            last = found["step_s"].get<double>();
            price = found["price_per_step"].get<double>();
        }
        const Run estimated = cli({"estimate", file, "--json"});
        QCOMPARE(estimated.exitCode, 0);
        QCOMPARE(estimated.json()["step_s"].get<double>(), json["front"][0]["step_s"].get<double>());
    }

    void keepsWhatAProjectLocks()
    {
        Json project{{"format", "stratoplan-project"}, {"version", 1}, {"plan", Json::parse(unlike().toStdString())}};
        project["search"] = {{"locks", {"tp", "pp"}}};
        const QByteArray text = QByteArray::fromStdString(project.dump());
        const Json locked = cli({"mix", "-", "--json", "--closed-form"}, text).json();
        QVERIFY((locked["locks"] == Json{"tp", "pp"}));
        QVERIFY(!locked["front"].empty());
        for (const Json& found : locked["front"])
            QVERIFY(found["strategy"]["tp"] == 1 && found["strategy"]["pp"] == 2);
        const Json free = cli({"mix", "-", "--json", "--closed-form", "--ignore-locks"}, text).json();
        QVERIFY(!free.contains("locks"));
        QVERIFY(free["strategies"].get<double>() > locked["strategies"].get<double>());
        const Run table = cli({"mix", "-", "--closed-form"}, text);
        QVERIFY(table.out.contains("locked there: tp, pp (--ignore-locks frees them)"));
        QVERIFY(table.out.contains("every other mix is slower") && !table.out.contains("--every-count"));
        project["plan"]["nodes"] = 3; // of which 1, 2 and 3 are tried
        const QByteArray three = QByteArray::fromStdString(project.dump());
        QVERIFY(!cli({"mix", "-", "--closed-form"}, three).out.contains("--every-count"));
        project["plan"]["nodes"] = 4;
        const QByteArray four = QByteArray::fromStdString(project.dump());
        QVERIFY(cli({"mix", "-", "--closed-form"}, four)
                    .out.contains("Other numbers of nodes, which were not tried, may be faster. --every-count tries"));
        QVERIFY(!cli({"mix", "-", "--closed-form", "--every-count"}, four).out.contains("--every-count"));
    }

    void pricesAreAskedForEachGroup()
    {
        for (const char* prices : {"v=1", "v=1,b=2", "v=1,a=-2", "v", "v=1,v=2,a=1", "=1,a=1"}) {
            const Run run = cli({"mix", "-", "--prices", prices}, unlike());
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains("--prices"), prices);
        }
        const Run wrong = cli({"mix", "-", "--prices", "x=1"}, unlike());
        QVERIFY2(wrong.error.contains("v (DGX-1 V100 32 GB), a (DGX A100 40 GB)"), wrong.error.constData());
        // By name, too, and spaces are of no account.
        const Run named = cli(
            {"mix", "-", "--json", "--closed-form", "--prices", "DGX-1 V100 32 GB = 1, DGX A100 40 GB = 2"}, unlike());
        QCOMPARE(named.exitCode, 0);
        QVERIFY(named.json()["front"]
            == cli({"mix", "-", "--json", "--closed-form", "--prices", "v=1,a=2"}, unlike()).json()["front"]);
        // By accelerator, that of all its groups; each has one price.
        const Run ofKind =
            cli({"mix", "-", "--json", "--closed-form", "--prices", "v100-sxm-32=1,a100-sxm-40=2"}, unlike());
        QCOMPARE(ofKind.exitCode, 0);
        QVERIFY(named.json()["front"] == ofKind.json()["front"]);
        QVERIFY2(cli({"mix", "-", "--prices", "v=1,a=2,a100-sxm-40=2"}, unlike()).error.contains("one price of \"a\""),
            "twice");
        QVERIFY(wrong.error.contains("; or an accelerator: a100-sxm-40, v100-sxm-32"));
        QVERIFY(cli({"mix", "-", "-o", "-"}, unlike()).error.contains("a file: standard output has the answer"));
        QVERIFY(cli({"mix", "-", "--space", "none"}, unlike()).error.contains("default, calculon or whole"));
    }

    void theBatchIsDividedBySpeed()
    {
        const Json even = cli({"estimate", "-", "--json"}, unlike()).json();
        QCOMPARE(even["replicas"].size(), std::size_t(2));
        QVERIFY(hasKeys(even["replicas"][0], {"replicas", "micro_batches", "nodes", "step_s"}));
        QVERIFY(even["problems"].dump().find("a batch by speed may take less") != std::string::npos);
        std::vector<int> batch(16, 2);
        std::fill(batch.begin() + 8, batch.end(), 6);
        const QByteArray divided = edited(unlike(), "/strategy/replica_micro_batches", batch);
        const Json answer = cli({"estimate", "-", "--json"}, divided).json();
        QVERIFY(answer["step_s"].get<double>() < even["step_s"].get<double>());
        const Run table = cli({"estimate", "-"}, divided);
        QVERIFY(table.out.contains("micro-batches by replica 2 × 8, 6 × 8"));
        QVERIFY(table.out.contains("Replicas: 8 replicas on"));
        batch.back() = 5;
        const Run wrong = cli({"estimate", "-"}, edited(unlike(), "/strategy/replica_micro_batches", batch));
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY(wrong.error.contains("63 sequences, but the global batch has 64"));
    }
};

STRATOPLAN_TEST(TestCliMix)
#include "test_cli_mix.moc"
