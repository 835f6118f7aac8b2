// SPDX-License-Identifier: Apache-2.0
// Exact search: the best strategy of a space for a plan, the Pareto front of throughput against peak memory, and why
// the rest lost. Branch and bound over a SpaceTree (resources/docs/SEARCH.md): a subtree is dropped only if something
// known is strictly better than the bound of all it holds, so that the answer is that of pricing everything, ties
// included. It does not depend on the number of threads: what a round of subtrees is measured against is settled before
// the round.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/evidence.h"
#include "core/plan/search_settings.h"
#include "core/plan/search_space.h"
#include "core/search/front.h"
#include "core/search/prune_rule.h"
#include "core/space/schedules.h"
#include "core/space/space_framework.h"

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

namespace stratoplan::search {

struct SearchOptions {
    plan::SearchMode mode = plan::SearchMode::ClosedForm;
    plan::Objective objective = plan::Objective::Throughput;
    FrontKind keep = FrontKind::Whole;
    /// Also the front of step, peak memory and accelerators in use, all of which are better when less. Precondition:
    /// the whole front is kept, and the objective is the throughput or the tokens per cost or energy.
    bool byAccelerators = false;
    bool exhaustive = false; ///< price every strategy: no rule is used
    std::set<PruneRule> off{}; ///< rules not to use
    double headroom = 0; ///< share of an accelerator's memory that stays free
    Seconds longestStep{}; ///< of Objective::Deadline
    Seconds longestOfUse{}; ///< of Objective::Throughput: longer steps need not be found; 0 = all are of use
    int threads = 0; ///< 0 = as many as the machine has
    const catalog::Catalog* catalog =
        &catalog::shippedCatalog(); ///< of the measured kernels that the plan's parts name
    const estimate::RangeEvidence* evidence = &estimate::shippedEvidence(); ///< of Objective::Robust
    /// Which a step must not exceed; infinite where it may.
    [[nodiscard]] Seconds limitOfStep() const
    {
        if (objective == plan::Objective::Deadline)
            return longestStep;
        const bool isLimited = objective == plan::Objective::Throughput && longestOfUse.value() > 0;
        return isLimited ? longestOfUse : Seconds(std::numeric_limits<double>::infinity());
    }
    bool operator==(const SearchOptions&) const = default;
};

struct SearchResult {
    plan::SearchMode mode = plan::SearchMode::ClosedForm;
    bool proven = false; ///< nothing better is left in the space
    double gap = 0; ///< at most so much shorter, as a share, may a step be that was not reached when stopped
    std::int64_t space =
        0; ///< strategies; so far, if it was stopped before all divisions of fewer accelerators were laid out
    bool counted = false; ///< all of them
    std::vector<int> unusedShards; ///< groups that the space lists (SearchSpace::zeroShards) and the replicas of no
                                   ///< strategy can form
    space::FrameworkCounts taken{}; ///< strategies beside these that the target framework of the space does not run, by
                                    ///< the first rule; so far, as above
    std::int64_t evaluated = 0; ///< of which their step was priced, or simulated if that is the mode
    PruneCounts pruned{}; ///< the rest, by rule; and if stopped those that nobody looked at
    std::int64_t unvisited = 0;
    double seconds = 0;
    int threads = 1;
    std::vector<FoundStrategy> front; ///< by rising peak; equal ones in order. Best kept only: that point
    std::optional<FoundStrategy> best; ///< of least value, then least peak, then first in order
    /// Where asked for: strategies that fit and that no other one is no worse than in step, peak memory and
    /// accelerators in use, and better in one of them. By rising accelerators, then rising peak.
    std::vector<FoundStrategy> byAccelerators;
};

struct SearchProgress {
    std::int64_t space = 0; ///< 0: not counted yet, which a first answer does not wait for
    std::int64_t decided = 0, evaluated = 0;
    double seconds = 0;
    std::optional<FoundStrategy> best;
    bool preliminary = false; ///< what is simulated begins with a search in closed form: all of this is of that one
    double gap = 1; ///< as of a result that is stopped now; 1 before anything is found, or all is counted
    std::vector<FoundStrategy> front; ///< found so far
};
using SearchProgressCallback = std::function<void(const SearchProgress&)>;

/// Precondition: check() and notEstimable() find no error in the plan, but for its strategy. Stopped: what is known by
/// then.
[[nodiscard]] SearchResult search(const plan::Plan& plan, const plan::SearchSpace& space,
    const SearchOptions& options = {}, const std::stop_token& stop = {}, const SearchProgressCallback& progress = {});

[[nodiscard]] int machineThreads();

/// Those that take part in a search. ZB-auto with an open limit fills the memory, and what it holds would not fall with
/// what is sharded: not where some has to stay free.
[[nodiscard]] space::Schedules schedulesOf(const SearchOptions& options);

} // namespace stratoplan::search
