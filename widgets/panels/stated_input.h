// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs of a run that need not be stated, read and written as amounts: 0 where they are not.
#pragma once

#include "core/plan/capacity_inputs.h"

#include <optional>

namespace stratoplan::widgets {

/// A member of a part of the inputs (failures, checkpoints).
template <class Part, class Value>
struct StatedInput {
    Part plan::CapacityInputs::*part;
    std::optional<Value> Part::*member;

    [[nodiscard]] double operator()(const plan::CapacityInputs& inputs) const
    {
        return double((inputs.*part.*member).value_or(0));
    }
    void operator()(plan::CapacityInputs& inputs, double value) const
    {
        inputs.*part.*member = value > 0 ? std::optional(Value(value)) : std::nullopt;
    }
};

/// A member of the inputs themselves.
struct StatedShare {
    std::optional<double> plan::CapacityInputs::*member;

    [[nodiscard]] double operator()(const plan::CapacityInputs& inputs) const { return (inputs.*member).value_or(0); }
    void operator()(plan::CapacityInputs& inputs, double value) const
    {
        inputs.*member = value > 0 ? std::optional(value) : std::nullopt;
    }
};

} // namespace stratoplan::widgets
