// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: what a sequence needs of memory however the rest of its strategy is settled, and what
// pipelines hold of it: a bound of peaks from a few numbers.
#pragma once

#include "core/plan/plan.h"
#include "core/pricing/stage_shares.h"
#include "core/units/quantity.h"

#include <span>
#include <vector>

namespace stratoplan::pricing {

class Works;

/// One sequence of a micro-batch on one rank, run in one way. A micro-batch of several needs as often as much: all its
/// tensors are as long as its tokens are many.
struct SequenceBytes {
    struct Layer {
        Bytes kept{}; ///< of every micro-batch in flight
        Bytes away{}; ///< that on the host instead
        Bytes beside{}; ///< while a backward pass runs through it
    };
    Layer dense, moe;
    Bytes logits{}; ///< of the whole vocabulary while it is predicted
    Bytes transfers{}; ///< where there are several stages
};

/// Parameters of a layer on one rank, with their gradients and states.
struct LayerStates {
    struct Layer {
        Bytes step{}; ///< all the time
        Bytes beside{}; ///< gathered while a backward pass runs through it
    };
    Layer dense, moe;
};

/// What one stage of a pipeline holds at the least.
struct HeldLayers {
    int denseLayers = 0, moeLayers = 0;
    double inFlight = 0; ///< micro-batches
    double predicts = 0; ///< share of the vocabulary
    bool sends = false;
};

/// TP, CP, its method, sequence parallelism, recomputation, whether activations are offloaded. Whatever EP and expert
/// TP: they pass on as many tokens, or more, so that undivided experts need least.
[[nodiscard]] SequenceBytes sequenceBytes(const plan::Plan& plan, Works& works);
/// The same of layers that are divided in space and time, however that is done: no part of anything is held twice.
[[nodiscard]] SequenceBytes dividedSequenceBytes(const plan::Plan& plan, Works& works);
[[nodiscard]] LayerStates dividedLayerStates(const plan::Plan& plan, Works& works);
/// Without those that need no less of anything than another one.
[[nodiscard]] std::vector<SequenceBytes> leanest(const std::vector<SequenceBytes>& ways);

/// Degrees, EP, expert TP, ZeRO stage over all replicas, whether the optimizer is offloaded.
[[nodiscard]] LayerStates layerStates(const plan::Plan& plan, Works& works);

/// Degrees, micro-batch, schedule, chunks, place of the vocabulary: of the stages of the plan those that hold more of
/// something than the others. Nothing in flight where a schedule shares out activations between unlike chunks, or holds
/// as many as there is room for.
[[nodiscard]] std::vector<HeldLayers> heldLayers(const plan::Plan& plan);
/// The same of stages that hold so much or more, the vocabulary at the ends.
[[nodiscard]] std::vector<HeldLayers> heldLayers(const plan::Plan& plan, std::span<const StageShare> stages);

/// At most the peak of every strategy with micro-batches of `sequences` that holds so much, run in one of these ways,
/// with one of these states: tables, their gradients, and padding come on top. Infinite where the host has no room.
[[nodiscard]] Bytes leastPeak(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
    std::span<const HeldLayers> stages, int sequences, Bytes reserve, Bytes hostCapacity);

} // namespace stratoplan::pricing
