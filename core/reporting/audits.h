// SPDX-License-Identifier: Apache-2.0
// The audit of a run, told to people.
#pragma once

#include "core/audit/audit.h"
#include "core/exchange/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::reporting {

[[nodiscard]] std::string_view describe(audit::Cause cause); // "matrix products"
[[nodiscard]] std::string_view describe(audit::StepOrigin origin); // "from the log"
[[nodiscard]] std::string_view describe(audit::FlopConvention convention); // "attention over the full square"
[[nodiscard]] std::string describe(const audit::PeakConvention& peak); // "BF16 dense, 989 TFLOP/s"

/// "Measured 12.3 s from the log, estimated 10.1 s (9.20 s to 11.4 s): 2.20 s or 21.8 % slower."
[[nodiscard]] std::string verdict(const audit::Audit& audit);
/// By what the step of a profile is told: "Step 3 of 5 whole ones, of median length, by the profiler's annotations …"
[[nodiscard]] std::string describeStep(const audit::MeasuredStep& step, int stage);

[[nodiscard]] std::string describe(const audit::Finding& finding);
[[nodiscard]] std::string describe(const audit::SettingFinding& setting);
/// "Micro-batch 2 instead of 4: 1.20 s less a step by estimate (−12.3 %)."
[[nodiscard]] std::string describe(const audit::PlanEdit& edit, Seconds now);
[[nodiscard]] std::string describe(const audit::NameMismatch& mismatch);
/// Which conventions a quoted MFU is, or the nearest one, and what it is by the first one.
[[nodiscard]] std::string describeQuoted(const audit::Audit& audit);

/// What a profile cannot be read for, as a fault of a document.
[[nodiscard]] exchange::DocumentError documentError(const audit::ProfileFault& fault);

} // namespace stratoplan::reporting
