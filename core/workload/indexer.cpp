// SPDX-License-Identifier: Apache-2.0
// The indexer of DeepSeek sparse attention (arXiv 2512.02556, section 2.1) in its sparse stage of training: it reads
// what the attention reads without telling it anything back, and learns the distribution of the attention over the keys
// that it picked. Megatron-Core runs it on every tensor-parallel rank for all heads (dsa.py: "duplicated" projections,
// inputs gathered), and so does DeepSeek's own code.
#include "core/workload/layer.h"

#include "core/workload/operators.h"

#include <algorithm>

namespace stratoplan::workload {
namespace {

constexpr double kFp32 = 4, kInt32 = 4; // bytes of a score and of the number of a key

/// Of the queries of all heads; the only key head has the width of one of them.
double indexWidth(const LayerShape& s)
{
    return double(s.model.dsa->indexHeads) * s.model.dsa->indexHeadDim;
}

/// Elements of a token that the indexer reads beside the hidden state.
double compressedQueries(const LayerShape& s)
{
    return s.model.mla ? s.model.mla->queryRank : 0;
}

/// Places for keys that a query picks.
double picks(const LayerShape& s)
{
    return std::min(double(s.model.dsa->topK), s.scoreColumns);
}

/// Products of blocks in a fused kernel, as attention's are.
Operator blockProducts(std::string_view name, double flops, double keys, double headDim, bool backward)
{
    Operator op;
    op.name = name;
    op.kind = OperatorKind::FlashAttention;
    op.n = 2 * keys;
    op.k = headDim;
    op.flops = Flops(flops);
    op.backward = backward;
    return op;
}

/// Its inputs are not differentiated.
void addWeightGradient(const Operator& forward, Pass& backward)
{
    Pass both;
    addMatmulBackward(both, forward);
    backward.operators.push_back(both.operators.back());
    if (forward.narrow) // the gradient of the output is cast for it alone
        backward.operators.back().cast = forward.m * forward.n;
}

} // namespace

// In one piece: its operators in the order in which they run.
void addIndexer(const LayerShape& s, Pass& forward, Pass& backward)
{
    const model::SparseAttention& dsa = *s.model.dsa;
    const double h = s.model.hidden, dim = dsa.indexHeadDim, width = indexWidth(s);
    const double compressed = compressedQueries(s);
    const std::size_t before = forward.operators.size();
    const auto project = [&](std::string_view name, double n, double k, bool narrow) {
        Operator op = matmul(name, s.tokens, n, k, 0, true);
        op.narrow = narrow;
        forward.operators.push_back(op);
        addWeightGradient(op, backward);
    };
    project("indexer queries", width, compressed > 0 ? compressed : h, true);
    project("indexer keys", dim, h, true);
    project("indexer head weights", dsa.indexHeads, h, false); // in 16 bits or wider (model.py: weights_proj)
    // Rotary as everywhere, and a Hadamard transform, which reads and writes once.
    const double rotated = s.tokens * (width + dim) * s.element / 2 * (8.0 / 3 + 4);
    forward.operators.push_back(elementwise("indexer rotary and rotation", rotated, false));
    backward.operators.push_back(elementwise("indexer rotary and rotation gradients", rotated, true));
    forward.operators.push_back(
        blockProducts("indexer scores", 2 * s.tokens * s.indexedKeys * width, s.indexedKeys, dim, false));
    // Scores in FP32 are written once; a selection by digits reads them to count and again to gather.
    forward.operators.push_back(elementwise(
        "key selection", s.tokens * (3 * kFp32 * s.indexedKeys + kInt32 * picks(s)), false, OperatorKind::Streaming));
    // What the scores shall become: the attention of all heads over the picked keys, which its kernel does not keep.
    const double attention = 2 * s.tokens * s.pickedKeys * (s.model.heads / s.t) * coreDims(s).key;
    forward.operators.push_back(blockProducts("indexer target", attention, s.pickedKeys, coreDims(s).key, false));
    // Softmax and divergence over the picked keys in FP32: scores and target read, both distributions written; then the
    // gradient of the scores.
    forward.operators.push_back(
        elementwise("indexer loss", 4 * kFp32 * s.tokens * picks(s), false, OperatorKind::Streaming));
    backward.operators.push_back(
        elementwise("indexer loss gradient", 3 * kFp32 * s.tokens * picks(s), true, OperatorKind::Streaming));
    backward.operators.push_back(
        blockProducts("indexer score gradients", 2 * 2 * s.tokens * s.pickedKeys * width, s.pickedKeys, dim, true));
    for (std::size_t i = before; i < forward.operators.size(); ++i)
        forward.operators[i].attentionCore = true; // repeated with it
    if (s.strategy.tp == 1)
        return;
    forward.collectives.push_back({"indexer target of all heads", CollectiveKind::AllReduce, parallel::Axis::Tp,
        Bytes(kFp32 * s.tokens * picks(s)), 1});
    if (s.strategy.sequenceParallel)
        forward.collectives.push_back({"all-gather of indexer inputs", CollectiveKind::AllGather, parallel::Axis::Tp,
            Bytes(s.tokens * (h + compressed) * s.element), 1});
}

Bytes indexerActivations(const LayerShape& s)
{
    const model::SparseAttention& dsa = *s.model.dsa;
    // Rotated queries; keys before and after their norm; head weights and, per picked key, its number, target and
    // score.
    double perToken =
        s.element * (indexWidth(s) + 2.0 * dsa.indexHeadDim) + kFp32 * dsa.indexHeads + (kInt32 + 2 * kFp32) * picks(s);
    if (s.replicatedBy > 1) // what was gathered, whole
        perToken += s.element * (s.model.hidden + compressedQueries(s));
    return Bytes(s.tokens * perToken);
}

Bytes indexerGradients(const LayerShape& s)
{
    return Bytes(s.tokens * (s.element * (indexWidth(s) + s.model.dsa->indexHeadDim) + kFp32 * picks(s)));
}

} // namespace stratoplan::workload
