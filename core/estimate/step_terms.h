// SPDX-License-Identifier: Apache-2.0
// The parts of a step's breakdown, one by one.
#pragma once

#include "core/pricing/breakdown.h"

#include <array>
#include <utility>

namespace stratoplan::estimate {

enum class StepTerm {
    Forward,
    Backward,
    Recomputation,
    ExposedTp, ///< communication that nothing hides
    ExposedCp,
    ExposedEp,
    ExposedPp,
    ExposedDp,
    Bubble,
    Optimizer,
    Other,
};
inline constexpr std::size_t kStepTerms = 11;
inline constexpr std::size_t kExposedTerms = 5; ///< from ExposedTp on

/// In the order of the terms; they add up to the step.
[[nodiscard]] std::array<std::pair<StepTerm, Seconds>, kStepTerms> stepTerms(const pricing::Breakdown& breakdown);
/// What is hidden behind computation, by the terms that it would be if it were not.
[[nodiscard]] std::array<std::pair<StepTerm, Seconds>, kExposedTerms> hiddenTerms(const pricing::Breakdown& breakdown);

} // namespace stratoplan::estimate
