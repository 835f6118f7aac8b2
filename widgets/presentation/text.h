// SPDX-License-Identifier: GPL-3.0-or-later
// Core values as short texts for people, the same in every view.
#pragma once

#include "core/estimate/estimate.h"

#include <QString>

namespace stratoplan {

[[nodiscard]] QString text(Seconds value);
[[nodiscard]] QString text(Bytes value);
/// "320 k tokens/s"
[[nodiscard]] QString tokenRateText(double tokensPerSecond);
/// "50.3 %"
[[nodiscard]] QString shareText(double share);
/// "TP 8 · PP 8 · DP 16": degrees of 1 are left out, except that at least one is named; VPP, CP and EP where used.
[[nodiscard]] QString degreesText(const Strategy& strategy);
/// "selective recomputation", "no recomputation", "full recomputation"
[[nodiscard]] QString recomputeText(Recompute value);
/// "1F1B", "interleaved 1F1B", "GPipe", …
[[nodiscard]] QString scheduleText(Schedule value);

} // namespace stratoplan
