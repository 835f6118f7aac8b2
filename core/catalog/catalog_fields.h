// SPDX-License-Identifier: Apache-2.0
// The members of every catalogue type with their keys and units, once, for reading and for writing.
#pragma once

#include "core/catalog/json_fields.h"
#include "core/plan/software_fields.h"
#include "core/units/reading.h"

#include <concepts>

namespace stratoplan::catalog::detail {

template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

void fields(auto& f, Is<cluster::Accelerator> auto& accelerator)
{
    f("id", accelerator.id, Need::Catalogue);
    f("name", accelerator.name, Need::Catalogue);
    f("vendor", accelerator.vendor, Need::Catalogue);
    f("memory_gib", accelerator.memory, kInGibi, Need::Always);
    f("memory_bandwidth_gb_s", accelerator.memoryBandwidth, kInGiga, Need::Always);
    f("peak_tflops", accelerator.peak, Need::Always);
    f("compute_units", accelerator.computeUnits, Need::Catalogue);
    f("exponentials_t_s", accelerator.exponentials, kInTera, Need::Never);
    f("matmul_sustained", accelerator.matmulSustained, Need::Catalogue);
    f("memory_sustained", accelerator.memorySustained, Need::Catalogue);
    f("watts", accelerator.watts, Need::Catalogue);
    f("kernels", accelerator.kernels);
    f("source", accelerator.source, Need::Catalogue);
}

void fields(auto& f, Is<cluster::Link> auto& link)
{
    f("id", link.id, Need::Catalogue);
    f("name", link.name, Need::Catalogue);
    f("kind", link.kind, Need::Catalogue);
    f("bandwidth_gb_s", link.bandwidth, kInGiga, Need::Always);
    f("sustained", link.sustained, Need::Catalogue);
    f("latency_us", link.latency, kInMicro, Need::Catalogue);
    f("kernels", link.kernels);
    f("source", link.source, Need::Catalogue);
}

void fields(auto& f, Is<cluster::Torus> auto& torus)
{
    f("axes", torus.axes, Need::Always);
    f("wraps", torus.wrap, Need::Catalogue);
}

void hardwareFields(auto& f, Is<cluster::NodeGroup> auto& group)
{
    f("accelerator", group.accelerator, Need::Always);
    f("accelerators_per_node", group.acceleratorsPerNode, Need::Always);
    f("scale_up", group.scaleUp, Need::Always);
    f("scale_up_domain", group.scaleUpDomain, Need::Always);
    f("torus", group.torus);
    f("in_node", group.inNode);
    f("nic", group.nic, Need::Always);
    f("nics_per_node", group.nicsPerNode, Need::Always);
    f("host_memory_gib", group.hostMemory, kInGibi, Need::Never);
    f("host_memory_bandwidth_gb_s", group.hostMemoryBandwidth, kInGiga, Need::Never);
    f("host_link_gb_s", group.hostLink, kInGiga, Need::Never);
    f("watts", group.watts);
}

void fields(auto& f, Is<cluster::NodeGroup> auto& group)
{
    f("id", group.id, Need::Always);
    f("name", group.name, Need::Catalogue);
    hardwareFields(f, group);
    f("count", group.count, Need::Always);
    f("rack", group.rack, Need::Never);
}

void fields(auto& f, Is<cluster::SwitchGroup> auto& group)
{
    f("id", group.id, Need::Always);
    f("name", group.name, Need::Catalogue);
    f("tier", group.tier, Need::Always);
    f("ports", group.ports, Need::Always);
    f("count", group.count, Need::Always);
    f("blocks", group.blocks, Need::Never);
    f("in_network_reduction", group.reduces, Need::Never);
    f("rack", group.rack, Need::Never);
}

void fields(auto& f, Is<cluster::Connection> auto& connection)
{
    f("from", connection.from, Need::Always);
    f("to", connection.to, Need::Always);
    f("link", connection.link, Need::Always);
    f("cables", connection.cables, Need::Always);
}

void fields(auto& f, Is<cluster::Cluster> auto& cluster)
{
    f("name", cluster.name, Need::Catalogue);
    f("nodes", cluster.nodes, Need::Always);
    f("switches", cluster.switches, Need::Never);
    f("connections", cluster.connections, Need::Never);
}

void fields(auto& f, Is<model::MixtureOfExperts> auto& moe)
{
    f("experts", moe.experts, Need::Always);
    f("top_k", moe.topK, Need::Always);
    f("expert_ffn", moe.expertFfn, Need::Always);
    f("shared_experts", moe.sharedExperts);
    f("shared_expert_ffn", moe.sharedExpertFfn);
    f("leading_dense_layers", moe.leadingDenseLayers);
    f("layer_interval", moe.layerInterval);
    f("capacity_factor", moe.capacityFactor);
    f("imbalance", moe.imbalance);
    f("router_bias", moe.routerBias);
}

void fields(auto& f, Is<model::LatentAttention> auto& mla)
{
    f("query_rank", mla.queryRank, Need::Always);
    f("kv_rank", mla.kvRank, Need::Always);
    f("rope_head_dim", mla.ropeHeadDim, Need::Always);
    f("nope_head_dim", mla.nopeHeadDim, Need::Always);
    f("value_head_dim", mla.valueHeadDim, Need::Always);
}

void fields(auto& f, Is<model::SparseAttention> auto& dsa)
{
    f("index_heads", dsa.indexHeads, Need::Always);
    f("index_head_dim", dsa.indexHeadDim, Need::Always);
    f("top_k", dsa.topK, Need::Always);
}

void fields(auto& f, Is<model::Mamba2> auto& mamba)
{
    f("layers", mamba.layers, Need::Always);
    f("ffn_layers", mamba.ffnLayers);
    f("heads", mamba.heads, Need::Always);
    f("head_dim", mamba.headDim, Need::Always);
    f("state_dim", mamba.stateDim, Need::Always);
    f("groups", mamba.groups, Need::Always);
    f("kernel", mamba.kernel);
    f("chunk", mamba.chunk);
}

void fields(auto& f, Is<model::StandIn> auto& standIn)
{
    f("kind", standIn.kind);
    f("layers", standIn.layers, Need::Always);
    f("parameters", standIn.parameters, Need::Always);
    f("flops_per_token", standIn.flopsPerToken, Need::Always);
    f("gate_flops_per_token", standIn.gateFlopsPerToken);
}

void fields(auto& f, Is<model::Transformer> auto& model)
{
    f("name", model.name, Need::Catalogue);
    f("layers", model.layers, Need::Always);
    f("hidden", model.hidden, Need::Always);
    f("ffn_hidden", model.ffnHidden, Need::Always);
    f("heads", model.heads, Need::Always);
    f("kv_heads", model.kvHeads, Need::Always);
    f("head_dim", model.headDim, Need::Always);
    f("vocabulary", model.vocabulary, Need::Always);
    f("max_positions", model.maxPositions);
    f("gated_mlp", model.gatedMlp, Need::Catalogue);
    f("tied_embeddings", model.tiedEmbeddings, Need::Catalogue);
    f("linear_bias", model.linearBias);
    f("qkv_bias", model.qkvBias);
    f("qk_norm", model.qkNorm);
    f("dropout", model.dropout);
    f("parallel_block", model.parallelBlock);
    f("embedding_norm", model.embeddingNorm);
    f("norm", model.norm, Need::Catalogue);
    f("position", model.position, Need::Catalogue);
    f("sliding_window", model.slidingWindow);
    f("sliding_window_interval", model.slidingWindowInterval);
    f("multi_token_prediction_depth", model.multiTokenPredictionDepth);
    f("moe", model.moe);
    f("mla", model.mla);
    f("dsa", model.dsa);
    f("mamba2", model.mamba2);
    f("stand_in", model.standIn);
    f("source", model.source, Need::Catalogue);
}

void fields(auto& f, Is<plan::RunExtents> auto& extents)
{
    f("layers", extents.layers, Need::Always);
    f("hidden", extents.hidden, Need::Always);
    f("experts", extents.experts);
    f("sequence_length", extents.sequence, Need::Always);
    f("accelerators", extents.accelerators, Need::Always);
    f("micro_batch", extents.microBatch);
    f("tp", extents.tp);
    f("pp", extents.pp);
    f("cp", extents.cp);
    f("ep", extents.ep);
}

void fields(auto& f, Is<plan::CalibratedOn> auto& runs)
{
    f("rows", runs.rows, Need::Always);
    f("shift", runs.shift, Need::Always);
    f("accelerators", runs.accelerators, Need::Always);
    f("least", runs.least, Need::Always);
    f("most", runs.most, Need::Always);
}

void fields(auto& f, Is<plan::SoftwareProfile> auto& profile)
{
    for (const plan::SoftwareField& field : plan::softwareFields()) {
        const Need need = field.required ? Need::Catalogue : Need::Never;
        std::visit(
            [&](auto member) {
                using Value = std::remove_cvref_t<decltype(profile.*member)>;
                if constexpr (std::same_as<Value, Seconds> || std::same_as<Value, Bytes>)
                    f(field.key, profile.*member, field.unit, need);
                else
                    f(field.key, profile.*member, need);
            },
            field.member);
    }
}

void fields(auto& f, Is<NodePreset> auto& preset)
{
    f("id", preset.id, Need::Catalogue);
    f("name", preset.name, Need::Catalogue);
    hardwareFields(f, preset.node);
    f("source", preset.source, Need::Catalogue);
}

void fields(auto& f, Is<ClusterPreset> auto& preset)
{
    f("id", preset.id, Need::Catalogue);
    fields(f, preset.cluster);
    f("source", preset.source, Need::Catalogue);
}

void fields(auto& f, Is<ModelPreset> auto& preset)
{
    f("id", preset.id, Need::Catalogue);
    f("family", preset.family, Need::Catalogue);
    f("sequence_length", preset.sequenceLength, Need::Catalogue);
    f("training_tokens", preset.trainingTokens, Need::Never);
    fields(f, preset.model);
}

inline CatalogError notAnObject(const nlohmann::json& value, const std::string& pointer)
{
    return {pointer, quoteJson(value), reading::kObject};
}

template <typename T>
CatalogResult<T> parseObject(const nlohmann::json& value, const std::string& pointer, const Catalog& catalog,
    Strictness strictness, T start = {})
{
    if (!value.is_object())
        return tl::unexpected(notAnObject(value, pointer));
    FieldReader reader(value, pointer, catalog, strictness);
    fields(reader, start);
    reader.refuseUnknownKeys();
    if (reader.error())
        return tl::unexpected(*reader.error());
    return start;
}

/// The objects of the list at `key`, under the rules of catalogue files.
template <typename T>
CatalogResult<std::vector<T>> parseList(const nlohmann::json& parent, const std::string& key, std::string pointer)
{
    pointer += '/' + key;
    const auto list = parent.find(key);
    if (list == parent.end() || !list->is_array())
        return tl::unexpected(
            CatalogError{pointer, list == parent.end() ? "nothing" : quoteJson(*list), reading::kList});
    std::vector<T> entries;
    for (const nlohmann::json& value : *list) {
        auto entry =
            parseObject<T>(value, pointer + '/' + std::to_string(entries.size()), Catalog{}, Strictness::Catalogue);
        if (!entry)
            return tl::unexpected(entry.error());
        entries.push_back(std::move(*entry));
    }
    return entries;
}

template <typename T>
nlohmann::ordered_json toObject(const T& value, const Catalog& catalog)
{
    FieldWriter writer(catalog);
    fields(writer, value);
    return writer.take();
}

} // namespace stratoplan::catalog::detail
