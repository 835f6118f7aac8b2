// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of `partition`, for programs and for people.
#pragma once

#include "core/estimate/partitions.h"
#include "core/plan/plan.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace stratoplan::cli {

/// What the plan itself has, where it is none of those that an answer has anyway; nothing else. `named`: of a plan that
/// names the partitions of its operators.
[[nodiscard]] std::optional<estimate::PartitionEstimate> plannedOf(const plan::Plan& plan,
    const estimate::PartitionAnswer& answer, const std::optional<estimate::PartitionEstimate>& named);
/// Whose operators are told, and carried out by a program: what the plan names, or the best.
[[nodiscard]] const estimate::PartitionEstimate& toldOf(
    const estimate::PartitionAnswer& answer, const std::optional<estimate::PartitionEstimate>& planned);

[[nodiscard]] nlohmann::ordered_json partitionJson(
    const estimate::PartitionAnswer& answer, const std::optional<estimate::PartitionEstimate>& planned);
/// `isStopped`: before unlike layers were compared, or before the front was found, which the answer then lacks.
[[nodiscard]] std::string partitionText(const plan::Plan& plan, const estimate::PartitionAnswer& answer,
    const std::optional<estimate::PartitionEstimate>& planned, bool isStopped = false);

} // namespace stratoplan::cli
