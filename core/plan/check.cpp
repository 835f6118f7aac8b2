// SPDX-License-Identifier: Apache-2.0
#include "core/plan/problem.h"
#include "core/plan/rules.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace stratoplan {

namespace {

using Problems = std::vector<Problem>;

void report(
    Problems& problems, ProblemCode code, Severity severity, std::string where, double found, double limit = 0, std::string detail = {})
{
    problems.push_back({code, severity, std::move(where), found, limit, -1, std::move(detail), {}});
}

void requirePositive(Problems& problems, std::string_view where, double value)
{
    if (!(value > 0))
        report(problems, ProblemCode::NotPositive, Severity::Error, std::string(where), value);
}

void checkModelSizes(Problems& problems, const Transformer& m)
{
    requirePositive(problems, "/model/layers", m.layers);
    requirePositive(problems, "/model/hidden", m.hidden);
    requirePositive(problems, "/model/heads", m.heads);
    requirePositive(problems, "/model/vocabulary", m.vocabulary);
    if (!m.mla) {
        requirePositive(problems, "/model/kv_heads", m.kvHeads);
        requirePositive(problems, "/model/head_dim", m.headDim);
    }
    if (layerCounts(m).dense > 0)
        requirePositive(problems, "/model/ffn_hidden", m.ffnHidden);
    if (m.position == Position::Learned)
        requirePositive(problems, "/model/max_positions", m.maxPositions);
    if (!m.moe)
        return;
    requirePositive(problems, "/model/moe/experts", m.moe->experts);
    requirePositive(problems, "/model/moe/top_k", m.moe->topK);
    requirePositive(problems, "/model/moe/expert_ffn", m.moe->expertFfn);
    if (m.moe->experts > 0 && m.moe->topK > m.moe->experts)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/model/moe/top_k", m.moe->topK, m.moe->experts);
}

void checkClusterSizes(Problems& problems, const Cluster& cluster)
{
    const int accelerators = acceleratorCount(cluster);
    if (accelerators == 0)
        report(problems, ProblemCode::EmptyCluster, Severity::Error, "/cluster/nodes", 0);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const NodeGroup& group = cluster.nodes[i];
        // The path is put together only for a fault: a search checks plans by the million.
        const auto require = [&](const char* field, double value) {
            if (!(value > 0))
                report(problems, ProblemCode::NotPositive, Severity::Error, "/cluster/nodes/" + std::to_string(i) + field, value);
        };
        if (group.count <= 0 || group.acceleratorsPerNode <= 0)
            continue; // takes no part
        require("/accelerator/memory_gib", group.accelerator.memory.value());
        require("/accelerator/memory_bandwidth_gb_s", group.accelerator.memoryBandwidth.value());
        if (group.scaleUpDomain > 1)
            require("/scale_up/bandwidth_gb_s", group.scaleUp.bandwidth.value());
        if (accelerators > group.scaleUpDomain) {
            require("/nic/bandwidth_gb_s", group.nic.bandwidth.value());
            require("/nics_per_node", group.nicsPerNode);
        }
    }
}

void checkStrategySizes(Problems& problems, const Strategy& s)
{
    requirePositive(problems, "/strategy/tp", s.tp);
    requirePositive(problems, "/strategy/pp", s.pp);
    requirePositive(problems, "/strategy/dp", s.dp);
    requirePositive(problems, "/strategy/cp", s.cp);
    requirePositive(problems, "/strategy/ep", s.ep);
    requirePositive(problems, "/strategy/etp", s.etp);
    requirePositive(problems, "/strategy/vpp", s.vpp);
    requirePositive(problems, "/strategy/micro_batch", s.microBatch);
    if (s.zeroStage < 0 || s.zeroStage > 3)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/strategy/zero_stage", s.zeroStage, 3);
    unsigned named = 0; // one bit per axis
    for (const Axis axis : s.rankOrder)
        named |= 1U << static_cast<unsigned>(axis);
    const int axes = std::popcount(named);
    if (s.rankOrder.size() != 5 || axes != 5)
        report(problems, ProblemCode::RankOrderIncomplete, Severity::Error, "/strategy/rank_order", axes, 5);
}

void checkSizes(Problems& problems, const Plan& plan)
{
    checkModelSizes(problems, plan.model);
    checkClusterSizes(problems, plan.cluster);
    requirePositive(problems, "/training/global_batch", plan.training.globalBatch);
    requirePositive(problems, "/training/sequence_length", plan.training.sequenceLength);
    checkStrategySizes(problems, plan.strategy);
}

void checkRanks(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const double ranks = double(s.tp) * s.cp * s.pp * s.dp;
    const double accelerators = acceleratorCount(plan.cluster);
    if (ranks > accelerators)
        report(problems, ProblemCode::RanksExceedCluster, Severity::Error, "/strategy", ranks, accelerators);
    else if (ranks < accelerators)
        report(problems, ProblemCode::RanksLeaveIdle, Severity::Warning, "/strategy", ranks, accelerators);
}

void checkTensorParallel(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const Transformer& m = plan.model;
    if (m.heads % s.tp != 0)
        report(problems, ProblemCode::HeadsNotDivisible, Severity::Error, "/strategy/tp", m.heads, s.tp);
    else if (!m.mla && m.kvHeads % s.tp != 0 && s.tp % m.kvHeads != 0)
        report(problems, ProblemCode::KvHeadsNotDivisible, Severity::Error, "/strategy/tp", m.kvHeads, s.tp);
    if (layerCounts(m).dense > 0 && m.ffnHidden % s.tp != 0)
        report(problems, ProblemCode::FfnNotDivisible, Severity::Error, "/strategy/tp", m.ffnHidden, s.tp);
    if (layerCounts(m).moe > 0 && m.moe->expertFfn % s.etp != 0)
        report(problems, ProblemCode::FfnNotDivisible, Severity::Error, "/strategy/etp", m.moe->expertFfn, s.etp);
    const int domain = s.tp > 1 ? topology(plan.cluster).levels.front().size : 1;
    if (s.tp > domain)
        report(problems, ProblemCode::TensorParallelLeavesNode, Severity::Warning, "/strategy/tp", s.tp, domain);
    if (s.sequenceParallel && s.tp == 1)
        report(problems, ProblemCode::SequenceParallelNeedsTp, Severity::Warning, "/strategy/sequence_parallel", s.tp, 2);
}

void checkSequence(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const int length = plan.training.sequenceLength;
    // Ring attention balances causal work by giving every rank one early and one late piece.
    if (s.cp > 1 && length % (2 * s.cp) != 0)
        report(problems, ProblemCode::SequenceNotDivisible, Severity::Error, "/strategy/cp", length, 2.0 * s.cp);
    else if (s.sequenceParallel && s.tp > 1 && length / s.cp % s.tp != 0)
        report(problems, ProblemCode::SequenceNotDivisible, Severity::Error, "/strategy/sequence_parallel", length, double(s.tp) * s.cp);
}

bool schedulesOneChunk(Schedule schedule)
{
    return schedule == Schedule::GPipe || schedule == Schedule::OneFOneB;
}

void checkStageLayers(Problems& problems, const Plan& plan)
{
    const std::vector<int>& layers = plan.strategy.stageLayers;
    if (layers.empty())
        return;
    const int sum = std::accumulate(layers.begin(), layers.end(), 0);
    const bool negative = std::any_of(layers.begin(), layers.end(), [](int n) { return n < 0; });
    if (sum != plan.model.layers || negative)
        report(problems, ProblemCode::StageLayersMismatch, Severity::Error, "/strategy/stage_layers", sum, plan.model.layers, "layers");
    else if (static_cast<int>(layers.size()) != plan.strategy.pp)
        report(problems, ProblemCode::StageLayersMismatch, Severity::Error, "/strategy/stage_layers", static_cast<double>(layers.size()),
            plan.strategy.pp, "stages");
}

void checkPipelineSplit(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const double chunks = double(s.pp) * s.vpp;
    // The first and the last chunk may hold the embedding and the output projection alone (Llama 3: 126 layers in 128).
    const int most = plan.model.layers + (s.vpp > 1 ? 2 : 0);
    const char* where = s.vpp > 1 ? "/strategy/vpp" : "/strategy/pp";
    if (chunks > most)
        report(problems, ProblemCode::TooManyStages, Severity::Error, where, chunks, most);
    else if (s.stageLayers.empty() && plan.model.layers % (s.pp * s.vpp) != 0)
        report(problems, ProblemCode::LayersNotDivisible, Severity::Warning, where, plan.model.layers, chunks);
    checkStageLayers(problems, plan);
}

void checkSchedule(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    const int batches = microBatches(plan);
    if (s.vpp > 1 && s.pp == 1)
        report(problems, ProblemCode::InterleavingNeedsPipeline, Severity::Error, "/strategy/vpp", s.vpp, 1);
    else if (s.vpp > 1 && schedulesOneChunk(s.schedule))
        report(problems, ProblemCode::ScheduleWithoutChunks, Severity::Error, "/strategy/schedule", s.vpp, 1, std::string(key(s.schedule)));
    else if (s.schedule == Schedule::Interleaved && s.vpp > 1 && batches > 0 && batches % s.pp != 0)
        report(problems, ProblemCode::InterleavingNeedsMultiple, Severity::Error, "/strategy/schedule", batches, s.pp);
    if (s.zeroStage >= 2 && s.pp > 1 && s.dp > 1)
        report(problems, ProblemCode::ZeroWithPipeline, Severity::Warning, "/strategy/zero_stage", s.zeroStage, 1);
}

void checkBatch(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    if (microBatches(plan) == 0)
        report(problems, ProblemCode::BatchNotDivisible, Severity::Error, "/strategy/micro_batch", plan.training.globalBatch,
            double(s.dp) * s.microBatch);
}

void checkExperts(Problems& problems, const Plan& plan)
{
    const Strategy& s = plan.strategy;
    if (!plan.model.moe) {
        if (s.ep > 1)
            report(problems, ProblemCode::ExpertParallelWithoutExperts, Severity::Error, "/strategy/ep", s.ep, 1);
        return;
    }
    if (plan.model.moe->experts % s.ep != 0)
        report(problems, ProblemCode::ExpertsNotDivisible, Severity::Error, "/strategy/ep", plan.model.moe->experts, s.ep);
    if (s.tp % s.etp != 0) {
        if (plan.model.moe->expertFfn % s.etp == 0) // else the width's own rule has told
            report(problems, ProblemCode::ExpertGroupNotDivisible, Severity::Error, "/strategy/etp", s.tp, s.etp);
        return;
    }
    const long long ranks = static_cast<long long>(s.tp / s.etp) * s.dp * s.cp;
    if (ranks % s.ep != 0)
        report(problems, ProblemCode::ExpertGroupNotDivisible, Severity::Error, "/strategy/ep", static_cast<double>(ranks), s.ep);
}

void checkPrecision(Problems& problems, const Plan& plan)
{
    std::set<std::string> reported;
    for (const NodeGroup& group : plan.cluster.nodes) {
        const Accelerator& accelerator = group.accelerator;
        if (group.count <= 0 || group.acceleratorsPerNode <= 0 || accelerator.peak[plan.training.precision] > FlopsPerSecond{})
            continue;
        if (reported.insert(accelerator.name).second)
            report(problems, ProblemCode::PrecisionUnsupported, Severity::Error, "/training/precision", 0, 0,
                accelerator.name + " / " + std::string(key(plan.training.precision)));
    }
}

/// Ids of the elements that cables reach from the first node group.
std::set<std::string> reachedElements(const Cluster& cluster)
{
    std::set<std::string> reached;
    if (!cluster.nodes.empty())
        reached.insert(cluster.nodes.front().id);
    for (std::size_t before = 0; before != reached.size();) {
        before = reached.size();
        for (const Connection& c : cluster.connections) {
            if (reached.contains(c.from) || reached.contains(c.to)) {
                reached.insert(c.from);
                reached.insert(c.to);
            }
        }
    }
    return reached;
}

template <class Elements>
void reportUnlinked(
    Problems& problems, const Elements& elements, const std::set<std::string>& reached, const Cluster& cluster, const char* list)
{
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto& element = elements[i];
        const bool linked = std::any_of(cluster.connections.begin(), cluster.connections.end(),
            [&](const Connection& c) { return c.from == element.id || c.to == element.id; });
        if (!linked || !reached.contains(element.id))
            report(problems, ProblemCode::Disconnected, Severity::Warning, std::string("/cluster/") + list + "/" + std::to_string(i), 0, 0,
                element.name.empty() ? element.id : element.name);
    }
}

void checkConnections(Problems& problems, const Cluster& cluster)
{
    if (cluster.switches.empty() && cluster.connections.empty())
        return; // nothing drawn: a non-blocking fabric
    const std::set<std::string> reached = reachedElements(cluster);
    reportUnlinked(problems, cluster.nodes, reached, cluster, "nodes");
    reportUnlinked(problems, cluster.switches, reached, cluster, "switches");
}

} // namespace

std::vector<Problem> brokenRules(const Plan& plan)
{
    Problems problems;
    checkSizes(problems, plan);
    // The other rules divide by these sizes.
    if (hasErrors(problems))
        return problems;
    checkRanks(problems, plan);
    checkTensorParallel(problems, plan);
    checkPipelineSplit(problems, plan);
    checkBatch(problems, plan);
    checkSchedule(problems, plan);
    checkSequence(problems, plan);
    checkExperts(problems, plan);
    checkPrecision(problems, plan);
    checkConnections(problems, plan.cluster);
    return problems;
}

std::vector<Problem> check(const Plan& plan, const CheckOptions& options)
{
    std::vector<Problem> problems = brokenRules(plan);
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    if (!options.remedies)
        return problems;
    const std::vector<Problem> all = problems;
    for (Problem& problem : problems)
        problem.remedies = remediesFor(plan, problem, all);
    return problems;
}

bool hasErrors(const std::vector<Problem>& problems)
{
    return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::Error; });
}

} // namespace stratoplan
