// SPDX-License-Identifier: Apache-2.0
// A Mamba-2 mixer in its chunked form (arXiv 2405.21060, section 6), as mamba_ssm's kernels run it, which Megatron-Core
// and transformers call (mamba_split_conv1d_scan_combined): beside the projections a convolution, products inside
// chunks with states between them in FP32, and a gated norm. Heads and groups are divided over tensor-parallel ranks.
#include "core/workload/layer.h"

#include "core/workload/operators.h"

#include <algorithm>

namespace stratoplan::workload {
namespace {

constexpr double kStateBytes = 4; // bytes of a state and of a score

/// Widths on one rank.
struct Widths {
    double inner, projected; ///< of the output, of what the input projection makes
    double repeated; ///< groups are where there are fewer of them than ranks of context parallelism
    double convolved; ///< repeated groups among it
    double groups; ///< states' worth of what is written to them, or read
    double states; ///< of all heads, a token's share of those that its chunk ends with
    double scores; ///< of a token with its chunk, in all groups
};

Widths widths(const LayerShape& s)
{
    const model::Mamba2& m = *s.model.mamba2;
    const double inner = innerWidth(m) / s.t;
    const double repeated = std::max(1.0, s.strategy.cp * s.t / m.groups);
    const double groups = m.groups * double(m.stateDim) / s.t;
    return {inner, 2 * inner + 2 * groups + m.heads / s.t, repeated, inner + 2 * groups * repeated, groups * repeated,
        inner * m.stateDim / m.chunk, m.groups * double(m.chunk) / s.t * repeated};
}

/// Bytes of a token through the kernels of a chunk: states of the inputs are written in FP32 and passed on in the type
/// of the activations; scores are written in FP32; inputs, scores and states are read and outputs written.
double chunkTraffic(const Widths& w, double element)
{
    const double states = element * (w.inner + w.groups) + kStateBytes * w.states;
    const double passing = (kStateBytes + element) * w.states;
    const double scores = element * 2 * w.groups + kStateBytes * w.scores;
    const double scan = element * (2 * w.inner + w.groups + w.states) + kStateBytes * w.scores;
    return states + passing + scores + scan;
}

Operator chunkProducts(std::string_view name, const LayerShape& s, double flops, bool backward)
{
    Operator op;
    op.name = name;
    op.kind = OperatorKind::FlashAttention; // products of blocks in a fused kernel
    op.n = s.model.mamba2->chunk;
    op.k = s.model.mamba2->headDim;
    op.flops = Flops(s.tokens * flops / s.t);
    op.backward = backward;
    return op;
}

} // namespace

void addMamba(const LayerShape& s, Pass& forward, Pass& backward)
{
    const Widths w = widths(s);
    const double e = s.element;
    const auto stream = [&](Pass& pass, std::string_view name, double bytes, bool ofBackward) {
        pass.operators.push_back(elementwise(name, s.tokens * bytes, ofBackward, OperatorKind::Streaming));
    };
    const Operator in = matmul("Mamba-2 input projection", s.tokens, w.projected, s.model.hidden, 0, true);
    const Operator out = matmul("Mamba-2 output projection", s.tokens, s.model.hidden, w.inner, 1);
    model::ChunkProducts products = model::chunkProducts(*s.model.mamba2);
    products.scores *= w.repeated;
    forward.operators.push_back(in);
    stream(forward, "Mamba-2 convolution", 2 * e * w.convolved, false);
    forward.operators.push_back(chunkProducts("Mamba-2 chunk products", s, products.sum(), false));
    stream(forward, "Mamba-2 chunk traffic", chunkTraffic(w, e), false);
    stream(forward, "Mamba-2 gated norm", 3 * e * w.inner, false);
    forward.operators.push_back(out);
    addMatmulBackward(backward, in);
    addMatmulBackward(backward, out);
    // Every product has two gradients; convolution, scores and states are made again, and the decays' gradient takes
    // one more product inside the chunk (ssd_combined.py: _chunk_scan_bwd_ddAcs_stable).
    stream(backward, "Mamba-2 convolution gradients", 5 * e * w.convolved, true);
    backward.operators.push_back(chunkProducts("Mamba-2 chunk product gradients", s,
        2 * products.sum() + products.scores + products.states + products.values, true));
    stream(backward, "Mamba-2 chunk gradient traffic", 3 * chunkTraffic(w, e), true);
    stream(backward, "Mamba-2 gated norm gradients", 5 * e * w.inner, true);
    if (s.strategy.cp == 1)
        return;
    // Tokens for heads and back (Megatron-Core's mamba_context_parallel.py).
    const Bytes exchanged(s.tokens * e * (w.inner + w.convolved + s.model.mamba2->heads / s.t + w.inner));
    forward.collectives.push_back(
        {"exchange of tokens for Mamba-2 heads and back", CollectiveKind::AllToAll, parallel::Axis::Cp, exchanged, 1});
    backward.collectives.push_back(
        {"exchange of their gradients", CollectiveKind::AllToAll, parallel::Axis::Cp, exchanged, 1});
}

/// `cached`: bytes of an element that the output projection read.
Bytes mambaActivations(const LayerShape& s, double cached)
{
    const Widths w = widths(s);
    return Bytes(s.tokens * (s.element * (w.projected + w.inner) + cached * w.inner));
}

/// Of all that is kept, with the states of the chunks and the convolution's output, which are made again.
Bytes mambaGradients(const LayerShape& s)
{
    const Widths w = widths(s);
    return Bytes(s.tokens * (s.element * (w.projected + 2 * w.inner + w.convolved) + 2 * kStateBytes * w.states));
}

} // namespace stratoplan::workload
