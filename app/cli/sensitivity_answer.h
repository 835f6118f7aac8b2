// SPDX-License-Identifier: GPL-3.0-or-later
// What `sensitivity` answers, as text and as JSON.
#pragma once

#include "core/sensitivity/analysis.h"
#include "core/sensitivity/break_even.h"
#include "core/sensitivity/sweep.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace stratoplan::cli {

/// What was asked, and of which plans, the first of which the question is about.
struct SensitivityQuestion {
    std::vector<std::string> names;
    std::vector<sensitivity::Case> cases;
    sensitivity::Measure measure = sensitivity::Measure::Step;
    [[nodiscard]] const std::string& currency() const { return cases.front().run.currency; }
};

[[nodiscard]] std::string describeSensitivity(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis);
[[nodiscard]] nlohmann::ordered_json toJson(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis);

struct SweepAnswer {
    sensitivity::Axis x;
    std::optional<sensitivity::Axis> y;
    bool isReplanned = false;
    std::vector<sensitivity::SweepPoint> points;
};
[[nodiscard]] std::string describeInputSweep(const SensitivityQuestion& asked, const SweepAnswer& sweep);
[[nodiscard]] nlohmann::ordered_json toJson(const SensitivityQuestion& asked, const SweepAnswer& sweep);

[[nodiscard]] std::string describeBreakEven(
    const SensitivityQuestion& asked, const sensitivity::Input& input, const sensitivity::BreakEven& found);
[[nodiscard]] nlohmann::ordered_json toJson(
    const SensitivityQuestion& asked, const sensitivity::Input& input, const sensitivity::BreakEven& found);

} // namespace stratoplan::cli
