// SPDX-License-Identifier: Apache-2.0
// What a fitted software profile is called and where it says it comes from, as its file has it.
#pragma once

#include "core/plan/plan.h"

#include <string>

namespace stratoplan::narration {

[[nodiscard]] std::string calibratedName(const plan::SoftwareProfile& start); // "Megatron-LM, calibrated"
/// "megatron-lm fitted to 8 measured runs of rows.csv"
[[nodiscard]] std::string fittedTo(const plan::SoftwareProfile& start, std::size_t runs, const std::string& source);

[[nodiscard]] std::string measuredName(const plan::SoftwareProfile& start); // "torchtitan, kernels measured"
/// "torchtitan with constants of 120 kernels measured on NVIDIA H100 (torch 2.6.0, …)"
[[nodiscard]] std::string measuredWith(
    const plan::SoftwareProfile& start, std::size_t kernels, const std::string& gpu, const std::string& provenance);

} // namespace stratoplan::narration
