// SPDX-License-Identifier: GPL-3.0-or-later
// Every launch file of the shipped examples and of strategies drawn at random: each setting is one that the framework
// knows, of its type and choices (resources/launch), and what is written keeps the framework's rules of divisibility.
#include "core/launch/flag_table.h"
#include "core/narration/launches.h"
#include "tests/core/launch/launch_plans.h"
#include "tests/registry.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

using namespace stratoplan;
using namespace stratoplan::launch;

namespace {

/// Arguments as a shell would read the file: one to a line, comments left out.
std::map<std::string, std::string> argumentsOf(const std::string& text)
{
    std::map<std::string, std::string> arguments;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("--"))
            continue;
        const std::size_t end = std::min(line.find(' '), line.size());
        arguments[line.substr(0, end)] = end < line.size() ? line.substr(end + 1) : std::string();
    }
    return arguments;
}

class Arguments {
public:
    explicit Arguments(const std::string& text)
        : m_values(argumentsOf(text))
    {
    }
    bool has(const std::string& name) const { return m_values.contains("--" + name); }
    std::string text(const std::string& name) const { return has(name) ? m_values.at("--" + name) : std::string(); }
    int number(const std::string& name, int otherwise = 1) const
    {
        return has(name) ? std::stoi(text(name)) : otherwise;
    }

private:
    std::map<std::string, std::string> m_values;
};

int countOf(const std::string& text, char c)
{
    return int(std::count(text.begin(), text.end(), c));
}

/// What megatron/training/arguments.py asserts of degrees; empty if all holds.
std::string degreeFault(const Arguments& a, int world)
{
    const int tp = a.number("tensor-model-parallel-size"), pp = a.number("pipeline-model-parallel-size");
    const int cp = a.number("context-parallel-size"), ep = a.number("expert-model-parallel-size");
    if (world % (tp * pp * cp) != 0)
        return "world";
    const int dp = world / (tp * pp * cp);
    if (a.number("global-batch-size") % (a.number("micro-batch-size") * dp) != 0)
        return "batch";
    if (a.number("num-attention-heads") % tp != 0)
        return "heads";
    const int groups = a.number("num-query-groups", tp);
    if (groups % tp != 0 && tp % groups != 0)
        return "query groups";
    if (a.has("num-experts") ? a.number("num-experts") % ep != 0 : ep != 1)
        return "experts";
    if (a.has("sequence-parallel") && tp == 1)
        return "sequence parallel";
    if (cp > 1 && a.number("seq-length") % (2 * cp) != 0)
        return "sequence";
    return a.number("max-position-embeddings") < a.number("seq-length") ? "positions" : "";
}

/// Of stages: an explicit layout, chunks of as many layers, or stages of as many.
std::string pipelineFault(const Arguments& a)
{
    const int layers = a.number("num-layers"), pp = a.number("pipeline-model-parallel-size");
    const std::string layout = a.text("pipeline-model-parallel-layout");
    const int chunk = a.number("num-layers-per-virtual-pipeline-stage", 0);
    if (layout.empty()) {
        if (layers % pp != 0)
            return "layers";
        return chunk > 0 && (layers / pp % chunk != 0 || pp == 1) ? "chunks" : "";
    }
    if (chunk > 0 || (countOf(layout, '|') + 1) % pp != 0 || countOf(layout, 't') != layers)
        return "layout";
    const bool ends = layout.front() == 'E' && layout.back() == 'L' && countOf(layout, 'E') == 1;
    return ends && countOf(layout, 'm') == a.number("mtp-num-layers", 0) ? "" : "ends of the layout";
}

/// Of arguments that ask for or exclude one another.
std::string pairFault(const Arguments& a)
{
    const bool full = a.text("recompute-granularity") == "full";
    if (full != a.has("recompute-method") || full != a.has("recompute-num-layers"))
        return "recompute";
    if (a.has("overlap-param-gather") && !(a.has("overlap-grad-reduce") && a.has("use-distributed-optimizer")))
        return "overlap";
    if ((a.has("bf16") && a.has("fp16")) || (a.has("fp8-format") && a.has("fp4-format")))
        return "precision";
    if (a.has("optimizer-cpu-offload") && !a.has("use-precision-aware-optimizer"))
        return "offload";
    if (a.has("multi-latent-attention") && a.has("group-query-attention"))
        return "latent attention";
    if (a.has("moe-router-enable-expert-bias") && a.text("moe-router-score-function") != "sigmoid")
        return "expert bias";
    if (a.has("use-megatron-fsdp") && a.text("ckpt-format") != "fsdp_dtensor")
        return "checkpoint format";
    if (a.has("tp-comm-overlap") && !a.has("sequence-parallel"))
        return "overlap of TP";
    return a.has("grad-reduce-in-bf16") && a.has("accumulate-allreduce-grads-in-fp32") ? "gradients" : "";
}

/// The same of optimizers, and of numbers narrower than 16 bits.
std::string optimizerFault(const Arguments& a)
{
    const bool isShared = a.has("use-distributed-optimizer");
    const std::string optimizer = a.text("optimizer");
    if (a.has("use-precision-aware-optimizer") && (optimizer != "adam" || !isShared))
        return "narrow moments";
    if (a.has("use-megatron-fsdp") && optimizer != "adam" && optimizer != "sgd")
        return "sharded optimizer";
    if (a.has("fp8-param-gather") && !isShared)
        return "gathered FP8";
    if (a.has("fp8-param-gather") && a.has("optimizer-cpu-offload") && a.text("fp8-recipe") != "delayed")
        return "gathered FP8 of an optimizer on the host";
    const bool again = a.text("recompute-modules").find("layernorm") != std::string::npos;
    return again && a.text("fp8-recipe") == "delayed" ? "delayed scaling" : "";
}

/// The same of experts and latent attention.
std::string expertFault(const Arguments& a)
{
    const bool stages = a.number("pipeline-model-parallel-size") > 1;
    const bool chunks = a.has("num-layers-per-virtual-pipeline-stage") || a.has("pipeline-model-parallel-layout");
    if (a.has("overlap-moe-expert-parallel-comm")
        && (a.has("recompute-method") || a.has("moe-shared-expert-overlap") || (stages && !chunks)
            || a.number("mtp-num-layers", 0) > 1 || a.number("expert-model-parallel-size") == 1))
        return "overlap of experts";
    if (a.has("multi-latent-attention") && a.text("rope-type") == "rope" && !a.has("no-rope-fusion"))
        return "fused rotary embedding";
    return a.has("moe-flex-dispatcher-backend") && a.number("expert-model-parallel-size") == 1 ? "dispatcher" : "";
}

std::string megatronFault(const std::string& text, const plan::Plan& plan)
{
    if (text.find('$') != std::string::npos)
        return "a variable";
    const Arguments arguments(text);
    for (const std::string& fault : {degreeFault(arguments, rankCount(plan.strategy)), pipelineFault(arguments),
             pairFault(arguments), optimizerFault(arguments), expertFault(arguments)})
        if (!fault.empty())
            return fault;
    return {};
}

std::int64_t number(const LaunchFile& file, const char* name, std::int64_t otherwise = 1)
{
    return numberOf(file.settings, name, otherwise);
}

bool holds(const LaunchFile& file, const char* name)
{
    const Setting* setting = find(file.settings, name);
    return setting && setting->value == Value(true);
}

std::string deepSpeedFault(const LaunchFile& file, const plan::Plan& plan)
{
    const std::int64_t product =
        number(file, "train_micro_batch_size_per_gpu") * number(file, "gradient_accumulation_steps") * plan.strategy.dp;
    if (product != number(file, "train_batch_size"))
        return "train_batch_size";
    if (number(file, "pipeline.stages") > 1 && number(file, "zero_optimization.stage") > 1)
        return "ZeRO in a pipeline";
    return holds(file, "bf16.enabled") && holds(file, "fp16.enabled") ? "precision" : "";
}

std::string titanFault(const LaunchFile& file, const plan::Plan& plan)
{
    const std::int64_t data = number(file, "parallelism.data_parallel_replicate_degree")
        * number(file, "parallelism.data_parallel_shard_degree");
    const std::int64_t tp = number(file, "parallelism.tensor_parallel_degree");
    const std::int64_t pp = number(file, "parallelism.pipeline_parallel_degree");
    if (data * tp * pp * number(file, "parallelism.context_parallel_degree") != rankCount(plan.strategy))
        return "world";
    const std::int64_t local = number(file, "training.local_batch_size");
    if (number(file, "training.global_batch_size") % (local * data) != 0
        || local % number(file, "parallelism.pipeline_parallel_microbatch_size") != 0)
        return "batch";
    const std::int64_t expertTp = number(file, "parallelism.expert_tensor_parallel_degree");
    if (expertTp != 1 && expertTp != tp)
        return "expert TP";
    const Setting* parts = find(file.settings, "parallelism.module_fqns_per_model_part");
    if (!parts)
        return pp > 1 ? "no stages" : "";
    const auto& lists = std::get<std::vector<Words>>(parts->value);
    int layer = 0;
    for (const Words& words : lists)
        for (const std::string& word : words)
            if (word.starts_with("layers.") && word != "layers." + std::to_string(layer++))
                return "order of layers";
    return std::int64_t(lists.size()) % pp == 0 && layer == plan.model.layers ? "" : "stages";
}

std::string meshFault(const LaunchFile& file, const plan::Plan& plan, std::initializer_list<const char*> degrees)
{
    std::int64_t product = 1;
    for (const char* degree : degrees)
        product *= number(file, degree);
    return product == rankCount(plan.strategy) ? "" : "world";
}

std::string accelerateFault(const LaunchFile& file, const plan::Plan& plan)
{
    if (number(file, "num_processes") != rankCount(plan.strategy))
        return "processes";
    if (!find(file.settings, "fsdp_config.fsdp_version"))
        return {};
    return meshFault(file, plan,
        {"parallelism_config.parallelism_config_dp_replicate_size",
            "parallelism_config.parallelism_config_dp_shard_size", "parallelism_config.parallelism_config_tp_size",
            "parallelism_config.parallelism_config_cp_size"});
}

/// The number after a text; 0 if it is not there.
int numberAfter(const std::string& text, const std::string& before)
{
    const std::size_t at = text.find(before);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + before.size()));
}

std::string jobFault(const LaunchFile& file, const plan::Plan& plan)
{
    const bool isSlurm = file.format == Format::Slurm;
    const int each = numberAfter(file.body, isSlurm ? "--nproc-per-node " : "nprocPerNode: \"");
    const std::size_t worker = file.body.find("Worker:");
    const int workers = worker == std::string::npos ? 0 : numberAfter(file.body.substr(worker), "replicas: ");
    const int nodes = isSlurm ? numberAfter(file.body, "--nodes=") : 1 + workers;
    return nodes * each == rankCount(plan.strategy) ? "" : "nodes";
}

std::string ruleFault(const LaunchFile& file, const plan::Plan& plan)
{
    switch (file.format) {
    case Format::MegatronLm:
    case Format::MindSpeed:
        return megatronFault(file.body, plan);
    case Format::DeepSpeed:
        return deepSpeedFault(file, plan);
    case Format::TorchTitan:
        return titanFault(file, plan);
    case Format::Fsdp2:
        return meshFault(file, plan,
            {"init_device_mesh.pp", "init_device_mesh.replicate", "init_device_mesh.shard", "init_device_mesh.tp"});
    case Format::Accelerate:
        return accelerateFault(file, plan);
    case Format::Slurm:
    case Format::Kubernetes:
        return jobFault(file, plan);
    case Format::MegatronBridge:
        break;
    }
    return {};
}

QString faultOf(const plan::Project& project, Format format)
{
    const LaunchFile file = write(project, format);
    const QString name = QString::fromUtf8(key(format).data()) + ": ";
    for (const FlagFault& fault : faults(file.settings, shippedTable(file.table)))
        return name + QString::fromStdString(argumentText(fault.setting)) + ", " + QString::number(int(fault.code));
    for (const Companion& companion : file.companions)
        for (const FlagFault& fault : faults(companion.settings, shippedTable(companion.table)))
            return name + QString::fromStdString(argumentText(fault.setting)) + " of a companion";
    const std::string fault = ruleFault(file, project.plan);
    if (!fault.empty())
        return name + QString::fromStdString(fault);
    static const std::regex open("@[A-Z_]+@");
    if (std::regex_search(narration::launchText(file, project.plan), open))
        return name + "an open place";
    for (const Remark& remark : file.remarks)
        if (!narration::describe(remark, format).ends_with('.'))
            return name + "a remark without an end";
    return {};
}

} // namespace

class TestLaunchRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void examplesKeepTheRules_data()
    {
        QTest::addColumn<QString>("name");
        for (const exchange::Example& example : exchange::examples())
            QTest::newRow(example.name.c_str()) << QString::fromStdString(example.name);
    }
    void examplesKeepTheRules()
    {
        QFETCH(const QString, name);
        for (const Format format : kFormats)
            QCOMPARE(faultOf(launchtest::example(name.toStdString()), format), QString());
    }

    void drawnStrategiesKeepTheRules()
    {
        launchtest::DrawnPlans plans(7);
        for (int i = 0; i < 1500; ++i) {
            const plan::Project project = plans.next();
            for (const Format format : kFormats) {
                const QString fault = faultOf(project, format);
                QVERIFY2(fault.isEmpty(), qPrintable(QString::number(i) + ": " + fault));
            }
        }
    }

    void tablesHaveSources()
    {
        for (const char* name : {"megatron-lm", "megatron-bridge", "megatron-deepspeed", "deepspeed", "torchtitan",
                 "fsdp2", "accelerate", "mindspeed"}) {
            const FlagTable& table = shippedTable(name);
            QVERIFY2(!table.entries.empty() && !table.title.empty() && !table.source.empty(), name);
            for (const FlagEntry& entry : table.entries)
                QVERIFY2(!entry.source.empty() && !entry.name.empty(), entry.name.c_str());
        }
    }

    void whatATableLacksIsFound()
    {
        const FlagTable& table = shippedTable("megatron-lm");
        const auto codeOf = [&](Settings settings) { return faults(settings, table).at(0).code; };
        QCOMPARE(codeOf({{"--tensor-parallel", std::int64_t{8}}}), FlagFault::Code::Unknown);
        QCOMPARE(codeOf({{"--num-layers", std::string("many")}}), FlagFault::Code::Type);
        QCOMPARE(codeOf({{"--normalization", std::string("Norm")}}), FlagFault::Code::Choice);
        QCOMPARE(codeOf({{"--bf16", Flag{}}, {"--bf16", Flag{}}}), FlagFault::Code::Repeated);
        QVERIFY(faults({{"--recompute-modules", Words{"mlp", "core_attn"}}}, table).empty());
    }

    void aTextThatIsNoTableIsNone()
    {
        for (const char* text : {"", "[]", "{\"title\": \"a\"}",
                 R"({"title": "a", "source": "b", "entries": [{"name": "x", "type": "heap", "source": "c"}]})"})
            QVERIFY(!parseFlagTable(text));
    }
};

STRATOPLAN_TEST(TestLaunchRules)
#include "test_launch_rules.moc"
