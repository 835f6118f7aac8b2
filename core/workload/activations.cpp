// SPDX-License-Identifier: Apache-2.0
#include "core/workload/layer.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::workload {
namespace {

Bytes& at(TensorBytes& tensors, KeptTensor tensor)
{
    return tensors[std::size_t(tensor)];
}

Bytes at(const TensorBytes& tensors, KeptTensor tensor)
{
    return tensors[std::size_t(tensor)];
}

/// Bytes of one element of what a product read, kept for its weight gradient.
double cachedElement(const LayerShape& s)
{
    return s.training.software.narrowCaches && hasNarrowProducts(s.training) ? 1 : s.element;
}

/// What the activation of an FFN read, in bytes per token and unit of width: its input, or gate and up.
double ffnInputs(const LayerShape& s)
{
    const bool narrow = s.training.software.narrowActivationInputs && hasNarrowProducts(s.training);
    return (narrow ? 1 : s.element) * (s.model.gatedMlp ? 2 : 1);
}

/// Bytes per token and unit of FFN width: input and output of the activation, whose backward pass computes SiLU(gate)
/// again where it is fused. Without fusion that is kept too.
double ffnTensors(const LayerShape& s, double cached)
{
    const bool separate = s.model.gatedMlp && !s.training.software.fusedElementwise;
    return ffnInputs(s) + (separate ? s.element : 0) + cached;
}

/// What is kept when all is repeated but the attention core and every second product: the input of the layer, queries,
/// values, the attention core's output, the gate (or, without one, the only column product of the FFN) and the output.
/// Products run in the order Q, K, V, attention output, gate, up, down.
TensorBytes everyOtherProduct(const LayerShape& s, const LayerActivations& a)
{
    using enum KeptTensor;
    const HeadDims dims = coreDims(s);
    const double heads = s.model.heads / s.t;
    const bool moe = at(a.tensors, ExpertIntermediates).value() > 0;
    TensorBytes kept{};
    at(kept, NormInputs) = a.input + Bytes(s.tokens * s.element * s.model.hidden / s.replicatedBy); // and the output
    at(kept, Qkv) = Bytes(
        s.tokens * s.element * (heads * dims.key + (s.absorbed ? keyValueWidth(s) : localKvHeads(s) * dims.value)));
    at(kept, Indexer) = at(a.tensors, Indexer);
    at(kept, AttentionOutput) = Bytes(s.tokens * s.element * heads * dims.value);
    at(kept, SoftmaxStatistics) = at(a.tensors, SoftmaxStatistics);
    at(kept, FfnIntermediates) = Bytes(moe ? 0 : s.tokens * s.element * s.model.ffnHidden / s.t);
    at(kept, RoutedTokens) = Bytes(moe ? routedTokens(s) * s.element * s.model.hidden : 0);
    at(kept, ExpertIntermediates) = 0.5 * at(a.tensors, ExpertIntermediates);
    return kept;
}

/// What is kept when norms, activations and up-projections are repeated from what they read.
TensorBytes withoutModules(const LayerShape& s, bool moe, TensorBytes kept)
{
    using enum KeptTensor;
    at(kept, Scores) = at(kept, ColumnInputs) = Bytes{};
    if (s.model.mla) // queries that are not compressed have nothing to be projected up from
        at(kept, Qkv) =
            Bytes(s.model.mla->queryRank > 0 ? 0 : s.tokens * s.element * s.model.heads / s.t * headDims(s.model).key);
    if (!moe) {
        at(kept, FfnIntermediates) = Bytes(s.tokens * ffnInputs(s) * s.model.ffnHidden / s.t);
        return kept;
    }
    at(kept, ExpertIntermediates) = at(kept, ExpertIntermediates) * (ffnInputs(s) / ffnTensors(s, cachedElement(s)));
    return kept;
}

/// `cached`, `read`: of an element that a product read, and attention.
void keepAttention(const LayerShape& s, double cached, double read, TensorBytes& kept)
{
    using enum KeptTensor;
    const model::Transformer& model = s.model;
    const HeadDims dims = headDims(model);
    const double heads = model.heads / s.t;
    const double e = s.element;
    at(kept, Qkv) = Bytes(s.tokens * read * (heads * dims.key + keyValueWidth(s)));
    // The attention kernel keeps its output as it is, the product behind it a narrow copy where it reads one.
    at(kept, AttentionOutput) = Bytes(s.tokens * (cached < e ? e + cached : e) * heads * dims.value);
    if (s.absorbed) { // queries and outputs on the latent vectors, beside those that products turn into them
        const HeadDims core = coreDims(s);
        at(kept, Qkv) += Bytes(s.tokens * e * heads * (core.key - model.mla->ropeHeadDim));
        at(kept, AttentionOutput) = Bytes(s.tokens * heads * (e * core.value + cached * dims.value));
    }
    if (model.dsa)
        at(kept, Indexer) = indexerActivations(s);
    if (model.mla)
        at(kept, LatentVectors) =
            Bytes(s.tokens * e * (model.mla->queryRank + model.mla->kvRank + model.mla->ropeHeadDim) / s.replicatedBy);
    if (s.training.attention == plan::AttentionKernel::Unfused)
        at(kept, Scores) = Bytes(s.tokens * s.scoreColumns * heads * (model.dropout ? 2 * e + 1 : e));
    else
        at(kept, SoftmaxStatistics) = Bytes(s.tokens * heads * 4);
}

/// `tensors`: bytes per token and unit of width; `cached`: of an element that a product read; `outputs`: whether those
/// of the experts are kept, too.
void keepFfn(const LayerShape& s, bool moe, double tensors, double cached, bool outputs, TensorBytes& kept)
{
    using enum KeptTensor;
    if (!moe) {
        at(kept, FfnIntermediates) = Bytes(s.tokens * tensors * s.model.ffnHidden / s.t);
        return;
    }
    const model::MixtureOfExperts& experts = *s.model.moe;
    const double routed = routedTokens(s);
    at(kept, RoutedTokens) = Bytes(routed * (cached + (outputs ? s.element : 0)) * s.model.hidden);
    at(kept, ExpertIntermediates) =
        Bytes(tensors * (routed * experts.expertFfn / s.strategy.etp + s.tokens * sharedWidth(experts) / s.t));
}

/// Gradients that are alive together while a block is differentiated: those of the FFN's intermediates with the one
/// that came in; of the scores before and after the softmax, or of queries, keys, values and the output of fused
/// attention.
void addGradients(const LayerShape& s, bool moe, LayerActivations& a)
{
    using enum KeptTensor;
    TensorBytes wide{}; // gradients are of the products' own type, and every tensor has one
    keepAttention(s, s.element, s.element, wide);
    const double tensors = !s.model.gatedMlp ? 2 : s.training.software.fusedElementwise ? 3 : 4;
    keepFfn(s, moe, s.element * tensors, s.element, true, wide);
    const Bytes stream(s.tokens * s.element * s.model.hidden / s.replicatedBy);
    a.ffnGradients =
        stream + (moe ? at(wide, ExpertIntermediates) + at(wide, RoutedTokens) : at(wide, FfnIntermediates));
    a.attentionGradients = stream + at(wide, Qkv) + at(wide, AttentionOutput);
    if (s.model.dsa)
        a.attentionGradients += indexerGradients(s);
    if (s.training.attention == plan::AttentionKernel::Unfused)
        a.attentionGradients += Bytes(2 * s.element * s.tokens * s.scoreColumns * s.model.heads / s.t);
}

/// Of one layer: what a module keeps, the inputs of its norm and of its products among it.
struct ModuleTensors {
    Bytes attention, ffn, mamba;
};

ModuleTensors moduleTensors(const LayerShape& s, const TensorBytes& kept)
{
    using enum KeptTensor;
    const Bytes inputs = 0.5 * (at(kept, NormInputs) + at(kept, ColumnInputs) + at(kept, DropoutMasks));
    return {inputs + at(kept, LatentVectors) + at(kept, Qkv) + at(kept, AttentionOutput) + at(kept, SoftmaxStatistics)
            + at(kept, Scores) + at(kept, Indexer),
        inputs + at(kept, FfnIntermediates) + at(kept, RoutedTokens) + at(kept, ExpertIntermediates),
        inputs + mambaActivations(s, cachedElement(s))};
}

void atShares(const LayerShape& s, const model::ModuleShares& shares, TensorBytes& kept)
{
    using enum KeptTensor;
    for (const KeptTensor each : {NormInputs, ColumnInputs, DropoutMasks})
        at(kept, each) *= shares.norms() / 2;
    for (const KeptTensor each : {LatentVectors, Qkv, AttentionOutput, SoftmaxStatistics, Scores, Indexer})
        at(kept, each) *= shares.attention;
    for (const KeptTensor each : {FfnIntermediates, RoutedTokens, ExpertIntermediates})
        at(kept, each) *= shares.ffn;
    at(kept, StateSpace) = shares.mamba * mambaActivations(s, cachedElement(s));
}

/// Of the layers that do not all have the same modules, the mean, and of what is alive at a time the most.
void mixModules(const LayerShape& s, LayerActivations& a)
{
    using enum KeptTensor;
    const model::ModuleShares shares = moduleShares(s.model);
    const ModuleTensors each = moduleTensors(s, a.tensors);
    atShares(s, shares, a.tensors);
    atShares(s, shares, a.selective);
    const auto ofMost = [&](Bytes attention, Bytes mamba) {
        return std::max(shares.attention > 0 ? attention : Bytes{}, shares.mamba > 0 ? mamba : Bytes{});
    };
    const bool apart = s.model.mamba2->ffnLayers.has_value();
    const Bytes mixer = ofMost(each.attention, each.mamba), ffn = shares.ffn > 0 ? each.ffn : Bytes{};
    a.beyondMean = (apart ? std::max(mixer, ffn) : mixer + ffn) - a.all();
    const Bytes stream(s.tokens * s.element * s.model.hidden / s.replicatedBy);
    a.attentionGradients = ofMost(a.attentionGradients, stream + mambaGradients(s));
    if (apart) // no FFN of the same layer is done by then
        a.attentionGradients +=
            at(a.tensors, FfnIntermediates) + at(a.tensors, RoutedTokens) + at(a.tensors, ExpertIntermediates);
    if (shares.ffn == 0)
        a.ffnGradients = {};
}

} // namespace

std::string_view name(KeptTensor tensor)
{
    switch (tensor) {
    case KeptTensor::NormInputs:
        return "norm inputs and residuals";
    case KeptTensor::ColumnInputs:
        return "norm outputs";
    case KeptTensor::LatentVectors:
        return "latent vectors";
    case KeptTensor::Qkv:
        return "queries, keys and values";
    case KeptTensor::AttentionOutput:
        return "attention output";
    case KeptTensor::SoftmaxStatistics:
        return "softmax statistics";
    case KeptTensor::Scores:
        return "attention scores";
    case KeptTensor::FfnIntermediates:
        return "FFN intermediates";
    case KeptTensor::RoutedTokens:
        return "dispatched tokens";
    case KeptTensor::ExpertIntermediates:
        return "expert intermediates";
    case KeptTensor::DropoutMasks:
        return "dropout masks";
    case KeptTensor::Indexer:
        return "indexer";
    case KeptTensor::StateSpace:
        return "Mamba-2 mixers";
    }
    return {};
}

Bytes sum(const TensorBytes& tensors)
{
    return std::accumulate(tensors.begin(), tensors.end(), Bytes{});
}

LayerActivations layerActivations(const LayerShape& s, bool moe)
{
    using enum KeptTensor;
    const double stream = s.tokens * s.element * s.model.hidden / s.replicatedBy;
    LayerActivations a;
    // Without fusion each of the two norms keeps the normed state that its weight scales.
    at(a.tensors, NormInputs) = Bytes((s.training.software.fusedElementwise ? 2 : 4) * stream);
    at(a.tensors, ColumnInputs) = Bytes(2 * stream * (cachedElement(s) / s.element));
    if (s.model.dropout) // two masks of one byte
        at(a.tensors, DropoutMasks) = Bytes(s.tokens * 2 * s.model.hidden / s.replicatedBy);
    keepAttention(s, cachedElement(s), attentionElement(s), a.tensors);
    keepFfn(
        s, moe, ffnTensors(s, cachedElement(s)), cachedElement(s), s.training.software.expertOutputsStay, a.tensors);
    a.input = Bytes(stream);
    if (s.training.software.selectiveRecompute == plan::SelectiveRecompute::EveryOtherProduct) {
        a.selective = everyOtherProduct(s, a);
    } else if (s.training.software.selectiveRecompute == plan::SelectiveRecompute::Modules) {
        a.selective = withoutModules(s, moe, a.tensors);
    } else {
        a.selective = a.tensors;
        at(a.selective, Scores) = at(a.selective, Indexer) = Bytes{};
        at(a.selective, Qkv) *= s.element / attentionElement(s); // which is cast again
    }
    addGradients(s, moe, a);
    if (s.model.mamba2)
        mixModules(s, a);
    if (s.replicatedBy > 1)
        a.gatheredColumns = Bytes(s.tokens * s.element * s.model.hidden);
    // The ring's next block arrives while attention works on the one before.
    if (s.strategy.cp > 1 && moduleShares(s.model).attention > 0)
        a.contextBlocks = contextBlocks(s.strategy.contextMethod, s.strategy.cp, contextTensors(s));
    return a;
}

TensorBytes keptTensors(const LayerActivations& a, parallel::Recompute recompute)
{
    switch (recompute) {
    case parallel::Recompute::None:
        return a.tensors;
    case parallel::Recompute::Selective:
        return a.selective;
    case parallel::Recompute::Full:
        break;
    }
    TensorBytes kept{};
    at(kept, KeptTensor::NormInputs) = a.input;
    return kept;
}

TensorBytes remadeTensors(const LayerActivations& a, parallel::Recompute recompute)
{
    const TensorBytes kept = keptTensors(a, recompute);
    TensorBytes remade{};
    for (std::size_t i = 0; i < remade.size(); ++i)
        remade[i] = a.tensors[i] - kept[i];
    for (const KeptTensor tensor : {KeptTensor::Qkv, KeptTensor::RoutedTokens}) // kept wider, they are cast again
        if (const Bytes read = at(a.tensors, tensor); at(kept, tensor) > read)
            at(remade, tensor) = read;
    return remade;
}

Bytes keptActivations(const LayerActivations& a, parallel::Recompute recompute)
{
    switch (recompute) {
    case parallel::Recompute::None:
        return a.all();
    case parallel::Recompute::Selective:
        return sum(a.selective);
    case parallel::Recompute::Full:
        return a.input;
    }
    return a.all();
}

} // namespace stratoplan::workload
