// SPDX-License-Identifier: Apache-2.0
// The cluster that a launch file asks for, and the replicas on it.
#include "core/cluster/cluster_edits.h"
#include "core/cluster/used_part.h"
#include "core/estimate/estimate.h"
#include "core/exchange/launch_reading.h"
#include "core/units/text.h"

#include <algorithm>
#include <charconv>

namespace stratoplan::exchange::launchfile {
namespace {

/// The value of the last launcher's option under a name that is a number: "8" of "gpu:8".
std::optional<int> launcherNumber(
    const Script& script, std::initializer_list<std::string_view> names, std::string* place = nullptr)
{
    for (const std::string_view name : names)
        for (auto it = script.launcher.rbegin(); it != script.launcher.rend(); ++it) {
            if (it->name != name || it->values.empty())
                continue;
            std::string_view text = it->values.front();
            text = text.substr(text.rfind(':') == std::string_view::npos ? 0 : text.rfind(':') + 1);
            int value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || end != text.data() + text.size() || value < 1)
                continue;
            if (place)
                *place = placeOf(*it);
            return value;
        }
    return std::nullopt;
}

std::optional<int> variableNumber(
    const Script& script, std::initializer_list<std::string_view> names, std::string* place = nullptr)
{
    for (const std::string_view name : names) {
        const auto it = script.variables.find(std::string(name));
        if (it == script.variables.end())
            continue;
        int value = 0;
        const std::string& text = it->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 1)
            continue;
        if (place)
            *place = it->first;
        return value;
    }
    return std::nullopt;
}

bool hasOption(const Script& script, std::initializer_list<std::string_view> names)
{
    return std::any_of(script.launcher.begin(), script.launcher.end(), [&](const Statement& statement) {
        return std::find(names.begin(), names.end(), statement.name) != names.end();
    });
}

constexpr int kMostRanks = 1 << 24;
constexpr std::int64_t kMostSequences = 1'000'000'000;

cluster::NodeGroup usualNode(const Reading& reading)
{
    const model::Precision precision = reading.plan.training.precision;
    const bool blocks = precision == model::Precision::Mxfp8 || precision == model::Precision::Nvfp4;
    const bool ascend = reading.plan.training.software.id == "mindspeed";
    const catalog::NodePreset* preset = reading.catalog.node(ascend ? "atlas-900-a2"
            : blocks                                                ? "dgx-b200"
                                                                    : "dgx-h100");
    if (!preset)
        preset = reading.catalog.node("dgx-h100");
    return preset ? preset->node : reading.catalog.nodes.front().node;
}

cluster::Cluster clusterOf(cluster::NodeGroup group, int nodes)
{
    group.count = nodes;
    group.id = "nodes";
    return {std::to_string(nodes) + " x " + group.name, {group}, {}, {}};
}

/// Nodes of a kind, as many as are asked for or as the ranks fill.
void buildCluster(Reading& reading, int ranks)
{
    const LaunchOptions& options = reading.options;
    plan::Plan& plan = reading.plan;
    const bool keepsNodes = options.base && !options.node;
    if (keepsNodes && options.nodes == 0 && (ranks == 0 || acceleratorCount(plan.cluster) == ranks))
        return reading.file.note("cluster", plan.cluster.name);
    if (keepsNodes && plan.cluster.nodes.size() == 1) {
        const int each = std::max(1, plan.cluster.nodes.front().acceleratorsPerNode);
        setNodeCount(plan.cluster, 0, options.nodes > 0 ? options.nodes : (ranks + each - 1) / each);
        return reading.file.note(
            "cluster", std::to_string(plan.cluster.nodes.front().count) + " x " + plan.cluster.nodes.front().name);
    }
    cluster::NodeGroup group = options.node         ? options.node->node
        : keepsNodes && !plan.cluster.nodes.empty() ? plan.cluster.nodes.front()
                                                    : usualNode(reading);
    const int each = std::max(1, group.acceleratorsPerNode);
    plan.cluster =
        clusterOf(std::move(group), options.nodes > 0 ? options.nodes : std::max(1, (ranks + each - 1) / each));
    if (!options.node || options.nodes == 0)
        reading.file.note("cluster", plan.cluster.name);
}

/// The replicas that ranks make; an error where they make no whole number.
void replicasOf(Reading& reading, int ranks)
{
    parallel::Strategy& s = reading.plan.strategy;
    const std::int64_t each = std::int64_t{s.tp} * s.cp * s.pp;
    if (ranks % each != 0 || ranks < each)
        return reading.file.fail(reading.ranks.place, std::to_string(ranks) + " ranks",
            "a multiple of TP " + std::to_string(s.tp) + " x CP " + std::to_string(s.cp) + " x PP "
                + std::to_string(s.pp) + " = " + std::to_string(each) + ", or --nodes with as many as there are");
    s.dp = int(ranks / each);
}

/// Of a step, where the file says those of a replica alone.
std::int64_t sequencesOfReplica(const Reading& reading)
{
    return std::max(reading.sequencesEach, reading.plan.strategy.microBatch);
}

bool dividesBatch(const Reading& reading, int dp)
{
    return !reading.statesBatch
        || reading.plan.training.globalBatch % (std::int64_t{dp} * reading.plan.strategy.microBatch) == 0;
}

bool exchangesExperts(const parallel::Strategy& s, int dp)
{
    return std::int64_t{s.tp} * s.cp * dp % (std::int64_t{s.etp} * s.ep) == 0;
}

/// The most replicas for which there is room and that divide the batch; all, where none do.
void fillCluster(Reading& reading)
{
    parallel::Strategy& s = reading.plan.strategy;
    const std::int64_t each = std::int64_t{s.tp} * s.cp * s.pp;
    const int most = int(std::max<std::int64_t>(1, joinedAccelerators(reading.plan.cluster) / each));
    s.dp = most;
    for (int dp = most; dp > 0; --dp)
        if (dividesBatch(reading, dp) && exchangesExperts(s, dp)) {
            s.dp = dp;
            break;
        }
    reading.file.note("dp", std::to_string(s.dp));
}

/// The fewest replicas that divide the batch, fill nodes and hold what a step needs.
void chooseReplicas(Reading& reading)
{
    constexpr int kMostTried = 12;
    plan::Plan& plan = reading.plan;
    parallel::Strategy& s = plan.strategy;
    const std::int64_t each = std::int64_t{s.tp} * s.cp * s.pp;
    cluster::NodeGroup group = reading.options.node ? reading.options.node->node : usualNode(reading);
    const int perNode = std::max(1, group.acceleratorsPerNode);
    const int most = reading.statesBatch ? std::max(1, plan.training.globalBatch / s.microBatch) : 1024;
    std::optional<int> chosen;
    int tried = 0;
    for (std::int64_t dp = 1; dp <= most && dp * each < kMostRanks && tried < kMostTried; ++dp) {
        if (!dividesBatch(reading, int(dp)) || !exchangesExperts(s, int(dp)) || dp * each % perNode != 0)
            continue;
        ++tried;
        s.dp = int(dp);
        plan.cluster = clusterOf(group, int(dp * each / perNode));
        if (!reading.statesBatch)
            plan.training.globalBatch = int(std::min<std::int64_t>(dp * sequencesOfReplica(reading), kMostSequences));
        const auto answer = estimate::estimate(plan, {.remedies = false, .catalog = &reading.catalog});
        chosen = answer && answer->fits ? int(dp) : chosen.value_or(int(dp));
        if (!answer || answer->fits)
            break;
    }
    s.dp = chosen.value_or(1);
    plan.cluster = clusterOf(group, int((s.dp * each + perNode - 1) / perNode));
    reading.file.note("dp", std::to_string(s.dp));
    reading.file.note("cluster", plan.cluster.name);
}

void settleBatch(Reading& reading)
{
    plan::Plan& plan = reading.plan;
    const parallel::Strategy& s = plan.strategy;
    const std::int64_t unit = std::int64_t{s.dp} * s.microBatch;
    if (!reading.statesBatch) {
        plan.training.globalBatch = int(std::min<std::int64_t>(s.dp * sequencesOfReplica(reading), kMostSequences));
        return reading.file.note("global-batch-size", std::to_string(plan.training.globalBatch));
    }
    if (plan.training.globalBatch % unit == 0)
        return;
    const Statement* const batch =
        reading.file.look({"--global-batch-size", "training.global_batch_size", "train_batch_size"});
    reading.file.fail(batch ? placeOf(*batch) : std::string("--global-batch-size"),
        "a global batch of " + std::to_string(plan.training.globalBatch),
        "a multiple of micro-batch " + std::to_string(s.microBatch) + " x DP " + std::to_string(s.dp) + " = "
            + std::to_string(unit));
}

} // namespace

Ranks ranksOf(const Script& script)
{
    Ranks ranks;
    ranks.place = "ranks";
    auto each = launcherNumber(script, {"--nproc-per-node"}, &ranks.place); // of each task of srun or mpirun
    if (!each)
        ranks.count = launcherNumber(script, {"-np", "--ntasks", "WORLD_SIZE"}, &ranks.place);
    if (ranks.count)
        return ranks;
    if (!each)
        each = launcherNumber(script, {"--num-gpus", "--gpus-per-node", "--gres"}, &ranks.place);
    if (!each)
        each = variableNumber(script, {"GPUS_PER_NODE", "NPROC_PER_NODE", "NPUS_PER_NODE", "NUM_GPUS"}, &ranks.place);
    if (!each)
        each = launcherNumber(script, {"--ntasks-per-node"}, &ranks.place);
    auto nodes = launcherNumber(script, {"--nnodes", "--num-nodes", "--nodes", "-N"}, &ranks.place);
    if (!nodes)
        nodes = variableNumber(script, {"NNODES", "NUM_NODES", "SLURM_NNODES"}, &ranks.place);
    const bool isOpen = !nodes && hasOption(script, {"--nnodes", "--num-nodes", "--nodes", "-N"});
    if (each && !isOpen && std::int64_t{*each} * nodes.value_or(1) < kMostRanks) {
        ranks.perNode = *each;
        ranks.count = *each * nodes.value_or(1);
    } else if (ranks.count = launcherNumber(script, {"WORLD_SIZE"}, &ranks.place); !ranks.count)
        ranks.count = variableNumber(script, {"WORLD_SIZE"}, &ranks.place);
    return ranks;
}

void beginPlan(Reading& reading, const char* software)
{
    constexpr int kUsualSequence = 4096;
    plan::Plan& plan = reading.plan;
    const std::string name = plan.name;
    if (reading.options.base) {
        plan = *reading.options.base;
        plan.strategy.replicaMicroBatches.clear();
        reading.file.note("software", plan.training.software.id);
        return;
    }
    const plan::SoftwareProfile* const profile = reading.catalog.softwareProfile(software);
    plan.training.software = profile ? *profile : reading.catalog.software.front();
    plan.training.sequenceLength = kUsualSequence;
    plan.training.fp32Gradients = plan.training.software.gradientsInFp32;
    plan.training.narrowReduction = plan.training.software.narrowReduction;
    plan.name = name;
    reading.file.note("software", plan.training.software.id);
}

void setStageLayers(Reading& reading, const std::vector<int>& parts, const Statement& statement, bool folded)
{
    parallel::Strategy& s = reading.plan.strategy;
    const int layers = reading.plan.model.layers;
    std::vector<int> stages(std::size_t(s.pp), 0);
    std::int64_t sum = 0;
    const auto stageOf = [&](std::size_t part) {
        const std::size_t at = part % stages.size();
        return folded && part / stages.size() % 2 == 1 ? stages.size() - 1 - at : at;
    };
    for (std::size_t part = 0; part < parts.size(); ++part) {
        stages[stageOf(part)] += parts[part];
        sum += parts[part];
    }
    if (sum != layers)
        return reading.file.fail(statement, std::to_string(sum) + " layers in all",
            "the " + std::to_string(layers) + " layers of the model");
    s.stageLayers.clear();
    if (parallel::stageLayers(s, layers) != stages)
        s.stageLayers = stages;
    const std::vector<int> perStage = parallel::stageLayers(s, layers);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::vector<int> chunks = chunkLayers(s, perStage, int(stageOf(part)));
        const std::size_t chunk = part / perStage.size();
        if (parts.size() == perStage.size() || chunk >= chunks.size() || chunks[chunk] == parts[part])
            continue;
        return reading.file.warn(
            statement, "chunks of a stage that are not as usual", "layers spread evenly over them, which is taken");
    }
}

bool hasRoom(Statements& file, double ranks)
{
    if (ranks < kMostRanks)
        return true;
    file.fail("ranks", fixedDecimals(ranks, 0) + " ranks", "fewer than " + std::to_string(kMostRanks));
    return false;
}

void settleCluster(Reading& reading)
{
    parallel::Strategy& s = reading.plan.strategy;
    if (!hasRoom(reading.file, double(s.tp) * s.cp * s.pp * (reading.statesDp ? s.dp : 1)))
        return;
    const std::int64_t each = std::int64_t{s.tp} * s.cp * s.pp;
    if (reading.statesDp)
        buildCluster(reading, int(each * s.dp));
    else if (reading.ranks.count) {
        replicasOf(reading, *reading.ranks.count);
        if (reading.file.errors().empty())
            buildCluster(reading, *reading.ranks.count);
    } else if (reading.options.base || reading.options.nodes > 0) {
        buildCluster(reading, 0);
        fillCluster(reading);
    } else
        chooseReplicas(reading);
    if (reading.file.errors().empty())
        settleBatch(reading);
}

} // namespace stratoplan::exchange::launchfile
