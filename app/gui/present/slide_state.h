// SPDX-License-Identifier: GPL-3.0-or-later
// What slides show, as a value: a plan with its estimate, its whole run, and what it is compared with.
#pragma once

#include "app/session/workspace.h"
#include "core/capacity/capacity.h"

#include <optional>
#include <vector>

namespace stratoplan::gui {

/// A plan beside the one that is presented.
struct Alternative {
    QString name; ///< "A", or the strategy
    QString detail; ///< the strategy; empty where it is the name
    bool isPending = false; ///< its estimate is still to come
    std::optional<Seconds> step; ///< none: it cannot be estimated
    bool fits = true;
    int accelerators = 0; ///< that it uses
    capacity::Capacity run; ///< all zero without a budget
    plan::CapacityInputs inputs;
};

struct SlideState {
    session::PlanPointer plan; ///< which the estimate answers; null: nothing to show yet
    session::EstimatePointer estimate; ///< null: still to come
    plan::CapacityInputs inputs;
    capacity::Capacity run; ///< all zero without a budget
    session::TimelinePointer timeline;
    plan::CanvasPositions canvas;
    std::vector<Alternative> others;
    QString pinnedAs; ///< under which name the plan itself is pinned, too
    bool othersAreFound = false; ///< by the last search; else they are pinned
    bool hasPins = false;

    /// Null while there is none.
    [[nodiscard]] const estimate::Estimate* priced() const { return estimate && *estimate ? &**estimate : nullptr; }
    [[nodiscard]] bool hasRun() const { return run.steps > 0; }
};

/// Of the plan that is on the screen: what is previewed, else the document's.
[[nodiscard]] SlideState slideState(session::Workspace& workspace);

} // namespace stratoplan::gui
