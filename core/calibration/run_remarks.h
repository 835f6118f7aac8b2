// SPDX-License-Identifier: Apache-2.0
// What is worth knowing of a measured run, as values: core/reporting makes the sentences.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace stratoplan::calibration {

/// The median step of a log: of how many iterations, on how many of its lines at this batch.
struct IterationsUsed {
    std::int64_t iterations = 0;
    std::size_t lines = 0;
    std::size_t ofLines = 0;
    double medianSeconds = 0;
    double spread = 0; ///< of the middle 80 % of several lines, relative to the median
};
/// No iteration comes after the warm-up: the first line stands in.
struct FirstLineStandsIn { };
/// The peak is one of PyTorch's allocator.
struct AllocatorPeak {
    bool reserved = false; ///< what it reserved, else only what it handed out
};
/// recompute_method block without recompute_num_layers: taken as all layers.
struct BlockOfAllLayers { };
/// An argument that changes a step and is taken more simply.
struct ArgumentNotModelled {
    std::string name;
    std::string value;
};
/// An optimizer that is priced as that of the plan.
struct OptimizerNotModelled {
    std::string value;
};
using RunRemark = std::variant<IterationsUsed, FirstLineStandsIn, AllocatorPeak, BlockOfAllLayers, ArgumentNotModelled,
    OptimizerNotModelled>;

/// Why a run may not be one of its plan: its log counts another rate per accelerator than the plan's model would make.
struct RunDoubt {
    double logged = 0; ///< TFLOP/s
    double modelled = 0;
};

} // namespace stratoplan::calibration
