// SPDX-License-Identifier: Apache-2.0
#include "core/workload/layer.h"

#include "core/workload/operators.h"

#include <algorithm>
#include <utility>

namespace stratoplan::workload {
namespace {

/// The column-parallel products that make queries, keys and values.
void addColumnProjections(const LayerShape& s, Pass& forward)
{
    const model::Transformer& model = s.model;
    const double h = model.hidden;
    const double heads = model.heads / s.t;
    if (!model.mla) {
        const double all = heads + 2 * localKvHeads(s);
        forward.operators.push_back(matmul(names::kQkv, s.tokens, all * model.headDim, h, localKvHeads(s) / all, true));
        return;
    }
    const model::LatentAttention& mla = *model.mla;
    const double queryDim = heads * (mla.nopeHeadDim + mla.ropeHeadDim);
    if (mla.queryRank > 0) {
        forward.operators.push_back(
            matmul("query down-projection", s.tokens / s.replicatedBy, mla.queryRank, h, 0, true));
        forward.operators.push_back(matmul(names::kQueryUp, s.tokens, queryDim, mla.queryRank));
    } else {
        forward.operators.push_back(matmul("query projection", s.tokens, queryDim, h, 0, true));
    }
    forward.operators.push_back(
        matmul("KV down-projection", s.tokens / s.replicatedBy, mla.kvRank + mla.ropeHeadDim, h, 0, true));
    forward.operators.push_back(
        matmul(names::kKvUp, s.tokens, heads * (mla.nopeHeadDim + mla.valueHeadDim), mla.kvRank));
}

/// Queries, keys and values are read in 16 bits and written in 8, before they are needed elsewhere; so is the gradient
/// of what attention makes, and theirs are read in 8 and written in 16 (Transformer Engine, combine_and_quantize() and
/// FusedAttnFunc), with scales of earlier steps, whatever the recipe's (NVTE_DPA_FP8_RECIPE=DelayedScaling).
void addAttentionCasts(const LayerShape& s, Pass& forward, Pass& backward)
{
    if (!hasNarrowAttention(s.training))
        return;
    const HeadDims dims = coreDims(s);
    const double heads = s.model.heads / s.t, inputs = heads * dims.key + keyValueWidth(s),
                 outputs = heads * dims.value;
    constexpr double kBothWays = 2 + 1;
    const auto add = [&](Pass& pass, std::string_view name, double bytes) {
        pass.operators.push_back(elementwise(name, s.tokens * bytes, &pass == &backward, OperatorKind::Streaming));
    };
    add(forward, names::kAttentionCasts, inputs * kBothWays);
    const double back = isRing(s.strategy) ? 0 : inputs * kBothWays; // else with their sums
    add(backward, names::kAttentionGradientCasts, outputs * kBothWays + back);
}

/// The attention core: fused by blocks, or products with a materialised score matrix. Flash backward runs five block
/// products against two forward, unfused four. Score traffic per element: read and write in 16 bits, softmax twice.
void addAttentionCore(const LayerShape& s, Pass& forward, Pass& backward)
{
    const HeadDims dims = coreDims(s);
    const double heads = s.model.heads / s.t;
    const bool flash = isFlash(s.training.attention);
    Operator core;
    core.name = flash ? names::kFlashAttention : names::kAttentionProducts;
    core.kind = flash ? OperatorKind::FlashAttention : OperatorKind::BatchedMatmul;
    core.k = dims.key;
    // A causal query sees half of the sequence on average, and of a ring's block no more than that.
    core.n = flash ? 2 * std::min(s.keys, s.blockKeys) : s.scoreColumns;
    core.attentionCore = true;
    core.narrow = hasNarrowAttention(s.training);
    core.launches = flash && isRing(s.strategy) ? s.strategy.cp - 1 : 0; // one for each block
    core.flops = Flops(2 * s.tokens * (flash ? s.keys : s.scoreColumns) * heads * (dims.key + dims.value));
    forward.operators.push_back(core);
    Operator gradient = core;
    gradient.name = flash ? names::kFlashAttentionGradient : names::kAttentionProductGradients;
    gradient.flops = (flash ? 2.5 : 2.0) * core.flops;
    gradient.backward = true;
    backward.operators.push_back(gradient);
    if (flash) {
        addAttentionCasts(s, forward, backward);
        addRingMerges(s, forward, backward);
        return;
    }
    const double scores = s.tokens * s.scoreColumns * heads * s.element / 2;
    Operator softmax = elementwise(names::kSoftmax, 2.8 * scores, false, OperatorKind::ScoreTraffic);
    softmax.attentionCore = true;
    forward.operators.push_back(softmax);
    backward.operators.push_back(elementwise(names::kSoftmaxGradient, 4.2 * scores, true, OperatorKind::ScoreTraffic));
    if (s.model.dropout) {
        Operator dropout = elementwise(names::kScoreDropout, 5 * scores, false, OperatorKind::ScoreTraffic);
        dropout.attentionCore = true;
        forward.operators.push_back(dropout);
        backward.operators.push_back(
            elementwise(names::kScoreDropoutGradient, 5 * scores, true, OperatorKind::ScoreTraffic));
    }
}

/// Traffic of norms, residuals and dropout (22 h forward, 26 h backward bytes per token in 16 bits) and of rotary, bias
/// and transpose kernels (8 h with MHA), per token. The software profile scales it.
void addBlockElementwise(const LayerShape& s, Pass& forward, Pass& backward)
{
    const double norms = moduleShares(s.model).norms() / 2; // of the two that this traffic is of
    const double h = s.model.hidden * s.element / 2 * norms;
    const double qkv = moduleShares(s.model).attention * s.element / 2
        * (s.model.mla ? 3.0 * s.model.heads * headDims(s.model).key / s.t
                       : (s.model.heads / s.t + 2 * localKvHeads(s)) * s.model.headDim);
    forward.operators.push_back(elementwise(names::kNorms, s.tokens * 22 * h / s.replicatedBy, false));
    forward.operators.push_back(elementwise(names::kRotary, s.tokens * 8.0 / 3 * qkv, false));
    backward.operators.push_back(elementwise(names::kNormGradients, s.tokens * 26 * h / s.replicatedBy, true));
    backward.operators.push_back(elementwise(names::kRotaryGradients, s.tokens * 8.0 / 3 * qkv, true));
}

/// Activation traffic of an FFN per token and unit of width, bytes.
double ffnForwardTraffic(const LayerShape& s)
{
    return s.element * (s.model.gatedMlp ? 3 : 2);
}
double ffnBackwardTraffic(const LayerShape& s)
{
    return s.element * (s.model.gatedMlp ? 5 : 3);
}

/// Dense FFN of width f, split over the t ranks.
void addFfn(const LayerShape& s, double f, Pass& forward, Pass& backward)
{
    const double h = s.model.hidden;
    const double width = f / s.t;
    const Operator up = s.model.gatedMlp ? matmul(names::kFfnGateAndUp, s.tokens, 2 * width, h, 0.5, true)
                                         : matmul(names::kFfnUp, s.tokens, width, h, 0, true);
    const Operator down = matmul(names::kFfnDown, s.tokens, h, width);
    forward.operators.push_back(up);
    forward.operators.push_back(elementwise(names::kFfnActivation, s.tokens * ffnForwardTraffic(s) * width, false));
    forward.operators.push_back(down);
    addMatmulBackward(backward, up);
    addMatmulBackward(backward, down);
    backward.operators.push_back(
        elementwise(names::kFfnActivationGradient, s.tokens * ffnBackwardTraffic(s) * width, true));
}

/// Ranks that hold any of a token's experts, over its experts: top-k of them drawn evenly, each rank of the group with
/// as many.
double dispatchedShare(const model::MixtureOfExperts& moe, int ep)
{
    const double local = double(moe.experts) / ep;
    double missed = 1; // chance that a rank holds none of them
    for (int i = 0; i < moe.topK; ++i)
        missed *= std::max(0.0, moe.experts - local - i) / (moe.experts - i);
    return ep * (1 - missed) / moe.topK;
}

// In one piece: the operators of the experts in the order in which they run, each with its gradients.
void addExperts(const LayerShape& s, Pass& forward, Pass& backward)
{
    const model::MixtureOfExperts& moe = *s.model.moe;
    const double h = s.model.hidden;
    const double routed = routedTokens(s);
    const double local = double(moe.experts) / s.strategy.ep;
    const double width = double(moe.expertFfn) / s.strategy.etp;
    const auto grouped = [&](std::string_view name, double n, double k) {
        Operator op = matmul(name, routed / local, n, k, 0.5);
        op.kind = OperatorKind::GroupedMatmul;
        op.batch = local;
        op.cast = routed * k;
        op.flops = Flops(2 * routed * n * k);
        return op;
    };
    const Operator router = [&] {
        Operator op = matmul("router", s.tokens / s.replicatedBy, moe.experts, h);
        op.narrow = false; // stays in 16 bits or wider whatever the recipe (2412.19437, section 3.3.1)
        return op;
    }();
    const Operator up = grouped("expert gate and up", (s.model.gatedMlp ? 2 : 1) * width, h);
    const Operator down = grouped("expert down", h, width);
    // Copies, read and written once before dispatch and once after combine: no kernel of theirs does more than that.
    const double permutation = routed * h * s.element * 4;
    forward.operators.push_back(router);
    if (s.model.linearBias) {
        // One expert after the other: scaled by the router, added, and put together again; differentiated likewise.
        const double outputs = routed * (up.n + down.n) * s.element;
        forward.operators.push_back(elementwise("expert biases", 6 * outputs, false));
        backward.operators.push_back(elementwise("expert bias gradients", 8 * outputs, true));
    }
    forward.operators.push_back(elementwise("token permutation", permutation, false, OperatorKind::Streaming));
    forward.operators.push_back(up);
    forward.operators.push_back(elementwise(names::kExpertActivation, routed * ffnForwardTraffic(s) * width, false));
    forward.operators.push_back(down);
    for (const Operator* op : {&router, &up, &down})
        addMatmulBackward(backward, *op);
    backward.operators.push_back(elementwise("token permutation gradient", permutation, true, OperatorKind::Streaming));
    backward.operators.push_back(
        elementwise("expert activation gradient", routed * ffnBackwardTraffic(s) * width, true));
    if (s.strategy.ep > 1) {
        const Bytes buffer = expertExchange(s);
        forward.collectives.push_back(
            {"expert dispatch and combine", CollectiveKind::AllToAll, parallel::Axis::Ep, buffer, 2});
        backward.collectives.push_back(
            {"expert dispatch and combine gradients", CollectiveKind::AllToAll, parallel::Axis::Ep, buffer, 2});
    }
    if (moe.sharedExperts == 0)
        return;
    const std::size_t forwardBefore = forward.operators.size();
    const std::size_t backwardBefore = backward.operators.size();
    addFfn(s, sharedWidth(moe), forward, backward);
    for (std::size_t i = forwardBefore; i < forward.operators.size(); ++i)
        forward.operators[i].sharedExpert = true;
    for (std::size_t i = backwardBefore; i < backward.operators.size(); ++i)
        backward.operators[i].sharedExpert = true;
}

/// Whether what feeds the products of the layer travels in the FP8 that they read.
bool gathersNarrow(const plan::Training& training)
{
    return training.software.narrowGathers && hasNarrowProducts(training);
}

/// Share of a forward operator that the stack's selective recomputation repeats.
double repeatedShare(const Operator& op, plan::SelectiveRecompute selective)
{
    using enum plan::SelectiveRecompute;
    if (op.name.starts_with("Mamba-2")) // whose kernels keep what they need
        return 0;
    if (op.name == names::kAttentionCasts) // of what is kept in 16 bits
        return selective == Modules ? 0 : 1;
    if (op.name == names::kRingKeys || op.name == names::kRingOutputs) // with the attention that they are part of
        return selective == AttentionCore ? 1 : 0;
    if (selective == EveryOtherProduct)
        return op.kind == OperatorKind::Elementwise || op.kind == OperatorKind::Streaming ? 1 : op.repeated;
    if (op.attentionCore) {
        const bool unfused = op.kind == OperatorKind::BatchedMatmul || op.kind == OperatorKind::ScoreTraffic;
        return selective == AttentionCore || unfused ? 1 : 0;
    }
    if (selective == AttentionCore)
        return 0;
    if (op.name == names::kNorms)
        return 8.0 / 22; // two norms read and write the stream; the rest of that traffic is residuals and dropout
    return op.name == names::kQueryUp || op.name == names::kKvUp || op.name == names::kFfnActivation
            || op.name == names::kExpertActivation
        ? 1
        : 0;
}

/// TP traffic of the block: Shoeybi et al., arXiv 1909.08053, section 3; Korthikanti et al., arXiv 2205.05198,
/// section 4.2. Of a mixer and an FFN each.
void addBlockCollectives(const LayerShape& s, Pass& forward, Pass& backward)
{
    const double modules = moduleShares(s.model).norms();
    const Bytes hidden(s.tokens * s.model.hidden * s.element);
    const Bytes gathered = gathersNarrow(s.training) ? Bytes(s.tokens * s.model.hidden) : hidden;
    using enum CollectiveKind;
    if (s.strategy.tp > 1 && s.strategy.sequenceParallel) {
        forward.collectives.push_back(
            {"all-gather of column inputs", AllGather, parallel::Axis::Tp, gathered, modules});
        forward.collectives.push_back(
            {"reduce-scatter of row outputs", ReduceScatter, parallel::Axis::Tp, hidden, modules});
        backward.collectives.push_back(
            {"all-gather of row gradients", AllGather, parallel::Axis::Tp, gathered, modules});
        backward.collectives.push_back(
            {"reduce-scatter of column gradients", ReduceScatter, parallel::Axis::Tp, hidden, modules});
        const double regather = s.training.software.sequenceParallelRegather;
        if (regather > 0)
            backward.collectives.push_back(
                {"re-gather of column inputs", AllGather, parallel::Axis::Tp, gathered, modules * regather});
    } else if (s.strategy.tp > 1) {
        forward.collectives.push_back({"all-reduce of row outputs", AllReduce, parallel::Axis::Tp, hidden, modules});
        backward.collectives.push_back(
            {"all-reduce of column gradients", AllReduce, parallel::Axis::Tp, hidden, modules});
    }
}

/// Parameters of one layer on one rank: matrices divided by t; norms, router, MLA down-projections and the indexer
/// replicated.
void countParameters(const LayerShape& s, bool moe, LayerWork& work)
{
    const model::ParameterCount counts = parameters(s.model);
    const model::ModuleShares shares = moduleShares(s.model);
    double ofAttention = double(counts.indexer); // what every rank has of it, and of an FFN, norms apart
    if (s.model.mla)
        ofAttention +=
            double(s.model.hidden) * (s.model.mla->queryRank + s.model.mla->kvRank + s.model.mla->ropeHeadDim);
    double ofFfn = 0;
    if (moe) {
        ofFfn = double(s.model.hidden) * s.model.moe->experts;
        work.expertParameters = shares.ffn * double(counts.moeRouted) / (double(s.strategy.ep) * s.strategy.etp);
    }
    const double norm = s.model.hidden * (s.model.norm == model::Norm::Layer ? 2.0 : 1.0);
    const auto divided = [&](double whole, double replicated) { return replicated + (whole - replicated) / s.t; };
    const double attention = divided(double(counts.attention), norm + ofAttention);
    const double mamba = divided(double(counts.mamba), norm);
    const double ffn = divided(double(moe ? counts.moeFfn - counts.moeRouted : counts.denseFfn), norm + ofFfn);
    work.parameters = shares.attention * attention + shares.mamba * mamba + shares.ffn * ffn;
    const bool apart = s.model.mamba2 && s.model.mamba2->ffnLayers;
    const double mixer = std::max(shares.attention > 0 ? attention : 0, shares.mamba > 0 ? mamba : 0);
    const double dense = shares.ffn > 0 ? ffn : 0; // and of an FFN its experts:
    const double experts = moe && shares.ffn > 0 ? work.expertParameters / shares.ffn : 0;
    const bool ofMixer = apart && mixer >= dense + experts;
    work.largestShared = apart ? (ofMixer ? mixer : dense) : mixer + dense;
    work.largestExperts = ofMixer ? 0 : experts;
}

/// What the layers without a module do not run.
void sharedOut(Pass& module, double share, Pass& layer)
{
    for (Operator& op : module.operators) {
        op.share = share;
        layer.operators.push_back(op);
    }
    for (Collective& collective : module.collectives) {
        collective.count *= share;
        layer.collectives.push_back(collective);
    }
}

void addAttention(const LayerShape& s, Pass& forward, Pass& backward)
{
    addColumnProjections(s, forward);
    const std::size_t columns = forward.operators.size();
    for (std::size_t i = 0; i < columns; ++i)
        addMatmulBackward(backward, forward.operators[i]);
    if (s.model.dsa)
        addIndexer(s, forward, backward);
    addAttentionCore(s, forward, backward);
    const Operator projection =
        matmul(names::kAttentionOutput, s.tokens, s.model.hidden, s.model.heads / s.t * headDims(s.model).value, 1);
    forward.operators.push_back(projection);
    addMatmulBackward(backward, projection);
}

/// That recomputation which stops early leaves out.
void markLast(Pass& module)
{
    const auto last = std::find_if(module.operators.rbegin(), module.operators.rend(),
        [](const Operator& op) { return op.kind == OperatorKind::Matmul || op.kind == OperatorKind::GroupedMatmul; });
    last->endsLayer = true;
}

/// The modules of a model whose layers do not all have the same.
void addModules(const LayerShape& s, bool moe, Pass& forward, Pass& backward)
{
    const model::ModuleShares shares = moduleShares(s.model);
    const auto add = [&](double share, const auto& lower) {
        if (share == 0)
            return;
        Pass moduleForward, moduleBackward;
        lower(moduleForward, moduleBackward);
        if (s.model.mamba2->ffnLayers)
            markLast(moduleForward);
        sharedOut(moduleForward, share, forward);
        sharedOut(moduleBackward, share, backward);
    };
    add(shares.mamba, [&](Pass& f, Pass& b) { addMamba(s, f, b); });
    add(shares.attention, [&](Pass& f, Pass& b) {
        addAttention(s, f, b);
        addContext(s, f, b);
    });
    addBlockElementwise(s, forward, backward);
    add(shares.ffn, [&](Pass& f, Pass& b) {
        if (moe)
            addExperts(s, f, b);
        else
            addFfn(s, s.model.ffnHidden, f, b);
    });
    addBlockCollectives(s, forward, backward);
}

} // namespace

HeadDims headDims(const model::Transformer& model)
{
    if (model.mla)
        return {double(model.mla->nopeHeadDim + model.mla->ropeHeadDim), double(model.mla->valueHeadDim)};
    return {double(model.headDim), double(model.headDim)};
}

HeadDims coreDims(const LayerShape& s)
{
    if (s.absorbed)
        return {double(s.model.mla->kvRank + s.model.mla->ropeHeadDim), double(s.model.mla->kvRank)};
    return headDims(s.model);
}

double keyValueWidth(const LayerShape& s)
{
    if (s.absorbed) // one latent vector for all heads
        return double(s.model.mla->kvRank) + s.model.mla->ropeHeadDim;
    const HeadDims dims = headDims(s.model);
    return localKvHeads(s) * (dims.key + dims.value);
}

double localKvHeads(const LayerShape& s)
{
    return s.model.mla ? s.model.heads / s.t : std::max(1.0, s.model.kvHeads / s.t);
}

double sharedWidth(const model::MixtureOfExperts& moe)
{
    return double(moe.sharedExperts) * (moe.sharedExpertFfn > 0 ? moe.sharedExpertFfn : moe.expertFfn);
}

double routedTokens(const LayerShape& s)
{
    const model::MixtureOfExperts& moe = *s.model.moe;
    const double balance = moe.capacityFactor > 0 ? moe.capacityFactor : moe.imbalance;
    return s.tokens * moe.topK * balance * s.strategy.etp / s.t;
}

Bytes expertExchange(const LayerShape& s)
{
    const double copies = s.training.software.dispatchOnce ? dispatchedShare(*s.model.moe, s.strategy.ep) : 1;
    return Bytes(routedTokens(s) / s.strategy.etp * copies * s.model.hidden * s.element);
}

void addMatmulBackward(Pass& backward, const Operator& forward)
{
    Operator input = forward; // dX[m,k] = dY[m,n] W^T
    std::swap(input.n, input.k);
    input.backward = true;
    input.cast = input.batch * input.m * input.k; // of the output's gradient, for both products
    input.repeated = 0;
    Operator weight = forward; // dW[n,k] = dY^T X
    weight.m = forward.n;
    weight.n = forward.k;
    weight.k = forward.m;
    weight.backward = true;
    weight.weightGradient = true;
    weight.cast = 0;
    weight.repeated = 0;
    backward.operators.push_back(input);
    backward.operators.push_back(weight);
}

bool hasNarrowProducts(const plan::Training& training)
{
    const model::Precision p = training.precision;
    return p == model::Precision::Fp8 || p == model::Precision::Mxfp8 || p == model::Precision::Nvfp4
        || p == model::Precision::Int8;
}

double attentionElement(const LayerShape& s)
{
    return hasNarrowAttention(s.training) ? 1 : s.element;
}

LayerShape layerShape(const plan::Plan& plan)
{
    const model::Transformer& model = plan.model;
    const double s = plan.training.sequenceLength;
    // A causal query sees half the keys on average; a window of w tokens lets it see at most w of them.
    // Packed documents are as many short sequences to it; a score matrix that is materialised stays whole.
    const double length = attentionLength(plan.training);
    const auto seen = [length](double window) { return model::seenKeys(window, length); };
    double keys = length / 2;
    if (model.slidingWindow) {
        const double local = seen(*model.slidingWindow);
        const double interval = model.slidingWindowInterval;
        keys = interval > 1 ? (local * (interval - 1) + length / 2) / interval : local;
    }
    const double t = plan.strategy.tp;
    const double blockKeys = isRing(plan.strategy) ? length / plan.strategy.cp / 2 : keys;
    LayerShape shape{model, plan.training, plan.strategy, plan.strategy.microBatch * s / plan.strategy.cp, keys,
        blockKeys, s, t, plan.strategy.sequenceParallel ? t : 1.0, storageBytes(plan.training.precision)};
    if (model.dsa) {
        shape.indexedKeys = keys;
        shape.pickedKeys = seen(model.dsa->topK);
        shape.absorbed = true;
        const HeadDims latent = coreDims(shape), whole = headDims(model);
        // What context ranks exchange is the latent vectors.
        shape.absorbed =
            plan.strategy.cp > 1 || shape.pickedKeys * (latent.key + latent.value) < keys * (whole.key + whole.value);
        if (shape.absorbed)
            shape.keys = shape.pickedKeys;
    }
    return shape;
}

LayerWork lowerLayer(const LayerShape& s, bool moe)
{
    LayerWork work;
    work.forward.operators.reserve(16);
    work.backward.operators.reserve(24);
    Pass& forward = work.forward;
    Pass& backward = work.backward;
    if (s.model.mamba2) {
        addModules(s, moe, forward, backward);
    } else {
        addAttention(s, forward, backward);
        addBlockElementwise(s, forward, backward);
        if (moe)
            addExperts(s, forward, backward);
        else
            addFfn(s, s.model.ffnHidden, forward, backward);
        addBlockCollectives(s, forward, backward);
        addContext(s, forward, backward);
    }
    for (Operator& op : forward.operators)
        op.repeated = repeatedShare(op, s.training.software.selectiveRecompute);
    work.activations = layerActivations(s, moe);
    countParameters(s, moe, work);
    return work;
}

} // namespace stratoplan::workload
