// SPDX-License-Identifier: GPL-3.0-or-later
// `sweep` by the real program: the grid, parts of it, going on after a stop, faults.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

namespace {

std::vector<Json> linesOf(const QByteArray& text)
{
    std::vector<Json> lines;
    for (const QByteArray& line : text.split('\n'))
        if (!line.isEmpty())
            lines.push_back(Json::parse(line.toStdString(), nullptr, false));
    return lines;
}

QByteArray study(const char* members)
{
    return QByteArray(R"({"format": "stratoplan-study", "version": 1, "plan": "gpt2-xl-alpa", )") + members + "}";
}

const char kGrid[] = R"("grid": {"/training/global_batch": [64, 128], "/nodes": [1, 2, 3]}, "space": "calculon")";

QByteArray contentOf(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliSweep : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersEveryPlan()
    {
        const Run run = cli({"sweep", "-"}, study(kGrid));
        QCOMPARE(run.exitCode, 0);
        const std::vector<Json> lines = linesOf(run.out);
        QCOMPARE(lines.size(), 6u);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            QVERIFY(lines[i]["number"] == i);
            QVERIFY(lines[i]["values"]["/nodes"] == 1 + i % 3);
            QVERIFY(lines[i]["values"]["/training/global_batch"] == (i < 3 ? 64 : 128));
            QVERIFY(lines[i]["best"].is_null() || lines[i]["best"]["fits"].get<bool>());
        }
        // What search says of the same plan: the best when simulated, as all figures are.
        const QByteArray plan = edited(edited(example("gpt2-xl-alpa"), "/training/global_batch", 128), "/nodes", 2);
        const Json one = cli({"search", "-", "--space", "calculon", "--json"}, plan).json();
        QVERIFY(lines[4]["best"]["strategy"] == one["simulated_best"]["strategy"]);
        QVERIFY(lines[4]["best"]["step_s"] == one["simulated_best"]["step_s"]);
        QVERIFY(lines[4]["search"]["closed_form_step_s"] == one["best"]["step_s"]);
        QVERIFY(lines[4]["search"].contains("closed_form_best")
            == (one["best"]["strategy"] != one["simulated_best"]["strategy"]));
    }

    /// More nodes are never slower by much: no point is that of a strategy which only a closed form likes.
    void closedFormsDoNotMislead()
    {
        const std::vector<Json> lines = linesOf(cli({"sweep", "-"}, study(R"("grid": {"/nodes": [1, 2]})")).out);
        QCOMPARE(lines.size(), 2u);
        QVERIFY(lines[1]["best"]["step_s"].get<double>() < lines[0]["best"]["step_s"].get<double>());
        QVERIFY(lines[1]["search"]["notes"].dump().find("--simulate") != std::string::npos);
    }

    /// With the objectives, limits, locks and spaces that a search has.
    void asksWhatASearchAsks()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const auto first = [](const char* members) { return linesOf(cli({"sweep", "-"}, study(members)).out).at(0); };
        const Json smallest = first(R"("grid": {}, "objective": "smallest-cluster", "simulate": true)");
        const Json searched =
            cli({"search", "-", "--objective", "smallest-cluster", "--simulate", "--json"}, plan).json();
        QVERIFY(smallest["best"]["strategy"] == searched["best"]["strategy"]);
        QVERIFY(smallest["best"]["accelerators_used"].get<int>() < smallest["best"]["accelerators"].get<int>());
        const Json deadline =
            first(R"("grid": {}, "objective": "deadline", "longest_step_s": 60, "headroom": 0.2, "simulate": true)");
        const Json met = cli({"search", "-", "--objective", "deadline", "--longest-step", "60", "--headroom", "0.2",
                                 "--simulate", "--json"},
            plan)
                             .json();
        QVERIFY(deadline["best"]["strategy"] == met["best"]["strategy"]);
        const Json locked = first(R"("grid": {}, "locks": ["micro_batch", "schedule"])");
        const Json own = Json::parse(plan.toStdString())["strategy"];
        QVERIFY(locked["best"]["strategy"]["micro_batch"] == own.value("micro_batch", 1));
        const Json ranged = first(
            R"("grid": {}, "space": {"format": "stratoplan-search-space", "version": 1, "pp": 4, "micro_batch": 1})");
        QVERIFY(ranged["best"]["strategy"]["pp"] == 4 && ranged["best"]["strategy"]["micro_batch"] == 1);
        const Json empty =
            first(R"("grid": {}, "space": {"format": "stratoplan-search-space", "version": 1, "tp": 2})");
        QVERIFY(empty["best"].is_null() && empty["search"]["empty"][0]["dimension"] == "tensor parallelism");
    }

    /// As a search of the project does; a space of the study's own says itself what is locked.
    void keepsWhatProjectsLock()
    {
        Json project{{"format", "stratoplan-project"}, {"version", 1},
            {"plan", Json::parse(example("gpt2-xl-alpa").toStdString())},
            {"search", {{"locks", {"tp", "pp", "micro_batch"}}, {"framework", "megatron-core"}}}};
        const Json own = project["plan"]["strategy"];
        const auto first = [&](const Json& members, const QStringList& arguments) {
            Json study{{"format", "stratoplan-study"}, {"version", 1}, {"plan", project}, {"grid", Json::object()}};
            study.update(members);
            return linesOf(cli(QStringList{"sweep", "-"} + arguments, QByteArray::fromStdString(study.dump())).out)
                .at(0);
        };
        const Json locked = first(Json::object(), {});
        QVERIFY((locked["search"]["locks"] == Json{"tp", "pp", "micro_batch"}));
        QVERIFY(locked["search"]["framework"] == "megatron-core");
        const Json& best = locked["best"]["strategy"];
        QVERIFY(
            best["tp"] == own["tp"] && best["pp"] == own["pp"] && best["micro_batch"] == own.value("micro_batch", 1));
        const Json free = first(Json::object(), {"--ignore-locks"});
        QVERIFY(!free["search"].contains("locks"));
        QVERIFY(free["search"]["space"].get<double>() > locked["search"]["space"].get<double>());
        const Json ranged =
            first({{"space", {{"format", "stratoplan-search-space"}, {"version", 1}, {"micro_batch", 2}}}}, {});
        QVERIFY(!ranged["search"].contains("locks") && ranged["best"]["strategy"]["micro_batch"] == 2);
        const Json deepSpeed = first({{"framework", "deepspeed"}}, {});
        QVERIFY(deepSpeed["search"]["framework"] == "deepspeed");
    }

    /// Answers of another study are none of this one.
    void goesOnWithItsOwnAnswersOnly()
    {
        const QString file = folder().filePath("other.jsonl");
        const char kOther[] = R"("grid": {"/training/global_batch": [32, 64]}, "answer": "estimate")";
        QCOMPARE(cli({"sweep", "-", "-o", file}, study(kOther)).exitCode, 0);
        const QByteArray before = contentOf(file);
        const Run run = cli({"sweep", "-", "-o", file, "--resume"}, study(kGrid));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("line 1, plan 0"), run.error.constData());
        QCOMPARE(contentOf(file), before);
    }

    void partsMakeTheWhole()
    {
        const Run whole = cli({"sweep", "-"}, study(kGrid));
        QByteArray parts;
        for (const char* shard : {"0/4", "1/4", "2/4", "3/4"}) {
            const Run run = cli({"sweep", "-", "--shard", shard}, study(kGrid));
            QCOMPARE(run.exitCode, 0);
            parts += run.out;
        }
        QList<QByteArray> expected = whole.out.split('\n');
        QList<QByteArray> found = parts.split('\n');
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        QCOMPARE(found, expected);
    }

    void goesOnWhereItWas()
    {
        const QString whole = folder().filePath("whole.jsonl");
        QCOMPARE(cli({"sweep", "-", "-o", whole}, study(kGrid)).exitCode, 0);
        const QByteArray text = contentOf(whole);
        QCOMPARE(linesOf(text).size(), 6u);
        // Cut in the middle of the third line.
        const qsizetype second = text.indexOf('\n', text.indexOf('\n') + 1) + 1;
        const QString cut = saved("cut.jsonl", text.left(second + 40));
        QCOMPARE(cli({"sweep", "-", "-o", cut, "--resume"}, study(kGrid)).exitCode, 0);
        QCOMPARE(contentOf(cut), text);
        // Nothing left to do, and nothing lost.
        QCOMPARE(cli({"sweep", "-", "-o", cut, "--resume"}, study(kGrid)).exitCode, 0);
        QCOMPARE(contentOf(cut), text);
    }

    void tellsWhatCannotBeAnswered()
    {
        const Run run = cli({"sweep", "-"},
            study(
                R"("grid": {"/training/global_batch": [64, "many"], "/strategy/micro_batch": [2, 7]},
                "answer": "estimate")"));
        QCOMPARE(run.exitCode, 0);
        const std::vector<Json> lines = linesOf(run.out);
        QCOMPARE(lines.size(), 4u);
        QVERIFY(lines[0].contains("best"));
        QVERIFY(lines[1]["problems"][0]["where"] == "/strategy/micro_batch");
        for (const std::size_t i : {2, 3})
            QVERIFY(lines[i]["problems"][0]["where"] == "/training/global_batch");
    }

    void shippedExample()
    {
        const Run run = cli({"sweep", STRATOPLAN_EXAMPLES "/study.json", "--shard", "13/28"});
        QCOMPARE(run.exitCode, 0);
        const std::vector<Json> lines = linesOf(run.out);
        QCOMPARE(lines.size(), 1u);
        QVERIFY(lines[0]["values"]["/nodes"] == 256 && lines[0]["best"]["accelerators"] == 2048);
        QVERIFY(lines[0]["plan"] == "gpt3-175b-1024-a100" && lines[0]["best"]["precision"] == "bf16");
    }

    void runsAreSweptAsPlansAre()
    {
        const Run run = cli({"sweep", "-"},
            study(R"("grid": {"/capacity/tokens": [1e12, 2e12], "/capacity/price_per_accelerator_hour": [2]})"));
        QCOMPARE(run.exitCode, 0);
        const auto lines = linesOf(run.out);
        QCOMPARE(int(lines.size()), 2);
        const double once = lines[0]["best"]["cost"], twice = lines[1]["best"]["cost"];
        QVERIFY(once > 0 && twice > 1.9 * once && twice < 2.1 * once);
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const char* members, const QStringList& arguments, const char* told) {
            QTest::newRow(name) << study(members) << arguments << QByteArray(told);
        };
        row("no grid", R"("name": "x")", {}, "/grid: found nothing, expected an object");
        row("no values", R"("grid": {"/nodes": []})", {}, "found an empty array, expected an array");
        row("no pointer", R"("grid": {"nodes": [1]})", {}, "expected a JSON pointer into the plan");
        row("misspelt", R"("grid": {}, "spaces": "whole")", {},
            "/spaces: found a field that has no effect, expected \"space\", perhaps");
        row("objective", R"("grid": {}, "objective": "speed")", {},
            "/objective: found \"speed\", expected one of \"throughput\"");
        row("no such field", R"("grid": {"/training/globl_batch": [1, 2]})", {},
            "globl_batch: found a field that has no effect, expected \"global_batch\", perhaps");
        row("nowhere", R"("grid": {"/": [1]})", {}, "found a field that has no effect");
        row("of a project", R"("grid": {"/pinned": [1]})", {}, "found a field that has no effect");
        row("no deadline", R"("grid": {}, "objective": "deadline")", {}, "/longest_step_s: found nothing");
        row("deadline of nothing", R"("grid": {}, "longest_step_s": 3)", {}, "/objective: found");
        row("no space", R"("grid": {}, "space": "all")", {},
            "/space: found \"all\", expected default, calculon, whole, a file beside the study");
        row("faulty space", R"("grid": {}, "space": {"format": "stratoplan-search-space", "version": 1, "pp": 0})", {},
            "/space/pp: found 0");
        row("shard", kGrid, {"--shard", "4/4"}, "--shard: found \"4/4\", expected I/N");
        row("shard of words", kGrid, {"--shard", "one"}, "--shard: found \"one\", expected I/N");
        row("resume what", kGrid, {"--resume"}, "--resume: found no --output");
    }

    void refuses()
    {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, told);
        const Run run = cli(QStringList{"sweep", "-"} + arguments, text);
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(told), run.error.constData());
        QVERIFY(run.out.isEmpty());
    }

    void jobTemplatesNameTheirParts()
    {
        const Run run = shell("SLURM_ARRAY_TASK_ID=12 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_COUNT=6 "
                              "STRATOPLAN=CLI " STRATOPLAN_PACKAGING "/sweep/slurm-array.sh "
            + saved("study.json", study(kGrid)) + " " + folder().filePath("results"));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const std::vector<Json> lines = linesOf(contentOf(folder().filePath("results/part-2.jsonl")));
        QCOMPARE(lines.size(), 1u);
        QVERIFY(lines[0]["number"] == 2);
    }
};

STRATOPLAN_TEST(TestCliSweep)
#include "test_cli_sweep.moc"
