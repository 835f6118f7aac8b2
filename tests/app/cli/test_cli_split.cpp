// SPDX-License-Identifier: GPL-3.0-or-later
// `split` by the real program: its keys and exit codes, the plan it writes, what it refuses; unlike stages in
// `simulate`.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

namespace {

/// Llama 65B on 32 accelerators with a memory that not everything can be kept in.
QByteArray tight()
{
    QByteArray plan = edited(example("llama-65b-32-ascend"), "/strategy/recompute", "full");
    plan = edited(plan, "/training/attention", "unfused");
    return edited(plan, "/training/global_batch", 64);
}

} // namespace

class TestCliSplit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersTheContract()
    {
        const Run run = cli({"split", "-", "--json"}, tight());
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.error.isEmpty());
        const Json json = run.json();
        QVERIFY(allFinite(json));
        QVERIFY(hasKeys(json,
            {"proven", "labels", "seconds", "capacity_bytes", "before", "after", "least_closed_form_s", "gap", "stages",
                "boundaries", "strategy"}));
        QVERIFY(json["proven"] == true);
        QVERIFY(hasKeys(json["strategy"], kStrategyKeys));
        QCOMPARE(json["stages"].size(), json["strategy"]["pp"].get<std::size_t>());
        int layers = 0;
        for (const Json& stage : json["stages"]) {
            QVERIFY(hasKeys(stage,
                {"stage", "layers", "recompute", "recomputed_layers", "tp", "dp", "micro_batch", "chunk_layers",
                    "passes_s", "peak_bytes"}));
            QVERIFY(stage["peak_bytes"].get<double>() <= json["capacity_bytes"].get<double>());
            layers += stage["layers"].get<int>();
        }
        QCOMPARE(layers, 80);
        const double after = json["after"]["step_s"].get<double>();
        QVERIFY(after < json["before"]["step_s"].get<double>());
        QVERIFY(after >= json["least_closed_form_s"].get<double>() * (1 - 1e-12));
        QVERIFY(json["gap"].get<double>() >= 0 && json["gap"].get<double>() < 0.1);
    }

    void theTableNamesStagesAndSteps()
    {
        const Run run = cli({"split", "-"}, tight());
        QCOMPARE(run.exitCode, 0);
        for (const char* word : {"Stage", "layers", "recomputation", "memory", "Before", "After", "Change",
                 "No split within the memory has a step below"})
            QVERIFY2(run.out.contains(word), word);
    }

    void writesThePlan()
    {
        const QString file = folder().filePath("split.json");
        const Run run = cli({"split", "-", "--json", "-o", file}, tight());
        QCOMPARE(run.exitCode, 0);
        const Json estimate = cli({"estimate", file, "--json"}).json();
        QVERIFY(close(estimate["step_s"].get<double>(), run.json()["after"]["step_s"].get<double>()));
        QVERIFY(estimate["strategy"] == run.json()["strategy"]);
        QVERIFY(estimate["fits"].get<bool>());
    }

    void keepsWhatItIsToldToKeep()
    {
        const Json json = cli({"split", "-", "--json", "--keep-recompute"}, tight()).json();
        QCOMPARE(json["strategy"]["recompute"].get<std::string>(), std::string("full"));
        for (const Json& stage : json["stages"])
            QCOMPARE(stage["recompute"].get<std::string>(), std::string("full"));
        QVERIFY(!json["strategy"].contains("stage_tp"));
    }

    void tensorParallelismIsChosenPerStage()
    {
        const Json fixed = cli({"split", "-", "--json"}, tight()).json();
        const Json free = cli({"split", "-", "--json", "--tp"}, tight()).json();
        QVERIFY(free["least_closed_form_s"].get<double>() <= fixed["least_closed_form_s"].get<double>() * (1 + 1e-12));
        for (const Json& stage : free["stages"])
            QCOMPARE(stage["tp"].get<int>() * stage["dp"].get<int>(), 8);
    }

    void headroomIsLeftFree()
    {
        const Json json = cli({"split", "-", "--json", "--headroom", "0.3"}, tight()).json();
        for (const Json& stage : json["stages"])
            QVERIFY(stage["peak_bytes"].get<double>() <= 0.7 * json["capacity_bytes"].get<double>());
        QCOMPARE(cli({"split", "-", "--headroom", "1.5"}, tight()).exitCode, 2);
    }

    void refusesWhatItCannotSplit()
    {
        const Run run = cli({"split", "-", "--json", "--tp"}, edited(tight(), "/strategy/schedule", "zb-v"));
        QCOMPARE(run.exitCode, 2);
        QVERIFY(run.json()["problems"][0]["code"] == "not_estimable");
        QVERIFY(run.json()["problems"][0]["where"] == "/strategy/schedule");
        const Run divided = cli({"split", "-"}, edited(tight(), "/strategy/tensor_partition", "spatial-temporal"));
        QCOMPARE(divided.exitCode, 2);
        QVERIFY2(divided.error.contains("divided in space and time") && !divided.error.contains("differ in TP"),
            divided.error.constData());
    }

    /// A V has two chunks to a stage, and both ways of DualPipe hold every layer.
    void foldedPipelinesAreSplit()
    {
        for (const char* schedule : {"zb-v", "dualpipe"}) {
            const Run run = cli({"split", "-", "--json"},
                edited(edited(example("gpt2-xl-alpa"), "/strategy/zero_stage", 1), "/strategy/schedule", schedule));
            QCOMPARE(run.exitCode, 0);
            const Json json = run.json();
            QVERIFY(json["proven"] == true);
            QVERIFY(json["after"]["step_s"].get<double>() >= json["least_closed_form_s"].get<double>() * (1 - 1e-12));
            int inChunks = 0;
            for (const Json& stage : json["stages"])
                for (const Json& layers : stage["chunk_layers"])
                    inChunks += layers.get<int>();
            QCOMPARE(inChunks, QByteArray(schedule) == "dualpipe" ? 2 * 48 : 48);
            QVERIFY(json["after"]["fits"].get<bool>());
        }
        const Run table = cli({"split", "-"}, edited(tight(), "/strategy/schedule", "zb-v"));
        QVERIFY(table.out.contains("in chunks"));
    }

    void saysThatNothingFits()
    {
        const QString file = folder().filePath("none.json");
        const Run run = cli({"split", "-", "-o", file, "--headroom", "0.99"}, tight());
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.out.contains("No split keeps every stage within"));
        QVERIFY(run.error.contains("nothing to write"));
        QVERIFY(!QFile::exists(file));
    }

    /// Stages of unlike TP: what crosses a boundary has a name, its bytes and its time.
    void simulationsNameResharding()
    {
        QByteArray plan = edited(tight(), "/strategy/tp", 4);
        plan = edited(plan, "/strategy/dp", 2);
        plan = edited(plan, "/strategy/micro_batch", 2);
        plan = edited(plan, "/strategy/stage_tp", {8, 8, 4, 4});
        const Run run = cli({"simulate", "-", "--json"}, plan);
        QCOMPARE(run.exitCode, 0);
        const Json boundaries = run.json()["boundaries"];
        QCOMPARE(boundaries.size(), std::size_t{3});
        QVERIFY(boundaries[0]["name"] == "transfer");
        QVERIFY(boundaries[1]["name"] == "resharding");
        QVERIFY(boundaries[1]["down"]["bytes"].get<double>() > 0 && boundaries[1]["up"]["seconds"].get<double>() > 0);
        QVERIFY(cli({"simulate", "-"}, plan).out.contains("resharding"));
        QVERIFY(cli({"estimate", "-"}, plan).out.contains("TP by stage 8, 8, 4, 4"));
        QVERIFY(cli({"trace", "-", "-o", "-"}, plan).out.contains("Reshard activation 0"));
    }
};

STRATOPLAN_TEST(TestCliSplit)
#include "test_cli_split.moc"
