// SPDX-License-Identifier: Apache-2.0
// How the tensor-parallel ranks of a plan can divide its layers: the best partition in space and time beside Megatron's
// and data parallelism, and what is best for more or less memory.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/unlike_layers.h"
#include "core/partition/priced_layer.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::estimate {

/// The plan with its layers divided in one way.
struct PartitionEstimate {
    Seconds step{};
    Bytes peak{};
    bool fits = false;
    parallel::Strategy strategy; ///< with the partition of each operator
    partition::PricedLayer layer; ///< a micro-batch of one layer on each rank, its experts included
};

struct PartitionAnswer {
    int ranks = 1; ///< of the group
    int rankOfDomain = 1; ///< that share a scale-up domain
    Seconds spent{}; ///< by the programme
    std::vector<int> states; ///< ways to divide each operator
    PartitionEstimate best; ///< the cheapest that fits
    bool isLeanest = false; ///< none fits: the best is one that needs least, to within half a percent
    std::optional<PartitionEstimate>
        megatron; ///< columns and rows: the faster of with and without sequence parallelism; of steps that are alike
                  ///< to a hundredth, both no longer than the best's or neither, the one that needs less memory
    bool sequenceParallel = false; ///< of Megatron's
    std::optional<PartitionEstimate> otherMegatron; ///< the other of the two
    std::vector<plan::Problem> megatronProblems; ///< why there is neither
    std::optional<PartitionEstimate> dataParallel; ///< sequences of the micro-batch alone
    std::vector<PartitionEstimate>
        front; ///< by step: of the best in time or in memory, those that no other beats in both; lacksFront(): none
    bool isWholeFront = true; ///< else some of it (PlanProgramme::someOfFront()): of more than 16 ranks
    std::optional<UnlikeLayers> unlike; ///< if asked for; none where a layer can be divided in too many ways

    /// The best is known; its front was not looked for, or not to its end. A front that is known is never empty.
    [[nodiscard]] bool lacksFront() const { return front.empty(); }
    /// Of what fits of the front the fastest, if the best does not fit or has a longer step: it is the best of layers
    /// and of their parameters, whatever else of the step depends on them. Null: nothing, or nothing that is known.
    [[nodiscard]] const PartitionEstimate* faster() const;
    /// The same, or the best.
    [[nodiscard]] const PartitionEstimate& fastest() const;
    /// Of a strategy with Megatron's partition that is not what Megatron's is here, as it has the other sequence
    /// parallelism. Null: of any other.
    [[nodiscard]] const PartitionEstimate* otherMegatronOf(const parallel::Strategy& strategy) const;
    /// Megatron's fits, and has no longer step than what fits of the best and of what is known of its front; false
    /// where nothing of them fits.
    [[nodiscard]] bool prefersMegatron() const;
    /// The best divides every operator as Megatron's partition does: their steps differ by launches, repeated passes
    /// and buffers, which are counted operator by operator for the best.
    [[nodiscard]] bool dividesAsMegatron() const;
};

/// Why the layers of a plan cannot be divided in space and time, whatever its own partition; empty if they can.
[[nodiscard]] std::vector<plan::Problem> notDivisible(plan::Plan plan);

/// What is done one after the other.
enum class PartitionPhase { States, Best, Comparison, Front, UnlikeLayers };
struct PartitionProgress {
    PartitionPhase phase = PartitionPhase::States;
    double share = 0; ///< of all work, as far as that is known by then: it rises, and is 1 at the end
};
using PartitionProgressCallback = std::function<void(const PartitionProgress&)>;
using PartitionAnswerCallback = std::function<void(const PartitionAnswer&)>;

struct PartitionOptions {
    const catalog::Catalog* catalog = &catalog::shippedCatalog();
    bool compareUnlikeLayers = false; ///< which takes some seconds over 32 ranks
    std::stop_token stop{};
    PartitionProgressCallback progress{};
    PartitionAnswerCallback bestKnown{}; ///< told before the front is looked for: the answer without it;
                                         ///< and with it before unlike layers are compared, if they are
    const PartitionAnswer* known = nullptr; ///< of the same plan, what bestKnown was told: its front alone is found
};

/// Of a plan with TP of 2 or more, whatever its own partition, which names operators only where it divides them.
/// Errors: the problems that keep it from being priced; none where it is asked to stop before it has its answer.
[[nodiscard]] tl::expected<PartitionAnswer, std::vector<plan::Problem>> partitions(
    const plan::Plan& plan, const PartitionOptions& options = {});

/// The plan with the partition that it names, or the best, where it is spatial-temporal. Errors: as above.
[[nodiscard]] tl::expected<PartitionEstimate, std::vector<plan::Problem>> plannedPartition(const plan::Plan& plan,
    const catalog::Catalog& catalog = catalog::shippedCatalog(), const std::stop_token& stop = {});

} // namespace stratoplan::estimate
