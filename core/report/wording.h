// SPDX-License-Identifier: Apache-2.0
// Amounts and plans in the words of a report.
#pragma once

#include "core/report/facts.h"

#include <string>

namespace stratoplan::report {

/// "5.30 GWh", "12.4 MWh"
[[nodiscard]] std::string energyText(double kwh);
/// "2,510 t", "830 kg"
[[nodiscard]] std::string massText(double kg);
/// "31.3 M USD"
[[nodiscard]] std::string moneyText(double amount, const std::string& currency);
/// "371 days", "9.2 hours"
[[nodiscard]] std::string daysText(double days);
/// "331 to 471 days", with a text of each end; the text of the middle where there is no range.
[[nodiscard]] std::string spreadText(const capacity::Spread& spread, const std::function<std::string(double)>& textOf);
/// "2027-12-07"; empty where no start is stated.
[[nodiscard]] std::string dateText(const Candidate& candidate, double days);

/// The chance that a plan does not fit: "12.0 %", "less than 0.1 %"
[[nodiscard]] std::string oddsText(double chance);

/// "TP 8 · PP 4 · DP 16 · …"
[[nodiscard]] std::string strategyText(const parallel::Strategy& strategy);
[[nodiscard]] std::string modelText(const plan::Plan& plan);
[[nodiscard]] std::string trainingText(const plan::Plan& plan);

/// Whether the plan can be run as it is: its memory fits and no problem of it is an error.
[[nodiscard]] bool canRun(const Candidate& candidate);
/// Whether a budget gives its run a length.
[[nodiscard]] bool hasRun(const Candidate& candidate);
/// How much shorter the step of another plan is, as a share; per token where batches differ.
[[nodiscard]] double shorterBy(const Candidate& other, const Candidate& plan);
/// Of the worth of switching: a smaller gain lies within what estimates tell apart.
inline constexpr double kWorthSwitching = 0.03;

} // namespace stratoplan::report
