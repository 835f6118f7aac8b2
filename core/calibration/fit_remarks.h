// SPDX-License-Identifier: Apache-2.0
// What a fit to a person's own measurements says of itself, as values: core/reporting makes the sentences.
#pragma once

#include "core/calibration/calibration.h"
#include "core/exchange/document.h"
#include "core/plan/problem.h"
#include "core/units/quantity.h"

#include <string>
#include <variant>
#include <vector>

namespace stratoplan::calibration {

/// So few rows that one constant alone is fitted.
struct FewRows {
    plan::CalibrationTarget target{};
    int rows = 0;
    int enough = 0;
    std::string constant;
};
/// Constants that the rows say too little about.
struct ConstantsHeld {
    plan::CalibrationTarget target{};
    std::size_t all = 0;
    std::vector<std::string> keys;
};
/// Rows that cannot be estimated with the constants fitted.
struct RowsLost {
    int lost = 0;
    int rows = 0;
};
/// Some peaks are those of PyTorch's allocator, outside which the reserve lies.
struct AllocatorRows { };
using FitWarning = std::variant<FewRows, ConstantsHeld, RowsLost, AllocatorRows>;

/// Estimates of times stay far from the rows.
struct UnexplainedTime {
    FitErrors errors;
    bool leftOut = false; ///< of rows left out
};
/// Estimates of memory stay far from the rows.
struct UnexplainedMemory {
    FitErrors errors;
    std::vector<std::string> atBound; ///< constants at what is physical
};
using FitFault = std::variant<UnexplainedTime, UnexplainedMemory>;

/// The rule of documents or of plans that a fitted profile breaks.
using UnusableProfile = std::variant<exchange::DocumentError, plan::Problem>;

/// What kernels were measured on, as its driver tells.
struct MeasuredHardware {
    std::string gpu;
    Bytes memory{};
    int computeUnits = 0; ///< 0 = not told
};
/// The catalogue has no such accelerator: its peak is the best rate measured.
struct UnknownAccelerator {
    MeasuredHardware hardware;
};
/// Kernels that were not measured.
struct KernelsSkipped {
    std::size_t count = 0;
    std::string first;
};
using KernelWarning = std::variant<UnknownAccelerator, KernelsSkipped>;

} // namespace stratoplan::calibration
