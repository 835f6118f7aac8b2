// SPDX-License-Identifier: GPL-3.0-or-later
// `capacity` from its other ends: accelerators from days, tokens from money.
#pragma once

#include "app/cli/commands.h"
#include "app/cli/input.h"

namespace stratoplan::cli {

/// The fewest accelerators that get the run done, of the nodes of the plan or of each kind that is asked for.
[[nodiscard]] int answerDays(
    const CapacityArguments& arguments, const exchange::Document& document, const plan::CapacityInputs& inputs);
/// The tokens that so much money pays for.
[[nodiscard]] int answerMoney(const CapacityArguments& arguments, const plan::Plan& plan,
    const estimate::Estimate& estimate, plan::CapacityInputs inputs);

} // namespace stratoplan::cli
