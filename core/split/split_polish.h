// SPDX-License-Identifier: Apache-2.0
// From a chain that is good in closed form to one that is good when simulated. The closed form leaves out what stages
// lose to transfers that come back too late; stages of equal length lose most by it. Layers move from stage to stage,
// and stages change their option or their layout, as long as the simulated step falls, or stays while the stages have
// less to do. Nothing is proven here.
#pragma once

#include "core/split/split_chain.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace stratoplan::split {

struct PolishSpace {
    /// Chooses anew what the stages [from, to] run their layers with, after these have moved; false: no choice stays
    /// within the memory.
    std::function<bool(std::vector<ChainStage>& chain, std::size_t from, std::size_t to)> settle;
    /// Worthwhile options of a stage with the layers [first, first + count) in a layout.
    std::function<std::vector<StageOption>(int stage, int first, int count, int layout)> options;
    int layouts = 1;
    std::vector<int> lastOf{}; ///< by layout of the first stage the one that the last stage then needs; empty: any
    /// Simulated seconds of a chain; infinite where they are known to be above `known`.
    std::function<double(const std::vector<ChainStage>& chain, double known)> seconds;
};

/// Takes the option with the shortest passes; false: there is none.
[[nodiscard]] bool takeFastest(ChainStage& stage, const std::vector<StageOption>& options);

[[nodiscard]] std::vector<ChainStage> polished(
    std::vector<ChainStage> chain, const PolishSpace& space, const std::stop_token& stop);

} // namespace stratoplan::split
