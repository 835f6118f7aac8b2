// SPDX-License-Identifier: GPL-3.0-or-later
// Core values as short texts for people, the same in every view.
#pragma once

#include "core/estimate/estimate.h"

#include <QString>
#include <string>

namespace stratoplan::widgets {

[[nodiscard]] QString text(std::string_view utf8);
/// "1 accelerator", "1,024 accelerators"
[[nodiscard]] QString acceleratorsText(qint64 count);
/// "1 strategy", "1,024 strategies"
[[nodiscard]] QString strategiesText(qint64 count);
[[nodiscard]] QString text(Seconds value);
[[nodiscard]] QString text(Bytes value);
[[nodiscard]] QString text(Flops value);
[[nodiscard]] QString text(FlopsPerSecond value);
/// Parameters, tokens, money: "175 B", "320 k", "96". People count these in billions.
[[nodiscard]] QString countText(double value);
/// "320 k tokens/s"
[[nodiscard]] QString tokenRateText(double tokensPerSecond);
/// "50.3 %"
[[nodiscard]] QString shareText(double share);
/// A difference of two shares: "2.90 pp"
[[nodiscard]] QString pointsText(double share);
/// "274 k GPU-h"
[[nodiscard]] QString gpuHoursText(double hours);
/// "142 MWh"
[[nodiscard]] QString energyText(double kilowattHours);
/// "$548 k", "548 k CHF"
[[nodiscard]] QString moneyText(double amount, const std::string& currency);
/// "9.64–10.2 s", "950 ms–1.02 s"; empty where both ends read alike.
[[nodiscard]] QString rangeText(const QString& low, const QString& high);
/// "−0.610 s": the size of a difference, written as any other value, with its sign.
[[nodiscard]] QString signedText(double difference, const QString& magnitude);
/// "▼ −0.610 s": the same behind an arrow.
[[nodiscard]] QString arrowedText(double difference, const QString& magnitude);
/// "+2.90 %"
[[nodiscard]] QString signedShareText(double share);
/// Do both read alike in three figures, but for rounding?
[[nodiscard]] bool sameInThreeFigures(double a, double b);
/// "TP 8 · PP 8 · DP 16": degrees of 1 are left out, except that at least one is named; VPP, CP and EP where used.
[[nodiscard]] QString degreesText(const parallel::Strategy& strategy);
/// "selective recomputation", "no recomputation", "full recomputation"
[[nodiscard]] QString recomputeText(parallel::Recompute value);
/// "1", "3 over 8"
[[nodiscard]] QString zeroText(const parallel::Strategy& strategy);
/// "1F1B", "interleaved 1F1B", "GPipe", …
[[nodiscard]] QString scheduleText(parallel::Schedule value);

} // namespace stratoplan::widgets
