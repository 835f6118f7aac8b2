// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch file is to give back of a plan, fact by fact, and which remark of an export says that it does not.
#pragma once

#include "core/launch/launch.h"
#include "core/parallel/rank_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace stratoplan::launchtest {

using Facts = std::map<std::string, std::string>;

inline std::string wordsOf(const std::vector<int>& numbers)
{
    std::string text;
    for (const int number : numbers)
        text += std::to_string(number) + ' ';
    return text;
}

/// Stage by stage, as what is recomputed and not how it is written.
inline std::string recomputeOf(const plan::Plan& plan)
{
    std::string text;
    const std::vector<int> layers = parallel::stageLayers(plan.strategy, plan.model.layers);
    for (int stage = 0; stage < plan.strategy.pp; ++stage) {
        const parallel::StageRecompute own = parallel::stageRecompute(plan.strategy, stage);
        const int all = layers[std::size_t(stage)];
        const bool isFull = own.others == parallel::Recompute::Full || (own.full >= all && all > 0);
        text += isFull ? "full " : std::string(key(own.others)) + ' ' + std::to_string(own.full) + ' ';
    }
    return text;
}

inline void addModel(Facts& facts, const model::Transformer& m)
{
    const model::ParameterCount count = parameters(m);
    const model::LayerCounts layers = layerCounts(m);
    facts["parameters"] = std::to_string(count.total) + ' ' + std::to_string(count.active);
    facts["layers"] = wordsOf({m.layers, layers.moe});
    facts["shape"] = wordsOf({m.hidden, m.heads, m.mla ? 0 : m.kvHeads, m.mla ? 0 : m.headDim, m.vocabulary,
        layers.dense > 0 ? m.ffnHidden : 0, m.gatedMlp, m.tiedEmbeddings, m.linearBias, m.qkvBias && !m.linearBias,
        m.qkNorm && !m.mla, int(m.norm)});
    facts["position"] = wordsOf({int(m.position)});
    facts["blocks"] = wordsOf({m.parallelBlock, m.embeddingNorm});
    facts["window"] =
        wordsOf({m.slidingWindow.value_or(0), m.slidingWindow ? m.slidingWindowInterval : 1, m.standIn.has_value()});
    facts["prediction"] = wordsOf({m.multiTokenPredictionDepth});
    facts["latent"] = m.mla
        ? wordsOf({m.mla->queryRank, m.mla->kvRank, m.mla->nopeHeadDim, m.mla->ropeHeadDim, m.mla->valueHeadDim})
        : std::string();
    facts["sparse"] = m.dsa ? wordsOf({m.dsa->indexHeads, m.dsa->indexHeadDim, m.dsa->topK}) : std::string();
    facts["experts"] = layers.moe > 0
        ? wordsOf({m.moe->experts, m.moe->topK, m.moe->expertFfn, m.moe->sharedExperts > 0, m.moe->routerBias})
        : std::string();
}

inline void addPipeline(Facts& facts, const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool pipelined = s.pp > 1;
    const bool chunks = s.schedule == parallel::Schedule::Interleaved || s.schedule == parallel::Schedule::BreadthFirst;
    const bool plain = s.schedule == parallel::Schedule::Interleaved && s.vpp == 1; // of one chunk it is 1F1B
    const std::string schedule(key(plain ? parallel::Schedule::OneFOneB : s.schedule));
    facts["schedule"] = pipelined ? schedule + ' ' + std::to_string(chunks ? s.vpp : 1) : std::string();
    facts["stages"] = wordsOf(parallel::stageLayers(s, plan.model.layers));
    facts["timing pass"] = pipelined && s.timingPass ? "yes" : "";
    facts["vocabulary"] = pipelined ? std::string(key(s.vocabularyPlacement)) : std::string();
    facts["stage TP"] = wordsOf(s.stageTp);
    const bool uneven = std::any_of(s.replicaMicroBatches.begin(), s.replicaMicroBatches.end(),
        [&](int n) { return n != s.replicaMicroBatches.front(); });
    facts["replicas"] = uneven ? wordsOf(s.replicaMicroBatches) : std::string();
}

inline Facts factsOf(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const bool experts = layerCounts(plan.model).moe > 0;
    const int copies = s.dp * s.cp, stage = copies > 1 ? s.zeroStage : 0;
    Facts facts;
    facts["degrees"] = wordsOf({s.tp, s.pp, s.cp, s.dp, experts ? s.ep : 1});
    facts["expert TP"] = wordsOf({experts ? s.etp : 1});
    facts["batch"] = wordsOf({s.microBatch, plan.training.globalBatch});
    facts["sequence"] = wordsOf({plan.training.sequenceLength});
    facts["context"] = s.cp > 1 ? std::string(key(s.contextMethod)) : std::string();
    facts["ZeRO"] = std::to_string(stage);
    facts["shards"] = std::to_string(stage > 0 && s.zeroShards > 0 ? std::min(s.zeroShards, copies) : copies);
    facts["sequence parallel"] = s.tp > 1 && s.sequenceParallel ? "yes" : "";
    facts["recompute"] = recomputeOf(plan);
    facts["offload"] = key(s.offload);
    facts["partition"] = key(s.tensorPartition);
    facts["order"] = wordsOf(parallel::orderSeen(s.rankOrder, parallel::axesInUse(s)));
    facts["precision"] = key(plan.training.precision);
    facts["optimizer"] = key(plan.training.optimizer);
    facts["attention"] = isFlash(plan.training.attention) ? "fused" : "unfused";
    addPipeline(facts, plan);
    addModel(facts, plan.model);
    return facts;
}

/// Arguments of Megatron-LM that others have no name for, by the fact that they are about.
inline const std::multimap<std::string, std::string>& argumentsOfFacts()
{
    static const std::multimap<std::string, std::string> arguments{{"sequence parallel", "--sequence-parallel"},
        {"context", "--cp-comm-type"}, {"context", "--context-parallel-size"}, {"order", "--use-tp-pp-dp-mapping"},
        {"expert TP", "--expert-tensor-parallel-size"}, {"shape", "--qk-layernorm"}, {"shape", "--add-qkv-bias"},
        {"shape", "--moe-ffn-hidden-size"}, {"parameters", "--"}, {"experts", "--moe"}, {"layers", "--moe-layer-freq"},
        {"latent", "--"}, {"sparse", "--"}, {"window", "--window"}, {"prediction", "--mtp"}, {"shape", "--kv-channels"},
        {"recompute", "--recompute"}, {"precision", "--fp"}, {"optimizer", "--use-precision-aware-optimizer"},
        {"optimizer", "--optimizer"}, {"optimizer", "--exp-avg"}, {"offload", "--fine-grained-activation-offloading"},
        {"offload", "--optimizer-cpu-offload"}, {"stages", "--pipeline-model-parallel-layout"},
        {"schedule", "--num-layers-per-virtual-pipeline-stage"}, {"schedule", "--pipeline-model-parallel-layout"},
        {"shards", "--num-distributed-optimizer-instances"}, {"ZeRO", "--use-megatron-fsdp"},
        {"ZeRO", "--data-parallel-sharding-strategy"}, {"attention", "--attention-backend"}, {"shape", "--kv"}};
    return arguments;
}

/// Whether a remark is about the fact.
inline bool isAbout(const launch::Remark& remark, const std::string& fact)
{
    using catalog::FrameworkRule;
    using launch::Gap;
    static const std::multimap<std::string, Gap> gaps{{"batch", Gap::UnevenReplicas}, {"replicas", Gap::UnevenReplicas},
        {"context", Gap::ContextMethod}, {"ZeRO", Gap::NotOfPipelines}, {"ZeRO", Gap::StatesAlone},
        {"ZeRO", Gap::Offloaded}, {"ZeRO", Gap::ZeroStage}, {"offload", Gap::Offloaded}, {"recompute", Gap::Selective},
        {"offload", Gap::ActivationOffload}, {"recompute", Gap::MixedRecompute}, {"recompute", Gap::ChunkRecompute},
        {"attention", Gap::UnfusedAttention}, {"precision", Gap::Precision}, {"optimizer", Gap::NarrowMoments},
        {"blocks", Gap::Parts}, {"position", Gap::Parts}, {"window", Gap::StandIn}, {"parameters", Gap::Parts},
        {"parameters", Gap::StandIn}, {"order", Gap::RankOrder}, {"partition", Gap::SpatialTemporal},
        {"stages", Gap::UnevenLayers}};
    static const std::multimap<std::string, FrameworkRule> rules{{"schedule", FrameworkRule::Schedule},
        {"stages", FrameworkRule::Schedule}, {"stages", FrameworkRule::StageLayers},
        {"schedule", FrameworkRule::StageLayers}, {"timing pass", FrameworkRule::TimingPass},
        {"vocabulary", FrameworkRule::VocabularyPlacement}, {"stage TP", FrameworkRule::StageTp},
        {"partition", FrameworkRule::TensorPartition}, {"order", FrameworkRule::OrderOfRanks},
        {"precision", FrameworkRule::Precision}, {"optimizer", FrameworkRule::Optimizer},
        {"attention", FrameworkRule::Attention}, {"recompute", FrameworkRule::RecomputedLayers},
        {"recompute", FrameworkRule::StageRecompute}, {"recompute", FrameworkRule::Schedule},
        {"ZeRO", FrameworkRule::ZeroStage}, {"ZeRO", FrameworkRule::ZeroWithPipeline},
        {"shards", FrameworkRule::ZeroShards}, {"shards", FrameworkRule::ZeroStage},
        {"offload", FrameworkRule::Offload}, {"sequence parallel", FrameworkRule::SequenceParallel},
        {"context", FrameworkRule::ContextMethod}, {"context", FrameworkRule::KvHeads},
        {"expert TP", FrameworkRule::ExpertTp}};
    const auto holds = [&](const auto& table, const auto& matches) {
        const auto [begin, end] = table.equal_range(fact);
        return std::any_of(begin, end, [&](const auto& entry) { return matches(entry.second); });
    };
    return holds(gaps, [&](Gap gap) { return gap == remark.gap; })
        || holds(rules, [&](FrameworkRule rule) { return remark.objection && remark.objection->rule == rule; })
        || holds(argumentsOfFacts(), [&](const std::string& argument) {
               return remark.gap == Gap::NoSetting && remark.found.starts_with(argument);
           });
}

/// Facts that came back otherwise and that no remark is about.
inline std::string silentlyLost(
    const plan::Plan& plan, const plan::Plan& back, const std::vector<launch::Remark>& remarks)
{
    std::string lost;
    const Facts before = factsOf(plan), after = factsOf(back);
    for (const auto& [fact, value] : before)
        if (after.at(fact) != value
            && std::none_of(remarks.begin(), remarks.end(),
                [&, name = fact](const launch::Remark& remark) { return isAbout(remark, name); }))
            lost += fact + ": " + value + " -> " + after.at(fact) + '\n';
    return lost;
}

} // namespace stratoplan::launchtest
