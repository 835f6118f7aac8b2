// SPDX-License-Identifier: GPL-3.0-or-later
// `search` by the real program: keys and exit codes of the contract, the oracle, spaces from files, stopping.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QFileInfo>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace stratoplan::clitest;

namespace {

/// One that is searched in less than a second.
const QString kSmallSpace = STRATOPLAN_EXAMPLES "/search-space.json";
const QStringList kWhy = {"--space", kSmallSpace, "--why"};

/// The answer but for the time it took and what it took it on.
Json answerOf(const QStringList& arguments, const QByteArray& plan)
{
    const Run run = cli(QStringList{"search", "-", "--json"} + arguments, plan);
    Json json = run.json();
    if (run.exitCode != 0 || !json.is_object()) {
        qWarning("exit %d: %s", run.exitCode, run.error.constData());
        return {};
    }
    json.erase("seconds");
    json.erase("threads");
    return json;
}

Json without(Json json, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        json.erase(key);
    return json;
}

std::int64_t decided(const Json& json)
{
    return json.at("evaluated").get<std::int64_t>() + std::int64_t(sum(json.at("pruned")))
        + json.at("unvisited").get<std::int64_t>();
}

} // namespace

class TestCliSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersTheContract()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Run run = cli({"search", "-", "--json", "--pareto"}, plan);
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.error.isEmpty());
        const Json json = run.json();
        QVERIFY(hasKeys(json,
            {"mode", "proven", "gap", "space", "evaluated", "pruned", "seconds", "threads", "best", "front",
                "not_varied"}));
        QVERIFY(json["mode"] == "closed-form");
        QVERIFY(json["proven"] == true);
        QVERIFY(json["gap"] == 0.0);
        QCOMPARE(decided(json), json["space"].get<std::int64_t>());
        QVERIFY(hasKeys(json["best"]["strategy"], kStrategyKeys));
        QVERIFY(json["best"]["estimate"]["fits"].get<bool>());
        QVERIFY(json["front"].size() > 1);
        double peak = 0;
        double rate = 0;
        for (const Json& point : json["front"]) { // by rising memory and speed
            QVERIFY(hasKeys(point["strategy"], kStrategyKeys));
            QVERIFY(point["peak_bytes"].get<double>() > peak && point["tokens_per_s"].get<double>() > rate);
            peak = point["peak_bytes"].get<double>();
            rate = point["tokens_per_s"].get<double>();
        }
        QVERIFY(json["front"].back()["strategy"] == json["best"]["strategy"]);
    }

    void exhaustiveAgrees()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        for (const QStringList& mode : {QStringList{"--pareto"}, QStringList{}, QStringList{"--objective", "robust"},
                 QStringList{"--space", "calculon", "--simulate", "--pareto"}}) {
            const Json fast = answerOf(mode, plan);
            const Json whole = answerOf(mode + QStringList{"--exhaustive"}, plan);
            QVERIFY(fast["evaluated"].get<std::int64_t>() < whole["evaluated"].get<std::int64_t>());
            QVERIFY(whole["evaluated"] == whole["space"]);
            QVERIFY(without(fast, {"evaluated", "pruned"}) == without(whole, {"evaluated", "pruned"}));
        }
    }

    void threadsGiveTheSameBytes()
    {
        const QByteArray plan = example("llama-70b-512-h100");
        const Json one = answerOf({"--threads", "1", "--pareto"}, plan);
        for (const char* threads : {"2", "5"})
            QCOMPARE(answerOf({"--threads", threads, "--pareto"}, plan).dump(), one.dump());
    }

    void countsCalculonsConfigurations()
    {
        // As `calculon llm-optimal-execution -d` counts them with and without its debug runs: 6,985,920.
        const Json json =
            answerOf({"--space", "calculon"}, edited(example("gpt3-175b-1024-a100"), "/training/global_batch", 1024));
        QVERIFY(json["stands_for"] == 6985920);
        QVERIFY(json["best"]["strategy"]["cp"] == 1);
    }

    void plansNeedNoStrategyOfTheirOwn()
    {
        const QByteArray plan = edited(example("gpt2-xl-alpa"), "/strategy", {{"tp", 7}, {"offload", "optimizer"}});
        const Run run = cli({"search", "-"}, plan);
        QCOMPARE(run.exitCode, 0);
        for (const char* told : {"proven", "Best", "strategies in the space", "Not varied", "timing pass"})
            QVERIFY2(run.out.contains(told), run.out.constData());
    }

    void saysWhenNothingFits()
    {
        const Run run = cli({"search", "-", "--json", "--headroom", "0.985"}, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 0);
        const Json json = run.json();
        QVERIFY(json["best"].is_null() && json["front"].empty());
        QVERIFY(json["proven"] == true);
        QVERIFY(
            cli({"search", "-", "--headroom", "0.985"}, example("gpt2-xl-alpa")).out.contains(" strategies fits\n"));
    }

    void stopsInTime()
    {
        const Run run =
            cli({"search", "-", "--json", "--exhaustive", "--seconds", "0.2"}, example("llama3-405b-16384-h100"));
        QCOMPARE(run.exitCode, 3);
        const Json json = run.json();
        QVERIFY(json["proven"] == false);
        QVERIFY(json["gap"].get<double>() >= 0 && json["gap"].get<double>() <= 1);
        QVERIFY(json["unvisited"].get<std::int64_t>() > 0);
        QCOMPARE(decided(json), json["space"].get<std::int64_t>());
    }

    void saysWhyThePlanLoses()
    {
        const QByteArray plan = edited(example("gpt3-175b-1024-a100"), "/strategy/schedule", "interleaved");
        const Json slower = answerOf(kWhy, plan);
        QVERIFY(slower["why"]["reason"] == "slower");
        const double best = slower["best"]["step_s"].get<double>();
        double parts = 0;
        for (const Json& part : slower["why"]["parts"])
            parts += part["share"].get<double>();
        QVERIFY(close(slower["why"]["slower"].get<double>(), slower["why"]["step_s"].get<double>() / best - 1));
        QVERIFY(std::abs(parts - slower["why"]["simulated_slower"].get<double>()) < 0.01); // small parts are not told
        QVERIFY(slower["why"]["nearest"]["step_s"].get<double>() >= best * 0.9);
        for (const Json& value : slower["marginal"]) // in closed form no resource makes the best worse
            QVERIFY(value["step_s"].get<double>() <= slower["best"]["step_s"].get<double>() * (1 + 1e-9));
        QCOMPARE(slower["marginal"].size(), 4u);

        const Json full = answerOf(kWhy, edited(plan, "/strategy/micro_batch", 6));
        QVERIFY(full["why"]["reason"] == "out_of_memory");
        QVERIFY(full["why"]["over_bytes"].get<double>() > 0 && full["why"]["stage"].get<int>() >= 0);
        const Json illegal = answerOf(kWhy, edited(plan, "/strategy/tp", 7));
        QVERIFY(illegal["why"]["reason"] == "illegal" && !illegal["why"]["problems"].empty());
        QVERIFY(cli(QStringList{"search", "-"} + kWhy, plan).out.contains("The plan's own strategy takes"));
    }

    void saysWhyAnyStrategyLoses()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Json own = answerOf(kWhy, edited(plan, "/strategy/micro_batch", 2));
        const Json asked = answerOf(kWhy + QStringList{R"({"micro_batch": 2})"}, plan); // the rest as the plan has it
        QVERIFY(asked["why"] == own["why"] && asked["marginal"] == own["marginal"]);
        QVERIFY(asked["why"]["bubble"].get<double>() > 0 && asked["why"]["bubble"].get<double>() < 1);
        const QString file = saved("strategy.json",
            R"({"strategy": {"tp": 4, "pp": 8, "dp": 32, "vpp": 1, "schedule": "1f1b", "micro_batch": 8,
            "recompute": "none"}})");
        const Json full = answerOf(kWhy + QStringList{file}, plan);
        QVERIFY(full["why"]["reason"] == "out_of_memory" && full["why"]["over_bytes"].get<double>() > 0);
        QVERIFY(full["marginal"][0]["own_step_s"].is_null()); // a tenth more memory is not enough
        // The best one, as the answer gives it, loses to nothing of the space.
        const Json best = answerOf({"--space", kSmallSpace, "--simulate"}, plan);
        const Json itself =
            answerOf(kWhy + QStringList{QString::fromStdString(best["best"].dump()), "--simulate"}, plan);
        QVERIFY(itself["why"]["reason"] == "nothing");
        QVERIFY(itself["why"]["step_s"] == itself["best"]["step_s"]
            && !itself["why"]["nearest"]["change"].get<std::string>().empty());
        QVERIFY(cli(QStringList{"search", "-"} + kWhy + QStringList{R"({"micro_batch": 2})"}, plan)
                    .out.contains("The strategy asked about takes"));
        const Run misspelt = cli(QStringList{"search", "-"} + kWhy + QStringList{R"({"micro_batches": 2})"}, plan);
        QVERIFY(misspelt.exitCode != 0 && misspelt.error.contains("/strategy/micro_batches"));
        QVERIFY(cli(QStringList{"search", "-"} + kWhy + QStringList{R"({"tp": "eight"})"}, plan)
                    .error.contains("/strategy/tp"));
    }

    /// The value of the search, not another estimate of the same strategy.
    void whyComparesWithTheAnswer()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json json = answerOf({"--why"}, plan);
        QVERIFY(json["why"]["reason"] == "slower");
        QVERIFY(close(json["why"]["slower"].get<double>(),
            json["why"]["step_s"].get<double>() / json["best"]["step_s"].get<double>() - 1));
        QVERIFY(json["why"]["simulated_slower"].get<double>() < 0); // the best in closed form is not
        const Json better = answerOf({"--why"}, example("deepseek-v3-2048-h800"));
        QVERIFY(better["why"]["reason"] == "outside"
            && better["why"]["outside"].get<std::string>().find("no closed form") != std::string::npos);
        const Json nothing = answerOf({"--why", "--headroom", "0.985"}, plan);
        QVERIFY(nothing["best"].is_null() && nothing["why"]["reason"] == "out_of_memory");
        QVERIFY(cli({"search", "-", "--why", "--headroom", "0.985"}, plan)
                    .out.contains("more than is left with 98.5 % free"));
        const Json illegal = answerOf({"--why", R"({"tp": 3})"}, plan);
        QVERIFY(illegal["marginal"][0]["own_standing"] == "illegal");
    }

    /// What is printed is simulated too, and where the closed form is no guide the answer says so and names a better
    /// one.
    void closedFormsAreSimulated()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        for (const QStringList& arguments : {QStringList{}, QStringList{"--pareto"}}) {
            const Json json = answerOf(arguments, plan);
            QVERIFY(close(
                json["best"]["simulated_step_s"].get<double>(), json["best"]["estimate"]["step_s"].get<double>()));
            for (const Json& point : json["front"])
                QVERIFY(point["simulated_step_s"].get<double>() >= json["simulated_best"]["step_s"].get<double>());
            QVERIFY(
                json["simulated_best"]["step_s"].get<double>() < 0.5 * json["best"]["simulated_step_s"].get<double>());
            QVERIFY(json["simulated_best"]["step_s"].get<double>() <= 26.5); // the plan's own, which the space has
            QVERIFY(json["notes"].dump().find("--simulate") != std::string::npos);
        }
        const QByteArray text = cli({"search", "-"}, plan).out;
        for (const char* told : {"Best in closed form", "s in closed form, ", "s simulated", "Best simulated",
                 "Note: The closed form is short of what this runtime does"})
            QVERIFY2(text.contains(told), text.constData());
        const Json sure = answerOf({}, example("llama-70b-512-h100"));
        QVERIFY(sure["notes"].empty() && sure["simulated_best"]["strategy"] == sure["best"]["strategy"]);
        QVERIFY(!answerOf({"--simulate"}, plan).contains("simulated_best"));
    }

    void saysWhyTheSpaceIsEmpty()
    {
        const QString file = saved("empty.json", R"({"format": "stratoplan-search-space", "version": 1, "tp": 2})");
        const Json json = answerOf({"--space", file}, example("gpt2-xl-alpa"));
        QVERIFY(json["space"] == 0 && json["best"].is_null());
        QVERIFY(json["empty"][0]["dimension"] == "tensor parallelism"
            && json["empty"][0]["reason"].get<std::string>().find("25") != std::string::npos);
        const QByteArray text = cli({"search", "-", "--space", file}, example("gpt2-xl-alpa")).out;
        QVERIFY2(text.contains("no strategy is left to try") && text.contains("What leaves nothing"), text.constData());
    }

    void whatIsNamedTwiceIsOneChoice()
    {
        const auto searched = [](const QByteArray& values) {
            const QString file = saved("twice.json",
                R"({"format": "stratoplan-search-space", "version": 1, "tp": 1, "base": "whole", )" + values + "}");
            return answerOf({"--space", file}, example("gpt2-xl-alpa"));
        };
        const Json once = searched(
            R"("precision": ["fp16"], "timing_pass": [false], "vocabulary_placement": ["ends"], "offload": ["none"],
            "leave_idle": false)");
        const Json twice = searched(
            R"("precision": ["fp16", "fp16"], "timing_pass": [false, false], "vocabulary_placement": ["ends",
            "ends"], "offload": ["none", "none"], "leave_idle": false)");
        QVERIFY(once == twice);
        for (const Json& fixed : once["not_varied"])
            QVERIFY(fixed["dimension"] != "training precision" || fixed["reason"] == "locked by the space");
    }

    void tellsWhatIsNotCountedYet()
    {
        // Laying out the divisions of so many accelerators takes many times as long.
        const QStringList asked{"search", "-", "--space", "whole", "--simulate", "--seconds", "0.0001"};
        const QByteArray plan = example("llama3-405b-16384-h100");
        const Run run = cli(asked + QStringList{"--json"}, plan);
        QCOMPARE(run.exitCode, 3);
        QVERIFY(run.json()["space_counted"] == false);
        QVERIFY(cli(asked, plan).out.contains("so far"));
        QVERIFY(answerOf({}, example("gpt2-xl-alpa"))["space_counted"] == true);
    }

    /// A best that is proven may still not fit: its peak has a range, and that is told.
    void tellsTheRangeOfThePeak()
    {
        const QByteArray plan = example("llama-70b-512-h100");
        const QByteArray tight = cli({"search", "-"}, plan).out;
        QVERIFY2(tight.contains("it may not fit (--headroom"), tight.constData());
        const QByteArray roomy = cli({"search", "-", "--headroom", "0.3"}, plan).out;
        QVERIFY2(roomy.contains("GiB of 80.0 GiB, 80 % range ") && !roomy.contains("may not fit"), roomy.constData());
    }

    void fewestAccelerators()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json smallest = answerOf({"--objective", "smallest-cluster"}, plan);
        const Json deadline = answerOf({"--objective", "deadline", "--longest-step", "1e3"}, plan);
        const auto ranks = [](const Json& json) {
            const Json& s = json.at("best").at("strategy");
            return s.at("tp").get<int>() * s.at("pp").get<int>() * s.at("dp").get<int>() * s.at("cp").get<int>();
        };
        QVERIFY(ranks(smallest) <= ranks(deadline));
        QVERIFY(ranks(smallest) < ranks(answerOf({}, plan)));
    }

    void saysHowFarADeadlineIs()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const QStringList asked{"--objective", "deadline", "--longest-step", "1"};
        const Json json = answerOf(asked, plan);
        QVERIFY(json["best"].is_null() && json["proven"] == true);
        QVERIFY(json["fastest"]["step_s"] == answerOf({}, plan)["best"]["step_s"]);
        const QByteArray text = cli(QStringList{"search", "-"} + asked, plan).out;
        QVERIFY2(text.contains("strategies fits and takes no longer than 1.00 s") && text.contains("Fastest that fits"),
            text.constData());
    }

    void readsSpaces()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Json json = answerOf({"--space", kSmallSpace, "--pareto"}, plan);
        QVERIFY(json["space_name"] == "megatron-lm");
        for (const Json& point : json["front"]) {
            const Json& s = point["strategy"];
            QVERIFY(
                s["tp"].get<int>() <= 8 && s["pp"].get<int>() >= 2 && s["micro_batch"].get<int>() <= 8 && s["cp"] == 1);
            QVERIFY(s["schedule"] == "1f1b" || s["schedule"] == "interleaved");
        }
    }

    /// Some layers recomputed in full take less time than all, and less memory than none: a front with more points,
    /// none of them worse.
    void recomputesFirstLayers()
    {
        const auto searched = [](const char* layers) {
            const QString file = saved("layers.json",
                QByteArray(
                    R"({"format": "stratoplan-search-space", "version": 1, "tp": 1, "schedule": ["1f1b"],
                    "recomputed_layers": )")
                    + layers + "}");
            return answerOf({"--pareto", "--space", file}, example("gpt2-xl-alpa"));
        };
        const Json alike = searched("0");
        const Json free = searched(R"({"min": 0})");
        const auto told = [](const Json& point) { return point["strategy"].contains("recomputed_layers"); };
        QVERIFY(std::none_of(alike["front"].begin(), alike["front"].end(), told));
        QVERIFY(std::any_of(free["front"].begin(), free["front"].end(), told));
        QVERIFY(free["proven"] == true && free["space"].get<double>() > alike["space"].get<double>());
        QVERIFY(free["front"].size() > alike["front"].size());
        QVERIFY(free["best"]["estimate"]["step_s"].get<double>() <= alike["best"]["estimate"]["step_s"].get<double>());
        for (const Json& point : searched("[3]")["front"]) // all layers of a stage are none of its numbers
            QVERIFY(told(point) || point["strategy"]["recompute"] != "full");
    }

    /// Where the output projection is worth some layers a last stage of fewer is faster, and the answer says how many
    /// each has.
    void spreadsLayersUnevenly()
    {
        const auto file = [](const char* members) {
            return saved("uneven.json",
                QByteArray(
                    R"({"format": "stratoplan-search-space", "version": 1, "tp": 1, "dp": 1, "pp": 16,
                    "schedule": ["1f1b"])")
                    + members + "}");
        };
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json even = answerOf({"--space", file("")}, plan);
        const QStringList uneven{"--space", file(R"(, "last_stage_fewer": {"max": 3}, "first_stage_fewer": [0, -1])")};
        const Json free = answerOf(uneven, plan);
        QVERIFY(free["proven"] == true && free["space"].get<double>() > even["space"].get<double>());
        QVERIFY(free["best"]["value"].get<double>() < even["best"]["value"].get<double>());
        QVERIFY(even["best"]["strategy"]["stage_layers"].empty());
        const auto layers = free["best"]["strategy"]["stage_layers"].get<std::vector<int>>();
        QCOMPARE(int(layers.size()), 16);
        QVERIFY(layers.back() < 3 && layers.back() >= 0);
        QVERIFY(without(answerOf(uneven + QStringList{"--exhaustive"}, plan), {"evaluated", "pruned"})
            == without(free, {"evaluated", "pruned"}));
        const Run told = cli(QStringList{"search", "-"} + uneven, plan);
        QVERIFY2(told.out.contains("layers by stage "), told.out.constData());
        QVERIFY2(told.out.contains("layers of the stages between the first and the last"), told.out.constData());
    }

    void keepsWhatAProjectLocks()
    {
        Json project{{"format", "stratoplan-project"}, {"version", 1},
            {"plan", Json::parse(example("gpt2-xl-alpa").toStdString())}};
        const Json free = answerOf({"--pareto"}, QByteArray::fromStdString(project.dump()));
        QVERIFY(!free.contains("locks"));
        const Json own = project["plan"]["strategy"];
        project["search"] = {{"locks", {"tp", "micro_batch"}}};
        const QByteArray text = QByteArray::fromStdString(project.dump());
        const Json locked = answerOf({"--pareto"}, text);
        QVERIFY((locked["locks"] == Json{"tp", "micro_batch"}));
        QVERIFY(locked["space"].get<double>() < free["space"].get<double>());
        for (const Json& point : locked["front"])
            QVERIFY(point["strategy"]["tp"] == own["tp"] && point["strategy"]["micro_batch"] == own["micro_batch"]);
        QVERIFY(answerOf({"--pareto", "--ignore-locks"}, text) == free);
        const Run told = cli({"search", "-"}, text);
        QVERIFY2(told.out.contains("locked there: tp, micro_batch (--ignore-locks frees them)"), told.out.constData());
    }

    /// By flag, space and project alike; what is left out is counted by rule and adds up.
    // In one piece: one search, asked for by flag, by space and by project, must answer alike.
    void searchesForAFramework()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json any = answerOf({"--pareto"}, plan);
        QVERIFY(!any.contains("framework"));
        const Json deepSpeed = answerOf({"--pareto", "--framework", "deepspeed"}, plan);
        const Json& told = deepSpeed["framework"];
        QVERIFY(told["name"] == "deepspeed" && told["title"] == "DeepSpeed 0.19");
        QCOMPARE(told["any_framework"].get<std::int64_t>(), any["space"].get<std::int64_t>());
        QCOMPARE(std::int64_t(sum(told["taken_out"])) + deepSpeed["space"].get<std::int64_t>(),
            any["space"].get<std::int64_t>());
        QVERIFY(told["taken_out"].contains("schedule") && told["taken_out"].contains("rank_order"));
        QVERIFY(told["rules"].size() > 10 && !told["rules"][0]["source"].get<std::string>().empty());
        for (const Json& point : deepSpeed["front"])
            QVERIFY(point["strategy"]["pp"] == 1
                || (point["strategy"]["schedule"] == "1f1b" && point["strategy"]["zero_stage"] <= 1));
        QVERIFY(
            without(answerOf({"--pareto", "--framework", "deepspeed", "--exhaustive"}, plan), {"evaluated", "pruned"})
            == without(deepSpeed, {"evaluated", "pruned"}));
        const auto like = [&](Json answer) {
            answer["space_name"] = "default";
            return answer == deepSpeed;
        };
        const auto space =
            saved("framework.json", R"({"format": "stratoplan-search-space", "version": 1, "framework": "deepspeed"})");
        QVERIFY(like(answerOf({"--pareto", "--space", space}, plan)));
        Json project{{"format", "stratoplan-project"}, {"version", 1}, {"plan", Json::parse(plan.toStdString())},
            {"search", {{"framework", "deepspeed"}}}};
        const QByteArray text = QByteArray::fromStdString(project.dump());
        QVERIFY(like(answerOf({"--pareto"}, text)));
        QVERIFY(answerOf({"--pareto", "--framework", "any"}, text) == any);
        const Run why = cli({"search", "-", "--framework", "megatron-core", "--why",
                                R"({"tp": 1, "pp": 4, "dp": 4, "schedule": "gpipe"})"},
            plan);
        QVERIFY2(why.out.contains("run by Megatron-Core 0.20"), why.out.constData());
        QVERIFY2(why.out.contains(
                     "Schedule gpipe: Megatron-Core 0.20 runs 1F1B and interleaving alone; use 1f1b or interleaved."),
            why.out.constData());
        QVERIFY2(why.out.contains("What Megatron-Core 0.20 does not run, by the first rule that says so"),
            why.out.constData());
        const Run wrong = cli({"search", "-", "--framework", "megatron"}, plan);
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.error.contains(
                     "--framework: found \"megatron\", expected one of any, megatron-core, deepspeed, torchtitan"),
            wrong.error.constData());
    }

    /// Every pair of measures, each point a place among those that nothing beats in all three.
    // In one piece: one answer, of whose fronts each point is looked up among the others.
    void tellsTheFrontsOfEveryPair()
    {
        const auto space = saved("idle.json",
            R"({"format": "stratoplan-search-space", "version": 1, "leave_idle": true, "rank_order": [["tp", "cp",
            "ep", "dp", "pp"]]})");
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json front = answerOf({"--pareto", "--space", space}, plan);
        const Json all = answerOf({"--fronts", "--space", space}, plan);
        QVERIFY(all["front"] == front["front"] && all["best"] == front["best"]);
        const Json& points = all["by_accelerators"];
        std::set<int> ranks;
        for (const Json& point : points)
            ranks.insert(point["accelerators"].get<int>());
        QVERIFY(ranks.size() > 1);
        QCOMPARE(int(all["fronts"].size()), 6);
        for (const Json& one : all["fronts"]) {
            const std::string first = one["measures"][0], second = one["measures"][1];
            const auto cost = [&](const Json& point, const std::string& key) {
                return key.starts_with("tokens") ? -point[key].get<double>() : point[key].get<double>();
            };
            QVERIFY(!one["points"].empty());
            double before = -INFINITY;
            for (const Json& place : one["points"]) {
                const Json& point = points[place.get<std::size_t>()];
                QVERIFY(cost(point, first) >= before);
                before = cost(point, first);
                for (const Json& other : points)
                    QVERIFY(cost(other, first) > before || cost(other, second) >= cost(point, second)
                        || cost(other, first) == before);
            }
        }
        const Json& ofMemory = all["fronts"][0];
        QVERIFY((ofMemory["measures"] == Json{"tokens_per_s", "peak_bytes"}));
        QCOMPARE(ofMemory["points"].size(), front["front"].size());
        QVERIFY(without(answerOf({"--fronts", "--space", space, "--exhaustive"}, plan), {"evaluated", "pruned"})
            == without(all, {"evaluated", "pruned"}));
        const Run told = cli({"search", "-", "--fronts"}, plan);
        QVERIFY2(told.out.contains("All strategies of this space use as many accelerators"), told.out.constData());
        QVERIFY2(told.out.contains("Throughput against accelerators in use: 1 point\n"), told.out.constData());
        const Run wrong = cli({"search", "-", "--fronts", "--objective", "robust"}, plan);
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.error.contains(
                     "--fronts: found --objective robust, expected throughput, tokens-per-dollar or tokens-per-joule"),
            wrong.error.constData());
    }

    /// The plan with the best strategy, the best simulated where the answer names one: estimated it has that step.
    void writesTheBestAsAPlan()
    {
        const QString file = folder().filePath("best.json");
        for (const QStringList& mode : {QStringList{"--simulate"}, QStringList()}) {
            const Json answer = answerOf(mode + QStringList{"-o", file}, example("gpt2-xl-alpa"));
            const Json& best = answer.contains("simulated_best") ? answer["simulated_best"] : answer["best"];
            const Json estimate = cli({"estimate", file, "--json"}).json();
            QCOMPARE(estimate["step_s"].get<double>(), best["step_s"].get<double>());
            QVERIFY(estimate["strategy"] == best["strategy"]);
        }
        const auto space = saved("nothing.json", R"({"format": "stratoplan-search-space", "version": 1, "tp": 7})");
        const QString none = folder().filePath("none.json");
        const Run run = cli({"search", "-", "--space", space, "-o", none}, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 0);
        QVERIFY2(run.error.contains("nothing to write to"), run.error.constData());
        QVERIFY(!QFileInfo::exists(none));
        // What cannot be written is said before the search.
        for (const auto& [place, told] : {std::pair(QString("/nonexistent/folder/best.json"), "/nonexistent/folder"),
                 {QString("-"), "standard output has the answer"}}) {
            const Run refused = cli({"search", "-", "-o", place}, example("gpt2-xl-alpa"));
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.error.contains(told) && !refused.error.contains("strategies"), refused.error.constData());
            QVERIFY(!refused.out.contains("proven"));
        }
        QVERIFY(!QFileInfo::exists("-"));
    }

    void saysWhichShardGroupsAddNothing()
    {
        const auto space =
            saved("shards.json", R"({"format": "stratoplan-search-space", "version": 1, "zero_shards": [0, 7, 2]})");
        const Json answer = answerOf({"--space", space}, example("gpt2-xl-alpa"));
        QVERIFY(std::any_of(answer["notes"].begin(), answer["notes"].end(),
            [](const Json& note) { return note.get<std::string>().starts_with("zero_shards 7 of the space"); }));
        QVERIFY(cli({"search", "-", "--space", space}, example("gpt2-xl-alpa"))
                    .out.contains("Note: zero_shards 7 of the space add nothing"));
    }

    void refusesSpaces_data()
    {
        QTest::addColumn<QByteArray>("member");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const char* member, const char* told) {
            QTest::newRow(name) << QByteArray(member) << QByteArray(told);
        };
        row("misspelt", R"("microbatch": 2)",
            "/microbatch: found a field that has no effect, expected \"micro_batch\", perhaps");
        row("text", R"("tp": "eight")", "/tp: found \"eight\", expected an integer from 1 to 16777216 or an array");
        row("zero", R"("pp": 0)", "/pp: found 0, expected an integer from 1");
        row("range", R"("dp": {"min": 8, "max": 4})", "/dp/max: found 4, expected an integer >= 8, its min");
        row("schedule", R"("schedule": ["1f1b", "2f2b"])",
            "/schedule/1: found \"2f2b\", expected one of \"gpipe\", \"1f1b\"");
        row("rank order", R"("rank_order": [["tp", "tp", "ep", "dp", "pp"]])", "/rank_order/0: found");
        row("nothing to choose", R"("zero_stage": [])",
            "/zero_stage: found an empty array, expected an array of at least 1");
        row("shard groups", R"("zero_shards": "nodes")",
            "/zero_shards: found \"nodes\", expected one of \"all\", \"domain\", \"every\" or an array");
        row("below nothing", R"("recomputed_layers": -1)", "/recomputed_layers: found -1, expected an integer from 0");
        row("layers fewer", R"("last_stage_fewer": {"max": -1})",
            "/last_stage_fewer/max: found -1, expected an integer >= 0, its min");
        row("half a layer", R"("first_stage_fewer": 0.5)",
            "/first_stage_fewer: found 0.5, expected an integer from -100000");
        row("base", R"("base": "all")", "/base: found \"all\", expected one of \"default\", \"calculon\", \"whole\"");
    }

    void refusesSpaces()
    {
        QFETCH(QByteArray, member);
        QFETCH(QByteArray, told);
        const QString file =
            saved("space.json", R"({"format": "stratoplan-search-space", "version": 1, )" + member + "}");
        const Run run = cli({"search", "-", "--space", file}, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("space.json: " + told), run.error.constData());
        QVERIFY(run.out.isEmpty());
    }

    void refusesArguments_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const QStringList& arguments, const char* told) {
            QTest::newRow(name) << arguments << QByteArray(told);
        };
        row("space", {"--space", "all"}, "--space: found \"all\", expected default, calculon, whole, or a file");
        row("no file", {"--space", "./none.json"}, "none.json");
        row("objective", {"--objective", "speed"}, "--objective: found \"speed\", expected one of throughput");
        row("no deadline", {"--objective", "deadline"}, "--longest-step: found nothing");
        row("deadline of nothing", {"--longest-step", "3"}, "--objective: found \"throughput\", expected deadline");
        row("days of nothing", {"--objective", "deadline", "--days", "3"},
            "--days: found a plan without a token budget");
        row("threads", {"--threads", "-2"}, "--threads: found \"-2\", expected a whole number");
        row("seconds", {"--seconds", "soon"}, "--seconds: found \"soon\", expected a number");
        row("twice", {"--space", "whole", "--space", "default"}, "--space: found 2 values, expected one");
        row("no time", {"--seconds", "0"}, "--seconds: found \"0\", expected a time above 0");
        row("two deadlines", {"--objective", "deadline", "--days", "3", "--longest-step", "5"},
            "--days: found \"3\", expected either --days or --longest-step");
        row("headroom", {"--headroom", "1.5"}, "--headroom: found \"1.5\", expected a number from 0 to 0.99");
    }

    void refusesArguments()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, told);
        const Run run = cli(QStringList{"search", "-"} + arguments, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(told), run.error.constData());
        QVERIFY(run.out.isEmpty());
    }
};

STRATOPLAN_TEST(TestCliSearch)
#include "test_cli_search.moc"
