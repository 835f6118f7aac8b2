// SPDX-License-Identifier: Apache-2.0
// The whole-number fields of a strategy as a person drags them: the values worth offering for a plan, and the strategy
// that a new value leads to.
#pragma once

#include "core/plan/plan.h"

#include <array>
#include <string_view>
#include <vector>

namespace stratoplan {

enum class StrategyField { Tp, Pp, Dp, Cp, Ep, Etp, Vpp, MicroBatch, ZeroStage };

inline constexpr std::array kStrategyFields{StrategyField::Tp, StrategyField::Pp, StrategyField::Dp, StrategyField::Cp,
    StrategyField::Ep, StrategyField::Etp, StrategyField::Vpp, StrategyField::MicroBatch, StrategyField::ZeroStage};

/// Key in files: "tp", …, "micro_batch", "zero_stage".
[[nodiscard]] std::string_view key(StrategyField field);
[[nodiscard]] int value(const Strategy& strategy, StrategyField field);

/// Values worth showing on a slider, rising: those that divide what they must, and the powers of two within the cluster
/// (which may break a rule: they stay reachable). The current value is among them.
[[nodiscard]] std::vector<int> sliderValues(const Plan& plan, StrategyField field);

/// Ranks that may share out what ZeRO shards, rising: divisors of d c, the whole of it last.
[[nodiscard]] std::vector<int> shardValues(const Strategy& strategy);

/// The strategy with the field set. A new TP, PP or CP gives DP all the replicas that the cluster then holds (exactly
/// t c p d = accelerators where that divides); a new PP drops all that is told of single stages, a new TP their own
/// degrees; more than one virtual stage turns 1F1B into the interleaved schedule, one turns it back.
[[nodiscard]] Strategy withValue(const Plan& plan, StrategyField field, int value);

} // namespace stratoplan
