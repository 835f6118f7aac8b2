// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/node_kinds.h"
#include "core/parallel/route.h"
#include "core/plan/problem.h"
#include "core/plan/rules.h"
#include "core/plan/software_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace stratoplan::plan {

namespace {

constexpr double kMostParameters = 1e15;
constexpr int kMostPredictionModules = 100;

/// Its sizes, that the model has room for its layers, and what does not go with them: prediction modules, and dense
/// FFNs beside experts where FFNs are layers of their own.
void checkMamba(Problems& problems, const model::Transformer& m)
{
    const model::Mamba2& mamba = *m.mamba2;
    const std::pair<const char*, int> sizes[] = {{"layers", mamba.layers}, {"heads", mamba.heads},
        {"head_dim", mamba.headDim}, {"state_dim", mamba.stateDim}, {"groups", mamba.groups}, {"kernel", mamba.kernel},
        {"chunk", mamba.chunk}};
    for (const auto& [key, size] : sizes)
        requirePositive(problems, std::string("/model/mamba2/") + key, size);
    const auto outOfRange = [&](const char* where, double found, double limit) {
        report(problems, ProblemCode::OutOfRange, Severity::Error, where, found, limit);
    };
    const int ffns = mamba.ffnLayers.value_or(0);
    if (ffns < 0 || ffns > m.layers)
        outOfRange("/model/mamba2/ffn_layers", ffns, ffns < 0 ? 0 : m.layers);
    else if (mamba.layers > m.layers - ffns)
        outOfRange("/model/mamba2/layers", mamba.layers, m.layers - ffns);
    if (mamba.groups > 0 && mamba.heads % mamba.groups != 0)
        report(problems, ProblemCode::MambaNotDivisible, Severity::Error, "/model/mamba2/groups", mamba.heads,
            mamba.groups)
            .cause = ProblemCause::MambaGroups;
    if (m.multiTokenPredictionDepth > 0)
        outOfRange("/model/multi_token_prediction_depth", m.multiTokenPredictionDepth, 0);
    if (mamba.ffnLayers && m.moe && m.moe->leadingDenseLayers > 0)
        outOfRange("/model/moe/leading_dense_layers", m.moe->leadingDenseLayers, 0);
    if (mamba.ffnLayers && m.moe && m.moe->layerInterval > 1)
        outOfRange("/model/moe/layer_interval", m.moe->layerInterval, 1);
}

void checkModelSizes(Problems& problems, const model::Transformer& m)
{
    requirePositive(problems, "/model/layers", m.layers);
    requirePositive(problems, "/model/hidden", m.hidden);
    requirePositive(problems, "/model/heads", m.heads);
    requirePositive(problems, "/model/vocabulary", m.vocabulary);
    if (m.multiTokenPredictionDepth < 0 || m.multiTokenPredictionDepth > kMostPredictionModules)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/model/multi_token_prediction_depth",
            m.multiTokenPredictionDepth, m.multiTokenPredictionDepth < 0 ? 0 : kMostPredictionModules);
    if (!m.mla) {
        requirePositive(problems, "/model/kv_heads", m.kvHeads);
        requirePositive(problems, "/model/head_dim", m.headDim);
    }
    if (m.mamba2)
        checkMamba(problems, m);
    if (!m.mla && m.heads > 0 && m.kvHeads > m.heads)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/model/kv_heads", m.kvHeads, m.heads);
    if (layerModules(m).ffn.dense > 0)
        requirePositive(problems, "/model/ffn_hidden", m.ffnHidden);
    if (m.position == model::Position::Learned)
        requirePositive(problems, "/model/max_positions", m.maxPositions);
    if (m.standIn && m.standIn->layers > m.layers)
        report(
            problems, ProblemCode::OutOfRange, Severity::Error, "/model/stand_in/layers", m.standIn->layers, m.layers);
    if (m.dsa) {
        requirePositive(problems, "/model/dsa/index_heads", m.dsa->indexHeads);
        requirePositive(problems, "/model/dsa/index_head_dim", m.dsa->indexHeadDim);
        requirePositive(problems, "/model/dsa/top_k", m.dsa->topK);
    }
    if (!m.moe)
        return;
    requirePositive(problems, "/model/moe/experts", m.moe->experts);
    requirePositive(problems, "/model/moe/top_k", m.moe->topK);
    requirePositive(problems, "/model/moe/expert_ffn", m.moe->expertFfn);
    if (m.moe->experts > 0 && m.moe->topK > m.moe->experts)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/model/moe/top_k", m.moe->topK, m.moe->experts);
}

/// Larger models overflow the counts, and nobody has trained one.
void checkParameters(Problems& problems, const model::Transformer& m)
{
    const double h = m.hidden;
    const double matrices = m.gatedMlp ? 3 : 2;
    const double experts = m.moe ? matrices * h * m.moe->experts * m.moe->expertFfn : 0;
    const double mamba = m.mamba2 ? h * (3 * innerWidth(*m.mamba2) + convolvedWidth(*m.mamba2)) : 0;
    double attention = 2 * h * (m.heads + double(m.kvHeads)) * m.headDim;
    if (m.mla) {
        const double rank = m.mla->queryRank > 0 ? m.mla->queryRank : h;
        const double widths = double(m.mla->nopeHeadDim) + m.mla->ropeHeadDim + m.mla->valueHeadDim;
        attention = (h + m.heads * widths) * (rank + m.mla->kvRank + m.mla->ropeHeadDim) + h * m.heads * widths;
        if (m.dsa)
            attention += (rank + h) * (m.dsa->indexHeads + 1.0) * (m.dsa->indexHeadDim + 1.0);
    }
    const double layer = attention + matrices * h * m.ffnHidden + experts + mamba;
    const double count = (m.layers + double(m.multiTokenPredictionDepth)) * layer + 2.0 * m.vocabulary * h;
    if (count > kMostParameters)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/model", count, kMostParameters);
}

/// Constants that times are divided by.
void checkConstants(Problems& problems, const SoftwareProfile& software)
{
    const auto require = [&](std::string_view key, double value) {
        if (!(value > 0))
            report(problems, ProblemCode::NotPositive, Severity::Error, std::string("/training/software/").append(key),
                value);
    };
    for (const SoftwareField& field : softwareFields())
        if (field.positive)
            require(field.key, number(software, field));
    if (software.calibratedOn)
        require("calibrated_on/shift", software.calibratedOn->shift);
    if (software.rangeLow > software.rangeHigh)
        report(problems, ProblemCode::OutOfRange, Severity::Error, "/training/software/range_low", software.rangeLow,
            software.rangeHigh);
}

void checkStrategySizes(Problems& problems, const parallel::Strategy& s)
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
    if (s.zeroShards < 0)
        report(problems, ProblemCode::NotPositive, Severity::Error, "/strategy/zero_shards", s.zeroShards);
    unsigned named = 0; // one bit per axis
    for (const parallel::Axis axis : s.rankOrder)
        named |= 1U << static_cast<unsigned>(axis);
    const int axes = std::popcount(named);
    if (s.rankOrder.size() != 5 || axes != 5)
        report(problems, ProblemCode::RankOrderIncomplete, Severity::Error, "/strategy/rank_order", axes, 5);
}

void checkSizes(Problems& problems, const Plan& plan)
{
    checkModelSizes(problems, plan.model);
    checkParameters(problems, plan.model);
    checkClusterSizes(problems, plan.cluster);
    checkConstants(problems, plan.training.software);
    requirePositive(problems, "/training/global_batch", plan.training.globalBatch);
    requirePositive(problems, "/training/sequence_length", plan.training.sequenceLength);
    if (plan.training.documentLength)
        requirePositive(problems, "/training/document_length", *plan.training.documentLength);
    checkStrategySizes(problems, plan.strategy);
}

void checkRanks(Problems& problems, const Plan& plan)
{
    const double ranks = ranksOf(plan.strategy);
    const double accelerators = acceleratorCount(plan.cluster);
    if (ranks > accelerators)
        report(problems, ProblemCode::RanksExceedCluster, Severity::Error, "/strategy", ranks, accelerators);
    else if (ranks < accelerators)
        report(problems, ProblemCode::RanksLeaveIdle, Severity::Warning, "/strategy", ranks, accelerators);
}

void checkTensorDomain(Problems& problems, const Plan& plan)
{
    const int tp = plan.strategy.tp;
    if (tp <= smallestDomain(plan.cluster)) // the usual: a search checks plans by the million
        return;
    const cluster::Cluster used = nodesOfRanks(plan.cluster, ranksOf(plan.strategy));
    const int domain = smallestDomain(used), island = smallestIsland(used);
    if (tp <= domain)
        return;
    Problem& problem = report(problems, ProblemCode::TensorParallelLeavesNode, Severity::Warning, "/strategy/tp", tp,
        tp > island ? island : domain);
    if (island == domain)
        return;
    problem.cause = tp > island ? ProblemCause::LeavesNode : ProblemCause::LeavesDomain;
    if (tp <= island)
        problem.detail = topology(used).levels.at(1).name;
}

void checkTensorParallel(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const model::Transformer& m = plan.model;
    const bool columns = s.tensorPartition == parallel::TensorPartition::Megatron; // of heads, and of the FFN
    if (columns && m.heads % s.tp != 0)
        report(problems, ProblemCode::HeadsNotDivisible, Severity::Error, "/strategy/tp", m.heads, s.tp);
    else if (columns && !m.mla && m.kvHeads % s.tp != 0 && s.tp % m.kvHeads != 0)
        report(problems, ProblemCode::KvHeadsNotDivisible, Severity::Error, "/strategy/tp", m.kvHeads, s.tp);
    if (columns && layerCounts(m).dense > 0 && m.ffnHidden % s.tp != 0)
        report(problems, ProblemCode::FfnNotDivisible, Severity::Error, "/strategy/tp", m.ffnHidden, s.tp);
    if (layerCounts(m).moe > 0 && m.moe->expertFfn % s.etp != 0)
        report(problems, ProblemCode::FfnNotDivisible, Severity::Error, "/strategy/etp", m.moe->expertFfn, s.etp);
    if (m.mamba2 && m.mamba2->groups % s.tp != 0)
        report(problems, ProblemCode::MambaNotDivisible, Severity::Error, "/strategy/tp", m.mamba2->groups, s.tp);
    checkTensorDomain(problems, plan);
    if (s.sequenceParallel && s.tp == 1)
        report(
            problems, ProblemCode::SequenceParallelNeedsTp, Severity::Warning, "/strategy/sequence_parallel", s.tp, 2);
}

void checkSequence(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const int length = plan.training.sequenceLength;
    if (plan.model.position == model::Position::Learned && length > plan.model.maxPositions)
        report(problems, ProblemCode::SequenceTooLong, Severity::Error, "/training/sequence_length", length,
            plan.model.maxPositions);
    // Ulysses gives every rank whole heads, of those that Megatron's columns leave it.
    const bool columns = s.tensorPartition == parallel::TensorPartition::Megatron;
    const std::int64_t parts = std::int64_t{columns ? s.tp : 1} * s.cp;
    if (s.cp > 1 && s.contextMethod == parallel::ContextMethod::Ulysses && plan.model.heads % parts != 0)
        report(
            problems, ProblemCode::HeadsNotDivisible, Severity::Error, "/strategy/cp", plan.model.heads, double(parts));
    // Mamba-2 gives every rank whole heads too, whatever attention does.
    if (plan.model.mamba2 && s.cp > 1 && plan.model.mamba2->heads % (std::int64_t{s.tp} * s.cp) != 0)
        report(problems, ProblemCode::MambaNotDivisible, Severity::Error, "/strategy/cp", plan.model.mamba2->heads,
            double(s.tp) * s.cp)
            .cause = ProblemCause::MambaHeads;
    // Groups that are fewer than the context ranks are repeated, to whole ones for each.
    if (plan.model.mamba2 && s.cp > 1 && plan.model.mamba2->groups % s.tp == 0) {
        const int groups = plan.model.mamba2->groups / s.tp;
        if (groups < s.cp ? s.cp % groups != 0 : groups % s.cp != 0)
            report(problems, ProblemCode::MambaNotDivisible, Severity::Error, "/strategy/cp", groups, s.cp).cause =
                ProblemCause::MambaContext;
    }
    // Ring attention balances causal work by giving every rank one early and one late piece.
    if (s.cp > 1 && length % (2 * s.cp) != 0)
        report(problems, ProblemCode::SequenceNotDivisible, Severity::Error, "/strategy/cp", length, 2.0 * s.cp);
    else if (s.sequenceParallel && s.tp > 1 && columns && length / s.cp % s.tp != 0)
        report(problems, ProblemCode::SequenceNotDivisible, Severity::Error, "/strategy/sequence_parallel", length,
            double(s.tp) * s.cp);
}

/// Of a schedule that does not leave them to the strategy; else nothing.
std::optional<int> ownChunks(parallel::Schedule schedule)
{
    const int chunks = effectiveChunks(schedule, 3);
    return chunks == 3 ? std::nullopt : std::optional(chunks);
}

/// Rules of the two-way and the V-shaped variant of DualPipe.
void checkDualPipe(Problems& problems, const parallel::Strategy& s, int batches)
{
    if (s.schedule != parallel::Schedule::DualPipe && s.schedule != parallel::Schedule::DualPipeV)
        return;
    const std::string name(key(s.schedule));
    if (batches < 2 * s.pp)
        report(problems, ProblemCode::ScheduleNeedsMicroBatches, Severity::Error, "/strategy/schedule", batches,
            2.0 * s.pp, name);
    else if (!canSchedule(s.schedule, s.pp, 2, batches))
        report(problems, ProblemCode::ScheduleNeedsEven, Severity::Error, "/strategy/schedule",
            s.pp % 2 != 0 ? s.pp : batches, 2, name);
}

/// Whether a forward pass is soon followed by the backward pass of the same micro-batch, so that the loss can be worked
/// out between them. The interlaced pipeline is a 1F1B schedule of its own; DualPipe has both ends of the model on
/// every other stage already.
bool schedulesVocabulary(const parallel::Strategy& s)
{
    if (s.vocabularyPlacement == parallel::VocabularyPlacement::Ends || s.pp == 1
        || s.schedule == parallel::Schedule::OneFOneB)
        return true;
    constexpr std::array kOthers{parallel::Schedule::EagerOneFOneB, parallel::Schedule::ZbH1, parallel::Schedule::ZbH2,
        parallel::Schedule::ZbAuto, parallel::Schedule::ZbV, parallel::Schedule::VHalf, parallel::Schedule::VMin};
    return s.vocabularyPlacement != parallel::VocabularyPlacement::Interlaced
        && std::find(kOthers.begin(), kOthers.end(), s.schedule) != kOthers.end();
}

void checkStageLayers(Problems& problems, const Plan& plan)
{
    const std::vector<int>& layers = plan.strategy.stageLayers;
    if (layers.empty())
        return;
    const std::int64_t sum = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    const bool negative = std::any_of(layers.begin(), layers.end(), [](int n) { return n < 0; });
    if (sum != plan.model.layers || negative)
        report(problems, ProblemCode::StageLayersMismatch, Severity::Error, "/strategy/stage_layers", double(sum),
            plan.model.layers);
    else if (static_cast<int>(layers.size()) != plan.strategy.pp)
        report(problems, ProblemCode::StageLayersMismatch, Severity::Error, "/strategy/stage_layers",
            static_cast<double>(layers.size()), plan.strategy.pp)
            .cause = ProblemCause::Stages;
}

void checkPipelineSplit(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const int perStage = shape(s.schedule) == parallel::PipelineShape::Loop ? s.vpp
        : shape(s.schedule) == parallel::PipelineShape::V                   ? 2
                                                                            : 1;
    const double chunks = double(s.pp) * perStage;
    // The first and the last chunk may hold the embedding and the output projection alone (Llama 3: 126 layers in 128).
    const int most = plan.model.layers + (perStage > 1 ? 2 : 0);
    const char* where = s.vpp > 1 ? "/strategy/vpp" : "/strategy/pp";
    if (chunks > most)
        report(problems, ProblemCode::TooManyStages, Severity::Error, where, chunks, most);
    else if (s.stageLayers.empty() && plan.model.layers % (s.pp * perStage) != 0)
        report(problems, ProblemCode::LayersNotDivisible, Severity::Warning, where, plan.model.layers, chunks);
    checkStageLayers(problems, plan);
}

void checkSchedule(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.vpp > 1 && s.pp == 1)
        report(problems, ProblemCode::InterleavingNeedsPipeline, Severity::Error, "/strategy/vpp", s.vpp, 1);
    else if (const auto fixedChunks = ownChunks(s.schedule); s.vpp > 1 && fixedChunks && *fixedChunks != s.vpp)
        report(problems, ProblemCode::ScheduleWithoutChunks, Severity::Error, "/strategy/schedule", s.vpp, *fixedChunks,
            std::string(key(s.schedule)))
            .cause = *fixedChunks > 1 ? ProblemCause::ChunksOfItsOwn : ProblemCause::None;
    if (!schedulesVocabulary(s))
        report(problems, ProblemCode::VocabularyNotScheduled, Severity::Error, "/strategy/vocabulary_placement", s.pp,
            1, std::string(key(s.vocabularyPlacement)))
            .other = key(s.schedule);
    if (s.zeroStage >= 2 && s.pp > 1 && s.dp > 1)
        report(problems, ProblemCode::ZeroWithPipeline, Severity::Warning, "/strategy/zero_stage", s.zeroStage, 1)
            .cause = effectiveZeroStage(plan) == 1 ? ProblemCause::None : ProblemCause::EveryMicroBatch;
}

/// What schedules ask of their number, of that of every replica. The first that has not what they need is told of.
void checkMicroBatches(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    std::vector<int> counts = s.replicaMicroBatches;
    if (counts.empty())
        counts.push_back(microBatches(plan));
    const std::size_t before = problems.size();
    for (const int batches : counts) {
        if (batches > 0 && batches % microBatchUnit(s) != 0)
            report(
                problems, ProblemCode::InterleavingNeedsMultiple, Severity::Error, "/strategy/schedule", batches, s.pp);
        checkDualPipe(problems, s, batches);
        if (problems.size() > before)
            return;
    }
}

void checkShards(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (s.zeroShards <= 0 || s.zeroStage == 0)
        return;
    const std::int64_t replicas = std::int64_t{s.dp} * s.cp;
    const std::int64_t ofExperts = layerCounts(plan.model).moe > 0 ? replicas * s.tp / (std::int64_t{s.etp} * s.ep) : 0;
    for (const std::int64_t each : {replicas, ofExperts}) {
        // Replicas fewer than a group share everything out among themselves.
        if (each > s.zeroShards && each % s.zeroShards != 0) {
            report(problems, ProblemCode::ShardsNotDivisible, Severity::Error, "/strategy/zero_shards", double(each),
                s.zeroShards);
            return;
        }
    }
}

void checkBatch(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (microBatches(plan) != 0)
        return;
    const int unit = microBatchUnit(s);
    report(problems, ProblemCode::BatchNotDivisible, Severity::Error, "/strategy/micro_batch",
        plan.training.globalBatch, double(s.dp) * s.microBatch * unit)
        .cause = unit > 1 ? ProblemCause::InterleavedBatch : ProblemCause::None;
}

void checkExperts(Problems& problems, const Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    if (!plan.model.moe) {
        if (s.ep > 1)
            report(problems, ProblemCode::ExpertParallelWithoutExperts, Severity::Error, "/strategy/ep", s.ep, 1);
        return;
    }
    if (plan.model.moe->experts % s.ep != 0)
        report(
            problems, ProblemCode::ExpertsNotDivisible, Severity::Error, "/strategy/ep", plan.model.moe->experts, s.ep);
    if (s.tp % s.etp != 0) {
        if (plan.model.moe->expertFfn % s.etp == 0) // else the width's own rule has told
            report(problems, ProblemCode::ExpertGroupNotDivisible, Severity::Error, "/strategy/etp", s.tp, s.etp);
        return;
    }
    const long long ranks = static_cast<long long>(s.tp / s.etp) * s.dp * s.cp;
    if (ranks % s.ep != 0)
        report(problems, ProblemCode::ExpertGroupNotDivisible, Severity::Error, "/strategy/ep",
            static_cast<double>(ranks), s.ep);
}

/// What no implementation of sparse attention does (Megatron-Core's dsa.py, DeepSeek's model.py).
void checkSparseAttention(Problems& problems, const Plan& plan)
{
    if (!plan.model.dsa)
        return;
    const auto refuse = [&](bool is, ProblemCause cause, const char* where) {
        if (is)
            report(problems, ProblemCode::SparseAttentionUnsupported, Severity::Error, where, 0).cause = cause;
    };
    refuse(!plan.model.mla, ProblemCause::SparseWithoutLatent, "/model/dsa");
    refuse(plan.model.slidingWindow.has_value(), ProblemCause::SparseWithWindow, "/model/sliding_window");
    refuse(!isFlash(plan.training.attention), ProblemCause::SparseUnfused, "/training/attention");
    refuse(plan.strategy.cp > 1 && plan.strategy.contextMethod != parallel::ContextMethod::AllGather,
        ProblemCause::SparseContextMethod, "/strategy/context_method");
}

/// What the Transformer Engine's kernel trains (fused_attn.cpp, nvte_get_fused_attn_backend(); utils.py): head
/// dimensions of 128, on Blackwell smaller ones too, whole sequences and all of their keys.
void checkNarrowAttention(Problems& problems, const Plan& plan)
{
    if (plan.training.attention != AttentionKernel::FlashFp8)
        return;
    if (!hasNarrowAttention(plan.training)) {
        report(problems, ProblemCode::NarrowAttention, Severity::Warning, "/training/attention", 0);
        return;
    }
    const auto refuse = [&](bool is, ProblemCause cause, double found = 0, const std::string& detail = {}) {
        if (is)
            report(problems, ProblemCode::NarrowAttention, Severity::Error, "/training/attention", found, 0, detail)
                .cause = cause;
    };
    const model::Transformer& model = plan.model;
    refuse(model.mla.has_value(), ProblemCause::NarrowAttentionLatent);
    refuse(model.slidingWindow.has_value(), ProblemCause::NarrowAttentionWindow);
    refuse(attentionLength(plan.training) < plan.training.sequenceLength, ProblemCause::NarrowAttentionDocuments);
    std::set<std::string> judged;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        const cluster::Accelerator& a = group.accelerator;
        if (!takesPart(group) || a.peak[plan.training.precision] <= FlopsPerSecond{} // which is told of by itself
            || !judged.insert(a.name).second)
            continue;
        const bool fits = a.peak[model::Precision::Mxfp8] > FlopsPerSecond{}
            ? model.headDim <= 128 && model.headDim % 16 == 0
            : model.headDim == 128;
        refuse(!fits && !model.mla, ProblemCause::NarrowAttentionHeads, model.headDim);
        refuse(a.exponentials <= FlopsPerSecond{} || a.peak[model::Precision::Fp8] <= FlopsPerSecond{},
            ProblemCause::NarrowAttentionAccelerator, 0, a.name);
    }
}

/// Told of every plan that has them.
void checkStandIn(Problems& problems, const Plan& plan)
{
    if (plan.model.standIn)
        report(problems, ProblemCode::StandIn, Severity::Warning, "/model/stand_in", plan.model.standIn->layers,
            standInShare(plan.model, attentionLength(plan.training)).off, plan.model.standIn->kind);
}

/// Told of stages of a hybrid.
void checkMeanLayers(Problems& problems, const Plan& plan)
{
    const double attention = moduleShares(plan.model).attention;
    if (plan.model.mamba2 && plan.strategy.pp > 1 && attention > 0 && attention < 1)
        report(problems, ProblemCode::MeanLayers, Severity::Warning, "/strategy/pp", plan.strategy.pp);
}

void checkRecomputation(Problems& problems, const Plan& plan)
{
    if ((recomputeKinds(plan.strategy) >> unsigned(parallel::Recompute::Selective) & 1U) != 0
        && isFlash(plan.training.attention) && !plan.model.dsa // whose indexer keeps much
        && plan.training.software.selectiveRecompute == SelectiveRecompute::AttentionCore)
        report(problems, ProblemCode::RecomputeSavesNothing, Severity::Warning, "/strategy/recompute", 0);
}

/// What a degree can break, asked of every stage that has one of its own.
void checkStageDegrees(Problems& problems, const Plan& plan)
{
    std::set<int> known{plan.strategy.tp};
    Plan planOfStage = plan;
    for (int stage = 0; stage < int(plan.strategy.stageTp.size()); ++stage) {
        planOfStage.strategy = stageStrategy(plan.strategy, stage);
        if (!known.insert(planOfStage.strategy.tp).second)
            continue;
        Problems ofStage;
        checkTensorParallel(ofStage, planOfStage);
        checkBatch(ofStage, planOfStage);
        checkShards(ofStage, planOfStage);
        checkSequence(ofStage, planOfStage);
        checkExperts(ofStage, planOfStage);
        for (Problem& problem : ofStage) {
            problem.where = "/strategy/stage_tp";
            problem.stage = stage;
            problems.push_back(std::move(problem));
        }
    }
}

} // namespace

int microBatchUnit(const parallel::Strategy& s)
{
    return s.schedule == parallel::Schedule::Interleaved && s.vpp > 1 ? std::max(1, s.pp) : 1;
}

std::vector<Problem> brokenRules(const Plan& plan, KnownGaps& known)
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
    checkReplicas(problems, plan);
    checkShards(problems, plan);
    checkSchedule(problems, plan);
    checkMicroBatches(problems, plan);
    checkSequence(problems, plan);
    checkExperts(problems, plan);
    checkSparseAttention(problems, plan);
    checkNarrowAttention(problems, plan);
    if (checkStages(problems, plan))
        checkStageDegrees(problems, plan);
    checkPrecision(problems, plan);
    checkSoftware(problems, plan);
    checkElements(problems, plan, known);
    checkVendors(problems, plan.cluster);
    checkLinks(problems, plan.cluster);
    checkRecomputation(problems, plan);
    checkStandIn(problems, plan);
    checkMeanLayers(problems, plan);
    return problems;
}

std::vector<Problem> check(const Plan& plan, const CheckOptions& options)
{
    KnownGaps known;
    std::vector<Problem> problems = brokenRules(plan, known);
    std::stable_sort(
        problems.begin(), problems.end(), [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    if (!options.remedies)
        return problems;
    const std::vector<Problem> all = problems;
    eachToMend(problems, [&](Problem& problem) { problem.remedies = remediesFor(plan, problem, all, known); });
    return problems;
}

bool hasErrors(const std::vector<Problem>& problems)
{
    return std::any_of(
        problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::Error; });
}

void addBySeverity(std::vector<Problem>& problems, Problem problem)
{
    problems.insert(std::ranges::upper_bound(problems, problem.severity, {}, &Problem::severity), std::move(problem));
}

} // namespace stratoplan::plan
