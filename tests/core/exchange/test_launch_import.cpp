// SPDX-License-Identifier: GPL-3.0-or-later
// Launch files as plans: what they say, what contradicts itself, and that what is exported comes back.
#include "core/exchange/launch_file.h"
#include "core/exchange/launch_reading.h"
#include "core/exchange/recognise.h"
#include "core/narration/launches.h"
#include "tests/core/launch/launch_plans.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::exchange;

namespace {

const std::string kGpt = "--num-layers 24\n--hidden-size 2048\n--num-attention-heads 16\n--seq-length 2048\n"
                         "--max-position-embeddings 2048\n--micro-batch-size 2\n--global-batch-size 64\n"
                         "--vocab-size 50257\n--bf16\n";

tl::expected<ImportedLaunch, DocumentErrors> imported(const std::string& text, const LaunchOptions& options = {})
{
    const auto kind = recogniseLaunch(text);
    if (!kind)
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Syntax, {}, {}, "no launch file", {}, {}}});
    return importLaunch(text, *kind, "test", "test", options, catalog::shippedCatalog());
}

std::string toldOf(const DocumentErrors& errors)
{
    std::string text;
    for (const DocumentError& error : errors)
        text += describe(error) + '\n';
    return text;
}

std::string outcome(const std::string& text, const LaunchOptions& options = {})
{
    const auto answer = imported(text, options);
    return answer ? toldOf(answer->warnings) : toldOf(answer.error());
}

const catalog::NodePreset* nodeOfEight()
{
    return catalog::shippedCatalog().node("dgx-h100");
}

/// What a file of Megatron-LM says of a plan, as far as it has words for it.
std::string expressedBy(plan::Plan plan)
{
    parallel::Strategy& s = plan.strategy;
    const bool experts = layerCounts(plan.model).moe > 0;
    std::string text = std::to_string(s.tp) + ' ' + std::to_string(s.pp) + ' ' + std::to_string(s.cp) + ' '
        + std::to_string(s.dp) + ' ' + std::to_string(experts ? s.ep : 1) + ' ' + std::to_string(experts ? s.etp : 1)
        + ' ' + std::to_string(s.microBatch) + ' ' + std::to_string(plan.training.globalBatch) + ' '
        + std::to_string(plan.training.sequenceLength);
    text += ' ' + std::to_string(plan.model.layers) + ' ' + std::to_string(plan.model.hidden) + ' '
        + std::to_string(parameters(plan.model).total);
    return text;
}

} // namespace

class TestLaunchImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreRecognised()
    {
        QCOMPARE(recogniseFile(kGpt), FileKind::Launch);
        QCOMPARE(recogniseFile(R"({"train_batch_size": 8})"), FileKind::Launch);
        QCOMPARE(recogniseFile("[model]\nname = \"llama3\"\n[training]\nsteps = 1\n"), FileKind::Launch);
        QCOMPARE(recogniseFile(R"({"model_type": "llama", "zero_optimization": {}})"), FileKind::HuggingFace);
        QCOMPARE(recogniseFile("--num-layers 2\n elapsed time per iteration (ms): 3"), FileKind::Other);
    }

    void argumentsAreAPlan()
    {
        const auto answer = imported(kGpt + "--tensor-model-parallel-size 4\n--pipeline-model-parallel-size 2\n"
                + "--num-layers-per-virtual-pipeline-stage 3\n--sequence-parallel\n--use-distributed-optimizer\n"
                + "--recompute-activations\n--lr 3e-4\n",
            {nullptr, nodeOfEight(), 2});
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        const plan::Plan& plan = answer->plan;
        QCOMPARE(plan.model.name, std::string("GPT-3 1.3B"));
        QCOMPARE(plan.strategy.dp, 2);
        QCOMPARE(plan.strategy.vpp, 4);
        QVERIFY(plan.strategy.schedule == parallel::Schedule::Interleaved && plan.strategy.sequenceParallel);
        QVERIFY(plan.strategy.recompute == parallel::Recompute::Selective && plan.strategy.zeroStage == 1);
        QCOMPARE(acceleratorCount(plan.cluster), 16);
        QCOMPARE(answer->unused, std::vector<std::string>{"--lr 3e-4"});
        QVERIFY(answer->warnings.empty());
    }

    void scriptsAreReadAsTheShellReadsThem()
    {
        const auto answer = imported(R"(#!/bin/bash
#SBATCH --nodes=4
GPUS_PER_NODE=8 # of a DGX
TP=${TP:-4}; export PP=2
MODEL_ARGS=(
    --num-layers 24   # of GPT-3
    --hidden-size 2048 --num-attention-heads 16
    --seq-length 2048 --max-position-embeddings "2048"
)
TRAINING="--micro-batch-size 2 \
  --global-batch-size $((16 * PP * 2)) --bf16"
MODEL_ARGS+=( --vocab-size=50257 )
cat <<EOT > ds.json
{ "train_batch_size": 7 }
EOT
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes "$SLURM_NNODES" \
    pretrain_gpt.py "${MODEL_ARGS[@]}" ${TRAINING} --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size $PP --data-path $DATA_PATH
)");
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        const parallel::Strategy& s = answer->plan.strategy;
        QCOMPARE(s.tp, 4);
        QCOMPARE(s.pp, 2);
        QCOMPARE(s.dp, 4);
        QCOMPARE(answer->plan.training.globalBatch, 64);
        QCOMPARE(answer->unused, std::vector<std::string>{"--data-path $DATA_PATH"});
    }

    void contradictionsAreTold_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const std::string& text, const char* told) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(told);
        };
        row("sequence parallel", kGpt + "--sequence-parallel", "line 10, --sequence-parallel: found sequence");
        row("batch", "# WORLD_SIZE=24\n" + kGpt,
            "--global-batch-size: found a global batch of 64, expected a multiple");
        row("ranks", "# WORLD_SIZE=6\n" + kGpt + "--tensor-model-parallel-size 4",
            "found 6 ranks, expected a multiple");
        row("positions", kGpt + "--seq-length 4096", "line 10, --seq-length: found 4096 tokens, expected at most");
        row("no number", kGpt + "--tensor-model-parallel-size x", "line 10, --tensor-model-parallel-size: found \"x\"");
        row("no value", kGpt + "--context-parallel-size", "found no value, expected a whole number of at least 1");
        row("unset", kGpt + "--pipeline-model-parallel-size $PP", "found \"$PP\", expected a whole number");
        row("heads", kGpt + "--tensor-model-parallel-size 3", "found TP 3, expected a divisor of the 16 heads");
        row("stages", kGpt + "--pipeline-model-parallel-size 25", "found PP 25, expected at most the 24 layers");
        row("layout", kGpt + "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et|ttL",
            "found 3 layers in all, expected the 24 layers of the model");
        row("both", kGpt + "--fp16", "found both --bf16 and --fp16, expected one of them");
        row("quote", kGpt + "--data-path \"x", "line 10: found a \" that is not closed");
        row("shape", "--num-layers 2\n", "--hidden-size: found nothing, expected the shape of the model");
        row("no layers", kGpt + "--num-layers 999999999", "--num-layers: found 999999999, expected at most");
        row("claim", "MODEL_NAME=gpt-7b\n" + kGpt, "MODEL_NAME: found \"7b\", expected a size like the 1");
        row("DeepSpeed", R"({"train_batch_size": 7, "train_micro_batch_size_per_gpu": 2,
            "gradient_accumulation_steps": 2})",
            "train_batch_size: found 7, expected a multiple");
        row("JSON", "[model]\nname = \n[training]\n", "line 2");
        row("flavor", "[model]\nname = \"llama3\"\nflavor = \"9B\"\n[training]\n",
            "found \"llama3 9B\", expected one of");
    }
    void contradictionsAreTold()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, told);
        const std::string lines = outcome(text.toStdString());
        QVERIFY2(lines.find(told.toStdString()) != std::string::npos, lines.c_str());
    }

    void deepSpeedTakesTheRestFromAPlan()
    {
        const std::string text = R"({"train_batch_size": 2048, "train_micro_batch_size_per_gpu": 2,
            "gradient_accumulation_steps": 128, "zero_optimization": {"stage": 1,
            "offload_optimizer": {"device": "cpu"}}, "bf16": {"enabled": true}, "steps_per_print": 2000})";
        const plan::Plan base = launchtest::example("llama-70b-512-h100").plan;
        const auto answer = imported(text, {&base, nullptr, 0});
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        const parallel::Strategy& s = answer->plan.strategy;
        QCOMPARE(s.dp, 8);
        QCOMPARE(s.tp, base.strategy.tp);
        QVERIFY(s.offload == parallel::Offload::Optimizer && s.zeroStage == 1);
        QCOMPARE(acceleratorCount(answer->plan.cluster), rankCount(s));
        QVERIFY(answer->plan.model == base.model);
        QCOMPARE(answer->unused, std::vector<std::string>{"steps_per_print 2000"});
        const auto alone = imported(text);
        QVERIFY2(alone.has_value(), alone ? "" : toldOf(alone.error()).c_str());
        QCOMPARE(rankCount(alone->plan.strategy), 8);
        QVERIFY(!plan::hasErrors(plan::check(alone->plan)));
    }

    void torchTitanNamesItsModel()
    {
        const auto answer = imported("[model]\nname = \"llama3\"\nflavor = \"70B\"\n[training]\nlocal_batch_size = 6\n"
                                     "seq_len = 8192\nmixed_precision_reduce = \"bfloat16\"\nsteps = 1000\n"
                                     "[parallelism]\ndata_parallel_shard_degree = 8\n[activation_checkpoint]\n"
                                     "mode = \"full\"\n");
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        const plan::Plan& plan = answer->plan;
        QCOMPARE(plan.model.name, std::string("Llama 3.1 70B"));
        QCOMPARE(plan.training.globalBatch, 48);
        QVERIFY(plan.training.narrowReduction && plan.strategy.zeroStage == 3);
        QVERIFY(plan.strategy.recompute == parallel::Recompute::Full);
        QCOMPARE(answer->unused, std::vector<std::string>{"training.steps 1000"});
    }

    void exportedArgumentsComeBack()
    {
        std::vector<plan::Project> projects;
        for (const Example& example : examples())
            projects.push_back(launchtest::example(example.name));
        launchtest::DrawnPlans drawn(7);
        for (int i = 0; i < 150; ++i)
            projects.push_back(drawn.next());
        for (const plan::Project& project : projects) {
            plan::Plan plan = project.plan;
            if (plan.model.mamba2 || plan.model.parallelBlock || plan.model.embeddingNorm)
                continue;
            plan.training.globalBatch =
                std::max(1, plan.training.globalBatch / (plan.strategy.dp * plan.strategy.microBatch))
                * plan.strategy.dp * plan.strategy.microBatch;
            const std::string text =
                narration::launchText(launch::write(project, launch::Format::MegatronLm), project.plan);
            const auto back = imported(text);
            QVERIFY2(back.has_value(), back ? "" : (toldOf(back.error()) + text).c_str());
            if (back->plan.training.globalBatch == project.plan.training.globalBatch)
                plan.training.globalBatch = project.plan.training.globalBatch;
            QCOMPARE(expressedBy(back->plan), expressedBy(plan));
            compareRest(back->plan, plan);
            if (QTest::currentTestFailed())
                qWarning("%s", text.c_str());
        }
    }

    void exportedConfigurationsComeBack()
    {
        for (const Example& example : examples()) {
            const plan::Project project = launchtest::example(example.name);
            const auto back = imported(launch::write(project, launch::Format::DeepSpeed).body, {&project.plan, {}, 0});
            QVERIFY2(back.has_value(), back ? "" : (example.name + toldOf(back.error())).c_str());
            QCOMPARE(expressedBy(back->plan), expressedBy(project.plan));
            const launch::LaunchFile file = launch::write(project, launch::Format::TorchTitan);
            if (file.body.find("FILL_IN_MODEL") != std::string::npos)
                continue;
            const auto titan = imported(narration::launchText(file, project.plan));
            QVERIFY2(titan.has_value(), titan ? "" : (example.name + toldOf(titan.error())).c_str());
            QCOMPARE(rankCount(titan->plan.strategy), rankCount(project.plan.strategy));
            QCOMPARE(titan->plan.strategy.tp, project.plan.strategy.tp);
            QCOMPARE(titan->plan.strategy.pp, project.plan.strategy.pp);
            QCOMPARE(titan->plan.training.globalBatch, project.plan.training.globalBatch);
        }
    }

    void patternsOfLayers()
    {
        using namespace launchfile;
        QVERIFY(layerPattern("([0]*1+[1]*3)", 4) == std::vector<int>({0, 1, 1, 1}));
        QVERIFY(layerPattern("([0,1]*2)", 4) == std::vector<int>({0, 1, 0, 1}));
        QVERIFY(layerPattern("2", 4) == std::vector<int>({1, 0, 1, 0}));
        for (const char* text : {"", "[", "([0]*1", "[0]*999999999", "x", "[0]+", "[0]*1]", "((((", "[1"})
            QVERIFY2(!layerPattern(text, 4), text);
        QVERIFY(partsOfLayout("Ett|t*3|(t|)*2,L") == std::vector<int>({2, 3, 1, 1, 0}));
        for (const char* text : {"(", "t)", "x", "(t", "t*", "t*99999999", "(((("})
            QVERIFY2(!partsOfLayout(text), text);
    }

    void noTextIsTooStrange()
    {
        std::mt19937 random(3);
        const std::vector<std::string> pieces{"$", "{", "}", "(", ")", "\"", "'", "\\\n", "\n", "=", "A", "+=", "--tp ",
            "<<EOF", "#", "`", "$((", "))", "[@]", ":-", " ", kGpt, "x.py", "if", ";", "999999999999999999999"};
        for (int i = 0; i < 3000; ++i) {
            std::string text = i % 2 == 0 ? kGpt : std::string();
            for (unsigned n = random() % 12; n > 0; --n)
                text += pieces[random() % pieces.size()];
            const launchfile::Script read = launchfile::readScript(text, {});
            QVERIFY(read.arguments.size() < 1000);
        }
        std::string doubling = "A=xxxxxxxxxxxxxxxx\n";
        for (int i = 0; i < 64; ++i)
            doubling += "A=$A$A\n";
        QVERIFY(!imported(doubling + kGpt).has_value());
    }

private:
    static void compareRest(const plan::Plan& back, const plan::Plan& plan)
    {
        const parallel::Strategy& s = plan.strategy;
        if (plan.training.precision != model::Precision::Int8 && plan.training.precision != model::Precision::Tf32)
            QCOMPARE(back.training.precision, plan.training.precision);
        const bool plain = s.schedule == parallel::Schedule::OneFOneB || s.schedule == parallel::Schedule::Interleaved;
        if (plain)
            QCOMPARE(back.strategy.vpp, s.pp > 1 && s.schedule == parallel::Schedule::Interleaved ? s.vpp : 1);
        if (!mixesRecompute(s))
            QCOMPARE(back.strategy.recompute, s.recompute);
        if (effectiveZeroStage(plan) == s.zeroStage && s.zeroStage < 2 && s.offload != parallel::Offload::Optimizer)
            QCOMPARE(back.strategy.zeroStage, s.zeroStage);
        QCOMPARE(parallel::stageLayers(back.strategy, plan.model.layers).size(), std::size_t(s.pp));
    }
};

STRATOPLAN_TEST(TestLaunchImport)
#include "test_launch_import.moc"
