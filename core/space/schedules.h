// SPDX-License-Identifier: Apache-2.0
// Which schedules a space is asked for: a search in closed form has only those that attain theirs.
#pragma once

#include "core/parallel/strategy.h"

namespace stratoplan::space {

/// V-shaped and two-way schedules have a bound in closed form, but none that they attain.
/// ZB-auto holds what there is room for: it has no limit of its own.
enum class Schedules { All, WithOwnLimits, WithClosedForm };
[[nodiscard]] bool hasClosedForm(parallel::Schedule schedule);

} // namespace stratoplan::space
