// SPDX-License-Identifier: GPL-3.0-or-later
// Well-known ways to divide a training step, worked out for a plan: starting points one refines.
#pragma once

#include "core/plan/plan.h"

#include <QString>
#include <vector>

namespace stratoplan::widgets {

struct StrategyRecipe {
    QString name; ///< "Fully sharded (FSDP)"
    QString detail; ///< "DP 1,024 · ZeRO-3"
    QString reason; ///< when it is the right start
    parallel::Strategy strategy;
};

/// Those that break no rule of the plan, each strategy once. Use every accelerator of the cluster. Pipeline depth by a
/// rule of thumb on the model state alone (Rajbhandari et al., arXiv 1910.02054, table 1): no estimate is run.
[[nodiscard]] std::vector<StrategyRecipe> strategyRecipes(const plan::Plan& plan);

} // namespace stratoplan::widgets
