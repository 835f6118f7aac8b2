// SPDX-License-Identifier: GPL-3.0-or-later
// What the timing pass removes, as JSON and as text: by step, cause and stage, in seconds and in shares of the step
// without it.
#pragma once

#include "core/pipeline/timing_pass.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stratoplan::cli {

inline constexpr std::array kCauses{Wait::Cause::WarmUp, Wait::Cause::Activation, Wait::Cause::Gradient,
    Wait::Cause::Transfer, Wait::Cause::Queue, Wait::Cause::GradientSync, Wait::Cause::CoolDown};
[[nodiscard]] nlohmann::ordered_json toJson(const WaitSeconds& waits);

/// `on`: whether the plan has it.
[[nodiscard]] nlohmann::ordered_json toJson(const TimingPass& pass, bool on);
[[nodiscard]] std::string describePass(const TimingPass& pass);

} // namespace stratoplan::cli
