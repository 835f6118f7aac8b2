// SPDX-License-Identifier: GPL-3.0-or-later
// What of a plan becomes which setting, and what cannot be said is told by name.
#include "core/launch/flag_table.h"
#include "core/narration/launches.h"
#include "tests/core/launch/launch_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>

using namespace stratoplan;
using namespace stratoplan::launch;

namespace {

QString valueOf(const LaunchFile& file, const char* name)
{
    const Setting* setting = find(file.settings, name);
    return setting ? QString::fromStdString(textOf(setting->value)) : QStringLiteral("-");
}

bool has(const LaunchFile& file, const char* name)
{
    return find(file.settings, name) != nullptr;
}

bool tells(const LaunchFile& file, Gap gap)
{
    return std::any_of(file.remarks.begin(), file.remarks.end(), [&](const Remark& r) { return r.gap == gap; });
}

QString told(const LaunchFile& file)
{
    QString text;
    for (const Remark& remark : file.remarks)
        text += QString::fromStdString(narration::describe(remark, file.format)) + '\n';
    return text;
}

plan::Project gpt3()
{
    plan::Project project;
    project.plan = fixtures::gpt3();
    return project;
}

LaunchFile changed(Format format, const std::function<void(plan::Plan&)>& change)
{
    plan::Project project = gpt3();
    change(project.plan);
    return write(project, format);
}

} // namespace

class TestLaunchSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formatsHaveKeys()
    {
        for (const Format format : kFormats)
            QCOMPARE(formatFromKey(key(format)), std::optional(format));
        QVERIFY(!formatFromKey("json"));
        QCOMPARE(narration::launchFormats(),
            std::string("megatron-lm, megatron-bridge, deepspeed, torchtitan, fsdp2, accelerate, mindspeed, slurm, "
                        "kubernetes"));
    }

    void degreesOfOneAreWritten()
    {
        const LaunchFile file = changed(Format::MegatronLm, [](plan::Plan& p) {
            p.strategy = {};
            p.strategy.dp = 8;
        });
        for (const char* name : {"--tensor-model-parallel-size", "--pipeline-model-parallel-size",
                 "--context-parallel-size", "--expert-model-parallel-size"})
            QCOMPARE(valueOf(file, name), QStringLiteral("1"));
    }

    void unevenStagesAreLaidOut()
    {
        const LaunchFile even = write(gpt3(), Format::MegatronLm);
        QCOMPARE(valueOf(even, "--num-layers-per-virtual-pipeline-stage"), QStringLiteral("4"));
        QVERIFY(!has(even, "--pipeline-model-parallel-layout"));
        const LaunchFile file = changed(Format::MegatronLm, [](plan::Plan& p) {
            p.model.layers = 7;
            p.strategy.pp = 3;
            p.strategy.vpp = 1;
            p.strategy.schedule = parallel::Schedule::OneFOneB;
            p.strategy.stageLayers = {3, 3, 1};
            p.model.multiTokenPredictionDepth = 1;
        });
        QCOMPARE(valueOf(file, "--pipeline-model-parallel-layout"), QStringLiteral("Ettt|ttt|tmL"));
    }

    void chunksAreLaidOutAsDataPassesThem()
    {
        const LaunchFile file = changed(Format::MegatronLm, [](plan::Plan& p) {
            p.model.layers = 7;
            p.strategy.pp = 2;
            p.strategy.vpp = 2;
            p.strategy.stageLayers = {4, 3};
        });
        const std::string layout = valueOf(file, "--pipeline-model-parallel-layout").toStdString();
        QCOMPARE(std::count(layout.begin(), layout.end(), '|'), std::ptrdiff_t{3});
        QCOMPARE(std::count(layout.begin(), layout.end(), 't'), std::ptrdiff_t{7});
    }

    void stagesOfZeroHaveTheirSettings()
    {
        const auto zero = [](int stage, int shards = 0) {
            return changed(Format::MegatronLm, [&](plan::Plan& p) {
                p.strategy = {};
                p.strategy.tp = 8;
                p.strategy.dp = 128;
                p.strategy.zeroStage = stage;
                p.strategy.zeroShards = shards;
            });
        };
        QVERIFY(!has(zero(0), "--use-distributed-optimizer"));
        QVERIFY(has(zero(1), "--use-distributed-optimizer") && !has(zero(1), "--use-megatron-fsdp"));
        QCOMPARE(valueOf(zero(2), "--data-parallel-sharding-strategy"), QStringLiteral("optim_grads"));
        QCOMPARE(valueOf(zero(3), "--data-parallel-sharding-strategy"), QStringLiteral("optim_grads_params"));
        QCOMPARE(valueOf(zero(1, 32), "--num-distributed-optimizer-instances"), QStringLiteral("4"));
        const LaunchFile inPipeline = changed(Format::MegatronLm, [](plan::Plan& p) { p.strategy.zeroStage = 3; });
        QVERIFY(has(inPipeline, "--use-distributed-optimizer") && !has(inPipeline, "--use-megatron-fsdp"));
        QVERIFY(tells(inPipeline, Gap::NotOfPipelines));
    }

    void schedulesThatNobodyRunsAreNamed()
    {
        for (const Format format :
            {Format::MegatronLm, Format::MegatronBridge, Format::DeepSpeed, Format::TorchTitan}) {
            const LaunchFile file = changed(format, [](plan::Plan& p) {
                p.strategy.schedule = parallel::Schedule::ZbH1;
                p.strategy.vpp = 1;
            });
            QVERIFY2(told(file).contains("Schedule zb-h1: "), qPrintable(told(file)));
            QVERIFY2(told(file).contains("1F1B"), qPrintable(told(file)));
        }
    }

    void partitionsInSpaceAndTimeAreNamed()
    {
        for (const Format format : kFormats) {
            const LaunchFile file = write(launchtest::example("opt-175b-spatial-temporal"), format);
            QVERIFY2(told(file).contains("patial-temporal"), key(format).data());
        }
    }

    void deepSpeedHasItsDegreesBesideIt()
    {
        const LaunchFile file = write(gpt3(), Format::DeepSpeed);
        QCOMPARE(file.companions.size(), std::size_t{1});
        const Settings& beside = file.companions.front().settings;
        QCOMPARE(numberOf(beside, "--tensor-model-parallel-size", 0), std::int64_t{8});
        QCOMPARE(numberOf(beside, "--pipeline-model-parallel-size", 0), std::int64_t{8});
        QCOMPARE(valueOf(file, "train_batch_size"), QStringLiteral("1536"));
    }

    void mindSpeedRunsDualPipe()
    {
        const LaunchFile file = changed(Format::MindSpeed, [](plan::Plan& p) {
            p.strategy.schedule = parallel::Schedule::DualPipeV;
            p.strategy.vpp = 1;
            p.model.tiedEmbeddings = false;
        });
        QCOMPARE(valueOf(file, "--schedules-method"), QStringLiteral("dualpipev"));
        QVERIFY(!has(file, "--overlap-grad-reduce"));
    }

    void unlikeNodesAndIdleOnesAreTold()
    {
        const LaunchFile file = changed(Format::Slurm, [](plan::Plan& p) {
            cluster::NodeGroup other = p.cluster.nodes.front();
            other.id = "others";
            other.accelerator.name = "another";
            p.cluster.nodes.push_back(other);
        });
        QVERIFY(tells(file, Gap::UnlikeNodes));
        QVERIFY(tells(file, Gap::IdleAccelerators));
    }

    void vendorsHaveTheirResources()
    {
        const auto job = [](const char* vendor) {
            return changed(
                Format::Kubernetes, [&](plan::Plan& p) { p.cluster.nodes.front().accelerator.vendor = vendor; });
        };
        QVERIFY(job("NVIDIA").body.find("nvidia.com/gpu: 8") != std::string::npos);
        QVERIFY(job("AMD").body.find("amd.com/gpu: 8") != std::string::npos);
        QVERIFY(job("Huawei").body.find("huawei.com/Ascend910: 8") != std::string::npos);
        QVERIFY(tells(job("Nobody"), Gap::Resource));
    }

    void aBudgetOfTokensGivesTheSteps()
    {
        plan::Project project = gpt3();
        const auto blanks = [&] {
            std::string text;
            for (const BlankSetting& blank : write(project, Format::MegatronLm).blanks)
                text += blank.setting + ' ';
            return text;
        };
        QVERIFY(blanks().find("train-iters") != std::string::npos);
        project.capacity.tokens = 300e9;
        QVERIFY(blanks().find("train-iters") == std::string::npos);
        QCOMPARE(valueOf(write(project, Format::MegatronLm), "--train-iters"), QStringLiteral("95368"));
    }

    void namesMayHoldAnything()
    {
        plan::Project project = gpt3();
        project.plan.name = "a\n--bf16 $(rm) 'b'";
        const LaunchFile file = write(project, Format::Slurm);
        const std::string text = narration::launchText(file, project.plan);
        QVERIFY(text.find("\n--bf16") == std::string::npos);
        QVERIFY(text.find("--job-name=a-bf16-rm-b\n") != std::string::npos);
    }
};

STRATOPLAN_TEST(TestLaunchSettings)
#include "test_launch_settings.moc"
