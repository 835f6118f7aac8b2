// SPDX-License-Identifier: GPL-3.0-or-later
// Launch files as plans: what they say, what contradicts itself, and that what is exported comes back.
#include "core/exchange/launch_file.h"
#include "core/exchange/launch_reading.h"
#include "core/exchange/recognise.h"
#include "core/launch/launch.h"
#include "tests/core/launch/launch_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace stratoplan;
using namespace stratoplan::exchange;

namespace {

const std::string kGpt = "--num-layers 24\n--hidden-size 2048\n--num-attention-heads 16\n--seq-length 2048\n"
                         "--max-position-embeddings 2048\n--micro-batch-size 2\n--global-batch-size 64\n"
                         "--vocab-size 50257\n--bf16\n";

const std::string kTitan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\n"
                           "[parallelism]\n";

/// "a.a.a = 1"
std::string deepName(int parts)
{
    std::string text = "a";
    for (int i = 1; i < parts; ++i)
        text += ".a";
    return text + " = 1\n";
}

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

    void strangeSizesAreTold_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* name, const std::string& text, const char* told) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(told);
        };
        row("chunks",
            kGpt + "--pipeline-model-parallel-size 2\n--num-virtual-stages-per-pipeline-rank 1000000000\n"
                + "--recompute-granularity full\n--recompute-method block\n--recompute-num-layers 1\n",
            "found 1000000000 chunks, expected at most the 13 layers of a stage");
        row("empty stage",
            kGpt + "--pipeline-model-parallel-size 3\n--decoder-first-pipeline-num-layers 0\n"
                + "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split\n",
            "found a stage of -1 layers, expected a layer or more");
        row("letters", kGpt + "--hybrid-layer-pattern " + std::string(10'001, 'M'), "found 10001 letters");
        row("ranks without end", kGpt + "--context-parallel-size 1000000000", "found 1000000000 ranks, expected fewer");
        row("TOML ranks", kTitan + "context_parallel_degree = 536870912\ndata_parallel_replicate_degree = 1000000000\n",
            "ranks, expected fewer than 16777216");
        row("TOML shards", kTitan + "context_parallel_degree = 1000000\ndata_parallel_shard_degree = 1000000\n",
            "found 1000000000000 ranks, expected fewer than 16777216");
        row("deep TOML", kTitan + deepName(200'000), "line 7: found a name of too many parts, expected at most 64");
    }
    void strangeSizesAreTold() { contradictionsAreTold(); }

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

    void branchesThatAreKnownAreTaken()
    {
        const std::string script =
            "SIZE=7B\nif [ $SIZE = 1B ]; then TP=1\nelif [[ $SIZE == \"7B\" ]]; then\n  TP=2\n"
            "else\n TP=8; fi\ncase $SIZE in\n  1B) PP=1;;\n  7B|13B)\n PP=4 ;;\n *) PP=8;;\nesac\n"
            "if [ -z \"$NOTHING\" ]; then CP=1; fi\nif [ 8 -lt 4 ]; then TP=16; fi\n";
        const auto read = launchfile::readScript(script + "train.py --a $TP --b $PP", {});
        QCOMPARE(read.arguments.at(0).values, std::vector<std::string>{"2"});
        QCOMPARE(read.arguments.at(1).values, std::vector<std::string>{"4"});
        QVERIFY(read.branches.empty());
        // What only a running shell knows leaves all of them open: the last counts, and is told.
        const std::string open = "TP=1\nif [ $1 = a ]; then TP=2\nelse TP=4; fi\n" + std::string("pretrain.py ")
            + "--tensor-model-parallel-size $TP ";
        std::string flags = kGpt;
        std::replace(flags.begin(), flags.end(), '\n', ' ');
        const auto answer = imported(open + flags);
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        QCOMPARE(answer->plan.strategy.tp, 4);
        QVERIFY(toldOf(answer->warnings).find("line 3: found TP set anew inside a branch") != std::string::npos);
    }

    void commandsInStringsAreRead()
    {
        const auto read =
            launchfile::readScript("FREQ=\"'([0]*1+[1]*2)'\"\nOPTIONS=\" --moe-layer-freq $FREQ --bf16\"\n"
                                   "CMD=\"torchrun --nnodes 2 train.py $OPTIONS --x \\$(date) &> log.txt\"\n"
                                   "eval $CMD\n",
                {});
        QCOMPARE(read.arguments.size(), std::size_t(3));
        QCOMPARE(read.arguments.front().values, std::vector<std::string>{"([0]*1+[1]*2)"});
        QCOMPARE(read.launcher.front().values, std::vector<std::string>{"2"});
    }

    void namesOfKinAreRead()
    {
        const auto answer = imported(kGpt + "--num-experts 8\n--moe-router-topk 2\n--moe-layer-freq -1\n"
                + "--first-k-dense-replace 1\n--moe-intermediate-size 1024\n--n-shared-experts 2\n",
            {nullptr, nodeOfEight(), 1});
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        const model::Transformer& m = answer->plan.model;
        QCOMPARE(layerCounts(m).moe, 23);
        QVERIFY(m.moe->leadingDenseLayers == 1 && m.moe->expertFfn == 1024 && m.moe->sharedExperts == 2);
        QVERIFY(answer->unused.empty());
    }

    void theArgumentsBesideAConfigurationAreItsModel()
    {
        const std::string text = R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2,
            "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}})";
        LaunchOptions options;
        const std::string beside = "# WORLD_SIZE=16\n" + kGpt + "--zero-stage 1\n--no-pipeline-parallel\n";
        options.companion = beside;
        const auto answer = imported(text, options);
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        QCOMPARE(answer->plan.model.name, std::string("GPT-3 1.3B"));
        QVERIFY(answer->plan.strategy.zeroStage == 2 && answer->plan.training.globalBatch == 128);
        const std::string told = toldOf(answer->warnings);
        for (const char* line : {"train_batch_size: found 128, expected 64, as the arguments beside it have",
                 "zero_optimization.stage: found 2, expected 1, as the arguments beside it have"})
            QVERIFY2(told.find(line) != std::string::npos, told.c_str());
        const std::string broken = kGpt + "--data-path \"x";
        options.companion = broken;
        const auto refused = imported(text, options);
        QVERIFY(!refused && refused.error().front().file == "test.args");
    }

    void replicasThatAreLeftOpenAreAsManyAsAStepNeeds()
    {
        const std::string text = "[model]\nname = \"llama3\"\nflavor = \"70B\"\n[training]\nlocal_batch_size = 2\n"
                                 "seq_len = 8192\n[parallelism]\ntensor_parallel_degree = 8\n[activation_checkpoint]\n"
                                 "mode = \"full\"\n";
        const auto answer = imported(text);
        QVERIFY2(answer.has_value(), answer ? "" : toldOf(answer.error()).c_str());
        QVERIFY(answer->plan.strategy.dp > 1); // 70 B parameters do not fit a node
        QCOMPARE(answer->plan.training.globalBatch, 2 * answer->plan.strategy.dp);
        QCOMPARE(acceleratorCount(answer->plan.cluster), rankCount(answer->plan.strategy));
        const auto one = imported(text, {nullptr, nodeOfEight(), 3});
        QCOMPARE(one->plan.strategy.dp, 3);
    }

    void patternsOfLayers()
    {
        using namespace launchfile;
        QVERIFY(layerPattern("([0]*1+[1]*3)", 4) == std::vector<int>({0, 1, 1, 1}));
        QVERIFY(layerPattern("([0,1]*2)", 4) == std::vector<int>({0, 1, 0, 1}));
        QVERIFY(layerPattern("2", 4) == std::vector<int>({1, 0, 1, 0}));
        for (const char* text :
            {"", "[", "([0]*1", "[0]*999999999", "x", "[0]+", "[0]*1]", "((((", "[1", "[]*2147483647*2147483647"})
            QVERIFY2(!layerPattern(text, 4), text);
        QVERIFY(partsOfLayout("Ett|t*3|(t|)*2,L") == std::vector<int>({2, 3, 1, 1, 0}));
        for (const char* text : {"(", "t)", "x", "(t", "t*", "t*99999999", "((((", ",*2147483647"})
            QVERIFY2(!partsOfLayout(text), text);
    }

    void ranksAreThoseOfAllTasks()
    {
        const auto ranks = [](const std::string& script) {
            return launchfile::ranksOf(launchfile::readScript(script, {})).count.value_or(0);
        };
        QCOMPARE(ranks("#SBATCH --nodes=4\n#SBATCH --ntasks=4\n"
                       "srun torchrun --nnodes 4 --nproc_per_node 8 train.py --bf16\n"),
            32);
        QCOMPARE(ranks("#SBATCH --ntasks=32\n#SBATCH --gpus-per-node=8\nsrun python train.py --bf16\n"), 32);
        QCOMPARE(ranks("torchrun --nnodes $SLURM_JOB_NUM_NODES --nproc_per_node 8 train.py --bf16\n"), 0);
        QCOMPARE(ranks("torchrun --nproc_per_node 8 train.py --bf16\n"), 8);
    }

    void sumsAreWholeAsInAShell()
    {
        for (const auto& [sum, value] : {std::pair("1000/64*64", "960"), {"-7 / 2", "-3"}, {"2*(3+4)-1", "13"},
                 {"1/0", "$((1/0))"}, {"1.5*2", "$((1.5*2))"}, {"7 7", "$((7 7))"}}) {
            const auto read = launchfile::readScript("train.py --a $((" + std::string(sum) + "))\n", {});
            QCOMPARE(read.arguments.at(0).name, std::string("--a"));
            QCOMPARE(read.arguments.at(0).values, std::vector<std::string>{value});
        }
    }

    void longScriptsEnd()
    {
        std::string signs;
        for (int i = 0; i < 100'001; ++i)
            signs += "! ";
        const auto read = launchfile::readScript("A=1\nif " + signs + "[ 1 = 1 ]; then A=2; fi\ntrain.py --a $A\n", {});
        QCOMPARE(read.arguments.at(0).values, std::vector<std::string>{"1"});
        std::string names, levels;
        for (int i = 0; i <= 10'000; ++i) {
            names += 'A' + std::to_string(i) + "=1\n";
            levels += "if a\n";
        }
        for (const std::string& text : {names, levels})
            QVERIFY(toldOf(launchfile::readScript(text, {}).errors).find("found more than 10000") != std::string::npos);
    }

    void stringsOfTomlHaveNoParts()
    {
        const std::string points(100, '.');
        const auto read = launchfile::tomlStatements("a.b = \"" + points + "\\\"" + points + "\" # " + points
                + "\nc = \"\"\"\n" + points + "\"\"\"\"\nd = [1.5, 2.5,\n 3.5]\n",
            {});
        QVERIFY2(read.has_value(), read ? "" : toldOf(read.error()).c_str());
        QCOMPARE(read->size(), std::size_t(3));
        QVERIFY(launchfile::tomlStatements(deepName(64), {}).has_value());
        const auto inside = launchfile::tomlStatements("x = {y = \"\"\"z\"\"\"\", " + deepName(65) + "}", {});
        QVERIFY(!inside && toldOf(inside.error()).find("too many parts") != std::string::npos);
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
    }

    void damagedFilesAreToldOrRead()
    {
        std::mt19937 random(9);
        const plan::Project project = launchtest::example("deepseek-v3-2048-h800");
        for (const launch::Format format : {launch::Format::MegatronLm, launch::Format::Slurm,
                 launch::Format::DeepSpeed, launch::Format::TorchTitan}) {
            const std::string whole = launch::write(project, format).body;
            const LaunchKind kind = recogniseLaunch(whole).value();
            for (int i = 0; i < 120; ++i) {
                std::string text = i % 2 == 0 ? whole.substr(0, random() % whole.size()) : whole;
                for (unsigned n = random() % 4; n > 0 && !text.empty(); --n)
                    text[random() % text.size()] = char(random() % 256);
                const auto answer = importLaunch(text, kind, "test", "test", {}, catalog::shippedCatalog());
                for (const DocumentError& error : answer ? DocumentErrors() : answer.error())
                    QVERIFY2(!error.found.empty() && !error.expected.empty()
                            && (error.code == DocumentError::Code::Syntax || !error.pointer.empty()),
                        text.c_str());
            }
        }
    }

    void scriptsThatGrowWithoutEndAreRefused()
    {
        std::string doubling = "A=xxxxxxxxxxxxxxxx\n";
        for (int i = 0; i < 64; ++i)
            doubling += "A=$A$A\n";
        QVERIFY(!imported(doubling + kGpt).has_value());
    }
};

STRATOPLAN_TEST(TestLaunchImport)
#include "test_launch_import.moc"
