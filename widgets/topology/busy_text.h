// SPDX-License-Identifier: GPL-3.0-or-later
// What there is to say of cables that the groups of a plan use.
#pragma once

#include "core/estimate/link_loads.h"

#include <QString>

namespace stratoplan::widgets {

/// "TP", or "DP" of all replicas; not translated.
[[nodiscard]] QString groupName(parallel::RankGroup group);
/// "0.81 s of 2.94 s (28 %)", "up to" in front where it is a bound.
[[nodiscard]] QString busyText(const estimate::LinkLoad& load, Seconds step);
/// The groups one by one, and what the time counts.
[[nodiscard]] QString busyExplanation(const estimate::LinkLoad& load);

} // namespace stratoplan::widgets
