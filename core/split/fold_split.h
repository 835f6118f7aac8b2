// SPDX-License-Identifier: Apache-2.0
// The best split of a pipeline that is folded in the middle (core/pipeline/folded_chain.h): place by place, from the
// ends of the model to its middle, each takes some of the next layers from the front and some from the back. A dynamic
// programme, and exact.
#pragma once

#include "core/pipeline/folded_chain.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::split {

/// One way for a place to run its layers.
struct FoldOption {
    pipeline::FoldedTerms terms;
    double bytes = 0; ///< of the stage that holds most; of unlike ones as if all had the most room
    std::array<double, 2> held{}; ///< bytes of the place's stages
    std::array<double, 2> passes{}; ///< seconds of a micro-batch both ways through the outer and the inner chunk
    std::array<std::int64_t, 2> ids{}; ///< the caller's
};

/// A place with the layers [front, front + outer) and [back - inner, back).
struct FoldChunks {
    int place = 0, front = 0, outer = 0, back = 0, inner = 0;
};

struct FoldSpace {
    pipeline::FoldedRules rules;
    int layers = 1;
    bool evenly = false; ///< a place's layers are shared out evenly over its chunks, the odd one to the outer (a V)
    double limit = std::numeric_limits<double>::infinity();
    /// A number for what the layers [first, first + count) are: the same for what is alike.
    std::function<int(int first, int count)> kind;
    /// Options of a place, the one with least work among them; of those beyond `longest`, what a step takes at most,
    /// any may be left out. Asked once for all that are alike. More layers of a chunk are never less work and never
    /// fewer bytes.
    std::function<std::vector<FoldOption>(const FoldChunks& fold, double longest)> options;
    double known = std::numeric_limits<double>::infinity(); ///< the bound of some split within the limit
};

struct FoldPlace {
    int outer = 0, inner = 0; ///< layers
    FoldOption option;
};

struct FoldAnswer {
    std::optional<std::vector<FoldPlace>>
        places; ///< nothing: no choice keeps every stage within the limit, or none was found in time
    double seconds = 0;
    bool proven = false; ///< false: stopped before
    std::int64_t labels = 0; ///< prefixes that were kept
};

/// Of options of one place, those within the limit that no other one equals or beats in every term; of equal ones the
/// first.
[[nodiscard]] std::vector<FoldOption> worthwhile(const std::vector<FoldOption>& all, double limit);

/// The split with the least bound within the limit. Of several with the same value, always the same one.
///
/// Exact. extended() is built of additions and maxima of what a prefix keeps with terms of the next place alone, none
/// of which fall in any of it, and what may follow depends on the layers that are left. So of two prefixes that leave
/// the same the one that is no more in all may stand for the other (split_chain.h). A place's own work is a bound of
/// the step: one that is beyond what a whole split is known to take is on no best one, and neither is one with more
/// layers; nor does one with more layers than the memory has room for fit.
[[nodiscard]] FoldAnswer bestFold(const FoldSpace& space, const std::stop_token& stop = {});

} // namespace stratoplan::split
