// SPDX-License-Identifier: Apache-2.0
// Every member of a SoftwareProfile with its key in files, once: what reads and writes profiles, checks them and fits
// their constants to measured runs goes through this table.
#pragma once

#include "core/plan/software.h"
#include "core/units/file_unit.h"

#include <limits>
#include <span>
#include <string_view>
#include <variant>

namespace stratoplan::plan {

/// What a constant acts on.
enum class CalibrationTarget { StepTime, PeakMemory };

/// What is known of a constant before any run was measured.
struct ConstantPrior {
    CalibrationTarget target = CalibrationTarget::StepTime;
    bool share = false; ///< in (0, 1), fitted as a logit; otherwise positive, fitted as a logarithm
    double spread = 0.3; ///< standard deviation, in logarithms or logits
    double maximum = 1e300; ///< physical bounds, in the constant's own unit
    double minimum = 0;
};

template <typename T>
using SoftwareMember = T SoftwareProfile::*;

struct SoftwareField {
    std::string_view key; ///< "matmul_factor"
    std::variant<SoftwareMember<std::string>, SoftwareMember<bool>, SoftwareMember<int>, SoftwareMember<double>,
        SoftwareMember<Seconds>, SoftwareMember<Bytes>, SoftwareMember<SelectiveRecompute>,
        SoftwareMember<parallel::TransferPath>, SoftwareMember<parallel::ReshardMethod>,
        SoftwareMember<parallel::SyncTime>, SoftwareMember<std::vector<std::string>>,
        SoftwareMember<std::optional<CalibratedOn>>>
        member;
    FileUnit unit = {};
    bool required = true; ///< of an entry of the catalogue
    bool positive = false; ///< times are divided by it
    std::optional<ConstantPrior> prior = {}; ///< of a constant that can be fitted
};
/// In the order in which files write them.
[[nodiscard]] std::span<const SoftwareField> softwareFields();

/// The value of a double, Seconds or Bytes in its base unit; NaN of any other member.
[[nodiscard]] double number(const SoftwareProfile& profile, const SoftwareField& field);
/// Precondition: the member is one of these.
void setNumber(SoftwareProfile& profile, const SoftwareField& field, double value);

} // namespace stratoplan::plan
