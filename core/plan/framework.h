// SPDX-License-Identifier: Apache-2.0
// The training frameworks whose limits are known (core/catalog/framework_rules.h).
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace stratoplan::plan {

/// NeMo and Megatron-Bridge hand their settings to Megatron-Core, whose rules they share.
enum class TargetFramework { Any, MegatronCore, DeepSpeed, TorchTitan };
inline constexpr std::array kTargetFrameworks{
    TargetFramework::Any, TargetFramework::MegatronCore, TargetFramework::DeepSpeed, TargetFramework::TorchTitan};
[[nodiscard]] std::string_view key(TargetFramework framework); // "any", "megatron-core", "deepspeed", "torchtitan"
[[nodiscard]] std::optional<TargetFramework> targetFrameworkFromKey(std::string_view key);

} // namespace stratoplan::plan
