// SPDX-License-Identifier: Apache-2.0
// What stands in each section of a report.
#pragma once

#include "core/report/facts.h"
#include "core/report/report.h"

namespace stratoplan::report {

[[nodiscard]] Section decisionSection(const Facts& facts);
[[nodiscard]] Section alternativesSection(const Facts& facts);
[[nodiscard]] Section stepSection(const Facts& facts);
[[nodiscard]] Section memorySection(const Facts& facts);
[[nodiscard]] Section pipelineSection(const Facts& facts);
[[nodiscard]] Section frontSection(const Facts& facts);
[[nodiscard]] Section runSection(const Facts& facts);
[[nodiscard]] Section risksSection(const Facts& facts);
[[nodiscard]] Section assumptionsSection(const Facts& facts);
[[nodiscard]] Section evidenceSection(const Facts& facts);

/// "…, on 1,234 measured cases of 20 sources"; empty without any.
[[nodiscard]] std::string evidenceSentence(const validation::ValidationReport& report);

} // namespace stratoplan::report
