// SPDX-License-Identifier: GPL-3.0-or-later
// Plans and estimates as text for people.
#pragma once

#include "core/estimate/memory_timeline.h"

#include <string>

namespace stratoplan::cli {

/// Model, cluster, training and strategy, a line each.
[[nodiscard]] std::string describePlan(const plan::Plan& plan, const std::string& order = {});
/// "TP 8 · PP 8 · DP 16 · …"; degrees of 1 that mean "not used" are left out. `order`: the file of an order of passes
/// in place of the schedule's.
[[nodiscard]] std::string describeStrategy(const parallel::Strategy& strategy, const std::string& order = {});
/// What stages send each other, one line a boundary; nothing where none is resharded.
[[nodiscard]] std::string describeResharding(const std::vector<pricing::StageBoundary>& boundaries);
/// "stage 0, in the backward pass of micro-batch 1, from 57.2 s, 8 micro-batches in flight".
[[nodiscard]] std::string describePeak(const estimate::MemoryPeak& peak, int chunks);
/// A heading, and each problem with its remedies below; nothing where there is none.
[[nodiscard]] std::string describeProblems(const std::vector<plan::Problem>& problems);
/// Verdict, breakdown, memory by stage, what the fullest stage holds, problems.
[[nodiscard]] std::string describeEstimate(const plan::Plan& plan, const estimate::Estimate& estimate);

} // namespace stratoplan::cli
