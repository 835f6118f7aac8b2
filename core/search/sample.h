// SPDX-License-Identifier: Apache-2.0
// Strategies evenly drawn from a space and priced, good or not: what a space looks like, of which a search prices only
// the best.
#pragma once

#include "core/search/search.h"

#include <functional>
#include <span>
#include <vector>

namespace stratoplan::search {

struct SampledStrategy {
    parallel::Strategy strategy;
    model::Precision precision = model::Precision::Bf16;
    Seconds step{};
    Bytes peak{};
    bool fits = false; ///< with the headroom of the options
    bool operator==(const SampledStrategy&) const = default;
};

/// Called with what was priced since the last call.
using SampleCallback = std::function<void(std::span<const SampledStrategy>)>;

/// Draws at most `most` strategies, all of them if the space has no more: every so manieth leaf of the tree that
/// search() walks through, in passes that each cover the whole space, so that what came first is a fair picture too.
/// Steps are timed as options.mode says. Always the same for the same arguments; one thread. Stopped: what came by then
/// has been told. Precondition: as of search().
void sample(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options, std::int64_t most,
    const std::stop_token& stop, const SampleCallback& priced);

} // namespace stratoplan::search
