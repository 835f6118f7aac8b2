// SPDX-License-Identifier: Apache-2.0
// What is worth knowing of measured runs, and of a fit to them, told to people.
#pragma once

#include "core/calibration/cross_validation.h"
#include "core/calibration/own_kernels.h"
#include "core/calibration/own_runs.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::reporting {

/// "15 iterations used (15 lines of 20), median 500 ms"
[[nodiscard]] std::string describe(const calibration::RunRemark& remark);
[[nodiscard]] std::string describe(const calibration::RunDoubt& doubt);
[[nodiscard]] std::string unknownColumn(std::string_view name); // "the column \"x\" is not known and is passed over"

/// "2 rows measure step time, fewer than 3: only matmul_factor is fitted, every other constant stays at its prior"
[[nodiscard]] std::string describe(const calibration::FitWarning& warning);
[[nodiscard]] std::string describe(const calibration::FitFault& fault);
[[nodiscard]] std::string describe(const calibration::UnusableProfile& profile);
/// What a fit does not explain, and its warnings.
[[nodiscard]] std::vector<std::string> doubtsOf(const calibration::OwnFit& fit);

[[nodiscard]] std::string describe(const calibration::KernelWarning& warning);
/// "\"NVIDIA H100 MIG 1g.10gb\", a slice of a GPU with 9.78 GiB, 14 units"
[[nodiscard]] std::string describeSlice(const calibration::MeasuredHardware& slice);

[[nodiscard]] std::string_view describe(calibration::Grouping grouping); // "model shape"
[[nodiscard]] std::string_view describe(exchange::KernelKind kind); // "matrix products"

/// A sentence of each.
template <class Value>
[[nodiscard]] std::vector<std::string> describeAll(const std::vector<Value>& values)
{
    std::vector<std::string> sentences;
    for (const Value& value : values)
        sentences.push_back(describe(value));
    return sentences;
}

} // namespace stratoplan::reporting
