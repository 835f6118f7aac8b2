// SPDX-License-Identifier: Apache-2.0
// Values of a strategy's numbers that are worth offering for a plan, rising. For the table of dimensions alone.
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace stratoplan::plan {

[[nodiscard]] std::vector<int> tensorValues(const Plan& plan);
[[nodiscard]] std::vector<int> pipelineValues(const Plan& plan);
[[nodiscard]] std::vector<int> dataValues(const Plan& plan);
[[nodiscard]] std::vector<int> contextValues(const Plan& plan);
[[nodiscard]] std::vector<int> expertValues(const Plan& plan);
[[nodiscard]] std::vector<int> expertTensorValues(const Plan& plan);
[[nodiscard]] std::vector<int> virtualValues(const Plan& plan);
[[nodiscard]] std::vector<int> microBatchValues(const Plan& plan);
[[nodiscard]] std::vector<int> zeroStages(const Plan& plan);

} // namespace stratoplan::plan
