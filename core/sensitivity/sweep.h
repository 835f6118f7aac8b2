// SPDX-License-Identifier: Apache-2.0
// One input, or two, over many values: what the plan comes to at each, as it is or with the best strategy there. Grids
// of whole studies are core/exchange/study.h.
#pragma once

#include "core/plan/search_space.h"
#include "core/sensitivity/outcome.h"

#include <optional>
#include <vector>

namespace stratoplan::sensitivity {

/// An input and its values, in base units.
struct Axis {
    Input input;
    std::vector<double> values;
};
/// Evenly spaced; whole inputs have each value once. Precondition: count >= 2.
[[nodiscard]] std::vector<double> spaced(const Input& input, double from, double to, int count);
/// The range of an input, where it is uncertain; else from half of it to twice as much, in even ratios. Nine values, or
/// fewer whole ones.
[[nodiscard]] std::vector<double> usualValues(const Input& input);

struct SweepPoint {
    double x = 0, y = 0; ///< values of the axes; y is 0 where there is one
    std::optional<Outcome> outcome; ///< nothing: no plan to price, or no strategy fits
    parallel::Strategy strategy; ///< that the outcome is of
    Problems problems; ///< why there is none; empty where no strategy fits
    bool isDone = false; ///< else it was stopped before
};

struct SweepOptions {
    std::optional<plan::SearchSpace> space; ///< the best strategy of it at each point; nothing: the plan's own
    plan::Objective objective = plan::Objective::Throughput; ///< of that search
    int threads = 0;
    Progress progress;
};

/// By x, then by y. Precondition: the case has the inputs.
[[nodiscard]] std::vector<SweepPoint> sweep(const Case& given, const Axis& x, const std::optional<Axis>& y = {},
    const SweepOptions& options = {}, const std::stop_token& stop = {});

} // namespace stratoplan::sensitivity
