// SPDX-License-Identifier: Apache-2.0
// The best split of a plan's layers over its stages: how many each stage gets, how they are recomputed (not at all,
// selectively, so many of them in full, all), and where asked for with which TP, so that every stage stays within its
// memory and the step is least, transfers and resharding between stages included. Degrees, schedule and everything else
// stay as they are. What is least is a bound of the step (stepBound(), core/pipeline), exactly over all of these
// choices: split_chain.h and fold_split.h have the programmes and why they are. Simulated, another split may be the
// better one: it is looked for from there (split_polish.h), and the least bound says how much better any could be.
#pragma once

#include "core/catalog/catalog.h"
#include "core/parallel/strategy.h"
#include "core/pipeline/pipeline.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"

#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::split {

struct StageSplitOptions {
    bool recomputation = true; ///< chosen per stage; else as the plan has it
    bool tensorParallel = false; ///< chosen per stage too
    double headroom = 0; ///< share of the memory to leave free
    /// Go on from the least bound, the plan's own split and the most balanced one to the least simulated step near by.
    bool polish = true;
    const catalog::Catalog* catalog =
        &catalog::shippedCatalog(); ///< of the measured kernels that the plan's parts name
};

/// One stage of the answer.
struct SplitStage {
    int layers = 0;
    std::vector<int>
        chunks{}; ///< layers of each of its chunks, where it has several; in a two-way schedule of its two ways
    parallel::Recompute others = parallel::Recompute::None; ///< of the layers that are not recomputed in full
    int recomputedLayers = 0; ///< that are
    int tp = 1, dp = 1, microBatch = 1;
    Seconds passes{}; ///< of one micro-batch, both ways, with what blocks them
    Bytes peak{};
    bool operator==(const SplitStage&) const = default;
};

struct StageSplit {
    std::optional<parallel::Strategy>
        strategy; ///< nothing: no split stays within the memory, or none was found in time
    std::vector<SplitStage> stages;
    Seconds step{}; ///< of the strategy, simulated
    Seconds bound{}; ///< the least of any split, which no simulated step undercuts; the strategy's own where it was not
                     ///< polished
    bool proven = false; ///< that it is the least; false: stopped before
    std::int64_t labels = 0; ///< partial splits that were kept
};

/// Errors: the problems of the plan, or NotEstimable where no bound describes its stages one by one: a ZB-auto without
/// a limit, a vocabulary divided over the stages, interleaving with dense and expert layers, several chunks with a TP
/// per stage. The plan may need more memory than there is.
[[nodiscard]] tl::expected<StageSplit, std::vector<plan::Problem>> splitStages(
    const plan::Plan& plan, const StageSplitOptions& options = {}, const std::stop_token& stop = {});

} // namespace stratoplan::split
