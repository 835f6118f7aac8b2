// SPDX-License-Identifier: GPL-3.0-or-later
// What plans are compared by: each figure with its range, and its difference from the baseline with whether that is for
// the better. Pure functions of values.
#pragma once

#include "app/session/background_planner.h"
#include "core/capacity/capacity.h"

#include <QString>

#include <array>
#include <optional>

namespace stratoplan::gui {

struct ComparedPlan {
    QString name; ///< "A: TP 8 · PP 8 · DP 16"
    QString note;
    session::PlanPointer plan;
    session::EstimatePointer estimate; ///< null: not known yet
    plan::CapacityInputs inputs; ///< its own: prices, budget, failures
    std::optional<capacity::Capacity> capacity; ///< of the estimate, where there is one
    bool operator==(const ComparedPlan&) const = default;
};

/// "A"; the whole name where it has no such beginning.
[[nodiscard]] QString shortName(const ComparedPlan& plan);
/// What of the name stands behind that, else the degrees.
[[nodiscard]] QString restOfName(const ComparedPlan& plan);
/// nullptr where there is none.
[[nodiscard]] const estimate::Estimate* estimateOf(const ComparedPlan& plan);

enum class Figure { Days, Done, Cost, Energy, Accelerators, Step, Tokens, Mfu, Memory };
inline constexpr std::array kFigures{Figure::Days, Figure::Done, Figure::Cost, Figure::Energy, Figure::Accelerators,
    Figure::Step, Figure::Tokens, Figure::Mfu, Figure::Memory};
[[nodiscard]] QString figureName(Figure figure);
[[nodiscard]] QString figureExplanation(Figure figure);

/// In base units: days, days since 1970, the plan's currency, kWh, accelerators paid for, s, tokens/s, a share, bytes.
/// Nothing where it is not known. Both ends are the middle where there is no range.
[[nodiscard]] std::optional<capacity::Spread> amountOf(Figure figure, const ComparedPlan& plan);

struct FigureText {
    QString value; ///< "24.1 d"; "–" where there is none
    QString range; ///< "22.0–27.3 d", tenth to ninetieth percentile; "" where there is none
    QString delta; ///< "▼ −3.20 d"; "" without a baseline
    int judgement = 0; ///< 1: better than the baseline, -1: worse, 0: neither
    bool alarm = false; ///< it cannot be so: out of memory
    QString reason; ///< why there is no value; "" where there is one
};
/// `baseline`: nullptr where there is none, or it is the plan itself.
[[nodiscard]] FigureText figureText(Figure figure, const ComparedPlan& plan, const ComparedPlan* baseline);

} // namespace stratoplan::gui
