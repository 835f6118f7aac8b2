// SPDX-License-Identifier: Apache-2.0
// The best chain of stages. A chain is what the bound of a pipeline in one direction sees of it
// (core/pipeline/stage_chain.h): of each stage its passes, what it sends, and the end of its step. bestChain() chooses
// for every stage how many of the next layers it gets, which of several options (recomputation) it runs them with, and
// which layout (tensor parallelism) it has, where a boundary costs what the layouts on both sides make it cost. It is a
// dynamic programme, and exact.
#pragma once

#include "core/pipeline/stage_chain.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::split {

/// One way for a stage to run some layers: without what its boundaries add.
struct StageOption {
    pipeline::StageTerms terms;
    double bytes = 0;
    std::int64_t id = 0; ///< the caller's
};

/// What a boundary adds to the stage above it and to the one below.
struct BoundaryTerms {
    double forward = 0, backward = 0; ///< to the forward pass of the upper, the backward pass of the lower stage
    double sendForward = 0, sendBackward = 0;
    double reshardForward = 0, reshardBackward = 0; ///< of what is sent, by its receiver
};

/// What there is to choose from. Layers are numbered from the front, layouts from 0.
struct ChainSpace {
    pipeline::ChainRules rules;
    int stages = 1;
    int layers = 1;
    int layouts = 1;
    std::vector<double> limits{}; ///< bytes of each stage; empty: none has one
    bool alikeLayers = false; ///< options depend on the number of layers, not on which they are
    int leastLayers = 1; ///< of every stage but the first and the last, which may have none
    /// Options of a stage with the layers [first, first + count) in a layout; asked once for each.
    std::function<std::vector<StageOption>(int stage, int first, int count, int layout)> options;
    /// Between stage `upper` and the next one.
    std::function<BoundaryTerms(int upper, int upperLayout, int lowerLayout)> boundary;
    std::vector<int> lastOf{}; ///< by layout of the first stage the one that the last stage then needs; empty: any

    [[nodiscard]] double limitOf(int stage) const
    {
        return limits.empty() ? std::numeric_limits<double>::infinity() : limits[std::size_t(stage)];
    }
};

struct ChainStage {
    int layers = 0;
    int layout = 0;
    StageOption option;
};

struct ChainAnswer {
    std::optional<std::vector<ChainStage>>
        stages; ///< nothing: no choice keeps every stage within its limit, or none was found in time
    double seconds = 0;
    bool proven = false; ///< false: stopped before
    std::int64_t labels = 0; ///< prefixes that were kept
};

/// Of options of one stage, those within the limit that no other one equals or beats in every term; of equal ones the
/// first.
[[nodiscard]] std::vector<StageOption> worthwhile(const std::vector<StageOption>& all, double limit);

/// The chain with the least bound within the limits. Of several with the same value, always the same one.
///
/// Exact. extended() is built of additions and maxima of what a prefix keeps (fill, tail, longest, round trips) with
/// terms of the next stage alone, so it does not fall in any of it, and neither do their rounded values: rounding keeps
/// order. The terms of a stage depend on its own layers, option and layout and on the layouts of its neighbours, and
/// its memory on its own choice. So of two prefixes that end at the same layer with the same layouts of their last
/// stage and of the next one, whatever follows the one may follow the other, and where the one is no more than the
/// other in all of it, so is every completion. Dropping the other keeps the best value, to the last bit. The same holds
/// for an option that is no more than another one of the same stage in every term. A prefix whose `longest` exceeds a
/// value that a whole chain is known to have is on no best chain, as `longest` never falls.
[[nodiscard]] ChainAnswer bestChain(const ChainSpace& space, const std::stop_token& stop = {});

} // namespace stratoplan::split
