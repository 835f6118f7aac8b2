// SPDX-License-Identifier: Apache-2.0
// Attention over the tokens of other ranks: what context parallelism exchanges, and what a ring does beside attention
// to put together what its blocks make, as the Transformer Engine has it (context_parallel.py, AttnFuncWithCPAndKVP2P).
#include "core/workload/layer.h"
#include "core/workload/operators.h"

#include <algorithm>

namespace stratoplan::workload {

bool isRing(const parallel::Strategy& strategy)
{
    return strategy.cp > 1 && strategy.contextMethod == parallel::ContextMethod::Ring;
}

void addRingMerges(const LayerShape& s, Pass& forward, Pass& backward)
{
    if (!isRing(s.strategy))
        return;
    const HeadDims dims = coreDims(s);
    const double heads = s.model.heads / s.t, queries = heads * dims.key, outputs = heads * dims.value;
    const double keysAndValues = keyValueWidth(s), others = s.strategy.cp - 1;
    const auto addBytes = [&](Pass& pass, std::string_view name, double bytes, double launches) {
        Operator op = elementwise(name, s.tokens * bytes, &pass == &backward, OperatorKind::Streaming);
        op.launches = launches;
        pass.operators.push_back(op);
    };
    const auto add = [&](Pass& pass, std::string_view name, double elements, double launches) {
        addBytes(pass, name, elements * s.element, launches);
    };
    // Of the last rank, which works on one half of every other rank's keys with all of its queries; over both passes no
    // rank moves more. Keys and values are copied into the buffer that travels. The own block's output is scaled, each
    // other one scaled and added, after the statistics of its softmax.
    addBytes(forward, names::kRingKeys, 2 * keysAndValues * attentionElement(s), 1);
    add(forward, names::kRingOutputs, 2 * outputs + others * 3 * outputs, 1 + 2 * others);
    if (hasNarrowAttention(s.training)) {
        // Each block's gradients are copied to the others of its kind; those of all are put together, cast to FP32 and
        // summed, and the sum is cast.
        const double blocks = s.strategy.cp, ofBlock = 2 + 2 + (1 + 4) + 4, sum = 4 + 4 + s.element;
        addBytes(backward, names::kRingKeyGradients, (blocks * ofBlock + sum) * keysAndValues, blocks + 3);
        return addBytes(backward, names::kRingQueryGradients, (blocks * ofBlock + sum) * queries, blocks + 3);
    }
    // The gradient of the queries is copied once, and added to from then on. That of the first half of keys and values
    // is copied into what travels, those of the next are added to it, and that of the own block is, whole.
    add(backward, names::kRingKeyGradients, (4.5 + others * 1.5) * keysAndValues, 3 + 2 * others);
    add(backward, names::kRingQueryGradients, (2 + others * 3) * queries, 1 + others);
}

Bytes contextExchange(parallel::ContextMethod method, int ranks, const ContextTensors& tensors)
{
    switch (method) {
    case parallel::ContextMethod::Ring:
        return tensors.keysAndValues;
    case parallel::ContextMethod::AllGather:
        return tensors.keysAndValues * ranks;
    case parallel::ContextMethod::Ulysses:
        // With fewer KV heads than ranks, every rank gets a copy of one.
        return tensors.keysAndValues * std::max(1.0, ranks / tensors.kvHeads) + tensors.queriesAndOutputs;
    }
    return tensors.keysAndValues;
}

/// Attention in FP8 makes outputs in 16 bits, and gradients; but a ring casts those of every block to 8, and sends them
/// home all at once (Transformer Engine, dkv_send_buffer).
ContextTensors contextTensors(const LayerShape& s)
{
    if (s.absorbed) { // latent vectors and the indexer's keys, which every rank gathers for all of its heads
        const Bytes keys(s.tokens * (keyValueWidth(s) + s.model.dsa->indexHeadDim) * s.element);
        return {keys, Bytes{}, 1, keys, Bytes{}};
    }
    const HeadDims dims = headDims(s.model);
    const double element = attentionElement(s), kvHeads = localKvHeads(s), heads = s.model.heads / s.t;
    const double keysAndValues = s.tokens * kvHeads * (dims.key + dims.value);
    return {Bytes(keysAndValues * element), Bytes(s.tokens * heads * (dims.key * element + dims.value * s.element)),
        kvHeads, Bytes(keysAndValues * (isRing(s.strategy) ? element : s.element)),
        Bytes(s.tokens * heads * (dims.key + dims.value) * s.element),
        isRing(s.strategy) && hasNarrowAttention(s.training), Bytes(s.tokens * heads * dims.key * element)};
}

/// Where gradients are sent home, in 8 bits, those of keys and values are gathered for every rank and come from every
/// one; with those of the queries, of as many blocks, they are put together and cast to FP32 before they are summed,
/// all of it alive at once (combine_and_dequantize()).
ContextBlocks contextBlocks(parallel::ContextMethod method, int ranks, const ContextTensors& tensors)
{
    const double atOnce = method == parallel::ContextMethod::Ring ? 2 : 1;
    ContextBlocks all{
        contextExchange(method, ranks, tensors) * atOnce, contextExchange(method, ranks, tensors.gradients()) * atOnce};
    if (tensors.sendsGradientsHome)
        all.gradients = (7 * tensors.keyAndValueGradients + 6 * tensors.queryGradients) * double(ranks);
    return all;
}

ContextCollectives contextCollectives(parallel::ContextMethod method, int ranks, const ContextTensors& tensors)
{
    using enum CollectiveKind;
    const Bytes exchanged = contextExchange(method, ranks, tensors);
    const Bytes gradients = contextExchange(method, ranks, tensors.gradients());
    const auto collective = [](std::string_view name, CollectiveKind kind, Bytes bytes, double count = 1) {
        return Collective{name, kind, parallel::Axis::Cp, bytes, count};
    };
    switch (method) {
    case parallel::ContextMethod::Ring:
        if (tensors.sendsGradientsHome)
            return {{collective("ring exchange of keys and values", RingExchange, exchanged)},
                {collective("ring exchange of keys and values again", RingExchange, exchanged),
                    collective("exchange of their gradients", AllToAll, gradients * double(ranks))}};
        return {{collective("ring exchange of keys and values", RingExchange, exchanged)},
            {collective("ring exchange of keys, values and their gradients", RingExchange, exchanged, 2)}};
    case parallel::ContextMethod::AllGather:
        return {{collective("all-gather of keys and values", AllGather, exchanged)},
            {collective("all-gather of keys and values again", AllGather, exchanged),
                collective("reduce-scatter of their gradients", ReduceScatter, gradients)}};
    case parallel::ContextMethod::Ulysses:
        return {{collective("exchange of tokens for heads and back", AllToAll, exchanged)},
            {collective("exchange of their gradients", AllToAll, gradients)}};
    }
    return {};
}

void addContext(const LayerShape& s, Pass& forward, Pass& backward)
{
    if (s.strategy.cp == 1)
        return;
    const ContextCollectives context = contextCollectives(s.strategy.contextMethod, s.strategy.cp, contextTensors(s));
    forward.collectives.insert(forward.collectives.end(), context.forward.begin(), context.forward.end());
    backward.collectives.insert(backward.collectives.end(), context.backward.begin(), context.backward.end());
}

} // namespace stratoplan::workload
