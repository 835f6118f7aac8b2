// SPDX-License-Identifier: GPL-3.0-or-later
// `audit` by the real program: its keys, sums that close, the shipped example, what is wrong with its arguments.
#include "tests/app/cli/cli_run.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan::clitest;

namespace {

const QString kLog = QStringLiteral(STRATOPLAN_AUDITS "/example.log");
const QString kProfile = QStringLiteral(STRATOPLAN_AUDITS "/example-profile.json");

double sumOf(const Json& rows, const char* field)
{
    double sum = 0;
    for (const Json& row : rows)
        sum += row.at(field).get<double>();
    return sum;
}

} // namespace

class TestCliAudit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void auditKeepsItsShape()
    {
        const QByteArray plan = example("llama-70b-512-h100");
        const Run run = cli({"audit", "-", "--log", kLog, "--profile", kProfile, "--mfu", "36.4 %", "--json"}, plan);
        QVERIFY2(run.exitCode == 0, run.error.constData());
        const Json a = run.json();
        QVERIFY(hasKeys(a,
            {"verdict", "measured", "estimated", "gap_s", "gap_share", "stage", "profile", "causes", "findings",
                "settings", "edits", "mfu", "name_mismatch"}));
        QCOMPARE(a.at("measured").at("origin").get<std::string>(), std::string("log"));
        QVERIFY(close(sumOf(a.at("causes"), "measured_s"), a.at("profile").at("step_s").get<double>()));
        QVERIFY(close(sumOf(a.at("causes"), "estimated_s"), a.at("estimated").at("step_s").get<double>()));
        QVERIFY(close(sumOf(a.at("causes"), "share"), 1));
        QCOMPARE(a.at("findings").front().at("code").get<std::string>(), std::string("slow_matmul"));
        QVERIFY(a.at("edits").size() == 3 && a.at("name_mismatch").is_null());
        for (const Json& edit : a.at("edits"))
            QVERIFY(edit.at("gain_s") > 0 && edit.at("strategy").contains("tp"));
        std::vector<std::string> settings;
        for (const Json& setting : a.at("settings"))
            settings.push_back(setting.at("setting").get<std::string>());
        const std::vector<std::string> expected{"overlap_grad_reduce", "overlap_param_gather"};
        QVERIFY(settings == expected);
        int matching = 0;
        for (const Json& value : a.at("mfu").at("values"))
            matching += value.at("matches").get<bool>();
        QVERIFY(matching > 0);
    }

    void peopleReadTables()
    {
        const Run run = cli({"audit", "-", "--profile", kProfile}, example("llama-70b-512-h100"));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        for (const char* const words : {"Matrix products", "What explains it", "The edits that would help most",
                 "MFU by convention", "from the profile"})
            QVERIFY2(run.out.contains(words), words);
    }

    void whatIsStatedIsTaken()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        const Json stated =
            cli({"audit", "-", "--step-time", "9.5", "--setting", "CUDA_DEVICE_MAX_CONNECTIONS=8", "--json"}, plan)
                .json();
        QVERIFY(stated.at("measured").at("step_s") == 9.5 && stated.at("profile").is_null());
        QVERIFY(stated.at("causes").front().at("measured_s").is_null());
        QVERIFY(std::any_of(stated.at("settings").begin(), stated.at("settings").end(),
            [](const Json& setting) { return setting.at("setting") == "max_connections"; }));
        const Json quoted =
            cli({"audit", "-", "--mfu", "50%", "--mfu-convention", "full-recomputed", "--json"}, plan).json();
        QCOMPARE(quoted.at("measured").at("origin").get<std::string>(), std::string("mfu"));
        for (const Json& value : quoted.at("mfu").at("values"))
            if (value.at("flops") == "full-recomputed" && value.at("peak") == "bf16")
                QVERIFY(close(value.at("mfu"), 0.5) && value.at("matches"));
    }

    /// A "7B" that is 768 wide.
    void aNameThatIsNoneIsTold()
    {
        Json plan = Json::parse(example("gpt2-xl-alpa").toStdString());
        plan["model"] = {{"name", "my-llama-7B"}, {"layers", 12}, {"hidden", 768}, {"ffn_hidden", 3072}, {"heads", 12},
            {"kv_heads", 12}, {"head_dim", 64}, {"vocabulary", 50257}, {"max_positions", 1024}};
        const Run run = cli({"audit", "-", "--json"}, QByteArray::fromStdString(plan.dump()));
        QVERIFY2(run.exitCode == 0, run.error.constData());
        QCOMPARE(run.json().at("name_mismatch").at("claimed").get<std::string>(), std::string("7B"));
    }

    void badArgumentsAreRefused()
    {
        const QByteArray plan = example("gpt3-175b-1024-a100");
        for (const QStringList& wrong :
            {QStringList{"--step-time", "soon"}, {"--step-time", "0"}, {"--mfu", "high"}, {"--mfu-convention", "half"},
                {"--setting", "novalue"}, {"--profile", "/nonexistent.json"}, {"--log", "/nonexistent.log"}}) {
            const Run refused = cli(QStringList{"audit", "-"} + wrong, plan);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.error.contains(wrong.front().startsWith("--p") || wrong.front() == "--log"
                             ? wrong.back().toUtf8()
                             : wrong.front().toUtf8()),
                refused.error.constData());
        }
        QFile broken(folder().filePath("broken.json"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"traceEvents\": [\n{\"ph\": \"X\",\n");
        broken.close();
        const Run refused = cli({"audit", "-", "--profile", broken.fileName()}, plan);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains("line 3"), refused.error.constData());
    }
};

STRATOPLAN_TEST(TestCliAudit)
#include "test_cli_audit.moc"
