// SPDX-License-Identifier: Apache-2.0
// In what a plan leaves what was measured, as data: core/narration makes the sentence.
#pragma once

#include "core/estimate/evidence.h"

#include <string>

namespace stratoplan::estimate {

enum class ExtrapolationCode {
    // From the runs that its profile was calibrated to
    OtherAccelerators,
    BelowRuns, ///< extent, bound, own
    AboveRuns, ///< the same
    // From the measured cases
    Stack, ///< none of the software
    Vendor, ///< none on accelerators of its vendor
    Accelerator, ///< none on it
    AcceleratorInStack, ///< none on it with the software
    Experts, ///< none of such a model on the accelerator
    LatentAttention,
    SlidingWindow,
    SparseAttention,
    StateSpace, ///< mixers of Mamba-2
    StandIn,
    NarrowAttention,
    SpatialTemporal, ///< partitions in space and time
    Offload,
    UnlikeTp,
    UnlikeNodes,
    UnlikeRecompute,
    MultiTokenPrediction,
    Optimizer, ///< other than Adam
    ExpertImbalance,
    EditedConstants, ///< of the software
    Precision,
    Recompute,
    Schedule,
    Sharded, ///< parameters
    NotSharded,
    FlashAttention,
    UnfusedAttention,
    FirstOfExtent, ///< none with more than 1 of it
    AboveCases, ///< extent, bound, own
};

struct Extrapolation {
    ExtrapolationCode code{};
    std::string accelerator{}; ///< name; empty: the plan has none
    std::string vendor{}; ///< of it; empty: not stated
    plan::Optimizer optimizer{}; ///< of the plan
    double imbalance = 1; ///< tokens of the busiest expert rank of the plan over the mean
    std::string software{}; ///< name
    RunTraits traits{}; ///< of the plan
    Extent extent{};
    int bound = 0, value = 0;
    bool operator==(const Extrapolation&) const = default;
};

} // namespace stratoplan::estimate
