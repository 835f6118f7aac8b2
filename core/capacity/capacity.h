// SPDX-License-Identifier: Apache-2.0
// From one step to the whole run: steps, days, accelerator-hours, money, energy, CO2, the day it is done, and how sure
// all of these are. What is not stated is the catalogue's default (core/catalog/run_defaults.h).
#pragma once

#include "core/capacity/goodput.h"
#include "core/capacity/run_length.h"
#include "core/capacity/spread.h"
#include "core/catalog/run_defaults.h"
#include "core/estimate/estimate.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace stratoplan::capacity {

/// Why wall time is longer than that of the steps.
struct Goodput {
    double share = 1; ///< of wall time that advances the run
    bool isStated = false; ///< else worked out from what follows
    Losses losses; ///< of the time beside stalls; stated goodput has none
    double stalls = 0; ///< share of wall time without failures: evaluation, data
    Interruptions interruptions; ///< of the run
    double restartAlone = 0; ///< seconds, with a spare node at hand
    Bytes checkpoint{}; ///< of the model and its optimizer
    double failures = 0; ///< over the run, to be expected
    bool operator==(const Goodput&) const = default;
};

struct Capacity {
    double tokens = 0;
    double steps = 0; ///< whole optimizer steps that consume the token budget
    double trainingDays = 0; ///< of the steps alone
    Goodput goodput;
    Spread days; ///< wall time
    Spread acceleratorHours; ///< of the accelerators that the strategy uses
    int used = 0; ///< accelerators of the strategy
    int idle = 0; ///< of the cluster, that it does not use
    int spare = 0; ///< of spare nodes beside the cluster
    int paid = 0; ///< for which `cost` is
    bool isPriced = false; ///< for all that are paid a price is known
    Spread cost; ///< in the currency of the inputs
    double watts = 0; ///< of the nodes in use, in training, without the facility's share
    Spread energyKwh; ///< of these and of the facility
    Spread co2Kg;
    bool operator==(const Capacity&) const = default;
};

/// All zero if no budget is given; infinite days if failures come so fast that no checkpoint is reached. Ranges are
/// those of the step, of what fails (known to a factor only), and of when it does; they are the middle where the
/// estimate has no range and goodput is stated.
[[nodiscard]] Capacity capacity(const plan::Plan& plan, const estimate::Estimate& estimate,
    const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults = catalog::shippedRunDefaults());

/// Of a run that takes so many seconds of training, or so.
[[nodiscard]] Goodput goodput(const plan::Plan& plan, double training, const plan::CapacityInputs& inputs,
    const catalog::RunDefaults& defaults = catalog::shippedRunDefaults());

/// What was not stated, and where its default is from.
struct Assumption {
    std::string input; ///< "accelerator_mtbf_h", "grid_g_per_kwh", "prices/nodes"
    double value = 0;
    std::string source;
    std::string date;
    bool operator==(const Assumption&) const = default;
};
[[nodiscard]] std::vector<Assumption> assumptions(const plan::Plan& plan, const plan::CapacityInputs& inputs,
    const catalog::RunDefaults& defaults = catalog::shippedRunDefaults());

/// What a run is asked where nobody says anything: the tokens that a model of the catalogue was trained on.
[[nodiscard]] plan::CapacityInputs startingInputs(const plan::Plan& plan, const catalog::Catalog& catalog);

/// Bytes of a checkpoint: parameters as they are trained, and all that the optimizer keeps of each.
[[nodiscard]] Bytes checkpointBytes(const plan::Plan& plan);

/// "2026-12-01"; nothing where there is no such day.
[[nodiscard]] std::optional<std::chrono::sys_days> dayOf(std::string_view text);
[[nodiscard]] std::string dayText(std::chrono::sys_days day);
/// The day on which a run is done that begins on that day.
[[nodiscard]] std::chrono::sys_days doneOn(std::chrono::sys_days start, double days);

} // namespace stratoplan::capacity
