// SPDX-License-Identifier: Apache-2.0
// The members of every catalogue type with their keys and units, once, for reading and for writing.
#pragma once

#include "core/catalog/json_fields.h"

#include <concepts>

namespace stratoplan::catalog_detail {

template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

// A structured binding names every member of its type: a member added to the struct and forgotten here does not
// compile.

void fields(auto& f, Is<Accelerator> auto& accelerator)
{
    auto& [id, name, vendor, memory, memoryBandwidth, peak, computeUnits, matmulSustained, memorySustained, watts,
        source, kernels] = accelerator;
    f("id", id, Need::Catalogue);
    f("name", name, Need::Catalogue);
    f("vendor", vendor, Need::Catalogue);
    f("memory_gib", memory, kGibi, Need::Always);
    f("memory_bandwidth_gb_s", memoryBandwidth, kGiga, Need::Always);
    f("peak_tflops", peak, Need::Always);
    f("compute_units", computeUnits, Need::Catalogue);
    f("matmul_sustained", matmulSustained, Need::Catalogue);
    f("memory_sustained", memorySustained, Need::Catalogue);
    f("watts", watts, Need::Catalogue);
    f("kernels", kernels);
    f("source", source, Need::Catalogue);
}

void fields(auto& f, Is<Link> auto& link)
{
    auto& [id, name, kind, bandwidth, sustained, latency, source, kernels] = link;
    f("id", id, Need::Catalogue);
    f("name", name, Need::Catalogue);
    f("kind", kind, Need::Catalogue);
    f("bandwidth_gb_s", bandwidth, kGiga, Need::Always);
    f("sustained", sustained, Need::Catalogue);
    f("latency_us", latency, kMicro, Need::Catalogue);
    f("kernels", kernels);
    f("source", source, Need::Catalogue);
}

void hardwareFields(auto& f, Is<NodeGroup> auto& group)
{
    f("accelerator", group.accelerator, Need::Always);
    f("accelerators_per_node", group.acceleratorsPerNode, Need::Always);
    f("scale_up", group.scaleUp, Need::Always);
    f("scale_up_domain", group.scaleUpDomain, Need::Always);
    f("nic", group.nic, Need::Always);
    f("nics_per_node", group.nicsPerNode, Need::Always);
    f("host_memory_gib", group.hostMemory, kGibi, Need::Never);
    f("host_memory_bandwidth_gb_s", group.hostMemoryBandwidth, kGiga, Need::Never);
    f("host_link_gb_s", group.hostLink, kGiga, Need::Never);
}

void fields(auto& f, Is<NodeGroup> auto& group)
{
    [[maybe_unused]] auto& [id, name, accelerator, acceleratorsPerNode, scaleUp, scaleUpDomain, nic, nicsPerNode,
        hostMemory, hostMemoryBandwidth, hostLink, count] = group;
    f("id", id, Need::Always);
    f("name", name, Need::Catalogue);
    hardwareFields(f, group);
    f("count", count, Need::Always);
}

void fields(auto& f, Is<SwitchGroup> auto& group)
{
    auto& [id, name, tier, ports, count] = group;
    f("id", id, Need::Always);
    f("name", name, Need::Catalogue);
    f("tier", tier, Need::Always);
    f("ports", ports, Need::Always);
    f("count", count, Need::Always);
}

void fields(auto& f, Is<Connection> auto& connection)
{
    auto& [from, to, link, cables] = connection;
    f("from", from, Need::Always);
    f("to", to, Need::Always);
    f("link", link, Need::Always);
    f("cables", cables, Need::Always);
}

void fields(auto& f, Is<Cluster> auto& cluster)
{
    auto& [name, nodes, switches, connections] = cluster;
    f("name", name, Need::Catalogue);
    f("nodes", nodes, Need::Always);
    f("switches", switches, Need::Never);
    f("connections", connections, Need::Never);
}

void fields(auto& f, Is<MixtureOfExperts> auto& moe)
{
    auto& [experts, topK, expertFfn, sharedExperts, sharedExpertFfn, leadingDenseLayers, layerInterval, capacityFactor,
        imbalance, routerBias] = moe;
    f("experts", experts, Need::Always);
    f("top_k", topK, Need::Always);
    f("expert_ffn", expertFfn, Need::Always);
    f("shared_experts", sharedExperts);
    f("shared_expert_ffn", sharedExpertFfn);
    f("leading_dense_layers", leadingDenseLayers);
    f("layer_interval", layerInterval);
    f("capacity_factor", capacityFactor);
    f("imbalance", imbalance);
    f("router_bias", routerBias);
}

void fields(auto& f, Is<LatentAttention> auto& mla)
{
    auto& [queryRank, kvRank, ropeHeadDim, nopeHeadDim, valueHeadDim] = mla;
    f("query_rank", queryRank, Need::Always);
    f("kv_rank", kvRank, Need::Always);
    f("rope_head_dim", ropeHeadDim, Need::Always);
    f("nope_head_dim", nopeHeadDim, Need::Always);
    f("value_head_dim", valueHeadDim, Need::Always);
}

void fields(auto& f, Is<Transformer> auto& model)
{
    auto& [name, layers, hidden, ffnHidden, heads, kvHeads, headDim, vocabulary, maxPositions, gatedMlp, tiedEmbeddings,
        linearBias, qkvBias, qkNorm, dropout, parallelBlock, embeddingNorm, norm, position, slidingWindow,
        slidingWindowInterval, multiTokenPredictionDepth, moe, mla, source] = model;
    f("name", name, Need::Catalogue);
    f("layers", layers, Need::Always);
    f("hidden", hidden, Need::Always);
    f("ffn_hidden", ffnHidden, Need::Always);
    f("heads", heads, Need::Always);
    f("kv_heads", kvHeads, Need::Always);
    f("head_dim", headDim, Need::Always);
    f("vocabulary", vocabulary, Need::Always);
    f("max_positions", maxPositions);
    f("gated_mlp", gatedMlp, Need::Catalogue);
    f("tied_embeddings", tiedEmbeddings, Need::Catalogue);
    f("linear_bias", linearBias);
    f("qkv_bias", qkvBias);
    f("qk_norm", qkNorm);
    f("dropout", dropout);
    f("parallel_block", parallelBlock);
    f("embedding_norm", embeddingNorm);
    f("norm", norm, Need::Catalogue);
    f("position", position, Need::Catalogue);
    f("sliding_window", slidingWindow);
    f("sliding_window_interval", slidingWindowInterval);
    f("multi_token_prediction_depth", multiTokenPredictionDepth);
    f("moe", moe);
    f("mla", mla);
    f("source", source, Need::Catalogue);
}

void fields(auto& f, Is<RunExtents> auto& extents)
{
    auto& [layers, hidden, experts, sequence, accelerators, microBatch, tp, pp, cp, ep] = extents;
    f("layers", layers, Need::Always);
    f("hidden", hidden, Need::Always);
    f("experts", experts);
    f("sequence_length", sequence, Need::Always);
    f("accelerators", accelerators, Need::Always);
    f("micro_batch", microBatch);
    f("tp", tp);
    f("pp", pp);
    f("cp", cp);
    f("ep", ep);
}

void fields(auto& f, Is<CalibratedOn> auto& runs)
{
    auto& [rows, shift, accelerators, least, most] = runs;
    f("rows", rows, Need::Always);
    f("shift", shift, Need::Always);
    f("accelerators", accelerators, Need::Always);
    f("least", least, Need::Always);
    f("most", most, Need::Always);
}

void fields(auto& f, Is<SoftwareProfile> auto& profile)
{
    auto& [id, name, source, base, matmulFactor, memoryFactor, flashForward, flashBackward, flashVersion,
        unfusedAttention, scoreTraffic, fp8Factor, nvfp4Factor, elementwiseForward, elementwiseBackward,
        groupedMatmulFactor, lossBytesForward, lossBytesBackward, gradientAccumulationBytes, optimizerBytes,
        optimizerFixed, shardBroadcast, kernelLaunch, hostForward, hostBackward, hostPerTpDoubling, hostPerExpert,
        selectiveRecompute, recomputeEarlyStop, tpOverlap, expertOverlap, epOverlap, dispatchOnce, narrowGathers,
        sequenceParallelRegather, dpOverlap, dpExposedFloor, fsdpHidden, overlapContention, p2pExposed, p2pLatency,
        transfers, lazyTransfers, resharding, gradientSync, scatterGather, gradientsInFp32, scaleJitter, flashAttention,
        fusedElementwise, narrowGradientsStay, narrowCaches, narrowActivationInputs, expertOutputsStay,
        optimizerStateBytes, gradientCopyBytes, flatGradientBytes, reduceBuckets, reserve, logitBytes, transientLayers,
        rangeLow, rangeHigh, calibratedOn] = profile;
    f("id", id, Need::Catalogue);
    f("name", name, Need::Catalogue);
    f("source", source, Need::Catalogue);
    f("based_on", base, Need::Never);
    f("matmul_factor", matmulFactor, Need::Catalogue);
    f("memory_factor", memoryFactor, Need::Catalogue);
    f("flash_forward", flashForward, Need::Catalogue);
    f("flash_backward", flashBackward, Need::Catalogue);
    f("flash_version", flashVersion, Need::Never);
    f("unfused_attention", unfusedAttention, Need::Catalogue);
    f("score_traffic", scoreTraffic, Need::Catalogue);
    f("fp8_factor", fp8Factor, Need::Catalogue);
    f("nvfp4_factor", nvfp4Factor, Need::Catalogue);
    f("elementwise_forward", elementwiseForward, Need::Catalogue);
    f("elementwise_backward", elementwiseBackward, Need::Catalogue);
    f("grouped_matmul_factor", groupedMatmulFactor, Need::Catalogue);
    f("loss_bytes_forward", lossBytesForward, Need::Catalogue);
    f("loss_bytes_backward", lossBytesBackward, Need::Catalogue);
    f("gradient_accumulation_bytes", gradientAccumulationBytes, Need::Catalogue);
    f("optimizer_bytes", optimizerBytes, Need::Catalogue);
    f("optimizer_fixed_ms", optimizerFixed, kMilli, Need::Catalogue);
    f("shard_broadcast_ms", shardBroadcast, kMilli, Need::Catalogue);
    f("kernel_launch_us", kernelLaunch, kMicro, Need::Catalogue);
    f("host_forward_ms", hostForward, kMilli, Need::Catalogue);
    f("host_backward_ms", hostBackward, kMilli, Need::Catalogue);
    f("host_per_tp_doubling_ms", hostPerTpDoubling, kMilli, Need::Catalogue);
    f("host_per_expert_ms", hostPerExpert, kMilli, Need::Never);
    f("selective_recompute", selectiveRecompute, Need::Catalogue);
    f("recompute_early_stop", recomputeEarlyStop, Need::Catalogue);
    f("tp_overlap", tpOverlap, Need::Catalogue);
    f("expert_overlap", expertOverlap, Need::Catalogue);
    f("ep_overlap", epOverlap, Need::Never);
    f("dispatch_once", dispatchOnce, Need::Never);
    f("narrow_gathers", narrowGathers, Need::Never);
    f("sequence_parallel_regather", sequenceParallelRegather, Need::Catalogue);
    f("dp_overlap", dpOverlap, Need::Catalogue);
    f("dp_exposed_floor", dpExposedFloor, Need::Catalogue);
    f("fsdp_hidden", fsdpHidden, Need::Catalogue);
    f("overlap_contention", overlapContention, Need::Catalogue);
    f("p2p_exposed", p2pExposed, Need::Catalogue);
    f("p2p_latency_ms", p2pLatency, kMilli, Need::Catalogue);
    f("transfers", transfers, Need::Never);
    f("lazy_transfers", lazyTransfers, Need::Never);
    f("resharding", resharding, Need::Never);
    f("gradient_sync", gradientSync, Need::Never);
    f("scatter_gather", scatterGather, Need::Catalogue);
    f("gradients_in_fp32", gradientsInFp32, Need::Catalogue);
    f("scale_jitter", scaleJitter, Need::Catalogue);
    f("flash_attention", flashAttention, Need::Catalogue);
    f("fused_elementwise", fusedElementwise, Need::Never);
    f("narrow_gradients_stay", narrowGradientsStay, Need::Never);
    f("narrow_caches", narrowCaches, Need::Never);
    f("narrow_activation_inputs", narrowActivationInputs, Need::Never);
    f("expert_outputs_stay", expertOutputsStay, Need::Never);
    f("optimizer_state_bytes", optimizerStateBytes, Need::Catalogue);
    f("gradient_copy_bytes", gradientCopyBytes, Need::Catalogue);
    f("flat_gradient_bytes", flatGradientBytes, Need::Never);
    f("reduce_buckets_gib", reduceBuckets, kGibi, Need::Never);
    f("reserve_gib", reserve, kGibi, Need::Catalogue);
    f("logit_bytes", logitBytes, Need::Catalogue);
    f("transient_layers", transientLayers, Need::Catalogue);
    f("range_low", rangeLow, Need::Never);
    f("range_high", rangeHigh, Need::Never);
    f("calibrated_on", calibratedOn, Need::Never);
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
    return {pointer, quoteJson(value), "an object"};
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

template <typename T>
nlohmann::ordered_json toObject(const T& value, const Catalog& catalog)
{
    FieldWriter writer(catalog);
    fields(writer, value);
    return writer.take();
}

} // namespace stratoplan::catalog_detail
