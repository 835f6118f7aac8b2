// SPDX-License-Identifier: Apache-2.0
// Answers as JSON, with the keys that the command line promises.
#pragma once

#include "core/estimate/memory_timeline.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stratoplan::exchange {

[[nodiscard]] nlohmann::ordered_json toJson(const estimate::Estimate& estimate);
[[nodiscard]] nlohmann::ordered_json toJson(const parallel::Strategy& strategy);
[[nodiscard]] nlohmann::ordered_json toJson(const plan::Problem& problem);

/// An array of boundaries: stages, the name of the transfer, its bytes and seconds each way.
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<pricing::StageBoundary>& boundaries);

/// An array of items: name, category, lifetime, bytes.
[[nodiscard]] nlohmann::ordered_json toJson(const cost::MemoryLedger& ledger);
[[nodiscard]] nlohmann::ordered_json toJson(const estimate::MemoryPeak& peak);

/// toJson(estimate) as text: two-space indent, trailing newline.
[[nodiscard]] std::string estimateText(const estimate::Estimate& estimate);

} // namespace stratoplan::exchange
