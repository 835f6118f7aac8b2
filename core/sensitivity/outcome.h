// SPDX-License-Identifier: Apache-2.0
// What a plan comes to: step, peak memory, and of its run days, money and energy.
#pragma once

#include "core/capacity/capacity.h"
#include "core/sensitivity/inputs.h"

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::sensitivity {

/// All are better when less.
enum class Measure { Step, Peak, Days, Cost, Energy };
inline constexpr std::array kMeasures{Measure::Step, Measure::Peak, Measure::Days, Measure::Cost, Measure::Energy};
[[nodiscard]] std::string_view key(Measure measure); // "step", "peak", "days", "cost", "energy"
[[nodiscard]] std::optional<Measure> measureFromKey(std::string_view key);

/// By measure: seconds, bytes, days, the currency of the run, kWh; NaN where it is not known.
struct Outcome {
    std::array<double, kMeasures.size()> values;
    double fill = 0; ///< share of its memory, of the accelerators that are fullest, or of the host's
    [[nodiscard]] double at(Measure measure) const { return values[std::size_t(measure)]; }
    [[nodiscard]] bool knows(Measure measure) const { return at(measure) == at(measure); }
    [[nodiscard]] bool fits() const { return fill <= 1; }
    /// Whether it has an estimate at all.
    [[nodiscard]] bool isPriced() const { return at(Measure::Step) < std::numeric_limits<double>::infinity(); }
};

/// Whether the measure of both is in one unit: costs in different currencies are not compared.
[[nodiscard]] bool isComparable(const Case& a, const Case& b, Measure measure);

/// Plans that are priced, of all there will be; called by one thread at a time.
using Progress = std::function<void(int done, int total)>;

/// What no input says.
struct Luck {
    double step = 1; ///< factor on the step
    double peak = 1; ///< factor on the peak memory
    std::optional<double> failures; ///< when they happen, in standard deviations of the time that they cost; nothing:
                                    ///< as on average
};

using Problems = std::vector<plan::Problem>;
/// Errors: why the plan has no estimate; none where it was stopped.
[[nodiscard]] tl::expected<estimate::Estimate, Problems> priced(
    const plan::Plan& plan, const std::stop_token& stop = {}, bool withRange = false);
[[nodiscard]] Outcome outcomeOf(const Case& given, const estimate::Estimate& estimate, const Luck& luck = {});
/// The case whose checkpoints come as often as is best for it, whatever else it meets with then.
[[nodiscard]] Case withPlannedCheckpoints(Case planned, const estimate::Estimate& estimate);

} // namespace stratoplan::sensitivity
