// SPDX-License-Identifier: Apache-2.0
// Answers as JSON, with the keys that the command line promises.
#pragma once

#include "core/estimate/memory_timeline.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stratoplan {

[[nodiscard]] nlohmann::ordered_json toJson(const Estimate& estimate);
[[nodiscard]] nlohmann::ordered_json toJson(const Strategy& strategy);
[[nodiscard]] nlohmann::ordered_json toJson(const Problem& problem);

/// An array of boundaries: stages, the name of the transfer, its bytes and seconds each way.
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<StageBoundary>& boundaries);

/// An array of items: name, category, lifetime, bytes.
[[nodiscard]] nlohmann::ordered_json toJson(const MemoryLedger& ledger);
[[nodiscard]] nlohmann::ordered_json toJson(const MemoryPeak& peak);

/// toJson(estimate) as text: two-space indent, trailing newline.
[[nodiscard]] std::string estimateText(const Estimate& estimate);

} // namespace stratoplan
