// SPDX-License-Identifier: Apache-2.0
// The training frameworks whose limits are known (framework_rules.h).
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace stratoplan {

/// NeMo and Megatron-Bridge hand their settings to Megatron-Core, whose rules they share.
enum class TargetFramework { Any, MegatronCore, DeepSpeed, TorchTitan };
inline constexpr std::array kTargetFrameworks{
    TargetFramework::Any, TargetFramework::MegatronCore, TargetFramework::DeepSpeed, TargetFramework::TorchTitan};
[[nodiscard]] std::string_view key(TargetFramework framework); // "any", "megatron-core", "deepspeed", "torchtitan"
[[nodiscard]] std::optional<TargetFramework> targetFrameworkFromKey(std::string_view key);
/// With the version that its rules were read from: "Megatron-Core 0.20"; "any framework".
[[nodiscard]] std::string_view title(TargetFramework framework);

} // namespace stratoplan
