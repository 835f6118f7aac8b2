// SPDX-License-Identifier: Apache-2.0
// What a plan and its run rest on, number by number: constants of the software, rates of accelerators and links, how
// often parts fail, prices. Each has a key, a unit, a value, where it is from, and, where it is not certain, the tenth
// and the ninetieth percentile of what it may be.
#pragma once

#include "core/plan/plan.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::sensitivity {

/// A plan and what is asked of its run.
struct Case {
    plan::Plan plan;
    plan::CapacityInputs run;
    bool operator==(const Case&) const = default;
};

/// What an input acts on first: errors of the first two are part of what measured runs differ from estimates by.
enum class Acts { Step, Peak, Run };

struct Input {
    std::string key; ///< "network_bandwidth", "matmul_factor"
    std::string unit; ///< symbol: "GB/s"; empty: a plain number
    double perUnit = 1; ///< base units in one unit
    double value = 0; ///< here and below in base units: seconds, bytes, FLOPs
    double low = 0, high = 0; ///< tenth and ninetieth percentile; equal where it is taken to be certain
    double least = 0, most = std::numeric_limits<double>::infinity(); ///< that it can be
    Acts acts = Acts::Step;
    bool isShare = false; ///< between 0 and 1: draws are normal in its logit, else in its logarithm
    bool isWhole = false; ///< a whole number
    bool isStated = false; ///< a person stated the range
    std::string part; ///< the part that it belongs to, by id: plans with the same part have the same draws
    std::string source; ///< of the value or its range
    std::string date;
    [[nodiscard]] bool isUncertain() const { return low < value || high > value; }
    /// What is the same of two plans that have it.
    [[nodiscard]] std::string identity() const { return key + '/' + part; }
    bool operator==(const Input&) const = default;
};

/// All that the case has, certain ones included. Ranges of constants are what was known of them before any run was
/// measured (core/plan/software_fields.h); those of hardware and failures are the catalogue's.
[[nodiscard]] std::vector<Input> inputsOf(const Case& given);
/// Nothing where the case has none with that key.
[[nodiscard]] std::optional<Input> inputOf(const Case& given, std::string_view key);

/// The case with another value of an input, in base units; whole ones are rounded. What all nodes have, all change in
/// the same ratio. A key that the case lacks changes nothing.
[[nodiscard]] Case withValue(Case changed, std::string_view key, double value);

/// The value that is so many standard deviations from the middle: each half has a normal distribution of the logarithm,
/// or of the logit, by its own percentile.
[[nodiscard]] double valueAt(const Input& input, double normal);
/// The same with a range that is that share as wide.
[[nodiscard]] Input narrowed(Input input, double share);

/// Ranges that a person states, by key: tenth and ninetieth percentile in base units.
using StatedRanges = std::map<std::string, std::pair<double, double>, std::less<>>;

} // namespace stratoplan::sensitivity
