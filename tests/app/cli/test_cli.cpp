// SPDX-License-Identifier: GPL-3.0-or-later
// The command line contract, kept by the real program: keys, exit codes, what goes to which stream.
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <initializer_list>

using Json = nlohmann::json;

namespace {

struct Run {
    int exitCode = -1;
    QByteArray out;
    QByteArray error;
    [[nodiscard]] Json json() const { return Json::parse(out.toStdString(), nullptr, false); }
};

QTemporaryDir& folder()
{
    static QTemporaryDir temporary;
    return temporary;
}

QProcessEnvironment environment()
{
    QProcessEnvironment result = QProcessEnvironment::systemEnvironment();
    result.insert("XDG_STATE_HOME", folder().filePath("state"));
    return result;
}

Run finish(QProcess& process, const QByteArray& input)
{
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, process.readAllStandardOutput(), "did not end by itself: " + process.readAllStandardError()};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

Run cli(const QStringList& arguments, const QByteArray& input = {}, const QProcessEnvironment& variables = environment())
{
    QProcess process;
    process.setProcessEnvironment(variables);
    process.start(STRATOPLAN_CLI, arguments);
    return finish(process, input);
}

Run shell(const QString& script)
{
    QProcess process;
    process.setProcessEnvironment(environment());
    process.start("/bin/sh", {"-c", QString(script).replace("CLI", STRATOPLAN_CLI)});
    return finish(process, {});
}

QByteArray example(const char* name)
{
    return cli({"examples", name}).out;
}

QByteArray edited(const QByteArray& plan, const char* pointer, const Json& value)
{
    Json json = Json::parse(plan.toStdString());
    json[Json::json_pointer(pointer)] = value;
    return QByteArray::fromStdString(json.dump());
}

QString saved(const QString& name, const QByteArray& content)
{
    QFile file(folder().filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write the test's own file");
    return file.fileName();
}

/// The shipped cases of one group, as a file of their own.
QByteArray someCases(const char* group)
{
    QFile file(STRATOPLAN_CASES);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read the shipped cases");
    const Json all = Json::parse(file.readAll().toStdString());
    Json some = Json::array();
    for (const Json& one : all.at("cases")) {
        if (one.at("group").get<std::string>().starts_with(group))
            some.push_back(one);
    }
    return QByteArray::fromStdString(some.dump());
}

/// True while the process has a handler of its own for the signal.
bool catches(qint64 process, int signal)
{
    QFile status(QString("/proc/%1/status").arg(process));
    if (!status.open(QIODevice::ReadOnly))
        return false;
    const QByteArray text = status.readAll();
    const qsizetype at = text.indexOf("SigCgt:");
    return at >= 0 && (text.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16) >> (signal - 1) & 1) != 0;
}

bool hasKeys(const Json& object, std::initializer_list<const char*> keys)
{
    for (const char* key : keys) {
        if (!object.contains(key)) {
            qWarning("missing key: %s", key);
            return false;
        }
    }
    return object.is_object();
}

bool allFinite(const Json& value)
{
    if (value.is_null())
        return false; // what the library makes of a number that is none
    if (value.is_number())
        return std::isfinite(value.get<double>());
    return !value.is_structured() || std::all_of(value.begin(), value.end(), allFinite);
}

double sum(const Json& object)
{
    double total = 0;
    for (const Json& value : object)
        total += value.get<double>();
    return total;
}

bool close(double a, double b, double relative = 1e-9)
{
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

constexpr auto kStrategyKeys = {"tp", "pp", "dp", "cp", "ep", "etp", "vpp", "micro_batch", "zero_stage", "sequence_parallel", "recompute", "schedule",
                                "timing_pass", "tensor_partition", "offload", "stage_layers", "rank_order"};
constexpr auto kStatisticsKeys = {"n", "mean_abs_error", "median_abs_error", "bias", "p90_abs_error", "worst", "mean_accuracy", "within_range"};
constexpr auto kCommands = {"examples", "estimate", "simulate", "trace", "capacity", "export", "validate", "calibrate"};
constexpr auto kFitKeys = {"n", "mean_abs_error", "bias", "worst", "worst_id"};

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void helpIsEverywhere()
    {
        const Run top = cli({"--help"});
        QCOMPARE(top.exitCode, 0);
        QVERIFY(top.error.isEmpty());
        for (const char* command : kCommands) {
            QVERIFY2(top.out.contains(command), command);
            const Run help = cli({command, "--help"});
            QCOMPARE(help.exitCode, 0);
            QVERIFY2(help.out.contains("--json") && help.error.isEmpty(), command);
        }
        for (const char* later : {"search", "partition", "sweep", "import", "report"})
            QVERIFY2(!top.out.contains(later), later);
        const Run version = cli({"--version"});
        QCOMPARE(version.exitCode, 0);
        QCOMPARE(version.out, QByteArray("stratoplan-cli " STRATOPLAN_VERSION "\n"));
    }

    void badArguments_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const QStringList& arguments, const char* told) { QTest::newRow(name) << arguments << QByteArray(told); };
        row("nothing", {}, "COMMAND: found nothing, expected one of examples, estimate");
        row("unknown command", {"estimat", "-"}, "found the command \"estimat\"");
        row("later command", {"search", "-"}, "does not have yet");
        row("later command with a flag", {"--log-level", "error", "report", "-o", "x.pdf"}, "does not have yet");
        row("unknown flag", {"estimate", "-", "--fast"}, "estimate: found \"--fast\", expected only --help, --json, PLAN");
        row("one plan too many", {"estimate", "-", "other.json"}, "estimate: found \"other.json\", expected only");
        row("no plan", {"estimate"}, "PLAN: found nothing, expected plan or project file");
        row("no level", {"examples", "--log-level"}, "--log-level: found nothing, expected");
        row("log level", {"--log-level", "loud", "examples"}, "found \"loud\", expected one of trace");
        row("schedule", {"simulate", "-", "--schedule", "2f2b"}, "found \"2f2b\"");
        row("pass", {"simulate", "-", "--pass", "maybe"}, "--pass: found \"maybe\", expected on or off");
        for (const char* price : {"-3", "inf", "nan", "1e999", "much"})
            row(qPrintable(QString("price ") + price), {"capacity", "-", "--tokens", "1G", QString("--price=") + price},
                "--price: found \"");
        row("no rows", {"calibrate", "-o", "-"}, "ROWS: found nothing, expected a file of measured runs");
        row("no profile to write", {"calibrate", "-"}, "--output: found nothing, expected profile to write");
        row("no priors", {"calibrate", "--shipped", "-o", "-"}, "--priors: found nothing, expected the profiles to start from");
        row("unknown profile", {"validate", "--profile", "megatron-cor-2024"}, "or the id of a software profile, such as \"megatron-core-2024\"");
        row("no output", {"trace", "-"}, "--output: found nothing, expected file to write");
        row("no format", {"export", "-", "-o", "-"}, "--format: found nothing, expected");
        row("unknown format", {"export", "-", "--format", "slurm", "-o", "-"}, "\"slurm\"");
        row("unknown example", {"examples", "gpt5"}, "gpt3-175b-1024-a100");
    }
    void badArguments()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, told);
        const Run run = cli(arguments, example("gpt2-xl-alpa"));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(told), run.error.constData());
        QCOMPARE(run.error.count('\n'), 1);
        QVERIFY(run.error.size() < 400);
        QVERIFY(run.out.isEmpty());
        const Run machine = cli(arguments + QStringList{"--json"}, example("gpt2-xl-alpa"));
        QCOMPARE(machine.exitCode, 2);
        if (!machine.out.isEmpty()) // an unknown command has no answer
            QVERIFY(hasKeys(machine.json().at("problems").at(0), {"code", "severity", "where", "message", "found", "expected"}));
    }

    void examplesAreListedAndPrinted()
    {
        const Run list = cli({"examples"});
        QCOMPARE(list.exitCode, 0);
        QVERIFY(list.error.isEmpty());
        const Json json = cli({"examples", "--json"}).json();
        QVERIFY(json.at("examples").size() >= 9);
        for (const Json& one : json.at("examples")) {
            const auto name = one.at("name").get<std::string>();
            QVERIFY(list.out.contains(name.c_str()));
            const Json plan = Json::parse(example(name.c_str()).toStdString(), nullptr, false);
            QVERIFY2(plan.is_object() && plan.at("format") == "stratoplan-plan", name.c_str());
        }
    }

    void estimateKeepsItsShape_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt3-175b-1024-a100", "llama3-405b-16384-h100", "llama-70b-512-h100", "gpt2-xl-alpa", "odd-192-v100"})
            QTest::newRow(name) << QString(name);
    }
    void estimateKeepsItsShape()
    {
        QFETCH(QString, name);
        const QByteArray plan = example(name.toLatin1().constData());
        const Run run = cli({"estimate", "-", "--json"}, plan);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QVERIFY(run.error.isEmpty());
        const Json e = run.json();
        QVERIFY(hasKeys(e, {"step_s", "step_range_s", "tokens_per_s", "tflops_per_gpu", "mfu", "hfu", "fits", "breakdown_s", "memory", "strategy", "problems",
                            "extrapolates"}));
        QVERIFY(allFinite(e));
        const double step = e.at("step_s");
        QVERIFY(e.at("step_range_s").at(0) <= step && step <= e.at("step_range_s").at(1));

        const Json& b = e.at("breakdown_s");
        QVERIFY(hasKeys(b, {"forward", "backward", "recompute", "optimizer", "bubble", "other", "communication_exposed", "communication_hidden"}));
        for (const char* side : {"communication_exposed", "communication_hidden"})
            QVERIFY(hasKeys(b.at(side), {"tp", "cp", "ep", "pp", "dp"}));
        double parts = sum(b.at("communication_exposed"));
        for (const char* part : {"forward", "backward", "recompute", "optimizer", "bubble", "other"})
            parts += b.at(part).get<double>();
        QVERIFY(close(parts, step));

        const Json& m = e.at("memory");
        QVERIFY(hasKeys(m, {"capacity_bytes", "peak_bytes", "peak_stage", "stages"}));
        QCOMPARE(m.at("stages").size(), e.at("strategy").at("pp").get<std::size_t>());
        double peak = 0;
        for (const Json& stage : m.at("stages")) {
            QVERIFY(hasKeys(stage, {"weights", "gradients", "optimizer", "activations", "buffers", "reserve", "total"}));
            QVERIFY(close(sum(stage), 2 * stage.at("total").get<double>()));
            peak = std::max(peak, stage.at("total").get<double>());
        }
        QVERIFY(close(m.at("peak_bytes"), peak));
        QCOMPARE(e.at("fits").get<bool>(), peak <= m.at("capacity_bytes").get<double>());

        QVERIFY(hasKeys(e.at("strategy"), kStrategyKeys));
        const Json given = Json::parse(plan.toStdString());
        QVERIFY(e.at("strategy") == given.at("strategy"));
        const Json& t = given.at("training");
        QVERIFY(close(e.at("tokens_per_s"), t.at("global_batch").get<double>() * t.at("sequence_length").get<double>() / step));
        for (const Json& problem : e.at("problems"))
            QVERIFY(hasKeys(problem, {"code", "severity", "where", "message", "remedies"}));

        const Run text = cli({"estimate", saved("plan.json", plan)});
        QCOMPARE(text.exitCode, 0);
        QVERIFY(text.error.isEmpty());
        for (const char* word : {"Step time", " s", "tokens/s", "TFLOP/s", "MFU", "GiB", "Bubble", "Sum of the parts", "Stage"})
            QVERIFY2(text.out.contains(word), word);
        QVERIFY(!text.out.contains("nan") && !text.out.contains("inf "));
    }

    void theFirstExampleFits()
    {
        const Json e = cli({"estimate", "-", "--json"}, example("gpt3-175b-1024-a100")).json();
        QVERIFY(e.at("fits").get<bool>());
        QVERIFY(e.at("mfu") > 0.4 && e.at("mfu") < 0.6); // its source measured 51.4 % on 64 accelerators
    }

    void projectsAreEstimatedByTheirPlan()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Json project{{"format", "stratoplan-project"}, {"version", 1}, {"plan", Json::parse(plan.toStdString())}};
        const Run run = cli({"estimate", "-", "--json"}, QByteArray::fromStdString(project.dump()));
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.out, cli({"estimate", "-", "--json"}, plan).out);
    }

    void notEstimablePlansSayWhy()
    {
        for (const char* name : {"deepseek-v3-2048-h800", "opt-175b-spatial-temporal"}) {
            const Run run = cli({"estimate", "-", "--json"}, example(name));
            QCOMPARE(run.exitCode, 2);
            QVERIFY(run.error.contains("not_estimable"));
            const Json problem = run.json().at("problems").at(0);
            QVERIFY(hasKeys(problem, {"code", "severity", "where", "message", "remedies"}));
            QCOMPARE(problem.at("code").get<std::string>(), std::string("not_estimable"));
            QVERIFY(problem.at("message").get<std::string>().size() > 20);
            const Run text = cli({"estimate", "-"}, example(name));
            QCOMPARE(text.exitCode, 2);
            QVERIFY(text.out.isEmpty());
        }
    }

    void brokenPlansSayWhereAndWhat()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        Run run = cli({"estimate", "-", "--json"}, edited(plan, "/strategy/tp", 5));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("standard input: /strategy/tp") && run.error.contains("96 heads"), run.error.constData());
        const Json answer = run.json();
        QVERIFY(std::any_of(answer.at("problems").begin(), answer.at("problems").end(), [](const Json& p) { return p.at("code") == "heads_not_divisible"; }));

        const QString file = saved("broken.json", edited(plan, "/strategy/tp", "eight"));
        run = cli({"estimate", file, "--json"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains(file.toUtf8() + ": /strategy/tp: found \"eight\", expected an integer"), run.error.constData());
        const Json problem = run.json().at("problems").at(0);
        QCOMPARE(problem.at("where").get<std::string>(), std::string("/strategy/tp"));
        QCOMPARE(problem.at("code").get<std::string>(), std::string("schema"));

        run = cli({"estimate", "-"}, plan.left(plan.size() / 2));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.error.contains("standard input: found") && run.out.isEmpty(), run.error.constData());

        run = cli({"estimate", "-"}, edited(plan, "/strategy/micro_bacth", 2)); // read, with a warning
        QCOMPARE(run.exitCode, 0);
        QVERIFY(run.error.contains("/strategy/micro_bacth") && run.error.contains("\"micro_batch\""));
    }

    void unreadableInputIsRefused()
    {
        for (const char* input : {"/no/such/file.json", "/", "gpt2-xl-alpa"}) {
            const Run run = cli({"estimate", input});
            QCOMPARE(run.exitCode, 2);
            QVERIFY2(run.error.contains(input) && run.out.isEmpty(), run.error.constData());
        }
        QCOMPARE(cli({"estimate", "-"}).exitCode, 2); // nothing on standard input
        QCOMPARE(shell("CLI estimate - <&-").exitCode, 2); // not even open
        const Run huge = shell("head -c 70000000 /dev/zero | CLI estimate -");
        QCOMPARE(huge.exitCode, 2);
        QVERIFY(huge.error.contains("standard input"));
    }

    void absurdAmountsNeverGiveNonsense()
    {
        const QByteArray plan = edited(example("gpt2-xl-alpa"), "/model", {{"base", "gpt2-xl"}, {"hidden", 10000000}});
        for (const auto& [pointer, value] : std::initializer_list<std::pair<const char*, Json>>{{"/training/sequence_length", 100000000},
                                                                                               {"/training/global_batch", 100000000},
                                                                                               {"/strategy/micro_batch", 100000000},
                                                                                               {"/model/hidden", 0},
                                                                                               {"/model/layers", 100000},
                                                                                               {"/training/software", {{"base", "alpa"}, {"matmul_factor", 0}}},
                                                                                               {"/training/software", {{"base", "alpa"}, {"memory_factor", 0}}},
                                                                                               {"/training/software", {{"base", "alpa"}, {"unfused_attention", 0}}},
                                                                                               {"/training/software", {{"base", "alpa"}, {"range_low", 0}}}}) {
            const Run run = cli({"estimate", "-", "--json"}, edited(plan, pointer, value));
            QVERIFY2(run.exitCode == 0 || run.exitCode == 2, run.error.constData());
            QVERIFY(!run.json().is_discarded());
            QVERIFY(run.exitCode == 2 || allFinite(run.json()));
        }
    }

    void simulationKeepsItsShape()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Run run = cli({"simulate", "-", "--json"}, plan);
        QVERIFY2(run.exitCode == 0 && run.error.isEmpty(), run.error.constData());
        const Json s = run.json();
        QVERIFY(hasKeys(s, {"step_s", "bubble_fraction", "peak_in_flight", "waits", "waits_by_cause_s", "stages"}));
        QVERIFY(allFinite(s));
        QCOMPARE(s.at("stages").size(), std::size_t{8});
        double waits = 0;
        for (const Json& wait : s.at("waits")) {
            QVERIFY(hasKeys(wait, {"stage", "start_s", "seconds", "cause"}));
            waits += wait.at("seconds").get<double>();
        }
        QVERIFY(close(waits, sum(s.at("waits_by_cause_s"))));
        for (const Json& stage : s.at("stages"))
            QVERIFY(close(sum(stage), s.at("step_s"), 1e-6));
        const QByteArray chunkless = edited(plan, "/strategy/vpp", 1); // without interleaving the bubble is wider
        QVERIFY(cli({"simulate", "-", "--schedule", "gpipe", "--json"}, chunkless).json().at("bubble_fraction") > s.at("bubble_fraction"));
        QVERIFY(cli({"simulate", "-"}, plan).out.contains("Stage"));
        const Run refused = cli({"simulate", "-", "--schedule", "zb-h1", "--json"}, chunkless);
        QCOMPARE(refused.exitCode, 2);
        QCOMPARE(refused.json().at("problems").at(0).at("code").get<std::string>(), std::string("not_estimable"));
    }

    void tracesAreReadByViewers()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const QString file = folder().filePath("trace.json");
        const Run run = cli({"trace", "-", "-o", file}, plan);
        QVERIFY2(run.exitCode == 0 && run.out.isEmpty(), run.error.constData());
        QFile trace(file);
        QVERIFY(trace.open(QIODevice::ReadOnly));
        const Json json = Json::parse(trace.readAll().toStdString());
        int slices = 0;
        for (const Json& event : json.at("traceEvents")) {
            QVERIFY(hasKeys(event, {"name", "ph", "pid", "tid"}));
            if (event.at("ph") == "X") {
                ++slices;
                QVERIFY(event.at("dur") >= 0 && event.at("ts") >= 0);
            }
        }
        QVERIFY(slices >= 4 * 8 * 2); // stages x micro-batches x directions
        QVERIFY(cli({"trace", "-", "-o", "-"}, plan).out.startsWith('{'));
        QCOMPARE(cli({"trace", "-", "-o", "/no/such/folder/t.json"}, plan).exitCode, 2);
    }

    void capacityKeepsItsShape()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Run run = cli({"capacity", "-", "--tokens", "300G", "--price", "2", "--json"}, plan);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json c = run.json();
        QVERIFY(hasKeys(c, {"steps", "days", "gpu_hours", "cost", "currency", "energy_kwh", "co2_kg", "goodput", "delivery"}));
        QVERIFY(hasKeys(c.at("delivery"), {"p10", "p50", "p90"}));
        for (const char* unknown : {"co2_kg", "delivery"}) { // null, and why
            QVERIFY(c.at(unknown).is_null() || c.at(unknown).at("p50").is_null());
            QVERIFY(c.at("unknown").at(unknown).get<std::string>().size() > 20);
        }
        QVERIFY(close(c.at("gpu_hours"), c.at("days").get<double>() * 24 * 1024));
        QVERIFY(close(c.at("cost"), 2 * c.at("gpu_hours").get<double>()));
        QVERIFY(cli({"capacity", "-", "--tokens", "300G"}, plan).out.contains("days"));
        for (const QStringList& tokens : {QStringList{}, QStringList{"--tokens", "many"}, QStringList{"--tokens=-1"}}) {
            const Run refused = cli(QStringList{"capacity", "-"} + tokens, plan);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.error.contains("--tokens"), refused.error.constData());
        }
    }

    void exportedPlansGiveTheSameEstimate()
    {
        const QByteArray plan = example("llama-70b-512-h100");
        const QString file = folder().filePath("exported.json");
        QCOMPARE(cli({"export", "-", "--format", "json", "-o", file}, plan).exitCode, 0);
        QCOMPARE(cli({"estimate", file, "--json"}).out, cli({"estimate", "-", "--json"}, plan).out);
        QVERIFY(Json::parse(cli({"export", "-", "--format", "json", "-o", "-"}, plan).out.toStdString()) == Json::parse(plan.toStdString()));
        QCOMPARE(cli({"export", "-", "--format", "json", "-o", "/proc/x.json"}, plan).exitCode, 2);
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
            QVERIFY(hasKeys(row, {"id", "group", "measured_s", "estimated_s", "error", "low_s", "high_s", "measured_gib", "estimated_gib", "memory_error", "filled"}));
            if (row.at("error").is_number())
                QVERIFY(close(row.at("estimated_s"), (1 + row.at("error").get<double>()) * row.at("measured_s").get<double>()));
        }
        for (const Json& skipped : v.at("skipped"))
            QVERIFY(hasKeys(skipped, {"id", "reason"}));
        const Run text = cli({"validate"});
        QCOMPARE(text.exitCode, 0);
        QVERIFY(text.out.contains("Step time") && text.out.contains("Rank correlation"));
        for (const char* input : {"", "[", "{\"cases\": 3}"}) {
            const Run refused = cli({"validate", "-"}, input);
            QVERIFY2(refused.exitCode == 2, input);
            QVERIFY(refused.error.contains("standard input"));
        }
    }

    void zeroFactorsOfTheMachineNeverGiveNonsense()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        for (const char* factor : {"matmul_sustained", "memory_sustained", "memory_bandwidth_gb_s", "memory_gib", "peak_tflops", "watts"}) {
            Json accelerator{{"id", "a"},      {"name", "A"},           {"memory_gib", 16}, {"memory_bandwidth_gb_s", 900}, {"watts", 300},
                             {"matmul_sustained", 0.7}, {"memory_sustained", 0.8}, {"peak_tflops", {{"fp16", 125}, {"fp32", 15}}}};
            accelerator[factor] = factor == std::string("peak_tflops") ? Json{{"fp16", 0}} : Json(0);
            const Json node{{"id", "n"}, {"preset", "aws-p3-16xlarge"}, {"count", 2}, {"accelerator", accelerator}};
            const Run run = cli({"estimate", "-", "--json"}, edited(plan, "/cluster", {{"nodes", Json::array({node})}}));
            QVERIFY2(run.exitCode == 0 || run.exitCode == 2, run.error.constData());
            QVERIFY(run.exitCode == 2 || allFinite(run.json()));
        }
    }

    void validationTakesOneProfileForAll()
    {
        const Run own = cli({"validate", "-", "--json"}, someCases("torchtitan"));
        const Run other = cli({"validate", "-", "--profile", "alpa", "--json"}, someCases("torchtitan"));
        QVERIFY2(other.exitCode == 0, other.error.constData());
        QVERIFY(own.json().at("overall") != other.json().at("overall"));
        const QString file = saved("profile.json", R"({"format": "stratoplan-profile", "version": 1, "id": "mine", "matmul_factor": 0.5})");
        const Run mine = cli({"validate", "-", "--profile", file, "--json"}, someCases("torchtitan"));
        QVERIFY2(mine.exitCode == 0, mine.error.constData());
        QVERIFY(mine.json().at("overall") != other.json().at("overall"));
        const QString broken = saved("broken-profile.json", R"({"format": "stratoplan-profile", "version": 1, "id": "mine", "matmul_factor": -1})");
        const Run refused = cli({"validate", "-", "--profile", broken}, someCases("torchtitan"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("broken-profile.json: /matmul_factor: found -1, expected a number from 0"), refused.error.constData());
    }

    void validationLeavesGroupsOut()
    {
        const Run run = cli({"validate", "-", "--k-fold", "--json"}, someCases("torchtitan"));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json k = run.json().at("k_fold");
        QVERIFY(hasKeys(k, {"time", "memory"}));
        for (const Json& part : k) {
            QVERIFY(hasKeys(part.at("fit"), kFitKeys) && hasKeys(part.at("prior"), kFitKeys));
            QVERIFY(hasKeys(part.at("left_out_by"), {"model shape", "model size", "accelerators", "schedule", "strategy", "source"}));
            for (const Json& one : part.at("left_out_by"))
                QVERIFY(hasKeys(one.at("fit"), kFitKeys) && hasKeys(one.at("left_out"), kFitKeys));
        }
        const Json& time = k.at("time");
        QVERIFY(time.at("fit").at("mean_abs_error") <= time.at("prior").at("mean_abs_error"));
        const Json& strategies = time.at("left_out_by").at("strategy");
        QVERIFY(strategies.at("left_out").at("n") > 5);
        QVERIFY(strategies.at("left_out").at("mean_abs_error") != strategies.at("fit").at("mean_abs_error"));
        QVERIFY(cli({"validate", "-", "--k-fold"}, someCases("torchtitan")).out.contains("By strategy"));
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
        QVERIFY(skipped.at(0).at("reason").get<std::string>().find("/model/heads: found 0, expected a whole number from 1") != std::string::npos);
        const Run deep = cli({"validate", "-"}, QByteArray(200000, '['));
        QCOMPARE(deep.exitCode, 2);
        QVERIFY2(deep.error.contains("levels of nesting") && deep.error.size() < 800, deep.error.left(300).constData());
        const Run broken = cli({"validate", "-"}, "[{},\n x]");
        QCOMPARE(broken.exitCode, 2);
        QVERIFY2(broken.error.contains(" at line 2, column 2, expected"), broken.error.constData());
    }

    void calibrationFitsOwnRuns()
    {
        // Measured with the half of the matrix rate: the fit must find its way there and say what it gained.
        QByteArray table = "# plan: gpt2-xl-alpa\nid,tp,pp,micro_batch,step_s,peak_gib\n";
        const QString slow = saved("slow.json", edited(example("gpt2-xl-alpa"), "/training/software", {{"base", "alpa"}, {"matmul_factor", 0.6}}));
        const Json plan = Json::parse(cli({"export", slow, "--format", "json", "-o", "-"}).out.toStdString());
        for (const auto& [pp, microBatch] : {std::pair(1, 1), std::pair(2, 1), std::pair(4, 1), std::pair(4, 2), std::pair(2, 2), std::pair(8, 1)}) {
            Json one = plan;
            one["strategy"].update({{"tp", 1}, {"pp", pp}, {"dp", 16 / pp}, {"micro_batch", microBatch}, {"vpp", 1}, {"schedule", "1f1b"}});
            const Json answer = cli({"estimate", "-", "--json"}, QByteArray::fromStdString(one.dump())).json();
            if (answer.contains("step_s"))
                table += "run,1," + QByteArray::number(pp) + ',' + QByteArray::number(microBatch) + ',' + QByteArray::number(answer.at("step_s").get<double>(), 'g', 12) + ",\n";
        }
        QVERIFY(table.count('\n') >= 6);
        table += "bad,1,three,1,2,\nlazy,1,2,1,,\n";
        const QString file = folder().filePath("mine.json");
        const Run run = cli({"calibrate", "-", "-o", file, "--json"}, table);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json c = run.json();
        QVERIFY(hasKeys(c, {"file", "n_rows", "skipped", "time", "memory", "constants", "profile"}));
        QCOMPARE(c.at("skipped").size(), std::size_t{2});
        QVERIFY2(run.error.contains("column pp: found \"three\", expected a whole number from 1"), run.error.constData());
        QVERIFY2(run.error.contains("expected step_s or peak_gib"), run.error.constData());
        for (const char* part : {"before", "after", "left_out"})
            QVERIFY(hasKeys(c.at("time").at(part), kFitKeys));
        QVERIFY(c.at("memory").is_null());
        const auto error = [&](const char* part) { return c.at("time").at(part).at("mean_abs_error").get<double>(); };
        QVERIFY2(error("after") < error("before") / 2, qPrintable(QString("%1 %2").arg(error("before")).arg(error("after"))));
        QVERIFY(error("left_out") < error("before"));
        const Run used = cli({"validate", "-", "--profile", file}, someCases("torchtitan"));
        QVERIFY2(used.exitCode == 0, used.error.constData());

        const Run text = cli({"calibrate", "-", "-o", file}, table);
        QVERIFY(text.out.contains("left out") && text.out.contains("matmul_factor"));
        const Run cases = cli({"calibrate", "-", "-o", file, "--profile", "torchtitan", "--json"}, someCases("torchtitan"));
        QVERIFY2(cases.exitCode == 0, cases.error.constData());
        QCOMPARE(cases.json().at("profile").at("id").get<std::string>(), std::string("torchtitan-calibrated"));
        QVERIFY(cases.json().at("memory").is_object());
    }

    void calibrationRefusesWhatIsNoTable_data()
    {
        QTest::addColumn<QByteArray>("rows");
        QTest::addColumn<QByteArray>("told");
        QTest::newRow("nothing") << QByteArray() << QByteArray("standard input: found no plan that the rows change, expected --plan PLAN");
        QTest::newRow("no heading") << QByteArray("# plan: gpt2-xl-alpa\n") << QByteArray("found no heading");
        QTest::newRow("unknown column") << QByteArray("# plan: gpt2-xl-alpa\ntp,speed\n1,2\n") << QByteArray("standard input: line 2: found \"speed\"");
        QTest::newRow("twice") << QByteArray("# plan: gpt2-xl-alpa\ntp;tp;step_s\n") << QByteArray("line 2, column tp: found the column twice");
        QTest::newRow("nothing measured") << QByteArray("# plan: gpt2-xl-alpa\ntp\n1\n") << QByteArray("expected a column step_s or peak_gib");
        QTest::newRow("no run") << QByteArray("# plan: gpt2-xl-alpa\nstep_s\n-1\n") << QByteArray("found no measured run");
        QTest::newRow("no such plan") << QByteArray("# plan: nowhere.json\nstep_s\n1\n") << QByteArray("nowhere.json: found \"No such file");
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

    void theShippedRowsCalibrate()
    {
        const Run run = cli({"calibrate", STRATOPLAN_EXAMPLES "/calibration-rows.csv", "-o", folder().filePath("shipped.json"), "--json"});
        QVERIFY2(run.exitCode == 0 && run.error.isEmpty(), run.error.constData());
        QVERIFY(run.json().at("time").at("after").at("mean_abs_error") <= run.json().at("time").at("before").at("mean_abs_error"));
    }

    void interruptedWorkGivesWhatItHas_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("validate") << QStringList{"validate", "-", "--json"};
        QTest::newRow("leaving out") << QStringList{"validate", "-", "--k-fold", "--json"};
        QTest::newRow("calibrate") << QStringList{"calibrate", "-", "-o", "/dev/null", "--json"};
    }
    void interruptedWorkGivesWhatItHas()
    {
        QFETCH(QStringList, arguments);
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(STRATOPLAN_CLI, arguments);
        QVERIFY(process.waitForStarted());
        // It waits for its input and listens to the signal; once it has heard it, it no longer does.
        QTRY_VERIFY_WITH_TIMEOUT(catches(process.processId(), SIGINT), 20000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QTRY_VERIFY_WITH_TIMEOUT(!catches(process.processId(), SIGINT), 20000);
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

    void whatWasWrongIsInTheLogFile()
    {
        QProcessEnvironment variables = environment();
        variables.insert("XDG_STATE_HOME", folder().filePath("wrong"));
        QCOMPARE(cli({"estimate", "/no/such/file.json"}, {}, variables).error.count('\n'), 1);
        QCOMPARE(cli({"capacity", "-", "--price", "inf", "--tokens", "1G"}, example("gpt2-xl-alpa"), variables).error.count('\n'), 1);
        QCOMPARE(cli({"estimate"}, {}, variables).exitCode, 2);
        QCOMPARE(cli({"estimat"}, {}, variables).exitCode, 2);
        QFile file(folder().filePath("wrong/stratoplan/stratoplan-cli.log"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray log = file.readAll();
        for (const char* told : {" error /no/such/file.json: found", " error --price: found \"inf\"", " error PLAN: found nothing", " error found the command \"estimat\""})
            QVERIFY2(log.contains(told), log.constData());
    }

    void theLogStaysOffStandardOutput()
    {
        const QByteArray plan = example("gpt2-xl-alpa");
        const Run quiet = cli({"estimate", "-", "--json"}, plan);
        const Run loud = cli({"--log-level", "debug", "estimate", "-", "--json"}, plan);
        QCOMPARE(loud.exitCode, 0);
        QCOMPARE(loud.out, quiet.out);
        QVERIFY(loud.error.contains("info"));
        QCOMPARE(cli({"estimate", "-", "--json", "--log-level", "info"}, plan).out, quiet.out);
        QFile file(folder().filePath("state/stratoplan/stratoplan-cli.log"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("standard input"));
    }

    void anUnwritableLogFolderIsToldOnce()
    {
        QProcessEnvironment variables = environment();
        variables.insert("XDG_STATE_HOME", "/proc/nowhere");
        const QByteArray plan = example("gpt2-xl-alpa");
        const Run run = cli({"estimate", "-", "--json"}, plan, variables);
        QCOMPARE(run.exitCode, 0);
        QCOMPARE(run.error.count("no log file"), 1);
        QCOMPARE(run.error.count('\n'), 1);
        QCOMPARE(run.out, cli({"estimate", "-", "--json"}, plan).out);
        variables.remove("XDG_STATE_HOME");
        variables.remove("HOME");
        QCOMPARE(cli({"examples"}, {}, variables).exitCode, 0);
    }

    void lostReadersAndFullDisksEndCleanly()
    {
        const Run full = shell("CLI examples > /dev/full");
        QCOMPARE(full.exitCode, 3);
        QVERIFY(full.error.contains("standard output"));
        QCOMPARE(shell("CLI examples >&-").exitCode, 3);
        const Run gone = shell("(sleep 0.2; CLI examples --json; echo exit $? >&2) | true");
        QVERIFY2(gone.error.trimmed() == "exit 3", gone.error.constData());
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "test_cli.moc"
