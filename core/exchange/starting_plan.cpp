// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/starting_plan.h"

#include "core/cluster/used_part.h"
#include "core/cost/memory.h"
#include "core/estimate/estimate.h"
#include "core/search/recheck.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace stratoplan::exchange {
namespace {

/// A software profile and the framework whose rules its plans keep.
struct Stack {
    const char* software;
    plan::TargetFramework framework;
};

/// The ones fitted to runs of such models on H100: torchtitan has none of experts, of the profiles of Megatron-Core
/// with experts the others are fitted to Blackwell. Hybrids of Mamba-2 are published with Megatron-Core.
Stack stackOf(const model::Transformer& model)
{
    if (model.moe)
        return {"megatron-core-2024-moe", plan::TargetFramework::MegatronCore};
    if (model.mamba2)
        return {"megatron-core-2024", plan::TargetFramework::MegatronCore};
    return {"torchtitan", plan::TargetFramework::TorchTitan};
}

/// The best that the search finds is taken; nothing where it finds none. It is bounded by what it has priced and not by
/// a clock, so that it ends alike everywhere: rounds do not depend on threads, and it is stopped between two of them.
void takeBest(plan::Plan& plan, plan::TargetFramework framework, const catalog::Catalog& catalog)
{
    constexpr std::int64_t kMostEvaluated = 1'000; // enough for the largest published models
    constexpr int kMostRounds = 300;
    plan::SearchSpace space = plan::defaultSpace();
    space.framework = framework;
    search::SearchOptions options;
    options.keep = search::FrontKind::Best;
    options.catalog = &catalog;
    std::stop_source stop;
    int rounds = 0;
    const search::SearchResult found =
        search::search(plan, space, options, stop.get_token(), [&](const search::SearchProgress& progress) {
            if (progress.evaluated >= kMostEvaluated || ++rounds >= kMostRounds)
                stop.request_stop();
        });
    if (!found.best)
        return;
    const search::Recheck simulated = search::recheck(plan, space, options, found);
    plan.strategy = simulated.best ? simulated.best->found.strategy : found.best->strategy;
}

void spread(plan::Plan& plan, cluster::NodeGroup group, int nodes)
{
    group.count = nodes;
    plan.cluster = {std::to_string(nodes) + " " + group.name, {group}, {}, {}};
    plan.training.globalBatch = plan.strategy.dp = acceleratorCount(plan.cluster);
}

/// What every model can be trained with, on whatever cluster: FSDP with all recomputed.
plan::Plan simplestPlan(const model::Transformer& model, int longestSequence, const plan::SoftwareProfile& software,
    int acceleratorsPerNode)
{
    constexpr int kUsualSequence = 4096;
    plan::Plan plan;
    plan.name = model.name;
    plan.model = model;
    plan::Training& training = plan.training;
    training.software = software;
    training.sequenceLength = longestSequence > 0 ? std::min(longestSequence, kUsualSequence) : kUsualSequence;
    training.fp32Gradients = software.gradientsInFp32;
    training.narrowReduction = software.narrowReduction;
    training.narrowGather = software.narrowParameterGather;
    if (model.dsa) // keys are picked from all of the sequence
        plan.strategy.contextMethod = parallel::ContextMethod::AllGather;
    plan.strategy.zeroStage = 3;
    plan.strategy.recompute = parallel::Recompute::Full;
    if (model.moe && model.moe->experts % acceleratorsPerNode == 0)
        plan.strategy.ep = acceleratorsPerNode;
    return plan;
}

/// What a cluster that came alone is tried with, the largest first.
constexpr std::array kModels{"llama3-405b", "llama3-70b", "llama3-8b", "llama3-3b", "llama3-1b", "gpt2-small"};

/// The first of the catalogue that runs on all accelerators, of those for models without experts the usual one before.
const plan::SoftwareProfile& softwareFor(const cluster::Cluster& cluster, const catalog::Catalog& catalog)
{
    const plan::SoftwareProfile* usual = catalog.softwareProfile(stackOf({}).software);
    if (usual && runsOnAll(*usual, cluster))
        return *usual;
    const auto runs = std::ranges::find_if(
        catalog.software, [&](const plan::SoftwareProfile& software) { return runsOnAll(software, cluster); });
    return runs == catalog.software.end() ? catalog.software.front() : *runs;
}

plan::Plan planOnCluster(
    const catalog::ModelPreset& preset, const cluster::Cluster& cluster, const catalog::Catalog& catalog)
{
    plan::Plan plan = simplestPlan(preset.model, preset.sequenceLength, softwareFor(cluster, catalog), 1);
    plan.name = preset.model.name;
    plan.cluster = cluster;
    plan.training.globalBatch = plan.strategy.dp = joinedAccelerators(cluster);
    const bool bf16 = std::ranges::all_of(cluster.nodes, [](const cluster::NodeGroup& group) {
        return !takesPart(group) || group.accelerator.peak[model::Precision::Bf16] > FlopsPerSecond{};
    });
    if (!bf16)
        plan.training.precision = model::Precision::Fp16;
    return plan;
}

/// Whether all accelerators together hold the states twice.
bool holdsStates(const plan::Plan& plan)
{
    const double states =
        cost::stateBytes(0, 1, plan.training.fp32Gradients).total() * double(parameters(plan.model).total);
    return 2 * states <= smallestMemory(plan.cluster).value() * plan.strategy.dp;
}

} // namespace

tl::expected<plan::Plan, std::vector<plan::Problem>> startingPlan(
    const model::Transformer& model, int longestSequence, const catalog::Catalog& catalog)
{
    const catalog::NodePreset* preset = catalog.node("dgx-h100");
    cluster::NodeGroup group = preset ? preset->node : catalog.nodes.front().node;
    group.id = "nodes";
    const Stack stack = stackOf(model);
    const plan::SoftwareProfile* software = catalog.softwareProfile(stack.software);
    plan::Plan plan = simplestPlan(
        model, longestSequence, software ? *software : catalog.software.front(), group.acceleratorsPerNode);
    spread(plan, group, 1);
    // Before anything is counted: a model beyond all measure has no exact count.
    if (std::vector<plan::Problem> problems = check(plan, {.remedies = false}); hasErrors(problems))
        return tl::unexpected(std::move(problems));
    constexpr int kMostNodes = 4096; // beyond them even an idle rank has nothing to shard
    const double states = cost::stateBytes(0, 1, plan.training.fp32Gradients).total() * double(parameters(model).total);
    const double needed = 2 * states / (group.accelerator.memory.value() * group.acceleratorsPerNode);
    for (int nodes = int(std::bit_ceil(unsigned(std::ceil(std::clamp(needed, 1.0, double(kMostNodes))))));;
         nodes *= 2) {
        spread(plan, group, nodes);
        const auto answer = estimate::estimate(plan, {.remedies = false, .catalog = &catalog});
        if (!answer) // nothing that a search may be asked of
            return plan;
        if (!answer->fits && nodes < kMostNodes)
            continue;
        takeBest(plan, stack.framework, catalog);
        return plan;
    }
}

tl::expected<plan::Plan, std::vector<plan::Problem>> startingPlan(
    const cluster::Cluster& cluster, const catalog::Catalog& catalog)
{
    std::optional<plan::Plan> plan;
    for (const char* const id : kModels) {
        const catalog::ModelPreset* preset = catalog.model(id);
        if (!preset)
            continue;
        plan = planOnCluster(*preset, cluster, catalog);
        if (std::vector<plan::Problem> problems = check(*plan, {.remedies = false}); hasErrors(problems))
            return tl::unexpected(std::move(problems));
        if (!holdsStates(*plan))
            continue;
        const auto answer = estimate::estimate(*plan, {.remedies = false, .catalog = &catalog});
        if (!answer) // nothing that a search may be asked of
            return *plan;
        if (!answer->fits)
            continue;
        const bool usual = plan->training.software.id == stackOf(plan->model).software;
        takeBest(*plan, usual ? stackOf(plan->model).framework : plan::TargetFramework::Any, catalog);
        return *plan;
    }
    return plan ? *plan : planOnCluster(catalog.models.front(), cluster, catalog);
}

plan::Plan onCluster(plan::Plan plan, const cluster::Cluster& cluster)
{
    plan.cluster = cluster;
    parallel::Strategy& s = plan.strategy;
    const double replica = double(s.tp) * s.cp * s.pp;
    const int before = s.dp;
    for (s.dp = int(joinedAccelerators(cluster) / std::max(replica, 1.0)); s.dp > 0; --s.dp)
        if (microBatches(plan) > 0 && !hasErrors(check(plan, {.remedies = false})))
            return plan;
    s.dp = before;
    return plan;
}

} // namespace stratoplan::exchange
