// SPDX-License-Identifier: Apache-2.0
// What a plan breaks, and what mends it, told to people.
#pragma once

#include "core/plan/problem.h"

#include <string>

namespace stratoplan::narration {

/// One English sentence with the object and the amounts: "96 heads cannot be divided over TP 5: use 1, 2, 3, 4 or 6."
[[nodiscard]] std::string describe(const plan::Problem& problem);
/// "Use selective recomputation: −14.2 GiB, step +3.1 %"
[[nodiscard]] std::string describe(const plan::Remedy& remedy);

} // namespace stratoplan::narration
