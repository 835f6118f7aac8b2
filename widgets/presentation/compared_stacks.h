// SPDX-License-Identifier: GPL-3.0-or-later
// Stacked bars of several plans on one axis: their steps by cause, and the fullest stage of each by kind.
#pragma once

#include "widgets/presentation/stacks.h"

#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct ComparedEstimate {
    QString name; ///< short: "A"
    const estimate::Estimate* estimate = nullptr;
};

/// A stack a plan, with its difference from that of the number `baseline`; -1: of none. Plans without a picture are
/// left out; nothing, where all are.
[[nodiscard]] std::optional<BreakdownView> comparedBreakdown(const std::vector<ComparedEstimate>& plans, int baseline);
[[nodiscard]] std::optional<MemoryView> comparedMemory(const std::vector<ComparedEstimate>& plans, int baseline);

} // namespace stratoplan::widgets
