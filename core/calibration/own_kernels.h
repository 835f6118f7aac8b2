// SPDX-License-Identifier: Apache-2.0
// Kernels measured on a person's own GPU as constants of a software profile and of links: the same robust fit as for
// whole runs, with the public prices of core/cost.
#pragma once

#include "core/calibration/calibration.h"
#include "core/calibration/fit_remarks.h"
#include "core/catalog/catalog.h"
#include "core/exchange/kernels.h"

namespace stratoplan::calibration {

/// The accelerator of the catalogue that a driver calls `gpu`; nullptr if there is none whose memory and compute units
/// (0 = not told) are within a tenth of its own.
[[nodiscard]] const cluster::Accelerator* acceleratorNamed(
    std::string_view gpu, Bytes memory, int computeUnits, const catalog::Catalog& catalog);

/// The slice of an accelerator that kernels were measured on: they say nothing about a whole one. Nothing if they do.
[[nodiscard]] std::optional<MeasuredHardware> measuredSlice(const exchange::KernelProfile& kernels);

struct KernelErrors {
    exchange::KernelKind kind{};
    FitErrors before, after, leftOut;
};

struct KernelCalibration {
    cluster::Accelerator accelerator; ///< with the rates that the kernels sustain
    bool known = false; ///< it is one of the catalogue; otherwise its peak is the best rate measured
    plan::SoftwareProfile profile; ///< of `start`, relative to the catalogue's accelerator
    std::optional<cluster::Link> scaleUp, nic; ///< where collectives were measured
    std::vector<FittedParameter> constants;
    std::vector<KernelErrors> errors; ///< of the kinds that were measured
    std::vector<KernelWarning> warnings;
    bool converged = false;
    bool stopped = false;
};

/// Kernels of a shape are left out together, in ten parts.
[[nodiscard]] KernelCalibration calibrateKernels(const exchange::KernelProfile& kernels,
    const plan::SoftwareProfile& start, const catalog::Catalog& catalog, std::stop_token stop = {});

} // namespace stratoplan::calibration
