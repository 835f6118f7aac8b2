// SPDX-License-Identifier: GPL-3.0-or-later
// What would make the step shorter: single changes of a plan, tried one by one.
#pragma once

#include "core/estimate/estimate.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace stratoplan::session {

struct Improvement {
    QString label; ///< "Micro-batch 1 → 2"
    double stepChange = 0; ///< share of the step: -0.021 = 2.1 % shorter
    Bytes peak{};
    bool operator==(const Improvement&) const = default;
};

/// Changes that fit and shorten the step by at least 0.1 %, best first: neighbouring values of the strategy (every
/// value, where the plan itself does not fit), lighter recomputation, and twice the bandwidth or memory bandwidth of
/// the machine. Needs a plan that can be priced; empty otherwise or when stopped.
[[nodiscard]] std::vector<Improvement> improvements(const plan::Plan& plan, const std::stop_token& stop = {});

} // namespace stratoplan::session
