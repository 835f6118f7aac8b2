// SPDX-License-Identifier: GPL-3.0-or-later
// What the timing pass removes, as JSON and as text: by step, cause and stage, in seconds and in shares of the step
// without it.
#pragma once

#include "core/pipeline/timing_pass.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stratoplan::cli {

inline constexpr std::array kCauses{pipeline::Wait::Cause::WarmUp, pipeline::Wait::Cause::Activation,
    pipeline::Wait::Cause::Gradient, pipeline::Wait::Cause::Transfer, pipeline::Wait::Cause::Queue,
    pipeline::Wait::Cause::GradientSync, pipeline::Wait::Cause::CoolDown};
[[nodiscard]] nlohmann::ordered_json toJson(const pipeline::WaitSeconds& waits);

/// `on`: whether the plan has it.
[[nodiscard]] nlohmann::ordered_json toJson(const pipeline::TimingPass& pass, bool on);
[[nodiscard]] std::string describePass(const pipeline::TimingPass& pass);

} // namespace stratoplan::cli
