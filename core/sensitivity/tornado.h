// SPDX-License-Identifier: Apache-2.0
// What each input does alone: everything priced anew with it at its tenth percentile, and at its ninetieth.
#pragma once

#include "core/sensitivity/outcome.h"

#include <vector>

namespace stratoplan::sensitivity {

namespace detail {
class Parallel; // parallel.h, which is no header for programs that have Qt's keywords
}

struct Bar {
    Input input; ///< with the range that it was priced at
    Outcome low, high; ///< with the input at its tenth, ninetieth percentile
};

/// Ends of a bar, of one measure: low <= high, whichever end of the input they are of.
struct Reach {
    double low = 0, high = 0;
    [[nodiscard]] double width() const { return high - low; }
};
[[nodiscard]] Reach reachOf(const Bar& bar, Measure measure, double base);
/// By falling width; those of none, or that do not know the measure, are left out.
[[nodiscard]] std::vector<Bar> byEffect(std::vector<Bar> bars, Measure measure, const Outcome& base);
/// Whether any measure moves with it.
[[nodiscard]] bool hasEffect(const Bar& bar, const Outcome& base);

/// The outcome of the case with other values of inputs, by key; one that takes forever where it cannot be priced.
using Values = std::vector<std::pair<std::string, double>>;
[[nodiscard]] Case with(Case changed, const Values& values);
[[nodiscard]] Outcome outcomeWith(const Case& given, const Values& values, const std::stop_token& stop);

/// One bar for each input that is uncertain; fewer if it was stopped.
[[nodiscard]] std::vector<Bar> tornado(const Case& given, const std::vector<Input>& inputs, detail::Parallel& work);

/// By how much the inputs may be narrowed together so that they explain no more than `kShared` of the variance of the
/// measured range: errors of constants and rates are part of what measured runs differ from their estimates by.
/// At most 1. `low`, `high`: of the range, over the estimate.
[[nodiscard]] double narrowing(
    const std::vector<Bar>& bars, Acts acts, Measure measure, double base, double low, double high);

} // namespace stratoplan::sensitivity
