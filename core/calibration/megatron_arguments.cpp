// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/megatron_arguments.h"

#include "core/calibration/run_text.h"
#include "core/cluster/cluster_edits.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::calibration {

namespace {

using namespace text;

constexpr std::array kNothing{
    std::string_view("None"), std::string_view("none"), std::string_view("null"), std::string_view("")};

class Reader {
public:
    Reader(const LogArguments& arguments, const plan::Plan& base)
        : m_arguments(arguments)
        , m_base(base)
    {
        m_result.plan = base;
    }

    ArgumentPlan read()
    {
        readModel();
        readDegrees();
        readWorld();
        readBatchAndSequence();
        readSharding();
        readMemorySavers();
        readPrecision();
        readUpdate();
        readUnmodelled();
        (m_sawModel ? m_result.stated : m_result.filled).push_back("model=" + m_base.model.name);
        return std::move(m_result);
    }

private:
    [[nodiscard]] const LogArgument* find(std::initializer_list<const char*> names) const
    {
        for (const char* name : names) {
            const auto found = m_arguments.find(name);
            if (found != m_arguments.end()
                && std::find(kNothing.begin(), kNothing.end(), found->second.value) == kNothing.end())
                return &found->second;
        }
        return nullptr;
    }

    void fail(const LogArgument& argument, RunFault fault)
    {
        fault.place = "line " + std::to_string(argument.line);
        m_result.faults.push_back(std::move(fault));
    }

    std::optional<int> number(std::initializer_list<const char*> names, int least = 1)
    {
        const LogArgument* const argument = find(names);
        if (!argument)
            return std::nullopt;
        const auto value = wholeNumber(argument->value);
        if (!value || *value != std::floor(*value) || *value < least || *value > double(kLargestCount)) {
            fail(*argument,
                {.code = RunFaultCode::Argument,
                    .name = *names.begin(),
                    .text = argument->value,
                    .expected = {ExpectedValue::Kind::WholeNumber, least, kLargestCount}});
            return std::nullopt;
        }
        return static_cast<int>(*value);
    }

    [[nodiscard]] std::optional<bool> flag(std::initializer_list<const char*> names) const
    {
        const LogArgument* const argument = find(names);
        if (!argument || (argument->value != "True" && argument->value != "False"))
            return std::nullopt;
        return argument->value == "True";
    }

    [[nodiscard]] std::string word(std::initializer_list<const char*> names) const
    {
        const LogArgument* const argument = find(names);
        return argument ? argument->value : std::string();
    }

    void state(const char* name, const std::string& value)
    {
        m_result.stated.push_back(std::string(name) + "=" + value);
    }

    /// What both the log and the plan say must agree; an error names both.
    void same(std::initializer_list<const char*> names, const std::string& log, const std::string& plan, ModelPart part)
    {
        const LogArgument* const argument = find(names);
        if (log == plan || !argument)
            return;
        fail(*argument,
            {.code = RunFaultCode::OtherModel, .name = *names.begin(), .text = log, .wanted = plan, .part = part});
    }

    void sameNumber(std::initializer_list<const char*> names, int plan, ModelPart part, int least = 1)
    {
        if (const auto value = number(names, least)) {
            same(names, std::to_string(*value), std::to_string(plan), part);
            m_sawModel = true;
        }
    }

    void sameFlag(std::initializer_list<const char*> names, bool plan, ModelPart part, bool inverted = false)
    {
        if (const auto value = flag(names))
            same(names, *value ? "True" : "False", plan != inverted ? "True" : "False", part);
    }

    void readModel()
    {
        const model::Transformer& m = m_base.model;
        sameNumber({"num_layers", "encoder_num_layers"}, m.layers, ModelPart::Layers);
        sameNumber({"hidden_size"}, m.hidden, ModelPart::HiddenSize);
        sameNumber({"num_attention_heads"}, m.heads, ModelPart::Heads);
        if (!m.moe || layerCounts(m).dense > 0)
            sameNumber({"ffn_hidden_size"}, m.ffnHidden, ModelPart::FfnWidth);
        if (!m.mla)
            sameNumber({"kv_channels"}, m.headDim, ModelPart::HeadDimension);
        if (flag({"group_query_attention"}).value_or(false))
            sameNumber({"num_query_groups"}, m.kvHeads, ModelPart::KvHeads);
        else if (!m.mla)
            sameFlag({"group_query_attention"}, m.kvHeads != m.heads, ModelPart::GroupedHeads);
        sameFlag({"swiglu"}, m.gatedMlp, ModelPart::GatedMlp);
        sameFlag({"untie_embeddings_and_output_weights"}, m.tiedEmbeddings, ModelPart::UntiedEmbeddings, true);
        sameFlag({"multi_latent_attention"}, m.mla.has_value(), ModelPart::LatentAttention);
        readExperts(m);
        readVocabulary(m);
        model::Transformer& mine = m_result.plan.model;
        if (const auto rate = find({"hidden_dropout"}))
            mine.dropout = wholeNumber(rate->value).value_or(0) > 0;
        if (mine.dropout != m.dropout)
            state("dropout", mine.dropout ? "true" : "false");
    }

    void readExperts(const model::Transformer& m)
    {
        const auto experts = number({"num_experts", "num_moe_experts"});
        const int planned = m.moe ? m.moe->experts : 1;
        if (experts && *experts != planned)
            same({"num_experts", "num_moe_experts"}, std::to_string(*experts), std::to_string(planned),
                ModelPart::Experts);
        if (m.moe && !experts && m_arguments.size() > kFewArguments)
            if (const LogArgument* argument = find({"num_layers", "world_size"}))
                fail(*argument, {.code = RunFaultCode::NoExperts, .limit = planned});
        if (!experts || !m.moe)
            return;
        sameNumber({"moe_router_topk"}, m.moe->topK, ModelPart::ExpertsPerToken);
        sameNumber({"moe_ffn_hidden_size"}, m.moe->expertFfn, ModelPart::ExpertWidth);
    }

    /// The plan's vocabulary is unpadded; logs print it so, or padded, or not at all. What both are padded to counts.
    void readVocabulary(const model::Transformer& m)
    {
        const int tp = number({"tensor_model_parallel_size", "model_parallel_size"}).value_or(1);
        const int unit = std::max(1, number({"make_vocab_size_divisible_by"}).value_or(128)) * std::min(tp, 1 << 14);
        const auto padded = [unit](int size) { return (std::int64_t{size} + unit - 1) / unit; };
        for (const auto& name : {"vocabulary", "vocab_size", "padded_vocab_size"}) {
            const auto size = number({name});
            if (!size)
                continue;
            if (padded(*size) != padded(m.vocabulary))
                fail(*find({name}), {.code = RunFaultCode::OtherVocabulary, .found = *size, .limit = m.vocabulary});
            return;
        }
    }

    void take(const char* name, std::initializer_list<const char*> names, int& target, int least = 1)
    {
        if (const auto value = number(names, least)) {
            target = *value;
            state(name, std::to_string(*value));
        } else if (m_arguments.size() <= kFewArguments) {
            m_result.filled.push_back(std::string(name) + "=" + std::to_string(target));
        } else {
            target = least; // None in a full list of arguments
        }
    }

    void readDegrees()
    {
        parallel::Strategy& s = m_result.plan.strategy;
        take("tp", {"tensor_model_parallel_size", "model_parallel_size"}, s.tp);
        take("pp", {"pipeline_model_parallel_size"}, s.pp);
        take("cp", {"context_parallel_size"}, s.cp);
        take("ep", {"expert_model_parallel_size", "moe_expert_parallel_size"}, s.ep);
        if (!m_base.model.moe)
            s.ep = s.etp = 1;
        else if (find({"num_experts", "num_moe_experts", "expert_tensor_parallel_size"}))
            s.etp = number({"expert_tensor_parallel_size"}).value_or(s.tp);
        const auto perChunk = number({"num_layers_per_virtual_pipeline_stage"});
        const auto chunks = number({"virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank"});
        if (!chunks && !perChunk && m_arguments.size() <= kFewArguments)
            return;
        s.vpp = chunks ? *chunks : perChunk ? std::max(1, m_base.model.layers / s.pp / *perChunk) : 1;
        if (s.pp == 1)
            s.vpp = 1;
        state("vpp", std::to_string(s.vpp));
        s.schedule = s.vpp > 1 ? parallel::Schedule::Interleaved : parallel::Schedule::OneFOneB;
        makeStagesAlike(s);
        if (flag({"use_tp_pp_dp_mapping"}).value_or(false))
            s.rankOrder = {
                parallel::Axis::Tp, parallel::Axis::Cp, parallel::Axis::Ep, parallel::Axis::Pp, parallel::Axis::Dp};
    }

    void readWorld()
    {
        parallel::Strategy& s = m_result.plan.strategy;
        const std::int64_t group = std::int64_t{s.tp} * s.pp * s.cp;
        const auto world = number({"world_size"});
        const auto replicas = number({"data_parallel_size"});
        if (!world && !replicas) {
            m_result.filled.push_back("dp=" + std::to_string(s.dp));
            return;
        }
        const std::int64_t ranks = world ? *world : group * *replicas;
        const LogArgument& argument = *find({"world_size", "data_parallel_size"});
        if (ranks % group != 0 || (replicas && group * *replicas != ranks)) {
            fail(argument,
                {.code = replicas ? RunFaultCode::WorldSizeOfReplicas : RunFaultCode::WorldSize,
                    .found = ranks,
                    .limit = group,
                    .replicas = replicas.value_or(0)});
            return;
        }
        s.dp = static_cast<int>(ranks / group);
        state("dp", std::to_string(s.dp));
        sizeCluster(argument, ranks);
    }

    /// A run on part of the plan's cluster has a cluster of its size; a larger one contradicts the plan.
    void sizeCluster(const LogArgument& argument, std::int64_t ranks)
    {
        cluster::Cluster& cluster = m_result.plan.cluster;
        const int accelerators = acceleratorCount(cluster);
        if (ranks > accelerators) {
            fail(argument, {.code = RunFaultCode::WorldBeyondPlan, .found = ranks, .limit = accelerators});
        } else if (ranks < accelerators && cluster.nodes.size() == 1) {
            const cluster::NodeGroup& nodes = cluster.nodes.front();
            const int count = static_cast<int>((ranks + nodes.acceleratorsPerNode - 1) / nodes.acceleratorsPerNode);
            m_result.filled.push_back("nodes=" + std::to_string(count) + " of " + std::to_string(nodes.count));
            setNodeCount(cluster, 0, count);
        }
        m_result.filled.push_back("cluster=" + m_base.cluster.name);
    }

    void readBatchAndSequence()
    {
        plan::Plan& plan = m_result.plan;
        take("micro_batch", {"micro_batch_size", "batch_size"}, plan.strategy.microBatch);
        if (const auto batch = number({"global_batch_size"}))
            plan.training.globalBatch = *batch; // until an iteration says its own
        if (const auto length = number({"seq_length", "encoder_seq_length"})) {
            plan.training.sequenceLength = *length;
            state("sequence_length", std::to_string(*length));
        } else {
            m_result.filled.push_back("sequence_length=" + std::to_string(plan.training.sequenceLength));
        }
        if (const auto positions = number({"max_position_embeddings"});
            positions && plan.model.position == model::Position::Learned)
            plan.model.maxPositions = std::max(*positions, plan.training.sequenceLength);
    }

    void readSharding()
    {
        parallel::Strategy& s = m_result.plan.strategy;
        if (const auto parallel = flag({"sequence_parallel"})) {
            s.sequenceParallel = *parallel && s.tp > 1;
            state("sequence_parallel", s.sequenceParallel ? "true" : "false");
        }
        const std::string sharding = word({"data_parallel_sharding_strategy"});
        const bool fsdp = flag({"use_megatron_fsdp", "use_custom_fsdp"}).value_or(false);
        if (const auto stage = number({"zero_stage"}, 0))
            s.zeroStage = std::clamp(*stage, 0, 3);
        else if (flag({"use_torch_fsdp2"}).value_or(false) || (fsdp && sharding == "optim_grads_params"))
            s.zeroStage = 3;
        else if (fsdp && sharding == "optim_grads")
            s.zeroStage = 2;
        else if (const auto distributed = flag({"use_distributed_optimizer"}))
            s.zeroStage = *distributed ? 1 : 0;
        else
            return;
        const int instances = number({"num_distributed_optimizer_instances"}).value_or(1);
        s.zeroShards = instances > 1 && s.dp * s.cp % instances == 0 ? s.dp * s.cp / instances : 0;
        state("zero_stage", std::to_string(s.zeroStage));
    }

    void readMemorySavers()
    {
        parallel::Strategy& s = m_result.plan.strategy;
        const std::string granularity = word({"recompute_granularity", "checkpoint_activations_granularity"});
        if (granularity == "full" || granularity == "selective") {
            recomputeAll(s, granularity == "full" ? parallel::Recompute::Full : parallel::Recompute::Selective);
            if (word({"recompute_modules"}) == "core_attn")
                m_result.plan.training.software.selectiveRecompute = plan::SelectiveRecompute::AttentionCore;
        } else if (flag({"checkpoint_activations"}).value_or(false))
            recomputeAll(s, parallel::Recompute::Full);
        else if (m_arguments.size() > kFewArguments)
            recomputeAll(s, parallel::Recompute::None);
        if (!m_arguments.empty())
            state("recompute", std::string(key(s.recompute)));
        if (s.recompute == parallel::Recompute::Full && word({"recompute_method"}) == "block")
            readRecomputedLayers();
        const std::string backend = word({"attention_backend"});
        plan::AttentionKernel& attention = m_result.plan.training.attention;
        if (backend.find("unfused") != std::string::npos)
            attention = plan::AttentionKernel::Unfused;
        else if (backend.find("flash") != std::string::npos || backend.find("fused") != std::string::npos
            || flag({"use_flash_attn"}).value_or(false) || word({"transformer_impl"}) == "transformer_engine")
            attention = plan::AttentionKernel::Flash;
        else if (flag({"use_flash_attn"}) || m_arguments.contains("checkpoint_activations"))
            attention = plan::AttentionKernel::Unfused;
        if (isFlash(attention) && flag({"fp8_dot_product_attention"}).value_or(false))
            attention = plan::AttentionKernel::FlashFp8;
    }

    /// The first so many layers of every chunk: each chunk checkpoints its own.
    void readRecomputedLayers()
    {
        parallel::Strategy& s = m_result.plan.strategy;
        const auto count =
            number({"recompute_num_layers", "checkpoint_num_layers", "activations_checkpoint_num_layers"}, 0);
        if (!count) {
            m_result.remarks.emplace_back(BlockOfAllLayers{});
            return;
        }
        for (int stage = 0; stage < s.pp; ++stage) {
            int recomputed = 0;
            for (const int layers : chunkLayers(s, m_result.plan.model.layers, stage))
                recomputed += std::min(*count, layers);
            s.recomputedLayers.push_back(recomputed);
        }
        state("recomputed_layers", std::to_string(*count) + " a chunk");
    }

    void readPrecision()
    {
        plan::Training& training = m_result.plan.training;
        const std::string narrow = word({"fp8"});
        if (!word({"fp4"}).empty())
            training.precision = model::Precision::Nvfp4;
        else if ((!narrow.empty() && narrow != "False") || flag({"fp8_e4m3"}).value_or(false)
            || flag({"fp8_hybrid"}).value_or(false))
            training.precision = word({"fp8_recipe"}).find("mxfp8") != std::string::npos ? model::Precision::Mxfp8
                                                                                         : model::Precision::Fp8;
        else if (flag({"bf16"}).value_or(false) || word({"params_dtype"}) == "torch.bfloat16")
            training.precision = model::Precision::Bf16;
        else if (flag({"fp16"}).value_or(false) || word({"params_dtype"}) == "torch.float16")
            training.precision = model::Precision::Fp16;
        else if (word({"params_dtype"}) == "torch.float32")
            training.precision = model::Precision::Fp32;
        else {
            m_result.filled.push_back("precision=" + std::string(key(training.precision)));
            return;
        }
        state("precision", std::string(key(training.precision)));
    }

    /// Formats of gradients and gathers, and the optimizer.
    void readUpdate()
    {
        plan::Training& training = m_result.plan.training;
        if (const auto wide = flag({"accumulate_allreduce_grads_in_fp32"}))
            training.fp32Gradients = *wide;
        training.narrowGather = flag({"fp8_param_gather"}).value_or(training.narrowGather);
        const std::string optimizer = word({"optimizer"});
        const auto known = plan::optimizerFromKey(optimizer == "dist_muon" ? "muon" : optimizer);
        training.optimizer = known.value_or(training.optimizer);
        if (!known && !optimizer.empty())
            m_result.remarks.emplace_back(OptimizerNotModelled{optimizer});
    }

    /// What changes a step and is not part of a strategy.
    void readUnmodelled()
    {
        for (const char* name : {"decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers",
                 "pipeline_model_parallel_layout", "cpu_offloading_num_layers"})
            if (const LogArgument* argument = find({name}); argument && argument->value != "0")
                m_result.remarks.emplace_back(ArgumentNotModelled{name, argument->value});
        for (const char* name : {"hybrid_override_pattern", "hybrid_layer_pattern", "linear_attention_type"})
            if (const LogArgument* argument = find({name}))
                fail(*argument, {.code = RunFaultCode::OtherLayers, .name = name, .text = argument->value});
    }

    /// A log without its list of arguments has those of a "using world size" line and the vocabulary at most.
    static constexpr std::size_t kFewArguments = 10;

    const LogArguments& m_arguments;
    const plan::Plan& m_base;
    ArgumentPlan m_result;
    bool m_sawModel = false;
};

} // namespace

ArgumentPlan planOfArguments(const LogArguments& arguments, const plan::Plan& base)
{
    return Reader(arguments, base).read();
}

} // namespace stratoplan::calibration
