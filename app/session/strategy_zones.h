// SPDX-License-Identifier: GPL-3.0-or-later
// What every value of every strategy slider would mean for a plan: estimated one by one, so that the track of a
// slider tells before anyone drags it.
#pragma once

#include "core/estimate/estimate.h"
#include "core/plan/dimensions.h"
#include "widgets/presentation/slider_stop.h"

#include <functional>
#include <map>
#include <stop_token>
#include <vector>

namespace stratoplan::session {

using StrategyZones = std::map<plan::Dimension, std::vector<widgets::SliderStop>>;

/// Red: the plan with that value breaks a rule or the memory. Amber: it fits, but another value of the same slider is
/// no slower and needs no more memory, or a warning applies. Green: the rest. Values and what follows from them as in
/// offeredValues() and withValue(). Stopped early, it returns the fields that are done.
[[nodiscard]] StrategyZones strategyZones(const plan::Plan& plan, const std::stop_token& stop = {});

} // namespace stratoplan::session
