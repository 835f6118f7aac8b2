// SPDX-License-Identifier: Apache-2.0
// What texts of topology leave open, have otherwise and do wrong, told to people.
#pragma once

#include "core/exchange/document.h"
#include "core/wiring/wiring.h"

#include <string>
#include <vector>

namespace stratoplan::reporting {

/// "accelerator=h100-sxm-80 (of 18 NVLinks each; other accelerators have as many)"
[[nodiscard]] std::string describe(const wiring::Filled& filled);
[[nodiscard]] std::string describe(const wiring::Remark& remark);
[[nodiscard]] std::vector<std::string> describe(const std::vector<wiring::Filled>& filled);
[[nodiscard]] std::vector<std::string> describe(const std::vector<wiring::Remark>& remarks);

/// "64 nodes of 8x H100 SXM 80 GB, 512 accelerators", with its switches.
[[nodiscard]] std::string describe(const cluster::Cluster& cluster);

/// "model: Llama 3.1 8B", which a plan that a cluster starts with takes.
[[nodiscard]] std::string assumedModel(const plan::Plan& plan);

/// A fault of a text as that of a document: "line 3, column 7".
[[nodiscard]] exchange::DocumentError documentError(const wiring::Fault& fault, const std::string& file = {});

} // namespace stratoplan::reporting
