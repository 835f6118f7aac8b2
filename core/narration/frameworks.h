// SPDX-License-Identifier: Apache-2.0
// What training frameworks do not run, told to people. What a framework says itself is data of the catalogue.
#pragma once

#include "core/catalog/framework_rules.h"

#include <string>
#include <string_view>

namespace stratoplan::narration {

/// What became of those strategies, after their number: "have a schedule that it does not run".
[[nodiscard]] std::string_view describe(catalog::FrameworkRule rule);
/// What of a plan breaks the rule: "schedule zb-h1".
[[nodiscard]] std::string foundBy(const catalog::FrameworkObjection& objection);
/// "Schedule zb-h1: Megatron-Core 0.20 runs 1F1B and interleaving alone; use 1f1b or interleaved."
[[nodiscard]] std::string describe(const catalog::FrameworkObjection& objection);

} // namespace stratoplan::narration
