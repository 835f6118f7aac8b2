// SPDX-License-Identifier: Apache-2.0
// All that a report tells, worked out before a word of it is written: the plan's estimate and run, the strategies that
// a search finds beside it, the plans that a person pinned, the pipeline of a step, and how far estimates are from what
// was measured.
#pragma once

#include "core/capacity/capacity.h"
#include "core/exchange/document.h"
#include "core/search/search.h"
#include "core/validation/report.h"

#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::report {

/// A plan that is told of.
struct Candidate {
    std::string name; ///< "This plan", "A", "B", or as it is pinned
    std::string kind; ///< what it is, in a few words
    plan::Plan plan;
    estimate::Estimate estimate;
    plan::CapacityInputs inputs;
    capacity::Capacity run; ///< all zero without a budget
};

struct Facts {
    Candidate chosen;
    bool assumesTokens = false; ///< nobody states a budget: that of the model's published training
    std::vector<Candidate> found; ///< two at the most: what may be better first
    std::vector<Candidate> pinned; ///< three at the most
    std::size_t morePinned = 0; ///< beyond these, and those that have no estimate
    search::SearchResult search;
    std::string space; ///< that was searched
    std::optional<pipeline::Timeline> timeline; ///< nothing where it is too long to draw
    validation::ValidationReport validation; ///< of the cases that ship
    std::vector<capacity::Assumption> assumptions;
    std::string json; ///< the plan
    std::string version; ///< of the program
};

enum class Stage { Estimate, Search, Validation, Writing };
struct Progress {
    Stage stage{};
    double share = 0; ///< of the stage, 0 to 1
};
using ProgressCallback = std::function<void(const Progress&)>;

/// Errors: the problems that keep the plan from being estimated; none where it is asked to stop.
[[nodiscard]] tl::expected<Facts, std::vector<plan::Problem>> gather(const exchange::Document& document,
    const std::string& version, const std::stop_token& stop = {}, const ProgressCallback& progress = {});

/// A chance of not fitting above which nothing is recommended.
inline constexpr double kRiskyChance = 0.1;

/// The chance that the peak of memory lies above the capacity: both halves of the range of the peak are those of a
/// normal distribution of its logarithm, as of the other ranges (core/capacity/spread.h). 0 or 1 without a range.
[[nodiscard]] double chanceOfNoRoom(const estimate::Memory& memory);

} // namespace stratoplan::report
