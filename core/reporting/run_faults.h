// SPDX-License-Identifier: Apache-2.0
// Why measured runs cannot be used, told to people.
#pragma once

#include "core/calibration/kernel_fit.h"
#include "core/calibration/run_faults.h"
#include "core/exchange/document.h"

#include <string>

namespace stratoplan::reporting {

/// "line 7, column tp: found \"0\", expected a whole number from 1 to 1000000"
[[nodiscard]] std::string describe(const calibration::FaultyRun& run);
/// Faults of a text as faults of a document: its file, the line, what stands there and what would be right.
[[nodiscard]] exchange::DocumentErrors documentErrors(const calibration::UnusableText& text);
[[nodiscard]] exchange::DocumentError documentError(
    const calibration::KernelTableError& error, const std::string& file);

} // namespace stratoplan::reporting
